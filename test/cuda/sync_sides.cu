// Lanes that meet from both sides of a branch: __syncwarp, shuffles, votes and matches with a full mask in each side, with other operands there.
#include <cstdint>

extern "C" __global__ void sync_sides(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, lane = threadIdx.x % 32, x = in[i];
	__shared__ uint32_t s[64];

	if (lane < 16) {
		s[threadIdx.x] = x * 3;
		__syncwarp();
		out[i] = s[threadIdx.x ^ 31];
	} else {
		s[threadIdx.x] = x * 5;
		__syncwarp();
		out[i] = s[threadIdx.x ^ 31] + 1;
	}
	__syncwarp();
	if (x & 1) {
		const uint32_t y = __shfl_sync(~0u, x + 7, (lane + 1) % 32);

		out[n + i] = y * 2;
	} else if (x & 2) {
		out[n + i] = __shfl_sync(~0u, x ^ lane, 3) + 1;
	} else {
		out[n + i] = __shfl_sync(~0u, lane, x % 32) + 2;
	}
	__syncwarp();
	if (x & 4)
		out[2 * n + i] = __ballot_sync(~0u, x & 8) ^ __match_any_sync(~0u, (unsigned long long)(x % 3));
	else
		out[2 * n + i] = ~__ballot_sync(~0u, x & 16) - __match_any_sync(~0u, (unsigned long long)(lane % 4));
	__syncwarp();
	uint32_t r = 0;
	for (uint32_t k = 0; k < 4; k++) {
		if ((x >> k & 3) == 3)
			r += __reduce_add_sync(~0u, x >> 8) + uint32_t(__any_sync(~0u, x % 50 == k));
		else if (lane % 2)
			r ^= __reduce_add_sync(~0u, lane) + uint32_t(__any_sync(~0u, k == 5));
		else
			r -= __reduce_add_sync(~0u, k) * uint32_t(__any_sync(~0u, x % 60 == 1));
	}
	out[3 * n + i] = r;
}
