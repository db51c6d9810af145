/* Allocation of values to the upper levels of the register file (Gebhart et al., TOCS 2012, section 5): for each
 * organisation and each region of the kernel the values, what is picked of them, and the places that follow. */
#include "orf_alloc.h"
#include "orf_exact.h"

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

const char *orf_allocate(struct kernel *k, const struct orf_options *o, struct arena *scratch)
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

enum pass_result pass_orf(struct kernel *k, struct pass_ctx *cx)
{
	const char *why;

	memset(k->orf, 0, sizeof k->orf);
	if (k->form != FORM_MACHINE)
		return PASS_SAME;
	why = orf_allocate(k, &cx->opt.orf, &cx->scratch);
	if (!why)
		return PASS_SAME;
	diag_error_plain(cx->diag, k->name, "the solver of the best allocation failed: %s", why);
	return PASS_FAILED;
}
