/* Energies of the register-file hierarchy: each number of Tables IV and V, what lies between them, and the limits of
 * section 8. */
#include "passes/orf_energy.h"

#include <check.h>
#include <math.h>

Suite *suite_orf_energy(void);

static const struct {
	unsigned entries, warps;
	double read, write;
} table4[] = {
	{ 4, 4, 1.2, 3.8 }, { 4, 6, 1.2, 4.4 }, { 4, 8, 1.9, 6.1 }, { 6, 4, 1.2, 4.4 },  { 6, 6, 1.7, 5.4 },
	{ 6, 8, 2.2, 6.7 }, { 8, 4, 1.9, 6.1 }, { 8, 6, 2.2, 6.7 }, { 8, 8, 3.4, 10.9 },
};

static void is(struct rf_access a, double read, double write)
{
	ck_assert_double_eq_tol(a.read, read, 1e-9);
	ck_assert_double_eq_tol(a.write, write, 1e-9);
}

START_TEST(table_4_is_what_it_is)
{
	is(orf_access_energy(LEVEL_L1, table4[_i].entries, table4[_i].warps), table4[_i].read, table4[_i].write);
}
END_TEST

START_TEST(table_5_is_what_it_is)
{
	is(orf_access_energy(LEVEL_MRF, 3, 8), 8, 11);
	is(orf_access_energy(LEVEL_L0, 3, 8), 0.7, 2);
	ck_assert_double_eq_tol(orf_wire_energy(LEVEL_MRF, false), 1.9, 1e-9);
	ck_assert_double_eq_tol(orf_wire_energy(LEVEL_MRF, true), 1.9, 1e-9);
	ck_assert_double_eq_tol(orf_wire_energy(LEVEL_L1, false), 1.9 * 0.2, 1e-9);
	ck_assert_double_eq_tol(orf_wire_energy(LEVEL_L1, true), 1.9 * 0.4, 1e-9);
	ck_assert_double_eq_tol(orf_wire_energy(LEVEL_L0, false), 1.9 * 0.05, 1e-9);
}
END_TEST

START_TEST(other_sizes_lie_on_the_curve_over_entries_times_warps)
{
	is(orf_access_energy(LEVEL_L1, 1, 8), 0.7, 2);     /* as L0 */
	is(orf_access_energy(LEVEL_L1, 2, 8), 1.2, 3.8);   /* 4 x 4 */
	is(orf_access_energy(LEVEL_L1, 3, 8), 1.2, 4.4);   /* 4 x 6 */
	is(orf_access_energy(LEVEL_L1, 5, 8), 2.05, 6.4);  /* half way from 4 to 6 */
	is(orf_access_energy(LEVEL_L1, 7, 8), 2.8, 8.8);   /* half way from 6 to 8 */
	is(orf_access_energy(LEVEL_L1, 3, 4), 0.95, 2.9);  /* half way from 8 to 16 words */
	is(orf_access_energy(LEVEL_L1, 1, 4), 0.7, 2);     /* nothing smaller is known */
	is(orf_access_energy(LEVEL_L1, 5, 16), 4.6, 15.1); /* the last line goes on: 80 words */
	is(orf_access_energy(LEVEL_L0, 8, 4), 0.7, 2);
	is(orf_access_energy(LEVEL_L0, 8, 16), 1.2, 3.8);
}
END_TEST

START_TEST(but_for_6_by_6_more_never_costs_less)
{
	for (unsigned w = 1; w <= 64; w++)
		for (unsigned e = 1; e <= 8; e++) {
			struct rf_access x = orf_access_energy(LEVEL_L1, e, w);

			for (unsigned along = 0; along < 2; along++) {
				unsigned e2 = e + along, w2 = w + !along;
				struct rf_access y = orf_access_energy(LEVEL_L1, e2, w2);

				if (e2 != 6 || w2 != 6)
					ck_assert_msg(x.read <= y.read && x.write <= y.write, "%u entries, %u warps", e,
						      w);
			}
		}
}
END_TEST

START_TEST(no_other_36_entries_are_6_by_6)
{
	is(orf_access_energy(LEVEL_L1, 3, 12), 1.975, 6.25); /* a quarter of the way from 32 to 48 */
	is(orf_access_energy(LEVEL_L1, 4, 9), 1.975, 6.25);
	is(orf_access_energy(LEVEL_L1, 1, 36), 1.975, 6.25);
	is(orf_access_energy(LEVEL_L0, 3, 36), 1.975, 6.25);
	is(orf_access_energy(LEVEL_L0, 6, 6), 0.7, 2); /* one entry, whatever L1 has */
}
END_TEST

START_TEST(an_operand_is_eight_accesses_and_32_words)
{
	is(orf_operand_energy(LEVEL_MRF, 3, 8, false), 8 * 8 + 32 * 1.9, 8 * 11 + 32 * 1.9);
	is(orf_operand_energy(LEVEL_L1, 3, 8, false), 8 * 1.2 + 32 * 0.38, 8 * 4.4 + 32 * 0.38);
	is(orf_operand_energy(LEVEL_L1, 3, 8, true), 8 * 1.2 + 32 * 0.76, 8 * 4.4 + 32 * 0.76);
	is(orf_operand_energy(LEVEL_L0, 3, 8, false), 8 * 0.7 + 32 * 0.095, 8 * 2 + 32 * 0.095);
}
END_TEST

/* Section 8: an instruction reads 1.6 registers and writes 0.8 (section 7.5); access energy alone. */
static double saving(struct rf_access a)
{
	struct rf_access m = orf_access_energy(LEVEL_MRF, 0, 8);

	return 100 * (1 - (1.6 * a.read + 0.8 * a.write) / (1.6 * m.read + 0.8 * m.write));
}

START_TEST(the_limits_of_section_8_come_out)
{
	ck_assert_double_eq(round(saving(orf_access_energy(LEVEL_L0, 1, 8))), 87);
	ck_assert_double_eq(round(saving(orf_access_energy(LEVEL_L1, 5, 8))), 61);
}
END_TEST

Suite *suite_orf_energy(void)
{
	Suite *s = suite_create("orf_energy");
	TCase *t = tcase_create("tables");

	tcase_add_loop_test(t, table_4_is_what_it_is, 0, sizeof table4 / sizeof *table4);
	tcase_add_test(t, table_5_is_what_it_is);
	tcase_add_test(t, other_sizes_lie_on_the_curve_over_entries_times_warps);
	tcase_add_test(t, but_for_6_by_6_more_never_costs_less);
	tcase_add_test(t, no_other_36_entries_are_6_by_6);
	tcase_add_test(t, an_operand_is_eight_accesses_and_32_words);
	tcase_add_test(t, the_limits_of_section_8_come_out);
	suite_add_tcase(s, t);
	return s;
}
