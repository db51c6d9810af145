/* Warp liveness and release points: by hand, and against the oracles. */
#include "passes/pass.h"
#include "test/unit/pass_fixture.h"

#include <check.h>
#include <string.h>

static bool waits(const struct kernel *k, const char *label, uint32_t r)
{
	return bitset_has(k->wlive->wait[block_named(k, label)], r);
}

/* How often r is released in block b: after instructions, on entry. */
static unsigned released(const struct kernel *k, uint32_t b, uint32_t r, bool entry)
{
	const struct release *l = k->release;
	unsigned n = 0;

	if (entry) {
		for (uint32_t x = l->entry_at[b]; x < l->entry_at[b + 1]; x++)
			n += l->entry_reg[x] == r;
		return n;
	}
	for (uint32_t x = l->at[k->block[b].first]; x < l->at[k->block[b].first + k->block[b].n]; x++)
		n += l->reg[x] == r;
	return n;
}

#define HEAD                                                                                     \
	".visible .entry k(.param .u64 out)\n{\n.reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d;\n" \
	"ld.param.u64 %d, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, 7; mov.u32 %r3, 9; setp.lt.u32 %p, %r1, 5;\n"

/* Stores, in the order of the code: of r2 in one side, of r3 in the other. */
#define DIAMOND                                                                                                 \
	HEAD "@%p bra T;\nF: st.global.u32 [%d], %r2; bra J;\nT: st.global.u32 [%d+4], %r3;\nJ: st.global.u32 " \
	     "[%d+8], %r1; ret;\n}\n"

START_TEST(a_side_keeps_what_the_other_side_reads)
{
	struct kernel *k = compile(DIAMOND);
	uint32_t r2 = stored(k, 0), r3 = stored(k, 1), f = 1, t = block_named(k, "T"), j = block_named(k, "J");

	ck_assert(bitset_has(k->wlive->wait[f], r3) && !bitset_has(k->wlive->wait[f], r2));
	ck_assert(waits(k, "T", r2) && !waits(k, "T", r3));
	/* a thread is done with r2 after its store; the warp only if no lane is still to go that way, which r3's side
	 * cannot tell */
	ck_assert_uint_eq(released(k, f, r2, false), 1);
	ck_assert_uint_eq(released(k, t, r3, false), 1);
	ck_assert_uint_eq(released(k, f, r3, true) + released(k, t, r2, true), 0);
	ck_assert_uint_eq(released(k, j, r2, true) + released(k, j, r3, true), 2);
}
END_TEST

START_TEST(both_sides_keep_what_is_read_where_they_meet)
{
	/* the lanes of the side that went first wait at J with the r4 that they made; it has a register of its own */
	struct kernel *k = compile(HEAD "@%p bra T;\nF: add.u32 %r4, %r1, %r2; bra J;\nT: add.u32 %r4, %r1, %r3;\n"
					"J: st.global.u32 [%d+8], %r4; st.global.u32 [%d], %r1; st.global.u32 [%d+4], "
					"%r2; st.global.u32 [%d+12], %r3; ret;\n}\n");
	uint32_t r4 = stored(k, 0);

	ck_assert(bitset_has(k->wlive->wait[1], r4) && waits(k, "T", r4) && !waits(k, "J", r4));
	ck_assert_uint_eq(
		released(k, 1, r4, false) + released(k, 1, r4, true) + released(k, block_named(k, "T"), r4, true), 0);
	ck_assert_uint_eq(released(k, block_named(k, "J"), r4, false), 1);
}
END_TEST

START_TEST(nothing_waits_behind_a_computed_branch_with_a_barrier)
{
	/* the lanes that go to J at once stay there while the side is left at its barrier */
	struct kernel *k = compile(HEAD "and.b32 %r5, %r1, 3; B: .branchtargets T, J, S, J; brx.idx %r5, B;\nS: "
					"add.u32 %r4, %r1, 3; bar.sync 0;\n"
					"st.global.u32 [%d], %r4; bra J;\nT: bar.sync 0; st.global.u32 [%d+4], "
					"%r2;\nJ: st.global.u32 [%d+8], %r1; ret;\n}\n");
	uint32_t r4 = stored(k, 0), r2 = stored(k, 1), r1 = stored(k, 2), j = block_named(k, "J");

	ck_assert(waits(k, "T", r4) && waits(k, "S", r2));
	ck_assert(waits(k, "S", r1) && waits(k, "T", r1) && !waits(k, "J", r4) && !waits(k, "J", r2));
	ck_assert_uint_eq(released(k, j, r4, true) + released(k, j, r2, true), 2);
}
END_TEST

START_TEST(a_branch_that_says_uni_has_one_side)
{
	struct kernel *k = compile(
		HEAD "@%p bra.uni T;\nF: st.global.u32 [%d], %r2; bra J;\nT: st.global.u32 [%d+4], %r3;\nJ: ret;\n}\n");

	ck_assert(!bitset_has(k->wlive->wait[1], stored(k, 1)) && !waits(k, "T", stored(k, 0)));
	ck_assert_uint_eq(released(k, 1, stored(k, 1), true), 1);
	ck_assert_uint_eq(released(k, block_named(k, "T"), stored(k, 0), true), 1);
}
END_TEST

