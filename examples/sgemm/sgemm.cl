/* C = alpha * A * B + beta * C for row-major matrices whose sizes are multiples of the tile: each block makes one tile
 * of C, staging tiles of A and B in shared memory. */
#include "examples/gpu.cl.h"

#define TILE 16

__kernel void sgemm(__global const float *A, __global const float *B, __global float *C, u32 n, u32 k, float alpha, float beta)
{
	__local float a[TILE][TILE], b[TILE][TILE];
	u32 tx = THREAD_X, ty = THREAD_Y;
	u32 row = BLOCK_Y * TILE + ty, col = BLOCK_X * TILE + tx;
	float sum = 0;

	for (u32 t = 0; t < k; t += TILE) {
		a[ty][tx] = A[row * k + t + tx];
		b[ty][tx] = B[(t + ty) * n + col];
		BARRIER();
		for (u32 i = 0; i < TILE; i++)
			sum += a[ty][i] * b[i][tx];
		BARRIER();
	}
	C[row * n + col] = alpha * sum + beta * C[row * n + col];
}
