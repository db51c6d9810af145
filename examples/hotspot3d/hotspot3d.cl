/* Heat in a stack of LAYERS layers: explicit time steps of a 7-point stencil with a source term; all faces are insulated. A thread has a
 * column of the stack: its temperatures stay in registers, and those of the four columns beside it are loaded for first of the layers
 * at a time. */
#include "examples/gpu.cl.h"

enum { LAYERS = 8, HALF = LAYERS / 2, GROUP = 4, THREADS = 256 };

struct weights { float here, west, north, below, source, ambient; };    /* of a cell itself, and of one on each side of it */

__kernel void hotspot3d(__global const float *restrict from, __global const float *restrict power, __global float *restrict to,
                        int width, int height, struct weights k)
{
	int x = GLOBAL_X, y = GLOBAL_Y, layer = width * height, i = y * width + x;
	int west = x > 0 ? i - 1 : i, east = x < width - 1 ? i + 1 : i;
	int north = y > 0 ? i - width : i, south = y < height - 1 ? i + width : i;
	float t[LAYERS], next[LAYERS];

#pragma unroll
	for (int z = 0; z < LAYERS; z++)
		t[z] = from[i + z * layer];
#pragma unroll
	for (int first = 0; first < LAYERS; first += HALF) {
		float beside[HALF];

#pragma unroll
		for (int z = 0; z < HALF; z++)
			beside[z] = k.west * (from[west + (first + z) * layer] + from[east + (first + z) * layer]) +
			            k.north * (from[north + (first + z) * layer] + from[south + (first + z) * layer]) +
			            k.source * power[i + (first + z) * layer];
#pragma unroll
		for (int z = first; z < first + HALF; z++)
			next[z] = k.here * t[z] + beside[z - first] + k.below * (t[z > 0 ? z - 1 : z] + t[z < LAYERS - 1 ? z + 1 : z]) +
			          k.ambient;
	}
#pragma unroll
	for (int z = 0; z < LAYERS; z++)
		to[i + z * layer] = next[z];
}

/* What is seen from above: the mean of GROUP columns side by side. */
__kernel void hotspot3d_above(__global const float *from, __global float *mean, int layer)
{
	__local float column[THREADS];
	u32 t = THREAD_X;
	float sum = 0;

	for (int z = 0; z < LAYERS; z++)
		sum += from[GLOBAL_X + z * layer];
	column[t] = sum;
	BARRIER();
	if (t < THREADS / GROUP) {
		sum = 0;
		for (u32 i = 0; i < GROUP; i++)
			sum += column[GROUP * t + i];
		mean[BLOCK_X * (THREADS / GROUP) + t] = sum * (1.0f / (GROUP * LAYERS));
	}
}
