#include "runtime-model/hierarchy/cache.h"

#include "passes/rfc.h"

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

	store_init(&h->store, cx, CACHE_ENTRIES);
	h->hints = k->rfc;
	h->entries = p->rf_l1_entries;
	h->elide = (enum cache_hints)p->rfc_hints;
	h->two_levels = two_levels;
	h->lru = p->rfc_policy;
	h->sources = p->rfc_sources;
	h->bypass = p->rfc_bypass;
	h->flush_branches = p->rfc_flush_branches;
	h->epoch = new_array(cx->arena, uint32_t, cx->warps);
	h->insn = new_array(cx->arena, uint8_t, k->ninsn);
	for (uint32_t i = 0; i < k->ninsn; i++)
		h->insn[i] = (uint8_t)((insn_is_shared(&k->insn[i]) ? INSN_SHARED : 0) |
				       (insn_is_long(&k->insn[i]) ? INSN_LONG : 0) |
				       (is_backward(k, i) ? INSN_BACKWARD : 0));
	return h;
}

/* ---- entries ---- */
static struct store_entry *find_l1(const struct hierarchy *h, unsigned warp, unsigned reg)
{
	return store_find(&h->store, warp, 0, h->entries, reg);
}

static struct store_entry *find_l0(const struct hierarchy *h, unsigned warp, unsigned reg)
{
	return store_find(&h->store, warp, CACHE_L0, 1, reg);
}

/* In either level. */
static struct store_entry *find(const struct hierarchy *h, unsigned warp, unsigned reg)
{
	struct store_entry *e = find_l0(h, warp, reg);

	return e ? e : find_l1(h, warp, reg);
}

static bool is_l0(const struct hierarchy *h, unsigned warp, const struct store_entry *e)
{
	return e == store_at(&h->store, warp, CACHE_L0);
}

/* What entry e has of these lanes, and the main register file lacks, goes there. */
static void write_back(struct hierarchy *h, unsigned warp, struct store_entry *e, uint32_t lanes, bool flush,
		       struct extra *x)
{
	struct stats *st = h->store.st;

	if (!store_write_back(&h->store, e, lanes, x))
		return;
	*(is_l0(h, warp, e) ? &st->rf_l0_flushes : &st->rf_l1_evictions) += 1;
	st->rf_flushes += flush;
}

/* An entry of the L1 for a register that has none; another one may be pushed out. */
static struct store_entry *allocate(struct hierarchy *h, unsigned warp, unsigned reg, struct extra *x)
{
	struct store_entry *e = store_victim(&h->store, warp, 0, h->entries);

	if (e->used)
		write_back(h, warp, e, UINT32_MAX, false, x);
	store_take(&h->store, e, reg);
	return e;
}

/* The entry of the L0 goes to the L1, in which its register is not. */
static void push_down(struct hierarchy *h, unsigned warp, struct extra *x)
{
	struct store_entry *up = store_at(&h->store, warp, CACHE_L0), *down;

	if (!(up->dirty & ~up->dead)) {
		h->store.st->rf_dead_evictions++;
		store_drop(&h->store, up);
		return;
	}
	h->store.st->rf_l0_evictions++;
	down = allocate(h, warp, up->reg, x);
	up->order = down->order;
	*down = *up;
	if (h->store.value)
		memcpy(store_value(&h->store, down), store_value(&h->store, up), sizeof *h->store.value);
	store_drop(&h->store, up);
}

/* ---- reads ---- */
/* No thread of these lanes reads the register in e again. */
static void mark_dead(struct hierarchy *h, struct store_entry *e, uint32_t lanes)
{
	lanes &= e->lanes;
	e->dead |= lanes;
	store_poison(&h->store, e, lanes);
	if (h->elide == CACHE_HINTS_FREE && !(e->lanes & ~e->dead) && !e->coming) {
		h->store.st->rf_dead_evictions += e->dirty != 0;
		store_drop(&h->store, e);
	}
}

/* The entry that a unit finds a register in. Shared units are not connected to the L0: no lane of theirs has its value
 * there. */
static struct store_entry *look_up(struct hierarchy *h, const struct uop *u, unsigned reg, bool shared)
{
	struct store_entry *e = find_l0(h, u->warp, reg);

	h->store.st->tag_checks++;
	if (e && !shared)
		return e;
	assert(!e || !(u->active & e->lanes & ~e->dead));
	return find_l1(h, u->warp, reg);
}

/* Latches what the levels have of source s. False: the main register file must deliver it, or some of its lanes. */
static bool latch(struct hierarchy *h, const struct uop *u, unsigned s, bool shared)
{
	struct store_entry *e = look_up(h, u, u->src[s], shared);
	const bool l0 = e && is_l0(h, u->warp, e);
	const unsigned number = l0 || !e ? 0 : (unsigned)(e - store_at(&h->store, u->warp, 0));
	const bool whole = store_latch(&h->store, u, s, e, l0 ? LEVEL_L0 : LEVEL_L1, number);

	if (h->lru && h->store.latched[s].level)
		e->order = ++h->store.clock;
	return whole;
}

