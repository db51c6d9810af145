/* Kernels of single and double precision. The host's own arithmetic is IEEE 754; directed rounding is its rounding
 * mode. */
#include "test/cuda/reference/cuda_ref.h"

#include <fenv.h>

enum { N = 128 };
/* Compilers know nothing of rounding modes: this keeps what computes x, or uses it, on its side of fesetround(). */
#define KEEP(x) __asm__ volatile("" : "+m"(x) : : "memory")

enum { ADD, SUB, MUL, DIV, FMA, ROOT, RECIP };

static float calc(int what, int mode, float a, float b, float c)
{
	float r = 0;

	fesetround(mode);
	KEEP(a);
	KEEP(b);
	KEEP(c);
	switch (what) {
	case ADD:
		r = a + b;
		break;
	case SUB:
		r = a - b;
		break;
	case MUL:
		r = a * b;
		break;
	case DIV:
		r = a / b;
		break;
	case FMA:
		r = fmaf(a, b, c);
		break;
	case ROOT:
		r = sqrtf(a);
		break;
	case RECIP:
		r = 1.0f / a;
		break;
	}
	KEEP(r);
	fesetround(FE_TONEAREST);
	return r;
}

static double calc_wide(int what, int mode, double a, double b, double c)
{
	double r = 0;

	fesetround(mode);
	KEEP(a);
	KEEP(b);
	KEEP(c);
	switch (what) {
	case ADD:
		r = a + b;
		break;
	case SUB:
		r = a - b;
		break;
	case MUL:
		r = a * b;
		break;
	case DIV:
		r = a / b;
		break;
	case FMA:
		r = fma(a, b, c);
		break;
	case ROOT:
		r = sqrt(a);
		break;
	case RECIP:
		r = 1.0 / a;
		break;
	}
	KEEP(r);
	fesetround(FE_TONEAREST);
	return r;
}

static uint32_t result(float x) { return isnan(x) ? 0x7fffffff : f32_bits(x); }

enum { RN = FE_TONEAREST, RZ = FE_TOWARDZERO, RU = FE_UPWARD, RD = FE_DOWNWARD };

static void float_exact(const char *dir)
{
	uint32_t *in = full_u32(3 * N, 1), *out = ref_new(uint32_t, 28 * N);

	for (int i = 0; i < N; i++) {
		float a = f32_of(in[i] % 0x04000000 + 0x3e000000), b = f32_of(in[N + i] % 0x04000000 + 0x3e000000);
		float c = f32_of((in[2 * N + i] % 0x02000000 + 0x3f000000) | (in[i] & 0x80000000)), w = f32_of(in[i]),
		      v = f32_of(in[N + i]);
		float r[24] = { calc(ADD, RN, a, c, 0),   calc(ADD, RZ, a, c, 0),  calc(ADD, RU, a, c, 0),
				calc(ADD, RD, a, c, 0),   calc(SUB, RN, a, c, 0),  calc(MUL, RN, a, b, 0),
				calc(MUL, RZ, a, b, 0),   calc(MUL, RU, a, c, 0),  calc(MUL, RD, a, c, 0),
				calc(FMA, RN, a, b, c),   calc(FMA, RZ, a, b, c),  calc(FMA, RU, a, c, b),
				calc(FMA, RD, a, c, b),   calc(DIV, RN, a, c, 0),  calc(DIV, RZ, a, c, 0),
				calc(DIV, RU, a, c, 0),   calc(DIV, RD, a, c, 0),  calc(ROOT, RN, a, 0, 0),
				calc(ROOT, RZ, a, 0, 0),  calc(ROOT, RU, b, 0, 0), calc(RECIP, RN, c, 0, 0),
				calc(RECIP, RD, c, 0, 0), calc(DIV, RN, w, c, 0),  calc(ROOT, RN, b, 0, 0) };

		const float less = w < v || isnan(v) ? w : v;

		for (int k = 0; k < 24; k++)
			out[k * N + i] = result(r[k]);

		out[24 * N + i] = result(isnan(w) ? v : less);
		out[25 * N + i] = result(w > c ? w : c);
		out[26 * N + i] = ((f32_bits(a) & 0x7fffffff) | (in[N + i] & 0x80000000)) ^ (f32_bits(c) & 0x7fffffff);
		out[27 * N + i] = (isnan(w) ? 1u : 0) + (isinf(w) ? 2 : 0) + (in[i] >> 31) * 4 + (isfinite(v) ? 8 : 0) +
				  (w < v ? 16 : 0) + (w >= v ? 32 : 0) + (w != v ? 64 : 0) + (!(w > v) ? 128 : 0);
	}
	ref_write(dir, "float_exact.out.want", out, 28 * N * sizeof *out);
	free(in);
	free(out);
}

