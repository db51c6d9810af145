/* What the SM does for a hierarchy: operands at issue, hazards, suspension, strands, the values of checked mode. The
 * hierarchy is that of levels.h. */
#include "levels.h"

#include "analyzer/base/rng.h"
#include "passes/strand.h"
#include "runtime-model/explain/counts.h"

enum { LANES = WARP_LANES };

static struct levels t;

static void open_stream(struct stream *s, const char *rf)
{
	stream_init(s);
	s->p.icache_sets = 0; /* every fetch hits */
	ck_assert(rf_config_parse(&s->rf, rf, &s->p, &s->d));
	levels_use(&t, s);
}

static void strands(struct stream *s, const uint8_t *begin)
{
	struct strands *x = new(&s->a, struct strands);

	x->begin = begin;
	s->k->strand = x;
	t.ops.waits = true;
}

static cycle run(struct stream *s)
{
	ck_assert_msg(stream_run(s), "%s", s->d.last);
	ck_assert_uint_eq(t.bad, 0);
	return s->st.cycles;
}

static cycle issued(const struct stream *s, uint32_t insn) { return stream_when(s->issued, 0, insn, 0); }

/* ---- reading ---- */
START_TEST(operands_are_asked_for_when_the_instruction_issues)
{
	struct stream s;

	open_stream(&s, "issue=two-level");
	stream_insn(&s, OP_ADD_S32, 1, 2, 2, -1);
	stream_insn(&s, OP_ADD_S32, 3, 1, 2, -1);
	stream_straight(&s, 0);
	run(&s);
	ck_assert_uint_eq(t.n_read, 2);
	ck_assert_uint_eq(t.read_at, issued(&s, 1));
	ck_assert_uint_eq(t.written_at, stream_when(s.finished, 0, 1, 0)); /* no bank keeps the result waiting */
	ck_assert_uint_eq(s.st.rf_l0_reads, 1);
	ck_assert_uint_eq(s.st.rf_reads, 2);
	ck_assert_uint_eq(s.st.rf_writes, 0);
	ck_assert_uint_eq(s.st.rf_operand_writes, 0);
	ck_assert_uint_eq(t.n_filled, 2);
	ck_assert_uint_eq(t.n_exit, 1);
	stream_free(&s);
}
END_TEST

/* A chain of additions, of doubles whose 2, 4 or 6 registers differ: three registers of a level a cycle. */
START_TEST(upper_levels_have_three_read_ports_and_the_depth_of_a_bank)
{
	static const struct {
		enum op op;
		int a, b, c;
		unsigned more;
	} of[] = {
		{ OP_ADD_S32, 1, 1, -1, 0 }, { OP_FMA_F32, 1, 2, 3, 0 }, { OP_FMA_F64, 2, 2, 2, 0 },
		{ OP_ADD_F64, 2, 4, -1, 1 }, { OP_FMA_F64, 2, 4, 6, 1 },
	};
	cycle cycles[2];

	for (unsigned all = 0; all < 2; all++) {
		struct stream s;

		open_stream(&s, "issue=two-level");
		t.all = all;
		if (!all)
			s.rf.hierarchy = NULL;
		if (!all)
			ck_assert(rf_config_parse(&s.rf, "issue=two-level", &s.p, &s.d));
		stream_insn(&s, of[_i].op, of[_i].a, of[_i].a, of[_i].b, of[_i].c);
		for (unsigned i = 0; i < 10; i++)
			stream_record(&s, 0, 0);
		cycles[all] = run(&s);
		ck_assert(!all || !s.st.rf_reads);
		stream_free(&s);
	}
	ck_assert_uint_eq(cycles[1], cycles[0] + 10 * of[_i].more);
}
END_TEST

