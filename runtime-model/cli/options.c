#include "runtime-model/cli/options.h"

#include "analyzer/base/text.h"
#include "runtime-model/explain/explain.h"
#include "runtime-model/run/run.h"
#include "runtime-model/trace/trace.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* MAYBE: the value follows '=', or as a word that can be nothing else, or is left out; LIST, and PAIR for NAME=VALUE,
 * may be repeated */
enum option_form { FLAG, TEXT, MAYBE, NUMBER, LIST, PAIR };
struct option_row {
	const char *name;
	enum option_form form;
	const char *arg, *what;
	uint64_t def;
};
static const struct option_row row[OPT_COUNT] = {
	[OPT_LAUNCH] = { "launch", TEXT, "FILE",
			 "how to run the kernels: buffers, launches, expected results (required; '-': stdin)", 0 },
	[OPT_RF] = { "rf", TEXT, "CONFIG",
		     "register-file configuration: a preset, axis=value, or both (default: baseline); sm-model list rf "
		     "names them",
		     0 },
	[OPT_MACHINE] = { "machine", TEXT, "NAME", "the modelled GPU (default: gtx480)", 0 },
	[OPT_SET] = { "set", PAIR, "NAME=VALUE", "change a parameter of the machine; may be repeated", 0 },
	[OPT_JSON] = { "json", TEXT, "FILE",
		       "write all results with units as JSON ('-': stdout, the report goes to stderr)", 0 },
	[OPT_DETAIL] = { "detail", FLAG, NULL,
			 "with --json: also what sm-model report draws: annotations, source, where issue slots went, "
			 "energy",
			 0 },
	[OPT_DUMP] = { "dump", PAIR, "BUFFER=FILE", "write a buffer's final elements, raw; may be repeated", 0 },
	[OPT_FUNCTIONAL] = { "functional", FLAG, NULL, "execute only, without timing; expectations are still checked",
			     0 },
	[OPT_VARIANT] = { "variant", FLAG, NULL,
			  "with --functional: execute the variants of kernels that share registers between warps", 0 },
	[OPT_CHECKED] = { "checked", FLAG, NULL,
			  "compare every operand that a register file delivers; execute again with dead registers "
			  "overwritten",
			  0 },
	[OPT_MAX] = { "max-insns", NUMBER, "N",
		      "stop after N warp instructions (0: never; default: 1000000000 of a "
		      "launch with its rounds, 10 times as many of all)",
		      0 },
	[OPT_SAMPLE] = { "sample", NUMBER, "N",
			 "time N clusters of CTAs of each large launch and estimate the rest; all is executed", 0 },
	[OPT_MAX_CYCLES] = { "max-cycles", NUMBER, "N", "stop after N modelled cycles (0, the default: never)", 0 },
	[OPT_THREADS] = { "threads", NUMBER, "N",
			  "that time a launch; results do not depend on it (default: 0: one for each processor)", 0 },
	[OPT_ALL] = { "all", FLAG, NULL, "print every metric instead of the main ones", 0 },
	[OPT_QUIET] = { "quiet", FLAG, NULL, "print no report", 0 },
	[OPT_INTERVAL] = { "interval", NUMBER, "N",
			   "with --series or --json: every metric for each N cycles of the run (default: 1000)", 1000 },
	[OPT_SERIES] = { "series", TEXT, "FILE", "write the metrics of each interval as CSV, a line for each", 0 },
	[OPT_EXPLAIN] = { "explain", MAYBE, "[=LIST]",
			  "print where issue slots went: slots, lines, producers, memory, warps, sms, banks, "
			  "occupancy, listing, reuse, all; the next word, if it names these, is the list too",
			  0 },
	[OPT_CONFIG] = { "dump-config", FLAG, NULL, "print the parameters in force with their sources and stop", 0 },
	[OPT_RF_LIST] = { "rf", LIST, "LIST",
			  "configurations: presets (sm-model list rf), each followed by axis=value that belong to it; "
			  "may be repeated",
			  0 },
	[OPT_CONFIGURATION] = { "config", LIST, "ITEMS",
				"one configuration: preset, axis=value, machine=NAME, PARAMETER=VALUE, name=LABEL; may "
				"be repeated",
				0 },
	[OPT_SWEEP] = { "sweep", PAIR, "NAME=A,B,...",
			"each configuration with each value of an axis, a parameter or machine; may be repeated", 0 },
	[OPT_METRICS] = { "metrics", TEXT, "LIST", "the metrics to show, in this order (sm-model list metrics)", 0 },
	[OPT_CSV] = { "csv", TEXT, "FILE",
		      "write a line for each configuration with the metrics of --metrics, or all ('-': stdout)", 0 },
	[OPT_ENERGY] = { "energy", FLAG, NULL,
			 "print where the energy of SMs and GPU goes, percent of the first configuration's", 0 },
	[OPT_TRACE] = { "trace", TEXT, "FILE",
			"write what happened in each cycle as a Chrome trace, for ui.perfetto.dev", 0 },
	[OPT_PIPEVIEW] = { "pipeview", TEXT, "FILE",
			   "write an SM's instructions and their stages as a Kanata log, for Konata", 0 },
	[OPT_TRACE_FROM] = { "trace-from", NUMBER, "CYCLE",
			     "first cycle of both, counted from the first launch (default: 0)", 0 },
	[OPT_TRACE_CYCLES] = { "trace-cycles", NUMBER, "N", "cycles in both (default: 10000; 0: to the end)",
			       TRACE_CYCLES },
	[OPT_TRACE_SM] = { "trace-sm", NUMBER, "N",
			   "the SM that they show, where CTAs start first (default: 0); of --trace also: all", 0 },
	[OPT_PER_KERNEL] = { "per-kernel", FLAG, NULL, "print the metrics of each kernel too", 0 },
	[OPT_PROFILE] = { "profile", TEXT, "FILE",
			  "execute, count how often each block of code ran, and write it for ptx-annotate --profile",
			  0 },
	[OPT_WARP] = { "warp", NUMBER, "LANES", "of a warp: 32 (default), or 64: two warps of a CTA as one", 32 },
	[OPT_BY_LINE] = { "by-line", FLAG, NULL,
			  "print, for each kernel, the source lines where a scalar unit would save most", 0 },
	[OPT_PROOFS] = { "proofs", FLAG, NULL,
			 "compare all that the object proves with the values seen: also of registers read, guards, and "
			 "over a CTA and the grid",
			 0 },
	[OPT_PATH] = { "path", TEXT, "FILE",
		       "write the instructions that one thread of each launch executes, as CSV, a line for each", 0 },
	[OPT_PATH_THREAD] = { "path-thread", NUMBER, "N", "that thread, counted CTA by CTA (default: 0)", 0 },
	[OPT_CLOCKS] = { "clocks", FLAG, NULL, "print the modelled cycles between the kernel's reads of %clock", 0 },
	[OPT_OUTPUT] = { "output", TEXT, "FILE", "or -o FILE: write the page ('-': stdout)", 0 },
	[OPT_TITLE] = { "title", TEXT, "TEXT", "of the page (default: kernels and machine)", 0 },
	[OPT_PICTURES] = { "pictures", TEXT, "DIR",
			   "draw pictures into this folder, by gnuplot and Graphviz, with their sources", 0 },
	[OPT_FORMAT] = { "format", TEXT, "LIST", "of the pictures: svg (default), png, txt", 0 },
	[OPT_MEMORY] = { "max-memory", NUMBER, "MIB",
			 "end for lack of memory beyond so much (0: never; default: 3/4 of the machine's)", 0 },
	[OPT_SOURCE_DIR] = { "source-dir", LIST, "DIR",
			     "show lines of source files under DIR too, besides those under the "
			     "object's folder and the current one; may be repeated",
			     0 },
	[OPT_HELP] = { "help", FLAG, NULL, "this text", 0 },
};

