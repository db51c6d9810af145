/* A picture of a cloud in an octree: a ray through each sample of a pixel takes STEPS samples of the cloud. For each it goes down the tree,
 * node after node, with little to remember; in the leaf it weighs density and warmth at eight corners, finds the slope of the density,
 * and lights it. Where a point is, is in fixed point: so many bits that each level of the tree takes one. */
#include "examples/gpu.cl.h"

enum {
	TX = 16, TY = 12, SAMPLES = 2,                  /* rays of a block; a pixel has 2 x 2 */
	LEVELS = 5, LEAVES = 1 << 3 * LEVELS, BITS = 20, ONE = 1 << BITS,
	EARLY = 3,                                      /* from this level on a branch may end */
	STEPS = 4,
};

#define LEAF 0x80000000u

static u32 mix(u32 x, u32 bits)
{
	return (x * 40503 + 12345) & ((1u << bits) - 1);        /* one to one */
}

/* The tree's branches: entry 8 n + o is octant o of node n. Nodes of a level are numbered at random. */
__kernel void octree_build(__global u32 *branch, u32 n)
{
	u32 i = GLOBAL_X, node = i / 8, first = 0, level = 0;

	if (i >= n)
		return;
	while (node >= first + (1u << 3 * level))               /* first: of nodes of this level */
		first += 1u << 3 * level++;

	u32 child = mix(i - 8 * first, 3 * (level + 1));
	bool ends = level == LEVELS - 1 || (level >= EARLY && child % 4 == 0);

	branch[i] = ends ? LEAF | child : first + (1u << 3 * level) + child;
}

static float lerp(float a, float b, float at)
{
	return a + at * (b - a);
}

struct ray { int x, y, z, dx, dy, dz, right_x, right_y, down_x, down_y; };      /* the first sample's; from sample to sample */

__kernel void octree_render(__global const u32 *branch, __global const f32x4 *corner, __global float *picture, struct ray first)
{
	__local float sample[TY][TX];
	u32 tx = THREAD_X, ty = THREAD_Y;
	int column = BLOCK_X * TX + tx, row = BLOCK_Y * TY + ty;
	u32 x = first.x + column * first.right_x + row * first.down_x, y = first.y + column * first.right_y + row * first.down_y, z = first.z;
	float light = 0, through = 1;

#pragma clang loop unroll(disable)
	for (u32 step = 0; step < STEPS; step++) {
		u32 entry = 0, bit = BITS;

		do {
			bit--;
			entry = branch[8 * entry + (x >> bit & 1) + (y >> bit & 1) * 2 + (z >> bit & 1) * 4];
		} while (!(entry & LEAF));
		entry = (entry & (LEAVES - 1)) * 4;

		f32x4 near = corner[entry], far = corner[entry + 1], near_warm = corner[entry + 2], far_warm = corner[entry + 3];
		float scale = 1.0f / (float)(1u << bit);
		float px = (float)(x & ((1u << bit) - 1)) * scale, py = (float)(y & ((1u << bit) - 1)) * scale;
		float pz = (float)(z & ((1u << bit) - 1)) * scale;
		float near_top = lerp(near.x, near.y, px), near_low = lerp(near.z, near.w, px);
		float far_top = lerp(far.x, far.y, px), far_low = lerp(far.z, far.w, px);
		float slope_x = lerp(lerp(near.y - near.x, near.w - near.z, py), lerp(far.y - far.x, far.w - far.z, py), pz);
		float slope_y = lerp(near_low - near_top, far_low - far_top, pz);
		float slope_z = lerp(far_top, far_low, py) - lerp(near_top, near_low, py);
		float density = lerp(lerp(near_top, near_low, py), lerp(far_top, far_low, py), pz);
		float warmth = lerp(lerp(lerp(near_warm.x, near_warm.y, px), lerp(near_warm.z, near_warm.w, px), py),
		                    lerp(lerp(far_warm.x, far_warm.y, px), lerp(far_warm.z, far_warm.w, px), py), pz);
		float length = RSQRT(slope_x * slope_x + slope_y * slope_y + slope_z * slope_z + 0.01f);
		float facing = (0.6f * slope_x + 0.64f * slope_y - 0.48f * slope_z) * length, glint = facing * facing;
		float opaque = 1 - EXP2(-density);

		glint *= glint;
		light += through * opaque * (0.2f + 0.5f * facing * facing + 0.3f * glint * glint + warmth * EXP2(warmth - 1));
		through *= 1 - opaque;
		x += first.dx;
		y += first.dy;
		z += first.dz;
	}
	sample[ty][tx] = light;
	BARRIER();
	if (tx % SAMPLES == 0 && ty % SAMPLES == 0) {
		u32 width = BLOCKS_X * TX / SAMPLES;

		picture[row / SAMPLES * width + column / SAMPLES] =
			0.25f * (sample[ty][tx] + sample[ty][tx + 1] + sample[ty + 1][tx] + sample[ty + 1][tx + 1]);
	}
}
