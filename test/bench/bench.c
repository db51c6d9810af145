/* Speed of every part, measured in one process so that the figures are comparable as ratios.
 *
 *   bench EXAMPLES-DIR REFERENCE-DIR
 *
 * annotate: PTX to checked object, instructions a second. engine: functional execution alone. records: the engine with
 * value signatures, read by one consumer that does nothing. model: the whole timed run, on one core. Each is processor
 * time, the best of several rounds; "plain C" is the reference program's own best time for the same computation. */
#include "test/bench/measure.h"

#include <unistd.h>

/* PTX of about n instructions: loops over arithmetic, loads and stores, one kernel for each 4,000 instructions. */
static char *big_ptx(unsigned n, struct arena *a, size_t *len)
{
	size_t cap = (size_t)n * 64 + 4096, at;
	char *t = new_array(a, char, cap);

	at = (size_t)snprintf(t, cap, ".version 7.0\n.target sm_50\n.address_size 64\n");
	for (unsigned k = 0; k * 4000 < n; k++) {
		at += (size_t)snprintf(t + at, cap - at,
				       ".visible .entry k%u(.param .u64 p)\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<40>;\n"
				       ".reg .b64 %%rd<4>;\nld.param.u64 %%rd1, [p];\nmov.u32 %%r0, %%tid.x;\n"
				       "mul.wide.u32 %%rd2, %%r0, 4;\nadd.s64 %%rd3, %%rd1, %%rd2;\n",
				       k);
		for (unsigned r = 1; r < 40; r++)
			at += (size_t)snprintf(t + at, cap - at, "add.s32 %%r%u, %%r0, %u;\n", r, r);
		for (unsigned i = 0; i < 4000 && k * 4000 + i < n; i++) {
			unsigned x = 1 + i * 7 % 39, y = 1 + i * 11 % 39, z = 1 + i * 5 % 39;

			if (i % 200 == 0)
				at += (size_t)snprintf(t + at, cap - at, "L%u:\n", i);
			if (i % 50 == 10)
				at += (size_t)snprintf(t + at, cap - at, "ld.global.u32 %%r%u, [%%rd3+%u];\n", x,
						       i % 64 * 4);
			else if (i % 50 == 40)
				at += (size_t)snprintf(t + at, cap - at, "st.global.u32 [%%rd3+%u], %%r%u;\n",
						       i % 64 * 4, x);
			else if (i % 200 == 199)
				at += (size_t)snprintf(t + at, cap - at,
						       "setp.lt.u32 %%p1, %%r%u, %u;\n@%%p1 bra L%u;\n", x, i, i - 199);
			else
				at += (size_t)snprintf(t + at, cap - at, "%s.s32 %%r%u, %%r%u, %%r%u;\n",
						       i % 3 ? "add" : "sub", x, y, z);
		}
		at += (size_t)snprintf(t + at, cap - at, "ret;\n}\n");
	}
	*len = at;
	return t;
}

static void bench_annotate(unsigned n)
{
	double best = 1e30;
	unsigned insns = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct arena a;
		struct diag d;
		struct pass_ctx cx;
		struct source s = { .name = "bench.ptx" };
		struct module *m;
		double from, took;

		arena_init(&a);
		diag_init(&d, stderr);
		pass_ctx_init(&cx, &d);
		s.text = big_ptx(n, &a, &s.len);
		from = now();
		m = ptx_parse(&s, &a, &d);
		if (!m)
			die("parsing");
		insns = 0;
		for (uint32_t k = 0; k < m->nkernel; k++) {
			insns += m->kernel[k]->ninsn;
			if (!pass_compile(m->kernel[k], &cx))
				die("compiling");
		}
		if (!rlo_write(m, "build/bench.rlo", &d))
			die("writing the object");
		took = now() - from;
		if (took < best)
			best = took;
		pass_ctx_free(&cx);
		diag_free(&d);
		arena_free(&a);
	}
	printf("annotate   %8u instructions   %10.0f instructions/s\n\n", insns, insns / best);
}

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

static void bench_run(const char *dir, const char *refs, const char *name)
{
	struct example x;
	struct params params;
	struct run_config config = { .name = "baseline", .params = &params };
	struct run_options o = { .config = &config, .have_anno = ANNO_ALL, .threads = 1 };
	double engine = 1e30, records = 1e30, model = 1e30, plain = plain_seconds(refs, name);
	uint64_t insns = 0, alone = 0;

	example_load(&x, dir, name);
	if (!params_machine(&params, "gtx480", &x.d) || !rf_config_parse(&config.rf, "baseline", &params, &x.d))
		die(name);
	for (int round = 0; round < ROUNDS; round++) {
		struct run r;
		double from = now(), took;

		o.nconfig = 0;
		if (!run_launches(&r, x.m, x.f, &o, &x.a, &x.d))
			die(name);
		took = now() - from;
		engine = took < engine ? took : engine;
		alone = r.counts.warp_insns; /* nobody reads it: CTAs run one by one, which a race can tell */
		run_free(&r);
		took = drain(&x, WANT_SIG, &insns);
		records = took < records ? took : records;
		from = now();
		o.nconfig = 1;
		if (!run_launches(&r, x.m, x.f, &o, &x.a, &x.d))
			die(name);
		took = now() - from;
		model = took < model ? took : model;
		if (r.timing[0].stats.warp_instructions != insns)
			die("records do not add up");
		run_free(&r);
	}
	printf("%-10s %9llu  %8.2f %8.2f %8.2f  %9.3f ms  %7.1f %7.1f %7.1f\n", name, (unsigned long long)insns,
	       (double)alone / engine / 1e6, (double)insns / records / 1e6, (double)insns / model / 1e6, plain * 1e3,
	       engine / plain, records / plain, model / plain);
	fflush(stdout);
	example_free(&x);
}

int main(int argc, char **argv)
{
	static const char *const name[] = { "saxpy", "sgemm", "reduction", "bfs", "hotspot", "histogram", "nbody" };

	if (argc != 3) {
		fprintf(stderr, "usage: bench EXAMPLES-DIR REFERENCE-DIR\n");
		return 2;
	}
	bench_annotate(100000);
	puts("                    million warp instructions/s     plain C       slowdown against plain C -O2");
	puts("kernel      executed   engine  records    model      1 core    engine records   model");
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
		bench_run(argv[1], argv[2], name[i]);
	unlink("build/bench.rlo");
	return 0;
}
