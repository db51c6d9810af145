/* The driver interface from a plain C program that has no header of NVIDIA's: driver FOLDER CASE, as core.c. */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

unsigned checks, wrong;

void is(long long got, long long want, const char *what, int line)
{
	checks++;
	if (got != want) {
		wrong++;
		printf("line %d: %s is %lld, not %lld\n", line, what, got, want);
	}
}

void *module(const char *folder)
{
	char path[4096];
	void *m = NULL;

	snprintf(path, sizeof path, "%s/kernels.ptx", folder);
	IS(cuModuleLoad(&m, path), 0);
	return m;
}

void *context(void)
{
	void *c = NULL;

	IS(cuInit(0), 0);
	IS(cuCtxCreate_v2(&c, 0, 0), 0);
	return c;
}

static void contexts(const char *folder)
{
	void *a = NULL, *b = NULL, *now = NULL;
	const char *text = NULL;
	char name[64] = "";
	int n = 0, v = 0;
	ptr p = 0;

	(void)folder;
	IS(cuDeviceGetCount(&n), 3);
	IS(cuMemAlloc_v2(&p, 4), 3);
	IS(cuInit(1), 1);
	IS(cuInit(0), 0);
	IS(cuMemAlloc_v2(&p, 4), 201);
	IS(cuDeviceGetCount(&n), 0);
	IS(n, 1);
	IS(cuDeviceGet(&n, 1), 101);
	IS(cuDeviceGet(&n, 0), 0);
	IS(cuDeviceGetName(name, sizeof name, n), 0);
	IS(strncmp(name, "regloom", 7), 0);
	IS(cuDeviceGetAttribute(&v, 10, n), 0);
	IS(v, 32);
	IS(cuDeviceGetAttribute(&v, 75, n), 0);
	IS(v, 9);
	IS(cuDeviceGetAttribute(&v, 0, n), 1);
	IS(cuDriverGetVersion(&v), 0);
	CHECK(v >= 12000);
	IS(cuGetErrorName(700, &text), 0);
	IS(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
	IS(cuGetErrorString(201, &text), 0);
	IS(strcmp(text, "invalid device context"), 0);
	IS(cuGetErrorName(12345, &text), 1);
	IS(cuCtxCreate_v2(&a, 0, 0), 0);
	IS(cuCtxCreate_v2(&b, 0, 3), 101);
	IS(cuCtxCreate_v2(&b, 0, 0), 0);
	IS(cuCtxGetCurrent(&now), 0);
	CHECK(now == b);
	IS(cuCtxPopCurrent_v2(&now), 0);
	IS(cuCtxGetCurrent(&now), 0);
	CHECK(now == a);
	IS(cuCtxPushCurrent_v2(b), 0);
	IS(cuCtxDestroy_v2(b), 0);
	IS(cuCtxDestroy_v2(b), 201);
	IS(cuCtxSetCurrent(b), 201);
	IS(cuMemAlloc_v2(&p, 4), 0);
	IS(cuCtxSetCurrent(NULL), 0);
	IS(cuMemFree_v2(p), 201);
	IS(cuDevicePrimaryCtxRelease_v2(0), 201);
	IS(cuDevicePrimaryCtxRetain(&b, 0), 0);
	IS(cuCtxSetCurrent(b), 0);
	IS(cuMemFree_v2(p), 0);
	IS(cuMemFree_v2(p), 1);
	IS(cuCtxGetDevice(&n), 0);
	IS(cuDevicePrimaryCtxRelease_v2(0), 0);
	IS(cuMemAlloc_v2(&p, 4), 201);
}

static void launches(const char *folder)
{
	void *c = context(), *m = module(folder), *f = NULL, *bad = NULL, *s = NULL, *e[2];
	float x[1000], a = 2, ms = -1;
	unsigned n = 1000, count = 0, off = 0;
	ptr p = 0, q = 0;
	struct {
		ptr x, y;
		float a;
		unsigned n;
	} block;
	size_t bytes = sizeof block;
	void *param[] = { &p, &p, &a, &n }, *extra[] = { (void *)1, &block, (void *)2, &bytes, NULL };
	int v = 0;

	IS(cuModuleLoad(&bad, "/nothing.ptx"), 301);
	IS(cuModuleLoadData(&bad, "no PTX"), 218);
	IS(cuModuleGetFunctionCount(&count, m), 0);
	IS(count, 10);
	IS(cuModuleGetFunction(&f, m, "nothing"), 500);
	IS(cuModuleGetFunction(&f, m, "saxpy"), 0);
	IS(cuFuncGetAttribute(&v, 0, f), 0);
	IS(v, 1024);
	IS(cuFuncSetAttribute(f, 8, 1 << 20), 1);
	IS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 256, 0), 0);
	CHECK(v > 0);
	IS(cuMemAlloc_v2(&p, sizeof x), 0);
	for (unsigned i = 0; i < n; i++)
		x[i] = (float)i;
	IS(cuMemcpyHtoD_v2(p, x, sizeof x), 0);
	IS(cuStreamCreate(&s, 1), 0);
	IS(cuEventCreate(&e[0], 0), 0);
	IS(cuEventCreate(&e[1], 0), 0);
	IS(cuEventRecord(e[0], s), 0);
	IS(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, s, param, NULL), 0);
	block.x = block.y = p;
	block.a = 2;
	block.n = n;
	IS(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, s, NULL, extra), 0);
	IS(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, s, param, extra), 1);
	IS(cuLaunchKernel(f, 0, 1, 1, 256, 1, 1, 0, s, param, NULL), 1);
	IS(cuLaunchKernel(m, 1, 1, 1, 256, 1, 1, 0, s, param, NULL), 400);
	bytes = 8;
	IS(cuLaunchKernel(f, 4, 1, 1, 256, 1, 1, 0, s, NULL, extra), 1);
	IS(cuLaunchKernel_ptsz(f, 4, 1, 1, 256, 1, 1, 0, NULL, param, NULL), 0);
	IS(cuEventRecord(e[1], s), 0);
	IS(cuEventSynchronize(e[1]), 0);
	IS(cuEventElapsedTime(&ms, e[0], e[1]), 0);
	CHECK(ms > 0);
	IS(cuMemcpyDtoHAsync_v2(x, p, sizeof x, s), 0);
	IS(cuStreamSynchronize(s), 0);
	for (unsigned i = 0; i < n; i++)
		off += x[i] != (float)i * 27;
	IS(off, 0);
	IS(cuModuleGetGlobal_v2(&q, &bytes, m, "seven"), 0);
	IS(bytes, 4);
	IS(cuMemcpyDtoH_v2(&v, q, 4), 0);
	IS(v, 7);
	IS(cuStreamDestroy_v2(s), 0);
	IS(cuStreamDestroy_v2(s), 400);
	IS(cuModuleUnload(m), 0);
	IS(cuCtxDestroy_v2(c), 0);
}

