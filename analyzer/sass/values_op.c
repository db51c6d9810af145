/* Single integer instructions of machine code in rows of PTX: those that counters, bounds and conditions of loops are made of. Sums of three, products and
 * shifts with a sum, pairs with a carry between them take several rows, whose values in between stand behind the machine's registers. A destination is written last,
 * since it may be a source. Semantics: docs/SASS.md#values. */
#include "analyzer/sass/table.h"
#include "analyzer/sass/values.h"

#include <string.h>

enum { COMBINE_AND, COMBINE_OR, COMBINE_XOR };
enum { SIZE_32 = 4, SIZE_64, SIZE_128, SIZE_128U };     /* of a load: mods.def, size */
enum { SHIFT_S64, SHIFT_U64, SHIFT_S32, SHIFT_U32 };    /* shftype */

/* The instruction at hand, for its roles. */
struct one { struct values *v; const struct sass_insn *s; bool uniform; };

static const struct sass_operand *role(const struct one *o, enum sass_role r)
{
	for (unsigned n = 0; n < o->s->nop; n++)
		if (o->s->op[n].role == r)
			return &o->s->op[n];
	return NULL;
}

static struct ref imm(const struct one *o, uint64_t bits) { return ir_imm(o->v->to, bits); }
static struct ref word(unsigned n) { return ref_reg(VALUE_W0 + n); }
static struct ref wide(unsigned n) { return ref_reg(VALUE_D0 + n); }
static struct ref flag(unsigned n) { return ref_reg(VALUE_P0 + n); }

/* ---- operands ---- */
/* Constant bank 0 as the driver fills it, as ours (ir.h); numbers from bank 2. */
static struct ref constant(const struct one *o, unsigned bank, uint64_t at)
{
	const struct native *n = o->v->k->native;
	const uint64_t sizes = n->sm >= 100 ? 0x360 : 0, grid = n->sm >= 100 ? 0x370 : 0xc;
	uint32_t bits;

	if (bank == 2 && at + sizeof bits <= n->nconstant2) {
		memcpy(&bits, n->constant2 + at, sizeof bits);
		return imm(o, bits);
	}
	if (bank)
		return ref_reg(VALUE_W_UNKNOWN);

	if (n->param_base && at >= n->param_base)
		return at - n->param_base < PARAM_MAX_BYTES ? ref_const(0, (uint32_t)(PARAM_BASE + at - n->param_base)) : ref_reg(VALUE_W_UNKNOWN);
	if (at >= sizes && at < sizes + 12)
		return ref_const(0, (uint32_t)(CONST_NTID + at - sizes));
	if (at >= grid && at < grid + 12)
		return ref_const(0, (uint32_t)(CONST_NCTAID + at - grid));
	return ref_reg(VALUE_W_UNKNOWN);
}

/* The 32 bits number `part` of an operand, its sign left out. */
static struct ref bits32(const struct one *o, const struct sass_operand *x, unsigned part)
{
	if (!x || x->abs)
		return ref_reg(VALUE_W_UNKNOWN);
	switch ((enum sass_kind)x->kind) {
	case SASS_GPR:
		return x->reg == SASS_ZERO ? imm(o, 0) : x->reg + part < MREG_RZ ? ref_reg(x->reg + part) : ref_reg(VALUE_W_UNKNOWN);
	case SASS_UGPR:
		return x->reg == SASS_ZERO ? imm(o, 0) : MREG_UR0 + x->reg + part < MREG_URZ ? ref_reg(MREG_UR0 + x->reg + part) : ref_reg(VALUE_W_UNKNOWN);
	case SASS_INT: case SASS_MASK:
		return imm(o, part ? (uint32_t)((int32_t)x->value >> 31) : (uint32_t)x->value);
	case SASS_INT64:
		return imm(o, (uint32_t)(x->value >> 32 * part));
	case SASS_CONST:
		return x->bindless ? ref_reg(VALUE_W_UNKNOWN) : constant(o, x->bank, x->value + 4 * part);
	case SASS_PRED: case SASS_UPRED: case SASS_PREDS: case SASS_CBAR: case SASS_F32: case SASS_F64: case SASS_F16X2: case SASS_SREG:
		break;
	}
	return ref_reg(VALUE_W_UNKNOWN);
}

