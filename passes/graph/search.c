/* Sides by local search: tabu search on single nodes, started again from the best sides with some nodes moved (after Benlic
 * and Hao, "Breakout local search for the max-cut problem", Engineering Applications of AI 26, 2013).
 *
 * gain[v] is by how much less is lost when v changes sides. A step moves the node with the largest gain, also if that is
 * negative; a node that has moved rests for a while. A tournament over the gains finds it: O(log n) for each gain that changes.
 * The random numbers have a fixed seed, and the work a fixed limit: the same graph gives the same sides. */
#include "signed.h"

#include "analyzer/base/rng.h"

#include <string.h>

#define WORK_PER_EDGE 2000u             /* gains that change, for each edge of the graph, and at most */
#define WORK_MOST 3000000u

struct search {
	const struct sgraph *s;
	struct adjacency adj;
	uint8_t *side;
	int64_t *gain;
	uint32_t *luck;                         /* decides between equal gains */
	uint8_t *resting;
	uint32_t *best, leaves;                 /* the tournament: best[1] is the winner's node, best[leaves + v] v's leaf */
	uint32_t *wakes, *next, ring;           /* nodes by the step at which they have rested, modulo ring */
	uint64_t lost, rng, work, step;
};

#define NONE GRAPH_NONE

static uint32_t better(const struct search *t, uint32_t v, uint32_t w)
{
	if (v == NONE || w == NONE)
		return v == NONE ? w : v;
	if (t->gain[v] != t->gain[w])
		return t->gain[v] > t->gain[w] ? v : w;
	return t->luck[v] >= t->luck[w] ? v : w;
}

static void play(struct search *t, uint32_t v)
{
	uint32_t i = t->leaves + v;

	t->best[i] = t->resting[v] ? NONE : v;
	for (i /= 2; i; i /= 2)
		t->best[i] = better(t, t->best[2 * i], t->best[2 * i + 1]);
}

static void play_all(struct search *t)
{
	for (uint32_t v = 0; v < t->leaves; v++)
		t->best[t->leaves + v] = v < t->s->g.n && !t->resting[v] ? v : NONE;
	for (uint32_t i = t->leaves - 1; i; i--)
		t->best[i] = better(t, t->best[2 * i], t->best[2 * i + 1]);
}

/* Begins from t->side. */
static void begin(struct search *t)
{
	uint32_t n = t->s->g.n;

	memset(t->gain, 0, n * sizeof *t->gain);
	memset(t->resting, 0, n);
	for (uint32_t i = 0; i < t->ring; i++)
		t->wakes[i] = NONE;
	t->lost = 0;
	for (uint32_t i = 0; i < t->s->g.m; i++) {
		const struct wedge *e = &t->s->g.e[i];
		bool lost = edge_lost(t->s, i, t->side);

		t->lost += lost ? e->w : 0;
		t->gain[e->a] += lost ? (int64_t)e->w : -(int64_t)e->w;
		t->gain[e->b] += lost ? (int64_t)e->w : -(int64_t)e->w;
	}
	for (uint32_t v = 0; v < n; v++)
		t->luck[v] = (uint32_t)rng_next(&t->rng);
	play_all(t);
	t->work += t->s->g.m;
}

static void move(struct search *t, uint32_t v)
{
	t->lost -= (uint64_t)t->gain[v];
	t->gain[v] = -t->gain[v];
	t->side[v] ^= 1;
	for (uint32_t k = t->adj.at[v]; k < t->adj.at[v + 1]; k++) {
		uint32_t w = t->adj.to[k], edge = t->adj.edge[k];
		int64_t twice = 2 * (int64_t)t->s->g.e[edge].w;

		t->gain[w] += edge_lost(t->s, edge, t->side) ? twice : -twice;
		t->luck[w] = (uint32_t)rng_next(&t->rng);
		play(t, w);
	}
	t->work += t->adj.at[v + 1] - t->adj.at[v] + 1;
}

static void rest(struct search *t, uint32_t v, uint32_t steps)
{
	uint32_t *slot = &t->wakes[(t->step + steps) % t->ring];

	t->resting[v] = 1;
	t->next[v] = *slot;
	*slot = v;
	play(t, v);
}

static void wake(struct search *t)
{
	uint32_t *slot = &t->wakes[t->step % t->ring], v = *slot;

	*slot = NONE;
	for (; v != NONE; v = t->next[v]) {
		t->resting[v] = 0;
		play(t, v);
	}
}

uint64_t sides_search(const struct sgraph *s, uint64_t bound, uint8_t *side)
{
	struct arena scratch;
	uint32_t n = s->g.n;
	struct search t = { .s = s, .rng = 1 };
	uint64_t least, limit = (uint64_t)s->g.m * WORK_PER_EDGE < WORK_MOST ? (uint64_t)s->g.m * WORK_PER_EDGE : WORK_MOST;
	uint64_t patience = (uint64_t)n * 4 + 100, since = 0;
	bool better_now = false;                /* t.side loses `least`, and is not in `side` yet */

	if (limit < (uint64_t)s->g.m * 10)
		limit = (uint64_t)s->g.m * 10;
	arena_init(&scratch);
	graph_adjacency(&s->g, &scratch, &t.adj);
	for (t.leaves = 1; t.leaves < n; t.leaves *= 2)
		;
	t.ring = 4 + (n / 8 < 60 ? n / 8 : 60);
	t.side = new_array(&scratch, uint8_t, (size_t)n + 1);
	t.gain = new_array(&scratch, int64_t, (size_t)n + 1);
	t.luck = new_array(&scratch, uint32_t, (size_t)n + 1);
	t.resting = new_array(&scratch, uint8_t, (size_t)n + 1);
	t.best = new_array(&scratch, uint32_t, (size_t)t.leaves * 2);
	t.wakes = new_array(&scratch, uint32_t, t.ring);
	t.next = new_array(&scratch, uint32_t, (size_t)n + 1);
	memcpy(t.side, side, n);
	begin(&t);
	least = t.lost;
	while (least > bound && t.work < limit) {
		uint32_t v;

		t.step++;
		wake(&t);
		v = t.best[1];
		if (better_now && (v == NONE || t.gain[v] <= 0)) {
			memcpy(side, t.side, n);
			better_now = false;
		}
		if (v != NONE) {
			move(&t, v);
			rest(&t, v, 1 + rng_below(&t.rng, t.ring - 1));
		}
		if (t.lost < least) {
			least = t.lost;
			better_now = true;
			since = 0;
		} else if (++since > patience) {
			uint32_t moves = 2 + rng_below(&t.rng, n / 3 + 1);

			memcpy(t.side, side, n);
			for (uint32_t i = 0; i < moves; i++)
				t.side[rng_below(&t.rng, n)] ^= 1;
			begin(&t);
			since = 0;
		}
	}
	if (better_now)
		memcpy(side, t.side, n);
	arena_free(&scratch);
	return least;
}
