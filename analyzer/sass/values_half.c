/* Pairs of floats of 16 bits of machine code in rows of PTX. A source is a pair, or one half of it for both; where all
 * are lower halves, as ptxas has single numbers, one row computes one half. Semantics: docs/SASS.md#values. */
#include "analyzer/sass/values_fp.h"

/* struct sass_operand, half */
enum { HALF_BOTH, HALF_F32, HALF_LOW, HALF_HIGH };
enum half_type { TYPE_F16, TYPE_BF16 };

/* ---- operands ---- */
/* v's halves in the places where they are used, in word n if that takes a step. */
static struct ref half_choice(const struct one *o, enum sass_role r, struct ref v, unsigned n)
{
	const struct sass_operand *x = one_role(o, r);
	uint64_t bits;

	if (!x || x->half == HALF_F32) {
		one_refuse(o, "a float among halves is not known");
		return v;
	}
	if (x->half == HALF_BOTH || one_number(o, v, &bits))
		return v;
	one_put3(o, OP_PRMT_B32, one_word(n), v, one_imm(o, 0), one_imm(o, x->half == HALF_LOW ? 0x1010 : 0x3232));
	return one_word(n);
}

/* The operand without the sign; *neg: whether it must still be negated. */
static struct ref half_size(const struct one *o, enum sass_role r, unsigned n, bool *neg)
{
	return half_choice(o, r, fp_size(o, r, FP_16X2, n, neg), n);
}

static struct ref half_value(const struct one *o, enum sass_role r, unsigned n)
{
	bool neg;
	struct ref v = half_size(o, r, n, &neg);

	return neg ? fp_negated(o, v, FP_16X2, n) : v;
}

/* Whether the lower half of it is all that counts, of a pair whose halves come out the same. */
static bool is_low(const struct one *o, enum sass_role r)
{
	const struct sass_operand *x = one_role(o, r);
	uint64_t bits;

	if (!x)
		return true;
	if (one_number(o, one_bits32(o, x, 0), &bits))
		return bits >> 16 == (bits & 0xffff);
	return x->half == HALF_LOW;
}

static enum half_type type_of(const struct one *o) { return sass_mod(o->s, "hbf16") > 0 ? TYPE_BF16 : TYPE_F16; }

/* Without the choice of halves, which is_low() has made unnecessary. */
static struct ref operand(const struct one *o, enum sass_role r, unsigned n, bool low, bool *neg)
{
	return low ? fp_size(o, r, FP_16X2, n, neg) : half_size(o, r, n, neg);
}

/* ---- arithmetic ---- */
static bool is_minus_zero(const struct sass_operand *x)
{
	return x && (x->kind == SASS_GPR || x->kind == SASS_UGPR) && x->reg == SASS_ZERO && x->neg;
}

/* .F32: a float from one half, of a sum with nothing. */
static void half_to_float(const struct one *o)
{
	const enum sass_role r = is_minus_zero(one_role(o, SROLE_A)) ? SROLE_C : SROLE_A;
	const struct sass_operand *x = one_role(o, r), *none = one_role(o, r == SROLE_A ? SROLE_C : SROLE_A);
	const bool high = x && x->half == HALF_HIGH;

	if (!x || !is_minus_zero(none) || x->half < HALF_LOW || sass_mod(o->s, "hbf16") > 0) {
		one_refuse(o, "this sum with a float is not known");
		return;
	}
	fp_put(o, high ? OP_SASS_HIGH_F32_F16 : OP_CVT_F32_F16, one_result(o, SROLE_D, 0), 1,
	       fp_value(o, r, FP_16X2, 0), ref_none(), ref_none());
}

static bool is_float(const struct one *o, enum sass_role r)
{
	return one_role(o, r) && one_role(o, r)->half == HALF_F32;
}

/* A float to both halves, of a sum with nothing. */
static void float_to_half(const struct one *o, enum sass_role r)
{
	if (!is_minus_zero(one_role(o, r == SROLE_A ? SROLE_C : SROLE_A)) || type_of(o) == TYPE_BF16 ||
	    sass_mod(o->s, "ftz") > 0) {
		one_refuse(o, "this sum with a float is not known");
		return;
	}
	fp_put(o, OP_SASS_BOTH_F16_F32, one_result(o, SROLE_D, 0), 1, fp_value(o, r, FP_32, 0), ref_none(), ref_none());
}

