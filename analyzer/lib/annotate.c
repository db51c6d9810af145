/* Reads, compiles and writes a module: the body of ptx-annotate and of regloom_annotate(). */
#include "analyzer/base/kernel_name.h"
#include "analyzer/lib/input.h"

#include "analyzer/base/near.h"
#include "analyzer/base/outfile.h"
#include "analyzer/base/text.h"
#include "analyzer/elf/annotated.h"
#include "analyzer/elf/rlo.h"
#include "analyzer/emit/findings.h"
#include "analyzer/fatbin/fatbin.h"
#include "analyzer/lib/facts.h"
#include "analyzer/ptx/ptx.h"
#include "analyzer/sass/lift.h"

#include <string.h>
#include <sys/stat.h>

const struct annotate_view_info annotate_view_info[VIEW_COUNT] = {
#define V(id, text, meaning) [VIEW_##id] = { text, meaning },
	ANNOTATE_VIEWS(V)
#undef V
};

const struct annotate_view_info annotate_graph_info[DRAW_COUNT] = {
#define G(id, text, meaning) [DRAW_##id] = { text, meaning },
	ANNOTATE_GRAPHS(G)
#undef G
};

enum annotate_view annotate_view_find(const char *name) { return names_find(NAMES_IN(annotate_view_info, name), name); }

enum pass_id annotate_pass_find(const char *name) { return names_find(NAMES_IN(pass_info, id), name); }

struct annotate_job annotate_job_default(const char *input, const char *output)
{
	struct annotate_job job = { .input = input, .output = output, .view = VIEW_OBJ, .level = -1, .orf = ORG_SPLIT };
	struct pass_ctx cx;
	struct diag none;

	diag_init(&none, NULL);
	pass_ctx_init(&cx, &none);
	job.pass = cx.opt;
	pass_ctx_free(&cx);
	diag_free(&none);
	return job;
}

static void move_symrefs(struct kernel *k, const uint32_t *moved)
{
	for (uint32_t r = 0; r < k->nsymref; r++)
		k->symref[r].sym = moved[k->symref[r].sym];
}

/* Leaves one kernel and the variables that it can see. False with a diagnostic that names the kernels there are. */
static bool keep_kernel(struct module *m, const char *name, const char *input, struct diag *d)
{
	uint32_t keep = 0, found = UINT32_MAX, n = 0, *moved = new_array(m->a, uint32_t, m->nsym + 1);
	char *names = arena_printf(m->a, "%s", "");

	while (keep < m->nkernel && strcmp(m->kernel[keep]->name, name) != 0)
		keep++;
	for (uint32_t k = 0, same = 0; keep == m->nkernel && k < m->nkernel; k++) {
		if (!kernel_is_named(m->kernel[k]->name, name))
			continue;
		found = k;
		if (++same > 1)
			return diag_error_plain(d, input, "has several kernels %s: name one in full, as %s", name,
						m->kernel[k]->name);
	}
	if (keep == m->nkernel && found < m->nkernel)
		keep = found;
	if (keep == m->nkernel) {
		for (uint32_t k = 0; k < m->nkernel && k < 10; k++)
			names = arena_printf(m->a, "%s%s%s", names, k ? ", " : "",
					     kernel_name(m->kernel[k]->name, m->a));
		return diag_error_plain(d, input, "has no kernel %s; it has %s%s", name, *names ? names : "none",
					m->nkernel > 10 ? ", ..." : "");
	}
	for (uint32_t s = 0; s < m->nsym; s++) {
		if (m->sym[s].kernel != UINT32_MAX && m->sym[s].kernel != keep) {
			moved[s] = UINT32_MAX;
			continue;
		}
		moved[s] = n;
		m->sym[n] = m->sym[s];
		if (m->sym[n].kernel == keep)
			m->sym[n].kernel = 0;
		n++;
	}
	m->nsym = n;
	for (uint32_t s = 0; s < n; s++)
		for (uint32_t r = 0; r < m->sym[s].nreloc; r++)
			m->sym[s].reloc[r].sym = moved[m->sym[s].reloc[r].sym];
	m->kernel[0] = m->kernel[keep];
	m->nkernel = 1;
	for (struct kernel *k = m->kernel[0]; k; k = k->variant)
		move_symrefs(k, moved);
	for (uint32_t f = 0; f < m->nfunc; f++)
		move_symrefs(m->func[f], moved);
	for (uint32_t s = 0; s < m->kernel[0]->nshared; s++) /* its variant has the same ones */
		m->kernel[0]->shared[s].sym = moved[m->kernel[0]->shared[s].sym];
	return true;
}

