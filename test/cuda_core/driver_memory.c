/* Memory that programs manage by hand: pools. */
#include "driver.h"

#include <dlfcn.h>
#include <string.h>

typedef void *pool;
struct pool_props { int kind, handles; struct location at; void *security; size_t most; unsigned short usage; unsigned char reserved[54]; };
struct access { struct location at; int flags; };
extern int cuMemPoolCreate(pool *, const struct pool_props *), cuMemPoolDestroy(pool), cuMemPoolTrimTo(pool, size_t), cuMemPoolSetAttribute(pool, int, void *), cuMemPoolGetAttribute(pool, int, void *);
extern int cuMemPoolSetAccess(pool, const struct access *, size_t), cuMemPoolGetAccess(int *, pool, struct location *), cuDeviceGetDefaultMemPool(pool *, int), cuDeviceGetMemPool(pool *, int);
extern int cuDeviceSetMemPool(int, pool), cuMemAllocAsync(ptr *, size_t, void *), cuMemAllocAsync_ptsz(ptr *, size_t, void *), cuMemAllocFromPoolAsync(ptr *, size_t, pool, void *);
extern int cuMemAllocFromPoolAsync_ptsz(ptr *, size_t, pool, void *), cuMemFreeAsync(ptr, void *), cuMemFreeAsync_ptsz(ptr, void *), cuMemGetDefaultMemPool(pool *, struct location *, int);
extern int cuMemGetMemPool(pool *, struct location *, int), cuMemSetMemPool(struct location *, int, pool), cuStreamBeginCapture_v2(void *, int), cuStreamEndCapture(void *, void **), cuGraphDestroy(void *);

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
	int (*alloc)(ptr *, size_t, pool, void *) = NULL, (*give)(ptr, void *) = NULL, (*create)(pool *, const struct pool_props *) = NULL, (*get)(pool *, int) = NULL;
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
	IS(held(mine, 7), 600);                  /* with what it has handed out before */
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
	pool first = NULL, mine = NULL, got = NULL;
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
	IS(cuMemFreeAsync(p, s), 1);            /* twice */
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
	props.handles = 1;
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
	IS(cuMemFree_v2(p), 0);                 /* the plain way is allowed */
	IS(held(mine, 5), 0);
	IS(held(mine, 6), 1 << 20);
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
	IS(cuMemAllocAsync(&p, 100, s), 0);
	IS(held(mine, 7), 100);
	shared(mine, s);
	IS(cuDeviceGetMemPool(&got, 0), 0);
	CHECK(got == first);                    /* the other was the current one, and has gone */
	IS(cuDeviceSetMemPool(0, mine), 0);
	IS(cuMemPoolDestroy(first), 1);
	IS(cuMemPoolDestroy(mine), 0);
	IS(cuMemPoolDestroy(mine), 1);
	IS(cuMemPoolGetAttribute(mine, 7, &v), 1);
	IS(cuMemPoolCreate(&got, &props), 0);
	CHECK(got != mine);                     /* it still has memory out */
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
	IS(cuCtxDestroy_v2(c), 0);              /* memory that it owns goes with it */
	IS(held(got, 7), 0);
}
