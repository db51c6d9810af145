/* The operand register file in hardware: what orf.c and orf_pool.c share. */
#ifndef REGLOOM_HIERARCHY_ORF_H
#define REGLOOM_HIERARCHY_ORF_H

#include "passes/orf.h"
#include "passes/strand.h"
#include "runtime-model/core/axis.h"

enum {
	ORF_ENTRIES = 8,
	LRF_ENTRIES = 3,
	ORF_CELLS = ORF_ENTRIES + LRF_ENTRIES, /* of a warp: the entries of its ORF, then those of its LRF */
};

/* ---- a pool of entries that the warps of an SM share (limit study, section 8.1): orf_pool.c ---- */
struct orf_pool;
/* NULL with a diagnostic. */
struct orf_pool *orf_pool_new(const struct axis_ctx *cx, const struct orf *places);
/* u issues, perhaps as the first of a strand, with nothing owed to the warp's entries then. True: it ends the warp's
 * last lanes. */
bool orf_pool_issue(struct orf_pool *p, const struct uop *u);
/* What entry `entry` of strand `strand` is for the warp: one of those that it has, or ORF_ENTRIES: the main register
 * file stands in for it. */
unsigned orf_pool_entry(const struct orf_pool *p, unsigned warp, uint32_t strand, unsigned entry);
void orf_pool_give_back(struct orf_pool *p, unsigned warp); /* it is suspended, or has ended */

#endif
