/* Graphs and their edges. */
#include "runtime-model/cuda/runtime/graph.h"

#include <stdio.h>
#include <string.h>

static cudaGraph_t graphs;

/* ---- inside ---- */
cudaGraph_t graph_make(void)
{
	cudaGraph_t g = graphs;

	while (g && g->live)
		g = g->next;
	if (!g) {
		g = new(&rt.a, struct CUgraph_st);
		g->next = graphs;
		graphs = g;
	}
	*g = (struct CUgraph_st){ .next = g->next, .live = true };
	return g;
}

cudaGraph_t graphs_first(void) { return graphs; }

bool graph_live(cudaGraph_t g)
{
	cudaGraph_t q = graphs;

	while (q && q != g)
		q = q->next;
	return q && q->live;
}

bool node_live(cudaGraphNode_t n)
{
	for (cudaGraph_t g = graphs; g; g = g->next)
		for (uint32_t i = 0; g->live && i < g->nnode; i++)
			if (g->node[i] == n)
				return !n->dead;
	return false;
}

cudaGraphNode_t graph_add(cudaGraph_t g, enum op_kind kind)
{
	cudaGraphNode_t n = new(&g->a, struct CUgraphNode_st);

	n->graph = g;
	n->op.kind = kind;
	arena_grow(&g->a, g->node, g->nnode, g->node_cap);
	g->node[g->nnode++] = n;
	return n;
}

void node_depend(cudaGraphNode_t n, cudaGraphNode_t on)
{
	for (uint32_t i = 0; i < n->nbefore; i++)
		if (n->before[i] == on)
			return;
	arena_grow(&n->graph->a, n->before, n->nbefore, n->before_cap);
	n->before[n->nbefore++] = on;
}

static bool node_forget(cudaGraphNode_t n, cudaGraphNode_t on)
{
	for (uint32_t i = 0; i < n->nbefore; i++)
		if (n->before[i] == on) {
			memmove(&n->before[i], &n->before[i + 1], (n->nbefore - i - 1) * sizeof *n->before);
			n->nbefore--;
			return true;
		}
	return false;
}

enum cu_status node_kernel(cudaGraphNode_t n, const struct cu_launch *l, const void *f)
{
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
		if (!l->param || !l->param[i])
			return CU_INVALID_VALUE;
		param[i] = arena_alloc(a, bytes, 16);
		memcpy(param[i], l->param[i], bytes);
	}
	n->op.kind = OP_KERNEL;
	n->op.launch = *l;
	n->op.launch.param = param;
	n->op.launch.stream = NULL;
	n->f = f;
	return CU_OK;
}

/* By the order of making where edges leave a choice: the earliest node all of whose dependencies are done comes next. */
enum cu_status graph_order(cudaGraphNode_t **order, uint32_t *n, cudaGraph_t g, struct arena *a)
{
	uint32_t left = 0, low = 0;                      /* low: all before it are in order */

	*order = new_array(a, cudaGraphNode_t, g->nnode + 1);
	*n = 0;
	for (uint32_t i = 0; i < g->nnode; i++) {
		g->node[i]->mark = g->node[i]->dead;
		left += !g->node[i]->dead;
	}
	while (left) {
		const uint32_t had = left;

		for (uint32_t i = 0; i < g->nnode; i++) {
			cudaGraphNode_t x = g->node[i];
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
			i = low - 1;                    /* nodes made before it may have waited for it */
		}
		if (left == had)
			return CU_INVALID_VALUE;
	}
	return CU_OK;
}

