/* sm-model: runs annotated kernels on the modelled SM. A table of commands over the library; exit codes: 0 fine, 1 the
 * input is wrong or an expectation failed, 2 usage, 3 internal. */
#include "analyzer/base/outfile.h"
#include "analyzer/elf/rlo.h"
#include "runtime-model/energy.h"
#include "runtime-model/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef REGLOOM_VERSION
#define REGLOOM_VERSION "unversioned"
#endif

enum exit_code { EXIT_FINE, EXIT_INPUT, EXIT_USAGE, EXIT_INTERNAL };

/* ---- options ---- */
enum option_id {
	OPT_LAUNCH, OPT_RF, OPT_MACHINE, OPT_SET, OPT_JSON, OPT_DUMP, OPT_FUNCTIONAL, OPT_CHECKED, OPT_MAX, OPT_ALL, OPT_QUIET, OPT_CONFIG,
	OPT_HELP, OPT_COUNT
};
struct option_row { const char *name, *arg, *what; };    /* arg NULL: takes none */
static const struct option_row run_options_table[OPT_COUNT] = {
	[OPT_LAUNCH]     = { "launch", "FILE", "how to run the kernels: buffers, launches, expected results (required; '-': stdin)" },
	[OPT_RF]         = { "rf", "CONFIG", "register-file configuration: a preset, axis=value, or both (default: baseline)" },
	[OPT_MACHINE]    = { "machine", "NAME", "the modelled GPU (default: gtx480)" },
	[OPT_SET]        = { "set", "NAME=VALUE", "change a parameter of the machine; may be repeated" },
	[OPT_JSON]       = { "json", "FILE", "write all results with units as JSON ('-': stdout, the report goes to stderr)" },
	[OPT_DUMP]       = { "dump", "BUFFER=FILE", "write a buffer's final elements, raw; may be repeated" },
	[OPT_FUNCTIONAL] = { "functional", NULL, "execute only, without timing; expectations are still checked" },
	[OPT_CHECKED]    = { "checked", NULL, "execute again with dead registers overwritten; memory must not change" },
	[OPT_MAX]        = { "max-insns", "N", "stop a launch that has executed N warp instructions (default: 1000000000; 0: never)" },
	[OPT_ALL]        = { "all", NULL, "print every metric instead of the main ones" },
	[OPT_QUIET]      = { "quiet", NULL, "print no report" },
	[OPT_CONFIG]     = { "dump-config", NULL, "print the parameters in force with their sources and stop" },
	[OPT_HELP]       = { "help", NULL, "this text" },
};

enum { REPEAT_MAX = 64 };               /* of --set and of --dump */
struct arguments {
	const char *object, *value[OPT_COUNT];
	bool given[OPT_COUNT];
	const char *set[REPEAT_MAX], *dump[REPEAT_MAX];
	unsigned nset, ndump;
	uint64_t max_insns;
};

static int usage(const char *command, const char *fmt, const char *what)
{
	fputs("sm-model: ", stderr);
	fprintf(stderr, fmt, what);
	fprintf(stderr, "; see sm-model%s%s --help\n", *command ? " " : "", command);
	return EXIT_USAGE;
}

static enum option_id find_option(const char *arg, const char **value)
{
	size_t n = strcspn(arg, "=");
	unsigned i;

	for (i = 0; i < OPT_COUNT; i++)
		if (strlen(run_options_table[i].name) == n && strncmp(run_options_table[i].name, arg, n) == 0)
			break;
	*value = arg[n] ? arg + n + 1 : NULL;
	return (enum option_id)i;
}

/* A decimal number, all of it. */
static bool whole_number(const char *text, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && errno == 0;
}

/* EXIT_FINE, or EXIT_USAGE with a message. */
static int parse_run(struct arguments *args, int argc, char **argv)
{
	bool plain = false;             /* after "--" */

	args->max_insns = RUN_MAX_INSNS;
	for (int i = 0; i < argc; i++) {
		const char *arg = argv[i], *value;
		enum option_id id;

		if (plain || arg[0] != '-' || !arg[1]) {
			if (args->object)
				return usage("run", "one object at a time: unexpected '%s'", arg);
			args->object = arg;
			continue;
		}
		if (strcmp(arg, "--") == 0) {
			plain = true;
			continue;
		}
		id = strcmp(arg, "-h") == 0 ? OPT_HELP : strcmp(arg, "-q") == 0 ? OPT_QUIET : OPT_COUNT;
		value = NULL;
		if (id == OPT_COUNT && arg[1] == '-')
			id = find_option(arg + 2, &value);
		if (id == OPT_COUNT)
			return usage("run", "unknown option '%s'", arg);
		if (value && !run_options_table[id].arg)
			return usage("run", "'%s' takes no value", arg);
		if (!value && run_options_table[id].arg) {
			if (++i == argc)
				return usage("run", "%s needs a value", arg);
			value = argv[i];
		}
		if (id == OPT_SET || id == OPT_DUMP) {
			unsigned *n = id == OPT_SET ? &args->nset : &args->ndump;

			if (*n == REPEAT_MAX)
				return usage("run", "too many of %s", arg);
			if (!strchr(value, '='))
				return usage("run", id == OPT_SET ? "--set wants NAME=VALUE, not '%s'" : "--dump wants BUFFER=FILE, not '%s'", value);
			(id == OPT_SET ? args->set : args->dump)[(*n)++] = value;
		} else if (args->given[id] && value) {
			return usage("run", "%s is given twice", arg);
		} else if (id == OPT_MAX && !whole_number(value, &args->max_insns)) {
			return usage("run", "--max-insns wants a number of instructions, not '%s'", value);
		}
		args->given[id] = true;
		args->value[id] = value;
	}
	if (args->given[OPT_HELP] || args->given[OPT_CONFIG])
		return EXIT_FINE;
	if (!args->object)
		return usage("run", "%s", "which object? give a .rlo file that ptx-annotate made, or '-'");
	if (!args->given[OPT_LAUNCH])
		return usage("run", "%s", "--launch FILE is missing");
	if (strcmp(args->object, "-") == 0 && strcmp(args->value[OPT_LAUNCH], "-") == 0)
		return usage("run", "%s", "object and launch file cannot both come from standard input");
	return EXIT_FINE;
}

