/* The pipeline on written-out streams: latencies, conflicts, scheduling, barriers, conservation. */
#include "stream.h"
#include "runtime-model/core/checked.h"

static const char *const fu_text[FU_COUNT] = {
#define X(n) #n,
	FU_LIST(X)
#undef X
};

/* Two dependent instructions of a kind issue latency + 6 cycles apart (docs/TIMING.md#depth), once code is cached. */
static const struct {
	enum op op;
	enum fu fu;
	bool wide;
} chain[] = {
	{ OP_ADD_S32, FU_INT_ADD, false },    { OP_MIN_S32, FU_INT_MINMAX, false },
	{ OP_MUL_LO_S32, FU_INT_MUL, false }, { OP_MAD_LO_S32, FU_INT_MAD, false },
	{ OP_DIV_S32, FU_INT_DIV, false },    { OP_ADD_F32, FU_FP_ADD, false },
	{ OP_MAX_F32, FU_FP_MINMAX, false },  { OP_MUL_F32, FU_FP_MUL, false },
	{ OP_FMA_F32, FU_FP_MAD, false },     { OP_DIV_F32, FU_FP_DIV, false },
	{ OP_ADD_F64, FU_DP_ADD, true },      { OP_MAX_F64, FU_DP_MINMAX, true },
	{ OP_MUL_F64, FU_DP_MUL, true },      { OP_FMA_F64, FU_DP_MAD, true },
	{ OP_DIV_F64, FU_DP_DIV, true },      { OP_AND_B32, FU_OTHER, false },
	{ OP_SQRT_F32, FU_SFU, false },       { OP_SHFL_IDX, FU_SHFL, false },
};
enum { CHAINS = sizeof chain / sizeof *chain, DEPTH = 6 };

START_TEST(a_dependent_chain_issues_at_the_configured_latency)
{
	enum op op = chain[_i].op;
	int r = chain[_i].wide ? 4 : 1;
	struct stream s;
	cycle gap;

	stream_init(&s);
	ck_assert_str_eq(fu_text[op_info[op].fu], fu_text[chain[_i].fu]);
	for (unsigned i = 0; i < 4; i++)
		stream_insn(&s, op, r, r, -1, -1);
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	gap = stream_when(s.issued, 0, 3, 0) - stream_when(s.issued, 0, 2, 0);
	ck_assert_uint_eq(gap, s.p.unit[chain[_i].fu].latency + DEPTH);

	/* and a change of the parameter moves it by as much */
	s.p.unit[chain[_i].fu].latency += 11;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(stream_when(s.issued, 0, 3, 0) - stream_when(s.issued, 0, 2, 0), gap + 11);
	stream_free(&s);
}
END_TEST

START_TEST(a_unit_takes_one_instruction_an_initiation_interval)
{
	/* one line of code */
	enum { ROUNDS = 4, N = 16, ALL = ROUNDS * N };
	struct stream s;
	unsigned units;
	cycle span;

	stream_init(&s);
	s.k->res.regs = 64;
	for (int i = 0; i < N; i++)
		stream_insn(&s, chain[_i].op, 2 + i, chain[_i].wide ? 0 : 1, -1, -1);
	for (unsigned i = 0; i < ROUNDS; i++)
		stream_straight(&s, 0);
	s.warps = 8; /* enough to hide everything but the unit */
	ck_assert(stream_run(&s));
	units = s.p.unit[chain[_i].fu].pipe == PIPE_SP ? s.p.units_sp : s.p.units_sfu;
	span = s.finished->e[s.finished->n - 1].at - s.finished->e[0].at;
	/* never faster than the units allow; slow units are the bottleneck, so within 5 percent of it */
	ck_assert_uint_ge(span * units, (cycle)(ALL * 8 - units) * s.p.unit[chain[_i].fu].interval);
	if (s.p.unit[chain[_i].fu].interval >= 4)
		ck_assert_uint_le(span * units, (cycle)ALL * 8 * s.p.unit[chain[_i].fu].interval * 105 / 100 + 20);
	stream_free(&s);
}
END_TEST

START_TEST(independent_instructions_do_not_wait_for_each_other)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_S32, 1, 0, 0, -1);
	stream_insn(&s, OP_ADD_S32, 2, 0, 0, -1);
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(stream_when(s.issued, 0, 1, 0) - stream_when(s.issued, 0, 0, 0), 1);
	stream_free(&s);
}
END_TEST

