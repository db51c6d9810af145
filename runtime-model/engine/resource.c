/* Textures, surfaces and samplers that a device has, by their handles. */
#include "runtime-model/engine/native.h"
#include "runtime-model/engine/texture.h"

#include <string.h>

enum { RESOURCES_MAX = 1 << 20 }; /* of device_resource_at(), which makes all before it */

static uint64_t handle_of(uint32_t n) { return RESOURCE_WINDOW + 16 * ((uint64_t)n + 1); }

/* The number of a handle, or UINT32_MAX. */
static uint32_t number_of(const struct device *dev, uint64_t handle)
{
	uint64_t n = (handle - RESOURCE_WINDOW) / 16 - 1;

	return handle % 16 == 0 && n < dev->nbound && dev->bound[n].used ? (uint32_t)n : UINT32_MAX;
}

/* One more, which is free. */
static void add_free(struct device *dev)
{
	arena_grow(&dev->a, dev->bound, dev->nbound, dev->bound_cap);
	dev->bound[dev->nbound] = (struct bound){ .next = dev->free_bound };
	dev->free_bound = ++dev->nbound;
}

/* Number n is taken from those that are free. False: it is not among them. */
static bool take_free(struct device *dev, uint32_t n)
{
	uint32_t *at = &dev->free_bound;

	while (*at && *at != n + 1)
		at = &dev->bound[*at - 1].next;
	if (!*at)
		return false;
	*at = dev->bound[n].next;
	return true;
}

static void set_bound(struct device *dev, uint32_t n, const struct resource *r, unsigned char *texels)
{
	struct arena a;

	arena_init(&a);
	a.block_bytes = 1;
	dev->bound[n] = (struct bound){ .r = *r, .texels = texels, .used = true };
	dev->bound[n].r.name = arena_strndup(&a, r->name, strlen(r->name));
	if (texture_levels(r) > 1) {
		dev->bound[n].level = new_array(&a, struct resource, r->levels);
		for (unsigned l = 0; l < r->levels; l++)
			dev->bound[n].level[l] = device_level(&dev->bound[n].r, l);
	}
	dev->bound[n].a = a;
}

/* Bytes from the first texel to the end of the last. */
static uint64_t bytes_of(const struct resource *r)
{
	uint64_t row = (uint64_t)r->size[0] * texel_bytes(r),
		 rows = (uint64_t)r->size[1] * r->size[2] * texel_layers(r);

	return (rows - 1) * texel_pitch(r) + row;
}

/* bytes, as an array's */
enum { LEVEL_ALIGN = 512 };

struct resource device_level(const struct resource *r, unsigned n)
{
	struct resource x = *r;

	while (n--) {
		x.data += (bytes_of(&x) + LEVEL_ALIGN - 1) / LEVEL_ALIGN * LEVEL_ALIGN;
		for (unsigned d = 0; d < x.dims; d++)
			x.size[d] = x.size[d] > 1 ? x.size[d] / 2 : 1;
	}
	x.levels = 1;
	return x;
}

/* Bytes of all levels. */
static uint64_t all_bytes(const struct resource *r)
{
	const struct resource last = device_level(r, texture_levels(r) - 1);

	return last.data - r->data + bytes_of(&last);
}

static void count_resource(struct device *dev, const struct resource *r, int change)
{
	uint32_t n = r->reference == REFERENCE_SAMPLER ? UINT32_MAX : device_nearest(dev, r->data);

	if (n != UINT32_MAX)
		dev->alloc[n].resources += (uint32_t)change;
}

/* As number n, which is free. 0: its memory is not there. */
static uint64_t bind_resource(struct device *dev, const struct resource *r, uint32_t n)
{
	uint64_t variable, bytes;
	unsigned char *host = NULL;

	if (r->reference != REFERENCE_SAMPLER) {
		if (r->pitch && (r->pitch < (uint64_t)r->size[0] * texel_bytes(r) || r->pitch % texel_bytes(r)))
			return 0;
		host = device_ptr(dev, r->data, all_bytes(r));
		if (!host)
			return 0;
	}
	take_free(dev, n);
	set_bound(dev, n, r, host);
	if (host)
		device_written(dev, r->data, all_bytes(r)); /* surfaces write unseen */
	count_resource(dev, r, 1);
	variable = device_symbol(dev, r->name, &bytes);
	if (variable && bytes == REFERENCE_BYTES) {
		arena_grow(&dev->a, dev->bound_variable, dev->nbound_variable, dev->bound_variable_cap);
		dev->bound_variable[dev->nbound_variable++] = (struct bound_variable){ variable, n };
	}
	return handle_of(n);
}

