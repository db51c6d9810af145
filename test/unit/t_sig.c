/* Value signatures and address facts of registers, against definitions written another way. */
#include "runtime-model/engine/core.h"

#include "analyzer/base/rng.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_sig(void);

/* Check writes a file at each of its assertions: too slow for loops of millions. */
#define MUST(cond, ...) ((cond) ? (void)0 : ck_abort_msg(__VA_ARGS__))
#define MUST_TRUE(cond) MUST(cond, "%s", #cond)
#define MUST_EQ(x, y) MUST((x) == (y), "%s is %llu, not %llu", #x, (unsigned long long)(x), (unsigned long long)(y))
static unsigned same_bytes(const uint32_t v[32], uint32_t lanes)
{
	for (unsigned n = 4; n; n--) {
		bool same = true;

		for (unsigned l = 0; l < 32; l++)
			if (lanes >> l & 1)
				same &= v[l] >> (32 - 8 * n) == v[__builtin_ctz(lanes)] >> (32 - 8 * n);
		if (same)
			return n;
	}
	return 0;
}

static unsigned width_of(uint32_t v)
{
	int64_t x = (int32_t)v;

	if (x >= -128 && x < 128)
		return 1;
	if (x >= -32768 && x < 32768)
		return 2;
	return x >= -8388608 && x < 8388608 ? 3 : 4;
}

static void draw_register(uint32_t v[32], uint64_t *seed)
{
	uint64_t kind = rng_next(seed);
	uint32_t base = (uint32_t)rng_next(seed) >> (kind >> 8 & 31),
		 keep = kind & 1 ? 0xffffffffu << (kind >> 16 & 31) : 0;

	for (unsigned l = 0; l < 32; l++)
		switch (kind >> 4 & 3) {
		case 0:
			v[l] = base;
			break;
		case 1:
			v[l] = base + l * (uint32_t)(kind >> 40);
			break;
		case 2:
			v[l] = (base & keep) | ((uint32_t)rng_next(seed) & ~keep);
			break;
		default:
			v[l] = (uint32_t)((int32_t)(uint32_t)rng_next(seed) >> (kind >> 24 & 31));
			break;
		}
	if (kind >> 63)
		v[kind >> 50 & 31] ^= 1u << (kind >> 55 & 31);
}

START_TEST(signatures_tell_the_truth)
{
	unsigned seen[5] = { 0 }; /* registers of that delta */
	uint64_t seed = 6;

	for (unsigned n = 0; n < 20000; n++) {
		uint32_t v[32], active = n % 3 ? (uint32_t)rng_next(&seed) | 1u << (n & 31) : UINT32_MAX, width = 0,
				delta = 0;
		struct value_sig a, b;
		bool affine = true;

		draw_register(v, &seed);
		lanes_base.sig(v, active, &a);
		lanes_best()->sig(v, active, &b);
		for (unsigned l = 0; l < 32; l++) {
			width = width_of(v[l]) > width ? width_of(v[l]) : width;
			if (v[l] != v[0])
				delta = width_of(v[l] - v[0]) > delta ? width_of(v[l] - v[0]) : delta;
			affine &= v[l] == v[0] + l * (v[1] - v[0]);
		}
		MUST_TRUE(a.hash == b.hash && a.width == b.width && a.affine == b.affine && a.stride == b.stride &&
			  a.same_all == b.same_all && a.delta == b.delta && a.same_active == b.same_active);
		MUST_EQ(a.width, width);
		MUST_EQ(a.delta, delta);
		seen[delta]++;
		MUST_EQ(a.affine, affine);
		MUST_TRUE(!affine || a.stride == v[1] - v[0]);
		MUST_EQ(a.same_all, same_bytes(v, UINT32_MAX));
		MUST_EQ(a.same_lo, same_bytes(v, 0xffff));
		MUST_EQ(a.same_hi, same_bytes(v, 0xffff0000));
		MUST_EQ(a.same_active, same_bytes(v, active));
	}
	for (unsigned n = 0; n < 5; n++)
		MUST(seen[n] > 500, "%u registers have a delta of %u bytes", seen[n], n);
}
END_TEST

