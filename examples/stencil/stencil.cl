/* A sum over the 3 x 3 x 3 cells around each cell (a Gaussian of weights 1 2 1 along each axis): a thread goes through DEPTH layers and
 * keeps the sums of the three last ones, each taken of nine loads of which the next loads need nothing. */
#include "examples/gpu.cl.h"

enum { DEPTH = 10, SIDE = 4, FRONT = 2 };

/* 1 2 1 along x and y. Beyond its sides a layer goes on around. */
static float layer_sum(__global const float *layer, u32 west, u32 x, u32 east, u32 north, u32 y, u32 south)
{
	float up = layer[north + west] + 2 * layer[north + x] + layer[north + east];
	float here = layer[y + west] + 2 * layer[y + x] + layer[y + east];
	float down = layer[south + west] + 2 * layer[south + x] + layer[south + east];

	return up + 2 * here + down;
}

/* `in` has a layer more in front, and one behind. */
__kernel void stencil(__global const float *in, __global float *out, u32 width, u32 height)
{
	u32 x = GLOBAL_X, y = GLOBAL_Y, west = x ? x - 1 : width - 1, east = x < width - 1 ? x + 1 : 0;
	u32 north = (y ? y - 1 : height - 1) * width, south = (y < height - 1 ? y + 1 : 0) * width;
	float before, here;

	in += BLOCK_Z * DEPTH * width * height;
	out += BLOCK_Z * DEPTH * width * height + y * width + x;
	y *= width;
	before = layer_sum(in, west, x, east, north, y, south);
	in += width * height;
	here = layer_sum(in, west, x, east, north, y, south);
#pragma clang loop unroll(disable)
	for (u32 z = 0; z < DEPTH; z++) {
		float after;

		in += width * height;
		after = layer_sum(in, west, x, east, north, y, south);
		*out = (before + 2 * here + after) * (1.0f / 64);
		out += width * height;
		before = here;
		here = after;
	}
}

/* Means of SIDE x SIDE x FRONT cells. */
__kernel void stencil_coarse(__global const float *fine, __global float *coarse, u32 width, u32 height)
{
	u32 i = GLOBAL_X, x = i % (width / SIDE), y = i / (width / SIDE) % (height / SIDE), z = i / (width / SIDE * (height / SIDE));
	float sum = 0;

	fine += (z * FRONT * height + y * SIDE) * width + x * SIDE;
	for (u32 k = 0; k < FRONT * SIDE; k++) {
		f32x4 row = *(__global const f32x4 *)(fine + (k / SIDE * height + k % SIDE) * width);

		sum += (row.x + row.y) + (row.z + row.w);
	}
	coarse[i] = sum * (1.0f / (SIDE * SIDE * FRONT));
}
