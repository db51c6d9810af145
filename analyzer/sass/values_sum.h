/* Sums of up to three numbers with two carries in and two out, as IADD3, IADD, LEA and IMAD have them. */
#ifndef REGLOOM_SASS_VALUES_SUM_H
#define REGLOOM_SASS_VALUES_SUM_H

#include "analyzer/sass/values_one.h"

struct sum_term {
	struct ref x;
	bool neg;
};
/* The sum is exact: a negated number counts as its complement and 1, with .X as its complement alone. The first carry
 * out says that it is not less than one unit of the place above, the second that it is not less than two. */
struct sum {
	bool wide; /* of 64 bits */
	bool x;
	unsigned n;
	struct sum_term t[3];
	struct ref in[2]; /* with .X: predicates */
	struct ref d, pd, pe;
};

/* No terms, no destination; carries from the instruction's operands. */
struct sum sum_begin(const struct one *o, bool wide);
/* One more; zeros that change nothing are left out. */
void sum_add(const struct one *o, struct sum *s, struct ref x, bool neg);
/* The rows. Words 0, 6 and 7, pairs 0 and 3, and flags 0 and 1 are written on the way. */
void sum_put(const struct one *o, struct sum *s);

#endif
