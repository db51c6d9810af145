/* Options of ptx-annotate: one table (options.c), from which --help is made. */
#ifndef REGLOOM_ANNOTATE_OPTIONS_H
#define REGLOOM_ANNOTATE_OPTIONS_H

#include "analyzer/base/inside.h"
#include "analyzer/base/near.h"
#include "analyzer/base/ram.h"
#include "analyzer/lib/facts.h"

enum exit_code { EXIT_FINE, EXIT_INPUT, EXIT_USAGE, EXIT_MEMORY = RAM_EXIT };

enum option {
	OPT_OUTPUT,
	OPT_EMIT,
	OPT_INPUT,
	OPT_KERNEL,
	OPT_MODULE,
	OPT_CODE,
	OPT_SM,
	OPT_LEVEL,
	OPT_SAVE_PTX,
	OPT_LIST,
	OPT_JSON,
	OPT_MAXREG,
	OPT_INLINE,
	OPT_NO_FOLD,
	OPT_NO_SCHEDULE,
	OPT_SCHEDULE,
	OPT_PAIRS,
	OPT_ALIGN,
	OPT_ALIGN_TIME,
	OPT_GRAPH,
	OPT_TECHNIQUES,
	OPT_ORF,
	OPT_ORF_ENTRIES,
	OPT_ORF_WARPS,
	OPT_ORF_COST_ENTRIES,
	OPT_NO_ORF_PARTIAL,
	OPT_NO_ORF_READ_OPERANDS,
	OPT_NO_ORF_BRANCHES,
	OPT_ORF_WRITES,
	OPT_ORF_RANGES,
	OPT_ORF_WEIGHTS,
	OPT_ORF_NEVER_FLUSH,
	OPT_ORF_EXACT,
	OPT_REGMUTEX,
	OPT_REGMUTEX_PLACE,
	OPT_REGMUTEX_LIVENESS,
	OPT_REGMUTEX_KERNEL,
	OPT_REGMUTEX_EXACT,
	OPT_REGMUTEX_RULES,
	OPT_MACHINE,
	OPT_SET,
	OPT_LAUNCH,
	OPT_BLOCK,
	OPT_GRID,
	OPT_PARAM,
	OPT_PROFILE,
	OPT_DUMP,
	OPT_VERIFY,
	OPT_CHECK,
	OPT_CHECK_FILE,
	OPT_DIFF,
	OPT_DIFF_FAIL,
	OPT_ALL,
	OPT_FRESH,
	OPT_SOURCE_DIR,
	OPT_TIME,
	OPT_MEMORY,
	OPT_QUIET,
	OPT_ISA,
	OPT_VERSION,
	OPT_HELP,
	OPT_COUNT
};
/* arg: NULL: none; in brackets: may be left out */
struct option_row {
	const char *name, *arg, *what;
	char letter;
};
extern const struct option_row options[OPT_COUNT];

enum { SET_MAX = 64, CHECK_MAX = 64, INPUTS_MAX = 4096 };
struct arguments {
	const char *input[INPUTS_MAX];
	uint32_t ninput; /* one, but for --check and --diff */
	const char *value[OPT_COUNT];
	bool given[OPT_COUNT];
	const char *param[FACTS_PARAM_MAX];
	uint32_t nparam;
	const char *set[SET_MAX];
	uint32_t nset;
	const char *check[CHECK_MAX];
	uint32_t ncheck;
	struct source_dirs *sources; /* the caller's to set, before they are parsed */
};

/* "ptx-annotate: error: ", the message with `arg` for its %s, and where help is. Returns EXIT_USAGE. */
int usage(const char *what, const char *arg);
/* The same of a name that there is none of, with those there are: what, "there is no view '%s'", then ": ", the list,
 * and which may be meant. */
int usage_name(const char *what, const char *given, near_name *name, unsigned n);
int parse_arguments(struct arguments *x, int argc, char **argv); /* EXIT_FINE, or EXIT_USAGE with a message */
int help(void);                                                  /* EXIT_FINE */

#endif
