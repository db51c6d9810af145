/* Reference of examples/sad: two frames of a picture that moves, its left half otherwise than its right one. */
#include "ref.h"
#include "picture.h"

enum { W = 64, H = 32, SIDE = 8, RANGE = 16, BLOCKS = W / SIDE * (H / SIDE) };

struct sad {
	uint8_t *now, *before;
	uint16_t *sums, *least;
	int8_t *vector;
};

static uint16_t sad_at(const struct sad *s, int x0, int y0, int dx, int dy)
{
	int sum = 0;

	for (int y = y0; y < y0 + SIDE; y++)
		for (int x = x0; x < x0 + SIDE; x++)
			sum += abs(s->now[y * W + x] -
				   s->before[ref_clamp(y + dy, H - 1) * W + ref_clamp(x + dx, W - 1)]);
	return (uint16_t)sum;
}

static void sad_compute(void *state)
{
	struct sad *s = state;

	for (int b = 0; b < BLOCKS; b++) {
		s->least[b] = UINT16_MAX;
		for (int d = 0; d < RANGE * RANGE; d++) {
			int dx = d % RANGE - RANGE / 2, dy = d / RANGE - RANGE / 2;
			uint16_t sum = sad_at(s, b % (W / SIDE) * SIDE, b / (W / SIDE) * SIDE, dx, dy);

			s->sums[b * RANGE * RANGE + d] = sum;
			if (sum < s->least[b]) {
				s->least[b] = sum;
				s->vector[2 * b] = (int8_t)dx;
				s->vector[2 * b + 1] = (int8_t)dy;
			}
		}
	}
}

static void sad_write(void *state, const char *dir)
{
	struct sad *s = state;

	ref_write(dir, "sad.now", s->now, W * H);
	ref_write(dir, "sad.before", s->before, W * H);
	ref_write(dir, "sad.expect", s->sums, BLOCKS * RANGE * RANGE * sizeof *s->sums);
	ref_write(dir, "sad.least.expect", s->least, BLOCKS * sizeof *s->least);
	ref_write(dir, "sad.vector.expect", s->vector, 2 * BLOCKS);
}

int main(int argc, char **argv)
{
	struct sad s = {
		ref_new(uint8_t, W * H),   ref_new(uint8_t, W * H),     ref_new(uint16_t, BLOCKS * RANGE * RANGE),
		ref_new(uint16_t, BLOCKS), ref_new(int8_t, 2 * BLOCKS),
	};
	uint64_t seed = 31;

	for (int i = 0; i < W * H; i++) {
		int x = i % W, y = i / W;

		s.before[i] = picture_at(x, y);
		s.now[i] = (uint8_t)((x < W / 2 ? picture_at(x + 3, y - 2) : picture_at(x - 5, y + 1)) +
				     (int)rng_below(&seed, 4));
	}
	return ref_main(argc, argv, &s, sad_compute, sad_write);
}
