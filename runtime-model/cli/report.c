/* sm-model report: a page, or pictures, of results that run and compare wrote, or of runs of its own. */
#include "runtime-model/cli/command.h"
#include "analyzer/elf/rlo.h"
#include "runtime-model/cli/compare.h"
#include "runtime-model/cli/follow.h"
#include "runtime-model/html/detail.h"
#include "runtime-model/html/report.h"

#include <string.h>

/* ---- the short way: results of runs ---- */
/* NULL with *code; else *code is that of the runs. */
static json_t *run_all(const struct options *args, const struct config_list *l, int *code, struct arena *a,
		       struct diag *d)
{
	struct run_options o = { .config = l->config,
				 .nconfig = l->n,
				 .have_anno = ANNO_ALL,
				 .threads = (unsigned)args->number[OPT_THREADS],
				 .perturb = (unsigned)args->number[OPT_PERTURB] };
	struct launch_file *f = launch_read(value_of(args, OPT_LAUNCH), a, d);
	struct module *m = f ? object_read(args, f, a, d) : NULL;
	struct detail *detail;
	struct follow follow;
	struct run r = { 0 };
	json_t *result = NULL;
	bool ok;

	*code = EXIT_INPUT;
	if (!m)
		return NULL;
	o.print = given(args, OPT_OUTPUT) && strcmp(value_of(args, OPT_OUTPUT), "-") == 0 ? stderr : stdout;
	detail = detail_new(&o, NULL, a);
	follow_begin(&follow, args, &o);
	ok = run_share_native(m, f, &o, a, d) && run_launches(&r, m, f, &o, a, d);
	follow_end(&follow);
	if (ok && !detail_check(detail, &r, d)) {
		r.bug = true;
		ok = false;
	}
	if (ok) {
		int stopped = follow_verdict(&r, a);

		compare_note_run(&r, a);
		*code = r.check != CHECK_FAIL && !diag_failed(d) ? stopped : EXIT_INPUT;
		if (r.check == CHECK_FAIL && !diag_failed(d))
			warn("the launches do not leave what is expected; sm-model run says where");
		result = detail_add(detail, &r, m, l->n > 1 ? compare_json(&r) : run_json(&r), d);
	}
	detail_free(detail);
	run_free(&r);
	*code = r.bug ? EXIT_INTERNAL : *code;
	return result;
}

/* ---- the report ---- */
/* A message about a file that lacks what was asked for, and which command adds it. */
static void note_plain(const struct report_file *f, struct arena *a)
{
	if (f->program)
		note(arena_printf(a,
				  "%s is of a CUDA program: no pressure, affinity, banks or energy by component; "
				  "regloom-run --html FILE makes the page with them",
				  f->name));
	else if (!report_detailed(f))
		note(arena_printf(a,
				  "%s was written without --detail: no pressure, affinity, banks or energy by "
				  "component; sm-model run ... --json FILE --detail adds them",
				  f->name));
}

static bool write_all(const struct options *args, const struct report *r, struct arena *a, struct diag *d)
{
	bool quiet =
		given(args, OPT_QUIET) || (given(args, OPT_OUTPUT) && strcmp(value_of(args, OPT_OUTPUT), "-") == 0);
	unsigned pictures = 0;

	if (given(args, OPT_OUTPUT) && !report_write_page(r, value_of(args, OPT_OUTPUT), a, d))
		return false;
	if (given(args, OPT_OUTPUT) && !quiet)
		printf("%s: %s\n", value_of(args, OPT_OUTPUT), r->title);
	if (given(args, OPT_PICTURES) && !pictures_write(r, value_of(args, OPT_PICTURES),
							 picture_formats(value_of(args, OPT_FORMAT)), &pictures, a, d))
		return false;
	if (given(args, OPT_PICTURES) && !quiet)
		printf("%s: %u pictures of %s\n", value_of(args, OPT_PICTURES), pictures, r->title);
	return true;
}

static bool add_runs(struct report *r, const struct options *args, const struct config_list *l, int *code,
		     struct arena *a, struct diag *d)
{
	json_t *result = run_all(args, l, code, a, d);

	if (result)
		report_put(r, strcmp(args->input[0], "-") == 0 ? "standard input" : args->input[0], result, a);
	return result != NULL;
}

