/* What instructions of decoded machine code compute, as instructions of PTX's rows: for passes that evaluate
 * (passes/slice.h), and for the engine, which executes them. semantics.def has a row for each mnemonic. */
#ifndef REGLOOM_SASS_VALUES_H
#define REGLOOM_SASS_VALUES_H

#include "analyzer/ir/ir.h"
#include "analyzer/sass/sass.h"

/* A kernel in virtual form, in arena a, in which virtual register r is register r of the machine. It has the blocks,
 * functions, jump tables, parameters, control-flow graph and dominators of k; an instruction of k is one or several.
 * Parameters, block and grid sizes are where ours are in constant bank 0 (ir.h). What is not understood writes values
 * that nobody knows. Not for running or printing: what stores and fetches is left out. Linear in the code. */
struct kernel *sass_values(const struct kernel *k, struct arena *a);

/* The steps of an instruction: instructions first .. first + n of the kernel of steps. Its guard is not theirs. */
struct sass_steps {
	uint32_t first, n;
	/* flow: where control goes, barriers of lanes, the program counter: the engine has the code. uniform: once for
	 * the warp */
	bool flow, uniform;
	/* why it cannot be executed; NULL: it can */
	const char *refused;
};
/* WORD: the instructions, as the loader has changed them. All that each instruction of k does, in its order, as steps
 * of instructions of PTX's rows in virtual form, for the engine: of[i] for instruction i. Virtual register r below
 * MREG_ALL is register r of the machine, VALUE_PAIR0 + r the 64 bits of registers r and r + 1; those between are of
 * one instruction. Constants name banks and offsets of the machine's. A destination is written by the last step that
 * reads its old value, or after that. */
struct kernel *sass_steps(const struct kernel *k, const uint64_t (*word)[2], struct arena *a, struct sass_steps *of);

/* Instructions whose steps are refused, by mnemonic ("?": no row fits) and reason, the most frequent first. */
struct sass_refusal {
	const char *mnemonic, *why;
	uint32_t n, first; /* how many; the first of them */
};
/* Of k, in arena a; returns how many are in *list. Linear in the code. */
uint32_t sass_refusals(struct sass_refusal **list, const struct kernel *k, struct arena *a);

/* Whether a relocation changes instruction i. */
bool sass_is_relocated(const struct native *n, uint32_t i);

/* Registers behind the machine's: values inside of one instruction; W_UNKNOWN and P_UNKNOWN are written by none. */
enum {
	VALUE_W0 = MREG_ALL, /* 32 bits */
	VALUE_W_UNKNOWN = VALUE_W0 + 8,
	VALUE_D0, /* 64 bits */
	VALUE_P0 = VALUE_D0 + 4,
	VALUE_P_UNKNOWN = VALUE_P0 + 4,
	VALUE_PAIR0,
	VALUE_COUNT = VALUE_PAIR0 + MREG_ALL
};

#endif
