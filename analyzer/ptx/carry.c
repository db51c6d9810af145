/* Extended-precision arithmetic: .cc writes the condition code CC.CF, addc, subc and madc read it. It has no name in
 * PTX; here it is a predicate register of the kernel, made by the first instruction that writes it, so that liveness,
 * scheduling and allocation treat it like any other. Where no instruction before has written it, it reads as false
 * (docs/SEMANTICS.md). */
#include "insn.h"

#include <string.h>

static struct operand carry_register(struct parser *p)
{
	if (p->carry_kernel != p->kernel) {
		p->carry = ir_vreg(p->k, "%CC", RC_PRED, 1);
		p->carry_kernel = p->kernel;
	}
	return (struct operand){ .kind = O_REG, .type = TY_PRED, .n = 1, .val = p->carry };
}

bool carry_parse(struct build *b)
{
	struct parser *p = b->p;
	struct mnemonic mn = *b->mn;
	struct operand in, out;
	const char *src;
	unsigned n = 0;

	if (!mnemonic_find(p, &mn) || !insn_operands(p))
		return false;
	b->mn = &mn;
	src = strchr(op_info[mn.op].sig, '_') + 1;
	while (src[n] && src[n] != 'P')
		n++;
	if (p->nop != n + 1)
		return build_wrong_count(b, n + 1, n + 1);
	if (p->op[0].second)
		return parse_error(p, p->op[0].off, "'%s' has one destination", mn.text);
	b->dst[b->ndst++] = (struct use){ &p->op[0], op_info[mn.op].sig[0],
					  (uint8_t)use_letter_bits(op_info[mn.op].sig[0]), false };
	for (unsigned s = 0; s < n; s++)
		b->src[b->nsrc++] = (struct use){ &p->op[1 + s], src[s], (uint8_t)use_letter_bits(src[s]), false };
	if (src[n]) {
		if (p->carry_kernel == p->kernel)
			in = carry_register(p);
		else
			in = (struct operand){ .kind = O_REG,
					       .type = TY_PRED,
					       .n = 1,
					       .val = build_convert(b, OP_MOV_PRED, RC_PRED, ir_imm(p->k, 0)).val };
		b->src[b->nsrc++] = (struct use){ &in, 'P', 1, false };
	}
	if (op_info[mn.op].ndst > 1) {
		out = carry_register(p);
		b->dst[b->ndst++] = (struct use){ &out, 'P', 1, false };
	}
	return insn_finish(b);
}
