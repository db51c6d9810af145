/* Memory that programs put together by hand: addresses, memory, mappings (../core/virtual.h). None of it needs a
 * context. */
#include "runtime-model/cuda/core/virtual.h"
#include "runtime-model/cuda/driver/driver.h"

typedef unsigned long long CUmemory;
#define DO(...)                           \
	do {                              \
		STARTED();                \
		return told(__VA_ARGS__); \
	} while (0)

API(cuMemAddressReserve, CUdeviceptr *addr, size_t bytes, size_t align, CUdeviceptr hint, unsigned long long flags)
{
	uint64_t at = 0;
	CUresult s;

	STARTED();
	s = addr && !flags ? told(cu_reserve(&at, bytes, align, hint)) : CU_INVALID_VALUE;
	if (!s)
		*addr = at;
	return s;
}

API(cuMemAddressFree, CUdeviceptr addr, size_t bytes) { DO(cu_unreserve(addr, bytes)); }

API(cuMemCreate, CUmemory *handle, size_t bytes, const struct cu_memory_props *p, unsigned long long flags)
{
	uint64_t h = 0;
	CUresult s;

	STARTED();
	s = handle && !flags ? told(cu_memory_create(&h, bytes, p)) : CU_INVALID_VALUE;
	if (!s)
		*handle = h;
	return s;
}

API(cuMemExportToShareableHandle, void *shareable, CUmemory handle, int type, unsigned long long flags)
{
	CUresult s;

	STARTED();
	s = handle_of_file(shareable, type, flags);
	return s ? s : told(cu_memory_export(shareable, handle));
}

API(cuMemImportFromShareableHandle, CUmemory *handle, void *shareable, int type)
{
	uint64_t h = 0;
	CUresult s;

	STARTED();
	s = handle_of_file(handle, type, 0);
	if (!s)
		s = told(cu_memory_import(&h, (int)(intptr_t)shareable));
	if (!s)
		*handle = h;
	return s;
}

API(cuMemRelease, CUmemory handle) { DO(cu_memory_release(handle)); }
API(cuMemMap, CUdeviceptr addr, size_t bytes, size_t offset, CUmemory handle, unsigned long long flags)
{
	DO(flags ? CU_INVALID_VALUE : cu_map(addr, bytes, offset, handle));
}
API(cuMemUnmap, CUdeviceptr addr, size_t bytes) { DO(cu_unmap(addr, bytes)); }
API(cuMemSetAccess, CUdeviceptr addr, size_t bytes, const struct cu_access *access, size_t n)
{
	DO(cu_protect(addr, bytes, access, n));
}

API(cuMemGetAccess, unsigned long long *flags, const struct cu_location *at, CUdeviceptr addr)
{
	int got = 0;
	CUresult s;

	STARTED();
	s = flags ? told(cu_protection(&got, at, addr)) : CU_INVALID_VALUE;
	if (!s)
		*flags = (unsigned)got;
	return s;
}

API(cuMemGetAllocationGranularity, size_t *bytes, const struct cu_memory_props *p, int option)
{
	CUresult s;

	STARTED();
	s = bytes && (option == 0 || option == 1) ? told(cu_memory_props_check(p)) : CU_INVALID_VALUE;
	if (!s)
		*bytes = CU_GRANULE;
	return s;
}

API(cuMemGetAllocationPropertiesFromHandle, struct cu_memory_props *p, CUmemory handle)
{
	DO(cu_memory_props(p, handle));
}

API(cuMemRetainAllocationHandle, CUmemory *handle, void *addr)
{
	uint64_t h = 0;
	CUresult s;

	STARTED();
	s = handle ? told(cu_memory_retain(&h, (uint64_t)(uintptr_t)addr)) : CU_INVALID_VALUE;
	if (!s)
		*handle = h;
	return s;
}
