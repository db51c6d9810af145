/* Arrays, textures, surfaces. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/ir/texture.h"

#include <stdlib.h>

/* next: NULL of a level of detail */
struct cu_array {
	struct cu_array *next;
	struct cu_array_shape shape;
	uint64_t addr, pitch, rows, slices;
};
/* of the largest side that shape_ok() knows */
enum { LEVELS = 18 };
struct cu_mipmap {
	struct cu_mipmap *next;
	struct cu_array_shape shape;
	uint64_t addr;
	unsigned levels;
	struct cu_array level[LEVELS];
};
struct cu_textures {
	struct cu_textures *next;
	uint64_t handle;
	bool surface;
};

static uint64_t at_least_one(uint64_t n) { return n ? n : 1; }

static bool is_array(const struct cu_array *a)
{
	const struct cu_array *x = process.array;

	while (x && x != a)
		x = x->next;
	for (const struct cu_mipmap *m = process.mipmap; m && !x; m = m->next)
		for (unsigned l = 0; l < m->levels && !x; l++)
			x = a == &m->level[l] ? a : NULL;
	return x != NULL;
}

static bool is_mipmap(const struct cu_mipmap *m)
{
	const struct cu_mipmap *x = process.mipmap;

	while (x && x != m)
		x = x->next;
	return x != NULL;
}

enum cu_status array_side(const struct cu_side *s, uint64_t *addr, uint64_t *pitch, uint64_t *rows, uint64_t *bytes,
			  const struct allocation_row **row)
{
	if (!is_array(s->array))
		return CU_INVALID_HANDLE;
	*addr = s->array->addr;
	*pitch = s->array->pitch;
	*rows = s->array->rows;
	*bytes = s->array->pitch * s->array->rows * s->array->slices;
	*row = row_find(*addr);
	return s->x < *pitch && s->y < *rows && s->z < s->array->slices ? CU_OK : CU_INVALID_VALUE;
}

static bool shape_ok(const struct cu_array_shape *s)
{
	const bool bits = s->bits == 8 || s->bits == 16 || s->bits == 32,
		   layered = s->flags & (CU_ARRAY_LAYERED | CU_ARRAY_CUBE);

	if (s->flags & CU_ARRAY_CUBE &&
	    (s->width != s->height || (s->flags & CU_ARRAY_LAYERED ? s->depth % 6 : s->depth != 6)))
		return false;
	return s->width && s->width <= 131072 && s->height <= 131072 && s->depth <= 16384 &&
	       (s->channels == 1 || s->channels == 2 || s->channels == 4) && bits &&
	       (s->kind == 'u' || s->kind == 's' || (s->kind == 'f' && s->bits != 8)) && (!layered || s->depth) &&
	       !(s->depth && !s->height && !layered);
}

/* Rows and slices one behind the other, at no address yet. */
static struct cu_array array_of(const struct cu_array_shape *s)
{
	return (struct cu_array){ .shape = *s,
				  .pitch = s->width * s->channels * (s->bits / 8),
				  .rows = at_least_one(s->height),
				  .slices = at_least_one(s->depth) };
}

/* Of memory that a texture reads where it lies: in one dimension, or in two. */
static bool linear_ok(const struct cu_array_shape *s)
{
	/* texels: the limit of every compute capability from 5.0 on */
	enum { LINE = 1 << 28 };
	struct cu_array_shape narrow = *s;

	if (!s->height && !s->depth && s->width <= LINE)
		narrow.width = s->width < 1 ? 0 : 1;
	return shape_ok(&narrow);
}

enum cu_status cu_array_create(struct cu_array **out, const struct cu_array_shape *shape)
{
	enum cu_status s = enter();
	struct cu_array *a;

	if (s)
		return s;
	if (!out || !shape || !shape_ok(shape))
		return leave(CU_INVALID_VALUE);
	a = calloc(1, sizeof *a);
	if (!a)
		return leave(CU_OUT_OF_MEMORY);
	*a = array_of(shape);
	s = row_add(&a->addr, a->pitch * a->rows * a->slices, 512, CU_ARRAY, 0, host_caller());
	if (s) {
		free(a);
		return leave(s);
	}
	a->next = process.array;
	*out = process.array = a;
	return leave(CU_OK);
}

enum cu_status cu_array_destroy(struct cu_array *a)
{
	enum cu_status s = enter();
	struct cu_array **at;

	if (s)
		return s;
	for (at = &process.array; *at && *at != a; at = &(*at)->next)
		;
	if (!*at)
		/* a level goes with the others */
		return leave(is_array(a) ? CU_INVALID_VALUE : CU_INVALID_HANDLE);
	*at = a->next;
	row_remove(row_find(a->addr));
	free(a);
	return leave(CU_OK);
}

enum cu_status cu_array_shape(struct cu_array_shape *out, const struct cu_array *a)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (!is_array(a))
		return leave(CU_INVALID_HANDLE);
	*out = a->shape;
	return leave(CU_OK);
}

