/* Hints for packing registers together: which two share an entry (CORF), and at which end of an entry each is put (CORF++).
 * From Asghari Esfeden et al., "CORF: Coalescing Operand Register File for GPUs", ASPLOS 2019, sections 4.2 and 5.1.
 * They travel as 64-bit metadata instructions in front of the kernel's code; docs/RLO.md has their bits. */
#ifndef REGLOOM_CORF_H
#define REGLOOM_CORF_H

#include "analyzer/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum corf_align { ALIGN_ANY, ALIGN_LEFT, ALIGN_RIGHT };  /* ANY: the paper's "don't care" */

/* Of a kernel in machine form, by architected register R0 .. R254. Pairs exclude each other: partner[partner[r]] == r. */
struct corf_hints {
	uint8_t partner[256];           /* MREG_RZ: none */
	uint8_t align[256];             /* enum corf_align; ANY: no instruction reads it together with another register */
	uint64_t *pair_word, *align_word;       /* metadata instructions that say so to CORF, to CORF++ */
	uint32_t npair_word, nalign_word;
};

enum {
	CORF_OPCODE_BITS = 10,          /* at the top of a word */
	CORF_OP_PAIRS = 0x3c0, CORF_OP_PAIRS_WIDE = 0x3c1, CORF_OP_ALIGN = 0x3c2,
	CORF_NARROW_REGS = 63,          /* kernels with more registers have pairs of 8-bit numbers */
	CORF_ALIGN_REGS = 27,           /* in a word: 54 bits, two each */
};

/* Makes the words of h->partner and h->align, in arena a, for a kernel of `regs` registers. A pair's lower register comes
 * first, and pairs ascend; trailing words that would say ANY of every register are left out. */
void corf_encode(struct corf_hints *h, uint32_t regs, struct arena *a);
/* The other way: fills h->partner and h->align from h's words. False if these are no words that corf_encode() makes. */
bool corf_decode(struct corf_hints *h, uint32_t regs);

#endif
