// pipeline_copy: asynchronous copies to shared memory through two stages of cuda::pipeline, a cuda::barrier, and cuda::atomic_ref of libcu++.
// build: -diag-suppress 20054
// run:
// run: -tiles=3
// timed: -tiles=2
// mutant: s/sum += part\[stage\]\[/sum += part[0][/
#include "program.h"
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <vector>
namespace cg = cooperative_groups;

constexpr int BLOCK = 64;

__global__ void sums(const int *in, int *out, unsigned long long *total, int tiles)
{
	__shared__ int part[2][BLOCK], result[BLOCK];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	const cg::thread_block block = cg::this_thread_block();
	cuda::pipeline<cuda::thread_scope_block> pipe = cuda::make_pipeline(block, &state);
	const int *mine = in + blockIdx.x * tiles * BLOCK;
	int sum = 0;

	if (block.thread_rank() == 0)
		init(&barrier, BLOCK);
	block.sync();
	pipe.producer_acquire();
	cuda::memcpy_async(block, part[0], mine, cuda::aligned_size_t<16>(sizeof part[0]), pipe);
	pipe.producer_commit();
	for (int t = 0; t < tiles; t++) {
		const int stage = t % 2;
		if (t + 1 < tiles) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, part[1 - stage], mine + (t + 1) * BLOCK, cuda::aligned_size_t<16>(sizeof part[0]), pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		sum += part[stage][(threadIdx.x + 1) % BLOCK] * (t + 1);
		pipe.consumer_release();
	}
	out[blockIdx.x * BLOCK + threadIdx.x] = sum;
	result[threadIdx.x] = sum;
	auto token = barrier.arrive();
	barrier.wait(std::move(token));
	if (threadIdx.x == 0) {
		unsigned long long all = 0;
		for (int i = 0; i < BLOCK; i++)
			all += result[i];
		cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*total).fetch_add(all, cuda::std::memory_order_relaxed);
	}
}

/* What is pending before each arrival: one, two at once, one that leaves for good, the last; then of the next phase. */
__global__ void counts(unsigned *out)
{
	__shared__ unsigned long long object;
	const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&object));
	unsigned long long before[5];

	asm volatile("mbarrier.init.shared.b64 [%0], 5;" :: "r"(at) : "memory");
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(before[0]) : "r"(at) : "memory");
	asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;" : "=l"(before[1]) : "r"(at) : "memory");
	asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(before[2]) : "r"(at) : "memory");
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(before[3]) : "r"(at) : "memory");
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(before[4]) : "r"(at) : "memory");
	for (int i = 0; i < 5; i++)
		asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[i]) : "l"(before[i]));
}

int main(int argc, char **argv)
{
	const int tiles = option(argc, argv, "tiles", 8), blocks = 6, n = blocks * tiles * BLOCK;
	std::vector<int> in(n), want(blocks * BLOCK), got(blocks * BLOCK);
	Random random(19);
	for (int &x : in)
		x = int(random.below(1000));
	unsigned long long sum = 0, *total, got_total;
	for (int b = 0; b < blocks; b++)
		for (int i = 0; i < BLOCK; i++) {
			for (int t = 0; t < tiles; t++)
				want[b * BLOCK + i] += in[(b * tiles + t) * BLOCK + (i + 1) % BLOCK] * (t + 1);
			sum += want[b * BLOCK + i];
		}
	int *din, *dout;
	CHECK(cudaMalloc(&din, n * sizeof *din));
	CHECK(cudaMalloc(&dout, got.size() * sizeof *dout));
	CHECK(cudaMalloc(&total, sizeof *total));
	CHECK(cudaMemset(total, 0, sizeof *total));
	CHECK(cudaMemcpy(din, in.data(), n * sizeof *din, cudaMemcpyHostToDevice));
	sums<<<blocks, BLOCK>>>(din, dout, total, tiles);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(got.data(), dout, got.size() * sizeof *dout, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&got_total, total, sizeof got_total, cudaMemcpyDeviceToHost));
	EXPECT(got_total == sum);
	const std::vector<unsigned> pending = {5, 4, 2, 1, 4};
	std::vector<unsigned> seen(pending.size());
	unsigned *dseen;
	CHECK(cudaMalloc(&dseen, seen.size() * sizeof *dseen));
	counts<<<1, 1>>>(dseen);
	CHECK(cudaMemcpy(seen.data(), dseen, seen.size() * sizeof *dseen, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(dseen));
	CHECK(cudaFree(din));
	CHECK(cudaFree(dout));
	CHECK(cudaFree(total));
	printf("%d blocks of %d tiles, sum %llu\n", blocks, tiles, got_total);
	return verdict("pipeline_copy", same("sum", got.data(), want.data(), got.size()) && same("pending", seen.data(), pending.data(), seen.size()));
}
