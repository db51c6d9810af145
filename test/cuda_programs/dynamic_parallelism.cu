// dynamic_parallelism: kernels that launch kernels: a sort that divides, tail launches, streams and events of the device, copies, an error.
// build: -rdc=true -lcudadevrt
// run:
// run: -n=1
// timed: -n=200
// mutant: s/cudaStreamTailLaunch>>>(counts, 3/cudaStreamFireAndForget>>>(counts, 3/
#include "program.h"
#include <algorithm>
#include <vector>

// Those below the pivot to the front, those equal to it next; then each side by a kernel of its own.
__global__ void sort(int *x, int from, int to, int depth)
{
	if (to - from < 2)
		return;
	const int pivot = x[(from + to) / 2];
	int below = from, at = from, above = to;
	while (at < above) {
		const int v = x[at];
		if (v < pivot) {
			x[at++] = x[below];
			x[below++] = v;
		} else if (v > pivot) {
			x[at] = x[--above];
			x[above] = v;
		} else {
			at++;
		}
	}
	cudaStream_t s;
	cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	sort<<<1, 1, 0, s>>>(x, from, below, depth + 1);
	cudaStreamDestroy(s);
	sort<<<1, 1, 0, cudaStreamFireAndForget>>>(x, above, to, depth + 1);
}

struct Counts {
	int added[64], seen, status[4];
};

__global__ void add(Counts *counts, int n) { atomicAdd(&counts->added[threadIdx.x], n); }
__global__ void look(Counts *counts, int from)
{
	extern __shared__ int room[];
	room[threadIdx.x] = counts->added[threadIdx.x];
	__syncthreads();
	if (threadIdx.x == 0)
		counts->seen = 100 * counts->seen + 10 * from + room[63];
}

// The tail sees what all others have added; what it launches itself comes before the next tail.
__global__ void parent(Counts *counts, int *copied, const int *from, int n)
{
	if (threadIdx.x || blockIdx.x)
		return;
	look<<<1, 64, 64 * sizeof(int), cudaStreamTailLaunch>>>(counts, 3);
	look<<<1, 64, 64 * sizeof(int), cudaStreamTailLaunch>>>(counts, 4);
	cudaEvent_t e;
	cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
	for (int i = 0; i < 3; i++) {
		add<<<2, 64>>>(counts, 1);
		cudaEventRecord(e, nullptr);
	}
	cudaStreamWaitEvent(nullptr, e, 0);
	cudaEventDestroy(e);
	cudaMemcpyAsync(copied, from, n * sizeof *from, cudaMemcpyDeviceToDevice, nullptr);
	cudaMemsetAsync(copied, 0xff, sizeof *copied, nullptr);
	counts->status[0] = cudaGetLastError();
	add<<<1, 2000>>>(counts, 1000);
	counts->status[1] = cudaPeekAtLastError();
	counts->status[2] = cudaGetLastError();
	counts->status[3] = cudaGetLastError();
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 3000);
	std::vector<int> x(n), sorted, copied(n);
	Random random(7);
	int *d, *e;
	Counts *counts;
	for (int &v : x)
		v = int(random.below(1000)) - 500;
	sorted = x;
	std::sort(sorted.begin(), sorted.end());
	CHECK(cudaMalloc(&d, n * sizeof *d));
	CHECK(cudaMalloc(&e, n * sizeof *e));
	CHECK(cudaMallocManaged(&counts, sizeof *counts));
	memset(counts, 0, sizeof *counts);
	CHECK(cudaMemcpy(d, x.data(), n * sizeof *d, cudaMemcpyHostToDevice));
	sort<<<1, 1>>>(d, 0, n, 0);
	parent<<<2, 32>>>(counts, e, d, n);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(x.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(copied.data(), e, n * sizeof *e, cudaMemcpyDeviceToHost));
	bool ok = same("sorted", x.data(), sorted.data(), n);
	sorted[0] = -1;
	ok &= same("copied", copied.data(), sorted.data(), n);
	EXPECT(counts->added[63] == 6);
	EXPECT(counts->seen == 3646);
	EXPECT(counts->status[0] == cudaSuccess);
	EXPECT(counts->status[1] == cudaErrorInvalidConfiguration);
	EXPECT(counts->status[2] == cudaErrorInvalidConfiguration);
	EXPECT(counts->status[3] == cudaSuccess);
	printf("%d numbers, %d seen\n", n, counts->seen);
	CHECK(cudaFree(counts));
	CHECK(cudaFree(e));
	CHECK(cudaFree(d));
	return verdict("dynamic_parallelism", ok);
}
