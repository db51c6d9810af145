/* Arrays, texture and surface objects, and copies that arrays have alone. */
#include "runtime-model/cuda/driver/driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long object;

/* ---- texels: a format by CUDA's number, and channels ---- */
static const struct {
	int format;
	unsigned bits;
	char kind;
} formats[] = {
	{ 1, 8, 'u' },  { 2, 16, 'u' },  { 3, 32, 'u' },  { 8, 8, 's' },
	{ 9, 16, 's' }, { 10, 32, 's' }, { 16, 16, 'f' }, { 32, 32, 'f' },
};

static bool texel(struct cu_array_shape *s, int format, unsigned channels)
{
	for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i].format == format) {
			s->bits = formats[i].bits;
			s->kind = formats[i].kind;
			s->channels = channels;
			return channels == 1 || channels == 2 || channels == 4;
		}
	return false;
}

bool format_known(int format)
{
	struct cu_array_shape unused;

	return texel(&unused, format, 1);
}

static int format_of(const struct cu_array_shape *s)
{
	for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i].bits == s->bits && formats[i].kind == s->kind)
			return formats[i].format;
	return 0;
}

/* ---- arrays ---- */
struct shape2 {
	size_t width, height;
	int format;
	unsigned channels;
};
struct shape3 {
	size_t width, height, depth;
	int format;
	unsigned channels, flags;
};
_Static_assert(sizeof(struct shape2) == 24 && sizeof(struct shape3) == 40,
	       "as CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR");
enum { LAYERED = 1, SURFACE = 2, CUBE = 4, GATHER = 8, KNOWN = LAYERED | SURFACE | CUBE | GATHER, ALL = 255 };
_Static_assert(LAYERED == (int)CU_ARRAY_LAYERED && SURFACE == (int)CU_ARRAY_SURFACE && CUBE == (int)CU_ARRAY_CUBE,
	       "the same numbers");

/* The shape that a program asks for. */
static CUresult shape_make(struct cu_array_shape *shape, const struct shape3 *d)
{
	READY();
	if (!d)
		return CU_INVALID_VALUE;
	*shape = (struct cu_array_shape){ .width = d->width,
					  .height = d->height,
					  .depth = d->depth,
					  .flags = d->flags & (LAYERED | SURFACE | CUBE) };
	if (d->flags & ~(unsigned)ALL || !texel(shape, d->format, d->channels))
		return CU_INVALID_VALUE;
	if (d->flags & ~(unsigned)KNOWN) {
		cu_missing("arrays that are sparse, or for graphics");
		return CU_NOT_SUPPORTED;
	}
	return CU_OK;
}

static CUresult create(CUarray *a, const struct shape3 *d)
{
	struct cu_array_shape shape;
	CUresult s = shape_make(&shape, a ? d : NULL);

	if (!s)
		s = told(cu_array_create(a, &shape));
	if (!s)
		own(OWNED_ARRAY, (uint64_t)(uintptr_t)*a);
	return s;
}

API(cuArrayCreate_v2, CUarray *a, const struct shape2 *d)
{
	return d ? create(a, &(struct shape3){ d->width, d->height, 0, d->format, d->channels, 0 }) : CU_INVALID_VALUE;
}

API(cuArray3DCreate_v2, CUarray *a, const struct shape3 *d) { return d ? create(a, d) : CU_INVALID_VALUE; }

static CUresult shape_of(struct cu_array_shape *s, CUarray a)
{
	READY();
	return a ? told(cu_array_shape(s, a)) : CU_INVALID_HANDLE;
}

API(cuArray3DGetDescriptor_v2, struct shape3 *d, CUarray a)
{
	struct cu_array_shape x;
	CUresult s = d ? shape_of(&x, a) : CU_INVALID_VALUE;

	if (!s)
		*d = (struct shape3){ x.width, x.height, x.depth, format_of(&x), x.channels, x.flags };
	return s;
}

API(cuArrayGetDescriptor_v2, struct shape2 *d, CUarray a)
{
	struct cu_array_shape x;
	CUresult s = d ? shape_of(&x, a) : CU_INVALID_VALUE;

	if (!s)
		*d = (struct shape2){ x.width, x.height, format_of(&x), x.channels };
	return s;
}

API(cuArrayDestroy, CUarray a)
{
	READY();
	return ended(told(cu_array_destroy(a)), OWNED_ARRAY, a);
}

/* What only arrays of several planes and sparse ones have, of which there are none. */
API(cuArrayGetPlane, CUarray *out, CUarray a, unsigned plane)
{
	struct cu_array_shape x;
	CUresult s = out ? shape_of(&x, a) : CU_INVALID_VALUE;

	(void)plane;
	return s ? s : CU_INVALID_VALUE;
}

