/* One time step of n charges that interact by a screened (Yukawa) force, all pairs: x y z and the charge in a float4.
 * Positions pass through shared memory a block at a time; reciprocal square root and exponential are special functions.
 * n is a multiple of the block. */
#include "examples/gpu.cl.h"

#define THREADS 64

__kernel void nbody(__global const f32x4 *at, __global f32x4 *velocity, __global f32x4 *at_next, u32 n, float step, float screening,
                    float softening)
{
	__local f32x4 tile[THREADS];
	u32 i = GLOBAL_X, t = THREAD_X;
	f32x4 me = at[i];
	float fx = 0, fy = 0, fz = 0;

	for (u32 base = 0; base < n; base += THREADS) {
		tile[t] = at[base + t];
		BARRIER();
		for (u32 j = 0; j < THREADS; j++) {
			f32x4 other = tile[j];
			float dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
			float r2 = dx * dx + dy * dy + dz * dz + softening;
			float inv = RSQRT(r2), r = r2 * inv;
			/* exp(-s r) in base two; force / r = q q' (1/r + s) exp(-s r) / r^2 */
			float f = other.w * (inv + screening) * EXP2(r * screening * -1.442695041f) * inv * inv;

			fx += f * dx;
			fy += f * dy;
			fz += f * dz;
		}
		BARRIER();
	}

	f32x4 v = velocity[i];

	v.x += step * me.w * fx;
	v.y += step * me.w * fy;
	v.z += step * me.w * fz;
	velocity[i] = v;
	at_next[i] = (f32x4)(me.x + step * v.x, me.y + step * v.y, me.z + step * v.z, me.w);
}
