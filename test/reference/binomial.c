/* Reference of examples/binomial: American puts on the same lattice, in double precision, each price by its own
 * power. */
#include "ref.h"

enum { OPTIONS = 24, STEPS = 127 };
static const double rate = 0.02f, volatility = 0.3f;

/* price, strike, years, nothing */
struct binomial {
	float *option, *worth;
};

static double worth_of(const float *option)
{
	double step = (double)option[2] / STEPS, jump = volatility * sqrt(step), up = exp(jump), down = exp(-jump);
	double rise = (exp(rate * step) - down) / (up - down), value[STEPS + 1];

	for (int left = STEPS; left >= 0; left--)
		for (int t = 0; t <= left; t++) {
			double now = option[1] - option[0] * exp((2 * t - left) * jump);
			double later =
				left == STEPS ? 0 : exp(-rate * step) * (rise * value[t + 1] + (1 - rise) * value[t]);

			value[t] = now > later ? now : later;
		}
	return value[0];
}

static void binomial_compute(void *state)
{
	struct binomial *s = state;

	for (int i = 0; i < OPTIONS; i++)
		s->worth[i] = (float)worth_of(s->option + 4 * i);
}

static void binomial_write(void *state, const char *dir)
{
	struct binomial *s = state;

	ref_write(dir, "binomial.option", s->option, 4 * OPTIONS * sizeof *s->option);
	ref_write(dir, "binomial.expect", s->worth, OPTIONS * sizeof *s->worth);
}

int main(int argc, char **argv)
{
	struct binomial s = { ref_new(float, 4 * OPTIONS), ref_new(float, OPTIONS) };
	uint64_t seed = 201;

	for (int i = 0; i < OPTIONS; i++) {
		s.option[4 * i] = (float)(20 + 80 * rng_unit(&seed));
		s.option[4 * i + 1] = s.option[4 * i] * (float)(0.8 + 0.4 * rng_unit(&seed));
		s.option[4 * i + 2] = (float)(0.25 + 2 * rng_unit(&seed));
	}
	return ref_main(argc, argv, &s, binomial_compute, binomial_write);
}
