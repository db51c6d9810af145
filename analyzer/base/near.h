/* Names in lists, and how alike two are, for "did you mean". */
#ifndef REGLOOM_BASE_NEAR_H
#define REGLOOM_BASE_NEAR_H

#include "analyzer/base/arena.h"

/* bytes of a name; longer ones are like nothing */
enum { NEAR_MAX = 96 };

/* Names of values by number, NULL where one has none: an array of strings, or a member of an array of structs. */
struct names {
	const char *const *first;
	unsigned n;
	size_t step; /* bytes */
};
#define NAMES(array) ((struct names){ (array), sizeof(array) / sizeof *(array), sizeof *(array) })
#define NAMES_IN(array, member) ((struct names){ &(array)->member, sizeof(array) / sizeof *(array), sizeof *(array) })
unsigned names_find(struct names s, const char *name);                     /* its number; n: it is not there */
unsigned name_find(const char *const *list, unsigned n, const char *name); /* of a list of n */

/* The least number of bytes inserted, removed, replaced or swapped with their neighbour that makes b of a, given up
 * above `limit`: then limit + 1. O(na nb). */
unsigned near_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit);

/* Which of several names is most like one that does not exist. */
struct near {
	const char *name;
	size_t n;
	const char *found;
	unsigned limit; /* the nearest by edits */
	/* the shortest of which it is a word, or that has its words in another order; goes before a near one */
	const char *whole;
	/* the shortest that it abbreviates, "max-regs" for "max-registers"; goes after a near one */
	const char *brief;
};
void near_begin(struct near *x, const char *name, size_t n);
void near_offer(struct near *x, const char *other); /* the first of equally near ones is found */
void near_offer_all(struct near *x, struct names s);
const char *near_meant(const struct near *x); /* NULL: none is like it */
/* "; did you mean NAME?" in buf, or nothing. */
enum { NEAR_HINT = NEAR_MAX + 32 };
const char *near_hint(const struct near *x, char buf[NEAR_HINT]);

/* Of names that there are, by number; NULL: none has it. */
typedef const char *near_name(unsigned i);
/* "obj, json or dot; did you mean json?": all of them, and which one the given name is like. In arena a. */
const char *near_list(const char *given, near_name *name, unsigned n, struct arena *a);

#endif
