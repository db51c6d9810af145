/* Video instructions: a few hundred forms drawn with every type, selector and modifier; results from the ISA's
 * pseudo-code in numbers of 128 bits. What a form says is read back from its text. */
#include "test/conform/arith.h"

#include "analyzer/base/rng.h"

#include <stdio.h>
#include <string.h>

enum { FORMS = 48 };

static const char *pick(uint64_t *seed, const char *const list[], unsigned n) { return list[rng_below(seed, n)]; }
#define PICK(list) pick(&seed, list, sizeof list / sizeof *list)

/* Of an opcode that ends before END: v...2, v...4 or others. */
static unsigned lanes_of(const char *end)
{
	if (end[-1] == '2')
		return 2;
	return end[-1] == '4' ? 4 : 1;
}
static bool w_video(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	static const char *const type[] = { ".u32", ".s32" }, *const sat[] = { "", "", ".sat" },
				 *const cmp[] = { ".eq", ".ne", ".lt", ".le", ".gt", ".ge" };
	static const char *const part[] = { "", "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1" }, *const second[] = {
		"", ".add", ".min", ".max"
	};
	static const char *const scale[] = { "", ".shr7", ".shr15" }, *const sign[] = { "", "-" };
	static const char *const mask2[] = { "", ".h0", ".h1", ".h10" };
	static const char *const mask4[] = { "",      ".b0", ".b1",  ".b10",  ".b2",  ".b20",  ".b21",
					     ".b210", ".b3", ".b30", ".b310", ".b32", ".b321", ".b3210" };
	unsigned lanes = lanes_of(mnemonic + strlen(mnemonic));
	uint64_t seed = n * 77u + strlen(mnemonic) * 1000u + (unsigned char)mnemonic[2];
	bool set = strncmp(mnemonic, "vset", 4) == 0, shift = strncmp(mnemonic, "vsh", 3) == 0,
	     mad = strcmp(mnemonic, "vmad") == 0;
	char text[64], a[16], b[16];
	const char *s = set ? "" : PICK(sat), *op = "", *how = "", *d;

	(void)t;
	snprintf(text, sizeof text, "%s%s%s%s", mnemonic, set ? "" : PICK(type), PICK(type),
		 shift ? ".u32" : PICK(type));
	if (mad) { /* the product or the addend is negated, not both; nothing with .po */
		bool po = rng_below(&seed, 3) == 0, c = !po && rng_below(&seed, 3) == 0;
		const char *na = po || c ? "" : PICK(sign), *nb = po || c ? "" : PICK(sign);

		snprintf(v->ptx, sizeof v->ptx, "%s%s%s%s d0, %ss0%s, %ss1%s, %ss2;", text, po ? ".po" : "", s,
			 PICK(scale), na, PICK(part), nb, PICK(part), c ? "-" : "");
	} else if (lanes == 1) {
		d = PICK(part);
		op = *d ? "" : PICK(second);
		if (set)
			how = PICK(cmp);
		else if (shift)
			how = rng_below(&seed, 2) ? ".wrap" : ".clamp";
		snprintf(v->ptx, sizeof v->ptx, "%s%s%s%s d0%s, s0%s, s1%s%s;", text, s, how, op, d, PICK(part),
			 PICK(part), *d || *op ? ", s2" : "");
	} else {
		snprintf(a, sizeof a, lanes == 2 ? ".h%u%u" : ".b%u%u%u%u", rng_below(&seed, 2 * lanes),
			 rng_below(&seed, 2 * lanes), rng_below(&seed, 2 * lanes), rng_below(&seed, 2 * lanes));
		snprintf(b, sizeof b, lanes == 2 ? ".h%u%u" : ".b%u%u%u%u", rng_below(&seed, 2 * lanes),
			 rng_below(&seed, 2 * lanes), rng_below(&seed, 2 * lanes), rng_below(&seed, 2 * lanes));
		snprintf(v->ptx, sizeof v->ptx, "%s%s%s%s d0%s, s0%s, s1%s, s2;", text, s, set ? PICK(cmp) : "",
			 *s || rng_below(&seed, 2) ? "" : ".add", lanes == 2 ? PICK(mask2) : PICK(mask4),
			 rng_below(&seed, 3) ? a : "", rng_below(&seed, 3) ? b : "");
	}
	return n < FORMS;
}

