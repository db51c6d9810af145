/* The pool of ORF entries of the limit study (Gebhart et al., TOCS 2012, section 8.1): who gets how many, when they
 * come back, what it costs. */
#include "orf_bench.h"

/* Two strands: the first, of four instructions, has two values, of which r2 in entry 5 saves more, the second one, in
 * entry 7. */
static void two_strands_in(struct bench *b, unsigned pool, unsigned price, unsigned active)
{
	stream_insn(&b->s, OP_ADD_S32, 1, 8, 9, -1);
	stream_insn(&b->s, OP_ADD_S32, 2, 8, 9, -1);
	stream_insn(&b->s, OP_ADD_S32, 3, 1, 2, -1);
	stream_insn(&b->s, OP_ADD_S32, 4, 2, 3, -1);
	stream_insn(&b->s, OP_ADD_S32, 5, 8, 9, -1);
	stream_insn(&b->s, OP_ADD_S32, 6, 5, 9, -1);
	stream_insn(&b->s, OP_EXIT, -1, -1, -1, -1);
	annotate(b, ORG_ORF);
	b->ops = &orf_variable_hierarchy;
	b->orf.entries = 8;
	strand(b, 4, STRAND_MERGE);
	result(b, 0, 0, L1(0));
	result(b, 1, 0, L1(5));
	source(b, 2, 0, L1(0));
	source(b, 2, 1, L1(5));
	source(b, 3, 0, L1(5));
	result(b, 4, 0, L1(7));
	source(b, 5, 0, L1(7));
	b->s.p.orf_pool = pool;
	b->s.p.orf_price = price;
	b->s.p.active_warps = active;
	ck_assert(make(b, true));
}

static void two_strands_of(struct bench *b, unsigned pool, unsigned price, unsigned active)
{
	bench_init(b);
	two_strands_in(b, pool, price, active);
}

static void two_strands(struct bench *b, unsigned pool, unsigned price) { two_strands_of(b, pool, price, 8); }

/* Runs instructions from..to of a warp; the sources that the main register file delivers to each, in hexadecimal
 * digits. */
static uint32_t walk(struct bench *b, unsigned warp, uint32_t lanes, uint32_t from, uint32_t to)
{
	uint32_t main = 0;

	for (uint32_t i = from; i <= to; i++) {
		const struct uop *u = uop(b, i, warp, lanes, (uint32_t[]){ 1, 2, 3 });

		main = main << 4 | issue(b, u);
		complete(b, u);
	}
	return main;
}

START_TEST(strands_take_entries_of_a_pool)
{
	struct bench b;

	two_strands(&b, 3, 0);
	ck_assert_uint_eq(walk(&b, 0, UINT32_MAX, 0, 3), 0x3302); /* two entries */
	ck_assert_uint_eq(b.st.rf_l1_writes, 2);
	ck_assert_uint_eq(walk(&b, 1, UINT32_MAX, 0, 3), 0x3312); /* the last one: for r2 */
	ck_assert_uint_eq(b.st.rf_l1_writes, 3);
	ck_assert_uint_eq(walk(&b, 2, UINT32_MAX, 4, 5), 0x33); /* none */
	ck_assert_uint_eq(walk(&b, 0, UINT32_MAX, 4, 5), 0x32); /* warp 0 goes on, and needs one less */
	ck_assert_uint_eq(walk(&b, 2, UINT32_MAX, 4, 5), 0x32);
	suspend(&b, 0);
	b.ops->warp_exit(b.h, 1);
	ck_assert_uint_eq(walk(&b, 3, UINT32_MAX, 0, 3), 0x3302);
	bench_free(&b);
	two_strands(&b, 0, 0); /* 8 active warps of 3 entries: all have enough */
	for (unsigned w = 0; w < 4; w++)
		ck_assert_uint_eq(walk(&b, w, UINT32_MAX, 0, 3), 0x3302);
	bench_free(&b);
}
END_TEST

/* r1 is read once, r2 twice, r5 once: what that saves, over the instructions of the strand. */
START_TEST(an_entry_has_a_price)
{
	const struct rf_access main = orf_operand_energy(LEVEL_MRF, 3, 8, false),
			       orf = orf_operand_energy(LEVEL_L1, 3, 8, false);
	const double once = main.write - orf.write + main.read - orf.read, twice = once + main.read - orf.read;
	struct bench b;

	two_strands(&b, 0, (unsigned)(once / 4));
	ck_assert_uint_eq(walk(&b, 0, UINT32_MAX, 0, 5), 0x330232);
	bench_free(&b);
	/* too much for r1; r5's strand has three instructions */
	two_strands(&b, 0, (unsigned)(once / 4) + 1);
	ck_assert_uint_eq(walk(&b, 0, UINT32_MAX, 0, 5), 0x331232);
	bench_free(&b);
	two_strands(&b, 0, (unsigned)(twice / 4) + 1);
	ck_assert_uint_eq(walk(&b, 0, UINT32_MAX, 0, 5), 0x333333);
	bench_free(&b);
}
END_TEST

