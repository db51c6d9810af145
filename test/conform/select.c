/* Comparison of integers, selection, moves. */
#include "test/conform/arith.h"

#include <stdio.h>
#include <string.h>

/* setp.CMP.type */
static bool o_setp(struct trial *t, const uint64_t got[2])
{
	size_t len;
	const char *c = trial_part(t, 1, &len);
	wide a = number_of(t->src[0], trial_type(t, 0)), b = number_of(t->src[1], trial_type(t, 0));
	int order = a < b ? -1 : a > b;
	bool d;
	if (c[0] == 'e')
		d = order == 0;
	else if (c[0] == 'n')
		d = order != 0;
	else
		d = c[0] == 'l' ? order < 0 : order > 0;

	if (len == 2 && ((c[0] == 'l' || c[0] == 'g') ? c[1] == 'e' : false))
		d |= order == 0;
	if (!memcmp(c, "ls", 2) || !memcmp(c, "hs", 2) || !memcmp(c, "lo", 2) || !memcmp(c, "hi", 2))
		d = c[0] == 'l' ? order < 0 || (c[1] == 's' && order == 0) : order > 0 || (c[1] == 's' && order == 0);
	return is(t, got, d);
}

/* set: each text also with the Boolean operators, whose third source is the parity of the first. The type of the result
 * comes first in the text: the comparison is that of the text without it. */
static bool w_set(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	static const char *const op[] = { "", ".and", ".or", ".xor" }, *const with[] = { "", ", q", ", q", ", !q" };
	const char *type = strchr(strchr(mnemonic, '.') + 1, '.');

	(void)t;
	snprintf(v->ptx, sizeof v->ptx,
		 ".reg .pred q; .reg .b64 odd; and.b64 odd, x0, 1; setp.ne.u64 q, odd, 0; %.*s%s%s d0, s0, s1%s;",
		 (int)(type - mnemonic), mnemonic, op[n & 3], type, with[n & 3]);
	v->tag = n;
	return n < 4;
}
static bool o_set(struct trial *t, const uint64_t got[2])
{
	char text[64];
	const char *dot = strchr(strchr(t->text, '.') + 1, '.'), *end = memchr(dot + 1, '.', 16);
	int n = snprintf(text, sizeof text, "setp%.*s%.*s", (int)(dot - t->text - 3), t->text + 3,
			 (int)(t->text + t->len - end), end);
	struct trial c = { .row = t->row, .text = text, .len = (size_t)n, .mods = t->mods };
	bool q = (t->src[0] & 1) ^ (t->v->tag == 3), p;

	memcpy(c.src, t->src, sizeof c.src);
	o_setp(&c, got);
	p = c.want[0];
	if ((t->v->tag & 3) == 1)
		p = p && q;
	else if ((t->v->tag & 3) == 2)
		p = p || q;
	else
		p = (t->v->tag & 3) == 3 ? p != q : p;
	if (!p)
		return is(t, got, 0);
	return is(t, got, t->row->sig[0] == 'F' ? 0x3f800000 : 0xffffffff);
}

static bool o_selp(struct trial *t, const uint64_t got[2]) { return is(t, got, t->src[2] ? t->src[0] : t->src[1]); }

/* slct.type.selector: a where c >= 0; of floats, -0 is and a NaN is not. */
static bool o_slct(struct trial *t, const uint64_t got[2])
{
	uint32_t c = (uint32_t)t->src[2];
	bool a;

	if (trial_type(t, 1) == TY_S32)
		a = c < 0x80000000;
	else if ((c & 0x7f800000) == 0 && (t->mods & MOD_FTZ || !(c & 0x007fffff)))
		a = true;
	else
		a = c <= 0x7f800000;
	return is(t, got, t->src[a ? 0 : 1]);
}

static bool o_mov(struct trial *t, const uint64_t got[2]) { return is(t, got, t->src[0]); }

