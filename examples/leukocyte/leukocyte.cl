/* Finds and follows white blood cells (Rodinia's leukocyte). Detection: at each pixel, circles of several radii, and how much the gradient across a
 * circle is on average against how much it varies along it. Tracking: one block of few warps a cell, whose surroundings, of as many columns as the
 * cell needs, lie in shared memory row after row, so that a pixel's row and column are a division and its remainder; a field spreads there to the
 * eight neighbours, as the arc tangent of the difference says, until it hardly changes. */
#include "examples/gpu.cl.h"

enum {
	CIRCLES = 3, POINTS = 16, MARGIN = 8, ROWS = 24, MOST_COLUMNS = 30,   /* pixels around those looked at; of a cell's surroundings */
	TRACKERS = 96, ROUNDS = 6, FIND_X = 32, FIND_Y = 4,
};

__kernel void leukocyte_gradient(__global const u8 *frame, __global float *across, __global float *down, u32 width, u32 height)
{
	u32 x = GLOBAL_X, y = GLOBAL_Y, at = y * width + x;

	if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1)
		return;
	across[at] = (frame[at + 1] - frame[at - 1]) * 0.5f;
	down[at] = (frame[at + width] - frame[at - width]) * 0.5f;
}

/* angle: the points' cosines, then their sines; step: of circle c and point p, right and down from the middle. best: of each block. */
__kernel void leukocyte_find(__global const float *across, __global const float *down, __global const float *angle, __global const int *step,
                             __global float *best, u32 width)
{
	__local float block_best[FIND_X * FIND_Y];
	int x = MARGIN + GLOBAL_X, y = MARGIN + GLOBAL_Y;
	u32 t = THREAD_Y * FIND_X + THREAD_X;
	float most = 0;

#pragma clang loop unroll(disable)
	for (u32 c = 0; c < CIRCLES; c++) {
		float sum = 0, squares = 0;

#pragma clang loop unroll(disable)
		for (u32 p = 0; p < POINTS; p++) {
			int at = (y + step[2 * (c * POINTS + p) + 1]) * (int)width + x + step[2 * (c * POINTS + p)];
			float outward = across[at] * angle[p] + down[at] * angle[POINTS + p];

			sum += outward;
			squares += outward * outward;
		}
		float mean = sum / POINTS, varies = squares / POINTS - mean * mean + 1;

		most = MAX(most, mean * mean / varies);
	}
	block_best[t] = most;
	BARRIER();
	for (u32 other = FIND_X * FIND_Y / 2; other; other /= 2) {
		if (t < other)
			block_best[t] = MAX(block_best[t], block_best[t + other]);
		BARRIER();
	}
	if (t == 0)
		best[BLOCK_Y * BLOCKS_X + BLOCK_X] = block_best[0];
}

/* Abramowitz and Stegun 4.4.47, within 1e-5. */
static float arc_tangent(float x)
{
	float size = ABS(x), z = size > 1 ? 1 / size : size, s = z * z;
	float a = z * (0.9998660f + s * (-0.3302995f + s * (0.1801410f + s * (-0.0851330f + s * 0.0208351f))));

	a = size > 1 ? 1.57079633f - a : a;
	return x < 0 ? -a : a;
}

/* How much of a difference to a neighbour flows. */
static float flow(float difference, float along)
{
	return difference * (0.5f + 0.318309886f * arc_tangent(difference * along));
}

/* cell: left, top, columns of each. mean: of each row of its field at the end; rounds: how many it took. */
__kernel void leukocyte_track(__global const u8 *frame, __global const int *cell, __global float *mean, __global int *rounds, int width,
                              float vx, float vy, float enough)
{
	__local float force[ROWS * MOST_COLUMNS], field[ROWS * MOST_COLUMNS], next[ROWS * MOST_COLUMNS], change[TRACKERS];
	u32 t = THREAD_X, columns = cell[3 * BLOCK_X + 2], pixels = ROWS * columns, round = 0;
	__global const u8 *corner = frame + cell[3 * BLOCK_X + 1] * width + cell[3 * BLOCK_X];

	for (u32 p = t; p < pixels; p += TRACKERS)
		force[p] = field[p] = corner[p / columns * width + p % columns] * (1 / 255.0f);
	BARRIER();
	do {
		float changed = 0;

#pragma clang loop unroll(disable)
		for (u32 p = t; p < pixels; p += TRACKERS) {
			u32 row = p / columns, x = p % columns;
			u32 up = row ? columns : 0, down = row < ROWS - 1 ? columns : 0, left = x ? 1 : 0, right = x < columns - 1 ? 1 : 0;
			float here = field[p], in;

			in = flow(field[p - up - left] - here, vx - vy) + flow(field[p - up] - here, -vy) + flow(field[p - up + right] - here, -vx - vy) +
			     flow(field[p - left] - here, vx) + flow(field[p + right] - here, -vx) +
			     flow(field[p + down - left] - here, vx + vy) + flow(field[p + down] - here, vy) + flow(field[p + down + right] - here, vy - vx);
			in = here + 0.125f * in;
			in -= 0.25f * force[p] * (in - force[p]);
			next[p] = in;
			changed += ABS(in - here);
		}
		change[t] = changed;
		BARRIER();
		for (u32 other = 64; other; other /= 2) {       /* the power of two below TRACKERS */
			if (t < other && t + other < TRACKERS)
				change[t] += change[t + other];
			BARRIER();
		}
		for (u32 p = t; p < pixels; p += TRACKERS)
			field[p] = next[p];
		round++;
		changed = change[0];
		BARRIER();
		if (changed < enough * pixels)
			break;
	} while (round < ROUNDS);
	if (t < ROWS) {
		float sum = 0;

		for (u32 x = 0; x < columns; x++)
			sum += field[t * columns + x];
		mean[BLOCK_X * ROWS + t] = sum / columns;
	}
	if (t == 0)
		rounds[BLOCK_X] = round;
}
