/* Graphs, their edges, executable graphs (../core/graph.c, exec.c). */
#include "runtime-model/cuda/driver/driver.h"

#include <string.h>

#define DO(...)                           \
	do {                              \
		STARTED();                \
		return told(__VA_ARGS__); \
	} while (0)

/* ---- graphs ---- */
API(cuGraphCreate, CUgraph *g, unsigned flags)
{
	STARTED();
	return g && !flags ? told(cu_graph_create(g)) : CU_INVALID_VALUE;
}
API(cuGraphDestroy, CUgraph g) { DO(cu_graph_destroy(g)); }
API(cuGraphClone, CUgraph *copy, CUgraph g)
{
	STARTED();
	return copy ? told(cu_graph_copy(copy, g)) : CU_INVALID_VALUE;
}
API(cuGraphNodeFindInClone, CUgraphNode *out, CUgraphNode n, CUgraph copy) { DO(cu_graph_find(out, n, copy)); }
API(cuGraphDestroyNode, CUgraphNode n) { DO(cu_node_destroy(n)); }
API(cuGraphGetNodes, CUgraph g, CUgraphNode *out, size_t *n) { DO(cu_graph_nodes(g, out, n, false)); }
API(cuGraphGetRootNodes, CUgraph g, CUgraphNode *out, size_t *n) { DO(cu_graph_nodes(g, out, n, true)); }
API(cuGraphDebugDotPrint, CUgraph g, const char *path, unsigned flags)
{
	(void)flags;
	DO(cu_graph_print(g, path));
}

/* ---- edges, which have no data of their own ---- */
static CUresult plain(CUresult s, struct edge *data, const void *out, const size_t *n)
{
	if (!s && data && out)
		memset(data, 0, *n * sizeof *data);
	return s;
}

static CUresult edges(CUgraph g, CUgraphNode *from, CUgraphNode *to, struct edge *data, size_t *n)
{
	STARTED();
	return plain(told(cu_graph_edges(g, from, to, n)), data, from, n);
}

static CUresult neighbours(CUgraphNode x, CUgraphNode *out, struct edge *data, size_t *n, bool after)
{
	STARTED();
	return plain(told(cu_node_neighbours(x, out, n, after)), data, out, n);
}

static CUresult change(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, const struct edge *data, size_t n,
		       bool add)
{
	STARTED();
	if (n && (!from || !to))
		return CU_INVALID_VALUE;
	for (size_t i = 0; data && i < n; i++)
		if (data[i].from_port || data[i].to_port || data[i].type)
			return CU_NOT_SUPPORTED;
	return told(cu_graph_change(g, from, to, n, add));
}

API(cuGraphGetEdges, CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *n) { return edges(g, from, to, NULL, n); }
API(cuGraphGetEdges_v2, CUgraph g, CUgraphNode *from, CUgraphNode *to, struct edge *data, size_t *n)
{
	return edges(g, from, to, data, n);
}
API(cuGraphNodeGetDependencies, CUgraphNode x, CUgraphNode *out, size_t *n)
{
	return neighbours(x, out, NULL, n, false);
}
API(cuGraphNodeGetDependencies_v2, CUgraphNode x, CUgraphNode *out, struct edge *data, size_t *n)
{
	return neighbours(x, out, data, n, false);
}
API(cuGraphNodeGetDependentNodes, CUgraphNode x, CUgraphNode *out, size_t *n)
{
	return neighbours(x, out, NULL, n, true);
}
API(cuGraphNodeGetDependentNodes_v2, CUgraphNode x, CUgraphNode *out, struct edge *data, size_t *n)
{
	return neighbours(x, out, data, n, true);
}
API(cuGraphAddDependencies, CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
	return change(g, from, to, NULL, n, true);
}
API(cuGraphAddDependencies_v2, CUgraph g, const CUgraphNode *from, const CUgraphNode *to, const struct edge *data,
    size_t n)
{
	return change(g, from, to, data, n, true);
}
API(cuGraphRemoveDependencies, CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
	return change(g, from, to, NULL, n, false);
}
API(cuGraphRemoveDependencies_v2, CUgraph g, const CUgraphNode *from, const CUgraphNode *to, const struct edge *data,
    size_t n)
{
	return change(g, from, to, data, n, false);
}

