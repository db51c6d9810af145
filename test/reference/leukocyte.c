/* Reference of examples/leukocyte, in double precision: round cells, darker at the rim, on a noisy ground. */
#include "ref.h"
#include "picture.h"

enum {
	W = 144,
	H = 64,
	CELLS = 15,
	CIRCLES = 3,
	POINTS = 16,
	MARGIN = 8,
	FOUND_W = W - 2 * MARGIN,
	FOUND_H = H - 2 * MARGIN,
	BLOCK_W = 32,
	BLOCK_H = 4,
	BLOCKS = FOUND_W / BLOCK_W * (FOUND_H / BLOCK_H),
	ROWS = 24,
	COLUMNS = 30,
	ROUNDS = 6
};

struct blood {
	uint8_t *frame;
	float *angle;
	int32_t *step, *cell;
	float *best, *mean;
	int32_t *rounds;
};

/* The gradient at a pixel, and 0 at the frame's edge. */
static double slope(const struct blood *s, int x, int y, int dx, int dy)
{
	if (x == 0 || y == 0 || x == W - 1 || y == H - 1)
		return 0;
	return (s->frame[(y + dy) * W + x + dx] - s->frame[(y - dy) * W + x - dx]) * 0.5;
}

static double circle(const struct blood *s, int x, int y, int c)
{
	double sum = 0, squares = 0, mean;

	for (int p = 0; p < POINTS; p++) {
		int px = x + s->step[2 * (c * POINTS + p)], py = y + s->step[2 * (c * POINTS + p) + 1];
		double outward = slope(s, px, py, 1, 0) * s->angle[p] + slope(s, px, py, 0, 1) * s->angle[POINTS + p];

		sum += outward;
		squares += outward * outward;
	}
	mean = sum / POINTS;
	return mean * mean / (squares / POINTS - mean * mean + 1);
}

static void find(struct blood *s)
{
	for (int y = 0; y < FOUND_H; y++)
		for (int x = 0; x < FOUND_W; x++) {
			float *best = &s->best[y / BLOCK_H * (FOUND_W / BLOCK_W) + x / BLOCK_W];

			for (int c = 0; c < CIRCLES; c++)
				*best = (float)fmax(*best, circle(s, x + MARGIN, y + MARGIN, c));
		}
}

static double flow(double difference, double along) { return difference * (0.5 + atan(difference * along) / acos(-1)); }

/* One round over a cell's surroundings; returns the sum of changes. */
static double spread(const double *force, const double *field, double *next, int columns)
{
	double changed = 0;

	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < columns; x++) {
			double here = field[y * columns + x], in = 0;

			for (int dy = -1; dy <= 1; dy++)
				for (int dx = -1; dx <= 1; dx++) {
					int px = x + dx < 0 || x + dx >= columns ? x : x + dx,
					    py = y + dy < 0 || y + dy >= ROWS ? y : y + dy;

					if (dx || dy)
						in += flow(field[py * columns + px] - here, dy - dx);
				}
			in = here + in / 8;
			in -= 0.25 * force[y * columns + x] * (in - force[y * columns + x]);
			next[y * columns + x] = in;
			changed += fabs(in - here);
		}
	return changed;
}

static void track(struct blood *s, int c)
{
	double force[ROWS * COLUMNS], field[ROWS * COLUMNS], next[ROWS * COLUMNS], changed;
	int left = s->cell[3 * c], top = s->cell[3 * c + 1], columns = s->cell[3 * c + 2], pixels = ROWS * columns,
	    round = 0;

	for (int p = 0; p < pixels; p++)
		force[p] = field[p] = s->frame[(top + p / columns) * W + left + p % columns] / 255.0;
	do {
		changed = spread(force, field, next, columns);
		memcpy(field, next, sizeof field);
		round++;
	} while (changed >= 0.005 * pixels && round < ROUNDS);
	s->rounds[c] = round;
	for (int y = 0; y < ROWS; y++) {
		double sum = 0;

		for (int x = 0; x < columns; x++)
			sum += field[y * columns + x];
		s->mean[c * ROWS + y] = (float)(sum / columns);
	}
}

static void blood_compute(void *state)
{
	struct blood *s = state;

	memset(s->best, 0, BLOCKS * sizeof *s->best);
	find(s);
	for (int c = 0; c < CELLS; c++)
		track(s, c);
}

static void blood_write(void *state, const char *dir)
{
	struct blood *s = state;

	ref_write(dir, "leukocyte.frame", s->frame, W * H);
	ref_write(dir, "leukocyte.angle", s->angle, 2 * POINTS * sizeof *s->angle);
	ref_write(dir, "leukocyte.step", s->step, 2 * CIRCLES * POINTS * sizeof *s->step);
	ref_write(dir, "leukocyte.cell", s->cell, 3 * CELLS * sizeof *s->cell);
	ref_write(dir, "leukocyte.expect", s->best, BLOCKS * sizeof *s->best);
	ref_write(dir, "leukocyte.mean.expect", s->mean, CELLS * ROWS * sizeof *s->mean);
	ref_write(dir, "leukocyte.rounds.expect", s->rounds, CELLS * sizeof *s->rounds);
}

int main(int argc, char **argv)
{
	struct blood s = {
		ref_new(uint8_t, W * H),     ref_new(float, 2 * POINTS), ref_new(int32_t, 2 * CIRCLES * POINTS),
		ref_new(int32_t, 3 * CELLS), ref_new(float, BLOCKS),     ref_new(float, CELLS *ROWS),
		ref_new(int32_t, CELLS),
	};

	for (int c = 0; c < CELLS; c++) { /* five in a row, three rows */
		s.cell[3 * c] = c % 5 * 28 + c % 3;
		s.cell[3 * c + 1] = c / 5 * 19 + c % 2;
		s.cell[3 * c + 2] = 22 + c * 7 % 9;
	}
	for (int i = 0; i < W * H; i++) {
		int bright = 90 + picture_at(i % W, i / W) / 4;

		for (int c = 0; c < CELLS; c++) {
			int dx = i % W - s.cell[3 * c] - 13, dy = i / W - s.cell[3 * c + 1] - 11, d = dx * dx + dy * dy,
			    r = 5 + c % 4;

			if (d <= r * r)
				bright += d > (r - 2) * (r - 2) ? -70 : 40;
		}
		s.frame[i] = (uint8_t)bright;
	}
	for (int p = 0; p < POINTS; p++) {
		double turn = 2 * acos(-1) * (p + 0.25) / POINTS;

		s.angle[p] = (float)cos(turn);
		s.angle[POINTS + p] = (float)sin(turn);
		for (int c = 0; c < CIRCLES; c++) {
			s.step[2 * (c * POINTS + p)] = (int32_t)lrint((c + 4) * cos(turn));
			s.step[2 * (c * POINTS + p) + 1] = (int32_t)lrint((c + 4) * sin(turn));
		}
	}
	return ref_main(argc, argv, &s, blood_compute, blood_write);
}
