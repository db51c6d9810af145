/* Textures: fetches, gathers and queries.
 *
 * Sampling follows the CUDA C++ Programming Guide, appendix Texture Fetching: a fetch without filtering takes the texel
 * at the floor of the coordinate, linear filtering weighs the two texels around it in each dimension, with weights of 8
 * fractional bits. What the guide leaves open (docs/NUMERICS.md#textures-and-surfaces): weights are rounded to nearest,
 * the weighted sum is exact in double precision and rounded once, over two levels of detail too; address modes work on
 * the texels' indices.
 *
 * Lanes with the same handles are sampled by one loop. The most common forms of it are compiled apart (sample_lanes()),
 * the rest takes what it is from struct fetch_form at run time. */
#include "runtime-model/engine/native.h"
#include "runtime-model/engine/texture.h"

#include "runtime-model/engine/decoder.h"
#include "runtime-model/engine/lane.h"
#include "runtime-model/engine/lane_half.h"

#include <math.h>
#include <string.h>

/* The sampler of a handle: 0 is the texture's own, a variable may hold one. */
static bool find_sampler(struct engine *e, uint64_t handle, const struct resource *r, struct sampler *out)
{
	const struct bound *b = handle ? resource_find(e->dev, handle) : NULL;
	const unsigned char *v = handle && !b ? device_ptr(e->dev, handle, REFERENCE_BYTES) : NULL;

	if (!handle) {
		*out = r->sampler;
		return true;
	}
	if (b) {
		*out = b->r.sampler;
		return true;
	}
	if (!v || v[MARK_AT] != REFERENCE_MARK)
		return false;
	*out = (struct sampler){ .linear = v[FILTER_AT],
				 .normalized = r && r->sampler.normalized && !v[UNNORMALIZED_AT] };
	for (unsigned a = 0; a < 3; a++)
		out->address[a] = v[ADDRESS_AT + a] < ADDRESS_COUNT ? v[ADDRESS_AT + a] : (uint8_t)ADDRESS_CLAMP;
	return true;
}

/* ---- a fetch ---- */
/* For functions of one lane, which become part of each loop over lanes. */
#define IN_LOOP static inline __attribute__((always_inline))

/* What decides how a lane is sampled. */
struct fetch_form {
	uint8_t dims; /* within a layer */
	uint8_t channels, bits;
	char kind;   /* of channels, as in type_info */
	bool floats; /* channels are floats, or read as such */
	bool filter;
	bool plain; /* coordinates are floats; no array, cube, border, one level; nobody asks for addresses */
};

/* of lanes with the same handles */
struct sample {
	const struct engine *e;
	const struct warp *w;
	const struct xtexture *tx;
	const struct bound *b;
	struct sampler s;            /* as it applies to this instruction */
	const uint32_t *coord[3];    /* operands */
	struct touched *touched;     /* NULL: nobody asks */
	const struct resource *r;    /* b's, or a level of it */
	const unsigned char *texels; /* where its texels are */
	uint64_t pitch;
};

/* of a lane */
struct place {
	double at[3]; /* of a cube, on the face */
	uint64_t layer;
};

/* ---- texels ---- */
IN_LOOP uint32_t channel_raw(struct fetch_form f, const unsigned char *p, unsigned c)
{
	uint32_t v = 0;

	if (f.bits == 8)
		return p[c];
	if (f.bits == 16)
		memcpy(&v, p + c * 2, 2);
	else
		memcpy(&v, p + c * 4, 4);
	return v;
}

IN_LOOP int32_t extend(struct fetch_form f, uint32_t v) { return (int32_t)(v << (32 - f.bits)) >> (32 - f.bits); }

