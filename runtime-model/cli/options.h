/* Options of the commands of sm-model: one table (options.c), of which each command takes some rows. */
#ifndef REGLOOM_CLI_OPTIONS_H
#define REGLOOM_CLI_OPTIONS_H

#include "analyzer/base/inside.h"
#include "analyzer/base/near.h"
#include "analyzer/base/ram.h"

#include <stdbool.h>
#include <stdint.h>

/* EXIT_SIGNAL + n: stopped by signal n. */
enum exit_code { EXIT_FINE, EXIT_INPUT, EXIT_USAGE, EXIT_INTERNAL, EXIT_MEMORY = RAM_EXIT, EXIT_SIGNAL = 128 };

enum option_id {
	OPT_LAUNCH,
	OPT_RF,
	OPT_MACHINE,
	OPT_SET,
	OPT_JSON,
	OPT_DUMP,
	OPT_FUNCTIONAL,
	OPT_CHECKED,
	OPT_MAX,
	OPT_ALL,
	OPT_QUIET,
	OPT_CONFIG,
	OPT_THREADS,
	OPT_RF_LIST,
	OPT_CONFIGURATION,
	OPT_SWEEP,
	OPT_METRICS,
	OPT_CSV,
	OPT_ENERGY,
	OPT_SAMPLE,
	OPT_MAX_CYCLES,
	OPT_INTERVAL,
	OPT_SERIES,
	OPT_EXPLAIN,
	OPT_TRACE,
	OPT_PIPEVIEW,
	OPT_TRACE_FROM,
	OPT_TRACE_CYCLES,
	OPT_TRACE_SM,
	OPT_CLOCKS,
	OPT_PER_KERNEL,
	OPT_PROFILE,
	OPT_PATH,
	OPT_PATH_THREAD,
	OPT_VARIANT,
	OPT_WARP,
	OPT_BY_LINE,
	OPT_PROOFS,
	OPT_DETAIL,
	OPT_OUTPUT,
	OPT_TITLE,
	OPT_PICTURES,
	OPT_FORMAT,
	OPT_SOURCE_DIR,
	OPT_MEMORY,
	OPT_HELP,
	OPT_COUNT
};

/* values of an option that may be repeated; --threads */
enum { REPEAT_MAX = 64, THREADS_MAX = 1024 };
/* times it was given; a value of each, NULL for a flag */
struct option {
	unsigned n;
	const char *value[REPEAT_MAX];
};

struct options {
	const char *command, *object;  /* object: the first input */
	const char *input[REPEAT_MAX]; /* more than one with TAKES_INPUTS alone */
	unsigned ninput;
	struct option given[OPT_COUNT];
	uint64_t number[OPT_COUNT]; /* of an option that wants a number; its default if it was not given */
	struct source_dirs *sources;
};

/* "sm-model: " and the message with `what` for its %s, then where help is. Returns EXIT_USAGE. */
int usage(const char *command, const char *fmt, const char *what);
/* The same of a name that there is none of, with those there are: what, "no topic '%s'", then ": ", the list, and which
 * may be meant. */
int usage_name(const char *command, const char *what, const char *given, near_name *name, unsigned n);
/* Notes on standard error, "sm-model: note: " and the text: the run goes on. */
void note(const char *text);
void warn(const char *text); /* likewise, of the kernels that ran */
/* Reads the arguments of `command`, which takes the options in `takes` (bit i: enum option_id). EXIT_FINE; EXIT_USAGE
 * with a message. With --help or --dump-config nothing else need be there; else an object and --launch must be; with
 * TAKES_INPUTS in `takes` one or more inputs. */
int options_parse(struct options *o, const char *command, uint64_t takes, struct source_dirs *sources, int argc,
		  char **argv);
/* One line for each option in `takes`. */
void options_help(uint64_t takes);

static inline bool given(const struct options *o, enum option_id id) { return o->given[id].n != 0; }
static inline const char *value_of(const struct options *o, enum option_id id) /* NULL: not given */
{
	return o->given[id].n ? o->given[id].value[0] : 0;
}

/* --functional leaves out what these need, and no two outputs are one file, or an input. EXIT_FINE; EXIT_USAGE with a
 * message. */
int options_check(const struct options *o);

struct arena;
struct diag;
/* one whose options are of the table */
struct command {
	const char *name;
	uint64_t takes;
	void (*help)(void);
	int (*check)(const struct options *o); /* options_check(), or what calls it */
	int (*execute)(const struct options *o, struct arena *a, struct diag *d);
};
/* Parses, shows help if that is asked for, checks, executes. Returns an exit code. */
int options_execute(const struct command *c, int argc, char **argv);

#define TAKES(id) ((uint64_t)1 << (id))
#define TAKES_INPUTS ((uint64_t)1 << 63)
_Static_assert(OPT_COUNT < 63, "options are bits");

#endif