static struct ref source(const struct one *o, enum sass_role r) { return bits32(o, role(o, r), 0); }
static bool negated(const struct one *o, enum sass_role r) { return role(o, r) && role(o, r)->neg; }

static bool number(const struct one *o, struct ref r, uint64_t *n)
{
	*n = r.kind == REF_IMM ? o->v->to->imm[r.val] : 0;
	return r.kind == REF_IMM;
}

static bool is_number(const struct one *o, struct ref r, uint64_t want)
{
	uint64_t n;

	return number(o, r, &n) && n == want;
}

static bool is_zero(const struct one *o, struct ref r) { return is_number(o, r, 0); }

/* A source predicate, with its negation; 0 or 1 if that is what it always is. */
static struct ref predicate(const struct one *o, enum sass_role r)
{
	const struct sass_operand *x = role(o, r);
	struct ref p;

	if (!x || (x->kind != SASS_PRED && x->kind != SASS_UPRED))
		return ref_reg(VALUE_P_UNKNOWN);
	if (x->reg >= SASS_TRUE)
		return imm(o, !x->neg);
	p = ref_reg((x->kind == SASS_UPRED ? MREG_UP0 : MREG_P0) + x->reg);
	p.neg = x->neg;
	return p;
}

/* Register number `part` of a destination, or none. */
static struct ref result(const struct one *o, enum sass_role r, unsigned part)
{
	const struct sass_operand *x = role(o, r);

	if (!x || !x->write)
		return ref_none();
	switch (x->kind) {
	case SASS_GPR:   return x->reg + part < MREG_RZ ? ref_reg(x->reg + part) : ref_none();
	case SASS_UGPR:  return x->reg != SASS_ZERO && MREG_UR0 + x->reg + part < MREG_URZ ? ref_reg(MREG_UR0 + x->reg + part) : ref_none();
	case SASS_PRED:  return x->reg < SASS_TRUE ? ref_reg(MREG_P0 + x->reg) : ref_none();
	case SASS_UPRED: return x->reg < SASS_TRUE ? ref_reg(MREG_UP0 + x->reg) : ref_none();
	}
	return ref_none();
}

/* ---- rows ---- */
static void put(const struct one *o, enum op op, struct ref d, unsigned n, struct ref a, struct ref b, struct ref c)
{
	if (d.kind == REF_REG)
		value_put(o->v, op, d, (const struct ref[]){ a, b, c }, n);
}

static void put1(const struct one *o, enum op op, struct ref d, struct ref a) { put(o, op, d, 1, a, ref_none(), ref_none()); }
static void put2(const struct one *o, enum op op, struct ref d, struct ref a, struct ref b) { put(o, op, d, 2, a, b, ref_none()); }
static void put3(const struct one *o, enum op op, struct ref d, struct ref a, struct ref b, struct ref c) { put(o, op, d, 3, a, b, c); }

/* d = x or -x plus y or -y */
static void put_sum(const struct one *o, struct ref d, struct ref x, bool nx, struct ref y, bool ny)
{
	if (is_zero(o, x)) {
		x = y;
		nx = ny;
		y = imm(o, 0);
		ny = false;
	}
	if (is_zero(o, y))
		put1(o, nx ? OP_NEG_S32 : OP_MOV_B32, d, x);
	else if (!nx)
		put2(o, ny ? OP_SUB_S32 : OP_ADD_S32, d, x, y);
	else if (!ny)
		put2(o, OP_SUB_S32, d, y, x);
	else {
		put1(o, OP_NEG_S32, word(2), x);
		put2(o, OP_SUB_S32, d, word(2), y);
	}
}

