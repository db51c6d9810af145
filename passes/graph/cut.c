/* Minimum cut by maximum flow: shortest ways that still have room, all of one length at a time (Dinic 1970), with no
 * recursion. */
#include "cut.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

/* arc e ^ 1 is its reverse */
struct arc {
	uint32_t to, next;
	uint64_t left;
};

struct flow {
	uint32_t nnode, narc;
	struct arc *arc;
	uint32_t *head, *level, *at, *queue, *way;
	uint64_t steps;
};

static void add(struct flow *f, uint32_t from, uint32_t to, uint64_t capacity)
{
	if (!capacity)
		return;
	assert(capacity <= CUT_CAPACITY_MAX);
	f->arc[f->narc] = (struct arc){ to, f->head[from], capacity };
	f->head[from] = f->narc++;
	f->arc[f->narc] = (struct arc){ from, f->head[to], 0 };
	f->head[to] = f->narc++;
}

/* How far nodes are from the source, along arcs with room. */
static void find_levels(struct flow *f, uint32_t source)
{
	uint32_t n = 0;

	memset(f->level, 0xff, f->nnode * sizeof *f->level);
	f->level[source] = 0;
	f->queue[n++] = source;
	for (uint32_t x = 0; x < n; x++)
		for (uint32_t e = f->head[f->queue[x]]; e != NONE; e = f->arc[e].next) {
			f->steps++;
			if (f->arc[e].left && f->level[f->arc[e].to] == NONE) {
				f->level[f->arc[e].to] = f->level[f->queue[x]] + 1;
				f->queue[n++] = f->arc[e].to;
			}
		}
}

/* One way from source to sink over growing levels; at[]: arcs before it lead nowhere. False: there is none. */
static bool push_one(struct flow *f, uint32_t source, uint32_t sink)
{
	uint32_t n = 0, v = source;
	uint64_t room = UINT64_MAX;

	while (v != sink) {
		uint32_t e = f->at[v];

		f->steps++;
		if (e == NONE) {
			if (!n)
				return false;
			v = f->arc[f->way[--n] ^ 1].to;
			f->at[v] = f->arc[f->at[v]].next;
		} else if (f->arc[e].left && f->level[f->arc[e].to] == f->level[v] + 1) {
			f->way[n++] = e;
			v = f->arc[e].to;
		} else {
			f->at[v] = f->arc[e].next;
		}
	}
	for (uint32_t x = 0; x < n; x++)
		room = f->arc[f->way[x]].left < room ? f->arc[f->way[x]].left : room;
	for (uint32_t x = 0; x < n; x++) {
		f->arc[f->way[x]].left -= room;
		f->arc[f->way[x] ^ 1].left += room;
	}
	return true;
}

bool graph_cut(const struct cut_network *c, uint64_t steps, struct arena *a, bool *in_first)
{
	uint32_t source = c->n, sink = c->n + 1, n = c->n + 2;
	struct flow f = {
		.nnode = n,
		.arc = new_array(a, struct arc, 2 * ((size_t)c->narc + 2 * (size_t)c->n) + 1),
		.head = new_array(a, uint32_t, n),
		.level = new_array(a, uint32_t, n),
		.at = new_array(a, uint32_t, n),
		.queue = new_array(a, uint32_t, n),
		.way = new_array(a, uint32_t, n),
	};

	memset(f.head, 0xff, n * sizeof *f.head);
	for (uint32_t v = 0; v < c->n; v++) {
		add(&f, source, v, c->first[v]);
		add(&f, v, sink, c->second[v]);
	}
	for (uint32_t x = 0; x < c->narc; x++)
		add(&f, c->arc[x].from, c->arc[x].to, c->arc[x].capacity);
	for (;;) {
		find_levels(&f, source);
		if (f.level[sink] == NONE)
			break;
		memcpy(f.at, f.head, n * sizeof *f.at);
		while (push_one(&f, source, sink))
			if (f.steps > steps)
				return false;
	}
	for (uint32_t v = 0; v < c->n; v++)
		in_first[v] = f.level[v] != NONE;
	return true;
}
