/* Value similarity of random kernels: their warps join into warps of 64 lanes, whatever they do, and execute the same
 * lanes; an instruction that one lane could execute reads the same value in all lanes that it stands for, by definition
 * and not by the rules; nothing contradicts a proof. With and without functions that are called. Usage: p_similar
 * [SEEDS [FIRST]] */
#include "passes/pass.h"
#include "runtime-model/similar/similar.h"
#include "test/prop/launch.h"
#include "test/prop/seeds.h"

struct sums {
	uint64_t issued[2], scalar, parts, divergent, left_out;
};

static bool same(const uint32_t *v, uint32_t lanes)
{
	const uint32_t first = lanes ? v[__builtin_ctz(lanes)] : 0;

	for (; lanes; lanes &= lanes - 1)
		if (v[__builtin_ctz(lanes)] != first)
			return false;
	return true;
}

/* The registers that r reads, if the rules say that fewer lanes can execute it. */
static bool reads_agree(const struct kernel *k, const struct record *r, const struct similar_insn *before,
			const struct similar_insn *after)
{
	const bool parts = after->how[SIMILAR_PARTS] != before->how[SIMILAR_PARTS];
	struct insn_regs g;
	bool low = true, high = true, all = true;

	if (!r->active || after->how[SIMILAR_VECTOR] != before->how[SIMILAR_VECTOR])
		return true;
	ir_insn_regs(k, &k->insn[r->insn], &g);
	for (unsigned s = 0; s < g.nsrc; s++) {
		const uint32_t *v = r->values + (size_t)g.src_at[s] * WARP_LANES;

		all &= same(v, r->active);
		low &= same(v, r->active & LOW_HALF);
		high &= r->active & HIGH_HALF && same(v, r->active & HIGH_HALF);
	}
	return parts ? low || high : all;
}

/* It counts as divergent if some threads of its warp execute it and others do not: lanes that have no thread are not
 * missed. The record of a guarded branch does not say who comes to it. */
static bool divergence_agrees(const struct insn *i, const struct record *r, unsigned threads,
			      const struct similar_insn *before, const struct similar_insn *after)
{
	const bool divergent = r->active && (unsigned)__builtin_popcount(r->active) != threads;

	return i->guard.kind != REF_NONE || after->divergent - before->divergent == divergent;
}

/* *apart: lanes of a warp wait for each other. */
static const char *step_all(struct engine *e, const struct kernel *k, unsigned block, bool *apart, struct arena *a)
{
	struct similar_code *c = similar_decode(k, a);
	struct similar_warp *w = similar_warp_new(c, a);
	struct similar_kernel s = similar_kernel_new(k, a);
	enum record_status got = RECORD_END;
	struct record r;

	for (uint64_t cta = 0; cta < engine_ctas(e); cta++)
		for (unsigned n = 0; n < engine_warps_per_cta(e); n++) {
			const unsigned left = block - n * WARP_LANES, threads = left < WARP_LANES ? left : WARP_LANES;

			similar_warp_begin(w, missing_lanes(block, n));
			while ((got = engine_next(e, 0, cta, n, &r)) == RECORD_OK) {
				const struct similar_insn before = s.insn[r.insn];

				*apart |= r.apart;
				if (!similar_step(w, &r, s.insn))
					return arena_printf(a, "instruction %u: its results differ", r.insn);
				if (!divergence_agrees(&k->insn[r.insn], &r, threads, &before, &s.insn[r.insn]))
					return arena_printf(
						a, "instruction %u, %s: it is divergent, or not, in %u lanes of %u",
						r.insn, ir_print_insn(a, k, &k->insn[r.insn]),
						(unsigned)__builtin_popcount(r.active), threads);
				if (!reads_agree(k, &r, &before, &s.insn[r.insn]))
					return arena_printf(a, "instruction %u, %s: its operands differ", r.insn,
							    ir_print_insn(a, k, &k->insn[r.insn]));
			}
		}
	return got == RECORD_END ? NULL : "it does not run";
}

static struct engine *begin(struct device *dev, const struct module *m, uint64_t seed, const struct gen_options *o,
			    unsigned want, struct launch *l, struct gen_params *p, struct diag *d)
{
	struct engine_options eo = { .consumers = 1, .want = want };

	return dev && gen_launch(dev, m, seed, o, p, l) ? engine_new(dev, l, &eo, d) : NULL;
}