/* ---- moves ---- */
static void move(const struct one *o, enum sass_role from, unsigned words)
{
	const struct sass_operand *x = role(o, from);

	for (unsigned n = 0; n < words; n++)
		put1(o, OP_MOV_B32, result(o, SROLE_D, n), bits32(o, x, n));
}

/* HFMA2 Rd, -RZ, RZ, x, y: ptxas puts some constants into registers that way, halves of 16 bits. */
static void move_by_product(const struct one *o)
{
	const struct sass_operand *a = role(o, SROLE_A), *b = role(o, SROLE_B), *c = role(o, SROLE_C);

	if (a && b && c && a->kind == SASS_GPR && a->reg == SASS_ZERO && a->neg && b->kind == SASS_GPR && b->reg == SASS_ZERO && !b->neg && c->kind == SASS_F16X2 && !c->neg &&
	    sass_mod(o->s, "ftz") <= 0 && sass_mod(o->s, "sat") <= 0 && sass_mod(o->s, "hrelu") <= 0 && sass_mod(o->s, "hf32") <= 0)
		put1(o, OP_MOV_B32, result(o, SROLE_D, 0), imm(o, (uint32_t)c->value));
}

static void special(const struct one *o)
{
	static const struct { uint16_t value; uint16_t sreg; } known[] = {
		{ 0, SREG_LANEID }, { 33, SREG_TID_X }, { 34, SREG_TID_Y }, { 35, SREG_TID_Z }, { 37, SREG_CTAID_X }, { 38, SREG_CTAID_Y }, { 39, SREG_CTAID_Z },
	};
	const struct sass_operand *x = role(o, SROLE_A), *d = role(o, SROLE_D);

	for (unsigned n = 0; x && x->kind == SASS_SREG && n < sizeof known / sizeof *known; n++)
		if (known[n].value == x->value)
			put1(o, OP_MOV_B32, result(o, SROLE_D, 0), (struct ref){ .kind = REF_SREG, .val = known[n].sreg });
	for (unsigned n = 0; x && x->kind == SASS_SREG && x->value == 255 && d && n < d->n; n++)         /* SRZ */
		put1(o, OP_MOV_B32, result(o, SROLE_D, n), imm(o, 0));
}

static void load(const struct one *o)
{
	const struct sass_operand *at = role(o, SROLE_A), *u = role(o, SROLE_U);
	const int size = sass_mod(o->s, "size");

	if ((at && at->reg != SASS_ZERO) || (u && u->reg != SASS_ZERO) || sass_mod(o->s, "ldcmode") > 0 || size < SIZE_32 || size > SIZE_128)
		return;
	move(o, SROLE_B, 1u << (size - SIZE_32));
}

/* ---- sums ---- */
/* Three with two carries in, where negation is the complement. */
static void sum_carried(const struct one *o)
{
	static const enum sass_role from[3] = { SROLE_A, SROLE_B, SROLE_C }, carry[2] = { SROLE_PP, SROLE_PQ };

	put1(o, OP_MOV_B32, word(0), imm(o, 0));
	for (unsigned n = 0; n < 3; n++) {
		struct ref x = source(o, from[n]);

		if (!role(o, from[n]))
			continue;
		if (negated(o, from[n])) {
			put1(o, OP_NOT_B32, word(1), x);
			x = word(1);
		}
		put2(o, OP_ADD_S32, word(0), word(0), x);
	}
	for (unsigned n = 0; n < 2; n++)
		if (role(o, carry[n])) {
			put3(o, OP_SELP_B32, word(1), imm(o, 1), imm(o, 0), predicate(o, carry[n]));
			put2(o, OP_ADD_S32, word(0), word(0), word(1));
		}
	put1(o, OP_MOV_B32, result(o, SROLE_D, 0), word(0));
}

/* a + b, of which only b may be negated: the carry out of bit 31, of a difference that of a + ~b + 1. */
static void put_carry(const struct one *o, struct ref a, struct ref b, bool nb)
{
	if (nb)
		put2(o, OP_SETP_GE_U32, flag(0), a, b);
	else
		put2(o, OP_SETP_LT_U32, flag(0), word(0), a);
}

