/* Kernels of 16-bit and 8-bit floats. Their sums, products and quotients are exact in double or lose nothing that their
 * own rounding could see, so each result is one rounding of a double, by the definition of the format. */
#include "test/cuda/reference/cuda_ref.h"

enum { N = 128 };
enum mode { NEAR, ZERO, UP, DOWN };

double half_value(uint16_t h)
{
	int e = h >> 10 & 31, f = h & 1023;
	double v;
	if (e == 31)
		v = f ? NAN : INFINITY;
	else
		v = e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);

	return h & 0x8000 ? -v : v;
}

/* |x| in units of the last place at its exponent, rounded; the code of a half is then a sum, carries and all. */
static uint16_t half_round(double x, enum mode mode)
{
	uint16_t sign = signbit(x) ? 0x8000 : 0;
	double m = fabs(x), units, below;
	int e;

	if (isnan(x))
		return 0x7fff;
	if (m == 0)
		return sign;
	if (m >= 65536)
		return sign |
		       (isinf(x) || mode == NEAR || (mode == UP && !sign) || (mode == DOWN && sign) ? 0x7c00 : 0x7bff);
	frexp(m, &e); /* m in [2^(e-1), 2^e) */
	e = e < -13 ? -13 : e;
	units = ldexp(m, 11 - e);
	below = floor(units);
	if (mode == NEAR ? units - below > 0.5 || (units - below == 0.5 && fmod(below, 2) == 1)
			 : units > below && ((mode == UP && !sign) || (mode == DOWN && sign)))
		below++;
	return sign | (uint16_t)(below + (e + 13) * 1024.0);
}

uint16_t half_near(double x) { return half_round(x, NEAR); }

double bf16_value(uint16_t b) { return f32_of((uint32_t)b << 16); }

uint16_t bf16_near(double x)
{
	uint16_t sign = signbit(x) ? 0x8000 : 0, best;
	double m = fabs(x);
	int e;

	if (isnan(x))
		return 0x7fff;
	if (m == 0)
		return sign;
	frexp(m, &e);
	e = e < -125 ? -125 : e;
	m = nearbyint(ldexp(m, 8 - e)); /* the host rounds to nearest even */
	best = (uint16_t)(m + (e + 125) * 128.0);
	return sign | (best > 0x7f80 ? 0x7f80 : best);
}

static uint32_t both(uint16_t lo, uint16_t hi) { return lo | (uint32_t)hi << 16; }

static void half_math(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 14 * N);

	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = in[i], y = in[(i * 3 + 1) % N], *o = out + i;
		uint32_t p = ((x & 0x0fff0fff) + 0x24002400 + (x & 0x10001000)) | (x & 0x80008000);
		uint32_t q = ((y & 0x0fff0fff) + 0x24002400 + (y & 0x10001000)) | (y & 0x80008000);
		uint16_t ah = (uint16_t)p, bh = (uint16_t)q, ch = (uint16_t)(p >> 16), dh = (uint16_t)(q >> 16);
		double a = half_value(ah), b = half_value(bh), c = half_value(ch), d = half_value(dh);
		float f = fmaf((float)a, 1.00077f, (float)b * 0.001953125f);

		o[0] = both(half_near(a + b), half_near(a - b));
		o[N] = both(half_near(a * b), half_near(a * b + c));
		o[2 * N] = both(half_near(a / b), half_near(sqrt(fabs(a))));
		o[3 * N] = both(half_near(a + b), half_near(c + d));
		o[4 * N] = both(half_near(a * b - a), half_near(c * d - c));
		o[5 * N] = both(half_near(fmin(fmax(a * b, 0), 1)), half_near(fmin(fmax(c * d, 0), 1)));
		o[6 * N] = (uint32_t)(a < b) + 2 * (a >= c) + 4 + 8 * (a > b && c > d);
		o[6 * N] |= both(a < b ? 0x3c00 : 0, c < d ? 0x3c00 : 0) << 4;
		o[7 * N] = both(a > b ? ah : bh, a < c ? ah : ch);
		o[8 * N] = both(half_round(f, NEAR), half_round(f, ZERO));
		o[9 * N] = both(half_round(f, UP), half_round(f, DOWN));
		o[10 * N] = (uint32_t)(int32_t)nearbyint(c) + (uint32_t)(int32_t)floor(a) * 1000 + half_near(x % 3000);
		o[11 * N] = both(half_near(floor(a)), half_near(nearbyint(b)));
		o[12 * N] = both(half_near(f), half_near(-f)) ^ both(ch, ah);
		o[13 * N] = f32_bits((float)d - (float)a);
	}
	ref_write(dir, "half_math.out.want", out, 14 * N * sizeof *out);
	free(in);
	free(out);
}

