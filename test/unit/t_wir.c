/* Warp instruction reuse (Kim and Ro, HPCA 2018): its parts one by one, the paper's worked examples, and what the paper leaves open. */
#include "wir_bench.h"

#define LANES UINT32_MAX

extern const struct reuse_ops wir_rl_reuse;

/* Instructions that set a register, one for each: what they load nobody else has. */
static uint32_t setter(struct wir_bench *b, unsigned reg) { return stream_insn(&b->s, OP_MOV_B32, (int)reg, 15, -1, -1); }

/* ---- the pool ---- */

static void pool_of(struct wir_bench *b, struct pool *p, unsigned n)
{
	const struct axis_ctx cx = { .params = &b->s.p, .stats = &b->st, .arena = &b->s.a, .axes = &b->ax, .now = &b->now };

	pool_init(p, &cx, n);
}

START_TEST(the_pool_never_loses_a_register)
{
	enum { N = 13, STEPS = 20000 };
	struct wir_bench b;
	struct pool p;
	unsigned held[STEPS], by[STEPS], n = 0;
	uint32_t x = 7 + (uint32_t)_i;

	wir_bench_init(&b);
	pool_of(&b, &p, N);
	for (unsigned i = 0; i < STEPS; i++) {
		bool in_use[N] = { 0 };
		unsigned used = 0;

		x = x * 1664525 + 1013904223;
		b.now += x >> 30;
		if (x % 97 == 0)
			pool_limit(&p, x / 97 % (N + 3));
		if (x % 5 < 2 && pool_left(&p)) {
			held[n] = pool_take(&p);
			by[n++] = HOLD_FLIGHT;
		} else if (x % 5 == 2 && n && n < 200) {
			held[n] = held[x / 5 % n];
			by[n] = x / 11 % HOLDERS;
			pool_hold(&p, held[n], by[n]);
			n++;
		} else if (n) {
			const unsigned k = x / 5 % n;

			pool_drop(&p, held[k], by[k]);
			held[k] = held[--n];
			by[k] = by[n];
		}
		for (unsigned k = 0; k < n; k++) {
			used += !in_use[held[k]];
			in_use[held[k]] = true;
		}
		ck_assert_uint_eq(p.used, used);
		ck_assert_uint_le(p.peak, N);
	}
	ck_assert(n ? pool_end(&p, &b.s.a) != NULL : true);
	while (n) {
		n--;
		pool_drop(&p, held[n], by[n]);
	}
	ck_assert_ptr_null(pool_end(&p, &b.s.a));
	ck_assert_uint_eq(b.st.phys_register_peak, p.peak);
	wir_bench_free(&b);
}
END_TEST

START_TEST(registers_in_use_are_counted_by_cycle)
{
	struct wir_bench b;
	struct pool p;
	unsigned first, second;

	wir_bench_init(&b);
	pool_of(&b, &p, 2);
	b.now = 10;
	first = pool_take(&p);
	b.now = 15;
	second = pool_take(&p);          /* none is left for 5 cycles */
	b.now = 20;
	pool_drop(&p, first, HOLD_FLIGHT);
	pool_account(&p, 27);
	ck_assert_uint_eq(b.st.phys_register_cycles, 5 + 2 * 5 + 7);
	ck_assert_uint_eq(b.st.low_register_cycles, 5);
	ck_assert_uint_eq(b.st.phys_register_peak, 2);
	ck_assert_ptr_nonnull(strstr(pool_end(&p, &b.s.a), "instructions in flight"));
	pool_drop(&p, second, HOLD_FLIGHT);
	ck_assert_ptr_null(pool_end(&p, &b.s.a));
	wir_bench_free(&b);
}
END_TEST

/* ---- tables and caches ---- */

START_TEST(the_verify_cache_replaces_what_was_used_longest_ago)
{
	struct wir_bench b;
	struct verify_cache c;

	wir_bench_init(&b);
	verify_init(&c, 3, &b.s.a);
	ck_assert(!verify_find(&c, 4));
	verify_fill(&c, 4);
	verify_fill(&c, 5);
	verify_fill(&c, 6);
	ck_assert(verify_find(&c, 4));
	verify_fill(&c, 7);             /* 5 goes */
	ck_assert(verify_find(&c, 4) && verify_find(&c, 6) && verify_find(&c, 7) && !verify_find(&c, 5));
	verify_written(&c, 6);
	verify_written(&c, 9);
	ck_assert(!verify_find(&c, 6) && verify_find(&c, 4) && verify_find(&c, 7));
	verify_fill(&c, 8);             /* in the place of 6 */
	ck_assert(verify_find(&c, 4) && verify_find(&c, 7) && verify_find(&c, 8));
	verify_init(&c, 0, &b.s.a);
	verify_fill(&c, 1);
	ck_assert(!verify_find(&c, 1));
	wir_bench_free(&b);
}
END_TEST

/* ---- Figure 4 ---- */

/* i1: mul r5 = r1, r2 and i2: mul r5 = r3, r4 of other registers with the same product; i3 and i4: the same addition on the product and on
 * registers that are equal. i2 finds its result where i1 has it, so i4 has the operands of i3 and is not executed. */
