/* Reference of examples/scalarprod. */
#include "ref.h"

enum { PAIRS = 48, N = 2000 };

struct scalarprod {
	float *a, *b, *product;
};

static void scalarprod_compute(void *state)
{
	struct scalarprod *s = state;

	for (int p = 0; p < PAIRS; p++) {
		double sum = 0;

		for (int i = p * N; i < (p + 1) * N; i++)
			sum += (double)s->a[i] * s->b[i];
		s->product[p] = (float)sum;
	}
}

static void scalarprod_write(void *state, const char *dir)
{
	struct scalarprod *s = state;

	ref_write(dir, "scalarprod.expect", s->product, PAIRS * sizeof *s->product);
}

int main(int argc, char **argv)
{
	struct scalarprod s = { ref_random_f32(PAIRS * N, 181, -1, 1), ref_random_f32(PAIRS * N, 182, -1, 1),
				ref_new(float, PAIRS) };

	return ref_main(argc, argv, &s, scalarprod_compute, scalarprod_write);
}
