/* Options of commands. An option is a row of its program's table, from which arguments are read, what is wrong with
 * them is said and --help is made: to add one is to add its row. */
#ifndef REGLOOM_BASE_OPTIONS_H
#define REGLOOM_BASE_OPTIONS_H

#include "analyzer/base/inside.h"
#include "analyzer/base/near.h"
#include "analyzer/base/ram.h"

#include <stdio.h>

/* EXIT_SIGNAL + n: stopped by signal n. */
enum exit_code { EXIT_FINE, EXIT_INPUT, EXIT_USAGE, EXIT_INTERNAL, EXIT_MEMORY = RAM_EXIT, EXIT_SIGNAL = 128 };

/* MAYBE: the value follows '=', or is left out. NUMBER: whole, below 2^64. LIST, and PAIR for NAME=VALUE, may be
 * repeated. */
enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_MAYBE, OPTION_NUMBER, OPTION_LIST, OPTION_PAIR };

/* rows of a table at most; values of an option that may be repeated */
enum { OPTIONS_MAX = 96, OPTION_REPEATS = 64 };

struct options;
struct option_row {
	const char *name;
	enum option_kind kind;
	const char *arg, *what; /* what NULL: neither shown nor proposed */
	char letter;            /* -o; 0: none */
	bool or_zero;           /* 0 is no less right than low to high */
	unsigned of;            /* the commands that take it, as bits; 0: all */
	unsigned most;          /* times that it may be repeated; 0: OPTION_REPEATS */
	uint64_t low, high;     /* of a number; high 0: there is no bound */
	uint64_t def;           /* the number if it is not given */
	near_name *word;        /* the text is one of these, read by option_read() */
	unsigned words;
	/* Is the next word, behind MAYBE with no value, its value? NULL: never. */
	bool (*next)(const char *word);
	/* Does more with a value; *number is what NUMBER read, or the option's to set. False: it is wrong. */
	bool (*take)(struct options *o, const char *value, uint64_t *number);
	/* what is said of a wrong value, "%s"; of one that `low`, `high` or take() refuses. NULL: the usual; as of any
	 * wrong one */
	const char *wrong, *outside;
};
/* How a table's rows are written: OPTION(ID, name, kind, arg, what, .letter = 'o' and the like). */
#define OPTION_ROW(n, k, a, ...)                                             \
	{                                                                    \
		.name = n, .kind = OPTION_##k, .arg = a, .what = __VA_ARGS__ \
	}

enum option_style {
	OPTIONS_JOINED = 1,     /* -oFILE, and help shows letters and --name=ARG */
	OPTIONS_WRITTEN = 2,    /* messages say an option as it was written, "-o needs a value" */
	OPTIONS_ONCE_FIRST = 4, /* "--name is given twice" goes before all else that is wrong with it */
	OPTIONS_ONCE_FLAGS = 8, /* and is said of flags too */
	OPTIONS_NO_DASHES = 16, /* "-" and "--" are unknown options */
};
/* column: where help begins to explain; meant, many: how an unknown option goes on, "; did you mean --%s?", and that
 * one is repeated too often, "too many of %s" */
struct option_table {
	const struct option_row *row;
	unsigned n, style;
	int column;
	const char *meant, *many;
};

struct options {
	/* the caller's to set */
	const char *command; /* for its own messages */
	const struct option_table *table;
	unsigned of;                 /* the commands whose options are taken */
	unsigned inputs;             /* words that are no options, at most; 0: the first of them ends the options */
	const char *more;            /* what is said of one more, with its %s */
	struct source_dirs *sources; /* of --source-dir */
	struct arena *a;             /* of lists and messages */
	/* what was read */
	const char **input;
	unsigned ninput;
	int rest;                         /* the index of the word that ended them */
	unsigned given[OPTIONS_MAX];      /* times */
	const char *value[OPTIONS_MAX];   /* the last one; NULL: none */
	const char **list[OPTIONS_MAX];   /* all of an option that may be repeated */
	uint64_t number[OPTIONS_MAX];     /* the default if it was not given */
	const struct option_row *bare[2]; /* whose value was left out: the last option, the last before an input */
};

/* Reads all arguments, or those up to the first that is no option. NULL, or what is wrong with one of them; those
 * before it are read. */
const char *options_parse(struct options *o, int argc, char *const argv[]);
/* Of a TEXT, if it is given: which word of its row's, or its number from `low` to `high`. Else *v stays as it is. NULL,
 * or what is wrong. */
const char *option_read(const struct options *o, unsigned id, unsigned *v);
/* A line for each option of these commands. */
void options_help(FILE *f, const struct option_table *t, unsigned of);

bool option_whole(const char *text, uint64_t *v); /* false: it is no decimal number below 2^64, and no more */
/* take() of what several commands have. */
bool option_source_dir(struct options *o, const char *value, uint64_t *number);
bool option_max_memory(struct options *o, const char *value, uint64_t *number);

/* "PROGRAM: error: ", the message with `what` for its %s, and where help is; command "": of the program. EXIT_USAGE. */
int usage_error(const char *program, const char *command, const char *fmt, const char *what);
/* The same of a name that there is none of, with those there are: what, "no topic '%s'", then ": ", the list, and which
 * may be meant. */
int usage_unknown(const char *program, const char *command, const char *what, const char *given, near_name *name,
		  unsigned n);

/* ---- rows that several programs have ---- */
#define ROW_HELP "help", FLAG, NULL, "this text", .letter = 'h'
#define ROW_QUIET(what) "quiet", FLAG, NULL, what, .letter = 'q'
#define ROW_JSON(kind, arg, what) "json", kind, arg, what
#define ROW_MACHINE(what) "machine", TEXT, "NAME", what
#define ROW_SET(kind, what) "set", kind, "NAME=VALUE", what
#define ROW_MODULE(what) \
	"module", TEXT, "N", what, .low = 1, .high = 1 << 20, .wrong = "--module=%s is not the number of a module"
#define ROW_CODE(what) "code", TEXT, "KIND", what, .wrong = "--code=%s is no kind of code"
#define ROW_MAX_MEMORY(what) "max-memory", NUMBER, "MIB", what, .high = 1 << 30
#define ROW_SOURCE_DIR(input)                                                              \
	"source-dir", LIST, "DIR",                                                         \
		"show lines of source files under DIR too, besides those under the " input \
		"'s folder and the current one; may be repeated",                          \
		.take = option_source_dir
/* what is said of rows that several programs have */
#define WHAT_MACHINE "the modelled GPU (default: gtx480), or a file that describes one"
#define WHAT_SET "change a parameter of the machine; may be repeated"
#define WHAT_MAX_MEMORY "end for lack of memory beyond so much (0: never; default: 3/4 of the machine's)"
#define WRONG_SM "--sm=%s is not an architecture like 80, 90a or sm_90a"
#define WRONG_MAX_MEMORY "--max-memory wants a whole number of MiB, at most 1073741824, not '%s'"

#endif
