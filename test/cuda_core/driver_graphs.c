/* Graphs of the driver interface: captured from streams, made node by node, run, changed, asked; and one mechanism with
 * the runtime. */
#include "driver.h"

#include "test/cuda_core/temporary.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef void *node, *graph, *exec;
struct edge {
	unsigned char from, to, type, reserved[5];
};
struct kernel {
	void *f;
	unsigned grid[3], block[3], shared;
	void **param, **extra;
};
struct kernel2 {
	struct kernel k;
	void *kernel, *context;
};
struct fill {
	ptr addr;
	size_t pitch;
	unsigned value, element;
	size_t width, height;
};
struct host {
	void (*f)(void *);
	void *data;
};
struct box {
	size_t fx, fy, fz, fl;
	int fk;
	const void *fh;
	ptr f;
	void *fa, *z;
	size_t fp, fr;
	size_t tx, ty, tz, tl;
	int tk;
	void *th;
	ptr t;
	void *ta, *z2;
	size_t tp, tr;
	size_t w, h, d;
};
struct alloc {
	int kind, handles, at, id;
	void *security;
	size_t most;
	unsigned short usage;
	unsigned char reserved[54];
	void *access;
	size_t n, bytes;
	ptr addr;
};
struct params {
	int type, reserved[3];
	union {
		long long room[29];
		struct kernel2 kernel;
		struct fill fill;
		struct host host;
		struct {
			graph g;
			int owner;
		} child;
		void *event;
		struct alloc alloc;
		ptr addr;
		struct {
			unsigned long long handle;
			int kind;
			unsigned n;
			graph *body;
			void *context;
		} conditional;
	} u;
	long long end;
};
struct update {
	int result;
	node to, from;
};
struct instantiation {
	unsigned long long flags;
	void *s;
	node bad;
	int result;
};
_Static_assert(sizeof(struct kernel2) == 72 && sizeof(struct alloc) == 120 && sizeof(struct params) == 256 &&
		       sizeof(struct box) == 200,
	       "as CUDA's");

extern int cuGraphCreate(graph *, unsigned), cuGraphDestroy(graph), cuGraphClone(graph *, graph),
	cuGraphNodeFindInClone(node *, node, graph), cuGraphDestroyNode(node);
extern int cuGraphGetNodes(graph, node *, size_t *), cuGraphGetRootNodes(graph, node *, size_t *),
	cuGraphDebugDotPrint(graph, const char *, unsigned);
extern int cuGraphGetEdges(graph, node *, node *, size_t *),
	cuGraphGetEdges_v2(graph, node *, node *, struct edge *, size_t *),
	cuGraphNodeGetDependencies(node, node *, size_t *);
extern int cuGraphNodeGetDependencies_v2(node, node *, struct edge *, size_t *),
	cuGraphNodeGetDependentNodes(node, node *, size_t *),
	cuGraphNodeGetDependentNodes_v2(node, node *, struct edge *, size_t *);
extern int cuGraphAddDependencies(graph, const node *, const node *, size_t),
	cuGraphRemoveDependencies(graph, const node *, const node *, size_t);
extern int cuGraphAddDependencies_v2(graph, const node *, const node *, const struct edge *, size_t),
	cuGraphRemoveDependencies_v2(graph, const node *, const node *, const struct edge *, size_t);
extern int cuGraphInstantiate(exec *, graph, node *, char *, size_t),
	cuGraphInstantiateWithFlags(exec *, graph, unsigned long long),
	cuGraphInstantiateWithParams(exec *, graph, struct instantiation *);
extern int cuGraphExecDestroy(exec), cuGraphExecGetFlags(exec, unsigned long long *),
	cuGraphExecUpdate(exec, graph, node *, int *), cuGraphExecUpdate_v2(exec, graph, struct update *);
extern int cuGraphLaunch(exec, void *), cuGraphLaunch_ptsz(exec, void *), cuGraphUpload(exec, void *),
	cuDeviceGraphMemTrim(int), cuDeviceGetGraphMemAttribute(int, int, void *),
	cuDeviceSetGraphMemAttribute(int, int, void *);
extern int cuGraphAddKernelNode(node *, graph, const node *, size_t, const struct kernel *),
	cuGraphAddKernelNode_v2(node *, graph, const node *, size_t, const struct kernel2 *);
extern int cuGraphAddMemcpyNode(node *, graph, const node *, size_t, const struct box *, void *),
	cuGraphAddMemsetNode(node *, graph, const node *, size_t, const struct fill *, void *);
extern int cuGraphAddHostNode(node *, graph, const node *, size_t, const struct host *),
	cuGraphAddEmptyNode(node *, graph, const node *, size_t),
	cuGraphAddEventRecordNode(node *, graph, const node *, size_t, void *);
extern int cuGraphAddEventWaitNode(node *, graph, const node *, size_t, void *),
	cuGraphAddChildGraphNode(node *, graph, const node *, size_t, graph),
	cuGraphAddMemAllocNode(node *, graph, const node *, size_t, struct alloc *);
