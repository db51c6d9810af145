/* Numbers of 64 bits of machine code in rows of PTX: doubles, whose NaNs keep their payload and sign, and pairs of
 * floats. Semantics: docs/SASS.md#values. */
#include "analyzer/sass/values_fp.h"

#define SIGN64 (UINT64_C(1) << 63)

/* ---- doubles ---- */
/* As fp_size(): what takes a step stands in the n-th value of 64 bits. */
static struct ref double_size(const struct one *o, enum sass_role r, unsigned n, bool *neg)
{
	const struct sass_operand *x = one_role(o, r);
	struct ref v = one_pair(o, r, n);
	uint64_t bits;

	*neg = x && x->neg;
	if (one_number(o, v, &bits)) {
		bits &= x && x->abs ? ~SIGN64 : UINT64_MAX;
		bits ^= *neg ? SIGN64 : 0;
		*neg = false;
		return one_imm(o, bits);
	}
	if (!x || !x->abs)
		return v;
	one_put1(o, OP_ABS_F64, one_wide(n), v);
	return one_wide(n);
}

static struct ref double_negated(const struct one *o, struct ref r, unsigned n)
{
	one_put1(o, OP_NEG_F64, one_wide(n), r);
	return one_wide(n);
}

static struct ref double_value(const struct one *o, enum sass_role r, unsigned n)
{
	bool neg;
	struct ref v = double_size(o, r, n, &neg);

	return neg ? double_negated(o, v, n) : v;
}

static unsigned rounding(const struct one *o)
{
	const int r = sass_mod(o->s, "rnd");

	return r > 0 ? (unsigned)r : FP_RN;
}

static void put_double(const struct one *o, enum op op, unsigned n, struct ref a, struct ref b, struct ref c)
{
	struct ref d = one_pair_result(o, SROLE_D, 0, 3);

	one_put(o, op, d, n, a, b, c);
	one_put_pair(o, SROLE_D, 0, d);
}

void sem_double_sum(const struct one *o)
{
	static const enum op add[ROUNDINGS] = { OP_ADD_F64, OP_ADD_RM_F64, OP_ADD_RP_F64, OP_ADD_RZ_F64 },
			     sub[ROUNDINGS] = { OP_SUB_F64, OP_SUB_RM_F64, OP_SUB_RP_F64, OP_SUB_RZ_F64 };
	const unsigned r = rounding(o);
	bool na, nc;
	struct ref a = double_size(o, SROLE_A, 0, &na), c = double_size(o, SROLE_C, 1, &nc);

	if (na && (nc || r != FP_RN)) {
		a = double_negated(o, a, 0);
		na = false;
	}
	if (na)
		put_double(o, OP_SASS_BACK_F64, 2, a, c, ref_none());
	else
		put_double(o, nc ? sub[r] : add[r], 2, a, c, ref_none());
}

/* The sign of a product: into a number of it, if there is one. */
static bool product_sign(const struct one *o, struct ref *a, bool na, struct ref *b, bool nb)
{
	struct ref *number = b->kind == REF_IMM ? b : a;
	uint64_t bits;

	if (na == nb || !one_number(o, *number, &bits))
		return na != nb;
	*number = one_imm(o, bits ^ SIGN64);
	return false;
}

void sem_double_product(const struct one *o)
{
	static const enum op mul[ROUNDINGS] = { OP_MUL_F64, OP_MUL_RM_F64, OP_MUL_RP_F64, OP_MUL_RZ_F64 };
	const unsigned r = rounding(o);
	bool na, nb, neg;
	struct ref a = double_size(o, SROLE_A, 0, &na), b = double_size(o, SROLE_B, 1, &nb);

	neg = product_sign(o, &a, na, &b, nb);
	if (neg && r != FP_RN) {
		a = double_negated(o, a, 0);
		neg = false;
	}
	put_double(o, neg ? OP_SASS_NMUL_F64 : mul[r], 2, a, b, ref_none());
}

void sem_double_fma(const struct one *o)
{
	static const enum op fma[ROUNDINGS] = { OP_FMA_F64, OP_FMA_RM_F64, OP_FMA_RP_F64, OP_FMA_RZ_F64 },
			     near[2][2] = { { OP_FMA_F64, OP_SASS_FMS_F64 }, { OP_SASS_FNMA_F64, OP_SASS_FNMS_F64 } };
	const unsigned r = rounding(o);
	bool na, nb, nc, neg;
	struct ref a = double_size(o, SROLE_A, 0, &na), b = double_size(o, SROLE_B, 1, &nb),
		   c = double_size(o, SROLE_C, 2, &nc);

	neg = product_sign(o, &a, na, &b, nb);
	if (r == FP_RN) {
		put_double(o, near[neg][nc], 3, a, b, c);
		return;
	}
	if (neg)
		a = double_negated(o, a, 0);
	if (nc)
		c = double_negated(o, c, 2);
	put_double(o, fma[r], 3, a, b, c);
}

