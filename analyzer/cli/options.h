/* Options of ptx-annotate. */
#ifndef REGLOOM_ANNOTATE_OPTIONS_H
#define REGLOOM_ANNOTATE_OPTIONS_H

#include "analyzer/base/options.h"

enum option {
#define OPTION(id, ...) OPT_##id,
#include "analyzer/cli/options.def"
#undef OPTION
	OPT_COUNT
};
extern const struct option_table annotate_options;

/* "ptx-annotate: error: ", the message with `arg` for its %s, and where help is. Returns EXIT_USAGE. */
static inline int usage(const char *what, const char *arg) { return usage_error("ptx-annotate", "", what, arg); }

/* EXIT_FINE, or EXIT_USAGE with a message. x: its arena and sources are set. */
int parse_arguments(struct options *x, int argc, char **argv);
/* option_read(); false: it is wrong, with a message. */
bool takes(const struct options *x, enum option id, unsigned *v);
int help(void); /* EXIT_FINE */

#endif
