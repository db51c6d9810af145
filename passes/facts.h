/* The state of check_alloc(): facts "location L holds key K" and what goes with them (facts.c). A location is a machine
 * register or a 4-byte word of the local frame, from MREG_COUNT on; a key is a part of a virtual register. */
#ifndef REGLOOM_FACTS_H
#define REGLOOM_FACTS_H

#include "passes/pass.h"

#define NONE UINT32_MAX

/* a key is v * KEY_PARTS + part; part 1: the upper half of a 64-bit register */
enum { KEY_PARTS = 2 };

struct held {
	uint32_t loc, key;
};

struct cell {
	uint32_t loc, key, next_loc, prev_loc, next_key, prev_key;
};

/* At a block's end: sorted facts; the virtual registers without a value so far. */
struct facts {
	struct held *f;
	uint32_t n;
	uint64_t *undef;
};

/* Part `key` was written under a guard into the places from[]; those in stale[] held the old value, and still do.
 * anywhere: there was no old value. */
struct half {
	uint32_t key, from[4];
	unsigned nfrom;
	bool anywhere;
	uint32_t *stale, nstale, cap;
};

struct verify {
	const struct kernel *before, *after;
	const uint32_t *origin;
	struct diag *d;
	struct arena a, join; /* join: reset for each block */
	uint32_t nloc, slot_base;
	uint32_t *by_loc, *by_key; /* heads of lists of cells */
	struct cell *cell;
	uint32_t ncell, cell_cap, free_cell;
	uint32_t *used;
	uint32_t nused, used_cap; /* keys with a list head set since the last clear */
	struct facts *out;        /* by block; undef NULL: not reached yet */
	uint64_t *undef;
	/* registers whose constant definition is gone, by hash of it */
	uint32_t *same_const, *same_next, const_mask;
	uint32_t *keys;
	uint32_t keys_cap;
	uint32_t *ndef, *defi; /* by virtual register, of the code before */
	/* of the latest original instruction: where it read its guard and what that is; NONE once overwritten */
	uint32_t guard_loc, guard_vreg;
	bool guard_neg;
	struct half half[16];
	unsigned nhalf;
	uint32_t at; /* instruction of `after` at hand */
	bool report, failed;
};

bool facts_hold(const struct verify *v, uint32_t loc, uint32_t key);
void facts_add(struct verify *v, uint32_t loc, uint32_t key);
void facts_clear_place(struct verify *v, uint32_t loc);        /* loc is overwritten */
void facts_clear_key(struct verify *v, uint32_t key);          /* no place holds key any more */
void facts_copy(struct verify *v, uint32_t dst, uint32_t src); /* dst gets what src holds, and nothing else */
struct facts facts_collect(struct verify *v, struct arena *a); /* the state at hand, sorted, in arena a */
bool facts_same(const struct verify *v, const struct facts *a, const struct facts *b);
/* the state before block b, from its predecessors' ends */
void facts_enter(struct verify *v, uint32_t b);

#endif
