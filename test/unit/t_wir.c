/* Warp instruction reuse (Kim and Ro, HPCA 2018): its parts one by one, the paper's worked examples, values and
 * divergence. */
#include "wir_bench.h"

#define LANES UINT32_MAX

/* ---- the pool ---- */

static void pool_of(struct wir_bench *b, struct pool *p, unsigned n)
{
	const struct axis_ctx cx = {
		.params = &b->s.p, .stats = &b->st, .arena = &b->s.a, .axes = &b->ax, .now = &b->now
	};

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
	second = pool_take(&p); /* none is left for 5 cycles */
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
	verify_fill(&c, 7); /* 5 goes */
	ck_assert(verify_find(&c, 4) && verify_find(&c, 6) && verify_find(&c, 7) && !verify_find(&c, 5));
	verify_written(&c, 6);
	verify_written(&c, 9);
	ck_assert(!verify_find(&c, 6) && verify_find(&c, 4) && verify_find(&c, 7));
	verify_fill(&c, 8); /* in the place of 6 */
	ck_assert(verify_find(&c, 4) && verify_find(&c, 7) && verify_find(&c, 8));
	verify_init(&c, 0, &b.s.a);
	verify_fill(&c, 1);
	ck_assert(!verify_find(&c, 1));
	wir_bench_free(&b);
}
END_TEST

/* ---- Figure 4 ---- */

/* i1: mul r5 = r1, r2 and i2: mul r5 = r3, r4 of other registers with the same product; i3 and i4: the same addition on
 * the product and on registers that are equal. i2 finds its result where i1 has it, so i4 has the operands of i3 and is
 * not executed. */
