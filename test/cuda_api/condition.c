/* Conditional nodes of graphs: what they may be, and what is wrong of handles, bodies and loops. What they do is of
 * test/cuda_programs/conditional_nodes.cu. */
#include "api.h"

static cudaGraph_t new_graph(void)
{
	cudaGraph_t g;

	OK(cudaGraphCreate(&g, 0));
	return g;
}

static cudaGraphConditionalHandle handle_of(cudaGraph_t g, unsigned value)
{
	cudaGraphConditionalHandle h = 0;

	OK(cudaGraphConditionalHandleCreate(&h, g, value, cudaGraphCondAssignDefault));
	return h;
}

/* Its status; the bodies are in *p. */
static cudaError_t add_conditional(cudaGraphNode_t *n, cudaGraph_t g, struct cudaConditionalNodeParams *p)
{
	struct cudaGraphNodeParams any = { .type = cudaGraphNodeTypeConditional, .conditional = *p };
#if CUDART == 12
	const cudaError_t s = cudaGraphAddNode(n, g, NULL, 0, &any);
#else
	const cudaError_t s = cudaGraphAddNode(n, g, NULL, NULL, 0, &any);
#endif

	*p = any.conditional;
	return s;
}

static cudaGraph_t body_of(cudaGraph_t g, cudaGraphConditionalHandle h, enum cudaGraphConditionalNodeType type,
			   unsigned size)
{
	struct cudaConditionalNodeParams p = { h, type, size, NULL };
	cudaGraphNode_t n;

	OK(add_conditional(&n, g, &p));
	return p.phGraph_out[0];
}

static void decide(cudaGraph_t g, cudaGraphConditionalHandle h, unsigned *count)
{
	struct cudaKernelNodeParams k = { (void *)(uintptr_t)decides, { 1, 1, 1 }, { 1, 1, 1 }, 0,
					  ARGS(&h, &count),           NULL };
	cudaGraphNode_t n;

	OK(cudaGraphAddKernelNode(&n, g, NULL, 0, &k));
}

static void host_function(void *none) { (void)none; }

static void handles(void)
{
	static const struct {
		enum cudaGraphConditionalNodeType type;
		unsigned size;
	} bad[] = { { cudaGraphCondTypeIf, 0 },     { cudaGraphCondTypeIf, 3 },
		    { cudaGraphCondTypeWhile, 0 },  { cudaGraphCondTypeWhile, 2 },
		    { cudaGraphCondTypeSwitch, 0 }, { (enum cudaGraphConditionalNodeType)3, 1 } };
	cudaGraph_t g = new_graph(), other = new_graph();
	cudaGraphConditionalHandle h = handle_of(g, 0), in_body;
	cudaGraphNode_t n, second;
	cudaGraph_t body;
	enum cudaGraphNodeType type;
	struct cudaConditionalNodeParams p = { h, cudaGraphCondTypeSwitch, 3, NULL };
	struct cudaGraphNodeParams any = { .type = cudaGraphNodeTypeConditional, .conditional = p };

	FAILS(cudaGraphConditionalHandleCreate(NULL, g, 0, 0), InvalidValue);
	FAILS(cudaGraphConditionalHandleCreate(&h, NULL, 0, 0), InvalidValue);
	FAILS(cudaGraphConditionalHandleCreate(&h, g, 0, 2), InvalidValue);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		FAILS(add_conditional(&n, g, &(struct cudaConditionalNodeParams){ h, bad[i].type, bad[i].size, NULL }),
		      InvalidValue);
	FAILS(add_conditional(&n, other, &p), InvalidValue); /* the handle is another graph's */
	p.handle = h + 1;
	FAILS(add_conditional(&n, g, &p), InvalidValue); /* none */
	p.handle = h;
	OK(add_conditional(&n, g, &p));
	CHECK(p.phGraph_out && p.phGraph_out[0] && p.phGraph_out[2] && p.phGraph_out[0] != p.phGraph_out[2]);
	FAILS(add_conditional(&second, g, &p), InvalidValue); /* the handle has a node */
	OK(cudaGraphNodeGetType(n, &type));
	CHECK(type == cudaGraphNodeTypeConditional);
	FAILS(cudaGraphNodeSetParams(n, &any), NotSupported);
	FAILS(cudaGraphDestroy(p.phGraph_out[1]), InvalidValue); /* it belongs to the node */
	/* Of a graph inside that of the handle, not the other way. */
	body = p.phGraph_out[1];
	in_body = handle_of(body, 0);
	p.handle = in_body;
	FAILS(add_conditional(&second, g, &p), InvalidValue);
	p.handle = handle_of(g, 0);
	OK(add_conditional(&second, body, &p));
	p.handle = in_body;
	OK(add_conditional(&second, p.phGraph_out[0], &p));
	OK(cudaGraphDestroyNode(n));
	FAILS(cudaGraphDestroyNode(second), InvalidValue); /* gone with it */
	FAILS(cudaGraphConditionalHandleCreate(&h, body, 0, 0), InvalidValue);
	OK(cudaGraphDestroy(g));
	OK(cudaGraphDestroy(other));
}

