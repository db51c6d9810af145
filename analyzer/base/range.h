/* Ranges that follow one another, each known by where it begins. */
#ifndef REGLOOM_RANGE_H
#define REGLOOM_RANGE_H

#include <stddef.h>
#include <stdint.h>

/* Index of the last of n ranges that begins at or before `at`; 0 if none does. They are structs of so many bytes, in
 * order, whose first member, a uint32_t, is the beginning. Logarithmic. */
static inline uint32_t range_of(const void *ranges, size_t bytes, uint32_t n, uint32_t at)
{
	uint32_t lo = 0, hi = n;

	while (lo + 1 < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (*(const uint32_t *)((const char *)ranges + mid * bytes) <= at)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

#endif
