/* What hardware forgives and nobody sees, found while kernels execute: accesses outside memory, reads of what nobody
 * wrote, barriers that not all come to, data races. docs/CHECKS.md has the rules. Launches on a device that has a
 * sanitizer are executed on one thread, in the canonical order. */
#ifndef REGLOOM_SANITIZER_H
#define REGLOOM_SANITIZER_H

#include "runtime-model/engine/engine.h"

enum sanitize { SANITIZE_OOB, SANITIZE_INIT, SANITIZE_SYNC, SANITIZE_RACE, SANITIZE_KINDS };

/* What one instruction does wrong, in one way. */
struct finding {
	struct finding *next; /* in the order of their first times */
	enum sanitize kind;
	const char *what;       /* in a few words: "data race" */
	struct launch_fault at; /* the first time */
	uint64_t times;         /* by lanes */
};

struct sanitizer;
/* kinds: bits of enum sanitize. say() is told of a finding the first time. What it is told lives as long as the
 * sanitizer. */
struct sanitizer *sanitizer_new(unsigned kinds, void (*say)(void *ctx, const struct finding *f), void *ctx);
void sanitizer_free(struct sanitizer *s);
const struct finding *sanitizer_findings(const struct sanitizer *s); /* NULL: there are none */
/* "init 12 times at 1 instruction, race none", of all that was looked for, in a. */
const char *sanitizer_totals(const struct sanitizer *s, struct arena *a);

/* Options of programs, and the kinds that their texts (or NULL) ask for. NULL, or what is wrong with them, in a. */
#define ROW_OOB                                                                                                        \
	"oob", TEXT, "HOW",                                                                                            \
		"an access outside memory: 'stop' (default), or 'warn': say it, and go on; such reads give zero, and " \
		"writes are lost"
#define ROW_CHECK                                                                                                     \
	"check", TEXT, "LIST",                                                                                        \
		"find reads of memory that nobody has written (init), barriers in divergent code (sync), data races " \
		"(race), or all; launches take several times as long"
#define ROW_ERROR_EXIT(what) "error-exitcode", NUMBER, "N", what, .low = 1, .high = 255
const char *sanitizer_read(const char *oob, const char *check, unsigned *kinds, struct arena *a);

#endif
