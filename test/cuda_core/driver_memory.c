/* Memory that programs manage by hand: pools, reserved addresses and what is mapped there. */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef void *pool;
struct pool_props {
	int kind, handles;
	struct location at;
	void *security;
	size_t most;
	unsigned short usage;
	unsigned char reserved[54];
};
struct access {
	struct location at;
	int flags;
};
extern int cuMemPoolCreate(pool *, const struct pool_props *), cuMemPoolDestroy(pool), cuMemPoolTrimTo(pool, size_t),
	cuMemPoolSetAttribute(pool, int, void *), cuMemPoolGetAttribute(pool, int, void *);
extern int cuMemPoolSetAccess(pool, const struct access *, size_t), cuMemPoolGetAccess(int *, pool, struct location *),
	cuDeviceGetDefaultMemPool(pool *, int), cuDeviceGetMemPool(pool *, int);
extern int cuDeviceSetMemPool(int, pool), cuMemAllocAsync(ptr *, size_t, void *),
	cuMemAllocAsync_ptsz(ptr *, size_t, void *), cuMemAllocFromPoolAsync(ptr *, size_t, pool, void *);
extern int cuMemAllocFromPoolAsync_ptsz(ptr *, size_t, pool, void *), cuMemFreeAsync(ptr, void *),
	cuMemFreeAsync_ptsz(ptr, void *), cuMemGetDefaultMemPool(pool *, struct location *, int);
extern int cuMemGetMemPool(pool *, struct location *, int), cuMemSetMemPool(struct location *, int, pool),
	cuStreamBeginCapture_v2(void *, int), cuStreamEndCapture(void *, void **), cuGraphDestroy(void *);

static uint64_t held(pool p, int attribute)
{
	uint64_t v = 99;

	IS(cuMemPoolGetAttribute(p, attribute, &v), 0);
	return v;
}

/* What one interface makes the other uses. */
static void shared(pool mine, void *s)
{
	void *lib = dlopen("libcudart.so.13", RTLD_NOW | RTLD_LOCAL);
	int (*alloc)(ptr *, size_t, pool, void *) = NULL, (*give)(ptr, void *) = NULL,
					       (*create)(pool *, const struct pool_props *) = NULL,
					       (*get)(pool *, int) = NULL;
	struct pool_props props = { .kind = 1, .at = { 1, 0 } };
	pool theirs = NULL, now = NULL;
	ptr p = 0, q = 0;

	CHECK(lib);
	if (!lib)
		return;
	*(void **)&alloc = dlsym(lib, "cudaMallocFromPoolAsync");
	*(void **)&give = dlsym(lib, "cudaFreeAsync");
	*(void **)&create = dlsym(lib, "cudaMemPoolCreate");
	*(void **)&get = dlsym(lib, "cudaDeviceGetMemPool");
	IS(alloc(&p, 500, mine, s), 0);
	IS(held(mine, 7), 600); /* with what it has handed out before */
	IS(cuMemFreeAsync(p, s), 0);
	IS(held(mine, 7), 100);
	IS(create(&theirs, &props), 0);
	IS(cuMemAllocFromPoolAsync(&q, 700, theirs, s), 0);
	IS(held(theirs, 5), 700);
	IS(give(q, s), 0);
	IS(held(theirs, 5), 0);
	IS(cuDeviceSetMemPool(0, theirs), 0);
	IS(get(&now, 0), 0);
	CHECK(now == theirs);
	IS(cuMemPoolDestroy(theirs), 0);
}

