/* Block frequencies: loops of which nothing is known, nests, functions, saturation. */
#include "analyzer/ptx/ptx.h"
#include "test/unit/cfg_spec.h"
#include "test/unit/pass_fixture.h"

#include <check.h>

static const struct shape {
	const char *name, *spec;
	uint64_t runs[10];
} shape[] = {
	{ "diamond", "c2 b3 f r", { 1, 1, 1, 1 } },
	{ "loop of one block", "f c1 r", { 1, 8, 1 } },
	{ "nested loops", "f f f c3 c2 c1 r", { 1, 8, 64, 512, 64, 8, 1 } },
	{ "two back edges, one loop", "f c3 c1 c1 r", { 1, 8, 8, 8, 1 } },
	{ "irreducible", "c2 f c1 r", { 1, 8, 8, 1 } },
	{ "endless loop", "c3 f b1 r", { 1, 8, 8, 1 } },
	{ "unreachable block", "b2 b2 r", { 1, 0, 1 } },
};

START_TEST(a_loop_of_which_nothing_is_known_goes_round_eight_times)
{
	struct kernel *k = spec_kernel(&arena, shape[_i].spec);

	ck_assert_msg(pass_need(k, FACT_FREQ, &cx), "%s", diag.last);
	for (uint32_t b = 0; b < k->nblock; b++)
		ck_assert_msg(k->freq->executions[b] == shape[_i].runs[b], "%s: block %u: %llu, not %llu",
			      shape[_i].name, b, (unsigned long long)k->freq->executions[b],
			      (unsigned long long)shape[_i].runs[b]);
}
END_TEST

START_TEST(loops_come_before_those_inside_them)
{
	struct kernel *k = spec_kernel(&arena, "f f f c3 c2 c1 c6 r");

	ck_assert(pass_need(k, FACT_FREQ, &cx));
	ck_assert_uint_eq(k->freq->nloop, 4);
	for (uint32_t l = 0; l < 4; l++) {
		static const uint32_t header[] = { 1, 6, 2, 3 }, outer[] = { UINT32_MAX, UINT32_MAX, 0, 2 };

		ck_assert_uint_eq(k->freq->loop[l].header, header[l]);
		ck_assert_uint_eq(k->freq->loop[l].outer, outer[l]);
		ck_assert_uint_eq(k->freq->loop[l].source, TRIPS_ASSUMED);
	}
}
END_TEST

START_TEST(a_deep_nest_stops_at_the_limit)
{
	char spec[400] = "f";
	struct kernel *k;

	for (unsigned l = 0; l < 30; l++)
		strcat(spec, " f");
	for (unsigned l = 30; l > 0; l--)
		sprintf(spec + strlen(spec), " c%u", l);
	k = spec_kernel(&arena, strcat(spec, " r"));
	ck_assert(pass_need(k, FACT_FREQ, &cx));
	ck_assert_uint_eq(k->freq->executions[30], FREQ_MAX);
	ck_assert_uint_eq(k->freq->executions[1], 8);
}
END_TEST

static struct kernel *linked(const char *text)
{
	struct source src = { "t.ptx", text, strlen(text) };
	struct module *m = ptx_parse(&src, &arena, &diag);

	ck_assert_msg(m, "%s", diag.last);
	cx.opt.inline_limit = 0;
	ck_assert_msg(pass_compile(m->kernel[0], &cx), "%s", diag.last);
	return m->kernel[0];
}

static uint64_t runs_of_function(const struct kernel *k, const char *name)
{
	for (uint32_t p = 0; p < k->nproc; p++)
		if (strcmp(k->proc[p].name, name) == 0)
			return k->freq->executions[k->proc[p].first];
	ck_abort_msg("no function %s", name);
	return 0;
}

START_TEST(a_function_is_executed_as_often_as_all_its_calls)
{
	const struct kernel *k =
		linked(".version 8.0\n.target sm_80\n.address_size 64\n"
		       ".func (.reg .u32 %o) leaf(.reg .u32 %a) { add.u32 %o, %a, 1; ret; }\n"
		       ".func (.reg .u32 %o) twice(.reg .u32 %a) { .reg .u32 %t; call (%t), leaf, (%a); call (%o), "
		       "leaf, (%t); ret; }\n"
		       ".func (.reg .u32 %o) down(.reg .u32 %a) { .reg .pred %p; .reg .u32 %t; mov.u32 %o, 0; "
		       "setp.eq.u32 %p, %a, 0; @%p ret;\n"
		       " sub.u32 %t, %a, 1; call (%o), down, (%t); call (%o), leaf, (%o); ret; }\n"
		       ".visible .entry k(.param .u64 out) { .reg .pred %p; .reg .u32 %r<9>; .reg .u64 %d;\n"
		       " ld.param.u64 %d, [out]; ld.global.u32 %r1, [%d]; ld.global.u32 %r2, [%d+4];\n"
		       "L: call (%r1), twice, (%r1); ld.global.u32 %r2, [%d+8]; setp.ne.u32 %p, %r1, %r2; @%p bra L;\n"
		       " call (%r1), leaf, (%r1); call (%r1), down, (%r1); st.global.u32 [%d], %r1; ret; }\n");

	ck_assert_uint_eq(runs_of_function(k, "twice"), 8);
	ck_assert_uint_eq(runs_of_function(k, "down"), 8); /* calls itself: a loop */
	ck_assert_uint_eq(runs_of_function(k, "leaf"), 8 * 2 + 1 + 8);
}
END_TEST

Suite *suite_freq(void);
Suite *suite_freq(void)
{
	Suite *s = suite_create("freq");
	TCase *t = tcase_create("freq");

	tcase_add_checked_fixture(t, pass_setup, pass_teardown);
	tcase_add_loop_test(t, a_loop_of_which_nothing_is_known_goes_round_eight_times, 0,
			    sizeof shape / sizeof *shape);
	tcase_add_test(t, loops_come_before_those_inside_them);
	tcase_add_test(t, a_deep_nest_stops_at_the_limit);
	tcase_add_test(t, a_function_is_executed_as_often_as_all_its_calls);
	suite_add_tcase(s, t);
	return s;
}
