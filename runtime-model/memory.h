/* Everything beyond the SMs: interconnect, L2 slices, DRAM. A request is carried through at once: each resource on its way
 * keeps how much work it has been given, and the answer is the cycle at which the reply reaches the SM's port. Nothing is
 * stepped. docs/TIMING.md#memory gives the rules. */
#ifndef REGLOOM_MEMORY_H
#define REGLOOM_MEMORY_H

#include "runtime-model/gpu.h"

struct memory;
enum memory_kind { MEMORY_READ, MEMORY_WRITE, MEMORY_ATOMIC };

struct memory *memory_new(const struct params *p, struct stats *st, struct arena *a);
/* A request for line number n that left an SM's port in cycle `at`. sectors: mask of the 32-byte sectors written (reads
 * move the whole line). Returns the cycle at which the reply is at the SM: data, or a write's acknowledgement. Calls must
 * come in non-decreasing order of cycles in which they are made. */
cycle memory_request(struct memory *m, cycle at, enum memory_kind kind, uint64_t n, unsigned sectors);
/* No reply is at the SM sooner than this after the cycle of its request. */
cycle memory_round_trip(const struct params *p);
/* Flits of a packet that carries so many bytes of data. */
unsigned memory_flits(const struct params *p, unsigned bytes);

#endif
