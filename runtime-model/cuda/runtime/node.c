/* Nodes: what each kind does, asked and set: NVIDIA's interface to ../core/node.c. */
#include "runtime-model/cuda/runtime/rt.h"

#include <string.h>

/* ---- parameters to ops and back ---- */
static enum cu_status op_line(struct op *o, void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	const struct cudaMemcpy3DParms p = { .srcPtr = { (void *)(uintptr_t)from, n, n, 1 },
					     .dstPtr = { to, n, n, 1 },
					     .extent = { n, 1, 1 },
					     .kind = kind };

	return op_copy3d(o, &p);
}

static struct cudaMemcpy3DParms copy_params(const struct op *o)
{
	struct cudaMemcpy3DParms p = { .kind = (enum cudaMemcpyKind)o->copy.way };
	uint64_t element = 1;

	for (int i = 0; i < 2; i++) {
		const struct cu_side *s = i ? &o->copy.to : &o->copy.from;
		const unsigned e = s->array ? array_element(s->array) : 1;
		const struct cudaPos at = { s->x / (e ? e : 1), s->y, s->z };
		const struct cudaPitchedPtr ptr = { s->array ? NULL : (void *)(uintptr_t)s->addr,
						    s->pitch ? s->pitch : o->copy.box.width, o->copy.box.width,
						    s->rows ? s->rows : 1 };

		if (s->array && e)
			element = e;
		if (i) {
			p.dstArray = (cudaArray_t)s->array;
			p.dstPos = at;
			p.dstPtr = s->array ? (struct cudaPitchedPtr){ 0 } : ptr;
		} else {
			p.srcArray = (cudaArray_t)s->array;
			p.srcPos = at;
			p.srcPtr = s->array ? (struct cudaPitchedPtr){ 0 } : ptr;
		}
	}
	p.extent = (struct cudaExtent){ o->copy.box.width / element, o->copy.box.height, o->copy.box.depth };
	return p;
}

static enum cu_status op_memset(struct op *o, const struct cudaMemsetParams *p)
{
	if (!p || !p->dst || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) || !p->width ||
	    !p->height)
		return CU_INVALID_VALUE;
	if (p->height > 1 && p->pitch < p->width * p->elementSize)
		return CU_INVALID_VALUE;
	o->kind = OP_FILL;
	o->fill.addr = (uintptr_t)p->dst;
	o->fill.pitch = p->pitch;
	o->fill.rows = p->height;
	o->fill.value = p->value;
	o->fill.element = p->elementSize;
	o->fill.box = (struct cu_box){ p->width * p->elementSize, p->height, 1 };
	return CU_OK;
}

static struct cudaMemsetParams memset_params(const struct op *o)
{
	return (struct cudaMemsetParams){
		(void *)(uintptr_t)o->fill.addr,     o->fill.pitch,     o->fill.value, o->fill.element,
		o->fill.box.width / o->fill.element, o->fill.box.height
	};
}

static enum cu_status op_kernel(struct op *o, const struct cudaKernelNodeParams *p)
{
	enum cu_status s;

	if (p->extra || !p->gridDim.x || !p->gridDim.y || !p->gridDim.z || !p->blockDim.x || !p->blockDim.y ||
	    !p->blockDim.z)
		return CU_INVALID_VALUE;
	s = function_need(&o->launch.f, p->func);
	if (s != CU_OK)
		return s;
	o->kind = OP_KERNEL;
	memcpy(o->launch.grid, &p->gridDim, sizeof o->launch.grid);
	memcpy(o->launch.block, &p->blockDim, sizeof o->launch.block);
	o->launch.dynamic_shared = p->sharedMemBytes;
	o->launch.param = p->kernelParams;
	return CU_OK;
}

