/* Forces between particles in boxes (Rodinia's lavaMD): each particle feels those of its own box and of the boxes that touch it, by a
 * potential that fades like exp(-r^2). A block has a box: a thread holds HOME of its particles and takes every PARTS-th of the others,
 * READ at once; then the parts of each particle's force are added up. */
#include "examples/gpu.cl.h"

enum {
	BOX = 32, HOME = 2, PARTS = 8,                  /* particles of a box, and of a thread; threads that share the others */
	READ = BOX / PARTS,
	THREADS = BOX / HOME * PARTS,
};

/* A particle is its place in its box, 0 to 1 each way, and its charge; its result is energy and force. */
__kernel void lavamd(__global const f32x4 *particle, __global f32x4 *result, int nx, int ny, int nz, float sharp)
{
	__local f32x4 share[PARTS][BOX];
	int t = THREAD_X, part = t % PARTS, home = t / PARTS * HOME, bx = BLOCK_X, by = BLOCK_Y, bz = BLOCK_Z;
	int box = (bz * ny + by) * nx + bx;
	f32x4 own[HOME], sum[HOME];

#pragma unroll
	for (int h = 0; h < HOME; h++) {
		own[h] = particle[box * BOX + home + h];
		sum[h] = 0;
	}
	for (int z = MAX(bz - 1, 0); z <= MIN(bz + 1, nz - 1); z++)
		for (int y = MAX(by - 1, 0); y <= MIN(by + 1, ny - 1); y++)
			for (int x = MAX(bx - 1, 0); x <= MIN(bx + 1, nx - 1); x++) {
				__global const f32x4 *with = particle + ((z * ny + y) * nx + x) * BOX + part;
				float far_x = (float)(bx - x), far_y = (float)(by - y), far_z = (float)(bz - z);
				f32x4 other[READ];

#pragma unroll
				for (int i = 0; i < READ; i++)
					other[i] = with[i * PARTS];
#pragma unroll
				for (int i = 0; i < READ; i++)
#pragma unroll
					for (int h = 0; h < HOME; h++) {
						float dx = own[h].x - other[i].x + far_x, dy = own[h].y - other[i].y + far_y;
						float dz = own[h].z - other[i].z + far_z;
						float energy = other[i].w * EXP2(-sharp * (dx * dx + dy * dy + dz * dz)), pull = 2 * sharp * energy;

						sum[h].x += energy;
						sum[h].y += pull * dx;
						sum[h].z += pull * dy;
						sum[h].w += pull * dz;
					}
			}
#pragma unroll
	for (int h = 0; h < HOME; h++)
		share[part][home + h] = sum[h];
	BARRIER();
	if (t < BOX) {
		f32x4 all = share[0][t];

		for (int p = 1; p < PARTS; p++)
			all += share[p][t];
		result[box * BOX + t] = all;
	}
}