extern int cuGraphAddMemFreeNode(node *, graph, const node *, size_t, ptr),
	cuGraphAddNode(node *, graph, const node *, size_t, struct params *),
	cuGraphAddNode_v2(node *, graph, const node *, const struct edge *, size_t, struct params *);
extern int cuGraphKernelNodeSetParams(node, const struct kernel *),
	cuGraphKernelNodeSetParams_v2(node, const struct kernel2 *),
	cuGraphExecKernelNodeSetParams(exec, node, const struct kernel *);
extern int cuGraphExecKernelNodeSetParams_v2(exec, node, const struct kernel2 *),
	cuGraphMemcpyNodeSetParams(node, const struct box *),
	cuGraphExecMemcpyNodeSetParams(exec, node, const struct box *, void *);
extern int cuGraphMemsetNodeSetParams(node, const struct fill *),
	cuGraphExecMemsetNodeSetParams(exec, node, const struct fill *, void *),
	cuGraphHostNodeSetParams(node, const struct host *);
extern int cuGraphExecHostNodeSetParams(exec, node, const struct host *), cuGraphEventRecordNodeSetEvent(node, void *),
	cuGraphEventWaitNodeSetEvent(node, void *), cuGraphExecEventRecordNodeSetEvent(exec, node, void *);
extern int cuGraphExecEventWaitNodeSetEvent(exec, node, void *), cuGraphExecChildGraphNodeSetParams(exec, node, graph),
	cuGraphNodeSetParams(node, struct params *), cuGraphExecNodeSetParams(exec, node, struct params *);
extern int cuGraphNodeSetEnabled(exec, node, unsigned), cuGraphNodeGetEnabled(exec, node, unsigned *),
	cuGraphNodeGetType(node, int *), cuGraphKernelNodeGetParams(node, struct kernel *),
	cuGraphKernelNodeGetParams_v2(node, struct kernel2 *);
extern int cuGraphMemcpyNodeGetParams(node, struct box *), cuGraphMemsetNodeGetParams(node, struct fill *),
	cuGraphHostNodeGetParams(node, struct host *), cuGraphEventRecordNodeGetEvent(node, void **),
	cuGraphEventWaitNodeGetEvent(node, void **);
extern int cuGraphChildGraphNodeGetGraph(node, graph *), cuGraphMemAllocNodeGetParams(node, struct alloc *),
	cuGraphMemFreeNodeGetParams(node, ptr *), cuGraphKernelNodeSetAttribute(node, int, const void *);
extern int cuGraphKernelNodeGetAttribute(node, int, void *), cuGraphKernelNodeCopyAttributes(node, node),
	cuUserObjectCreate(void **, void *, void (*)(void *), unsigned, unsigned), cuUserObjectRetain(void *, unsigned);
extern int cuUserObjectRelease(void *, unsigned), cuGraphRetainUserObject(graph, void *, unsigned, unsigned),
	cuGraphReleaseUserObject(graph, void *, unsigned);
extern int cuStreamBeginCapture(void *), cuStreamBeginCapture_v2(void *, int),
	cuStreamBeginCaptureToGraph(void *, graph, const node *, const struct edge *, size_t, int),
	cuStreamEndCapture(void *, graph *), cuStreamIsCapturing(void *, int *);
extern int cuStreamGetCaptureInfo(void *, int *, unsigned long long *),
	cuStreamGetCaptureInfo_v2(void *, int *, unsigned long long *, graph *, const node **, size_t *);
extern int cuStreamGetCaptureInfo_v3(void *, int *, unsigned long long *, graph *, const node **, const struct edge **,
				     size_t *),
	cuStreamUpdateCaptureDependencies(void *, node *, size_t, unsigned);
extern int cuStreamUpdateCaptureDependencies_v2(void *, node *, const struct edge *, size_t, unsigned),
	cuThreadExchangeStreamCaptureMode(int *), cuStreamWaitEvent(void *, void *, unsigned),
	cuLaunchHostFunc(void *, void (*)(void *), void *);
extern int cuMemsetD32Async(ptr, unsigned, size_t, void *), cuMemcpyDtoDAsync_v2(ptr, ptr, size_t, void *),
	cuMemAllocAsync(ptr *, size_t, void *), cuMemFreeAsync(ptr, void *), cuStreamQuery(void *);

extern int cuGraphConditionalHandleCreate(unsigned long long *, graph, void *, unsigned, unsigned);

enum { N = 256 };
static unsigned called;
static void call(void *data) { called += *(unsigned *)data; }
static void gone(void *data) { *(unsigned *)data += 100; }

static float first(ptr p)
{
	float v[2] = { -1, -1 };

	IS(cuMemcpyDtoH_v2(v, p + 4, 4), 0);
	return v[0];
}

/* saxpy of the test kernels: y[i] += a x[i] */
static void *saxpy(const char *folder)
{
	void *f = NULL;

	IS(cuModuleGetFunction(&f, module(folder), "saxpy"), 0);
	return f;
}

