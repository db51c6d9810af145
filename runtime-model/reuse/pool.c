#include "runtime-model/reuse/pool.h"

void pool_init(struct pool *p, const struct axis_ctx *cx, unsigned registers)
{
	*p = (struct pool){ .stats = cx->stats,
			    .axes = cx->axes,
			    .now = cx->now,
			    .n = registers,
			    .limit = registers,
			    .checked = cx->checked,
			    .reg = new_array(cx->arena, struct phys, registers),
			    .free = new_array_raw(cx->arena, uint16_t, registers) };
	for (unsigned i = 0; i < registers; i++)
		p->free[i] = (uint16_t)i;
}

/* In the ring, so many behind its head. */
static unsigned place(const struct pool *p, unsigned behind)
{
	const unsigned at = p->head + behind;

	return at < p->n ? at : at - p->n;
}

void pool_account(struct pool *p, uint64_t upto)
{
	p->stats->phys_register_cycles += p->used * (upto - p->accounted);
	if (pool_low(p) && p->used)
		p->stats->low_register_cycles += upto - p->accounted;
	p->accounted = upto;
}

void pool_limit(struct pool *p, unsigned limit)
{
	pool_account(p, *p->now);
	p->limit = limit < p->n ? limit : p->n;
}

void pool_starve(struct pool *p, bool more)
{
	pool_account(p, *p->now);
	p->starved += more ? 1 : -1u;
}

void pool_return(struct pool *p, unsigned phys)
{
	pool_account(p, *p->now);
	p->free[place(p, p->n - p->used)] = (uint16_t)phys;
	p->used--;
	if (p->checked)
		reuse_freed(p->axes, pool_name(p, phys));
}

unsigned pool_take(struct pool *p)
{
	const unsigned phys = p->free[p->head];

	assert(pool_left(p) && !p->reg[phys].refs);
	pool_account(p, *p->now);
	p->head = place(p, 1);
	p->used++;
	p->stats->register_allocations++;
	p->stats->register_pools += p->peak == 0;
	if (p->used > p->peak) {
		p->peak = p->used;
		p->stats->phys_register_peak++;
	}
	pool_hold(p, phys, HOLD_FLIGHT);
	return phys;
}

const char *pool_end(const struct pool *p, struct arena *a)
{
	static const char *const who[HOLDERS] = { "rename tables", "the reuse buffer", "the value signature buffer",
						  "instructions in flight" };
	bool *seen = new_array(a, bool, p->n);

	for (unsigned i = 0; i < p->n; i++)
		for (unsigned h = 0; h < HOLDERS; h++)
			if (p->reg[i].by[h])
				return arena_printf(a, "physical register %u has %u references of %s left", i,
						    p->reg[i].by[h], who[h]);
	if (p->used)
		return arena_printf(a, "%u physical registers have not come back to the pool", p->used);
	for (unsigned i = 0; i < p->n; i++) {
		const unsigned phys = p->free[place(p, i)];

		if (seen[phys])
			return arena_printf(a, "physical register %u is in the pool twice", phys);
		seen[phys] = true;
	}
	return NULL;
}