cudaGraph_t graph_clone(cudaGraph_t g)
{
	cudaGraph_t c = graph_make();

	c->source = g;
	for (uint32_t i = 0; i < g->nnode; i++) {
		cudaGraphNode_t n = graph_add(c, OP_EMPTY), from = g->node[i];
		cudaGraphNode_t *before = n->before;

		*n = *from;
		n->graph = c;
		n->before = before;
		n->nbefore = n->before_cap = 0;
		n->source = from;
		from->mark = i;
		if (n->op.kind == OP_KERNEL)
			node_kernel(n, &from->op.launch, from->f);
		if (n->op.kind == OP_GRAPH) {
			n->op.graph = graph_clone(from->op.graph);
			n->op.graph->owned = true;
		}
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
cudaError_t cudaGraphCreate(cudaGraph_t *g, unsigned flags)
{
	FAIL_IF(!g || flags, INVALID_VALUE);
	LOCKED(*g = graph_make());
	return done(CU_OK);
}

cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
	bool live;

	LOCKED(live = g && graph_live(g) && !g->owned);
	FAIL_IF(!live, INVALID_VALUE);
	graph_free(g);
	return done(CU_OK);
}

cudaError_t cudaGraphClone(cudaGraph_t *c, cudaGraph_t g)
{
	bool live;

	FAIL_IF(!c, INVALID_VALUE);
	LOCKED({
		live = g && graph_live(g);
		if (live)
			*c = graph_clone(g);
	});
	return done(live ? CU_OK : CU_INVALID_VALUE);
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t n, cudaGraph_t g)
{
	bool found = false;

	FAIL_IF(!out || !n, INVALID_VALUE);
	LOCKED({
		for (uint32_t i = 0; g && graph_live(g) && i < g->nnode && !found; i++)
			if (g->node[i]->source == n && !g->node[i]->dead) {
				*out = g->node[i];
				found = true;
			}
	});
	return done(found ? CU_OK : CU_INVALID_VALUE);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t n)
{
	cudaGraph_t child = NULL;
	bool live;

	LOCKED({
		live = n && node_live(n);
		if (live) {
			n->dead = true;
			for (uint32_t i = 0; i < n->graph->nnode; i++)
				node_forget(n->graph->node[i], n);
			child = n->op.kind == OP_GRAPH ? n->op.graph : NULL;
		}
	});
	if (child)
		graph_free(child);
	return done(live ? CU_OK : CU_INVALID_VALUE);
}

/* ---- what is in one ---- */
/* Lists: how many there are without room for any; else so many, and zeroes beyond. */
#define LIST(count, all) do { if (out) for (size_t k_ = (all); k_ < *(count); k_++) out[k_] = NULL; *(count) = !out || (all) < *(count) ? (all) : *(count); } while (0)

static cudaError_t list(cudaGraph_t g, cudaGraphNode_t *out, size_t *n, bool roots)
{
	size_t all = 0;
	bool live;

	FAIL_IF(!n, INVALID_VALUE);
	LOCKED({
		live = g && graph_live(g);
		for (uint32_t i = 0; live && i < g->nnode; i++)
			if (!g->node[i]->dead && (!roots || !g->node[i]->nbefore)) {
				if (out && all < *n)
					out[all] = g->node[i];
				all++;
			}
	});
	FAIL_IF(!live, INVALID_VALUE);
	LIST(n, all);
	return done(CU_OK);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *out, size_t *n) { return list(g, out, n, false); }
cudaError_t cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *out, size_t *n) { return list(g, out, n, true); }

static cudaError_t edges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n)
{
	cudaGraphNode_t *out = from;
	size_t all = 0;
	bool live;

	FAIL_IF(!n || !from != !to, INVALID_VALUE);
	LOCKED({
		live = g && graph_live(g);
		for (uint32_t i = 0; live && i < g->nnode; i++)
			for (uint32_t j = 0; !g->node[i]->dead && j < g->node[i]->nbefore; j++, all++)
				if (from && all < *n) {
					from[all] = g->node[i]->before[j];
					to[all] = g->node[i];
					if (data)
						data[all] = (cudaGraphEdgeData){ 0 };
				}
	});
	FAIL_IF(!live, INVALID_VALUE);
	LIST(n, all);
	return done(CU_OK);
}

static cudaError_t neighbours(cudaGraphNode_t x, cudaGraphNode_t *out, cudaGraphEdgeData *data, size_t *n, bool after)
{
	size_t all = 0;
	bool live;

	FAIL_IF(!n, INVALID_VALUE);
	LOCKED({
		live = x && node_live(x);
		for (uint32_t i = 0; live && i < (after ? x->graph->nnode : x->nbefore); i++) {
			cudaGraphNode_t y = after ? x->graph->node[i] : x->before[i];
			bool is = !after;

			for (uint32_t j = 0; after && j < y->nbefore && !is; j++)
				is = y->before[j] == x && !y->dead;
			if (is && out && all < *n) {
				out[all] = y;
				if (data)
					data[all] = (cudaGraphEdgeData){ 0 };
			}
			all += is;
		}
	});
	FAIL_IF(!live, INVALID_VALUE);
	LIST(n, all);
	return done(CU_OK);
}

static cudaError_t change(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n, bool add)
{
	bool good;

	FAIL_IF(n && (!from || !to), INVALID_VALUE);
	for (size_t i = 0; data && i < n; i++)
		FAIL_IF(data[i].from_port || data[i].to_port || data[i].type, NOT_SUPPORTED);
	LOCKED({
		good = g && graph_live(g);
		for (size_t i = 0; i < n && good; i++) {
			good = from[i] != to[i] && node_live(from[i]) && node_live(to[i]) && from[i]->graph == g && to[i]->graph == g;
			for (uint32_t j = 0, found = add; good && j <= to[i]->nbefore; j++) {
				found = j < to[i]->nbefore && to[i]->before[j] == from[i] ? !add : found;
				if (j == to[i]->nbefore)
					good = found;           /* to be added: not there yet; to be removed: there */
			}
		}
		for (size_t i = 0; i < n && good; i++) {
			if (add)
				node_depend(to[i], from[i]);
			else
				node_forget(to[i], from[i]);
		}
	});
	return done(good ? CU_OK : CU_INVALID_VALUE);
}

