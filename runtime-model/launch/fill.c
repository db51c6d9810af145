/* Initial contents of buffers. The formulas are those of docs/LAUNCH.md; integers are exact and wrap at the width of
 * the type, floats are computed in double and rounded once. */
#include "analyzer/base/rng.h"
#include "analyzer/ir/texture.h"
#include "runtime-model/launch/launch.h"
#include "runtime-model/launch/path.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide; /* i * step and high - low of 64-bit types */
__extension__ typedef unsigned __int128 unsigned_wide;

static wide widen(const struct number *n) { return n->neg ? -(wide)n->mag : (wide)n->mag; }

static bool is_float(enum scalar_type t) { return type_info[t].kind == 'f'; }

static void put_int(void *out, uint64_t i, unsigned bytes, uint64_t v) { memcpy((char *)out + i * bytes, &v, bytes); }

static void put_float(void *out, uint64_t i, enum scalar_type t, double v)
{
	float f = (float)v;

	if (t == TY_F64)
		memcpy((char *)out + i * 8, &v, 8);
	else
		memcpy((char *)out + i * 4, &f, 4);
}

/* elements */
struct part {
	uint64_t from, to;
};

static void fill_ramp(const struct buffer_spec *b, void *out, unsigned bytes, struct part p)
{
	wide start = widen(&b->start), step = widen(&b->step), modulo = widen(&b->modulo);

	for (uint64_t i = p.from; i < p.to; i++) {
		if (is_float(b->type)) {
			double v = (double)i * b->step.f;

			put_float(out, i, b->type, b->start.f + (b->modulo.f != 0 ? fmod(v, b->modulo.f) : v));
		} else {
			wide v = (wide)i * step;

			put_int(out, i, bytes, (uint64_t)(start + (modulo ? v % modulo : v)));
		}
	}
}

static void fill_random(const struct buffer_spec *b, void *out, unsigned bytes, struct part p, uint64_t *state)
{
	wide low = widen(&b->low);
	uint64_t range = (uint64_t)(widen(&b->high) - low);

	for (uint64_t i = p.from; i < p.to; i++) {
		if (is_float(b->type))
			put_float(out, i, b->type, b->low.f + rng_unit(state) * (b->high.f - b->low.f));
		else if (range <= UINT32_MAX)
			put_int(out, i, bytes, (uint64_t)(low + rng_below(state, (uint32_t)range)));
		else
			put_int(out, i, bytes,
				(uint64_t)low + (uint64_t)((unsigned_wide)rng_next(state) * range >> 64));
	}
}

static bool fill_file(const struct buffer_spec *b, const char *path, void *out, unsigned bytes, struct arena *a,
		      struct diag *d)
{
	const void *data = path_read_elements(b->file, path, b->count, bytes, b->at, a, d);

	if (data)
		memcpy(out, data, b->count * bytes);
	return data != NULL;
}

static void fill_part(const struct buffer_spec *b, void *out, unsigned bytes, struct part p, uint64_t *state)
{
	switch (b->fill) {
	case FILL_ZERO:
		memset((char *)out + p.from * bytes, 0, (p.to - p.from) * bytes);
		break;
	case FILL_CONSTANT:
		for (uint64_t i = p.from; i < p.to; i++)
			number_store(&b->start, b->type, (char *)out + i * bytes);
		break;
	case FILL_RAMP:
		fill_ramp(b, out, bytes, p);
		break;
	case FILL_RANDOM:
		fill_random(b, out, bytes, p, state);
		break;
	case FILL_FILE:
	case FILL_MEMORY:
	case FILL_NONE:
	case FILL_COUNT:
		break;
	}
}

bool launch_fill(const struct buffer_spec *b, const char *path, void *out, stop_flag stop, struct arena *a,
		 struct diag *d)
{
	unsigned bytes = type_info[b->type].bits / 8;
	uint64_t state = b->seed;

	if (b->fill == FILL_FILE)
		return fill_file(b, path, out, bytes, a, d);
	for (struct part p = { 0 }; p.from < b->count && !stop_asked(stop); p.from = p.to) {
		p.to = b->count - p.from < LAUNCH_PART ? b->count : p.from + LAUNCH_PART;
		fill_part(b, out, bytes, p, &state);
	}
	return true;
}
