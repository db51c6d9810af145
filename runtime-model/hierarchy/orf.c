/* Operand register files that the compiler controls (Gebhart et al., TOCS 2012, sections 4.2 to 4.6): an ORF of a few
 * entries a thread, above it perhaps an LRF of one entry, or of one for each operand slot. The annotation of the
 * object (passes/orf.h) says of each operand in which entry it is; there are no tags, and nothing is ever written
 * back.
 *
 *   read      when the instruction issues. A fill reads the main register file, and the entry gets the value as it
 *             comes.
 *   write     when the result comes, to the entry, the main register file, or both.
 *   hazard    entries are names like those of registers: an instruction waits while one that it reads or writes is
 *             owed a value.
 *   suspended a warp has no entries. What was on its way to them is dropped; the compiler has seen to it that nobody
 *             reads it.
 *
 * In checked mode entries carry values. Those of a lane are garbage from where the lane begins a strand, and a value
 * that comes when the lane has left the strand that it was meant for is garbage too. A strand goes forward in the code
 * and has one entry: so a lane is in another one, or in the same one again, where the strand's number changes or its
 * instructions do not go on forward. */
#include "analyzer/base/kernel_name.h"
#include "runtime-model/hierarchy/orf.h"

#include "analyzer/elf/rlo.h"
#include "runtime-model/hierarchy/store.h"

#include <string.h>

/* of one instruction in flight */
struct on_its_way {
	uint8_t place[UOP_SRC_MAX + UOP_DST_MAX]; /* as the annotation has it, entries of a pool resolved */
	uint32_t period;                          /* of its warp, when it issued */
	uint32_t (*life)[WARP_LANES];             /* checked mode: of each lane, when it issued */
};

/* where a lane was last; in how many strands it has been */
struct thread {
	uint32_t strand, at, life;
};

struct hierarchy {
	const struct kernel *k;
	const struct orf *places;
	struct stats *st;
	struct orf_pool *pool;  /* NULL: every warp has its own entries */
	struct on_its_way *way; /* by uop.id */
	/* period: counts suspensions; owed: values on their way */
	struct {
		uint32_t period;
		uint8_t owed[ORF_CELLS];
	} * warp;
	/* in checked mode, else NULL: what the entries hold; where the lanes of each warp are */
	struct store *store;
	struct thread (*lane)[WARP_LANES];
};

static unsigned cell_of(uint8_t place)
{
	return place_level(place) == LEVEL_L0 ? ORF_ENTRIES + place_entry(place) : place_entry(place);
}

/* ---- what the object says ---- */
static bool damaged(const struct axis_ctx *cx, enum orf_organisation org, uint32_t insn, const char *what)
{
	return diag_error_plain(cx->diag, cx->kernel->name,
				"the places for hierarchy=%s are damaged: instruction %u %s",
				orf_organisation_name[org], (unsigned)insn, what);
}

/* slot: the operand slot of a source; LRF_ENTRIES: of a result. */
static bool check_place(const struct axis_ctx *cx, enum orf_organisation org, uint32_t insn, uint8_t place,
			unsigned slot)
{
	if (!place_valid(place, org, cx->kernel->orf[org]->entries))
		return damaged(cx, org, insn, "names an entry that there is not");
	if (place_level(place) != LEVEL_L0)
		return true;
	if (insn_is_shared(&cx->kernel->insn[insn]))
		return damaged(cx, org, insn, "names the LRF, which its unit does not reach");
	return org == ORG_LRF || slot == place_entry(place) || slot == LRF_ENTRIES ||
	       damaged(cx, org, insn, "reads the LRF of another operand slot");
}

static bool check_places(const struct axis_ctx *cx, enum orf_organisation org)
{
	const struct kernel *k = cx->kernel;
	const struct orf *o = k->orf[org];

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct insn_regs r;

		ir_insn_regs(k, &k->insn[i], &r);
		if (o->at[i + 1] - o->at[i] != r.nsrc + r.ndst)
			return damaged(cx, org, i, "has other operands");
		for (unsigned s = 0; s < r.nsrc + r.ndst; s++) {
			unsigned slot;
			if (s >= r.nsrc)
				slot = LRF_ENTRIES;
			else
				slot = r.slot[s] == NO_SLOT ? UINT8_MAX : r.slot[s];

			if (!check_place(cx, org, i, o->place[o->at[i] + s], slot))
				return false;
		}
	}
	return true;
}

/* The rf_flush of machines on which warps keep their entries, or lose them, where the strands are made for that. */
static unsigned made_for(const struct strands *t)
{
	if (t->never_flush)
		return 0;
	return t->past_barriers ? 2 : 1;
}

