/* A process that ends with the time, and memory that it shares with the one that waits for it. */
#include "solver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_SECONDS 1.0 /* for a solver that looks at the clock too rarely */

struct stopwatch stopwatch_start(double seconds)
{
	struct stopwatch w = { .seconds = seconds };

	clock_gettime(CLOCK_MONOTONIC, &w.start);
	return w;
}

double stopwatch_left(const struct stopwatch *w)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return w->seconds - (double)(now.tv_sec - w->start.tv_sec) - (double)(now.tv_nsec - w->start.tv_nsec) * 1e-9;
}

void *solver_share(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void solver_unshare(void *p, size_t bytes) { munmap(p, bytes); }

static void child(void (*work)(void *), void *job)
{
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	work(job);
	_exit(0);
}

/* True: the child has closed its end of the pipe; false: the time is over. */
static bool wait_for(int fd, double seconds)
{
	struct stopwatch w = stopwatch_start(seconds);
	double left;

	while ((left = stopwatch_left(&w)) > 0) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		double ms = left * 1000 + 1;

		if (poll(&p, 1, ms < 1e6 ? (int)ms : 1000000) > 0)
			return true;
	}
	return false;
}

const char *solver_run(void (*work)(void *job), void *job, double seconds, struct arena *a, bool *timed_out)
{
	int fd[2], status = 0;
	pid_t pid;

	*timed_out = false;
	if (pipe2(fd, O_CLOEXEC) != 0)
		return arena_printf(a, "the solver cannot be started: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		child(work, job);
	}
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return arena_printf(a, "the solver cannot be started: %s", strerror(errno));
	}
	*timed_out = !wait_for(fd[0], seconds + GRACE_SECONDS);
	if (*timed_out)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	close(fd[0]);
	return !*timed_out && WIFSIGNALED(status) ? arena_printf(a, "the solver died of signal %d", WTERMSIG(status))
						  : NULL;
}
