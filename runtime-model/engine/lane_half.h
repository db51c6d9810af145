/* Pure functions of one lane on f16, bf16 and their pairs, for analyzer/ir/ops/half.def and convert.def: 16 bits in, 16
 * bits out. Written without branches, as the rows that matter are made into vectors. Source: PTX ISA, half precision
 * instructions.
 *
 * Each result is rounded once. A float has 24 bits and an f16 11, so a sum of two f16 rounded to a float and then to an
 * f16 is the same as rounded at once (24 >= 2 * 11 + 2: Figueroa, 1995), and a product is exact in a float. For an fma
 * the sum of the product and c is rounded to odd first, which any later rounding to at most 22 bits undoes (Boldo and
 * Melquiond, 2008). bf16 has the exponents of float, so that sums are as above, with subnormals exact; products of bf16
 * can fall below the subnormals of float and are therefore made in double precision and go through a float rounded to
 * odd. */
#ifndef REGLOOM_LANE_HALF_H
#define REGLOOM_LANE_HALF_H

#include "runtime-model/engine/lane_math.h"

#define NAN_H 0x7fffu /* canonical, of both types */
#define ONE_F16 0x3c00u
#define ONE_BF16 0x3f80u

/* ---- to and from float ---- */
static inline float f32_of_f16(uint32_t h)
{
	uint32_t e = h & 0x7c00, u = (h & 0x7fff) << 13;
	uint32_t tiny = bits_f32(f32_of(u + (113u << 23)) - f32_of(113u << 23));

	if (e == 0x7c00)
		u = u | 0x7f800000;
	else
		u = e ? u + (112u << 23) : tiny;
	return f32_of(u | (h & 0x8000) << 16);
}

/* To nearest even. Adding 1/2 to a number below 2^-14 rounds it to a multiple of 2^-24, the unit of f16's
 * subnormals. */
static inline uint32_t f16_of_f32(float f)
{
	uint32_t u = bits_f32(f), a = u & 0x7fffffff, sign = u >> 16 & 0x8000;
	uint32_t normal = (a - (112u << 23) + 0xfff + (a >> 13 & 1)) >> 13;
	uint32_t tiny = bits_f32(f32_of(a < 113u << 23 ? a : 0) + 0.5f) - 0x3f000000;
	uint32_t r;
	if (a >= 143u << 23)
		r = 0x7c00;
	else
		r = a < 113u << 23 ? tiny : normal;

	return a > 0x7f800000 ? NAN_H : r | sign;
}

