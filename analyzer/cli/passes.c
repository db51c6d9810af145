/* Options of the passes, what is shown of what they find, and the machine that they know. */
#include "analyzer/cli/job.h"
#include "passes/options.h"
#include "runtime-model/core/machine_file.h"

#include <string.h>

enum { FIRST = OPT_MAXREG }; /* of the rows of passes/options.def */

/* What is drawn, and whose places are shown. */
static int make_shown(const struct options *x, struct annotate_job *job)
{
	static const char *const brief[ORG_COUNT] = { [ORG_ORF] = "orf", [ORG_LRF] = "lrf", [ORG_SPLIT] = "split" };
	unsigned org;

	if (!takes(x, OPT_GRAPH, &job->graph))
		return EXIT_USAGE;
	if (x->given[OPT_GRAPH] && job->view != VIEW_DOT)
		return usage("%s", "--graph goes with --emit=dot only");
	if (!x->given[OPT_ORF])
		return EXIT_FINE;
	org = name_find(brief, ORG_COUNT, x->value[OPT_ORF]);
	if (org == ORG_COUNT && !takes(x, OPT_ORF, &org))
		return EXIT_USAGE;
	job->orf = org;
	if (job->view != VIEW_LISTING && !(job->view == VIEW_DOT && job->graph == DRAW_ORF))
		return usage("%s", "--orf goes with --emit=listing, and with --emit=dot --graph=orf, only");
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

/* The machine for which registers are shared. */
static int make_machine(const struct options *x, struct annotate_job *job, struct known *known)
{
	struct regmutex_options *o = &job->pass.regmutex;
	const char *machine = x->value[OPT_MACHINE];
	struct diag d;
	bool ok, real;

	diag_init(&d, stderr);
	d.program = "ptx-annotate";
	real = machine && occupancy_sm_named(machine, &o->sm);
	if (machine && !real && !params_machine_known(machine) && !machine_is_file(machine)) {
		diag_free(&d);
		return unknown_machine(machine, &known->a);
	}
	if (real && x->given[OPT_SET]) {
		diag_free(&d);
		return usage("--set changes a parameter of a modelled machine; %s is a real one", machine);
	}
	machine = machine && !real ? machine : params_machine_name(0);
	ok = machine_read(&known->params, machine, &known->a, &d);
	if (!ok) {
		diag_free(&d);
		return machine_is_file(machine) ? EXIT_INPUT : EXIT_USAGE;
	}
	for (uint32_t s = 0; ok && s < x->given[OPT_SET]; s++)
		ok = params_set(&known->params, x->list[OPT_SET][s], &d);
	diag_free(&d);
	if (!ok)
		return EXIT_USAGE;
	note_parameters(x);
	if (!real)
		o->sm = params_limits(&known->params);
	job->machine_given = x->given[OPT_MACHINE] || x->given[OPT_SET];
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
	const char *wrong = pass_options_read(x, FIRST, &job->pass);
	int code = wrong ? usage("%s", wrong) : make_shown(x, job);

	if (code == EXIT_FINE)
		code = make_machine(x, job, known);
	if (x->given[OPT_TECHNIQUES] && !(x->given[OPT_DIFF] || shows_models(job->view)))
		return usage("%s", "--techniques goes with listing, summary, dot and occupancy, and --diff only");
	job->code_options = pass_options_given(x, FIRST, 0, PASS_OPT_CODE_END);
	job->compile_options = pass_options_given(x, FIRST, 0, PASS_OPT_COUNT);
	job->techniques = x->given[OPT_TECHNIQUES] || x->given[OPT_ORF] ||
			  pass_options_given(x, FIRST, PASS_OPT_CODE_END, PASS_OPT_COUNT);
	return code;
}