void pools(const char *folder)
{
	void *c = NULL, *s = NULL, *g = NULL;
	struct pool_props props = { .kind = 1, .at = { 1, 0 }, .most = 1 << 20 };
	struct access access = { { 1, 0 }, 3 };
	struct location at = { 1, 0 };
	pool first = NULL, mine = NULL, got = NULL, other = NULL;
	int flags = 0, n = 9;
	uint64_t v = 0;
	ptr p = 0, q = 0;

	(void)folder;
	IS(cuDeviceGetDefaultMemPool(&first, 0), 3);
	c = context();
	IS(cuStreamCreate(&s, 1), 0);
	IS(cuDeviceGetDefaultMemPool(&first, 0), 0);
	IS(cuDeviceGetDefaultMemPool(NULL, 0), 1);
	IS(cuDeviceGetDefaultMemPool(&first, 1), 101);
	IS(cuDeviceGetMemPool(&got, 0), 0);
	IS(cuDeviceGetMemPool(&got, 2), 101);
	CHECK(first && got == first);
	/* In the order of a stream, of the current pool. */
	IS(cuMemAllocAsync(&p, 1000, s), 0);
	IS(cuMemAllocAsync_ptsz(&q, 24, NULL), 0);
	IS(held(first, 7), 1024);
	IS(cuPointerGetAttribute(&got, 17, p + 8), 0);
	CHECK(got == first);
	IS(cuMemsetD32_v2(p, 0x01020304, 250), 0);
	IS(cuMemFreeAsync(p, s), 0);
	IS(cuMemFreeAsync(p, s), 1); /* twice */
	IS(cuMemFreeAsync(0, s), 1);
	IS(cuMemFreeAsync_ptsz(q, NULL), 0);
	IS(held(first, 7), 0);
	IS(held(first, 8), 1024);
	IS(cuMemAllocAsync(NULL, 16, s), 1);
	IS(cuMemAllocAsync(&p, 0, s), 1);
	IS(cuMemAllocAsync(&p, 16, &v), 400);
	IS(cuMemAllocAsync(&p, (size_t)1 << 60, s), 2);
	/* One of the program's own. */
	IS(cuMemPoolCreate(NULL, &props), 1);
	IS(cuMemPoolCreate(&mine, NULL), 1);
	props.at.id = 1;
	IS(cuMemPoolCreate(&mine, &props), 101);
	props.at = (struct location){ 0, 0 };
	IS(cuMemPoolCreate(&mine, &props), 1);
	props.at = (struct location){ 2, 0 };
	IS(cuMemPoolCreate(&mine, &props), 801);
	props.at = at;
	props.handles = 8;
	IS(cuMemPoolCreate(&mine, &props), 801);
	props.handles = 0;
	props.kind = 0;
	IS(cuMemPoolCreate(&mine, &props), 1);
	props.kind = 1;
	IS(cuMemPoolCreate(&mine, &props), 0);
	IS(cuMemAllocFromPoolAsync(&p, 1 << 20, mine, s), 0);
	IS(cuMemAllocFromPoolAsync(&q, 1, mine, s), 2);
	IS(cuMemAllocFromPoolAsync(&q, 1, NULL, s), 1);
	IS(cuMemAllocFromPoolAsync(&q, 1, &v, s), 1);
	IS(held(mine, 5), 1 << 20);
	IS(held(first, 5), 0);
	IS(cuMemFree_v2(p), 0); /* the plain way is allowed */
	IS(held(mine, 5), 0);
	IS(held(mine, 6), 1 << 20);
	IS(cuMemAllocFromPoolAsync(&p, 16, mine, s), 0);
	IS(held(mine, 6), 1 << 20); /* the most that there was */
	IS(cuMemFreeAsync(p, s), 0);
	v = 0;
	IS(cuMemPoolSetAttribute(mine, 6, &v), 0);
	IS(held(mine, 6), 0);
	v = 5;
	IS(cuMemPoolSetAttribute(mine, 8, &v), 1);
	IS(cuMemPoolSetAttribute(mine, 7, &v), 1);
	IS(cuMemPoolSetAttribute(mine, 4, &v), 0);
	IS(held(mine, 4), 5);
	IS(held(first, 4), 0);
	n = 0;
	IS(cuMemPoolSetAttribute(mine, 2, &n), 0);
	n = 9;
	IS(cuMemPoolGetAttribute(mine, 2, &n), 0);
	IS(n, 0);
	IS(cuMemPoolGetAttribute(mine, 3, &n), 0);
	IS(n, 1);
	IS(cuMemPoolGetAttribute(mine, 0, &v), 1);
	IS(cuMemPoolGetAttribute(mine, 9, &v), 1);
	IS(cuMemPoolGetAttribute(mine, 7, NULL), 1);
	IS(cuMemPoolSetAttribute(mine, 4, NULL), 1);
	IS(cuMemPoolGetAttribute(&v, 7, &v), 1);
	IS(cuMemPoolTrimTo(mine, 0), 0);
	IS(cuMemPoolTrimTo(NULL, 0), 1);
	IS(cuMemPoolSetAccess(mine, &access, 1), 0);
	IS(cuMemPoolSetAccess(mine, NULL, 1), 1);
	access.flags = 0;
	IS(cuMemPoolSetAccess(mine, &access, 1), 1);
	access = (struct access){ { 1, 1 }, 3 };
	IS(cuMemPoolSetAccess(mine, &access, 1), 101);
	IS(cuMemPoolGetAccess(&flags, mine, &at), 0);
	IS(flags, 3);
	IS(cuMemPoolGetAccess(&flags, mine, &access.at), 1);
	IS(cuMemPoolGetAccess(NULL, mine, &at), 1);
	/* As the current one; it goes, and what it has handed out stays. */
	IS(cuDeviceSetMemPool(1, mine), 101);
	IS(cuDeviceSetMemPool(0, NULL), 1);
	IS(cuDeviceSetMemPool(0, mine), 0);
	IS(cuMemGetMemPool(&got, &at, 1), 0);
	CHECK(got == mine);
	IS(cuMemGetDefaultMemPool(&got, &at, 1), 0);
	CHECK(got == first);
	IS(cuMemSetMemPool(&at, 1, first), 0);
	IS(cuMemSetMemPool(&at, 1, mine), 0);
	IS(cuMemGetMemPool(&got, &at, 2), 801);
	IS(cuMemGetMemPool(&got, &at, 0), 1);
	IS(cuMemGetMemPool(&got, NULL, 1), 1);
	IS(cuMemGetMemPool(&got, &(struct location){ 1, 1 }, 1), 101);
	IS(cuMemAllocAsync(&p, 100, s), 0);
	IS(held(mine, 7), 100);
	shared(mine, s);
	IS(cuDeviceGetMemPool(&got, 0), 0);
	CHECK(got == first); /* the other was the current one, and has gone */
	IS(cuDeviceSetMemPool(0, mine), 0);
	IS(cuMemPoolDestroy(first), 1);
	IS(cuMemPoolDestroy(mine), 0);
	IS(cuMemPoolDestroy(mine), 1);
	IS(cuMemPoolGetAttribute(mine, 7, &v), 1);
	IS(cuMemPoolCreate(&other, &props), 0); /* in the place of the runtime's, perhaps */
	IS(cuMemPoolCreate(&got, &props), 0);
	CHECK(got != mine && other != mine); /* it still has memory out */
	IS(held(got, 7), 0);
	IS(cuMemsetD32_v2(p, 1, 25), 0);
	IS(cuMemFreeAsync(p, s), 0);
	IS(held(got, 7), 0);
	/* A graph's memory is the graph's. */
	IS(cuStreamBeginCapture_v2(s, 2), 0);
	IS(cuMemAllocFromPoolAsync(&p, 400, got, s), 0);
	IS(cuMemFreeAsync(p, s), 0);
	IS(cuStreamEndCapture(s, &g), 0);
	IS(held(got, 7), 0);
	IS(cuGraphDestroy(g), 0);
	IS(cuMemAllocFromPoolAsync_ptsz(&p, 400, got, NULL), 0);
	IS(cuCtxDestroy_v2(c), 0); /* memory that it owns goes with it */
	IS(held(got, 7), 0);
	/* A reset leaves the first one as it was. */
	v = 5;
	IS(cuMemPoolSetAttribute(first, 4, &v), 0);
	IS(cuDeviceSetMemPool(0, got), 0);
	IS(cuDevicePrimaryCtxReset_v2(0), 0);
	IS(cuDeviceGetMemPool(&other, 0), 0);
	CHECK(other == first);
	IS(held(first, 4), 0);
	IS(cuMemPoolDestroy(got), 1);
}

