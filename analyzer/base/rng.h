/* Seeded random numbers, the same on every machine: splitmix64 (Steele, Lea, Flood 2014). */
#ifndef REGLOOM_RNG_H
#define REGLOOM_RNG_H

#include "analyzer/base/hash.h"

static inline uint64_t rng_next(uint64_t *state) { return mix64(*state += HASH_GOLDEN); }

/* the same without its number */
static inline void rng_skip(uint64_t *state) { *state += HASH_GOLDEN; }

static inline uint32_t rng_below(uint64_t *state, uint32_t n) /* uniform in [0, n); n > 0 */
{
	return (uint32_t)((rng_next(state) >> 32) * n >> 32);
}

static inline double rng_unit(uint64_t *state) /* uniform in [0, 1) */
{
	return (double)(rng_next(state) >> 11) * 0x1p-53;
}

#endif
