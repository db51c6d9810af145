/* RegMutex's hardware on small and odd machines: variants of random kernels, of sizes that are given, not chosen, and
 * of every placement and liveness, under residency regmutex and regmutex-paired, in register files from those of one
 * CTA up, with other bank numbers, granules, schedulers and hierarchies. In checked mode each operand is the one
 * executed; memory is what the plain kernel leaves; the instructions of the variant issue once each; no run gets stuck;
 * the sums of conserved.def hold; on other threads, in other quanta and unchecked the same is counted.
 *
 * That this can fail is tested too: extended sets that all lie in the same registers must be found. Usage: p_stress
 * [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/regmutex.h"
#include "runtime-model/config/rf_config.h"
#include "runtime-model/core/axis.h"
#include "runtime-model/core/checked.h"
#include "runtime-model/core/occupancy.h"
#include "runtime-model/gpu/sim.h"
#include "runtime-model/core/stats.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <string.h>

static const char *const row[] = {
	/* and an issue policy, drawn */
	"regmutex",
	"regmutex-paired",
	"regmutex,hierarchy=orf",
	"regmutex,hierarchy=split-lrf+orf",
	"regmutex-paired,hierarchy=split-lrf+orf",
};
enum { ROWS = sizeof row / sizeof *row };

struct execution {
	unsigned char *out;
	struct engine_counts n;
};
struct subject {
	uint64_t seed;
	struct gen_options o;
	struct module *m;
	struct execution plain, variant;
	struct arena *a;
	struct diag *d;
};
struct machine {
	struct params p;
	struct rf_config rf;
	struct occupancy sm;
};
struct tally {
	uint64_t kernels, variants, runs, compared, acquires, refused, held, broken, found;
};

/* Sections, and where they are, of the broken hardware, for which residency_ops.map() has no place. */
static struct {
	unsigned (*map)(struct residency *r, unsigned warp, unsigned reg);
	unsigned offset, extended;
} pool;

static unsigned map_to_one_section(struct residency *r, unsigned warp, unsigned reg)
{
	const unsigned phys = pool.map(r, warp, reg);

	return phys < pool.offset ? phys : pool.offset + (phys - pool.offset) % pool.extended;
}

/* The kernel without a variant, or with an extended set of `size` registers. NULL: there is none, or with a diagnostic
 * an error. */
static struct module *compile(const struct subject *t, const struct source *src, int size)
{
	struct module *m = ptx_parse(src, t->a, t->d);
	struct pass_ctx cx;
	struct diag d;
	bool ok;

	if (!m)
		return NULL;
	diag_init(&d, NULL);
	pass_ctx_init(&cx, &d);
	cx.opt.maxreg = 24 + t->seed % 40;
	cx.opt.regmutex.size = size;
	cx.opt.regmutex.place = t->seed & 1 ? REGMUTEX_PLACE_PAPER : REGMUTEX_PLACE_COST;
	cx.opt.regmutex.liveness = t->seed & 2 ? REGMUTEX_LIVENESS_PAPER : REGMUTEX_LIVENESS_WARP;
	ok = pass_compile(m->kernel[0], &cx) && pass_need(m->kernel[0], FACT_ALL, &cx);
	if (!ok && (!d.last || !strstr(d.last, " is not legal: an extended set of ")))
		diag_replay(t->d, d.last ? d.last : "it fails without a word\n", 1);
	pass_ctx_free(&cx);
	diag_free(&d);
	return ok ? m : NULL;
}

/* Of the legal sizes the first from a random one on, downwards; then t->m has a variant, else none. False: something is
 * wrong. */
static bool compile_some_size(struct subject *t, const struct source *src)
{
	uint64_t rng = mix64(t->seed);
	unsigned regs;

	t->m = compile(t, src, REGMUTEX_OFF);
	if (!t->m)
		return false;
	regs = (t->m->kernel[0]->res.regs + 3) / 4 * 4;
	for (unsigned size = 1 + rng_below(&rng, regs - 1); size; size--) {
		struct module *m = compile(t, src, (int)size);

		if (m && m->kernel[0]->variant) {
			t->m = m;
			return true;
		}
		if (t->d->errors)
			return false;
	}
	return true;
}

static bool execute(const struct subject *t, const struct kernel *k, struct execution *x)
{
	const struct engine_options eo = { .poison = k->base_regs != 0,
					   .poison_seed = t->seed,
					   .max_insns = GEN_INSNS_MAX };

	return gen_execute(t->m, k, t->seed, &t->o, &eo, t->a, &x->out, &x->n, t->d);
}

static bool run(const struct subject *t, const struct machine *m, unsigned threads, unsigned char **out,
		struct stats *st, struct checked_sums *sums, struct diag *d)
{
	const struct sim_options so = { .params = &m->p,
					.rf = m->rf,
					.threads = threads,
					.quantum = threads > 1 ? 9 : 0,
					.have_anno = ANNO_ALL | ANNO_REGMUTEX,
					.checked = sums };

	return gen_time(t->m, t->m->kernel[0]->variant, t->seed, &t->o, &so, t->a, out, st, d);
}

static bool set(struct machine *m, const char *name, unsigned value, struct diag *d)
{
	char text[64];

	snprintf(text, sizeof text, "%s=%u", name, value);
	return params_set(&m->p, text, d);
}

