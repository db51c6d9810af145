/* Reference of examples/spmv, in double precision: random rows, some much longer than others. */
#include "ref.h"

enum { ROWS = 23040, SLICE = 32, SLICES = ROWS / SLICE, READ = 4, LONGEST = 48 };

struct matrix {
	uint32_t *start;
	uint16_t *column;
	float *element, *x, *y;
	uint32_t depth;
};

static void matrix_compute(void *state)
{
	struct matrix *s = state;

	for (int row = 0; row < ROWS; row++) {
		double sum = 0;

		for (uint32_t j = s->start[row / SLICE]; j < s->start[row / SLICE + 1]; j++) {
			uint32_t at = j * SLICE + (uint32_t)row % SLICE;

			sum += (double)s->element[at] * s->x[s->column[at]];
		}
		s->y[row] = (float)sum;
	}
}

static void matrix_write(void *state, const char *dir)
{
	struct matrix *s = state;

	ref_write(dir, "spmv.start", s->start, (SLICES + 1) * sizeof *s->start);
	ref_write(dir, "spmv.expect", s->y, ROWS * sizeof *s->y);
}

/* Long slices first: a few of LONGEST, most of 8, in steps. */
static uint32_t depth_of(int slice)
{
	if (slice < SLICES / 32)
		return LONGEST;
	if (slice < SLICES / 8)
		return 24;
	return slice < SLICES / 2 ? 12 : 8;
}

int main(int argc, char **argv)
{
	struct matrix s = { .start = ref_new(uint32_t, SLICES + 1),
			    .x = ref_random_f32(ROWS, 321, -1, 1),
			    .y = ref_new(float, ROWS) };
	uint64_t seed = 322;

	for (int i = 0; i < SLICES; i++)
		s.start[i + 1] = s.start[i] + depth_of(i);
	s.depth = s.start[SLICES];
	s.element = ref_random_f32(s.depth * SLICE, 323, -1, 1);
	s.column = ref_new(uint16_t, s.depth * SLICE);
	for (uint32_t i = 0; i < s.depth * SLICE; i++)
		s.column[i] = (uint16_t)rng_below(&seed, ROWS);
	return ref_main(argc, argv, &s, matrix_compute, matrix_write);
}
