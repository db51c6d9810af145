#include "runtime-model/reuse/tables.h"

void tables_init(struct tables *t, struct pool *p, unsigned warps, unsigned regs, struct arena *a)
{
	*t = (struct tables){
		.pool = p, .map = new_array_raw(a, struct mapping, (size_t)warps * regs), .regs = regs, .warps = warps
	};
	for (unsigned i = 0; i < warps * regs; i++)
		t->map[i] = (struct mapping){ .phys = NO_REGISTER };
}

void tables_map(struct tables *t, unsigned warp, unsigned reg, unsigned phys, bool pin)
{
	struct mapping *m = &t->map[warp * t->regs + reg];
	const struct mapping old = *m;

	pool_hold(t->pool, phys, HOLD_TABLE); /* first: it may be the old one */
	*m = (struct mapping){ .phys = (uint16_t)phys, .pin = pin };
	t->pool->stats->rename_table_writes++;
	if (old.phys != NO_REGISTER)
		pool_drop(t->pool, old.phys, HOLD_TABLE);
}

void tables_exit(struct tables *t, unsigned warp)
{
	for (unsigned i = 0; i < t->regs; i++) {
		struct mapping *m = &t->map[warp * t->regs + i];

		if (m->phys != NO_REGISTER)
			pool_drop(t->pool, m->phys, HOLD_TABLE);
		*m = (struct mapping){ .phys = NO_REGISTER };
	}
}
