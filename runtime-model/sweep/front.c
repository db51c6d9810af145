/* Points become units: those of one object and launch file that may share an execution. What fails in company is tried
 * again alone, so that one bad point costs the others nothing; what fails alone is tried again as often as the file
 * says. */
#include "runtime-model/sweep/front.h"
#include "analyzer/base/outfile.h"
#include "runtime-model/sweep/process.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- progress ---- */
static double since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

void front_progress(struct front *f)
{
	double t = since(&f->began), rate = t > 0 ? f->done / t : 0, left = rate > 0 ? (f->todo - f->done) / rate : 0;

	double per = 1;
	const char *unit = "s";

	if (!f->terminal || f->quiet || since(&f->drawn) < 0.2)
		return;
	if (left >= 100) {
		per = left < 6000 ? 60 : 3600;
		unit = left < 6000 ? "min" : "h";
	}
	clock_gettime(CLOCK_MONOTONIC, &f->drawn);
	fprintf(stderr, "\r%u of %u points", f->done, f->todo);
	if (f->done)
		fprintf(stderr, ", %.*f a second, %.0f %s left", rate < 10 ? 2 : 0, rate, left / per, unit);
	fputs("\033[K", stderr);
	fflush(stderr);
	f->shown = true;
}

static void wipe(struct front *f)
{
	if (f->shown)
		fputs("\r\033[K", stderr);
	f->shown = false;
}

/* ---- what became of a unit ---- */
int front_shell_status(int code) { return code > 128 && code < 192 ? code - 128 : (code & 0xff) << 8; }

/* The first error in a unit's messages, or how its process ended. */
static const char *why_failed(struct front *f, const struct unit *u, int status)
{
	char *text;
	size_t n;

	if (status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM && f->w->timeout)
		return arena_printf(f->a, "it took more than %u s", f->w->timeout);
	if (status >= 0 && WIFSIGNALED(status))
		return arena_printf(f->a, "killed by signal %d", WTERMSIG(status));
	text = process_slurp(arena_printf(f->a, "%s.err", u->base), &n, f->a);
	if (text && strstr(text, "error: ")) {
		struct diag said = { .last = text };

		return sweep_reason(&said, f->a);
	}
	if (status < 0)
		return "it ended, and nobody knows how";
	return arena_printf(f->a, "exit status %d without a message", WEXITSTATUS(status));
}

static bool add_rows(struct front *f, const char *path)
{
	struct arena scratch;
	unsigned taken;
	size_t n;
	char *text;
	bool ok = true;

	arena_init(&scratch);
	text = process_slurp(path, &n, &scratch);
	if (text && n)
		ok = journal_add(f->j, text, n, &taken, f->d);
	f->broken |= !ok;
	if (ok)
		unlink(path);
	arena_free(&scratch);
	return ok;
}

static bool add_failure(struct front *f, unsigned point)
{
	json_t *o = result_refused(f->p->point[point].id, "failed", f->why[point]);
	char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
	unsigned taken;
	bool ok;

	json_decref(o);
	if (!text)
		return !(f->broken = true);
	ok = journal_add(f->j, arena_printf(f->a, "%s\n", text), strlen(text) + 1, &taken, f->d);
	sweep_free_text(text);
	f->broken |= !ok;
	return ok;
}

static void clean(struct front *f, const struct unit *u)
{
	static const char *const kind[] = { "unit", "rows", "err", "exit" };

	for (unsigned i = 0; i < sizeof kind / sizeof *kind; i++)
		unlink(arena_printf(f->a, "%s.%s", u->base, kind[i]));
}

void front_ended(struct front *f, struct unit *u, int status)
{
	const char *why = NULL;

	u->ended = true;
	if (!add_rows(f, arena_printf(f->a, "%s.rows", u->base)))
		return;
	for (unsigned i = 0; i < u->n; i++) {
		const unsigned point = u->point[i];

		if (journal_done(f->j, point)) {
			f->done++;
			continue;
		}
		why = why ? why : why_failed(f, u, status);
		f->why[point] = why;
		if (u->n > 1)
			continue;
		if (++f->tries[point] <= f->w->retry)
			continue;
		f->done++;
		if (!add_failure(f, point))
			return;
		wipe(f);
		fprintf(stderr, "sm-model: point %u failed: %s\n", point + 1, why);
	}
	clean(f, u);
	front_progress(f);
}

