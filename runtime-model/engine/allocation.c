/* Device memory: allocations by address, those that are made here and those that a caller has mapped, and what has been
 * freed.
 *
 * They are a tree by address that is a heap by a number drawn from the address (a treap: Seidel and Aragon,
 * Algorithmica 16:464, 1996), so that finding, adding and removing take time in the logarithm of their number, whatever
 * their order, and the same calls make the same tree. Each node also knows how much could be placed behind it and the
 * most that could in its subtree: the lowest address where something fits is found as fast. The first node, at address
 * 0, holds nothing; it stands for the start of the device's range.
 *
 * Addresses are such as NVIDIA's driver gives, whose memory comes in granules of 2 MiB
 * (cuMemGetAllocationGranularity()): what has more than 1 MiB has granules of its own, from Pascal on
 * (github.com/pytorch/pytorch/pull/17120), and what is smaller lies in granules that it shares with others, at
 * multiples of 512 bytes (github.com/cupy/cupy/pull/176). A driver leaves no room between them. Here there is a red
 * zone, so that what goes beyond an end is found. */
#include "runtime-model/engine/copy.h"
#include "runtime-model/engine/core.h"
#include "runtime-model/engine/texture.h"

#include "analyzer/base/ram.h"
#include "analyzer/base/rng.h"

#include <assert.h>
#include <string.h>

/* HOST_ALIGN: modulo this, memory of the host lies as its address on the device does */
enum { RED_ZONE = 4096, ALLOC_MAX = 1 << 30, SHARES_GRANULE = 1 << 20, HOST_ALIGN = 16 };
#define NONE UINT32_MAX

static struct allocation *at(const struct device *dev, uint32_t n) { return &dev->alloc[n]; }
static uint64_t end_of(const struct allocation *al) { return al->addr + al->bytes; }

/* ---- the tree ---- */
static uint64_t widest(const struct device *dev, uint32_t n) { return n == NONE ? 0 : at(dev, n)->widest; }

static void update(struct device *dev, uint32_t n)
{
	struct allocation *al = at(dev, n);
	uint64_t l = widest(dev, al->left), r = widest(dev, al->right), w = l > r ? l : r;

	al->widest = al->gap > w ? al->gap : w;
}

/* Nodes below address `key` and the others. */
static void split(struct device *dev, uint32_t n, uint64_t key, uint32_t *low, uint32_t *high)
{
	if (n == NONE) {
		*low = *high = NONE;
		return;
	}
	if (at(dev, n)->addr < key) {
		*low = n;
		split(dev, at(dev, n)->right, key, &at(dev, n)->right, high);
	} else {
		*high = n;
		split(dev, at(dev, n)->left, key, low, &at(dev, n)->left);
	}
	update(dev, n);
}

static uint32_t merge(struct device *dev, uint32_t low, uint32_t high)
{
	if (low == NONE || high == NONE)
		return low == NONE ? high : low;
	if (at(dev, low)->order >= at(dev, high)->order) {
		at(dev, low)->right = merge(dev, at(dev, low)->right, high);
		update(dev, low);
		return low;
	}
	at(dev, high)->left = merge(dev, low, at(dev, high)->left);
	update(dev, high);
	return high;
}

/* The node at or below addr, and the one above it; NONE: there is none. */
static void around(const struct device *dev, uint64_t addr, uint32_t *below, uint32_t *above)
{
	*below = *above = NONE;
	for (uint32_t n = dev->root; n != NONE;)
		if (at(dev, n)->addr <= addr) {
			*below = n;
			n = at(dev, n)->right;
		} else {
			*above = n;
			n = at(dev, n)->left;
		}
}

static uint64_t round_up(uint64_t addr, uint64_t align) { return (addr + align - 1) & ~(align - 1); }

/* The first address from `from` on where so many bytes may begin. */
static uint64_t start_for(uint64_t from, uint64_t bytes, uint64_t align)
{
	const uint64_t addr = round_up(from, align);

	if (bytes > SHARES_GRANULE || addr / GRANULE_BYTES != (addr + bytes - 1) / GRANULE_BYTES)
		return round_up(addr, align > GRANULE_BYTES ? align : GRANULE_BYTES);
	return addr;
}

