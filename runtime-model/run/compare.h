/* Several configurations beside each other, timed by one execution (run.h): how they are written, and how what they
 * measured is shown. What sm-model compare does. */
#ifndef REGLOOM_COMPARE_H
#define REGLOOM_COMPARE_H

#include "runtime-model/config/config_list.h"
#include "runtime-model/run/run.h"

/* positions as in stats.h; main: nobody chose */
struct metric_choice {
	unsigned n, *metric;
	bool main;
};
/* "cycles,ipc"; NULL: the main ones. False with a diagnostic. */
bool metric_choice_parse(struct metric_choice *m, const char *text, struct arena *a, struct diag *d);
void metric_choice_all(struct metric_choice *m, struct arena *a);

/* For people: what ran, the verdict, and one table with ratios to the first configuration. Few metrics are its columns;
 * many are its rows. Where clocks differ, the main metrics have seconds before them, and cycles no ratio; where
 * instructions are reused, reuse_rate behind them, and sm_energy if a table of energies has it. */
/* and a table for each kernel */
void compare_print(FILE *out, const struct run *r, const struct metric_choice *m, bool per_kernel);
/* For people: the parts of the energy of SMs and GPU, percent of the first configuration's. */
void compare_print_energy(FILE *out, const struct run *r);
/* The same parts in uJ, and those of the register file: docs/detail.schema.json, "energy". A new reference. */
json_t *compare_energy_json(const struct stats *st, const struct params *p);
/* docs/compare.schema.json. A new reference; NULL if out of memory. */
json_t *compare_json(const struct run *r);
/* A line of names, then a line for each configuration, per_kernel: and behind it one for each kernel; text quoted as
 * RFC 4180 says, numbers exact. */
bool compare_write_csv(const struct run *r, const struct metric_choice *m, bool per_kernel, const char *path,
		       struct arena *a, struct diag *d);

#endif
