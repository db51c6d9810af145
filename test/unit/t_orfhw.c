/* Operand register files in hardware: what each place of the annotation does, who waits, what suspension drops, what is
 * refused, and what checked mode sees. */
#include "orf_bench.h"

/* r1 = ..; r2 = r1 + r3; r4 = r2 * r3 */
static void three(struct bench *b, enum orf_organisation org)
{
	bench_init(b);
	stream_insn(&b->s, OP_MOV_B32, 1, 5, -1, -1);
	stream_insn(&b->s, OP_ADD_S32, 2, 1, 3, -1);
	stream_insn(&b->s, OP_MUL_F32, 4, 2, 3, -1);
	annotate(b, org);
}

START_TEST(a_place_says_where_an_operand_goes)
{
	struct bench b;
	const struct uop *u;

	three(&b, ORG_ORF);
	result(&b, 0, 0, L1(0));
	source(&b, 1, 0, L1(0));
	source(&b, 1, 1, L1_BOTH(2));
	result(&b, 1, 0, L1_BOTH(1));
	source(&b, 2, 0, L1(1));
	source(&b, 2, 1, L1(2));
	ck_assert(make(&b, false));
	u = uop(&b, 0, 0, UINT32_MAX, NULL);
	ck_assert_uint_eq(issue(&b, u), 1);
	ck_assert_uint_eq(complete(&b, u), 0);
	ck_assert_uint_eq(b.st.rf_l1_writes, 1);
	u = uop(&b, 1, 0, UINT32_MAX, NULL);
	ck_assert_uint_eq(issue(&b, u), 2); /* r3 comes from below, and stays */
	ck_assert_uint_eq(b.st.rf_l1_reads, 1);
	b.ops->filled(b.h, u, 2);
	ck_assert_uint_eq(b.st.rf_fills, 1);
	ck_assert_uint_eq(complete(&b, u), 1);
	ck_assert_uint_eq(b.st.rf_both_writes, 1);
	ck_assert_uint_eq(b.st.rf_l1_writes, 3);
	u = uop(&b, 2, 0, UINT32_MAX, NULL);
	ck_assert_uint_eq(issue(&b, u), 0);
	ck_assert_uint_eq(complete(&b, u), 1);
	ck_assert_uint_eq(b.st.rf_l1_reads, 3);
	ck_assert_uint_eq(b.st.rf_l1_writes, 3);
	ck_assert_uint_eq(b.st.rf_l0_reads + b.st.rf_l0_writes + b.st.rf_l1_shared_reads + b.st.rf_l1_shared_writes +
				  b.st.rf_dropped_writes,
			  0);
	bench_free(&b);
}
END_TEST

/* A slot of the split LRF is that of the operand that reads it; all slots are entries of their own. */
START_TEST(an_lrf_has_one_entry_or_one_for_each_slot)
{
	static const uint32_t reads[2][3] = { { 1, 2, 2 }, { 1, 2, 0 } };
	struct bench b;
	const struct uop *u;

	for (unsigned split = 0; split < 2; split++) {
		three(&b, split ? ORG_SPLIT : ORG_LRF);
		result(&b, 0, 0, L0(0));
		source(&b, 1, 0, L0(0));
		result(&b, 1, 0, L0_BOTH(0));
		source(&b, 2, 0, L0(0));
		if (split) {
			source(&b, 1, 1, L0_BOTH(1));
			source(&b, 2, 1, L0(1));
		}
		ck_assert(make(&b, false));
		for (uint32_t i = 0; i < 3; i++) {
			uint32_t main = issue(&b, u = uop(&b, i, 1, UINT32_MAX, NULL));

			ck_assert_uint_eq(main, reads[split][i]);
			b.ops->filled(b.h, u, main);
			ck_assert_uint_eq(complete(&b, u), i != 0);
		}
		ck_assert_uint_eq(b.st.rf_l0_reads, 2 + split);
		ck_assert_uint_eq(b.st.rf_l0_writes, 2 + split);
		ck_assert_uint_eq(b.st.rf_fills, split);
		ck_assert_uint_eq(b.st.rf_both_writes, 1);
		ck_assert_uint_eq(b.st.rf_l1_reads + b.st.rf_l1_writes, 0);
		bench_free(&b);
	}
}
END_TEST

