// The sieve of Eratosthenes: a bit map in shared memory marked by atomicOr, counts by popc, and greatest common divisors.
#include <cstdint>

extern "C" __global__ void sieve(uint32_t *bits, uint32_t *count, uint32_t *divisor, const uint32_t *in)
{
	__shared__ uint32_t map[64];
	const uint32_t t = threadIdx.x;

	map[t] = t == 0 ? 3 : 0;
	__syncthreads();
	for (uint32_t p = 2; p * p < 2048; p++) {
		if (!(map[p / 32] >> p % 32 & 1))
			for (uint32_t m = p * p + t * p; m < 2048; m += 64 * p)
				atomicOr(&map[m / 32], 1u << m % 32);
		__syncthreads();
	}
	bits[t] = ~map[t];
	atomicAdd(count, __popc(~map[t]));
	uint32_t a = in[t] % 10000 * 6, b = in[t] >> 16;
	while (b) {
		const uint32_t r = a % b;

		a = b;
		b = r;
	}
	divisor[t] = a;
}
