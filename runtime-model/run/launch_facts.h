/* What a launch file says of each kernel, for annotating (passes/freq.h). */
#ifndef REGLOOM_LAUNCH_FACTS_H
#define REGLOOM_LAUNCH_FACTS_H

#include "analyzer/ir/ir.h"
#include "passes/freq.h"

struct launch_file;

/* Before `given`, which counts for all kernels, those that f launches: block, grid, dynamic shared memory and integer
 * parameters of their first launch, where `given` does not say another. The file is checked as for a run; part: but it
 * may launch kernels that are not in m. NULL with a diagnostic. In arena a, or `given`. */
const struct launch_facts *launch_facts_from(const struct launch_file *f, const struct module *m, bool part,
					     const struct launch_facts *given, struct arena *a, struct diag *d);
/* Is a parameter a whole number of which facts are made? */
bool launch_facts_integer(const struct param *p);
/* Of the file at `path`. */
const struct launch_facts *launch_facts_read(const char *path, const struct module *m, bool part,
					     const struct launch_facts *given, struct arena *a, struct diag *d);

#endif
