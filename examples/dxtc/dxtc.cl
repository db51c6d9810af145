/* Blocks of 4 x 4 texels to 64 bits each, DXT1 (after the CUDA SDK's dxtc): two end colours of 5, 6 and 5 bits, and for each texel which of four colours
 * on the line between them it has. A block of threads tries 64 pairs of end colours, one a thread. Most of the picture is flat. */
#include "examples/gpu.cl.h"

enum { SIDE = 4, TEXELS = SIDE * SIDE, PAIRS = 64, COLOURS = 4, CHANNELS = 3 };

/* To so many bits and back. */
static u32 fewer(u32 x, u32 most) { return (x * most + 127) / 255; }
static u32 five(u32 x) { return x << 3 | x >> 2; }
static u32 six(u32 x) { return x << 2 | x >> 4; }

/* 5, 6 and 5 bits. */
static u32 pack(const u32 c[CHANNELS]) { return fewer(c[0], 31) << 11 | fewer(c[1], 63) << 5 | fewer(c[2], 31); }

/* Pair p: the box that holds all texels, smaller by sixteenths at either end. The four colours that it stands for. */
static void palette(u32 p, const u32 low[CHANNELS], const u32 high[CHANNELS], u32 *ends, float of[COLOURS][CHANNELS])
{
	u32 a[CHANNELS], b[CHANNELS], x, y;

	for (u32 c = 0; c < CHANNELS; c++) {
		a[c] = high[c] - (high[c] - low[c]) * (p % 8) / 16;
		b[c] = low[c] + (high[c] - low[c]) * (p / 8) / 16;
	}
	x = pack(a);
	y = pack(b);
	*ends = x | y << 16;
	for (u32 c = 0; c < CHANNELS; c++) {
		u32 s = c == 0 ? five(x >> 11) : c == 1 ? six(x >> 5 & 63) : five(x & 31);
		u32 t = c == 0 ? five(y >> 11) : c == 1 ? six(y >> 5 & 63) : five(y & 31);

		of[0][c] = (float)s;
		of[1][c] = (float)t;
		of[2][c] = (float)((2 * s + t) / 3);
		of[3][c] = (float)((s + 2 * t) / 3);
	}
}

/* The nearest of four colours; the first of equals. */
static u32 nearest(const float of[COLOURS][CHANNELS], float r, float g, float b, float *distance)
{
	u32 best = 0;

	for (u32 k = 0; k < COLOURS; k++) {
		float x = of[k][0] - r, y = of[k][1] - g, z = of[k][2] - b, d = x * x + y * y + z * z;

		if (k == 0 || d < *distance) {
			*distance = d;
			best = k;
		}
	}
	return best;
}

__kernel void dxtc(__global const u32 *image, __global u32 *out, u32 width)
{
	__local u32 texel[TEXELS];
	__local float error[PAIRS];
	__local u32 pair[PAIRS], code[TEXELS];
	u32 t = THREAD_X, low[CHANNELS] = { 255, 255, 255 }, high[CHANNELS] = { 0, 0, 0 }, ends;
	float of[COLOURS][CHANNELS], sum = 0, distance = 0;

	if (t < TEXELS)
		texel[t] = image[(BLOCK_Y * SIDE + t / SIDE) * width + BLOCK_X * SIDE + t % SIDE];
	BARRIER();
	for (u32 i = 0; i < TEXELS; i++)
		for (u32 c = 0; c < CHANNELS; c++) {
			u32 x = texel[i] >> c * 8 & 255;

			low[c] = MIN(low[c], x);
			high[c] = MAX(high[c], x);
		}
	palette(t, low, high, &ends, of);
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < TEXELS; i++) {
		nearest(of, (float)(texel[i] & 255), (float)(texel[i] >> 8 & 255), (float)(texel[i] >> 16 & 255), &distance);
		sum += distance;
	}
	error[t] = sum;
	pair[t] = t;
	for (u32 apart = PAIRS / 2; apart; apart /= 2) {
		BARRIER();
		if (t < apart && (error[t + apart] < error[t] || (error[t + apart] == error[t] && pair[t + apart] < pair[t]))) {
			error[t] = error[t + apart];
			pair[t] = pair[t + apart];
		}
	}
	BARRIER();
	palette(pair[0], low, high, &ends, of);
	if (t < TEXELS)
		code[t] = nearest(of, (float)(texel[t] & 255), (float)(texel[t] >> 8 & 255), (float)(texel[t] >> 16 & 255), &distance) << 2 * t;
	BARRIER();
	if (t == 0) {
		u32 codes = 0, to = 2 * (BLOCK_Y * (u32)BLOCKS_X + BLOCK_X);

		for (u32 i = 0; i < TEXELS; i++)
			codes |= code[i];
		out[to] = ends;
		out[to + 1] = codes;
	}
}