START_TEST(a_second_write_and_a_predicate_wait_for_the_first_write)
{
	struct stream s;
	struct insn *i;

	stream_init(&s);
	stream_insn(&s, OP_ADD_S32, 1, 0, 0, -1);
	stream_insn(&s, OP_ADD_S32, 1, 2, 2, -1); /* write after write */
	stream_insn(&s, OP_SETP_LT_S32, MREG_P0, 3, 3, -1);
	stream_insn(&s, OP_ADD_S32, 4, 2, 2, -1);
	i = &s.k->insn[3];
	i->guard = ref_reg(MREG_P0); /* guard after write */
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(stream_when(s.issued, 0, 1, 0) - stream_when(s.issued, 0, 0, 0),
			  s.p.unit[FU_INT_ADD].latency + DEPTH);
	ck_assert_uint_eq(stream_when(s.issued, 0, 3, 0) - stream_when(s.issued, 0, 2, 0),
			  s.p.unit[FU_OTHER].latency + DEPTH);
	stream_free(&s);
}
END_TEST

/* fma of three registers in one bank takes two cycles more than of three in different ones. */
START_TEST(reads_of_one_bank_take_a_cycle_each)
{
	struct stream s;
	cycle free_of;

	stream_init(&s);
	s.k->res.regs = 64;
	stream_insn(&s, OP_FMA_F32, 1, 2, 3, 4);
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.rf_reads, 3);
	ck_assert_uint_eq(s.st.rf_bank_conflicts, 0);
	free_of = s.finished->e[0].at - s.issued->e[0].at;
	stream_free(&s);

	stream_init(&s);
	s.k->res.regs = 64;
	stream_insn(&s, OP_FMA_F32, 1, 2, 18, 34);
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.rf_reads, 3);
	ck_assert_uint_eq(s.st.rf_bank_conflicts, 2);
	ck_assert_uint_eq(s.st.rf_conflict_cycles, 3);
	ck_assert_uint_eq(s.finished->e[0].at - s.issued->e[0].at, free_of + 2);
	stream_free(&s);
}
END_TEST

/* Reads of three different banks reach one collector unit together, or as many a cycle as it has ports. */
START_TEST(a_collector_unit_receives_as_many_reads_as_it_has_ports)
{
	static const struct {
		uint32_t ports;
		cycle later;
		unsigned delayed;
	} row[] = { { 0, 0, 0 }, { 3, 0, 0 }, { 2, 1, 1 }, { 1, 2, 2 } };
	cycle unlimited = 0;

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		struct stream s;
		cycle took;

		stream_init(&s);
		s.p.oc_ports = row[i].ports;
		stream_insn(&s, OP_FMA_F32, 1, 2, 3, 4);
		stream_straight(&s, 0);
		ck_assert(stream_run(&s));
		took = s.finished->e[0].at - s.issued->e[0].at;
		if (!row[i].ports)
			unlimited = took;
		ck_assert_uint_eq(took, unlimited + row[i].later);
		ck_assert_uint_eq(s.st.rf_reads, 3);
		ck_assert_uint_eq(s.st.rf_bank_conflicts, row[i].delayed);
		stream_free(&s);
	}
}
END_TEST

static bool odd(uint64_t cta, unsigned warp)
{
	(void)cta;
	return warp & 1;
}

/* One collector for all pipelines: an instruction enters when the one before has left, four cycles later with three
 * reads through one port; the pipelines take turns, so a special function does not wait for all the additions before
 * it. */
