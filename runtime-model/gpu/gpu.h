/* The modelled GPU: N SMs, the memory system behind them, and the dispatch of CTAs. It consumes records and never
 * executes; where they come from is the caller's business (sim.c: the engine; tests: written-out streams). */
#ifndef REGLOOM_GPU_H
#define REGLOOM_GPU_H

#include "passes/occupancy.h"
#include "runtime-model/core/job.h"
#include "runtime-model/core/stats.h"

/* CTAs that one SM holds at once, and what limits them. 0: the kernel does not fit. */
unsigned gpu_max_ctas(const struct gpu_job *j, enum occupancy_limit *why);

/* Runs the job to its end, or until it is stopped, and adds what it counted to *st. False with a diagnostic: a kernel
 * that does not fit, a failed record source (which has reported), no progress (with a report of who waits for what). */
bool gpu_run(const struct gpu_job *j, struct stats *st, struct diag *d);

#endif