/* What a node of `type` does as `p`, that type's own parameters, says; *f: a kernel's function as it was given. */
static enum cu_status op_of(struct op *o, const void **f, enum cudaGraphNodeType type, const void *p)
{
	*o = (struct op){ 0 };
	*f = NULL;
	if (!p)
		return CU_INVALID_VALUE;
	switch (type) {
	case cudaGraphNodeTypeKernel:
		*f = ((const struct cudaKernelNodeParams *)p)->func;
		return op_kernel(o, p);
	case cudaGraphNodeTypeMemcpy:
		return op_copy3d(o, p);
	case cudaGraphNodeTypeMemset:
		return op_memset(o, p);
	case cudaGraphNodeTypeHost:
		o->kind = OP_HOST;
		o->host.f = ((const struct cudaHostNodeParams *)p)->fn;
		o->host.data = ((const struct cudaHostNodeParams *)p)->userData;
		return CU_OK;
	case cudaGraphNodeTypeWaitEvent:
	case cudaGraphNodeTypeEventRecord:
		o->kind = type == cudaGraphNodeTypeWaitEvent ? OP_WAIT : OP_RECORD;
		o->event = *(struct cu_event *const *)p;
		return CU_OK;
	case cudaGraphNodeTypeEmpty:
		return CU_OK;
	case cudaGraphNodeTypeGraph:
	case cudaGraphNodeTypeExtSemaphoreSignal:
	case cudaGraphNodeTypeExtSemaphoreWait:
	case cudaGraphNodeTypeMemAlloc:
	case cudaGraphNodeTypeMemFree:
	case cudaGraphNodeTypeConditional:
	case cudaGraphNodeTypeCount:
		break;
	}
	return CU_INVALID_VALUE;
}

/* ---- making ---- */
static cudaError_t add(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *before, size_t n,
		       enum cudaGraphNodeType type, const void *p)
{
	enum cu_status s = cu_start();
	const void *f;
	struct op o;

	if (s == CU_OK)
		s = out ? cu_sticky() : CU_INVALID_VALUE;
	if (s == CU_OK)
		s = op_of(&o, &f, type, p);
	return done(s == CU_OK ? cu_node_add(out, g, before, n, &o, f) : s);
}

#define PLACE cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *before, size_t nbefore
cudaError_t cudaGraphAddKernelNode(PLACE, const struct cudaKernelNodeParams *p)
{
	return add(out, g, before, nbefore, cudaGraphNodeTypeKernel, p);
}
cudaError_t cudaGraphAddMemcpyNode(PLACE, const struct cudaMemcpy3DParms *p)
{
	return add(out, g, before, nbefore, cudaGraphNodeTypeMemcpy, p);
}
cudaError_t cudaGraphAddMemsetNode(PLACE, const struct cudaMemsetParams *p)
{
	return add(out, g, before, nbefore, cudaGraphNodeTypeMemset, p);
}
cudaError_t cudaGraphAddHostNode(PLACE, const struct cudaHostNodeParams *p)
{
	return add(out, g, before, nbefore, cudaGraphNodeTypeHost, p);
}
cudaError_t cudaGraphAddEmptyNode(PLACE) { return add(out, g, before, nbefore, cudaGraphNodeTypeEmpty, ""); }
cudaError_t cudaGraphAddEventRecordNode(PLACE, cudaEvent_t e)
{
	return add(out, g, before, nbefore, cudaGraphNodeTypeEventRecord, &e);
}
cudaError_t cudaGraphAddEventWaitNode(PLACE, cudaEvent_t e)
{
	return add(out, g, before, nbefore, cudaGraphNodeTypeWaitEvent, &e);
}

static cudaError_t add_copy(PLACE, enum cu_status s, const struct op *o)
{
	struct cudaMemcpy3DParms p;

	if (s != CU_OK)
		return done(s);
	p = copy_params(o);
	return cudaGraphAddMemcpyNode(out, g, before, nbefore, &p);
}

