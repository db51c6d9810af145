/* Allocating and freeing, what an address is, and what programs say about managed memory. */
#include "runtime-model/cuda/runtime/rt.h"

#include <string.h>

static enum cu_status allocate(void **p, uint64_t bytes, enum cu_memory kind, unsigned flags)
{
	uint64_t addr = 0;
	enum cu_status s = cu_start();

	if (s != CU_OK)
		return s;
	if (!p)
		return CU_INVALID_VALUE;
	if (bytes) {
		s = cu_capture_refuses_all();
		if (s != CU_OK)
			return s;
		s = cu_alloc(&addr, bytes, 0, kind, flags);
		if (s != CU_OK)
			return s;
	}
	*p = (void *)(uintptr_t)addr;
	return cu_sticky();
}

cudaError_t cudaMalloc(void **p, size_t n) { return done(allocate(p, n, CU_DEVICE, 0)); }

cudaError_t cudaMallocManaged(void **p, size_t n, unsigned flags)
{
	FAIL_IF((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) || !n, INVALID_VALUE);
	return done(allocate(p, n, CU_MANAGED, flags));
}

cudaError_t cudaHostAlloc(void **p, size_t n, unsigned flags)
{
	FAIL_IF(flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined),
		INVALID_VALUE);
	return done(allocate(p, n, CU_PINNED, flags));
}

cudaError_t cudaMallocHost(void **p, size_t n) { return done(allocate(p, n, CU_PINNED, 0)); }

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent e)
{
	const uint64_t align = cu_device()->pitch_align ? cu_device()->pitch_align : 1,
		       pitch = (e.width + align - 1) / align * align;
	uint64_t bytes;
	void *at;
	enum cu_status s;

	FAIL_IF(!p, INVALID_VALUE);
	FAIL_IF(pitch < e.width || __builtin_mul_overflow(pitch, e.height, &bytes) ||
			__builtin_mul_overflow(bytes, e.depth, &bytes),
		OUT_OF_MEMORY);
	s = allocate(&at, bytes, CU_DEVICE, 0);
	if (s == CU_OK)
		*p = (struct cudaPitchedPtr){ at, pitch, e.width, e.height };
	return done(s);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
	struct cudaPitchedPtr q;
	cudaError_t e;

	FAIL_IF(!p || !pitch, INVALID_VALUE);
	e = cudaMalloc3D(&q, (struct cudaExtent){ width, height, 1 });
	if (e == CU_OK) {
		*p = q.ptr;
		*pitch = q.pitch;
	}
	return e;
}

cudaError_t cudaFree(void *p)
{
	const uint64_t addr = (uintptr_t)p;
	struct cu_range r;
	enum cu_status s = cu_start();
	bool owned;

	if (s == CU_OK)
		s = cu_sticky();
	if (s != CU_OK || !p)
		return done(s);
	owned = cu_graph_owns(addr);
	if (owned)
		return done(CU_OK);
	if (!cu_find(&r, addr) || r.addr != addr || (r.kind != CU_DEVICE && r.kind != CU_MANAGED))
		return done(cu_free(addr, CU_DEVICE)); /* which says why it fails */
	s = cu_capture_refuses_all();
	if (s != CU_OK)
		return done(s);
	advice_forget(addr, r.bytes);
	return done(cu_free(addr, r.kind));
}

cudaError_t cudaFreeHost(void *p)
{
	enum cu_status s = cu_start();

	if (s == CU_OK)
		s = cu_sticky();
	return done(s == CU_OK && p ? cu_free((uintptr_t)p, CU_PINNED) : s);
}

cudaError_t cudaHostRegister(void *p, size_t n, unsigned flags)
{
	FAIL_IF(!p || !n ||
			flags & ~(unsigned)(cudaHostRegisterPortable | cudaHostRegisterMapped |
					    cudaHostRegisterIoMemory | cudaHostRegisterReadOnly),
		INVALID_VALUE);
	return done(cu_register(NULL, p, n, flags));
}

cudaError_t cudaHostUnregister(void *p)
{
	FAIL_IF(!p, INVALID_VALUE);
	return done(cu_free((uintptr_t)p, CU_REGISTERED));
}

/* The range of pinned or registered host memory that p lies in. */
static enum cu_status host_range(struct cu_range *r, const void *p)
{
	enum cu_status s = cu_start();

	if (s == CU_OK)
		s = cu_sticky();
	if (s == CU_OK && (!p || !cu_find(r, (uintptr_t)p) || (r->kind != CU_PINNED && r->kind != CU_REGISTERED)))
		s = CU_INVALID_VALUE;
	return s;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
	struct cu_range r;
	enum cu_status s;

