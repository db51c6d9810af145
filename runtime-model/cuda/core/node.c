/* Nodes of graphs: made, changed and asked, in graphs and in executable ones. */
#include "runtime-model/cuda/core/graph.h"

#include <string.h>

static enum cu_status set_child(struct CUgraphNode_st *n, const struct op *o)
{
	struct CUgraph_st *child = o->graph;

	if (!child || !graph_live(child) || child->owned || (o->move && graph_inside(n->graph, child)) ||
	    child == n->graph)
		return CU_INVALID_VALUE;
	if (graph_conditional(child))
		return graph_refuse("a graph with a conditional node cannot be the child of another");
	n->op.kind = OP_GRAPH;
	if (o->move) {
		child->owned = true;
		child->in = n->graph;
	}
	n->op.graph = o->move ? child : graph_clone_for(n, child);
	return CU_OK;
}

static enum cu_status set(struct CUgraphNode_st *n, const struct op *o, const void *f)
{
	struct op x = *o;

	switch (o->kind) {
	case OP_KERNEL:
		if (n->op.kind == OP_KERNEL) {
			x.launch.cooperative |= n->op.launch.cooperative;
			memcpy(x.launch.cluster, n->op.launch.cluster, sizeof x.launch.cluster);
			x.priority = n->op.priority;
		}
		return node_kernel(n, &x, f);
	case OP_GRAPH:
		return set_child(n, o);
	case OP_ALLOC:
	case OP_FREE:
		return CU_INVALID_VALUE;
	case OP_CONDITIONAL:
		return CU_NOT_SUPPORTED;
	case OP_HOST:
		if (!o->host.f)
			return CU_INVALID_VALUE;
		break;
	case OP_RECORD:
	case OP_WAIT:
		if (!o->event)
			return CU_INVALID_VALUE;
		break;
	case OP_EMPTY:
	case OP_COPY:
	case OP_FILL:
		break;
	}
	n->op = x;
	return CU_OK;
}

/* The new node, with its edges; NULL and *s: not made. */
static struct CUgraphNode_st *begin(enum cu_status *s, struct CUgraph_st *g, struct CUgraphNode_st *const before[],
				    size_t n)
{
	struct CUgraphNode_st *x;

	*s = g && graph_live(g) && (before || !n) ? CU_OK : CU_INVALID_VALUE;
	for (size_t i = 0; *s == CU_OK && i < n; i++)
		if (!before[i] || !node_live(before[i]) || before[i]->graph != g)
			*s = CU_INVALID_VALUE;
	if (*s != CU_OK)
		return NULL;
	x = graph_add(g, OP_EMPTY);
	for (size_t i = 0; i < n; i++)
		node_depend(x, before[i]);
	return x;
}

static enum cu_status make(struct CUgraphNode_st *x, struct op *o, const void *f)
{
	if (o->kind == OP_ALLOC) {
		enum cu_status s = graph_memory(&o->memory.addr, o->memory.bytes);

		x->op = *o;
		return s;
	}
	if (o->kind == OP_FREE) {
		x->op = *o;
		return graph_owns(o->memory.addr) ? CU_OK : CU_INVALID_VALUE;
	}
	return o->kind == OP_CONDITIONAL ? conditional_make(x, o) : set(x, o, f);
}

enum cu_status cu_node_add(struct CUgraphNode_st **out, struct CUgraph_st *g, struct CUgraphNode_st *const before[],
			   size_t n, struct op *o, const void *f)
{
	enum cu_status s = CU_OK;
	struct CUgraphNode_st *x;

	LOCKED({
		x = begin(&s, g, before, n);
		if (x)
			s = make(x, o, f);
		if (x && s != CU_OK)
			x->dead = true;
		if (s == CU_OK)
			*out = x;
	});
	return s;
}

/* What became of n in a clone, or in a graph inside it. */
static struct CUgraphNode_st *made_of(struct CUgraph_st *g, const struct CUgraphNode_st *n)
{
	struct CUgraphNode_st *found = NULL;

	for (uint32_t i = 0; i < g->nnode && !found; i++) {
		uint32_t ninner;
		struct CUgraph_st **inner = node_graphs(g->node[i], &ninner);

		if (g->node[i]->source == n && !g->node[i]->dead)
			found = g->node[i];
		for (uint32_t j = 0; j < ninner && !found; j++)
			found = made_of(inner[j], n);
	}
	return found;
}

static struct CUgraphNode_st *node_in(const struct CUgraphExec_st *e, struct CUgraphNode_st *n)
{
	if (!n)
		return NULL;
	if (!e)
		return node_live(n) ? n : NULL;
	return exec_live(e) && graph_live(e->graph) ? made_of(e->graph, n) : NULL;
}

enum cu_status cu_node_set(struct CUgraphExec_st *e, struct CUgraphNode_st *n, const struct op *o, const void *f)
{
	enum cu_status s = CU_INVALID_VALUE;
	struct CUgraph_st *old = NULL;

	LOCKED({
		n = node_in(e, n);
		if (n && n->op.kind == o->kind) {
			old = o->kind == OP_GRAPH ? n->op.graph : NULL;
			s = set(n, o, f);
			old = s == CU_OK ? old : NULL;
		}
	});
	if (old)
		graph_free(old);
	return s;
}

enum cu_status cu_node_attributes(struct CUgraphNode_st *n, const struct op *o)
{
	enum cu_status s = CU_INVALID_VALUE;

	LOCKED({
		if (n && node_live(n) && n->op.kind == OP_KERNEL && o->kind == OP_KERNEL) {
			n->op.launch.cooperative = o->launch.cooperative;
			memcpy(n->op.launch.cluster, o->launch.cluster, sizeof n->op.launch.cluster);
			n->op.priority = o->priority;
			s = CU_OK;
		}
	});
	return s;
}

enum cu_status cu_node_get(struct CUgraphNode_st *n, struct op *o, const void **f)
{
	bool live;

	LOCKED({
		live = n && node_live(n);
		if (live)
			*o = n->op;
		if (live && f)
			*f = n->f;
	});
	return live ? CU_OK : CU_INVALID_VALUE;
}

static bool can_be_off(const struct CUgraphNode_st *n)
{
	return n && (n->op.kind == OP_KERNEL || n->op.kind == OP_COPY || n->op.kind == OP_FILL);
}

enum cu_status cu_node_enable(struct CUgraphExec_st *e, struct CUgraphNode_st *n, bool on)
{
	enum cu_status s = CU_INVALID_VALUE;

	LOCKED({
		n = e ? node_in(e, n) : NULL;
		if (can_be_off(n)) {
			n->disabled = !on;
			s = CU_OK;
		}
	});
	return s;
}

enum cu_status cu_node_enabled(struct CUgraphExec_st *e, struct CUgraphNode_st *n, bool *on)
{
	enum cu_status s = CU_INVALID_VALUE;

	LOCKED({
		n = e ? node_in(e, n) : NULL;
		if (can_be_off(n)) {
			*on = !n->disabled;
			s = CU_OK;
		}
	});
	return s;
}
