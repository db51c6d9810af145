/* Configurations that a command line names, for the commands that run several of them. */
#ifndef REGLOOM_CLI_COMPARE_H
#define REGLOOM_CLI_COMPARE_H

#include "runtime-model/cli/options.h"
#include "runtime-model/run/compare.h"

/* Those of --rf, --config and --sweep, on --machine with --set. least: so many are wanted; if that is 1, none means the
 * baseline. False with a diagnostic. */
bool compare_configure(const struct options *args, struct config_list *l, unsigned least, struct arena *a,
		       struct diag *d);
/* Notes: parameters that were changed for nothing; costs that a table of energies lacks, annotations for another
 * machine, races. */
void compare_note_idle(const struct config_list *l, struct arena *a);
void compare_note_run(const struct run *r, struct arena *a);

#endif