/* ---- reserved addresses ---- */
enum { MIB2 = 2 << 20 };
struct memory_props {
	int kind, handles;
	struct location at;
	void *security;
	struct {
		unsigned char compression, rdma;
		unsigned short usage;
		unsigned char reserved[4];
	} flags;
};
typedef unsigned long long memory;
extern int cuMemAddressReserve(ptr *, size_t, size_t, ptr, unsigned long long), cuMemAddressFree(ptr, size_t),
	cuMemCreate(memory *, size_t, const struct memory_props *, unsigned long long);
extern int cuMemRelease(memory), cuMemMap(ptr, size_t, size_t, memory, unsigned long long), cuMemUnmap(ptr, size_t),
	cuMemSetAccess(ptr, size_t, const struct access *, size_t);
extern int cuMemGetAccess(unsigned long long *, const struct location *, ptr),
	cuMemGetAllocationGranularity(size_t *, const struct memory_props *, int);
extern int cuMemGetAllocationPropertiesFromHandle(struct memory_props *, memory),
	cuMemRetainAllocationHandle(memory *, void *),
	cuMemExportToShareableHandle(void *, memory, int, unsigned long long), cuMemcpyDtoD_v2(ptr, ptr, size_t);
extern int cuMemGetAddressRange_v2(ptr *, size_t *, ptr), cuMemsetD8_v2(ptr, unsigned char, size_t);

