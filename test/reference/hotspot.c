/* Reference of examples/hotspot: STEPS time steps between two grids. */
#include "ref.h"

enum { W = 128, H = 128, STEPS = 8 };

struct hotspot {
	float *start, *a, *b, *power;
};

static void hotspot_step(const float *from, float *to, const float *power)
{
	const float rx = 0.1f, ry = 0.15f, rz = 0.01f, ambient = 300.0f, step = 0.5f;

	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			int i = y * W + x;
			float here = from[i];
			float west = from[x > 0 ? i - 1 : i], east = from[x < W - 1 ? i + 1 : i];
			float north = from[y > 0 ? i - W : i], south = from[y < H - 1 ? i + W : i];

			to[i] = here + step * (power[i] + (west + east - 2.0f * here) * rx +
					       (north + south - 2.0f * here) * ry + (ambient - here) * rz);
		}
}

static void hotspot_compute(void *state)
{
	struct hotspot *s = state;

	memcpy(s->a, s->start, W * H * sizeof *s->a);
	for (int n = 0; n < STEPS; n += 2) {
		hotspot_step(s->a, s->b, s->power);
		hotspot_step(s->b, s->a, s->power);
	}
}

static void hotspot_write(void *state, const char *dir)
{
	ref_write(dir, "hotspot.expect", ((struct hotspot *)state)->a, W * H * sizeof(float));
}

int main(int argc, char **argv)
{
	struct hotspot s = {
		ref_random_f32(W * H, 11, 320, 340),
		ref_new(float, W *H),
		ref_new(float, W *H),
		ref_random_f32(W * H, 12, 0, 2),
	};

	return ref_main(argc, argv, &s, hotspot_compute, hotspot_write);
}
