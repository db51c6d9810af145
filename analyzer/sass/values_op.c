/* Moves, constants, sums, products and shifts of machine code in rows of PTX. What takes several rows has its values in
 * between behind the machine's registers. A destination is written last, since it may be a source. Semantics:
 * docs/SASS.md#values. */
#include "analyzer/sass/values_sum.h"

#include <string.h>

/* of a load: mods.def, size */
enum { SIZE_U8, SIZE_S8, SIZE_U16, SIZE_S16, SIZE_32, SIZE_64, SIZE_128, SIZE_128U };

/* ---- moves ---- */
static void move(const struct one *o, enum sass_role from, unsigned words)
{
	const struct sass_operand *x = one_role(o, from);

	for (unsigned n = 0; n < words; n++)
		one_put1(o, OP_MOV_B32, one_result(o, SROLE_D, n), one_bits32(o, x, n));
}

/* Of each four lanes those whose bit is set. */
static void move_some(const struct one *o, unsigned lanes)
{
	const struct sass_operand *d = one_role(o, SROLE_D);
	const struct ref word = one_word(0), to = one_result(o, SROLE_D, 0);

	if (!one_steps(o) || !d || d->n != 1)
		return;
	one_put1(o, OP_MOV_B32, word, (struct ref){ .kind = REF_SREG, .val = SREG_LANEID });
	one_put2(o, OP_AND_B32, word, word, one_imm(o, 3));
	one_put2(o, OP_SHR_U32, word, one_imm(o, lanes), word);
	one_put2(o, OP_AND_B32, word, word, one_imm(o, 1));
	one_put2(o, OP_SETP_NE_B32, one_flag(0), word, one_imm(o, 0));
	one_put3(o, OP_SELP_B32, to, one_source(o, SROLE_B), to, one_flag(0));
}

void sem_move(const struct one *o)
{
	const struct sass_operand *d = one_role(o, SROLE_D);

	if (sass_mod(o->s, "quad") >= 0 && sass_mod(o->s, "quad") != 15)
		move_some(o, (unsigned)sass_mod(o->s, "quad"));
	else if (one_steps(o) && d && d->n == 2)
		one_put1(o, OP_MOV_B64, one_pair_result(o, SROLE_D, 0, 0), one_pair(o, SROLE_B, 0));
	else
		move(o, SROLE_B, d ? d->n : 0);
}

/* ---- constants ---- */
/* A load of constant bank `bank` from a register and an offset: its bits may be part of a word. */
static void load_from_bank(const struct one *o, struct ref index, const struct sass_operand *b, int size)
{
	static const enum op row[] = { OP_LD_U8,  OP_LD_S8,  OP_LD_U16, OP_LD_S16,
				       OP_LD_B32, OP_LD_B32, OP_LD_B32, OP_LD_B32 };
	static const uint8_t elements[] = { 1, 1, 1, 1, 1, 2, 4, 4 };
	const unsigned vec = elements[size];
	struct ref dst[4];
	struct insn *x;

	for (unsigned n = 0; n < vec; n++)
		dst[n] = one_result(o, SROLE_D, n);
	x = one_row(o, row[size], dst, vec, &index, 1);
	x->space = SP_CONST;
	x->cbool = b->bank;
	x->vec = (uint8_t)vec;
	x->offset = (int16_t)b->value;
}

void sem_load_constant(const struct one *o)
{
	const struct sass_operand *at = one_role(o, SROLE_A), *u = one_role(o, SROLE_U), *b = one_role(o, SROLE_B);
	const int size = sass_mod(o->s, "size");
	const bool indexed = (at && at->reg != SASS_ZERO) || (u && u->reg != SASS_ZERO);

	if (sass_mod(o->s, "ldcmode") > 0 || !b || b->kind != SASS_CONST || b->bindless || size < 0) {
		one_refuse(o, "its address is not understood");
		return;
	}
	if (!indexed && size == SIZE_64 && one_steps(o))
		one_put1(o, OP_MOV_B64, one_pair_result(o, SROLE_D, 0, 0), one_pair(o, SROLE_B, 0));
	else if (!indexed && size >= SIZE_32 && size <= SIZE_128)
		move(o, SROLE_B, 1u << (size - SIZE_32));
	else if (b->bank != 0 && (b->bank < 2 || b->bank > 4))
		one_refuse(o, "which constant it reads is not known");
	else if (one_steps(o))
		load_from_bank(o, indexed ? one_bits32(o, at && at->reg != SASS_ZERO ? at : u, 0) : one_imm(o, 0), b,
			       size);
}

