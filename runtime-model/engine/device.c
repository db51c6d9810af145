/* A device: its range of addresses, and modules' variables with their initialisers. */
#include "runtime-model/engine/core.h"
#include "runtime-model/engine/texture.h"

#include <string.h>

static const uint64_t device_max = (uint64_t)64 << 30; /* bytes; more than any machine file describes */

static struct device *make(struct diag *d, uint64_t base, uint64_t limit, uint64_t size)
{
	struct arena a;
	struct device *dev;

	arena_init(&a);
	dev = new(&a, struct device);
	dev->a = a;
	dev->d = d;
	dev->size = size;
	allocations_init(dev, base, limit);
	return dev;
}

struct device *device_new(struct diag *d) { return make(d, DEVICE_START, DEVICE_START + device_max, device_max); }

struct device *device_new_for(const struct module *m, struct diag *d)
{
	const uint64_t end = (uint64_t)1 << 32;

	return m->address_bits == 32 ? make(d, GLOBAL_START, end, end - GLOBAL_START) : device_new(d);
}

struct device *device_new_at(struct diag *d, uint64_t base, uint64_t bytes)
{
	struct device *dev;

	if (base < GLOBAL_START || base % DEVICE_ALIGN || base > ADDRESS_END || bytes > ADDRESS_END - base) {
		diag_error_plain(d, NULL, "%llu bytes from 0x%llx on are no place for a device's memory",
				 (unsigned long long)bytes, (unsigned long long)base);
		return NULL;
	}
	dev = make(d, base, base + bytes, bytes);
	dev->placed = true;
	return dev;
}

void device_set_host(struct device *dev, FILE *print, uint64_t heap_bytes)
{
	dev->print = print;
	dev->heap_bytes = heap_bytes;
}

bool device_set_heap(struct device *dev, uint64_t bytes)
{
	if (dev->heap)
		return false;
	dev->heap_bytes = bytes;
	return true;
}

struct arena device_spare(struct device *dev, unsigned thread)
{
	struct arena a = { 0 };

	if (thread < SPARES) {
		a = dev->spare[thread];
		arena_init(&dev->spare[thread]);
	}
	return a;
}

void device_give_spare(struct device *dev, unsigned thread, struct arena a)
{
	enum { MOST = 64 << 20 };

	if (thread >= SPARES || a.total_bytes > MOST) {
		arena_free(&a);
		return;
	}
	arena_free(&dev->spare[thread]); /* of a launch within this one */
	arena_recycle(&a);
	dev->spare[thread] = a;
}

void device_free(struct device *dev)
{
	struct arena a;

	if (!dev)
		return;
	if (dev->spare_chunks)
		chunk_pool_free(dev->spare_chunks);
	requests_free(dev);
	for (unsigned i = 0; i < SPARES; i++)
		arena_free(&dev->spare[i]);
	allocations_free(dev);
	resources_free(dev);
	for (uint32_t i = 0; i < dev->nmodule; i++) {
		a = dev->module[i]->a;
		arena_free(&a);
	}
	a = dev->a;
	arena_free(&a);
}

void device_set_mufu(struct device *dev, const struct mufu_table *t) { dev->mufu = t; }

/* ---- modules ---- */
const struct loaded *device_loaded(const struct device *dev, const struct module *m)
{
	for (uint32_t i = 0; i < dev->nmodule; i++)
		if (dev->module[i]->m == m)
			return dev->module[i];
	return NULL;
}

uint64_t space_window(enum space s)
{
	if (s == SP_SHARED)
		return SHARED_WINDOW;
	if (s == SP_LOCAL)
		return LOCAL_WINDOW;
	if (s == SP_PARAM)
		return CONST_WINDOW;
	return s == SP_CONST ? CONST_VARS_WINDOW : 0;
}

/* A variable of the text, whichever of its kernels were read. */
static bool of_module(const struct symbol *s)
{
	return (s->space == SP_GLOBAL || s->space == SP_CONST) && s->kernel == UINT32_MAX;
}

/* Where symbol s of the module is kept: host memory of s->size bytes. */
static unsigned char *storage(struct device *dev, const struct loaded *l, uint32_t s)
{
	const struct symbol *sym = &l->m->sym[s];

	return sym->space == SP_GLOBAL ? device_ptr(dev, l->addr[s], sym->size) : l->bank3 + sym->offset;
}

static bool relocate(struct device *dev, const struct loaded *l, uint32_t s)
{
	const struct symbol *sym = &l->m->sym[s];
	unsigned char *at = storage(dev, l, s);

	for (uint32_t i = 0; i < sym->nreloc; i++) {
		const struct symreloc *r = &sym->reloc[i];
		uint64_t v;

		if (r->sym >= l->m->nsym || r->bytes > 8 || r->offset > sym->size || r->bytes > sym->size - r->offset)
			return diag_error_plain(dev->d, sym->name, "initialiser %u is out of range", i);
		if (l->addr[r->sym] == UINT64_MAX)
			return diag_error_plain(dev->d, sym->name,
						"needs the address of %s, which is declared extern and defined nowhere",
						l->m->sym[r->sym].name);
		v = l->addr[r->sym] + (uint64_t)r->addend + (r->generic ? space_window(l->m->sym[r->sym].space) : 0);
		for (unsigned b = 0; b < r->bytes; b++)
			at[r->offset + b] = (unsigned char)(v >> 8 * b);
	}
	return true;
}