void captures(const char *folder)
{
	void *c = context(), *f = saxpy(folder), *s = NULL, *t = NULL, *e = NULL, *join = NULL;
	unsigned n = N, one = 1;
	float a = 2;
	ptr x = 0, y = 0, z = 0, w = 0;
	void *param[] = { &x, &y, &a, &n }, *wrong_graph = &n;
	unsigned long long id = 0, id2 = 0;
	const struct edge *data = NULL;
	const node *last = NULL;
	graph g = NULL, of = NULL, other = NULL;
	exec run = NULL;
	size_t count = 0;
	int state = -1, mode = 9;

	IS(cuMemAlloc_v2(&x, N * 4), 0);
	IS(cuMemAlloc_v2(&y, N * 4), 0);
	IS(cuMemAlloc_v2(&z, N * 4), 0);
	IS(cuStreamCreate(&s, 1), 0);
	IS(cuStreamCreate(&t, 1), 0);
	IS(cuEventCreate(&e, 2), 0);
	IS(cuEventCreate(&join, 2), 0);
	IS(cuMemsetD32_v2(z, 0, N), 0);
	IS(cuStreamBeginCapture_v2(NULL, 0), 900);
	IS(cuStreamBeginCapture_v2(s, 3), 1);
	IS(cuStreamBeginCapture_v2(&n, 0), 400);
	IS(cuStreamEndCapture(s, &g), 401);
	IS(cuStreamIsCapturing(s, &state), 0);
	IS(state, 0);
	IS(cuStreamBeginCapture_v2(s, 0), 0);
	IS(cuStreamBeginCapture_v2(s, 0), 401);
	IS(cuMemsetD32Async(x, 0x3f800000, N, s), 0); /* 1 */
	IS(cuEventRecord(e, s), 0);
	IS(cuStreamWaitEvent(t, e, 0), 0);
	IS(cuMemsetD32Async(y, 0x40400000, N, t), 0); /* 3, on a branch */
	IS(cuEventRecord(join, t), 0);
	IS(cuStreamWaitEvent(s, join, 0), 0);
	IS(cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, s, param, NULL), 0);
	IS(cuMemcpyDtoDAsync_v2(z, y, N * 4, s), 0);
	IS(cuLaunchHostFunc(s, call, &one), 0);
	IS(cuLaunchHostFunc(s, NULL, &one), 1);
	IS(cuStreamIsCapturing(s, &state), 0);
	IS(state, 1);
	IS(cuStreamIsCapturing(s, NULL), 1);
	IS(cuStreamGetCaptureInfo(s, &state, &id), 0);
	IS(cuStreamGetCaptureInfo_v2(s, &state, &id2, &of, &last, &count), 0);
	CHECK(id == id2 && of && count == 1 && last[0]);
	IS(cuStreamGetCaptureInfo_v3(s, &state, &id2, &of, &last, &data, &count), 0);
	CHECK(data && !data[0].type);
	IS(cuStreamUpdateCaptureDependencies(s, (node *)&wrong_graph, 1, 0), 1);
	IS(cuStreamUpdateCaptureDependencies(s, NULL, 0, 0), 0);
	IS(cuStreamUpdateCaptureDependencies_v2(s, NULL, NULL, 0, 2), 1);
	IS(cuStreamEndCapture(t, &g), 903);
	IS(cuStreamEndCapture(s, &g), 0);
	CHECK(g == of && called == 0);
	IS(first(z) == 0, 1); /* nothing has been done */
	count = 0;
	IS(cuGraphGetNodes(g, NULL, &count), 0);
	IS(count, 5);
	IS(cuGraphGetRootNodes(g, NULL, &count), 0);
	IS(count, 1);
	IS(cuGraphGetEdges(g, NULL, NULL, &count), 0);
	IS(count, 5);
	IS(cuGraphInstantiate(&run, g, NULL, NULL, 0), 0);
	a = 100; /* parameters were copied */
	IS(cuGraphLaunch(run, s), 0);
	IS(cuGraphLaunch_ptsz(run, NULL), 0);
	IS(cuStreamSynchronize(s), 0);
	IS(first(z) == 5, 1);
	IS(called, 2);
	IS(cuGraphLaunch(run, &n), 400);
	IS(cuGraphLaunch(&n, s), 1);
	IS(cuGraphUpload(run, s), 0);
	IS(cuGraphUpload(run, &n), 400);
	/* The other interface runs what this one made, and the other way round. */
	{
		int (*launch)(exec, void *), (*capture)(void *, int), (*end)(void *, graph *),
			(*copy)(void *, const void *, size_t, int, void *);
		char path[4096];
		Dl_info info;
		void *l;

		CHECK(dladdr((void *)(uintptr_t)cuInit, &info));
		snprintf(path, sizeof path, "%.*s/libcudart.so.13",
			 (int)(strrchr(info.dli_fname, '/') - info.dli_fname), info.dli_fname);
		l = dlopen(path, RTLD_NOW);
		CHECK(l);
		*(void **)&launch = dlsym(l, "cudaGraphLaunch");
		*(void **)&capture = dlsym(l, "cudaStreamBeginCapture");
		*(void **)&end = dlsym(l, "cudaStreamEndCapture");
		*(void **)&copy = dlsym(l, "cudaMemcpyAsync");
		IS(launch(run, s), 0);
		IS(called, 3);
		IS(capture(s, 0), 0);
		IS(cuMemsetD32Async(z, 0x41200000, N, s), 0); /* 10 */
		IS(copy((void *)(uintptr_t)y, (void *)(uintptr_t)z, N * 4, 3, s), 0);
		IS(end(s, &other), 0);
		IS(cuGraphGetNodes(other, NULL, &count), 0);
		IS(count, 2);
		IS(cuGraphExecDestroy(run), 0);
		IS(cuGraphInstantiateWithFlags(&run, other, 0), 0);
		IS(cuGraphLaunch(run, NULL), 0);
		IS(first(y) == 10, 1);
		IS(cuGraphDestroy(other), 0);
	}
	IS(cuGraphExecDestroy(run), 0);
	IS(cuGraphExecDestroy(run), 1);
	IS(cuGraphDestroy(g), 0);
	IS(cuGraphDestroy(g), 1);
	/* What a capture does not allow, and what becomes of it. */
	IS(cuStreamBeginCapture(s), 0);
	IS(cuStreamSynchronize(s), 900);
	IS(cuMemsetD32Async(x, 0, N, s), 901);
	IS(cuStreamEndCapture(s, &g), 901);
	CHECK(!g);
	IS(cuStreamBeginCapture_v2(s, 0), 0);
	IS(cuCtxSynchronize(), 900);
	IS(cuStreamEndCapture(s, &g), 901);
	IS(cuStreamBeginCapture_v2(s, 0), 0);
	IS(cuMemcpyDtoH_v2(&a, x, 4), 900);
	IS(cuStreamEndCapture(s, &g), 901);
	IS(cuStreamBeginCapture_v2(s, 0), 0);
	IS(cuMemAlloc_v2(&w, 1024), 900);
	IS(cuStreamEndCapture(s, &g), 901);
	IS(cuStreamBeginCapture_v2(s, 0), 0);
	IS(cuMemFree_v2(x), 900);
	IS(cuStreamEndCapture(s, &g), 901);
	IS(cuStreamBeginCapture_v2(s, 0), 0);
	IS(cuStreamQuery(s), 900);
	IS(cuStreamEndCapture(s, &g), 901);
	IS(cuStreamBeginCapture_v2(s, 0), 0);
	IS(cuEventRecord(e, s), 0);
	IS(cuStreamWaitEvent(t, e, 0), 0);
	IS(cuMemsetD32Async(x, 0, N, t), 0);
	IS(cuStreamEndCapture(s, &g), 904);   /* not joined */
	IS(cuStreamBeginCapture_v2(s, 2), 0); /* relaxed: others may wait */
	IS(cuMemcpyDtoH_v2(&a, x, 4), 0);
	IS(cuMemAllocAsync(&w, 1024, s), 0);
	IS(cuMemsetD32Async(w, 0x40000000, N, s), 0);
	IS(cuMemcpyDtoDAsync_v2(z, w, N * 4, s), 0);
	IS(cuMemFreeAsync(w, s), 0);
	IS(cuStreamEndCapture(s, &g), 0);
	IS(cuMemFree_v2(w), 0); /* the graph's affair */
	IS(cuMemFreeAsync(w, s), 0);
	IS(cuGraphInstantiateWithFlags(&run, g, 0), 0);
	IS(cuGraphLaunch(run, s), 0);
	IS(first(z) == 2, 1);
	IS(cuGraphExecDestroy(run), 0);
	IS(cuGraphDestroy(g), 0);
	IS(cuMemFree_v2(w), 1);
	IS(cuMemAllocAsync(&w, 1024, s), 0);
	IS(cuMemFreeAsync(w, s), 0);
	IS(cuMemFreeAsync(w, s), 1);
	IS(cuMemFreeAsync(0, s), 1);
	IS(cuMemAllocAsync(&w, 0, s), 1);
	IS(cuThreadExchangeStreamCaptureMode(&mode), 1);
	mode = 2;
	IS(cuThreadExchangeStreamCaptureMode(&mode), 0);
	IS(mode, 0);
	IS(cuThreadExchangeStreamCaptureMode(&mode), 0);
	IS(mode, 2);
	/* Into a graph that is there. */
	IS(cuGraphCreate(&g, 0), 0);
	IS(cuStreamBeginCaptureToGraph(s, NULL, NULL, NULL, 0, 0), 1);
	IS(cuStreamBeginCaptureToGraph(s, g, NULL, NULL, 0, 0), 0);
	IS(cuMemsetD32Async(x, 0, N, s), 0);
	IS(cuStreamEndCapture(s, &of), 0);
	CHECK(of == g);
	IS(cuGraphDestroy(g), 0);
	IS(cuStreamDestroy_v2(s), 0);
	IS(cuCtxDestroy_v2(c), 0);
}

