/* Several configurations beside each other, timed by one execution (run.h): how they are written, and how what they measured is
 * shown. What sm-model compare does. */
#ifndef REGLOOM_COMPARE_H
#define REGLOOM_COMPARE_H

#include "runtime-model/run.h"

struct config_list {
	const char *machine;            /* of configurations that name none */
	const char *const *set;         /* "name=value": changes to every machine */
	unsigned nset;
	unsigned n;
	struct run_config config[SIM_JOBS_MAX];
	const char *text[SIM_JOBS_MAX]; /* as config_list_add() takes it */
	unsigned swept;                 /* configurations before the first sweep; 0: none yet, or none before */
};

/* Adds the configuration TEXT: items separated by commas, in any order, each a preset, axis=value, machine=NAME, a parameter
 * NAME=VALUE as --set takes it, or name=LABEL. Without name=, the text is its name. False with a diagnostic: an unknown name,
 * a value out of range, a name that another one has, or too many. Memory in arena a. */
bool config_list_add(struct config_list *l, const char *text, struct arena *a, struct diag *d);
/* Adds each of "baseline,corf,issue=lrr,orf": a preset begins a configuration, axis=value belongs to the one before it. */
bool config_list_add_presets(struct config_list *l, const char *text, struct arena *a, struct diag *d);
/* Replaces every configuration by one for each value of "NAME=A,B,C", an axis or a parameter; an empty list counts as one that
 * changes nothing. Of two and more that were there before the first sweep each then stands beside the first of them with the same values; of one, beside the
 * first of all. */
bool config_list_sweep(struct config_list *l, const char *text, struct arena *a, struct diag *d);

struct metric_choice { unsigned n, *metric; bool main; };        /* positions as in stats.h; main: nobody chose */
/* "cycles,ipc"; NULL: the main ones. False with a diagnostic. */
bool metric_choice_parse(struct metric_choice *m, const char *text, struct arena *a, struct diag *d);
void metric_choice_all(struct metric_choice *m, struct arena *a);

/* For people: what ran, the verdict, and one table with ratios to the first configuration. Few metrics are its columns; many
 * are its rows. Where clocks differ, the main metrics have seconds before them, and cycles no ratio;
 * where instructions are reused, reuse_rate behind them, and sm_energy if a table of energies has it. */
void compare_print(FILE *out, const struct run *r, const struct metric_choice *m, bool per_kernel);      /* and a table for each kernel */
/* For people: the parts of the energy of SMs and GPU, percent of the first configuration's. */
void compare_print_energy(FILE *out, const struct run *r);
/* The same parts in uJ, and those of the register file: docs/detail.schema.json, "energy". A new reference. */
json_t *compare_energy_json(const struct stats *st, const struct params *p);
/* docs/compare.schema.json. A new reference; NULL if out of memory. */
json_t *compare_json(const struct run *r);
/* A line of names, then a line for each configuration, per_kernel: and behind it one for each kernel; text quoted as RFC 4180 says, numbers exact. */
bool compare_write_csv(const struct run *r, const struct metric_choice *m, bool per_kernel, const char *path, struct arena *a, struct diag *d);

#endif
