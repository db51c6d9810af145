/* Operands of one instruction of machine code as sources of rows of PTX, and the rows that several kinds of instruction
 * have in common. */
#include "analyzer/sass/values_one.h"

#include <string.h>

const struct sass_operand *one_role(const struct one *o, enum sass_role r)
{
	for (unsigned n = 0; n < o->s->nop; n++)
		if (o->s->op[n].role == r)
			return &o->s->op[n];
	return NULL;
}

/* ---- operands ---- */
/* Constant bank 0 as the driver fills it, as ours (ir.h); numbers from bank 2. */
static struct ref constant(const struct one *o, unsigned bank, uint64_t at)
{
	const struct native *n = o->v->k->native;
	const uint64_t sizes = n->sm >= 100 ? 0x360 : 0, grid = n->sm >= 100 ? 0x370 : 0xc;
	uint32_t bits;

	if (bank == 2 && at + sizeof bits <= n->nconstant2) {
		memcpy(&bits, n->constant2 + at, sizeof bits);
		return one_imm(o, bits);
	}
	if (bank)
		return ref_reg(VALUE_W_UNKNOWN);

	if (n->param_base && at >= n->param_base)
		return at - n->param_base < PARAM_MAX_BYTES ? ref_const(0, (uint32_t)(PARAM_BASE + at - n->param_base))
							    : ref_reg(VALUE_W_UNKNOWN);
	if (at >= sizes && at < sizes + 12)
		return ref_const(0, (uint32_t)(CONST_NTID + at - sizes));
	if (at >= grid && at < grid + 12)
		return ref_const(0, (uint32_t)(CONST_NCTAID + at - grid));
	return ref_reg(VALUE_W_UNKNOWN);
}

struct ref one_bits32(const struct one *o, const struct sass_operand *x, unsigned part)
{
	if (!x || x->abs)
		return ref_reg(VALUE_W_UNKNOWN);
	switch ((enum sass_kind)x->kind) {
	case SASS_GPR:
		if (x->reg == SASS_ZERO)
			return one_imm(o, 0);
		return ref_reg(x->reg + part < MREG_RZ ? x->reg + part : VALUE_W_UNKNOWN);
	case SASS_UGPR:
		if (x->reg == SASS_ZERO)
			return one_imm(o, 0);
		return ref_reg(MREG_UR0 + x->reg + part < MREG_URZ ? MREG_UR0 + x->reg + part : VALUE_W_UNKNOWN);
	case SASS_INT:
	case SASS_MASK:
		return one_imm(o, part ? (uint32_t)((int32_t)x->value >> 31) : (uint32_t)x->value);
	case SASS_INT64:
		return one_imm(o, (uint32_t)(x->value >> 32 * part));
	case SASS_CONST:
		return x->bindless ? ref_reg(VALUE_W_UNKNOWN) : constant(o, x->bank, x->value + 4 * part);
	case SASS_PRED:
	case SASS_UPRED:
	case SASS_PREDS:
	case SASS_CBAR:
	case SASS_F32:
	case SASS_F64:
	case SASS_F16X2:
	case SASS_SREG:
		break;
	}
	return ref_reg(VALUE_W_UNKNOWN);
}

bool one_number(const struct one *o, struct ref r, uint64_t *n)
{
	*n = r.kind == REF_IMM ? o->v->to->imm[r.val] : 0;
	return r.kind == REF_IMM;
}

bool one_is_number(const struct one *o, struct ref r, uint64_t want)
{
	uint64_t n;

	return one_number(o, r, &n) && n == want;
}

struct ref one_predicate(const struct one *o, enum sass_role r)
{
	const struct sass_operand *x = one_role(o, r);
	struct ref p;

	if (!x || (x->kind != SASS_PRED && x->kind != SASS_UPRED))
		return ref_reg(VALUE_P_UNKNOWN);
	if (x->reg >= SASS_TRUE)
		return one_imm(o, !x->neg);
	p = ref_reg((x->kind == SASS_UPRED ? MREG_UP0 : MREG_P0) + x->reg);
	p.neg = x->neg;
	return p;
}

struct ref one_result(const struct one *o, enum sass_role r, unsigned part)
{
	const struct sass_operand *x = one_role(o, r);

	if (!x || !x->write)
		return ref_none();
	switch (x->kind) {
	case SASS_GPR:
		return x->reg + part < MREG_RZ ? ref_reg(x->reg + part) : ref_none();
	case SASS_UGPR:
		return x->reg != SASS_ZERO && MREG_UR0 + x->reg + part < MREG_URZ ? ref_reg(MREG_UR0 + x->reg + part)
										  : ref_none();
	case SASS_PRED:
		return x->reg < SASS_TRUE ? ref_reg(MREG_P0 + x->reg) : ref_none();
	case SASS_UPRED:
		return x->reg < SASS_TRUE ? ref_reg(MREG_UP0 + x->reg) : ref_none();
	}
	return ref_none();
}

/* ---- rows ---- */
void one_put(const struct one *o, enum op op, struct ref d, unsigned n, struct ref a, struct ref b, struct ref c)
{
	if (d.kind == REF_REG)
		value_put(o->v, op, d, (const struct ref[]){ a, b, c }, n);
}

void one_put_sum(const struct one *o, struct ref d, struct ref x, bool nx, struct ref y, bool ny)
{
	if (one_is_zero(o, x)) {
		x = y;
		nx = ny;
		y = one_imm(o, 0);
		ny = false;
	}
	if (one_is_zero(o, y))
		one_put1(o, nx ? OP_NEG_S32 : OP_MOV_B32, d, x);
	else if (!nx)
		one_put2(o, ny ? OP_SUB_S32 : OP_ADD_S32, d, x, y);
	else if (!ny)
		one_put2(o, OP_SUB_S32, d, y, x);
	else {
		one_put1(o, OP_NEG_S32, one_word(2), x);
		one_put2(o, OP_SUB_S32, d, one_word(2), y);
	}
}

struct ref one_pair(const struct one *o, enum sass_role r, unsigned n)
{
	const struct sass_operand *x = one_role(o, r);

	one_put2(o, OP_PACK_B64, one_wide(n), one_bits32(o, x, 0), one_bits32(o, x, 1));
	return one_wide(n);
}

void one_put_pair(const struct one *o, struct ref from)
{
	struct ref low = one_result(o, SROLE_D, 0), high = one_result(o, SROLE_D, 1);

	if (low.kind == REF_REG && high.kind == REF_REG)
		value_put_two(o->v, OP_UNPACK_B64, low, high, &from, 1);
}
