/* What comparisons and functions of predicates of machine code compute, in rows of PTX. Semantics:
 * docs/SASS.md#values. */
#include "analyzer/sass/values_one.h"

#include <string.h>

enum { COMBINE_AND, COMBINE_OR, COMBINE_XOR };

/* ---- comparisons ---- */
static enum op comparison(int rel, bool sign, bool two)
{
	static const enum op row[2][2][7] = {
		{ { 0, OP_SETP_LT_U32, OP_SETP_EQ_B32, OP_SETP_LE_U32, OP_SETP_GT_U32, OP_SETP_NE_B32, OP_SETP_GE_U32 },
		  { 0, OP_SETP_LT_S32, OP_SETP_EQ_B32, OP_SETP_LE_S32, OP_SETP_GT_S32, OP_SETP_NE_B32,
		    OP_SETP_GE_S32 } },
		{ { 0, OP_SETP_LT_U64, OP_SETP_EQ_B64, OP_SETP_LE_U64, OP_SETP_GT_U64, OP_SETP_NE_B64, OP_SETP_GE_U64 },
		  { 0, OP_SETP_LT_S64, OP_SETP_EQ_B64, OP_SETP_LE_S64, OP_SETP_GT_S64, OP_SETP_NE_B64,
		    OP_SETP_GE_S64 } },
	};

	return row[two][sign][rel];
}

static enum cmp_bool combination(int how)
{
	if (how == COMBINE_AND)
		return CB_AND;
	return how == COMBINE_OR ? CB_OR : CB_XOR;
}

static enum op combining(int how)
{
	if (how == COMBINE_AND)
		return OP_AND_PRED;
	return how == COMBINE_OR ? OP_OR_PRED : OP_XOR_PRED;
}

enum { LT = 1, EQ, LE, GT, NE, GE };

/* The relation without equality. */
static int strictly(int rel)
{
	if (rel == LE)
		return LT;
	return rel == GE ? GT : rel;
}

/* pd = (a rel b) combined with pp, pe = !(a rel b) likewise. */
static void put_compared(const struct one *o, enum op op, struct ref a, struct ref b, int how)
{
	struct ref pd = one_result(o, SROLE_PD, 0), pe = one_result(o, SROLE_PE, 0), pp = one_predicate(o, SROLE_PP),
		   src[3] = { a, b, pp }, d[2] = { pd, pe };
	struct insn *x;
	const bool plain = one_is_number(o, pp, how == COMBINE_AND),
		   fixed = !plain && how != COMBINE_XOR && pp.kind == REF_IMM;

	if (pd.kind != REF_REG && pe.kind != REF_REG)
		return;
	if (fixed) { /* and false, or true */
		one_put1(o, OP_MOV_PRED, pd, pp);
		one_put1(o, OP_MOV_PRED, pe, pp);
		return;
	}
	x = one_row(o, op, d, pe.kind == REF_REG ? 2 : 1, src, plain ? 2 : 3);
	if (!plain)
		x->cbool = (uint8_t)combination(how);
}

/* The upper halves of two numbers, where pr is what the lower ones gave. */
static void compare_upper(const struct one *o, int rel, bool sign, int how, bool two)
{
	struct ref a = two ? one_pair(o, SROLE_A, 0) : one_source(o, SROLE_A),
		   b = two ? one_pair(o, SROLE_B, 1) : one_source(o, SROLE_B),
		   src[3] = { a, b, one_predicate(o, SROLE_PR) }, flag = one_flag(0), not = flag;
	struct ref pd = one_result(o, SROLE_PD, 0), pe = one_result(o, SROLE_PE, 0), pp = one_predicate(o, SROLE_PP);
	const bool plain = one_is_number(o, pp, how == COMBINE_AND),
		   at_once = one_steps(o) && plain && pe.kind != REF_REG && rel != EQ && rel != NE;

	one_row(o, comparison(rel == NE ? NE : EQ, false, two), &flag, 1, src, 3)->cbool = rel == NE ? CB_OR : CB_AND;
	if (rel != EQ && rel != NE) {
		src[2] = flag;
		one_row(o, comparison(strictly(rel), sign, two), at_once ? &pd : &flag, 1, src, 3)->cbool = CB_OR;
	}
	if (at_once || (pe.kind == REF_REG && !one_steps(o)))
		return;
	not .neg = 1;
	if (plain) {
		one_put1(o, OP_MOV_PRED, pd, flag);
		one_put1(o, OP_MOV_PRED, pe, not );
	} else if (pe.kind == REF_REG) { /* pd may be pp */
		one_put2(o, combining(how), one_flag(1), not, pp);
		one_put2(o, combining(how), pd, flag, pp);
		one_put1(o, OP_MOV_PRED, pe, one_flag(1));
	} else {
		one_put2(o, combining(how), pd, flag, pp);
	}
}

