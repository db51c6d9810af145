/* The contract of axis.h: each function is called as often as it says, with stubs that refuse, wait, move and add
 * accesses. */
#include "stub.h"

static struct stub t;

/* Three instructions with 4 + 1 + 1 sources and 2 + 1 + 1 destinations, a load of one source and its use, a barrier. */
enum {
	SOURCES = 4 + 1 + 1 + 1 + 1,
	DESTINATIONS = 2 + 1 + 1 + 1 + 1,
	INSNS = 6,
	WARPS = 4,
	CTAS = 3,
	ALL = WARPS * CTAS
};
enum { DOUBLES, ADD };

static void program(struct stream *s)
{
	stream_init(s);
	stream_insn(s, OP_ADD_F64, 4, 6, 8, -1);
	stream_insn(s, OP_ADD_S32, 10, 11, -1, -1);
	stream_insn(s, OP_ADD_S32, 12, 13, -1, -1);
	stream_memory(s, OP_LD_B32, SP_SHARED, 14, 15, -1);
	stream_insn(s, OP_ADD_S32, 16, 14, -1, -1);
	stream_barrier(s, 0, 0);
	stream_straight(s, 0);
	s->warps = WARPS;
	s->ctas = CTAS;
	stub_use(&t, s);
}

/* Every function, over one run. */
static void check_calls(const struct stream *s, unsigned moves)
{
	ck_assert_uint_eq(t.bad, 0);
	ck_assert_uint_eq(t.n.warp_start, ALL);
	ck_assert_uint_eq(t.n.issue_exit, ALL);
	ck_assert_uint_eq(t.n.residency_exit, ALL);
	ck_assert_uint_eq(t.n.packing_exit, ALL);
	ck_assert_uint_eq(t.n.hierarchy_exit, ALL);
	ck_assert_uint_eq(t.n.values_exit, ALL);
	ck_assert_uint_eq(t.n.cta_start, CTAS);
	ck_assert_uint_eq(t.n.issued, ALL * (INSNS + moves));
	ck_assert_uint_eq(t.n.granted, ALL * (INSNS + moves));
	ck_assert_uint_eq(t.n.read_done, ALL * (INSNS + moves));
	ck_assert_uint_eq(t.n.value_move, ALL * (INSNS + moves) + t.n.refused);
	ck_assert_uint_eq(t.n.value_issue, ALL * (INSNS + moves));
	ck_assert_uint_eq(t.n.level_read, ALL * (INSNS + moves));
	ck_assert_uint_eq(t.n.pack_read, ALL * (INSNS - 1 + moves));
	ck_assert_uint_eq(t.n.value_read, ALL * (SOURCES + moves));
	ck_assert_uint_eq(t.n.level_write, ALL * (INSNS - 1 + moves));
	ck_assert_uint_eq(t.n.pack_write, ALL * (DESTINATIONS + moves));
	ck_assert_uint_eq(t.n.value_write, ALL * (DESTINATIONS + moves));
	ck_assert_uint_eq(t.n.map, t.n.value_read + t.n.value_write);
	ck_assert_uint_eq(t.n.lanes, ALL * (INSNS + moves));
	ck_assert_uint_eq(s->st.warp_instructions, ALL * INSNS);
	ck_assert_uint_eq(s->st.injected_moves, ALL * moves);
}

START_TEST(each_function_is_called_once)
{
	struct stream s;

	program(&s);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	check_calls(&s, 0);
	ck_assert_uint_eq(t.n.suspend, 0);
	ck_assert_uint_gt(t.n.waits_long, ALL); /* the barrier for all but the last warp, and the end */
	ck_assert_uint_gt(t.n.order, 0);
	ck_assert_uint_eq(s.st.rf_reads, ALL * SOURCES);
	ck_assert_uint_eq(s.st.rf_writes, ALL * DESTINATIONS);
	stream_free(&s);
}
END_TEST

START_TEST(a_refused_issue_is_tried_again)
{
	struct stream s;

	program(&s);
	t.refuse_every = 3;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	check_calls(&s, 0);
	ck_assert_uint_gt(t.n.refused, ALL);
	ck_assert_uint_gt(s.st.slots[STALL_RESIDENCY], 0);
	stream_free(&s);
}
END_TEST

static bool odd(uint64_t cta, unsigned warp)
{
	(void)cta;
	return warp & 1;
}

/* Room for a CTA and a half. The warps wait for memory; the second CTA starts before the answer comes, when (0) half of
 * the warps have left, (1) the load has read its operands. */
