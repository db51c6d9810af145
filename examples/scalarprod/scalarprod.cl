/* Scalar products of pairs of vectors, a block a pair: each thread sums products a block's width apart, then a tree in shared memory
 * adds the threads' sums. The loop is two loads, a multiply-add and addresses: hardly a value in it is read by a near instruction. */
#include "examples/gpu.cl.h"

enum { THREADS = 128 };

__kernel void scalarprod(__global const float *a, __global const float *b, __global float *product, u32 n)
{
	__local float part[THREADS];
	u32 t = THREAD_X;
	float sum = 0;

	a += BLOCK_X * n;
	b += BLOCK_X * n;
#pragma clang loop unroll(disable)
	for (u32 i = t; i < n; i += THREADS)
		sum += a[i] * b[i];
	part[t] = sum;
	for (u32 near = THREADS / 2; near > 0; near /= 2) {
		BARRIER();
		if (t < near)
			part[t] = sum += part[t + near];
	}
	if (t == 0)
		product[BLOCK_X] = sum;
}
