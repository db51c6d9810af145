/* Floats of 32 bits of machine code in rows of PTX. A sign of an operand is a step of its own only where no row has it.
 * NaNs that arithmetic makes are one pattern, so that signs of NaNs do not matter. Semantics: docs/SASS.md#values. */
#include "analyzer/sass/values_fp.h"

#define SIGN UINT64_C(0x80000000)
#define SIGNS UINT64_C(0x80008000)

/* ---- operands ---- */
static uint64_t signs(enum fp_size size) { return size == FP_32 ? SIGN : SIGNS; }

struct ref fp_negated(const struct one *o, struct ref r, enum fp_size size, unsigned n)
{
	uint64_t bits;

	if (one_number(o, r, &bits))
		return one_imm(o, bits ^ signs(size));
	one_put2(o, OP_XOR_B32, one_word(n), r, one_imm(o, signs(size)));
	return one_word(n);
}

struct ref fp_size(const struct one *o, enum sass_role r, enum fp_size size, unsigned n, bool *neg)
{
	const struct sass_operand *x = one_role(o, r);
	struct ref v = one_bits32(o, x, 0);
	uint64_t bits;

	*neg = x && x->neg;
	if (one_number(o, v, &bits)) {
		bits &= x && x->abs ? ~signs(size) : UINT64_MAX;
		bits ^= *neg ? signs(size) : 0;
		*neg = false;
		return one_imm(o, bits);
	}
	if (!x || !x->abs)
		return v;
	if (*neg)
		one_put2(o, OP_OR_B32, one_word(n), v, one_imm(o, signs(size)));
	else
		one_put2(o, OP_AND_B32, one_word(n), v, one_imm(o, (uint32_t)~signs(size)));
	*neg = false;
	return one_word(n);
}

struct ref fp_value(const struct one *o, enum sass_role r, enum fp_size size, unsigned n)
{
	bool neg;
	struct ref v = fp_size(o, r, size, n, &neg);

	return neg ? fp_negated(o, v, size, n) : v;
}

/* ---- rows ---- */
void fp_put(const struct one *o, enum op op, struct ref d, unsigned n, struct ref a, struct ref b, struct ref c)
{
	const bool ftz = sass_mod(o->s, "ftz") > 0, sat = sass_mod(o->s, "sat") > 0;
	struct insn *x;

	if (op == OP_COUNT)
		return;
	if (sass_mod(o->s, "fmz") > 0)
		one_refuse(o, "what .FMZ makes of it is not known");
	if ((ftz && !(op_info[op].flags & OPF_FTZ)) || (sat && !(op_info[op].flags & OPF_SAT)))
		one_refuse(o, "there is no row with its .FTZ or .SAT");
	x = one_put(o, op, d, n, a, b, c);
	if (x)
		x->mods |= (ftz ? MOD_FTZ : 0) | (sat ? MOD_SAT : 0);
}

static void put1(const struct one *o, enum op op, struct ref d, struct ref a)
{
	fp_put(o, op, d, 1, a, ref_none(), ref_none());
}

static void put2(const struct one *o, enum op op, struct ref d, struct ref a, struct ref b)
{
	fp_put(o, op, d, 2, a, b, ref_none());
}

static unsigned rounding(const struct one *o)
{
	const int r = sass_mod(o->s, "rnd");

	return r > 0 ? (unsigned)r : FP_RN;
}

/* ---- sums and products ---- */
enum { FHALF_NONE, FHALF_F16, FHALF_BF16 = 3 };

/* Source a or b as fp_size(); from sm_100 on it may be half a register. */
static struct ref mixed_size(const struct one *o, enum sass_role r, unsigned n, bool *neg)
{
	const int type = sass_mod(o->s, "fhalf");
	const bool high = sass_mod(o->s, r == SROLE_A ? "fhalfa" : "fhalfb") > 0;
	const struct sass_operand *x = one_role(o, r);
	struct ref v;

