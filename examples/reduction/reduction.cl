/* Sum of n integers: each block adds up a strip of the input, then folds its threads' sums in shared memory. Launched
 * twice: over the input, then over the blocks' sums. */
#include "examples/gpu.cl.h"

#define THREADS 256

__kernel void reduce(__global const int *in, __global int *out, u32 n)
{
	__local int part[THREADS];
	u32 t = THREAD_X, stride = BLOCKS_X * THREADS;
	int sum = 0;

	for (u32 i = BLOCK_X * THREADS + t; i < n; i += stride)
		sum += in[i];
	part[t] = sum;
	BARRIER();
	for (u32 width = THREADS / 2; width; width /= 2) {
		if (t < width)
			part[t] += part[t + width];
		BARRIER();
	}
	if (t == 0)
		out[BLOCK_X] = part[0];
}
