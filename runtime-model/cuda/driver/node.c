/* Nodes of graphs: what each kind does, made, set and asked (../core/node.c). */
#include "runtime-model/cuda/core/pool.h"
#include "runtime-model/cuda/driver/driver.h"

#include <string.h>

enum node {
	NODE_KERNEL,
	NODE_COPY,
	NODE_FILL,
	NODE_HOST,
	NODE_GRAPH,
	NODE_EMPTY,
	NODE_WAIT,
	NODE_RECORD,
	NODE_SIGNAL,
	NODE_AWAIT,
	NODE_ALLOC,
	NODE_FREE,
	NODE_BATCH,
	NODE_CONDITIONAL
};
struct kernel_params {
	CUfunction f;
	unsigned grid[3], block[3], dynamic_shared;
	void **param, **extra;
};
struct kernel_params2 {
	CUfunction f;
	unsigned grid[3], block[3], dynamic_shared;
	void **param, **extra;
	CUfunction kernel;
	CUcontext c;
};
struct fill_params {
	CUdeviceptr addr;
	size_t pitch;
	unsigned value, element;
	size_t width, height;
};
struct host_params {
	void (*f)(void *);
	void *data;
};
struct alloc_params {
	struct cu_pool_props pool;
	const void *access;
	size_t naccess, bytes;
	CUdeviceptr addr;
};
struct conditional_params {
	uint64_t handle;
	int kind;
	unsigned n;
	CUgraph *body;
	CUcontext c;
};
struct node_params {
	int type, reserved[3];
	union {
		long long room[29];
		struct kernel_params2 kernel;
		struct {
			int flags, reserved;
			CUcontext c;
			struct box3 box;
		} copy;
		struct fill_params fill;
		struct host_params host;
		struct {
			CUgraph graph;
			int ownership;
		} child;
		struct {
			CUevent e;
		} event;
		struct alloc_params alloc;
		struct {
			CUdeviceptr addr;
		} release;
		struct conditional_params conditional;
	};
	long long reserved2;
};
_Static_assert(sizeof(struct kernel_params) == 56 && sizeof(struct kernel_params2) == 72 &&
		       sizeof(struct fill_params) == 40 && sizeof(struct alloc_params) == 120 &&
		       sizeof(struct conditional_params) == 32 && sizeof(struct node_params) == 256,
	       "as CUDA's");

/* ---- parameters to ops ---- */
static CUresult op_kernel(struct op *o, const struct kernel_params *p, CUfunction f)
{
	*o = (struct op){ .kind = OP_KERNEL, .launch = { .f = f, .dynamic_shared = p->dynamic_shared } };
	memcpy(o->launch.grid, p->grid, sizeof p->grid);
	memcpy(o->launch.block, p->block, sizeof p->block);
	for (unsigned i = 0; i < 3; i++)
		if (!p->grid[i] || !p->block[i])
			return CU_INVALID_VALUE;
	return read_launch(&o->launch, p->param, p->extra);
}

static CUresult op_fill(struct op *o, const struct fill_params *p)
{
	*o = (struct op){
		.kind = OP_FILL,
		.fill = { p->addr, p->pitch, p->height, p->value, p->element, { p->width * p->element, p->height, 1 } }
	};
	return p->addr && (p->element == 1 || p->element == 2 || p->element == 4) && p->width && p->height &&
			       (p->height == 1 || p->pitch >= p->width * p->element)
		       ? CU_OK
		       : CU_INVALID_VALUE;
}

/* ---- making ---- */
#define PLACE CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t nbefore
#define AT out, g, before, nbefore
static CUresult add(PLACE, CUresult s, struct op *o)
{
	STARTED();
	if (!s)
		s = out ? told(cu_sticky()) : CU_INVALID_VALUE;
	if (s)
		return s;
	return told(cu_node_add(AT, o, o->kind == OP_KERNEL ? o->launch.f : NULL));
}

static CUresult add_kernel(PLACE, const struct kernel_params *p, CUfunction f)
{
	struct op o;

	return p ? add(AT, op_kernel(&o, p, f), &o) : CU_INVALID_VALUE;
}