START_TEST(figure_4_equal_results_share_a_register_and_the_next_instruction_is_reused)
{
	struct wir_bench b;
	uint32_t i1, i2, i3, i4, set[16];

	wir_bench_init(&b);
	for (unsigned i = 0; i < 15; i++)
		set[i] = setter(&b, i);
	i1 = stream_insn(&b.s, OP_MUL_LO_S32, 5, 1, 2, -1);
	i2 = stream_insn(&b.s, OP_MUL_LO_S32, 5, 3, 4, -1);
	i3 = stream_insn(&b.s, OP_ADD_S32, 7, 5, 6, -1);
	i4 = stream_insn(&b.s, OP_ADD_S32, 9, 5, 8, -1);
	wir_bench_start(&b);
	for (unsigned w = 0; w < 2; w++)
		for (unsigned i = 0; i < 15; i++)                /* r6 of one warp and r8 of the other are equal; all others differ */
			if (w == 0 ? i == 1 || i == 2 || i == 6 : i == 3 || i == 4 || i == 8)
				wir_bench_run(&b, w, set[i], i == 6 || i == 8 ? 66 : 100 + i, i == 6 || i == 8 ? 66 : 100 + i);
	ck_assert_uint_eq(wir_bench_phys(&b, 0, 6), wir_bench_phys(&b, 1, 8));
	ck_assert(!wir_bench_run(&b, 0, i1, 12, 12));
	ck_assert(b.accesses == 1 && b.a[0].kind == REUSE_WRITE);
	ck_assert(!wir_bench_run(&b, 1, i2, 12, 12));
	ck_assert(b.accesses == 1 && b.a[0].kind == REUSE_VERIFY);       /* and nothing is written */
	ck_assert_uint_eq(b.a[0].phys, wir_bench_phys(&b, 0, 5));
	ck_assert_uint_eq(wir_bench_phys(&b, 1, 5), wir_bench_phys(&b, 0, 5));
	ck_assert(!wir_bench_run(&b, 0, i3, 78, 78));
	ck_assert(wir_bench_run(&b, 1, i4, 78, 78));
	ck_assert_uint_eq(wir_bench_phys(&b, 1, 9), wir_bench_phys(&b, 0, 7));
	ck_assert_uint_eq(b.st.reuse_hits_ready, 1);
	wir_bench_end(&b);
}
END_TEST

/* ---- Figures 8 and 9 ---- */

/* What the rename stage reads from the tables is the tag, with an immediate in its field, and is in the buffer when the instruction retires. */
START_TEST(figures_8_and_9_an_entry_names_operation_and_physical_registers)
{
	struct wir_bench b;
	const struct reuse_entry *e = NULL;
	uint32_t add, fma, load, set[16];
	unsigned valid = 0;

	wir_bench_init(&b);
	for (unsigned i = 0; i < 15; i++)
		set[i] = setter(&b, i);
	add = stream_insn(&b.s, OP_ADD_S32, 4, 1, 2, -1);
	fma = stream_insn(&b.s, OP_FMA_F32, 5, 1, 2, 3);
	load = stream_memory(&b.s, OP_LD_B32, SP_SHARED, 6, 1, -1);
	wir_bench_start(&b);
	for (unsigned i = 1; i < 4; i++)
		wir_bench_run(&b, 2, set[i], 100 + i, 1);
	ck_assert_uint_eq(b.r->buffer.used, 0);  /* their source was never written */
	ck_assert_uint_eq(b.st.reuse_unmapped, 3);
	wir_bench_run(&b, 2, add, 201, 1);
	wir_bench_run(&b, 2, fma, 202, 1);
	wir_bench_run(&b, 2, load, 203, 1);
	for (unsigned i = 0; i < b.r->buffer.n; i++) {
		const struct reuse_entry *x = &b.r->buffer.entry[i];
		const struct reuse_insn *c = x->valid ? &b.r->code.insn[x->by.insn] : NULL;

		if (!x->valid)
			continue;
		valid++;
		ck_assert(!x->pending && x->nresult == 1 && x->tag.operation == c->operation);
		ck_assert_uint_eq(x->tag.field[0] & 0xffff, wir_bench_phys(&b, 2, 1));
		ck_assert_uint_eq(x->tag.cta, x->by.insn == load ? 2 : EPOCH_ANY_CTA);
		if (x->by.insn == fma)
			e = x;
	}
	ck_assert_uint_eq(valid, 3);
	ck_assert_ptr_nonnull(e);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(e->tag.field[i], wir_bench_phys(&b, 2, 1 + i));
	ck_assert_uint_eq(e->result[0], wir_bench_phys(&b, 2, 5));
	wir_bench_end(&b);
}
END_TEST

/* ---- Figure 11 ---- */

/* Four warps add the same registers back to back; the first result is there when the fourth is looked up. */
static void back_to_back(struct wir_bench *b, bool pending)
{
	const struct uop *u[4];
	uint32_t add, set[2];

	wir_bench_init(b);
	b->model.pending = pending;
	set[0] = setter(b, 1);
	set[1] = setter(b, 2);
	add = stream_insn(&b->s, OP_ADD_S32, 0, 1, 2, -1);
	wir_bench_start(b);
	for (unsigned w = 0; w < 4; w++)
		for (unsigned i = 0; i < 2; i++)
			wir_bench_run(b, w, set[i], i + 1, 1);
	for (unsigned w = 0; w < 4; w++) {
		enum reuse_verdict v;

		u[w] = wir_bench_issue(b, w, add, LANES);
		wir_bench_value(b, u[w], 0, 3, 1);
		if (w == 3)
			wir_bench_execute(b, u[0]);
		v = wir_lookup(b->r, u[w], true, false);
		ck_assert_int_eq(v, w == 0 ? REUSE_MISS : w == 3 ? REUSE_HIT : pending ? REUSE_PENDING : REUSE_MISS);
		if (v == REUSE_PENDING)
			ck_assert_int_eq(wir_lookup(b->r, u[w], true, true), REUSE_PENDING);
	}
	wir_bench_reuse(b, u[3]);
	for (unsigned w = 1; w < 3; w++)
		if (pending) {
			ck_assert_int_eq(wir_lookup(b->r, u[w], true, true), REUSE_HIT);
			ck_assert_int_eq(wir_outcome(b->r, u[w]), OUTCOME_REUSED_LATE);
			wir_bench_reuse(b, u[w]);
		} else {
			wir_bench_execute(b, u[w]);
		}
	for (unsigned w = 1; w < 4; w++)
		ck_assert_uint_eq(wir_bench_phys(b, w, 0), wir_bench_phys(b, 0, 0));
	ck_assert_uint_eq(b->st.reuse_hits_ready, 1);
	ck_assert_uint_eq(b->st.reuse_hits_pending, pending ? 2 : 0);
	ck_assert_uint_eq(b->st.reuse_misses, pending ? 1 : 3);
	wir_bench_end(b);
}

