/* Work on streams, and graphs of it: one mechanism below the runtime and the driver interface, which translate their
 * parameters into ops and back. A call makes an op, which is done at once or, if its stream is being captured, becomes
 * a node of a graph. Graphs, nodes and so on are NVIDIA's handles, so that one interface may be given what the other
 * made. Every function takes the one lock of graphs; INVALID_VALUE: there is no such graph, node, ... */
#ifndef REGLOOM_CUDA_WORK_H
#define REGLOOM_CUDA_WORK_H

#include "runtime-model/cuda/core/core.h"

#pragma GCC visibility push(default)

struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
struct CUuserObject_st;
struct condition;

enum op_kind {
	OP_EMPTY,
	OP_KERNEL,
	OP_COPY,
	OP_FILL,
	OP_HOST,
	OP_RECORD,
	OP_WAIT,
	OP_ALLOC,
	OP_FREE,
	OP_GRAPH,
	OP_CONDITIONAL
};
/* CUDA's numbers */
enum conditional_kind { CONDITIONAL_IF, CONDITIONAL_WHILE, CONDITIONAL_SWITCH };
struct op {
	enum op_kind kind;
	int priority; /* of a kernel's node, remembered */
	bool move;    /* OP_GRAPH: the node takes the graph, instead of a copy */
	union {
		struct cu_launch launch;
		struct {
			struct cu_side to, from;
			struct cu_box box;
			enum cu_way way;
		} copy;
		struct {
			uint64_t addr, pitch, rows;
			uint32_t value;
			unsigned element;
			struct cu_box box;
		} fill;
		struct {
			void (*f)(void *);
			void *data;
		} host;
		struct cu_event *event;
		/* release: what OP_FREE does, but to a graph's memory */
		struct {
			uint64_t addr, bytes;
			enum cu_status (*release)(uint64_t addr);
		} memory;
		struct CUgraph_st *graph;
		struct {
			uint64_t handle;
			int kind; /* enum conditional_kind */
			uint32_t n;
			const void *context;      /* NULL: any */
			struct CUgraph_st **body; /* n of them, which making the node makes */
			struct condition *on;     /* likewise */
		} conditional;
	};
};
enum cu_status cu_op_issue(const struct op *o, struct cu_stream *s);
enum cu_status cu_op_run(const struct op *o, struct cu_stream *s); /* never a node */

/* ---- capture (capture.c): modes and states have CUDA's numbers ---- */
enum { CAPTURE_GLOBAL, CAPTURE_THREAD, CAPTURE_RELAXED };
enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };
/* taken: s is being captured, and o is a node now, or that failed */
enum cu_status cu_capture_op(struct op *o, struct cu_stream *s, bool *taken);
/* STREAM_CAPTURE_UNSUPPORTED: s is being captured and what would wait for it cannot be; ends the capture */
enum cu_status cu_capture_refuses(struct cu_stream *s);
/* what waits for everything, while a capture that forbids it goes on */
enum cu_status cu_capture_refuses_all(void);
void cu_capture_forget(struct cu_stream *s); /* NULL: of all */
/* g NULL: a new graph */
enum cu_status cu_capture_begin(struct cu_stream *s, int mode, struct CUgraph_st *g,
				struct CUgraphNode_st *const before[], size_t n);
enum cu_status cu_capture_end(struct cu_stream *s, struct CUgraph_st **g); /* may be NULL of a graph that was given */
/* What is asked for, which is not NULL, but for *state only if the stream captures; *data: of the edges, 8 bytes each,
 * up to 64 of them, else CU_LOSSY_QUERY */
enum cu_status cu_capture_ask(struct cu_stream *s, int *state, unsigned long long *id, struct CUgraph_st **g,
			      struct CUgraphNode_st *const **before, const void **data, size_t *n);
/* set: instead of what the next node depended on */
enum cu_status cu_capture_depend(struct cu_stream *s, struct CUgraphNode_st *const node[], size_t n, bool set);
enum cu_status cu_capture_mode(int *mode); /* the thread's, exchanged */

/* ---- conditions of graphs (condition.c) ---- */
/* assigned: the graph's launch gives it that value. context: NULL, or that of the node which goes by it. */
enum cu_status cu_condition_create(uint64_t *handle, struct CUgraph_st *g, const void *context, uint32_t value,
				   bool assigned);

/* ---- graphs (graph.c) ---- */
enum cu_status cu_graph_create(struct CUgraph_st **g);
enum cu_status cu_graph_destroy(struct CUgraph_st *g); /* not one that a node or an executable graph owns */
enum cu_status cu_graph_copy(struct CUgraph_st **copy, struct CUgraph_st *g);
/* what became of n */
enum cu_status cu_graph_find(struct CUgraphNode_st **out, struct CUgraphNode_st *n, struct CUgraph_st *copy);
/* Lists: *n is how many there are if out is NULL, else room for so many, and how many it became; room beyond is
 * zeroed. */
