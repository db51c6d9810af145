/* Memory: allocations, copies, fills, what an address is. */
#include "runtime-model/cuda/core/ipc.h"
#include "runtime-model/cuda/core/virtual.h"
#include "runtime-model/cuda/driver/driver.h"

#include <string.h>

/* ---- allocations ---- */
static CUresult alloc(uint64_t *addr, size_t bytes, enum cu_memory kind, unsigned flags)
{
	CUresult s;

	READY();
	s = addr ? told(cu_capture_refuses_all()) : CU_INVALID_VALUE;
	if (!s)
		s = told(cu_alloc(addr, bytes, 0, kind, flags));
	if (!s)
		own(OWNED_MEMORY, *addr);
	return s;
}

static CUresult give_back(uint64_t addr, enum cu_memory kind, enum cu_status (*free_it)(uint64_t, enum cu_memory))
{
	CUcontext c;
	CUresult s;

	READY();
	c = owner(OWNED_MEMORY, addr);
	disown(OWNED_MEMORY, addr); /* before another thread is given the same address */
	s = told(free_it(addr, kind));
	if (s && c)
		own(OWNED_MEMORY, addr);
	return s;
}

enum cu_status memory_release(uint64_t addr) { return (enum cu_status)give_back(addr, CU_DEVICE, cu_give_back); }

API(cuMemGetInfo_v2, size_t *left, size_t *total)
{
	uint64_t f, t;
	CUresult s;

	READY();
	s = left && total ? told(cu_memory_info(&f, &t)) : CU_INVALID_VALUE;
	if (!s) {
		*left = f;
		*total = t;
	}
	return s;
}

API(cuMemAlloc_v2, CUdeviceptr *addr, size_t bytes)
{
	uint64_t a = 0;
	CUresult s = addr ? alloc(&a, bytes, CU_DEVICE, 0) : CU_INVALID_VALUE;

	if (!s)
		*addr = a;
	return s;
}

API(cuMemAllocPitch_v2, CUdeviceptr *addr, size_t *pitch, size_t width, size_t height, unsigned element)
{
	const size_t align = cu_device()->pitch_align, row = (width + align - 1) / align * align;
	size_t bytes;
	CUresult s;

	if (!addr || !pitch || (element != 4 && element != 8 && element != 16) ||
	    __builtin_mul_overflow(row, height, &bytes))
		return CU_INVALID_VALUE;
	s = cuMemAlloc_v2(addr, bytes);
	if (!s)
		*pitch = row;
	return s;
}

API(cuMemFree_v2, CUdeviceptr addr)
{
	struct cu_range r;
	CUresult s;

	READY();
	if (!addr || cu_graph_owns(addr))
		return CU_OK;
	s = told(cu_capture_refuses_all());
	if (s)
		return s;
	return give_back(addr, cu_find(&r, addr) && r.kind == CU_MANAGED ? CU_MANAGED : CU_DEVICE, cu_free);
}

API(cuMemAllocManaged, CUdeviceptr *addr, size_t bytes, unsigned flags)
{
	uint64_t a = 0;
	CUresult s = addr && (flags == 1 || flags == 2) ? alloc(&a, bytes, CU_MANAGED, flags) : CU_INVALID_VALUE;

	if (!s)
		*addr = a;
	return s;
}

API(cuMemHostAlloc, void **host, size_t bytes, unsigned flags)
{
	uint64_t a = 0;
	CUresult s = host && !(flags & ~7u) ? alloc(&a, bytes, CU_PINNED, flags) : CU_INVALID_VALUE;

	if (!s)
		*host = (void *)(uintptr_t)a;
	return s;
}

API(cuMemAllocHost_v2, void **host, size_t bytes) { return cuMemHostAlloc(host, bytes, 0); }

API(cuMemFreeHost, void *host) { return give_back((uint64_t)(uintptr_t)host, CU_PINNED, cu_free); }

API(cuMemHostRegister_v2, void *host, size_t bytes, unsigned flags)
{
	CUresult s;

	READY();
	s = flags & ~15u ? CU_INVALID_VALUE : told(cu_register(NULL, host, bytes, flags));
	if (!s)
		own(OWNED_MEMORY, (uint64_t)(uintptr_t)host);
	return s;
}

