/* Register-file caches on written-out records: each rule of docs/HIERARCHY.md#hardware-managed-cache, in checked mode. The values of
 * registers are made up as the records are written: an instruction writes a new one into each lane that executes it. */
#include "stream.h"

#include "passes/rfc.h"
#include "runtime-model/checked.h"

extern const struct hierarchy_ops rfc_hierarchy, rfc2_hierarchy;

enum { INSNS = 32, REGS = 16 };
#define HALF 0x0000ffffu
#define OTHER 0xffff0000u

struct bench {
	struct stream s;
	struct checked_sums sums;
	struct rfc_hints hints;
	uint32_t last[INSNS], value[REGS][WARP_LANES], next;
	uint16_t shared[INSNS];
};

static struct bench b;

/* A cache of so many entries, without hints. */
static void setup(const char *hierarchy, unsigned entries)
{
	memset(&b, 0, sizeof b);
	stream_init(&b.s);
	ck_assert_msg(rf_config_parse(&b.s.rf, arena_printf(&b.s.a, "baseline,issue=two-level,hierarchy=%s", hierarchy), &b.s.p, &b.s.d), "%s", b.s.d.last);
	b.s.p.rf_l1_entries = entries;
	b.s.checked = &b.sums;
	b.hints = (struct rfc_hints){ b.last, b.shared };
	b.s.k->rfc = &b.hints;
}

/* Appends the record of instruction n, executed by these lanes. */
static struct stream_record *again(uint32_t n, uint32_t lanes)
{
	struct stream_record *r = stream_record(&b.s, 0, n);
	struct reg_use use[REG_USE_MAX];
	unsigned uses = insn_reg_uses(b.s.k, &b.s.k->insn[n], use), at = 0;
	uint32_t *v = new_array(&b.s.a, uint32_t, REG_USE_MAX * WARP_LANES);

	ck_assert_uint_lt(n, INSNS);
	for (unsigned write = 0; write < 2; write++)
		for (unsigned i = 0; i < uses; i++) {
			if (use[i].write != write || mreg_is_pred(use[i].reg))
				continue;
			for (unsigned l = 0; write && l < WARP_LANES; l++)
				if (lanes >> l & 1)
					b.value[use[i].reg][l] = ++b.next * 0x10001;
			memcpy(v + at++ * WARP_LANES, b.value[use[i].reg], sizeof b.value[0]);
		}
	r->active = lanes;
	r->values = v;
	return r;
}

/* R[d] = R[a] + R[b], an instruction that follows the others. */
static uint32_t add_in(int d, int a, int c, uint32_t lanes)
{
	uint32_t n = stream_insn(&b.s, OP_ADD_S32, d, a, c, -1);

	again(n, lanes);
	return n;
}

static uint32_t add(int d, int a, int c) { return add_in(d, a, c, UINT32_MAX); }
static uint32_t load_in(int d, int a, uint32_t lanes)
{
	uint32_t n = stream_memory(&b.s, OP_LD_B32, SP_GLOBAL, d, a, -1);

	stream_line(again(n, lanes), n, 15);
	return n;
}

/* The counters that follow from all that was delivered and written, and each operand right. */
static void run(void)
{
	ck_assert_msg(stream_run(&b.s), "%s", b.s.d.last);
	ck_assert_uint_eq(b.s.st.operand_reads, b.s.st.rf_operand_reads + b.s.st.rf_l0_reads + b.s.st.rf_l1_reads - b.s.st.rf_split_reads);
	ck_assert_uint_eq(b.s.st.operand_writes, b.s.st.rf_operand_writes + b.s.st.rf_l0_writes + b.s.st.rf_l1_writes - b.s.st.rf_fills);
	ck_assert_uint_eq(b.s.st.rf_writes, b.s.st.rf_operand_writes + b.s.st.rf_l1_evictions + b.s.st.rf_l0_flushes);
	stream_free(&b.s);
}

#define EQ(counter, n) ck_assert_uint_eq(b.s.st.counter, n)

