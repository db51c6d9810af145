/* The register-file cache of one level: each rule of docs/HIERARCHY_HARDWARE.md#hardware-managed-cache. */
#include "cache_bench.h"

extern const struct hierarchy_ops rfc_hierarchy;

START_TEST(results_are_found_and_stay_out_of_the_main_register_file)
{
	setup("rfc", 3);
	add(1, 0, 0);
	add(2, 1, 1);
	add(3, 2, 1);
	run();
	EQ(rf_operand_reads, 1); /* R0, which nobody wrote */
	EQ(rf_l1_reads, 3);
	EQ(rf_l1_writes, 3);
	EQ(rf_operand_writes, 0);
	EQ(rf_writes, 0); /* what is left when the warp ends is dead */
	EQ(tag_checks, 4 + 3);
	ck_assert_uint_eq(b.sums.compared, 3);
	ck_assert_uint_eq(b.sums.l1, 3);
}
END_TEST

/* Two entries: R3 pushes one out, which is R1, the first in; or R2, as R1 has been used after it. */
START_TEST(first_in_first_out_and_least_recently_used)
{
	setup("rfc", 2);
	b.s.p.rfc_policy = (uint32_t)_i;
	add(1, 0, 0);
	add(2, 1, 1);
	add(3, 2, 1);
	add(4, 3, 1);
	run();
	EQ(rf_l1_reads, _i ? 5 : 4);
	EQ(rf_operand_reads, _i ? 1 : 2);
	EQ(rf_l1_evictions, 2);
}
END_TEST

/* R1 is written again: it stays the first in, but is the last used. */
START_TEST(a_result_takes_the_entry_of_its_register)
{
	setup("rfc", 2);
	b.s.p.rfc_policy = (uint32_t)_i;
	add(1, 0, 0);
	add(2, 1, 1);
	add(1, 2, 2);
	add(3, 0, 0);
	add(4, 3, _i ? 1 : 2);
	run();
	EQ(rf_l1_evictions, 2);
	EQ(rf_l1_reads, 1 + 1 + 2);
	EQ(rf_operand_reads, 2);
}
END_TEST

START_TEST(what_nobody_reads_again_is_not_written_back)
{
	uint32_t n;

	setup("rfc", 1);
	b.s.p.rfc_hints = (uint32_t)_i;
	add(1, 0, 0);
	n = add(2, 1, 1);
	b.last[n] = 1;
	add(3, 2, 2);
	run();
	EQ(rf_l1_evictions, _i ? 1 : 2);
	EQ(rf_dead_evictions, _i ? 1 : 0);
	EQ(rf_l1_reads, 2);
}
END_TEST

/* One side of a branch reads R1 for the last time; the other one has yet to. */
START_TEST(lanes_die_one_by_one)
{
	uint32_t n;

	setup("rfc", 2);
	add(1, 0, 0);
	n = add_in(2, 1, 1, HALF);
	b.last[n] = 1;
	add_in(3, 2, 2, HALF); /* R1 goes, in the other lanes */
	/* whoever executes nothing reads nothing: R1 is not there */
	n = add_in(4, 1, 3, _i ? OTHER : 0);
	b.last[n] = 1;
	run();
	EQ(rf_l1_evictions, 1 + _i);
	EQ(rf_dead_evictions, 0);
	EQ(rf_operand_reads, _i ? 3 : 2); /* R0, R1, and R3 where it was not written */
}
END_TEST

START_TEST(a_register_is_dead_when_all_its_lanes_are)
{
	uint32_t n;

	setup("rfc", 2);
	b.s.p.rfc_hints = (uint32_t)_i;
	add(1, 0, 0);
	n = add_in(2, 1, 1, HALF);
	b.last[n] = 1;
	n = add_in(2, 1, 2, OTHER);
	b.last[n] = 1;
	add(3, 2, 2);
	add(4, 3, 2);
	run();
	EQ(rf_l1_writes, 5);
	EQ(rf_l1_evictions, 1); /* R2, pushed out by R4 */
	EQ(rf_dead_evictions, 1);
	EQ(rf_l1_reads, 1 + 1 + 1 + 2);
	EQ(rf_split_reads, 0);
}
END_TEST

START_TEST(a_dead_register_that_is_written_again_lives)
{
	uint32_t n;

	setup("rfc", 2);
	b.s.p.rfc_hints = (uint32_t)_i;
	add(1, 0, 0);
	n = add(2, 1, 1);
	b.last[n] = 1;
	add(1, 2, 2);
	add(3, 1, 1);
	add(4, 3, 3); /* R1 and R2 are written back */
	add(5, 4, 1);
	run();
	EQ(rf_l1_evictions, 3);
	/* R1 the first time, if its entry did not wait for it */
	EQ(rf_dead_evictions, _i == 2);
	EQ(rf_operand_reads, 2);
}
END_TEST

