/* Which instructions one lane can execute on tuples: a register of which lane l holds base + l * stride, mod 2^32, is
 * these two numbers, and some operations make such a tuple of tuples (WIR, HPCA 2018, section VII-A, after Collange et
 * al. 2009 and Kim et al., ISCA 2013). One value in all lanes is a tuple of stride 0, which encode.h has rules for.
 * docs/AFFINE.md#affine. */
#ifndef REGLOOM_AFFINE_H
#define REGLOOM_AFFINE_H

#include "runtime-model/core/encode.h"

enum affine_kind {
	AFFINE_NEVER,
	/* it makes a tuple unless it cuts, carries or extends: 64 and 16 bits, special registers */
	AFFINE_BY_RESULT,
	AFFINE_ALWAYS,
};

/* sources: bit i, u->src[i]; those that are special registers together have the bit AFFINE_SPECIAL */
struct affine_insn {
	uint64_t factor[2]; /* of one of the two all must be one value */
	uint64_t uniform;   /* these must be: amounts of shifts */
	uint8_t kind;       /* enum affine_kind */
};
#define AFFINE_SPECIAL ((uint64_t)1 << 63)

/* Of each instruction of k, which is in machine form, in arena a. */
struct affine_insn *affine_decode(const struct kernel *k, struct arena *a);
/* Does one lane execute it on tuples, not all of one value? c: as scalar_how() has it; result: signatures of its n
 * registers. */
bool affine_executes(const struct affine_insn *i, const struct scalar_warp *w, const struct scalar_case *c,
		     const struct value_sig *result, unsigned n);

#endif
