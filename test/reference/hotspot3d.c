/* Reference of examples/hotspot3d, in double precision. */
#include "ref.h"

enum { W = 192, H = 160, LAYERS = 8, LAYER = W * H, CELLS = LAYER * LAYERS, GROUP = 4, STEPS = 2 };

struct hotspot {
	double *t, *next;
	float *power, *mean;
	const float *start;
};

static double at(const struct hotspot *s, int x, int y, int z)
{
	return s->t[ref_clamp(z, LAYERS - 1) * LAYER + ref_clamp(y, H - 1) * W + ref_clamp(x, W - 1)];
}

static void hotspot_compute(void *state)
{
	struct hotspot *s = state;

	for (int i = 0; i < CELLS; i++)
		s->t[i] = s->start[i];
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < CELLS; i++) {
			int x = i % W, y = i / W % H, z = i / LAYER;

			s->next[i] = 0.25 * s->t[i] + 0.125 * (at(s, x - 1, y, z) + at(s, x + 1, y, z)) +
				     0.1875 * (at(s, x, y - 1, z) + at(s, x, y + 1, z)) +
				     0.0546875 * (at(s, x, y, z - 1) + at(s, x, y, z + 1)) + 0.5 * s->power[i] + 1.25;
		}
		memcpy(s->t, s->next, CELLS * sizeof *s->t);
	}
	for (int i = 0; i < LAYER / GROUP; i++) {
		double sum = 0;

		for (int z = 0; z < LAYERS; z++)
			for (int x = 0; x < GROUP; x++)
				sum += s->t[z * LAYER + GROUP * i + x];
		s->mean[i] = (float)(sum / (GROUP * LAYERS));
	}
}

static void hotspot_write(void *state, const char *dir)
{
	struct hotspot *s = state;

	ref_write(dir, "hotspot3d.expect", s->mean, LAYER / GROUP * sizeof *s->mean);
}

int main(int argc, char **argv)
{
	struct hotspot s = {
		ref_new(double, CELLS),
		ref_new(double, CELLS),
		ref_random_f32(CELLS, 212, 0, 2),
		ref_new(float, LAYER / GROUP),
		ref_random_f32(CELLS, 211, 20, 90),
	};

	return ref_main(argc, argv, &s, hotspot_compute, hotspot_write);
}