cudaError_t cudaGraphAddMemcpyNode1D(PLACE, void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
	struct op o;

	return add_copy(out, g, before, nbefore, op_line(&o, to, from, n, kind), &o);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(PLACE, const void *symbol, const void *from, size_t n, size_t offset,
					   enum cudaMemcpyKind kind)
{
	struct op o;

	return add_copy(out, g, before, nbefore, op_symbol(&o, symbol, offset, from, n, kind, true), &o);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(PLACE, void *to, const void *symbol, size_t n, size_t offset,
					     enum cudaMemcpyKind kind)
{
	struct op o;

	return add_copy(out, g, before, nbefore, op_symbol(&o, symbol, offset, to, n, kind, false), &o);
}

static cudaError_t add_child(PLACE, cudaGraph_t child, bool move)
{
	FAIL_IF(!out, INVALID_VALUE);
	return done(cu_node_add(out, g, before, nbefore, &(struct op){ .kind = OP_GRAPH, .graph = child, .move = move },
				NULL));
}

cudaError_t cudaGraphAddChildGraphNode(PLACE, cudaGraph_t child)
{
	return add_child(out, g, before, nbefore, child, false);
}

cudaError_t cudaGraphAddMemAllocNode(PLACE, struct cudaMemAllocNodeParams *p)
{
	struct op o = { .kind = OP_ALLOC };
	enum cu_status s;

	FAIL_IF(!out || !p || !p->bytesize, INVALID_VALUE);
	FAIL_IF(p->poolProps.allocType != cudaMemAllocationTypePinned ||
			p->poolProps.location.type != cudaMemLocationTypeDevice || p->poolProps.location.id,
		INVALID_VALUE);
	o.memory.bytes = p->bytesize;
	s = cu_node_add(out, g, before, nbefore, &o, NULL);
	if (s == CU_OK)
		p->dptr = (void *)(uintptr_t)o.memory.addr;
	return done(s);
}

cudaError_t cudaGraphAddMemFreeNode(PLACE, void *p)
{
	FAIL_IF(!out || !p, INVALID_VALUE);
	return done(cu_node_add(
		out, g, before, nbefore,
		&(struct op){ .kind = OP_FREE, .memory = { .addr = (uintptr_t)p, .release = memory_release } }, NULL));
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t g, unsigned int value,
					     unsigned int flags)
{
	uint64_t made;
	enum cu_status s;

	FAIL_IF(!handle || flags & ~(unsigned)cudaGraphCondAssignDefault, INVALID_VALUE);
	s = cu_condition_create(&made, g, NULL, value, flags & cudaGraphCondAssignDefault);
	if (s == CU_OK)
		*handle = made;
	return done(s);
}

_Static_assert((int)cudaGraphCondTypeIf == CONDITIONAL_IF && (int)cudaGraphCondTypeWhile == CONDITIONAL_WHILE &&
		       (int)cudaGraphCondTypeSwitch == CONDITIONAL_SWITCH,
	       "the same numbers");

static cudaError_t add_conditional(PLACE, struct cudaConditionalNodeParams *p)
{
	struct op o = { .kind = OP_CONDITIONAL,
			.conditional = { .handle = p->handle, .kind = (int)p->type, .n = p->size } };
	enum cu_status s;

	FAIL_IF(!out, INVALID_VALUE);
	s = cu_node_add(out, g, before, nbefore, &o, NULL);
	if (s == CU_OK)
		p->phGraph_out = o.conditional.body;
	return done(s);
}

/* ---- one function for all kinds ---- */
static const void *kind_params(const struct cudaGraphNodeParams *p)
{
	switch (p->type) {
	case cudaGraphNodeTypeKernel:
		return &p->kernel;
	case cudaGraphNodeTypeMemcpy:
		return p->memcpy.flags ? NULL : &p->memcpy.copyParams;
	case cudaGraphNodeTypeMemset:
		return &p->memset;
	case cudaGraphNodeTypeHost:
		return &p->host;
	case cudaGraphNodeTypeWaitEvent:
		return &p->eventWait;
	case cudaGraphNodeTypeEventRecord:
		return &p->eventRecord;
	case cudaGraphNodeTypeEmpty:
		return "";
	case cudaGraphNodeTypeGraph:
	case cudaGraphNodeTypeExtSemaphoreSignal:
	case cudaGraphNodeTypeExtSemaphoreWait:
	case cudaGraphNodeTypeMemAlloc:
	case cudaGraphNodeTypeMemFree:
	case cudaGraphNodeTypeConditional:
	case cudaGraphNodeTypeCount:
		break;
	}
	return NULL;
}
_Static_assert(sizeof(struct cudaKernelNodeParams) == sizeof(struct cudaKernelNodeParamsV2) &&
		       sizeof(struct cudaMemsetParams) == sizeof(struct cudaMemsetParamsV2) &&
		       sizeof(struct cudaHostNodeParams) == sizeof(struct cudaHostNodeParamsV2) &&
		       sizeof(struct cudaMemAllocNodeParams) == sizeof(struct cudaMemAllocNodeParamsV2),
	       "alike");

static cudaError_t add_any(PLACE, const cudaGraphEdgeData *data, struct cudaGraphNodeParams *p)
{
	FAIL_IF(!p, INVALID_VALUE);
	for (size_t i = 0; data && i < nbefore; i++)
		FAIL_IF(data[i].from_port || data[i].to_port || data[i].type, NOT_SUPPORTED);
	switch ((int)p->type) {
	case cudaGraphNodeTypeGraph:
		return add_child(out, g, before, nbefore, p->graph.graph,
				 CUDART == 13 && p->graph.ownership == cudaGraphChildGraphOwnershipMove);
	case cudaGraphNodeTypeMemAlloc:
		return cudaGraphAddMemAllocNode(out, g, before, nbefore,
						(struct cudaMemAllocNodeParams *)(void *)&p->alloc);
	case cudaGraphNodeTypeMemFree:
		return cudaGraphAddMemFreeNode(out, g, before, nbefore, p->free.dptr);
	case cudaGraphNodeTypeConditional:
		return add_conditional(out, g, before, nbefore, &p->conditional);
	case cudaGraphNodeTypeExtSemaphoreSignal:
	case cudaGraphNodeTypeExtSemaphoreWait:
		cu_missing("semaphore nodes of graphs");
		return done(CU_NOT_SUPPORTED);
	}
	return add(out, g, before, nbefore, p->type, kind_params(p));
}

#if CUDART == 12
cudaError_t cudaGraphAddNode(PLACE, struct cudaGraphNodeParams *p) { return add_any(out, g, before, nbefore, NULL, p); }
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *before,
				const cudaGraphEdgeData *data, size_t nbefore, struct cudaGraphNodeParams *p)
{
	return add_any(out, g, before, nbefore, data, p);
}
#else
cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *before,
			     const cudaGraphEdgeData *data, size_t nbefore, struct cudaGraphNodeParams *p)
{
	return add_any(out, g, before, nbefore, data, p);
}
#endif

