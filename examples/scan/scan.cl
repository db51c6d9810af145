/* Running sums (exclusive) of many integers: blocks scan their strips in shared memory, up a tree of sums and down again; one block
 * scans the strips' sums, each step adding what lies twice as far away; then every strip adds what came before it. */
#include "examples/gpu.cl.h"

enum { THREADS = 256, STRIP = 2 * THREADS, STRIPS_MAX = 128 };

__kernel void scan_strips(__global const u32 *in, __global u32 *out, __global u32 *sum)
{
	__local u32 x[STRIP];
	u32 t = THREAD_X, stride = 1;

	in += BLOCK_X * STRIP;
	out += BLOCK_X * STRIP;
	x[t] = in[t];
	x[t + THREADS] = in[t + THREADS];
	for (u32 n = STRIP / 2; n > 0; n /= 2, stride *= 2) {           /* up: n sums of 2 * stride elements */
		BARRIER();
		if (t < n) {
			u32 right = (2 * t + 2) * stride - 1;

			x[right] += x[right - stride];
		}
	}
	if (t == 0) {
		sum[BLOCK_X] = x[STRIP - 1];
		x[STRIP - 1] = 0;
	}
	for (u32 n = 1; n < STRIP; n *= 2) {                            /* down: each node's left sum goes to its right child */
		stride /= 2;
		BARRIER();
		if (t < n) {
			u32 right = (2 * t + 2) * stride - 1, before = x[right], left = x[right - stride];

			x[right - stride] = before;
			x[right] = before + left;
		}
	}
	BARRIER();
	out[t] = x[t];
	out[t + THREADS] = x[t + THREADS];
}

/* One block of n threads, a strip each. */
__kernel void scan_sums(__global u32 *sum, u32 n)
{
	__local u32 x[STRIPS_MAX];
	u32 t = THREAD_X, own = sum[t], so_far = own;

	x[t] = own;
	for (u32 away = 1; away < n; away *= 2) {
		u32 more = 0;

		BARRIER();
		if (t >= away)
			more = x[t - away];
		BARRIER();
		so_far += more;
		x[t] = so_far;
	}
	sum[t] = so_far - own;
}

__kernel void scan_add(__global u32 *out, __global const u32 *sum)
{
	u32 before = sum[BLOCK_X];

	out += BLOCK_X * STRIP + THREAD_X;
	out[0] += before;
	out[THREADS] += before;
}
