/* Calls keep what a program does, however they are made: random modules with random functions (scalars and structures
 * by value, frames, loops, direct, recursive and indirect calls) leave the same memory with functions inlined or
 * called, as linked or as compiled, also with dead registers overwritten, and on modelled machines with a register-file
 * hierarchy, where each operand that a level delivers is compared with the one executed.
 *
 *   p_call [SEEDS [FIRST]]      p_call --show SEED      prints the module of a seed */
#include "analyzer/base/rng.h"
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/orf.h"
#include "passes/pass.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/core/stats.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, STACK_BYTES = 32768, MAX_INSNS = 20000000, LEVELS_EVERY = 4 };

static const struct config {
	const char *name;
	unsigned inline_limit, maxreg;
	bool poison;
} config[] = {
	{ "as linked, inlined", INLINE_LIMIT, 0, false }, /* the reference for the others */
	{ "as linked, called", 0, 0, false },
	{ "as linked, called, poisoned", 0, 0, true },
	{ "as linked, some inlined", 120, 0, true },
	{ "63 registers, inlined", INLINE_LIMIT, 63, true },
	{ "63 registers, called", 0, 63, true },
	{ "16 registers, called", 0, 16, false },
	{ "16 registers, some inlined, poisoned", 120, 16, true },
};
enum { CONFIGS = sizeof config / sizeof *config };

/* Hierarchies under the compiled ones of these. */
static const struct level_row {
	const char *rf;
	unsigned form;
} level_row[] = {
	{ "baseline,issue=two-level,hierarchy=rfc2", 5 },
	{ "baseline,issue=two-level,hierarchy=rfc2", 7 },
	{ "baseline,issue=two-level,hierarchy=split-lrf+orf", 5 },
	{ "baseline,issue=two-level,hierarchy=split-lrf+orf", 6 },
	{ "baseline,issue=two-level,hierarchy=split-lrf+orf", 7 },
};
enum { LEVEL_ROWS = sizeof level_row / sizeof *level_row };

/* ---- modules ---- */
struct maker {
	FILE *f;
	uint64_t rng;
	unsigned functions, labels, function, depth;
};

static unsigned below(struct maker *g, unsigned n) { return rng_below(&g->rng, n); }

static void arithmetic(struct maker *g)
{
	static const char *const op[] = { "add.u32", "sub.u32", "mul.lo.u32", "xor.b32",
					  "and.b32", "or.b32",  "max.s32",    "min.u32" };

	const unsigned b = below(g, 6), a = below(g, 6), d = below(g, 6);

	fprintf(g->f, "\t%s %%x%u, %%x%u, %%x%u;\n", op[below(g, 8)], d, a, b);
}

/* A call of function n at depth %dd, its result into a variable. A structure of four words goes with it. */
static void call(struct maker *g, int n)
{
	unsigned id = g->labels++, a = below(g, 6), b = below(g, 6), mask = g->functions > 1;

	if (g->functions > 3)
		mask = 3;

	fprintf(g->f, "\t{\n\t.param .b32 p0; .param .b32 p1; .param .align 8 .b8 s[16]; .param .b32 q; .param .align "
		      "8 .b8 t[8]; .reg .b32 %%y<3>; .reg .b64 %%z<4>;\n");
	if (n < 0)
		fprintf(g->f,
			"\tand.b32 %%y0, %%x%u, %u; mul.wide.u32 %%z0, %%y0, 8; mov.u64 %%z1, vt; add.s64 %%z2, %%z1, "
			"%%z0; ld.global.u64 %%z3, [%%z2];\n",
			below(g, 6), mask);
	fprintf(g->f,
		"\tst.param.b32 [p0], %%x%u; st.param.b32 [p1], %%dd; st.param.v2.b32 [s], {%%x%u, %%x%u}; "
		"st.param.b32 [s+8], %%x%u; st.param.b32 [s+12], %%dd;\n",
		a, b, a, below(g, 6));
	if (n < 0)
		fprintf(g->f,
			"\tpr%u: .callprototype (.param .b32 _, .param .align 8 .b8 _[8]) _ (.param .b32 _, .param "
			".b32 _, .param .align 8 .b8 _[16]);\n"
			"\tcall (q, t), %%z3, (p0, p1, s), pr%u;\n",
			id, id);
	else
		fprintf(g->f, "\tcall.uni (q, t), f%d, (p0, p1, s);\n", n);
	fprintf(g->f, "\tld.param.b32 %%y1, [q]; ld.param.b32 %%y2, [t+4]; xor.b32 %%x%u, %%y1, %%y2;\n\t}\n",
		below(g, 6));
}

static void statements(struct maker *g, unsigned n);

