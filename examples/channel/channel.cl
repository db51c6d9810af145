/* A lattice-Boltzmann step in two dimensions with obstacles (Parboil's lbm, of which examples/lbm is the part without): each cell collides and pushes
 * its nine densities to its neighbours. Obstacles send them back; cells marked so are driven at a given speed. A block is a row of WIDTH cells, whose
 * last warp has eight threads less than the others; rows close to a ring. Densities lie direction after direction. */
#include "examples/gpu.cl.h"

enum { WIDTH = 120, OBSTACLE = 1, DRIVEN = 2 };
#define STRAIGHT (1.0f / 9)                       /* weights */
#define OBLIQUE (1.0f / 36)
#define RESTING (4.0f / 9)

/* What a density in one direction relaxes to: along is the speed that way. */
static float relax(float f, float weight, float rho, float along, float slow, float omega)
{
	return f + omega * (weight * rho * (1 + 3 * along + 4.5f * along * along - slow) - f);
}

/* Fluid at rest everywhere, in the rows beside the first and the last too. */
__kernel void channel_rest(__global float *f, u32 cells)
{
	u32 i = BLOCK_X * WIDTH + THREAD_X;

	for (u32 d = 0; d < 9; d++)
		f[d * cells + i] = d == 0 ? RESTING : d < 5 ? STRAIGHT : OBLIQUE;
}

/* f, to: nine times all cells, with a row beside the first and one beside the last that nobody computes. */
__kernel void channel_step(__global const float *f, __global float *to, __global const u8 *flags, u32 cells, float drive, float omega)
{
	u32 x = THREAD_X, row = (BLOCK_X + 1) * WIDTH, i = row + x;
	u32 east = row + (x + 1 < WIDTH ? x + 1 : 0), west = row + (x ? x - 1 : WIDTH - 1);
	float rest = f[i], e = f[cells + i], w = f[2 * cells + i], n = f[3 * cells + i], s = f[4 * cells + i];
	float ne = f[5 * cells + i], nw = f[6 * cells + i], se = f[7 * cells + i], sw = f[8 * cells + i];
	u32 flag = flags[i];

	if (flag & OBSTACLE) {
		float swap;

		swap = e, e = w, w = swap;
		swap = n, n = s, s = swap;
		swap = ne, ne = sw, sw = swap;
		swap = nw, nw = se, se = swap;
	} else {
		float rho = rest + e + w + n + s + ne + nw + se + sw;
		float ux, uy, slow;

		if (flag & DRIVEN) {
			ux = drive;
			uy = drive * 0.25f;
		} else {
			ux = (e + ne + se - w - nw - sw) / rho;
			uy = (n + ne + nw - s - se - sw) / rho;
		}
		slow = 1.5f * (ux * ux + uy * uy);
		rest = relax(rest, RESTING, rho, 0, slow, omega);
		e = relax(e, STRAIGHT, rho, ux, slow, omega);
		w = relax(w, STRAIGHT, rho, -ux, slow, omega);
		n = relax(n, STRAIGHT, rho, uy, slow, omega);
		s = relax(s, STRAIGHT, rho, -uy, slow, omega);
		ne = relax(ne, OBLIQUE, rho, ux + uy, slow, omega);
		nw = relax(nw, OBLIQUE, rho, uy - ux, slow, omega);
		se = relax(se, OBLIQUE, rho, ux - uy, slow, omega);
		sw = relax(sw, OBLIQUE, rho, -ux - uy, slow, omega);
	}
	to[i] = rest;
	to[cells + east] = e;
	to[2 * cells + west] = w;
	to[3 * cells + i + WIDTH] = n;
	to[4 * cells + i - WIDTH] = s;
	to[5 * cells + east + WIDTH] = ne;
	to[6 * cells + west + WIDTH] = nw;
	to[7 * cells + east - WIDTH] = se;
	to[8 * cells + west - WIDTH] = sw;
}

/* A thread a row: what flows along it. */
__kernel void channel_flow(__global const float *f, __global float *flow, u32 cells, u32 rows)
{
	u32 y = THREAD_X;
	float sum = 0;

	if (y >= rows)
		return;
	for (u32 x = 0; x < WIDTH; x++) {
		u32 i = (y + 1) * WIDTH + x;

		sum += f[cells + i] + f[5 * cells + i] + f[7 * cells + i] - f[2 * cells + i] - f[6 * cells + i] - f[8 * cells + i];
	}
	flow[y] = sum;
}
