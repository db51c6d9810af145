/* What the options of ptx-annotate ask for. */
#ifndef REGLOOM_ANNOTATE_JOB_H
#define REGLOOM_ANNOTATE_JOB_H

#include "analyzer/cli/options.h"
#include "analyzer/lib/annotate.h"
#include "analyzer/lib/facts.h"
#include "runtime-model/core/params.h"

/* What the options say about a launch. */
struct known {
	struct arena a;
	struct params params;
	struct launch_facts launch;
	struct launch_param param[FACTS_PARAM_MAX];
};

/* Turns the options into a job; the output is the caller's. EXIT_FINE, or EXIT_USAGE with a message. */
int make_job(const struct options *x, struct annotate_job *job, struct known *known);
/* job->pass, and what is shown of it; likewise */
int make_passes(const struct options *x, struct annotate_job *job, struct known *known);
/* EXIT_USAGE: the object would have the name of a view */
int object_named(const struct options *x, const struct annotate_job *job, struct arena *a);
bool same_file(const char *a, const char *b);
int check(const struct options *x); /* --check: EXIT_FINE: all limits hold */
int diff(const struct options *x);  /* --diff: EXIT_FINE: nothing is worse */

#endif
