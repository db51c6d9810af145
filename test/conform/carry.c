/* Extended precision: s(n) is the carry that comes in, d1 the one that goes out. The carry has no name in PTX, so that
 * it is set by an addition that carries, and read by one of zeros. */
#include "test/conform/arith.h"

#include <stdio.h>
#include <string.h>

static bool starts(const struct trial *t, const char *base) { return strncmp(t->text, base, strlen(base)) == 0; }
static bool carries_in(const struct trial *t) { return starts(t, "addc") || starts(t, "subc") || starts(t, "madc"); }

static bool w_carry(const struct trial *t, const char *mnemonic, unsigned n, struct variant *v)
{
	unsigned in = t->row->nsrc - (carries_in(t) ? 1u : 0u);
	char list[32] = "";

	for (unsigned i = 0; i < in; i++)
		snprintf(list + strlen(list), sizeof list - strlen(list), ", s%u", i);
	snprintf(v->ptx, sizeof v->ptx, ".reg .b32 t; ");
	if (carries_in(t))
		snprintf(v->ptx + strlen(v->ptx), sizeof v->ptx - strlen(v->ptx),
			 "selp.u32 t, 1, 0, s%u; add.cc.u32 t, t, 0xffffffff; ", in);
	snprintf(v->ptx + strlen(v->ptx), sizeof v->ptx - strlen(v->ptx), "%s d0%s;%s", mnemonic, list,
		 t->row->ndst > 1 ? " addc.u32 t, 0, 0; setp.ne.u32 d1, t, 0;" : "");
	return n == 0;
}

static bool o_carry(struct trial *t, const uint64_t got[2])
{
	enum scalar_type type = trial_type(t, 0), plain = bits_of(type) == 64 ? TY_U64 : TY_U32;
	unsigned bits = bits_of(type), last = t->row->nsrc - 1u;
	wide in = carries_in(t) ? (wide)t->src[last] : 0, a = number_of(t->src[0], type),
	     b = number_of(t->src[1], type), r;
	uwide p;

	if (starts(t, "mad")) {
		p = is_signed(type) ? (uwide)(a * b) : (uwide)a * (uwide)b;
		r = number_of((uint64_t)(trial_has(t, "hi") ? p >> bits : p), plain) + (wide)t->src[2] + in;
	} else if (starts(t, "sub")) {
		r = number_of(t->src[0], plain) - number_of(t->src[1], plain) - (carries_in(t) ? 1 - in : 0);
	} else {
		r = number_of(t->src[0], plain) + number_of(t->src[1], plain) + in;
	}
	t->want[0] = wrap(r, bits);
	t->want[1] = t->row->ndst > 1 && (starts(t, "sub") ? r >= 0 : r >> bits != 0); /* no borrow is a carry */
	return got[0] == t->want[0] && got[1] == t->want[1];
}

#define CC(base)                              \
	{                                     \
		base "*.u*", o_carry, w_carry \
	}
const struct oracle oracles_carry[] = {
	CC("add.cc"),
	CC("addc"),
	CC("addc.cc"),
	CC("sub.cc"),
	CC("subc"),
	CC("subc.cc"),
	CC("mad.lo.cc"),
	CC("mad.hi.cc"),
	CC("madc"),
	CC("madc.hi"),
	{ "mad.hi.cc*.s*", o_carry, w_carry },
	{ "madc.hi*.s*", o_carry, w_carry },
	{ NULL, NULL, NULL },
};