static void sum(const struct one *o)
{
	struct ref a = source(o, SROLE_A), b = source(o, SROLE_B), c = role(o, SROLE_C) ? source(o, SROLE_C) : imm(o, 0);
	bool na = negated(o, SROLE_A), nb = negated(o, SROLE_B), nc = negated(o, SROLE_C), carries = result(o, SROLE_PD, 0).kind == REF_REG;

	if (sass_mod(o->s, "x") > 0) {
		sum_carried(o);
		return;
	}
	if (is_zero(o, b) && !nb) {
		b = c;
		nb = nc;
		c = imm(o, 0);
		nc = false;
	}
	if (na && !nb) {
		struct ref x = a;

		a = b;
		b = x;
		na = false;
		nb = true;
	}
	if (carries && is_zero(o, c) && !nc && !na) {
		put_sum(o, word(0), a, na, b, nb);
		put_carry(o, a, b, nb);
		put1(o, OP_MOV_B32, result(o, SROLE_D, 0), word(0));
		put1(o, OP_MOV_PRED, result(o, SROLE_PD, 0), flag(0));
	} else if (is_zero(o, c)) {
		put_sum(o, result(o, SROLE_D, 0), a, na, b, nb);
	} else {
		put_sum(o, word(0), a, na, b, nb);
		put_sum(o, result(o, SROLE_D, 0), word(0), false, c, nc);
	}
}

static struct ref pair(const struct one *o, enum sass_role r, unsigned n)
{
	const struct sass_operand *x = role(o, r);

	put2(o, OP_PACK_B64, wide(n), bits32(o, x, 0), bits32(o, x, 1));
	return wide(n);
}

static void put_pair(const struct one *o, struct ref from)
{
	struct ref low = result(o, SROLE_D, 0), high = result(o, SROLE_D, 1);

	if (low.kind == REF_REG && high.kind == REF_REG)
		value_put_two(o->v, OP_UNPACK_B64, low, high, &from, 1);
}

static void sum_of_pairs(const struct one *o)
{
	static const enum sass_role from[2] = { SROLE_B, SROLE_C };

	if (sass_mod(o->s, "x") > 0 || negated(o, SROLE_A))
		return;
	pair(o, SROLE_A, 0);
	for (unsigned n = 0; n < 2; n++)
		if (role(o, from[n])) {
			pair(o, from[n], 1);
			put2(o, negated(o, from[n]) ? OP_SUB_S64 : OP_ADD_S64, wide(0), wide(0), wide(1));
		}
	put_pair(o, wide(0));
}

/* ---- products and shifts ---- */
static void product(const struct one *o)
{
	struct ref a = source(o, SROLE_A), b = source(o, SROLE_B), c = source(o, SROLE_C), d = result(o, SROLE_D, 0);
	bool nc = negated(o, SROLE_C);

	if (sass_mod(o->s, "x") > 0)
		return;
	if (is_number(o, a, 1)) {
		struct ref x = a;

		a = b;
		b = x;
	}
	if (is_zero(o, a) || is_zero(o, b)) {
		put_sum(o, d, c, nc, imm(o, 0), false);
	} else if (is_number(o, b, 1)) {
		put_sum(o, d, a, false, c, nc);
	} else if (is_zero(o, c)) {
		put2(o, OP_MUL_LO_S32, d, a, b);
	} else if (!nc) {
		put3(o, OP_MAD_LO_S32, d, a, b, c);
	} else {
		put2(o, OP_MUL_LO_S32, word(0), a, b);
		put2(o, OP_SUB_S32, d, word(0), c);
	}
}

