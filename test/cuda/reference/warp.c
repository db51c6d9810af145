/* Kernels of warps: what each lane gets from the others, over arrays of 32 values. */
#include "test/cuda/reference/cuda_ref.h"

enum { N = 128 };

static uint32_t count(uint32_t x)
{
	uint32_t n = 0;

	for (; x; x >>= 1)
		n += x & 1;
	return n;
}

static void save(const char *dir, const char *name, uint32_t *in, uint32_t *out, size_t n)
{
	ref_write(dir, name, out, n * sizeof *out);
	free(in);
	free(out);
}

static void warp_shuffle(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 7 * N);

	for (int w = 0; w < N; w += 32) {
		uint32_t *x = in + w, *o = out + w, fold[32], sum = 0;

		memcpy(fold, x, sizeof fold);
		for (int d = 1; d < 32; d *= 2) {
			uint32_t old[32];

			memcpy(old, fold, sizeof old);
			for (int l = 0; l < 32; l++)
				fold[l] = old[l] ^ old[l ^ d] * 3;
		}
		for (int l = 0; l < 32; l++) {
			int four = l / 4 * 4;

			o[l] = sum += x[l];
			o[N + l] = fold[l];
			o[2 * N + l] = x[x[l] % 32];
			o[3 * N + l] = x[l < 27 ? l + 5 : l] + x[l % 8 < 5 ? l + 3 : l];
			o[4 * N + l] = x[four + (l + 1) % 4] ^ x[l ^ 12] ^ x[l - four < 2 ? l : l - 2];
			o[5 * N + l] = x[31 - l] + x[l ^ 1];
			o[6 * N + l] = l < 20 ? x[l * 7 % 20] : 0;
		}
	}
	save(dir, "warp_shuffle.out.want", in, out, 7 * N);
}

static void warp_vote(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 7 * N);

	for (int w = 0; w < N; w += 32) {
		uint32_t *x = in + w, *o = out + w, ones = 0, twos = 0, fours = 0, eights = 0, fives = 0, any = 0,
			 all = 2;

		for (int l = 0; l < 32; l++) {
			ones |= (x[l] & 1) << l;
			twos |= (x[l] >> 1 & 1) << l;
			fours |= (x[l] >> 2 & 1) << l;
			eights |= (x[l] >> 3 & 1) << l;
			fives |= (uint32_t)(x[l] % 5 == 0 && l % 2 == 0) << l;
			any |= x[l] % 40 == 0;
			all &= x[l] % 64 == 3 ? 0 : 2;
		}
		for (int l = 0; l < 32; l++) {
			o[l] = ones;
			o[N + l] = any | all;
			for (int k = 0; k < 32; k++) {
				o[2 * N + l] |= (uint32_t)(x[k] % 6 == x[l] % 6) << k;
				o[6 * N + l] |= (uint32_t)(k % 2 == 1 && l % 2 == 1 && x[k] % 3 == x[l] % 3) << k;
			}
			o[3 * N + l] = 0xfffffffe;
			o[4 * N + l] = count(twos & ((1u << l) - 1)) * 100;
			o[5 * N + l] = fours >> l & 1 ? count(fours & eights) * 1000 + count(fours) : 7;
			if (l % 2 == 0)
				o[6 * N + l] = fives;
		}
	}
	save(dir, "warp_vote.out.want", in, out, 7 * N);
}

/* What all lanes of a warp get where each has taken one side of a branch: `give` by lane. */
static uint32_t ballot(const bool give[32])
{
	uint32_t all = 0;

	for (int l = 0; l < 32; l++)
		all |= (uint32_t)give[l] << l;
	return all;
}

static void sync_sides(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 4 * N);

	for (int w = 0; w < N; w += 32) {
		uint32_t *x = in + w, *o = out + w, stored[32], shown[32], key[32];
		bool given[32];

		for (uint32_t l = 0; l < 32; l++) {
			stored[l] = x[l] * (l < 16 ? 3 : 5);
			shown[l] = l;
			if (x[l] & 1)
				shown[l] = x[l] + 7;
			else if (x[l] & 2)
				shown[l] = x[l] ^ l;
			key[l] = x[l] & 4 ? x[l] % 3 : l % 4;
			given[l] = x[l] >> (x[l] & 4 ? 3 : 4) & 1;
		}
		for (uint32_t l = 0; l < 32; l++) {
			uint32_t same = 0;

			for (uint32_t m = 0; m < 32; m++)
				same |= (uint32_t)(key[m] == key[l]) << m;
			o[l] = stored[31 - l] + (l >= 16);
			if (x[l] & 1)
				o[N + l] = shown[(l + 1) % 32] * 2;
			else
				o[N + l] = x[l] & 2 ? shown[3] + 1 : shown[x[l] % 32] + 2;
			o[2 * N + l] = x[l] & 4 ? ballot(given) ^ same : ~ballot(given) - same;
		}
		for (uint32_t k = 0; k < 4; k++) {
			uint32_t sum = 0;
			bool any = false;

			for (uint32_t l = 0; l < 32; l++) {
				const bool three = (x[l] >> k & 3) == 3;

				if (three)
					sum += x[l] >> 8;
				else
					sum += l % 2 ? l : k;
				any |= three ? x[l] % 50 == k : l % 2 == 0 && x[l] % 60 == 1;
			}
			for (uint32_t l = 0; l < 32; l++)
				if ((x[l] >> k & 3) == 3)
					o[3 * N + l] += sum + any;
				else if (l % 2)
					o[3 * N + l] ^= sum + any;
				else
					o[3 * N + l] -= sum * any;
		}
	}
	save(dir, "sync_sides.out.want", in, out, 4 * N);
}

