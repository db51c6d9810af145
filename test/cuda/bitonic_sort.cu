// Bitonic sort in shared memory of keys with their places, which makes it stable; signed keys.
#include <cstdint>

struct item { int32_t key; uint32_t place; };
__device__ bool before(const item &a, const item &b) { return a.key < b.key || (a.key == b.key && a.place < b.place); }

extern "C" __global__ void bitonic_sort(int32_t *key, uint32_t *place, const int32_t *in)
{
	__shared__ item s[128];
	const uint32_t t = threadIdx.x, base = blockIdx.x * 128;

	s[t] = { in[base + t], t };
	for (uint32_t size = 2; size <= 128; size *= 2)
		for (uint32_t gap = size / 2; gap > 0; gap /= 2) {
			const uint32_t other = t ^ gap;

			__syncthreads();
			if (other > t && before(s[other], s[t]) == ((t & size) == 0)) {
				const item swap = s[t];

				s[t] = s[other];
				s[other] = swap;
			}
		}
	__syncthreads();
	key[base + t] = s[t].key;
	place[base + t] = s[t].place;
}