/* ---- sums ---- */
static const enum sass_role summands[3] = { SROLE_A, SROLE_B, SROLE_C };

static void sum_of_words(const struct one *o)
{
	struct sum s = sum_begin(o, false);

	s.d = one_result(o, SROLE_D, 0);
	for (unsigned n = 0; n < 3; n++)
		if (one_role(o, summands[n]))
			sum_add(o, &s, one_source(o, summands[n]), one_negated(o, summands[n]));
	sum_put(o, &s);
}

static void sum_of_pairs(const struct one *o)
{
	struct sum s = sum_begin(o, true);

	s.d = one_pair_result(o, SROLE_D, 0, 0);
	for (unsigned n = 0; n < 3; n++)
		if (one_role(o, summands[n]))
			sum_add(o, &s, one_pair(o, summands[n], n), one_negated(o, summands[n]));
	sum_put(o, &s);
	if (one_steps(o) || !s.x)
		one_put_pair(o, SROLE_D, 0, s.d);
}

/* VIADD of two or four numbers in a register, of which one may be negated. */
static void sum_of_parts(const struct one *o, bool two)
{
	const struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), d = one_result(o, SROLE_D, 0);
	const enum op sub = two ? OP_SASS_SUB_16X2 : OP_SASS_SUB_8X4;

	if (one_negated(o, SROLE_A) && one_negated(o, SROLE_B))
		one_refuse(o, "negates both");
	else if (one_negated(o, SROLE_A))
		one_put2(o, sub, d, b, a);
	else if (one_negated(o, SROLE_B))
		one_put2(o, sub, d, a, b);
	else
		one_put2(o, two ? OP_ADD_16X2 : OP_SASS_ADD_8X4, d, a, b);
}

/* VIADD.SAT of two numbers with a sign. */
static void saturated_sum(const struct one *o)
{
	const struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), d = one_result(o, SROLE_D, 0);

	if (one_negated(o, SROLE_A) && one_negated(o, SROLE_B))
		one_refuse(o, "negates both");
	else if (one_negated(o, SROLE_A))
		one_put2(o, OP_SUB_SAT_S32, d, b, a);
	else
		one_put2(o, one_negated(o, SROLE_B) ? OP_SUB_SAT_S32 : OP_ADD_SAT_S32, d, a, b);
}

void sem_sum(const struct one *o)
{
	if (sass_has(o->s, "SAT") && sass_mod(o->s, "viadd") <= 0)
		saturated_sum(o);
	else if (sass_mod(o->s, "viaddsat") > 0)
		one_refuse(o, "how its parts saturate is not known");
	else if (sass_has(o->s, "64"))
		sum_of_pairs(o);
	else if (sass_mod(o->s, "viadd") > 0 && one_steps(o))
		sum_of_parts(o, strcmp(one_named(o, "viadd"), "16x2") == 0);
	else if (sass_mod(o->s, "viadd") <= 0)
		sum_of_words(o);
}

/* The row of .HI that has all of it; OP_COUNT: there is none. */
static enum op high_row(const struct one *o, bool sign, unsigned shift)
{
	static const enum op of_pair[] = { OP_SASS_LEA_HI_1, OP_SASS_LEA_HI_2, OP_SASS_LEA_HI_3, OP_SASS_LEA_HI_4 };

