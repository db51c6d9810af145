/* One unit of a sweep, in a process of its own: points of one object and one launch file, timed by one execution. */
#ifndef REGLOOM_SWEEP_WORK_H
#define REGLOOM_SWEEP_WORK_H

#include "analyzer/base/diag.h"

/* Reads UNIT (JSON, as front.c writes it: UNIT.unit) and writes UNIT.rows, a line of the journal for each point that
 * has a result: timed, stopped at a limit, or refused by the model. Points that failed have none. 0: all have one; 1;
 * 3: a bug of the model. Messages go to d. */
int work_run(const char *unit, struct arena *a, struct diag *d);

#endif