/* R2, which the addition before has written, comes from the L0, R3 from below. */
START_TEST(explanations_say_where_operands_come_from)
{
	struct explain *x;
	struct counts c;
	struct stream s;

	open_stream(&s, "issue=two-level");
	stream_insn(&s, OP_ADD_S32, 2, 2, 3, -1);
	for (unsigned i = 0; i < 10; i++)
		stream_record(&s, 0, 0);
	x = explain_new(false, &s.a);
	s.watcher = explain_probe(x, NULL);
	run(&s);
	ck_assert_msg(explain_check(x, false, &s.d), "%s", s.d.last);
	counts_merge(&c, x, x->first, &s.a);
	ck_assert_uint_eq(c.insn[0].level[LEVEL_MRF], 11);
	ck_assert_uint_eq(c.insn[0].level[LEVEL_L0], 9);
	ck_assert_uint_eq(c.insn[0].level[LEVEL_L1], 0);
	explain_free(x);
	stream_free(&s);
}
END_TEST

static void watch(void *ctx, const struct probe_event *e) { ((unsigned *)ctx)[e->kind]++; }

/* ---- waiting ---- */
/* While the load is outstanding nothing that writes a register may issue; the SM sleeps meanwhile. */
START_TEST(a_hazard_of_a_level_holds_an_instruction_back)
{
	struct explain *x;
	struct stream s;

	open_stream(&s, "issue=two-level");
	t.ops.hazard = levels_owes;
	t.owes = 1;
	stream_memory(&s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_memory(&s, OP_ST_B32, SP_SHARED, -1, 3, 3);
	stream_insn(&s, OP_ADD_S32, 4, 3, 3, -1);
	stream_line(stream_record(&s, 0, 0), 9, 15);
	stream_record(&s, 0, 1);
	stream_record(&s, 0, 2);
	x = explain_new(false, &s.a);
	s.watcher = explain_probe(x, NULL);
	run(&s);
	ck_assert_msg(explain_check(x, false, &s.d), "%s", s.d.last);
	explain_free(x);
	ck_assert_uint_eq(issued(&s, 2), stream_when(s.finished, 0, 0, 0));
	ck_assert_uint_lt(issued(&s, 1), issued(&s, 2) - 100);
	ck_assert_uint_gt(t.n_refused, 0);
	ck_assert_uint_lt(t.n_refused, 40);
	ck_assert_uint_gt(s.st.slots[STALL_SCOREBOARD], 100);
	stream_free(&s);
}
END_TEST

static bool always(const struct hierarchy *h, const struct uop *u)
{
	(void)h;
	return u->insn == 1;
}

START_TEST(a_hazard_that_does_not_end_is_reported)
{
	struct stream s;

	open_stream(&s, "issue=two-level");
	t.ops.hazard = always;
	s.p.progress_cycles = 1000;
	stream_insn(&s, OP_ADD_S32, 1, 2, 2, -1);
	stream_insn(&s, OP_ADD_S32, 3, 1, 2, -1);
	stream_straight(&s, 0);
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "waits for an entry of an upper level that is owed a value"), "%s", s.d.last);
	stream_free(&s);
}
END_TEST

START_TEST(a_tag_check_delays_what_follows_a_jump)
{
	cycle cycles[4];

	for (unsigned more = 0; more < 4; more++) {
		struct stream s;

		open_stream(&s, "issue=two-level");
		t.ops.branch_cycles = more;
		for (int i = 0; i < 30; i++)
			stream_insn(&s, OP_ADD_S32, i, 40, 40, -1);
		for (uint32_t i = 0; i < 30; i += 3)
			stream_record(&s, 0, i);
		run(&s);
		ck_assert_uint_eq(s.st.control_flushes, 9);
		cycles[more] = s.st.cycles;
		ck_assert_uint_eq(cycles[more], cycles[0] + 9 * more);
		stream_free(&s);
	}
}
END_TEST

/* ---- strands: a slow load of two lines, a quick one that hits, an addition that needs the quick one, and one that
 * needs both ---- */
