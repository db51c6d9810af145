// vector_add: the first program of every course: copies, one kernel, the last error asked for, time by events.
// run:
// run: -n=100003 -block=192
// run: -n=1
// timed: -n=20000
// mutant: s/c\[i\] = a\[i\] + b\[i\]/c[i] = a[i] - b[i]/
#include "program.h"
#include <vector>

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
	const int i = blockDim.x * blockIdx.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
	const int n = option(argc, argv, "n", 50000), block = option(argc, argv, "block", 256);
	const size_t bytes = n * sizeof(float);
	std::vector<float> a(n), b(n), c(n, -1), want(n);
	Random random(1);
	for (int i = 0; i < n; i++) {
		a[i] = random.unit();
		b[i] = random.between(-2, 2);
		want[i] = a[i] + b[i];
	}
	float *da, *db, *dc;
	CHECK(cudaMalloc(&da, bytes));
	CHECK(cudaMalloc(&db, bytes));
	CHECK(cudaMalloc(&dc, bytes));
	CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
	Timer timer;
	vector_add<<<(n + block - 1) / block, block>>>(da, db, dc, n);
	CHECK(cudaGetLastError());
	const float ms = timer.ms();
	CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
	printf("%d elements, blocks of %d: %.4f ms, %.2f GB/s\n", n, block, ms, 3e-6 * bytes / ms);
	EXPECT(ms > 0);
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	return verdict("vector_add", same("c", c.data(), want.data(), n));
}