API(cuGraphAddKernelNode, PLACE, const struct kernel_params *p)
{
	return p ? add_kernel(AT, p, p->f) : CU_INVALID_VALUE;
}
API(cuGraphAddKernelNode_v2, PLACE, const struct kernel_params2 *p)
{
	if (!p)
		return CU_INVALID_VALUE;
	return add_kernel(AT, (const struct kernel_params *)p, p->f ? p->f : p->kernel);
}

API(cuGraphAddMemcpyNode, PLACE, const struct box3 *b, CUcontext c)
{
	struct op o;

	(void)c;
	return b ? add(AT, box_op(&o, b), &o) : CU_INVALID_VALUE;
}

API(cuGraphAddMemsetNode, PLACE, const struct fill_params *p, CUcontext c)
{
	struct op o;

	(void)c;
	return p ? add(AT, op_fill(&o, p), &o) : CU_INVALID_VALUE;
}

API(cuGraphAddHostNode, PLACE, const struct host_params *p)
{
	return p ? add(AT, CU_OK, &(struct op){ .kind = OP_HOST, .host = { p->f, p->data } }) : CU_INVALID_VALUE;
}

API(cuGraphAddEmptyNode, PLACE) { return add(AT, CU_OK, &(struct op){ .kind = OP_EMPTY }); }
API(cuGraphAddEventRecordNode, PLACE, CUevent e)
{
	return add(AT, CU_OK, &(struct op){ .kind = OP_RECORD, .event = e });
}
API(cuGraphAddEventWaitNode, PLACE, CUevent e) { return add(AT, CU_OK, &(struct op){ .kind = OP_WAIT, .event = e }); }
API(cuGraphAddChildGraphNode, PLACE, CUgraph child)
{
	return add(AT, CU_OK, &(struct op){ .kind = OP_GRAPH, .graph = child });
}

API(cuGraphAddMemAllocNode, PLACE, struct alloc_params *p)
{
	struct op o = { .kind = OP_ALLOC };
	CUresult s;

	if (!p || !p->bytes || p->pool.kind != 1 || p->pool.at.kind != 1 || p->pool.at.id)
		return CU_INVALID_VALUE;
	o.memory.bytes = p->bytes;
	s = add(AT, CU_OK, &o);
	if (!s)
		p->addr = o.memory.addr;
	return s;
}

API(cuGraphAddMemFreeNode, PLACE, CUdeviceptr addr)
{
	return addr ? add(AT, CU_OK,
			  &(struct op){ .kind = OP_FREE, .memory = { .addr = addr, .release = memory_release } })
		    : CU_INVALID_VALUE;
}

API(cuGraphConditionalHandleCreate, uint64_t *handle, CUgraph g, CUcontext c, unsigned value, unsigned flags)
{
	READY();
	if (!handle || flags & ~1u || (c && !context_alive(c)))
		return CU_INVALID_VALUE;
	return told(cu_condition_create(handle, g, c ? c : context_now(), value, flags));
}

static CUresult add_conditional(PLACE, struct conditional_params *p)
{
	struct op o = { .kind = OP_CONDITIONAL,
			.conditional = { .handle = p->handle,
					 .kind = p->kind,
					 .n = p->n,
					 .context = p->c ? p->c : context_now() } };
	CUresult s = add(AT, CU_OK, &o);

	if (!s)
		p->body = o.conditional.body;
	return s;
}

/* ---- one function for all kinds ---- */
static CUresult unknown(int type)
{
	if (type != NODE_SIGNAL && type != NODE_AWAIT && type != NODE_BATCH)
		return CU_INVALID_VALUE;
	cu_missing(type == NODE_BATCH ? "nodes of memory operations" : "semaphore nodes of graphs");
	return CU_NOT_SUPPORTED;
}