/* Registers that differ in one bit, in two swapped lanes, or by moves between lanes that keep the sum. */
START_TEST(hashes_see_small_changes)
{
	uint64_t seed = 7;

	for (unsigned n = 0; n < 50000; n++) {
		uint32_t v[32], other[32];
		struct value_sig a, b;
		unsigned l = rng_below(&seed, 32), m = (l + 1 + rng_below(&seed, 31)) % 32;
		uint32_t by = 1u << rng_below(&seed, 32);

		draw_register(v, &seed);
		memcpy(other, v, sizeof v);
		if (n % 3 == 0) {
			other[l] ^= by;
		} else if (n % 3 == 1) {
			other[l] = v[m];
			other[m] = v[l];
		} else {
			other[l] += by;
			other[m] -= by;
		}
		lanes_best()->sig(v, UINT32_MAX, &a);
		lanes_best()->sig(other, UINT32_MAX, &b);
		MUST_TRUE((memcmp(v, other, sizeof v) == 0) == (a.hash == b.hash));
	}
}
END_TEST

/* Each bit of the register turns over each bit of the hash about half of the times. */
START_TEST(hashes_spread_every_bit)
{
	enum { TRIES = 512 };
	uint64_t seed = 9;
	unsigned worst = 0;

	for (unsigned in = 0; in < 32 * 32; in += 1 + in % 3) {
		unsigned turned[32] = { 0 };

		for (unsigned n = 0; n < TRIES; n++) {
			uint32_t v[32];
			struct value_sig a, b;

			draw_register(v, &seed);
			lanes_best()->sig(v, UINT32_MAX, &a);
			v[in / 32] ^= 1u << in % 32;
			lanes_best()->sig(v, UINT32_MAX, &b);
			for (unsigned out = 0; out < 32; out++)
				turned[out] += (a.hash ^ b.hash) >> out & 1;
		}
		for (unsigned out = 0; out < 32; out++) {
			unsigned off = turned[out] > TRIES / 2 ? turned[out] - TRIES / 2 : TRIES / 2 - turned[out];

			worst = off > worst ? off : worst;
		}
	}
	/* a fair coin strays by 6 standard deviations, 68, in one of 10^9 such counts; here are 22,000 */
	MUST(worst < 68, "a bit turns %u of %d times", TRIES / 2 + worst, TRIES);
}
END_TEST

/* ---- H3 ---- */
/* Row n of the matrix, in the words of its definition: x^b times a key, mod x^64 + x^4 + x^3 + x + 1, of which the low
 * half is taken. */
static uint32_t h3_row(unsigned n)
{
	static const uint64_t key[16] = {
		0x9c30d5392af26013, 0xc5d1b023286085f0, 0xca417918b8db38ef, 0x8e79dcb0603a180e,
		0x6c9e0e8bb01e8a3e, 0xd71577c1bd314b27, 0x78af2fda55605c60, 0xe65525f3aa55ab94,
		0x5748986263e81440, 0x55ca396a2aab10b6, 0xb4cc5c341141e8ce, 0xa15486af7c72e993,
		0xb3ee1411636fbc2a, 0x2ba9c55d741831f6, 0xce5c3e169b87931e, 0xafd6ba336c24cf5c,
	};
	uint64_t x = key[n / 64];

	for (unsigned b = 0; b < n % 64; b++) {
		const bool over = x >> 63;

		x <<= 1;
		if (over)
			x ^= 1 << 4 | 1 << 3 | 1 << 1 | 1;
	}
	return (uint32_t)x;
}

/* Of the vectors of 32 bits. */
static unsigned rank(const uint32_t *row, unsigned n)
{
	uint32_t basis[32] = { 0 };
	unsigned r = 0;

	for (unsigned i = 0; i < n; i++)
		for (uint32_t x = row[i]; x;) {
			unsigned top = 31 - (unsigned)__builtin_clz(x);

			if (!basis[top]) {
				basis[top] = x;
				r++;
				break;
			}
			x ^= basis[top];
		}
	return r;
}

START_TEST(h3_is_a_matrix_on_every_level)
{
	const struct lanes *level[] = { &lanes_base, lanes_best() };
	uint64_t seed = 12;

	for (unsigned n = 0; n < 3000; n++) {
		uint32_t v[32], w[32], both[32], want = 0;

		draw_register(v, &seed);
		draw_register(w, &seed);
		if (n < 1024)
			for (unsigned l = 0; l < 32; l++)
				v[l] = l == n / 32 ? 1u << n % 32 : 0;
		for (unsigned b = 0; b < 1024; b++)
			if (v[b / 32] >> b % 32 & 1)
				want ^= h3_row(b);
		for (unsigned l = 0; l < 32; l++)
			both[l] = v[l] ^ w[l];
		for (unsigned i = 0; i < 2; i++) {
			MUST_EQ(level[i]->h3(v), want);
			MUST_EQ(level[i]->h3(both), want ^ level[i]->h3(w));
		}
	}
}
END_TEST