static void memory(const char *folder)
{
	struct {
		size_t fx, fy;
		int fk;
		const void *fh;
		ptr f;
		void *fa;
		size_t fp, tx, ty;
		int tk;
		void *th;
		ptr t;
		void *ta;
		size_t tp, w, h;
	} box = { .fk = 2, .tk = 1, .tp = 7, .w = 7, .h = 3 };
	unsigned char host[21];
	void *c = context(), *pinned = NULL, *f = NULL;
	size_t pitch = 0, before = 0, after = 0, total = 0;
	unsigned kind = 0, v[4];
	ptr p = 0, m = 0;
	int status = -1;

	(void)folder;
	IS(cuMemGetInfo_v2(&before, &total), 0);
	IS(cuMemAlloc_v2(&p, 0), 1);
	IS(cuMemAllocPitch_v2(&p, &pitch, 7, 3, 4), 0);
	CHECK(pitch >= 7 && pitch % 512 == 0);
	IS(cuMemGetInfo_v2(&after, &total), 0);
	IS(before - after, pitch * 3);
	IS(cuMemsetD2D8_v2(p, pitch, 9, 7, 3), 0);
	box.f = p;
	box.fp = pitch;
	box.th = host;
	IS(cuMemcpy2D_v2(&box), 0);
	CHECK(host[0] == 9 && host[20] == 9);
	box.h = 4;
	IS(cuMemcpy2D_v2(&box), 1);
	box.fk = 7;
	IS(cuMemcpy2D_v2(&box), 1);
	IS(cuMemAllocManaged(&m, 16, 1), 0);
	IS(cuMemsetD32_v2(m, 0xabcdef01, 4), 0);
	IS(((unsigned *)(uintptr_t)m)[3], 0xabcdef01);
	IS(cuMemHostAlloc(&pinned, 16, 0), 0);
	IS(cuPointerGetAttribute(&kind, 2, (ptr)(uintptr_t)pinned), 0);
	IS(kind, 1);
	IS(cuPointerGetAttribute(&kind, 2, m), 0);
	IS(kind, 2);
	IS(cuPointerGetAttribute(&kind, 2, (ptr)(uintptr_t)&kind), 1);
	IS(cuMemcpyDtoH_v2(v, m, 17), 1);
	IS(cuMemFreeHost(pinned), 0);
	IS(cuMemFree_v2(m), 0);
	IS(cuMemFree_v2(p), 0);
	IS(cuMemFree_v2(0), 0);
	IS(cuGetProcAddress_v2("cuMemAlloc", &f, 13000, 0, &status), 0);
	CHECK(f == (void *)(uintptr_t)cuMemAlloc_v2 && status == 0);
	IS(cuGetProcAddress_v2("cuNothing", &f, 13000, 0, &status), 0);
	CHECK(!f && status == 1);
	IS(cuCtxDestroy_v2(c), 0);
}

