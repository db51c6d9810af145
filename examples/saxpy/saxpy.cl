/* y = a * x + y, one element a thread. */
#include "examples/gpu.cl.h"

__kernel void saxpy(__global float *y, __global const float *x, float a, u32 n)
{
	u32 i = GLOBAL_X;

	if (i < n)
		y[i] = a * x[i] + y[i];
}