static void wide_product(const struct one *o)
{
	const struct sass_operand *c = role(o, SROLE_C);
	const bool sign = sass_mod(o->s, "u32") == 1;
	struct ref a = source(o, SROLE_A), b = source(o, SROLE_B);

	if (sass_mod(o->s, "x") > 0 || !c || c->neg || c->kind == SASS_INT)
		return;
	if (is_zero(o, bits32(o, c, 0)) && is_zero(o, bits32(o, c, 1)))
		put2(o, sign ? OP_MUL_WIDE_S32 : OP_MUL_WIDE_U32, wide(0), a, b);
	else
		put3(o, sign ? OP_MAD_WIDE_S32 : OP_MAD_WIDE_U32, wide(0), a, b, pair(o, SROLE_C, 1));
	put_pair(o, wide(0));
}

static void high_product(const struct one *o)
{
	const struct sass_operand *c = role(o, SROLE_C);

	if (sass_mod(o->s, "x") <= 0 && c && !c->neg && c->kind == SASS_GPR && c->reg == SASS_ZERO)
		put2(o, sass_mod(o->s, "u32") == 1 ? OP_MUL_HI_S32 : OP_MUL_HI_U32, result(o, SROLE_D, 0), source(o, SROLE_A), source(o, SROLE_B));
}

/* (a << n) + b; .HI: the upper word of {c:a} << n. */
static void shifted_sum(const struct one *o)
{
	const bool high = sass_has(o->s, "HI"), sign = sass_has(o->s, "SX32");
	const struct sass_operand *shift = role(o, SROLE_SHIFT);
	struct ref a = source(o, SROLE_A), b = source(o, SROLE_B);

	if (!shift || sass_mod(o->s, "x") > 0 || negated(o, SROLE_A) || (!high && sign))
		return;
	if (high && ((!sign && !is_zero(o, source(o, SROLE_C))) || !shift->value))
		return;
	put2(o, high ? sign ? OP_SHR_S32 : OP_SHR_U32 : OP_SHL_B32, word(0), a, imm(o, high ? 32 - shift->value : shift->value));
	put_sum(o, result(o, SROLE_D, 0), word(0), false, b, negated(o, SROLE_B));
}

/* {c:a} by b, one word of it. */
static void shift(const struct one *o)
{
	const bool right = sass_mod(o->s, "shfdir") == 1, high = sass_mod(o->s, "hi80") == 1, wrap = sass_mod(o->s, "w75") == 1;
	const int type = sass_mod(o->s, "shftype");
	struct ref a = source(o, SROLE_A), b = source(o, SROLE_B), c = source(o, SROLE_C), d = result(o, SROLE_D, 0);
	uint64_t n;
	const bool small = number(o, b, &n) && n < 32;

	if (wrap && !small)
		return;
	if (!right && !high && type >= SHIFT_S32)
		put2(o, OP_SHL_B32, d, a, b);
	else if (!right && high && type < SHIFT_S32 && small)
		put3(o, OP_SHF_L_CLAMP, d, a, c, b);
	else if (right && high && type >= SHIFT_S32)
		put2(o, type == SHIFT_S32 ? OP_SHR_S32 : OP_SHR_U32, d, c, b);
	else if (right && !high && small)
		put3(o, OP_SHF_R_CLAMP, d, a, c, b);
}

/* ---- bits, minima, selection ---- */
static void logic(const struct one *o)
{
	const struct sass_operand *lut = role(o, SROLE_LUT), *pp = role(o, SROLE_PP);
	struct ref a = source(o, SROLE_A), b = source(o, SROLE_B), c = source(o, SROLE_C), pd = result(o, SROLE_PD, 0), d = result(o, SROLE_D, 0), to = pd.kind == REF_REG ? word(0) : d;

	if (!lut)
		return;
	if (lut->value == 0xc0 || lut->value == 0xfc || lut->value == 0x3c)
		put2(o, lut->value == 0xc0 ? OP_AND_B32 : lut->value == 0xfc ? OP_OR_B32 : OP_XOR_B32, to, a, b);
	else if (to.kind == REF_REG)
		value_put(o->v, OP_LOP3_B32, to, (const struct ref[]){ a, b, c, imm(o, lut->value) }, 4);
	if (pd.kind != REF_REG)
		return;
	put1(o, OP_MOV_B32, d, word(0));
	if (pp && pp->reg >= SASS_TRUE && pp->neg != (sass_mod(o->s, "pand") == 1))      /* or !PT, and PT */
		put2(o, OP_SETP_NE_B32, pd, word(0), imm(o, 0));
}

