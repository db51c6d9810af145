/* Shifts, logic, fields of bits, selection and products of parts of registers of machine code in rows of PTX.
 * Semantics: docs/SASS.md#values. */
#include "analyzer/sass/values_one.h"

#include "analyzer/ir/video.h"

/* shftype */
enum { SHIFT_S64, SHIFT_U64, SHIFT_S32, SHIFT_U32 };

/* The operand, or its complement where its sign says so. */
static struct ref or_complement(const struct one *o, enum sass_role r)
{
	struct ref x = one_source(o, r);
	uint64_t n;

	if (!one_negated(o, r))
		return x;
	if (one_number(o, x, &n))
		return one_imm(o, (uint32_t)~n);
	one_put1(o, OP_NOT_B32, one_word(0), x);
	return one_word(0);
}

/* ---- shifts ---- */
/* One word of {c:a} by b, as one number of 64 bits. */
static void put_long_shift(const struct one *o, bool right, bool high, bool sign)
{
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), c = one_source(o, SROLE_C),
		   d = one_result(o, SROLE_D, 0);

	if (sass_mod(o->s, "w75") == 1) {
		one_put2(o, OP_AND_B32, one_word(0), b, one_imm(o, 63));
		b = one_word(0);
	}
	if (right && high)
		one_put2(o, sign ? OP_SHR_S32 : OP_SHR_U32, d, c, b);
	else if (right)
		one_put3(o, sign ? OP_SASS_SHF_R_S64 : OP_SASS_SHF_R_U64, d, a, c, b);
	else if (high)
		one_put3(o, OP_SASS_SHF_L_B64, d, a, c, b);
	else
		one_put2(o, OP_SHL_B32, d, a, b);
}

/* {c:a} by b, one word of it. Amounts are cut to five bits with .W, else what is beyond 32 counts as 32; types of 64
 * bits have more. */
void sem_shift(const struct one *o)
{
	const bool right = sass_mod(o->s, "shfdir") == 1, high = sass_mod(o->s, "hi80") == 1,
		   wrap = sass_mod(o->s, "w75") == 1;
	const int type = sass_mod(o->s, "shftype");
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), c = one_source(o, SROLE_C),
		   d = one_result(o, SROLE_D, 0);
	uint64_t n;

	if (type < SHIFT_S32 && (right == high || !(one_number(o, b, &n) && n < 32))) {
		if (one_steps(o))
			put_long_shift(o, right, high, type == SHIFT_S64);
		return;
	}
	if (right == high) { /* of one register */
		if (wrap) {
			one_put2(o, OP_AND_B32, one_word(0), b, one_imm(o, 31));
			b = one_word(0);
		}
		if (right)
			one_put2(o, type == SHIFT_S32 ? OP_SHR_S32 : OP_SHR_U32, d, c, b);
		else
			one_put2(o, OP_SHL_B32, d, a, b);
	} else {
		static const enum op funnel[2][2] = { { OP_SHF_L_CLAMP, OP_SHF_L_WRAP },
						      { OP_SHF_R_CLAMP, OP_SHF_R_WRAP } };

		one_put3(o, funnel[right][wrap], d, a, c, b);
	}
}

/* ---- logic ---- */
/* For the engine: d = table of three, with a row of fewer where that is enough. */
static void put_table(const struct one *o, struct ref d, unsigned table, const struct ref src[3])
{
	static const unsigned half[3] = { 0x0f, 0x33, 0x55 }; /* rows where it is 0 */
	struct ref x[3];
	unsigned n = 0, two = 0;
	unsigned step[3];

	for (unsigned s = 0; s < 3; s++) { /* of a number that is 0, or all ones: the half that counts, twice */
		const unsigned at = 4u >> s;

		if (one_is_zero(o, src[s]))
			table = (table & half[s]) | (table & half[s]) << at;
		else if (one_is_number(o, src[s], UINT32_MAX))
			table = (table >> at & half[s]) | (table & ~half[s]);
	}
	for (unsigned s = 0; s < 3; s++) { /* those that still matter */
		const unsigned at = 4u >> s;

		if ((table & half[s]) != (table >> at & half[s])) {
			step[n] = at;
			x[n++] = src[s];
		}
	}
	if (n == 0) {
		one_put1(o, OP_MOV_B32, d, one_imm(o, table ? UINT32_MAX : 0));
		return;
	}
	if (n == 1) {
		one_put1(o, table & 1 ? OP_NOT_B32 : OP_MOV_B32, d, x[0]);
		return;
	}
	for (unsigned row = 0; n == 2 && row < 4; row++)
		two |= (table >> ((row >> 1) * step[0] + (row & 1) * step[1]) & 1) << row;
	if (two == 0x8)
		one_put2(o, OP_AND_B32, d, x[0], x[1]);
	else if (two == 0xe)
		one_put2(o, OP_OR_B32, d, x[0], x[1]);
	else if (two == 0x6)
		one_put2(o, OP_XOR_B32, d, x[0], x[1]);
	else if (d.kind == REF_REG)
		one_row(o, OP_LOP3_B32, &d, 1, (const struct ref[]){ src[0], src[1], src[2], one_imm(o, table) }, 4);
}