uint64_t device_resource(struct device *dev, const struct resource *r)
{
	if (!dev->free_bound)
		add_free(dev);
	return bind_resource(dev, r, dev->free_bound - 1);
}

uint64_t device_resource_at(struct device *dev, const struct resource *r, uint64_t handle)
{
	const uint64_t n = (handle - RESOURCE_WINDOW) / 16 - 1;

	if (handle % 16 || n >= RESOURCES_MAX)
		return 0;
	while (dev->nbound <= n)
		add_free(dev);
	return dev->bound[n].used ? 0 : bind_resource(dev, r, (uint32_t)n);
}

bool device_resource_next(const struct device *dev, uint32_t *n, struct resource *r, uint64_t *handle)
{
	while (*n < dev->nbound &&
	       !(dev->bound[*n].used && (dev->bound[*n].texels || dev->bound[*n].r.reference == REFERENCE_SAMPLER)))
		++*n;
	if (*n == dev->nbound)
		return false;
	*r = dev->bound[*n].r;
	*handle = handle_of((*n)++);
	return true;
}

bool device_has_references(const struct device *dev) { return dev->nbound_variable != 0; }

static void drop_variable(struct device *dev, uint32_t v)
{
	memmove(dev->bound_variable + v, dev->bound_variable + v + 1,
		(--dev->nbound_variable - v) * sizeof *dev->bound_variable);
}

bool device_resource_free(struct device *dev, uint64_t handle)
{
	uint32_t n = number_of(dev, handle);
	struct arena a;

	if (n == UINT32_MAX)
		return false;
	if (dev->bound[n].texels)
		count_resource(dev, &dev->bound[n].r, -1);
	for (uint32_t v = dev->nbound_variable; v--;)
		if (dev->bound_variable[v].bound == n)
			drop_variable(dev, v);
	a = dev->bound[n].a;
	dev->bound[n] = (struct bound){ .next = dev->free_bound };
	dev->free_bound = n + 1;
	arena_free(&a);
	return true;
}

void resources_forget(struct device *dev, const struct allocation *al)
{
	for (uint32_t v = dev->nbound_variable; v--;)
		if (dev->bound_variable[v].addr - al->addr < al->bytes)
			drop_variable(dev, v);
	for (uint32_t n = 0; al->resources && n < dev->nbound; n++) {
		const struct resource *r = &dev->bound[n].r;

		if (dev->bound[n].texels && (r->data - al->addr < al->bytes || al->addr - r->data < all_bytes(r)))
			dev->bound[n].texels = NULL;
	}
}

void resources_moved(struct device *dev)
{
	for (uint32_t i = 0; i < dev->nbound; i++) {
		struct bound *b = &dev->bound[i];

		if (b->used && b->texels)
			b->texels = device_ptr(dev, b->r.data, 1);
	}
}

void resources_free(struct device *dev)
{
	for (uint32_t n = 0; n < dev->nbound; n++)
		arena_free(&dev->bound[n].a);
}

const struct bound *resource_find(const struct device *dev, uint64_t handle)
{
	uint32_t n = number_of(dev, handle);

	for (uint32_t v = dev->nbound_variable; n == UINT32_MAX && v--;)
		if (dev->bound_variable[v].addr == handle)
			n = dev->bound_variable[v].bound;
	return n == UINT32_MAX ? NULL : &dev->bound[n];
}

uint64_t resource_named(const struct device *dev, const char *name)
{
	for (uint32_t n = dev->nbound; n--;)
		if (dev->bound[n].used && dev->bound[n].r.reference != REFERENCE_SAMPLER &&
		    strcmp(dev->bound[n].r.name, name) == 0)
			return handle_of(n);
	return 0;
}