static void put_least(const struct one *o, struct ref d, struct ref a, struct ref b, bool sign)
{
	struct ref pp = predicate(o, SROLE_PP);

	if (is_number(o, pp, 1))
		put2(o, sign ? OP_MIN_S32 : OP_MIN_U32, d, a, b);
	else if (is_number(o, pp, 0))
		put2(o, sign ? OP_MAX_S32 : OP_MAX_U32, d, a, b);
}

static void least(const struct one *o)
{
	const int type = o->s->row->base == 0x017 ? sass_mod(o->s, "u32") : sass_mod(o->s, o->s->row->base == 0x046 ? "vaddmm" : "vminmax");
	struct ref a = source(o, SROLE_A), b = source(o, SROLE_B), d = result(o, SROLE_D, 0);

	if ((type != 0 && type != 1) || sass_mod(o->s, "relu76") > 0 || is_number(o, predicate(o, SROLE_PP), 0) == is_number(o, predicate(o, SROLE_PP), 1))
		return;
	if (o->s->row->base == 0x046) {
		put_sum(o, word(0), a, false, b, negated(o, SROLE_B));
		put_least(o, d, word(0), source(o, SROLE_C), type == 1);
	} else if (o->s->row->base == 0x00f) {
		put_least(o, word(0), a, b, type == 1);
		put_least(o, d, word(0), source(o, SROLE_C), type == 1);
	} else {
		put_least(o, d, a, b, type == 1);
	}
}

/* ---- comparisons ---- */
static enum op comparison(int rel, bool sign, bool two)
{
	static const enum op row[2][2][7] = {
		{ { 0, OP_SETP_LT_U32, OP_SETP_EQ_B32, OP_SETP_LE_U32, OP_SETP_GT_U32, OP_SETP_NE_B32, OP_SETP_GE_U32 },
		  { 0, OP_SETP_LT_S32, OP_SETP_EQ_B32, OP_SETP_LE_S32, OP_SETP_GT_S32, OP_SETP_NE_B32, OP_SETP_GE_S32 } },
		{ { 0, OP_SETP_LT_U64, OP_SETP_EQ_B64, OP_SETP_LE_U64, OP_SETP_GT_U64, OP_SETP_NE_B64, OP_SETP_GE_U64 },
		  { 0, OP_SETP_LT_S64, OP_SETP_EQ_B64, OP_SETP_LE_S64, OP_SETP_GT_S64, OP_SETP_NE_B64, OP_SETP_GE_S64 } },
	};

	return row[two][sign][rel];
}

static enum cmp_bool combination(int how)
{
	return how == COMBINE_AND ? CB_AND : how == COMBINE_OR ? CB_OR : CB_XOR;
}

/* pd = (a rel b) combined with pp, pe = !(a rel b) likewise. */
static void put_compared(const struct one *o, enum op op, struct ref a, struct ref b, int how)
{
	struct ref pd = result(o, SROLE_PD, 0), pe = result(o, SROLE_PE, 0), pp = predicate(o, SROLE_PP), src[3] = { a, b, pp };
	const bool plain = is_number(o, pp, how == COMBINE_AND), fixed = !plain && how != COMBINE_XOR && pp.kind == REF_IMM;

	if (pd.kind != REF_REG && pe.kind != REF_REG)
		return;
	if (fixed) {                    /* and false, or true */
		put1(o, OP_MOV_PRED, pd, pp);
		put1(o, OP_MOV_PRED, pe, pp);
		return;
	}
	value_put_two(o->v, op, pd, pe, src, plain ? 2 : 3);
	if (!plain)
		o->v->to->insn[o->v->to->ninsn - 1].cbool = (uint8_t)combination(how);
}

