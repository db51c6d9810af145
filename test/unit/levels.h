/* A small hierarchy for tests: an L0 and an L1 of one entry each, into which every result goes, the older one pushing
 * the other out. Entries know their lanes. What a test wants of it stands in struct levels; what it has seen too. One
 * SM. */
#ifndef REGLOOM_TEST_LEVELS_H
#define REGLOOM_TEST_LEVELS_H

#include "stream.h"

#include "runtime-model/core/checked.h"

#include <stddef.h>

struct level_entry {
	bool there, clean;
	uint8_t reg;
	uint32_t lanes, value[WARP_LANES];
};

struct levels {
	struct hierarchy_ops ops;
	const struct axis_ctx *cx;
	struct axis_ctx ctx;
	struct level_entry e[64][2]; /* by warp: L1, L0 */
	bool away[64];               /* suspended, and has not issued since */
	bool owed[64];               /* a result of `owes` is outstanding */
	/* what it does */
	bool fill; /* operands of the main register file go to the L1 if that is empty */
	/* registers: never written back; lost if its result comes after suspension; written to both; or -1 */
	int dead, drop, both;
	/* registers that the upper levels deliver as nothing, with a wrong bit; or -1 */
	int lose, flip;
	/* a register: while one of its writes is outstanding nothing that writes a register issues; or -1 */
	int owes;
	unsigned all; /* 1: the L1 delivers every operand, and takes every result */
	/* what it saw */
	unsigned n_read, n_write, n_hazard, n_refused, n_filled, n_suspend, n_exit, bad;
	cycle read_at, written_at; /* of the last of them */
};

#define LEVELS(h) ((struct levels *)(void *)(uintptr_t)(h))

static inline struct hierarchy *levels_create(const struct axis_ctx *cx)
{
	struct levels *t =
		(struct levels *)(void *)((char *)(uintptr_t)cx->axes->rf->hierarchy - offsetof(struct levels, ops));

	t->ctx = *cx;
	t->cx = &t->ctx;
	memset(t->e, 0, sizeof t->e);
	memset(t->away, 0, sizeof t->away);
	memset(t->owed, 0, sizeof t->owed);
	return (void *)t;
}

static inline struct level_entry *levels_find(struct levels *t, const struct uop *u, unsigned src, unsigned *at)
{
	for (*at = 0; *at < 2; ++*at)
		if (t->e[u->warp][*at].there && t->e[u->warp][*at].reg == u->src[src])
			return &t->e[u->warp][*at];
	return NULL;
}

static inline uint32_t levels_read(struct hierarchy *h, const struct uop *u, struct extra *x)
{
	struct levels *t = LEVELS(h);
	struct stats *st = t->cx->stats;
	uint32_t from_main = 0;

	(void)x;
	t->n_read++;
	t->read_at = *t->cx->now;
	t->away[u->warp] = false;
	t->bad += u->id >= UOP_IDS;
	for (unsigned d = 0; d < u->ndst; d++)
		t->owed[u->warp] |= u->active && u->dst[d] == t->owes;
	for (unsigned s = 0; s < u->nsrc; s++) {
		unsigned at;
		const struct level_entry *e = levels_find(t, u, s, &at);
		const bool some = t->all || (e && (e->lanes & u->active));

		st->tag_checks++;
		st->rf_l1_reads += some && (t->all || at == 0);
		st->rf_l1_shared_reads += some && (t->all || at == 0) && u->fu == FU_SFU;
		st->rf_l0_reads += some && !t->all && at == 1;
		if (some && (t->all || !(u->active & ~e->lanes)))
			continue;
		st->rf_split_reads += some;
		from_main |= (uint32_t)1 << s;
	}
	return from_main;
}

static inline void levels_deliver(struct hierarchy *h, const struct uop *u, unsigned src, struct latched *out)
{
	struct levels *t = LEVELS(h);
	unsigned at;
	const struct level_entry *e = levels_find(t, u, src, &at);

	if (!e || !(e->lanes & u->active))
		return;
	out->level = at ? LEVEL_L0 : LEVEL_L1;
	out->entry = 0;
	out->lanes = e->lanes & u->active;
	out->instead = e->reg == t->lose ? "nothing" : NULL;
	memcpy(out->value, e->value, sizeof e->value);
	out->value[3] ^= e->reg == t->flip;
}

/* Entry at, 1: L0, goes one level down. */
static inline void levels_evict(struct levels *t, unsigned warp, unsigned at, bool flush, struct extra *x)
{
	struct level_entry *e = &t->e[warp][at];
	struct stats *st = t->cx->stats;

	if (!e->there)
		return;
	if (e->reg == t->dead || e->clean) {
		st->rf_dead_evictions += e->reg == t->dead;
	} else if (at == 1 && !flush) {
		levels_evict(t, warp, 0, false, x);
		t->e[warp][0] = *e;
		st->rf_l0_evictions++;
	} else {
		*(at ? &st->rf_l0_flushes : &st->rf_l1_evictions) += 1;
		st->rf_flushes += flush;
		extra_write_back(x, t->cx->axes, warp, e->reg, e->lanes, e->value);
	}
	e->there = false;
}

