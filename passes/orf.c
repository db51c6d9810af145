/* Allocation of values to the upper levels of the register file (Gebhart et al., TOCS 2012, section 5): for each organisation and each
 * region of the kernel the values, what is picked of them, and the places that follow. */
#include "orf_alloc.h"

const char *const orf_organisation_name[ORG_COUNT] = { [ORG_ORF] = "orf", [ORG_LRF] = "lrf+orf", [ORG_SPLIT] = "split-lrf+orf" };

struct orf *orf_places_new(struct kernel *k, unsigned entries)
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
	*o = (struct orf){ .entries = (uint8_t)entries, .at = at, .place = place };
	return o;
}

static void put(const struct orf_work *w, const struct orf_value *v, uint32_t n, const struct orf_cut *cut, struct orf_bank bank,
                const struct orf *places)
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
		place[places->at[wr->insn] + wr->index + (wr->fill ? 0 : regs.nsrc)] = place_of(bank.level, bank.entry, wr->fill || cut->mrf[x]);
	}
}

void orf_places_put(struct orf_work *w, enum orf_organisation org, const struct orf_pick *picks, const struct orf *places)
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

void orf_allocate(struct kernel *k, const struct orf_options *o, struct arena *scratch)
{
	struct orf_greedy *g = orf_greedy_new(scratch);
	struct orf_pick *picks = NULL;
	uint32_t cap = 0;
	struct orf_code c;
	struct orf_work w;

	orf_code_build(&c, k, o, scratch);
	orf_work_init(&w, &c, scratch);
	for (enum orf_organisation org = 0; org < ORG_COUNT; org++)
		k->orf[org] = orf_places_new(k, o->entries);
	for (uint32_t r = 0; r < c.nregion; r++) {
		orf_values_find(&w, &c.region[r]);
		while (cap < w.nvalue)
			picks = arena_regrow(scratch, picks, sizeof *picks, 0, &cap);
		for (enum orf_organisation org = 0; org < ORG_COUNT; org++) {
			orf_greedy_pick(g, &w, org, picks);
			orf_places_put(&w, org, picks, k->orf[org]);
		}
	}
}

enum pass_result pass_orf(struct kernel *k, struct pass_ctx *cx)
{
	memset(k->orf, 0, sizeof k->orf);
	if (k->form == FORM_MACHINE)
		orf_allocate(k, &cx->opt.orf, &cx->scratch);
	return PASS_SAME;
}