static void two_loads(struct stream *s, const uint8_t *begin)
{
	open_stream(s, "issue=two-level");
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 3, 2, -1);
	stream_insn(s, OP_ADD_S32, 4, 3, 3, -1);
	stream_insn(s, OP_ADD_S32, 5, 4, 1, -1);
	stream_line(stream_record(s, 0, 1), 7, 15);
	stream_record(s, 0, 2);
	stream_line(stream_line(stream_record(s, 0, 0), 1007, 15), 2007, 15);
	stream_line(stream_record(s, 0, 1), 7, 15);
	stream_record(s, 0, 2);
	stream_record(s, 0, 3);
	if (begin)
		strands(s, begin);
}

START_TEST(a_strand_that_waits_begins_when_nothing_long_is_outstanding)
{
	static const uint8_t begin[] = { STRAND_BEGIN | STRAND_ENTRY, 0, STRAND_BEGIN | STRAND_WAIT | STRAND_LONG, 0 };
	unsigned seen[PROBE_KINDS] = { 0 };
	struct gpu_probe watcher = { .ctx = seen, .want = PROBE(STRAND) | PROBE(SUSPEND), .event = watch };
	struct stream s;

	two_loads(&s, NULL);
	run(&s);
	ck_assert_uint_lt(stream_when(s.issued, 0, 2, 1) + 20, stream_when(s.finished, 0, 0, 0));
	ck_assert_uint_eq(s.st.strands, 0);
	ck_assert_uint_eq(s.st.suspensions, 3);
	stream_free(&s);
	two_loads(&s, begin);
	s.watcher = &watcher;
	run(&s);
	ck_assert_uint_eq(stream_when(s.issued, 0, 2, 1), stream_when(s.finished, 0, 0, 0));
	ck_assert_uint_eq(s.st.strands, 3);
	ck_assert_uint_eq(s.st.strand_waits, 2);
	ck_assert_uint_eq(s.st.suspensions, 2);
	ck_assert_uint_eq(t.n_suspend, 2);
	ck_assert_uint_eq(seen[PROBE_STRAND], 3);
	ck_assert_uint_eq(seen[PROBE_SUSPEND], 2);
	stream_free(&s);
}
END_TEST

/* Every register number takes a bit of the scoreboard; the one bit more may lie in a word of its own. */
START_TEST(strands_wait_however_many_registers_there_are)
{
	static uint8_t begin[256];
	struct stream s;

	for (int regs = 62; regs < 67; regs++) {
		open_stream(&s, "issue=two-level");
		stream_memory(&s, OP_LD_B32, SP_GLOBAL, 0, 1, -1);
		stream_line(stream_record(&s, 0, 0), 7, 15);
		for (int r = 2; r < regs; r++)
			stream_record(&s, 0, stream_insn(&s, OP_MOV_B32, r, 1, -1, -1));
		/* the last move, of what no load owes */
		begin[regs - 2] = STRAND_BEGIN | STRAND_WAIT | STRAND_LONG;
		strands(&s, begin);
		run(&s);
		ck_assert_uint_eq(issued(&s, (uint32_t)regs - 2), stream_when(s.finished, 0, 0, 0));
		ck_assert_uint_lt(issued(&s, (uint32_t)regs - 3), issued(&s, (uint32_t)regs - 2) - 20);
		begin[regs - 2] = 0;
		stream_free(&s);
	}
}
END_TEST

START_TEST(a_strand_that_has_nothing_to_wait_for_keeps_its_place)
{
	static const uint8_t begin[] = { STRAND_BEGIN | STRAND_ENTRY, STRAND_BEGIN | STRAND_WAIT | STRAND_LONG };
	struct stream s;

	open_stream(&s, "issue=two-level");
	stream_insn(&s, OP_ADD_S32, 1, 2, 2, -1);
	stream_insn(&s, OP_ADD_S32, 3, 4, 4, -1);
	stream_straight(&s, 0);
	strands(&s, begin);
	run(&s);
	ck_assert_uint_eq(issued(&s, 1), issued(&s, 0) + 1);
	ck_assert_uint_eq(s.st.suspensions, 0);
	ck_assert_uint_eq(s.st.strand_waits, 1);
	stream_free(&s);
}
END_TEST

