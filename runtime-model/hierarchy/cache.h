/* What the register-file caches rfc and rfc2 share (Gebhart et al., TOCS 2012, sections 4.1 and 4.4 to 4.6): an L1 of a
 * few entries a warp, perhaps an L0 of one entry above it, tags, replacement, write-back, flushes. Rules and choices:
 * docs/HIERARCHY_HARDWARE.md#hardware-managed-cache.  A register of a warp is in one entry at most. */
#ifndef REGLOOM_HIERARCHY_CACHE_H
#define REGLOOM_HIERARCHY_CACHE_H

#include "runtime-model/hierarchy/store.h"

struct rfc_hints;

/* entries of a warp in the store: those of its L1, and its L0 */
enum { CACHE_L1_MAX = 8, CACHE_L0 = CACHE_L1_MAX, CACHE_ENTRIES };
/* params.rfc_hints */
enum cache_hints { CACHE_HINTS_NONE, CACHE_HINTS_ELIDE, CACHE_HINTS_FREE };

struct hierarchy {
	struct store store; /* first: store_deliver() */
	const struct rfc_hints *hints;
	unsigned entries; /* of the L1 */
	enum cache_hints elide;
	bool two_levels, lru, sources, bypass, flush_branches;
	uint8_t *insn; /* of the kernel, by instruction: what matters of it here */
	/* flushes of each warp: what an instruction of an older epoch writes is for the main register file */
	uint32_t *epoch;
	uint32_t issued_in[UOP_IDS]; /* epoch of its warp, by instruction in flight */
};

struct hierarchy *cache_create(const struct axis_ctx *cx, bool two_levels);
/* As in struct hierarchy_ops. */
uint32_t cache_read(struct hierarchy *h, const struct uop *u, struct extra *x);
void cache_filled(struct hierarchy *h, const struct uop *u, uint32_t sources);
uint32_t cache_write(struct hierarchy *h, const struct uop *u, uint32_t dsts, struct extra *x);
void cache_suspend(struct hierarchy *h, unsigned warp, struct extra *x);
void cache_warp_exit(struct hierarchy *h, unsigned warp);

extern const char *const cache_parameters[];
unsigned cache_encoding_bits(const struct params *p);
unsigned cache_storage(const struct params *p, bool two_levels, struct storage_part out[]);

#endif