API(cuMemHostUnregister, void *host) { return give_back((uint64_t)(uintptr_t)host, CU_REGISTERED, cu_free); }

API(cuMemHostGetDevicePointer_v2, CUdeviceptr *addr, void *host, unsigned flags)
{
	const uint64_t at = (uint64_t)(uintptr_t)host;
	struct cu_range r;

	READY();
	if (!addr || flags || !cu_find(&r, at) || !r.host || r.kind == CU_MANAGED)
		return CU_INVALID_VALUE;
	*addr = r.addr + (at - (uint64_t)(uintptr_t)r.host);
	return CU_OK;
}

API(cuMemHostGetFlags, unsigned *flags, void *host)
{
	struct cu_range r;

	READY();
	if (!flags || !cu_find(&r, (uint64_t)(uintptr_t)host) || r.kind != CU_PINNED)
		return CU_INVALID_VALUE;
	*flags = r.flags;
	return CU_OK;
}

API(cuMemGetAddressRange_v2, CUdeviceptr *base, size_t *bytes, CUdeviceptr addr)
{
	struct cu_range r;

	READY();
	if (!cu_find(&r, addr))
		return CU_NOT_FOUND;
	if (base)
		*base = r.addr;
	if (bytes)
		*bytes = r.bytes;
	return CU_OK;
}

API(cuPointerGetAttribute, void *out, int attribute, CUdeviceptr addr)
{
	struct cu_range r;
	struct cu_mapped m;
	CUcontext c = NULL;

	READY();
	if (!out)
		return CU_INVALID_VALUE;
	if (!cu_find(&r, addr)) {
		if (!cu_mapped(&m, addr) || attribute < 11 || attribute > 13)
			return CU_INVALID_VALUE;
		r = (struct cu_range){ .addr = m.addr }; /* reserved addresses with nothing there */
	} else if (!cu_mapped(&m, r.addr)) {
		return CU_INVALID_VALUE;
	}
	switch (attribute) {
	case 1: /* context */
		c = owner(OWNED_MEMORY, r.host && r.kind == CU_REGISTERED ? (uint64_t)(uintptr_t)r.host : r.addr);
		c = c ? c : context_now();
		memcpy(out, &c, sizeof c);
		return CU_OK;
	case 2:
		*(unsigned *)out = r.kind == CU_PINNED || r.kind == CU_REGISTERED ? 1 : 2;
		return CU_OK; /* host's or device's */
	case 3:
		*(CUdeviceptr *)out = r.host ? r.addr + (addr - (uint64_t)(uintptr_t)r.host) : addr;
		return CU_OK;
	case 4:
		if (!r.host)
			return CU_INVALID_VALUE;
		*(void **)out =
			(char *)r.host + (addr - (addr - r.addr < r.bytes ? r.addr : (uint64_t)(uintptr_t)r.host));
		return CU_OK;
	case 6:
		*(int *)out = 1;
		return CU_OK;
	case 7:
		*(uint64_t *)out = r.id;
		return CU_OK;
	case 8:
		*(int *)out = r.kind == CU_MANAGED;
		return CU_OK;
	case 9:
		*(int *)out = 0;
		return CU_OK;
	case 10: /* what cuIpcGetMemHandle() takes */
		*(int *)out = cu_ipc_can(addr);
		return CU_OK;
	case 11:
		*(CUdeviceptr *)out = m.addr;
		return CU_OK;
	case 12:
		*(size_t *)out = m.bytes;
		return CU_OK;
	case 13:
		*(int *)out = m.mapped;
		return CU_OK;
	case 16:
		*(int *)out = m.access;
		return CU_OK;
	case 17:
		*(struct CUmemPoolHandle_st **)out = r.pool;
		return CU_OK;
	case 18:
		*(size_t *)out = m.size;
		return CU_OK;
	case 19:
		*(CUdeviceptr *)out = m.at;
		return CU_OK;
	case 20:
		*(uint64_t *)out = m.id;
		return CU_OK;
	default:
		return attribute < 1 || attribute > 21 ? CU_INVALID_VALUE : CU_NOT_SUPPORTED;
	}
}