/* r8 is read from the main register file into an entry, and then once from there. */
START_TEST(what_fills_an_entry_costs_a_write)
{
	const struct rf_access main = orf_operand_energy(LEVEL_MRF, 3, 8, false),
			       orf = orf_operand_energy(LEVEL_L1, 3, 8, false);
	const double saved = main.read - orf.read - orf.write;

	ck_assert_double_gt(saved, 0);
	for (unsigned dear = 0; dear < 2; dear++) {
		const struct uop *u;
		struct bench b;

		bench_init(&b);
		stream_insn(&b.s, OP_ADD_S32, 1, 8, 9, -1);
		stream_insn(&b.s, OP_ADD_S32, 2, 8, 9, -1);
		stream_insn(&b.s, OP_EXIT, -1, -1, -1, -1);
		annotate(&b, ORG_ORF);
		b.ops = &orf_variable_hierarchy;
		b.orf.entries = 8;
		source(&b, 0, 0, L1_BOTH(4));
		source(&b, 1, 0, L1(4));
		b.s.p.orf_price = (unsigned)(saved / 3) + dear;
		b.s.p.active_warps = 8;
		ck_assert(make(&b, true));
		u = uop(&b, 0, 0, UINT32_MAX, (uint32_t[]){ 1, 2, 3 });
		ck_assert_uint_eq(issue(&b, u), 3);
		b.ops->filled(b.h, u, 3);
		complete(&b, u);
		ck_assert_uint_eq(b.st.rf_fills, !dear);
		ck_assert_uint_eq(walk(&b, 0, UINT32_MAX, 1, 1), dear ? 3 : 2);
		bench_free(&b);
	}
}
END_TEST

/* One active warp, but two schedulers, each of which has a place: two entries. */
START_TEST(the_pool_is_for_as_many_warps_as_there_are_places)
{
	struct bench b;

	bench_init(&b);
	ck_assert_uint_eq(b.s.p.schedulers, 2);
	b.s.p.rf_l1_entries = 1;
	two_strands_in(&b, 0, 0, 1);
	ck_assert_uint_eq(walk(&b, 0, UINT32_MAX, 0, 3), 0x3302);
	bench_free(&b);
}
END_TEST

/* Three active warps, three entries: one is each warp's share. */
START_TEST(what_others_need_of_their_shares_is_not_lent)
{
	struct bench b;

	two_strands_of(&b, 3, 0, 3);
	ck_assert_uint_eq(walk(&b, 0, UINT32_MAX, 0, 3), 0x3302); /* nobody else needs the second one */
	ck_assert_uint_eq(walk(&b, 1, UINT32_MAX, 0, 3), 0x3312);
	ck_assert_uint_eq(walk(&b, 2, UINT32_MAX, 0, 3), 0x3333);
	b.ops->warp_exit(b.h, 0);
	/* of the two that are free one is for warp 2, */
	ck_assert_uint_eq(walk(&b, 3, UINT32_MAX, 0, 3), 0x3312);
	ck_assert_uint_eq(walk(&b, 2, UINT32_MAX, 0, 3), 0x3312);
	bench_free(&b);
}
END_TEST

/* Warps that have ended hold nothing, though they stay until their stores are acknowledged. */
START_TEST(exits_give_entries_back)
{
	struct bench b;

	two_strands(&b, 2, 0);
	walk(&b, 0, UINT32_MAX, 0, 3);
	ck_assert_uint_eq(walk(&b, 0, 0xff, 6, 6), 0);
	ck_assert_uint_eq(walk(&b, 1, UINT32_MAX, 0, 3), 0x3333); /* other lanes go on */
	walk(&b, 0, 0xffffff00, 6, 6);
	ck_assert_uint_eq(walk(&b, 1, UINT32_MAX, 0, 3), 0x3302);
	bench_free(&b);
}
END_TEST

/* While lanes are elsewhere a warp keeps what they hold. */
START_TEST(lanes_that_are_elsewhere_keep_their_entries)
{
	struct bench b;

	two_strands(&b, 2, 0);
	walk(&b, 0, UINT32_MAX, 0, 1);
	ck_assert_uint_eq(walk(&b, 0, 0xff, 4, 5), 0x32); /* the others are inside the first strand */
	ck_assert_uint_eq(walk(&b, 1, UINT32_MAX, 0, 3), 0x3333);
	ck_assert_uint_eq(walk(&b, 0, 0xffffff00, 2, 3), 0x02);
	ck_assert_uint_eq(walk(&b, 0, UINT32_MAX, 4, 5), 0x32); /* now all of them have left it */
	ck_assert_uint_eq(walk(&b, 1, UINT32_MAX, 0, 3), 0x3312);
	bench_free(&b);
}
END_TEST

Suite *suite_orf_pool(void);
Suite *suite_orf_pool(void)
{
	Suite *s = suite_create("orf_pool");
	TCase *c = tcase_create("orf_pool");

	tcase_add_test(c, strands_take_entries_of_a_pool);
	tcase_add_test(c, the_pool_is_for_as_many_warps_as_there_are_places);
	tcase_add_test(c, an_entry_has_a_price);
	tcase_add_test(c, what_fills_an_entry_costs_a_write);
	tcase_add_test(c, what_others_need_of_their_shares_is_not_lent);
	tcase_add_test(c, exits_give_entries_back);
	tcase_add_test(c, lanes_that_are_elsewhere_keep_their_entries);
	suite_add_tcase(s, c);
	return s;
}
