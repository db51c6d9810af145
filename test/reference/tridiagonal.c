/* Reference of examples/tridiagonal, in double precision: elimination from the first row on, then back (Thomas). */
#include "ref.h"

enum { ROWS = 192, SYSTEMS = 120, ALL = ROWS * SYSTEMS };

struct systems {
	float *lower, *diagonal, *upper, *right, *x;
};

static void solve(const struct systems *s, int first)
{
	double d[ROWS], r[ROWS], x = 0;

	for (int i = 0; i < ROWS; i++) {
		double by = i ? s->lower[first + i] / d[i - 1] : 0;

		d[i] = s->diagonal[first + i] + 3.0 - (i ? by * s->upper[first + i - 1] : 0);
		r[i] = s->right[first + i] - (i ? by * r[i - 1] : 0);
	}
	for (int i = ROWS - 1; i >= 0; i--) {
		x = (r[i] - (i < ROWS - 1 ? s->upper[first + i] * x : 0)) / d[i];
		s->x[first + i] = (float)x;
	}
}

static void systems_compute(void *state)
{
	for (int i = 0; i < SYSTEMS; i++)
		solve(state, i * ROWS);
}

static void systems_write(void *state, const char *dir)
{
	struct systems *s = state;

	ref_write(dir, "tridiagonal.expect", s->x, ALL * sizeof *s->x);
}

int main(int argc, char **argv)
{
	struct systems s = {
		ref_random_f32(ALL, 381, -1, 1),
		ref_random_f32(ALL, 382, 0, 1),
		ref_random_f32(ALL, 383, -1, 1),
		ref_random_f32(ALL, 384, -9, 9),
		ref_new(float, ALL),
	};

	return ref_main(argc, argv, &s, systems_compute, systems_write);
}