START_TEST(a_refused_cta_starts_when_registers_are_free)
{
	static const unsigned release[] = { NEVER_INSN, 0 };
	struct stream s;

	stream_init(&s);
	stub_use(&t, &s);
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_insn(&s, OP_ADD_S32, 3, 4, -1, -1);
	stream_line(stream_record(&s, 0, 0), 9, 15);
	for (unsigned i = 0; i < 5; i++)
		stream_record(&s, 1, 1);
	s.second = _i == 0 ? odd : NULL;
	s.warps = 4;
	s.ctas = 2;
	t.warps_max = 6;
	t.release = release[_i];
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_gt(t.n.cta_refused, 0);
	ck_assert_uint_eq(t.n.cta_start, 2);
	ck_assert_uint_eq(t.warps_held, 0);
	ck_assert_uint_lt(stream_when(s.issued, 4, 0, 0) + 50, stream_when(s.finished, 0, 0, 0));
	stream_free(&s);
}
END_TEST

START_TEST(a_demoted_warp_is_suspended_and_its_flush_reaches_the_banks)
{
	struct stream s;
	cycle calm;

	program(&s);
	ck_assert(stream_run(&s));
	calm = s.st.cycles;
	stream_free(&s);
	program(&s);
	t.demote = true;
	t.flush = 12;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	check_calls(&s, 0);
	ck_assert_uint_eq(t.n.suspend, t.n.waits_long - ALL); /* but for each warp that waits for its end */
	ck_assert_uint_eq(s.st.rf_writes, ALL * DESTINATIONS + 12 * t.n.suspend);
	ck_assert_uint_gt(s.st.cycles, calm); /* one bank takes them one by one */
	stream_free(&s);
}
END_TEST

START_TEST(extra_accesses_are_served_and_counted)
{
	struct stream s;

	program(&s);
	t.fetch = 2;
	t.evict = 3;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	check_calls(&s, 0);
	ck_assert_uint_eq(s.st.rf_reads, ALL * SOURCES);
	ck_assert_uint_eq(s.st.rf_writes, ALL * DESTINATIONS + 2 * t.n.level_read + 3 * t.n.level_write);
	ck_assert_uint_eq(s.st.rf_read_arrays, 8 * s.st.rf_reads);
	ck_assert_uint_eq(s.st.rf_write_arrays, 8 * s.st.rf_writes);
	ck_assert(s.st.rf_write_conflicts > 0 && s.st.rf_write_conflicts <= s.st.rf_writes);
	stream_free(&s);
}
END_TEST

START_TEST(moves_go_before_their_instruction)
{
	struct stream s;

	program(&s);
	t.value_move = ADD;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	check_calls(&s, 1);
	ck_assert_uint_eq(s.st.rf_writes, ALL * (DESTINATIONS + 1));
	ck_assert_uint_eq(s.finished->n, ALL * INSNS); /* traces show the program alone */
	stream_free(&s);
}
END_TEST

START_TEST(metadata_take_their_slots_and_nothing_else)
{
	struct stream s;
	uint64_t fills;

	program(&s);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	fills = s.st.icache_fills;
	stream_free(&s);
	program(&s);
	t.packing.preamble = stub_preamble;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.metadata_instructions, ALL * STUB_PREAMBLE);
	ck_assert_uint_eq(s.st.warp_instructions, ALL * INSNS);
	ck_assert_uint_eq(s.st.slots[STALL_ISSUED], ALL * (INSNS + STUB_PREAMBLE));
	ck_assert_uint_eq(t.n.issued, ALL * (INSNS + STUB_PREAMBLE));
	ck_assert_uint_eq(t.n.granted, ALL * INSNS);
	ck_assert_uint_eq(s.st.control_flushes, 0);      /* they lie straight before the code, */
	ck_assert_uint_eq(s.st.icache_fills, fills + 1); /* which begins in the next line */
	stream_free(&s);
}
END_TEST

/* Every warp, the first of each SM, none: params.metadata. Nobody has the lines where none has the instructions. */
START_TEST(metadata_for_every_warp_or_once_or_never)
{
	static const unsigned times[] = { 0, ALL, 1 };
	struct stream s;
	uint64_t fills[3];

	for (unsigned choice = 0; choice < 3; choice++) {
		program(&s);
		t.packing.preamble = stub_preamble;
		s.p.metadata = choice;
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		ck_assert_uint_eq(s.st.metadata_instructions, times[choice] * STUB_PREAMBLE);
		ck_assert_uint_eq(s.st.warp_instructions, ALL * INSNS);
		ck_assert_uint_eq(s.st.control_flushes, 0);
		fills[choice] = s.st.icache_fills;
		stream_free(&s);
		program(&s); /* of each SM */
		s.p.sms = 2;
		t.packing.preamble = stub_preamble;
		s.p.metadata = choice;
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		ck_assert_uint_eq(s.st.metadata_instructions,
				  (choice == METADATA_ONCE ? 2 : times[choice]) * STUB_PREAMBLE);
		stream_free(&s);
	}
	ck_assert_uint_eq(fills[METADATA_EVERY_WARP], fills[METADATA_NONE] + 1);
	ck_assert_uint_eq(fills[METADATA_ONCE], fills[METADATA_EVERY_WARP]);
}
END_TEST

