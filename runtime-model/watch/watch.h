/* What can be watched of a timed run besides its counters: options, reports, files. Of sm-model run and of the launches
 * of a CUDA program alike. */
#ifndef REGLOOM_WATCH_H
#define REGLOOM_WATCH_H

#include "analyzer/base/options.h"
#include "analyzer/base/outfile.h"
#include "runtime-model/explain/explain.h"
#include "runtime-model/explain/series.h"
#include "runtime-model/trace/trace.h"

enum watch_option {
#define WATCH(id, ...) WATCH_OPT_##id,
#include "runtime-model/watch/options.def"
#undef WATCH
	WATCH_OPT_COUNT
};
/* for the rows */
bool watched_lists_sections(const char *word);
bool watched_takes_sm(struct options *o, const char *value, uint64_t *number);

/* paths: NULL: not asked for */
struct watch_request {
	bool explain, clocks;
	unsigned sections; /* enum explain_section */
	uint64_t interval; /* 0: none */
	bool intervals;    /* it was asked for */
	const char *series, *trace, *pipeview;
	const char *records; /* the caller's to set */
	struct trace_window window;
	uint64_t sm; /* of --trace-sm */
};
/* first: the row of x->table that is row 0 of options.def. Json: there is JSON to write to. False: it is wrong, with a
 * message in *wrong, or NULL there and a diagnostic. */
bool watched_read(struct watch_request *q, const struct options *x, unsigned first, bool json, const char **wrong,
		  struct diag *d);
/* What is wrong with it on this machine, in a; NULL: nothing. */
const char *watched_wrong(const struct watch_request *q, const struct params *p, struct arena *a);
static inline bool watched_asked(const struct watch_request *q) /* for anything */
{
	return q->explain || q->clocks || q->interval || q->trace || q->pipeview || q->records;
}

/* each NULL: not asked for */
struct watch {
	const struct watch_request *q;
	const struct gpu_probe *probe; /* of the configuration that is watched */
	struct series *series;
	struct explain *explain;
	struct chrome *chrome;
	struct kanata *kanata;
	struct clocks *clocks;
	struct records *records;
	struct outfile records_out;
};
/* Opens the files; w->probe is all watchers, before `next`. False with a diagnostic; watched_close() all the same. */
bool watched_open(struct watch *w, const struct watch_request *q, const struct gpu_probe *next, struct arena *a,
		  struct diag *d);
/* After the run: writes the files of what happened in each cycle. partial: what stopped the run, or NULL. False with a
 * diagnostic. */
bool watched_end(struct watch *w, const char *partial);
void watched_close(struct watch *w);
/* False with a diagnostic: what was seen does not add up to what was counted, a bug. */
bool watched_check(const struct watch *w, bool stopped, struct diag *d);
/* For people. m: the module of all kernels that were watched. */
void watched_print_explain(FILE *out, const struct watch *w, const struct module *m);
/* Where the files are and what of `cycles` they hold; the clock report. */
void watched_print_files(FILE *out, const struct watch *w, uint64_t cycles);
/* Adds to the results of the run, which may be NULL: out of memory. */
json_t *watched_json(const struct watch *w, const struct params *p, const struct module *m, json_t *o);
bool watched_write_series(const struct watch *w, const struct params *p, const char *partial, struct arena *a,
			  struct diag *d);

#endif
