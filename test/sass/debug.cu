/* Compiled with -G, and again with -lineinfo: debug sections, line tables, code that nothing optimised, a frame in local memory. */
struct point { int x, y; };

__device__ static int distance(point a, point b)
{
	int dx = a.x - b.x, dy = a.y - b.y;

	return dx * dx + dy * dy;
}

extern "C" __global__ void nearest(int *out, const point *p, int n)
{
	int best = 0x7fffffff, which = -1;

	for (int i = 0; i < n; i++) {
		int d = distance(p[i], p[threadIdx.x]);

		if (i != (int)threadIdx.x && d < best) {
			best = d;
			which = i;
		}
	}
	out[threadIdx.x] = which;
}
