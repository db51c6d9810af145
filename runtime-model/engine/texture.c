/* Textures: fetches, gathers and queries.
 *
 * Sampling follows the CUDA C++ Programming Guide, appendix Texture Fetching: a fetch without filtering takes the texel
 * at the floor of the coordinate, linear filtering weighs the two texels around it in each dimension, with weights of 8
 * fractional bits. What the guide leaves open (docs/NUMERICS.md#textures-and-surfaces): weights are rounded to nearest,
 * the weighted sum is exact in double precision and rounded once, over two levels of detail too; address modes work on
 * the texels' indices. */
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

/* ---- texels ---- */
static const float one = 1;

/* Channel c as a value: what is not there is 0, the last one 1. */
static double channel_float(const struct resource *r, const unsigned char *p, unsigned c)
{
	unsigned bits = type_info[r->type].bits;
	uint32_t v = 0;
	double s;

	if (c >= r->channels)
		return c == 3;
	memcpy(&v, p + c * (bits / 8), bits / 8);
	if (r->type == TY_F16)
		return (double)f32_of_f16(v);
	if (r->type == TY_F32)
		return (double)f32_of(v);
	if (type_info[r->type].kind == 'u')
		return v / (double)((1u << bits) - 1);
	s = (int32_t)(v << (32 - bits)) >> (32 - bits);
	return fmax(s / (double)((1u << (bits - 1)) - 1), -1);
}

/* Channel c as a register holds it. */
static uint32_t channel_bits(const struct resource *r, const unsigned char *p, unsigned c)
{
	unsigned bits = type_info[r->type].bits;
	bool floats = r->as_float || r->type == TY_F16 || r->type == TY_F32;
	uint32_t v = 0;

	if (c >= r->channels) {
		if (c < 3)
			return 0;
		return floats ? bits_f32(one) : 1;
	}
	if (r->type == TY_F32)
		memcpy(&v, p + c * 4, 4);
	else if (floats)
		return bits_f32((float)channel_float(r, p, c));
	else
		memcpy(&v, p + c * (bits / 8), bits / 8);
	return type_info[r->type].kind == 's' ? (uint32_t)((int32_t)(v << (32 - bits)) >> (32 - bits)) : v;
}

/* ---- coordinates ---- */
/* one lane's fetch */
struct sample {
	const struct bound *b;
	const struct resource *r;    /* b's, or a level of it */
	const unsigned char *texels; /* where its texels are */
	struct sampler s;
	unsigned dims; /* within a layer */
	double at[3];  /* in texels of r */
	bool texel;    /* `at` are indices: no filter */
	uint64_t layer;
	struct touched *touched;
};

/* Floor of a coordinate as an index; not a number is 0. */
static int64_t index_of(double v)
{
	static const double far = 0x1p40;

	v = floor(v);
	if (v != v)
		return 0;
	if (v < -far)
		return (int64_t)-far;
	return v > far ? (int64_t)far : (int64_t)v;
}

/* A normalized coordinate in texels. */
static double scale(double v, uint32_t n, enum address_mode mode)
{
	double whole = floor(v);

	if (mode == ADDRESS_WRAP)
		v = isfinite(v) ? v - whole : 0;
	else if (mode == ADDRESS_MIRROR) {
		if (!isfinite(v))
			v = 0;
		else
			v = fmod(whole, 2) != 0 ? 1 - (v - whole) : v - whole;
	}
	return v * n;
}

/* The texel of index i of n; -1: the border. */
static int64_t address(int64_t i, int64_t n, enum address_mode mode)
{
	if (i >= 0 && i < n)
		return i;
	if (mode == ADDRESS_BORDER)
		return -1;
	if (mode == ADDRESS_WRAP)
		return (i % n + n) % n;
	return i < 0 ? 0 : n - 1;
}

/* Where the texel of indices i[] is; NULL: the border. */
static const unsigned char *texel(const struct sample *s, const int64_t i[3])
{
	const struct resource *r = s->r;
	uint64_t row = s->layer, at = 0;

	for (unsigned d = s->dims; d--;) {
		int64_t n = address(i[d], r->size[d], s->s.address[d]);

		if (n < 0)
			return NULL;
		if (d)
			row = row * r->size[d] + (uint64_t)n;
		else
			at = row * texel_pitch(r) + (uint64_t)n * texel_bytes(r);
	}
	if (s->touched->n < WARP_LANES * TEXELS_MAX)
		s->touched->at[s->touched->n++] = r->data + at;
	return s->texels + at;
}

static const unsigned char zeros[16];

/* Channel c of the texel at p, or of the border, if there is none. */
static uint32_t sampled_bits(const struct sample *s, const unsigned char *p, unsigned c)
{
	return p || c >= s->b->r.channels ? channel_bits(&s->b->r, p ? p : zeros, c) : s->s.border[c];
}