	if (type <= FHALF_NONE)
		return fp_size(o, r, FP_32, n, neg);
	v = one_source(o, r);
	if (type == FHALF_F16)
		one_put1(o, high ? OP_SASS_HIGH_F32_F16 : OP_CVT_F32_F16, one_word(n), v);
	else if (type == FHALF_BF16 && high)
		one_put2(o, OP_AND_B32, one_word(n), v, one_imm(o, 0xffff0000));
	else if (type == FHALF_BF16)
		one_put2(o, OP_SHL_B32, one_word(n), v, one_imm(o, 16));
	else
		one_refuse(o, "of what type it is is not known");
	if (x && x->abs)
		one_put2(o, OP_AND_B32, one_word(n), one_word(n), one_imm(o, 0x7fffffff));
	*neg = x && x->neg;
	return one_word(n);
}

/* x - 0, which is x but for NaNs and subnormals. */
static void put_same(const struct one *o, enum sass_role r, struct ref d)
{
	const struct sass_operand *x = one_role(o, r);
	struct ref v = one_bits32(o, x, 0);

	if (x && x->abs && x->neg)
		put1(o, OP_CVT_F32_F32, d, fp_value(o, r, FP_32, 0));
	else if (x && x->abs)
		put1(o, OP_ABS_F32, d, v);
	else
		put1(o, x && x->neg ? OP_NEG_F32 : OP_CVT_F32_F32, d, v);
}

static bool is_minus_zero(const struct one *o, enum sass_role r)
{
	const struct sass_operand *x = one_role(o, r);

	return x && one_is_number(o, one_bits32(o, x, 0), x->neg ? 0 : SIGN);
}

void sem_float_sum(const struct one *o)
{
	static const enum op add[ROUNDINGS] = { OP_ADD_F32, OP_ADD_RM_F32, OP_ADD_RP_F32, OP_ADD_RZ_F32 },
			     sub[ROUNDINGS] = { OP_SUB_F32, OP_SUB_RM_F32, OP_SUB_RP_F32, OP_SUB_RZ_F32 };
	const unsigned r = rounding(o);
	struct ref d = one_result(o, SROLE_D, 0), a, c;
	bool na, nc;

	if (is_minus_zero(o, SROLE_C) && r == FP_RN && sass_mod(o->s, "sat") <= 0 && sass_mod(o->s, "fhalf") <= 0) {
		put_same(o, SROLE_A, d);
		return;
	}
	a = mixed_size(o, SROLE_A, 0, &na);
	c = fp_size(o, SROLE_C, FP_32, 1, &nc);
	if (na && nc) {
		a = fp_negated(o, a, FP_32, 0);
		na = false;
	}
	if (na)
		put2(o, sub[r], d, c, a);
	else
		put2(o, nc ? sub[r] : add[r], d, a, c);
}

/* The sign of a product: into a number of it, if there is one. */
static bool product_sign(const struct one *o, struct ref *a, bool na, struct ref *b, bool nb)
{
	struct ref *number = b->kind == REF_IMM ? b : a;

	if (na == nb || number->kind != REF_IMM)
		return na != nb;
	*number = fp_negated(o, *number, FP_32, 0);
	return false;
}

void sem_float_product(const struct one *o)
{
	static const enum op mul[ROUNDINGS] = { OP_MUL_F32, OP_MUL_RM_F32, OP_MUL_RP_F32, OP_MUL_RZ_F32 };
	const unsigned r = rounding(o);
	bool na, nb, neg;
	struct ref a = fp_size(o, SROLE_A, FP_32, 0, &na), b = fp_size(o, SROLE_B, FP_32, 1, &nb);

	if (sass_mod(o->s, "fscale") != 0 && sass_mod(o->s, "fscale") != 4) {
		one_refuse(o, "its scale is not known");
		return;
	}
	neg = product_sign(o, &a, na, &b, nb);
	if (neg && r != FP_RN) {
		a = fp_negated(o, a, FP_32, 0);
		neg = false;
	}
	put2(o, neg ? OP_SASS_NMUL_F32 : mul[r], one_result(o, SROLE_D, 0), a, b);
}

