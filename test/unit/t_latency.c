/* When results of machine code are there: who reads what as which unit, and that the table times what executes. */
#include "analyzer/sass/latency.h"

#include <check.h>

static const unsigned targets[] = { 75, 80, 86, 89, 90, 100, 103, 110, 120, 121 };
enum { TARGETS = sizeof targets / sizeof *targets };

START_TEST(arithmetic_has_a_latency_on_every_target)
{
	static const enum sass_unit units[] = { UNIT_FMA,  UNIT_IMAD,   UNIT_WIDE_LOW, UNIT_WIDE,  UNIT_INT,
						UNIT_HALF, UNIT_SELECT, UNIT_UNIFORM,  UNIT_UMOVE, UNIT_VOTE };
	const unsigned sm = targets[_i];

	for (unsigned n = 0; n < sizeof units / sizeof *units; n++) {
		ck_assert_uint_gt(sass_latency_least(sm, false, units[n]), 0);
		ck_assert_uint_ge(sass_latency_most(sm, false, units[n]), sass_latency_least(sm, false, units[n]));
	}
	ck_assert_uint_eq(sass_latency(sm, false, UNIT_FMA, UNIT_FMA), 4);
	ck_assert_uint_eq(sass_latency(sm, false, UNIT_INT, UNIT_INT), 4);
	ck_assert_uint_eq(sass_latency(sm, true, UNIT_SELECT, UNIT_GUARD), sm == 75 ? 12 : 13);
	for (unsigned to = 0; to < UNIT_COUNT; to++) /* what is queued has none */
		ck_assert_uint_eq(sass_latency(sm, false, UNIT_MEMORY, to), 0);
}
END_TEST

START_TEST(double_precision_is_queued_where_an_sm_has_little_of_it)
{
	ck_assert_int_eq(sass_queue(86, UNIT_DOUBLE), QUEUE_DOUBLE);
	ck_assert_int_eq(sass_queue(103, UNIT_DOUBLE), QUEUE_DOUBLE);
	ck_assert_int_eq(sass_queue(90, UNIT_DOUBLE), QUEUE_NONE);
	ck_assert_uint_eq(sass_latency(90, false, UNIT_DOUBLE, UNIT_DOUBLE), 8);
}
END_TEST

static const struct sass_access *access_to(const struct sass_access *x, unsigned n, uint32_t reg, bool write)
{
	for (unsigned a = 0; a < n; a++)
		if (x[a].reg == reg && x[a].write == write)
			return &x[a];
	return NULL;
}

START_TEST(halves_of_wide_products_are_there_and_needed_at_their_own_times)
{
	struct sass_access x[SASS_ACCESSES];
	const struct sass_access *a;
	struct sass_insn s;
	unsigned n;

	/* IMAD.WIDE.U32 R14, R15, .., R2, of ptxas */
	ck_assert(sass_decode(86, (struct sass_word){ 0x000000020f0e7825, 0x000fca00078e0002 }, &s));
	n = sass_accesses(&s, x);
	ck_assert_ptr_nonnull(a = access_to(x, n, 14, true));
	ck_assert_int_eq(a->unit, UNIT_WIDE_LOW);
	ck_assert_ptr_nonnull(a = access_to(x, n, 15, true));
	ck_assert_int_eq(a->unit, UNIT_WIDE);
	ck_assert_ptr_nonnull(a = access_to(x, n, 15, false));
	ck_assert_int_eq(a->unit, UNIT_WIDE);
	ck_assert_ptr_nonnull(a = access_to(x, n, 2, false));
	ck_assert_int_eq(a->unit, UNIT_WIDE_ADDEND);
	ck_assert_ptr_nonnull(a = access_to(x, n, 3, false));
	ck_assert_int_eq(a->unit, UNIT_WIDE_ADDEND_HIGH);
}
END_TEST

START_TEST(no_stall_with_the_hint_to_yield_drains)
{
	ck_assert_uint_eq(sass_stall_cycles((struct control_code){ .stall = 4 }), 4);
	ck_assert_uint_eq(sass_stall_cycles((struct control_code){ .stall = 0, .yield = 1 }), 1);
	ck_assert_uint_eq(sass_stall_cycles((struct control_code){ .stall = 0, .yield = 0 }), 45);
}
END_TEST

Suite *suite_latency(void);
Suite *suite_latency(void)
{
	Suite *s = suite_create("latency");
	TCase *t = tcase_create("table");

	tcase_add_loop_test(t, arithmetic_has_a_latency_on_every_target, 0, TARGETS);
	tcase_add_test(t, double_precision_is_queued_where_an_sm_has_little_of_it);
	tcase_add_test(t, halves_of_wide_products_are_there_and_needed_at_their_own_times);
	tcase_add_test(t, no_stall_with_the_hint_to_yield_drains);
	suite_add_tcase(s, t);
	return s;
}
