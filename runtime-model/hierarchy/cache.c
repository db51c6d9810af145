#include "runtime-model/hierarchy/cache.h"

#include "passes/rfc.h"
#include "runtime-model/core/checked.h"

#include <string.h>

/* bits of hierarchy.insn */
enum { INSN_SHARED = 1, INSN_LONG = 2, INSN_BACKWARD = 4 };

const char *const cache_parameters[] = { "rf_l1_entries", "rf_cost_entries",    "rf_flush",
					 "rfc_policy",    "rfc_hints",          "rfc_sources",
					 "rfc_bypass",    "rfc_flush_branches", NULL };

/* A branch that may go to an instruction before it, or to itself. */
static bool is_backward(const struct kernel *k, uint32_t i)
{
	struct ir_targets t;

	if (!(op_info[k->insn[i].op].flags & (OPF_BRANCH | OPF_TABLE)) || op_info[k->insn[i].op].flags & OPF_CALL)
		return false;
	t = ir_targets(k, &k->insn[i]);
	for (uint32_t n = 0; n < t.n; n++)
		if (k->block[ir_target(&t, n)].first <= i)
			return true;
	return false;
}

struct hierarchy *cache_create(const struct axis_ctx *cx, bool two_levels)
{
	struct hierarchy *h = new(cx->arena, struct hierarchy);
	const struct params *p = cx->params;
	const struct kernel *k = cx->kernel;

	h->st = cx->stats;
	h->axes = cx->axes;
	h->hints = k->rfc;
	h->entries = p->rf_l1_entries;
	h->elide = (enum cache_hints)p->rfc_hints;
	h->two_levels = two_levels;
	h->lru = p->rfc_policy;
	h->sources = p->rfc_sources;
	h->bypass = p->rfc_bypass;
	h->flush_branches = p->rfc_flush_branches;
	h->warp = new_array(cx->arena, struct cache_warp, cx->warps);
	h->insn = new_array(cx->arena, uint8_t, k->ninsn);
	for (uint32_t i = 0; i < k->ninsn; i++)
		h->insn[i] = (uint8_t)((insn_is_shared(&k->insn[i]) ? INSN_SHARED : 0) |
				       (insn_is_long(&k->insn[i]) ? INSN_LONG : 0) |
				       (is_backward(k, i) ? INSN_BACKWARD : 0));
	if (cx->checked)
		h->value = arena_alloc(cx->arena, cx->warps * sizeof *h->value, _Alignof(uint32_t));
	return h;
}

/* ---- entries ---- */
static uint32_t *value_of(const struct hierarchy *h, unsigned warp, const struct cache_entry *e)
{
	return h->value ? h->value[warp][e - h->warp[warp].e] : NULL;
}

/* Nobody may find here what was in these lanes. */
static void poison(const struct hierarchy *h, unsigned warp, const struct cache_entry *e, uint32_t lanes)
{
	uint32_t *value = value_of(h, warp, e);

	for (; value && lanes; lanes &= lanes - 1) {
		unsigned l = (unsigned)__builtin_ctz(lanes);

		value[l] = checked_garbage(warp * CACHE_ENTRIES + (unsigned)(e - h->warp[warp].e), l);
	}
}

static void give_up(const struct hierarchy *h, unsigned warp, struct cache_entry *e)
{
	poison(h, warp, e, UINT32_MAX);
	*e = (struct cache_entry){ .used = false };
}

static struct cache_entry *find_l1(const struct hierarchy *h, unsigned warp, unsigned reg)
{
	struct cache_entry *e = h->warp[warp].e;

	for (unsigned i = 0; i < h->entries; i++)
		if (e[i].used && e[i].reg == reg)
			return &e[i];
	return NULL;
}

static struct cache_entry *find_l0(const struct hierarchy *h, unsigned warp, unsigned reg)
{
	struct cache_entry *e = &h->warp[warp].e[CACHE_L0];

	return e->used && e->reg == reg ? e : NULL;
}

static bool is_l0(const struct hierarchy *h, unsigned warp, const struct cache_entry *e)
{
	return e == &h->warp[warp].e[CACHE_L0];
}

