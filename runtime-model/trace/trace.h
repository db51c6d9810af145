/* What a run did, cycle by cycle, for other programs to show: a trace in the Chrome trace event format and a pipeline
 * view in the Kanata format (docs/TRACE.md); and the clock report. Each is a watcher of the run (probe.h). */
#ifndef REGLOOM_TRACE_H
#define REGLOOM_TRACE_H

#include "analyzer/ir/ir.h"
#include "runtime-model/core/probe.h"

#define TRACE_ALL_SMS UINT32_MAX
enum { TRACE_CYCLES = 10000 };

/* Cycles count from the start of the first launch; launches follow each other. */
struct trace_window {
	cycle from, cycles; /* cycles 0: to the end */
	uint32_t sm;        /* TRACE_ALL_SMS: all */
};

static inline cycle trace_window_end(const struct trace_window *w)
{
	return w->cycles && w->cycles <= UINT64_MAX - w->from ? w->from + w->cycles : UINT64_MAX;
}

/* ---- Chrome trace ---- */
struct chrome;
/* Opens `path` for a trace of what happens in the window. All in arena a; NULL with a diagnostic. */
struct chrome *chrome_open(const char *path, const struct trace_window *w, struct arena *a, struct diag *d);
struct gpu_probe *chrome_probe(struct chrome *c); /* to be linked into a list of watchers */
/* Ends what is open, as after a launch that failed, and writes the file, if a launch has begun. partial: why the run
 * stopped, NULL: it did not. False with a diagnostic: then there is none. */
bool chrome_close(struct chrome *c, const char *partial);

/* ---- Kanata log: of one SM, 0 if the window says all ---- */
struct kanata;
struct kanata *kanata_open(const char *path, const struct trace_window *w, struct arena *a, struct diag *d);
struct gpu_probe *kanata_probe(struct kanata *k);
bool kanata_close(struct kanata *k, const char *partial); /* as chrome_close() */

/* ---- records ---- */
/* Writes the records of launches that run to their end to `to`, as text, with the values of registers. In arena a. */
struct records;
struct records *records_new(FILE *to, struct arena *a);
struct gpu_probe *records_probe(struct records *r);
bool records_end(struct records *r); /* false: not all could be written */

/* ---- clock report ---- */
/* Modelled cycles between the issues of successive instructions of a warp that read %clock or %clock64. */
struct clocks;
struct clock_pair {
	const struct kernel *k;
	uint32_t from, to;             /* instructions */
	uint64_t times, min, max, sum; /* sum, min, max in cycles */
};
struct clocks *clocks_new(struct arena *a);
void clocks_free(struct clocks *c); /* what it keeps for each SM; the pairs stay */
struct gpu_probe *clocks_probe(struct clocks *c);
/* Pairs by kernel in the order of their first launch, then `from`, then `to`; *n of them, in arena a. */
const struct clock_pair *clocks_pairs(const struct clocks *c, unsigned *n, struct arena *a);
void clocks_print(FILE *f, const struct clocks *c);
/* docs/run.schema.json, "clocks"; a new reference, NULL if out of memory */
json_t *clocks_json(const struct clocks *c);

/* ---- texts of instructions ---- */
/* of a kernel */
struct trace_text {
	const struct kernel *k;
	const char *kernel;                 /* its name */
	const char **name, **text, **where; /* by row: mnemonic, all of it, place in the source */
	const struct trace_text *next;
};
/* Of an instruction; all metadata before the kernel have one. */
static inline uint32_t trace_row(const struct kernel *k, uint32_t insn)
{
	return INSN_IS_METADATA(insn) ? k->ninsn : insn;
}
/* Those of k, from the list or added to it in arena a. json: quotes, backslashes and control characters are escaped;
 * else control characters become spaces. */
const struct trace_text *trace_text(const struct trace_text **list, const struct kernel *k, bool json, struct arena *a);

#endif