API(cuPointerSetAttribute, const void *value, int attribute, CUdeviceptr addr)
{
	struct cu_range r;

	READY();
	/* copies wait in any case */
	return value && attribute == 6 && cu_find(&r, addr) && r.kind != CU_PINNED && r.kind != CU_REGISTERED
		       ? CU_OK
		       : CU_INVALID_VALUE;
}

API(cuPointerGetAttributes, unsigned n, int *attribute, void **out, CUdeviceptr addr)
{
	struct cu_range r;

	READY();
	if (!n || !attribute || !out)
		return CU_INVALID_VALUE;
	/* plain memory of the host: every attribute that has no meaning is zero */
	if (!cu_find(&r, addr)) {
		for (unsigned i = 0; i < n; i++)
			memset(out[i], 0,
			       attribute[i] == 2 || attribute[i] == 6 || attribute[i] == 8 || attribute[i] == 9 ||
					       attribute[i] == 13
				       ? 4
				       : 8);
		return CU_OK;
	}
	for (unsigned i = 0; i < n; i++) {
		CUresult s = cuPointerGetAttribute(out[i], attribute[i], addr);

		if (s)
			return s;
	}
	return CU_OK;
}

/* ---- hints for managed memory, which change nothing ---- */
struct location {
	int kind, id;
};

static CUresult hint(CUdeviceptr addr, size_t bytes, bool good)
{
	struct cu_range r;

	READY();
	return good && bytes && cu_find(&r, addr) && r.kind == CU_MANAGED && bytes <= r.bytes - (addr - r.addr)
		       ? CU_OK
		       : CU_INVALID_VALUE;
}

API(cuMemAdvise, CUdeviceptr addr, size_t bytes, int advice, CUdevice d)
{
	return d > 0 ? CU_INVALID_DEVICE : hint(addr, bytes, advice >= 1 && advice <= 6);
}

API(cuMemAdvise_v2, CUdeviceptr addr, size_t bytes, int advice, struct location at)
{
	return at.kind == 1 && at.id ? CU_INVALID_DEVICE
				     : hint(addr, bytes, advice >= 1 && advice <= 6 && at.kind >= 0 && at.kind <= 4);
}

static CUresult prefetch(CUdeviceptr addr, size_t bytes, bool good, CUstream s)
{
	CUresult r = hint(addr, bytes, good);

	if (r)
		return r;
	return cu_stream_valid(s) ? CU_OK : CU_INVALID_HANDLE;
}

API(cuMemPrefetchAsync, CUdeviceptr addr, size_t bytes, CUdevice d, CUstream s)
{
	return d > 0 ? CU_INVALID_DEVICE : prefetch(addr, bytes, true, s);
}
API(cuMemPrefetchAsync_ptsz, CUdeviceptr addr, size_t bytes, CUdevice d, CUstream s)
{
	return d > 0 ? CU_INVALID_DEVICE : prefetch(addr, bytes, true, OWN(s));
}
API(cuMemPrefetchAsync_v2, CUdeviceptr addr, size_t bytes, struct location at, unsigned flags, CUstream s)
{
	return at.kind == 1 && at.id ? CU_INVALID_DEVICE
				     : prefetch(addr, bytes, !flags && at.kind >= 1 && at.kind <= 4, s);
}
API(cuMemPrefetchAsync_v2_ptsz, CUdeviceptr addr, size_t bytes, struct location at, unsigned flags, CUstream s)
{
	return cuMemPrefetchAsync_v2(addr, bytes, at, flags, OWN(s));
}

/* ---- copies: NAME for the legacy default stream, NAME_ptds for the thread's own; those that are asynchronous name
 * theirs ---- */
CUresult issue(const struct op *o, CUstream s, bool wait)
{
	CUresult r;

	READY();
	if (!wait)
		return told(cu_op_issue(o, s));
	r = told(cu_capture_refuses_all());
	r = r ? r : told(cu_op_run(o, s));
	return r ? r : told(cu_stream_synchronize(s));
}

static CUresult copy(uint64_t to, uint64_t from, size_t bytes, enum cu_way way, CUstream s, bool wait)
{
	if (!bytes)
		return ready();
	return issue(&(struct op){ .kind = OP_COPY,
				   .copy = { .to.addr = to, .from.addr = from, .box = { bytes, 1, 1 }, .way = way } },
		     s, wait);
}