static struct module *parse(const struct annotate_job *job, const struct source *src, struct arena *a, struct diag *d)
{
	struct module *m = ptx_parse_kernel(src, job->kernel, kernel_is_named, a, d);

	if (m && !m->nkernel && job->kernel) /* to say what kernels there are */
		m = ptx_parse(src, a, d);
	if (!m)
		return NULL;
	if (!m->nkernel) {
		diag_error_plain(d, src->name, "has no kernel (.entry)");
		return NULL;
	}
	return !job->kernel || keep_kernel(m, job->kernel, src->name, d) ? m : NULL;
}

static bool has_kernel(const struct module *m, const char *name)
{
	for (uint32_t k = 0; k < m->nkernel; k++)
		if (kernel_is_named(m->kernel[k]->name, name))
			return true;
	return false;
}

/* What an object, or an annotated cubin, does not hold. */
static bool weigh(struct kernel *k, struct pass_ctx *cx) { return pass_need(k, FACT_FREQ | FACT_DLIVE, cx); }

/* What a view shows; FACT_ALL: also k->regmutex, which the object holds, the annotated cubin and findings. */
static unsigned shown(const struct annotate_job *job, bool native)
{
	const unsigned of_code = FACT_CFG | FACT_LIVE | FACT_LOOP;
	const bool plain = native && !job->techniques;

	switch (job->view) {
	case VIEW_PRESSURE:
		return FACT_CFG | FACT_LIVE;
	case VIEW_BANKS:
		return of_code | FACT_FREQ;
	case VIEW_LISTING:
		return plain ? of_code | FACT_FREQ | FACT_DLIVE | FACT_UNIFORM : FACT_ALL;
	case VIEW_SUMMARY:
		return plain ? of_code | FACT_FREQ | FACT_UNIFORM : FACT_ALL;
	case VIEW_DOT:
		if (job->graph == DRAW_AFFINITY)
			return FACT_AFFINITY | FACT_CORF;
		if (job->graph == DRAW_ORF)
			return FACT_STRAND | FACT_ORF;
		return plain ? of_code : of_code | FACT_STRAND;
	case VIEW_OBJ:
	case VIEW_CUBIN:
	case VIEW_PTX:
	case VIEW_JSON:
	case VIEW_OCCUPANCY:
	case VIEW_REMARKS:
	case VIEW_SARIF:
	case VIEW_DUMP:
	case VIEW_COUNT:
		break;
	}
	return FACT_ALL;
}

/* A size of RegMutex's sets that was asked for is looked at, and refused, whatever is shown. */
static unsigned wanted(const struct annotate_job *job, bool native, const struct pass_ctx *cx)
{
	unsigned facts = job->accept_facts;

	if (job->output)
		facts |= shown(job, native);
	if (job->summary || cx->opt.regmutex.size > REGMUTEX_AUTO || cx->opt.check)
		facts = FACT_ALL;
	return facts | (job->profile ? FACT_FREQ : 0);
}

static bool compile(struct module *m, bool object, unsigned facts, struct pass_ctx *cx)
{
	if (!object && cx->opt.regmutex.kernel && !has_kernel(m, cx->opt.regmutex.kernel))
		return diag_error_plain(cx->diag, cx->opt.regmutex.kernel,
					"--regmutex-kernel: there is no kernel of that name");
	for (uint32_t k = 0; k < m->nkernel; k++) {
		const bool made = object || (m->kernel[k]->facts & FACT_OBJECT) == FACT_OBJECT;

		if (!(made ? weigh(m->kernel[k], cx) : pass_compile_for(m->kernel[k], facts, facts == FACT_ALL, cx)))
			return false;
	}
	return true;
}

static bool write_ptx(FILE *f, const struct annotate_job *job, const struct source *src, const struct module *machine,
		      struct pass_ctx *cx)
{
	/* The text's registers are the virtual ones, so it wants the kernels as parsed beside the compiled ones. */
	struct module *text = parse(job, src, machine->a, cx->diag);

	if (!text)
		return false;
	for (uint32_t k = 0; k < text->nkernel; k++)
		if (!pass_need(text->kernel[k], FACT_CFG | FACT_LIVE, cx))
			return false;
	return ptx_write_annotated(f, text, machine->kernel) ||
	       diag_error_plain(cx->diag, job->output, "the annotated text could not be written");
}

