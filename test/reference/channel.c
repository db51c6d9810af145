/* Reference of examples/channel, in double precision. */
#include "ref.h"

enum { WIDTH = 120, ROWS = 60, CELLS = (ROWS + 2) * WIDTH, STEPS = 8, OBSTACLE = 1, DRIVEN = 2 };

struct channel {
	float *flow;
	uint8_t *flags;
	double *f, *g;
};

static const int DX[9] = { 0, 1, -1, 0, 0, 1, -1, 1, -1 }, DY[9] = { 0, 0, 0, 1, -1, 1, 1, -1, -1 };
static const int BACK[9] = { 0, 2, 1, 4, 3, 8, 7, 6, 5 };

static double weight_of(int d)
{
	if (d == 0)
		return 4 / 9.0;
	return d < 5 ? 1 / 9.0 : 1 / 36.0;
}

static void push(struct channel *s, int x, int y)
{
	const double drive = 0.04, omega = 1.2;
	int i = y * WIDTH + x, flag = s->flags[i];
	double rho = 0, ux = 0, uy = 0;

	for (int d = 0; d < 9; d++) {
		rho += s->f[d * CELLS + i];
		ux += DX[d] * s->f[d * CELLS + i];
		uy += DY[d] * s->f[d * CELLS + i];
	}
	ux = flag & DRIVEN ? drive : ux / rho;
	uy = flag & DRIVEN ? drive / 4 : uy / rho;
	for (int d = 0; d < 9; d++) {
		double along = DX[d] * ux + DY[d] * uy, here = s->f[d * CELLS + i];
		double rests = weight_of(d) * rho * (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
		int to = (y + DY[d]) * WIDTH + (x + DX[d] + WIDTH) % WIDTH;

		s->g[d * CELLS + to] = flag & OBSTACLE ? s->f[BACK[d] * CELLS + i] : here + omega * (rests - here);
	}
}

static void channel_compute(void *state)
{
	struct channel *s = state;

	for (int i = 0; i < 9 * CELLS; i++) {
		s->f[i] = weight_of(i / CELLS);
		s->g[i] = 0;
	}
	for (int step = 0; step < STEPS; step++) {
		double *swap = s->f;

		for (int y = 1; y <= ROWS; y++)
			for (int x = 0; x < WIDTH; x++)
				push(s, x, y);
		s->f = s->g;
		s->g = swap;
	}
	for (int y = 0; y < ROWS; y++) {
		double sum = 0;

		for (int x = 0; x < WIDTH; x++)
			for (int d = 0; d < 9; d++)
				sum += DX[d] * s->f[d * CELLS + (y + 1) * WIDTH + x];
		s->flow[y] = (float)sum;
	}
}

static void channel_write(void *state, const char *dir)
{
	struct channel *s = state;

	ref_write(dir, "channel.flags", s->flags, CELLS);
	ref_write(dir, "channel.expect", s->flow, ROWS * sizeof *s->flow);
}

int main(int argc, char **argv)
{
	struct channel s = {
		ref_new(float, ROWS),
		ref_new(uint8_t, CELLS),
		ref_new(double, 9 * CELLS),
		ref_new(double, 9 * CELLS),
	};

	for (int i = 0; i < CELLS; i++) { /* walls, a driven strip, and pillars in two sizes */
		int x = i % WIDTH, y = i / WIDTH - 1;

		if (y <= 0 || y >= ROWS - 1)
			s.flags[i] = OBSTACLE;
		else if (x < 4)
			s.flags[i] = DRIVEN;
		for (int p = 0; p < 6; p++) {
			int dx = x - (18 + 17 * p), dy = y - (p % 2 ? 20 : 40), r = 4 + p % 3;

			if (dx * dx + dy * dy <= r * r)
				s.flags[i] = OBSTACLE;
		}
	}
	return ref_main(argc, argv, &s, channel_compute, channel_write);
}
