/* What single rows of ops.def must compute, written from the PTX ISA in another way than the rows are: for t_lanes.c.
 * s[0], s[1], ... are the sources, zero-extended to 64 bits; the result is the destination's register contents. */
#ifndef REGLOOM_TEST_LANE_ORACLES_H
#define REGLOOM_TEST_LANE_ORACLES_H

#include "analyzer/ir/ops.h"
#include "runtime-model/engine/lane.h"

#include <fenv.h>
#include <math.h>

typedef uint64_t oracle(const uint64_t s[4]);

static float f(uint64_t v) { return f32_of((uint32_t)v); }
static double g(uint64_t v) { return f64_of(v); }
static uint64_t rf(float v) { return isnan(v) ? 0x7fffffff : bits_f32(v); }
/* The first of s that is a NaN, made quiet. */
static uint64_t rg(double v, const uint64_t *s, unsigned n)
{
	for (unsigned i = 0; isnan(v) && i < n; i++)
		if (isnan(g(s[i])))
			return s[i] | 0x0008000000000000;
	return isnan(v) ? 0xfff8000000000000 : bits_f64(v);
}
static int32_t s32(uint64_t v) { return (int32_t)(uint32_t)v; }

static uint64_t o_add32(const uint64_t s[4]) { return (uint32_t)(s[0] + s[1]); }
static uint64_t o_sub64(const uint64_t s[4]) { return s[0] - s[1]; }
static uint64_t o_adds16(const uint64_t s[4]) { return (uint32_t)(int16_t)(s[0] + s[1]); }
static uint64_t o_addu16(const uint64_t s[4]) { return (s[0] + s[1]) & 0xffff; }
static uint64_t o_addsat(const uint64_t s[4])
{
	long long v = (long long)s32(s[0]) + s32(s[1]);

	return (uint32_t)(v > 2147483647LL ? 2147483647LL : v < -2147483648LL ? -2147483648LL : v);
}
static uint64_t mul_hi64(uint64_t a, uint64_t b)         /* schoolbook on 16-bit digits */
{
	uint64_t acc[8] = { 0 }, carry = 0, hi = 0;

	for (unsigned i = 0; i < 4; i++)
		for (unsigned j = 0; j < 4; j++)
			acc[i + j] += (a >> 16 * i & 0xffff) * (b >> 16 * j & 0xffff);
	for (unsigned i = 0; i < 8; i++) {
		acc[i] += carry;
		carry = acc[i] >> 16;
		if (i >= 4)
			hi |= (acc[i] & 0xffff) << 16 * (i - 4);
	}
	return hi;
}
static uint64_t o_mulhiu64(const uint64_t s[4]) { return mul_hi64(s[0], s[1]); }
static uint64_t o_mulhis64(const uint64_t s[4])
{
	bool neg = (int64_t)(s[0] ^ s[1]) < 0;
	uint64_t a = (int64_t)s[0] < 0 ? 0 - s[0] : s[0], b = (int64_t)s[1] < 0 ? 0 - s[1] : s[1];
	uint64_t hi = mul_hi64(a, b), lo = a * b;

	return neg ? ~hi + (lo == 0) : hi;
}
static uint64_t o_mulhiu32(const uint64_t s[4]) { return s[0] * s[1] >> 32; }
static uint64_t o_mulhis32(const uint64_t s[4]) { return (uint32_t)((int64_t)s32(s[0]) * s32(s[1]) >> 32); }
static uint64_t o_mulhis16(const uint64_t s[4]) { return (uint32_t)(int16_t)((int16_t)s[0] * (int16_t)s[1] >> 16); }
static uint64_t o_wides32(const uint64_t s[4]) { return (uint64_t)((int64_t)s32(s[0]) * s32(s[1])); }
static uint64_t o_mul24s(const uint64_t s[4])
{
	int64_t a = (int64_t)(s[0] & 0xffffff), b = (int64_t)(s[1] & 0xffffff);

	a -= a & 0x800000 ? 0x1000000 : 0;
	b -= b & 0x800000 ? 0x1000000 : 0;
	return (uint32_t)(a * b);
}
static uint64_t o_madhis32(const uint64_t s[4]) { return (uint32_t)(((int64_t)s32(s[0]) * s32(s[1]) >> 32) + (int64_t)s[2]); }
static uint64_t o_divs32(const uint64_t s[4])
{
	return s32(s[1]) == 0 ? 0xffffffff : (uint32_t)((int64_t)s32(s[0]) / s32(s[1]));
}
static uint64_t o_rems32(const uint64_t s[4]) { return s32(s[1]) == 0 ? s[0] : (uint32_t)((int64_t)s32(s[0]) % s32(s[1])); }
static uint64_t o_divu32(const uint64_t s[4]) { return s[1] ? s[0] / s[1] : 0xffffffff; }
static uint64_t o_remu64(const uint64_t s[4]) { return s[1] ? s[0] % s[1] : s[0]; }
static uint64_t o_divs64(const uint64_t s[4])
{
	if (!s[1])
		return UINT64_MAX;
	return s[1] == UINT64_MAX ? 0 - s[0] : (uint64_t)((int64_t)s[0] / (int64_t)s[1]);
}
static uint64_t o_rems64(const uint64_t s[4])
{
	return !s[1] ? s[0] : s[1] == UINT64_MAX ? 0 : (uint64_t)((int64_t)s[0] % (int64_t)s[1]);
}
static uint64_t o_divu16(const uint64_t s[4]) { return s[1] ? s[0] / s[1] : 0xffff; }
static uint64_t o_divs16(const uint64_t s[4])
{
	return (uint32_t)(int16_t)((int16_t)s[1] == 0 ? -1 : (int16_t)s[0] / (int16_t)s[1]);
}
static uint64_t o_mins32(const uint64_t s[4]) { return s32(s[0]) < s32(s[1]) ? s[0] : s[1]; }
static uint64_t o_maxu64(const uint64_t s[4]) { return s[0] > s[1] ? s[0] : s[1]; }
static uint64_t o_abs32(const uint64_t s[4]) { return s32(s[0]) < 0 ? (uint32_t)(0 - s[0]) : s[0]; }
static uint64_t o_sads32(const uint64_t s[4])
{
	int64_t d = (int64_t)s32(s[0]) - s32(s[1]);

	return (uint32_t)(s[2] + (uint64_t)(d < 0 ? -d : d));
}
static uint64_t o_lop3(const uint64_t s[4])
{
	uint64_t d = 0;

	for (unsigned i = 0; i < 32; i++)
		d |= (s[3] >> ((s[0] >> i & 1) * 4 + (s[1] >> i & 1) * 2 + (s[2] >> i & 1)) & 1) << i;
	return d;
}
static uint64_t o_shl32(const uint64_t s[4]) { return s[1] >= 32 ? 0 : (uint32_t)(s[0] << s[1]); }
static uint64_t o_shl64(const uint64_t s[4]) { return s[1] >= 64 ? 0 : s[0] << s[1]; }
static uint64_t o_shru16(const uint64_t s[4]) { return s[1] >= 16 ? 0 : s[0] >> s[1]; }
static uint64_t o_shrs16(const uint64_t s[4]) { return (uint32_t)(int16_t)((int16_t)s[0] >> (s[1] >= 16 ? 15 : s[1])); }
static uint64_t o_shrs32(const uint64_t s[4]) { return (uint32_t)(s32(s[0]) >> (s[1] > 31 ? 31 : s[1])); }
static uint64_t o_shrs64(const uint64_t s[4]) { return (uint64_t)((int64_t)s[0] >> (s[1] > 63 ? 63 : s[1])); }
static uint64_t shf(const uint64_t s[4], bool left, uint64_t n)
{
	uint32_t r = left ? (uint32_t)s[1] : (uint32_t)s[0];

	for (uint64_t i = 0; i < n; i++) {       /* bit by bit: the other word feeds in */
		if (left)
			r = r << 1 | ((uint32_t)s[0] >> (31 - i) & 1);
		else
			r = r >> 1 | ((uint32_t)s[1] >> i & 1) << 31;
	}
	return r;
}
static uint64_t o_shflc(const uint64_t s[4]) { return shf(s, true, s[2] > 32 ? 32 : s[2]); }
static uint64_t o_shflw(const uint64_t s[4]) { return shf(s, true, s[2] & 31); }
static uint64_t o_shfrc(const uint64_t s[4]) { return shf(s, false, s[2] > 32 ? 32 : s[2]); }
static uint64_t o_shfrw(const uint64_t s[4]) { return shf(s, false, s[2] & 31); }
static uint64_t bfe(const uint64_t s[4], unsigned msb, bool sign)        /* the pseudo-code of the ISA */
{
	unsigned pos = s[1] & 0xff, len = s[2] & 0xff, top = pos + len - 1 < msb ? pos + len - 1 : msb;
	unsigned sbit = !sign || len == 0 ? 0 : s[0] >> top & 1;
	uint64_t d = 0;

	for (unsigned i = 0; i <= msb; i++)
		d |= (uint64_t)(i < len && pos + i <= msb ? s[0] >> (pos + i) & 1 : sbit) << i;
	return d;
}
static uint64_t o_bfeu32(const uint64_t s[4]) { return bfe(s, 31, false); }
static uint64_t o_bfes32(const uint64_t s[4]) { return bfe(s, 31, true); }
static uint64_t o_bfeu64(const uint64_t s[4]) { return bfe(s, 63, false); }
static uint64_t o_bfes64(const uint64_t s[4]) { return bfe(s, 63, true); }
static uint64_t bfi_bits(const uint64_t s[4], unsigned msb)
{
	unsigned pos = s[2] & 0xff, len = s[3] & 0xff;
	uint64_t d = s[1];

	for (unsigned i = 0; i < len && pos + i <= msb; i++)
		d = (d & ~((uint64_t)1 << (pos + i))) | (s[0] >> i & 1) << (pos + i);
	return d;
}
static uint64_t o_bfi32(const uint64_t s[4]) { return bfi_bits(s, 31); }
static uint64_t o_bfi64(const uint64_t s[4]) { return bfi_bits(s, 63); }
static uint64_t o_brev64(const uint64_t s[4])
{
	uint64_t d = 0;

	for (unsigned i = 0; i < 64; i++)
		d |= (s[0] >> i & 1) << (63 - i);
	return d;
}
static uint64_t o_brev32(const uint64_t s[4]) { return o_brev64(s) >> 32; }
static uint64_t o_popc64(const uint64_t s[4])
{
	unsigned n = 0;

	for (unsigned i = 0; i < 64; i++)
		n += s[0] >> i & 1;
	return n;
}
static uint64_t clz_bits(uint64_t v, unsigned bits)
{
	unsigned n = 0;

	while (n < bits && !(v >> (bits - 1 - n) & 1))
		n++;
	return n;
}
static uint64_t o_clz32(const uint64_t s[4]) { return clz_bits(s[0], 32); }
static uint64_t o_clz64(const uint64_t s[4]) { return clz_bits(s[0], 64); }
static uint64_t o_bfindu32(const uint64_t s[4])
{
	uint32_t d = UINT32_MAX;

	for (unsigned i = 0; i < 32; i++)
		if (s[0] >> i & 1)
			d = i;
	return d;
}
static uint64_t o_bfinds32(const uint64_t s[4])
{
	uint64_t v[4] = { s[0] >> 31 & 1 ? (uint32_t)~s[0] : s[0] };

	return o_bfindu32(v);
}
static uint64_t o_prmt(const uint64_t s[4])
{
	uint8_t b[8], d[4];

	for (unsigned i = 0; i < 8; i++)
		b[i] = (uint8_t)((i < 4 ? s[0] : s[1]) >> 8 * (i & 3));
	for (unsigned i = 0; i < 4; i++) {
		unsigned n = (unsigned)(s[2] >> 4 * i) & 15;

		d[i] = n & 8 ? (b[n & 7] & 0x80 ? 0xff : 0) : b[n & 7];
	}
	return d[0] | d[1] << 8 | d[2] << 16 | (uint32_t)d[3] << 24;
}
static uint64_t o_selp64(const uint64_t s[4]) { return s[2] ? s[0] : s[1]; }
static uint64_t o_slctf(const uint64_t s[4]) { return f(s[2]) >= 0 ? s[0] : s[1]; }
static uint64_t o_pack4(const uint64_t s[4]) { return s[0] | s[1] << 16 | s[2] << 32 | s[3] << 48; }
static uint64_t o_first(const uint64_t s[4]) { return s[0]; }
static uint64_t o_sx16(const uint64_t s[4]) { return (uint32_t)(int16_t)s[0]; }
static uint64_t o_sx8_64(const uint64_t s[4]) { return (uint64_t)(int64_t)(int8_t)s[0]; }
static uint64_t o_sx32_64(const uint64_t s[4]) { return (uint64_t)(int64_t)s32(s[0]); }
static uint64_t o_low8(const uint64_t s[4]) { return s[0] & 255; }
static uint64_t o_low32(const uint64_t s[4]) { return (uint32_t)s[0]; }
static uint64_t o_fadd(const uint64_t s[4]) { return rf(f(s[0]) + f(s[1])); }
static uint64_t o_fmul(const uint64_t s[4]) { return rf((float)((double)f(s[0]) * (double)f(s[1]))); }
static uint64_t o_fma32(const uint64_t s[4]) { return rf(fmaf(f(s[0]), f(s[1]), f(s[2]))); }
static uint64_t o_fma64(const uint64_t s[4]) { return rg(fma(g(s[0]), g(s[1]), g(s[2])), s, 3); }
static uint64_t o_fdiv(const uint64_t s[4]) { return rf((float)((double)f(s[0]) / (double)f(s[1]))); }
static uint64_t o_fsqrt(const uint64_t s[4]) { return rf((float)sqrt((double)f(s[0]))); }
static uint64_t o_dsub(const uint64_t s[4]) { return rg(g(s[0]) - g(s[1]), s, 2); }
static uint64_t o_fmin(const uint64_t s[4])
{
	if (isnan(f(s[0])) || isnan(f(s[1])))
		return isnan(f(s[0])) ? rf(f(s[1])) : s[0];
	if (f(s[0]) == 0 && f(s[1]) == 0)
		return signbit(f(s[0])) ? s[0] : s[1];
	return f(s[0]) < f(s[1]) ? s[0] : s[1];
}
static uint64_t o_dmax(const uint64_t s[4])
{
	if (isnan(g(s[0])) || isnan(g(s[1])))
		return isnan(g(s[0])) ? rg(g(s[1]), isnan(g(s[1])) ? s : s + 1, 1) : s[0];
	if (g(s[0]) == 0 && g(s[1]) == 0)
		return signbit(g(s[0])) ? s[1] : s[0];
	return g(s[0]) > g(s[1]) ? s[0] : s[1];
}
static uint64_t o_copysign(const uint64_t s[4]) { return (s[0] & 0x80000000) | (s[1] & 0x7fffffff); }     /* sign of a, size of b */
static uint64_t o_rcp(const uint64_t s[4]) { return rf(1.0f / f(s[0])); }
/* float to integer by the bounds of the type, in long double, where every value of both types is exact */
static uint64_t clamp(long double v, long double lo, long double hi)
{
	if (isnan(v))
		return 0;
	v = v < lo ? lo : v > hi ? hi : v;
	return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}
