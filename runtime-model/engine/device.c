/* Global memory: allocations with unmapped space between them, and modules' variables with their initialisers. */
#include "runtime-model/engine/core.h"

#include <string.h>

enum { ALLOC_ALIGN = 256, RED_ZONE = 4096 };
static const uint64_t device_max = (uint64_t)64 << 30;           /* bytes; more than any machine file describes */

struct device *device_new(struct diag *d)
{
	struct arena a;
	struct device *dev;

	arena_init(&a);
	dev = new(&a, struct device);
	dev->a = a;
	dev->d = d;
	dev->top = GLOBAL_START;
	return dev;
}

void device_set_host(struct device *dev, FILE *print, uint64_t heap_bytes)
{
	dev->print = print;
	dev->heap_bytes = heap_bytes;
}

void device_free(struct device *dev)
{
	struct arena a;

	if (!dev)
		return;
	if (dev->spare_chunks)
		chunk_pool_free(dev->spare_chunks);
	arena_free(&dev->spare);
	a = dev->a;
	arena_free(&a);
}

uint64_t device_alloc(struct device *dev, const char *name, uint64_t bytes)
{
	uint64_t size = bytes ? bytes : 1, addr = dev->top;
	unsigned char *host;

	if (size > device_max || dev->top + size > device_max) {
		diag_error_plain(dev->d, name, "%llu bytes do not fit the %llu GiB of device memory",
		                 (unsigned long long)bytes, (unsigned long long)(device_max >> 30));
		return 0;
	}
	host = arena_try_alloc(&dev->a, size + ALLOC_ALIGN, 1);
	if (!host) {
		diag_error_plain(dev->d, name, "this machine has no memory for %llu bytes", (unsigned long long)bytes);
		return 0;
	}
	host += -(uintptr_t)host & (ALLOC_ALIGN - 1);
	arena_grow(&dev->a, dev->alloc, dev->nalloc, dev->alloc_cap);
	dev->alloc[dev->nalloc++] = (struct allocation){ addr, bytes, host, arena_strndup(&dev->a, name, strlen(name)) };
	dev->top = (addr + size + RED_ZONE + ALLOC_ALIGN - 1) & ~(uint64_t)(ALLOC_ALIGN - 1);
	return addr;
}

uint32_t device_nearest(const struct device *dev, uint64_t addr)
{
	uint32_t lo = 0, hi = dev->nalloc;

	while (lo < hi) {               /* first allocation that starts after addr */
		uint32_t mid = lo + (hi - lo) / 2;

		if (dev->alloc[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return dev->nalloc ? 0 : UINT32_MAX;
	if (lo < dev->nalloc) {
		const struct allocation *below = &dev->alloc[lo - 1];
		uint64_t past = below->addr + below->bytes;

		if (addr >= past && dev->alloc[lo].addr - addr < addr - past)
			return lo;
	}
	return lo - 1;
}

void *device_ptr(struct device *dev, uint64_t addr, uint64_t bytes)
{
	uint32_t i = device_nearest(dev, addr);
	const struct allocation *al;

	if (i == UINT32_MAX)
		return NULL;
	al = &dev->alloc[i];
	if (addr < al->addr || addr - al->addr > al->bytes || bytes > al->bytes - (addr - al->addr))
		return NULL;
	return al->host + (addr - al->addr);
}

const struct loaded *device_loaded(const struct device *dev, const struct module *m)
{
	for (uint32_t i = 0; i < dev->nmodule; i++)
		if (dev->module[i].m == m)
			return &dev->module[i];
	return NULL;
}

uint64_t space_window(enum space s)
{
	return s == SP_SHARED ? SHARED_WINDOW : s == SP_LOCAL ? LOCAL_WINDOW : s == SP_PARAM ? CONST_WINDOW :
	       s == SP_CONST ? CONST_VARS_WINDOW : 0;
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
			return diag_error_plain(dev->d, sym->name, "needs the address of %s, which is declared extern and defined nowhere",
			                        l->m->sym[r->sym].name);
		v = l->addr[r->sym] + (uint64_t)r->addend + (r->generic ? space_window(l->m->sym[r->sym].space) : 0);
		for (unsigned b = 0; b < r->bytes; b++)
			at[r->offset + b] = (unsigned char)(v >> 8 * b);
	}
	return true;
}

bool device_load(struct device *dev, const struct module *m)
{
	struct loaded l = { .m = m };

	if (device_loaded(dev, m))
		return true;
	l.addr = new_array(&dev->a, uint64_t, m->nsym + !m->nsym);
	for (uint32_t s = 0; s < m->nsym; s++) {
		const struct symbol *sym = &m->sym[s];

		l.addr[s] = sym->offset;
		if (sym->external && (sym->space == SP_GLOBAL || sym->space == SP_CONST))
			l.addr[s] = UINT64_MAX;
		else if (sym->space == SP_GLOBAL && !(l.addr[s] = device_alloc(dev, sym->name, sym->size)))
			return false;
		else if (sym->space == SP_CONST && sym->offset + sym->size > l.bank3_bytes)
			l.bank3_bytes = sym->offset + sym->size;
	}
	if (l.bank3_bytes > WINDOW_BYTES)
		return diag_error_plain(dev->d, m->src_name, "constant variables take more than %u bytes", WINDOW_BYTES);
	l.bank3 = new_array(&dev->a, unsigned char, l.bank3_bytes + 8);
	for (uint32_t s = 0; s < m->nsym; s++) {
		const struct symbol *sym = &m->sym[s];

		if ((sym->space != SP_GLOBAL && sym->space != SP_CONST) || sym->external)
			continue;
		if (sym->init && sym->size)
			memcpy(storage(dev, &l, s), sym->init, sym->size);
		if (!relocate(dev, &l, s))
			return false;
	}
	arena_grow(&dev->a, dev->module, dev->nmodule, dev->module_cap);
	dev->module[dev->nmodule++] = l;
	return true;
}

uint64_t device_printed(const struct device *dev) { return dev->printed; }

uint64_t device_variable(const struct device *dev, const struct module *m, uint32_t sym)
{
	const struct loaded *l = device_loaded(dev, m);

	return l && m->sym[sym].space == SP_GLOBAL && !m->sym[sym].external ? l->addr[sym] : 0;
}

uint64_t device_symbol(struct device *dev, const char *name, uint64_t *bytes)
{
	for (uint32_t i = 0; i < dev->nmodule; i++)
		for (uint32_t s = 0; s < dev->module[i].m->nsym; s++) {
			const struct symbol *sym = &dev->module[i].m->sym[s];

			if (sym->space == SP_GLOBAL && !sym->external && strcmp(sym->name, name) == 0) {
				if (bytes)
					*bytes = sym->size;
				return dev->module[i].addr[s];
			}
		}
	return 0;
}
