/* Sixteen bits and fewer: fp16, bf16, fp8 and their conversions. */
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

#define OUT(v) out[i++ * 1024 + threadIdx.x] = (v)

extern "C" __global__ void halves(__half2 *out, const __half2 *in, __half2 s)
{
	__half2 a = in[threadIdx.x], b = in[threadIdx.x + 1024], c = in[threadIdx.x + 2048];
	int i = 0;

	OUT(__hadd2(a, b));
	OUT(__hmul2(a, s));
	OUT(__hfma2(a, b, c));
	OUT(__hfma2_relu(a, b, c));
	OUT(__hadd2_sat(a, __hneg2(b)));
	OUT(__habs2(a));
	OUT(__hmin2(a, b));
	OUT(__hmax2_nan(b, c));
	OUT(__hgt2(a, b));
	OUT(__hbeq2(a, b) ? c : s);
	OUT(__hlt(__low2half(a), __high2half(b)) ? a : b);
	OUT(__half2half2(__hfma(__low2half(a), __high2half(b), __low2half(c))));
	OUT(__lowhigh2highlow(a));
	OUT(__floats2half2_rn(__low2float(a), __high2float(b)));
	OUT(h2sqrt(a));
	OUT(h2exp2(b));
	OUT(h2rcp(a));
	OUT(__half2half2(__int2half_rn((int)__half2float(__low2half(c)))));
	OUT(__half2half2(__double2half((double)__high2float(a))));
	OUT(__hadd2(a, __float2half2_rn(1.5f)));
	OUT(__hfma2(a, __float2half2_rn(0.25f), b));
	unsigned t, u = *(unsigned *)&a, v = *(unsigned *)&b;
	asm("tanh.approx.f16x2 %0, %1;" : "=r"(t) : "r"(u)); OUT(*(__half2 *)&t);
	asm("ex2.approx.f16x2 %0, %1;" : "=r"(t) : "r"(u)); OUT(*(__half2 *)&t);
	asm("fma.rn.ftz.f16x2 %0, %1, %2, %1;" : "=r"(t) : "r"(u), "r"(v)); OUT(*(__half2 *)&t);
	asm("set.lt.f16x2.f16x2 %0, %1, %2;" : "=r"(t) : "r"(u), "r"(v)); OUT(*(__half2 *)&t);
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void brains(__nv_bfloat162 *out, const __nv_bfloat162 *in, __nv_bfloat162 s)
{
	__nv_bfloat162 a = in[threadIdx.x], b = in[threadIdx.x + 1024], c = in[threadIdx.x + 2048];
	int i = 0;

	OUT(__hadd2(a, b));
	OUT(__hmul2(a, s));
	OUT(__hfma2(a, b, c));
	OUT(__hfma2_relu(a, b, c));
	OUT(__hmin2(a, b));
	OUT(__hmax2_nan(b, c));
	OUT(__hgt2(a, b));
	OUT(__hbeq2(a, b) ? c : s);
	OUT(__habs2(a));
	OUT(__hneg2(b));
	OUT(__floats2bfloat162_rn(__low2float(a), __high2float(b)));
	OUT(h2exp2(b));
	OUT(h2sqrt(c));
	OUT(__bfloat162bfloat162(__int2bfloat16_rn((int)__bfloat162float(__low2bfloat16(c)))));
	unsigned t, u = *(unsigned *)&a;
	float f = __low2float(a), g = __high2float(b);
#if __CUDA_ARCH__ >= 900
	asm("tanh.approx.bf16x2 %0, %1;" : "=r"(t) : "r"(u)); OUT(*(__nv_bfloat162 *)&t);
#endif
	asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(t) : "f"(f), "f"(g)); OUT(*(__nv_bfloat162 *)&t);
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(t) : "f"(f)); OUT(*(__nv_bfloat162 *)&t);
}
#endif

#if __CUDA_ARCH__ >= 890
extern "C" __global__ void eights(uint32_t *out, const float *in)
{
	float a = in[threadIdx.x], b = in[threadIdx.x + 1024];
	uint16_t t;
	uint32_t w;
	int i = 0;

	asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(t) : "f"(a), "f"(b)); OUT(t);
	asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(w) : "h"(t)); OUT(w);
	asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(t) : "f"(b), "f"(a)); OUT(t);
	asm("cvt.rn.relu.f16x2.e5m2x2 %0, %1;" : "=r"(w) : "h"(t)); OUT(w);
	asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(t) : "r"(w)); OUT(t);
#if ARCH_A && __CUDA_ARCH__ >= 1000
	asm("{ .reg .b8 x; cvt.rn.satfinite.e2m1x2.f32 x, %1, %2; cvt.u16.u8 %0, x; }" : "=h"(t) : "f"(a), "f"(b)); OUT(t);
	asm("cvt.rn.satfinite.e2m3x2.f32 %0, %1, %2;" : "=h"(t) : "f"(a), "f"(b)); OUT(t);
	asm("cvt.rn.satfinite.e3m2x2.f32 %0, %1, %2;" : "=h"(t) : "f"(a), "f"(b)); OUT(t);
	asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(t) : "f"(a), "f"(b)); OUT(t);
	asm("cvt.rn.bf16x2.ue8m0x2 %0, %1;" : "=r"(w) : "h"(t)); OUT(w);
	asm("{ .reg .b8 x, y; mov.b16 {x, y}, %1; cvt.rn.f16x2.e2m1x2 %0, x; }" : "=r"(w) : "h"(t)); OUT(w);
#endif
}
#endif
