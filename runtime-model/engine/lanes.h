/* The lane loops: what one warp instruction does to 32-lane registers. lanes.c is compiled once for each
 * instruction-set level and exports one table; the engine takes the best that the machine has, and all give the same
 * bits.
 *
 * Registers are uint32_t [slot][32]; a 64-bit value is a slot of low words and the next slot of high words. A predicate
 * is one 32-bit mask. Operands are resolved when the kernel is decoded, so that a loop reads arrays and nothing
 * else. */
#ifndef REGLOOM_LANES_H
#define REGLOOM_LANES_H

#include "analyzer/ir/ops.h"
#include "runtime-model/engine/record.h"

struct xinsn;

/* Executes x in the lanes of `exec`; other lanes of the destination keep their value. REG and PRED: the warp's
 * registers; KONST: the kernel's immediates and constants, broadcast. */
typedef void lane_fn(const struct xinsn *x, uint32_t *reg, const uint32_t *konst, uint32_t *pred, uint32_t exec);
/* An atomic: lanes of `exec` in lane order at mem[lane]; the old values go to the destination, if there is one. GLOBAL:
 * the lanes whose memory is global, where 32-bit float operands and results that are subnormal become zeros. Returns
 * the lanes that have changed what there was. */
typedef uint32_t atom_fn(const struct xinsn *x, uint32_t *reg, const uint32_t *konst, uint32_t exec, uint32_t global,
			 unsigned char *const mem[]);

/* an operand is a word offset from REG, or from KONST with this bit */
enum { OPERAND_KONST = (int)0x80000000 };

/* One decoded instruction, or a step of one, one cache line. An instruction of several steps: the first of them is
 * `target` places behind it, there are `rpc`. */
struct xinsn {
	union {
		lane_fn *lane;
		atom_fn *atom;
	} fn;
	int32_t src[4];        /* word offsets; a predicate source: its index */
	uint32_t dst[2];       /* word offsets, or indices of predicates; sinks have a place of their own */
	uint32_t guard, gmask; /* executes where pred[guard] ^ gmask; pred[0] is always true */
	uint8_t kind;          /* enum xkind, core.h */
	uint8_t cbool;         /* enum cmp_bool */
	uint8_t sneg;          /* bit i: predicate source i is negated */
	uint8_t ftz, sat;
	uint8_t pair;  /* mov of a special register: 64 bits wide */
	uint8_t nsig;  /* 32-bit registers written */
	bool together; /* atomic: other threads may be at the same global memory */
	uint8_t nval;  /* 32-bit registers read, then written, for checked mode */
	bool whole;    /* of the uniform datapath: all lanes, if any executes it */
	/* branch: instruction; memory: index of its struct xmem; special register: which */
	uint32_t target;
	uint32_t rpc;  /* branch: instruction where its sides meet again, or UINT32_MAX */
	uint32_t regs; /* index in program.reg_list: registers read, then written (word offsets) */
};
_Static_assert(sizeof(struct xinsn) == 64, "one cache line");

/* over active lanes */
struct addr_facts {
	/* bits: low words or-ed; as far as they are below the step of addr(), a power of two */
	uint64_t low, high, bits;
	bool unit; /* see addr() */
	/* different words of 4 bytes, where all lie in 32 that follow each other; else 0 */
	unsigned words;
};

struct lanes {
	const char *name;
	lane_fn *const *fn;     /* by enum op; NULL where the engine has the code */
	lane_fn *const *fn_mod; /* rows that allow .ftz or .sat, with these applied; else NULL */
	atom_fn *const *atom;   /* atomics and reductions */
	void (*sig)(const uint32_t v[32], uint32_t written, struct value_sig *out); /* h3 is 0 */
	uint32_t (*h3)(const uint32_t v[32]);
	/* out[l] = base + offset, mod 2^32 unless wide; inactive lanes repeat an active lane's address. exec is not 0.
	 * facts->unit: lane l's address is lane 0's plus l * step. */
	void (*addr)(const uint32_t *base, bool wide, int64_t offset, uint32_t exec, unsigned step, uint64_t out[32],
		     struct addr_facts *facts);
	/* d[l] = the word at mem + at[l], in the lanes of exec. mem has so many `bytes`, any of which can be read.
	 * FACTS are of at[]. */
	void (*load)(const unsigned char *mem, uint64_t bytes, const uint64_t at[32], const struct addr_facts *facts,
		     uint32_t exec, uint32_t *d);
	void (*halves)(const uint32_t *raw, unsigned n, double *out); /* f16 to f64 */
	/* Of matrices of m x k and k x n elements, n a multiple of 8: c += a * b, each sum in the order of k; and
	 * c = a * b of such that fit. */
	void (*product)(const double *a, const double *b, double *c, unsigned m, unsigned n, unsigned k);
	void (*product_s32)(const int32_t *a, const int32_t *b, int32_t *c, unsigned m, unsigned n, unsigned k);
};

/* rare.c: rows written with OPR; one function each, .ftz and .sat included, for all tables. */
#define OP(...)
#define OPR(id, ...) lane_fn rare_##id;
#define OPA(...)
#define OPX(...)
#include "analyzer/ir/ops.def"

/* atomics.c: atomics and reductions by enum op, for all tables. */
extern atom_fn *const atomics[OP_COUNT];

extern const struct lanes lanes_base;
#if defined(__x86_64__) && !defined(LANES_ONLY_BASE)
extern const struct lanes lanes_v3;
#endif
const struct lanes *lanes_best(void); /* the fastest table that this machine runs */

#endif
