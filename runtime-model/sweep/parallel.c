/* By GNU parallel, here or over ssh on other hosts, which see the object, the launch file, OUT.d and this program at
 * the same paths. */
#include "runtime-model/sweep/front.h"
#include "runtime-model/sweep/process.h"

#include "analyzer/base/outfile.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Lines 1 .. n, which parallel hands out. */
static bool write_numbers(struct front *f, const char *path, unsigned n)
{
	struct outfile out;

	if (!outfile_open(&out, path, f->a, f->d))
		return false;
	for (unsigned i = 1; i <= n; i++)
		fprintf(out.f, "%u\n", i);
	return outfile_commit(&out);
}

static pid_t start(struct front *f, const char *script, const char *numbers, const char *messages)
{
	const struct process_io io = { .err = messages, .last = SIGTERM };
	char *argv[16], *hosts = arena_printf(f->a, "%s", f->w->nhost ? f->w->host[0] : "");
	unsigned n = 0;

	for (unsigned i = 1; i < f->w->nhost; i++)
		hosts = arena_printf(f->a, "%s,%s", hosts, f->w->host[i]);
	argv[n++] = arena_printf(f->a, "parallel");
	argv[n++] = arena_printf(f->a, "--plain");     /* no profile of the user's */
	argv[n++] = arena_printf(f->a, "--will-cite"); /* docs/SWEEP.md does */
	if (f->jobs)
		argv[n++] = arena_printf(f->a, "--jobs=%u", f->jobs);
	if (f->w->nhost) {
		argv[n++] = arena_printf(f->a, "--sshlogin");
		argv[n++] = hosts;
	}
	argv[n++] = arena_printf(f->a, "--arg-file");
	argv[n++] = arena_printf(f->a, "%s", numbers);
	argv[n++] = arena_printf(f->a, "sh %s {}", front_quote(script, f->a));
	argv[n] = NULL;
	return process_start(argv, &io, f->d);
}

/* The first asks it to wait for what runs, the second to end that. */
static void end(pid_t pid, bool at_once)
{
	const unsigned first = at_once ? 0 : 20;
	int status;

	for (unsigned i = 0; i < 50; i++) {
		if (i == first || i == first + 1)
			kill(pid, SIGTERM);
		if (process_next(0.2, &status) == pid)
			return;
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* What parallel said is what is known of a unit that says nothing. */
static void lose(struct front *f, struct unit *u, const char *messages)
{
	size_t n;
	char *text = process_slurp(messages, &n, f->a), *nl;
	FILE *out;

	while (text && strncmp(text, "parallel: Warning: ", 19) == 0 && (nl = strchr(text, '\n')))
		text = nl + 1;
	out = text && *text && access(arena_printf(f->a, "%s.err", u->base), F_OK) != 0
		      ? fopen(arena_printf(f->a, "%s.err", u->base), "w")
		      : NULL;

	if (out) {
		fprintf(out, "error: parallel: %.*s\n", (int)strcspn(text, "\n"), text);
		fclose(out);
	}
	front_ended(f, u, out ? front_shell_status(1) : -1);
}

bool parallel_run(struct front *f, struct unit *u, unsigned n)
{
	const char *script = arena_printf(f->a, "%s/%s-parallel.sh", f->folder, f->name),
		   *numbers = arena_printf(f->a, "%s/%s-parallel.list", f->folder, f->name);
	const char *messages = arena_printf(f->a, "%s/%s-parallel.err", f->folder, f->name);
	bool ok = front_script(f, script, u, "") && write_numbers(f, numbers, n);
	pid_t pid = ok ? start(f, script, numbers, messages) : -1;
	unsigned left = n, after = 0;
	int status;

	ok = pid > 0;
	while (ok && left && !front_stopped(f) && after < 5) {
		bool ended = process_next(0.2, &status) == pid;

		pid = ended ? 0 : pid;
		after += pid == 0; /* a shared folder may lag behind */
		left = 0;
		for (unsigned i = 0; i < n; i++) {
			if (!u[i].ended)
				front_look(f, &u[i]);
			left += !u[i].ended;
		}
		front_progress(f);
	}
	for (unsigned i = 0; i < n && ok && !front_stopped(f); i++)
		if (!u[i].ended)
			lose(f, &u[i], messages);
	if (pid > 0)
		end(pid, front_stopped(f));
	unlink(script);
	unlink(numbers);
	unlink(messages);
	return ok;
}
