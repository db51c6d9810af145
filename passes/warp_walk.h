/* A warp of three lanes that goes through a kernel in every way, for the oracles of facts about warps
 * (passes/warp_walk.c). */
#ifndef REGLOOM_WARP_WALK_H
#define REGLOOM_WARP_WALK_H

#include "passes/pass.h"

enum { WALK_LANES = 3, WALK_PATHS = 14 };

/* call: lanes come back to it from the paths above */
struct warp_path {
	uint32_t pc, rpc;
	uint8_t lanes, call;
};
/* the last path executes; note: the visitor's */
struct warp_state {
	uint32_t n;
	uint64_t note;
	struct warp_path p[WALK_PATHS];
};

struct warp_walk {
	const struct kernel *k;
	void *ctx;
	/* The last path of *s is about to execute its instruction; `entered`: it came from another block, or the walk
	 * just began here. It may change s->note, which is part of the state. Sets `wrong` to end the walk. */
	void (*visit)(struct warp_walk *w, struct warp_state *s, bool entered);
	bool wrong;
	bool cut; /* there were more states or paths than it goes through */
	/* private */
	struct arena a;
	uint32_t *block_of; /* by instruction */
	struct warp_state *state;
	uint32_t nstate, done;
	uint32_t *slot; /* hash of states: index + 1 */
};

/* Lanes that wait in path x, not in one above it. */
uint8_t warp_waiting(const struct warp_state *s, uint32_t x);
/* From the kernel's entry; k, ctx and visit are given, the rest is 0. k: machine form with instructions, FACT_CFG and
 * FACT_PDOM valid. Ends after 16,384 states: what lies beyond them is not visited. */
void warp_walk(struct warp_walk *w);

#endif
