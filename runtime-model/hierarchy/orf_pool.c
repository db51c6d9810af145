/* Variable allocation of ORF entries (Gebhart et al., TOCS 2012, section 8.1): the active warps share a pool, by
 * default as many entries as they would have each for themselves (active_warps x rf_l1_entries). The object is
 * annotated for up to 8 entries.
 *
 * Header     for each strand, the energy that each of its entries saves in one execution: reads that the main register
 *            file is spared and writes that it is, less writes and fills of the entry, weighed like the compiler
 *            weighs them (each instruction once; Tables IV and V). A strand's entries are numbered anew from the one
 *            that saves most: so n entries save the sum of the first n, which is what the header says for n = 1 .. 8.
 * Grant      when a warp begins a strand, it gets entry after entry while the pool has one and the next one saves more
 *            than its price: orf_price for each instruction of the strand, since a strand holds its entries as long as
 *            it runs. Its share, an equal part of the pool, it takes first; what goes beyond is lent, of the entries
 *            that the strands at hand of the other warps leave of their shares, or that belong to active warps that
 *            there are not. What it does not get, the main register file stands in for: results go there, reads come
 *            from there, fills are not made.
 * Return     when all lanes of the warp begin another strand, the warp is suspended, or its last lanes exit. While
 *            lanes are elsewhere they may be inside a strand: then a warp keeps what it has and gets no less than
 *            that, and a strand that was begun in the meantime gets as many as before.
 *
 * The paper's oracle knows which registers future threads will use. This knows the header, and the price: what an
 * entry would save elsewhere, in the mean of the whole run, which is found by trying several. From above it is bounded
 * by a pool that never runs out. */
#include "runtime-model/hierarchy/orf.h"

#include "passes/orf_energy.h"

#include <stdlib.h>

/* of a strand */
struct header {
	uint8_t number[ORF_ENTRIES]; /* by entry of the annotation: its number here */
	uint8_t wants;               /* entries that save more than their price */
};

/* a warp */
struct holder {
	uint32_t lanes;  /* that have executed since it had nothing, and have not ended */
	uint32_t period; /* counts how often it gave everything back */
	uint8_t held;
	uint8_t needs; /* of its share, for the strand at hand; may be more than it holds */
};

struct grant {
	uint32_t period;
	uint8_t entries;
};

struct orf_pool {
	const struct kernel *k;
	struct header *header; /* by strand */
	struct holder *warp;
	struct grant *grant; /* by warp and strand; of another period: none */
	unsigned free, warps;
	unsigned share; /* entries of each active warp, if all had as many */
};

/* What entry e saves by operand i of the instruction, in pJ. */
static double saving(uint8_t place, bool write, bool shared, unsigned entries, unsigned warps)
{
	const struct rf_access main = orf_operand_energy(LEVEL_MRF, entries, warps, shared),
			       orf = orf_operand_energy(LEVEL_L1, entries, warps, shared);

	if (!write && !place_mrf(place))
		return main.read - orf.read;
	return (write && !place_mrf(place) ? main.write : 0) - orf.write;
}

static void sum_savings(const struct axis_ctx *cx, const struct orf *o, double (*sum)[ORF_ENTRIES], uint32_t *length)
{
	const struct kernel *k = cx->kernel;
	const unsigned entries = params_cost_entries(cx->params), warps = params_active_warps(cx->params);

	for (uint32_t i = 0; i < k->ninsn; i++) {
		const bool shared = insn_is_shared(&k->insn[i]);
		struct insn_regs r;

		ir_insn_regs(k, &k->insn[i], &r);
		length[k->strand->id[i]]++;
		for (unsigned s = 0; s < r.nsrc + r.ndst; s++) {
			const uint8_t place = o->place[o->at[i] + s];

			if (place_level(place) == LEVEL_L1)
				sum[k->strand->id[i]][place_entry(place)] +=
					saving(place, s >= r.nsrc, shared, entries, warps);
		}
	}
}