START_TEST(shared_units_are_counted_apart)
{
	struct bench b;
	const struct uop *u;

	bench_init(&b);
	stream_insn(&b.s, OP_SIN_F32, 1, 2, -1, -1);
	stream_memory(&b.s, OP_ST_B32, SP_GLOBAL, -1, 1, 3);
	annotate(&b, ORG_ORF);
	source(&b, 0, 0, L1_BOTH(1));
	result(&b, 0, 0, L1(0));
	source(&b, 1, 0, L1(0));
	ck_assert(make(&b, false));
	u = uop(&b, 0, 0, UINT32_MAX, NULL);
	issue(&b, u);
	b.ops->filled(b.h, u, 1);
	ck_assert_uint_eq(complete(&b, u), 0);
	ck_assert_uint_eq(issue(&b, uop(&b, 1, 0, UINT32_MAX, NULL)), 2);
	ck_assert_uint_eq(b.st.rf_l1_shared_reads, 1);
	ck_assert_uint_eq(b.st.rf_l1_shared_writes, 2);
	bench_free(&b);
}
END_TEST

/* Entries are names: one that is owed a value is neither read nor written. */
START_TEST(an_entry_that_is_owed_a_value_makes_others_wait)
{
	struct bench b;
	const struct uop *sine, *fill;

	bench_init(&b);
	stream_insn(&b.s, OP_SIN_F32, 1, 2, -1, -1); /* to entry 0 */
	stream_insn(&b.s, OP_MOV_B32, 3, 4, -1, -1); /* another one to entry 0, */
	stream_insn(&b.s, OP_MOV_B32, 5, 6, -1, -1); /* r6 into entry 1 on its way */
	stream_insn(&b.s, OP_MOV_B32, 7, 6, -1, -1); /* and from there */
	annotate(&b, ORG_ORF);
	result(&b, 0, 0, L1(0));
	result(&b, 1, 0, L1(0));
	source(&b, 2, 0, L1_BOTH(1));
	source(&b, 3, 0, L1(1));
	ck_assert(make(&b, false));
	sine = uop(&b, 0, 0, UINT32_MAX, NULL);
	issue(&b, sine);
	ck_assert(b.ops->hazard(b.h, uop(&b, 1, 0, UINT32_MAX, NULL)));
	ck_assert(!b.ops->hazard(b.h, uop(&b, 1, 1, UINT32_MAX, NULL))); /* another warp's */
	fill = uop(&b, 2, 0, UINT32_MAX, NULL);
	issue(&b, fill);
	ck_assert(b.ops->hazard(b.h, uop(&b, 3, 0, UINT32_MAX, NULL)));
	b.ops->filled(b.h, fill, 1);
	ck_assert(!b.ops->hazard(b.h, uop(&b, 3, 0, UINT32_MAX, NULL)));
	ck_assert(b.ops->hazard(b.h, uop(&b, 1, 0, UINT32_MAX, NULL)));
	complete(&b, sine);
	ck_assert(!b.ops->hazard(b.h, uop(&b, 1, 0, UINT32_MAX, NULL)));
	issue(&b, uop(&b, 1, 0, 0, NULL)); /* without lanes nothing comes */
	ck_assert(!b.ops->hazard(b.h, uop(&b, 1, 0, UINT32_MAX, NULL)));
	bench_free(&b);
}
END_TEST

/* A suspended warp has no entries: what was on its way to one alone is dropped, what goes to the main register file too
 * goes there. */