/* Where something of so many bytes would begin behind n, not before `least`, and *end, where it must end. */
static uint64_t behind(const struct device *dev, uint32_t n, uint64_t bytes, uint64_t align, uint64_t least,
		       uint32_t above, uint64_t *end)
{
	const struct allocation *al = at(dev, n);
	uint64_t from = end_of(al) + RED_ZONE, to = above == NONE ? dev->limit : at(dev, above)->addr - RED_ZONE;

	*end = to < dev->limit ? to : dev->limit;
	from = al->bytes > SHARES_GRANULE ? round_up(from, GRANULE_BYTES) : from;
	return start_for(from > least ? from : least, bytes, align);
}

static void refresh(struct device *dev, uint32_t n, uint64_t addr)
{
	if (at(dev, n)->addr != addr)
		refresh(dev, addr < at(dev, n)->addr ? at(dev, n)->left : at(dev, n)->right, addr);
	update(dev, n);
}

/* The room behind n, in the tree, whose next node is `above` now. */
static void set_gap(struct device *dev, uint32_t n, uint32_t above)
{
	uint64_t end, from = behind(dev, n, 1, DEVICE_ALIGN, dev->base, above, &end);

	at(dev, n)->gap = from < end ? end - from : 0;
	refresh(dev, dev->root, at(dev, n)->addr);
}

static void add(struct device *dev, uint32_t n)
{
	uint32_t below, above, low, high;

	around(dev, at(dev, n)->addr, &below, &above);
	at(dev, n)->left = at(dev, n)->right = NONE;
	at(dev, n)->order = (uint32_t)mix64(at(dev, n)->addr);
	update(dev, n);
	split(dev, dev->root, at(dev, n)->addr, &low, &high);
	dev->root = merge(dev, merge(dev, low, n), high);
	set_gap(dev, n, above);
	if (below != NONE)
		set_gap(dev, below, n);
}

static void take_out(struct device *dev, uint32_t n)
{
	uint32_t below, above, low, high, one;

	around(dev, at(dev, n)->addr - 1, &below, &above);
	split(dev, dev->root, at(dev, n)->addr, &low, &high);
	split(dev, high, at(dev, n)->addr + 1, &one, &high);
	dev->root = merge(dev, low, high);
	around(dev, at(dev, below)->addr, &below, &above);
	set_gap(dev, below, above);
}

/* The first node behind which so many bytes fit, and where. */
static uint32_t first_fit(const struct device *dev, uint32_t n, uint64_t bytes, uint64_t align, uint64_t *addr)
{
	uint32_t found, below, above;
	uint64_t end;

	if (widest(dev, n) < bytes)
		return NONE;
	found = first_fit(dev, at(dev, n)->left, bytes, align, addr);
	if (found != NONE)
		return found;
	if (at(dev, n)->gap >= bytes) {
		around(dev, at(dev, n)->addr, &below, &above);
		*addr = behind(dev, n, bytes, align, dev->base, above, &end);
		if (*addr < end && bytes <= end - *addr)
			return n;
	}
	return first_fit(dev, at(dev, n)->right, bytes, align, addr);
}

uint32_t device_nearest(const struct device *dev, uint64_t addr)
{
	uint32_t below, above;

	around(dev, addr, &below, &above);
	if (below == 0) /* the start */
		return above;
	if (above != NONE && addr >= end_of(at(dev, below)) &&
	    at(dev, above)->addr - addr < addr - end_of(at(dev, below)))
		return above;
	return below;
}

uint64_t device_top(const struct device *dev)
{
	uint32_t below, above;

	around(dev, UINT64_MAX, &below, &above);
	return end_of(at(dev, below));
}

const struct allocation *device_around(const struct device *dev, uint64_t addr, uint64_t bytes)
{
	uint32_t below, above;
	const struct allocation *al;

	around(dev, addr, &below, &above);
	al = at(dev, below);
	return below && addr - al->addr <= al->bytes && bytes <= al->bytes - (addr - al->addr) &&
			       allocation_allows(al, addr, bytes, false)
		       ? al
		       : NULL;
}

enum granule allocation_forbids(const struct allocation *al, uint64_t addr, uint64_t bytes, bool write)
{
	const uint64_t from = addr - al->addr, end = from + bytes;