/* ---- setting: of a graph's node (e NULL), or of the node that an executable graph made of it ---- */
static cudaError_t change(cudaGraphExec_t e, cudaGraphNode_t n, enum cudaGraphNodeType type, const void *p)
{
	const void *f;
	struct op o;
	enum cu_status s = op_of(&o, &f, type, p);

	return done(s == CU_OK ? cu_node_set(e, n, &o, f) : s);
}

#define SETTER(kind, type, params)                                                                            \
	cudaError_t cudaGraph##kind##NodeSetParams(cudaGraphNode_t n, const params *p)                        \
	{                                                                                                     \
		return change(NULL, n, type, p);                                                              \
	}                                                                                                     \
	cudaError_t cudaGraphExec##kind##NodeSetParams(cudaGraphExec_t e, cudaGraphNode_t n, const params *p) \
	{                                                                                                     \
		FAIL_IF(!e, INVALID_VALUE);                                                                   \
		return change(e, n, type, p);                                                                 \
	}
SETTER(Kernel, cudaGraphNodeTypeKernel, struct cudaKernelNodeParams)
SETTER(Memcpy, cudaGraphNodeTypeMemcpy, struct cudaMemcpy3DParms)
SETTER(Memset, cudaGraphNodeTypeMemset, struct cudaMemsetParams)
SETTER(Host, cudaGraphNodeTypeHost, struct cudaHostNodeParams)

static cudaError_t change_copy(cudaGraphExec_t e, cudaGraphNode_t n, enum cu_status s, const struct op *o)
{
	struct cudaMemcpy3DParms p;

	if (s != CU_OK)
		return done(s);
	p = copy_params(o);
	return change(e, n, cudaGraphNodeTypeMemcpy, &p);
}