START_TEST(what_comes_after_suspension_is_dropped)
{
	struct bench b;
	const struct uop *alone, *both, *fill, *again;

	bench_init(&b);
	stream_insn(&b.s, OP_SIN_F32, 1, 2, -1, -1);
	stream_insn(&b.s, OP_SIN_F32, 3, 2, -1, -1);
	stream_insn(&b.s, OP_MOV_B32, 5, 6, -1, -1);
	annotate(&b, ORG_ORF);
	result(&b, 0, 0, L1(0));
	result(&b, 1, 0, L1_BOTH(1));
	source(&b, 2, 0, L1_BOTH(2));
	ck_assert(make(&b, false));
	issue(&b, alone = uop(&b, 0, 0, UINT32_MAX, NULL));
	issue(&b, both = uop(&b, 1, 0, UINT32_MAX, NULL));
	issue(&b, fill = uop(&b, 2, 0, UINT32_MAX, NULL));
	suspend(&b, 0);
	issue(&b, again = uop(&b, 0, 0, UINT32_MAX, NULL)); /* the entry is another one now */
	ck_assert_uint_eq(complete(&b, alone), 0);
	ck_assert_uint_eq(complete(&b, both), 1);
	b.ops->filled(b.h, fill, 1);
	ck_assert_uint_eq(b.st.rf_l1_writes + b.st.rf_fills + b.st.rf_both_writes, 0);
	ck_assert_uint_eq(b.st.rf_dropped_writes, 1);
	ck_assert(b.ops->hazard(b.h, uop(&b, 0, 0, UINT32_MAX, NULL)));
	complete(&b, again);
	ck_assert_uint_eq(b.st.rf_l1_writes, 1);
	bench_free(&b);
}
END_TEST

/* ---- checked mode ---- */
START_TEST(entries_carry_values_by_lane)
{
	struct bench b;
	const struct uop *u;

	three(&b, ORG_SPLIT);
	result(&b, 0, 0, L1(2));
	source(&b, 1, 0, L1(2));
	source(&b, 1, 1, L0_BOTH(1));
	source(&b, 2, 1, L0(1));
	ck_assert(make(&b, true));
	for (unsigned half = 0; half < 2; half++) { /* two sides of a branch, one after the other */
		u = uop(&b, 0, 0, half ? 0xffff0000 : 0xffff, (uint32_t[]){ 0, 100 + half });
		issue(&b, u);
		ck_assert_uint_eq(delivered(&b, u, 0, 0, LEVEL_MRF), 0);
		complete(&b, u);
	}
	u = uop(&b, 1, 0, UINT32_MAX, (uint32_t[]){ 100, 300, 400 });
	issue(&b, u);
	ck_assert_uint_eq(delivered(&b, u, 0, 0, LEVEL_L1), 100);
	ck_assert_uint_eq(delivered(&b, u, 0, 31, LEVEL_L1), 101);
	b.ops->filled(b.h, u, 2);
	complete(&b, u);
	u = uop(&b, 2, 0, UINT32_MAX, (uint32_t[]){ 400, 300, 0 });
	issue(&b, u);
	ck_assert_uint_eq(delivered(&b, u, 1, 7, LEVEL_L0), 300);
	ck_assert_uint_eq(delivered(&b, u, 0, 7, LEVEL_MRF), 0);
	suspend(&b, 0);
	issue(&b, u = uop(&b, 1, 0, UINT32_MAX, (uint32_t[]){ 100, 300, 400 }));
	ck_assert_uint_eq(delivered(&b, u, 0, 0, LEVEL_L1), checked_garbage(2, 0));
	bench_free(&b);
}
END_TEST

/* The lanes that begin a strand have lost their entries, the others not, and what comes late for an older strand is
 * garbage. */
START_TEST(entries_are_poisoned_where_a_strand_begins)
{
	struct bench b;
	const struct uop *u, *late;

	bench_init(&b);
	stream_insn(&b.s, OP_MOV_B32, 1, 5, -1, -1);
	stream_insn(&b.s, OP_SIN_F32, 2, 5, -1, -1);
	stream_insn(&b.s, OP_ADD_S32, 3, 1, 2, -1);
	stream_insn(&b.s, OP_ADD_S32, 3, 1, 2, -1);
	annotate(&b, ORG_ORF);
	strand(&b, 3, STRAND_MERGE);
	result(&b, 0, 0, L1(0));
	result(&b, 1, 0, L1(1));
	for (uint32_t i = 2; i < 4; i++) {
		source(&b, i, 0, L1(0));
		source(&b, i, 1, L1(1));
	}
	ck_assert(make(&b, true));
	issue(&b, u = uop(&b, 0, 0, UINT32_MAX, (uint32_t[]){ 0, 7 }));
	complete(&b, u);
	issue(&b, late = uop(&b, 1, 0, UINT32_MAX, (uint32_t[]){ 0, 9 }));
	u = uop(&b, 3, 0, 0xff, (uint32_t[]){ 7, 9, 0 });
	ck_assert(b.ops->hazard(b.h, u)); /* nothing is dropped at a strand's end */
	b.place[b.at[3] + 1] = PLACE_MRF;
	issue(&b, u);
	ck_assert_uint_eq(delivered(&b, u, 0, 0, LEVEL_L1), checked_garbage(0, 0));
	complete(&b, late);
	ck_assert_uint_eq(b.st.rf_dropped_writes, 0);
	u = uop(&b, 2, 0, 0xff00, (uint32_t[]){ 7, 9, 0 });
	issue(&b, u); /* lanes that are in the first one still */
	ck_assert_uint_eq(delivered(&b, u, 0, 8, LEVEL_L1), 7);
	ck_assert_uint_eq(delivered(&b, u, 1, 8, LEVEL_L1), 9);
	ck_assert_uint_eq(delivered(&b, u, 1, 0, LEVEL_L1), checked_garbage(1, 0));
	/* again: the strand has begun anew unseen */
	issue(&b, u = uop(&b, 2, 0, 0xff00, (uint32_t[]){ 7, 9, 0 }));
	ck_assert_uint_eq(delivered(&b, u, 0, 8, LEVEL_L1), checked_garbage(0, 8));
	bench_free(&b);
}
END_TEST

