// __int128: sums, products, shifts, comparisons and division, which compilers make of carry chains and calls.
#include <cstdint>

typedef unsigned __int128 u128;
typedef __int128 s128;

extern "C" __global__ void int128_math(uint64_t *out, const uint64_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	const u128 a = u128(in[i]) << 64 | in[n + i], b = (u128(in[2 * n + i]) << 64 | in[3 * n + i]) >> (i % 120);
	const s128 s = s128(a) >> (i % 50), t = s128(b | 1);
	const u128 r[8] = { a + b, a - b, a * b, a << (i & 127) ^ b >> (i & 63), a / (b | 1), a % (b | 1), u128(s / t), u128(s % t) };

	for (int k = 0; k < 8; k++) {
		out[2 * k * n + i] = uint64_t(r[k]);
		out[(2 * k + 1) * n + i] = uint64_t(r[k] >> 64);
	}
	out[16 * n + i] = (a < b) | (s < t) << 1 | (a == (b ^ a ^ b)) << 2 | (s > t) << 3;
}
