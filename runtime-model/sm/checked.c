/* The SM's part of checked mode: what each register held when an instruction issued, which lanes of it have been
 * written, the bytes themselves where neither packing nor values nor a renaming table has them, and the comparison. An
 * operand is what the access finds that the bank has granted, wherever the register is, or what an upper level of a
 * hierarchy has latched of it when the instruction issued; of one that both deliver each has its lanes.
 *
 * Under a reuse that renames, a result that was not written must be in the register that its destination is mapped to.
 *
 * Without a renaming table nothing holds a write back until older instructions have read the register (docs/AXES.md),
 * so the bytes that such a read finds are younger than what it should see: the number of writes since the warp's start
 * tells. */
#include "passes/pass.h"
#include "runtime-model/sm/sm.h"

#include <inttypes.h>
#include <string.h>

enum { REGS = 256 };

/* of one warp */
struct reg {
	uint32_t written;       /* lanes, since the warp began */
	uint16_t version;       /* writes stored, and moves */
	uint16_t reads, writes; /* issued, not done */
	bool dead;              /* to be overwritten when they are */
};

struct checked {
	struct checked_sums sums;
	struct reg (*reg)[REGS]; /* by warp */
	/* by flight: of each source, when it issued; lanes: to be compared */
	struct expected {
		uint16_t version;
		uint32_t lanes;
	} (*expected)[UOP_SRC_MAX];
	/* by physical register; NULL: packing, values or the renaming table has the bytes */
	uint32_t (*store)[WARP_LANES];
	/* by flight: what dummy moves have read; NULL: there are none */
	uint32_t (*moved)[UOP_DST_MAX][WARP_LANES];
	unsigned entries, banks;
	const struct release *release; /* of the kernel, if the model overwrites here what dies; or NULL */
	uint32_t *block;               /* by instruction: 1 + the block that begins with it, or 0 */
	/* the first operand that is wrong */
	bool wrong;
	bool no_strand; /* not an operand: the warp was demoted where no strand waits */
	/* not an operand: what is wrong with what was written to a register, in words */
	const char *stored;
	const char *instead; /* of a value: NULL: `got` */
	enum rf_level level; /* that delivers it, */
	unsigned upper;      /* and its entry, if that is an upper one */
	cycle at;
	uint64_t cta;
	uint32_t insn, got, want;
	unsigned warp, in_cta, number, lane; /* number: of the register */
	struct slot slot;                    /* with a renaming table; else the register's place: */
	unsigned phys;
};

struct checked *checked_new(const struct axis_ctx *cx)
{
	struct checked *c = new(cx->arena, struct checked);
	const struct kernel *k = cx->kernel;
	const bool packed = cx->axes->rf->packing->deliver || cx->axes->rename;

	c->reg = arena_alloc(cx->arena, cx->warps * sizeof *c->reg, _Alignof(struct reg));
	c->expected = arena_alloc(cx->arena, FLIGHTS * sizeof *c->expected, _Alignof(struct expected));
	c->entries = cx->params->rf_registers / WARP_LANES;
	c->banks = cx->params->rf_banks;
	if (!packed && !cx->axes->rf->values->deliver)
		c->store = arena_alloc(cx->arena, c->entries * sizeof *c->store, _Alignof(uint32_t));
	for (unsigned e = 0; c->store && e < c->entries; e++)
		for (unsigned l = 0; l < WARP_LANES; l++)
			c->store[e][l] = checked_garbage(e, l);
	if (cx->axes->rf->reuse->renames)
		c->moved = arena_alloc(cx->arena, FLIGHTS * sizeof *c->moved, _Alignof(uint32_t));
	if (cx->axes->rf->reuse->renames || (cx->axes->rename ? cx->axes->rf->residency->renames : packed))
		return c; /* what is dead is overwritten there as it is freed; or shared, and not dead */
	c->release = k->release;
	c->block = new_array(cx->arena, uint32_t, k->ninsn + 1);
	for (uint32_t b = 0; c->release && b < k->nblock; b++)
		if (k->block[b].n)
			c->block[k->block[b].first] = b + 1;
	return c;
}

