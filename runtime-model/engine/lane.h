/* Pure functions of one lane, named in the semantics column of analyzer/ir/ops.def. All are exact functions of their
 * arguments, the same on every machine and instruction set: integer code and IEEE operations without contraction.
 * Written without branches where the compiler should make vectors of them. lane_math.h: approximate functions;
 * lane_fp.h: rounding of rare rows. Source: PTX ISA, the section named after the instruction. */
#ifndef REGLOOM_LANE_H
#define REGLOOM_LANE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline float f32_of(uint32_t u)
{
	union {
		uint32_t u;
		float f;
	} x = { .u = u };
	return x.f;
}
static inline uint32_t bits_f32(float f)
{
	union {
		float f;
		uint32_t u;
	} x = { .f = f };
	return x.u;
}
static inline double f64_of(uint64_t u)
{
	union {
		uint64_t u;
		double f;
	} x = { .u = u };
	return x.f;
}
static inline uint64_t bits_f64(double f)
{
	union {
		double f;
		uint64_t u;
	} x = { .f = f };
	return x.u;
}

/* NaNs that arithmetic makes have one pattern, so that results do not depend on which operand the host propagates. */
#define NAN_F32 0x7fffffffu
#define NAN_F64 0xfff8000000000000u
static inline uint32_t canonical_f32(float f) { return f != f ? NAN_F32 : bits_f32(f); }
static inline uint64_t canonical_f64(double f) { return f != f ? NAN_F64 : bits_f64(f); }
/* Double precision keeps payloads: result R of A, B, C is the first of them that is a NaN, made quiet, else NAN_F64. */
static inline double quiet_f64(double f) { return f64_of(bits_f64(f) | (uint64_t)1 << 51); }
static inline double nan1(double r, double a)
{
	if (r == r)
		return r;
	return a != a ? quiet_f64(a) : f64_of(NAN_F64);
}
static inline double nan2(double r, double a, double b) { return a != a && r != r ? quiet_f64(a) : nan1(r, b); }
static inline double nan3(double r, double a, double b, double c)
{
	return a != a && r != r ? quiet_f64(a) : nan2(r, b, c);
}

/* .ftz: subnormals become zeros of the same sign. .sat: to [0, 1], a NaN gives 0. */
static inline float flush_f32(float f)
{
	uint32_t u = bits_f32(f);

	return f32_of(u & 0x7f800000 ? u : u & 0x80000000);
}
static inline float saturate_f32(float f)
{
	f = f > 0 ? f : 0; /* false for a NaN and for -0 */
	return f < 1 ? f : 1;
}

/* ---- integers ---- */
static inline uint32_t sat_s32(int64_t v)
{
	v = v > INT32_MAX ? INT32_MAX : v;
	return (uint32_t)(v < INT32_MIN ? INT32_MIN : v);
}
/* SA, SB: 0x80 where the bytes of a and b have a sign, else 0. */
static inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, uint32_t sa, uint32_t sb)
{
	for (unsigned i = 0; i < 32; i += 8)
		c += (((a >> i & 255) ^ sa) - sa) * (((b >> i & 255) ^ sb) - sb);
	return c;
}
static inline uint32_t sx24(uint32_t a) { return (uint32_t)((int32_t)(a << 8) >> 8); }
static inline uint16_t mulhi_u16(uint16_t a, uint16_t b) { return (uint16_t)((uint32_t)a * b >> 16); }
static inline uint32_t mulhi_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
static inline uint64_t mulhi_u64(uint64_t a, uint64_t b)
{
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t mid = a1 * b0 + (a0 * b0 >> 32), low = a0 * b1 + (uint32_t)mid;

	return a1 * b1 + (mid >> 32) + (low >> 32);
}
static inline uint64_t mulhi_s64(uint64_t a, uint64_t b)
{
	return mulhi_u64(a, b) - (b & (0 - (a >> 63))) - (a & (0 - (b >> 63)));
}
#define mulhi_u(a, b) _Generic((a), uint16_t : mulhi_u16, uint32_t : mulhi_u32, uint64_t : mulhi_u64)(a, b)

