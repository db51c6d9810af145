/* Dominators, liveness, warp and divergence-conservative liveness, releases, strands, hints for caches, the order of
 * sharing, uniform values and control codes of random kernels, as parsed and as compiled, agree with the slow oracles.
 * Usage: p_facts [SEEDS [FIRST]] */
#include "passes/pass.h"
#include "test/prop/launch.h"

#include <stdlib.h>

static bool agree(struct kernel *k, struct pass_ctx *cx)
{
	return pass_need(k, FACT_ALL, cx) && check_dom(k, cx->diag) && check_live(k, cx->diag) &&
	       check_wlive(k, cx->diag) && check_dlive(k, cx->diag) && check_release(k, cx->diag) &&
	       check_strand(k, cx->diag) && check_rfc(k, cx->diag) && check_owf(k, cx->diag) &&
	       check_uniform(k, cx->diag) && check_control(k, cx->diag) && ir_verify(k, cx->diag);
}

static bool try(uint64_t seed, uint64_t *blocks)
{
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
	if (o.statements > 120) /* the oracles take registers times instructions */
		o.statements = 120;
	m = gen_module(seed, &o, &a, &d);
	ok = m && agree(m->kernel[0], &cx) && pass_compile(m->kernel[0], &cx) && agree(m->kernel[0], &cx);
	if (ok)
		*blocks += m->kernel[0]->nblock;
	else
		printf("p_facts: seed %llu: %s", (unsigned long long)seed, d.last ? d.last : "failed\n");
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 300, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1,
		 blocks = 0;
	unsigned failed = 0;

	for (uint64_t s = first; s < first + seeds && failed < 5; s++)
		failed += !try(s, &blocks);
	printf("p_facts: %llu kernels with %llu blocks, %u failed\n", (unsigned long long)seeds,
	       (unsigned long long)blocks, failed);
	return failed != 0;
}