struct emit_machine annotate_machine(const struct kernel *k, const struct pass_options *o)
{
	return (struct emit_machine){ o->regmutex.sm, launch_cta(k, o->launch), o->regmutex.liveness,
				      o->regmutex.rules_off };
}

static bool write_findings(FILE *f, const struct annotate_job *job, const struct module *m, struct pass_ctx *cx)
{
	const struct sarif_run sarif = { &job->input, 1, 0 };
	struct findings all = { .a = m->a };

	for (uint32_t k = 0; k < m->nkernel; k++) {
		const struct emit_machine machine = annotate_machine(m->kernel[k], &cx->opt);
		struct kernel_figures x;
		struct view v;

		view_init(&v, m, m->kernel[k]);
		figures_find(&x, &v, &machine, FIGURES_ALL, m->a);
		findings_find(&all, &v, &x, job->input);
		view_free(&v);
	}
	if (job->view == VIEW_SARIF)
		return emit_sarif(f, &all, &sarif) ||
		       diag_error_plain(cx->diag, job->output, "the SARIF could not be written");
	emit_remarks(f, &all);
	return true;
}

/* Whether what register files of papers would do with k is shown. */
static bool models(const struct annotate_job *job, const struct kernel *k) { return job->techniques || !k->native; }

/* Writes the view to f; the object is written by its own module. */
static bool write_view(FILE *f, const struct annotate_job *job, const struct module *m, const struct source *src,
		       const struct cubin *c, struct pass_ctx *cx)
{
	void *bytes;
	size_t n;

	switch (job->view) {
	case VIEW_CUBIN:
		if (!annotated_write(m, c, src, m->a, &bytes, &n, cx->diag))
			return false;
		fwrite(bytes, 1, n, f);
		return true;
	case VIEW_OBJ:
		if (!rlo_encode(m, m->a, &bytes, &n, cx->diag))
			return false;
		fwrite(bytes, 1, n, f); /* a short write is found by the commit */
		return true;
	case VIEW_PTX:
		return write_ptx(f, job, src, m, cx);
	case VIEW_LISTING:
		for (uint32_t k = 0; k < m->nkernel; k++)
			emit_listing(f, m, m->kernel[k], job->orf, models(job, m->kernel[k]));
		return true;
	case VIEW_JSON:
		return emit_json(f, m, &cx->opt.regmutex, cx->opt.launch) ||
		       diag_error_plain(cx->diag, job->output, "the JSON could not be written");
	case VIEW_DOT:
		for (uint32_t k = 0; k < m->nkernel; k++)
			if (job->graph == DRAW_AFFINITY)
				emit_dot_affinity(f, m->kernel[k]);
			else if (job->graph == DRAW_ORF)
				emit_dot_orf(f, m->kernel[k], job->orf);
			else
				emit_dot(f, m, m->kernel[k], models(job, m->kernel[k]));
		return true;
	case VIEW_OCCUPANCY:
		for (uint32_t k = 0; k < m->nkernel; k++) {
			const struct emit_machine machine = annotate_machine(m->kernel[k], &cx->opt);

			fputs(k ? "\n" : "", f);
			emit_occupancy(f, m->kernel[k], &machine, models(job, m->kernel[k]));
		}
		return true;
	case VIEW_PRESSURE:
		for (uint32_t k = 0; k < m->nkernel; k++) {
			fputs(k ? "\n" : "", f);
			emit_pressure(f, m, m->kernel[k]);
		}
		return true;
	case VIEW_BANKS:
		for (uint32_t k = 0; k < m->nkernel; k++) {
			fputs(k ? "\n" : "", f);
			emit_banks(f, m, m->kernel[k]);
		}
		return true;
	case VIEW_SUMMARY:
		for (uint32_t k = 0; k < m->nkernel; k++)
			emit_summary(f, m, m->kernel[k], models(job, m->kernel[k]));
		return true;
	case VIEW_REMARKS:
	case VIEW_SARIF:
		return write_findings(f, job, m, cx);
	case VIEW_DUMP:
	case VIEW_COUNT:
		break;
	}
	return true;
}