/* A place that is free at once does not cost the oldest entry its own: R1 stays. */
START_TEST(a_dead_entry_may_be_free_at_once)
{
	uint32_t n;

	setup("rfc", 2);
	b.s.p.rfc_hints = (uint32_t)_i;
	add(1, 0, 0);
	add(2, 1, 1);
	n = add(3, 2, 2);
	b.last[n] = 1;
	add(4, 3, 1);
	run();
	EQ(rf_l1_reads, _i == 2 ? 4 : 3);
	EQ(rf_dead_evictions, 1);
}
END_TEST

START_TEST(a_wrong_hint_is_found)
{
	uint32_t n;

	setup("rfc", 2);
	add(1, 0, 0);
	n = add(2, 1, 1);
	b.last[n] = 1;
	add(3, 2, 1);
	ck_assert(!stream_run(&b.s));
	ck_assert_msg(strstr(b.s.d.last, "reads R1 in lane 0 as 0x") &&
			      strstr(b.s.d.last, "it is in entry 0 of the L1"),
		      "%s", b.s.d.last);
	b.s.p.rfc_hints = 0;
	run();
}
END_TEST

/* Half a warp writes R1: where it is there, beside the other half; where it is not, without it. */
START_TEST(results_of_some_lanes)
{
	setup("rfc", 2);
	add(1, 0, 0);
	add_in(1, 1, 1, HALF);
	add(2, 1, 1);
	EQ(rf_split_reads, 0);
	add(3, 2, 2);          /* R1 goes */
	add_in(1, 3, 3, HALF); /* R2 goes */
	add_in(4, 1, 1, HALF); /* R3 goes */
	/* R1 is in the main register file there, R4 too, which is not written */
	add_in(4, 1, 4, OTHER);
	add(5, 1, 1); /* R1 is here and there */
	run();
	EQ(rf_l1_reads, 1 + 1 + 1 + 1 + 1 + 1);
	EQ(rf_operand_reads, 1 + 2 + 1);
	EQ(rf_split_reads, 1);
	EQ(rf_l1_evictions, 3 + 1);
}
END_TEST

/* A load writes a register that is there: all of it is overwritten, or the rest goes to the main register file
 * before. */
START_TEST(long_latency_results_go_past)
{
	uint32_t n;

	setup("rfc", 3);
	b.s.rf.issue = NULL;
	ck_assert(rf_config_parse(&b.s.rf, "baseline,hierarchy=rfc", &b.s.p, &b.s.d));
	b.s.p.rf_flush = 0;
	b.s.p.rfc_bypass = _i < 2;
	add(1, 0, 0);
	n = load_in(1, 1, _i % 2 ? HALF : UINT32_MAX);
	ck_assert_uint_eq(n, 1);
	add(2, 1, 1);
	run();
	EQ(rf_operand_writes, _i < 2);
	EQ(rf_l1_writes, _i < 2 ? 2 : 3);
	EQ(rf_l1_shared_writes, _i < 2 ? 0 : 1);
	EQ(rf_l1_shared_reads, 1);
	EQ(rf_l1_evictions, _i == 1);
	EQ(rf_flushes, 0);
	EQ(rf_operand_reads, _i < 2 ? 2 : 1);
	EQ(rf_split_reads, 0);
}
END_TEST

START_TEST(a_suspended_warp_gives_up_its_entries)
{
	uint32_t n;

	setup("rfc", 3);
	b.s.p.rf_flush = (uint32_t)_i;
	add(1, 0, 0);
	n = add(2, 1, 1);
	b.last[n] = 1; /* R1 is dead: it is not written back */
	load_in(4, 2, UINT32_MAX);
	add(3, 4, 2);
	run();
	EQ(suspensions, 1);
	EQ(rf_flushes, _i);
	EQ(rf_l1_evictions, _i);
	EQ(rf_dead_evictions, _i);
	EQ(rf_operand_reads, _i ? 3 : 2); /* R0, R4 and R2 */
}
END_TEST

/* The load has missed nothing when a long operation of the SFU is still under way: its result finds no entry. */
START_TEST(results_that_come_after_suspension_go_to_the_main_register_file)
{
	uint32_t n;

	setup("rfc", 3);
	b.s.p.unit[FU_SFU].latency = 60;
	load_in(4, 0, UINT32_MAX);
	n = stream_insn(&b.s, OP_SIN_F32, 5, 0, -1, -1);
	again(n, UINT32_MAX);
	add(3, 4, 4);
	add(6, 5, 3);
	run();
	EQ(suspensions, 1);
	EQ(rf_operand_writes, 2); /* R4, R5 */
	EQ(rf_late_writes, 1);    /* R5: a load is never for the cache */
	EQ(rf_operand_reads, 1 + 1 + 1 + 1);
	EQ(rf_l1_reads, 1); /* R3 */
}
END_TEST

