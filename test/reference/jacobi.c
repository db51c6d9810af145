/* Reference of examples/jacobi: a matrix of N rows with 3 to 12 entries, most near the diagonal, some anywhere. */
#include "ref.h"

enum { N = 2048, ENTRIES_MAX = 12 * N, NEAR = 40, STEPS = 12 };

struct jacobi {
	uint16_t *row, *column;
	double *value, *b, *x, *next;
};

static void jacobi_step(const struct jacobi *s, const double *from, double *to)
{
	for (int i = 0; i < N; i++) {
		to[i] = s->b[i];
		for (int e = s->row[i]; e < s->row[i + 1]; e++)
			to[i] -= s->value[e] * from[s->column[e]];
	}
}

static void jacobi_compute(void *state)
{
	struct jacobi *s = state;

	memset(s->x, 0, N * sizeof *s->x);
	for (int n = 0; n < STEPS; n += 2) {
		jacobi_step(s, s->x, s->next);
		jacobi_step(s, s->next, s->x);
	}
}

static void jacobi_write(void *state, const char *dir)
{
	struct jacobi *s = state;

	ref_write(dir, "jacobi.row", s->row, (N + 1) * sizeof *s->row);
	ref_write(dir, "jacobi.column", s->column, s->row[N] * sizeof *s->column);
	ref_write(dir, "jacobi.expect", s->x, N * sizeof *s->x);
}

int main(int argc, char **argv)
{
	struct jacobi s = {
		ref_new(uint16_t, N + 1),
		ref_new(uint16_t, ENTRIES_MAX),
		ref_random_f64(ENTRIES_MAX, 122, -0.09, 0.06),
		ref_random_f64(N, 123, -10, 10),
		ref_new(double, N),
		ref_new(double, N),
	};
	uint64_t seed = 121;

	for (int i = 0; i < N; i++) {
		uint32_t entries = 3 + rng_below(&seed, 10);

		s.row[i + 1] = s.row[i];
		for (uint32_t e = 0; e < entries; e++) {
			bool near = rng_below(&seed, 8) > 0;
			uint32_t column =
				near ? (uint32_t)(i + N - NEAR) + rng_below(&seed, 2 * NEAR) : rng_below(&seed, N);

			s.column[s.row[i + 1]++] = (uint16_t)(column % N);
		}
	}
	return ref_main(argc, argv, &s, jacobi_compute, jacobi_write);
}
