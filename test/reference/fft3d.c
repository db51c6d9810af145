/* Reference of examples/fft3d, in double precision: discrete Fourier transforms by their definition, along x, y, z. */
#include "ref.h"

enum { X = 16, Y = 16, Z = 8, POINTS = X * Y * Z, VOLUMES = 120, THREADS = 128 };

struct fft {
	float *real, *imaginary, *pattern_real, *pattern_imaginary, *match;
};

/* n places of x, `stride` apart */
static void transform(double (*x)[2], int n, int stride)
{
	double out[X][2];

	for (int k = 0; k < n; k++) {
		out[k][0] = out[k][1] = 0;
		for (int i = 0; i < n; i++) {
			double c = cos(2 * acos(-1) * (i * k % n) / n), s = -sin(2 * acos(-1) * (i * k % n) / n);

			out[k][0] += x[i * stride][0] * c - x[i * stride][1] * s;
			out[k][1] += x[i * stride][0] * s + x[i * stride][1] * c;
		}
	}
	for (int k = 0; k < n; k++)
		memcpy(x[k * stride], out[k], sizeof out[k]);
}

static void fft_compute(void *state)
{
	struct fft *s = state;

	for (int v = 0; v < VOLUMES; v++) {
		double x[POINTS][2];

		for (int i = 0; i < POINTS; i++) {
			x[i][0] = s->real[v * POINTS + i];
			x[i][1] = s->imaginary[v * POINTS + i];
		}
		for (int i = 0; i < Y * Z; i++)
			transform(x + i * X, X, 1);
		for (int i = 0; i < X * Z; i++)
			transform(x + i / X * X * Y + i % X, Y, X);
		for (int i = 0; i < X * Y; i++)
			transform(x + i, Z, X * Y);
		for (int t = 0; t < THREADS; t++) {
			double sum = 0;

			for (int i = t; i < POINTS; i += THREADS)
				sum += x[i][0] * s->pattern_real[i] - x[i][1] * s->pattern_imaginary[i];
			s->match[v * THREADS + t] = (float)sum;
		}
	}
}

static void fft_write(void *state, const char *dir)
{
	struct fft *s = state;

	ref_write(dir, "fft3d.expect", s->match, VOLUMES * THREADS * sizeof *s->match);
}

int main(int argc, char **argv)
{
	struct fft s = {
		ref_random_f32(VOLUMES * POINTS, 251, -1, 1),
		ref_random_f32(VOLUMES * POINTS, 252, -1, 1),
		ref_random_f32(POINTS, 253, -1, 1),
		ref_random_f32(POINTS, 254, -1, 1),
		ref_new(float, VOLUMES *THREADS),
	};

	return ref_main(argc, argv, &s, fft_compute, fft_write);
}