static void rounding(const char *dir)
{
	float *in = ref_random_f32(N, 1, -1000, 1000), *out = ref_new(float, 12 * N);
	double *wide = ref_new(double, 6 * N);

	for (int i = 0; i < N; i++) {
		float x = in[i], y = in[(i + 17) % N] * 0.37f, *o = out + i;
		double u = (double)x * 1048577.5, v = y, *d = wide + i;
		int64_t whole = (int64_t)x, below = whole - (x < (float)whole);
		int e;

		o[0] = (float)below;
		o[N] = (float)(below + (x > (float)below));
		o[2 * N] = (float)whole;
		o[3 * N] = nearbyintf(x);
		o[4 * N] = (float)(below + (below >= 0)); /* ties go away from zero */
		o[5 * N] = fmodf(x, y);
		o[6 * N] = remainderf(x, y);
		o[7 * N] = (float)((double)x * pow(2, i % 40 - 20));
		o[8 * N] = frexpf(x, &e);
		o[8 * N] += (float)e;
		o[9 * N] = (x - (float)whole) * 0.5f;
		o[9 * N] += (float)whole;
		o[10 * N] = nextafterf(x, y);
		frexpf(x, &e);
		o[11 * N] = (float)(e - 1);
		frexpf(y, &e);
		o[11 * N] += (float)(e - 1);
		d[0] = floor(u) + ceil(v);
		d[N] = nearbyint(u) - trunc(v);
		d[2 * N] = fmod(u, v);
		d[3 * N] = round(u);
		d[4 * N] = v * pow(2, i % 90 - 45);
		d[5 * N] = remainder(u, v);
	}
	ref_write(dir, "rounding.out.want", out, 12 * N * sizeof *out);
	ref_write(dir, "rounding.wide.want", wide, 6 * N * sizeof *wide);
	free(in);
	free(out);
	free(wide);
}

/* x rounded in a mode and clamped to [low, high]; those are exact in long double. */
static long double to_integer(int mode, double x, long double low, long double high)
{
	double r;

	fesetround(mode);
	KEEP(x);
	r = nearbyint(x);
	KEEP(r);
	fesetround(RN);
	if (r <= low)
		return low;
	return r >= high ? high : r;
}

static uint32_t to_s32(int mode, double x)
{
	return isnan(x) ? 0 : (uint32_t)(int32_t)to_integer(mode, x, INT32_MIN, INT32_MAX);
}
static uint32_t to_u32(int mode, double x) { return isnan(x) ? 0 : (uint32_t)to_integer(mode, x, 0, UINT32_MAX); }
static uint64_t to_s64(int mode, double x)
{
	return isnan(x) ? (uint64_t)1 << 63
			: (uint64_t)(int64_t)to_integer(mode, x, (long double)INT64_MIN, (long double)INT64_MAX);
}
static uint64_t to_u64(int mode, double x)
{
	return isnan(x) ? (uint64_t)1 << 63 : (uint64_t)to_integer(mode, x, 0, (long double)UINT64_MAX);
}

