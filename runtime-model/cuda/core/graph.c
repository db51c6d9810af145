/* Graphs: nodes and edges, copies, their memory, what they hold for the program. */
#include "runtime-model/cuda/core/graph.h"

#include <stdio.h>
#include <string.h>

struct works works = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct CUgraph_st *graphs;

/* ---- inside ---- */
struct CUgraph_st *graph_make(void)
{
	struct CUgraph_st *g = graphs;

	while (g && g->live)
		g = g->next;
	if (!g) {
		g = new(&works.a, struct CUgraph_st);
		g->next = graphs;
		graphs = g;
	}
	*g = (struct CUgraph_st){ .next = g->next, .live = true };
	return g;
}

bool graph_inside(const struct CUgraph_st *g, const struct CUgraph_st *of)
{
	while (g && g != of)
		g = g->in;
	return g != NULL;
}

struct CUgraph_st **node_graphs(struct CUgraphNode_st *n, uint32_t *count)
{
	struct op *o = &n->op;

	*count = 0;
	if (n->dead || (o->kind != OP_GRAPH && o->kind != OP_CONDITIONAL))
		return NULL;
	*count = o->kind == OP_GRAPH ? 1 : o->conditional.n;
	return o->kind == OP_GRAPH ? &o->graph : o->conditional.body;
}

bool graph_conditional(struct CUgraph_st *g)
{
	for (uint32_t i = 0; i < g->nnode; i++)
		if (!g->node[i]->dead && (g->node[i]->op.kind == OP_CONDITIONAL ||
					  (g->node[i]->op.kind == OP_GRAPH && graph_conditional(g->node[i]->op.graph))))
			return true;
	return false;
}

struct CUgraph_st *graphs_first(void) { return graphs; }

bool graph_live(const struct CUgraph_st *g)
{
	const struct CUgraph_st *q = graphs;

	while (q && q != g)
		q = q->next;
	return q && q->live;
}

bool node_live(const struct CUgraphNode_st *n)
{
	for (const struct CUgraph_st *g = graphs; g; g = g->next)
		for (uint32_t i = 0; g->live && i < g->nnode; i++)
			if (g->node[i] == n)
				return !n->dead;
	return false;
}

struct CUgraphNode_st *graph_add(struct CUgraph_st *g, enum op_kind kind)
{
	struct CUgraphNode_st *n = new(&g->a, struct CUgraphNode_st);

	n->graph = g;
	n->op.kind = kind;
	arena_grow(&g->a, g->node, g->nnode, g->node_cap);
	g->node[g->nnode++] = n;
	return n;
}

void node_depend(struct CUgraphNode_st *n, struct CUgraphNode_st *on)
{
	for (uint32_t i = 0; i < n->nbefore; i++)
		if (n->before[i] == on)
			return;
	arena_grow(&n->graph->a, n->before, n->nbefore, n->before_cap);
	n->before[n->nbefore++] = on;
}

static bool node_forget(struct CUgraphNode_st *n, struct CUgraphNode_st *on)
{
	for (uint32_t i = 0; i < n->nbefore; i++)
		if (n->before[i] == on) {
			memmove(&n->before[i], &n->before[i + 1], (n->nbefore - i - 1) * sizeof *n->before);
			n->nbefore--;
			return true;
		}
	return false;
}

enum cu_status node_kernel(struct CUgraphNode_st *n, const struct op *o, const void *f)
{
	const struct cu_launch *l = &o->launch;
	struct cu_function_info info;
	struct arena *a = &n->graph->a;
	enum cu_status s = cu_function_info(&info, l->f);
	void **param;

	if (s != CU_OK)
		return s;
	param = new_array(a, void *, info.nparam + 1);
	for (unsigned i = 0; i < info.nparam; i++) {
		uint64_t offset, bytes;

		s = cu_function_param(l->f, i, &offset, &bytes);
		if (s != CU_OK)
			return s;
		if (l->param ? !l->param[i] : !l->param_block || offset + bytes > l->param_bytes)
			return CU_INVALID_VALUE;
		param[i] = arena_alloc(a, bytes, 16);
		memcpy(param[i], l->param ? l->param[i] : (const char *)l->param_block + offset, bytes);
	}
	n->op = *o;
	n->op.launch.param = param;
	n->op.launch.param_block = NULL;
	n->op.launch.stream = NULL;
	n->f = f;
	return CU_OK;
}

/* By the order of making where edges leave a choice: the earliest node all of whose dependencies are done comes
 * next. */
enum cu_status graph_order(struct CUgraphNode_st ***order, uint32_t *n, struct CUgraph_st *g, struct arena *a)
{
	uint32_t left = 0, low = 0; /* low: all before it are in order */

