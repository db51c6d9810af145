/* sm-model sweep: every combination that a file names. */
#include "runtime-model/cli/command.h"
#include "analyzer/base/near.h"
#include "analyzer/base/pool.h"
#include "analyzer/base/signals.h"
#include "runtime-model/sweep/front.h"
#include "runtime-model/sweep/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const engine_name[ENGINES] = {
	[ENGINE_LOCAL] = "local", [ENGINE_SLURM] = "slurm", [ENGINE_PARALLEL] = "parallel"
};

struct sweep_args {
	struct options o;
	unsigned engine, jobs, from, to;
};

/* ---- arguments ---- */
static bool take_engine(struct options *o, const char *text, uint64_t *number)
{
	(void)o;
	*number = name_find(engine_name, ENGINES, text);
	return *number != ENGINES;
}

static bool point_number(const char *text, unsigned *out, char **end)
{
	unsigned long v;

	errno = 0;
	v = strtoul(text, end, 10);
	*out = (unsigned)v;
	return *text >= '0' && *text <= '9' && errno == 0 && v >= 1 && v <= 1000000;
}

/* The first point is in the upper half of the number, the last one in the lower. */
static bool take_points(struct options *o, const char *text, uint64_t *number)
{
	unsigned from, to;
	char *end;

	(void)o;
	if (!point_number(text, &from, &end))
		return false;
	to = from;
	if (*end && (*end != '-' || !point_number(end + 1, &to, &end) || *end || to < from))
		return false;
	*number = (uint64_t)from << 32 | to;
	return true;
}

static bool take_some(struct options *o, const char *text, uint64_t *number)
{
	(void)o;
	(void)number;
	return *text;
}

enum sweep_option {
#define OPTION(id, ...) SWEEP_##id,
#include "runtime-model/cli/sweep.def"
#undef OPTION
	SWEEP_COUNT
};
static const struct option_row row[SWEEP_COUNT] = {
#define OPTION(id, ...) [SWEEP_##id] = OPTION_ROW(__VA_ARGS__),
#include "runtime-model/cli/sweep.def"
#undef OPTION
};
static const struct option_table table = {
	.row = row,
	.n = SWEEP_COUNT,
	.style = OPTIONS_WRITTEN | OPTIONS_ONCE_FIRST | OPTIONS_NO_DASHES,
	.column = 18,
	.meant = ", did you mean --%s",
};

static void help_sweep(void)
{
	puts("usage: sm-model sweep FILE [options]\n\n"
	     "Times every combination of the kernels, launches, machines, register files and values of parameters that "
	     "a file names, and writes\n"
	     "a row for each: OUT.csv and OUT.jsonl. What is finished is in OUT.journal: the same command goes on "
	     "where it stopped, and after a\n"
	     "change of an object, a launch file, a parameter or this program times again only what that changes.\n");
	options_help(stdout, &table, 0);
	puts("\na file:\n"
	     "  kernels:\n"
	     "    - {source: examples/sgemm/sgemm.ptx, launch: examples/sgemm/sgemm.yaml}\n"
	     "    - {object: build/bfs.rlo, launch: examples/bfs/bfs.yaml}\n"
	     "  rf: [baseline, corf++]\n"
	     "  set: {rf_banks: [4, 8, 16], collectors_sp: {from: 2, to: 6, step: 2}}\n"
	     "  metrics: [cycles, ipc, rf_bank_conflicts]\n\n"
	     "docs/SWEEP.md explains every key, and what clusters need.\n\n"
	     "exit status: 0 every point is timed, or refused by the model; 1 wrong input, a point failed or stopped "
	     "at a "
	     "limit, or an\n"
	     "expectation failed; 2 wrong usage; 4 out of memory; 128 and the number of a signal: stopped by it");
}

static int parse(struct sweep_args *x, int argc, char **argv, struct arena *a)
{
	struct options *o = &x->o;
	const char *wrong;

	*x = (struct sweep_args){
		.o = { .table = &table, .inputs = 1, .more = "one file at a time: unexpected '%s'", .a = a }
	};
	wrong = options_parse(o, argc, argv);
	if (wrong)
		return usage("sweep", "%s", wrong);
	x->engine = (unsigned)o->number[SWEEP_ENGINE];
	x->jobs = (unsigned)o->number[SWEEP_JOBS];
	x->from = (unsigned)(o->number[SWEEP_POINTS] >> 32);
	x->to = (unsigned)o->number[SWEEP_POINTS];
	if (!o->ninput && !o->given[SWEEP_HELP] && !o->given[SWEEP_UNIT])
		return usage("sweep", "%s", "which file? one that names kernels, configurations and values");
	if (o->given[SWEEP_HOSTS] && x->engine != ENGINE_PARALLEL)
		return usage("sweep", "%s", "--hosts belongs to --engine=parallel");
	return EXIT_FINE;
}

