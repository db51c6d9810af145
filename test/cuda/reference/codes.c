/* Kernels of codes and hashes. Their tables are computed here from what defines them. */
#include "test/cuda/reference/cuda_ref.h"

static uint32_t ror(uint32_t x, int n) { return x >> n | x << (32 - n); }

/* The first 32 bits of the fraction of x. */
static uint32_t fraction(long double x) { return (uint32_t)((x - floorl(x)) * 4294967296.0L); }

static void sha256(const char *dir)
{
	uint32_t *in = full_u32(896, 1), out[512], k[64], start[8];

	for (uint32_t n = 0, p = 2; n < 64; p++) {
		bool prime = true;

		for (uint32_t d = 2; d * d <= p; d++)
			prime &= p % d != 0;
		if (!prime)
			continue;
		if (n < 8)
			start[n] = fraction(sqrtl(p));
		k[n++] = fraction(cbrtl(p));
	}
	for (int i = 0; i < 64; i++) {
		uint8_t message[64] = { 0 };
		uint32_t w[64], a[8];

		memcpy(message, in + i * 14, 55);
		message[55] = 0x80;
		message[62] = 55 * 8 >> 8;
		message[63] = (uint8_t)(55 * 8);
		for (int t = 0; t < 64; t++)
			w[t] = t < 16 ? (uint32_t)message[4 * t] << 24 | (uint32_t)message[4 * t + 1] << 16 |
						(uint32_t)message[4 * t + 2] << 8 | message[4 * t + 3]
				      : w[t - 16] + w[t - 7] +
						(ror(w[t - 15], 7) ^ ror(w[t - 15], 18) ^ w[t - 15] >> 3) +
						(ror(w[t - 2], 17) ^ ror(w[t - 2], 19) ^ w[t - 2] >> 10);
		memcpy(a, start, sizeof a);
		for (int t = 0; t < 64; t++) { /* the names turn instead of the values */
			uint32_t *s[8], one;

			for (int j = 0; j < 8; j++)
				s[j] = &a[(j + 64 - t) % 8];
			one = *s[7] + (ror(*s[4], 6) ^ ror(*s[4], 11) ^ ror(*s[4], 25)) +
			      (*s[6] ^ (*s[4] & (*s[5] ^ *s[6]))) + k[t] + w[t];
			*s[3] += one;
			*s[7] = one + (ror(*s[0], 2) ^ ror(*s[0], 13) ^ ror(*s[0], 22)) +
				((*s[0] & *s[1]) | (*s[2] & (*s[0] | *s[1])));
		}
		for (int j = 0; j < 8; j++)
			out[i * 8 + j] = a[j] + start[j];
	}
	ref_write(dir, "sha256.out.want", out, sizeof out);
	free(in);
}

static void crc32(const char *dir)
{
	uint8_t *in = ref_random_u8(1152, 1, 0, 256);
	uint32_t out[96], all = 0;

	for (int t = 0; t < 96; t++) {
		uint32_t crc = 0xffffffff;

		for (int bit = 0; bit < 8 * t; bit++)
			crc = crc >> 1 ^ ((crc ^ (uint32_t)in[t * 11 + bit / 8] >> bit % 8) & 1 ? 0xedb88320 : 0);
		out[t] = crc ^ 0xffffffff;
		all ^= out[t];
	}
	ref_write(dir, "crc32.out.want", out, sizeof out);
	ref_write(dir, "crc32.all.want", &all, sizeof all);
	free(in);
}

static unsigned field_product(unsigned a, unsigned b) /* in GF(256) of AES */
{
	unsigned r = 0;

	for (; b; b >>= 1) {
		r ^= b & 1 ? a : 0;
		a = a << 1 ^ (a & 128 ? 0x11b : 0);
	}
	return r;
}