	*order = new_array(a, struct CUgraphNode_st *, g->nnode + 1);
	*n = 0;
	for (uint32_t i = 0; i < g->nnode; i++) {
		g->node[i]->mark = g->node[i]->dead;
		left += !g->node[i]->dead;
	}
	while (left) {
		const uint32_t had = left;

		for (uint32_t i = 0; i < g->nnode; i++) {
			struct CUgraphNode_st *x = g->node[i];
			bool ready = !x->mark;

			for (uint32_t j = 0; j < x->nbefore && ready; j++)
				ready = x->before[j]->mark;
			if (!ready)
				continue;
			x->mark = 1;
			(*order)[(*n)++] = x;
			left--;
			while (low < g->nnode && g->node[low]->mark)
				low++;
			i = low - 1; /* nodes made before it may have waited for it */
		}
		if (left == had)
			return CU_INVALID_VALUE;
	}
	return CU_OK;
}

struct CUgraph_st *graph_clone_for(struct CUgraphNode_st *n, struct CUgraph_st *g)
{
	struct CUgraph_st *c = graph_clone(g);

	c->owned = true;
	c->in = n->graph;
	return c;
}

struct CUgraph_st *graph_clone(struct CUgraph_st *g)
{
	struct CUgraph_st *c = graph_make();

	c->source = g;
	for (uint32_t i = 0; i < g->nnode; i++) {
		struct CUgraphNode_st *n = graph_add(c, OP_EMPTY), *from = g->node[i];
		struct CUgraphNode_st **before = n->before;

		*n = *from;
		n->graph = c;
		n->before = before;
		n->nbefore = n->before_cap = 0;
		n->source = from;
		from->mark = i;
		if (n->op.kind == OP_KERNEL)
			node_kernel(n, &from->op, from->f);
		if (n->op.kind == OP_GRAPH)
			n->op.graph = graph_clone_for(n, from->op.graph);
		if (n->op.kind == OP_CONDITIONAL)
			conditional_clone(n, from);
	}
	for (uint32_t i = 0; i < g->nnode; i++)
		for (uint32_t j = 0; j < g->node[i]->nbefore; j++)
			node_depend(c->node[i], c->node[g->node[i]->before[j]->mark]);
	for (uint32_t i = 0; i < g->nheld; i++) {
		arena_grow(&c->a, c->held, c->nheld, c->held_cap);
		c->held[c->nheld++] = g->held[i];
		g->held[i].object->count += g->held[i].count;
	}
	return c;
}

/* ---- making and ending ---- */
enum cu_status cu_graph_create(struct CUgraph_st **g)
{
	LOCKED(*g = graph_make());
	return CU_OK;
}

enum cu_status cu_graph_destroy(struct CUgraph_st *g)
{
	bool live;

	LOCKED(live = g && graph_live(g) && !g->owned);
	if (!live)
		return CU_INVALID_VALUE;
	graph_free(g);
	return CU_OK;
}

enum cu_status cu_graph_copy(struct CUgraph_st **copy, struct CUgraph_st *g)
{
	enum cu_status s;

	LOCKED({
		s = g && graph_live(g) ? CU_OK : CU_INVALID_VALUE;
		if (s == CU_OK && graph_conditional(g))
			s = graph_refuse("a graph with a conditional node cannot be cloned");
		if (s == CU_OK)
			*copy = graph_clone(g);
	});
	return s;
}

enum cu_status cu_graph_find(struct CUgraphNode_st **out, struct CUgraphNode_st *n, struct CUgraph_st *g)
{
	bool found = false;

	if (!out || !n)
		return CU_INVALID_VALUE;
	LOCKED({
		for (uint32_t i = 0; g && graph_live(g) && i < g->nnode && !found; i++)
			if (g->node[i]->source == n && !g->node[i]->dead) {
				*out = g->node[i];
				found = true;
			}
	});
	return found ? CU_OK : CU_INVALID_VALUE;
}

enum cu_status cu_node_destroy(struct CUgraphNode_st *n)
{
	struct CUgraph_st **inner = NULL;
	uint32_t ninner = 0;
	bool live;

	LOCKED({
		live = n && node_live(n);
		if (live) {
			inner = node_graphs(n, &ninner);
			n->dead = true;
			for (uint32_t i = 0; i < n->graph->nnode; i++)
				node_forget(n->graph->node[i], n);
			if (n->op.kind == OP_CONDITIONAL)
				conditional_leave(n);
		}
	});
	for (uint32_t i = 0; i < ninner; i++)
		graph_free(inner[i]);
	return live ? CU_OK : CU_INVALID_VALUE;
}

/* ---- what is in one ---- */
/* Lists: how many there are without room for any; else so many, and zeroes beyond. */
#define LIST(count, all)                                                \
	do {                                                            \
		if (out)                                                \
			for (size_t k_ = (all); k_ < *(count); k_++)    \
				out[k_] = NULL;                         \
		*(count) = !out || (all) < *(count) ? (all) : *(count); \
	} while (0)

