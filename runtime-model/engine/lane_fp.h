/* Floating point of rare rows, by integers: a value is unpacked to sign * m * 2^e, computed exactly or with its last
 * bit standing for all that lies below ("jammed": set if anything is lost), and rounded once, in any direction, to
 * float or double. So every rounding mode, overflow and subnormal result come from one function, soft_round. A jammed m
 * has more bits than a double, so that its last bit takes part in the rounding only as "something below". Source: PTX
 * ISA, floating-point instructions; IEEE 754-2008, 4.3. */
#ifndef REGLOOM_LANE_FP_H
#define REGLOOM_LANE_FP_H

#include "runtime-model/engine/lane.h"

__extension__ typedef unsigned __int128 soft_bits;

enum soft_kind { SOFT_ZERO, SOFT_FINITE, SOFT_INF, SOFT_NAN };
/* finite: m != 0 */
struct soft {
	enum soft_kind kind;
	bool sign;
	int e;
	soft_bits m;
};

static inline int soft_width(soft_bits m)
{
	uint64_t high = (uint64_t)(m >> 64);

	return high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)m);
}

/* Floats come here as doubles, which hold them exactly. */
static inline struct soft soft_of(double v)
{
	uint64_t u = bits_f64(v), frac = u & 0x000fffffffffffff;
	int exp = (int)(u >> 52 & 0x7ff);
	struct soft s = { .sign = u >> 63 };

	if (exp == 0x7ff)
		s.kind = frac ? SOFT_NAN : SOFT_INF;
	else if (exp || frac)
		s = (struct soft){ SOFT_FINITE, s.sign, (exp ? exp : 1) - 1075, frac | (uint64_t)(exp != 0) << 52 };
	return s;
}

/* Top bit of m to bit 125. */
static inline struct soft soft_normal(struct soft s)
{
	int up = 126 - soft_width(s.m);

	s.m <<= up;
	s.e -= up;
	return s;
}

static inline soft_bits soft_jam(soft_bits m, int down)
{
	if (down > 127)
		return m != 0;
	return down ? m >> down | ((m & (((soft_bits)1 << down) - 1)) != 0) : m;
}

static inline struct soft soft_mul(struct soft a, struct soft b)
{
	struct soft d = { .sign = a.sign != b.sign };

	if (a.kind == SOFT_NAN || b.kind == SOFT_NAN || (a.kind == SOFT_INF && b.kind == SOFT_ZERO) ||
	    (a.kind == SOFT_ZERO && b.kind == SOFT_INF))
		d.kind = SOFT_NAN;
	else if (a.kind == SOFT_INF || b.kind == SOFT_INF)
		d.kind = SOFT_INF;
	else if (a.kind == SOFT_FINITE && b.kind == SOFT_FINITE)
		d = (struct soft){ SOFT_FINITE, d.sign, a.e + b.e, a.m * b.m };
	return d;
}

/* m of a and b: at most 106 bits before the sum. An exact zero is -0 when rounding down, unless both are +0. */
static inline struct soft soft_add(struct soft a, struct soft b, enum rounding r)
{
	struct soft d = { .sign = r == ROUND_DOWN }, big, small;

	if (a.kind == SOFT_NAN || b.kind == SOFT_NAN || (a.kind == SOFT_INF && b.kind == SOFT_INF && a.sign != b.sign))
		return (struct soft){ .kind = SOFT_NAN };
	if (a.kind == SOFT_INF || b.kind == SOFT_INF)
		return a.kind == SOFT_INF ? a : b;
	if (a.kind == SOFT_ZERO && b.kind == SOFT_ZERO) {
		d.sign = a.sign == b.sign ? a.sign : d.sign;
		return d;
	}
	if (a.kind == SOFT_ZERO || b.kind == SOFT_ZERO)
		return a.kind == SOFT_ZERO ? b : a;
	big = soft_normal(a);
	small = soft_normal(b);
	if (big.e < small.e) {
		struct soft t = big;

		big = small;
		small = t;
	}
	small.m = soft_jam(small.m, big.e - small.e);
	if (a.sign == b.sign)
		return (struct soft){ SOFT_FINITE, a.sign, big.e, big.m + small.m };
	if (big.m == small.m)
		return d;
	return big.m > small.m ? (struct soft){ SOFT_FINITE, big.sign, big.e, big.m - small.m }
			       : (struct soft){ SOFT_FINITE, small.sign, big.e, small.m - big.m };
}

