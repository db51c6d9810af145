/* Reference of examples/gridding: each sample onto the cells around it, in double precision but for the distance, whose
 * step in the table is that of the kernel. */
#include "ref.h"

enum { SAMPLES = 640, LINES = 40, CELLS = 20, REACH = 2, STEPS = 64, TABLE = REACH * REACH * STEPS };

struct grid {
	float *sample, *imaginary, *table, *real_row, *imaginary_row;
	double *real, *other;
};

static void grid_compute(void *state)
{
	struct grid *s = state;

	memset(s->real, 0, CELLS * CELLS * sizeof *s->real);
	memset(s->other, 0, CELLS * CELLS * sizeof *s->other);
	for (int i = 0; i < SAMPLES; i++) {
		const float *at = s->sample + 4 * i;

		for (int cell = 0; cell < CELLS * CELLS * CELLS; cell++) {
			float dx = at[0] - ((float)(cell % CELLS) + 0.5f),
			      dy = at[1] - ((float)(cell / CELLS % CELLS) + 0.5f);
			float dz = at[2] - ((float)(cell / CELLS / CELLS) + 0.5f),
			      distance = fmaf(dz, dz, fmaf(dy, dy, dx * dx));

			if (distance < REACH * REACH) {
				double weight = s->table[(int)(distance * STEPS)];

				s->real[cell / CELLS] += weight * at[3];
				s->other[cell / CELLS] += weight * s->imaginary[i];
			}
		}
	}
	for (int i = 0; i < CELLS * CELLS; i++) {
		s->real_row[i] = (float)s->real[i];
		s->imaginary_row[i] = (float)s->other[i];
	}
}

static void grid_write(void *state, const char *dir)
{
	struct grid *s = state;

	ref_write(dir, "gridding.sample", s->sample, 4 * SAMPLES * sizeof *s->sample);
	ref_write(dir, "gridding.table", s->table, TABLE * sizeof *s->table);
	ref_write(dir, "gridding.expect", s->real_row, CELLS * CELLS * sizeof *s->real_row);
	ref_write(dir, "gridding.imaginary.expect", s->imaginary_row, CELLS * CELLS * sizeof *s->imaginary_row);
}

int main(int argc, char **argv)
{
	struct grid s = {
		ref_new(float, 4 * SAMPLES),   ref_random_f32(SAMPLES, 412, -1, 1), ref_new(float, TABLE),
		ref_new(float, CELLS *CELLS),  ref_new(float, CELLS *CELLS),        ref_new(double, CELLS *CELLS),
		ref_new(double, CELLS *CELLS),
	};
	uint64_t seed = 411;

	for (int i = 0; i < SAMPLES; i++) { /* lines through the middle, in directions all around */
		int line = i % LINES;
		double up = 1 - (2 * line + 1) / (double)LINES, turn = 2.39996323 * line,
		       out = (2.0 * (i / LINES) + rng_unit(&seed)) / (SAMPLES / LINES) - 1;
		double flat = sqrt(1 - up * up), half = CELLS / 2.0, length = 0.98 * half * out;

		s.sample[4 * i] = (float)(half + length * flat * cos(turn));
		s.sample[4 * i + 1] = (float)(half + length * flat * sin(turn));
		s.sample[4 * i + 2] = (float)(half + length * up);
		s.sample[4 * i + 3] = (float)(2 * rng_unit(&seed) - 1);
	}
	for (int i = 0; i < TABLE; i++) /* a Kaiser-Bessel window is about this */
		s.table[i] = (float)exp(-1.6 * (i + 0.5) / STEPS);
	return ref_main(argc, argv, &s, grid_compute, grid_write);
}
