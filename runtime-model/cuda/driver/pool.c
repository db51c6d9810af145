/* Memory in the order of a stream, and pools (../core/pool.h). */
#include "runtime-model/cuda/core/pool.h"
#include "runtime-model/cuda/driver/driver.h"

static CUresult alloc_async(CUdeviceptr *addr, size_t bytes, CUmemoryPool pool, CUstream s)
{
	struct op o = { .kind = OP_ALLOC, .memory.bytes = bytes };
	bool taken = false;
	CUresult r;

	READY();
	if (!addr || !bytes)
		return CU_INVALID_VALUE;
	if (!cu_stream_valid(s))
		return CU_INVALID_HANDLE;
	r = told(cu_capture_op(&o, s, &taken));
	if (!taken)
		r = told(cu_pool_alloc(&o.memory.addr, bytes, pool));
	if (r)
		return r;
	if (!taken)
		own(OWNED_MEMORY, o.memory.addr);
	*addr = o.memory.addr;
	return CU_OK;
}

OF_STREAM(cuMemAllocAsync, (CUdeviceptr * addr, size_t bytes, CUstream s), (addr, bytes, s), (addr, bytes, OWN(s)),
	  { return alloc_async(addr, bytes, NULL, s); })

OF_STREAM(cuMemAllocFromPoolAsync, (CUdeviceptr * addr, size_t bytes, CUmemoryPool pool, CUstream s),
	  (addr, bytes, pool, s), (addr, bytes, pool, OWN(s)),
	  { return pool ? alloc_async(addr, bytes, pool, s) : CU_INVALID_VALUE; })

OF_STREAM(cuMemFreeAsync, (CUdeviceptr addr, CUstream s), (addr, s), (addr, OWN(s)), {
	READY();
	return addr ? told(cu_op_issue(
			      &(struct op){ .kind = OP_FREE, .memory = { .addr = addr, .release = memory_release } },
			      s))
		    : CU_INVALID_VALUE;
})

/* ---- pools: they are the device's, so none needs a context ---- */
API(cuMemPoolCreate, CUmemoryPool *pool, const struct cu_pool_props *p)
{
	STARTED();
	return told(cu_pool_create(pool, p));
}
API(cuMemPoolDestroy, CUmemoryPool pool)
{
	STARTED();
	return told(cu_pool_destroy(pool));
}

API(cuMemPoolTrimTo, CUmemoryPool pool, size_t keep)
{
	(void)keep; /* it holds nothing back */
	STARTED();
	return told(cu_pool_trim(pool));
}

API(cuMemPoolSetAttribute, CUmemoryPool pool, int attribute, void *value)
{
	STARTED();
	return told(cu_pool_set(pool, attribute, value));
}
API(cuMemPoolGetAttribute, CUmemoryPool pool, int attribute, void *value)
{
	STARTED();
	return told(cu_pool_get(pool, attribute, value));
}
API(cuMemPoolSetAccess, CUmemoryPool pool, const struct cu_access *access, size_t n)
{
	STARTED();
	return told(cu_pool_allow(pool, access, n));
}
API(cuMemPoolGetAccess, int *flags, CUmemoryPool pool, struct cu_location *at)
{
	STARTED();
	return told(cu_pool_access(flags, pool, at));
}

API(cuDeviceGetDefaultMemPool, CUmemoryPool *pool, CUdevice d)
{
	CUresult s = device_ok(d);
	return s ? s : told(cu_pool_first(pool));
}
API(cuDeviceGetMemPool, CUmemoryPool *pool, CUdevice d)
{
	CUresult s = device_ok(d);
	return s ? s : told(cu_pool_current(pool));
}
API(cuDeviceSetMemPool, CUdevice d, CUmemoryPool pool)
{
	CUresult s = device_ok(d);
	return s ? s : told(cu_pool_use(pool));
}

/* The same by place. */
static CUresult place(const struct cu_location *at, int kind)
{
	STARTED();
	if (!at || kind != CU_KIND_PINNED)
		return kind == CU_KIND_MANAGED ? CU_NOT_SUPPORTED : CU_INVALID_VALUE;
	return at->kind != CU_AT_DEVICE ? CU_NOT_SUPPORTED : device_ok(at->id);
}

API(cuMemGetDefaultMemPool, CUmemoryPool *pool, struct cu_location *at, int kind)
{
	CUresult s = place(at, kind);
	return s ? s : told(cu_pool_first(pool));
}
API(cuMemGetMemPool, CUmemoryPool *pool, struct cu_location *at, int kind)
{
	CUresult s = place(at, kind);
	return s ? s : told(cu_pool_current(pool));
}
API(cuMemSetMemPool, struct cu_location *at, int kind, CUmemoryPool pool)
{
	CUresult s = place(at, kind);
	return s ? s : told(cu_pool_use(pool));
}

/* ---- of other processes: a handle is a file's descriptor ---- */
CUresult handle_of_file(const void *there, int type, unsigned long long flags)
{
	if (!there || flags)
		return CU_INVALID_VALUE;
	return type == CU_HANDLE_FILE ? CU_OK : CU_NOT_SUPPORTED;
}

struct pointer {
	char bytes[CU_POINTER_BYTES];
};

API(cuMemPoolExportToShareableHandle, void *handle, CUmemoryPool pool, int type, unsigned long long flags)
{
	CUresult s;

	STARTED();
	s = handle_of_file(handle, type, flags);
	return s ? s : told(cu_pool_export(handle, pool));
}

API(cuMemPoolImportFromShareableHandle, CUmemoryPool *pool, void *handle, int type, unsigned long long flags)
{
	CUresult s;

	STARTED();
	s = handle_of_file(pool, type, flags);
	return s ? s : told(cu_pool_import(pool, (int)(intptr_t)handle));
}

API(cuMemPoolExportPointer, struct pointer *p, CUdeviceptr addr)
{
	STARTED();
	return p ? told(cu_pool_export_pointer(p->bytes, addr)) : CU_INVALID_VALUE;
}

API(cuMemPoolImportPointer, CUdeviceptr *addr, CUmemoryPool pool, struct pointer *p)
{
	uint64_t at = 0;
	CUresult s;

	STARTED();
	s = addr && p ? told(cu_pool_import_pointer(&at, pool, p->bytes)) : CU_INVALID_VALUE;
	if (!s)
		*addr = at;
	return s;
}
