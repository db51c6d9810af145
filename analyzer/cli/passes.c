/* Options of the passes: hints for packing, upper levels of the register file, registers that warps share. */
#include "analyzer/cli/job.h"
#include "passes/corf.h"

#include <stdlib.h>
#include <string.h>

/* ---- names that options take ---- */
static const char *pairs_name(unsigned i) { return corf_pairs_name[i]; }
static const char *sides_name(unsigned i) { return corf_sides_name[i]; }
static const char *graph_name(unsigned i) { return annotate_graph_info[i].name; }
static const char *organisation_name(unsigned i) { return orf_organisation_name[i]; }
static const char *writes_name(unsigned i) { return orf_writes_name[i]; }
static const char *ranges_name(unsigned i) { return orf_ranges_name[i]; }
static const char *weights_name(unsigned i) { return orf_weights_name[i]; }
static const char *place_name(unsigned i) { return regmutex_place_name[i]; }
static const char *liveness_name(unsigned i) { return regmutex_liveness_name[i]; }

/* Options that say how registers are paired and aligned, and what is drawn of it. */
static int make_hints(const struct arguments *x, struct annotate_job *job)
{
	char *end;

	if (x->given[OPT_PAIRS]) {
		job->pass.pairs = corf_pairs_find(x->value[OPT_PAIRS]);
		if (job->pass.pairs == PAIRS_COUNT)
			return usage_name("--pairs=%s is not a way to choose pairs", x->value[OPT_PAIRS], pairs_name,
					  PAIRS_COUNT);
	}
	if (x->given[OPT_ALIGN]) {
		job->pass.sides = corf_sides_find(x->value[OPT_ALIGN]);
		if (job->pass.sides == SIDES_COUNT)
			return usage_name("--align=%s is not a way to choose the alignment", x->value[OPT_ALIGN],
					  sides_name, SIDES_COUNT);
	}
	if (x->given[OPT_ALIGN_TIME]) {
		job->pass.sides_seconds = strtod(x->value[OPT_ALIGN_TIME], &end);
		if (end == x->value[OPT_ALIGN_TIME] || *end || !(job->pass.sides_seconds > 0) ||
		    job->pass.sides_seconds > CORF_SECONDS_MAX)
			return usage("--align-time=%s is not a number of seconds, up to 86400",
				     x->value[OPT_ALIGN_TIME]);
		if (job->pass.sides != SIDES_EXACT)
			return usage("%s", "--align-time goes with --align=exact only");
	}
	if (x->given[OPT_GRAPH]) {
		while (job->graph < DRAW_COUNT &&
		       strcmp(annotate_graph_info[job->graph].name, x->value[OPT_GRAPH]) != 0)
			job->graph++;
		if (job->graph == DRAW_COUNT)
			return usage_name("--graph=%s is not a graph", x->value[OPT_GRAPH], graph_name, DRAW_COUNT);
		if (job->view != VIEW_DOT)
			return usage("%s", "--graph goes with --emit=dot only");
	}
	return EXIT_FINE;
}

/* A number of an option, if it is given: from 1 to `most`. */
static bool small_number(const struct arguments *x, enum option o, unsigned most, unsigned *out)
{
	char *end;
	long n;

	if (!x->given[o])
		return true;
	n = strtol(x->value[o], &end, 10);
	if (end == x->value[o] || *end || n < 1 || n > (long)most)
		return false;
	*out = (unsigned)n;
	return true;
}