/* What entry e has of these lanes, and the main register file lacks, goes there. */
static void write_back(struct hierarchy *h, unsigned warp, struct cache_entry *e, uint32_t lanes, bool flush,
		       struct extra *x)
{
	const uint32_t live = e->dirty & ~e->dead & lanes;

	if (live) {
		*(is_l0(h, warp, e) ? &h->st->rf_l0_flushes : &h->st->rf_l1_evictions) += 1;
		h->st->rf_flushes += flush;
		extra_write_back(x, h->axes, warp, e->reg, live, value_of(h, warp, e));
	} else if (e->dirty & lanes) {
		h->st->rf_dead_evictions++;
	}
	give_up(h, warp, e);
}

/* An entry of the L1 for a register that has none, first the free ones; another one is pushed out. */
static struct cache_entry *allocate(struct hierarchy *h, unsigned warp, unsigned reg, struct extra *x)
{
	struct cache_entry *e = h->warp[warp].e, *oldest = e;

	for (unsigned i = 1; i < h->entries && oldest->used; i++)
		if (!e[i].used || e[i].order < oldest->order)
			oldest = &e[i];
	if (oldest->used)
		write_back(h, warp, oldest, UINT32_MAX, false, x);
	*oldest = (struct cache_entry){ .used = true, .reg = (uint8_t)reg, .order = ++h->clock };
	return oldest;
}

/* The entry of the L0 goes to the L1, in which its register is not. */
static void push_down(struct hierarchy *h, unsigned warp, struct extra *x)
{
	struct cache_entry *up = &h->warp[warp].e[CACHE_L0], *down;

	if (!(up->dirty & ~up->dead)) {
		h->st->rf_dead_evictions++;
		give_up(h, warp, up);
		return;
	}
	h->st->rf_l0_evictions++;
	down = allocate(h, warp, up->reg, x);
	up->order = down->order;
	*down = *up;
	if (h->value)
		memcpy(value_of(h, warp, down), value_of(h, warp, up), WARP_LANES * sizeof(uint32_t));
	give_up(h, warp, up);
}

static void put(const struct hierarchy *h, unsigned warp, struct cache_entry *e, uint32_t lanes,
		const uint32_t value[WARP_LANES])
{
	uint32_t *to = value_of(h, warp, e);

	e->lanes |= lanes;
	e->coming &= ~lanes;
	e->dead &= ~lanes;
	for (; to && value && lanes; lanes &= lanes - 1) {
		unsigned l = (unsigned)__builtin_ctz(lanes);

		to[l] = value[l];
	}
}

/* ---- reads ---- */
/* No thread of these lanes reads the register in e again. */
static void mark_dead(struct hierarchy *h, unsigned warp, struct cache_entry *e, uint32_t lanes)
{
	lanes &= e->lanes;
	e->dead |= lanes;
	poison(h, warp, e, lanes);
	if (h->elide == CACHE_HINTS_FREE && !(e->lanes & ~e->dead) && !e->coming) {
		h->st->rf_dead_evictions += e->dirty != 0;
		give_up(h, warp, e);
	}
}

/* The entry that a unit finds a register in. Shared units are not connected to the L0: no lane of theirs has its value
 * there. */
static struct cache_entry *look_up(struct hierarchy *h, const struct uop *u, unsigned reg, bool shared)
{
	struct cache_entry *e = find_l0(h, u->warp, reg);

	h->st->tag_checks++;
	if (e && !shared)
		return e;
	assert(!e || !(u->active & e->lanes & ~e->dead));
	return find_l1(h, u->warp, reg);
}

/* Latches what the levels have of source s. False: the main register file must deliver it, or some of its lanes. */
static bool latch(struct hierarchy *h, const struct uop *u, unsigned s, bool shared)
{
	struct cache_entry *e = look_up(h, u, u->src[s], shared);
	struct latched *l = &h->latched[s];
	const uint32_t lanes = e ? e->lanes & u->active : 0;

	l->level = LEVEL_MRF;
	l->lanes = lanes;
	l->instead = NULL;
	if (!e || !e->lanes || (u->active && !lanes))
		return false;
	l->level = is_l0(h, u->warp, e) ? LEVEL_L0 : LEVEL_L1;
	l->entry = l->level == LEVEL_L0 ? 0 : (unsigned)(e - h->warp[u->warp].e);
	if (h->value)
		memcpy(l->value, value_of(h, u->warp, e), sizeof l->value);
	if (h->lru)
		e->order = ++h->clock;
	h->st->rf_l0_reads += l->level == LEVEL_L0;
	h->st->rf_l1_reads += l->level == LEVEL_L1;
	h->st->rf_l1_shared_reads += l->level == LEVEL_L1 && shared;
	h->st->rf_split_reads += (u->active & ~lanes) != 0;
	return !(u->active & ~lanes);
}

