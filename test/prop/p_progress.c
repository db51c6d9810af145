/* Lanes that wait for each other: random kernels whose lanes take locks, one inside another, from within branches and
 * loops, and tell each other that it is their turn, end and leave what the host works out: on the engine, compiled or
 * not, with dead registers overwritten, on threads, and timed under register files that rely on what the compiler says
 * of whole warps, where every operand is compared. Usage: p_progress [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/core/stats.h"
#include "test/prop/seeds.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HELD = 40, LOCKS = 14, CTA = 64, GRID = 2, THREADS = CTA * GRID, DEPTH = 3, TEXT = 1 << 16, WORDS = 64 };
enum { OUT_BYTES = THREADS * 4, INSNS_MAX = 20000000 };

static const struct {
	const char *machine, *rf;
} config[] = {
	{ "gtx480", "baseline" },
	{ "gtx480", "rfv" },
	{ "gtx480", "rfv-shared" },
	{ "corf", "corf++,residency=rfv" },
	{ "gtx480", "regmutex" },
	{ "gtx480", "owf" },
	{ "hierarchical-rf", "split-lrf+orf" },
	{ "g-scalar", "baseline,values=static-scalar" },
	{ "g-scalar", "g-scalar" },
	{ "wir", "wir-rlpv" },
};
enum { CONFIGS = sizeof config / sizeof *config, VARIANT = 4, ENGINE_RUNS };

/* ---- a kernel, and what it does ---- */
enum kind { ADD, BOTH, IF, LOOP, MIX, MEET, CHAIN, KINDS };
struct node {
	enum kind kind;
	uint32_t a, b, c;
	struct node *in[2], *next;
};

struct maker {
	uint64_t r;
	struct arena *a;
	char *text;
	size_t n;
	unsigned labels;
	/* many values of a lane's own are held while it waits, which RegMutex does not take; else behind the locks */
	bool across;
	uint32_t v[THREADS], sum[LOCKS];
};

static struct node *make_list(struct maker *g, unsigned depth, unsigned n)
{
	struct node *first = NULL;

	while (n--) {
		struct node *x = new(g->a, struct node);

		x->kind = (enum kind)rng_below(&g->r, depth ? MEET : KINDS);
		x->a = rng_below(&g->r, LOCKS);
		x->b = rng_below(&g->r, 5);
		x->c = rng_below(&g->r, 1000);
		x->next = first;
		if (x->kind == IF || x->kind == LOOP) {
			if (depth == DEPTH)
				x->kind = ADD;
			for (unsigned i = 0; x->kind != ADD && i < 2; i++)
				x->in[i] = make_list(g, depth + 1, 1 + rng_below(&g->r, 2));
		}
		first = x;
	}
	return first;
}

static uint32_t loop_times(const struct node *x, uint32_t t) { return 1 + (t >> x->b & (1 + x->c % 3)); }
static uint32_t addend(const struct node *x, uint32_t v) { return (v & 255) + x->c; }

/* Many values of the lane's own at once, which one is made of afterwards. */
static bool holds(const struct node *x) { return x->b < 2; }
static uint32_t fold(const struct node *x, uint32_t v)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < HELD; i++)
		all = all * 3 ^ v * (2 * i + 3 + x->c);
	return all;
}

static void apply(struct maker *g, const struct node *x, uint32_t t)
{
	for (; x; x = x->next)
		switch (x->kind) {
		case BOTH:
			g->sum[(x->a + 1) % LOCKS] += addend(x, g->v[t]);
			g->sum[x->a] += addend(x, g->v[t]);
			g->v[t] = holds(x) ? fold(x, g->v[t]) : g->v[t];
			break;
		case ADD:
			g->sum[x->a] += addend(x, g->v[t]);
			break;
		case IF:
			apply(g, x->in[t >> x->b & 1], t);
			break;
		case LOOP:
			for (uint32_t n = loop_times(x, t); n--;)
				apply(g, x->in[0], t);
			break;
		case MIX:
			g->v[t] = g->v[t] * 77 + x->c;
			break;
		case CHAIN: /* of all threads at once: apply_all() */
		case MEET:
		case KINDS:
			break;
		}
}

