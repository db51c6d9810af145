/* Logic, shifts and bit fields: bit by bit, as the ISA's pseudo-code has them. */
#include "test/conform/arith.h"

#include <stdio.h>

static unsigned width(const struct trial *t) { return bits_of(trial_type(t, 0)); }
static bool bit(uint64_t v, unsigned i) { return i < 64 && v >> i & 1; }

/* d[i] = how(a[i], b[i], c[i]), by the table of eight answers */
static uint64_t table(const struct trial *t, unsigned answers)
{
	uint64_t d = 0;

	for (unsigned i = 0; i < width(t); i++)
		d |= (uint64_t)(answers >> (bit(t->src[0], i) * 4 + bit(t->src[1], i) * 2 + bit(t->src[2], i)) & 1)
		     << i;
	return d;
}
/* and, or, xor and not have two or one source: the others are whatever is there */
static bool o_and(struct trial *t, const uint64_t got[2]) { return is(t, got, table(t, 0xc0)); }
static bool o_or(struct trial *t, const uint64_t got[2]) { return is(t, got, table(t, 0xfc)); }
static bool o_xor(struct trial *t, const uint64_t got[2]) { return is(t, got, table(t, 0x3c)); }
static bool o_not(struct trial *t, const uint64_t got[2]) { return is(t, got, table(t, 0x0f)); }
static bool o_cnot(struct trial *t, const uint64_t got[2]) { return is(t, got, t->src[0] == 0); }

static bool o_lop3(struct trial *t, const uint64_t got[2]) { return is(t, got, table(t, (unsigned)t->src[3])); }
static bool w_lop3(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	static const unsigned char luts[] = { 0x96, 0x00, 0xff, 0xe8, 0xca, 0x80, 0xfe, 0x1b, 0x01, 0x78, 0xd8, 0x6a };

	(void)t;
	if (n == sizeof luts)
		return false;
	snprintf(v->ptx, sizeof v->ptx, "%s d0, s0, s1, s2, %u;", mnemonic, luts[n]);
	v->fixed = 8;
	v->src[3] = luts[n];
	return true;
}

/* lop3.BOOL d|p: p is (d != 0) BOOL q. */
static bool o_lop3_pred(struct trial *t, const uint64_t got[2])
{
	bool some, q = t->src[3];

	t->want[0] = table(t, (unsigned)t->v->tag);
	some = t->want[0] != 0;
	if (trial_has(t, "and"))
		t->want[1] = some && q;
	else
		t->want[1] = trial_has(t, "or") ? some || q : some != q;
	return got[0] == t->want[0] && got[1] == t->want[1];
}
static bool w_lop3_pred(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	(void)t;
	v->tag = n ? 0x80 : 0x96;
	snprintf(v->ptx, sizeof v->ptx, "%s d0|d1, s0, s1, s2, %u, s3;", mnemonic, (unsigned)v->tag);
	return n < 2;
}

/* One place at a time, at most as many as there are. */
static bool o_shl(struct trial *t, const uint64_t got[2])
{
	uint64_t d = t->src[0];

	for (uint64_t i = 0; i < t->src[1] && i < width(t); i++)
		d = wrap((wide)d * 2, width(t));
	return is(t, got, d);
}
static bool o_shr(struct trial *t, const uint64_t got[2])
{
	wide d = number_of(t->src[0], trial_type(t, 0));

	for (uint64_t i = 0; i < t->src[1] && i < width(t); i++)
		d = (d - (d & 1)) / 2;
	return is(t, got, wrap(d, width(t)));
}
/* .clamp or .wrap */
static uint64_t distance(const struct trial *t, uint64_t n)
{
	if (trial_has(t, "clamp"))
		return n > 32 ? 32 : n;
	return n % 32;
}
static bool o_shf(struct trial *t, const uint64_t got[2])
{
	uint64_t lo = t->src[0], hi = t->src[1], n = distance(t, t->src[2]);

	for (uint64_t i = 0; i < n; i++) {
		bool out = trial_has(t, "l") ? lo >> 31 : hi & 1;

		if (trial_has(t, "l")) {
			lo = (lo << 1) & 0xffffffff;
			hi = ((hi << 1) & 0xffffffff) | out;
		} else {
			hi = hi >> 1;
			lo = lo >> 1 | (uint64_t)out << 31;
		}
	}
	return is(t, got, trial_has(t, "l") ? hi : lo);
}