/* The upper halves of two pairs, where pr is what the lower ones gave. */
static void compare_upper(const struct one *o, int rel, bool sign, int how)
{
	enum { LT = 1, EQ, LE, GT, NE, GE };
	struct ref a = source(o, SROLE_A), b = source(o, SROLE_B), pr = predicate(o, SROLE_PR), src[3] = { a, b, pr };
	enum op strict = comparison(rel == LE ? LT : rel == GE ? GT : rel, sign, false);

	value_put(o->v, rel == NE ? OP_SETP_NE_B32 : OP_SETP_EQ_B32, flag(0), src, 3);
	o->v->to->insn[o->v->to->ninsn - 1].cbool = rel == NE ? CB_OR : CB_AND;
	if (rel != EQ && rel != NE) {
		src[2] = flag(0);
		value_put(o->v, strict, flag(0), src, 3);
		o->v->to->insn[o->v->to->ninsn - 1].cbool = CB_OR;
	}
	if (how == COMBINE_AND && is_number(o, predicate(o, SROLE_PP), 1) && result(o, SROLE_PE, 0).kind != REF_REG)
		put1(o, OP_MOV_PRED, result(o, SROLE_PD, 0), flag(0));
}

static void compare(const struct one *o)
{
	const bool two = sass_mod(o->s, "u64") >= 0, sign = sass_mod(o->s, two ? "u64" : "u32") == 1;
	const int rel = sass_mod(o->s, "icmp"), how = sass_mod(o->s, "bool");

	if (rel < 1 || rel > 6 || how < COMBINE_AND || how > COMBINE_XOR)
		return;
	if (sass_mod(o->s, "ex") > 0) {
		if (!two)
			compare_upper(o, rel, sign, how);
		return;
	}
	if (two) {
		pair(o, SROLE_A, 0);
		pair(o, SROLE_B, 1);
		put_compared(o, comparison(rel, sign, true), wide(0), wide(1), how);
	} else {
		put_compared(o, comparison(rel, sign, false), source(o, SROLE_A), source(o, SROLE_B), how);
	}
}

/* ---- functions of predicates ---- */
/* Joins literals: all by AND, and the result negated if NOT. */
static void put_literals(const struct one *o, struct ref d, const struct ref *lit, unsigned n, bool not)
{
	if (n == 3) {
		put2(o, not ? OP_OR_PRED : OP_AND_PRED, flag(0), lit[0], lit[1]);
		put2(o, not ? OP_OR_PRED : OP_AND_PRED, d, flag(0), lit[2]);
	} else if (n == 2) {
		put2(o, not ? OP_OR_PRED : OP_AND_PRED, d, lit[0], lit[1]);
	} else if (n == 1) {
		put1(o, OP_MOV_PRED, d, lit[0]);
	} else {
		put1(o, OP_MOV_PRED, d, imm(o, !not));
	}
}

static unsigned step(unsigned source) { return 4u >> source; }          /* between rows of a table that differ in it alone */

/* d = table of up to three sources: constants, AND and OR of literals, XOR of two; else nothing. */
static void put_function(const struct one *o, struct ref d, unsigned table, const struct ref src[3])
{
	static const unsigned half[3] = { 0x0f, 0x33, 0x55 };    /* rows where it is 0 */
	unsigned n = 0, ones = 0, only = 0, none = 0, of[3], all;
	struct ref lit[3];
	uint64_t value;

	if (d.kind != REF_REG)
		return;
	for (unsigned s = 0; s < 3; s++)        /* a source that is known: the half of the table that counts, twice */
		if (number(o, src[s], &value)) {
			const unsigned here = value ? table >> step(s) & half[s] : table & half[s];

			table = here | here << step(s);
		}
	for (unsigned s = 0; s < 3; s++)
		if ((table & half[s]) != (table >> step(s) & half[s]))
			of[n++] = s;    /* it matters */
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
	if (n == 2 && ones == 2) {      /* of two that both matter: exclusive or, or its negation */
		struct ref x = src[of[0]];

		x.neg ^= none == 1 || none == 2;
		put2(o, OP_XOR_PRED, d, x, src[of[1]]);
		return;
	}
	if (ones != 1 && ones != all - 1 && ones != 0 && ones != all)
		return;
	if (ones == 0 || ones == all) {
		put1(o, OP_MOV_PRED, d, imm(o, ones != 0));
		return;
	}
	for (unsigned x = 0; x < n; x++) {      /* true in one row only, or false in one row only */
		lit[x] = src[of[x]];
		lit[x].neg ^= ones == 1 ? !(only >> x & 1) : none >> x & 1;
	}
	put_literals(o, d, lit, n, ones != 1);
}