static const struct memory_props device_memory = { .kind = 1, .at = { 1, 0 } };
static const struct access both = { { 1, 0 }, 3 };

static size_t left(void)
{
	size_t f = 0, t = 0;

	IS(cuMemGetInfo_v2(&f, &t), 0);
	return f;
}

/* Blocks of 512 bytes that the file has in which memory without an address lies. */
static long pages(void)
{
	char path[64], to[64];
	struct stat s;

	for (int fd = 0; fd < 256; fd++) {
		ssize_t n;

		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		n = readlink(path, to, sizeof to - 1);
		to[n > 0 ? n : 0] = 0;
		if (strncmp(to, "/memfd:regloom device memory", 28) == 0 && fstat(fd, &s) == 0)
			return (long)s.st_blocks;
	}
	return -1;
}

/* How often parts of that file are mapped. */
static unsigned windows(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned n = 0;

	while (f && fgets(line, sizeof line, f))
		n += strstr(line, "/memfd:regloom device memory") != NULL;
	if (f)
		fclose(f);
	return n;
}

/* 2 MiB are unmapped when what was issued before has been done: nothing that comes later is earlier. */
static void clocks_at_unmap(ptr p)
{
	void *s = NULL, *t = NULL, *a = NULL, *b = NULL;
	float ms = 0;

	IS(cuStreamCreate(&s, 1), 0);
	IS(cuStreamCreate(&t, 1), 0);
	IS(cuEventCreate(&a, 0), 0);
	IS(cuEventCreate(&b, 0), 0);
	IS(cuMemsetD32Async(p, 1, MIB2 / 4, s), 0);
	IS(cuEventRecord(a, s), 0);
	IS(cuEventRecord(b, t), 0);
	IS(cuEventElapsedTime(&ms, a, b), 0);
	CHECK(ms < 0);
	IS(cuMemUnmap(p, MIB2), 0);
	IS(cuEventRecord(b, t), 0);
	IS(cuEventElapsedTime(&ms, a, b), 0);
	CHECK(ms == 0);
	IS(cuEventDestroy_v2(a), 0);
	IS(cuEventDestroy_v2(b), 0);
	IS(cuStreamDestroy_v2(s), 0);
	IS(cuStreamDestroy_v2(t), 0);
}

static unsigned word(ptr p)
{
	unsigned v = 0xdead;

	IS(cuMemcpyDtoH_v2(&v, p, 4), 0);
	return v;
}

static memory create(size_t bytes)
{
	memory m = 0;

	IS(cuMemCreate(&m, bytes, &device_memory, 0), 0);
	return m;
}

