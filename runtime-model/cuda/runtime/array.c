/* Arrays, and texture and surface objects. */
#include "runtime-model/cuda/runtime/rt.h"

#include <string.h>

/* ---- what a texel is ---- */
static enum cu_status shape_channels(struct cu_array_shape *s, const struct cudaChannelFormatDesc *c)
{
	const int bits[4] = { c->x, c->y, c->z, c->w };
	unsigned n = 0;

	while (n < 4 && bits[n] == bits[0] && bits[n] > 0)
		n++;
	for (unsigned i = n; i < 4; i++)
		if (bits[i])
			return CU_INVALID_CHANNEL_DESCRIPTOR;
	if ((n != 1 && n != 2 && n != 4) || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32))
		return CU_INVALID_CHANNEL_DESCRIPTOR;
	s->channels = n;
	s->bits = (unsigned)bits[0];
	switch ((int)c->f) {
	case cudaChannelFormatKindSigned:
		s->kind = 's';
		return CU_OK;
	case cudaChannelFormatKindUnsigned:
		s->kind = 'u';
		return CU_OK;
	case cudaChannelFormatKindFloat:
		s->kind = 'f';
		return bits[0] == 8 ? CU_INVALID_CHANNEL_DESCRIPTOR : CU_OK;
	}
	return CU_INVALID_CHANNEL_DESCRIPTOR;
}

static struct cudaChannelFormatDesc channels_of(const struct cu_array_shape *s)
{
	const int b = (int)s->bits;
	const unsigned n = s->channels;

	enum cudaChannelFormatKind kind = cudaChannelFormatKindFloat;

	if (s->kind != 'f')
		kind = s->kind == 's' ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned;
	return (struct cudaChannelFormatDesc){ b, n > 1 ? b : 0, n > 2 ? b : 0, n > 3 ? b : 0, kind };
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}

/* ---- arrays ---- */
enum { ARRAY_FLAGS = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather };
_Static_assert((int)cudaArrayLayered == CU_ARRAY_LAYERED && (int)cudaArraySurfaceLoadStore == CU_ARRAY_SURFACE &&
		       (int)cudaArrayCubemap == CU_ARRAY_CUBE,
	       "the same numbers");

/* The shape that a program asks for. */
static enum cu_status shape_make(struct cu_array_shape *shape, const struct cudaChannelFormatDesc *c,
				 struct cudaExtent e, unsigned flags)
{
	enum cu_status s = cu_start();

	*shape = (struct cu_array_shape){ .width = e.width,
					  .height = e.height,
					  .depth = e.depth,
					  .flags = flags & (CU_ARRAY_LAYERED | CU_ARRAY_SURFACE | CU_ARRAY_CUBE) };
	if (!c ||
	    flags & ~(unsigned)(ARRAY_FLAGS | cudaArrayColorAttachment | cudaArraySparse | cudaArrayDeferredMapping))
		return CU_INVALID_VALUE;
	if (flags & ~(unsigned)ARRAY_FLAGS)
		return CU_NOT_SUPPORTED;
	return s == CU_OK ? shape_channels(shape, c) : s;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *a, const struct cudaChannelFormatDesc *c, struct cudaExtent e,
			      unsigned flags)
{
	struct cu_array_shape shape;
	struct cu_array *made;
	enum cu_status s = a ? shape_make(&shape, c, e, flags) : CU_INVALID_VALUE;

	if (s == CU_OK)
		s = cu_array_create(&made, &shape);
	if (s == CU_OK)
		*a = (cudaArray_t)made;
	return done(s);
}

cudaError_t cudaMallocArray(cudaArray_t *a, const struct cudaChannelFormatDesc *c, size_t width, size_t height,
			    unsigned flags)
{
	FAIL_IF(flags & ~(unsigned)(cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArraySparse |
				    cudaArrayDeferredMapping),
		INVALID_VALUE);
	return cudaMalloc3DArray(a, c, (struct cudaExtent){ width, height, 0 }, flags);
}