/* ---- in the SM ---- */
static void machine(struct bench *b, const char *rf)
{
	b->s.p.icache_sets = 0; /* every fetch hits */
	ck_assert(rf_config_parse(&b->s.rf, rf, &b->s.p, &b->s.d));
}

static void run(struct bench *b) { ck_assert_msg(stream_run(&b->s), "%s", b->s.d.last); }

static cycle issued(struct bench *b, uint32_t insn) { return stream_when(b->s.issued, 0, insn, 0); }
static cycle finished(struct bench *b, uint32_t insn) { return stream_when(b->s.finished, 0, insn, 0); }

/* r1 = ..; r2 = r1 + r3; r4 = r2 * r3: of ten operands and results the ORF serves five. */
START_TEST(a_warp_runs_with_its_places)
{
	struct bench b;

	three(&b, ORG_ORF);
	result(&b, 0, 0, L1(0));
	source(&b, 1, 0, L1(0));
	source(&b, 1, 1, L1_BOTH(2));
	result(&b, 1, 0, L1(1));
	source(&b, 2, 0, L1(1));
	source(&b, 2, 1, L1(2));
	machine(&b, "issue=two-level,hierarchy=orf");
	b.s.warps = 3;
	stream_straight(&b.s, 0);
	run(&b);
	ck_assert_uint_eq(b.s.st.operand_reads, 3 * 5);
	ck_assert_uint_eq(b.s.st.rf_operand_reads, 3 * 2);
	ck_assert_uint_eq(b.s.st.rf_reads, 3 * 2);
	ck_assert_uint_eq(b.s.st.rf_l1_reads, 3 * 3);
	ck_assert_uint_eq(b.s.st.rf_l1_writes, 3 * 3);
	ck_assert_uint_eq(b.s.st.rf_fills, 3);
	ck_assert_uint_eq(b.s.st.rf_writes, 3);
	ck_assert_uint_eq(b.s.st.strands, 3);
	ck_assert_uint_eq(b.s.st.strand_waits + b.s.st.suspensions, 0);
	bench_free(&b);
}
END_TEST

/* A short result for the entry that a longer one is owed, and a read of what a fill brings. */
START_TEST(instructions_wait_for_entries)
{
	for (unsigned same = 0; same < 2; same++) {
		struct bench b;

		bench_init(&b);
		stream_insn(&b.s, OP_SIN_F32, 1, 2, -1, -1);
		stream_insn(&b.s, OP_MOV_B32, 3, 4, -1, -1);
		stream_insn(&b.s, OP_MOV_B32, 5, 4, -1, -1);
		annotate(&b, ORG_ORF);
		result(&b, 0, 0, L1(0));
		source(&b, 1, 0, L1_BOTH(2));
		result(&b, 1, 0, L1(!same));
		source(&b, 2, 0, same ? L1(2) : PLACE_MRF);
		machine(&b, "issue=two-level,hierarchy=orf");
		stream_straight(&b.s, 0);
		run(&b);
		if (same) {
			ck_assert_uint_eq(issued(&b, 1), finished(&b, 0));
			ck_assert_uint_eq(issued(&b, 2), issued(&b, 1) + 2); /* it enters a collector, is read */
		} else {
			ck_assert_uint_lt(issued(&b, 2), finished(&b, 0));
		}
		bench_free(&b);
	}
}
END_TEST