/* ---- units ---- */
static bool to_do(const struct front *f, unsigned i)
{
	return f->p->point[i].first == i && !journal_done(f->j, i) && f->tries[i] <= f->w->retry;
}

/* The first point of a name may lie outside of what was asked for: the name is what is timed. */
static bool *wanted(const struct front *f)
{
	bool *want = new_array(f->a, bool, f->p->n);

	for (unsigned i = f->from; i < f->to; i++)
		want[f->p->point[i].first] = true;
	return want;
}

/* Points in [from, to) to be timed, each name once. */
static unsigned count_todo(const struct front *f)
{
	const bool *want = wanted(f);
	unsigned n = 0;

	for (unsigned i = 0; i < f->p->n; i++)
		n += want[i] && f->p->point[i].first == i && !journal_done(f->j, i);
	return n;
}

static bool together(const struct sweep_point *x, const struct sweep_point *y)
{
	return x->kernel == y->kernel && x->launch == y->launch && x->variant == y->variant && x->window == y->window;
}

static const char *absolute(const char *path, struct arena *a)
{
	char *full = realpath(path, NULL);
	const char *r = full ? arena_printf(a, "%s", full) : path;

	free(full);
	return r;
}

static bool write_unit(struct front *f, const struct unit *u)
{
	const struct sweep *w = f->w;
	const struct sweep_point *p = &f->p->point[u->point[0]];
	const struct sweep_kernel *k = &w->kernel[p->kernel];
	const unsigned limit = w->timeout && w->timeout < UINT32_MAX / u->n ? w->timeout * u->n : 0;
	json_t *o, *points = json_array();
	struct outfile out;

	for (unsigned i = 0; i < u->n; i++)
		json_array_append_new(points, json_pack("{s:s, s:s}", "id", f->p->point[u->point[i]].id, "config",
							point_config(w, &f->p->point[u->point[i]], f->a)));
	o = json_pack("{s:s, s:s, s:I, s:I, s:I, s:b, s:i, s:i, s:o}", "object", absolute(k->object, f->a), "launch",
		      absolute(k->launch[p->launch].path, f->a), "max_insns", (json_int_t)w->options.max_insns,
		      "max_cycles", (json_int_t)w->options.max_cycles, "sample", (json_int_t)w->options.sample,
		      "checked", w->options.checked, "threads", f->engine == ENGINE_SLURM ? 0 : 1, "timeout",
		      (int)limit, "points", points);
	if (!outfile_open(&out, arena_printf(f->a, "%s.unit", u->base), f->a, f->d)) {
		json_decref(o);
		return false;
	}
	json_dumpf(o, out.f, 0);
	json_decref(o);
	return outfile_commit(&out);
}

/* Those that are left, alone if a round has gone before. */
static struct unit *make_units(struct front *f, unsigned round, unsigned *n)
{
	struct unit *unit = new_array(f->a, struct unit, f->todo + 1), *u = NULL;
	const bool *want = wanted(f);

	*n = 0;
	for (unsigned i = 0; i < f->p->n; i++) {
		if (!want[i] || !to_do(f, i))
			continue;
		if (!u || round || u->n == f->w->together || !together(&f->p->point[u->point[0]], &f->p->point[i])) {
			u = &unit[(*n)++];
			*u = (struct unit){ .point = new_array(f->a, unsigned, round ? 1 : f->w->together),
					    .base = arena_printf(f->a, "%s/%s-%u-%u", f->folder, f->name, round, *n) };
		}
		u->point[u->n++] = i;
	}
	return unit;
}

static bool run_round(struct front *f, struct unit *u, unsigned n)
{
	static bool (*const run[ENGINES])(struct front *, struct unit *, unsigned) = { local_run, slurm_run,
										       parallel_run };

	for (unsigned i = 0; i < n; i++)
		if (!write_unit(f, &u[i]))
			return false;
	return run[f->engine](f, u, n);
}

