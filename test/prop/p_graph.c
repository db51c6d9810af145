/* Matchings and sides of random graphs against brute force, their proofs and each other. Usage: p_graph [SEEDS
 * [FIRST]] */
#include "analyzer/base/rng.h"
#include "passes/graph/signed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXACT_EVERY 17        /* graphs for one whose integer program is solved: that takes a process */
#define SEARCH_STEPS 20000000 /* of the search alone: more than a small graph takes */
#define BRUTE_NODES 11        /* matchings and sides of smaller graphs are tried all */

static bool fail(const char *what)
{
	printf("p_graph: %s\n", what);
	return false;
}

/* n nodes; loops, parallel edges and weights of 0 among the edges. */
static struct wgraph random_graph(uint64_t seed, struct arena *a)
{
	enum { SPARSE, DENSE, COMPLETE, RING, PIECES, EMPTY, SHAPES };
	uint64_t r = seed;
	uint32_t shape = rng_below(&r, 12), n;
	uint32_t scale, m;
	struct wgraph g = { 0 };

	if (seed % 4)
		n = rng_below(&r, BRUTE_NODES);
	else
		n = 10 + rng_below(&r, seed % 64 ? 40 : 200);
	scale = rng_below(&r, 4);
	g.n = n;

	shape = shape < SHAPES ? shape : shape % 2;
	if (!n || shape == EMPTY)
		m = 0;
	else if (shape == COMPLETE)
		m = n * (n - 1) / 2;
	else if (shape == RING)
		m = n;
	else
		m = shape == DENSE ? n * n / 3 : n * 5 / 4;
	g.e = new_array(a, struct wedge, (size_t)m + 1);
	if (shape == COMPLETE) {
		for (uint32_t x = 1; x < n; x++)
			for (uint32_t y = 0; y < x; y++)
				g.e[g.m++] = (struct wedge){ x, y, 0 };
	} else {
		for (uint32_t i = 0; i < m; i++) {
			uint32_t x = shape == RING ? i : rng_below(&r, n),
				 y = shape == RING ? (i + 1) % n : rng_below(&r, n);

			if (shape == PIECES)
				y = x / 4 * 4 + y % 4 < n ? x / 4 * 4 + y % 4 : x;
			g.e[g.m++] = (struct wedge){ x, y, 0 };
		}
	}
	for (uint32_t i = 0; i < g.m; i++) {
		if (scale == 0)
			g.e[i].w = 1;
		else if (scale == 1)
			g.e[i].w = rng_below(&r, 4);
		else
			g.e[i].w = scale == 2 ? rng_below(&r, 100) : (uint64_t)1 << rng_below(&r, 41);
	}
	graph_normalise(&g);
	return g;
}

static bool normal(const struct wgraph *g)
{
	for (uint32_t i = 0; i < g->m; i++) {
		const struct wedge *e = &g->e[i];

		if (e->a >= e->b || e->b >= g->n || e->w > GRAPH_WEIGHT_MAX)
			return fail("an edge is not normal");
		if (i && (e[-1].a > e->a || (e[-1].a == e->a && e[-1].b >= e->b)))
			return fail("edges are not in order");
	}
	return true;
}

static uint64_t brute_matching(const struct wgraph *g, uint32_t edge, uint32_t used)
{
	uint64_t with, best;
	const struct wedge *e = &g->e[edge];

	if (edge == g->m)
		return 0;
	best = brute_matching(g, edge + 1, used);
	if (used >> e->a & 1 || used >> e->b & 1)
		return best;
	with = e->w + brute_matching(g, edge + 1, used | 1u << e->a | 1u << e->b);
	return with > best ? with : best;
}

