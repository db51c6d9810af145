#include "analyzer/base/sha256.h"

#include <string.h>

static const uint32_t constant[64] = {
	/* section 4.2.2 */
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

static void take_block(struct sha256 *s) /* section 6.2.2 */
{
	uint32_t w[64], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4], f = s->h[5], g = s->h[6],
			h = s->h[7];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)s->block[4 * i] << 24 | (uint32_t)s->block[4 * i + 1] << 16 |
		       (uint32_t)s->block[4 * i + 2] << 8 | s->block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++)
		w[i] = (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10) + w[i - 7] +
		       (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 16];
	for (unsigned i = 0; i < 64; i++) {
		const uint32_t t1 =
			h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constant[i] + w[i];
		const uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	s->h[0] += a;
	s->h[1] += b;
	s->h[2] += c;
	s->h[3] += d;
	s->h[4] += e;
	s->h[5] += f;
	s->h[6] += g;
	s->h[7] += h;
}

void sha256_begin(struct sha256 *s)
{
	*s = (struct sha256){ .h = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
				     0x5be0cd19 } };
}

void sha256_add(struct sha256 *s, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n) {
		size_t at = s->bytes % sizeof s->block, part = sizeof s->block - at < n ? sizeof s->block - at : n;

		memcpy(s->block + at, p, part);
		s->bytes += part;
		p += part;
		n -= part;
		if (at + part == sizeof s->block)
			take_block(s);
	}
}

void sha256_end(struct sha256 *s, char hex[SHA256_HEX])
{
	static const unsigned char pad[64] = { 0x80 };
	const uint64_t bits = s->bytes * 8;
	unsigned char length[8];

	sha256_add(s, pad, 1 + (119 - s->bytes % 64) % 64); /* up to 56 of a block */
	for (unsigned i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha256_add(s, length, sizeof length);
	for (unsigned i = 0; i < SHA256_BYTES; i++) {
		unsigned byte = s->h[i / 4] >> (24 - 8 * (i % 4)) & 0xff;

		hex[2 * i] = "0123456789abcdef"[byte >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[byte & 15];
	}
	hex[2 * SHA256_BYTES] = '\0';
}

void sha256_of(const void *data, size_t n, char hex[SHA256_HEX])
{
	struct sha256 s;

	sha256_begin(&s);
	sha256_add(&s, data, n);
	sha256_end(&s, hex);
}
