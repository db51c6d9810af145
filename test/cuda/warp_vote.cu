// Votes and matches: any, all, ballot, uniform masks, activemask in divergent code, match_any, match_all, lane masks, __syncwarp.
#include <cstdint>

extern "C" __global__ void warp_vote(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, lane = threadIdx.x % 32, x = in[i];
	uint32_t below, same;
	int all;

	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
	out[i] = __ballot_sync(~0u, x & 1);
	out[n + i] = __any_sync(~0u, x % 40 == 0) | __all_sync(~0u, x % 64 != 3) << 1;
	out[2 * n + i] = __match_any_sync(~0u, x % 6);
	same = __match_all_sync(~0u, i / 32, &all);
	out[3 * n + i] = same ^ uint32_t(all);
	same = __match_all_sync(~0u, (unsigned long long)x, &all);
	out[4 * n + i] = same + uint32_t(all) + __popc(__ballot_sync(~0u, x & 2) & below) * 100;
	uint32_t r = 7;
	if (x & 4) {
		const uint32_t odd = __ballot_sync(__activemask(), x & 8);

		__syncwarp(__activemask());
		r = __popc(odd) * 1000 + __popc(__activemask());
	}
	out[5 * n + i] = r;
	out[6 * n + i] = lane % 2 ? __match_any_sync(0xaaaaaaaau, (long long)(x % 3)) : __ballot_sync(0x55555555u, x % 5 == 0);
}
