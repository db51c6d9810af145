/* Sums in rows of PTX, two terms at a time: one carry comes out of two. */
#include "analyzer/sass/values_sum.h"

/* Of 32 or of 64 bits; x: with a carry in, where the second term of a difference is its complement; cc: with a carry
 * out, of a difference that of a + ~b + 1. */
struct sum_rows {
	enum op mov, neg, not, add, sub, add_cc, sub_cc, add_x, sub_x, add_x_cc, sub_x_cc;
};
static const struct sum_rows rows[2] = {
	{
		.mov = OP_MOV_B32,
		.neg = OP_NEG_S32,
		.not = OP_NOT_B32,
		.add = OP_ADD_S32,
		.sub = OP_SUB_S32,
		.add_cc = OP_ADD_CC_32,
		.sub_cc = OP_SUB_CC_32,
		.add_x = OP_ADDC_32,
		.sub_x = OP_SUBC_32,
		.add_x_cc = OP_ADDC_CC_32,
		.sub_x_cc = OP_SUBC_CC_32,
	},
	{
		.mov = OP_MOV_B64,
		.neg = OP_NEG_S64,
		.not = OP_NOT_B64,
		.add = OP_ADD_S64,
		.sub = OP_SUB_S64,
		.add_cc = OP_ADD_CC_64,
		.sub_cc = OP_SUB_CC_64,
		.add_x = OP_ADDC_64,
		.sub_x = OP_SUBC_64,
		.add_x_cc = OP_ADDC_CC_64,
		.sub_x_cc = OP_SUBC_CC_64,
	},
};

static bool carries(const struct sum *s) { return s->pd.kind == REF_REG || s->pe.kind == REF_REG; }

struct sum sum_begin(const struct one *o, bool wide)
{
	static const enum sass_role in[2] = { SROLE_PP, SROLE_PQ };
	struct sum s = { .wide = wide, .x = sass_mod(o->s, "x") > 0 };

	s.pd = one_result(o, SROLE_PD, 0);
	s.pe = one_result(o, SROLE_PE, 0);
	for (unsigned n = 0; n < 2; n++)
		s.in[n] = s.x && one_role(o, in[n]) ? one_predicate(o, in[n]) : one_imm(o, 0);
	return s;
}

void sum_add(const struct one *o, struct sum *s, struct ref x, bool neg)
{
	unsigned at = s->n;
	uint64_t v;

	if (neg && one_steps(o) && one_number(o, x, &v) && (s->x || !carries(s))) {
		v = s->x ? ~v : 0 - v;
		x = one_imm(o, s->wide ? v : (uint32_t)v);
		neg = false;
	}
	if (one_is_zero(o, x) && !neg)
		return;
	for (; !neg && at && s->t[at - 1].neg; at--) /* the negated ones are the last */
		s->t[at] = s->t[at - 1];
	s->t[at] = (struct sum_term){ x, neg };
	s->n++;
}

/* d = a + b */
static void put_two(const struct one *o, const struct sum_rows *r, struct ref d, struct sum_term a, struct sum_term b)
{
	if (one_is_zero(o, b.x)) {
		one_put1(o, a.neg ? r->neg : r->mov, d, a.x);
	} else if (!a.neg) {
		one_put2(o, b.neg ? r->sub : r->add, d, a.x, b.x);
	} else {
		const struct ref minus = r == rows ? one_word(7) : one_wide(3);

		one_put1(o, r->neg, minus, a.x);
		one_put2(o, r->sub, d, minus, b.x);
	}
}

/* Without carries. */
static void put_plain(const struct one *o, struct sum *s)
{
	static const enum op three[3] = { OP_SASS_ADD3, OP_SASS_ADD_SUB, OP_SASS_SUB2 };
	const struct ref between = s->wide ? one_wide(0) : one_word(0);
	const unsigned negated = s->t[0].neg + s->t[1].neg + s->t[2].neg;

	for (unsigned n = s->n; n < 3; n++)
		s->t[n] = (struct sum_term){ one_imm(o, 0), false };
	if (s->n == 3 && one_steps(o) && !s->wide && negated < 3) {
		one_put3(o, three[negated], s->d, s->t[0].x, s->t[1].x, s->t[2].x);
	} else if (s->n == 3) {
		put_two(o, &rows[s->wide], between, s->t[0], s->t[1]);
		put_two(o, &rows[s->wide], s->d, (struct sum_term){ between, false }, s->t[2]);
	} else {
		put_two(o, &rows[s->wide], s->d, s->t[0], s->t[1]);
	}
}