/* Instantiated once at a time, and neither copied nor a child. */
static void whole_graphs(void)
{
	cudaGraph_t g = new_graph(), other = new_graph(), copy;
	const cudaGraphConditionalHandle h = handle_of(g, 1);
	cudaGraphInstantiateParams how = { 0 };
	cudaGraphExecUpdateResultInfo info;
	cudaGraphExec_t e, e2;
	cudaGraphNode_t n;
	cudaStream_t s;

	FAILS(cudaGraphInstantiateWithParams(&e, g, &how), InvalidValue);
	CHECK(how.result_out == cudaGraphInstantiateConditionalHandleUnused);
	body_of(g, h, cudaGraphCondTypeIf, 2);
	FAILS(cudaGraphClone(&copy, g), InvalidValue);
	FAILS(cudaGraphAddChildGraphNode(&n, other, NULL, 0, g), InvalidValue);
	OK(cudaGraphInstantiateWithParams(&e, g, &how));
	FAILS(cudaGraphInstantiate(&e2, g, 0), InvalidValue);
	OK(cudaStreamCreate(&s));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	FAILS(cudaGraphLaunch(e, s), InvalidValue);
	FAILS(cudaStreamEndCapture(s, &copy), CaptureInvalidated);
	FAILS(cudaStreamEndCapture(s, NULL), InvalidValue);
	body_of(other, handle_of(other, 0), cudaGraphCondTypeIf, 1);
	FAILS(cudaGraphExecUpdate(e, other, &info), UpdateFailure);
	CHECK(info.result == cudaGraphExecUpdateErrorParametersChanged && info.errorNode);
	OK(cudaGraphExecDestroy(e));
	OK(cudaGraphInstantiate(&e, g, 0));
	OK(cudaGraphDestroy(g));
	OK(cudaGraphLaunch(e, NULL));
	OK(cudaGraphExecDestroy(e));
	OK(cudaGraphDestroy(other));
	OK(cudaStreamDestroy(s));
}

/* What a body may not have is found when the graph is instantiated, or updated. */
static void bodies(void)
{
	const struct cudaHostNodeParams host = { host_function, NULL };
	struct cudaMemAllocNodeParams alloc = { .poolProps = { .allocType = cudaMemAllocationTypePinned,
							       .location = { cudaMemLocationTypeDevice, 0 } },
						.bytesize = 256 };
	cudaGraph_t g = new_graph(), other = new_graph(), body = body_of(g, handle_of(g, 1), cudaGraphCondTypeIf, 1),
		    deep = body_of(body, handle_of(body, 1), cudaGraphCondTypeIf, 1),
		    body2 = body_of(other, handle_of(other, 1), cudaGraphCondTypeIf, 1),
		    deep2 = body_of(body2, handle_of(body2, 1), cudaGraphCondTypeIf, 1);
	cudaGraphInstantiateParams how = { 0 };
	cudaGraphExecUpdateResultInfo info;
	unsigned *x, plain = 7, *pinned;
	cudaGraphNode_t n, n2;
	cudaGraphExec_t e;
	cudaEvent_t event;

	OK(cudaMalloc((void **)&x, 4));
	OK(cudaMallocHost((void **)&pinned, 4));
	OK(cudaEventCreate(&event));
#define BAD(...)                                                                                       \
	do {                                                                                           \
		OK(__VA_ARGS__);                                                                       \
		FAILS(cudaGraphInstantiateWithParams(&e, g, &how), InvalidValue);                      \
		CHECK(how.result_out == cudaGraphInstantiateInvalidStructure && how.errNode_out == n); \
		OK(cudaGraphDestroyNode(n));                                                           \
	} while (0)
	BAD(cudaGraphAddHostNode(&n, body, NULL, 0, &host));
	BAD(cudaGraphAddHostNode(&n, deep, NULL, 0, &host));
	BAD(cudaGraphAddEventRecordNode(&n, deep, NULL, 0, event));
	BAD(cudaGraphAddEventWaitNode(&n, deep, NULL, 0, event));
	BAD(cudaGraphAddMemAllocNode(&n, deep, NULL, 0, &alloc));
	BAD(cudaGraphAddMemcpyNode1D(&n, body, NULL, 0, x, &plain, 4, cudaMemcpyHostToDevice));
	BAD(cudaGraphAddMemcpyNode1D(&n, body, NULL, 0, &plain, x, 4, cudaMemcpyDeviceToHost));
	*pinned = 9;
	OK(cudaGraphAddEmptyNode(&n, body, NULL, 0));
	OK(cudaGraphAddEmptyNode(&n, body2, NULL, 0));
	OK(cudaGraphAddMemcpyNode1D(&n, deep, NULL, 0, x, pinned, 4, cudaMemcpyHostToDevice));
	OK(cudaGraphInstantiate(&e, g, 0));
	OK(cudaGraphLaunch(e, NULL));
	CHECK(first_word(x) == 9);
	OK(cudaGraphAddMemcpyNode1D(&n2, deep2, NULL, 0, x, &plain, 4, cudaMemcpyHostToDevice));
	FAILS(cudaGraphExecUpdate(e, other, &info), UpdateFailure);
	CHECK(info.result == cudaGraphExecUpdateErrorNotSupported && info.errorNode == n2);
	/* A node of a body in a body is changed. */
	pinned[0] = 10;
	OK(cudaGraphExecMemcpyNodeSetParams1D(e, n, x, pinned, 4, cudaMemcpyHostToDevice));
	OK(cudaGraphLaunch(e, NULL));
	CHECK(first_word(x) == 10);
	OK(cudaGraphExecDestroy(e));
	OK(cudaGraphDestroy(g));
	OK(cudaGraphDestroy(other));
	OK(cudaEventDestroy(event));
	OK(cudaFree(x));
	OK(cudaFreeHost(pinned));
}