/* ---- the folder ---- */
/* An object that was made of a source for a sweep before this one. */
static bool is_old_object(const struct front *f, const char *path)
{
	for (unsigned i = 0; i < f->w->nkernel; i++)
		if (strcmp(f->w->kernel[i].object, path) == 0)
			return false;
	return strncmp(loc_base_name(path), "object-", 7) == 0;
}

/* Rows that units of a sweep before this one have left, once it was killed; and the rest of them goes. */
static bool take_leftovers(struct front *f)
{
	DIR *dir = opendir(f->folder);
	struct dirent *e;
	bool ok = true;

	while (dir && ok && (e = readdir(dir))) {
		const char *dot = strrchr(e->d_name, '.'), *path;
		int end = 0;

		sscanf(e->d_name, "u%*[0-9a-f]-%n", &end);
		if (!dot)
			continue;
		path = arena_printf(f->a, "%s/%s", f->folder, e->d_name);
		if (!end && !is_old_object(f, path))
			continue;
		ok = strcmp(dot, ".rows") != 0 || add_rows(f, path);
		if (ok)
			unlink(path);
	}
	if (dir)
		closedir(dir);
	return ok;
}

const char *front_quote(const char *word, struct arena *a)
{
	char *q = new_array(a, char, 4 * strlen(word) + 3), *end = q;

	*end++ = '\'';
	for (; *word; word++)
		end = *word == '\'' ? stpcpy(end, "'\\''") : (*end = *word, end + 1);
	*end = '\'';
	return q;
}

bool front_script(struct front *f, const char *path, const struct unit *u, const char *head)
{
	const char *base = arena_strndup(f->a, u->base, (size_t)(strrchr(u->base, '-') + 1 - u->base));
	struct outfile out;

	if (!outfile_open(&out, path, f->a, f->d))
		return false;
	fprintf(out.f,
		"#!/bin/sh\n%sunit=%s$1\n%s sweep --unit \"$unit\" %s 2> \"$unit.err\"\n"
		"echo $? > \"$unit.exit.new\" && mv \"$unit.exit.new\" \"$unit.exit\"\n",
		head, front_quote(base, f->a), front_quote(process_program(NULL, f->a), f->a),
		f->memory ? f->memory : "");
	return outfile_commit(&out);
}

void front_look(struct front *f, struct unit *u)
{
	struct arena scratch;
	size_t n;
	char *text;

	arena_init(&scratch);
	text = process_slurp(arena_printf(&scratch, "%s.exit", u->base), &n, &scratch);
	if (text)
		front_ended(f, u, front_shell_status(atoi(text)));
	arena_free(&scratch);
}

bool front_run(struct front *f)
{
	bool ok = true;
	unsigned n;

	f->tries = new_array(f->a, unsigned, f->p->n);
	f->why = new_array(f->a, const char *, f->p->n);
	clock_gettime(CLOCK_MONOTONIC, &f->began);
	if (mkdir(f->folder, 0777) != 0 && errno != EEXIST)
		return diag_error_plain(f->d, f->folder, "cannot make the folder: %s", strerror(errno));
	f->folder = absolute(f->folder, f->a);
	f->name = arena_printf(f->a, "u%" PRIx64 "%x", (uint64_t)time(NULL), (unsigned)getpid());
	slurm_forget(f, f->engine == ENGINE_SLURM);
	if (!take_leftovers(f))
		return false;
	f->todo = count_todo(f);
	for (unsigned round = 0; ok && !front_stopped(f) && count_todo(f); round++) {
		struct unit *u = make_units(f, round, &n);

		if (!n)
			break; /* what is left has failed */
		ok = run_round(f, u, n);
		for (unsigned i = 0; i < n && !f->broken; i++)
			if (!u[i].ended && add_rows(f, arena_printf(f->a, "%s.rows", u[i].base)))
				clean(f, &u[i]);
	}
	wipe(f);
	outfile_sweep(f->folder); /* rows that units wrote when they were killed */
	rmdir(f->folder);         /* unless something is left */
	return ok && !front_stopped(f);
}
