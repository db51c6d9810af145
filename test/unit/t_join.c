/* Two warps as one of 64 lanes: which rounds the records of both make, of kernels that the engine executes. The lanes
 * that must be together at an instruction follow from the source; each kernel marks the places with stores. */
#include "runtime-model/engine/feed.h"
#include "runtime-model/similar/join.h"
#include "test/unit/engine_run.h"

#include <stdlib.h>

enum { ROUNDS = 1 << 14, MARKS = 8 };

struct kit {
	struct rig r;
	struct join_code *code;
	struct join **join;
	unsigned warps, threads;
	struct joined round[ROUNDS];
	unsigned n;           /* rounds */
	unsigned records[64]; /* by warp */
	bool lost, ended[32];
	uint32_t seen[64]; /* by warp: lane executions in the records, less those in the rounds */
};

static void *cta_new(void *ctx, struct arena *a)
{
	struct kit *t = ctx;

	t->join = new_array(a, struct join *, (t->warps + 1) / 2);
	for (unsigned p = 0; 2 * p < t->warps; p++) {
		unsigned left = t->threads - 64 * p;

		t->join[p] = join_new(t->code, a);
		join_begin(t->join[p], left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX);
	}
	return t->join;
}

static void take(void *ctx, void *state, uint64_t cta, unsigned warp, const struct record *rec)
{
	struct kit *t = ctx;
	struct join *j = ((struct join **)state)[warp / 2];
	enum join_status got;

	(void)cta;
	t->records[warp]++;
	t->seen[warp] += (uint32_t)__builtin_popcount(rec->active);
	join_give(j, warp & 1, rec);
	while ((got = join_next(j, &t->round[t->n])) == JOIN_OK) {
		struct joined *x = &t->round[t->n++];

		ck_assert_uint_lt(t->n, ROUNDS);
		t->seen[warp & ~1u] -= (uint32_t)__builtin_popcount((uint32_t)x->active);
		t->seen[warp | 1] -= (uint32_t)__builtin_popcountll(x->active >> 32);
		x->value[0] = x->value[1] = NULL;
	}
	t->lost |= got == JOIN_LOST;
	t->ended[warp / 2] = got == JOIN_END;
}

static void end(void *ctx, void *state, unsigned warp)
{
	(void)ctx;
	(void)state;
	(void)warp;
}

static struct kit *run(const char *ptx, unsigned threads)
{
	struct kit *t = calloc(1, sizeof *t);
	const struct feed_reader to = { t, cta_new, take, end };
	struct stopped s;
	struct engine *e;

	rig_open(&t->r, ptx, 63);
	t->r.l.block[0] = threads;
	t->r.opt.consumers = 1;
	t->r.opt.want = WANT_PARTS;
	t->threads = threads;
	t->warps = (threads + 31) / 32;
	t->code = join_decode(t->r.k, &t->r.a);
	e = rig_engine(&t->r);
	ck_assert_msg(feed_launch(e, &to, &(struct feed_options){ 0 }, &s), "%s", t->r.d.last);
	engine_free(e);
	ck_assert(!t->lost);
	for (unsigned w = 0; w < t->warps; w++) {
		ck_assert_msg(t->ended[w / 2], "warp %u did not come to its end", w);
		ck_assert_uint_eq(t->seen[w], 0);
	}
	return t;
}

static void done(struct kit *t)
{
	rig_close(&t->r);
	free(t);
}

/* The n-th store of the kernel, in the order of the code. */
static uint32_t mark(const struct kit *t, unsigned n)
{
	for (uint32_t i = 0; i < t->r.k->ninsn; i++)
		if (op_info[t->r.k->insn[i].op].flags & OPF_STORE && n-- == 0)
			return i;
	ck_abort_msg("there are not so many stores");
	return 0;
}

/* How often it was a round of these lanes; of any. */
static unsigned times(const struct kit *t, unsigned n, uint64_t lanes)
{
	uint32_t i = mark(t, n);
	unsigned sum = 0;

	for (unsigned x = 0; x < t->n; x++)
		sum += t->round[x].insn == i && t->round[x].active == lanes;
	return sum;
}

static unsigned all_times(const struct kit *t, unsigned n)
{
	uint32_t i = mark(t, n);
	unsigned sum = 0;

	for (unsigned x = 0; x < t->n; x++)
		sum += t->round[x].insn == i && t->round[x].active;
	return sum;
}

