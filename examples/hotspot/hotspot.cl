/* Heat on a chip: one explicit time step of a 5-point stencil with a source term; the edge is insulated. */
#include "examples/gpu.cl.h"

__kernel void hotspot(__global const float *from, __global float *to, __global const float *power, int width, int height,
                      float rx, float ry, float rz, float ambient, float step)
{
	int x = GLOBAL_X, y = GLOBAL_Y;

	if (x >= width || y >= height)
		return;

	int i = y * width + x;
	float here = from[i];
	float west = from[x > 0 ? i - 1 : i], east = from[x < width - 1 ? i + 1 : i];
	float north = from[y > 0 ? i - width : i], south = from[y < height - 1 ? i + width : i];

	to[i] = here + step * (power[i] + (west + east - 2.0f * here) * rx + (north + south - 2.0f * here) * ry + (ambient - here) * rz);
}
