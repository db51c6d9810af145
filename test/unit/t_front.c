/* The stages that a reuse that renames adds to the SM (sm/front.c, sm/rounds.c). */
#include "toy_reuse.h"

/* Issue in cycle 0, rename in 1, reuse stage in 2, and 3 is that in which it retires, or enters a collector, which
 * was 1. */
START_TEST(a_hit_retires_three_cycles_after_its_issue_and_a_miss_takes_two_more)
{
	cycle plain[3];
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1);
	stream_insn(&s, OP_SIN_F32, 4, 1, -1, -1);
	stream_memory(&s, OP_LD_B32, SP_SHARED, 5, 4, -1);
	stream_straight(&s, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (uint32_t i = 0; i < 3; i++)
		plain[i] = took(&s, i, 0);
	toy_use(&s);
	run(&s);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(took(&s, i, 0), plain[i] + 2);
	ck_assert_uint_eq(s.st.rf_reads, 4);
	ck_assert_uint_eq(s.st.rf_writes, 3);
	for (unsigned back = 0; back < 4; back++) {
		toy_use(&s);
		t.back = back;
		t.does[1] = HITS;
		run(&s);
		ck_assert_uint_eq(took(&s, 0, 0), plain[0] + 2 + back);
		ck_assert_uint_eq(took(&s, 1, 0), 3);
		ck_assert_uint_eq(took(&s, 2, 0), plain[2] + 2 + back);
	}
	ck_assert_uint_eq(s.st.reused_instructions, 1);
	ck_assert_uint_eq(s.st.sfu_instructions, 0);
	ck_assert_uint_eq(s.st.rf_reads, 3);
	ck_assert_uint_eq(s.st.rf_writes, 2);
	stream_free(&s);
}
END_TEST

START_TEST(a_miss_without_room_behind_holds_the_stage)
{
	struct stream s;
	uint32_t last;
	cycle free;

	stream_init(&s);
	s.p.schedulers = 1;
	for (int i = 0; i < 12; i++) /* one after the other into a slow unit */
		stream_insn(&s, OP_SIN_F32, 10 + i, 1, -1, -1);
	last = stream_insn(&s, OP_ADD_S32, 2, 3, 3, -1);
	stream_straight(&s, 0);
	s.p.id_oc_sfu = s.p.oc_ex_sfu = s.p.collectors_sfu = s.p.units_sfu = 1;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	free = took(&s, last, 0);
	toy_use(&s);
	run(&s);
	ck_assert_uint_gt(s.st.front_stall_cycles, 20);
	ck_assert_uint_gt(s.st.slots[STALL_REUSE], 20);
	ck_assert_uint_eq(s.st.slots[STALL_COLLECTOR], 0);
	/* it issues as there is room, and waits behind one that has none */
	ck_assert_uint_gt(took(&s, last, 0), free + 2);
	toy_use(&s); /* a hit behind it waits likewise */
	t.does[last] = HITS;
	run(&s);
	ck_assert_uint_gt(took(&s, last, 0), 3);
	stream_free(&s);
}
END_TEST

START_TEST(what_waits_is_asked_in_turn_by_ports_without_instructions)
{
	struct stream s;
	cycle there, last = 0;

	waiting(&s, 9);
	run(&s);
	there = stream_when(s.finished, 0, 0, 0);
	ck_assert_uint_eq(t.norder, 8);
	ck_assert_uint_eq(s.st.reused_instructions, 8);
	ck_assert_uint_eq(s.st.l1_reads, 1);
	/* two schedulers, two a cycle, from the cycle of the result on, one cycle to retire */
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(stream_when(s.finished, t.order[i], 1, 0), there + 1 + i / s.p.schedulers);
	for (unsigned i = 0; i < 8; i++) /* a queue, wherever it has turned to */
		for (unsigned j = 0; j < i; j++)
			ck_assert_uint_ne(t.order[i], t.order[j]);
	/* each port asks in each cycle, but for those in which it had a new instruction, or nobody waited */
	for (unsigned w = 1; w < 9; w++)
		last = stream_when(s.issued, w, 1, 0) > last ? stream_when(s.issued, w, 1, 0) : last;
	ck_assert_uint_gt(there, last + 100);
	ck_assert_uint_ge(s.st.reuse_retries, s.p.schedulers * (there - last - 2));
	ck_assert_uint_lt(s.st.reuse_retries, s.p.schedulers * (there - last + 60));
	ck_assert_uint_ge(s.st.reuse_wait_cycles, 8 * (there - last - 2));
	stream_free(&s);
}
END_TEST

