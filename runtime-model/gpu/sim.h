/* One timed launch: the engine makes records, modelled GPUs consume them, each by its own configuration. */
#ifndef REGLOOM_SIM_H
#define REGLOOM_SIM_H

#include "runtime-model/core/job.h"
#include "runtime-model/core/stats.h"
#include "runtime-model/engine/engine.h"

struct checked_sums;
struct races;
struct gpu_probe;
struct sample_estimate;
struct l2;

struct sim_options {
	const struct params *params; /* machine description with --set applied; params.h */
	struct rf_config rf;
	unsigned have_anno; /* enum anno that the object carries */
	/* NULL: none; called about every 2^14 cycles */
	void (*progress)(void *ctx, const struct sim_progress *p);
	void *progress_ctx;
	/* With finish: of what is executed behind what is timed; NULL: none. */
	void (*executing)(void *none, const struct engine_progress *p);
	/* Plain kernels whose code lies before that of this one: those that were launched first, in their order, as a
	 * driver loads them (CUDA's lazy loading). */
	const struct kernel *const *before;
	unsigned nbefore;
	uint32_t code_before; /* instructions before those, of which nothing else is known */
	uint64_t launch;      /* gpu_job's */
	struct l2 *l2;        /* as gpu_job.l2 */
	struct arena *spare;  /* as gpu_job.spare */
	stop_flag stop;       /* raised: the launch stops within some hundred cycles */
	/* it stops when more warp instructions have issued, after so many cycles; 0: no limit */
	uint64_t max_insns, max_cycles;
	/* clusters of CTAs to time of a launch that has many; 0: all are timed. One for all jobs. */
	unsigned sample;
	unsigned sample_gain; /* 0: SAMPLE_GAIN */
	/* out: added to, if *st was estimated from these; NULL only if sample is 0 */
	struct sample_estimate *estimate;
	/* out: `why` is set if the launch stopped, and *st is of its part until then; NULL only if the three above are
	 * not used */
	struct stopped *stopped;
	bool *bug, *began;             /* gpu_job's */
	struct checked_sums *checked;  /* gpu_job's */
	struct races *races;           /* gpu_job's */
	const struct gpu_probe *probe; /* watchers, or NULL: probe.h */
	unsigned threads, quantum;     /* gpu_job's: no result depends on them */
	/* of the first job, for all: the launch is executed to its end whatever becomes of the jobs, which may be
	 * none */
	bool finish;
	struct engine_counts *counts; /* with it, out: of the whole execution */
	/* of the first job, for all: what ended the launch; or NULL */
	void (*failed)(void *ctx, const struct launch_fault *f);
	void *failed_ctx;
};

/* Where the code of a launch begins, in instructions. */
uint32_t sim_code_start(const struct sim_options *o);

/* Runs l to its end on the modelled GPU, or until it is stopped; of a kernel that has one the variant, if the
 * configuration is for that (rf_config_kernel()). Counters are added to *st (so that a sequence of launches sums),
 * final memory is that of the functional engine. False with a diagnostic: launch error, fault, deadlock (with a report
 * of who waits for what), a kernel that does not fit an SM. */
bool sim_run(struct device *dev, const struct launch *l, const struct sim_options *o, struct stats *st, struct diag *d);

/* one configuration of several that time the same launch */
struct sim_job {
	/* the flag is one for all; max_insns of the first bounds what the execution does in vain */
	struct sim_options o;
	struct stats *st; /* counters are added */
	struct diag *d;   /* what is wrong with this configuration; written by its thread alone */
	bool ok;          /* out: it was timed to the end, or until it was stopped */
};

/* Executes l once, the kernel as it is named there, and times it by n jobs, all of which run that program, each on a
 * thread of its own (with one job: on the caller's). All see the same instruction stream, made in an order that the
 * largest residency among them decides; the numbers of a job do not depend on the others' pace. A job that fails
 * (job->ok, job->d), or stops at a limit, does not stop the others. False with a diagnostic in d: the launch itself
 * failed (error, fault), and no job is ok. If no job is ok or each stopped although it returned true, it is not
 * executed to its end, unless job[0].o.finish says so. */
bool sim_run_jobs(struct device *dev, const struct launch *l, struct sim_job *job, unsigned n, struct diag *d);

#endif