static const enum op relations[RELATIONS] = {
	OP_COUNT,        OP_SETP_LT_F64,  OP_SETP_EQ_F64,  OP_SETP_LE_F64,  OP_SETP_GT_F64,  OP_SETP_NE_F64,
	OP_SETP_GE_F64,  OP_SETP_NUM_F64, OP_SETP_NAN_F64, OP_SETP_LTU_F64, OP_SETP_EQU_F64, OP_SETP_LEU_F64,
	OP_SETP_GTU_F64, OP_SETP_NEU_F64, OP_SETP_GEU_F64, OP_COUNT,
};

void sem_double_compare(const struct one *o)
{
	const int rel = sass_mod(o->s, "dcmp"), how = sass_mod(o->s, "bool");
	struct ref a = double_value(o, SROLE_A, 0), c = double_value(o, SROLE_C, 1), pd = one_result(o, SROLE_PD, 0),
		   pe = one_result(o, SROLE_PE, 0);

	if (rel != REL_FALSE && rel != REL_TRUE) {
		fp_put_compared(o, relations, rel, a, c, pd, pe, how);
		return;
	}
	/* .MIN, .MAX: pd: a is the one; pe: both are NaNs */
	if (how != 0 || !one_is_number(o, one_predicate(o, SROLE_PP), 1)) {
		one_refuse(o, "a minimum under another predicate");
		return;
	}
	one_put2(o, rel == REL_FALSE ? OP_SASS_LEAST_F64 : OP_SASS_MOST_F64, one_flag(0), a, c);
	one_put2(o, OP_SASS_NANS_F64, pe, a, c);
	one_put1(o, OP_MOV_PRED, pd, one_flag(0));
}

/* ---- pairs of floats ---- */
/* A source, how which field says: a pair, the same swapped, one register for both; then its sign, where field `other`
 * says that the second has another than the first. */
static struct ref pair_value(const struct one *o, enum sass_role r, const char *how, const char *other, unsigned n)
{
	const struct sass_operand *x = one_role(o, r);
	const int form = sass_mod(o->s, how);
	const bool neg[2] = { x && x->neg, (x && x->neg) != (sass_mod(o->s, other) > 0) };
	struct ref v;

	if (!x || form < 0 || form > 2) {
		one_refuse(o, "this form of a pair is not known");
		return one_wide(n);
	}
	if (x->kind == SASS_F32) {
		v = one_imm(o, (x->value & UINT32_MAX) << 32 | (x->value & UINT32_MAX));
	} else if (form == 0) {
		v = one_pair(o, r, n);
	} else {
		one_put2(o, OP_PACK_B64, one_wide(n), one_bits32(o, x, form == 1), one_bits32(o, x, 0));
		v = one_wide(n);
	}
	if (!neg[0] && !neg[1])
		return v;
	one_put2(o, OP_XOR_B64, one_wide(n), v, one_imm(o, (neg[0] ? SIGN64 >> 32 : 0) | (neg[1] ? SIGN64 : 0)));
	return one_wide(n);
}

static void put_pair(const struct one *o, const enum op row[ROUNDINGS], unsigned n, struct ref a, struct ref b,
		     struct ref c)
{
	struct ref d = one_pair_result(o, SROLE_D, 0, 3);

	fp_put(o, row[rounding(o)], d, n, a, b, c);
	one_put_pair(o, SROLE_D, 0, d);
}

void sem_pair_sum(const struct one *o)
{
	static const enum op row[ROUNDINGS] = { OP_ADD_F32X2, OP_ADD_RM_F32X2, OP_ADD_RP_F32X2, OP_ADD_RZ_F32X2 };

	put_pair(o, row, 2, pair_value(o, SROLE_A, "pair82", "pairneg83", 0),
		 pair_value(o, SROLE_C, "pair85", "pairneg86", 1), ref_none());
}

void sem_pair_product(const struct one *o)
{
	static const enum op row[ROUNDINGS] = { OP_MUL_F32X2, OP_MUL_RM_F32X2, OP_MUL_RP_F32X2, OP_MUL_RZ_F32X2 };

	put_pair(o, row, 2, pair_value(o, SROLE_A, "pair82", "pairneg83", 0), pair_value(o, SROLE_B, "pair88", "", 1),
		 ref_none());
}

void sem_pair_fma(const struct one *o)
{
	static const enum op row[ROUNDINGS] = { OP_FMA_F32X2, OP_FMA_RM_F32X2, OP_FMA_RP_F32X2, OP_FMA_RZ_F32X2 };

	put_pair(o, row, 3, pair_value(o, SROLE_A, "pair82", "pairneg83", 0), pair_value(o, SROLE_B, "pair88", "", 1),
		 pair_value(o, SROLE_C, "pair85", "pairneg86", 2));
}