/* ---- what is dead ---- */
static void overwrite(struct sm *s, unsigned phys)
{
	struct checked *c = s->checked;

	if (s->ax.rf->values->poison)
		s->ax.rf->values->poison(s->ax.values, phys);
	for (unsigned l = 0; c->store && l < WARP_LANES; l++)
		c->store[phys][l] = checked_garbage(phys, l);
	c->sums.poisoned_bytes += sizeof c->store[phys];
}

void reuse_freed(const struct axes *ax, unsigned phys)
{
	if (ax->sm && ax->sm->checked)
		overwrite(ax->sm, phys);
}

static void overwrite_dead(struct sm *s, unsigned warp, unsigned number)
{
	struct checked *c = s->checked;
	struct reg *r = &c->reg[warp][number];

	if (!r->dead || r->reads || r->writes)
		return;
	r->dead = false;
	if (s->ax.rename)
		rename_poison(s->ax.rename, warp, number);
	else
		overwrite(s, physical(s, warp, number));
}

static void die(struct sm *s, unsigned warp, const uint16_t *number, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		s->checked->reg[warp][number[i]].dead = true;
		overwrite_dead(s, warp, number[i]);
	}
}

/* What the object gives back; a warp of machine code may have given it back with its extended set before. */
static void give(struct sm *s, unsigned warp, const uint16_t *number, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!s->hold || s->warp[warp].holds || number[i] < s->g->k->base_regs)
			die(s, warp, &number[i], 1);
}

void checked_issue(struct sm *s, unsigned flight)
{
	struct checked *c = s->checked;
	const struct uop *u = &s->flight[flight].u;
	const struct release *x = c->release;
	struct reg *reg = c->reg[u->warp];
	const bool die_here = x && !u->move && !u->apart;
	const uint32_t b = die_here ? c->block[u->insn] : 0;

	if (b)
		give(s, u->warp, x->entry_reg + x->entry_at[b - 1], x->entry_at[b] - x->entry_at[b - 1]);
	for (unsigned i = 0; i < u->nsrc; i++) {
		c->expected[flight][i] = (struct expected){ reg[u->src[i]].version,
							    u->src_value ? u->active & reg[u->src[i]].written : 0 };
		reg[u->src[i]].reads++;
	}
	for (unsigned i = 0; i < u->ndst; i++) {
		reg[u->dst[i]].writes++;
		reg[u->dst[i]].dead = false;
	}
	if (die_here)
		give(s, u->warp, x->reg + x->at[u->insn], x->at[u->insn + 1] - x->at[u->insn]);
}

void checked_done(struct sm *s, const struct uop *u)
{
	for (unsigned i = 0; i < u->ndst; i++) {
		s->checked->reg[u->warp][u->dst[i]].writes--;
		overwrite_dead(s, u->warp, u->dst[i]);
	}
}

void checked_release(struct sm *s, unsigned warp)
{
	const struct kernel *k = s->g->k;

	for (unsigned r = k->base_regs; r < k->res.regs; r++)
		die(s, warp, &(uint16_t){ (uint16_t)r }, 1);
}

void checked_warp_exit(struct sm *s, unsigned warp) { memset(s->checked->reg[warp], 0, sizeof s->checked->reg[warp]); }

/* Where the first thing that is wrong happens; false: it is not the first. */
static bool mark(struct sm *s, unsigned warp, uint32_t insn)
{
	struct checked *c = s->checked;

	s->take.failed = true;
	if (c->wrong)
		return false;
	c->wrong = true;
	c->at = s->now;
	c->insn = insn;
	c->warp = warp;
	c->cta = s->warp[warp].cta;
	c->in_cta = s->warp[warp].in_cta;
	return true;
}

/* ---- values ---- */
static void fail_store(struct sm *s, const struct uop *u, unsigned dst, const char *instead)
{
	struct checked *c = s->checked;

	if (!mark(s, u->warp, u->insn))
		return;
	c->stored = instead;
	c->number = u->dst[dst];
}

