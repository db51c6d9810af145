/* ptx-annotate --check and --diff: kernels beside limits, and beside those of another version. */
#include "analyzer/base/outfile.h"
#include "analyzer/cli/job.h"
#include "analyzer/lib/diff.h"
#include "analyzer/lib/gate.h"

#include <string.h>

/* alone: there is one input; report: findings are written */
struct checking {
	struct limits *limits;
	struct gate gate;
	struct findings found;
	struct diag *d;
	const char *input;
	uint32_t figures;
	bool alone, report;
};
struct collecting {
	struct figures_list list;
	uint32_t cap;
	struct arena *a;
};

/* ---- --check ---- */
static bool check_module(const struct module *m, const struct pass_ctx *cx, void *ctx)
{
	struct checking *c = ctx;
	bool ok = true;

	for (uint32_t k = 0; ok && k < m->nkernel; k++) {
		const struct emit_machine machine = annotate_machine(m->kernel[k], &cx->opt);
		struct kernel_figures *x = new(c->gate.a, struct kernel_figures);
		struct view v;

		view_init(&v, m, m->kernel[k]);
		figures_find(x, &v, &machine, c->figures, c->gate.a);
		ok = gate_add(&c->gate, c->limits, x, c->input, c->d);
		if (c->report)
			findings_find(&c->found, &v, x, c->input);
		x->occupancy.kernel = NULL; /* the module goes, the figures stay */
		view_free(&v);
	}
	return ok && (!c->alone || gate_complete(&c->gate, c->limits, c->d)) && gate_holds(&c->gate);
}

static int read_limits(const struct options *x, struct limits *l, struct arena *a, struct diag *d)
{
	const char *wrong;

	if (x->given[OPT_CHECK_FILE] && !limits_read(l, x->value[OPT_CHECK_FILE], a, d))
		return EXIT_INPUT;
	for (uint32_t i = 0; i < x->given[OPT_CHECK]; i++) {
		wrong = limits_add(l, x->list[OPT_CHECK][i], a);
		if (wrong)
			return usage("%s", arena_printf(a, "--check: %s", wrong));
	}
	return l->n ? EXIT_FINE : usage("--check-file %s holds no limit", x->value[OPT_CHECK_FILE]);
}

static int options_fit(const struct options *x, const struct annotate_job *job, struct arena *a)
{
	bool report = job->view == VIEW_SARIF;

	if (x->given[OPT_LIST] || x->given[OPT_DUMP])
		return usage("--%s does not go with --check", x->given[OPT_LIST] ? "list" : "dump");
	if (x->ninput > 1 && (job->save_ptx || (job->output && !report)))
		return usage("%s", "with several inputs --check writes nothing but --emit=sarif");
	if (x->given[OPT_EMIT] && !report && !job->output)
		return usage("--emit=%s with --check needs -o FILE", x->value[OPT_EMIT]);
	if (job->list_json && ((report && !job->output) || (job->output && strcmp(job->output, "-") == 0)))
		return usage("%s", "both --json and what is written go to standard output; use -o FILE");
	if (job->output && ((job->profile && same_file(job->profile, job->output)) ||
			    (job->launch && same_file(job->launch, job->output))))
		return usage("%s is an input and would be overwritten", job->output);
	for (uint32_t i = 0; i < x->ninput; i++) {
		if ((job->output && same_file(x->input[i], job->output)) ||
		    (job->save_ptx && same_file(x->input[i], job->save_ptx)))
			return usage("%s is an input and would be overwritten", x->input[i]);
		for (uint32_t j = 0; j < i; j++)
			if (strcmp(x->input[i], "-") == 0 && strcmp(x->input[j], "-") == 0)
				return usage("%s", "standard input is named twice");
	}
	return object_named(x, job, a);
}

/* Reports are written when all inputs were read; the object of one that keeps its limits was written before. */
static int write_checks(const struct options *x, const struct annotate_job *job, const char *output, struct checking *c)
{
	int code = gate_holds(&c->gate) ? EXIT_FINE : EXIT_INPUT;
	const struct sarif_run run = { x->input, x->ninput, code };
	struct outfile out;
	bool ok;

	if (job->view == VIEW_SARIF) {
		gate_findings(&c->gate, &c->found);
		if (!outfile_open(&out, output ? output : "-", c->gate.a, c->d))
			return EXIT_INPUT;
		if (!emit_sarif(out.f, &c->found, &run)) {
			outfile_discard(&out);
			diag_error_plain(c->d, output, "the SARIF could not be written");
			return EXIT_INPUT;
		}
		if (!outfile_commit(&out))
			return EXIT_INPUT;
	}
	if (job->list_json)
		ok = gate_write_json(stdout, &c->gate);
	else if (x->given[OPT_QUIET] || (job->view == VIEW_SARIF && !output) || (output && strcmp(output, "-") == 0))
		ok = true;
	else
		ok = (gate_write(stdout, &c->gate), true);
	if (!ok || fflush(stdout) != 0 || ferror(stdout)) {
		diag_error_plain(c->d, NULL, "cannot write to standard output");
		return EXIT_INPUT;
	}
	return code;
}

