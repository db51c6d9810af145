/* The modelled GPU, as the files of this folder share it. */
#ifndef REGLOOM_GPU_PRIVATE_H
#define REGLOOM_GPU_PRIVATE_H

#include "runtime-model/gpu/gpu.h"
#include "runtime-model/sm/sm.h"

struct gpu {
	struct sm_shared of; /* what the SMs see of it */
	struct memory *memory;
	struct network *network; /* back from it */
	struct stats st;         /* of the memory system and the launch */
	struct sm *sm;
	cycle sample_at;             /* as of an SM */
	uint64_t next_cta, nrequest; /* requests that memory has answered */
	unsigned turn;               /* SM that is offered the next CTA first */
	cycle stopped_at;            /* 0: it was not */
	cycle quantum;               /* cycles that an SM runs without the others */
	/* clock.c */
	struct pool *pool;      /* NULL: this thread alone */
	unsigned threads, busy; /* threads to use; quanta that had work for more than one */
	struct sm **task;       /* SMs to run: */
	cycle end;              /* to here, */
	bool more;              /* as sm_run() has it */
	uint32_t *merge;        /* requests by their place */
	unsigned *bucket;
};

/* clock.c */
void clock_init(struct gpu *g);
/* to the end of the last CTA, or until stopped; false: failed, reported */
bool clock_run(struct gpu *g);
void clock_free(struct gpu *g);

/* watch.c: tell the watchers */
void probe_start(const struct gpu *g);
void probe_end(const struct gpu *g);
void probe_sample_memory(struct gpu *g, cycle now); /* at the ends of intervals that have been reached */
void probe_last_samples(struct gpu *g, cycle end);

/* report.c: the first fault of all SMs; false: there is none. No progress since a cycle; always false. */
bool report_fault(const struct gpu *g);
bool report_stuck(const struct gpu *g, cycle progressed);
void report_where(const struct gpu *g, struct stopped *out); /* out->where: of the warps now */

#endif