void sem_half_sum(const struct one *o)
{
	static const enum op row[3][2] = {
		{ OP_ADD_F16X2, OP_SUB_F16X2 },
		{ OP_ADD_BF16X2, OP_SUB_BF16X2 },
		{ OP_SASS_ADD_BOTH_F16, OP_SASS_SUB_BOTH_F16 },
	};
	const enum half_type type = type_of(o);
	const bool low = type == TYPE_F16 && is_low(o, SROLE_A) && is_low(o, SROLE_C);
	struct ref d = one_result(o, SROLE_D, 0), a, c;
	bool na, nc;

	if (sass_mod(o->s, "hf32") > 0) {
		half_to_float(o);
		return;
	}
	if (is_float(o, SROLE_A) || is_float(o, SROLE_C)) {
		float_to_half(o, is_float(o, SROLE_A) ? SROLE_A : SROLE_C);
		return;
	}
	a = operand(o, SROLE_A, 0, low, &na);
	c = operand(o, SROLE_C, 1, low, &nc);
	if (na && nc) {
		a = fp_negated(o, a, FP_16X2, 0);
		na = false;
	}
	if (na)
		fp_put(o, row[low ? 2 : (int)type][1], d, 2, c, a, ref_none());
	else
		fp_put(o, row[low ? 2 : (int)type][nc], d, 2, a, c, ref_none());
}

void sem_half_times(const struct one *o)
{
	const enum half_type type = type_of(o);
	const bool low = type == TYPE_F16 && is_low(o, SROLE_A) && is_low(o, SROLE_B);
	bool na, nb;
	struct ref a = operand(o, SROLE_A, 0, low, &na), b = operand(o, SROLE_B, 1, low, &nb);
	enum op op = type == TYPE_F16 ? OP_MUL_F16X2 : OP_MUL_BF16X2;

	if (sass_mod(o->s, "hf32") > 0 || sass_mod(o->s, "hrelu") > 0) {
		one_refuse(o, "this product is not known");
		return;
	}
	if (na != nb)
		a = fp_negated(o, a, FP_16X2, 0);
	fp_put(o, low ? OP_SASS_MUL_BOTH_F16 : op, one_result(o, SROLE_D, 0), 2, a, b, ref_none());
}

/* HFMA2 Rd, -RZ, RZ, x, y: ptxas puts some constants into registers that way, halves of 16 bits. */
static bool is_move(const struct one *o)
{
	const struct sass_operand *a = one_role(o, SROLE_A), *b = one_role(o, SROLE_B), *c = one_role(o, SROLE_C);

	return a && b && c && a->kind == SASS_GPR && a->reg == SASS_ZERO && a->neg && b->kind == SASS_GPR &&
	       b->reg == SASS_ZERO && !b->neg && c->kind == SASS_F16X2 && !c->neg && sass_mod(o->s, "ftz") <= 0 &&
	       sass_mod(o->s, "sat") <= 0 && sass_mod(o->s, "hrelu") <= 0 && sass_mod(o->s, "hf32") <= 0 &&
	       sass_mod(o->s, "hturn") <= 0;
}

/* b times i, as a complex number whose real part is the lower half: (low, high) is (-high, low). */
static struct ref turned(const struct one *o, struct ref b, unsigned n)
{
	const struct sass_operand *x = one_role(o, SROLE_B);

	if (!x || x->half != HALF_BOTH || x->abs)
		one_refuse(o, "this product is not known");
	one_put3(o, OP_PRMT_B32, one_word(n), b, one_imm(o, 0), one_imm(o, 0x1032));
	one_put2(o, OP_XOR_B32, one_word(n), one_word(n), one_imm(o, 0x8000));
	return one_word(n);
}

static void half_fma(const struct one *o)
{
	static const enum op row[2][2] = { { OP_FMA_F16X2, OP_FMA_RELU_F16X2 }, { OP_FMA_BF16X2, OP_FMA_RELU_BF16X2 } };
	const enum half_type type = type_of(o);
	const bool relu = sass_mod(o->s, "hrelu") > 0, turn = sass_mod(o->s, "hturn") > 0,
		   low = type == TYPE_F16 && !relu && !turn && is_low(o, SROLE_A) && is_low(o, SROLE_B) &&
			 is_low(o, SROLE_C);
	bool na, nb, nc;
	struct ref a = operand(o, SROLE_A, 0, low, &na), b = operand(o, SROLE_B, 1, low, &nb),
		   c = operand(o, SROLE_C, 2, low, &nc);

	if (sass_mod(o->s, "hf32") > 0 || (relu && !one_is_number(o, one_predicate(o, SROLE_PP), 1))) {
		one_refuse(o, "this product is not known");
		return;
	}
	if (turn)
		b = turned(o, b, 1);
	if (na != nb)
		a = fp_negated(o, a, FP_16X2, 0);
	if (nc)
		c = fp_negated(o, c, FP_16X2, 2);
	fp_put(o, low ? OP_SASS_FMA_BOTH_F16 : row[type][relu], one_result(o, SROLE_D, 0), 3, a, b, c);
}

void sem_half_product(const struct one *o)
{
	const struct sass_operand *c = one_role(o, SROLE_C);

	if (is_move(o))
		one_put1(o, OP_MOV_B32, one_result(o, SROLE_D, 0), one_imm(o, (uint32_t)c->value));
	else if (one_steps(o))
		half_fma(o);
}

