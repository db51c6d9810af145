/* Executable graphs: instantiated, updated, launched; what lives as long as graphs do. A launch does the nodes one after the other, in an order that
 * edges and the order of making give, all on the stream that it is launched into. */
#include "runtime-model/cuda/runtime/graph.h"

#include <string.h>

/* ---- memory of graphs: there from the node's making; given back with the last graph ---- */
static struct { uint64_t *row; uint32_t n, cap; uint64_t bytes, high; } memory;

enum cu_status graph_memory(uint64_t *addr, uint64_t bytes)
{
	enum cu_status s = cu_alloc(addr, bytes, 0, CU_DEVICE, 0);

	if (s == CU_OK) {
		arena_grow(&rt.a, memory.row, memory.n, memory.cap);
		memory.row[memory.n++] = *addr;
		memory.bytes += bytes;
		memory.high = memory.bytes > memory.high ? memory.bytes : memory.high;
	}
	return s;
}

bool graph_owns(uint64_t addr)
{
	for (uint32_t i = 0; i < memory.n; i++)
		if (memory.row[i] == addr)
			return true;
	return false;
}

void graph_memory_forget(void)
{
	LOCKED({
		memory.n = 0;
		memory.bytes = 0;
	});
}

static void memory_give_back(const uint64_t *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct cu_range r;

		if (cu_find(&r, row[i]) && cu_free(row[i], CU_DEVICE) == CU_OK)
			LOCKED(memory.bytes -= r.bytes);
	}
}

cudaError_t cudaDeviceGraphMemTrim(int device) { return done(device_check(device)); }

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType what, void *value)
{
	enum cu_status s = device_check(device);

	FAIL_IF(!value || (unsigned)what > cudaGraphMemAttrReservedMemHigh, INVALID_VALUE);
	if (s == CU_OK)
		LOCKED(memcpy(value, what == cudaGraphMemAttrUsedMemCurrent || what == cudaGraphMemAttrReservedMemCurrent ? &memory.bytes : &memory.high, sizeof memory.bytes));
	return done(s);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType what, void *value)
{
	enum cu_status s = device_check(device);
	uint64_t v;

	FAIL_IF(!value || (what != cudaGraphMemAttrUsedMemHigh && what != cudaGraphMemAttrReservedMemHigh), INVALID_VALUE);
	memcpy(&v, value, sizeof v);
	FAIL_IF(v, INVALID_VALUE);                       /* a mark can only be set anew */
	if (s == CU_OK)
		LOCKED(memory.high = memory.bytes);
	return done(s);
}

/* ---- user objects ---- */
cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *data, cudaHostFn_t destroy, unsigned count, unsigned flags)
{
	FAIL_IF(!out || !destroy || !count || count > INT32_MAX || flags != cudaUserObjectNoDestructorSync, INVALID_VALUE);
	LOCKED({
		*out = new(&rt.a, struct CUuserObject_st);
		**out = (struct CUuserObject_st){ data, destroy, count };
	});
	return done(CU_OK);
}

static enum cu_status object_release(cudaUserObject_t o, uint32_t count)
{
	bool good, last;

	LOCKED({
		good = o && count && o->count >= count;
		if (good)
			o->count -= count;
		last = good && !o->count;
	});
	if (last)
		o->destroy(o->data);
	return good ? CU_OK : CU_INVALID_VALUE;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t o, unsigned count)
{
	FAIL_IF(!o || !count || count > INT32_MAX || !o->count, INVALID_VALUE);
	LOCKED(o->count += count);
	return done(CU_OK);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t o, unsigned count) { return done(object_release(o, count)); }

cudaError_t cudaGraphRetainUserObject(cudaGraph_t g, cudaUserObject_t o, unsigned count, unsigned flags)
{
	bool good;

	FAIL_IF(!o || !count || count > INT32_MAX || flags & ~(unsigned)cudaGraphUserObjectMove, INVALID_VALUE);
	LOCKED({
		good = g && graph_live(g) && o->count && (!(flags & cudaGraphUserObjectMove) || o->count >= count);
		if (good) {
			uint32_t i = 0;

			while (i < g->nheld && g->held[i].object != o)
				i++;
			if (i == g->nheld) {
				arena_grow(&g->a, g->held, g->nheld, g->held_cap);
				g->held[g->nheld++] = (struct held){ o, 0 };
			}
			g->held[i].count += count;
			o->count += flags & cudaGraphUserObjectMove ? 0 : count;
		}
	});
	return done(good ? CU_OK : CU_INVALID_VALUE);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t g, cudaUserObject_t o, unsigned count)
{
	bool good = false;

	LOCKED({
		for (uint32_t i = 0; g && graph_live(g) && i < g->nheld && !good; i++)
			if (g->held[i].object == o && g->held[i].count >= count && count) {
				g->held[i].count -= count;
				good = true;
			}
	});
	return done(good ? object_release(o, count) : CU_INVALID_VALUE);
}

