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

static bool has_exec(const struct CUgraph_st *g)
{
	for (const struct CUgraphExec_st *e = execs; e; e = e->next)
		if (e->live && e->graph->source == g)
			return true;
	return false;
}

/* What conditional nodes ask of a graph, and nothing else does. */
static int conditional_reason(struct CUgraph_st *g, struct CUgraphNode_st **at)
{
	if (!conditions_used(g)) {
		graph_refuse("a graph has a conditional handle that no node has");
		return INSTANTIATE_HANDLE_UNUSED;
	}
	if (!graph_conditional(g))
		return INSTANTIATE_OK;
	if (has_exec(g)) {
		graph_refuse("a graph with a conditional node cannot be instantiated twice at a time");
		return INSTANTIATE_ERROR;
	}
	return conditional_bodies(g, at) ? INSTANTIATE_OK : INSTANTIATE_STRUCTURE;
}

static struct CUgraphExec_st *exec_make(const struct CUgraphExec_st *x)
{
	struct CUgraphExec_st *e = execs;

	while (e && e->live)
		e = e->next;
	if (!e) {
		e = new(&works.a, struct CUgraphExec_st);
		e->next = execs;
		execs = e;
	}
	*e = (struct CUgraphExec_st){ e->next, true, x->graph, x->order, x->norder, x->flags };
	return e;
}

enum cu_status cu_exec_create(struct CUgraphExec_st **out, struct CUgraph_st *g, unsigned long long flags, int *why,
			      struct CUgraphNode_st **at)
{
	enum cu_status s = cu_start();
	struct CUgraphNode_st *bad_node = NULL;
	struct CUgraphExec_st x = { .flags = flags };
	int reason = INSTANTIATE_ERROR;

	if (why)
		*why = reason;
	if (at)
		*at = NULL;
	if (!out || flags & ~(unsigned long long)(EXEC_AUTO_FREE | EXEC_UPLOAD | EXEC_DEVICE | EXEC_PRIORITY))
		return CU_INVALID_VALUE;
	if (flags & EXEC_DEVICE)
		return CU_NOT_SUPPORTED;
	if (s != CU_OK)
		return s;
	LOCKED({
		if (g && graph_live(g))
			reason = conditional_reason(g, &bad_node);
		if (reason == INSTANTIATE_OK) {
			x.graph = graph_clone(g);
			x.graph->owned = true;
			if (graph_order(&x.order, &x.norder, x.graph, &x.graph->a) != CU_OK)
				reason = INSTANTIATE_STRUCTURE;
		}
		if (reason == INSTANTIATE_OK)
			*out = exec_make(&x);
	});
	if (x.graph && reason != INSTANTIATE_OK)
		graph_free(x.graph);
	if (why)
		*why = reason;
	if (at)
		*at = bad_node;
	return reason == INSTANTIATE_OK ? CU_OK : CU_INVALID_VALUE;
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

static bool same_conditional(const struct op *a, const struct op *b)
{
	return a->kind != OP_CONDITIONAL ||
	       (a->conditional.kind == b->conditional.kind && a->conditional.n == b->conditional.n);
}

/* The same nodes and edges, in the same order of making: then the parameters are taken over. */
static int update(struct CUgraph_st *to, struct CUgraph_st *from, struct CUgraphNode_st **where,
		  struct CUgraphNode_st **source)
{
	struct CUgraph_st **inner, **with;
	uint32_t i = 0, j = 0, ninner;

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
		if (!same_conditional(&to->node[i]->op, &from->node[j]->op))
			return UPDATE_PARAMETERS;
		inner = node_graphs(to->node[i], &ninner);
		with = node_graphs(from->node[j], &ninner);
		for (uint32_t k = 0; k < ninner; k++) {
			const int r = update(inner[k], with[k], where, source);

			if (r != UPDATE_OK)
				return r;
		}
	}
}

static void take_over(struct CUgraph_st *to, struct CUgraph_st *from);

/* The handle is the other graph's then, which its kernels set. */
static void take_over_node(struct CUgraphNode_st *to, struct CUgraphNode_st *from)
{
	uint32_t n;
	struct CUgraph_st **inner = node_graphs(to, &n), **with = node_graphs(from, &n);

	for (uint32_t i = 0; i < n; i++)
		take_over(inner[i], with[i]);
	if (to->op.kind == OP_KERNEL) {
		node_kernel(to, &from->op, from->f);
	} else if (to->op.kind == OP_CONDITIONAL && to->op.conditional.on != from->op.conditional.on) {
		conditional_leave(to);
		conditional_join(to, from->op.conditional.on);
	} else if (!n) {
		to->op = from->op;
	}
	to->source = from;
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
		take_over_node(to->node[i], from->node[j]);
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
			if (*result == UPDATE_OK && !conditional_bodies(g, node))
				*result = UPDATE_NOT_SUPPORTED;
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
struct running {
	struct cu_stream *s;
	uint64_t kernels; /* launched so far */
};

static enum cu_status run(struct CUgraphNode_st **order, uint32_t n, struct running *r);

static enum cu_status run_graph(struct CUgraph_st *g, struct running *r)
{
	struct arena scratch = { 0 };
	struct CUgraphNode_st **order;
	enum cu_status st;
	uint32_t n;

	LOCKED(st = graph_order(&order, &n, g, &scratch));
	if (st == CU_OK)
		st = run(order, n, r);
	arena_free(&scratch);
	return st;
}

static enum cu_status run_while(struct CUgraph_st *body, struct condition *c, struct running *r)
{
	struct watch_loop loop;
	enum cu_status st = CU_OK;

	watch_loop_begin(&loop);
	while (st == CU_OK && condition_value(c)) {
		const uint64_t kernels = r->kernels;

		st = run_graph(body, r);
		if (st == CU_OK)
			st = watch_loop_again(&loop, r->kernels == kernels);
	}
	return st;
}

static enum cu_status run_conditional(const struct op *o, struct running *r)
{
	struct condition *c = o->conditional.on;
	uint32_t body;

	if (o->conditional.kind == CONDITIONAL_WHILE)
		return run_while(o->conditional.body[0], c, r);
	body = condition_value(c);
	if (o->conditional.kind == CONDITIONAL_IF)
		body = !body;
	return body < o->conditional.n ? run_graph(o->conditional.body[body], r) : CU_OK;
}

static enum cu_status run(struct CUgraphNode_st **order, uint32_t n, struct running *r)
{
	enum cu_status st = CU_OK;

	for (uint32_t i = 0; i < n && st == CU_OK; i++) {
		const struct op *o = &order[i]->op;

		if (order[i]->disabled || o->kind == OP_ALLOC || o->kind == OP_FREE)
			continue;
		if (o->kind == OP_GRAPH)
			st = run_graph(o->graph, r);
		else if (o->kind == OP_CONDITIONAL)
			st = run_conditional(o, r);
		else
			st = cu_op_run(o, r->s);
		r->kernels += o->kind == OP_KERNEL;
	}
	return st;
}

enum cu_status cu_exec_launch(struct CUgraphExec_st *e, struct cu_stream *s)
{
	struct op o = { .kind = OP_GRAPH };
	struct running r = { .s = s };
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
	if (taken)
		return st;
	LOCKED(conditions_begin(e->graph));
	return run(e->order, e->norder, &r);
}
