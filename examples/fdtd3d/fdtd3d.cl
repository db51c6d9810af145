/* Finite differences of eighth order in space (after the CUDA SDK's FDTD3d): a layer's tile with its edges in shared memory, what lies in front of it and
 * behind in registers, five constant weights. The field is the same nearly everywhere. */
#include "examples/gpu.cl.h"

enum { RADIUS = 4, TILE_X = 32, TILE_Y = 8, WIDE = TILE_X + 2 * RADIUS, HIGH = TILE_Y + 2 * RADIUS, MEAN = 4 };
#define WEIGHT_0 0.4f
#define WEIGHT_1 0.06f
#define WEIGHT_2 0.025f
#define WEIGHT_3 0.01f
#define WEIGHT_4 0.005f

/* A bump into a field: `side` cells along x, from `first` on, in a row each of BLOCK_Y and BLOCK_Z. */
__kernel void fdtd3d_excite(__global float *field, u32 first, u32 row, u32 layer)
{
	field[first + BLOCK_Z * layer + BLOCK_Y * row + THREAD_X] += (float)((1 + (u32)THREAD_X) * (1 + (u32)BLOCK_Y));
}

/* Both fields have RADIUS cells more on each side, which stay as they are; first: the first cell that is computed. */
__kernel void fdtd3d(__global const float *in, __global float *out, u32 first, u32 row, u32 layer, u32 layers)
{
	__local float tile[HIGH][WIDE];
	u32 x = THREAD_X, y = THREAD_Y, i = first + GLOBAL_Y * row + GLOBAL_X;
	float front[RADIUS], behind[RADIUS], here;

	here = in[i];
	for (u32 k = 0; k < RADIUS; k++) {
		front[k] = in[i - (k + 1) * layer];
		behind[k] = in[i + (k + 1) * layer];
	}
	for (u32 z = 0;;) {
		BARRIER();
		tile[y + RADIUS][x + RADIUS] = here;
		if (y < RADIUS) {
			tile[y][x + RADIUS] = in[i - RADIUS * row];
			tile[y + TILE_Y + RADIUS][x + RADIUS] = in[i + TILE_Y * row];
		}
		if (x < RADIUS) {
			tile[y + RADIUS][x] = in[i - RADIUS];
			tile[y + RADIUS][x + TILE_X + RADIUS] = in[i + TILE_X];
		}
		BARRIER();
#define AROUND(k) (front[k - 1] + behind[k - 1] + tile[y + RADIUS][x + RADIUS - k] + tile[y + RADIUS][x + RADIUS + k] + \
                   tile[y + RADIUS - k][x + RADIUS] + tile[y + RADIUS + k][x + RADIUS])
		out[i] = WEIGHT_0 * here + WEIGHT_1 * AROUND(1) + WEIGHT_2 * AROUND(2) + WEIGHT_3 * AROUND(3) + WEIGHT_4 * AROUND(4);
		if (++z == layers)
			break;
		for (u32 k = RADIUS - 1; k; k--)
			front[k] = front[k - 1];
		front[0] = here;
		here = behind[0];
		for (u32 k = 0; k + 1 < RADIUS; k++)
			behind[k] = behind[k + 1];
		i += layer;
		behind[RADIUS - 1] = in[i + RADIUS * layer];
	}
}

/* Means of MEAN x MEAN x MEAN cells, a thread each. */
__kernel void fdtd3d_mean(__global const float *field, __global float *mean, u32 first, u32 row, u32 layer)
{
	u32 x = THREAD_X, y = BLOCK_X, z = BLOCK_Y;
	float sum = 0;

	first += (z * layer + y * row + x) * MEAN;
	for (u32 k = 0; k < MEAN; k++)
		for (u32 j = 0; j < MEAN; j++)
			for (u32 i = 0; i < MEAN; i++)
				sum += field[first + k * layer + j * row + i];
	mean[(z * (u32)BLOCKS_X + y) * (u32)BLOCK_SIZE_X + x] = sum * (1.0f / (MEAN * MEAN * MEAN));
}
