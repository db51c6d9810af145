/* A run as its user sees it while it goes on: progress on a terminal, and Ctrl-C. */
#ifndef REGLOOM_CLI_FOLLOW_H
#define REGLOOM_CLI_FOLLOW_H

#include "runtime-model/cli/options.h"
#include "runtime-model/run/run.h"

#include <time.h>

struct follow {
	struct timespec start, drawn, launch_start;
	uint64_t launches; /* begun, of all parts */
	enum run_part part;
	struct timespec part_start;
	bool terminal, shown;
};

/* Sets o's limits, its callback, if standard error is a terminal, and its stop flag: the first SIGINT or SIGTERM raises
 * that, the second ends the process and leaves no temporary file. One in a process. */
void follow_begin(struct follow *w, const struct options *args, struct run_options *o);
void follow_end(struct follow *w); /* wipes the line; from now on the first signal ends the process */
/* Says on standard error why a run stopped and where, if it did. What its command exits with, if nothing else is
 * wrong. */
int follow_verdict(const struct run *r, struct arena *a);
double follow_seconds(const struct follow *w); /* since it began */

#endif