/* ---- suspension ---- */
/* The root is on its way when the addition waits for the load: its result finds the levels given up. */
static void late_result(struct stream *s, const char *rf)
{
	open_stream(s, rf);
	stream_insn(s, OP_ADD_S32, 6, 2, 2, -1);
	stream_memory(s, OP_LD_B32, SP_GLOBAL, 1, 6, -1);
	stream_insn(s, OP_SQRT_F32, 3, 2, -1, -1);
	stream_insn(s, OP_ADD_S32, 4, 1, 1, -1);
	stream_insn(s, OP_ADD_S32, 5, 3, 6, -1);
	for (uint32_t i = 0; i < s->k->ninsn; i++) {
		struct stream_record *r = stream_record(s, 0, i);

		if (i == 1)
			stream_line(r, 9, 15);
	}
}

START_TEST(a_suspended_warp_gives_its_levels_up_and_late_results_pass_them)
{
	struct stream s;

	late_result(&s, "issue=two-level");
	run(&s);
	ck_assert_uint_eq(t.n_suspend, 1);
	ck_assert_uint_eq(s.st.suspensions, 1);
	ck_assert_uint_eq(s.st.rf_flushes, 1); /* R6; */
	/* the root, and the load, which came before the warp went on */
	ck_assert_uint_eq(s.st.rf_operand_writes, 2);
	ck_assert_uint_eq(s.st.rf_writes, 3);
	stream_free(&s);
}
END_TEST

START_TEST(levels_survive_suspension_where_flushes_are_ignored)
{
	struct stream s;

	for (unsigned i = 0; i < 2; i++) {
		late_result(&s, i ? "issue=two-level" : "issue=gto");
		s.p.rf_flush = 0;
		run(&s);
		ck_assert_uint_eq(t.n_suspend, 0);
		ck_assert_uint_eq(s.st.suspensions, i);
		ck_assert_uint_eq(s.st.rf_flushes, 0);
		stream_free(&s);
	}
}
END_TEST

/* ---- checked mode: R1 = 10 + lane; R2 = R1 + R1; R3 = R1 + R2; R4 = R3 + R1, the first in `lanes` alone the second
 * time ---- */
static uint32_t values[5][3 * LANES];

static void checked(struct stream *s, uint32_t lanes)
{
	static const uint32_t insn[5] = { 0, 1, 0, 2, 3 };

	open_stream(s, "issue=two-level");
	stream_insn(s, OP_ADD_S32, 1, 0, 0, -1);
	stream_insn(s, OP_ADD_S32, 2, 1, 1, -1);
	stream_insn(s, OP_ADD_S32, 3, 1, 2, -1);
	stream_insn(s, OP_ADD_S32, 4, 3, 1, -1);
	for (uint32_t l = 0; l < LANES; l++) {
		const uint32_t was = 10 + l, is = lanes >> l & 1 ? 50 + l : was, two = was * 2;
		const uint32_t v[5][3] = { { 7, 7, was },
					   { was, was, two },
					   { 7, 7, is },
					   { is, two, is + two },
					   { is + two, is, is * 2 + two } };

		for (unsigned i = 0; i < 5; i++)
			for (unsigned j = 0; j < 3; j++)
				values[i][j * LANES + l] = v[i][j];
	}
	for (unsigned i = 0; i < 5; i++) {
		struct stream_record *r = stream_record(s, 0, insn[i]);

		r->values = values[i];
		r->active = i == 2 ? lanes : UINT32_MAX;
	}
	s->checked = new(&s->a, struct checked_sums);
}

START_TEST(operands_of_every_level_are_compared)
{
	static const uint32_t lanes[] = { UINT32_MAX, 0xffff, 0x80000001, 1 };
	struct stream s;

	checked(&s, lanes[_i]);
	t.fill = true;
	run(&s);
	ck_assert_uint_eq(s.checked->compared, 5);
	ck_assert_uint_gt(s.checked->l0, 0);
	ck_assert_uint_gt(s.checked->l1, 0);
	/* R0, which nobody wrote */
	ck_assert_uint_eq(s.checked->l0 + s.checked->l1, s.st.rf_l0_reads + s.st.rf_l1_reads - 1);
	ck_assert_uint_eq(s.checked->overtaken, 0);
	stream_free(&s);
}
END_TEST

