/* Floating point: directed rounding of doubles against the host's own rounding modes, NaNs and special values that the
 * ISA tabulates, and the forms of PTX 1.x. Every row against MPFR: test/conform. */
#include "analyzer/base/rng.h"
#include "analyzer/ptx/ptx.h"
#include "runtime-model/engine/lane_fp.h"

#include <check.h>
#include <fenv.h>
#include <string.h>

/* Check writes a file at each of its assertions: too slow for loops of millions. */
#define MUST(cond, ...) ((cond) ? (void)0 : ck_abort_msg(__VA_ARGS__))

/* Bits, with the exponent drawn from a few, so that sums cancel and results leave the range at both ends. */
static double draw(uint64_t *seed, double near)
{
	uint64_t v = rng_next(seed), how = v & 7;

	if (how == 0)
		return f64_of(rng_next(seed));
	if (how == 1)
		return f64_of((rng_next(seed) & 0x8000000000000fff) | (v & 0x300));
	if (how == 2)
		return f64_of(bits_f64(near) ^ (v >> 8 & 0x8000000000000003));
	if (how == 3)
		return ldexp(1.0 + (double)(v >> 40) * 0x1p-52, (int)(v >> 8 & 0xff) - 128);
	return f64_of((bits_f64(near) & 0xfff0000000000000) + (v >> 4 & 0x002fffffffffffff) - 0x0010000000000000);
}

static double host(unsigned op, volatile double a, volatile double b, volatile double c, int mode)
{
	volatile double d = 0;

	fesetround(mode);
	if (op == 0)
		d = a + b;
	else if (op == 1)
		d = a - b;
	else if (op == 2)
		d = a * b;
	else if (op == 3)
		d = a / b;
	else if (op == 4)
		d = sqrt(a);
	else
		d = fma(a, b, c);
	fesetround(FE_TONEAREST);
	return d;
}

static double ours(unsigned op, double a, double b, double c, enum rounding r)
{
	if (op == 0)
		return add_f64(a, b, r);
	if (op == 1)
		return sub_f64(a, b, r);
	if (op == 2)
		return mul_f64(a, b, r);
	if (op == 3)
		return div_f64(a, b, r);
	return op == 4 ? sqrt_f64(a, r) : fma_f64(a, b, c, r);
}

START_TEST(doubles_round_in_every_direction_as_the_host_does)
{
	static const int mode[] = { FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST };
	uint64_t seed = 21;
	double a = 1;

	for (unsigned n = 0; n < 400000; n++) {
		double b, c, want, got;
		unsigned op = n % 6;

		a = draw(&seed, n % 5 ? 1 : a);
		b = draw(&seed, n % 3 ? a : 1);
		c = draw(&seed, n % 2 ? -a * b : a);
		if (n % 64 == 0)
			b = f64_of(bits_f64(-a) ^ (n & 64 ? (uint64_t)1 << 63 : 0));
		for (unsigned m = 0; m < 4; m++) {
			want = host(op, a, b, c, mode[m]);
			got = ours(op, a, b, c, (enum rounding)m);
			MUST(isnan(want) ? isnan(got) : bits_f64(got) == bits_f64(want),
			     "operation %u, mode %u of %a, %a, %a: %a, not %a", op, m, a, b, c, got, want);
		}
	}
}
END_TEST

START_TEST(floats_divide_in_every_direction_as_the_host_does)
{
	static const int mode[] = { FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST };
	uint64_t seed = 22;

	for (unsigned n = 0; n < 400000; n++) {
		volatile float a = f32_of((uint32_t)rng_next(&seed) >> (n % 3 == 0)),
			       b = f32_of((uint32_t)rng_next(&seed)), q, s;
		float got = div_f32(a, b, (enum rounding)(n % 4)), root = sqrt_f32(a, (enum rounding)(n % 4));

		fesetround(mode[n % 4]);
		q = a / b;
		s = sqrtf(a);
		fesetround(FE_TONEAREST);
		MUST(isnan(q) ? isnan(got) : bits_f32(got) == bits_f32(q), "%a / %a, mode %u: %a", (double)a, (double)b,
		     n % 4, (double)got);
		MUST(isnan(s) ? isnan(root) : bits_f32(root) == bits_f32(s), "sqrt %a, mode %u: %a", (double)a, n % 4,
		     (double)root);
	}
}
END_TEST

