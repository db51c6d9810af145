/* The matrix Q of MRI reconstruction: at each place x the sum over samples k of |phi(k)|^2 exp(2 pi i k x), so a cosine and a sine
 * for each place and sample. The samples are staged in shared memory, four floats each; a thread has a place. */
#include "examples/gpu.cl.h"

enum { THREADS = 128 };
#define TWO_PI 6.28318531f

/* The fourth component of each sample becomes |phi|^2. */
__kernel void mriq_magnitude(__global const float *real, __global const float *imaginary, __global f32x4 *sample, u32 n)
{
	u32 i = GLOBAL_X;

	if (i < n)
		sample[i].w = real[i] * real[i] + imaginary[i] * imaginary[i];
}

__kernel void mriq(__global const f32x4 *sample, __global const f32x4 *place, __global float *q_real, __global float *q_imaginary,
                   u32 n)
{
	__local f32x4 near[THREADS];
	f32x4 at = place[GLOBAL_X];
	float re = 0, im = 0;

	for (u32 first = 0; first < n; first += THREADS) {
		near[THREAD_X] = sample[first + THREAD_X];
		BARRIER();
#pragma clang loop unroll_count(4)
		for (u32 i = 0; i < THREADS; i++) {
			f32x4 k = near[i];
			float turns = k.x * at.x + k.y * at.y + k.z * at.z;
			float angle = (turns - FLOOR(turns + 0.5f)) * TWO_PI;   /* -pi to pi, where sine and cosine are exact enough */

			re += k.w * COS(angle);
			im += k.w * SIN(angle);
		}
		BARRIER();
	}
	q_real[GLOBAL_X] = re;
	q_imaginary[GLOBAL_X] = im;
}