static struct hierarchy *create(const struct axis_ctx *cx, enum orf_organisation org, bool pooled)
{
	const struct params *p = cx->params;
	const struct kernel *k = cx->kernel;
	struct hierarchy *h;

	if (!pooled && k->orf[org]->entries != p->rf_l1_entries) {
		diag_error_plain(cx->diag, k->name,
				 "the object uses %u ORF entries a thread, and the machine has %u: annotate the PTX "
				 "again with --orf-entries=%u, or "
				 "--set rf_l1_entries=%u",
				 k->orf[org]->entries, p->rf_l1_entries, p->rf_l1_entries, k->orf[org]->entries);
		return NULL;
	}
	if (made_for(k->strand) != p->rf_flush) {
		static const char *const how[] = { "with --orf-never-flush",
						   "with neither --orf-never-flush nor --orf-past-barriers",
						   "with --orf-past-barriers" };

		diag_error_plain(cx->diag, k->name,
				 "the object is made for rf_flush=%u, as it is annotated %s, and here it is %u: "
				 "annotate %s, or --set rf_flush=%u",
				 made_for(k->strand), how[made_for(k->strand)], p->rf_flush, how[p->rf_flush],
				 made_for(k->strand));
		return NULL;
	}
	if (!check_places(cx, org))
		return NULL;
	h = new(cx->arena, struct hierarchy);
	h->k = k;
	h->places = k->orf[org];
	h->st = cx->stats;
	h->way = new_array(cx->arena, struct on_its_way, UOP_IDS);
	h->warp = arena_alloc(cx->arena, cx->warps * sizeof *h->warp, _Alignof(uint32_t));
	if (pooled && !(h->pool = orf_pool_new(cx, h->places)))
		return NULL;
	if (!cx->checked)
		return h;
	h->store = new(cx->arena, struct store);
	store_init(h->store, cx, ORF_CELLS);
	h->lane = arena_alloc(cx->arena, cx->warps * sizeof *h->lane, _Alignof(struct thread));
	for (unsigned i = 0; i < UOP_IDS; i++)
		h->way[i].life = arena_alloc(cx->arena, sizeof *h->way[i].life, _Alignof(uint32_t));
	return h;
}

static struct hierarchy *orf_create(const struct axis_ctx *cx) { return create(cx, ORG_ORF, false); }
static struct hierarchy *lrf_orf_create(const struct axis_ctx *cx) { return create(cx, ORG_LRF, false); }
static struct hierarchy *split_lrf_orf_create(const struct axis_ctx *cx) { return create(cx, ORG_SPLIT, false); }
static struct hierarchy *orf_variable_create(const struct axis_ctx *cx) { return create(cx, ORG_ORF, true); }

/* The same size of the arrays may be several numbers of entries and warps. */
static bool same_energy(enum orf_organisation org, unsigned entries, unsigned warps, unsigned other_entries,
			unsigned other_warps)
{
	for (unsigned l = LEVEL_L1; l <= (org == ORG_ORF ? LEVEL_L1 : LEVEL_L0); l++) {
		struct rf_access a = orf_access_energy(l, entries, warps),
				 b = orf_access_energy(l, other_entries, other_warps);

		if (a.read < b.read || a.read > b.read || a.write < b.write || a.write > b.write)
			return false;
	}
	return true;
}

/* The compiler chose places by the energy of other arrays than the machine's. */
static const char *remark(const struct params *p, const struct kernel *k, struct arena *a, enum orf_organisation org,
			  bool pooled)
{
	const struct orf_options *o = &k->orf[org]->options;
	const unsigned for_entries = o->cost_entries ? o->cost_entries : o->entries, entries = params_cost_entries(p);
	const unsigned active = params_active_warps(p), warps = active < ORF_WARPS_MAX ? active : ORF_WARPS_MAX;

	if (same_energy(org, for_entries, o->warps, entries, warps))
		return NULL;
	return arena_printf(a,
			    "the operands of %s have their places by the energy of %u ORF entries and %u active warps, "
			    "and here it is that of %u and %u: "
			    "annotate with --orf%s-entries=%u --orf-warps=%u",
			    kernel_name(k->name, a), for_entries, o->warps, entries, warps,
			    pooled || p->rf_cost_entries ? "-cost" : "", entries, warps);
}

static const char *orf_remark(const struct params *p, const struct kernel *k, struct arena *a)
{
	return remark(p, k, a, ORG_ORF, false);
}
static const char *lrf_orf_remark(const struct params *p, const struct kernel *k, struct arena *a)
{
	return remark(p, k, a, ORG_LRF, false);
}
static const char *split_lrf_orf_remark(const struct params *p, const struct kernel *k, struct arena *a)
{
	return remark(p, k, a, ORG_SPLIT, false);
}
static const char *orf_variable_remark(const struct params *p, const struct kernel *k, struct arena *a)
{
	return remark(p, k, a, ORG_ORF, true);
}

