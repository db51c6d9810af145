/* Kernels of integer arithmetic, computed another way: wide types, loops over bits and bytes. */
#include "test/cuda/reference/cuda_ref.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

enum { N = 128 };

static uint64_t bits_set(uint64_t x)
{
	uint64_t n = 0;

	for (; x; x &= x - 1)
		n++;
	return n;
}

static uint64_t zeros_above(uint64_t x, unsigned width)
{
	uint64_t n = width;

	for (; x; x >>= 1)
		n--;
	return n;
}

static uint64_t first_set(uint64_t x)
{
	uint64_t n = 1;

	if (x == 0)
		return 0;
	for (; x % 2 == 0; x /= 2)
		n++;
	return n;
}

static uint64_t reversed(uint64_t x, unsigned width)
{
	uint64_t r = 0;

	for (unsigned k = 0; k < width; k++)
		r |= (x >> k & 1) << (width - 1 - k);
	return r;
}

static uint64_t *full_u64(size_t n, uint64_t seed)
{
	uint64_t *p = ref_new(uint64_t, n);

	for (size_t i = 0; i < n; i++) /* low: 0, high: 2^64 - 1 */
		p[i] = (uint64_t)((u128)rng_next(&seed) * UINT64_MAX >> 64);
	return p;
}

static void int64_math(const char *dir)
{
	uint64_t *in = full_u64(2 * N, 1), *out = ref_new(uint64_t, 12 * N);

	for (int i = 0; i < N; i++) {
		uint64_t a = in[i], b = in[N + i] >> (i % 61), *o = out + i;
		int64_t s = (int64_t)a, t = (int64_t)in[N + i] >> (i % 60);
		bool fine = t != 0 && t != -1;
		s128 abs = s >> 1;

		o[0] = a * b;
		o[N] = (uint64_t)((u128)a * b >> 64);
		o[2 * N] = (uint64_t)(u128)((s128)s * t >> 64);
		o[3 * N] = b ? a / b : 0;
		o[4 * N] = b ? a % b : 0;
		o[5 * N] = fine ? (uint64_t)(s / t) : 1;
		o[6 * N] = fine ? (uint64_t)(s % t) : 1;
		o[7 * N] = a << (b % 64) ^ a >> ((uint64_t)t % 64) ^ (uint64_t)(s >> (a % 64));
		o[8 * N] = (uint64_t)(a < b) + 2 * (s < t) + 4 * (a <= (uint64_t)t) + 8 * (s >= (int64_t)b);
		o[9 * N] = (a < b ? a : b) + (uint64_t)(s > t ? s : t) * 3 + (uint64_t)(abs < 0 ? -abs : abs);
		o[10 * N] = a / 1000003 + a % 10 + (uint64_t)(s / 7) + (uint64_t)(s % 100);
		o[11 * N] = (zeros_above(a, 64) | bits_set(a) << 8 | first_set(b) << 16) ^ reversed(a, 64);
	}
	ref_write(dir, "int64_math.out.want", out, 12 * N * sizeof *out);
	free(in);
	free(out);
}

static void int128_math(const char *dir)
{
	uint64_t *in = full_u64(4 * N, 1), *out = ref_new(uint64_t, 17 * N);

	for (int i = 0; i < N; i++) {
		u128 a = (u128)in[i] << 64 | in[N + i], b = ((u128)in[2 * N + i] << 64 | in[3 * N + i]) >> (i % 120);
		s128 s = (s128)a >> (i % 50), t = (s128)(b | 1);
		u128 r[8] = { a + b,       a - b,       a * b,         a << (i % 128) ^ b >> (i % 64),
			      a / (b | 1), a % (b | 1), (u128)(s / t), (u128)(s % t) };

		for (int k = 0; k < 8; k++) {
			out[2 * k * N + i] = (uint64_t)r[k];
			out[(2 * k + 1) * N + i] = (uint64_t)(r[k] >> 64);
		}
		out[16 * N + i] = (uint64_t)(a < b) + 2 * (s < t) + 4 + 8 * (s > t);
	}
	ref_write(dir, "int128_math.out.want", out, 17 * N * sizeof *out);
	free(in);
	free(out);
}

static int64_t low24(uint32_t x) { return (int32_t)(x << 8) >> 8; }

