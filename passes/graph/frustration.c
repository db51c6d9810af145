/* Two sides of a graph that lose little (bipartite edge frustration): the graph is reduced and cut into biconnected
 * components, which have no influence on each other; each is solved by one of three methods, and the sides are put
 * together again.
 *
 * All components together get STEPS steps: each a part of what is left that is as large as its part of the edges that
 * are left, so what one does not use goes to those after it. A graph of many components takes no longer than one of a
 * single component. */
#include "reduce.h"

#include <time.h>

#define ENUMERATE_NODES 18u /* of a component: up to here all sides are tried */
#define STEPS 24000000u
#define BOUND_PART 8u /* of a component's steps one in so many goes to its bound */
#define CHEAPER 8u    /* trying all sides looks at so many edges in the time of a step of the search */

enum method { PAPER, DEFAULT, EXACT };

struct solver {
	enum method method;
	struct cycle_work work;
	double seconds;
	struct timespec start;
	uint64_t lost, bound, cycles; /* of all components so far */
	uint64_t steps, edges;        /* left to the components that are not solved */
	const char *why;
	struct arena *a;
};

static double elapsed(const struct solver *o)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - o->start.tv_sec) + (double)(now.tv_nsec - o->start.tv_nsec) * 1e-9;
}

/* What trying all sides of a component takes. */
static uint64_t enumeration_steps(const struct sgraph *s)
{
	return s->g.n <= ENUMERATE_NODES ? ((uint64_t)1 << (s->g.n - 1)) * (2 * s->g.m / s->g.n + 1) / CHEAPER
					 : UINT64_MAX;
}

/* The best sides and bound that a component's part of the steps gives; returns what the sides lose. */
static uint64_t solve_default(struct solver *o, const struct sgraph *s, uint64_t *bound, uint8_t *side)
{
	uint64_t part = o->steps * s->g.m / o->edges, all = enumeration_steps(s), rest, lost;
	struct arena scratch;

	o->steps -= part;
	if (all <= part) {
		o->steps += part - all;
		return *bound = sides_enumerate(s, side);
	}
	arena_init(&scratch);
	sides_by_forest(s, NULL, &scratch, side);
	arena_free(&scratch);
	rest = part / BOUND_PART;
	part -= rest;
	*bound = odd_packing(s, &rest);
	part += rest;
	lost = sides_search(s, *bound, &part, side);
	o->steps += part;
	return lost;
}

static void solve(struct solver *o, const struct sgraph *s, uint8_t *side)
{
	uint64_t lost, bound = 0;

	if (o->method == PAPER) {
		sides_paper(s, &o->work, side);
		lost = sides_loss(s, side);
	} else {
		lost = solve_default(o, s, &bound, side);
	}
	if (o->method == EXACT && bound < lost && !o->why) {
		double left = o->seconds - elapsed(o);
		uint64_t better = bound;

		o->work.limited |= left <= 0;
		if (left > 0 && sides_exact(s, left, o->a, side, &better, &o->cycles, &o->why)) {
			lost = sides_loss(s, side);
			bound = better > bound ? better : bound;
			bound = bound < lost ? bound : lost;
			o->work.limited |= bound < lost;
		}
	}
	o->lost += lost;
	o->bound += bound;
}

