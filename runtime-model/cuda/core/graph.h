/* Graphs, inside: nodes of ops with edges; captured from streams (capture.c), made node by node (graph.c), launched
 * (exec.c). */
#ifndef REGLOOM_CUDA_GRAPH_H
#define REGLOOM_CUDA_GRAPH_H

#include "analyzer/base/arena.h"
#include "runtime-model/cuda/core/shared.h"
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
	bool live, owned;          /* owned: by a node or an executable graph */
	struct CUgraph_st *source; /* cloned from, if that is there */
	struct CUgraph_st *in;     /* that of the node which owns it; NULL: none does */
	struct CUgraphNode_st **node;
	uint32_t nnode, node_cap; /* in the order of making; dead ones among them */
	struct held *held;
	uint32_t nheld, held_cap;
};
/* What a conditional node goes by. Kernels set it where a launch holds the process, so without the lock of graphs. */
struct condition {
	struct condition *next;
	_Atomic uint64_t handle; /* 0: it is none */
	_Atomic uint32_t value;
	_Atomic bool set; /* since its graph was launched */
	uint32_t initial;
	bool assigned;               /* the launch sets that */
	const void *context;         /* NULL: any */
	struct CUgraph_st *graph;    /* that it was made for; NULL: that is gone */
	struct CUgraphNode_st *node; /* of that, or of a graph inside it; NULL: none yet */
	uint32_t nodes;              /* with those of executable graphs */
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
struct CUgraph_st *graph_clone(struct CUgraph_st *g);                               /* node->source says of which */
struct CUgraph_st *graph_clone_for(struct CUgraphNode_st *n, struct CUgraph_st *g); /* which n owns */
/* those that a node owns: its child, its bodies */
struct CUgraph_st **node_graphs(struct CUgraphNode_st *n, uint32_t *count);
bool graph_inside(const struct CUgraph_st *g, const struct CUgraph_st *of); /* or it is the same */
bool graph_conditional(struct CUgraph_st *g); /* it has a conditional node, or one inside has */
void graph_free(struct CUgraph_st *g);
enum cu_status graph_memory(uint64_t *addr, uint64_t bytes);
bool graph_owns(uint64_t addr);
/* ---- condition.c ---- */
enum cu_status conditional_make(struct CUgraphNode_st *n, struct op *o);
void conditional_clone(struct CUgraphNode_st *n, const struct CUgraphNode_st *from);
void conditional_join(struct CUgraphNode_st *n, struct condition *on); /* n goes by that from now on */
void conditional_leave(struct CUgraphNode_st *n);
void conditions_leave(struct CUgraph_st *g);      /* those that were made for it */
bool conditions_used(const struct CUgraph_st *g); /* each has a node */
/* Whether conditional nodes have bodies that they may have; *at: the node that they may not have. */
bool conditional_bodies(struct CUgraph_st *g, struct CUgraphNode_st **at);
void conditions_begin(struct CUgraph_st *g); /* it is launched */
uint32_t condition_value(struct condition *c);
/* INVALID_VALUE, after a line that says why */
enum cu_status graph_refuse(const char *why);

#endif
