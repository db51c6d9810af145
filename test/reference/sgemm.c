/* Reference of examples/sgemm: rows times columns, with the inner loops ordered for the cache. */
#include "ref.h"

enum { M = 128, N = 128, K = 256 };

struct sgemm {
	float *a, *b, *c, *out, *sum;
	float alpha, beta;
};

static void sgemm_compute(void *state)
{
	struct sgemm *s = state;

	for (int i = 0; i < M; i++) {
		memset(s->sum, 0, N * sizeof *s->sum);
		for (int k = 0; k < K; k++)
			for (int j = 0; j < N; j++)
				s->sum[j] += s->a[i * K + k] * s->b[k * N + j];
		for (int j = 0; j < N; j++)
			s->out[i * N + j] = s->alpha * s->sum[j] + s->beta * s->c[i * N + j];
	}
}

static void sgemm_write(void *state, const char *dir)
{
	ref_write(dir, "sgemm.expect", ((struct sgemm *)state)->out, M * N * sizeof(float));
}

int main(int argc, char **argv)
{
	struct sgemm s = {
		ref_random_f32(M * K, 1, -1, 1),
		ref_random_f32(K * N, 2, -1, 1),
		ref_random_f32(M * N, 3, -1, 1),
		ref_new(float, M *N),
		ref_new(float, N),
		1.5f,
		0.5f,
	};

	return ref_main(argc, argv, &s, sgemm_compute, sgemm_write);
}
