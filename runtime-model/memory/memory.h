/* Everything beyond the SMs but the way back (network.h): interconnect, L2 slices, DRAM. A request is carried through
 * at once: each resource on its way keeps how much work it has been given, and the answer is the cycle at which its
 * reply can leave. Nothing is stepped. docs/MEMORY.md#beyond-the-sm gives the rules. */
#ifndef REGLOOM_MEMORY_H
#define REGLOOM_MEMORY_H

#include "runtime-model/core/stats.h"
#include "runtime-model/engine/record.h"

struct memory;
/* nothing answers a write-back */
enum memory_kind { MEMORY_READ, MEMORY_WRITE, MEMORY_WRITEBACK, MEMORY_ATOMIC };

/* What the L2 holds, for as long as its arena lives: a sequence of launches. */
struct l2 *l2_new(const struct params *p, struct arena *a);
/* What it holds, the line that was used last behind all others, in arena a. */
struct l2_line {
	uint64_t number;      /* address / LINE */
	uint8_t valid, dirty; /* sectors */
};
struct l2_line *l2_lines(const struct l2 *l, uint32_t *n, struct arena *a);
/* These go through it, in this order: an L2 of the same kind that was empty is as l2_lines() has found it. */
void l2_hold(struct l2 *l, const struct l2_line *line, uint32_t n);
/* A line in a file: its number, least significant byte first, valid, dirty. */
enum { L2_LINE_BYTES = 10 };
void l2_line_pack(const struct l2_line *line, unsigned char to[L2_LINE_BYTES]);
struct l2_line l2_line_unpack(const unsigned char from[L2_LINE_BYTES]);
/* A copy to the device went through the L2. */
void l2_copied(struct l2 *l, uint64_t address, uint64_t bytes);

/* kept: the L2 of the launch before, whose parameters were the same; NULL: a cold one. */
struct memory *memory_new(const struct params *p, struct stats *st, struct l2 *kept, struct arena *a);
/* A request for line number n that left an SM's port in cycle `at`, with all its data if the latency is fixed. sectors:
 * mask of the 32-byte sectors read or written, not 0. Returns the cycle from which the reply, data or a write's
 * acknowledgement, can leave memory_slice() for the SM (network.h), if there is one; with a fixed latency, at which it
 * is there. Calls must come in non-decreasing order of cycles in which they are made. */
cycle memory_request(struct memory *m, cycle at, enum memory_kind kind, uint64_t n, unsigned sectors);
unsigned memory_slice(const struct params *p, uint64_t n);
/* No reply is at the SM sooner than this after the cycle of its request. */
cycle memory_round_trip(const struct params *p);
/* Flits of a packet that carries so many bytes of data. */
unsigned memory_flits(const struct params *p, unsigned bytes);
/* Flits of the reply to a request, all its packets together; 0: there is none. */
unsigned memory_reply_flits(const struct params *p, enum memory_kind kind, unsigned sectors);

#endif
