// Radix sort, four bits a pass: ranks within a warp by match, counts of warps and a scan in shared memory.
#include <cstdint>

extern "C" __global__ void radix_sort(uint32_t *out, const uint32_t *in)
{
	__shared__ uint32_t key[128], count[16][4];
	const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;

	key[t] = in[blockIdx.x * 128 + t];
	for (int shift = 0; shift < 32; shift += 4) {
		__syncthreads();
		const uint32_t k = key[t], digit = k >> shift & 15, peers = __match_any_sync(~0u, digit);

		if (lane < 16)
			count[lane][warp] = 0;
		__syncwarp();
		if (__ffs(peers) - 1 == int(lane))
			count[digit][warp] = __popc(peers);
		__syncthreads();
		if (t == 0) {
			uint32_t sum = 0;

			for (int d = 0; d < 16; d++)
				for (int w = 0; w < 4; w++) {
					const uint32_t c = count[d][w];

					count[d][w] = sum;
					sum += c;
				}
		}
		__syncthreads();
		key[count[digit][warp] + __popc(peers & ((1u << lane) - 1))] = k;
	}
	__syncthreads();
	out[blockIdx.x * 128 + t] = key[t];
}