/* One waits alone: one port asks, the other has nobody to ask for. */
START_TEST(one_that_waits_is_asked_for_once_a_cycle)
{
	struct stream s;

	waiting(&s, 2);
	run(&s);
	/* from the cycle behind that of the lookup on, to that of the hit */
	ck_assert_uint_eq(s.st.reuse_retries, s.st.reuse_wait_cycles);
	stream_free(&s);
}
END_TEST

/* The queue turns, and retries are counted, in cycles that are skipped as in others. */
START_TEST(skipped_cycles_are_like_those_stepped)
{
	uint32_t order[64];
	struct stats st;
	struct stream s;
	cycle end[8];

	waiting(&s, 4 + (unsigned)_i);
	s.p.schedulers = 1 + (unsigned)_i % 3;
	run(&s);
	ck_assert_uint_lt(t.retries, s.st.reuse_retries); /* most were not asked, but counted */
	st = s.st;
	memcpy(order, t.order, sizeof order);
	for (unsigned w = 1; w < s.warps && w < 8; w++)
		end[w] = stream_when(s.finished, w, 1, 0);
	stream_free(&s);
	waiting(&s, 4 + (unsigned)_i);
	s.p.schedulers = 1 + (unsigned)_i % 3;
	t.awake = true;
	run(&s);
	ck_assert_uint_eq(t.retries, s.st.reuse_retries);
	ck_assert_uint_ge(t.ticks + 2, s.st.cycles);
	ck_assert_int_eq(memcmp(&st, &s.st, sizeof st), 0);
	ck_assert_int_eq(memcmp(order, t.order, sizeof order), 0);
	for (unsigned w = 1; w < s.warps && w < 8; w++)
		ck_assert_uint_eq(end[w], stream_when(s.finished, w, 1, 0));
	stream_free(&s);
}
END_TEST

START_TEST(a_full_queue_makes_a_miss)
{
	struct stream s;

	waiting(&s, 9);
	t.room = 3;
	run(&s);
	ck_assert_uint_eq(t.norder, 3);
	ck_assert_uint_eq(t.refused, 5);
	ck_assert_uint_eq(s.st.reused_instructions, 3);
	ck_assert_uint_eq(s.st.l1_reads, 6);
	stream_free(&s);
	waiting(&s, 9); /* no queue at all */
	t.room = 0;
	run(&s);
	ck_assert_uint_eq(t.refused, 8);
	ck_assert_uint_eq(s.st.reuse_retries, 0);
	stream_free(&s);
}
END_TEST

START_TEST(what_waited_in_vain_is_executed)
{
	struct stream s;

	waiting(&s, 9);
	t.lost = true;
	s.p.id_oc_mem = s.p.collectors_mem = s.p.oc_ex_mem = 1; /* and finds no room at first */
	run(&s);
	ck_assert_uint_eq(t.norder, 8);
	ck_assert_uint_eq(s.st.reused_instructions, 0);
	ck_assert_uint_eq(s.st.l1_reads, 9);
	/* in the order of the queue, in which each goes to the end that has no room; all come */
	for (unsigned i = 1; i < 8; i++)
		ck_assert_uint_gt(stream_when(s.finished, t.order[i], 1, 0), stream_when(s.finished, 0, 0, 0));
	stream_free(&s);
}
END_TEST

/* Each holds a buffer for its lines from its issue on, of which there are few. */
START_TEST(loads_that_are_reused_give_their_lines_up)
{
	struct stream s;

	stream_init(&s);
	for (int i = 0; i < 200; i++)
		stream_line(stream_record(&s, 0, stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1 + i % 8, 20, -1)),
			    (unsigned)i, 15);
	toy_use(&s);
	for (unsigned i = 0; i < 200; i++)
		t.does[i] = i % 50 == 49 ? MISSES : HITS;
	run(&s);
	ck_assert_uint_eq(s.st.l1_reads, 4);
	ck_assert_uint_eq(s.st.mem_instructions, 4);
	ck_assert_uint_eq(s.st.loads, 4);
	ck_assert_uint_eq(s.st.reused_instructions, 196);
	stream_free(&s);
}
END_TEST

static unsigned reads_done;
static void count_read(struct residency *r, const struct uop *u)
{
	(void)r;
	(void)u;
	reads_done++;
}

START_TEST(residency_hears_of_operands_that_a_hit_will_not_read)
{
	struct residency_ops residency;
	struct stream s;

	stream_init(&s);
	residency = *s.rf.residency;
	residency.read_done = count_read;
	s.rf.residency = &residency;
	for (int i = 0; i < 6; i++)
		stream_insn(&s, OP_ADD_S32, 1 + i, 10, 11, -1);
	stream_straight(&s, 0);
	toy_use(&s);
	for (unsigned i = 0; i < 6; i++)
		t.does[i] = i % 2 ? HITS : MISSES;
	reads_done = 0;
	run(&s);
	ck_assert_uint_eq(s.st.reused_instructions, 3);
	ck_assert_uint_eq(reads_done, s.st.warp_instructions);
	stream_free(&s);
}
END_TEST

