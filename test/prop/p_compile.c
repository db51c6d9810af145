/* Lowering, scheduling and allocation keep what a kernel does: random kernels run as parsed and as compiled at several
 * register limits leave the same bytes in memory, also with every dead register overwritten with garbage.
 *
 *   p_compile [SEEDS [FIRST]]      p_compile --show SEED      prints the kernel of a seed */
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "test/prop/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct config {
	const char *name;
	unsigned maxreg;
	bool machine;
	enum schedule schedule;
	bool poison;
};

static const struct config config[] = {
	{ "as parsed", 0, false, SCHEDULE_NONE, false }, /* the reference for the others */
	{ "as parsed, poisoned", 0, false, SCHEDULE_NONE, true },
	{ "63 registers", 63, true, SCHEDULE_LATENCY, false },
	{ "63 registers, poisoned", 63, true, SCHEDULE_LATENCY, true },
	{ "63 registers, not scheduled", 63, true, SCHEDULE_NONE, false },
	{ "63 registers, scheduled for an ORF", 63, true, SCHEDULE_ORF, true },
	{ "16 registers, scheduled for an ORF", 16, true, SCHEDULE_ORF, false },
	{ "32 registers", 32, true, SCHEDULE_LATENCY, false },
	{ "32 registers, not scheduled, poisoned", 32, true, SCHEDULE_NONE, true },
	{ "16 registers", 16, true, SCHEDULE_LATENCY, false },
	{ "16 registers, poisoned", 16, true, SCHEDULE_LATENCY, true },
	{ "16 registers, not scheduled", 16, true, SCHEDULE_NONE, false },
};
enum { CONFIGS = sizeof config / sizeof *config };

struct result {
	unsigned char *out;
	size_t bytes;
	uint64_t warp_insns;
	bool spilled;
};

/* Executes one form of the kernel. False with the reason in d. */
static bool execute(const char *ptx, const struct config *c, uint64_t seed, const struct gen_options *o,
		    struct result *r, struct arena *a, struct diag *d)
{
	struct source src = { "random.ptx", ptx, strlen(ptx) };
	struct module *m = ptx_parse(&src, a, d);
	struct pass_ctx cx;
	struct engine_options eo = { .poison = c->poison, .poison_seed = seed, .max_insns = GEN_INSNS_MAX };
	struct engine_counts n;
	bool ok = false;

	if (!m || m->nkernel != 1)
		return false;
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = c->maxreg ? c->maxreg : cx.opt.maxreg;
	cx.opt.schedule = c->schedule;
	cx.opt.check = true;
	if (c->machine ? !pass_compile(m->kernel[0], &cx) : !pass_need(m->kernel[0], FACT_ALL, &cx))
		goto done;
	if (!ir_verify(m->kernel[0], d))
		goto done;
	if (c->machine && m->kernel[0]->res.regs > c->maxreg) {
		diag_error_plain(d, NULL, "uses %u registers of %u", m->kernel[0]->res.regs, c->maxreg);
		goto done;
	}
	r->spilled = m->kernel[0]->res.spill_stores != 0;
	r->bytes = gen_out_bytes(o);
	ok = gen_execute(m, NULL, seed, o, &eo, a, &r->out, &n, d);
	r->warp_insns = ok ? n.warp_insns : 0;
done:
	pass_ctx_free(&cx);
	return ok;
}

struct totals {
	uint64_t warp_insns;
	unsigned spilled[CONFIGS], kernels;
};

static void report_difference(FILE *f, const struct result *want, const struct result *got)
{
	unsigned shown = 0;

	for (size_t i = 0; i < want->bytes && shown < 6; i += 4) {
		uint32_t w, x;

		memcpy(&w, want->out + i, 4);
		memcpy(&x, got->out + i, 4);
		if (w == x)
			continue;
		if (i < GEN_SHARED_BYTES)
			fprintf(f, "  counter byte %zu: 0x%08x, should be 0x%08x\n", i, x, w);
		else
			fprintf(f, "  thread %zu byte %zu: 0x%08x, should be 0x%08x\n",
				(i - GEN_SHARED_BYTES) / GEN_SLOT_BYTES, (i - GEN_SHARED_BYTES) % GEN_SLOT_BYTES, x, w);
		shown++;
	}
}