/* Options that say how operands get places in upper levels of the register file, and whose are shown. */
static int make_orf(const struct arguments *x, struct annotate_job *job)
{
	static const char *const brief[ORG_COUNT] = { [ORG_ORF] = "orf", [ORG_LRF] = "lrf", [ORG_SPLIT] = "split" };
	struct orf_options *o = &job->pass.orf;
	char *end;

	if (x->given[OPT_ORF]) {
		job->orf = ORG_ORF;
		while (job->orf < ORG_COUNT && strcmp(brief[job->orf], x->value[OPT_ORF]) != 0 &&
		       strcmp(orf_organisation_name[job->orf], x->value[OPT_ORF]) != 0)
			job->orf++;
		if (job->orf == ORG_COUNT)
			return usage_name("--orf=%s is not an organisation", x->value[OPT_ORF], organisation_name,
					  ORG_COUNT);
		if (job->view != VIEW_LISTING && !(job->view == VIEW_DOT && job->graph == DRAW_ORF))
			return usage("%s", "--orf goes with --emit=listing, and with --emit=dot --graph=orf, only");
	}
	if (!small_number(x, OPT_ORF_ENTRIES, ORF_ENTRIES_MAX, &o->entries))
		return usage("--orf-entries=%s is not a number from 1 to 8", x->value[OPT_ORF_ENTRIES]);
	if (!small_number(x, OPT_ORF_WARPS, ORF_WARPS_MAX, &o->warps))
		return usage("--orf-warps=%s is not a number from 1 to 64", x->value[OPT_ORF_WARPS]);
	if (!small_number(x, OPT_ORF_COST_ENTRIES, ORF_ENTRIES_MAX, &o->cost_entries))
		return usage("--orf-cost-entries=%s is not a number from 1 to 8", x->value[OPT_ORF_COST_ENTRIES]);
	if (x->given[OPT_ORF_WRITES] && (o->writes = orf_writes_find(x->value[OPT_ORF_WRITES])) == ORF_WRITES_COUNT)
		return usage_name("--orf-writes=%s is not a way to write results", x->value[OPT_ORF_WRITES],
				  writes_name, ORF_WRITES_COUNT);
	if (x->given[OPT_ORF_RANGES] && (o->ranges = orf_ranges_find(x->value[OPT_ORF_RANGES])) == ORF_RANGES_COUNT)
		return usage_name("--orf-ranges=%s says nothing of where a value takes an entry",
				  x->value[OPT_ORF_RANGES], ranges_name, ORF_RANGES_COUNT);
	if (x->given[OPT_ORF_WEIGHTS] &&
	    (o->weights = orf_weights_find(x->value[OPT_ORF_WEIGHTS])) == ORF_WEIGHTS_COUNT)
		return usage_name("--orf-weights=%s is not a way to weigh instructions", x->value[OPT_ORF_WEIGHTS],
				  weights_name, ORF_WEIGHTS_COUNT);
	if (x->given[OPT_ORF_EXACT] && x->value[OPT_ORF_EXACT]) {
		o->exact_seconds = strtod(x->value[OPT_ORF_EXACT], &end);
		if (end == x->value[OPT_ORF_EXACT] || *end || !(o->exact_seconds > 0) ||
		    o->exact_seconds > ORF_SECONDS_MAX)
			return usage("--orf-exact=%s is not a number of seconds, up to 86400", x->value[OPT_ORF_EXACT]);
	}
	o->exact = x->given[OPT_ORF_EXACT];
	o->partial = !x->given[OPT_NO_ORF_PARTIAL];
	o->read_operands = !x->given[OPT_NO_ORF_READ_OPERANDS];
	o->forward_branches = !x->given[OPT_NO_ORF_BRANCHES];
	o->never_flush = x->given[OPT_ORF_NEVER_FLUSH];
	for (unsigned n = OPT_ORF_ENTRIES; n <= OPT_ORF_EXACT; n++)
		job->compile_options |= x->given[n];
	return EXIT_FINE;
}

/* Says which of the parameters change nothing here. */
static void note_parameters(const struct arguments *x)
{
	static const char *const read[] = { "rf_registers=", "reg_round=", "shared_bytes=", "threads_per_sm=",
					    "ctas_per_sm=" };

	for (uint32_t s = 0; s < x->nset; s++) {
		unsigned i = 0;

		while (i < sizeof read / sizeof *read && strncmp(x->set[s], read[i], strlen(read[i])) != 0)
			i++;
		if (i == sizeof read / sizeof *read && !x->given[OPT_QUIET])
			fprintf(stderr,
				"ptx-annotate: note: --set %s changes nothing here: occupancy follows from "
				"rf_registers, reg_round, shared_bytes, "
				"threads_per_sm and ctas_per_sm alone\n",
				x->set[s]);
	}
}

static bool machine_known(const char *name)
{
	unsigned i = 0;

	while (params_machine_name(i) && strcmp(params_machine_name(i), name) != 0)
		i++;
	return params_machine_name(i) != NULL;
}

/* The machines that are modelled and the GPUs whose limits are known. Of numbers none is like another. */
static int unknown_machine(const char *name, struct arena *a)
{
	const char *models = "", *gpus = "";
	char hint[NEAR_HINT];
	struct near near;

	near_begin(&near, name, strlen(name));
	for (unsigned i = 0; params_machine_name(i); i++) {
		models = arena_printf(a, "%s%s%s", models, i ? ", " : "", params_machine_name(i));
		near_offer(&near, params_machine_name(i));
	}
	for (unsigned i = 0; occupancy_sm_name(i); i++)
		gpus = arena_printf(a, "%s%s%s", gpus, i ? ", " : "", occupancy_sm_name(i));
	return usage("%s", arena_printf(a, "no machine is called '%s'; GPUs: %s; modelled: %s%s", name, gpus, models,
					near_hint(&near, hint)));
}

