/* What the files that decode a kernel for a launch share (decode.c: rows; native.c: machine code). */
#ifndef REGLOOM_ENGINE_DECODER_H
#define REGLOOM_ENGINE_DECODER_H

#include "runtime-model/engine/core.h"

/* Of a warp's registers 0 and 1 are the sink, of its predicates 1. */
enum { SINK_PRED = 1, FIRST_PRED = 2, FIRST_SLOT = 2 };

struct konst {
	uint64_t value;
	uint32_t at;
	bool pair;
};

struct decoder {
	struct engine *e;
	struct program *p;
	const struct kernel *k;
	struct arena scratch;
	const struct insn *i; /* being decoded */
	uint32_t at;          /* the kernel's instruction that it is, or is a step of */
	struct konst *konst;
	uint32_t nkonst, konst_cap;
	uint32_t *hash;
	uint32_t nhash;
	uint32_t reg_cap, nreg_list;
	uint32_t mem_cap, matrix_cap, flow_cap;
	const uint64_t (*word)[2]; /* of machine code, as loaded */
};

/* ---- decode.c ---- */
/* A broadcast value, of 64 bits if `pair`, as an operand. */
int32_t decode_number(struct decoder *dc, uint64_t value, bool pair);
/* dc->i of dc->k, which is in block b there. False: a fault, reported. */
bool decode_row(struct decoder *dc, struct xinsn *x, uint32_t b);
/* Registers that i of k reads, then those it writes, as word offsets of 32-bit registers. */
void decode_registers(struct decoder *dc, const struct kernel *k, const struct insn *i, struct xinsn *x);

/* ---- native.c ---- */
bool native_decode(struct decoder *dc);
/* Bytes of a constant bank of machine code. False: a fault, reported: nobody knows what stands there. */
bool native_constant(struct decoder *dc, unsigned bank, uint32_t offset, unsigned bytes, uint64_t *value);

#endif
