/* Values that may stay in one of a few small banks for some time: which of them do, how long and in which entry, so
 * that the gain is the most. Nothing here knows of registers: a point is a place in a program between two instructions,
 * a stay takes an entry of its bank at some points, and two stays that share a point need different entries. Stays are
 * chains of steps, each of which takes the points of the steps before it and some more.
 *
 * In one bank, where points are in a line and stays are intervals of it, this is a flow of least cost with as many
 * units as there are entries, solved in polynomial time (after Gebotys, DAC 1997). Else it is an integer program. */
#ifndef REGLOOM_GRAPH_PLACES_H
#define REGLOOM_GRAPH_PLACES_H

#include "analyzer/base/arena.h"

#include <stdbool.h>

#define PLACES_NONE UINT32_MAX
#define PLACES_GAIN_MAX ((int64_t)1 << 50) /* of all values together: the solver counts in doubles */
enum { PLACES_ENTRIES_MAX = 64 };

/* point[first .. first + n) besides those of the steps before; gain of all */
struct places_step {
	uint32_t first, n;
	int64_t gain;
};
/* step[first .. first + n); the first takes a point at least */
struct places_stay {
	uint32_t value, bank, first, n;
};
struct places {
	const uint32_t *entries;
	uint32_t nbank; /* of each bank */
	uint32_t npoint, nvalue;
	const struct places_stay *stay;
	uint32_t nstay; /* a value is in one of its stays at most */
	const struct places_step *step;
	uint32_t nstep;
	const uint32_t *point;
};
/* of a value; stay PLACES_NONE: in no bank; step: index in p->step */
struct places_choice {
	uint32_t stay, step, entry;
};

/* What a choice gains; -1 if it is none: a stay of another value, two stays that share a point and an entry. */
int64_t places_gain(const struct places *p, const struct places_choice *c);

/* Without steps that end where a longer or shorter stay is at least as good, and stays that gain nothing. step_of[s] of
 * a step of *out is the step of p that it is, stay_of likewise. In arena a. */
struct places places_reduce(const struct places *p, struct arena *a, uint32_t **stay_of, uint32_t **step_of);

struct stopwatch; /* solver.h; run out: what takes long gives up */

/* The best choice if the stays of p are intervals in one bank and no value has two; else, or if the time is over,
 * false. p is reduced. */
bool places_flow(const struct places *p, const struct stopwatch *watch, struct arena *a, struct places_choice *c);

/* Entries for the stays that c names, or false; then the values of the clash cannot all be in it. Where that takes too
 * many steps or too long to find out, it is not sure and there are none. Intervals take neither. */
struct places_clash {
	const uint32_t *value;
	uint32_t n;
	bool sure;
};
bool places_colour(const struct places *p, struct places_choice *c, const struct stopwatch *watch, struct arena *a,
		   struct places_clash *clash);

enum places_method {
	PLACES_ALL, /* every value gets its best stay */
	PLACES_FLOW,
	PLACES_PROGRAM,
	PLACES_STOPPED, /* the optimum was not proved in time */
};
struct places_job {
	struct places p;
	/* by value; in: where to start from, all PLACES_NONE if nothing is known; out: at least as good */
	struct places_choice *choice;
	int64_t gain, bound;       /* out: of the choice; no choice gains more */
	enum places_method method; /* out */
};
/* Solves n problems in about so many seconds together, small ones first; what it does not come to keeps its choice, and
 * has the bound of values that do not compete. Where a solver takes part, up to a second more. NULL, or what went wrong
 * with the solver, in arena a; then choices are valid and bounds hold all the same. */
const char *places_solve(struct places_job *job, uint32_t n, double seconds, struct arena *a);

#endif
