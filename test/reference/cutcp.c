/* Reference of examples/cutcp, in double precision: every charge on every point. */
#include "ref.h"

enum { W = 80, H = 48, D = 24, BIN = 8, DEPTH = 2, BINS = W * H * D / (BIN * BIN * BIN), COARSE = W * H * D / 8 };

#define CUTOFF 4.0

struct lattice {
	float *charge, *coarse;
};

static void lattice_charge(struct lattice *s, int i, double *potential)
{
	const float *c = s->charge + 4 * i;
	int bin = i / DEPTH;
	double cx = BIN * (bin % (W / BIN) + (double)c[0]), cy = BIN * (bin / (W / BIN) % (H / BIN) + (double)c[1]);
	double cz = BIN * (bin / (W / BIN * (H / BIN)) + (double)c[2]);

	for (int p = 0; p < W * H * D; p++) {
		double x = p % W - cx, y = p / W % H - cy, z = p / (W * H) - cz, square = x * x + y * y + z * z;

		if (square < CUTOFF * CUTOFF)
			potential[p] += c[3] / sqrt(square) * (1 - square / (CUTOFF * CUTOFF)) *
					(1 - square / (CUTOFF * CUTOFF));
	}
}

static void lattice_compute(void *state)
{
	struct lattice *s = state;
	double *potential = ref_new(double, W *H *D);

	for (int i = 0; i < BINS * DEPTH; i++)
		lattice_charge(s, i, potential);
	for (int i = 0; i < COARSE; i++) {
		int x = 2 * (i % (W / 2)), y = 2 * (i / (W / 2) % (H / 2)), z = 2 * (i / (W / 2 * (H / 2)));
		double sum = 0;

		for (int k = 0; k < 8; k++)
			sum += potential[((z + k / 4) * H + y + k / 2 % 2) * W + x + k % 2];
		s->coarse[i] = (float)(sum / 8);
	}
	free(potential);
}

static void lattice_write(void *state, const char *dir)
{
	struct lattice *s = state;

	ref_write(dir, "cutcp.expect", s->coarse, COARSE * sizeof *s->coarse);
}

int main(int argc, char **argv)
{
	struct lattice s = { ref_random_f32(4 * BINS * DEPTH, 271, 0, 1), ref_new(float, COARSE) };

	return ref_main(argc, argv, &s, lattice_compute, lattice_write);
}
