/* Reference of examples/mahalanobis, in double precision: d' C^-1 d by Gauss's elimination. */
#include "ref.h"

enum { SAMPLES = 19200, N = 10, TRIANGLE = N * (N + 1) / 2 };

struct samples {
	float *covariance, *difference, *distance;
};

static double distance_at(const struct samples *s, int at)
{
	double c[N][N], d[N], x[N], sum = 0;

	for (int i = 0; i < N; i++) {
		for (int j = 0; j <= i; j++)
			c[i][j] = c[j][i] = s->covariance[(i * (i + 1) / 2 + j) * SAMPLES + at] + (i == j ? 4.0 : 0);
		d[i] = x[i] = s->difference[i * SAMPLES + at];
	}
	for (int k = 0; k < N; k++)
		for (int i = k + 1; i < N; i++) {
			double f = c[i][k] / c[k][k];

			for (int j = k; j < N; j++)
				c[i][j] -= f * c[k][j];
			x[i] -= f * x[k];
		}
	for (int i = N - 1; i >= 0; i--) {
		for (int j = i + 1; j < N; j++)
			x[i] -= c[i][j] * x[j];
		x[i] /= c[i][i];
		sum += x[i] * d[i];
	}
	return sqrt(sum);
}

static void samples_compute(void *state)
{
	struct samples *s = state;

	for (int i = 0; i < SAMPLES; i++)
		s->distance[i] = (float)distance_at(s, i);
}

static void samples_write(void *state, const char *dir)
{
	struct samples *s = state;

	ref_write(dir, "mahalanobis.expect", s->distance, SAMPLES * sizeof *s->distance);
}

int main(int argc, char **argv)
{
	struct samples s = {
		ref_random_f32(TRIANGLE * SAMPLES, 241, -0.5, 0.5),
		ref_random_f32(N * SAMPLES, 242, -3, 3),
		ref_new(float, SAMPLES),
	};

	return ref_main(argc, argv, &s, samples_compute, samples_write);
}