/* A source that the main register file delivers, in part at least, is to have an entry. */
static void expect(struct hierarchy *h, const struct uop *u, unsigned s, struct extra *x)
{
	struct cache_entry *e = find_l1(h, u->warp, u->src[s]);
	const uint32_t lanes = u->active & ~(e ? e->lanes : 0);

	if (!lanes || find_l0(h, u->warp, u->src[s]))
		return;
	if (!e)
		e = allocate(h, u->warp, u->src[s], x);
	if (e->coming) /* from an older reader */
		return;
	e->coming = lanes;
	e->filler = u->id;
}

static void flush(struct hierarchy *h, unsigned warp, struct extra *x)
{
	struct cache_warp *w = &h->warp[warp];

	for (unsigned i = 0; i < CACHE_ENTRIES; i++)
		if (w->e[i].used)
			write_back(h, warp, &w->e[i], UINT32_MAX, true, x);
	w->epoch++;
}

uint32_t cache_read(struct hierarchy *h, const struct uop *u, struct extra *x)
{
	const unsigned what = u->move ? 0 : h->insn[u->insn];
	const uint32_t last = h->elide && !u->move ? h->hints->last[u->insn] : 0;
	uint32_t from_main = 0;

	if (u->move) { /* of the main register file, whatever is above it */
		for (unsigned s = 0; s < u->nsrc; s++)
			h->latched[s] = (struct latched){ .level = LEVEL_MRF };
		return (uint32_t)(((uint64_t)1 << u->nsrc) - 1);
	}
	h->issued_in[u->id] = h->warp[u->warp].epoch;
	for (unsigned s = 0; s < u->nsrc; s++)
		if (!latch(h, u, s, what & INSN_SHARED))
			from_main |= (uint32_t)1 << s;
	for (uint32_t m = last; m; m &= m - 1) {
		unsigned s = (unsigned)__builtin_ctz(m);
		struct cache_entry *e = find_l0(h, u->warp, u->src[s]);

		e = e ? e : find_l1(h, u->warp, u->src[s]);
		if (e)
			mark_dead(h, u->warp, e, u->active);
	}
	for (uint32_t m = h->sources ? from_main & ~last : 0; m; m &= m - 1)
		expect(h, u, (unsigned)__builtin_ctz(m), x);
	if (h->flush_branches && what & INSN_BACKWARD)
		flush(h, u->warp, x);
	return from_main;
}

void cache_deliver(struct hierarchy *h, const struct uop *u, unsigned src, struct latched *out)
{
	(void)u;
	*out = h->latched[src];
}

void cache_filled(struct hierarchy *h, const struct uop *u, uint32_t sources)
{
	for (; h->sources && !u->move && sources; sources &= sources - 1) {
		unsigned s = (unsigned)__builtin_ctz(sources);
		struct cache_entry *e = find_l1(h, u->warp, u->src[s]);

		if (!e || !e->coming || e->filler != u->id) /* it was pushed out, or overwritten */
			continue;
		put(h, u->warp, e, e->coming, u->src_value ? u->src_value[s] : NULL);
		h->st->rf_l1_writes++;
		h->st->rf_l1_shared_writes += (h->insn[u->insn] & INSN_SHARED) != 0;
		h->st->rf_fills++;
	}
}

/* ---- writes ---- */
/* A result goes past the cache: the lanes that it covers are here no longer, and the others go where they are. */
static void put_main(struct hierarchy *h, const struct uop *u, unsigned reg, struct extra *x)
{
	struct cache_entry *e = find_l0(h, u->warp, reg);

	e = e ? e : find_l1(h, u->warp, reg);
	if (e)
		write_back(h, u->warp, e, ~u->active, false, x);
}

