/* Divergence-conservative liveness: Figure 3 of the RegMutex paper, and against its oracle. */
#include "passes/pass.h"
#include "test/unit/pass_fixture.h"

#include <check.h>
#include <string.h>

static bool alive(const struct kernel *k, const char *label, uint32_t r)
{
	return bitset_has(k->dlive->alive[block_named(k, label)], r);
}

static bool lives_in(const struct kernel *k, const char *label, uint32_t r)
{
	struct live_set s = live_in(k, block_named(k, label));

	for (uint32_t x = 0; x < s.n; x++)
		if (s.reg[x] == r)
			return true;
	return false;
}

#define HEAD                                                                                                         \
	".visible .entry k(.param .u64 out)\n{\n.reg .pred %p, %q; .reg .b32 %r<8>; .reg .b64 %d;\n"                 \
	"ld.param.u64 %d, [out]; mov.u32 %r0, %tid.x; ld.global.u32 %r3, [%d]; setp.lt.u32 %p, %r0, 5; setp.lt.u32 " \
	"%q, %r0, 3;\n"

/* R1 lives between its definition and its use in s1; R2 is defined on both sides, in s1 at the end, and used where they
 * meet; R3 is defined before the branch and used in s2. */
#define FIGURE_3(uni)                                                                                                 \
	HEAD "@%p bra" uni " S2;\n"                                                                                   \
	     "S1: ld.global.u32 %r1, [%d+8]; st.global.u32 [%d+12], %r1; ld.global.u32 %r2, [%d+16]; bra.uni MEET;\n" \
	     "S2: ld.global.u32 %r2, [%d+24]; st.global.u32 [%d+20], %r3; mul.lo.u32 %r2, %r2, 3;\n"                  \
	     "MEET: st.global.u32 [%d+4], %r2; ret;\n}\n"

START_TEST(figure_3_what_one_side_needs_is_alive_on_all_until_they_meet)
{
	struct kernel *k = compile(FIGURE_3(""));
	uint32_t r1 = stored(k, 0), r3 = stored(k, 1), r2 = stored(k, 2);

	ck_assert(!lives_in(k, "S1", r2) && !lives_in(k, "S2", r2) && !lives_in(k, "S1", r3));
	ck_assert(alive(k, "S1", r2)); /* defined in a branch, used in the post-dominator */
	ck_assert(alive(k, "S2", r2));
	ck_assert(alive(k, "S1", r3)); /* defined before, used in s2 */
	ck_assert(alive(k, "S2", r3)); /* to its end */
	ck_assert(!alive(k, "S2", r1) || r1 == r2 || r1 == r3);
	for (uint32_t r = 0; r < MREG_COUNT; r++)
		ck_assert(!alive(k, "MEET", r));
	ck_assert(check_dlive(k, &diag));
	ck_assert_uint_ge(k->dlive->max_live32, k->live->max_live32);
}
END_TEST

START_TEST(a_branch_that_is_uniform_keeps_nothing_alive)
{
	struct kernel *k = compile(FIGURE_3(".uni"));

	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t r = 0; r < MREG_COUNT; r++)
			ck_assert(!bitset_has(k->dlive->alive[b], r));
	ck_assert_uint_eq(k->dlive->max_live32, k->live->max_live32);
	ck_assert(check_dlive(k, &diag));
}
END_TEST

START_TEST(a_loop_keeps_alive_what_is_read_behind_it_and_in_its_next_round)
{
	struct kernel *k = compile(
		HEAD "mov.u32 %r4, 0;\n"
		     "LOOP: ld.global.u32 %r5, [%d+4]; add.u32 %r4, %r4, %r5; setp.lt.u32 %p, %r4, %r0; @%p bra LOOP;\n"
		     "BEHIND: st.global.u32 [%d+8], %r4; st.global.u32 [%d+12], %r3; ret;\n}\n");
	uint32_t r4 = stored(k, 0), r3 = stored(k, 1);

	ck_assert(alive(k, "LOOP", r4) && alive(k, "LOOP", r3));
	ck_assert(check_dlive(k, &diag));
}
END_TEST

START_TEST(inner_sides_have_what_outer_ones_have_and_not_the_reverse)
{
	struct kernel *k = compile(HEAD "@%p bra ELSE;\n"
					"THEN: ld.global.u32 %r4, [%d+4]; @%q bra INNER;\n"
					"OUTER_REST: st.global.u32 [%d+8], %r0; bra.uni INNER_MEET;\n"
					"INNER: st.global.u32 [%d+12], %r4;\n"
					"INNER_MEET: bra.uni MEET;\n"
					"ELSE: st.global.u32 [%d+16], %r3; st.global.u32 [%d+20], %r3;\n"
					"MEET: ret;\n}\n");
	uint32_t r4 = stored(k, 1), r3 = stored(k, 2);

	ck_assert(alive(k, "OUTER_REST", r3) && alive(k, "INNER", r3) && alive(k, "THEN", r3));
	ck_assert(alive(k, "OUTER_REST", r4));
	ck_assert(!alive(k, "ELSE", r4) || r4 == r3);
	ck_assert(check_dlive(k, &diag));
}
END_TEST

START_TEST(the_oracle_finds_a_register_too_many_and_one_too_few)
{
	struct kernel *k = compile(FIGURE_3(""));
	uint64_t *set = k->dlive->alive[block_named(k, "S1")];
	uint32_t r3 = stored(k, 1);

	bitset_del(set, r3);
	ck_assert(!check_dlive(k, &diag));
	ck_assert_ptr_nonnull(strstr(diag.last, "alive there"));
	bitset_add(set, r3);
	ck_assert(check_dlive(k, &diag));
	bitset_add(set, 40);
	ck_assert(!check_dlive(k, &diag));
	ck_assert_ptr_nonnull(strstr(diag.last, "not alive there"));
}
END_TEST

Suite *suite_dlive(void);
Suite *suite_dlive(void)
{
	Suite *s = suite_create("dlive");
	TCase *t = tcase_create("dlive");

	tcase_add_checked_fixture(t, pass_setup_plain, pass_teardown);
	tcase_add_test(t, figure_3_what_one_side_needs_is_alive_on_all_until_they_meet);
	tcase_add_test(t, a_branch_that_is_uniform_keeps_nothing_alive);
	tcase_add_test(t, a_loop_keeps_alive_what_is_read_behind_it_and_in_its_next_round);
	tcase_add_test(t, inner_sides_have_what_outer_ones_have_and_not_the_reverse);
	tcase_add_test(t, the_oracle_finds_a_register_too_many_and_one_too_few);
	suite_add_tcase(s, t);
	return s;
}
