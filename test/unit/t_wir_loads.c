/* Reuse of loads (Kim and Ro, HPCA 2018, section 5): the paper's Figure 10, what a CTA leaves behind, races. */
#include "wir_bench.h"

#define LANES UINT32_MAX

extern const struct reuse_ops wir_rl_reuse;

/* ---- loads ---- */

/* i1 to i10 of Figure 10, as (CTA and its warps) 0: 0, 1; 1: 2; 2: 4. Each address register holds [0, 4, 8, 12]. */
START_TEST(figure_10_line_by_line)
{
	static const struct {
		unsigned warp;
		enum space space;
		unsigned value;
		bool reused;
	} line[] = {
		{ 0, SP_CONST, 1, false },  { 2, SP_CONST, 1, true },  { 0, SP_SHARED, 2, false },
		{ 2, SP_SHARED, 3, false }, { 1, SP_SHARED, 2, true }, { 0, SP_GLOBAL, 4, false },
		{ 2, SP_GLOBAL, 4, true },  { 0, SP_NONE, 0, false },  { 0, SP_GLOBAL, 5, false },
		{ 4, SP_GLOBAL, 4, true },
	};
	unsigned result[10];
	struct wir_bench b;
	uint32_t address, load[SP_COUNT], store, barrier;

	wir_bench_init(&b);
	b.first[1] = 0; /* warps 0 and 1 are one CTA */
	address = wir_bench_setter(&b, 0);
	load[SP_CONST] = stream_memory(&b.s, OP_LD_B32, SP_CONST, 1, 0, -1);
	load[SP_SHARED] = stream_memory(&b.s, OP_LD_B32, SP_SHARED, 1, 0, -1);
	load[SP_GLOBAL] = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 1, 0, -1);
	store = stream_memory(&b.s, OP_ST_B32, SP_GLOBAL, -1, 0, 0);
	barrier = stream_barrier(&b.s, 0, 0);
	wir_bench_start(&b);
	for (unsigned w = 0; w < 5; w++)
		wir_bench_run(&b, w, address, 99, 99);
	for (unsigned i = 0; i < 10; i++) {
		const bool reused = wir_bench_run(
			&b, line[i].warp, line[i].space == SP_NONE ? store : load[line[i].space], line[i].value, 1);

		ck_assert_msg(reused == line[i].reused, "i%u", i + 1);
		result[i] = wir_bench_phys(&b, line[i].warp, 1);
	}
	ck_assert(result[1] == result[0] && result[3] != result[2] && result[4] == result[2] &&
		  result[6] == result[5] && result[9] == result[5]);
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

/* The first warps of two CTAs have an address, equal, in r0, which *set sets. Returns a load from there to r1. */
static uint32_t two_ctas(struct wir_bench *b, enum space space, uint32_t *set)
{
	uint32_t load;

	wir_bench_init(b);
	*set = wir_bench_setter(b, 0);
	load = stream_memory(&b->s, OP_LD_B32, space, 1, 0, -1);
	wir_bench_start(b);
	for (unsigned w = 0; w < 2; w++)
		wir_bench_run(b, w, *set, 7, 1);
	return load;
}

START_TEST(scratchpad_loads_of_a_cta_that_has_ended_are_forgotten)
{
	struct wir_bench b;
	uint32_t set, load = two_ctas(&b, SP_SHARED, &set);

	ck_assert(!wir_bench_run(&b, 0, load, 8, 1));
	ck_assert(!wir_bench_run(&b, 1, load, 8, 1)); /* another CTA */
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
	ck_assert(!wir_bench_run(&b, 0, load, 9, 1)); /* the same value, and loaded all the same */
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
	set = wir_bench_setter(&b, 0);
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
	set = wir_bench_setter(&b, 0);
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
	for (unsigned i = 0; i < 2; i++) { /* one lane, and it is not found any more */
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
	uint32_t set, load = two_ctas(&b, SP_GLOBAL, &set);

	ck_assert(!wir_bench_run(&b, 0, load, 8, 1));
	ck_assert(!wir_bench_run(&b, 1, load, 9, 1));
	ck_assert(b.st.reuse_races == 1 && b.st.reuse_misses == 1);
	ck_assert(wir_bench_run(&b, 1, load, 9, 1)); /* the newer value is the entry's */
	wir_bench_end(&b);
}
END_TEST

/* Where a CTA has executed a fence, warps may have been executed in another order: no race, unless nothing is allowed
 * to change it. */
START_TEST(behind_a_fence_it_may_be_another_order)
{
	for (unsigned read_only = 0; read_only < 2; read_only++) {
		struct wir_bench b;
		uint32_t set, load, fence;

		wir_bench_init(&b);
		b.first[1] = 0;
		set = wir_bench_setter(&b, 0);
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

/* So it may where the CTA that made the entry has waited for what it copied, and the one that finds it has not. */
START_TEST(the_order_of_an_older_load_counts_too)
{
	for (unsigned waits = 0; waits < 2; waits++) {
		struct wir_bench b;
		uint32_t set, load, wait;

		wir_bench_init(&b);
		set = wir_bench_setter(&b, 0);
		load = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, 1, 0, -1);
		wait = stream_insn(&b.s, OP_CP_ASYNC_WAIT_ALL, -1, -1, -1, -1);
		wir_bench_start(&b);
		for (unsigned w = 0; w < 2; w++)
			wir_bench_run(&b, w, set, 7, 1);
		if (waits)
			wir_retire(b.r, wir_bench_issue(&b, 0, wait, LANES));
		else
			epoch_released(b.r->epoch, 0);
		epoch_released(b.r->epoch, 1);
		ck_assert(!wir_bench_run(&b, 0, load, 8, 1));
		ck_assert(!wir_bench_run(&b, 1, load, 9, 1));
		ck_assert(b.st.reuse_races == !waits && b.st.reuse_reordered == waits);
		wir_bench_end(&b);
	}
}
END_TEST

Suite *suite_wir_loads(void);
Suite *suite_wir_loads(void)
{
	Suite *s = suite_create("wir_loads");
	TCase *c = tcase_create("paper");

	tcase_add_test(c, figure_10_line_by_line);
	suite_add_tcase(s, c);
	c = tcase_create("rules");
	tcase_add_test(c, scratchpad_loads_of_a_cta_that_has_ended_are_forgotten);
	tcase_add_test(c, a_generic_load_that_reaches_local_memory_is_not_looked_up);
	tcase_add_test(c, what_no_lane_executes_changes_neither_flags_nor_counts);
	tcase_add_test(c, a_load_whose_value_has_changed_is_a_race_and_is_executed);
	tcase_add_test(c, behind_a_fence_it_may_be_another_order);
	tcase_add_test(c, the_order_of_an_older_load_counts_too);
	suite_add_tcase(s, c);
	return s;
}
