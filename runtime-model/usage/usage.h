/* Value usage (Gebhart et al., TOCS 2012, section 2.2): how often the values that threads write to registers are read,
 * how soon, and by which units. From the records of an execution alone, without timing.
 *
 * A value is what one thread writes to one 32-bit general register, until it writes that register again or exits; so a
 * 64-bit result is two values, and predicates are none. An instruction that names a register twice reads its value
 * once. Time is the instructions that the thread executes, those whose guard is false left out: what the next one reads
 * has lived for 1. docs/HIERARCHY.md#value-usage. */
#ifndef REGLOOM_USAGE_H
#define REGLOOM_USAGE_H

#include "runtime-model/engine/engine.h"

#include <jansson.h>
#include <stdio.h>

enum { USAGE_READS = 4, USAGE_LIVES = 4 };
/* sums over threads */
struct usage {
	uint64_t warp_insns, thread_insns;
	uint64_t reads, writes;         /* 32-bit registers of each thread instruction; every write makes a value */
	uint64_t unwritten;             /* of reads: of registers that the thread has not written, so of no value */
	uint64_t by_reads[USAGE_READS]; /* values that are read never, once, twice, more often */
	/* of those read once: by the next instruction, the second, the third, a later one */
	uint64_t by_life[USAGE_LIVES];
	/* values that a shared unit reads (insn_is_shared()); of these, made by the private datapath */
	uint64_t by_shared, by_shared_of_private;
};
void usage_add(struct usage *sum, const struct usage *x);
static inline uint64_t usage_values(const struct usage *u)
{
	return u->by_reads[0] + u->by_reads[1] + u->by_reads[2] + u->by_reads[3];
}

/* ---- lanes.c: one warp at a time ---- */
/* registers: in usage_code.reg, sources then destinations */
struct usage_insn {
	uint32_t first;
	uint8_t nsrc, ndst;
	bool shared;
};
/* nreg: one more than the highest */
struct usage_code {
	const struct usage_insn *insn;
	const uint8_t *reg;
	unsigned nreg;
};
struct usage_warp;
/* k in machine form. Both in arena a. */
struct usage_code usage_decode(const struct kernel *k, struct arena *a);
struct usage_warp *usage_warp_new(const struct usage_code *c, struct arena *a); /* has begun */
/* The warp executes an instruction; it has come to its end, and the next one may begin in its place. Sums are added to
 * *u. */
void usage_step(struct usage_warp *w, const struct usage_code *c, uint32_t insn, uint32_t active, struct usage *u);
void usage_end(struct usage_warp *w, const struct usage_code *c, struct usage *u);

/* ---- launch.c ---- */
struct usage_options {
	stop_flag stop;
	uint64_t max_insns; /* stops after so many warp instructions; 0: no limit */
	void (*progress)(void *ctx, const struct engine_progress *p); /* often; or NULL */
	void *progress_ctx;
	/* each instruction that one thread executes, in order; or NULL */
	void (*step)(void *ctx, uint32_t insn);
	void *step_ctx;
	uint64_t step_cta; /* which thread */
	unsigned step_warp, step_lane;
};
/* Reads all records of e, which executes k in machine form and has no other consumer. Sums are added to *u, of values
 * that have not come to their end as of those that have. *stopped says whether it stopped before the end. False: e
 * failed, with a diagnostic. */
bool usage_launch(struct engine *e, const struct kernel *k, const struct usage_options *o, struct usage *u,
		  struct stopped *stopped);

/* ---- report.c ---- */
void usage_print(FILE *f, const struct usage *u);
/* docs/usage.schema.json; a new reference, NULL if out of memory */
json_t *usage_json(const struct usage *u);

#endif