static uint64_t o_rzi_s32(const uint64_t s[4]) { return (uint32_t)clamp(truncl(f(s[0])), -2147483648.0L, 2147483647.0L); }
static uint64_t o_rni_u32(const uint64_t s[4]) { return clamp(rintl(f(s[0])), 0, 4294967295.0L); }
static uint64_t o_rmi_s16(const uint64_t s[4]) { return (uint32_t)clamp(floorl(f(s[0])), -32768, 32767); }
static uint64_t o_rpi_u16(const uint64_t s[4]) { return clamp(ceill(g(s[0])), 0, 65535); }
static uint64_t o_rzi_u64(const uint64_t s[4]) { return clamp(truncl(f(s[0])), 0, 18446744073709551615.0L); }
static uint64_t o_rni_s64(const uint64_t s[4]) { return clamp(rintl(g(s[0])), -9223372036854775808.0L, 9223372036854775807.0L); }
static uint64_t o_rzi_u32d(const uint64_t s[4]) { return clamp(truncl(g(s[0])), 0, 4294967295.0L); }
static uint64_t o_s64_f32(const uint64_t s[4]) { return rf((float)(int64_t)s[0]); }
static uint64_t o_u64_f64(const uint64_t s[4]) { return rg((double)(long double)s[0], NULL, 0); }
static uint64_t o_u32_f32(const uint64_t s[4]) { return rf((float)(double)(uint32_t)s[0]); }
static uint64_t o_s8_f32(const uint64_t s[4]) { return rf((float)(int8_t)s[0]); }
static uint64_t o_d2f(const uint64_t s[4]) { return rf((float)g(s[0])); }
static uint64_t o_f2d(const uint64_t s[4]) { return rg(f(s[0]), NULL, 0); }
static uint64_t o_frint(const uint64_t s[4]) { return rf((float)rintl(f(s[0]))); }
static uint64_t o_lts16(const uint64_t s[4]) { return (int16_t)s[0] < (int16_t)s[1]; }
static uint64_t o_gts64(const uint64_t s[4]) { return (int64_t)s[0] > (int64_t)s[1]; }
static uint64_t o_leu32(const uint64_t s[4]) { return s[0] <= s[1]; }
static uint64_t o_eq64(const uint64_t s[4]) { return s[0] == s[1]; }
static bool unordered32(const uint64_t s[4]) { return isnan(f(s[0])) || isnan(f(s[1])); }
static uint64_t o_flt(const uint64_t s[4]) { return isless(f(s[0]), f(s[1])); }
static uint64_t o_fne(const uint64_t s[4]) { return !unordered32(s) && f(s[0]) != f(s[1]); }
static uint64_t o_fneu(const uint64_t s[4]) { return unordered32(s) || f(s[0]) != f(s[1]); }
static uint64_t o_fequ(const uint64_t s[4]) { return unordered32(s) || f(s[0]) == f(s[1]); }
static uint64_t o_fltu(const uint64_t s[4]) { return unordered32(s) || f(s[0]) < f(s[1]); }
static uint64_t o_fgeu(const uint64_t s[4]) { return unordered32(s) || f(s[0]) >= f(s[1]); }
static uint64_t o_fnum(const uint64_t s[4]) { return !unordered32(s); }
static uint64_t o_fnan(const uint64_t s[4]) { return unordered32(s); }
static uint64_t o_dge(const uint64_t s[4]) { return isgreaterequal(g(s[0]), g(s[1])); }
static uint64_t o_pxor(const uint64_t s[4]) { return s[0] ^ s[1]; }