API(cuArrayGetSparseProperties, void *out, CUarray a)
{
	struct cu_array_shape x;
	CUresult s = out ? shape_of(&x, a) : CU_INVALID_VALUE;

	return s ? s : CU_INVALID_VALUE;
}

/* ---- arrays with levels of detail ---- */
API(cuMipmappedArrayCreate, CUmipmap *m, const struct shape3 *d, unsigned levels)
{
	struct cu_array_shape shape;
	CUresult s = shape_make(&shape, m ? d : NULL);

	if (!s)
		s = told(cu_mipmap_create(m, &shape, levels));
	if (!s)
		own(OWNED_MIPMAP, (uint64_t)(uintptr_t)*m);
	return s;
}

API(cuMipmappedArrayGetLevel, CUarray *a, CUmipmap m, unsigned level)
{
	READY();
	if (!a)
		return CU_INVALID_VALUE;
	return m ? told(cu_mipmap_level(a, m, level)) : CU_INVALID_HANDLE;
}

API(cuMipmappedArrayDestroy, CUmipmap m)
{
	READY();
	return ended(told(cu_mipmap_destroy(m)), OWNED_MIPMAP, m);
}

static CUresult mipmap_of(struct cu_array_shape *shape, unsigned *levels, CUmipmap m)
{
	READY();
	return m ? told(cu_mipmap_shape(shape, levels, m)) : CU_INVALID_HANDLE;
}

static CUresult mipmap_has_not(const void *out, CUmipmap m)
{
	struct cu_array_shape x;
	unsigned levels;
	CUresult s = out ? mipmap_of(&x, &levels, m) : CU_INVALID_VALUE;

	return s ? s : CU_INVALID_VALUE;
}

API(cuMipmappedArrayGetSparseProperties, void *out, CUmipmap m) { return mipmap_has_not(out, m); }
API(cuMipmappedArrayGetMemoryRequirements, void *out, CUmipmap m, CUdevice d)
{
	CUresult s = device_ok(d);
	return s ? s : mipmap_has_not(out, m);
}

/* ---- copies: a line of an array, from a byte of it on ---- */
#define ADDRESS(x) ((uint64_t)(uintptr_t)(x))
static CUresult copy(struct cu_side to, struct cu_side from, size_t bytes, enum cu_way way, CUstream s, bool wait)
{
	if (!bytes)
		return ready();
	return issue(
		&(struct op){ .kind = OP_COPY, .copy = { .to = to, .from = from, .box = { bytes, 1, 1 }, .way = way } },
		s, wait);
}