static void print_times(FILE *f, const struct pass_ctx *cx)
{
	double total = 0;

	for (unsigned p = 0; p < PASS_COUNT; p++)
		total += cx->seconds[p];
	fprintf(f, "%-10s %8s %12s %7s\n", "pass", "runs", "time [ms]", "share");
	for (unsigned p = 0; p < PASS_COUNT; p++)
		if (cx->runs[p])
			fprintf(f, "%-10s %8u %12.3f %6.1f%%\n", pass_info[p].id, cx->runs[p], cx->seconds[p] * 1e3,
				total > 0 ? cx->seconds[p] / total * 100 : 0.0);
	fprintf(f, "%-10s %8s %12.3f\n", "all", "", total * 1e3);
}

static bool has_facts(const struct launch_facts *l) { return l && (l->block[0] || l->grid[0] || l->nparam); }

/* What is said of a launch or a machine, for an object: only occupancy follows from it now, and only from the CTA. */
static bool too_late(const struct annotate_job *job)
{
	const struct launch_facts *l = job->pass.launch;

	if (job->accept || job->view == VIEW_OCCUPANCY || job->view == VIEW_REMARKS || job->view == VIEW_SARIF)
		return l && (l->grid[0] || l->nparam);
	return job->machine_given || job->launch || has_facts(l);
}

/* Of which kernels the profile was not used or, where facts about a launch were given too, those were not. */
static void note_profiles(const struct annotate_job *job, const struct module *m, const struct launch_facts *l, FILE *f)
{
	for (uint32_t k = 0; k < m->nkernel; k++) {
		const struct kernel *x = m->kernel[k];
		const char *name = text_shown(m->a, x->name, strlen(x->name), "");

		if (!(x->facts & FACT_FREQ))
			continue;
		if (x->freq->source == FREQ_NO_PROFILE)
			fprintf(f, "%s: note: kernel %s is not in it; its block weights are estimated\n", job->profile,
				name);
		else if (has_facts(launch_facts_of(l, x)))
			fprintf(f,
				"%s: note: kernel %s is in it; what was said of a launch weighs none of its blocks\n",
				job->profile, name);
	}
}

/* The kernels of a cubin as its machine code has them, and as its annotations say, if there are any. */
static struct module *load_cubin(const struct annotate_job *job, const struct source *src, struct cubin **cubin,
				 struct arena *a, struct diag *d)
{
	const char *why =
		"its registers are allocated and its instructions are in order; --maxreg, --inline, --no-fold and "
		"--schedule come too late";
	struct cubin *c;
	struct module *m;

	if (job->view == VIEW_PTX)
		why = "it holds no PTX text";
	else if (job->view == VIEW_OBJ)
		why = "no object for sm-model is made of it; --emit=listing, json, summary and other views show it";
	if (job->code_options || job->view == VIEW_PTX || job->view == VIEW_OBJ) {
		diag_error_plain(d, src->name, "is machine code: %s", why);
		return NULL;
	}
	c = *cubin = cubin_read(src, a, d);
	m = c ? sass_lift(c, a, d) : NULL;
	if (!m || (job->kernel && !keep_kernel(m, job->kernel, src->name, d)))
		return NULL;
	if (job->fresh || !annotated_has(c))
		return m;
	if (job->view == VIEW_DUMP || job->compile_options || job->profile || too_late(job)) {
		diag_error_plain(d, src->name,
				 "is annotated, its hints are chosen: options of the passes, facts about a launch and "
				 "profiles come too late; --fresh "
				 "analyses its code anew");
		return NULL;
	}
	return annotated_read(m, c, d) ? m : NULL;
}

/* Reads the input and what is known of its launch; m->kernel are as parsed or decoded, or of an object. also: other
 * code in the file, or NULL. NULL with diagnostics. */
