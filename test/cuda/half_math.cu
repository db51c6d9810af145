// Half precision: scalar and paired arithmetic, fma, comparisons, min and max, conversions in every rounding mode, saturation.
#include <cstdint>
#include <cuda_fp16.h>

static __device__ uint32_t bits(__half h) { return __half_as_ushort(h); }
static __device__ uint32_t bits(__half2 h) { return uint32_t(__half_as_ushort(__low2half(h))) | uint32_t(__half_as_ushort(__high2half(h))) << 16; }

extern "C" __global__ void half_math(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i], y = in[(i * 3 + 1) % n];
	// Values from 2^-6 to 2^6 of either sign.
	const uint32_t p = ((x & 0x0fff0fff) + 0x24002400 + (x & 0x10001000)) | (x & 0x80008000), q = ((y & 0x0fff0fff) + 0x24002400 + (y & 0x10001000)) | (y & 0x80008000);
	const __half a = __ushort_as_half(uint16_t(p)), b = __ushort_as_half(uint16_t(q)), c = __ushort_as_half(uint16_t(p >> 16));
	const __half2 u = __halves2half2(a, c), v = __halves2half2(b, __ushort_as_half(uint16_t(q >> 16)));
	const float f = __fmaf_rn(__half2float(a), 1.00077f, __half2float(b) * 0.001953125f);

	out[i] = bits(__hadd(a, b)) | bits(__hsub(a, b)) << 16;
	out[n + i] = bits(__hmul(a, b)) | bits(__hfma(a, b, c)) << 16;
	out[2 * n + i] = bits(__hdiv(a, b)) | bits(hsqrt(__habs(a))) << 16;
	out[3 * n + i] = bits(__hadd2(u, v));
	out[4 * n + i] = bits(__hfma2(u, v, __hneg2(u)));
	out[5 * n + i] = bits(__hmul2_sat(u, v));
	out[6 * n + i] = __hlt(a, b) | __hge(a, c) << 1 | __heq(a, a) << 2 | __hbgt2(u, v) << 3 | bits(__hlt2(u, v)) << 4;
	out[7 * n + i] = bits(__hmax(a, b)) | bits(__hmin(a, c)) << 16;
	out[8 * n + i] = bits(__float2half_rn(f)) | bits(__float2half_rz(f)) << 16;
	out[9 * n + i] = bits(__float2half_ru(f)) | bits(__float2half_rd(f)) << 16;
	out[10 * n + i] = uint32_t(__half2int_rn(c)) + uint32_t(__half2int_rd(a)) * 1000 + bits(__int2half_rn(int(x % 3000)));
	out[11 * n + i] = bits(hfloor(a)) | bits(hrint(b)) << 16;
	out[12 * n + i] = bits(__floats2half2_rn(f, -f)) ^ bits(__lowhigh2highlow(u));
	out[13 * n + i] = __float_as_uint(__high2float(v) - __low2float(u));
}
