/* Allocation of values to the upper levels of the register file (Gebhart et al., TOCS 2012, section 5): for each
 * organisation and each region of the kernel the values, what is picked of them, and the places that follow.
 *
 * Limits (section 8.3: warps that keep their entries; more entries at the energy of fewer) are to bound the design that
 * they are told of. A greedy allocation does not: longer strands and more entries let it take values that are in the
 * way of better ones, and a long strand has parts that execute more often than others. So a limit counts blocks as
 * often as they execute, and each of its strands has the places of the design where those save more. That is a bound
 * for the run that a profile counted; without a profile, for the estimated one. */
#include "orf_alloc.h"
#include "orf_exact.h"
#include "orf_traffic.h"

const char *const orf_organisation_name[ORG_COUNT] = {
	[ORG_ORF] = "orf", [ORG_LRF] = "lrf+orf", [ORG_SPLIT] = "split-lrf+orf"
};

/* All operands of k in the main register file, for an organisation. In k's arena. */
static struct orf *places_new(struct kernel *k, const struct orf_options *how)
{
	struct orf *o = new(k->a, struct orf);
	uint32_t *at = new_array(k->a, uint32_t, (size_t)k->ninsn + 1), n = 0;
	struct insn_regs regs;
	uint8_t *place;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		at[i] = n;
		ir_insn_regs(k, &k->insn[i], &regs);
		n += regs.nsrc + regs.ndst;
	}
	at[k->ninsn] = n;
	place = new_array(k->a, uint8_t, (size_t)n + 1);
	memset(place, place_of(LEVEL_MRF, 0, true), n);
	*o = (struct orf){ .entries = (uint8_t)how->entries, .at = at, .place = place, .options = *how };
	return o;
}

static void put(const struct orf_work *w, const struct orf_value *v, uint32_t n, const struct orf_cut *cut,
		struct orf_bank bank, const struct orf *places)
{
	uint8_t *place = (uint8_t *)places->place;

	for (uint32_t x = 0; x < n; x++) {
		const struct orf_read *rd = &w->read[v->read + x];

		place[places->at[rd->insn] + rd->index] = place_of(bank.level, bank.entry, false);
	}
	for (uint32_t x = 0; x < v->nwrite; x++) {
		const struct orf_write *wr = &w->write[v->write + x];
		struct insn_regs regs;

		if (!cut->used[x])
			continue;
		ir_insn_regs(w->c->k, &w->c->k->insn[wr->insn], &regs);
		place[places->at[wr->insn] + wr->index + (wr->fill ? 0 : regs.nsrc)] =
			place_of(bank.level, bank.entry, wr->fill || cut->mrf[x]);
	}
}

/* Operands of the values that were picked go to their entries. */
static void places_put(struct orf_work *w, enum orf_organisation org, const struct orf_pick *picks,
		       const struct orf *places)
{
	struct orf_bank bank[ORF_BANKS_MAX];
	unsigned nl0;

	orf_banks(org, places->entries, bank, &nl0);
	for (uint32_t v = 0; v < w->nvalue; v++) {
		struct orf_cut cut;

		if (picks[v].bank == ORF_BANKS_MAX)
			continue;
		orf_cut(w, &w->value[v], picks[v].n, bank[picks[v].bank], &cut);
		put(w, &w->value[v], picks[v].n, &cut, bank[picks[v].bank], places);
	}
}

/* The picks of the best allocation, region by region in the order in which they were added. */
static const char *put_best(struct kernel *k, struct orf_exact *x, const struct orf_code *c, struct orf_work *w)
{
	const char *why = orf_exact_solve(x, c->o->exact_seconds);

	for (uint32_t r = 0, n = 0; r < c->nregion; r++) {
		orf_values_find(w, &c->region[r]);
		for (enum orf_organisation org = 0; org < ORG_COUNT; org++)
			places_put(w, org, orf_exact_picks(x, n++), k->orf[org]);
	}
	for (enum orf_organisation org = 0; org < ORG_COUNT; org++) {
		struct orf_saved s = orf_exact_saved(x, org);

		k->orf[org]->greedy = s.greedy;
		k->orf[org]->saved = s.saved;
		k->orf[org]->bound = s.bound;
	}
	return why;
}

