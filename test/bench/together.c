/* What is gained by timing on all cores, and by timing several configurations over one execution.
 *
 *   together EXAMPLES-DIR
 *
 * One configuration (the baseline) on one core and on all; eight (two schedulers, four numbers of banks) one by one on
 * one core, and compared. The bound on that is (records + 8 x timing) / cores, where records is the engine making them
 * for a reader that does nothing, and timing what each configuration takes alone beyond that. "time" is what passed,
 * "work" what all cores spent, both as parts of the bound: the first says what a user waits on this machine as busy as
 * it is, the second does not depend on who else is there. */
#include "test/bench/measure.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CONFIGS = 8 };

struct took {
	double wall, work;
};

static void best(struct took *t, double wall, double work)
{
	t->wall = wall < t->wall ? wall : t->wall;
	t->work = work < t->work ? work : t->work;
}

static double processor(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

/* In a process of its own, as a command would be: no run finds memory that another one has left. n == 0: records
 * alone. */
static void measure(struct example *x, const struct run_config *c, unsigned n, unsigned threads, struct took *t)
{
	struct run_options o = { .config = c, .nconfig = n, .have_anno = ANNO_ALL, .threads = threads };
	double wall = seconds(CLOCK_MONOTONIC);
	struct rusage use;
	uint64_t insns;
	struct run r;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (n ? !run_launches(&r, x->m, x->f, &o, &x->a, &x->d) : drain(x, 0, &insns) < 0)
			_exit(1);
		_exit(0);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		die("a run");
	best(t, seconds(CLOCK_MONOTONIC) - wall, processor(&use));
}

static void bench(const char *dir, const char *name, unsigned cores)
{
	static const char *const issue[] = { "issue=gto", "issue=lrr" };
	static const char *const banks[] = { "rf_banks=16", "rf_banks=8", "rf_banks=4", "rf_banks=2" };
	struct took alone[CONFIGS], spread = { 1e30, 1e30 }, together = spread, records = spread;
	double bound, sum = 0;
	struct run_config config[CONFIGS];
	struct params params[CONFIGS];
	struct example x;

	example_load(&x, dir, name);
	for (unsigned i = 0; i < CONFIGS; i++) {
		alone[i] = (struct took){ 1e30, 1e30 };
		config[i] = (struct run_config){ .name = arena_printf(&x.a, "%u", i), .params = &params[i] };
		if (!params_machine(&params[i], "gtx480", &x.d) || !params_set(&params[i], banks[i / 2], &x.d) ||
		    !rf_config_parse(&config[i].rf, issue[i % 2], &params[i], &x.d))
			die(name);
	}
	for (int round = 0; round < ROUNDS; round++) {
		measure(&x, NULL, 0, 0, &records);
		measure(&x, config, 1, 0, &spread);
		for (unsigned i = 0; i < CONFIGS; i++)
			measure(&x, &config[i], 1, 1, &alone[i]);
		measure(&x, config, CONFIGS, 0, &together);
	}
	for (unsigned i = 0; i < CONFIGS; i++)
		sum += alone[i].work;
	bound = sum - (CONFIGS - 1) * records.work;
	printf("%-10s %8.1f ms %8.1f ms %7.2f   %9.1f ms %9.1f ms %7.2f   %9.1f ms %6.2f %6.2f\n", name,
	       alone[0].wall * 1e3, spread.wall * 1e3, alone[0].wall / spread.wall, sum * 1e3, together.wall * 1e3,
	       sum / together.wall, bound / cores * 1e3, together.wall / (bound / cores), together.work / bound);
	fflush(stdout);
	example_free(&x);
}

int main(int argc, char **argv)
{
	static const char *const name[] = { "saxpy", "sgemm", "reduction", "bfs", "hotspot", "histogram", "nbody" };
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (argc != 2) {
		fprintf(stderr, "usage: together EXAMPLES-DIR\n");
		return 2;
	}
	printf("               one configuration                 eight, gto and lrr with 16, 8, 4, 2 banks\n"
	       "kernel          1 core   %3ld cores    gain      one by one     compared    gain    the bound   time   "
	       "work\n",
	       cores);
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
		bench(argv[1], name[i], (unsigned)cores);
	return 0;
}