	FAIL_IF(!device || flags, INVALID_VALUE);
	s = host_range(&r, host);
	if (s == CU_OK)
		*device = (void *)(uintptr_t)(r.addr + (uint64_t)((char *)host - (char *)r.host));
	return done(s);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
	struct cu_range r;
	enum cu_status s;

	FAIL_IF(!flags, INVALID_VALUE);
	s = host_range(&r, host);
	if (s == CU_OK && r.kind == CU_REGISTERED)
		s = CU_INVALID_VALUE;
	if (s == CU_OK)
		*flags = r.flags;
	return done(s);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
	uint64_t f, t;
	enum cu_status s;

	FAIL_IF(!available || !total, INVALID_VALUE);
	s = cu_memory_info(&f, &t);
	if (s == CU_OK) {
		*available = f;
		*total = t;
	}
	return done(s);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
	const uint64_t addr = (uintptr_t)p;
	struct cu_range r;
	enum cu_status s = cu_start();

	FAIL_IF(!a, INVALID_VALUE);
	if (s == CU_OK)
		s = cu_sticky();
	if (s != CU_OK)
		return done(s);
	memset(a, 0, sizeof *a);
	if (!p || !cu_find(&r, addr)) {
		a->type = cudaMemoryTypeUnregistered;
		a->device = cudaInvalidDeviceId;
		a->hostPointer = (void *)(uintptr_t)p;
		return done(CU_OK);
	}
	switch (r.kind) {
	case CU_DEVICE:
	case CU_ARRAY:
	case CU_RESERVED:
	case CU_IMPORTED:
		a->type = cudaMemoryTypeDevice;
		a->devicePointer = (void *)(uintptr_t)p;
		break;
	case CU_MANAGED:
		a->type = cudaMemoryTypeManaged;
		a->devicePointer = a->hostPointer = (void *)(uintptr_t)p;
		break;
	case CU_PINNED:
	case CU_REGISTERED: {
		const bool by_host = addr - (uintptr_t)r.host < r.bytes;
		const uint64_t at = addr - (by_host ? (uintptr_t)r.host : r.addr);

		a->type = cudaMemoryTypeHost;
		a->devicePointer = (void *)(uintptr_t)(r.addr + at);
		a->hostPointer = (char *)r.host + at;
		break;
	}
	}
	return done(CU_OK);
}

/* ---- managed memory: advice and prefetching change nothing here, and are remembered for who asks ---- */
enum about {
	ABOUT_READ_MOSTLY,
	ABOUT_PREFERRED,
	ABOUT_ACCESSED_HOST,
	ABOUT_ACCESSED_DEVICE,
	ABOUT_PREFETCHED,
	ABOUT_COUNT
};
/* a yes or no in id */
struct fact {
	enum about about;
	uint64_t from, to;
	struct cudaMemLocation value;
};
static struct {
	struct fact *row;
	uint32_t n, cap;
} facts;

static void remember(enum about about, uint64_t from, uint64_t bytes, struct cudaMemLocation value)
{
	LOCKED({
		arena_grow(&rt.a, facts.row, facts.n, facts.cap);
		facts.row[facts.n++] = (struct fact){ about, from, from + bytes, value };
	});
}

void advice_forget(uint64_t addr, uint64_t bytes)
{
	LOCKED({
		uint32_t kept = 0;

		for (uint32_t i = 0; bytes && i < facts.n; i++)
			if (facts.row[i].to <= addr || facts.row[i].from >= addr + bytes)
				facts.row[kept++] = facts.row[i];
		facts.n = kept;
	});
}

/* What was last said of all of [from, to); false: not the same of all of it. */
static bool recall(struct cudaMemLocation *value, enum about about, uint64_t from, uint64_t to)
{
	const struct cudaMemLocation nothing = { cudaMemLocationTypeInvalid,
						 about == ABOUT_PREFERRED || about == ABOUT_PREFETCHED
							 ? cudaInvalidDeviceId
							 : 0 };
	bool same = true;

	*value = nothing;
	LOCKED({
		for (uint64_t at = from, next; at < to && same; at = next) {
			struct cudaMemLocation here = nothing;

			next = to;
			for (uint32_t i = 0; i < facts.n; i++) {
				const struct fact *f = &facts.row[i];

				if (f->about != about)
					continue;
				if (f->from <= at && at < f->to)
					here = f->value;
				if (f->from > at && f->from < next)
					next = f->from;
				else
					next = f->to > at && f->to < next ? f->to : next;
			}
			same = at == from || (here.type == value->type && here.id == value->id);
			*value = here;
		}
	});
	if (!same)
		*value = nothing;
	return same;
}

static enum cu_status managed_range(const void *p, size_t n)
{
	struct cu_range r;
	const uint64_t addr = (uintptr_t)p;
	enum cu_status s = cu_start();