/* Wrong arguments of all of them. */
static void refused(void)
{
	struct memory_props props = device_memory;
	struct access access = both;
	struct location at = { 1, 0 };
	unsigned long long flags;
	memory m = 0;
	size_t n = 0;
	ptr p = 0;

	IS(cuMemGetAllocationGranularity(&n, &props, 0), 0);
	IS(n, MIB2);
	IS(cuMemGetAllocationGranularity(&n, &props, 1), 0);
	IS(n, MIB2);
	IS(cuMemGetAllocationGranularity(&n, &props, 2), 1);
	IS(cuMemGetAllocationGranularity(&n, NULL, 0), 1);
	IS(cuMemGetAllocationGranularity(NULL, &props, 0), 1);
	IS(cuMemAddressReserve(&p, 0, 0, 0, 0), 1);
	IS(cuMemAddressReserve(&p, 1000, 0, 0, 0), 1);
	IS(cuMemAddressReserve(&p, MIB2, 3 << 20, 0, 0), 1);
	IS(cuMemAddressReserve(&p, MIB2, 0, 8, 0), 1);
	IS(cuMemAddressReserve(&p, MIB2, 0, 0, 1), 1);
	IS(cuMemAddressReserve(NULL, MIB2, 0, 0, 0), 1);
	IS(cuMemAddressReserve(&p, (size_t)1 << 50, 0, 0, 0), 2);
	IS(cuMemCreate(&m, 0, &props, 0), 1);
	IS(cuMemCreate(&m, 4096, &props, 0), 1);
	IS(cuMemCreate(&m, MIB2, NULL, 0), 1);
	IS(cuMemCreate(&m, MIB2, &props, 1), 1);
	IS(cuMemCreate(NULL, MIB2, &props, 0), 1);
	IS(cuMemCreate(&m, (size_t)1 << 50, &props, 0), 2);
	props.at.id = 1;
	IS(cuMemCreate(&m, MIB2, &props, 0), 101);
	IS(cuMemGetAllocationGranularity(&n, &props, 0), 101);
	props.at = (struct location){ 2, 0 };
	IS(cuMemCreate(&m, MIB2, &props, 0), 801);
	props = device_memory;
	props.handles = 8;
	IS(cuMemCreate(&m, MIB2, &props, 0), 801);
	props.handles = 1;
	IS(cuMemCreate(&m, MIB2, &props, 0), 0);
	IS(cuMemExportToShareableHandle(&n, m, 8, 0), 801);
	IS(cuMemExportToShareableHandle(&n, m, 1, 1), 1);
	IS(cuMemExportToShareableHandle(NULL, m, 1, 0), 1);
	IS(cuMemRelease(m), 0);
	IS(cuMemExportToShareableHandle(&n, m, 1, 0), 1);
	IS(cuMemCreate(&m, MIB2, &device_memory, 0), 0);
	IS(cuMemExportToShareableHandle(&n, m, 1, 0), 1); /* it was not asked for */
	IS(cuMemRelease(m), 0);
	props = device_memory;
	props.flags.usage = 1; /* of tiles */
	IS(cuMemCreate(&m, MIB2, &props, 0), 801);
	props = device_memory;
	props.flags.compression = 1;
	IS(cuMemCreate(&m, MIB2, &props, 0), 0);
	IS(cuMemGetAllocationPropertiesFromHandle(&props, m), 0);
	IS(props.flags.compression, 0); /* asked for, and not given */
	IS(cuMemRelease(m), 0);
	props = device_memory;
	props.kind = 0;
	IS(cuMemCreate(&m, MIB2, &props, 0), 1);
	IS(cuMemRelease(0), 1);
	IS(cuMemGetAllocationPropertiesFromHandle(&props, (memory)(uintptr_t)&p), 1);
	/* Mappings. */
	m = create(2 * MIB2);
	IS(cuMemGetAllocationPropertiesFromHandle(&props, m), 0);
	CHECK(memcmp(&props, &device_memory, sizeof props) == 0);
	IS(cuMemGetAllocationPropertiesFromHandle(NULL, m), 1);
	IS(cuMemAddressReserve(&p, 4 * MIB2, 0, 0, 0), 0);
	IS(cuMemMap(p, MIB2, 0, m + 8, 0), 1);
	IS(cuMemMap(p, MIB2, 0, m, 1), 1);
	IS(cuMemMap(p, MIB2, MIB2, m, 0), 1); /* from within it */
	IS(cuMemMap(p, 1000, 0, m, 0), 1);
	IS(cuMemMap(p + 4096, MIB2, 0, m, 0), 1);
	IS(cuMemMap(p, 3 * MIB2, 0, m, 0), 1);
	IS(cuMemMap(p + 3 * MIB2, 2 * MIB2, 0, m, 0), 1);
	IS(cuMemMap(p - MIB2, MIB2, 0, m, 0), 1);
	IS(cuMemMap(p + MIB2, 2 * MIB2, 0, m, 0), 0);
	IS(cuMemMap(p, 2 * MIB2, 0, m, 0), 1); /* in part there already */
	IS(cuMemMap(p + 2 * MIB2, MIB2, 0, m, 0), 1);
	IS(cuMemSetAccess(p, MIB2, &both, 1), 1);
	IS(cuMemSetAccess(p + MIB2, MIB2, &both, 1), 1);
	IS(cuMemSetAccess(p + MIB2, 3 * MIB2, &both, 1), 1);
	IS(cuMemSetAccess(p + MIB2, 2 * MIB2, NULL, 1), 1);
	IS(cuMemSetAccess(p + MIB2, 2 * MIB2, &both, 0), 1);
	access.flags = 2;
	IS(cuMemSetAccess(p + MIB2, 2 * MIB2, &access, 1), 1);
	access = (struct access){ { 1, 1 }, 3 };
	IS(cuMemSetAccess(p + MIB2, 2 * MIB2, &access, 1), 101);
	access = (struct access){ { 2, 0 }, 3 };
	IS(cuMemSetAccess(p + MIB2, 2 * MIB2, &access, 1), 801);
	IS(cuMemGetAccess(&flags, &at, p), 1);
	IS(cuMemGetAccess(NULL, &at, p + MIB2), 1);
	IS(cuMemGetAccess(&flags, NULL, p + MIB2), 1);
	at.id = 1;
	IS(cuMemGetAccess(&flags, &at, p + MIB2), 101);
	IS(cuMemRetainAllocationHandle(&m, (void *)(uintptr_t)p), 1);
	IS(cuMemRetainAllocationHandle(NULL, (void *)(uintptr_t)(p + MIB2)), 1);
	IS(cuMemAddressFree(p, 4 * MIB2), 1); /* still mapped */
	IS(cuMemUnmap(p + MIB2, MIB2), 1);
	IS(cuMemUnmap(p, 3 * MIB2), 1);
	IS(cuMemUnmap(p + MIB2, 2 * MIB2), 0);
	IS(cuMemUnmap(p + MIB2, 2 * MIB2), 1);
	IS(cuMemAddressFree(p, 2 * MIB2), 1);
	IS(cuMemAddressFree(p + MIB2, 3 * MIB2), 1);
	IS(cuMemFree_v2(p), 1);
	IS(cuMemAddressFree(p, 4 * MIB2), 0);
	IS(cuMemAddressFree(p, 4 * MIB2), 1);
	IS(cuMemRelease(m), 0);
	IS(cuMemRelease(m), 1);
}