	if (sign)
		return OP_SASS_LEA_HI_S32;
	if (shift && one_is_zero(o, one_source(o, SROLE_C)))
		return OP_SASS_LEA_HI_U32;
	return shift >= 1 && shift <= 4 ? of_pair[shift - 1] : OP_COUNT;
}

/* The one row that has all of it; false: there is none. */
static bool shifted_in_one(const struct one *o, const struct sum *s, bool high, bool sign, unsigned shift)
{
	const struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), dst[2] = { s->d, s->pd };
	const bool carry = s->pd.kind == REF_REG;
	const enum op op = high ? high_row(o, sign, shift) : OP_COUNT;

	if (one_negated(o, SROLE_A) || one_negated(o, SROLE_B) || (high && carry) || (!high && s->x))
		return false;
	if (!high)
		one_row(o, carry ? OP_SASS_LEA_CC : OP_SASS_LEA, dst, carry ? 2 : 1,
			(const struct ref[]){ a, b, one_imm(o, shift) }, 3);
	else if (op == OP_SASS_LEA_HI_S32 || op == OP_SASS_LEA_HI_U32)
		one_row(o, op, dst, 1, (const struct ref[]){ a, b, one_imm(o, shift ? 32 - shift : 31), s->in[0] }, 4);
	else if (op != OP_COUNT)
		one_row(o, op, dst, 1, (const struct ref[]){ a, one_source(o, SROLE_C), b, s->in[0] }, 4);
	return !high || op != OP_COUNT;
}

/* (a << n) + b; .HI: the upper word of {c:a} << n, where c may be the sign of a. What negates a negates that. */
void sem_shifted_sum(const struct one *o)
{
	const bool high = sass_has(o->s, "HI"), sign = sass_has(o->s, "SX32");
	const struct sass_operand *shift = one_role(o, SROLE_SHIFT);
	struct ref a = one_source(o, SROLE_A);
	struct sum s = sum_begin(o, false);

	if (!shift || (!high && sign)) {
		one_refuse(o, "this form is not known");
		return;
	}
	if (!one_steps(o) && (s.x || one_negated(o, SROLE_A) || (high && !shift->value)))
		return;
	s.d = one_result(o, SROLE_D, 0);
	if (one_steps(o) && shifted_in_one(o, &s, high, sign, (unsigned)shift->value))
		return;
	if (!high)
		one_put2(o, OP_SHL_B32, one_word(1), a, one_imm(o, shift->value));
	else if (sign)
		one_put2(o, OP_SHR_S32, one_word(1), a, one_imm(o, 32 - shift->value));
	else
		one_put3(o, OP_SHF_L_CLAMP, one_word(1), a, one_source(o, SROLE_C), one_imm(o, shift->value));
	if (!one_steps(o))
		s.pd = ref_none();
	sum_add(o, &s, one_word(1), one_negated(o, SROLE_A));
	sum_add(o, &s, one_source(o, SROLE_B), one_negated(o, SROLE_B));
	sum_put(o, &s);
}

/* ---- products ---- */
/* What is added to a product: c. */
static void add_third(const struct one *o, struct sum *s)
{
	sum_add(o, s, s->wide ? one_pair(o, SROLE_C, 2) : one_source(o, SROLE_C), one_negated(o, SROLE_C));
}

static void low_product(const struct one *o)
{
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), c = one_source(o, SROLE_C);
	struct sum s = sum_begin(o, false);

	s.d = one_result(o, SROLE_D, 0);
	if (s.x && !one_steps(o))
		return;
	if (one_is_number(o, a, 1)) {
		struct ref x = a;

		a = b;
		b = x;
	}
	if (one_is_number(o, b, 1)) {
		sum_add(o, &s, a, false);
	} else if (!one_is_zero(o, a) && !one_is_zero(o, b)) {
		if (one_is_zero(o, c) && !s.x) {
			one_put2(o, OP_MUL_LO_S32, s.d, a, b);
			return;
		}
		if (!one_negated(o, SROLE_C) && !s.x) {
			one_put3(o, OP_MAD_LO_S32, s.d, a, b, c);
			return;
		}
		if (one_steps(o) && !s.x) {
			one_put3(o, OP_SASS_MAD_SUB, s.d, a, b, c);
			return;
		}
		one_put2(o, OP_MUL_LO_S32, one_word(1), a, b);
		sum_add(o, &s, one_word(1), false);
	}
	add_third(o, &s);
	sum_put(o, &s);
}

