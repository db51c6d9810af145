/* Matching of maximum weight in a general graph: the primal-dual blossom algorithm (Edmonds 1965) with the bookkeeping
 * of Galil, "Efficient algorithms for finding maximum matching in graphs", ACM Computing Surveys 18(1), 1986, section
 * 5: O(n^3).
 *
 * The matching grows by one edge a stage. A stage grows trees of alternating paths from all single nodes at once, along
 * edges without slack. A node or set of a tree is outer (an even number of edges from its root) or inner. An edge
 * between outer ones of two trees is a path that augments; between outer ones of one tree it closes an odd cycle, which
 * becomes a set that acts as one outer node. When there is no such edge, the duals change until one more edge has no
 * slack, an inner set's dual is 0 (it is opened), or the duals of the single nodes are 0 (the matching is optimal).
 *
 * Duals of nodes are stored twice as large as in the textbooks, so all are integers: all single nodes' duals are equal,
 * and those of outer nodes have the same parity, so half of the slack between two is an integer.
 *
 * An end is 2 * edge + (0: its a, 1: its b): the edge seen from one of its nodes; end ^ 1 is the other one. */
#include "graph.h"

#include <string.h>

#define NONE GRAPH_NONE

enum { FREE, OUTER, INNER, MARK = 4 };

/* A set: an odd cycle of nodes and sets. link[i] is the end at child[i] of the edge to child[i + 1]. child[0] has the
 * base, the one node that is not matched inside. */
struct set {
	uint32_t *child, *link, nchild, child_cap, link_cap;
	/* of an outer set: the edge of least slack to each of the others that were outer when it was made */
	uint32_t *near, nnear, near_cap;
	bool has_near;
};

struct state {
	const struct wgraph *g;
	struct adjacency adj;
	struct arena *mem;
	uint32_t n;
	uint32_t *mate; /* a node's: the end at its partner */
	uint32_t *top;  /* a node's outermost set, or itself */
	/* over nodes and sets */
	uint8_t *label;
	/* the end, at the node that came before in the tree, of the edge that gave the label */
	uint32_t *from;
	/* edge of least slack: of an outer one to outer ones, of a node not in a tree to outer ones */
	uint32_t *best;
	uint32_t *parent, *base;
	int64_t *dual;
	struct set *set; /* set[b - n] */
	uint32_t *unused, nunused;
	uint8_t *tight;          /* of an edge: it has no slack; stays so in this stage */
	uint32_t *queue, nqueue; /* outer nodes to look at */
	uint32_t *leaf, *walk;   /* scratch: nodes of a set; stack */
	uint32_t *nearest;       /* scratch, over nodes and sets: edge of least slack to it */
};

static uint32_t node_at(const struct state *t, uint32_t end)
{
	const struct wedge *e = &t->g->e[end / 2];

	return end & 1 ? e->b : e->a;
}

/* By how much the dual of a node with that label grows in a step of delta. */
static int64_t grows(uint8_t label, int64_t delta)
{
	if (label == OUTER)
		return delta;
	return label == INNER ? -delta : 0;
}

static int64_t slack(const struct state *t, uint32_t edge)
{
	const struct wedge *e = &t->g->e[edge];

	return t->dual[e->a] + t->dual[e->b] - 2 * (int64_t)e->w;
}

/* The nodes of b into t->leaf. */
static uint32_t leaves(struct state *t, uint32_t b)
{
	uint32_t n = 0, depth = 0;

	t->walk[depth++] = b;
	while (depth) {
		b = t->walk[--depth];
		if (b < t->n) {
			t->leaf[n++] = b;
			continue;
		}
		for (uint32_t i = t->set[b - t->n].nchild; i-- > 0;)
			t->walk[depth++] = t->set[b - t->n].child[i];
	}
	return n;
}

/* Node v, and what it is in, gets a label through the end `from` of an edge; with an inner one its partner becomes
 * outer. */
