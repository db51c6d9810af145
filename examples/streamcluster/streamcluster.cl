/* Clustering of a stream of points (after Rodinia's streamcluster): for one candidate after another, what all points would save if they went there, one
 * point a thread; where that is more than a centre's price, those that save go. Coordinates are mostly zero, and what comes in a row is alike. */
#include "examples/gpu.cl.h"

#define AXES 16

/* Coordinates lie axis by axis. */
__kernel void streamcluster_expand(__global const u8 *count, __global float *point)
{
	u32 i = GLOBAL_X;

	point[i] = (float)count[i];
}

/* far: the distance of each point to this candidate. */
__kernel void streamcluster_gain(__global const float *point, __global const u32 *candidate, __global const u32 *round, __global const float *cost,
                                 __global float *far, __global u32 *saved, u32 n)
{
	__local float centre[AXES];
	__local u32 part;
	u32 t = THREAD_X, i = GLOBAL_X, r = *round;
	float distance = 0, less;

	if (t < AXES)
		centre[t] = point[t * n + candidate[r]];
	if (t == 0)
		part = 0;
	BARRIER();
	for (u32 axis = 0; axis < AXES; axis++) {
		float apart = point[axis * n + i] - centre[axis];

		distance += apart * apart;
	}
	far[i] = distance;
	less = cost[i] - distance;
	if (less > 0)
		ATOMIC_ADD(&part, (u32)less);
	BARRIER();
	if (t == 0)
		ATOMIC_ADD(&saved[r], part);
}

__kernel void streamcluster_open(__global const u32 *candidate, __global const u32 *round, __global const float *far, __global const u32 *saved,
                                 __global float *cost, __global u32 *centre, u32 price)
{
	u32 i = GLOBAL_X, r = *round;

	if (saved[r] > price && far[i] < cost[i]) {
		cost[i] = far[i];
		centre[i] = candidate[r];
	}
}

__kernel void streamcluster_next(__global u32 *round, __global u32 *more, u32 candidates)
{
	*round += 1;
	*more = *round < candidates;
}
