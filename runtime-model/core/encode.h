/* How the lanes of a register are alike, and which instructions fewer lanes can execute (Liu et al., G-Scalar, HPCA
 * 2017, sections 3.1, 3.3, 4.1 to 4.3). Facts and rules without time or place: the SM asks them in the order in which
 * it issues, `sm-model values` in the order of execution. docs/GSCALAR_HARDWARE.md#hardware. */
#ifndef REGLOOM_ENCODE_H
#define REGLOOM_ENCODE_H

#include "analyzer/ir/ir.h"
#include "runtime-model/engine/record.h"

enum { SAME_ALL = 4, HALF_LANES = WARP_LANES / 2, ENCODE_PREDS = MREG_PT - MREG_P0 };
#define LOW_HALF UINT32_C(0x0000ffff)
#define HIGH_HALF UINT32_C(0xffff0000)

/* ---- registers ---- */
/* Lane 0, and what the others differ from it by, in so many bytes each, take fewer bytes than the register. */
enum bdi { BDI_NONE, BDI_0, BDI_1, BDI_2 };
static inline enum bdi bdi_of(unsigned delta) { return delta <= 2 ? (enum bdi)(BDI_0 + delta) : BDI_NONE; }
/* Bytes that a register of so many lanes takes (Lee et al., ISCA 2015): of 32 lanes <4,0> <4,1> <4,2>, else as they
 * are. */
static inline unsigned bdi_bytes(enum bdi b, unsigned lanes)
{
	return b == BDI_NONE ? 4 * lanes : 4 + (unsigned)(b - BDI_0) * (lanes - 1);
}

/* Of an entry of the register file, as its last write left it. All zero: nothing was written since its warp began; it
 * is not compressed, and counts as a vector. */
struct encoding {
	/* bytes, from the top, that are the same in lanes 0-15, 16-31, 0-31; unless divergent. Lanes without a
	   thread are like the others: in a half without threads, those of the other half. */
	uint16_t lo : 3, hi : 3, all : 3;
	uint16_t divergent : 1; /* D: the write was not of all threads; the entry is not compressed, */
	uint16_t bdi : 2;       /* enum bdi; BDI_NONE if divergent */
	uint16_t affine : 1;    /* lane l holds base + l * stride, mod 2^32; not if divergent */
	uint16_t same : 1;      /* and these hold the same value: the base value register has them: */
	uint32_t lanes;
};

/* After a write of `lanes`, not empty, whose signature is sig, in a warp of which these lanes have no thread. */
struct encoding encoding_of(const struct value_sig *sig, uint32_t lanes, uint32_t missing);
/* After a move that decompresses: of all lanes, as they are. */
struct encoding encoding_plain(void);
/* FS: one value in all lanes. */
static inline bool encoding_is_scalar(struct encoding e) { return !e.divergent && e.all == SAME_ALL; }
/* Some of its bytes are in the base value register alone. half: each half is compressed by itself. */
static inline bool encoding_is_compressed(struct encoding e, bool half)
{
	return !e.divergent && (half ? e.lo || e.hi : e.all);
}
/* Arrays that an access activates, of `arrays` that hold an entry; bytes that a write stores, of 128, base and all. */
unsigned encoding_arrays(struct encoding e, bool half, unsigned arrays);
unsigned encoding_bytes(struct encoding e, bool half);

/* ---- instructions ---- */
enum scalar_class { SCALAR_NEVER, SCALAR_ALU, SCALAR_SFU, SCALAR_MEM };

/* what its opcode and operands say */
struct scalar_insn {
	/* enum scalar_class; of memory, unless its addresses turn out to be in local memory */
	uint8_t class;
	uint8_t reads, writes; /* predicates as data, bit i: Pi; not its guard */
	/* an operand that is different in each lane, whatever registers hold: %tid, %laneid, ... */
	bool vector;
	/* the record of a guarded control instruction names the lanes that take it, not those that reach it */
	bool control, guarded;
};

/* Of each instruction of k, which is in machine form, in arena a. */
struct scalar_insn *scalar_decode(const struct kernel *k, struct arena *a);

/* What hardware can execute in fewer lanes. */
enum scalar_rule {
	RULE_ALU = 1 << SCALAR_ALU,
	RULE_SFU = 1 << SCALAR_SFU,
	RULE_MEM = 1 << SCALAR_MEM,
	RULE_HALF = 1 << 4,      /* halves of a warp, by themselves */
	RULE_DIVERGENT = 1 << 5, /* the active lanes of a divergent instruction */
	RULE_ALL = RULE_ALU | RULE_SFU | RULE_MEM | RULE_HALF | RULE_DIVERGENT,
};

/* LOW: lanes 0-15 are one, HIGH: 16-31; HALVES: each; AFFINE: base and stride are (affine.h, which scalar_how() does
 * not ask). */
enum scalar_how { HOW_VECTOR, HOW_SCALAR, HOW_LOW, HOW_HIGH, HOW_HALVES, HOW_DIVERGENT, HOW_AFFINE };

/* of one warp, in program order; all zero as it begins */
struct scalar_warp {
	/* lanes in which Pi is one value: those for which one lane executed its last write, if it was one; */
	uint32_t same[ENCODE_PREDS];
	/* in which it is one in each half: those for which one, or one of each half, did */
	uint32_t parts[ENCODE_PREDS];
	bool divergent; /* the last instruction with an active lane was */
};

/* One instruction as it issues: `active`, its guard applied; missing: lanes of its warp that have no thread; its n
 * general source registers as they are encoded then. local: its addresses are in local memory, in some lane. */
struct scalar_case {
	const struct scalar_insn *insn;
	uint32_t active, missing;
	bool local;
	unsigned n;
	const struct encoding *src;
};

/* All threads of the warp execute it. */
static inline bool scalar_convergent(const struct scalar_case *c) { return (c->active | c->missing) == UINT32_MAX; }
bool scalar_divergent(const struct scalar_warp *w, const struct scalar_case *c);
/* Every predicate that i reads as data is known to be one value in these lanes. */
bool scalar_predicates(const struct scalar_warp *w, const struct scalar_insn *i, uint32_t lanes);
/* How hardware with these rules executes it. */
enum scalar_how scalar_how(const struct scalar_warp *w, const struct scalar_case *c, unsigned rules);
/* It has issued, and was executed so. After the two above. */
void scalar_issued(struct scalar_warp *w, const struct scalar_case *c, enum scalar_how how);
/* Lanes that execute. */
unsigned scalar_lanes(enum scalar_how how, uint32_t active);
/* What it wrote to a register is the same in the lanes for which one executed, or base and stride. False: it should not
 * have been. */
bool scalar_agrees(enum scalar_how how, const struct value_sig *sig);
/* Does the word of a record's lines say that local memory is touched? */
static inline bool scalar_is_local(uint64_t word)
{
	return is_line(word) && line_address(word) >= LOCAL_LINES && line_address(word) < CONST_LINES;
}

#endif
