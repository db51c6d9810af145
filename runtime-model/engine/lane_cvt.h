/* Conversions of one lane, for analyzer/ir/ops/convert.def: any number, as an integer times a power of two, to any
 * binary format in any rounding, in integer arithmetic. Source: PTX ISA, cvt and cvt.pack. */
#ifndef REGLOOM_LANE_CVT_H
#define REGLOOM_LANE_CVT_H

#include "runtime-model/engine/lane_half.h"

enum cvt_round { RND_RN, RND_RZ, RND_RM, RND_RP, RND_RNA };

/* A format: precision with the hidden bit, exponent of its least normal number, code of infinity (one above the largest
 * finite one), code of a NaN, place of the sign. */
struct format {
	unsigned p;
	int emin;
	uint64_t inf, nan;
	unsigned sign;
};

#define FMT_F16 ((struct format){ 11, -14, 0x7c00, NAN_H, 15 })
#define FMT_BF16 ((struct format){ 8, -126, 0x7f80, NAN_H, 15 })
#define FMT_F32 ((struct format){ 24, -126, 0x7f800000, NAN_F32, 31 })
#define FMT_F64 ((struct format){ 53, -1022, 0x7ff0000000000000, NAN_F64, 63 })
/* tf32 without its low 13 bits, which are zero; these have no infinity or take it for a number or NaN: .satfinite
 * always */
#define FMT_TF32 ((struct format){ 11, -126, 0x7f800000 >> 13, NAN_F32 >> 13, 18 })
#define FMT_E5M2 ((struct format){ 3, -14, 0x7c, 0x7f, 7 })
#define FMT_E4M3 ((struct format){ 4, -6, 0x7f, 0x7f, 7 })
#define FMT_E3M2 ((struct format){ 3, -2, 0x20, 0x1f, 5 })
#define FMT_E2M3 ((struct format){ 4, 0, 0x20, 0x1f, 5 })
#define FMT_E2M1 ((struct format){ 2, 0, 0x8, 0x7, 3 })

/* The code of the size m * 2^e of a number that is negative if NEG: at most that of infinity. */
static inline uint64_t round_code(uint64_t m, int e, bool neg, struct format f, enum cvt_round r)
{
	int top, unit, drop;
	uint64_t keep, rest, half; /* rest: what is dropped, in units of half / 2^63 */
	enum cvt_round inward;
	bool up;

	if (!m)
		return 0;
	top = __builtin_clzll(m);
	m <<= top;
	e -= top;
	top = e + 63 > f.emin ? e + 63 : f.emin;
	unit = top - (int)f.p + 1;
	drop = unit - e; /* at least 64 - p, 11 */
	keep = drop > 63 ? 0 : m >> drop;
	half = (uint64_t)1 << 63;
	if (drop > 64)
		rest = 1;
	else
		rest = drop == 64 ? m : m << (64 - drop);
	switch (r) {
	case RND_RN:
		up = rest > half || (rest == half && keep & 1);
		break;
	case RND_RNA:
		up = rest >= half;
		break;
	case RND_RM:
		up = rest && neg;
		break;
	case RND_RP:
		up = rest && !neg;
		break;
	case RND_RZ:
	default:
		up = false;
		break;
	}
	keep += up + ((uint64_t)(top - f.emin) << (f.p - 1)); /* the hidden bit adds one to the exponent */
	if (keep < f.inf)
		return keep;
	inward = neg ? RND_RP : RND_RM;
	return r == RND_RZ || r == inward ? f.inf - 1 : f.inf;
}

/* .relu; .satfinite */
enum cvt_mod { CVT_PLAIN = 0, CVT_RELU = 1, CVT_FINITE = 2, CVT_RELU_FINITE = 3 };

static inline uint64_t cvt_float(double a, struct format f, enum cvt_round r, unsigned mods)
{
	uint64_t u = bits_f64(a), m = u & 0xfffffffffffff, code;
	int e = (int)(u >> 52 & 2047);
	bool neg = u >> 63;

	if (a != a)
		return f.nan;
	if (mods & CVT_RELU && neg)
		return 0;
	code = e == 2047 ? f.inf : round_code(e ? m | (uint64_t)1 << 52 : m, (e ? e : 1) - 1075, neg, f, r);
	if (mods & CVT_FINITE && code >= f.inf)
		code = f.inf - 1;
	return (uint64_t)neg << f.sign | code;
}
static inline uint64_t cvt_u64(uint64_t a, struct format f, enum cvt_round r) { return round_code(a, 0, false, f, r); }
static inline uint64_t cvt_s64(int64_t a, struct format f, enum cvt_round r)
{
	return a < 0 ? (uint64_t)1 << f.sign | round_code(0 - (uint64_t)a, 0, true, f, r)
		     : round_code((uint64_t)a, 0, false, f, r);
}

