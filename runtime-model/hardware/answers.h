/* What kernels answered on a device, and whether our engine answers the same: what verify prints, and golden answers,
 * which are kept and replayed where there is no device. */
#ifndef REGLOOM_ANSWERS_H
#define REGLOOM_ANSWERS_H

#include "runtime-model/hardware/walk.h"

#include <stdio.h>

/* verdict, and what is counted in the last line */
#define VERDICTS(V)                                                                                        \
	V(EQUAL, "equal")       /* after each launch all memory is the same */                             \
	V(EXCLUDED, "excluded") /* it differs where PTX lets it, and meets what the launch file expects */ \
	V(UNASKED, "unasked")   /* the launch file has what no device is asked for */                      \
	V(REFUSED, "refused")   /* the driver does not take the code */                                    \
	V(DIFFERS, "differs")                                                                              \
	V(FAILED, "failed") /* it could not be read, or executed on both sides; a diagnostic was written */

enum verdict {
#define V(id, text) VERDICT_##id,
	VERDICTS(V)
#undef V
		VERDICT_COUNT
};

extern const char *const verdict_text[VERDICT_COUNT];

struct answer {
	const char *name;
	enum verdict verdict;
	const char *why;                /* a sentence, or NULL */
	const char *kernel;             /* of the first launch that differs; NULL: none does */
	unsigned launch;                /* which one that is, from 1, rounds counted */
	struct walk_difference differs; /* likewise */
	uint64_t ulps;                  /* of all launches, the most */
	unsigned nlaunch;
	/* npiece for each launch: of each piece of memory behind it, the device's */
	const char (*memory)[WALK_HASH];
	unsigned npiece, nmemory, cap;
	/* of both files; and where the device put each piece, 0: it does not know it */
	char code[WALK_HASH], text[WALK_HASH];
	const uint64_t *place;
	unsigned nplace;
};

/* Runs p on h, which approximates as t says, or NULL, and here. In arena a. */
void answer_ask(struct answer *x, const struct pair *p, struct hardware *h, const struct mufu_table *t, struct arena *a,
		struct diag *d);
/* Runs p here alone, and compares with what `golden` says. */
void answer_replay(struct answer *x, const struct pair *p, const struct answer *golden, const struct mufu_table *t,
		   struct arena *a, struct diag *d);

bool answer_right(const struct answer *x); /* neither differs nor failed */
void answer_print(FILE *f, const struct answer *x);
void answers_count(FILE *f, const struct answer *x, unsigned n);
bool answers_write(const char *path, const struct hardware *h, const struct answer *x, unsigned n, struct arena *a,
		   struct diag *d);
/* from: "NVIDIA H200, driver CUDA 13.0, 2026-11-29". False with a diagnostic. */
bool answers_read(const char *path, struct answer **list, unsigned *n, const char **from, struct arena *a,
		  struct diag *d);

#endif