int usage(const char *command, const char *fmt, const char *what)
{
	struct arena a;

	arena_init(&a);
	fputs("sm-model: error: ", stderr);
	fprintf(stderr, fmt, text_shown(&a, what, strlen(what), ""));
	arena_free(&a);
	fprintf(stderr, "; see sm-model%s%s --help\n", *command ? " " : "", command);
	return EXIT_USAGE;
}

int usage_name(const char *command, const char *what, const char *given, near_name *name, unsigned n)
{
	struct arena a;
	int code;

	arena_init(&a);
	code = usage(command, "%s",
		     arena_printf(&a, "%s: %s", arena_printf(&a, what, given), near_list(given, name, n, &a)));
	arena_free(&a);
	return code;
}

void warn(const char *text) { fprintf(stderr, "sm-model: warning: %s\n", text); }

void note(const char *text) { fprintf(stderr, "sm-model: note: %s\n", text); }

static int unknown_option(const char *command, const char *arg, uint64_t takes)
{
	const char *name = arg + strspn(arg, "-");
	char format[NEAR_HINT + 48];
	struct near near;

	near_begin(&near, name, strcspn(name, "="));
	for (unsigned i = 0; i < OPT_COUNT; i++)
		if (takes & TAKES(i))
			near_offer(&near, row[i].name);
	snprintf(format, sizeof format,
		 near_meant(&near) ? "unknown option '%%s', did you mean --%s" : "unknown option '%%s'",
		 near_meant(&near));
	return usage(command, format, arg);
}

