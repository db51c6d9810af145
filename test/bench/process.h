/* A command, run and measured. */
#ifndef REGLOOM_TEST_PROCESS_H
#define REGLOOM_TEST_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs argv, its output in file OUT, for LIMIT seconds at most (0: as long as it takes). False if it failed; *stopped:
 * it took longer. */
static inline bool process_run(char *const argv[], const char *out, unsigned limit, struct rusage *use, bool *stopped)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		alarm(limit);
		if (freopen(out, "w", stdout))
			execvp(argv[0], argv);
		_exit(127);
	}
	*stopped = false;
	if (pid < 0 || wait4(pid, &status, 0, use) != pid)
		return false;
	*stopped = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
	return *stopped || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static inline double process_peak_bytes(const struct rusage *use) { return (double)use->ru_maxrss * 1024; }

#endif
