/* The cheapest way through a grid from row to row, one column aside at most. A launch goes ROWS rows further. A block keeps a
 * strip of costs in shared memory, of which one more column at each end is unknown after each row: strips overlap by 2 * ROWS
 * columns. A round is two launches, from one buffer to the other and back; `second` says which. The first row is row 0. */
#include "examples/gpu.cl.h"

#define THREADS 128
#define ROWS 8
#define USEFUL (THREADS - 2 * ROWS)

__kernel void pathfinder(u32 round, u32 second, __global const u8 *cost, __global const int *from, __global int *to, int width)
{
	__local int strip[2][THREADS];
	int t = THREAD_X, x = (int)BLOCK_X * USEFUL - ROWS + t, row = 1 + (2 * round + second) * ROWS;
	int inside = CLAMP(x, 0, width - 1);                    /* beyond the edges, columns repeat the one there */
	int west = x > 0 ? MAX(t - 1, 0) : t, east = x < width - 1 ? MIN(t + 1, THREADS - 1) : t;

	strip[0][t] = from[inside];
	BARRIER();
	for (int i = 0; i < ROWS; i++) {
		__local const int *above = strip[i % 2];

		strip[1 - i % 2][t] = MIN(MIN(above[west], above[east]), above[t]) + cost[(row + i) * width + inside];
		BARRIER();
	}
	if (t >= ROWS && t < THREADS - ROWS && x < width)
		to[x] = strip[ROWS % 2][t];
}

/* The way's length so far is the first row's cost. */
__kernel void pathfinder_start(__global const u8 *cost, __global int *to, int width)
{
	int x = GLOBAL_X;

	if (x < width)
		to[x] = cost[x];
}
