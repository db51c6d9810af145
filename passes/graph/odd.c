/* Odd cycles of signed graphs: short ones near a node, and a packing of them, which bounds from below what any sides
 * lose.
 *
 * Each odd cycle loses one of its edges at least. So if cycles get weights y such that no edge's cycles weigh more than
 * it, all y together are a lower bound (the dual of the covering program that exact.c solves). Greedy: short cycles
 * first, each with the least weight left on its edges. */
#include "signed.h"

/* Odd cycles through edges with left[edge] > 0, by breadth-first search. */
struct odd_finder {
	const struct sgraph *s;
	struct adjacency adj;
	uint32_t *depth, *from, *queue, *round, now;
	uint8_t *odd;
	uint32_t *cycle; /* edges of the cycle that was found */
	uint64_t steps;  /* edges looked at so far */
};

static void finder_init(struct odd_finder *f, const struct sgraph *s, struct arena *a)
{
	uint32_t n = s->g.n;

	*f = (struct odd_finder){ .s = s };
	graph_adjacency(&s->g, a, &f->adj);
	f->depth = new_array(a, uint32_t, (size_t)n + 1);
	f->from = new_array(a, uint32_t, (size_t)n + 1);
	f->queue = new_array(a, uint32_t, (size_t)n + 1);
	f->round = new_array(a, uint32_t, (size_t)n + 1);
	f->odd = new_array(a, uint8_t, (size_t)n + 1);
	f->cycle = new_array(a, uint32_t, (size_t)n + 1);
}

static uint32_t other_end(const struct wedge *e, uint32_t v) { return e->a == v ? e->b : e->a; }

/* The tree's ways from both ends of the edge to where they meet, and the edge. */
static uint32_t close_walk(struct odd_finder *f, uint32_t edge)
{
	const struct wedge *e = f->s->g.e;
	uint32_t v = e[edge].a, w = e[edge].b, n = 0;

	f->cycle[n++] = edge;
	while (v != w) {
		uint32_t *deep = f->depth[v] >= f->depth[w] ? &v : &w;

		f->cycle[n++] = f->from[*deep];
		*deep = other_end(&e[f->from[*deep]], *deep);
	}
	return n;
}

/* An odd cycle that meets nodes up to `radius` edges from root: its length into f->cycle; 0: there is none. */
static uint32_t near(struct odd_finder *f, const uint64_t *left, uint32_t root, uint32_t radius)
{
	uint32_t n = 0;

	f->now++;
	f->queue[n++] = root;
	f->round[root] = f->now;
	f->depth[root] = 0;
	f->odd[root] = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = f->queue[i];

		f->steps += f->adj.at[v + 1] - f->adj.at[v] + 1;
		for (uint32_t k = f->adj.at[v]; k < f->adj.at[v + 1]; k++) {
			uint32_t w = f->adj.to[k], edge = f->adj.edge[k];
			uint8_t odd = f->odd[v] ^ !f->s->same[edge];

			if (!left[edge])
				continue;
			if (f->round[w] == f->now) {
				if (f->odd[w] != odd)
					return close_walk(f, edge);
			} else if (f->depth[v] < radius) {
				f->round[w] = f->now;
				f->depth[w] = f->depth[v] + 1;
				f->odd[w] = odd;
				f->from[w] = edge;
				f->queue[n++] = w;
			}
		}
	}
	return 0;
}

/* The radius to look within after `radius`: 1 to 6, then all n vertices; 0: none. */
static uint32_t wider(uint32_t radius, uint32_t n)
{
	if (radius < 6)
		return radius + 1;
	return radius < n ? n : 0;
}

uint64_t odd_packing(const struct sgraph *s, uint64_t *steps)
{
	struct arena scratch;
	struct odd_finder f;
	uint64_t *left, packed = 0;

	arena_init(&scratch);
	finder_init(&f, s, &scratch);
	left = new_array(&scratch, uint64_t, (size_t)s->g.m + 1);
	for (uint32_t i = 0; i < s->g.m; i++)
		left[i] = s->g.e[i].w;
	for (uint32_t radius = 1; radius && f.steps < *steps; radius = wider(radius, s->g.n))
		for (uint32_t root = 0; root < s->g.n && f.steps < *steps; root++) {
			uint32_t len;

			while (f.steps < *steps && (len = near(&f, left, root, radius))) {
				uint64_t least = left[f.cycle[0]];

				for (uint32_t i = 1; i < len; i++)
					least = left[f.cycle[i]] < least ? left[f.cycle[i]] : least;
				for (uint32_t i = 0; i < len; i++)
					left[f.cycle[i]] -= least;
				packed += least;
			}
		}
	*steps -= f.steps < *steps ? f.steps : *steps;
	arena_free(&scratch);
	return packed;
}