static uint64_t dot4(const uint64_t s[4], bool sa, bool sb)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < 4; i++) {
		uint8_t x = (uint8_t)(s[0] >> 8 * i), y = (uint8_t)(s[1] >> 8 * i);

		sum += (sa ? (int8_t)x : (int)x) * (sb ? (int8_t)y : (int)y);
	}
	return (uint32_t)((uint64_t)sum + s[2]);
}
static uint64_t o_dp4a_uu(const uint64_t s[4]) { return dot4(s, false, false); }
static uint64_t o_dp4a_ss(const uint64_t s[4]) { return dot4(s, true, true); }
static uint64_t o_dp4a_us(const uint64_t s[4]) { return dot4(s, false, true); }
static uint64_t o_dp4a_su(const uint64_t s[4]) { return dot4(s, true, false); }
static uint64_t o_in_global(const uint64_t s[4]) { return s[0] >> 28 != 0; }
static uint64_t o_in_shared(const uint64_t s[4]) { return s[0] >> 24 == 1; }
static uint64_t o_in_local(const uint64_t s[4]) { return s[0] >> 24 == 2; }
static uint64_t o_in_const(const uint64_t s[4]) { return s[0] >> 24 == 4; }

/* Directed rounding by the host's own. */
static float c_sum(volatile float a, volatile float b, int mode)
{
	volatile float r;

	fesetround(mode);
	r = a + b;
	fesetround(FE_TONEAREST);
	return r;
}
static float c_product(volatile float a, volatile float b, int mode)
{
	volatile float r;

	fesetround(mode);
	r = a * b;
	fesetround(FE_TONEAREST);
	return r;
}
static float c_fma(volatile float a, volatile float b, volatile float c, int mode)
{
	volatile float r;

	fesetround(mode);
	r = fmaf(a, b, c);
	fesetround(FE_TONEAREST);
	return r;
}
#define DIRECTED_ORACLES(r, mode) \
	static uint64_t o_add_##r(const uint64_t s[4]) { return rf(c_sum(f(s[0]), f(s[1]), mode)); } \
	static uint64_t o_sub_##r(const uint64_t s[4]) { return rf(c_sum(f(s[0]), -f(s[1]), mode)); } \
	static uint64_t o_mul_##r(const uint64_t s[4]) { return rf(c_product(f(s[0]), f(s[1]), mode)); } \
	static uint64_t o_fma_##r(const uint64_t s[4]) { return rf(c_fma(f(s[0]), f(s[1]), f(s[2]), mode)); }
