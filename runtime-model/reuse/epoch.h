/* Which loads may reuse which, and be reused (Kim and Ro, HPCA 2018, section VI-A): store flags of each warp, barrier
 * count of each CTA. Everything happens in the order of issue; what a load is told then goes with it, into the entry
 * that it makes. docs/WIR_HARDWARE.md#memory. */
#ifndef REGLOOM_REUSE_EPOCH_H
#define REGLOOM_REUSE_EPOCH_H

#include "runtime-model/reuse/code.h"

struct epoch;
struct epoch *epoch_new(unsigned warps, unsigned barrier_bits, struct arena *a);

/* `warp` begins, in the CTA whose first warp has slot `first` and begins first: no store yet, and with the first warp,
 * no barrier yet. Entries that name the CTA that had the slot before (epoch_load.cta) are to be dropped: the new one
 * counts from 0 again, and its scratchpad is another. */
void epoch_warp_start(struct epoch *e, unsigned warp, unsigned first);
/* An instruction of the warp issues, in whatever lanes, at least one; enum reuse_order. */
void epoch_issue(struct epoch *e, unsigned warp, unsigned order);
/* Warps of the CTA go on from a barrier at which they have waited. */
void epoch_released(struct epoch *e, unsigned first);

/* it may; its warp has stored; its CTA's barrier count is used up */
enum epoch_verdict { EPOCH_YES, EPOCH_STORE, EPOCH_BARRIERS };
enum { EPOCH_ANY_CTA = UINT16_MAX };
/* what goes into the tag */
struct epoch_load {
	uint16_t cta;   /* slot of the CTA's first warp, or EPOCH_ANY_CTA (the paper's null value) */
	uint16_t count; /* barriers */
};
/* A load of this kind (not LOAD_NONE) of the warp issues. */
enum epoch_verdict epoch_load(const struct epoch *e, unsigned warp, enum reuse_load kind, struct epoch_load *out);

/* Its CTA has executed a fence, an acquire, or a wait other than at a barrier. Only by one of these does a warp learn
 * of what others have stored without the SM's making it wait for them, so only then may loads be here in another order
 * than that in which they were executed, and rightly. */
bool epoch_ordered(const struct epoch *e, unsigned warp);

#endif
