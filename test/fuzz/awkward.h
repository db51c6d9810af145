/* Changes of numbers in binary files, for fuzz targets whose readers check them. */
#ifndef REGLOOM_FUZZ_AWKWARD_H
#define REGLOOM_FUZZ_AWKWARD_H

#include "analyzer/base/rng.h"

#include <stddef.h>
#include <string.h>

/* A number of WIDTH bytes, at an odd place if it must be, becomes an awkward one. */
static inline void awkward(uint8_t *at, unsigned width, uint64_t *rng, size_t size)
{
	const uint64_t values[] = { 0,
				    1,
				    2,
				    16,
				    24,
				    0x7f,
				    0xff,
				    0xffff,
				    0x10000,
				    0x7fffffff,
				    0x80000000,
				    0xffffffff,
				    UINT64_MAX,
				    UINT64_MAX - 15,
				    size,
				    size - 1,
				    size + 1,
				    size - 16,
				    rng_next(rng) % (size + 1),
				    rng_next(rng) };
	uint64_t v = 0;

	memcpy(&v, at, width);
	switch (rng_next(rng) % 4) {
	case 0:
		v += 1;
		break;
	case 1:
		v -= 1;
		break;
	case 2:
		v ^= UINT64_C(1) << rng_next(rng) % (8 * width);
		break;
	default:
		v = values[rng_next(rng) % (sizeof values / sizeof *values)];
	}
	memcpy(at, &v, width);
}

#endif