/* What a context owns goes with it, and nothing of another's. */
static void ownership(const char *folder)
{
	void *a = context(), *b = NULL, *m = module(folder), *f = NULL, *s = NULL, *e = NULL, *pinned = NULL,
	     *now = NULL, *array = NULL, *arrays[32], *green = &green, *kept = NULL;
	const struct {
		size_t w, h;
		int format;
		unsigned channels;
	} shape = { 16, 0, 32, 1 };
	size_t start = 0, before = 0, after = 0, total = 0;
	ptr p = 0, q = 0;
	unsigned flags = 9;
	int n = -1;

	IS(cuModuleGetFunction(&f, m, "saxpy"), 0);
	IS(cuMemAlloc_v2(&q, 1000), 0);
	IS(cuMemGetInfo_v2(&start, &total), 0);
	IS(cuCtxCreate_v2(&b, 0, 0), 0);
	IS(cuMemAlloc_v2(&p, 4096), 0);
	IS(cuMemAlloc_v2(&p, 4096), 0);
	IS(cuMemFree_v2(p), 0);
	IS(cuMemAlloc_v2(&p, 4096), 0);
	IS(cuMemHostAlloc(&pinned, 4096, 0), 0);
	IS(cuModuleLoad(&m, "/nothing"), 301);
	kept = module(folder);
	IS(cuModuleGetFunction(&m, kept, "saxpy"), 0);
	IS(cuStreamCreate(&s, 0), 0);
	IS(cuEventCreate(&e, 0), 0);
	IS(cuArrayCreate_v2(&array, &shape), 0);
	IS(cuPointerGetAttribute(&now, 1, p), 0);
	CHECK(now == b);
	IS(cuPointerGetAttribute(&now, 1, q), 0);
	CHECK(now == a);
	IS(cuStreamGetCtx(s, &now), 0);
	CHECK(now == b);
	IS(cuStreamGetCtx_v2(s, &now, &green), 0);
	CHECK(now == b && !green);
	IS(cuStreamGetCtx(&n, &now), 400);
	IS(cuStreamGetCtx(s, NULL), 1);
	IS(cuStreamGetDevice(s, &n), 0);
	IS(n, 0);
	IS(cuStreamGetDevice(s, NULL), 1);
	IS(cuMemsetD32_v2(q, 1, 250), 0); /* addresses are those of the device */
	IS(cuMemcpyPeer(p, b, q, a, 1000), 0);
	IS(cuMemcpyPeer(p, b, q, NULL, 1000), 201);
	IS(cuMemcpyDtoH_v2(&n, p + 996, 4), 0);
	IS(n, 1);
	IS(cuMemcpy3DPeer(NULL), 1);
	IS(cuCtxEnablePeerAccess(a, 0), 217);
	IS(cuCtxEnablePeerAccess(b, 0), 201);
	IS(cuCtxEnablePeerAccess(a, 1), 1);
	IS(cuCtxDisablePeerAccess(a), 705);
	IS(cuCtxDisablePeerAccess(NULL), 201);
	IS(cuCtxSetFlags(4), 0);
	IS(cuCtxGetFlags(&flags), 0);
	IS(flags, 4);
	IS(cuCtxSetFlags(1 << 20), 1);
	IS(cuCtxAttach(&now, 0), 0);
	CHECK(now == b);
	IS(cuCtxAttach(NULL, 0), 1);
	IS(cuCtxGetDevice_v2(&n, a), 0);
	IS(cuCtxGetDevice_v2(&n, s), 201);
	IS(cuCtxSynchronize_v2(a), 0);
	IS(cuCtxSynchronize_v2(s), 201);
	IS(cuCtxResetPersistingL2Cache(), 0);
	IS(cuCtxDestroy_v2(b), 0);
	IS(cuMemGetInfo_v2(&after, &total), 0);
	IS(after, start);
	IS(cuMemFree_v2(p), 1);
	IS(cuMemFreeHost(pinned), 1);
	IS(cuStreamSynchronize(s), 400);
	IS(cuEventDestroy_v2(e), 400);
	IS(cuArrayDestroy(array), 400);
	IS(cuModuleUnload(kept), 400);
	IS(cuFuncLoad(m), 400);
	IS(cuFuncLoad(f), 0);
	IS(cuMemFree_v2(q), 0);
	/* What was destroyed is nobody's: not even where another has its handle now. */
	IS(cuCtxCreate_v2(&b, 0, 0), 0);
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned k = 0; k < 32; k++)
			IS(cuArrayCreate_v2(&arrays[k], &shape), 0);
		IS(i ? cuCtxDestroy_v2(b) : 0, 0);
		for (unsigned k = 0; k < 32; k++)
			IS(cuArrayDestroy(arrays[k]), 0);
		IS(i ? 0 : cuCtxPopCurrent_v2(&b), 0);
	}
	/* The primary context's goes with its last user, and with a reset. */
	IS(cuDevicePrimaryCtxRetain(&b, 0), 0);
	IS(cuCtxSetCurrent(b), 0);
	IS(cuMemAlloc_v2(&p, 4096), 0);
	IS(cuDevicePrimaryCtxRelease_v2(0), 0);
	IS(cuDevicePrimaryCtxRetain(&b, 0), 0);
	IS(cuMemFree_v2(p), 1);
	IS(cuMemAlloc_v2(&p, 4096), 0);
	kept = module(folder);
	IS(cuDevicePrimaryCtxReset_v2(0), 0);
	IS(cuMemFree_v2(p), 1);
	IS(cuModuleUnload(kept), 400);
	IS(cuMemGetInfo_v2(&before, &total), 0);
	IS(before, total);
}

