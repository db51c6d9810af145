/* What is kept of the races that reuse finds, and said of them. */
#include "runtime-model/core/races.h"

#include <check.h>
#include <string.h>

static struct arena a;
static struct races r;
static struct kernel *k;

static void setup(void)
{
	struct diag d;

	arena_init(&a);
	diag_init(&d, NULL);
	memset(&r, 0, sizeof r);
	k = kernel_new(module_new(&a), "kern");
	k->m->src_name = "k.ptx";
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
	for (unsigned i = 0; i < 40; i++) {
		ir_append(k, OP_LD_B32, 1, 1);
		k->insn[i].line = module_line(k->m, module_file(k->m, "k.cu"), 10 + i, 1);
	}
	diag_free(&d);
}

static void teardown(void) { arena_free(&a); }

static void add(struct races *to, uint32_t was, uint32_t is, uint64_t cycle)
{
	races_add(to, &(struct race){ .k = k, .was = { was, 1, 7, cycle }, .is = { is, 2, 8, cycle + 5 }, .times = 1 });
}

START_TEST(a_pair_is_kept_as_it_was_first)
{
	add(&r, 1, 2, 100);
	ck_assert_str_eq(race_text(&r.race[0], &a),
			 "reuse: the load at k.cu:12 of CTA 8 warp 2 would have got in cycle 105 what the one at "
			 "k.cu:11 of CTA 7 "
			 "warp 1 loaded in cycle 100, and something was stored between them: a data race of kern");
	add(&r, 1, 2, 200);
	add(&r, 2, 1, 300);
	ck_assert_uint_eq(r.n, 2);
	ck_assert_uint_eq(races_times(&r, RACE_DATA), 3);
	ck_assert(strstr(race_text(&r.race[0], &a), "in cycle 105 ") &&
		  strstr(race_text(&r.race[0], &a), ", which happens 2 times"));
	ck_assert_ptr_null(races_more(&r, RACE_DATA, &a));
}
END_TEST

START_TEST(others_are_counted)
{
	struct races of_an_sm = { 0 };

	for (unsigned i = 0; i < RACES_KEPT + 3; i++)
		add(&of_an_sm, i, i, i);
	ck_assert_uint_eq(of_an_sm.n, RACES_KEPT);
	ck_assert_uint_eq(of_an_sm.others[RACE_DATA], 3);
	add(&r, 3, 3, 1000);
	races_merge(&r, &of_an_sm);
	ck_assert_uint_eq(r.n, RACES_KEPT);
	ck_assert_uint_eq(r.race[0].times, 2);       /* 3, 3 of both */
	ck_assert_uint_eq(r.race[0].is.cycle, 1005); /* the SM that was first to be asked */
	ck_assert_uint_eq(races_times(&r, RACE_DATA), RACES_KEPT + 4);
	/* 20, of which 2 + 7 are shown */
	ck_assert_str_eq(races_more(&r, RACE_DATA, &a), "reuse: ... and 11 more such loads");
}
END_TEST

/* What may be no race is told from races, and leaves them room. */
START_TEST(another_order_is_apart)
{
	struct race order = { .k = k, .kind = RACE_ORDER, .was = { 1, 1, 7, 10 }, .is = { 2, 2, 8, 20 }, .times = 3 };

	races_add(&r, &order);
	add(&r, 1, 2, 100);
	ck_assert_uint_eq(r.n, 2);
	ck_assert(strstr(race_text(races_first(&r, RACE_ORDER), &a), "replays them in another order") &&
		  !strstr(race_text(&r.race[0], &a), ": a data race"));
	ck_assert_uint_eq(races_first(&r, RACE_DATA)->was.cycle, 100);
	for (unsigned i = 3; i < RACES_KEPT + 1; i++) {
		order.was.insn = i;
		races_add(&r, &order);
	}
	ck_assert(r.n == RACES_KEPT && races_times(&r, RACE_ORDER) == 3 * (RACES_KEPT - 1));
	ck_assert_str_eq(races_more(&r, RACE_ORDER, &a), "reuse: ... and 21 more such loads");
	add(&r, 30, 30, 500);
	ck_assert(r.n == RACES_KEPT && r.race[RACES_KEPT - 1].is.insn == 30 &&
		  r.race[RACES_KEPT - 2].was.insn == RACES_KEPT - 1);
	ck_assert(r.others[RACE_ORDER] == 3 && r.others[RACE_DATA] == 0 && races_times(&r, RACE_DATA) == 2);
	order.was.insn = 31;
	races_add(&r, &order);
	ck_assert(r.others[RACE_ORDER] == 6 && races_times(&r, RACE_ORDER) == 3 * RACES_KEPT);
}
END_TEST

/* The same pair in two launches of a kernel is two. */
START_TEST(launches_are_apart)
{
	struct races second = { 0 };
	json_t *list;

	add(&r, 1, 1, 0);
	add(&second, 1, 1, 0);
	second.race[0].launch = 1;
	races_merge(&r, &second);
	ck_assert_uint_eq(r.n, 2);
	list = races_json(&r);
	ck_assert_uint_eq(json_array_size(list), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(list, 1), "launch")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(json_array_get(list, 0), "load"), "cta")),
			 8);
	ck_assert_str_eq(
		json_string_value(json_object_get(json_object_get(json_array_get(list, 0), "earlier"), "source")),
		"k.cu:11");
	json_decref(list);
}
END_TEST

Suite *suite_races(void);
Suite *suite_races(void)
{
	Suite *s = suite_create("races");
	TCase *t = tcase_create("races");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_pair_is_kept_as_it_was_first);
	tcase_add_test(t, others_are_counted);
	tcase_add_test(t, another_order_is_apart);
	tcase_add_test(t, launches_are_apart);
	suite_add_tcase(s, t);
	return s;
}
