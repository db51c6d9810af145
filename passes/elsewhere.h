/* What a warp may do on one side of a branch while lanes of it wait at the others: sums over all blocks that a
 * successor leads to before the sides meet (passes/elsewhere.c). */
#ifndef REGLOOM_ELSEWHERE_H
#define REGLOOM_ELSEWHERE_H

#include "passes/pass.h"

/* a set of registers, and flags that are the caller's */
struct wsum {
	uint64_t set[WLIVE_WORDS], flags;
};

struct elsewhere {
	const struct kernel *k;
	const struct cfg *g;        /* inside functions */
	uint32_t *order, n;         /* reachable blocks, those deep in the post-dominator tree first */
	uint32_t *level_at, nlevel; /* runs of one depth */
	/* by edge of g: the last block that its side goes through; meaningless if it has none */
	uint32_t *top;
	struct wsum *below; /* by edge: of the blocks on its side before `top` */
	struct wsum *all;   /* by block: of it and its sides */
	struct wsum *chain; /* of a block's ancestors in the post-dominator tree before `up` */
	uint32_t *up, *stack;
};

/* Of decoded machine code (meet.c). parent: by block, of nblock + 1, filled in: where lanes that leave it by different
 * successors meet; UINT32_MAX: nowhere. k: FACT_CFG valid. */
void meet_find(const struct kernel *k, uint32_t *parent, struct arena *a);
/* Lanes of one warp may leave block b for different successors. */
bool warp_parts(const struct kernel *k, uint32_t b);
/* A path may be left before instruction i of k for another one (simt_yield), and other paths may be joined: so too
 * where machine code waits for lanes at another place than the meeting point of its region. FACT_PDOM valid. */
bool insn_yields(const struct kernel *k, const struct insn *i);
bool wsum_join(struct wsum *to, const struct wsum *from); /* true: that was news */

/* k: FACT_CFG and FACT_PDOM valid. All in arena a. */
void elsewhere_init(struct elsewhere *x, const struct kernel *k, struct arena *a);
/* OWN: of each block alone. LEAVING: of each block, what goes over its own edges to where its sides meet; made the
 * union with what its sides send there. cost: nearly linear in blocks and edges. */
void elsewhere_sum(struct elsewhere *x, const struct wsum *own, struct wsum *leaving);
/* Then: what may happen on the side of edge e of g, whose target is not the meeting point, added to *out. What goes
 * from there to the meeting point is leaving[x->top[e]]. */
void elsewhere_side(const struct elsewhere *x, uint32_t e, struct wsum *out);

#endif