void sem_float_fma(const struct one *o)
{
	static const enum op fma[ROUNDINGS] = { OP_FMA_F32, OP_FMA_RM_F32, OP_FMA_RP_F32, OP_FMA_RZ_F32 },
			     near[2][2] = { { OP_FMA_F32, OP_SASS_FMS_F32 }, { OP_SASS_FNMA_F32, OP_SASS_FNMS_F32 } };
	const unsigned r = rounding(o);
	bool na, nb, nc, neg;
	struct ref a = mixed_size(o, SROLE_A, 0, &na), b = mixed_size(o, SROLE_B, 1, &nb),
		   c = fp_size(o, SROLE_C, FP_32, 2, &nc);

	neg = product_sign(o, &a, na, &b, nb);
	if (r == FP_RN) {
		fp_put(o, near[neg][nc], one_result(o, SROLE_D, 0), 3, a, b, c);
		return;
	}
	if (neg)
		a = fp_negated(o, a, FP_32, 0);
	if (nc)
		c = fp_negated(o, c, FP_32, 2);
	fp_put(o, fma[r], one_result(o, SROLE_D, 0), 3, a, b, c);
}

/* ---- selection ---- */
/* It keeps bits: of a NaN too. */
void sem_float_select(const struct one *o)
{
	struct ref a = fp_value(o, SROLE_A, FP_32, 0), b = fp_value(o, SROLE_B, FP_32, 1);

	if (sass_mod(o->s, "ftz") > 0)
		one_refuse(o, "what .FTZ makes of it is not known");
	one_put3(o, OP_SELP_B32, one_result(o, SROLE_D, 0), a, b, one_predicate(o, SROLE_PP));
}

void fp_put_least(const struct one *o, enum op least, enum op most, struct ref d, unsigned n, const struct ref src[3])
{
	struct ref pp = one_predicate(o, SROLE_PP);

	if (pp.kind == REF_IMM) {
		fp_put(o, one_is_number(o, pp, 1) ? least : most, d, n, src[0], src[1], src[2]);
		return;
	}
	fp_put(o, least, one_word(4), n, src[0], src[1], src[2]);
	fp_put(o, most, one_word(5), n, src[0], src[1], src[2]);
	one_put3(o, OP_SELP_B32, d, one_word(4), one_word(5), pp);
}

/* .XORSIGN: of the sizes, with the sign of the product, for which an immediate keeps its own; false: it is not that. */
bool fp_xorsign(const struct one *o)
{
	const struct sass_operand *a = one_role(o, SROLE_A), *b = one_role(o, SROLE_B);

	if (sass_mod(o->s, "fxor") <= 0)
		return false;
	if (!a || !b || !a->abs || (!b->abs && b->kind != SASS_F32 && b->kind != SASS_F16X2) || a->neg || b->neg)
		one_refuse(o, "what .XORSIGN makes of it is not known");
	return true;
}

void sem_float_least(const struct one *o)
{
	static const enum op row[2][2][2] = {
		{ { OP_MIN_F32, OP_MAX_F32 }, { OP_MIN_NAN_F32, OP_MAX_NAN_F32 } },
		{ { OP_MIN_XORSIGN_F32, OP_MAX_XORSIGN_F32 }, { OP_MIN_NAN_XORSIGN_F32, OP_MAX_NAN_XORSIGN_F32 } },
	};
	const bool nan = sass_mod(o->s, "fnan") > 0, xor = fp_xorsign(o);
	struct ref src[3] = { { 0 } };

	src[0] = xor? one_source(o, SROLE_A) : fp_value(o, SROLE_A, FP_32, 0);
	src[1] = xor? one_source(o, SROLE_B) : fp_value(o, SROLE_B, FP_32, 1);
	fp_put_least(o, row[xor][nan][0], row[xor][nan][1], one_result(o, SROLE_D, 0), 2, src);
}