/* ---- run ---- */
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
	double t = seconds_since(&s->start), n = (double)(r->opt.functional ? r->counts.warp_insns : r->stats.warp_instructions);

	fprintf(stderr, "%.2f s of wall time, %.2f M warp instructions/s\n", t, t > 0 ? n / t / 1e6 : 0);
}

static bool write_dumps(const struct arguments *args, const struct run *r, struct arena *a, struct diag *d)
{
	for (unsigned i = 0; i < args->ndump; i++) {
		const char *eq = strchr(args->dump[i], '=');

		if (!launch_dump(r->f, r->dev, arena_strndup(a, args->dump[i], (size_t)(eq - args->dump[i])), eq + 1, a, d))
			return false;
	}
	return true;
}

/* Before a long run rather than after it. */
static bool check_dumps(const struct arguments *args, const struct launch_file *f, struct diag *d)
{
	bool ok = true;

	for (unsigned i = 0; i < args->ndump; i++) {
		size_t n = strcspn(args->dump[i], "=");
		unsigned b = 0;

		while (b < f->nbuffer && (strlen(f->buffer[b].name) != n || strncmp(f->buffer[b].name, args->dump[i], n) != 0))
			b++;
		if (b == f->nbuffer)
			ok = diag_error_plain(d, f->path, "there is no buffer '%.*s' to dump", (int)n, args->dump[i]);
	}
	return ok;
}

/* The likeliest wrong object is the PTX itself. */
static void hint_object(const char *object)
{
	size_t n = strlen(object);

	if (n > 4 && strcmp(object + n - 4, ".ptx") == 0)
		fprintf(stderr, "sm-model runs annotated objects; make one with: ptx-annotate %s -o %.*s.rlo\n", object, (int)n - 4, object);
}

static bool to_stdout(const struct arguments *args)
{
	bool yes = args->given[OPT_JSON] && strcmp(args->value[OPT_JSON], "-") == 0;

	for (unsigned i = 0; i < args->ndump; i++)
		yes |= strcmp(strchr(args->dump[i], '=') + 1, "-") == 0;
	return yes;
}

/* A path that cannot be written is said before the run, not after it. */
static bool can_write(const char *path, struct arena *a, struct diag *d)
{
	struct outfile probe;

	if (strcmp(path, "-") != 0) {
		if (!outfile_open(&probe, path, a, d))
			return false;
		outfile_discard(&probe);
	}
	return true;
}

static int run_object(const struct arguments *args, const struct run_options *base, struct arena *a, struct diag *d)
{
	struct run_options o = *base;
	struct module *m = rlo_read(args->object, a, d);
	struct launch_file *f = m ? launch_read(args->value[OPT_LAUNCH], a, d) : NULL;
	bool tty = isatty(STDERR_FILENO) == 1, ok;
	struct display screen = { 0 };
	struct run r = { 0 };
	int code = EXIT_INPUT;

	if (!m)
		hint_object(args->object);
	if (!f || !check_dumps(args, f, d) || (args->given[OPT_JSON] && !can_write(args->value[OPT_JSON], a, d)))
		return EXIT_INPUT;
	o.have_anno = ANNO_LIVE;
	o.functional = args->given[OPT_FUNCTIONAL];
	o.checked = args->given[OPT_CHECKED];
	o.baseline = true;
	o.max_insns = args->max_insns;
	o.print = to_stdout(args) ? stderr : stdout;
	clock_gettime(CLOCK_MONOTONIC, &screen.start);
	screen.last = screen.start;
	if (tty) {
		o.progress = show_progress;
		o.progress_ctx = &screen;
	}
	ok = run_launches(&r, m, f, &o, a, d);
	if (screen.shown)
		fputs("\r\033[K", stderr);
	if (ok) {
		if (!args->given[OPT_QUIET])
			run_print(to_stdout(args) ? stderr : stdout, &r, args->given[OPT_ALL]);
		ok = (!args->given[OPT_JSON] || run_write_json(&r, args->value[OPT_JSON], a, d)) && write_dumps(args, &r, a, d);
		code = ok && r.check != CHECK_FAIL ? EXIT_FINE : EXIT_INPUT;
		if (tty && !args->given[OPT_QUIET])
			show_rate(&screen, &r);
	}
	run_free(&r);
	return r.bug ? EXIT_INTERNAL : code;
}