/* ---- the end of a graph ---- */
static struct CUgraphExec_st *execs;

/* Whether another graph still names that memory. */
static bool named_elsewhere(uint64_t addr, cudaGraph_t but);

void graph_free(cudaGraph_t g)
{
	struct arena a, scratch = { 0 };
	cudaGraph_t *child;
	struct held *held;
	uint64_t *row;
	uint32_t nchild = 0, nheld, nrow = 0;

	LOCKED({
		child = new_array(&scratch, cudaGraph_t, g->nnode + 1);
		row = new_array(&scratch, uint64_t, g->nnode + 1);
		for (uint32_t i = 0; i < g->nnode; i++) {
			if (g->node[i]->op.kind == OP_GRAPH && !g->node[i]->dead)
				child[nchild++] = g->node[i]->op.graph;
			if (g->node[i]->op.kind == OP_ALLOC && graph_owns(g->node[i]->op.memory.addr) && !named_elsewhere(g->node[i]->op.memory.addr, g))
				row[nrow++] = g->node[i]->op.memory.addr;
		}
		for (uint32_t i = 0; i < nrow; i++)
			for (uint32_t j = 0; j < memory.n; j++)
				if (memory.row[j] == row[i])
					memory.row[j] = memory.row[--memory.n];
		nheld = g->nheld;
		held = new_array(&scratch, struct held, nheld + 1);
		if (nheld)
			memcpy(held, g->held, nheld * sizeof *held);
		a = g->a;
		g->live = false;
		g->nnode = 0;
		g->a = (struct arena){ 0 };
	});
	arena_free(&a);
	for (uint32_t i = 0; i < nchild; i++)
		graph_free(child[i]);
	memory_give_back(row, nrow);
	for (uint32_t i = 0; i < nheld; i++)
		object_release(held[i].object, held[i].count);
	arena_free(&scratch);
}

static bool names(cudaGraph_t g, uint64_t addr)
{
	for (uint32_t i = 0; g->live && i < g->nnode; i++)
		if (g->node[i]->op.kind == OP_ALLOC && g->node[i]->op.memory.addr == addr)
			return true;
	return false;
}

static bool named_elsewhere(uint64_t addr, cudaGraph_t but)
{
	for (cudaGraph_t g = graphs_first(); g; g = g->next)
		if (g != but && names(g, addr))
			return true;
	return false;
}

/* ---- instantiating ---- */
static bool exec_live(cudaGraphExec_t e)
{
	struct CUgraphExec_st *q = execs;

	while (q && q != e)
		q = q->next;
	return q && q->live;
}

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags, enum cudaGraphInstantiateResult *why)
{
	enum cu_status s = cu_start();
	cudaGraph_t bad = NULL;

	if (why)
		*why = cudaGraphInstantiateError;
	FAIL_IF(!out, INVALID_VALUE);
	FAIL_IF(flags & ~(unsigned long long)(cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagDeviceLaunch |
		cudaGraphInstantiateFlagUseNodePriority), INVALID_VALUE);
	FAIL_IF(flags & cudaGraphInstantiateFlagDeviceLaunch, NOT_SUPPORTED);
	if (s != CU_OK)
		return done(s);
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
					*why = cudaGraphInstantiateInvalidStructure;
			} else {
				while (e && e->live)
					e = e->next;
				if (!e) {
					e = new(&rt.a, struct CUgraphExec_st);
					x.next = execs;
					execs = e;
				} else {
					x.next = e->next;
				}
				*e = x;
				*out = e;
				if (why)
					*why = cudaGraphInstantiateSuccess;
			}
		}
	});
	if (bad)
		graph_free(bad);
	return done(s);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags) { return instantiate(out, g, flags, NULL); }
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags) { return instantiate(out, g, flags, NULL); }

STREAM_FN(cudaGraphInstantiateWithParams, (out, g, p), cudaGraphExec_t *out, cudaGraph_t g, cudaGraphInstantiateParams *p)
{
	FAIL_IF(!p, INVALID_VALUE);
	p->errNode_out = NULL;
	return instantiate(out, g, p->flags, &p->result_out);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e)
{
	bool live;

	LOCKED({
		live = e && exec_live(e);
		if (live)
			e->live = false;
	});
	FAIL_IF(!live, INVALID_VALUE);
	graph_free(e->graph);
	return done(CU_OK);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t e, unsigned long long *flags)
{
	bool live;

	FAIL_IF(!flags, INVALID_VALUE);
	LOCKED({
		live = e && exec_live(e);
		if (live)
			*flags = e->flags;
	});
	return done(live ? CU_OK : CU_INVALID_VALUE);
}