/* Small questions to the device, and events of all streams. */
static void small(void *c, ptr p, ptr q)
{
	const int add[] = { 0, 12 }, wrong_op[] = { 0, 13 };
	void *busy = NULL, *idle = NULL, *other = NULL, *e[3];
	unsigned capability[2] = { 9, 9 }, nodes = 0, on = 1, bytes = 0;
	char luid[8];
	float all = -1, then = -1;
	size_t n = 0;
	int v = 9;

	IS(cuDeviceGetLuid(luid, &nodes, 0), 801);
	IS(cuDeviceGetLuid(luid, NULL, 0), 1);
	IS(cuDeviceGetLuid(luid, &nodes, 1), 101);
	IS(cuDeviceTotalMem_v2(&n, 0), 0);
	IS(cuDeviceTotalMem(&bytes, 0), 0);
	IS(bytes, n > UINT32_MAX ? UINT32_MAX : n);
	IS(cuDeviceTotalMem(NULL, 0), 1);
	IS(cuDeviceGetTexture1DLinearMaxWidth(&n, 32, 4, 0), 0);
	IS(n, 1 << 28);
	IS(cuDeviceGetTexture1DLinearMaxWidth(&n, 32, 3, 0), 1);
	IS(cuDeviceGetTexture1DLinearMaxWidth(&n, 7, 1, 0), 1);
	IS(cuDeviceGetTexture1DLinearMaxWidth(NULL, 32, 1, 0), 1);
	IS(cuDeviceGetTexture1DLinearMaxWidth(&n, 32, 1, 1), 101);
	IS(cuDeviceGetP2PAttribute(&v, 0, 0, 0), 1);
	IS(cuDeviceGetP2PAttribute(&v, 6, 0, 0), 1);
	IS(cuDeviceGetP2PAttribute(&v, 5, 0, 1), 101);
	IS(cuDeviceGetP2PAtomicCapabilities(capability, add, 2, 0, 0), 101);
	IS(cuDeviceGetP2PAtomicCapabilities(NULL, add, 2, 0, 0), 1);
	IS(cuDeviceGetHostAtomicCapabilities(capability, add, 2, 0), 0);
	CHECK(capability[0] == 0 && capability[1] == 0);
	IS(cuDeviceGetHostAtomicCapabilities(capability, wrong_op, 2, 0), 1);
	IS(cuDeviceGetHostAtomicCapabilities(capability, add, 0, 0), 1);
	IS(cuDeviceGetExecAffinitySupport(&v, 0, 0), 0);
	IS(v, 0);
	IS(cuDeviceGetExecAffinitySupport(&v, 1, 0), 1);
	IS(cuPointerSetAttribute(&on, 6, p), 0);
	IS(cuPointerSetAttribute(&on, 6, q), 0);
	IS(cuPointerSetAttribute(&on, 7, p), 1);
	IS(cuPointerSetAttribute(NULL, 6, p), 1);
	IS(cuPointerSetAttribute(&on, 6, (ptr)(uintptr_t)&on), 1);
	IS(cuStreamCreate(&busy, 1), 0);
	IS(cuStreamCreate(&idle, 1), 0);
	for (unsigned i = 0; i < 3; i++)
		IS(cuEventCreate(&e[i], 0), 0);
	IS(cuEventRecord(e[0], idle), 0);
	IS(cuMemsetD32Async(q, 1, 1024, busy), 0);
	IS(cuCtxRecordEvent(NULL, e[1]), 201);
	IS(cuCtxRecordEvent(c, NULL), 400);
	IS(cuCtxRecordEvent(c, c), 400);
	IS(cuCtxWaitEvent(&on, e[1]), 201);
	IS(cuCtxWaitEvent(c, NULL), 400);
	IS(cuCtxRecordEvent(c, e[1]), 0); /* with what the busy one has been given */
	IS(cuEventRecord(e[2], idle), 0);
	IS(cuEventElapsedTime(&all, e[0], e[1]), 0);
	IS(cuEventElapsedTime(&then, e[0], e[2]), 0);
	CHECK(all > 0 && then < all); /* the idle one does not wait for it */
	IS(cuEventDestroy(e[2]), 0);
	IS(cuEventCreate(&e[2], 0), 0);
	IS(cuMemsetD32Async(q, 1, 1024, busy), 0);
	IS(cuCtxRecordEvent(c, e[1]), 0);
	IS(cuCtxWaitEvent(c, e[1]), 0);
	IS(cuEventRecord(e[2], idle), 0);
	IS(cuEventElapsedTime(&then, e[1], e[2]), 0);
	CHECK(then >= 0); /* nothing begins before */
	IS(cuCtxCreate_v2(&other, 0, 0), 0);
	IS(cuCtxPopCurrent_v2(&other), 0);
	IS(cuCtxRecordEvent(other, e[1]), 400); /* it is not of that */
	IS(cuCtxWaitEvent(other, e[1]), 0);
	IS(cuCtxDestroy_v2(other), 0);
	IS(cuStreamDestroy(idle), 0);
	IS(cuStreamDestroy(idle), 400);
	IS(cuStreamDestroy(busy), 0);
	IS(cuEventDestroy(e[0]), 0);
	IS(cuEventDestroy(e[0]), 400);
}

