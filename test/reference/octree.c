/* Reference of examples/octree, in double precision: the branch of a place follows from the numbering of nodes. */
#include "ref.h"

enum { W = 384, H = 120, LEVELS = 5, LEAVES = 1 << 3 * LEVELS, BITS = 20, EARLY = 3, STEPS = 4 };

struct cloud {
	float *corner, *picture;
};

/* The leaf that holds a place, and the bits of it that say where in the leaf. */
static unsigned leaf_of(const uint32_t p[3], int *bits)
{
	unsigned node = 0; /* among those of its level */

	for (int level = 0;; level++) {
		int bit = *bits = BITS - 1 - level;
		unsigned octant = (p[0] >> bit & 1) + 2 * (p[1] >> bit & 1) + 4 * (p[2] >> bit & 1);

		node = ((8 * node + octant) * 40503 + 12345) & ((1u << 3 * (level + 1)) - 1);
		if (level == LEVELS - 1 || (level >= EARLY && node % 4 == 0))
			return node;
	}
}

/* Between eight corners at `at`; or how steep it is along axis k. */
static double between(const float *c, const double at[3], int k)
{
	double sum = 0;

	for (int i = 0; i < 8; i++) {
		double w = 1;

		for (int axis = 0; axis < 3; axis++) {
			int high = i >> axis & 1;

			if (axis == k)
				w *= high ? 1 : -1;
			else
				w *= high ? at[axis] : 1 - at[axis];
		}
		sum += w * c[i];
	}
	return sum;
}

static double ray(const struct cloud *s, int column, int row)
{
	uint32_t p[3] = { (uint32_t)(60000 + column * 2100 + row * 300), (uint32_t)(50000 - column * 100 + row * 6500),
			  40000 };
	double light = 0, through = 1;

	for (int step = 0; step < STEPS; step++, p[0] += 9000, p[1] += 14000, p[2] += 220000) {
		int bits;
		const float *c = s->corner + 16 * leaf_of(p, &bits);
		double at[3], slope[3], square = 0.01, density, warmth, facing, opaque;

		for (int k = 0; k < 3; k++)
			at[k] = (double)(p[k] & ((1u << bits) - 1)) / (1u << bits);
		for (int k = 0; k < 3; k++) {
			slope[k] = between(c, at, k);
			square += slope[k] * slope[k];
		}
		density = between(c, at, 3);
		warmth = between(c + 8, at, 3);
		facing = (0.6 * slope[0] + 0.64 * slope[1] - 0.48 * slope[2]) / sqrt(square);
		opaque = 1 - exp2(-density);
		light += through * opaque *
			 (0.2 + 0.5 * facing * facing + 0.3 * pow(facing, 8) + warmth * exp2(warmth - 1));
		through *= 1 - opaque;
	}
	return light;
}

static void cloud_compute(void *state)
{
	struct cloud *s = state;

	for (int y = 0; y < H / 2; y++)
		for (int x = 0; x < W / 2; x++)
			s->picture[y * (W / 2) + x] =
				(float)((ray(s, 2 * x, 2 * y) + ray(s, 2 * x + 1, 2 * y) + ray(s, 2 * x, 2 * y + 1) +
					 ray(s, 2 * x + 1, 2 * y + 1)) /
					4);
}

static void cloud_write(void *state, const char *dir)
{
	struct cloud *s = state;

	ref_write(dir, "octree.expect", s->picture, W * H / 4 * sizeof *s->picture);
}

int main(int argc, char **argv)
{
	struct cloud s = { ref_random_f32(16 * LEAVES, 371, 0, 1), ref_new(float, W *H / 4) };

	return ref_main(argc, argv, &s, cloud_compute, cloud_write);
}
