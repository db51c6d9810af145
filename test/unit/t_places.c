/* Places of values in small banks, worked out by hand; test/prop/p_places.c has random ones. */
#include "passes/graph/places.h"
#include "passes/graph/solver.h"

#include <check.h>

Suite *suite_places(void);

#define PLACES(values, points, ...)                                                                 \
	static const uint32_t point[] = { 0, 1, 2, 3, 4, 5, 6, 7, 0 }, entries[] = { __VA_ARGS__ }; \
	struct places p = { .entries = entries,                                                     \
			    .nbank = sizeof entries / sizeof *entries,                              \
			    .npoint = points,                                                       \
			    .nvalue = values,                                                       \
			    .stay = stay,                                                           \
			    .nstay = sizeof stay / sizeof *stay,                                    \
			    .step = step,                                                           \
			    .nstep = sizeof step / sizeof *step,                                    \
			    .point = point };                                                       \
	struct places_choice c[8];                                                                  \
	__attribute__((unused)) struct places_job job = { .p = p, .choice = c };                    \
	struct arena a;                                                                             \
	arena_init(&a);                                                                             \
	for (uint32_t v = 0; v < 8; v++)                                                            \
		c[v] = (struct places_choice) { PLACES_NONE, 0, 0 }

START_TEST(short_stays_one_after_the_other_beat_a_long_one)
{
	static const struct places_step step[] = { { 0, 6, 10 }, { 0, 3, 6 }, { 3, 3, 6 } };
	static const struct places_stay stay[] = { { 0, 0, 0, 1 }, { 1, 0, 1, 1 }, { 2, 0, 2, 1 } };
	PLACES(3, 6, 1);

	ck_assert_ptr_null(places_solve(&job, 1, 10, &a));
	ck_assert_int_eq(job.method, PLACES_FLOW);
	ck_assert_int_eq(job.gain, 12);
	ck_assert_int_eq(job.bound, 12);
	ck_assert(c[0].stay == PLACES_NONE && c[1].stay == 1 && c[2].stay == 2);
	arena_free(&a);
}
END_TEST

START_TEST(a_stay_is_cut_short_where_another_gains_more)
{
	/* value 0 for two points and for six; value 1 for the last three */
	static const struct places_step step[] = { { 0, 2, 4 }, { 2, 4, 9 }, { 3, 3, 6 } };
	static const struct places_stay stay[] = { { 0, 0, 0, 2 }, { 1, 0, 2, 1 } };
	PLACES(2, 6, 1);

	ck_assert_ptr_null(places_solve(&job, 1, 10, &a));
	ck_assert_int_eq(job.gain, 10);
	ck_assert(c[0].stay == 0 && c[0].step == 0 && c[1].step == 2);
	arena_free(&a);
}
END_TEST

START_TEST(with_two_entries_both_stay)
{
	static const struct places_step step[] = { { 0, 2, 4 }, { 2, 4, 9 }, { 3, 3, 6 } };
	static const struct places_stay stay[] = { { 0, 0, 0, 2 }, { 1, 0, 2, 1 } };
	PLACES(2, 6, 2);

	ck_assert_ptr_null(places_solve(&job, 1, 10, &a));
	ck_assert_int_eq(job.method, PLACES_ALL);
	ck_assert_int_eq(job.gain, 15);
	ck_assert(c[0].step == 1 && c[0].entry != c[1].entry);
	arena_free(&a);
}
END_TEST