static void put_l1(struct hierarchy *h, const struct uop *u, unsigned d, struct extra *x)
{
	struct cache_entry *up = find_l0(h, u->warp, u->dst[d]), *e;

	if (up && up->lanes & ~up->dead & ~u->active)
		push_down(h, u->warp, x);
	else if (up)
		give_up(h, u->warp, up);
	e = find_l1(h, u->warp, u->dst[d]);
	if (!e)
		e = allocate(h, u->warp, u->dst[d], x);
	else if (h->lru)
		e->order = ++h->clock;
	e->dirty |= u->active;
	put(h, u->warp, e, u->active, u->dst_value ? u->dst_value[d] : NULL);
	h->st->rf_l1_writes++;
	h->st->rf_l1_shared_writes += (h->insn[u->insn] & INSN_SHARED) != 0;
}

/* If the L1 has other lanes of the register, that is where these go too. */
static void put_l0(struct hierarchy *h, const struct uop *u, unsigned d, struct extra *x)
{
	struct cache_entry *e = &h->warp[u->warp].e[CACHE_L0], *down = find_l1(h, u->warp, u->dst[d]);

	if (down && down->lanes & ~down->dead & ~u->active) {
		put_l1(h, u, d, x);
		return;
	}
	if (down)
		give_up(h, u->warp, down);
	if (e->used && e->reg != u->dst[d])
		push_down(h, u->warp, x);
	e->used = true;
	e->reg = u->dst[d];
	e->dirty |= u->active;
	put(h, u->warp, e, u->active, u->dst_value ? u->dst_value[d] : NULL);
	h->st->rf_l0_writes++;
}

uint32_t cache_write(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x)
{
	const unsigned what = u->move ? 0 : h->insn[u->insn];
	const bool bypass = u->move || (h->bypass && what & INSN_LONG),
		   late = !bypass && h->issued_in[u->id] != h->warp[u->warp].epoch;

	if (late)
		h->st->rf_late_writes += (unsigned)__builtin_popcount(dsts);
	for (uint32_t m = u->move ? 0 : dsts; m; m &= m - 1) {
		unsigned d = (unsigned)__builtin_ctz(m);

		h->st->tag_checks++;
		if (bypass || late)
			put_main(h, u, u->dst[d], x);
		else if (!h->two_levels || what & INSN_SHARED || h->hints->shared[u->insn] >> d & 1)
			put_l1(h, u, d, x);
		else
			put_l0(h, u, d, x);
	}
	return bypass || late ? dsts : 0;
}

/* ---- warps ---- */
void cache_suspend(struct hierarchy *h, unsigned warp, struct extra *x) { flush(h, warp, x); }

/* Its registers are dead: nothing is written back. */
void cache_warp_exit(struct hierarchy *h, unsigned warp)
{
	for (unsigned i = 0; i < CACHE_ENTRIES; i++)
		give_up(h, warp, &h->warp[warp].e[i]);
	h->warp[warp].epoch++;
}

/* ---- encoding: where a warp is descheduled, if it loses something then; a last read for each of three operands
 * ---- */
/* Entries with their tags: the register's number, whether the entry holds one, and whether the main register file lacks
 * it. The paper gives tags no size (section 4.1): own reading. */
unsigned cache_storage(const struct params *p, bool two_levels, struct storage_part out[])
{
	const unsigned tag = index_bits(STORAGE_REGISTERS) + 2;

	out[0] = (struct storage_part){ "L1 of a cache", level_bits(p, p->rf_l1_entries, 0) };
	out[1] = (struct storage_part){ "tags", level_bits(p, p->rf_l1_entries + two_levels, tag) -
							level_bits(p, p->rf_l1_entries + two_levels, 0) };
	out[2] = (struct storage_part){ "L0 of a cache", level_bits(p, 1, 0) };
	return two_levels ? 3 : 2;
}

unsigned cache_encoding_bits(const struct params *p) { return (p->rf_flush ? 1 : 0) + (p->rfc_hints ? 3 : 0); }
