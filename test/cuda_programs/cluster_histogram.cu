// cluster_histogram: counts in distributed shared memory, each block of a cluster the owner of a share of the bins; clusters of 1 to 16 blocks by launch attribute, occupancy queries.
// build: -arch=compute_90
// run:
// run: -numbers=30011 -bins=1000 -cluster=16
// run: -numbers=2000 -bins=77 -cluster=1
// timed: -numbers=3000 -cluster=2 -bins=64
// mutant: s/bin % share/bin % (share - 1)/
#include "program.h"
#include <cooperative_groups.h>
#include <vector>
namespace cg = cooperative_groups;

// Every block counts all of its numbers, in the memory of whichever block owns the bin.
__global__ void count(const unsigned *in, unsigned numbers, unsigned bins, unsigned *total)
{
	extern __shared__ unsigned mine[];
	cg::cluster_group cluster = cg::this_cluster();
	const unsigned blocks = cluster.num_blocks(), rank = cluster.block_rank(), share = (bins + blocks - 1) / blocks;

	for (unsigned b = threadIdx.x; b < share; b += blockDim.x)
		mine[b] = 0;
	cluster.sync();         // nobody counts before all have begun and cleared
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < numbers; i += gridDim.x * blockDim.x) {
		const unsigned bin = in[i] % bins;
		atomicAdd(cluster.map_shared_rank(mine, bin / share) + bin % share, 1u);
	}
	cluster.sync();         // nobody ends while others count
	for (unsigned b = threadIdx.x; b < share && rank * share + b < bins; b += blockDim.x)
		atomicAdd(&total[rank * share + b], mine[b]);
}

int main(int argc, char **argv)
{
	const unsigned numbers = option(argc, argv, "numbers", 100000), bins = option(argc, argv, "bins", 512), blocks = option(argc, argv, "cluster", 4);
	unsigned *in, *total;
	int has = 0, fit = 0, most = 0;
	std::vector<unsigned> host(numbers), want(bins), got(bins);
	Random random(11);
	for (unsigned &x : host)
		want[(x = random.below(1 << 20)) % bins]++;
	CHECK(cudaDeviceGetAttribute(&has, cudaDevAttrClusterLaunch, 0));
	EXPECT(has == 1);
	CHECK(cudaMalloc(&in, numbers * sizeof *in));
	CHECK(cudaMalloc(&total, bins * sizeof *total));
	CHECK(cudaMemcpy(in, host.data(), numbers * sizeof *in, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(total, 0, bins * sizeof *total));

	cudaLaunchAttribute attribute[1];
	cudaLaunchConfig_t config = {};
	attribute[0].id = cudaLaunchAttributeClusterDimension;
	attribute[0].val.clusterDim = { blocks, 1, 1 };
	config.gridDim = dim3(3 * blocks);
	config.blockDim = dim3(96);
	config.dynamicSmemBytes = (bins + blocks - 1) / blocks * sizeof(unsigned);
	config.attrs = attribute;
	config.numAttrs = 1;
	if (blocks > 8) {
		EXPECT(cudaLaunchKernelEx(&config, count, (const unsigned *)in, numbers, bins, total) == cudaErrorInvalidClusterSize);
		EXPECT(cudaGetLastError() == cudaErrorInvalidClusterSize);
		CHECK(cudaFuncSetAttribute(count, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	}
	CHECK(cudaOccupancyMaxPotentialClusterSize(&most, count, &config));
	EXPECT(most >= int(blocks));
	CHECK(cudaOccupancyMaxActiveClusters(&fit, count, &config));
	EXPECT(fit > 0);
	config.gridDim = dim3(3 * blocks + 1);
	if (blocks > 1) {
		EXPECT(cudaLaunchKernelEx(&config, count, (const unsigned *)in, numbers, bins, total) == cudaErrorInvalidClusterSize);
		EXPECT(cudaGetLastError() == cudaErrorInvalidClusterSize);
	}
	config.gridDim = dim3(3 * blocks);
	CHECK(cudaLaunchKernelEx(&config, count, (const unsigned *)in, numbers, bins, total));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(got.data(), total, bins * sizeof *total, cudaMemcpyDeviceToHost));
	const bool ok = same("bin", got.data(), want.data(), bins);
	CHECK(cudaFree(in));
	CHECK(cudaFree(total));
	return verdict("cluster_histogram", ok);
}
