/* Kernels of numeric algorithms. */
#include "test/cuda/reference/cuda_ref.h"

static void spmv(const char *dir)
{
	enum { ROWS = 40 };
	uint32_t *bits = full_u32(800, 1), *e = bits;
	float y[ROWS];

	for (int r = 0; r < ROWS; r++) {
		double sum = 0; /* exact: fifteenths of quarters */

		for (int k = 0; k < r % 13; k++, e++)
			sum += ((int)(*e % 32) - 15) * ((*e >> 8) % 64 * 0.25 - 3);
		y[r] = (float)sum;
	}
	ref_write(dir, "spmv.narrow.want", y, sizeof y);
	ref_write(dir, "spmv.wide.want", y, sizeof y);
	free(bits);
}

static void mandelbrot(const char *dir)
{
	uint8_t out[1024];

	for (int i = 0; i < 1024; i++) {
		float cr = (float)(i % 32) / 16 - 2, ci = (float)(i / 32) / 16 - 1, x = 0, y = 0;
		int n = 0;

		while (n < 60 && x * x + y * y <= 4) {
			float next = x * x - y * y + cr;

			y = fmaf(2 * x, y, ci);
			x = next;
			n++;
		}
		out[i] = (uint8_t)n;
	}
	ref_write(dir, "mandelbrot.out.want", out, sizeof out);
}

static void fft(const char *dir)
{
	const double turn = 2 * acos(-1.0);
	float *in = ref_random_f32(256, 1, -1, 1), out[256];

	for (int i = 0; i < 128; i++) { /* the transform by its definition */
		const float *x = in + i / 64 * 128;
		double re = 0, im = 0;

		for (int k = 0; k < 64; k++) {
			double c = cos(turn * (i % 64 * k % 64) / 64), s = -sin(turn * (i % 64 * k % 64) / 64);

			re += x[2 * k] * c - x[2 * k + 1] * s;
			im += x[2 * k] * s + x[2 * k + 1] * c;
		}
		out[2 * i] = (float)re;
		out[2 * i + 1] = (float)im;
	}
	ref_write(dir, "fft.out.want", out, sizeof out);
	free(in);
}

static float dot(const float *a, const float *b) { return fmaf(a[0], b[0], fmaf(a[1], b[1], a[2] * b[2])); }

static void ray_sphere(const char *dir)
{
	static const float scene[4][4] = { { 0, 0, 10, 3 }, { 2, 1, 7, 1 }, { -3, -1, 12, 4 }, { 0, 8, 9, 5 } };
	float distance[1024];
	uint32_t which[1024];

	for (int i = 0; i < 1024; i++) {
		float d[3] = { ((float)(i % 32) - 15.5f) / 16, ((float)(i / 32) - 15.5f) / 16, 1 },
		      length = sqrtf(dot(d, d));

		for (int k = 0; k < 3; k++)
			d[k] /= length;
		distance[i] = INFINITY;
		which[i] = 9;
		for (uint32_t k = 0; k < 4; k++) {
			const float *s = scene[k];
			float b = dot(d, s), c = fmaf(-s[3], s[3], dot(s, s)), disc = fmaf(b, b, -c),
			      t = disc < 0 ? -1 : b - sqrtf(disc);

			if (t > 0 && t < distance[i]) {
				distance[i] = t;
				which[i] = k;
			}
		}
	}
	ref_write(dir, "ray_sphere.distance.want", distance, sizeof distance);
	ref_write(dir, "ray_sphere.which.want", which, sizeof which);
}

static void kmeans(const char *dir)
{
	uint32_t *bits = full_u32(500, 1);
	int32_t sum[12] = { 0 };
	uint8_t label[500];
	float centre[8];

	for (int i = 0; i < 500; i++) {
		int32_t x = bits[i] % 1024, y = bits[i] / 1024 % 1024;
		double least = INFINITY;

		for (int k = 0; k < 4; k++) { /* squares of halves are exact */
			double dx = x - (100 + 235.0 * k), dy = y - (217.5 + 235 * k), d = dx * dx + dy * dy;

			if (d < least) {
				least = d;
				label[i] = (uint8_t)k;
			}
		}
		sum[3 * label[i]] += x;
		sum[3 * label[i] + 1] += y;
		sum[3 * label[i] + 2]++;
	}
	for (int i = 0; i < 8; i++)
		centre[i] = sum[i / 2 * 3 + 2] ? (float)sum[i / 2 * 3 + i % 2] / (float)sum[i / 2 * 3 + 2]
					       : 100 + 117.5f * (float)i;
	ref_write(dir, "kmeans.label.want", label, sizeof label);
	ref_write(dir, "kmeans.sum.want", sum, sizeof sum);
	ref_write(dir, "kmeans.centre.want", centre, sizeof centre);
	free(bits);
}