static void give_label(struct state *t, uint32_t v, uint8_t label, uint32_t from)
{
	for (;;) {
		uint32_t b = t->top[v], count;

		t->label[v] = t->label[b] = label;
		t->from[v] = t->from[b] = from;
		t->best[v] = t->best[b] = NONE;
		if (label == OUTER) {
			count = leaves(t, b);
			for (uint32_t i = 0; i < count; i++)
				t->queue[t->nqueue++] = t->leaf[i];
			return;
		}
		from = t->mate[t->base[b]] ^ 1;
		v = node_at(t, from ^ 1);
		label = OUTER;
	}
}

/* The base of the first outer set or node that the ways from v and w to their roots share, NONE: the roots differ. */
static uint32_t meeting(struct state *t, uint32_t v, uint32_t w)
{
	uint32_t found = NONE, n = 0;

	while (v != NONE) {
		uint32_t b = t->top[v], x;

		if (t->label[b] & MARK) {
			found = t->base[b];
			break;
		}
		t->walk[n++] = b;
		t->label[b] |= MARK;
		v = NONE;
		if (t->from[b] != NONE)
			v = node_at(t, t->from[t->top[node_at(t, t->from[b])]]);
		if (w != NONE) {
			x = v;
			v = w;
			w = x;
		}
	}
	while (n)
		t->label[t->walk[--n]] &= (uint8_t)~MARK;
	return found;
}

static void append(struct state *t, struct set *s, uint32_t child, uint32_t link)
{
	uint32_t n = s->nchild;

	arena_grow(t->mem, s->child, n, s->child_cap);
	arena_grow(t->mem, s->link, n, s->link_cap);
	s->child[n] = child;
	s->link[n] = link;
	s->nchild++;
}

static void reverse(uint32_t *x, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		uint32_t y = x[i];

		x[i] = x[n - 1 - i];
		x[n - 1 - i] = y;
	}
}

static void rotate_left(uint32_t *x, uint32_t n, uint32_t by)
{
	reverse(x, by);
	reverse(x + by, n - by);
	reverse(x, n);
}

/* The edge may be the best one from set b to another outer one. */
static void offer_near(struct state *t, uint32_t b, uint32_t edge)
{
	const struct wedge *e = &t->g->e[edge];
	uint32_t other = t->top[e->a] == b ? t->top[e->b] : t->top[e->a];

	if (other != b && t->label[other] == OUTER &&
	    (t->nearest[other] == NONE || slack(t, edge) < slack(t, t->nearest[other])))
		t->nearest[other] = edge;
}

static void collect_near(struct state *t, uint32_t b)
{
	struct set *s = &t->set[b - t->n];

	for (uint32_t i = 0; i < s->nchild; i++) {
		uint32_t c = s->child[i], count;

		if (c >= t->n && t->set[c - t->n].has_near) {
			for (uint32_t j = 0; j < t->set[c - t->n].nnear; j++)
				offer_near(t, b, t->set[c - t->n].near[j]);
			t->set[c - t->n].has_near = false;
		} else {
			count = leaves(t, c);
			for (uint32_t j = 0; j < count; j++)
				for (uint32_t k = t->adj.at[t->leaf[j]]; k < t->adj.at[t->leaf[j] + 1]; k++)
					offer_near(t, b, t->adj.edge[k]);
		}
		t->best[c] = NONE;
	}
	s->nnear = 0;
	s->has_near = true;
	t->best[b] = NONE;
	for (uint32_t x = 0; x < 2 * t->n; x++) {
		uint32_t edge = t->nearest[x];

		if (edge == NONE)
			continue;
		t->nearest[x] = NONE;
		arena_grow(t->mem, s->near, s->nnear, s->near_cap);
		s->near[s->nnear++] = edge;
		if (t->best[b] == NONE || slack(t, edge) < slack(t, t->best[b]))
			t->best[b] = edge;
	}
}