DIRECTED_ORACLES(rz, FE_TOWARDZERO)
DIRECTED_ORACLES(rm, FE_DOWNWARD)
DIRECTED_ORACLES(rp, FE_UPWARD)

static const struct { enum op op; oracle *want; } semantics[] = {
	{ OP_ADD_S32, o_add32 }, { OP_SUB_S64, o_sub64 }, { OP_ADD_S16, o_adds16 }, { OP_ADD_U16, o_addu16 },
	{ OP_ADD_SAT_S32, o_addsat }, { OP_MUL_HI_U64, o_mulhiu64 }, { OP_MUL_HI_S64, o_mulhis64 }, { OP_MUL_HI_U32, o_mulhiu32 },
	{ OP_MUL_HI_S32, o_mulhis32 }, { OP_MUL_HI_S16, o_mulhis16 }, { OP_MUL_WIDE_S32, o_wides32 }, { OP_MUL24_LO_S32, o_mul24s },
	{ OP_MAD_HI_S32, o_madhis32 }, { OP_DIV_S32, o_divs32 }, { OP_REM_S32, o_rems32 }, { OP_DIV_U32, o_divu32 },
	{ OP_REM_U64, o_remu64 }, { OP_DIV_S64, o_divs64 }, { OP_REM_S64, o_rems64 }, { OP_DIV_U16, o_divu16 }, { OP_DIV_S16, o_divs16 },
	{ OP_MIN_S32, o_mins32 }, { OP_MAX_U64, o_maxu64 }, { OP_ABS_S32, o_abs32 }, { OP_SAD_S32, o_sads32 }, { OP_LOP3_B32, o_lop3 },
	{ OP_SHL_B32, o_shl32 }, { OP_SHL_B64, o_shl64 }, { OP_SHR_U16, o_shru16 }, { OP_SHR_S16, o_shrs16 }, { OP_SHR_S32, o_shrs32 },
	{ OP_SHR_S64, o_shrs64 }, { OP_SHF_L_CLAMP, o_shflc }, { OP_SHF_L_WRAP, o_shflw }, { OP_SHF_R_CLAMP, o_shfrc },
	{ OP_SHF_R_WRAP, o_shfrw }, { OP_BFE_U32, o_bfeu32 }, { OP_BFE_S32, o_bfes32 }, { OP_BFE_U64, o_bfeu64 }, { OP_BFE_S64, o_bfes64 },
	{ OP_BFI_B32, o_bfi32 }, { OP_BFI_B64, o_bfi64 }, { OP_BREV_B32, o_brev32 }, { OP_BREV_B64, o_brev64 }, { OP_POPC_B64, o_popc64 },
	{ OP_CLZ_B32, o_clz32 }, { OP_CLZ_B64, o_clz64 }, { OP_BFIND_U32, o_bfindu32 }, { OP_BFIND_S32, o_bfinds32 }, { OP_PRMT_B32, o_prmt },
	{ OP_SELP_B64, o_selp64 }, { OP_SELP_F32, o_selp64 }, { OP_SLCT_F32_F32, o_slctf }, { OP_PACK_B64_H, o_pack4 }, { OP_MOV_F32, o_first },
	{ OP_MOV_F64, o_first }, { OP_CVT_S32_S16, o_sx16 }, { OP_CVT_S64_S8, o_sx8_64 }, { OP_CVT_S64_S32, o_sx32_64 },
	{ OP_CVT_U8_D, o_low8 }, { OP_CVT_U32_D, o_low32 }, { OP_ADD_F32, o_fadd }, { OP_MUL_F32, o_fmul }, { OP_FMA_F32, o_fma32 },
	{ OP_FMA_F64, o_fma64 }, { OP_DIV_F32, o_fdiv }, { OP_SQRT_F32, o_fsqrt }, { OP_SUB_F64, o_dsub }, { OP_MIN_F32, o_fmin },
	{ OP_MAX_F64, o_dmax }, { OP_COPYSIGN_F32, o_copysign }, { OP_RCP_F32, o_rcp }, { OP_CVT_RZI_S32_F32, o_rzi_s32 },
	{ OP_CVT_RNI_U32_F32, o_rni_u32 }, { OP_CVT_RMI_S16_F32, o_rmi_s16 }, { OP_CVT_RPI_U16_F64, o_rpi_u16 },
	{ OP_CVT_RZI_U64_F32, o_rzi_u64 }, { OP_CVT_RNI_S64_F64, o_rni_s64 }, { OP_CVT_RZI_U32_F64, o_rzi_u32d },
	{ OP_CVT_RN_F32_S64, o_s64_f32 }, { OP_CVT_RN_F64_U64, o_u64_f64 }, { OP_CVT_RN_F32_U32, o_u32_f32 }, { OP_CVT_RN_F32_S8, o_s8_f32 },
	{ OP_CVT_RN_F32_F64, o_d2f }, { OP_CVT_F64_F32, o_f2d }, { OP_CVT_RNI_F32_F32, o_frint }, { OP_SETP_LT_S16, o_lts16 },
	{ OP_SETP_GT_S64, o_gts64 }, { OP_SETP_LE_U32, o_leu32 }, { OP_SETP_EQ_B64, o_eq64 }, { OP_SETP_LT_F32, o_flt },
	{ OP_SETP_NE_F32, o_fne }, { OP_SETP_NEU_F32, o_fneu }, { OP_SETP_EQU_F32, o_fequ }, { OP_SETP_LTU_F32, o_fltu },
	{ OP_SETP_GEU_F32, o_fgeu }, { OP_SETP_NUM_F32, o_fnum }, { OP_SETP_NAN_F32, o_fnan }, { OP_SETP_GE_F64, o_dge },
	{ OP_XOR_PRED, o_pxor }, { OP_DP4A_U32_U32, o_dp4a_uu }, { OP_DP4A_S32_S32, o_dp4a_ss }, { OP_DP4A_U32_S32, o_dp4a_us },
	{ OP_DP4A_S32_U32, o_dp4a_su }, { OP_ISSPACEP_GLOBAL, o_in_global }, { OP_ISSPACEP_SHARED, o_in_shared },
	{ OP_ISSPACEP_LOCAL, o_in_local }, { OP_ISSPACEP_CONST, o_in_const },
	{ OP_ADD_RZ_F32, o_add_rz }, { OP_ADD_RM_F32, o_add_rm }, { OP_ADD_RP_F32, o_add_rp },
	{ OP_SUB_RZ_F32, o_sub_rz }, { OP_SUB_RM_F32, o_sub_rm }, { OP_SUB_RP_F32, o_sub_rp },
	{ OP_MUL_RZ_F32, o_mul_rz }, { OP_MUL_RM_F32, o_mul_rm }, { OP_MUL_RP_F32, o_mul_rp },
	{ OP_FMA_RZ_F32, o_fma_rz }, { OP_FMA_RM_F32, o_fma_rm }, { OP_FMA_RP_F32, o_fma_rp },
};

#endif