/* The same nodes and edges, in the same order of making: then the parameters are taken over. */
static enum cudaGraphExecUpdateResult update(cudaGraph_t to, cudaGraph_t from, cudaGraphNode_t *where, cudaGraphNode_t *source)
{
	uint32_t i = 0, j = 0;

	for (;; i++, j++) {
		while (i < to->nnode && to->node[i]->dead)
			i++;
		while (j < from->nnode && from->node[j]->dead)
			j++;
		if (i == to->nnode || j == from->nnode)
			return i == to->nnode && j == from->nnode ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
		*where = to->node[i];
		*source = from->node[j];
		if (to->node[i]->op.kind != from->node[j]->op.kind)
			return cudaGraphExecUpdateErrorNodeTypeChanged;
		to->node[i]->mark = from->node[j]->mark = i;
		if (to->node[i]->nbefore != from->node[j]->nbefore)
			return cudaGraphExecUpdateErrorTopologyChanged;
		for (uint32_t k = 0; k < to->node[i]->nbefore; k++)
			if (to->node[i]->before[k]->mark != from->node[j]->before[k]->mark)
				return cudaGraphExecUpdateErrorTopologyChanged;
		if (to->node[i]->op.kind == OP_GRAPH) {
			const enum cudaGraphExecUpdateResult r = update(to->node[i]->op.graph, from->node[j]->op.graph, where, source);

			if (r != cudaGraphExecUpdateSuccess)
				return r;
		}
	}
}

static void take_over(cudaGraph_t to, cudaGraph_t from)
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
			node_kernel(to->node[i], &from->node[j]->op.launch, from->node[j]->f);
		else
			to->node[i]->op = from->node[j]->op;
		to->node[i]->source = from->node[j];
	}
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t e, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info)
{
	cudaGraphExecUpdateResultInfo r = { .result = cudaGraphExecUpdateError };
	bool live;

	FAIL_IF(!info, INVALID_VALUE);
	LOCKED({
		live = e && g && exec_live(e) && graph_live(g);
		if (live) {
			r.result = update(e->graph, g, &r.errorFromNode, &r.errorNode);
			if (r.result == cudaGraphExecUpdateSuccess) {
				take_over(e->graph, g);
				r.errorNode = r.errorFromNode = NULL;
			}
		}
	});
	*info = r;
	return done(!live ? CU_INVALID_VALUE : r.result == cudaGraphExecUpdateSuccess ? CU_OK : CU_GRAPH_EXEC_UPDATE_FAILURE);
}

/* ---- launching ---- */
static enum cu_status run(cudaGraphNode_t *order, uint32_t n, cudaStream_t s)
{
	enum cu_status st = CU_OK;

	for (uint32_t i = 0; i < n && st == CU_OK; i++) {
		const struct op *o = &order[i]->op;

		if (order[i]->disabled || o->kind == OP_ALLOC || o->kind == OP_FREE)
			continue;
		if (o->kind == OP_GRAPH) {
			struct arena scratch = { 0 };
			cudaGraphNode_t *inner;
			uint32_t ninner;

			LOCKED(st = graph_order(&inner, &ninner, o->graph, &scratch));
			if (st == CU_OK)
				st = run(inner, ninner, s);
			arena_free(&scratch);
		} else {
			st = op_run(o, s);
		}
	}
	return st;
}

STREAM_FN(cudaGraphLaunch, (e, OWN(s)), cudaGraphExec_t e, cudaStream_t s)
{
	struct op o = { .kind = OP_GRAPH };
	bool live, taken = false;
	enum cu_status st = cu_start();

	if (st == CU_OK)
		st = cu_sticky();
	if (st != CU_OK)
		return done(st);
	LOCKED(live = e && exec_live(e));
	FAIL_IF(!live, INVALID_VALUE);
	FAIL_IF(!cu_stream_valid(stream_of(s)), INVALID_HANDLE);
	o.graph = e->graph;
	st = capture_op(&o, s, &taken);                  /* it becomes a child graph */
	return done(taken ? st : run(e->order, e->norder, s));
}

STREAM_FN(cudaGraphUpload, (e, OWN(s)), cudaGraphExec_t e, cudaStream_t s)
{
	bool live;

	LOCKED(live = e && exec_live(e));
	FAIL_IF(!live, INVALID_VALUE);
	FAIL_IF(cu_start() != CU_OK || !cu_stream_valid(stream_of(s)), INVALID_HANDLE);
	return done(cu_sticky());
}
