/* Motion search for blocks of 4 x 4 pixels, as H.264's encoders do: sums of absolute differences at 16 x 16 displacements. A thread has
 * 4 x 4 displacements of a block: its 16 pixels, the 7 x 7 pixels that they may lie over and 16 sums are all in registers. */
#include "examples/gpu.cl.h"

enum {
	SIDE = 4, BLOCKS = 8,                           /* of pixels, side by side, for a block of threads */
	PATCH = 4, PATCHES = 4, RANGE = PATCH * PATCHES,        /* displacements from -8 to 7, PATCH x PATCH of them a thread */
	REACH = SIDE + PATCH - 1,
	WIDE = SIDE * BLOCKS + RANGE - 1, HIGH = SIDE + RANGE - 1,
	GROUP = PATCHES * PATCHES, THREADS = GROUP * BLOCKS,
};

__kernel void motion(__global const u8 *now, __global const u8 *before, __global u16 *least, __global s8 *vector, int width, int height)
{
	__local u8 window[HIGH][WIDE + 1];
	__local u32 best[BLOCKS][GROUP];                /* a sum and, below it, its displacement */
	int t = THREAD_X, patch = t % GROUP, b = t / GROUP, x0 = BLOCK_X * SIDE * BLOCKS, y0 = BLOCK_Y * SIDE;
	int dx = patch % PATCHES * PATCH, dy = patch / PATCHES * PATCH;
	int pixel[SIDE][SIDE], seen[REACH][REACH];
	u32 sum[PATCH][PATCH], choice = ~0u;

#pragma clang loop unroll(disable)
	for (int i = t; i < HIGH * WIDE; i += THREADS) {
		int x = CLAMP(x0 - RANGE / 2 + i % WIDE, 0, width - 1), y = CLAMP(y0 - RANGE / 2 + i / WIDE, 0, height - 1);

		window[i / WIDE][i % WIDE] = before[y * width + x];
	}
	BARRIER();
#pragma unroll
	for (int y = 0; y < SIDE; y++)
#pragma unroll
		for (int x = 0; x < SIDE; x++)
			pixel[y][x] = now[(y0 + y) * width + x0 + b * SIDE + x];
#pragma unroll
	for (int y = 0; y < REACH; y++)
#pragma unroll
		for (int x = 0; x < REACH; x++)
			seen[y][x] = window[dy + y][b * SIDE + dx + x];
#pragma unroll
	for (int v = 0; v < PATCH; v++)
#pragma unroll
		for (int u = 0; u < PATCH; u++) {
			sum[v][u] = 0;
#pragma unroll
			for (int y = 0; y < SIDE; y++)
#pragma unroll
				for (int x = 0; x < SIDE; x++)
					sum[v][u] += ABS(pixel[y][x] - seen[v + y][u + x]);
		}
#pragma unroll
	for (int v = 0; v < PATCH; v++)
#pragma unroll
		for (int u = 0; u < PATCH; u++) {
			u32 with = sum[v][u] << 8 | ((dy + v) * RANGE + dx + u);

			choice = MIN(choice, with);
		}
	best[b][patch] = choice;
	BARRIER();
	if (t < BLOCKS) {
		int i = BLOCK_Y * (width / SIDE) + BLOCK_X * BLOCKS + t;

		choice = best[t][0];
#pragma unroll
		for (int p = 1; p < GROUP; p++)
			choice = MIN(choice, best[t][p]);
		least[i] = choice >> 8;
		vector[2 * i] = (int)(choice % RANGE) - RANGE / 2;
		vector[2 * i + 1] = (int)(choice / RANGE % RANGE) - RANGE / 2;
	}
}