static void help_run(void)
{
	puts("usage: sm-model run OBJECT --launch FILE [options]\n\n"
	     "Executes the kernels of an annotated object as the launch file says, times them on the modelled GPU,\n"
	     "checks the expected results and prints what was measured.\n");
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		const struct option_row *o = &run_options_table[i];

		printf("  --%s%s%-*s %s\n", o->name, o->arg ? " " : "", (int)(22 - strlen(o->name) - (o->arg != NULL)), o->arg ? o->arg : "", o->what);
	}
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

static int command_run(int argc, char **argv)
{
	struct arguments args = { 0 };
	struct run_options o = { 0 };
	struct params params;
	struct arena a;
	struct diag d;
	int code = parse_run(&args, argc, argv);

	if (code != EXIT_FINE)
		return code;
	if (args.given[OPT_HELP]) {
		help_run();
		return EXIT_FINE;
	}
	arena_init(&a);
	diag_init(&d, stderr);
	if (!params_machine(&params, args.given[OPT_MACHINE] ? args.value[OPT_MACHINE] : "gtx480", &d))
		code = EXIT_USAGE;
	for (unsigned i = 0; i < args.nset && code == EXIT_FINE; i++)
		if (!params_set(&params, args.set[i], &d))
			code = EXIT_USAGE;
	if (code == EXIT_FINE && !rf_config_parse(&o.rf, args.given[OPT_RF] ? args.value[OPT_RF] : "baseline", &d))
		code = EXIT_USAGE;
	o.params = &params;
	if (code == EXIT_FINE && args.given[OPT_CONFIG])
		params_print(stdout, &params);
	else if (code == EXIT_FINE)
		code = run_object(&args, &o, &a, &d);
	diag_free(&d);
	arena_free(&a);
	return code;
}

/* ---- list ---- */
static const struct { const char *name, *what; void (*print)(FILE *); } topics[] = {
	{ "rf", "register-file configurations: presets, axes and their values", rf_config_list },
	{ "machines", "machines and their parameters", params_list },
	{ "energy", "energy cost tables", energy_list },
	{ "metrics", "what a run counts", stats_list },
};
enum { TOPICS = sizeof topics / sizeof *topics };

static int command_list(int argc, char **argv)
{
	unsigned i = TOPICS;

	if (argc && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
		puts("usage: sm-model list [TOPIC]\n\nPrints what can be chosen and what is measured; all topics if none is named:");
		for (i = 0; i < TOPICS; i++)
			printf("  %-10s %s\n", topics[i].name, topics[i].what);
		puts("\nexamples:\n  sm-model list rf\n  sm-model list machines | grep l1_");
		return EXIT_FINE;
	}
	if (argc > 1)
		return usage("list", "one topic at a time: unexpected '%s'", argv[1]);
	if (argc) {
		for (i = 0; i < TOPICS && strcmp(argv[0], topics[i].name) != 0; i++)
			;
		if (i == TOPICS)
			return usage("list", "no topic '%s'", argv[0]);
		topics[i].print(stdout);
		return EXIT_FINE;
	}
	for (i = 0; i < TOPICS; i++) {
		if (i)
			putchar('\n');
		topics[i].print(stdout);
	}
	return EXIT_FINE;
}

/* ---- commands ---- */
static const struct { const char *name, *what; int (*run)(int, char **); } commands[] = {
	{ "run", "execute, check and time the kernels of an object", command_run },
	{ "list", "machines, register-file configurations, parameters, metrics", command_list },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(void)
{
	puts("usage: sm-model COMMAND ...\n\n"
	     "Runs annotated GPU kernels on a timing and energy model of the streaming multiprocessor.\n");
	for (unsigned i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].what);
	puts("  --help     this text; sm-model COMMAND --help tells more\n"
	     "  --version  the version\n\n"
	     "a first run:\n"
	     "  ptx-annotate examples/sgemm/sgemm.ptx -o sgemm.rlo\n"
	     "  sm-model run sgemm.rlo --launch examples/sgemm/sgemm.yaml");
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2)
		return usage("", "%s", "which command? run or list");
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		help();
		return EXIT_FINE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("sm-model (regloom) " REGLOOM_VERSION);
		return EXIT_FINE;
	}
	for (unsigned i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, argv[1]) == 0)
			return commands[i].run(argc - 2, argv + 2);
	return usage("", argv[1][0] == '-' ? "unknown option '%s'" : "no command '%s'", argv[1]);
}

int main(int argc, char **argv)
{
	int code = dispatch(argc, argv);

	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("sm-model: cannot write to standard output\n", stderr);
		return code == EXIT_FINE ? EXIT_INPUT : code;
	}
	return code;
}
