/* Reference of examples/dgemm. */
#include "ref.h"

enum { M = 64, K = 96, N = 128 };

struct dgemm {
	double *a, *b, *before, *c;
};

static void dgemm_compute(void *state)
{
	struct dgemm *s = state;

	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < K; k++)
				sum += s->a[i * K + k] * s->b[k * N + j];
			s->c[i * N + j] = 1.5 * sum - 0.5 * s->before[i * N + j];
		}
}

static void dgemm_write(void *state, const char *dir)
{
	struct dgemm *s = state;

	ref_write(dir, "dgemm.expect", s->c, (size_t)M * N * sizeof *s->c);
}

int main(int argc, char **argv)
{
	struct dgemm s = {
		ref_random_f64(M * K, 141, -1, 1),
		ref_random_f64(K * N, 142, -1, 1),
		ref_random_f64(M * N, 143, -1, 1),
		ref_new(double, M *N),
	};

	return ref_main(argc, argv, &s, dgemm_compute, dgemm_write);
}
