// Edit distance of pairs of short strings: dynamic programming with a row in local memory, 8-bit characters, min of three.
#include <cstdint>

extern "C" __global__ void levenshtein(uint8_t *out, const uint8_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, la = 4 + i % 9, lb = 12 - i % 5;
	const uint8_t *a = in + i * 24, *b = a + 12;
	uint8_t row[13];

	for (uint32_t k = 0; k <= lb; k++)
		row[k] = uint8_t(k);
	for (uint32_t j = 1; j <= la; j++) {
		uint8_t corner = row[0];

		row[0] = uint8_t(j);
		for (uint32_t k = 1; k <= lb; k++) {
			const uint8_t above = row[k];

			row[k] = uint8_t(min(min(row[k - 1], above) + 1, corner + (a[j - 1] != b[k - 1])));
			corner = above;
		}
	}
	out[i] = row[lb];
}
