// Breadth-first search by frontiers: queues filled by atomics, a level a launch, repeated while the next queue is not empty.
#include <cstdint>

__device__ uint32_t neighbour(uint32_t v, uint32_t k, uint32_t n)
{
	switch (k) {
	case 0: return (v * 5 + 1) % n;
	case 1: return v ^ 1;
	default: return v >= 7 ? v - 7 : v;
	}
}

// state[0]: "again"; state[1 + parity]: size of that queue
extern "C" __global__ void bfs_frontier(uint32_t *state, uint32_t *queue, uint32_t *level, uint32_t n, uint32_t round)
{
	const uint32_t *from = queue + round % 2 * n, size = state[1 + round % 2], t = threadIdx.x;
	uint32_t *to = queue + (round + 1) % 2 * n, *filled = &state[1 + (round + 1) % 2];

	if (t == 0)
		*filled = 0;
	__syncthreads();
	for (uint32_t i = t; i < size; i += blockDim.x)
		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t v = neighbour(from[i], k, n);

			if (atomicCAS(&level[v], ~0u, round + 1) == ~0u)
				to[atomicAdd(filled, 1)] = v;
		}
	__syncthreads();
	if (t == 0 && *filled > 0)
		state[0] = 1;
}

extern "C" __global__ void bfs_frontier_start(uint32_t *state, uint32_t *queue, uint32_t *level)
{
	state[1] = 1;
	queue[0] = 3;
	level[3] = 0;
}
