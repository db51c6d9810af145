/* Signals that end a process, SIGINT, SIGTERM, SIGHUP and SIGQUIT: its temporary files and the program that it waits
 * for go first. */
#ifndef REGLOOM_SIGNALS_H
#define REGLOOM_SIGNALS_H

#include <spawn.h>
#include <stdbool.h>

/* From now on each ends the process, as if nobody had handled it. Whoever started the process may ignore some: they
 * stay ignored. */
void signals_end(void);
/* From now on the first of them only raises the flag that is returned, to its number, and the second ends the process;
 * so does SIGQUIT at once. ignored_too: SIGINT and SIGTERM count also if they were ignored. */
const volatile int *signals_ask(bool ignored_too);
/* posix_spawnp(), of a program that ends with the process; then it is waited for, one at a time. 0 with the status of
 * waitpid(), or an error number. */
int signals_spawn(const char *program, char *const argv[], const posix_spawn_file_actions_t *act, int *status);

#endif