/* Equal ones stay in the order of the annotation. */
static void order(struct header *h, const double sum[ORF_ENTRIES], double price)
{
	for (unsigned e = 0; e < ORF_ENTRIES; e++) {
		for (unsigned f = 0; f < ORF_ENTRIES; f++)
			h->number[e] += sum[f] > sum[e] || (sum[f] == sum[e] && f < e);
		h->wants += sum[e] > price;
	}
}

struct orf_pool *orf_pool_new(const struct axis_ctx *cx, const struct orf *places)
{
	const struct params *p = cx->params;
	const uint32_t n = cx->kernel->strand->n;
	struct orf_pool *pool = new(cx->arena, struct orf_pool);
	double(*sum)[ORF_ENTRIES] = calloc(n + 1, sizeof *sum);
	uint32_t *length = calloc(n + 1, sizeof *length);

	pool->k = cx->kernel;
	pool->header = new_array(cx->arena, struct header, n);
	pool->warp = new_array(cx->arena, struct holder, cx->warps);
	pool->grant = new_array(cx->arena, struct grant, (size_t)cx->warps * n);
	pool->free = p->orf_pool ? p->orf_pool : params_active_warps(p) * p->rf_l1_entries;
	pool->warps = cx->warps;
	pool->share = pool->free / params_active_warps(p);
	sum_savings(cx, places, sum, length);
	for (uint32_t s = 0; s < n; s++)
		order(&pool->header[s], sum[s], (double)p->orf_price * length[s]);
	for (unsigned w = 0; w < cx->warps; w++)
		pool->warp[w].period = 1;
	free(sum);
	free(length);
	return pool;
}

void orf_pool_give_back(struct orf_pool *p, unsigned warp)
{
	struct holder *w = &p->warp[warp];

	p->free += w->held;
	w->held = 0;
	w->needs = 0;
	w->lanes = 0;
	w->period++;
}

/* Of the free entries, those that are not others': what their strands need of their shares and do not have. */
static unsigned to_lend(const struct orf_pool *p, const struct holder *to)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < p->warps; i++) {
		const struct holder *w = &p->warp[i];

		kept += w != to && w->needs > w->held ? (unsigned)(w->needs - w->held) : 0;
	}
	return p->free > kept ? p->free - kept : 0;
}

static void begin(struct orf_pool *p, const struct uop *u, uint32_t strand)
{
	struct grant *g = &p->grant[(size_t)u->warp * p->k->strand->n + strand];
	struct holder *w = &p->warp[u->warp];
	unsigned n = p->header[strand].wants;

	if (u->active && !(w->lanes & ~u->active))
		orf_pool_give_back(p, u->warp);
	if (g->period == w->period)
		return;
	w->needs = (uint8_t)(n < p->share ? n : p->share);
	if (n > p->share && n > w->held + to_lend(p, w)) {
		const unsigned lent = w->held + to_lend(p, w);

		n = lent > p->share ? lent : p->share;
	}
	if (n > p->free + w->held)
		n = p->free + w->held;
	*g = (struct grant){ w->period, (uint8_t)n };
	if (n > w->held) {
		p->free -= n - w->held;
		w->held = (uint8_t)n;
	}
}

bool orf_pool_issue(struct orf_pool *p, const struct uop *u)
{
	struct holder *w = &p->warp[u->warp];

	if (p->k->strand->begin[u->insn] & STRAND_BEGIN)
		begin(p, u, p->k->strand->id[u->insn]);
	if (!(op_info[p->k->insn[u->insn].op].flags & OPF_EXIT)) {
		w->lanes |= u->active;
		return false;
	}
	w->lanes &= ~u->active;
	return !w->lanes;
}

unsigned orf_pool_entry(const struct orf_pool *p, unsigned warp, uint32_t strand, unsigned entry)
{
	const struct grant *g = &p->grant[(size_t)warp * p->k->strand->n + strand];
	const unsigned number = p->header[strand].number[entry];

	return g->period == p->warp[warp].period && number < g->entries ? number : ORF_ENTRIES;
}
