/* How well small volumes match a pattern, as in docking: each volume of 16 x 16 x 8 is transformed (FFT in three dimensions), multiplied
 * by the pattern's spectrum and the real part added up. A block has a volume: a thread transforms a line of 16 along x in registers, then one along y,
 * then two of 8 along z. In between lines change hands through shared memory, real parts first, so that it holds half of the volume:
 * all 32 values of a thread live past these barriers. */
#include "examples/gpu.cl.h"

enum { X = 16, Y = 16, Z = 8, THREADS = 128, POINTS = X * Y * Z, HOLD = POINTS / THREADS, GAP = 16 };

#define PLACE(i) ((i) + (i) / GAP)              /* in shared memory: lines start in different banks */

/* cos and sin of n pi / 8 */
#define C1 0.9238795325f
#define C2 0.7071067812f
#define C3 0.3826834324f

/* Sum and difference of places a and b. */
#define BUTTERFLY(a, b) do { \
	float sr = re[a] + re[b], si = im[a] + im[b]; \
	re[b] = re[a] - re[b]; \
	im[b] = im[a] - im[b]; \
	re[a] = sr; \
	im[a] = si; \
} while (0)

/* Place a times c - i s */
#define TURN(a, c, s) do { \
	float tr = re[a] * (c) + im[a] * (s); \
	im[a] = im[a] * (c) - re[a] * (s); \
	re[a] = tr; \
} while (0)

/* Place a times -i */
#define QUARTER(a) do { \
	float tr = re[a]; \
	re[a] = im[a]; \
	im[a] = -tr; \
} while (0)

/* Four places, s apart; results in bit-reversed order, as all below. */
#define FFT4(a, s) do { \
	BUTTERFLY(a, (a) + 2 * (s)); \
	BUTTERFLY((a) + (s), (a) + 3 * (s)); \
	QUARTER((a) + 3 * (s)); \
	BUTTERFLY(a, (a) + (s)); \
	BUTTERFLY((a) + 2 * (s), (a) + 3 * (s)); \
} while (0)

static void fft8(float *re, float *im)
{
	BUTTERFLY(0, 4);
	BUTTERFLY(1, 5);
	BUTTERFLY(2, 6);
	BUTTERFLY(3, 7);
	TURN(5, C2, C2);
	QUARTER(6);
	TURN(7, -C2, C2);
	FFT4(0, 1);
	FFT4(4, 1);
}

static void fft16(float *re, float *im)
{
#pragma unroll
	for (u32 i = 0; i < 8; i++)
		BUTTERFLY(i, i + 8);
	TURN(9, C1, C3);
	TURN(10, C2, C2);
	TURN(11, C3, C1);
	QUARTER(12);
	TURN(13, -C3, C1);
	TURN(14, -C2, C2);
	TURN(15, -C1, C3);
	fft8(re, im);
	fft8(re + 8, im + 8);
}

static constant const u8 reversed16[] = { 0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15 };
static constant const u8 reversed8[] = { 0, 4, 2, 6, 1, 5, 3, 7 };

/* Writes 16 values from place `from`, `step` apart, in the order that undoes reversal; reads 16. */
static void exchange(__local float *share, float *x, u32 from, u32 step, u32 to, u32 to_step)
{
	BARRIER();
#pragma unroll
	for (u32 i = 0; i < HOLD; i++) {
		u32 place = from + reversed16[i] * step;

		share[PLACE(place)] = x[i];
	}
	BARRIER();
#pragma unroll
	for (u32 i = 0; i < HOLD; i++) {
		u32 place = to + i * to_step;

		x[i] = share[PLACE(place)];
	}
}

__kernel void fft3d(__global const float *real, __global const float *imaginary, __global const float *pattern_real,
                    __global const float *pattern_imaginary, __global float *match)
{
	__local float share[POINTS + POINTS / GAP];
	u32 t = THREAD_X, first = BLOCK_X * POINTS, row = t * X, column = t / X * X * Y + t % X;
	float re[HOLD], im[HOLD], sum = 0;

#pragma unroll
	for (u32 i = 0; i < HOLD; i++) {                        /* a row: x = i */
		re[i] = real[first + row + i];
		im[i] = imaginary[first + row + i];
	}
	fft16(re, im);
	exchange(share, re, row, 1, column, X);                 /* a column: y = i */
	exchange(share, im, row, 1, column, X);
	fft16(re, im);
	exchange(share, re, column, X, t, THREADS);             /* two lines along z, at t and t + 128: z = i / 2 */
	exchange(share, im, column, X, t, THREADS);
#pragma unroll
	for (u32 line = 0; line < 2; line++) {
		float zr[Z], zi[Z];

#pragma unroll
		for (u32 i = 0; i < Z; i++) {
			zr[i] = re[2 * i + line];
			zi[i] = im[2 * i + line];
		}
		fft8(zr, zi);
#pragma unroll
		for (u32 i = 0; i < Z; i++) {
			u32 place = reversed8[i] * X * Y + line * THREADS + t;

			sum += zr[i] * pattern_real[place] - zi[i] * pattern_imaginary[place];
		}
	}
	match[GLOBAL_X] = sum;
}
