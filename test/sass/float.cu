/* Floating point of 32 and 64 bits: arithmetic, comparisons, roundings, conversions, special functions. */
#include <cstdint>

#define OUT(v) out[i++ * 1024 + threadIdx.x] = (v)

extern "C" __global__ void single(float *out, const float *in, float s)
{
	float a = in[threadIdx.x], b = in[threadIdx.x + 1024], c = in[threadIdx.x + 2048];
	int i = 0;

	OUT(a + b);
	OUT(a * b - c);
	OUT(__fmaf_rz(a, b, 1.5f));
	OUT(__fadd_ru(a, s) + __fmul_rd(b, c));
	OUT(fabsf(a) - (-b));
	OUT(__saturatef(a * s));
	OUT(fminf(a, b) + fmaxf(c, 2.0f));
	OUT(a < b ? c : s);
	OUT(a == b || !(c > s) ? 1.0f : a);
	OUT(__sinf(a) + __cosf(b));
	OUT(__expf(a) * __logf(b));
	OUT(rsqrtf(a) + __frcp_rn(b));
	OUT(sqrtf(c));
	OUT(a / b);
	OUT(__fdividef(a, c));
	OUT(floorf(a) + ceilf(b) + truncf(c) + rintf(s));
	OUT(copysignf(a, b));
	OUT(isnan(a) ? b : isinf(c) ? a : s);
	OUT(tanhf(a));
	OUT(fmodf(a, b));
	float t;
	asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(a)); OUT(t);
	asm("set.lt.f32.f32 %0, %1, %2;" : "=f"(t) : "f"(a), "f"(b)); OUT(t);
	asm("slct.f32.f32 %0, %1, %2, %3;" : "=f"(t) : "f"(a), "f"(b), "f"(c)); OUT(t);
	asm("copysign.f32 %0, %1, %2;" : "=f"(t) : "f"(a), "f"(b)); OUT(t);
#if __CUDA_ARCH__ >= 1000
	float2 p = __ffma2_rn(make_float2(a, b), make_float2(b, c), make_float2(c, s)), q = __fadd2_rn(p, make_float2(s, a));
	q = __fmul2_rn(p, q);
	OUT(p.x + q.y);
	OUT(p.y - q.x);
#endif
#if __CUDA_ARCH__ >= 800
	asm("min.NaN.f32 %0, %1, %2;" : "=f"(t) : "f"(a), "f"(b)); OUT(t);
#endif
#if __CUDA_ARCH__ >= 1000
	asm("max.f32 %0, %1, %2, %3;" : "=f"(t) : "f"(a), "f"(b), "f"(c)); OUT(t);
#endif
}

extern "C" __global__ void twice(double *out, const double *in, double s)
{
	double a = in[threadIdx.x], b = in[threadIdx.x + 1024], c = in[threadIdx.x + 2048];
	int i = 0;

	OUT(a + b);
	OUT(a * b);
	OUT(fma(a, b, c));
	OUT(__fma_rd(a, -b, s));
	OUT(a - 1.0);
	OUT(fabs(a) + s);
	OUT(a < b ? c : s);
	OUT(fmin(a, b) + fmax(b, c));
	OUT(a != b && c >= 0.5 ? 1.0 : a);
	OUT(1.0 / a);
	OUT(a / b);
	OUT(sqrt(c));
	OUT(floor(a) + rint(b));
	OUT((float)a);
}

extern "C" __global__ void convert(uint64_t *out, const uint64_t *in, float f, double d)
{
	uint64_t w = in[threadIdx.x];
	int i = 0;

	OUT(__float2int_rz(f) + __float2uint_ru(__uint_as_float((uint32_t)w)));
	OUT(__float2ll_rn(__uint_as_float((uint32_t)w)));
	OUT(__float2ull_rd(f));
	OUT(__double2int_rz(__longlong_as_double(w)));
	OUT(__double2ull_rz(__longlong_as_double(w)));
	OUT(__float_as_uint(__int2float_rn((int)w)));
	OUT(__float_as_uint(__uint2float_rz((uint32_t)(w >> 5))));
	OUT(__float_as_uint(__ll2float_rn(w)));
	OUT(__double_as_longlong(__int2double_rn((int)w)));
	OUT(__double_as_longlong(__ull2double_rn(w)));
	OUT(__double_as_longlong((double)__uint_as_float((uint32_t)w)));
	OUT(__float_as_uint(__double2float_rn(__longlong_as_double(w))));
	OUT((int8_t)__uint_as_float((uint32_t)w) + (uint16_t)f);
	OUT(__float_as_uint((float)(uint8_t)w + (float)(int16_t)(w >> 16)));
	OUT(__float_as_uint((float)(uint8_t)(w >> 8) + (float)(uint8_t)(w >> 24)));
	int t;
	asm("cvt.sat.s8.s32 %0, %1;" : "=r"(t) : "r"((int)w)); OUT(t);
	asm("cvt.sat.u16.s32 %0, %1;" : "=r"(t) : "r"((int)w)); OUT(t);
	asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(t) : "r"((int)w), "r"((int)(w >> 32))); OUT(t);
	asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(t) : "r"((int)w), "r"((int)(w >> 32)), "r"((int)f)); OUT(t);
}
