// Constant memory: tables of bytes, words, structs, floats, strings and two dimensions, initialised and read at uniform and varying indexes.
#include <cstdint>

struct entry { uint16_t key; float value; uint8_t name[5]; };

__constant__ uint8_t primes[16] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53 };
__constant__ entry entries[3] = { { 7, 0.5f, "four" }, { 500, -3.25f, "abcd" }, { 65535, 1e10f, "zzzz" } };
__constant__ int64_t grid2[3][4] = { { 1, -2, 3 }, { 1ll << 40, -1 }, { 0x7fffffffffffffffll, 5, 6, 7 } };
__constant__ double pi = 3.141592653589793;
__constant__ const char *words[3] = { "one", "three", "fifteen" };
__device__ uint32_t plain[5] = { 10, 20, 30 };

extern "C" __global__ void constant_tables(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	const entry &e = entries[x % 3];
	const int64_t g = grid2[x % 3][x >> 4 & 3];
	uint32_t len = 0;

	for (const char *w = words[x % 3]; w[len]; len++) {}
	out[i] = primes[x & 15] * 1000u + primes[blockIdx.x] + e.key + e.name[x >> 8 & 3];
	out[n + i] = __float_as_uint(e.value);
	out[2 * n + i] = uint32_t(g) ^ uint32_t(g >> 32);
	out[3 * n + i] = uint32_t(pi * 1e9) + len + plain[x % 5];
}