static const struct placed *placed_at(const struct placed *p, uint32_t n, uint32_t sym)
{
	for (uint32_t i = 0; i < n; i++)
		if (p[i].sym == sym)
			return &p[i];
	return NULL;
}

/* Gives the .global variables memory, and counts that of the others. */
static bool place_variables(struct device *dev, struct loaded *l, const struct placed *p, uint32_t n)
{
	const struct module *m = l->m;

	for (uint32_t i = 0; i < n; i++) { /* before others could take these places */
		const struct symbol *sym = &m->sym[p[i].sym];

		if (sym->space != SP_GLOBAL || sym->external)
			continue;
		if (!(p[i].host ? device_map(dev, sym->name, p[i].addr, sym->size, p[i].host)
				: device_alloc_at(dev, sym->name, p[i].addr, sym->size)))
			return false;
		l->addr[p[i].sym] = p[i].addr;
	}
	for (uint32_t s = 0; s < m->nsym; s++) {
		const struct symbol *sym = &m->sym[s];

		if ((placed_at(p, n, s) && l->addr[s]) || (l->of && of_module(sym)))
			continue;
		l->addr[s] = sym->offset;
		if (sym->external && (sym->space == SP_GLOBAL || sym->space == SP_CONST)) {
			l->addr[s] = UINT64_MAX;
		} else if (sym->space == SP_GLOBAL) {
			l->addr[s] = device_alloc_apart(dev, sym->name, sym->size);
			if (!l->addr[s])
				return false;
		} else if (sym->space == SP_CONST && sym->offset + sym->size > l->bank3_bytes) {
			l->bank3_bytes = sym->offset + sym->size;
		}
	}
	if (l->bank3_bytes > WINDOW_BYTES)
		return diag_error_plain(dev->d, m->src_name, "constant variables take more than %u bytes",
					WINDOW_BYTES);
	return true;
}

static bool initialise(struct device *dev, const struct loaded *l)
{
	for (uint32_t s = 0; s < l->m->nsym; s++) {
		const struct symbol *sym = &l->m->sym[s];

		if ((sym->space != SP_GLOBAL && sym->space != SP_CONST) || sym->external || (l->of && of_module(sym)))
			continue;
		if (sym->init && sym->size)
			memcpy(storage(dev, l, s), sym->init, sym->size);
		if (!relocate(dev, l, s))
			return false;
	}
	return true;
}

/* Gives back what l holds, and l itself. */
static void forget(struct device *dev, struct loaded *l)
{
	struct arena a = l->a;

	for (uint32_t s = 0; s < l->m->nsym; s++)
		if (l->m->sym[s].space == SP_GLOBAL && !l->m->sym[s].external && !(l->of && of_module(&l->m->sym[s])) &&
		    l->addr[s] && !device_release(dev, l->addr[s]))
			device_unmap(dev, l->addr[s]);
	if (l->bank3_at)
		device_unmap(dev, l->bank3_at);
	arena_free(&a);
}

static struct loaded *begin(const struct module *m)
{
	struct arena a;
	struct loaded *l;

	arena_init(&a);
	a.block_bytes = 256;
	l = new(&a, struct loaded);
	l->m = m;
	l->addr = new_array(&a, uint64_t, m->nsym + !m->nsym);
	l->a = a;
	return l;
}

/* ok: l is the device's from now on; else it is forgotten. */
static bool end(struct device *dev, struct loaded *l, bool ok)
{
	if (!ok) {
		forget(dev, l);
		return false;
	}
	arena_grow(&dev->a, dev->module, dev->nmodule, dev->module_cap);
	dev->module[dev->nmodule++] = l;
	return true;
}

/* Constant memory lies in global memory at addr too. */
static bool map_constants(struct device *dev, struct loaded *l, uint64_t addr)
{
	if (!addr || !device_map(dev, "constant variables", addr, l->bank3_bytes, l->bank3))
		return false;
	l->bank3_at = addr;
	return true;
}

/* Where the first constant in `placed` says that they lie. */
static bool place_constants(struct device *dev, struct loaded *l, const struct placed *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct symbol *sym = &l->m->sym[p[i].sym];

		if (sym->space == SP_CONST && !sym->external)
			return map_constants(dev, l, p[i].addr - sym->offset);
	}
	return true;
}

bool device_load_at(struct device *dev, const struct module *m, const struct placed *p, uint32_t n)
{
	struct loaded *l;

	if (device_loaded(dev, m))
		return true;
	l = begin(m);
	if (!place_variables(dev, l, p, n))
		return end(dev, l, false);
	l->bank3 = aligned_array(&l->a, l->bank3_bytes + 8, 1);
	return end(dev, l, place_constants(dev, l, p, n) && initialise(dev, l));
}

