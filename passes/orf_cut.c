/* What it saves to keep a value, or its first reads, in an entry, and where it takes one: Figures 10 and 13 as one
 * formula. Each read from the upper level saves a read of the main register file and costs one of that level; each
 * write that such a read may find costs one; a result that neither outlives its region nor is read from the main
 * register file in it saves its write there. A fill is read from the main register file as before, and written: with n
 * reads, Figure 13's n - 1 savings and one write. Wires and the distance of shared units are in the energies. */
#include "orf_alloc.h"

#include <math.h>

struct orf_marks {
	uint32_t now; /* stamp of the cut at hand, in node.seen */
	bool *used, *mrf;
	uint32_t write_cap; /* by write of the value */
	/* by segment of the region: the value is live into it; all false between cuts */
	bool *live;
	uint32_t seg_cap;
	struct orf_span *span;
	uint32_t span_cap;
};

void orf_energies(struct orf_energies *e, const struct orf_options *o)
{
	for (enum rf_level l = 0; l < RF_LEVELS; l++)
		for (unsigned shared = 0; shared < 2; shared++) {
			struct rf_access x =
				orf_operand_energy(l, o->cost_entries ? o->cost_entries : o->entries, o->warps, shared);

			e->read[l][shared] = round(x.read * 1000);
			e->write[l][shared] = round(x.write * 1000);
		}
}

void orf_cut_init(struct orf_work *w) { w->marks = new(w->a, struct orf_marks); }

unsigned orf_banks(enum orf_organisation org, unsigned entries, struct orf_bank bank[ORF_BANKS_MAX], unsigned *nl0)
{
	unsigned n = 0;

	switch (org) {
	case ORG_ORF:
	case ORG_COUNT:
		break;
	case ORG_LRF:
		bank[n++] = (struct orf_bank){ LEVEL_L0, 0, NO_SLOT };
		break;
	case ORG_SPLIT:
		for (unsigned s = 0; s < NO_SLOT; s++)
			bank[n++] = (struct orf_bank){ LEVEL_L0, (uint8_t)s, (uint8_t)s };
		break;
	}
	*nl0 = n;
	for (unsigned e = 0; e < entries; e++)
		bank[n++] = (struct orf_bank){ LEVEL_L1, (uint8_t)e, NO_SLOT };
	return n;
}

/* Marks the writes in a set: `which` 0 those that a kept read may find, 1 the results that another one may. */
static void mark(struct orf_work *w, uint32_t set, unsigned which, bool *flag)
{
	uint32_t top = 0, now = w->marks->now;

	arena_grow(w->a, w->stack, top, w->stack_cap);
	w->stack[top++] = set;
	while (top) {
		struct orf_node *x = &w->node[w->stack[--top]];

		/* Results that go to the main register file in any case may be no writes of this value; the others
		 * are. */
		if (x == w->node || x->seen[which] == now || (which && x->kept))
			continue;
		x->seen[which] = now;
		if (!x->b) {
			flag[x->a] = true;
			continue;
		}
		for (unsigned side = 0; side < 2; side++) {
			arena_grow(w->a, w->stack, top, w->stack_cap);
			w->stack[top++] = side ? x->b : x->a;
		}
	}
}

static void mark_writes(struct orf_work *w, const struct orf_value *v, uint32_t n)
{
	struct orf_marks *m = w->marks;

	if (v->nwrite > m->write_cap) {
		m->write_cap = 2 * v->nwrite;
		m->used = new_array(w->a, bool, m->write_cap);
		m->mrf = new_array(w->a, bool, m->write_cap);
	}
	m->now++;
	for (uint32_t x = 0; x < v->nwrite; x++) {
		m->used[x] = v->nread == 0;
		m->mrf[x] = w->write[v->write + x].mrf;
	}
	for (uint32_t x = 0; x < v->nread; x++)
		if (x < n)
			mark(w, w->read[v->read + x].found, 0, m->used);
		else
			mark(w, w->read[v->read + x].results, 1, m->mrf);
}

static bool suits(const struct orf_work *w, const struct orf_value *v, uint32_t n, struct orf_bank bank)
{
	const struct orf_marks *m = w->marks;

	for (uint32_t x = 0; x < v->nwrite; x++) {
		const struct orf_write *wr = &w->write[v->write + x];

		if (!m->used[x])
			continue;
		if (bank.level == LEVEL_L0 &&
		    (wr->shared || (wr->fill && bank.slot != NO_SLOT && bank.slot != wr->slot)))
			return false;
		if (m->mrf[x] && !wr->fill &&
		    (w->c->o->writes == ORF_WRITES_ONE || (w->c->o->writes == ORF_WRITES_L0 && bank.level != LEVEL_L0)))
			return false;
	}
	for (uint32_t x = 0; x < n && bank.level == LEVEL_L0; x++) {
		const struct orf_read *rd = &w->read[v->read + x];

		if (rd->shared || (bank.slot != NO_SLOT && bank.slot != rd->slot))
			return false;
	}
	return true;
}

static double weight(const struct orf_work *w, uint32_t seg) { return w->c->seg[seg].weight; }

