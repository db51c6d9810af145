/* What the program's launches came to: a line of JSON for each as it ends, and at the end a table of kernels
 * (docs/CUDA.md#report). */
#include "runtime-model/cuda/core/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* ---- lines of JSON ---- */
static const char *const main_metric[] = {
	"cycles",
	"seconds",
	"ctas",
	"warp_instructions",
	"thread_instructions",
	"ipc",
	"occupancy",
	"operand_reads",
	"operand_writes",
	"rf_reads",
	"rf_writes",
	"rf_bank_conflicts",
	"rf_dynamic_energy",
	"rf_energy",
	"sm_energy",
	"gpu_energy",
};

static json_t *metrics(const struct stats *st, const struct params *p)
{
	json_t *o = process.opt.given[CUDA_OPT_ALL] ? stats_json(st, p) : json_object();

	for (unsigned i = 0; o && !process.opt.given[CUDA_OPT_ALL] && i < sizeof main_metric / sizeof *main_metric;
	     i++) {
		struct metric m;

		if (stats_find(main_metric[i], st, p, &m))
			json_object_set_new(o, m.name,
					    json_pack("{s:o, s:s}", "value", metric_json(&m), "unit", m.unit));
	}
	return o;
}

static void lose_report(struct process *p)
{
	say("error: the report cannot be written: %s", strerror(errno));
	p->report_lost = true;
	if (p->report.fd >= 0)
		close(p->report.fd);
	p->report.fd = -1;
}

/* The program closed it. */
static bool open_again(struct process *p)
{
	own_set(&p->report, open(p->opt.text[CUDA_OPT_REPORT], O_WRONLY | O_APPEND | O_CLOEXEC));
	return p->report.fd >= 0;
}

/* Whole lines, one process at a time. */
static void write_line(json_t *o)
{
	struct process *p = &process;
	char *text = o ? json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
	size_t n = text ? strlen(text) : 0, at = 0;

	json_decref(o);
	if (!text)
		return;
	text[n++] = '\n'; /* over the NUL */
	if (!own_is(&p->report) && !open_again(p)) {
		lose_report(p);
		free(text);
		return;
	}
	flock(p->report.fd, LOCK_EX);
	while (at < n) {
		ssize_t put = write(p->report.fd, text + at, n - at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			lose_report(p);
			free(text);
			return;
		}
		at += (size_t)put;
	}
	flock(p->report.fd, LOCK_UN);
	free(text);
}

