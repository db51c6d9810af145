/* On a cluster under Slurm: a job array, whose tasks are units. Needs sbatch, squeue and scancel here, and a folder
 * that all nodes see at the same path, with the object, the launch file, OUT.d and this program. A task says by
 * UNIT.exit how it ended; one that is in no queue and has said nothing is lost: its node died, or somebody cancelled
 * it. */
#include "runtime-model/sweep/front.h"
#include "runtime-model/sweep/process.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* below MaxArraySize, which is 1001 unless a site says otherwise */
enum { ARRAY_MAX = 1000 };
#define ASK_SECONDS 3 /* between two questions to the controller */
#define LOST_AFTER 2  /* questions in a row that know nothing of a task: a shared folder may lag behind */

/* its task i, from 1, is unit first + i - 1 */
struct array {
	char *job;
	unsigned first, n;
};

static char *jobs_file(const struct front *f) { return arena_printf(f->a, "%s/slurm.jobs", f->folder); }

static void cancel(struct front *f, char *job)
{
	char name[] = "scancel", quiet[] = "--quiet", *argv[] = { name, quiet, job, NULL }, *out;
	struct diag silent;

	diag_init(&silent, NULL);
	process_run(argv, NULL, &out, NULL, f->a, &silent);
	diag_free(&silent);
}

void slurm_forget(struct front *f, bool cancels)
{
	size_t n;
	char *text = cancels ? process_slurp(jobs_file(f), &n, f->a) : NULL, *at = NULL;

	for (char *job = text ? strtok_r(text, "\n", &at) : NULL; job; job = strtok_r(NULL, "\n", &at))
		if (*job && strspn(job, "0123456789") == strlen(job)) /* an option is no job */
			cancel(f, job);
	unlink(jobs_file(f));
}

static bool submit(struct front *f, const struct unit *u, struct array *x)
{
	const struct sweep *w = f->w;
	char **argv = new_array(f->a, char *, w->nslurm + 16), *out,
	     *script = arena_printf(f->a, "%s/%s-slurm-%u.sh", f->folder, f->name, x->first);
	unsigned n = 0;
	int status;
	FILE *jobs;

	if (!front_script(f, script, u, arena_printf(f->a, "set -- $((SLURM_ARRAY_TASK_ID + %u))\n", x->first)))
		return false;
	argv[n++] = arena_printf(f->a, "sbatch");
	argv[n++] = arena_printf(f->a, "--parsable");
	argv[n++] = f->jobs ? arena_printf(f->a, "--array=1-%u%%%u", x->n, f->jobs)
			    : arena_printf(f->a, "--array=1-%u", x->n);
	argv[n++] = arena_printf(f->a, "--job-name=regloom-%s", loc_base_name(w->out));
	argv[n++] = arena_printf(f->a, "--output=/dev/null");
	argv[n++] = arena_printf(f->a, "--chdir=%s", f->folder);
	for (unsigned i = 0; i < w->nslurm; i++)
		argv[n++] = arena_printf(f->a, "%s", w->slurm[i]);
	argv[n++] = script;
	status = process_run(argv, NULL, &out, NULL, f->a, f->d);
	unlink(script); /* sbatch keeps its own */
	if (status < 0)
		return false;
	if (status || *out < '0' || *out > '9')
		return diag_error_plain(f->d, NULL, "sbatch: %s",
					*out ? arena_strndup(f->a, out, strcspn(out, "\n")) : "no job id");
	x->job = arena_strndup(f->a, out, strspn(out, "0123456789")); /* of a cluster: ID;NAME */
	jobs = fopen(jobs_file(f), "a");
	if (jobs) {
		fprintf(jobs, "%s\n", x->job);
		fclose(jobs);
	}
	return true;
}

/* Marks the tasks that squeue names. False: it does not know, as the controller is away. */
static bool ask(struct front *f, const struct array *x, bool *queued)
{
	char name[] = "squeue", *out, *at = NULL;
	char *argv[] = { name,
			 arena_printf(f->a, "--noheader"),
			 arena_printf(f->a, "--array"),
			 arena_printf(f->a, "--jobs=%s", x->job),
			 arena_printf(f->a, "--format=%%K"),
			 NULL };
	struct diag silent;
	int status;

	diag_init(&silent, NULL);
	status = process_run(argv, NULL, &out, NULL, f->a, &silent);
	diag_free(&silent);
	if (status)
		/* it has forgotten a job that ended long ago */
		return status > 0 && strstr(out, "Invalid job id") != NULL;
	for (char *line = strtok_r(out, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		unsigned long task = strtoul(line, NULL, 10);

		if (task >= 1 && task <= x->n)
			queued[x->first + task - 1] = true;
	}
	return true;
}

static unsigned count_left(const struct unit *u, const struct array *x)
{
	unsigned left = 0;

	for (unsigned i = x->first; i < x->first + x->n; i++)
		left += !u[i].ended;
	return left;
}

bool slurm_run(struct front *f, struct unit *u, unsigned n)
{
	const unsigned arrays = (n + ARRAY_MAX - 1) / ARRAY_MAX;
	struct array *x = new_array(f->a, struct array, arrays);
	unsigned *missed = new_array(f->a, unsigned, n), left = n, submitted = 0;
	bool *queued = new_array(f->a, bool, n), ok = true;
	time_t asked = time(NULL);

	for (; submitted < arrays && ok; submitted += ok) {
		x[submitted] = (struct array){ .first = submitted * ARRAY_MAX,
					       .n = n - submitted * ARRAY_MAX < ARRAY_MAX ? n - submitted * ARRAY_MAX
											  : ARRAY_MAX };
		ok = submit(f, u, &x[submitted]);
	}
	while (ok && left && !front_stopped(f)) {
		int status;
		bool question = time(NULL) - asked >= ASK_SECONDS;

		for (unsigned i = 0; i < n; i++)
			if (!u[i].ended)
				front_look(f, &u[i]);
		left = 0;
		for (unsigned i = 0; i < arrays; i++) {
			const unsigned mine = count_left(u, &x[i]);

			left += mine;
			if (!question || !mine)
				continue;
			memset(queued + x[i].first, 0, x[i].n * sizeof *queued);
			asked = time(NULL);
			if (!ask(f, &x[i], queued))
				continue;
			for (unsigned t = x[i].first; t < x[i].first + x[i].n; t++) {
				missed[t] = queued[t] ? 0 : missed[t] + 1;
				if (!u[t].ended && missed[t] >= LOST_AFTER)
					front_ended(f, &u[t], -1);
			}
		}
		front_progress(f);
		if (left)
			process_next(0.2, &status);
	}
	for (unsigned i = 0; i < submitted; i++)
		if (count_left(u, &x[i]))
			cancel(f, x[i].job);
	unlink(jobs_file(f));
	return ok;
}
