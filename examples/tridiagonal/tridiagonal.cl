/* Solves tridiagonal systems, one a block, by parallel cyclic reduction: each equation, a thread's, is rid of its neighbours `reach` away
 * by those neighbours' equations, and then hangs on those twice as far away. New equations go to the other half of shared memory. */
#include "examples/gpu.cl.h"

enum { THREADS = 192 };

/* Row i: lower x[i - 1] + diagonal x[i] + upper x[i + 1] = right. The diagonal is made heavier by `more`. */
__kernel void tridiagonal(__global const float *lower, __global const float *diagonal, __global const float *upper,
                          __global const float *right, __global float *x, float more)
{
	__local float l[2][THREADS], d[2][THREADS], u[2][THREADS], r[2][THREADS];
	u32 t = THREAD_X, i = GLOBAL_X, now = 0;

	l[0][t] = t > 0 ? lower[i] : 0;
	d[0][t] = diagonal[i] + more;
	u[0][t] = t < THREADS - 1 ? upper[i] : 0;
	r[0][t] = right[i];
	for (u32 reach = 1; reach < THREADS; reach *= 2) {
		BARRIER();

		u32 before = t >= reach ? t - reach : t, after = t + reach < THREADS ? t + reach : t;
		float by_before = t >= reach ? l[now][t] / d[now][before] : 0, by_after = t + reach < THREADS ? u[now][t] / d[now][after] : 0;

		l[!now][t] = -by_before * l[now][before];
		u[!now][t] = -by_after * u[now][after];
		d[!now][t] = d[now][t] - by_before * u[now][before] - by_after * l[now][after];
		r[!now][t] = r[now][t] - by_before * r[now][before] - by_after * r[now][after];
		now = !now;
	}
	x[i] = r[now][t] / d[now][t];
}