static inline int64_t div_s64(int64_t a, int64_t b)
{
	if (b == 0)
		return -1;
	return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static inline int64_t rem_s64(int64_t a, int64_t b)
{
	if (b == 0)
		return a;
	return b == -1 ? 0 : a % b;
}

/* ---- bits ---- */
static inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t d = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint32_t row = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);

		d |= row & (0 - (table >> i & 1));
	}
	return d;
}
static inline uint32_t shf_l(uint32_t lo, uint32_t hi, uint32_t n) /* n <= 32 */
{
	return (uint32_t)(((uint64_t)hi << 32 | lo) << n >> 32);
}
static inline uint32_t shf_r(uint32_t lo, uint32_t hi, uint32_t n) /* n <= 32 */
{
	return (uint32_t)(((uint64_t)hi << 32 | lo) >> n);
}
/* The same of 64 bits, one word of them. */
static inline uint32_t shf_l64(uint32_t lo, uint32_t hi, uint32_t n)
{
	return n > 63 ? 0 : (uint32_t)(((uint64_t)hi << 32 | lo) << (n & 63) >> 32);
}
static inline uint32_t shf_r64(uint32_t lo, uint32_t hi, uint32_t n)
{
	return n > 63 ? 0 : (uint32_t)(((uint64_t)hi << 32 | lo) >> (n & 63));
}
static inline uint32_t shf_r64s(uint32_t lo, uint32_t hi, uint32_t n)
{
	return (uint32_t)((int64_t)((uint64_t)hi << 32 | lo) >> (n > 63 ? 63 : n));
}
/* An mbarrier object as the code of sm_80 to sm_89 makes it (STS.64): minus the arrivals that are pending in bits
 * 62:32, so that the last one carries into the phase's parity above; minus those of a phase in 29:0. The code of
 * mbarrier.pending_count reads the former, that of .noComplete adds to them, that of .arrive_drop to the latter. */
static inline uint64_t arrive_b64(uint64_t object, uint64_t by)
{
	const uint32_t all = (uint32_t)object & 0x3fffffff, next = all ? all | 0x40000000 : 0,
		       upper = (uint32_t)(object >> 32) + (uint32_t)by;

	return (uint64_t)(upper << 1 ? upper : upper | next) << 32 | (uint32_t)object;
}
static inline uint64_t low_ones(uint32_t n) { return n > 63 ? UINT64_MAX : ((uint64_t)1 << (n & 63)) - 1; }
static inline uint64_t bfe_u(uint64_t a, uint32_t pos, uint32_t len, unsigned width)
{
	pos &= 255;
	return (pos >= width ? 0 : a >> (pos & 63)) & low_ones(len & 255);
}
/* a sign-extended from width */
static inline uint64_t bfe_s(uint64_t a, uint32_t pos, uint32_t len, unsigned width)
{
	uint32_t up;

	(void)width;
	pos &= 255;
	len &= 255;
	a = (uint64_t)((int64_t)a >> (pos > 63 ? 63 : pos));
	up = len > 63 || len == 0 ? 0 : 64 - len;
	return len == 0 ? 0 : (uint64_t)((int64_t)(a << up) >> up);
}
static inline uint64_t bfi(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, unsigned width)
{
	uint64_t field;

	pos &= 255;
	field = pos >= width ? 0 : low_ones(len & 255) << (pos & 63);
	return (b & ~field) | ((pos >= width ? 0 : a << (pos & 63)) & field);
}
static inline uint32_t brev32(uint32_t v)
{
	v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
	v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
	v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
	v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
	return v >> 16 | v << 16;
}
static inline uint64_t brev64(uint64_t v) { return (uint64_t)brev32((uint32_t)v) << 32 | brev32((uint32_t)(v >> 32)); }
static inline uint32_t bfind_s32(uint32_t a)
{
	a ^= (uint32_t)((int32_t)a >> 31);
	return a ? 31 - (uint32_t)__builtin_clz(a) : UINT32_MAX;
}
static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t sel)
{
	uint32_t d = 0;

	for (unsigned i = 0; i < 4; i++) {
		const uint32_t s = sel >> (4 * i), from = s & 4 ? b : a, v = from >> (s & 3) * 8 & 255;

		d |= (s & 8 ? (0u - (v >> 7)) & 255 : v) << 8 * i;
	}
	return d;
}

