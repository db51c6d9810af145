/* Reference of examples/sha256. Its constants are computed as the standard defines them, from the roots of the first
 * primes, and it must give the standard's digest of "abc". */
#include "ref.h"

enum { N = 1024, SLOT = 128 };

__extension__ typedef unsigned __int128 wide;

struct sha256 {
	uint8_t *messages, *lengths, *digests;
};

static uint32_t start[8], constant[64];

/* The first 32 bits after the point of the square root (power 2) or cube root (power 3) of n < 512, digit by digit. */
static uint32_t root_fraction(unsigned n, int power)
{
	wide root = 0;

	for (wide bit = (wide)1 << 37; bit; bit >>= 1) {
		wide r = root | bit, to_power = power == 2 ? r * r : r * r * r;

		if (to_power <= (wide)n << 32 * power)
			root = r;
	}
	return (uint32_t)root;
}

static void sha256_constants(void)
{
	unsigned prime = 2;

	for (int i = 0; i < 64; prime++) {
		unsigned divisor = 2;

		while (prime % divisor)
			divisor++;
		if (divisor < prime)
			continue;
		if (i < 8)
			start[i] = root_fraction(prime, 2);
		constant[i++] = root_fraction(prime, 3);
	}
}

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void sha256_block(uint32_t *hash, const uint8_t *block)
{
	uint32_t w[64] = { 0 }, v[8]; /* v: a to h of the standard */

	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 4; j++)
			w[i] = w[i] << 8 | block[4 * i + j];
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, hash, sizeof v);
	for (int i = 0; i < 64; i++) {
		uint32_t one = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
			       ((v[4] & v[5]) ^ (~v[4] & v[6])) + constant[i] + w[i];
		uint32_t two = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
			       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += one;
		v[0] = one + two;
	}
	for (int i = 0; i < 8; i++)
		hash[i] += v[i];
}

static void sha256_message(const uint8_t *message, uint32_t length, uint8_t *digest)
{
	uint8_t padded[SLOT] = { 0 };
	uint32_t bytes = (length + 9 + 63) / 64 * 64, hash[8];

	memcpy(padded, message, length);
	padded[length] = 0x80;
	padded[bytes - 2] = (uint8_t)(length * 8 >> 8);
	padded[bytes - 1] = (uint8_t)(length * 8);
	memcpy(hash, start, sizeof hash);
	for (uint32_t at = 0; at < bytes; at += 64)
		sha256_block(hash, padded + at);
	for (int i = 0; i < 32; i++)
		digest[i] = (uint8_t)(hash[i / 4] >> (24 - i % 4 * 8));
}

static void sha256_compute(void *state)
{
	struct sha256 *s = state;

	for (int m = 0; m < N; m++)
		sha256_message(s->messages + m * SLOT, s->lengths[m], s->digests + m * 32);
}

static void sha256_write(void *state, const char *dir)
{
	static const uint8_t abc[32] = {
		0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
		0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
	};
	uint8_t digest[32];

	sha256_message((const uint8_t *)"abc", 3, digest);
	if (memcmp(digest, abc, sizeof abc) != 0) {
		fputs("sha256: not the digest of \"abc\"\n", stderr);
		exit(1);
	}
	ref_write(dir, "sha256.expect", ((struct sha256 *)state)->digests, N * 32);
}

int main(int argc, char **argv)
{
	struct sha256 s = { ref_random_u8(N * SLOT, 111, 32, 127), ref_random_u8(N, 112, 16, 100),
			    ref_new(uint8_t, N * 32) };

	sha256_constants();
	return ref_main(argc, argv, &s, sha256_compute, sha256_write);
}