/* No bit is lost, no two bits are alike, each number of 32 bits is a hash; and registers that hold one value in all
 * lanes, of which there are most, never collide, while 8 bits of the hash, which address 256 entries, take every
 * value. */
START_TEST(h3_has_full_rank)
{
	uint32_t row[1024], same[32] = { 0 }, low[32];

	for (unsigned n = 0; n < 1024; n++) {
		row[n] = h3_row(n);
		MUST(row[n], "row %u is zero", n);
		for (unsigned m = 0; m < n; m++)
			MUST(row[m] != row[n], "rows %u and %u are the same", m, n);
		same[n % 32] ^= row[n];
	}
	for (unsigned b = 0; b < 32; b++)
		low[b] = same[b] & 255;
	ck_assert_uint_eq(rank(row, 1024), 32);
	ck_assert_uint_eq(rank(same, 32), 32);
	ck_assert_uint_eq(rank(low, 32), 8);
}
END_TEST

static int by_hash(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* What registers hold: the same everywhere, addresses, flags, small numbers, floats; all of these are different. Not
 * one of 2^18 pairs of both hashes, nor of one and 8 bits of the other more than chance has it, may be the same. */
START_TEST(hashes_of_what_registers_hold_differ)
{
	enum { N = 1 << 18 };
	uint64_t *hash = malloc(N * sizeof *hash);

	for (unsigned half = 0; half < 3; half++) {
		unsigned same = 0;

		for (uint32_t n = 0; n < N; n++) {
			uint32_t v[32], k = n >> 3;
			struct value_sig s;

			for (unsigned l = 0; l < 32; l++)
				switch (n & 7) {
				case 0:
					v[l] = k;
					break; /* the same in all lanes */
				case 1:
					v[l] = (k << 12) + 4 * l + 1;
					break; /* addresses */
				case 2:
					v[l] = l == k % 32 ? k / 32 + 1 : 0;
					break; /* one lane */
				case 3:
					v[l] = (k + 1) * (l + 1) * 2;
					break; /* strides */
				case 4:
					v[l] = (k + 1) * 2654435761u >> l & 1;
					break; /* flags */
				case 5:
					v[l] = 0x3f800000 + ((k * 32 + l) << 3);
					break; /* floats */
				case 6:
					v[l] = 0u - 1u - (k ^ l);
					break; /* small negative numbers */
				default:
					v[l] = (k >> (l & 1) * 8 & 255) << 8 | l;
					break; /* bytes that change places */
				}
			lanes_best()->sig(v, UINT32_MAX, &s);
			s.h3 = lanes_best()->h3(v);
			if (half == 0)
				hash[n] = (uint64_t)s.h3 << 32 | s.hash;
			else
				hash[n] = half == 1 ? (uint64_t)s.hash << 8 | (s.h3 & 255)
						    : (uint64_t)s.h3 << 8 | (s.hash & 255);
		}
		qsort(hash, N, sizeof *hash, by_hash);
		for (unsigned n = 1; n < N; n++)
			same += hash[n] == hash[n - 1];
		MUST(same <= (half ? 3 : 0), "part %u: %u are the same", half, same);
	}
	free(hash);
}
END_TEST

/* Different words at v[], 0 where they are not in 32 that follow each other. */
static unsigned words_near(const uint64_t v[32], uint64_t low, uint64_t high)
{
	unsigned n = 0;

	for (unsigned l = 0; l < 32; l++) {
		bool again = false;

		for (unsigned i = 0; i < l; i++)
			again |= v[i] / 4 == v[l] / 4;
		n += !again;
	}
	return high / 4 - low / 4 < 32 ? n : 0;
}

START_TEST(address_facts_hold)
{
	uint64_t seed = 8;

	for (unsigned n = 0; n < 5000; n++) {
		const struct lanes *ln = n & 1 ? lanes_best() : &lanes_base;
		uint32_t base[64], exec = n % 4 ? (uint32_t)rng_next(&seed) | 1u << (n & 31) : UINT32_MAX;
		int64_t offset = (int64_t)(rng_next(&seed) >> (n % 60)) - 64;
		uint64_t out[32], low = UINT64_MAX, high = 0, bits = 0, want[32], start = rng_next(&seed) >> (n % 40);
		bool wide = n & 2, unit = true;
		struct addr_facts fx;

		for (unsigned l = 0; l < 32; l++) {
			uint64_t v;
			if (n % 5 == 0)
				v = rng_next(&seed);
			else if (n % 5 < 3)
				v = start + 4 * l;
			else
				v = start + rng_below(&seed, n % 7 < 3 ? 1000 : 1 + n % 140);

			base[l] = (uint32_t)v;
			base[l + 32] = (uint32_t)(v >> 32);
		}
		for (unsigned l = 0; l < 32; l++)
			want[l] = wide ? ((uint64_t)base[l + 32] << 32 | base[l]) + (uint64_t)offset
				       : (uint32_t)(base[l] + (uint32_t)offset);
		for (unsigned l = 0; l < 32; l++)
			if (!(exec >> l & 1))
				want[l] = want[__builtin_ctz(exec)];
		for (unsigned l = 0; l < 32; l++) {
			low = want[l] < low ? want[l] : low;
			high = want[l] > high ? want[l] : high;
			bits |= want[l];
			unit &= want[l] == want[0] + 4 * l;
		}
		ln->addr(base, wide, offset, exec, 4, out, &fx);
		MUST_TRUE(memcmp(out, want, sizeof out) == 0);
		MUST_TRUE(fx.low == low && fx.high == high && (fx.bits & 3) == (bits & 3));
		MUST_TRUE(!fx.unit || unit);
		MUST_TRUE(fx.unit || !unit || high - low > 1000);
		MUST_TRUE(fx.words == words_near(want, low, high));
	}
}
END_TEST

START_TEST(words_are_loaded)
{
	uint64_t seed = 11;
	unsigned char mem[1024];

	for (unsigned i = 0; i < sizeof mem; i++)
		mem[i] = (unsigned char)rng_next(&seed);
	for (unsigned n = 0; n < 4000; n++) {
		const struct lanes *ln = n & 1 ? lanes_best() : &lanes_base;
		uint32_t exec = n % 4 ? (uint32_t)rng_next(&seed) | 1u << (n & 31) : UINT32_MAX, base[32], d[32],
			 want[32];
		/* that lanes choose from */
		uint32_t words = (uint32_t)rng_below(&seed, n % 3 ? 32 : sizeof mem / 4) + 1;
		uint32_t bytes = words * 4 + (uint32_t)rng_below(&seed, sizeof mem - words * 4 + 1);
		uint32_t first = n % 5 ? (uint32_t)rng_below(&seed, bytes / 4 - words + 1) : bytes / 4 - words;
		/* what lies behind it is not to be read */
		const unsigned char *start = mem + sizeof mem - bytes;
		struct addr_facts fx;
		uint64_t at[32];

		for (unsigned l = 0; l < 32; l++) {
			base[l] = 4 * (first + (uint32_t)rng_below(&seed, words));
			want[l] = d[l] = (uint32_t)rng_next(&seed);
		}
		ln->addr(base, false, 0, exec, 4, at, &fx);
		ln->load(start, bytes, at, &fx, exec, d);
		for (unsigned l = 0; l < 32; l++)
			if (exec >> l & 1)
				memcpy(&want[l], start + base[l], sizeof want[l]);
		MUST_TRUE(memcmp(d, want, sizeof d) == 0);
	}
}
END_TEST

Suite *suite_sig(void)
{
	Suite *s = suite_create("sig");
	TCase *t = tcase_create("sig");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, signatures_tell_the_truth);
	tcase_add_test(t, hashes_see_small_changes);
	tcase_add_test(t, hashes_spread_every_bit);
	tcase_add_test(t, hashes_of_what_registers_hold_differ);
	tcase_add_test(t, h3_is_a_matrix_on_every_level);
	tcase_add_test(t, h3_has_full_rank);
	tcase_add_test(t, address_facts_hold);
	tcase_add_test(t, words_are_loaded);
	suite_add_tcase(s, t);
	return s;
}
