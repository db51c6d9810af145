/* Seeded random numbers, the same on every machine: splitmix64 (Steele, Lea, Flood 2014). */
#ifndef REGLOOM_RNG_H
#define REGLOOM_RNG_H

#include <stdint.h>

static inline uint64_t mix64(uint64_t z) /* a bijective hash of 64 bits */
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline uint64_t rng_next(uint64_t *state) { return mix64(*state += 0x9e3779b97f4a7c15u); }

/* the same without its number */
static inline void rng_skip(uint64_t *state) { *state += 0x9e3779b97f4a7c15u; }

static inline uint32_t rng_below(uint64_t *state, uint32_t n) /* uniform in [0, n); n > 0 */
{
	return (uint32_t)((rng_next(state) >> 32) * n >> 32);
}

static inline double rng_unit(uint64_t *state) /* uniform in [0, 1) */
{
	return (double)(rng_next(state) >> 11) * 0x1p-53;
}

#endif
