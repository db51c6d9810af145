/* A grey picture for the references that work on one: two scales of smooth noise, and bars with sharp edges. Integers
 * alone, so it is the same on every machine. */
#ifndef REGLOOM_PICTURE_H
#define REGLOOM_PICTURE_H

#include "analyzer/base/rng.h"

/* Noise between 0 and 255 that has random values at the corners of cells and is linear between; 0 <= x, y. */
static inline int picture_noise(int x, int y, int cell)
{
	int cx = x / cell, cy = y / cell, fx = x % cell, fy = y % cell, corner[2][2];

	for (int j = 0; j < 2; j++)
		for (int i = 0; i < 2; i++)
			corner[j][i] = (int)(mix64((uint64_t)(cy + j) << 32 | (uint32_t)(cx + i)) >> 56);
	return ((corner[0][0] * (cell - fx) + corner[0][1] * fx) * (cell - fy) +
		(corner[1][0] * (cell - fx) + corner[1][1] * fx) * fy) /
	       (cell * cell);
}

/* The brightness of a pixel, -4096 <= x, y. */
static inline uint8_t picture_at(int x, int y)
{
	int bar = ((x + 4096) / 24 + (y + 4096) / 40) % 5 == 0 ? 60 : 0;

	return (uint8_t)(picture_noise(x + 4096, y + 4096, 32) * 5 / 9 + picture_noise(x + 4096, y + 4096, 6) / 5 +
			 bar);
}

#endif
