/* Kernels of atomics: their sums and extremes do not depend on the order. */
#include "test/cuda/reference/cuda_ref.h"

__extension__ typedef unsigned __int128 u128;

enum { N = 128 };

static void atomics_int(const char *dir)
{
	uint32_t *in = full_u32(N, 1), acc[14], *out = ref_new(uint32_t, 276);

	for (int k = 0; k < 14; k++)
		acc[k] = 0x12345678;
	for (int i = 0; i < N; i++) {
		uint32_t x = in[i], *s = out + 2 * N + i / 64 * 10;

		acc[0] += x;
		acc[1] -= x;
		acc[2] = x < acc[2] ? x : acc[2];
		acc[3] = x > acc[3] ? x : acc[3];
		acc[4] &= x | 0x00ff0000;
		acc[5] |= x & 0x01010101;
		acc[6] ^= x;
		acc[7] = (int32_t)x < (int32_t)acc[7] ? x : acc[7];
		acc[8] = (int32_t)x > (int32_t)acc[8] ? x : acc[8];
		acc[9] += acc[10];
		acc[10] = acc[10] >= 99 ? 0 : acc[10] + 1;
		acc[11] += acc[12] * 3;
		acc[12] = acc[12] == 0 || acc[12] > 50 ? 50 : acc[12] - 1;
		acc[13] -= x & 1 ? x & 255 : 0;
		out[i] = x + 1;
		/* exch sees 0, the first cas x and succeeds, the second x + 1 and fails */
		out[N + i] = x + (x + 1);
		s[x & 7]++;
		s[8] = x > s[8] ? x : s[8];
	}
	ref_write(dir, "atomics_int.acc.want", acc, sizeof acc);
	ref_write(dir, "atomics_int.out.want", out, 276 * sizeof *out);
	free(in);
	free(out);
}

static void atomics_64(const char *dir)
{
	uint64_t *in = ref_new(uint64_t, N), acc[9], *out = ref_new(uint64_t, 260), seed = 1;

	for (int k = 0; k < 9; k++)
		acc[k] = 0x0123456789abcdef;
	out[2 * N + 1] = out[2 * N + 3] = UINT64_MAX;
	for (int i = 0; i < N; i++) {
		uint64_t x = in[i] = (uint64_t)((u128)rng_next(&seed) * UINT64_MAX >> 64),
			 *s = out + 2 * N + i / 64 * 2;

		acc[0] += x;
		acc[1] = x < acc[1] ? x : acc[1];
		acc[2] = x > acc[2] ? x : acc[2];
		acc[3] &= x | 0xffffffff00000000;
		acc[4] |= x & 0x8000000100000001;
		acc[5] ^= x;
		acc[6] = (int64_t)x < (int64_t)acc[6] ? x : acc[6];
		acc[7] = (int64_t)x > (int64_t)acc[7] ? x : acc[7];
		acc[8] += 3;
		s[0] += x;
		s[1] = x < s[1] ? x : s[1];
		out[i] = x * 3;
		out[N + i] = x * 5 + x * 3;
	}
	ref_write(dir, "atomics_64.acc.want", acc, sizeof acc);
	ref_write(dir, "atomics_64.out.want", out, 260 * sizeof *out);
	free(in);
	free(out);
}

static void atomics_float(const char *dir)
{
	uint32_t *in = full_u32(N, 1), h[3];
	float f[7] = { 0 };
	double d[4] = { 0 };
	int sum = 0, odd = 0, by[2] = { 0 };

	for (int i = 0; i < N; i++) {
		int x = (int)(in[i] & 15) - 7;

		f[x & 3] += (float)x;
		f[4 + i / 64] += (float)i;
		d[x & 3] += x * 0x1p40;
		sum += x;
		odd += x & 1;
		by[x & 1] += x;
	}
	h[0] = half_near(sum) | (uint32_t)half_near(odd) << 16;
	h[1] = bf16_near(odd) | (uint32_t)bf16_near(-odd) << 16;
	h[2] = half_near(by[0]) | (uint32_t)half_near(by[1]) << 16;
	ref_write(dir, "atomics_float.single.want", f, sizeof f);
	ref_write(dir, "atomics_float.wide.want", d, sizeof d);
	ref_write(dir, "atomics_float.half.want", h, sizeof h);
	free(in);
}

static void atomic_cas_loop(const char *dir)
{
	uint32_t *in = full_u32(N, 1), acc[6] = { 0 }, lo = 0, hi = 0, half[2] = { 0 }, product = 1;
	double most[4] = { -1e300, -1e300, -1e300, -1e300 };

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i];

		most[x & 3] = fmax(most[x & 3], (double)x - 2e9);
		product *= x | 1;
		lo += x & 0xffff;
		hi += x >> 16;
		half[x & 1] += x;
		acc[5] += x & 255;
	}
	acc[0] = product - 1;
	acc[1] = (lo & 0xffff) | hi << 16;
	acc[2] = 100;
	acc[3] = (half[0] & 0xffff) | half[1] << 16;
	ref_write(dir, "atomic_cas_loop.most.want", most, sizeof most);
	ref_write(dir, "atomic_cas_loop.acc.want", acc, sizeof acc);
	free(in);
}

static void atomic_ref(const char *dir)
{
	uint32_t *in = full_u32(N, 1), acc[2 + N] = { UINT32_MAX, UINT32_MAX };

	for (int i = 0; i < N; i++) {
		acc[0] += in[i];
		acc[1] ^= in[i] >> 3;
		acc[2 + i] = (in[i] + 1) | (in[i] + 1) * 2;
	}
	ref_write(dir, "atomic_ref.acc.want", acc, sizeof acc);
	free(in);
}

static void last_block(const char *dir)
{
	uint32_t *in = full_u32(8 * 64, 1);
	uint64_t total = 0;

	for (int b = 0; b < 8; b++) {
		total *= 3;
		for (int t = 0; t < 64; t++)
			total += in[b * 64 + t];
	}
	ref_write(dir, "last_block.total.want", &total, sizeof total);
	free(in);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_atomics[] = { REF(atomics_int), REF(atomics_64), REF(atomics_float), REF(atomic_cas_loop),
					 REF(atomic_ref),  REF(last_block), { NULL, NULL } };
