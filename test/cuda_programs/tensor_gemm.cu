// tensor_gemm: D = alpha A B + beta C on tensor cores, tiles in more than 48 KiB of dynamic shared memory, which the kernel must be allowed.
// run:
// timed: -k=32
// mutant: s/alpha \* sum.x\[i\] + beta/alpha * sum.x[i] - beta/
#include "program.h"
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>
using namespace nvcuda;

constexpr int M = 64, N = 64, STEP = 16, SLACK = 8;      // a block's results, elements of k at a time, padding of rows

// Eight warps: each has a row of two 16 x 16 tiles. A and B lie whole in shared memory.
__global__ void __launch_bounds__(256) gemm(const __half *a, const __half *b, const float *c, float *d, int k, int n, float alpha, float beta)
{
	extern __shared__ __align__(32) unsigned char shared[];
	__half *sa = reinterpret_cast<__half *>(shared), *sb = sa + M * (k + SLACK);
	const int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 32;

	for (int i = threadIdx.x * 8; i < M * k; i += 256 * 8)
		*reinterpret_cast<uint4 *>(&sa[i / k * (k + SLACK) + i % k]) = *reinterpret_cast<const uint4 *>(&a[blockIdx.y * M * k + i]);
	for (int i = threadIdx.x * 8; i < N * k; i += 256 * 8)          // B by columns
		*reinterpret_cast<uint4 *>(&sb[i / k * (k + SLACK) + i % k]) = *reinterpret_cast<const uint4 *>(&b[blockIdx.x * N * k + i]);
	__syncthreads();
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2], old;
	for (auto &f : acc)
		wmma::fill_fragment(f, 0.0f);
	for (int i = 0; i < k; i += STEP) {
		wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
		wmma::load_matrix_sync(fa, sa + row * (k + SLACK) + i, k + SLACK);
		for (int j = 0; j < 2; j++) {
			wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
			wmma::load_matrix_sync(fb, sb + (column + 16 * j) * (k + SLACK) + i, k + SLACK);
			wmma::mma_sync(acc[j], fa, fb, acc[j]);
		}
	}
	for (int j = 0; j < 2; j++) {
		auto &sum = acc[j];
		const size_t at = size_t(blockIdx.y * M + row) * n + blockIdx.x * N + column + 16 * j;
		wmma::load_matrix_sync(old, c + at, n, wmma::mem_row_major);
		for (int i = 0; i < sum.num_elements; i++)
			sum.x[i] = alpha * sum.x[i] + beta * old.x[i];
		wmma::store_matrix_sync(d + at, sum, n, wmma::mem_row_major);
	}
}

int main(int argc, char **argv)
{
	const int m = 2 * M, n = N, k = option(argc, argv, "k", 256);
	const float alpha = 1.5f, beta = -0.5f;
	std::vector<__half> a(m * k), b(n * k);
	std::vector<float> c(m * n), want(m * n), got(m * n);
	Random random(15);
	for (__half &x : a)
		x = __float2half(float(int(random.below(17)) - 8) / 8);
	for (__half &x : b)
		x = __float2half(float(int(random.below(17)) - 8) / 8);
	for (float &x : c)
		x = float(random.below(100));
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;
			for (int l = 0; l < k; l++)
				sum += __half2float(a[i * k + l]) * __half2float(b[j * k + l]);         // eighths: exact
			want[i * n + j] = alpha * sum + beta * c[i * n + j];
		}
	__half *da, *db;
	float *dc, *dd;
	CHECK(cudaMalloc(&da, a.size() * sizeof *da));
	CHECK(cudaMalloc(&db, b.size() * sizeof *db));
	CHECK(cudaMalloc(&dc, c.size() * sizeof *dc));
	CHECK(cudaMalloc(&dd, c.size() * sizeof *dd));
	CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof *da, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof *db, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dc, c.data(), c.size() * sizeof *dc, cudaMemcpyHostToDevice));
	const int shared = (M + N) * (k + SLACK) * int(sizeof(__half));
	int most;
	CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
	if (shared > most)
		return fprintf(stderr, "tensor_gemm: %d bytes of shared memory, %d are the most\n", shared, most), 2;
	if (shared > 48 << 10) {
		gemm<<<dim3(n / N, m / M), 256, shared>>>(da, db, dc, dd, k, n, alpha, beta);
		EXPECT(cudaGetLastError() == cudaErrorInvalidValue);             // not allowed yet
	}
	CHECK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
	gemm<<<dim3(n / N, m / M), 256, shared>>>(da, db, dc, dd, k, n, alpha, beta);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(got.data(), dd, got.size() * sizeof *dd, cudaMemcpyDeviceToHost));
	for (void *p : {static_cast<void *>(da), static_cast<void *>(db), static_cast<void *>(dc), static_cast<void *>(dd)})
		CHECK(cudaFree(p));
	printf("%d x %d x %d, %d bytes of shared memory\n", m, n, k, shared);
	return verdict("tensor_gemm", same("d", got.data(), want.data(), got.size()));
}
