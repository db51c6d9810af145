/* The reuse buffer: what was computed from which physical registers, and where the result is (Kim and Ro, HPCA 2018,
 * section V-C, Figure 9). Directly indexed by a hash of the tag. An entry refers to the registers of its operands and
 * results, so that none of them is written while it stands. A pending one has a tag and no result yet (section VI-B).
 * docs/WIR.md#reuse-buffer. */
#ifndef REGLOOM_REUSE_BUFFER_H
#define REGLOOM_REUSE_BUFFER_H

#include "runtime-model/reuse/code.h"
#include "runtime-model/reuse/pool.h"

#include <string.h>

/* What an entry is found by. A field: a number, a register, or a pair of registers, the low half in its lower 16
 * bits. */
struct tag {
	/* part: of a warp with fewer threads than lanes; it is part of the operation, since what other warps find has
	   more lanes */
	uint16_t operation, cta, count, part;
	uint32_t field[REUSE_FIELDS];
};
_Static_assert(sizeof(struct tag) == 8 + 4 * REUSE_FIELDS, "compared as bytes");

/* those that the fields of a tag name, once for each time */
struct regs {
	uint8_t n;
	uint16_t phys[2 * REUSE_FIELDS];
};
/* by whom and when, of the model: no storage */
struct made {
	uint32_t insn;
	uint16_t warp;
	bool ordered;
	uint64_t cta, at;
};

struct reuse_entry {
	bool valid, pending;
	uint16_t owner; /* of a pending one: uop.id */
	uint8_t nresult;
	uint16_t result[REUSE_RESULTS_MAX];
	struct tag tag;
	struct regs regs;
	struct made by;
};

struct buffer {
	struct pool *pool;
	struct reuse_entry *entry;
	unsigned n, used;
};

void buffer_init(struct buffer *b, struct pool *p, unsigned entries, struct arena *a);
/* Where an entry of this tag is, if it is anywhere: whatever is there. NULL: the buffer has no entries. */
struct reuse_entry *buffer_at(const struct buffer *b, const struct tag *t);
static inline bool buffer_match(const struct reuse_entry *e, const struct tag *t)
{
	return e->valid && memcmp(&e->tag, t, sizeof *t) == 0;
}

/* Replaces what is in e. Pending, for `owner`. */
void buffer_reserve(struct buffer *b, struct reuse_entry *e, const struct tag *t, const struct regs *regs,
		    unsigned owner, struct made by);
/* pending: it is not any more */
void buffer_result(struct buffer *b, struct reuse_entry *e, const uint16_t result[], unsigned n);
bool buffer_evict(struct buffer *b, struct reuse_entry *e); /* False: there is none */
/* The entries of that CTA, which has ended: scratchpad loads. */
void buffer_end_cta(struct buffer *b, unsigned cta);
/* the first there is from an entry chosen by the number on. False: there is none */
bool buffer_evict_from(struct buffer *b, uint32_t random);

#endif
