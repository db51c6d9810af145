/* The heuristic of CORF, section 5.1, on one biconnected graph. All simple odd cycles are listed, shortest first (the
 * paper takes its listing from Birmele et al. 2013; here it is backtracking that turns back where the way to the start
 * is too long). Of the edges on them the one with the least weight / cycles through it is removed, with it those
 * cycles, and so on until no cycle is left.
 *
 * Where the paper is silent: of equal quotients the edge with the smaller nodes goes; when what is left falls into
 * pieces, removed edges join them, the heaviest first, and so some of those are kept after all. A graph has
 * exponentially many cycles, so the listing is limited: at the limit those that are listed are broken and the listing
 * starts again on what is left; once the steps are used up, what is left gets its sides from a forest of the heaviest
 * edges. */
#include "signed.h"

#include <string.h>

#define CYCLES_MOST (1u << 19)    /* listed in a round: so many times a weight fit 63 bits */
#define CYCLE_EDGES_MOST 4000000u /* on all of them: memory */

struct listing {
	const struct sgraph *s;
	struct adjacency adj;
	struct arena mem;
	struct cycle_work *w;
	uint8_t *gone; /* removed edges */
	uint8_t *on_path;
	uint32_t *dist, *queue; /* from the start, among nodes that are not smaller */
	uint32_t *path, *next;  /* edges of the path; next place in a path node's adjacency */
	uint32_t *node;
	uint32_t *at, ncycle, at_cap; /* cycle c: edge[at[c] .. at[c + 1]) */
	uint32_t *edge, nedge, edge_cap;
	uint64_t steps_until;
};

static void distances(struct listing *t, uint32_t start, uint32_t radius)
{
	uint32_t n = 0;

	for (uint32_t v = 0; v < t->s->g.n; v++)
		t->dist[v] = GRAPH_NONE;
	t->dist[start] = 0;
	t->queue[n++] = start;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t v = t->queue[i], k = t->adj.at[v]; k < t->adj.at[v + 1]; k++) {
			uint32_t w = t->adj.to[k];

			t->w->steps++;
			if (w > start && !t->gone[t->adj.edge[k]] && t->dist[w] == GRAPH_NONE && t->dist[v] < radius) {
				t->dist[w] = t->dist[v] + 1;
				t->queue[n++] = w;
			}
		}
}

static void keep_cycle(struct listing *t, uint32_t len)
{
	arena_grow(&t->mem, t->at, t->ncycle + 1, t->at_cap);
	for (uint32_t i = 0; i < len; i++) {
		arena_grow(&t->mem, t->edge, t->nedge, t->edge_cap);
		t->edge[t->nedge++] = t->path[i];
	}
	t->at[++t->ncycle] = t->nedge;
}

static bool used_up(const struct listing *t)
{
	return t->w->steps >= t->steps_until || t->ncycle >= t->w->limit.cycles || t->ncycle >= CYCLES_MOST ||
	       t->nedge >= CYCLE_EDGES_MOST;
}

/* A smallest node of a cycle has two neighbours that are larger. */
static bool may_start(const struct listing *t, uint32_t v)
{
	uint32_t larger = 0;

	for (uint32_t k = t->adj.at[v]; k < t->adj.at[v + 1] && larger < 2; k++)
		larger += t->adj.to[k] > v && !t->gone[t->adj.edge[k]];
	return larger == 2;
}

/* Odd cycles of `least` to `most` edges with `start` as their smallest node, each in one direction: its second node is
 * smaller than its last. */
static void list_from(struct listing *t, uint32_t start, uint32_t least, uint32_t most)
{
	uint32_t depth = 0;

	t->node[0] = start;
	t->next[0] = t->adj.at[start];
	t->on_path[start] = 1;
	for (;;) {
		uint32_t v = t->node[depth], k, w;

		if (t->next[depth] == t->adj.at[v + 1] || used_up(t)) {
			t->on_path[v] = 0;
			if (!depth--)
				return;
			continue;
		}
		k = t->next[depth]++;
		w = t->adj.to[k];
		t->w->steps++;
		if (t->gone[t->adj.edge[k]] || w < start)
			continue;
		t->path[depth] = t->adj.edge[k];
		if (w == start) {
			if (depth % 2 == 0 && depth + 1 >= least && t->node[1] < v)
				keep_cycle(t, depth + 1);
		} else if (!t->on_path[w] && t->dist[w] != GRAPH_NONE && depth + 1 + t->dist[w] <= most) {
			t->node[++depth] = w;
			t->next[depth] = t->adj.at[w];
			t->on_path[w] = 1;
		}
	}
}