#define LINE(p) ((struct cu_side){ .addr = ADDRESS(p) })
#define TEXELS(a, at) ((struct cu_side){ .array = (a), .x = (at) })
/* params and sides in parentheses; NAME for the legacy default stream, NAME_ptds for the thread's own */
#define COPY(name, params, check, to, from, way)                                                          \
	API(name, UNPACK params, size_t bytes)                                                            \
	{                                                                                                 \
		return check ? copy(to, from, bytes, way, NULL, true) : CU_INVALID_VALUE;                 \
	}                                                                                                 \
	API(name##_ptds, UNPACK params, size_t bytes)                                                     \
	{                                                                                                 \
		return check ? copy(to, from, bytes, way, CU_STREAM_PER_THREAD, true) : CU_INVALID_VALUE; \
	}
#define COPY_ASYNC(name, params, check, to, from, way)                                       \
	API(name, UNPACK params, size_t bytes, CUstream s)                                   \
	{                                                                                    \
		return check ? copy(to, from, bytes, way, s, false) : CU_INVALID_VALUE;      \
	}                                                                                    \
	API(name##_ptsz, UNPACK params, size_t bytes, CUstream s)                            \
	{                                                                                    \
		return check ? copy(to, from, bytes, way, OWN(s), false) : CU_INVALID_VALUE; \
	}
COPY(cuMemcpyDtoA_v2, (CUarray a, size_t at, CUdeviceptr p), a, TEXELS(a, at), LINE(p), CU_DEVICE_TO_DEVICE)
COPY(cuMemcpyAtoD_v2, (CUdeviceptr p, CUarray a, size_t at), a, LINE(p), TEXELS(a, at), CU_DEVICE_TO_DEVICE)
COPY(cuMemcpyHtoA_v2, (CUarray a, size_t at, const void *p), a &&p, TEXELS(a, at), LINE(p), CU_HOST_TO_DEVICE)
COPY(cuMemcpyAtoH_v2, (void *p, CUarray a, size_t at), a &&p, LINE(p), TEXELS(a, at), CU_DEVICE_TO_HOST)
COPY(cuMemcpyAtoA_v2, (CUarray to, size_t to_at, CUarray from, size_t from_at), to &&from, TEXELS(to, to_at),
     TEXELS(from, from_at), CU_DEVICE_TO_DEVICE)
COPY_ASYNC(cuMemcpyHtoAAsync_v2, (CUarray a, size_t at, const void *p), a &&p, TEXELS(a, at), LINE(p),
	   CU_HOST_TO_DEVICE)
COPY_ASYNC(cuMemcpyAtoHAsync_v2, (void *p, CUarray a, size_t at), a &&p, LINE(p), TEXELS(a, at), CU_DEVICE_TO_HOST)

/* ---- texture and surface objects: what they were made of is kept for who asks ---- */
enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCH };
struct resource_description {
	int kind;
	union {
		CUarray array;
		CUmipmap mipmap;
		struct {
			CUdeviceptr addr;
			int format;
			unsigned channels;
			size_t bytes;
		} linear;
		struct {
			CUdeviceptr addr;
			int format;
			unsigned channels;
			size_t width, height, pitch;
		} rows;
		int reserved[32];
	};
	unsigned flags;
};
enum { AS_INTEGER = 1, NORMALIZED = 2, SRGB = 16, NO_TRILINEAR = 32, SEAMLESS = 64 };
struct sampler {
	int address[3], filter;
	unsigned flags, anisotropy;
	int mipmap_filter;
	float bias, low, high, border[4];
	int reserved[12];
};
_Static_assert(sizeof(struct resource_description) == 144 && sizeof(struct sampler) == 104,
	       "as CUDA_RESOURCE_DESC and CUDA_TEXTURE_DESC");

struct made {
	struct made *next;
	object handle;
	bool surface;
	struct resource_description resource;
	struct sampler sampler;
	struct cu_view view;
};
static struct made *objects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void keep(struct made x)
{
	struct made *m = malloc(sizeof *m);

	if (!m)
		return;
	pthread_mutex_lock(&lock);
	x.next = objects;
	*m = x;
	objects = m;
	pthread_mutex_unlock(&lock);
}

static void drop(object handle, bool surface)
{
	struct made **at, *x;

	pthread_mutex_lock(&lock);
	for (at = &objects; *at && ((*at)->handle != handle || (*at)->surface != surface); at = &(*at)->next)
		;
	x = *at;
	if (x)
		*at = x->next;
	pthread_mutex_unlock(&lock);
	free(x);
}

static CUresult recall(struct made *out, object handle, bool surface)
{
	const struct made *x;

	READY();
	pthread_mutex_lock(&lock);
	for (x = objects; x && (x->handle != handle || x->surface != surface); x = x->next)
		;
	if (x)
		*out = *x;
	pthread_mutex_unlock(&lock);
	return x ? CU_OK : CU_INVALID_VALUE;
}

void texture_end(uint64_t handle)
{
	cu_texture_destroy(handle);
	drop(handle, false);
}

void surface_end(uint64_t handle)
{
	cu_surface_destroy(handle);
	drop(handle, true);
}

static CUresult resource(struct cu_texture *t, const struct resource_description *r)
{
	const uint64_t align = cu_device()->texture_align;
	unsigned levels;
	CUresult s;

	switch (r->kind) {
	case RESOURCE_ARRAY:
		t->array = r->array;
		return shape_of(&t->shape, r->array);
	case RESOURCE_LINEAR:
		if (!texel(&t->shape, r->linear.format, r->linear.channels))
			return CU_INVALID_VALUE;
		t->addr = r->linear.addr;
		t->shape.width = r->linear.bytes / (t->shape.channels * t->shape.bits / 8);
		return t->addr && t->shape.width && t->addr % align == 0 ? CU_OK : CU_INVALID_VALUE;
	case RESOURCE_PITCH:
		if (!texel(&t->shape, r->rows.format, r->rows.channels))
			return CU_INVALID_VALUE;
		t->addr = r->rows.addr;
		t->pitch = r->rows.pitch;
		t->shape.width = r->rows.width;
		t->shape.height = r->rows.height;
		return t->addr && t->shape.width && t->shape.height && t->addr % align == 0 && t->pitch % 32 == 0 &&
				       t->pitch >= t->shape.width * t->shape.channels * t->shape.bits / 8
			       ? CU_OK
			       : CU_INVALID_VALUE;
	case RESOURCE_MIPMAPPED:
		t->mipmap = r->mipmap;
		s = mipmap_of(&t->shape, &levels, r->mipmap);
		t->last = s ? 0 : levels - 1;
		return s;
	}
	return CU_INVALID_VALUE;
}

API(cuTexObjectCreate, object *out, const struct resource_description *r, const struct sampler *d,
    const struct cu_view *v)
{
	static const enum cu_address mode[] = { CU_WRAP, CU_CLAMP, CU_MIRROR, CU_BORDER };
	struct cu_texture t = { 0 };
	uint64_t handle = 0;
	CUresult s;

	READY();
	if (!out || !r || !d || r->flags)
		return CU_INVALID_VALUE;
	s = resource(&t, r);
	if (!s && v)
		s = told(cu_texture_view(&t, v));
	if (s)
		return s;
	if (d->flags & SRGB) {
		cu_missing("sRGB textures");
		return CU_NOT_SUPPORTED;
	}
	if (t.mipmap && (!(d->flags & NORMALIZED) || d->mipmap_filter < 0 || d->mipmap_filter > 1))
		return CU_INVALID_VALUE;
	t.mip_linear = d->mipmap_filter == 1;
	t.bias = d->bias;
	t.low = d->low;
	t.high = d->high;
	memcpy(t.border, d->border, sizeof t.border);
	if (d->flags & ~(unsigned)(AS_INTEGER | NORMALIZED | NO_TRILINEAR | SEAMLESS) || d->filter < 0 || d->filter > 1)
		return CU_INVALID_VALUE;
	t.linear = d->filter == 1;
	t.normalized = d->flags & NORMALIZED;
	t.as_float = !(d->flags & AS_INTEGER) && t.shape.kind != 'f' && t.shape.bits != 32;
	for (unsigned i = 0; i < 3; i++) {
		if (d->address[i] < 0 || d->address[i] > 3)
			return CU_INVALID_VALUE;
		/* these need normalized coordinates */
		t.address[i] =
			!t.normalized && (d->address[i] == 0 || d->address[i] == 2) ? CU_CLAMP : mode[d->address[i]];
	}
	if ((t.linear || (t.mipmap && t.mip_linear)) && t.shape.kind != 'f' && !t.as_float)
		return CU_INVALID_VALUE;
	s = told(cu_texture_create(&handle, &t));
	if (s)
		return s;
	*out = handle;
	keep((struct made){ .handle = handle, .resource = *r, .sampler = *d, .view = v ? *v : (struct cu_view){ 0 } });
	own(OWNED_TEXTURE, handle);
	return CU_OK;
}

API(cuTexObjectDestroy, object handle)
{
	CUresult s;

	READY();
	s = told(cu_texture_destroy(handle));
	if (!s) {
		drop(handle, false);
		disown(OWNED_TEXTURE, handle);
	}
	return s;
}

API(cuSurfObjectCreate, object *out, const struct resource_description *r)
{
	struct cu_array_shape shape;
	uint64_t handle = 0;
	CUresult s;

	READY();
	if (!out || !r || r->kind != RESOURCE_ARRAY)
		return CU_INVALID_VALUE;
	s = shape_of(&shape, r->array);
	if (!s)
		s = shape.flags & SURFACE ? told(cu_surface_create(&handle, r->array)) : CU_INVALID_VALUE;
	if (s)
		return s;
	*out = handle;
	keep((struct made){ .handle = handle, .surface = true, .resource = *r });
	own(OWNED_SURFACE, handle);
	return CU_OK;
}

API(cuSurfObjectDestroy, object handle)
{
	CUresult s;

	READY();
	s = told(cu_surface_destroy(handle));
	if (!s) {
		drop(handle, true);
		disown(OWNED_SURFACE, handle);
	}
	return s;
}

#define ASKED(name, type, is_surface, field)                                          \
	API(name, type *out, object handle)                                           \
	{                                                                             \
		struct made x;                                                        \
		CUresult s = out ? recall(&x, handle, is_surface) : CU_INVALID_VALUE; \
                                                                                      \
		if (!s)                                                               \
			*out = x.field;                                               \
		return s;                                                             \
	}
ASKED(cuTexObjectGetResourceDesc, struct resource_description, false, resource)
ASKED(cuTexObjectGetTextureDesc, struct sampler, false, sampler)
ASKED(cuTexObjectGetResourceViewDesc, struct cu_view, false, view)
ASKED(cuSurfObjectGetResourceDesc, struct resource_description, true, resource)
