/* The best allocation to the upper levels, beside the greedy one: of the same values, with the same first reads of each
 * (partial ranges), in the same levels, saving the same. What the greedy one decides value by value is decided for all
 * of a region at once. */
#ifndef REGLOOM_ORF_EXACT_H
#define REGLOOM_ORF_EXACT_H

#include "passes/orf_alloc.h"

struct orf_exact;
struct orf_exact *orf_exact_new(struct arena *a);
/* Takes the values of w's region for one organisation, and what the greedy allocation picked of them. */
void orf_exact_add(struct orf_exact *x, struct orf_work *w, enum orf_organisation org, const struct orf_pick *greedy);
/* Solves all of them in about so many seconds. NULL, or what went wrong with the solver; picks are good all the
 * same. */
const char *orf_exact_solve(struct orf_exact *x, double seconds);
/* The picks, by value, of the n-th that was added. */
const struct orf_pick *orf_exact_picks(const struct orf_exact *x, uint32_t n);
/* Sums over all that were added for an organisation: fJ, weighed. */
struct orf_saved {
	double greedy, saved, bound;
};
struct orf_saved orf_exact_saved(const struct orf_exact *x, enum orf_organisation org);

#endif
