// Random number generators: xorshift64*, PCG with a 64-bit state, Philox 4x32-10 by high products.
#include <cstdint>

__device__ uint32_t pcg(uint64_t &state)
{
	const uint64_t old = state;

	state = old * 6364136223846793005ull + 1442695040888963407ull;
	const uint32_t x = uint32_t((old >> 18 ^ old) >> 27), r = uint32_t(old >> 59);
	return x >> r | x << (-r & 31);
}

extern "C" __global__ void random_numbers(uint64_t *out, uint32_t seed)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	uint64_t x = (uint64_t(i + 1) << 32) ^ seed, s = i, sum = 0;
	uint4 c = make_uint4(i, 0, seed, 1);
	uint2 k = make_uint2(0xcafe, i * 3);

	for (int r = 0; r < 20; r++) {
		x ^= x >> 12;
		x ^= x << 25;
		x ^= x >> 27;
		sum += x * 2685821657736338717ull;
	}
	out[i] = sum;
	for (int r = 0; r < 9; r++)
		sum = sum * 3 + pcg(s) % 1000;
	out[n + i] = sum;
#pragma unroll 1
	for (int r = 0; r < 10; r++) {
		const uint32_t h0 = __umulhi(0xd2511f53, c.x), h1 = __umulhi(0xcd9e8d57, c.z);

		c = make_uint4(h1 ^ c.y ^ k.x, 0xcd9e8d57 * c.z, h0 ^ c.w ^ k.y, 0xd2511f53 * c.x);
		k.x += 0x9e3779b9;
		k.y += 0xbb67ae85;
	}
	out[2 * n + i] = uint64_t(c.x) << 32 | c.y;
	out[3 * n + i] = uint64_t(c.z) << 32 | c.w;
}
