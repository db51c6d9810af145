/* Reference of examples/heartwall, in double precision: a picture of which each point's surroundings move their own
 * way. */
#include "ref.h"
#include "picture.h"

enum { W = 320, H = 224, POINTS = 120, ACROSS = 12, SIZE = 8, WIDE = 32, HIGH = 24, APART = 24 };

struct wall {
	uint8_t *before, *now;
	int16_t *point, *moved;
	float *likeness;
};

static double likeness_at(const struct wall *s, int px, int py, int x0, int y0)
{
	double n = SIZE * SIZE, a = 0, b = 0, aa = 0, bb = 0, ab = 0, spread;

	for (int i = 0; i < SIZE * SIZE; i++) {
		double p = s->before[(py + i / SIZE) * W + px + i % SIZE],
		       q = s->now[(y0 + i / SIZE) * W + x0 + i % SIZE];

		a += p;
		b += q;
		aa += p * p;
		bb += q * q;
		ab += p * q;
	}
	spread = (n * aa - a * a) * (n * bb - b * b);
	return (n * ab - a * b) / sqrt(fmax(spread, 1));
}

static void wall_compute(void *state)
{
	struct wall *s = state;

	for (int k = 0; k < POINTS; k++) {
		int px = s->point[2 * k], py = s->point[2 * k + 1];
		double best = -2;

		for (int i = 0; i < WIDE * HIGH; i++) {
			int x = px - WIDE / 2 + i % WIDE, y = py - HIGH / 2 + i / WIDE;
			double like = likeness_at(s, px, py, x, y);

			if (like > best) {
				best = like;
				s->moved[2 * k] = (int16_t)x;
				s->moved[2 * k + 1] = (int16_t)y;
			}
		}
		s->likeness[k] = (float)best;
	}
}

static void wall_write(void *state, const char *dir)
{
	struct wall *s = state;

	ref_write(dir, "heartwall.before", s->before, W * H);
	ref_write(dir, "heartwall.now", s->now, W * H);
	ref_write(dir, "heartwall.point", s->point, 2 * POINTS * sizeof *s->point);
	ref_write(dir, "heartwall.expect", s->moved, 2 * POINTS * sizeof *s->moved);
	ref_write(dir, "heartwall.likeness.expect", s->likeness, POINTS * sizeof *s->likeness);
}

int main(int argc, char **argv)
{
	struct wall s = {
		ref_new(uint8_t, W * H),      ref_new(uint8_t, W * H), ref_new(int16_t, 2 * POINTS),
		ref_new(int16_t, 2 * POINTS), ref_new(float, POINTS),
	};
	uint64_t seed = 301;

	for (int i = 0; i < W * H; i++) {
		int x = i % W, y = i / W, dx = 5 - x / 40, dy = y / 32 - 3;

		s.before[i] = picture_at(x, y);
		s.now[i] = (uint8_t)(picture_at(x + dx, y + dy) + (int)rng_below(&seed, 6));
	}
	for (int k = 0; k < POINTS; k++) {
		s.point[2 * k] = (int16_t)(WIDE / 2 + k % ACROSS * APART);
		s.point[2 * k + 1] = (int16_t)(HIGH / 2 + k / ACROSS * (APART - 3));
	}
	return ref_main(argc, argv, &s, wall_compute, wall_write);
}
