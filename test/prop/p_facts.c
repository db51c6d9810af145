/* Dominators, liveness, warp and divergence-conservative liveness, releases, strands, hints for caches, the order of
 * sharing, uniform values and control codes of random kernels, as parsed and as compiled, agree with the slow oracles.
 * Usage: p_facts [SEEDS [FIRST]] */
#include "passes/pass.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <stdio.h>

static bool agree(struct kernel *k, struct pass_ctx *cx)
{
	return pass_need(k, FACT_ALL, cx) && check_dom(k, cx->diag) && check_live(k, cx->diag) &&
	       check_wlive(k, cx->diag) && check_dlive(k, cx->diag) && check_release(k, cx->diag) &&
	       check_strand(k, cx->diag) && check_rfc(k, cx->diag) && check_owf(k, cx->diag) &&
	       check_uniform(k, cx->diag) && check_control(k, cx->diag) && ir_verify(k, cx->diag);
}

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	uint64_t *blocks = sums;
	struct gen_options o;
	struct module *m;
	struct pass_ctx cx;
	bool ok;

	(void)at;
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = gen_maxreg(seed);
	gen_options_random(&o, seed);
	if (o.statements > 120) /* the oracles take registers times instructions */
		o.statements = 120;
	m = gen_module(seed, &o, a, d);
	ok = m && agree(m->kernel[0], &cx) && pass_compile(m->kernel[0], &cx) && agree(m->kernel[0], &cx);
	*blocks += ok ? m->kernel[0]->nblock : 0;
	pass_ctx_free(&cx);
	return ok ? NULL : "an oracle does not agree";
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_facts", argc, argv, 300);
	uint64_t blocks = 0;
	const unsigned failed = seeds_try(&s, check, &blocks, NULL);

	printf("p_facts: %llu kernels with %llu blocks, %u failed\n", (unsigned long long)s.n,
	       (unsigned long long)blocks, failed);
	return failed != 0;
}