START_TEST(pipelines_may_share_collector_units)
{
	for (uint32_t shared = 0; shared < 2; shared++) {
		struct stream s;
		cycle sfu;

		stream_init(&s);
		s.p.oc_ports = 1;
		s.p.collectors = shared;
		for (int i = 0; i < 8; i++)
			stream_insn(&s, OP_FMA_F32, 8 + i, 2, 3, 4);
		stream_insn(&s, OP_SIN_F32, 1, 5, -1, -1);
		for (unsigned i = 0; i < 8; i++)
			stream_record(&s, 0, i);
		stream_record(&s, 1, 8);
		s.second = odd;
		s.warps = 2;
		ck_assert(stream_run(&s));
		ck_assert_uint_eq(s.st.rf_reads, 25);
		sfu = stream_when(s.finished, 1, 8, 0);
		if (shared) {
			for (uint32_t i = 1; i < 8; i++)
				ck_assert_uint_ge(stream_when(s.finished, 0, i, 0),
						  stream_when(s.finished, 0, i - 1, 0) + 4);
			ck_assert_uint_lt(sfu, stream_when(s.finished, 0, 3, 0) + s.p.unit[FU_SFU].latency);
		} else {
			/* fetched two at a time */
			ck_assert_uint_le(stream_when(s.finished, 0, 7, 0), stream_when(s.finished, 0, 0, 0) + 12);
		}
		stream_free(&s);
	}
}
END_TEST

/* One bank: 16 independent additions read and write it. With one port the writes take cycles from the reads. */
START_TEST(a_bank_with_a_port_for_each_serves_a_read_and_a_write_in_one_cycle)
{
	cycle took[2];

	for (uint32_t two = 0; two < 2; two++) {
		struct stream s;

		stream_init(&s);
		s.p.rf_banks = 1;
		s.p.rf_read_write = two;
		s.k->res.regs = 64;
		for (int i = 0; i < 16; i++)
			stream_insn(&s, OP_ADD_S32, 20 + i, 2, 3, -1);
		stream_straight(&s, 0);
		ck_assert(stream_run(&s));
		ck_assert_uint_eq(s.st.rf_reads, 32);
		ck_assert_uint_eq(s.st.rf_writes, 16);
		took[two] = s.finished->e[15].at - s.issued->e[0].at;
		stream_free(&s);
	}
	ck_assert_uint_ge(took[0], 48); /* an access a cycle */
	ck_assert_uint_ge(took[1], 32); /* a read a cycle */
	ck_assert_uint_le(took[1], 44);
}
END_TEST

START_TEST(a_register_named_twice_is_read_once_and_a_pair_counts_two)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_S32, 1, 2, 2, -1);             /* one read, one write */
	stream_insn(&s, OP_ADD_F64, 4, 6, 8, -1);             /* four reads, two writes */
	stream_insn(&s, OP_ADD_S32, MREG_RZ, MREG_RZ, 3, -1); /* one read */
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.rf_reads, 6);
	ck_assert_uint_eq(s.st.operand_reads, 6);
	ck_assert_uint_eq(s.st.rf_operand_reads, 6);
	ck_assert_uint_eq(s.st.rf_writes, 3);
	ck_assert_uint_eq(s.st.rf_read_arrays, 6u * s.p.rf_arrays);
	ck_assert_uint_eq(s.st.rf_write_arrays, 3u * s.p.rf_arrays);
	stream_free(&s);
}
END_TEST

START_TEST(an_instruction_without_active_lanes_writes_nothing)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_S32, 1, 2, 3, -1);
	stream_record(&s, 0, 0)->active = 0;
	stream_record(&s, 0, 0)->active = 7;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.rf_writes, 1);
	ck_assert_uint_eq(s.st.thread_instructions, 3);
	ck_assert_uint_eq(s.st.executed_lanes, 3);
	ck_assert_uint_eq(s.st.warp_instructions, 2);
	stream_free(&s);
}
END_TEST

/* With and without the axes in its way, a write activates the arrays of its lanes where the machine says so. */
START_TEST(writes_of_some_lanes_activate_their_arrays)
{
	static const struct {
		uint32_t active;
		unsigned arrays, of, want;
	} w[] = {
		{ UINT32_MAX, 8, 8, 8 }, { 1, 8, 1, 8 },          { 0xf, 8, 1, 8 },        { 0x1f, 8, 2, 8 },
		{ 0x80000001, 8, 2, 8 }, { 0x08000000, 8, 1, 8 }, { 0x7fffffff, 8, 8, 8 }, { 0xffff, 2, 1, 2 },
		{ 0x18000, 2, 2, 2 },    { 0x10001, 32, 2, 32 },  { 1u << 31, 1, 1, 1 },   { 0x3ff, 3, 1, 3 },
		{ 0x7ff, 3, 1, 3 },      { 0xfff, 3, 2, 3 },      { 0xffc00000, 3, 1, 3 },
	};

	for (unsigned i = 0; i < sizeof w / sizeof *w; i++)
		for (unsigned partial = 0; partial < 4; partial++) {
			struct checked_sums sums = { 0 };
			struct stream s;

			stream_init(&s);
			s.p.rf_arrays = w[i].arrays;
			s.p.rf_partial_writes = partial & 1;
			/* writes are listed, and no operand is compared, as no record has values */
			if (partial & 2)
				s.checked = &sums;
			stream_insn(&s, OP_ADD_S32, 1, 2, 2, -1);
			stream_record(&s, 0, 0)->active = w[i].active;
			ck_assert(stream_run(&s));
			ck_assert_uint_eq(s.st.rf_writes, 1);
			ck_assert_uint_eq(s.st.rf_read_arrays, w[i].arrays);
			ck_assert_uint_eq(s.st.rf_write_arrays, partial & 1 ? w[i].of : w[i].want);
			stream_free(&s);
		}
}
END_TEST

