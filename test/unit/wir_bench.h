/* The mechanism of reuse without an SM: instructions are issued, looked up, given results and retired by the test. */
#ifndef REGLOOM_TEST_WIR_BENCH_H
#define REGLOOM_TEST_WIR_BENCH_H

#include "runtime-model/reuse/wir_state.h"

#include "stream.h"

struct wir_bench {
	struct stream s; /* its kernel and parameters */
	struct stats st;
	struct axes ax;
	uint64_t now;
	struct wir_model model;
	struct reuse *r;
	unsigned ids, warps;
	bool local;          /* what issues reaches local memory */
	uint8_t first[8];    /* by warp: the first one of its CTA */
	uint32_t missing[8]; /* by warp: lanes that have no thread */
	struct uop uop[UOP_IDS];
	struct value_sig sig[UOP_IDS][UOP_DST_MAX];
	uint32_t other; /* hashes of values that nobody asks for by name */
	/* Of the last instruction that got its results: */
	struct reuse_access a[4 * UOP_DST_MAX];
	unsigned accesses, rounds;
};

static inline void wir_bench_init(struct wir_bench *b)
{
	memset(b, 0, sizeof *b);
	stream_init(&b->s);
	b->model = (struct wir_model){ .loads = true, .signatures = true };
	b->warps = sizeof b->first;
	for (unsigned w = 0; w < b->warps; w++)
		b->first[w] = (uint8_t)w;
}

/* An instruction that sets a register: what it loads nobody else has. */
static inline uint32_t wir_bench_setter(struct wir_bench *b, unsigned reg)
{
	return stream_insn(&b->s, OP_MOV_B32, (int)reg, 15, -1, -1);
}

/* After the kernel and what differs in params, model and CTAs are there: every warp starts. */
static inline void wir_bench_start(struct wir_bench *b)
{
	const struct axis_ctx cx = { .params = &b->s.p,
				     .kernel = b->s.k,
				     .stats = &b->st,
				     .arena = &b->s.a,
				     .diag = &b->s.d,
				     .axes = &b->ax,
				     .warps = b->warps,
				     .resident = b->warps,
				     .warps_per_cta = 1,
				     .now = &b->now };

	b->ax.rf = &b->s.rf;
	b->r = wir_create(&cx, &b->model);
	for (unsigned w = 0; w < b->warps; w++)
		wir_warp_start(b->r, w, b->first[w], b->first[w]);
}

static inline void wir_bench_free(struct wir_bench *b) { stream_free(&b->s); }

/* Every warp ends, and nothing is left. */
static inline void wir_bench_end(struct wir_bench *b)
{
	const char *wrong;

	for (unsigned w = 0; w < b->warps; w++)
		wir_warp_exit(b->r, w);
	wrong = wir_end(b->r);
	ck_assert_msg(!wrong, "%s", wrong);
	wir_bench_free(b);
}

/* Instruction `insn` of warp w issues in lanes `active`. Its results are values of their own, but see
 * wir_bench_value(). */
static inline struct uop *wir_bench_issue(struct wir_bench *b, unsigned w, uint32_t insn, uint32_t active)
{
	const unsigned id = b->ids++ % UOP_IDS;
	struct uop *u = &b->uop[id];
	struct insn_regs regs;

	ir_insn_regs(b->s.k, &b->s.k->insn[insn], &regs);
	*u = (struct uop){ .insn = insn,
			   .warp = (uint16_t)w,
			   .nsrc = regs.nsrc,
			   .ndst = regs.ndst,
			   .id = (uint16_t)id,
			   .active = active,
			   .missing = b->missing[w],
			   .local = b->local,
			   .sig = b->sig[id] };
	memcpy(u->src, regs.src, regs.nsrc);
	memcpy(u->dst, regs.dst, regs.ndst);
	for (unsigned d = 0; d < u->ndst; d++) {
		b->other++;
		b->sig[id][d] = (struct value_sig){ .hash = b->other, .h3 = b->other * 2654435761u };
	}
	wir_issue(b->r, u);
	return u;
}

/* Result d of u is a value of that signature. */
static inline void wir_bench_value(struct wir_bench *b, const struct uop *u, unsigned d, uint32_t h3, uint32_t hash)
{
	b->sig[u->id][d] = (struct value_sig){ .hash = hash, .h3 = h3 };
}

/* u has read its operands, and its results go as far as they can. True: to the end; false: it waits. */
static inline bool wir_bench_results(struct wir_bench *b, const struct uop *u)
{
	enum reuse_progress p;
	struct reuse_round round;

	b->accesses = b->rounds = 0;
	while ((p = wir_round(b->r, u, &round)) == ROUND_ACCESS) {
		ck_assert(round.n);
		b->rounds++;
		for (unsigned i = 0; i < round.n; i++)
			b->a[b->accesses++] = round.a[i];
	}
	return p == ROUND_DONE;
}

/* n further cycles go by. */
static inline void wir_bench_tick(struct wir_bench *b, unsigned n)
{
	b->now++;
	wir_tick(b->r, n);
	b->now += n - 1;
}

/* Executes a miss, from its operands to its end. */
static inline void wir_bench_execute(struct wir_bench *b, const struct uop *u)
{
	wir_sources_read(b->r, u, (uint32_t)(((uint64_t)1 << u->nsrc) - 1));
	if (u->ndst && u->active)
		ck_assert(wir_bench_results(b, u));
	wir_retire(b->r, u);
}

/* And a hit. */
static inline void wir_bench_reuse(struct wir_bench *b, const struct uop *u)
{
	wir_sources_read(b->r, u, (uint32_t)(((uint64_t)1 << u->nsrc) - 1));
	wir_retire(b->r, u);
}

/* The whole of an instruction with one result of that value; true: it was reused. */
static inline bool wir_bench_run(struct wir_bench *b, unsigned w, uint32_t insn, uint32_t h3, uint32_t hash)
{
	const struct uop *u = wir_bench_issue(b, w, insn, ~b->missing[w]);
	enum reuse_verdict v;

	if (u->ndst)
		wir_bench_value(b, u, 0, h3, hash);
	v = wir_lookup(b->r, u, false, false);
	if (v == REUSE_HIT)
		wir_bench_reuse(b, u);
	else
		wir_bench_execute(b, u);
	return v == REUSE_HIT;
}

static inline unsigned wir_bench_phys(const struct wir_bench *b, unsigned w, unsigned reg)
{
	return wir_mapped(b->r, w, reg);
}

#endif
