/* Options of the commands of sm-model. */
#ifndef REGLOOM_CLI_OPTIONS_H
#define REGLOOM_CLI_OPTIONS_H

#include "analyzer/base/options.h"
#include "analyzer/fatbin/fatbin.h"

/* Who takes an option; sm-model report takes RUNS and PAGES. */
enum { RUN = 1, COMPARE = 2, USAGE = 4, VALUES = 8, RUNS = 16, PAGES = 32 };
enum option_id {
#define OPTION(id, ...) OPT_##id,
#include "runtime-model/cli/options.def"
#undef OPTION
	OPT_COUNT
};
enum { THREADS_MAX = 1024 }; /* of --threads */

/* "sm-model: " and the message with `what` for its %s, then where help is. Returns EXIT_USAGE. */
static inline int usage(const char *command, const char *fmt, const char *what)
{
	return usage_error("sm-model", command, fmt, what);
}
/* Notes on standard error, "sm-model: note: " and the text: the run goes on. */
void note(const char *text);
void warn(const char *text); /* likewise, of the kernels that ran */
/* One line for each option of these commands. */
void show_options(unsigned of);

static inline bool given(const struct options *o, enum option_id id) { return o->given[id] != 0; }
static inline const char *value_of(const struct options *o, enum option_id id) { return o->value[id]; }

/* What is asked for of a fatbin. NULL, or what is wrong with it. */
const char *options_choice(const struct options *o, struct fatbin_choice *c);
/* --functional leaves out what these need, and no two outputs are one file, or an input. EXIT_FINE; EXIT_USAGE with a
 * message. */
int options_check(const struct options *o);

struct diag;
/* one whose options are of the table */
struct command {
	const char *name;
	unsigned takes;
	void (*help)(void);
	int (*check)(const struct options *o); /* options_check(), or what calls it */
	int (*execute)(const struct options *o, struct arena *a, struct diag *d);
};
/* Parses, shows help if that is asked for, checks that an object and --launch are there, or with PAGES an input, and
 * the rest, executes. Returns an exit code. */
int options_execute(const struct command *c, int argc, char **argv);

#endif
