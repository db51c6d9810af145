/* Sides by simulated annealing on single nodes (Kirkpatrick, Gelatt and Vecchi 1983; for maximum cuts Myklebust,
 * "Solving maximum cut problems by simulated annealing", 2015).
 *
 * gain[v] is by how much less is lost when v changes sides. In each sweep every node moves that gains, and with a
 * probability of exp(gain / temperature) one that does not; so do both ends of an edge at once, one edge of each node,
 * as the halves of a 64-bit value are tied to each other more than to the rest. A run cools from the heaviest weight to
 * below the lighter ones, halving the temperature in equal numbers of sweeps (weights of nested loops span many powers
 * of ten), and ends in a descent. Several runs, until RUNS_IDLE of them in turn find nothing better; then the best
 * sides of all. Random numbers start from a fixed seed, the work has a fixed limit and no function of libm decides
 * anything: the same graph gives the same sides on every machine. */
#include "signed.h"

#include "analyzer/base/rng.h"

#include <stdlib.h>
#include <string.h>

#define WORK_PER_EDGE 16000u /* nodes looked at and gains that change, for each edge of the graph */
#define RUN_PER_EDGE 500u    /* a run that is shorter is not cool before it ends */
#define RUNS_MOST 24u
#define RUNS_IDLE 6u          /* of 98 searches on kernels of the examples none found anything after more than 4 */
#define EXPONENTIAL_MOST 22.5 /* above all that exponential() gives */

/* An edge seen from one of its nodes. */
struct half_edge {
	uint32_t to;
	/* by how much `to` gains more if its side is this node's, or, turned round, less if it is not */
	int64_t twice;
};

struct search {
	const struct sgraph *s;
	uint32_t *at; /* of node v: half[at[v] .. at[v + 1]) */
	struct half_edge *half;
	uint32_t *of_edge; /* of an edge: its half at node a */
	uint8_t *side;
	int64_t *gain;
	uint64_t lost, rng, work;
};

static void list_edges(struct search *t, struct arena *scratch)
{
	struct adjacency adj;

	graph_adjacency(&t->s->g, scratch, &adj);
	t->at = adj.at;
	t->half = new_array(scratch, struct half_edge, (size_t)t->s->g.m * 2 + 1);
	t->of_edge = new_array(scratch, uint32_t, (size_t)t->s->g.m + 1);
	for (uint32_t h = 0; h < 2 * t->s->g.m; h++) {
		const struct wedge *e = &t->s->g.e[adj.edge[h]];

		t->half[h] = (struct half_edge){ adj.to[h],
						 t->s->same[adj.edge[h]] ? -2 * (int64_t)e->w : 2 * (int64_t)e->w };
		if (adj.to[h] == e->b)
			t->of_edge[adj.edge[h]] = h;
	}
}

/* Twice the weight of an edge from v; below 0 if it is not lost. */
static int64_t owed(const struct search *t, uint32_t v, const struct half_edge *h)
{
	int64_t turn = -(int64_t)(t->side[v] ^ t->side[h->to]);

	return (h->twice ^ turn) - turn;
}

static void begin(struct search *t)
{
	memset(t->gain, 0, t->s->g.n * sizeof *t->gain);
	t->lost = 0;
	for (uint32_t i = 0; i < t->s->g.m; i++) {
		const struct wedge *e = &t->s->g.e[i];
		bool lost = edge_lost(t->s, i, t->side);

		t->lost += lost ? e->w : 0;
		t->gain[e->a] += lost ? (int64_t)e->w : -(int64_t)e->w;
		t->gain[e->b] += lost ? (int64_t)e->w : -(int64_t)e->w;
	}
}

static void move(struct search *t, uint32_t v)
{
	const struct half_edge *end = t->half + t->at[v + 1];

	t->lost -= (uint64_t)t->gain[v];
	t->gain[v] = -t->gain[v];
	t->side[v] ^= 1;
	for (const struct half_edge *h = t->half + t->at[v]; h < end; h++)
		t->gain[h->to] += owed(t, v, h);
	t->work += t->at[v + 1] - t->at[v];
}

