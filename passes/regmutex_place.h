/* Between the parts of RegMutex's placement: where the extended set is held, how a warp comes from place to place, and
 * where acquire and release go. Instructions have one byte each in all arrays. */
#ifndef REGLOOM_REGMUTEX_PLACE_H
#define REGLOOM_REGMUTEX_PLACE_H

#include "passes/elsewhere.h"
#include "passes/regmutex.h"

/* ---- passes/regmutex_cost.c ---- */
/* What placements cost on one SM, for the machine and the warps that the size was chosen for. */
struct regmutex_cost {
	const struct kernel *k;
	/* by block: executions, scaled so that sums of costs fit; at least 1 if it is reachable */
	uint64_t *runs;
	uint32_t warps, sections;
};
void regmutex_cost_init(struct regmutex_cost *c, const struct kernel *k, const struct regmutex *r, struct arena *a);
/* Executions of an edge of the control-flow graph, at most. */
uint64_t regmutex_edge_runs(const struct regmutex_cost *c, uint32_t from, uint32_t to);
/* Cycles that a warp takes for instruction i, about. */
unsigned regmutex_cycles(const struct insn *i);
/* Time of the SM for all its warps, of each of which `issued` instructions are issued and `held` cycles pass with the
 * extended set. */
double regmutex_time(const struct regmutex_cost *c, double issued, double held);

/* ---- passes/regmutex_regions.c ---- */
/* hold[i] where need[i], nowhere where never[i] (need rules), and between where that costs less than to release and
 * acquire again; each of these is taken to come with so many `moves` of values. */
void regmutex_regions(const struct regmutex_cost *c, const uint8_t *need, const uint8_t *never, unsigned moves,
		      struct arena *a, uint8_t *hold);

/* ---- passes/regmutex_search.c ---- */
struct regmutex_tried {
	double time;         /* regmutex_time() */
	double more, all;    /* instructions executed: those that were put in, and all */
	double held, cycles; /* regmutex_cycles() of those with the set held, and of all */
};
/* Makes the variant that holds the set at hold[], and more where that must be, and weighs it. False: there is none. */
typedef bool regmutex_try(void *of, uint8_t *hold, struct regmutex_tried *out);
/* The cheapest of the placements that are tried, with what it costs; need[] may grow meanwhile; quick: fewer are tried.
 * False: none of them can be, or the code is too long to try any. */
bool regmutex_search(const struct regmutex_cost *c, const uint8_t *need, const uint8_t *never, bool quick,
		     regmutex_try *try, void *of, struct arena *a, uint8_t *hold, struct regmutex_tried *least);

/* ---- passes/regmutex_points.c ---- */
struct edit;
/* What would be put into k, decoded machine code that stays as it is, and where the set is held then, as r->point,
 * r->hold and what is counted with them. */
void regmutex_note(const struct kernel *k, const struct edit *e, const uint8_t *hold, struct regmutex *r);
/* Points for the size that is chosen: what they are worth, in its `progress`, or that it is not legal; or, in
 * k->regmutex, the points, or why there are none. False: a pass failed. */
bool regmutex_weigh_points(struct kernel *k, struct pass_ctx *cx);
bool regmutex_make_points(struct kernel *k, struct pass_ctx *cx, enum regmutex_why *why, uint32_t *at, uint32_t *needs);

/* ---- passes/regmutex_auto.c ---- */
/* Warps of size s that progress at a time, in parts of REGMUTEX_PROGRESS: `held` of `all` cycles pass with the extended
 * set, and so many times `more` instructions are executed. */
uint32_t regmutex_progress(const struct regmutex_size *s, double held, double all, double more);
/* Makes the variant for the size that is chosen and says what it is worth in its `progress`, or that it is not legal.
 * False: a pass failed. */
typedef bool regmutex_weigh(struct kernel *k, struct pass_ctx *cx);
/* The size of which most warps progress, or none. False: a pass failed. */
bool regmutex_auto(struct kernel *k, struct pass_ctx *cx, regmutex_weigh *weigh);

/* ---- passes/regmutex_sides.c ---- */
/* Where a warp must not hold the extended set: waits[i], and where lanes of it could leave their path for others that
 * wait for other warps. low[i]: values that are alive there should be in the base set, since lanes may wait with them
 * while others pass such a place. */
void regmutex_never(const struct kernel *k, const uint8_t *waits, struct arena *a, uint8_t *never, uint8_t *low);

enum { STATE_RELEASED = 1, STATE_HELD = 2, STATE_ANY = 3 };
struct arrivals {
	uint8_t *edge;  /* by edge of k->cfg->local: states in which a warp takes it */
	uint8_t *start; /* by block: others in which it may begin to execute that */
	/* by block: others in which it may come back to where a path was left in that */
	uint8_t *midway;
	/* by block: the instruction that is executed first, from it on; of k->ninsn: none */
	uint32_t *first;
};
/* k: FACT_CFG | FACT_PDOM. hold[i]: the state in which instruction i is executed. */
void regmutex_arrivals(const struct kernel *k, const uint8_t *hold, struct arena *a, struct arrivals *out);

#endif