/* Rounds of accesses of one result: cycles behind one that is written at once, reads and writes of banks. */
START_TEST(results_are_served_in_rounds)
{
	static const struct {
		const char *rounds;
		unsigned more, reads, writes;
		uint32_t active;
	} row[] = {
		{ "W", 0, 0, 1, UINT32_MAX }, { "V", 0, 1, 0, UINT32_MAX }, { "V W", 1, 1, 1, UINT32_MAX },
		{ "", 0, 0, 0, UINT32_MAX },  { "R MW", 2, 1, 2, 0xff },
	};
	cycle plain = 0;

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		struct stream s;

		stream_init(&s);
		stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1))->active = row[i].active;
		toy_use(&s);
		t.rounds[0] = row[i].rounds;
		run(&s);
		plain = i ? plain : took(&s, 0, 0);
		ck_assert_msg(took(&s, 0, 0) == plain + row[i].more, "%s: %d", row[i].rounds,
			      (int)(took(&s, 0, 0) - plain));
		ck_assert_uint_eq(s.st.rf_reads, 2 + row[i].reads);
		ck_assert_uint_eq(s.st.rf_writes, row[i].writes);
		ck_assert_uint_eq(s.st.rf_operand_writes, row[i].writes != 0);
		stream_free(&s);
	}
}
END_TEST

/* Two results are compared with registers of one bank in one cycle: one of them waits. */
START_TEST(verifying_reads_meet_in_their_bank)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_F64, 0, 2, 4, -1);
	stream_straight(&s, 0);
	toy_use(&s);
	t.rounds[0] = "VV";
	run(&s);
	ck_assert_uint_eq(s.st.verify_reads, 2);
	ck_assert_uint_eq(s.st.verify_conflict_cycles, 1);
	ck_assert_uint_eq(s.st.rf_conflict_cycles, 1);
	ck_assert_uint_eq(s.st.rf_bank_conflicts, 1);
	ck_assert_uint_eq(s.st.rf_write_conflicts, 0);
	stream_free(&s);
}
END_TEST

/* Instruction 1 has a result, and no register for it before instruction 0, a load that issued earlier, has retired. */
START_TEST(a_result_without_a_register_waits)
{
	struct stats st;

	for (unsigned awake = 0; awake < 2; awake++) {
		struct stream s;

		stream_load(&s, SP_GLOBAL);
		stream_insn(&s, OP_ADD_S32, 4, 5, 6, -1);
		stream_line(stream_record(&s, 0, 0), 9, 15);
		stream_record(&s, 0, 2);
		toy_use(&s);
		t.blocked = 2;
		t.until = 0;
		t.awake = awake;
		run(&s);
		ck_assert_uint_eq(stream_when(s.finished, 0, 2, 0), stream_when(s.finished, 0, 0, 0) + 1);
		ck_assert_uint_gt(t.waits, awake ? 100 : 0);
		ck_assert(!awake || memcmp(&st, &s.st, sizeof st) == 0);
		st = s.st;
		stream_free(&s);
	}
}
END_TEST

START_TEST(a_register_without_a_value_takes_no_access)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_FMA_F32, 1, 2, 3, 4);
	stream_straight(&s, 0);
	toy_use(&s);
	t.unmapped = 3;
	run(&s);
	ck_assert_uint_eq(s.st.rf_operand_reads, 3);
	ck_assert_uint_eq(s.st.unmapped_reads, 1);
	ck_assert_uint_eq(s.st.rf_reads, 2);
	stream_free(&s);
}
END_TEST

START_TEST(barriers_are_told_as_they_let_go)
{
	struct stream s;

	stream_init(&s);
	stream_barrier(&s, 0, 0);
	stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1);
	stream_barrier(&s, 0, 0);
	stream_straight(&s, 0);
	s.warps = 4;
	s.ctas = 3;
	toy_use(&s);
	run(&s);
	ck_assert_uint_eq(t.releases, 2 * 3);
	stream_free(&s);
}
END_TEST

/* An instruction that no lane executes, or that has no result, passes all stages and has no rounds. */
START_TEST(what_has_no_result_has_no_rounds)
{
	struct stream s;

	stream_init(&s);
	stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1))->active = 0;
	stream_line(stream_record(&s, 0, stream_memory(&s, OP_ST_B32, SP_GLOBAL, -1, 1, 2)), 5, 15);
	toy_use(&s);
	run(&s);
	ck_assert_uint_eq(s.st.rf_writes, 0);
	ck_assert(t.retired[0] && t.retired[1]);
	stream_free(&s);
}
END_TEST