/* Integers of 64 bits and doubles are exact in the x87's long double, from which one rounding leads to either type. */
static uint32_t to_f32(int mode, long double x)
{
	float r;

	fesetround(mode);
	KEEP(x);
	r = (float)x;
	KEEP(r);
	fesetround(RN);
	return f32_bits(r);
}

static uint64_t to_f64(int mode, long double x)
{
	double r;

	fesetround(mode);
	KEEP(x);
	r = (double)x;
	KEEP(r);
	fesetround(RN);
	return f64_bits(r);
}

static void conversions(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 12 * N);
	uint64_t *wide = ref_new(uint64_t, 5 * N);

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i], *o = out + i;
		float f = f32_of(x % 0x14000000 + 0x3d800000) * (x & 0x80000000 ? -1.0f : 1.0f), w = f32_of(x);
		double d = (double)f * 1.0000001;
		int64_t s = (int64_t)x * (int32_t)in[(i + 1) % N];
		uint64_t *q = wide + i, db = f64_bits(d);
		float quarter = f * 0.25f;

		o[0] = to_s32(RN, f) ^ to_s32(RZ, w) * 3;
		o[N] = to_s32(RU, f) + to_s32(RD, f) * 5;
		o[2 * N] = to_u32(RN, f) + to_u32(RZ, w) * 3;
		o[3 * N] = to_f32(RN, (int32_t)x) ^ to_f32(RZ, (int32_t)x);
		o[4 * N] = to_f32(RU, x) ^ to_f32(RD, x);
		o[5 * N] = to_f32(RN, s) ^ to_f32(RZ, (uint64_t)s);
		o[6 * N] = to_f32(RN, d) + to_f32(RZ, d) + to_f32(RU, d);
		o[7 * N] = to_s32(RN, d) ^ to_u32(RD, d);
		o[8 * N] = (uint32_t)(int8_t)x + (x >> 3 & 0xffff) * 7 + (uint32_t)(int16_t)(x >> 9);
		o[9 * N] = ((uint32_t)(fabsf(f) * 0.001f) & 255) + (uint32_t)(int16_t)(int32_t)(f * 0.01f);
		quarter = quarter > 0 ? quarter : 0;
		o[10 * N] = f32_bits(quarter > 1 ? 1 : quarter) + f32_bits((float)(int8_t)(x >> 8)) +
			    f32_bits((float)(x & 0xffff));
		o[11 * N] = (uint32_t)(db >> 32) ^ (uint32_t)db;
		q[0] = to_s64(RN, f * 1e7f) + to_u64(RZ, w);
		q[N] = to_s64(RZ, d * 1e9) ^ to_u64(RN, d);
		q[2 * N] = to_f64(RN, s) ^ to_f64(RD, (uint64_t)s);
		q[3 * N] = f64_bits(f) + f64_bits((int32_t)x) + f64_bits(x);
		q[4 * N] = (uint64_t)((int64_t)(int32_t)x * 3) + x;
	}
	ref_write(dir, "conversions.out.want", out, 12 * N * sizeof *out);
	ref_write(dir, "conversions.wide.want", wide, 5 * N * sizeof *wide);
	free(in);
	free(out);
	free(wide);
}