static CUresult op_of(struct op *o, const struct node_params *p)
{
	switch (p->type) {
	case NODE_KERNEL:
		return op_kernel(o, (const struct kernel_params *)&p->kernel,
				 p->kernel.f ? p->kernel.f : p->kernel.kernel);
	case NODE_COPY:
		return p->copy.flags ? CU_INVALID_VALUE : box_op(o, &p->copy.box);
	case NODE_FILL:
		return op_fill(o, &p->fill);
	case NODE_HOST:
		*o = (struct op){ .kind = OP_HOST, .host = { p->host.f, p->host.data } };
		return CU_OK;
	case NODE_GRAPH:
		*o = (struct op){ .kind = OP_GRAPH, .graph = p->child.graph, .move = p->child.ownership == 1 };
		return CU_OK;
	case NODE_EMPTY:
		*o = (struct op){ .kind = OP_EMPTY };
		return CU_OK;
	case NODE_WAIT:
		*o = (struct op){ .kind = OP_WAIT, .event = p->event.e };
		return CU_OK;
	case NODE_RECORD:
		*o = (struct op){ .kind = OP_RECORD, .event = p->event.e };
		return CU_OK;
	case NODE_CONDITIONAL: /* to be set, which it cannot be */
		*o = (struct op){ .kind = OP_CONDITIONAL };
		return CU_OK;
	default:
		return unknown(p->type);
	}
}

API(cuGraphAddNode, PLACE, struct node_params *p)
{
	struct op o;

	if (!p)
		return CU_INVALID_VALUE;
	if (p->type == NODE_ALLOC)
		return cuGraphAddMemAllocNode(AT, &p->alloc);
	if (p->type == NODE_FREE)
		return cuGraphAddMemFreeNode(AT, p->release.addr);
	if (p->type == NODE_CONDITIONAL)
		return add_conditional(AT, &p->conditional);
	return add(AT, op_of(&o, p), &o);
}

API(cuGraphAddNode_v2, CUgraphNode *out, CUgraph g, const CUgraphNode *before, const struct edge *data, size_t nbefore,
    struct node_params *p)
{
	for (size_t i = 0; data && i < nbefore; i++)
		if (data[i].from_port || data[i].to_port || data[i].type)
			return CU_NOT_SUPPORTED;
	return cuGraphAddNode(AT, p);
}

/* ---- setting: of a graph's node, or of what an executable graph made of it ---- */
static CUresult set(CUgraphExec e, CUgraphNode n, CUresult s, const struct op *o)
{
	STARTED();
	if (s)
		return s;
	return told(cu_node_set(e, n, o, o->kind == OP_KERNEL ? o->launch.f : NULL));
}

static CUresult set_kernel(CUgraphExec e, CUgraphNode n, const struct kernel_params *p, CUfunction f)
{
	struct op o;

	return set(e, n, op_kernel(&o, p, f), &o);
}

API(cuGraphKernelNodeSetParams, CUgraphNode n, const struct kernel_params *p)
{
	return p ? set_kernel(NULL, n, p, p->f) : CU_INVALID_VALUE;
}
API(cuGraphKernelNodeSetParams_v2, CUgraphNode n, const struct kernel_params2 *p)
{
	if (!p)
		return CU_INVALID_VALUE;
	return set_kernel(NULL, n, (const struct kernel_params *)p, p->f ? p->f : p->kernel);
}
API(cuGraphExecKernelNodeSetParams, CUgraphExec e, CUgraphNode n, const struct kernel_params *p)
{
	return e && p ? set_kernel(e, n, p, p->f) : CU_INVALID_VALUE;
}
API(cuGraphExecKernelNodeSetParams_v2, CUgraphExec e, CUgraphNode n, const struct kernel_params2 *p)
{
	if (!e || !p)
		return CU_INVALID_VALUE;
	return set_kernel(e, n, (const struct kernel_params *)p, p->f ? p->f : p->kernel);
}

static CUresult set_copy(CUgraphExec e, CUgraphNode n, const struct box3 *b)
{
	struct op o;

	return b ? set(e, n, box_op(&o, b), &o) : CU_INVALID_VALUE;
}

static CUresult set_fill(CUgraphExec e, CUgraphNode n, const struct fill_params *p)
{
	struct op o;

	return p ? set(e, n, op_fill(&o, p), &o) : CU_INVALID_VALUE;
}

static CUresult set_host(CUgraphExec e, CUgraphNode n, const struct host_params *p)
{
	return p ? set(e, n, CU_OK, &(struct op){ .kind = OP_HOST, .host = { p->f, p->data } }) : CU_INVALID_VALUE;
}

