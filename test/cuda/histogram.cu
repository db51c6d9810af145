// Histogram of bytes: private counts of each block in shared memory, 8-bit counters packed four to a word, added to global memory.
#include <cstdint>

extern "C" __global__ void histogram(uint32_t *out, const uint8_t *in, uint32_t count)
{
	__shared__ uint32_t bins[256], packed[64];
	const uint32_t t = threadIdx.x;

	for (uint32_t b = t; b < 256; b += blockDim.x)
		bins[b] = 0;
	if (t < 64)
		packed[t] = 0;
	__syncthreads();
	for (uint32_t i = blockIdx.x * blockDim.x + t; i < count; i += gridDim.x * blockDim.x) {
		atomicAdd(&bins[in[i]], 1);
		if (i < 200)
			atomicAdd(&packed[in[i] / 4], 1u << in[i] % 4 * 8);
	}
	__syncthreads();
	for (uint32_t b = t; b < 256; b += blockDim.x) {
		atomicAdd(&out[b], bins[b]);
		atomicAdd(&out[256 + b], (packed[b / 4] >> b % 4 * 8) & 255);
	}
}