START_TEST(writes_that_meet_in_one_bank_take_turns)
{
	struct stream s;

	stream_init(&s);
	/* R1 of warp 1 lies one bank after R1 of warp 0, and in the bank of R2 of warp 0 */
	stream_insn(&s, OP_ADD_S32, 1, -1, -1, -1);
	stream_insn(&s, OP_ADD_S32, 2, -1, -1, -1);
	stream_record(&s, 0, 0);
	stream_record(&s, 1, 0);
	s.second = odd;
	s.warps = 2;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.rf_write_conflicts, 0);
	stream_free(&s);

	stream_init(&s);
	s.p.rf_banks = 1;
	stream_insn(&s, OP_ADD_F64, 2, -1, -1, -1); /* two writes, one bank */
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.rf_writes, 2);
	ck_assert_uint_eq(s.st.rf_write_conflicts, 1);
	stream_free(&s);
}
END_TEST

/* How often the issuing warp changes over four independent instructions of each of three warps. */
static unsigned switches(const char *rf)
{
	struct stream s;
	unsigned n = 0;

	/* a barrier first, so that all buffers are full when they start */
	stream_init(&s);
	s.p.schedulers = 1;
	s.p.ibuffer_entries = 4;
	s.warps = 3;
	ck_assert(rf_config_parse(&s.rf, rf, &s.p, &s.d));
	for (int i = 0; i < 3; i++)
		stream_insn(&s, OP_ADD_S32, 1 + i, 0, 0, -1);
	stream_barrier(&s, 0, 0);
	for (int i = 0; i < 4; i++)
		stream_insn(&s, OP_ADD_S32, 5 + i, 0, 0, -1);
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	for (unsigned i = 1; i < s.issued->n; i++)
		if (s.issued->e[i].insn > 3 && s.issued->e[i - 1].insn > 3)
			n += s.issued->e[i].warp != s.issued->e[i - 1].warp;
	stream_free(&s);
	return n;
}

START_TEST(gto_stays_with_a_warp_and_lrr_goes_round)
{
	ck_assert_uint_eq(switches("baseline"), 2);
	ck_assert_uint_ge(switches("baseline,issue=lrr"), 9);
}
END_TEST

START_TEST(gto_falls_back_to_the_oldest_warp)
{
	struct stream s;

	stream_init(&s);
	s.p.schedulers = 1;
	s.warps = 4;
	stream_insn(&s, OP_ADD_S32, 1, 0, 0, -1);
	stream_barrier(&s, 0, 0);
	stream_insn(&s, OP_ADD_S32, 2, 0, 0, -1);
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	/* after the barrier nobody is greedy but the last to arrive; the others go in order of age */
	ck_assert_uint_eq(s.issued->e[s.issued->n - 1].insn, 2);
	for (unsigned w = 0; w + 2 < 4; w++)
		ck_assert_uint_lt(stream_when(s.issued, w, 2, 0), stream_when(s.issued, w + 1, 2, 0));
	stream_free(&s);
}
END_TEST

