/* Expectations: buffers against files or other buffers. */
#include "analyzer/base/outfile.h"
#include "runtime-model/launch/launch.h"
#include "runtime-model/launch/path.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double load_float(const void *p, uint64_t i, enum scalar_type t)
{
	double g;
	float f;

	if (t == TY_F64) {
		memcpy(&g, (const char *)p + i * 8, 8);
		return g;
	}
	memcpy(&f, (const char *)p + i * 4, 4);
	return f;
}

const char *launch_element(struct arena *a, const void *p, uint64_t i, enum scalar_type t)
{
	unsigned bits = type_info[t].bits;
	uint64_t v = 0;

	if (type_info[t].kind == 'f')
		return arena_printf(a, "%.*g", t == TY_F64 ? 17 : 9, load_float(p, i, t));
	memcpy(&v, (const char *)p + i * (bits / 8), bits / 8);
	if (type_info[t].kind == 'b')
		return arena_printf(a, "0x%0*llx", (int)bits / 4, (unsigned long long)v);
	if (type_info[t].kind == 's')
		return arena_printf(a, "%lld", (long long)(int64_t)(v << (64 - bits)) >> (64 - bits));
	return arena_printf(a, "%llu", (unsigned long long)v);
}

static bool same_float(double got, double want, const struct expect_spec *e)
{
	if (isnan(got) || isnan(want))
		return isnan(got) && isnan(want);
	if (got == want)
		return true;
	return isfinite(got) && isfinite(want) && fabs(got - want) <= e->abs + e->rel * fabs(want);
}

/* False: `stop` was raised. */
static bool compare(const struct expect_spec *e, const struct buffer_spec *b, const void *got, const void *want,
		    stop_flag stop, struct expect_result *r, struct arena *a)
{
	unsigned bytes = type_info[b->type].bits / 8;
	bool is_float = type_info[b->type].kind == 'f';

	for (uint64_t i = 0; i < b->count; i++) {
		bool same;

		if (i % LAUNCH_PART == 0 && stop_asked(stop))
			return false;
		if (is_float) {
			double x = load_float(got, i, b->type), y = load_float(want, i, b->type);

			same = same_float(x, y, e);
			if (isfinite(x) && isfinite(y) && fabs(x - y) > r->largest)
				r->largest = fmin(fabs(x - y), DBL_MAX);
		} else {
			same = memcmp((const char *)got + i * bytes, (const char *)want + i * bytes, bytes) == 0;
		}
		if (same)
			continue;
		if (r->mismatches++ < LAUNCH_SHOWN) {
			r->shown[r->nshown].index = i;
			r->shown[r->nshown].got = launch_element(a, got, i, b->type);
			r->shown[r->nshown++].expected = launch_element(a, want, i, b->type);
		}
	}
	r->pass = r->mismatches <= r->allowed;
	return true;
}

enum check launch_check(const struct launch_file *f, struct device *dev, struct expect_result *res, struct arena *a,
			struct diag *d)
{
	enum check verdict = f->nexpect ? CHECK_PASS : CHECK_NONE;

	for (unsigned i = 0; i < f->nexpect; i++) {
		const struct expect_spec *e = &f->expect[i];
		const struct buffer_spec *b = &f->buffer[e->buffer];
		unsigned bytes = type_info[b->type].bits / 8;
		const void *got = device_ptr(dev, b->address, b->count * bytes);
		const void *want = e->file ? path_read_elements(e->file, f->path, b->count, bytes, e->at, a, d)
					   : device_ptr(dev, f->buffer[e->other].address, b->count * bytes);

		if (!want)
			return CHECK_ERROR;
		res[i] = (struct expect_result){ .buffer = b->name,
						 .against = e->file ? e->file : f->buffer[e->other].name,
						 .count = b->count,
						 .allowed = (uint64_t)(e->allow_mismatch * (double)b->count) };
		if (!compare(e, b, got, want, f->stop, &res[i], a))
			return CHECK_PARTIAL;
		if (!res[i].pass)
			verdict = CHECK_FAIL;
	}
	return verdict;
}

bool launch_dump(const struct launch_file *f, struct device *dev, const char *buffer, const char *path, struct arena *a,
		 struct diag *d)
{
	for (unsigned i = 0; i < f->nbuffer; i++) {
		const struct buffer_spec *b = &f->buffer[i];
		uint64_t bytes = b->count * (type_info[b->type].bits / 8);
		struct outfile o;

		if (strcmp(b->name, buffer) != 0)
			continue;
		if (!outfile_open(&o, path, a, d))
			return false;
		fwrite(device_ptr(dev, b->address, bytes), 1, bytes, o.f);
		return outfile_commit(&o);
	}
	return diag_error_plain(d, f->path, "there is no buffer '%s' to dump", buffer);
}
