/* The device: there is one, number 0. What is asked of it, and what is set. */
#include "runtime-model/cuda/runtime/rt.h"

#include <stdio.h>
#include <string.h>

enum cu_status device_check(int device)
{
	enum cu_status s = cu_start();

	return s == CU_OK && device != 0 ? CU_INVALID_DEVICE : s;
}

/* ---- which ---- */
cudaError_t cudaGetDeviceCount(int *n)
{
	enum cu_status s = cu_start();

	FAIL_IF(!n, INVALID_VALUE);
	*n = s == CU_OK;
	return done(s);
}

cudaError_t cudaGetDevice(int *device)
{
	enum cu_status s = cu_start();

	FAIL_IF(!device, INVALID_VALUE);
	*device = 0;
	return done(s);
}

cudaError_t cudaSetDevice(int device)
{
	enum cu_status s = device_check(device);

	return done(s == CU_OK ? cu_sticky() : s);
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
	FAIL_IF(flags & ~(unsigned)cudaInitDeviceFlagsAreValid, INVALID_VALUE);
	if (flags & cudaInitDeviceFlagsAreValid) {
		cudaError_t e = cudaSetDeviceFlags(device_flags);

		if (e)
			return e;
	}
	return done(device_check(device));
}

cudaError_t cudaSetValidDevices(int *device, int n)
{
	enum cu_status s = cu_start();

	FAIL_IF(n < 0 || (n && !device), INVALID_VALUE);
	for (int i = 0; i < n && s == CU_OK; i++)
		s = device_check(device[i]);
	return done(s);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *p)
{
	FAIL_IF(!device || !p, INVALID_VALUE);
	*device = 0;
	return done(cu_start());
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
	const unsigned schedule = flags & cudaDeviceScheduleMask;

	FAIL_IF(flags & ~(unsigned)(cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax |
				    cudaDeviceSyncMemops),
		INVALID_VALUE);
	FAIL_IF(schedule & (schedule - 1), INVALID_VALUE); /* one of them at most */
	rt.flags = flags;
	return done(cu_start());
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
	FAIL_IF(!flags, INVALID_VALUE);
	*flags = rt.flags | cudaDeviceMapHost; /* host memory is always mapped */
	return done(cu_start());
}

cudaError_t cudaDeviceReset(void)
{
	enum cu_status s = cu_reset();

	if (s == CU_OK) {
		errors_forget();
		managed_forget();
		advice_forget(0, 0);
		stream_attributes_forget(NULL);
		cu_capture_forget(NULL);
		textures_forget();
		cu_graph_memory_forget();
	}
	return done(s);
}

cudaError_t cudaDeviceSynchronize(void)
{
	enum cu_status s = cu_capture_refuses_all();

	return done(s == CU_OK ? cu_synchronize() : s);
}

/* ---- what it is like ---- */
#define NUMA_NONE UINT64_MAX
static int clip(uint64_t n)
{
	if (n == NUMA_NONE)
		return -1;
	return n > INT32_MAX ? INT32_MAX : (int)n;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr what, int device)
{
	enum cu_status s = device_check(device);
	const struct cu_device *d = cu_device();

	FAIL_IF(!value, INVALID_VALUE);
	if (s != CU_OK)
		return done(s);
	switch ((int)what) {
#define ATTRIBUTE(name, v)        \
	case cudaDevAttr##name:   \
		*value = clip(v); \
		return done(CU_OK);
#include "runtime-model/cuda/runtime/attributes.def"
#undef ATTRIBUTE
	}
	return done(CU_INVALID_VALUE);
}

/* Every property is an attribute too, or a size that does not fit one. */
static void properties(struct cudaDeviceProp *p, const struct cu_device *d)
{
	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "%s", d->name);
	memcpy(p->uuid.bytes, d->uuid, sizeof p->uuid.bytes);
	p->totalGlobalMem = d->memory;
	p->memPitch = INT32_MAX;