static void int_intrinsics(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 16 * N);

	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = in[i], y = in[(i * 7 + 1) % N], *o = out + i;
		int64_t sx = (int32_t)x, sy = (int32_t)y, dist = sx > sy ? sx - sy : sy - sx;
		uint64_t ux = x, uy = y, both = uy << 32 | ux;
		uint32_t clamped = i % 50 < 32 ? i % 50 : 32;

		o[0] = (uint32_t)(bits_set(x) | zeros_above(x >> y % 32, 32) << 8 |
				  first_set((uint32_t)(x << y % 32)) << 16);
		o[N] = (uint32_t)reversed(x, 32);
		for (int k = 0; k < 4; k++)
			o[2 * N] |= (uint32_t)(both >> 8 * (y >> 3 >> 4 * k & 7) & 255) << 8 * k;
		o[3 * N] = (uint32_t)(both << i % 32 >> 32);
		o[4 * N] = (uint32_t)(both >> y % 32);
		o[5 * N] = clamped == 32 ? x : (uint32_t)(both << clamped >> 32);
		o[6 * N] = (uint32_t)(both >> clamped);
		o[7 * N] = (uint32_t)(ux * uy >> 32);
		o[8 * N] = (uint32_t)(uint64_t)(sx * sy >> 32);
		o[9 * N] = ((uint32_t)dist + x) ^ ((x > y ? x - y : y - x) + 5);
		o[10 * N] = (uint32_t)((sx + sy) >> 1) ^ (uint32_t)((sx + sy + 1) >> 1) ^ (uint32_t)((ux + uy) / 2) ^
			    (uint32_t)((ux + uy + 1) / 2);
		o[11 * N] = (uint32_t)(uint64_t)(low24(x) * low24(y)) ^ (uint32_t)((ux & 0xffffff) * (uy & 0xffffff));
		o[12 * N] = (uint32_t)(sx < 0 ? -sx : sx) + (uint32_t)(sx < sy ? sx : sy) + (x > y ? x : y);
		o[13 * N] = (uint32_t)((ux * 512) | (ux >> 23));
		o[14 * N] = (uint32_t)((ux >> y % 16) % ((uint64_t)1 << y / 16 % 16));
		for (int k = 0; k < 32; k++) {
			uint32_t bit = 1u << k, r = (x & bit ? y : i) & bit;

			o[15 * N] |= r | (((y & bit) != 0) != (k / 8 % 2 == 1) ? bit : 0);
		}
	}
	ref_write(dir, "int_intrinsics.out.want", out, 16 * N * sizeof *out);
	free(in);
	free(out);
}

static int32_t clamp(int32_t x, int32_t low, int32_t high)
{
	if (x < low)
		return low;
	return x > high ? high : x;
}

/* What one byte or halfword (width bits) of each result is. */
static uint32_t lane(int what, uint32_t a, uint32_t b, int width)
{
	const int32_t top = 1 << (width - 1), sa = (int32_t)(a ^ (uint32_t)top) - top,
		      sb = (int32_t)(b ^ (uint32_t)top) - top;
	const uint32_t ones = (1u << width) - 1;

	switch (what) {
	case 0:
		return a + b;
	case 1:
		return a - b;
	case 2:
		return a + b > ones ? ones : a + b;
	case 3:
		return (uint32_t)clamp(sa + sb, -top, top - 1);
	case 4:
		return a > b ? a - b : b - a;
	case 5:
		return (a + b + 1) / 2;
	case 6:
		return (uint32_t)(sa > sb ? sa : sb);
	case 7:
		return a < b ? a : b;
	case 8:
		return a > b ? ones : 0;
	case 9:
		return a == b;
	case 10:
		return (uint32_t)clamp(sa - sb, -top, top - 1);
	case 11:
		return a > b ? a : b;
	case 12:
		return sa < sb ? ones : 0;
	case 13:
		return (uint32_t)(sa < 0 ? -sa : sa);
	}
	return 0u - b;
}

static uint32_t simd(int what, uint32_t x, uint32_t y, int width)
{
	const uint32_t ones = (1u << width) - 1;
	uint32_t r = 0;

	for (int at = 0; at < 32; at += width)
		r |= (lane(what, x >> at & ones, y >> at & ones, width) & ones) << at;
	return r;
}

