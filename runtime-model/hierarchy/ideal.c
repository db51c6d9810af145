/* Limits (Gebhart et al., TOCS 2012, section 8): one upper level so large that every operand is read from it and
 * written to it, by every unit, and nothing is ever in the main register file. What is left is the energy of that
 * level. */
#include "runtime-model/hierarchy/store.h"

#include <string.h>

enum { REGISTERS = 256 };

struct hierarchy {
	struct stats *st;
	const struct kernel *k;
	enum rf_level level;
	struct store *store; /* checked mode: an entry for each register; else NULL */
};

static struct hierarchy *create(const struct axis_ctx *cx, enum rf_level level)
{
	struct hierarchy *h = new(cx->arena, struct hierarchy);

	h->st = cx->stats;
	h->k = cx->kernel;
	h->level = level;
	if (!cx->checked)
		return h;
	h->store = new(cx->arena, struct store);
	store_init(h->store, cx, REGISTERS);
	for (unsigned w = 0; w < cx->warps; w++)
		store_clear(h->store, w);
	return h;
}

static struct hierarchy *all_l0_create(const struct axis_ctx *cx) { return create(cx, LEVEL_L0); }
static struct hierarchy *all_l1_create(const struct axis_ctx *cx) { return create(cx, LEVEL_L1); }

/* A move is of the main register file, whatever is above it. */
static uint32_t ideal_read(struct hierarchy *h, const struct uop *u, struct extra *x)
{
	(void)x;
	if (u->move)
		return (uint32_t)(((uint64_t)1 << u->nsrc) - 1);
	store_count(h->st, h->k, u, h->level, false, u->nsrc);
	return 0;
}

static uint32_t ideal_write(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x)
{
	const unsigned n = (unsigned)__builtin_popcount(dsts);

	(void)x;
	if (u->move)
		return dsts;
	store_count(h->st, h->k, u, h->level, true, n);
	for (uint32_t m = h->store ? dsts : 0; m; m &= m - 1) {
		unsigned d = (unsigned)__builtin_ctz(m);

		store_put(h->store, store_at(h->store, u->warp, u->dst[d]), u->active, u->dst_value[d]);
	}
	return 0;
}

static void ideal_deliver(struct hierarchy *h, const struct uop *u, unsigned src, struct latched *out)
{
	*out = (struct latched){ .level = u->move ? LEVEL_MRF : h->level, .entry = u->src[src], .lanes = u->active };
	memcpy(out->value, store_value(h->store, store_at(h->store, u->warp, u->src[src])), sizeof out->value);
}

const struct hierarchy_ops all_l0_hierarchy = {
	.name = "all-l0",
	.source = "Gebhart et al., TOCS 2012, section 8: an ideal, every operand in an L0 without limits",
	.create = all_l0_create,
	.read = ideal_read,
	.write = ideal_write,
	.deliver = ideal_deliver,
};

/* what its L1 costs */
static const char *const all_l1_parameters[] = { "rf_l1_entries", "rf_cost_entries", NULL };

const struct hierarchy_ops all_l1_hierarchy = {
	.name = "all-l1",
	.source = "Gebhart et al., TOCS 2012, section 8: an ideal, every operand in an L1 without limits",
	.parameters = all_l1_parameters,
	.create = all_l1_create,
	.read = ideal_read,
	.write = ideal_write,
	.deliver = ideal_deliver,
};
