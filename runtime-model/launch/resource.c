/* Textures, surfaces and samplers of a launch file. Their texels are the elements of a buffer. */
#include "analyzer/ir/texture.h"
#include "runtime-model/launch/reader.h"

#include <string.h>

enum { SIZE_MAX_TEXELS = 1 << 20, LAYERS_MAX = 1 << 16, LEVELS_MAX = 32 };

struct where {
	const char *list;
	unsigned i;
};

static struct loc at(struct reader *r, struct where w, const char *key)
{
	return yaml_at(&r->marks, r->a, "%s[%u].%s", w.list, w.i, key);
}

/* A number, or `none` if the key is not there. */
static bool get(struct reader *r, struct where w, const char *key, const char *text, uint64_t none, uint64_t min,
		uint64_t max, uint64_t *out)
{
	*out = none;
	return !text || reader_uint(r, text, at(r, w, key), arena_printf(r->a, "'%s'", key), min, max, out);
}

/* One of the words of a list that ends with NULL. */
static bool word(struct reader *r, struct where w, const char *key, const char *text, const char *const *words,
		 unsigned *out)
{
	const char *all = "";

	for (*out = 0; words[*out]; ++*out)
		if (strcmp(words[*out], text) == 0)
			return true;
	for (unsigned i = 0; words[i]; i++) {
		const char *before = words[i + 1] ? ", " : " or ";

		all = arena_printf(r->a, "%s%s%s", all, i ? before : "", words[i]);
	}
	return diag_error(r->d, at(r, w, key), "'%s' is not known here; use %s", text, all);
}

static bool get_float(struct reader *r, struct where w, const char *key, const char *text, float *out)
{
	struct number n;

	if (!text)
		return true;
	if (!number_parse(&n, text))
		return diag_error(r->d, at(r, w, key), "'%s' is not a number", text);
	*out = (float)n.f;
	return true;
}

/* What a launch that was saved has beside the rest: of levels of detail, and the colour of the border. */
static bool read_saved_sampler(struct reader *r, struct where w, const struct raw_resource *raw, struct sampler *s)
{
	static const char *const filter[] = { "point", "linear", NULL };
	unsigned between = 0;

	if (raw->between && !word(r, w, "between", raw->between, filter, &between))
		return false;
	s->mip_linear = between == 1;
	for (uint32_t i = 0; i < raw->nborder; i++) {
		uint64_t v;

		if (!reader_uint(r, raw->border[i], at(r, w, "border"), "a channel of the border", 0, UINT32_MAX, &v))
			return false;
		s->border[i] = (uint32_t)v;
	}
	return get_float(r, w, "bias", raw->bias, &s->bias) && get_float(r, w, "low", raw->low, &s->low) &&
	       get_float(r, w, "high", raw->high, &s->high);
}

static bool read_sampler(struct reader *r, struct where w, const struct raw_resource *raw, struct sampler *s)
{
	static const char *const filter[] = { "point", "linear", NULL }, *const mode[] = { "wrap", "mirror", "clamp",
											   "border", NULL };
	static const uint8_t number[] = { ADDRESS_WRAP, ADDRESS_MIRROR, ADDRESS_CLAMP, ADDRESS_BORDER };
	uint64_t normalized;
	unsigned v = 0, last = 2;

	if (raw->filter && !word(r, w, "filter", raw->filter, filter, &v))
		return false;
	s->linear = v == 1;
	for (unsigned d = 0; d < 3; d++) {
		if (d < raw->naddress && !word(r, w, "address", raw->address[d], mode, &last))
			return false;
		s->address[d] = number[last]; /* the last one is also that of the axes that follow */
	}
	if (!get(r, w, "normalized", raw->normalized, 0, 0, 1, &normalized))
		return false;
	s->normalized = normalized;
	return read_saved_sampler(r, w, raw, s);
}

static bool read_format(struct reader *r, struct where w, const struct raw_resource *raw, struct resource_spec *s)
{
	enum scalar_type own = r->f->buffer[s->buffer].type,
			 t = raw->format ? type_find(raw->format, strlen(raw->format)) : own;
	static const char *const read[] = { "element", "normalized", NULL };
	unsigned how = 0;

	if (t != TY_U8 && t != TY_S8 && t != TY_U16 && t != TY_S16 && t != TY_U32 && t != TY_S32 && t != TY_F16 &&
	    t != TY_F32)
		return diag_error(r->d, raw->format ? at(r, w, "format") : at(r, w, "buffer"),
				  "channels are u8, s8, u16, s16, u32, s32, f16 or f32, not %s",
				  raw->format ? raw->format : type_info[own].text);
	s->r.type = t;
	if (raw->read && !word(r, w, "read", raw->read, read, &how))
		return false;
	s->r.as_float = how == 1;
	if (how == 1 && (type_info[t].kind == 'f' || type_info[t].bits == 32))
		return diag_error(r->d, at(r, w, "read"),
				  "only integers of 8 and 16 bits are read as normalized floats");
	if (s->r.sampler.linear && how == 0 && type_info[t].kind != 'f')
		return diag_error(r->d, at(r, w, "filter"),
				  "linear filtering takes floats, or integers with read: normalized");
	return true;
}

