/* Kernels of tensor cores: plain matrix products. Sums of integers are exact in double, whatever their order. */
#include "test/cuda/reference/cuda_ref.h"

/* A matrix of any layout: element (i, j) is at[i * row + j * col]. */
struct matrix {
	const double *at;
	int row, col;
};

static double dot(struct matrix a, struct matrix b, int i, int j, int n)
{
	double s = 0;

	for (int k = 0; k < n; k++)
		s += a.at[i * a.row + k * a.col] * b.at[k * b.row + j * b.col];
	return s;
}

/* The buffer of a launch file as doubles, less `bias`. */
static double *integers(size_t n, uint64_t seed, uint32_t high, int bias)
{
	uint32_t *in = below_u32(n, seed, 0, high);
	double *p = ref_new(double, n);

	for (size_t i = 0; i < n; i++)
		p[i] = (double)in[i] - bias;
	free(in);
	return p;
}

static void wmma_f16(const char *dir)
{
	double *a = integers(1024, 1, 20, 8), *b = integers(1024, 2, 12, 5);
	struct matrix ma = { a, 32, 1 }, mb = { b, 1, 32 };
	float c[1024];

	for (int i = 0; i < 1024; i++)
		c[i] = (float)((1.5 + dot(ma, mb, i / 32, i % 32, 32)) / 2);
	ref_write(dir, "wmma_f16.c.want", c, sizeof c);
	free(a);
	free(b);
}

static void wmma_half(const char *dir)
{
	double *s = integers(512, 1, 7, 3);
	struct matrix a = { s, 16, 1 }, b = { s, 8, 1 }, d = { s, 1, 8 }, e = { s, 1, 16 };
	uint16_t tall[256], flat[256];

	for (int i = 0; i < 256; i++) {
		tall[i] = half_near(s[i % 8 * 32 + i / 8] + dot(a, b, i / 8, i % 8, 16));
		flat[i] = half_near(0.25 + dot(d, e, i % 8, i / 8, 16));
	}
	ref_write(dir, "wmma_half.tall.want", tall, sizeof tall);
	ref_write(dir, "wmma_half.flat.want", flat, sizeof flat);
	free(s);
}

static void wmma_bf16(const char *dir)
{
	double *s = integers(512, 1, 200, 100), t[512];
	float *real = ref_random_f32(512, 2, -4, 4), c[256], d[256];
	struct matrix a = { s, 16, 1 }, b = { s + 256, 16, 1 }, ta = { t, 16, 1 }, tb = { t + 256, 1, 16 };

	for (int i = 0; i < 512; i++) /* to 10 bits of fraction, ties away from zero */
		t[i] = f32_of((f32_bits(real[i]) + 0x1000) & 0xffffe000);
	for (int i = 0; i < 256; i++) {
		c[i] = (float)dot(a, b, i / 16, i % 16, 16);
		d[i] = (float)(dot(ta, tb, i / 16, i % 16, 16) - 1);
	}
	ref_write(dir, "wmma_bf16.c.want", c, sizeof c);
	ref_write(dir, "wmma_bf16.d.want", d, sizeof d);
	free(s);
	free(real);
}

static int32_t saturated(double x) { return (int32_t)fmin(fmax(x, INT32_MIN), INT32_MAX); }

static void wmma_s8(const char *dir)
{
	uint32_t *in = full_u32(128, 1);
	double s[512], u[512];
	struct matrix a = { s, 16, 1 }, b = { s + 256, 1, 16 }, ua = { u, 1, 16 }, ub = { u, 32, 1 };
	int32_t c[256], d[256];

	for (int i = 0; i < 512; i++) {
		u[i] = in[i / 4] >> i % 4 * 8 & 255;
		s[i] = u[i] < 128 ? u[i] : u[i] - 256;
	}
	for (int i = 0; i < 256; i++) {
		c[i] = saturated(0x7ffffff0 - 40000 + dot(a, b, i / 16, i % 16, 16));
		d[i] = (int32_t)dot(ua, ub, i / 32, i % 32, 16) - 7;
	}
	ref_write(dir, "wmma_s8.c.want", c, sizeof c);
	ref_write(dir, "wmma_s8.d.want", d, sizeof d);
	free(in);
}

static void wmma_f64(const char *dir)
{
	double *in = random_f64(256, 1, -2, 2), c[64];
	struct matrix a = { in, 16, 1 }, b = { in + 128, 1, 16 };

	for (int i = 0; i < 64; i++)
		c[i] = 3 + dot(a, b, i % 8, i / 8, 16);
	ref_write(dir, "wmma_f64.c.want", c, sizeof c);
	free(in);
}

static void mma_f16(const char *dir)
{
	double *in = integers(384, 1, 19, 0);
	struct matrix a = { in, 16, 1 }, b = { in + 256, 8, 1 };
	float c[128];
	uint16_t d[128];

	for (int i = 0; i < 384; i++)
		in[i] -= i < 256 ? 9 : 6;
	for (int i = 0; i < 128; i++) {
		int row = i / 8, col = i % 8;

		c[i] = (float)(1 + col % 2 + row / 8 * 2 + dot(a, b, row, col, 16));
		d[row % 8 * 16 + row / 8 * 8 + col] = half_near(c[i]);
	}
	ref_write(dir, "mma_f16.c.want", c, sizeof c);
	ref_write(dir, "mma_f16.d.want", d, sizeof d);
	free(in);
}

static void mma_mixed(const char *dir)
{
	static const double start[4] = { 0x7fffff00, -5, 0, 100 };
	double *in = integers(1280, 1, 100, 0), low[1280], wide[64];
	struct matrix a8 = { in, 32, 1 }, b8 = { in + 512, 1, 32 }, a = { in, 8, 1 }, b = { in + 512, 8, 1 },
		      a4 = { in, 4, 1 };
	struct matrix ah = { low + 1024, 8, 1 }, bh = { low + 1152, 8, 1 };
	int32_t bytes[128];
	float tf32[128], bf16[128];
	uint16_t half[128];

	for (int i = 0; i < 1280; i++)
		low[i] = fmod(in[i], 8);
	for (int i = 0; i < 128; i++) {
		int row = i / 8, col = i % 8, place = row / 8 * 2 + col % 2;

		bytes[i] = saturated(start[place] + dot(a8, b8, row, col, 32));
		tf32[i] = (float)(place + dot(a, b, row, col, 8) / 4);
		bf16[i] = (float)dot(a, b, row, col, 8);
		half[i] = half_near(row / 8 + dot(ah, bh, row, col, 8));
		if (row < 8)
			wide[i] = (col % 2 ? -0.5 : 0.5) + dot(a4, b, row, col, 4) / 8;
	}
	ref_write(dir, "mma_mixed.bytes.want", bytes, sizeof bytes);
	ref_write(dir, "mma_mixed.tf32.want", tf32, sizeof tf32);
	ref_write(dir, "mma_mixed.bf16.want", bf16, sizeof bf16);
	ref_write(dir, "mma_mixed.half.want", half, sizeof half);
	ref_write(dir, "mma_mixed.wide.want", wide, sizeof wide);
	free(in);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_tensor[] = { REF(wmma_f16), REF(wmma_half), REF(wmma_bf16), REF(wmma_s8),
					REF(wmma_f64), REF(mma_f16),   REF(mma_mixed), { NULL, NULL } };
