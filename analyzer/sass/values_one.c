/* Operands of one instruction of machine code as sources of rows of PTX, and the rows that several kinds of instruction
 * have in common. */
#include "analyzer/sass/values_one.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void one_refuse(const struct one *o, const char *why)
{
	if (one_steps(o) && !o->v->step->refused)
		o->v->step->refused = why;
}

const struct sass_operand *one_role(const struct one *o, enum sass_role r)
{
	for (unsigned n = 0; n < o->s->nop; n++)
		if (o->s->op[n].role == r)
			return &o->s->op[n];
	return NULL;
}

const char *one_named(const struct one *o, const char *id)
{
	size_t n;
	const char *name = sass_mod_name(o->s, id, &n);

	return name ? arena_strndup(o->v->to->a, name, n) : "?";
}

static struct ref unknown(const struct one *o, const char *why)
{
	one_refuse(o, why);
	return ref_reg(VALUE_W_UNKNOWN);
}

/* ---- operands ---- */
/* Constant bank 0 as the driver fills it, as ours (ir.h); numbers from bank 2. */
static struct ref constant(const struct one *o, unsigned bank, uint64_t at)
{
	const struct native *n = o->v->k->native;
	const uint64_t sizes = n->sm >= 100 ? 0x360 : 0, grid = n->sm >= 100 ? 0x370 : 0xc;
	uint32_t bits;

	if (one_steps(o))
		return bank < 1u << (27 - CONST_BITS) && at < 1u << CONST_BITS ? ref_const(bank, (uint32_t)at)
									       : unknown(o, "a constant out of reach");
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
	if (!x || (x->abs && !one_steps(o)))
		return unknown(o, "an operand is missing");
	switch ((enum sass_kind)x->kind) {
	case SASS_GPR:
		if (x->reg == SASS_ZERO)
			return one_imm(o, 0);
		return x->reg + part < MREG_RZ ? ref_reg(x->reg + part) : unknown(o, "a register behind the last");
	case SASS_UGPR:
		if (x->reg == SASS_ZERO)
			return one_imm(o, 0);
		return MREG_UR0 + x->reg + part < MREG_URZ ? ref_reg(MREG_UR0 + x->reg + part)
							   : unknown(o, "a register behind the last");
	case SASS_INT:
	case SASS_MASK:
		return one_imm(o, part ? (uint32_t)((int32_t)x->value >> 31) : (uint32_t)x->value);
	case SASS_INT64:
		return one_imm(o, (uint32_t)(x->value >> 32 * part));
	case SASS_CONST:
		return x->bindless ? unknown(o, "a constant by handle") : constant(o, x->bank, x->value + 4 * part);
	case SASS_F32:
	case SASS_F16X2:
		if (one_steps(o) && !part)
			return one_imm(o, (uint32_t)x->value);
		break;
	case SASS_F64:
		if (one_steps(o))
			return one_imm(o, part ? (uint32_t)x->value : 0);
		break;
	case SASS_PRED:
	case SASS_UPRED:
	case SASS_PREDS:
	case SASS_CBAR:
	case SASS_SREG:
		break;
	}
	return unknown(o, "an operand of another kind");
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

struct ref one_pair(const struct one *o, enum sass_role r, unsigned n)
{
	const struct sass_operand *x = one_role(o, r);
	struct ref low = one_bits32(o, x, 0), high = one_bits32(o, x, 1);

	if (!one_steps(o)) {
		one_put2(o, OP_PACK_B64, one_wide(n), low, high);
		return one_wide(n);
	}
	if (low.kind == REF_REG && low.val < MREG_ALL)
		return ref_reg(VALUE_PAIR0 + low.val);
	if (low.kind == REF_IMM && high.kind == REF_IMM)
		return one_imm(o, o->v->to->imm[high.val] << 32 | (uint32_t)o->v->to->imm[low.val]);
	return low;
}

struct ref one_pair_result(const struct one *o, enum sass_role r, unsigned part, unsigned n)
{
	struct ref d = one_result(o, r, part);