static const char *allocate(struct kernel *k, const struct orf_options *o, struct arena *scratch)
{
	struct orf_exact *best = o->exact ? orf_exact_new(scratch) : NULL;
	struct orf_greedy *g = orf_greedy_new(scratch);
	struct orf_pick *picks = NULL;
	uint32_t cap = 0;
	struct orf_code c;
	struct orf_work w;

	orf_code_build(&c, k, o, scratch);
	orf_work_init(&w, &c, scratch);
	for (enum orf_organisation org = 0; org < ORG_COUNT; org++)
		k->orf[org] = places_new(k, o);
	for (uint32_t r = 0; r < c.nregion; r++) {
		orf_values_find(&w, &c.region[r]);
		while (cap < w.nvalue)
			picks = arena_regrow(scratch, picks, sizeof *picks, 0, &cap);
		for (enum orf_organisation org = 0; org < ORG_COUNT; org++) {
			orf_greedy_pick(g, &w, org, picks);
			if (best)
				orf_exact_add(best, &w, org, picks);
			else
				places_put(&w, org, picks, k->orf[org]);
		}
	}
	return best ? put_best(k, best, &c, &w) : NULL;
}

/* ---- limits ---- */
static bool is_limit(const struct orf_options *o)
{
	return o->never_flush || (o->cost_entries && o->cost_entries < o->entries);
}

/* The design that limit o bounds; past_barriers: the one of which strands go on past barriers. */
static struct orf_options bounded_by(const struct orf_options *o, bool past_barriers)
{
	struct orf_options x = *o;

	x.never_flush = false;
	x.past_barriers = past_barriers;
	if (o->cost_entries && o->cost_entries < o->entries) {
		x.entries = o->cost_entries;
		x.cost_entries = 0;
	}
	return x;
}

/* What the operands of instruction i cost, fJ. */
static double cost_of(const struct kernel *k, const struct orf *o, uint32_t i, const struct orf_energies *e)
{
	const unsigned shared = insn_is_shared(&k->insn[i]);
	const uint8_t *place = o->place + o->at[i];
	struct insn_regs r;
	double sum = 0;

	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned x = 0; x < (unsigned)r.nsrc + r.ndst; x++) {
		const enum rf_level level = place_level(place[x]);
		const bool two = level != LEVEL_MRF && place_mrf(place[x]);

		if (x < r.nsrc)
			sum += two ? e->read[LEVEL_MRF][shared] + e->write[level][shared] : e->read[level][shared];
		else
			sum += e->write[level][shared] + (two ? e->write[LEVEL_MRF][shared] : 0);
	}
	return sum;
}

/* Where strands of k save less than the design does in their code, they get its places. */
static void take_better(const struct kernel *k, struct orf *own, const struct orf *design, struct arena *a)
{
	double *more = new_array(a, double, (size_t)k->strand->n + 1); /* what own costs more, by strand */
	struct orf_energies e;

	orf_energies(&e, &own->options);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++)
			more[k->strand->id[i]] += orf_block_weight(k, own->options.weights, b) *
						  (cost_of(k, own, i, &e) - cost_of(k, design, i, &e));
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (more[k->strand->id[i]] > 0)
			memcpy((uint8_t *)own->place + own->at[i], design->place + design->at[i],
			       own->at[i + 1] - own->at[i]);
}

const char *orf_allocate(struct kernel *k, const struct orf_options *o, struct arena *scratch)
{
	struct orf_options how = *o;
	const char *why;

	if (!is_limit(o))
		return allocate(k, o, scratch);
	how.weights = ORF_WEIGHTS_FREQ;
	why = allocate(k, &how, scratch);
	/* the best one is a bound of itself */
	for (unsigned past = o->past_barriers; !why && !o->exact && past <= (o->never_flush || o->past_barriers);
	     past++) {
		struct orf_options less = bounded_by(o, past);
		struct kernel design = *k;

		design.a = scratch;
		if (o->never_flush)
			design.strand = strands_find(k, &less, scratch, scratch);
		why = allocate(&design, &less, scratch);
		for (enum orf_organisation org = 0; org < ORG_COUNT && !why; org++)
			take_better(k, k->orf[org], design.orf[org], scratch);
	}
	return why;
}

enum pass_result pass_orf(struct kernel *k, struct pass_ctx *cx)
{
	const char *why;

	memset(k->orf, 0, sizeof k->orf);
	if (k->form != FORM_MACHINE)
		return PASS_SAME;
	why = orf_allocate(k, &cx->opt.orf, &cx->scratch);
	if (!why)
		return check_orf(k, cx->diag) ? PASS_SAME : PASS_FAILED;
	diag_error_plain(cx->diag, k->name, "the solver of the best allocation failed: %s", why);
	return PASS_FAILED;
}
