/* Reference of examples/mriq, in double precision. */
#include "ref.h"

enum { PLACES = 2048, SAMPLES = 128 };

struct mriq {
	float *real, *imaginary, *sample, *place, *q_real, *q_imaginary;
};

static void mriq_compute(void *state)
{
	struct mriq *s = state;

	for (int p = 0; p < PLACES; p++) {
		const float *x = s->place + 4 * p;
		double re = 0, im = 0;

		for (int i = 0; i < SAMPLES; i++) {
			const float *k = s->sample + 4 * i;
			double magnitude = (double)s->real[i] * s->real[i] + (double)s->imaginary[i] * s->imaginary[i];
			double angle = 2 * acos(-1) * ((double)k[0] * x[0] + (double)k[1] * x[1] + (double)k[2] * x[2]);

			re += magnitude * cos(angle);
			im += magnitude * sin(angle);
		}
		s->q_real[p] = (float)re;
		s->q_imaginary[p] = (float)im;
	}
}

static void mriq_write(void *state, const char *dir)
{
	struct mriq *s = state;

	ref_write(dir, "mriq.expect", s->q_real, PLACES * sizeof *s->q_real);
	ref_write(dir, "mriq.imaginary.expect", s->q_imaginary, PLACES * sizeof *s->q_imaginary);
}

int main(int argc, char **argv)
{
	struct mriq s = {
		ref_random_f32(SAMPLES, 191, -1, 1),
		ref_random_f32(SAMPLES, 192, -1, 1),
		ref_random_f32(4 * SAMPLES, 193, -4, 4),
		ref_random_f32(4 * PLACES, 194, -1, 1),
		ref_new(float, PLACES),
		ref_new(float, PLACES),
	};

	return ref_main(argc, argv, &s, mriq_compute, mriq_write);
}
