/* What sm-model says of a run, of the launches of a CUDA process that are chosen: where issue slots went, how values
 * are used and how alike they are, a page. Launches of a kernel that is annotated for CTAs of one shape are one run
 * (struct run), as if a launch file had asked for them; what happened in each cycle is of all that are timed. */
#include "runtime-model/cuda/core/internal.h"

#include "runtime-model/core/axis.h"
#include "runtime-model/html/detail.h"
#include "runtime-model/html/report.h"
#include "runtime-model/run/compare.h"
#include "runtime-model/similar/similar.h"
#include "runtime-model/usage/usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct shown {
	struct shown *next;
	struct arena a;
	struct module m; /* of this kernel alone */
	struct kernel *kernel[1];
	struct launch_file f; /* launches of one shape are rounds of one entry */
	struct run_options o;
	struct run r;
	struct watch_request request; /* the explanation alone */
	struct watch watch;
	struct detail *detail;
	bool sourced; /* the program has lines of its source, beside those of the PTX */
	struct usage usage;
	struct similar_kernel similar;
	uint32_t launch_cap, count_cap;
};

/* ---- a process's watchers ---- */
static bool asked(enum cuda_option id) { return process.opt.given[id]; }
static bool counts_values(void) { return asked(CUDA_OPT_USAGE) || asked(CUDA_OPT_VALUES); }

/* A file of the user's name; of another process than the first with its number behind it. */
static const char *own_file(const char *path)
{
	if (!path || is_first_process())
		return path;
	return arena_printf(&process.a, "%s.%d", path, (int)getpid());
}

/* Of all launches: what happened in each cycle, and intervals. NULL: nobody asks. */
static const struct gpu_probe *process_probe(void)
{
	struct process *p = &process;
	struct watch_request *q;

	if (p->watched)
		return p->watched->probe;
	q = new(&p->a, struct watch_request);
	*q = p->opt.watch;
	q->explain = false;
	q->series = own_file(q->series);
	q->trace = own_file(q->trace);
	q->pipeview = own_file(q->pipeview);
	p->watched = new(&p->a, struct watch);
	if (!watched_open(p->watched, q, NULL, &p->a, &p->d)) {
		say("error: %.*s", (int)strcspn(p->d.last, "\n"), p->d.last);
		last_error();
		p->report_lost = true;
		p->watched->probe = NULL;
	}
	return p->watched->probe;
}

/* ---- a kernel ---- */
static bool has_source(const struct kernel *k, const char *ptx)
{
	const struct module *m = k->m;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		const uint32_t l = k->insn[i].line;
		const char *file = l && l < m->nline && m->line[l].line && m->line[l].file < m->nfile
					   ? m->file[m->line[l].file]
					   : NULL;

		if (file && (!ptx || strcmp(file, ptx) != 0))
			return true;
	}
	return false;
}

static void begin_launches(struct shown *s, const struct cu_function *f)
{
	s->m = *f->k->m;
	s->m.kernel = s->kernel;
	s->m.nkernel = 1;
	s->f.path = program_invocation_short_name;
	s->r = (struct run){ .m = &s->m,
			     .f = &s->f,
			     .opt = s->o,
			     .ntimed = s->o.nconfig,
			     .kernel = new_array(&s->a, const char *, 1),
			     .nkernel = 1,
			     .timing = new_array(&s->a, struct run_timing, s->o.nconfig + 1u) };
	s->r.kernel[0] = s->kernel[0]->name;
	for (unsigned i = 0; i < s->o.nconfig; i++) {
		struct run_timing *t = &s->r.timing[i];

		t->program =
			s->kernel[0]->variant && s->o.config[i].rf.residency->variant ? PROGRAM_VARIANT : PROGRAM_PLAIN;
		t->kernel = new_array(&s->a, struct stats, 1);
		t->failed = true; /* until it has timed one */
	}
}

static struct shown *shown_new(const struct cu_function *f, const struct annotated *n)
{
	const struct config_list *l = process.opt.configs;
	struct shown *s, **at = &process.shown;
	struct arena a;

	arena_init(&a);
	s = new(&a, struct shown);
	s->a = a;
	s->kernel[0] = (struct kernel *)n->k; /* what shows it adds facts that it lacks */
	s->sourced = has_source(n->k, f->module->native ? NULL : f->module->code.name);
	s->request =
		(struct watch_request){ .explain = process.opt.watch.explain, .sections = process.opt.watch.sections };
	s->o = (struct run_options){ .config = l->config, .nconfig = l->n };
	watched_open(&s->watch, &s->request, process_probe(), &s->a, &process.d);
	s->o.probe = s->watch.probe;
	if (asked(CUDA_OPT_HTML))
		s->detail = detail_new(&s->o, s->watch.explain, &s->a);
	begin_launches(s, f);
	if (asked(CUDA_OPT_VALUES))
		s->similar = similar_kernel_new(n->k, &s->a);
	while (*at)
		at = &(*at)->next;
	return *at = s;
}

