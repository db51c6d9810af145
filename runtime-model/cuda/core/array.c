/* Arrays, textures, surfaces. */
#include "runtime-model/cuda/core/internal.h"

#include "analyzer/ir/texture.h"

#include <stdlib.h>
#include <string.h>

struct cu_array { struct cu_array *next; struct cu_array_shape shape; uint64_t addr, pitch, rows, slices; };
struct cu_textures { struct cu_textures *next; uint64_t handle; struct cu_texture as; bool surface; };

static uint64_t at_least_one(uint64_t n) { return n ? n : 1; }

static bool is_array(const struct cu_array *a)
{
	const struct cu_array *x = process.array;

	while (x && x != a)
		x = x->next;
	return x != NULL;
}

enum cu_status array_side(const struct cu_side *s, uint64_t *addr, uint64_t *pitch, uint64_t *rows, const struct allocation_row **row)
{
	if (!is_array(s->array))
		return CU_INVALID_HANDLE;
	*addr = s->array->addr;
	*pitch = s->array->pitch;
	*rows = s->array->rows;
	*row = row_find(*addr);
	return s->x < *pitch && s->y < *rows && s->z < s->array->slices ? CU_OK : CU_INVALID_VALUE;
}

static bool shape_ok(const struct cu_array_shape *s)
{
	const bool bits = s->bits == 8 || s->bits == 16 || s->bits == 32, layered = s->flags & (CU_ARRAY_LAYERED | CU_ARRAY_CUBE);

	return s->width && s->width <= 131072 && s->height <= 131072 && s->depth <= 16384 && (s->channels == 1 || s->channels == 2 || s->channels == 4) && bits &&
	       (s->kind == 'u' || s->kind == 's' || (s->kind == 'f' && s->bits != 8)) && (!layered || s->depth) && !(s->depth && !s->height && !layered);
}

/* Of memory that a texture reads where it lies: in one dimension, or in two. */
static bool linear_ok(const struct cu_array_shape *s)
{
	enum { LINE = 1 << 28 };        /* texels: the limit of every compute capability from 5.0 on */
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
	*a = (struct cu_array){ .shape = *shape, .pitch = shape->width * shape->channels * (shape->bits / 8), .rows = at_least_one(shape->height),
	                        .slices = at_least_one(shape->depth) };
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
		return leave(CU_INVALID_HANDLE);
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
	if (s->kind == 's')
		return s->bits == 8 ? TY_S8 : s->bits == 16 ? TY_S16 : TY_S32;
	return s->bits == 8 ? TY_U8 : s->bits == 16 ? TY_U16 : TY_U32;
}

static enum cu_status create(uint64_t *handle, const struct cu_texture *t, bool surface)
{
	static const uint8_t mode[] = { [CU_WRAP] = ADDRESS_WRAP, [CU_CLAMP] = ADDRESS_CLAMP, [CU_MIRROR] = ADDRESS_MIRROR, [CU_BORDER] = ADDRESS_BORDER };
	const struct cu_array_shape *s = t->array ? &t->array->shape : &t->shape;
	const bool layered = s->flags & CU_ARRAY_LAYERED, cube = s->flags & CU_ARRAY_CUBE;
	struct resource r = {
		.name = "", .reference = surface ? REFERENCE_SURFACE : REFERENCE_TEXTURE, .array = layered, .cube = cube,
		.dims = (uint8_t)(s->depth && !layered && !cube ? 3 : s->height ? 2 : 1),
		.size = { (uint32_t)s->width, (uint32_t)at_least_one(s->height), layered || cube ? 1 : (uint32_t)at_least_one(s->depth) },
		.layers = layered || cube ? (uint32_t)s->depth / (cube ? 6 : 1) : 1, .channels = (uint8_t)s->channels, .type = (uint8_t)type_of(s),
		.as_float = t->as_float, .sampler = { t->linear, t->normalized, { mode[t->address[0]], mode[t->address[1]], mode[t->address[2]] }, { 0 } },
		.data = t->array ? t->array->addr : t->addr, .pitch = t->array ? 0 : t->pitch,
	};
	struct cu_textures *x = calloc(1, sizeof *x);

	if (!x)
		return CU_OUT_OF_MEMORY;
	for (unsigned c = 0; c < 4; c++)
		r.sampler.border[c] = s->kind == 'f' || t->as_float ? t->border[c] : s->kind == 's' ? (uint32_t)((int32_t)(t->border[c] << (32 - s->bits)) >> (32 - s->bits)) :
		                      t->border[c] & UINT32_MAX >> (32 - s->bits);
	x->handle = device_resource(process.dev, &r);
	if (!x->handle) {
		free(x);
		return CU_INVALID_VALUE;
	}
	x->as = *t;
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
	if (!handle || !t || (t->array && !is_array(t->array)) || (!t->array && !linear_ok(&t->shape)))
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

bool cu_texture_get(struct cu_texture *out, uint64_t handle)
{
	const struct cu_textures *x;

	if (enter_anyway())
		return false;
	for (x = process.texture; x && x->handle != handle; x = x->next)
		;
	if (x)
		*out = x->as;
	leave(CU_OK);
	return x != NULL;
}

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
}
