/* Graphs, made node by node and captured from streams. */
#include "api.h"

#include "test/cuda_core/temporary.h"

#define F(f) ((void *)(uintptr_t)(f))

static int hosted, destroyed;
static void host_node(void *data) { hosted += *(int *)data; }
static void destroy(void *data) { destroyed += *(int *)data; }

/* x = 1, then x += x: a fill, a kernel that waits for it. */
struct small {
	cudaGraph_t g;
	cudaGraphNode_t fill, kernel;
	unsigned *x;
};

static struct small small_graph(void)
{
	struct small s = { 0 };
	unsigned one = 1, n = 16;
	struct cudaMemsetParams fill = { NULL, 0, 1, 4, 16, 1 };
	struct cudaKernelNodeParams k = { F(axpy), { 1, 1, 1 }, { 16, 1, 1 }, 0, ARGS(&s.x, &s.x, &one, &n), NULL };

	OK(cudaMalloc((void **)&s.x, 64));
	fill.dst = s.x;
	OK(cudaGraphCreate(&s.g, 0));
	OK(cudaGraphAddMemsetNode(&s.fill, s.g, NULL, 0, &fill));
	OK(cudaGraphAddKernelNode(&s.kernel, s.g, &s.fill, 1, &k));
	return s;
}

static void edges_of(struct small s)
{
	cudaGraphNode_t from[4], to[4], list[4];
	size_t n = 4;
	enum cudaGraphNodeType type;

	OK(cudaGraphGetNodes(s.g, NULL, &n));
	CHECK(n == 2);
	OK(cudaGraphGetRootNodes(s.g, list, &n));
	CHECK(n == 1 && list[0] == s.fill);
	n = 4;
#if CUDART == 12
	OK(cudaGraphGetEdges(s.g, from, to, &n));
	CHECK(n == 1 && from[0] == s.fill && to[0] == s.kernel);
	OK(cudaGraphNodeGetDependencies(s.kernel, list, &n));
	CHECK(n == 1 && list[0] == s.fill);
	OK(cudaGraphNodeGetDependentNodes(s.fill, list, &n));
	CHECK(n == 1 && list[0] == s.kernel);
	OK(cudaGraphRemoveDependencies(s.g, &s.fill, &s.kernel, 1));
	FAILS(cudaGraphRemoveDependencies(s.g, &s.fill, &s.kernel, 1), InvalidValue);
	OK(cudaGraphAddDependencies(s.g, &s.fill, &s.kernel, 1));
	FAILS(cudaGraphAddDependencies(s.g, &s.fill, &s.kernel, 1), InvalidValue);
#define V2(name) name##_v2
#else
#define V2(name) name
#endif
	n = 4;
	OK(V2(cudaGraphGetEdges)(s.g, from, to, NULL, &n));
	CHECK(n == 1 && from[0] == s.fill && to[0] == s.kernel);
	FAILS(V2(cudaGraphGetEdges)(s.g, from, NULL, NULL, &n), InvalidValue);
	OK(V2(cudaGraphNodeGetDependencies)(s.kernel, list, NULL, &n));
	CHECK(n == 1 && list[0] == s.fill);
	OK(V2(cudaGraphNodeGetDependentNodes)(s.fill, list, NULL, &n));
	CHECK(n == 1 && list[0] == s.kernel);
	OK(V2(cudaGraphRemoveDependencies)(s.g, &s.fill, &s.kernel, NULL, 1));
	OK(V2(cudaGraphAddDependencies)(s.g, &s.fill, &s.kernel, NULL, 1));
	FAILS(V2(cudaGraphAddDependencies)(s.g, &s.fill, &s.fill, NULL, 1), InvalidValue);
	OK(cudaGraphNodeGetType(s.kernel, &type));
	CHECK(type == cudaGraphNodeTypeKernel);
	FAILS(cudaGraphNodeGetType(s.kernel, NULL), InvalidValue);
	FAILS(cudaGraphGetNodes(NULL, NULL, &n), InvalidValue);
}

