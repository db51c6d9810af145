/* Solves A x = b, n x n, by Gaussian elimination without pivoting. For each column t two launches: the multipliers of the rows
 * below t, then those rows less their multiple of row t. At the end the triangular system is solved from the last row upwards
 * by one block of n threads. */
#include "examples/gpu.cl.h"

__kernel void gaussian_multipliers(u32 t, u32 n, __global const float *a, __global float *multiplier)
{
	u32 row = t + 1 + GLOBAL_X;

	if (row < n)
		multiplier[row] = a[row * n + t] / a[t * n + t];
}

__kernel void gaussian_eliminate(u32 t, u32 n, __global float *a, __global float *b, __global const float *multiplier)
{
	u32 column = t + GLOBAL_X, row = t + 1 + GLOBAL_Y;

	if (column >= n || row >= n)
		return;
	a[row * n + column] -= multiplier[row] * a[t * n + column];
	if (column == t)
		b[row] -= multiplier[row] * b[t];
}

__kernel void gaussian_solve(u32 n, __global const float *a, __global const float *b, __global float *x)
{
	__local float found;
	u32 t = THREAD_X;
	float rest = b[t];

	for (u32 i = n; i-- > 0;) {
		if (t == i)
			found = rest / a[i * n + i];
		BARRIER();
		if (t < i)
			rest -= a[t * n + i] * found;
		else if (t == i)
			x[t] = found;
		BARRIER();
	}
}
