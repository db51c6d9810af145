/* The commands of sm-model. Each gets the arguments after its name and returns an enum exit_code. */
#ifndef REGLOOM_CLI_COMMAND_H
#define REGLOOM_CLI_COMMAND_H

#include "runtime-model/cli/options.h"

int command_run(int argc, char **argv);
int command_list(int argc, char **argv);

#endif
