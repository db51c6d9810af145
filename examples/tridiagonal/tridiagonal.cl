/* Solves tridiagonal systems, one a block, by parallel cyclic reduction: each equation, a thread's, is rid of its neighbours `reach` away
 * by those neighbours' equations, and then hangs on those twice as far away; between reading and writing all wait for all. */
#include "examples/gpu.cl.h"

enum { THREADS = 192 };

/* Row i: lower x[i - 1] + diagonal x[i] + upper x[i + 1] = right. The diagonal is made heavier by `more`. */
__kernel void tridiagonal(__global const float *lower, __global const float *diagonal, __global const float *upper,
                          __global const float *right, __global float *x, float more)
{
	__local float l[THREADS], d[THREADS], u[THREADS], r[THREADS];
	u32 t = THREAD_X, i = GLOBAL_X;

	l[t] = t > 0 ? lower[i] : 0;
	d[t] = diagonal[i] + more;
	u[t] = t < THREADS - 1 ? upper[i] : 0;
	r[t] = right[i];
	for (u32 reach = 1; reach < THREADS; reach *= 2) {
		u32 before = t >= reach ? t - reach : t, after = t + reach < THREADS ? t + reach : t;

		BARRIER();

		float by_before = t >= reach ? l[t] / d[before] : 0, by_after = t + reach < THREADS ? u[t] / d[after] : 0;
		float nl = -by_before * l[before], nu = -by_after * u[after];
		float nd = d[t] - by_before * u[before] - by_after * l[after], nr = r[t] - by_before * r[before] - by_after * r[after];

		BARRIER();
		l[t] = nl;
		d[t] = nd;
		u[t] = nu;
		r[t] = nr;
	}
	x[i] = r[t] / d[t];
}