/* The n-th word of the text behind the mnemonic, and what stands behind its dot. */
static const char *operand(const char *ptx, unsigned n, bool *neg, char sel[8])
{
	const char *s = strchr(ptx, ' ');
	size_t len;

	for (unsigned i = 0; s && i < n; i++)
		s = strchr(s + 1, ',');
	sel[0] = 0;
	*neg = false;
	if (!s)
		return NULL;
	s += *s == ',' ? 2 : 1;
	*neg = *s == '-';
	len = strcspn(s, ".,;");
	if (s[len] == '.')
		snprintf(sel, 8, "%.*s", (int)strcspn(s + len + 1, ",;"), s + len + 1);
	return s;
}

static bool has(const char *ptx, const char *part)
{
	const char *end = strchr(ptx, ' '), *at = strstr(ptx, part);

	return at && at < end && (at[strlen(part)] == '.' || at[strlen(part)] == ' ');
}

static enum scalar_type type_of(unsigned bits, bool sign)
{
	if (bits == 32)
		return sign ? TY_S32 : TY_U32;
	if (bits == 16)
		return sign ? TY_S16 : TY_U16;
	return sign ? TY_S8 : TY_U8;
}
static wide part_value(uint64_t v, const char *sel, bool sign)
{
	unsigned bits;
	if (!*sel)
		bits = 32;
	else
		bits = *sel == 'h' ? 16 : 8;

	v >>= *sel ? bits * (unsigned)(sel[1] - '0') : 0;
	return number_of(v, type_of(bits, sign));
}

static wide clamp_bits(wide n, unsigned bits, bool sign) { return saturate(n, type_of(bits, sign)); }

static wide compute(const char *ptx, wide a, wide b)
{
	if (!strncmp(ptx, "vadd", 4))
		return a + b;
	if (!strncmp(ptx, "vsub", 4))
		return a - b;
	if (!strncmp(ptx, "vabs", 4))
		return a > b ? a - b : b - a;
	if (!strncmp(ptx, "vmin", 4))
		return a < b ? a : b;
	if (!strncmp(ptx, "vmax", 4))
		return a < b ? b : a;
	if (!strncmp(ptx, "vavrg", 5))
		return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
	if (!strncmp(ptx, "vset", 4)) {
		if (has(ptx, ".eq"))
			return a == b;
		if (has(ptx, ".ne"))
			return a != b;
		if (has(ptx, ".lt"))
			return a < b;
		if (has(ptx, ".le"))
			return a <= b;
		return has(ptx, ".gt") ? a > b : a >= b;
	}
	if (has(ptx, ".wrap"))
		b = b % 32;
	else
		b = b > 32 ? 32 : b;
	for (wide i = 0; i < b; i++)
		a = !strncmp(ptx, "vshl", 4) ? a * 2 : a >> 1;
	return a;
}

static bool o_vmad(struct trial *t, const uint64_t got[2], bool asign, bool bsign)
{
	const char *ptx = t->v->ptx;
	char asel[8], bsel[8], csel[8];
	bool an, bn, cn, sign;
	wide r;

	operand(ptx, 1, &an, asel);
	operand(ptx, 2, &bn, bsel);
	operand(ptx, 3, &cn, csel);
	sign = asign || bsign || an != bn || cn;
	r = part_value(t->src[0], asel, asign) * part_value(t->src[1], bsel, bsign) * (an != bn ? -1 : 1);
	if (cn) /* the complement of 32 bits is extended, then one is added */
		r += number_of(wrap(~(wide)t->src[2], 32), TY_S32) + 1;
	else
		r += number_of(t->src[2], sign ? TY_S32 : TY_U32);
	r += has(ptx, ".po");
	if (has(ptx, ".shr7"))
		r >>= 7;
	else if (has(ptx, ".shr15"))
		r >>= 15;
	return is(t, got, wrap(has(ptx, ".sat") ? clamp_bits(r, 32, sign) : r, 32));
}

