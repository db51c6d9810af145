/* Reduction by dominating edges. A set of joined nodes has one list of edges, in which the other ends are found by
 * union and find; reading a list adds up parallel edges. Weights are signed: above 0 an edge wants different sides. */
#include "reduce.h"

#include <stdlib.h>

enum { QUEUED = 1, SEEN = 2 };

struct half {
	uint32_t to;
	int64_t w;
};

struct list {
	struct half *e;
	uint32_t n, cap;
};

struct work {
	struct parity *sets;
	struct list *list;
	int64_t *sum; /* scratch over nodes */
	uint32_t *seen, nseen;
	uint32_t *queue, n, head, count;
	uint8_t *queued; /* QUEUED, and SEEN while a list is read */
	struct arena mem;
};

static void push(struct work *t, uint32_t v)
{
	if (t->queued[v])
		return;
	t->queued[v] = QUEUED;
	t->queue[(t->head + t->count++) % t->n] = v;
}

static void add_half(struct work *t, struct list *l, uint32_t to, int64_t w)
{
	arena_grow(&t->mem, l->e, l->n, l->cap);
	l->e[l->n++] = (struct half){ to, w };
}

/* Rewrites root v's list: one edge for each neighbouring set, none of weight 0. */
static void tidy(struct work *t, uint32_t v)
{
	struct list *l = &t->list[v];

	t->nseen = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		uint8_t odd;
		uint32_t r = parity_find(t->sets, l->e[i].to, &odd);

		if (r == v)
			continue;
		if (!(t->queued[r] & SEEN)) {
			t->queued[r] |= SEEN;
			t->seen[t->nseen++] = r;
		}
		t->sum[r] += odd ? -l->e[i].w : l->e[i].w;
	}
	l->n = 0;
	for (uint32_t i = 0; i < t->nseen; i++) {
		uint32_t r = t->seen[i];

		if (t->sum[r])
			l->e[l->n++] = (struct half){ r, t->sum[r] };
		t->sum[r] = 0;
		t->queued[r] &= QUEUED;
	}
}

static uint64_t size_of(int64_t w) { return w < 0 ? (uint64_t)-w : (uint64_t)w; }

/* Joins root v with a neighbour if one edge outweighs the rest. */
static void examine(struct work *t, uint32_t v)
{
	struct list *l = &t->list[v], *to;
	uint64_t sum = 0, most = 0;
	uint32_t heavy = 0, root;
	uint8_t odd;

	tidy(t, v);
	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t w = size_of(l->e[i].w);

		sum += w;
		if (w > most) {
			most = w;
			heavy = i;
		}
	}
	if (!most || most < sum - most)
		return;
	odd = l->e[heavy].w > 0;
	root = l->e[heavy].to;
	for (uint32_t i = 0; i < l->n; i++)
		push(t, l->e[i].to);
	parity_join(t->sets, v, root, odd);
	if (t->sets->up[v] == v) { /* the root is the smaller node */
		uint32_t x = v;

		v = root;
		root = x;
	}
	l = &t->list[v];
	to = &t->list[root];
	if (l->n > to->n) { /* the shorter list is copied */
		struct list x = *l;

		*l = *to;
		*to = x;
		for (uint32_t i = 0; odd && i < to->n; i++)
			to->e[i].w = -to->e[i].w;
		odd = 0;
	}
	for (uint32_t i = 0; i < l->n; i++)
		add_half(t, to, l->e[i].to, odd ? -l->e[i].w : l->e[i].w);
	l->n = 0;
	push(t, root);
}

static int by_node(const void *x, const void *y)
{
	const struct half *p = x, *q = y;

	return p->to < q->to ? -1 : p->to > q->to;
}

void graph_reduce(const struct wgraph *g, bool reduce, struct arena *a, struct core *c)
{
	struct work t = { .n = g->n ? g->n : 1, .sets = &c->sets };
	uint32_t n = 0, m = 0;

	arena_init(&t.mem);
	parity_init(&c->sets, g->n, a);
	c->core_of = new_array(a, uint32_t, (size_t)g->n + 1);
	t.list = new_array(&t.mem, struct list, (size_t)g->n + 1);
	t.sum = new_array(&t.mem, int64_t, (size_t)g->n + 1);
	t.seen = new_array(&t.mem, uint32_t, (size_t)g->n + 1);
	t.queue = new_array(&t.mem, uint32_t, (size_t)g->n + 1);
	t.queued = new_array(&t.mem, uint8_t, (size_t)g->n + 1);
	for (uint32_t i = 0; i < g->m; i++) {
		add_half(&t, &t.list[g->e[i].a], g->e[i].b, (int64_t)g->e[i].w);
		add_half(&t, &t.list[g->e[i].b], g->e[i].a, (int64_t)g->e[i].w);
	}
	for (uint32_t v = 0; reduce && v < g->n; v++)
		push(&t, v);
	while (t.count) {
		uint32_t v = t.queue[t.head];

		t.head = (t.head + 1) % t.n;
		t.count--;
		t.queued[v] = 0;
		if (c->sets.up[v] == v)
			examine(&t, v);
	}
	for (uint32_t v = 0; v < g->n; v++) {
		uint8_t odd;

		if (parity_find(&c->sets, v, &odd) == v) {
			tidy(&t, v);
			c->core_of[v] = t.list[v].n ? n++ : GRAPH_NONE;
			m += t.list[v].n;
		} else { /* the root is smaller, so it has its number */
			c->core_of[v] = c->core_of[c->sets.up[v]];
		}
	}
	m /= 2;
	c->s.same = new_array(a, uint8_t, (size_t)m + 1);
	c->s.g = (struct wgraph){ n, 0, new_array(a, struct wedge, (size_t)m + 1) };
	for (uint32_t v = 0; v < g->n; v++) {
		struct list *l = &t.list[v];

		if (c->sets.up[v] != v || !l->n)
			continue;
		qsort(l->e, l->n, sizeof *l->e, by_node);
		for (uint32_t i = 0; i < l->n; i++)
			if (l->e[i].to > v) { /* once; the other end's list has the same weight */
				c->s.same[c->s.g.m] = l->e[i].w < 0;
				c->s.g.e[c->s.g.m++] =
					(struct wedge){ c->core_of[v], c->core_of[l->e[i].to], size_of(l->e[i].w) };
			}
	}
	arena_free(&t.mem);
}