START_TEST(operands_may_take_entries_too)
{
	setup("rfc", 3);
	b.s.p.rfc_sources = 1;
	add(1, 0, 0);
	add(2, 1, 0); /* R0 has come when R1 is there */
	add(3, 2, 0);
	run();
	EQ(rf_fills, 1);
	EQ(rf_l1_writes, 4);
	EQ(rf_l1_reads, 4);
	EQ(rf_operand_reads, 1);
	EQ(rf_dead_evictions, 0);
	EQ(rf_l1_evictions, 0); /* R0, the first in, is clean */
}
END_TEST

/* The operands of a shared unit come on its wires. */
START_TEST(shared_units_fill_over_their_own_wires)
{
	setup("rfc", 3);
	b.s.p.rfc_sources = 1;
	if (_i)
		again(stream_insn(&b.s, OP_SIN_F32, 1, 0, -1, -1), UINT32_MAX);
	else
		add(1, 0, 0);
	run();
	EQ(rf_fills, 1);
	EQ(rf_l1_writes, 2);
	EQ(rf_l1_shared_writes, 2 * _i);
}
END_TEST

/* R0 is read, and dies; or is read in some lanes; or is overwritten. */
START_TEST(operands_that_take_no_entry)
{
	static const unsigned reads[] = { 2, 3, 1 };

	setup("rfc", 4);
	b.s.p.rfc_sources = 1;
	b.last[0] = _i == 0;
	add_in(1, 0, 0, _i == 1 ? HALF : UINT32_MAX);
	if (_i == 2)
		add(0, 1, 1);
	add(2, 1, 0);
	run();
	EQ(rf_fills, _i == 1 ? 3 : 1); /* 1: R0, then the rest of R1 and of R0 */
	EQ(rf_operand_reads, reads[_i]);
	EQ(rf_split_reads, _i == 1 ? 2 : 0);
}
END_TEST

/* R0 comes for the first reader, and dies with the second one: clean, so nothing is lost. */
START_TEST(a_clean_entry_is_left_without_a_trace)
{
	uint32_t n;

	setup("rfc", 2);
	b.s.p.rfc_sources = 1;
	b.s.p.rfc_hints = 2;
	add(1, 0, 0);
	n = add(2, 1, 0);
	b.last[n] = 2;
	run();
	EQ(rf_fills, 1);
	EQ(rf_dead_evictions, 0);
	EQ(rf_l1_evictions, 0);
}
END_TEST

/* Stores of many lines through one collector: those behind them read their operands late. */
static uint32_t store(int address, int value, unsigned lines)
{
	uint32_t n = stream_memory(&b.s, OP_ST_B32, SP_GLOBAL, -1, address, value);
	struct stream_record *r = again(n, UINT32_MAX);

	for (unsigned l = 0; l < lines; l++)
		stream_line(r, 8 * n + l, 15);
	return n;
}

static void crowd(unsigned entries, unsigned stores)
{
	setup("rfc", entries);
	b.s.p.rfc_sources = 1;
	b.s.p.collectors_mem = 1;
	b.s.p.unit[FU_SFU].latency = 500;
	for (unsigned i = 0; i < stores; i++)
		store(6, 7, 8);
}

/* A younger instruction overwrites R0, and it is read again, before what the older one reads of it is delivered. */
START_TEST(an_operand_that_was_overwritten_is_not_filled)
{
	crowd(4, 10);
	store(5, 0, 1);
	add(0, 4, 4);
	again(stream_insn(&b.s, OP_SIN_F32, 8, 0, -1, -1), UINT32_MAX);
	add(3, 8, 0); /* after the last store */
	run();
	EQ(rf_fills, 4); /* R6, R7, R5 and R4 */
	/* R6 and R7 of the stores that come after their fills; R0, R8 and R0 */
	EQ(rf_l1_reads, 16 + 1 + 2);
}
END_TEST

/* The entry that R0 was to have is gone, and there is another one, of a reader that finds a younger value. */
START_TEST(an_operand_is_filled_for_its_own_reader)
{
	uint32_t n;

	crowd(2, 20);
	b.s.p.id_oc_mem = 8;
	store(5, 0, 1);
	n = add(0, 4, 4);
	b.last[n] = 1; /* here and below: it takes no entry */
	add(3, 0, 0);
	add(10, 3, 3);   /* R0 goes */
	store(10, 0, 1); /* in the entry of R3 */
	n = stream_insn(&b.s, OP_SIN_F32, 8, 9, -1, -1);
	again(n, UINT32_MAX);
	b.last[n] = 1;
	add(3, 8, 0);
	run();
	EQ(rf_fills, 3); /* R6 and R7; R0 of the last store */
	EQ(rf_l1_reads, 36 + 3 + 2);
}
END_TEST