/* At the top level, where threads of a warp hear of each other. */
static void apply_all(struct maker *g, const struct node *x)
{
	for (; x; x = x->next) {
		struct node one = *x;

		one.next = NULL;
		for (uint32_t t = 0; t < THREADS; t++)
			apply(g, &one, t);
		/* lane 31 first, each hears from the next one */
		for (uint32_t t = THREADS; x->kind == CHAIN && t--;)
			if ((t & 31) != 31)
				g->v[t] ^= g->v[t + 1] + x->c;
	}
}

/* ---- its text ---- */
__attribute__((format(printf, 2, 3))) static void put(struct maker *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	g->n += (size_t)vsnprintf(g->text + g->n, TEXT - g->n, fmt, ap);
	va_end(ap);
}

static void put_lock(struct maker *g, uint32_t lock)
{
	unsigned l = g->labels++;

	switch (rng_below(&g->r, 6)) {
	case 0:
		put(g, "L%u: atom.global.cas.b32 %%r4, [%%d0+%u], 0, 1; setp.ne.u32 %%p1, %%r4, 0; @%%p1 bra L%u;\n", l,
		    lock * 4, l);
		break;
	case 1:
		put(g,
		    "L%u: atom.global.exch.b32 %%r4, [%%d0+%u], 1; setp.eq.u32 %%p1, %%r4, 0; @%%p1 bra M%u; bra L%u; "
		    "M%u:\n",
		    l, lock * 4, l, l, l);
		break;
	case 2:
		put(g,
		    "L%u: ld.volatile.global.u32 %%r4, [%%d0+%u]; setp.ne.u32 %%p1, %%r4, 0; @%%p1 bra L%u; "
		    "atom.global.cas.b32 %%r4, [%%d0+%u], 0, 1;\n"
		    "setp.ne.u32 %%p1, %%r4, 0; @%%p1 bra L%u;\n",
		    l, lock * 4, l, lock * 4, l);
		break;
	case 3:
		put(g,
		    "mov.u32 %%r5, 8; L%u: atom.global.cas.b32 %%r4, [%%d0+%u], 0, 1; setp.eq.u32 %%p1, %%r4, 0; @%%p1 "
		    "bra M%u; nanosleep.u32 %%r5; shl.b32 %%r5, %%r5, 1;\n"
		    "bra L%u; M%u:\n",
		    l, lock * 4, l, l, l);
		break;
	case 4:
		put(g,
		    "mov.u32 %%r6, 0; L%u: add.u32 %%r6, %%r6, 1; add.u32 %%r5, %%r6, 3; M%u: sub.u32 %%r5, %%r5, 1; "
		    "and.b32 %%r7, %%r5, 3; setp.ne.u32 %%p1, %%r7, 0; @%%p1 bra M%u;\n"
		    "atom.global.cas.b32 %%r4, [%%d0+%u], 0, 1; setp.ne.u32 %%p1, %%r4, 0; @%%p1 bra L%u;\n",
		    l, l, l, lock * 4, l);
		break;
	default:
		put(g, "{ .param .b64 p; add.u64 %%d3, %%d0, %u; st.param.b64 [p], %%d3; call lock, (p); }\n",
		    lock * 4);
		break;
	}
}

static void put_add(struct maker *g, const struct node *x, uint32_t lock)
{
	put(g,
	    "ld.volatile.global.u32 %%r8, [%%d0+%u]; and.b32 %%r9, %%r3, 255; add.u32 %%r9, %%r9, %u; add.u32 %%r8, "
	    "%%r8, %%r9; st.volatile.global.u32 [%%d0+%u], %%r8;\n",
	    128 + lock * 4, x->c, 128 + lock * 4);
}

static void put_many(struct maker *g, const struct node *x)
{
	for (unsigned i = 0; holds(x) && i < HELD; i++)
		put(g, "mul.lo.u32 %%r%u, %%r3, %u;\n", 30 + i, 2 * i + 3 + x->c);
}

