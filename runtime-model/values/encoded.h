/* What the values that encode registers share: the encoding of each physical register in program order, what an
 * instruction's accesses and lanes follow from, latched as it issues, decompression moves, counters. A value of the
 * axis is a policy: how an encoding is stored, and what fewer lanes may execute. */
#ifndef REGLOOM_ENCODED_H
#define REGLOOM_ENCODED_H

#include "runtime-model/core/affine.h"
#include "runtime-model/values/places.h"
#include "runtime-model/values/scalar_banks.h"

/* none is counted; it looks at all values that are written; not at those of divergent instructions */
enum compressor { COMPRESS_NONE, COMPRESS_ALL, COMPRESS_WHOLE };

struct encoded_policy {
	unsigned rules; /* enum scalar_rule; RULE_HALF with halves alone */
	bool halves;    /* params.gs_half counts */
	/* it is stored otherwise than lane by lane: a partial write needs a move before */
	bool (*compressed)(struct encoding e, bool half);
	unsigned (*arrays)(struct encoding e, bool half, unsigned arrays); /* that an access activates */
	unsigned (*bytes)(struct encoding e, bool half);                   /* that a write stores, of 128 */
	enum bytes_layout layout;
	enum compressor compressor;
	bool deltas;       /* it subtracts where others compare: what it takes is apart */
	bool tuples;       /* one lane executes on bases and strides */
	bool decompressor; /* reads of a register that is stored otherwise go through one */
	bool by_lane;      /* else it is stored lane by lane, and params.rf_partial_writes counts */
	/* each access is one of the base value register too, of both if there are halves */
	bool bvr;
};

struct values {
	const struct encoded_policy *policy;
	struct places places;
	struct stats *st;
	unsigned rules, arrays;
	struct scalar_banks banks;
	bool partial;               /* a divergent write activates the arrays of its lanes alone */
	bool half;                  /* each half is compressed by itself */
	const struct uniform *dead; /* whose dead writes need no move; NULL: all do */
	const struct scalar_insn *insn;
	const struct affine_insn *tuples; /* NULL: policy->tuples is false */
	struct scalar_warp *warp;
	/* by place; owner: the warp that e is of, + 1; 0: nobody's */
	struct entry {
		struct encoding e;
		uint16_t owner;
	} * entry;
	/* by uop.id; how: enum scalar_how */
	struct latched_uop {
		uint8_t how;
		struct encoding src[UOP_SRC_MAX], dst[UOP_DST_MAX];
	} * latched;
	/* Under a reuse that renames, by physical register: what the last write listed makes of it. */
	struct encoding *held;
	struct stored *stored;      /* in checked mode, by physical register; */
	struct encoding *stored_as; /* with held: what the last write granted has made of it */
};

struct values *encoded_create(const struct axis_ctx *cx, const struct encoded_policy *policy);
const char *encoded_issue(struct values *v, const struct uop *u);
void encoded_read(struct values *v, const struct uop *u, struct bank_access *a);
void encoded_write(struct values *v, const struct uop *u, unsigned dst, struct bank_access *a);
bool encoded_move(struct values *v, const struct uop *u, unsigned *reg);
unsigned encoded_lanes(struct values *v, const struct uop *u);
void encoded_warp_exit(struct values *v, unsigned warp);
void encoded_compare(struct values *v, const struct uop *u, const struct reuse_access *how, struct bank_access *a);
void encoded_load(const struct values *v, unsigned phys, uint32_t lane[WARP_LANES]);
void encoded_merge(struct values *v, unsigned phys, uint32_t lanes, const uint32_t lane[WARP_LANES]);
const char *encoded_store(struct values *v, const struct uop *u, const struct bank_access *a, unsigned dst);
const char *encoded_deliver(struct values *v, const struct uop *u, const struct bank_access *a, unsigned src,
			    uint32_t lane[WARP_LANES]);
void encoded_poison(struct values *v, unsigned phys);

/* What struct values_ops of each of them has in common. */
#define ENCODED_OPS                                                                                               \
	.needs_record = WANT_SIG, .issue = encoded_issue, .read = encoded_read, .write = encoded_write,           \
	.move = encoded_move, .lanes = encoded_lanes, .warp_exit = encoded_warp_exit, .compare = encoded_compare, \
	.load = encoded_load, .merge = encoded_merge, .store = encoded_store, .deliver = encoded_deliver,         \
	.poison = encoded_poison

/* Since u issued: how it executes; its sources as it finds them, its results as it leaves them. */
static inline enum scalar_how encoded_how(const struct values *v, const struct uop *u)
{
	return (enum scalar_how)v->latched[u->id].how;
}
static inline struct encoding encoded_source(const struct values *v, const struct uop *u, unsigned src)
{
	return v->latched[u->id].src[src];
}
static inline struct encoding encoded_result(const struct values *v, const struct uop *u, unsigned dst)
{
	return v->latched[u->id].dst[dst];
}

#endif