#define LOW UINT64_C(0x00000000ffffffff)
#define HIGH UINT64_C(0xffffffff00000000)
#define BODY(text)                                                                                                  \
	PTX_MODULE("", "mov.u32 %r0, %tid.x; ld.param.u64 %d0, [out]; mul.wide.u32 %d2, %r0, 4; add.s64 %d0, %d0, " \
		       "%d2;\n" text "\nret;")

START_TEST(warps_that_do_the_same_are_one_stream)
{
	struct kit *t = run(BODY("st.global.u32 [%d0], %r0;"), 64);

	ck_assert_uint_eq(t->n, t->records[0]);
	ck_assert_uint_eq(t->n, t->records[1]);
	for (unsigned x = 0; x < t->n; x++)
		ck_assert_uint_eq(t->round[x].active, UINT64_MAX);
	done(t);
}
END_TEST

START_TEST(one_that_exits_early_leaves_the_other)
{
	struct kit *t = run(BODY("setp.ge.u32 %p0, %r0, 32; @%p0 bra END; st.global.u32 [%d0], %r0; st.global.u32 "
				 "[%d0+8], %r0; END:"),
			    64);

	ck_assert_uint_eq(times(t, 0, LOW), 1);
	ck_assert_uint_eq(times(t, 1, LOW), 1);
	ck_assert_uint_eq(all_times(t, 1), 1);
	done(t);
}
END_TEST

START_TEST(loops_of_different_length_meet_behind_the_loop)
{ /* the first warp runs the loop 3 times, the second one 7 times */
	struct kit *t = run(BODY("shr.u32 %r1, %r0, 5; mad.lo.s32 %r1, %r1, 4, 3; mov.u32 %r2, 0; LOOP: st.global.u32 "
				 "[%d0], %r2; add.s32 %r2, %r2, 1;"
				 "setp.lt.u32 %p0, %r2, %r1; @%p0 bra LOOP; st.global.u32 [%d0+4], %r2;"),
			    64);

	ck_assert_uint_eq(times(t, 0, UINT64_MAX), 3);
	ck_assert_uint_eq(times(t, 0, HIGH), 4);
	ck_assert_uint_eq(times(t, 1, UINT64_MAX), 1);
	ck_assert_uint_eq(all_times(t, 1), 1);
	done(t);
}
END_TEST

START_TEST(loops_of_each_lane_keep_the_others_waiting)
{ /* lane l of 64 runs the loop l + 1 times */
	struct kit *t = run(BODY("mov.u32 %r2, 0; LOOP: st.global.u32 [%d0], %r2; add.s32 %r2, %r2, 1; setp.le.u32 "
				 "%p0, %r2, %r0; @%p0 bra LOOP;"
				 "st.global.u32 [%d0+4], %r2;"),
			    64);

	ck_assert_uint_eq(all_times(t, 0), 64);
	for (unsigned l = 0; l < 64; l++)
		ck_assert_uint_eq(times(t, 0, UINT64_MAX << l), 1);
	ck_assert_uint_eq(times(t, 1, UINT64_MAX), 1);
	done(t);
}
END_TEST

/* The store of both sides differ in their offsets, which says where the compiler has put them. */
static unsigned store_at(const struct kit *t, int64_t offset)
{
	for (unsigned n = 0;; n++)
		if (t->r.k->insn[mark(t, n)].offset == offset)
			return n;
}

START_TEST(a_warp_that_does_not_part_joins_the_side_of_the_other_that_goes_its_way)
{ /* odd lanes of the first warp take one side; its even ones and the second warp the other */
	struct kit *t = run(BODY("and.b32 %r1, %r0, 33; setp.eq.u32 %p0, %r1, 1; @%p0 bra ODD; st.global.u32 [%d0+8], "
				 "%r0; st.global.u32 [%d0+24], %r1; bra.uni MEET;"
				 "ODD: st.global.u32 [%d0+12], %r1; st.global.u32 [%d0+28], %r1; MEET: st.global.u32 "
				 "[%d0+16], %r1;"),
			    64);

	ck_assert_uint_eq(times(t, store_at(t, 12), UINT64_C(0xaaaaaaaa)), 1);
	ck_assert_uint_eq(times(t, store_at(t, 8), HIGH | 0x55555555), 1);
	ck_assert_uint_eq(all_times(t, store_at(t, 8)), 1);
	ck_assert_uint_eq(times(t, store_at(t, 16), UINT64_MAX), 1);
	ck_assert_uint_eq(all_times(t, store_at(t, 16)), 1);
	done(t);
}
END_TEST