/* One kernel in all forms; report: where differences go, or NULL. Returns the first form that fails, CONFIGS if
 * none. */
static unsigned try(uint64_t seed, const struct gen_options *o, FILE *report, struct totals *t)
{
	struct arena a;
	struct diag d;
	struct result want = { 0 };
	unsigned c;

	arena_init(&a);
	diag_init(&d, NULL);
	for (c = 0; c < CONFIGS; c++) {
		const char *ptx = gen_kernel(seed, o, &a);
		struct result r = { 0 };

		if (!execute(ptx, &config[c], seed, o, &r, &a, &d)) {
			if (report)
				fprintf(report, "p_compile: seed %llu, %s: %s", (unsigned long long)seed,
					config[c].name, d.last ? d.last : "failed\n");
			break;
		}
		if (c == 0)
			want = r;
		if (memcmp(want.out, r.out, want.bytes) != 0) {
			if (report) {
				fprintf(report, "p_compile: seed %llu, %s: memory differs\n", (unsigned long long)seed,
					config[c].name);
				report_difference(report, &want, &r);
			}
			break;
		}
		if (t) {
			t->warp_insns += r.warp_insns;
			t->spilled[c] += r.spilled;
		}
	}
	diag_free(&d);
	arena_free(&a);
	return c;
}

/* Fewer statements of the same seed are a prefix of the same kernel: the fewest that still fail are easiest to read. */
static void shrink(uint64_t seed, struct gen_options *o)
{
	for (unsigned step = o->statements / 2; step; step = step > 1 ? (step + 1) / 2 : 0)
		while (o->statements > step) {
			struct gen_options smaller = *o;

			smaller.statements -= step;
			if (try(seed, &smaller, NULL, NULL) == CONFIGS)
				break;
			*o = smaller;
		}
}

static void save(uint64_t seed, const struct gen_options *o)
{
	struct arena a;
	char path[64];
	FILE *f;

	if (mkdir("build", 0777) != 0 && errno != EEXIST)
		return;
	snprintf(path, sizeof path, "build/p_compile-%llu.ptx", (unsigned long long)seed);
	f = fopen(path, "w");
	if (!f)
		return;
	arena_init(&a);
	fprintf(f, "// seed %llu: grid %u, block %u, n %u\n%s", (unsigned long long)seed, o->grid, o->block, o->n,
		gen_kernel(seed, o, &a));
	fclose(f);
	arena_free(&a);
	printf("p_compile: the kernel is in %s\n", path);
}

static void show(uint64_t seed)
{
	struct gen_options o;
	struct arena a;

	arena_init(&a);
	gen_options_random(&o, seed);
	fputs(gen_kernel(seed, &o, &a), stdout);
	arena_free(&a);
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 300, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct totals t = { 0 };
	unsigned failed = 0;

	/* what failed is seen even if the next kernel crashes */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2 && strcmp(argv[1], "--show") == 0) {
		show(first);
		return 0;
	}
	for (uint64_t s = first; s < first + seeds && failed < 5; s++) {
		struct gen_options o;

		gen_options_random(&o, s);
		if (try(s, &o, stdout, &t) != CONFIGS) {
			shrink(s, &o);
			try(s, &o, stdout, NULL);
			save(s, &o);
			failed++;
		}
		t.kernels++;
	}
	printf("p_compile: %u kernels in %u forms, %llu warp instructions, %u spilled at 16 registers and %u at 32; %u "
	       "failed\n",
	       t.kernels, (unsigned)CONFIGS, (unsigned long long)t.warp_insns, t.spilled[7], t.spilled[5], failed);
	if (!failed && seeds >= 50 && !t.spilled[7]) {
		printf("p_compile: no kernel spilled, so spilling was not tested\n");
		return 1;
	}
	return failed != 0;
}
