/* Surfaces: loads, stores and reductions at the place that coordinates name. Lanes go in order, so that the highest
 * wins where they collide. */
#include "runtime-model/engine/texture.h"

#include "runtime-model/engine/lane.h"
#include "runtime-model/engine/lane_half.h"

#include <string.h>

struct access {
	struct engine *e;
	struct cta *c;
	struct warp *w;
	const struct xtexture *tx;
	uint32_t insn;
	const struct bound *b;
	unsigned bytes; /* of the whole access */
};

static bool shape_fits(const struct texture *x, const struct resource *r)
{
	return x->array == (r->array || r->cube) && x->dims == r->dims;
}

/* v in [0, n), or what the instruction says if it is outside: *inside is cleared for .zero; .trap is a fault. */
static bool bring_inside(const struct access *a, unsigned l, int64_t *v, int64_t n, bool *inside)
{
	if (*v >= 0 && *v < n)
		return true;
	if (a->tx->outside == OUTSIDE_ZERO) {
		*inside = false;
		return true;
	}
	if (a->tx->outside == OUTSIDE_TRAP)
		return fault_in(a->e, FAULT_RESOURCE, a->c, a->w, a->insn, l,
				"coordinate %lld is outside the surface '%s'", (long long)*v, a->b->r.name);
	*v = *v < 0 ? 0 : n - 1;
	return true;
}

/* Byte offset of lane l's access; *inside: there is one. False: a fault, reported. */
static bool locate(const struct access *a, unsigned l, uint64_t *out, bool *inside)
{
	const struct resource *r = &a->b->r;
	const struct xtexture *tx = a->tx;
	unsigned array = tx->x.array, texel = texel_bytes(r), unit = tx->x.formatted ? texel : a->bytes;
	int64_t v[4] = { 0 }, width = (int64_t)r->size[0] * texel;
	uint64_t at = 0;

	for (unsigned n = 0; n < tx->x.coords; n++)
		v[n] = (int32_t)texture_operand(a->e, a->w, tx->coord[n])[l];
	*inside = true;
	if (array) {
		if (!bring_inside(a, l, &v[0], (int64_t)texel_layers(r), inside))
			return false;
		at = (uint64_t)v[0];
	}
	for (unsigned d = tx->x.dims; --d;) {
		if (!bring_inside(a, l, &v[array + d], r->size[d], inside))
			return false;
		at = at * r->size[d] + (uint64_t)v[array + d];
	}
	if (tx->x.formatted)
		v[array] *= texel;
	if (v[array] % unit)
		return fault_in(a->e, FAULT_MISALIGNED, a->c, a->w, a->insn, l,
				"byte %lld of the surface '%s' is not aligned to %u", (long long)v[array], r->name,
				unit);
	v[array] /= unit;
	if (!bring_inside(a, l, &v[array], width / unit, inside))
		return false;
	if (width < unit)
		*inside = false; /* clamped, and no place is large enough */
	*out = at * texel_pitch(r) + (uint64_t)v[array] * unit;
	return true;
}

static uint64_t data(const struct access *a, unsigned n, unsigned l, bool wide)
{
	const uint32_t *v = texture_operand(a->e, a->w, a->tx->data[n]);

	return wide ? texture_handle(v, l) : v[l];
}

static void load(const struct access *a, unsigned l, const unsigned char *p)
{
	unsigned bytes = type_info[a->tx->x.type].bits / 8u;

	for (unsigned n = 0; n < a->tx->x.elements; n++) {
		uint32_t *d = a->w->reg + a->tx->dst[n];
		uint64_t v = 0;

		if (p)
			memcpy(&v, p + n * bytes, bytes);
		d[l] = (uint32_t)v;
		if (bytes == 8)
			d[l + WARP_LANES] = (uint32_t)(v >> 32);
	}
}

static void store(const struct access *a, unsigned l, unsigned char *p)
{
	unsigned bytes = type_info[a->tx->x.type].bits / 8u;

	for (unsigned n = 0; n < a->tx->x.elements; n++) {
		uint64_t v = data(a, n, l, bytes == 8);

		memcpy(p + n * bytes, &v, bytes);
	}
}