START_TEST(a_barrier_holds_every_warp_until_the_last_has_come)
{
	struct stream s;
	cycle last = 0;
	uint32_t bar;

	stream_init(&s);
	for (unsigned i = 0; i < 10; i++)
		stream_insn(&s, OP_SQRT_F32, 1, 1, -1, -1);
	bar = stream_barrier(&s, 0, 0);
	stream_insn(&s, OP_ADD_S32, 2, 0, 0, -1);
	stream_straight(&s, 0);
	stream_record(&s, 1, bar);
	stream_record(&s, 1, bar + 1);
	s.second = odd;
	s.warps = 6;
	ck_assert(stream_run(&s));
	for (unsigned w = 0; w < 6; w++)
		if (stream_when(s.issued, w, bar, 0) > last)
			last = stream_when(s.issued, w, bar, 0);
	for (unsigned w = 0; w < 6; w++)
		ck_assert_uint_ge(stream_when(s.issued, w, bar + 1, 0), last);
	ck_assert_uint_eq(s.st.barrier_waits, 6);
	ck_assert_uint_gt(s.st.slots[STALL_BARRIER], 0);
	stream_free(&s);
}
END_TEST

START_TEST(a_warp_that_ends_counts_as_arrived)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_ADD_S32, 1, 0, 0, -1);
	stream_barrier(&s, 0, 0);
	stream_record(&s, 0, 0);
	stream_record(&s, 0, 1);
	stream_record(&s, 1, 0);
	s.second = odd;
	s.warps = 4;
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.warp_instructions, 6);
	stream_free(&s);
}
END_TEST

START_TEST(numbered_barriers_with_counts_are_kept_apart)
{
	struct stream s;
	uint32_t one, two;

	stream_init(&s);
	one = stream_barrier(&s, 1, 64);
	two = stream_barrier(&s, 2, 64);
	stream_insn(&s, OP_ADD_S32, 1, 0, 0, -1);
	stream_record(&s, 0, one);
	stream_record(&s, 0, 2);
	stream_record(&s, 1, two);
	stream_record(&s, 1, 2);
	s.second = odd;
	s.warps = 4; /* two warps at each barrier */
	ck_assert(stream_run(&s));
	ck_assert_uint_eq(s.st.warp_instructions, 8);
	stream_free(&s);
}
END_TEST

START_TEST(warps_that_wait_for_each_other_end_with_a_report)
{
	struct stream s;
	uint32_t one, two;

	stream_init(&s);
	one = stream_barrier(&s, 1, 0);
	two = stream_barrier(&s, 2, 0);
	stream_record(&s, 0, one);
	stream_record(&s, 1, two);
	s.second = odd;
	s.warps = 2;
	ck_assert(!stream_run(&s));
	ck_assert_ptr_nonnull(strstr(s.d.last, "no progress"));
	ck_assert_ptr_nonnull(strstr(s.d.last, "warp 0"));
	ck_assert_ptr_nonnull(strstr(s.d.last, "barrier 1: 1 of 2 warps have come"));
	ck_assert_ptr_nonnull(strstr(s.d.last, "bar.sync"));
	stream_free(&s);
}
END_TEST

START_TEST(control_that_leaves_the_buffer_costs_a_fetch)
{
	struct stream s;
	cycle straight, jump;

	stream_init(&s);
	for (unsigned i = 0; i < 8; i++)
		stream_insn(&s, OP_ADD_S32, -1, 0, 0, -1);
	for (unsigned n = 0; n < 3; n++) {
		stream_record(&s, 0, 0);
		stream_record(&s, 0, 1);
		stream_record(&s, 0, 2);
	}
	stream_record(&s, 0, 3);
	ck_assert(stream_run(&s));
	straight = stream_when(s.issued, 0, 1, 2) - stream_when(s.issued, 0, 0, 2);
	jump = stream_when(s.issued, 0, 0, 2) - stream_when(s.issued, 0, 2, 1);
	ck_assert_uint_eq(straight, 1);
	ck_assert_uint_eq(jump, 3);
	ck_assert_uint_eq(s.st.control_flushes, 2);
	ck_assert_uint_gt(s.st.icache_misses, 0);
	stream_free(&s);
}
END_TEST

