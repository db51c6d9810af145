// Cooperative groups' reduce with plus, less, greater, bit_xor and a lambda, and inclusive and exclusive scans.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdint>
namespace cg = cooperative_groups;

extern "C" __global__ void cg_reduce(uint32_t *out, const uint32_t *in)
{
	const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	const auto eight = cg::tiled_partition<8>(cg::this_thread_block());
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];

	out[i] = cg::reduce(warp, x, cg::plus<uint32_t>());
	out[n + i] = cg::reduce(eight, x, cg::less<uint32_t>()) ^ cg::reduce(warp, x, cg::greater<uint32_t>()) ^ cg::reduce(eight, x, cg::bit_xor<uint32_t>());
	out[2 * n + i] = uint32_t(cg::reduce(eight, double(x), [](double a, double b) { return a + b; }) * 0.0625) + cg::exclusive_scan(eight, x);
	out[3 * n + i] = cg::inclusive_scan(warp, x % 1000, cg::plus<uint32_t>());
}