/* Channel c as a value. */
IN_LOOP double channel_float(struct fetch_form f, const unsigned char *p, unsigned c)
{
	uint32_t v = channel_raw(f, p, c);
	double s;

	if (f.kind == 'f')
		return (double)(f.bits == 16 ? f32_of_f16(v) : f32_of(v));
	if (f.kind == 'u')
		return v / (double)((1u << f.bits) - 1);
	s = extend(f, v) / (double)((1u << (f.bits - 1)) - 1);
	return s < -1 ? -1 : s;
}

/* Channel c as a register holds it. */
IN_LOOP uint32_t channel_bits(struct fetch_form f, const unsigned char *p, unsigned c)
{
	uint32_t v = channel_raw(f, p, c);

	float x;

	if (f.floats && f.bits < 32) {
		x = (float)channel_float(f, p, c);
		return bits_f32(x) | (uint32_t)(x != x) << 22; /* NaNs are quiet */
	}
	return f.kind == 's' ? (uint32_t)extend(f, v) : v;
}

/* The same of one that is not there. */
IN_LOOP uint32_t channel_absent(struct fetch_form f, unsigned c)
{
	if (c < 3)
		return 0;
	return f.floats ? bits_f32(1) : 1;
}

/* The same of the texel at p, or of the border, if there is none. */
IN_LOOP uint32_t sampled_bits(const struct sample *s, struct fetch_form f, const unsigned char *p, unsigned c)
{
	if (c >= f.channels)
		return channel_absent(f, c);
	return f.plain || p ? channel_bits(f, p, c) : s->s.border[c];
}

/* ---- coordinates ---- */
/* Floor of a coordinate as an index, not a number is 0; *rest: what is above it. */
IN_LOOP int64_t index_of(double v, double *rest)
{
	static const double far = 0x1p40;

	if (__builtin_expect(fabs(v) < far, 1)) {
		int64_t i = (int64_t)v;

		i -= (double)i > v;
		*rest = v - (double)i;
		return i;
	}
	*rest = isfinite(v) ? v - floor(v) : 0;
	if (v != v)
		return 0;
	return v < 0 ? (int64_t)-far : (int64_t)far;
}

/* A normalized coordinate in texels. */
IN_LOOP double scale(double v, uint32_t n, enum address_mode mode)
{
	double rest = v;
	int64_t whole = mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR ? index_of(v, &rest) : 0;

	return (mode == ADDRESS_MIRROR && whole & 1 ? 1 - rest : rest) * n;
}

static int64_t address_outside(int64_t i, int64_t n, enum address_mode mode)
{
	if (mode == ADDRESS_BORDER)
		return -1;
	if (mode == ADDRESS_WRAP)
		return (i % n + n) % n;
	return i < 0 ? 0 : n - 1;
}

/* The texel of index i of n; -1: the border. */
IN_LOOP int64_t address(int64_t i, int64_t n, enum address_mode mode)
{
	return __builtin_expect(i >= 0 && i < n, 1) ? i : address_outside(i, n, mode);
}

/* In one dimension: the texel that a coordinate is in, or with a filter the two around it. */
struct around {
	int64_t i[2]; /* -1: the border */
	double weight[2];
};

IN_LOOP struct around around(const struct sample *s, struct fetch_form f, unsigned d, double at)
{
	const uint32_t n = s->r->size[d];
	const enum address_mode mode = s->s.address[d];
	struct around a = { .weight = { 1, 0 } };
	double rest, v = s->s.normalized ? scale(at, n, mode) : at;
	int64_t first = index_of(f.filter ? v - 0.5 : v, &rest);

	a.i[0] = address(first, n, mode);
	if (!f.filter)
		return a;
	a.i[1] = address(first + 1, n, mode);
	a.weight[1] = (int32_t)(rest * 256 + 0.5) / 256.0;
	a.weight[0] = 1 - a.weight[1];
	return a;
}

IN_LOOP void around_all(const struct sample *s, struct fetch_form f, const struct place *p, struct around a[3])
{
	a[1] = a[2] = (struct around){ .weight = { 1, 0 } };
	a[0] = around(s, f, 0, p->at[0]);
	if (f.dims > 1)
		a[1] = around(s, f, 1, p->at[1]);
	if (f.dims > 2)
		a[2] = around(s, f, 2, p->at[2]);
}