/* Where edges leave a choice the earliest node comes next, also one that waited for a later one. */
static unsigned noted;
static void note(void *data) { noted = noted * 10 + *(unsigned *)data; }

static void ordered(void)
{
	static unsigned name[] = { 1, 2, 3, 4 };
	graph g = NULL;
	node n[4];
	exec x = NULL;

	IS(cuGraphCreate(&g, 0), 0);
	for (unsigned i = 0; i < 4; i++)
		IS(cuGraphAddHostNode(&n[i], g, NULL, 0, &(struct host){ note, &name[i] }), 0);
	IS(cuGraphAddDependencies(g, (const node[]){ n[1], n[2] }, (const node[]){ n[0], n[1] }, 2), 0);
	IS(cuGraphInstantiateWithFlags(&x, g, 0), 0);
	IS(cuGraphLaunch(x, NULL), 0);
	IS(noted, 3214);
	IS(cuGraphExecDestroy(x), 0);
	IS(cuGraphDestroy(g), 0);
}

/* A node that chooses one of two bodies, by the handle's value from the start: the first fills x with ones, the other
 * with twos. */
static void choice(void *c)
{
	struct params p;
	void *c2 = NULL;
	unsigned long long h = 0;
	graph g = NULL;
	node n = NULL;
	exec run = NULL;
	unsigned word = 0;
	int type = 0;
	ptr x = 0;

	IS(cuMemAlloc_v2(&x, 4), 0);
	for (unsigned value = 0; value < 4; value++) {
		IS(cuGraphCreate(&g, 0), 0);
		IS(cuGraphConditionalHandleCreate(NULL, g, c, value, 1), 1);
		IS(cuGraphConditionalHandleCreate(&h, g, &n, value, 1), 1); /* no context */
		IS(cuGraphConditionalHandleCreate(&h, g, c, value, 3), 1);
		IS(cuGraphConditionalHandleCreate(&h, g, c, value, 1), 0);
		p = (struct params){ .type = 13 };
		p.u.conditional.handle = h;
		p.u.conditional.kind = 2;
		p.u.conditional.n = 2;
		IS(cuCtxCreate_v2(&c2, 0, 0), 0);
		IS(cuGraphAddNode(&n, g, NULL, 0, &p), 1); /* not the handle's context */
		IS(cuCtxDestroy_v2(c2), 0);
		p.u.conditional.context = c;
		IS(cuGraphAddNode(&n, g, NULL, 0, &p), 0);
		IS(cuGraphNodeGetType(n, &type), 0);
		IS(type, 13);
		IS(cuGraphNodeSetParams(n, &p), 801);
		for (unsigned i = 0; i < 2; i++)
			IS(cuGraphAddMemsetNode(&n, p.u.conditional.body[i], NULL, 0,
						&(struct fill){ x, 0, i + 1, 4, 1, 1 }, c),
			   0);
		IS(cuGraphInstantiateWithFlags(&run, g, 0), 0);
		IS(cuGraphDestroy(g), 0);
		IS(cuMemsetD32_v2(x, 9, 1), 0);
		IS(cuGraphLaunch(run, NULL), 0);
		IS(cuMemcpyDtoH_v2(&word, x, 4), 0);
		IS(word, value < 2 ? value + 1 : 9);
		IS(cuGraphExecDestroy(run), 0);
	}
	IS(cuMemFree_v2(x), 0);
}

