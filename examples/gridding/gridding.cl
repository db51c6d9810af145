/* Gridding of MRI samples (Parboil's mri-gridding): samples that lie anywhere in a cube, ever denser towards its middle, are spread onto a regular
 * grid. They are sorted by bins of SIDE x SIDE x SIDE cells; then a block has a bin's cells and looks through the 27 bins around it: all its threads
 * look at the same sample, and those within reach of it add it, weighed by a table of squared distances. */
#include "examples/gpu.cl.h"

enum {
	SIDE = 4, BINS_ACROSS = 5, BINS = BINS_ACROSS * BINS_ACROSS * BINS_ACROSS, CELLS = SIDE * BINS_ACROSS,
	REACH = SIDE / 2, STEPS = 64, SCAN = 128,       /* how far a sample is spread; steps of the table for a squared distance of 1; 2^n >= BINS */
};

/* count: samples of each bin; rank: a sample's place among those of its bin. */
__kernel void gridding_bin(__global const f32x4 *sample, __global u32 *bin, __global u32 *rank, __global u32 *count, u32 n)
{
	u32 i = GLOBAL_X;

	if (i >= n)
		return;
	f32x4 s = sample[i];
	u32 b = ((u32)s.z / SIDE * BINS_ACROSS + (u32)s.y / SIDE) * BINS_ACROSS + (u32)s.x / SIDE;

	bin[i] = b;
	rank[i] = ATOMIC_ADD(&count[b], 1u);
}

/* One block: where each bin begins. */
__kernel void gridding_begin(__global const u32 *count, __global u32 *begin)
{
	__local u32 sum[SCAN];
	u32 t = THREAD_X;

	sum[t] = t < BINS ? count[t] : 0;
	BARRIER();
	for (u32 apart = 1; apart < SCAN; apart *= 2) {
		u32 more = t >= apart ? sum[t - apart] : 0;

		BARRIER();
		sum[t] += more;
		BARRIER();
	}
	if (t < BINS)
		begin[t + 1] = sum[t];
}

__kernel void gridding_sort(__global const f32x4 *sample, __global const float *imaginary, __global const u32 *bin, __global const u32 *rank,
                            __global const u32 *begin, __global f32x4 *sorted, __global float *sorted_imaginary, u32 n)
{
	u32 i = GLOBAL_X;

	if (i >= n)
		return;
	u32 to = begin[bin[i]] + rank[i];

	sorted[to] = sample[i];
	sorted_imaginary[to] = imaginary[i];
}

/* sample: place and real part. */
__kernel void gridding(__global const f32x4 *sample, __global const float *imaginary, __global const u32 *begin, __global const float *table,
                       __global float *grid_real, __global float *grid_imaginary)
{
	u32 x = BLOCK_X * SIDE + THREAD_X % SIDE, y = BLOCK_Y * SIDE + THREAD_X / SIDE, z = BLOCK_Z * SIDE + THREAD_Y;
	u32 first_x = MAX(BLOCK_X, 1) - 1, last_x = MIN(BLOCK_X + 1, BINS_ACROSS - 1);
	u32 first_y = MAX(BLOCK_Y, 1) - 1, last_y = MIN(BLOCK_Y + 1, BINS_ACROSS - 1);
	u32 first_z = MAX(BLOCK_Z, 1) - 1, last_z = MIN(BLOCK_Z + 1, BINS_ACROSS - 1);
	float at_x = x + 0.5f, at_y = y + 0.5f, at_z = z + 0.5f, re = 0, im = 0;

#pragma clang loop unroll(disable)
	for (u32 bz = first_z; bz <= last_z; bz++)
#pragma clang loop unroll(disable)
		for (u32 by = first_y; by <= last_y; by++) {
			u32 row = (bz * BINS_ACROSS + by) * BINS_ACROSS;        /* bins side by side lie one after another */
			u32 last = begin[row + last_x + 1];

#pragma clang loop unroll(disable)
			for (u32 i = begin[row + first_x]; i < last; i++) {
				f32x4 s = sample[i];
				float dx = s.x - at_x, dy = s.y - at_y, dz = s.z - at_z;
				float distance = FMA(dz, dz, FMA(dy, dy, dx * dx));

				if (distance < REACH * REACH) {
					float weight = table[(u32)(distance * STEPS)];

					re += weight * s.w;
					im += weight * imaginary[i];
				}
			}
		}
	u32 cell = (z * CELLS + y) * CELLS + x;

	grid_real[cell] = re;
	grid_imaginary[cell] = im;
}

/* Sums of rows of cells. */
__kernel void gridding_rows(__global const float *grid, __global float *row, u32 n)
{
	u32 i = GLOBAL_X;
	float sum = 0;

	if (i >= n)
		return;
	for (u32 x = 0; x < CELLS; x++)
		sum += grid[i * CELLS + x];
	row[i] = sum;
}
