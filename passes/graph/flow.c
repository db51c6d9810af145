/* Places in one bank where stays are intervals of a line: a flow of least cost from its first point to its last.
 *
 * A unit is an entry. It moves along the line idle, or leaves it where a stay begins for the node of the stay's first
 * step, from there to that of the next step or back to the line where the step ends. An edge to a step costs what the
 * step gains less than the one before it, and one unit fits in it, so that no value is in two entries. The network has
 * no cycles; each of the few units takes the way of least cost through what the others left over (Ahuja, Magnanti,
 * Orlin 1993, section 9.7), found by Dijkstra's algorithm with potentials. */
#include "places.h"
#include "solver.h"

#include <assert.h>
#include <string.h>

#define FAR INT64_MAX

/* edge e ^ 1 is its reverse */
struct edge {
	uint32_t to;
	int32_t left;
	int64_t cost;
};

struct network {
	const struct places *p;
	uint32_t nnode, nedge;
	struct edge *edge;
	uint32_t *head, *next; /* lists of edges by node; UINT32_MAX: end */
	int64_t *potential, *distance;
	uint32_t *by;                 /* the edge that a way comes in on */
	uint32_t *heap, *slot, nheap; /* slot: place in the heap + 1, 0: not there */
};

static uint32_t step_end(const struct places *p, uint32_t t)
{
	return p->point[p->step[t].first + p->step[t].n - 1] + 1;
}

static bool is_line(const struct places *p)
{
	uint32_t seen = 0;
	bool first = true;
	bool fine = true;
	struct arena a;
	uint8_t *has;

	arena_init(&a);
	has = new_array(&a, uint8_t, (size_t)p->nvalue + 1);
	for (uint32_t s = 0; s < p->nstay && fine; s++) {
		const struct places_step *t = &p->step[p->stay[s].first];
		uint32_t at = t->n ? p->point[t->first] : 0;

		fine = !has[p->stay[s].value]++ && (first || p->stay[s].bank == seen) && t->n;
		seen = p->stay[s].bank;
		first = false;
		for (uint32_t j = 0; j < p->stay[s].n && fine; j++)
			for (uint32_t i = t[j].first; i < t[j].first + t[j].n && fine; i++)
				fine = p->point[i] == at++;
	}
	arena_free(&a);
	return fine;
}

static void add_edge(struct network *w, uint32_t from, uint32_t to, int32_t room, int64_t cost)
{
	w->edge[w->nedge] = (struct edge){ to, room, cost };
	w->next[w->nedge] = w->head[from];
	w->head[from] = w->nedge++;
	w->edge[w->nedge] = (struct edge){ from, 0, -cost };
	w->next[w->nedge] = w->head[to];
	w->head[to] = w->nedge++;
}

/* Nodes: the places of the line, 0 .. npoint, then the steps. */
static void build(struct network *w, const struct places *p, struct arena *a)
{
	uint32_t most = 2 * (p->npoint + 2 * p->nstep) + 2;

	*w = (struct network){ .p = p, .nnode = p->npoint + 1 + p->nstep };
	w->edge = new_array(a, struct edge, most);
	w->next = new_array(a, uint32_t, most);
	w->head = new_array(a, uint32_t, w->nnode);
	w->potential = new_array(a, int64_t, w->nnode);
	w->distance = new_array(a, int64_t, w->nnode);
	w->by = new_array(a, uint32_t, w->nnode);
	w->heap = new_array(a, uint32_t, w->nnode);
	w->slot = new_array(a, uint32_t, w->nnode);
	memset(w->head, 0xff, w->nnode * sizeof *w->head);
	for (uint32_t i = 0; i < p->npoint; i++)
		add_edge(w, i, i + 1, PLACES_ENTRIES_MAX, 0);
	for (uint32_t s = 0; s < p->nstay; s++) {
		uint32_t from = p->point[p->step[p->stay[s].first].first];
		int64_t gain = 0;

		for (uint32_t t = p->stay[s].first; t < p->stay[s].first + p->stay[s].n; t++) {
			add_edge(w, from, p->npoint + 1 + t, 1, gain - p->step[t].gain);
			add_edge(w, p->npoint + 1 + t, step_end(p, t), 1, 0);
			from = p->npoint + 1 + t;
			gain = p->step[t].gain;
		}
	}
}

/* Distances from node 0 without any flow: nodes in order of their place on the line, of which a step has that of its
 * end. */