/* Two results push R1 down before some of its lanes are written again: both levels deliver it. */
START_TEST(lanes_of_an_operand_that_two_levels_deliver_are_compared_each)
{
	static const int wrong[] = { -1, 2, 20 }; /* a lane, above or below */
	static uint32_t of[3 * LANES];
	struct stream s;

	checked(&s, 0xffff);
	s.n[0] = 1;
	stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, 8, 9, 9, -1));
	stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, 9, 9, 9, -1));
	stream_record(&s, 0, 0)->active = 0xffff;
	s.rec[0][3].values = values[2];
	stream_record(&s, 0, 1)->values = of;
	for (unsigned l = 0; l < LANES; l++) {
		of[l] = values[2][2 * LANES + l] ^ (wrong[_i] == (int)l);
		of[LANES + l] = of[l];
	}
	if (_i == 0) {
		run(&s);
		ck_assert_uint_eq(s.st.rf_split_reads, 1);
		ck_assert_uint_eq(s.checked->compared, 1);
	} else {
		ck_assert(!stream_run(&s));
		ck_assert_msg(strstr(s.d.last, _i == 1 ? "reads R1 in lane 2 as" : "reads R1 in lane 20 as"), "%s",
			      s.d.last);
		ck_assert_msg(strstr(s.d.last, _i == 1 ? "it is in entry 0 of the L0" : "it is in physical register"),
			      "%s", s.d.last);
	}
	stream_free(&s);
}
END_TEST

START_TEST(a_level_that_delivers_a_wrong_value_is_named)
{
	struct stream s;

	checked(&s, UINT32_MAX);
	*(_i % 2 ? &t.flip : &t.lose) = _i / 2 + 1;
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, _i / 2 ? "reads R2 in lane" : "reads R1 in lane"), "%s", s.d.last);
	ck_assert_msg(strstr(s.d.last, _i / 2 ? "it is in entry 0 of the L1" : "it is in entry 0 of the L0"), "%s",
		      s.d.last);
	ck_assert_msg(strstr(s.d.last, _i % 2 ? "in lane 3 as 0x" : "in lane 0 as nothing"), "%s", s.d.last);
	stream_free(&s);
}
END_TEST

/* Called dead, R1 is dropped on its way down, and read again. */
START_TEST(a_register_that_was_not_written_back_is_found)
{
	struct stream s;

	checked(&s, UINT32_MAX);
	t.dead = _i ? 1 : -1;
	s.n[0] = 1;
	stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, 8, 9, 9, -1));
	stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, 9, 8, 8, -1));
	stream_record(&s, 0, stream_insn(&s, OP_ADD_S32, 10, 9, 9, -1));
	stream_record(&s, 0, 1)->values = values[1];
	ck_assert_int_eq(stream_run(&s), !_i);
	ck_assert_uint_eq(s.checked->compared, !_i);
	ck_assert_msg(
		!_i || (strstr(s.d.last, "reads R1 in lane 0 as 0x") && strstr(s.d.last, "it is in physical register")),
		"%s", s.d.last);
	stream_free(&s);
}
END_TEST

START_TEST(a_warp_that_waits_in_the_middle_of_a_strand_is_reported)
{
	static const uint8_t begin[] = { STRAND_BEGIN | STRAND_ENTRY, 0, STRAND_BEGIN | STRAND_MERGE, 0 };
	struct stream s;

	two_loads(&s, begin);
	run(&s); /* nobody looks */
	s.checked = new(&s.a, struct checked_sums);
	ck_assert(!stream_run(&s));
	ck_assert_msg(strstr(s.d.last, "instruction 2 `add.s32 R4, R3, R3` of SM 0 warp 0 (CTA 0, its warp 0) waits "
				       "for a long-latency result, and no "
				       "strand that waits begins there"),
		      "%s", s.d.last);
	ck_assert_uint_eq(s.d.errors, 1);
	s.p.rf_flush = 0;
	ck_assert_msg(stream_run(&s), "%s", s.d.last); /* nothing is lost */
	stream_free(&s);
}
END_TEST