/* Two words before the first instruction, and three before the fourth: the same slots and lines as instructions there.
 */
static unsigned block_words(const struct kernel *k, uint32_t b)
{
	(void)k;
	return b ? 3 : 2;
}

START_TEST(metadata_of_blocks_come_whenever_a_warp_comes_to_them)
{
	enum { WORDS = 2 + 3 };
	struct block two[] = { { .first = 0, .n = 3 }, { .first = 3, .n = INSNS - 3 } };
	struct stream s;
	uint64_t fetches, cycles;

	program(&s);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	fetches = s.st.fetches;
	cycles = s.st.cycles;
	stream_free(&s);
	for (unsigned charged = 0; charged < 2; charged++) {
		program(&s);
		s.k->block = two;
		s.k->nblock = 2;
		s.p.release_metadata = charged;
		t.residency.metadata = block_words;
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		ck_assert_uint_eq(s.st.metadata_instructions, charged * ALL * WORDS);
		ck_assert_uint_eq(s.st.warp_instructions, ALL * INSNS);
		ck_assert_uint_eq(s.st.slots[STALL_ISSUED], ALL * (INSNS + charged * WORDS));
		ck_assert_uint_eq(s.st.control_flushes, 0); /* they lie in the code, before their block */
		ck_assert_int_eq(s.st.fetches > fetches, charged);
		ck_assert_int_eq(s.st.cycles > cycles, charged);
		stream_free(&s);
	}
}
END_TEST

/* A warp whose kernel is nothing but its preamble leaves. */
START_TEST(a_warp_without_records_ends_behind_its_metadata)
{
	struct stream s;

	program(&s);
	t.packing.preamble = stub_preamble;
	s.n[0] = 0;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.metadata_instructions, ALL * STUB_PREAMBLE);
	ck_assert_uint_eq(s.st.warp_instructions, 0);
	ck_assert_uint_eq(s.st.ctas, CTAS);
	stream_free(&s);
}
END_TEST

START_TEST(the_report_tells_of_metadata)
{
	struct stream s;

	program(&s);
	t.packing.preamble = stub_preamble;
	s.max_cycles = 1;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_msg(strstr(s.stopped.where, "metadata 0 of 19 before the kernel waits for the fetch of metadata 0"),
		      "%s", s.stopped.where);
	stream_free(&s);
}
END_TEST

/* A chain of instructions of one warp: every read comes so much later, which is no conflict. */
START_TEST(a_read_waits_for_its_mapping)
{
	cycle cycles[8];

	for (unsigned delay = 0; delay < 8; delay++) {
		struct stream s;

		stream_init(&s);
		stub_use(&t, &s);
		t.delay = delay;
		for (int i = 0; i < 10; i++)
			stream_insn(&s, OP_ADD_S32, i + 1, i, -1, -1);
		stream_straight(&s, 0);
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		cycles[delay] = s.st.cycles;
		ck_assert_uint_eq(cycles[delay], cycles[0] + 10 * delay);
		ck_assert_uint_eq(s.st.rf_bank_conflicts, 0);
		stream_free(&s);
	}
}
END_TEST

struct order {
	struct gpu_probe probe;
	cycle read, written;
};

static void see_order(void *ctx, const struct probe_event *e)
{
	struct order *o = ctx;

	if (e->kind == PROBE_READ && e->insn == 0)
		o->read = e->at;
	else if (e->kind == PROBE_BANK && e->write)
		o->written = e->at;
}

/* The addition has its result long before the last store is read; only where registers are renamed does it wait to
 * write it. */
START_TEST(a_write_waits_for_an_older_read_where_registers_are_renamed)
{
	struct order o = { .probe = { .ctx = &o, .want = PROBE(READ) | PROBE(BANK), .event = see_order } };
	struct stream s;

	stream_init(&s);
	stub_use(&t, &s);
	t.residency.renames = _i & 1;
	t.packing.renames = _i >> 1 & 1;
	stub_late_reader(&s);
	s.watcher = &o.probe;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.war_waits, _i != 0);
	ck_assert_msg(_i ? o.written > o.read : o.written < o.read, "%d: read in %d, written in %d", _i, (int)o.read,
		      (int)o.written);
	ck_assert_uint_eq(s.st.rf_writes, 1);
	ck_assert_uint_eq(t.n.map, _i ? 0 : 12);
	stream_free(&s);
}
END_TEST

