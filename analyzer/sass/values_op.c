/* Integer instructions of machine code in rows of PTX. Sums of three, products and shifts with a sum, pairs with a carry
 * between them take several rows, whose values in between stand behind the machine's registers. A destination is written
 * last, since it may be a source. Semantics: docs/SASS.md#values. */
#include "analyzer/sass/values_one.h"

/* of a load: mods.def, size */
enum { SIZE_32 = 4, SIZE_64, SIZE_128, SIZE_128U };
/* shftype */
enum { SHIFT_S64, SHIFT_U64, SHIFT_S32, SHIFT_U32 };

/* ---- moves ---- */
static void move(const struct one *o, enum sass_role from, unsigned words)
{
	const struct sass_operand *x = one_role(o, from);

	for (unsigned n = 0; n < words; n++)
		one_put1(o, OP_MOV_B32, one_result(o, SROLE_D, n), one_bits32(o, x, n));
}

void sem_move(const struct one *o)
{
	const struct sass_operand *d = one_role(o, SROLE_D);

	if (sass_mod(o->s, "quad") < 0 || sass_mod(o->s, "quad") == 15)
		move(o, SROLE_B, d ? d->n : 0);
}

/* HFMA2 Rd, -RZ, RZ, x, y: ptxas puts some constants into registers that way, halves of 16 bits. */
void sem_half_product(const struct one *o)
{
	const struct sass_operand *a = one_role(o, SROLE_A), *b = one_role(o, SROLE_B), *c = one_role(o, SROLE_C);

	if (a && b && c && a->kind == SASS_GPR && a->reg == SASS_ZERO && a->neg && b->kind == SASS_GPR &&
	    b->reg == SASS_ZERO && !b->neg && c->kind == SASS_F16X2 && !c->neg && sass_mod(o->s, "ftz") <= 0 &&
	    sass_mod(o->s, "sat") <= 0 && sass_mod(o->s, "hrelu") <= 0 && sass_mod(o->s, "hf32") <= 0)
		one_put1(o, OP_MOV_B32, one_result(o, SROLE_D, 0), one_imm(o, (uint32_t)c->value));
}

void sem_load_constant(const struct one *o)
{
	const struct sass_operand *at = one_role(o, SROLE_A), *u = one_role(o, SROLE_U);
	const int size = sass_mod(o->s, "size");

	if ((at && at->reg != SASS_ZERO) || (u && u->reg != SASS_ZERO) || sass_mod(o->s, "ldcmode") > 0 ||
	    size < SIZE_32 || size > SIZE_128)
		return;
	move(o, SROLE_B, 1u << (size - SIZE_32));
}

/* ---- sums ---- */
/* Three with two carries in, where negation is the complement. */
static void sum_carried(const struct one *o)
{
	static const enum sass_role from[3] = { SROLE_A, SROLE_B, SROLE_C }, carry[2] = { SROLE_PP, SROLE_PQ };

	one_put1(o, OP_MOV_B32, one_word(0), one_imm(o, 0));
	for (unsigned n = 0; n < 3; n++) {
		struct ref x = one_source(o, from[n]);

		if (!one_role(o, from[n]))
			continue;
		if (one_negated(o, from[n])) {
			one_put1(o, OP_NOT_B32, one_word(1), x);
			x = one_word(1);
		}
		one_put2(o, OP_ADD_S32, one_word(0), one_word(0), x);
	}
	for (unsigned n = 0; n < 2; n++)
		if (one_role(o, carry[n])) {
			one_put3(o, OP_SELP_B32, one_word(1), one_imm(o, 1), one_imm(o, 0), one_predicate(o, carry[n]));
			one_put2(o, OP_ADD_S32, one_word(0), one_word(0), one_word(1));
		}
	one_put1(o, OP_MOV_B32, one_result(o, SROLE_D, 0), one_word(0));
}

/* a + b, of which only b may be negated: the carry out of bit 31, of a difference that of a + ~b + 1. */
static void put_carry(const struct one *o, struct ref a, struct ref b, bool nb)
{
	if (nb)
		one_put2(o, OP_SETP_GE_U32, one_flag(0), a, b);
	else
		one_put2(o, OP_SETP_LT_U32, one_flag(0), one_word(0), a);
}

static void sum_of_words(const struct one *o)
{
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B),
		   c = one_role(o, SROLE_C) ? one_source(o, SROLE_C) : one_imm(o, 0);
	bool na = one_negated(o, SROLE_A), nb = one_negated(o, SROLE_B), nc = one_negated(o, SROLE_C),
	     carries = one_result(o, SROLE_PD, 0).kind == REF_REG;

	if (sass_mod(o->s, "x") > 0) {
		sum_carried(o);
		return;
	}
	if (one_is_zero(o, b) && !nb) {
		b = c;
		nb = nc;
		c = one_imm(o, 0);
		nc = false;
	}
	if (na && !nb) {
		struct ref x = a;

		a = b;
		b = x;
		na = false;
		nb = true;
	}
	if (carries && one_is_zero(o, c) && !nc && !na) {
		one_put_sum(o, one_word(0), a, na, b, nb);
		put_carry(o, a, b, nb);
		one_put1(o, OP_MOV_B32, one_result(o, SROLE_D, 0), one_word(0));
		one_put1(o, OP_MOV_PRED, one_result(o, SROLE_PD, 0), one_flag(0));
	} else if (one_is_zero(o, c)) {
		one_put_sum(o, one_result(o, SROLE_D, 0), a, na, b, nb);
	} else {
		one_put_sum(o, one_word(0), a, na, b, nb);
		one_put_sum(o, one_result(o, SROLE_D, 0), one_word(0), false, c, nc);
	}
}