/* A load, a sine for entry 0, which comes when the warp has been suspended, and what reads both. */
static void waiting(struct bench *b, uint8_t sine)
{
	bench_init(b);
	stream_memory(&b->s, OP_LD_B32, SP_GLOBAL, 1, 2, -1);
	stream_insn(&b->s, OP_SIN_F32, 3, 2, -1, -1);
	stream_insn(&b->s, OP_ADD_S32, 4, 1, 1, -1);
	annotate(b, ORG_ORF);
	strand(b, 2, STRAND_WAIT | STRAND_LONG);
	result(b, 1, 0, sine);
	machine(b, "issue=two-level,hierarchy=orf");
	stream_line(stream_record(&b->s, 0, 0), 9, 15);
	stream_record(&b->s, 0, 1);
	stream_record(&b->s, 0, 2);
}

START_TEST(a_warp_that_waits_has_no_entries)
{
	struct bench b;

	waiting(&b, L1(0));
	run(&b);
	ck_assert_uint_eq(b.s.st.suspensions, 1);
	ck_assert_uint_eq(b.s.st.strand_waits, 1);
	ck_assert_uint_eq(b.s.st.rf_dropped_writes, 1);
	ck_assert_uint_eq(b.s.st.rf_l1_writes, 0);
	ck_assert_uint_eq(b.s.st.rf_operand_writes, 2);
	bench_free(&b);
	waiting(&b, L1_BOTH(0));
	run(&b);
	ck_assert_uint_eq(b.s.st.rf_dropped_writes + b.s.st.rf_both_writes + b.s.st.rf_l1_writes, 0);
	ck_assert_uint_eq(b.s.st.rf_operand_writes, 3);
	bench_free(&b);
}
END_TEST

/* r1 = 5 into entry 0; a load; r4 = r3 + r1 with the loaded r3. */
static uint32_t value[3][3 * WARP_LANES];

static void across_a_wait(struct bench *b, struct checked_sums *sums, bool keeps)
{
	static const uint32_t of[3][3] = { { 7, 5 }, { 9, 8 }, { 8, 5, 13 } };

	bench_init(b);
	stream_insn(&b->s, OP_MOV_B32, 1, 6, -1, -1);
	stream_memory(&b->s, OP_LD_B32, SP_GLOBAL, 3, 2, -1);
	stream_insn(&b->s, OP_ADD_S32, 4, 3, 1, -1);
	annotate(b, ORG_ORF);
	if (!keeps)
		strand(b, 2, STRAND_WAIT | STRAND_LONG);
	b->strand.never_flush = keeps;
	b->s.p.rf_flush = !keeps;
	result(b, 0, 0, L1(0));
	source(b, 2, 1, L1(0));
	machine(b, "issue=two-level,hierarchy=orf");
	for (uint32_t i = 0; i < 3; i++) {
		struct stream_record *r = stream_record(&b->s, 0, i);

		if (i == 1)
			stream_line(r, 9, 15);
		for (unsigned o = 0; o < 3 * WARP_LANES; o++)
			value[i][o] = of[i][o / WARP_LANES];
		r->values = value[i];
	}
	*sums = (struct checked_sums){ 0 };
	b->s.checked = sums;
}

START_TEST(a_value_does_not_live_across_a_wait_unless_entries_are_kept)
{
	struct checked_sums sums;
	struct bench b;

	across_a_wait(&b, &sums, true);
	run(&b);
	ck_assert_uint_eq(sums.l1, 1);
	ck_assert_uint_eq(sums.compared, 2);
	bench_free(&b);
	across_a_wait(&b, &sums, false);
	ck_assert(!stream_run(&b.s));
	ck_assert_msg(strstr(b.s.d.last, " delivers a wrong operand ") && strstr(b.s.d.last, "reads R1 in lane 0") &&
			      strstr(b.s.d.last, "not 0x00000005; it is in entry 0 of the L1"),
		      "%s", b.s.d.last);
	bench_free(&b);
	across_a_wait(&b, &sums, false);
	result(&b, 0, 0, L1_BOTH(0));
	source(&b, 2, 1, PLACE_MRF);
	run(&b);
	ck_assert_uint_eq(sums.compared, 2);
	bench_free(&b);
}
END_TEST

