#include "runtime-model/cli/options.h"

#include "analyzer/base/diag.h"
#include "runtime-model/engine/sanitizer.h"
#include "runtime-model/gpu/sample.h"
#include "runtime-model/run/noise.h"
#include "runtime-model/watch/watch.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static bool take_warp(struct options *o, const char *value, uint64_t *number)
{
	(void)o;
	(void)value;
	return *number == 32 || *number == 64;
}

static bool take_sm(struct options *o, const char *value, uint64_t *number)
{
	(void)o;
	(void)number;
	return fatbin_sm(value) != NULL;
}

static const struct option_row row[OPT_COUNT] = {
#define OPTION(id, commands, ...) [OPT_##id] = OPTION_ROW(__VA_ARGS__, .of = commands),
#include "runtime-model/cli/options.def"
#undef OPTION
};
static const struct option_table table = {
	.row = row,
	.n = OPT_COUNT,
	.style = OPTIONS_WRITTEN,
	.column = 24,
	.meant = ", did you mean --%s",
	.many = "too many of %s",
};
_Static_assert(sizeof row / sizeof *row <= OPTIONS_MAX, "options fit");

void warn(const char *text) { fprintf(stderr, "sm-model: warning: %s\n", text); }

void note(const char *text) { fprintf(stderr, "sm-model: note: %s\n", text); }

/* What has to be there. */
static int check_inputs(const struct options *o, const struct command *c)
{
	const bool results = c->takes & PAGES;

	if (given(o, OPT_CONFIG))
		return EXIT_FINE;
	if (results && !o->ninput)
		return usage(c->name, "%s",
			     "of what? give results of sm-model run or compare, or an object with --launch");
	if (!o->ninput)
		return usage(c->name, "%s", "which object? give a .rlo file that ptx-annotate made, or '-'");
	if (!given(o, OPT_LAUNCH) && !results)
		return usage(c->name, "%s",
			     "--launch FILE is missing, which says how to run the kernels of the object: grid, "
			     "arguments, contents of memory (docs/LAUNCH.md)");
	if (given(o, OPT_LAUNCH) && strcmp(o->input[0], "-") == 0 && strcmp(value_of(o, OPT_LAUNCH), "-") == 0)
		return usage(c->name, "%s", "object and launch file cannot both come from standard input");
	return EXIT_FINE;
}

/* ---- options beside each other ---- */
struct outputs {
	struct {
		const char *what, *path;
	} of[2 * OPTION_REPEATS + 16];
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
	static const enum option_id one[] = { OPT_JSON,    OPT_CSV,  OPT_SERIES, OPT_TRACE,  OPT_PIPEVIEW,
					      OPT_PROFILE, OPT_PATH, OPT_OUTPUT, OPT_RECORDS };
	struct outputs x = { .n = 0 };
	unsigned inputs;

	for (unsigned i = 0; i < o->ninput; i++)
		output(&x, given(o, OPT_LAUNCH) ? "the object" : "an input", o->input[i]);
	output(&x, "--launch", value_of(o, OPT_LAUNCH));
	inputs = x.n;
	for (unsigned i = 0; i < sizeof one / sizeof *one; i++)
		output(&x, row[one[i]].name, value_of(o, one[i]));
	for (unsigned i = 0; i < o->given[OPT_DUMP]; i++)
		output(&x, row[OPT_DUMP].name, strchr(o->list[OPT_DUMP][i], '=') + 1);
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

const char *options_choice(const struct options *o, struct fatbin_choice *c)
{
	unsigned code = FATBIN_CODE_PTX - 1;
	const char *wrong = option_read(o, OPT_CODE, &code);

	*c = (struct fatbin_choice){ .sole = true };
	if (given(o, OPT_CODE))
		c->code = code + FATBIN_CODE_PTX;
	if (given(o, OPT_SM))
		c->sm = fatbin_sm(value_of(o, OPT_SM));
	return wrong ? wrong : option_read(o, OPT_MODULE, &c->module);
}

int options_check(const struct options *o)
{
	static const enum option_id timed[] = { OPT_SAMPLE,     OPT_MAX_CYCLES, OPT_INTERVAL, OPT_SERIES,
						OPT_EXPLAIN,    OPT_TRACE,      OPT_PIPEVIEW, OPT_CLOCKS,
						OPT_PER_KERNEL, OPT_RF,         OPT_DETAIL,   OPT_RECORDS };
	struct fatbin_choice choice;
	const char *wrong = options_choice(o, &choice);

	if (wrong)
		return usage(o->command, "%s", wrong);

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

void show_options(unsigned of) { options_help(stdout, &table, of); }

int options_execute(const struct command *c, int argc, char **argv)
{
	struct source_dirs sources = { .n = 0 };
	struct arena a;
	struct options args = {
		.table = &table,
		.of = c->takes,
		.inputs = c->takes & PAGES ? OPTION_REPEATS : 1,
		.more = c->takes & PAGES ? "too many inputs: unexpected '%s'" : "one object at a time: unexpected '%s'",
		.sources = &sources,
		.command = c->name,
		.a = &a,
	};
	const char *wrong;
	struct diag d;
	int code;

	arena_init(&a);
	diag_init(&d, stderr);
	d.program = "sm-model";
	wrong = options_parse(&args, argc, argv);
	if (wrong) {
		code = usage(c->name, "%s", wrong);
	} else if (given(&args, OPT_HELP)) {
		c->help();
		code = EXIT_FINE;
	} else if ((code = check_inputs(&args, c)) == EXIT_FINE && (code = c->check(&args)) == EXIT_FINE) {
		code = c->execute(&args, &a, &d);
		source_note(&sources, "sm-model");
	}
	diag_free(&d);
	arena_free(&a);
	return code;
}
