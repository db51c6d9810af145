/* sm-model run: executes, checks and times the kernels of an object. */
#include "runtime-model/cli/command.h"
#include "analyzer/elf/rlo.h"
#include "runtime-model/cli/follow.h"
#include "runtime-model/core/energy.h"
#include "runtime-model/core/machine_file.h"
#include "runtime-model/engine/sanitizer.h"
#include "runtime-model/html/detail.h"
#include "runtime-model/watch/watch.h"

#include <string.h>

static void show_rate(const struct follow *w, const struct run *r)
{
	double t = follow_seconds(w),
	       n = (double)(run_timed(r) ? r->timing[0].stats.warp_instructions : r->counts.warp_insns);

	fprintf(stderr, "%.2f s of wall time, %.2f M warp instructions/s\n", t, t > 0 ? n / t / 1e6 : 0);
}

/* Bytes of a buffer have no place for a word: of a run that stopped before its end there are none. */
static bool write_dumps(const struct options *args, const struct run *r, struct arena *a, struct diag *d)
{
	if (args->given[OPT_DUMP] && run_stop_why(r)) {
		note("--dump writes nothing, since the run stopped before its end");
		return true;
	}
	for (unsigned i = 0; i < args->given[OPT_DUMP]; i++) {
		const char *eq = strchr(args->list[OPT_DUMP][i], '=');

		if (!launch_dump(r->f, r->dev,
				 arena_strndup(a, args->list[OPT_DUMP][i], (size_t)(eq - args->list[OPT_DUMP][i])),
				 eq + 1, a, d))
			return false;
	}
	return true;
}

/* Before a long run rather than after it. */
static bool check_dumps(const struct options *args, const struct launch_file *f, struct diag *d)
{
	bool ok = true;

	for (unsigned i = 0; i < args->given[OPT_DUMP]; i++) {
		size_t n = strcspn(args->list[OPT_DUMP][i], "=");
		unsigned b = 0;

		while (b < f->nbuffer &&
		       (strlen(f->buffer[b].name) != n || strncmp(f->buffer[b].name, args->list[OPT_DUMP][i], n) != 0))
			b++;
		if (b == f->nbuffer)
			ok = diag_error_plain(d, f->path, "there is no buffer '%.*s' to dump", (int)n,
					      args->list[OPT_DUMP][i]);
	}
	return ok;
}

static bool to_stdout(const struct options *args)
{
	bool yes = (given(args, OPT_JSON) && strcmp(value_of(args, OPT_JSON), "-") == 0) ||
		   (given(args, OPT_SERIES) && strcmp(value_of(args, OPT_SERIES), "-") == 0);

	for (unsigned i = 0; i < args->given[OPT_DUMP]; i++)
		yes |= strcmp(strchr(args->list[OPT_DUMP][i], '=') + 1, "-") == 0;
	yes |= given(args, OPT_PROFILE) && strcmp(value_of(args, OPT_PROFILE), "-") == 0;
	yes |= given(args, OPT_TRACE) && strcmp(value_of(args, OPT_TRACE), "-") == 0;
	yes |= given(args, OPT_RECORDS) && strcmp(value_of(args, OPT_RECORDS), "-") == 0;
	yes |= given(args, OPT_PIPEVIEW) && strcmp(value_of(args, OPT_PIPEVIEW), "-") == 0;
	return yes;
}

static void note_races(const struct races *x, struct arena *a)
{
	static void (*const say[RACE_KINDS])(const char *text) = { [RACE_DATA] = warn, [RACE_ORDER] = note };

	for (unsigned kind = 0; kind < RACE_KINDS; kind++) {
		const char *more = races_more(x, (enum race_kind)kind, a);

		for (unsigned i = 0, shown = 0; i < x->n && shown < RACES_SHOWN; i++)
			if (x->race[i].kind == kind) {
				say[kind](race_text(&x->race[i], a));
				shown++;
			}
		if (more)
			say[kind](more);
	}
}

static void say_finding(void *none, const struct finding *f)
{
	(void)none;
	fprintf(stderr, "%s: warning: %s: %s\n", *f->at.source ? f->at.source : "sm-model", f->what, f->at.text);
}

/* Behind the run: what --oob and --check have found. The exit code. */
static int judge_findings(const struct options *args, const struct sanitizer *s, int code, struct arena *a)
{
	if (!s)
		return code;
	note(sanitizer_totals(s, a));
	return sanitizer_findings(s) && given(args, OPT_ERROR_EXIT) ? (int)args->number[OPT_ERROR_EXIT] : code;
}