/* An array that grows: memory behind memory, each of its own; copies and kernels go across. */
static void grows(const char *folder)
{
	void *m = module(folder), *f = NULL;
	enum { N = 3 * MIB2 / 4 };
	static float x[N];
	const size_t before = left();
	ptr p = 0, next = 0, base = 0;
	memory h[3];
	float a = 1;
	unsigned n = N;
	void *param[] = { &p, &p, &a, &n };
	size_t bytes = 0;

	IS(cuMemAddressReserve(&p, 2 * MIB2, 0, 0, 0), 0);
	IS(cuMemAddressReserve(&next, MIB2, 0, p + 2 * MIB2, 0), 0); /* where it was asked for */
	IS(next, p + 2 * MIB2);
	IS(cuMemAddressReserve(&base, MIB2, 0, p, 0), 0); /* which is not free */
	CHECK(base != p && base % MIB2 == 0);
	IS(cuMemAddressFree(base, MIB2), 0);
	IS(cuMemAddressReserve(&base, MIB2, 16 * MIB2, 0, 0), 0);
	IS(base % (16 * MIB2), 0);
	IS(cuMemAddressFree(base, MIB2), 0);
	IS(cuMemAddressReserve(&base, MIB2, 0, next + 3 * MIB2 + 4096, 0), 0); /* no such place */
	IS(base % MIB2, 0);
	IS(cuMemAddressFree(base, MIB2), 0);
	IS(left(), before);
	for (unsigned i = 0; i < 3; i++) {
		h[i] = create(MIB2);
		IS(cuMemMap(p + i * MIB2, MIB2, 0, h[i], 0), 0);
		IS(cuMemRelease(h[i]), 0); /* it stays as long as it is mapped */
	}
	IS(cuMemMap(p, MIB2, 0, h[0], 0), 1);
	IS(left(), before - 3 * MIB2);
	for (unsigned i = 0; i < N; i++)
		x[i] = (float)(i % 1000);
	IS(cuMemcpyHtoD_v2(p, x, sizeof x), 1); /* nobody may touch it yet */
	IS(cuMemSetAccess(p, 2 * MIB2, &both, 1), 0);
	IS(cuMemcpyHtoD_v2(p, x, sizeof x), 1);
	IS(cuMemSetAccess(next, MIB2, &both, 1), 0);
	IS(cuMemcpyHtoD_v2(p, x, sizeof x), 0);
	IS(cuModuleGetFunction(&f, m, "saxpy"), 0);
	IS(cuLaunchKernel(f, (N + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, param, NULL), 0);
	IS(cuCtxSynchronize(), 0);
	memset(x, 0, sizeof x);
	IS(cuMemcpyDtoH_v2(x, p, sizeof x), 0);
	for (unsigned i = 0; i < N; i++)
		if (x[i] != 2 * (float)(i % 1000)) {
			IS(i, N);
			break;
		}
	IS(cuMemcpyDtoH_v2(x, p + 4, sizeof x), 1); /* behind its end */
	IS(cuMemGetAddressRange_v2(&base, &bytes, next + 8), 0);
	CHECK(base == next && bytes == MIB2);
	IS(cuPointerGetAttribute(&base, 11, p + MIB2), 0);
	IS(base, p);
	IS(cuPointerGetAttribute(&bytes, 12, p + MIB2), 0);
	IS(bytes, 2 * MIB2);
	IS(cuPointerGetAttribute(&base, 19, p + MIB2 + 8), 0);
	IS(base, p + MIB2);
	IS(cuPointerGetAttribute(&bytes, 18, p + MIB2 + 8), 0);
	IS(bytes, MIB2);
	CHECK(pages() >= (long)(3 * MIB2 / 512) && windows());
	IS(cuMemUnmap(p, MIB2 / 2), 1); /* half of one, or one and a half */
	IS(cuMemUnmap(p, MIB2 + MIB2 / 2), 1);
	clocks_at_unmap(p + 2 * MIB2);
	IS(cuMemUnmap(p, 2 * MIB2), 0);
	IS(left(), before);
	IS(pages(), 0);
	IS(windows(), 0);
	IS(cuMemAddressFree(p, 2 * MIB2), 0);
	IS(cuMemAddressReserve(&base, MIB2, 0, p, 0), 0); /* it is free again */
	IS(base, p);
	IS(cuMemAddressFree(p, MIB2), 0);
	IS(cuMemAddressFree(next, MIB2), 0);
}

static void aliases(void)
{
	const struct access closed = { { 1, 0 }, 0 }, readable = { { 1, 0 }, 1 };
	const struct location at = { 1, 0 };
	const size_t before = left();
	unsigned long long flags = 9, id = 0, other = 1;
	memory m = create(MIB2), same = 0, another = create(MIB2);
	int mapped = 9;
	ptr p = 0;

	IS(cuMemAddressReserve(&p, 4 * MIB2, 0, 0, 0), 0);
	IS(cuMemMap(p, MIB2, 0, m, 0), 0);
	IS(cuMemMap(p + 2 * MIB2, MIB2, 0, m, 0), 0);
	IS(cuMemMap(p + 3 * MIB2, MIB2, 0, another, 0), 0);
	IS(left(), before - 2 * MIB2); /* mapped twice, it is there once */
	IS(cuMemGetAccess(&flags, &at, p), 0);
	IS(flags, 0);
	IS(cuMemSetAccess(p, MIB2, &both, 1), 0);
	IS(cuMemSetAccess(p + 2 * MIB2, 2 * MIB2, &readable, 1), 0);
	IS(cuMemGetAccess(&flags, &at, p + MIB2 - 1), 0);
	IS(flags, 3);
	IS(cuMemGetAccess(&flags, &(struct location){ 2, 0 }, p), 0);
	IS(flags, 0); /* the host may not */
	IS(cuMemGetAccess(&flags, &at, p + 3 * MIB2), 0);
	IS(flags, 1);
	IS(cuMemsetD32_v2(p, 0xabcd, MIB2 / 4), 0);
	IS(word(p + 2 * MIB2), 0xabcd);
	IS(word(p + 3 * MIB2 - 4), 0xabcd);
	IS(word(p + 3 * MIB2), 0);                 /* that is another's */
	IS(cuMemsetD32_v2(p + 2 * MIB2, 1, 1), 1); /* may be read */
	IS(cuMemcpyDtoD_v2(p + 4, p + 3 * MIB2, 4), 0);
	IS(word(p + 2 * MIB2 + 4), 0);
	IS(cuPointerGetAttribute(&id, 20, p), 0);
	IS(cuPointerGetAttribute(&other, 20, p + 2 * MIB2), 0);
	IS(id, other);
	IS(cuPointerGetAttribute(&other, 20, p + 3 * MIB2), 0);
	CHECK(id != other);
	IS(cuPointerGetAttribute(&mapped, 13, p), 0);
	IS(mapped, 1);
	IS(cuPointerGetAttribute(&mapped, 16, p + 2 * MIB2), 0);
	IS(mapped, 1);
	IS(cuPointerGetAttribute(&mapped, 13, p + MIB2), 0);
	IS(mapped, 0);
	IS(cuPointerGetAttribute(&mapped, 16, p + MIB2), 1);
	IS(cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)(p + 2 * MIB2 + 100)), 0);
	IS(same, m);
	IS(cuMemRelease(m), 0);
	IS(cuMemSetAccess(p, MIB2, &closed, 1), 0);
	IS(cuMemUnmap(p, MIB2), 0);
	IS(word(p + 2 * MIB2), 0xabcd);
	IS(cuMemUnmap(p + 2 * MIB2, MIB2), 0);
	IS(cuMemMap(p + MIB2, MIB2, 0, m, 0), 0); /* it was retained, and keeps what is in it */
	IS(cuMemSetAccess(p + MIB2, MIB2, &both, 1), 0);
	IS(word(p + MIB2), 0xabcd);
	IS(cuMemUnmap(p + MIB2, MIB2), 0);
	IS(cuMemRelease(m), 0);
	IS(cuMemMap(p, MIB2, 0, m, 0), 1);
	IS(cuMemUnmap(p + 3 * MIB2, MIB2), 0);
	IS(cuMemRelease(another), 0);
	m = create(MIB2); /* what is new is not what was there before */
	IS(cuMemMap(p, MIB2, 0, m, 0), 0);
	IS(cuMemSetAccess(p, MIB2, &both, 1), 0);
	IS(word(p), 0);
	IS(cuMemUnmap(p, MIB2), 0);
	IS(cuMemRelease(m), 0);
	IS(cuMemAddressFree(p, 4 * MIB2), 0);
	IS(left(), before);
}

