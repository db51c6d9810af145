/* Where to hold the extended set, beyond where it is needed.
 *
 * For a given price of a cycle in which it is held, in issue slots, the best regions are a minimum cut: a run of
 * instructions is held or not; held costs the price for each cycle of it, and an edge from one state to the other costs
 * an acquire or a release as often as it is taken. So gaps are closed and regions grow out of loops exactly where that
 * is worth it. The price is what is not known: holding costs nothing while sections are free. So several prices are
 * tried, and the regions taken that need the least time by regmutex_cost.c: that of the issue slots of all warps, or of
 * the sections that they share, whichever is longer, and a part of the other. */
#include "passes/graph/cut.h"
#include "passes/regmutex_place.h"

#include <string.h>

enum {
	SLOT = 1 << 6, /* the unit of costs is a part of an issue slot */
	PRICES = 5,    /* of a held cycle: none, then 1/64, 1/16, 1/4 of a slot, 1 slot */
};
#define CUT_STEPS 20000000u
static const unsigned price_of[PRICES] = { 0, 1, 4, 16, 64 };

struct regions {
	const struct regmutex_cost *c;
	const struct kernel *k;
	const uint8_t *need, *never;
	struct arena *a;
	uint32_t *run, nrun;    /* by instruction */
	uint32_t *first, *last; /* by block: the first and last run; an empty one has a run of its own */
	uint32_t *block;        /* by run */
	uint64_t *cycles;       /* by run: of one execution */
	uint8_t *kind;          /* by run: 0 free, 1 needed, 2 never */
	struct cut_arc *arc;
	uint32_t narc, arc_cap;
};

static unsigned kind_of(const struct regions *s, uint32_t i)
{
	if (s->need[i])
		return 1;
	return s->never[i] ? 2 : 0;
}

static void find_runs(struct regions *s)
{
	const struct kernel *k = s->k;
	size_t most = (size_t)k->ninsn + k->nblock + 1;

	s->run = new_array(s->a, uint32_t, (size_t)k->ninsn + 1);
	s->first = new_array(s->a, uint32_t, (size_t)k->nblock + 1);
	s->last = new_array(s->a, uint32_t, (size_t)k->nblock + 1);
	s->block = new_array(s->a, uint32_t, most);
	s->cycles = new_array(s->a, uint64_t, most);
	s->kind = new_array(s->a, uint8_t, most);
	for (uint32_t b = 0; b < k->nblock; b++) {
		s->first[b] = s->nrun;
		for (uint32_t i = k->block[b].first; i < k->block[b].first + k->block[b].n; i++) {
			if (i == k->block[b].first || kind_of(s, i) != kind_of(s, i - 1)) {
				s->kind[s->nrun] = (uint8_t)kind_of(s, i);
				s->block[s->nrun++] = b;
			}
			s->run[i] = s->nrun - 1;
			s->cycles[s->nrun - 1] += regmutex_cycles(&k->insn[i]);
		}
		if (!k->block[b].n)
			s->block[s->nrun++] = b;
		s->last[b] = s->nrun - 1;
	}
}

static uint64_t at_most(uint64_t v) { return v < CUT_CAPACITY_MAX ? v : CUT_CAPACITY_MAX; }

static void add_arcs(struct regions *s, uint32_t from, uint32_t to, uint64_t runs, unsigned moves)
{
	uint64_t cost = at_most(runs * SLOT * (1 + moves));

	for (unsigned way = 0; way < 2; way++) {
		arena_grow(s->a, s->arc, s->narc, s->arc_cap);
		s->arc[s->narc++] = way ? (struct cut_arc){ to, from, cost } : (struct cut_arc){ from, to, cost };
	}
}

static void find_arcs(struct regions *s, unsigned moves)
{
	const struct kernel *k = s->k;
	const struct cfg *g = k->cfg;

	for (uint32_t r = 0; r + 1 < s->nrun; r++)
		if (s->block[r] == s->block[r + 1])
			add_arcs(s, r, r + 1, s->c->runs[s->block[r]], moves);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
			add_arcs(s, s->last[b], s->first[g->succ[e]], regmutex_edge_runs(s->c, b, g->succ[e]), moves);
}

/* Time of the SM for one thread's work of each of its warps, in parts of a slot. */
static double time_of(const struct regions *s, const bool *held)
{
	double issue = 0, sections = 0;

	for (uint32_t b = 0; b < s->k->nblock; b++)
		issue += (double)s->k->block[b].n * (double)s->c->runs[b] * SLOT;
	for (uint32_t r = 0; r < s->nrun; r++)
		sections += held[r] ? (double)s->cycles[r] * (double)s->c->runs[s->block[r]] * SLOT : 0;
	for (uint32_t x = 0; x < s->narc; x++) /* arcs come in pairs, one of which is cut where the state changes */
		issue += held[s->arc[x].from] && !held[s->arc[x].to] ? (double)s->arc[x].capacity : 0;
	return regmutex_time(s->c, issue, sections);
}

static bool cut(const struct regions *s, unsigned price, struct arena *a, bool *held)
{
	uint64_t *first = new_array(a, uint64_t, (size_t)s->nrun + 1),
		 *second = new_array(a, uint64_t, (size_t)s->nrun + 1);
	struct cut_network c = { .n = s->nrun, .narc = s->narc, .first = first, .second = second, .arc = s->arc };

	for (uint32_t r = 0; r < s->nrun; r++) {
		first[r] = s->kind[r] == 1 ? CUT_CAPACITY_MAX : 0;
		second[r] =
			s->kind[r] == 2 ? CUT_CAPACITY_MAX : at_most(s->cycles[r] * s->c->runs[s->block[r]] * price);
	}
	return graph_cut(&c, CUT_STEPS, a, held);
}

void regmutex_regions(const struct regmutex_cost *c, const uint8_t *need, const uint8_t *never, unsigned moves,
		      struct arena *a, uint8_t *hold)
{
	struct regions s = { .c = c, .k = c->k, .need = need, .never = never, .a = a };
	struct arena network = { 0 }; /* of one price */
	bool *best, *held;
	double least;

	find_runs(&s);
	find_arcs(&s, moves);
	best = new_array(a, bool, (size_t)s.nrun + 1);
	held = new_array(a, bool, (size_t)s.nrun + 1);
	for (uint32_t r = 0; r < s.nrun; r++)
		best[r] = s.kind[r] == 1;
	least = time_of(&s, best);
	for (unsigned p = PRICES; p--;) {
		double now;

		arena_recycle(&network);
		if (!cut(&s, price_of[p], &network, held))
			break;
		for (uint32_t r = 0; r < s.nrun; r++)
			held[r] = s.kind[r] == 1 || (held[r] && s.kind[r] != 2);
		now = time_of(&s, held);
		if (now < least) {
			least = now;
			memcpy(best, held, s.nrun * sizeof *best);
		}
	}
	arena_free(&network);
	for (uint32_t i = 0; i < s.k->ninsn; i++)
		hold[i] = best[s.run[i]];
}