struct shown *shown_of(const struct cu_function *f, struct annotated *n)
{
	if (!n->shown && (watched_asked(&process.opt.watch) || asked(CUDA_OPT_HTML) || counts_values()))
		n->shown = shown_new(f, n);
	return n->shown;
}

const struct gpu_probe *shown_probe(const struct shown *s, unsigned config)
{
	if (!s)
		return NULL;
	return config ? s->o.config[config].probe : s->o.probe;
}

/* ---- launches ---- */
/* The entry of launches like x. */
static unsigned entry_of(struct shown *s, const struct launch *x)
{
	unsigned i = 0;
	struct launch_spec *l;

	for (; i < s->f.nlaunch; i++) {
		l = &s->f.launch[i];
		if (memcmp(l->grid, x->grid, sizeof l->grid) == 0 && memcmp(l->block, x->block, sizeof l->block) == 0 &&
		    l->shared_bytes == x->dynamic_shared)
			return i;
	}
	arena_grow(&s->a, s->f.launch, i, s->launch_cap);
	arena_grow(&s->a, s->r.launch, i, s->count_cap);
	for (unsigned c = 0; c < s->o.nconfig; c++) {
		uint64_t *cycles = new_array(&s->a, uint64_t, i + 1u);

		if (i)
			memcpy(cycles, s->r.timing[c].cycles, i * sizeof *cycles);
		s->r.timing[c].cycles = cycles;
	}
	s->f.launch[i] = launch_spec_of(x, &s->a);
	s->r.launch[i] = (struct run_launch){ .rounds = 0 };
	s->f.nlaunch++;
	return i;
}

void shown_launch(struct shown *s, const struct launch *x, const struct measured *m)
{
	const unsigned at = s ? entry_of(s, x) : 0;

	if (!s)
		return;
	s->r.launch[at].rounds++;
	s->r.launch[at].warp_insns += m->warp_insns;
	s->r.launch[at].thread_insns += m->thread_insns;
	for (unsigned i = 0; m->config && i < s->o.nconfig; i++) {
		const struct configured *c = &m->config[i];
		struct run_timing *t = &s->r.timing[i];

		if (!c->ok) {
			t->refused = arena_printf(&s->a, "%s", c->refused ? c->refused : "refused");
			continue;
		}
		t->failed = false;
		t->cycles[at] += c->stats.cycles;
		stats_merge(&t->stats, &c->stats);
		stats_merge(t->kernel, &c->stats);
		if (c->stopped)
			t->stop.why = s->r.stop.at.why = STOP_INSNS;
	}
}

/* Executes x, whose kernel is annotated, and counts what its values are like. */
bool launch_counted(struct shown *s, const struct launch *x, struct measured *m, struct diag *d)
{
	const struct similar_options so = { .lanes = WARP_LANES, .stop = watch_flag(), .progress = watch_executing };
	const struct usage_options uo = { .stop = watch_flag(), .progress = watch_executing };
	const bool values = asked(CUDA_OPT_VALUES);
	struct engine_options o = { .consumers = 1, .want = values ? similar_wants(&so) : 0, .stop = watch_flag() };
	struct engine *e = engine_new(process.dev, x, &o, d);
	struct engine_counts n = { 0 };
	struct stopped stopped = { .why = STOP_NOT };
	struct usage u = { 0 };
	bool bug = false, ok = e != NULL;

	if (ok && values) {
		ok = similar_launch(e, x, &so, &s->similar, &n, &stopped, &bug, d);
	} else if (ok) {
		ok = usage_launch(e, x->k, &uo, &u, &stopped);
		n = (struct engine_counts){ .warp_insns = u.warp_insns, .thread_insns = u.thread_insns };
		usage_add(&s->usage, &u);
	}
	if (e && engine_fault(e)->kind)
		measured_fault(m, engine_fault(e));
	m->warp_insns = n.warp_insns;
	m->thread_insns = n.thread_insns;
	engine_free(e);
	return ok;
}

/* ---- at the end ---- */
static const char *name_of(const struct shown *s, struct arena *a) { return kernel_name(s->kernel[0]->name, a); }