	if (s == CU_OK)
		s = cu_sticky();
	if (s != CU_OK)
		return s;
	return n && p && cu_find(&r, addr) && r.kind == CU_MANAGED && n <= r.addr + r.bytes - addr ? CU_OK
												   : CU_INVALID_VALUE;
}

static enum cu_status location_check(struct cudaMemLocation at, bool host)
{
	switch (at.type) {
	case cudaMemLocationTypeDevice:
		return device_check(at.id);
	case cudaMemLocationTypeHost:
	case cudaMemLocationTypeHostNumaCurrent:
		return host ? CU_OK : CU_INVALID_VALUE;
	case cudaMemLocationTypeHostNuma:
		return host && at.id >= 0 ? CU_OK : CU_INVALID_VALUE;
	case cudaMemLocationTypeInvalid:
		break;
	}
	return CU_INVALID_VALUE;
}

static cudaError_t advise(const void *p, size_t n, enum cudaMemoryAdvise what, struct cudaMemLocation at)
{
	const struct cudaMemLocation yes = { cudaMemLocationTypeInvalid, 1 }, no = { cudaMemLocationTypeInvalid, 0 },
				     nowhere = { cudaMemLocationTypeInvalid, cudaInvalidDeviceId };
	const uint64_t addr = (uintptr_t)p;
	enum cu_status s = managed_range(p, n);

	if (s == CU_OK && (what == cudaMemAdviseSetPreferredLocation || what == cudaMemAdviseSetAccessedBy ||
			   what == cudaMemAdviseUnsetAccessedBy))
		s = location_check(at, true);
	if (s != CU_OK)
		return done(s);
	switch (what) {
	case cudaMemAdviseSetReadMostly:
		remember(ABOUT_READ_MOSTLY, addr, n, yes);
		return done(CU_OK);
	case cudaMemAdviseUnsetReadMostly:
		remember(ABOUT_READ_MOSTLY, addr, n, no);
		return done(CU_OK);
	case cudaMemAdviseSetPreferredLocation:
		remember(ABOUT_PREFERRED, addr, n, at);
		return done(CU_OK);
	case cudaMemAdviseUnsetPreferredLocation:
		remember(ABOUT_PREFERRED, addr, n, nowhere);
		return done(CU_OK);
	case cudaMemAdviseSetAccessedBy:
	case cudaMemAdviseUnsetAccessedBy:
		remember(at.type == cudaMemLocationTypeDevice ? ABOUT_ACCESSED_DEVICE : ABOUT_ACCESSED_HOST, addr, n,
			 what == cudaMemAdviseSetAccessedBy ? yes : no);
		return done(CU_OK);
	}
	return done(CU_INVALID_VALUE);
}

static cudaError_t prefetch(const void *p, size_t n, struct cudaMemLocation at, unsigned flags, cudaStream_t stream)
{
	enum cu_status s = flags ? CU_INVALID_VALUE : managed_range(p, n);

	if (s == CU_OK)
		s = location_check(at, true);
	if (s == CU_OK && !cu_stream_valid(stream_of(stream)))
		s = CU_INVALID_HANDLE;
	if (s == CU_OK)
		remember(ABOUT_PREFETCHED, (uintptr_t)p, n, at);
	return done(s);
}

#if CUDART == 12
static struct cudaMemLocation location_of(int device)
{
	return device == cudaCpuDeviceId ? (struct cudaMemLocation){ cudaMemLocationTypeHost, 0 }
					 : (struct cudaMemLocation){ cudaMemLocationTypeDevice, device };
}

cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise what, int device)
{
	return advise(p, n, what, location_of(device));
}
cudaError_t cudaMemAdvise_v2(const void *p, size_t n, enum cudaMemoryAdvise what, struct cudaMemLocation at)
{
	return advise(p, n, what, at);
}
STREAM_FN(cudaMemPrefetchAsync, (p, n, device, OWN(s)), const void *p, size_t n, int device, cudaStream_t s)
{
	return prefetch(p, n, location_of(device), 0, s);
}
STREAM_FN(cudaMemPrefetchAsync_v2, (p, n, at, flags, OWN(s)), const void *p, size_t n, struct cudaMemLocation at,
	  unsigned flags, cudaStream_t s)
{
	return prefetch(p, n, at, flags, s);
}
#else
cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise what, struct cudaMemLocation at)
{
	return advise(p, n, what, at);
}
STREAM_FN(cudaMemPrefetchAsync, (p, n, at, flags, OWN(s)), const void *p, size_t n, struct cudaMemLocation at,
	  unsigned flags, cudaStream_t s)
{
	return prefetch(p, n, at, flags, s);
}

/* Of each piece of managed memory the place that which[] gives it; at NULL: it is only thrown away, which leaves its
 * contents as they are. */