/* The lanes of `group` for which bit `b` of x is set. */
static uint32_t with_bit(const uint32_t x[32], uint32_t group, uint32_t b)
{
	uint32_t all = 0;

	for (uint32_t l = 0; l < 32; l++)
		all |= (group >> l & x[l] >> b & 1) << l;
	return all;
}

static void sync_groups(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 7 * N);

	for (uint32_t i = 0; i < N; i++) {
		const uint32_t l = i % 32, *x = in + i - l, eight = 0xffu << (l & 24), four = 0xfu << (l & 28);
		uint32_t like = 0, first = 32, any = 0, sum = 0, xor = 0, most = 0, least = UINT32_MAX;

		for (uint32_t m = 0; m < 32; m++) {
			like |= (uint32_t)((x[m] & 3) == (x[l] & 3)) << m;
			first = first == 32 && (x[m] & 3) == (x[l] & 3) ? m : first;
			xor ^= (x[m] & 3) == (x[l] & 3) ? x[m] : 0;
			any |= eight >> m & 1 && x[m] % 7 == 0;
			sum += eight >> m & 1 ? x[m] >> 3 : 0;
			most = four >> m & 1 && x[m] > most ? x[m] : most;
			least = four >> m & 1 && x[m] < least ? x[m] : least;
		}
		out[i] = with_bit(x, eight, 4) ^ with_bit(x, like, 5);
		out[N + i] = any | (uint32_t)(with_bit(x, like, 6) == like) << 1;
		out[2 * N + i] = x[l] >> 4 & 1 ? with_bit(x, eight, 4) : eight & ~with_bit(x, eight, 4);
		out[3 * N + i] = with_bit(x, like, 5) == 0 || with_bit(x, like, 5) == like ? like + 1 : 0;
		out[4 * N + i] = sum + xor;
		out[5 * N + i] = x[first] - x[l ^ 3];
		if (l & 4)
			out[6 * N + i] = most ^ with_bit(x, four, 3);
		else
			out[6 * N + i] = least + with_bit(x, four, 1);
	}
	save(dir, "sync_groups.out.want", in, out, 7 * N);
}

static void warp_redux(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 5 * N);

	for (int w = 0; w < N; w += 32) {
		uint32_t *o = out + w, sum = 0, high = 0, least = UINT32_MAX, most = 0, and = UINT32_MAX, or = 0,
			 xor = 0, twelve = 0, odd = 0;
		int32_t low = INT32_MAX, top = INT32_MIN;

		for (int l = 0; l < 32; l++) {
			uint32_t x = in[w + l];

			sum += x;
			high += (uint32_t)((int32_t)x >> 8);
			least = x < least ? x : least;
			most = x > most ? x : most;
			low = (int32_t)x < low ? (int32_t)x : low;
			top = (int32_t)x > top ? (int32_t)x : top;
			and &= x | 0xffff00;
			or |= x & 0x101010;
			xor ^= x;
			twelve += l < 12 ? x : 0;
			odd = l > 12 && l % 2 && x > odd ? x : odd;
		}
		for (int l = 0; l < 32; l++) {
			o[l] = sum ^ high;
			o[N + l] = least ^ (uint32_t)low;
			o[2 * N + l] = most ^ (uint32_t)top;
			o[3 * N + l] = and^ or ^xor;
			if (l < 12)
				o[4 * N + l] = twelve;
			else
				o[4 * N + l] = l % 2 ? odd : 0;
		}
	}
	save(dir, "warp_redux.out.want", in, out, 5 * N);
}