	if (!one_steps(o))
		return one_wide(n);
	return d.kind == REF_REG ? ref_reg(VALUE_PAIR0 + d.val) : ref_none();
}

void one_put_pair(const struct one *o, enum sass_role r, unsigned part, struct ref from)
{
	struct ref d[2] = { one_result(o, r, part), one_result(o, r, part + 1) };

	if (one_steps(o)) {
		if (d[0].kind == REF_REG && !(from.kind == REF_REG && from.val == VALUE_PAIR0 + d[0].val))
			one_put1(o, OP_MOV_B64, ref_reg(VALUE_PAIR0 + d[0].val), from);
	} else if (d[0].kind == REF_REG && d[1].kind == REF_REG) {
		one_row(o, OP_UNPACK_B64, d, 2, &from, 1);
	}
}

/* ---- rows ---- */
static void note_done(struct values *v, struct ref d)
{
	if (d.kind != REF_REG)
		return;
	for (unsigned n = 0; n < (d.val >= VALUE_PAIR0 ? 2u : 1u); n++) {
		const uint32_t r = d.val >= VALUE_PAIR0 ? d.val - VALUE_PAIR0 + n : d.val;

		if (r < MREG_ALL && v->ndone < VALUE_DONE)
			v->done[v->ndone++] = r;
	}
}

struct insn *one_row(const struct one *o, enum op op, const struct ref *dst, unsigned ndst, const struct ref *src,
		     unsigned nsrc)
{
	struct values *v = o->v;
	bool any = false, outside = false;
	struct insn *x;

	for (unsigned n = 0; n < ndst; n++) {
		any |= dst[n].kind == REF_REG;
		outside |= dst[n].kind == REF_REG && dst[n].val < MREG_ALL;
	}
	if (op == OP_COUNT || (!any && !one_steps(o)))
		return NULL;
	x = ir_append(v->to, op, ndst, nsrc);
	for (unsigned n = 0; n < ndst; n++)
		insn_dst(v->to, x)[n] = dst[n];
	for (unsigned n = 0; n < nsrc; n++)
		insn_src(v->to, x)[n] = src[n];
	if (outside && !one_steps(o)) {
		x->guard = v->i->guard;
		x->mods = v->i->mods & (MOD_KILLS | MOD_KILLS_PREDS);
	}
	for (unsigned n = 0; n < ndst; n++)
		note_done(v, dst[n]);
	return x;
}

enum op one_op(const struct one *o, const char *fmt, ...)
{
	char text[96];
	va_list ap;
	enum op op;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	op = n > 0 && (size_t)n < sizeof text ? op_find(text, (size_t)n) : OP_COUNT;
	if (op == OP_COUNT)
		one_refuse(o, arena_printf(o->v->to->a, "no row for %s", text));
	return op;
}

struct insn *one_put(const struct one *o, enum op op, struct ref d, unsigned n, struct ref a, struct ref b,
		     struct ref c)
{
	return d.kind == REF_REG ? one_row(o, op, &d, 1, (const struct ref[]){ a, b, c }, n) : NULL;
}

void one_put_sum(const struct one *o, struct ref d, struct ref x, bool nx, struct ref y, bool ny)
{
	if (one_is_zero(o, x)) {
		x = y;
		nx = ny;
		y = one_imm(o, 0);
		ny = false;
	}
	if (one_is_zero(o, y)) {
		one_put1(o, nx ? OP_NEG_S32 : OP_MOV_B32, d, x);
	} else if (!nx) {
		one_put2(o, ny ? OP_SUB_S32 : OP_ADD_S32, d, x, y);
	} else if (!ny) {
		one_put2(o, OP_SUB_S32, d, y, x);
	} else {
		one_put1(o, OP_NEG_S32, one_word(7), x);
		one_put2(o, OP_SUB_S32, d, one_word(7), y);
	}
}