static void say_wrong(const struct shown *s, struct diag *d, const char *what)
{
	struct arena a;

	arena_init(&a);
	say("error: kernel %s: %s: %.*s", name_of(s, &a), what, (int)strcspn(d->last ? d->last : "", "\n"),
	    d->last ? d->last : "");
	arena_free(&a);
	process.report_lost = true;
}

/* What was seen adds up to what was counted, unless some launches were timed in part alone. */
static bool adds_up(struct shown *s)
{
	const bool stopped = s->r.stop.at.why != STOP_NOT;
	struct diag d;
	bool ok;

	diag_init(&d, NULL);
	ok = watched_check(&s->watch, stopped, &d) && (!s->detail || detail_check(s->detail, &s->r, &d));
	if (!ok)
		say_wrong(s, &d, "a bug of regloom");
	diag_free(&d);
	return ok;
}

static void print_explained(FILE *f, struct shown *s, struct arena *a)
{
	if (s->r.timing[0].failed)
		fprintf(f, "\nexplain  %s: %s does not time it: %s\n", name_of(s, a), s->o.config[0].name,
			s->r.timing[0].refused ? s->r.timing[0].refused : "no launch of it ended");
	else if (adds_up(s))
		watched_print_explain(f, &s->watch, &s->m);
	if (!s->sourced)
		fprintf(f,
			"\n  the program does not say which lines of its source these are: nvcc -lineinfo makes it\n");
}

static void print_values(FILE *f, const struct shown *s, struct arena *a)
{
	fprintf(f, "\nkernel   %s\n", name_of(s, a));
	if (asked(CUDA_OPT_USAGE)) {
		usage_print(f, &s->usage);
		return;
	}
	similar_print(f, &s->similar, 1, WARP_LANES);
	if (asked(CUDA_OPT_BY_LINE)) {
		fputc('\n', f);
		similar_print_lines(f, &s->m, &s->similar);
	}
}

void shown_print(FILE *f, struct arena *a)
{
	const struct process *p = &process;

	for (struct shown *s = p->shown; s; s = s->next) {
		if (s->request.explain)
			print_explained(f, s, a);
		if (counts_values())
			print_values(f, s, a);
	}
	if (p->shown && asked(CUDA_OPT_BY_LINE)) {
		fputc('\n', f);
		similar_print_legend(f);
	}
	if (p->watched)
		watched_print_files(f, p->watched, p->timed_cycles[0]);
}

static json_t *result_of(struct shown *s, struct diag *d)
{
	struct run *r = &s->r;
	json_t *o = s->o.nconfig > 1 ? compare_json(r) : run_json(r);

	return detail_add(s->detail, r, &s->m, o, d);
}

static void write_page(void)
{
	struct process *p = &process;
	const char *path = own_file(p->opt.text[CUDA_OPT_HTML]);
	struct report x = { .title = NULL };
	struct arena a;
	struct diag d;

	arena_init(&a);
	diag_init(&d, NULL);
	for (struct shown *s = p->shown; s; s = s->next) {
		json_t *result = s->r.timing[0].failed || !adds_up(s) ? NULL : result_of(s, &d);

		if (result && !schema_check(result, name_of(s, &a), &d))
			say_wrong(s, &d, "a bug of regloom");
		if (result)
			report_put(&x, name_of(s, &a), result, &a);
	}
	x.title = x.n ? arena_printf(&a, "%s: %s", program_invocation_short_name, report_title(&x, &a)) : "";
	if (!x.n)
		diag_error_plain(&d, path, "there is no page: no launch was timed");
	if (!x.n || !report_write_page(&x, path, &a, &d)) {
		say("error: %.*s", (int)strcspn(d.last, "\n"), d.last);
		p->report_lost = true;
	}
	for (unsigned i = 0; i < x.n; i++)
		json_decref(x.file[i].result);
	diag_free(&d);
	arena_free(&a);
}

static void end_watched(void)
{
	struct process *p = &process;
	struct watch *w = p->watched;
	struct arena a;
	struct diag d;
	bool ok;

	arena_init(&a);
	diag_init(&d, NULL);
	ok = watched_end(w, NULL) && watched_write_series(w, p->opt.configs->config[0].params, NULL, &a, &d);
	if (!ok) {
		say("error: %s", "what was watched cannot be written");
		p->report_lost = true;
	}
	diag_free(&d);
	arena_free(&a);
}

void shown_end(void)
{
	struct process *p = &process;

	if (p->watched)
		end_watched();
	if (p->shown && asked(CUDA_OPT_HTML))
		write_page();
}
