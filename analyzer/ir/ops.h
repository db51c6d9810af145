/* The opcode table, expanded from ops.def: names, operand signatures, functional units, flags; and mnemonic lookup. */
#ifndef REGLOOM_OPS_H
#define REGLOOM_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functional-unit class: what a machine file must time (docs/TIMING.md). FU_NONE: takes no unit (a label-like op). */
/* clang-format off */
#define FU_LIST(X) \
	X(INT_ADD) X(INT_MINMAX) X(INT_MUL) X(INT_MAD) X(INT_DIV) \
	X(FP_ADD) X(FP_MINMAX) X(FP_MUL) X(FP_MAD) X(FP_DIV) \
	X(DP_ADD) X(DP_MINMAX) X(DP_MUL) X(DP_MAD) X(DP_DIV) \
	X(OTHER) X(SFU) X(SHFL) X(MEM) X(CTRL) X(BAR) X(TENSOR)
/* clang-format on */

enum fu {
#define X(n) FU_##n,
	FU_LIST(X)
#undef X
		FU_COUNT
};

enum op_flag {
	OPF_COMMUTES = 1 << 0, /* sources a and b may swap */
	OPF_SX = 1 << 1,       /* a narrower result sign-extends into a wider register */
	OPF_FTZ = 1 << 2,      /* .ftz allowed */
	OPF_SAT = 1 << 3,      /* .sat allowed (clamp to [0,1]) */
	OPF_LOAD = 1 << 4,
	OPF_STORE = 1 << 5, /* an atomic is both; a reduction too, without destination */
	OPF_ATOMIC = 1 << 6,
	OPF_BRANCH = 1 << 7,    /* last source is a block */
	OPF_END = 1 << 8,       /* control never falls through when unguarded */
	OPF_EXIT = 1 << 9,      /* ends the threads that execute it */
	OPF_BARRIER = 1 << 10,  /* waits for the CTA */
	OPF_FENCE = 1 << 11,    /* orders memory */
	OPF_SETP = 1 << 12,     /* may have a second destination q = !p and a third, predicate source */
	OPF_SIDE = 1 << 13,     /* must not be removed, duplicated or moved over another such op */
	OPF_CROSS = 1 << 14,    /* reads other lanes: the set of active lanes matters */
	OPF_MOVE = 1 << 15,     /* d = a, nothing else */
	OPF_PAYLOAD = 1 << 16,  /* the semantics say which NaN results; else it is the canonical one */
	OPF_CALL = 1 << 17,     /* control comes back to the next block */
	OPF_RETURN = 1 << 18,   /* goes back to wherever its function was called */
	OPF_TABLE = 1 << 19,    /* insn.offset is a jump table, k->table: its blocks are the targets */
	OPF_REGMUTEX = 1 << 20, /* acquires or releases the warp's extended set: in a variant (ir.h) only */
	OPF_INTERNAL = 1 << 21, /* made by the passes, or decoded: PTX has no such instruction */
	/* decoded machine code, ops/sass.def: as many operands as the instruction has */
	OPF_NATIVE = 1 << 22,
	OPF_UNKNOWN = 1 << 23, /* may read and write any register that the kernel names */
};

/* Letters of a signature, "W_WW": destinations before '_', sources after it. P predicate; B H W D integer or bits of
 * 8 16 32 64; F G float of 32 64; M memory address, A the same of a matrix; L block; O nothing. B, H, W and F take one
 * 32-bit register, D and G a pair. A memory row's data letter stands for `vec` elements. */
struct op_info {
	const char *id;   /* "ADD_S32" */
	const char *text; /* "add.s32", alternatives after '|' */
	const char *sig;  /* "W_WW" */
	/* semantics of one lane, as written in the table; "" where the engine has code */
	const char *expr;
	uint32_t flags;
	uint8_t fu, ndst, nsrc;
	uint8_t mem_bytes; /* bytes of one memory element, 0 if not a memory op */
	uint16_t opsig;    /* enum opsig */
};

enum op {
#define OP(id, text, sig, unit, flags, ...) OP_##id,
#include "analyzer/ir/ops.def"
	OP_COUNT
};

/* OPSIG_W_WW: for switches over the shape of an instruction */
enum opsig {
#define SIG(name, ndst, nsrc, bytes) OPSIG_##name,
#include "analyzer/ir/sigs.def"
#undef SIG
	OPSIG_COUNT
};

extern const struct op_info op_info[OP_COUNT];

/* The host serves it: rows of ops/call.def that stand together. */
static inline bool op_is_host(unsigned op) { return op >= OP_HOST_PRINTF && op <= OP_HOST_FREE; }
static inline bool op_uses_heap(unsigned op)
{
	return op_is_host(op) && op != OP_HOST_PRINTF && op != OP_HOST_ASSERTFAIL;
}

/* Finds the row of a mnemonic. BASE_AND_MODS is the canonical text: base, then semantic modifiers in any order, then
 * types in order, all separated by '.'. OP_COUNT if none. Thread-safe. */
enum op op_find(const char *text, size_t len);
/* The closest rows to an unknown mnemonic by edit distance, for "did you mean"; returns how many (at most max). */
unsigned op_suggest(const char *text, size_t len, enum op best[], unsigned max);
/* Canonical mnemonic of a row: its first alternative. Length in *len. */
const char *op_mnemonic(enum op op, size_t *len);

enum sreg {
#define SREG(id, text, bits) SREG_##id,
#include "analyzer/ir/sregs.def"
#undef SREG
	SREG_COUNT
};
extern const char *const sreg_name[SREG_COUNT];
extern const uint8_t sreg_bits[SREG_COUNT];        /* 32 or 64 */
enum sreg sreg_find(const char *name, size_t len); /* "%tid.x"; SREG_COUNT if none */
/* Each warp has its own value, the same in its lanes: its number, clocks, performance counters. */
static inline bool sreg_is_of_warp(enum sreg s)
{
	return s == SREG_WARPID || (s >= SREG_CLOCK && s <= SREG_GLOBALTIMER_HI) || (s >= SREG_PM0 && s <= SREG_PM7_64);
}

/* Scalar types of PTX, for declarations and modifiers. */
enum scalar_type {
#define TYPE(id, text, bits, kind) TY_##id,
#include "analyzer/ir/types.def"
#undef TYPE
	TY_COUNT
};
/* kind: types.def */
struct type_info {
	const char *text;
	uint8_t bits;
	char kind;
};
extern const struct type_info type_info[TY_COUNT];
enum scalar_type type_find(const char *text, size_t len); /* "u32"; TY_COUNT if none */

#endif