START_TEST(results_are_found_and_stay_out_of_the_main_register_file)
{
	setup("rfc", 3);
	add(1, 0, 0);
	add(2, 1, 1);
	add(3, 2, 1);
	run();
	EQ(rf_operand_reads, 1);                                /* R0, which nobody wrote */
	EQ(rf_l1_reads, 3);
	EQ(rf_l1_writes, 3);
	EQ(rf_operand_writes, 0);
	EQ(rf_writes, 0);                                       /* what is left when the warp ends is dead */
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
	add_in(3, 2, 2, HALF);                                  /* R1 goes, in the other lanes */
	n = add_in(4, 1, 3, _i ? OTHER : 0);                    /* whoever executes nothing reads nothing: R1 is not there */
	b.last[n] = 1;
	run();
	EQ(rf_l1_evictions, 1 + _i);
	EQ(rf_dead_evictions, 0);
	EQ(rf_operand_reads, _i ? 3 : 2);                       /* R0, R1, and R3 where it was not written */
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
	EQ(rf_l1_evictions, 1);                                 /* R2, pushed out by R4 */
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
	add(4, 3, 3);                                           /* R1 and R2 are written back */
	add(5, 4, 1);
	run();
	EQ(rf_l1_evictions, 3);
	EQ(rf_dead_evictions, _i == 2);                         /* R1 the first time, if its entry did not wait for it */
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
	ck_assert_msg(strstr(b.s.d.last, "reads R1 in lane 0 as 0x") && strstr(b.s.d.last, "it is in entry 0 of the L1"), "%s", b.s.d.last);
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
	add(3, 2, 2);                                           /* R1 goes */
	add_in(1, 3, 3, HALF);                                  /* R2 goes */
	add_in(4, 1, 1, HALF);                                  /* R3 goes */
	add_in(4, 1, 4, OTHER);                                 /* R1 is in the main register file there, R4 too, which is not written */
	add(5, 1, 1);                                           /* R1 is here and there */
	run();
	EQ(rf_l1_reads, 1 + 1 + 1 + 1 + 1 + 1);
	EQ(rf_operand_reads, 1 + 2 + 1);
	EQ(rf_split_reads, 1);
	EQ(rf_l1_evictions, 3 + 1);
}
END_TEST

/* A load writes a register that is there: all of it is overwritten, or the rest goes to the main register file before. */
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
	b.last[n] = 1;                                          /* R1 is dead: it is not written back */
	load_in(4, 2, UINT32_MAX);
	add(3, 4, 2);
	run();
	EQ(suspensions, 1);
	EQ(rf_flushes, _i);
	EQ(rf_l1_evictions, _i);
	EQ(rf_dead_evictions, _i);
	EQ(rf_operand_reads, _i ? 3 : 2);                       /* R0, R4 and R2 */
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
	EQ(rf_operand_writes, 2);                               /* R4, R5 */
	EQ(rf_late_writes, 1);                                  /* R5: a load is never for the cache */
	EQ(rf_operand_reads, 1 + 1 + 1 + 1);
	EQ(rf_l1_reads, 1);                                     /* R3 */
}
END_TEST

