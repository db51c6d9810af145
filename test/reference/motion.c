/* Reference of examples/motion: two frames of a picture whose quarters move differently. */
#include "ref.h"
#include "picture.h"

enum { W = 256, H = 80, SIDE = 4, RANGE = 16, BLOCKS = W / SIDE * (H / SIDE) };

struct motion {
	uint8_t *now, *before;
	uint16_t *least;
	int8_t *vector;
};

static int sad_at(const struct motion *s, int x0, int y0, int dx, int dy)
{
	int sum = 0;

	for (int y = y0; y < y0 + SIDE; y++)
		for (int x = x0; x < x0 + SIDE; x++)
			sum += abs(s->now[y * W + x] -
				   s->before[ref_clamp(y + dy, H - 1) * W + ref_clamp(x + dx, W - 1)]);
	return sum;
}

static void motion_compute(void *state)
{
	struct motion *s = state;

	for (int b = 0; b < BLOCKS; b++) {
		s->least[b] = UINT16_MAX;
		for (int d = 0; d < RANGE * RANGE; d++) {
			int dx = d % RANGE - RANGE / 2, dy = d / RANGE - RANGE / 2;
			int sum = sad_at(s, b % (W / SIDE) * SIDE, b / (W / SIDE) * SIDE, dx, dy);

			if (sum < s->least[b]) {
				s->least[b] = (uint16_t)sum;
				s->vector[2 * b] = (int8_t)dx;
				s->vector[2 * b + 1] = (int8_t)dy;
			}
		}
	}
}

static void motion_write(void *state, const char *dir)
{
	struct motion *s = state;

	ref_write(dir, "motion.now", s->now, W * H);
	ref_write(dir, "motion.before", s->before, W * H);
	ref_write(dir, "motion.expect", s->least, BLOCKS * sizeof *s->least);
	ref_write(dir, "motion.vector.expect", s->vector, 2 * BLOCKS);
}

int main(int argc, char **argv)
{
	struct motion s = { ref_new(uint8_t, W * H), ref_new(uint8_t, W * H), ref_new(uint16_t, BLOCKS),
			    ref_new(int8_t, 2 * BLOCKS) };
	uint64_t seed = 261;

	for (int i = 0; i < W * H; i++) {
		int x = i % W, y = i / W, dx = x < W / 2 ? 3 : -6, dy = y < H / 2 ? -2 : 5;

		s.before[i] = picture_at(x, y);
		s.now[i] = (uint8_t)(picture_at(x + dx, y + dy) + (int)rng_below(&seed, 4));
	}
	return ref_main(argc, argv, &s, motion_compute, motion_write);
}
