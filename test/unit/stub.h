/* A value for each axis that does what a test tells it and counts how often each of its functions is called. All six
 * belong to one struct stub, which is also their state on the one SM of the test. */
#ifndef REGLOOM_TEST_STUB_H
#define REGLOOM_TEST_STUB_H

#include "stream.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/core/probe.h"

#include <stddef.h>

/* clang-format off */
#define HOOKS(X) \
	X(warp_start) X(issue_exit) X(order) X(issued) X(waits_long) X(cta_start) X(cta_refused) \
	X(residency_exit) X(granted) X(refused) X(map) X(read_done) X(holders) X(describe) X(pack_read) \
	X(pack_write) X(packing_exit) X(level_read) X(level_write) X(suspend) X(hierarchy_exit) \
	X(value_issue) X(value_read) X(value_write) X(value_move) X(lanes) X(values_exit)
/* clang-format on */

enum { NEVER_INSN = 0xffff };

struct stub {
	struct issue_ops issue;
	struct residency_ops residency;
	struct packing_ops packing;
	struct hierarchy_ops hierarchy;
	struct values_ops values;
	struct reuse_ops reuse;
	const struct axes *axes;
	struct stats *stats;
	/* what it does */
	unsigned refuse_every; /* of issues, one in so many is refused */
	/* the instruction whose reads give the warp's registers back; NEVER_INSN: its exit does */
	unsigned release;
	unsigned value_move;            /* instruction; NEVER_INSN: none */
	unsigned warps_held, warps_max; /* warps with registers; 0: no limit */
	unsigned hoard;                 /* a warp that issue() refuses for ever, + 1 */
	bool demote;
	unsigned flush, evict; /* extra accesses of suspend, of hierarchy->write */
	unsigned fetch;        /* and of hierarchy->read */
	unsigned delay;        /* of each read of a bank */
	/* what it saw */
	bool moved[64];
	unsigned bad;                                                  /* calls that contradict axis.h */
	const struct uop *(*see)(struct stub *t, const struct uop *u); /* of each result; NULL: no look */
	struct {
#define X(name) unsigned name;
		HOOKS(X)
#undef X
	} n;
};

static inline struct stub *stub_of(const struct axis_ctx *cx)
{
	struct stub *t = (struct stub *)(void *)((char *)(uintptr_t)cx->axes->rf->issue - offsetof(struct stub, issue));

	t->axes = cx->axes;
	t->stats = cx->stats;
	return t;
}

#define STUB(x) ((struct stub *)(void *)(x))

static inline struct issue *stub_issue(const struct axis_ctx *cx, unsigned sch)
{
	(void)sch;
	return (void *)stub_of(cx);
}
static inline struct residency *stub_residency(const struct axis_ctx *cx) { return (void *)stub_of(cx); }
static inline struct packing *stub_packing(const struct axis_ctx *cx) { return (void *)stub_of(cx); }
static inline struct hierarchy *stub_hierarchy(const struct axis_ctx *cx) { return (void *)stub_of(cx); }
static inline struct values *stub_values(const struct axis_ctx *cx) { return (void *)stub_of(cx); }
static inline struct reuse *stub_reuse(const struct axis_ctx *cx) { return (void *)stub_of(cx); }

/* ---- issue: slot order ---- */
static inline void stub_warp_start(struct issue *s, unsigned w, uint64_t age)
{
	(void)w;
	(void)age;
	STUB(s)->n.warp_start++;
}
static inline void stub_issue_exit(struct issue *s, unsigned w)
{
	(void)w;
	STUB(s)->n.issue_exit++;
}

static inline unsigned stub_order(struct issue *s, uint64_t now, uint64_t ready, uint16_t out[])
{
	struct stub *t = STUB(s);
	unsigned n = 0;

	(void)now;
	t->n.order++;
	/* as owner-first issue does */
	t->bad += t->axes->rf->residency->holders(t->axes->residency, 0) != (t->hoard == 1 ? 2 : 0);
	for (uint64_t m = ready; m; m &= m - 1)
		out[n++] = (uint16_t)__builtin_ctzll(m);
	return n;
}

static inline void stub_issued(struct issue *s, unsigned w, const struct uop *u, uint64_t now)
{
	(void)now;
	STUB(s)->n.issued++;
	STUB(s)->bad += u->warp != w;
}

static inline bool stub_waits_long(struct issue *s, unsigned w, uint64_t now)
{
	(void)w;
	(void)now;
	STUB(s)->n.waits_long++;
	return STUB(s)->demote;
}

