/* What single floating-point and conversion rows of ops.def must compute, written from the PTX ISA in another way than
 * the rows are: for t_lanes.c. Rows over integers: test/conform. s[0], s[1], ... are the sources, zero-extended to 64
 * bits; the result is the destination's register contents. */
#ifndef REGLOOM_TEST_LANE_ORACLES_H
#define REGLOOM_TEST_LANE_ORACLES_H

#include "analyzer/ir/ops.h"
#include "runtime-model/engine/lane_math.h"

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
/* sign of a, size of b */
static uint64_t o_copysign(const uint64_t s[4]) { return (s[0] & 0x80000000) | (s[1] & 0x7fffffff); }
static uint64_t o_rcp(const uint64_t s[4]) { return rf(1.0f / f(s[0])); }
/* float to integer by the bounds of the type, in long double, where every value of both types is exact */
static uint64_t clamp(long double v, long double lo, long double hi)
{
	if (isnan(v))
		return 0;
	if (v < lo)
		v = lo;
	else
		v = v > hi ? hi : v;
	return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}
static uint64_t o_rzi_s32(const uint64_t s[4])
{
	return (uint32_t)clamp(truncl(f(s[0])), -2147483648.0L, 2147483647.0L);
}
static uint64_t o_rni_u32(const uint64_t s[4]) { return clamp(rintl(f(s[0])), 0, 4294967295.0L); }
static uint64_t o_rmi_s16(const uint64_t s[4]) { return (uint32_t)clamp(floorl(f(s[0])), -32768, 32767); }
/* a NaN is 1 in the top bit where the source or the destination has 64 bits */
static uint64_t top(bool nan, unsigned bits, uint64_t v) { return nan ? (uint64_t)1 << (bits - 1) : v; }
static uint64_t o_rpi_u16(const uint64_t s[4]) { return top(isnan(g(s[0])), 16, clamp(ceill(g(s[0])), 0, 65535)); }
static uint64_t o_rzi_u64(const uint64_t s[4])
{
	return top(isnan(f(s[0])), 64, clamp(truncl(f(s[0])), 0, 18446744073709551615.0L));
}
static uint64_t o_rni_s64(const uint64_t s[4])
{
	return top(isnan(g(s[0])), 64, clamp(rintl(g(s[0])), -9223372036854775808.0L, 9223372036854775807.0L));
}
static uint64_t o_rzi_u32d(const uint64_t s[4])
{
	return top(isnan(g(s[0])), 32, clamp(truncl(g(s[0])), 0, 4294967295.0L));
}
static uint64_t o_s64_f32(const uint64_t s[4]) { return rf((float)(int64_t)s[0]); }
static uint64_t o_u64_f64(const uint64_t s[4]) { return rg((double)(long double)s[0], NULL, 0); }
static uint64_t o_u32_f32(const uint64_t s[4]) { return rf((float)(double)(uint32_t)s[0]); }
static uint64_t o_s8_f32(const uint64_t s[4]) { return rf((float)(int8_t)s[0]); }
static uint64_t o_d2f(const uint64_t s[4]) { return rf((float)g(s[0])); }
static uint64_t o_f2d(const uint64_t s[4]) { return rg(f(s[0]), NULL, 0); }
static uint64_t o_frint(const uint64_t s[4]) { return rf((float)rintl(f(s[0]))); }
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
#define DIRECTED_ORACLES(r, mode)                                                                        \
	static uint64_t o_add_##r(const uint64_t s[4]) { return rf(c_sum(f(s[0]), f(s[1]), mode)); }     \
	static uint64_t o_sub_##r(const uint64_t s[4]) { return rf(c_sum(f(s[0]), -f(s[1]), mode)); }    \
	static uint64_t o_mul_##r(const uint64_t s[4]) { return rf(c_product(f(s[0]), f(s[1]), mode)); } \
	static uint64_t o_fma_##r(const uint64_t s[4]) { return rf(c_fma(f(s[0]), f(s[1]), f(s[2]), mode)); }
DIRECTED_ORACLES(rz, FE_TOWARDZERO)
DIRECTED_ORACLES(rm, FE_DOWNWARD)
DIRECTED_ORACLES(rp, FE_UPWARD)

static const struct {
	enum op op;
	oracle *want;
} semantics[] = {
	{ OP_CVT_S32_S16, o_sx16 },
	{ OP_CVT_S64_S8, o_sx8_64 },
	{ OP_CVT_S64_S32, o_sx32_64 },
	{ OP_CVT_U8_D, o_low8 },
	{ OP_CVT_U32_D, o_low32 },
	{ OP_ADD_F32, o_fadd },
	{ OP_MUL_F32, o_fmul },
	{ OP_FMA_F32, o_fma32 },
	{ OP_FMA_F64, o_fma64 },
	{ OP_DIV_F32, o_fdiv },
	{ OP_SQRT_F32, o_fsqrt },
	{ OP_SUB_F64, o_dsub },
	{ OP_MIN_F32, o_fmin },
	{ OP_MAX_F64, o_dmax },
	{ OP_COPYSIGN_F32, o_copysign },
	{ OP_RCP_F32, o_rcp },
	{ OP_CVT_RZI_S32_F32, o_rzi_s32 },
	{ OP_CVT_RNI_U32_F32, o_rni_u32 },
	{ OP_CVT_RMI_S16_F32, o_rmi_s16 },
	{ OP_CVT_RPI_U16_F64, o_rpi_u16 },
	{ OP_CVT_RZI_U64_F32, o_rzi_u64 },
	{ OP_CVT_RNI_S64_F64, o_rni_s64 },
	{ OP_CVT_RZI_U32_F64, o_rzi_u32d },
	{ OP_CVT_RN_F32_S64, o_s64_f32 },
	{ OP_CVT_RN_F64_U64, o_u64_f64 },
	{ OP_CVT_RN_F32_U32, o_u32_f32 },
	{ OP_CVT_RN_F32_S8, o_s8_f32 },
	{ OP_CVT_RN_F32_F64, o_d2f },
	{ OP_CVT_F64_F32, o_f2d },
	{ OP_CVT_RNI_F32_F32, o_frint },
	{ OP_SETP_LT_F32, o_flt },
	{ OP_SETP_NE_F32, o_fne },
	{ OP_SETP_NEU_F32, o_fneu },
	{ OP_SETP_EQU_F32, o_fequ },
	{ OP_SETP_LTU_F32, o_fltu },
	{ OP_SETP_GEU_F32, o_fgeu },
	{ OP_SETP_NUM_F32, o_fnum },
	{ OP_SETP_NAN_F32, o_fnan },
	{ OP_SETP_GE_F64, o_dge },
	{ OP_ADD_RZ_F32, o_add_rz },
	{ OP_ADD_RM_F32, o_add_rm },
	{ OP_ADD_RP_F32, o_add_rp },
	{ OP_SUB_RZ_F32, o_sub_rz },
	{ OP_SUB_RM_F32, o_sub_rm },
	{ OP_SUB_RP_F32, o_sub_rp },
	{ OP_MUL_RZ_F32, o_mul_rz },
	{ OP_MUL_RM_F32, o_mul_rm },
	{ OP_MUL_RP_F32, o_mul_rp },
	{ OP_FMA_RZ_F32, o_fma_rz },
	{ OP_FMA_RM_F32, o_fma_rm },
	{ OP_FMA_RP_F32, o_fma_rp },
};

#endif
