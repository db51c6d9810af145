/* The commands of sm-model. Each gets the arguments after its name and returns an enum exit_code. */
#ifndef REGLOOM_CLI_COMMAND_H
#define REGLOOM_CLI_COMMAND_H

#include "runtime-model/cli/options.h"
#include "analyzer/ir/ir.h"
#include "runtime-model/launch/launch.h"

int command_run(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_usage(int argc, char **argv);
int command_values(int argc, char **argv);
int command_report(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_list(int argc, char **argv);

/* files.c */
/* The kernels that f launches: of an object, of a cubin, or of a cubin in what holds several. NULL with a diagnostic,
 * and a hint for the likeliest mistake. */
struct module *object_read(const struct options *args, struct launch_file *f, struct arena *a, struct diag *d);
/* said before a long run, not after it */
bool can_write(const char *path, struct arena *a, struct diag *d);

#endif