void sem_float_least3(const struct one *o)
{
	static const enum op row[2][2] = { { OP_MIN3_F32, OP_MAX3_F32 }, { OP_MIN3_NAN_F32, OP_MAX3_NAN_F32 } };
	const bool nan = sass_mod(o->s, "fnan") > 0;
	const struct ref src[3] = { fp_value(o, SROLE_A, FP_32, 0), fp_value(o, SROLE_B, FP_32, 1),
				    fp_value(o, SROLE_C, FP_32, 2) };

	fp_put_least(o, row[nan][0], row[nan][1], one_result(o, SROLE_D, 0), 3, src);
}

/* ---- comparison ---- */
enum { COMBINE_AND, COMBINE_OR, COMBINE_XOR };

void fp_put_combined(const struct one *o, int how, struct ref d, struct ref p)
{
	struct ref pp = one_predicate(o, SROLE_PP);

	if (one_is_number(o, pp, how == COMBINE_AND))
		one_put1(o, OP_MOV_PRED, d, p);
	else if (how == COMBINE_AND)
		one_put2(o, OP_AND_PRED, d, p, pp);
	else
		one_put2(o, how == COMBINE_OR ? OP_OR_PRED : OP_XOR_PRED, d, p, pp);
}

void fp_put_compared(const struct one *o, const enum op ops[RELATIONS], int rel, struct ref a, struct ref b,
		     struct ref pd, struct ref pe, int how)
{
	static const enum cmp_bool combination[] = { CB_AND, CB_OR, CB_XOR };
	struct ref pp = one_predicate(o, SROLE_PP), src[3] = { a, b, pp }, d[2] = { pd, pe };
	const bool plain = one_is_number(o, pp, how == COMBINE_AND);
	struct insn *x;

	if (rel < 0 || how < COMBINE_AND || how > COMBINE_XOR) {
		one_refuse(o, "what it compares is not known");
		return;
	}
	if (pd.kind != REF_REG && pe.kind != REF_REG)
		return;
	if (rel == REL_FALSE || rel == REL_TRUE) {
		fp_put_combined(o, how, pd, one_imm(o, rel == REL_TRUE));
		if (pe.kind == REF_REG)
			one_refuse(o, "two results without a comparison");
		return;
	}
	x = one_row(o, ops[rel], d, pe.kind == REF_REG ? 2 : 1, src, plain ? 2 : 3);
	if (!x)
		return;
	x->mods |= sass_mod(o->s, "ftz") > 0 ? MOD_FTZ : 0;
	if (!plain)
		x->cbool = (uint8_t)combination[how];
}

static const enum op relations[RELATIONS] = {
	OP_COUNT,        OP_SETP_LT_F32,  OP_SETP_EQ_F32,  OP_SETP_LE_F32,  OP_SETP_GT_F32,  OP_SETP_NE_F32,
	OP_SETP_GE_F32,  OP_SETP_NUM_F32, OP_SETP_NAN_F32, OP_SETP_LTU_F32, OP_SETP_EQU_F32, OP_SETP_LEU_F32,
	OP_SETP_GTU_F32, OP_SETP_NEU_F32, OP_SETP_GEU_F32, OP_COUNT,
};

void sem_float_compare(const struct one *o)
{
	fp_put_compared(o, relations, sass_mod(o->s, "fcmp"), fp_value(o, SROLE_A, FP_32, 0),
			fp_value(o, SROLE_B, FP_32, 1), one_result(o, SROLE_PD, 0), one_result(o, SROLE_PE, 0),
			sass_mod(o->s, "bool"));
}

/* .BF: 1.0 where it holds, else 0. */
void sem_float_set(const struct one *o)
{
	fp_put_compared(o, relations, sass_mod(o->s, "fcmp"), fp_value(o, SROLE_A, FP_32, 0),
			fp_value(o, SROLE_B, FP_32, 1), one_flag(0), ref_none(), sass_mod(o->s, "bool"));
	one_put3(o, OP_SELP_B32, one_result(o, SROLE_D, 0), one_imm(o, 0x3f800000), one_imm(o, 0), one_flag(0));
}