/* Options that say how warps share registers, and on which machine. */
static int make_regmutex(const struct arguments *x, struct annotate_job *job, struct known *known)
{
	struct regmutex_options *o = &job->pass.regmutex;
	const char *machine = x->value[OPT_MACHINE];
	struct diag d;
	bool ok, real;
	char *end;

	diag_init(&d, stderr);
	d.program = "ptx-annotate";
	real = machine && occupancy_sm_named(machine, &o->sm);
	if (machine && !real && !machine_known(machine)) {
		diag_free(&d);
		return unknown_machine(machine, &known->a);
	}
	if (real && x->nset) {
		diag_free(&d);
		return usage("--set changes a parameter of a modelled machine; %s is a real one", machine);
	}
	ok = params_machine(&known->params, machine && !real ? machine : params_machine_name(0), &d);
	for (uint32_t s = 0; ok && s < x->nset; s++)
		ok = params_set(&known->params, x->set[s], &d);
	diag_free(&d);
	if (!ok)
		return EXIT_USAGE;
	note_parameters(x);
	if (!real)
		o->sm = params_limits(&known->params);
	job->machine_given = x->given[OPT_MACHINE] || x->given[OPT_SET];
	if (x->given[OPT_REGMUTEX] && !regmutex_size_parse(x->value[OPT_REGMUTEX], &o->size))
		return usage("--regmutex=%s is not auto, paper, off or a number of registers from 1 to 253",
			     x->value[OPT_REGMUTEX]);
	if (x->given[OPT_REGMUTEX_KERNEL] && o->size <= 0)
		return usage("--regmutex-kernel=%s says which kernel --regmutex=N is for; give N",
			     x->value[OPT_REGMUTEX_KERNEL]);
	o->kernel = x->given[OPT_REGMUTEX_KERNEL] ? x->value[OPT_REGMUTEX_KERNEL] : NULL;
	if (x->given[OPT_REGMUTEX_PLACE]) {
		const char *given = x->value[OPT_REGMUTEX_PLACE];

		o->place = regmutex_place_find(given);
		if (o->place == REGMUTEX_PLACE_COUNT)
			return usage_name("--regmutex-place=%s is no way to place them", given, place_name,
					  REGMUTEX_PLACE_COUNT);
	}
	if (x->given[OPT_REGMUTEX_LIVENESS]) {
		const char *given = x->value[OPT_REGMUTEX_LIVENESS];

		o->liveness = regmutex_liveness_find(given);
		if (o->liveness == REGMUTEX_LIVENESS_COUNT)
			return usage_name("--regmutex-liveness=%s says nothing of which are needed", given,
					  liveness_name, REGMUTEX_LIVENESS_COUNT);
	}
	if (x->given[OPT_REGMUTEX_EXACT]) {
		const char *given = x->value[OPT_REGMUTEX_EXACT];

		o->exact_seconds = given ? strtod(given, &end) : REGMUTEX_SECONDS;
		if (given && (end == given || *end || !(o->exact_seconds > 0) || o->exact_seconds > ORF_SECONDS_MAX))
			return usage("--regmutex-exact=%s is not a number of seconds, up to 86400", given);
	}
	if (x->given[OPT_REGMUTEX_RULES]) {
		o->rules_off = strcmp(x->value[OPT_REGMUTEX_RULES], "off") == 0;
		if (!o->rules_off && strcmp(x->value[OPT_REGMUTEX_RULES], "on") != 0)
			return usage("--regmutex-rules=%s is not on or off", x->value[OPT_REGMUTEX_RULES]);
	}
	for (unsigned n = OPT_REGMUTEX; n <= OPT_REGMUTEX_RULES; n++)
		job->compile_options |= x->given[n];
	return EXIT_FINE;
}

/* Of machine code if asked to; after an object comes a summary. */
static bool shows_models(enum annotate_view v)
{
	return v == VIEW_LISTING || v == VIEW_SUMMARY || v == VIEW_DOT || v == VIEW_OCCUPANCY || v == VIEW_OBJ ||
	       v == VIEW_CUBIN;
}

int make_passes(const struct arguments *x, struct annotate_job *job, struct known *known)
{
	int code = make_hints(x, job);

	if (code == EXIT_FINE)
		code = make_orf(x, job);
	if (code == EXIT_FINE)
		code = make_regmutex(x, job, known);
	if (x->given[OPT_TECHNIQUES] && !(x->given[OPT_DIFF] || shows_models(job->view)))
		return usage("%s", "--techniques goes with listing, summary, dot and occupancy, and --diff only");
	job->techniques = x->given[OPT_TECHNIQUES] || x->given[OPT_ORF] || x->given[OPT_PAIRS] || x->given[OPT_ALIGN];
	for (unsigned n = OPT_ORF_ENTRIES; n <= OPT_REGMUTEX_RULES; n++)
		job->techniques |= x->given[n];
	return code;
}
