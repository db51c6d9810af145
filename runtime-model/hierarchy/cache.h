/* What the register-file caches rfc and rfc2 share (Gebhart et al., TOCS 2012, sections 4.1 and 4.4 to 4.6): an L1 of a
 * few entries a warp, perhaps an L0 of one entry above it, tags, replacement, write-back, flushes. Rules and choices:
 * docs/HIERARCHY.md#hardware-managed-cache.
 *
 * A register of a warp is in one entry at most. Entries know their lanes: `lanes` have the register's value there,
 * every other lane has it in the main register file. So results of some lanes of a warp need nothing of the others, and
 * operands may come from both. */
#ifndef REGLOOM_HIERARCHY_CACHE_H
#define REGLOOM_HIERARCHY_CACHE_H

#include "runtime-model/core/axis.h"

struct rfc_hints;

/* entries of a warp: those of its L1, and its L0 */
enum { CACHE_L1_MAX = 8, CACHE_L0 = CACHE_L1_MAX, CACHE_ENTRIES };
/* params.rfc_hints */
enum cache_hints { CACHE_HINTS_NONE, CACHE_HINTS_ELIDE, CACHE_HINTS_FREE };

struct cache_entry {
	uint64_t order; /* the lowest is replaced first */
	uint32_t lanes; /* that have the register's value here */
	uint32_t dirty; /* of them, those that the main register file lacks */
	uint32_t dead;  /* of them, those whose value nobody reads again */
	/* lanes that the main register file delivers to the instruction `filler`, and so here */
	uint32_t coming;
	uint16_t filler;
	uint8_t reg;
	bool used;
};

struct cache_warp {
	struct cache_entry e[CACHE_ENTRIES];
	/* flushes of it: what an instruction of an older one writes is for the main register file */
	uint32_t epoch;
};

struct hierarchy {
	struct stats *st;
	const struct axes *axes;
	const struct rfc_hints *hints;
	unsigned entries; /* of the L1 */
	enum cache_hints elide;
	bool two_levels, lru, sources, bypass, flush_branches;
	uint64_t clock; /* of entry.order */
	uint8_t *insn;  /* of the kernel, by instruction: what matters of it here */
	struct cache_warp *warp;
	uint32_t issued_in[UOP_IDS];                  /* epoch of its warp, by instruction in flight */
	struct latched latched[UOP_SRC_MAX];          /* by the last read() */
	uint32_t (*value)[CACHE_ENTRIES][WARP_LANES]; /* checked mode: of each warp's entries; else NULL */
};

struct hierarchy *cache_create(const struct axis_ctx *cx, bool two_levels);
/* As in struct hierarchy_ops. */
uint32_t cache_read(struct hierarchy *h, const struct uop *u, struct extra *x);
void cache_filled(struct hierarchy *h, const struct uop *u, uint32_t sources);
uint32_t cache_write(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x);
void cache_suspend(struct hierarchy *h, unsigned warp, struct extra *x);
void cache_warp_exit(struct hierarchy *h, unsigned warp);
void cache_deliver(struct hierarchy *h, const struct uop *u, unsigned src, struct latched *out);

extern const char *const cache_parameters[];
unsigned cache_encoding_bits(const struct params *p);
unsigned cache_storage(const struct params *p, bool two_levels, struct storage_part out[]);

#endif
