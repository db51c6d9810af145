/* Records: what the functional engine tells a timing model about one issued warp instruction.
 *
 * A warp's records form a stream of 64-bit words, made on demand and dropped when every consumer has read them. One
 * word is one record and is followed by its payload, or is a run of records that have none:
 *   record    apart (1) | insn (23) | 0 (1) | extra (7) | active lanes (32), then `extra` words; 127: the next word
 *             says how many
 *   run       apart (1) | insn (23) | 1 (1) | n - 1 (7) | active lanes (32): n records in the same lanes. After insn
 *             comes the instruction behind it, after a branch its target, and so on
 *   payload   memory instructions, for lanes in global or local memory: one word for each 128-byte line touched, in
 *             the order of the first lane that touches it: line address / 128 (60 bits, low) | mask of 32-byte sectors
 *             (high). Local memory is interleaved by word: offset o of lane l is byte (o / 4) * 128 + l * 4 + o % 4 of
 *             the warp's own region, which lies above all global memory
 *             then, for lanes in const or param space that touch more than one 64-byte line of the constant banks, or
 *             if other lanes are elsewhere, one word for each 128-byte line that they touch, as above; bank 0
 *             (parameters) lies at CONST_LINES, bank 3 (variables) CONST_BANK_BYTES further
 *             then, for lanes in shared, const or param space, one word: number of serialised passes (16, low) |
 *             different 32-bit words of shared memory that they move (14) | passes of a load whose lanes share words,
 *             merged_passes() (2; 0: as the others) | first byte offset (24) | enum space (4; bank 0: SP_PARAM) |
 *             0 (4): no sectors, so it can be told from lines
 *             of a computed branch or indirect call, if asked for, instead: one word for each place that lanes on its
 *             path go to, that of the lowest lane first: instruction (32, high) | lanes (32)
 *             then for each 32-bit destination register, if signatures were asked for: two words, struct value_sig
 *             then in checked mode: 16 words (32 lanes) for each 32-bit general register that the operands name,
 *             sources (as they were before) then destinations, in operand order, low half first; fixed registers,
 *             constants, immediates, predicates and sinks left out
 *
 * A record with no active lane has no payload. The number of lines follows from `extra`, the instruction and what
 * was asked for. A generic access may touch several spaces, any other one touches its own. */
#ifndef REGLOOM_RECORD_H
#define REGLOOM_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#define RECORD_WORD(insn, extra, active) ((uint64_t)(insn) << 40 | (uint64_t)(extra) << 32 | (active))
#define RUN_ONE ((uint64_t)1 << 32) /* added to a run: one record more */
/* the last: added to insn */
enum { RECORD_RUN = 128, RUN_MAX = 128, RECORD_LONG = 127, RECORD_APART = 1 << 23 };
static inline uint32_t record_insn(uint64_t word) { return (uint32_t)(word >> 40) & (RECORD_APART - 1); }
static inline bool record_apart(uint64_t word) { return word >> 63; }

enum { WARP_LANES = 32, LINE_BYTES = 128, SECTOR_BYTES = 32 };

/* The lanes of a CTA's warp that have no thread, since its last warp may have fewer threads than lanes. They execute
 * nothing, and no instruction is divergent for want of them. */
static inline uint32_t missing_lanes(unsigned threads_per_cta, unsigned warp)
{
	const unsigned threads = threads_per_cta - warp * WARP_LANES;

	return threads < WARP_LANES ? UINT32_MAX << threads : 0;
}

enum record_want {
	WANT_SIG = 1 << 0,    /* value signatures of written registers */
	WANT_VALUES = 1 << 1, /* checked mode: register values themselves */
	/* and in them the hash of the register's bits that hardware makes, value_sig.h3 */
	WANT_H3 = 1 << 3,
	WANT_PARTS = 1 << 2, /* where the lanes of computed branches and indirect calls go */
};

