// Warp reductions in one instruction: add, min, max of signed and unsigned, and, or, xor, by whole warps and by parts.
#include <cstdint>

extern "C" __global__ void warp_redux(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, lane = threadIdx.x % 32, x = in[i];

	out[i] = __reduce_add_sync(~0u, x) ^ uint32_t(__reduce_add_sync(~0u, int(x) >> 8));
	out[n + i] = __reduce_min_sync(~0u, x) ^ uint32_t(__reduce_min_sync(~0u, int(x)));
	out[2 * n + i] = __reduce_max_sync(~0u, x) ^ uint32_t(__reduce_max_sync(~0u, int(x)));
	out[3 * n + i] = __reduce_and_sync(~0u, x | 0xffff00) ^ __reduce_or_sync(~0u, x & 0x101010) ^ __reduce_xor_sync(~0u, x);
	if (lane < 12)
		out[4 * n + i] = __reduce_add_sync(0x00000fffu, x);
	else if (lane & 1)
		out[4 * n + i] = __reduce_max_sync(0xaaaaa000u, x);
}
