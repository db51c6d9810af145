/* The discrete cosine transform of a picture in tiles of 8 x 8 (JPEG's), and the picture again without the highest frequencies. A
 * thread transforms a row of 8 in registers, then a column; rows become columns in shared memory. A block has 8 tiles side by side.
 *
 * The 8-point transform X[u] = c(u) / 2 * sum over n of x[n] cos((2 n + 1) u pi / 16) comes apart by symmetry: sums x[n] + x[7 - n]
 * give the even half, a 4-point transform, differences the odd half, four inner products. */
#include "examples/gpu.cl.h"

enum { TILE = 8, TILES = 8, PAD = TILE + 1, KEEP = 9 };         /* frequencies u, v with u + v < KEEP stay */

/* cos(n pi / 16) / 2 */
#define C1 0.49039264020161522f
#define C2 0.46193976625564337f
#define C3 0.41573480615127262f
#define C4 0.35355339059327376f
#define C5 0.27778511650980111f
#define C6 0.19134171618254489f
#define C7 0.09754516100806413f

static void forward(float x[TILE])
{
	float s0 = x[0] + x[7], s1 = x[1] + x[6], s2 = x[2] + x[5], s3 = x[3] + x[4];
	float d0 = x[0] - x[7], d1 = x[1] - x[6], d2 = x[2] - x[5], d3 = x[3] - x[4];
	float e0 = s0 + s3, e1 = s1 + s2, e2 = s0 - s3, e3 = s1 - s2;

	x[0] = C4 * (e0 + e1);
	x[4] = C4 * (e0 - e1);
	x[2] = C2 * e2 + C6 * e3;
	x[6] = C6 * e2 - C2 * e3;
	x[1] = C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3;
	x[3] = C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3;
	x[5] = C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3;
	x[7] = C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3;
}

static void back(float x[TILE])
{
	float e0 = C4 * (x[0] + x[4]), e1 = C4 * (x[0] - x[4]);
	float e2 = C2 * x[2] + C6 * x[6], e3 = C6 * x[2] - C2 * x[6];
	float s0 = e0 + e2, s1 = e1 + e3, s2 = e1 - e3, s3 = e0 - e2;
	float d0 = C1 * x[1] + C3 * x[3] + C5 * x[5] + C7 * x[7], d1 = C3 * x[1] - C7 * x[3] - C1 * x[5] - C5 * x[7];
	float d2 = C5 * x[1] - C1 * x[3] + C7 * x[5] + C3 * x[7], d3 = C7 * x[1] - C5 * x[3] + C3 * x[5] - C1 * x[7];

	x[0] = s0 + d0;
	x[1] = s1 + d1;
	x[2] = s2 + d2;
	x[3] = s3 + d3;
	x[4] = s3 - d3;
	x[5] = s2 - d2;
	x[6] = s1 - d1;
	x[7] = s0 - d0;
}

/* A thread has row `line` of its tile in x and gets column `line`. */
static void turn(__local float (*tile)[PAD], u32 line, float x[TILE])
{
	for (u32 i = 0; i < TILE; i++)
		tile[line][i] = x[i];
	BARRIER();
	for (u32 i = 0; i < TILE; i++)
		x[i] = tile[i][line];
}

__kernel void dct_forward(__global const u8 *picture, __global float *frequency, u32 width)
{
	__local float tile[TILES][TILE][PAD];
	u32 line = THREAD_X, which = THREAD_Y, left = (BLOCK_X * TILES + which) * TILE, top = BLOCK_Y * TILE;
	float x[TILE];

	for (u32 i = 0; i < TILE; i++)
		x[i] = (float)picture[(top + line) * width + left + i] - 128;
	forward(x);
	turn(tile[which], line, x);
	forward(x);
	for (u32 i = 0; i < TILE; i++)
		frequency[(top + i) * width + left + line] = x[i];
}

__kernel void dct_back(__global const float *frequency, __global u8 *picture, u32 width)
{
	__local float tile[TILES][TILE][PAD];
	u32 line = THREAD_X, which = THREAD_Y, left = (BLOCK_X * TILES + which) * TILE, top = BLOCK_Y * TILE;
	float x[TILE];

	for (u32 i = 0; i < TILE; i++)
		x[i] = line + i < KEEP ? frequency[(top + line) * width + left + i] : 0;
	back(x);
	turn(tile[which], line, x);
	back(x);
	for (u32 i = 0; i < TILE; i++)
		picture[(top + i) * width + left + line] = (u8)(CLAMP(x[i] + 128, 0.f, 255.f) + 0.5f);
}