START_TEST(a_value_is_in_one_bank_and_leaves_the_other_to_the_next)
{
	/* 0 and 1 at the same points; both would rather be in bank 1, which 1 gains more from */
	static const struct places_step step[] = { { 0, 3, 5 }, { 0, 3, 8 }, { 0, 3, 1 }, { 0, 3, 7 } };
	static const struct places_stay stay[] = { { 0, 0, 0, 1 }, { 0, 1, 1, 1 }, { 1, 0, 2, 1 }, { 1, 1, 3, 1 } };
	PLACES(2, 3, 1, 1);

	ck_assert_ptr_null(places_solve(&job, 1, 10, &a));
	ck_assert_int_eq(job.method, PLACES_PROGRAM);
	ck_assert_int_eq(job.gain, 12);
	ck_assert_int_eq(job.bound, 12);
	ck_assert(c[0].stay == 0 && c[1].stay == 3);
	arena_free(&a);
}
END_TEST

START_TEST(a_ring_of_five_does_not_fit_two_entries_though_each_point_has_two)
{
	/* value v is at points v and v + 1 modulo 5 */
	static const struct places_step step[] = { { 0, 2, 10 }, { 1, 2, 10 }, { 2, 2, 9 },
						   { 3, 2, 10 }, { 4, 1, 9 },  { 8, 1, 10 } };
	static const struct places_stay stay[] = {
		{ 0, 0, 0, 1 }, { 1, 0, 1, 1 }, { 2, 0, 2, 1 }, { 3, 0, 3, 1 }, { 4, 0, 4, 2 }
	};
	struct stopwatch watch = stopwatch_start(10), over = stopwatch_start(0);
	struct places_clash clash;
	PLACES(5, 5, 2);

	for (uint32_t v = 0; v < 5; v++)
		c[v] = (struct places_choice){ v, stay[v].first + stay[v].n - 1, 0 };
	ck_assert(!places_colour(&p, c, &watch, &a, &clash) && clash.sure && clash.n == 5);
	ck_assert(!places_colour(&p, c, &over, &a, &clash) && !clash.sure);
	c[4].step = 4; /* not round the ring */
	ck_assert(places_colour(&p, c, &watch, &a, &clash));
	ck_assert_int_eq(places_gain(&p, c), 48);
	for (uint32_t v = 0; v < 5; v++)
		c[v].stay = PLACES_NONE;
	ck_assert_ptr_null(places_solve(&job, 1, 10, &a));
	ck_assert_int_eq(job.method, PLACES_PROGRAM);
	ck_assert_int_eq(job.gain, 48);
	ck_assert_int_eq(job.bound, 48);
	arena_free(&a);
}
END_TEST

/* Value v is at points v and v + 1 modulo 4: each meets two others, so that none can be put off until the rest is done,
 * and the entries are searched for. */
START_TEST(a_ring_of_four_fits_two_entries)
{
	static const struct places_step step[] = {
		{ 0, 2, 10 }, { 1, 2, 10 }, { 2, 2, 10 }, { 3, 1, 9 }, { 8, 1, 10 }
	};
	static const struct places_stay stay[] = { { 0, 0, 0, 1 }, { 1, 0, 1, 1 }, { 2, 0, 2, 1 }, { 3, 0, 3, 2 } };
	struct stopwatch watch = stopwatch_start(10);
	struct places_clash clash;
	PLACES(4, 4, 2);

	for (uint32_t v = 0; v < 4; v++)
		c[v] = (struct places_choice){ v, stay[v].first + stay[v].n - 1, 0 };
	ck_assert(places_colour(&p, c, &watch, &a, &clash));
	for (uint32_t v = 0; v < 4; v++)
		ck_assert_uint_ne(c[v].entry, c[(v + 1) % 4].entry);
	arena_free(&a);
}
END_TEST