/* a * b + c of 64 bits, in S. */
static void put_wide(const struct one *o, struct sum *s)
{
	const struct sass_operand *c = one_role(o, SROLE_C);
	const bool sign = sass_mod(o->s, "u32") == 1,
		   none = one_is_zero(o, one_bits32(o, c, 0)) && one_is_zero(o, one_bits32(o, c, 1)) && !c->neg;
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B);

	if (!s->x && s->pd.kind != REF_REG && none) {
		one_put2(o, sign ? OP_MUL_WIDE_S32 : OP_MUL_WIDE_U32, s->d, a, b);
	} else if (!s->x && s->pd.kind != REF_REG && !c->neg) {
		one_put3(o, sign ? OP_MAD_WIDE_S32 : OP_MAD_WIDE_U32, s->d, a, b, one_pair(o, SROLE_C, 1));
	} else {
		one_put2(o, sign ? OP_MUL_WIDE_S32 : OP_MUL_WIDE_U32, one_wide(1), a, b);
		sum_add(o, s, one_wide(1), false);
		add_third(o, s);
		sum_put(o, s);
	}
}

/* Is c a pair, and without what passes do not know? */
static bool third_is_pair(const struct one *o, const struct sum *s)
{
	const struct sass_operand *c = one_role(o, SROLE_C);

	if (!c || c->kind == SASS_INT || c->kind == SASS_MASK)
		one_refuse(o, "adds a number of which it is not known how it is extended");
	else
		return one_steps(o) || (!s->x && !c->neg);
	return false;
}

static void wide_product(const struct one *o)
{
	struct sum s = sum_begin(o, true);

	if (!third_is_pair(o, &s))
		return;
	if (!one_steps(o))
		s.pd = ref_none();
	s.d = one_pair_result(o, SROLE_D, 0, 0);
	put_wide(o, &s);
	one_put_pair(o, SROLE_D, 0, s.d);
}

static void high_product(const struct one *o)
{
	const struct sass_operand *c = one_role(o, SROLE_C);
	const bool sign = sass_mod(o->s, "u32") == 1;
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), d = one_result(o, SROLE_D, 0);
	struct sum s = sum_begin(o, true);

	if (!third_is_pair(o, &s) || (!one_steps(o) && (c->kind != SASS_GPR || d.kind != REF_REG)))
		return;
	if ((c->kind == SASS_GPR || c->kind == SASS_UGPR) && c->reg == SASS_ZERO && !c->neg && !s.x &&
	    s.pd.kind != REF_REG) {
		one_put2(o, sign ? OP_MUL_HI_S32 : OP_MUL_HI_U32, d, a, b);
		return;
	}
	s.d = one_wide(0);
	if (one_steps(o)) {
		put_wide(o, &s);
		one_row(o, OP_UNPACK_B64, (const struct ref[]){ ref_none(), d }, 2, &s.d, 1);
		return;
	}
	one_put3(o, sign ? OP_MAD_WIDE_S32 : OP_MAD_WIDE_U32, s.d, a, b, one_pair(o, SROLE_C, 1));
	one_row(o, OP_UNPACK_B64, (const struct ref[]){ one_word(0), one_word(1) }, 2, &s.d, 1);
	one_put1(o, OP_MOV_B32, d, one_word(1));
}

void sem_product(const struct one *o)
{
	if (sass_has(o->s, "WIDE"))
		wide_product(o);
	else if (sass_has(o->s, "HI"))
		high_product(o);
	else
		low_product(o);
}
