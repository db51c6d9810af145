/* What reuse knows of a kernel's instructions before any of them runs: which may have an entry of the reuse buffer, how
 * the entry names their operands, what they do to the order of memory. Decoded once for each kernel. Two instructions
 * of machine code are the same operation if their bits are, but for registers, numbers, guard and control code. The
 * rules and where they come from: docs/WIR_HARDWARE.md#reusable. */
#ifndef REGLOOM_REUSE_CODE_H
#define REGLOOM_REUSE_CODE_H

#include "analyzer/ir/ir.h"

/* Why an instruction never has an entry; REUSABLE: it may, and named as what it is that a model leaves out nonetheless:
 * a load. */
/* clang-format off */
#define REUSE_WHYS(X) \
	X(REUSABLE, load, "may be reused") \
	X(REUSE_CONTROL, control, "controls the flow, waits, or is a hint") \
	X(REUSE_STORE, store, "changes memory") \
	X(REUSE_CROSS, cross_lane, "depends on which lanes are active") \
	X(REUSE_ORDERED, ordered, "a volatile, relaxed or acquiring access") \
	X(REUSE_LOCAL, local, "reads local memory, where each thread has its own at an address") \
	X(REUSE_SURFACE, surface, "reads a surface, which stores may change unseen") \
	X(REUSE_SPECIAL, special_register, "reads a special register that warps have values of their own in") \
	X(REUSE_UNIFORM, uniform_register, "reads a uniform register, which has no physical register") \
	X(REUSE_PREDICATE, predicate, "reads or writes predicates, which have no physical register") \
	X(REUSE_OPERANDS, operands, "more operands, or longer ones, than fields of an entry hold") \
	X(REUSE_RESULTS, results, "more results than the result field of an entry names") \
	X(REUSE_NO_RESULT, no_result, "writes no register")
/* clang-format on */
enum reuse_why {
#define X(id, name, words) id,
	REUSE_WHYS(X)
#undef X
		REUSE_WHY_COUNT
};
extern const char *const reuse_why_name[REUSE_WHY_COUNT], *const reuse_why_words[REUSE_WHY_COUNT];

/* Where it loads from. Constant: constants, parameters, which nothing changes; read-only: .nc, textures, which the
 * kernel says that nothing does. Generic: by address any of them, or local memory, of which uop.local tells: such an
 * execution of it has no entry. */
enum reuse_load { LOAD_NONE, LOAD_CONSTANT, LOAD_READ_ONLY, LOAD_SHARED, LOAD_GLOBAL, LOAD_GENERIC };

/* What it does to the order of memory, as it issues; for epoch.h. */
enum reuse_order {
	ORDER_STORE_SHARED = 1 << 0,
	ORDER_STORE_GLOBAL = 1 << 1, /* its warp has stored there */
	/* what its warp has stored, loads find behind here: it waits at a barrier, or is a fence */
	ORDER_CLEAR = 1 << 2,
	/* what others have stored, loads find behind here: fence, acquire, wait of an mbarrier. Of a barrier the SM
	   tells when it releases */
	ORDER_COUNT = 1 << 3,
	ORDER_OTHERS = 1 << 4, /* others that may be in other CTAs */
};

/* One operand field of an entry's tag. Which kind it is, is a matter of the operation. */
enum reuse_field_kind { FIELD_NONE, FIELD_REGISTER, FIELD_PAIR, FIELD_NUMBER };
struct reuse_field {
	uint8_t kind; /* enum reuse_field_kind; NONE: it holds 0 */
	/* REGISTER, PAIR: indices into uop.src, low half first; the field holds their physical registers */
	uint8_t src[2];
	uint32_t number; /* NUMBER: what it holds, below 2^field_bits */
};

enum { REUSE_FIELDS = 3, REUSE_RESULTS_MAX = 2 };

struct reuse_insn {
	/* equal if and only if opcode, modifiers, types and forms of operands are; from 1, dense; 0: not REUSABLE */
	uint16_t operation;
	uint8_t why;   /* enum reuse_why */
	uint8_t load;  /* enum reuse_load */
	uint8_t order; /* enum reuse_order, or-ed */
	uint8_t ndst;  /* results: uop.dst[0 .. ndst) */
	struct reuse_field field[REUSE_FIELDS];
};

struct reuse_code {
	const struct reuse_insn *insn; /* by index into the kernel */
	unsigned operations;           /* highest number */
};

/* Fields of `field_bits`, 10..32; a physical register has `id_bits`. A field holds a register; a pair if 2 * id_bits
 * fit; of a number the low bits, further ones in the fields behind it, the last one sign-extended. Entries name one
 * result, or two where fields hold pairs. Machine form only; everything in arena a. Linear in the code, and in the
 * operations of one opcode. */
struct reuse_code reuse_decode(const struct kernel *k, unsigned field_bits, unsigned id_bits, struct arena *a);
/* As far as the opcode alone says. */
enum reuse_why reuse_why_of_op(enum op op);

#endif