static void bf16_math(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 10 * N);

	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = in[i], y = in[(i * 3 + 1) % N], *o = out + i;
		uint32_t p = ((x & 0x07ff07ff) + 0x3c003c00) | (x & 0x80008000),
			 q = ((y & 0x07ff07ff) + 0x3c003c00) | (y & 0x80008000);
		uint16_t ah = (uint16_t)p, bh = (uint16_t)q, ch = (uint16_t)(p >> 16), dh = (uint16_t)(q >> 16);
		double a = bf16_value(ah), b = bf16_value(bh), c = bf16_value(ch), d = bf16_value(dh);
		float f = fmaf((float)a, 1.0077f, (float)b * 0.015625f);

		o[0] = both(bf16_near(a + b), bf16_near(a - b));
		o[N] = both(bf16_near(a * b), bf16_near(a * b + c));
		o[2 * N] = both(bf16_near(a + b), bf16_near(c + d));
		o[3 * N] = both(bf16_near(a * b + a), bf16_near(c * d + c));
		o[4 * N] = (uint32_t)(a < b) + 2 * (a >= c) + 4 + 8 * (b != c);
		o[5 * N] = both(a > b ? ah : bh, a < c ? ah : ch);
		o[6 * N] = both(bf16_near(f), (uint16_t)(f32_bits(f) >> 16));
		o[7 * N] = both(bf16_near(f), bf16_near(-f)) ^ (q & 0x7fff7fff);
		o[8 * N] = (uint32_t)(int32_t)c + bf16_near(x % 3000) * 1000u;
		o[9 * N] = f32_bits((float)d - (float)a);
	}
	ref_write(dir, "bf16_math.out.want", out, 10 * N * sizeof *out);
	free(in);
	free(out);
}

/* The value of an 8-bit code with `f` bits of fraction; *finite: neither infinity nor NaN. */
static double fp8_value(unsigned code, int f, bool *finite)
{
	int e = (code & 127) >> f, m = code & ((1 << f) - 1), bias = f == 3 ? 7 : 15;
	double v = e ? ldexp((1 << f) + m, e - bias - f) : ldexp(m, 1 - bias - f);

	*finite = f == 3 ? (code & 127) != 127 : e != 31;
	return code & 128 ? -v : v;
}

/* The nearest finite code, an even one of two: a search through all. */
static uint32_t fp8_near(double x, int f)
{
	unsigned best = 0;
	double least = INFINITY;

	for (unsigned code = 0; code < 128; code++) {
		bool finite;
		double off = fabs(fp8_value(code, f, &finite) - fabs(x));

		if (finite && (off < least || (off == least && code % 2 == 0))) {
			least = off;
			best = code;
		}
	}
	return best | (signbit(x) ? 128 : 0);
}

static void fp8_convert(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 2 * N);

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i];
		float f = f32_of(x % 0x09000000 + 0x3b000000) * (x & 0x80000000 ? -1.0f : 1.0f);
		uint16_t h[2];

		out[i] = fp8_near(f, 3) | fp8_near(f, 2) << 8 | fp8_near(f, 3) << 16 | fp8_near(-f * 0.3f, 3) << 24;
		for (int k = 0; k < 2; k++) {
			bool finite;
			double v = fp8_value(x & 255, 3 - k, &finite);

			if (finite)
				h[k] = half_near(v);
			else if (k == 0 || x & 3)
				h[k] = 0x7fff;
			else
				h[k] = x & 128 ? 0xfc00 : 0x7c00;
		}
		out[N + i] = both(h[0], h[1]);
	}
	ref_write(dir, "fp8_convert.out.want", out, 2 * N * sizeof *out);
	free(in);
	free(out);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_half[] = { REF(half_math), REF(bf16_math), REF(fp8_convert), { NULL, NULL } };
