/* RegMutex's variants do what the plain kernels do: random kernels in every way of placement and liveness, with
 * extended sets of several sizes, every 64th kernel of every size, leave the same bytes in memory, while the engine
 * overwrites the extended set at each release and traps whoever names it without holding it; and check_regmutex() finds
 * nothing wrong. Then placements are damaged: an acquire or a release is dropped, or moved over its neighbour. What
 * execution finds wrong, the oracle must have found, unless the ways of a warp are too many for it.
 *
 *   p_regmutex [SEEDS [FIRST [every]]]         every: all kernels of every size, in each way */
#include "analyzer/base/rng.h"
#include "passes/regmutex.h"
#include "test/prop/launch.h"

#include <stdlib.h>
#include <string.h>

enum { DAMAGES = 2 };

struct totals {
	unsigned kernels, every, variants, refused, acquires, releases, moves, without_effect;
	unsigned damaged, by_oracle, by_execution, harmless, beyond;
};

struct run {
	unsigned char *out;
	const char *why;
};

static struct run execute(const struct module *m, const struct kernel *k, uint64_t seed, const struct gen_options *o,
			  struct arena *a)
{
	const struct engine_options eo = { .poison = true, .poison_seed = seed, .max_insns = GEN_INSNS_MAX };
	struct run r = { NULL, NULL };
	struct diag d;

	diag_init(&d, NULL);
	if (!gen_execute(m, k, seed, o, &eo, a, &r.out, NULL, &d))
		r.why = d.last ? arena_printf(a, "%s", d.last) : "cannot be launched";
	diag_free(&d);
	return r;
}

/* All but those of other techniques, and control codes. */
enum {
	OF_OTHERS = FACT_AFFINITY | FACT_CORF | FACT_STRAND | FACT_RFC | FACT_ORF | FACT_OWF | FACT_CONTROL,
	NEEDED = FACT_ALL & ~OF_OTHERS,
};

/* check: all facts, by all oracles */
struct way {
	unsigned maxreg;
	enum regmutex_place place;
	enum regmutex_liveness liveness;
	int size;
	bool check, damage;
};

static struct module *compile(uint64_t seed, const struct gen_options *o, const struct way *f, struct arena *a,
			      struct diag *d)
{
	struct module *m = gen_module(seed, o, a, d);
	struct pass_ctx cx;
	bool ok;

	if (!m)
		return NULL;
	pass_ctx_init(&cx, d);
	cx.opt.maxreg = f->maxreg;
	cx.opt.check = f->check;
	cx.opt.regmutex.place = f->place;
	cx.opt.regmutex.liveness = f->liveness;
	cx.opt.regmutex.size = f->size;
	ok = pass_compile_for(m->kernel[0], f->check ? FACT_ALL : NEEDED, true, &cx);
	pass_ctx_free(&cx);
	return ok ? m : NULL;
}

/* One acquire or release of the variant less, which is the other one where that has no effect, or one place further. */
static void damage(struct kernel *k, uint64_t *rng)
{
	uint32_t n = 0, at[2] = { 0 };
	bool drop = rng_below(rng, 2);

	for (uint32_t i = 0; i < k->ninsn; i++)
		if (op_info[k->insn[i].op].flags & OPF_REGMUTEX && rng_below(rng, ++n) == 0)
			at[0] = i;
	if (!n)
		return;
	for (uint32_t b = 0; b < k->nblock && !drop; b++)
		if (at[0] - k->block[b].first < k->block[b].n) {
			at[1] = rng_below(rng, 2) ? at[0] + 1 : at[0] - 1;
			drop = at[1] - k->block[b].first >= k->block[b].n ||
			       op_info[k->insn[at[1]].op].flags & (OPF_END | OPF_CALL);
		}
	if (drop) {
		k->insn[at[0]].op = k->insn[at[0]].op == OP_RF_ACQUIRE ? OP_RF_RELEASE : OP_RF_ACQUIRE;
	} else {
		struct insn i = k->insn[at[0]];

		k->insn[at[0]] = k->insn[at[1]];
		k->insn[at[1]] = i;
	}
}

/* The variant with a damage, and facts of its own. */
static struct kernel *damaged(const struct kernel *k, uint64_t *rng, struct arena *a)
{
	struct kernel *c = ir_clone(k, a);
	struct pass_ctx cx;
	struct diag d;
	bool ok;

	c->plain = k->plain;
	c->base_regs = k->base_regs;
	damage(c, rng);
	diag_init(&d, NULL);
	pass_ctx_init(&cx, &d);
	ok = pass_need(c, NEEDED, &cx);
	pass_ctx_free(&cx);
	diag_free(&d);
	return ok ? c : NULL;
}

static bool try_damage(const struct module *m, const struct kernel *k, uint64_t seed, const struct gen_options *o,
		       const struct run *want, struct totals *t, struct arena *a)
{
	uint64_t rng = mix64(seed ^ 0xda3a);
	bool fine = true;

	for (unsigned n = 0; n < DAMAGES && fine; n++) {
		struct kernel *c = damaged(k, &rng, a);
		bool found, wrong, all;
		struct diag d;
		struct run r;

		if (!c)
			return false;
		diag_init(&d, NULL);
		found = !check_regmutex(c, true, &all, &d);
		diag_free(&d);
		r = execute(m, c, seed, o, a);
		wrong = r.why || memcmp(r.out, want->out, gen_out_bytes(o)) != 0;
		t->damaged++;
		t->by_oracle += found;
		t->by_execution += wrong;
		t->harmless += !found && !wrong;
		t->beyond += !found && wrong && !all;
		if (wrong && !found && all) {
			printf("p_regmutex: seed %llu: a damaged placement went by the oracle: %s\n",
			       (unsigned long long)seed, r.why ? r.why : "memory differs\n");
			fine = false;
		}
	}
	return fine;
}