static bool read_shape(struct reader *r, struct where w, const struct raw_resource *raw, struct resource_spec *s)
{
	struct resource *x = &s->r;
	uint64_t size[3], layers, cube, channels, texels, levels;

	if (!get(r, w, "width", raw->width, 1, 1, SIZE_MAX_TEXELS * 128, &size[0]) ||
	    !get(r, w, "height", raw->height, 1, 1, SIZE_MAX_TEXELS, &size[1]) ||
	    !get(r, w, "depth", raw->depth, 1, 1, SIZE_MAX_TEXELS, &size[2]) ||
	    !get(r, w, "layers", raw->layers, 1, 1, LAYERS_MAX, &layers) ||
	    !get(r, w, "cube", raw->cube, 0, 0, 1, &cube) || !get(r, w, "channels", raw->channels, 1, 1, 4, &channels))
		return false;
	if (channels == 3)
		return diag_error(r->d, at(r, w, "channels"), "a texel has 1, 2 or 4 channels");
	if (raw->depth && !raw->height)
		return diag_error(r->d, at(r, w, "depth"), "'depth' needs 'height'");
	if (raw->depth && (raw->layers || cube))
		return diag_error(r->d, at(r, w, "depth"), "arrays and cubes have no 'depth'");
	if (cube && (!raw->height || size[0] != size[1]))
		return diag_error(r->d, at(r, w, "cube"), "the faces of a cube are squares");
	x->dims = raw->height ? 2 : 1;
	if (raw->depth)
		x->dims = 3;
	x->array = raw->layers != NULL;
	x->cube = cube;
	for (unsigned d = 0; d < 3; d++)
		x->size[d] = (uint32_t)size[d];
	x->layers = (uint32_t)layers;
	x->channels = (uint8_t)channels;
	if (!get(r, w, "pitch", raw->pitch, 0, 0, UINT32_MAX, &x->pitch) ||
	    !get(r, w, "levels", raw->levels, 0, 0, LEVELS_MAX, &levels) ||
	    !get(r, w, "offset", raw->offset, 0, 0, UINT64_MAX, &s->offset))
		return false;
	x->levels = (uint8_t)levels;
	texels = r->f->buffer[s->buffer].count * (type_info[r->f->buffer[s->buffer].type].bits / 8) / channels /
		 (type_info[x->type].bits / 8);
	for (unsigned d = 0; d < 3; d++)
		texels /= size[d];
	texels /= layers * (cube ? 6 : 1); /* divided, not multiplied: nothing overflows */
	return texels ? true : diag_error(r->d, at(r, w, "buffer"), "%s is not that large", raw->buffer);
}

static bool read_one(struct reader *r, struct where w, const struct raw_resource *raw, enum reference kind)
{
	struct resource_spec *s = &r->f->resource[r->f->nresource];

	*s = (struct resource_spec){
		.r = { .name = raw->name, .reference = (uint8_t)kind, .size = { 1, 1, 1 }, .layers = 1 },
		.at = at(r, w, "name")
	};
	for (unsigned i = 0; i < r->f->nresource; i++)
		if (strcmp(r->f->resource[i].r.name, raw->name) == 0)
			return diag_error(r->d, s->at, "there are two textures, surfaces or samplers '%s'", raw->name);
	if (!get(r, w, "handle", raw->handle, 0, 1, UINT32_MAX, &s->place) || !read_sampler(r, w, raw, &s->r.sampler) ||
	    (kind != REFERENCE_SAMPLER && (!reader_buffer(r, raw->buffer, at(r, w, "buffer"), &s->buffer) ||
					   !read_format(r, w, raw, s) || !read_shape(r, w, raw, s))))
		return false;
	r->f->nresource++;
	return true;
}

bool resource_read(struct reader *r)
{
	static const char *const list[] = {
		[REFERENCE_TEXTURE] = "textures", [REFERENCE_SAMPLER] = "samplers", [REFERENCE_SURFACE] = "surfaces"
	};
	const struct raw_file *f = r->raw;
	const struct {
		const struct raw_resource *raw;
		uint32_t n;
	} listed[] = { [REFERENCE_TEXTURE] = { f->texture, f->ntexture },
		       [REFERENCE_SAMPLER] = { f->sampler, f->nsampler },
		       [REFERENCE_SURFACE] = { f->surface, f->nsurface } };
	bool ok = true;

	r->f->resource = new_array(r->a, struct resource_spec, f->ntexture + (size_t)f->nsurface + f->nsampler + 1);
	for (unsigned k = REFERENCE_TEXTURE; k <= REFERENCE_SURFACE; k++) {
		uint32_t n = listed[k].n;
		const struct raw_resource *raw = listed[k].raw;

		for (uint32_t i = 0; i < n && !diag_full(r->d); i++)
			ok &= read_one(r, (struct where){ list[k], i }, &raw[i], k);
	}
	return ok;
}

bool resource_argument(struct reader *r, const struct raw_field *raw, const char *path, struct arg_spec *out)
{
	static const char *const keys[] = {
		[REFERENCE_TEXTURE] = "texture", [REFERENCE_SURFACE] = "surface", [REFERENCE_SAMPLER] = "sampler"
	};
	const char *names[] = { [REFERENCE_TEXTURE] = raw->texture,
				[REFERENCE_SURFACE] = raw->surface,
				[REFERENCE_SAMPLER] = raw->sampler };
	enum reference kind = raw->surface ? REFERENCE_SURFACE : REFERENCE_SAMPLER;
	const char *key, *name;

	if (raw->texture)
		kind = REFERENCE_TEXTURE;
	key = keys[kind];
	name = names[kind];
	if ((raw->texture != NULL) + (raw->surface != NULL) + (raw->sampler != NULL) > 1 || raw->buffer || raw->value ||
	    raw->offset || raw->type)
		return diag_error(r->d, out->at, "'%s' stands alone", key);
	for (unsigned i = 0; i < r->f->nresource; i++)
		if (r->f->resource[i].r.reference == kind && strcmp(r->f->resource[i].r.name, name) == 0) {
			out->resource = (int32_t)i + 1;
			return true;
		}
	return diag_error(r->d, yaml_at(&r->marks, r->a, "%s.%s", path, key), "there is no %s '%s'", key, name);
}
