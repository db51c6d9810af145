/* The memory of a launch file's buffers on a device: where it is, and what is in it at first. */
#include "analyzer/base/sha256.h"
#include "analyzer/ir/texture.h"
#include "runtime-model/launch/launch.h"
#include "runtime-model/launch/zipped.h"
#include "runtime-model/launch/path.h"

#include <string.h>

static uint64_t bytes_of(const struct buffer_spec *b) { return b->count * (type_info[b->type].bits / 8); }

/* ---- variables of the module ---- */
/* Which symbol of m the buffer is. */
static bool find_variable(const struct buffer_spec *b, const struct module *m, uint32_t *sym, struct diag *d)
{
	const struct symbol *s;

	for (*sym = 0; *sym < m->nsym; ++*sym) {
		s = &m->sym[*sym];
		if ((s->space == SP_GLOBAL || s->space == SP_CONST) && !s->external &&
		    strcmp(s->name, b->variable) == 0)
			break;
	}
	if (*sym == m->nsym)
		return diag_error(d, b->at, "the module has no variable %s", b->variable);
	return m->sym[*sym].size == bytes_of(b) ||
	       diag_error(d, b->at, "variable %s has %llu bytes, the buffer %llu", b->variable,
			  (unsigned long long)m->sym[*sym].size, (unsigned long long)bytes_of(b));
}

bool launch_load(struct launch_file *f, const struct module *m, struct device *dev, struct arena *a, struct diag *d)
{
	struct placed *placed = new_array(a, struct placed, f->nbuffer + 1u);
	uint32_t n = 0;

	f->loaded = m;
	for (unsigned i = 0; i < f->nbuffer; i++) {
		const struct buffer_spec *b = &f->buffer[i];
		uint32_t sym;

		if (!b->variable)
			continue;
		if (!find_variable(b, m, &sym, d))
			return false;
		if (b->place)
			placed[n++] = (struct placed){ .sym = sym, .addr = b->place };
	}
	return device_load_at(dev, m, placed, n);
}

/* The address and bytes of a buffer that is a variable. */
static void *variable_bytes(struct buffer_spec *b, const struct module *m, struct device *dev, struct diag *d)
{
	uint32_t sym;

	if (!m || !find_variable(b, m, &sym, d))
		return NULL;
	b->address = m->sym[sym].space == SP_CONST ? device_constant(dev, m, sym) : device_variable(dev, m, sym);
	return device_variable_bytes(dev, m, sym);
}

/* ---- buffers ---- */
static bool place_buffer(struct buffer_spec *b, struct device *dev, struct diag *d)
{
	const uint64_t bytes = bytes_of(b);

	if (b->place) {
		b->address = b->place;
		return device_alloc_at(dev, b->name, b->place, bytes);
	}
	b->address = device_alloc(dev, b->name, bytes);
	return b->address || diag_error(d, b->at, "buffer %s of %llu bytes does not fit into device memory", b->name,
					(unsigned long long)bytes);
}

/* Those that have addresses are placed before others could take these. */
static bool place_buffers(struct launch_file *f, struct device *dev, struct diag *d)
{
	for (unsigned chosen = 0; chosen < 2; chosen++)
		for (unsigned i = 0; i < f->nbuffer; i++)
			if (!f->buffer[i].variable && !f->buffer[i].place == (chosen != 0) &&
			    !place_buffer(&f->buffer[i], dev, d))
				return false;
	return true;
}

static struct zipped *open_memory(const struct launch_file *f, struct arena *a, struct diag *d)
{
	const char *path = path_resolve(f->memory, f->path, a);
	uint64_t total = 0, want = 0;
	struct zipped *p = zipped_open(path, f->memory_at, &total, a, d);

	for (unsigned i = 0; i < f->nbuffer; i++)
		want += f->buffer[i].fill == FILL_MEMORY ? bytes_of(&f->buffer[i]) : 0;
	if (!p || total == want)
		return p;
	diag_error(d, f->memory_at, "%s holds %llu bytes, the buffers with fill: memory %llu", path,
		   (unsigned long long)total, (unsigned long long)want);
	zipped_drop(p);
	return NULL;
}

static bool fill_buffer(const struct launch_file *f, struct buffer_spec *b, struct zipped *memory, struct device *dev,
			struct arena *a, struct diag *d)
{
	void *host = b->variable ? variable_bytes(b, f->loaded, dev, d) : device_ptr(dev, b->address, bytes_of(b));

	if (!host)
		return false;
	if (b->variable)
		memset(host, 0, bytes_of(b));
	if (b->fill == FILL_NONE)
		device_unwritten(dev, b->address, bytes_of(b));
	if (b->fill == FILL_MEMORY)
		return zipped_take(memory, host, bytes_of(b));
	return b->fill == FILL_ZERO || b->fill == FILL_NONE || launch_fill(b, f->path, host, f->stop, a, d);
}

bool launch_fill_buffers(struct launch_file *f, struct device *dev, struct arena *a, struct diag *d)
{
	struct zipped *memory = f->memory ? open_memory(f, a, d) : NULL;
	bool ok = memory || !f->memory;

	for (unsigned i = 0; i < f->nbuffer && ok; i++)
		ok = fill_buffer(f, &f->buffer[i], memory, dev, a, d);
	if (memory && ok)
		return zipped_close(memory);
	zipped_drop(memory);
	return ok;
}

static bool bind_resources(struct launch_file *f, struct device *dev, struct diag *d)
{
	for (unsigned i = 0; i < f->nresource; i++) {
		struct resource_spec *r = &f->resource[i];

		if (r->r.reference != REFERENCE_SAMPLER)
			r->r.data = f->buffer[r->buffer].address + r->offset;
		r->handle = r->place ? device_resource_at(dev, &r->r, r->place) : device_resource(dev, &r->r);
		if (!r->handle)
			return diag_error(d, r->at, "%s does not fit its buffer", r->r.name);
	}
	return true;
}

bool launch_prepare(struct launch_file *f, struct device *dev, struct arena *a, struct diag *d)
{
	if (f->grid_barrier && device_grid_barrier(dev, f->grid_barrier) != f->grid_barrier)
		return false;
	return place_buffers(f, dev, d) && launch_fill_buffers(f, dev, a, d) && bind_resources(f, dev, d);
}

/* ---- what else was saved ---- */
const void *launch_read_zipped(const struct launch_file *f, const char *file, struct loc at, uint64_t *n,
			       struct arena *a, struct diag *d)
{
	enum { MOST = 1 << 30 };
	const char *path = path_resolve(file, f->path, a);
	struct zipped *p = zipped_open(path, at, n, a, d);
	void *bytes;

	if (!p)
		return NULL;
	if (*n > MOST) {
		diag_error(d, at, "%s holds %llu bytes, which is too much", path, (unsigned long long)*n);
		zipped_drop(p);
		return NULL;
	}
	bytes = arena_alloc(a, *n + 1, 8);
	if (zipped_take(p, bytes, *n))
		return zipped_close(p) ? bytes : NULL;
	zipped_drop(p);
	return NULL;
}

bool launch_object_fits(const struct launch_file *f, const void *bytes, size_t n, const char *name, struct diag *d)
{
	char sum[SHA256_HEX];

	if (!f->object_sha256)
		return true;
	sha256_of(bytes, n, sum);
	return strcmp(sum, f->object_sha256) == 0 ||
	       diag_error(d, f->object_at, "%s is not the file that this launch was saved with, or it is damaged",
			  name);
}