void sem_compare(const struct one *o)
{
	const bool two = sass_mod(o->s, "u64") >= 0, sign = sass_mod(o->s, two ? "u64" : "u32") == 1;
	const int rel = sass_mod(o->s, "icmp"), how = sass_mod(o->s, "bool");

	if (rel < 1 || rel > 6 || how < COMBINE_AND || how > COMBINE_XOR)
		return;
	if (sass_mod(o->s, "ex") > 0) {
		if (!two || one_steps(o))
			compare_upper(o, rel, sign, how, two);
		return;
	}
	if (two)
		put_compared(o, comparison(rel, sign, true), one_pair(o, SROLE_A, 0), one_pair(o, SROLE_B, 1), how);
	else
		put_compared(o, comparison(rel, sign, false), one_source(o, SROLE_A), one_source(o, SROLE_B), how);
}

/* ---- functions of predicates ---- */
/* Joins literals: all by AND, and the result negated if NOT. */
static void put_literals(const struct one *o, struct ref d, const struct ref *lit, unsigned n, bool not )
{
	if (n == 3) {
		one_put2(o, not ? OP_OR_PRED : OP_AND_PRED, one_flag(0), lit[0], lit[1]);
		one_put2(o, not ? OP_OR_PRED : OP_AND_PRED, d, one_flag(0), lit[2]);
	} else if (n == 2) {
		one_put2(o, not ? OP_OR_PRED : OP_AND_PRED, d, lit[0], lit[1]);
	} else if (n == 1) {
		one_put1(o, OP_MOV_PRED, d, lit[0]);
	} else {
		one_put1(o, OP_MOV_PRED, d, one_imm(o, !not ));
	}
}

/* between rows of a table that differ in it alone */
static unsigned step(unsigned source) { return 4u >> source; }

/* d = table of up to three sources. */
static void put_function(const struct one *o, struct ref d, unsigned table, const struct ref src[3])
{
	static const unsigned half[3] = { 0x0f, 0x33, 0x55 }; /* rows where it is 0 */
	unsigned n = 0, ones = 0, only = 0, none = 0, of[3], all;
	struct ref lit[3];
	uint64_t value;

	if (d.kind != REF_REG)
		return;
	for (unsigned s = 0; s < 3; s++) /* a source that is known: the half of the table that counts, twice */
		if (one_number(o, src[s], &value)) {
			const unsigned here = value ? table >> step(s) & half[s] : table & half[s];

			table = here | here << step(s);
		}
	for (unsigned s = 0; s < 3; s++)
		if ((table & half[s]) != (table >> step(s) & half[s]))
			of[n++] = s; /* it matters */
	all = 1u << n;
	for (unsigned row = 0; row < all; row++) {
		unsigned at = 0;

		for (unsigned x = 0; x < n; x++)
			at |= (row >> x & 1) * step(of[x]);
		if (table >> at & 1) {
			ones++;
			only = row;
		} else {
			none = row;
		}
	}
	if (n == 2 && ones == 2) { /* of two that both matter: exclusive or, or its negation */
		struct ref x = src[of[0]];

		x.neg ^= none == 1 || none == 2;
		one_put2(o, OP_XOR_PRED, d, x, src[of[1]]);
		return;
	}
	/* of three: what it is with the first true and false */
	if (ones != 1 && ones != all - 1 && ones != 0 && ones != all) {
		struct ref first = src[0];

		put_function(o, one_flag(0), table, (const struct ref[]){ one_imm(o, 1), src[1], src[2] });
		put_function(o, one_flag(1), table, (const struct ref[]){ one_imm(o, 0), src[1], src[2] });
		one_put2(o, OP_AND_PRED, one_flag(0), one_flag(0), first);
		first.neg = !first.neg;
		one_put2(o, OP_AND_PRED, one_flag(1), one_flag(1), first);
		one_put2(o, OP_OR_PRED, d, one_flag(0), one_flag(1));
		return;
	}
	if (ones == 0 || ones == all) {
		one_put1(o, OP_MOV_PRED, d, one_imm(o, ones != 0));
		return;
	}
	for (unsigned x = 0; x < n; x++) { /* true in one row only, or false in one row only */
		lit[x] = src[of[x]];
		lit[x].neg ^= ones == 1 ? !(only >> x & 1) : none >> x & 1;
	}
	put_literals(o, d, lit, n, ones != 1);
}

