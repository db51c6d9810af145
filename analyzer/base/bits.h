/* Sets of up to 64 small numbers, a bit each. */
#ifndef REGLOOM_BITS_H
#define REGLOOM_BITS_H

#include <stdint.h>

static inline uint64_t bit(unsigned i) { return (uint64_t)1 << i; }                         /* i < 64 */
static inline uint64_t low_bits(unsigned n) { return n == 64 ? ~(uint64_t)0 : bit(n) - 1; } /* n <= 64 */

#endif
