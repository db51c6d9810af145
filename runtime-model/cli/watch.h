/* What sm-model run can watch of a run besides its counters: options, reports, files. */
#ifndef REGLOOM_CLI_WATCH_H
#define REGLOOM_CLI_WATCH_H

#include "runtime-model/cli/options.h"
#include "runtime-model/explain/explain.h"
#include "runtime-model/explain/series.h"
#include "runtime-model/run/run.h"

/* NULL: not asked for */
struct watch {
	struct series *series;
	struct explain *explain;
	unsigned sections; /* enum explain_section */
};

/* EXIT_FINE; EXIT_USAGE with a message. Fills o->probe. */
int watch_open(struct watch *w, const struct options *args, struct run_options *o, struct arena *a, struct diag *d);
void watch_close(struct watch *w);
/* False with a diagnostic: what was seen does not add up to what was counted, a bug. */
bool watch_check(const struct watch *w, const struct run *r, struct diag *d);
void watch_print(FILE *out, const struct watch *w, const struct run *r);
/* Adds to the results of the run, which may be NULL: out of memory. */
json_t *watch_json(const struct watch *w, const struct options *args, const struct run *r, json_t *o);
bool watch_write(const struct watch *w, const struct options *args, const struct run *r, struct arena *a,
		 struct diag *d);

#endif
