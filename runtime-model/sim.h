/* One timed launch: the engine makes records, the modelled GPU consumes them. */
#ifndef REGLOOM_SIM_H
#define REGLOOM_SIM_H

#include "runtime-model/axis.h"
#include "runtime-model/engine/engine.h"

struct gpu_probe;

struct sim_progress { uint64_t ctas_done, ctas, warp_insns, cycles; };

struct sim_options {
	const struct params *params;    /* machine description with --set applied; params.h */
	struct rf_config rf;
	unsigned have_anno;             /* enum anno that the object carries */
	void (*progress)(void *ctx, const struct sim_progress *p);       /* NULL: none; called about every 2^18 cycles */
	void *progress_ctx;
	uint64_t max_insns;             /* engine_options.max_insns */
	const struct gpu_probe *probe;  /* watchers, or NULL: probe.h */
};

/* Runs l to its end on the modelled GPU. Counters are added to *st (so that a sequence of launches sums), final memory is
 * that of the functional engine. False with a diagnostic: launch error, fault, deadlock (with a report of who waits for
 * what), a kernel that does not fit an SM. */
bool sim_run(struct device *dev, const struct launch *l, const struct sim_options *o, struct stats *st, struct diag *d);

#endif