/* True: all of them. */
static bool list_all(struct listing *t)
{
	uint32_t n = t->s->g.n;

	t->ncycle = t->nedge = 0;
	t->steps_until = t->w->steps + (t->w->limit.steps - t->w->steps) / 4;
	for (uint32_t start = 0; start + 3 <= n && !used_up(t); start++) {
		if (!may_start(t, start))
			continue;
		distances(t, start, n);
		list_from(t, start, 3, n);
	}
	if (!used_up(t)) {
		t->w->cycles += t->ncycle;
		return true;
	}
	/* Too many: the short ones. */
	t->ncycle = t->nedge = 0;
	t->steps_until = t->w->limit.steps;
	for (uint32_t len = 3; len <= n && !used_up(t); len += 2)
		for (uint32_t start = 0; start + len <= n && !used_up(t); start++) {
			if (!may_start(t, start))
				continue;
			distances(t, start, len / 2);
			list_from(t, start, len, len);
		}
	t->w->cycles += t->ncycle;
	t->w->limited |= used_up(t);
	return !used_up(t);
}

/* A heap of edges by weight / cycles through it, the least first; ties by number. A quotient only grows, so one from
 * before is a lower bound: it is looked at again when it comes to the top. */
struct heap {
	const struct sgraph *s;
	uint32_t *through; /* of an edge, as it was when the edge got its place */
	uint32_t *e, n;
};

static bool before(const struct heap *h, uint32_t x, uint32_t y)
{
	uint64_t p = h->s->g.e[x].w * h->through[y], q = h->s->g.e[y].w * h->through[x];

	return p != q ? p < q : x < y;
}

static void sift(struct heap *h, uint32_t i)
{
	for (;;) {
		uint32_t c = 2 * i + 1, x = h->e[i];

		if (c >= h->n)
			return;
		if (c + 1 < h->n && before(h, h->e[c + 1], h->e[c]))
			c++;
		if (!before(h, h->e[c], x))
			return;
		h->e[i] = h->e[c];
		h->e[c] = x;
		i = c;
	}
}

/* Removes edges until each listed cycle has lost one. */
static void break_cycles(struct listing *t)
{
	uint32_t m = t->s->g.m, *through = new_array(&t->mem, uint32_t, (size_t)m + 1),
		 *at = new_array(&t->mem, uint32_t, (size_t)m + 2);
	uint32_t *of = new_array(&t->mem, uint32_t, (size_t)t->nedge + 1), left = t->ncycle;
	uint8_t *broken = new_array(&t->mem, uint8_t, (size_t)t->ncycle + 1);
	struct heap h = { t->s, new_array(&t->mem, uint32_t, (size_t)m + 1),
			  new_array(&t->mem, uint32_t, (size_t)m + 1), 0 };

	for (uint32_t i = 0; i < t->nedge; i++)
		through[t->edge[i]]++;
	for (uint32_t e = 0; e < m; e++) /* the cycles through edge e: of[at[e] .. at[e + 1]) */
		at[e + 1] = at[e] + through[e];
	for (uint32_t c = 0; c < t->ncycle; c++)
		for (uint32_t i = t->at[c]; i < t->at[c + 1]; i++)
			of[at[t->edge[i]]++] = c;
	memmove(at + 1, at, m * sizeof *at);
	at[0] = 0;
	for (uint32_t e = 0; e < m; e++)
		if ((h.through[e] = through[e]))
			h.e[h.n++] = e;
	for (uint32_t i = h.n; i-- > 0;)
		sift(&h, i);
	while (left) {
		uint32_t e = h.e[0];

		if (h.through[e] != through[e] && through[e]) {
			h.through[e] = through[e];
			sift(&h, 0);
			continue;
		}
		h.e[0] = h.e[--h.n];
		sift(&h, 0);
		if (!through[e])
			continue;
		t->gone[e] = 1;
		for (uint32_t i = at[e]; i < at[e + 1]; i++) {
			uint32_t c = of[i];

			if (broken[c])
				continue;
			broken[c] = 1;
			left--;
			for (uint32_t k = t->at[c]; k < t->at[c + 1]; k++)
				through[t->edge[k]]--;
		}
	}
}

void sides_paper(const struct sgraph *s, struct cycle_work *w, uint8_t *side)
{
	struct listing t = { .s = s, .w = w };
	struct arena keep;
	uint32_t n = s->g.n;
	double *length;
	bool all;

	arena_init(&keep);
	graph_adjacency(&s->g, &keep, &t.adj);
	t.gone = new_array(&keep, uint8_t, (size_t)s->g.m + 1);
	t.on_path = new_array(&keep, uint8_t, (size_t)n + 1);
	t.dist = new_array(&keep, uint32_t, (size_t)n + 1);
	t.queue = new_array(&keep, uint32_t, (size_t)n + 1);
	t.path = new_array(&keep, uint32_t, (size_t)n + 1);
	t.next = new_array(&keep, uint32_t, (size_t)n + 1);
	t.node = new_array(&keep, uint32_t, (size_t)n + 1);
	do {
		arena_init(&t.mem);
		t.at = new_array(&t.mem, uint32_t, 1);
		t.at_cap = 1;
		t.edge = NULL;
		t.edge_cap = 0;
		all = list_all(&t);
		break_cycles(&t);
		arena_free(&t.mem);
	} while (!all && t.ncycle && w->steps < w->limit.steps);
	length = new_array(&keep, double, (size_t)s->g.m + 1);
	for (uint32_t i = 0; i < s->g.m; i++)
		length[i] = t.gone[i];
	sides_by_forest(s, length, &keep, side);
	arena_free(&keep);
}
