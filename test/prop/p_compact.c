/* Index compaction of random kernels: for sizes of the base set, with the extended set held where registers are short
 * and here and there more, what is alive elsewhere is in the base set, every use reads what it read before
 * (check_compact), and the kernel leaves the same memory. Operands and MOVs that are damaged on purpose are found. With
 * files: their kernels, under the oracle alone.
 *
 *   p_compact [SEEDS [FIRST]]      p_compact FILE...
 *   p_compact --gap SECONDS FILE...   a table of MOVs, and of the fewest that are found in that time, for
 * test/study/compact_gap.py */
#include "analyzer/base/rng.h"
#include "analyzer/ptx/ptx.h"
#include "passes/regmutex_compact.h"
#include "test/prop/launch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* of sizes of the base set that one seed tries; eight seeds try all */
enum { STRIDE = 8 };

struct totals {
	uint64_t kernels, cases, refused, hopeless, moves, cut, values, renamed, damaged, found, same;
};

static struct kernel *compile(const char *text, const char *name, unsigned maxreg, bool calls, struct pass_ctx *cx,
			      struct arena *a, struct diag *d, struct module **m)
{
	struct source src = { name, text, strlen(text) };

	cx->opt.maxreg = maxreg;
	cx->opt.inline_limit = calls ? 0 : INLINE_LIMIT;
	*m = ptx_parse(&src, a, d);
	return *m && (*m)->nkernel && pass_compile((*m)->kernel[0], cx) ? (*m)->kernel[0] : NULL;
}

static uint32_t alive(const uint64_t *set) { return bitset_count(set, MREG_RZ); }

/* Registers that a thread occupies while each instruction executes. */
static uint32_t *demand_of(const struct kernel *k, struct arena *a)
{
	uint32_t *demand = new_array(a, uint32_t, (size_t)k->ninsn + 1);
	uint64_t set[WLIVE_WORDS];

	for (uint32_t b = 0; b < k->nblock; b++) {
		live_copy(set, live_out(k, b), MREG_COUNT);
		for (uint32_t i = k->block[b].first + k->block[b].n; i-- > k->block[b].first;) {
			struct insn_regs r;

			ir_insn_regs(k, &k->insn[i], &r);
			for (unsigned s = 0; s < r.ndst; s++)
				bitset_add(set, r.dst[s]);
			demand[i] = alive(set);
			live_step_back(k, &k->insn[i], set);
			if (alive(set) > demand[i])
				demand[i] = alive(set);
		}
	}
	return demand;
}

/* Held where more than `base` registers are occupied, sometimes wider, sometimes elsewhere too. */
static uint8_t *hold_some(const struct kernel *k, const uint32_t *demand, uint32_t base, uint64_t *rng, struct arena *a)
{
	uint8_t *hold = new_array(a, uint8_t, (size_t)k->ninsn + 1);
	uint32_t slack = rng_below(rng, 3), around = rng_below(rng, 4), more = rng_below(rng, 3);

	for (uint32_t i = 0; i < k->ninsn; i++)
		if (demand[i] + slack > base)
			for (uint32_t j = i < around ? 0 : i - around; j <= i + around && j < k->ninsn; j++)
				hold[j] = 1;
	for (; more; more--)
		for (uint32_t i = rng_below(rng, k->ninsn), n = rng_below(rng, 40); n && i < k->ninsn; n--, i++)
			hold[i] = 1;
	return hold;
}

/* A change of the result that changes what the kernel does, or breaks the rule, is found. */
static void damage(const struct kernel *before, struct kernel *after, uint32_t base, const struct compact_result *out,
		   uint64_t *rng, struct arena *a, struct totals *t)
{
	for (unsigned n = 0; n < 4; n++) {
		struct kernel *k = ir_clone(after, a);
		uint32_t i = rng_below(rng, k->ninsn), s;
		struct diag d;

		if (out->nmove && rng_below(rng, 2))
			i = out->move[rng_below(rng, out->nmove)].insn;
		if (!(k->insn[i].ndst + k->insn[i].nsrc))
			continue;
		s = rng_below(rng, k->insn[i].ndst + (uint32_t)k->insn[i].nsrc);
		if (k->opnd[k->insn[i].opnd + s].kind != REF_REG || k->opnd[k->insn[i].opnd + s].val >= MREG_RZ)
			continue;
		k->opnd[k->insn[i].opnd + s].val ^= insn_operand_class(k, &k->insn[i], s) == RC_64 ? 2 : 1;
		diag_init(&d, NULL);
		t->damaged++;
		t->found += !check_compact(before, k, base, out, &d);
		diag_free(&d);
	}
}

