/* CTAs shared out to threads: of random kernels whose memory does not depend on their order, compiled or not, 1, 2 and
 * 3 threads leave the memory and count the instructions of the canonical order. Usage: p_threads [SEEDS [FIRST]] */
#include "passes/pass.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <string.h>

enum { THREADS = 3 };
struct sums {
	uint64_t kernels, insns;
};

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	struct engine_counts want, got;
	unsigned char *first, *out;
	struct engine_options eo = { .max_insns = GEN_INSNS_MAX };
	struct sums *s = sums;
	struct gen_options o;
	struct pass_ctx cx;
	struct module *m;
	bool ok;

	gen_options_random(&o, seed);
	o.grid = o.grid * 3 + 4;
	o.n = o.n * 3 + 4;
	m = gen_module(seed, &o, a, d);
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = seed % 3 ? 63 : 20;
	ok = m && (seed % 2 ? pass_compile(m->kernel[0], &cx) : pass_run(m->kernel[0], PASS_ID_link, &cx)) &&
	     pass_need(m->kernel[0], FACT_CFG | FACT_PDOM | (seed % 4 > 1 ? FACT_LIVE : 0), &cx);
	pass_ctx_free(&cx);
	if (!ok || !gen_execute(m, NULL, seed, &o, &eo, a, &first, &want, d))
		return "it does not run";
	for (*at = 1; *at <= THREADS; ++*at) {
		eo = (struct engine_options){
			.threads = *at, .any_order = true, .alone = 1, .patience = seed % 5 ? 0 : 2000
		};
		if (!gen_execute(m, NULL, seed, &o, &eo, a, &out, &got, d))
			return "threads do not execute it";
		if (memcmp(first, out, gen_out_bytes(&o)) != 0)
			return "threads leave other memory";
		if (memcmp(&want, &got, sizeof want) != 0)
			return "threads count other instructions";
	}
	s->kernels++;
	s->insns += want.warp_insns;
	return NULL;
}

static void where(unsigned at) { printf(", %u threads", at); }

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_threads", argc, argv, 100);
	struct sums sums = { 0 };
	unsigned failed = seeds_try(&s, check, &sums, where);

	printf("p_threads: %llu kernels, %llu warp instructions, %u failed\n", (unsigned long long)sums.kernels,
	       (unsigned long long)sums.insns, failed);
	return failed != 0 || !sums.kernels;
}