static void double_exact(const char *dir)
{
	double *in = random_f64(N, 1, -1000, 1000);
	uint64_t *out = ref_new(uint64_t, 18 * N);

	for (int i = 0; i < N; i++) {
		double a = in[i], b = in[(i + 1) % N], c = in[(i + 5) % N] * 1e-9;
		double r[16] = { calc_wide(ADD, RN, a, c, 0),        calc_wide(ADD, RZ, a, c, 0),
				 calc_wide(ADD, RU, a, c, 0),        calc_wide(ADD, RD, a, c, 0),
				 calc_wide(MUL, RN, a, b, 0),        calc_wide(MUL, RZ, a, b, 0),
				 calc_wide(MUL, RU, a, b, 0),        calc_wide(FMA, RN, a, b, c),
				 calc_wide(FMA, RZ, a, b, c),        calc_wide(FMA, RD, a, b, c),
				 calc_wide(DIV, RN, a, b, 0),        calc_wide(DIV, RZ, a, c, 0),
				 calc_wide(ROOT, RN, fabs(a), 0, 0), calc_wide(ROOT, RU, fabs(b), 0, 0),
				 calc_wide(RECIP, RN, b, 0, 0),      a / 3.0 };

		for (int k = 0; k < 16; k++)
			out[k * N + i] = f64_bits(r[k]);
		out[16 * N + i] = f64_bits(a < b ? a : b) ^ f64_bits(a > c ? a : c);
		out[17 * N + i] = (uint64_t)(a < b) + 2 * (a <= c) + 4 * (a != b) + 8 * (a > b);
	}
	ref_write(dir, "double_exact.out.want", out, 18 * N * sizeof *out);
	free(in);
	free(out);
}

static void double_math(const char *dir)
{
	enum { n = 64 };
	double *in = random_f64(n, 1, -8, 8), *out = ref_new(double, 12 * n);

	for (int i = 0; i < n; i++) {
		double x = in[i], big = x * 1e7 * (1 + i * i), p = fabs(x) + 0.25, *o = out + i;

		o[0] = sin(x) + cos(2 * x);
		o[n] = sin(big);
		o[2 * n] = cos(big);
		o[3 * n] = tan(x);
		o[4 * n] = exp(x);
		o[5 * n] = log(p) + log2(p * 3) + log10(p * 7) + log1p(p);
		o[6 * n] = pow(p, x);
		o[7 * n] = cbrt(x) + hypot(x, 3.0);
		o[8 * n] = atan2(x, p - 1) + asin(x / 16) + acos(x / 17);
		o[9 * n] = sinh(x) + cosh(x) + tanh(x);
		o[10 * n] = erf(x) + expm1(x * 0.01);
		o[11 * n] = 1 / sqrt(p) + exp2(x);
	}
	ref_write(dir, "double_math.out.want", out, 12 * n * sizeof *out);
	free(in);
	free(out);
}

static void float_math(const char *dir)
{
	float *in = ref_random_f32(N, 1, -8, 8), *out = ref_new(float, 16 * N);

	for (int i = 0; i < N; i++) {
		double x = in[i], big = in[i] * 1e6f * (float)(1 + i * i), p = fabsf(in[i]) + 0.25f;
		double r[16] = { sin(x),          cos(x),    sin(big),
				 cos(big),        tan(x),    exp(x),
				 log(p),          pow(p, x), atan2(x, (float)p - 1),
				 tanh(x),         erf(x),    cbrt(x),
				 1 / sqrt(p),     exp2(x),   log2(p),
				 asin(in[i] / 16) };

		for (int k = 0; k < 16; k++)
			out[k * N + i] = (float)r[k];
	}
	ref_write(dir, "float_math.out.want", out, 16 * N * sizeof *out);
	free(in);
	free(out);
}

static void float_fast(const char *dir)
{
	float *in = ref_random_f32(N, 1, -8, 8), *out = ref_new(float, 12 * N);

	for (int i = 0; i < N; i++) {
		double x = in[i], p = fabsf(in[i]) + 0.25f;
		double r[12] = {
			sin(in[i] * 0.375f),   cos(in[i] * 0.375f), 1,           log(p),  pow(p, x * 0.25), x / p,
			pow(10, in[i] * 0.1f), log2(p) + log10(p),  1 / sqrt(p), tanh(x), sqrt(p),          1 / p
		};

		for (int k = 0; k < 12; k++)
			out[k * N + i] = (float)r[k];
	}
	ref_write(dir, "float_fast.out.want", out, 12 * N * sizeof *out);
	free(in);
	free(out);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_floating[] = { REF(float_exact), REF(rounding),   REF(conversions), REF(double_exact),
					  REF(double_math), REF(float_math), REF(float_fast),  { NULL, NULL } };