/* A register of 32 bits as a channel: clamped, or rounded to f16. */
static uint32_t convert(enum scalar_type t, uint32_t v)
{
	unsigned bits = type_info[t].bits;
	int32_t s = (int32_t)v, high = bits < 32 ? (1 << (bits - 1)) - 1 : INT32_MAX;

	if (t == TY_F16)
		return f16_of_f32(f32_of(v));
	if (bits == 32)
		return v;
	if (type_info[t].kind == 's') {
		s = s > high ? high : s;
		return (uint32_t)(s < -high - 1 ? -high - 1 : s);
	}
	return v >> bits ? (1u << bits) - 1 : v;
}

static void store_formatted(const struct access *a, unsigned l, unsigned char *p)
{
	const struct resource *r = &a->b->r;
	unsigned bytes = type_info[r->type].bits / 8u;

	for (unsigned n = 0; n < a->tx->x.elements && n < r->channels; n++) {
		uint32_t v = convert(r->type, (uint32_t)data(a, n, l, false));

		memcpy(p + n * bytes, &v, bytes);
	}
}

static uint64_t combine(enum op_reduce op, bool sign, uint64_t old, uint64_t v)
{
	bool less = sign ? (int64_t)v < (int64_t)old : v < old;

	switch (op) {
	case REDUCE_ADD:
		return old + v;
	case REDUCE_MIN:
		return less ? v : old;
	case REDUCE_MAX:
		return less ? old : v;
	case REDUCE_AND:
		return old & v;
	case REDUCE_OR:
		return old | v;
	}
	return old;
}

static void reduce(const struct access *a, unsigned l, unsigned char *p)
{
	bool wide = type_info[a->tx->x.type].bits == 64;
	bool sign = type_info[a->tx->x.formatted ? a->b->r.type : a->tx->x.type].kind == 's';
	uint64_t v = data(a, 0, l, wide), old = 0;

	memcpy(&old, p, wide ? 8 : 4);
	if (sign && !wide) {
		v = (uint64_t)(int64_t)(int32_t)v;
		old = (uint64_t)(int64_t)(int32_t)old;
	}
	v = combine(a->tx->x.reduce, sign, old, v);
	memcpy(p, &v, wide ? 8 : 4);
}

bool surface_execute(struct engine *e, struct cta *c, struct warp *w, const struct xtexture *tx, uint32_t insn,
		     uint32_t exec)
{
	const uint32_t *handle = texture_operand(e, w, tx->handle);
	struct access a = { .e = e,
			    .c = c,
			    .w = w,
			    .tx = tx,
			    .insn = insn,
			    .bytes = tx->x.elements * (type_info[tx->x.type].bits / 8u) };
	uint64_t touched[WARP_LANES], at[WARP_LANES];
	const struct bound *bound[WARP_LANES];
	uint32_t places = 0;
	unsigned n = 0;

	EACH_ACTIVE(l, exec)
	{
		bool inside;

		a.b = bound[l] = resource_find(e->dev, texture_handle(handle, l));
		if (!a.b || a.b->r.reference != REFERENCE_SURFACE)
			return texture_missing(e, c, w, insn, l, texture_handle(handle, l), "surface");
		if (!shape_fits(&tx->x, &a.b->r))
			return fault_in(e, FAULT_RESOURCE, c, w, insn, l, "the surface '%s' has another shape",
					a.b->r.name);
		if (tx->x.formatted && tx->x.kind == SURFACE_REDUCE &&
		    (a.b->r.type == TY_F32 || type_info[a.b->r.type].bits != 32 || a.b->r.channels != 1))
			return fault_in(e, FAULT_RESOURCE, c, w, insn, l,
					"the surface '%s' has no integers of 32 bits, one a texel", a.b->r.name);
		if (!a.b->texels)
			return texture_freed(e, c, w, insn, l, a.b);
		if (!locate(&a, l, &at[l], &inside))
			return false;
		if (!inside)
			continue;
		places |= 1u << l;
		touched[n++] = a.b->r.data + at[l];
	}
	EACH_ACTIVE(l, exec)
	{
		bool inside = places >> l & 1;
		unsigned char *p = inside ? bound[l]->texels + at[l] : NULL;

		a.b = bound[l];
		if (tx->x.kind == SURFACE_LOAD)
			load(&a, l, p);
		else if (!inside)
			continue;
		else if (tx->x.kind == SURFACE_REDUCE)
			reduce(&a, l, p);
		else if (tx->x.formatted)
			store_formatted(&a, l, p);
		else
			store(&a, l, p);
	}
	if (e->recording && n)
		e->nline = coalesce_pieces(touched, n, 1, e->line); /* an access lies in one sector */
	return true;
}
