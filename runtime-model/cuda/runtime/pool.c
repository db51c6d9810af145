/* Memory in the order of a stream, and pools (../core/pool.h). */
#include "runtime-model/cuda/core/pool.h"
#include "runtime-model/cuda/runtime/rt.h"

enum cu_status memory_release(uint64_t addr) { return cu_give_back(addr, CU_DEVICE); }

static cudaError_t alloc_async(void **p, size_t n, cudaMemPool_t pool, cudaStream_t s)
{
	struct op o = { .kind = OP_ALLOC, .memory.bytes = n };
	bool taken = false;
	enum cu_status st = cu_start();

	if (st != CU_OK)
		return done(st);
	FAIL_IF(!p || !n, INVALID_VALUE);
	FAIL_IF(!cu_stream_valid(stream_of(s)), INVALID_HANDLE);
	st = cu_capture_op(&o, stream_of(s), &taken);
	if (!taken)
		st = cu_pool_alloc(&o.memory.addr, n, pool);
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
	return done(op_issue(
		&(struct op){ .kind = OP_FREE, .memory = { .addr = (uintptr_t)p, .release = memory_release } }, s));
}

/* ---- pools ---- */
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *p)
{
	FAIL_IF(!pool || !p, INVALID_VALUE);
	return done(cu_pool_create(pool, &(struct cu_pool_props){ (int)p->allocType,
								  (int)p->handleTypes,
								  { (int)p->location.type, p->location.id },
								  NULL,
								  p->maxSize,
								  p->usage,
								  { 0 } }));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) { return done(cu_pool_destroy(pool)); }

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	(void)keep; /* it holds nothing back */
	return done(cu_pool_trim(pool));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr what, void *value)
{
	return done(cu_pool_set(pool, (int)what, value));
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr what, void *value)
{
	return done(cu_pool_get(pool, (int)what, value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *d, size_t n)
{
	enum cu_status s = d || !n ? cu_pool_allow(pool, NULL, 0) : CU_INVALID_VALUE;

	for (size_t i = 0; s == CU_OK && i < n; i++)
		s = cu_pool_allow(
			pool, &(struct cu_access){ { (int)d[i].location.type, d[i].location.id }, (int)d[i].flags }, 1);
	return done(s);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *at)
{
	enum cu_status s;
	int got = 0;

	FAIL_IF(!flags || !at, INVALID_VALUE);
	s = cu_pool_access(&got, pool, &(struct cu_location){ (int)at->type, at->id });
	if (s == CU_OK)
		*flags = (enum cudaMemAccessFlags)got;
	return done(s);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	enum cu_status s = device_check(device);

	return done(s == CU_OK ? cu_pool_first(pool) : s);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	enum cu_status s = device_check(device);

	return done(s == CU_OK ? cu_pool_current(pool) : s);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	enum cu_status s = device_check(device);

	return done(s == CU_OK ? cu_pool_use(pool) : s);
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

/* ---- of other processes: a handle is a file's descriptor ---- */
cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type,
					       unsigned flags)
{
	FAIL_IF(!handle || flags, INVALID_VALUE);
	FAIL_IF(type != cudaMemHandleTypePosixFileDescriptor, NOT_SUPPORTED);
	return done(cu_pool_export(handle, pool));
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
						 enum cudaMemAllocationHandleType type, unsigned flags)
{
	FAIL_IF(!pool || flags, INVALID_VALUE);
	FAIL_IF(type != cudaMemHandleTypePosixFileDescriptor, NOT_SUPPORTED);
	return done(cu_pool_import(pool, (int)(intptr_t)handle));
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *p)
{
	FAIL_IF(!data || !p, INVALID_VALUE);
	return done(cu_pool_export_pointer((char *)data->reserved, (uintptr_t)p));
}

cudaError_t cudaMemPoolImportPointer(void **p, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data)
{
	uint64_t addr;
	enum cu_status s;

	FAIL_IF(!p || !data, INVALID_VALUE);
	s = cu_pool_import_pointer(&addr, pool, (const char *)data->reserved);
	if (s == CU_OK)
		*p = (void *)(uintptr_t)addr;
	return done(s);
}