START_TEST(lanes_that_left_a_loop_keep_its_results)
{
	/* r2 is made anew in each round and read behind the loop: dead for a thread at the loop's start, not for those
	 * that left */
	struct kernel *k =
		compile(HEAD "L: add.u32 %r1, %r1, 1; mov.u32 %r2, %r1; setp.lt.u32 %p, %r1, 40; @%p bra L;\n"
			     "J: st.global.u32 [%d], %r2; ret;\n}\n");

	ck_assert(waits(k, "L", stored(k, 0)));
	ck_assert_uint_eq(released(k, block_named(k, "L"), stored(k, 0), true), 0);
}
END_TEST

START_TEST(a_side_that_is_left_at_a_barrier_keeps_what_it_made)
{
	/* r4 is made in one side, before a barrier where the other side's lanes overtake */
	char *body = arena_printf(
		&arena,
		".visible .entry k(.param .u64 out)\n{\n.reg .pred %%p; .reg .b32 %%r<8>; .reg .b64 %%d;\n"
		"ld.param.u64 %%d, [out]; mov.u32 %%r1, %%tid.x; setp.lt.u32 %%p, %%r1, 5; @%%p bra T;\n"
		"F: add.u32 %%r5, %%r1, 3; st.global.u32 [%%d], %%r5; %s bra J;\n"
		"T: add.u32 %%r4, %%r1, 1; %s st.global.u32 [%%d+4], %%r4;\nJ: st.global.u32 [%%d+8], %%r1; ret;\n}\n",
		_i ? "bar.sync 0;" : "", _i ? "bar.sync 0;" : "");
	struct kernel *k = compile(body);

	ck_assert_int_eq(bitset_has(k->wlive->wait[1], stored(k, 1)), _i);
	ck_assert_int_eq(waits(k, "T", stored(k, 0)), 0); /* dead at its barrier */
}
END_TEST

START_TEST(a_function_keeps_what_its_callers_lanes_read)
{
	struct kernel *k;
	uint32_t r2, f;

	cx.opt.inline_limit = 0;
	k = compile(".func (.reg .b32 %o) f(.reg .b32 %a)\n{\n.reg .pred %q;\nsetp.gt.u32 %q, %a, 8; add.u32 %o, %a, "
		    "1; @%q bra E;\n"
		    "add.u32 %o, %o, 5; ret;\nE: ret;\n}\n" HEAD
		    "@%p bra T;\nF: st.global.u32 [%d], %r2; bra J;\nT: call (%r4), f, (%r1); st.global.u32 [%d+4], "
		    "%r4;\nJ: ret;\n}\n");
	ck_assert_uint_eq(k->nproc, 2);
	r2 = stored(k, 0);
	f = k->proc[1].first;
	for (uint32_t b = f; b < k->nblock; b++)
		ck_assert_msg(bitset_has(k->wlive->wait[b], r2), "block %u of the function lets R%u go", b, r2);
	/* and lanes that returned early keep the result while the others still make theirs */
	ck_assert(bitset_has(k->wlive->wait[f + 1], stored(k, 1)));
}
END_TEST

/* Takes one register out of a waiting set, or moves a release one instruction up: an oracle must see it. */
START_TEST(the_oracles_see_a_wrong_set_and_a_wrong_release)
{
	struct kernel *k = compile(DIAMOND);
	uint32_t r2 = stored(k, 0), t = block_named(k, "T");
	struct release *l = k->release;
	uint32_t *at = (uint32_t *)l->at;

	ck_assert(check_wlive(k, &diag) && check_release(k, &diag));
	bitset_del(k->wlive->wait[t], r2);
	ck_assert(!check_wlive(k, &diag));
	ck_assert_ptr_nonnull(strstr(diag.last, "warp liveness is wrong in block"));
	bitset_add(k->wlive->wait[t], r2);
	for (uint32_t i = 1; i < k->ninsn; i++)
		if (at[i + 1] > at[i] && at[i] == at[i - 1]) {
			at[i] = at[i + 1]; /* what i released, the one before it does */
			break;
		}
	ck_assert(!check_release(k, &diag));
	ck_assert_ptr_nonnull(strstr(diag.last, "release is wrong after instruction"));
}
END_TEST

START_TEST(metadata_words_are_counted)
{
	struct kernel *k = compile(DIAMOND);
	struct release_words w = release_words(k);

	/* four blocks, of which three release after instructions, all shorter than 18; two registers on entry to J */
	ck_assert_uint_eq(w.numbers, 1);
	ck_assert_uint_le(w.flags, 4);
	ck_assert_uint_ge(w.flags, 3);
}
END_TEST

Suite *suite_release(void);
Suite *suite_release(void)
{
	Suite *s = suite_create("release");
	TCase *t = tcase_create("release");

	tcase_add_checked_fixture(t, pass_setup_plain, pass_teardown);
	tcase_add_test(t, a_side_keeps_what_the_other_side_reads);
	tcase_add_test(t, both_sides_keep_what_is_read_where_they_meet);
	tcase_add_test(t, nothing_waits_behind_a_computed_branch_with_a_barrier);
	tcase_add_test(t, a_branch_that_says_uni_has_one_side);
	tcase_add_test(t, lanes_that_left_a_loop_keep_its_results);
	tcase_add_loop_test(t, a_side_that_is_left_at_a_barrier_keeps_what_it_made, 0, 2);
	tcase_add_test(t, a_function_keeps_what_its_callers_lanes_read);
	tcase_add_test(t, the_oracles_see_a_wrong_set_and_a_wrong_release);
	tcase_add_test(t, metadata_words_are_counted);
	suite_add_tcase(s, t);
	return s;
}
