// cluster_reduction: sums over clusters whose size the kernel says (__cluster_dims__): ranks in two dimensions, partial sums read and written in other blocks, arrival without waiting; a shift of rows through neighbours.
// build: -arch=compute_90
// run:
// run: -width=5 -height=3 -seed=9
// timed: -width=1 -height=2
// mutant: s/cluster.map_shared_rank(part, r)/cluster.map_shared_rank(part, r ^ 1)/
#include "program.h"
#include <cooperative_groups.h>
#include <vector>
namespace cg = cooperative_groups;

enum { THREADS = 64, WIDE = 2, HIGH = 4, BLOCKS = WIDE * HIGH };

// The weighted sum of each cluster's tiles: the block of rank r has weight r + 1.
__global__ void __cluster_dims__(WIDE, HIGH, 1) sums(const int *in, long long *out, unsigned *where)
{
	__shared__ long long part[THREADS / 32];
	cg::cluster_group cluster = cg::this_cluster();
	const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
	long long x = in[block * THREADS + threadIdx.x];

	for (int d = 16; d; d /= 2)
		x += __shfl_down_sync(~0u, x, d);
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = x;
	cluster.sync();
	if (cluster.thread_rank() == 0) {
		long long sum = 0;
		for (unsigned r = 0; r < cluster.num_blocks(); r++) {
			const long long *other = cluster.map_shared_rank(part, r);
			for (int w = 0; w < THREADS / 32; w++)
				sum += other[w] * (r + 1);
		}
		out[blockIdx.y / HIGH * (gridDim.x / WIDE) + blockIdx.x / WIDE] = sum;
	}
	if (threadIdx.x == 0) {
		const dim3 at = cluster.block_index(), size = cluster.dim_blocks();
		where[block] = at.x == blockIdx.x % WIDE && at.y == blockIdx.y % HIGH && size.x == WIDE && size.y == HIGH && size.z == 1 && cluster.block_rank() == at.y * WIDE + at.x &&
			cluster.query_shared_rank(cluster.map_shared_rank(part, 5)) == 5 && cluster.map_shared_rank(part, cluster.block_rank()) == part;
	}
	cluster.sync();
}

// Each block hands its row to the next one of its cluster, STEPS times; the barrier is waited for only when the row is needed.
enum { STEPS = 5 };
__global__ void __cluster_dims__(1, HIGH, 1) shift(const int *in, int *out)
{
	__shared__ int row[2][THREADS];
	cg::cluster_group cluster = cg::this_cluster();
	const unsigned block = blockIdx.y * gridDim.x + blockIdx.x, next = (cluster.block_rank() + 1) % cluster.num_blocks();

	row[0][threadIdx.x] = in[block * THREADS + threadIdx.x];
	cluster.sync();
	for (int s = 0; s < STEPS; s++) {
		cluster.map_shared_rank(&row[0][0], next)[(s + 1) % 2 * THREADS + (threadIdx.x + 1) % THREADS] = row[s % 2][threadIdx.x];
		cluster.barrier_arrive();
		cluster.barrier_wait();
	}
	out[block * THREADS + threadIdx.x] = row[STEPS % 2][threadIdx.x];
}

int main(int argc, char **argv)
{
	const unsigned width = option(argc, argv, "width", 3) * WIDE, height = option(argc, argv, "height", 2) * HIGH, blocks = width * height, clusters = blocks / BLOCKS;
	std::vector<int> in(blocks * THREADS), moved(in.size()), want_moved(in.size());
	std::vector<long long> sum(clusters), want(clusters);
	std::vector<unsigned> where(blocks), right(blocks, 1);
	int *device_in, *device_moved;
	long long *device_sum;
	unsigned *device_where;
	cudaFuncAttributes a;
	Random random(option(argc, argv, "seed", 5));

	for (unsigned b = 0; b < blocks; b++)
		for (unsigned t = 0; t < THREADS; t++) {
			const unsigned x = b % width, y = b / width;
			in[b * THREADS + t] = int(random.next());
			want[y / HIGH * (width / WIDE) + x / WIDE] += (long long)in[b * THREADS + t] * (y % HIGH * WIDE + x % WIDE + 1);
			want_moved[((y / HIGH * HIGH + (y + STEPS) % HIGH) * width + x) * THREADS + (t + STEPS) % THREADS] = in[b * THREADS + t];
		}
	CHECK(cudaFuncGetAttributes(&a, sums));
	EXPECT(a.requiredClusterWidth == WIDE && a.requiredClusterHeight == HIGH && a.requiredClusterDepth == 1 && a.clusterDimMustBeSet);
	EXPECT(cudaFuncSetAttribute(sums, cudaFuncAttributeRequiredClusterWidth, 1) == cudaErrorNotPermitted);
	cudaGetLastError();
	CHECK(cudaMalloc(&device_in, in.size() * sizeof(int)));
	CHECK(cudaMalloc(&device_moved, in.size() * sizeof(int)));
	CHECK(cudaMalloc(&device_sum, clusters * sizeof(long long)));
	CHECK(cudaMalloc(&device_where, blocks * sizeof(unsigned)));
	CHECK(cudaMemcpy(device_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice));
	sums<<<dim3(width, height), THREADS>>>(device_in, device_sum, device_where);
	CHECK(cudaGetLastError());
	shift<<<dim3(width, height), THREADS>>>(device_in, device_moved);
	CHECK(cudaGetLastError());
	sums<<<dim3(width, height - 1), THREADS>>>(device_in, device_sum, device_where);
	EXPECT(cudaGetLastError() == cudaErrorInvalidClusterSize);
	CHECK(cudaMemcpy(sum.data(), device_sum, clusters * sizeof(long long), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(moved.data(), device_moved, moved.size() * sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(where.data(), device_where, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost));
	const bool ok = same("sum", sum.data(), want.data(), clusters) & same("moved", moved.data(), want_moved.data(), moved.size()) & same("where", where.data(), right.data(), blocks);
	CHECK(cudaFree(device_in));
	CHECK(cudaFree(device_moved));
	CHECK(cudaFree(device_sum));
	CHECK(cudaFree(device_where));
	return verdict("cluster_reduction", ok);
}