static bool o_video(struct trial *t, const uint64_t got[2])
{
	const char *ptx = t->v->ptx, *types = strchr(ptx, '.');
	bool set = !strncmp(ptx, "vset", 4), dsign = !set && types[1] == 's', asign = types[set ? 1 : 5] == 's',
	     bsign = types[set ? 5 : 9] == 's', neg;
	unsigned lanes = lanes_of(types), bits = 32 / lanes;
	char dsel[8], asel[8], bsel[8];
	uint64_t d, all = t->src[1] << 32 | t->src[0];
	wide r, c;

	if (!strncmp(ptx, "vmad", 4))
		return o_vmad(t, got, asign, bsign);
	operand(ptx, 0, &neg, dsel);
	operand(ptx, 1, &neg, asel);
	operand(ptx, 2, &neg, bsel);
	if (lanes == 1) {
		if (!*dsel)
			bits = 32;
		else
			bits = *dsel == 'h' ? 16 : 8;
		r = compute(ptx, part_value(t->src[0], asel, asign), part_value(t->src[1], bsel, bsign));
		r = has(ptx, ".sat") ? clamp_bits(r, bits, dsign) : r;
		if (*dsel) {
			unsigned at = bits * (unsigned)(dsel[1] - '0');

			for (unsigned i = 0; i < 4; i++) /* byte by byte */
				if (8 * i >= at && 8 * i < at + bits)
					t->want[0] |= (wrap(r, bits) >> (8 * i - at) & 255) << 8 * i;
				else
					t->want[0] |= t->src[2] & (uint64_t)255 << 8 * i;
			return got[0] == t->want[0];
		}
		c = number_of(t->src[2], dsign ? TY_S32 : TY_U32);
		if (has(ptx, ".add"))
			r = r + c;
		else if (has(ptx, ".min"))
			r = r < c ? r : c;
		else if (has(ptx, ".max"))
			r = r < c ? c : r;
		return is(t, got, wrap(r, 32));
	}
	d = has(ptx, ".add") ? t->src[2] : 0;
	for (unsigned i = 0; i < lanes; i++) {
		const char x[3] = { lanes == 2 ? 'h' : 'b', (char)('0' + i), 0 };
		unsigned from = *asel ? (unsigned)(asel[lanes - i] - '0') : i,
			 with = *bsel ? (unsigned)(bsel[lanes - i] - '0') : lanes + i;
		bool on = !*dsel || strchr(dsel, x[1]);

		r = compute(ptx, part_value(all >> bits * from, lanes == 2 ? "h0" : "b0", asign),
			    part_value(all >> bits * with, lanes == 2 ? "h0" : "b0", bsign));
		r = has(ptx, ".sat") ? clamp_bits(r, bits, dsign) : r;
		if (has(ptx, ".add"))
			d = wrap((wide)d + (on ? r : 0), 32);
		else
			d |= (on ? wrap(r, bits) : wrap((wide)(t->src[2] >> bits * i), bits)) << bits * i;
	}
	return is(t, got, d);
}

#define V(base)                            \
	{                                  \
		base "*", o_video, w_video \
	}
const struct oracle oracles_video[] = {
	V("vadd"), V("vsub"), V("vabsdiff"),        V("vmin"), V("vmax"), V("vavrg"), V("vset"), V("vshl"),
	V("vshr"), V("vmad"), { NULL, NULL, NULL },
};
