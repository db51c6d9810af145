/* Needleman-Wunsch: scores of the best alignments of all beginnings of two sequences, for several pairs at once. The table of a
 * pair has n + 1 rows and columns and is made in tiles, one diagonal of tiles a launch, and within a tile one diagonal after
 * the other, each thread in a row. Then one thread a pair goes back from the end and writes how its sequences lie beside each
 * other. */
#include "examples/gpu.cl.h"

#define TILE 16
#define LETTERS 4

/* The borders: gaps alone. A block for each pair. */
__kernel void nw_start(u32 n, int gap, __global s16 *score)
{
	__global s16 *table = score + BLOCK_X * (n + 1) * (n + 1);

	for (u32 i = THREAD_X; i <= n; i += BLOCK_SIZE_X)
		table[i] = table[i * (n + 1)] = (int)i * gap;
}

__kernel void nw_tiles(int diagonal, u32 n, int gap, __global const u8 *a, __global const u8 *b, __global const s8 *alike,
                       __global s16 *score)
{
	__local s16 cell[TILE + 1][TILE + 1];
	__local s8 pair[LETTERS * LETTERS];
	int t = THREAD_X, tile_x = BLOCK_X, tile_y = diagonal - tile_x;

	if (tile_y < 0 || tile_y >= (int)BLOCKS_X)
		return;

	u32 stride = n + 1, x0 = tile_x * TILE, y0 = tile_y * TILE;
	__global s16 *table = score + BLOCK_Y * stride * stride + y0 * stride + x0;
	u32 mine = a[BLOCK_Y * n + y0 + t];
	__global const u8 *letter = b + BLOCK_Y * n + x0;

	pair[t] = alike[t];
	cell[0][t + 1] = table[t + 1];
	cell[t + 1][0] = table[(t + 1) * stride];
	if (t == 0)
		cell[0][0] = table[0];
	BARRIER();
	for (int d = 0; d < 2 * TILE - 1; d++) {
		int x = d - t;

		if (x >= 0 && x < TILE) {
			int both = cell[t][x] + pair[mine * LETTERS + letter[x]];
			int one = MAX(cell[t][x + 1], cell[t + 1][x]) + gap;

			cell[t + 1][x + 1] = MAX(both, one);
		}
		BARRIER();
	}
	for (int y = 1; y <= TILE; y++)
		table[y * stride + t + 1] = cell[y][t + 1];
}

/* The steps of an alignment from its end: 0 both sequences, 1 the first alone, 2 the second alone. */
__kernel void nw_trace(u32 n, int gap, __global const u8 *a, __global const u8 *b, __global const s8 *alike,
                       __global const s16 *score, __global u8 *step, __global u16 *steps, u32 pairs)
{
	u32 p = GLOBAL_X;

	if (p >= pairs)
		return;

	u32 x = n, y = n, done = 0;

	score += p * (n + 1) * (n + 1);
	step += p * 2 * n;
	while (x || y) {
		int here = score[y * (n + 1) + x];
		u32 what;

		if (x && y && here == score[(y - 1) * (n + 1) + x - 1] + alike[a[p * n + y - 1] * LETTERS + b[p * n + x - 1]])
			what = 0;
		else if (y && here == score[(y - 1) * (n + 1) + x] + gap)
			what = 1;
		else
			what = 2;
		y -= what != 2;
		x -= what != 1;
		step[done++] = what;
	}
	steps[p] = done;
}