#define ADDRESS(x) ((uint64_t)(uintptr_t)(x))
#define COPY(name, async, to_type, from_type, way)                                               \
	API(name, to_type to, from_type from, size_t bytes)                                      \
	{                                                                                        \
		return copy(ADDRESS(to), ADDRESS(from), bytes, way, NULL, true);                 \
	}                                                                                        \
	API(name##_ptds, to_type to, from_type from, size_t bytes)                               \
	{                                                                                        \
		return copy(ADDRESS(to), ADDRESS(from), bytes, way, CU_STREAM_PER_THREAD, true); \
	}                                                                                        \
	API(async, to_type to, from_type from, size_t bytes, CUstream s)                         \
	{                                                                                        \
		return copy(ADDRESS(to), ADDRESS(from), bytes, way, s, false);                   \
	}                                                                                        \
	API(async##_ptsz, to_type to, from_type from, size_t bytes, CUstream s)                  \
	{                                                                                        \
		return copy(ADDRESS(to), ADDRESS(from), bytes, way, OWN(s), false);              \
	}
COPY(cuMemcpy, cuMemcpyAsync, CUdeviceptr, CUdeviceptr, CU_BY_ADDRESS)
COPY(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, CUdeviceptr, const void *, CU_HOST_TO_DEVICE)
COPY(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, void *, CUdeviceptr, CU_DEVICE_TO_HOST)
COPY(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2, CUdeviceptr, CUdeviceptr, CU_DEVICE_TO_DEVICE)

/* Where a side of a box is: 1 the host, 2 the device, 3 an array, 4 any. */
struct box2 {
	size_t from_x, from_y;
	int from_kind;
	const void *from_host;
	CUdeviceptr from;
	CUarray from_array;
	size_t from_pitch;
	size_t to_x, to_y;
	int to_kind;
	void *to_host;
	CUdeviceptr to;
	CUarray to_array;
	size_t to_pitch;
	size_t width, height;
};
_Static_assert(sizeof(struct box2) == 128 && sizeof(struct box3) == 200, "as CUDA_MEMCPY2D and CUDA_MEMCPY3D");

/* The way that two kinds say. False: no such kind. */
static bool way_of(int from, int to, enum cu_way *way)
{
	const bool host[] = { from == 1, to == 1 }, any = from == 4 || to == 4;

	if (host[0])
		*way = host[1] ? CU_HOST_TO_HOST : CU_HOST_TO_DEVICE;
	else
		*way = host[1] ? CU_DEVICE_TO_HOST : CU_DEVICE_TO_DEVICE;
	if (any)
		*way = CU_BY_ADDRESS;
	return from >= 1 && from <= 4 && to >= 1 && to <= 4;
}

static struct cu_side side(int kind, const void *host, CUdeviceptr addr, CUarray array, size_t pitch, size_t rows,
			   size_t x, size_t y, size_t z)
{
	return (struct cu_side){ .addr = kind == 1 ? ADDRESS(host) : addr,
				 .array = kind == 3 ? array : NULL,
				 .pitch = kind == 3 ? 0 : pitch,
				 .rows = kind == 3 ? 0 : rows,
				 .x = x,
				 .y = y,
				 .z = z };
}

CUresult box_op(struct op *o, const struct box3 *b)
{
	*o = (struct op){ .kind = OP_COPY,
			  .copy = {
				  .to = side(b->to_kind, b->to_host, b->to, b->to_array, b->to_pitch, b->to_rows,
					     b->to_x, b->to_y, b->to_z),
				  .from = side(b->from_kind, b->from_host, b->from, b->from_array, b->from_pitch,
					       b->from_rows, b->from_x, b->from_y, b->from_z),
				  .box = { b->width, b->height, b->depth },
			  } };
	return way_of(b->from_kind, b->to_kind, &o->copy.way) && !b->from_level && !b->to_level ? CU_OK
												: CU_INVALID_VALUE;
}

/* A side as box3 says it: 3 an array, else by the way. */
static int kind_of(const struct cu_side *s, enum cu_way way, bool to)
{
	const enum cu_way host = to ? CU_DEVICE_TO_HOST : CU_HOST_TO_DEVICE;

	if (s->array)
		return 3;
	if (way == CU_BY_ADDRESS)
		return 4;
	return way == host || way == CU_HOST_TO_HOST ? 1 : 2;
}

struct box3 op_box(const struct op *o)
{
	const struct cu_side *to = &o->copy.to, *from = &o->copy.from;
	struct box3 b = {
		.from_x = from->x,
		.from_y = from->y,
		.from_z = from->z,
		.from_kind = kind_of(from, o->copy.way, false),
		.from_array = from->array,
		.from_pitch = from->pitch,
		.from_rows = from->rows,
		.to_x = to->x,
		.to_y = to->y,
		.to_z = to->z,
		.to_kind = kind_of(to, o->copy.way, true),
		.to_array = to->array,
		.to_pitch = to->pitch,
		.to_rows = to->rows,
		.width = o->copy.box.width,
		.height = o->copy.box.height,
		.depth = o->copy.box.depth,
	};

	if (b.from_kind == 1)
		b.from_host = (const void *)(uintptr_t)from->addr;
	else
		b.from = from->array ? 0 : from->addr;
	if (b.to_kind == 1)
		b.to_host = (void *)(uintptr_t)to->addr;
	else
		b.to = to->array ? 0 : to->addr;
	return b;
}

static CUresult copy_box(const struct box3 *b, CUstream s, bool wait)
{
	struct op o;
	CUresult r;

	READY();
	r = box_op(&o, b);
	return r ? r : issue(&o, s, wait);
}

static CUresult copy_flat(const struct box2 *b, CUstream s, bool wait)
{
	if (!b)
		return CU_INVALID_VALUE;
	return copy_box(&(struct box3){ b->from_x,
					b->from_y,
					0,
					0,
					b->from_kind,
					b->from_host,
					b->from,
					b->from_array,
					NULL,
					b->from_pitch,
					0,
					b->to_x,
					b->to_y,
					0,
					0,
					b->to_kind,
					b->to_host,
					b->to,
					b->to_array,
					NULL,
					b->to_pitch,
					0,
					b->width,
					b->height,
					1 },
			s, wait);
}

API(cuMemcpy2D_v2, const struct box2 *b) { return copy_flat(b, NULL, true); }
API(cuMemcpy2D_v2_ptds, const struct box2 *b) { return copy_flat(b, CU_STREAM_PER_THREAD, true); }
ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2_ptds);
API(cuMemcpy2DAsync_v2, const struct box2 *b, CUstream s) { return copy_flat(b, s, false); }
API(cuMemcpy2DAsync_v2_ptsz, const struct box2 *b, CUstream s) { return copy_flat(b, OWN(s), false); }
API(cuMemcpy3D_v2, const struct box3 *b) { return b ? copy_box(b, NULL, true) : CU_INVALID_VALUE; }
API(cuMemcpy3D_v2_ptds, const struct box3 *b) { return b ? copy_box(b, CU_STREAM_PER_THREAD, true) : CU_INVALID_VALUE; }
API(cuMemcpy3DAsync_v2, const struct box3 *b, CUstream s) { return b ? copy_box(b, s, false) : CU_INVALID_VALUE; }
API(cuMemcpy3DAsync_v2_ptsz, const struct box3 *b, CUstream s)
{
	return b ? copy_box(b, OWN(s), false) : CU_INVALID_VALUE;
}

/* Between contexts, which have one device. */
#define PEERS(to_of, from_of) ((to_of) && (from_of))
API(cuMemcpyPeer, CUdeviceptr to, CUcontext to_of, CUdeviceptr from, CUcontext from_of, size_t n)
{
	return PEERS(to_of, from_of) ? cuMemcpyDtoD_v2(to, from, n) : CU_INVALID_CONTEXT;
}
API(cuMemcpyPeer_ptds, CUdeviceptr to, CUcontext to_of, CUdeviceptr from, CUcontext from_of, size_t n)
{
	return PEERS(to_of, from_of) ? cuMemcpyDtoD_v2_ptds(to, from, n) : CU_INVALID_CONTEXT;
}
API(cuMemcpyPeerAsync, CUdeviceptr to, CUcontext to_of, CUdeviceptr from, CUcontext from_of, size_t n, CUstream s)
{
	return PEERS(to_of, from_of) ? cuMemcpyDtoDAsync_v2(to, from, n, s) : CU_INVALID_CONTEXT;
}
API(cuMemcpyPeerAsync_ptsz, CUdeviceptr to, CUcontext to_of, CUdeviceptr from, CUcontext from_of, size_t n, CUstream s)
{
	return PEERS(to_of, from_of) ? cuMemcpyDtoDAsync_v2(to, from, n, OWN(s)) : CU_INVALID_CONTEXT;
}
API(cuMemcpy3DPeer, const struct box3 *b) { return b ? copy_box(b, NULL, true) : CU_INVALID_VALUE; }
API(cuMemcpy3DPeer_ptds, const struct box3 *b)
{
	return b ? copy_box(b, CU_STREAM_PER_THREAD, true) : CU_INVALID_VALUE;
}
API(cuMemcpy3DPeerAsync, const struct box3 *b, CUstream s) { return b ? copy_box(b, s, false) : CU_INVALID_VALUE; }
API(cuMemcpy3DPeerAsync_ptsz, const struct box3 *b, CUstream s)
{
	return b ? copy_box(b, OWN(s), false) : CU_INVALID_VALUE;
}

/* ---- fills ---- */
static CUresult fill(uint64_t addr, size_t pitch, unsigned value, unsigned bytes, size_t n, size_t height, CUstream s,
		     bool now)
{
	const struct op o = { .kind = OP_FILL, .fill = { addr, pitch, 0, value, bytes, { n * bytes, height, 1 } } };
	CUresult r;

	READY();
	r = now ? told(cu_capture_refuses_all()) : CU_OK;
	if (r)
		return r;
	return now ? told(cu_op_run(&o, s)) : told(cu_op_issue(&o, s));
}

#define FILL(bits, type)                                                                                         \
	API(cuMemsetD##bits##_v2, CUdeviceptr to, type v, size_t n)                                              \
	{                                                                                                        \
		return fill(to, 0, v, bits / 8, n, 1, NULL, true);                                               \
	}                                                                                                        \
	API(cuMemsetD##bits##_v2_ptds, CUdeviceptr to, type v, size_t n)                                         \
	{                                                                                                        \
		return fill(to, 0, v, bits / 8, n, 1, CU_STREAM_PER_THREAD, true);                               \
	}                                                                                                        \
	API(cuMemsetD##bits##Async, CUdeviceptr to, type v, size_t n, CUstream s)                                \
	{                                                                                                        \
		return fill(to, 0, v, bits / 8, n, 1, s, false);                                                 \
	}                                                                                                        \
	API(cuMemsetD##bits##Async_ptsz, CUdeviceptr to, type v, size_t n, CUstream s)                           \
	{                                                                                                        \
		return fill(to, 0, v, bits / 8, n, 1, OWN(s), false);                                            \
	}                                                                                                        \
	API(cuMemsetD2D##bits##_v2, CUdeviceptr to, size_t pitch, type v, size_t w, size_t h)                    \
	{                                                                                                        \
		return fill(to, pitch, v, bits / 8, w, h, NULL, true);                                           \
	}                                                                                                        \
	API(cuMemsetD2D##bits##_v2_ptds, CUdeviceptr to, size_t pitch, type v, size_t w, size_t h)               \
	{                                                                                                        \
		return fill(to, pitch, v, bits / 8, w, h, CU_STREAM_PER_THREAD, true);                           \
	}                                                                                                        \
	API(cuMemsetD2D##bits##Async, CUdeviceptr to, size_t pitch, type v, size_t w, size_t h, CUstream s)      \
	{                                                                                                        \
		return fill(to, pitch, v, bits / 8, w, h, s, false);                                             \
	}                                                                                                        \
	API(cuMemsetD2D##bits##Async_ptsz, CUdeviceptr to, size_t pitch, type v, size_t w, size_t h, CUstream s) \
	{                                                                                                        \
		return fill(to, pitch, v, bits / 8, w, h, OWN(s), false);                                        \
	}
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)
