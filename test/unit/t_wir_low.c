/* Warp instruction reuse when physical registers are short: low-register mode, eviction, the capped policy, and what
 * the paper leaves open. */
#include "wir_bench.h"

#define LANES UINT32_MAX

/* ---- registers are short ---- */

/* A pool of as many registers as the warps have: 32, of two warps of 16. */
static void tight(struct wir_bench *b, uint32_t set[16])
{
	wir_bench_init(b);
	b->warps = 2;
	b->s.p.rf_registers = 1024;
	b->s.k->res.regs = 16;
	for (unsigned i = 0; i < 16; i++)
		set[i] = wir_bench_setter(b, i);
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
	ck_assert(pool_low(&b.r->part[0].pool) && wir_busy(b.r));
	n = b.r->part[0].signatures.used;
	ck_assert(!wir_bench_run(&b, 0, add, 256, 1)); /* its hash meets the entry of r0's old value, 0 */
	ck_assert_uint_eq(b.st.forced_writes, 1);
	ck_assert_uint_eq(b.r->part[0].signatures.used, n - 1);
	ck_assert_uint_eq(b.r->part[0].buffer.used, 0);
	ck_assert(b.st.low_evictions > 0 && b.st.reuse_dropped == 1);
	for (unsigned i = 0; wir_busy(b.r); i++) {
		ck_assert_uint_lt(i, 256);
		wir_bench_tick(&b, 1);
	}
	ck_assert_uint_eq(b.r->part[0].signatures.used, 0);
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
	for (unsigned i = 0; i < b[0].r->part[0].signatures.n; i++)
		ck_assert_uint_eq(b[0].r->part[0].signatures.entry[i].phys, b[1].r->part[0].signatures.entry[i].phys);
	wir_bench_end(&b[0]);
	wir_bench_end(&b[1]);
}
END_TEST

/* 31 of 32 registers are in use: the buffer has an entry of r0 = r1 + r2 of warp 0, which is value 100, and the VSB one
 * for each register. Returns r3 = r1 - r2; *store reads r0 and r1. */
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
	ck_assert(b->r->part[0].pool.used == 31 && b->r->part[0].buffer.used == 1 &&
		  b->r->part[0].signatures.used == 31 && !pool_low(&b->r->part[0].pool));
	return sub;
}

/* The buffer has one entry, which everything meets, or 256. */
START_TEST(in_low_register_mode_a_miss_of_the_buffer_evicts_the_entry_that_it_met)
{
	struct wir_bench b;
	uint32_t set[16], sub, store;

	sub = nearly_full(&b, set, _i ? 256 : 1, &store);
	pool_limit(&b.r->part[0].pool, 31);
	for (unsigned n = 0; n < 2; n++) { /* the second one meets none */
		ck_assert(!wir_bench_run(&b, 0, sub, 100, 1));
		ck_assert_uint_eq(b.r->part[0].buffer.used, _i ? 1 : 0);
		ck_assert_uint_eq(b.st.low_evictions, _i ? 0 : 1);
		ck_assert_uint_eq(b.r->part[0].signatures.used, 31);
	}
	wir_bench_end(&b);
}
END_TEST

/* The pool is full from cycle 5 on. Tables that were looked up before each give an entry up in it; those looked up in
 * it do in the next one. */
START_TEST(only_a_lookup_of_this_cycle_keeps_a_table_from_giving_an_entry_up)
{
	struct wir_bench b;
	uint32_t set[16], sub, store;

	sub = nearly_full(&b, set, 256, &store);
	b.now = 5;
	pool_limit(&b.r->part[0].pool, 31);
	if (_i) {
		wir_bench_run(&b, 0, sub, 100, 1);
		wir_tick(b.r, 1);
		ck_assert(b.r->part[0].buffer.used == 1 && b.r->part[0].signatures.used == 31 &&
			  b.st.low_evictions == 0);
		b.now++;
	}
	wir_tick(b.r, 1);
	ck_assert(b.r->part[0].buffer.used == 0 && b.r->part[0].signatures.used == 30 && b.st.low_evictions == 2);
	wir_bench_end(&b);
}
END_TEST

