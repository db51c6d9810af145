/* Control codes of random kernels, compiled for each generation: the oracle finds nothing, and neither does the engine,
 * which proves them while the kernel executes. Then single codes are spoiled, a stall count lowered by one or a wait
 * left out: what the engine reports the oracle must know, and of what the oracle says is tight the engine must report
 * most, of a hundred kernels that are always the same; the rest is where no lane executes, or where a barrier takes
 * longer than the count that was lowered. Usage: p_control [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "passes/pass.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <stdio.h>

enum { SEEDS = 100, SPOILED = 12 };

struct counts {
	uint64_t stalls, waits, tight[2], caught[2];
};

static bool executes(const struct module *m, uint64_t seed, const struct gen_options *o, struct diag *d)
{
	const struct engine_options eo = { .controls = true };
	unsigned char *out;
	struct arena a;
	bool ok;

	arena_init(&a);
	ok = gen_execute(m, NULL, seed, o, &eo, &a, &out, NULL, d);
	arena_free(&a);
	return ok;
}

/* Spoils one code of k. False: there is nothing at that instruction. */
static bool spoil(struct control_code *c, uint32_t i, bool wait)
{
	if (wait ? !c[i].wait : c[i].stall < 2)
		return false;
	if (wait)
		c[i].wait &= (uint8_t)(c[i].wait - 1);
	else
		c[i].stall--;
	return true;
}

/* What is wrong, or NULL. */
static const char *spoiled(struct module *m, uint64_t seed, const struct gen_options *o, struct counts *n,
			   struct arena *a)
{
	struct kernel *k = m->kernel[0];
	const struct control_code *was = k->control;
	uint64_t r = seed;
	const char *wrong = NULL;

	for (unsigned x = 0; x < SPOILED && !wrong; x++) {
		struct control_code *c = new_array(a, struct control_code, k->ninsn + 1u);
		const uint32_t i = (uint32_t)rng_below(&r, k->ninsn);
		const bool wait = x % 2;
		struct diag d;
		bool right, passed;

		memcpy(c, was, k->ninsn * sizeof *c);
		if (!spoil(c, i, wait))
			continue;
		k->control = c;
		diag_init(&d, NULL);
		right = check_control(k, &d);
		passed = executes(m, seed, o, &d);
		*(wait ? &n->waits : &n->stalls) += 1;
		n->tight[wait] += !right;
		n->caught[wait] += !passed;
		if (right && !passed)
			wrong = arena_printf(a, "instruction %u, %s: the oracle finds nothing, but: %s", i,
					     wait ? "wait" : "stall", d.last);
		diag_free(&d);
	}
	k->control = was;
	return wrong;
}

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	static const unsigned sm[] = { 70, 75, 80, 86, 90, 100, 120 };
	const char *wrong = NULL;
	struct gen_options o;
	struct module *m;
	struct pass_ctx cx;

	(void)at;
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = gen_maxreg(seed);
	gen_options_random(&o, seed);
	if (o.statements > 60)
		o.statements = 60;
	o.grid = 1;
	m = gen_module(seed, &o, a, d);
	if (m)
		m->sm = sm[seed % (sizeof sm / sizeof *sm)];
	if (!m || !pass_compile_for(m->kernel[0], FACT_CONTROL | FACT_LIVE | FACT_PDOM, false, &cx) ||
	    !check_control(m->kernel[0], d) || !executes(m, seed, &o, d))
		wrong = "its codes are not right";
	else
		wrong = spoiled(m, seed, &o, sums, a);
	pass_ctx_free(&cx);
	return wrong;
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_control", argc, argv, SEEDS), same = { s.name, SEEDS, 1 };
	const bool asked = s.first == 1 && s.n >= SEEDS;
	struct counts n = { 0 }, other = { 0 };
	const struct counts *w = asked ? &n : &other;
	unsigned failed = seeds_try(&s, check, &n, NULL);

	if (!asked)
		failed += seeds_try(&same, check, &other, NULL);
	printf("p_control: %llu kernels, %u failed; of %llu stall counts and %llu waits that were spoiled %llu and "
	       "%llu were tight, %llu and %llu were caught\n",
	       (unsigned long long)s.n, failed, (unsigned long long)w->stalls, (unsigned long long)w->waits,
	       (unsigned long long)w->tight[0], (unsigned long long)w->tight[1], (unsigned long long)w->caught[0],
	       (unsigned long long)w->caught[1]);
	return failed || 3 * w->caught[0] < 2 * w->tight[0] || 3 * w->caught[1] < 2 * w->tight[1];
}