static void take_hosts(struct sweep *w, const char *list, struct arena *a)
{
	w->host = new_array(a, const char *, strlen(list));
	for (w->nhost = 0; *list; list += strspn(list, ",")) {
		size_t n = strcspn(list, ",");

		if (n)
			w->host[w->nhost++] = arena_strndup(a, list, n);
		list += n;
	}
}

/* ---- what is known ---- */
static const char *state_of(const struct sweep_point *p, const struct journal_entry *e)
{
	if (p->refused)
		return "refused";
	if (!e || !e->known)
		return "to do";
	return e->failed ? "failed" : "finished";
}

/* j may be NULL: there is no journal. */
static void list_points(const struct sweep *w, const struct points *p, const struct journal *j, unsigned from,
			unsigned to)
{
	unsigned known = 0, refused = 0;

	for (unsigned i = from; i < to; i++) {
		const struct sweep_point *x = &p->point[i];
		const struct journal_entry *e = j ? &j->entry[x->first] : NULL;

		printf("%6u  %-8s  %s %s %s %s", i + 1, state_of(x, e), w->kernel[x->kernel].name,
		       w->kernel[x->kernel].launch[x->launch].name, w->machine[x->machine].text, w->rf[x->rf].text);
		for (unsigned s = 0; s < w->nset; s++)
			printf(" %s=%s", w->set[s].name, w->set[s].value[x->value[s]]);
		if (x->refused)
			printf("  (%s)", x->refused);
		else if (x->first != i)
			printf("  (as point %u)", x->first + 1);
		putchar('\n');
		refused += x->refused != NULL;
		known += !x->refused && e && e->known && !e->failed;
	}
	printf("%u points: %u finished, %u refused, %u to do", to - from, known, refused, to - from - known - refused);
	if (p->excluded)
		printf("; %u more are excluded", p->excluded);
	putchar('\n');
}

static unsigned unknown(const struct points *p, const struct journal *j)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++)
		n += !p->point[i].refused && !j->entry[p->point[i].first].known;
	return n;
}

static bool any_failed(const struct points *p, const struct journal *j)
{
	for (unsigned i = 0; i < p->n; i++)
		if (j->entry[i].known && j->entry[i].failed)
			return true;
	return false;
}

static void summary(const struct sweep *w, const struct points *p, const struct row_counts *n, const struct front *f)
{
	unsigned names = 0;

	printf("%u points: %u timed", p->n, n->done + n->stopped);
	if (n->stopped)
		printf(" (%u stopped at a limit)", n->stopped);
	if (n->refused)
		printf(", %u refused by the model", n->refused);
	if (n->failed)
		printf(", %u failed", n->failed);
	if (n->wrong)
		printf("; in %u an expectation failed", n->wrong);
	for (unsigned i = 0; i < p->n; i++)
		names += !p->point[i].refused && p->point[i].first == i;
	printf("; %u run now, %u known before\n%s.csv, %s.jsonl\n", f->done, names - f->todo, w->out, w->out);
}

/* What is timed at once on a machine shares its memory. */
static const char *memory_of_unit(const struct sweep_args *x, struct arena *a)
{
	const unsigned all = x->engine == ENGINE_LOCAL ? pool_cores() : 1, jobs = x->jobs ? x->jobs : all;

	if (!x->o.given[SWEEP_MEMORY] && x->engine != ENGINE_LOCAL)
		return NULL;
	return arena_printf(a, "--max-memory=%llu", (unsigned long long)((ram_limited() / jobs + (1 << 20) - 1) >> 20));
}

/* ---- the two ways to be started ---- */
static int sweep_all(const struct sweep_args *x, struct sweep *w, const struct points *p, struct journal *j,
		     struct arena *a, struct diag *d)
{
	struct front f = { .w = w,
			   .p = p,
			   .j = j,
			   .engine = (enum front_engine)x->engine,
			   .jobs = x->jobs,
			   .memory = memory_of_unit(x, a),
			   .from = x->o.given[SWEEP_POINTS] ? x->from - 1 : 0,
			   .to = x->o.given[SWEEP_POINTS] ? x->to : p->n,
			   .folder = arena_printf(a, "%s.d", w->out),
			   .quiet = x->o.given[SWEEP_QUIET] != 0,
			   .terminal = isatty(STDERR_FILENO) == 1,
			   .stop = w->stop,
			   .a = a,
			   .d = d };
	struct row_counts n = { 0 };
	int code = EXIT_INPUT;
	unsigned left;

	if (!journal_load(j, p, a, d))
		return EXIT_INPUT;
	front_run(&f);
	left = unknown(p, j);
	if (*w->stop) {
		fprintf(stderr, "sm-model: stopped with %u of %u points to do; the same command goes on\n", left, p->n);
		code = EXIT_SIGNAL + *w->stop;
	} else if (!diag_failed(d) && left) {
		if (!f.quiet)
			printf("%u of %u points are to do; %s.csv and %s.jsonl are written when all are done\n", left,
			       p->n, w->out, w->out);
		code = any_failed(p, j) ? EXIT_INPUT : EXIT_FINE;
	} else if (!diag_failed(d) && rows_write(w, p, j, &n, a, d)) {
		if (!f.quiet)
			summary(w, p, &n, &f);
		if (n.unknown)
			fprintf(stderr,
				"sm-model: note: energies of %u of %u points are not known, 'reason' says why; the "
				"first: %s\n",
				n.unknown, p->n, n.missing);
		code = n.failed || n.wrong || n.stopped ? EXIT_INPUT : EXIT_FINE;
	}
	return code;
}