START_TEST(figure_11_what_comes_before_the_result_misses) { struct wir_bench b; back_to_back(&b, false); } END_TEST
START_TEST(figure_11_or_waits_for_it) { struct wir_bench b; back_to_back(&b, true); } END_TEST

/* ---- pending entries ---- */

START_TEST(without_room_to_wait_an_instruction_is_executed_and_enters_nothing)
{
	struct wir_bench b;
	const struct uop *first, *second;
	uint32_t add, set[2];

	wir_bench_init(&b);
	b.model.pending = true;
	set[0] = setter(&b, 1);
	set[1] = setter(&b, 2);
	add = stream_insn(&b.s, OP_ADD_S32, 0, 1, 2, -1);
	wir_bench_start(&b);
	for (unsigned w = 0; w < 2; w++)
		for (unsigned i = 0; i < 2; i++)
			wir_bench_run(&b, w, set[i], i + 1, 1);
	first = wir_bench_issue(&b, 0, add, LANES);
	second = wir_bench_issue(&b, 1, add, LANES);
	wir_bench_value(&b, first, 0, 3, 1);
	wir_bench_value(&b, second, 0, 3, 1);
	ck_assert_int_eq(wir_lookup(b.r, first, true, false), REUSE_MISS);
	ck_assert_int_eq(wir_lookup(b.r, second, false, false), REUSE_MISS);
	ck_assert_int_eq(wir_outcome(b.r, second), OUTCOME_QUEUE_FULL);
	wir_bench_execute(&b, second);
	ck_assert(b.r->buffer.entry[0].pending || b.r->buffer.used == 1);
	wir_bench_execute(&b, first);
	ck_assert(wir_bench_run(&b, 1, add, 3, 1));
	ck_assert_uint_eq(b.st.reuse_reservations, 1);
	wir_bench_end(&b);
}
END_TEST

/* In a buffer of one entry another instruction takes the reservation. The one that waits is told that there is nothing to wait for, and the first
 * producer enters nothing when it retires. */
START_TEST(who_waits_for_an_entry_that_is_replaced_is_executed)
{
	struct wir_bench b;
	const struct uop *first, *waits, *other;
	uint32_t add, sub, set[2];

	wir_bench_init(&b);
	b.model.pending = true;
	b.s.p.reuse_entries = 1;
	set[0] = setter(&b, 1);
	set[1] = setter(&b, 2);
	add = stream_insn(&b.s, OP_ADD_S32, 0, 1, 2, -1);
	sub = stream_insn(&b.s, OP_SUB_S32, 3, 1, 2, -1);
	wir_bench_start(&b);
	for (unsigned w = 0; w < 2; w++)
		for (unsigned i = 0; i < 2; i++)
			wir_bench_run(&b, w, set[i], i + 1, 1);
	first = wir_bench_issue(&b, 0, add, LANES);
	waits = wir_bench_issue(&b, 1, add, LANES);
	other = wir_bench_issue(&b, 0, sub, LANES);
	wir_bench_value(&b, first, 0, 3, 1);
	wir_bench_value(&b, waits, 0, 3, 1);
	ck_assert_int_eq(wir_lookup(b.r, first, true, false), REUSE_MISS);
	ck_assert_int_eq(wir_lookup(b.r, waits, true, false), REUSE_PENDING);
	ck_assert_ptr_nonnull(strstr(wir_describe(b.r, waits, &b.s.a), "of warp 0"));
	ck_assert_int_eq(wir_lookup(b.r, other, true, false), REUSE_MISS);
	ck_assert_int_eq(wir_lookup(b.r, waits, true, true), REUSE_MISS);        /* and reserves for itself */
	wir_bench_execute(&b, first);
	wir_bench_execute(&b, other);
	ck_assert_uint_eq(b.st.reuse_dropped, 2);
	wir_bench_execute(&b, waits);
	ck_assert_uint_eq(b.st.reuse_dropped, 2);
	ck_assert(wir_bench_run(&b, 1, add, 3, 1));
	wir_bench_end(&b);
}
END_TEST

/* ---- the value signature buffer ---- */

START_TEST(a_false_positive_is_read_and_then_written_and_replaces_the_entry)
{
	struct wir_bench b;
	uint32_t set[3];

	wir_bench_init(&b);
	for (unsigned i = 0; i < 3; i++)
		set[i] = setter(&b, i);
	wir_bench_start(&b);
	wir_bench_run(&b, 0, set[0], 7, 1);
	wir_bench_run(&b, 0, set[1], 7, 2);
	ck_assert(b.rounds == 2 && b.accesses == 2 && b.a[0].kind == REUSE_VERIFY && b.a[1].kind == REUSE_WRITE);
	ck_assert_uint_eq(b.a[0].phys, wir_bench_phys(&b, 0, 0));
	ck_assert_uint_ne(wir_bench_phys(&b, 0, 0), wir_bench_phys(&b, 0, 1));
	wir_bench_run(&b, 0, set[2], 7, 2);
	ck_assert_uint_eq(wir_bench_phys(&b, 0, 2), wir_bench_phys(&b, 0, 1));
	ck_assert(b.st.vsb_false == 1 && b.st.vsb_hits == 1 && b.st.verify_reads == 2 && b.st.vsb_lookups == 3);
	wir_bench_end(&b);
}
END_TEST

