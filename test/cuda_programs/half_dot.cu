// half_dot: halves and bfloat16, alone and in pairs: scalar products, a polynomial, conversions, comparisons, atomics of pairs; exact where values are small.
// run:
// run: -n=1000
// timed: -n=512
// mutant: s/__hfma2(a\[i\], b\[i\], sum)/__hadd2(a[i], sum)/
#include "program.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

__global__ void dot(const __half2 *a, const __half2 *b, int pairs, float *out)
{
	__half2 sum = __float2half2_rn(0.0f);
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += gridDim.x * blockDim.x)
		sum = __hfma2(a[i], b[i], sum);
	for (int d = 16; d; d /= 2)
		sum = __hadd2(sum, __shfl_xor_sync(~0u, sum, d));
	if (threadIdx.x % 32 == 0)
		atomicAdd(out, __low2float(sum) + __high2float(sum));
}

__global__ void polynomial(const __nv_bfloat16 *x, __nv_bfloat16 *y, int n)          // x * (x + 2) - 1
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = __hfma(x[i], x[i] + __float2bfloat16(2.0f), __float2bfloat16(-1.0f));
}

__global__ void largest(const __half *x, int n, __half *out, int *above, __half2 *total)
{
	__half most = __float2half(-65504.0f);
	int count = 0;
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		most = __hmax(most, x[i]);
		count += __hgt(x[i], __float2half(1.0f));
	}
	for (int d = 16; d; d /= 2)
		most = __hmax(most, __shfl_down_sync(~0u, most, d));
	atomicAdd(above, count);
	atomicAdd(total, __halves2half2(__int2half_rn(count), __float2half(0.25f)));
	if (threadIdx.x == 0)
		*out = most;
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 4096) & ~1;
	std::vector<__half> a(n), b(n);
	std::vector<__nv_bfloat16> x(n), y(n);
	Random random(14);
	double sum = 0;
	float most = -100;
	int above = 0;
	for (int i = 0; i < n; i++) {
		const float p = float(int(random.below(9)) - 4) / 4, q = float(int(random.below(9)) - 4) / 2;          // products and sums fit
		a[i] = __float2half(p);
		b[i] = __float2half(q);
		x[i] = __float2bfloat16(random.between(-4, 4));
		sum += double(p) * q;
		most = q > most ? q : most;
		above += q > 1;
	}
	__half *da, *db, *dmost, got_most;
	__nv_bfloat16 *dx;
	__half2 *total, got_total;
	float *out, got;
	int *count, got_count;
	CHECK(cudaMalloc(&da, n * sizeof *da));
	CHECK(cudaMalloc(&db, n * sizeof *db));
	CHECK(cudaMalloc(&dx, 2 * n * sizeof *dx));
	CHECK(cudaMalloc(&dmost, sizeof *dmost));
	CHECK(cudaMalloc(&total, sizeof *total));
	CHECK(cudaMalloc(&out, sizeof *out));
	CHECK(cudaMalloc(&count, sizeof *count));
	CHECK(cudaMemset(out, 0, sizeof *out));
	CHECK(cudaMemset(count, 0, sizeof *count));
	CHECK(cudaMemset(total, 0, sizeof *total));
	CHECK(cudaMemcpy(da, a.data(), n * sizeof *da, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b.data(), n * sizeof *db, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dx, x.data(), n * sizeof *dx, cudaMemcpyHostToDevice));
	dot<<<2, 64>>>(reinterpret_cast<__half2 *>(da), reinterpret_cast<__half2 *>(db), n / 2, out);
	polynomial<<<(n + 63) / 64, 64>>>(dx, dx + n, n);
	largest<<<1, 32>>>(db, n, dmost, count, total);
	CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&got_most, dmost, sizeof got_most, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&got_count, count, sizeof got_count, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&got_total, total, sizeof got_total, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(y.data(), dx + n, n * sizeof *dx, cudaMemcpyDeviceToHost));
	bool ok = got == float(sum) && __half2float(got_most) == most && got_count == above;
	EXPECT(__half2float(__low2half(got_total)) == above || above > 2048);
	EXPECT(__half2float(__high2half(got_total)) == 8);
	for (int i = 0; i < n; i++) {
		const float v = __bfloat162float(x[i]), more = __bfloat162float(__float2bfloat16(v + 2));
		ok &= __bfloat162float(y[i]) == __bfloat162float(__float2bfloat16(float(double(v) * more - 1)));
	}
	for (void *p : {static_cast<void *>(da), static_cast<void *>(db), static_cast<void *>(dx), static_cast<void *>(dmost), static_cast<void *>(total), static_cast<void *>(out),
			static_cast<void *>(count)})
		CHECK(cudaFree(p));
	printf("%d values: product %.4f, largest %.2f, %d above 1\n", n, got, __half2float(got_most), got_count);
	return verdict("half_dot", ok);
}
