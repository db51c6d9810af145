/* The register-file cache of two levels, and everything in one level: each rule of
 * docs/HIERARCHY_HARDWARE.md#hardware-managed-cache. */
#include "cache_bench.h"

START_TEST(the_last_result_is_in_the_l0)
{
	setup("rfc2", 1);
	add(1, 0, 0);
	add(2, 1, 1); /* pushes R1 into the L1 */
	add(3, 2, 1); /* and R2, which pushes R1 out */
	run();
	EQ(rf_l0_writes, 3);
	EQ(rf_l1_writes, 0);
	EQ(rf_l0_reads, 2);
	EQ(rf_l1_reads, 1);
	EQ(rf_l0_evictions, 2);
	EQ(rf_l1_evictions, 1);
	EQ(rf_operand_writes, 0);
	ck_assert_uint_eq(b.sums.l0, 2);
	ck_assert_uint_eq(b.sums.l1, 1);
}
END_TEST

START_TEST(a_dead_result_does_not_leave_the_l0)
{
	uint32_t n;

	setup("rfc2", 1);
	b.s.p.rfc_hints = (uint32_t)_i;
	add(1, 0, 0);
	n = add(2, 1, 1);
	b.last[n] = 1;
	run();
	EQ(rf_l0_evictions, _i ? 0 : 1);
	EQ(rf_dead_evictions, _i ? 1 : 0);
	EQ(rf_l0_reads, 1);
}
END_TEST

/* The halves of a 64-bit result push each other out. */
START_TEST(a_pair_takes_both_levels)
{
	setup("rfc2", 3);
	again(stream_insn(&b.s, OP_ADD_F64, 2, 4, 6, -1), UINT32_MAX);
	again(stream_insn(&b.s, OP_ADD_F64, 4, 2, 2, -1), UINT32_MAX);
	run();
	EQ(rf_l0_writes, 4);
	EQ(rf_l0_evictions, 3);
	EQ(rf_l0_reads, 1);
	EQ(rf_l1_reads, 1);
	EQ(rf_operand_reads, 4);
}
END_TEST

/* What a shared unit makes, or may read, is for the L1. */
START_TEST(shared_units_reach_the_l1_only)
{
	uint32_t n;

	setup("rfc2", 3);
	n = add(1, 0, 0);
	b.shared[n] = 1;
	again(stream_insn(&b.s, OP_SIN_F32, 2, 1, -1, -1), UINT32_MAX);
	add(3, 2, 1);
	add(4, 3, 1);
	run();
	EQ(rf_l1_writes, 2);
	EQ(rf_l1_shared_writes, 1);
	EQ(rf_l0_writes, 2);
	EQ(rf_l1_shared_reads, 1);
	EQ(rf_l1_reads, 1 + 2 + 1);
	EQ(rf_l0_reads, 1);
}
END_TEST

/* R1 is in one level; then half of it, or all, is written for the other one. */
START_TEST(a_register_is_in_one_level)
{
	const uint32_t lanes = _i % 2 ? UINT32_MAX : HALF;
	uint32_t n;

	setup("rfc2", 3);
	n = add(1, 0, 0);
	b.shared[n] = _i < 2;
	n = add_in(1, 1, 1, lanes);
	b.shared[n] = _i >= 2;
	add(2, 1, 1);
	add(3, 2, 2);
	add(4, 3, 3);
	add(5, 4, 4);
	add(6, 5, 5); /* R1 is in neither any more */
	add(7, 6, 1);
	run();
	/* of R1 one, but the half that goes where the other one is */
	EQ(rf_l0_writes, (_i == 0 ? 0 : 1) + 6);
	EQ(rf_l1_writes, 2 - (_i == 0 ? 0 : 1));
	EQ(rf_l1_reads, _i < 2 ? 1 + (_i == 0) : 1);
	EQ(rf_l0_reads, 5 + (_i > 0));
	/* 2: the other half comes down to it; 3: nothing is left of it */
	EQ(rf_l0_evictions, 5 + (_i == 1) + (_i == 2));
	EQ(rf_split_reads, 0);
	EQ(rf_l1_evictions, 1 + 2);
	EQ(rf_operand_reads, 2);
}
END_TEST

/* Half of R1 is in the L0, the half that the shared unit reads is not: it looks into the L1 and the main register file
 * alone. */