static void conv2d(const char *dir)
{
	enum { W = 35, H = 25 };
	static const float row[5] = { 1, 4, 6, 4, 1 };
	float *in = ref_random_f32(W * H, 1, -8, 8), out[W * H];

	for (int i = 0; i < W * H; i++) {
		float sum = 0;

		for (int k = 0; k < 25; k++) {
			int x = i % W + k % 5 - 2, y = i / W + k / 5 - 2;
			float f = k == 12 ? -476 : row[k / 5] * row[k % 5];

			if (x >= 0 && x < W && y >= 0 && y < H)
				sum = fmaf(in[y * W + x], f, sum);
		}
		out[i] = sum / 256;
	}
	ref_write(dir, "conv2d.out.want", out, sizeof out);
	free(in);
}

static void softmax(const char *dir)
{
	float *in = ref_random_f32(512, 1, -6, 6), soft[512], norm[512];

	for (int r = 0; r < 512; r += 128) {
		double sum = 0, mean = 0, square = 0;

		for (int i = r; i < r + 128; i++) {
			sum += exp(in[i]);
			mean += in[i] / 128.0;
		}
		for (int i = r; i < r + 128; i++)
			square += (in[i] - mean) * (in[i] - mean) / 128;
		for (int i = r; i < r + 128; i++) {
			soft[i] = (float)(exp(in[i]) / sum);
			norm[i] = (float)((in[i] - mean) / sqrt(square + 1e-5f) * 1.5 + 0.25);
		}
	}
	ref_write(dir, "softmax.soft.want", soft, sizeof soft);
	ref_write(dir, "softmax.norm.want", norm, sizeof norm);
	free(in);
}

static void big_integers(const char *dir)
{
	uint32_t *in = full_u32(512, 1), out[512];
	uint64_t power[32];

	for (int i = 0; i < 32; i++) {
		const uint32_t *a = in + i * 16, *b = a + 8;
		uint64_t column[33] = { 0 }, carry = 0, m = (uint64_t)a[0] << 32 | a[1] | (uint64_t)1 << 63,
			 x = (uint64_t)b[0] << 32 | b[1];
		uint32_t e = b[2] % 4096;

		for (int j = 0; j < 16; j++) /* in digits of 16 bits, whose columns do not overflow */
			for (int k = 0; k < 16; k++)
				column[j + k] +=
					(uint64_t)(a[j / 2] >> j % 2 * 16 & 0xffff) * (b[k / 2] >> k % 2 * 16 & 0xffff);
		for (int k = 0; k < 16; k++) {
			uint64_t low = column[2 * k] + carry, high = column[2 * k + 1] + (low >> 16);

			out[i * 16 + k] = (uint32_t)((low & 0xffff) | high << 16);
			carry = high >> 16;
		}
		power[i] = 1;
		for (int bit = 11; bit >= 0; bit--) { /* from the top bit down; products by adding and doubling */
			for (int twice = 0; twice < 1 + (int)(e >> bit & 1); twice++) {
				uint64_t f = twice ? x % m : power[i], p = 0;

				for (int k = 63; k >= 0; k--) {
					p = p >= m - p ? p - (m - p) : p + p;
					if (f >> k & 1)
						p = p >= m - power[i] ? p - (m - power[i]) : p + power[i];
				}
				power[i] = p;
			}
		}
	}
	ref_write(dir, "big_integers.out.want", out, sizeof out);
	ref_write(dir, "big_integers.power.want", power, sizeof power);
	free(in);
}

static void random_numbers(const char *dir)
{
	enum { N = 128 };
	uint64_t out[4 * N] = { 0 };

	for (uint32_t i = 0; i < N; i++) {
		uint64_t x = ((uint64_t)(i + 1) << 32) ^ 12345, state = i, c[4] = { i, 0, 12345, 1 },
			 key[2] = { 0xcafe, i * 3 };

		for (int r = 0; r < 20; r++) {
			x ^= x / 4096;
			x ^= x * 33554432;
			x ^= x / 134217728;
			out[i] += x * 0x2545f4914f6cdd1d;
		}
		out[N + i] = out[i];
		for (int r = 0; r < 9; r++) {
			uint64_t w = (state ^ state >> 18) >> 27 & 0xffffffff, turned = (w << 32 | w) >> (state >> 59);

			out[N + i] = out[N + i] * 3 + (turned & 0xffffffff) % 1000;
			state = state * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
		}
		for (int r = 0; r < 10; r++) {
			uint64_t p = 0xd2511f53 * c[0], q = 0xcd9e8d57 * c[2],
				 next[4] = { q >> 32 ^ c[1] ^ key[0], q & 0xffffffff, p >> 32 ^ c[3] ^ key[1],
					     p & 0xffffffff };

			memcpy(c, next, sizeof c);
			key[0] = (key[0] + 0x9e3779b9) & 0xffffffff;
			key[1] = (key[1] + 0xbb67ae85) & 0xffffffff;
		}
		out[2 * N + i] = c[0] << 32 | c[1];
		out[3 * N + i] = c[2] << 32 | c[3];
	}
	ref_write(dir, "random_numbers.out.want", out, sizeof out);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_numeric[] = { REF(spmv),           REF(mandelbrot), REF(fft),     REF(ray_sphere),
					 REF(kmeans),         REF(conv2d),     REF(softmax), REF(big_integers),
					 REF(random_numbers), { NULL, NULL } };