/* r0 of warp 0 is read by an older instruction that is late. In the cycle of the tick another warp looks up in both
 * tables. */
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
	ck_assert(!wir_bench_results(&b, waits) && b.r->part[0].pool.starved == 1);
	b.now++;
	ck_assert(!wir_bench_run(&b, 1, sub, 16 + 4, 1));
	ck_assert(b.r->part[0].buffer.used == 1 && b.r->part[0].signatures.used == 31 && b.st.low_evictions == 0);
	wir_tick(b.r, 1);
	ck_assert(b.r->part[0].buffer.used == 0 && b.r->part[0].signatures.used == 30 && b.st.low_evictions == 2);
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

/* A load of two registers that share one, none free: one of them overwrites it, the other takes what is then free, if
 * some lanes alone are loaded with the copy of the others made before. */
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
	pool_limit(&b.r->part[0].pool, b.r->part[0].pool.used + 1);
	while (b.r->part[0].signatures.used)
		signatures_evict_from(&b.r->part[0].signatures, 0);
	u = wir_bench_issue(&b, 0, load, active);
	ck_assert_uint_eq(u->ndst, 2);
	wir_lookup(b.r, u, true, false);
	wir_sources_read(b.r, u, 1);
	ck_assert(wir_bench_results(&b, u));
	ck_assert_uint_eq(b.st.forced_writes, 1);
	if (_i) {
		ck_assert(b.accesses == 4 && b.rounds == 3);
		ck_assert(b.a[0].kind == REUSE_MOVE_READ && b.a[1].kind == REUSE_WRITE &&
			  b.a[2].kind == REUSE_MOVE_WRITE && b.a[3].kind == REUSE_WRITE);
		ck_assert(b.a[0].phys == b.a[3].phys && b.a[1].phys == b.a[2].phys && b.a[1].phys != b.a[3].phys);
	} else {
		ck_assert(b.accesses == 2 && b.rounds == 1 && b.a[0].phys != b.a[1].phys);
	}
	wir_retire(b.r, u);
	ck_assert_uint_ne(wir_bench_phys(&b, 0, 2), wir_bench_phys(&b, 0, 3));
	ck_assert_int_eq(tables_at(&b.r->part[0].tables, 0, 2)->pin, _i);
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
	ck_assert_uint_eq(b.r->part[0].pool.limit, 3 * b.warps);
	wir_warp_exit(b.r, 7);
	ck_assert_uint_eq(b.r->part[0].pool.limit, 3 * (b.warps - 1));
	wir_warp_start(b.r, 7, 7, 8);
	for (unsigned w = 0; w < b.warps; w++)
		for (unsigned i = 0; i < 3; i++)
			ck_assert(!wir_bench_run(&b, w, set[i], 3 * w + i, 1));
	ck_assert(pool_low(&b.r->part[0].pool) && b.r->part[0].pool.used == 24 && b.r->part[0].pool.n == 1024);
	ck_assert_uint_eq(b.st.phys_register_peak, 24);
	wir_bench_end(&b);
}
END_TEST

Suite *suite_wir_low(void);
Suite *suite_wir_low(void)
{
	Suite *s = suite_create("wir_low");
	TCase *c = tcase_create("rules");

	tcase_add_test(c, in_low_register_mode_misses_evict_and_register_nothing);
	tcase_add_loop_test(c, in_low_register_mode_a_miss_of_the_buffer_evicts_the_entry_that_it_met, 0, 2);
	tcase_add_loop_test(c, only_a_lookup_of_this_cycle_keeps_a_table_from_giving_an_entry_up, 0, 2);
	tcase_add_test(c, while_a_result_waits_tables_give_entries_up_though_they_are_looked_up);
	tcase_add_test(c, several_cycles_at_once_evict_as_many_entries_as_one_by_one);
	tcase_add_test(c, a_result_that_finds_no_register_overwrites_its_own_when_nobody_reads_it);
	tcase_add_loop_test(c, two_results_whose_registers_are_one, 0, 2);
	tcase_add_test(c, capped_registers_are_those_of_the_live_warps);
	suite_add_tcase(s, c);
	return s;
}
