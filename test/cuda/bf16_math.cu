// bfloat16: scalar and paired arithmetic, fma, comparisons, min and max, conversions from and to float and integers.
#include <cstdint>
#include <cuda_bf16.h>

typedef __nv_bfloat16 bf;
static __device__ uint32_t bits(bf h) { return __bfloat16_as_ushort(h); }
static __device__ uint32_t bits(__nv_bfloat162 h) { return bits(__low2bfloat16(h)) | bits(__high2bfloat16(h)) << 16; }

extern "C" __global__ void bf16_math(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i], y = in[(i * 3 + 1) % n];
	// Values from 2^-7 to 2^8 of either sign.
	const uint32_t p = ((x & 0x07ff07ff) + 0x3c003c00) | (x & 0x80008000), q = ((y & 0x07ff07ff) + 0x3c003c00) | (y & 0x80008000);
	const bf a = __ushort_as_bfloat16(uint16_t(p)), b = __ushort_as_bfloat16(uint16_t(q)), c = __ushort_as_bfloat16(uint16_t(p >> 16));
	const __nv_bfloat162 u = __halves2bfloat162(a, c), v = __halves2bfloat162(b, __ushort_as_bfloat16(uint16_t(q >> 16)));
	const float f = __fmaf_rn(__bfloat162float(a), 1.0077f, __bfloat162float(b) * 0.015625f);

	out[i] = bits(__hadd(a, b)) | bits(__hsub(a, b)) << 16;
	out[n + i] = bits(__hmul(a, b)) | bits(__hfma(a, b, c)) << 16;
	out[2 * n + i] = bits(__hadd2(u, v));
	out[3 * n + i] = bits(__hfma2(u, v, u));
	out[4 * n + i] = __hlt(a, b) | __hge(a, c) << 1 | __heq(a, a) << 2 | __hne(b, c) << 3;
	out[5 * n + i] = bits(__hmax(a, b)) | bits(__hmin(a, c)) << 16;
	out[6 * n + i] = bits(__float2bfloat16_rn(f)) | bits(__float2bfloat16_rz(f)) << 16;
	out[7 * n + i] = bits(__floats2bfloat162_rn(f, -f)) ^ bits(__habs2(v));
	out[8 * n + i] = uint32_t(__bfloat162int_rz(c)) + bits(__int2bfloat16_rn(int(x % 3000))) * 1000;
	out[9 * n + i] = __float_as_uint(__high2float(v) - __low2float(u));
}