/* ---- executable graphs ---- */
API(cuGraphInstantiateWithFlags, CUgraphExec *out, CUgraph g, unsigned long long flags)
{
	READY();
	return told(cu_exec_create(out, g, flags, NULL, NULL));
}

API(cuGraphInstantiate, CUgraphExec *out, CUgraph g, CUgraphNode *bad, char *log, size_t bytes)
{
	if (bad)
		*bad = NULL;
	if (log && bytes)
		*log = 0;
	return cuGraphInstantiateWithFlags(out, g, 0);
}
ALIAS(cuGraphInstantiate_v2, cuGraphInstantiate);

struct instantiation {
	unsigned long long flags;
	CUstream upload;
	CUgraphNode bad;
	int result;
};

API(cuGraphInstantiateWithParams, CUgraphExec *out, CUgraph g, struct instantiation *p)
{
	READY();
	if (!p)
		return CU_INVALID_VALUE;
	return told(cu_exec_create(out, g, p->flags, &p->result, &p->bad)); /* the same numbers */
}
ALIAS(cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams);

API(cuGraphExecDestroy, CUgraphExec e) { DO(cu_exec_destroy(e)); }

API(cuGraphExecGetFlags, CUgraphExec e, unsigned long long *flags)
{
	STARTED();
	return flags ? told(cu_exec_flags(e, flags)) : CU_INVALID_VALUE;
}

struct update {
	int result;
	CUgraphNode node, from;
};

API(cuGraphExecUpdate_v2, CUgraphExec e, CUgraph g, struct update *u)
{
	STARTED();
	/* the same numbers */
	return u ? told(cu_exec_update(e, g, &u->result, &u->node, &u->from)) : CU_INVALID_VALUE;
}

API(cuGraphExecUpdate, CUgraphExec e, CUgraph g, CUgraphNode *bad, int *result)
{
	struct update u;
	CUresult s = result ? cuGraphExecUpdate_v2(e, g, &u) : CU_INVALID_VALUE;

	if (result)
		*result = u.result;
	if (bad && result)
		*bad = u.node;
	return s;
}

OF_STREAM(cuGraphLaunch, (CUgraphExec e, CUstream s), (e, s), (e, OWN(s)), {
	READY();
	return told(cu_exec_launch(e, s));
})

OF_STREAM(cuGraphUpload, (CUgraphExec e, CUstream s), (e, s), (e, OWN(s)), {
	CUresult r;

	READY();
	r = told(cu_exec_flags(e, NULL));
	if (r)
		return r;
	return cu_stream_valid(s) ? told(cu_sticky()) : CU_INVALID_HANDLE;
})

/* ---- memory of graphs ---- */
API(cuDeviceGraphMemTrim, CUdevice d) { return device_ok(d); }

API(cuDeviceGetGraphMemAttribute, CUdevice d, int what, void *value)
{
	CUresult s = device_ok(d);
	uint64_t now, high;

	if (s || !value || what < 0 || what > 3)
		return s ? s : CU_INVALID_VALUE;
	cu_graph_memory(&now, &high, false);
	memcpy(value, what % 2 ? &high : &now, sizeof now);
	return CU_OK;
}

API(cuDeviceSetGraphMemAttribute, CUdevice d, int what, void *value)
{
	CUresult s = device_ok(d);
	uint64_t v = 1, now;

	if (s || !value || (what != 1 && what != 3))
		return s ? s : CU_INVALID_VALUE;
	memcpy(&v, value, sizeof v);
	if (v)
		return CU_INVALID_VALUE; /* a mark can only be set anew */
	cu_graph_memory(&now, &v, true);
	return CU_OK;
}
