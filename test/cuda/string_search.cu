// String search: Knuth-Morris-Pratt over overlapping pieces with the failure table in shared memory, and case-insensitive comparison.
#include <cstdint>

__device__ char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; }

extern "C" __global__ void string_search(uint8_t *found, uint32_t *count, const char *text, uint32_t len, const char *pattern, uint32_t m)
{
	__shared__ int fail[16];
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, piece = 16;

	if (threadIdx.x == 0) {
		fail[0] = 0;
		for (int k = 1, j = 0; k < int(m); k++) {
			while (j > 0 && lower(pattern[k]) != lower(pattern[j]))
				j = fail[j - 1];
			j += lower(pattern[k]) == lower(pattern[j]);
			fail[k] = j;
		}
	}
	__syncthreads();
	int j = 0;
	for (uint32_t p = i * piece; p < min(len, (i + 1) * piece + m - 1); p++) {
		while (j > 0 && lower(text[p]) != lower(pattern[j]))
			j = fail[j - 1];
		j += lower(text[p]) == lower(pattern[j]);
		if (j == int(m)) {
			found[p + 1 - m] = 1;
			atomicAdd(count, 1);
			j = fail[j - 1];
		}
	}
}