static void statement(struct maker *g)
{
	unsigned id = g->labels++, d, a, b;

	switch (below(g, 12)) {
	case 0:
	case 1:
		if (g->depth < 3) {
			g->depth++;
			b = below(g, 6);
			a = below(g, 6);
			fprintf(g->f, "\tsetp.lt.u32 %%p1, %%x%u, %%x%u;\n\t@%%p1 bra L%u;\n", a, b, id);
			statements(g, 1 + below(g, 3));
			fprintf(g->f, "L%u:\n", id);
			g->depth--;
		}
		break;
	case 2:
		if (g->depth == 0) {
			g->depth += 3;
			fprintf(g->f, "\tmov.u32 %%i, 0;\nL%u:\n", id);
			statements(g, 1 + below(g, 2));
			fprintf(g->f, "\tadd.u32 %%i, %%i, 1;\n\tsetp.lt.u32 %%p2, %%i, %u;\n\t@%%p2 bra L%u;\n",
				2 + below(g, 2), id);
			g->depth -= 3;
		}
		break;
	case 3:
		a = below(g, 6);
		fprintf(g->f, "\tst.local.u32 [w+%u], %%x%u;\n", 4 * below(g, 4), a);
		break;
	case 4:
		a = 4 * below(g, 4);
		fprintf(g->f, "\tld.local.u32 %%x%u, [w+%u];\n", below(g, 6), a);
		break;
	case 5:
		b = below(g, 6);
		d = below(g, 6);
		a = below(g, 6);
		fprintf(g->f, "\tsetp.gt.s32 %%p3, %%x%u, %%x%u;\n\t@%%p3 add.u32 %%x%u, %%x%u, 7;\n", below(g, 6), a,
			d, b);
		break;
	default:
		arithmetic(g);
	}
}

static void statements(struct maker *g, unsigned n)
{
	while (n--)
		statement(g);
}

/* The calls of a body: lower functions at the same depth, any function one deeper. */
static void calls(struct maker *g)
{
	unsigned id = g->labels++;

	fprintf(g->f, "\tmov.u32 %%dd, %%depth;\n");
	if (g->function && below(g, 100) < 60)
		call(g, (int)below(g, g->function));
	fprintf(g->f, "\tsetp.eq.u32 %%p4, %%depth, 0;\n\t@%%p4 bra L%u;\n\tsub.u32 %%dd, %%depth, 1;\n", id);
	for (unsigned n = below(g, 3); n--;) {
		call(g, below(g, 100) < 40 ? -1 : (int)below(g, g->functions));
		statements(g, below(g, 3));
	}
	fprintf(g->f, "L%u:\n", id);
}

static const char header[] =
	"(.param .b32 r, .param .align 8 .b8 rs[8]) f%u(.param .b32 a, .param .b32 d, .param .align 8 .b8 s[16])";

static void function(struct maker *g, unsigned n)
{
	g->function = n;
	fprintf(g->f, ".func ");
	fprintf(g->f, header, n);
	fprintf(g->f,
		"\n{\n\t.local .align 8 .b32 w[4];\n\t.reg .b32 %%x<6>; .reg .b32 %%i; .reg .b32 %%depth; .reg .b32 "
		"%%dd; .reg .pred %%p<5>;\n"
		"\tld.param.b32 %%x0, [a]; ld.param.b32 %%depth, [d]; ld.param.v2.b32 {%%x1, %%x2}, [s]; ld.param.b32 "
		"%%x3, [s+8]; ld.param.b32 %%x4, [s+12];\n"
		"\tmov.u32 %%x5, %u; mov.u32 %%dd, 0; st.local.v2.u32 [w], {%%x0, %%x1}; st.local.v2.u32 [w+8], {%%x2, "
		"%%x3};\n",
		below(g, 1000));
	statements(g, 2 + below(g, 6));
	calls(g);
	statements(g, 1 + below(g, 5));
	fprintf(g->f, "\tld.local.u32 %%dd, [w+4]; add.u32 %%x1, %%x1, %%dd; st.param.b32 [r], %%x0; st.param.b32 "
		      "[rs+4], %%x1; st.param.b32 [rs], %%x2;\n"
		      "\tsetp.lt.u32 %%p1, %%x3, %%x4;\n\t@%%p1 ret;\n\tadd.u32 %%x0, %%x0, %%x5;\n\tst.param.b32 [r], "
		      "%%x0;\n\tret;\n}\n");
}