/* Solves each biconnected component of s, and joins the nodes of p as the components' sides say. */
static void solve_components(struct solver *o, const struct sgraph *s, struct parity *p)
{
	struct arena scratch;
	uint32_t *of, *at, *edge, *name, count;

	arena_init(&scratch);
	count = graph_components(&s->g, &scratch, &of);
	at = new_array(&scratch, uint32_t, (size_t)count + 2);
	edge = new_array(&scratch, uint32_t, (size_t)s->g.m + 1);
	/* of a node, in its component; 1 and up, 0: none */
	name = new_array(&scratch, uint32_t, (size_t)s->g.n + 1);
	for (uint32_t i = 0; i < s->g.m; i++)
		at[of[i] + 2]++;
	for (uint32_t c = 2; c < count + 2; c++)
		at[c] += at[c - 1];
	for (uint32_t i = 0; i < s->g.m; i++)
		edge[at[of[i] + 1]++] = i;
	o->steps = STEPS;
	o->edges = s->g.m;
	for (uint32_t c = 0; c < count; c++) {
		uint32_t m = at[c + 1] - at[c];
		struct arena mem;
		struct sgraph part;
		uint32_t *node;
		uint8_t *side;

		arena_init(&mem);
		part.g = (struct wgraph){ 0, m, new_array(&mem, struct wedge, m) };
		part.same = new_array(&mem, uint8_t, m);
		node = new_array(&mem, uint32_t, (size_t)m + 1);
		for (uint32_t i = 0; i < m; i++) {
			const struct wedge *e = &s->g.e[edge[at[c] + i]];

			for (uint32_t k = 0; k < 2; k++) {
				uint32_t v = k ? e->b : e->a;

				if (!name[v]) {
					node[part.g.n] = v;
					name[v] = ++part.g.n;
				}
			}
		}
		for (uint32_t i = 0; i < m; i++) {
			const struct wedge *e = &s->g.e[edge[at[c] + i]];
			uint32_t a = name[e->a] - 1, b = name[e->b] - 1;

			part.g.e[i] = (struct wedge){ a < b ? a : b, a < b ? b : a, e->w };
			part.same[i] = s->same[edge[at[c] + i]];
		}
		side = new_array(&mem, uint8_t, part.g.n);
		if (m == 1)
			side[1] = !part.same[0];
		else
			solve(o, &part, side);
		for (uint32_t i = 0; i < m; i++) {
			const struct wedge *e = &part.g.e[i];

			parity_join(p, node[e->a], node[e->b], side[e->a] ^ side[e->b]);
		}
		o->edges -= m;
		for (uint32_t v = 0; v < part.g.n; v++)
			name[node[v]] = 0;
		arena_free(&mem);
	}
	arena_free(&scratch);
}

static void frustration(struct solver *o, const struct wgraph *g, struct arena *a, struct sides *s)
{
	struct arena scratch;
	struct core core;
	struct parity p, whole;
	uint32_t *first;

	o->a = a;
	clock_gettime(CLOCK_MONOTONIC, &o->start);
	*s = (struct sides){ .side = new_array(a, uint8_t, (size_t)g->n + 1), .total = graph_weight(g) };
	arena_init(&scratch);
	graph_reduce(g, o->method != PAPER, &scratch, &core);
	parity_init(&p, core.s.g.n, &scratch);
	solve_components(o, &core.s, &p);

	/* The sets of joined nodes, and their sides relative to each other, become one structure over all nodes. */
	parity_init(&whole, g->n, &scratch);
	first = new_array(&scratch, uint32_t, (size_t)g->n + 1); /* the set that has a core node */
	for (uint32_t v = 0; v < g->n; v++) {
		uint8_t odd, core_odd;
		uint32_t root = parity_find(&core.sets, v, &odd), r;

		if (root != v) {
			parity_join(&whole, v, root, odd);
			continue;
		}
		if (core.core_of[v] == GRAPH_NONE)
			continue;
		first[core.core_of[v]] = v;
		r = parity_find(&p, core.core_of[v], &core_odd); /* r is smaller, and its set too */
		if (r != core.core_of[v])
			parity_join(&whole, v, first[r], core_odd);
	}
	parity_sides(&whole, g->n, s->side);
	for (uint32_t i = 0; i < g->m; i++)
		s->lost += s->side[g->e[i].a] == s->side[g->e[i].b] ? g->e[i].w : 0;
	s->kept = s->total - s->lost;
	s->bound = o->method == PAPER ? 0 : s->lost - o->lost + o->bound; /* the rest is lost by any sides */
	s->cycles = o->method == PAPER ? o->work.cycles : o->cycles;
	s->limited = o->work.limited;
	arena_free(&scratch);
}

void frustration_paper(const struct wgraph *g, struct cycle_limit limit, struct arena *a, struct sides *s)
{
	struct solver o = { .method = PAPER, .work.limit = limit };

	frustration(&o, g, a, s);
}

void frustration_default(const struct wgraph *g, struct arena *a, struct sides *s)
{
	struct solver o = { .method = DEFAULT };

	frustration(&o, g, a, s);
}

bool frustration_exact(const struct wgraph *g, double seconds, struct arena *a, struct sides *s, const char **why)
{
	struct solver o = { .method = EXACT, .seconds = seconds };

	frustration(&o, g, a, s);
	*why = o.why;
	return !o.why;
}

uint64_t frustration_bound(const struct wgraph *g, uint64_t steps)
{
	struct arena scratch;
	struct core core;
	uint64_t bound;

	arena_init(&scratch);
	graph_reduce(g, false, &scratch, &core);
	bound = odd_packing(&core.s, &steps);
	arena_free(&scratch);
	return bound;
}