START_TEST(figure_4_equal_results_share_a_register_and_the_next_instruction_is_reused)
{
	struct wir_bench b;
	uint32_t i1, i2, i3, i4, set[16];

	wir_bench_init(&b);
	for (unsigned i = 0; i < 15; i++)
		set[i] = wir_bench_setter(&b, i);
	i1 = stream_insn(&b.s, OP_MUL_LO_S32, 5, 1, 2, -1);
	i2 = stream_insn(&b.s, OP_MUL_LO_S32, 5, 3, 4, -1);
	i3 = stream_insn(&b.s, OP_ADD_S32, 7, 5, 6, -1);
	i4 = stream_insn(&b.s, OP_ADD_S32, 9, 5, 8, -1);
	wir_bench_start(&b);
	for (unsigned w = 0; w < 2; w++)
		/* r6 of one warp and r8 of the other are equal; all others differ */
		for (unsigned i = 0; i < 15; i++)
			if (w == 0 ? i == 1 || i == 2 || i == 6 : i == 3 || i == 4 || i == 8)
				wir_bench_run(&b, w, set[i], i == 6 || i == 8 ? 66 : 100 + i,
					      i == 6 || i == 8 ? 66 : 100 + i);
	ck_assert_uint_eq(wir_bench_phys(&b, 0, 6), wir_bench_phys(&b, 1, 8));
	ck_assert(!wir_bench_run(&b, 0, i1, 12, 12));
	ck_assert(b.accesses == 1 && b.a[0].kind == REUSE_WRITE);
	ck_assert(!wir_bench_run(&b, 1, i2, 12, 12));
	ck_assert(b.accesses == 1 && b.a[0].kind == REUSE_VERIFY); /* and nothing is written */
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

/* What the rename stage reads from the tables is the tag, with an immediate in its field, and is in the buffer when the
 * instruction retires. */
START_TEST(figures_8_and_9_an_entry_names_operation_and_physical_registers)
{
	struct wir_bench b;
	const struct reuse_entry *e = NULL;
	uint32_t add, fma, load, set[16];
	unsigned valid = 0;

	wir_bench_init(&b);
	for (unsigned i = 0; i < 15; i++)
		set[i] = wir_bench_setter(&b, i);
	add = stream_insn(&b.s, OP_ADD_S32, 4, 1, 2, -1);
	fma = stream_insn(&b.s, OP_FMA_F32, 5, 1, 2, 3);
	load = stream_memory(&b.s, OP_LD_B32, SP_SHARED, 6, 1, -1);
	wir_bench_start(&b);
	for (unsigned i = 1; i < 4; i++)
		wir_bench_run(&b, 2, set[i], 100 + i, 1);
	ck_assert_uint_eq(b.r->part[0].buffer.used, 0); /* their source was never written */
	ck_assert_uint_eq(b.st.reuse_unmapped, 3);
	wir_bench_run(&b, 2, add, 201, 1);
	wir_bench_run(&b, 2, fma, 202, 1);
	wir_bench_run(&b, 2, load, 203, 1);
	for (unsigned i = 0; i < b.r->part[0].buffer.n; i++) {
		const struct reuse_entry *x = &b.r->part[0].buffer.entry[i];
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
	set[0] = wir_bench_setter(b, 1);
	set[1] = wir_bench_setter(b, 2);
	add = stream_insn(&b->s, OP_ADD_S32, 0, 1, 2, -1);
	wir_bench_start(b);
	for (unsigned w = 0; w < 4; w++)
		for (unsigned i = 0; i < 2; i++)
			wir_bench_run(b, w, set[i], i + 1, 1);
	for (unsigned w = 0; w < 4; w++) {
		enum reuse_verdict v, want;

		u[w] = wir_bench_issue(b, w, add, LANES);
		wir_bench_value(b, u[w], 0, 3, 1);
		if (w == 3)
			wir_bench_execute(b, u[0]);
		v = wir_lookup(b->r, u[w], true, false);
		want = pending && w ? REUSE_PENDING : REUSE_MISS;
		ck_assert_int_eq(v, w == 3 ? REUSE_HIT : want);
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

START_TEST(figure_11_what_comes_before_the_result_misses)
{
	struct wir_bench b;
	back_to_back(&b, false);
}
END_TEST
START_TEST(figure_11_or_waits_for_it)
{
	struct wir_bench b;
	back_to_back(&b, true);
}
END_TEST

/* ---- pending entries ---- */

START_TEST(without_room_to_wait_an_instruction_is_executed_and_enters_nothing)
{
	struct wir_bench b;
	const struct uop *first, *second;
	uint32_t add, set[2];

	wir_bench_init(&b);
	b.model.pending = true;
	set[0] = wir_bench_setter(&b, 1);
	set[1] = wir_bench_setter(&b, 2);
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
	ck_assert(b.r->part[0].buffer.entry[0].pending || b.r->part[0].buffer.used == 1);
	wir_bench_execute(&b, first);
	ck_assert(wir_bench_run(&b, 1, add, 3, 1));
	ck_assert_uint_eq(b.st.reuse_reservations, 1);
	wir_bench_end(&b);
}
END_TEST

/* In a buffer of one entry another instruction takes the reservation. The one that waits is told that there is nothing
 * to wait for, and the first producer enters nothing when it retires. */
START_TEST(who_waits_for_an_entry_that_is_replaced_is_executed)
{
	struct wir_bench b;
	const struct uop *first, *waits, *other;
	uint32_t add, sub, set[2];

	wir_bench_init(&b);
	b.model.pending = true;
	b.s.p.reuse_entries = 1;
	set[0] = wir_bench_setter(&b, 1);
	set[1] = wir_bench_setter(&b, 2);
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
	ck_assert_int_eq(wir_lookup(b.r, waits, true, true), REUSE_MISS); /* and reserves for itself */
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
		set[i] = wir_bench_setter(&b, i);
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
		set[i] = wir_bench_setter(&b, i);
	wir_bench_start(&b);
	wir_bench_run(&b, 0, set[0], 7, 1);
	wir_bench_run(&b, 0, set[1], 7, 1);
	ck_assert(b.accesses == 1 && b.st.verify_cache_fills == 1);
	wir_bench_run(&b, 0, set[2], 7, 1);
	ck_assert(b.accesses == 0 && b.st.verify_cache_hits == 1 && b.st.vsb_hits == 2);
	wir_bench_run(&b, 1, set[0], 7, 3); /* in the cache, and another value */
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
	set[0] = wir_bench_setter(&b, 0);
	set[1] = wir_bench_setter(&b, 1);
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
		set[i] = wir_bench_setter(&b, i);
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
	ck_assert(b.a[2].kind == REUSE_MOVE_WRITE && b.a[2].phys == own && b.a[2].from == shared &&
		  b.a[2].lanes == 0xffff0000);
	ck_assert(tables_at(&b.r->part[0].tables, 0, 0)->pin);
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
	ck_assert(!tables_at(&b.r->part[0].tables, 0, 0)->pin);
	ck_assert_uint_eq(wir_bench_phys(&b, 0, 0), shared);
	ck_assert_uint_eq(b.r->part[0].pool.reg[own].refs, 0);
	ck_assert(b.st.dummy_moves == 1 && b.st.pinned_writes == 1 && b.st.reuse_pinned == 1 &&
		  b.st.register_waits == 1);
	wir_bench_end(&b);
}
END_TEST

START_TEST(lanes_that_were_never_written_are_not_copied)
{
	struct wir_bench b;
	uint32_t set;

	wir_bench_init(&b);
	set = wir_bench_setter(&b, 0);
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

/* Warps of 16 threads reuse as others do, and share with each other; what those of 32 find has more lanes, and the
 * other way round. */
START_TEST(warps_of_fewer_threads_reuse_among_themselves)
{
	static const uint32_t lanes[] = { 0xffff, 0xffff, LANES, LANES };
	struct wir_bench b;
	struct ref five;
	uint32_t mov;

	wir_bench_init(&b);
	mov = stream_insn(&b.s, OP_MOV_B32, 2, -1, -1, -1);
	five = ir_imm(b.s.k, 5);
	insn_src(b.s.k, &b.s.k->insn[mov])[0] = five;
	wir_bench_start(&b);
	for (unsigned w = 0; w < 4; w++) {
		b.missing[w] = ~lanes[w];
		ck_assert_uint_eq(wir_bench_run(&b, w, mov, 77, 78), w % 2);
		ck_assert(!tables_at(&b.r->part[0].tables, w, 2)->pin);
	}
	ck_assert_uint_eq(wir_mapped(b.r, 0, 2), wir_mapped(b.r, 1, 2));
	ck_assert_uint_eq(wir_mapped(b.r, 2, 2), wir_mapped(b.r, 3, 2));
	ck_assert_uint_ne(wir_mapped(b.r, 0, 2), wir_mapped(b.r, 2, 2));
	ck_assert_uint_eq(b.st.reuse_divergent + b.st.dummy_moves + b.st.pinned_writes, 0);
	wir_bench_end(&b);
}
END_TEST

/* A divergent write copies the threads that do not execute it, and no more. */
START_TEST(a_dummy_move_copies_threads)
{
	struct wir_bench b;
	uint32_t set;
	struct uop *u;

	wir_bench_init(&b);
	set = wir_bench_setter(&b, 3);
	wir_bench_start(&b);
	b.missing[0] = 0xffff0000;
	for (unsigned i = 0; i < 2; i++) {
		u = wir_bench_issue(&b, 0, set, i ? 0xff : 0xffff);
		ck_assert_int_eq(wir_lookup(b.r, u, false, false), REUSE_MISS);
		wir_sources_read(b.r, u, 1);
		ck_assert(wir_bench_results(&b, u));
		if (!i)
			wir_retire(b.r, u);
	}
	ck_assert_uint_eq(b.accesses, 3);
	ck_assert_int_eq(b.a[2].kind, REUSE_MOVE_WRITE);
	ck_assert_uint_eq(b.a[2].lanes, 0xff00);
	wir_retire(b.r, u);
	wir_bench_end(&b);
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
	tcase_add_test(c, warps_of_fewer_threads_reuse_among_themselves);
	tcase_add_test(c, a_dummy_move_copies_threads);
	suite_add_tcase(s, c);
	return s;
}
