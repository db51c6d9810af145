/* Separation. Odd cycles: shortest ways in the doubled graph (Barahona and Mahjoub, "On the cut polytope", 1986). Each
 * node has two copies; an edge that wants different sides leads to the other copy. A way from one copy of a node to its
 * other one is a closed walk with an odd number of such edges; the odd simple cycle in it is no longer than the walk.
 *
 * Complete subgraphs: of p nodes with an edge between any two, (p/2)^2 edges are kept at most. Matrix instructions read
 * 10 to 24 registers, all with each other; odd cycles alone see a third of their edges lost, where it is nearly a
 * half. */
#include "ilp.h"

#include "analyzer/base/rng.h"

#include <stdlib.h>
#include <string.h>

#define VIOLATED 0.9999

struct item {
	double d;
	uint32_t at;
};

struct ways {
	const struct sgraph *s;
	const struct adjacency *adj;
	const double *x;
	/* hop: added to each length, so that of equally long ways the one with the fewest edges is taken */
	double *dist, hop;
	uint32_t *from, *round, now; /* over copies: the edge it was reached by */
	struct item *heap;
	uint32_t nheap;
	uint32_t *node, *edge, *place; /* a way without repetition; a node's place on it */
};

static void heap_push(struct ways *t, double d, uint32_t at)
{
	uint32_t i = t->nheap++;

	for (; i && d < t->heap[(i - 1) / 2].d; i = (i - 1) / 2)
		t->heap[i] = t->heap[(i - 1) / 2];
	t->heap[i] = (struct item){ d, at };
}

static struct item heap_pop(struct ways *t)
{
	struct item top = t->heap[0], last = t->heap[--t->nheap];
	uint32_t i = 0, c;

	for (; (c = 2 * i + 1) < t->nheap; i = c) {
		if (c + 1 < t->nheap && t->heap[c + 1].d < t->heap[c].d)
			c++;
		if (t->heap[c].d >= last.d)
			break;
		t->heap[i] = t->heap[c];
	}
	t->heap[i] = last;
	return top;
}

static bool reach(struct ways *t, uint32_t root)
{
	t->now++;
	t->nheap = 0;
	t->dist[2 * root] = 0;
	t->round[2 * root] = t->now;
	heap_push(t, 0, 2 * root);
	while (t->nheap) {
		struct item it = heap_pop(t);
		uint32_t v = it.at / 2;

		if (it.at == 2 * root + 1)
			return true;
		if (it.d > t->dist[it.at])
			continue;
		for (uint32_t k = t->adj->at[v]; k < t->adj->at[v + 1]; k++) {
			uint32_t edge = t->adj->edge[k], w = 2 * t->adj->to[k] + ((it.at & 1) ^ !t->s->same[edge]);
			double d = it.d + (t->x[edge] > 0 ? t->x[edge] : 0) + t->hop;

			if (d >= VIOLATED || (t->round[w] == t->now && t->dist[w] <= d))
				continue;
			t->round[w] = t->now;
			t->dist[w] = d;
			t->from[w] = edge;
			heap_push(t, d, w);
		}
	}
	return false;
}

static int compare_edges(const void *x, const void *y)
{
	uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;

	return p < q ? -1 : p > q;
}

bool rows_add(struct rows *r, uint32_t *edge, uint32_t len, uint32_t need)
{
	uint64_t h = len;
	uint32_t slot;

	qsort(edge, len, sizeof *edge, compare_edges);
	for (uint32_t i = 0; i < len; i++)
		h = mix64(h ^ edge[i]);
	if (r->n * 2 >= r->hash_cap) {
		uint32_t cap = r->hash_cap ? r->hash_cap * 2 : 64, *old = r->hash, old_cap = r->hash_cap;

		r->hash = new_array(r->a, uint32_t, cap);
		r->hash_cap = cap;
		for (uint32_t i = 0; i < old_cap; i++) {
			uint64_t g;

			if (!old[i])
				continue;
			g = r->at[old[i]] - r->at[old[i] - 1];
			for (uint32_t k = r->at[old[i] - 1]; k < r->at[old[i]]; k++)
				g = mix64(g ^ r->edge[k]);
			for (slot = (uint32_t)g & (cap - 1); r->hash[slot]; slot = (slot + 1) & (cap - 1))
				;
			r->hash[slot] = old[i];
		}
	}
	for (slot = (uint32_t)h & (r->hash_cap - 1); r->hash[slot]; slot = (slot + 1) & (r->hash_cap - 1)) {
		uint32_t row = r->hash[slot] - 1;

		if (r->at[row + 1] - r->at[row] == len && memcmp(r->edge + r->at[row], edge, len * sizeof *edge) == 0)
			return false;
	}
	r->hash[slot] = r->n + 1;
	arena_grow(r->a, r->at, r->n + 1, r->at_cap);
	for (uint32_t i = 0; i < len; i++) {
		arena_grow(r->a, r->edge, r->nedge, r->edge_cap);
		r->edge[r->nedge++] = edge[i];
	}
	arena_grow(r->a, r->need, r->n, r->need_cap);
	r->need[r->n] = need;
	r->at[++r->n] = r->nedge;
	return true;
}

