/* The commands of sm-model. Each gets the arguments after its name and returns an enum exit_code. */
#ifndef REGLOOM_CLI_COMMAND_H
#define REGLOOM_CLI_COMMAND_H

#include "runtime-model/cli/options.h"
#include "analyzer/ir/ir.h"

int command_run(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_usage(int argc, char **argv);
int command_values(int argc, char **argv);
int command_report(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_list(int argc, char **argv);

/* files.c */
/* rlo_read() of args->object, with a hint for the likeliest mistake */
struct module *object_read(const struct options *args, struct arena *a, struct diag *d);
/* said before a long run, not after it */
bool can_write(const char *path, struct arena *a, struct diag *d);

#endif