/* The number of a row of texels; -1: the border. */
IN_LOOP int64_t row_of(const struct sample *s, struct fetch_form f, uint64_t layer, int64_t y, int64_t z)
{
	if (!f.plain && (y | z) < 0)
		return -1;
	if (f.dims > 2)
		layer = layer * s->r->size[2] + (uint64_t)z;
	return (int64_t)(f.dims > 1 ? layer * s->r->size[1] + (uint64_t)y : layer);
}

/* Where the texel is; NULL: the border. */
IN_LOOP const unsigned char *texel(const struct sample *s, struct fetch_form f, int64_t row, int64_t x)
{
	uint64_t at = (uint64_t)row * s->pitch + (uint64_t)x * (f.channels * f.bits / 8u);

	if (f.plain)
		return s->texels + at;
	if ((row | x) < 0)
		return NULL;
	if (s->touched && s->touched->n < WARP_LANES * TEXELS_MAX)
		s->touched->at[s->touched->n++] = s->r->data + at;
	return s->texels + at;
}

/* ---- samples ---- */
IN_LOOP void point(const struct sample *s, struct fetch_form f, const struct place *p, unsigned l,
		   uint32_t out[][WARP_LANES])
{
	struct around a[3];
	const unsigned char *t;

	around_all(s, f, p, a);
	t = texel(s, f, row_of(s, f, p->layer, a[1].i[0], a[2].i[0]), a[0].i[0]);
#pragma GCC unroll 4
	for (unsigned c = 0; c < 4; c++)
		out[c][l] = sampled_bits(s, f, t, c);
}

/* Adds the sample to sum[], `share` times: of the texels around it, or of the one that it is in. */
IN_LOOP void add_sample(const struct sample *s, struct fetch_form f, const struct place *p, double share, double sum[4])
{
	struct around a[3];

	around_all(s, f, p, a);
#pragma GCC unroll 8
	for (unsigned n = 0; n < 8; n++) {
		const unsigned x = n & 1, y = n >> 1 & 1, z = n >> 2;
		const double weight = share * a[0].weight[x] * a[1].weight[y] * a[2].weight[z];
		const unsigned char *t;

		if (n >= (f.filter ? 1u << f.dims : 1))
			break;
		t = texel(s, f, row_of(s, f, p->layer, a[1].i[y], a[2].i[z]), a[0].i[x]);
#pragma GCC unroll 4
		for (unsigned c = 0; c < 4; c++)
			if (c < f.channels && weight > 0)
				sum[c] += weight *
					  (f.plain || t ? channel_float(f, t, c) : (double)f32_of(s->s.border[c]));
	}
}

/* The face of a cube that a direction meets: the axis of the largest part, x before y before z if they are equal, and
 * its sign. */
static unsigned cube_axis(const double v[3])
{
	double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);

	if (x >= y && x >= z)
		return 0;
	return y >= z ? 1 : 2;
}

/* The parts of a vector along the face's own axes. */
static void along_face(const double v[3], unsigned axis, bool minus, double st[2])
{
	const double x = v[0], y = v[1], z = v[2];

	if (axis == 0)
		st[0] = minus ? z : -z;
	else if (axis == 1)
		st[0] = x;
	else
		st[0] = minus ? -x : x;
	if (axis == 1)
		st[1] = minus ? -z : z;
	else
		st[1] = -y;
}

/* The face, and where. */
static unsigned cube_face(const double v[3], double st[2])
{
	unsigned axis = cube_axis(v);
	bool minus = v[axis] < 0;
	double m = fabs(v[axis]);

	along_face(v, axis, minus, st);
	for (unsigned d = 0; d < 2; d++)
		st[d] = (st[d] / m + 1) / 2;
	return axis * 2 + minus;
}