void checked_store(struct sm *s, const struct uop *u, const struct bank_access *a, unsigned dst)
{
	struct checked *c = s->checked;
	const struct packing_ops *ops = s->ax.rf->packing;
	const struct values_ops *values = s->ax.rf->values;
	const char *wrong = values->store && (u->move || u->dst_value) ? values->store(s->ax.values, u, a, dst) : NULL;
	struct reg *r = &c->reg[u->warp][u->dst[dst]];

	if (wrong)
		fail_store(s, u, dst, wrong);
	/* a move: no value changes, but how it is stored does, which an older read that still waits finds */
	if (!u->dst_value) {
		r->version += u->move;
		return;
	}
	r->version++;
	r->written |= u->active;
	if (ops->store)
		ops->store(s->ax.packing, u, a, dst);
	else if (s->ax.rename)
		rename_write_access(s->ax.rename, a, u->dst_value[dst], u->active);
	else if (c->store)
		for (uint32_t m = u->active; m; m &= m - 1) {
			unsigned l = (unsigned)__builtin_ctz(m);

			c->store[physical(s, u->warp, u->dst[dst])][l] = u->dst_value[dst][l];
		}
}

/* What a physical register holds, under a reuse that renames. */
static void held(const struct sm *s, unsigned phys, uint32_t lane[WARP_LANES])
{
	if (s->checked->store)
		memcpy(lane, s->checked->store[phys], sizeof s->checked->store[phys]);
	else
		s->ax.rf->values->load(s->ax.values, phys, lane);
}

void checked_access(struct sm *s, unsigned flight, unsigned n)
{
	struct checked *c = s->checked;
	const struct reuse_access *how = &s->round[flight].a[n];
	const struct uop *u = &s->flight[flight].u;
	const uint32_t *from = how->kind == REUSE_MOVE_WRITE ? c->moved[flight][how->dst] : u->dst_value[how->dst];
	const char *wrong;

	if (how->kind == REUSE_WRITE && s->ax.rf->values->store &&
	    (wrong = s->ax.rf->values->store(s->ax.values, u, &s->acc[flight][n], how->dst)))
		fail_store(s, u, how->dst, wrong);
	if (how->kind == REUSE_VERIFY)
		return;
	if (how->kind == REUSE_MOVE_READ) {
		held(s, how->phys, c->moved[flight][how->dst]);
		return;
	}
	if (how->kind == REUSE_MOVE_WRITE && !c->store)
		s->ax.rf->values->merge(s->ax.values, how->phys, how->lanes, from);
	for (uint32_t m = c->store ? how->lanes : 0; m; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		c->store[how->phys][l] = from[l];
	}
}

/* A result that was not written, since a register was said to hold it, is where the ones that were are. */
void checked_mapped(struct sm *s, unsigned flight)
{
	struct checked *c = s->checked;
	const struct uop *u = &s->flight[flight].u;

	for (unsigned i = 0; u->dst_value && i < u->ndst; i++) {
		const unsigned phys = s->ax.rf->reuse->mapped(s->ax.reuse, u->warp, u->dst[i]);
		uint32_t lane[WARP_LANES];
		bool same = phys < c->entries;

		c->reg[u->warp][u->dst[i]].written |= u->active;
		if (same)
			held(s, phys, lane);
		for (uint32_t m = u->active; m && same; m &= m - 1)
			same = lane[__builtin_ctz(m)] == u->dst_value[i][__builtin_ctz(m)];
		c->sums.compared += same && s->flight[flight].verdict == REUSE_HIT;
		if (!same)
			fail_store(s, u, i,
				   s->flight[flight].verdict == REUSE_HIT
					   ? "takes a register to be reused that does not hold it"
					   : "maps it to a register that does not hold it");
	}
}

/* What access a finds for u->src[src]. NULL, or in words what is there instead. */
static const char *load(const struct sm *s, const struct uop *u, const struct bank_access *a, unsigned src,
			uint32_t lane[WARP_LANES])
{
	const struct packing_ops *ops = s->ax.rf->packing;
	const struct checked *c = s->checked;
	const unsigned phys = a->entry * c->banks + a->bank;

	if (ops->deliver)
		return ops->deliver(s->ax.packing, u, a, src, lane);
	if (s->ax.rf->values->deliver)
		return s->ax.rf->values->deliver(s->ax.values, u, a, src, lane);
	if (s->ax.rename)
		return rename_read_access(s->ax.rename, u, a, src, lane);
	if (phys >= c->entries)
		return "nothing";
	memcpy(lane, c->store[phys], WARP_LANES * sizeof *lane);
	return NULL;
}