/* mov with a vector on one side. */
static bool w_vector(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	const char *type = strrchr(mnemonic, '.'), *four = t->row->nsrc == 4 ? ", s2, s3" : "";

	if (n)
		return false;
	if (t->row->nsrc > 1)
		snprintf(v->ptx, sizeof v->ptx, "mov%s d0, {s0, s1%s};", type, four);
	else
		snprintf(v->ptx, sizeof v->ptx, "mov%s {d0, d1}, s0;", type);
	return true;
}
static unsigned letter_bits(char c)
{
	if (c == 'H')
		return 16;
	return c == 'D' ? 64 : 32;
}
static bool o_pack(struct trial *t, const uint64_t got[2])
{
	uwide d = 0;

	for (unsigned i = t->row->nsrc; i-- > 0;)
		d = d << letter_bits(strchr(t->row->sig, '_')[1 + i]) | t->src[i];
	return is(t, got, (uint64_t)d);
}
static bool o_unpack(struct trial *t, const uint64_t got[2])
{
	unsigned bits = letter_bits(t->row->sig[0]);

	t->want[0] = wrap((wide)t->src[0], bits);
	t->want[1] = t->src[0] >> bits;
	return got[0] == t->want[0] && got[1] == t->want[1];
}

/* The windows of docs/IR.md. */
static bool o_isspacep(struct trial *t, const uint64_t got[2])
{
	uint64_t high = t->src[0] >> 24;

	if (trial_has(t, "shared::cluster"))
		return is(t, got, high == 1 || (high >= 8 && high < 16));
	if (trial_has(t, "global"))
		return is(t, got, high >= 16);
	if (trial_has(t, "local"))
		return is(t, got, high == 2);
	return is(t, got, high == (trial_has(t, "const") ? 4 : 1));
}

/* Addresses in a cluster, asked by a CTA of rank 0: window of 8 MiB for each rank from 128 MiB on, less 16 MiB where
 * the address is not generic; the own memory has 16 MiB before. */
static uint64_t cluster_base(const struct trial *t) { return trial_has(t, "shared::cluster") ? 0 : 1 << 24; }
static bool o_mapa(struct trial *t, const uint64_t got[2])
{
	const uint64_t base = cluster_base(t), at = ((uint32_t)t->src[0] - base) & UINT32_MAX, first = 7 << 24;
	const uint64_t own = at >= first && at < 15 << 24 ? at & 0x7fffff : at;
	uint64_t to;
	if (t->src[1] == 0)
		to = own;
	else
		to = t->src[1] < 16 ? first + (t->src[1] << 23) + own : 5 << 24;

	return is(t, got, (to & UINT32_MAX) + base);
}
static bool o_getctarank(struct trial *t, const uint64_t got[2])
{
	const uint64_t at = ((uint32_t)t->src[0] - cluster_base(t)) & UINT32_MAX;

	return is(t, got, at >= 7 << 24 && at < 15 << 24 ? (at >> 23) - 14 : 0);
}
/* The rank of the CTA that asks is no operand. */
static bool w_cluster(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	if (n)
		return false;
	snprintf(v->ptx, sizeof v->ptx, "%s d0, s0%s;", mnemonic, t->row->nsrc == 3 ? ", s1" : "");
	return true;
}

const struct oracle oracles_select[] = {
	{ "setp*.s*", o_setp, NULL },
	{ "setp*.u*", o_setp, NULL },
	{ "setp*.b*", o_setp, NULL },
	{ "set*.u32.u*", o_set, w_set },
	{ "set*.u32.s*", o_set, w_set },
	{ "set*.u32.b*", o_set, w_set },
	{ "set*.f32.u*", o_set, w_set },
	{ "set*.f32.s*", o_set, w_set },
	{ "set*.f32.b*", o_set, w_set },
	{ "selp", o_selp, NULL },
	{ "slct", o_slct, NULL },
	{ "mov", o_mov, NULL },
	{ "mov.pack2", o_pack, w_vector },
	{ "mov.pack4", o_pack, w_vector },
	{ "mov.unpack2", o_unpack, w_vector },
	{ "isspacep", o_isspacep, NULL },
	{ "mapa", o_mapa, w_cluster },
	{ "getctarank", o_getctarank, w_cluster },
	{ NULL, NULL, NULL },
};
