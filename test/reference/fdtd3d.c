/* Reference of examples/fdtd3d, in double precision. */
#include "ref.h"

enum {
	W = 96,
	H = 40,
	D = 16,
	RADIUS = 4,
	ROW = W + 2 * RADIUS,
	LAYER = ROW * (H + 2 * RADIUS),
	ALL = LAYER * (D + 2 * RADIUS),
	STEPS = 2,
	MEAN = 4,
	MEANS = W * H * D / (MEAN * MEAN * MEAN),
	FIRST = RADIUS * (LAYER + ROW + 1)
};

struct field {
	double *a, *b;
	float *mean;
};

static void field_excite(double *a, int first, int wide, int high, int deep)
{
	for (int z = 0; z < deep; z++)
		for (int y = 0; y < high; y++)
			for (int x = 0; x < wide; x++)
				a[first + z * LAYER + y * ROW + x] += (1 + x) * (1 + y);
}

static void field_step(const double *in, double *out)
{
	static const double weight[RADIUS + 1] = { 0.4, 0.06, 0.025, 0.01, 0.005 };

	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++) {
				int i = FIRST + z * LAYER + y * ROW + x;
				double sum = weight[0] * in[i];

				for (int k = 1; k <= RADIUS; k++)
					sum += weight[k] * (in[i - k] + in[i + k] + in[i - k * ROW] + in[i + k * ROW] +
							    in[i - k * LAYER] + in[i + k * LAYER]);
				out[i] = sum;
			}
}

static void field_compute(void *state)
{
	struct field *f = state;

	for (int i = 0; i < ALL; i++)
		f->a[i] = f->b[i] = 2;
	field_excite(f->a, 50983, 6, 5, 3);
	field_excite(f->a, 63330, 9, 3, 2);
	for (int n = 0; n < STEPS; n++) {
		double *swap = f->a;

		field_step(f->a, f->b);
		f->a = f->b;
		f->b = swap;
	}
	for (int m = 0; m < MEANS; m++) {
		int x = m % (W / MEAN), y = m / (W / MEAN) % (H / MEAN), z = m / (W / MEAN) / (H / MEAN);
		double sum = 0;

		for (int k = 0; k < MEAN * MEAN * MEAN; k++)
			sum += f->a[FIRST + (z * MEAN + k / MEAN / MEAN) * LAYER + (y * MEAN + k / MEAN % MEAN) * ROW +
				    x * MEAN + k % MEAN];
		f->mean[m] = (float)(sum / (MEAN * MEAN * MEAN));
	}
}

static void field_write(void *state, const char *dir)
{
	struct field *f = state;

	ref_write(dir, "fdtd3d.expect", f->mean, MEANS * sizeof *f->mean);
}

int main(int argc, char **argv)
{
	struct field f = { ref_new(double, ALL), ref_new(double, ALL), ref_new(float, MEANS) };

	return ref_main(argc, argv, &f, field_compute, field_write);
}
