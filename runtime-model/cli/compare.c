/* sm-model compare: times several configurations over one execution and shows them side by side. */
#include "runtime-model/cli/command.h"
#include "analyzer/elf/rlo.h"
#include "runtime-model/cli/compare.h"
#include "runtime-model/cli/follow.h"
#include "runtime-model/core/energy.h"
#include "runtime-model/html/detail.h"

#include <string.h>

bool compare_configure(const struct options *args, struct config_list *l, unsigned least, struct arena *a,
		       struct diag *d)
{
	bool ok = true;

	l->machine = given(args, OPT_MACHINE) ? value_of(args, OPT_MACHINE) : "gtx480";
	l->set = args->list[OPT_SET];
	l->nset = args->given[OPT_SET];
	for (unsigned i = 0; i < args->given[OPT_RF_LIST] && ok; i++)
		ok = config_list_add_presets(l, args->list[OPT_RF_LIST][i], a, d);
	for (unsigned i = 0; i < args->given[OPT_CONFIGURATION] && ok; i++)
		ok = config_list_add(l, args->list[OPT_CONFIGURATION][i], a, d);
	if (ok && !l->n && !given(args, OPT_SWEEP) && least == 1)
		ok = config_list_add(l, "baseline", a, d);
	for (unsigned i = 0; i < args->given[OPT_SWEEP] && ok; i++)
		ok = config_list_sweep(l, args->list[OPT_SWEEP][i], a, d);
	if (ok && l->n < least)
		ok = diag_error_plain(d, NULL,
				      "%s; give configurations by --rf, --config or --sweep: sm-model compare --help",
				      l->n ? "one configuration has nothing beside it" : "which configurations?");
	return ok;
}

/* One note for all configurations that the same is to be said of. */
struct notes {
	const char *first;
	unsigned more;
};

static void collect(struct notes *n, const char *configuration, const char *text, struct arena *a)
{
	n->more += text && n->first;
	if (text && !n->first)
		n->first = arena_printf(a, "configuration %s: %s", configuration, text);
}

static void say(const struct notes *n, struct arena *a)
{
	if (n->first)
		note(n->more ? arena_printf(a, "%s; so with %u more", n->first, n->more) : n->first);
}

void compare_note_idle(const struct config_list *l, struct arena *a)
{
	struct notes idle = { NULL, 0 };

	for (unsigned i = 0; i < l->n; i++)
		collect(&idle, l->config[i].name, config_list_idle(l, i, a), a);
	say(&idle, a);
}

void compare_note_run(const struct run *r, struct arena *a)
{
	struct notes energy = { NULL, 0 }, remark = { NULL, 0 }, race[RACE_KINDS] = { 0 };

	for (unsigned i = 0; i < r->opt.nconfig; i++) {
		if (r->timing[i].failed)
			continue;
		collect(&energy, r->opt.config[i].name, energy_missing(&r->timing[i].stats, r->opt.config[i].params, a),
			a);
		collect(&remark, r->opt.config[i].name, run_remark(r, i, a), a);
		for (unsigned kind = 0; kind < RACE_KINDS; kind++) {
			const struct race *first = races_first(&r->timing[i].races, (enum race_kind)kind);

			collect(&race[kind], r->opt.config[i].name, first ? race_text(first, a) : NULL, a);
		}
	}
	say(&energy, a);
	say(&remark, a);
	for (unsigned kind = 0; kind < RACE_KINDS; kind++)
		say(&race[kind], a);
}

static bool is_stdout(const struct options *args, enum option_id id)
{
	return given(args, id) && strcmp(value_of(args, id), "-") == 0;
}

static bool write_file(const struct options *args, enum option_id id, struct arena *a, struct diag *d)
{
	return !given(args, id) || can_write(value_of(args, id), a, d);
}