cudaError_t cudaFreeArray(cudaArray_t a)
{
	enum cu_status s = cu_start();

	return done(s == CU_OK && a ? cu_array_destroy((struct cu_array *)a) : s);
}

static enum cu_status shape_of(struct cu_array_shape *s, cudaArray_const_t a)
{
	enum cu_status st = cu_start();

	if (st != CU_OK)
		return st;
	return a ? cu_array_shape(s, (const struct cu_array *)a) : CU_INVALID_HANDLE;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *c, struct cudaExtent *e, unsigned *flags, cudaArray_t a)
{
	struct cu_array_shape shape;
	enum cu_status s = shape_of(&shape, a);

	if (s != CU_OK)
		return done(s);
	if (c)
		*c = channels_of(&shape);
	if (e)
		*e = (struct cudaExtent){ shape.width, shape.height, shape.depth };
	if (flags)
		*flags = shape.flags;
	return done(CU_OK);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *c, cudaArray_const_t a)
{
	FAIL_IF(!c, INVALID_VALUE);
	return cudaArrayGetInfo(c, NULL, NULL, (cudaArray_t)(uintptr_t)a);
}

/* What only arrays of several planes, sparse ones and ones mapped later have, of which there are none. */
static cudaError_t array_has_not(const void *out, cudaArray_t a)
{
	struct cu_array_shape shape;
	enum cu_status s = out ? shape_of(&shape, a) : CU_INVALID_VALUE;

	return done(s == CU_OK ? CU_INVALID_VALUE : s);
}

cudaError_t cudaArrayGetPlane(cudaArray_t *out, cudaArray_t a, unsigned plane)
{
	(void)plane;
	return array_has_not(out, a);
}
cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *out, cudaArray_t a)
{
	return array_has_not(out, a);
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaArray_t a, int device)
{
	enum cu_status s = device_check(device);

	return s == CU_OK ? array_has_not(out, a) : done(s);
}

/* ---- arrays with levels of detail ---- */
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *m, const struct cudaChannelFormatDesc *c,
				     struct cudaExtent e, unsigned levels, unsigned flags)
{
	struct cu_array_shape shape;
	struct cu_mipmap *made;
	enum cu_status s = m ? shape_make(&shape, c, e, flags) : CU_INVALID_VALUE;

	if (s == CU_OK)
		s = cu_mipmap_create(&made, &shape, levels);
	if (s == CU_OK)
		*m = (cudaMipmappedArray_t)made;
	return done(s);
}

static enum cu_status mipmap_of(struct cu_array_shape *shape, unsigned *levels, const void *m)
{
	enum cu_status s = cu_start();

	if (s != CU_OK)
		return s;
	return m ? cu_mipmap_shape(shape, levels, m) : CU_INVALID_HANDLE;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *a, cudaMipmappedArray_const_t m, unsigned level)
{
	struct cu_array *made;
	enum cu_status s = cu_start();

	FAIL_IF(!a, INVALID_VALUE);
	FAIL_IF(!m, INVALID_HANDLE);
	if (s == CU_OK)
		s = cu_mipmap_level(&made, (const struct cu_mipmap *)m, level);
	if (s == CU_OK)
		*a = (cudaArray_t)made;
	return done(s);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t m)
{
	enum cu_status s = cu_start();

	return done(s == CU_OK && m ? cu_mipmap_destroy((struct cu_mipmap *)m) : s);
}

static cudaError_t mipmap_has_not(const void *out, cudaMipmappedArray_t m)
{
	struct cu_array_shape shape;
	unsigned levels;
	enum cu_status s = out ? mipmap_of(&shape, &levels, m) : CU_INVALID_VALUE;

	return done(s == CU_OK ? CU_INVALID_VALUE : s);
}

cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *out, cudaMipmappedArray_t m)
{
	return mipmap_has_not(out, m);
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out, cudaMipmappedArray_t m,
						    int device)
{
	enum cu_status s = device_check(device);

	return s == CU_OK ? mipmap_has_not(out, m) : done(s);
}