static bool run(const struct module *m, const struct kernel *k, uint64_t seed, const struct gen_options *o,
		struct arena *a, unsigned char **out, struct diag *d)
{
	return gen_execute(m, k, seed, o,
			   &(struct engine_options){ .poison = true, .poison_seed = seed, .max_insns = GEN_INSNS_MAX },
			   a, out, NULL, d);
}

/* One kernel, base set and way to hold. o: it can be executed; then what it leaves is in `want`. */
static bool try_one(const struct module *m, const struct kernel *k, uint32_t base, uint64_t seed,
		    const uint32_t *demand, struct pass_ctx *cx, const struct gen_options *o, const unsigned char *want,
		    struct arena *a, struct totals *t)
{
	uint64_t rng = seed * 1000 + base;
	struct kernel *v = ir_clone(k, a);
	uint8_t *hold = hold_some(k, demand, base, &rng, a);
	struct compact_result out;
	unsigned char *got;

	if (!pass_need(v, FACT_CFG | FACT_LIVE | FACT_WLIVE | FACT_FREQ, cx))
		return false;
	t->cases++;
	for (unsigned again = 0; !regmutex_compact(v, cx, base, hold, &out); again++) {
		if (out.refused_at == UINT32_MAX)
			return false;
		t->refused++;
		if (ir_hash_code(v) != ir_hash_code(k))
			return diag_error_plain(cx->diag, NULL, "refused, and changed");
		if (hold[out.refused_at] || again == 50) {
			t->hopeless++;
			return true;
		}
		for (uint32_t j = out.refused_at < 3 ? 0 : out.refused_at - 3; j < out.refused_at + 3 && j < k->ninsn;
		     j++)
			hold[j] = 1;
	}
	t->moves += out.nmove;
	t->cut += out.cut;
	t->values += out.values;
	t->renamed += out.renamed;
	if (!ir_verify(v, cx->diag) || !check_compact(k, v, base, &out, cx->diag))
		return false;
	damage(k, v, base, &out, &rng, a, t);
	if (!o || !want)
		return true;
	if (!pass_need(v, FACT_ALL, cx) || !run(m, v, seed, o, a, &got, cx->diag))
		return false;
	return memcmp(want, got, gen_out_bytes(o)) == 0 || diag_error_plain(cx->diag, NULL, "memory differs");
}

static bool try_kernel(const char *name, const char *text, uint64_t seed, unsigned maxreg, const struct gen_options *o,
		       struct totals *t)
{
	struct pass_ctx cx;
	struct module *m;
	struct kernel *k;
	struct arena a;
	struct diag d;
	unsigned char *want = NULL;
	const uint32_t *demand;
	bool ok;

	arena_init(&a);
	diag_init(&d, NULL);
	pass_ctx_init(&cx, &d);
	k = compile(text, name, maxreg, seed % 2, &cx, &a, &d, &m);
	ok = k != NULL;
	if (ok && o)
		ok = run(m, k, seed, o, &a, &want, &d);
	if (ok) {
		uint32_t n = k->res.regs;

		demand = demand_of(k, &a);
		cx.opt.check = true;
		t->kernels++;
		/* seed % 4 chooses other things */
		for (uint32_t base = 1 + (uint32_t)(seed / 4) % STRIDE; base <= n && ok; base += STRIDE) {
			struct arena one;

			arena_init(&one);
			ok = try_one(m, k, base, seed, demand, &cx, base * 2 >= n ? o : NULL, want, &one, t);
			if (!ok)
				printf("p_compact: %s, base %u of %u: %s", name, base, n, d.last ? d.last : "failed\n");
			arena_free(&one);
		}
	} else {
		printf("p_compact: %s: %s", name, d.last ? d.last : "failed\n");
	}
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
	return ok;
}

static bool try_seed(uint64_t seed, struct totals *t)
{
	static const unsigned maxreg[] = { 63, 32, 16, 24 };
	struct gen_options o;
	struct arena a;
	char name[32];
	bool ok;

	arena_init(&a);
	gen_options_random(&o, seed);
	snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
	ok = try_kernel(name, gen_kernel(seed, &o, &a), seed, maxreg[seed % 4], &o, t);
	arena_free(&a);
	return ok;
}