/* By weak duality a matching with such a proof has the most weight of all. */
static bool proven(const struct wgraph *g, const struct matching *m)
{
	uint32_t n = g->n, *size;
	uint64_t weight = 0;
	int64_t sum = 0;
	struct arena a;
	bool ok = true;

	arena_init(&a);
	size = new_array(&a, uint32_t, (size_t)n * 2 + 1);
	for (uint32_t v = 0; v < n; v++)
		for (uint32_t b = m->parent[v]; b != GRAPH_NONE; b = m->parent[b])
			size[b]++;
	for (uint32_t b = 0; b < 2 * n; b++) {
		ok = ok && m->dual[b] >= 0 && (b < n || size[b] % 2 || !m->dual[b]);
		if (b < n)
			sum += m->dual[b];
		else if (size[b])
			sum += m->dual[b] * ((int64_t)size[b] - 1);
	}
	for (uint32_t i = 0; i < g->m; i++) {
		const struct wedge *e = &g->e[i];
		int64_t cover = m->dual[e->a] + m->dual[e->b];

		for (uint32_t b = m->parent[e->a]; b != GRAPH_NONE; b = m->parent[b])
			for (uint32_t c = m->parent[e->b]; c != GRAPH_NONE; c = m->parent[c])
				cover += b == c ? 2 * m->dual[b] : 0;
		ok = ok && cover >= 2 * (int64_t)e->w;
		if (m->mate[e->a] == e->b) {
			ok = ok && m->mate[e->b] == e->a;
			weight += e->w;
		}
	}
	for (uint32_t v = 0; v < n; v++)
		ok = ok && (m->mate[v] == GRAPH_NONE || (m->mate[v] < n && m->mate[m->mate[v]] == v));
	ok = ok && weight == m->weight && sum == 2 * (int64_t)weight;
	arena_free(&a);
	return ok;
}

/* ---- sides ---- */
static uint64_t lost_by(const struct wgraph *g, const uint8_t *side)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < g->m; i++)
		lost += side[g->e[i].a] == side[g->e[i].b] ? g->e[i].w : 0;
	return lost;
}

static uint64_t brute_sides(const struct wgraph *g)
{
	uint64_t best = UINT64_MAX;
	uint8_t side[BRUTE_NODES];

	for (uint32_t x = 0; x < (uint32_t)1 << (g->n ? g->n - 1 : 0); x++) {
		uint64_t lost;

		for (uint32_t v = 0; v < g->n; v++)
			side[v] = x >> v & 1;
		lost = lost_by(g, side);
		best = lost < best ? lost : best;
	}
	return best;
}

/* The sides add up, the bound holds, and the smallest node of what edges with weight connect is on side 0. */
static bool consistent(const struct wgraph *g, const struct sides *s, struct arena *a)
{
	uint32_t *least = new_array(a, uint32_t, (size_t)g->n + 1);
	bool changed = true;

	for (uint32_t v = 0; v < g->n; v++) {
		least[v] = v;
		if (s->side[v] > 1)
			return fail("a side is neither 0 nor 1");
	}
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < g->m; i++) {
			uint32_t *p = &least[g->e[i].a], *q = &least[g->e[i].b], x = *p < *q ? *p : *q;

			if (!g->e[i].w || *p == *q)
				continue;
			*p = *q = x;
			changed = true;
		}
	}
	for (uint32_t v = 0; v < g->n; v++)
		if (least[v] == v && s->side[v])
			return fail("the smallest node of a component is on side 1");
	return (s->total == graph_weight(g) && s->kept + s->lost == s->total && s->lost == lost_by(g, s->side)) ||
	       fail("sides do not add up");
}

/* The paper's heuristic again, by its words: all cycles from all paths, all quotients after each removal. */
struct by_words {
	const struct wgraph *g;
	uint32_t cycles[4000], n; /* sets of edges */
};

static void walk(struct by_words *t, uint32_t start, uint32_t v, uint32_t nodes, uint32_t edges)
{
	for (uint32_t i = 0; i < t->g->m; i++) {
		const struct wedge *e = &t->g->e[i];
		uint32_t w = e->a == v ? e->b : e->a, seen = 0;

		if ((e->a != v && e->b != v) || w < start || edges >> i & 1 || !e->w)
			continue;
		if (w != start && !(nodes >> w & 1))
			walk(t, start, w, nodes | 1u << w, edges | 1u << i);
		if (w != start || __builtin_popcount(edges | 1u << i) % 2 == 0)
			continue;
		while (seen < t->n && t->cycles[seen] != (edges | 1u << i))
			seen++;
		if (seen == t->n && t->n < 4000)
			t->cycles[t->n++] = edges | 1u << i;
	}
}