static void sum_of_pairs(const struct one *o)
{
	static const enum sass_role from[2] = { SROLE_B, SROLE_C };
	struct ref at;

	if (sass_mod(o->s, "x") > 0 || one_negated(o, SROLE_A))
		return;
	at = one_pair(o, SROLE_A, 0);
	for (unsigned n = 0; n < 2; n++)
		if (one_role(o, from[n])) {
			one_put2(o, one_negated(o, from[n]) ? OP_SUB_S64 : OP_ADD_S64, one_wide(0), at,
				 one_pair(o, from[n], 1));
			at = one_wide(0);
		}
	one_put_pair(o, SROLE_D, 0, at);
}

/* ---- products and shifts ---- */
static void low_product(const struct one *o)
{
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), c = one_source(o, SROLE_C),
		   d = one_result(o, SROLE_D, 0);
	bool nc = one_negated(o, SROLE_C);

	if (sass_mod(o->s, "x") > 0)
		return;
	if (one_is_number(o, a, 1)) {
		struct ref x = a;

		a = b;
		b = x;
	}
	if (one_is_zero(o, a) || one_is_zero(o, b)) {
		one_put_sum(o, d, c, nc, one_imm(o, 0), false);
	} else if (one_is_number(o, b, 1)) {
		one_put_sum(o, d, a, false, c, nc);
	} else if (one_is_zero(o, c)) {
		one_put2(o, OP_MUL_LO_S32, d, a, b);
	} else if (!nc) {
		one_put3(o, OP_MAD_LO_S32, d, a, b, c);
	} else {
		one_put2(o, OP_MUL_LO_S32, one_word(0), a, b);
		one_put2(o, OP_SUB_S32, d, one_word(0), c);
	}
}

static void wide_product(const struct one *o)
{
	const struct sass_operand *c = one_role(o, SROLE_C);
	const bool sign = sass_mod(o->s, "u32") == 1;
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), to = one_pair_result(o, SROLE_D, 0, 0);

	if (sass_mod(o->s, "x") > 0 || !c || c->neg || c->kind == SASS_INT)
		return;
	if (one_is_zero(o, one_bits32(o, c, 0)) && one_is_zero(o, one_bits32(o, c, 1)))
		one_put2(o, sign ? OP_MUL_WIDE_S32 : OP_MUL_WIDE_U32, to, a, b);
	else
		one_put3(o, sign ? OP_MAD_WIDE_S32 : OP_MAD_WIDE_U32, to, a, b, one_pair(o, SROLE_C, 1));
	one_put_pair(o, SROLE_D, 0, to);
}

static void high_product(const struct one *o)
{
	const struct sass_operand *c = one_role(o, SROLE_C);
	const bool sign = sass_mod(o->s, "u32") == 1;
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), d = one_result(o, SROLE_D, 0),
		   from = one_wide(0);

	if (sass_mod(o->s, "x") > 0 || !c || c->neg || c->kind != SASS_GPR || d.kind != REF_REG)
		return;
	if (c->reg == SASS_ZERO) {
		one_put2(o, sign ? OP_MUL_HI_S32 : OP_MUL_HI_U32, d, a, b);
		return;
	}
	one_put3(o, sign ? OP_MAD_WIDE_S32 : OP_MAD_WIDE_U32, from, a, b, one_pair(o, SROLE_C, 1));
	one_row(o, OP_UNPACK_B64, (const struct ref[]){ one_word(0), one_word(1) }, 2, &from, 1);
	one_put1(o, OP_MOV_B32, d, one_word(1));
}

/* (a << n) + b; .HI: the upper word of {c:a} << n, where c may be the sign of a. */
void sem_shifted_sum(const struct one *o)
{
	const bool high = sass_has(o->s, "HI"), sign = sass_has(o->s, "SX32");
	const struct sass_operand *shift = one_role(o, SROLE_SHIFT);
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B);

	if (!shift || sass_mod(o->s, "x") > 0 || one_negated(o, SROLE_A) || (high ? !shift->value : sign))
		return;
	if (!high)
		one_put2(o, OP_SHL_B32, one_word(0), a, one_imm(o, shift->value));
	else if (sign)
		one_put2(o, OP_SHR_S32, one_word(0), a, one_imm(o, 32 - shift->value));
	else
		one_put3(o, OP_SHF_L_CLAMP, one_word(0), a, one_source(o, SROLE_C), one_imm(o, shift->value));
	one_put_sum(o, one_result(o, SROLE_D, 0), one_word(0), false, b, one_negated(o, SROLE_B));
}