/* ---- texture and surface objects: what they were made of is kept for who asks ---- */
struct object {
	struct object *next;
	unsigned long long handle;
	bool surface;
	struct cudaResourceDesc resource;
	struct cudaTextureDesc texture;
	struct cudaResourceViewDesc view;
};
static struct object *objects, *unused;

static void object_keep(struct object o)
{
	LOCKED({
		struct object *p = unused ? unused : new(&rt.a, struct object);

		if (unused)
			unused = unused->next;
		*p = o;
		p->next = objects;
		objects = p;
	});
}

static void object_drop(unsigned long long handle, bool surface, bool all)
{
	LOCKED({
		for (struct object **p = &objects, *o; (o = *p);)
			if (all || (o->handle == handle && o->surface == surface)) {
				*p = o->next;
				o->next = unused;
				unused = o;
			} else {
				p = &o->next;
			}
	});
}

static bool object_get(struct object *out, unsigned long long handle, bool surface)
{
	bool found = false;

	LOCKED({
		for (struct object *o = objects; o && !found; o = o->next)
			if (o->handle == handle && o->surface == surface) {
				*out = *o;
				found = true;
			}
	});
	return found;
}

void textures_forget(void) { object_drop(0, false, true); }

static enum cu_status texture_resource(struct cu_texture *t, const struct cudaResourceDesc *r)
{
	enum cu_status s;
	unsigned levels;