static void predicates(const struct one *o)
{
	const struct ref src[3] = { predicate(o, SROLE_PP), predicate(o, SROLE_PQ), predicate(o, SROLE_PR) };
	const struct sass_operand *lut = role(o, SROLE_LUT), *other = role(o, SROLE_LUT2);
	struct ref pd = result(o, SROLE_PD, 0), pe = result(o, SROLE_PE, 0);

	if (!lut || !other || (pd.kind == REF_REG && pe.kind == REF_REG))       /* of two the first could be a source of the other */
		return;
	put_function(o, pd, (unsigned)lut->value, src);
	put_function(o, pe, (unsigned)other->value, src);
}

void value_of(struct values *v, const struct sass_insn *s)
{
	const struct one o = { v, s, s->row->uniform };

	switch (s->row->base) {
	case 0x002: case 0x082:
		if (s->row->base == 0x082 || sass_mod(s, "quad") < 0 || sass_mod(s, "quad") == 15)
			move(&o, SROLE_B, role(&o, SROLE_D) ? role(&o, SROLE_D)->n : 0);
		break;
	case 0x031: case 0x035:
		if (s->row->class == SCLASS_FMAD)
			move_by_product(&o);
		else if (sass_has(s, "64"))
			sum_of_pairs(&o);
		else
			sum(&o);
		break;
	case 0x0ca: case 0x1c2:
		if (sass_mod(s, "r2uror") <= 0)
			move(&o, SROLE_A, 1);
		break;
	case 0x005: case 0x0cb: case 0x119: case 0x1c3: special(&o); break;
	case 0x0b9: case 0x182: case 0x1ac: load(&o); break;
	case 0x010: case 0x090: sum(&o); break;
	case 0x097: sum_of_pairs(&o); break;
	case 0x036:
		if (sass_mod(s, "viadd") <= 0)
			sum(&o);
		break;
	case 0x024: case 0x0a4: product(&o); break;
	case 0x025: case 0x0a5: wide_product(&o); break;
	case 0x027: high_product(&o); break;
	case 0x011: case 0x091: shifted_sum(&o); break;
	case 0x019: case 0x099: shift(&o); break;
	case 0x012: case 0x092: logic(&o); break;
	case 0x013: put1(&o, OP_ABS_S32, result(&o, SROLE_D, 0), source(&o, SROLE_B)); break;
	case 0x016: case 0x096:
		if (sass_mod(s, "prmt") == 0)
			put3(&o, OP_PRMT_B32, result(&o, SROLE_D, 0), source(&o, SROLE_A), source(&o, SROLE_C), source(&o, SROLE_B));
		break;
	case 0x017:
		if (!sass_has(s, "64"))
			least(&o);
		break;
	case 0x00f: case 0x046: case 0x048: case 0x04a: least(&o); break;
	case 0x007: case 0x087:
		if (!sass_has(s, "64"))
			put3(&o, OP_SELP_B32, result(&o, SROLE_D, 0), source(&o, SROLE_A), source(&o, SROLE_B), predicate(&o, SROLE_PP));
		break;
	case 0x00c: case 0x08c: compare(&o); break;
	case 0x01c: case 0x09c: predicates(&o); break;
	default: break;
	}
}
