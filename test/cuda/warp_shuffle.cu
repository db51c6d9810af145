// Shuffles: idx, up, down, xor, of several widths and types, a scan, a butterfly, a broadcast from a chosen lane.
#include <cstdint>

extern "C" __global__ void warp_shuffle(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, lane = threadIdx.x % 32, x = in[i];
	uint32_t scan = x, fold = x;

	for (int d = 1; d < 32; d *= 2) {
		const uint32_t y = __shfl_up_sync(~0u, scan, d);

		if (lane >= uint32_t(d))
			scan += y;
		fold ^= __shfl_xor_sync(~0u, fold, d) * 3;
	}
	out[i] = scan;
	out[n + i] = fold;
	out[2 * n + i] = __shfl_sync(~0u, x, x & 31);
	out[3 * n + i] = __shfl_down_sync(~0u, x, 5) + __shfl_down_sync(~0u, x, 3, 8);
	out[4 * n + i] = __shfl_sync(~0u, x, lane + 1, 4) ^ __shfl_xor_sync(~0u, x, 12, 16) ^ __shfl_up_sync(~0u, x, 2, 4);
	out[5 * n + i] = uint32_t(__shfl_sync(~0u, double(x) * 0.5, 31 - lane) * 2) + uint32_t(__shfl_xor_sync(~0u, (unsigned long long)x << 20, 1) >> 20);
	if (lane < 20)
		out[6 * n + i] = __shfl_sync(0xfffffu, x, (lane * 7) % 20);
}
