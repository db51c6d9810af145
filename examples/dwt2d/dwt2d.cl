/* Three levels of the 9/7 wavelet transform of a picture (JPEG 2000's, by lifting): rows, then columns, then the same for the
 * quarter that is low in both. A thread lifts a piece of a line, all of whose samples it holds in registers, with four more to the
 * left and three to the right; each step of lifting needs a sample less on either side, so that pressure falls while it works. */
#include "examples/gpu.cl.h"

enum {
	PIECE = 8, STRIP = 16,                          /* samples of a row and of a column that a thread makes */
	LEFT = 4, RIGHT = 3,                            /* neighbours that they depend on */
	THREADS = 128, STAGED = PIECE * THREADS,        /* samples of a block: whole rows, as their width is a power of two */
	COLUMNS = 32, STRIPS = 6,                       /* of a block that works on columns */
	BANKS = 32,
};

#define A1 -1.586134342f
#define A2 -0.05298011854f
#define A3 0.8829110762f
#define A4 0.4435068522f
#define SCALE 1.149604398f

/* x[0] is LEFT samples before the first, which is even; n samples behind x are right. After it those from LEFT on are: low ones at even
 * places, details at odd ones. */
#define LIFT(x, n) do { \
	_Pragma("unroll") for (int i = 1; i < (n) - 1; i += 2) x[i] += A1 * (x[i - 1] + x[i + 1]); \
	_Pragma("unroll") for (int i = 2; i < (n) - 1; i += 2) x[i] += A2 * (x[i - 1] + x[i + 1]); \
	_Pragma("unroll") for (int i = 3; i < (n) - 2; i += 2) x[i] += A3 * (x[i - 1] + x[i + 1]); \
	_Pragma("unroll") for (int i = 4; i < (n) - 3; i += 2) x[i] += A4 * (x[i - 1] + x[i + 1]); \
} while (0)

/* Beyond its ends a line is its own mirror image. */
static int mirror(int i, int n)
{
	i = ABS(i);
	return i < n ? i : 2 * (n - 1) - i;
}

/* Rows: low samples to the left half, details to the right one. A block has STAGED / width rows. */
__kernel void dwt_rows(__global const float *in, __global float *out, u32 width)
{
	__local float row[STAGED + STAGED / BANKS];             /* a gap every 32 samples: neighbours read different banks */
	u32 t = THREAD_X, first = BLOCK_X * STAGED, start = t * PIECE & ~(width - 1);
	int at = t * PIECE - start;
	float x[LEFT + PIECE + RIGHT];

	for (u32 i = t; i < STAGED; i += THREADS)
		row[i + i / BANKS] = in[first + i];
	BARRIER();
#pragma unroll
	for (int i = 0; i < LEFT + PIECE + RIGHT; i++) {
		u32 from = start + mirror(at + i - LEFT, width);

		x[i] = row[from + from / BANKS];
	}
	LIFT(x, LEFT + PIECE + RIGHT);
	out += first + start + at / 2;
#pragma unroll
	for (int i = 0; i < PIECE / 2; i++) {
		out[i] = x[LEFT + 2 * i] * (1 / SCALE);
		out[width / 2 + i] = x[LEFT + 2 * i + 1] * (SCALE / 2);
	}
}

/* Columns, COLUMNS of them in STRIPS pieces a block: what is low in both goes to the next level; all else are details, of which a block
 * sums the squares in each of its columns. */
__kernel void dwt_columns(__global const float *in, __global float *next, __global float *energy, u32 width, u32 height)
{
	__local float sum[STRIPS][COLUMNS];
	u32 tx = THREAD_X, ty = THREAD_Y, column = BLOCK_X * COLUMNS + tx;
	int top = (BLOCK_Y * STRIPS + ty) * STRIP;
	float x[LEFT + STRIP + RIGHT], squares = 0;

	in += column;
#pragma unroll
	for (int i = 0; i < LEFT + STRIP + RIGHT; i++)
		x[i] = in[mirror(top + i - LEFT, height) * width];
	LIFT(x, LEFT + STRIP + RIGHT);
#pragma unroll
	for (int i = LEFT; i < LEFT + STRIP; i += 2) {
		float low = x[i] * (1 / SCALE), high = x[i + 1] * (SCALE / 2);

		squares += high * high;
		if (column < width / 2)
			next[(top + i - LEFT) / 2 * (width / 2) + column] = low;
		else
			squares += low * low;
	}
	sum[ty][tx] = squares;
	BARRIER();
	if (ty == 0) {
		for (u32 i = 1; i < STRIPS; i++)
			squares += sum[i][tx];
		energy[BLOCK_Y * width + column] = squares;
	}
}