static void put_unlock(struct maker *g, uint32_t lock)
{
	put(g,
	    rng_below(&g->r, 2) ? "membar.gl; st.volatile.global.u32 [%%d0+%u], 0;\n"
				: "membar.gl; atom.global.exch.b32 %%r4, [%%d0+%u], 0;\n",
	    lock * 4);
}

static void put_list(struct maker *g, const struct node *x, unsigned depth)
{
	for (; x; x = x->next) {
		uint32_t other = (x->a + 1) % LOCKS, low = x->a < other ? x->a : other,
			 high = x->a < other ? other : x->a;
		unsigned l = g->labels++;

		switch (x->kind) {
		case ADD:
			put_lock(g, x->a);
			put_add(g, x, x->a);
			put_unlock(g, x->a);
			break;
		case BOTH: /* the lower one first */
			if (g->across)
				put_many(g, x);
			put_lock(g, low);
			put_add(g, x, low);
			put_lock(g, high);
			put_add(g, x, high);
			put_unlock(g, x->c % 2 ? low : high);
			put_unlock(g, x->c % 2 ? high : low);
			if (!g->across)
				put_many(g, x);
			if (holds(x))
				put(g, "mov.u32 %%r3, 0;\n");
			for (unsigned i = 0; holds(x) && i < HELD; i++)
				put(g, "mul.lo.u32 %%r3, %%r3, 3; xor.b32 %%r3, %%r3, %%r%u;\n", 30 + i);
			break;
		case IF:
			put(g, "bfe.u32 %%r4, %%r0, %u, 1; setp.ne.u32 %%p2, %%r4, 0; @%%p2 bra M%u;\n", x->b, l);
			put_list(g, x->in[0], depth + 1);
			put(g, "bra N%u; M%u:\n", l, l);
			put_list(g, x->in[1], depth + 1);
			put(g, "N%u:\n", l);
			break;
		case LOOP:
			put(g, "shr.u32 %%r4, %%r0, %u; and.b32 %%r%u, %%r4, %u; O%u:\n", x->b, 20 + depth,
			    1 + x->c % 3, l);
			put_list(g, x->in[0], depth + 1);
			put(g, "sub.u32 %%r%u, %%r%u, 1; setp.ge.s32 %%p2, %%r%u, 0; @%%p2 bra O%u;\n", 20 + depth,
			    20 + depth, 20 + depth, l);
			break;
		case MIX:
			put(g, "mad.lo.u32 %%r3, %%r3, 77, %u;\n", x->c);
			break;
		case MEET:
			put(g, x->b % 2 ? "bar.warp.sync -1;\n" : "bar.sync %u;\n", x->b);
			break;
		case CHAIN:
			put(g,
			    "bar.sync 0; st.volatile.shared.u32 [%%r11], 0; bar.sync 0; setp.eq.u32 %%p2, %%r12, 31; "
			    "@%%p2 bra M%u;\n"
			    "L%u: ld.volatile.shared.u32 %%r4, [%%r11+4]; setp.eq.u32 %%p1, %%r4, 0; @%%p1 bra L%u; "
			    "ld.volatile.shared.u32 %%r5, [%%r11+%u]; add.u32 %%r5, %%r5, %u;\n"
			    "xor.b32 %%r3, %%r3, %%r5; M%u: st.volatile.shared.u32 [%%r11+%u], %%r3; membar.cta; "
			    "st.volatile.shared.u32 [%%r11], 1;\n",
			    l, l, l, 4 * CTA + 4, x->c, l, 4 * CTA);
			break;
		case KINDS:
			break;
		}
	}
}