START_TEST(a_run_that_is_stopped_counts_what_is_in_front)
{
	uint64_t unstarted = 0;

	for (cycle at = 250; at < 560; at += 11) {
		struct stream s;

		waiting(&s, 9);
		s.max_cycles = at;
		ck_assert_msg(stream_run(&s), "%s", s.d.last); /* stats_check() */
		unstarted += s.st.unstarted_instructions;
		stream_free(&s);
	}
	ck_assert_uint_gt(unstarted, 50);
}
END_TEST

/* ---- what is wrong is said ---- */
START_TEST(the_report_says_who_holds_what_in_front)
{
	struct stream s;

	waiting(&s, 3); /* that does not come */
	s.p.progress_cycles = 1000;
	stream_record(&s, 1, stream_insn(&s, OP_ADD_S32, 5, 1, 1, -1));
	t.on = 200;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "waits for the result of instruction 1, `") &&
			      strstr(s.d.last, ", in the retry queue"),
		      "%s", s.d.last);
	stream_free(&s);
	stream_init(&s); /* no register */
	stream_insn(&s, OP_ADD_S32, 4, 5, 6, -1);
	stream_insn(&s, OP_ADD_S32, 7, 4, 6, -1);
	stream_straight(&s, 0);
	s.p.progress_cycles = 1000;
	toy_use(&s);
	t.blocked = 0;
	t.until = 200;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, ", which waits for a physical register for R4"), "%s", s.d.last);
	stream_free(&s);
	stream_init(&s); /* room */
	for (int i = 0; i < 40; i++)
		stream_insn(&s, OP_SIN_F32, 4 + i, 50, -1, -1);
	stream_straight(&s, 0);
	toy_use(&s);
	s.p.id_oc_sfu = s.p.oc_ex_sfu = s.p.collectors_sfu = s.p.units_sfu = 1;
	for (s.max_cycles = 200;
	     s.max_cycles < 500 &&
	     !strstr(s.stopped.where, "room in the rename and reuse stages, held by warp 0 with instruction ");
	     s.max_cycles += 10)
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_lt(s.max_cycles, 500);
	stream_free(&s);
}
END_TEST

START_TEST(what_reuse_finds_wrong_ends_the_run)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1);
	stream_straight(&s, 0);
	toy_use(&s);
	t.does[0] = HITS;
	t.fault = "reuses something else";
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "internal error") && strstr(s.d.last, "of SM 0 warp 0") &&
			      strstr(s.d.last, "reuses something else"),
		      "%s", s.d.last);
	ck_assert(s.bug);
	s.bug = false;
	toy_use(&s);
	t.wrong = "3 registers held by nobody";
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "SM 0 ends the launch with 3 registers held by nobody"), "%s", s.d.last);
	ck_assert(s.bug);
	stream_free(&s);
}
END_TEST

Suite *suite_front(void);
Suite *suite_front(void)
{
	Suite *s = suite_create("front");
	TCase *c = tcase_create("front");

	tcase_add_test(c, a_hit_retires_three_cycles_after_its_issue_and_a_miss_takes_two_more);
	tcase_add_test(c, a_miss_without_room_behind_holds_the_stage);
	tcase_add_test(c, what_waits_is_asked_in_turn_by_ports_without_instructions);
	tcase_add_test(c, one_that_waits_is_asked_for_once_a_cycle);
	tcase_add_loop_test(c, skipped_cycles_are_like_those_stepped, 0, 6);
	tcase_add_test(c, a_full_queue_makes_a_miss);
	tcase_add_test(c, what_waited_in_vain_is_executed);
	tcase_add_test(c, loads_that_are_reused_give_their_lines_up);
	tcase_add_test(c, residency_hears_of_operands_that_a_hit_will_not_read);
	tcase_add_test(c, results_are_served_in_rounds);
	tcase_add_test(c, verifying_reads_meet_in_their_bank);
	tcase_add_test(c, a_result_without_a_register_waits);
	tcase_add_test(c, a_register_without_a_value_takes_no_access);
	tcase_add_test(c, barriers_are_told_as_they_let_go);
	tcase_add_test(c, what_has_no_result_has_no_rounds);
	tcase_add_test(c, a_run_that_is_stopped_counts_what_is_in_front);
	tcase_add_test(c, the_report_says_who_holds_what_in_front);
	tcase_add_test(c, what_reuse_finds_wrong_ends_the_run);
	suite_add_tcase(s, c);
	return s;
}
