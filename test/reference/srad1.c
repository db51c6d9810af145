/* Reference of examples/srad1, in double precision. */
#include "ref.h"
#include "picture.h"

enum { ROWS = 80, COLUMNS = 72, N = ROWS * COLUMNS, STEPS = 3 };

struct srad {
	uint8_t *picture;
	float *out;
	double *image, *coefficient;
};

/* The picture where its edge repeats. */
static double pixel(const double *image, int row, int column)
{
	if (row < 0)
		row = 0;
	else
		row = row >= ROWS ? ROWS - 1 : row;
	if (column < 0)
		column = 0;
	else
		column = column >= COLUMNS ? COLUMNS - 1 : column;
	return image[column * ROWS + row];
}

static void step(struct srad *s)
{
	double sum = 0, square = 0, mean, q0, next[N];

	for (int i = 0; i < N; i++) {
		sum += s->image[i];
		square += s->image[i] * s->image[i];
	}
	mean = sum / N;
	q0 = (square / N - mean * mean) / (mean * mean);
	for (int i = 0; i < N; i++) {
		int row = i % ROWS, column = i / ROWS;
		double here = s->image[i], dn = pixel(s->image, row - 1, column) - here,
		       ds = pixel(s->image, row + 1, column) - here;
		double dw = pixel(s->image, row, column - 1) - here, de = pixel(s->image, row, column + 1) - here;
		double slope = (dn * dn + ds * ds + dw * dw + de * de) / (here * here),
		       curve = (dn + ds + dw + de) / here;
		double bent = 1 + curve / 4, q = (slope / 2 - curve * curve / 16) / (bent * bent);

		s->coefficient[i] = fmin(fmax(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0), 1);
	}
	for (int i = 0; i < N; i++) {
		int row = i % ROWS, column = i / ROWS;
		double here = s->image[i], c = s->coefficient[i];
		double flow =
			c * (pixel(s->image, row - 1, column) - here) + c * (pixel(s->image, row, column - 1) - here);

		flow += pixel(s->coefficient, row + 1, column) * (pixel(s->image, row + 1, column) - here);
		flow += pixel(s->coefficient, row, column + 1) * (pixel(s->image, row, column + 1) - here);
		next[i] = here + 0.25 * 0.5 * flow;
	}
	memcpy(s->image, next, sizeof next);
}

static void srad_compute(void *state)
{
	struct srad *s = state;

	for (int i = 0; i < N; i++)
		s->image[i] = exp(s->picture[i] / 255.0);
	for (int i = 0; i < STEPS; i++)
		step(s);
	for (int i = 0; i < N; i++)
		s->out[i] = (float)(log(s->image[i]) * 255);
}

/* For each row or column the one before it or behind it, at the edge itself. */
static void write_neighbours(const char *dir, const char *name, int n, int by)
{
	int32_t at[ROWS];

	for (int i = 0; i < n; i++)
		at[i] = i + by < 0 || i + by >= n ? i : i + by;
	ref_write(dir, name, at, (size_t)n * sizeof *at);
}

static void srad_write(void *state, const char *dir)
{
	struct srad *s = state;

	ref_write(dir, "srad1.picture", s->picture, N);
	write_neighbours(dir, "srad1.up", ROWS, -1);
	write_neighbours(dir, "srad1.down", ROWS, 1);
	write_neighbours(dir, "srad1.left", COLUMNS, -1);
	write_neighbours(dir, "srad1.right", COLUMNS, 1);
	ref_write(dir, "srad1.expect", s->out, N * sizeof *s->out);
}

int main(int argc, char **argv)
{
	struct srad s = { ref_new(uint8_t, N), ref_new(float, N), ref_new(double, N), ref_new(double, N) };
	uint64_t seed = 421;

	for (int i = 0; i < N; i++) {
		int bright = picture_at(i / ROWS, i % ROWS);

		s.picture[i] = (uint8_t)(bright * (int)(70 + rng_below(&seed, 30)) / 100 + 20);
	}
	return ref_main(argc, argv, &s, srad_compute, srad_write);
}
