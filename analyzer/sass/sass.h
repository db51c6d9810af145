/* Machine code of NVIDIA GPUs, sm_75 to sm_120: one instruction of 128 bits to its fields and back, and as text.
 * docs/SASS_SOURCES.md says where each layout comes from and what is uncertain. Knows nothing of files (analyzer/cubin)
 * nor of the kernel IR (analyzer/sass/lift.c).
 *
 * The tables: insns.def a row for each opcode with its operand forms, mods.def the modifier fields, widths.def how many
 * registers a tuple has, sregs.def special registers. A field of a row is both read and written through its row, so
 * that sass_encode() of what sass_decode() gave is the same 128 bits whenever `unclaimed` is zero. */
#ifndef REGLOOM_SASS_H
#define REGLOOM_SASS_H

#include "analyzer/base/arena.h"
#include "analyzer/ir/control.h"

#include <stdbool.h>
#include <stdint.h>

/* bit 0 is the low bit of the first byte in the file, bit 64 the low bit of byte 8 */
struct sass_word {
	uint64_t lo, hi;
};

enum sass_kind {
	SASS_GPR,
	SASS_UGPR, /* `n` registers from `reg` on; reg SASS_ZERO: RZ or URZ */
	SASS_PRED,
	SASS_UPRED, /* reg 0 .. 6; SASS_TRUE: PT or UPT */
	/* P0 .. P6, or UP0 .. UP6 of the uniform datapath, as far as `value`'s bits say */
	SASS_PREDS,
	SASS_CBAR, /* convergence barrier B0 .. B15 */
	/* immediates: `value` has the bits; F64: the high word */
	SASS_INT,
	SASS_F32,
	SASS_F64,
	SASS_F16X2,
	SASS_INT64,
	SASS_MASK,
	SASS_CONST, /* c[bank][value], bytes; cx[UR reg][value] if `bindless` */
	SASS_SREG,  /* special register `value` */
};
enum { SASS_ZERO = 255, SASS_TRUE = 7, SASS_OPERANDS = 16, SASS_MODS = 32 };

/* Where an operand stands: destinations first. a b c: the three sources of arithmetic, in whichever slots the form puts
 * them; u: uniform part of an address; pd pe: predicate results; pp pq pr: predicate sources. The rest are plain
 * numbers: second address offset, truth tables, shift, barrier or scoreboard number, predicates as a set, other. */
enum sass_role {
	SROLE_D,
	SROLE_F,
	SROLE_PD,
	SROLE_PE,
	SROLE_A,
	SROLE_B,
	SROLE_C,
	SROLE_E,
	SROLE_U,
	SROLE_V,
	SROLE_PP,
	SROLE_PQ,
	SROLE_PR,
	SROLE_IMM2,
	SROLE_LUT,
	SROLE_LUT2,
	SROLE_SHIFT,
	SROLE_BAR,
	SROLE_PREDS,
	SROLE_NUM,
	SROLE_COUNT
};

struct sass_operand {
	uint8_t kind, role; /* enum sass_kind, enum sass_role */
	uint8_t n;          /* registers that it names: 1; 2 for a pair; 0 if it names none; up to 128 */
	uint8_t half;       /* of fp16x2: 0 both, 1 .F32, 2 .H0_H0, 3 .H1_H1 */
	uint8_t bank;
	uint8_t field; /* of the row that describes it */
	bool write, neg, abs, bindless;
	uint16_t reg;
	uint64_t value;
};

enum sass_space {
	SSPACE_NONE,
	SSPACE_GENERIC,
	SSPACE_GLOBAL,
	SSPACE_SHARED,
	SSPACE_LOCAL,
	SSPACE_CONST,
	SSPACE_TEXTURE,
	SSPACE_SURFACE
};

struct sass_row; /* table.h */
struct sass_insn {
	const struct sass_row *row; /* NULL: unknown */
	/* kind SASS_PRED, or SASS_UPRED of the uniform datapath; reg SASS_TRUE and not neg: always */
	struct sass_operand guard;
	struct sass_operand op[SASS_OPERANDS];
	uint8_t nop;
	uint8_t space; /* enum sass_space */
	uint8_t nmod;
	/* modifier fields of the row as stored, also those that print nothing */
	struct {
		uint16_t field;
		uint16_t value;
	} mod[SASS_MODS];
	bool has_imm, has_target;
	/* CALL.ABS, JMP: `target` is the address itself, as a rule set by a relocation */
	bool target_absolute;
	int64_t imm; /* address offset in bytes */
	/* of a branch, bytes from this instruction's address; where a register is added to it too (BRX, RET): without
	 * that */
	int64_t target;
	struct control_code control;
	/* bits that are set and that no field of the row explains; of an unknown one all but the control */
	struct sass_word unclaimed;
};