static void divergence(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 3 * N);

	for (int i = 0; i < N; i++) {
		uint32_t x = in[i], v = x % 1000 + 1, y = 0, steps = 0;
		bool stop = false;

		for (; v != 1; steps++) {
			bool odd = v % 2 == 1;

			y += odd && v % 3 == 0 && steps % 2 == 0;
			v = odd ? 3 * v + 1 : v / 2;
			if (odd || v % 64 != 0)
				y = y * 3 + v;
		}
		out[i] = steps << 24 ^ y;
		out[N + i] = 77;
		if (x % 5 == 0)
			continue;
		for (uint32_t a = 0; a < x % 7 && !stop; a++) {
			bool leave = false;

			for (uint32_t b = a; b < 9 && !leave && !stop; b++) {
				leave = a * b > 20 || (b == 7 && x & 16);
				stop = !leave && (a ^ b) == 3;
				y += leave || stop ? 0 : a * b + 1;
			}
		}
		out[N + i] = y;
		for (y = y * 5 + 1; y % 16 != x % 16; y = y * 5 + 1) {
		}
		if (x % 4 == 3)
			out[2 * N + i] = y;
		else if (x % 2)
			out[2 * N + i] = ~y;
		else
			out[2 * N + i] = x & 4 ? y + 1 : y - 1;
	}
	save(dir, "divergence.out.want", in, out, 3 * N);
}

static void cg_tiles(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 4 * N), z[N];

	for (uint32_t i = 0; i < N; i++) {
		uint32_t *x = in + i / 4 * 4, l = i % 4, y[4];

		for (int k = 0; k < 4; k++) /* a lane beyond the tile is the lane itself */
			y[k] = x[k] + x[k < 2 ? k + 2 : k];
		z[i] = y[l] + y[l < 3 ? l + 1 : l];
		out[i] = i % 32 | l << 8 | i % 64 / 32 << 16 | 8u << 24;
		out[N + i] = x[0] + x[1] + x[2] + x[3];
	}
	for (uint32_t i = 0; i < N; i++) {
		uint32_t ballot = 0, any = 0, all = 1;

		for (uint32_t k = 0; k < 32; k++) {
			ballot |= (z[i / 32 * 32 + k] & 1) << k;
			all &= z[i / 32 * 32 + k] != 5;
		}
		for (uint32_t k = 0; k < 4; k++)
			any |= (z[i / 4 * 4 + k] & 6) != 0;
		out[2 * N + i] = ballot ^ any ^ all << 1;
		out[3 * N + i] = i % 16 + 1600 + i / 64 * 10000 + z[i / 32 * 32 + (i % 32 ^ 9)] % 7;
	}
	save(dir, "cg_tiles.out.want", in, out, 4 * N);
}

static void cg_coalesced(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 3 * N), total[8] = { 0 };

	for (uint32_t i = 0; i < N; i++) {
		uint32_t *x = in + i / 32 * 32, size = 0, ballot = 0, next = 0, like = 0, before = 0;

		for (uint32_t k = 0; k < 32; k++) {
			if (x[k] & 1) {
				ballot |= (x[k] >> 1 & 1) << size;
				if (k > i % 32 && next == 0)
					next = x[k];
				size++;
			}
			like += x[k] % 3 == in[i] % 3;
			before += k < i % 32 && x[k] % 3 == in[i] % 3;
		}
		if (in[i] & 1) {
			out[i] = next + ballot;
			out[N + i] = size;
			total[1 + total[0] / 32] |= 1u << total[0] % 32;
			total[0]++;
		}
		out[2 * N + i] = like << 8 | before;
	}
	ref_write(dir, "cg_coalesced.count.want", total, sizeof total);
	save(dir, "cg_coalesced.out.want", in, out, 3 * N);
}

static void cg_reduce(const char *dir)
{
	uint32_t *in = full_u32(N, 1), *out = ref_new(uint32_t, 4 * N);

	for (int i = 0; i < N; i++) {
		const uint32_t *x = in + i / 32 * 32, *y = in + i / 8 * 8;
		uint32_t sum = 0, most = 0, least = UINT32_MAX, xor = 0, before = 0, upto = 0;
		uint64_t wide = 0;

		for (int k = 0; k < 32; k++) {
			sum += x[k];
			most = x[k] > most ? x[k] : most;
			upto += k <= i % 32 ? x[k] % 1000 : 0;
		}
		for (int k = 0; k < 8; k++) {
			least = y[k] < least ? y[k] : least;
			xor ^= y[k];
			wide += y[k];
			before += k < i % 8 ? y[k] : 0;
		}
		out[i] = sum;
		out[N + i] = least ^ most ^ xor;
		out[2 * N + i] = (uint32_t)(wide / 16) + before;
		out[3 * N + i] = upto;
	}
	save(dir, "cg_reduce.out.want", in, out, 4 * N);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_warp[] = { REF(warp_shuffle), REF(warp_vote),  REF(sync_sides), REF(sync_groups),
				      REF(warp_redux),   REF(divergence), REF(cg_tiles),   REF(cg_coalesced),
				      REF(cg_reduce),    { NULL, NULL } };