static double sampled_float(const struct sample *s, const unsigned char *p, unsigned c)
{
	return p || c >= s->b->r.channels ? channel_float(&s->b->r, p ? p : zeros, c) : (double)f32_of(s->s.border[c]);
}

static void point(const struct sample *s, uint32_t out[4])
{
	int64_t i[3] = { 0 };
	const unsigned char *p;

	for (unsigned d = 0; d < s->dims; d++)
		i[d] = index_of(s->at[d]);
	p = texel(s, i);
	for (unsigned c = 0; c < 4; c++)
		out[c] = sampled_bits(s, p, c);
}

/* The two texels around a coordinate begin at *first; the weight of the second. */
static double split(double at, int64_t *first)
{
	double v = at - 0.5, f = v - floor(v);

	*first = index_of(v);
	return isfinite(f) ? floor(f * 256 + 0.5) / 256 : 0;
}

/* Adds the sample to sum[], `share` times: of the texels around it, or of the one that it is in. */
static void add_sample(const struct sample *s, double share, bool filter, double sum[4])
{
	double weight[3] = { 0 };
	int64_t first[3] = { 0 };

	for (unsigned d = 0; d < s->dims; d++) {
		if (filter)
			weight[d] = split(s->at[d], &first[d]);
		else
			first[d] = index_of(s->at[d]);
	}
	for (unsigned corner = 0; corner < (filter ? 1u << s->dims : 1); corner++) {
		int64_t i[3] = { 0 };
		const unsigned char *p;
		double w = share;

		for (unsigned d = 0; d < s->dims; d++) {
			unsigned second = corner >> d & 1;

			i[d] = first[d] + second;
			w *= second ? weight[d] : 1 - weight[d];
		}
		p = texel(s, i);
		for (unsigned c = 0; c < 4 && w != 0; c++)
			sum[c] += w * sampled_float(s, p, c);
	}
}

static void of_sum(const struct sample *s, const double sum[4], uint32_t out[4])
{
	for (unsigned c = 0; c < 4; c++)
		out[c] = c < s->b->r.channels ? canonical_f32((float)sum[c]) : channel_bits(&s->b->r, zeros, c);
}

/* One channel of the four texels that linear filtering would take: from the lower left against the clock, y upwards in
 * index. */