static bool write_json(const struct options *args, const struct run *r, struct module *m, const struct watch *w,
		       const struct detail *detail, struct arena *a, struct diag *d)
{
	json_t *o = watched_json(w, run_timed(r) ? r->opt.config[0].params : NULL, r->m, run_json(r));

	return run_write_json(detail ? detail_add(detail, r, m, o, d) : o, value_of(args, OPT_JSON), a, d);
}

/* kinds: of findings, bits. */
static int run_object(const struct options *args, const struct run_options *base, const struct watch_request *q,
		      unsigned kinds, struct arena *a, struct diag *d)
{
	struct run_options o = *base;
	struct launch_file *f = launch_read(value_of(args, OPT_LAUNCH), a, d);
	struct module *m = f ? object_read(args, f, a, d) : NULL;
	struct watch watch = { .q = q };
	struct follow follow;
	struct detail *detail = NULL;
	struct run r = { 0 };
	int code = EXIT_INPUT;
	bool ok;

	if (!m || !check_dumps(args, f, d) || (given(args, OPT_JSON) && !can_write(value_of(args, OPT_JSON), a, d)) ||
	    (given(args, OPT_SERIES) && !can_write(value_of(args, OPT_SERIES), a, d)) ||
	    (given(args, OPT_PROFILE) && !can_write(value_of(args, OPT_PROFILE), a, d)))
		return EXIT_INPUT;
	o.have_anno = ANNO_ALL;
	if (kinds)
		o.sanitizer = sanitizer_new(kinds, say_finding, NULL);
	o.checked = given(args, OPT_CHECKED);
	o.controls = given(args, OPT_CONTROLS);
	o.variant = given(args, OPT_VARIANT);
	o.profile = given(args, OPT_PROFILE);
	o.threads = (unsigned)args->number[OPT_THREADS];
	o.sample = (unsigned)args->number[OPT_SAMPLE];
	o.perturb = (unsigned)args->number[OPT_PERTURB];
	o.print = to_stdout(args) ? stderr : stdout;
	ok = run_share_native(m, f, &o, a, d) && watched_open(&watch, q, NULL, a, d);
	o.probe = watch.probe;
	detail = ok && given(args, OPT_DETAIL) ? detail_new(&o, watch.explain, a) : NULL;
	follow_begin(&follow, args, &o);
	ok = ok && run_launches(&r, m, f, &o, a, d) && !(run_timed(&r) && r.timing[0].failed);
	ok = watched_end(&watch, run_stop_why(&r)) && ok;
	follow_end(&follow);
	if (ok && !(watched_check(&watch, run_timed(&r) && r.timing[0].stop.why, d) &&
		    (!detail || detail_check(detail, &r, d)))) {
		r.bug = true;
		ok = false;
	}
	if (ok) {
		const char *missing =
			run_timed(&r) ? energy_missing(&r.timing[0].stats, r.opt.config[0].params, a) : NULL;
		const char *remark = run_timed(&r) ? run_remark(&r, 0, a) : NULL;
		int stopped = follow_verdict(&r, a);

		if (missing)
			note(missing);
		if (remark)
			note(remark);
		if (run_timed(&r))
			note_races(&r.timing[0].races, a);
		if (given(args, OPT_QUIET)) {
			run_print_failures(stderr, &r);
		} else {
			run_print(to_stdout(args) ? stderr : stdout, &r, given(args, OPT_ALL),
				  given(args, OPT_PER_KERNEL));
			watched_print_explain(to_stdout(args) ? stderr : stdout, &watch, m);
		}
		if (!given(args, OPT_QUIET) && run_timed(&r))
			watched_print_files(to_stdout(args) ? stderr : stdout, &watch, r.timing[0].stats.cycles);
		ok = (!given(args, OPT_JSON) || write_json(args, &r, m, &watch, detail, a, d)) &&
		     (!run_timed(&r) || watched_write_series(&watch, r.opt.config[0].params, run_stop_why(&r), a, d)) &&
		     write_dumps(args, &r, a, d) &&
		     (!given(args, OPT_PROFILE) || run_write_profile(&r, value_of(args, OPT_PROFILE), a, d));
		code = ok && r.check != CHECK_FAIL && !diag_failed(d) ? stopped : EXIT_INPUT;
		if (follow.terminal && !given(args, OPT_QUIET))
			show_rate(&follow, &r);
	}
	code = judge_findings(args, o.sanitizer, code, a);
	sanitizer_free(o.sanitizer);
	if (detail)
		detail_free(detail);
	watched_close(&watch);
	run_free(&r);
	return r.bug ? EXIT_INTERNAL : code;
}

