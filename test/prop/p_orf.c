/* Places in upper levels for random kernels, with their strands and with any others at all: with each option the oracle
 * agrees, sees a place that is made wrong, no allocation costs more than none, the same kernel gets the same places,
 * and a limit (section 8.3) bounds the design that it is a limit of. Usage: p_orf [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "passes/orf_alloc.h"
#include "passes/orf_traffic.h"
#include "test/prop/launch.h"
#include "test/unit/cfg_spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct orf_options random_options(uint64_t *rng)
{
	static const unsigned warps[] = { 8, 4, 6, 32 };

	struct orf_options o = { .exact_seconds = 20 };

	o.entries = 1 + rng_below(rng, ORF_ENTRIES_MAX);
	o.warps = warps[rng_below(rng, 4)];
	o.cost_entries = rng_below(rng, 4) ? 0 : 1 + rng_below(rng, ORF_ENTRIES_MAX);
	o.partial = rng_below(rng, 4);
	o.read_operands = rng_below(rng, 4);
	o.forward_branches = rng_below(rng, 4);
	o.writes = rng_below(rng, ORF_WRITES_COUNT);
	o.ranges = rng_below(rng, ORF_RANGES_COUNT);
	o.weights = rng_below(rng, ORF_WEIGHTS_COUNT);
	return o;
}

/* Beginnings and numbers without a meaning: long strands, or short ones, joined or not, where the code goes on in
 * others. */
static void random_strands(struct kernel *k, uint64_t *rng)
{
	uint32_t *id = new_array(k->a, uint32_t, (size_t)k->ninsn + 1), length = 1 + rng_below(rng, 40),
		 n = 1 + rng_below(rng, 3);
	uint8_t *begin = new_array(k->a, uint8_t, (size_t)k->ninsn + 1);
	struct strands *s = new(k->a, struct strands);

	for (uint32_t i = 0; i < k->ninsn; i++) {
		if (i)
			id[i] = id[i - 1];
		if (!i || rng_below(rng, length) == 0) {
			begin[i] = STRAND_BEGIN;
			id[i] = rng_below(rng, n);
		}
	}
	*s = (struct strands){ .id = id, .begin = begin, .n = n };
	k->strand = s;
	k->facts |= FACT_STRAND;
}

static bool allocate(struct kernel *k, struct pass_ctx *cx)
{
	k->facts &= ~(unsigned)FACT_ORF;
	return pass_need(k, FACT_ORF, cx) && check_orf(k, cx->diag);
}

/* By its own measure an allocation never costs more than none, and each operand is somewhere. */
static bool costs_no_more(const struct kernel *k, struct pass_ctx *cx)
{
	for (enum orf_organisation org = 0; org < ORG_COUNT; org++) {
		struct orf_traffic t;
		struct orf_spent s;

		orf_traffic_count(&t, k, k->orf[org], k->orf[org]->options.weights);
		s = orf_traffic_energy(&t, &cx->opt.orf);
		if (s.access + s.wire > (s.base_access + s.base_wire) * (1 + 1e-9))
			return diag_error_plain(cx->diag, "random", "%g pJ instead of %g", s.access + s.wire,
						s.base_access + s.base_wire);
		for (unsigned x = 0; x < 2; x++) {
			double r = t.read[LEVEL_MRF][x] + t.read[LEVEL_L1][x] + t.read[LEVEL_L0][x], w = 0;

			for (enum rf_level l = 0; l < RF_LEVELS; l++)
				w += t.write[l][x];
			if (r < t.operands_read[x] || r > t.operands_read[x] || w < t.operands_written[x] ||
			    t.read[LEVEL_L0][1] + t.write[LEVEL_L0][1] > 0)
				return diag_error_plain(cx->diag, "random", "operands are lost");
		}
	}
	return true;
}

static bool reachable(const struct kernel *k, uint32_t insn)
{
	uint32_t b = 0;

	while (insn >= k->block[b].first + k->block[b].n)
		b++;
	return k->cfg->rpo_index[b] != UINT32_MAX;
}

/* An entry of L1 that register r is never put into, or ORF_ENTRIES_MAX: another one may well hold it too. */
static unsigned entry_without(const struct kernel *k, const struct orf *o, unsigned r)
{
	uint32_t with = 0;
	unsigned e = 0;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct insn_regs q;

		ir_insn_regs(k, &k->insn[i], &q);
		for (unsigned x = 0; x < q.nsrc + q.ndst; x++) {
			uint8_t p = o->place[o->at[i] + x];

			if ((x < q.nsrc ? q.src[x] : q.dst[x - q.nsrc]) == r && place_level(p) == LEVEL_L1)
				with |= (uint32_t)1 << place_entry(p);
		}
	}
	while (e < ORF_ENTRIES_MAX && with >> e & 1)
		e++;
	return e;
}