/* The edge joins two outer ones of a tree, whose ways meet in the set or node with this base: a new outer set. */
static void close_cycle(struct state *t, uint32_t base, uint32_t edge)
{
	uint32_t root = t->top[base], b = t->unused[--t->nunused], x, count;
	struct set *s = &t->set[b - t->n];

	s->nchild = 0;
	for (x = t->top[t->g->e[edge].a]; x != root; x = t->top[node_at(t, t->from[x])])
		append(t, s, x, t->from[x]);
	append(t, s, root, 0);
	reverse(s->child, s->nchild);
	s->nchild--;
	reverse(s->link, s->nchild);
	s->link[s->nchild++] = edge * 2;
	for (x = t->top[t->g->e[edge].b]; x != root; x = t->top[node_at(t, t->from[x])])
		append(t, s, x, t->from[x] ^ 1);
	for (uint32_t i = 0; i < s->nchild; i++)
		t->parent[s->child[i]] = b;
	t->parent[b] = NONE;
	t->base[b] = base;
	t->dual[b] = 0;
	t->label[b] = OUTER;
	t->from[b] = t->from[root];
	count = leaves(t, b);
	for (uint32_t i = 0; i < count; i++) {
		if (t->label[t->top[t->leaf[i]]] == INNER)
			t->queue[t->nqueue++] = t->leaf[i];
		t->top[t->leaf[i]] = b;
	}
	collect_near(t, b);
}

/* On the way from child j of s to child[0] over an even number of edges: the next child, and the edge's end at j. */
static uint32_t step(const struct set *s, uint32_t j, bool up, uint32_t *end)
{
	if (up) {
		*end = s->link[j];
		return j + 1 == s->nchild ? 0 : j + 1;
	}
	*end = s->link[j - 1] ^ 1;
	return j - 1;
}

static uint32_t child_index(const struct set *s, uint32_t c)
{
	uint32_t i = 0;

	while (s->child[i] != c)
		i++;
	return i;
}

/* Makes v the base of set b: the matching inside shifts. */
static void move_base(struct state *t, uint32_t b, uint32_t v)
{
	struct set *s = &t->set[b - t->n];
	uint32_t c = v, first, j, next, end;
	bool up;

	while (t->parent[c] != b)
		c = t->parent[c];
	if (c >= t->n)
		move_base(t, c, v);
	first = j = child_index(s, c);
	up = j & 1;
	while (j) {
		j = step(s, j, up, &end);
		next = step(s, j, up, &end);
		if (s->child[j] >= t->n)
			move_base(t, s->child[j], node_at(t, end));
		if (s->child[next] >= t->n)
			move_base(t, s->child[next], node_at(t, end ^ 1));
		t->mate[node_at(t, end)] = end ^ 1;
		t->mate[node_at(t, end ^ 1)] = end;
		j = next;
	}
	rotate_left(s->child, s->nchild, first);
	rotate_left(s->link, s->nchild, first);
	t->base[b] = v;
}

static void augment(struct state *t, uint32_t edge)
{
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t end = edge * 2 + side; /* at an outer node, which gets the other end for a partner */

		for (;;) {
			uint32_t v = node_at(t, end), b = t->top[v], inner;

			if (b >= t->n)
				move_base(t, b, v);
			t->mate[v] = end ^ 1;
			if (t->from[b] == NONE)
				break;
			inner = t->top[node_at(t, t->from[b])];
			end = t->from[inner];
			if (inner >= t->n)
				move_base(t, inner, node_at(t, end ^ 1));
			t->mate[node_at(t, end ^ 1)] = end;
		}
	}
}

/* The children of an inner set that is opened, in the middle of a stage: those on the even way from where the tree
 * comes in to the base stay in the tree; of the others those with a node that an outer one reaches become inner. */
static void label_opened(struct state *t, uint32_t b)
{
	struct set *s = &t->set[b - t->n];
	uint32_t from = t->from[b], v = node_at(t, from ^ 1), first = child_index(s, t->top[v]), j = first, end, c,
		 count;
	bool up = j & 1;

	while (j) {
		j = step(s, j, up, &end); /* the matched edge: becomes outer with its partner */
		t->tight[end / 2] = 1;
		t->label[node_at(t, end ^ 1)] = FREE;
		give_label(t, v, INNER, from);
		j = step(s, j, up, &end);
		t->tight[end / 2] = 1;
		from = end;
		v = node_at(t, end ^ 1);
	}
	c = s->child[0]; /* its partner is outer already */
	t->label[v] = t->label[c] = INNER;
	t->from[v] = t->from[c] = from;
	t->best[c] = NONE;
	for (j = 1; j < s->nchild; j++) {
		if (up ? j >= first : j <= first)
			continue;
		c = s->child[j];
		if (t->label[c] == OUTER) /* the partner of one that has just become inner */
			continue;
		count = leaves(t, c);
		for (uint32_t i = 0; i < count; i++) {
			v = t->leaf[i];
			if (t->label[v] == FREE)
				continue;
			t->label[v] = FREE;
			t->label[node_at(t, t->mate[t->base[c]])] = FREE;
			give_label(t, v, INNER, t->from[v]);
			break;
		}
	}
}

