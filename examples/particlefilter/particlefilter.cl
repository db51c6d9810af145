/* A particle filter that tracks a disc in a video, in fixed point throughout: each particle moves at random, is weighed by how much the
 * pixels around it look like the disc, and as many particles are drawn anew by weight (Rodinia's filter, resampled by binary search). */
#include "examples/gpu.cl.h"

enum {
	THREADS = 192,
	FINE = 16,                                      /* positions in 1/16 pixel */
	RADIUS = 3, INSIDE = 228, OUTSIDE = 100,        /* the disc and what is around it */
	SCALE = 128, LEVELS = 256,                       /* of the table of weights */
};

/* Half the width of the disc in the rows from its middle. */
static int half_width(int row)
{
	return ABS(row) == RADIUS ? 1 : ABS(row) == RADIUS - 1 ? 2 : RADIUS;
}

static u32 draw(u32 seed)
{
	return seed * 1664525u + 1013904223u;
}

/* The sum of eight uniform numbers, about normal; standard deviation about 209. */
static int draw_normal(u32 *seed)
{
	int sum = -4 * 255;

#pragma unroll
	for (int i = 0; i < 8; i++) {
		*seed = draw(*seed);
		sum += *seed >> 24;
	}
	return sum;
}

/* The block's sum of x, for thread 0. */
static u32 block_sum(__local u32 *share, u32 t, u32 x)
{
	share[t] = x;
	BARRIER();
	for (u32 other = 128; other; other /= 2) {              /* the power of two below THREADS */
		if (t < other && t + other < THREADS)
			share[t] += share[t + other];
		BARRIER();
	}
	return share[0];
}

/* Moves the particles, weighs them, and sums the weights of each block. */
__kernel void particle_weigh(__global s16 *x, __global s16 *y, __global u32 *seed, __global const u8 *frame,
                             __global const u32 *table, __global u32 *weight, __global u32 *sum, int width, int height)
{
	__local u32 share[THREADS];
	u32 i = GLOBAL_X, state = seed[i];
	int px = x[i] + FINE + draw_normal(&state) / FINE, py = y[i] - FINE / 2 + draw_normal(&state) / FINE;
	int pixel[2 * RADIUS + 1][2 * RADIUS + 1], likelihood = 0, n = 0;

	px = CLAMP(px, RADIUS * FINE, (width - RADIUS) * FINE - 1);
	py = CLAMP(py, RADIUS * FINE, (height - RADIUS) * FINE - 1);
	frame += py / FINE * width + px / FINE;
#pragma unroll
	for (int row = -RADIUS; row <= RADIUS; row++)
#pragma unroll
		for (int column = -half_width(row); column <= half_width(row); column++)
			pixel[RADIUS + row][RADIUS + column] = frame[row * width + column];
#pragma unroll
	for (int row = -RADIUS; row <= RADIUS; row++)
#pragma unroll
		for (int column = -half_width(row); column <= half_width(row); column++, n++) {
			int p = pixel[RADIUS + row][RADIUS + column];

			likelihood += (p - OUTSIDE) * (p - OUTSIDE) - (p - INSIDE) * (p - INSIDE);
		}
	likelihood /= SCALE * n;

	u32 w = table[CLAMP(likelihood + LEVELS / 2, 0, LEVELS - 1)];

	x[i] = px;
	y[i] = py;
	seed[i] = state;
	weight[i] = w;
	w = block_sum(share, THREAD_X, w);
	if (THREAD_X == 0)
		sum[BLOCK_X] = w;
}

/* Sums of the weights up to and with each particle. A block first adds the sums of the blocks before it. */
__kernel void particle_sum(__global const u32 *weight, __global const u32 *sum, __global u32 *until)
{
	__local u32 share[THREADS];
	u32 t = THREAD_X, before = 0;

	for (u32 b = t; b < (u32)BLOCK_X; b += THREADS)
		before += sum[b];
	before = block_sum(share, t, before);
	BARRIER();
	share[t] = weight[GLOBAL_X];
	BARRIER();
	for (u32 reach = 1; reach < THREADS; reach *= 2) {
		u32 left = t >= reach ? share[t - reach] : 0;

		BARRIER();
		share[t] += left;
		BARRIER();
	}
	until[GLOBAL_X] = before + share[t];
}

/* n particles at equal steps of the summed weights. */
__kernel void particle_resample(__global const u32 *until, __global const s16 *x, __global const s16 *y, __global s16 *new_x,
                                __global s16 *new_y, u32 n)
{
	u32 i = GLOBAL_X, step = until[n - 1] / n, at = i * step + step / 2, low = 0, high = n - 1;

	while (low < high) {                                    /* the first particle whose sum is above */
		u32 middle = (low + high) / 2;

		if (until[middle] > at)
			high = middle;
		else
			low = middle + 1;
	}
	new_x[i] = x[low];
	new_y[i] = y[low];
}