static cudaError_t batch(void **p, const size_t *n, size_t count, const struct cudaMemLocation *at, const size_t *which,
			 size_t nat, unsigned long long flags, cudaStream_t s)
{
	FAIL_IF(!p || !n || !count || flags || !s || s == cudaStreamLegacy, INVALID_VALUE);
	FAIL_IF(at && (!which || !nat || nat > count || which[0] != 0), INVALID_VALUE);
	FAIL_IF(cu_start() == CU_OK && !cu_stream_valid(stream_of(s)), INVALID_HANDLE);
	for (size_t i = 0, k = 0; i < count; i++) {
		cudaError_t e;

		k += k + 1 < nat && which[k + 1] <= i;
		e = at ? prefetch(p[i], n[i], at[k], 0, s) : done(managed_range(p[i], n[i]));
		if (e)
			return e;
	}
	return done(CU_OK);
}

STREAM_FN(cudaMemPrefetchBatchAsync, (p, n, count, at, which, nat, flags, OWN(s)), void **p, size_t *n, size_t count,
	  struct cudaMemLocation *at, size_t *which, size_t nat, unsigned long long flags, cudaStream_t s)
{
	FAIL_IF(!at, INVALID_VALUE);
	return batch(p, n, count, at, which, nat, flags, s);
}

STREAM_FN(cudaMemDiscardAndPrefetchBatchAsync, (p, n, count, at, which, nat, flags, OWN(s)), void **p, size_t *n,
	  size_t count, struct cudaMemLocation *at, size_t *which, size_t nat, unsigned long long flags, cudaStream_t s)
{
	FAIL_IF(!at, INVALID_VALUE);
	return batch(p, n, count, at, which, nat, flags, s);
}

STREAM_FN(cudaMemDiscardBatchAsync, (p, n, count, flags, OWN(s)), void **p, size_t *n, size_t count,
	  unsigned long long flags, cudaStream_t s)
{
	return batch(p, n, count, NULL, NULL, 0, flags, s);
}
#endif

static int device_of(struct cudaMemLocation at)
{
	if (at.type == cudaMemLocationTypeHost)
		return cudaCpuDeviceId;
	return at.type == cudaMemLocationTypeDevice ? at.id : cudaInvalidDeviceId;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, enum cudaMemRangeAttribute what, const void *p, size_t n)
{
	const uint64_t from = (uintptr_t)p, to = from + n;
	struct cudaMemLocation at, host;
	enum cu_status s = data && bytes && bytes % 4 == 0 ? managed_range(p, n) : CU_INVALID_VALUE;
	int *out = data;

	if (s == CU_OK && what != cudaMemRangeAttributeAccessedBy && bytes != 4)
		s = CU_INVALID_VALUE;
	if (s != CU_OK)
		return done(s);
	switch (what) {
	case cudaMemRangeAttributeReadMostly:
		recall(&at, ABOUT_READ_MOSTLY, from, to);
		*out = at.id;
		return done(CU_OK);
	case cudaMemRangeAttributePreferredLocation:
	case cudaMemRangeAttributePreferredLocationType:
	case cudaMemRangeAttributePreferredLocationId:
		recall(&at, ABOUT_PREFERRED, from, to);
		if (what == cudaMemRangeAttributePreferredLocation)
			*out = device_of(at);
		else
			*out = what == cudaMemRangeAttributePreferredLocationType ? (int)at.type : at.id;
		return done(CU_OK);
	case cudaMemRangeAttributeLastPrefetchLocation:
	case cudaMemRangeAttributeLastPrefetchLocationType:
	case cudaMemRangeAttributeLastPrefetchLocationId:
		recall(&at, ABOUT_PREFETCHED, from, to);
		if (what == cudaMemRangeAttributeLastPrefetchLocation)
			*out = device_of(at);
		else
			*out = what == cudaMemRangeAttributeLastPrefetchLocationType ? (int)at.type : at.id;
		return done(CU_OK);
	case cudaMemRangeAttributeAccessedBy:
		recall(&at, ABOUT_ACCESSED_DEVICE, from, to);
		recall(&host, ABOUT_ACCESSED_HOST, from, to);
		for (size_t i = 0; i < bytes / 4; i++)
			out[i] = cudaInvalidDeviceId;
		if (at.id)
			*out++ = 0;
		if (host.id && (size_t)((char *)out - (char *)data) < bytes)
			*out = cudaCpuDeviceId;
		return done(CU_OK);
	}
	return done(CU_INVALID_VALUE);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *bytes, enum cudaMemRangeAttribute *what, size_t count,
				      const void *p, size_t n)
{
	FAIL_IF(!data || !bytes || !what || !count, INVALID_VALUE);
	for (size_t i = 0; i < count; i++) {
		cudaError_t e = cudaMemRangeGetAttribute(data[i], bytes[i], what[i], p, n);

		if (e)
			return e;
	}
	return done(CU_OK);
}
