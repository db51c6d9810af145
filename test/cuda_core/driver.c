/* The driver interface from a plain C program that has no header of NVIDIA's: driver FOLDER CASE, as core.c. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ptr;
extern int cuInit(unsigned), cuDriverGetVersion(int *), cuGetErrorName(int, const char **), cuGetErrorString(int, const char **);
extern int cuDeviceGet(int *, int), cuDeviceGetCount(int *), cuDeviceGetName(char *, int, int), cuDeviceGetAttribute(int *, int, int), cuDeviceTotalMem_v2(size_t *, int);
extern int cuCtxCreate_v2(void **, unsigned, int), cuCtxDestroy_v2(void *), cuCtxGetCurrent(void **), cuCtxSetCurrent(void *), cuCtxPopCurrent_v2(void **), cuCtxPushCurrent_v2(void *);
extern int cuCtxSynchronize(void), cuDevicePrimaryCtxRetain(void **, int), cuDevicePrimaryCtxRelease_v2(int), cuCtxSetLimit(int, size_t), cuCtxGetLimit(size_t *, int), cuCtxGetDevice(int *);
extern int cuMemAlloc_v2(ptr *, size_t), cuMemFree_v2(ptr), cuMemcpyHtoD_v2(ptr, const void *, size_t), cuMemcpyDtoH_v2(void *, ptr, size_t), cuMemsetD32_v2(ptr, unsigned, size_t);
extern int cuMemAllocManaged(ptr *, size_t, unsigned), cuMemHostAlloc(void **, size_t, unsigned), cuMemFreeHost(void *), cuPointerGetAttribute(void *, int, ptr), cuMemGetInfo_v2(size_t *, size_t *);
extern int cuMemAllocPitch_v2(ptr *, size_t *, size_t, size_t, unsigned), cuMemsetD2D8_v2(ptr, size_t, unsigned char, size_t, size_t), cuMemcpyDtoHAsync_v2(void *, ptr, size_t, void *);
extern int cuModuleLoad(void **, const char *), cuModuleLoadData(void **, const void *), cuModuleUnload(void *), cuModuleGetFunction(void **, void *, const char *);
extern int cuModuleGetGlobal_v2(ptr *, size_t *, void *, const char *), cuFuncGetAttribute(int *, int, void *), cuFuncSetAttribute(void *, int, int), cuModuleGetFunctionCount(unsigned *, void *);
extern int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
extern int cuLaunchKernel_ptsz(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
extern int cuStreamCreate(void **, unsigned), cuStreamDestroy_v2(void *), cuStreamSynchronize(void *), cuEventCreate(void **, unsigned), cuEventRecord(void *, void *);
extern int cuEventElapsedTime(float *, void *, void *), cuEventSynchronize(void *), cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, void *, int, size_t);
extern int cuGetProcAddress_v2(const char *, void **, int, unsigned long long, int *), cuMemcpy2D_v2(const void *);

static unsigned checks, wrong;

#define IS(x, want) is((long long)(x), (long long)(want), #x, __LINE__)
#define CHECK(x) is((x) != 0, 1, #x, __LINE__)

static void is(long long got, long long want, const char *what, int line)
{
	checks++;
	if (got != want) {
		wrong++;
		printf("line %d: %s is %lld, not %lld\n", line, what, got, want);
	}
}

static void *module(const char *folder)
{
	char path[4096];
	void *m = NULL;

	snprintf(path, sizeof path, "%s/kernels.ptx", folder);
	IS(cuModuleLoad(&m, path), 0);
	return m;
}

static void *context(void)
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
	struct { ptr x, y; float a; unsigned n; } block;
	size_t bytes = sizeof block;
	void *param[] = { &p, &p, &a, &n }, *extra[] = { (void *)1, &block, (void *)2, &bytes, NULL };
	int v = 0;

	IS(cuModuleLoad(&bad, "/nothing.ptx"), 301);
	IS(cuModuleLoadData(&bad, "no PTX"), 218);
	IS(cuModuleGetFunctionCount(&count, m), 0);
	IS(count, 6);
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
	struct { size_t fx, fy; int fk; const void *fh; ptr f; void *fa; size_t fp, tx, ty; int tk; void *th; ptr t; void *ta; size_t tp, w, h; } box = { .fk = 2, .tk = 1, .tp = 7, .w = 7, .h = 3 };
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
	static const struct { const char *name; void (*run)(const char *); } cases[] = {
		{ "contexts", contexts }, { "launches", launches }, { "memory", memory }, { "missing", missing },
	};

	for (unsigned i = 0; argc > 2 && i < sizeof cases / sizeof *cases; i++)
		if (strcmp(argv[2], cases[i].name) == 0) {
			cases[i].run(argv[1]);
			printf("%s: %u checks, %u wrong\n", argv[2], checks, wrong);
			return wrong != 0;
		}
	return 2;
}
