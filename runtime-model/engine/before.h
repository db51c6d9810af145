/* What a memory instruction is about to change, by the bytes: looked at before it and after. */
#ifndef REGLOOM_BEFORE_H
#define REGLOOM_BEFORE_H

#include "runtime-model/engine/core.h"

/* of one lane's access, at most */
enum { BEFORE_LANE_BYTES = 64, BEFORE_PIECES = WARP_LANES * BEFORE_LANE_BYTES / 4 };
struct before {
	unsigned char *at[BEFORE_PIECES], old[WARP_LANES * BEFORE_LANE_BYTES];
	unsigned bytes[BEFORE_PIECES], n, used;
};

void before_addresses(const struct engine *e, const struct warp *w, const struct xinsn *x, uint32_t exec,
		      uint64_t at[WARP_LANES]);
/* The bytes that x names, as they are. Those of no memory are left to the fault that follows. */
void before_save(const struct engine *e, const struct cta *c, const struct warp *w, const struct xinsn *x,
		 uint32_t exec, struct before *b);
bool before_differs(const struct before *b);

#endif