static void hints(const char *folder)
{
	struct {
		int threads, block[3], grid[3], shared, constant, warp, pitch, registers, clock, align;
	} properties;
	int attribute[] = { 2, 8, 3 }, v = 9, managed = 9, mine = 0;
	void *c = context(), *out[3], *s = NULL;
	struct location here = { 1, 0 }, far = { 1, 1 };
	char name[64] = "";
	ptr p = 0, q = 0, at = 9;

	(void)folder;
	out[0] = &v;
	out[1] = &managed;
	out[2] = &at;
	IS(cuMemAllocManaged(&p, 4096, 1), 0);
	IS(cuMemAlloc_v2(&q, 4096), 0);
	IS(cuPointerGetAttributes(3, attribute, out, p + 4), 0);
	CHECK(v == 2 && managed == 1 && at == p + 4);
	IS(cuPointerGetAttributes(3, attribute, out, (ptr)(uintptr_t)&mine), 0);
	CHECK(v == 0 && managed == 0 && at == 0);
	IS(cuPointerGetAttributes(0, attribute, out, p), 1);
	IS(cuMemAdvise(p, 4096, 1, 0), 0);
	IS(cuMemAdvise(p, 4097, 1, 0), 1);
	IS(cuMemAdvise(q, 4096, 1, 0), 1);
	IS(cuMemAdvise(p, 4096, 9, 0), 1);
	IS(cuMemAdvise(p, 4096, 1, 1), 101);
	IS(cuMemAdvise_v2(p, 4096, 3, here), 0);
	IS(cuMemAdvise_v2(p, 4096, 3, far), 101);
	IS(cuStreamCreate(&s, 0), 0);
	IS(cuMemPrefetchAsync(p, 4096, 0, s), 0);
	IS(cuMemPrefetchAsync(p, 4096, -1, s), 0);
	IS(cuMemPrefetchAsync(p, 4096, 0, &v), 400);
	IS(cuMemPrefetchAsync(q, 4096, 0, s), 1);
	IS(cuMemPrefetchAsync_v2(p, 4096, here, 0, s), 0);
	IS(cuMemPrefetchAsync_v2(p, 4096, here, 1, s), 1);
	IS(cuStreamAttachMemAsync(s, p, 0, 4), 0);
	IS(cuStreamAttachMemAsync(s, p, 5, 4), 1);
	IS(cuStreamAttachMemAsync(s, q, 0, 4), 1);
	IS(cuStreamAttachMemAsync(&v, p, 0, 4), 400);
	IS(cuDeviceGetPCIBusId(name, sizeof name, 0), 0);
	IS(cuDeviceGetByPCIBusId(&v, name), 0);
	IS(v, 0);
	IS(cuDeviceGetByPCIBusId(&v, "0001:ff:1f.0"), 101);
	IS(cuDeviceGetByPCIBusId(&v, "nowhere"), 1);
	IS(cuDeviceGetProperties(&properties, 0), 0);
	CHECK(properties.warp == 32 && properties.threads == 1024 && properties.block[2] == 64);
	IS(cuDeviceGetProperties(&properties, 1), 101);
	IS(cuDeviceGetP2PAttribute(&v, 1, 0, 0), 101);
	IS(cuDeviceGetP2PAttribute(NULL, 1, 0, 0), 1);
	small(c, p, q);
	IS(cuCtxDestroy_v2(c), 0);
}