static inline struct soft soft_div(struct soft a, struct soft b)
{
	struct soft d = { .sign = a.sign != b.sign };
	soft_bits q;

	if (a.kind == SOFT_NAN || b.kind == SOFT_NAN || (a.kind == b.kind && a.kind != SOFT_FINITE))
		d.kind = SOFT_NAN;
	else if (a.kind == SOFT_INF || b.kind == SOFT_ZERO)
		d.kind = SOFT_INF;
	else if (a.kind == SOFT_FINITE && b.kind == SOFT_FINITE) {
		a = soft_normal(a);
		q = a.m / b.m;
		d = (struct soft){ SOFT_FINITE, d.sign, a.e - b.e - 1, q << 1 | (q * b.m != a.m) };
	}
	return d;
}

static inline struct soft soft_sqrt(struct soft a)
{
	soft_bits root = 0, rest;

	if ((a.kind == SOFT_FINITE || a.kind == SOFT_INF) && a.sign)
		return (struct soft){ .kind = SOFT_NAN };
	if (a.kind != SOFT_FINITE)
		return a;
	a = soft_normal(a);
	if (a.e & 1) {
		a.m >>= 1; /* exact: a double's m leaves zeros below */
		a.e++;
	}
	rest = a.m;
	for (soft_bits bit = (soft_bits)1 << 124; bit; bit >>= 2) /* one bit of the root a step */
		if (rest >= root + bit) {
			rest -= root + bit;
			root = root >> 1 | bit;
		} else {
			root >>= 1;
		}
	return (struct soft){ SOFT_FINITE, false, a.e / 2 - 1, root << 1 | (rest != 0) };
}

/* To PRECISION bits and an exponent of at least EMIN (of the last bit); the format's bits, without NaN. */
static inline uint64_t soft_round(struct soft v, enum rounding r, int precision, int emin)
{
	uint64_t sign = (uint64_t)v.sign << (precision == 24 ? 31 : 63), one = (uint64_t)1 << (precision - 1);
	uint64_t inf = (uint64_t)(precision == 24 ? 0xff : 0x7ff) << (precision - 1), kept;
	int width, q, down, half = -1; /* half: what is lost, against half a unit */
	bool lost = false, up;

	if (v.kind != SOFT_FINITE)
		return v.kind == SOFT_ZERO ? sign : sign | inf;
	width = soft_width(v.m);
	q = v.e + width - precision > emin ? v.e + width - precision : emin;
	down = q - v.e;
	if (down <= 0) {
		kept = (uint64_t)(v.m << -down);
	} else if (down > width) {
		kept = 0;
		lost = true;
	} else {
		soft_bits rest = v.m & (((soft_bits)1 << down) - 1), middle = (soft_bits)1 << (down - 1);

		kept = (uint64_t)(v.m >> down);
		lost = rest != 0;
		if (rest > middle)
			half = 1;
		else
			half = rest < middle ? -1 : 0;
	}
	if (r == ROUND_NEAREST)
		up = half > 0 || (half == 0 && kept & 1);
	else if (r == ROUND_DOWN)
		up = v.sign && lost;
	else
		up = r == ROUND_UP ? !v.sign && lost : false;
	kept += up;
	if (kept == 2 * one) {
		kept = one;
		q++;
	}
	if (q - emin >= (precision == 24 ? 0xfe : 0x7fe))
		return sign | (inf - (r == ROUND_ZERO || r == (v.sign ? ROUND_UP : ROUND_DOWN)));
	return sign | (((uint64_t)(q - emin) << (precision - 1)) + kept);
}

