/* For the integer oracles: values as numbers of 128 bits, so that no operation of a row can overflow. */
#ifndef REGLOOM_CONFORM_ARITH_H
#define REGLOOM_CONFORM_ARITH_H

#include "test/conform/conform.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

static inline unsigned bits_of(enum scalar_type t) { return type_info[t].bits; }
static inline bool is_signed(enum scalar_type t) { return type_info[t].kind == 's'; }

/* The number that bits of type t are. */
static inline wide number_of(uint64_t v, enum scalar_type t)
{
	wide one = 1, n = (wide)(v & (uint64_t)((one << bits_of(t)) - 1));

	return is_signed(t) && n >> (bits_of(t) - 1) ? n - (one << bits_of(t)) : n;
}

/* The bits of a number in a register of `bits`. */
static inline uint64_t wrap(wide n, unsigned bits) { return (uint64_t)((uwide)n & (((uwide)1 << bits) - 1)); }

static inline wide saturate(wide n, enum scalar_type t)
{
	wide one = 1, high = (one << (bits_of(t) - is_signed(t))) - 1, low = is_signed(t) ? -high - 1 : 0;

	if (n > high)
		return high;
	return n < low ? low : n;
}

static inline bool is(struct trial *t, const uint64_t got[2], uint64_t want)
{
	t->want[0] = want;
	return got[0] == want;
}

#endif
