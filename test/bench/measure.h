/* What the benchmarks share: clocks, kernels of examples ready to run, the engine alone with its records. */
#ifndef REGLOOM_TEST_MEASURE_H
#define REGLOOM_TEST_MEASURE_H

#include "analyzer/cubin/cubin.h"
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "analyzer/sass/lift.h"
#include "passes/pass.h"
#include "runtime-model/run/run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* of which the best counts */
enum { ROUNDS = 3 };

static inline double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of one thread's work: processor time, which others on the machine disturb less. */
static inline double now(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

static inline void die(const char *what)
{
	fprintf(stderr, "bench: %s failed\n", what);
	exit(1);
}

struct example {
	struct arena a;
	struct diag d;
	struct module *m;
	struct launch_file *f;
};

/* DIR/NAME/NAME.ptx, compiled, and its launch file. */
/* Its kernels as the machine code of a cubin. */
static inline struct module *example_native(struct example *e, const char *path)
{
	struct source s;
	struct cubin *c;
	struct module *m;

	if (!source_read(&s, path, &e->a, &e->d) || !(c = cubin_read(&s, &e->a, &e->d)) ||
	    !(m = sass_lift(c, &e->a, &e->d)))
		die(path);
	return m;
}

static inline void example_load(struct example *e, const char *dir, const char *name)
{
	struct pass_ctx cx;
	struct source s;

	arena_init(&e->a);
	diag_init(&e->d, stderr);
	pass_ctx_init(&cx, &e->d);
	if (!source_read(&s, arena_printf(&e->a, "%s/%s/%s.ptx", dir, name, name), &e->a, &e->d) ||
	    !(e->m = ptx_parse(&s, &e->a, &e->d)))
		die(name);
	for (uint32_t k = 0; k < e->m->nkernel; k++)
		if (!pass_compile(e->m->kernel[k], &cx))
			die(name);
	e->f = launch_read(arena_printf(&e->a, "%s/%s/%s.yaml", dir, name, name), &e->a, &e->d);
	if (!e->f)
		die(name);
	pass_ctx_free(&cx);
}

static inline void example_free(struct example *e)
{
	diag_free(&e->d);
	arena_free(&e->a);
}

/* All launches through engine_next for one reader that does nothing; want: enum record_want. Returns seconds inside the
 * engine. */
static inline double drain(struct example *x, unsigned want, uint64_t *insns)
{
	struct device *dev = device_new(&x->d);
	struct launch_cursor c = { 0 };
	double took = 0;

	*insns = 0;
	if (!device_load(dev, x->m) || !launch_prepare(x->f, dev, &x->a, &x->d))
		die("preparing");
	while (launch_advance(x->f, dev, &c, &x->d) == LAUNCH_RUN) {
		const struct launch_spec *s = &x->f->launch[c.launch];
		struct launch l = { .m = x->m,
				    .k = module_find_kernel(x->m, s->kernel),
				    .dynamic_shared = s->shared_bytes };
		struct engine_options o = { .want = want, .consumers = 1 };
		struct record r;
		struct engine *e;
		double from;

		l.param_bytes = launch_param_bytes(l.k);
		l.params = arena_alloc(&x->a, l.param_bytes + 1, 8);
		memcpy(l.grid, s->grid, sizeof l.grid);
		memcpy(l.block, s->block, sizeof l.block);
		if (!launch_params(x->f, c.launch, c.round, l.k, (void *)(uintptr_t)l.params, &x->d))
			die("parameters");
		from = now();
		e = engine_new(dev, &l, &o, &x->d);
		if (!e)
			die("engine");
		for (uint64_t cta = 0; cta < engine_ctas(e); cta++)
			for (unsigned w = 0; w < engine_warps_per_cta(e); w++) {
				enum record_status st;

				while ((st = engine_next(e, 0, cta, w, &r)) == RECORD_OK)
					;
				if (st == RECORD_FAILED)
					die("records");
			}
		*insns += engine_counts(e)->warp_insns;
		engine_free(e);
		took += now() - from;
	}
	device_free(dev);
	return took;
}

#endif