enum cu_status cu_graph_nodes(struct CUgraph_st *g, struct CUgraphNode_st **out, size_t *n, bool roots);
enum cu_status cu_graph_edges(struct CUgraph_st *g, struct CUgraphNode_st **from, struct CUgraphNode_st **to,
			      size_t *n);
enum cu_status cu_node_neighbours(struct CUgraphNode_st *x, struct CUgraphNode_st **out, size_t *n, bool after);
enum cu_status cu_graph_change(struct CUgraph_st *g, struct CUgraphNode_st *const from[],
			       struct CUgraphNode_st *const to[], size_t n, bool add);
enum cu_status cu_graph_print(struct CUgraph_st *g, const char *path); /* for dot */
/* f: a kernel's function as the interface names it. A kernel's parameters are copied; OP_ALLOC has its memory from now
 * on, whose address is put into o, as the bodies of OP_CONDITIONAL are. */
enum cu_status cu_node_add(struct CUgraphNode_st **out, struct CUgraph_st *g, struct CUgraphNode_st *const before[],
			   size_t n, struct op *o, const void *f);
/* Of a node, or of what an executable graph (or NULL) made of it. Of the same kind; a kernel stays cooperative, if it
 * is. */
enum cu_status cu_node_set(struct CUgraphExec_st *e, struct CUgraphNode_st *n, const struct op *o, const void *f);
/* a kernel's: cooperative, cluster, priority */
enum cu_status cu_node_attributes(struct CUgraphNode_st *n, const struct op *o);
/* f may be NULL; pointers into the node */
enum cu_status cu_node_get(struct CUgraphNode_st *n, struct op *o, const void **f);
enum cu_status cu_node_destroy(struct CUgraphNode_st *n);
enum cu_status cu_node_enable(struct CUgraphExec_st *e, struct CUgraphNode_st *n, bool on);
enum cu_status cu_node_enabled(struct CUgraphExec_st *e, struct CUgraphNode_st *n, bool *on);
/* Memory that a graph allocates is there from the node's making until the graph and all that was made of it are
 * gone. */
void cu_graph_memory(uint64_t *now, uint64_t *high, bool mark); /* bytes; mark: high begins anew */
void cu_graph_memory_forget(void);                              /* the device was reset */

/* ---- what graphs hold for the program (graph.c) ---- */
enum cu_status cu_object_create(struct CUuserObject_st **out, void *data, void (*destroy)(void *), unsigned count);
enum cu_status cu_object_retain(struct CUuserObject_st *o, unsigned count);
enum cu_status cu_object_release(struct CUuserObject_st *o, unsigned count);
enum cu_status cu_graph_retain(struct CUgraph_st *g, struct CUuserObject_st *o, unsigned count, bool move);
enum cu_status cu_graph_release(struct CUgraph_st *g, struct CUuserObject_st *o, unsigned count);

/* ---- executable graphs (exec.c) ---- */
enum { EXEC_AUTO_FREE = 1, EXEC_UPLOAD = 2, EXEC_DEVICE = 4, EXEC_PRIORITY = 8 };
/* CUDA's numbers */
enum { INSTANTIATE_OK, INSTANTIATE_ERROR, INSTANTIATE_STRUCTURE, INSTANTIATE_HANDLE_UNUSED = 5 };
enum { UPDATE_OK, UPDATE_ERROR, UPDATE_TOPOLOGY, UPDATE_KIND, UPDATE_PARAMETERS = 5, UPDATE_NOT_SUPPORTED };
/* why: INSTANTIATE_*, at: the node that is to blame, or NULL; both may be NULL */
enum cu_status cu_exec_create(struct CUgraphExec_st **out, struct CUgraph_st *g, unsigned long long flags, int *why,
			      struct CUgraphNode_st **at);
enum cu_status cu_exec_destroy(struct CUgraphExec_st *e);
/* flags may be NULL: is it one? */
enum cu_status cu_exec_flags(struct CUgraphExec_st *e, unsigned long long *flags);
enum cu_status cu_exec_update(struct CUgraphExec_st *e, struct CUgraph_st *g, int *result, struct CUgraphNode_st **node,
			      struct CUgraphNode_st **from);
/* Nodes one after the other, in an order that edges and the order of making give, all on s. */
enum cu_status cu_exec_launch(struct CUgraphExec_st *e, struct cu_stream *s);

#pragma GCC visibility pop

#endif
