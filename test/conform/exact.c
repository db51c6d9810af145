/* exact [--quick] The correctly rounded results that tables of approximate functions start from
 * (engine/mufu_exact.c), against MPFR: of one argument among 4096, of all whose result double precision sees within
 * 2^-39 of the middle of two floats, and of all half floats; --quick: as if every 61st argument were all. And where
 * a table has its arguments: each is found at its own place. */
#include "runtime-model/engine/mufu.h"

#include "runtime-model/engine/lane_half.h"
#include "runtime-model/engine/lane_math.h"

#include <mpfr.h>
#include <stdio.h>
#include <string.h>

enum { EVERY = 4096, STEP = 61, WRONG_SHOWN = 5 };

static double number(enum mufu id, uint32_t a)
{
	switch (mufu_info[id].kind) {
	case MUFU_F32:
		return (double)f32_of(a);
	case MUFU_HIGH:
		return f64_of((uint64_t)a << 32);
	case MUFU_F16:
		return (double)f32_of_f16(a);
	case MUFU_BF16:
		break;
	}
	return (double)f32_of_bf16(a);
}

static int bits_of(enum mufu id)
{
	static const int bits[] = { [MUFU_F32] = 24, [MUFU_HIGH] = 21, [MUFU_F16] = 11, [MUFU_BF16] = 8 };

	return bits[mufu_info[id].kind];
}

/* Into r, to its precision, to nearest even; the ternary value. */
static int function(enum mufu id, mpfr_t r, double x)
{
	mpfr_t a;
	int t = 0;

	mpfr_init2(a, 200);
	mpfr_set_d(a, x, MPFR_RNDN);
	if (id == MUFU_SIN || id == MUFU_COS) {
		mpfr_const_pi(a, MPFR_RNDN);
		mpfr_mul_d(a, a, 2 * x, MPFR_RNDN);
	}
	if (id == MUFU_RCP || id == MUFU_RCP64H)
		t = mpfr_ui_div(r, 1, a, MPFR_RNDN);
	else if (id == MUFU_RSQ || id == MUFU_RSQ64H)
		t = mpfr_rec_sqrt(r, a, MPFR_RNDN);
	else if (id == MUFU_SQRT)
		t = mpfr_sqrt(r, a, MPFR_RNDN);
	else if (id == MUFU_SIN)
		t = mpfr_sin(r, a, MPFR_RNDN);
	else if (id == MUFU_COS)
		t = mpfr_cos(r, a, MPFR_RNDN);
	else if (id == MUFU_LG2)
		t = mpfr_log2(r, a, MPFR_RNDN);
	else if (id == MUFU_EX2 || id == MUFU_EX2_F16 || id == MUFU_EX2_BF16)
		t = mpfr_exp2(r, a, MPFR_RNDN);
	else
		t = mpfr_tanh(r, a, MPFR_RNDN);
	mpfr_clear(a);
	return t;
}

/* mpfr_subnormalize() rounds once, as the type's own subnormal numbers and infinities want it. */
static double want(enum mufu id, double x)
{
	const bool f16 = mufu_info[id].kind == MUFU_F16;
	mpfr_exp_t least = -1073, most = 1024;
	mpfr_t r;
	double d;
	int t;

	mpfr_init2(r, bits_of(id));
	if (f16) {
		least = -23;
		most = 16;
	} else if (mufu_info[id].kind == MUFU_BF16) {
		least = -132;
		most = 128;
	}
	mpfr_set_emin(least);
	mpfr_set_emax(most);
	t = function(id, r, x);
	t = mpfr_check_range(r, t, MPFR_RNDN);
	mpfr_subnormalize(r, t, MPFR_RNDN);
	d = mpfr_get_d(r, MPFR_RNDN);
	mpfr_clear(r);
	return id == MUFU_EX2_BF16 && fabs(d) < 0x1p-126 ? 0 : d; /* its .ftz */
}

/* Whether double precision leaves it open which float is the nearest. */
static bool is_hard(enum mufu id, uint32_t a)
{
	const float x = f32_of(a);
	double y;
	int64_t rest;

	if (id == MUFU_RSQ)
		y = 1 / sqrt((double)x);
	else if (id == MUFU_SIN || id == MUFU_COS)
		y = sine(angle_of_turns(x), id == MUFU_COS);
	else if (id == MUFU_EX2)
		y = ex2_f64(x);
	else if (id == MUFU_LG2 || id == MUFU_TANH)
		y = id == MUFU_LG2 ? lg2_f64(x) : tanh_f64(x);
	else
		return false;
	rest = (int64_t)(bits_f64(y) & ((1u << 29) - 1)) - (1 << 28);
	return rest > -(1 << 13) && rest < 1 << 13;
}

static bool check(enum mufu id, uint32_t step)
{
	const bool half = mufu_info[id].kind == MUFU_F16 || mufu_info[id].kind == MUFU_BF16;
	uint32_t tried = 0, hard = 0, wrong = 0;

	for (uint32_t i = 0; i < mufu_info[id].entries; i += half ? 1 : step) {
		const uint32_t a = mufu_argument(id, i);
		const double x = number(id, a);
		const bool is = is_hard(id, a);
		double got, right;

		if (x != x || !(half || is || i % EVERY == i / EVERY % EVERY))
			continue;
		got = number(id, mufu_exact(id, a));
		right = want(id, x);
		tried++;
		hard += is;
		/* MPFR has no exact multiple of pi, and so no zero between */
		if (got == right || (got == 0 && fabs(right) < 0x1p-100))
			continue;
		if (wrong++ < WRONG_SHOWN)
			printf("%s of 0x%08x is %a, not %a\n", mufu_info[id].name, a, got, right);
	}
	printf("%-10s %10u tried, of them %u hard, %u wrong\n", mufu_info[id].name, tried, hard, wrong);
	return tried && !wrong;
}

/* A table whose differences are those of its places gives the results there exactly so far from the right ones. */
static bool check_places(enum mufu id)
{
	static int16_t difference[16 << 23];
	const struct mufu_function f = { id, sizeof *difference, difference };
	uint32_t wrong = 0;

	for (uint32_t i = 1; i < mufu_info[id].entries; i += STEP) {
		const uint32_t a = mufu_argument(id, i);
		const double x = number(id, a);

		difference[i] = (int16_t)(i % 5) - 2;
		/* lg2 1 and cos of a quarter are 0, beside which are subnormal numbers, and those are lost */
		if (x == x && (mufu_exact(id, a) & 0x7fffffff))
			wrong += mufu_order(id, mufu_value(&f, a)) - mufu_order(id, mufu_exact(id, a)) != difference[i];
		difference[i] = 0;
	}
	if (wrong)
		printf("%s: %u arguments are not where the table has them\n", mufu_info[id].name, wrong);
	return !wrong;
}

int main(int argc, char **argv)
{
	const uint32_t step = argc > 1 && strcmp(argv[1], "--quick") == 0 ? STEP : 1;
	unsigned passed = 0;

	for (unsigned id = 0; id < MUFU_COUNT; id++) {
		passed += check((enum mufu)id, step);
		passed += check_places((enum mufu)id);
	}
	mpfr_free_cache();
	printf("%u passed, %u failed\n", passed, 2 * MUFU_COUNT - passed);
	return passed == 2 * MUFU_COUNT ? 0 : 1;
}
