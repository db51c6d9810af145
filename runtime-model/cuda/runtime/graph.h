/* Graphs: nodes of ops with edges; captured from streams (capture.c), made node by node (graph.c, node.c), launched (exec.c). */
#ifndef REGLOOM_CUDART_GRAPH_H
#define REGLOOM_CUDART_GRAPH_H

#include "runtime-model/cuda/runtime/rt.h"

struct CUgraphNode_st {
	cudaGraph_t graph;
	struct op op;                                    /* parameters of a kernel: copies in the graph's arena */
	const void *f;                                   /* a kernel node's function, as it was given */
	cudaGraphNode_t *before; uint32_t nbefore, before_cap;   /* what it depends on */
	cudaGraphNode_t source;                          /* in a clone or an executable graph: the node it was made of; else NULL */
	bool disabled, dead;
	cudaLaunchAttributeValue priority;               /* a kernel node's */
	uint32_t mark;                                   /* while nodes are put in order */
};
struct CUuserObject_st { void *data; cudaHostFn_t destroy; uint32_t count; };        /* count 0: gone */
struct held { cudaUserObject_t object; uint32_t count; };
struct CUgraph_st {
	struct CUgraph_st *next;
	struct arena a;
	bool live, owned;                                /* owned: by a child graph's node or an executable graph */
	cudaGraph_t source;                              /* cloned from */
	cudaGraphNode_t *node; uint32_t nnode, node_cap; /* in the order of making; dead ones among them */
	struct held *held; uint32_t nheld, held_cap;
};
struct CUgraphExec_st {
	struct CUgraphExec_st *next;
	bool live;
	cudaGraph_t graph;                               /* a clone of its own */
	cudaGraphNode_t *order; uint32_t norder;
	unsigned long long flags;
};

/* All of these with the lock of tables held, but graph_free() and exec's running. */
cudaGraph_t graph_make(void);
cudaGraph_t graphs_first(void);
bool graph_live(cudaGraph_t g);
bool node_live(cudaGraphNode_t n);
cudaGraphNode_t graph_add(cudaGraph_t g, enum op_kind kind);
void node_depend(cudaGraphNode_t n, cudaGraphNode_t on);         /* once */
enum cu_status node_kernel(cudaGraphNode_t n, const struct cu_launch *l, const void *f);        /* keeps copies of the parameters */
enum cu_status graph_order(cudaGraphNode_t **order, uint32_t *n, cudaGraph_t g, struct arena *a);       /* INVALID_VALUE: a cycle */
cudaGraph_t graph_clone(cudaGraph_t g);                          /* node->source says of which */
void graph_free(cudaGraph_t g);
enum cudaGraphNodeType node_type(const struct CUgraphNode_st *n);

/* Memory that a graph allocates is there from the node's making until the graph and all that was made of it are gone. */
enum cu_status graph_memory(uint64_t *addr, uint64_t bytes);

struct cudaMemcpy3DParms copy_params(const struct op *o);

#endif
