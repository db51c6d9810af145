/* Processes that a sweep starts: without a shell, in a process group of their own (Ctrl-C is the sweep's to hear), and
 * not longer than it. */
#ifndef REGLOOM_SWEEP_PROCESS_H
#define REGLOOM_SWEEP_PROCESS_H

#include "analyzer/base/diag.h"

#include <sys/types.h>

/* files, NULL: /dev/null; inherited if err is "-"; where it starts, NULL: here; last: the signal when the sweep dies */
struct process_io {
	const char *out, *err, *folder;
	int last;
};
/* The process argv[0], looked for in PATH if it has no '/'. -1 with a diagnostic. */
pid_t process_start(char *const *argv, const struct process_io *io, struct diag *d);
/* Waits at most so long for any process started here to end. Its id and status as waitpid(); 0: none has, or a signal
 * came. */
pid_t process_next(double seconds, int *status);
/* Runs one to its end, in `folder` if that is not NULL; both outputs in arena a if out is not NULL. Once *stop, if not
 * NULL, is set it is told to end. The status as waitpid(), -1 with a diagnostic. No other
 * process of process_start() runs. */
int process_run(char *const *argv, const char *folder, char **out, const volatile int *stop, struct arena *a,
		struct diag *d);
/* The folder of the running program, with a '/', and its path. */
const char *process_program(const char *name, struct arena *a);
/* All of a file, with a NUL behind it; NULL with errno. */
char *process_slurp(const char *path, size_t *n, struct arena *a);

#endif
