/* Reference of examples/srad, in double precision. */
#include "ref.h"

enum { W = 192, H = 120, PIXELS = W * H, STEPS = 2 };

#define NOISE 0.25

struct srad {
	float *start, *end;
	double *picture, *next, *c;
};

static double at(const double *p, int x, int y) { return p[ref_clamp(y, H - 1) * W + ref_clamp(x, W - 1)]; }

static void srad_compute(void *state)
{
	static const int dx[4] = { 0, 0, -1, 1 }, dy[4] = { -1, 1, 0, 0 };
	struct srad *s = state;

	for (int i = 0; i < PIXELS; i++)
		s->picture[i] = s->start[i];
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < PIXELS; i++) {
			double here = s->picture[i], square = 0, curve = 0, relative;

			for (int k = 0; k < 4; k++) {
				double d = (at(s->picture, i % W + dx[k], i / W + dy[k]) - here) / here;

				square += d * d;
				curve += d;
			}
			relative = (square / 2 - curve * curve / 16) / ((1 + curve / 4) * (1 + curve / 4));
			s->c[i] = fmin(fmax(1 / (1 + (relative - NOISE) / (NOISE * (1 + NOISE))), 0), 1);
		}
		for (int i = 0; i < PIXELS; i++) {
			double here = s->picture[i], sum = 0;

			for (int k = 0; k < 4; k++) {
				int x = i % W + dx[k], y = i / W + dy[k];

				sum += (k % 2 ? at(s->c, x, y) : s->c[i]) * (at(s->picture, x, y) - here);
			}
			s->next[i] = here + 0.125 * sum;
		}
		memcpy(s->picture, s->next, PIXELS * sizeof *s->picture);
	}
	for (int i = 0; i < PIXELS; i++)
		s->end[i] = (float)s->picture[i];
}

static void srad_write(void *state, const char *dir)
{
	struct srad *s = state;

	ref_write(dir, "srad.expect", s->end, PIXELS * sizeof *s->end);
}

int main(int argc, char **argv)
{
	struct srad s = {
		ref_random_f32(PIXELS, 331, 1, 5), ref_new(float, PIXELS),  ref_new(double, PIXELS),
		ref_new(double, PIXELS),           ref_new(double, PIXELS),
	};

	return ref_main(argc, argv, &s, srad_compute, srad_write);
}