static int dry_run(const struct sweep_args *x, const struct sweep *w, const struct points *p, struct arena *a,
		   struct diag *d)
{
	const char *path = arena_printf(a, "%s.journal", w->out);
	const unsigned from = x->o.given[SWEEP_POINTS] ? x->from - 1 : 0, to = x->o.given[SWEEP_POINTS] ? x->to : p->n;
	struct journal j;
	bool ok;

	if (access(path, F_OK) != 0) {
		list_points(w, p, NULL, from, to);
		return EXIT_FINE;
	}
	if (!journal_open(&j, path, true, d))
		return EXIT_INPUT;
	ok = journal_load(&j, p, a, d);
	if (ok)
		list_points(w, p, &j, from, to);
	journal_close(&j);
	return ok ? EXIT_FINE : EXIT_INPUT;
}

/* Where objects of sources are made: in OUT.d. */
static bool choose_folder(struct sweep *w, struct arena *a, struct diag *d)
{
	char *made, *full;

	for (unsigned i = 0; i < w->nkernel && !w->objects; i++) {
		if (!w->kernel[i].source)
			continue;
		made = arena_printf(a, "%s.d", w->out);
		if (mkdir(made, 0777) != 0 && errno != EEXIST)
			return diag_error_plain(d, made, "cannot make the folder: %s", strerror(errno));
		full = realpath(made, NULL);
		w->objects = arena_printf(a, "%s", full ? full : made);
		free(full);
	}
	return true;
}

static void drop_objects(const struct sweep *w)
{
	for (unsigned i = 0; i < w->nkernel && w->objects; i++)
		if (w->kernel[i].source && w->kernel[i].object)
			unlink(w->kernel[i].object);
	if (w->objects)
		rmdir(w->objects);
}

static int sweep_file(const struct sweep_args *x, struct arena *a, struct diag *d)
{
	const bool dry = x->o.given[SWEEP_DRY] != 0;
	struct sweep *w = new(a, struct sweep);
	struct points *p = new(a, struct points);
	struct journal j = { 0 };
	int code = EXIT_INPUT;

	if (!sweep_read(w, x->o.input[0], a, d))
		return EXIT_INPUT;
	if (x->o.value[SWEEP_OUT]) {
		w->out = x->o.value[SWEEP_OUT];
		w->out_at.src = NULL;
	}
	if (x->o.value[SWEEP_HOSTS])
		take_hosts(w, x->o.value[SWEEP_HOSTS], a);
	if (x->o.value[SWEEP_HOSTS] || x->engine != ENGINE_PARALLEL)
		w->host_at.src = NULL;
	if (x->engine != ENGINE_SLURM)
		w->slurm_at.src = NULL;
	if (!x->o.given[SWEEP_TRUST] && !sweep_harmless(w, a, d))
		return EXIT_INPUT;
	/* Nothing is touched that another sweep may be at work on. */
	if (!dry && (!can_write(arena_printf(a, "%s.csv", w->out), a, d) ||
		     !can_write(arena_printf(a, "%s.jsonl", w->out), a, d) ||
		     !journal_open(&j, arena_printf(a, "%s.journal", w->out), false, d)))
		return EXIT_INPUT;
	w->stop = signals_ask(true);
	if ((dry || choose_folder(w, a, d)) && points_make(p, w, a, d)) {
		if (x->o.given[SWEEP_POINTS] && x->to > p->n)
			diag_error_plain(d, x->o.input[0], "there are %u points, not %u", p->n, x->to);
		else
			code = dry ? dry_run(x, w, p, a, d) : sweep_all(x, w, p, &j, a, d);
	} else if (*w->stop) {
		fprintf(stderr, "sm-model: stopped before the first point\n");
		code = EXIT_SIGNAL + *w->stop;
	}
	drop_objects(w);
	if (!dry)
		journal_close(&j);
	return code;
}

int command_sweep(int argc, char **argv)
{
	struct sweep_args x;
	struct arena a;
	struct diag d;
	int code;

	arena_init(&a);
	diag_init(&d, stderr);
	d.program = "sm-model";
	code = parse(&x, argc, argv, &a);
	if (code == EXIT_FINE && x.o.given[SWEEP_HELP])
		help_sweep();
	else if (code == EXIT_FINE && x.o.given[SWEEP_UNIT])
		code = work_run(x.o.value[SWEEP_UNIT], &a, &d);
	else if (code == EXIT_FINE)
		code = sweep_file(&x, &a, &d);
	diag_free(&d);
	arena_free(&a);
	return code;
}