static void params_of(struct small s, cudaGraphExec_t e)
{
	struct cudaKernelNodeParams k;
	struct cudaMemsetParams m;
	cudaLaunchAttributeValue v = { .cooperative = 1 };
	unsigned on = 9, three = 3;

	OK(cudaGraphKernelNodeGetParams(s.kernel, &k));
	CHECK(k.func == F(axpy) && k.blockDim.x == 16 && *(unsigned **)k.kernelParams[1] == s.x &&
	      *(unsigned *)k.kernelParams[3] == 16);
	k.kernelParams = ARGS(&s.x, &s.x, &three, k.kernelParams[3]);
	OK(cudaGraphExecKernelNodeSetParams(e, s.kernel, &k));
	OK(cudaGraphLaunch(e, NULL));
	CHECK(first_word(s.x) == 4); /* 1 + 3 x 1 */
	OK(cudaGraphKernelNodeSetParams(s.kernel, &k));
	FAILS(cudaGraphKernelNodeSetParams(s.fill, &k), InvalidValue);
	OK(cudaGraphMemsetNodeGetParams(s.fill, &m));
	CHECK(m.dst == s.x && m.value == 1 && m.elementSize == 4 && m.width == 16 && m.height == 1);
	m.value = 10;
	OK(cudaGraphExecMemsetNodeSetParams(e, s.fill, &m));
	OK(cudaGraphLaunch(e, NULL));
	CHECK(first_word(s.x) == 40);
	OK(cudaGraphMemsetNodeSetParams(s.fill, &m));
	m.elementSize = 3;
	FAILS(cudaGraphMemsetNodeSetParams(s.fill, &m), InvalidValue);
	FAILS(cudaGraphMemsetNodeGetParams(s.kernel, &m), InvalidValue);
	OK(cudaGraphNodeGetEnabled(e, s.kernel, &on));
	CHECK(on == 1);
	OK(cudaGraphNodeSetEnabled(e, s.kernel, 0));
	OK(cudaGraphNodeGetEnabled(e, s.kernel, &on));
	OK(cudaGraphLaunch(e, NULL));
	CHECK(on == 0 && first_word(s.x) == 10);
	FAILS(cudaGraphNodeSetEnabled(NULL, s.kernel, 0), InvalidValue);
	OK(cudaGraphKernelNodeSetAttribute(s.kernel, cudaLaunchAttributeCooperative, &v));
	v.cooperative = 0;
	OK(cudaGraphKernelNodeCopyAttributes(s.kernel, s.kernel));
	OK(cudaGraphKernelNodeGetAttribute(s.kernel, cudaLaunchAttributeCooperative, &v));
	CHECK(v.cooperative == 1);
	v.cooperative = 0;
	OK(cudaGraphKernelNodeSetAttribute(s.kernel, cudaLaunchAttributeCooperative, &v));
	FAILS(cudaGraphKernelNodeSetAttribute(s.fill, cudaLaunchAttributeCooperative, &v), InvalidValue);
	FAILS(cudaGraphKernelNodeGetAttribute(s.kernel, (cudaLaunchAttributeID)99, &v), InvalidValue);
	FAILS(cudaGraphKernelNodeCopyAttributes(s.kernel, s.fill), InvalidValue);
}

