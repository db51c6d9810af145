/* Bits that a register file adds to an SM: which structures, how many bits of each. What the papers count is counted,
 * by their formulas, where they have one; pipeline registers, queues and logic are not, as no paper counts them.
 * docs/STORAGE.md#storage has every formula with its source. */
#ifndef REGLOOM_STORAGE_H
#define REGLOOM_STORAGE_H

#include "runtime-model/core/params.h"

struct rf_config;
struct storage_part {
	const char *what;
	unsigned bits;
};
enum {
	STORAGE_PARTS = 5, /* of a value of an axis, at most */
	STORAGE_ALL = 6 * STORAGE_PARTS,
	STORAGE_REGISTERS = 63, /* a thread of the papers' GPUs has so many registers at most */
};

/* Rows of a table that has one for each register of a warp: for 63, or for as many as the largest kernel has, if those
 * are more. */
static inline unsigned storage_rows(const struct params *p, unsigned regs)
{
	return params_warps(p) * (regs > STORAGE_REGISTERS ? regs : STORAGE_REGISTERS);
}

static inline unsigned storage_entries(const struct params *p) { return p->rf_registers / 32; }

/* The parts that its values add to an SM of machine p, none of them of 0 bits; how many. regs: of a thread, in the
 * largest kernel. */
unsigned rf_config_storage_parts(const struct rf_config *c, const struct params *p, unsigned regs,
				 struct storage_part out[STORAGE_ALL]);
unsigned rf_config_storage(const struct rf_config *c, const struct params *p, unsigned regs); /* their sum */

/* Of an entry of a reuse buffer: 59 as in WIR Figure 9, or more where its fields are wider (params.reuse_field_bits).
 * Its energy goes by them. */
unsigned reuse_entry_bits(const struct params *p);

#endif
