/* The greedy allocation of values to the upper levels of the register file: Gebhart et al., TOCS 2012, section 5. For
 * each strand, values by what they save, divided by the instructions over which they take an entry (Figure 11): first
 * those that L0 may have, to L0; then the others to L1. A value for which L1 has no entry free leaves its last reads to
 * the main register file, as many as it must (5.3), and waits for its turn as what it is then. orf_region.c,
 * orf_value.c and orf_cut.c say what values are and what they save. Of two that save alike the one that saves more in
 * all goes first, then the one that is written first, then the lower register; entries are tried from the lowest. */
#include "orf_alloc.h"

struct pick {
	double density, saved;
	uint32_t value, n;
};

struct orf_greedy {
	struct orf_work *w;
	struct pick *heap;
	uint32_t n, cap;
	uint64_t *taken[ORF_BANKS_MAX];
	uint32_t words; /* points of the region where each entry is */
	bool *done;
	uint32_t done_cap; /* by value: it has an entry */
	struct arena *a;
};

static bool before(const struct pick *x, const struct pick *y)
{
	if (x->density > y->density || x->density < y->density)
		return x->density > y->density;
	if (x->saved > y->saved || x->saved < y->saved)
		return x->saved > y->saved;
	return x->value < y->value;
}

static void heap_put(struct orf_greedy *g, struct pick p)
{
	uint32_t i = g->n;

	arena_grow(g->a, g->heap, g->n, g->cap);
	g->n++;
	for (; i && before(&p, &g->heap[(i - 1) / 2]); i = (i - 1) / 2)
		g->heap[i] = g->heap[(i - 1) / 2];
	g->heap[i] = p;
}

static struct pick heap_take(struct orf_greedy *g)
{
	struct pick top = g->heap[0], last = g->heap[--g->n];
	uint32_t i = 0, c;

	while ((c = 2 * i + 1) < g->n) {
		c += c + 1 < g->n && before(&g->heap[c + 1], &g->heap[c]);
		if (!before(&g->heap[c], &last))
			break;
		g->heap[i] = g->heap[c];
		i = c;
	}
	g->heap[i] = last;
	return top;
}

/* ---- entries ---- */
/* The bits of [from, to) that lie in word x. */
static uint64_t span_bits(struct orf_span s, uint32_t x)
{
	uint64_t m = ~UINT64_C(0);

	if (s.from > x * 64)
		m &= ~UINT64_C(0) << (s.from - x * 64);
	if (s.to < x * 64 + 64)
		m &= ~(~UINT64_C(0) << (s.to - x * 64));
	return m;
}

static bool available(const struct orf_greedy *g, unsigned bank, const struct orf_cut *cut)
{
	for (uint32_t i = 0; i < cut->nspan; i++)
		for (uint32_t x = cut->span[i].from / 64; x <= (cut->span[i].to - 1) / 64; x++)
			if (g->taken[bank][x] & span_bits(cut->span[i], x))
				return false;
	return true;
}

static void take(struct orf_greedy *g, unsigned bank, const struct orf_cut *cut)
{
	for (uint32_t i = 0; i < cut->nspan; i++)
		for (uint32_t x = cut->span[i].from / 64; x <= (cut->span[i].to - 1) / 64; x++)
			g->taken[bank][x] |= span_bits(cut->span[i], x);
}

/* The first of entries from .. to - 1 that may have the first n reads of v, or `to`; *cut is v's there. */
static unsigned find_entry(struct orf_greedy *g, const struct orf_value *v, uint32_t n, const struct orf_bank *bank,
			   unsigned from, unsigned to, struct orf_cut *cut)
{
	for (unsigned e = from; e < to; e++) {
		if (e == from || bank[e].slot != bank[e - 1].slot) /* else it is as it was */
			orf_cut(g->w, v, n, bank[e], cut);
		if (cut->possible && available(g, e, cut))
			return e;
	}
	return to;
}

/* ---- a region ---- */
/* Values that save something in one of these entries, to the heap: what L1 saves is the same in each of its entries. */
static void queue(struct orf_greedy *g, const struct orf_bank *bank, unsigned from, unsigned to)
{
	for (uint32_t v = 0; v < g->w->nvalue; v++) {
		uint32_t n = g->w->value[v].nread;
		struct orf_cut cut = { .possible = false };

		if (g->done[v])
			continue;
		for (unsigned e = from; e < to && !cut.possible && (e == from || bank[e].slot != NO_SLOT); e++)
			orf_cut(g->w, &g->w->value[v], n, bank[e], &cut);
		if (cut.possible && cut.saved > 0)
			heap_put(g, (struct pick){ cut.saved / cut.slots, cut.saved, v, n });
	}
}

/* A value found no entry of L1: with as many of its reads as there is one for, it may try again. The fewer reads the
 * fewer points, so that number is found by halving. */
static void shorten(struct orf_greedy *g, const struct pick *p, const struct orf_bank *bank, unsigned from, unsigned to)
{
	const struct orf_value *v = &g->w->value[p->value];
	uint32_t lo = 0, hi = p->n; /* lo reads fit, hi do not */
	struct orf_cut cut;

	while (lo + 1 < hi) {
		uint32_t n = lo + (hi - lo) / 2;

		if (find_entry(g, v, n, bank, from, to, &cut) < to)
			lo = n;
		else
			hi = n;
	}
	if (!lo)
		return;
	orf_cut(g->w, v, lo, bank[from], &cut);
	if (cut.possible && cut.saved > 0)
		heap_put(g, (struct pick){ cut.saved / cut.slots, cut.saved, p->value, lo });
}

static void fill(struct orf_greedy *g, const struct orf_bank *bank, unsigned from, unsigned to, bool partial,
		 struct orf_pick *picks)
{
	queue(g, bank, from, to);
	while (g->n) {
		struct pick p = heap_take(g);
		struct orf_cut cut;
		unsigned e = find_entry(g, &g->w->value[p.value], p.n, bank, from, to, &cut);

		if (e < to) {
			take(g, e, &cut);
			picks[p.value] = (struct orf_pick){ p.n, e };
			g->done[p.value] = true;
		} else if (partial) {
			shorten(g, &p, bank, from, to);
		}
	}
}

struct orf_greedy *orf_greedy_new(struct arena *a)
{
	struct orf_greedy *g = new(a, struct orf_greedy);

	g->a = a;
	return g;
}

void orf_greedy_pick(struct orf_greedy *g, struct orf_work *w, enum orf_organisation org, struct orf_pick *picks)
{
	struct orf_bank bank[ORF_BANKS_MAX];
	unsigned nl0, n = orf_banks(org, w->c->o->entries, bank, &nl0);
	uint32_t words = bitset_words(w->r->npoint);

	g->w = w;
	if (words > g->words) {
		g->words = 2 * words;
		for (unsigned e = 0; e < ORF_BANKS_MAX; e++)
			g->taken[e] = new_array(g->a, uint64_t, g->words);
	}
	for (unsigned e = 0; e < n; e++)
		memset(g->taken[e], 0, words * sizeof *g->taken[e]);
	if (w->nvalue > g->done_cap) {
		g->done_cap = 2 * w->nvalue;
		g->done = new_array(g->a, bool, g->done_cap);
	}
	for (uint32_t v = 0; v < w->nvalue; v++) {
		g->done[v] = false;
		picks[v] = (struct orf_pick){ 0, ORF_BANKS_MAX };
	}
	if (nl0)
		fill(g, bank, 0, nl0, false, picks);
	fill(g, bank, nl0, n, w->c->o->partial, picks);
}