	for (uint64_t i = from / GRANULE_BYTES; al->granule && i * GRANULE_BYTES < end; i++)
		if (al->granule[i] < (write ? GRANULE_OPEN : GRANULE_READ))
			return al->granule[i];
	return GRANULE_OPEN;
}

const struct allocation *device_holding(const struct device *dev, uint64_t addr, uint64_t bytes)
{
	const struct allocation *al = device_around(dev, addr, bytes);

	return al && al->heap && !heap_holds(dev, addr, bytes) ? NULL : al;
}

void *device_ptr(struct device *dev, uint64_t addr, uint64_t bytes)
{
	const struct allocation *al = device_around(dev, addr, bytes);

	return al ? al->host + (addr - al->addr) : NULL;
}

/* The readable bytes of al from its byte `from` on. */
static void readable_from(const struct allocation *al, uint64_t from, struct device_memory *m)
{
	uint64_t end = al->bytes;

	while (from < end && !allocation_allows(al, al->addr + from, 1, false))
		from = (from / GRANULE_BYTES + 1) * GRANULE_BYTES;
	for (end = from; end < al->bytes && allocation_allows(al, al->addr + end, 1, false);)
		end = al->granule ? (end / GRANULE_BYTES + 1) * GRANULE_BYTES : al->bytes;
	m->addr = al->addr + from;
	m->bytes = (end < al->bytes ? end : al->bytes) - from;
	m->host = al->host + from;
}

bool device_memory_from(const struct device *dev, uint64_t addr, struct device_memory *m)
{
	uint32_t below, above;

	around(dev, addr, &below, &above);
	if (!below || addr >= end_of(at(dev, below)))
		below = above;
	for (; below != NONE; below = above) {
		const struct allocation *al = at(dev, below);

		*m = (struct device_memory){ .name = al->name, .heap = al->heap };
		if (al->bytes)
			readable_from(al, addr > al->addr ? addr - al->addr : 0, m);
		if (m->bytes)
			return true;
		around(dev, al->addr, &below, &above);
	}
	return false;
}

/* ---- allocating ---- */
static uint32_t new_node(struct device *dev)
{
	uint32_t n = dev->free_node;

	if (n != NONE) {
		dev->free_node = at(dev, n)->left;
		return n;
	}
	arena_grow(&dev->a, dev->alloc, dev->nalloc, dev->alloc_cap);
	return dev->nalloc++;
}

void allocations_init(struct device *dev, uint64_t base, uint64_t limit)
{
	dev->base = base;
	dev->limit = limit;
	dev->root = dev->free_node = NONE;
	dev->freed = new_array(&dev->a, struct freed, FREED_MAX);
	at(dev, new_node(dev))->name = ""; /* the start */
	dev->root = 0;
	at(dev, 0)->left = at(dev, 0)->right = NONE;
	at(dev, 0)->order = UINT32_MAX;
	set_gap(dev, 0, NONE);
}

uint64_t device_place(const struct device *dev, uint64_t bytes, uint64_t align)
{
	uint64_t addr = 0;

	align = align < DEVICE_ALIGN ? DEVICE_ALIGN : align;
	return first_fit(dev, dev->root, bytes ? bytes : 1, align, &addr) == NONE ? 0 : addr;
}

/* Is something of it remembered as freed? */
static bool was_given(const struct device *dev, uint64_t addr, uint64_t bytes)
{
	for (uint64_t i = 0; i < dev->nfreed && i < FREED_MAX; i++)
		if (dev->freed[i].addr < addr + bytes && addr < dev->freed[i].addr + dev->freed[i].bytes)
			return true;
	return false;
}

uint64_t device_place_apart(const struct device *dev, uint64_t bytes, uint64_t align)
{
	const uint64_t addr = device_place(dev, bytes, align), least = dev->freed_end + RED_ZONE;
	uint32_t below, above;

	bytes += !bytes;
	align = align < DEVICE_ALIGN ? DEVICE_ALIGN : align;
	if (!addr || !was_given(dev, addr, bytes))
		return addr;
	for (around(dev, dev->freed_end, &below, &above);; around(dev, at(dev, above)->addr, &below, &above)) {
		uint64_t end, from = behind(dev, below, bytes, align, least, above, &end);

		if (from < end && bytes <= end - from)
			return from;
		if (above == NONE)
			return addr;
	}
}

