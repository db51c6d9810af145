// Groups of lanes with masks of their own at one instruction: neighbours, and those of equal values; votes, matches, sums and shuffles in each, also in one side of a branch.
#include <cstdint>

extern "C" __global__ void sync_groups(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, lane = threadIdx.x % 32, x = in[i];
	const uint32_t eight = 0xffu << (lane & 24), like = __match_any_sync(~0u, x & 3);
	int all;

	out[i] = __ballot_sync(eight, x & 16) ^ __ballot_sync(like, x & 32);
	out[n + i] = uint32_t(__any_sync(eight, x % 7 == 0)) | uint32_t(__all_sync(like, x & 64)) << 1;
	out[2 * n + i] = __match_any_sync(eight, x >> 4 & 1);
	out[3 * n + i] = __match_all_sync(like, x >> 5 & 1, &all) + uint32_t(all);
	out[4 * n + i] = __reduce_add_sync(eight, x >> 3) + __reduce_xor_sync(like, x);
	__syncwarp(like);
	out[5 * n + i] = __shfl_sync(like, x, __ffs(int(like)) - 1) - __shfl_xor_sync(eight, x, 3);
	if (lane & 4)
		out[6 * n + i] = __reduce_max_sync(0xf0u << (lane & 24), x) ^ __ballot_sync(0xf0u << (lane & 24), x & 8);
	else
		out[6 * n + i] = __reduce_min_sync(0x0fu << (lane & 24), x) + __ballot_sync(0x0fu << (lane & 24), x & 2);
}