#define PROPERTY(field, attribute)                                      \
	do {                                                            \
		int v_;                                                 \
		cudaDeviceGetAttribute(&v_, cudaDevAttr##attribute, 0); \
		p->field = (__typeof__(p->field))v_;                    \
	} while (0);
#include "runtime-model/cuda/runtime/properties.def"
#undef PROPERTY
}

/* The first `bytes` of them. */
static cudaError_t get_properties(struct cudaDeviceProp *p, size_t bytes, int device)
{
	enum cu_status s = device_check(device);
	struct cudaDeviceProp all;

	FAIL_IF(!p, INVALID_VALUE);
	if (s == CU_OK) {
		properties(&all, cu_device());
		memcpy(p, &all, bytes);
	}
	return done(s);
}

#if CUDART == 12
/* As CUDA 11 has them, whose programs call this name; those of CUDA 12 the other. */
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	enum { END = offsetof(struct cudaDeviceProp, reservedSharedMemPerBlock) + sizeof p->reservedSharedMemPerBlock };

	return get_properties(p, END, device);
}

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int device)
{
	return get_properties(p, sizeof *p, device);
}
#else
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	return get_properties(p, sizeof *p, device);
}
#endif

cudaError_t cudaDeviceGetPCIBusId(char *id, int n, int device)
{
	const struct cu_device *d = cu_device();
	enum cu_status s = device_check(device);
	char text[32];

	FAIL_IF(!id || n < 0, INVALID_VALUE);
	if (s != CU_OK)
		return done(s);
	snprintf(text, sizeof text, "%04x:%02x:%02x.0", d->pci_domain, d->pci_bus, d->pci_device);
	FAIL_IF((size_t)n <= strlen(text), INVALID_VALUE);
	strcpy(id, text);
	return done(CU_OK);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	unsigned domain = 0, bus, dev, function = 0;
	enum cu_status s = cu_start();
	const struct cu_device *d = cu_device();

	FAIL_IF(!device || !id, INVALID_VALUE);
	if (s != CU_OK)
		return done(s);
	if (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &dev, &function) < 3) {
		domain = 0;
		FAIL_IF(sscanf(id, "%x:%x.%x", &bus, &dev, &function) < 2, INVALID_VALUE);
	}
	FAIL_IF(domain != d->pci_domain || bus != d->pci_bus || dev != d->pci_device || function, INVALID_DEVICE);
	*device = 0;
	return done(CU_OK);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *c, int device)
{
	enum cu_status s = device_check(device);
	int texels;

	FAIL_IF(!width || !c || c->x + c->y + c->z + c->w < 8, INVALID_VALUE);
	if (s == CU_OK)
		s = (enum cu_status)cudaDeviceGetAttribute(&texels, cudaDevAttrMaxTexture1DLinearWidth, device);
	if (s == CU_OK)
		*width = (size_t)texels;
	return done(s);
}

/* ---- limits and preferences ---- */
static enum cu_status limit(enum cudaLimit what, bool set, size_t *value)
{
	const struct {
		enum cudaLimit limit;
		enum cu_limit core;
	} shared[] = { { cudaLimitStackSize, CU_LIMIT_STACK },
		       { cudaLimitPrintfFifoSize, CU_LIMIT_PRINTF },
		       { cudaLimitMallocHeapSize, CU_LIMIT_HEAP } };
	const struct {
		enum cudaLimit limit;
		uint64_t initial, most;
	} own[] = { { cudaLimitDevRuntimeSyncDepth, 2, 24 },
		    { cudaLimitDevRuntimePendingLaunchCount, 2048, UINT64_MAX },
		    { cudaLimitMaxL2FetchGranularity, 64, 128 },
		    { cudaLimitPersistingL2CacheSize, 0, UINT64_MAX } };
	enum cu_status s = cu_start();