/* `bytes` at addr, which are free. */
static uint64_t alloc_at(struct device *dev, const char *name, uint64_t addr, uint64_t bytes)
{
	const uint64_t size = bytes ? bytes : 1;
	char why[RAM_TEXT];
	struct arena a;
	unsigned char *host;
	uint32_t n;

	arena_init(&a);
	a.block_bytes = 1; /* no more than is asked for */
	host = arena_try_alloc(&a, size + DEVICE_ALIGN + strlen(name) + HOST_ALIGN, 1);
	if (!host) {
		diag_error_plain(dev->d, name, "there is no memory for %llu bytes: %s", (unsigned long long)bytes,
				 ram_why(why));
		return 0;
	}
	host += (-(uintptr_t)host & (DEVICE_ALIGN - 1)) + addr % HOST_ALIGN;
	n = new_node(dev);
	*at(dev, n) = (struct allocation){
		.addr = addr, .bytes = bytes, .host = host, .name = strcpy((char *)host + size, name), .a = a
	};
	add(dev, n);
	return addr;
}

static uint64_t alloc(struct device *dev, const char *name, uint64_t bytes, bool apart)
{
	const uint64_t size = bytes ? bytes : 1,
		       addr = (apart ? device_place_apart : device_place)(dev, size, DEVICE_ALIGN);

	if (!addr || dev->nalloc >= ALLOC_MAX) {
		bool gib = dev->size >= (uint64_t)1 << 30;

		diag_error_plain(dev->d, name, "%llu bytes do not fit the %llu %s of device memory",
				 (unsigned long long)bytes, (unsigned long long)(dev->size >> (gib ? 30 : 20)),
				 gib ? "GiB" : "MiB");
		return 0;
	}
	return alloc_at(dev, name, addr, bytes);
}

uint64_t device_alloc(struct device *dev, const char *name, uint64_t bytes) { return alloc(dev, name, bytes, false); }
uint64_t device_alloc_apart(struct device *dev, const char *name, uint64_t bytes)
{
	return alloc(dev, name, bytes, true);
}

/* May somebody have bytes at addr? False with a diagnostic. */
static bool is_free(struct device *dev, const char *name, uint64_t addr, uint64_t bytes)
{
	uint32_t below, above;

	if (!bytes || addr < GLOBAL_START || addr > ADDRESS_END || bytes > ADDRESS_END - addr)
		return diag_error_plain(dev->d, name, "%llu bytes at 0x%llx are no place for memory of a device",
					(unsigned long long)bytes, (unsigned long long)addr);
	around(dev, addr + bytes - 1, &below, &above);
	if (below && end_of(at(dev, below)) + !at(dev, below)->bytes > addr)
		return diag_error_plain(dev->d, name, "%llu bytes at 0x%llx overlap %s (%llu bytes at 0x%llx)",
					(unsigned long long)bytes, (unsigned long long)addr, at(dev, below)->name,
					(unsigned long long)at(dev, below)->bytes,
					(unsigned long long)at(dev, below)->addr);
	return true;
}

bool device_alloc_at(struct device *dev, const char *name, uint64_t addr, uint64_t bytes)
{
	if (!is_free(dev, name, addr, bytes))
		return false;
	return alloc_at(dev, name, addr, bytes) != 0;
}

bool device_map(struct device *dev, const char *name, uint64_t addr, uint64_t bytes, void *host)
{
	struct arena a;
	uint32_t n;

	if (!is_free(dev, name, addr, bytes))
		return false;
	if ((addr ^ (uintptr_t)host) % HOST_ALIGN)
		return diag_error_plain(dev->d, name, "memory at 0x%llx is aligned as its address 0x%llx is not",
					(unsigned long long)(uintptr_t)host, (unsigned long long)addr);
	arena_init(&a);
	a.block_bytes = 1;
	name = arena_strndup(&a, name, strlen(name));
	n = new_node(dev);
	*at(dev, n) =
		(struct allocation){ .addr = addr, .bytes = bytes, .host = host, .name = name, .mapped = true, .a = a };
	add(dev, n);
	return true;
}

static struct allocation *beginning_at(struct device *dev, uint64_t addr)
{
	uint32_t below, above;