static inline uint32_t f16_round(double a, enum cvt_round r) { return (uint32_t)cvt_float(a, FMT_F16, r, CVT_PLAIN); }
static inline uint32_t bf16_round(double a, enum cvt_round r) { return (uint32_t)cvt_float(a, FMT_BF16, r, CVT_PLAIN); }
static inline float f32_round(double a, enum cvt_round r)
{
	return f32_of((uint32_t)cvt_float(a, FMT_F32, r, CVT_PLAIN));
}
static inline uint32_t tf32_round(float a, enum cvt_round r, unsigned mods)
{
	uint32_t d = (uint32_t)cvt_float((double)a, FMT_TF32, r, mods);

	return a != a ? NAN_F32 : d << 13;
}
/* Two values in one register: a above b, BITS apart. */
static inline uint32_t cvt_two(double a, double b, unsigned bits, struct format f, enum cvt_round r, unsigned mods)
{
	return (uint32_t)(cvt_float(a, f, r, mods) << bits | cvt_float(b, f, r, mods));
}
static inline double f64_of_f16(uint32_t h) { return (double)f32_of_f16(h & 0xffff); }
static inline double f64_of_bf16(uint32_t h) { return (double)f32_of_bf16(h & 0xffff); }
static inline double sat_f64(double a, bool sat)
{
	if (!sat)
		return a;
	if (a > 0)
		return a < 1 ? a : 1;
	return 0;
}

/* A small format's code as an f16: all its numbers are f16. INF: f.inf means infinity and what lies above it NaN; else
 * NAN alone is a NaN, or nothing where nan is a number. */
static inline uint32_t f16_of_code(uint32_t c, struct format f, bool has_inf, bool has_nan, bool relu)
{
	uint32_t size = c & ((1u << f.sign) - 1), neg = c >> f.sign & 1, d;
	uint32_t frac = size & ((1u << (f.p - 1)) - 1), e = size >> (f.p - 1);
	float v = (float)(e ? frac | 1u << (f.p - 1) : frac) *
		  f32_of((uint32_t)(127 + f.emin - (int)f.p + (int)(e ? e : 1)) << 23);

	if (has_nan && (has_inf ? size > f.inf : size == f.nan))
		return NAN_H;
	d = has_inf && size == f.inf ? 0x7c00 : f16_of_f32(v);
	if (neg)
		return relu ? 0 : d | 0x8000;
	return d;
}

/* ue8m0 is an exponent alone, biased by 127: it has no sign and no zero; 255 is a NaN. */
static inline uint32_t ue8m0_of(double a, bool up, bool finite)
{
	uint32_t u = bits_f32((float)a), size = u & 0x7fffffff, e = size >> 23; /* a is a float */
	bool more = size & 0x7fffff && size > 0x00400000;

	if (a != a)
		return 255;
	e += up && e < 255 && more;
	return e == 255 && finite ? 254 : e;
}
static inline uint32_t bf16_of_ue8m0(uint32_t c)
{
	c &= 255;
	if (c == 255)
		return NAN_H;
	return c ? c << 7 : 0x40;
}

/* ---- integers ---- */
/* Of an integral value; clamp_u() and clamp_s() give 0 for a NaN. */
static inline uint64_t u64_of(double v) { return v == v ? clamp_u(v, UINT64_MAX) : (uint64_t)1 << 63; }
static inline uint64_t s64_of(double v)
{
	return v == v ? (uint64_t)clamp_s(v, INT64_MIN, INT64_MAX) : (uint64_t)1 << 63;
}
static inline int64_t sat_s(int64_t v, int64_t min, int64_t max)
{
	if (v < min)
		return min;
	return v > max ? max : v;
}
static inline uint64_t sat_u(uint64_t v, uint64_t max) { return v > max ? max : v; }
/* cvt.pack: a above b, BITS wide, c above both. */
static inline uint32_t cvt_pack(uint32_t a, uint32_t b, uint32_t c, unsigned bits, int64_t min, int64_t max)
{
	uint32_t mask = (1u << bits) - 1, x = (uint32_t)sat_s((int32_t)a, min, max) & mask,
		 y = (uint32_t)sat_s((int32_t)b, min, max) & mask;

	return (bits < 16 ? c << 2 * bits : 0) | x << bits | y;
}

#endif