	if (s == CU_OK)
		s = cu_sticky();
	for (unsigned i = 0; s == CU_OK && i < sizeof shared / sizeof *shared; i++)
		if (shared[i].limit == what) {
			uint64_t v = *value;

			s = set ? cu_limit_set(shared[i].core, v) : cu_limit_get(shared[i].core, &v);
			*value = v;
			return s;
		}
	for (unsigned i = 0; s == CU_OK && i < sizeof own / sizeof *own; i++)
		if (own[i].limit == what) {
			if (set && *value > own[i].most)
				return CU_INVALID_VALUE;
			LOCKED(if (set) rt.limit[what] = *value + 1;
			       else *value = rt.limit[what] ? rt.limit[what] - 1 : own[i].initial);
			return CU_OK;
		}
	return s == CU_OK ? CU_UNSUPPORTED_LIMIT : s;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit what, size_t value) { return done(limit(what, true, &value)); }

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit what)
{
	FAIL_IF(!value, INVALID_VALUE);
	return done(limit(what, false, value));
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cache)
{
	FAIL_IF((unsigned)cache > cudaFuncCachePreferEqual, INVALID_VALUE);
	rt.cache = (int)cache;
	return done(cu_start());
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *cache)
{
	FAIL_IF(!cache, INVALID_VALUE);
	*cache = (enum cudaFuncCache)rt.cache;
	return done(cu_start());
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig banks)
{
	FAIL_IF((unsigned)banks > cudaSharedMemBankSizeEightByte, INVALID_VALUE);
	return done(cu_start()); /* banks have had one width since compute capability 5.0 */
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *banks)
{
	FAIL_IF(!banks, INVALID_VALUE);
	*banks = cudaSharedMemBankSizeFourByte;
	return done(cu_start());
}

cudaError_t cudaCtxResetPersistingL2Cache(void) { return done(cu_start()); }

#if CUDART == 12
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadSetLimit(enum cudaLimit what, size_t value) { return cudaDeviceSetLimit(what, value); }
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit what) { return cudaDeviceGetLimit(value, what); }
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache cache) { return cudaDeviceSetCacheConfig(cache); }
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *cache) { return cudaDeviceGetCacheConfig(cache); }
#endif

/* ---- other devices: there are none ---- */
cudaError_t cudaDeviceCanAccessPeer(int *yes, int device, int peer)
{
	enum cu_status s = device_check(device);

	FAIL_IF(!yes, INVALID_VALUE);
	if (s == CU_OK)
		s = device_check(peer);
	if (s == CU_OK)
		*yes = 0;
	return done(s);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	(void)peer;
	FAIL_IF(flags, INVALID_VALUE);
	return done(cu_start() == CU_OK ? CU_INVALID_DEVICE : cu_start());
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	const enum cu_status s = cu_start();

	if (s != CU_OK)
		return done(s);
	return done(peer == 0 ? CU_PEER_ACCESS_NOT_ENABLED : CU_INVALID_DEVICE);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr what, int from, int to)
{
	(void)from;
	(void)to;
	FAIL_IF(!value || what < cudaDevP2PAttrPerformanceRank || what > cudaDevP2PAttrOnlyPartialNativeAtomicSupported,
		INVALID_VALUE);
	/* of two devices that differ, and there is one */
	return done(cu_start() == CU_OK ? CU_INVALID_DEVICE : cu_start());
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
					       enum cudaFlushGPUDirectRDMAWritesScope scope)
{
	(void)target;
	(void)scope;
	return done(cu_start() == CU_OK ? CU_NOT_SUPPORTED : cu_start()); /* as attribute 116 says */
}

#if CUDART == 13
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *capability, const enum cudaAtomicOperation *op, unsigned n,
						int device)
{
	enum cu_status s = device_check(device);

	FAIL_IF(!capability || !op || !n, INVALID_VALUE);
	for (unsigned i = 0; i < n && s == CU_OK; i++) {
		FAIL_IF((unsigned)op[i] > cudaAtomicOperationFloatMax, INVALID_VALUE);
		capability[i] = 0; /* as hostNativeAtomicSupported says */
	}
	return done(s);
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *capability, const enum cudaAtomicOperation *op, unsigned n,
					       int from, int to)
{
	(void)from;
	(void)to;
	FAIL_IF(!capability || !op || !n, INVALID_VALUE);
	return done(cu_start() == CU_OK ? CU_INVALID_DEVICE : cu_start());
}
#endif
