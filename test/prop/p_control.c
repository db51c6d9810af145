/* Control codes of random kernels, compiled for each generation: the oracle finds nothing, and neither does the engine,
 * which proves them while the kernel executes. Then single codes are spoiled, a stall count lowered by one or a wait
 * left out: what the engine reports the oracle must know, and of what the oracle says is tight the engine must report
 * half; the rest is where no lane executes, or where a barrier takes longer than the count that was lowered. Codes of
 * one kernel share that fate, so few kernels show no share: of them the engine must report something. Usage:
 * p_control [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "passes/pass.h"
#include "test/prop/launch.h"

#include <stdlib.h>

enum { SPOILED = 12, ENOUGH = 100 };

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

static bool spoiled(struct module *m, uint64_t seed, const struct gen_options *o, struct counts *n, struct arena *a)
{
	struct kernel *k = m->kernel[0];
	const struct control_code *was = k->control;
	uint64_t r = seed;
	bool ok = true;

	for (unsigned x = 0; x < SPOILED && ok; x++) {
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
		if (right && !passed) {
			printf("p_control: seed %llu: instruction %u, %s: the oracle finds nothing, but: %s",
			       (unsigned long long)seed, i, wait ? "wait" : "stall", d.last);
			ok = false;
		}
		diag_free(&d);
	}
	k->control = was;
	return ok;
}

static bool try(uint64_t seed, struct counts *n)
{
	static const unsigned sm[] = { 70, 75, 80, 86, 90, 100, 120 };
	struct gen_options o;
	struct module *m;
	struct pass_ctx cx;
	struct arena a;
	struct diag d;
	bool ok;

	arena_init(&a);
	diag_init(&d, NULL);
	pass_ctx_init(&cx, &d);
	if (seed % 3 == 0)
		cx.opt.maxreg = 63;
	else
		cx.opt.maxreg = seed % 3 == 1 ? 32 : 16;
	gen_options_random(&o, seed);
	if (o.statements > 60)
		o.statements = 60;
	o.grid = 1;
	m = gen_module(seed, &o, &a, &d);
	if (m)
		m->sm = sm[seed % (sizeof sm / sizeof *sm)];
	ok = m && pass_compile_for(m->kernel[0], FACT_CONTROL | FACT_LIVE | FACT_PDOM, false, &cx) &&
	     check_control(m->kernel[0], &d) && executes(m, seed, &o, &d);
	if (!ok)
		printf("p_control: seed %llu: %s", (unsigned long long)seed, d.last ? d.last : "failed\n");
	ok = ok && spoiled(m, seed, &o, n, &a);
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
	return ok;
}

/* Whether the engine reports what it should of the codes that are tight, stall counts or waits. */
static bool caught_enough(uint64_t caught, uint64_t tight)
{
	return tight < ENOUGH ? caught || !tight : 2 * caught >= tight;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 100, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct counts n = { 0 };
	unsigned failed = 0;

	for (uint64_t s = first; s < first + seeds && failed < 5; s++)
		failed += !try(s, &n);
	printf("p_control: %llu kernels, %u failed; of %llu stall counts and %llu waits that were spoiled %llu and "
	       "%llu were tight, %llu and %llu were caught\n",
	       (unsigned long long)seeds, failed, (unsigned long long)n.stalls, (unsigned long long)n.waits,
	       (unsigned long long)n.tight[0], (unsigned long long)n.tight[1], (unsigned long long)n.caught[0],
	       (unsigned long long)n.caught[1]);
	return failed || !caught_enough(n.caught[0], n.tight[0]) || !caught_enough(n.caught[1], n.tight[1]);
}
