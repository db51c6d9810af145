/* Reference of examples/montecarlo, in double precision. */
#include "ref.h"

/* paths of a block, each with an antithetic one */
enum { BLOCKS = 150, PATHS = 512, STEPS = 6 };

struct prices {
	uint32_t *seed;
	float *asian, *lookback;
};
struct source {
	uint32_t x, y, z, count;
};

static uint32_t draw(struct source *s)
{
	uint32_t t = s->x ^ s->x << 10;

	s->x = s->y;
	s->y = s->z;
	s->z ^= s->z >> 26 ^ t ^ t >> 5;
	s->count += 362437;
	return s->z + s->count;
}

static double uniform(struct source *s) { return (double)(draw(s) >> 8) * 0x1p-24; }

static void prices_compute(void *state)
{
	struct prices *s = state;

	for (int b = 0; b < BLOCKS; b++) {
		double asian = 0, lookback = 0;

		for (int p = 0; p < PATHS; p++) {
			struct source r = { .x = s->seed[b * PATHS + p] };
			double at[2] = { 0, 0 }, mean[2] = { 0, 0 }, high[2] = { 1, 1 };

			r.y = r.x * 69069 + 1;
			r.z = r.y * 69069 + 1;
			r.count = r.z * 69069 + 1;
			for (int i = 0; i < STEPS; i++) {
				double u = uniform(&r) + 0x1p-25,
				       normal = sqrt(-2 * log(u)) * cos((uniform(&r) - 0.5) * 2 * acos(-1));

				for (int side = 0; side < 2; side++) {
					at[side] += 0.001 + (side ? -0.1 : 0.1) * normal;
					mean[side] += exp2(at[side]) / STEPS;
					high[side] = fmax(high[side], exp2(at[side]));
				}
			}
			for (int side = 0; side < 2; side++) {
				asian += fmax(mean[side] - 1, 0);
				lookback += high[side] - exp2(at[side]);
			}
		}
		s->asian[b] = (float)(asian * 0.97 / (2 * PATHS));
		s->lookback[b] = (float)(lookback * 0.97 / (2 * PATHS));
	}
}

static void prices_write(void *state, const char *dir)
{
	struct prices *s = state;

	ref_write(dir, "montecarlo.expect", s->asian, BLOCKS * sizeof *s->asian);
	ref_write(dir, "montecarlo.lookback.expect", s->lookback, BLOCKS * sizeof *s->lookback);
}

int main(int argc, char **argv)
{
	struct prices s = { ref_new(uint32_t, BLOCKS * PATHS), ref_new(float, BLOCKS), ref_new(float, BLOCKS) };
	uint64_t fill = 231;

	for (int i = 0; i < BLOCKS * PATHS; i++)
		s.seed[i] = 1 + rng_below(&fill, 0x7ffffffe);
	return ref_main(argc, argv, &s, prices_compute, prices_write);
}
