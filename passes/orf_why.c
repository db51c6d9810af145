/* Why an operand is in the main register file alone, found again from places and the values that they were chosen
 * of. */
#include "orf_why.h"

#include "orf_alloc.h"

const char *const orf_why_name[ORF_WHYS] = {
	[ORF_WHY_NOT] = "",
	[ORF_WHY_LONG] = "long latency",
	[ORF_WHY_CALL] = "call",
	[ORF_WHY_STRAND] = "other strand",
	[ORF_WHY_LEVELS] = "one level",
	[ORF_WHY_WORTH] = "saves nothing",
	[ORF_WHY_ENTRY] = "no entry",
};

static bool upper(uint8_t place) { return place_level(place) != LEVEL_MRF; }

/* What holds of operands that are of no value. */
static void of_segment(const struct orf_code *c, const struct orf_segment *s, const struct orf *o, uint8_t *why)
{
	const struct insn *last = &c->k->insn[s->first + s->n - 1];
	bool call = op_info[last->op].flags & OPF_CALL;

	for (uint32_t i = s->first; i < s->first + s->n; i++) {
		bool late = insn_is_long(&c->k->insn[i]);
		struct insn_regs regs;

		ir_insn_regs(c->k, &c->k->insn[i], &regs);
		for (unsigned x = 0; x < (unsigned)regs.nsrc + regs.ndst; x++)
			if (upper(o->place[o->at[i] + x]))
				why[o->at[i] + x] = ORF_WHY_NOT;
			else if (x < regs.nsrc)
				why[o->at[i] + x] = ORF_WHY_STRAND;
			else if (late)
				why[o->at[i] + x] = ORF_WHY_LONG;
			else
				why[o->at[i] + x] = call ? ORF_WHY_CALL : ORF_WHY_STRAND;
	}
}

/* Of what is not picked of value v, with all its reads. */
static enum orf_why of_value(struct orf_work *w, const struct orf_value *v, const struct orf_bank *bank, unsigned n)
{
	enum orf_why why = ORF_WHY_LEVELS;

	for (unsigned b = 0; b < n; b++) {
		struct orf_cut cut;

		orf_cut(w, v, v->nread, bank[b], &cut);
		if (cut.possible && cut.saved > 0)
			return ORF_WHY_ENTRY;
		if (cut.possible)
			why = ORF_WHY_WORTH;
	}
	return why;
}

static void put_value(struct orf_work *w, const struct orf_value *v, const struct orf_bank *bank, unsigned nbank,
		      const struct orf *o, uint8_t *why)
{
	enum orf_why all = ORF_WHY_NOT;

	for (uint32_t x = 0; x < v->nwrite + v->nread; x++) {
		const struct orf_write *wr = x < v->nwrite ? &w->write[v->write + x] : NULL;
		const struct orf_read *rd = wr ? NULL : &w->read[v->read + x - v->nwrite];
		uint32_t insn = wr ? wr->insn : rd->insn, at = o->at[insn] + (wr ? wr->index : rd->index);

		if (wr && wr->fill)
			continue; /* it comes from elsewhere, whether it stays or not */
		if (wr) {
			struct insn_regs regs;

			ir_insn_regs(w->c->k, &w->c->k->insn[insn], &regs);
			at += regs.nsrc;
		}
		if (upper(o->place[at]))
			continue;
		if (all == ORF_WHY_NOT)
			all = of_value(w, v, bank, nbank);
		why[at] = (uint8_t)all;
	}
}

const uint8_t *orf_why(const struct kernel *k, enum orf_organisation org, struct arena *a)
{
	const struct orf *o = k->orf[org];
	uint8_t *why = new_array(a, uint8_t, (size_t)o->at[k->ninsn] + 1);
	struct orf_options how = o->options;
	struct orf_bank bank[ORF_BANKS_MAX];
	unsigned nl0;
	struct orf_code c;
	struct orf_work w;

	if (!(k->facts & FACT_FREQ))
		how.weights = ORF_WEIGHTS_STATIC;
	orf_banks(org, o->entries, bank, &nl0);
	orf_code_build(&c, k, &how, a);
	orf_work_init(&w, &c, a);
	for (uint32_t s = 0; s < c.nseg; s++)
		of_segment(&c, &c.seg[s], o, why);
	for (uint32_t r = 0; r < c.nregion; r++) {
		orf_values_find(&w, &c.region[r]);
		for (uint32_t v = 0; v < w.nvalue; v++)
			put_value(&w, &w.value[v], bank, nl0 + 1, o, why); /* all entries of L1 save alike */
	}
	return why;
}

void orf_why_count(const struct kernel *k, enum orf_organisation org, const uint8_t *why, uint32_t results[ORF_WHYS])
{
	memset(results, 0, ORF_WHYS * sizeof *results);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct insn_regs regs;

		ir_insn_regs(k, &k->insn[i], &regs);
		for (unsigned d = 0; d < regs.ndst; d++)
			results[why[k->orf[org]->at[i] + regs.nsrc + d]]++;
	}
}
