/* The surface through a cloud of points: around each point its neighbours, looked up by number, are summed up to a covariance, whose
 * least eigenvector is the normal. The long way through the neighbours needs few registers and waits for memory; the short one from the
 * covariance to the normal (powers of its adjugate, whose greatest eigenvector that is) needs many and does not. */
#include "examples/gpu.cl.h"

enum { THREADS = 192, NEIGHBOURS = 12, POWERS = 3, GROUP = 4 };

typedef u16 place __attribute__((ext_vector_type(4)));  /* x, y, z in parts of 65536; and a guess */

/* Neighbour k of point i is neighbour[k * points + i] - REACH places behind it. */
#define REACH 32
#define UNIT 0x1p-16f

/* How flat it is there: the least eigenvalue over the sum of all; means of GROUP points. */
__kernel void normals(__global const place *point, __global const u8 *neighbour, __global float *flatness, u32 points)
{
	__local float share[THREADS];
	u32 i = GLOBAL_X;
	place own = point[i];
	float x = 0, y = 0, z = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

#pragma clang loop unroll(disable)
	for (u32 k = 0; k < NEIGHBOURS; k++) {
		int j = CLAMP((int)i + neighbour[k * points + i] - REACH, 0, (int)points - 1);
		place other = point[j];
		float dx = (other.x - own.x) * UNIT, dy = (other.y - own.y) * UNIT, dz = (other.z - own.z) * UNIT;

		x += dx;
		y += dy;
		z += dz;
		xx += dx * dx;
		yy += dy * dy;
		zz += dz * dz;
		xy += dx * dy;
		xz += dx * dz;
		yz += dy * dz;
	}

	float mx = x * (1.0f / NEIGHBOURS), my = y * (1.0f / NEIGHBOURS), mz = z * (1.0f / NEIGHBOURS);

	xx -= mx * x;
	yy -= my * y;
	zz -= mz * z;
	xy -= mx * y;
	xz -= mx * z;
	yz -= my * z;

	float axx = yy * zz - yz * yz, ayy = xx * zz - xz * xz, azz = xx * yy - xy * xy;
	float axy = xz * yz - xy * zz, axz = xy * yz - xz * yy, ayz = xy * xz - xx * yz;
	float nx = own.w * UNIT, ny = 0.5f, nz = 1;

#pragma unroll
	for (u32 k = 0; k < POWERS; k++) {
		float px = axx * nx + axy * ny + axz * nz, py = axy * nx + ayy * ny + ayz * nz, pz = axz * nx + ayz * ny + azz * nz;
		float length = RSQRT(px * px + py * py + pz * pz);

		nx = px * length;
		ny = py * length;
		nz = pz * length;
	}
	share[THREAD_X] = (xx * nx * nx + yy * ny * ny + zz * nz * nz + 2 * (xy * nx * ny + xz * nx * nz + yz * ny * nz)) / (xx + yy + zz);
	BARRIER();
	if (i % GROUP == 0) {
		float sum = 0;

		for (u32 k = 0; k < GROUP; k++)
			sum += share[THREAD_X + k];
		flatness[i / GROUP] = sum * (1.0f / GROUP);
	}
}