START_TEST(the_verify_cache_saves_the_second_read_until_the_register_is_written)
{
	struct wir_bench b;
	uint32_t set[3];

	wir_bench_init(&b);
	b.model.verify = true;
	for (unsigned i = 0; i < 3; i++)
		set[i] = setter(&b, i);
	wir_bench_start(&b);
	wir_bench_run(&b, 0, set[0], 7, 1);
	wir_bench_run(&b, 0, set[1], 7, 1);
	ck_assert(b.accesses == 1 && b.st.verify_cache_fills == 1);
	wir_bench_run(&b, 0, set[2], 7, 1);
	ck_assert(b.accesses == 0 && b.st.verify_cache_hits == 1 && b.st.vsb_hits == 2);
	wir_bench_run(&b, 1, set[0], 7, 3);      /* in the cache, and another value */
	ck_assert(b.accesses == 1 && b.a[0].kind == REUSE_WRITE && b.st.vsb_false == 1 && b.st.verify_reads == 1);
	wir_bench_end(&b);
}
END_TEST

START_TEST(without_it_each_write_gets_a_register)
{
	struct wir_bench b;
	uint32_t set[2];

	wir_bench_init(&b);
	b.model.signatures = false;
	set[0] = setter(&b, 0);
	set[1] = setter(&b, 1);
	wir_bench_start(&b);
	wir_bench_run(&b, 0, set[0], 7, 1);
	wir_bench_run(&b, 0, set[1], 7, 1);
	ck_assert_uint_ne(wir_bench_phys(&b, 0, 0), wir_bench_phys(&b, 0, 1));
	ck_assert(b.st.hashes == 0 && b.st.vsb_lookups == 0 && b.st.register_allocations == 2);
	wir_bench_end(&b);
}
END_TEST

/* ---- divergence ---- */

START_TEST(the_life_of_a_pin_bit)
{
	struct wir_bench b;
	const struct uop *u;
	uint32_t set[3], add;
	unsigned shared, own;

	wir_bench_init(&b);
	for (unsigned i = 0; i < 3; i++)
		set[i] = setter(&b, i);
	add = stream_insn(&b.s, OP_ADD_S32, 3, 0, 1, -1);
	wir_bench_start(&b);
	wir_bench_run(&b, 0, set[0], 7, 1);
	wir_bench_run(&b, 0, set[1], 7, 1);
	shared = wir_bench_phys(&b, 0, 0);
	/* The first divergent write: a register of its own, and the other lanes are copied. */
	u = wir_bench_issue(&b, 0, set[0], 0xffff);
	ck_assert_int_eq(wir_lookup(b.r, u, true, false), REUSE_MISS);
	ck_assert_int_eq(wir_outcome(b.r, u), OUTCOME_DIVERGENT);
	wir_bench_execute(&b, u);
	own = wir_bench_phys(&b, 0, 0);
	ck_assert_uint_ne(own, shared);
	ck_assert(b.rounds == 2 && b.accesses == 3);
	ck_assert(b.a[0].kind == REUSE_MOVE_READ && b.a[0].phys == shared);
	ck_assert(b.a[1].kind == REUSE_WRITE && b.a[1].phys == own && b.a[1].lanes == 0xffff);
	ck_assert(b.a[2].kind == REUSE_MOVE_WRITE && b.a[2].phys == own && b.a[2].from == shared && b.a[2].lanes == 0xffff0000);
	ck_assert(tables_at(&b.r->tables, 0, 0)->pin);
	ck_assert_uint_eq(wir_bench_phys(&b, 0, 1), shared);
	/* The next one: in place, when the older read has been served. */
	u = wir_bench_issue(&b, 0, add, LANES);
	ck_assert_int_eq(wir_lookup(b.r, u, true, false), REUSE_MISS);
	ck_assert_int_eq(wir_outcome(b.r, u), OUTCOME_PINNED);
	{
		const struct uop *v = wir_bench_issue(&b, 0, set[0], 1);

		wir_lookup(b.r, v, true, false);
		wir_sources_read(b.r, v, 1);
		ck_assert(!wir_bench_results(&b, v));
		wir_bench_execute(&b, u);
		ck_assert(wir_bench_results(&b, v));
		ck_assert(b.accesses == 1 && b.a[0].kind == REUSE_WRITE && b.a[0].phys == own && b.a[0].lanes == 1);
		wir_retire(b.r, v);
	}
	ck_assert_uint_eq(wir_bench_phys(&b, 0, 0), own);
	/* A convergent write clears the bit, and the register is free. */
	wir_bench_run(&b, 0, set[0], 7, 1);
	ck_assert(!tables_at(&b.r->tables, 0, 0)->pin);
	ck_assert_uint_eq(wir_bench_phys(&b, 0, 0), shared);
	ck_assert_uint_eq(b.r->pool.reg[own].refs, 0);
	ck_assert(b.st.dummy_moves == 1 && b.st.pinned_writes == 1 && b.st.reuse_pinned == 1 && b.st.register_waits == 1);
	wir_bench_end(&b);
}
END_TEST

START_TEST(lanes_that_were_never_written_are_not_copied)
{
	struct wir_bench b;
	uint32_t set;

	wir_bench_init(&b);
	set = setter(&b, 0);
	wir_bench_start(&b);
	{
		const struct uop *u = wir_bench_issue(&b, 0, set, 5);

		wir_lookup(b.r, u, true, false);
		wir_bench_execute(&b, u);
	}
	ck_assert(b.accesses == 1 && b.a[0].kind == REUSE_WRITE && b.a[0].lanes == 5 && b.st.dummy_moves == 0);
	wir_bench_end(&b);
}
END_TEST

/* ---- registers are short ---- */

/* A pool of as many registers as the warps have: 32, of two warps of 16. */
static void tight(struct wir_bench *b, uint32_t set[16])
{
	wir_bench_init(b);
	b->warps = 2;
	b->s.p.rf_registers = 1024;
	b->s.k->res.regs = 16;
	for (unsigned i = 0; i < 16; i++)
		set[i] = setter(b, i);
}

