/* Correctly rounded results of the functions that GPUs approximate, for the arguments of their tables.  Reciprocals
 * and square roots are IEEE's. The others are first computed in double precision, with lane_math.h, whose relative
 * errors are below 2^-51 (rsq), 2^-48 (sin, cos), 2^-46 (ex2), 2^-39 (lg2) and 2^-40 (tanh). Where a number so far
 * from the result could be rounded to another float, the middle of the two floats is compared with the result in
 * integers of 128 bits: by whole products (rsq), by Taylor series to 2^-110 (sin, cos, and of 2^t for ex2 and for
 * the inverse functions of lg2 and tanh). No result of a table is within 2^-90 of such a middle, which is asserted
 * whenever one is compared. The 65,536 arguments of half floats are too few for a middle nearer than double
 * precision sees. */
#include "runtime-model/engine/mufu.h"

#include "runtime-model/engine/lane_fp.h"
#include "runtime-model/engine/lane_half.h"
#include "runtime-model/engine/lane_math.h"

#include <assert.h>

/* ---- numbers with 120 bits behind the point ---- */
__extension__ typedef unsigned __int128 fixed;
enum { POINT = 120 };
#define WORDS(high, low) ((fixed)(high) << 64 | (low))
#define ONE ((fixed)1 << POINT)
#define MARGIN ((fixed)1 << (POINT - 90))
#define LN2 WORDS(0x00b17217f7d1cf79, 0xabc9e3b39803f2f7)
#define QUARTER_PI WORDS(0x00c90fdaa22168c2, 0x34c4c6628b80dc1d)
#define LOG2_E WORDS(0x0171547652b82fe1, 0x777d0ffda0d23a7d)

/* Too small by less than 2^-118. */
static fixed times(fixed a, fixed b)
{
	const uint64_t ah = (uint64_t)(a >> 64), al = (uint64_t)a, bh = (uint64_t)(b >> 64), bl = (uint64_t)b;
	const fixed middle = ((fixed)ah * bl >> 64) + ((fixed)al * bh >> 64);

	return ((fixed)ah * bh + middle) << (128 - POINT);
}

/* x >= 0 below 128, a multiple of 2^-56. */
static fixed fixed_of(double x) { return (fixed)(uint64_t)(x * 0x1p56) << (POINT - 56); }

/* 1 + t + t^2/2! + ..., or each other term of it, from that of t^`first` on, with signs that alternate; t <= 1. */
static fixed exponential(fixed t)
{
	fixed sum = ONE, term = ONE;

	for (unsigned n = 1; term; n++) {
		term = times(term, t) / n;
		sum += term;
	}
	return sum;
}
static fixed circular(fixed t, unsigned first)
{
	const fixed square = times(t, t);
	fixed term = first ? t : ONE, sum = term;

	for (unsigned n = first + 1; term; n += 2) {
		term = times(term, square) / (n * (n + 1));
		sum = (n - first) / 2 % 2 ? sum + term : sum - term;
	}
	return sum;
}

static bool beyond(fixed a, fixed b)
{
	assert(a > b ? a - b > MARGIN : b - a > MARGIN);
	return a > b;
}

/* ---- is the result's size more than m? ---- */
static bool angle_beyond(bool cosine, uint32_t a, double m)
{
	const struct angle t = angle_of_turns(f32_of(a));
	/* within an eighth of a turn */
	const double turns =
		__builtin_fabs((double)f32_of(a) - (double)(((double)f32_of(a) * 4 + 0x1.8p52) - 0x1.8p52) / 4);
	const fixed radians = times(fixed_of(turns * 8), QUARTER_PI);

	return beyond(circular(radians, !((t.quarter + cosine) & 1)), fixed_of(m));
}

/* a is a power of two times a fraction, which is 2^(lg2 a - exponent). */
static bool lg2_beyond(uint32_t a, double m)
{
	const int e = (int)(a >> 23) - 127;
	const double rest = m - e, fraction = (double)f32_of((a & 0x007fffff) | 0x3f800000);

	if (rest < 0 || rest >= 1)
		return rest < 0;
	return beyond(fixed_of(fraction), exponential(times(fixed_of(rest), LN2)));
}

