/* Angular correlation of points in the sky: the angle between each pair of two sets of directions, counted in bins; a bin is found by
 * halving the cosines at their borders. A thread has OWN points of one set in registers and meets STAGED of the other in shared
 * memory; each warp has bins of its own, which the block adds up. */
#include "examples/gpu.cl.h"

enum { THREADS = 256, WARPS = THREADS / 32, OWN = 4, STAGED = 8, BINS = 16 };

/* border[0] is the cosine above which an angle is in bin 0, and so on, ever smaller. */
__kernel void tpacf(__global const float *x, __global const float *y, __global const float *z, __global const f32x4 *other,
                    __global const float *border, __global u32 *bins)
{
	__local f32x4 met[STAGED];
	__local float between[BINS];
	__local u32 count[WARPS][BINS];
	u32 t = THREAD_X, first = BLOCK_X * THREADS * OWN + t;
	float ox[OWN], oy[OWN], oz[OWN];

	if (t < STAGED)
		met[t] = other[BLOCK_Y * STAGED + t];
	if (t < BINS - 1)
		between[t] = border[t];
	if (t < WARPS * BINS)
		count[t / BINS][t % BINS] = 0;
#pragma unroll
	for (u32 i = 0; i < OWN; i++) {
		ox[i] = x[first + i * THREADS];
		oy[i] = y[first + i * THREADS];
		oz[i] = z[first + i * THREADS];
	}
	BARRIER();
	for (u32 k = 0; k < STAGED; k++) {
		f32x4 o = met[k];
		float cosine[OWN];
		u32 bin[OWN];

#pragma unroll
		for (u32 i = 0; i < OWN; i++) {
			cosine[i] = FMA(oz[i], o.z, FMA(oy[i], o.y, ox[i] * o.x));
			bin[i] = 0;
		}
#pragma unroll
		for (u32 step = BINS / 2; step; step /= 2)
#pragma unroll
			for (u32 i = 0; i < OWN; i++)
				bin[i] += cosine[i] < between[bin[i] + step - 1] ? step : 0;
#pragma unroll
		for (u32 i = 0; i < OWN; i++)
			ATOMIC_ADD(&count[t / 32][bin[i]], 1);
	}
	BARRIER();
	if (t < BINS) {
		u32 sum = 0;

		for (u32 w = 0; w < WARPS; w++)
			sum += count[w][t];
		ATOMIC_ADD(&bins[t], sum);
	}
}