START_TEST(in_low_register_mode_misses_evict_and_register_nothing)
{
	struct wir_bench b;
	uint32_t set[16], add;
	unsigned n;

	tight(&b, set);
	add = stream_insn(&b.s, OP_ADD_S32, 0, 1, 2, -1);
	wir_bench_start(&b);
	for (unsigned w = 0; w < 2; w++)
		for (unsigned i = 0; i < 16; i++)
			wir_bench_run(&b, w, set[i], 16 * w + i, 1);
	ck_assert(pool_low(&b.r->pool) && wir_busy(b.r));
	n = b.r->signatures.used;
	ck_assert(!wir_bench_run(&b, 0, add, 256, 1));          /* its hash meets the entry of r0's old value, 0 */
	ck_assert_uint_eq(b.st.forced_writes, 1);
	ck_assert_uint_eq(b.r->signatures.used, n - 1);
	ck_assert_uint_eq(b.r->buffer.used, 0);
	ck_assert(b.st.low_evictions > 0 && b.st.reuse_dropped == 1);
	for (unsigned i = 0; wir_busy(b.r); i++) {
		ck_assert_uint_lt(i, 256);
		wir_bench_tick(&b, 1);
	}
	ck_assert_uint_eq(b.r->signatures.used, 0);
	ck_assert(!wir_bench_run(&b, 1, add, 999, 1));
	ck_assert_uint_eq(b.st.forced_writes, 2);
	wir_bench_end(&b);
}
END_TEST

START_TEST(several_cycles_at_once_evict_as_many_entries_as_one_by_one)
{
	struct wir_bench b[2];
	uint32_t set[16];

	for (unsigned k = 0; k < 2; k++) {
		tight(&b[k], set);
		wir_bench_start(&b[k]);
		for (unsigned w = 0; w < 2; w++)
			for (unsigned i = 0; i < 16; i++)
				wir_bench_run(&b[k], w, set[i], 16 * w + i, 1);
	}
	wir_bench_tick(&b[0], 11);
	for (unsigned i = 0; i < 11; i++)
		wir_bench_tick(&b[1], 1);
	ck_assert(b[0].st.low_evictions && b[0].st.low_evictions == b[1].st.low_evictions);
	for (unsigned i = 0; i < b[0].r->signatures.n; i++)
		ck_assert_uint_eq(b[0].r->signatures.entry[i].phys, b[1].r->signatures.entry[i].phys);
	wir_bench_end(&b[0]);
	wir_bench_end(&b[1]);
}
END_TEST

/* 31 of 32 registers are in use: the buffer has an entry of r0 = r1 + r2 of warp 0, which is value 100, and the VSB one for each register.
 * Returns r3 = r1 - r2; *store reads r0 and r1. */
static uint32_t nearly_full(struct wir_bench *b, uint32_t set[16], unsigned entries, uint32_t *store)
{
	uint32_t add, sub;

	tight(b, set);
	b->s.p.reuse_entries = entries;
	add = stream_insn(&b->s, OP_ADD_S32, 0, 1, 2, -1);
	sub = stream_insn(&b->s, OP_SUB_S32, 3, 1, 2, -1);
	*store = stream_memory(&b->s, OP_ST_B32, SP_GLOBAL, -1, 0, 1);
	wir_bench_start(b);
	for (unsigned i = 0; i < 16; i++)
		wir_bench_run(b, 0, set[i], i, 1);
	wir_bench_run(b, 0, add, 100, 1);
	for (unsigned i = 0; i < 14; i++)
		wir_bench_run(b, 1, set[i], 16 + i, 1);
	ck_assert(b->r->pool.used == 31 && b->r->buffer.used == 1 && b->r->signatures.used == 31 && !pool_low(&b->r->pool));
	return sub;
}

/* The buffer has one entry, which everything meets, or 256. */
START_TEST(in_low_register_mode_a_miss_of_the_buffer_evicts_the_entry_that_it_met)
{
	struct wir_bench b;
	uint32_t set[16], sub, store;

	sub = nearly_full(&b, set, _i ? 256 : 1, &store);
	pool_limit(&b.r->pool, 31);
	for (unsigned n = 0; n < 2; n++) {              /* the second one meets none */
		ck_assert(!wir_bench_run(&b, 0, sub, 100, 1));
		ck_assert_uint_eq(b.r->buffer.used, _i ? 1 : 0);
		ck_assert_uint_eq(b.st.low_evictions, _i ? 0 : 1);
		ck_assert_uint_eq(b.r->signatures.used, 31);
	}
	wir_bench_end(&b);
}
END_TEST

/* The pool is full from cycle 5 on. Tables that were looked up before each give an entry up in it; those looked up in it do in the next one. */
START_TEST(only_a_lookup_of_this_cycle_keeps_a_table_from_giving_an_entry_up)
{
	struct wir_bench b;
	uint32_t set[16], sub, store;

	sub = nearly_full(&b, set, 256, &store);
	b.now = 5;
	pool_limit(&b.r->pool, 31);
	if (_i) {
		wir_bench_run(&b, 0, sub, 100, 1);
		wir_tick(b.r, 1);
		ck_assert(b.r->buffer.used == 1 && b.r->signatures.used == 31 && b.st.low_evictions == 0);
		b.now++;
	}
	wir_tick(b.r, 1);
	ck_assert(b.r->buffer.used == 0 && b.r->signatures.used == 30 && b.st.low_evictions == 2);
	wir_bench_end(&b);
}
END_TEST

/* r0 of warp 0 is read by an older instruction that is late. In the cycle of the tick another warp looks up in both tables. */
START_TEST(while_a_result_waits_tables_give_entries_up_though_they_are_looked_up)
{
	struct wir_bench b;
	const struct uop *late, *waits;
	uint32_t set[16], sub, use;

	sub = nearly_full(&b, set, 256, &use);
	wir_bench_run(&b, 1, set[14], 30, 1);
	late = wir_bench_issue(&b, 0, use, LANES);
	wir_lookup(b.r, late, true, false);
	waits = wir_bench_issue(&b, 0, set[0], LANES);
	wir_bench_value(&b, waits, 0, 200, 1);
	wir_lookup(b.r, waits, true, false);
	wir_sources_read(b.r, waits, 1);
	ck_assert(!wir_bench_results(&b, waits) && b.r->pool.starved == 1);
	b.now++;
	ck_assert(!wir_bench_run(&b, 1, sub, 16 + 4, 1));
	ck_assert(b.r->buffer.used == 1 && b.r->signatures.used == 31 && b.st.low_evictions == 0);
	wir_tick(b.r, 1);
	ck_assert(b.r->buffer.used == 0 && b.r->signatures.used == 30 && b.st.low_evictions == 2);
	wir_bench_execute(&b, late);
	while (!wir_bench_results(&b, waits))
		wir_bench_tick(&b, 1);
	wir_retire(b.r, waits);
	wir_bench_end(&b);
}
END_TEST

