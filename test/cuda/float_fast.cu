// The fast intrinsics, which become approximate instructions: __sinf, __cosf, __expf, __logf, __powf, __fdividef, rcp, rsqrt, tanh.
#include <cstdint>

extern "C" __global__ void float_fast(float *out, const float *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	const float x = in[i], p = fabsf(x) + 0.25f;
	float r;

	out[i] = __sinf(x * 0.375f);
	out[n + i] = __cosf(x * 0.375f);
	out[2 * n + i] = __expf(x) / expf(x);
	out[3 * n + i] = __logf(p);
	out[4 * n + i] = __powf(p, x * 0.25f);
	out[5 * n + i] = __fdividef(x, p);
	out[6 * n + i] = __exp10f(x * 0.1f);
	out[7 * n + i] = __log2f(p) + __log10f(p);
	asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(p));
	out[8 * n + i] = r;
	asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	out[9 * n + i] = r;
	asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(p));
	out[10 * n + i] = r;
	asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(p));
	out[11 * n + i] = r;
}
