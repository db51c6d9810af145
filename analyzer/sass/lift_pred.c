/* What predicate results say of other predicates: ptxas guards a value by one predicate and its use by another that is
 * computed from it. pd = (a < b) AND pp: where pd is true, pp is; pd = (a < b) OR pp: where pd is false, pp is too. Of
 * a logic function the truth table says it. */
#include "analyzer/sass/lift_code.h"

#include <string.h>

enum { COMBINE_AND, COMBINE_OR, COMBINE_XOR };

static uint64_t bits(const uint64_t w[2], unsigned high, unsigned low)
{
	const uint64_t above = high >= 64 && low < 64 ? w[1] << (64 - low) : 0;
	const uint64_t x = low >= 64 ? w[1] >> (low - 64) : w[0] >> low | above;

	return x & ((UINT64_C(1) << (high - low + 1)) - 1);
}

static const struct sass_operand *by_role(const struct sass_insn *s, enum sass_role role)
{
	for (unsigned o = 0; o < s->nop; o++)
		if (s->op[o].role == role && (s->op[o].kind == SASS_PRED || s->op[o].kind == SASS_UPRED))
			return &s->op[o];
	return NULL;
}

/* The literal that o is, or with NOT its opposite. */
static unsigned literal(const struct sass_operand *o, bool not )
{
	const bool neg = o->neg != not ;

	if (o->reg >= SASS_TRUE)
		return neg ? IMPLIES_NEVER : IMPLIES_NOTHING;
	return IMPLIES_LITERAL + 2 * (o->reg + (o->kind == SASS_UPRED ? 7 : 0)) + neg;
}

/* Where the function `table` of three predicates is `value`: a source that is the same there, each time. */
static unsigned of_table(const struct sass_operand *const src[3], unsigned table, bool value)
{
	bool may[3][2] = { { false } }; /* source n is false, true there */
	bool any = false;

	for (unsigned row = 0; row < 8; row++) {
		bool possible = (table >> row & 1) == value;

		for (unsigned n = 0; n < 3; n++) {
			/* of the source as it is read, negated where it says so */
			const bool is = row >> (2 - n) & 1;

			if (src[n]->reg >= SASS_TRUE && is == src[n]->neg)
				possible = false;
		}
		if (!possible)
			continue;
		any = true;
		for (unsigned n = 0; n < 3; n++)
			may[n][row >> (2 - n) & 1] = true;
	}
	if (!any)
		return IMPLIES_NEVER;
	for (unsigned n = 0; n < 3; n++)
		if (src[n]->reg < SASS_TRUE && may[n][0] != may[n][1])
			return literal(src[n], may[n][0]);
	return IMPLIES_NOTHING;
}

/* Of a comparison: how it is combined with its source predicate, or -1. */
static int combined(const struct sass_insn *s, const uint64_t w[2])
{
	const char *m = sass_mnemonic(s);

	if (strcmp(m, "ISETP") == 0 || strcmp(m, "UISETP") == 0 || strcmp(m, "FSETP") == 0 || strcmp(m, "DSETP") == 0)
		return (int)bits(w, 75, 74);
	return strcmp(m, "HSETP2") == 0 ? (int)bits(w, 70, 69) : -1;
}

void lift_implied(const struct sass_insn *s, const uint64_t w[2], struct insn *i)
{
	const struct sass_operand *src[3] = { by_role(s, SROLE_PP), by_role(s, SROLE_PQ), by_role(s, SROLE_PR) },
				  *to[2];
	const bool logic = strcmp(sass_mnemonic(s), "PLOP3") == 0 || strcmp(sass_mnemonic(s), "UPLOP3") == 0;
	const int how = combined(s, w);
	unsigned n = 0;
	uint32_t all = 0;

	to[0] = by_role(s, SROLE_PD);
	to[1] = by_role(s, SROLE_PE);
	if (!src[0] || (logic ? !src[1] || !src[2] : how < 0))
		return;
	for (unsigned t = 0; t < 2; t++) {
		const uint64_t given = t ? bits(w, 23, 16) : bits(w, 76, 72) << 3 | bits(w, 66, 64);
		const unsigned table = logic ? (unsigned)given : 0;

		if (!to[t] || to[t]->reg >= SASS_TRUE)
			continue;
		for (unsigned value = 0; value < 2; value++) {
			unsigned x = IMPLIES_NOTHING;

			if (logic)
				x = of_table(src, table, value);
			else if (how == (value ? COMBINE_AND : COMBINE_OR))
				x = literal(src[0], !value);
			all |= x << 8 * (2 * n + !value);
		}
		n++;
	}
	i->offset = (int32_t)all;
	if (!logic && how != COMBINE_XOR && src[0]->reg < SASS_TRUE)
		i->cop = (uint8_t)literal(src[0], how == COMBINE_OR);
}