/* One read from another entry, or one result that is missing in the main register file: the oracle must see it. */
static bool refuses_wrong(struct kernel *k, struct pass_ctx *cx, uint64_t *rng)
{
	struct orf *o = k->orf[rng_below(rng, ORG_COUNT)];
	uint8_t *place = (uint8_t *)o->place;
	struct insn_regs r;

	for (unsigned tries = 0; tries < 50 && k->ninsn; tries++) {
		uint32_t i = rng_below(rng, k->ninsn), n = o->at[i + 1] - o->at[i], x;
		unsigned other = 0;
		uint8_t was;

		if (!n || !reachable(k, i))
			continue;
		ir_insn_regs(k, &k->insn[i], &r);
		x = rng_below(rng, n);
		was = place[o->at[i] + x];
		if (place_level(was) == LEVEL_MRF || (x >= r.nsrc) != place_mrf(was))
			continue;
		if (x < r.nsrc && (other = entry_without(k, o, r.src[x])) == ORF_ENTRIES_MAX)
			continue;
		place[o->at[i] + x] = x < r.nsrc ? place_of(LEVEL_L1, other, false)
						 : place_of(place_level(was), place_entry(was), false);
		if (check_orf(k, cx->diag))
			return diag_error_plain(cx->diag, "random",
						"instruction %u: a wrong place of operand %u is not seen", i, x);
		place[o->at[i] + x] = was;
		diag_free(cx->diag);
		diag_init(cx->diag, NULL);
		return true;
	}
	return true;
}

static double spent(const struct kernel *k, enum orf_organisation org, const struct orf_options *o, double *base)
{
	struct orf_traffic t = { .fills = 0 };
	struct orf_spent s;

	orf_traffic_count(&t, k, k->orf[org], o->weights);
	s = orf_traffic_energy(&t, o);
	*base = s.base_access + s.base_wire;
	return s.access + s.wire;
}

static bool is_limit(const struct orf_options *o)
{
	return o->never_flush || (o->cost_entries && o->cost_entries < o->entries);
}

/* A limit, which k has, costs no more than each design that it bounds, as often as blocks execute. */
static bool bounds_designs(struct kernel *k, struct pass_ctx *cx)
{
	struct orf_options *o = &cx->opt.orf;
	const struct orf_options limit = *o;
	double cost[ORG_COUNT], base;
	bool ok = true;

	for (enum orf_organisation org = 0; org < ORG_COUNT; org++)
		cost[org] = spent(k, org, &k->orf[org]->options, &base);
	if (o->cost_entries && o->cost_entries < o->entries) {
		o->entries = o->cost_entries;
		o->cost_entries = 0;
	}
	for (unsigned past = limit.past_barriers; ok && past <= (limit.never_flush || limit.past_barriers); past++) {
		struct orf_options weighed = *o;

		weighed.weights = ORF_WEIGHTS_FREQ;
		o->never_flush = false;
		o->past_barriers = past;
		if (limit.never_flush)
			k->facts &= ~(unsigned)FACT_STRAND;
		ok = pass_need(k, FACT_CFG | (limit.never_flush ? FACT_STRAND : 0), cx) && allocate(k, cx);
		for (enum orf_organisation org = 0; ok && org < ORG_COUNT; org++) {
			const double design = spent(k, org, &weighed, &base);

			if (cost[org] > design * (1 + 1e-9))
				ok = diag_error_plain(cx->diag, "random", "%s: a limit costs %g pJ, the design %g",
						      orf_organisation_name[org], cost[org], design);
		}
	}
	*o = limit;
	if (limit.never_flush)
		k->facts &= ~(unsigned)FACT_STRAND;
	return ok && pass_need(k, FACT_CFG | (limit.never_flush ? FACT_STRAND : 0), cx) && allocate(k, cx);
}

/* Without any time to search, the places are the greedy ones, which k has, and there is a bound all the same. */
static bool greedy_without_time(struct kernel *k, struct pass_ctx *cx)
{
	struct orf *greedy[ORG_COUNT];
	bool ok;

	memcpy(greedy, k->orf, sizeof greedy);
	cx->opt.orf.exact = true;
	cx->opt.orf.exact_seconds = 0;
	ok = allocate(k, cx);
	for (enum orf_organisation org = 0; ok && org < ORG_COUNT; org++) {
		const struct orf *x = k->orf[org];

		if (memcmp(greedy[org]->place, x->place, x->at[k->ninsn]) != 0 || x->greedy > x->saved ||
		    x->saved > x->greedy || x->bound < x->saved)
			ok = diag_error_plain(
				cx->diag, "random",
				"%s: no time for the best allocation, and it is not the greedy one with a bound",
				orf_organisation_name[org]);
	}
	cx->opt.orf.exact = false;
	return ok;
}

