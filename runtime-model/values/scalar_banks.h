/* The register file for scalars: params.scalar_banks banks behind the main ones, with an entry for each register of the
 * main register file. */
#ifndef REGLOOM_SCALAR_BANKS_H
#define REGLOOM_SCALAR_BANKS_H

#include "runtime-model/core/axis.h"

/* 32 bits for each register of the main file, and a bit that says which of the two has it: own, as G-Scalar's prior
 * work is named without a size. */
static inline unsigned scalar_banks_storage(const struct params *p, unsigned regs, struct storage_part out[])
{
	(void)regs;
	out[0] = (struct storage_part){ "register file for scalars", storage_entries(p) * 32 };
	out[1] = (struct storage_part){ "scalar flags", storage_entries(p) };
	return 2;
}

/* how many */
struct scalar_banks {
	unsigned main, scalar;
};

/* An access of a whole entry of the main register file becomes one of the scalar in its place. */
static inline void scalar_banks_move(const struct scalar_banks *b, struct bank_access *a)
{
	const unsigned phys = a->entry * b->main + a->bank;

	a->bank = (uint16_t)(b->main + phys % b->scalar);
	a->entry = (uint16_t)(phys / b->scalar);
	a->arrays = 0;
}

static inline bool scalar_banks_has(const struct scalar_banks *b, const struct bank_access *a)
{
	return a->bank >= b->main;
}

/* The physical register that an access is of. */
static inline unsigned scalar_banks_phys(const struct scalar_banks *b, const struct bank_access *a)
{
	return scalar_banks_has(b, a) ? a->entry * b->scalar + a->bank - b->main : a->entry * b->main + a->bank;
}

#endif