	around(dev, addr, &below, &above);
	assert(below && at(dev, below)->addr == addr);
	return at(dev, below);
}

void device_move(struct device *dev, uint64_t addr, void *host)
{
	struct allocation *al = beginning_at(dev, addr);
	struct arena a, old = al->a;

	assert(!al->granule && (addr ^ (uintptr_t)host) % HOST_ALIGN == 0);
	arena_init(&a);
	a.block_bytes = 1;
	copy_used(host, al->host, al->bytes);
	al->name = arena_strndup(&a, al->name, strlen(al->name));
	al->host = host;
	al->unwritten = NULL;
	al->race = NULL;
	al->mapped = true;
	al->a = a;
	resources_moved(dev);
	arena_free(&old);
}

void device_share(struct device *dev, uint64_t addr)
{
	struct allocation *al = beginning_at(dev, addr);

	dev->nshared += !al->shared;
	al->shared = true;
	device_written(dev, addr, al->bytes); /* unseen */
}

bool device_shared(const struct device *dev) { return dev->nshared != 0; }

bool device_reserve(struct device *dev, const char *name, uint64_t addr, uint64_t bytes, void *host)
{
	uint32_t below, above;

	assert(addr % GRANULE_BYTES == 0);
	if (!device_map(dev, name, addr, bytes, host))
		return false;
	around(dev, addr, &below, &above);
	at(dev, below)->granule =
		new_array(&at(dev, below)->a, unsigned char, (bytes + GRANULE_BYTES - 1) / GRANULE_BYTES);
	return true;
}

void device_set_granules(struct device *dev, uint64_t addr, uint64_t bytes, enum granule state)
{
	uint32_t below, above;
	struct allocation *al;

	around(dev, addr, &below, &above);
	al = at(dev, below);
	assert(al->granule && (addr - al->addr) % GRANULE_BYTES == 0 && bytes % GRANULE_BYTES == 0 &&
	       addr - al->addr + bytes <= al->bytes);
	memset(al->granule + (addr - al->addr) / GRANULE_BYTES, (int)state, bytes / GRANULE_BYTES);
	if (state == GRANULE_NONE)
		resources_forget(dev, &(struct allocation){ .addr = addr, .bytes = bytes, .resources = al->resources });
}

bool device_granular(const struct device *dev)
{
	for (uint32_t n = 1; n < dev->nalloc; n++)
		if (at(dev, n)->granule)
			return true;
	return false;
}

/* ---- freeing ---- */
static void remember(struct device *dev, const struct allocation *al)
{
	struct freed *f = &dev->freed[dev->nfreed++ % FREED_MAX];

	*f = (struct freed){ .addr = al->addr, .bytes = al->bytes };
	strncpy(f->name, al->name, sizeof f->name - 1);
	if (end_of(al) <= dev->limit && end_of(al) > dev->freed_end)
		dev->freed_end = end_of(al);
}

const struct freed *device_freed(const struct device *dev, uint64_t addr)
{
	for (uint64_t n = dev->nfreed, i = n; i-- && n - i <= FREED_MAX;)
		if (addr - dev->freed[i % FREED_MAX].addr < dev->freed[i % FREED_MAX].bytes)
			return &dev->freed[i % FREED_MAX];
	return NULL;
}

static bool release(struct device *dev, uint64_t addr, bool mapped)
{
	uint32_t below, above;
	struct allocation *al;
	struct arena a;

	around(dev, addr, &below, &above);
	al = at(dev, below);
	if (!below || al->addr != addr || al->mapped != mapped)
		return false;
	dev->nshared -= al->shared;
	resources_forget(dev, al);
	remember(dev, al);
	take_out(dev, below);
	a = al->a;
	*al = (struct allocation){ .addr = UINT64_MAX, .name = "", .left = dev->free_node };
	dev->free_node = below;
	arena_free(&a);
	return true;
}

bool device_release(struct device *dev, uint64_t addr) { return release(dev, addr, false); }
bool device_unmap(struct device *dev, uint64_t addr) { return release(dev, addr, true); }

void allocations_free(struct device *dev)
{
	for (uint32_t n = 1; n < dev->nalloc; n++)
		arena_free(&at(dev, n)->a);
}