/* What an instruction does, for whoever needs no more (table.h has the row). */
enum sass_class {
	SCLASS_MOVE,
	SCLASS_INT,
	SCLASS_MINMAX,
	SCLASS_IMAD,
	SCLASS_FADD,
	SCLASS_FMUL,
	SCLASS_FMAD,
	SCLASS_FMINMAX,
	SCLASS_DADD,
	SCLASS_DMUL,
	SCLASS_DMAD,
	SCLASS_CONVERT,
	SCLASS_PRED,
	SCLASS_UNIFORM,
	SCLASS_SPECIAL,
	SCLASS_SFU,
	SCLASS_SHUFFLE,
	SCLASS_VOTE,
	SCLASS_MMA,
	SCLASS_LOAD,
	SCLASS_STORE,
	SCLASS_ATOMIC,
	SCLASS_TEXTURE,
	SCLASS_CACHE,
	SCLASS_FENCE,
	SCLASS_BARRIER,
	SCLASS_SYNC,
	SCLASS_OTHER,
	SCLASS_NOP,
	SCLASS_BRANCH,
	SCLASS_BRANCH_INDIRECT,
	SCLASS_CALL,
	SCLASS_CALL_INDIRECT,
	SCLASS_RETURN,
	SCLASS_EXIT,
	SCLASS_BSSY,
	SCLASS_BSYNC,
	SCLASS_BREAK,
	SCLASS_UNKNOWN,
	SCLASS_COUNT
};
enum sass_class sass_class(const struct sass_insn *i); /* SCLASS_UNKNOWN if there is no row */
const char *sass_mnemonic(const struct sass_insn *i);  /* "IADD3", without modifiers; "?" */
/* "X", "F32", "STRONG.GPU": whether a modifier of that name is written */
bool sass_has(const struct sass_insn *i, const char *modifier);
/* The value of its first operand of that role and kind; 0: it has none. */
uint32_t sass_number(const struct sass_insn *i, enum sass_role role, enum sass_kind kind);
/* What the value of a field of mods.def prints, by its id, *n characters; 0: nothing, or the row has none; NULL: it has
 * no name. */
const char *sass_mod_name(const struct sass_insn *i, const char *id, size_t *n);
/* the value of a field of mods.def, by its id; -1: the row has none */
int sass_mod(const struct sass_insn *i, const char *id);
/* Bytes that a lane loads, stores or copies; 0: it does not, or its row does not say. */
unsigned sass_access_bytes(const struct sass_insn *i);
/* Whether the uniform register of an address is a memory descriptor rather than a base. */
bool sass_has_descriptor(const struct sass_insn *i);
/* USETMAXREG: how many a thread asks for, from here on; 0: it is none, or gives some back */
unsigned sass_takes_registers(const struct sass_insn *i);

/* How sure its row of insns.def is of the operands: met in listings with text; in code that ptxas made for own kernels,
 * without text; noted by others; deduced from the rules of the operand forms; guessed. */
enum sass_sure { SURE_SEEN, SURE_OWN, SURE_NOTED, SURE_DEDUCED, SURE_GUESS };
enum sass_sure sass_sure(const struct sass_insn *i); /* SURE_GUESS if there is no row */
/* The id of a field that is set and whose meaning is not known (OPEN and FILL of mods.def), the first from mod[*AT] on,
 * and its place into *AT; NULL: there is none. */
const char *sass_open(const struct sass_insn *i, unsigned *at);

bool sass_sm_known(unsigned sm); /* 75 .. 121: a layout that the tables have */
/* False if no row fits: then row is NULL, there are no operands, and control is read all the same. Thread-safe. */
bool sass_decode(unsigned sm, struct sass_word w, struct sass_insn *out);
bool sass_decode_words(unsigned sm, const uint64_t w[2], struct sass_insn *out); /* as the kernel IR has them */
/* The 128 bits, from the row and the fields alone. i->row must not be NULL. */
struct sass_word sass_encode(unsigned sm, const struct sass_insn *i);
struct control_code sass_control(struct sass_word w);

/* "@!P0 IMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x160]", as nvdisasm writes it, without ';'. PC: byte offset of the
 * instruction in its section, for branch targets, which are written as `0x1a0` unless label() gives a name. */
struct sass_print {
	uint64_t pc;
	const char *(*label)(void *ctx, uint64_t target);
	void *ctx;
};
char *sass_print(struct arena *a, unsigned sm, const struct sass_insn *i, const struct sass_print *how);
/* "[B------:R-:W2:-:S01]": barriers waited for, read and write barrier set, yield hint, stall cycles. */
enum { SASS_CONTROL_CHARS = 24 };
void sass_print_control(char text[SASS_CONTROL_CHARS], struct control_code c);

#endif