/* The addresses of l->of: both have these variables in the order of the text. */
static bool share_variables(struct device *dev, struct loaded *l)
{
	const struct loaded *of = l->of;
	uint32_t t = 0;

	for (uint32_t s = 0; s < l->m->nsym; s++) {
		const struct symbol *sym = &l->m->sym[s], *same;

		if (!of_module(sym))
			continue;
		while (t < of->m->nsym && !of_module(&of->m->sym[t]))
			t++;
		same = t < of->m->nsym ? &of->m->sym[t] : NULL;
		if (!same || strcmp(same->name, sym->name) != 0 || same->size != sym->size ||
		    same->space != sym->space || same->offset != sym->offset)
			return diag_error_plain(dev->d, l->m->src_name, "%s is not the variable that its module has",
						sym->name);
		l->addr[s] = of->addr[t++];
	}
	return true;
}

bool device_load_with(struct device *dev, const struct module *m, const struct module *of)
{
	struct loaded *l = NULL;

	for (uint32_t i = 0; i < dev->nmodule; i++)
		if (dev->module[i]->m == m)
			l = dev->module[i];
	if (!l) {
		l = begin(m);
		l->of = device_loaded(dev, of);
		l->bank3_bytes = l->of->bank3_bytes;
		if (!share_variables(dev, l) || !place_variables(dev, l, NULL, 0))
			return end(dev, l, false);
		l->bank3 = l->bank3_bytes > l->of->bank3_bytes ? aligned_array(&l->a, l->bank3_bytes + 8, 1)
							       : l->of->bank3;
		if (!end(dev, l, initialise(dev, l)))
			return false;
	}
	if (l->bank3 != l->of->bank3) /* constants of kernels lie behind those of the module */
		memcpy(l->bank3, l->of->bank3, l->of->bank3_bytes);
	return true;
}

bool device_load(struct device *dev, const struct module *m) { return device_load_at(dev, m, NULL, 0); }

bool device_unload(struct device *dev, const struct module *m)
{
	uint32_t i = 0;

	while (i < dev->nmodule && dev->module[i]->m != m)
		i++;
	if (i == dev->nmodule)
		return false;
	forget(dev, dev->module[i]);
	memmove(dev->module + i, dev->module + i + 1, (--dev->nmodule - i) * sizeof *dev->module);
	return true;
}

uint64_t device_printed(const struct device *dev) { return dev->printed; }

uint64_t device_variable(const struct device *dev, const struct module *m, uint32_t sym)
{
	const struct loaded *l = device_loaded(dev, m);

	return l && m->sym[sym].space == SP_GLOBAL && !m->sym[sym].external ? l->addr[sym] : 0;
}

/* Constant memory gets an address in global memory when one is asked for: it is the same memory. */
uint64_t device_constant(struct device *dev, const struct module *m, uint32_t sym)
{
	struct loaded *l = NULL;

	for (uint32_t i = 0; i < dev->nmodule; i++)
		if (dev->module[i]->m == m)
			l = dev->module[i];
	if (!l || m->sym[sym].space != SP_CONST || m->sym[sym].external || !l->bank3_bytes)
		return 0;
	if (!l->bank3_at && !map_constants(dev, l, device_place_apart(dev, l->bank3_bytes, DEVICE_ALIGN)))
		return 0;
	return l->bank3_at + m->sym[sym].offset;
}

uint64_t device_constant_known(const struct device *dev, const struct module *m, uint32_t sym)
{
	const struct loaded *l = device_loaded(dev, m), *of = l ? l->of : NULL;
	uint64_t at = of && of->bank3_at && m->sym[sym].offset + m->sym[sym].size <= of->bank3_bytes ? of->bank3_at : 0;

	if (!l || m->sym[sym].space != SP_CONST || m->sym[sym].external)
		return 0;
	at = l->bank3_at ? l->bank3_at : at;
	return at ? at + m->sym[sym].offset : 0;
}

void *device_variable_bytes(struct device *dev, const struct module *m, uint32_t sym)
{
	const struct loaded *l = device_loaded(dev, m);
	const struct symbol *s = &m->sym[sym];

	return l && (s->space == SP_GLOBAL || s->space == SP_CONST) && !s->external ? storage(dev, l, sym) : NULL;
}

uint64_t device_symbol(struct device *dev, const char *name, uint64_t *bytes)
{
	for (uint32_t i = 0; i < dev->nmodule; i++)
		for (uint32_t s = 0; s < dev->module[i]->m->nsym; s++) {
			const struct symbol *sym = &dev->module[i]->m->sym[s];

			if (sym->space == SP_GLOBAL && !sym->external && strcmp(sym->name, name) == 0) {
				if (bytes)
					*bytes = sym->size;
				return dev->module[i]->addr[s];
			}
		}
	return 0;
}
