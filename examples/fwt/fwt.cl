/* Fast Walsh-Hadamard transform in Hadamard's order, in place: log4(n) steps of sums and differences of four elements in registers.
 * Steps over far elements work in global memory; the others, over PART elements, in shared memory, one block a part. */
#include "examples/gpu.cl.h"

enum { THREADS = 256, PART = 4 * THREADS };

typedef struct { float a, b, c, d; } four;

static four walsh4(four x)
{
	four y = { x.a + x.b, x.a - x.b, x.c + x.d, x.c - x.d };

	return (four){ y.a + y.c, y.b + y.d, y.a - y.c, y.b - y.d };
}

/* The first of thread t's four elements, which lie `stride` apart; stride is a power of two. */
static u32 first(u32 t, u32 stride)
{
	u32 low = t & (stride - 1);

	return 4 * (t - low) + low;
}

__kernel void fwt_far(__global float *x, u32 stride)
{
	__global float *at = x + first(GLOBAL_X, stride);
	four v = walsh4((four){ at[0], at[stride], at[2 * stride], at[3 * stride] });

	at[0] = v.a;
	at[stride] = v.b;
	at[2 * stride] = v.c;
	at[3 * stride] = v.d;
}

__kernel void fwt_near(__global float *x)
{
	__local float part[PART];
	u32 t = THREAD_X;

	x += BLOCK_X * PART;
	for (u32 i = t; i < PART; i += THREADS)
		part[i] = x[i];
	for (u32 stride = PART / 4; stride > 0; stride /= 4) {
		__local float *at = part + first(t, stride);

		BARRIER();

		four v = walsh4((four){ at[0], at[stride], at[2 * stride], at[3 * stride] });

		at[0] = v.a;
		at[stride] = v.b;
		at[2 * stride] = v.c;
		at[3 * stride] = v.d;
	}
	BARRIER();
	for (u32 i = t; i < PART; i += THREADS)
		x[i] = part[i];
}
