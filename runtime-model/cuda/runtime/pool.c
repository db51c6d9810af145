/* Memory in the order of a stream, and pools. Work is done when it is issued, so an allocation is there at once and memory that is freed is free;
 * a pool only counts what it has handed out, and holds back nothing. */
#include "runtime-model/cuda/runtime/rt.h"

#include <string.h>

struct CUmemPoolHandle_st {
	struct CUmemPoolHandle_st *next;
	bool live;
	struct cudaMemPoolProps props;
	int reuse[3];
	uint64_t threshold, used, high;
};
struct handed { uint64_t addr, bytes; cudaMemPool_t pool; };
static struct CUmemPoolHandle_st first = {
	.live = true, .props = { cudaMemAllocationTypePinned, cudaMemHandleTypeNone, { cudaMemLocationTypeDevice, 0 }, NULL, 0, 0, { 0 } }, .reuse = { 1, 1, 1 } };
static cudaMemPool_t pools = &first;
static struct CUmemPoolHandle_st *_Atomic current = &first;
static struct { struct handed *row; uint32_t n, cap; } handed;

static bool pool_live(cudaMemPool_t p)
{
	cudaMemPool_t q = pools;

	while (q && q != p)
		q = q->next;
	return q && q->live;
}

/* The lock of tables, after what every call looks at first. */
static enum cu_status enter_pool(cudaMemPool_t p)
{
	enum cu_status s = cu_start();

	if (s == CU_OK)
		s = cu_sticky();
	if (s != CU_OK)
		return s;
	pthread_mutex_lock(&rt.lock);
	if (!pool_live(p)) {
		pthread_mutex_unlock(&rt.lock);
		return CU_INVALID_VALUE;
	}
	return CU_OK;
}

static cudaError_t leave_pool(enum cu_status s)
{
	pthread_mutex_unlock(&rt.lock);
	return done(s);
}

/* ---- allocating ---- */
enum cu_status pool_alloc(uint64_t *addr, uint64_t bytes, cudaMemPool_t pool)
{
	enum cu_status s;

	pool = pool ? pool : current;
	s = enter_pool(pool);
	if (s != CU_OK)
		return s;
	s = pool->props.maxSize && pool->used + bytes > pool->props.maxSize ? CU_OUT_OF_MEMORY : cu_alloc(addr, bytes, 0, CU_DEVICE, 0);
	if (s == CU_OK) {
		pool->used += bytes;
		pool->high = pool->used > pool->high ? pool->used : pool->high;
		arena_grow(&rt.a, handed.row, handed.n, handed.cap);
		handed.row[handed.n++] = (struct handed){ *addr, bytes, pool };
	}
	pthread_mutex_unlock(&rt.lock);
	return s;
}

/* 0: all */
static void forget(uint64_t addr)
{
	for (uint32_t i = handed.n; i-- > 0;)
		if (!addr || handed.row[i].addr == addr) {
			handed.row[i].pool->used -= handed.row[i].bytes;
			handed.row[i] = handed.row[--handed.n];
		}
}

void pools_reset(void)
{
	LOCKED({
		forget(0);
		for (cudaMemPool_t p = pools; p; p = p->next)
			p->live = p == &first;
		current = &first;
	});
}

static enum cu_status give_back(uint64_t addr, enum cu_memory kind, enum cu_status (*free_it)(uint64_t, enum cu_memory))
{
	enum cu_status s;

	if (cu_graph_owns(addr))
		return cu_sticky();
	LOCKED({
		s = free_it(addr, kind);
		if (s == CU_OK)                 /* before another thread is given the same address */
			forget(addr);
	});
	return s;
}

enum cu_status pool_free(uint64_t addr, enum cu_memory kind) { return give_back(addr, kind, cu_free); }
enum cu_status pool_release(uint64_t addr) { return give_back(addr, CU_DEVICE, cu_give_back); }