static enum scalar_type type_of(const struct cu_array_shape *s)
{
	if (s->kind == 'f')
		return s->bits == 16 ? TY_F16 : TY_F32;
	if (s->bits == 8)
		return s->kind == 's' ? TY_S8 : TY_U8;
	if (s->bits == 16)
		return s->kind == 's' ? TY_S16 : TY_U16;
	return s->kind == 's' ? TY_S32 : TY_U32;
}

/* What texels of that shape are to the engine. */
static struct resource resource_of(const struct cu_array_shape *s)
{
	const bool layered = s->flags & CU_ARRAY_LAYERED, cube = s->flags & CU_ARRAY_CUBE;
	const unsigned flat = s->height ? 2 : 1, faces = cube ? 6 : 1;

	return (struct resource){
		.name = "",
		.array = layered,
		.cube = cube,
		.dims = (uint8_t)(s->depth && !layered && !cube ? 3 : flat),
		.size = { (uint32_t)s->width, (uint32_t)at_least_one(s->height),
			  layered || cube ? 1 : (uint32_t)at_least_one(s->depth) },
		.layers = layered || cube ? (uint32_t)s->depth / faces : 1,
		.channels = (uint8_t)s->channels,
		.type = (uint8_t)type_of(s),
	};
}

/* ---- levels of detail ---- */
static unsigned levels_of(const struct resource *r)
{
	uint32_t most = r->size[0];
	unsigned n = 1;

	for (unsigned d = 1; d < r->dims; d++)
		most = r->size[d] > most ? r->size[d] : most;
	for (; most > 1; most /= 2)
		n++;
	return n;
}

enum cu_status cu_mipmap_create(struct cu_mipmap **out, const struct cu_array_shape *shape, unsigned levels)
{
	enum cu_status s = enter();
	struct resource r, last;
	struct cu_mipmap *m;
	unsigned most;

	if (s)
		return s;
	if (!out || !shape || !shape_ok(shape))
		return leave(CU_INVALID_VALUE);
	r = resource_of(shape);
	most = levels_of(&r);
	m = calloc(1, sizeof *m);
	if (!m)
		return leave(CU_OUT_OF_MEMORY);
	m->shape = *shape;
	m->levels = levels < most ? levels : most;
	if (levels < 1)
		m->levels = 1;
	last = device_level(&r, m->levels); /* behind the last */
	s = row_add(&m->addr, last.data, 512, CU_ARRAY, 0, host_caller());
	if (s) {
		free(m);
		return leave(s);
	}
	for (unsigned l = 0; l < m->levels; l++) {
		const struct resource x = device_level(&r, l);
		struct cu_array_shape of = *shape;

		of.width = x.size[0];
		of.height = shape->height ? x.size[1] : 0;
		of.depth = x.dims == 3 ? x.size[2] : shape->depth;
		m->level[l] = array_of(&of);
		m->level[l].addr = m->addr + x.data;
	}
	m->next = process.mipmap;
	*out = process.mipmap = m;
	return leave(CU_OK);
}

enum cu_status cu_mipmap_destroy(struct cu_mipmap *m)
{
	enum cu_status s = enter();
	struct cu_mipmap **at;

	if (s)
		return s;
	for (at = &process.mipmap; *at && *at != m; at = &(*at)->next)
		;
	if (!*at)
		return leave(CU_INVALID_HANDLE);
	*at = m->next;
	row_remove(row_find(m->addr));
	free(m);
	return leave(CU_OK);
}

enum cu_status cu_mipmap_shape(struct cu_array_shape *out, unsigned *levels, const struct cu_mipmap *m)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (!is_mipmap(m))
		return leave(CU_INVALID_HANDLE);
	*out = m->shape;
	*levels = m->levels;
	return leave(CU_OK);
}

enum cu_status cu_mipmap_level(struct cu_array **out, const struct cu_mipmap *m, unsigned level)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (!is_mipmap(m))
		return leave(CU_INVALID_HANDLE);
	if (!out || level >= m->levels)
		return leave(CU_INVALID_VALUE);
	*out = (struct cu_array *)&m->level[level];
	return leave(CU_OK);
}

/* ---- objects ---- */
/* CUDA's number of it in descriptions of views. */
static int view_format(const struct cu_array_shape *s)
{
	int kind = 0;

	if (s->bits > 8)
		kind = s->bits == 16 ? 2 : 4;
	kind += s->kind == 's';
	if (s->kind == 'f')
		kind = s->bits == 16 ? 6 : 7;

	return kind * 3 + (s->channels == 4 ? 3 : (int)s->channels);
}

enum cu_status cu_texture_view(struct cu_texture *t, const struct cu_view *v)
{
	const struct cu_array_shape *s = &t->shape;
	const size_t layers = s->flags & (CU_ARRAY_LAYERED | CU_ARRAY_CUBE) ? s->depth : 0;

