/* What wir.c (rename, reuse, retire) and allocate.c (register allocation) share: the state of one SM. Private to
 * them. */
#ifndef REGLOOM_REUSE_WIR_STATE_H
#define REGLOOM_REUSE_WIR_STATE_H

#include "runtime-model/reuse/buffer.h"
#include "runtime-model/reuse/epoch.h"
#include "runtime-model/reuse/signatures.h"
#include "runtime-model/reuse/tables.h"
#include "runtime-model/reuse/wir.h"

/* What comes next of an instruction that has its results: look them up; compare; allocate, and write; write the lanes
 * of dummy moves; write what had to wait. */
enum step { STEP_NEW, STEP_VERIFY, STEP_ALLOCATE, STEP_MOVE, STEP_LAST, STEP_DONE };

/* an instruction from its issue to its end, by uop.id */
struct wir_flight {
	uint16_t src[UOP_SRC_MAX]; /* physical; NO_REGISTER: not mapped */
	uint8_t outcome;           /* enum reuse_outcome */
	uint8_t step;
	bool looks_up; /* it may have an entry */
	bool load;
	bool ordered;   /* a load of what its CTA may have waited for: epoch_ordered() */
	bool reserved;  /* entry is its reservation, unless another has taken it */
	bool holds_tag; /* it has a reference on each register of its tag */
	/* for a register, or older reads of its own; for more registers than there are */
	bool waits, starved;
	struct epoch_load when;
	struct tag tag;
	struct regs regs; /* of the tag */
	struct reuse_entry *entry;
	/* Of each result: */
	/* the register where it is or will be, with a reference; NO_REGISTER: none yet */
	uint16_t to[UOP_DST_MAX];
	uint16_t same, verified; /* it holds the value already; it may, and is being read (bits over dst) */
	uint16_t fresh;          /* it came from the pool */
	/* it is written when all else has been, since another result's move reads what is there */
	uint16_t last;
};
_Static_assert(UOP_DST_MAX <= 16, "results as bits of 16");

/* Registers, and what finds values in them: an SM has one, or each of its sub-cores. */
struct part {
	unsigned live; /* warps */
	struct pool pool;
	struct tables tables; /* of its warps, by number / parts */
	struct buffer buffer;
	struct signatures signatures;
	struct verify_cache verify;
	uint64_t buffer_used, signatures_used; /* the cycle in which it was last looked up; UINT64_MAX: never */
	uint32_t random;
};

struct reuse {
	const struct wir_model *model;
	struct stats *stats;
	struct arena *arena;
	const struct axes *axes;
	const uint64_t *now;
	unsigned regs; /* of a warp */
	struct reuse_code code;
	struct epoch *epoch;
	unsigned parts;
	struct part part[SCHEDULERS_MAX];
	struct wir_flight *flight;
	uint64_t *cta; /* by warp */
};

static inline struct wir_flight *flight_of(const struct reuse *r, const struct uop *u) { return &r->flight[u->id]; }
/* Sub-cores have warps in turn. */
static inline struct part *part_of(struct reuse *r, unsigned warp) { return &r->part[warp % r->parts]; }
static inline const struct part *part_seen(const struct reuse *r, unsigned warp) { return &r->part[warp % r->parts]; }
static inline const struct mapping *mapping_of(const struct reuse *r, unsigned warp, unsigned reg)
{
	return tables_at(&part_seen(r, warp)->tables, warp / r->parts, reg);
}
/* What hardware hashes beside the lanes: whether the warp has fewer threads than lanes. Warps of both kinds so share no
 * register, since the one would find nothing in the lanes that the other does not have. */
static inline struct identity identity_of(const struct uop *u, unsigned dst)
{
	const uint32_t part = u->missing ? UINT32_MAX : 0;

	return (struct identity){ u->sig[dst].h3 ^ part, u->sig[dst].hash ^ part };
}
static inline bool same_identity(struct identity a, struct identity b) { return a.h3 == b.h3 && a.hash == b.hash; }

void wir_drop_tag(struct part *t, struct wir_flight *f); /* it will enter nothing into the reuse buffer */

#endif