/* All that the variant has more are acquires, releases, moves that are marked, and jumps. */
static bool adds_up(const struct kernel *k)
{
	const struct regmutex *r = k->regmutex;
	uint32_t moves = 0, jumps = 0;

	for (uint32_t i = 0; i < k->variant->ninsn; i++) {
		moves += (k->variant->insn[i].mods & MOD_MOVED) != 0;
		jumps += k->variant->insn[i].op == OP_BRA;
	}
	for (uint32_t i = 0; i < k->ninsn; i++)
		jumps -= k->insn[i].op == OP_BRA;
	return moves == r->moves && k->variant->ninsn == k->ninsn + r->acquires + r->releases + r->moves + jumps &&
	       r->all_weighted >= r->plain_weighted;
}

static bool try_form(uint64_t seed, const struct gen_options *o, const struct way *f, const struct run *want,
		     struct totals *t, struct arena *a)
{
	const char *what = "failed\n";
	struct module *m;
	struct diag d;
	struct run r;
	bool ok = true;

	diag_init(&d, NULL);
	m = compile(seed, o, f, a, &d);
	if (m && m->kernel[0]->variant) {
		const struct regmutex *x = m->kernel[0]->regmutex;

		t->variants++;
		t->acquires += x->acquires;
		t->releases += x->releases;
		t->moves += x->moves;
		r = execute(m, m->kernel[0]->variant, seed, o, a);
		if (!check_regmutex(m->kernel[0]->variant, true, NULL, &d))
			r.why = d.last;
		ok = !r.why && memcmp(r.out, want->out, gen_out_bytes(o)) == 0;
		what = r.why ? r.why : "memory differs\n";
		if (ok && !adds_up(m->kernel[0])) {
			ok = false;
			what = "counts do not add up\n";
		}
		ok = ok && (!f->damage || try_damage(m, m->kernel[0]->variant, seed, o, want, t, a));
	} else if (m || (d.last && strstr(d.last, " is not legal: an extended set of "))) {
		t->refused++;
	} else {
		ok = false;
		what = d.last ? d.last : what;
	}
	if (!ok)
		printf("p_regmutex: seed %llu, maxreg %u, extended %d, place %s, liveness %s: %s",
		       (unsigned long long)seed, f->maxreg, f->size, regmutex_place_name[f->place],
		       regmutex_liveness_name[f->liveness], what);
	diag_free(&d);
	return ok;
}

static bool try(uint64_t seed, bool all, struct totals *t)
{
	struct gen_options o;
	uint64_t rng = mix64(seed);
	struct way f = { .maxreg = 24 + rng_below(&rng, 40), .size = REGMUTEX_OFF, .check = true };
	struct module *m;
	struct arena a;
	struct diag d;
	struct run want;
	bool ok = true;

	arena_init(&a);
	diag_init(&d, NULL);
	gen_options_random(&o, seed);
	m = compile(seed, &o, &f, &a, &d);
	want = m ? execute(m, m->kernel[0], seed, &o, &a) : (struct run){ NULL, d.last };
	if (want.why) {
		printf("p_regmutex: seed %llu: %s", (unsigned long long)seed, want.why);
		ok = false;
	}
	t->kernels++;
	for (unsigned n = 0; n < 4 && ok; n++) {
		int regs = (int)m->kernel[0]->res.regs, base = 1 + (int)rng_below(&rng, (uint32_t)regs);
		const bool every = all || seed % 256 == 3 + n * 64;

		f.place = n & 1 ? REGMUTEX_PLACE_PAPER : REGMUTEX_PLACE_COST;
		f.liveness = n & 2 ? REGMUTEX_LIVENESS_PAPER : REGMUTEX_LIVENESS_WARP;
		f.check = n == seed % 4 && !every;
		f.damage = !every;
		t->every += every;
		f.size = (regs + 3) / 4 * 4 - (every ? 1 : base);
		while (f.size > 0 && ok) {
			ok = try_form(seed, &o, &f, &want, t, &a);
			if (every)
				f.size--;
			else
				f.size = f.size > 8 ? f.size / 2 : 0;
		}
	}
	diag_free(&d);
	arena_free(&a);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 30, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct totals t = { 0 };
	unsigned failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (uint64_t s = first; s < first + seeds && failed < 5; s++)
		failed += !try(s, argc > 3, &t);
	printf("p_regmutex: %u kernels, %u times every size, %u variants (%u sizes were refused): %u acquires, %u "
	       "releases, %u moves; of %u damaged ones the "
	       "oracle found %u, execution %u; %u were harmless, %u beyond the oracle; %u failed\n",
	       t.kernels, t.every, t.variants, t.refused, t.acquires, t.releases, t.moves, t.damaged, t.by_oracle,
	       t.by_execution, t.harmless, t.beyond, failed);
	if (!failed && seeds >= 20 && (!t.variants || !t.by_oracle || !t.by_execution)) {
		printf("p_regmutex: nothing was tested\n");
		return 1;
	}
	return failed != 0;
}