static int check_known(const struct options *x, struct known *known, struct diag *d)
{
	struct limits limits = { .n = 0 };
	struct checking c = {
		.limits = &limits, .gate.a = &known->a, .found.a = &known->a, .d = d, .alone = x->ninput == 1
	};
	struct annotate_job job;
	const char *output;
	int code = make_job(x, &job, known);

	if (code == EXIT_FINE)
		code = options_fit(x, &job, &known->a);
	if (code == EXIT_FINE)
		code = read_limits(x, &limits, &known->a, d);
	if (code != EXIT_FINE)
		return code;
	output = job.output;
	if (job.view == VIEW_SARIF)
		job.output = NULL;
	c.report = job.view == VIEW_SARIF;
	for (enum figure f = 0; f < FIGURE_COUNT; f++)
		c.figures |= c.report || limits_want(&limits, f) ? 1u << f : 0;
	job.accept = check_module;
	job.accept_facts = c.report ? FACT_ALL : figures_facts(c.figures);
	job.accept_ctx = &c;
	for (uint32_t i = 0; i < x->ninput; i++) {
		job.input = c.input = x->input[i];
		if (!annotate_run(&job, d) && diag_failed(d))
			return EXIT_INPUT;
	}
	if (!c.alone && !gate_complete(&c.gate, &limits, d))
		return EXIT_INPUT;
	return write_checks(x, &job, output, &c);
}

/* ---- --diff ---- */
static bool collect(const struct module *m, const struct pass_ctx *cx, void *ctx)
{
	struct collecting *c = ctx;

	for (uint32_t k = 0; k < m->nkernel; k++) {
		const struct emit_machine machine = annotate_machine(m->kernel[k], &cx->opt);
		struct view v;

		arena_grow(c->a, c->list.of, c->list.n, c->cap);
		view_init(&v, m, m->kernel[k]);
		figures_find(&c->list.of[c->list.n++], &v, &machine, FIGURES_ALL, c->a);
		view_free(&v);
	}
	return true;
}

static int write_diff(const struct options *x, const struct annotate_job *job, const char *output,
		      const struct diff *found, struct arena *a, struct diag *d)
{
	struct outfile out;
	bool ok = true;

	if (!x->given[OPT_QUIET] || output || job->list_json) {
		if (!outfile_open(&out, output ? output : "-", a, d))
			return EXIT_INPUT;
		if (job->list_json)
			ok = diff_write_json(out.f, found);
		else
			diff_write(out.f, found, x->given[OPT_ALL]);
		if (!ok) {
			outfile_discard(&out);
			diag_error_plain(d, output, "the JSON could not be written");
			return EXIT_INPUT;
		}
		if (!outfile_commit(&out))
			return EXIT_INPUT;
	}
	if (found->counts && !diff_common(found)) {
		diag_error_plain(d, NULL, "%s and %s have no kernel in common", found->old_path, found->new_path);
		return EXIT_INPUT;
	}
	return diff_worse(found) ? EXIT_INPUT : EXIT_FINE;
}

static int diff_known(const struct options *x, struct known *known, struct diag *d)
{
	uint32_t counts = diff_watched();
	struct collecting side[2] = { { .a = &known->a }, { .a = &known->a } };
	struct annotate_job job;
	const char *output, *wrong;
	struct diff found;
	int code;

	if (x->ninput != 2)
		return usage("%s", "--diff compares two inputs: --diff OLD NEW");
	if (x->given[OPT_EMIT] || x->given[OPT_DUMP] || x->given[OPT_LIST] || x->given[OPT_SAVE_PTX] ||
	    x->given[OPT_CHECK] || x->given[OPT_CHECK_FILE])
		return usage("%s", "--diff does not go with --check, --emit, --dump, --list or --save-ptx");
	if (strcmp(x->input[0], "-") == 0 && strcmp(x->input[1], "-") == 0)
		return usage("%s", "standard input is named twice");
	code = make_job(x, &job, known);
	if (code != EXIT_FINE)
		return code;
	wrong = x->given[OPT_DIFF_FAIL] ? diff_counts(x->value[OPT_DIFF_FAIL], &counts, &known->a) : NULL;
	if (wrong)
		return usage("%s", arena_printf(&known->a, "--diff-fail: %s", wrong));
	output = job.output;
	job.output = NULL;
	job.accept = collect;
	job.accept_facts = figures_facts(FIGURES_ALL);
	for (unsigned i = 0; i < 2; i++) {
		if (output && same_file(x->input[i], output))
			return usage("%s is an input and would be overwritten", x->input[i]);
		job.input = x->input[i];
		job.accept_ctx = &side[i];
		if (!annotate_run(&job, d))
			return EXIT_INPUT;
	}
	found = (struct diff){ .old_path = x->input[0], .new_path = x->input[1], .models = job.techniques };
	diff_find(&found, &side[0].list, &side[1].list, counts, &known->a);
	return write_diff(x, &job, output, &found, &known->a, d);
}

static int with_known(const struct options *x, int (*run)(const struct options *, struct known *, struct diag *))
{
	struct known known = { .launch = { .nparam = 0 } };
	struct diag d;
	int code;

	arena_init(&known.a);
	diag_init(&d, stderr);
	d.program = "ptx-annotate";
	code = run(x, &known, &d);
	diag_free(&d);
	arena_free(&known.a);
	return code;
}

int check(const struct options *x) { return with_known(x, check_known); }
int diff(const struct options *x) { return with_known(x, diff_known); }
