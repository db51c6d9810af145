/* A = L U in place, L with a diagonal of ones, in tiles of 16 x 16 and without pivoting. For each step, tile `step` of the
 * diagonal is factored by one half warp; then the tiles right of it and below it, two a block, a half warp each; then the rest
 * of the matrix loses the product of its column's and its row's tile. Blocks beyond what is left have nothing to do. */
#include "examples/gpu.cl.h"

#define TILE 16

/* A + shift * I, which makes a matrix of small numbers one that needs no pivoting. */
__kernel void lud_shift(u32 n, __global float *a, float shift)
{
	u32 i = GLOBAL_X;

	if (i < n)
		a[i * n + i] += shift;
}

/* A thread has a row of the tile. */
__kernel void lud_diagonal(u32 step, u32 n, __global float *a)
{
	__local float tile[TILE][TILE + 1];
	u32 t = THREAD_X;

	a += step * TILE * (n + 1);
	for (u32 y = 0; y < TILE; y++)
		tile[y][t] = a[y * n + t];
	for (u32 k = 0; k < TILE - 1; k++) {
		BARRIER();
		if (t > k) {
			float factor = tile[t][k] / tile[k][k];

			tile[t][k] = factor;
			for (u32 x = k + 1; x < TILE; x++)
				tile[t][x] -= factor * tile[k][x];
		}
	}
	BARRIER();
	for (u32 y = 0; y < TILE; y++)
		a[y * n + t] = tile[y][t];
}

/* The first half warp has the tile on the right, U = L^-1 A, a column a thread; the second the tile below, L = A U^-1, a row a
 * thread. */
__kernel void lud_edges(u32 step, u32 n, __global float *a)
{
	__local float diagonal[TILE][TILE + 1], right[TILE][TILE + 1], below[TILE][TILE + 1];
	u32 t = THREAD_X % TILE, side = THREAD_X / TILE, at = step + 1 + BLOCK_X;

	if (at * TILE >= n)
		return;

	__global float *to_right = a + step * TILE * n + at * TILE, *to_below = a + at * TILE * n + step * TILE;

	a += step * TILE * (n + 1);
	for (u32 y = side; y < TILE; y += 2) {
		diagonal[y][t] = a[y * n + t];
		right[y][t] = to_right[y * n + t];
		below[y][t] = to_below[y * n + t];
	}
	BARRIER();
	if (side == 0) {
		for (u32 k = 1; k < TILE; k++) {
			float rest = right[k][t];

			for (u32 j = 0; j < k; j++)
				rest -= diagonal[k][j] * right[j][t];
			right[k][t] = rest;
		}
	} else {
		for (u32 k = 0; k < TILE; k++) {
			float rest = below[t][k];

			for (u32 j = 0; j < k; j++)
				rest -= below[t][j] * diagonal[j][k];
			below[t][k] = rest / diagonal[k][k];
		}
	}
	BARRIER();
	for (u32 y = side; y < TILE; y += 2) {
		to_right[y * n + t] = right[y][t];
		to_below[y * n + t] = below[y][t];
	}
}

__kernel void lud_rest(u32 step, u32 n, __global float *a)
{
	__local float l[TILE][TILE], u[TILE][TILE];
	u32 tx = THREAD_X, ty = THREAD_Y, x = (step + 1 + BLOCK_X) * TILE + tx, y = (step + 1 + BLOCK_Y) * TILE + ty;
	float sum = 0;

	if (step + 1 + MAX(BLOCK_X, BLOCK_Y) >= n / TILE)
		return;
	l[ty][tx] = a[y * n + step * TILE + tx];
	u[ty][tx] = a[(step * TILE + ty) * n + x];
	BARRIER();
	for (u32 k = 0; k < TILE; k++)
		sum += l[ty][k] * u[k][tx];
	a[y * n + x] -= sum;
}
