/* Diagnostics: what is wrong with the user's input, where, with the source line and a caret.
 * Errors are collected, not thrown: a reader reports, resynchronises and goes on, and its caller looks at
 * diag_failed(). */
#ifndef REGLOOM_DIAG_H
#define REGLOOM_DIAG_H

#include "arena.h"

#include <stdbool.h>
#include <stdio.h>

/* errors shown before the reader stops */
enum { DIAG_MAX = 20 };

/* one input file, kept whole for carets; bytes [0, len), and a NUL after */
struct source {
	const char *name;
	const char *text;
	size_t len;
};

/* a byte in a source; src == NULL: no position */
struct loc {
	const struct source *src;
	uint32_t off;
};

struct diag {
	FILE *out;           /* where messages go; NULL: counted, kept in `last`, not shown */
	const char *program; /* stands where no file is named; NULL, as at first: nothing does */
	unsigned errors;
	char *last; /* text of the latest error as printed, in `a` */
	struct arena a;
};

void diag_init(struct diag *d, FILE *out);
void diag_free(struct diag *d);

/* file:line:col: error: ..., the line, a caret. Always returns false, so that a reader can `return diag_error(...)`. */
bool diag_error(struct diag *d, struct loc at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* name: section+0xoffset: error: ... for binary input; section may be NULL. Returns false. */
bool diag_error_bin(struct diag *d, const char *name, const char *section, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* name: error: ... where there is no position (a file that does not open); name may be NULL. Returns false. */
bool diag_error_plain(struct diag *d, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Shows messages that another diag collected: their text as printed, and how many they are. Returns false. */
bool diag_replay(struct diag *d, const char *text, unsigned errors);

static inline bool diag_failed(const struct diag *d) { return d->errors != 0; }
static inline bool diag_full(const struct diag *d) { return d->errors >= DIAG_MAX; }

/* Line and column (both from 1) of a position; a tab counts as one column. */
void loc_line_col(struct loc at, unsigned *line, unsigned *col);
/* The part of a path, or of a path with a line, that names the file: for reports whose lines have little room. */
const char *loc_base_name(const char *path);

/* Reads a whole file with kernels into arena `a` (infile.h). */
bool source_read(struct source *s, const char *path, struct arena *a, struct diag *d);

#endif