/* Facts about a whole 32-lane register after a write (docs/RECORDS.md). "Equal bytes"
 * counts bytes that are the same over the lanes named, from the most significant down: 4 all equal, 0 none. Lanes
 * without a thread count as if they held what lane 16 holds, or lane 0 where lane 16 has no thread either; they do not
 * count in `affine`. */
struct value_sig {
	unsigned width : 3;    /* 1..4: bytes needed by every lane's value, sign-extended (CORF section 3) */
	unsigned same_all : 3; /* equal bytes over all 32 lanes (G-Scalar section 3) */
	unsigned same_lo : 3, same_hi : 3; /* over lanes 0-15, lanes 16-31 */
	unsigned same_active : 3;          /* over the lanes that this instruction wrote */
	/* 0..4: bytes that each lane's difference from lane 0 needs, mod 2^32, sign-extended; 0: all equal
	 * (Warped-Compression) */
	unsigned delta : 3;
	unsigned affine : 1; /* lane l holds base + l * stride, mod 2^32 */
	unsigned zero : 13;
	uint32_t stride; /* of an affine value */
	uint32_t hash;   /* of all 32 lanes */
	uint32_t h3;     /* another one, linear in their bits (lanes_h3.h), if asked for; else 0 */
};
_Static_assert(sizeof(struct value_sig) == 16, "two payload words");

/* The word of a barrier whose number or thread count is in a register; else both are in the instruction. */
#define BARRIER_WORD(id, threads) ((uint64_t)(threads) << 8 | (id))
#define BARRIER_WORD_ID(w) ((unsigned)((w)&255))
#define BARRIER_WORD_THREADS(w) ((uint32_t)((w) >> 8))

/* decoded view; pointers into the stream, good until the record is released */
struct record {
	uint32_t insn;   /* index into the kernel's instructions */
	uint32_t active; /* lanes that executed; guard applied */
	/* other lanes of the warp were left in the middle of a loop (spin.c): they need not wait where the structure of
	 * the code would have them, so what it says of the whole warp does not hold */
	bool apart;
	unsigned nline; /* words of `line`: lines, then at most one word of passes */
	const uint64_t *line;
	unsigned nsig;
	const struct value_sig *sig; /* in the order of the 32-bit destination registers; NULL if not asked for */
	const uint32_t *values;      /* sources then destinations, 32 lanes each; NULL if not asked for */
};

/* Lines of local memory lie at or above this address, those of global memory below: the words of a warp one after the
 * other, of the warps in the order of the grid. Where a machine has them is the model's business. */
#define LOCAL_LINES ((uint64_t)1 << 48)

/* Lines of code, counted from the first of the module. */
#define CODE_LINES ((uint64_t)1 << 50)

/* And lines of the constant banks at or above this one. */
#define CONST_LINES ((uint64_t)1 << 56)
#define CONST_BANK_BYTES ((uint64_t)1 << 24)
enum { CONST_LINE_BYTES = 64 };

static inline uint64_t line_address(uint64_t word) { return (word & (((uint64_t)1 << 60) - 1)) * LINE_BYTES; }
static inline unsigned line_sectors(uint64_t word) { return (unsigned)(word >> 60); }
static inline bool is_line(uint64_t word) { return line_sectors(word) != 0; }
static inline uint32_t smem_passes(uint64_t word) { return word & 0xffff; }
static inline uint32_t smem_words(uint64_t word) { return word >> 16 & 0x3fff; }
enum { SMEM_MERGED = 30 };
static inline uint32_t smem_merged(uint64_t word) { return word >> SMEM_MERGED & 3; }
static inline uint32_t smem_offset(uint64_t word) { return word >> 32 & 0xffffff; }
static inline unsigned smem_space(uint64_t word) { return word >> 56 & 15; }

/* END: the warp has exited; FAILED: see the diagnostic; STOPPED: there will be no more (engine_stopped); LATER: not
 * made yet */
enum record_status { RECORD_OK, RECORD_END, RECORD_FAILED, RECORD_STOPPED, RECORD_LATER };

#endif