/* Opens set b, and at the end of a stage also those of its children whose duals are 0. */
static void open_set(struct state *t, uint32_t b, bool stage_ends)
{
	struct set *s = &t->set[b - t->n];
	uint32_t count;

	for (uint32_t i = 0; i < s->nchild; i++) {
		uint32_t c = s->child[i];

		t->parent[c] = NONE;
		if (stage_ends && c >= t->n && !t->dual[c]) {
			open_set(t, c, true);
			continue;
		}
		count = leaves(t, c);
		for (uint32_t k = 0; k < count; k++)
			t->top[t->leaf[k]] = c;
	}
	if (!stage_ends)
		label_opened(t, b);
	t->label[b] = FREE;
	t->from[b] = t->best[b] = t->base[b] = NONE;
	s->nchild = 0;
	s->has_near = false;
	t->unused[t->nunused++] = b;
}

/* Looks at the edges of outer node v. True: the matching has grown. */
static bool look(struct state *t, uint32_t v)
{
	for (uint32_t k = t->adj.at[v]; k < t->adj.at[v + 1]; k++) {
		uint32_t edge = t->adj.edge[k], w = t->adj.to[k], b = t->top[v], c = t->top[w], base;
		uint32_t end = edge * 2 + (t->g->e[edge].b == v);
		int64_t s;

		if (b == c)
			continue;
		s = slack(t, edge);
		if (s <= 0)
			t->tight[edge] = 1;
		if (t->tight[edge]) {
			if (t->label[c] == FREE) {
				give_label(t, w, INNER, end);
			} else if (t->label[c] == OUTER) {
				base = meeting(t, v, w);
				if (base == NONE) {
					augment(t, edge);
					return true;
				}
				close_cycle(t, base, edge);
			} else if (t->label[w] == FREE) { /* inside an inner set: remembered for when that is opened */
				t->label[w] = INNER;
				t->from[w] = end;
			}
		} else if (t->label[c] == OUTER) {
			if (t->best[b] == NONE || s < slack(t, t->best[b]))
				t->best[b] = edge;
		} else if (t->label[w] == FREE) {
			if (t->best[w] == NONE || s < slack(t, t->best[w]))
				t->best[w] = edge;
		}
	}
	return false;
}

/* The largest change of the duals that keeps them feasible, made. False: the matching is optimal. */
static bool change_duals(struct state *t)
{
	enum { DONE, GROW, JOIN, OPEN } what = DONE;
	int64_t delta = INT64_MAX, d;
	uint32_t which = 0, n = t->n;

	for (uint32_t v = 0; v < n; v++)
		if (t->dual[v] < delta)
			delta = t->dual[v];
	for (uint32_t v = 0; v < n; v++)
		if (t->label[t->top[v]] == FREE && t->best[v] != NONE && (d = slack(t, t->best[v])) < delta) {
			delta = d;
			what = GROW;
			which = t->best[v];
		}
	for (uint32_t b = 0; b < 2 * n; b++) {
		if (t->parent[b] != NONE)
			continue;
		if (t->label[b] == OUTER && t->best[b] != NONE && (d = slack(t, t->best[b]) / 2) < delta) {
			delta = d;
			what = JOIN;
			which = t->best[b];
		} else if (b >= n && t->label[b] == INNER && t->dual[b] < delta) {
			delta = t->dual[b];
			what = OPEN;
			which = b;
		}
	}
	for (uint32_t v = 0; v < n; v++)
		t->dual[v] -= grows(t->label[t->top[v]], delta);
	for (uint32_t b = n; b < 2 * n; b++)
		if (t->parent[b] == NONE)
			t->dual[b] += grows(t->label[b], delta);
	if (what == OPEN) {
		open_set(t, which, false);
	} else if (what != DONE) {
		const struct wedge *e = &t->g->e[which];

		t->tight[which] = 1;
		t->queue[t->nqueue++] = t->label[t->top[e->a]] == OUTER ? e->a : e->b;
	}
	return what != DONE;
}