/* Every register is mapped, by one logical register each; r0 is read by an older instruction that is late. */
START_TEST(a_result_that_finds_no_register_overwrites_its_own_when_nobody_reads_it)
{
	struct wir_bench b;
	const struct uop *late, *u;
	uint32_t set[16], use;

	tight(&b, set);
	use = stream_memory(&b.s, OP_ST_B32, SP_GLOBAL, -1, 0, 1);
	wir_bench_start(&b);
	for (unsigned w = 0; w < 2; w++)
		for (unsigned i = 0; i < 16; i++)
			wir_bench_run(&b, w, set[i], 16 * w + i, 1);
	late = wir_bench_issue(&b, 0, use, LANES);
	wir_lookup(b.r, late, true, false);
	u = wir_bench_issue(&b, 0, set[0], LANES);
	wir_lookup(b.r, u, true, false);
	wir_sources_read(b.r, u, 1);
	ck_assert(!wir_bench_results(&b, u));
	ck_assert_ptr_nonnull(strstr(wir_describe(b.r, u, &b.s.a), "32 of 32 are in use"));
	while (wir_busy(b.r))
		wir_bench_tick(&b, 1);
	ck_assert(!wir_bench_results(&b, u));
	wir_bench_execute(&b, late);
	ck_assert(wir_bench_results(&b, u));
	ck_assert(b.accesses == 1 && b.a[0].kind == REUSE_WRITE && b.a[0].phys == wir_bench_phys(&b, 0, 0));
	wir_retire(b.r, u);
	ck_assert(b.st.register_waits == 1 && b.st.forced_writes == 1);
	wir_bench_end(&b);
}
END_TEST

/* A load of two registers that share one, none free: one of them overwrites it, the other takes what is then free, if some lanes alone are loaded
 * with the copy of the others made before. */
START_TEST(two_results_whose_registers_are_one)
{
	const uint32_t active = _i ? 0xff : LANES;
	struct wir_bench b;
	const struct uop *u;
	uint32_t set[16], load;

	tight(&b, set);
	load = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 2, 15, -1);
	{
		struct insn *i = ir_append(b.s.k, OP_LD_B32, 2, op_info[OP_LD_B32].nsrc);

		i->vec = 2;
		i->space = SP_GLOBAL;
		insn_dst(b.s.k, i)[0] = ref_reg(2);
		insn_dst(b.s.k, i)[1] = ref_reg(3);
		insn_src(b.s.k, i)[0] = ref_reg(15);
		load = (uint32_t)(i - b.s.k->insn);
	}
	wir_bench_start(&b);
	for (unsigned w = 0; w < 2; w++)
		for (unsigned i = 0; i < 16; i++)
			wir_bench_run(&b, w, set[i], i == 3 ? 16 * w + 2 : 16 * w + i, 1);
	pool_limit(&b.r->pool, b.r->pool.used + 1);
	while (b.r->signatures.used)
		signatures_evict_from(&b.r->signatures, 0);
	u = wir_bench_issue(&b, 0, load, active);
	ck_assert_uint_eq(u->ndst, 2);
	wir_lookup(b.r, u, true, false);
	wir_sources_read(b.r, u, 1);
	ck_assert(wir_bench_results(&b, u));
	ck_assert_uint_eq(b.st.forced_writes, 1);
	if (_i) {
		ck_assert(b.accesses == 4 && b.rounds == 3);
		ck_assert(b.a[0].kind == REUSE_MOVE_READ && b.a[1].kind == REUSE_WRITE && b.a[2].kind == REUSE_MOVE_WRITE && b.a[3].kind == REUSE_WRITE);
		ck_assert(b.a[0].phys == b.a[3].phys && b.a[1].phys == b.a[2].phys && b.a[1].phys != b.a[3].phys);
	} else {
		ck_assert(b.accesses == 2 && b.rounds == 1 && b.a[0].phys != b.a[1].phys);
	}
	wir_retire(b.r, u);
	ck_assert_uint_ne(wir_bench_phys(&b, 0, 2), wir_bench_phys(&b, 0, 3));
	ck_assert_int_eq(tables_at(&b.r->tables, 0, 2)->pin, _i);
	wir_bench_end(&b);
}
END_TEST

START_TEST(capped_registers_are_those_of_the_live_warps)
{
	struct wir_bench b;
	uint32_t set[16];

	wir_bench_init(&b);
	b.model.capped = true;
	b.s.k->res.regs = 3;
	for (unsigned i = 0; i < 3; i++)
		set[i] = stream_insn(&b.s, OP_MOV_B32, (int)i, 2, -1, -1);
	wir_bench_start(&b);
	ck_assert_uint_eq(b.r->pool.limit, 3 * b.warps);
	wir_warp_exit(b.r, 7);
	ck_assert_uint_eq(b.r->pool.limit, 3 * (b.warps - 1));
	wir_warp_start(b.r, 7, 7, 8);
	for (unsigned w = 0; w < b.warps; w++)
		for (unsigned i = 0; i < 3; i++)
			ck_assert(!wir_bench_run(&b, w, set[i], 3 * w + i, 1));
	ck_assert(pool_low(&b.r->pool) && b.r->pool.used == 24 && b.r->pool.n == 1024);
	ck_assert_uint_eq(b.st.phys_register_peak, 24);
	wir_bench_end(&b);
}
END_TEST