START_TEST(slots_and_instructions_add_up_over_many_ctas_and_sms)
{
	struct stream s;
	uint64_t slots = 0;

	stream_init(&s);
	s.p.sms = 3;
	s.ctas = 40;
	s.warps = 5;
	for (int i = 0; i < 6; i++)
		stream_insn(&s, i % 2 ? OP_FMA_F32 : OP_SIN_F32, 1 + i % 3, 2, 3, 4);
	stream_barrier(&s, 0, 0);
	stream_straight(&s, 0);
	ck_assert_msg(stream_run(&s), "%s", s.d.last);
	for (unsigned i = 0; i < STALL_COUNT; i++)
		slots += s.st.slots[i];
	ck_assert_uint_eq(slots, s.st.issue_slots);
	ck_assert_uint_eq(s.st.issue_slots, s.st.cycles * 3 * s.p.schedulers);
	ck_assert_uint_eq(s.st.warp_instructions, 40 * 5 * 7);
	ck_assert_uint_eq(s.st.slots[STALL_ISSUED], s.st.warp_instructions);
	ck_assert_uint_eq(s.st.ctas, 40);
	ck_assert_uint_eq(s.finished->n, s.issued->n);
	ck_assert_uint_le(s.st.sm_cycles, s.st.cycles * 3);
	stream_free(&s);
}
END_TEST

START_TEST(a_finished_cta_makes_room_for_the_next_in_order)
{
	struct stream s;
	uint64_t next = 0;

	stream_init(&s);
	s.p.ctas_per_sm = 2;
	s.ctas = 9;
	for (int i = 0; i < 5; i++)
		stream_insn(&s, OP_ADD_S32, 1, 1, -1, -1);
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	for (unsigned i = 0; i < s.issued->n; i++)
		if (s.issued->e[i].insn == 0)
			ck_assert_uint_eq(s.issued->e[i].cta, next++);
	ck_assert_uint_eq(next, 9);
	ck_assert_uint_le(s.st.resident_warp_cycles, 2 * s.st.sm_cycles);
	stream_free(&s);
}
END_TEST

START_TEST(a_barrier_number_in_a_register_is_that_of_the_record)
{
	struct stream s;

	stream_init(&s);
	stream_insn(&s, OP_BAR_SYNC, -1, 3, -1, -1);
	stream_straight(&s, 0);
	ck_assert(stream_run(&s));
	stream_free(&s);
}
END_TEST

Suite *suite_sm(void);
Suite *suite_sm(void)
{
	Suite *s = suite_create("sm");
	TCase *c = tcase_create("pipeline");

	tcase_add_loop_test(c, a_dependent_chain_issues_at_the_configured_latency, 0, CHAINS);
	tcase_add_loop_test(c, a_unit_takes_one_instruction_an_initiation_interval, 0, CHAINS);
	tcase_add_test(c, independent_instructions_do_not_wait_for_each_other);
	tcase_add_test(c, a_second_write_and_a_predicate_wait_for_the_first_write);
	tcase_add_test(c, reads_of_one_bank_take_a_cycle_each);
	tcase_add_test(c, a_collector_unit_receives_as_many_reads_as_it_has_ports);
	tcase_add_test(c, pipelines_may_share_collector_units);
	tcase_add_test(c, a_bank_with_a_port_for_each_serves_a_read_and_a_write_in_one_cycle);
	tcase_add_test(c, a_register_named_twice_is_read_once_and_a_pair_counts_two);
	tcase_add_test(c, an_instruction_without_active_lanes_writes_nothing);
	tcase_add_test(c, writes_of_some_lanes_activate_their_arrays);
	tcase_add_test(c, writes_that_meet_in_one_bank_take_turns);
	tcase_add_test(c, gto_stays_with_a_warp_and_lrr_goes_round);
	tcase_add_test(c, gto_falls_back_to_the_oldest_warp);
	tcase_add_test(c, a_barrier_holds_every_warp_until_the_last_has_come);
	tcase_add_test(c, a_warp_that_ends_counts_as_arrived);
	tcase_add_test(c, numbered_barriers_with_counts_are_kept_apart);
	tcase_add_test(c, warps_that_wait_for_each_other_end_with_a_report);
	tcase_add_test(c, control_that_leaves_the_buffer_costs_a_fetch);
	tcase_add_test(c, slots_and_instructions_add_up_over_many_ctas_and_sms);
	tcase_add_test(c, a_finished_cta_makes_room_for_the_next_in_order);
	tcase_add_test(c, a_barrier_number_in_a_register_is_that_of_the_record);
	suite_add_tcase(s, c);
	return s;
}
