// Single precision where every bit is defined: rounding modes of sum, product, fma, quotient, root and reciprocal, min, max, copysign.
#include <cstdint>

extern "C" __global__ void float_exact(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	// Exponents near each other, all fraction bits; and the inputs as they are.
	const float a = __uint_as_float(in[i] % 0x04000000 + 0x3e000000), b = __uint_as_float(in[n + i] % 0x04000000 + 0x3e000000);
	const float c = __uint_as_float((in[2 * n + i] % 0x02000000 + 0x3f000000) | (in[i] & 0x80000000)), w = __uint_as_float(in[i]), v = __uint_as_float(in[n + i]);
	const float r[24] = {
		__fadd_rn(a, c), __fadd_rz(a, c), __fadd_ru(a, c), __fadd_rd(a, c), __fsub_rn(a, c), __fmul_rn(a, b), __fmul_rz(a, b), __fmul_ru(a, c),
		__fmul_rd(a, c), __fmaf_rn(a, b, c), __fmaf_rz(a, b, c), __fmaf_ru(a, c, b), __fmaf_rd(a, c, b), __fdiv_rn(a, c), __fdiv_rz(a, c),
		__fdiv_ru(a, c), __fdiv_rd(a, c), __fsqrt_rn(a), __fsqrt_rz(a), __fsqrt_ru(b), __frcp_rn(c), __frcp_rd(c), w / c, sqrtf(b)
	};

	for (int k = 0; k < 24; k++)
		out[k * n + i] = __float_as_uint(r[k]);
	out[24 * n + i] = __float_as_uint(fminf(w, v));
	out[25 * n + i] = __float_as_uint(fmaxf(w, c));
	out[26 * n + i] = __float_as_uint(copysignf(a, v)) ^ __float_as_uint(fabsf(c));
	out[27 * n + i] = (isnan(w) ? 1 : 0) | (isinf(w) ? 2 : 0) | (signbit(w) ? 4 : 0) | (isfinite(v) ? 8 : 0) | (w < v ? 16 : 0) | (w >= v ? 32 : 0) |
	                  (w != v ? 64 : 0) | (!(w > v) ? 128 : 0);
}