/* One node of every other kind. */
static void kinds(void)
{
	cudaGraph_t g, child, got;
	cudaGraphNode_t n[12], found;
	cudaGraphExec_t e;
	cudaEvent_t event, event2, got_event;
	unsigned *x, words[4] = { 1, 2, 3, 4 }, back[4] = { 0 };
	int ten = 10;
	struct cudaHostNodeParams h = { host_node, &ten };
	struct cudaMemcpy3DParms copy = { .srcPtr = { words, 16, 16, 1 },
					  .extent = { 16, 1, 1 },
					  .kind = cudaMemcpyHostToDevice };
	struct cudaMemAllocNodeParams alloc = { .poolProps = { .allocType = cudaMemAllocationTypePinned,
							       .location = { cudaMemLocationTypeDevice, 0 } },
						.bytesize = 256 };
	struct cudaGraphNodeParams any = { .type = cudaGraphNodeTypeMemset };
	void *p = NULL;
	uint64_t used = 0, zero = 0;

	OK(cudaMalloc((void **)&x, 64));
	copy.dstPtr = (struct cudaPitchedPtr){ x, 16, 16, 1 };
	OK(cudaEventCreate(&event));
	OK(cudaEventCreate(&event2));
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphCreate(&child, 0));
	FAILS(cudaGraphCreate(NULL, 0), InvalidValue);
	FAILS(cudaGraphCreate(&got, 1), InvalidValue);
	OK(cudaGraphAddHostNode(&n[0], child, NULL, 0, &h));
	OK(cudaGraphAddEmptyNode(&n[0], g, NULL, 0));
	OK(cudaGraphAddMemcpyNode(&n[1], g, n, 1, &copy));
	OK(cudaGraphAddHostNode(&n[2], g, n + 1, 1, &h));
	OK(cudaGraphAddChildGraphNode(&n[3], g, n + 2, 1, child));
	OK(cudaGraphAddEventRecordNode(&n[4], g, n + 3, 1, event));
	OK(cudaGraphAddEventWaitNode(&n[5], g, n + 4, 1, event));
	OK(cudaGraphAddMemcpyNode1D(&n[6], g, n + 5, 1, back, x, 16, cudaMemcpyDeviceToHost));
	OK(cudaGraphAddMemcpyNodeToSymbol(&n[7], g, n + 6, 1, table_shadow, words, 16, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphAddMemcpyNodeFromSymbol(&n[8], g, n + 7, 1, back, table_shadow, 8, 8, cudaMemcpyDeviceToHost));
	OK(cudaGraphAddMemAllocNode(&n[9], g, n + 8, 1, &alloc));
	CHECK(alloc.dptr);
	OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
	CHECK(used >= 256);
	any.memset = (struct cudaMemsetParamsV2){ alloc.dptr, 0, 5, 1, 256, 1 };
#if CUDART == 12
	OK(cudaGraphAddNode(&n[10], g, n + 9, 1, &any));
	OK(cudaGraphAddNode_v2(&found, g, n + 9, NULL, 1, &any));
	OK(cudaGraphDestroyNode(found));
#else
	OK(cudaGraphAddNode(&n[10], g, n + 9, NULL, 1, &any));
#endif
	OK(cudaGraphAddMemFreeNode(&n[11], g, n + 10, 1, alloc.dptr));
	FAILS(cudaGraphAddMemFreeNode(&found, g, NULL, 0, x), InvalidValue);
	FAILS(cudaGraphAddEmptyNode(&found, NULL, NULL, 0), InvalidValue);
	FAILS(cudaGraphAddMemcpyNode(&found, g, NULL, 0, NULL), InvalidValue);
	FAILS(cudaGraphAddMemcpyNode1D(&found, g, NULL, 0, NULL, x, 16, cudaMemcpyDeviceToHost), InvalidValue);
	FAILS(cudaGraphAddMemcpyNodeToSymbol(&found, g, NULL, 0, &stranger_shadow, words, 4, 0, cudaMemcpyHostToDevice),
	      InvalidSymbol);
	FAILS(cudaGraphAddMemcpyNodeFromSymbol(&found, g, NULL, 0, back, table_shadow, 8, 12, cudaMemcpyDeviceToHost),
	      InvalidValue);
	FAILS(cudaGraphAddHostNode(&found, g, NULL, 0, &(struct cudaHostNodeParams){ NULL, NULL }), InvalidValue);
	FAILS(cudaGraphAddMemsetNode(&found, g, NULL, 0, NULL), InvalidValue);
	FAILS(cudaGraphAddChildGraphNode(&found, g, NULL, 0, NULL), InvalidValue);
	FAILS(cudaGraphAddEventRecordNode(&found, g, NULL, 0, NULL), InvalidValue);
	FAILS(cudaGraphAddEventWaitNode(&found, g, NULL, 0, NULL), InvalidValue);
	FAILS(cudaGraphAddMemAllocNode(&found, g, NULL, 0, NULL), InvalidValue);
	OK(cudaGraphInstantiateWithFlags(&e, g, 0));
	OK(cudaGraphLaunch(e, NULL));
	OK(cudaDeviceSynchronize());
	CHECK(hosted == 20 && back[0] == 3 && back[1] == 4 && first_word(alloc.dptr) == 0x05050505);
	/* Asked and set. */
	OK(cudaGraphMemcpyNodeGetParams(n[1], &copy));
	CHECK(copy.srcPtr.ptr == words && copy.dstPtr.ptr == x && copy.extent.width == 16 &&
	      copy.kind == cudaMemcpyHostToDevice);
	copy.srcPtr.ptr = words + 1;
	copy.extent.width = 8;
	OK(cudaGraphMemcpyNodeSetParams(n[1], &copy));
	OK(cudaGraphExecMemcpyNodeSetParams(e, n[1], &copy));
	OK(cudaGraphMemcpyNodeSetParams1D(n[6], back, x, 12, cudaMemcpyDeviceToHost));
	OK(cudaGraphExecMemcpyNodeSetParams1D(e, n[6], back, x, 12, cudaMemcpyDeviceToHost));
	OK(cudaGraphMemcpyNodeSetParamsToSymbol(n[7], table_shadow, words, 4, 12, cudaMemcpyHostToDevice));
	OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(e, n[7], table_shadow, words, 4, 12, cudaMemcpyHostToDevice));
	OK(cudaGraphMemcpyNodeSetParamsFromSymbol(n[8], back + 3, table_shadow, 4, 12, cudaMemcpyDeviceToHost));
	OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(e, n[8], back + 3, table_shadow, 4, 12, cudaMemcpyDeviceToHost));
	FAILS(cudaGraphMemcpyNodeSetParams1D(n[2], back, x, 12, cudaMemcpyDeviceToHost), InvalidValue);
	FAILS(cudaGraphExecMemcpyNodeSetParams1D(NULL, n[6], back, x, 12, cudaMemcpyDeviceToHost), InvalidValue);
	OK(cudaGraphLaunch(e, cudaStreamPerThread));
	CHECK(back[0] == 2 && back[1] == 3 && back[2] == 3 && back[3] == 1);
	OK(cudaGraphHostNodeGetParams(n[2], &h));
	CHECK(h.fn == host_node && h.userData == &ten);
	h.userData = &(int){ 1 };
	OK(cudaGraphHostNodeSetParams(n[2], &h));
	OK(cudaGraphExecHostNodeSetParams(e, n[2], &h));
	OK(cudaGraphEventRecordNodeGetEvent(n[4], &got_event));
	CHECK(got_event == event);
	OK(cudaGraphEventRecordNodeSetEvent(n[4], event2));
	OK(cudaGraphEventWaitNodeSetEvent(n[5], event2));
	OK(cudaGraphExecEventRecordNodeSetEvent(e, n[4], event2));
	OK(cudaGraphExecEventWaitNodeSetEvent(e, n[5], event2));
	OK(cudaGraphEventWaitNodeGetEvent(n[5], &got_event));
	CHECK(got_event == event2);
	FAILS(cudaGraphEventWaitNodeGetEvent(n[4], &got_event), InvalidValue);
	OK(cudaGraphChildGraphNodeGetGraph(n[3], &got));
	CHECK(got && got != child);
	OK(cudaGraphExecChildGraphNodeSetParams(e, n[3], child));
	FAILS(cudaGraphExecChildGraphNodeSetParams(e, n[2], child), InvalidValue);
	FAILS(cudaGraphDestroy(got), InvalidValue); /* it belongs to the node */
	OK(cudaGraphMemAllocNodeGetParams(n[9], &alloc));
	CHECK(alloc.bytesize == 256);
	OK(cudaGraphMemFreeNodeGetParams(n[11], &p));
	CHECK(p == alloc.dptr);
	any.memset.value = 6;
	OK(cudaGraphNodeSetParams(n[10], &any));
	OK(cudaGraphExecNodeSetParams(e, n[10], &any));
	OK(cudaGraphLaunch(e, NULL));
	CHECK(hosted == 20 + 20 + 11 && first_word(alloc.dptr) == 0x06060606);
	OK(cudaGraphUpload(e, NULL));
	OK(cudaDeviceGraphMemTrim(0));
	OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
	FAILS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero), InvalidValue);
	FAILS(cudaDeviceGetGraphMemAttribute(1, cudaGraphMemAttrUsedMemHigh, &zero), InvalidDevice);
	OK(cudaGraphDestroyNode(n[11]));
	FAILS(cudaGraphDestroyNode(n[11]), InvalidValue);
	OK(cudaGraphExecDestroy(e));
	OK(cudaGraphDestroy(g));
	OK(cudaGraphDestroy(child));
	OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
	CHECK(used == 0);
	OK(cudaEventDestroy(event));
	OK(cudaEventDestroy(event2));
	OK(cudaFree(x));
}