static unsigned *count_of(unsigned n)
{
	unsigned *count;

	OK(cudaMalloc((void **)&count, 4));
	OK(cudaMemcpy(count, &n, 4, cudaMemcpyHostToDevice));
	return count;
}

/* A loop that ends, and the same from where it has come to: of no default, which is 0. */
static void loop_ends(void)
{
	cudaGraph_t g = new_graph();
	const cudaGraphConditionalHandle h = handle_of(g, 1);
	unsigned *count = count_of(5);
	cudaGraphConditionalHandle unset;
	cudaGraphExec_t e;

	OK(cudaGraphConditionalHandleCreate(&unset, g, 7, 0));
	decide(body_of(g, h, cudaGraphCondTypeWhile, 1), h, count);
	decide(body_of(g, unset, cudaGraphCondTypeIf, 1), unset, count);
	OK(cudaGraphInstantiate(&e, g, 0));
	OK(cudaGraphLaunch(e, NULL));
	CHECK(first_word(count) == 0);
	OK(cudaGraphExecDestroy(e));
	OK(cudaGraphDestroy(g));
	OK(cudaFree(count));
}

/* The condition stays 1: the body has no kernel. */
static void loop_without_end(void)
{
	cudaGraph_t g = new_graph(), body = body_of(g, handle_of(g, 1), cudaGraphCondTypeWhile, 1);
	unsigned *x = count_of(1);
	const struct cudaMemsetParams fill = { x, 0, 3, 4, 1, 1 };
	cudaGraphNode_t n;
	cudaGraphExec_t e;

	OK(cudaGraphAddMemsetNode(&n, body, NULL, 0, &fill));
	OK(cudaGraphInstantiate(&e, g, 0));
	IS(cudaGraphLaunch(e, NULL), LaunchTimeout);
	IS(cudaDeviceSynchronize(), LaunchTimeout);
	OK(cudaDeviceReset());
	cudaGetLastError();
	OK(cudaGraphExecDestroy(e));
	OK(cudaGraphDestroy(g));
}

/* A kernel of the body leaves the condition at 1: only a limit ends it. */
void test_endless(void)
{
	cudaGraph_t g = new_graph();
	const cudaGraphConditionalHandle h = handle_of(g, 1);
	unsigned *count = count_of(0), *word = count_of(0), one = 1;
	struct cudaKernelNodeParams k = { (void *)(uintptr_t)axpy,         { 1, 1, 1 }, { 1, 1, 1 }, 0,
					  ARGS(&count, &word, &one, &one), NULL };
	cudaGraphNode_t n;
	cudaGraphExec_t e;

	OK(cudaGraphAddKernelNode(&n, body_of(g, h, cudaGraphCondTypeWhile, 1), NULL, 0, &k));
	OK(cudaGraphInstantiate(&e, g, 0));
	IS(cudaGraphLaunch(e, NULL), LaunchTimeout);
	IS(cudaDeviceSynchronize(), LaunchTimeout);
	for (unsigned i = 0; i < 10; i++) /* it stays so */
		IS(cudaGraphLaunch(e, NULL), LaunchTimeout);
	OK(cudaGraphExecDestroy(e));
	OK(cudaGraphDestroy(g));
}

/* Kernels that are given handles which are none: of nobody, or of a graph that is gone. */
static void stale(cudaGraphConditionalHandle h)
{
	unsigned *count = count_of(2);

	OK(cudaLaunchKernel((void *)(uintptr_t)decides, d(1, 1, 1), d(1, 1, 1), ARGS(&h, &count), 0, NULL));
	IS(cudaDeviceSynchronize(), LaunchFailure);
	OK(cudaDeviceReset());
	cudaGetLastError();
}

void test_conditions(void)
{
	cudaGraph_t g = new_graph();
	const cudaGraphConditionalHandle h = handle_of(g, 1);

	handles();
	whole_graphs();
	bodies();
	loop_ends();
	loop_without_end();
	OK(cudaGraphDestroy(g));
	stale(h);
	stale(0);
}
