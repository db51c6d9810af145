// Cooperative groups: thread blocks, tiles of 32, 16 and 4, their ranks, shuffles, votes, sync, and a tile of a tile.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;

extern "C" __global__ void cg_tiles(uint32_t *out, const uint32_t *in)
{
	const cg::thread_block block = cg::this_thread_block();
	const auto warp = cg::tiled_partition<32>(block);
	const auto four = cg::tiled_partition<4>(warp);
	const cg::thread_group some = cg::tiled_partition(block, 16);
	const uint32_t i = blockIdx.x * block.size() + block.thread_rank(), n = gridDim.x * block.size();
	uint32_t x = in[i];

	out[i] = warp.thread_rank() | four.thread_rank() << 8 | warp.meta_group_rank() << 16 | four.meta_group_size() << 24;
	for (int d = four.size() / 2; d > 0; d /= 2)
		x += four.shfl_down(x, d);
	out[n + i] = four.shfl(x, 0);
	out[2 * n + i] = warp.ballot(x & 1) ^ uint32_t(four.any(x & 6)) ^ uint32_t(warp.all(x != 5)) << 1;
	some.sync();
	block.sync();
	out[3 * n + i] = some.thread_rank() + some.size() * 100 + block.group_index().x * 10000 + warp.shfl_xor(x, 9) % 7;
}