/* ---- minimum, comparison ---- */
#define LEAST(TYPE)                                                                             \
	{                                                                                       \
		{ { OP_MIN_##TYPE, OP_MAX_##TYPE }, { OP_MIN_NAN_##TYPE, OP_MAX_NAN_##TYPE } }, \
			{                                                                       \
				{ OP_MIN_XOR_##TYPE, OP_MAX_XOR_##TYPE },                       \
				{ OP_MIN_NAN_XOR_##TYPE, OP_MAX_NAN_XOR_##TYPE },               \
			},                                                                      \
	}

void sem_half_least(const struct one *o)
{
	static const enum op row[2][2][2][2] = { LEAST(F16X2), LEAST(BF16X2) };
	const bool nan = sass_mod(o->s, "fnan") > 0, xor = fp_xorsign(o);
	const enum op *const of = row[type_of(o)][xor][nan];
	struct ref src[3] = { { 0 } }, d = one_result(o, SROLE_D, 0);
	const bool third = one_role(o, SROLE_C) != NULL;

	src[0] = xor? half_choice(o, SROLE_A, one_source(o, SROLE_A), 0) : half_value(o, SROLE_A, 0);
	src[1] = xor? half_choice(o, SROLE_B, one_source(o, SROLE_B), 1) : half_value(o, SROLE_B, 1);
	fp_put_least(o, of[0], of[1], third ? one_word(3) : d, 2, src);
	if (third) {
		src[0] = one_word(3);
		src[1] = half_value(o, SROLE_C, 2);
		fp_put_least(o, of[0], of[1], d, 2, src);
	}
}

enum { OF_F16, OF_BF16, OF_F16X2, OF_BF16X2, TYPES };
#define ROWS(C)                                                                                  \
	{                                                                                        \
		OP_SETP_##C##_F16, OP_SETP_##C##_BF16, OP_SETP_##C##_F16X2, OP_SETP_##C##_BF16X2 \
	}

static enum op comparison(const struct one *o, bool pair)
{
	static const enum op row[RELATIONS][TYPES] = {
		{ 0, 0, 0, 0 }, ROWS(LT),  ROWS(EQ),  ROWS(LE),  ROWS(GT),  ROWS(NE),  ROWS(GE),  ROWS(NUM),
		ROWS(NAN),      ROWS(LTU), ROWS(EQU), ROWS(LEU), ROWS(GTU), ROWS(NEU), ROWS(GEU), { 0, 0, 0, 0 },
	};
	const int rel = sass_mod(o->s, "fcmp"), bf16 = sass_mod(o->s, "hsbf16") > 0;

	if (rel > REL_FALSE && rel < REL_TRUE)
		return row[rel][(pair ? OF_F16X2 : OF_F16) + bf16];
	one_refuse(o, "what it compares is not known");
	return OP_COUNT;
}

/* Into flags 0 and 1: how the lower and the upper halves compare. */
static void compare_halves(const struct one *o)
{
	const struct ref d[2] = { one_flag(0), one_flag(1) },
			 src[2] = { half_value(o, SROLE_A, 0), half_value(o, SROLE_C, 1) };
	struct insn *x = one_row(o, comparison(o, true), d, 2, src, 2);

	if (x)
		x->mods |= sass_mod(o->s, "ftz") > 0 ? MOD_FTZ : 0;
}

void sem_half_compare(const struct one *o)
{
	const int how = sass_mod(o->s, "hsbool");
	struct ref pd = one_result(o, SROLE_PD, 0), pe = one_result(o, SROLE_PE, 0), not ;

	compare_halves(o);
	if (sass_mod(o->s, "hsand") > 0) {
		one_put2(o, OP_AND_PRED, one_flag(0), one_flag(0), one_flag(1));
		not = one_flag(0);
		not .neg = true;
		one_put1(o, OP_MOV_PRED, one_flag(1), not );
	}
	if (pe.kind == REF_REG) { /* pd may be the source predicate */
		fp_put_combined(o, how, one_flag(1), one_flag(1));
		fp_put_combined(o, how, pd, one_flag(0));
		one_put1(o, OP_MOV_PRED, pe, one_flag(1));
	} else {
		fp_put_combined(o, how, pd, one_flag(0));
	}
}

/* .BF: 1.0 where it holds; else all bits. */
void sem_half_set(const struct one *o)
{
	const bool bf16 = sass_mod(o->s, "hsbf16") > 0;
	uint32_t one = 0xffff;

	if (sass_mod(o->s, "hsbf") > 0)
		one = bf16 ? 0x3f80 : 0x3c00;
	compare_halves(o);
	for (unsigned n = 0; n < 2; n++) {
		fp_put_combined(o, sass_mod(o->s, "hsbool"), one_flag(n), one_flag(n));
		one_put3(o, OP_SELP_B32, one_word(n), one_imm(o, one << 16 * n), one_imm(o, 0), one_flag(n));
	}
	one_put2(o, OP_OR_B32, one_result(o, SROLE_D, 0), one_word(0), one_word(1));
}