void mappings(const char *folder)
{
	void *c = NULL;
	ptr p = 0;
	int n = 0;

	IS(cuMemAddressReserve(&p, MIB2, 0, 0, 0), 3);
	c = context();
	IS(cuDeviceGetAttribute(&n, 102, 0), 0);
	IS(n, 1);
	refused();
	grows(folder);
	aliases();
	IS(cuCtxDestroy_v2(c), 0);
}

/* Kernels that leave what is mapped, or may be accessed; the device is reset after each. */
void unmapped(const char *folder)
{
	const struct access closed = { { 1, 0 }, 0 }, readable = { { 1, 0 }, 1 };
	size_t before = 0;
	unsigned n = 64;
	float a = 1;

	for (unsigned i = 0; i < 5; i++) {
		const struct access *const access[] = { NULL, &closed, &readable, &both, NULL };
		void *c = NULL, *m, *f = NULL;
		ptr p = 0, x = 0;
		memory h;
		void *param[] = { &x, &p, &a, &n };

		IS(cuInit(0), 0);
		IS(cuDevicePrimaryCtxRetain(&c, 0), 0);
		IS(cuCtxSetCurrent(c), 0);
		before = before ? before : left();
		m = module(folder);
		IS(cuModuleGetFunction(&f, m, "saxpy"), 0);
		IS(cuMemAlloc_v2(&x, 4 * n), 0);
		IS(cuMemAddressReserve(&p, 2 * MIB2, 0, 0, 0), 0);
		h = create(MIB2);
		IS(cuMemMap(p, MIB2, 0, h, 0), 0);
		IS(cuMemSetAccess(p, MIB2, access[i] ? access[i] : &both, 1), 0);
		p += i == 0 ? MIB2 - 128 : 0; /* its second half is not mapped */
		if (i == 4)
			IS(cuMemUnmap(p, MIB2), 0);
		IS(cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, param, NULL), 0);
		IS(cuCtxSynchronize(), i == 3 ? 0 : 700);
		CHECK((i != 3 || pages() > 0) && (i == 4) == !windows());
		IS(cuDevicePrimaryCtxReset_v2(0), 0);
		IS(left(), before);
		IS(pages(), 0);
		IS(windows(), 0);
		IS(cuDevicePrimaryCtxRelease_v2(0), 0);
	}
}
