/* A sparse matrix times a vector: rows sorted by length in slices of a warp, each slice as deep as its longest row (SELL, JDS in
 * Parboil). Element j of a row lies beside that of the next row. A thread has a row and takes READ elements at once. */
#include "examples/gpu.cl.h"

enum { SLICE = 32, READ = 4 };

/* Slice s has start[s + 1] - start[s] elements of each row from start[s] * SLICE on, a multiple of READ; a row that is shorter has zeros. */
__kernel void spmv(__global const u32 *start, __global const u16 *column, __global const float *element, __global const float *x,
                   __global float *y)
{
	u32 row = GLOBAL_X, lane = row % SLICE, first = start[row / SLICE], last = start[row / SLICE + 1];
	float sum = 0;

	for (u32 j = first; j < last; j += READ) {
		float a[READ], b[READ];

#pragma unroll
		for (u32 i = 0; i < READ; i++) {
			a[i] = element[(j + i) * SLICE + lane];
			b[i] = x[column[(j + i) * SLICE + lane]];
		}
#pragma unroll
		for (u32 i = 0; i < READ; i++)
			sum += a[i] * b[i];
	}
	y[row] = sum;
}