static bool paper_by_words(const struct wgraph *g, const struct sides *s, struct arena *a)
{
	struct by_words t = { .g = g };
	struct sgraph left = { { g->n, g->m, g->e }, new_array(a, uint8_t, 32) };
	double length[32] = { 0 };
	uint8_t side[BRUTE_NODES];
	uint32_t cycles;

	for (uint32_t v = 0; v < g->n; v++)
		walk(&t, v, v, 1u << v, 0);
	cycles = t.n;
	if (cycles == 4000)
		return true;
	while (t.n) {
		uint32_t least = 0, least_through = 0;

		for (uint32_t i = 0; i < g->m; i++) {
			uint32_t through = 0;

			for (uint32_t c = 0; c < t.n; c++)
				through += t.cycles[c] >> i & 1;
			if (through && (!least_through || g->e[i].w * least_through < g->e[least].w * through)) {
				least = i;
				least_through = through;
			}
		}
		length[least] = 1;
		for (uint32_t c = 0; c < t.n;)
			if (t.cycles[c] >> least & 1)
				t.cycles[c] = t.cycles[--t.n];
			else
				c++;
	}
	sides_by_forest(&left, length, a, side);
	if (s->limited || s->cycles != cycles)
		return fail("the paper's heuristic lists other odd cycles");
	return s->lost == lost_by(g, side) || fail("the paper's heuristic removes other edges");
}

struct totals {
	uint64_t sets, cycles, optimal, searched, programs;
};

/* The integer program by itself, without reduction: on a graph of which all sides are tried. */
static bool exact(uint64_t seed, const struct sgraph *s, struct arena *a, struct totals *t)
{
	uint8_t *side = new_array(a, uint8_t, (size_t)s->g.n + 1), *best = new_array(a, uint8_t, (size_t)s->g.n + 1);
	uint64_t optimum = sides_enumerate(s, best), bound, cycles = 0, slack;
	const char *why;

	for (uint32_t v = 0; v < s->g.n; v++)
		side[v] = seed >> v % 32 & 1;
	if (!sides_exact(s, 60, a, side, &bound, &cycles, &why))
		return fail(why);
	slack = 1 + optimum / 1000000000; /* floating point */
	t->programs++;
	return (sides_loss(s, side) <= optimum + slack - 1 && bound <= optimum + slack - 1 &&
		bound + slack > optimum) ||
	       fail("the integer program's answer is not the optimum");
}

static bool sides(uint64_t seed, const struct wgraph *g, struct arena *a, struct totals *t)
{
	struct sides paper, ours, again;
	struct sgraph s = { *g, new_array(a, uint8_t, (size_t)g->m + 1) };
	uint8_t *side = new_array(a, uint8_t, (size_t)g->n + 1);
	uint64_t bound = frustration_bound(g, 1 + seed % 100000), lost, r = seed, steps = SEARCH_STEPS;

	frustration_paper(g, (struct cycle_limit){ seed % 3 ? 20000 : seed % 50, seed % 5 ? 200000 : seed % 3000 }, a,
			  &paper);
	frustration_default(g, a, &ours);
	frustration_default(g, a, &again);
	t->cycles += paper.cycles;
	if (!consistent(g, &paper, a) || !consistent(g, &ours, a))
		return false;
	if (bound > ours.lost || ours.bound > ours.lost || ours.bound > paper.lost)
		return fail("a bound is above what sides lose");
	if (ours.lost != again.lost || memcmp(ours.side, again.side, g->n) != 0)
		return fail("two runs differ");
	if (g->n <= BRUTE_NODES) {
		uint64_t best = brute_sides(g);

		if (ours.lost != best || ours.bound != best)
			return fail("sides of a small graph are not optimal, or not known to be");
		if (g->m <= 24 && seed % 15 && seed % 3 && seed % 5 && !paper_by_words(g, &paper, a))
			return false;
	}
	/* The search alone, on signed graphs. */
	if (g->n > 18)
		return true;
	for (uint32_t i = 0; i < g->m; i++)
		s.same[i] = seed % 2 && rng_below(&r, 2);
	sides_by_forest(&s, NULL, a, side);
	lost = sides_search(&s, 0, &steps, side);
	if (lost != sides_loss(&s, side))
		return fail("the search miscounts");
	t->searched++;
	t->optimal += lost == sides_enumerate(&s, side);
	if (lost < sides_loss(&s, side))
		return fail("the search beats the optimum");
	return seed % EXACT_EVERY || !graph_weight(g) || g->n > 16 || exact(seed, &s, a, t);
}