/* ---- floating point ---- */
/* A NaN loses to a number, -0 is less than +0. */
#define LESSER(name, type, bits, zero, less)                                         \
	static inline type name##_f##bits(type a, type b)                            \
	{                                                                            \
		type m = a less b ? a : b;                                           \
                                                                                     \
		m = a == b ? f##bits##_of(bits_f##bits(a) zero bits_f##bits(b)) : m; \
		m = b != b ? a : m;                                                  \
		return a != a ? b : m;                                               \
	}
LESSER(min, float, 32, |, <)
LESSER(max, float, 32, &, >)
LESSER(min, double, 64, |, <)
LESSER(max, double, 64, &, >)
#undef LESSER

/* Directed rounding of floats. A sum of two doubles that are floats or products of floats is first rounded to odd (its
 * last bit set if anything is lost: Boldo and Melquiond, 2008), which keeps it on its side of every float; the error of
 * a sum is exact by Knuth's two-sum. Then the nearest float takes a step back where it went beyond the value. */
enum rounding { ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_NEAREST };

static inline float f32_directed(double x, enum rounding r)
{
	float f = (float)x;
	uint32_t u = bits_f32(f), outward = u >> 31 ? r == ROUND_DOWN : r == ROUND_UP;
	bool beyond;
	if (r == ROUND_ZERO)
		beyond = __builtin_fabs((double)f) > __builtin_fabs(x);
	else
		beyond = r == ROUND_DOWN ? (double)f > x : (double)f < x;

	return f32_of(beyond ? u - 1 + 2 * outward : u);
}

static inline float add_directed(double p, double q, enum rounding r)
{
	double s = p + q, t = s - p, lost = (p - (s - t)) + (q - t);
	uint64_t u = bits_f64(s), away = (lost > 0) == (s > 0), zero = (bits_f64(p) | bits_f64(q)) & (uint64_t)1 << 63;

	u += (lost < 0 || lost > 0) && !(u & 1) ? 2 * away - 1 : 0;
	u = s == 0 && r == ROUND_DOWN ? zero : u; /* x - x is -0 */
	return f32_directed(f64_of(u), r);
}

/* a * (1 / b) on hardware: beyond 2^126 the reciprocal is subnormal and lost. */
static inline float div_approx_f32(float a, float b)
{
	float size = __builtin_fabsf(b), zero = __builtin_copysignf(0, a) * __builtin_copysignf(1, b);

	if (!(size > 0x1p126f && size < INFINITY))
		return a / b;
	return __builtin_fabsf(a) < INFINITY ? zero : f32_of(NAN_F32);
}

/* Whether ptxas's division of floats by products must leave it to its careful code, by the bits of both. Either way the
 * quotient is the exact one, so that more pairs than need it do no harm: the products are safe where neither operand,
 * quotient nor remainder comes near the ends of the exponents (test/unit/t_lanes.c tries all exponents). */
static inline bool fchk(uint32_t a, uint32_t b)
{
	const int32_t ea = (int32_t)(a >> 23 & 255), eb = (int32_t)(b >> 23 & 255), q = ea - eb;

	return ea < 30 || ea > 253 || eb < 4 || eb > 250 || q < -120 || q > 120;
}

/* Float to integer: out of range clamps, a NaN gives 0. v is already integral. The 32-bit forms, chosen when the bounds
 * are constants, use conversions that exist as vectors. */
static inline int64_t clamp_s(double v, int64_t min, int64_t max)
{
	v = v == v ? v : 0;
	if (min >= INT32_MIN && max <= INT32_MAX) {
		v = v < (double)min ? (double)min : v;
		return (int32_t)(v > (double)max ? (double)max : v);
	}
	if (v < (double)min)
		return min;
	return v >= 0x1p63 ? max : (int64_t)v;
}
static inline uint64_t clamp_u(double v, uint64_t max)
{
	v = v > 0 ? v : 0;
	if (max <= UINT32_MAX) {
		v = v > (double)max ? (double)max : v;
		return (uint32_t)(int32_t)(v - 0x1p31) ^ 0x80000000u;
	}
	return v >= 0x1p64 ? max : (uint64_t)v;
}

#endif
