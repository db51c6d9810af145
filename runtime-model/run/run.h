/* Runs a whole launch file on an object's kernels, only executed or timed by any number of configurations at once, and
 * reports: what sm-model run and sm-model compare do. */
#ifndef REGLOOM_RUN_H
#define REGLOOM_RUN_H

#include "runtime-model/config/config_list.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/core/races.h"
#include "runtime-model/launch/launch.h"
#include "runtime-model/gpu/sample.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/similar/similar.h"
#include "runtime-model/usage/usage.h"

/* the launches; the same with dead registers overwritten, or counted */
enum run_part { RUN_MAIN, RUN_POISON, RUN_CONTROLS, RUN_PROFILE };

/* What executes: the kernels as they are, or of those that have one the variant that shares registers between warps.
 * Configurations that run the same are timed in one execution, with a device of its own. */
enum run_program { PROGRAM_PLAIN, PROGRAM_VARIANT, PROGRAMS };

/* Sums so far, over all configurations. Reports do not overlap, but may come from different threads. */
struct run_progress {
	enum run_part part;
	const char *kernel;
	uint64_t launches_done, cycles, warp_insns; /* of this part, all programs */
	uint64_t ctas_done, ctas;                   /* of the launch under way; ctas 0: none is */
	/* done of all threads of this part's launches; < 0: not known */
	double share;
};

/* The limits of a launch with all its rounds, and of all launches, unless the user sets one: minutes of execution, and
 * an hour. What a round counts as at least, since it takes as long. */
#define RUN_GUARD_INSNS ((uint64_t)1000000000)
#define RUN_GUARD_ALL (10 * RUN_GUARD_INSNS)
enum { RUN_ROUND_INSNS = 1000 };

/* tells what one thread of each launch executes */
struct run_path {
	uint64_t thread; /* of the grid: CTA by CTA, in each by its number, x first */
	/* launch: entry of the launch file */
	void (*step)(void *ctx, const struct kernel *k, unsigned launch, uint64_t round, uint32_t insn);
	void *ctx;
};

struct run_options {
	const struct run_config *config; /* the first is what the others stand beside */
	unsigned nconfig;                /* 0: execute only; up to SIM_JOBS_MAX, with their copies: */
	/* Each configuration is timed so many times more, with params.perturb from 1 on (noise.h). */
	unsigned perturb;
	/* enum anno that the object carries; ANNO_REGMUTEX is added if its kernels do */
	unsigned have_anno;
	/* not timed: PROGRAM_VARIANT; without a profile, which is of the plain kernels */
	bool variant;
	bool profile;                /* count what each instruction executes; if timed, in an execution of its own */
	bool usage;                  /* count how values are used; only if not timed and without a profile */
	const struct run_path *path; /* with usage; NULL: nobody asks */
	/* likewise: count how alike values are, in warps of so many lanes, 32 or 64; 0: do not */
	unsigned similar;
	bool proofs; /* with it: similar_options.proofs */
	/* each configuration carries values (checked.h), which must be right; and execute once more with dead registers
	 * overwritten: memory must be the same */
	bool checked;
	bool controls; /* of machine code: executes once more, and proves its control codes */
	/* NULL: none. Called at each launch, and often during it. */
	void (*progress)(void *ctx, const struct run_progress *p);
	void *progress_ctx;
	const struct gpu_probe *probe; /* watchers of the first configuration; NULL: none */
	FILE *print;                   /* where printf of kernels writes; NULL: nowhere */
	/* that time or execute a launch, shared out to the configurations; 0: one for each processor */
	unsigned threads;
	/* Warp instructions of a launch, with guard_all of all its rounds, and of all launches; 0: no limit. */
	uint64_t guard_insns, guard_all;
	/* and of all launches, with cycles if timed: a run that reaches a limit stops */
	uint64_t max_insns, max_cycles;
	stop_flag stop;              /* raised: stops within a fraction of a second */
	unsigned sample;             /* sim_options.sample */
	struct sanitizer *sanitizer; /* of the first program that runs; NULL: nobody looks */
};

/* why and where a run stopped before its end */
struct run_stop {
	enum run_part part;
	unsigned config; /* the first that stopped */
	bool guard, all; /* STOP_INSNS: at guard_insns; at guard_all */
	unsigned launch; /* entry of the launch file, and which of its rounds, from 0 */
	uint32_t round;
	struct stopped at; /* why STOP_NOT: the run came to its end */
};

