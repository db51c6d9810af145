/* The integer program in a process of its own, which ends with the time: what the solver's libraries print, leak, do with
 * signals, or crash on does not reach the caller, and sides and bounds that it has found by then are there. */
#include "ilp.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_SECONDS 1.0       /* for a solver that looks at the clock too rarely */

static void child(const struct sgraph *s, double seconds, struct progress *p)
{
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	ilp_solve(s, seconds, p);
	_exit(0);
}

/* True: the child has closed its end of the pipe; false: the time is over. */
static bool wait_for(int fd, double seconds)
{
	struct timespec start, now;
	double over = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (over < seconds) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		double ms = (seconds - over) * 1000 + 1;

		if (poll(&p, 1, ms < 1e6 ? (int)ms : 1000000) > 0)
			return true;
		clock_gettime(CLOCK_MONOTONIC, &now);
		over = (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9;
	}
	return false;
}

/* What the solver has found, if it is right about it. */
static void take(const struct sgraph *s, const struct progress *p, uint8_t *side, uint64_t *bound, uint64_t *cycles)
{
	const uint8_t *found = p->side + (size_t)(__atomic_load_n(&p->current, __ATOMIC_ACQUIRE) & 1) * s->g.n;
	uint64_t lost = sides_loss(s, side);

	if (sides_loss(s, found) < lost) {
		memcpy(side, found, s->g.n);
		lost = sides_loss(s, side);
	}
	*bound = p->bound < lost ? p->bound : lost;
	*cycles += p->cycles;
}

bool sides_exact(const struct sgraph *s, double seconds, struct arena *a, uint8_t *side, uint64_t *bound, uint64_t *cycles, const char **why)
{
	size_t bytes = sizeof(struct progress) + (size_t)s->g.n * 2;
	struct progress *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd[2], status = 0;
	bool ended;
	pid_t pid;

	if (p == MAP_FAILED || pipe2(fd, O_CLOEXEC) != 0) {
		*why = arena_printf(a, "the solver cannot be started: %s", strerror(errno));
		if (p != MAP_FAILED)
			munmap(p, bytes);
		return false;
	}
	memcpy(p->side, side, s->g.n);
	p->lost = sides_loss(s, side);
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		child(s, seconds, p);
	}
	*why = pid < 0 ? arena_printf(a, "the solver cannot be started: %s", strerror(errno)) : NULL;
	close(fd[1]);
	if (pid > 0) {
		ended = wait_for(fd[0], seconds + GRACE_SECONDS);
		if (!ended)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (p->state == FAILED)
			*why = arena_printf(a, "%.*s", (int)sizeof p->why, p->why);
		else if (ended && p->state == RUNNING)
			*why = WIFSIGNALED(status) ? arena_printf(a, "the solver died of signal %d", WTERMSIG(status)) : "the solver ended without an answer";
	}
	close(fd[0]);
	if (!*why)
		take(s, p, side, bound, cycles);
	munmap(p, bytes);
	return !*why;
}
