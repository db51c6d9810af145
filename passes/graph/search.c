/* Sides by simulated annealing on single nodes (Kirkpatrick, Gelatt and Vecchi 1983; for maximum cuts Myklebust, "Solving
 * maximum cut problems by simulated annealing", 2015).
 *
 * gain[v] is by how much less is lost when v changes sides. In each sweep every node moves that gains, and with a probability
 * of exp(gain / temperature) one that does not; so do both ends of an edge at once, one edge of each node, as the halves of a 64-bit
 * value are tied to each other more than to the rest. A run cools from the heaviest weight to below the lighter ones, halving the
 * temperature in equal numbers of sweeps (weights of nested loops span many powers of ten), and ends in a descent. Several
 * runs, then the best sides of all. Random numbers start from a fixed seed, the work has a fixed limit and no function of
 * libm decides anything: the same graph gives the same sides on every machine. */
#include "signed.h"

#include "analyzer/base/rng.h"

#include <stdlib.h>
#include <string.h>

#define WORK_PER_EDGE 16000u            /* nodes looked at and gains that change, for each edge of the graph */
#define RUN_PER_EDGE 500u               /* a run that is shorter is not cool before it ends */
#define RUNS_MOST 24u

struct search {
	const struct sgraph *s;
	struct adjacency adj;
	uint8_t *side;
	int64_t *gain;
	uint64_t lost, rng, work;
};

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
	t->lost -= (uint64_t)t->gain[v];
	t->gain[v] = -t->gain[v];
	t->side[v] ^= 1;
	for (uint32_t k = t->adj.at[v]; k < t->adj.at[v + 1]; k++) {
		uint32_t edge = t->adj.edge[k];
		int64_t twice = 2 * (int64_t)t->s->g.e[edge].w;

		t->gain[t->adj.to[k]] += edge_lost(t->s, edge, t->side) ? twice : -twice;
	}
	t->work += t->adj.at[v + 1] - t->adj.at[v];
}

/* -ln of a uniform number in (0, 1), to 0.06: the logarithm is taken as linear between powers of two. */
static double exponential(uint64_t *rng)
{
	uint32_t x = (uint32_t)(rng_next(rng) >> 32) | 1, zeros = (uint32_t)__builtin_clz(x);

	return ((double)zeros + 2.0 - (double)((uint64_t)x << zeros) * 0x1p-31) * 0.6931471805599453;
}

static bool takes(struct search *t, int64_t gain, double temperature)
{
	return gain > 0 || (temperature > 0 && -(double)gain < temperature * exponential(&t->rng));
}

/* Tries to move both ends of an edge. */
static bool try_both(struct search *t, uint32_t edge, double temperature)
{
	const struct wedge *e = &t->s->g.e[edge];
	int64_t own = edge_lost(t->s, edge, t->side) ? (int64_t)e->w : -(int64_t)e->w;

	if (!takes(t, t->gain[e->a] + t->gain[e->b] - 2 * own, temperature))
		return false;
	move(t, e->a);
	move(t, e->b);
	return true;
}

/* One sweep; true: a node moved. Temperature 0: only what gains. */
static bool sweep(struct search *t, double temperature)
{
	bool moved = false;

	for (uint32_t v = 0; v < t->s->g.n; v++) {
		uint32_t degree = t->adj.at[v + 1] - t->adj.at[v];

		if (takes(t, t->gain[v], temperature)) {
			move(t, v);
			moved = true;
		}
		if (temperature > 0 && degree)
			moved |= try_both(t, t->adj.edge[t->adj.at[v] + rng_below(&t->rng, degree)], temperature);
	}
	for (uint32_t e = 0; temperature <= 0 && e < t->s->g.m; e++)
		moved |= try_both(t, e, 0);
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
	uint32_t n = s->g.n, m = s->g.m, halvings = 1, runs;
	struct search t = { .s = s, .rng = 1 };
	uint64_t least, limit = (uint64_t)m * WORK_PER_EDGE < *steps ? (uint64_t)m * WORK_PER_EDGE : *steps, *size;
	double hot, cold;

	runs = m ? (uint32_t)(limit / m / RUN_PER_EDGE) : 0;
	runs = runs < 1 ? 1 : runs > RUNS_MOST ? RUNS_MOST : runs;
	if (!m)
		return 0;
	arena_init(&scratch);
	graph_adjacency(&s->g, &scratch, &t.adj);
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
	for (uint32_t run = 0; run < runs && least > bound && t.work < limit; run++) {
		uint64_t until = t.work + (limit - t.work) / (runs - run), from = t.work;

		for (uint32_t h = 0; h < halvings; h++, hot /= 2) {
			uint64_t end = from + (until - from) * (h + 1) / halvings, start = t.work;

			while (t.work < end)
				sweep(&t, hot * (1.0 - 0.5 * (double)(t.work - start) / (double)(end - start)));
		}
		while (sweep(&t, 0))
			;
		if (t.lost < least) {
			least = t.lost;
			memcpy(side, t.side, n);
		}
		hot = (double)size[m - 1];
	}
	*steps -= t.work < *steps ? t.work : *steps;
	arena_free(&scratch);
	return least;
}