/* How fast the place on the face changes, of a direction that changes by dv[]. */
static void cube_gradient(const double v[3], const double dv[3], double st[2])
{
	unsigned axis = cube_axis(v);
	bool minus = v[axis] < 0;
	double m = fabs(v[axis]), dm = minus ? -dv[axis] : dv[axis], at[2];

	along_face(v, axis, minus, at);
	along_face(dv, axis, minus, st);
	for (unsigned d = 0; d < 2; d++)
		st[d] = (st[d] * m - at[d] * dm) / (m * m) / 2;
}

/* ---- instructions ---- */
bool texture_missing(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned l,
		     uint64_t handle, const char *what)
{
	return fault_in(e, FAULT_RESOURCE, c, w, insn, l, "0x%llx is the handle of no %s of this launch",
			(unsigned long long)handle, what);
}

bool texture_freed(struct engine *e, const struct cta *c, const struct warp *w, uint32_t insn, unsigned l,
		   const struct bound *b)
{
	return fault_in(e, FAULT_FREED, c, w, insn, l, "the memory of '%s' has been freed", b->r.name);
}

/* Machine code reads a texture of one dimension with a second coordinate, which does not count. */
static bool shape_fits(const struct engine *e, const struct texture *x, const struct resource *r)
{
	if (e->k->native && x->dims == 2 && r->dims == 1 && !x->array && !r->array)
		return true;
	return x->cube == r->cube && x->array == r->array && (x->cube || x->dims == r->dims);
}

IN_LOOP double number(bool floats, const uint32_t *operand, unsigned l)
{
	return floats ? (double)f32_of(operand[l]) : (double)(int32_t)operand[l];
}

static double data(const struct sample *s, unsigned n, unsigned l)
{
	return number(s->tx->x.floats, texture_operand(s->e, s->w, s->tx->data[n]), l);
}

/* The address modes that apply, and whether coordinates are normalized. */
static void settle(struct sample *s)
{
	const struct texture *x = &s->tx->x;

	s->s.normalized = x->floats && (s->s.normalized || x->cube);
	for (unsigned d = 0; d < s->b->r.dims; d++) {
		uint8_t *mode = &s->s.address[d];

		if (!x->floats && x->dims == 1 && !x->array) {
			*mode = ADDRESS_BORDER;
			memset(s->s.border, 0, sizeof s->s.border);
		} else if (x->cube || *mode == ADDRESS_CLAMP_OGL ||
			   (!s->s.normalized && (*mode == ADDRESS_WRAP || *mode == ADDRESS_MIRROR))) {
			*mode = ADDRESS_CLAMP;
		}
	}
}

static void at_level(struct sample *s, unsigned level)
{
	s->r = s->b->level ? &s->b->level[level] : &s->b->r;
	s->texels = s->b->texels + (s->r->data - s->b->r.data);
	s->pitch = texel_pitch(s->r);
}

/* The lane's coordinates and its layer. */
IN_LOOP struct place place(const struct sample *s, struct fetch_form f, unsigned l)
{
	const struct texture *x = &s->tx->x;
	struct place p = { .layer = 0 };

	for (unsigned d = 0; d < (f.plain ? f.dims : x->dims); d++)
		p.at[d] = number(f.plain || x->floats, s->coord[d], l);
	if (!f.plain && x->array) {
		uint32_t n = texture_operand(s->e, s->w, s->tx->coord[0])[l];

		p.layer = n < s->r->layers ? n : s->r->layers - 1;
	}
	if (!f.plain && x->cube)
		p.layer = p.layer * 6 + cube_face(p.at, p.at);
	return p;
}