static bool stage(struct state *t)
{
	for (uint32_t b = 0; b < 2 * t->n; b++) {
		t->label[b] = FREE;
		t->from[b] = t->best[b] = NONE;
		if (b >= t->n)
			t->set[b - t->n].has_near = false;
	}
	memset(t->tight, 0, t->g->m);
	t->nqueue = 0;
	for (uint32_t v = 0; v < t->n; v++)
		if (t->mate[v] == NONE && t->label[t->top[v]] == FREE)
			give_label(t, v, OUTER, NONE);
	do {
		while (t->nqueue)
			if (look(t, t->queue[--t->nqueue]))
				return true;
	} while (change_duals(t));
	return false;
}

void graph_matching(const struct wgraph *g, struct arena *a, struct matching *m)
{
	struct arena scratch;
	uint32_t n = g->n;
	struct state t = { .g = g, .mem = &scratch, .n = n };
	uint64_t most = 0;

	arena_init(&scratch);
	graph_adjacency(g, &scratch, &t.adj);
	for (uint32_t i = 0; i < g->m; i++)
		if (g->e[i].w > most)
			most = g->e[i].w;
	t.mate = new_array(&scratch, uint32_t, (size_t)n + 1);
	t.top = new_array(&scratch, uint32_t, (size_t)n + 1);
	t.label = new_array(&scratch, uint8_t, (size_t)n * 2 + 1);
	t.from = new_array(&scratch, uint32_t, (size_t)n * 2 + 1);
	t.best = new_array(&scratch, uint32_t, (size_t)n * 2 + 1);
	t.base = new_array(&scratch, uint32_t, (size_t)n * 2 + 1);
	t.nearest = new_array(&scratch, uint32_t, (size_t)n * 2 + 1);
	t.parent = new_array(a, uint32_t, (size_t)n * 2 + 1);
	t.dual = new_array(a, int64_t, (size_t)n * 2 + 1);
	t.set = new_array(&scratch, struct set, (size_t)n + 1);
	t.unused = new_array(&scratch, uint32_t, (size_t)n + 1);
	t.tight = new_array(&scratch, uint8_t, (size_t)g->m + 1);
	t.queue = new_array(&scratch, uint32_t, (size_t)n * 3 + 1);
	t.leaf = new_array(&scratch, uint32_t, (size_t)n + 1);
	t.walk = new_array(&scratch, uint32_t, (size_t)n * 2 + 1);
	for (uint32_t b = 0; b < 2 * n; b++) {
		t.parent[b] = t.nearest[b] = NONE;
		t.base[b] = b < n ? b : NONE;
		t.dual[b] = b < n ? (int64_t)most : 0;
		if (b >= n) {
			t.unused[t.nunused++] = b;
			continue;
		}
		t.mate[b] = NONE;
		t.top[b] = b;
	}
	while (stage(&t))
		/* only outer ones can have been made in this stage and have no dual */
		for (uint32_t b = n; b < 2 * n; b++)
			if (t.parent[b] == NONE && t.base[b] != NONE && t.label[b] == OUTER && !t.dual[b])
				open_set(&t, b, true);
	m->mate = new_array(a, uint32_t, (size_t)n + 1);
	m->weight = 0;
	for (uint32_t v = 0; v < n; v++) {
		m->mate[v] = t.mate[v] == NONE ? NONE : node_at(&t, t.mate[v]);
		if (t.mate[v] != NONE && m->mate[v] > v)
			m->weight += g->e[t.mate[v] / 2].w;
	}
	m->dual = t.dual;
	m->parent = t.parent;
	arena_free(&scratch);
}