START_TEST(a_shared_unit_does_not_see_the_l0)
{
	uint32_t n;

	setup("rfc2", 1);
	n = add(1, 0, 0);
	b.shared[n] = 1;
	n = add(2, 1, 1); /* R2 to the L1: R1 goes */
	b.shared[n] = 1;
	b.s.p.rfc_sources = (uint32_t)_i;
	add_in(1, 2, 2, HALF);
	again(stream_insn(&b.s, OP_SIN_F32, 3, 1, -1, -1), OTHER);
	again(stream_insn(&b.s, OP_SIN_F32, 3, 1, -1, -1), 0);
	add(4, 3, 1);
	run();
	EQ(rf_l1_shared_reads, 0);
	EQ(rf_split_reads, 2); /* of R3 and R1 by the last one */
	EQ(rf_l0_reads, 1);
	EQ(rf_l1_reads, 1 + 1 + 1);
	/* R0, and the rest of R3: R1 is in the L0, and what a shared unit reads may not go there */
	EQ(rf_fills, 2 * _i);
}
END_TEST

/* Half of a register in the L0 is loaded: the other half goes straight to the main register file, though nobody is
 * suspended. */
START_TEST(long_latency_results_go_past_the_l0)
{
	setup("rfc2", 3);
	b.s.p.rf_flush = 0;
	add(1, 0, 0);
	load_in(1, 0, _i ? HALF : UINT32_MAX);
	add(2, 1, 1);
	run();
	EQ(rf_l0_flushes, _i);
	EQ(rf_flushes, 0);
	EQ(rf_operand_writes, 1);
	EQ(rf_operand_reads, 2 + 1); /* R0 twice; R1 */
	EQ(rf_split_reads, 0);
}
END_TEST

START_TEST(both_levels_are_flushed)
{
	setup("rfc2", 3);
	add(1, 0, 0);
	add(2, 1, 1);
	load_in(4, 0, UINT32_MAX);
	add(3, 2, 2);
	add(6, 3, 3); /* comes too late */
	add(5, 4, 6);
	run();
	EQ(rf_flushes, 3);
	EQ(rf_l0_flushes, 1);
	EQ(rf_l1_evictions, 2);
	EQ(rf_late_writes, 1);
	EQ(rf_operand_reads, 1 + 1 + 2);
}
END_TEST

START_TEST(a_configuration_pays_for_the_bits_that_it_uses)
{
	static const struct {
		const char *rf;
		uint32_t hints, flush;
		unsigned bits;
	} of[] = {
		{ "rfc", 1, 1, 4 }, { "rfc", 2, 1, 4 },  { "rfc", 0, 1, 1 },  { "rfc", 1, 0, 3 },
		{ "rfc", 0, 0, 0 }, { "rfc2", 1, 1, 5 }, { "rfc2", 0, 0, 1 },
	};

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		setup(of[i].rf, 3);
		b.s.p.rfc_hints = of[i].hints;
		b.s.p.rf_flush = of[i].flush;
		ck_assert_uint_eq(b.s.rf.hierarchy->encoding_bits(&b.s.p), of[i].bits);
		stream_free(&b.s);
	}
}
END_TEST

START_TEST(ideals_have_everything_in_one_level)
{
	setup(_i ? "all-l1" : "all-l0", 3);
	add(1, 0, 0);
	again(stream_insn(&b.s, OP_SIN_F32, 2, 1, -1, -1), UINT32_MAX);
	add_in(3, 2, 1, HALF);
	add(4, 3, 1);
	run();
	EQ(rf_reads, 0);
	EQ(rf_writes, 0);
	if (_i) {
		EQ(rf_l1_reads, 6);
		EQ(rf_l1_writes, 4);
		EQ(rf_l1_shared_reads, 1);
		EQ(rf_l1_shared_writes, 1);
	} else {
		EQ(rf_l0_reads, 6);
		EQ(rf_l0_writes, 4);
	}
	ck_assert_uint_eq(b.sums.compared, 5);
}
END_TEST

Suite *suite_rfc2(void);
Suite *suite_rfc2(void)
{
	Suite *s = suite_create("rfc2");
	TCase *t = tcase_create("two levels");

	tcase_add_test(t, the_last_result_is_in_the_l0);
	tcase_add_loop_test(t, a_dead_result_does_not_leave_the_l0, 0, 2);
	tcase_add_test(t, a_pair_takes_both_levels);
	tcase_add_test(t, shared_units_reach_the_l1_only);
	tcase_add_loop_test(t, a_register_is_in_one_level, 0, 4);
	tcase_add_loop_test(t, a_shared_unit_does_not_see_the_l0, 0, 2);
	tcase_add_loop_test(t, long_latency_results_go_past_the_l0, 0, 2);
	tcase_add_test(t, both_levels_are_flushed);
	tcase_add_test(t, a_configuration_pays_for_the_bits_that_it_uses);
	suite_add_tcase(s, t);
	t = tcase_create("limits");
	tcase_add_loop_test(t, ideals_have_everything_in_one_level, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