static bool try(uint64_t seed, struct totals *t)
{
	struct matching m;
	struct wgraph g;
	struct arena a;
	bool ok;

	arena_init(&a);
	g = random_graph(seed, &a);
	ok = normal(&g);
	graph_matching(&g, &a, &m);
	for (uint32_t b = g.n; b < 2 * g.n; b++)
		t->sets += m.dual[b] > 0;
	ok = ok && (proven(&g, &m) || fail("a matching is not proven to have the most weight"));
	ok = ok && (g.n > BRUTE_NODES || g.m > 24 || brute_matching(&g, 0, 0) == m.weight ||
		    fail("a matching does not have the most weight"));
	ok = ok && sides(seed, &g, &a, t);
	if (!ok)
		printf("p_graph: seed %" PRIu64 ": %u nodes, %u edges\n", seed, g.n, g.m);
	arena_free(&a);
	return ok;
}

/* ---- large graphs ---- */
static struct wgraph scattered(struct arena *a)
{
	struct wgraph g = { 10000, 0, new_array(a, struct wedge, 100000) };
	uint64_t r = 1;

	while (g.m < 100000) {
		uint32_t x = rng_below(&r, g.n), y = rng_below(&r, g.n);

		g.e[g.m++] = (struct wedge){ x, y, 1 + rng_below(&r, 1000) };
	}
	graph_normalise(&g);
	return g;
}

/* Complete graphs of `size` nodes side by side. */
static struct wgraph blocks(uint32_t size, uint32_t count, struct arena *a)
{
	struct wgraph g = { size * count, 0, new_array(a, struct wedge, (size_t)size * size / 2 * count) };
	uint64_t r = 1;

	for (uint32_t first = 0; first < g.n; first += size)
		for (uint32_t x = 0; x < size; x++)
			for (uint32_t y = x + 1; y < size; y++)
				g.e[g.m++] = (struct wedge){ first + x, first + y, 1 + rng_below(&r, 1000) };
	return g;
}

/* About 10,000 registers, 100,000 edges: sides that add up. The time is printed, not judged. */
static bool large(const char *what, const struct wgraph *g)
{
	struct timespec start, end;
	struct sides s;
	struct arena a;
	bool ok;

	arena_init(&a);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	frustration_default(g, &a, &s);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	ok = s.lost + s.kept == s.total && s.lost == lost_by(g, s.side) && s.bound <= s.lost;
	printf("p_graph: %s: %u nodes, %u edges: lost %.2f %%, at least %.2f %%, in %.2f s\n", what, g->n, g->m,
	       100.0 * (double)s.lost / (double)s.total, 100.0 * (double)s.bound / (double)s.total,
	       (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9);
	arena_free(&a);
	return ok || fail("sides of a large graph do not add up");
}

static bool large_graphs(void)
{
	struct wgraph some, few, many, mixed;
	struct arena a;
	bool ok;

	arena_init(&a);
	some = scattered(&a);
	few = blocks(18, 555, &a);
	many = blocks(19, 526, &a);
	mixed = blocks(60, 57, &a);
	ok = large("scattered", &some) && large("555 of 18", &few) && large("526 of 19", &many) &&
	     large("57 of 60", &mixed);
	arena_free(&a);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 300, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct totals t = { 0 };
	unsigned failed = 0;

	for (uint64_t s = first; s < first + seeds && failed < 5; s++)
		failed += !try(s, &t);
	failed += !large_graphs();
	if (t.searched >= 100 && t.optimal * 100 < t.searched * 99)
		failed += !fail("the search misses more than one optimum in a hundred");
	printf("p_graph: %" PRIu64 " graphs, %" PRIu64 " odd sets with duals, %" PRIu64 " odd cycles, %" PRIu64
	       " of %" PRIu64 " searches optimal, %" PRIu64 " integer programs, %u failed\n",
	       seeds, t.sets, t.cycles, t.optimal, t.searched, t.programs, failed);
	return failed != 0;
}
