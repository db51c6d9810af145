/* CORF's hints for random kernels: the oracle agrees with each way to choose them, ways that should keep more do, the
 * same kernel gets the same hints, and an object gives them back. Usage: p_corf [SEEDS [FIRST]] */
#include "analyzer/elf/rlo.h"
#include "passes/corf.h"
#include "passes/pass.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

#include <stdio.h>
#include <string.h>

static bool hints(struct kernel *k, struct pass_ctx *cx, enum corf_pairs pairs, enum corf_sides sides,
		  struct corf_hints *out)
{
	cx->opt.pairs = pairs;
	cx->opt.sides = sides;
	k->facts &= ~(unsigned)(FACT_AFFINITY | FACT_CORF);
	if (!pass_need(k, FACT_CORF, cx) || !check_corf(k, cx->diag))
		return false;
	*out = *k->corf;
	return true;
}

static bool same(const struct corf_hints *x, const struct corf_hints *y)
{
	return memcmp(x->partner, y->partner, sizeof x->partner) == 0 &&
	       memcmp(x->align, y->align, sizeof x->align) == 0 && x->total == y->total &&
	       x->pair_kept == y->pair_kept && x->align_kept == y->align_kept && x->align_bound == y->align_bound;
}

/* Each way twice; the last one is in the kernel then. */
static bool choose_all(struct kernel *k, struct pass_ctx *cx, bool exact, uint64_t *gap)
{
	struct corf_hints h[PAIRS_COUNT][SIDES_COUNT], again;
	enum corf_sides ways = exact ? SIDES_COUNT : SIDES_EXACT;

	for (enum corf_pairs p = 0; p < PAIRS_COUNT; p++)
		for (enum corf_sides s = 0; s < ways; s++)
			if (!hints(k, cx, p, s, &h[p][s]) || !hints(k, cx, p, s, &again) ||
			    (s != SIDES_EXACT && !same(&h[p][s], &again)))
				return false;
	if (h[PAIRS_MATCHING][0].pair_kept < h[PAIRS_GREEDY][0].pair_kept)
		return false;
	for (enum corf_sides s = 0; s < ways; s++)
		for (enum corf_sides t = 0; t < ways; t++)
			if (h[0][s].align_bound > h[0][s].total - h[0][t].align_kept)
				return false;
	if (exact && h[0][SIDES_EXACT].align_kept < h[0][SIDES_DEFAULT].align_kept)
		return false;
	*gap += h[0][SIDES_DEFAULT].total - h[0][SIDES_DEFAULT].align_kept - h[0][ways - 1].align_bound;
	return true;
}

static bool read_back(const struct module *m, struct arena *a, struct diag *d)
{
	const struct kernel *k = m->kernel[0];
	struct module *r;
	void *bytes;
	size_t n;

	if (!rlo_encode(m, a, &bytes, &n, d) || !(r = rlo_read_memory(bytes, n, "random.rlo", a, d)))
		return false;
	return same(k->corf, r->kernel[0]->corf) && r->kernel[0]->affinity->m == k->affinity->m &&
	       memcmp(r->kernel[0]->affinity->e, k->affinity->e, k->affinity->m * sizeof *k->affinity->e) == 0;
}

struct sums {
	uint64_t edges, gap;
};

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	static const unsigned maxreg[] = { 63, 32, 16, 254 };
	struct sums *n = sums;
	struct gen_options o;
	struct module *m;
	struct pass_ctx cx;
	bool ok;

	(void)at;
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = maxreg[seed % 4];
	cx.opt.sides_seconds = 1;
	gen_options_random(&o, seed);
	m = gen_module(seed, &o, a, d);
	ok = m && pass_compile(m->kernel[0], &cx) && choose_all(m->kernel[0], &cx, seed % 10 == 0, &n->gap) &&
	     pass_need(m->kernel[0], FACT_ALL, &cx) && read_back(m, a, d);
	n->edges += ok ? m->kernel[0]->affinity->m : 0;
	pass_ctx_free(&cx);
	return ok ? NULL : "hints differ, or keep less than they should";
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_corf", argc, argv, 100);
	struct sums n = { 0 };
	const unsigned failed = seeds_try(&s, check, &n, NULL);

	printf("p_corf: %llu kernels with %llu edges, weight %llu lost beyond the bound, %u failed\n",
	       (unsigned long long)s.n, (unsigned long long)n.edges, (unsigned long long)n.gap, failed);
	return failed != 0;
}