static const struct {
	uint64_t a, rcp, rsqrt;
} gross[] = {
	{ 0xfff0000000000000, 0x8000000000000000, 0x7fffffff00000000 },
	{ 0x8000000012345678, 0xfff0000000000000, 0xfff0000000000000 },
	{ 0x8000000000000000, 0xfff0000000000000, 0xfff0000000000000 },
	{ 0x000fffff00000000, 0x7ff0000000000000, 0x7ff0000000000000 },
	{ 0x0000000000000000, 0x7ff0000000000000, 0x7ff0000000000000 },
	{ 0x7ff0000000000000, 0, 0 },
	{ 0x7ff0000000000001, 0, 0 }, /* the low word is ignored */
	{ 0xfff8000000000000, 0x7fffffff00000000, 0x7fffffff00000000 },
	{ 0x3ff00000ffffffff, 0x3ff0000000000000, 0x3ff0000000000000 },
	{ 0x4010000000000000, 0x3fd0000000000000, 0x3fe0000000000000 },
	{ 0x7fe0000000000001, 0, 0x1ff6a09e00000000 },
	{ 0xbff0000000000000, 0xbff0000000000000, 0x7fffffff00000000 },
};

START_TEST(gross_reciprocals_are_those_of_the_tables)
{
	ck_assert_uint_eq(bits_f64(rcp_gross_f64(f64_of(gross[_i].a))), gross[_i].rcp);
	ck_assert_uint_eq(bits_f64(rsqrt_gross_f64(f64_of(gross[_i].a))), gross[_i].rsqrt);
}
END_TEST

static const struct {
	float a, b, d;
} quick[] = {
	{ 1, 0x1p126f, 0x1p-126f },
	{ 1, 0x1.000002p126f, 0 },
	{ -1, 0x1.fffffep127f, -0.0f },
	{ -0.0f, -0x1p127f, 0 },
	{ 3, INFINITY, 0 },
	{ INFINITY, 0x1p126f, INFINITY },
	{ INFINITY, 0x1p127f, NAN },
	{ NAN, 0x1p127f, NAN },
	{ 0x1p127f, -0x1p127f, -0.0f },
	{ 6, 2, 3 },
};

START_TEST(quick_division_loses_the_reciprocals_of_large_numbers)
{
	ck_assert_uint_eq(canonical_f32(div_approx_f32(quick[_i].a, quick[_i].b)), canonical_f32(quick[_i].d));
}
END_TEST

START_TEST(doubles_keep_the_payload_of_their_first_nan)
{
	double x = f64_of(0x7ff0000000000123), y = f64_of(0xfff8000000000456);

	ck_assert_uint_eq(bits_f64(nan2(x + y, x, y)), 0x7ff8000000000123);
	ck_assert_uint_eq(bits_f64(nan3(fma(1, y, x), 1, y, x)), 0xfff8000000000456);
	ck_assert_uint_eq(bits_f64(add_f64(INFINITY, -INFINITY, ROUND_UP)), 0xfff8000000000000);
	ck_assert_uint_eq(bits_f64(add_f64(1, x, ROUND_ZERO)), 0x7ff8000000000123);
}
END_TEST

