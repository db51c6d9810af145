/* Checked mode: records carry the values of registers, the register file of the model carries them as bytes, in the
 * places where a configuration puts them, and each operand that it delivers is compared with the one that the
 * functional engine read. What is dead is overwritten. A value that differs ends the run: a technique has lost a
 * register, or a pass has called one dead that is not. Timing takes no notice of any of this. Side by side:
 * sm/checked.c (the SM's part), deliver() of packing and hierarchy (axis.h). */
#ifndef REGLOOM_CHECKED_H
#define REGLOOM_CHECKED_H

#include <stdint.h>

struct checked_sums {
	/* operands, of which every active lane that had been written before was right; of them, delivered by */
	uint64_t compared;
	uint64_t l1, l0; /* these levels of a hierarchy, at least in part */
	/* operands that differ: a younger write came before their read (docs/CHECKED.md) */
	uint64_t overtaken;
	uint64_t poisoned_bytes; /* of registers that died, overwritten */
};

static inline void checked_add(struct checked_sums *into, const struct checked_sums *from)
{
	into->compared += from->compared;
	into->l1 += from->l1;
	into->l0 += from->l0;
	into->overtaken += from->overtaken;
	into->poisoned_bytes += from->poisoned_bytes;
}

/* What the lanes of a place hold that nobody has written, or that is dead. */
static inline uint32_t checked_garbage(unsigned place, unsigned lane)
{
	return (place * 32 + lane + 1) * UINT32_C(0x9e3779b9) ^ UINT32_C(0xdeadbeef);
}

#endif
