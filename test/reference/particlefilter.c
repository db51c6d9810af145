/* Reference of examples/particlefilter: a bright disc that moves over a noisy ground, two frames. */
#include "ref.h"

enum {
	W = 128,
	H = 96,
	FRAMES = 2,
	PARTICLES = 120 * 192,
	FINE = 16,
	RADIUS = 3,
	LEVELS = 256,
	START_X = 40,
	START_Y = 50
};

static const int half_width[RADIUS + 1] = { 3, 3, 2, 1 };

struct filter {
	uint8_t *frame;
	uint32_t *table, *seed, *weight, *until;
	int16_t *x, *y, *new_x, *new_y;
};

static int clamp(int a, int low, int high)
{
	if (a < low)
		return low;
	return a > high ? high : a;
}

static int draw_normal(uint32_t *seed)
{
	int sum = 0;

	for (int i = 0; i < 8; i++) {
		*seed = *seed * 1664525u + 1013904223u;
		sum += (int)(*seed >> 24);
	}
	return sum - 4 * 255;
}

static uint32_t weight_at(const struct filter *s, const uint8_t *frame, int x, int y)
{
	int sum = 0, n = 0;

	for (int v = -RADIUS; v <= RADIUS; v++)
		for (int u = -half_width[abs(v)]; u <= half_width[abs(v)]; u++, n++) {
			int p = frame[(y + v) * W + x + u];

			sum += (p - 100) * (p - 100) - (p - 228) * (p - 228);
		}
	return s->table[clamp(sum / (128 * n) + LEVELS / 2, 0, LEVELS - 1)];
}

static void filter_compute(void *state)
{
	struct filter *s = state;
	uint64_t fill = 221;

	for (int i = 0; i < PARTICLES; i++) {
		s->seed[i] = rng_below(&fill, 0x7fffffff);
		s->x[i] = START_X * FINE;
		s->y[i] = START_Y * FINE;
	}
	for (int f = 0; f < FRAMES; f++) {
		for (int i = 0; i < PARTICLES; i++) {
			int x = s->x[i] + FINE + draw_normal(&s->seed[i]) / FINE,
			    y = s->y[i] - FINE / 2 + draw_normal(&s->seed[i]) / FINE;

			s->x[i] = (int16_t)clamp(x, RADIUS * FINE, (W - RADIUS) * FINE - 1);
			s->y[i] = (int16_t)clamp(y, RADIUS * FINE, (H - RADIUS) * FINE - 1);
			s->weight[i] = weight_at(s, s->frame + f * W * H, s->x[i] / FINE, s->y[i] / FINE);
			s->until[i] = s->weight[i] + (i ? s->until[i - 1] : 0);
		}
		for (int i = 0, from = 0; i < PARTICLES; i++) {
			uint32_t step = s->until[PARTICLES - 1] / PARTICLES;

			while (from < PARTICLES - 1 && s->until[from] <= (uint32_t)i * step + step / 2)
				from++;
			s->new_x[i] = s->x[from];
			s->new_y[i] = s->y[from];
		}
		memcpy(s->x, s->new_x, PARTICLES * sizeof *s->x);
		memcpy(s->y, s->new_y, PARTICLES * sizeof *s->y);
	}
}

static void filter_write(void *state, const char *dir)
{
	struct filter *s = state;

	ref_write(dir, "particlefilter.frames", s->frame, FRAMES * W * H);
	ref_write(dir, "particlefilter.table", s->table, LEVELS * sizeof *s->table);
	ref_write(dir, "particlefilter.x.expect", s->x, PARTICLES * sizeof *s->x);
	ref_write(dir, "particlefilter.y.expect", s->y, PARTICLES * sizeof *s->y);
}

int main(int argc, char **argv)
{
	struct filter s = {
		ref_new(uint8_t, FRAMES * W * H), ref_new(uint32_t, LEVELS),    ref_new(uint32_t, PARTICLES),
		ref_new(uint32_t, PARTICLES),     ref_new(uint32_t, PARTICLES), ref_new(int16_t, PARTICLES),
		ref_new(int16_t, PARTICLES),      ref_new(int16_t, PARTICLES),  ref_new(int16_t, PARTICLES),
	};
	uint64_t seed = 222;

	for (int f = 0; f < FRAMES; f++)
		for (int i = 0; i < W * H; i++) {
			int x = i % W - START_X - 2 * (f + 1), y = i / W - START_Y + f + 1;

			s.frame[f * W * H + i] =
				(uint8_t)((x * x + y * y <= 10 ? 208 : 80) + (int)rng_below(&seed, 40));
		}
	for (int i = 0; i < LEVELS; i++) /* about exp, in integers */
		s.table[i] = (uint32_t)(i * i / 64 * (i / 8)) + 1;
	return ref_main(argc, argv, &s, filter_compute, filter_write);
}