/* ---- values, in checked mode ---- */
static void poison(struct hierarchy *h, unsigned warp, unsigned lane)
{
	h->lane[warp][lane].life++;
	for (unsigned c = 0; c < ORF_CELLS; c++)
		store_poison(h->store, store_at(h->store, warp, c), (uint32_t)1 << lane);
}

static void poison_all(struct hierarchy *h, unsigned warp)
{
	for (unsigned l = 0; h->store && l < WARP_LANES; l++)
		poison(h, warp, l);
}

/* The lanes that execute u are in its strand now, and may have left another. */
static void follow(struct hierarchy *h, const struct uop *u)
{
	const uint32_t strand = h->k->strand->id[u->insn];
	const bool begins = h->k->strand->begin[u->insn] & STRAND_BEGIN;

	for (uint32_t m = u->active; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);
		struct thread *t = &h->lane[u->warp][l];

		if (begins || t->strand != strand || t->at >= u->insn)
			poison(h, u->warp, l);
		t->strand = strand;
		t->at = u->insn;
		(*h->way[u->id].life)[l] = t->life;
	}
}

/* A lane that has left the strand of u gets garbage. */
static void put(struct hierarchy *h, const struct uop *u, unsigned cell, const uint32_t value[WARP_LANES])
{
	struct store_entry *e = store_at(h->store, u->warp, cell);
	uint32_t here = 0;

	for (uint32_t m = u->active; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		if (h->lane[u->warp][l].life == (*h->way[u->id].life)[l])
			here |= (uint32_t)1 << l;
	}
	store_poison(h->store, e, u->active & ~here);
	store_put(h->store, e, here, value);
}

static void deliver(struct hierarchy *h, const struct uop *u, unsigned src, struct latched *out)
{
	const uint8_t place = u->move ? PLACE_MRF : h->way[u->id].place[src];

	out->level = LEVEL_MRF;
	if (!place_level(place) || place_mrf(place))
		return;
	out->level = place_level(place);
	out->entry = place_entry(place);
	out->lanes = u->active;
	out->instead = NULL;
	memcpy(out->value, store_value(h->store, store_at(h->store, u->warp, cell_of(place))), sizeof out->value);
}

/* ---- places ---- */
/* Operand i of u, sources first: where the annotation, or the pool, has it for its warp. */
static uint8_t place(const struct hierarchy *h, const struct uop *u, unsigned i)
{
	const uint8_t p = h->places->place[h->places->at[u->insn] + i];
	unsigned entry;

	if (!h->pool || place_level(p) != LEVEL_L1)
		return p;
	entry = orf_pool_entry(h->pool, u->warp, h->k->strand->id[u->insn], place_entry(p));
	return entry < ORF_ENTRIES ? place_of(LEVEL_L1, entry, place_mrf(p)) : PLACE_MRF;
}

/* A strand that may get entries of a pool anew waits for all that were the warp's. */
static bool hazard(const struct hierarchy *h, const struct uop *u)
{
	if (h->pool && !u->move && h->k->strand->begin[u->insn] & STRAND_BEGIN)
		for (unsigned c = 0; c < ORF_CELLS; c++)
			if (h->warp[u->warp].owed[c])
				return true;
	for (unsigned i = 0; !u->move && i < u->nsrc + u->ndst; i++) {
		uint8_t p = place(h, u, i);

		if (place_level(p) && h->warp[u->warp].owed[cell_of(p)])
			return true;
	}
	return false;
}

/* Nothing that is on its way to the warp's entries may be written to them. */
static void give_up(struct hierarchy *h, unsigned warp)
{
	h->warp[warp].period++;
	memset(h->warp[warp].owed, 0, sizeof h->warp[warp].owed);
	poison_all(h, warp);
	if (h->pool)
		orf_pool_give_back(h->pool, warp);
}

static uint32_t read(struct hierarchy *h, const struct uop *u, struct extra *x)
{
	struct on_its_way *w = &h->way[u->id];
	uint32_t main = 0;

	(void)x;
	if (u->move)
		return (uint32_t)(((uint64_t)1 << u->nsrc) - 1);
	if (h->pool && orf_pool_issue(h->pool, u))
		give_up(h, u->warp);
	if (h->store)
		follow(h, u);
	w->period = h->warp[u->warp].period;
	for (unsigned i = 0; i < u->nsrc + u->ndst; i++) {
		const uint8_t p = w->place[i] = place(h, u, i);
		const bool comes = i >= u->nsrc || place_mrf(p);

		if (i < u->nsrc && (!place_level(p) || place_mrf(p)))
			main |= (uint32_t)1 << i;
		if (comes && place_level(p) && u->active)
			h->warp[u->warp].owed[cell_of(p)]++;
		if (!comes && place_level(p))
			store_count(h->st, h->k, u, place_level(p), false, 1);
	}
	return main;
}

