/* A copy of a device's memory. Pages that nobody wrote take no memory in it. */
#include "runtime-model/engine/copy.h"

#include "runtime-model/engine/core.h"
#include "runtime-model/engine/texture.h"

#include <string.h>
#include <sys/mman.h>

enum { BLOCK = 4096 };

static bool all_zero(const unsigned char *p, uint64_t n) { return !n || (!*p && memcmp(p, p + 1, n - 1) == 0); }

void copy_used(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
	for (uint64_t at = 0, n; at < bytes; at += n) {
		n = BLOCK - (uintptr_t)(to + at) % BLOCK;
		n = n < bytes - at ? n : bytes - at;
		if (!all_zero(from + at, n))
			memcpy(to + at, from + at, n);
	}
}

/* At the same place in a block as the live one, for what is aligned. */
static bool copy_piece(struct device_piece *x)
{
	const uint64_t first = (uintptr_t)x->live % BLOCK;

	x->map_bytes = first + x->bytes;
	x->map = mmap(NULL, x->map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (x->map == MAP_FAILED) {
		x->map = NULL;
		return false;
	}
	x->copy = (unsigned char *)x->map + first;
	copy_used(x->copy, x->live, x->bytes);
	return true;
}

/* Launches see the copies, or the memory itself. */
static void turn(struct device *dev, const struct device_copy *c, bool copies)
{
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t n = device_nearest(dev, c->piece[i].addr);

		dev->alloc[n].host = copies ? c->piece[i].copy : c->piece[i].live;
	}
	resources_moved(dev);
}

struct device_copy *device_copy_begin(struct device *dev)
{
	struct device_copy *c;
	struct arena a;
	bool ok = true;

	if (device_granular(dev) || device_shared(dev))
		return NULL;
	arena_init(&a);
	c = new(&a, struct device_copy);
	c->piece = new_array(&a, struct device_piece, dev->nalloc);
	c->a = a;
	for (uint32_t n = 1; ok && n < dev->nalloc; n++) {
		const struct allocation *al = &dev->alloc[n];

		if (!al->bytes)
			continue;
		c->piece[c->n] = (struct device_piece){ .addr = al->addr, .bytes = al->bytes, .live = al->host };
		ok = copy_piece(&c->piece[c->n++]);
	}
	if (ok) {
		turn(dev, c, true);
		return c;
	}
	device_copy_free(c);
	return NULL;
}

void device_copy_end(struct device *dev, struct device_copy *c) { turn(dev, c, false); }

void device_copy_free(struct device_copy *c)
{
	struct arena a;

	if (!c)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->piece[i].map)
			munmap(c->piece[i].map, c->piece[i].map_bytes);
	a = c->a;
	arena_free(&a);
}
