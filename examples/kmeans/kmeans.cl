/* k-means of points with four byte coordinates: each point goes to the nearest centre, one point a thread, and blocks add up
 * what is new of each cluster in shared memory; then one block makes the centres anew. Repeated until no point moves. */
#include "examples/gpu.cl.h"

#define AXES 4
#define CLUSTERS 6
#define TOTALS (CLUSTERS * (AXES + 1))          /* of each cluster the sums of its coordinates, then its points */

/* Coordinates lie axis by axis. */
__kernel void kmeans_assign(__global const u8 *point, __global const float *centre, __global u8 *cluster, __global u32 *total,
                            __global u32 *moved, u32 n)
{
	__local u32 part[TOTALS];
	u32 t = THREAD_X, i = GLOBAL_X;

	if (t < TOTALS)
		part[t] = 0;
	BARRIER();
	if (i < n) {
		u32 nearest = 0;
		float least = 0;

		for (u32 c = 0; c < CLUSTERS; c++) {
			float distance = 0;

			for (u32 axis = 0; axis < AXES; axis++) {
				float apart = (float)point[axis * n + i] - centre[c * AXES + axis];

				distance += apart * apart;
			}
			if (c == 0 || distance < least) {
				least = distance;
				nearest = c;
			}
		}
		if (cluster[i] != nearest) {
			cluster[i] = nearest;
			*moved = 1;
		}
		for (u32 axis = 0; axis < AXES; axis++)
			ATOMIC_ADD(&part[nearest * (AXES + 1) + axis], point[axis * n + i]);
		ATOMIC_ADD(&part[nearest * (AXES + 1) + AXES], 1);
	}
	BARRIER();
	if (t < TOTALS && part[t])
		ATOMIC_ADD(&total[t], part[t]);
}

/* One thread for each coordinate of each centre; an empty cluster keeps its centre. The totals begin anew. */
__kernel void kmeans_centres(__global u32 *total, __global float *centre)
{
	u32 t = THREAD_X, c = t / AXES, axis = t % AXES;
	u32 sum = total[c * (AXES + 1) + axis], points = total[c * (AXES + 1) + AXES];

	if (points)
		centre[t] = (float)sum / (float)points;
	BARRIER();
	total[c * (AXES + 1) + axis] = 0;
	if (axis == 0)
		total[c * (AXES + 1) + AXES] = 0;
}