API(cuGraphMemcpyNodeSetParams, CUgraphNode n, const struct box3 *b) { return set_copy(NULL, n, b); }
API(cuGraphExecMemcpyNodeSetParams, CUgraphExec e, CUgraphNode n, const struct box3 *b, CUcontext c)
{
	(void)c;
	return e ? set_copy(e, n, b) : CU_INVALID_VALUE;
}
API(cuGraphMemsetNodeSetParams, CUgraphNode n, const struct fill_params *p) { return set_fill(NULL, n, p); }
API(cuGraphExecMemsetNodeSetParams, CUgraphExec e, CUgraphNode n, const struct fill_params *p, CUcontext c)
{
	(void)c;
	return e ? set_fill(e, n, p) : CU_INVALID_VALUE;
}
API(cuGraphHostNodeSetParams, CUgraphNode n, const struct host_params *p) { return set_host(NULL, n, p); }
API(cuGraphExecHostNodeSetParams, CUgraphExec e, CUgraphNode n, const struct host_params *p)
{
	return e ? set_host(e, n, p) : CU_INVALID_VALUE;
}
API(cuGraphEventRecordNodeSetEvent, CUgraphNode n, CUevent e)
{
	return set(NULL, n, CU_OK, &(struct op){ .kind = OP_RECORD, .event = e });
}
API(cuGraphEventWaitNodeSetEvent, CUgraphNode n, CUevent e)
{
	return set(NULL, n, CU_OK, &(struct op){ .kind = OP_WAIT, .event = e });
}
API(cuGraphExecEventRecordNodeSetEvent, CUgraphExec x, CUgraphNode n, CUevent e)
{
	return x ? set(x, n, CU_OK, &(struct op){ .kind = OP_RECORD, .event = e }) : CU_INVALID_VALUE;
}
API(cuGraphExecEventWaitNodeSetEvent, CUgraphExec x, CUgraphNode n, CUevent e)
{
	return x ? set(x, n, CU_OK, &(struct op){ .kind = OP_WAIT, .event = e }) : CU_INVALID_VALUE;
}
API(cuGraphExecChildGraphNodeSetParams, CUgraphExec e, CUgraphNode n, CUgraph child)
{
	return e ? set(e, n, CU_OK, &(struct op){ .kind = OP_GRAPH, .graph = child }) : CU_INVALID_VALUE;
}

API(cuGraphNodeSetParams, CUgraphNode n, struct node_params *p)
{
	struct op o;

	return p ? set(NULL, n, op_of(&o, p), &o) : CU_INVALID_VALUE;
}

API(cuGraphExecNodeSetParams, CUgraphExec e, CUgraphNode n, struct node_params *p)
{
	struct op o;

	return e && p ? set(e, n, op_of(&o, p), &o) : CU_INVALID_VALUE;
}

API(cuGraphNodeSetEnabled, CUgraphExec e, CUgraphNode n, unsigned on)
{
	STARTED();
	return told(cu_node_enable(e, n, on));
}

API(cuGraphNodeGetEnabled, CUgraphExec e, CUgraphNode n, unsigned *on)
{
	bool yes = false;
	CUresult s;

	STARTED();
	s = on ? told(cu_node_enabled(e, n, &yes)) : CU_INVALID_VALUE;
	if (!s)
		*on = yes;
	return s;
}

/* ---- asking ---- */
static CUresult get(struct op *o, CUgraphNode n, enum op_kind kind)
{
	CUresult s;

	STARTED();
	s = told(cu_node_get(n, o, NULL));
	if (s)
		return s;
	return o->kind == kind ? CU_OK : CU_INVALID_VALUE;
}

API(cuGraphNodeGetType, CUgraphNode n, int *type)
{
	static const int of[] = { [OP_EMPTY] = NODE_EMPTY,
				  [OP_KERNEL] = NODE_KERNEL,
				  [OP_COPY] = NODE_COPY,
				  [OP_FILL] = NODE_FILL,
				  [OP_HOST] = NODE_HOST,
				  [OP_RECORD] = NODE_RECORD,
				  [OP_WAIT] = NODE_WAIT,
				  [OP_ALLOC] = NODE_ALLOC,
				  [OP_FREE] = NODE_FREE,
				  [OP_GRAPH] = NODE_GRAPH,
				  [OP_CONDITIONAL] = NODE_CONDITIONAL };
	struct op o;
	CUresult s;

	STARTED();
	s = type ? told(cu_node_get(n, &o, NULL)) : CU_INVALID_VALUE;
	if (!s)
		*type = of[o.kind];
	return s;
}

