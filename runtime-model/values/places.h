/* Where a value of the axis keeps what it knows of a register: in the place of the physical one that residency says.
 * Under a reuse that renames, in one of its own for each register of each warp: a physical one is found when a result
 * is there, and what a register is encoded as follows from the result alone. */
#ifndef REGLOOM_PLACES_H
#define REGLOOM_PLACES_H

#include "runtime-model/core/axis.h"
#include "runtime-model/values/bytes.h"

enum { PLACES_OF_WARP = 256 };
/* places; entries of the register file; PLACES_OF_WARP for each warp */
struct places {
	const struct axes *axes;
	unsigned n, entries;
	bool by_name;
};

static inline struct places places_of(const struct axis_ctx *cx)
{
	const unsigned entries = cx->params->rf_registers / WARP_LANES;
	const bool by_name = cx->axes->rf->reuse->renames;

	return (struct places){ cx->axes, by_name ? cx->warps * PLACES_OF_WARP : entries, entries, by_name };
}

/* p->n and more: an extended register that the warp does not hold; it will not issue. */
static inline unsigned places_find(const struct places *p, unsigned warp, unsigned reg)
{
	return p->by_name ? warp * PLACES_OF_WARP + reg : p->axes->rf->residency->map(p->axes->residency, warp, reg);
}

/* In checked mode: the bytes of each entry, which nobody has written. */
static inline struct stored *places_stored(const struct places *p, struct arena *a)
{
	struct stored *s = new_array(a, struct stored, p->entries);

	for (unsigned e = 0; e < p->entries; e++)
		bytes_poison(&s[e], e);
	return s;
}

/* All lanes get what lane[which] has: what one lane computed, or read, for the others. */
static inline void spread_one(const uint32_t from[WARP_LANES], unsigned which, uint32_t to[WARP_LANES])
{
	for (unsigned l = 0; l < WARP_LANES; l++)
		to[l] = from[which];
}

/* The first of these lanes of which something else is stored than was executed, or WARP_LANES. */
static inline unsigned first_other(const uint32_t stored[WARP_LANES], const uint32_t executed[WARP_LANES],
				   uint32_t lanes)
{
	for (; lanes; lanes &= lanes - 1)
		if (stored[__builtin_ctz(lanes)] != executed[__builtin_ctz(lanes)])
			return (unsigned)__builtin_ctz(lanes);
	return WARP_LANES;
}

#endif
