#include "runtime-model/hierarchy/store.h"

#include "passes/strand.h"
#include "runtime-model/core/checked.h"

#include <string.h>

void store_init(struct store *s, const struct axis_ctx *cx, unsigned n)
{
	*s = (struct store){ .n = n, .k = cx->kernel, .st = cx->stats, .axes = cx->axes };
	s->e = new_array(cx->arena, struct store_entry, cx->warps * n);
	if (cx->checked)
		s->value = arena_alloc(cx->arena, cx->warps * n * sizeof *s->value, _Alignof(uint32_t));
}

/* ---- entries ---- */
struct store_entry *store_victim(const struct store *s, unsigned warp, unsigned first, unsigned n)
{
	struct store_entry *e = store_at(s, warp, first), *oldest = e;

	for (unsigned i = 1; i < n && oldest->used; i++)
		if (!e[i].used || e[i].order < oldest->order)
			oldest = &e[i];
	return oldest;
}

void store_take(struct store *s, struct store_entry *e, unsigned reg)
{
	*e = (struct store_entry){ .used = true, .reg = (uint8_t)reg, .order = ++s->clock };
}

void store_poison(const struct store *s, const struct store_entry *e, uint32_t lanes)
{
	uint32_t *value = store_value(s, e);

	for (; value && lanes; lanes &= lanes - 1) {
		unsigned l = (unsigned)__builtin_ctz(lanes);

		value[l] = checked_garbage((unsigned)(e - s->e), l);
	}
}

void store_drop(const struct store *s, struct store_entry *e)
{
	store_poison(s, e, UINT32_MAX);
	*e = (struct store_entry){ .used = false };
}

void store_clear(const struct store *s, unsigned warp)
{
	for (unsigned i = 0; i < s->n; i++)
		store_drop(s, store_at(s, warp, i));
}

/* ---- values that come ---- */
void store_put(const struct store *s, struct store_entry *e, uint32_t lanes, const uint32_t *value)
{
	uint32_t *to = store_value(s, e);

	e->lanes |= lanes;
	e->coming &= ~lanes;
	e->dead &= ~lanes;
	for (; to && value && lanes; lanes &= lanes - 1) {
		unsigned l = (unsigned)__builtin_ctz(lanes);

		to[l] = value[l];
	}
}

void store_write(const struct store *s, struct store_entry *e, const struct uop *u, unsigned dst, enum rf_level level,
		 bool through)
{
	store_put(s, e, u->active, u->dst_value ? u->dst_value[dst] : NULL);
	store_count(s->st, s->k, u, level, true, 1);
	s->st->rf_both_writes += through;
}

void store_expect(struct store_entry *e, const struct uop *u, uint32_t lanes)
{
	if (e->coming)
		return;
	e->coming = lanes;
	e->filler = u->id;
}

bool store_filled(const struct store *s, struct store_entry *e, const struct uop *u, unsigned src)
{
	if (!e || !e->coming || e->filler != u->id)
		return false;
	store_put(s, e, e->coming, u->src_value ? u->src_value[src] : NULL);
	store_count(s->st, s->k, u, LEVEL_L1, true, 1);
	s->st->rf_fills++;
	return true;
}

/* ---- values that go ---- */
bool store_latch(struct store *s, const struct uop *u, unsigned src, const struct store_entry *e, enum rf_level level,
		 unsigned number)
{
	struct latched *l = &s->latched[src];
	const uint32_t lanes = e ? e->lanes & u->active : 0;

	l->level = LEVEL_MRF;
	l->lanes = lanes;
	l->instead = NULL;
	if (!e || !e->lanes || (u->active && !lanes))
		return false;
	l->level = level;
	l->entry = number;
	if (s->value)
		memcpy(l->value, store_value(s, e), sizeof l->value);
	store_count(s->st, s->k, u, level, false, 1);
	s->st->rf_split_reads += (u->active & ~lanes) != 0;
	return !(u->active & ~lanes);
}

static struct store *store_of(struct hierarchy *h) { return (struct store *)(void *)h; }

void store_deliver(struct hierarchy *h, const struct uop *u, unsigned src, struct latched *out)
{
	(void)u;
	*out = store_of(h)->latched[src];
}

void store_warp_exit(struct hierarchy *h, unsigned warp) { store_clear(store_of(h), warp); }

uint32_t store_move(struct store *s, const struct uop *u)
{
	for (unsigned i = 0; i < u->nsrc; i++)
		s->latched[i] = (struct latched){ .level = LEVEL_MRF };
	return (uint32_t)(((uint64_t)1 << u->nsrc) - 1);
}

bool store_write_back(const struct store *s, struct store_entry *e, uint32_t lanes, struct extra *x)
{
	const uint32_t live = e->dirty & ~e->dead & lanes;

	if (live)
		extra_write_back(x, s->axes, (unsigned)(e - s->e) / s->n, e->reg, live, store_value(s, e));
	else if (e->dirty & lanes)
		s->st->rf_dead_evictions++;
	store_drop(s, e);
	return live != 0;
}

struct rf_access store_access(unsigned entries, unsigned warps, unsigned bits)
{
	const double accesses = bits / (1024. / OPERAND_ACCESSES);
	const struct rf_access a = orf_access_energy(LEVEL_L1, entries, warps);

	return (struct rf_access){ accesses * a.read, accesses * a.write };
}
