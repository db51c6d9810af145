/* Registers that follow each other in the file, rotated so that the first of them is in a chosen bank: one register of
 * many warps is spread over all banks. */
#ifndef REGLOOM_ROTATE_H
#define REGLOOM_ROTATE_H

#include <stdint.h>

/* `size` registers from physical register `at` on: by how much they are rotated for the first to be in bank `first`. */
static inline uint8_t rotation(unsigned at, unsigned first, unsigned banks, unsigned size)
{
	return (uint8_t)((first + banks - at % banks) % banks % size);
}

static inline unsigned rotated(unsigned reg, unsigned by, unsigned size)
{
	return reg + by < size ? reg + by : reg + by - size;
}

#endif