/* A source that the main register file delivers, in part at least, is to have an entry. */
static void expect(struct hierarchy *h, const struct uop *u, unsigned s, struct extra *x)
{
	struct store_entry *e = find_l1(h, u->warp, u->src[s]);
	const uint32_t lanes = u->active & ~(e ? e->lanes : 0);

	if (lanes && !find_l0(h, u->warp, u->src[s]))
		store_expect(e ? e : allocate(h, u->warp, u->src[s], x), u, lanes);
}

static void flush(struct hierarchy *h, unsigned warp, struct extra *x)
{
	for (unsigned i = 0; i < CACHE_ENTRIES; i++)
		if (store_at(&h->store, warp, i)->used)
			write_back(h, warp, store_at(&h->store, warp, i), UINT32_MAX, true, x);
	h->epoch[warp]++;
}

uint32_t cache_read(struct hierarchy *h, const struct uop *u, struct extra *x)
{
	const unsigned what = u->move ? 0 : h->insn[u->insn];
	const uint32_t last = h->elide && !u->move ? h->hints->last[u->insn] : 0;
	uint32_t from_main = 0;

	if (u->move)
		return store_move(&h->store, u);
	h->issued_in[u->id] = h->epoch[u->warp];
	for (unsigned s = 0; s < u->nsrc; s++)
		if (!latch(h, u, s, what & INSN_SHARED))
			from_main |= (uint32_t)1 << s;
	for (uint32_t m = last; m; m &= m - 1) {
		unsigned s = (unsigned)__builtin_ctz(m);
		struct store_entry *e = find(h, u->warp, u->src[s]);

		if (e)
			mark_dead(h, e, u->active);
	}
	for (uint32_t m = h->sources ? from_main & ~last : 0; m; m &= m - 1)
		expect(h, u, (unsigned)__builtin_ctz(m), x);
	if (h->flush_branches && what & INSN_BACKWARD)
		flush(h, u->warp, x);
	return from_main;
}

void cache_filled(struct hierarchy *h, const struct uop *u, uint32_t sources)
{
	for (; h->sources && !u->move && sources; sources &= sources - 1) {
		unsigned s = (unsigned)__builtin_ctz(sources);

		store_filled(&h->store, find_l1(h, u->warp, u->src[s]), u, s);
	}
}

/* ---- writes ---- */
/* A result goes past the cache: the lanes that it covers are here no longer, and the others go where they are. */
static void put_main(struct hierarchy *h, const struct uop *u, unsigned reg, struct extra *x)
{
	struct store_entry *e = find(h, u->warp, reg);

	if (e)
		write_back(h, u->warp, e, ~u->active, false, x);
}

static void put_l1(struct hierarchy *h, const struct uop *u, unsigned d, struct extra *x)
{
	struct store_entry *up = find_l0(h, u->warp, u->dst[d]), *e;

	if (up && up->lanes & ~up->dead & ~u->active)
		push_down(h, u->warp, x);
	else if (up)
		store_drop(&h->store, up);
	e = find_l1(h, u->warp, u->dst[d]);
	if (!e)
		e = allocate(h, u->warp, u->dst[d], x);
	else if (h->lru)
		e->order = ++h->store.clock;
	e->dirty |= u->active;
	store_write(&h->store, e, u, d, LEVEL_L1, false);
}

/* If the L1 has other lanes of the register, that is where these go too. */
static void put_l0(struct hierarchy *h, const struct uop *u, unsigned d, struct extra *x)
{
	struct store_entry *e = store_at(&h->store, u->warp, CACHE_L0), *down = find_l1(h, u->warp, u->dst[d]);

	if (down && down->lanes & ~down->dead & ~u->active) {
		put_l1(h, u, d, x);
		return;
	}
	if (down)
		store_drop(&h->store, down);
	if (e->used && e->reg != u->dst[d])
		push_down(h, u->warp, x);
	e->used = true;
	e->reg = u->dst[d];
	e->dirty |= u->active;
	store_write(&h->store, e, u, d, LEVEL_L0, false);
}

uint32_t cache_write(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x)
{
	const unsigned what = u->move ? 0 : h->insn[u->insn];
	const bool bypass = u->move || (h->bypass && what & INSN_LONG),
		   late = !bypass && h->issued_in[u->id] != h->epoch[u->warp];

	if (late)
		h->store.st->rf_late_writes += (unsigned)__builtin_popcount(dsts);
	for (uint32_t m = u->move ? 0 : dsts; m; m &= m - 1) {
		unsigned d = (unsigned)__builtin_ctz(m);

		h->store.st->tag_checks++;
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
	store_clear(&h->store, warp);
	h->epoch[warp]++;
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