/* ---- loads ---- */

/* i1 to i10 of Figure 10, as (CTA and its warps) 0: 0, 1; 1: 2; 2: 4. Each address register holds [0, 4, 8, 12]. */
START_TEST(figure_10_line_by_line)
{
	static const struct { unsigned warp; enum space space; unsigned value; bool reused; } line[] = {
		{ 0, SP_CONST, 1, false }, { 2, SP_CONST, 1, true }, { 0, SP_SHARED, 2, false }, { 2, SP_SHARED, 3, false }, { 1, SP_SHARED, 2, true },
		{ 0, SP_GLOBAL, 4, false }, { 2, SP_GLOBAL, 4, true }, { 0, SP_NONE, 0, false }, { 0, SP_GLOBAL, 5, false }, { 4, SP_GLOBAL, 4, true },
	};
	unsigned result[10];
	struct wir_bench b;
	uint32_t address, load[SP_COUNT], store, barrier;

	wir_bench_init(&b);
	b.first[1] = 0;                 /* warps 0 and 1 are one CTA */
	address = setter(&b, 0);
	load[SP_CONST] = stream_memory(&b.s, OP_LD_B32, SP_CONST, 1, 0, -1);
	load[SP_SHARED] = stream_memory(&b.s, OP_LD_B32, SP_SHARED, 1, 0, -1);
	load[SP_GLOBAL] = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 1, 0, -1);
	store = stream_memory(&b.s, OP_ST_B32, SP_GLOBAL, -1, 0, 0);
	barrier = stream_barrier(&b.s, 0, 0);
	wir_bench_start(&b);
	for (unsigned w = 0; w < 5; w++)
		wir_bench_run(&b, w, address, 99, 99);
	for (unsigned i = 0; i < 10; i++) {
		const bool reused = wir_bench_run(&b, line[i].warp, line[i].space == SP_NONE ? store : load[line[i].space], line[i].value, 1);

		ck_assert_msg(reused == line[i].reused, "i%u", i + 1);
		result[i] = wir_bench_phys(&b, line[i].warp, 1);
	}
	ck_assert(result[1] == result[0] && result[3] != result[2] && result[4] == result[2] && result[6] == result[5] && result[9] == result[5]);
	ck_assert_uint_ne(result[8], result[5]);
	ck_assert_uint_eq(b.st.reuse_store_flag, 1);
	ck_assert_uint_eq(b.st.reused_loads, 4);
	/* Behind a barrier CTA 0 finds what i8 stored; the others have not been there, and do not. */
	for (unsigned w = 0; w < 2; w++)
		wir_bench_run(&b, w, barrier, 0, 0);
	wir_rl_reuse.released(b.r, 0);
	ck_assert(!wir_bench_run(&b, 0, load[SP_GLOBAL], 5, 1));
	ck_assert(wir_bench_run(&b, 1, load[SP_GLOBAL], 5, 1));
	ck_assert(wir_bench_run(&b, 2, load[SP_GLOBAL], 4, 1));
	ck_assert_uint_eq(b.st.reuse_races, 0);
	wir_bench_end(&b);
}
END_TEST

START_TEST(scratchpad_loads_of_a_cta_that_has_ended_are_forgotten)
{
	struct wir_bench b;
	uint32_t set, load;

	wir_bench_init(&b);
	set = setter(&b, 0);
	load = stream_memory(&b.s, OP_LD_B32, SP_SHARED, 1, 0, -1);
	wir_bench_start(&b);
	for (unsigned w = 0; w < 2; w++)
		wir_bench_run(&b, w, set, 7, 1);
	ck_assert(!wir_bench_run(&b, 0, load, 8, 1));
	ck_assert(!wir_bench_run(&b, 1, load, 8, 1));    /* another CTA */
	ck_assert(wir_bench_run(&b, 0, load, 8, 1));
	wir_warp_exit(b.r, 0);
	wir_warp_start(b.r, 0, 0, 100);
	wir_bench_run(&b, 0, set, 7, 1);
	ck_assert(!wir_bench_run(&b, 0, load, 9, 1));
	ck_assert(wir_bench_run(&b, 1, load, 8, 1));
	ck_assert_uint_eq(b.st.reuse_races, 0);
	wir_warp_exit(b.r, 0);
	wir_warp_start(b.r, 0, 0, 200);
	wir_bench_run(&b, 0, set, 7, 1);
	ck_assert(!wir_bench_run(&b, 0, load, 9, 1));    /* the same value, and loaded all the same */
	ck_assert_uint_eq(b.st.reused_loads, 2);
	ck_assert_uint_eq(b.st.reuse_races, 0);
	wir_bench_end(&b);
}
END_TEST

START_TEST(a_generic_load_that_reaches_local_memory_is_not_looked_up)
{
	struct wir_bench b;
	uint32_t set, load;

	wir_bench_init(&b);
	set = setter(&b, 0);
	load = stream_memory(&b.s, OP_LD_B32, SP_GENERIC, 1, 0, -1);
	wir_bench_start(&b);
	wir_bench_run(&b, 0, set, 7, 1);
	ck_assert(!wir_bench_run(&b, 0, load, 8, 1));
	b.local = true;
	ck_assert(!wir_bench_run(&b, 0, load, 8, 1));
	ck_assert_uint_eq(b.st.reuse_kind, 1);
	b.local = false;
	ck_assert(wir_bench_run(&b, 0, load, 8, 1));
	ck_assert(b.st.reuse_kind == 1 && b.st.reuse_lookups == 2);
	wir_bench_end(&b);
}
END_TEST

