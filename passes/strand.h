/* Strands (Gebhart et al., TOCS 2012, section 5.1): the units in which values live in an operand register file. A
 * strand is a piece of code with one entry and without cycles in which every dependence on a long-latency operation is
 * on one that an earlier strand issued. What one strand leaves for another goes through the main register file.
 * passes/strand.c says where they begin.
 *
 * Entries of an upper level are private to a lane, but a warp that is descheduled loses those of all its lanes, also of
 * those that wait elsewhere. So no lane is inside a strand while others of its warp pass a STRAND_WAIT, a barrier or a
 * fence. */
#ifndef REGLOOM_STRAND_H
#define REGLOOM_STRAND_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct kernel;

/* Why a strand begins before an instruction. One cause is stored: STRAND_LONG if none else holds, or else the first of
 * the others; if STRAND_LONG holds beside it, STRAND_WAIT says so. */
enum strand_cause {
	STRAND_LONG,    /* it reads or writes a register that a long-latency operation may still owe */
	STRAND_ENTRY,   /* of the kernel or of a function */
	STRAND_CALL,    /* it follows a call */
	STRAND_BARRIER, /* it follows a barrier or a fence, where the warp loses its place */
	STRAND_LOOP,    /* a backward branch leads to it, or stands before it */
	STRAND_MERGE,   /* its predecessors are not all in one strand */
	STRAND_LANES,   /* lanes may wait here while others of the warp lose their place */
	STRAND_CAUSES
};

enum {
	STRAND_CAUSE = 7, /* mask of enum strand_cause */
	/* the deschedule bit: the warp waits for the results of all its long-latency operations */
	STRAND_WAIT = 1 << 3,
	STRAND_BEGIN = 1 << 4,
};

struct strands {
	const uint32_t *id; /* by instruction; in code that nothing reaches too */
	/* by instruction: 0, or STRAND_BEGIN, perhaps STRAND_WAIT, and a cause: before it */
	const uint8_t *begin;
	uint32_t n;                    /* strands; they are numbered in the order of the code */
	uint32_t count[STRAND_CAUSES]; /* how many begin for each cause; those with two count twice */
	/* limit study (section 8.3): a warp keeps its entries when it is descheduled: waits and barriers begin none */
	bool never_flush;
	bool past_barriers; /* it keeps them where it waits at a barrier: barriers begin none */
	/* of them those with STRAND_WAIT: STRAND_LONG holds for all, unless never_flush */
	uint32_t waits;
};

/* Whether one begins before instruction i, for cause c among others. */
static inline bool strand_begins_for(const struct strands *t, uint32_t i, enum strand_cause c)
{
	uint8_t x = t->begin[i];

	return x & STRAND_BEGIN &&
	       ((x & STRAND_CAUSE) == c || (c == STRAND_LONG && x & STRAND_WAIT && !t->never_flush));
}

/* What pass_strand makes of k with these options, in arena a. k: FACT_CFG and FACT_PDOM. */
struct orf_options;
struct strands *strands_find(const struct kernel *k, const struct orf_options *o, struct arena *a,
			     struct arena *scratch);

extern const char *const strand_cause_name[STRAND_CAUSES]; /* "long latency" */

#endif