/* The best allocation costs no more than the greedy one, whose places k has, by what it says, which is what its places
 * come to. */
static bool best_is_better(struct kernel *k, struct pass_ctx *cx)
{
	struct orf_options *o = &cx->opt.orf;
	double greedy[ORG_COUNT], best, base, off;
	bool ok = true;

	for (enum orf_organisation org = 0; org < ORG_COUNT; org++)
		greedy[org] = spent(k, org, o, &base);
	o->exact = true;
	o->exact_seconds = 20;
	ok = allocate(k, cx);
	for (enum orf_organisation org = 0; ok && org < ORG_COUNT; org++) {
		const struct orf *x = k->orf[org];

		best = spent(k, org, o, &base);
		off = 1e-6 + base * 1e-9;
		ok = x->greedy <= x->saved && x->saved <= x->bound && fabs(base - best - x->saved * 1e-3) < off &&
		     fabs(base - greedy[org] - x->greedy * 1e-3) < off;
		if (!ok)
			diag_error_plain(cx->diag, "random",
					 "%s saves %.3f of %.3f pJ, the greedy one %.3f, where they say %.3f, %.3f and "
					 "at most %.3f",
					 orf_organisation_name[org], base - best, base, base - greedy[org],
					 x->saved * 1e-3, x->greedy * 1e-3, x->bound * 1e-3);
	}
	o->exact = false;
	return ok;
}

static bool try_options(struct kernel *k, struct pass_ctx *cx, uint64_t *rng, uint64_t *upper)
{
	for (unsigned n = 0; n < 4; n++) {
		struct orf first[ORG_COUNT];

		cx->opt.orf = random_options(rng);
		cx->opt.orf.never_flush = !n && rng_below(rng, 4) == 0; /* it is for strands that are made for it */
		cx->opt.orf.past_barriers = !cx->opt.orf.never_flush && rng_below(rng, 4) == 0;
		k->facts &= ~(unsigned)FACT_STRAND;
		if (!pass_need(k, n ? FACT_CFG : FACT_STRAND, cx))
			return false;
		if (n)
			random_strands(k, rng);
		if (!allocate(k, cx))
			return false;
		for (unsigned o = 0; o < ORG_COUNT; o++)
			first[o] = *k->orf[o];
		if (!allocate(k, cx))
			return false;
		for (unsigned o = 0; o < ORG_COUNT; o++) {
			if (memcmp(first[o].place, k->orf[o]->place, first[o].at[k->ninsn]) != 0)
				return diag_error_plain(cx->diag, "random", "other places the second time");
			for (uint32_t x = 0; x < first[o].at[k->ninsn]; x++)
				*upper += place_level(first[o].place[x]) != LEVEL_MRF;
		}
		if (!costs_no_more(k, cx))
			return false;
		if (is_limit(&cx->opt.orf)) {
			if (!bounds_designs(k, cx))
				return false;
		} else if (!greedy_without_time(k, cx) || (!n && !best_is_better(k, cx))) {
			return false;
		}
		if (!refuses_wrong(k, cx, rng))
			return false;
	}
	return true;
}

static bool try(uint64_t seed, uint64_t *upper)
{
	struct gen_options o;
	struct kernel *k = NULL;
	struct pass_ctx cx;
	struct arena a;
	struct diag d;
	uint64_t rng = seed;
	bool ok;

	arena_init(&a);
	diag_init(&d, NULL);
	pass_ctx_init(&cx, &d);
	if (seed % 3 == 0) { /* any control flow at all */
		k = spec_random(&a, FORM_MACHINE, 1 + rng_below(&rng, 20), 1 + rng_below(&rng, 20), seed);
		ok = true;
	} else {
		struct module *m;

		cx.opt.maxreg = seed % 2 ? 63 : 20;
		gen_options_random(&o, seed);
		m = gen_module(seed, &o, &a, &d);
		ok = m && pass_compile(k = m->kernel[0], &cx);
	}
	ok = ok && try_options(k, &cx, &rng, upper);
	if (!ok)
		printf("p_orf: seed %llu: %s", (unsigned long long)seed, d.last ? d.last : "failed\n");
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 200, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1,
		 upper = 0;
	unsigned failed = 0;

	for (uint64_t s = first; s < first + seeds && failed < 5; s++)
		failed += !try(s, &upper);
	printf("p_orf: %llu kernels, %llu operands in upper levels, %u failed\n", (unsigned long long)seeds,
	       (unsigned long long)upper, failed);
	return failed != 0;
}
