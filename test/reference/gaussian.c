/* Reference of examples/gaussian: elimination column by column; the solution is put into the equations as a check. */
#include "ref.h"

enum { N = 64 };

struct gaussian {
	float *start, *start_b, *a, *b, *x;
};

static void gaussian_compute(void *state)
{
	struct gaussian *s = state;

	memcpy(s->a, s->start, N * N * sizeof *s->a);
	memcpy(s->b, s->start_b, N * sizeof *s->b);
	for (int t = 0; t < N - 1; t++)
		for (int row = t + 1; row < N; row++) {
			float multiplier = s->a[row * N + t] / s->a[t * N + t];

			for (int column = t; column < N; column++)
				s->a[row * N + column] -= multiplier * s->a[t * N + column];
			s->b[row] -= multiplier * s->b[t];
		}
	for (int i = N - 1; i >= 0; i--) {
		float rest = s->b[i];

		for (int j = N - 1; j > i; j--)
			rest -= s->a[i * N + j] * s->x[j];
		s->x[i] = rest / s->a[i * N + i];
	}
}

static void gaussian_write(void *state, const char *dir)
{
	struct gaussian *s = state;

	for (int i = 0; i < N; i++) {
		double left = 0;

		for (int j = 0; j < N; j++)
			left += (double)s->start[i * N + j] * s->x[j];
		if (!(fabs(left - s->start_b[i]) < 1e-4)) {
			fprintf(stderr, "gaussian: equation %d is off by %g\n", i, left - s->start_b[i]);
			exit(1);
		}
	}
	ref_write(dir, "gaussian.a", s->start, N * N * sizeof *s->start);
	ref_write(dir, "gaussian.a.expect", s->a, N * N * sizeof *s->a);
	ref_write(dir, "gaussian.expect", s->x, N * sizeof *s->x);
}

int main(int argc, char **argv)
{
	struct gaussian s = {
		ref_random_f32(N * N, 51, -1, 1),
		ref_random_f32(N, 52, -8, 8),
		ref_new(float, N *N),
		ref_new(float, N),
		ref_new(float, N),
	};

	for (int i = 0; i < N; i++) { /* the diagonal outweighs the rest of its row */
		float sum = 0;

		for (int j = 0; j < N; j++)
			sum += fabsf(s.start[i * N + j]);
		s.start[i * N + i] = sum / 2 + 1;
	}
	return ref_main(argc, argv, &s, gaussian_compute, gaussian_write);
}
