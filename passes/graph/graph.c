/* Normal form, adjacency and biconnected components of a weighted graph. */
#include "graph.h"

#include <stdlib.h>

static int by_ends(const void *x, const void *y)
{
	const struct wedge *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return p->b < q->b ? -1 : p->b > q->b;
}

void graph_normalise(struct wgraph *g)
{
	uint32_t m = 0;

	for (uint32_t i = 0; i < g->m; i++) {
		struct wedge e = g->e[i];

		if (e.a != e.b)
			g->e[m++] = e.a < e.b ? e : (struct wedge){ e.b, e.a, e.w };
	}
	if (m)
		qsort(g->e, m, sizeof *g->e, by_ends);
	g->m = 0;
	for (uint32_t i = 0; i < m; i++) {
		struct wedge *last = g->m ? &g->e[g->m - 1] : NULL, e = g->e[i];

		if (e.w > GRAPH_WEIGHT_MAX)
			e.w = GRAPH_WEIGHT_MAX;
		if (!last || by_ends(last, &e))
			g->e[g->m++] = e;
		else
			last->w = last->w + e.w < GRAPH_WEIGHT_MAX ? last->w + e.w : GRAPH_WEIGHT_MAX;
	}
}

uint64_t graph_weight(const struct wgraph *g)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < g->m; i++)
		sum += g->e[i].w;
	return sum;
}

void graph_adjacency(const struct wgraph *g, struct arena *a, struct adjacency *adj)
{
	uint32_t *at = new_array(a, uint32_t, (size_t)g->n + 2);

	adj->to = new_array(a, uint32_t, (size_t)g->m * 2 + 1);
	adj->edge = new_array(a, uint32_t, (size_t)g->m * 2 + 1);
	for (uint32_t i = 0; i < g->m; i++) {
		at[g->e[i].a + 2]++;
		at[g->e[i].b + 2]++;
	}
	for (uint32_t v = 2; v < g->n + 2; v++)
		at[v] += at[v - 1];
	/* Edges ascend by (a, b): a node's smaller neighbours first, as b, then its larger ones, as a. */
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t i = 0; i < g->m; i++) {
			uint32_t v = side ? g->e[i].a : g->e[i].b, k = at[v + 1]++;

			adj->to[k] = side ? g->e[i].b : g->e[i].a;
			adj->edge[k] = i;
		}
	adj->at = at;
}

/* Hopcroft and Tarjan 1973, without recursion. */
uint32_t graph_components(const struct wgraph *g, struct arena *a, uint32_t **of_edge)
{
	struct arena scratch;
	struct adjacency adj;
	uint32_t *num, *low, *next, *up, *stack, *path, *of = new_array(a, uint32_t, (size_t)g->m + 1), depth, ne = 0,
							count = 0, clock = 0;

	arena_init(&scratch);
	graph_adjacency(g, &scratch, &adj);
	num = new_array(&scratch, uint32_t, (size_t)g->n + 1); /* order of discovery from 1; 0: not yet */
	low = new_array(&scratch, uint32_t, (size_t)g->n + 1);
	next = new_array(&scratch, uint32_t, (size_t)g->n + 1);
	up = new_array(&scratch, uint32_t, (size_t)g->n + 1); /* edge to the parent */
	path = new_array(&scratch, uint32_t, (size_t)g->n + 1);
	stack = new_array(&scratch, uint32_t, (size_t)g->m + 1); /* edges of components that are not complete */
	for (uint32_t root = 0; root < g->n; root++) {
		if (num[root])
			continue;
		depth = 0;
		path[depth++] = root;
		num[root] = low[root] = ++clock;
		next[root] = adj.at[root];
		up[root] = GRAPH_NONE;
		while (depth) {
			uint32_t v = path[depth - 1], parent;

			if (next[v] < adj.at[v + 1]) {
				uint32_t k = next[v]++, w = adj.to[k];

				if (adj.edge[k] == up[v])
					continue;
				if (!num[w]) {
					stack[ne++] = adj.edge[k];
					up[w] = adj.edge[k];
					num[w] = low[w] = ++clock;
					next[w] = adj.at[w];
					path[depth++] = w;
				} else if (num[w] < num[v]) {
					stack[ne++] = adj.edge[k];
					if (num[w] < low[v])
						low[v] = num[w];
				}
				continue;
			}
			if (!--depth)
				break;
			parent = path[depth - 1];
			if (low[v] < low[parent])
				low[parent] = low[v];
			if (low[v] >= num[parent]) {
				do
					of[stack[--ne]] = count;
				while (stack[ne] != up[v]);
				count++;
			}
		}
	}
	*of_edge = of;
	arena_free(&scratch);
	return count;
}
