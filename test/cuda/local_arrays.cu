// Arrays in local memory indexed by data: one and two dimensions, of bytes, halfwords, words, doublewords and structs.
#include <cstdint>

struct cell { uint8_t a; uint16_t b; uint64_t c; };

extern "C" __global__ void local_arrays(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	uint32_t deck[32], count[4][4] = {};
	uint8_t bytes[40];
	cell cells[6] = {};

	for (int k = 0; k < 32; k++)
		deck[k] = k;
	for (uint32_t k = 31, r = x; k > 0; k--) {              // shuffle
		uint32_t j = (r = r * 1664525 + 1013904223) % (k + 1), t = deck[k];

		deck[k] = deck[j];
		deck[j] = t;
	}
	for (int k = 0; k < 40; k++)
		bytes[k] = uint8_t(deck[k % 32] + k);
	for (int k = 0; k < 16; k++) {
		count[deck[k] & 3][deck[k + 16] & 3] += k;
		cell &c = cells[deck[k] % 6];
		c.a += bytes[deck[k + 1]];
		c.b ^= uint16_t(x >> (k & 7));
		c.c += uint64_t(x) * k;
	}
	out[i] = deck[x & 31] << 16 | deck[x >> 5 & 31] << 8 | bytes[x % 40];
	out[n + i] = count[x & 3][x >> 2 & 3] << 16 | count[x >> 4 & 3][x >> 6 & 3];
	const cell &c = cells[x % 6];
	out[2 * n + i] = c.a + (uint32_t(c.b) << 8) + uint32_t(c.c >> 16);
}
