// scan: prefix sums of any length: blocks in dynamic shared memory, sums of blocks by the same function again, then added; a functor as template.
// run:
// run: -n=100000 -block=64
// run: -n=37 -block=32
// timed: -n=5000 -block=128
// mutant: s/op(s\[t - d\], s\[t\])/op(s[t - d], s[t - d])/
#include "program.h"
#include <algorithm>
#include <vector>

struct Plus { __host__ __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; } static constexpr unsigned none = 0; };
struct Max { __host__ __device__ unsigned operator()(unsigned a, unsigned b) const { return a > b ? a : b; } static constexpr unsigned none = 0; };

template <class Op> __global__ void scan_block(const unsigned *in, unsigned *out, unsigned *sums, unsigned n, Op op)
{
	extern __shared__ unsigned s[];
	const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

	s[t] = i < n ? in[i] : Op::none;
	__syncthreads();
	for (unsigned d = 1; d < blockDim.x; d *= 2) {
		const unsigned sum = t >= d ? op(s[t - d], s[t]) : s[t];
		__syncthreads();
		s[t] = sum;
		__syncthreads();
	}
	if (i < n)
		out[i] = s[t];
	if (t == blockDim.x - 1)
		sums[blockIdx.x] = s[t];
}

template <class Op> __global__ void add_block(unsigned *out, const unsigned *sums, unsigned n, Op op)
{
	const unsigned i = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = op(sums[blockIdx.x], out[i]);
}

template <class Op> static void scan(const unsigned *in, unsigned *out, unsigned n, unsigned block, Op op)
{
	const unsigned blocks = (n + block - 1) / block;
	unsigned *sums;
	CHECK(cudaMalloc(&sums, blocks * sizeof *sums));
	scan_block<<<blocks, block, block * sizeof *sums>>>(in, out, sums, n, op);
	CHECK(cudaGetLastError());
	if (blocks > 1) {
		scan(sums, sums, blocks, block, op);
		add_block<<<blocks - 1, block>>>(out, sums, n, op);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaFree(sums));
}

template <class Op> static bool check(const char *name, const std::vector<unsigned> &in, const unsigned *din, unsigned *dout, unsigned block, Op op)
{
	const unsigned n = unsigned(in.size());
	std::vector<unsigned> got(n), want(n);
	unsigned all = Op::none;
	for (unsigned i = 0; i < n; i++)
		want[i] = all = op(all, in[i]);
	scan(din, dout, n, block, op);
	CHECK(cudaMemcpy(got.data(), dout, n * sizeof *dout, cudaMemcpyDeviceToHost));
	return same(name, got.data(), want.data(), n);
}

int main(int argc, char **argv)
{
	const unsigned n = option(argc, argv, "n", 20000), block = option(argc, argv, "block", 256);
	std::vector<unsigned> in(n);
	Random random(5);
	for (unsigned &x : in)
		x = random.below(1000);
	unsigned *din, *dout;
	CHECK(cudaMalloc(&din, n * sizeof *din));
	CHECK(cudaMalloc(&dout, n * sizeof *dout));
	CHECK(cudaMemcpy(din, in.data(), n * sizeof *din, cudaMemcpyHostToDevice));
	const bool ok = check("sum", in, din, dout, block, Plus()) & check("max", in, din, dout, block, Max());
	CHECK(cudaDeviceSynchronize());
	size_t free_now, total, free_then;
	CHECK(cudaMemGetInfo(&free_now, &total));
	CHECK(cudaFree(din));
	CHECK(cudaFree(dout));
	CHECK(cudaMemGetInfo(&free_then, &total));
	EXPECT(free_then >= free_now + 2 * n * sizeof *din || n < 1 << 18);        // small ones may share a page
	EXPECT(free_then <= total);
	printf("%u numbers, blocks of %u\n", n, block);
	return verdict("scan", ok);
}
