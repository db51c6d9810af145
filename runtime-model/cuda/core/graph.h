/* Graphs, inside: nodes of ops with edges; captured from streams (capture.c), made node by node (graph.c), launched
 * (exec.c). */
#ifndef REGLOOM_CUDA_GRAPH_H
#define REGLOOM_CUDA_GRAPH_H

#include "analyzer/base/arena.h"
#include "runtime-model/cuda/core/work.h"

#include <pthread.h>

struct CUgraphNode_st {
	struct CUgraph_st *graph;
	struct op op;  /* parameters of a kernel: copies in the graph's arena */
	const void *f; /* a kernel node's function, as it was given */
	struct CUgraphNode_st **before;
	uint32_t nbefore, before_cap; /* what it depends on */
	/* in a clone or an executable graph: the node it was made of; else NULL */
	struct CUgraphNode_st *source;
	bool disabled, dead;
	uint32_t mark; /* while nodes are put in order */
};
/* count 0: gone */
struct CUuserObject_st {
	void *data;
	void (*destroy)(void *);
	uint32_t count;
};
struct held {
	struct CUuserObject_st *object;
	uint32_t count;
};
struct CUgraph_st {
	struct CUgraph_st *next;
	struct arena a;
	bool live, owned;          /* owned: by a child graph's node or an executable graph */
	struct CUgraph_st *source; /* cloned from */
	struct CUgraphNode_st **node;
	uint32_t nnode, node_cap; /* in the order of making; dead ones among them */
	struct held *held;
	uint32_t nheld, held_cap;
};
struct CUgraphExec_st {
	struct CUgraphExec_st *next;
	bool live;
	struct CUgraph_st *graph; /* a clone of its own */
	struct CUgraphNode_st **order;
	uint32_t norder;
	unsigned long long flags;
};

/* The lock of graphs, and an arena for what lives as long as the process. */
struct works {
	pthread_mutex_t lock;
	struct arena a;
};
extern struct works works;
#define LOCKED(...)                                \
	do {                                       \
		pthread_mutex_lock(&works.lock);   \
		__VA_ARGS__;                       \
		pthread_mutex_unlock(&works.lock); \
	} while (0)

/* All of these with the lock held, but graph_free(). */
struct CUgraph_st *graph_make(void);
struct CUgraph_st *graphs_first(void);
bool graph_live(const struct CUgraph_st *g);
bool node_live(const struct CUgraphNode_st *n);
bool exec_live(const struct CUgraphExec_st *e);
struct CUgraphNode_st *graph_add(struct CUgraph_st *g, enum op_kind kind);
void node_depend(struct CUgraphNode_st *n, struct CUgraphNode_st *on); /* once */
/* keeps copies of the parameters */
enum cu_status node_kernel(struct CUgraphNode_st *n, const struct op *o, const void *f);
/* INVALID_VALUE: a cycle */
enum cu_status graph_order(struct CUgraphNode_st ***order, uint32_t *n, struct CUgraph_st *g, struct arena *a);
struct CUgraph_st *graph_clone(struct CUgraph_st *g); /* node->source says of which */
void graph_free(struct CUgraph_st *g);
enum cu_status graph_memory(uint64_t *addr, uint64_t bytes);
bool graph_owns(uint64_t addr);

#endif
