/* Counters per interval: a watcher (probe.h) that keeps, for every interval of each launch, what the whole GPU counted
 * in it. The rows sum to the counters of the run. */
#ifndef REGLOOM_SERIES_H
#define REGLOOM_SERIES_H

#include "runtime-model/core/probe.h"

struct series;

struct series_row {
	const char *kernel; /* of the first launch that it belongs to */
	uint64_t launch;    /* number of that launch, from 0 */
	cycle from;         /* in that launch */
	struct stats st;    /* st.cycles: its length; st.launches: launches that ended in it */
};

/* Every `interval` cycles, 1 at least; each launch begins with a new row. Of more than SERIES_ROWS rows, neighbours are
 * added up two by two, again and again: memory is bounded, and the sums stay. */
enum { SERIES_ROWS = 1 << 16 };
/* in a; it has memory of its own, which series_free gives back */
struct series *series_new(cycle interval, struct arena *a);
void series_free(struct series *s);
const struct gpu_probe *series_probe(struct series *s, const struct gpu_probe *next);
/* After the run. */
const struct series_row *series_rows(const struct series *s, unsigned *n);
cycle series_interval(const struct series *s); /* larger than asked for if rows were added up */

/* A line for each row with the metrics of stats.h, counters and formulas. */
bool series_write_csv(const struct series *s, const struct params *p, const char *partial, const char *path,
		      struct arena *a, struct diag *d);
/* {"interval", "columns", "units", "rows"}; a new reference, NULL if out of memory. */
json_t *series_json(const struct series *s, const struct params *p);

#endif