static void aes(const char *dir)
{
	static const unsigned mix[4] = { 2, 3, 1, 1 };
	uint32_t *in = full_u32(256, 1), out[256] = { 0 };
	unsigned sbox[256], key[11][16], rcon = 1;

	for (unsigned x = 0; x < 256; x++) {
		unsigned inverse = 0, r = 0x63;

		for (unsigned y = 1; y < 256; y++)
			if (field_product(x, y) == 1)
				inverse = y;
		for (int turn = 0; turn < 5; turn++)
			r ^= (inverse << turn | inverse >> (8 - turn)) & 255;
		sbox[x] = r;
	}
	for (unsigned k = 0; k < 16; k++)
		key[0][k] = (k * 17 + 3) & 255;
	for (int r = 1; r <= 10; r++) {
		for (int k = 0; k < 16; k++)
			key[r][k] = key[r - 1][k] ^ (k < 4 ? sbox[key[r - 1][12 + (k + 1) % 4]] : key[r][k - 4]);
		key[r][0] ^= rcon;
		for (int k = 4; k < 16; k += 4)
			key[r][k] ^= rcon; /* the first byte's change runs through the row */
		rcon = field_product(rcon, 2);
	}
	for (int i = 0; i < 64; i++) {
		unsigned s[4][4], t[4][4]; /* rows and columns */

		for (int k = 0; k < 16; k++)
			s[k % 4][k / 4] = (in[i * 4 + k / 4] >> k % 4 * 8 & 255) ^ key[0][k];
		for (int r = 1; r <= 10; r++) {
			for (int k = 0; k < 16; k++)
				t[k / 4][k % 4] = sbox[s[k / 4][(k % 4 + k / 4) % 4]];
			for (int k = 0; k < 16; k++) {
				unsigned v = r == 10 ? t[k / 4][k % 4] : 0;

				for (int j = 0; j < 4 && r < 10; j++)
					v ^= field_product(mix[j], t[(k / 4 + j) % 4][k % 4]);
				s[k / 4][k % 4] = v ^ key[r][k % 4 * 4 + k / 4];
			}
		}
		for (int k = 0; k < 16; k++)
			out[i * 4 + k / 4] |= s[k % 4][k / 4] << k % 4 * 8;
	}
	ref_write(dir, "aes.out.want", out, sizeof out);
	free(in);
}

static void base64(const char *dir)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t *in = ref_random_u8(200, 1, 0, 256), text[268];

	for (int c = 0; c < 268; c++) {
		int v = 0;

		for (int bit = 6 * c; bit < 6 * c + 6; bit++)
			v = v * 2 + (bit < 1600 ? in[bit / 8] >> (7 - bit % 8) & 1 : 0);
		text[c] = (uint8_t)(6 * c < 1600 ? alphabet[v] : '=');
	}
	ref_write(dir, "base64.text.want", text, sizeof text);
	ref_write(dir, "base64.back.want", in, 200);
	free(in);
}

static void string_search(const char *dir)
{
	uint8_t *text = ref_random_u8(2000, 1, 97, 100), found[2000] = { 0 };
	uint32_t count = 0;

	for (int i = 0; i + 5 <= 2000; i++) {
		found[i] = memcmp(text + i, "ababa", 5) == 0;
		count += found[i];
	}
	ref_write(dir, "string_search.found.want", found, sizeof found);
	ref_write(dir, "string_search.count.want", &count, sizeof count);
	free(text);
}

static int distance(const uint8_t *a, int la, const uint8_t *b, int lb)
{
	int table[13][13];

	for (int i = 0; i <= la; i++)
		for (int j = 0; j <= lb; j++) {
			int best = i + j;

			if (i > 0 && j > 0) {
				best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
				best = table[i - 1][j] + 1 < best ? table[i - 1][j] + 1 : best;
				best = table[i][j - 1] + 1 < best ? table[i][j - 1] + 1 : best;
			}
			table[i][j] = best;
		}
	return table[la][lb];
}

static void levenshtein(const char *dir)
{
	uint8_t *in = ref_random_u8(1536, 1, 97, 101), out[64];

	for (int i = 0; i < 64; i++)
		out[i] = (uint8_t)distance(in + i * 24, 4 + i % 9, in + i * 24 + 12, 12 - i % 5);
	ref_write(dir, "levenshtein.out.want", out, sizeof out);
	free(in);
}

#define REF(name)           \
	{                   \
#name, name \
	}
const struct cuda_ref refs_codes[] = { REF(sha256),        REF(crc32),       REF(aes),      REF(base64),
				       REF(string_search), REF(levenshtein), { NULL, NULL } };
