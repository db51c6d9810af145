/* sm-model run: executes, checks and times the kernels of an object. */
#include "runtime-model/cli/command.h"
#include "runtime-model/cli/watch.h"
#include "analyzer/elf/rlo.h"
#include "runtime-model/run.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

static const uint64_t takes = TAKES(OPT_LAUNCH) | TAKES(OPT_RF) | TAKES(OPT_MACHINE) | TAKES(OPT_SET) | TAKES(OPT_JSON) | TAKES(OPT_DUMP) |
	TAKES(OPT_FUNCTIONAL) | TAKES(OPT_CHECKED) | TAKES(OPT_MAX) | TAKES(OPT_THREADS) | TAKES(OPT_ALL) | TAKES(OPT_QUIET) | TAKES(OPT_CONFIG) |
	TAKES(OPT_INTERVAL) | TAKES(OPT_SERIES) |
	TAKES(OPT_HELP);

struct display {                        /* progress on a terminal */
	struct timespec start, last;
	bool shown;
};

static double seconds_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

static void show_progress(void *ctx, const struct run_progress *p)
{
	struct display *s = ctx;

	if (seconds_since(&s->last) < 0.2)
		return;
	clock_gettime(CLOCK_MONOTONIC, &s->last);
	fprintf(stderr, "\r%.40s: launch %llu, %.1f M warp instructions, %.1f M cycles, %.0f s\033[K", p->kernel,
	        (unsigned long long)p->launches_done + 1, (double)p->warp_insns / 1e6, (double)p->cycles / 1e6, seconds_since(&s->start));
	fflush(stderr);
	s->shown = true;
}

static void show_rate(const struct display *s, const struct run *r)
{
	double t = seconds_since(&s->start), n = (double)(run_timed(r) ? r->timing[0].stats.warp_instructions : r->counts.warp_insns);

	fprintf(stderr, "%.2f s of wall time, %.2f M warp instructions/s\n", t, t > 0 ? n / t / 1e6 : 0);
}

static bool write_dumps(const struct options *args, const struct run *r, struct arena *a, struct diag *d)
{
	for (unsigned i = 0; i < args->given[OPT_DUMP].n; i++) {
		const char *eq = strchr(args->given[OPT_DUMP].value[i], '=');

		if (!launch_dump(r->f, r->dev, arena_strndup(a, args->given[OPT_DUMP].value[i], (size_t)(eq - args->given[OPT_DUMP].value[i])), eq + 1, a, d))
			return false;
	}
	return true;
}

/* Before a long run rather than after it. */
static bool check_dumps(const struct options *args, const struct launch_file *f, struct diag *d)
{
	bool ok = true;

	for (unsigned i = 0; i < args->given[OPT_DUMP].n; i++) {
		size_t n = strcspn(args->given[OPT_DUMP].value[i], "=");
		unsigned b = 0;

		while (b < f->nbuffer && (strlen(f->buffer[b].name) != n || strncmp(f->buffer[b].name, args->given[OPT_DUMP].value[i], n) != 0))
			b++;
		if (b == f->nbuffer)
			ok = diag_error_plain(d, f->path, "there is no buffer '%.*s' to dump", (int)n, args->given[OPT_DUMP].value[i]);
	}
	return ok;
}

static bool to_stdout(const struct options *args)
{
	bool yes = (given(args, OPT_JSON) && strcmp(value_of(args, OPT_JSON), "-") == 0) ||
	           (given(args, OPT_SERIES) && strcmp(value_of(args, OPT_SERIES), "-") == 0);

	for (unsigned i = 0; i < args->given[OPT_DUMP].n; i++)
		yes |= strcmp(strchr(args->given[OPT_DUMP].value[i], '=') + 1, "-") == 0;
	return yes;
}

