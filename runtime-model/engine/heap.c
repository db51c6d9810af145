/* The device's heap, which malloc and free of kernels share: one allocation of global memory in pieces of 16 bytes.
 * What is freed goes to a list of its size (exact up to 1 KiB, a power of two above) and is given to the next malloc of
 * that size; else the top of what was used rises. So each call takes constant time, and addresses depend on the order
 * of calls alone. */
#include "runtime-model/engine/core.h"

#include <string.h>

enum { PIECE = 16, EXACT = 64, CLASSES = EXACT + 40 };

struct heap {
	uint64_t addr, pieces, top; /* top: pieces used so far */
	uint8_t *class_of;          /* by piece: class + 1 of the block that starts there and is in use; else 0 */
	uint8_t *valid;             /* by piece: bytes of it, from its start, that were asked for and not freed */
	uint32_t *next;             /* by piece: the next free block of its class + 1 */
	uint32_t free[CLASSES];     /* piece + 1 */
};

static uint64_t pieces_of(unsigned class) { return class < EXACT ? class + 1u : (uint64_t)1 << (class - EXACT + 6); }

/* The class of a block, and how many pieces it takes. */
static unsigned class_of(uint64_t bytes, uint64_t *pieces)
{
	unsigned c = EXACT;

	*pieces = (bytes + PIECE - 1) / PIECE;
	if (*pieces <= EXACT)
		return (unsigned)*pieces - 1;
	while (pieces_of(c) < *pieces)
		c++;
	*pieces = pieces_of(c);
	return c;
}

bool heap_start(struct device *dev)
{
	uint64_t bytes = (dev->heap_bytes ? dev->heap_bytes : HEAP_DEFAULT) / PIECE * PIECE, addr;
	struct heap *h;

	if (dev->heap)
		return true;
	addr = device_alloc_apart(dev, "the heap", bytes);
	if (!addr)
		return false;
	h = new(&dev->a, struct heap);
	h->addr = addr;
	h->pieces = bytes / PIECE;
	h->class_of = new_array(&dev->a, uint8_t, h->pieces + 1);
	h->valid = new_array(&dev->a, uint8_t, h->pieces + 1);
	h->next = new_array(&dev->a, uint32_t, h->pieces + 1);
	dev->heap = h;
	dev->alloc[device_nearest(dev, addr)].heap = true;
	return true;
}

uint64_t heap_alloc(struct device *dev, uint64_t bytes)
{
	struct heap *h = dev->heap;
	uint64_t pieces, at;
	unsigned c;

	if (!bytes || bytes > h->pieces * PIECE)
		return 0;
	c = class_of(bytes, &pieces);
	if (h->free[c]) {
		at = h->free[c] - 1;
		h->free[c] = h->next[at];
	} else {
		if (pieces > h->pieces - h->top)
			return 0;
		at = h->top;
		h->top += pieces;
	}
	h->class_of[at] = (uint8_t)(c + 1);
	memset(h->valid + at, PIECE, bytes / PIECE);
	if (bytes % PIECE)
		h->valid[at + bytes / PIECE] = bytes % PIECE;
	return h->addr + at * PIECE;
}

bool heap_free(struct device *dev, uint64_t addr)
{
	struct heap *h = dev->heap;
	uint64_t at = (addr - h->addr) / PIECE;
	unsigned c;

	if (!addr)
		return true;
	if (addr < h->addr || addr % PIECE || at >= h->top || !h->class_of[at])
		return false;
	c = h->class_of[at] - 1u;
	h->class_of[at] = 0;
	memset(h->valid + at, 0, pieces_of(c));
	h->next[at] = h->free[c];
	h->free[c] = (uint32_t)at + 1;
	return true;
}

bool heap_holds(const struct device *dev, uint64_t addr, uint64_t bytes)
{
	const struct heap *h = dev->heap;

	for (uint64_t at = addr - h->addr, n; bytes; at += n, bytes -= n) {
		n = PIECE - at % PIECE;
		n = n < bytes ? n : bytes;
		if (h->valid[at / PIECE] < at % PIECE + n)
			return false;
	}
	return true;
}

struct heap_block heap_about(const struct device *dev, uint64_t addr)
{
	const struct heap *h = dev->heap;
	const uint64_t piece = (addr - h->addr) / PIECE;
	struct heap_block b = { .is = piece < h->top ? HEAP_FREED : HEAP_NEVER };
	uint64_t start = piece;

	while (start && !h->class_of[start])
		start--;
	if (!h->class_of[start])
		return b;
	for (uint64_t n = start; n < h->pieces && h->valid[n]; n++) {
		b.bytes += h->valid[n];
		if (h->valid[n] < PIECE)
			break;
	}
	b.addr = h->addr + start * PIECE;
	start += pieces_of(h->class_of[start] - 1u);
	if (piece < start || (piece == start && piece == h->top))
		b.is = HEAP_BEHIND;
	return b;
}
