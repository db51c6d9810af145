/* A step of a fluid by the lattice Boltzmann method (Parboil's LBM): in each cell 19 densities of what moves in 19 directions. A thread
 * has a cell: it takes what comes from each neighbour, all into registers, finds density and velocity, lets the densities relax
 * towards their balance, and leaves them. The box is periodic. */
#include "examples/gpu.cl.h"

enum { TX = 32, LAYERS = 6, DIRECTIONS = 19 };          /* cells of a block: a row of TX, LAYERS one behind another */

/* Which way: x, y, z; the first stays, then the six to the faces, the twelve to the edges. */
static constant const s8 way[DIRECTIONS][3] = {
	{ 0, 0, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 },
	{ 1, 1, 0 }, { -1, -1, 0 }, { 1, -1, 0 }, { -1, 1, 0 }, { 1, 0, 1 }, { -1, 0, -1 }, { 1, 0, -1 }, { -1, 0, 1 },
	{ 0, 1, 1 }, { 0, -1, -1 }, { 0, 1, -1 }, { 0, -1, 1 },
};

/* The share of direction i in a fluid at rest. */
static float share(u32 i)
{
	return i == 0 ? 1.0f / 3 : i < 7 ? 1.0f / 18 : 1.0f / 36;
}

static u32 around(u32 at, int by, u32 n)
{
	return by > 0 ? (at + 1 < n ? at + 1 : 0) : by < 0 ? (at ? at - 1 : n - 1) : at;
}

/* Density d of cell i is at d * cells + i. */
__kernel void lbm_step(__global const float *from, __global float *to, u32 height, u32 depth, float relax)
{
	u32 x = THREAD_X, y = BLOCK_X, z = BLOCK_Y * LAYERS + THREAD_Y, cells = TX * height * depth;
	float f[DIRECTIONS], density = 0, ux = 0, uy = 0, uz = 0, inverse, slow;

#pragma unroll
	for (u32 d = 0; d < DIRECTIONS; d++) {
		u32 sx = around(x, -way[d][0], TX), sy = around(y, -way[d][1], height), sz = around(z, -way[d][2], depth);

		f[d] = from[d * cells + (sz * height + sy) * TX + sx];
	}
#pragma unroll
	for (u32 d = 0; d < DIRECTIONS; d++) {
		density += f[d];
		ux += way[d][0] == 0 ? 0 : way[d][0] > 0 ? f[d] : -f[d];
		uy += way[d][1] == 0 ? 0 : way[d][1] > 0 ? f[d] : -f[d];
		uz += way[d][2] == 0 ? 0 : way[d][2] > 0 ? f[d] : -f[d];
	}
	inverse = 1 / density;
	ux *= inverse;
	uy *= inverse;
	uz *= inverse;
	slow = 1 - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
	for (u32 d = 0; d < DIRECTIONS; d++) {
		float along = way[d][0] * ux + way[d][1] * uy + way[d][2] * uz;
		float balance = share(d) * density * (slow + 3 * along + 4.5f * along * along);

		to[d * cells + (z * height + y) * TX + x] = f[d] + relax * (balance - f[d]);
	}
}

/* Density and momentum, means over the LAYERS cells one behind another of a block. */
__kernel void lbm_flow(__global const float *f, __global f32x4 *flow, u32 height, u32 depth)
{
	__local f32x4 part[LAYERS][TX];
	u32 tx = THREAD_X, ty = THREAD_Y, cells = TX * height * depth, i = ((BLOCK_Y * LAYERS + ty) * height + BLOCK_X) * TX + tx;
	f32x4 sum = 0;

#pragma unroll
	for (u32 d = 0; d < DIRECTIONS; d++) {
		float v = f[d * cells + i];

		sum.x += v;
		sum.y += way[d][0] * v;
		sum.z += way[d][1] * v;
		sum.w += way[d][2] * v;
	}
	part[ty][tx] = sum;
	BARRIER();
	if (ty == 0) {
		for (u32 k = 1; k < LAYERS; k++)
			sum += part[k][tx];
		flow[(BLOCK_Y * height + BLOCK_X) * TX + tx] = sum * (1.0f / LAYERS);
	}
}