static void video_simd(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 16 * N);

	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = in[i], y = in[(i * 7 + 1) % N] ^ (i % 4 == 0 ? x & 0xff00ff00 : 0), *o = out + i;
		int32_t d4s = (int32_t)i, d2s = (int32_t)i;
		uint32_t d4u = i, d2u = i;

		for (int k = 0; k < 6; k++)
			o[k * N] = simd(k, x, y, 8);
		o[6 * N] = simd(6, x, y, 8) ^ simd(7, x, y, 8);
		o[7 * N] = simd(8, x, y, 8) ^ simd(9, x, y, 8);
		o[8 * N] = simd(0, x, y, 16) ^ simd(1, x, y, 16);
		o[9 * N] = simd(10, x, y, 16);
		o[10 * N] = simd(11, x, y, 16) ^ simd(12, x, y, 16);
		o[11 * N] = simd(13, x, 0, 16) ^ simd(14, 0, y, 8);
		for (int k = 0; k < 4; k++) {
			uint32_t a = x >> 8 * k & 255, b = y >> 8 * k & 255, half = x >> 16 * (k & 1) & 0xffff;

			o[12 * N] += lane(4, a, b, 8);
			d4u += a * b;
			d4s += (int8_t)a * (int8_t)b;
			if (k < 2)
				d2s += (int16_t)half * (int8_t)b;
			else
				d2u += half * b;
		}
		o[13 * N] = (uint32_t)d4s ^ d4u * 3 ^ (uint32_t)d2s * 5 ^ d2u * 7;
		o[14 * N] = (uint32_t)((int8_t)(x >> 16) + (int16_t)(y >> 16));
		o[15 * N] = (x & 0xffff) * (y >> 24) + i;
	}
	ref_write(dir, "video_simd.out.want", out, 16 * N * sizeof *out);
	free(in);
	free(out);
}

static void carry_chains(const char *dir)
{
	uint32_t *in = full_u32(5 * N, 1), *out = ref_new(uint32_t, 20 * N);

	for (int i = 0; i < N; i++) {
		uint32_t a[5], b[5], p[8] = { 0 };
		int64_t borrow = 0;
		uint64_t carry = 0;

		for (int k = 0; k < 5; k++) {
			a[k] = in[k * N + i];
			b[k] = i % 3 == 0 && k < 4 ? ~a[k] + (k == 0) : in[(k * N + i * 5 + 3) % (5 * N)];
			carry += (uint64_t)a[k] + b[k];
			out[k * N + i] = (uint32_t)carry;
			carry >>= 32;
			borrow += (int64_t)a[k] - b[k];
			out[(6 + k) * N + i] = (uint32_t)(uint64_t)borrow;
			borrow >>= 32;
		}
		out[5 * N + i] = (uint32_t)carry;
		out[11 * N + i] = (uint32_t)(uint64_t)borrow;
		for (int k = 0; k < 4; k++) {
			uint64_t c = 0;

			for (int j = 0; j < 4; j++) {
				c += (uint64_t)a[j] * b[k] + p[k + j];
				p[k + j] = (uint32_t)c;
				c >>= 32;
			}
			p[k + 4] = (uint32_t)c;
		}
		for (int k = 0; k < 8; k++)
			out[(12 + k) * N + i] = p[k];
	}
	ref_write(dir, "carry_chains.out.want", out, 20 * N * sizeof *out);
	free(in);
	free(out);
}

static void division(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 8 * N);

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i], far = in[N - 1 - i], y = far >> i % 30 | 1, *o = out + i;
		int64_t s = (int32_t)x, t = (int32_t)far >> i % 30 | 2;
		int16_t h = (int16_t)x, g = (int16_t)(y | 4);
		uint64_t w = x;

		o[0] = x / y;
		o[N] = x - x / y * y;
		o[2 * N] = (uint32_t)(s / t);
		o[3 * N] = (uint32_t)(s - s / t * t);
		o[4 * N] = (uint32_t)(h / g) << 16 | (uint16_t)(h - h / g * g);
		o[5 * N] = (x & 255) / (y & 255) << 8 | (x & 255) % (y & 255);
		o[6 * N] = (uint32_t)(w / 3 + w / 7 + w / 10 + w / 641 + w % 1000 + (w >= 0x80000001u));
		o[7 * N] = (uint32_t)(s / 3 + s / -5 + s % 7 + s / 4 + s % 8 + s / 1000003);
	}
	ref_write(dir, "division.out.want", out, 8 * N * sizeof *out);
	free(in);
	free(out);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_integer[] = { REF(int64_math),   REF(int128_math), REF(int_intrinsics), REF(video_simd),
					 REF(carry_chains), REF(division),    { NULL, NULL } };
