/* Reference of examples/stencil, in double precision. */
#include "ref.h"

enum { W = 64, H = 60, D = 60, LAYER = W * H, SIDE = 4, FRONT = 2, MEANS = LAYER * D / (SIDE * SIDE * FRONT) };

struct cells {
	float *in, *mean;
};

static void cells_compute(void *state)
{
	struct cells *s = state;
	double *sum = ref_new(double, MEANS);

	for (int i = 0; i < D * LAYER; i++) {
		int x = i % W, y = i / W % H, z = i / LAYER;
		double blurred = 0;

		for (int k = 0; k < 27; k++) {
			int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1,
			    weight = (2 - abs(dx)) * (2 - abs(dy)) * (2 - abs(dz));

			blurred +=
				weight * s->in[(z + 1 + dz) * LAYER + (y + dy + H) % H * W + (x + dx + W) % W] / 64.0;
		}
		sum[(z / FRONT * (H / SIDE) + y / SIDE) * (W / SIDE) + x / SIDE] += blurred;
	}
	for (int i = 0; i < MEANS; i++)
		s->mean[i] = (float)(sum[i] / (SIDE * SIDE * FRONT));
	free(sum);
}

static void cells_write(void *state, const char *dir)
{
	struct cells *s = state;

	ref_write(dir, "stencil.expect", s->mean, MEANS * sizeof *s->mean);
}

int main(int argc, char **argv)
{
	struct cells s = { ref_random_f32((D + 2) * LAYER, 391, 0, 100), ref_new(float, MEANS) };

	return ref_main(argc, argv, &s, cells_compute, cells_write);
}