static inline float soft_f32(struct soft v, enum rounding r)
{
	return f32_of(v.kind == SOFT_NAN ? NAN_F32 : (uint32_t)soft_round(v, r, 24, -149));
}
static inline double soft_f64(struct soft v, enum rounding r)
{
	return f64_of(v.kind == SOFT_NAN ? NAN_F64 : soft_round(v, r, 53, -1074));
}

/* ---- rows ---- */
static inline float div_f32(float a, float b, enum rounding r)
{
	return soft_f32(soft_div(soft_of((double)a), soft_of((double)b)), r);
}
static inline float sqrt_f32(float a, enum rounding r) { return soft_f32(soft_sqrt(soft_of((double)a)), r); }
/* Far from the ends of the exponents, where what a rounding loses is a double itself, or the sum of two. */
static inline bool mid_f64(double v) { return __builtin_fabs(v) > 0x1p-900 && __builtin_fabs(v) < 0x1p1000; }
/* v is the double nearest to a value beyond it by something of the sign of `rest`. */
static inline double redirect_f64(double v, double rest, enum rounding r)
{
	const bool longer = (rest > 0) == (v > 0);
	bool right = longer;

	if (r == ROUND_UP)
		right = rest < 0;
	else if (r == ROUND_DOWN)
		right = rest > 0;
	if (rest == 0 || right || r == ROUND_NEAREST)
		return v;
	return f64_of(longer ? bits_f64(v) + 1 : bits_f64(v) - 1);
}
/* What a + b = s has lost (Knuth: TwoSum). */
static inline double lost_f64(double a, double b, double s)
{
	const double b1 = s - a;

	return (a - (s - b1)) + (b - b1);
}
static inline double add_f64(double a, double b, enum rounding r)
{
	if (mid_f64(a + b))
		return redirect_f64(a + b, lost_f64(a, b, a + b), r);
	return nan2(soft_f64(soft_add(soft_of(a), soft_of(b), r), r), a, b);
}
static inline double sub_f64(double a, double b, enum rounding r)
{
	if (mid_f64(a - b))
		return redirect_f64(a - b, lost_f64(a, -b, a - b), r);
	return nan2(soft_f64(soft_add(soft_of(a), soft_of(-b), r), r), a, b);
}
static inline double mul_f64(double a, double b, enum rounding r)
{
	if (mid_f64(a * b))
		return redirect_f64(a * b, fma(a, b, -(a * b)), r);
	return nan2(soft_f64(soft_mul(soft_of(a), soft_of(b)), r), a, b);
}
/* The rest by Boldo and Muller, Exact and approximated error of the FMA, 2011 (ErrFmaNearest). */
static inline double fma_f64(double a, double b, double c, enum rounding r)
{
	const double v = fma(a, b, c), product = a * b;

	if (mid_f64(v) && mid_f64(product) && __builtin_fabs(c) < 0x1p1000) {
		const double low = fma(a, b, -product), c1 = c + low, low1 = lost_f64(c, low, c1), s = product + c1;
		const double rest = (s - v) + lost_f64(product, c1, s);

		return redirect_f64(v, rest + low1, r);
	}
	return nan3(soft_f64(soft_add(soft_mul(soft_of(a), soft_of(b)), soft_of(c), r), r), a, b, c);
}
static inline double div_f64(double a, double b, enum rounding r)
{
	return nan2(soft_f64(soft_div(soft_of(a), soft_of(b)), r), a, b);
}
static inline double sqrt_f64(double a, enum rounding r) { return nan2(soft_f64(soft_sqrt(soft_of(a)), r), a, a); }