enum cu_status cu_graph_nodes(struct CUgraph_st *g, struct CUgraphNode_st **out, size_t *n, bool roots)
{
	size_t all = 0;
	bool live;

	if (!n)
		return CU_INVALID_VALUE;
	LOCKED({
		live = g && graph_live(g);
		for (uint32_t i = 0; live && i < g->nnode; i++)
			if (!g->node[i]->dead && (!roots || !g->node[i]->nbefore)) {
				if (out && all < *n)
					out[all] = g->node[i];
				all++;
			}
	});
	if (!live)
		return CU_INVALID_VALUE;
	LIST(n, all);
	return CU_OK;
}

enum cu_status cu_graph_edges(struct CUgraph_st *g, struct CUgraphNode_st **from, struct CUgraphNode_st **to, size_t *n)
{
	struct CUgraphNode_st **out = from;
	size_t all = 0;
	bool live;

	if (!n || !from != !to)
		return CU_INVALID_VALUE;
	LOCKED({
		live = g && graph_live(g);
		for (uint32_t i = 0; live && i < g->nnode; i++)
			for (uint32_t j = 0; !g->node[i]->dead && j < g->node[i]->nbefore; j++, all++)
				if (from && all < *n) {
					from[all] = g->node[i]->before[j];
					to[all] = g->node[i];
				}
	});
	if (!live)
		return CU_INVALID_VALUE;
	LIST(n, all);
	return CU_OK;
}

enum cu_status cu_node_neighbours(struct CUgraphNode_st *x, struct CUgraphNode_st **out, size_t *n, bool after)
{
	size_t all = 0;
	bool live;

	if (!n)
		return CU_INVALID_VALUE;
	LOCKED({
		live = x && node_live(x);
		for (uint32_t i = 0; live && i < (after ? x->graph->nnode : x->nbefore); i++) {
			struct CUgraphNode_st *y = after ? x->graph->node[i] : x->before[i];
			bool is = !after;

			for (uint32_t j = 0; after && j < y->nbefore && !is; j++)
				is = y->before[j] == x && !y->dead;
			if (is && out && all < *n)
				out[all] = y;
			all += is;
		}
	});
	if (!live)
		return CU_INVALID_VALUE;
	LIST(n, all);
	return CU_OK;
}

enum cu_status cu_graph_change(struct CUgraph_st *g, struct CUgraphNode_st *const from[],
			       struct CUgraphNode_st *const to[], size_t n, bool add)
{
	bool good;

	if (n && (!from || !to))
		return CU_INVALID_VALUE;
	LOCKED({
		good = g && graph_live(g);
		for (size_t i = 0; i < n && good; i++) {
			good = from[i] != to[i] && node_live(from[i]) && node_live(to[i]) && from[i]->graph == g &&
			       to[i]->graph == g;
			for (uint32_t j = 0, found = add; good && j <= to[i]->nbefore; j++) {
				found = j < to[i]->nbefore && to[i]->before[j] == from[i] ? !add : found;
				if (j == to[i]->nbefore)
					good = found; /* to be added: not there yet; to be removed: there */
			}
		}
		for (size_t i = 0; i < n && good; i++) {
			if (add)
				node_depend(to[i], from[i]);
			else
				node_forget(to[i], from[i]);
		}
	});
	return good ? CU_OK : CU_INVALID_VALUE;
}

enum cu_status cu_graph_print(struct CUgraph_st *g, const char *path)
{
	static const char *const name[] = { "empty",      "kernel", "memcpy", "memset", "host",       "event record",
					    "event wait", "alloc",  "free",   "graph",  "conditional" };
	bool live;
	FILE *f;

	if (!path)
		return CU_INVALID_VALUE;
	LOCKED(live = g && graph_live(g));
	if (!live)
		return CU_INVALID_VALUE;
	f = fopen(path, "w");
	if (!f)
		return CU_OPERATING_SYSTEM;
	LOCKED({
		fputs("digraph graph_1 {\n", f);
		for (uint32_t i = 0; i < g->nnode; i++) {
			const struct CUgraphNode_st *n = g->node[i];
			const char *kernel;

			if (n->dead)
				continue;
			g->node[i]->mark = i;
			if (n->op.kind == OP_KERNEL && cu_function_name(&kernel, NULL, n->op.launch.f) == CU_OK)
				fprintf(f, "\tn%u [label=\"kernel %s\"];\n", (unsigned)i, kernel);
			else
				fprintf(f, "\tn%u [label=\"%s\"];\n", (unsigned)i, name[n->op.kind]);
		}
		for (uint32_t i = 0; i < g->nnode; i++)
			for (uint32_t j = 0; !g->node[i]->dead && j < g->node[i]->nbefore; j++)
				fprintf(f, "\tn%u -> n%u;\n", (unsigned)g->node[i]->before[j]->mark, (unsigned)i);
		fputs("}\n", f);
	});
	return fclose(f) ? CU_OPERATING_SYSTEM : CU_OK;
}