/* tanh x > m is 1 - m > u (1 + m) with u = 2^(-2 x / ln 2). */
static bool tanh_beyond(uint32_t a, double m)
{
	const fixed w = times(fixed_of((double)f32_of(a) * 2), LOG2_E), whole = w >> POINT;
	const fixed u = exponential(times(ONE - (w & (ONE - 1)), LN2)) >> (whole + 1);

	return beyond(fixed_of(1 - m), times(u, fixed_of(1 + m)));
}

/* 1 / sqrt x > m is 1 > x m^2: x is a multiple of 2^-23, m, in (1/2, 1), of 2^-25. */
static bool rsq_beyond(uint32_t a, double m)
{
	const fixed x = (fixed)((double)f32_of(a) * 0x1p23), n = (fixed)(m * 0x1p25);

	return (fixed)1 << 73 > x * n * n;
}

static bool result_beyond(enum mufu id, uint32_t a, double m)
{
	const double size = __builtin_fabs(m);

	if (id == MUFU_RSQ)
		return rsq_beyond(a, size);
	if (id == MUFU_SIN || id == MUFU_COS)
		return angle_beyond(id == MUFU_COS, a, size);
	if (id == MUFU_EX2) /* of [1, 2) */
		return beyond(exponential(times(fixed_of((double)f32_of(a) - 1), LN2)), fixed_of(size / 2));
	if (id == MUFU_TANH)
		return tanh_beyond(a, size);
	return lg2_beyond(a, m) == (m > 0);
}

/* ---- results ---- */
/* In double precision, and how far that may be from the result, as a part of it. */
static double nearly(enum mufu id, uint32_t a, double *error)
{
	const float x = f32_of(a);

	if (id == MUFU_RSQ) {
		*error = 0x1p-50;
		return 1.0 / __builtin_sqrt((double)x);
	}
	if (id == MUFU_SIN || id == MUFU_COS) {
		*error = 0x1p-47;
		return sine(angle_of_turns(x), id == MUFU_COS);
	}
	if (id == MUFU_EX2) {
		*error = 0x1p-45;
		return ex2_f64(x);
	}
	*error = 0x1p-38;
	return id == MUFU_LG2 ? lg2_f64(x) : tanh_f64(x);
}

static uint32_t exact_f32(enum mufu id, uint32_t a)
{
	double error, y;
	float low, high;

	if (id == MUFU_RCP)
		return bits_f32(1 / f32_of(a));
	if (id == MUFU_SQRT)
		return bits_f32(__builtin_sqrtf(f32_of(a)));
	y = nearly(id, a, &error);
	low = (float)(y * (1 - error));
	high = (float)(y * (1 + error));
	if (bits_f32(low) == bits_f32(high))
		return bits_f32(low);
	return bits_f32(result_beyond(id, a, ((double)low + (double)high) / 2) ? high : low);
}

static uint32_t exact_half(enum mufu id, uint32_t a)
{
	const bool bf16 = mufu_info[id].kind == MUFU_BF16, ex2 = id == MUFU_EX2_F16 || id == MUFU_EX2_BF16;
	const float x = bf16 ? f32_of_bf16(a) : f32_of_f16(a);
	const double y = ex2 ? ex2_f64(x) : __builtin_copysign(tanh_f64(x), (double)x);
	const uint32_t h = bf16 ? bf16_of_f32(f32_odd(y)) : f16_of_f32(f32_odd(y));

	return bf16 && ex2 && !(h & 0x7f80) ? 0 : h; /* ex2.ftz.bf16 */
}

uint32_t mufu_exact(enum mufu id, uint32_t a)
{
	const double high = f64_of((uint64_t)a << 32);

	switch (mufu_info[id].kind) {
	case MUFU_F32:
		return exact_f32(id, a);
	case MUFU_HIGH:
		return (uint32_t)(bits_f64(id == MUFU_RCP64H ? rcp_gross_f64(high) : rsqrt_gross_f64(high)) >> 32);
	case MUFU_F16:
	case MUFU_BF16:
		break;
	}
	return exact_half(id, a);
}