/* The additions of two doubles in four warps: with one packer each register waits for the one before. */
START_TEST(packers_align_so_many_writes_a_cycle)
{
	cycle cycles[3];

	for (unsigned packers = 1; packers <= 2; packers++) {
		struct stream s;

		program(&s);
		s.p.packers = packers;
		t.packing.packed = true;
		ck_assert_msg(stream_run(&s), "%s", s.d.last);
		cycles[packers] = s.st.cycles;
		ck_assert(packers == 2 || s.st.packer_conflicts > 0);
		ck_assert_uint_eq(s.st.rf_writes, ALL * DESTINATIONS);
		check_calls(&s, 0);
		stream_free(&s);
	}
	ck_assert_uint_gt(cycles[1], cycles[2]);
}
END_TEST

/* Every entry is on in every cycle; the kernel's registers are held by the warps that are there. */
START_TEST(entries_and_registers_are_counted_over_cycles)
{
	struct stream s;

	program(&s);
	s.k->res.regs = 17;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.rf_powered_entries, s.st.cycles * s.p.sms * s.p.rf_registers / 32);
	ck_assert_uint_eq(s.st.rf_held_registers, s.st.resident_warp_cycles * 17);
	ck_assert_uint_eq(s.st.rf_mapped_registers, 0); /* nothing is renamed */
	stream_free(&s);
}
END_TEST

START_TEST(the_report_asks_who_holds_the_registers)
{
	struct stream s;

	program(&s);
	s.p.progress_cycles = 1000;
	t.hoard = 1;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "the shared registers for instruction 0, held by warp 1 at instruction"), "%s",
		      s.d.last);
	ck_assert_uint_eq(t.bad, 0);
	stream_free(&s);
}
END_TEST

/* Checked mode: R2 named twice is in the record twice and in the uop once. */
static const struct uop *see_values(struct stub *x, const struct uop *u)
{
	x->bad += !u->src_value || !u->dst_value || u->nsrc != 2 || u->src_value[0][7] != 107 ||
		  u->src_value[1][31] != 331 || u->dst_value[0][0] != 400;
	return u;
}

START_TEST(checked_mode_brings_values_to_each_operand)
{
	uint32_t values[4 * 32];
	struct stream s;

	stream_init(&s);
	stub_use(&t, &s);
	t.values.needs_record = WANT_VALUES;
	t.see = see_values;
	for (unsigned i = 0; i < 128; i++)
		values[i] = (i / 32 + 1) * 100 + i % 32;
	stream_insn(&s, OP_FMA_F32, 1, 2, 2, 3);
	stream_record(&s, 0, 0)->values = values;
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(t.n.value_write, 1);
	ck_assert_uint_eq(t.bad, 0);
	stream_free(&s);
}
END_TEST

/* A generic or local store whose lines lie in both spaces: each goes its own way. */
START_TEST(lines_of_one_access_are_local_or_global_one_by_one)
{
	struct stream s;

	stream_init(&s);
	stream_memory(&s, OP_ST_B32, SP_GENERIC, -1, 1, 2);
	stream_line(stream_line(stream_record(&s, 0, 0), 7, 15), LOCAL_LINES / LINE_BYTES, 15);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	ck_assert_uint_eq(s.st.l1_writes, 2);
	ck_assert_uint_eq(s.st.l2_writes, 1); /* the local line stays in the L1 */
	stream_free(&s);
}
END_TEST

Suite *suite_hooks(void);
Suite *suite_hooks(void)
{
	Suite *s = suite_create("hooks");
	TCase *c = tcase_create("hooks");

	tcase_add_test(c, each_function_is_called_once);
	tcase_add_test(c, a_refused_issue_is_tried_again);
	tcase_add_loop_test(c, a_refused_cta_starts_when_registers_are_free, 0, 2);
	tcase_add_test(c, a_demoted_warp_is_suspended_and_its_flush_reaches_the_banks);
	tcase_add_test(c, extra_accesses_are_served_and_counted);
	tcase_add_test(c, moves_go_before_their_instruction);
	tcase_add_test(c, metadata_take_their_slots_and_nothing_else);
	tcase_add_test(c, metadata_for_every_warp_or_once_or_never);
	tcase_add_test(c, metadata_of_blocks_come_whenever_a_warp_comes_to_them);
	tcase_add_test(c, a_warp_without_records_ends_behind_its_metadata);
	tcase_add_test(c, the_report_tells_of_metadata);
	tcase_add_test(c, a_read_waits_for_its_mapping);
	tcase_add_loop_test(c, a_write_waits_for_an_older_read_where_registers_are_renamed, 0, 4);
	tcase_add_test(c, packers_align_so_many_writes_a_cycle);
	tcase_add_test(c, entries_and_registers_are_counted_over_cycles);
	tcase_add_test(c, the_report_asks_who_holds_the_registers);
	tcase_add_test(c, checked_mode_brings_values_to_each_operand);
	tcase_add_test(c, lines_of_one_access_are_local_or_global_one_by_one);
	suite_add_tcase(s, c);
	return s;
}
