/* Kernels for tests: of a given shape, and random ones. */
#ifndef REGLOOM_TEST_CFG_SPEC_H
#define REGLOOM_TEST_CFG_SPEC_H

#include "analyzer/base/rng.h"
#include "passes/pass.h"

#include <stdlib.h>

/* One word for each block, saying how it ends: "f" falls through, "bN" branches to block N, "cN" branches there under a
 * guard, "r" returns, "R" returns under a guard. The guard is virtual register 0. */
static inline struct kernel *spec_kernel(struct arena *a, const char *spec)
{
	struct module *m = module_new(a);
	struct kernel *k = kernel_new(m, "spec");

	m->address_bits = 64;
	ir_vreg(k, "%p", RC_PRED, 1);
	for (const char *p = spec; *p;) {
		char *end = (char *)p + 1, how = *p;
		struct insn *i = NULL;

		ir_block(k, NULL);
		if (how == 'b' || how == 'c') {
			i = ir_append(k, OP_BRA, 0, 1);
			insn_src(k, i)[0] = (struct ref){ .kind = REF_BLOCK,
							  .val = (unsigned)strtoul(p + 1, &end, 10) & REF_VAL_MAX };
		} else if (how == 'r' || how == 'R') {
			i = ir_append(k, OP_RET, 0, 0);
		}
		if (how == 'c' || how == 'R')
			i->guard = ref_reg(0);
		for (p = end; *p == ' '; p++)
			;
	}
	return k;
}

/* of each class, in a random kernel */
enum { SPEC_REGS = 6 };

/* A register of a class; the fixed registers of the machine form now and then. */
static inline struct ref spec_reg(const struct kernel *k, enum reg_class rc, uint64_t *rng)
{
	uint32_t r = rng_below(rng, SPEC_REGS), fixed = rng_below(rng, 8) == 0;

	if (k->form == FORM_VIRTUAL)
		return ref_reg((uint32_t)rc * SPEC_REGS + r);
	if (rc == RC_PRED)
		return ref_reg(fixed ? MREG_PT : MREG_P0 + r);
	if (fixed)
		return ref_reg(MREG_RZ);
	return ref_reg(rc == RC_64 ? r / 2 * 2 + 4 : r);
}

static inline void spec_insn(struct kernel *k, uint64_t *rng)
{
	static const enum op choice[] = {
		OP_ADD_S32, OP_ADD_S64, OP_MAD_WIDE_U32, OP_SETP_LT_S32,  OP_SELP_B32,   OP_MOV_B64,  OP_CVT_U32_D,
		OP_FMA_F32, OP_LD_B32,  OP_ST_F64,       OP_ATOM_ADD_U32, OP_UNPACK_B64, OP_AND_PRED,
	};
	enum op op = choice[rng_below(rng, sizeof choice / sizeof *choice)];
	const struct op_info *o = &op_info[op];
	unsigned vec = o->mem_bytes && !(o->flags & OPF_ATOMIC) ? 1u << rng_below(rng, 2) : 1;
	unsigned ndst = o->flags & OPF_LOAD && vec > 1 ? vec : o->ndst,
		 nsrc = o->flags & OPF_STORE && vec > 1 ? 1 + vec : o->nsrc;
	struct insn *i;

	ndst += op == OP_SETP_LT_S32 && rng_below(rng, 2);
	i = ir_append(k, op, ndst, nsrc);
	i->vec = (uint8_t)vec;
	i->space = o->mem_bytes ? SP_GLOBAL : SP_NONE;
	if (rng_below(rng, 4) == 0) {
		i->guard = spec_reg(k, RC_PRED, rng);
		i->guard.neg = rng_below(rng, 2) & 1;
	}
	for (unsigned s = 0; s < ndst + nsrc; s++)
		k->opnd[i->opnd + s] = s < ndst && rng_below(rng, 10) == 0
					       ? ref_none()
					       : spec_reg(k, insn_operand_class(k, i, s), rng);
}

/* Any control flow at all over nblock blocks of up to maxlen instructions, irreducible, endless and unreachable parts
 * included; it verifies. */
static inline struct kernel *spec_random(struct arena *a, enum form form, uint32_t nblock, uint32_t maxlen,
					 uint64_t seed)
{
	static const uint8_t bits[RC_COUNT] = { [RC_PRED] = 1, [RC_32] = 32, [RC_64] = 64 };
	struct module *m = module_new(a);
	struct kernel *k = kernel_new(m, "random");
	uint64_t rng = seed;

	m->address_bits = 64;
	for (unsigned rc = 0; rc < RC_COUNT; rc++)
		for (unsigned r = 0; r < SPEC_REGS; r++)
			ir_vreg(k, arena_printf(a, "%%%c%u", "prd"[rc], r), rc, bits[rc]);
	k->form = form;
	for (uint32_t b = 0; b < nblock; b++) {
		uint32_t how = rng_below(&rng, 16);
		struct insn *i;

		ir_block(k, NULL);
		for (uint32_t n = rng_below(&rng, maxlen + 1); n; n--)
			spec_insn(k, &rng);
		if (b + 1 == nblock)
			how = how < 8 ? 14 : 12;
		if (how < 4)
			continue;
		if (how >= 14) {
			i = ir_append(k, OP_EXIT, 0, 0);
		} else {
			i = ir_append(k, OP_BRA, 0, 1);
			/* mostly near, so that loops nest */
			insn_src(k, i)[0] =
				(struct ref){ .kind = REF_BLOCK,
					      .val = REF_VAL_MAX &
						     (rng_below(&rng, 3)
							      ? rng_below(&rng, nblock)
							      : (b + nblock - 2 + rng_below(&rng, 5)) % nblock) };
		}
		if (b + 1 < nblock && ((how >= 4 && how < 11) || how == 15))
			i->guard = spec_reg(k, RC_PRED, &rng);
	}
	return k;
}

#endif