/* ---- PTX 1.x ---- */
static const struct {
	const char *head, *insn, *ir;
} old[] = {
	{ ".version 1.3\n.target sm_13\n", "div.f32 f1, f2, f3;", "div.approx.ftz.f32 f1, f2, f3" },
	{ ".version 1.3\n.target sm_13\n", "div.f64 g1, g2, g1;", "div.rn.f64 g1, g2, g1" },
	{ ".version 1.2\n.target sm_20\n", "rcp.f32 f1, f2;", "rcp.approx.ftz.f32 f1, f2" },
	{ ".version 1.2\n.target sm_20\n", "rsqrt.f64 g1, g2;", "rsqrt.approx.f64 g1, g2" },
	{ ".version 1.0\n.target sm_10\n", "sin.f32 f1, f2;", "sin.approx.ftz.f32 f1, f2" },
	{ ".version 1.4\n.target sm_12\n", "mad.f32 f1, f2, f3, f1;", "fma.rn.ftz.f32 f1, f2, f3, f1" },
	{ ".version 4.0\n.target sm_13\n", "mad.sat.f32 f1, f2, f3, f1;", "fma.rn.ftz.sat.f32 f1, f2, f3, f1" },
	{ ".version 3.1\n.target sm_20\n", "mad.f32 f1, f2, f3, f1;", "fma.rn.f32 f1, f2, f3, f1" },
	{ ".version 1.3\n.target sm_13\n", "mad.f64 g1, g2, g1, g2;", "fma.rn.f64 g1, g2, g1, g2" },
	{ ".version 1.4\n.target sm_13\n", "add.f32 f1, f2, f3;", "add.ftz.f32 f1, f2, f3" },
	{ ".version 1.4\n.target sm_13\n", "set.lt.u32.f32 r1, f2, f3;", "setp.lt.ftz.f32 %v3, f2, f3" },
	{ ".version 1.4\n.target sm_10, map_f64_to_f32\n", "set.lt.u32.f64 r1, g2, g3;",
	  "setp.lt.ftz.f32 %v3, g2, g3" },
	{ ".version 1.4\n.target sm_13\n", "set.lt.u32.f64 r1, g2, g3;", "setp.lt.f64 %v3, g2, g3" },
	{ ".version 1.4\n.target sm_13\n", "add.f64 g1, g2, g1;", "add.f64 g1, g2, g1" },
	{ ".version 1.4\n.target sm_13\n", "cvt.f64.f32 g1, f1;", "cvt.f64.f32 g1, f1" },
	{ ".version 1.5\n.target sm_13\n", "cvt.f64.f32 g1, f1;", "cvt.ftz.f64.f32 g1, f1" },
	{ ".version 1.4\n.target sm_13\n", "cvt.rn.f32.f64 f1, g1;", "cvt.rn.ftz.f32.f64 f1, g1" },
	{ ".version 1.4\n.target sm_10, map_f64_to_f32\n", "add.f64 g1, g2, 0d3FF8000000000000;",
	  "add.ftz.f32 g1, g2, 0f3FC00000" },
	{ ".version 1.3\n.target sm_10, map_f64_to_f32\n", "div.f64 g1, g2, g1;", "div.rn.ftz.f32 g1, g2, g1" },
	{ ".version 1.4\n.target sm_10, map_f64_to_f32\n", "mad.rn.f64 g1, g2, g1, g1;",
	  "fma.rn.ftz.f32 g1, g2, g1, g1" },
	{ ".version 1.4\n.target sm_10, map_f64_to_f32\n", "cvt.f64.f32 g1, f1;", "cvt.ftz.f32.f32 g1, f1" },
	{ ".version 1.4\n.target sm_10, map_f64_to_f32\n", "cvt.rn.f32.f64 f1, g1;", "cvt.ftz.f32.f32 f1, g1" },
	{ ".version 1.4\n.target sm_20, map_f64_to_f32\n", "cvt.rn.sat.f32.f64 f1, g1;", "cvt.sat.f32.f32 f1, g1" },
	{ ".version 1.4\n.target sm_20, map_f64_to_f32\n", "cvt.f64.s32 g1, r1;", "cvt.rn.f32.s32 g1, r1" },
	{ ".version 1.4\n.target sm_20, map_f64_to_f32\n", "cvt.rzi.s32.f64 r1, g1;", "cvt.rzi.s32.f32 r1, g1" },
	{ ".version 1.4\n.target sm_20, map_f64_to_f32\n", "cvt.rpi.f64.f64 g1, g2;", "cvt.rpi.f32.f32 g1, g2" },
	{ ".version 1.4\n.target sm_20, map_f64_to_f32\n", "ld.global.f64 g1, [r1+8];", "ld.global.f32 g1, [r1+0x8]" },
	{ ".version 1.4\n.target sm_20, map_f64_to_f32\n", "mov.f64 g1, 2.5;", "mov.f32 g1, 0f40200000" },
	{ ".version 8.8\n.target sm_100\n", "min.f32 f1, f2, f3, f1;", "min.3.f32 f1, f2, f3, f1" },
	{ ".version 8.8\n.target sm_100\n", "max.ftz.abs.NaN.f32 f1, f2, f3, f1;",
	  "max.NaN.abs.ftz.f32 f1, f2, f3, f1" },
};

