// Cooperative groups of the lanes that are together in divergent code: coalesced_threads, ranks, an aggregated atomic, labeled partitions.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;

extern "C" __global__ void cg_coalesced(uint32_t *count, uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	uint32_t size = 0;

	if (x & 1) {
		const cg::coalesced_group g = cg::coalesced_threads();
		uint32_t base = 0;

		size = g.size();
		if (g.thread_rank() == 0)
			base = atomicAdd(count, g.size());
		base = g.shfl(base, 0);
		atomicOr(&count[1 + (base + g.thread_rank()) / 32], 1u << (base + g.thread_rank()) % 32);
		out[i] = g.shfl_down(x, 1) * (g.thread_rank() + 1 < g.size()) + g.ballot(x & 2);
	}
	out[n + i] = size;
	const auto part = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), x % 3);
	out[2 * n + i] = part.size() << 8 | part.thread_rank();
}
