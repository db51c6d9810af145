/* Products of matrices for lanes.c, in blocks of eight columns, each of which is one or a few vectors. */
#ifndef REGLOOM_LANES_MATRIX_H
#define REGLOOM_LANES_MATRIX_H

enum { BLOCK = 8 };

static void halves(const uint32_t *raw, unsigned n, double *out)
{
	for (unsigned i = 0; i < n; i++)
		out[i] = (double)f32_of_f16(raw[i]);
}

static void product(const double *a, const double *b, double *c, unsigned m, unsigned n, unsigned k)
{
	for (unsigned i = 0; i < m; i++)
		for (unsigned first = 0; first < n; first += BLOCK) {
			double sum[BLOCK];

			for (unsigned j = 0; j < BLOCK; j++)
				sum[j] = c[i * n + first + j];
			for (unsigned s = 0; s < k; s++)
				for (unsigned j = 0; j < BLOCK; j++)
					sum[j] += a[i * k + s] * b[s * n + first + j];
			for (unsigned j = 0; j < BLOCK; j++)
				c[i * n + first + j] = sum[j];
		}
}

static void product_s32(const int32_t *a, const int32_t *b, int32_t *c, unsigned m, unsigned n, unsigned k)
{
	for (unsigned i = 0; i < m; i++)
		for (unsigned first = 0; first < n; first += BLOCK) {
			int32_t sum[BLOCK] = { 0 };

			for (unsigned s = 0; s < k; s++)
				for (unsigned j = 0; j < BLOCK; j++)
					sum[j] += a[i * k + s] * b[s * n + first + j];
			for (unsigned j = 0; j < BLOCK; j++)
				c[i * n + first + j] = sum[j];
		}
}

#endif