/* pd = d != 0, or that joined with pp */
static void put_some(const struct one *o, struct ref pd, struct ref d)
{
	const bool both = sass_mod(o->s, "pand") == 1;
	const struct ref pp = one_role(o, SROLE_PP) ? one_predicate(o, SROLE_PP) : one_imm(o, both);
	const struct ref src[3] = { d, one_imm(o, 0), pp };
	struct insn *x;

	if (one_is_number(o, pp, !both)) {
		one_put1(o, OP_MOV_PRED, pd, pp);
		return;
	}
	x = one_row(o, OP_SETP_NE_B32, &pd, 1, src, pp.kind == REF_REG ? 3 : 2);
	if (pp.kind == REF_REG)
		x->cbool = both ? CB_AND : CB_OR;
}

static void logic_steps(const struct one *o, unsigned table)
{
	const struct ref pd = one_result(o, SROLE_PD, 0), d = one_result(o, SROLE_D, 0),
			 to = d.kind == REF_REG ? d : one_word(0),
			 src[3] = { one_source(o, SROLE_A), one_source(o, SROLE_B), one_source(o, SROLE_C) };

	put_table(o, to, table, src);
	if (pd.kind == REF_REG)
		put_some(o, pd, to);
}

void sem_logic(const struct one *o)
{
	const struct sass_operand *lut = one_role(o, SROLE_LUT), *pp = one_role(o, SROLE_PP);
	struct ref a = one_source(o, SROLE_A), b = one_source(o, SROLE_B), c = one_source(o, SROLE_C),
		   pd = one_result(o, SROLE_PD, 0), d = one_result(o, SROLE_D, 0),
		   to = pd.kind == REF_REG ? one_word(0) : d;

	if (!lut)
		return;
	if (one_steps(o)) {
		logic_steps(o, (unsigned)lut->value);
		return;
	}
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

/* ---- fields of bits ---- */
void sem_mask(const struct one *o)
{
	one_put2(o, sass_mod(o->s, "w75") == 1 ? OP_BMSK_WRAP : OP_BMSK_CLAMP, one_result(o, SROLE_D, 0),
		 one_source(o, SROLE_A), one_source(o, SROLE_B));
}

void sem_extend(const struct one *o)
{
	static const enum op row[2][2] = { { OP_SZEXT_CLAMP_U32, OP_SZEXT_CLAMP_S32 },
					   { OP_SZEXT_WRAP_U32, OP_SZEXT_WRAP_S32 } };

	one_put2(o, row[sass_mod(o->s, "w75") == 1][sass_mod(o->s, "u32") == 1], one_result(o, SROLE_D, 0),
		 one_source(o, SROLE_A), one_source(o, SROLE_B));
}

void sem_reverse(const struct one *o) { one_put1(o, OP_BREV_B32, one_result(o, SROLE_D, 0), one_source(o, SROLE_B)); }

void sem_count(const struct one *o) { one_put1(o, OP_POPC_B32, one_result(o, SROLE_D, 0), or_complement(o, SROLE_B)); }

/* .SH: how far it is from the top. */
void sem_leading(const struct one *o)
{
	static const enum op row[2][2] = { { OP_BFIND_U32, OP_BFIND_S32 }, { OP_BFIND_SHIFT_U32, OP_BFIND_SHIFT_S32 } };

	one_put1(o, row[sass_mod(o->s, "sh74") == 1][sass_mod(o->s, "u32") == 1], one_result(o, SROLE_D, 0),
		 or_complement(o, SROLE_B));
}

void sem_permute(const struct one *o)
{
	static const enum op row[] = { OP_PRMT_B32, OP_PRMT_F4E, OP_PRMT_B4E, OP_PRMT_RC8,
				       OP_PRMT_ECL, OP_PRMT_ECR, OP_PRMT_RC16 };
	const int mode = sass_mod(o->s, "prmt");

	if (mode == 0 || (one_steps(o) && mode > 0 && mode < (int)(sizeof row / sizeof *row)))
		one_put3(o, row[mode], one_result(o, SROLE_D, 0), one_source(o, SROLE_A), one_source(o, SROLE_C),
			 one_source(o, SROLE_B));
}

/* ---- selection ---- */
/* The second one of 64 bits: an immediate has 33 bits, of which the last, bit 64 of the instruction,
 * is the sign. */
static struct ref second_pair(const struct one *o)
{
	const struct sass_operand *b = one_role(o, SROLE_B);
	const int sign = sass_mod(o->s, "sext64");

	if (!b || (b->kind != SASS_INT && b->kind != SASS_MASK))
		return one_pair(o, SROLE_B, 1);
	if (sign < 0)
		one_refuse(o, "how its number is extended is not known");
	return one_imm(o, (sign > 0 ? UINT64_C(0xffffffff00000000) : 0) | (uint32_t)b->value);
}

void sem_select(const struct one *o)
{
	struct ref d;

	if (!sass_has(o->s, "64")) {
		one_put3(o, OP_SELP_B32, one_result(o, SROLE_D, 0), one_source(o, SROLE_A), one_source(o, SROLE_B),
			 one_predicate(o, SROLE_PP));
		return;
	}
	if (!one_steps(o))
		return;
	d = one_pair_result(o, SROLE_D, 0, 0);
	one_put3(o, OP_SELP_B64, d, one_pair(o, SROLE_A, 0), second_pair(o), one_predicate(o, SROLE_PP));
	one_put_pair(o, SROLE_D, 0, d);
}

void sem_absolute(const struct one *o) { one_put1(o, OP_ABS_S32, one_result(o, SROLE_D, 0), one_source(o, SROLE_B)); }

/* ---- products and differences of parts of registers ---- */
static enum op dot_row(const struct one *o)
{
	const char *a = one_named(o, "idpa"), *b = one_named(o, "idpb");

	if (sass_mod(o->s, "idp") == 0)
		return one_op(o, "dp4a.%c32.%c32", *a == 'S' ? 's' : 'u', *b == 'S' ? 's' : 'u');
	return one_op(o, "dp2a.%s.%c32.%c32", sass_mod(o->s, "idphalf") == 1 ? "hi" : "lo", *a == 'S' ? 's' : 'u',
		      *b == 'S' ? 's' : 'u');
}

void sem_dot(const struct one *o)
{
	one_put3(o, dot_row(o), one_result(o, SROLE_D, 0), one_source(o, SROLE_A), one_source(o, SROLE_B),
		 one_source(o, SROLE_C));
}

void sem_difference(const struct one *o)
{
	one_put3(o, sass_mod(o->s, "us32") == 1 ? OP_SAD_S32 : OP_SAD_U32, one_result(o, SROLE_D, 0),
		 one_source(o, SROLE_A), one_source(o, SROLE_B), one_source(o, SROLE_C));
}

/* Of four bytes; .ACC: their sum, added to c. */
void sem_differences(const struct one *o)
{
	const bool sum = sass_mod(o->s, "acc") == 1, sign = sass_mod(o->s, "us8") == 1;
	const struct video v = {
		.op = VIDEO_ABSDIFF,
		.lanes = 4,
		.asign = sign,
		.bsign = sign,
		.second = sum ? SECOND_ADD : SECOND_NONE,
		.asel = { 0, 1, 2, 3 },
		.bsel = { 4, 5, 6, 7 },
		.mask = 15,
		.third = sum,
	};
	struct ref d = one_result(o, SROLE_D, 0), src[4] = { one_source(o, SROLE_A), one_source(o, SROLE_B),
							     one_imm(o, 0), one_imm(o, video_pack(&v)) };

	if (sum)
		src[2] = one_source(o, SROLE_C);
	if (d.kind == REF_REG)
		one_row(o, OP_VABSDIFF4, &d, 1, src, 4);
}
