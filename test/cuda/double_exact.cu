// Double precision where every bit is defined: sum, product, fma, quotient, root, reciprocal in their rounding modes, min, max, compares.
#include <cstdint>

extern "C" __global__ void double_exact(uint64_t *out, const double *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	const double a = in[i], b = in[(i + 1) % n], c = in[(i + 5) % n] * 1e-9;
	const double r[16] = {
		__dadd_rn(a, c), __dadd_rz(a, c), __dadd_ru(a, c), __dadd_rd(a, c), __dmul_rn(a, b), __dmul_rz(a, b), __dmul_ru(a, b), __fma_rn(a, b, c),
		__fma_rz(a, b, c), __fma_rd(a, b, c), __ddiv_rn(a, b), __ddiv_rz(a, c), sqrt(fabs(a)), __dsqrt_ru(fabs(b)), __drcp_rn(b), a / 3.0
	};

	for (int k = 0; k < 16; k++)
		out[k * n + i] = uint64_t(__double_as_longlong(r[k]));
	out[16 * n + i] = uint64_t(__double_as_longlong(fmin(a, b))) ^ uint64_t(__double_as_longlong(fmax(a, c)));
	out[17 * n + i] = (a < b) | (a <= c) << 1 | (a != b) << 2 | (a > b ? 8 : 0) | (isnan(a - b) ? 16 : 0);
}