/* The forms of 20 fraction bits: the low word of the operand is ignored and that of the result zero. */
static inline double upper_f64(double a) { return f64_of(bits_f64(a) & 0xffffffff00000000); }
static inline double gross_f64(double v)
{
	uint64_t u = bits_f64(v);

	if (v != v)
		return f64_of(0x7fffffff00000000);
	if (__builtin_fabs(v) < 0x1p-1022)
		return f64_of(u & (uint64_t)1 << 63);
	return f64_of((u + 0x7fffffff + (u >> 32 & 1)) & 0xffffffff00000000);
}
static inline double flush_f64(double a) { return __builtin_fabs(a) < 0x1p-1022 ? __builtin_copysign(0, a) : a; }
static inline double rcp_gross_f64(double a) { return gross_f64(1 / flush_f64(upper_f64(a))); }
static inline double rsqrt_gross_f64(double a) { return gross_f64(1 / __builtin_sqrt(flush_f64(upper_f64(a)))); }

/* min and max with .NaN: a NaN wins. .xorsign.abs: of the sizes, with the product's sign. */
static inline float nan_wins(float m, float a, float b) { return a != a || b != b ? f32_of(NAN_F32) : m; }
static inline float xorsign(float m, float a, float b)
{
	return m != m ? m : f32_of((bits_f32(m) & 0x7fffffff) | ((bits_f32(a) ^ bits_f32(b)) & 0x80000000));
}
static inline float nan_wins3(float m, float a, float b, float c)
{
	return c != c ? f32_of(NAN_F32) : nan_wins(m, a, b);
}

/* ---- .f32x2: two floats in 64 bits, each with .ftz where given ---- */
static inline float x2_half(uint64_t v, unsigned half, bool ftz)
{
	float f = f32_of((uint32_t)(v >> 32 * half));

	return ftz ? flush_f32(f) : f;
}
static inline uint64_t x2_pack(float low, float high, bool ftz)
{
	return (uint64_t)canonical_f32(ftz ? flush_f32(high) : high) << 32 | canonical_f32(ftz ? flush_f32(low) : low);
}
static inline float sum_f32(float a, float b, enum rounding r)
{
	return r == ROUND_NEAREST ? a + b : add_directed((double)a, (double)b, r);
}
static inline float product_f32(float a, float b, enum rounding r)
{
	return r == ROUND_NEAREST ? a * b : f32_directed((double)a * b, r);
}
static inline float muladd_f32(float a, float b, float c, enum rounding r)
{
	return r == ROUND_NEAREST ? __builtin_fmaf(a, b, c) : add_directed((double)a * b, (double)c, r);
}
static inline uint64_t add_f32x2(uint64_t a, uint64_t b, enum rounding r, bool ftz)
{
	return x2_pack(sum_f32(x2_half(a, 0, ftz), x2_half(b, 0, ftz), r),
		       sum_f32(x2_half(a, 1, ftz), x2_half(b, 1, ftz), r), ftz);
}
static inline uint64_t sub_f32x2(uint64_t a, uint64_t b, enum rounding r, bool ftz)
{
	return x2_pack(sum_f32(x2_half(a, 0, ftz), -x2_half(b, 0, ftz), r),
		       sum_f32(x2_half(a, 1, ftz), -x2_half(b, 1, ftz), r), ftz);
}
static inline uint64_t mul_f32x2(uint64_t a, uint64_t b, enum rounding r, bool ftz)
{
	return x2_pack(product_f32(x2_half(a, 0, ftz), x2_half(b, 0, ftz), r),
		       product_f32(x2_half(a, 1, ftz), x2_half(b, 1, ftz), r), ftz);
}
static inline uint64_t fma_f32x2(uint64_t a, uint64_t b, uint64_t c, enum rounding r, bool ftz)
{
	return x2_pack(muladd_f32(x2_half(a, 0, ftz), x2_half(b, 0, ftz), x2_half(c, 0, ftz), r),
		       muladd_f32(x2_half(a, 1, ftz), x2_half(b, 1, ftz), x2_half(c, 1, ftz), r), ftz);
}

#endif