#define COPY_SETTERS(suffix, types, make)                                                                        \
	cudaError_t cudaGraphMemcpyNodeSetParams##suffix(cudaGraphNode_t x, UNPACK types)                        \
	{                                                                                                        \
		struct op o;                                                                                     \
                                                                                                                 \
		return change_copy(NULL, x, make, &o);                                                           \
	}                                                                                                        \
	cudaError_t cudaGraphExecMemcpyNodeSetParams##suffix(cudaGraphExec_t e, cudaGraphNode_t x, UNPACK types) \
	{                                                                                                        \
		struct op o;                                                                                     \
                                                                                                                 \
		FAIL_IF(!e, INVALID_VALUE);                                                                      \
		return change_copy(e, x, make, &o);                                                              \
	}
COPY_SETTERS(1D, (void *to, const void *from, size_t n, enum cudaMemcpyKind kind), op_line(&o, to, from, n, kind))
COPY_SETTERS(ToSymbol, (const void *symbol, const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind),
	     op_symbol(&o, symbol, offset, from, n, kind, true))
COPY_SETTERS(FromSymbol, (void *to, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind),
	     op_symbol(&o, symbol, offset, to, n, kind, false))

#define EVENT_FNS(kind, type)                                                                              \
	cudaError_t cudaGraph##kind##NodeSetEvent(cudaGraphNode_t n, cudaEvent_t e)                        \
	{                                                                                                  \
		return change(NULL, n, type, &e);                                                          \
	}                                                                                                  \
	cudaError_t cudaGraphExec##kind##NodeSetEvent(cudaGraphExec_t x, cudaGraphNode_t n, cudaEvent_t e) \
	{                                                                                                  \
		FAIL_IF(!x, INVALID_VALUE);                                                                \
		return change(x, n, type, &e);                                                             \
	}
EVENT_FNS(EventRecord, cudaGraphNodeTypeEventRecord)
EVENT_FNS(EventWait, cudaGraphNodeTypeWaitEvent)

static cudaError_t change_any(cudaGraphExec_t e, cudaGraphNode_t n, const struct cudaGraphNodeParams *p)
{
	FAIL_IF(!p, INVALID_VALUE);
	if (p->type == cudaGraphNodeTypeConditional) /* its bodies change, and not what it is */
		return done(cu_node_set(e, n, &(struct op){ .kind = OP_CONDITIONAL }, NULL));
	return change(e, n, p->type, kind_params(p));
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t n, struct cudaGraphNodeParams *p) { return change_any(NULL, n, p); }

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t n, struct cudaGraphNodeParams *p)
{
	FAIL_IF(!e, INVALID_VALUE);
	return change_any(e, n, p);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t e, cudaGraphNode_t n, cudaGraph_t child)
{
	FAIL_IF(!e, INVALID_VALUE);
	return done(cu_node_set(e, n, &(struct op){ .kind = OP_GRAPH, .graph = child }, NULL));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t e, cudaGraphNode_t n, unsigned on)
{
	return done(cu_node_enable(e, n, on));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t e, cudaGraphNode_t n, unsigned *on)
{
	bool yes;
	enum cu_status s = on ? cu_node_enabled(e, n, &yes) : CU_INVALID_VALUE;

	if (s == CU_OK)
		*on = yes;
	return done(s);
}

/* ---- asking ---- */
#define GETTER(name, kind_, type, expression)                                      \
	cudaError_t name(cudaGraphNode_t n, type *out)                             \
	{                                                                          \
		enum cu_status s;                                                  \
		const void *f;                                                     \
		struct op o;                                                       \
                                                                                   \
		FAIL_IF(!out, INVALID_VALUE);                                      \
		s = cu_node_get(n, &o, &f);                                        \
		if (s == CU_OK && o.kind == kind_)                                 \
			*out = expression;                                         \
		return done(s == CU_OK && o.kind != kind_ ? CU_INVALID_VALUE : s); \
	}
static struct cudaKernelNodeParams kernel_params(const struct op *o, const void *f)
{
	const struct cu_launch *l = &o->launch;

