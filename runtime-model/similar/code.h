/* What warps of both widths are stepped by. Private to runtime-model/similar. */
#ifndef REGLOOM_SIMILAR_CODE_H
#define REGLOOM_SIMILAR_CODE_H

#include "passes/pass.h"
#include "runtime-model/similar/similar.h"

struct similar_operands { uint32_t first; uint8_t nsrc, ndst; uint32_t dead; };         /* registers: in similar_code.reg, sources, destinations; dead: bit d: nothing
                                                                                          * reads the other lanes of destination d again */
struct similar_code {
	const struct scalar_insn *insn;
	const struct similar_operands *operands;
	const uint8_t *reg;
	const bool *generic;            /* an access that may be of local memory */
	unsigned nreg;                  /* one more than the highest */
};

enum { BDI_DELTA = 2 };                 /* bytes of a difference, at most */
/* Bytes of 128 for 32 lanes that need `delta` bytes beside lane 0's, in arrays of 16 bytes (Lee et al., ISCA 2015): <4,0> <4,1> <4,2>, else as they are. */
static inline unsigned bdi_bytes(unsigned delta, unsigned lanes) { return delta > BDI_DELTA ? 4 * lanes : 4 + delta * (lanes - 1); }

#endif