/* A value comes for the entry of place p. False: the warp has lost it. */
static bool write_entry(struct hierarchy *h, const struct uop *u, uint8_t p, const uint32_t (*value)[WARP_LANES])
{
	const struct on_its_way *w = &h->way[u->id];

	if (w->period != h->warp[u->warp].period)
		return false;
	h->warp[u->warp].owed[cell_of(p)]--;
	store_count(h->st, h->k, u, place_level(p), true, 1);
	if (h->store && value)
		put(h, u, cell_of(p), *value);
	return true;
}

static void filled(struct hierarchy *h, const struct uop *u, uint32_t sources)
{
	for (; !u->move && u->active && sources; sources &= sources - 1) {
		unsigned s = (unsigned)__builtin_ctz(sources);
		uint8_t p = h->way[u->id].place[s];

		if (place_level(p))
			h->st->rf_fills += write_entry(h, u, p, u->src_value ? &u->src_value[s] : NULL);
	}
}

static uint32_t write(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x)
{
	uint32_t main = 0;

	(void)x;
	if (u->move)
		return dsts;
	for (; dsts; dsts &= dsts - 1) {
		unsigned d = (unsigned)__builtin_ctz(dsts);
		uint8_t p = h->way[u->id].place[u->nsrc + d];
		bool kept = place_level(p) && write_entry(h, u, p, u->dst_value ? &u->dst_value[d] : NULL);

		if (!place_level(p) || place_mrf(p))
			main |= (uint32_t)1 << d;
		h->st->rf_both_writes += kept && place_mrf(p);
		h->st->rf_dropped_writes += !kept && place_level(p) && !place_mrf(p);
	}
	return main;
}

static void suspend(struct hierarchy *h, unsigned warp, struct extra *x)
{
	(void)x;
	give_up(h, warp);
}

/* ---- the values of the axis ---- */
static const char *const own[] = { "rf_l1_entries", "rf_flush", "rf_cost_entries", NULL };
static const char *const pooled[] = { "rf_l1_entries", "rf_flush", "rf_cost_entries", "orf_price", "orf_pool", NULL };

/* The deschedule bit. Levels and entries are names of registers, of which there are enough (section 7.9). */
static unsigned encoding_bits(const struct params *p)
{
	(void)p;
	return 1;
}

/* Entries, no tags; above them one entry, or one for each operand slot. */
static unsigned orf_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "ORF", level_bits(p, p->rf_l1_entries, 0) };
	return 1;
}

static unsigned lrf_orf_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	out[1] = (struct storage_part){ "LRF", level_bits(p, 1, 0) };
	return 1 + orf_storage(p, regs, out);
}

static unsigned split_lrf_orf_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	out[1] = (struct storage_part){ "LRF", level_bits(p, LRF_ENTRIES, 0) };
	return 1 + orf_storage(p, regs, out);
}

/* The pool; who has which of its entries is not counted, as the paper's is a limit. */
static unsigned orf_variable_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "ORF", (p->orf_pool ? p->orf_pool : params_active_warps(p) * p->rf_l1_entries) *
						       WARP_LANES * 32 };
	return 1;
}

#define ORF_OPS(NAME, ID, PARAMETERS, SOURCE)                                                                    \
	{                                                                                                        \
		.name = NAME, .source = SOURCE, .parameters = PARAMETERS, .needs_anno = ANNO_STRAND | ANNO_ORF,  \
		.create = ID##_create, .storage = ID##_storage, .remark = ID##_remark, .two_level = true,        \
		.waits = true, .encoding_bits = encoding_bits, .hazard = hazard, .read = read, .filled = filled, \
		.write = write, .suspend = suspend, .warp_exit = give_up, .deliver = deliver,                    \
	}
const struct hierarchy_ops orf_hierarchy = ORF_OPS(
	"orf", orf, own,
	"Gebhart et al., TOCS 2012, section 4.2: the compiler names the entry of each operand; --set rf_l1_entries=N");
const struct hierarchy_ops lrf_orf_hierarchy = ORF_OPS(
	"lrf+orf", lrf_orf, own, "section 4.3: above the ORF one entry that the private datapath alone reaches");
const struct hierarchy_ops split_lrf_orf_hierarchy =
	ORF_OPS("split-lrf+orf", split_lrf_orf, own, "section 4.4: above the ORF an entry for each operand slot");
const struct hierarchy_ops orf_variable_hierarchy =
	ORF_OPS("orf-variable", orf_variable, pooled,
		"limit study, section 8.1: strands take entries of a pool that all active warps share");