static void help_run(void)
{
	puts("usage: sm-model run OBJECT --launch FILE [options]\n\n"
	     "Executes the kernels of an annotated object or a cubin as the launch file says, times them on the "
	     "modelled GPU,\n"
	     "checks the expected results and prints what was measured.\n");
	show_options(RUN);
	puts("\nexamples:\n"
	     "  ptx-annotate examples/sgemm/sgemm.ptx -o sgemm.rlo\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml\n"
	     "      run, check and measure; PASS or FAIL, then cycles, register file, memory, energy\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml --rf issue=lrr\n"
	     "      another configuration, its numbers beside those of the baseline\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml --machine hierarchical-rf --rf "
	     "split-lrf+orf\n"
	     "      upper levels of the register file, on the machine of their paper, which has their energies\n"
	     "  sm-model run sobel.rlo --launch examples/sobel/sobel.yaml --machine wir --rf wir-rlpv --explain=reuse\n"
	     "      which lines compute the same again, and why; what is reused, and why not the rest\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml --set rf_banks=8 --json out.json\n"
	     "      a machine with eight register banks; the results as JSON\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml --functional --dump C=c.bin\n"
	     "      only the results of the kernel, in seconds rather than minutes\n"
	     "  sm-model run dwt2d.rlo --launch examples/dwt2d/dwt2d.yaml --functional --variant --checked\n"
	     "      the code that shares registers between warps; what a warp has released is overwritten, and out of "
	     "its reach\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml --functional --profile sgemm.prof\n"
	     "      how often each block of code ran, for ptx-annotate sgemm.ptx --profile sgemm.prof\n\n"
	     "Ctrl-C (or SIGTERM, SIGHUP) stops the run and reports what was measured so far, marked as partial, as "
	     "the\n"
	     "limits of --max-insns and --max-cycles do; a second one ends it at once, as SIGQUIT does.\n\n"
	     "exit status: 0 fine; 1 wrong input, a failed expectation, or stopped before its end, by a signal or at "
	     "a\n"
	     "limit; 2 wrong usage; 3 a bug; 4 out of memory");
}

static int read_watched(struct watch_request *q, const struct options *args, const struct params *p, struct arena *a,
			struct diag *d)
{
	const char *wrong;

	if (!watched_read(q, args, OPT_EXPLAIN, given(args, OPT_JSON), &wrong, d))
		return wrong ? usage(args->command, "%s", wrong) : EXIT_USAGE;
	if (q->explain && given(args, OPT_QUIET) && !given(args, OPT_JSON))
		return usage(args->command, "%s", "--explain with --quiet wants --json, where to write");
	q->records = value_of(args, OPT_RECORDS);
	wrong = watched_wrong(q, p, a);
	return wrong ? usage(args->command, "%s", wrong) : EXIT_FINE;
}

static int configure_and_run(const struct options *args, struct arena *a, struct diag *d)
{
	struct run_config config[2] = { { .name = "this run", .beside = 1 }, { .name = "baseline", .beside = 1 } };
	struct run_options o = { .config = config };
	struct watch_request watched;
	struct params params;
	unsigned kinds;
	const char *wrong = sanitizer_read(value_of(args, OPT_OOB), value_of(args, OPT_CHECK), &kinds, a);
	const char *idle, *machine = given(args, OPT_MACHINE) ? value_of(args, OPT_MACHINE) : "gtx480";
	int code;

	if (wrong)
		return usage("run", "%s", wrong);
	if (!machine_read(&params, machine, a, d))
		return machine_is_file(machine) ? EXIT_INPUT : EXIT_USAGE;
	for (unsigned i = 0; i < args->given[OPT_SET]; i++)
		if (!params_set(&params, args->list[OPT_SET][i], d))
			return EXIT_USAGE;
	if (!rf_config_parse(&config[0].rf, given(args, OPT_RF) ? value_of(args, OPT_RF) : "baseline", &params, d) ||
	    !rf_config_parse(&config[1].rf, "baseline", &params, d))
		return EXIT_USAGE;
	config[0].params = config[1].params = &params;
	if ((code = read_watched(&watched, args, &params, a, d)) != EXIT_FINE)
		return code;
	idle = !given(args, OPT_FUNCTIONAL) ? rf_config_idle(&config[0].rf, &params, NULL, NULL, a) : NULL;
	if (idle)
		note(idle);
	if (!given(args, OPT_FUNCTIONAL)) /* the baseline stands beside any other configuration */
		o.nconfig = memcmp(&config[0].rf, &config[1].rf, sizeof config[0].rf) == 0 ? 1 : 2;
	if (o.nconfig == 1)
		config[0].beside = 0;
	if (!given(args, OPT_CONFIG))
		return run_object(args, &o, &watched, kinds, a, d);
	params_print(stdout, &params);
	rf_config_print(stdout, &config[0].rf, &params);
	return EXIT_FINE;
}

int command_run(int argc, char **argv)
{
	const struct command c = { "run", RUN, help_run, options_check, configure_and_run };

	return options_execute(&c, argc, argv);
}
