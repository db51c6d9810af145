// threads: several threads of the host, each with its own default stream, its own last error, its own share of the work.
// build: --default-stream per-thread -Xcompiler -pthread
// run:
// run: -threads=2 -n=500
// timed: -threads=2 -n=300
// mutant: s/unsigned v = seed + i/unsigned v = seed - i/
#include "program.h"
#include <atomic>
#include <thread>
#include <vector>

__device__ unsigned launches;

__global__ void generate(unsigned *out, int n, unsigned seed, int steps)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i == 0)
		atomicAdd(&launches, 1);
	if (i < n) {
		unsigned v = seed + i;
		for (int k = 0; k < steps; k++)
			v = v * 1664525u + 1013904223u;
		out[i] = v;
	}
}

static std::atomic<int> wrong;

static void work(int me, int n)
{
	std::vector<unsigned> got(n);
	unsigned *d;
	CHECK(cudaSetDevice(0));
	if (me % 2) {
		unsigned *p;
		if (cudaMalloc(&p, size_t(1) << 50) != cudaErrorMemoryAllocation)           // an error of this thread alone
			wrong++;
	}
	CHECK(cudaMalloc(&d, n * sizeof *d));
	for (int round = 0; round < 3; round++) {
		generate<<<(n + 63) / 64, 64>>>(d, n, me * 1000 + round, 10 + me);
		CHECK(cudaMemcpyAsync(got.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost, cudaStreamPerThread));
		CHECK(cudaStreamSynchronize(0));
		for (int i = 0; i < n; i++) {
			unsigned v = me * 1000 + round + i;
			for (int k = 0; k < 10 + me; k++)
				v = v * 1664525u + 1013904223u;
			wrong += v != got[i];
		}
	}
	wrong += cudaGetLastError() != (me % 2 ? cudaErrorMemoryAllocation : cudaSuccess);
	CHECK(cudaFree(d));
}

int main(int argc, char **argv)
{
	const int threads = option(argc, argv, "threads", 6), n = option(argc, argv, "n", 1000);
	std::vector<std::thread> pool;
	for (int t = 0; t < threads; t++)
		pool.emplace_back(work, t, n);
	for (std::thread &t : pool)
		t.join();
	unsigned count;
	CHECK(cudaMemcpyFromSymbol(&count, launches, sizeof count));
	EXPECT(count == 3u * threads);
	EXPECT(wrong == 0);
	printf("%d threads, %u launches\n", threads, count);
	return verdict("threads", true);
}
