/* Graphs and their edges: NVIDIA's interface to ../core/graph.c. */
#include "runtime-model/cuda/runtime/rt.h"

#include <string.h>

cudaError_t cudaGraphCreate(cudaGraph_t *g, unsigned flags)
{
	FAIL_IF(!g || flags, INVALID_VALUE);
	return done(cu_graph_create(g));
}

cudaError_t cudaGraphDestroy(cudaGraph_t g) { return done(cu_graph_destroy(g)); }

cudaError_t cudaGraphClone(cudaGraph_t *c, cudaGraph_t g)
{
	FAIL_IF(!c, INVALID_VALUE);
	return done(cu_graph_copy(c, g));
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t n, cudaGraph_t g)
{
	return done(cu_graph_find(out, n, g));
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t n) { return done(cu_node_destroy(n)); }
cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *out, size_t *n)
{
	return done(cu_graph_nodes(g, out, n, false));
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t g, cudaGraphNode_t *out, size_t *n)
{
	return done(cu_graph_nodes(g, out, n, true));
}

/* Edges have no data of their own. */
static cudaError_t edges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *data, size_t *n)
{
	enum cu_status s = cu_graph_edges(g, from, to, n);

	if (s == CU_OK && data && from)
		memset(data, 0, *n * sizeof *data);
	return done(s);
}

static cudaError_t neighbours(cudaGraphNode_t x, cudaGraphNode_t *out, cudaGraphEdgeData *data, size_t *n, bool after)
{
	enum cu_status s = cu_node_neighbours(x, out, n, after);

	if (s == CU_OK && data && out)
		memset(data, 0, *n * sizeof *data);
	return done(s);
}

static cudaError_t change(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
			  const cudaGraphEdgeData *data, size_t n, bool add)
{
	FAIL_IF(n && (!from || !to), INVALID_VALUE);
	for (size_t i = 0; data && i < n; i++)
		FAIL_IF(data[i].from_port || data[i].to_port || data[i].type, NOT_SUPPORTED);
	return done(cu_graph_change(g, from, to, n, add));
}

#define EDGES_FNS(suffix)                                                                                         \
	cudaError_t cudaGraphGetEdges##suffix(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,          \
					      cudaGraphEdgeData *data, size_t *n)                                 \
	{                                                                                                         \
		return edges(g, from, to, data, n);                                                               \
	}                                                                                                         \
	cudaError_t cudaGraphNodeGetDependencies##suffix(cudaGraphNode_t x, cudaGraphNode_t *out,                 \
							 cudaGraphEdgeData *data, size_t *n)                      \
	{                                                                                                         \
		return neighbours(x, out, data, n, false);                                                        \
	}                                                                                                         \
	cudaError_t cudaGraphNodeGetDependentNodes##suffix(cudaGraphNode_t x, cudaGraphNode_t *out,               \
							   cudaGraphEdgeData *data, size_t *n)                    \
	{                                                                                                         \
		return neighbours(x, out, data, n, true);                                                         \
	}                                                                                                         \
	cudaError_t cudaGraphAddDependencies##suffix(cudaGraph_t g, const cudaGraphNode_t *from,                  \
						     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,    \
						     size_t n)                                                    \
	{                                                                                                         \
		return change(g, from, to, data, n, true);                                                        \
	}                                                                                                         \
	cudaError_t cudaGraphRemoveDependencies##suffix(cudaGraph_t g, const cudaGraphNode_t *from,               \
							const cudaGraphNode_t *to, const cudaGraphEdgeData *data, \
							size_t n)                                                 \
	{                                                                                                         \
		return change(g, from, to, data, n, false);                                                       \
	}
#if CUDART == 12
EDGES_FNS(_v2)
cudaError_t cudaGraphGetEdges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
	return edges(g, from, to, NULL, n);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t x, cudaGraphNode_t *out, size_t *n)
{
	return neighbours(x, out, NULL, n, false);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t x, cudaGraphNode_t *out, size_t *n)
{
	return neighbours(x, out, NULL, n, true);
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
	return change(g, from, to, NULL, n, true);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t g, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
	return change(g, from, to, NULL, n, false);
}
#else
EDGES_FNS()
#endif

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t n, enum cudaGraphNodeType *type)
{
	static const enum cudaGraphNodeType of[] = {
		[OP_EMPTY] = cudaGraphNodeTypeEmpty,
		[OP_KERNEL] = cudaGraphNodeTypeKernel,
		[OP_COPY] = cudaGraphNodeTypeMemcpy,
		[OP_FILL] = cudaGraphNodeTypeMemset,
		[OP_HOST] = cudaGraphNodeTypeHost,
		[OP_RECORD] = cudaGraphNodeTypeEventRecord,
		[OP_WAIT] = cudaGraphNodeTypeWaitEvent,
		[OP_ALLOC] = cudaGraphNodeTypeMemAlloc,
		[OP_FREE] = cudaGraphNodeTypeMemFree,
		[OP_GRAPH] = cudaGraphNodeTypeGraph,
		[OP_CONDITIONAL] = cudaGraphNodeTypeConditional,
	};
	enum cu_status s;
	struct op o;

	FAIL_IF(!type, INVALID_VALUE);
	s = cu_node_get(n, &o, NULL);
	if (s == CU_OK)
		*type = of[o.kind];
	return done(s);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t g, const char *path, unsigned flags)
{
	(void)flags;
	return done(cu_graph_print(g, path));
}