START_TEST(more_at_a_point_than_entries_clash_there)
{
	static const struct places_step step[] = { { 0, 3, 1 }, { 1, 4, 1 }, { 2, 1, 1 }, { 4, 2, 1 } };
	static const struct places_stay stay[] = { { 0, 0, 0, 1 }, { 1, 0, 1, 1 }, { 2, 0, 2, 1 }, { 3, 0, 3, 1 } };
	struct stopwatch over = stopwatch_start(0);
	struct places_clash clash;
	PLACES(4, 6, 2);

	for (uint32_t v = 0; v < 4; v++)
		c[v] = (struct places_choice){ v, v, 0 };
	ck_assert(!places_colour(&p, c, &over, &a, &clash) && clash.sure && clash.n == 3);
	ck_assert(clash.value[0] == 0 && clash.value[1] == 1 && clash.value[2] == 2);
	c[2].stay = PLACES_NONE; /* intervals need no time */
	ck_assert(places_colour(&p, c, &over, &a, &clash));
	ck_assert_int_eq(places_gain(&p, c), 3);
	arena_free(&a);
}
END_TEST

/* Many values that compete, in order of their first points, of `length` points each with a gap in the middle if `gap`.
 * In arena a. */
static struct places many(uint32_t n, uint32_t length, bool gap, struct arena *a)
{
	static const uint32_t entries[] = { 3 };
	struct places_stay *stay = new_array(a, struct places_stay, n);
	struct places_step *step = new_array(a, struct places_step, n);
	uint32_t *point = new_array(a, uint32_t, (size_t)n * length);

	for (uint32_t v = 0; v < n; v++) {
		stay[v] = (struct places_stay){ v, 0, v, 1 };
		step[v] = (struct places_step){ v * length, length, 10 + v % 7 };
		for (uint32_t i = 0; i < length; i++)
			point[v * length + i] = v + i + (gap && i >= length / 2 ? 5 : 0);
	}
	return (struct places){ .entries = entries,
				.nbank = 1,
				.npoint = n + length + 5,
				.nvalue = n,
				.stay = stay,
				.nstay = n,
				.step = step,
				.nstep = n,
				.point = point };
}

START_TEST(without_time_the_choice_stays_and_has_a_bound)
{
	struct places_job job[2];
	struct arena a;

	arena_init(&a);
	for (unsigned gap = 0; gap < 2; gap++) {
		struct places_choice *c = new_array(&a, struct places_choice, 20000);

		job[gap] = (struct places_job){ .p = many(20000, 40, gap, &a), .choice = c, .bound = -1 };
		for (uint32_t v = 0; v < 20000; v++)
			c[v].stay = PLACES_NONE;
		c[7] = (struct places_choice){ 7, 7, 2 };
	}
	ck_assert_ptr_null(places_solve(job, 2, 0, &a));
	for (unsigned gap = 0; gap < 2; gap++) {
		int64_t sum = 0;

		for (uint32_t v = 0; v < 20000; v++)
			sum += 10 + v % 7;
		ck_assert_int_eq(job[gap].method, PLACES_STOPPED);
		ck_assert_int_eq(job[gap].gain, 10);
		ck_assert_int_eq(job[gap].bound, sum);
		ck_assert(job[gap].choice[7].stay == 7 && job[gap].choice[7].entry == 2 &&
			  job[gap].choice[8].stay == PLACES_NONE);
	}
	arena_free(&a);
}
END_TEST

START_TEST(without_time_the_best_is_known_where_values_do_not_compete)
{
	static const struct places_step step[] = { { 0, 2, 4 }, { 2, 4, 9 }, { 3, 3, 6 } };
	static const struct places_stay stay[] = { { 0, 0, 0, 2 }, { 1, 0, 2, 1 } };
	PLACES(2, 6, 2);

	c[0] = (struct places_choice){ 0, 1, 0 };
	c[1] = (struct places_choice){ 1, 2, 1 };
	ck_assert_ptr_null(places_solve(&job, 1, 0, &a));
	ck_assert_int_eq(job.method, PLACES_ALL);
	ck_assert(job.gain == 15 && job.bound == 15);
	arena_free(&a);
}
END_TEST