/* ---- residency: 32 registers a warp ---- */
static inline unsigned stub_max_ctas(const struct params *p, const struct kernel *k, unsigned n)
{
	(void)p;
	(void)k;
	(void)n;
	return 8;
}

static inline bool stub_cta_start(struct residency *r, unsigned first, unsigned n)
{
	struct stub *t = STUB(r);

	(void)first;
	if (t->warps_max && t->warps_held + n > t->warps_max) {
		t->n.cta_refused++;
		return false;
	}
	t->n.cta_start++;
	t->warps_held += n;
	return true;
}

static inline void stub_residency_exit(struct residency *r, unsigned w)
{
	(void)w;
	STUB(r)->n.residency_exit++;
	STUB(r)->warps_held -= STUB(r)->release == NEVER_INSN;
}

static inline bool stub_may_issue(struct residency *r, const struct uop *u)
{
	struct stub *t = STUB(r);

	if (t->hoard == u->warp + 1u || (t->refuse_every && (t->n.granted + t->n.refused) % t->refuse_every == 0)) {
		t->n.refused++;
		return false;
	}
	return true;
}

static inline void stub_take(struct residency *r, const struct uop *u)
{
	(void)u;
	STUB(r)->n.granted++;
}

static inline unsigned stub_map(struct residency *r, unsigned w, unsigned reg)
{
	STUB(r)->n.map++;
	return w * 32 + reg;
}

static inline void stub_read_done(struct residency *r, const struct uop *u)
{
	STUB(r)->n.read_done++;
	STUB(r)->warps_held -= STUB(r)->release == u->insn;
}

static inline uint64_t stub_holders(struct residency *r, unsigned w)
{
	STUB(r)->n.holders++;
	return STUB(r)->hoard == w + 1 ? (uint64_t)2 << w : 0;
}

static inline const char *stub_describe(struct residency *r, const struct uop *u, struct arena *a)
{
	STUB(r)->n.describe++;
	return STUB(r)->hoard == u->warp + 1u ? arena_printf(a, "the shared registers for instruction %u", u->insn)
					      : NULL;
}

/* ---- packing: whole entries ---- */
static inline struct bank_access stub_entry(struct stub *t, unsigned phys)
{
	(void)t;
	return (struct bank_access){ .bank = (uint16_t)(phys % 16), .entry = (uint16_t)(phys / 16), .arrays = 8 };
}

/* more than a line of instructions */
enum { STUB_PREAMBLE = 19 };
static inline unsigned stub_preamble(const struct kernel *k)
{
	(void)k;
	return STUB_PREAMBLE;
}

static inline unsigned stub_pack_read(struct packing *pk, const struct uop *u, uint32_t operands, const uint16_t phys[],
				      struct bank_access out[])
{
	unsigned n = 0;

	(void)u;
	STUB(pk)->n.pack_read++;
	for (uint32_t m = operands; m; m &= m - 1) {
		out[n] = stub_entry(STUB(pk), phys[__builtin_ctz(m)]);
		out[n].operands = m & -m;
		out[n++].delay = (uint8_t)STUB(pk)->delay;
	}
	return n;
}

static inline unsigned stub_pack_write(struct packing *pk, const struct uop *u, unsigned dst, unsigned phys,
				       struct bank_access out[])
{
	(void)u;
	STUB(pk)->n.pack_write++;
	out[0] = stub_entry(STUB(pk), phys);
	out[0].operands = (uint32_t)1 << dst;
	return 1;
}

static inline void stub_packing_exit(struct packing *pk, unsigned w)
{
	(void)w;
	STUB(pk)->n.packing_exit++;
}

/* ---- hierarchy: everything in the main register file, with extra accesses: what an upper level took and lost at once
 * ---- */
static inline void stub_extras(struct stub *t, struct extra *x, unsigned n)
{
	t->stats->rf_fills += n;
	t->stats->rf_l0_writes += n;
	t->stats->rf_l0_flushes += n;
	for (unsigned i = 0; i < n; i++) {
		struct bank_access a;

		t->axes->rf->packing->write(t->axes->packing, NULL, 0, 5, &a);
		t->n.pack_write--;
		extra_add(x, a, true);
	}
}

static inline uint32_t stub_level_read(struct hierarchy *h, const struct uop *u, struct extra *x)
{
	STUB(h)->n.level_read++;
	stub_extras(STUB(h), x, STUB(h)->fetch);
	return (uint32_t)(((uint64_t)1 << u->nsrc) - 1);
}

static inline uint32_t stub_level_write(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x)
{
	STUB(h)->n.level_write++;
	STUB(h)->bad += !dsts || dsts >> u->ndst;
	stub_extras(STUB(h), x, STUB(h)->evict);
	return dsts;
}

