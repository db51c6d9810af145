/* Where lanes of machine code meet again (passes/meet.c). A kernel is text: a letter for each instruction, blanks
 * between blocks. S0 puts lanes into barrier 0, Y0 waits for them, X0 takes lanes out, b2 is a branch of some lanes to
 * block 2, g2 of all, e an exit of some, E of all, . anything else. */
#include "test/unit/pass_fixture.h"

#define NOWHERE UINT32_MAX

Suite *suite_meet(void);

static struct kernel *k;

static struct insn *append(enum op op, uint32_t written, uint32_t read)
{
	struct insn *i = ir_append(k, op, written != NOWHERE, read != NOWHERE);

	if (written != NOWHERE)
		insn_dst(k, i)[0] = ref_reg(written);
	if (read != NOWHERE)
		insn_src(k, i)[0] = ref_reg(read);
	return i;
}

static void branch(uint32_t to, bool some)
{
	struct insn *i = ir_append(k, OP_SASS_BRANCH, 0, 1);

	insn_src(k, i)[0] = (struct ref){ .kind = REF_BLOCK, .val = to };
	if (some)
		i->guard = ref_reg(MREG_P0);
}

static void one(char what, uint32_t n)
{
	struct insn *i;

	switch (what) {
	case 'S':
		append(OP_SASS_SYNC, MREG_B0 + n, NOWHERE);
		break;
	case 'Y':
		append(OP_SASS_SYNC, NOWHERE, MREG_B0 + n);
		break;
	case 'X':
		append(OP_SASS_SYNC, MREG_B0 + n, MREG_B0 + n);
		break;
	case 'b':
	case 'g':
		branch(n, what == 'b');
		break;
	case 'e':
	case 'E':
		i = ir_append(k, OP_SASS_EXIT, 0, 0);
		if (what == 'e')
			i->guard = ref_reg(MREG_P0);
		break;
	default:
		append(OP_SASS_MOVE, 0, 1);
		break;
	}
}

/* Where the lanes that leave block b meet. */
static uint32_t meets(const char *code, uint32_t b)
{
	static const uint64_t words[64][2];
	static struct native native;

	native = (struct native){ .sm = 80, .word = words };
	for (uint32_t r = 0; r < 2; r++) {
		bitset_add(native.named, MREG_P0 + r);
		bitset_add(native.named, MREG_B0 + r);
		bitset_add(native.named, r);
	}
	k = kernel_new(module_new(&arena), "k");
	k->form = FORM_MACHINE;
	k->native = &native;
	ir_block(k, NULL);
	for (const char *c = code; *c; c++)
		if (*c == ' ') {
			ir_block(k, NULL);
		} else if (strchr("SYXbg", *c)) {
			one(*c, (uint32_t)(c[1] - '0'));
			c++;
		} else {
			one(*c, 0);
		}
	ck_assert_msg(pass_need(k, FACT_PDOM, &cx), "%s", diag.last);
	return reconvergence(k, b);
}

START_TEST(the_sides_of_a_branch_meet_behind_bsync)
{
	ck_assert_uint_eq(meets("S0b2 .g3 . Y0 .E", 0), 4);
	ck_assert_uint_eq(meets("S0b2 .g3 . Y0 .E", 1), 4);
	ck_assert_uint_eq(meets("S0b2 .g3 . Y0 .E", 3), 4);
	ck_assert_uint_eq(meets("S0b2 .g3 . Y0 .E", 4), NOWHERE);
}
END_TEST

START_TEST(without_a_barrier_they_meet_nowhere)
{
	ck_assert_uint_eq(meets("b2 .g3 . . .E", 0), NOWHERE);
	ck_assert_uint_eq(meets("b2 S0g3 . Y0 .E", 0), NOWHERE); /* parted before */
}
END_TEST

START_TEST(regions_lie_inside_each_other)
{
	const char *code = "S0b5 S1b3 . . Y1 Y0 .E"; /* 4 and 5 end with BSYNC */

	ck_assert_uint_eq(meets(code, 0), 6);
	ck_assert_uint_eq(meets("S0b6 S1b3 . . Y1 . Y0 .E", 1), 5);
	ck_assert_uint_eq(meets("S0b6 S1b3 . . Y1 . Y0 .E", 5), 7);
	ck_assert_uint_eq(meets("S0b6 S1b3 . . Y1 . Y0 .E", 0), 7);
}
END_TEST

START_TEST(lanes_that_exit_are_not_waited_for) { ck_assert_uint_eq(meets("S0b2 .e . Y0 .E", 0), 4); }
END_TEST

START_TEST(a_break_or_another_bssy_ends_what_was_known)
{
	ck_assert_uint_eq(meets("S0b2 X0 . Y0 .E", 0), NOWHERE);
	ck_assert_uint_eq(meets("S0b2 S0 . Y0 .E", 0), NOWHERE);
	ck_assert_uint_eq(meets("S0b2 S1 . Y0 .E", 0), 4);
	ck_assert_uint_eq(meets("S0b2 . Y0b1 .E", 0), NOWHERE); /* a BSYNC twice */
}
END_TEST

START_TEST(a_way_around_bsync_is_no_meeting) { ck_assert_uint_eq(meets("S0b3 .b4 . Y0 .E", 0), NOWHERE); }
END_TEST

START_TEST(lanes_leave_a_loop_together)
{
	ck_assert_uint_eq(meets("S0 .b1 Y0 .E", 1), 3);
	ck_assert_uint_eq(meets("S0 S1b3 . Y1 .b1 Y0 .E", 1), 4); /* in each iteration, */
	ck_assert_uint_eq(meets("S0 S1b3 . Y1 .b1 Y0 .E", 4), 6); /* and behind the loop */
}
END_TEST

Suite *suite_meet(void)
{
	Suite *s = suite_create("meet");
	TCase *t = tcase_create("meet");

	tcase_add_checked_fixture(t, pass_setup_plain, pass_teardown);
	tcase_add_test(t, the_sides_of_a_branch_meet_behind_bsync);
	tcase_add_test(t, without_a_barrier_they_meet_nowhere);
	tcase_add_test(t, regions_lie_inside_each_other);
	tcase_add_test(t, lanes_that_exit_are_not_waited_for);
	tcase_add_test(t, a_break_or_another_bssy_ends_what_was_known);
	tcase_add_test(t, a_way_around_bsync_is_no_meeting);
	tcase_add_test(t, lanes_leave_a_loop_together);
	suite_add_tcase(s, t);
	return s;
}