static json_t *three(const unsigned v[3])
{
	return json_pack("[I, I, I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static const char *status_of(const struct configured *c)
{
	if (!c->ok)
		return "refused";
	if (c->stopped)
		return "stopped";
	return c->sampled ? "sampled" : "timed";
}

static json_t *configuration(const struct configured *c, const struct run_config *r)
{
	json_t *o =
		json_pack("{s:s, s:s, s:s}", "name", r->name, "machine", r->params->machine, "status", status_of(c));

	if (!c->ok && c->refused)
		json_object_set_new(o, "why", json_string(c->refused));
	if (c->nnote) {
		json_t *notes = json_array();

		for (unsigned i = 0; i < c->nnote; i++)
			json_array_append_new(notes, json_string(c->note[i]));
		json_object_set_new(o, "notes", notes);
	}
	if (c->ok && c->sampled)
		json_object_set_new(o, "cycles_error", json_real(c->error));
	if (c->ok)
		json_object_set_new(o, "metrics", metrics(&c->stats, r->params));
	return o;
}

static void write_launch(const struct cu_function *f, const struct cu_launch *l, const struct measured *m,
			 uint64_t number, uint64_t start)
{
	const struct config_list *list = process.opt.configs;
	uint64_t threads = 1, stream;
	json_t *o, *configs = json_array();

	for (unsigned i = 0; i < 3; i++)
		threads *= (uint64_t)l->grid[i] * l->block[i];
	stream = stream_of(l->stream)->id;
	o = json_pack("{s:s, s:i, s:I, s:s, s:s, s:s, s:s, s:o, s:o, s:I, s:I, s:i, s:I, s:I, s:I, s:s, s:I, s:I, s:b, "
		      "s:f}",
		      "type", "launch", "pid", (int)getpid(), "launch", (json_int_t)number, "kernel", f->name, "name",
		      f->totals->name, "module", f->module->name, "code", f->totals->code, "grid", three(l->grid),
		      "block", three(l->block), "shared_bytes", (json_int_t)f->k->res.shared_bytes,
		      "dynamic_shared_bytes", (json_int_t)l->dynamic_shared, "registers", (int)f->k->res.regs, "stream",
		      (json_int_t)stream, "threads", (json_int_t)threads, "warp_instructions",
		      (json_int_t)m->warp_insns, "mode", m->mode == MODE_TIMED ? "timed" : "functional", "start_ns",
		      (json_int_t)start, "modelled_ns", (json_int_t)m->ns, "estimated", m->estimated, "host_seconds",
		      m->seconds);
	json_object_set_new(o, "thread_instructions", json_integer((json_int_t)m->thread_insns));
	for (unsigned i = 0; m->config && i < list->n; i++)
		json_array_append_new(configs, configuration(&m->config[i], &list->config[i]));
	json_object_set_new(o, "configurations", configs);
	write_line(o);
}

/* ---- sums ---- */
static struct totals *totals_of(const char *symbol, const char *hash)
{
	struct process *p = &process;
	const unsigned n = p->opt.configs->n;
	struct totals **at, *t;
	unsigned namesakes = 1;

	for (at = &p->totals; *at; at = &(*at)->next) {
		const bool same = strcmp((*at)->symbol, symbol) == 0;

		if (same && strcmp((*at)->hash, hash) == 0)
			return *at;
		namesakes += same;
	}
	t = *at = new(&p->a, struct totals);
	t->symbol = arena_printf(&p->a, "%s", symbol);
	t->name = kernel_name(t->symbol, &p->a);
	t->hash = arena_printf(&p->a, "%s", hash);
	if (namesakes > 1)
		t->name = arena_printf(&p->a, "%s (%u)", t->name, namesakes);
	t->stats = new_array(&p->a, struct stats, n + 1);
	t->measured = new_array(&p->a, uint64_t, n + 1);
	t->refused = new_array(&p->a, uint64_t, n + 1);
	t->stopped = new_array(&p->a, uint64_t, n + 1);
	t->unlike = new_array(&p->a, bool, n + 1);
	t->sampled = new_array(&p->a, uint64_t, n + 1);
	t->error = new_array(&p->a, double, n + 1);
	t->whole = new_array(&p->a, uint64_t, n + 1);
	t->needs = new_array(&p->a, uint64_t, n + 1);
	t->why = new_array(&p->a, struct refusal *, n + 1);
	t->note = new_array(&p->a, struct refusal *, n + 1);
	return t;
}

/* Reasons and notes name sizes, so there may be many: the last row stands for all that find none. */
static void count_refusal(struct refusal **list, const char *why)
{
	enum { REASONS = 8 };
	unsigned n = 0;

	for (; *list && strcmp((*list)->why, why) != 0 && n < REASONS; n++)
		list = &(*list)->next;
	if (!*list) {
		*list = new(&process.a, struct refusal);
		(*list)->why = n < REASONS ? arena_printf(&process.a, "%s", why) : "and for more reasons";
	}
	(*list)->launches++;
}

/* Those of f, a launch of which has begun. */
static struct totals *totals_of_function(struct cu_function *f)
{
	struct totals *t = f->totals = f->totals ? f->totals : totals_of(f->name, f->module->hash);

	t->code = fatbin_code_word(f->module->native ? FATBIN_CODE_SASS - FATBIN_CODE_PTX : 0);
	t->registers = f->k->res.regs;
	t->elsewhere = f->module->elsewhere;
	return t;
}

void report_launch(struct cu_function *f, const struct cu_launch *l, const struct measured *m, uint64_t number,
		   uint64_t start)
{
	struct totals *t = totals_of_function(f);
	uint64_t threads = 1;

	for (unsigned i = 0; i < 3; i++)
		threads *= (uint64_t)l->grid[i] * l->block[i];
	t->launches++;
	t->timed += m->mode == MODE_TIMED;
	t->threads += threads;
	t->warp_insns += m->warp_insns;
	t->thread_insns += m->thread_insns;
	t->ns += m->ns;
	t->estimated |= m->estimated;
	t->chosen |= m->config != NULL;
	for (unsigned i = 0; m->config && i < process.opt.configs->n; i++) {
		const struct configured *c = &m->config[i], *first = m->config;

		t->unlike[i] |=
			c->ok != first->ok ||
			(c->ok && (c->stopped || first->stopped) &&
			 (c->stats.warp_instructions != first->stats.warp_instructions || !c->stats.warp_instructions));
		if (c->ok) {
			stats_merge(&t->stats[i], &c->stats);
			t->measured[i]++;
			t->stopped[i] += c->stopped;
			t->sampled[i] += c->sampled;
			t->error[i] += c->sampled ? c->error : 0;
			t->whole[i] += c->sample_needs != 0;
			t->needs[i] = c->sample_needs > t->needs[i] ? c->sample_needs : t->needs[i];
			for (unsigned n = 0; n < c->nnote; n++)
				count_refusal(&t->note[i], c->note[n]);
		} else {
			t->refused[i]++;
			count_refusal(&t->why[i], c->refused ? c->refused : "refused");
		}
	}
	if (process.report.fd >= 0)
		write_launch(f, l, m, number, start);
}

void report_failure(struct cu_function *f, const struct cu_launch *l, const struct failure *x)
{
	const struct launch_fault *at = &x->at;
	json_t *o;

	totals_of_function(f)->failed++;
	if (process.report.fd < 0)
		return;
	o = json_pack("{s:s, s:i, s:I, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:i, s:s}", "type", "fault", "pid",
		      (int)getpid(), "launch", (json_int_t)x->launch, "kernel", x->symbol, "name", f->totals->name,
		      "module", x->module, "grid", three(l->grid), "block", three(l->block), "fault",
		      fault_name(x->kind), "what", x->what, "text", x->text, "status", (int)x->status, "error",
		      cu_status_runtime_name((int)x->status));
	if (*x->where) {
		json_object_set_new(o, "where", json_string(x->where));
		json_object_set_new(o, "instruction", json_integer((json_int_t)at->insn));
	}
	if (at->has_cta)
		json_object_set_new(o, "cta", three(at->cta));
	if (at->has_thread)
		json_object_set_new(o, "thread", three(at->thread));
	if (at->has_address)
		json_object_set_new(o, "address", json_sprintf("0x%llx", (unsigned long long)at->address));
	if (x->memory)
		json_object_set_new(o, "memory", json_string(x->memory));
	write_line(o);
}

/* From the watching thread: process.a is another's. */
void report_interrupted(const struct cu_function *f, const struct cu_launch *l, uint64_t number, double seconds,
			uint64_t warp_insns, int sig)
{
	struct arena a;

	if (process.report.fd < 0)
		return;
	arena_init(&a);
	write_line(json_pack("{s:s, s:i, s:I, s:s, s:s, s:s, s:o, s:o, s:I, s:f, s:i}", "type", "interrupted", "pid",
			     (int)getpid(), "launch", (json_int_t)number, "kernel", f->name, "name",
			     kernel_name(f->name, &a), "module", f->module->name, "grid", three(l->grid), "block",
			     three(l->block), "warp_instructions", (json_int_t)warp_insns, "host_seconds", seconds,
			     "signal", sig));
	arena_free(&a);
}

void report_not_launched(const char *symbol, const struct cu_module *m, const struct cu_launch *l, uint64_t number,
			 enum cu_status s, const char *why)
{
	struct totals *t = totals_of(symbol, m ? m->hash : "");
	struct arena a;

	arena_init(&a);
	t->not_launched++;
	count_refusal(&t->why_not, arena_printf(&a, "%s: %s", cu_status_text((int)s), why));
	arena_free(&a);
	if (process.report.fd >= 0)
		write_line(json_pack("{s:s, s:i, s:I, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:i, s:s}", "type",
				     "fault", "pid", (int)getpid(), "launch", (json_int_t)number, "kernel", t->symbol,
				     "name", t->name, "module", m ? m->name : "", "grid", three(l->grid), "block",
				     three(l->block), "fault", "refused", "what", "it could not be launched", "text",
				     why, "status", (int)s, "error", cu_status_runtime_name((int)s)));
}

void report_mark(bool on)
{
	if (process.report.fd >= 0)
		write_line(json_pack("{s:s, s:i, s:b, s:I}", "type", "mark", "pid", (int)getpid(), "on", on,
				     "after_launch", (json_int_t)process.launches));
}

/* ---- at the end ---- */
static int by_insns(const void *x, const void *y)
{
	const struct totals *a = *(struct totals *const *)x, *b = *(struct totals *const *)y;

	if (a->warp_insns != b->warp_insns)
		return a->warp_insns < b->warp_insns ? 1 : -1;
	return strcmp(a->symbol, b->symbol);
}

static struct totals **sorted(unsigned *n, struct arena *a)
{
	struct totals **list = NULL;
	uint32_t cap = 0, count = 0;

	for (struct totals *t = process.totals; t; t = t->next) {
		arena_grow(a, list, count, cap);
		list[count++] = t;
	}
	if (count)
		qsort(list, count, sizeof *list, by_insns);
	*n = count;
	return list;
}

static void write_kernel(const struct totals *t)
{
	const struct config_list *l = process.opt.configs;
	json_t *configs = json_array();
	json_t *o =
		json_pack("{s:s, s:i, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "type", "kernel", "pid",
			  (int)getpid(), "kernel", t->symbol, "name", t->name, "launches", (json_int_t)t->launches,
			  "failed_launches", (json_int_t)t->failed, "refused_launches", (json_int_t)t->not_launched,
			  "timed_launches", (json_int_t)t->timed, "threads", (json_int_t)t->threads,
			  "warp_instructions", (json_int_t)t->warp_insns, "thread_instructions",
			  (json_int_t)t->thread_insns, "modelled_ns", (json_int_t)t->ns, "estimated", t->estimated);

	for (unsigned i = 0; t->chosen && i < l->n; i++) {
		json_t *c = json_pack("{s:s, s:s, s:I, s:I, s:I}", "name", l->config[i].name, "machine",
				      l->config[i].params->machine, "launches", (json_int_t)t->measured[i], "stopped",
				      (json_int_t)t->stopped[i], "refused", (json_int_t)t->refused[i]);

		if (t->measured[i])
			json_object_set_new(c, "metrics", metrics(&t->stats[i], l->config[i].params));
		json_array_append_new(configs, c);
	}
	if (t->code) {
		json_object_set_new(o, "code", json_string(t->code));
		json_object_set_new(o, "registers", json_integer(t->registers));
	}
	json_object_set_new(o, "configurations", configs);
	write_line(o);
}

/* All of it at once, so that the tables of processes that end together do not mix: one write, and one of them at a
 * time. */
static void write_whole(int fd, const char *text, size_t n)
{
	int lock = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	for (unsigned i = 0; lock >= 0 && i < 100 && flock(lock, LOCK_EX | LOCK_NB) != 0; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	while (n) {
		const ssize_t put = write(fd, text, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			break;
		text += put;
		n -= (size_t)put;
	}
	if (lock >= 0)
		close(lock);
}

static void write_table(struct totals *const *list, unsigned n, bool orderly, struct arena *a)
{
	const struct process *p = &process;
	const char *path = p->opt.text[CUDA_OPT_SUMMARY];
	const bool file = path && strcmp(path, "-") != 0;
	const int fd = file ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : STDERR_FILENO;
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = fd < 0 ? NULL : open_memstream(&text, &bytes);

	if (fd < 0)
		say("error: %s: cannot be written: %s", path, strerror(errno));
	if (f) {
		table_print(f, list, n, a);
		if (orderly)
			shown_print(f, a);
		fclose(f);
		write_whole(fd, text, bytes);
		free(text);
	}
	if (file && fd >= 0)
		close(fd);
}

/* Options that choose launches are easily wrong, and what they leave out is only executed. */
static void say_none_chosen(void)
{
	const struct process *p = &process;
	const bool saves = p->opt.given[CUDA_OPT_SAVE];
	const bool chooses =
		p->opt.configs->n || saves || p->opt.given[CUDA_OPT_USAGE] || p->opt.given[CUDA_OPT_VALUES];
	const struct totals *first = p->totals;
	const char *how = p->opt.configs->n ? "timed" : "looked at";

	while (first && !first->launches) /* those of it were refused */
		first = first->next;
	if (chooses && !p->chosen && first)
		say("warning: no launch was %s: %s%s%s%s%s is true of none of %llu, the first of which is of %s",
		    saves ? "saved" : how, p->opt.choose ? "--kernels " : "",
		    p->opt.choose ? p->opt.text[CUDA_OPT_KERNELS] : "", p->opt.choose && p->opt.nrange ? " with " : "",
		    p->opt.nrange ? "--launches " : "", p->opt.nrange ? p->opt.text[CUDA_OPT_LAUNCHES] : "",
		    (unsigned long long)(p->launches - p->not_launched), first->name);
}

void report_end(bool orderly)
{
	struct process *p = &process;
	struct totals **list;
	struct arena a;
	unsigned n;

	arena_init(&a);
	list = sorted(&n, &a);
	for (unsigned i = 0; p->report.fd >= 0 && i < n; i++)
		write_kernel(list[i]);
	if (p->launches && !p->opt.given[CUDA_OPT_QUIET] && (p->opt.wrapped || p->opt.text[CUDA_OPT_SUMMARY]))
		write_table(list, n, orderly, &a);
	if (orderly)
		shown_end();
	say_none_chosen();
	if (p->sanitizer && p->launches)
		say("%s", sanitizer_totals(p->sanitizer, &a));
	arena_free(&a);
}