/* ---- sums: stats_check() and gpu_run() look at each of these ---- */
static void mix(struct stream *s, unsigned seed)
{
	static const enum op op[] = { OP_ADD_S32, OP_FMA_F32, OP_SQRT_F32, OP_ADD_F64, OP_LD_B32 };
	uint64_t r = seed;

	for (unsigned i = 0; i < 60; i++) {
		const enum op o = op[rng_below(&r, 5)];
		int reg[4];
		uint32_t n;

		for (unsigned j = 0; j < 4; j++)
			reg[j] = (int)rng_below(&r, 8) * 2;
		n = o == OP_LD_B32 ? stream_memory(s, o, SP_GLOBAL, reg[0], reg[1], -1)
				   : stream_insn(s, o, reg[0], reg[1], reg[2], reg[3]);
		stream_record(s, 0, n)->active = rng_below(&r, 3) ? UINT32_MAX : (uint32_t)rng_next(&r);
		if (o == OP_LD_B32)
			stream_line(&s->rec[0][s->n[0] - 1], rng_below(&r, 100), 15);
	}
}

START_TEST(every_operand_comes_from_a_level_and_goes_to_one)
{
	struct stats first;
	struct stream s;

	for (unsigned i = 0; i < 8; i++) {
		open_stream(&s, i & 1 ? "issue=two-level" : "issue=two-level-rr");
		mix(&s, (unsigned)_i);
		s.p.active_warps = i < 4 ? 2 : 8;
		s.p.rf_flush = i != 7;
		s.warps = 6;
		s.ctas = 5;
		t.fill = i & 2;
		t.both = 4;
		t.all = i == 5;
		run(&s);
		first = s.st;
		s.quantum = 17;
		run(&s);
		ck_assert_mem_eq(&first, &s.st, sizeof first);
		s.max_cycles = first.cycles / 2;
		run(&s);
		stream_free(&s);
	}
}
END_TEST

Suite *suite_hierarchy(void);
Suite *suite_hierarchy(void)
{
	Suite *s = suite_create("hierarchy");
	TCase *c = tcase_create("hierarchy");

	tcase_add_test(c, operands_are_asked_for_when_the_instruction_issues);
	tcase_add_loop_test(c, upper_levels_have_three_read_ports_and_the_depth_of_a_bank, 0, 5);
	tcase_add_test(c, explanations_say_where_operands_come_from);
	tcase_add_test(c, a_hazard_of_a_level_holds_an_instruction_back);
	tcase_add_test(c, a_hazard_that_does_not_end_is_reported);
	tcase_add_test(c, a_tag_check_delays_what_follows_a_jump);
	tcase_add_test(c, a_strand_that_waits_begins_when_nothing_long_is_outstanding);
	tcase_add_test(c, strands_wait_however_many_registers_there_are);
	tcase_add_test(c, a_strand_that_has_nothing_to_wait_for_keeps_its_place);
	tcase_add_test(c, a_suspended_warp_gives_its_levels_up_and_late_results_pass_them);
	tcase_add_test(c, levels_survive_suspension_where_flushes_are_ignored);
	tcase_add_loop_test(c, operands_of_every_level_are_compared, 0, 4);
	tcase_add_loop_test(c, lanes_of_an_operand_that_two_levels_deliver_are_compared_each, 0, 3);
	tcase_add_loop_test(c, a_level_that_delivers_a_wrong_value_is_named, 0, 4);
	tcase_add_loop_test(c, a_register_that_was_not_written_back_is_found, 0, 2);
	tcase_add_test(c, a_warp_that_waits_in_the_middle_of_a_strand_is_reported);
	tcase_add_loop_test(c, every_operand_comes_from_a_level_and_goes_to_one, 0, 6);
	suite_add_tcase(s, c);
	return s;
}