START_TEST(operands_may_take_entries_too)
{
	setup("rfc", 3);
	b.s.p.rfc_sources = 1;
	add(1, 0, 0);
	add(2, 1, 0);                                           /* R0 has come when R1 is there */
	add(3, 2, 0);
	run();
	EQ(rf_fills, 1);
	EQ(rf_l1_writes, 4);
	EQ(rf_l1_reads, 4);
	EQ(rf_operand_reads, 1);
	EQ(rf_dead_evictions, 0);
	EQ(rf_l1_evictions, 0);                                 /* R0, the first in, is clean */
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
	setup("rfc", 4);
	b.s.p.rfc_sources = 1;
	b.last[0] = _i == 0;
	add_in(1, 0, 0, _i == 1 ? HALF : UINT32_MAX);
	if (_i == 2)
		add(0, 1, 1);
	add(2, 1, 0);
	run();
	EQ(rf_fills, _i == 0 ? 1 : _i == 1 ? 3 : 1);            /* 1: R0, then the rest of R1 and of R0 */
	EQ(rf_operand_reads, _i == 0 ? 2 : _i == 1 ? 3 : 1);
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
	add(3, 8, 0);                                           /* after the last store */
	run();
	EQ(rf_fills, 4);                                        /* R6, R7, R5 and R4 */
	EQ(rf_l1_reads, 16 + 1 + 2);                            /* R6 and R7 of the stores that come after their fills; R0, R8 and R0 */
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
	b.last[n] = 1;                                          /* here and below: it takes no entry */
	add(3, 0, 0);
	add(10, 3, 3);                                          /* R0 goes */
	store(10, 0, 1);                                        /* in the entry of R3 */
	n = stream_insn(&b.s, OP_SIN_F32, 8, 9, -1, -1);
	again(n, UINT32_MAX);
	b.last[n] = 1;
	add(3, 8, 0);
	run();
	EQ(rf_fills, 3);                                        /* R6 and R7; R0 of the last store */
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
	EQ(rf_operand_reads, 2);                                /* R0 of both */
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
	EQ(rf_flushes, flushed);                                /* R1; R2 comes after the branch has issued, and goes past the cache */
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

/* ---- two levels ---- */
START_TEST(the_last_result_is_in_the_l0)
{
	setup("rfc2", 1);
	add(1, 0, 0);
	add(2, 1, 1);                                           /* pushes R1 into the L1 */
	add(3, 2, 1);                                           /* and R2, which pushes R1 out */
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
	add(6, 5, 5);                                           /* R1 is in neither any more */
	add(7, 6, 1);
	run();
	EQ(rf_l0_writes, (_i == 0 ? 0 : 1) + 6);                /* of R1 one, but the half that goes where the other one is */
	EQ(rf_l1_writes, 2 - (_i == 0 ? 0 : 1));
	EQ(rf_l1_reads, _i < 2 ? 1 + (_i == 0) : 1);
	EQ(rf_l0_reads, 5 + (_i > 0));
	EQ(rf_l0_evictions, 5 + (_i == 1) + (_i == 2));         /* 2: the other half comes down to it; 3: nothing is left of it */
	EQ(rf_split_reads, 0);
	EQ(rf_l1_evictions, 1 + 2);
	EQ(rf_operand_reads, 2);
}
END_TEST

/* Half of R1 is in the L0, the half that the shared unit reads is not: it looks into the L1 and the main register file alone. */
START_TEST(a_shared_unit_does_not_see_the_l0)
{
	uint32_t n;

	setup("rfc2", 1);
	n = add(1, 0, 0);
	b.shared[n] = 1;
	n = add(2, 1, 1);                                       /* R2 to the L1: R1 goes */
	b.shared[n] = 1;
	b.s.p.rfc_sources = (uint32_t)_i;
	add_in(1, 2, 2, HALF);
	again(stream_insn(&b.s, OP_SIN_F32, 3, 1, -1, -1), OTHER);
	again(stream_insn(&b.s, OP_SIN_F32, 3, 1, -1, -1), 0);
	add(4, 3, 1);
	run();
	EQ(rf_l1_shared_reads, 0);
	EQ(rf_split_reads, 2);                                  /* of R3 and R1 by the last one */
	EQ(rf_l0_reads, 1);
	EQ(rf_l1_reads, 1 + 1 + 1);
	EQ(rf_fills, 2 * _i);                                   /* R0, and the rest of R3: R1 is in the L0, and what a shared unit reads may not go there */
}
END_TEST

/* Half of a register in the L0 is loaded: the other half goes straight to the main register file, though nobody is suspended. */
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
	EQ(rf_operand_reads, 2 + 1);                            /* R0 twice; R1 */
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
	add(6, 3, 3);                                           /* comes too late */
	add(5, 4, 6);
	run();
	EQ(rf_flushes, 3);
	EQ(rf_l0_flushes, 1);
	EQ(rf_l1_evictions, 2);
	EQ(rf_late_writes, 1);
	EQ(rf_operand_reads, 1 + 1 + 2);
}
END_TEST

/* ---- encoding ---- */
START_TEST(a_configuration_pays_for_the_bits_that_it_uses)
{
	static const struct { const char *rf; uint32_t hints, flush; unsigned bits; } of[] = {
		{ "rfc", 1, 1, 4 }, { "rfc", 2, 1, 4 }, { "rfc", 0, 1, 1 }, { "rfc", 1, 0, 3 }, { "rfc", 0, 0, 0 }, { "rfc2", 1, 1, 5 }, { "rfc2", 0, 0, 1 },
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

/* ---- limits ---- */
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
	t = tcase_create("two levels");
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
