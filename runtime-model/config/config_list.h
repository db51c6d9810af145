/* Several configurations beside each other, and how they are written. */
#ifndef REGLOOM_CONFIG_LIST_H
#define REGLOOM_CONFIG_LIST_H

#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/job.h"

/* a machine and its register file */
struct run_config {
	const char *name; /* for people; no two alike */
	const struct params *params;
	struct rf_config rf;
	unsigned beside; /* number of the configuration that ratios are to */
	/* its watchers, NULL: none; but those of the first configuration are run_options.probe */
	const struct gpu_probe *probe;
};

struct config_list {
	const char *machine;    /* of configurations that name none */
	const char *const *set; /* "name=value": changes to every machine */
	unsigned nset;
	unsigned n;
	struct run_config config[SIM_JOBS_MAX];
	const char *text[SIM_JOBS_MAX]; /* as config_list_add() takes it */
	bool input;                     /* what was wrong is a machine's file */
	unsigned swept;                 /* configurations before the first sweep; 0: none yet, or none before */
};

/* Adds the configuration TEXT: items separated by commas, in any order, each a preset, axis=value, machine=NAME, a
 * parameter NAME=VALUE as --set takes it, or name=LABEL. Without name=, the text is its name. False with a diagnostic:
 * an unknown name, a value out of range, a name that another one has, or too many. Memory in arena a. */
bool config_list_add(struct config_list *l, const char *text, struct arena *a, struct diag *d);
/* Adds each of "baseline,corf,issue=lrr,orf": a preset begins a configuration, axis=value belongs to the one before
 * it. */
bool config_list_add_presets(struct config_list *l, const char *text, struct arena *a, struct diag *d);
/* Replaces every configuration by one for each value of "NAME=A,B,C", an axis or a parameter; an empty list counts as
 * one that changes nothing. Of two and more that were there before the first sweep each then stands beside the first of
 * them with the same values; of one, beside the first of all. */
bool config_list_sweep(struct config_list *l, const char *text, struct arena *a, struct diag *d);
/* rf_config_idle() of configuration i; what is set for all need not be of use to each. */
const char *config_list_idle(const struct config_list *l, unsigned i, struct arena *a);

#endif
