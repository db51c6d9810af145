/* Launch files as they run: the order of launches, and what is compared after the last. */
#include "test/unit/launch_env.h"

#include <math.h>
#include <unistd.h>

/* ---- the order of launches ---- */
#define THREE                                                                                                       \
	"launches:\n  - {kernel: a, grid: [1], block: [1]}\n  - {kernel: b, grid: [1], block: [1], args: [{value: " \
	"-1, type: s32}]}\n"                                                                                        \
	"  - {kernel: c, grid: [1], block: [1], args: [{value: 40, type: s32}]}\n"

/* "a b0 c0 b1 c1": each launch's kernel and round; the flag is set after launch c while rounds remain in `set`. */
static const char *order(struct env *e, struct launch_file *f, struct device *dev, unsigned set, enum launch_step *end)
{
	struct launch_cursor c = { 0 };
	const char *text = "";
	uint32_t *flag = f->nbuffer ? device_ptr(dev, f->buffer[0].address, 4) : NULL;

	while ((*end = launch_advance(f, dev, &c, &e->d)) == LAUNCH_RUN) {
		text = arena_printf(&e->a, "%s%s%u ", text, f->launch[c.launch].kernel, c.round);
		if (c.launch == 1 && flag)
			ck_assert_uint_eq(*flag, 0); /* cleared before the round */
		if (c.launch == 2 && flag)
			*flag = c.round < set;
	}
	return text;
}

START_TEST(launches_repeat_as_told)
{
	struct env e;
	struct device *dev;
	struct launch_file *f;
	enum launch_step end;

	setup(&e);
	dev = device_new(&e.d);
	f = read_text(&e, THREE);
	ck_assert_str_eq(order(&e, f, dev, 0, &end), "a0 b0 c0 ");
	ck_assert(end == LAUNCH_DONE);
	f = read_text(&e, THREE "repeats:\n  - {first: 0, rounds: 2}\n  - {first: 1, last: 2, rounds: 3}\n");
	ck_assert_str_eq(order(&e, f, dev, 0, &end), "a0 a1 b0 c0 b1 c1 b2 c2 ");
	ck_assert(end == LAUNCH_DONE);
	f = read_text(&e, "buffers:\n  - {name: more, type: u32, count: 2, fill: constant, value: 9}\n" THREE
			  "repeats:\n  - {first: 1, last: 2, while: more, max_rounds: 4}\n");
	ck_assert(launch_prepare(f, dev, &e.a, &e.d));
	ck_assert_str_eq(order(&e, f, dev, 2, &end), "a0 b0 c0 b1 c1 b2 c2 ");
	ck_assert(end == LAUNCH_DONE);
	ck_assert(((uint32_t *)device_ptr(dev, f->buffer[0].address, 8))[1] == 9);
	ck_assert_str_eq(order(&e, f, dev, 9, &end), "a0 b0 c0 b1 c1 b2 c2 b3 c3 ");
	ck_assert(end == LAUNCH_FAILED && strstr(messages(&e), "buffer more is still not 0 after 4 rounds"));
	device_free(dev);
	teardown(&e);
}
END_TEST

START_TEST(the_counter_argument_counts_rounds)
{
	struct env e;
	struct kernel *k;
	struct launch_file *f;
	int32_t out;

	setup(&e);
	k = kernel_with(&e, "u32", 64);
	f = read_text(&e, THREE "repeats:\n  - {first: 1, last: 2, rounds: 5, counter_arg: 0}\n");
	ck_assert(f);
	ck_assert(launch_params(f, 1, 0, k, &out, &e.d) && out == -1);
	ck_assert(launch_params(f, 1, 1, k, &out, &e.d) && out == 0);
	ck_assert(launch_params(f, 1, 4, k, &out, &e.d) && out == 3);
	ck_assert(launch_params(f, 2, 2, k, &out, &e.d) && out == 42);
	f->launch[2].arg[0].value.mag = INT32_MAX;
	ck_assert(!launch_params(f, 2, 1, k, &out, &e.d) && strstr(messages(&e), "does not fit"));
	teardown(&e);
}
END_TEST

/* ---- expectations ---- */
#define PAIR(type, n, tail)                                                                                   \
	"buffers:\n  - {name: got, type: " type ", count: " n "}\n  - {name: want, type: " type ", count: " n \
	"}\n" LAUNCH "expect:\n  - {buffer: got, other: want" tail "}\n"

static enum check compare(struct env *e, const char *text, const void *got, const void *want, size_t bytes,
			  struct expect_result *r)
{
	struct device *dev = device_new(&e->d);
	struct launch_file *f = read_text(e, text);
	enum check c;

	ck_assert_msg(f && launch_prepare(f, dev, &e->a, &e->d), "%s", messages(e));
	memcpy(device_ptr(dev, f->buffer[0].address, bytes), got, bytes);
	memcpy(device_ptr(dev, f->buffer[1].address, bytes), want, bytes);
	c = launch_check(f, dev, r, &e->a, &e->d);
	device_free(dev);
	return c;
}