/* -ln of a uniform number in (0, 1), to 0.06: the logarithm is taken as linear between powers of two. */
static double exponential(uint64_t *rng)
{
	uint32_t x = (uint32_t)(rng_next(rng) >> 32) | 1, zeros = (uint32_t)__builtin_clz(x);

	return ((double)zeros + 2.0 - (double)((uint64_t)x << zeros) * 0x1p-31) * 0.6931471805599453;
}

static inline bool takes(struct search *t, int64_t gain, double temperature)
{
	if (gain > 0)
		return true;
	if (temperature <= 0)
		return false;
	if (-(double)gain > temperature * EXPONENTIAL_MOST) { /* whatever the number is */
		rng_skip(&t->rng);
		return false;
	}
	return -(double)gain < temperature * exponential(&t->rng);
}

/* Tries to move v and what an edge joins it with. */
static inline bool try_both(struct search *t, uint32_t v, const struct half_edge *h, double temperature)
{
	if (!takes(t, t->gain[v] + t->gain[h->to] - owed(t, v, h), temperature))
		return false;
	move(t, v);
	move(t, h->to);
	return true;
}

/* One sweep; true: a node moved. Temperature 0: only what gains. */
static bool sweep(struct search *t, double temperature)
{
	bool moved = false;

	for (uint32_t v = 0; v < t->s->g.n; v++) {
		uint32_t degree = t->at[v + 1] - t->at[v];

		if (takes(t, t->gain[v], temperature)) {
			move(t, v);
			moved = true;
		}
		if (temperature > 0 && degree)
			moved |= try_both(t, v, &t->half[t->at[v] + rng_below(&t->rng, degree)], temperature);
	}
	for (uint32_t e = 0; temperature <= 0 && e < t->s->g.m; e++)
		moved |= try_both(t, t->s->g.e[e].a, &t->half[t->of_edge[e]], 0);
	t->work += t->s->g.n * 2;
	return moved;
}

static int by_size(const void *x, const void *y)
{
	uint64_t p = *(const uint64_t *)x, q = *(const uint64_t *)y;

	return p < q ? -1 : p > q;
}

uint64_t sides_search(const struct sgraph *s, uint64_t bound, uint64_t *steps, uint8_t *side)
{
	struct arena scratch;
	uint32_t n = s->g.n, m = s->g.m, halvings = 1, runs, idle = 0;
	struct search t = { .s = s, .rng = 1 };
	uint64_t least, limit = (uint64_t)m * WORK_PER_EDGE < *steps ? (uint64_t)m * WORK_PER_EDGE : *steps, *size;
	double hot, cold;

	runs = m ? (uint32_t)(limit / m / RUN_PER_EDGE) : 0;
	if (runs < 1)
		runs = 1;
	if (runs > RUNS_MOST)
		runs = RUNS_MOST;
	if (!m)
		return 0;
	arena_init(&scratch);
	list_edges(&t, &scratch);
	t.side = new_array(&scratch, uint8_t, (size_t)n + 1);
	t.gain = new_array(&scratch, int64_t, (size_t)n + 1);
	size = new_array(&scratch, uint64_t, m);
	for (uint32_t i = 0; i < m; i++)
		size[i] = s->g.e[i].w;
	qsort(size, m, sizeof *size, by_size);
	hot = (double)size[m - 1];
	cold = (double)size[m / 4] / 4;
	for (double x = hot; x > cold; x /= 2)
		halvings++;
	memcpy(t.side, side, n);
	begin(&t);
	while (sweep(&t, 0))
		;
	memcpy(side, t.side, n);
	least = t.lost;
	for (uint32_t run = 0; run < runs && idle < RUNS_IDLE && least > bound && t.work < limit; run++) {
		uint64_t until = t.work + (limit - t.work) / (runs - run), from = t.work;

		for (uint32_t h = 0; h < halvings; h++, hot /= 2) {
			uint64_t end = from + (until - from) * (h + 1) / halvings, start = t.work;

			while (t.work < end)
				sweep(&t, hot * (1.0 - 0.5 * (double)(t.work - start) / (double)(end - start)));
		}
		while (sweep(&t, 0))
			;
		idle++;
		if (t.lost < least) {
			least = t.lost;
			memcpy(side, t.side, n);
			idle = 0;
		}
		hot = (double)size[m - 1];
	}
	*steps -= t.work < *steps ? t.work : *steps;
	arena_free(&scratch);
	return least;
}
