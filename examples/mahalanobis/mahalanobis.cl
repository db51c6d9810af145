/* How far each sample is from its class, in standard deviations: sqrt(d' C^-1 d) with the class's covariance C at the sample. A thread
 * factors its own C = L L' (Cholesky), N x N, in registers, and solves L y = d. All of C is loaded first; each column that is done is
 * used for the others and then for nothing any more. */
#include "examples/gpu.cl.h"

enum { THREADS = 128, N = 10, TRIANGLE = N * (N + 1) / 2 };

#define AT(row, column) ((row) * ((row) + 1) / 2 + (column))

/* A value of each sample lies beside that of the next one: element i of sample s is at i * n + s. What is random becomes a covariance by a
 * heavier diagonal. */
__kernel void mahalanobis(__global const float *covariance, __global const float *difference, __global float *distance, u32 n,
                          float ridge)
{
	u32 s = GLOBAL_X;
	float c[TRIANGLE], d[N], sum = 0;

	if (s >= n)
		return;
#pragma unroll
	for (u32 i = 0; i < TRIANGLE; i++)
		c[i] = covariance[i * n + s];
#pragma unroll
	for (u32 i = 0; i < N; i++)
		d[i] = difference[i * n + s];
#pragma unroll
	for (u32 k = 0; k < N; k++) {
		float inverse = RSQRT(c[AT(k, k)] + ridge), y = d[k] * inverse;

		sum += y * y;
#pragma unroll
		for (u32 i = k + 1; i < N; i++) {
			c[AT(i, k)] *= inverse;
			d[i] -= c[AT(i, k)] * y;
#pragma unroll
			for (u32 j = k + 1; j <= i; j++)
				c[AT(i, j)] -= c[AT(i, k)] * c[AT(j, k)];
		}
	}
	distance[s] = SQRT(sum);
}