void sem_predicates(const struct one *o)
{
	const struct ref src[3] = { one_predicate(o, SROLE_PP), one_predicate(o, SROLE_PQ),
				    one_predicate(o, SROLE_PR) };
	const struct sass_operand *lut = one_role(o, SROLE_LUT), *other = one_role(o, SROLE_LUT2);
	struct ref pd = one_result(o, SROLE_PD, 0), pe = one_result(o, SROLE_PE, 0);

	if (!lut || !other)
		return;
	if (pd.kind != REF_REG || pe.kind != REF_REG) {
		put_function(o, pd, (unsigned)lut->value, src);
		put_function(o, pe, (unsigned)other->value, src);
	} else if (one_steps(o)) { /* the first could be a source of the other */
		put_function(o, one_flag(2), (unsigned)lut->value, src);
		put_function(o, pe, (unsigned)other->value, src);
		one_put1(o, OP_MOV_PRED, pd, one_flag(2));
	}
}

/* ---- predicates in a register ---- */
/* The predicates that the instruction names, and where the first one stands in the register. */
static bool named_set(const struct one *o, unsigned *set, unsigned *at)
{
	const struct sass_operand *b = one_role(o, SROLE_B);
	const int byte = sass_mod(o->s, "byteof");

	*at = byte > 0 ? 8 * (unsigned)byte : 0;
	*set = b && (b->kind == SASS_INT || b->kind == SASS_MASK) ? (unsigned)b->value : UINT32_MAX;
	if (*set > 0xff)
		one_refuse(o, "which predicates it names is not known");
	return *set <= 0xff;
}

static struct ref predicate_of_set(const struct one *o, unsigned n)
{
	return ref_reg((strncmp(sass_mnemonic(o->s), "U", 1) == 0 ? MREG_UP0 : MREG_P0) + n);
}

/* P2R: into a byte of a, of which other bits stay; there is no predicate 7, and its bit becomes 0. */
void sem_from_predicates(const struct one *o)
{
	struct ref d = one_result(o, SROLE_D, 0), from = one_source(o, SROLE_A);
	unsigned set, at;

	if (!named_set(o, &set, &at))
		return;
	if (!one_is_zero(o, from)) {
		one_put2(o, OP_AND_B32, d, from, one_imm(o, ~(set << at)));
		from = d;
	} else if (!(set & 0x7f)) {
		one_put1(o, OP_MOV_B32, d, from);
	}
	for (unsigned n = 0; n < SASS_TRUE; n++)
		if (set >> n & 1) {
			one_put3(o, OP_SASS_OR_IF, d, from, one_imm(o, 1u << (n + at)), predicate_of_set(o, n));
			from = d;
		}
}

void sem_to_predicates(const struct one *o)
{
	unsigned set, at;

	if (!named_set(o, &set, &at))
		return;
	for (unsigned n = 0; n < SASS_TRUE; n++)
		if (set >> n & 1)
			one_put2(o, OP_SASS_BIT, predicate_of_set(o, n), one_source(o, SROLE_A), one_imm(o, n + at));
}
