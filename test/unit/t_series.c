/* Counters per interval: rows, sums, several launches, rows added up when there are too many. */
#include "stream.h"
#include "runtime-model/explain/series.h"

static void program(struct stream *s) { stream_traffic(s, 3, 4, 50, 10); }

/* Sums the rows; each starts where the one before it ended, or at 0 of the next launch. */
static struct stats sum_rows(const struct series *s)
{
	struct stats sum;
	unsigned n;
	const struct series_row *row = series_rows(s, &n);

	stats_reset(&sum);
	for (unsigned i = 0; i < n; i++) {
		if (i && row[i].launch == row[i - 1].launch)
			ck_assert_uint_eq(row[i].from, row[i - 1].from + row[i - 1].st.cycles);
		else
			ck_assert_uint_eq(row[i].from, 0);
		stats_merge(&sum, &row[i].st);
	}
	return sum;
}

START_TEST(rows_of_all_launches_sum_to_the_counters)
{
	static const cycle interval[] = { 1, 7, 100, 1000, 100000 };
	struct stats all, sum;
	struct series *series;
	struct stream s;
	unsigned n;

	program(&s);
	series = series_new(interval[_i], &s.a);
	s.watcher = series_probe(series, NULL);
	ck_assert(stream_run(&s));
	all = s.st;
	series_rows(series, &n);
	ck_assert_uint_eq(n, (s.st.cycles + interval[_i] - 1) / interval[_i]);
	s.ctas = 20;
	ck_assert(stream_run(&s));
	stats_merge(&all, &s.st);
	sum = sum_rows(series);
	ck_assert_mem_eq(&sum, &all, sizeof sum);
	ck_assert_uint_eq(series_interval(series), interval[_i]);
	series_free(series);
	stream_free(&s);
}
END_TEST

/* Written-out launches of one SM, in which every cycle issues one instruction. */
static void play(const struct gpu_probe *p, const struct gpu_job *j, cycle cycles)
{
	struct stats st;

	stats_reset(&st);
	p->start(p->ctx, j);
	for (cycle at = p->interval; at < cycles; at += p->interval) {
		st.warp_instructions = at;
		p->sample(p->ctx, 0, at, &st);
	}
	st.warp_instructions = cycles;
	p->sample(p->ctx, 0, cycles, &st);
	st.cycles = cycles;
	p->end(p->ctx, cycles, &st);
}

START_TEST(too_many_rows_are_added_up_in_pairs)
{
	const struct series_row *row;
	struct series *series;
	struct gpu_job j;
	struct stats sum;
	struct stream s;
	unsigned n;

	stream_init(&s);
	j = (struct gpu_job){ .params = &s.p, .kernel = s.k };
	series = series_new(10, &s.a);
	play(series_probe(series, NULL), &j, 10 * SERIES_ROWS);
	series_rows(series, &n);
	ck_assert_uint_eq(n, SERIES_ROWS);
	ck_assert_uint_eq(series_interval(series), 10);
	play(series_probe(series, NULL), &j, 10 * (3 * SERIES_ROWS) + 4);
	row = series_rows(series, &n);
	ck_assert_uint_eq(series_interval(series), 80);
	ck_assert_uint_eq(n, SERIES_ROWS / 2 + 1);
	for (unsigned i = 0; i < n; i++)
		ck_assert_uint_eq(row[i].st.warp_instructions, row[i].st.cycles);
	ck_assert_uint_eq(row[SERIES_ROWS / 8].launch, 1);
	ck_assert_uint_eq(row[n - 1].st.cycles, 4);
	sum = sum_rows(series);
	ck_assert_uint_eq(sum.cycles, 40 * SERIES_ROWS + 4);
	ck_assert_uint_eq(sum.launches, 2);
	series_free(series);
	stream_free(&s);
}
END_TEST

Suite *suite_series(void);

Suite *suite_series(void)
{
	Suite *s = suite_create("series");
	TCase *t = tcase_create("series");

	tcase_add_loop_test(t, rows_of_all_launches_sum_to_the_counters, 0, 5);
	tcase_add_test(t, too_many_rows_are_added_up_in_pairs);
	suite_add_tcase(s, t);
	return s;
}
