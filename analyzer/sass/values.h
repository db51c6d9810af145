/* What the integer instructions of decoded machine code compute, as instructions of PTX's rows: for passes that
 * evaluate (passes/slice.h). */
#ifndef REGLOOM_SASS_VALUES_H
#define REGLOOM_SASS_VALUES_H

#include "analyzer/ir/ir.h"
#include "analyzer/sass/sass.h"

/* A kernel in virtual form, in arena a, in which virtual register r is register r of the machine. It has the blocks,
 * functions, jump tables, parameters, control-flow graph and dominators of k; an instruction of k is one or several.
 * Parameters, block and grid sizes are where ours are in constant bank 0 (ir.h). What is not understood writes values
 * that nobody knows. Not for running or printing: what stores and fetches is left out. Linear in the code. */
struct kernel *sass_values(const struct kernel *k, struct arena *a);

/* ---- values_op.c ---- */
/* Registers behind the machine's: values inside of one instruction; the last two of each are written by none. */
enum {
	VALUE_W0 = MREG_ALL,
	VALUE_W1,
	VALUE_W2,
	VALUE_W_UNKNOWN, /* 32 bits */
	VALUE_D0,
	VALUE_D1, /* 64 bits */
	VALUE_P0,
	VALUE_P1,
	VALUE_P_UNKNOWN,
	VALUE_COUNT
};
/* destinations that one row of insns.def may have computed */
enum { VALUE_DONE = 8 };
struct values {
	const struct kernel *k;
	struct kernel *to;
	const struct insn *i; /* of k */
	uint32_t done[VALUE_DONE];
	unsigned ndone;
};

/* Appends an instruction: of the values inside (d at VALUE_W0 or above) or, under i's guard, of a destination of i. */
void value_put(struct values *v, enum op op, struct ref d, const struct ref *src, unsigned nsrc);
/* The same with two destinations. */
void value_put_two(struct values *v, enum op op, struct ref d, struct ref e, const struct ref *src, unsigned nsrc);
/* Appends what s computes, as far as it is understood: v->done are the destinations that it has values for. */
void value_of(struct values *v, const struct sass_insn *s);

#endif