static void put_kernel(struct maker *g, const struct node *body)
{
	put(g,
	    ".version 7.0\n.target sm_70\n.address_size 64\n.func lock(.param .b64 l)\n{ .reg .pred %%p<2>; .reg .b32 "
	    "%%r<2>; .reg .b64 %%d<2>; ld.param.b64 %%d1, [l];\n"
	    "L: atom.global.cas.b32 %%r1, [%%d1], 0, 1; setp.ne.u32 %%p1, %%r1, 0; @%%p1 bra L; ret; }\n"
	    ".visible .entry k(.param .u64 locks, .param .u64 out)\n{ .reg .pred %%p<4>; .reg .b32 %%r<80>; .reg .b64 "
	    "%%d<4>; .shared .align 4 .b8 t[%u];\n"
	    "mov.u32 %%r0, %%tid.x; and.b32 %%r12, %%r0, 31; mov.u32 %%r11, t; shl.b32 %%r1, %%r0, 2; add.u32 %%r11, "
	    "%%r11, %%r1; mov.u32 %%r1, %%ctaid.x;\n"
	    "mad.lo.u32 %%r0, %%r1, %u, %%r0; ld.param.u64 %%d0, [locks]; mul.lo.u32 %%r3, %%r0, 12345;\n",
	    8 * CTA, CTA);
	put_list(g, body, 0);
	put(g, "ld.param.u64 %%d1, [out]; mul.wide.u32 %%d2, %%r0, 4; add.u64 %%d1, %%d1, %%d2; st.global.u32 [%%d1], "
	       "%%r3; ret; }\n");
}

/* ---- runs ---- */
struct memory {
	struct device *dev;
	uint64_t param[2];
	uint32_t *word, *out;
};

static bool prepare(struct memory *x, const struct module *m, struct launch *l, struct diag *d)
{
	x->dev = device_new(d);
	if (!x->dev || !device_load(x->dev, m))
		return false;
	x->param[0] = device_alloc(x->dev, "locks", WORDS * 4);
	x->param[1] = device_alloc(x->dev, "out", OUT_BYTES);
	x->word = device_ptr(x->dev, x->param[0], WORDS * 4);
	x->out = device_ptr(x->dev, x->param[1], OUT_BYTES);
	*l = (struct launch){ .m = m,
			      .k = m->kernel[0],
			      .grid = { GRID, 1, 1 },
			      .block = { CTA, 1, 1 },
			      .params = x->param,
			      .param_bytes = 16 };
	return true;
}

static const char *differs(const struct maker *g, const struct memory *x)
{
	for (unsigned i = 0; i < LOCKS; i++)
		if (x->word[i])
			return "a lock is held";
	if (memcmp(x->word + 32, g->sum, sizeof g->sum) != 0)
		return "the sums under locks are wrong";
	return memcmp(x->out, g->v, OUT_BYTES) != 0 ? "the lanes' own values are wrong" : NULL;
}

static const char *execute(const struct maker *g, const struct module *m, const struct kernel *k,
			   const struct engine_options *o, struct engine_counts *n, struct diag *d)
{
	struct engine *e = NULL;
	const char *wrong = "it does not run";
	struct memory x;
	struct launch l;

	if (prepare(&x, m, &l, d) && (l.k = k) && (e = engine_new(x.dev, &l, o, d)) && engine_run(e))
		wrong = differs(g, &x);
	else if (e && engine_stopped(e))
		wrong = "it does not end";
	if (e && n)
		*n = *engine_counts(e);
	engine_free(e);
	if (x.dev)
		device_free(x.dev);
	return wrong;
}

static const char *time_it(const struct maker *g, const struct module *m, unsigned c, const struct engine_counts *n,
			   struct diag *d)
{
	struct checked_sums sums = { 0 };
	struct params machine;
	struct sim_options so = {
		.params = &machine, .have_anno = ANNO_ALL | ANNO_REGMUTEX, .threads = 1, .checked = c % 2 ? &sums : NULL
	};
	const char *wrong = "the timed run fails";
	struct stats st;
	struct memory x = { 0 };
	struct launch l;

	stats_reset(&st);
	if (params_machine(&machine, config[c].machine, d) && rf_config_parse(&so.rf, config[c].rf, &machine, d) &&
	    prepare(&x, m, &l, d) && sim_run(x.dev, &l, &so, &st, d) && stats_check(&st, d))
		wrong = differs(g, &x);
	if (!wrong && strcmp(config[c].rf, "regmutex") != 0 && st.warp_instructions != n->warp_insns)
		wrong = "instructions issued are not those executed";
	if (x.dev)
		device_free(x.dev);
	return wrong;
}