START_TEST(a_warp_begins_without_entries)
{
	setup("rfc", 3);
	b.s.p.ctas_per_sm = 1;
	b.s.ctas = 2;
	add(1, 0, 0);
	add(0, 1, 1);
	run();
	EQ(rf_operand_reads, 2); /* R0 of both */
	EQ(rf_l1_reads, 2);
}
END_TEST

START_TEST(the_cache_is_flushed_at_backward_branches)
{
	const unsigned flushed = _i == 1;
	uint32_t n;

	setup("rfc", 3);
	b.s.p.rfc_flush_branches = _i > 0;
	add(1, 0, 0);
	add(2, 1, 1);
	n = stream_insn(&b.s, OP_BRA, -1, -1, -1, -1);
	insn_src(b.s.k, &b.s.k->insn[n])[0] = (struct ref){ .kind = REF_BLOCK, .val = _i == 2 };
	b.s.k->block[0].n = n + 1;
	again(n, UINT32_MAX);
	ir_block(b.s.k, NULL);
	add(3, 2, 1);
	add(4, 3, 2);
	run();
	/* R1; R2 comes after the branch has issued, and goes past the cache */
	EQ(rf_flushes, flushed);
	EQ(rf_operand_writes, flushed);
	EQ(rf_l1_writes, 4 - flushed);
}
END_TEST

/* A jump is fetched one cycle later, which is all that differs. */
START_TEST(the_tag_check_delays_jumps)
{
	struct hierarchy_ops ops = rfc_hierarchy;
	uint64_t cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		setup("rfc", 3);
		ops.branch_cycles = i ? rfc_hierarchy.branch_cycles : 0;
		b.s.rf.hierarchy = &ops;
		add(1, 0, 0);
		add(2, 1, 1);
		stream_insn(&b.s, OP_ADD_S32, 3, 3, 3, -1);
		stream_insn(&b.s, OP_ADD_S32, 4, 4, 4, -1);
		for (unsigned n = 0; n < 10; n++) {
			again(0, UINT32_MAX);
			again(1, UINT32_MAX);
		}
		run();
		EQ(control_flushes, 10);
		cycles[i] = b.s.st.cycles;
	}
	ck_assert_uint_eq(cycles[1] - cycles[0], 10);
}
END_TEST

Suite *suite_rfc(void);
Suite *suite_rfc(void)
{
	Suite *s = suite_create("rfc");
	TCase *t = tcase_create("one level");

	tcase_add_test(t, results_are_found_and_stay_out_of_the_main_register_file);
	tcase_add_loop_test(t, first_in_first_out_and_least_recently_used, 0, 2);
	tcase_add_loop_test(t, a_result_takes_the_entry_of_its_register, 0, 2);
	tcase_add_loop_test(t, what_nobody_reads_again_is_not_written_back, 0, 2);
	tcase_add_loop_test(t, lanes_die_one_by_one, 0, 2);
	tcase_add_loop_test(t, a_register_is_dead_when_all_its_lanes_are, 1, 3);
	tcase_add_loop_test(t, a_dead_entry_may_be_free_at_once, 1, 3);
	tcase_add_loop_test(t, a_dead_register_that_is_written_again_lives, 0, 3);
	tcase_add_test(t, a_wrong_hint_is_found);
	tcase_add_test(t, results_of_some_lanes);
	tcase_add_loop_test(t, long_latency_results_go_past, 0, 4);
	tcase_add_loop_test(t, a_suspended_warp_gives_up_its_entries, 0, 2);
	tcase_add_test(t, results_that_come_after_suspension_go_to_the_main_register_file);
	tcase_add_test(t, operands_may_take_entries_too);
	tcase_add_loop_test(t, operands_that_take_no_entry, 0, 3);
	tcase_add_loop_test(t, shared_units_fill_over_their_own_wires, 0, 2);
	tcase_add_test(t, a_clean_entry_is_left_without_a_trace);
	tcase_add_test(t, an_operand_that_was_overwritten_is_not_filled);
	tcase_add_test(t, an_operand_is_filled_for_its_own_reader);
	tcase_add_test(t, a_warp_begins_without_entries);
	tcase_add_loop_test(t, the_cache_is_flushed_at_backward_branches, 0, 3);
	tcase_add_test(t, the_tag_check_delays_jumps);
	suite_add_tcase(s, t);
	return s;
}
