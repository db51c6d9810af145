/* Bytes that nobody has written: a bit for each, of shared and local memory from the start of a CTA on, of global
 * memory where its owner has said so (device_unwritten()). All else counts as written, as what host code may write
 * without a call. */
#include "runtime-model/engine/sanitize.h"

#include <string.h>

/* Bits [at, at + n). */
static void set_bits(unsigned char *b, uint64_t at, uint64_t n, bool v)
{
	for (; n && at % 8; at++, n--)
		b[at / 8] = (unsigned char)((b[at / 8] & ~(1u << at % 8)) | (unsigned)v << at % 8);
	memset(b + at / 8, v ? 0xff : 0, n / 8);
	for (at += n / 8 * 8, n %= 8; n; at++, n--)
		b[at / 8] = (unsigned char)((b[at / 8] & ~(1u << at % 8)) | (unsigned)v << at % 8);
}

static bool bit_at(const unsigned char *b, uint64_t at) { return b[at / 8] >> at % 8 & 1; }

/* The first of these bits that is set; n: none is. */
static uint64_t first_set(const unsigned char *b, uint64_t at, uint64_t n)
{
	uint64_t i = 0;

	while (i < n && !bit_at(b, at + i))
		i += !b[(at + i) / 8] && (at + i) % 8 == 0 && n - i >= 8 ? 8 : 1;
	return i;
}

/* ---- global memory ---- */
/* The allocation around these bytes, if somebody looks. */
static struct allocation *around(struct device *dev, uint64_t addr, uint64_t bytes)
{
	const uint32_t i = dev->sanitizer && bytes ? device_nearest(dev, addr) : UINT32_MAX;
	struct allocation *al = i == UINT32_MAX ? NULL : &dev->alloc[i];

	return al && addr >= al->addr && addr - al->addr <= al->bytes && bytes <= al->bytes - (addr - al->addr) ? al
														: NULL;
}

/* The same, if it is known which of them are written. */
static struct allocation *noted(struct device *dev, uint64_t addr, uint64_t bytes)
{
	struct allocation *al = around(dev, addr, bytes);

	return al && al->unwritten ? al : NULL;
}

void device_unwritten(struct device *dev, uint64_t addr, uint64_t bytes)
{
	struct allocation *al = around(dev, addr, bytes);

	if (!al)
		return;
	if (sanitizer_looks(dev->sanitizer, SANITIZE_INIT)) {
		if (!al->unwritten)
			al->unwritten = new_array(&al->a, unsigned char, al->bytes / 8 + 1);
		set_bits(al->unwritten, addr - al->addr, bytes, true);
	}
	race_forget(al, addr - al->addr, bytes);
}

void device_written(struct device *dev, uint64_t addr, uint64_t bytes)
{
	struct allocation *al = noted(dev, addr, bytes);

	if (al)
		set_bits(al->unwritten, addr - al->addr, bytes, false);
}

void device_copied(struct device *dev, uint64_t to, uint64_t from, uint64_t bytes)
{
	struct allocation *t = noted(dev, to, bytes), *f = noted(dev, from, bytes);

	if (!t || !f) {
		device_written(dev, to, bytes);
		return;
	}
	for (uint64_t i = 0; i < bytes; i++)
		set_bits(t->unwritten, to - t->addr + i, 1, bit_at(f->unwritten, from - f->addr + i));
}

/* ---- a CTA ---- */
static uint64_t local_stride(const struct engine *e) { return e->local_bytes / 8 + 1; }

void init_cta(struct engine *e, struct shadow *x, bool fresh)
{
	const uint64_t shared = e->shared_bytes / 8 + 1, local = local_stride(e) * e->warps * WARP_LANES;

	if (fresh) {
		x->unwritten = new_array(&e->a, unsigned char, shared);
		x->local = new_array(&e->a, unsigned char, local);
	}
	memset(x->unwritten, 0xff, shared);
	memset(x->local, 0xff, local);
}

static unsigned char *bits_of(const struct touch *t)
{
	const uint64_t thread = t->w->index * WARP_LANES + t->lane;

	if (t->p.space == SP_GLOBAL)
		return t->p.al->unwritten;
	return t->p.space == SP_SHARED ? t->p.owner->shadow->unwritten
				       : t->p.owner->shadow->local + thread * local_stride(t->e);
}

/* Registers that the compiler keeps there are written in the lanes that have a value, and read in all. */
static bool kept_register(const struct touch *t)
{
	return t->p.space == SP_LOCAL && !t->e->k->native && !sanitize_variable(t->e, SP_LOCAL, t->p.at);
}

/* ptxas makes one load of several, and of the gaps between what they read. */
static bool merged(const struct touch *t, const unsigned char *b)
{
	unsigned n = 0;

	while (n < t->bytes && bit_at(b, t->p.at + n))
		n++;
	return t->e->k->native && t->bytes > 4 && n < t->bytes;
}

void init_access(const struct touch *t)
{
	unsigned char *b = bits_of(t);
	const uint64_t first = b && t->read ? first_set(b, t->p.at, t->bytes) : t->bytes;

	if (first < t->bytes && !kept_register(t) && !merged(t, b) && sanitize_first(t->e, SANITIZE_INIT, t->insn))
		sanitize_tell(t, SANITIZE_INIT, "reads %s, of which nobody has written byte %llu", sanitize_place(t),
			      (unsigned long long)first);
	if (b && t->write)
		set_bits(b, t->p.at, t->bytes, false);
}