/* ---- levels of detail ---- */
/* The logarithm of how many texels of level 0 lie between neighbours, the larger of both directions. */
static double of_gradients(const struct sample *s, unsigned l)
{
	const struct texture *x = &s->tx->x;
	const struct resource *r = &s->b->r;
	double most = 0, v[3] = { 0 };

	for (unsigned d = 0; d < x->dims; d++)
		v[d] = number(x->floats, s->coord[d], l);
	for (unsigned way = 0; way < 2; way++) {
		double g[3] = { 0 }, sum = 0;

		for (unsigned d = 0; d < x->dims; d++)
			g[d] = data(s, way * x->dims + d, l);
		if (x->cube)
			cube_gradient(v, g, g);
		for (unsigned d = 0; d < r->dims; d++)
			sum += g[d] * r->size[d] * (g[d] * r->size[d]);
		most = sum > most ? sum : most;
	}
	return most > 0 ? log2(most) / 2 : -HUGE_VAL;
}

/* Of a texture with several levels: where among them, a multiple of 1 / 256. */
static double detail(const struct sample *s, unsigned l)
{
	double lod = 0, last = texture_levels(&s->b->r) - 1;

	if (s->tx->x.level)
		lod = data(s, 0, l);
	else if (s->tx->x.grad)
		lod = of_gradients(s, l);

	lod = (lod != lod ? 0 : lod) + (double)s->s.bias;
	lod = lod > (double)s->s.high ? (double)s->s.high : lod;
	lod = lod < (double)s->s.low ? (double)s->s.low : lod;
	if (lod > last)
		return last;
	return lod > 0 ? floor(lod * 256 + 0.5) / 256 : 0;
}

/* ---- fetches ---- */
IN_LOOP void lanes_of(struct sample *s, struct fetch_form f, uint32_t lanes, uint32_t out[][WARP_LANES])
{
	EACH_ACTIVE(l, lanes)
	{
		double lod = 0, part = 0, sum[4] = { 0 };
		struct place p;

		if (!f.plain && s->b->level) {
			lod = detail(s, l);
			part = s->tx->x.floats && f.floats && s->s.mip_linear ? lod - floor(lod) : 0;
			at_level(s, (unsigned)(part > 0 ? lod : floor(lod + 0.5)));
		}
		p = place(s, f, l);
		if (!f.filter && part == 0) {
			point(s, f, &p, l, out);
			continue;
		}
		add_sample(s, f, &p, 1 - part, sum);
		if (part > 0) {
			at_level(s, (unsigned)lod + 1);
			p = place(s, f, l);
			add_sample(s, f, &p, part, sum);
		}
#pragma GCC unroll 4
		for (unsigned c = 0; c < 4; c++)
			out[c][l] = c < f.channels ? canonical_f32((float)sum[c]) : channel_absent(f, c);
	}
}

/* The same if it is a plain form of two dimensions with this, which the compiler knows, as it does of one channel. */
IN_LOOP bool lanes_if(struct sample *s, struct fetch_form f, char kind, uint8_t bits, bool floats, bool filter,
		      uint32_t lanes, uint32_t out[][WARP_LANES])
{
	struct fetch_form g = { 2, f.channels, bits, kind, floats, filter, true };

	if (memcmp(&f, &g, sizeof f) != 0)
		return false;
	if (f.channels == 1) {
		g.channels = 1;
		lanes_of(s, g, lanes, out);
	} else {
		lanes_of(s, g, lanes, out);
	}
	return true;
}

static void sample_lanes(struct sample *s, struct fetch_form f, uint32_t lanes, uint32_t out[][WARP_LANES])
{
	if (!lanes_if(s, f, 'f', 32, true, false, lanes, out) && !lanes_if(s, f, 'f', 32, true, true, lanes, out) &&
	    !lanes_if(s, f, 'u', 8, false, false, lanes, out) && !lanes_if(s, f, 'u', 8, true, false, lanes, out) &&
	    !lanes_if(s, f, 'u', 8, true, true, lanes, out))
		lanes_of(s, f, lanes, out);
}

/* One channel of the four texels that linear filtering would take: from the lower left against the clock, y upwards in
 * index. */