/* The operand that `level` delivers from that entry, or `instead`, is not what it should be. */
static void fail_at(struct sm *s, const struct uop *u, unsigned src, enum rf_level level, unsigned entry,
		    const char *instead, unsigned lane, uint32_t got)
{
	struct checked *c = s->checked;

	if (!mark(s, u->warp, u->insn))
		return;
	c->level = level;
	c->upper = entry;
	c->instead = instead;
	c->number = u->src[src];
	c->lane = lane;
	c->got = got;
	c->want = u->src_value[src][lane];
	c->phys = s->front ? s->ax.rf->reuse->physical(s->ax.reuse, u, src) : physical(s, u->warp, u->src[src]);
	if (s->ax.rename)
		c->slot = *rename_find(s->ax.rename, u->warp, u->src[src]);
}

void checked_no_strand(struct sm *s, unsigned warp)
{
	if (mark(s, warp, s->warp[warp].rec.insn))
		s->checked->no_strand = true;
}

static void fail(struct sm *s, const struct uop *u, unsigned src, const char *instead, unsigned lane)
{
	fail_at(s, u, src, LEVEL_MRF, 0, instead, lane, 0);
}

/* The first of these lanes of which something else was delivered than was executed, or WARP_LANES. */
static unsigned differs(const struct uop *u, unsigned src, const struct latched *got, uint32_t lanes)
{
	for (; lanes; lanes &= lanes - 1) {
		unsigned l = (unsigned)__builtin_ctz(lanes);

		if (got->instead || got->value[l] != u->src_value[src][l])
			return l;
	}
	return WARP_LANES;
}

/* What was delivered of these lanes is what was executed. */
static bool same(struct sm *s, const struct uop *u, unsigned src, const struct latched *got, uint32_t lanes)
{
	const unsigned l = differs(u, src, got, lanes);

	if (l != WARP_LANES)
		fail_at(s, u, src, got->level, got->entry, got->instead, l, got->value[l]);
	return l == WARP_LANES;
}

/* younger: the register was written since u issued, perhaps not these lanes, perhaps with an older result that was
 * evicted. */
static void compare(struct sm *s, const struct uop *u, const struct bank_access *a, unsigned src, uint32_t lanes,
		    bool younger)
{
	struct checked_sums *sums = &s->checked->sums;
	struct latched got;

	got.level = LEVEL_MRF;
	got.instead = load(s, u, a, src, got.value);
	if (younger && differs(u, src, &got, lanes) != WARP_LANES)
		sums->overtaken++;
	else
		sums->compared += same(s, u, src, &got, lanes);
}

void checked_latched(struct sm *s, unsigned flight)
{
	const struct hierarchy_ops *ops = s->ax.rf->hierarchy;
	struct checked *c = s->checked;
	const struct flight *f = &s->flight[flight];

	for (unsigned i = 0; i < f->u.nsrc; i++) {
		const bool main = s->from_levels[flight].from_main >> i & 1;
		uint32_t *lanes = &c->expected[flight][i].lanes;
		struct latched got = { .level = LEVEL_MRF };

		ops->deliver(s->ax.hierarchy, &f->u, i, &got);
		if (got.level == LEVEL_MRF)
			got.lanes = 0;
		if (*lanes & ~got.lanes && !main) {
			fail_at(s, &f->u, i, got.level, got.entry, "nothing",
				(unsigned)__builtin_ctz(*lanes & ~got.lanes), 0);
		} else if (*lanes & got.lanes && same(s, &f->u, i, &got, *lanes & got.lanes)) {
			*(got.level == LEVEL_L1 ? &c->sums.l1 : &c->sums.l0) += 1;
			/* else when the main register file has delivered the others */
			c->sums.compared += !(*lanes & ~got.lanes);
		}
		*lanes &= ~got.lanes;
	}
}

void checked_levels(struct sm *s, const struct uop *u, uint32_t dsts)
{
	for (; u->dst_value && dsts; dsts &= dsts - 1)
		s->checked->reg[u->warp][u->dst[__builtin_ctz(dsts)]].written |= u->active;
}