START_TEST(old_code_means_what_its_version_says)
{
	struct arena a;
	struct diag d;
	struct source s = { .name = "t.ptx" };
	struct module *m;

	arena_init(&a);
	diag_init(&d, NULL);
	s.text = arena_printf(&a, "%s.entry k() { .reg .f32 f<4>; .reg .f64 g<4>; .reg .u32 r<4>; %s ret; }\n",
			      old[_i].head, old[_i].insn);
	s.len = strlen(s.text);
	m = ptx_parse(&s, &a, &d);
	ck_assert_msg(m != NULL, "%s", d.last ? d.last : "no module");
	ck_assert_str_eq(ir_print_insn(&a, m->kernel[0], &m->kernel[0]->insn[0]), old[_i].ir);
	diag_free(&d);
	arena_free(&a);
}
END_TEST

START_TEST(old_addresses_are_as_wide_as_parameters)
{
	static const struct {
		const char *module;
		unsigned bits;
	} of[] = {
		{ ".version 1.4\n.target sm_13\n.entry k(.param .u64 p) { ret; }\n", 64 },
		{ ".version 2.2\n.target sm_13\n.entry k(.param .s32 n, .param .u64 p) { ret; }\n", 64 },
		{ ".version 1.4\n.target sm_13\n.entry k(.param .u32 p, .param .f64 x) { ret; }\n", 32 },
		{ ".version 2.3\n.target sm_13\n.entry k(.param .u64 p) { ret; }\n", 32 },
	};

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		struct source s = { .name = "t.ptx", .text = of[i].module, .len = strlen(of[i].module) };
		struct module *m;
		struct arena a;
		struct diag d;

		arena_init(&a);
		diag_init(&d, NULL);
		m = ptx_parse(&s, &a, &d);
		ck_assert_msg(m != NULL, "%s", d.last ? d.last : "no module");
		ck_assert_uint_eq(m->address_bits, of[i].bits);
		diag_free(&d);
		arena_free(&a);
	}
}
END_TEST

#define COUNT_OF(t) (int)(sizeof t / sizeof *t)

Suite *suite_float(void);
Suite *suite_float(void)
{
	Suite *s = suite_create("float");
	TCase *t = tcase_create("float");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, doubles_round_in_every_direction_as_the_host_does);
	tcase_add_test(t, floats_divide_in_every_direction_as_the_host_does);
	tcase_add_loop_test(t, gross_reciprocals_are_those_of_the_tables, 0, COUNT_OF(gross));
	tcase_add_loop_test(t, quick_division_loses_the_reciprocals_of_large_numbers, 0, COUNT_OF(quick));
	tcase_add_test(t, doubles_keep_the_payload_of_their_first_nan);
	tcase_add_loop_test(t, old_code_means_what_its_version_says, 0, COUNT_OF(old));
	tcase_add_test(t, old_addresses_are_as_wide_as_parameters);
	suite_add_tcase(s, t);
	return s;
}