static cudaError_t alloc_async(void **p, size_t n, cudaMemPool_t pool, cudaStream_t s)
{
	struct op o = { .kind = OP_ALLOC, .memory = { .bytes = n, .pool = pool } };
	bool taken = false;
	enum cu_status st = cu_start();

	if (st != CU_OK)
		return done(st);
	FAIL_IF(!p || !n, INVALID_VALUE);
	FAIL_IF(!cu_stream_valid(stream_of(s)), INVALID_HANDLE);
	st = cu_capture_op(&o, stream_of(s), &taken);
	if (!taken)
		st = pool_alloc(&o.memory.addr, n, pool);
	if (st == CU_OK)
		*p = (void *)(uintptr_t)o.memory.addr;
	return done(st);
}

STREAM_FN(cudaMallocAsync, (p, n, OWN(s)), void **p, size_t n, cudaStream_t s) { return alloc_async(p, n, NULL, s); }

STREAM_FN(cudaMallocFromPoolAsync, (p, n, pool, OWN(s)), void **p, size_t n, cudaMemPool_t pool, cudaStream_t s)
{
	FAIL_IF(!pool, INVALID_VALUE);
	return alloc_async(p, n, pool, s);
}

STREAM_FN(cudaFreeAsync, (p, OWN(s)), void *p, cudaStream_t s)
{
	FAIL_IF(!p, INVALID_VALUE);
	return done(op_issue(&(struct op){ .kind = OP_FREE, .memory = { .addr = (uintptr_t)p, .release = pool_release } }, s));
}

/* ---- pools ---- */
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *p)
{
	enum cu_status s = cu_start();

	FAIL_IF(!pool || !p, INVALID_VALUE);
	if (s == CU_OK && p->location.type == cudaMemLocationTypeDevice)
		s = device_check(p->location.id);
	if (s != CU_OK)
		return done(s);
	FAIL_IF(p->allocType != cudaMemAllocationTypePinned, INVALID_VALUE);
	FAIL_IF(p->location.type != cudaMemLocationTypeDevice || p->handleTypes != cudaMemHandleTypeNone, NOT_SUPPORTED);
	LOCKED({
		cudaMemPool_t q = pools;

		while (q && q->live)            /* one that was destroyed and has nothing out any more */
			q = q->next;
		if (!q || q->used) {
			q = new(&rt.a, struct CUmemPoolHandle_st);
			q->next = pools;
			pools = q;
		}
		*q = (struct CUmemPoolHandle_st){ .next = q->next, .live = true, .props = *p, .reuse = { 1, 1, 1 } };
		*pool = q;
	});
	return done(CU_OK);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	enum cu_status s = enter_pool(pool);

	if (s != CU_OK)
		return done(s);
	if (pool == &first)
		return leave_pool(CU_INVALID_VALUE);
	pool->live = false;
	current = current == pool ? &first : current;
	return leave_pool(CU_OK);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	enum cu_status s = enter_pool(pool);

	(void)keep;
	return s == CU_OK ? leave_pool(CU_OK) : done(s);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr what, void *value)
{
	enum cu_status s = value ? enter_pool(pool) : CU_INVALID_VALUE;

	if (s != CU_OK)
		return done(s);
	switch (what) {
	case cudaMemPoolReuseFollowEventDependencies: case cudaMemPoolReuseAllowOpportunistic: case cudaMemPoolReuseAllowInternalDependencies:
		memcpy(&pool->reuse[what - cudaMemPoolReuseFollowEventDependencies], value, sizeof(int));
		return leave_pool(CU_OK);
	case cudaMemPoolAttrReleaseThreshold:
		memcpy(&pool->threshold, value, sizeof pool->threshold);
		return leave_pool(CU_OK);
	case cudaMemPoolAttrReservedMemHigh: case cudaMemPoolAttrUsedMemHigh: {
		uint64_t v;

		memcpy(&v, value, sizeof v);
		if (v)                                  /* a mark can only be set anew */
			return leave_pool(CU_INVALID_VALUE);
		pool->high = pool->used;
		return leave_pool(CU_OK);
	}
	case cudaMemPoolAttrReservedMemCurrent: case cudaMemPoolAttrUsedMemCurrent: break;
	}
	return leave_pool(CU_INVALID_VALUE);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr what, void *value)
{
	enum cu_status s = value ? enter_pool(pool) : CU_INVALID_VALUE;

	if (s != CU_OK)
		return done(s);
	switch (what) {
	case cudaMemPoolReuseFollowEventDependencies: case cudaMemPoolReuseAllowOpportunistic: case cudaMemPoolReuseAllowInternalDependencies:
		memcpy(value, &pool->reuse[what - cudaMemPoolReuseFollowEventDependencies], sizeof(int));
		return leave_pool(CU_OK);
	case cudaMemPoolAttrReleaseThreshold:
		memcpy(value, &pool->threshold, sizeof pool->threshold);
		return leave_pool(CU_OK);
	case cudaMemPoolAttrReservedMemCurrent: case cudaMemPoolAttrUsedMemCurrent:
		memcpy(value, &pool->used, sizeof pool->used);
		return leave_pool(CU_OK);
	case cudaMemPoolAttrReservedMemHigh: case cudaMemPoolAttrUsedMemHigh:
		memcpy(value, &pool->high, sizeof pool->high);
		return leave_pool(CU_OK);
	}
	return leave_pool(CU_INVALID_VALUE);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *d, size_t n)
{
	enum cu_status s = d || !n ? enter_pool(pool) : CU_INVALID_VALUE;

	if (s != CU_OK)
		return done(s);
	for (size_t i = 0; i < n; i++) {
		if (d[i].location.type != cudaMemLocationTypeDevice)
			return leave_pool(CU_INVALID_VALUE);
		if (d[i].location.id != 0)
			return leave_pool(CU_INVALID_DEVICE);
		if (d[i].flags != cudaMemAccessFlagsProtReadWrite)      /* its own device cannot lose it */
			return leave_pool(CU_INVALID_VALUE);
	}
	return leave_pool(CU_OK);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *at)
{
	enum cu_status s = flags && at ? enter_pool(pool) : CU_INVALID_VALUE;

	if (s != CU_OK)
		return done(s);
	if (at->type != cudaMemLocationTypeDevice || at->id != 0)
		return leave_pool(CU_INVALID_VALUE);
	*flags = cudaMemAccessFlagsProtReadWrite;
	return leave_pool(CU_OK);
}