static void first_potentials(struct network *w, struct arena *a)
{
	const struct places *p = w->p;
	uint32_t *at = new_array(a, uint32_t, (size_t)p->npoint + 2),
		 *order = new_array(a, uint32_t, (size_t)p->nstep + 1), n = 0;

	for (uint32_t t = 0; t < p->nstep; t++)
		at[step_end(p, t) + 1]++;
	for (uint32_t i = 0; i <= p->npoint; i++)
		at[i + 1] += at[i];
	for (uint32_t t = 0; t < p->nstep; t++)
		order[at[step_end(p, t)]++] = t;
	for (uint32_t v = 1; v < w->nnode; v++)
		w->potential[v] = FAR;
	for (uint32_t i = 0; i <= p->npoint; i++) {
		for (; n < p->nstep && step_end(p, order[n]) == i; n++)
			for (uint32_t v = p->npoint + 1 + order[n], e = w->head[v]; e != UINT32_MAX; e = w->next[e])
				if (w->edge[e].left && w->potential[v] + w->edge[e].cost < w->potential[w->edge[e].to])
					w->potential[w->edge[e].to] = w->potential[v] + w->edge[e].cost;
		for (uint32_t e = w->head[i]; e != UINT32_MAX; e = w->next[e])
			if (w->edge[e].left && w->potential[i] + w->edge[e].cost < w->potential[w->edge[e].to])
				w->potential[w->edge[e].to] = w->potential[i] + w->edge[e].cost;
	}
}

static void sift_up(struct network *w, uint32_t at)
{
	uint32_t v = w->heap[at];

	while (at && w->distance[w->heap[(at - 1) / 2]] > w->distance[v]) {
		w->heap[at] = w->heap[(at - 1) / 2];
		w->slot[w->heap[at]] = at + 1;
		at = (at - 1) / 2;
	}
	w->heap[at] = v;
	w->slot[v] = at + 1;
}

static uint32_t pop(struct network *w)
{
	uint32_t top = w->heap[0], v = w->heap[--w->nheap], at = 0;

	w->slot[top] = 0;
	if (!w->nheap)
		return top;
	for (uint32_t child; (child = 2 * at + 1) < w->nheap; at = child) {
		if (child + 1 < w->nheap && w->distance[w->heap[child + 1]] < w->distance[w->heap[child]])
			child++;
		if (w->distance[w->heap[child]] >= w->distance[v])
			break;
		w->heap[at] = w->heap[child];
		w->slot[w->heap[at]] = at + 1;
	}
	w->heap[at] = v;
	w->slot[v] = at + 1;
	return top;
}

static void shortest_ways(struct network *w)
{
	for (uint32_t v = 0; v < w->nnode; v++)
		w->distance[v] = FAR;
	w->distance[0] = 0;
	w->nheap = 1;
	w->heap[0] = 0;
	w->slot[0] = 1;
	while (w->nheap) {
		uint32_t v = pop(w);

		for (uint32_t e = w->head[v]; e != UINT32_MAX; e = w->next[e]) {
			uint32_t to = w->edge[e].to;
			int64_t d;

			if (!w->edge[e].left)
				continue;
			d = w->distance[v] + w->edge[e].cost + w->potential[v] - w->potential[to];
			if (d >= w->distance[to])
				continue;
			w->distance[to] = d;
			w->by[to] = e;
			if (!w->slot[to]) {
				w->heap[w->nheap] = to;
				w->slot[to] = ++w->nheap;
			}
			sift_up(w, w->slot[to] - 1);
		}
	}
	for (uint32_t v = 0; v < w->nnode; v++)
		/* all are reachable: the line has room for more units than there are entries */
		w->potential[v] += w->distance[v];
}

/* Follows each unit through the network: its way is what one entry holds. */
static void take_ways(struct network *w, uint32_t units, struct places_choice *c)
{
	const struct places *p = w->p;
	uint32_t *stay_of = w->heap; /* of a step; the heap is done with */

	for (uint32_t s = 0; s < p->nstay; s++)
		for (uint32_t t = p->stay[s].first; t < p->stay[s].first + p->stay[s].n; t++)
			stay_of[t] = s;
	for (uint32_t entry = 0; entry < units; entry++)
		for (uint32_t v = 0; v != p->npoint;) {
			uint32_t e = w->head[v];

			while (e & 1 || !w->edge[e ^ 1].left) /* an edge with flow: its reverse has room */
				e = w->next[e];
			w->edge[e ^ 1].left--;
			v = w->edge[e].to;
			if (v > p->npoint) {
				uint32_t t = v - p->npoint - 1;

				c[p->stay[stay_of[t]].value] = (struct places_choice){ stay_of[t], t, entry };
			}
		}
}

bool places_flow(const struct places *p, const struct stopwatch *watch, struct arena *a, struct places_choice *c)
{
	struct network w;
	uint32_t units = 0;

	if (!is_line(p))
		return false;
	for (uint32_t v = 0; v < p->nvalue; v++)
		c[v].stay = PLACES_NONE;
	if (!p->nstay)
		return true;
	assert(p->entries[p->stay[0].bank] <= PLACES_ENTRIES_MAX);
	build(&w, p, a);
	first_potentials(&w, a);
	while (units < p->entries[p->stay[0].bank]) {
		if (stopwatch_left(watch) <= 0)
			return false;
		shortest_ways(&w);
		if (w.potential[p->npoint] >= 0) /* one more entry gains nothing */
			break;
		for (uint32_t v = p->npoint; v; v = w.edge[w.by[v] ^ 1].to) {
			w.edge[w.by[v]].left--;
			w.edge[w.by[v] ^ 1].left++;
		}
		units++;
	}
	take_ways(&w, units, c);
	return true;
}
