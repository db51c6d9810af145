/* The modelled GPU: N SMs, the memory system behind them, and the dispatch of CTAs. It consumes records and never
 * executes; where they come from is the caller's business (sim.c: the engine; tests: written-out streams). */
#ifndef REGLOOM_GPU_H
#define REGLOOM_GPU_H

#include "runtime-model/checked.h"
#include "runtime-model/occupancy.h"
#include "runtime-model/probe.h"
#include "runtime-model/sample.h"
#include "runtime-model/sim.h"

struct record_source {                  /* the contract of engine_next() */
	void *ctx;
	enum record_status (*next)(void *ctx, uint64_t cta, unsigned warp, struct record *out);
};

struct gpu_job {
	const struct params *params;
	const struct rf_config *rf;
	const struct kernel *kernel;    /* FORM_MACHINE */
	struct record_source source;
	uint32_t code_start;            /* instructions of the kernels before it in its module, rounded up: where its code lies */
	struct races *races;            /* what a reuse of loads finds is added; or NULL */
	struct checked_sums *checked;   /* checked.h: records carry values, with which what the data path delivers is compared; added to.
	                                 * NULL: off. Changes no result. */
	uint64_t ctas;                  /* of the grid */
	struct sample_marks *sample;    /* NULL: all are timed; else those of its plan, `ctas` in number. Fills in the marks. */
	uint64_t local_lines;           /* of a warp: engine_local_lines(); 0: it has none */
	unsigned threads_per_cta;
	uint32_t shared_bytes;          /* of a CTA, static and dynamic */
	struct l2 *l2;                  /* as the launch before left it (memory.h); NULL: cold */
	struct arena *spare;            /* memory that is used and left for the next launch, which saves taking it from the system; or NULL */
	const struct gpu_probe *probe;  /* watchers, or NULL */
	unsigned threads;               /* that share out the SMs; 0: one for each processor. Changes no result. */
	unsigned quantum;               /* at most so many cycles of an SM at a time; 0: no limit but clock.c's. Changes no result. */
	void (*progress)(void *ctx, const struct sim_progress *p);       /* or NULL; about every 2^14 cycles */
	void *progress_ctx;
	stop_flag stop;                 /* looked at between quanta, as are the limits: */
	uint64_t max_insns, max_cycles; /* more warp instructions issued, so many cycles; 0: none */
	struct stopped *stopped;        /* `why` and the CTAs are set; NULL: nothing stops the job, its source included */
	bool *bug;                      /* set if the model contradicts itself, which fails the job; or NULL */
	bool *began;                    /* set when the configuration has taken the kernel: what fails then fails while it runs; or NULL */
};

/* CTAs that one SM holds at once, and what limits them. 0: the kernel does not fit. */
unsigned gpu_max_ctas(const struct gpu_job *j, enum occupancy_limit *why);

/* Runs the job to its end, or until it is stopped, and adds what it counted to *st. False with a diagnostic: a kernel that does not fit, a failed
 * record source (which has reported), no progress (with a report of who waits for what). */
bool gpu_run(const struct gpu_job *j, struct stats *st, struct diag *d);

#endif