/* The walk that reach() found, cut where it comes to a node again: an even loop is left out, an odd one is the
 * cycle. */
static bool keep_cycle(struct ways *t, uint32_t root, struct rows *r)
{
	uint32_t at = 2 * root + 1, depth = 0;

	for (uint32_t i = 0; i < t->s->g.n; i++)
		t->place[i] = GRAPH_NONE;
	t->place[root] = 0;
	t->node[0] = root;
	for (;;) {
		uint32_t edge = t->from[at], v = at / 2, w, first, odd = 0;

		w = t->s->g.e[edge].a == v ? t->s->g.e[edge].b : t->s->g.e[edge].a;
		at = 2 * w + ((at & 1) ^ !t->s->same[edge]);
		t->edge[depth++] = edge;
		first = t->place[w];
		if (first == GRAPH_NONE) {
			t->place[w] = depth;
			t->node[depth] = w;
			continue;
		}
		for (uint32_t d = first; d < depth; d++)
			odd ^= !t->s->same[t->edge[d]];
		if (odd) {
			return rows_add(r, t->edge + first, depth - first, 1);
		}
		for (uint32_t d = first + 1; d < depth; d++)
			t->place[t->node[d]] = GRAPH_NONE;
		depth = first;
	}
}

void rows_init(struct rows *r, struct arena *a)
{
	*r = (struct rows){ .at = new_array(a, uint32_t, 1), .at_cap = 1, .a = a };
}

uint32_t separate(const struct sgraph *s, const struct adjacency *adj, const double *x, struct rows *r)
{
	struct arena mem;
	struct ways t = { .s = s, .adj = adj, .x = x };
	uint32_t n = s->g.n, added = 0;

	arena_init(&mem);
	t.hop = 1e-5 / n;
	t.dist = new_array(&mem, double, (size_t)n * 2);
	t.from = new_array(&mem, uint32_t, (size_t)n * 2);
	t.round = new_array(&mem, uint32_t, (size_t)n * 2);
	/* each copy of an edge is gone along once in each direction */
	t.heap = new_array(&mem, struct item, (size_t)s->g.m * 4 + 1);
	t.node = new_array(&mem, uint32_t, (size_t)n + 1);
	t.edge = new_array(&mem, uint32_t, (size_t)n + 1);
	t.place = new_array(&mem, uint32_t, n);
	for (uint32_t root = 0; root < n; root++)
		if (reach(&t, root))
			added += keep_cycle(&t, root, r);
	arena_free(&mem);
	return added;
}

/* Of p nodes, all joined, this many edges lie within a side at least. */
static uint32_t within_sides(uint32_t p) { return p * (p - 1) / 2 - (p / 2) * (p - p / 2); }

/* Grows a complete subgraph from root by the node that adds least to x, and offers each that is violated. */
static uint32_t grow_clique(const struct sgraph *s, const struct adjacency *adj, const double *x, uint32_t root,
			    struct rows *r, struct arena *mem)
{
	uint32_t n = s->g.n, *joined = new_array(mem, uint32_t, n), *of = new_array(mem, uint32_t, s->g.m), p = 1,
		 m = 0, added = 0, v = root;
	double *sum = new_array(mem, double, n), total = 0;
	/* switched, so that all edges among the nodes want different sides */
	uint8_t *turned = new_array(mem, uint8_t, n);
	uint8_t *in = new_array(mem, uint8_t, n);

	for (in[root] = 1; added < 4; p++) {
		uint32_t next = GRAPH_NONE;

		for (uint32_t k = adj->at[v]; k < adj->at[v + 1]; k++) {
			uint32_t w = adj->to[k], e = adj->edge[k];

			if (v == root)
				turned[w] = s->same[e];
			if (joined[w] == p - 1 && (turned[v] ^ turned[w]) == s->same[e]) {
				joined[w]++;
				sum[w] += x[e];
			}
		}
		for (uint32_t k = adj->at[root]; k < adj->at[root + 1]; k++) {
			uint32_t w = adj->to[k];

			if (!in[w] && joined[w] == p && (next == GRAPH_NONE || sum[w] < sum[next]))
				next = w;
		}
		if (next == GRAPH_NONE)
			break;
		v = next;
		in[v] = 1;
		total += sum[v];
		for (uint32_t k = adj->at[v]; k < adj->at[v + 1]; k++)
			if (in[adj->to[k]])
				of[m++] = adj->edge[k];
		if (p >= 4 && total < within_sides(p + 1) - 0.01)
			added += rows_add(r, of, m, within_sides(p + 1));
	}
	return added;
}

uint32_t separate_cliques(const struct sgraph *s, const struct adjacency *adj, const double *x, struct rows *r)
{
	uint32_t added = 0;

	for (uint32_t root = 0; root < s->g.n; root++) {
		struct arena mem;

		arena_init(&mem);
		added += grow_clique(s, adj, x, root, r, &mem);
		arena_free(&mem);
	}
	return added;
}