START_TEST(what_no_lane_executes_changes_neither_flags_nor_counts)
{
	struct wir_bench b;
	uint32_t set, load, ordered[2];

	wir_bench_init(&b);
	set = setter(&b, 0);
	load = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 1, 0, -1);
	ordered[0] = stream_memory(&b.s, OP_ST_B32, SP_GLOBAL, -1, 0, 0);
	ordered[1] = stream_insn(&b.s, OP_MEMBAR, -1, -1, -1, -1);
	wir_bench_start(&b);
	wir_bench_run(&b, 0, set, 7, 1);
	ck_assert(!wir_bench_run(&b, 0, load, 8, 1));
	for (unsigned i = 0; i < 2; i++) {
		const struct uop *u = wir_bench_issue(&b, 0, ordered[i], 0);

		wir_lookup(b.r, u, true, false);
		wir_bench_execute(&b, u);
		ck_assert(wir_bench_run(&b, 0, load, 8, 1));
	}
	for (unsigned i = 0; i < 2; i++) {              /* one lane, and it is not found any more */
		const struct uop *u = wir_bench_issue(&b, 0, ordered[i], 1);

		wir_lookup(b.r, u, true, false);
		wir_bench_execute(&b, u);
		ck_assert(!wir_bench_run(&b, 0, load, 8, 1));
	}
	ck_assert_uint_eq(b.st.reuse_store_flag, 1);
	wir_bench_end(&b);
}
END_TEST

START_TEST(a_load_whose_value_has_changed_is_a_race_and_is_executed)
{
	struct wir_bench b;
	uint32_t set, load;

	wir_bench_init(&b);
	set = setter(&b, 0);
	load = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 1, 0, -1);
	wir_bench_start(&b);
	for (unsigned w = 0; w < 2; w++)
		wir_bench_run(&b, w, set, 7, 1);
	ck_assert(!wir_bench_run(&b, 0, load, 8, 1));
	ck_assert(!wir_bench_run(&b, 1, load, 9, 1));
	ck_assert(b.st.reuse_races == 1 && b.st.reuse_misses == 1);
	ck_assert(wir_bench_run(&b, 1, load, 9, 1));     /* the newer value is the entry's */
	wir_bench_end(&b);
}
END_TEST

/* Where a CTA has executed a fence, warps may have been executed in another order: no race, unless nothing is allowed to change it. */
START_TEST(behind_a_fence_it_may_be_another_order)
{
	for (unsigned read_only = 0; read_only < 2; read_only++) {
		struct wir_bench b;
		uint32_t set, load, fence;

		wir_bench_init(&b);
		b.first[1] = 0;
		set = setter(&b, 0);
		load = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 1, 0, -1);
		if (read_only)
			b.s.k->insn[load].cop = COP_NC;
		fence = stream_insn(&b.s, OP_MEMBAR, -1, -1, -1, -1);
		wir_bench_start(&b);
		for (unsigned w = 0; w < 2; w++)
			wir_bench_run(&b, w, set, 7, 1);
		wir_retire(b.r, wir_bench_issue(&b, 0, fence, LANES));
		ck_assert(!wir_bench_run(&b, 0, load, 8, 1));
		ck_assert(!wir_bench_run(&b, 1, load, 9, 1));
		ck_assert(b.st.reuse_races == read_only && b.st.reuse_reordered == !read_only);
		wir_bench_end(&b);
	}
}
END_TEST

Suite *suite_wir(void);
Suite *suite_wir(void)
{
	Suite *s = suite_create("wir");
	TCase *c = tcase_create("parts");

	tcase_add_loop_test(c, the_pool_never_loses_a_register, 0, 8);
	tcase_add_test(c, registers_in_use_are_counted_by_cycle);
	tcase_add_test(c, the_verify_cache_replaces_what_was_used_longest_ago);
	suite_add_tcase(s, c);
	c = tcase_create("paper");
	tcase_add_test(c, figure_4_equal_results_share_a_register_and_the_next_instruction_is_reused);
	tcase_add_test(c, figures_8_and_9_an_entry_names_operation_and_physical_registers);
	tcase_add_test(c, figure_10_line_by_line);
	tcase_add_test(c, figure_11_what_comes_before_the_result_misses);
	tcase_add_test(c, figure_11_or_waits_for_it);
	suite_add_tcase(s, c);
	c = tcase_create("rules");
	tcase_add_test(c, without_room_to_wait_an_instruction_is_executed_and_enters_nothing);
	tcase_add_test(c, who_waits_for_an_entry_that_is_replaced_is_executed);
	tcase_add_test(c, a_false_positive_is_read_and_then_written_and_replaces_the_entry);
	tcase_add_test(c, the_verify_cache_saves_the_second_read_until_the_register_is_written);
	tcase_add_test(c, without_it_each_write_gets_a_register);
	tcase_add_test(c, the_life_of_a_pin_bit);
	tcase_add_test(c, lanes_that_were_never_written_are_not_copied);
	tcase_add_test(c, in_low_register_mode_misses_evict_and_register_nothing);
	tcase_add_loop_test(c, in_low_register_mode_a_miss_of_the_buffer_evicts_the_entry_that_it_met, 0, 2);
	tcase_add_loop_test(c, only_a_lookup_of_this_cycle_keeps_a_table_from_giving_an_entry_up, 0, 2);
	tcase_add_test(c, while_a_result_waits_tables_give_entries_up_though_they_are_looked_up);
	tcase_add_test(c, several_cycles_at_once_evict_as_many_entries_as_one_by_one);
	tcase_add_test(c, a_result_that_finds_no_register_overwrites_its_own_when_nobody_reads_it);
	tcase_add_loop_test(c, two_results_whose_registers_are_one, 0, 2);
	tcase_add_test(c, capped_registers_are_those_of_the_live_warps);
	tcase_add_test(c, scratchpad_loads_of_a_cta_that_has_ended_are_forgotten);
	tcase_add_test(c, a_generic_load_that_reaches_local_memory_is_not_looked_up);
	tcase_add_test(c, what_no_lane_executes_changes_neither_flags_nor_counts);
	tcase_add_test(c, a_load_whose_value_has_changed_is_a_race_and_is_executed);
	tcase_add_test(c, behind_a_fence_it_may_be_another_order);
	suite_add_tcase(s, c);
	return s;
}