static struct module *load(const struct annotate_job *job, const struct source *src, enum annotate_input kind,
			   const char *also, struct cubin **cubin, struct arena *a, struct pass_ctx *cx)
{
	struct diag *d = cx->diag;
	struct module *m;
	const bool object = kind == INPUT_OBJECT;

	if (kind != INPUT_CUBIN && (job->fresh || job->view == VIEW_CUBIN)) {
		diag_error_plain(
			d, src->name, "is %s: %s", object ? "an object" : "PTX",
			job->fresh ? "--fresh is for annotated cubins"
				   : "a cubin is not made of it; ptxas makes one of PTX, and that can be annotated");
		return NULL;
	}
	if (job->view == VIEW_BANKS && kind != INPUT_CUBIN) {
		diag_error_plain(
			d, src->name,
			"is no machine code: --emit=banks shows the register banks of NVIDIA's GPUs, for cubins%s%s",
			also ? "; there is " : "", also ? also : "");
		return NULL;
	}
	if (object && (job->view == VIEW_PTX || job->view == VIEW_DUMP || job->compile_options || job->profile ||
		       too_late(job))) {
		diag_error_plain(d, src->name, "is an object: %s",
				 job->view == VIEW_PTX ? "it holds no PTX text"
						       : "its code is compiled and its hints are chosen; options of "
							 "the passes, facts about a launch and profiles come too late");
		return NULL;
	}
	if (object) {
		m = rlo_read_memory(src->text, src->len, src->name, a, d);
		if (!m || (job->kernel && !keep_kernel(m, job->kernel, src->name, d)))
			return NULL;
	} else {
		m = kind == INPUT_CUBIN ? load_cubin(job, src, cubin, a, d) : parse(job, src, a, d);
		if (!m)
			return NULL;
	}
	if (job->pass.launch && !facts_check(job->pass.launch, m, d))
		return NULL;
	if (job->launch) {
		static const struct launch_facts nothing = { .nparam = 0 };

		cx->opt.launch = job->read_launch(job->launch, m, job->kernel,
						  job->pass.launch ? job->pass.launch : &nothing, a, d);
		if (!cx->opt.launch)
			return NULL;
	}
	return job->profile && !(cx->opt.profile = profile_read(job->profile, a, d)) ? NULL : m;
}

bool annotate_is_native(const struct annotate_job *job)
{
	enum annotate_input kind = job->kind;
	const char *also;
	struct source src;
	struct stat st;
	struct arena a;
	struct diag d;
	bool ok;

	arena_init(&a);
	diag_init(&d, NULL);
	/* What is no file can be read once. */
	ok = stat(job->input, &st) == 0 && S_ISREG(st.st_mode) && source_read(&src, job->input, &a, &d);
	if (ok && kind == INPUT_AUTO)
		kind = input_guess(&src);
	if (ok && kind == INPUT_FATBIN && !job->save_ptx && !job->list)
		ok = input_read(&src, &kind, &also, job, &a, &d);
	diag_free(&d);
	arena_free(&a);
	return ok && kind == INPUT_CUBIN;
}

static bool run(const struct annotate_job *given, struct arena *a, struct pass_ctx *cx)
{
	struct annotate_job own = *given;
	const struct annotate_job *job = &own;
	struct diag *d = cx->diag;
	struct cubin *cubin = NULL;
	struct source src;
	struct outfile out = { .f = NULL };
	struct module *m;
	enum annotate_input kind;
	const char *also;

	if (!input_read(&src, &kind, &also, job, a, d))
		return false;
	if (job->list)
		return true;
	if (kind == INPUT_CUBIN && own.view == VIEW_OBJ && !own.view_given)
		own.view = VIEW_CUBIN;
	m = load(job, &src, kind, also, &cubin, a, cx);
	if (m) {
		m->also = also;
		m->sources = job->sources;
	}
	if (m && kind == INPUT_CUBIN && !job->machine_given)
		occupancy_sm(m->sm, &cx->opt.regmutex.sm); /* code for one GPU is judged by that GPU */
	if (!m || (job->output && !outfile_open(&out, job->output, a, d)))
		return false;
	if (job->view == VIEW_DUMP) {
		cx->dump = out.f;
		cx->dump_id = job->dump;
	}
	if (!compile(m, kind == INPUT_OBJECT, wanted(job, kind == INPUT_CUBIN, cx), cx) ||
	    (job->accept && !job->accept(m, cx, job->accept_ctx)) ||
	    (job->output && !write_view(out.f, job, m, &src, cubin, cx))) {
		outfile_discard(&out);
		return false;
	}
	if (job->output && !outfile_commit(&out))
		return false;
	if (job->profile && d->out)
		note_profiles(job, m, cx->opt.launch, d->out);
	for (uint32_t k = 0; job->summary && k < m->nkernel; k++)
		emit_summary(job->summary, m, m->kernel[k], models(job, m->kernel[k]));
	if (job->times)
		print_times(job->times, cx);
	return true;
}

bool annotate_run(const struct annotate_job *job, struct diag *d)
{
	struct pass_ctx cx;
	struct arena a;
	bool ok;

	arena_init(&a);
	pass_ctx_init(&cx, d);
	cx.opt = job->pass;
	ok = run(job, &a, &cx);
	pass_ctx_free(&cx);
	arena_free(&a);
	return ok;
}