/* One or two SMs, so that CTAs meet, with the registers drawn, or more if no CTA fits. */
static bool draw(const struct subject *t, unsigned r, struct machine *m)
{
	static const char *const issue[] = { "two-level", "two-level-rr", "gto", "lrr" };
	const struct kernel *k = t->m->kernel[0]->variant;
	uint64_t rng = mix64(t->seed * ROWS + r);
	const unsigned kilo = 1024u << rng_below(&rng, 4);
	unsigned registers = rng_below(&rng, 2) ? kilo | 512 : kilo;
	struct occupancy_query q;
	char text[128];

	snprintf(text, sizeof text, "%s,issue=%s", row[r],
		 issue[rng_below(&rng, strstr(row[r], "hierarchy=") ? 2 : 4)]);
	if (!params_machine(&m->p, "gtx480", t->d) || !rf_config_parse(&m->rf, text, &m->p, t->d) ||
	    !set(m, "sms", 1 + rng_below(&rng, 2), t->d) || (rng_below(&rng, 2) && !set(m, "rf_banks", 3, t->d)) ||
	    (rng_below(&rng, 2) && !set(m, "reg_round", 8, t->d)) ||
	    (rng_below(&rng, 4) && !set(m, "active_warps", 1 + rng_below(&rng, 2), t->d)))
		return false;
	do {
		if (!set(m, "rf_registers", registers, t->d))
			return false;
		registers += 1024;
		q = occupancy_query_of(&m->p, &m->rf, k, t->o.block, k->res.shared_bytes);
		m->sm = occupancy_of(&q);
	} while (!m->sm.ctas && registers <= 65536);
	return true;
}

/* All warps that hold an extended set have the same. */
static void try_broken(const struct subject *t, const struct machine *m, struct tally *n)
{
	const struct kernel *k = t->m->kernel[0]->variant;
	const unsigned granule = m->p.reg_round, regs = (k->res.regs + granule - 1) / granule * granule;
	struct residency_ops ops = *m->rf.residency;
	struct machine broken = *m;
	struct checked_sums sums = { 0 };
	unsigned char *out;
	struct stats st;
	struct diag d;

	pool.map = ops.map;
	ops.map = map_to_one_section;
	pool.extended = regs - k->base_regs;
	pool.offset = m->sm.warps * k->base_regs;
	broken.rf.residency = &ops;
	diag_init(&d, NULL);
	n->broken++;
	n->found += !run(t, &broken, 1, &out, &st, &sums, &d) && strstr(d.last, " delivers a wrong operand ");
	diag_free(&d);
}

static const char *check_row(const struct subject *t, unsigned r, struct tally *n)
{
	struct checked_sums sums = { 0 };
	struct machine m;
	struct stats st, again;
	unsigned char *out;

	if (!draw(t, r, &m))
		return "the machine cannot be made";
	if (!run(t, &m, 1, &out, &st, &sums, t->d))
		return "the checked run fails";
	if (memcmp(out, t->plain.out, gen_out_bytes(&t->o)) != 0)
		return "memory differs from what the plain kernel leaves";
	if (st.warp_instructions != t->variant.n.warp_insns || st.thread_instructions != t->variant.n.thread_insns)
		return "instructions issued are not those executed";
	if (!run(t, &m, 3, &out, &again, NULL, t->d) || memcmp(&st, &again, sizeof st) != 0)
		return "unchecked, on three threads, something else is counted";
	n->runs++;
	n->compared += sums.compared;
	n->acquires += st.rf_acquires - st.rf_acquires_held;
	n->refused += st.rf_acquires - st.rf_acquires_held - st.rf_acquires_first;
	n->held += st.rf_acquires_held;
	if (r < 2 && st.rf_acquires > st.rf_acquires_held + 1)
		try_broken(t, &m, n);
	return NULL;
}

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	struct tally *n = sums;
	struct subject t = { .seed = seed, .a = a, .d = d };
	struct source src = { "random.ptx", NULL, 0 };
	const char *wrong = NULL;

	gen_options_random(&t.o, t.seed);
	src.text = gen_kernel(t.seed, &t.o, t.a);
	src.len = strlen(src.text);
	n->kernels++;
	if (!compile_some_size(&t, &src))
		return "it cannot be compiled";
	if (!t.m->kernel[0]->variant)
		return NULL;
	n->variants++;
	if (!execute(&t, t.m->kernel[0], &t.plain) || !execute(&t, t.m->kernel[0]->variant, &t.variant))
		return "the functional run fails";
	for (*at = 0; !wrong && *at < ROWS; ++*at)
		wrong = check_row(&t, *at, n);
	*at -= wrong != NULL;
	return wrong;
}

static void where(unsigned at) { printf(", %s", row[at < ROWS ? at : 0]); }

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_stress", argc, argv, 60);
	struct tally n = { 0 };
	unsigned failed = seeds_try(&s, check, &n, where);

	printf("p_stress: %llu kernels, %llu variants, %llu machines, %llu operands compared; %llu acquires took a "
	       "set, %llu of them waited, %llu had one; with one "
	       "set for all %llu of %llu runs found wrong; %u failed\n",
	       (unsigned long long)n.kernels, (unsigned long long)n.variants, (unsigned long long)n.runs,
	       (unsigned long long)n.compared, (unsigned long long)n.acquires, (unsigned long long)n.refused,
	       (unsigned long long)n.held, (unsigned long long)n.found, (unsigned long long)n.broken, failed);
	if (!failed && s.n >= 20 && (!n.refused || !n.held || !n.found)) {
		printf("p_stress: too little of that happened\n");
		failed++;
	}
	return failed != 0;
}