/* Each says its name and fails, whatever it is given. */
static void missing(const char *folder)
{
	static const char *const name[] = {
#define NO(name) #name,
#include "runtime-model/cuda/driver/missing.def"
	};

	(void)folder;
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
		int (*f)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
		void *at = dlsym(RTLD_DEFAULT, name[i]);

		memcpy(&f, &at, sizeof f);
		IS(at ? f(0, 0, 0, 0, 0, 0) : -1, 801);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(const char *);
	} cases[] = {
		{ "contexts", contexts },   { "launches", launches },       { "memory", memory },
		{ "ownership", ownership }, { "images", images },           { "libraries", libraries },
		{ "linking", linking },     { "textures", textures },       { "hints", hints },
		{ "captures", captures },   { "graphs", graphs },           { "pools", pools },
		{ "mappings", mappings },   { "unmapped", unmapped },       { "mipmaps", mipmaps },
		{ "clusters", clusters },   { "no_clusters", no_clusters }, { "room_of_clusters", room_of_clusters },
		{ "missing", missing },     { "native", native },           { "versions", versions },
		{ "damaged", damaged },     { "processes", processes },     { "by_files", by_files },
	};

	for (unsigned i = 0; argc > 2 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[2], cases[i].name) == 0) {
			cases[i].run(argv[1]);
			printf("%s: %u checks, %u wrong\n", argv[2], checks, wrong);
			return wrong != 0;
		}
	return 2;
}
