/* C = alpha * A * B + beta * C in double precision, row-major, sizes that are multiples of the tiles: a block makes ROWS x COLUMNS of
 * C, a thread 2 x 2 of them in registers, from strips of A and B in shared memory. Each operand is two 32-bit registers. */
#include "examples/gpu.cl.h"

enum { TX = 16, TY = 8, ROWS = 2 * TY, COLUMNS = 2 * TX, DEPTH = 16 };

__kernel void dgemm(__global const double *A, __global const double *B, __global double *C, u32 n, u32 k, double alpha, double beta)
{
	__local double a[DEPTH][ROWS + 1], b[DEPTH][COLUMNS];
	u32 tx = THREAD_X, ty = THREAD_Y;
	double c00 = 0, c01 = 0, c10 = 0, c11 = 0;

	A += BLOCK_Y * ROWS * k;
	B += BLOCK_X * COLUMNS;
	C += (BLOCK_Y * ROWS + ty) * n + BLOCK_X * COLUMNS + tx;
	for (u32 t = 0; t < k; t += DEPTH) {
		for (u32 y = ty; y < ROWS; y += TY)                     /* 16 columns of A, a half warp each row */
			a[tx][y] = A[y * k + t + tx];
		for (u32 y = ty; y < DEPTH; y += TY) {
			b[y][tx] = B[(t + y) * n + tx];
			b[y][tx + TX] = B[(t + y) * n + tx + TX];
		}
		BARRIER();
		for (u32 i = 0; i < DEPTH; i++) {
			double a0 = a[i][ty], a1 = a[i][ty + TY], b0 = b[i][tx], b1 = b[i][tx + TX];

			c00 += a0 * b0;
			c01 += a0 * b1;
			c10 += a1 * b0;
			c11 += a1 * b1;
		}
		BARRIER();
	}
	C[0] = alpha * c00 + beta * C[0];
	C[TX] = alpha * c01 + beta * C[TX];
	C[TY * n] = alpha * c10 + beta * C[TY * n];
	C[TY * n + TX] = alpha * c11 + beta * C[TY * n + TX];
}
