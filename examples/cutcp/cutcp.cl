/* The potential of charges on a lattice, each felt up to a cutoff: sum of q / r (1 - r^2 / cutoff^2)^2. The charges are in bins, as many
 * in each. A thread has LAYERS points of the lattice one behind the other, a block looks into the bins that its points may feel. */
#include "examples/gpu.cl.h"

enum {
	TX = 16, TY = 12, LAYERS = 4,                   /* points of a block of threads, and of a thread */
	BIN = 8, DEPTH = 2,                             /* a bin's side, and its charges */
	CUTOFF = 4,
};

/* A charge's place in its bin, 0 to 1 each way, and its charge. */
__kernel void cutcp(__global const f32x4 *charge, __global float *potential, int bins_x, int bins_y, int bins_z)
{
	int x0 = BLOCK_X * TX, y0 = BLOCK_Y * TY, z0 = BLOCK_Z * LAYERS, width = BLOCKS_X * TX, height = BLOCKS_Y * TY;
	int x = x0 + THREAD_X, y = y0 + THREAD_Y;
	int first_x = MAX(x0 - CUTOFF, 0) / BIN, last_x = MIN((x0 + TX + CUTOFF - 1) / BIN, bins_x - 1);
	int first_y = MAX(y0 - CUTOFF, 0) / BIN, last_y = MIN((y0 + TY + CUTOFF - 1) / BIN, bins_y - 1);
	int first_z = MAX(z0 - CUTOFF, 0) / BIN, last_z = MIN((z0 + LAYERS + CUTOFF - 1) / BIN, bins_z - 1);
	float sum[LAYERS] = { 0 };

	for (int bz = first_z; bz <= last_z; bz++)
		for (int by = first_y; by <= last_y; by++)
			for (int bx = first_x; bx <= last_x; bx++) {
				__global const f32x4 *bin = charge + ((bz * bins_y + by) * bins_x + bx) * DEPTH;
				float dz[DEPTH], beside[DEPTH], q[DEPTH];
				bool near = false;

#pragma unroll
				for (int i = 0; i < DEPTH; i++) {
					f32x4 c = bin[i];
					float dx = (float)x - ((float)bx + c.x) * BIN, dy = (float)y - ((float)by + c.y) * BIN;

					dz[i] = (float)z0 - ((float)bz + c.z) * BIN;
					beside[i] = dx * dx + dy * dy;
					q[i] = c.w;
					near |= beside[i] < CUTOFF * CUTOFF;
				}
				if (!near)
					continue;
#pragma unroll
				for (int i = 0; i < DEPTH; i++)
#pragma unroll
					for (int z = 0; z < LAYERS; z++) {
						float d = dz[i] + (float)z, square = d * d + beside[i], fade = 1 - square * (1.0f / (CUTOFF * CUTOFF));

						fade = MAX(fade, 0.0f);
						sum[z] += q[i] * RSQRT(square) * (fade * fade);
					}
			}
#pragma unroll
	for (int z = 0; z < LAYERS; z++)
		potential[((z0 + z) * height + y) * width + x] = sum[z];
}

/* A lattice of half as many points each way: means of 2 x 2 x 2. */
__kernel void cutcp_coarse(__global const float *fine, __global float *coarse, u32 width, u32 height)
{
	u32 i = GLOBAL_X, x = i % (width / 2), y = i / (width / 2) % (height / 2), z = i / (width / 2 * (height / 2));
	float sum = 0;

	fine += (2 * z * height + 2 * y) * width + 2 * x;
#pragma unroll
	for (u32 k = 0; k < 8; k++)
		sum += fine[(k / 4 * height + k / 2 % 2) * width + k % 2];
	coarse[i] = sum / 8;
}