/* ---- what is refused ---- */
static void refused(struct bench *b, const char *why)
{
	ck_assert(!make(b, false));
	ck_assert_msg(strstr(b->s.d.last, why), "%s", b->s.d.last);
	bench_free(b);
}

START_TEST(what_the_machine_does_not_have_is_refused)
{
	struct bench b;

	three(&b, ORG_ORF);
	b.orf.entries = 4;
	refused(&b, "the object uses 4 ORF entries a thread, and the machine has 3: annotate the PTX again with "
		    "--orf-entries=3, or --set rf_l1_entries=4");
	three(&b, ORG_ORF);
	b.orf.entries = 2;
	refused(&b, "the object uses 2 ORF entries a thread, and the machine has 3");
	three(&b, ORG_ORF);
	b.s.p.rf_flush = 0;
	refused(&b, "annotate with --orf-never-flush");
	three(&b, ORG_ORF);
	b.strand.never_flush = true;
	refused(&b, "annotate with neither --orf-never-flush nor --orf-past-barriers, or --set rf_flush=0");
	three(&b, ORG_ORF);
	b.strand.past_barriers = true;
	refused(&b, "annotate with neither --orf-never-flush nor --orf-past-barriers, or --set rf_flush=2");
	three(&b, ORG_ORF);
	b.strand.past_barriers = true;
	b.s.p.rf_flush = 2;
	ck_assert(make(&b, false));
	bench_free(&b);
	three(&b, ORG_ORF);
	b.strand.never_flush = true;
	b.s.p.rf_flush = 0;
	ck_assert(make(&b, false));
	bench_free(&b);
}
END_TEST

START_TEST(damaged_places_are_refused)
{
	struct bench b;

	three(&b, ORG_ORF);
	result(&b, 1, 0, L1(3));
	refused(&b, "the places for hierarchy=orf are damaged: instruction 1 names an entry that there is not");
	three(&b, ORG_ORF);
	source(&b, 2, 0, L0(0));
	refused(&b, "instruction 2 names an entry that there is not");
	three(&b, ORG_LRF);
	source(&b, 2, 1, L0(1));
	refused(&b, "instruction 2 names an entry that there is not");
	three(&b, ORG_SPLIT);
	source(&b, 2, 1, L0(0));
	refused(&b, "instruction 2 reads the LRF of another operand slot");
	three(&b, ORG_SPLIT);
	result(&b, 0, 0, 3);
	refused(&b, "instruction 0 names an entry that there is not");
	three(&b, ORG_SPLIT);
	b.at[3]++;
	refused(&b, "instruction 2 has other operands");
	bench_init(&b);
	stream_insn(&b.s, OP_SIN_F32, 1, 2, -1, -1);
	annotate(&b, ORG_SPLIT);
	result(&b, 0, 0, L0(2));
	refused(&b, "the places for hierarchy=split-lrf+orf are damaged: instruction 0 names the LRF, which its unit "
		    "does not reach");
}
END_TEST

Suite *suite_orfhw(void);
Suite *suite_orfhw(void)
{
	Suite *s = suite_create("orfhw");
	TCase *c = tcase_create("orfhw");

	tcase_add_test(c, a_place_says_where_an_operand_goes);
	tcase_add_test(c, an_lrf_has_one_entry_or_one_for_each_slot);
	tcase_add_test(c, shared_units_are_counted_apart);
	tcase_add_test(c, an_entry_that_is_owed_a_value_makes_others_wait);
	tcase_add_test(c, what_comes_after_suspension_is_dropped);
	tcase_add_test(c, entries_carry_values_by_lane);
	tcase_add_test(c, entries_are_poisoned_where_a_strand_begins);
	tcase_add_test(c, a_warp_runs_with_its_places);
	tcase_add_test(c, instructions_wait_for_entries);
	tcase_add_test(c, a_warp_that_waits_has_no_entries);
	tcase_add_test(c, a_value_does_not_live_across_a_wait_unless_entries_are_kept);
	tcase_add_test(c, what_the_machine_does_not_have_is_refused);
	tcase_add_test(c, damaged_places_are_refused);
	suite_add_tcase(s, c);
	return s;
}
