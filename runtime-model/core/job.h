/* A launch as models of the GPU consume it: a machine, a configuration, a kernel, and where its records come from. */
#ifndef REGLOOM_JOB_H
#define REGLOOM_JOB_H

#include "analyzer/base/diag.h"
#include "analyzer/ir/ir.h"
#include "runtime-model/core/axes.h"
#include "runtime-model/core/params.h"
#include "runtime-model/engine/record.h"
#include "runtime-model/engine/stop.h"

struct checked_sums;
struct gpu_probe;
struct l2;
struct races;
struct sample_marks;

/* configurations that one execution times, at most */
enum { SIM_JOBS_MAX = 256 };

struct sim_progress {
	uint64_t ctas_done, ctas, warp_insns, cycles;
};

/* the contract of engine_next() */
struct record_source {
	void *ctx;
	enum record_status (*next)(void *ctx, uint64_t cta, unsigned warp, struct record *out);
};

struct gpu_job {
	const struct params *params;
	const struct rf_config *rf;
	const struct kernel *kernel; /* FORM_MACHINE */
	struct record_source source;
	/* instructions of the kernels that were loaded before it, rounded up: where its code lies */
	uint32_t code_start;
	struct races *races; /* what a reuse of loads finds is added; or NULL */
	/* checked.h: records carry values, with which what the data path delivers is compared; added to. NULL: off.
	 * Changes no result. */
	struct checked_sums *checked;
	uint64_t launch; /* number of it in the run: delays of params.perturb differ from one to the next */
	uint64_t ctas;   /* of the grid */
	/* NULL: all are timed; else those of its plan, `ctas` in number. Fills in the marks. */
	struct sample_marks *sample;
	uint64_t local_lines; /* of a warp: engine_local_lines(); 0: it has none */
	unsigned threads_per_cta;
	uint32_t shared_bytes; /* of a CTA, static and dynamic */
	struct l2 *l2;         /* as the launch before left it (memory.h); NULL: cold */
	/* memory that is used and left for the next launch, which saves taking it from the system; or NULL */
	struct arena *spare;
	const struct gpu_probe *probe; /* watchers, or NULL */
	unsigned threads;              /* that share out the SMs; 0: one for each processor. Changes no result. */
	/* at most so many cycles of an SM at a time; 0: no limit but clock.c's. Changes no result. */
	unsigned quantum;
	void (*progress)(void *ctx, const struct sim_progress *p); /* or NULL; about every 2^14 cycles */
	void *progress_ctx;
	stop_flag stop;                 /* looked at between quanta, as are the limits: */
	uint64_t max_insns, max_cycles; /* more warp instructions issued, so many cycles; 0: none */
	/* `why` and the CTAs are set; NULL: nothing stops the job, its source included */
	struct stopped *stopped;
	bool *bug; /* set if the model contradicts itself, which fails the job; or NULL */
	/* set when the configuration has taken the kernel: what fails then fails while it runs; or NULL */
	bool *began;
};

#endif