static void gather_lanes(const struct sample *s, struct fetch_form f, uint32_t lanes, uint32_t out[][WARP_LANES])
{
	static const uint8_t dx[4] = { 0, 1, 1, 0 }, dy[4] = { 1, 1, 0, 0 };

	f.filter = true;
	EACH_ACTIVE(l, lanes)
	{
		struct place p = place(s, f, l);
		struct around a[3];

		around_all(s, f, &p, a);
		for (unsigned n = 0; n < 4; n++) {
			int64_t row = row_of(s, f, p.layer, a[1].i[dy[n]], 0);

			out[n][l] = sampled_bits(s, f, texel(s, f, row, a[0].i[dx[n]]), s->tx->x.component);
		}
	}
}

static struct fetch_form form_of(const struct sample *s)
{
	const struct texture *x = &s->tx->x;
	const struct resource *r = &s->b->r;
	struct fetch_form f = { .dims = r->dims,
				.channels = r->channels,
				.bits = type_info[r->type].bits,
				.kind = type_info[r->type].kind,
				.plain = x->floats && !x->array && !x->cube && !s->b->level && !s->touched };

	for (unsigned d = 0; d < r->dims; d++)
		f.plain = f.plain && s->s.address[d] != ADDRESS_BORDER;
	f.floats = r->as_float || f.kind == 'f';
	f.filter = x->floats && f.floats && s->s.linear;
	return f;
}

static bool find_sample(struct engine *e, struct cta *c, struct warp *w, uint32_t insn, unsigned l, struct sample *s)
{
	const uint64_t handle = texture_handle(texture_operand(e, w, s->tx->handle), l),
		       sampler = texture_handle(texture_operand(e, w, s->tx->sampler), l);

	s->b = resource_find(e->dev, handle);
	if (!s->b || s->b->r.reference != REFERENCE_TEXTURE)
		return texture_missing(e, c, w, insn, l, handle, "texture");
	if (!find_sampler(e, sampler, &s->b->r, &s->s))
		return texture_missing(e, c, w, insn, l, sampler, "sampler");
	if (!shape_fits(e, &s->tx->x, &s->b->r))
		return fault_in(e, FAULT_RESOURCE, c, w, insn, l, "the texture '%s' has another shape", s->b->r.name);
	if (!s->b->texels)
		return texture_freed(e, c, w, insn, l, s->b);
	settle(s);
	at_level(s, 0);
	return true;
}

/* The first of `exec`, and those that follow it with the same handles. */
static uint32_t alike(const struct sample *s, uint32_t exec)
{
	const uint32_t *v = texture_operand(s->e, s->w, s->tx->handle),
		       *u = texture_operand(s->e, s->w, s->tx->sampler);
	const unsigned first = (unsigned)__builtin_ctz(exec);
	uint32_t same = 0, differ = 0;

	for (unsigned l = 0; l < WARP_LANES; l++) /* most often, no lane differs */
		differ |= (v[l] ^ v[first]) | (v[l + WARP_LANES] ^ v[first + WARP_LANES]) | (u[l] ^ u[first]) |
			  (u[l + WARP_LANES] ^ u[first + WARP_LANES]);
	if (!differ)
		return exec;
	EACH_ACTIVE(l, exec)
	{
		if (texture_handle(v, l) != texture_handle(v, first) ||
		    texture_handle(u, l) != texture_handle(u, first))
			break;
		same |= 1u << l;
	}
	return same;
}