static inline void stub_suspend(struct hierarchy *h, unsigned w, struct extra *x)
{
	(void)w;
	STUB(h)->n.suspend++;
	stub_extras(STUB(h), x, STUB(h)->flush);
}

static inline void stub_hierarchy_exit(struct hierarchy *h, unsigned w)
{
	(void)w;
	STUB(h)->n.hierarchy_exit++;
}

/* ---- values ---- */
static inline const char *stub_value_issue(struct values *v, const struct uop *u)
{
	STUB(v)->n.value_issue++;
	/* its registers are taken, its accesses to come */
	STUB(v)->bad += STUB(v)->n.value_issue != STUB(v)->n.granted || u->id >= UOP_IDS;
	return NULL;
}

static inline void stub_value_read(struct values *v, const struct uop *u, struct bank_access *a)
{
	(void)u;
	(void)a;
	STUB(v)->n.value_read++;
}

static inline void stub_value_write(struct values *v, const struct uop *u, unsigned dst, struct bank_access *a)
{
	(void)dst;
	(void)a;
	STUB(v)->n.value_write++;
	if (STUB(v)->see)
		STUB(v)->see(STUB(v), u);
	if (u->move && u->insn == STUB(v)->value_move)
		STUB(v)->moved[u->warp] = true;
}

static inline bool stub_value_move(struct values *v, const struct uop *u, unsigned *reg)
{
	struct stub *t = STUB(v);

	t->n.value_move++;
	t->bad += u->move;
	*reg = u->dst[0];
	if (u->insn == t->value_move)
		return !t->moved[u->warp];
	t->moved[u->warp] = false;
	return false;
}

static inline unsigned stub_lanes(struct values *v, const struct uop *u)
{
	STUB(v)->n.lanes++;
	return (unsigned)__builtin_popcount(u->active);
}
static inline void stub_values_exit(struct values *v, unsigned w)
{
	(void)w;
	STUB(v)->n.values_exit++;
}

/* Stores whose operands are read late, since each has many lines and there is one collector for them, and an addition
 * that writes a register of the last one. The SM of s is set up for it. */
static inline void stub_late_reader(struct stream *s)
{
	uint32_t n = stream_memory(s, OP_ST_B32, SP_GLOBAL, -1, 1, 1);

	s->p.collectors_mem = 1;
	for (unsigned i = 0; i < 10; i++) {
		struct stream_record *r = stream_record(s, 0, n);

		for (unsigned l = 0; l < 8; l++)
			stream_line(r, 8 * i + l, 15);
	}
	stream_record(s, 0, stream_insn(s, OP_ADD_S32, 1, 3, -1, -1));
}

/* Makes t the configuration of s, which then has one SM. */
static inline void stub_use(struct stub *t, struct stream *s)
{
	*t = (struct stub){
		.issue = { .name = "stub",
			   .create = stub_issue,
			   .warp_start = stub_warp_start,
			   .warp_exit = stub_issue_exit,
			   .order = stub_order,
			   .issued = stub_issued,
			   .waits_long = stub_waits_long },
		.residency = { .name = "stub",
			       .create = stub_residency,
			       .max_ctas = stub_max_ctas,
			       .cta_start = stub_cta_start,
			       .warp_exit = stub_residency_exit,
			       .may_issue = stub_may_issue,
			       .issue = stub_take,
			       .map = stub_map,
			       .read_done = stub_read_done,
			       .holders = stub_holders,
			       .describe = stub_describe },
		.packing = { .name = "stub",
			     .create = stub_packing,
			     .read = stub_pack_read,
			     .write = stub_pack_write,
			     .warp_exit = stub_packing_exit },
		.hierarchy = { .name = "stub",
			       .create = stub_hierarchy,
			       .read = stub_level_read,
			       .write = stub_level_write,
			       .suspend = stub_suspend,
			       .warp_exit = stub_hierarchy_exit },
		.values = { .name = "stub",
			    .create = stub_values,
			    .issue = stub_value_issue,
			    .read = stub_value_read,
			    .write = stub_value_write,
			    .move = stub_value_move,
			    .lanes = stub_lanes,
			    .warp_exit = stub_values_exit },
		.reuse = { .name = "stub", .create = stub_reuse },
		.release = NEVER_INSN,
		.value_move = NEVER_INSN,
	};
	s->rf = (struct rf_config){ &t->issue, &t->residency, &t->packing, &t->hierarchy, &t->values, &t->reuse };
}

#endif