static bool try_file(const char *path, struct totals *t)
{
	struct source src;
	struct arena a;
	struct diag d;
	bool ok = true;

	arena_init(&a);
	diag_init(&d, stderr);
	if (source_read(&src, path, &a, &d))
		for (uint64_t seed = 0; seed < 4 * STRIDE && ok; seed++)
			ok = try_kernel(path, src.text, seed, seed % 4 < 2 ? 63 : 24, NULL, t);
	diag_free(&d);
	arena_free(&a);
	return ok;
}

/* For the study of the heuristic: a row for each kernel and size that RegMutex would consider, held exactly where
 * registers are short. */
static bool try_gap(const char *path, double seconds)
{
	struct source src;
	struct module *m;
	struct pass_ctx cx;
	struct arena a;
	struct diag d;
	bool ok = true;

	arena_init(&a);
	diag_init(&d, stderr);
	pass_ctx_init(&cx, &d);
	cx.opt.regmutex.exact_seconds = seconds;
	m = source_read(&src, path, &a, &d) ? ptx_parse(&src, &a, &d) : NULL;
	for (uint32_t q = 0; m && q < m->nkernel; q++) {
		struct kernel *k = m->kernel[q];
		uint32_t last = 0, n;

		if (!pass_compile(k, &cx))
			break;
		n = (k->res.regs + 3) / 4 * 4;
		for (uint32_t percent = 10; percent <= 35 && ok; percent += 5) {
			uint32_t extended = k->res.regs * percent / 100, held = 0;
			const uint32_t *demand = demand_of(k, &a);
			struct kernel *v = ir_clone(k, &a);
			uint8_t *hold = new_array(&a, uint8_t, (size_t)k->ninsn + 1);
			struct compact_result out;

			if (extended < 2 || extended % 2 || extended == last)
				continue;
			last = extended;
			v->res.regs = n;
			for (uint32_t i = 0; i < k->ninsn; i++)
				held += hold[i] = demand[i] > n - extended;
			ok = pass_need(v, FACT_CFG | FACT_LIVE | FACT_WLIVE | FACT_FREQ, &cx);
			while (ok && !regmutex_compact(v, &cx, n - extended, hold, &out) &&
			       (ok = out.refused_at != UINT32_MAX && !hold[out.refused_at]))
				hold[out.refused_at] = 1;
			if (ok && held)
				printf("%s,%u,%u,%u,%u,%u,%llu,%llu,%llu\n", k->name, n, extended, k->ninsn, held,
				       out.nmove, (unsigned long long)out.greedy, (unsigned long long)out.best,
				       (unsigned long long)out.bound);
		}
	}
	ok &= m && !diag_failed(&d);
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
	return ok;
}

static int gap(int argc, char **argv)
{
	unsigned failed = argc < 3;

	puts("kernel,registers,extended,instructions,held,moves,greedy,best,bound");
	for (int f = 3; f < argc; f++)
		failed += !try_gap(argv[f], strtod(argv[2], NULL));
	return failed != 0;
}

int main(int argc, char **argv)
{
	bool files = argc > 1 && !isdigit((unsigned char)argv[1][0]);
	uint64_t n = argc > 1 && !files ? strtoull(argv[1], NULL, 0) : 50,
		 first = argc > 2 && !files ? strtoull(argv[2], NULL, 0) : 1;
	struct totals t = { 0 };
	unsigned failed = 0;

	if (argc > 1 && strcmp(argv[1], "--gap") == 0)
		return gap(argc, argv);
	for (uint64_t s = first; !files && s < first + n && failed < 5; s++)
		failed += !try_seed(s, &t);
	for (int f = 1; files && f < argc; f++)
		failed += !try_file(argv[f], &t);
	printf("p_compact: %llu kernels, %llu cases, %llu refused, %llu without a way; of %llu values %llu renamed, "
	       "%llu cut by %llu MOVs; "
	       "%llu of %llu damages found; %u failed\n",
	       (unsigned long long)t.kernels, (unsigned long long)t.cases, (unsigned long long)t.refused,
	       (unsigned long long)t.hopeless, (unsigned long long)t.values, (unsigned long long)t.renamed,
	       (unsigned long long)t.cut, (unsigned long long)t.moves, (unsigned long long)t.found,
	       (unsigned long long)t.damaged, failed);
	return failed != 0 || (t.damaged && !t.found);
}
