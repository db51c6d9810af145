/* Removes speckles from a picture by diffusion, with nothing shared (Rodinia's first srad; examples/srad is after its second): pixels lie column
 * after column, a thread's row and column are a remainder and a quotient, its neighbours are looked up, and each step's sums over the picture are
 * made by launches of their own. Brightness is worked on as an exponential. */
#include "examples/gpu.cl.h"

enum { THREADS = 192, HALF = 128 };                     /* the power of two below THREADS */
#define LOG2E 1.44269504f
#define LN2 0.693147181f

__kernel void srad1_extract(__global const u8 *picture, __global float *image, u32 n)
{
	u32 i = GLOBAL_X;

	if (i < n)
		image[i] = EXP2(picture[i] * (LOG2E / 255));
}

static void block_sum(__local float *sum, __local float *square, u32 t)
{
	BARRIER();
	for (u32 other = HALF; other; other /= 2) {
		if (t < other && t + other < THREADS) {
			sum[t] += sum[t + other];
			square[t] += square[t + other];
		}
		BARRIER();
	}
}

/* part: of each block, the sum of its pixels, then of their squares. */
__kernel void srad1_sum(__global const float *image, __global float *part, u32 n)
{
	__local float sum[THREADS], square[THREADS];
	u32 i = GLOBAL_X, t = THREAD_X;
	float x = i < n ? image[i] : 0;

	sum[t] = x;
	square[t] = x * x;
	block_sum(sum, square, t);
	if (t == 0) {
		part[2 * BLOCK_X] = sum[0];
		part[2 * BLOCK_X + 1] = square[0];
	}
}

/* One block: how much the picture speckles, variance over the mean squared. */
__kernel void srad1_speckle(__global const float *part, u32 blocks, __global float *speckle, u32 n)
{
	__local float sum[THREADS], square[THREADS];
	u32 t = THREAD_X;

	sum[t] = t < blocks ? part[2 * t] : 0;
	square[t] = t < blocks ? part[2 * t + 1] : 0;
	block_sum(sum, square, t);
	if (t == 0) {
		float mean = sum[0] / n;

		speckle[0] = square[0] / n / (mean * mean) - 1;
	}
}

__kernel void srad1_coefficient(__global const float *image, __global const int *up, __global const int *down, __global const int *left,
                                __global const int *right, __global const float *speckle, __global float *coefficient, u32 rows, u32 n)
{
	u32 i = GLOBAL_X;

	if (i >= n)
		return;
	u32 row = i % rows, column = i / rows;
	float here = image[i], q0 = speckle[0];
	float dn = image[up[row] + rows * column] - here, ds = image[down[row] + rows * column] - here;
	float dw = image[row + rows * left[column]] - here, de = image[row + rows * right[column]] - here;
	float slope = (dn * dn + ds * ds + dw * dw + de * de) / (here * here), curve = (dn + ds + dw + de) / here;
	float bent = 1 + 0.25f * curve, q = (0.5f * slope - 0.0625f * curve * curve) / (bent * bent);
	float c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));

	coefficient[i] = CLAMP(c, 0.0f, 1.0f);
}

__kernel void srad1_update(__global const float *image, __global const int *up, __global const int *down, __global const int *left,
                           __global const int *right, __global const float *coefficient, __global float *next, float rate, u32 rows, u32 n)
{
	u32 i = GLOBAL_X;

	if (i >= n)
		return;
	u32 row = i % rows, column = i / rows, below = down[row] + rows * column, beside = row + rows * right[column];
	float here = image[i], c = coefficient[i];
	float flow = c * (image[up[row] + rows * column] - here) + coefficient[below] * (image[below] - here) +
	             c * (image[row + rows * left[column]] - here) + coefficient[beside] * (image[beside] - here);

	next[i] = here + 0.25f * rate * flow;
}

__kernel void srad1_compress(__global const float *image, __global float *out, u32 n)
{
	u32 i = GLOBAL_X;

	if (i < n)
		out[i] = LOG2(image[i]) * (LN2 * 255);
}
