/* Motion search: for each 8 x 8 block of a frame the sums of absolute differences to the frame before it, at 16 x 16
 * displacements, one a thread; then the displacement with the least sum. Pixels are bytes; beyond its edge a frame repeats the
 * edge. */
#include "examples/gpu.cl.h"

#define SIDE 8
#define RANGE 16                                /* displacements -8 to 7 */
#define WINDOW (SIDE + RANGE - 1)
#define THREADS (RANGE * RANGE)

__kernel void sad(__global const u8 *now, __global const u8 *before, __global u16 *sums, int width, int height)
{
	__local u8 block[SIDE][SIDE], window[WINDOW][WINDOW + 1];
	int tx = THREAD_X, ty = THREAD_Y, t = ty * RANGE + tx;
	int x0 = BLOCK_X * SIDE, y0 = BLOCK_Y * SIDE;
	u32 sum = 0;

	if (t < SIDE * SIDE)
		block[t / SIDE][t % SIDE] = now[(y0 + t / SIDE) * width + x0 + t % SIDE];
	for (int i = t; i < WINDOW * WINDOW; i += THREADS) {
		int x = CLAMP(x0 - RANGE / 2 + i % WINDOW, 0, width - 1);
		int y = CLAMP(y0 - RANGE / 2 + i / WINDOW, 0, height - 1);

		window[i / WINDOW][i % WINDOW] = before[y * width + x];
	}
	BARRIER();
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			int difference = block[y][x] - window[ty + y][tx + x];

			sum += ABS(difference);
		}
	sums[(BLOCK_Y * BLOCKS_X + BLOCK_X) * THREADS + t] = sum;
}

/* One block of threads for each block of pixels. Of equal sums the first displacement is taken. */
__kernel void sad_best(__global const u16 *sums, __global u16 *least, __global s8 *vector)
{
	__local u32 best[THREADS];                  /* a sum and, below it, its displacement */
	u32 t = THREAD_X, b = BLOCK_X;

	best[t] = (u32)sums[b * THREADS + t] << 8 | t;
	BARRIER();
	for (u32 width = THREADS / 2; width; width /= 2) {
		if (t < width)
			best[t] = MIN(best[t], best[t + width]);
		BARRIER();
	}
	if (t == 0) {
		least[b] = best[0] >> 8;
		vector[2 * b] = (int)(best[0] % RANGE) - RANGE / 2;
		vector[2 * b + 1] = (int)(best[0] / RANGE % RANGE) - RANGE / 2;
	}
}
