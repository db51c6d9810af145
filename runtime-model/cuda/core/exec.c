/* Executable graphs: instantiated, updated, launched. A launch does the nodes one after the other, in an order that
 * edges and the order of making give, all on the stream that it is launched into. */
#include "runtime-model/cuda/core/graph.h"

static struct CUgraphExec_st *execs;

bool exec_live(const struct CUgraphExec_st *e)
{
	const struct CUgraphExec_st *q = execs;

	while (q && q != e)
		q = q->next;
	return q && q->live;
}

enum cu_status cu_exec_create(struct CUgraphExec_st **out, struct CUgraph_st *g, unsigned long long flags, int *why)
{
	enum cu_status s = cu_start();
	struct CUgraph_st *bad = NULL;

	if (why)
		*why = INSTANTIATE_ERROR;
	if (!out || flags & ~(unsigned long long)(EXEC_AUTO_FREE | EXEC_UPLOAD | EXEC_DEVICE | EXEC_PRIORITY))
		return CU_INVALID_VALUE;
	if (flags & EXEC_DEVICE)
		return CU_NOT_SUPPORTED;
	if (s != CU_OK)
		return s;
	LOCKED({
		s = g && graph_live(g) ? CU_OK : CU_INVALID_VALUE;
		if (s == CU_OK) {
			struct CUgraphExec_st *e = execs, x = { .live = true, .flags = flags };

			x.graph = graph_clone(g);
			x.graph->owned = true;
			s = graph_order(&x.order, &x.norder, x.graph, &x.graph->a);
			if (s != CU_OK) {
				bad = x.graph;
				if (why)
					*why = INSTANTIATE_STRUCTURE;
			} else {
				while (e && e->live)
					e = e->next;
				if (!e) {
					e = new(&works.a, struct CUgraphExec_st);
					x.next = execs;
					execs = e;
				} else {
					x.next = e->next;
				}
				*e = x;
				*out = e;
				if (why)
					*why = INSTANTIATE_OK;
			}
		}
	});
	if (bad)
		graph_free(bad);
	return s;
}

enum cu_status cu_exec_destroy(struct CUgraphExec_st *e)
{
	bool live;

	LOCKED({
		live = e && exec_live(e);
		if (live)
			e->live = false;
	});
	if (!live)
		return CU_INVALID_VALUE;
	graph_free(e->graph);
	return CU_OK;
}

enum cu_status cu_exec_flags(struct CUgraphExec_st *e, unsigned long long *flags)
{
	bool live;

	LOCKED({
		live = e && exec_live(e);
		if (live && flags)
			*flags = e->flags;
	});
	return live ? CU_OK : CU_INVALID_VALUE;
}

/* The same nodes and edges, in the same order of making: then the parameters are taken over. */
static int update(struct CUgraph_st *to, struct CUgraph_st *from, struct CUgraphNode_st **where,
		  struct CUgraphNode_st **source)
{
	uint32_t i = 0, j = 0;

	for (;; i++, j++) {
		while (i < to->nnode && to->node[i]->dead)
			i++;
		while (j < from->nnode && from->node[j]->dead)
			j++;
		if (i == to->nnode || j == from->nnode)
			return i == to->nnode && j == from->nnode ? UPDATE_OK : UPDATE_TOPOLOGY;
		*where = to->node[i];
		*source = from->node[j];
		if (to->node[i]->op.kind != from->node[j]->op.kind)
			return UPDATE_KIND;
		to->node[i]->mark = from->node[j]->mark = i;
		if (to->node[i]->nbefore != from->node[j]->nbefore)
			return UPDATE_TOPOLOGY;
		for (uint32_t k = 0; k < to->node[i]->nbefore; k++)
			if (to->node[i]->before[k]->mark != from->node[j]->before[k]->mark)
				return UPDATE_TOPOLOGY;
		if (to->node[i]->op.kind == OP_GRAPH) {
			const int r = update(to->node[i]->op.graph, from->node[j]->op.graph, where, source);

			if (r != UPDATE_OK)
				return r;
		}
	}
}

static void take_over(struct CUgraph_st *to, struct CUgraph_st *from)
{
	for (uint32_t i = 0, j = 0; i < to->nnode && j < from->nnode; i++, j++) {
		while (i < to->nnode && to->node[i]->dead)
			i++;
		while (j < from->nnode && from->node[j]->dead)
			j++;
		if (i == to->nnode || j == from->nnode)
			return;
		if (to->node[i]->op.kind == OP_GRAPH)
			take_over(to->node[i]->op.graph, from->node[j]->op.graph);
		else if (to->node[i]->op.kind == OP_KERNEL)
			node_kernel(to->node[i], &from->node[j]->op, from->node[j]->f);
		else
			to->node[i]->op = from->node[j]->op;
		to->node[i]->source = from->node[j];
	}
}

enum cu_status cu_exec_update(struct CUgraphExec_st *e, struct CUgraph_st *g, int *result, struct CUgraphNode_st **node,
			      struct CUgraphNode_st **from)
{
	bool live;

	*result = UPDATE_ERROR;
	*node = *from = NULL;
	LOCKED({
		live = e && g && exec_live(e) && graph_live(g);
		if (live) {
			*result = update(e->graph, g, from, node);
			if (*result == UPDATE_OK) {
				take_over(e->graph, g);
				*node = *from = NULL;
			}
		}
	});
	if (!live)
		return CU_INVALID_VALUE;
	return *result == UPDATE_OK ? CU_OK : CU_GRAPH_EXEC_UPDATE_FAILURE;
}

/* ---- launching ---- */
static enum cu_status run(struct CUgraphNode_st **order, uint32_t n, struct cu_stream *s)
{
	enum cu_status st = CU_OK;

	for (uint32_t i = 0; i < n && st == CU_OK; i++) {
		const struct op *o = &order[i]->op;

		if (order[i]->disabled || o->kind == OP_ALLOC || o->kind == OP_FREE)
			continue;
		if (o->kind == OP_GRAPH) {
			struct arena scratch = { 0 };
			struct CUgraphNode_st **inner;
			uint32_t ninner;

			LOCKED(st = graph_order(&inner, &ninner, o->graph, &scratch));
			if (st == CU_OK)
				st = run(inner, ninner, s);
			arena_free(&scratch);
		} else {
			st = cu_op_run(o, s);
		}
	}
	return st;
}

enum cu_status cu_exec_launch(struct CUgraphExec_st *e, struct cu_stream *s)
{
	struct op o = { .kind = OP_GRAPH };
	bool live, taken = false;
	enum cu_status st = cu_start();

	if (st == CU_OK)
		st = cu_sticky();
	if (st != CU_OK)
		return st;
	LOCKED(live = e && exec_live(e));
	if (!live)
		return CU_INVALID_VALUE;
	if (!cu_stream_valid(s))
		return CU_INVALID_HANDLE;
	o.graph = e->graph;
	st = cu_capture_op(&o, s, &taken); /* it becomes a child graph */
	return taken ? st : run(e->order, e->norder, s);
}
