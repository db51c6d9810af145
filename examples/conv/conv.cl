/* A convolution layer of a quantised network: 8 channels of bytes in, 16 out, filters of 3 x 3 signed bytes. A block makes a
 * tile of one output channel, over a tile of each input channel with its border, zeros outside the image. Sums are 32-bit
 * integers, scaled by a shift, rectified and saturated to a byte. */
#include "examples/gpu.cl.h"

#define TILE 16
#define BORDERED (TILE + 2)
#define CHANNELS 8

__kernel void conv(__global const u8 *in, __global const s8 *filter, __global const s16 *bias, __global u8 *out, int width,
                   int height, int shift)
{
	__local u8 tile[CHANNELS][BORDERED][BORDERED + 2];
	int tx = THREAD_X, ty = THREAD_Y, x0 = BLOCK_X * TILE, y0 = BLOCK_Y * TILE, channel = BLOCK_Z;
	int sum = bias[channel];

	for (int i = ty * TILE + tx; i < CHANNELS * BORDERED * BORDERED; i += TILE * TILE) {
		int c = i / (BORDERED * BORDERED), y = i / BORDERED % BORDERED, x = i % BORDERED;
		int from_x = x0 + x - 1, from_y = y0 + y - 1;
		bool inside = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height;

		tile[c][y][x] = inside ? in[(c * height + from_y) * width + from_x] : 0;
	}
	BARRIER();
	filter += channel * CHANNELS * 9;
	for (int c = 0; c < CHANNELS; c++)
		for (int y = 0; y < 3; y++)
			for (int x = 0; x < 3; x++)
				sum += tile[c][ty + y][tx + x] * filter[(c * 3 + y) * 3 + x];
	sum >>= shift;
	out[(channel * height + y0 + ty) * width + x0 + tx] = CLAMP(sum, 0, 255);
}