static int compare_object(const struct options *args, const struct config_list *l, struct arena *a, struct diag *d)
{
	struct run_options o = { .config = l->config,
				 .nconfig = l->n,
				 .have_anno = ANNO_ALL,
				 .checked = given(args, OPT_CHECKED),
				 .controls = given(args, OPT_CONTROLS),
				 .threads = (unsigned)args->number[OPT_THREADS],
				 .perturb = (unsigned)args->number[OPT_PERTURB] };
	FILE *report = is_stdout(args, OPT_JSON) || is_stdout(args, OPT_CSV) ? stderr : stdout;
	struct launch_file *f = launch_read(value_of(args, OPT_LAUNCH), a, d);
	struct module *m = f ? object_read(args, f, a, d) : NULL;
	struct metric_choice shown, written;
	struct detail *detail = NULL;
	struct run r = { 0 };
	int code = EXIT_INPUT;
	struct follow follow;
	bool ok;

	if (!metric_choice_parse(&shown, value_of(args, OPT_METRICS), a, d))
		return EXIT_USAGE;
	metric_choice_all(&written, a);
	if (given(args, OPT_METRICS))
		written = shown;
	else if (given(args, OPT_ALL))
		shown = written;
	if (!m || !write_file(args, OPT_JSON, a, d) || !write_file(args, OPT_CSV, a, d))
		return EXIT_INPUT;
	o.print = report;
	detail = given(args, OPT_DETAIL) ? detail_new(&o, NULL, a) : NULL;
	follow_begin(&follow, args, &o);
	ok = run_share_native(m, f, &o, a, d) && run_launches(&r, m, f, &o, a, d);
	follow_end(&follow);
	if (ok && detail && !detail_check(detail, &r, d)) {
		r.bug = true;
		ok = false;
	}
	if (ok) {
		int stopped = follow_verdict(&r, a);

		compare_note_run(&r, a);
		if (given(args, OPT_QUIET))
			run_print_failures(stderr, &r);
		else
			compare_print(report, &r, &shown, given(args, OPT_PER_KERNEL));
		if (!given(args, OPT_QUIET) && given(args, OPT_ENERGY))
			compare_print_energy(report, &r);
		ok &= !given(args, OPT_JSON) ||
		      run_write_json(detail ? detail_add(detail, &r, m, compare_json(&r), d) : compare_json(&r),
				     value_of(args, OPT_JSON), a, d);
		ok &= !given(args, OPT_CSV) ||
		      compare_write_csv(&r, &written, given(args, OPT_PER_KERNEL), value_of(args, OPT_CSV), a, d);
		code = ok && r.check != CHECK_FAIL && !diag_failed(d) ? stopped : EXIT_INPUT;
	}
	if (detail)
		detail_free(detail);
	run_free(&r);
	return r.bug ? EXIT_INTERNAL : code;
}

/* A table needs two; a file that a script reads may have one. */
static unsigned least_of(const struct options *args)
{
	return given(args, OPT_QUIET) && (given(args, OPT_RF_LIST) || given(args, OPT_CONFIGURATION)) ? 1 : 2;
}

static void help_compare(void)
{
	puts("usage: sm-model compare OBJECT --launch FILE CONFIGURATIONS [options]\n\n"
	     "Executes the kernels of an annotated object or a cubin once and times that execution by several "
	     "configurations at "
	     "the same\n"
	     "time: register files, machines, or both. All see the same instructions, but for those that run the "
	     "variants of\n"
	     "kernels that share registers between warps: these have an execution of their own, whose memory must come "
	     "out the\n"
	     "same. Ratios are to the first configuration: those of --rf stand before those of --config; --sweep "
	     "multiplies them,\n"
	     "and of several each then stands beside the first with the same values. One configuration alone is "
	     "measured with --quiet.\n");
	show_options(COMPARE);
	puts("\nexamples:\n"
	     "  sm-model compare sgemm.rlo --launch examples/sgemm/sgemm.yaml --rf baseline --rf issue=lrr\n"
	     "      two schedulers\n"
	     "  sm-model compare sgemm.rlo --launch examples/sgemm/sgemm.yaml --sweep rf_banks=16,8,4 --sweep "
	     "issue=gto,lrr\n"
	     "      six configurations: register banks and schedulers\n"
	     "  sm-model compare sgemm.rlo --launch examples/sgemm/sgemm.yaml --config baseline --config "
	     "sms=30,name=double --all\n"
	     "      a machine with twice the SMs, every metric\n"
	     "  sm-model compare sgemm.rlo --launch examples/sgemm/sgemm.yaml --sweep collectors_sp=2,4,6 --metrics "
	     "cycles,ipc --csv oc.csv\n"
	     "      two metrics, and a file for a spreadsheet\n"
	     "  sm-model compare sgemm.rlo --launch examples/sgemm/sgemm.yaml --machine hierarchical-rf --rf "
	     "baseline,rfc,orf,split-lrf+orf\n"
	     "      the register-file hierarchy, and what each saves of its dynamic energy; entries of the L1: --set "
	     "rf_l1_entries=N\n"
	     "  sm-model compare sgemm.rlo --launch examples/sgemm/sgemm.yaml --machine g-scalar --rf "
	     "baseline,g-scalar --energy\n"
	     "      where the energy of the GPU goes, and what G-Scalar takes of it\n\n"
	     "Limits and Ctrl-C stop each configuration where it is, as sm-model run --help tells.\n\n"
	     "exit status: as of sm-model run; 1 too if a configuration could not run");
}

/* What does not go together. */
static int check(const struct options *args)
{
	if (given(args, OPT_METRICS) && given(args, OPT_ALL))
		return usage("compare", "%s", "--metrics or --all, not both");
	return options_check(args);
}

static int configure_and_compare(const struct options *args, struct arena *a, struct diag *d)
{
	struct config_list *list = new(a, struct config_list);

	if (!compare_configure(args, list, least_of(args), a, d))
		return list->input ? EXIT_INPUT : EXIT_USAGE;
	compare_note_idle(list, a);
	return compare_object(args, list, a, d);
}

int command_compare(int argc, char **argv)
{
	const struct command c = { "compare", COMPARE, help_compare, check, configure_and_compare };

	return options_execute(&c, argc, argv);
}
