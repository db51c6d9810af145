/* Plans of samples, the extension of what they count, and its error. */
#include "runtime-model/gpu/sample.h"

#include <check.h>
#include <math.h>

Suite *suite_sample(void);

START_TEST(a_plan_covers_both_ends_and_a_cluster_of_each_stratum)
{
	for (uint64_t ctas = 0; ctas < 40000; ctas = ctas * 3 + 500) {
		struct sample_plan p;
		uint64_t timed = 0, behind = 0;
		struct arena a;

		arena_init(&a);
		if (!sample_plan(&p, ctas, 30, 8, SAMPLE_GAIN, &a)) {
			ck_assert_uint_lt(ctas, 2 * (8 * 6 * 30 + 120));
			arena_free(&a);
			continue;
		}
		ck_assert(p.ctas == ctas && 2 * p.timed <= ctas && p.range[0].first == 0 &&
			  p.range[9].first + p.range[9].n == ctas);
		for (unsigned i = 0; i < 10; i++) {
			ck_assert(p.range[i].first >= behind && p.range[i].before == timed);
			behind = p.range[i].first + p.range[i].n;
			timed += p.range[i].n;
		}
		ck_assert_uint_eq(timed, p.timed);
		timed = 0;
		for (uint64_t c = 0; c < ctas; c++)
			if (sample_has(&p, c))
				ck_assert_uint_eq(sample_cta(&p, timed++), c);
		ck_assert_uint_eq(timed, p.timed);
		for (unsigned m = 0; m < 16; m++)
			ck_assert_uint_eq(sample_mark_at(&p, m) -
						  (m % 2 ? sample_mark_at(&p, m - 1) : p.range[m / 2 + 1].before),
					  m % 2 ? 60 : 120);
		arena_free(&a);
	}
}
END_TEST

/* Marks of clusters that take `cycles[i]` for 1000 instructions and 500 L1 reads each, and `warm` for 99 to warm up. */
static void extend(const unsigned cycles[4], unsigned warm, struct stats *st, struct sample_estimate *e)
{
	struct sample_range range[6] = { { 0 } };
	struct sample_plan p = { .clusters = 4, .ctas = 100000, .timed = 100, .wave = 10, .range = range };
	struct stats at[8] = { { 0 } };
	struct sample_marks m = { &p, 8, at };

	for (unsigned i = 0; i < 8; i++) {
		if (!i) {
			at[i].cycles = 50;
			at[i].warp_instructions = 5;
			at[i].l1_reads = 0;
			continue;
		}
		at[i].cycles = at[i - 1].cycles + (i % 2 ? cycles[i / 2] : warm);
		at[i].warp_instructions = at[i - 1].warp_instructions + (i % 2 ? 1000 : 99);
		at[i].l1_reads = at[i - 1].l1_reads + (i % 2 ? 500 : 3);
	}
	*st = (struct stats){
		.cycles = 10000, .warp_instructions = 9000, .l1_reads = 4500, .launches = 1, .unstarted_instructions = 3
	};
	sample_extend(&m, 1009000, 777, st, e);
}

START_TEST(counters_are_extended_by_instructions)
{
	static const unsigned even[4] = { 2000, 2000, 2000, 2000 }, uneven[4] = { 1900, 2100, 2050, 1950 };
	struct sample_estimate e = { 0 };
	struct stats st;

	extend(even, 198, &st, &e);
	ck_assert(st.cycles == 10000 + 2000000 && st.l1_reads == 4500 + 500000 && st.warp_instructions == 1009000);
	ck_assert(st.thread_instructions == 777 && st.ctas == 100000 && st.launches == 1 &&
		  st.unstarted_instructions == 0);
	ck_assert(e.launches == 1 && e.timed_ctas == 100 && e.ctas == 100000 && e.error < 1e-6);
	e = (struct sample_estimate){ 0 };
	extend(uneven, 198, &st, &e);
	ck_assert(st.cycles == 10000 + 2000000);
	/* s^2 = (100^2 + 100^2 + 50^2 + 50^2) / 3, over 4 clusters, of 5000 places; t(3) = 3.182 */
	ck_assert_double_eq_tol(e.error, 3.182 * sqrt(25000.0 / 3 / 4 * (1 - 4 / 5000.0)) * 1000, 0.002 * e.error);
	extend(uneven, 198, &st, &e); /* two launches: variances add */
	ck_assert_double_eq_tol(e.error, 3.182 * sqrt(2 * 25000.0 / 3 / 4 * (1 - 4 / 5000.0)) * 1000, 0.002 * e.error);
	/* 40 cycles more or less in each warm-up: in 4 of them, and the part of it that is left in 1000 measured parts'
	 * worth */
	for (unsigned i = 0; i < 2; i++) {
		e = (struct sample_estimate){ 0 };
		extend(even, i ? 158 : 238, &st, &e);
		ck_assert_double_eq_tol(e.bias, 40 * (4 + 1000 * sqrt(0.5)), 1e-6 * e.bias);
		ck_assert_double_eq_tol(e.error, e.bias, 1e-6 * e.bias);
		extend(even, 198, &st, &e); /* another launch, without */
		ck_assert_double_eq_tol(e.bias, 40 * (4 + 1000 * sqrt(0.5)), 1e-6 * e.bias);
	}
}
END_TEST

Suite *suite_sample(void)
{
	Suite *s = suite_create("sample");
	TCase *t = tcase_create("sample");

	tcase_add_test(t, a_plan_covers_both_ends_and_a_cluster_of_each_stratum);
	tcase_add_test(t, counters_are_extended_by_instructions);
	suite_add_tcase(s, t);
	return s;
}
