#include "signals.h"
#include "outfile.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A handler gets no argument, and has nothing else to write to. */
static volatile sig_atomic_t asked;
static _Atomic pid_t child;
_Static_assert(sizeof asked == sizeof(int), "a stop flag is an int");

/* The process ends as by a signal that nobody handles, when the handler returns. */
static void on_last_signal(int s)
{
	const pid_t pid = atomic_load(&child);

	outfile_abandon();
	if (pid > 0)
		kill(pid, SIGKILL);
	signal(s, SIG_DFL);
	raise(s);
}

/* Two signals at once may be handled by two threads: one of them is the first. */
static void on_signal(int s)
{
	sig_atomic_t none = 0;

	if (!__atomic_compare_exchange_n(&asked, &none, s, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		on_last_signal(s);
}

static void handle(int s, void (*handler)(int), bool ignored_too)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	sigemptyset(&a.sa_mask);
	if (sigaction(s, NULL, &old) == 0 && (ignored_too || old.sa_handler != SIG_IGN))
		sigaction(s, &a, NULL);
}

void signals_end(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		handle(all[i], on_last_signal, false);
}

const volatile int *signals_ask(bool ignored_too)
{
	handle(SIGINT, on_signal, ignored_too);
	handle(SIGTERM, on_signal, ignored_too);
	handle(SIGHUP, on_signal, false);
	handle(SIGQUIT, on_last_signal, false);
	return &asked;
}

int signals_spawn(const char *program, char *const argv[], const posix_spawn_file_actions_t *act, int *status)
{
	posix_spawnattr_t attr;
	sigset_t all, before;
	pid_t pid;
	int error = posix_spawnattr_init(&attr);

	if (error)
		return error;
	/* No signal comes between its start and the moment from which on it is known. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	posix_spawnattr_setsigmask(&attr, &before);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawnp(&pid, program, act, &attr, argv, environ);
	atomic_store(&child, error ? 0 : pid);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	posix_spawnattr_destroy(&attr);
	while (!error && waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			error = errno;
	atomic_store(&child, 0);
	return error;
}