/* Up to three at a point, so that there are entries; stays with gaps, so that these are searched for. */
START_TEST(entries_of_many_stays_with_gaps_are_found)
{
	struct stopwatch watch = stopwatch_start(60);
	struct places_clash clash;
	struct places_choice *c;
	struct places p;
	struct arena a;

	arena_init(&a);
	p = many(6000, 12, true, &a);
	c = new_array(&a, struct places_choice, 6000);
	for (uint32_t v = 0; v < 6000; v++)
		c[v] = (struct places_choice){ v % 6 ? PLACES_NONE : v, v, 0 };
	ck_assert(places_colour(&p, c, &watch, &a, &clash));
	ck_assert_int_ge(places_gain(&p, c), 0);
	arena_free(&a);
}
END_TEST

START_TEST(a_choice_that_is_none_gains_nothing)
{
	static const struct places_step step[] = { { 0, 2, 4 }, { 1, 2, 4 } };
	static const struct places_stay stay[] = { { 0, 0, 0, 1 }, { 1, 0, 1, 1 } };
	PLACES(2, 3, 2);

	ck_assert_int_eq(places_gain(&p, c), 0);
	c[0] = (struct places_choice){ 0, 0, 0 };
	c[1] = (struct places_choice){ 1, 1, 1 };
	ck_assert_int_eq(places_gain(&p, c), 8);
	c[1].entry = 0; /* point 1 has value 0 there */
	ck_assert_int_eq(places_gain(&p, c), -1);
	c[1].entry = 2; /* there is none */
	ck_assert_int_eq(places_gain(&p, c), -1);
	c[1] = (struct places_choice){ 0, 0, 1 }; /* the stay of another */
	ck_assert_int_eq(places_gain(&p, c), -1);
	arena_free(&a);
}
END_TEST

START_TEST(steps_that_gain_less_are_left_out)
{
	/* gains 3, 2, 3, 5, 5 with points 0, 1, none, 2, 3; and a stay that gains nothing */
	static const struct places_step step[] = { { 0, 1, 3 }, { 1, 1, 2 }, { 2, 0, 4 },
						   { 2, 1, 5 }, { 3, 1, 5 }, { 0, 4, 0 } };
	static const struct places_stay stay[] = { { 0, 0, 0, 5 }, { 1, 0, 5, 1 } };
	uint32_t *stay_of, *step_of;
	struct places r;
	PLACES(2, 4, 1);

	r = places_reduce(&p, &a, &stay_of, &step_of);
	ck_assert_uint_eq(r.nstay, 1);
	ck_assert_uint_eq(r.nstep, 3);
	ck_assert(step_of[0] == 0 && step_of[1] == 2 && step_of[2] == 3);
	ck_assert(r.step[0].n == 1 && r.step[1].n == 1 && r.step[2].n == 1);
	ck_assert(r.step[1].gain == 4 && r.point[r.step[1].first] == 1);
	arena_free(&a);
}
END_TEST

Suite *suite_places(void)
{
	Suite *s = suite_create("places");
	TCase *t = tcase_create("places");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, short_stays_one_after_the_other_beat_a_long_one);
	tcase_add_test(t, a_stay_is_cut_short_where_another_gains_more);
	tcase_add_test(t, with_two_entries_both_stay);
	tcase_add_test(t, a_value_is_in_one_bank_and_leaves_the_other_to_the_next);
	tcase_add_test(t, a_ring_of_five_does_not_fit_two_entries_though_each_point_has_two);
	tcase_add_test(t, a_ring_of_four_fits_two_entries);
	tcase_add_test(t, more_at_a_point_than_entries_clash_there);
	tcase_add_test(t, without_time_the_choice_stays_and_has_a_bound);
	tcase_add_test(t, without_time_the_best_is_known_where_values_do_not_compete);
	tcase_add_test(t, entries_of_many_stays_with_gaps_are_found);
	tcase_add_test(t, a_choice_that_is_none_gains_nothing);
	tcase_add_test(t, steps_that_gain_less_are_left_out);
	suite_add_tcase(s, t);
	return s;
}
