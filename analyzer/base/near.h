/* How alike two names are, for "did you mean". */
#ifndef REGLOOM_BASE_NEAR_H
#define REGLOOM_BASE_NEAR_H

#include <stddef.h>

enum { NEAR_MAX = 96 };                 /* bytes of a name; longer ones are like nothing */

/* The least number of bytes inserted, removed, replaced or swapped with their neighbour that makes b of a, given up above
 * `limit`: then limit + 1. O(na nb). */
unsigned near_distance(const char *a, size_t na, const char *b, size_t nb, unsigned limit);

#endif
