/* Instructions of warps that are handed to an operand register file one by one, with places that are written by
 * hand. */
#ifndef REGLOOM_TEST_ORF_BENCH_H
#define REGLOOM_TEST_ORF_BENCH_H

#include "stream.h"

#include "passes/orf.h"
#include "passes/strand.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/hierarchy/orf.h"

extern const struct hierarchy_ops orf_hierarchy, lrf_orf_hierarchy, split_lrf_orf_hierarchy, orf_variable_hierarchy;
static const struct hierarchy_ops *const ops_of[ORG_COUNT] = { &orf_hierarchy, &lrf_orf_hierarchy,
							       &split_lrf_orf_hierarchy };

enum { INSNS = 16, OPERANDS = 8 };
#define L1(e) place_of(LEVEL_L1, e, false)
#define L1_BOTH(e) place_of(LEVEL_L1, e, true)
#define L0(e) place_of(LEVEL_L0, e, false)
#define L0_BOTH(e) place_of(LEVEL_L0, e, true)

/* A kernel with places that are written by hand: one strand, and everything in the main register file, at first. */
struct bench {
	struct stream s;
	struct strands strand;
	struct orf orf;
	uint32_t id[INSNS], at[INSNS + 1];
	uint8_t begin[INSNS], place[INSNS * OPERANDS];
	const struct hierarchy_ops *ops;
	struct hierarchy *h;
	struct stats st;
	uint64_t now;
	uint16_t next; /* uop.id */
};

static inline void bench_init(struct bench *b)
{
	memset(b, 0, sizeof *b);
	stream_init(&b->s);
}

static inline void bench_free(struct bench *b) { stream_free(&b->s); }

static inline void annotate(struct bench *b, enum orf_organisation org)
{
	struct kernel *k = b->s.k;
	struct insn_regs r;

	ck_assert_uint_le(k->ninsn, INSNS);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		ir_insn_regs(k, &k->insn[i], &r);
		b->at[i + 1] = b->at[i] + r.nsrc + r.ndst;
	}
	memset(b->place, PLACE_MRF, sizeof b->place);
	b->begin[0] = STRAND_BEGIN | STRAND_ENTRY;
	b->strand = (struct strands){ .id = b->id, .begin = b->begin, .n = 1 };
	b->orf = (struct orf){ .entries = 3, .at = b->at, .place = b->place };
	k->strand = &b->strand;
	k->orf[org] = &b->orf;
	b->ops = ops_of[org];
}

/* A strand begins before instruction i, for that cause and more. */
static inline void strand(struct bench *b, uint32_t i, unsigned cause)
{
	b->begin[i] = (uint8_t)(STRAND_BEGIN | cause);
	for (uint32_t j = i; j < INSNS; j++)
		b->id[j] = b->strand.n;
	b->strand.n++;
}

static inline void source(struct bench *b, uint32_t i, unsigned s, uint8_t place) { b->place[b->at[i] + s] = place; }

static inline void result(struct bench *b, uint32_t i, unsigned d, uint8_t place)
{
	struct insn_regs r;

	ir_insn_regs(b->s.k, &b->s.k->insn[i], &r);
	b->place[b->at[i] + r.nsrc + d] = place;
}

static inline bool make(struct bench *b, bool checked)
{
	struct axis_ctx cx = { .params = &b->s.p,
			       .kernel = b->s.k,
			       .stats = &b->st,
			       .arena = &b->s.a,
			       .diag = &b->s.d,
			       .warps = 4,
			       .warps_per_cta = 1,
			       .now = &b->now,
			       .checked = checked };

	return (b->h = b->ops->create(&cx)) != NULL;
}

/* Instruction i of a warp, in those lanes; values: of its sources, then of its results, the same in all lanes. */
static inline struct uop *uop(struct bench *b, uint32_t i, unsigned warp, uint32_t active, const uint32_t values[])
{
	struct uop *u = new(&b->s.a, struct uop);
	uint32_t(*lane)[WARP_LANES] = arena_alloc(&b->s.a, OPERANDS * sizeof *lane, _Alignof(uint32_t));
	struct insn_regs r;

	ir_insn_regs(b->s.k, &b->s.k->insn[i], &r);
	*u = (struct uop){
		.insn = i, .warp = (uint16_t)warp, .nsrc = r.nsrc, .ndst = r.ndst, .active = active, .id = b->next++
	};
	memcpy(u->src, r.src, r.nsrc);
	memcpy(u->dst, r.dst, r.ndst);
	for (unsigned o = 0; values && o < u->nsrc + u->ndst; o++)
		for (unsigned l = 0; l < WARP_LANES; l++)
			lane[o][l] = values[o];
	if (values) {
		u->src_value = (const uint32_t(*)[WARP_LANES])lane;
		u->dst_value = (const uint32_t(*)[WARP_LANES])(lane + r.nsrc);
	}
	return u;
}

static inline uint32_t issue(struct bench *b, const struct uop *u)
{
	struct extra x = { .n = 0 };
	uint32_t main;

	ck_assert(!b->ops->hazard(b->h, u));
	main = b->ops->read(b->h, u, &x);
	ck_assert_uint_eq(x.n, 0);
	return main;
}

static inline uint32_t complete(struct bench *b, const struct uop *u)
{
	struct extra x = { .n = 0 };
	uint32_t main = b->ops->write(b->h, u, ((uint32_t)1 << u->ndst) - 1, &x);

	ck_assert_uint_eq(x.n, 0);
	return main;
}

static inline void suspend(struct bench *b, unsigned warp)
{
	struct extra x = { .n = 0 };

	b->ops->suspend(b->h, warp, &x);
	ck_assert_uint_eq(x.n, 0); /* nothing is ever written back */
}

/* What an upper level delivers of a source in one lane. */
static inline uint32_t delivered(struct bench *b, const struct uop *u, unsigned src, unsigned lane, enum rf_level level)
{
	struct latched l = { .level = LEVEL_MRF };

	b->ops->deliver(b->h, u, src, &l);
	ck_assert_int_eq(l.level, level);
	ck_assert(level == LEVEL_MRF || (!l.instead && l.lanes == u->active));
	return l.value[lane];
}

#endif
