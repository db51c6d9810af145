/* Runs a whole launch file on an object's kernels, timed or only executed, and reports: what sm-model run does. */
#ifndef REGLOOM_RUN_H
#define REGLOOM_RUN_H

#include "runtime-model/launch/launch.h"
#include "runtime-model/sim.h"

struct run_progress { const char *kernel; uint64_t launches_done; uint64_t cycles, warp_insns; };  /* sums so far */

enum { RUN_MAX_INSNS = 1000000000 };    /* the limit of a launch unless the user sets one: minutes of execution */

struct run_options {
	const struct params *params;
	struct rf_config rf;
	unsigned have_anno;             /* enum anno that the object carries */
	bool functional;                /* execute only: no timing model */
	bool checked;                   /* execute once more with dead registers overwritten; memory must be the same */
	bool baseline;                  /* if rf is not the preset "baseline", time that too, to stand beside */
	void (*progress)(void *ctx, const struct run_progress *p);       /* NULL: none. Called at each launch, and during it. */
	void *progress_ctx;
	const struct gpu_probe *probe;  /* watchers of the timed launches, the baseline's left out; NULL: none */
	FILE *print;                    /* where printf of kernels writes; NULL: nowhere */
	uint64_t max_insns;             /* warp instructions that one launch may execute; 0: no limit */
};

struct run_launch {                     /* one entry of the launch file; sums over its rounds */
	uint64_t rounds, cycles, warp_insns, thread_insns;
};

struct run {
	const struct module *m;
	const struct launch_file *f;
	struct run_options opt;
	struct device *dev;             /* memory after the last launch */
	struct run_launch *launch;      /* by entry of f->launch */
	struct stats stats;             /* timed: sums over all launches */
	struct engine_counts counts;    /* functional */
	bool has_base;
	struct stats base;              /* of the baseline run */
	enum check check;
	struct expect_result *expect;   /* by entry of f->expect */
	bool bug;                       /* the model broke a rule of its own (a diagnostic says which) */
	bool differs;                   /* checked: memory was not the same (a diagnostic says where); then check is FAIL */
};

/* Binds f to m, runs it, checks its expectations. False with a diagnostic if it could not be run or checked; a failed
 * expectation is not a failure here, see r->check. Results in arena a; run_free gives the device back, always. */
bool run_launches(struct run *r, const struct module *m, struct launch_file *f, const struct run_options *o, struct arena *a,
                  struct diag *d);
void run_free(struct run *r);

const char *check_name(enum check c);   /* "none", "pass", "fail" */
/* The distinct kernels that f launches, "a,b", in arena a. */
const char *run_kernels(const struct launch_file *f, struct arena *a);
/* For people: what ran, the verdict with the first mismatches, the numbers. all: every metric there is. */
void run_print(FILE *out, const struct run *r, bool all);
/* docs/run.schema.json. A new reference; NULL if out of memory. */
json_t *run_json(const struct run *r);
bool run_write_json(const struct run *r, const char *path, struct arena *a, struct diag *d);

#endif
