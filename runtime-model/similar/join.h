/* Two warps of 32 lanes as one of 64: the rounds that a warp so wide would issue, from the records of both.
 *
 * Which lanes stand where follows from the stack of engine/simt.h, kept for 64 lanes: branches part them by the lanes
 * that the records say take them, and paths meet at the same instructions. A path issues an instruction once, for its
 * lanes of both halves. What each half executes, in its order, is what its stream has: restricted to 32 lanes, the wide
 * stack's paths are the narrow one's, in the same order (docs/SIMILARITY.md#warp-size-64). */
#ifndef REGLOOM_SIMILAR_JOIN_H
#define REGLOOM_SIMILAR_JOIN_H

#include "runtime-model/engine/engine.h"

struct join_code;
struct join;

/* what the wide warp issues */
struct joined {
	uint32_t insn;
	uint64_t active; /* lanes 0-31: of the first warp */
	bool local;      /* some lane's address is in local memory */
	/* Of each half: the 32 lanes of its destinations after it, if records have values; NULL: no lane of it
	 * executes, or there are none. */
	const uint32_t (*value[2])[WARP_LANES];
};

/* k in machine form, whose records have WANT_PARTS. All in arena a. */
struct join_code *join_decode(const struct kernel *k, struct arena *a);
struct join *join_new(const struct join_code *c, struct arena *a);
void join_begin(struct join *j, uint64_t lanes); /* lanes that have a thread */
void join_give(struct join *j, unsigned half, const struct record *r);
enum join_status {
	/* *out is the next one; its values are good until the next call of any function here */
	JOIN_OK,
	JOIN_WAITS, /* for records of a half */
	JOIN_END,   /* no lane is left */
	/* the next record of a half is of no path: the streams are not what one kernel's warps leave */
	JOIN_LOST,
};
enum join_status join_next(struct join *j, struct joined *out);
uint32_t join_at(const struct join *j); /* the instruction that the path on top is at */

#endif
