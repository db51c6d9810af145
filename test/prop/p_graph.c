/* Matchings and sides of random graphs against brute force, their proofs and each other. Usage: p_graph [SEEDS [FIRST]] */
#include "analyzer/base/rng.h"
#include "passes/graph/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BRUTE_NODES 11          /* matchings and sides of smaller graphs are tried all */

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
	uint32_t shape = rng_below(&r, 12), n = seed % 4 ? rng_below(&r, BRUTE_NODES) : 10 + rng_below(&r, seed % 64 ? 40 : 200);
	uint32_t scale = rng_below(&r, 4), m;
	struct wgraph g = { .n = n };

	shape = shape < SHAPES ? shape : shape % 2;
	m = !n || shape == EMPTY ? 0 : shape == COMPLETE ? n * (n - 1) / 2 : shape == RING ? n : shape == DENSE ? n * n / 3 : n * 5 / 4;
	g.e = new_array(a, struct wedge, (size_t)m + 1);
	if (shape == COMPLETE) {
		for (uint32_t x = 1; x < n; x++)
			for (uint32_t y = 0; y < x; y++)
				g.e[g.m++] = (struct wedge){ x, y, 0 };
	} else {
		for (uint32_t i = 0; i < m; i++) {
			uint32_t x = shape == RING ? i : rng_below(&r, n), y = shape == RING ? (i + 1) % n : rng_below(&r, n);

			g.e[g.m++] = (struct wedge){ x, shape == PIECES ? x / 4 * 4 + y % 4 < n ? x / 4 * 4 + y % 4 : x : y, 0 };
		}
	}
	for (uint32_t i = 0; i < g.m; i++)
		g.e[i].w = scale == 0 ? 1 : scale == 1 ? rng_below(&r, 4) : scale == 2 ? rng_below(&r, 100) : (uint64_t)1 << rng_below(&r, 41);
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
		sum += m->dual[b] * (b < n ? 1 : size[b] ? (int64_t)size[b] - 1 : 0);
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

static bool try(uint64_t seed, uint64_t *sets)
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
		*sets += m.dual[b] > 0;
	ok = ok && (proven(&g, &m) || fail("a matching is not proven to have the most weight"));
	ok = ok && (g.n > BRUTE_NODES || g.m > 24 || brute_matching(&g, 0, 0) == m.weight || fail("a matching does not have the most weight"));
	if (!ok)
		printf("p_graph: seed %" PRIu64 ": %u nodes, %u edges\n", seed, g.n, g.m);
	arena_free(&a);
	return ok;
}

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 0) : 300, first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, sets = 0;
	unsigned failed = 0;

	for (uint64_t s = first; s < first + seeds && failed < 5; s++)
		failed += !try(s, &sets);
	printf("p_graph: %" PRIu64 " graphs, %" PRIu64 " odd sets with duals, %u failed\n", seeds, sets, failed);
	return failed != 0;
}