void sem_float_check(const struct one *o)
{
	one_put2(o, OP_SASS_FCHK_F32, one_result(o, SROLE_PD, 0), fp_value(o, SROLE_A, FP_32, 0),
		 fp_value(o, SROLE_B, FP_32, 1));
}

/* ---- functions ---- */
/* One half of b, whose result is one half. */
static void half_function(const struct one *o, bool f16)
{
	static const enum op row[][2] = { [2] = { OP_EX2_BF16, OP_EX2_F16 }, [9] = { OP_TANH_BF16, OP_TANH_F16 } };
	const int of = sass_mod(o->s, "mufu");
	struct ref b = fp_value(o, SROLE_B, FP_16X2, 0);

	if (of != 2 && of != 9) {
		one_refuse(o, "this function of halves is not known");
		return;
	}
	if (sass_mod(o->s, "half60") > 0) {
		one_put2(o, OP_SHR_U32, one_word(0), b, one_imm(o, 16));
		b = one_word(0);
	}
	one_put1(o, row[of][f16], one_result(o, SROLE_D, 0), b);
}

/* Subnormal operands and results are zeros, but of the hyperbolic tangent. */
void sem_function(const struct one *o)
{
	static const enum op row[] = { OP_SASS_COS_F32,    OP_SASS_SIN_F32, OP_EX2_F32,     OP_LG2_F32,
				       OP_RCP_APPROX_F32,  OP_RSQRT_F32,    OP_SASS_RCP64H, OP_SASS_RSQ64H,
				       OP_SQRT_APPROX_F32, OP_TANH_F32 };
	const int of = sass_mod(o->s, "mufu"), type = sass_mod(o->s, "mufutype");
	struct insn *x;

	if (of < 0 || of >= (int)(sizeof row / sizeof *row) || type > 2) {
		one_refuse(o, "this function is not known");
		return;
	}
	if (type > 0) { /* 1 is f16, of the older ones, which have no bf16, 2 */
		half_function(o, type == (o->v->k->native->sm < 90 ? 2 : 1));
		return;
	}
	x = one_put1(o, row[of], one_result(o, SROLE_D, 0), fp_value(o, SROLE_B, FP_32, 0));
	if (x && op_info[row[of]].flags & OPF_FTZ)
		x->mods |= MOD_FTZ;
}

/* By the place of a lane among four a table says, the first lane's in the highest two bits, 0: a + c, 3: c. */
void sem_swizzled_sum(const struct one *o)
{
	enum { LANES = 4, SUM = 0, MOVE = 3 };
	const struct sass_operand *table = one_role(o, SROLE_NUM);
	const struct ref a = one_source(o, SROLE_A), c = one_source(o, SROLE_C), d = one_result(o, SROLE_D, 0);
	unsigned moved = 0;

	for (unsigned l = 0; table && l < LANES; l++) {
		const unsigned how = table->value >> 2 * (LANES - 1 - l) & 3;

		if (how != SUM && how != MOVE)
			table = NULL;
		else
			moved |= how == MOVE ? 1u << l : 0;
	}
	if (!table || rounding(o) != FP_RN) {
		one_refuse(o, "its table of signs is not known");
		return;
	}
	one_put1(o, OP_MOV_B32, one_word(0), (struct ref){ .kind = REF_SREG, .val = SREG_LANEID });
	one_put2(o, OP_AND_B32, one_word(0), one_word(0), one_imm(o, LANES - 1));
	one_put2(o, OP_SHR_U32, one_word(0), one_imm(o, moved), one_word(0));
	one_put2(o, OP_AND_B32, one_word(0), one_word(0), one_imm(o, 1));
	one_put2(o, OP_SETP_NE_B32, one_flag(0), one_word(0), one_imm(o, 0));
	put2(o, OP_ADD_F32, one_word(1), a, c);
	one_put3(o, OP_SELP_B32, d, c, one_word(1), one_flag(0));
}