void test_graphs(void)
{
	struct small s = small_graph(), t = small_graph();
	cudaGraphExec_t e = NULL;
	cudaGraph_t clone;
	cudaGraphNode_t n;
	cudaGraphInstantiateParams p = { .flags = cudaGraphInstantiateFlagUpload };
	cudaGraphExecUpdateResultInfo info;
	cudaUserObject_t o;
	unsigned long long flags = 0;
	char path[4096];

	CHECK(temporary(path));
	edges_of(s);
	OK(cudaGraphInstantiate(&e, s.g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
	OK(cudaGraphExecGetFlags(e, &flags));
	CHECK(flags == cudaGraphInstantiateFlagAutoFreeOnLaunch);
	for (int i = 0; i < 3; i++) {
		OK(cudaGraphLaunch(e, NULL));
		CHECK(first_word(s.x) == 2);
	}
	params_of(s, e);
	/* The other graph's parameters: the same nodes with other memory. */
	OK(cudaGraphExecUpdate(e, t.g, &info));
	CHECK(info.result == cudaGraphExecUpdateSuccess);
	OK(cudaMemset(t.x, 0, 64));
	OK(cudaGraphLaunch(e, NULL));
	CHECK(first_word(t.x) == 1 || first_word(t.x) == 2);
	OK(cudaGraphDestroyNode(t.kernel));
	FAILS(cudaGraphExecUpdate(e, t.g, &info), UpdateFailure);
	CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged);
	FAILS(cudaGraphExecUpdate(e, t.g, NULL), InvalidValue);
	OK(cudaGraphExecDestroy(e));
	FAILS(cudaGraphExecDestroy(e), InvalidValue);
	FAILS(cudaGraphLaunch(e, NULL), InvalidValue);
	FAILS(cudaGraphUpload(e, NULL), InvalidValue);
	FAILS(cudaGraphExecGetFlags(e, &flags), InvalidValue);
	OK(cudaGraphInstantiateWithParams(&e, s.g, &p));
	CHECK(p.result_out == cudaGraphInstantiateSuccess);
	OK(cudaGraphExecDestroy(e));
	FAILS(cudaGraphInstantiateWithFlags(&e, s.g, 64), InvalidValue);
	FAILS(cudaGraphInstantiate(NULL, s.g, 0), InvalidValue);
	FAILS(cudaGraphInstantiateWithParams(&e, s.g, NULL), InvalidValue);
	/* A circle. */
	OK(V2(cudaGraphAddDependencies)(s.g, &s.kernel, &s.fill, NULL, 1));
	FAILS(cudaGraphInstantiate(&e, s.g, 0), InvalidValue);
	OK(V2(cudaGraphRemoveDependencies)(s.g, &s.kernel, &s.fill, NULL, 1));
	/* Copies of graphs, and what they hold. */
	OK(cudaUserObjectCreate(&o, &(int){ 1 }, destroy, 1, cudaUserObjectNoDestructorSync));
	OK(cudaUserObjectRetain(o, 2));
	OK(cudaUserObjectRelease(o, 2));
	OK(cudaGraphRetainUserObject(s.g, o, 1, cudaGraphUserObjectMove));
	OK(cudaGraphRetainUserObject(s.g, o, 1, 0));
	OK(cudaGraphReleaseUserObject(s.g, o, 1));
	FAILS(cudaGraphReleaseUserObject(s.g, o, 5), InvalidValue);
	FAILS(cudaUserObjectCreate(&o, NULL, NULL, 1, cudaUserObjectNoDestructorSync), InvalidValue);
	FAILS(cudaUserObjectRetain(NULL, 1), InvalidValue);
	OK(cudaGraphClone(&clone, s.g));
	OK(cudaGraphNodeFindInClone(&n, s.kernel, clone));
	CHECK(n && n != s.kernel);
	FAILS(cudaGraphNodeFindInClone(&n, t.fill, clone), InvalidValue);
	FAILS(cudaGraphClone(NULL, s.g), InvalidValue);
	OK(cudaGraphDebugDotPrint(s.g, path, 0));
	CHECK(file_has(path,
		       "digraph graph_1 {\n\tn0 [label=\"memset\"];\n\tn1 [label=\"kernel axpy\"];\n\tn0 -> n1;\n}\n"));
	FAILS(cudaGraphDebugDotPrint(s.g, "/nowhere/at/all", 0), 304);
	CHECK(!remove(path));
	OK(cudaGraphDestroy(s.g));
	CHECK(!destroyed);
	OK(cudaGraphDestroy(clone));
	CHECK(destroyed == 1);
	FAILS(cudaGraphDestroy(s.g), InvalidValue);
	FAILS(cudaGraphAddEmptyNode(&n, s.g, NULL, 0), InvalidValue);
	OK(cudaGraphDestroy(t.g));
	OK(cudaFree(s.x));
	OK(cudaFree(t.x));
	kinds();
}

void test_capture(void)
{
	cudaStream_t s, t;
	cudaEvent_t e, f;
	cudaGraph_t g = NULL, own;
	cudaGraphExec_t x;
	cudaGraphNode_t node;
	const cudaGraphNode_t *before;
	unsigned *p, back[16] = { 0 }, one = 1, n = 16;
	size_t count = 0;
	unsigned long long id = 0;
	int five = 5;
	void *q = NULL;
	enum cudaStreamCaptureStatus status;
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;

	OK(cudaStreamCreate(&s));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	OK(cudaEventCreate(&e));
	OK(cudaEventCreate(&f));
	OK(cudaMalloc((void **)&p, 64));
	hosted = 0;
	/* Two streams: what is issued is not done. */
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	OK(cudaStreamIsCapturing(s, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	OK(cudaMemsetAsync(p, 1, 64, s));
	OK(cudaEventRecord(e, s));
	OK(cudaStreamWaitEvent(t, e, 0));
	run_axpy(p, p, one, n, s);
	OK(cudaLaunchHostFunc(t, host_node, &five));
	OK(cudaEventRecord(f, t));
	OK(cudaStreamWaitEvent(s, f, 0));
	OK(cudaMallocAsync(&q, 64, s));
	OK(cudaMemcpyAsync(q, p, 64, cudaMemcpyDeviceToDevice, s));
	OK(cudaMemcpyAsync(back, q, 64, cudaMemcpyDeviceToHost, s));
	OK(cudaFreeAsync(q, s));
#if CUDART == 12
	OK(cudaStreamGetCaptureInfo(s, &status, &id));
	OK(cudaStreamGetCaptureInfo_v2(s, &status, &id, &g, &before, &count));
	CHECK(id && g && count == 1 && before[0]);
	OK(cudaStreamGetCaptureInfo_v3(s, &status, &id, &g, &before, NULL, &count));
	OK(cudaStreamUpdateCaptureDependencies(s, NULL, 0, cudaStreamAddCaptureDependencies));
	OK(cudaStreamUpdateCaptureDependencies_v2(s, NULL, NULL, 0, cudaStreamAddCaptureDependencies));
	FAILS(cudaStreamUpdateCaptureDependencies(s, NULL, 1, cudaStreamAddCaptureDependencies), InvalidValue);
#else
	OK(cudaStreamGetCaptureInfo(s, &status, &id, &g, &before, NULL, &count));
	CHECK(id && g && count == 1 && before[0]);
	OK(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 0, cudaStreamAddCaptureDependencies));
	FAILS(cudaStreamUpdateCaptureDependencies(s, NULL, NULL, 1, cudaStreamAddCaptureDependencies), InvalidValue);
#endif
	OK(cudaStreamEndCapture(s, &g));
	CHECK(!hosted && !back[0]);
	OK(cudaGraphInstantiate(&x, g, 0));
	for (int i = 1; i < 4; i++) {
		memset(back, 0, sizeof back);
		OK(cudaGraphLaunch(x, s));
		OK(cudaStreamSynchronize(s));
		CHECK(hosted == 5 * i && back[15] == 0x02020202);
	}
	/* A graph within a capture. */
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
	OK(cudaGraphLaunch(x, s));
	OK(cudaStreamEndCapture(s, &own));
	CHECK(hosted == 15);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphInstantiate(&x, own, 0));
	OK(cudaGraphLaunch(x, s));
	CHECK(hosted == 20);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(own));
	OK(cudaGraphDestroy(g));
	/* Into a graph that is there. */
	OK(cudaGraphCreate(&own, 0));
	OK(cudaGraphAddEmptyNode(&node, own, NULL, 0));
	OK(cudaStreamBeginCaptureToGraph(s, own, &node, NULL, 1, cudaStreamCaptureModeRelaxed));
	OK(cudaMemsetAsync(p, 3, 64, s));
	OK(cudaStreamEndCapture(s, &g));
	CHECK(g == own);
	OK(cudaGraphGetNodes(g, NULL, &count));
	CHECK(count == 2);
	OK(cudaGraphDestroy(own));
	/* What goes wrong. */
	FAILS(cudaStreamEndCapture(s, &g), IllegalState);
	FAILS(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal), CaptureUnsupported);
	FAILS(cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)9), InvalidValue);
	FAILS(cudaStreamIsCapturing(s, NULL), InvalidValue);
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	FAILS(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal), IllegalState);
	FAILS(cudaStreamSynchronize(s), CaptureUnsupported);
	FAILS(cudaMemsetAsync(p, 1, 64, s), CaptureInvalidated);
	FAILS(cudaStreamEndCapture(s, &g), CaptureInvalidated);
	CHECK(!g);
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	FAILS(cudaDeviceSynchronize(), CaptureUnsupported);
	FAILS(cudaStreamEndCapture(s, &g), CaptureInvalidated);
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
	FAILS(cudaMallocHost(&q, 64), CaptureUnsupported);
	FAILS(cudaStreamEndCapture(s, &g), CaptureInvalidated);
	OK(cudaEventRecord(e, t));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	FAILS(cudaStreamWaitEvent(s, e, 0), CaptureIsolation); /* recorded before it began */
	FAILS(cudaStreamEndCapture(s, &g), CaptureInvalidated);
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	OK(cudaEventRecord(e, s));
	OK(cudaStreamWaitEvent(t, e, 0));
	OK(cudaMemsetAsync(p, 1, 64, t));
	FAILS(cudaStreamEndCapture(t, &g), CaptureUnmatched);
	FAILS(cudaStreamEndCapture(s, &g), CaptureUnjoined);
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	CHECK(mode == cudaStreamCaptureModeGlobal);
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	OK(cudaMalloc(&q, 64));
	OK(cudaFree(q));
	OK(cudaMemcpy(back, p, 64, cudaMemcpyDeviceToHost));
	OK(cudaStreamEndCapture(s, &g));
	OK(cudaGraphDestroy(g));
	FAILS(cudaThreadExchangeStreamCaptureMode(&(enum cudaStreamCaptureMode){ 7 }), InvalidValue);
	OK(cudaThreadExchangeStreamCaptureMode(&mode));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
	OK(cudaEventDestroy(e));
	OK(cudaEventDestroy(f));
	OK(cudaFree(p));
}
