/* On this machine: as many units at once as there are processors, each a process. */
#include "analyzer/base/pool.h"
#include "runtime-model/sweep/front.h"
#include "runtime-model/sweep/process.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

struct slot {
	pid_t pid;
	struct unit *u;
};

static bool start(struct front *f, struct slot *s, struct unit *u)
{
	const struct process_io io = { .err = arena_printf(f->a, "%s.err", u->base) };
	char *argv[] = { arena_printf(f->a, "%s", process_program(NULL, f->a)),
			 arena_printf(f->a, "sweep"),
			 arena_printf(f->a, "--unit"),
			 u->base,
			 f->memory ? arena_printf(f->a, "%s", f->memory) : NULL,
			 NULL };

	*s = (struct slot){ process_start(argv, &io, f->d), u };
	return s->pid > 0;
}

bool local_run(struct front *f, struct unit *u, unsigned n)
{
	const unsigned jobs = f->jobs ? f->jobs : pool_cores();
	struct slot *slot = new_array(f->a, struct slot, jobs);
	unsigned next = 0, running = 0;
	bool ok = true;

	while (!front_stopped(f) && ok && (running || next < n)) {
		int status;
		pid_t pid;

		for (unsigned i = 0; i < jobs && ok && next < n; i++)
			if (!slot[i].pid) {
				ok = start(f, &slot[i], &u[next]);
				next += ok;
				running += ok;
				slot[i].pid = ok ? slot[i].pid : 0;
			}
		pid = process_next(0.2, &status);
		for (unsigned i = 0; i < jobs && pid; i++)
			if (slot[i].pid == pid) {
				slot[i].pid = 0;
				running--;
				front_ended(f, slot[i].u, status);
			}
		front_progress(f);
	}
	for (unsigned i = 0; i < jobs; i++)
		if (slot[i].pid) {
			kill(slot[i].pid, SIGKILL);
			while (waitpid(slot[i].pid, NULL, 0) < 0 && errno == EINTR)
				;
		}
	return ok;
}
