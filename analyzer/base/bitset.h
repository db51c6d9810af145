/* Bit vectors over small dense indices, in arena memory. n bits occupy bitset_words(n) 64-bit words. */
#ifndef REGLOOM_BITSET_H
#define REGLOOM_BITSET_H

#include "arena.h"

#include <stdbool.h>
#include <string.h>

static inline uint32_t bitset_words(uint32_t n) { return (n + 63) / 64; }
static inline uint64_t *bitset_new(struct arena *a, uint32_t n) { return new_array(a, uint64_t, bitset_words(n) + !n); }
static inline bool bitset_has(const uint64_t *s, uint32_t i) { return s[i / 64] >> (i % 64) & 1; }
static inline void bitset_add(uint64_t *s, uint32_t i) { s[i / 64] |= (uint64_t)1 << (i % 64); }
static inline void bitset_del(uint64_t *s, uint32_t i) { s[i / 64] &= ~((uint64_t)1 << (i % 64)); }
static inline void bitset_copy(uint64_t *to, const uint64_t *from, uint32_t n)
{
	memcpy(to, from, bitset_words(n) * sizeof *to);
}

static inline uint32_t bitset_count(const uint64_t *s, uint32_t n)
{
	uint32_t c = 0;

	for (uint32_t i = 0; i < bitset_words(n); i++)
		c += (uint32_t)__builtin_popcountll(s[i]);
	return c;
}

/* The smallest member that is at least `from`, or n if there is none: for (i = next(s,0,n); i < n; i =
 * next(s,i+1,n)). */
static inline uint32_t bitset_next(const uint64_t *s, uint32_t from, uint32_t n)
{
	uint32_t w = from / 64, last = bitset_words(n);
	uint64_t x;

	if (from >= n)
		return n;
	x = s[w] & ~(uint64_t)0 << (from % 64);
	while (!x) {
		if (++w >= last)
			return n;
		x = s[w];
	}
	from = w * 64 + (uint32_t)__builtin_ctzll(x);
	return from < n ? from : n;
}

#endif