	switch (r->resType) {
	case cudaResourceTypeArray:
		t->array = (struct cu_array *)r->res.array.array;
		return shape_of(&t->shape, r->res.array.array);
	case cudaResourceTypeLinear:
		s = shape_channels(&t->shape, &r->res.linear.desc);
		if (s != CU_OK)
			return s;
		t->addr = (uintptr_t)r->res.linear.devPtr;
		t->shape.width = r->res.linear.sizeInBytes / (t->shape.channels * t->shape.bits / 8);
		return t->addr && t->shape.width && t->addr % cu_device()->texture_align == 0 ? CU_OK
											      : CU_INVALID_VALUE;
	case cudaResourceTypePitch2D:
		s = shape_channels(&t->shape, &r->res.pitch2D.desc);
		if (s != CU_OK)
			return s;
		t->addr = (uintptr_t)r->res.pitch2D.devPtr;
		t->pitch = r->res.pitch2D.pitchInBytes;
		t->shape.width = r->res.pitch2D.width;
		t->shape.height = r->res.pitch2D.height;
		return t->addr && t->shape.width && t->shape.height && t->addr % cu_device()->texture_align == 0 &&
				       t->pitch % 32 == 0 &&
				       t->pitch >= t->shape.width * t->shape.channels * t->shape.bits / 8
			       ? CU_OK
			       : CU_INVALID_VALUE;
	case cudaResourceTypeMipmappedArray:
		t->mipmap = (struct cu_mipmap *)r->res.mipmap.mipmap;
		s = mipmap_of(&t->shape, &levels, r->res.mipmap.mipmap);
		t->last = s == CU_OK ? levels - 1 : 0;
		return s;
	}
	return CU_INVALID_VALUE;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
				    const struct cudaTextureDesc *d, const struct cudaResourceViewDesc *view)
{
	struct cu_texture t = { 0 };
	uint64_t handle;
	enum cu_status s = cu_start();

	FAIL_IF(!out || !r || !d, INVALID_VALUE);
	if (s == CU_OK)
		s = texture_resource(&t, r);
	if (s == CU_OK && view)
		s = cu_texture_view(&t, &(struct cu_view){ (int)view->format,
							   view->width,
							   view->height,
							   view->depth,
							   view->firstMipmapLevel,
							   view->lastMipmapLevel,
							   view->firstLayer,
							   view->lastLayer,
							   { 0 } });
	if (s != CU_OK)
		return done(s);
	if (d->sRGB) {
		cu_missing("sRGB textures");
		return done(CU_NOT_SUPPORTED);
	}
	FAIL_IF(t.mipmap && (!d->normalizedCoords || (unsigned)d->mipmapFilterMode > cudaFilterModeLinear),
		INVALID_VALUE);
	t.mip_linear = d->mipmapFilterMode == cudaFilterModeLinear;
	t.bias = d->mipmapLevelBias;
	t.low = d->minMipmapLevelClamp;
	t.high = d->maxMipmapLevelClamp;
	memcpy(t.border, d->borderColor, sizeof t.border);
	for (int i = 0; i < 3; i++) {
		FAIL_IF((unsigned)d->addressMode[i] > cudaAddressModeBorder, INVALID_VALUE);
		/* Wrapping and mirroring need normalized coordinates; without them they clamp (Runtime API,
		 * cudaTextureDesc::addressMode). */
		t.address[i] = CU_CLAMP;
		if (d->addressMode[i] == cudaAddressModeBorder)
			t.address[i] = CU_BORDER;
		else if (d->normalizedCoords && d->addressMode[i] != cudaAddressModeClamp)
			t.address[i] = d->addressMode[i] == cudaAddressModeWrap ? CU_WRAP : CU_MIRROR;
	}
	FAIL_IF((unsigned)d->filterMode > cudaFilterModeLinear || (unsigned)d->readMode > cudaReadModeNormalizedFloat,
		INVALID_VALUE);
	t.linear = d->filterMode == cudaFilterModeLinear;
	t.normalized = d->normalizedCoords != 0;
	t.as_float = d->readMode == cudaReadModeNormalizedFloat && t.shape.kind != 'f';
	FAIL_IF(t.as_float && t.shape.bits == 32, INVALID_NORM_SETTING);
	FAIL_IF((t.linear || (t.mipmap && t.mip_linear)) && t.shape.kind != 'f' && !t.as_float, INVALID_FILTER_SETTING);
	s = cu_texture_create(&handle, &t);
	if (s == CU_OK) {
		*out = handle;
		object_keep((struct object){ .handle = handle,
					     .resource = *r,
					     .texture = *d,
					     .view = view ? *view : (struct cudaResourceViewDesc){ 0 } });
	}
	return done(s);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t t)
{
	enum cu_status s = cu_start();

	if (s == CU_OK && t) {
		s = cu_texture_destroy(t);
		if (s == CU_OK)
			object_drop(t, false, false);
	}
	return done(s);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *r)
{
	struct cu_array_shape shape;
	uint64_t handle;
	enum cu_status s;

	FAIL_IF(!out || !r || r->resType != cudaResourceTypeArray, INVALID_VALUE);
	s = shape_of(&shape, r->res.array.array);
	if (s == CU_OK && !(shape.flags & CU_ARRAY_SURFACE))
		s = CU_INVALID_VALUE;
	if (s == CU_OK)
		s = cu_surface_create(&handle, (struct cu_array *)r->res.array.array);
	if (s == CU_OK) {
		*out = handle;
		object_keep((struct object){ .handle = handle, .surface = true, .resource = *r });
	}
	return done(s);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t t)
{
	enum cu_status s = cu_start();

	if (s == CU_OK && t) {
		s = cu_surface_destroy(t);
		if (s == CU_OK)
			object_drop(t, true, false);
	}
	return done(s);
}

#define ASKED(name, type, handle_type, is_surface, field)                            \
	cudaError_t name(type *out, handle_type handle)                              \
	{                                                                            \
		struct object o;                                                     \
                                                                                     \
		FAIL_IF(!out || !object_get(&o, handle, is_surface), INVALID_VALUE); \
		*out = o.field;                                                      \
		return done(CU_OK);                                                  \
	}
ASKED(cudaGetTextureObjectResourceDesc, struct cudaResourceDesc, cudaTextureObject_t, false, resource)
ASKED(cudaGetTextureObjectTextureDesc, struct cudaTextureDesc, cudaTextureObject_t, false, texture)
ASKED(cudaGetTextureObjectResourceViewDesc, struct cudaResourceViewDesc, cudaTextureObject_t, false, view)
ASKED(cudaGetSurfaceObjectResourceDesc, struct cudaResourceDesc, cudaSurfaceObject_t, true, resource)
