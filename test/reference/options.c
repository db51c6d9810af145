/* Reference of examples/options, in double precision with the error function of the C library. */
#include "ref.h"

enum { N = 4096 };

struct options {
	float *spot, *strike, *price;
};

static double normal(double x) { return 0.5 * erfc(-x / sqrt(2)); }

static void options_compute(void *state)
{
	const double rate = 0.02f, volatility = 0.3f, years = 2, spread = volatility * sqrt(years);
	struct options *o = state;

	for (int i = 0; i < N; i++) {
		double d1 = (log((double)o->spot[i] / (double)o->strike[i]) +
			     (rate + 0.5 * volatility * volatility) * years) /
			    spread;

		o->price[i] = (float)((double)o->spot[i] * normal(d1) -
				      (double)o->strike[i] * exp(-rate * years) * normal(d1 - spread));
	}
}

static void options_write(void *state, const char *dir)
{
	ref_write(dir, "options.expect", ((struct options *)state)->price, N * sizeof(float));
}

int main(int argc, char **argv)
{
	struct options o = { ref_ramp_f32(N, 5, 0.25, 25), ref_ramp_f32(N, 1, 0.375, 99), ref_new(float, N) };

	return ref_main(argc, argv, &o, options_compute, options_write);
}
