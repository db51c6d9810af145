/* Inviscid flow on an unstructured mesh (Rodinia's CFD solver): of each cell density, momentum and energy change by what flows through
 * its four faces. What a cell itself carries stays in registers while its neighbours' follow one after another, each looked up by its
 * number; beyond a face may also be a wall or the undisturbed flow far away. */
#include "examples/gpu.cl.h"

enum { FACES = 4, GROUP = 4, WALL = -1, FAR = -2 };

#define GAMMA 1.4f
#define SMOOTH 0.2f                     /* artificial viscosity */

struct vector { float x, y, z; };

struct state { float density, energy; struct vector momentum; };

/* What a state carries along x, y, z: momentum (symmetric) and energy; and how fast sound and the fluid are. */
struct carried { struct vector x, y, z, energy; float pressure, sound, speed; };

static struct carried carried_by(struct state s)
{
	struct carried c;
	float inverse = 1 / s.density, vx = s.momentum.x * inverse, vy = s.momentum.y * inverse, vz = s.momentum.z * inverse;
	float square = vx * vx + vy * vy + vz * vz, all;

	c.pressure = (GAMMA - 1) * (s.energy - 0.5f * s.density * square);
	c.sound = SQRT(GAMMA * c.pressure * inverse);
	c.speed = SQRT(square);
	all = s.energy + c.pressure;
	c.x.x = vx * s.momentum.x + c.pressure;
	c.x.y = c.y.x = vx * s.momentum.y;
	c.x.z = c.z.x = vx * s.momentum.z;
	c.y.y = vy * s.momentum.y + c.pressure;
	c.y.z = c.z.y = vy * s.momentum.z;
	c.z.z = vz * s.momentum.z + c.pressure;
	c.energy.x = vx * all;
	c.energy.y = vy * all;
	c.energy.z = vz * all;
	return c;
}

static float sum_along(struct vector n, struct vector a, struct vector b)
{
	return 0.5f * (n.x * (a.x + b.x) + n.y * (a.y + b.y) + n.z * (a.z + b.z));
}

/* Variable v of cell i is at v * cells + i. */
static struct state state_at(__global const float *variables, u32 i, u32 cells)
{
	struct state s;

	s.density = variables[i];
	s.momentum.x = variables[cells + i];
	s.momentum.y = variables[2 * cells + i];
	s.momentum.z = variables[3 * cells + i];
	s.energy = variables[4 * cells + i];
	return s;
}

/* The mesh: a band of `width` cells around, walls on both sides of it but for the first and the last `width` / 2, which face far away. */
__kernel void euler_mesh(__global int *neighbour, __global float *variables, u32 width, u32 cells)
{
	u32 i = GLOBAL_X;
	int beyond = i % width < width / 2 ? WALL : FAR;

	neighbour[i] = i % width ? i - 1 : i + width - 1;
	neighbour[cells + i] = i % width < width - 1 ? i + 1 : i + 1 - width;
	neighbour[2 * cells + i] = i >= width ? (int)(i - width) : beyond;
	neighbour[3 * cells + i] = i + width < cells ? (int)(i + width) : beyond;
	variables[i] += 1;                                      /* what is random becomes a gas that is about at rest */
	variables[4 * cells + i] += 3;
}

__kernel void euler_flux(__global const int *neighbour, __global const float *normal, __global const float *variables,
                         __global float *flux, u32 cells, struct state far)
{
	u32 i = GLOBAL_X;
	struct state own = state_at(variables, i, cells), sum = { 0 };
	struct carried carried = carried_by(own);

#pragma clang loop unroll(disable)
	for (u32 f = 0; f < FACES; f++) {
		int j = neighbour[f * cells + i];
		struct vector n = { normal[3 * f * cells + i], normal[(3 * f + 1) * cells + i], normal[(3 * f + 2) * cells + i] };

		if (j == WALL) {
			sum.momentum.x += n.x * carried.pressure;
			sum.momentum.y += n.y * carried.pressure;
			sum.momentum.z += n.z * carried.pressure;
			continue;
		}

		struct state other = j == FAR ? far : state_at(variables, j, cells);
		struct carried with = carried_by(other);
		float area = SQRT(n.x * n.x + n.y * n.y + n.z * n.z);
		float blur = j == FAR ? 0 : -0.5f * SMOOTH * area * (carried.speed + with.speed + carried.sound + with.sound);

		sum.density += blur * (own.density - other.density) + sum_along(n, own.momentum, other.momentum);
		sum.energy += blur * (own.energy - other.energy) + sum_along(n, carried.energy, with.energy);
		sum.momentum.x += blur * (own.momentum.x - other.momentum.x) + sum_along(n, carried.x, with.x);
		sum.momentum.y += blur * (own.momentum.y - other.momentum.y) + sum_along(n, carried.y, with.y);
		sum.momentum.z += blur * (own.momentum.z - other.momentum.z) + sum_along(n, carried.z, with.z);
	}
	flux[i] = sum.density;
	flux[cells + i] = sum.momentum.x;
	flux[2 * cells + i] = sum.momentum.y;
	flux[3 * cells + i] = sum.momentum.z;
	flux[4 * cells + i] = sum.energy;
}

/* A step in time, of one variable a thread. */
__kernel void euler_update(__global float *variables, __global const float *flux, float step)
{
	u32 i = GLOBAL_X;

	variables[i] += step * flux[i];
}

/* Means of GROUP values one after another. */
__kernel void euler_mean(__global const float *in, __global float *mean)
{
	float sum = 0;

#pragma unroll
	for (u32 k = 0; k < GROUP; k++)
		sum += in[GROUP * GLOBAL_X + k];
	mean[GLOBAL_X] = sum * (1.0f / GROUP);
}