static char *module(uint64_t seed, struct arena *a)
{
	struct maker g = { .functions = 0 };
	char *text = NULL, *copy;
	size_t n;

	g.rng = mix64(seed);
	g.f = open_memstream(&text, &n);
	g.functions = 1 + below(&g, 4);
	fprintf(g.f, ".version 8.0\n.target sm_80\n.address_size 64\n");
	for (unsigned f = 0; f < g.functions; f++) {
		fprintf(g.f, ".func ");
		fprintf(g.f, header, f);
		fprintf(g.f, ";\n");
	}
	fprintf(g.f, ".global .align 8 .u64 vt[4] = { f0, f%u, f%u, f%u };\n", g.functions > 1 ? 1u : 0u,
		g.functions > 2 ? 2u : 0u, g.functions > 3 ? 3u : 0u);
	for (unsigned f = 0; f < g.functions; f++)
		function(&g, f);
	g.function = g.functions;
	fprintf(g.f, ".entry k(.param .u64 out)\n{\n\t.local .align 8 .b32 w[4];\n\t.reg .b32 %%x<6>; .reg .b32 %%i; "
		     ".reg .b32 %%depth; .reg .b32 %%dd; .reg .pred %%p<5>; .reg .b64 %%o<3>;\n"
		     "\tmov.u32 %%x0, %%tid.x; mul.lo.u32 %%x1, %%x0, 2654435761; xor.b32 %%x2, %%x1, %%x0; shr.u32 "
		     "%%x3, %%x1, 7; mov.u32 %%x4, 12; mov.u32 %%x5, 99;\n"
		     "\tmov.u32 %%depth, 2; mov.u32 %%dd, 2; st.local.v2.u32 [w], {%%x0, %%x1}; st.local.v2.u32 [w+8], "
		     "{%%x2, %%x3};\n");
	statements(&g, 3);
	for (unsigned c = 1 + below(&g, 3); c--;) {
		call(&g, below(&g, 100) < 30 ? -1 : (int)below(&g, g.functions));
		statements(&g, 3);
	}
	fprintf(g.f, "\tld.param.u64 %%o1, [out]; mov.u32 %%i, %%tid.x; mul.wide.u32 %%o2, %%i, 32; add.s64 %%o1, "
		     "%%o1, %%o2; ld.local.u32 %%i, [w+4];\n");
	for (unsigned x = 0; x < 6; x++)
		fprintf(g.f, "\tst.global.u32 [%%o1+%u], %%x%u;\n", 4 * x, x);
	fprintf(g.f, "\tst.global.u32 [%%o1+24], %%i;\n\tret;\n}\n");
	fclose(g.f);
	copy = arena_strndup(a, text, n);
	free(text);
	return copy;
}

/* ---- execution ---- */
struct result {
	unsigned char out[THREADS * 32];
	uint64_t insns;
	bool stack;
};

struct levels {
	struct checked_sums sums;
	uint64_t suspensions, strand_waits, calls;
};

/* Runs l on a modelled machine, of entries and active warps by the seed. */
static bool simulate(struct device *dev, const struct launch *l, const char *rf, uint64_t seed, struct result *r,
		     struct levels *n, struct diag *d)
{
	struct sim_options so = { .threads = 1,
				  .have_anno = ANNO_ALL | ANNO_STRAND | ANNO_RFC | ANNO_ORF,
				  .checked = &n->sums };
	char entries[32], warps[32];
	struct params p;
	struct stats st;

	snprintf(entries, sizeof entries, "rf_l1_entries=%u", (unsigned)l->k->orf[ORG_SPLIT]->entries);
	snprintf(warps, sizeof warps, "active_warps=%u", (unsigned)(seed & 1) + 1);
	stats_reset(&st);
	so.params = &p;
	if (!params_machine(&p, "hierarchical-rf", d) || !params_set(&p, entries, d) || !params_set(&p, warps, d) ||
	    !rf_config_parse(&so.rf, rf, &p, d) || !sim_run(dev, l, &so, &st, d) || !stats_check(&st, d))
		return false;
	if (st.suspensions > st.strand_waits + st.barrier_waits + st.fences && strstr(rf, "orf"))
		return diag_error_plain(d, "random", "warps are demoted where no strand ends");
	r->insns = st.warp_instructions;
	n->suspensions += st.suspensions;
	n->strand_waits += st.strand_waits;
	return true;
}