static bool o_bfe(struct trial *t, const uint64_t got[2])
{
	unsigned msb = width(t) - 1, pos = t->src[1] & 0xff, len = t->src[2] & 0xff,
		 top = pos + len - 1 < msb ? pos + len - 1 : msb;
	bool fill = is_signed(trial_type(t, 0)) && len && bit(t->src[0], top);
	uint64_t d = 0;

	for (unsigned i = 0; i <= msb; i++)
		d |= (uint64_t)(i < len && pos + i <= msb ? bit(t->src[0], pos + i) : fill) << i;
	return is(t, got, d);
}
static bool o_bfi(struct trial *t, const uint64_t got[2])
{
	unsigned msb = width(t) - 1, pos = t->src[2] & 0xff, len = t->src[3] & 0xff;
	uint64_t d = t->src[1];

	for (unsigned i = 0; i < len && pos + i <= msb; i++)
		d = (d & ~((uint64_t)1 << (pos + i))) | (uint64_t)bit(t->src[0], i) << (pos + i);
	return is(t, got, d);
}
static bool o_brev(struct trial *t, const uint64_t got[2])
{
	uint64_t d = 0;

	for (unsigned i = 0; i < width(t); i++)
		d = d << 1 | bit(t->src[0], i);
	return is(t, got, d);
}
static bool o_popc(struct trial *t, const uint64_t got[2])
{
	uint64_t n = 0;

	for (unsigned i = 0; i < width(t); i++)
		n += bit(t->src[0], i);
	return is(t, got, n);
}
static bool o_clz(struct trial *t, const uint64_t got[2])
{
	uint64_t n = 0;

	while (n < width(t) && !bit(t->src[0], width(t) - 1 - (unsigned)n))
		n++;
	return is(t, got, n);
}
/* The highest bit that differs from the sign; unsigned numbers have sign 0. */
static bool o_bfind(struct trial *t, const uint64_t got[2])
{
	bool sign = is_signed(trial_type(t, 0)) && bit(t->src[0], width(t) - 1);

	for (unsigned i = width(t); i-- > 0;)
		if (bit(t->src[0], i) != sign)
			return is(t, got, trial_has(t, "shiftamt") ? width(t) - 1 - i : i);
	return is(t, got, 0xffffffff);
}

/* The ISA leaves base > 31 open: nothing is found. */
static bool o_fns(struct trial *t, const uint64_t got[2])
{
	int32_t offset = (int32_t)(uint32_t)t->src[2];
	uint32_t count = offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset;
	uint64_t d = 0xffffffff;

	if (t->src[1] > 31)
		return is(t, got, d);
	if (offset == 0)
		return is(t, got, bit(t->src[0], (unsigned)t->src[1]) ? t->src[1] : d);
	for (int pos = (int)t->src[1]; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1)
		if (bit(t->src[0], (unsigned)pos) && --count == 0) {
			d = (uint64_t)pos;
			break;
		}
	return is(t, got, d);
}
static bool o_bmsk(struct trial *t, const uint64_t got[2])
{
	bool clamp = trial_has(t, "clamp");
	uint64_t from = clamp ? t->src[0] : t->src[0] % 32, n = clamp ? t->src[1] : t->src[1] % 32, d = 0;

	for (uint64_t i = 0; i < 32; i++)
		d |= (uint64_t)(i >= from && i - from < n) << i;
	return is(t, got, d);
}
static bool o_szext(struct trial *t, const uint64_t got[2])
{
	uint64_t n = distance(t, t->src[1]), d = 0;

	for (unsigned i = 0; i < 32 && n; i++)
		d |= (uint64_t)(i < n ? bit(t->src[0], i)
				      : is_signed(trial_type(t, 0)) && bit(t->src[0], (unsigned)n - 1))
		     << i;
	return is(t, got, d);
}

/* prmt and its modes: eight bytes, b above a. */
static bool o_prmt(struct trial *t, const uint64_t got[2])
{
	uint8_t byte[8];
	unsigned c = (unsigned)t->src[2], low = c & 3;
	uint64_t d = 0;

	for (unsigned i = 0; i < 8; i++)
		byte[i] = (uint8_t)(t->src[i / 4] >> 8 * (i % 4));
	for (unsigned i = 0; i < 4; i++) {
		unsigned n = c >> 4 * i & 15, v = byte[n & 7];

		if (n & 8)
			v = v & 128 ? 255 : 0;

		if (trial_has(t, "f4e"))
			v = byte[low + i];
		else if (trial_has(t, "b4e"))
			v = byte[(low + 8 - i) % 8];
		else if (trial_has(t, "rc8"))
			v = byte[low];
		else if (trial_has(t, "ecl"))
			v = byte[i < low ? low : i];
		else if (trial_has(t, "ecr"))
			v = byte[i < low ? i : low];
		else if (trial_has(t, "rc16"))
			v = byte[(low & 1) * 2 + (i & 1)];
		d |= (uint64_t)v << 8 * i;
	}
	return is(t, got, d);
}

const struct oracle oracles_bits[] = {
	{ "and", o_and, NULL },
	{ "or", o_or, NULL },
	{ "xor", o_xor, NULL },
	{ "not", o_not, NULL },
	{ "cnot", o_cnot, NULL },
	{ "lop3", o_lop3, w_lop3 },
	{ "lop3.and", o_lop3_pred, w_lop3_pred },
	{ "shl", o_shl, NULL },
	{ "shr", o_shr, NULL },
	{ "shf", o_shf, NULL },
	{ "bfe", o_bfe, NULL },
	{ "bfi", o_bfi, NULL },
	{ "brev", o_brev, NULL },
	{ "popc", o_popc, NULL },
	{ "clz", o_clz, NULL },
	{ "bfind", o_bfind, NULL },
	{ "prmt", o_prmt, NULL },
	{ "fns", o_fns, NULL },
	{ "bmsk", o_bmsk, NULL },
	{ "szext", o_szext, NULL },
	{ NULL, NULL, NULL },
};
