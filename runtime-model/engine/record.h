/* Records: what the functional engine tells a timing model about one issued warp instruction.
 *
 * A warp's records form a stream of 64-bit words, made on demand and dropped when every consumer has read them. One
 * record is one header word, then `extra` payload words:
 *   header    insn (24) | extra (8) | active lanes (32)
 *   payload   memory instructions to global, local or generic-global space: one word for each 128-byte line touched:
 *                 line address / 128 (60 bits, low) | mask of 32-byte sectors (4 bits, high)
 *             shared, const and param: one word: number of serialised passes (low 32) | first byte offset (high 32)
 *             then for each destination register written, if signatures were asked for: two words, struct value_sig
 *             then in checked mode: the values of every source and destination, 16 words (32 lanes) a register
 * The first payload word of a memory record is preceded by no count: lines = extra - what the rest takes, which follows
 * from the instruction and the stream's flags (record_decode does it). */
#ifndef REGLOOM_RECORD_H
#define REGLOOM_RECORD_H

#include <stdbool.h>
#include <stdint.h>

enum { WARP_LANES = 32, LINE_BYTES = 128, SECTOR_BYTES = 32 };

enum record_want {
	WANT_SIG    = 1 << 0,           /* value signatures of written registers */
	WANT_VALUES = 1 << 1,           /* checked mode: register values themselves */
};

/* Facts about a whole 32-lane register after a write (DESIGN section 3). "Equal bytes" counts bytes that are the same
 * over the lanes named, from the most significant down: 4 all equal, 0 none. */
struct value_sig {
	unsigned width : 3;             /* 1..4: bytes needed by every lane's value, sign-extended (CORF section 3) */
	unsigned same_all : 3;          /* equal bytes over all 32 lanes (G-Scalar section 3) */
	unsigned same_lo : 3, same_hi : 3;       /* over lanes 0-15, lanes 16-31 */
	unsigned same_active : 3;       /* over the lanes that this instruction wrote */
	unsigned affine : 1;            /* lane l holds base + l * stride, mod 2^32 */
	unsigned : 16;
	uint32_t stride;                /* of an affine value */
	uint64_t hash;                  /* of all 32 lanes */
};
_Static_assert(sizeof(struct value_sig) == 16, "two payload words");

struct record {                         /* decoded view; pointers into the stream, good until the record is released */
	uint32_t insn;                  /* index into the kernel's instructions */
	uint32_t active;                /* lanes that executed; guard applied */
	unsigned nline;                 /* memory lines, or 1 for a shared/const/param word, or 0 */
	const uint64_t *line;
	unsigned nsig;
	const struct value_sig *sig;    /* in the order of the 32-bit destination registers; NULL if not asked for */
	const uint32_t *values;         /* sources then destinations, 32 lanes each; NULL if not asked for */
};

static inline uint64_t line_address(uint64_t word) { return (word & (((uint64_t)1 << 60) - 1)) * LINE_BYTES; }
static inline unsigned line_sectors(uint64_t word) { return (unsigned)(word >> 60); }
static inline uint32_t smem_passes(uint64_t word) { return (uint32_t)word; }

#endif