/* In warps of so many lanes, 0: step by step, with values, and *apart is said. *left_out: lanes of instructions that
 * are not in *sum. */
static const char *execute(const struct module *m, uint64_t seed, const struct gen_options *o, unsigned lanes,
			   struct similar_insn *sum, uint64_t *left_out, bool *apart, struct arena *a, struct diag *d)
{
	const struct similar_options so = { .lanes = lanes, .proofs = seed % 2 };
	struct device *dev = device_new(d);
	struct gen_params p;
	struct launch l;
	struct engine *e = begin(dev, m, seed, o, lanes ? similar_wants(&so) : WANT_SIG | WANT_VALUES, &l, &p, d);
	const char *wrong = e ? NULL : "it does not begin";
	struct engine_counts n;
	struct stopped stopped;
	bool bug = false;

	if (e && lanes) {
		struct similar_kernel s = similar_kernel_new(l.k, a);

		if (!similar_launch(e, &l, &so, &s, &n, &stopped, &bug, d))
			wrong = "its launch failed";
		*sum = similar_sum(&s, SCALAR_CLASSES);
		*left_out = s.left_out;
	} else if (e) {
		wrong = step_all(e, l.k, o->block, apart, a);
	}
	engine_free(e);
	if (dev)
		device_free(dev);
	return wrong;
}

static const char *check(uint64_t seed, unsigned *at, void *sums, struct arena *a, struct diag *d)
{
	struct sums *n = sums;
	const char *wrong = "it does not compile";
	uint64_t left_out[2];
	bool apart = false;
	struct similar_insn narrow, wide;
	struct gen_options o;
	struct pass_ctx cx;
	struct module *m;

	(void)at;
	gen_options_random(&o, seed);
	m = gen_module(seed, &o, a, d);
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = seed % 2 ? 63 : 20;
	if (seed % 3 == 0)
		cx.opt.inline_limit = 0;
	if (m && pass_compile(m->kernel[0], &cx) && pass_need(m->kernel[0], FACT_ALL, &cx)) {
		wrong = execute(m, seed, &o, 0, NULL, NULL, &apart, a, d);
		if (!wrong)
			wrong = execute(m, seed, &o, 32, &narrow, &left_out[0], NULL, a, d);
		if (!wrong)
			wrong = execute(m, seed, &o, 64, &wide, &left_out[1], NULL, a, d);
		if (!wrong && (left_out[0] || (left_out[1] && !apart) || narrow.lanes != wide.lanes + left_out[1] ||
			       wide.issued > narrow.issued))
			wrong = "warps of 64 lanes do not execute what those of 32 do";
		if (!wrong && !left_out[1] && 2 * wide.issued < narrow.issued)
			wrong = "warps of 64 lanes do not execute what those of 32 do";
	}
	if (!wrong) {
		n->issued[0] += narrow.issued;
		n->issued[1] += wide.issued;
		n->scalar += narrow.how[SIMILAR_SCALAR];
		n->parts += narrow.how[SIMILAR_PARTS];
		n->divergent += narrow.how[SIMILAR_DIVERGENT];
		n->left_out += left_out[1] != 0;
	}
	pass_ctx_free(&cx);
	return wrong;
}

int main(int argc, char **argv)
{
	const struct seeds s = seeds_of("p_similar", argc, argv, 100);
	struct sums n = { 0 };
	unsigned failed = seeds_try(&s, check, &n, NULL);

	printf("p_similar: %llu kernels, %u failed, lanes of %llu wait for each other; %llu instructions, %llu of 64 "
	       "lanes; "
	       "of the former %llu scalar, %llu parts, %llu divergent scalar\n",
	       (unsigned long long)s.n, failed, (unsigned long long)n.left_out, (unsigned long long)n.issued[0],
	       (unsigned long long)n.issued[1], (unsigned long long)n.scalar, (unsigned long long)n.parts,
	       (unsigned long long)n.divergent);
	return failed != 0 || (s.n >= 50 && (!n.scalar || !n.parts || !n.divergent || n.issued[1] >= n.issued[0]));
}