static void gather(const struct sample *s, unsigned component, uint32_t out[4])
{
	static const uint8_t dx[4] = { 0, 1, 1, 0 }, dy[4] = { 1, 1, 0, 0 };
	int64_t first[3] = { 0 };

	for (unsigned d = 0; d < 2; d++)
		split(s->at[d], &first[d]);
	for (unsigned n = 0; n < 4; n++) {
		int64_t i[3] = { first[0] + dx[n], first[1] + dy[n], 0 };
		const unsigned char *p = texel(s, i);

		out[n] = sampled_bits(s, p, component);
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

static double number(const struct engine *e, const struct warp *w, const struct xtexture *tx, int32_t at, unsigned l)
{
	uint32_t bits = texture_operand(e, w, at)[l];

	return tx->x.floats ? (double)f32_of(bits) : (double)(int32_t)bits;
}

/* The lane's coordinates, in texels, and its layer. */
static void place(const struct engine *e, const struct warp *w, const struct xtexture *tx, unsigned l, struct sample *s)
{
	const struct resource *r = s->r;
	double v[3] = { 0 };
	unsigned array = tx->x.array;

	s->layer = 0;
	if (array) {
		uint32_t n = texture_operand(e, w, tx->coord[0])[l];

		s->layer = n < r->layers ? n : r->layers - 1;
	}
	for (unsigned d = 0; d < tx->x.dims; d++)
		v[d] = number(e, w, tx, tx->coord[d + array], l);
	if (tx->x.cube) {
		s->layer = s->layer * 6 + cube_face(v, v);
		s->s.normalized = true;
		s->s.address[0] = s->s.address[1] = ADDRESS_CLAMP;
	}
	s->texel = !tx->x.floats;
	for (unsigned d = 0; d < s->dims; d++) {
		enum address_mode mode = s->s.address[d];
		bool normalized = s->s.normalized && !s->texel;

		if (s->texel && tx->x.dims == 1 && !array) {
			s->s.address[d] = ADDRESS_BORDER;
			memset(s->s.border, 0, sizeof s->s.border);
		} else if (mode == ADDRESS_CLAMP_OGL ||
			   (!normalized && (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR))) {
			s->s.address[d] = ADDRESS_CLAMP;
		}
		s->at[d] = normalized ? scale(v[d], r->size[d], s->s.address[d]) : v[d];
	}
}

/* ---- levels of detail ---- */
static void at_level(const struct engine *e, const struct warp *w, const struct xtexture *tx, unsigned l,
		     unsigned level, struct sample *s)
{
	s->r = s->b->level ? &s->b->level[level] : &s->b->r;
	s->texels = s->b->texels + (s->r->data - s->b->r.data);
	place(e, w, tx, l, s);
}

/* The logarithm of how many texels of level 0 lie between neighbours, the larger of both directions. */
static double of_gradients(const struct engine *e, const struct warp *w, const struct xtexture *tx, unsigned l,
			   const struct resource *r)
{
	double most = 0, v[3] = { 0 };

	for (unsigned d = 0; d < tx->x.dims; d++)
		v[d] = number(e, w, tx, tx->coord[d + tx->x.array], l);
	for (unsigned way = 0; way < 2; way++) {
		double g[3] = { 0 }, sum = 0;

		for (unsigned d = 0; d < tx->x.dims; d++)
			g[d] = number(e, w, tx, tx->data[way * tx->x.dims + d], l);
		if (tx->x.cube)
			cube_gradient(v, g, g);
		for (unsigned d = 0; d < r->dims; d++)
			sum += g[d] * r->size[d] * (g[d] * r->size[d]);
		most = sum > most ? sum : most;
	}
	return most > 0 ? log2(most) / 2 : -HUGE_VAL;
}

/* Of a texture with several levels: where among them, a multiple of 1 / 256. */
static double detail(const struct engine *e, const struct warp *w, const struct xtexture *tx, unsigned l,
		     const struct sample *s)
{
	double lod = 0, last = texture_levels(&s->b->r) - 1;

	if (tx->x.level)
		lod = number(e, w, tx, tx->data[0], l);
	else if (tx->x.grad)
		lod = of_gradients(e, w, tx, l, &s->b->r);

	lod = (lod != lod ? 0 : lod) + (double)s->s.bias;
	lod = lod > (double)s->s.high ? (double)s->s.high : lod;
	lod = lod < (double)s->s.low ? (double)s->s.low : lod;
	if (lod > last)
		return last;
	return lod > 0 ? floor(lod * 256 + 0.5) / 256 : 0;
}

static void take_sample(const struct engine *e, const struct warp *w, const struct xtexture *tx, unsigned l,
			struct sample *s, uint32_t out[4])
{
	const struct resource *r = &s->b->r;
	const bool weighs = tx->x.floats && (r->as_float || r->type == TY_F16 || r->type == TY_F32),
		   filter = weighs && s->s.linear;
	const double lod = s->b->level ? detail(e, w, tx, l, s) : 0,
		     part = weighs && s->s.mip_linear ? lod - floor(lod) : 0;
	double sum[4] = { 0 };

	at_level(e, w, tx, l, (unsigned)(part > 0 ? lod : floor(lod + 0.5)), s);
	if (!filter && part == 0) {
		point(s, out);
		return;
	}
	add_sample(s, 1 - part, filter, sum);
	if (part > 0) {
		at_level(e, w, tx, l, (unsigned)lod + 1, s);
		add_sample(s, part, filter, sum);
	}
	of_sum(s, sum, out);
}

static bool fetch(struct engine *e, struct cta *c, struct warp *w, const struct xtexture *tx, uint32_t insn,
		  uint32_t exec)
{
	const uint32_t *handle = texture_operand(e, w, tx->handle), *sampler = texture_operand(e, w, tx->sampler);
	struct touched t = { .n = 0 };
	uint32_t out[WARP_LANES][4];

	EACH_ACTIVE(l, exec)
	{
		struct sample s = { .b = resource_find(e->dev, texture_handle(handle, l)), .touched = &t };

		if (!s.b || s.b->r.reference != REFERENCE_TEXTURE)
			return texture_missing(e, c, w, insn, l, texture_handle(handle, l), "texture");
		if (!find_sampler(e, texture_handle(sampler, l), &s.b->r, &s.s))
			return texture_missing(e, c, w, insn, l, texture_handle(sampler, l), "sampler");
		if (!shape_fits(e, &tx->x, &s.b->r))
			return fault_in(e, FAULT_RESOURCE, c, w, insn, l, "the texture '%s' has another shape",
					s.b->r.name);
		if (!s.b->texels)
			return texture_freed(e, c, w, insn, l, s.b);
		s.dims = s.b->r.dims;
		if (tx->x.kind == TEXTURE_GATHER) {
			at_level(e, w, tx, l, 0, &s);
			gather(&s, tx->x.component, out[l]);
		} else {
			take_sample(e, w, tx, l, &s, out[l]);
		}
	}
	EACH_ACTIVE(l, exec)
	for (unsigned n = 0; n < 4; n++)
		w->reg[tx->dst[n] + l] = out[l][n];
	if (e->recording && t.n)
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