static inline float f32_of_bf16(uint32_t h) { return f32_of(h << 16); }
static inline uint32_t bf16_of_f32(float f)
{
	uint32_t u = bits_f32(f);

	return (u & 0x7fffffff) > 0x7f800000 ? NAN_H : (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

/* ---- rounding to odd: the last bit is set if anything was lost, so no later rounding is a second one ---- */
static inline float sum_odd_f32(float p, float q) /* no overflow, no underflow */
{
	float s = p + q, t = s - p, lost = (p - (s - t)) + (q - t);
	/* up or down one in the last place */
	uint32_t u = bits_f32(s), l = bits_f32(lost), away = 1 - 2 * ((u ^ l) >> 31);
	uint32_t some = (l & 0x7fffffff) - 1 < 0x7f800000; /* not zero, not a NaN */

	return f32_of(u + (away & (0 - (some & ~u & 1))));
}

static inline double sum_odd_f64(double p, double q)
{
	double s = p + q, t = s - p, lost = (p - (s - t)) + (q - t);
	uint64_t u = bits_f64(s), away = (lost > 0) == (s > 0);
	bool step = (lost < 0 || lost > 0) && !(u & 1);

	return f64_of(step ? u + 2 * away - 1 : u);
}

static inline float f32_odd(double x)
{
	float f = (float)x;
	double lost = x - (double)f; /* infinite where the float is; it has the right sign then too */
	uint32_t u = bits_f32(f), away = (lost > 0) == (x > 0);
	bool step = (lost < 0 || lost > 0) && !(u & 1);

	return f32_of(step ? u + 2 * away - 1 : u);
}

/* ---- .ftz .sat .relu ---- */
static inline uint32_t ftz_f16(uint32_t h, bool ftz) { return (ftz & !(h & 0x7c00)) ? h & 0x8000 : h; }
/* To [0, 1]; a NaN and -0 give +0. ONE: 1.0 of the type, INF its infinity. */
static inline uint32_t sat_half(uint32_t h, bool sat, uint32_t one, uint32_t inf)
{
	uint32_t v;
	if (h & 0x8000 || h > inf)
		v = 0;
	else
		v = h > one ? one : h;

	return sat ? v : h;
}
static inline uint32_t sat_f16(uint32_t h, bool sat) { return sat_half(h, sat, ONE_F16, 0x7c00); }
static inline uint32_t relu_half(uint32_t h) { return h & 0x8000 ? 0 : h; } /* of a result, whose NaN has no sign */

static inline uint32_t end_f16(uint32_t h, bool ftz, bool sat) { return sat_f16(ftz_f16(h, ftz), sat); }

/* ---- arithmetic; ftz and sat are those of the instruction. bf16 has neither; its functions take them for X2_2() and
 * so on */
static inline uint32_t add_f16(uint32_t a, uint32_t b, bool ftz, bool sat)
{
	return end_f16(f16_of_f32(f32_of_f16(ftz_f16(a, ftz)) + f32_of_f16(ftz_f16(b, ftz))), ftz, sat);
}
static inline uint32_t sub_f16(uint32_t a, uint32_t b, bool ftz, bool sat)
{
	return end_f16(f16_of_f32(f32_of_f16(ftz_f16(a, ftz)) - f32_of_f16(ftz_f16(b, ftz))), ftz, sat);
}
static inline uint32_t mul_f16(uint32_t a, uint32_t b, bool ftz, bool sat)
{
	return end_f16(f16_of_f32(f32_of_f16(ftz_f16(a, ftz)) * f32_of_f16(ftz_f16(b, ftz))), ftz, sat);
}
static inline uint32_t fma_f16(uint32_t a, uint32_t b, uint32_t c, bool ftz, bool sat)
{
	float p = f32_of_f16(ftz_f16(a, ftz)) * f32_of_f16(ftz_f16(b, ftz));

	return end_f16(f16_of_f32(sum_odd_f32(p, f32_of_f16(ftz_f16(c, ftz)))), ftz, sat);
}
static inline uint32_t fma_relu_f16(uint32_t a, uint32_t b, uint32_t c, bool ftz, bool sat)
{
	return relu_half(fma_f16(a, b, c, ftz, sat));
}
static inline uint32_t add_bf16(uint32_t a, uint32_t b, bool ftz, bool sat)
{
	(void)ftz, (void)sat;
	return bf16_of_f32(f32_of_bf16(a) + f32_of_bf16(b));
}
static inline uint32_t sub_bf16(uint32_t a, uint32_t b, bool ftz, bool sat)
{
	(void)ftz, (void)sat;
	return bf16_of_f32(f32_of_bf16(a) - f32_of_bf16(b));
}
static inline uint32_t mul_bf16(uint32_t a, uint32_t b, bool ftz, bool sat)
{
	(void)ftz, (void)sat;
	return bf16_of_f32(f32_odd((double)f32_of_bf16(a) * (double)f32_of_bf16(b)));
}
static inline uint32_t fma_bf16(uint32_t a, uint32_t b, uint32_t c, bool ftz, bool sat)
{
	(void)ftz, (void)sat;
	return bf16_of_f32(
		f32_odd(sum_odd_f64((double)f32_of_bf16(a) * (double)f32_of_bf16(b), (double)f32_of_bf16(c))));
}
static inline uint32_t fma_relu_bf16(uint32_t a, uint32_t b, uint32_t c, bool ftz, bool sat)
{
	return relu_half(fma_bf16(a, b, c, ftz, sat));
}

/* ---- sign, minimum, maximum: on bits, which order as the numbers do once the negative ones are turned round ---- */
static inline bool nan_half(uint32_t h, uint32_t inf) { return (h & 0x7fff) > inf; }
static inline uint32_t neg_half(uint32_t h, bool ftz, uint32_t inf) /* ftz: of an f16 */
{
	return nan_half(h, inf) ? NAN_H : ftz_f16(h, ftz) ^ 0x8000;
}
static inline uint32_t abs_half(uint32_t h, bool ftz, uint32_t inf)
{
	return nan_half(h, inf) ? NAN_H : ftz_f16(h, ftz) & 0x7fff;
}
static inline int32_t order_half(uint32_t h) { return h & 0x8000 ? -(int32_t)(h & 0x7fff) - 1 : (int32_t)h; }

/* max, not min; .NaN; .xorsign.abs */
enum minmax { MM_MAX = 1, MM_NAN = 2, MM_XOR = 4 };

static inline uint32_t minmax_half(uint32_t a, uint32_t b, uint32_t inf, unsigned how)
{
	uint32_t sign = (a ^ b) & 0x8000, size = how & MM_XOR ? 0x7fff : 0xffff, d;
	bool na = nan_half(a, inf), nb = nan_half(b, inf), none;

	a &= size;
	b &= size;
	d = (order_half(a) < order_half(b)) == !(how & MM_MAX) ? a : b;
	if (na)
		d = b;
	else
		d = nb ? a : d;
	none = how & MM_NAN ? na || nb : na && nb;
	if (none)
		return NAN_H;
	return how & MM_XOR ? d | sign : d;
}
static inline uint32_t minmax_f16(uint32_t a, uint32_t b, bool ftz, unsigned how)
{
	return minmax_half(ftz_f16(a, ftz), ftz_f16(b, ftz), 0x7c00, how);
}
static inline uint32_t minmax_bf16(uint32_t a, uint32_t b, bool ftz, unsigned how)
{
	(void)ftz;
	return minmax_half(a, b, 0x7f80, how);
}

/* ---- comparison: how a stands to b, as one bit, and the bits for which each operator holds ---- */
enum relation {
	REL_LT = 1,
	REL_EQ = 2,
	REL_GT = 4,
	REL_NAN = 8,
	REL_NE = REL_LT | REL_GT,
	REL_LE = REL_LT | REL_EQ,
	REL_GE = REL_GT | REL_EQ,
	REL_NUM = REL_LE | REL_GT,
	REL_EQU = REL_EQ | REL_NAN,
	REL_NEU = REL_NE | REL_NAN,
	REL_LTU = REL_LT | REL_NAN,
	REL_LEU = REL_LE | REL_NAN,
	REL_GTU = REL_GT | REL_NAN,
	REL_GEU = REL_GE | REL_NAN,
};
static inline unsigned rel_f32(float a, float b)
{
	if (a < b)
		return REL_LT;
	if (a > b)
		return REL_GT;
	return a == b ? REL_EQ : REL_NAN;
}
static inline bool is_f16(uint32_t a, uint32_t b, bool ftz, unsigned rel)
{
	return rel_f32(f32_of_f16(ftz_f16(a, ftz)), f32_of_f16(ftz_f16(b, ftz))) & rel;
}
static inline bool is_bf16(uint32_t a, uint32_t b, bool ftz, unsigned rel)
{
	(void)ftz;
	return rel_f32(f32_of_bf16(a), f32_of_bf16(b)) & rel;
}

/* ---- functions that the hardware approximates: rounded from those of float ---- */
static inline uint32_t ex2_f16(uint32_t a) { return f16_of_f32(ex2_f32(f32_of_f16(a))); }
static inline uint32_t ex2_bf16(uint32_t a) /* .ftz is part of it */
{
	uint32_t d = bf16_of_f32(ex2_f32(flush_f32(f32_of_bf16(a))));

	return d & 0x7f80 ? d : d & 0x8000;
}
static inline uint32_t tanh_f16(uint32_t a) { return f16_of_f32(tanh_f32(f32_of_f16(a))); }
static inline uint32_t tanh_bf16(uint32_t a) { return bf16_of_f32(tanh_f32(f32_of_bf16(a))); }

/* ---- pairs: fn of the low halves and of the high ones; y and z go to both ---- */
#define LO(x) ((x)&0xffff)
#define HI(x) ((x) >> 16)
#define X2(lo, hi) ((lo) | (uint32_t)(hi) << 16)
#define X2_0(fn, a) X2(fn(LO(a)), fn(HI(a)))
#define X2_1(fn, a, y, z) X2(fn(LO(a), y, z), fn(HI(a), y, z))
#define X2_2(fn, a, b, y, z) X2(fn(LO(a), LO(b), y, z), fn(HI(a), HI(b), y, z))
#define X2_3(fn, a, b, c, y, z) X2(fn(LO(a), LO(b), LO(c), y, z), fn(HI(a), HI(b), HI(c), y, z))

#endif
