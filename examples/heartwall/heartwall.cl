/* Tracks points of a picture (Rodinia's heart walls): the template around each point in one frame is looked for in the next, where it is
 * most like what lies under it, by normalised correlation. A thread has STACK displacements, one below another: of each column of the
 * template it reads SIZE pixels and the SIZE + STACK - 1 that they come to lie over. */
#include "examples/gpu.cl.h"

enum {
	SIZE = 8, WIDE = 32, STACK = 4, STACKS = 6, HIGH = STACK * STACKS,     /* a template's side; displacements */
	SPAN = SIZE + STACK - 1,
	GREY = 128,                                     /* the middle of what pixels can be: less to cancel */
	WINDOW = WIDE + SIZE - 1, WINDOW_HIGH = HIGH + SIZE - 1,
	PIXELS = SIZE * SIZE, THREADS = WIDE * STACKS,
};

/* Where a point was, its corner of the template, to where it went. */
__kernel void heartwall(__global const u8 *before, __global const u8 *now, __global const s16 *point, __global s16 *moved,
                        __global float *likeness, int width)
{
	__local float part[SIZE][SIZE], window[WINDOW_HIGH][WINDOW];
	__local float best[THREADS];
	__local u32 where[THREADS];
	u32 tx = THREAD_X, ty = THREAD_Y, t = ty * WIDE + tx, top = ty * STACK;
	int px = point[2 * BLOCK_X], py = point[2 * BLOCK_X + 1];
	float sum[STACK] = { 0 }, square[STACK] = { 0 }, product[STACK] = { 0 }, part_sum = 0, part_square = 0;
	float most = -2;
	u32 place = 0;

	for (u32 i = t; i < PIXELS; i += THREADS)
		part[i / SIZE][i % SIZE] = before[(py + i / SIZE) * width + px + i % SIZE] - GREY;
	for (u32 i = t; i < WINDOW * WINDOW_HIGH; i += THREADS)
		window[i / WINDOW][i % WINDOW] = now[(py - HIGH / 2 + i / WINDOW) * width + px - WIDE / 2 + i % WINDOW] - GREY;
	BARRIER();
#pragma clang loop unroll(disable)
	for (u32 x = 0; x < SIZE; x++) {
		float p[SIZE], w[SPAN];

#pragma unroll
		for (u32 y = 0; y < SIZE; y++)
			p[y] = part[y][x];
#pragma unroll
		for (u32 y = 0; y < SPAN; y++)
			w[y] = window[top + y][tx + x];
#pragma unroll
		for (u32 y = 0; y < SIZE; y++) {
			part_sum += p[y];
			part_square += p[y] * p[y];
#pragma unroll
			for (u32 i = 0; i < STACK; i++) {
				sum[i] += w[y + i];
				square[i] += w[y + i] * w[y + i];
				product[i] += w[y + i] * p[y];
			}
		}
	}
#pragma unroll
	for (u32 i = 0; i < STACK; i++) {
		float spread = (PIXELS * part_square - part_sum * part_sum) * (PIXELS * square[i] - sum[i] * sum[i]);
		float like = (PIXELS * product[i] - part_sum * sum[i]) * RSQRT(MAX(spread, 1.0f));

		place = like > most ? (top + i) * WIDE + tx : place;
		most = MAX(most, like);
	}
	best[t] = most;
	where[t] = place;
	BARRIER();
	for (u32 other = 128; other; other /= 2) {              /* the power of two below THREADS */
		if (t < other && t + other < THREADS && best[t + other] > best[t]) {
			best[t] = best[t + other];
			where[t] = where[t + other];
		}
		BARRIER();
	}
	if (t == 0) {
		moved[2 * BLOCK_X] = px - WIDE / 2 + (int)(where[0] % WIDE);
		moved[2 * BLOCK_X + 1] = py - HIGH / 2 + (int)(where[0] / WIDE);
		likeness[BLOCK_X] = best[0];
	}
}