#define GETTER(name, kind, type, value)                                 \
	API(name, CUgraphNode n, type *out)                             \
	{                                                               \
		struct op o;                                            \
		CUresult s = out ? get(&o, n, kind) : CU_INVALID_VALUE; \
                                                                        \
		if (!s)                                                 \
			*out = value;                                   \
		return s;                                               \
	}
#define SHAPE_OF(l)                                                                                    \
	{ (l)->grid[0], (l)->grid[1], (l)->grid[2] }, { (l)->block[0], (l)->block[1], (l)->block[2] }, \
		(unsigned)(l)->dynamic_shared, (l)->param, NULL
GETTER(cuGraphKernelNodeGetParams, OP_KERNEL, struct kernel_params,
       ((struct kernel_params){ o.launch.f, SHAPE_OF(&o.launch) }))
GETTER(cuGraphKernelNodeGetParams_v2, OP_KERNEL, struct kernel_params2,
       ((struct kernel_params2){ o.launch.f, SHAPE_OF(&o.launch), NULL, context_now() }))
GETTER(cuGraphMemcpyNodeGetParams, OP_COPY, struct box3, op_box(&o))
GETTER(cuGraphMemsetNodeGetParams, OP_FILL, struct fill_params,
       ((struct fill_params){ o.fill.addr, o.fill.pitch, o.fill.value, o.fill.element,
			      o.fill.box.width / o.fill.element, o.fill.box.height }))
GETTER(cuGraphHostNodeGetParams, OP_HOST, struct host_params, ((struct host_params){ o.host.f, o.host.data }))
GETTER(cuGraphEventRecordNodeGetEvent, OP_RECORD, CUevent, o.event)
GETTER(cuGraphEventWaitNodeGetEvent, OP_WAIT, CUevent, o.event)
GETTER(cuGraphChildGraphNodeGetGraph, OP_GRAPH, CUgraph, o.graph)
GETTER(cuGraphMemAllocNodeGetParams, OP_ALLOC, struct alloc_params,
       ((struct alloc_params){ .pool = { .kind = 1, .at = { 1, 0 } }, .bytes = o.memory.bytes, .addr = o.memory.addr }))
GETTER(cuGraphMemFreeNodeGetParams, OP_FREE, CUdeviceptr, o.memory.addr)

/* ---- attributes of kernels' nodes, by CUDA's numbers: 2 cooperative, 4 the cluster, 8 the priority, which is
 * remembered ---- */
union attribute {
	char room[64];
	int cooperative, priority;
	unsigned cluster[3];
};

API(cuGraphKernelNodeSetAttribute, CUgraphNode n, int id, const union attribute *v)
{
	struct op o;
	CUresult s = v ? get(&o, n, OP_KERNEL) : CU_INVALID_VALUE;

	if (s)
		return s;
	switch (id) {
	case 2:
		o.launch.cooperative = v->cooperative != 0;
		break;
	case 4:
		memcpy(o.launch.cluster, v->cluster, sizeof v->cluster);
		break;
	case 8:
		o.priority = v->priority;
		break;
	case 1:
	case 3:
	case 9:
	case 10:
	case 14:
		return CU_OK; /* hints */
	default:
		return CU_INVALID_VALUE;
	}
	return told(cu_node_attributes(n, &o));
}

API(cuGraphKernelNodeGetAttribute, CUgraphNode n, int id, union attribute *v)
{
	struct op o;
	CUresult s = v ? get(&o, n, OP_KERNEL) : CU_INVALID_VALUE;

	if (s)
		return s;
	memset(v, 0, sizeof *v);
	switch (id) {
	case 2:
		v->cooperative = o.launch.cooperative;
		return CU_OK;
	case 4:
		memcpy(v->cluster, o.launch.cluster, sizeof v->cluster);
		return CU_OK;
	case 8:
		v->priority = o.priority;
		return CU_OK;
	default:
		return CU_INVALID_VALUE;
	}
}

API(cuGraphKernelNodeCopyAttributes, CUgraphNode to, CUgraphNode from)
{
	struct op o;
	CUresult s = get(&o, from, OP_KERNEL);

	return s ? s : told(cu_node_attributes(to, &o));
}
