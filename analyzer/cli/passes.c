/* Options of the passes: hints for packing, upper levels of the register file, registers that warps share. */
#include "analyzer/cli/job.h"
#include "passes/corf.h"

#include <stdlib.h>
#include <string.h>

/* Seconds, if they are given and not left out. False: it is no such number. */
static bool seconds(const struct options *x, enum option o, double *out)
{
	const char *text = x->value[o];
	char *end;

	if (!text)
		return true;
	*out = strtod(text, &end);
	return end != text && !*end && *out > 0 && *out <= ORF_SECONDS_MAX;
}

/* Options that say how registers are paired and aligned, and what is drawn of it. */
static int make_hints(const struct options *x, struct annotate_job *job)
{
	if (!takes(x, OPT_PAIRS, &job->pass.pairs) || !takes(x, OPT_ALIGN, &job->pass.sides))
		return EXIT_USAGE;
	if (!seconds(x, OPT_ALIGN_TIME, &job->pass.sides_seconds))
		return usage("--align-time=%s is not a number of seconds, up to 86400", x->value[OPT_ALIGN_TIME]);
	if (x->given[OPT_ALIGN_TIME] && job->pass.sides != SIDES_EXACT)
		return usage("%s", "--align-time goes with --align=exact only");
	if (!takes(x, OPT_GRAPH, &job->graph))
		return EXIT_USAGE;
	if (x->given[OPT_GRAPH] && job->view != VIEW_DOT)
		return usage("%s", "--graph goes with --emit=dot only");
	return EXIT_FINE;
}

/* Options that say how operands get places in upper levels of the register file, and whose are shown. */
static int make_orf(const struct options *x, struct annotate_job *job)
{
	static const char *const brief[ORG_COUNT] = { [ORG_ORF] = "orf", [ORG_LRF] = "lrf", [ORG_SPLIT] = "split" };
	struct orf_options *o = &job->pass.orf;

	if (x->given[OPT_ORF]) {
		unsigned org = name_find(brief, ORG_COUNT, x->value[OPT_ORF]);

		if (org == ORG_COUNT && !takes(x, OPT_ORF, &org))
			return EXIT_USAGE;
		job->orf = org;
		if (job->view != VIEW_LISTING && !(job->view == VIEW_DOT && job->graph == DRAW_ORF))
			return usage("%s", "--orf goes with --emit=listing, and with --emit=dot --graph=orf, only");
	}
	if (!takes(x, OPT_ORF_ENTRIES, &o->entries) || !takes(x, OPT_ORF_WARPS, &o->warps) ||
	    !takes(x, OPT_ORF_COST_ENTRIES, &o->cost_entries) || !takes(x, OPT_ORF_WRITES, &o->writes) ||
	    !takes(x, OPT_ORF_RANGES, &o->ranges) || !takes(x, OPT_ORF_WEIGHTS, &o->weights))
		return EXIT_USAGE;
	if (!seconds(x, OPT_ORF_EXACT, &o->exact_seconds))
		return usage("--orf-exact=%s is not a number of seconds, up to 86400", x->value[OPT_ORF_EXACT]);
	o->exact = x->given[OPT_ORF_EXACT];
	o->partial = !x->given[OPT_NO_ORF_PARTIAL];
	o->read_operands = !x->given[OPT_NO_ORF_READ_OPERANDS];
	o->forward_branches = !x->given[OPT_NO_ORF_BRANCHES];
	o->never_flush = x->given[OPT_ORF_NEVER_FLUSH];
	o->past_barriers = x->given[OPT_ORF_PAST_BARRIERS];
	if (o->never_flush && o->past_barriers)
		return usage("%s", "--orf-past-barriers says no more than --orf-never-flush");
	for (unsigned n = OPT_ORF_ENTRIES; n <= OPT_ORF_EXACT; n++)
		job->compile_options |= x->given[n];
	return EXIT_FINE;
}

/* Says which of the parameters change nothing here. */
static void note_parameters(const struct options *x)
{
	static const char *const read[] = { "rf_registers=", "reg_round=", "shared_bytes=", "threads_per_sm=",
					    "ctas_per_sm=" };

	for (uint32_t s = 0; s < x->given[OPT_SET]; s++) {
		unsigned i = 0;

		while (i < sizeof read / sizeof *read && strncmp(x->list[OPT_SET][s], read[i], strlen(read[i])) != 0)
			i++;
		if (i == sizeof read / sizeof *read && !x->given[OPT_QUIET])
			fprintf(stderr,
				"ptx-annotate: note: --set %s changes nothing here: occupancy follows from "
				"rf_registers, reg_round, shared_bytes, "
				"threads_per_sm and ctas_per_sm alone\n",
				x->list[OPT_SET][s]);
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
static int make_regmutex(const struct options *x, struct annotate_job *job, struct known *known)
{
	struct regmutex_options *o = &job->pass.regmutex;
	const char *machine = x->value[OPT_MACHINE];
	struct diag d;
	bool ok, real;

	diag_init(&d, stderr);
	d.program = "ptx-annotate";
	real = machine && occupancy_sm_named(machine, &o->sm);
	if (machine && !real && !machine_known(machine)) {
		diag_free(&d);
		return unknown_machine(machine, &known->a);
	}
	if (real && x->given[OPT_SET]) {
		diag_free(&d);
		return usage("--set changes a parameter of a modelled machine; %s is a real one", machine);
	}
	ok = params_machine(&known->params, machine && !real ? machine : params_machine_name(0), &d);
	for (uint32_t s = 0; ok && s < x->given[OPT_SET]; s++)
		ok = params_set(&known->params, x->list[OPT_SET][s], &d);
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
	if (!takes(x, OPT_REGMUTEX_PLACE, &o->place) || !takes(x, OPT_REGMUTEX_LIVENESS, &o->liveness))
		return EXIT_USAGE;
	if (x->given[OPT_REGMUTEX_EXACT])
		o->exact_seconds = REGMUTEX_SECONDS;
	if (!seconds(x, OPT_REGMUTEX_EXACT, &o->exact_seconds))
		return usage("--regmutex-exact=%s is not a number of seconds, up to 86400",
			     x->value[OPT_REGMUTEX_EXACT]);
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

int make_passes(const struct options *x, struct annotate_job *job, struct known *known)
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
