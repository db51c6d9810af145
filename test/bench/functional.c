/* Execution without any timing, as CUDA programs have it that are only to run: the canonical order, and CTAs in any
 * order on one and several threads, beside the reference program in plain C; and the machine code of cubins on one
 * thread, beside that of the PTX. Seconds are wall-clock time, the best of several rounds.
 *
 *   functional EXAMPLES-DIR REFERENCE-DIR CUBINS-DIR [THREADS] */
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
static double execute(struct example *x, struct module *m, unsigned threads, uint64_t *insns, unsigned *ordered)
{
	struct device *dev = device_new(&x->d);
	struct launch_cursor c = { 0 };
	double took = 0;

	*insns = *ordered = 0;
	if (!device_load(dev, m) || !launch_prepare(x->f, dev, &x->a, &x->d))
		die("preparing");
	while (launch_advance(x->f, dev, &c, &x->d) == LAUNCH_RUN) {
		const struct launch_spec *s = &x->f->launch[c.launch];
		struct launch l = { .m = m, .k = module_find_kernel(m, s->kernel), .dynamic_shared = s->shared_bytes };
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
	enum { ORDERED, ONE, SEVERAL, NATIVE, WAYS };
	unsigned threads = argc > 4 ? (unsigned)atoi(argv[4]) : 2;

	if (argc < 4 || threads < 1) {
		fprintf(stderr, "usage: functional EXAMPLES-DIR REFERENCE-DIR CUBINS-DIR [THREADS]\n");
		return 2;
	}
	puts("                          million warp instructions/s          slowdown against plain C -O2   machine "
	     "code, 1 thread");
	printf("functional  executed   ordered  1 thread  %2u threads   ordered  1 thread  %2u threads   executed   "
	       "M/s  to PTX\n",
	       threads, threads);
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
		double best[WAYS] = { 1e30, 1e30, 1e30, 1e30 }, plain = plain_seconds(argv[2], name[i]);
		unsigned ordered = 0;
		uint64_t insns = 0, native = 0;
		struct example x;
		struct module *cubin;

		example_load(&x, argv[1], name[i]);
		cubin = example_native(&x, arena_printf(&x.a, "%s/%s.cubin", argv[3], name[i]));
		for (int round = 0; round < ROUNDS; round++)
			for (unsigned way = 0; way < WAYS; way++) {
				const unsigned on[WAYS] = { 0, 1, threads, 1 };
				unsigned unused;
				double took =
					execute(&x, way == NATIVE ? cubin : x.m, on[way],
						way == NATIVE ? &native : &insns, way == NATIVE ? &unused : &ordered);

				best[way] = took < best[way] ? took : best[way];
			}
		printf("%-10s %9llu  %8.2f  %8.2f    %8.2f  %8.1f  %8.1f    %8.1f  %9llu  %6.2f  %6.2f%s\n", name[i],
		       (unsigned long long)insns, (double)insns / best[ORDERED] / 1e6, (double)insns / best[ONE] / 1e6,
		       (double)insns / best[SEVERAL] / 1e6, best[ORDERED] / plain, best[ONE] / plain,
		       best[SEVERAL] / plain, (unsigned long long)native, (double)native / best[NATIVE] / 1e6,
		       (double)native / best[NATIVE] / ((double)insns / best[ONE]),
		       ordered ? "  (some kernels in the canonical order)" : "");
		fflush(stdout);
		example_free(&x);
	}
	return 0;
}