#define EDGES_FNS(suffix) \
	cudaError_t cudaGraphGetEdges##suffix(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n) { return edges(g, from, to, data, n); } \
	cudaError_t cudaGraphNodeGetDependencies##suffix(cudaGraphNode_t x, cudaGraphNode_t *out, cudaGraphEdgeData *data, size_t *n) { return neighbours(x, out, data, n, false); } \
	cudaError_t cudaGraphNodeGetDependentNodes##suffix(cudaGraphNode_t x, cudaGraphNode_t *out, cudaGraphEdgeData *data, size_t *n) { return neighbours(x, out, data, n, true); } \
	cudaError_t cudaGraphAddDependencies##suffix(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n) \
		{ return change(g, from, to, data, n, true); } \
	cudaError_t cudaGraphRemoveDependencies##suffix(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t n) \
		{ return change(g, from, to, data, n, false); }
#if CUDART == 12
EDGES_FNS(_v2)
cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n) { return edges(g, from, to, NULL, n); }
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t x, cudaGraphNode_t *out, size_t *n) { return neighbours(x, out, NULL, n, false); }
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t x, cudaGraphNode_t *out, size_t *n) { return neighbours(x, out, NULL, n, true); }
cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) { return change(g, from, to, NULL, n, true); }
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n) { return change(g, from, to, NULL, n, false); }
#else
EDGES_FNS()
#endif

enum cudaGraphNodeType node_type(const struct CUgraphNode_st *n)
{
	switch (n->op.kind) {
	case OP_KERNEL: return cudaGraphNodeTypeKernel;
	case OP_COPY: return cudaGraphNodeTypeMemcpy;
	case OP_FILL: return cudaGraphNodeTypeMemset;
	case OP_HOST: return cudaGraphNodeTypeHost;
	case OP_RECORD: return cudaGraphNodeTypeEventRecord;
	case OP_WAIT: return cudaGraphNodeTypeWaitEvent;
	case OP_ALLOC: return cudaGraphNodeTypeMemAlloc;
	case OP_FREE: return cudaGraphNodeTypeMemFree;
	case OP_GRAPH: return cudaGraphNodeTypeGraph;
	case OP_EMPTY: break;
	}
	return cudaGraphNodeTypeEmpty;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t n, enum cudaGraphNodeType *type)
{
	bool live;

	FAIL_IF(!type, INVALID_VALUE);
	LOCKED({
		live = n && node_live(n);
		if (live)
			*type = node_type(n);
	});
	return done(live ? CU_OK : CU_INVALID_VALUE);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t g, const char *path, unsigned flags)
{
	static const char *const name[] = { "empty", "kernel", "memcpy", "memset", "host", "event record", "event wait", "alloc", "free", "graph" };
	bool live;
	FILE *f;

	(void)flags;
	FAIL_IF(!path, INVALID_VALUE);
	LOCKED(live = g && graph_live(g));
	FAIL_IF(!live, INVALID_VALUE);
	f = fopen(path, "w");
	FAIL_IF(!f, OPERATING_SYSTEM);
	LOCKED({
		fputs("digraph graph_1 {\n", f);
		for (uint32_t i = 0; i < g->nnode; i++) {
			const struct CUgraphNode_st *n = g->node[i];
			struct cu_function_info info;

			if (n->dead)
				continue;
			g->node[i]->mark = i;
			if (n->op.kind == OP_KERNEL && cu_function_info(&info, n->op.launch.f) == CU_OK)
				fprintf(f, "\tn%u [label=\"kernel %s\"];\n", (unsigned)i, info.name);
			else
				fprintf(f, "\tn%u [label=\"%s\"];\n", (unsigned)i, name[n->op.kind]);
		}
		for (uint32_t i = 0; i < g->nnode; i++)
			for (uint32_t j = 0; !g->node[i]->dead && j < g->node[i]->nbefore; j++)
				fprintf(f, "\tn%u -> n%u;\n", (unsigned)g->node[i]->before[j]->mark, (unsigned)i);
		fputs("}\n", f);
	});
	return done(fclose(f) ? CU_OPERATING_SYSTEM : CU_OK);
}