static int run_object(const struct options *args, const struct run_options *base, struct arena *a, struct diag *d)
{
	struct run_options o = *base;
	struct module *m = object_read(args->object, a, d);
	struct launch_file *f = m ? launch_read(value_of(args, OPT_LAUNCH), a, d) : NULL;
	bool tty = isatty(STDERR_FILENO) == 1, ok;
	struct display screen = { 0 };
	struct watch watch = { 0 };
	struct run r = { 0 };
	int code = EXIT_INPUT;

	if (!f || !check_dumps(args, f, d) || (given(args, OPT_JSON) && !can_write(value_of(args, OPT_JSON), a, d)) ||
	    (given(args, OPT_SERIES) && !can_write(value_of(args, OPT_SERIES), a, d)))
		return EXIT_INPUT;
	if ((code = watch_open(&watch, args, &o, a)) != EXIT_FINE)
		return code;
	code = EXIT_INPUT;
	o.have_anno = ANNO_LIVE;
	o.checked = given(args, OPT_CHECKED);
	o.max_insns = args->number[OPT_MAX];
	o.threads = (unsigned)args->number[OPT_THREADS];
	o.print = to_stdout(args) ? stderr : stdout;
	clock_gettime(CLOCK_MONOTONIC, &screen.start);
	screen.last = screen.start;
	if (tty) {
		o.progress = show_progress;
		o.progress_ctx = &screen;
	}
	ok = run_launches(&r, m, f, &o, a, d) && !(run_timed(&r) && r.timing[0].failed);
	if (screen.shown)
		fputs("\r\033[K", stderr);
	if (ok) {
		if (!given(args, OPT_QUIET))
			run_print(to_stdout(args) ? stderr : stdout, &r, given(args, OPT_ALL));
		ok = (!given(args, OPT_JSON) || run_write_json(watch_json(&watch, args, &r, run_json(&r)), value_of(args, OPT_JSON), a, d)) &&
		     watch_write(&watch, args, &r, a, d) && write_dumps(args, &r, a, d);
		code = ok && r.check != CHECK_FAIL && !diag_failed(d) ? EXIT_FINE : EXIT_INPUT;
		if (tty && !given(args, OPT_QUIET))
			show_rate(&screen, &r);
	}
	watch_close(&watch);
	run_free(&r);
	return r.bug ? EXIT_INTERNAL : code;
}

static void help_run(void)
{
	puts("usage: sm-model run OBJECT --launch FILE [options]\n\n"
	     "Executes the kernels of an annotated object as the launch file says, times them on the modelled GPU,\n"
	     "checks the expected results and prints what was measured.\n");
	options_help(takes);
	puts("\nexamples:\n"
	     "  ptx-annotate examples/sgemm/sgemm.ptx -o sgemm.rlo\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml\n"
	     "      run, check and measure; PASS or FAIL, then cycles, register file, memory, energy\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml --rf issue=lrr\n"
	     "      another configuration, its numbers beside those of the baseline\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml --set rf_banks=8 --json out.json\n"
	     "      a machine with eight register banks; the results as JSON\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml --functional --dump C=c.bin\n"
	     "      only the results of the kernel, in seconds rather than minutes\n\n"
	     "exit status: 0 fine; 1 wrong input or a failed expectation; 2 wrong usage; 3 a bug");
}

int command_run(int argc, char **argv)
{
	struct options args;
	struct run_config config[2] = { { .name = "this run" }, { .name = "baseline" } };
	struct run_options o = { .config = config };
	struct params params;
	struct arena a;
	struct diag d;
	int code = options_parse(&args, "run", takes, argc, argv);

	if (code != EXIT_FINE)
		return code;
	if (given(&args, OPT_HELP)) {
		help_run();
		return EXIT_FINE;
	}
	arena_init(&a);
	diag_init(&d, stderr);
	if (!params_machine(&params, given(&args, OPT_MACHINE) ? value_of(&args, OPT_MACHINE) : "gtx480", &d))
		code = EXIT_USAGE;
	for (unsigned i = 0; i < args.given[OPT_SET].n && code == EXIT_FINE; i++)
		if (!params_set(&params, args.given[OPT_SET].value[i], &d))
			code = EXIT_USAGE;
	if (code == EXIT_FINE && !(rf_config_parse(&config[0].rf, given(&args, OPT_RF) ? value_of(&args, OPT_RF) : "baseline", &d) &&
	                           rf_config_parse(&config[1].rf, "baseline", &d)))
		code = EXIT_USAGE;
	config[0].params = config[1].params = &params;
	if (!given(&args, OPT_FUNCTIONAL))       /* the baseline stands beside any other configuration */
		o.nconfig = memcmp(&config[0].rf, &config[1].rf, sizeof config[0].rf) == 0 ? 1 : 2;
	if (code == EXIT_FINE && given(&args, OPT_CONFIG))
		params_print(stdout, &params);
	else if (code == EXIT_FINE)
		code = run_object(&args, &o, &a, &d);
	diag_free(&d);
	arena_free(&a);
	return code;
}