/* d = a + b + in, and its carry. */
static void put_carried(const struct one *o, const struct sum *s, struct ref d, struct ref p, struct ref a,
			struct sum_term b, struct ref in)
{
	const struct sum_rows *r = &rows[s->wide];
	const struct ref dst[2] = { d, p }, src[3] = { a, b.x, in };
	const bool out = p.kind == REF_REG, x = s->x && (b.neg || !one_is_zero(o, in));
	const enum op op[2][2][2] = { { { r->add, r->sub }, { r->add_cc, r->sub_cc } },
				      { { r->add_x, r->sub_x }, { r->add_x_cc, r->sub_x_cc } } };

	if (out || d.kind == REF_REG)
		one_row(o, op[x][out][b.neg], dst, out ? 2 : 1, src, x ? 3 : 2);
}

/* For the engine: with carries, two terms at a time. */
static void put_steps(const struct one *o, struct sum *s)
{
	const struct ref between = s->wide ? one_wide(0) : one_word(0);
	const struct sum_term none = { one_imm(o, 0), false };
	bool two;

	if (s->n && s->t[0].neg) { /* the first one of two must not be */
		if (s->n == 3) {
			one_refuse(o, "is a sum of three that are all negated, with carries");
			return;
		}
		s->t[s->n] = s->t[s->n - 1];
		s->t[1] = s->t[0];
		s->t[0] = none;
		s->n++;
	}
	while (s->n < 2)
		s->t[s->n++] = none;
	two = s->n == 3 || !one_is_zero(o, s->in[1]);
	if (!two) {
		put_carried(o, s, s->d, s->pd, s->t[0].x, s->t[1], s->in[0]);
		one_put1(o, OP_MOV_PRED, s->pe, one_imm(o, 0));
		return;
	}
	put_carried(o, s, between, carries(s) ? one_flag(0) : ref_none(), s->t[0].x, s->t[1], s->in[0]);
	put_carried(o, s, s->d, carries(s) ? one_flag(1) : ref_none(), between, s->n == 3 ? s->t[2] : none, s->in[1]);
	one_put2(o, OP_OR_PRED, s->pd, one_flag(0), one_flag(1));
	one_put2(o, OP_AND_PRED, s->pe, one_flag(0), one_flag(1));
}

/* For passes: three with two carries in. */
static void put_carries_in(const struct one *o, const struct sum *s)
{
	one_put1(o, OP_MOV_B32, one_word(0), one_imm(o, 0));
	for (unsigned n = 0; n < s->n; n++) {
		if (s->t[n].neg)
			one_put1(o, OP_NOT_B32, one_word(1), s->t[n].x);
		one_put2(o, OP_ADD_S32, one_word(0), one_word(0), s->t[n].neg ? one_word(1) : s->t[n].x);
	}
	for (unsigned n = 0; n < 2; n++) {
		one_put3(o, OP_SELP_B32, one_word(1), one_imm(o, 1), one_imm(o, 0), s->in[n]);
		one_put2(o, OP_ADD_S32, one_word(0), one_word(0), one_word(1));
	}
	one_put1(o, OP_MOV_B32, s->d, one_word(0));
}

/* For passes: two with a carry out, of which the first is not negated. */
static void put_carry_out(const struct one *o, const struct sum *s)
{
	const struct sum_term none = { one_imm(o, 0), false };
	const struct sum_term a = s->n && !s->t[0].neg ? s->t[0] : none,
			      b = s->n > !s->t[0].neg ? s->t[s->n - 1] : none;

	one_put_sum(o, one_word(0), a.x, false, b.x, b.neg);
	if (b.neg)
		one_put2(o, OP_SETP_GE_U32, one_flag(0), a.x, b.x);
	else
		one_put2(o, OP_SETP_LT_U32, one_flag(0), one_word(0), a.x);
	one_put1(o, OP_MOV_B32, s->d, one_word(0));
	one_put1(o, OP_MOV_PRED, s->pd, one_flag(0));
}

void sum_put(const struct one *o, struct sum *s)
{
	if (!s->x && !carries(s))
		put_plain(o, s);
	else if (one_steps(o))
		put_steps(o, s);
	else if (s->x && s->wide)
		return;
	else if (s->x)
		put_carries_in(o, s);
	else if (!s->wide && s->pd.kind == REF_REG && s->n < 3 && !(s->n == 2 && s->t[0].neg))
		put_carry_out(o, s);
	else
		put_plain(o, s);
}
