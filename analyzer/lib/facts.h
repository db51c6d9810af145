/* What the user says about a launch and a run, for the estimates of block frequencies. */
#ifndef REGLOOM_FACTS_OPTIONS_H
#define REGLOOM_FACTS_OPTIONS_H

#include "analyzer/ir/ir.h"
#include "passes/freq.h"

enum { FACTS_PARAM_MAX = 64 };

/* "16", "16,16", "16,16,4": sizes that are not given are 1. max: of each, and of the product if not 0. */
bool facts_sizes(const char *text, const uint32_t max[3], uint64_t product, uint32_t out[3]);
/* "n=1000", "n=0x20", "n=-1". The name is kept in arena a. */
bool facts_param(const char *text, struct launch_param *p, struct arena *a);
/* Each parameter exists in one of the kernels, is an integer there, and holds the value. False with a diagnostic. */
bool facts_check(const struct launch_facts *f, const struct module *m, struct diag *d);

/* Reads a profile that sm-model wrote (docs/profile.schema.json). NULL with a diagnostic. */
struct profile *profile_read(const char *path, struct arena *a, struct diag *d);

#endif
