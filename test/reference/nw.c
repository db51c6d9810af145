/* Reference of examples/nw. The second sequence of a pair is the first with letters changed, dropped and put in. */
#include "ref.h"

enum { N = 96, PAIRS = 4, LETTERS = 4, STRIDE = N + 1, GAP = -6 };

struct nw {
	uint8_t *a, *b, *step;
	int16_t *score;
	uint16_t *steps;
};

/* Equal letters are good; A for G and C for T, the common mutations, are less bad than others. */
static const int8_t alike[LETTERS * LETTERS] = {
	5, -4, -2, -4, -4, 5, -4, -2, -2, -4, 5, -4, -4, -2, -4, 5,
};

static int most(int a, int b) { return a > b ? a : b; }

static void nw_pair(const uint8_t *a, const uint8_t *b, int16_t *score, uint8_t *step, uint16_t *steps)
{
	*steps = 0;
	memset(step, 0, 2 * N);
	for (int i = 0; i <= N; i++)
		score[i] = score[i * STRIDE] = (int16_t)(i * GAP);
	for (int y = 1; y <= N; y++)
		for (int x = 1; x <= N; x++) {
			int16_t *here = score + y * STRIDE + x;

			*here = (int16_t)most(here[-STRIDE - 1] + alike[a[y - 1] * LETTERS + b[x - 1]],
					      most(here[-STRIDE], here[-1]) + GAP);
		}
	for (int x = N, y = N; x || y;) {
		const int16_t *here = score + y * STRIDE + x;
		uint8_t what = 2;

		if (x && y && *here == here[-STRIDE - 1] + alike[a[y - 1] * LETTERS + b[x - 1]])
			what = 0;
		else if (y && *here == here[-STRIDE] + GAP)
			what = 1;
		y -= what != 2;
		x -= what != 1;
		step[(*steps)++] = what;
	}
}

static void nw_compute(void *state)
{
	struct nw *s = state;

	for (int p = 0; p < PAIRS; p++)
		nw_pair(s->a + p * N, s->b + p * N, s->score + p * STRIDE * STRIDE, s->step + p * 2 * N, s->steps + p);
}

static void nw_write(void *state, const char *dir)
{
	struct nw *s = state;

	ref_write(dir, "nw.a", s->a, PAIRS * N);
	ref_write(dir, "nw.b", s->b, PAIRS * N);
	ref_write(dir, "nw.alike", alike, sizeof alike);
	ref_write(dir, "nw.expect", s->score, PAIRS * STRIDE * STRIDE * sizeof *s->score);
	ref_write(dir, "nw.step.expect", s->step, PAIRS * 2 * N);
	ref_write(dir, "nw.steps.expect", s->steps, PAIRS * sizeof *s->steps);
}

int main(int argc, char **argv)
{
	struct nw s = {
		ref_random_u8(PAIRS * N, 81, 0, LETTERS),  ref_new(uint8_t, PAIRS * N), ref_new(uint8_t, PAIRS * 2 * N),
		ref_new(int16_t, PAIRS * STRIDE * STRIDE), ref_new(uint16_t, PAIRS),
	};
	uint64_t seed = 82;

	for (int p = 0; p < PAIRS; p++)
		for (uint32_t to = 0, from = 0; to < N; to++) {
			uint32_t chance = rng_below(&seed, 32);
			bool other = chance < 4 || from >= N; /* changed or put in */

			from += chance == 4; /* dropped */
			s.b[p * N + (int)to] =
				other || from >= N ? (uint8_t)rng_below(&seed, LETTERS) : s.a[p * N + (int)from];
			from += chance != 0;
		}
	return ref_main(argc, argv, &s, nw_compute, nw_write);
}