void graphs(const char *folder)
{
	void *c = context(), *f = saxpy(folder), *e = NULL, *e2 = NULL, *got = NULL, *object = NULL;
	unsigned n = N, one = 1, ten = 10, flag = 9, held = 0, cooperative[16] = { 1 };
	unsigned long long flags = 9, bytes = 0, zero = 0;
	float a = 2;
	ptr x = 0, y = 0, z = 0, freed = 0;
	void *param[] = { &x, &y, &a, &n };
	struct kernel k = { f, { 1, 1, 1 }, { N, 1, 1 }, 0, param, NULL }, k_got;
	struct kernel2 k2 = { k, NULL, NULL };
	struct fill fill = { 0, 0, 0x3f800000, 4, N, 1 }, fill_got;
	struct host host = { call, &one }, host_got;
	struct box box = { .fk = 2, .tk = 2, .w = N * 4, .h = 1, .d = 1 }, box_got;
	struct alloc alloc = { .kind = 1, .at = 1, .bytes = 4096 }, alloc_got;
	struct params p = { .type = 3 };
	struct update u;
	struct instantiation how = { .flags = 0 };
	graph g = NULL, child = NULL, copy = NULL, inner = NULL;
	node fx = NULL, fy = NULL, run = NULL, out = NULL, told = NULL, empty = NULL, record = NULL, wait = NULL,
	     sub = NULL, take = NULL, give = NULL, any = NULL, both[2], list[16];
	struct edge data[16];
	node from[16], to[16];
	exec x1 = NULL;
	size_t count = 16;
	int type = -1, result = -1;
	char path[4096];

	choice(c);
	IS(cuMemAlloc_v2(&x, N * 4), 0);
	IS(cuMemAlloc_v2(&y, N * 4), 0);
	IS(cuMemAlloc_v2(&z, N * 4), 0);
	IS(cuEventCreate(&e, 0), 0);
	IS(cuEventCreate(&e2, 0), 0);
	IS(cuGraphCreate(&g, 1), 1);
	IS(cuGraphCreate(NULL, 0), 1);
	IS(cuGraphCreate(&g, 0), 0);
	fill.addr = x;
	IS(cuGraphAddMemsetNode(&fx, g, NULL, 0, &fill, c), 0);
	fill.addr = y;
	IS(cuGraphAddMemsetNode(&fy, g, NULL, 0, &fill, c), 0);
	fill.element = 3;
	IS(cuGraphAddMemsetNode(&any, g, NULL, 0, &fill, c), 1);
	fill.element = 4;
	both[0] = fx;
	both[1] = fy;
	IS(cuGraphAddKernelNode_v2(&run, g, both, 2, &k2), 0);
	k.grid[0] = 0;
	IS(cuGraphAddKernelNode(&any, g, both, 2, &k), 1);
	k.grid[0] = 1;
	k.f = c;
	IS(cuGraphAddKernelNode(&any, g, both, 2, &k), 400);
	k.f = f;
	IS(cuGraphAddKernelNode(&any, g, NULL, 2, &k), 1);
	IS(cuGraphAddKernelNode(&any, &n, both, 2, &k), 1);
	IS(cuGraphAddKernelNode(&any, g, both, 2, NULL), 1);
	box.f = y;
	box.t = z;
	IS(cuGraphAddMemcpyNode(&out, g, &run, 1, &box, c), 0);
	box.fk = 8;
	IS(cuGraphAddMemcpyNode(&any, g, &run, 1, &box, c), 1);
	box.fk = 2;
	IS(cuGraphAddHostNode(&told, g, &out, 1, &host), 0);
	IS(cuGraphAddHostNode(&any, g, &out, 1, &(struct host){ NULL, NULL }), 1);
	IS(cuGraphAddEmptyNode(&empty, g, &told, 1), 0);
	IS(cuGraphAddEventRecordNode(&record, g, &empty, 1, e), 0);
	IS(cuGraphAddEventWaitNode(&wait, g, &record, 1, e), 0);
	IS(cuGraphAddEventWaitNode(&any, g, &record, 1, NULL), 1);
	IS(cuGraphInstantiateWithFlags(&x1, g, 16), 1);
	IS(cuGraphInstantiateWithFlags(&x1, g, 4), 801);
	IS(cuGraphInstantiateWithFlags(&x1, g, 0), 0);
	IS(cuGraphExecGetFlags(x1, &flags), 0);
	IS(flags, 0);
	IS(cuGraphExecGetFlags(x1, NULL), 1);
	IS(cuGraphLaunch(x1, NULL), 0);
	IS(first(z) == 3, 1);
	IS(called, 1);
	/* Kinds and parameters. */
	IS(cuGraphNodeGetType(run, &type), 0);
	IS(type, 0);
	IS(cuGraphNodeGetType(wait, &type), 0);
	IS(type, 6);
	IS(cuGraphNodeGetType(g, &type), 1);
	IS(cuGraphKernelNodeGetParams(run, &k_got), 0);
	CHECK(k_got.f == f && k_got.block[0] == N && *(float *)k_got.param[2] == 2);
	IS(cuGraphKernelNodeGetParams_v2(run, &k2), 0);
	CHECK(k2.k.f == f && k2.context == c);
	IS(cuGraphKernelNodeGetParams(fx, &k_got), 1);
	IS(cuGraphMemsetNodeGetParams(fy, &fill_got), 0);
	IS(memcmp(&fill_got, &fill, sizeof fill), 0);
	IS(cuGraphMemcpyNodeGetParams(out, &box_got), 0);
	CHECK(box_got.f == y && box_got.t == z && box_got.w == N * 4 && box_got.fk == 2 && box_got.tk == 2);
	IS(cuGraphHostNodeGetParams(told, &host_got), 0);
	CHECK(host_got.f == call && host_got.data == &one);
	IS(cuGraphEventRecordNodeGetEvent(record, &got), 0);
	CHECK(got == e);
	IS(cuGraphEventWaitNodeGetEvent(wait, &got), 0);
	CHECK(got == e);
	IS(cuGraphEventWaitNodeGetEvent(wait, NULL), 1);
	/* Changes of what runs, and of what it was made of. */
	a = 4;
	IS(cuGraphExecKernelNodeSetParams(x1, run, &k), 0);
	k2.k = k;
	IS(cuGraphExecKernelNodeSetParams_v2(x1, run, &k2), 0);
	IS(cuGraphExecKernelNodeSetParams(x1, fx, &k), 1);
	IS(cuGraphExecKernelNodeSetParams(NULL, run, &k), 1);
	host.data = &ten;
	IS(cuGraphExecHostNodeSetParams(x1, told, &host), 0);
	fill.value = 0x40000000; /* y = 2 */
	IS(cuGraphExecMemsetNodeSetParams(x1, fy, &fill, c), 0);
	IS(cuGraphExecMemcpyNodeSetParams(x1, out, &box, c), 0);
	IS(cuGraphExecEventRecordNodeSetEvent(x1, record, e2), 0);
	IS(cuGraphExecEventWaitNodeSetEvent(x1, wait, e2), 0);
	IS(cuGraphLaunch(x1, NULL), 0);
	IS(first(z) == 6, 1);
	IS(called, 11);
	IS(cuGraphNodeSetEnabled(x1, run, 0), 0);
	IS(cuGraphNodeGetEnabled(x1, run, &flag), 0);
	IS(flag, 0);
	IS(cuGraphNodeSetEnabled(x1, told, 0), 1);
	IS(cuGraphLaunch(x1, NULL), 0);
	IS(first(z) == 2, 1);
	a = 8;
	IS(cuGraphKernelNodeSetParams(run, &k), 0);
	IS(cuGraphKernelNodeSetParams_v2(run, &k2), 0);
	IS(cuGraphMemsetNodeSetParams(fy, &fill), 0);
	IS(cuGraphMemcpyNodeSetParams(out, &box), 0);
	IS(cuGraphHostNodeSetParams(told, &host), 0);
	IS(cuGraphEventRecordNodeSetEvent(record, e2), 0);
	IS(cuGraphEventWaitNodeSetEvent(wait, e2), 0);
	IS(cuGraphMemsetNodeSetParams(out, &fill), 1);
	IS(cuGraphNodeSetEnabled(x1, run, 1), 0);
	IS(cuGraphExecUpdate_v2(x1, g, &u), 0);
	CHECK(u.result == 0 && !u.to && !u.from);
	IS(cuGraphLaunch(x1, NULL), 0);
	IS(first(z) == 10, 1);
	p.u.host = (struct host){ call, &one };
	IS(cuGraphNodeSetParams(told, &p), 0);
	IS(cuGraphExecNodeSetParams(x1, told, &p), 0);
	IS(cuGraphExecNodeSetParams(x1, run, &p), 1);
	/* Attributes. */
	IS(cuGraphKernelNodeSetAttribute(run, 2, cooperative), 0);
	memset(cooperative, 0, sizeof cooperative);
	IS(cuGraphKernelNodeGetAttribute(run, 2, cooperative), 0);
	IS(cooperative[0], 1);
	IS(cuGraphKernelNodeGetAttribute(run, 99, cooperative), 1);
	IS(cuGraphKernelNodeSetAttribute(fx, 2, cooperative), 1);
	IS(cuGraphKernelNodeCopyAttributes(run, run), 0);
	IS(cuGraphKernelNodeCopyAttributes(run, fx), 1);
	/* Edges. */
	IS(cuGraphGetNodes(g, list, &count), 0);
	IS(count, 8);
	count = 16;
	IS(cuGraphGetRootNodes(g, list, &count), 0);
	CHECK(count == 2 && list[0] == fx && !list[2]);
	count = 16;
	IS(cuGraphGetEdges_v2(g, from, to, data, &count), 0);
	IS(count, 7);
	count = 16;
	IS(cuGraphGetEdges(g, from, NULL, &count), 1);
	IS(cuGraphNodeGetDependencies(run, list, &count), 0);
	CHECK(count == 2 && list[1] == fy);
	count = 16;
	IS(cuGraphNodeGetDependencies_v2(run, list, data, &count), 0);
	IS(count, 2);
	count = 16;
	IS(cuGraphNodeGetDependentNodes(run, list, &count), 0);
	CHECK(count == 1 && list[0] == out);
	IS(cuGraphNodeGetDependentNodes_v2(run, list, data, &count), 0);
	IS(cuGraphAddDependencies(g, &fx, &fy, 1), 0);
	IS(cuGraphAddDependencies(g, &fx, &fy, 1), 1);
	IS(cuGraphAddDependencies(g, NULL, &fy, 1), 1);
	IS(cuGraphRemoveDependencies(g, &fx, &fy, 1), 0);
	IS(cuGraphRemoveDependencies(g, &fx, &fy, 1), 1);
	memset(data, 0, sizeof data);
	IS(cuGraphAddDependencies_v2(g, &wait, &fx, data, 1), 0); /* a cycle */
	IS(cuGraphInstantiateWithParams(&x1, g, &how), 1);
	IS(how.result, 2);
	data[0].type = 1;
	IS(cuGraphRemoveDependencies_v2(g, &wait, &fx, data, 1), 801);
	IS(cuGraphRemoveDependencies_v2(g, &wait, &fx, NULL, 1), 0);
	/* Children, copies, memory. */
	IS(cuGraphCreate(&child, 0), 0);
	IS(cuGraphAddHostNode(&any, child, NULL, 0, &host), 0);
	IS(cuGraphAddChildGraphNode(&sub, g, NULL, 0, child), 0);
	IS(cuGraphAddChildGraphNode(&any, g, NULL, 0, g), 1);
	IS(cuGraphChildGraphNodeGetGraph(sub, &inner), 0);
	CHECK(inner && inner != child);
	IS(cuGraphDestroy(inner), 1);
	IS(cuGraphAddMemAllocNode(&take, g, NULL, 0, &alloc), 0);
	CHECK(alloc.addr);
	alloc.kind = 0;
	IS(cuGraphAddMemAllocNode(&any, g, NULL, 0, &alloc), 1);
	alloc.kind = 1;
	IS(cuGraphAddMemFreeNode(&give, g, &take, 1, alloc.addr), 0);
	IS(cuGraphAddMemFreeNode(&any, g, &take, 1, x), 1);
	IS(cuGraphMemAllocNodeGetParams(take, &alloc_got), 0);
	CHECK(alloc_got.addr == alloc.addr && alloc_got.bytes == 4096);
	IS(cuGraphMemFreeNodeGetParams(give, &freed), 0);
	CHECK(freed == alloc.addr);
	IS(cuDeviceGetGraphMemAttribute(0, 0, &bytes), 0);
	IS(bytes, 4096);
	IS(cuDeviceGetGraphMemAttribute(0, 4, &bytes), 1);
	IS(cuDeviceSetGraphMemAttribute(0, 1, &zero), 0);
	IS(cuDeviceSetGraphMemAttribute(0, 0, &zero), 1);
	IS(cuDeviceGraphMemTrim(0), 0);
	IS(cuDeviceGraphMemTrim(1), 101);
	IS(cuGraphExecUpdate(x1, g, &any, &result), 910); /* it has more nodes now */
	IS(result, 2);
	IS(cuGraphExecDestroy(x1), 0);
	IS(cuGraphClone(&copy, g), 0);
	IS(cuGraphNodeFindInClone(&any, run, copy), 0);
	CHECK(any != run);
	IS(cuGraphNodeFindInClone(&any, any, copy), 1);
	IS(cuGraphClone(&inner, g), 0);
	IS(cuGraphNodeFindInClone(&any, sub, inner), 0);
	IS(cuGraphDestroyNode(any), 0);
	IS(cuGraphNodeFindInClone(&any, sub, inner), 1); /* it was there */
	IS(cuGraphDestroy(inner), 0);
	IS(cuGraphInstantiateWithParams(&x1, copy, &how), 0);
	IS(how.result, 0);
	IS(cuGraphExecChildGraphNodeSetParams(x1, sub, child), 1); /* made of the copy's */
	IS(cuGraphNodeFindInClone(&any, sub, copy), 0);
	IS(cuGraphExecChildGraphNodeSetParams(x1, any, child), 0);
	called = 0;
	IS(cuGraphLaunch(x1, NULL), 0);
	IS(called, 11);
	p = (struct params){ .type = 5 };
	IS(cuGraphAddNode(&any, g, &run, 1, &p), 0);
	IS(cuGraphDestroyNode(any), 0);
	IS(cuGraphDestroyNode(any), 1);
	IS(cuGraphAddNode_v2(&any, g, &run, data, 1, &p), 801);
	IS(cuGraphAddNode_v2(&any, g, &run, NULL, 1, &p), 0);
	p = (struct params){ .type = 10, .u.alloc = { .kind = 1, .at = 1, .bytes = 64 } };
	IS(cuGraphAddNode(&any, g, NULL, 0, &p), 0);
	p.type = 9;
	IS(cuGraphAddNode(&any, g, NULL, 0, &p), 801);
	p.type = 99;
	IS(cuGraphAddNode(&any, g, NULL, 0, &p), 1);
	CHECK(temporary(path));
	IS(cuGraphDebugDotPrint(g, path, 0), 0);
	IS(cuGraphDebugDotPrint(&n, path, 0), 1);
	CHECK(file_has(path, "[label=\"kernel saxpy\"]") && file_has(path, "[label=\"event wait\"]"));
	CHECK(remove(path) == 0);
	/* What a graph holds. */
	IS(cuUserObjectCreate(&object, &held, gone, 1, 0), 1);
	IS(cuUserObjectCreate(&object, &held, gone, 1, 1), 0);
	IS(cuUserObjectRetain(object, 1), 0);
	IS(cuUserObjectRelease(object, 1), 0);
	IS(cuGraphRetainUserObject(g, object, 1, 2), 1);
	IS(cuGraphRetainUserObject(g, object, 1, 1), 0); /* moved */
	IS(cuGraphRetainUserObject(g, object, 1, 0), 0);
	IS(cuGraphReleaseUserObject(g, object, 1), 0);
	IS(held, 0);
	IS(cuGraphDestroy(g), 0);
	IS(held, 100);
	IS(cuGraphDestroy(copy), 0);
	IS(cuGraphDestroy(child), 0);
	IS(cuGraphExecDestroy(x1), 0);
	IS(cuDeviceGetGraphMemAttribute(0, 0, &bytes), 0);
	IS(bytes, 0);
	ordered();
	IS(cuCtxDestroy_v2(c), 0);
}
