// Big integers: 256 x 256-bit products column by column with a 96-bit accumulator, and modular powers of 64-bit numbers.
#include <cstdint>

__device__ __noinline__ uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t m)
{
	return uint64_t((unsigned __int128)a * b % m);
}

extern "C" __global__ void big_integers(uint32_t *out, uint64_t *power, const uint32_t *in)
{
	const uint32_t i = threadIdx.x;
	const uint32_t *a = in + i * 16, *b = a + 8;
	uint32_t top = 0;
	uint64_t low = 0;

#pragma unroll 1
	for (int k = 0; k < 15; k++) {
		for (int j = max(0, k - 7); j <= min(k, 7); j++) {
			const uint64_t p = uint64_t(a[j]) * b[k - j];

			low += p;
			top += low < p;
		}
		out[i * 16 + k] = uint32_t(low);
		low = low >> 32 | uint64_t(top) << 32;
		top = 0;
	}
	out[i * 16 + 15] = uint32_t(low);

	const uint64_t m = (uint64_t(a[0]) << 32 | a[1]) | 1ull << 63;
	uint64_t r = 1, x = uint64_t(b[0]) << 32 | b[1];
	for (uint32_t e = b[2] & 0xfff; e; e >>= 1) {
		if (e & 1)
			r = mul_mod(r, x, m);
		x = mul_mod(x, x, m);
	}
	power[i] = r;
}
