// cub_primitives: CUB's device-wide reduction, scan, radix sort, selection and histogram, their temporary memory asked for first, and a block's own.
// slow:
// run:
// mutant: s/keep(int x) const { return x % 3 == 0/keep(int x) const { return x % 3 == 1/
#include "program.h"
#include <algorithm>
#include <cub/cub.cuh>
#include <numeric>
#include <vector>

struct Thirds {
	__host__ __device__ bool keep(int x) const { return x % 3 == 0; }
	__host__ __device__ bool operator()(int x) const { return keep(x); }
};

__global__ void block_sums(const int *in, int *out, int *sorted)
{
	using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
	using Reduce = cub::BlockReduce<int, 64>;
	using Sort = cub::BlockRadixSort<int, 64, 4>;
	__shared__ union { typename Load::TempStorage load; typename Reduce::TempStorage reduce; typename Sort::TempStorage sort; } s;
	int x[4];
	Load(s.load).Load(in + blockIdx.x * 256, x);
	__syncthreads();
	const int sum = Reduce(s.reduce).Sum(x);
	__syncthreads();
	Sort(s.sort).Sort(x);
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum;
	for (int i = 0; i < 4; i++)
		sorted[blockIdx.x * 256 + threadIdx.x * 4 + i] = x[i];
}

template <class F> static void with_temporary(F f)              // asks how much, then does it
{
	size_t bytes = 0;
	void *temporary = nullptr;
	CHECK(f(nullptr, bytes));
	CHECK(cudaMalloc(&temporary, bytes));
	CHECK(f(temporary, bytes));
	CHECK(cudaFree(temporary));
}

template <class T> static std::vector<T> fetch(const T *d, size_t n)
{
	std::vector<T> v(n);
	CHECK(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
	return v;
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 2048) / 256 * 256;
	std::vector<int> h(n), want(n);
	Random random(17);
	for (int &x : h)
		x = int(random.below(1000));
	int *in, *out, *count;
	CHECK(cudaMalloc(&in, n * sizeof *in));
	CHECK(cudaMalloc(&out, (n + 1) * sizeof *out));
	CHECK(cudaMalloc(&count, 64 * sizeof *count));
	CHECK(cudaMemcpy(in, h.data(), n * sizeof *in, cudaMemcpyHostToDevice));
	with_temporary([&](void *t, size_t &bytes) { return cub::DeviceReduce::Sum(t, bytes, in, out, n); });
	EXPECT(fetch(out, 1)[0] == std::accumulate(h.begin(), h.end(), 0));
	with_temporary([&](void *t, size_t &bytes) { return cub::DeviceScan::InclusiveSum(t, bytes, in, out, n); });
	std::partial_sum(h.begin(), h.end(), want.begin());
	bool ok = same("scan", fetch(out, n).data(), want.data(), n);
	with_temporary([&](void *t, size_t &bytes) { return cub::DeviceRadixSort::SortKeys(t, bytes, in, out, n, 0, 10); });
	want = h;
	std::sort(want.begin(), want.end());
	ok &= same("sort", fetch(out, n).data(), want.data(), n);
	with_temporary([&](void *t, size_t &bytes) { return cub::DeviceSelect::If(t, bytes, in, out, count, n, Thirds()); });
	want.clear();
	std::copy_if(h.begin(), h.end(), std::back_inserter(want), [](int x) { return x % 3 == 0; });
	EXPECT(fetch(count, 1)[0] == int(want.size()));
	ok &= same("select", fetch(out, want.size()).data(), want.data(), want.size());
	with_temporary([&](void *t, size_t &bytes) { return cub::DeviceHistogram::HistogramEven(t, bytes, in, count, 11, 0, 1000, n); });
	std::vector<int> bins(10);
	for (int x : h)
		bins[x / 100]++;
	ok &= same("histogram", fetch(count, 10).data(), bins.data(), 10);
	int *sorted;
	CHECK(cudaMalloc(&sorted, n * sizeof *sorted));
	block_sums<<<n / 256, 64>>>(in, out, sorted);
	std::vector<int> sums(n / 256);
	want = h;
	for (int b = 0; b < n / 256; b++) {
		sums[b] = std::accumulate(h.begin() + b * 256, h.begin() + (b + 1) * 256, 0);
		std::sort(want.begin() + b * 256, want.begin() + (b + 1) * 256);
	}
	ok &= same("block sums", fetch(out, sums.size()).data(), sums.data(), sums.size());
	ok &= same("block sort", fetch(sorted, n).data(), want.data(), n);
	for (int *p : {in, out, count, sorted})
		CHECK(cudaFree(p));
	printf("%d numbers\n", n);
	return verdict("cub_primitives", ok);
}