START_TEST(a_barrier_brings_paths_together_that_never_meet_again)
/* an early return: nothing post-dominates the branch, and the second warp waits for what is left of the first */
{
	struct kit *t = run(BODY("setp.eq.u32 %p0, %r0, 5; @%p0 bra END; st.global.u32 [%d0], %r0; bar.sync 0; "
				 "st.global.u32 [%d0+4], %r0; bar.sync 0;"
				 "st.global.u32 [%d0+8], %r0; END:"),
			    64);

	for (unsigned n = 0; n < 3; n++)
		ck_assert_uint_eq(times(t, n, UINT64_MAX & ~(uint64_t)32), 1);
	done(t);
}
END_TEST

START_TEST(a_barrier_in_both_sides_of_a_branch_is_passed_by_each_half)
{ /* each warp goes its own way and waits at its own instruction for the other */
	struct kit *t = run(BODY("setp.ge.u32 %p0, %r0, 32; @%p0 bra B; bar.sync 0; st.global.u32 [%d0+8], %r0; "
				 "bra.uni MEET; B: bar.sync 0; st.global.u32 [%d0+12], %r0;"
				 "MEET: st.global.u32 [%d0+16], %r0;"),
			    64);

	ck_assert_uint_eq(times(t, store_at(t, 8), LOW), 1);
	ck_assert_uint_eq(times(t, store_at(t, 12), HIGH), 1);
	ck_assert_uint_eq(times(t, store_at(t, 16), UINT64_MAX), 1);
	done(t);
}
END_TEST

START_TEST(lanes_that_a_shuffle_waits_for_come_to_it_in_the_wide_warp_too)
/* the first warp parts without a meeting point, its lanes wait for each other at the shuffle; the second does not
 * part */
{
	struct kit *t = run(BODY("setp.eq.u32 %p0, %r0, 40; @%p0 bra END; and.b32 %r3, %r0, 33; setp.eq.u32 %p1, %r3, "
				 "1; @%p1 bra ODD; st.global.u32 [%d0+8], %r0; bra.uni MEET;"
				 "ODD: st.global.u32 [%d0+12], %r3; setp.eq.u32 %p2, %r0, 99; @%p2 bra END; MEET: "
				 "mov.u32 %r5, 0xffffffff; setp.ge.u32 %p3, %r0, 32;"
				 "@%p3 mov.u32 %r5, 0xfffffeff; shfl.sync.idx.b32 %r4, %r0, 0, 31, %r5; st.global.u32 "
				 "[%d0+16], %r4; END:"),
			    64);

	ck_assert_uint_eq(times(t, store_at(t, 16), UINT64_MAX & ~((uint64_t)1 << 40)), 1);
	ck_assert_uint_eq(all_times(t, store_at(t, 16)), 1);
	done(t);
}
END_TEST

START_TEST(the_last_of_an_odd_number_of_warps_is_half_a_wide_one)
{
	struct kit *t = run(BODY("st.global.u32 [%d0], %r0;"), _i ? 96 : 75);

	ck_assert_uint_eq(times(t, 0, UINT64_MAX), 1);
	ck_assert_uint_eq(times(t, 0, _i ? LOW : 0x7ff), 1);
	ck_assert_uint_eq(all_times(t, 0), 2);
	done(t);
}
END_TEST

START_TEST(a_computed_branch_joins_sides_where_the_orders_of_both_halves_allow_it)
/* the first warp's lanes go to sides 0 1 2 3, in this order; the second's to the sides (lane + 2) mod 4: 2 3 0 1 */
{
	struct kit *t = run(BODY("shr.u32 %r1, %r0, 5; mad.lo.u32 %r1, %r1, 2, %r0; and.b32 %r1, %r1, 3; TABLE: "
				 ".branchtargets S0, S1, S2, S3; brx.idx %r1, TABLE;\n"
				 "S0: st.global.u32 [%d0+20], %r0; bra.uni MEET; S1: st.global.u32 [%d0+24], %r0; "
				 "bra.uni MEET; S2: st.global.u32 [%d0+28], %r0; bra.uni MEET;"
				 "S3: st.global.u32 [%d0+32], %r0; MEET: st.global.u32 [%d0+36], %r0;"),
			    64);
	uint64_t side = UINT64_C(0x1111111111111111);

	ck_assert_uint_eq(all_times(t, store_at(t, 20)), 2);
	ck_assert_uint_eq(times(t, store_at(t, 20), side & LOW), 1);
	ck_assert_uint_eq(times(t, store_at(t, 20), side << 2 & HIGH), 1);
	ck_assert_uint_eq(times(t, store_at(t, 28), (side << 2 & LOW) | (side & HIGH)), 1);
	ck_assert_uint_eq(all_times(t, store_at(t, 28)), 1);
	ck_assert_uint_eq(times(t, store_at(t, 36), UINT64_MAX), 1);
	done(t);
}
END_TEST