/* one entry of the launch file; sums over its rounds */
struct run_launch {
	unsigned kernel; /* of run.kernel */
	uint64_t rounds, warp_insns, thread_insns;
};

/* what one configuration measured */
struct run_timing {
	enum run_program program;
	bool failed; /* a diagnostic says why; the rest means nothing but */
	/* this: it failed before its first cycle in a launch, as it cannot run the kernel; the message. NULL: it did
	 * not */
	const char *refused;
	struct stats stats;              /* sums over all launches */
	struct stats *kernel;            /* over those of each kernel, by run.kernel */
	uint64_t *cycles;                /* by entry of the launch file */
	struct checked_sums checked;     /* if asked for */
	struct races races;              /* under a reuse of loads */
	struct sample_estimate estimate; /* with .launches > 0: stats are estimated in part */
	/* of the launch under way when the run stopped; why STOP_NOT: it was timed to its end */
	struct stopped stop;
};

/* Where what two executions leave differs first: memory, else what kernels printed. */
enum left { LEFT_SAME, LEFT_BUFFER, LEFT_VARIABLE, LEFT_PRINTED };
struct memory_difference {
	enum left where;
	const char *name;          /* of the buffer or variable */
	uint64_t element, address; /* of a variable, a byte */
};

struct run {
	const struct module *m;
	const struct launch_file *f;
	/* config: behind the nconfig that were given, these with the first seed, then with the next */
	struct run_options opt;
	unsigned ntimed; /* configurations and copies; the numbers of all but the first nconfig are for noise.h */
	struct device *device[PROGRAMS];  /* memory after the last launch; NULL: that program did not run */
	struct device *dev;               /* that of the first program that ran */
	struct memory_difference variant; /* of both programs, if both ran to their end */
	/* what the expectations say of the variants' memory, if there is a difference */
	enum check variant_check;
	struct run_launch *launch; /* by entry of f->launch, of the first program that ran */
	const char **kernel;       /* names, in the order of their first entries */
	unsigned nkernel;
	struct run_timing *timing;   /* by configuration, of ntimed */
	struct engine_counts counts; /* if not timed */
	/* by kernel, then instruction: warps that executed it, in all launches; NULL: not counted */
	uint64_t **profile;
	struct usage *usage;            /* by kernel, over all launches; NULL: not asked for */
	struct similar_kernel *similar; /* likewise */
	enum check check;
	struct expect_result *expect; /* by entry of f->expect */
	struct run_stop stop;
	bool bug; /* the model broke a rule of its own (a diagnostic says which) */
	/* checked: memory was not the same (a diagnostic says where); then check is FAIL */
	bool differs;
};

static inline bool run_both_programs(const struct run *r)
{
	return r->device[PROGRAM_PLAIN] && r->device[PROGRAM_VARIANT];
}
/* Buffers of f and .global variables of m, prepared on both devices, byte for byte, and all that printf wrote, in any
 * order. */
struct memory_difference memory_compare(const struct launch_file *f, const struct module *m, struct device *x,
					struct device *y);
/* "buffer x from element 3 on", in arena a; d is a difference. */
const char *memory_difference_text(const struct memory_difference *d, struct arena *a);

/* Binds f to m, runs it, checks its expectations. False with a diagnostic if it could not be run or checked, or no
 * configuration could time it; one that fails beside others is in r->timing. A failed expectation is not a failure
 * here, see r->check, nor is a run that stopped: it has the results so far. Results in arena a; run_free gives the
 * device back, always. */
bool run_launches(struct run *r, const struct module *m, struct launch_file *f, const struct run_options *o,
		  struct arena *a, struct diag *d);
/* The kernels of an annotated object or a cubin. NULL with a diagnostic. */
struct module *run_read_object(const char *path, struct arena *a, struct diag *d);
/* Those of a cubin; facts: with all that an object of them would carry, of a launch that was saved as the process had
 * it that saved it; f: or NULL. */
struct module *run_read_native(const struct source *src, bool facts, const struct launch_file *f, struct arena *a,
			       struct diag *d);
/* Before it, of machine code: finds what warps share, for the CTAs that f launches and the machine of the
 * configurations in which they do, of which all must have SMs of the same sizes; m->kernel[]->regmutex and, if it is of
 * use, ->variant. Does nothing for other modules and configurations. False with a diagnostic. */
bool run_share_native(struct module *m, const struct launch_file *f, const struct run_options *o, struct arena *a,
		      struct diag *d);