	if ((!t->array && !t->mipmap) || v->first_level > v->last_level || v->last_level > t->last)
		return CU_INVALID_VALUE;
	t->first = v->first_level;
	t->last = v->last_level;
	if (!v->format)
		return CU_OK;
	if (v->format != view_format(s) || v->first_layer || (layers && v->last_layer != layers - 1)) {
		cu_missing("views of textures in another format, or of some layers");
		return CU_NOT_SUPPORTED;
	}
	return v->width == s->width && v->height == s->height && v->depth == s->depth ? CU_OK : CU_INVALID_VALUE;
}

static enum cu_status create(uint64_t *handle, const struct cu_texture *t, bool surface)
{
	static const uint8_t mode[] = { [CU_WRAP] = ADDRESS_WRAP,
					[CU_CLAMP] = ADDRESS_CLAMP,
					[CU_MIRROR] = ADDRESS_MIRROR,
					[CU_BORDER] = ADDRESS_BORDER };
	const struct cu_array *a = t->mipmap ? &t->mipmap->level[t->first] : t->array;
	const struct cu_array_shape *s = a ? &a->shape : &t->shape;
	struct resource r = resource_of(s);
	struct cu_textures *x = calloc(1, sizeof *x);

	if (!x)
		return CU_OUT_OF_MEMORY;
	r.reference = surface ? REFERENCE_SURFACE : REFERENCE_TEXTURE;
	r.as_float = t->as_float;
	r.sampler = (struct sampler){ .linear = t->linear,
				      .normalized = t->normalized,
				      .address = { mode[t->address[0]], mode[t->address[1]], mode[t->address[2]] },
				      .mip_linear = t->mip_linear,
				      .bias = t->bias,
				      .low = t->low,
				      .high = t->high };
	r.data = a ? a->addr : t->addr;
	r.pitch = t->pitch;
	r.levels = (uint8_t)(t->mipmap ? t->last - t->first + 1 : 1);
	for (unsigned c = 0; c < 4; c++) {
		const unsigned unused = 32 - s->bits;

		if (s->kind == 'f' || t->as_float)
			r.sampler.border[c] = t->border[c];
		else if (s->kind == 's')
			r.sampler.border[c] = (uint32_t)((int32_t)(t->border[c] << unused) >> unused);
		else
			r.sampler.border[c] = t->border[c] & UINT32_MAX >> unused;
	}
	x->handle = device_resource(process.dev, &r);
	if (!x->handle) {
		free(x);
		return CU_INVALID_VALUE;
	}
	x->surface = surface;
	x->next = process.texture;
	process.texture = x;
	*handle = x->handle;
	return CU_OK;
}

enum cu_status cu_texture_create(uint64_t *handle, const struct cu_texture *t)
{
	enum cu_status s = enter();

	if (s)
		return s;
	if (!handle || !t ||
	    (t->mipmap && (!is_mipmap(t->mipmap) || t->first > t->last || t->last >= t->mipmap->levels)) ||
	    (!t->mipmap && t->array && !is_array(t->array)) || (!t->mipmap && !t->array && !linear_ok(&t->shape)))
		return leave(CU_INVALID_VALUE);
	for (unsigned i = 0; i < 3; i++)
		if (t->address[i] > CU_BORDER)
			return leave(CU_INVALID_VALUE);
	return leave(create(handle, t, false));
}

enum cu_status cu_surface_create(uint64_t *handle, struct cu_array *a)
{
	const struct cu_texture t = { .array = a };
	enum cu_status s = enter();

	if (s)
		return s;
	if (!handle || !is_array(a))
		return leave(CU_INVALID_VALUE);
	return leave(create(handle, &t, true));
}

static enum cu_status destroy(uint64_t handle, bool surface)
{
	struct cu_textures **at;
	enum cu_status s = enter();

	if (s)
		return s;
	for (at = &process.texture; *at && ((*at)->handle != handle || (*at)->surface != surface); at = &(*at)->next)
		;
	if (*at) {
		struct cu_textures *x = *at;

		*at = x->next;
		device_resource_free(process.dev, handle);
		free(x);
		return leave(CU_OK);
	}
	return leave(handle ? CU_INVALID_VALUE : CU_OK);
}

enum cu_status cu_texture_destroy(uint64_t handle) { return destroy(handle, false); }
enum cu_status cu_surface_destroy(uint64_t handle) { return destroy(handle, true); }

void arrays_reset(void)
{
	while (process.texture) {
		struct cu_textures *x = process.texture;

		process.texture = x->next;
		free(x);
	}
	while (process.array) {
		struct cu_array *a = process.array;

		process.array = a->next;
		free(a);
	}
	while (process.mipmap) {
		struct cu_mipmap *m = process.mipmap;

		process.mipmap = m->next;
		free(m);
	}
}