START_TEST(a_half_in_which_no_lane_takes_a_computed_branch_goes_on_behind_it)
{
	struct kit *t = run(BODY("setp.lt.u32 %p0, %r0, 32; and.b32 %r1, %r0, 1; TABLE: .branchtargets S0, S1; @%p0 "
				 "brx.idx %r1, TABLE; st.global.u32 [%d0+20], %r0; bra.uni MEET;"
				 "S0: st.global.u32 [%d0+24], %r0; bra.uni MEET; S1: st.global.u32 [%d0+28], %r0; "
				 "MEET: st.global.u32 [%d0+36], %r0;"),
			    64);

	ck_assert_uint_eq(times(t, store_at(t, 20), HIGH), 1);
	ck_assert_uint_eq(times(t, store_at(t, 24), 0x55555555), 1);
	ck_assert_uint_eq(times(t, store_at(t, 28), 0xaaaaaaaa), 1);
	ck_assert_uint_eq(times(t, store_at(t, 36), UINT64_MAX), 1);
	done(t);
}
END_TEST

START_TEST(a_function_is_entered_and_left_together)
{
	struct kit *t = run(PTX_MODULE(".func (.reg .u32 %o) f (.reg .u32 %i)\n{\n.reg .pred %q; setp.lt.u32 %q, %i, "
				       "40; mov.u32 %o, 3; @%q bra OUT; add.u32 %o, %i, 7;\n"
				       "mul.lo.u32 %o, %o, %i; OUT: ret;\n}\n",
				       "mov.u32 %r0, %tid.x; ld.param.u64 %d0, [out]; call (%r1), f, (%r0); "
				       "st.global.u32 [%d0+4], %r1; ret;"),
			    64);

	ck_assert_uint_eq(times(t, 0, UINT64_MAX), 1);
	done(t);
}
END_TEST

START_TEST(a_stream_of_another_kernel_is_lost)
{
	struct kit *t = run(BODY("st.global.u32 [%d0], %r0;"), 32);
	struct join *j = join_new(t->code, &t->r.a);
	struct joined x;

	join_begin(j, LOW);
	join_give(j, 0, &(struct record){ .insn = 1, .active = UINT32_MAX });
	ck_assert_int_eq(join_next(j, &x), JOIN_LOST);
	ck_assert_uint_eq(join_at(j), 0);
	join_begin(j, 1);
	join_give(j, 0, &(struct record){ .insn = 0, .active = 3 });
	ck_assert_int_eq(join_next(j, &x), JOIN_LOST);
	done(t);
}
END_TEST

Suite *suite_join(void);
Suite *suite_join(void)
{
	Suite *s = suite_create("join");
	TCase *t = tcase_create("join");

	tcase_add_test(t, warps_that_do_the_same_are_one_stream);
	tcase_add_test(t, one_that_exits_early_leaves_the_other);
	tcase_add_test(t, loops_of_different_length_meet_behind_the_loop);
	tcase_add_test(t, loops_of_each_lane_keep_the_others_waiting);
	tcase_add_test(t, a_warp_that_does_not_part_joins_the_side_of_the_other_that_goes_its_way);
	tcase_add_test(t, a_barrier_brings_paths_together_that_never_meet_again);
	tcase_add_test(t, a_barrier_in_both_sides_of_a_branch_is_passed_by_each_half);
	tcase_add_test(t, lanes_that_a_shuffle_waits_for_come_to_it_in_the_wide_warp_too);
	tcase_add_loop_test(t, the_last_of_an_odd_number_of_warps_is_half_a_wide_one, 0, 2);
	tcase_add_test(t, a_computed_branch_joins_sides_where_the_orders_of_both_halves_allow_it);
	tcase_add_test(t, a_half_in_which_no_lane_takes_a_computed_branch_goes_on_behind_it);
	tcase_add_test(t, a_function_is_entered_and_left_together);
	tcase_add_test(t, a_stream_of_another_kernel_is_lost);
	suite_add_tcase(s, t);
	return s;
}
