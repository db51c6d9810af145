/* Operations that make tuples of tuples: affine.h. Sums, differences, products by one value, shifts by one amount, and
 * what copies: modulo 2^32 they always do. Of a pair of registers the upper half gets carries wherever they come, and
 * what is cut to 8 or 16 bits wraps: there the result says. */
#include "runtime-model/core/affine.h"

#include <string.h>

/* How source operand s of an instruction is to be: its registers as bits. */
static uint64_t sources(const struct kernel *k, const struct insn *i, const struct insn_regs *r, unsigned s)
{
	struct reg_use use[REG_USE_MAX];
	unsigned n = insn_reg_uses(k, i, use);
	uint64_t bits = k->opnd[i->opnd + i->ndst + s].kind == REF_SREG ? AFFINE_SPECIAL : 0;

	for (unsigned u = 0; u < n; u++)
		for (unsigned x = 0; !use[u].write && use[u].slot == i->ndst + s && x < r->nsrc; x++)
			bits |= (uint64_t)(r->src[x] == use[u].reg) << x;
	return bits;
}

static enum affine_kind kind_of(const struct insn *i)
{
	switch (i->op) {
	case OP_ADD_S32:
	case OP_SASS_ADD3:
	case OP_SASS_ADD_SUB:
	case OP_SASS_SUB2:
	case OP_SASS_MAD_SUB:
	case OP_SASS_LEA:
	case OP_SUB_S32:
	case OP_ADDC_32:
	case OP_SUBC_32:
	case OP_NEG_S32:
	case OP_NOT_B32:
	case OP_MUL_LO_S32:
	case OP_MAD_LO_S32:
	case OP_MADC_LO_32:
	case OP_SHL_B32:
	case OP_MOV_B32:
	case OP_MOV_B64:
	case OP_MOV_F32:
	case OP_MOV_F64:
	case OP_SELP_B32:
	case OP_SELP_B64:
	case OP_SELP_F32:
	case OP_SELP_F64:
	case OP_PACK_B64:
	case OP_UNPACK_B64:
	case OP_CVT_U32_W:
	case OP_CVT_S32_W:
	case OP_CVT_U32_D:
	case OP_CVT_S32_D:
	case OP_CVT_U64_D:
	case OP_CVT_U64_U32:
		return AFFINE_ALWAYS;
	case OP_ADD_U16:
	case OP_ADD_S16:
	case OP_SUB_U16:
	case OP_SUB_S16:
	case OP_MUL_LO_U16:
	case OP_MUL_LO_S16:
	case OP_MAD_LO_U16:
	case OP_MAD_LO_S16:
	case OP_MUL_WIDE_U16:
	case OP_MUL_WIDE_S16:
	case OP_MUL24_LO_U32:
	case OP_MUL24_LO_S32:
	case OP_MAD24_LO_U32:
	case OP_MAD24_LO_S32:
	case OP_ADD_SAT_S32:
	case OP_SUB_SAT_S32:
	case OP_MOV_B16:
	case OP_SELP_B16:
	case OP_NOT_B16:
	case OP_SHL_B16:
	case OP_CVT_U16_W:
	case OP_CVT_S16_W:
	case OP_CVT_U16_D:
	case OP_CVT_S16_D:
	case OP_CVT_U16_H:
	case OP_CVT_S16_H:
	case OP_CVT_U32_U16:
	case OP_CVT_S32_S16:
	case OP_CVT_U64_U16:
	case OP_CVT_S64_S16:
	case OP_CVT_S64_S32:
	case OP_ADD_S64:
	case OP_SUB_S64:
	case OP_ADDC_64:
	case OP_SUBC_64:
	case OP_NEG_S64:
	case OP_NOT_B64:
	case OP_MUL_LO_S64:
	case OP_MAD_LO_S64:
	case OP_MADC_LO_64:
	case OP_MUL_WIDE_U32:
	case OP_MUL_WIDE_S32:
	case OP_MAD_WIDE_U32:
	case OP_MAD_WIDE_S32:
	case OP_SHL_B64:
		return AFFINE_BY_RESULT;
	default:
		return AFFINE_NEVER;
	}
}

static bool is_product(enum op op)
{
	const char *name = op_info[op].text;

	return strncmp(name, "mul", 3) == 0 || strncmp(name, "mad", 3) == 0 || op == OP_SASS_MAD_SUB;
}

static bool is_shift(enum op op) { return op == OP_SHL_B16 || op == OP_SHL_B32 || op == OP_SHL_B64; }

/* A sign or a magnitude that an operand takes of a floating-point number is of its bits. */
static bool plain(const struct kernel *k, const struct insn *i)
{
	for (unsigned s = 0; s < i->nsrc; s++)
		if (k->opnd[i->opnd + i->ndst + s].neg || k->opnd[i->opnd + i->ndst + s].abs)
			return false;
	return !(i->mods & MOD_SAT);
}

static struct affine_insn decode(const struct kernel *k, const struct insn *i)
{
	struct affine_insn out = { .kind = (uint8_t)(plain(k, i) ? kind_of(i) : AFFINE_NEVER) };
	struct insn_regs r;

	if (out.kind == AFFINE_NEVER)
		return out;
	ir_insn_regs(k, i, &r);
	if (is_product((enum op)i->op)) {
		out.factor[0] = sources(k, i, &r, 0);
		out.factor[1] = sources(k, i, &r, 1);
	} else if (is_shift((enum op)i->op)) {
		out.uniform = sources(k, i, &r, 1);
	} else if (i->op == OP_SASS_LEA) {
		out.uniform = sources(k, i, &r, 2);
	}
	return out;
}

struct affine_insn *affine_decode(const struct kernel *k, struct arena *a)
{
	struct affine_insn *out = new_array(a, struct affine_insn, k->ninsn + 1);

	for (uint32_t i = 0; i < k->ninsn; i++)
		out[i] = decode(k, &k->insn[i]);
	return out;
}

bool affine_executes(const struct affine_insn *i, const struct scalar_warp *w, const struct scalar_case *c,
		     const struct value_sig *result, unsigned n)
{
	uint64_t differ = c->insn->vector ? AFFINE_SPECIAL : 0;

	if (i->kind == AFFINE_NEVER || !scalar_convergent(c) || !n || !scalar_predicates(w, c->insn, c->active))
		return false;
	for (unsigned s = 0; s < c->n; s++) {
		if (!c->src[s].affine)
			return false;
		differ |= (uint64_t)!encoding_is_scalar(c->src[s]) << s;
	}
	if (differ & i->uniform || (differ & i->factor[0] && differ & i->factor[1]))
		return false;
	for (unsigned d = 0; (i->kind == AFFINE_BY_RESULT || differ & AFFINE_SPECIAL) && d < n; d++)
		if (!result[d].affine)
			return false;
	return true;
}
