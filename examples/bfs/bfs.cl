/* Breadth-first search, one level a launch, one vertex a thread. The graph is in compressed rows: the neighbours of v
 * are column[row[v]] .. column[row[v + 1] - 1]. `more` is set while a level found new vertices. */
#include "examples/gpu.cl.h"

__kernel void bfs_init(__global int *level, u32 n, u32 source)
{
	u32 v = GLOBAL_X;

	if (v < n)
		level[v] = v == source ? 0 : -1;
}

__kernel void bfs_step(__global const u32 *row, __global const u16 *column, __global int *level, u32 n, int now, __global u32 *more)
{
	u32 v = GLOBAL_X;

	if (v >= n || level[v] != now)
		return;
	for (u32 e = row[v]; e < row[v + 1]; e++) {
		u32 to = column[e];

		if (level[to] < 0) {
			level[to] = now + 1;
			*more = 1;
		}
	}
}