void checked_kept(struct sm *s, unsigned flight, unsigned src, const uint32_t value[WARP_LANES])
{
	const struct uop *u = &s->flight[flight].u;

	for (uint32_t m = s->checked->expected[flight][src].lanes; m; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);

		if (value[l] == u->src_value[src][l])
			continue;
		fail(s, u, src, "an older value, kept in the reuse cache,", l);
		return;
	}
}

void checked_read(struct sm *s, unsigned flight, uint32_t sources, enum read_from from, const struct bank_access *a)
{
	struct checked *c = s->checked;
	const struct uop *u = &s->flight[flight].u;

	for (; sources; sources &= sources - 1) {
		unsigned i = (unsigned)__builtin_ctz(sources);
		struct reg *r = &c->reg[u->warp][u->src[i]];
		const struct expected *want = &c->expected[flight][i];
		uint32_t lanes = from == READ_STORED || from == READ_NOTHING ? want->lanes : 0;

		if (lanes && from == READ_STORED)
			compare(s, u, a, i, lanes, r->version != want->version && !s->ax.rename && !s->front);
		else if (lanes)
			fail(s, u, i, "nothing", (unsigned)__builtin_ctz(lanes));
		r->reads--;
		overwrite_dead(s, u->warp, u->src[i]);
	}
}

/* ---- the end ---- */
void checked_sum(const struct sm *s, struct checked_sums *into)
{
	struct checked_sums sums = s->checked->sums;

	if (s->ax.rename)
		sums.poisoned_bytes += rename_poisoned(s->ax.rename);
	checked_add(into, &sums);
}

/* "bytes 0 to 1 of entry 17", "physical register 70", or that it is nowhere. */
static const char *place(const struct sm *s, const struct checked *c, struct arena *a)
{
	if (c->level != LEVEL_MRF)
		return arena_printf(a, "entry %u of the %s", c->upper, c->level == LEVEL_L1 ? "L1" : "L0");
	if (!s->ax.rename)
		return arena_printf(a, "physical register %u", c->phys);
	if (!c->slot.mask)
		return "no entry: it was released, or lost";
	return arena_printf(a, "bytes %d to %d of entry %u", __builtin_ctz(c->slot.mask),
			    31 - __builtin_clz(c->slot.mask), c->slot.entry);
}

static void describe(const struct sm *s, struct arena *a)
{
	const struct sm_shared *g = s->g;
	const struct checked *c = s->checked;
	const struct insn *i = &g->k->insn[c->insn];
	const char *where = ir_source(a, g->k, i);
	const char *at =
		arena_printf(a, "instruction %" PRIu32 " `%s`%s%s%s of SM %u warp %u (CTA %" PRIu64 ", its warp %u)",
			     c->insn, ir_print_insn(a, g->k, i), *where ? " (" : "", *where ? loc_base_name(where) : "",
			     *where ? ")" : "", s->id, c->warp, c->cta, c->in_cta);

	if (c->no_strand) {
		diag_error_plain(g->diag, g->k->name,
				 "register file %s loses what its upper levels hold in cycle %" PRIu64
				 ": %s waits for a long-latency "
				 "result, and no strand that waits begins there",
				 g->rf_name, c->at, at);
		return;
	}
	if (c->stored) {
		diag_error_plain(g->diag, g->k->name,
				 "register file %s stores a wrong result in cycle %" PRIu64 ": %s writes R%u, and %s",
				 g->rf_name, c->at, at, c->number, c->stored);
		return;
	}
	diag_error_plain(g->diag, g->k->name,
			 "register file %s delivers a wrong operand in cycle %" PRIu64
			 ": %s reads R%u in lane %u as %s, not 0x%08" PRIx32 "; it is in %s",
			 g->rf_name, c->at, at, c->number, c->lane,
			 c->instead ? c->instead : arena_printf(a, "0x%08" PRIx32, c->got), c->want, place(s, c, a));
}

bool checked_report(const struct sm *sm, unsigned n)
{
	const struct sm *first = NULL;
	struct arena a;

	for (unsigned i = 0; i < n; i++) {
		const struct sm *s = &sm[i];

		if (s->checked && s->checked->wrong && (!first || s->checked->at < first->checked->at))
			first = s;
	}
	if (!first)
		return false;
	arena_init(&a);
	describe(first, &a);
	arena_free(&a);
	return false;
}
