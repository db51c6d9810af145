/* Uniform values of random kernels: what is proved of a value is so wherever it is read or written
 * (runtime-model/core/uniform_seen.c), with and without functions that are called, and of blocks that are known or not.
 * That lanes do not need what the annotation calls dead is for p_compile to find out, whose poison goes there. Usage:
 * p_uniform [SEEDS [FIRST]] */
#include "passes/freq.h"
#include "passes/pass.h"
#include "passes/uniform.h"
#include "runtime-model/core/uniform_seen.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

struct sums {
	uint64_t values, level[4], affine, apart, insns;
};

static const char *read_all(struct engine *e, const struct kernel *k, uint32_t threads, struct arena *a)
{
	struct uniform_seen *s = uniform_seen_new(k, threads, a);
	struct uniform_cta *c = uniform_cta_new(s, a);
	enum record_status got = RECORD_END;
	const char *wrong = NULL;
	struct record r;

	for (uint64_t cta = 0; cta < engine_ctas(e) && !wrong; cta++) {
		uniform_cta_begin(c);
		for (unsigned w = 0; w < engine_warps_per_cta(e) && !wrong; w++)
			while (!wrong && (got = engine_next(e, 0, cta, w, &r)) == RECORD_OK)
				wrong = uniform_seen_step(s, c, w, &r, a);
	}
	if (wrong)
		return wrong;
	return got == RECORD_END ? NULL : "it does not run";
}

static const char *execute(const struct module *m, uint64_t seed, const struct gen_options *o, struct arena *a,
			   struct diag *d)
{
	struct engine_options eo = { .consumers = 1, .want = WANT_VALUES };
	struct device *dev = device_new(d);
	struct gen_params p;
	struct launch l;
	struct engine *e = gen_launch(dev, m, seed, o, &p, &l) ? engine_new(dev, &l, &eo, d) : NULL;
	const char *wrong = e ? read_all(e, l.k, o->block, a) : "it does not begin";

	engine_free(e);
	if (dev)
		device_free(dev);
	return wrong;
}

static void count(const struct kernel *k, struct sums *n)
{
	const struct uniform *u = k->uniform;

	for (uint32_t v = 0; v < u->at[k->ninsn]; v++) {
		n->level[u->value[v].level]++;
		n->affine += u->value[v].affine;
	}
	for (uint32_t i = 0; i < k->ninsn; i++)
		n->apart += !(u->flags[i] & UNIFORM_CONVERGENT);
	n->values += u->at[k->ninsn];
	n->insns += k->ninsn;
}

/* A kernel is made for threads that do different things. Of most, what tells threads apart tells warps or CTAs apart
 * instead: then branches and loops are those of warps, of CTAs or of the grid. */
static void replace_tid(struct kernel *k, uint64_t seed, const struct gen_options *o)
{
	const enum sreg by[] = { SREG_TID_X, SREG_WARPID, o->grid <= o->block ? SREG_CTAID_X : SREG_WARPID,
				 SREG_TID_Y };

	for (uint32_t r = 0; r < k->nopnd; r++)
		if (k->opnd[r].kind == REF_SREG && k->opnd[r].val == SREG_TID_X)
			k->opnd[r].val = by[seed / 2 % 4];
}

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	struct sums *n = sums;
	struct launch_facts facts = { 0 };
	const char *wrong = "it does not compile";
	struct gen_options o;
	struct pass_ctx cx;
	struct module *m;

	(void)at;
	gen_options_random(&o, seed);
	m = gen_module(seed, &o, a, d);
	if (m)
		replace_tid(m->kernel[0], seed, &o);
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = seed % 2 ? 63 : 20;
	if (seed % 3 == 0)
		cx.opt.inline_limit = 0;
	facts.block[0] = o.block;
	facts.block[1] = facts.block[2] = 1;
	if (seed % 5)
		cx.opt.launch = &facts;
	if (m && pass_compile(m->kernel[0], &cx) && pass_need(m->kernel[0], FACT_ALL, &cx)) {
		count(m->kernel[0], n);
		wrong = execute(m, seed, &o, a, d);
	}
	pass_ctx_free(&cx);
	return wrong;
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_uniform", argc, argv, 100);
	struct sums n = { 0 };
	unsigned failed = seeds_try(&s, check, &n, NULL);

	printf("p_uniform: %llu kernels, %llu values: %llu uniform over a grid, %llu a CTA, %llu a warp, %llu affine; "
	       "%llu of %llu instructions apart; %u failed\n",
	       (unsigned long long)s.n, (unsigned long long)n.values, (unsigned long long)n.level[UNIFORM_GRID],
	       (unsigned long long)n.level[UNIFORM_CTA], (unsigned long long)n.level[UNIFORM_WARP],
	       (unsigned long long)n.affine, (unsigned long long)n.apart, (unsigned long long)n.insns, failed);
	return failed != 0 || !n.level[UNIFORM_GRID] || !n.level[UNIFORM_WARP] || !n.affine;
}
