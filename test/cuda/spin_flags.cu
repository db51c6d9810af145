// Warps that wait for each other by volatile flags and __threadfence_block: a chain in shared memory, in both orders of the warps.
#include <cstdint>

extern "C" __global__ void spin_flags(uint32_t *out, const uint32_t *in)
{
	__shared__ volatile uint32_t value[4], ready[4];
	const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	const uint32_t turn = blockIdx.x % 2 ? 3 - warp : warp;         // block 1: the last warp goes first

	if (threadIdx.x < 4)
		ready[threadIdx.x] = 0;
	__syncthreads();
	if (lane == 0) {
		uint32_t before = 1;

		if (turn > 0) {
			while (ready[turn - 1] == 0) {}
			__threadfence_block();
			before = value[turn - 1];
		}
		value[turn] = before * 31 + in[blockIdx.x * 4 + turn];
		__threadfence_block();
		ready[turn] = 1;
	}
	__syncthreads();
	if (threadIdx.x < 4)
		out[blockIdx.x * 4 + threadIdx.x] = value[threadIdx.x];
}