/* What of it is done to one kernel whose k->regmutex has an extended set: k->variant. */
void run_vary_native(struct kernel *k);
void run_free(struct run *r);
static inline bool run_timed(const struct run *r) { return r->opt.nconfig != 0; }

const char *run_program_name(enum run_program p); /* "plain", "variant" */
const char *check_name(enum check c);             /* "none", "pass", "fail", "partial" */
/* "interrupted, in launch 2, sgemm, with 3 of 64 CTAs done", in arena a. r has stopped. */
const char *run_stop_text(const struct run *r, struct arena *a);
/* What stopped it, as every output of it for tools says: "asked", "max_insns", "max_cycles". NULL: it came to its
 * end. */
const char *run_stop_why(const struct run *r);
/* What a configuration says of the kernels that ran and their annotations, in arena a: of the first, and of how many
 * more. NULL: nothing. */
const char *run_remark(const struct run *r, unsigned config, struct arena *a);
/* Of one kernel, the plain one, launched in such CTAs: what is to be said of its annotations though it runs, of those
 * for the levels of the register file or of those for its residency. NULL: nothing. */
const char *run_remark_of(const struct run_config *c, const struct kernel *plain, const struct occupancy_cta *cta,
			  bool levels, struct arena *a);
/* Likewise, what warps share: "a base set of 10 registers, an extended set of 6; ..."; of what was counted: "64
 * acquires: ...". NULL: nothing. */
const char *run_sections_text(const struct run_config *c, const struct kernel *plain, const struct occupancy_cta *cta,
			      struct arena *a);
const char *run_acquires_text(const struct stats *st, struct arena *a);
/* The kernels that were launched and have a variant, likewise; "" if none has. */
const char *run_variants(const struct run *r, struct arena *a);
/* The distinct kernels that were launched, "a,b", in arena a: symbols; for people. */
const char *run_kernels(const struct run *r, struct arena *a);
const char *run_kernel_names(const struct run *r, struct arena *a);
/* For people: what ran, the verdict with the first mismatches, the numbers of the first configuration, beside those of
 * a second if there is one. all: every metric there is. */
/* per_kernel: also those of each kernel */
void run_print(FILE *out, const struct run *r, bool all, bool per_kernel);
/* docs/run.schema.json. A new reference; NULL if out of memory. */
json_t *run_json(const struct run *r);
/* docs/profile.schema.json: how often each block of each kernel that ran was executed. */
bool run_write_profile(const struct run *r, const char *path, struct arena *a, struct diag *d);
/* Writes o whole or not at all and gives it up. */
bool run_write_json(json_t *o, const char *path, struct arena *a, struct diag *d);

/* Metrics of a configuration in a run: by position, those of stats.h, and behind them what no counter has
 * (storage_bits, code_bytes). */
/* instead of the number of one */
enum { RUN_ALL_KERNELS = -1 };
unsigned run_metric_count(void);
const char *run_metric_name(unsigned i), *run_metric_unit(unsigned i);
bool run_metric_index(const char *name, unsigned *i);
void run_metric_near(struct near *x);
void run_metric_list(FILE *f);
struct metric run_metric(const struct run *r, unsigned config, int kernel, unsigned i);
/* of what it runs where the launch file names this kernel */
uint64_t run_code_bytes(const struct run *r, unsigned config, unsigned kernel);

/* Do numbers of this metric have a ratio to those of the configuration beside? Cycles of another clock have none. */
bool run_comparable(const struct run *r, unsigned config, unsigned metric);

/* Parts that every report has. cycles: of each entry of the launch file; NULL: not timed, or left out. */
void run_print_launches(FILE *out, const struct run *r, const uint64_t *cycles);
void run_print_result(FILE *out, const struct run *r);
void run_print_failures(FILE *out, const struct run *r); /* what of it is wrong alone, where no report is wanted */
/* Of a configuration whose residency adds hardware, or shares registers between warps: how much, and how. */
void run_print_shared(FILE *out, const struct run *r, unsigned config);
unsigned run_registers(const struct run *r, unsigned config);   /* of a thread, in the kernel that has most */
json_t *run_json_shared(const struct run *r, unsigned config);  /* docs/run.schema.json, "registers" */
json_t *run_json_kernels(const struct run *r, unsigned config); /* {NAME: {"metrics"}} */
json_t *run_json_result(const struct run *r, const char *schema, const uint64_t *cycles);
json_t *run_json_stop(const struct run *r); /* docs/run.schema.json, "partial"; r has stopped */

#endif