static bool fetch(struct engine *e, struct cta *c, struct warp *w, const struct xtexture *tx, uint32_t insn,
		  uint32_t exec)
{
	struct touched t;
	struct sample s = { .e = e, .w = w, .tx = tx };
	uint32_t out[4][WARP_LANES];

	t.n = 0;
	s.touched = e->recording ? &t : NULL;
	for (unsigned d = 0; d < tx->x.dims; d++)
		s.coord[d] = texture_operand(e, w, tx->coord[d + tx->x.array]);
	for (uint32_t left = exec, lanes; left; left &= ~lanes) {
		lanes = alike(&s, left);
		if (!find_sample(e, c, w, insn, (unsigned)__builtin_ctz(left), &s))
			return false;
		if (tx->x.kind == TEXTURE_GATHER)
			gather_lanes(&s, form_of(&s), lanes, out);
		else
			sample_lanes(&s, form_of(&s), lanes, out);
	}
	for (unsigned n = 0; n < 4; n++) {
		if (exec == UINT32_MAX) {
			memcpy(w->reg + tx->dst[n], out[n], sizeof out[n]);
			continue;
		}
		EACH_ACTIVE(l, exec)
		w->reg[tx->dst[n] + l] = out[n][l];
	}
	if (t.n)
		e->nline = coalesce_pieces(t.at, t.n, 1, e->line); /* a texel lies in one sector */
	return true;
}

/* ---- queries ---- */
/* Data types and orders of channels have OpenCL's numbers. */
static uint32_t data_type(const struct resource *r)
{
	switch ((unsigned)r->type) {
	case TY_S8:
		return r->as_float ? 0x10d0 : 0x10d7;
	case TY_S16:
		return r->as_float ? 0x10d1 : 0x10d8;
	case TY_S32:
		return 0x10d9;
	case TY_U8:
		return r->as_float ? 0x10d2 : 0x10da;
	case TY_U16:
		return r->as_float ? 0x10d3 : 0x10db;
	case TY_U32:
		return 0x10dc;
	case TY_F16:
		return 0x10dd;
	default:
		return 0x10de;
	}
}

static uint32_t answer(const struct resource *r, const struct sampler *s, enum resource_query q)
{
	switch (q) {
	case QUERY_WIDTH:
		return r->size[0];
	case QUERY_HEIGHT:
		return r->dims > 1 ? r->size[1] : 0;
	case QUERY_DEPTH:
		return r->dims > 2 ? r->size[2] : 0;
	case QUERY_ARRAY_SIZE:
		return r->array ? r->layers : 0;
	case QUERY_LEVELS:
		return texture_levels(r);
	case QUERY_SAMPLES:
		return 1;
	case QUERY_DATA_TYPE:
		return data_type(r);
	case QUERY_ORDER:
		if (r->channels == 1)
			return 0x10b0;
		return r->channels == 2 ? 0x10b2 : 0x10b5;
	case QUERY_NORMALIZED:
		return s->normalized;
	case QUERY_FILTER:
		return s->linear;
	case QUERY_ADDRESS_0:
	case QUERY_ADDRESS_1:
	case QUERY_ADDRESS_2:
		return s->address[q - QUERY_ADDRESS_0];
	case QUERY_FORCE_UNNORMALIZED:
		return !s->normalized;
	case QUERY_LAYOUT:
		return 0; /* linear */
	}
	return 0;
}

/* Of txq.level: the last one, if it is beyond. */
static unsigned level_asked(const struct engine *e, const struct warp *w, const struct xtexture *tx, unsigned l,
			    const struct resource *r)
{
	uint32_t n = texture_operand(e, w, tx->data[0])[l];

	return n < texture_levels(r) ? n : texture_levels(r) - 1;
}