/* In the functional engine, or with rf on a modelled machine. */
static bool execute(const char *ptx, const struct config *c, const char *rf, uint64_t seed, struct result *r,
		    struct levels *n, struct diag *d)
{
	struct source src = { "random.ptx", ptx, strlen(ptx) };
	struct engine_options eo = { .poison = c->poison, .poison_seed = seed, .max_insns = MAX_INSNS };
	struct launch l = {
		.grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 }, .stack_bytes = STACK_BYTES, .param_bytes = 8
	};
	struct device *dev = device_new(d);
	struct engine *e = NULL;
	struct pass_ctx cx;
	struct arena a;
	struct module *m;
	uint64_t out;
	bool ok;

	arena_init(&a);
	pass_ctx_init(&cx, d);
	cx.opt.inline_limit = c->inline_limit;
	cx.opt.check = true;
	cx.opt.maxreg = c->maxreg ? c->maxreg : cx.opt.maxreg;
	cx.opt.orf.entries = 1 + (unsigned)(seed >> 1) % 4;
	m = ptx_parse(&src, &a, d);
	ok = m && (c->maxreg ? pass_compile(m->kernel[0], &cx) && (!rf || pass_need(m->kernel[0], FACT_ALL, &cx))
			     : pass_run(m->kernel[0], PASS_ID_link, &cx) && pass_need(m->kernel[0], FACT_ALL, &cx));
	if (ok) {
		out = device_alloc(dev, "out", sizeof r->out);
		l.m = m;
		l.k = m->kernel[0];
		l.params = &out;
		for (uint32_t i = 0; n && i < l.k->ninsn; i++)
			n->calls += (op_info[l.k->insn[i].op].flags & OPF_CALL) != 0;
		ok = rf ? simulate(dev, &l, rf, seed, r, n, d) : (e = engine_new(dev, &l, &eo, d)) && engine_run(e);
	}
	if (ok) {
		memcpy(r->out, device_ptr(dev, out, sizeof r->out), sizeof r->out);
		r->insns = e ? engine_counts(e)->warp_insns : r->insns;
		r->stack = m->kernel[0]->res.stack;
	}
	engine_free(e);
	device_free(dev);
	pass_ctx_free(&cx);
	arena_free(&a);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 100, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1,
		 insns = 0;
	struct levels levels = { .calls = 0 };
	unsigned failed = 0, recursive = 0;
	struct arena a;
	struct diag d;

	setvbuf(stdout, NULL, _IOLBF, 0);
	arena_init(&a);
	if (argc > 2 && strcmp(argv[1], "--show") == 0) {
		fputs(module(first, &a), stdout);
		arena_free(&a);
		return 0;
	}
	for (uint64_t s = first; s < first + seeds && failed < 5; s++) {
		const char *ptx = module(s, &a);
		static struct result want, got;
		uint64_t of[CONFIGS + LEVEL_ROWS]; /* warp instructions */

		diag_init(&d, NULL);
		for (unsigned c = 0; c < CONFIGS + (s % LEVELS_EVERY ? 0 : LEVEL_ROWS); c++) {
			const struct level_row *level = c < CONFIGS ? NULL : &level_row[c - CONFIGS];
			const struct config *form = &config[level ? level->form : c];
			bool ran = execute(ptx, form, level ? level->rf : NULL, s, c ? &got : &want,
					   level ? &levels : NULL, &d);
			const char *why;
			if (!ran)
				why = d.last;
			else if (c && memcmp(want.out, got.out, sizeof want.out) != 0)
				why = "memory differs\n";
			else
				why = level && got.insns != of[level->form]
					      ? "instructions issued are not those executed\n"
					      : NULL;

			if (why) {
				printf("p_call: seed %llu, %s%s%s: %s", (unsigned long long)s, form->name,
				       level ? ", " : "", level ? level->rf : "", why);
				failed++;
				break;
			}
			of[c] = c ? got.insns : want.insns;
			insns += of[c];
		}
		recursive += want.stack;
		diag_free(&d);
		arena_reset(&a);
	}
	arena_free(&a);
	printf("p_call: %llu modules in %u forms, %u of them recursive, %llu warp instructions; %u failed\n",
	       (unsigned long long)seeds, (unsigned)CONFIGS, recursive, (unsigned long long)insns, failed);
	printf("p_call: hierarchies: every %uth module, %llu calls in their code, %llu operands compared, of them %llu "
	       "of L1, %llu of L0; %llu suspensions, %llu waits\n",
	       (unsigned)LEVELS_EVERY, (unsigned long long)levels.calls, (unsigned long long)levels.sums.compared,
	       (unsigned long long)levels.sums.l1, (unsigned long long)levels.sums.l0,
	       (unsigned long long)levels.suspensions, (unsigned long long)levels.strand_waits);
	if (!failed && seeds >= 20 &&
	    !(levels.calls && levels.sums.l1 && levels.sums.l0 && levels.suspensions && levels.strand_waits)) {
		printf("p_call: nothing called, nothing was in an upper level or no warp waited, so hierarchies were "
		       "not tested\n");
		return 1;
	}
	if (!failed && seeds >= 20 && !recursive) {
		printf("p_call: nothing recursed, so the stack was not tested\n");
		return 1;
	}
	return failed != 0;
}
