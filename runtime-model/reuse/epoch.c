/* Store flags and barrier counts: epoch.h.
 *
 * Counts of different CTAs are numbers of different things. A CTA that has learnt of another one's stores, by a fence
 * or an acquire, may have a count that an entry made before those stores has too, so from then on its loads of global
 * memory match its own alone. */
#include "runtime-model/reuse/epoch.h"

#include <assert.h>

/* stored: ORDER_STORE_* since its barrier */
struct epoch_warp {
	uint16_t first;
	uint8_t stored;
};
/* others: it has met stores of other CTAs; ordered: epoch_ordered() */
struct epoch_cta {
	uint16_t count;
	bool others, ordered;
};
struct epoch {
	uint16_t most;
	struct epoch_warp *warp;
	struct epoch_cta *cta; /* by slot of the first warp */
};

struct epoch *epoch_new(unsigned warps, unsigned barrier_bits, struct arena *a)
{
	struct epoch *e = new(a, struct epoch);

	assert(barrier_bits && barrier_bits <= 16);
	e->most = (uint16_t)((1u << barrier_bits) - 1);
	e->warp = new_array(a, struct epoch_warp, warps);
	e->cta = new_array(a, struct epoch_cta, warps);
	return e;
}

void epoch_warp_start(struct epoch *e, unsigned warp, unsigned first)
{
	e->warp[warp] = (struct epoch_warp){ .first = (uint16_t)first };
	if (warp == first)
		e->cta[first] = (struct epoch_cta){ 0 };
}

static void count(struct epoch *e, struct epoch_cta *c) { c->count += c->count < e->most; }

void epoch_issue(struct epoch *e, unsigned warp, unsigned order)
{
	struct epoch_warp *w = &e->warp[warp];
	struct epoch_cta *c = &e->cta[w->first];

	if (order & ORDER_CLEAR)
		w->stored = 0;
	if (order & ORDER_COUNT)
		count(e, c);
	c->others |= (order & ORDER_OTHERS) != 0;
	c->ordered |= (order & ORDER_COUNT) != 0;
	w->stored |= (uint8_t)(order & (ORDER_STORE_SHARED | ORDER_STORE_GLOBAL));
}

void epoch_released(struct epoch *e, unsigned first) { count(e, &e->cta[first]); }

enum epoch_verdict epoch_load(const struct epoch *e, unsigned warp, enum reuse_load kind, struct epoch_load *out)
{
	const struct epoch_warp *w = &e->warp[warp];
	const struct epoch_cta *c = &e->cta[w->first];
	const unsigned shared = kind != LOAD_GLOBAL ? ORDER_STORE_SHARED : 0;
	const unsigned where = shared | (kind != LOAD_SHARED ? ORDER_STORE_GLOBAL : 0);

	*out = (struct epoch_load){ EPOCH_ANY_CTA, 0 };
	if (kind == LOAD_CONSTANT || kind == LOAD_READ_ONLY)
		return EPOCH_YES;
	if (w->stored & where)
		return EPOCH_STORE;
	if (c->count == e->most)
		return EPOCH_BARRIERS;
	*out = (struct epoch_load){ kind == LOAD_GLOBAL && !c->others ? EPOCH_ANY_CTA : w->first, c->count };
	return EPOCH_YES;
}

bool epoch_ordered(const struct epoch *e, unsigned warp) { return e->cta[e->warp[warp].first].ordered; }