START_TEST(floats_agree_within_their_tolerance)
{
	struct env e;
	struct expect_result r;
	float want[4] = { 100, -100, 0, 1 }, got[4] = { 100.5f, -100.5f, 0, 1 };
	float odd[4] = { NAN, INFINITY, -INFINITY, -0.0f }, other[4] = { NAN, INFINITY, INFINITY, 0.0f };
	double g[1] = { 1 + 1e-12 }, h[1] = { 1 };

	setup(&e);
	ck_assert(compare(&e, PAIR("f32", "4", ""), got, want, 16, &r) == CHECK_FAIL && r.mismatches == 2 &&
		  r.nshown == 2);
	ck_assert(r.shown[0].index == 0 && r.shown[1].index == 1 && r.largest == 0.5);
	ck_assert_str_eq(r.shown[1].got, "-100.5");
	ck_assert_str_eq(r.shown[1].expected, "-100");
	ck_assert(compare(&e, PAIR("f32", "4", ", abs: 0.5"), got, want, 16, &r) == CHECK_PASS && r.mismatches == 0);
	ck_assert(compare(&e, PAIR("f32", "4", ", abs: 0.49"), got, want, 16, &r) == CHECK_FAIL);
	ck_assert(compare(&e, PAIR("f32", "4", ", rel: 0.005"), got, want, 16, &r) == CHECK_PASS);
	ck_assert(compare(&e, PAIR("f32", "4", ", rel: 0.004, abs: 0.1"), got, want, 16, &r) == CHECK_PASS);
	ck_assert(compare(&e, PAIR("f32", "4", ", rel: 0.0049"), got, want, 16, &r) == CHECK_FAIL);
	ck_assert(compare(&e, PAIR("f32", "4", ", rel: 1e30"), odd, other, 16, &r) == CHECK_FAIL && r.mismatches == 1 &&
		  r.shown[0].index == 2);
	ck_assert(compare(&e, PAIR("f32", "4", ""), want, odd, 16, &r) == CHECK_FAIL && r.mismatches == 4);
	ck_assert(compare(&e, PAIR("f64", "1", ""), g, h, 8, &r) == CHECK_FAIL);
	ck_assert(compare(&e, PAIR("f64", "1", ", abs: 1e-11"), g, h, 8, &r) == CHECK_PASS && r.largest > 0);
	teardown(&e);
}
END_TEST

START_TEST(integers_agree_exactly_and_the_first_five_are_shown)
{
	struct env e;
	struct expect_result r;
	int8_t got[100], want[100];

	setup(&e);
	for (int i = 0; i < 100; i++)
		got[i] = want[i] = (int8_t)i;
	ck_assert(compare(&e, PAIR("s8", "100", ""), got, want, 100, &r) == CHECK_PASS && r.count == 100);
	for (int i = 10; i < 20; i++)
		got[i] = (int8_t)-i;
	ck_assert(compare(&e, PAIR("s8", "100", ""), got, want, 100, &r) == CHECK_FAIL && r.mismatches == 10);
	ck_assert(r.nshown == LAUNCH_SHOWN && r.shown[4].index == 14);
	ck_assert_str_eq(r.shown[4].got, "-14");
	ck_assert_str_eq(r.shown[4].expected, "14");
	ck_assert(compare(&e, PAIR("u8", "100", ", allow_mismatch: 0.1"), got, want, 100, &r) == CHECK_PASS &&
		  r.allowed == 10);
	ck_assert_str_eq(r.shown[4].got, "242");
	ck_assert(compare(&e, PAIR("b8", "100", ", allow_mismatch: 0.09"), got, want, 100, &r) == CHECK_FAIL &&
		  r.allowed == 9);
	ck_assert_str_eq(r.shown[4].got, "0xf2");
	teardown(&e);
}
END_TEST

START_TEST(a_dumped_buffer_is_an_expected_file)
{
	struct env e;
	char dir[] = "/tmp/t_launch.XXXXXX", path[64];
	struct device *dev;
	struct launch_file *f;
	struct expect_result r;
	struct source s = { .name = path };

	setup(&e);
	ck_assert(mkdtemp(dir));
	dev = device_new(&e.d);
	s.text = "buffers:\n  - {name: A, type: u16, count: 300, fill: random, seed: 3, high: 60000}\n" LAUNCH
		 "expect:\n  - {buffer: A, file: a.bin}\n";
	s.len = strlen(s.text);
	snprintf(path, sizeof path, "%s/l.yaml", dir);
	f = launch_read_source(&s, &e.a, &e.d);
	ck_assert(f && launch_prepare(f, dev, &e.a, &e.d));
	ck_assert(launch_check(f, dev, &r, &e.a, &e.d) == CHECK_ERROR && strstr(messages(&e), "a.bin"));
	snprintf(path, sizeof path, "%s/a.bin", dir);
	ck_assert(!launch_dump(f, dev, "B", path, &e.a, &e.d) &&
		  strstr(messages(&e), "there is no buffer 'B' to dump"));
	ck_assert(launch_dump(f, dev, "A", path, &e.a, &e.d));
	ck_assert(launch_check(f, dev, &r, &e.a, &e.d) == CHECK_PASS && r.count == 300);
	((uint16_t *)device_ptr(dev, f->buffer[0].address, 600))[299]++;
	ck_assert(launch_check(f, dev, &r, &e.a, &e.d) == CHECK_FAIL && r.mismatches == 1 && r.shown[0].index == 299);
	unlink(path);
	rmdir(dir);
	device_free(dev);
	teardown(&e);
}
END_TEST

Suite *suite_expect(void);
Suite *suite_expect(void)
{
	Suite *s = suite_create("expect");
	TCase *t = tcase_create("expect");

	tcase_add_test(t, launches_repeat_as_told);
	tcase_add_test(t, the_counter_argument_counts_rounds);
	tcase_add_test(t, floats_agree_within_their_tolerance);
	tcase_add_test(t, integers_agree_exactly_and_the_first_five_are_shown);
	tcase_add_test(t, a_dumped_buffer_is_an_expected_file);
	suite_add_tcase(s, t);
	return s;
}