/* {c:a} by b, one word of it. Amounts are cut to five bits with .W, else what is beyond 32 counts as 32; types of 64
 * bits would have more. */
void sem_shift(const struct one *o)
{
	const bool right = sass_mod(o->s, "shfdir") == 1, high = sass_mod(o->s, "hi80") == 1,
		   wrap = sass_mod(o->s, "w75") == 1;
	const int type = sass_mod(o->s, "shftype");
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), c = one_source(o, SROLE_C),
		   d = one_result(o, SROLE_D, 0);
	uint64_t n;

	if (!(one_number(o, b, &n) && n < 32) && type < SHIFT_S32)
		return;
	if (right == high && type >= SHIFT_S32) { /* of one register */
		if (wrap) {
			one_put2(o, OP_AND_B32, one_word(0), b, one_imm(o, 31));
			b = one_word(0);
		}
		if (right)
			one_put2(o, type == SHIFT_S32 ? OP_SHR_S32 : OP_SHR_U32, d, c, b);
		else
			one_put2(o, OP_SHL_B32, d, a, b);
	} else if (right != high) {
		static const enum op funnel[2][2] = { { OP_SHF_L_CLAMP, OP_SHF_L_WRAP },
						      { OP_SHF_R_CLAMP, OP_SHF_R_WRAP } };

		one_put3(o, funnel[right][wrap], d, a, c, b);
	}
}

/* ---- bits, minima, selection ---- */
void sem_logic(const struct one *o)
{
	const struct sass_operand *lut = one_role(o, SROLE_LUT), *pp = one_role(o, SROLE_PP);
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), c = one_source(o, SROLE_C),
		   pd = one_result(o, SROLE_PD, 0), d = one_result(o, SROLE_D, 0),
		   to = pd.kind == REF_REG ? one_word(0) : d;

	if (!lut)
		return;
	if (lut->value == 0xc0)
		one_put2(o, OP_AND_B32, to, a, b);
	else if (lut->value == 0xfc || lut->value == 0x3c)
		one_put2(o, lut->value == 0xfc ? OP_OR_B32 : OP_XOR_B32, to, a, b);
	else if (to.kind == REF_REG)
		one_row(o, OP_LOP3_B32, &to, 1, (const struct ref[]){ a, b, c, one_imm(o, lut->value) }, 4);
	if (pd.kind != REF_REG)
		return;
	one_put1(o, OP_MOV_B32, d, one_word(0));
	if (pp && pp->reg >= SASS_TRUE && pp->neg != (sass_mod(o->s, "pand") == 1)) /* or !PT, and PT */
		one_put2(o, OP_SETP_NE_B32, pd, one_word(0), one_imm(o, 0));
}

static void put_least(const struct one *o, struct ref d, struct ref a, struct ref b, bool sign)
{
	struct ref pp = one_predicate(o, SROLE_PP);

	if (one_is_number(o, pp, 1))
		one_put2(o, sign ? OP_MIN_S32 : OP_MIN_U32, d, a, b);
	else if (one_is_number(o, pp, 0))
		one_put2(o, sign ? OP_MAX_S32 : OP_MAX_U32, d, a, b);
}

void sem_least(const struct one *o)
{
	const char *const name = o->s->row->base == 0x046 ? "vaddmm" : "vminmax";
	const int type = sass_mod(o->s, o->s->row->base == 0x017 ? "u32" : name);
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), d = one_result(o, SROLE_D, 0);

	if ((type != 0 && type != 1) || sass_mod(o->s, "relu76") > 0 ||
	    one_is_number(o, one_predicate(o, SROLE_PP), 0) == one_is_number(o, one_predicate(o, SROLE_PP), 1))
		return;
	if (o->s->row->base == 0x046) {
		one_put_sum(o, one_word(0), a, false, b, one_negated(o, SROLE_B));
		put_least(o, d, one_word(0), one_source(o, SROLE_C), type == 1);
	} else if (o->s->row->base == 0x00f) {
		put_least(o, one_word(0), a, b, type == 1);
		put_least(o, d, one_word(0), one_source(o, SROLE_C), type == 1);
	} else {
		put_least(o, d, a, b, type == 1);
	}
}

/* ---- by mnemonic ---- */
void sem_sum(const struct one *o)
{
	if (sass_has(o->s, "64"))
		sum_of_pairs(o);
	else if (sass_mod(o->s, "viadd") <= 0)
		sum_of_words(o);
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

void sem_absolute(const struct one *o)
{
	one_put1(o, OP_ABS_S32, one_result(o, SROLE_D, 0), one_source(o, SROLE_B));
}

void sem_permute(const struct one *o)
{
	if (sass_mod(o->s, "prmt") == 0)
		one_put3(o, OP_PRMT_B32, one_result(o, SROLE_D, 0), one_source(o, SROLE_A), one_source(o, SROLE_C),
			 one_source(o, SROLE_B));
}

void sem_select(const struct one *o)
{
	if (!sass_has(o->s, "64"))
		one_put3(o, OP_SELP_B32, one_result(o, SROLE_D, 0), one_source(o, SROLE_A), one_source(o, SROLE_B),
			 one_predicate(o, SROLE_PP));
}