static enum option_id find_option(const char *arg, uint64_t takes, const char **value)
{
	size_t n = strcspn(arg, "=");
	unsigned i;

	for (i = 0; i < OPT_COUNT; i++)
		if (takes & TAKES(i) && strlen(row[i].name) == n && strncmp(row[i].name, arg, n) == 0)
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

static int take(struct options *o, enum option_id id, const char *arg, const char *value)
{
	struct option *g = &o->given[id];
	char wants[80];

	if ((row[id].form == TEXT || row[id].form == MAYBE || row[id].form == NUMBER) && g->n)
		return usage(o->command, "%s is given twice", arg);
	if (g->n == REPEAT_MAX) {
		if (row[id].form != FLAG)
			return usage(o->command, "too many of %s", arg);
		return EXIT_FINE;
	}
	snprintf(wants, sizeof wants,
		 row[id].form == PAIR ? "--%s wants %s, not '%%s'" : "--%s wants a whole number below 2^64, not '%%s'",
		 row[id].name, row[id].arg);
	if (id == OPT_TRACE_SM && strcmp(value, "all") == 0)
		o->number[id] = TRACE_ALL_SMS;
	else if ((row[id].form == PAIR && !strchr(value, '=')) ||
		 (row[id].form == NUMBER && !whole_number(value, &o->number[id])))
		return usage(o->command, wants, value);
	if (id == OPT_SAMPLE && o->number[id] &&
	    (o->number[id] < SAMPLE_CLUSTERS_MIN || o->number[id] > SAMPLE_CLUSTERS_MAX))
		return usage(o->command, "--sample wants 4 to 1000 clusters, or 0, not '%s'", value);
	if (id == OPT_SOURCE_DIR && !source_dir_add(o->sources, value))
		return usage(o->command, "--source-dir '%s' is no folder", value);
	if (id == OPT_WARP && o->number[id] != 32 && o->number[id] != 64)
		return usage(o->command, "--warp wants 32 or 64, not '%s'", value);
	if (id == OPT_THREADS && o->number[id] > THREADS_MAX)
		return usage(o->command, "--threads wants at most 1024, not '%s'", value);
	if (id == OPT_MEMORY && !ram_limit_mib(o->number[id]))
		return usage(o->command, "--max-memory wants at most 1073741824 MiB, not '%s'", value);
	g->value[g->n++] = value;
	return EXIT_FINE;
}

/* The word behind --explain: sections of it; with a wrong one among them too, which explain_parse() names, unless it is
 * a file. */
static bool lists_sections(const char *word)
{
	struct stat s;

	return explain_is_list(word) || (explain_names_some(word) && stat(word, &s) != 0);
}

int options_parse(struct options *o, const char *command, uint64_t takes, struct source_dirs *sources, int argc,
		  char **argv)
{
	/* the last argument, if its value was left out; that before an object */
	unsigned bare = OPT_COUNT, hint = OPT_COUNT;
	char more[128];
	bool plain = false; /* after "--" */
	int code = EXIT_FINE;

	*o = (struct options){ .command = command, .sources = sources };
	for (unsigned i = 0; i < OPT_COUNT; i++)
		o->number[i] = row[i].def;
	for (int i = 0; i < argc && code == EXIT_FINE; i++) {
		const char *arg = argv[i], *value = NULL;
		enum option_id id;

		if (plain || arg[0] != '-' || !arg[1]) {
			if (bare != OPT_COUNT)
				hint = bare;
			bare = OPT_COUNT;
			if (takes & TAKES_INPUTS && o->ninput == REPEAT_MAX)
				return usage(command, "too many inputs: unexpected '%s'", arg);
			if (takes & TAKES_INPUTS) {
				o->object = o->object ? o->object : arg;
				o->input[o->ninput++] = arg;
				continue;
			}
			if (o->object && hint != OPT_COUNT) {
				snprintf(more, sizeof more,
					 "one object at a time: unexpected '%%s'; a value of --%s follows an equals "
					 "sign",
					 row[hint].name);
				return usage(command, more, arg);
			}
			if (o->object)
				return usage(command, "one object at a time: unexpected '%s'", arg);
			o->object = o->input[o->ninput++] = arg;
			continue;
		}
		if (strcmp(arg, "--") == 0) {
			plain = true;
			continue;
		}
		id = strcmp(arg, "-h") == 0   ? OPT_HELP
		     : strcmp(arg, "-q") == 0 ? OPT_QUIET
		     : strcmp(arg, "-o") == 0 ? OPT_OUTPUT
					      : OPT_COUNT;
		if (id == OPT_COUNT && arg[1] == '-')
			id = find_option(arg + 2, takes, &value);
		if (id == OPT_COUNT || !(takes & TAKES(id)))
			return unknown_option(command, arg, takes);
		if (value && !*value && row[id].form == MAYBE)
			return usage(command, "'%s' lacks what follows the equals sign", arg);
		if (!value && row[id].form == MAYBE && i + 1 < argc && lists_sections(argv[i + 1]))
			value = argv[++i];
		bare = !value && row[id].form == MAYBE ? id : OPT_COUNT;
		if (value && !row[id].arg)
			return usage(command, "'%s' takes no value", arg);
		if (!value && row[id].form == MAYBE)
			value = "";
		if (!value && row[id].arg) {
			if (++i == argc)
				return usage(command, "%s needs a value", arg);
			value = argv[i];
		}
		code = take(o, id, arg, value);
	}
	if (code != EXIT_FINE || given(o, OPT_HELP) || given(o, OPT_CONFIG))
		return code;
	if (takes & TAKES_INPUTS && !o->object)
		return usage(command, "%s",
			     "of what? give results of sm-model run or compare, or an object with --launch");
	if (!o->object)
		return usage(command, "%s", "which object? give a .rlo file that ptx-annotate made, or '-'");
	if (!given(o, OPT_LAUNCH) && !(takes & TAKES_INPUTS))
		return usage(command, "%s",
			     "--launch FILE is missing, which says how to run the kernels of the object: grid, "
			     "arguments, contents of memory (docs/LAUNCH.md)");
	if (given(o, OPT_LAUNCH) && strcmp(o->object, "-") == 0 && strcmp(value_of(o, OPT_LAUNCH), "-") == 0)
		return usage(command, "%s", "object and launch file cannot both come from standard input");
	return EXIT_FINE;
}

/* ---- options beside each other ---- */
struct outputs {
	struct {
		const char *what, *path;
	} of[2 * REPEAT_MAX + 16];
	unsigned n;
};

static void output(struct outputs *x, const char *what, const char *path)
{
	if (path) {
		x->of[x->n].what = what;
		x->of[x->n++].path = path;
	}
}

/* Are they one file, or would they be? Devices take any number. */
static bool same_file(const char *a, const char *b)
{
	struct stat x, y, in_a, in_b;
	const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
	char folder_a[PATH_MAX], folder_b[PATH_MAX];

	if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
		return strcmp(a, b) == 0;
	if (stat(a, &x) == 0 && stat(b, &y) == 0)
		return x.st_dev == y.st_dev && x.st_ino == y.st_ino && S_ISREG(x.st_mode);
	snprintf(folder_a, sizeof folder_a, "%.*s", name_a ? (int)(name_a + 1 - a) : 1, name_a ? a : ".");
	snprintf(folder_b, sizeof folder_b, "%.*s", name_b ? (int)(name_b + 1 - b) : 1, name_b ? b : ".");
	return strcmp(name_a ? name_a + 1 : a, name_b ? name_b + 1 : b) == 0 && stat(folder_a, &in_a) == 0 &&
	       stat(folder_b, &in_b) == 0 && in_a.st_dev == in_b.st_dev && in_a.st_ino == in_b.st_ino;
}

static int check_files(const struct options *o)
{
	static const enum option_id one[] = { OPT_JSON,     OPT_CSV,     OPT_SERIES, OPT_TRACE,
					      OPT_PIPEVIEW, OPT_PROFILE, OPT_PATH,   OPT_OUTPUT };
	struct outputs x = { .n = 0 };
	unsigned inputs;

	for (unsigned i = 0; i < o->ninput; i++)
		output(&x, given(o, OPT_LAUNCH) ? "the object" : "an input", o->input[i]);
	output(&x, "--launch", value_of(o, OPT_LAUNCH));
	inputs = x.n;
	for (unsigned i = 0; i < sizeof one / sizeof *one; i++)
		output(&x, row[one[i]].name, value_of(o, one[i]));
	for (unsigned i = 0; i < o->given[OPT_DUMP].n; i++)
		output(&x, row[OPT_DUMP].name, strchr(o->given[OPT_DUMP].value[i], '=') + 1);
	for (unsigned i = inputs; i < x.n; i++)
		for (unsigned j = 0; j < i; j++) {
			bool in = j < inputs;
			char text[160];

			if (!same_file(x.of[i].path, x.of[j].path) || (in && strcmp(x.of[i].path, "-") == 0))
				continue;
			if (strcmp(x.of[i].path, "-") == 0)
				return usage(o->command, "%s", "only one file can go to standard output");
			snprintf(text, sizeof text, "--%s would overwrite %s%s, '%%s'", x.of[i].what,
				 in ? "" : "what is written by --", x.of[j].what);
			return usage(o->command, text, x.of[j].path);
		}
	return EXIT_FINE;
}

int options_check(const struct options *o)
{
	static const enum option_id timed[] = { OPT_SAMPLE,     OPT_MAX_CYCLES, OPT_INTERVAL, OPT_SERIES,
						OPT_EXPLAIN,    OPT_TRACE,      OPT_PIPEVIEW, OPT_CLOCKS,
						OPT_PER_KERNEL, OPT_RF,         OPT_DETAIL };

	for (unsigned i = 0; i < sizeof timed / sizeof *timed && given(o, OPT_FUNCTIONAL); i++)
		if (given(o, timed[i]))
			return usage(o->command, "--%s needs timing, which --functional leaves out",
				     row[timed[i]].name);
	if (given(o, OPT_VARIANT) && !given(o, OPT_FUNCTIONAL))
		return usage(o->command, "%s",
			     "--variant says what --functional executes; a register file for variants (--rf regmutex) "
			     "times them");
	if (given(o, OPT_DETAIL) && !given(o, OPT_JSON))
		return usage(o->command, "%s", "--detail wants --json, where to write");
	return check_files(o);
}

void options_help(uint64_t takes)
{
	for (unsigned i = 0; i < OPT_COUNT; i++) {
		const struct option_row *r = &row[i];

		if (takes & TAKES(i))
			printf("  --%s%s%-*s %s\n", r->name, r->arg && r->form != MAYBE ? " " : "",
			       (int)(22 - strlen(r->name) - (r->arg && r->form != MAYBE)), r->arg ? r->arg : "",
			       r->what);
	}
}

int options_execute(const struct command *c, int argc, char **argv)
{
	struct source_dirs sources = { .n = 0 };
	struct options args;
	struct arena a;
	struct diag d;
	int code = options_parse(&args, c->name, c->takes, &sources, argc, argv);

	if (code != EXIT_FINE)
		return code;
	if (given(&args, OPT_HELP)) {
		c->help();
		return EXIT_FINE;
	}
	if ((code = c->check(&args)) != EXIT_FINE)
		return code;
	arena_init(&a);
	diag_init(&d, stderr);
	d.program = "sm-model";
	code = c->execute(&args, &a, &d);
	source_note(&sources, "sm-model");
	diag_free(&d);
	arena_free(&a);
	return code;
}