static int report(const struct options *args, const struct config_list *l, struct arena *a, struct diag *d)
{
	struct report r = { .n = 0 };
	int code = EXIT_FINE;
	bool ok = true;

	if (given(args, OPT_OUTPUT) && !can_write(value_of(args, OPT_OUTPUT), a, d))
		return EXIT_INPUT;
	for (unsigned i = 0; i < args->ninput && ok; i++) {
		const uint32_t before = r.n;

		ok = l ? add_runs(&r, args, l, &code, a, d) : report_add(&r, args->input[i], a, d);
		if (r.n > before)
			note_plain(&r.file[before], a);
	}
	if (!ok && code == EXIT_FINE)
		code = EXIT_INPUT;
	if (ok) {
		r.title = given(args, OPT_TITLE) ? value_of(args, OPT_TITLE) : report_title(&r, a);
		if (!write_all(args, &r, a, d))
			code = EXIT_INPUT;
	}
	for (unsigned i = 0; i < r.n; i++)
		json_decref(r.file[i].result);
	return code;
}

static void help_report(void)
{
	puts("usage: sm-model report RESULT.json... -o PAGE.html [options]\n"
	     "       sm-model report OBJECT --launch FILE [CONFIGURATIONS] -o PAGE.html [options]\n\n"
	     "Makes one page, which a browser shows without a network, of results that sm-model run and sm-model "
	     "compare wrote with\n"
	     "--json FILE --detail: pressure along the code beside its source, registers read together, strands and "
	     "where operands\n"
	     "are, issue slots, register-file banks, energy, configurations beside each other. Or pictures of the "
	     "same. With an\n"
	     "object and a launch file it runs the configurations first (as sm-model compare does; without any: "
	     "baseline).\n\nresults:");
	show_options(PAGES);
	puts("\nruns:");
	show_options(RUNS);
	puts("\nexamples:\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml --json sgemm.json --detail\n"
	     "  sm-model report sgemm.json -o sgemm.html\n"
	     "      a page of one run\n"
	     "  sm-model report sgemm.rlo --launch examples/sgemm/sgemm.yaml --machine hierarchical-rf --rf "
	     "baseline,rfc,split-lrf+orf -o sgemm.html\n"
	     "      three configurations, in one step\n"
	     "  sm-model report sgemm.json --pictures figures --format svg,txt\n"
	     "      pictures for a paper and a terminal, with their sources for gnuplot and Graphviz beside them\n\n"
	     "exit status: 0 fine; 1 wrong input, a program that draws is missing, or, of runs, as sm-model compare; "
	     "2 wrong usage; 4 out of memory");
}

/* What does not go together. */
static int check_usage(const struct options *args)
{
	static const enum option_id runs[] = { OPT_RF_LIST, OPT_CONFIGURATION, OPT_SWEEP,   OPT_MACHINE, OPT_SET,
					       OPT_MAX,     OPT_MAX_CYCLES,    OPT_THREADS, OPT_PERTURB };

	if (!given(args, OPT_OUTPUT) && !given(args, OPT_PICTURES))
		return usage("report", "%s", "where to? -o FILE for a page, --pictures DIR for pictures");
	if (given(args, OPT_FORMAT) && !given(args, OPT_PICTURES))
		return usage("report", "%s", "--format is of --pictures DIR");
	if (!picture_formats(value_of(args, OPT_FORMAT)))
		return usage("report", "--format=%s is not svg, png, txt or several of them, separated by commas",
			     value_of(args, OPT_FORMAT));
	if (given(args, OPT_LAUNCH) && args->ninput > 1)
		return usage("report", "%s", "one object at a time goes with --launch");
	for (unsigned i = 0; i < sizeof runs / sizeof *runs && !given(args, OPT_LAUNCH); i++)
		if (given(args, runs[i]))
			return usage("report", "%s",
				     "configurations and limits are of an object that is run: give it --launch FILE; "
				     "results have theirs");
	return options_check(args);
}

static int execute(const struct options *args, struct arena *a, struct diag *d)
{
	struct config_list *list = NULL;

	if (given(args, OPT_LAUNCH)) {
		list = new(a, struct config_list);
		if (!compare_configure(args, list, 1, a, d))
			return list->input ? EXIT_INPUT : EXIT_USAGE;
		compare_note_idle(list, a);
	}
	return report(args, list, a, d);
}

int command_report(int argc, char **argv)
{
	const struct command c = { "report", RUNS | PAGES, help_report, check_usage, execute };

	return options_execute(&c, argc, argv);
}