static inline void levels_put(struct levels *t, const struct uop *u, unsigned at, unsigned reg, const uint32_t *value,
			      bool clean, struct extra *x)
{
	struct level_entry *e = &t->e[u->warp][at];

	if (!e->there || e->reg != reg) {
		struct level_entry *down = &t->e[u->warp][0];
		struct level_entry same = *down;

		if (at == 1 && same.there && same.reg == reg)
			down->there = false;
		levels_evict(t, u->warp, at, false, x);
		*e = (struct level_entry){ .there = true, .clean = clean, .reg = (uint8_t)reg };
		if (at == 1 && same.there && same.reg == reg) { /* its other lanes move up */
			e->lanes = same.lanes;
			memcpy(e->value, same.value, sizeof e->value);
		}
	}
	e->clean = clean;
	e->lanes |= u->active;
	for (unsigned l = 0; value && l < WARP_LANES; l++)
		if (u->active >> l & 1)
			e->value[l] = value[l];
}

static inline uint32_t levels_write(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x)
{
	struct levels *t = LEVELS(h);
	struct stats *st = t->cx->stats;
	uint32_t to_main = 0;

	t->n_write++;
	t->written_at = *t->cx->now;
	t->bad += !dsts || dsts >> u->ndst || !u->active;
	for (uint32_t m = dsts; m; m &= m - 1) {
		unsigned d = (unsigned)__builtin_ctz(m), reg = u->dst[d];

		if (reg == (unsigned)t->owes)
			t->owed[u->warp] = false;
		if (t->all) {
			st->rf_l1_writes++;
			st->rf_l1_shared_writes += u->fu == FU_SFU;
		} else if (t->away[u->warp]) {
			if (reg == (unsigned)t->drop) {
				st->rf_dropped_writes++;
			} else {
				st->rf_late_writes++;
				to_main |= (uint32_t)1 << d;
			}
		} else {
			levels_put(t, u, 1, reg, u->dst_value ? u->dst_value[d] : NULL, false, x);
			st->rf_l0_writes++;
			if (reg == (unsigned)t->both) {
				st->rf_both_writes++;
				to_main |= (uint32_t)1 << d;
			}
		}
	}
	return to_main;
}

static inline void levels_filled(struct hierarchy *h, const struct uop *u, uint32_t sources)
{
	struct levels *t = LEVELS(h);
	struct extra x = { .n = 0 };

	t->n_filled++;
	for (; t->fill && !t->away[u->warp] && u->active && sources; sources &= sources - 1) {
		unsigned s = (unsigned)__builtin_ctz(sources), at;

		if (t->e[u->warp][0].there || levels_find(t, u, s, &at))
			continue;
		levels_put(t, u, 0, u->src[s], u->src_value ? u->src_value[s] : NULL, true, &x);
		t->cx->stats->rf_l1_writes++;
		t->cx->stats->rf_l1_shared_writes += u->fu == FU_SFU;
		t->cx->stats->rf_fills++;
	}
	t->bad += x.n;
}

static inline bool levels_owes(const struct hierarchy *h, const struct uop *u)
{
	struct levels *t = LEVELS(h);

	t->n_hazard++;
	t->n_refused += t->owed[u->warp] && u->ndst;
	return t->owed[u->warp] && u->ndst;
}

static inline void levels_give_up(struct hierarchy *h, unsigned warp, struct extra *x)
{
	struct levels *t = LEVELS(h);

	t->n_suspend++;
	levels_evict(t, warp, 0, true, x);
	levels_evict(t, warp, 1, true, x);
	t->away[warp] = true;
}

static inline void levels_exit(struct hierarchy *h, unsigned warp)
{
	struct levels *t = LEVELS(h);

	t->n_exit++;
	memset(t->e[warp], 0, sizeof t->e[warp]);
	t->away[warp] = t->owed[warp] = false;
}

/* Makes t the hierarchy of s, whose other axes stay. */
static inline void levels_use(struct levels *t, struct stream *s)
{
	*t = (struct levels){
		.ops = { .name = "levels",
			 .create = levels_create,
			 .two_level = true,
			 .writes_back = true,
			 .read = levels_read,
			 .write = levels_write,
			 .filled = levels_filled,
			 .suspend = levels_give_up,
			 .warp_exit = levels_exit,
			 .deliver = levels_deliver },
		.dead = -1,
		.drop = -1,
		.both = -1,
		.lose = -1,
		.flip = -1,
		.owes = -1,
	};
	s->rf.hierarchy = &t->ops;
}

#endif
