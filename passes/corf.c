/* CORF's hints from the register-affinity graph: pairs of registers to put into one entry (section 4.2), and for CORF++
 * the end of an entry that each register is put at, so that those read together lie at different ends (section 5.1).
 * The algorithms are in pairs.c and graph/. The two sides of the graph become left and right; the lowest register of
 * each connected part is left. */
#include "passes/corf.h"
#include "analyzer/base/near.h"

#include "passes/pass.h"

#define P(id, name, what) name,
const char *const corf_pairs_name[PAIRS_COUNT] = { CORF_PAIRS(P) };
const char *const corf_sides_name[SIDES_COUNT] = { CORF_SIDES(P) };
#undef P

enum corf_pairs corf_pairs_find(const char *name) { return names_find(NAMES(corf_pairs_name), name); }

enum corf_sides corf_sides_find(const char *name) { return names_find(NAMES(corf_sides_name), name); }

bool corf_weigh(struct corf_hints *h, const struct wgraph *g)
{
	bool edge[256] = { false };
	uint32_t halves = 0;

	h->total = h->pair_kept = h->align_kept = 0;
	for (uint32_t i = 0; i < g->m; i++) {
		const struct wedge *e = &g->e[i];

		edge[e->a] = edge[e->b] = true;
		h->total += e->w;
		if (h->partner[e->a] == e->b) {
			h->pair_kept += e->w;
			halves += 2;
		}
		if (h->align[e->a] != h->align[e->b])
			h->align_kept += e->w;
	}
	for (uint32_t r = 0; r < 256; r++) {
		halves -= h->partner[r] != MREG_RZ;
		if (edge[r] != (h->align[r] != ALIGN_ANY))
			return false;
	}
	return halves == 0;
}

static void choose_pairs(struct corf_hints *h, const struct wgraph *g, struct pass_ctx *cx)
{
	struct matching greedy, best;
	const uint32_t *mate;

	pairs_greedy(g, &cx->scratch, &greedy);
	graph_matching(g, &cx->scratch, &best);
	h->pairs = cx->opt.pairs;
	h->greedy_kept = greedy.weight;
	h->matching_kept = best.weight;
	mate = h->pairs == PAIRS_GREEDY ? greedy.mate : best.mate;
	memset(h->partner, MREG_RZ, sizeof h->partner);
	for (uint32_t r = 0; r < g->n; r++)
		if (mate[r] != GRAPH_NONE)
			h->partner[r] = (uint8_t)mate[r];
}

static bool choose_sides(struct corf_hints *h, const struct kernel *k, struct pass_ctx *cx)
{
	const struct wgraph *g = k->affinity;
	struct sides s = { .side = NULL };
	uint64_t bound = 0;
	const char *why = NULL;

	h->sides = cx->opt.sides;
	switch (h->sides) {
	case SIDES_PAPER: /* which has no bound of its own */
		frustration_default(g, &cx->scratch, &s);
		bound = s.bound;
		frustration_paper(g, CYCLE_LIMIT_DEFAULT, &cx->scratch, &s);
		break;
	case SIDES_DEFAULT:
	case SIDES_COUNT:
		frustration_default(g, &cx->scratch, &s);
		break;
	case SIDES_EXACT:
		if (!frustration_exact(g, cx->opt.sides_seconds, &cx->scratch, &s, &why))
			return diag_error_plain(cx->diag, k->name, "the solver of the alignment failed: %s", why);
		break;
	}
	for (uint32_t i = 0; i < g->m; i++) {
		h->align[g->e[i].a] = s.side[g->e[i].a] ? ALIGN_RIGHT : ALIGN_LEFT;
		h->align[g->e[i].b] = s.side[g->e[i].b] ? ALIGN_RIGHT : ALIGN_LEFT;
	}
	h->align_bound = s.bound > bound ? s.bound : bound;
	h->limited = s.limited;
	return true;
}

enum pass_result pass_corf(struct kernel *k, struct pass_ctx *cx)
{
	struct corf_hints *h = k->corf = new(k->a, struct corf_hints);

	h->counted = k->freq->source == FREQ_PROFILE;
	choose_pairs(h, k->affinity, cx);
	if (!choose_sides(h, k, cx))
		return PASS_FAILED;
	corf_weigh(h, k->affinity);
	corf_encode(h, k->affinity->n, k->a);
	return PASS_SAME;
}
