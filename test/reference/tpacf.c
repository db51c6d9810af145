/* Reference of examples/tpacf, in the same floats: which bin a pair falls into may hang on the last bit. The points of
 * a set crowd in clusters on the sphere; the bins are narrow for small angles. */
#include "ref.h"

enum { OWN = 2048, OTHER = 512, BINS = 16, CLUSTERS = 24 };

struct sky {
	float *own, *other, *border;
	uint32_t *bins;
};

static void sky_compute(void *state)
{
	struct sky *s = state;

	memset(s->bins, 0, BINS * sizeof *s->bins);
	for (int i = 0; i < OWN; i++)
		for (int k = 0; k < OTHER; k++) {
			const float *o = s->other + 4 * k;
			float cosine = fmaf(s->own[2 * OWN + i], o[2], fmaf(s->own[OWN + i], o[1], s->own[i] * o[0]));
			int bin = 0;

			while (bin < BINS - 1 && cosine < s->border[bin])
				bin++;
			s->bins[bin]++;
		}
}

static void sky_write(void *state, const char *dir)
{
	struct sky *s = state;

	ref_write(dir, "tpacf.own", s->own, 3 * OWN * sizeof *s->own);
	ref_write(dir, "tpacf.other", s->other, 4 * OTHER * sizeof *s->other);
	ref_write(dir, "tpacf.border", s->border, (BINS - 1) * sizeof *s->border);
	ref_write(dir, "tpacf.expect", s->bins, BINS * sizeof *s->bins);
}

/* A direction near that of a cluster: without sines, so that it is the same on every machine. */
static void direction(float *x, float *y, float *z, uint64_t *seed)
{
	uint64_t cluster = rng_below(seed, CLUSTERS) + 1;
	double v[3], square = 0;

	for (int i = 0; i < 3; i++) {
		v[i] = 2 * rng_unit(&cluster) - 1 + 0.3 * (rng_unit(seed) - 0.5);
		square += v[i] * v[i];
	}
	*x = (float)(v[0] / sqrt(square));
	*y = (float)(v[1] / sqrt(square));
	*z = (float)(v[2] / sqrt(square));
}

int main(int argc, char **argv)
{
	struct sky s = { ref_new(float, 3 * OWN), ref_new(float, 4 * OTHER), ref_new(float, BINS - 1),
			 ref_new(uint32_t, BINS) };
	uint64_t seed = 281;

	for (int i = 0; i < OWN; i++)
		direction(s.own + i, s.own + OWN + i, s.own + 2 * OWN + i, &seed);
	for (int k = 0; k < OTHER; k++)
		direction(s.other + 4 * k, s.other + 4 * k + 1, s.other + 4 * k + 2, &seed);
	for (int i = 0; i < BINS - 1; i++) /* 1 - cosine grows by the square */
		s.border[i] = 1 - 2 * (float)((i + 1) * (i + 1)) / (BINS * BINS);
	return ref_main(argc, argv, &s, sky_compute, sky_write);
}