static bool query(struct engine *e, struct cta *c, struct warp *w, const struct xtexture *tx, uint32_t insn,
		  uint32_t exec)
{
	const uint32_t *handle = texture_operand(e, w, tx->handle);
	enum reference want = tx->x.kind == TEXTURE_QUERY ? REFERENCE_TEXTURE : REFERENCE_SURFACE;
	uint32_t out[WARP_LANES];

	EACH_ACTIVE(l, exec)
	{
		const struct bound *b = resource_find(e->dev, texture_handle(handle, l));
		const struct resource *asked;
		bool of_sampler = want == REFERENCE_TEXTURE && tx->x.query >= QUERY_FILTER &&
				  tx->x.query <= QUERY_FORCE_UNNORMALIZED;
		struct sampler s = { 0 };

		/* machine code asks textures and surfaces alike */
		if (b && (b->r.reference == want || (e->k->native && b->r.reference != REFERENCE_SAMPLER)))
			s = b->r.sampler;
		else if (!of_sampler || !find_sampler(e, texture_handle(handle, l), b ? &b->r : NULL, &s))
			return texture_missing(e, c, w, insn, l, texture_handle(handle, l),
					       want == REFERENCE_TEXTURE ? "texture" : "surface");
		if (!b)
			asked = &(struct resource){ 0 };
		else
			asked = tx->x.level && b->level ? &b->level[level_asked(e, w, tx, l, &b->r)] : &b->r;
		out[l] = answer(asked, &s, tx->x.query);
	}
	EACH_ACTIVE(l, exec)
	w->reg[tx->dst[0] + l] = out[l];
	return true;
}

static void test(struct engine *e, struct warp *w, const struct xtexture *tx, uint32_t exec)
{
	const uint32_t *handle = texture_operand(e, w, tx->handle);
	uint32_t yes = 0, *d = w->pred + tx->dst[0];

	EACH_ACTIVE(l, exec)
	{
		const struct bound *b = resource_find(e->dev, texture_handle(handle, l));
		struct sampler s;

		yes |= (uint32_t)(b ? b->r.reference == tx->x.tested
				    : tx->x.tested == REFERENCE_SAMPLER && texture_handle(handle, l) &&
						  find_sampler(e, texture_handle(handle, l), NULL, &s))
		       << l;
	}
	*d = (*d & ~exec) | yes;
}

bool texture_execute(struct engine *e, struct cta *c, struct warp *w, const struct xinsn *x, uint32_t exec)
{
	const struct xtexture *tx = &e->prog.texture[x->target];
	uint32_t insn = insn_of(e, x);

	switch (tx->x.kind) {
	case TEXTURE_FETCH:
	case TEXTURE_GATHER:
		return fetch(e, c, w, tx, insn, exec);
	case TEXTURE_QUERY:
	case SURFACE_QUERY:
		return query(e, c, w, tx, insn, exec);
	case TEXTURE_TEST:
		test(e, w, tx, exec);
		return true;
	case SURFACE_LOAD:
	case SURFACE_STORE:
	case SURFACE_REDUCE:
		return surface_execute(e, c, w, tx, insn, exec);
	case TEXTURE_NONE:
		break;
	}
	return true;
}

bool texture_decode(struct engine *e, struct decoder *dc, const struct insn *i, struct xinsn *x)
{
	const struct ref *src = insn_src(dc->k, i);
	struct xtexture *tx;
	unsigned at = 0;
	bool ok;

	arena_grow(&e->a, e->prog.texture, e->prog.ntexture, e->prog.texture_cap);
	x->kind = X_TEXTURE;
	x->target = e->prog.ntexture;
	tx = &e->prog.texture[e->prog.ntexture++];
	*tx = (struct xtexture){ .outside = (uint8_t)i->offset };
	texture_of(i->op, &tx->x);
	for (unsigned d = 0; d < i->ndst; d++)
		tx->dst[d] = decode_destination(dc, insn_dst(dc->k, i)[d], insn_operand_letter(i, d));
	ok = decode_source(dc, src[at++], 'D', &tx->handle);
	if (ok && texture_has_sampler(&tx->x))
		ok = decode_source(dc, src[at++], 'D', &tx->sampler);
	for (unsigned n = 0; ok && n < tx->x.coords; n++)
		ok = decode_source(dc, src[at++], 'W', &tx->coord[n]);
	for (unsigned n = 0; ok && at < i->nsrc && n < TEXTURE_REST; n++, at++)
		ok = decode_source(dc, src[at], insn_operand_letter(i, i->ndst + at), &tx->data[n]);
	return ok;
}
