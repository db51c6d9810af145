/* The rename tables, one for each warp: where each register is, and its pin bit (Kim and Ro, HPCA 2018, sections V-B
 * and V-D). A pinned register is dedicated: no other entry, no buffer has it, and divergent instructions overwrite it
 * in place. */
#ifndef REGLOOM_REUSE_TABLES_H
#define REGLOOM_REUSE_TABLES_H

#include "runtime-model/reuse/pool.h"

/* phys NO_REGISTER: not valid */
struct mapping {
	uint16_t phys;
	bool pin;
};

struct tables {
	struct pool *pool;
	struct mapping *map;
	unsigned regs, warps;
};

void tables_init(struct tables *t, struct pool *p, unsigned warps, unsigned regs, struct arena *a);
static inline const struct mapping *tables_at(const struct tables *t, unsigned warp, unsigned reg)
{
	assert(warp < t->warps && reg < t->regs);
	return &t->map[warp * t->regs + reg];
}
void tables_map(struct tables *t, unsigned warp, unsigned reg, unsigned phys, bool pin);
void tables_exit(struct tables *t, unsigned warp); /* none of its entries is valid */

#endif
