/* What warps of both widths are stepped by. Private to runtime-model/similar. */
#ifndef REGLOOM_SIMILAR_CODE_H
#define REGLOOM_SIMILAR_CODE_H

#include "passes/pass.h"
#include "runtime-model/similar/similar.h"

/* registers: in similar_code.reg, sources, destinations; dead: bit d: nothing reads the other lanes of destination d
 * again */
struct similar_operands {
	uint32_t first;
	uint8_t nsrc, ndst;
	uint32_t dead;
};
struct similar_code {
	const struct scalar_insn *insn;
	const struct similar_operands *operands;
	const uint8_t *reg;
	const bool *generic; /* an access that may be of local memory */
	/* an operand of which each warp of 32 lanes has its own value: %warpid, clocks */
	const bool *of_warp;
	unsigned nreg; /* one more than the highest */
};

#endif