	return (struct cudaKernelNodeParams){ (void *)(uintptr_t)f,
					      { l->grid[0], l->grid[1], l->grid[2] },
					      { l->block[0], l->block[1], l->block[2] },
					      (unsigned)l->dynamic_shared,
					      l->param,
					      NULL };
}

static struct cudaMemAllocNodeParams alloc_params(const struct op *o)
{
	return (struct cudaMemAllocNodeParams){ .poolProps = { .allocType = cudaMemAllocationTypePinned,
							       .location = { cudaMemLocationTypeDevice, 0 } },
						.bytesize = o->memory.bytes,
						.dptr = (void *)(uintptr_t)o->memory.addr };
}

GETTER(cudaGraphKernelNodeGetParams, OP_KERNEL, struct cudaKernelNodeParams, kernel_params(&o, f))
GETTER(cudaGraphMemcpyNodeGetParams, OP_COPY, struct cudaMemcpy3DParms, copy_params(&o))
GETTER(cudaGraphMemsetNodeGetParams, OP_FILL, struct cudaMemsetParams, memset_params(&o))
GETTER(cudaGraphHostNodeGetParams, OP_HOST, struct cudaHostNodeParams,
       ((struct cudaHostNodeParams){ o.host.f, o.host.data }))
GETTER(cudaGraphEventRecordNodeGetEvent, OP_RECORD, cudaEvent_t, (cudaEvent_t)o.event)
GETTER(cudaGraphEventWaitNodeGetEvent, OP_WAIT, cudaEvent_t, (cudaEvent_t)o.event)
GETTER(cudaGraphChildGraphNodeGetGraph, OP_GRAPH, cudaGraph_t, o.graph)
GETTER(cudaGraphMemAllocNodeGetParams, OP_ALLOC, struct cudaMemAllocNodeParams, alloc_params(&o))

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t n, void *out)
{
	enum cu_status s;
	struct op o;

	FAIL_IF(!out, INVALID_VALUE);
	s = cu_node_get(n, &o, NULL);
	FAIL_IF(s != CU_OK || o.kind != OP_FREE, INVALID_VALUE);
	memcpy(out, &o.memory.addr, sizeof(void *));
	return done(CU_OK);
}

/* ---- attributes of kernel nodes: cooperative, and the priority, which is remembered ---- */
static enum cu_status kernel_of(struct op *o, cudaGraphNode_t n)
{
	enum cu_status s = cu_node_get(n, o, NULL);

	return s == CU_OK && o->kind != OP_KERNEL ? CU_INVALID_VALUE : s;
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t n, cudaLaunchAttributeID id,
					    const cudaLaunchAttributeValue *v)
{
	cudaEvent_t record;
	enum cu_status s;
	struct op o;

	FAIL_IF(!v, INVALID_VALUE);
	s = kernel_of(&o, n);
	if (s == CU_OK)
		s = launch_attributes(&o.launch, &(cudaLaunchAttribute){ .id = id, .val = *v }, 1, &record);
	if (s == CU_OK && id == cudaLaunchAttributePriority)
		o.priority = v->priority;
	return done(s == CU_OK ? cu_node_attributes(n, &o) : s);
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t n, cudaLaunchAttributeID id, cudaLaunchAttributeValue *v)
{
	enum cu_status s;
	struct op o;

	FAIL_IF(!v, INVALID_VALUE);
	s = kernel_of(&o, n);
	if (s != CU_OK)
		return done(s);
	memset(v, 0, sizeof *v);
	if (id == cudaLaunchAttributeCooperative)
		v->cooperative = o.launch.cooperative;
	else if (id == cudaLaunchAttributePriority)
		v->priority = o.priority;
	else if (id == cudaLaunchAttributeClusterDimension)
		memcpy(&v->clusterDim, o.launch.cluster, sizeof v->clusterDim);
	else
		s = CU_INVALID_VALUE;
	return done(s);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
	struct op o;
	enum cu_status s = kernel_of(&o, from);

	return done(s == CU_OK ? cu_node_attributes(to, &o) : s);
}
