/* Execution without any timing, as CUDA programs have it that are only to run: the canonical order, and CTAs in any
 * order on one and several threads, beside the reference program in plain C. Seconds are wall-clock time, the best of
 * several rounds.
 *
 *   functional EXAMPLES-DIR REFERENCE-DIR [THREADS] */
#include "test/bench/measure.h"

static double plain_seconds(const char *dir, const char *name)
{
	char command[512];
	double s = 0;
	FILE *p;

	snprintf(command, sizeof command, "%s/%s --time 20", dir, name);
	p = popen(command, "r");
	if (!p || fscanf(p, "%lf", &s) != 1)
		s = 0;
	if (p)
		pclose(p);
	return s;
}

/* All launches; seconds inside the engine. *ordered: launches that go in the canonical order. */
static double execute(struct example *x, unsigned threads, uint64_t *insns, unsigned *ordered)
{
	struct device *dev = device_new(&x->d);
	struct launch_cursor c = { 0 };
	double took = 0;

	*insns = *ordered = 0;
	if (!device_load(dev, x->m) || !launch_prepare(x->f, dev, &x->a, &x->d))
		die("preparing");
	while (launch_advance(x->f, dev, &c, &x->d) == LAUNCH_RUN) {
		const struct launch_spec *s = &x->f->launch[c.launch];
		struct launch l = { .m = x->m,
				    .k = module_find_kernel(x->m, s->kernel),
				    .dynamic_shared = s->shared_bytes };
		struct engine_options o = { .threads = threads };
		struct engine *e;
		double from;

		l.param_bytes = launch_param_bytes(l.k);
		l.params = arena_alloc(&x->a, l.param_bytes + 1, 8);
		memcpy(l.grid, s->grid, sizeof l.grid);
		memcpy(l.block, s->block, sizeof l.block);
		if (!launch_params(x->f, c.launch, c.round, l.k, (void *)(uintptr_t)l.params, &x->d))
			die("parameters");
		from = seconds(CLOCK_MONOTONIC);
		e = engine_new(dev, &l, &o, &x->d);
		if (!e || !engine_run(e))
			die("engine");
		*ordered += engine_ordered(e) != NULL;
		*insns += engine_counts(e)->warp_insns;
		engine_free(e);
		took += seconds(CLOCK_MONOTONIC) - from;
	}
	device_free(dev);
	return took;
}

int main(int argc, char **argv)
{
	static const char *const name[] = { "saxpy",   "sgemm",     "reduction", "stencil",
					    "hotspot", "histogram", "nbody",     "conv" };
	unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : 2;

	if (argc < 3 || threads < 1) {
		fprintf(stderr, "usage: functional EXAMPLES-DIR REFERENCE-DIR [THREADS]\n");
		return 2;
	}
	puts("                          million warp instructions/s          slowdown against plain C -O2");
	printf("functional  executed   ordered  1 thread  %2u threads   ordered  1 thread  %2u threads\n", threads,
	       threads);
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
		double best[3] = { 1e30, 1e30, 1e30 }, plain = plain_seconds(argv[2], name[i]);
		unsigned ordered = 0;
		uint64_t insns = 0;
		struct example x;

		example_load(&x, argv[1], name[i]);
		for (int round = 0; round < ROUNDS; round++)
			for (unsigned way = 0; way < 3; way++) {
				double took = execute(&x, way < 2 ? way : threads, &insns, &ordered);

				best[way] = took < best[way] ? took : best[way];
			}
		printf("%-10s %9llu  %8.2f  %8.2f    %8.2f  %8.1f  %8.1f    %8.1f%s\n", name[i],
		       (unsigned long long)insns, (double)insns / best[0] / 1e6, (double)insns / best[1] / 1e6,
		       (double)insns / best[2] / 1e6, best[0] / plain, best[1] / plain, best[2] / plain,
		       ordered ? "  (some kernels in the canonical order)" : "");
		fflush(stdout);
		example_free(&x);
	}
	return 0;
}