static double saved(const struct orf_work *w, const struct orf_value *v, uint32_t n, enum rf_level level)
{
	const struct orf_marks *m = w->marks;
	double s = 0;

	for (uint32_t x = 0; x < n; x++) {
		const struct orf_read *rd = &w->read[v->read + x];

		s += weight(w, rd->seg) * (w->fj.read[LEVEL_MRF][rd->shared] - w->fj.read[level][rd->shared]);
	}
	for (uint32_t x = 0; x < v->nwrite; x++) {
		const struct orf_write *wr = &w->write[v->write + x];

		if (m->used[x])
			s -= weight(w, wr->seg) * w->fj.write[level][wr->shared];
		if (m->used[x] && !wr->fill && !m->mrf[x])
			s += weight(w, wr->seg) * w->fj.write[LEVEL_MRF][wr->shared];
	}
	return s;
}

/* ---- where it takes an entry ---- */
/* backwards over the region */
struct walk {
	struct orf_work *w;
	uint32_t nspan;
	double slots;
};

static void add_span(struct walk *k, uint32_t seg, uint32_t from, uint32_t to)
{
	struct orf_marks *m = k->w->marks;

	if (from == to)
		return;
	arena_grow(k->w->a, m->span, k->nspan, m->span_cap);
	m->span[k->nspan++] = (struct orf_span){ from, to };
	k->slots += weight(k->w, seg) * (to - from);
}

static uint32_t point_of(const struct orf_segment *s, uint32_t insn) { return s->point + insn - s->first; }

/* The part of the walk in one segment: *rd reads and *wr writes before its end have not been met. */
static void walk_segment(struct walk *k, const struct orf_value *v, uint32_t seg, uint32_t *rd, uint32_t *wr)
{
	struct orf_work *w = k->w;
	const struct orf_segment *s = &w->c->seg[seg];
	uint32_t hi = s->point + s->n;
	bool live = false;

	for (uint32_t e = 0; e < s->nsucc; e++)
		live |= w->marks->live[s->succ[e] - w->r->seg];
	for (;;) {
		const struct orf_read *r = *rd ? &w->read[v->read + *rd - 1] : NULL;
		const struct orf_write *x;

		while (*wr && !w->marks->used[*wr - 1])
			--*wr;
		x = *wr ? &w->write[v->write + *wr - 1] : NULL;
		/* it is written after it is read */
		if (x && x->seg == seg && (!r || r->seg != seg || x->insn >= r->insn)) {
			uint32_t p = point_of(s, x->insn);

			if (!live)
				add_span(k, seg, p, p + 1); /* whatever was there is gone */
			else if (!x->guarded)
				add_span(k, seg, p, hi);
			live = live && x->guarded;
			--*wr;
		} else if (r && r->seg == seg) {
			if (!live)
				hi = point_of(s, r->insn);
			live = true;
			--*rd;
		} else {
			break;
		}
	}
	if (live)
		add_span(k, seg, s->point, hi);
	w->marks->live[seg - w->r->seg] = live;
}

/* From the first point of *span, in segment `first`, to the last read: Figure 11. Returns the slots. */
static double one_span(const struct orf_work *w, struct orf_span *span, uint32_t first, const struct orf_read *last)
{
	double slots = 0;

	span->to = point_of(&w->c->seg[last->seg], last->insn);
	for (uint32_t s = first; s <= last->seg; s++) {
		const struct orf_segment *x = &w->c->seg[s];
		uint32_t from = span->from > x->point ? span->from : x->point;
		uint32_t to = span->to < x->point + x->n ? span->to : x->point + x->n;

		slots += from < to ? x->weight * (to - from) : 0;
	}
	return slots;
}

static void find_spans(struct orf_work *w, const struct orf_value *v, uint32_t n, struct orf_cut *out)
{
	struct orf_marks *m = w->marks;
	struct walk k = { .w = w };
	uint32_t rd = n, wr = v->nwrite, first = w->write[v->write].seg, last = w->write[v->write + v->nwrite - 1].seg;

	if (n && w->read[v->read + n - 1].seg > last)
		last = w->read[v->read + n - 1].seg;
	if (w->r->nseg > m->seg_cap) {
		m->seg_cap = 2 * w->r->nseg;
		m->live = new_array(w->a, bool, m->seg_cap);
	}
	for (uint32_t s = last + 1; s-- > first;)
		walk_segment(&k, v, s, &rd, &wr);
	memset(m->live + (first - w->r->seg), 0, (last + 1 - first) * sizeof *m->live);
	for (uint32_t x = 0; x < k.nspan / 2; x++) {
		struct orf_span t = m->span[x];

		m->span[x] = m->span[k.nspan - 1 - x];
		m->span[k.nspan - 1 - x] = t;
	}
	if (w->c->o->ranges == ORF_RANGES_PAPER && n)
		k = (struct walk){ .w = w,
				   .nspan = 1,
				   .slots = one_span(w, m->span, first, &w->read[v->read + n - 1]) };
	*out = (struct orf_cut){ .slots = k.slots, .span = m->span, .nspan = k.nspan };
}

void orf_cut(struct orf_work *w, const struct orf_value *v, uint32_t n, struct orf_bank bank, struct orf_cut *out)
{
	mark_writes(w, v, n);
	*out = (struct orf_cut){ .possible = (n || !v->nread) && suits(w, v, n, bank) };
	if (!out->possible)
		return;
	find_spans(w, v, n, out);
	out->possible = true;
	out->saved = saved(w, v, n, bank.level);
	out->used = w->marks->used;
	out->mrf = w->marks->mrf;
}
