/* Reference of examples/lud: without tiles, row by row; L times U is compared with A. */
#include "ref.h"

enum { N = 128 };

struct lud {
	float *start, *a;
};

static void lud_compute(void *state)
{
	struct lud *s = state;

	memcpy(s->a, s->start, N * N * sizeof *s->a);
	for (int k = 0; k < N; k++)
		for (int y = k + 1; y < N; y++) {
			float factor = s->a[y * N + k] / s->a[k * N + k];

			s->a[y * N + k] = factor;
			for (int x = k + 1; x < N; x++)
				s->a[y * N + x] -= factor * s->a[k * N + x];
		}
}

static void lud_write(void *state, const char *dir)
{
	const struct lud *s = state;

	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			double sum = 0;

			for (int k = 0; k <= (x < y ? x : y); k++)
				sum += (k < y ? (double)s->a[y * N + k] : 1) * s->a[k * N + x];
			if (!(fabs(sum - s->start[y * N + x]) < 1e-4)) {
				fprintf(stderr, "lud: L U differs from A by %g in row %d, column %d\n",
					sum - s->start[y * N + x], y, x);
				exit(1);
			}
		}
	ref_write(dir, "lud.expect", s->a, N * N * sizeof *s->a);
}

int main(int argc, char **argv)
{
	struct lud s = { ref_random_f32(N * N, 91, -1, 1), ref_new(float, N *N) };

	for (int i = 0; i < N; i++)
		s.start[i * N + i] += 24;
	return ref_main(argc, argv, &s, lud_compute, lud_write);
}
