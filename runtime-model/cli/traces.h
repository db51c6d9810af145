/* What writes a run down, cycle by cycle: --trace, --pipeview, --clocks. */
#ifndef REGLOOM_CLI_TRACES_H
#define REGLOOM_CLI_TRACES_H

#include "runtime-model/cli/options.h"
#include "runtime-model/run/run.h"
#include "runtime-model/trace/trace.h"

#include "analyzer/base/outfile.h"

struct traces {
	struct chrome *chrome; /* each NULL: not asked for */
	struct kanata *kanata;
	struct clocks *clocks;
	struct records *records;
	struct outfile records_out;
	struct trace_window window;
	const char *trace, *pipeview; /* paths */
};

/* EXIT_FINE; EXIT_USAGE with a message. */
int traces_check(const struct options *args, const struct params *p);
/* Opens the files and puts the watchers into *list. False with a diagnostic; traces_close() all the same. */
bool traces_open(struct traces *t, const struct options *args, const struct gpu_probe **list, struct arena *a,
		 struct diag *d);
/* Writes the files; partial: as chrome_close(). False with a diagnostic. */
bool traces_close(struct traces *t, const char *partial);
/* Where the files are and what of `cycles` they hold; the clock report. */
void traces_print(FILE *out, const struct traces *t, uint64_t cycles);
/* Adds the clock report to the results of the run, which may be NULL: out of memory. */
json_t *traces_json(const struct traces *t, json_t *o);

#endif
