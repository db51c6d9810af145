/* Operands: what breaks implementations, in all combinations of two where there is room, mixed with random bits and
 * with values near those of the first source. */
#include "test/conform/conform.h"

#include "analyzer/base/rng.h"

#include <string.h>

static const uint64_t awkward_int[] = {
	0,
	1,
	2,
	3,
	7,
	8,
	15,
	16,
	17,
	31,
	32,
	33,
	63,
	64,
	65,
	127,
	128,
	255,
	256,
	0x7fff,
	0x8000,
	0x8001,
	0xffff,
	0x10000,
	0x7fffff,
	0x800000,
	0xffffff,
	0x7fffffff,
	0x80000000,
	0x80000001,
	0xfffffffe,
	0xffffffff,
	0x100000000,
	0x7fffffffffffffff,
	0x8000000000000000,
	0x8000000000000001,
	0xffffffffffffffff,
	0xfffffffffffffffe,
	0xffffffff80000000,
	0x7fff7fff7fff7fff,
	0x8000800080008000,
	0x7f807f807f807f80,
	0x5555555555555555,
	0x0123456789abcdef,
};
static const uint64_t awkward_f32[] = {
	0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
	0x01000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x3f7fffff,
	0x3f800001, 0x40000000, 0x33800000, 0x34000000, 0x4b000000, 0x4b7fffff, 0x4b000001, 0x4effffff, 0x4f000000,
	0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5f000000, 0x5f800000, 0xdf000000, 0x7f7fffff, 0xff7fffff,
	0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0xff800001, 0x47000000, 0x477fff00, 0x477fefff,
	0x477ff000, 0xc7000100, 0x437f8000, 0x387fc000, 0x33000000, 0x33000001, 0x7f7f8000, 0x7f000000,
};
static const uint64_t awkward_f64[] = {
	0,
	0x8000000000000000,
	1,
	0x8000000000000001,
	0x000fffffffffffff,
	0x0010000000000000,
	0x3ff0000000000000,
	0xbff0000000000000,
	0x3fe0000000000000,
	0xbfe0000000000000,
	0x3ff8000000000000,
	0x4004000000000000,
	0xc004000000000000,
	0x3fefffffffffffff,
	0x3ff0000000000001,
	0x41dfffffffc00000,
	0x41e0000000000000,
	0xc1e0000000200000,
	0x41efffffffe00000,
	0x43e0000000000000,
	0xc3e0000000000000,
	0x43f0000000000000,
	0x4330000000000000,
	0x4330000000000001,
	0x7fefffffffffffff,
	0xffefffffffffffff,
	0x7ff0000000000000,
	0xfff0000000000000,
	0x7ff8000000000000,
	0x7ff0000000000001,
	0xfff8123400000000,
	0x36a0000000000000,
	0x3690000000000000,
	0x3690000000000001,
	0x380fffffffffffff,
	0x3810000000000000,
	0x47efffffe0000000,
	0x47efffffefffffff,
	0x47effffff0000000,
	0x40dfffe000000000,
	0x40effe0000000000,
	0x3e70000000000000,
	0x3ca0000000000000,
};
static const uint64_t awkward_f16[] = {
	0,      0x8000, 1,      0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x3c00, 0xbc00,
	0x3800, 0xb800, 0x3e00, 0x4100, 0xc100, 0x3bff, 0x3c01, 0x4000, 0x1000, 0x1400, 0x6400,
	0x67ff, 0x6800, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe12, 0xfc01, 0x7800,
};
static const uint64_t awkward_bf16[] = {
	0,      0x8000, 1,      0x8001, 0x007f, 0x807f, 0x0080, 0x8080, 0x0081, 0x3f80, 0xbf80, 0x3f00,
	0xbf00, 0x3fc0, 0x4020, 0xc020, 0x3f7f, 0x3f81, 0x4000, 0x3b80, 0x3c00, 0x4300, 0x437f, 0x4b00,
	0x4f00, 0xcf00, 0x5f00, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffc1, 0x7f00,
};
#define TABLE(t) \
	(struct table) { t, sizeof t / sizeof *t }
struct table {
	const uint64_t *v;
	unsigned n;
};

static bool text_has(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++)
		if (memcmp(text + i, word, n) == 0)
			return true;
	return false;
}

static struct table table_of(char letter, const char *text, size_t len, unsigned pick)
{
	if (letter == 'F')
		return TABLE(awkward_f32);
	if (letter == 'G')
		return TABLE(awkward_f64);
	if ((letter == 'H' || letter == 'W') && text_has(text, len, "bf16") &&
	    (pick & 1 || !text_has(text, len, ".f16")))
		return TABLE(awkward_bf16);
	if ((letter == 'H' || letter == 'W') && text_has(text, len, "f16"))
		return TABLE(awkward_f16);
	return TABLE(awkward_int);
}

uint64_t value_cut(char letter, uint64_t v)
{
	switch (letter) {
	case 'P':
		return v & 1;
	case 'B':
		return v & 0xff;
	case 'H':
		return v & 0xffff;
	case 'D':
	case 'G':
		return v;
	default:
		return v & 0xffffffff;
	}
}

/* The highest bit of a number of this letter. */
static uint64_t sign_of(char letter)
{
	if (letter == 'D' || letter == 'G')
		return (uint64_t)1 << 63;
	return letter == 'H' ? 0x8000u : 0x80000000u;
}

uint64_t value_draw(const struct op_info *row, const char *text, size_t len, unsigned s, unsigned i, unsigned n,
		    const uint64_t before[4])
{
	char letter = strchr(row->sig, '_')[1 + s];
	uint64_t seed = ((uint64_t)i * 4 + s) * 0x9e3779b97f4a7c15u + len, pick = rng_next(&seed), v;
	struct table t = table_of(letter, text, len, (unsigned)pick & 1),
		     first = table_of(strchr(row->sig, '_')[1], text, len, 0);
	bool floats = text_has(text, len, "f32x2"),
	     pairs = floats || (letter == 'W' && (text_has(text, len, "16x2") || text_has(text, len, "2.") ||
						  text_has(text, len, "4.")));

	if (row->nsrc == 1 && letter == 'H' && n == 1 << 16)
		return i;
	pick >>= 1;
	if (row->nsrc == 1 && i < t.n && !pairs)
		return value_cut(letter, t.v[i]);
	if (row->nsrc == 2 && first.n * t.n <= n && i < first.n * t.n && !pairs)
		return value_cut(letter, s ? t.v[i / first.n] : first.v[i % first.n]);
	v = t.v[pick / 16 % t.n];
	if (pick % 4 == 0)
		v = rng_next(&seed);
	else if (pick % 16 == 1 && s) /* a neighbour of the first source, or its negative */
		v = before[0] + (pick >> 8 & 3) - 1;
	else if (pick % 16 == 2 && s)
		v = 0 - before[0];
	else if (pick % 16 == 3 && s)
		v = before[0] ^ sign_of(letter);
	else if (pick % 16 == 5) /* small: amounts and counts */
		v = rng_next(&seed) & 127;
	else if (floats)
		v = awkward_f32[pick / 16 % (sizeof awkward_f32 / sizeof *awkward_f32)] |
		    awkward_f32[(pick >> 32) % (sizeof awkward_f32 / sizeof *awkward_f32)] << 32;
	else if (pairs)
		v = (t.v[pick / 16 % t.n] & 0xffff) | t.v[(pick >> 32) % t.n] << 16;
	return value_cut(letter, v);
}
