/* An operand-bypass window: each warp keeps the registers of its last instructions beside its collectors, and an
 * instruction takes from there what one of them read or wrote (after BOW, Asghari Esfeden et al., MICRO 2020, its
 * design that writes through).  A register that is used again stays.  Results go to the main register file, too. */
#include "runtime-model/hierarchy/store.h"

enum { WINDOW = 3, OPERANDS = 4, ENTRIES = WINDOW * OPERANDS }; /* instructions; registers of one */

struct hierarchy {
	struct store store;
	uint64_t *issued;        /* instructions of each warp */
	uint64_t issue[UOP_IDS]; /* which one of its warp an instruction in flight is */
};

static struct hierarchy *create(const struct axis_ctx *cx)
{
	struct hierarchy *h = new(cx->arena, struct hierarchy);

	store_init(&h->store, cx, ENTRIES);
	h->issued = new_array(cx->arena, uint64_t, cx->warps);
	return h;
}

static struct store_entry *find(const struct hierarchy *h, unsigned warp, unsigned reg)
{
	return store_find(&h->store, warp, 0, ENTRIES, reg);
}

/* The register's entry, used by instruction number `when` of the warp; what it pushes out is in the main register file,
 * too. */
static struct store_entry *touch(struct hierarchy *h, unsigned warp, unsigned reg, uint64_t when)
{
	struct store_entry *e = find(h, warp, reg);

	if (!e) {
		e = store_victim(&h->store, warp, 0, ENTRIES);
		store_drop(&h->store, e);
		store_take(&h->store, e, reg);
		e->order = when;
	}
	e->order = when > e->order ? when : e->order;
	return e;
}

static uint32_t read_window(struct hierarchy *h, const struct uop *u, struct extra *x)
{
	const uint64_t now = h->issue[u->id] = ++h->issued[u->warp];
	uint32_t from_main = 0;

	(void)x;
	if (u->move)
		return store_move(&h->store, u);
	for (unsigned i = 0; i < ENTRIES; i++)
		if (store_at(&h->store, u->warp, i)->order + WINDOW < now)
			store_drop(&h->store, store_at(&h->store, u->warp, i));
	for (unsigned s = 0; s < u->nsrc; s++)
		if (!store_latch(&h->store, u, s, find(h, u->warp, u->src[s]), LEVEL_L1, s))
			from_main |= (uint32_t)1 << s;
	for (unsigned s = 0; s < u->nsrc; s++) {
		struct store_entry *e = touch(h, u->warp, u->src[s], now);

		if (from_main >> s & 1)
			store_expect(e, u, u->active & ~e->lanes);
	}
	return from_main;
}

static void filled(struct hierarchy *h, const struct uop *u, uint32_t sources)
{
	for (; !u->move && sources; sources &= sources - 1) {
		unsigned s = (unsigned)__builtin_ctz(sources);

		store_filled(&h->store, find(h, u->warp, u->src[s]), u, s);
	}
}

/* A result comes to the window if that has not moved on since; if it has, nothing of the register is left there. */
static uint32_t write_through(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x)
{
	const uint64_t then = h->issue[u->id];

	(void)x;
	for (uint32_t m = u->move || then + WINDOW < h->issued[u->warp] ? 0 : dsts; m; m &= m - 1) {
		unsigned d = (unsigned)__builtin_ctz(m);

		store_write(&h->store, touch(h, u->warp, u->dst[d], then), u, d, LEVEL_L1, true);
	}
	return dsts;
}

/* Registers with their numbers and a bit that says whether there is one. */
static unsigned storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "bypass window", params_warps(p) * ENTRIES * (WARP_LANES * 32 + 7) };
	return 1;
}

/* Each warp has a window of its own. */
static struct rf_access access(const struct params *p, enum rf_level level)
{
	(void)p;
	(void)level;
	return store_access(ENTRIES, 1, WARP_LANES * 32);
}

const struct hierarchy_ops window_hierarchy = {
	.name = "window",
	.source = "docs/ADDING_MORE.md: the registers of a warp's last three instructions, after BOW (MICRO 2020)",
	.create = create,
	.read = read_window,
	.filled = filled,
	.write = write_through,
	.warp_exit = store_warp_exit,
	.deliver = store_deliver,
	.storage = storage,
	.access = access,
};
