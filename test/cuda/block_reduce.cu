// Reductions in shared memory: a grid-stride loop, a tree with barriers, the last warp by shuffles, dynamic shared memory, three operations at once.
#include <cstdint>

struct summary { float sum; uint32_t most, least; };

__device__ summary merge(summary a, summary b) { return { a.sum + b.sum, max(a.most, b.most), min(a.least, b.least) }; }

extern "C" __global__ void block_reduce(uint32_t *out, const uint32_t *in, uint32_t count)
{
	extern __shared__ summary s[];
	const uint32_t t = threadIdx.x;
	summary mine = { 0, 0, ~0u };

	for (uint32_t i = blockIdx.x * blockDim.x + t; i < count; i += gridDim.x * blockDim.x)
		mine = merge(mine, { float(in[i] & 1023), in[i], in[i] });
	s[t] = mine;
	__syncthreads();
	for (uint32_t half = blockDim.x / 2; half >= 32; half /= 2) {
		if (t < half)
			s[t] = merge(s[t], s[t + half]);
		__syncthreads();
	}
	if (t < 32) {
		summary v = s[t];

		for (int d = 16; d > 0; d /= 2)
			v = merge(v, { __shfl_down_sync(~0u, v.sum, d), __shfl_down_sync(~0u, v.most, d), __shfl_down_sync(~0u, v.least, d) });
		if (t == 0) {
			out[blockIdx.x * 3] = __float_as_uint(v.sum);
			out[blockIdx.x * 3 + 1] = v.most;
			out[blockIdx.x * 3 + 2] = v.least;
		}
	}
}