static cudaError_t get_pool(cudaMemPool_t *pool, int device, cudaMemPool_t p)
{
	enum cu_status s = device_check(device);

	FAIL_IF(!pool, INVALID_VALUE);
	if (s == CU_OK)
		*pool = p;
	return done(s);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) { return get_pool(pool, device, &first); }
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return get_pool(pool, device, current); }

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	enum cu_status s = device_check(device);

	if (s == CU_OK)
		s = enter_pool(pool);
	if (s != CU_OK)
		return done(s);
	current = pool;
	return leave_pool(CU_OK);
}

#if CUDART == 13
static enum cu_status pool_place(const struct cudaMemLocation *at, enum cudaMemAllocationType type)
{
	if (!at || type != cudaMemAllocationTypePinned)
		return type == cudaMemAllocationTypeManaged ? CU_NOT_SUPPORTED : CU_INVALID_VALUE;
	return at->type == cudaMemLocationTypeDevice ? device_check(at->id) : CU_NOT_SUPPORTED;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *at, enum cudaMemAllocationType type)
{
	enum cu_status s = pool_place(at, type);

	return s == CU_OK ? cudaDeviceGetDefaultMemPool(pool, at->id) : done(s);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *at, enum cudaMemAllocationType type)
{
	enum cu_status s = pool_place(at, type);

	return s == CU_OK ? cudaDeviceGetMemPool(pool, at->id) : done(s);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *at, enum cudaMemAllocationType type, cudaMemPool_t pool)
{
	enum cu_status s = pool_place(at, type);

	return s == CU_OK ? cudaDeviceSetMemPool(at->id, pool) : done(s);
}
#endif
