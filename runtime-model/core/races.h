/* Loads whose result a reuse would have taken from an earlier load, though memory holds another: data races of the
 * kernel, or warps that wait for each other and that the model replays in another order. Found at no cost by a
 * configuration that reuses loads, as every reuse is compared with what execution gives. docs/WIR_REPEATS.md#races. */
#ifndef REGLOOM_RACES_H
#define REGLOOM_RACES_H

#include "analyzer/ir/ir.h"

#include <jansson.h>

/* warp: of the CTA */
struct race_access {
	uint32_t insn;
	unsigned warp;
	uint64_t cta, cycle;
};

enum race_kind {
	RACE_DATA,  /* nothing orders the two loads and what was stored between them */
	RACE_ORDER, /* fences or acquires of one of the CTAs may: no race need be behind it */
	RACE_KINDS
};

/* One pair of instructions: the first time, and how many times there were. */
struct race {
	const struct kernel *k;
	enum race_kind kind;
	unsigned launch;            /* entry of the launch file; set by run.c */
	struct race_access was, is; /* the load whose result was there, the load that found it */
	uint64_t times;
};

enum { RACES_KEPT = 16, RACES_SHOWN = 8 };
/* by the time of their first, as launches and SMs follow each other */
struct races {
	unsigned n;
	/* times, of pairs for which there was no room; a data race takes the place of the last pair that is none */
	uint64_t others[RACE_KINDS];
	struct race race[RACES_KEPT];
};

void races_add(struct races *to, const struct race *r);
/* What an SM found goes to the launch, or what a launch found to the run, behind what is there. */
void races_merge(struct races *to, const struct races *from);
uint64_t races_times(const struct races *r, enum race_kind kind);
const struct race *races_first(const struct races *r, enum race_kind kind); /* or NULL */
/* "reuse: load at a.ptx:12 of CTA 1 warp 0 would have got what ...", in arena a. */
const char *race_text(const struct race *r, struct arena *a);
/* Of those beyond the first RACES_SHOWN pairs of that kind: "reuse: ... and 5 more such loads", or NULL. */
const char *races_more(const struct races *r, enum race_kind kind, struct arena *a);
json_t *races_json(const struct races *r); /* docs/run.schema.json, "reuse_races" */

#endif