/* With a variant of some size, which is refused where it is not legal: NULL then. */
static struct module *compile(const struct source *src, uint64_t seed, bool variant, struct arena *a, struct diag *d)
{
	struct module *m = ptx_parse(src, a, d);
	struct diag refused;
	struct pass_ctx cx;
	bool ok;

	diag_init(&refused, NULL);
	pass_ctx_init(&cx, variant ? &refused : d);
	cx.opt.maxreg = seed % 3 ? 63 : 20;
	cx.opt.inline_limit = seed % 2 ? 0 : INLINE_LIMIT;
	if (variant)
		cx.opt.regmutex.size = 4 + (unsigned)(seed % 17);
	ok = m && (seed % 4 ? pass_compile(m->kernel[0], &cx) && pass_need(m->kernel[0], FACT_ALL, &cx)
			    : pass_run(m->kernel[0], PASS_ID_link, &cx) &&
				      pass_need(m->kernel[0], FACT_CFG | FACT_PDOM | FACT_LIVE, &cx));
	pass_ctx_free(&cx);
	diag_free(&refused);
	return ok ? m : NULL;
}

struct sums {
	uint64_t kernels, variants, insns;
};

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	struct maker g = { .r = seed * 2 + 1, .a = a, .across = seed % 3 == 0, .text = arena_alloc(a, TEXT, 1) };
	struct source *src = new(a, struct source);
	struct engine_counts n = { 0 }, first = { 0 };
	struct sums *s = sums;
	struct module *m;
	const char *wrong;
	struct node *body = make_list(&g, 0, 3 + rng_below(&g.r, 4));

	for (uint32_t t = 0; t < THREADS; t++)
		g.v[t] = t * 12345;
	apply_all(&g, body);
	put_kernel(&g, body);
	*src = (struct source){ "random.ptx", g.text, g.n };
	m = compile(src, seed, true, a, d);
	m = m ? m : compile(src, seed, false, a, d);
	if (!m)
		return "it is not compiled";
	for (*at = 0; *at < (m->kernel[0]->variant ? ENGINE_RUNS : VARIANT); ++*at) {
		const struct engine_options o[ENGINE_RUNS] = {
			{ .max_insns = INSNS_MAX },
			{ .poison = true, .poison_seed = seed, .max_insns = INSNS_MAX },
			{ .patience = 2000, .max_insns = INSNS_MAX },
			{ .threads = 2, .any_order = true, .alone = 1 },
			{ .poison = true, .poison_seed = seed, .max_insns = INSNS_MAX },
		};

		wrong = execute(&g, m, *at < VARIANT ? m->kernel[0] : m->kernel[0]->variant, &o[*at], &n, d);
		if (wrong)
			return wrong;
		first = *at ? first : n;
		if (*at == 1 && n.warp_insns != first.warp_insns)
			return "overwritten registers change what is executed";
	}
	for (unsigned i = 0; i < 2 && seed % 4; i++) {
		*at = ENGINE_RUNS + (unsigned)(seed * 2 + i) % CONFIGS;
		wrong = time_it(&g, m, *at - ENGINE_RUNS, &first, d);
		if (wrong)
			return wrong;
	}
	s->kernels++;
	s->variants += m->kernel[0]->variant != NULL;
	s->insns += first.warp_insns;
	return NULL;
}

static void where(unsigned at)
{
	if (at < ENGINE_RUNS)
		printf(", run %u", at);
	else
		printf(", %s on %s", config[at - ENGINE_RUNS].rf, config[at - ENGINE_RUNS].machine);
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_progress", argc, argv, 60);
	struct sums sums = { 0 };
	unsigned failed = seeds_try(&s, check, &sums, where);

	printf("p_progress: %llu kernels, %llu with a variant that shares registers, %llu warp instructions, %u "
	       "failed\n",
	       (unsigned long long)sums.kernels, (unsigned long long)sums.variants, (unsigned long long)sums.insns,
	       failed);
	return failed != 0 || !sums.kernels || (s.n >= 10 && !sums.variants);
}
