/* Parts of run_launches(). */
#ifndef REGLOOM_RUN_PROGRAM_H
#define REGLOOM_RUN_PROGRAM_H

#include "runtime-model/run/run.h"

/* Numbers the kernels by name; what is counted for each. */
void run_name_kernels(struct run *r, struct arena *a);
/* Which program each configuration runs, or the execution without timing; used: some does. A configuration for variants
 * runs the plain kernels with the others if no kernel has one. False with a diagnostic. */
bool run_choose_programs(struct run *r, bool used[PROGRAMS], struct diag *d);
/* A variant computes what the plain kernel does; where threads race, another order of execution may still leave other
 * memory. Then what the launch file expects must hold of both; where it expects nothing, nothing excuses the
 * difference. Both have run to their end. False with a diagnostic: an expected file is not usable. */
bool run_judge_variant(struct run *r, const struct launch_file *f, struct arena *a, struct diag *d);
/* A CTA of the first launch of a kernel. */
struct occupancy_cta run_first_cta(const struct launch_file *f, const char *kernel);

#endif
