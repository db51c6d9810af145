#include "../program.h"
#include "vectors.h"

static __device__ unsigned operations;

static __global__ void apply(const float *a, const float *b, float *out, size_t n)               // of the same name as another's
{
	__shared__ float s[64];
	float sum = 0;
	for (size_t i = threadIdx.x; i < n; i += 64)
		sum += a[i] * b[i];
	s[threadIdx.x] = sum;
	__syncthreads();
	for (int d = 32; d; d /= 2) {
		if (threadIdx.x < d)
			s[threadIdx.x] += s[threadIdx.x + d];
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		*out = s[0];
		operations++;
	}
}

float dot(const Vector &a, const Vector &b)
{
	Vector out(size_t(1));
	apply<<<1, 64>>>(a.get(), b.get(), out.get(), a.size());
	return out.host()[0];
}

unsigned operations_of_sums()
{
	unsigned n;
	CHECK(cudaMemcpyFromSymbol(&n, operations, sizeof n));
	return n;
}
