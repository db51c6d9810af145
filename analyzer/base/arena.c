/* Chunked bump allocator. Chunks come zeroed from ram.c, which counts them; what a reset leaves in one is cleared as it
 * is handed out again. */
#include "arena.h"

#include "ram.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifdef REGLOOM_TINY
/* test builds cross a chunk boundary all the time */
enum { DEFAULT_BLOCK = 64 };
#else
enum { DEFAULT_BLOCK = 64 * 1024 };
#endif

enum { BLOCK_MAX = 16 << 20 };
/* A chunk of half a huge page and more takes whole ones: the kernel then maps, and clears, 512 pages at once. */
enum { HUGE_PAGE = 2 << 20 };

struct arena_chunk {
	struct arena_chunk *below;
	size_t used, size;
	size_t dirty; /* bytes that may hold what was there before the last reset */
	alignas(max_align_t) unsigned char data[];
};

void arena_init(struct arena *a) { *a = (struct arena){ 0 }; }

void arena_free(struct arena *a)
{
	struct arena_chunk *c = a->top, *below;

	for (; c; c = below) {
		below = c->below;
		ram_give(c, sizeof *c + c->size);
	}
	a->top = NULL;
	a->total_bytes = 0;
}

void arena_reset(struct arena *a)
{
	struct arena_chunk *c = a->top;

	if (!c)
		return;
	a->top = c->below;
	arena_free(a);
	c->below = NULL;
	if (c->dirty < c->used)
		c->dirty = c->used;
	c->used = 0;
	a->top = c;
}

void arena_recycle(struct arena *a)
{
	size_t bytes = 0;

	for (const struct arena_chunk *c = a->top; c; c = c->below)
		bytes += c->size;
	if (a->top && a->top->below) {
		arena_free(a);
		a->block_bytes = bytes;
		return;
	}
	arena_reset(a);
	a->total_bytes = 0;
}

/* The first place in c from `used` on whose address is a multiple of align. */
static size_t aligned(const struct arena_chunk *c, size_t used, size_t align)
{
	return (((uintptr_t)c->data + used + align - 1) & ~(uintptr_t)(align - 1)) - (uintptr_t)c->data;
}

static void *take(struct arena *a, size_t bytes, size_t align, bool raw)
{
	struct arena_chunk *c = a->top;
	size_t at = c ? aligned(c, c->used, align) : 0;

	if (!c || at > c->size || bytes > c->size - at) {
		size_t want = a->block_bytes ? a->block_bytes : DEFAULT_BLOCK;

		if (!a->block_bytes && want < a->total_bytes / 4)
			want = a->total_bytes / 4 < BLOCK_MAX ? a->total_bytes / 4 : BLOCK_MAX;
		if (bytes > SIZE_MAX - sizeof *c - align)
			return NULL;
		if (want < bytes + align)
			want = bytes + align;
		if (want > SIZE_MAX - sizeof *c)
			return NULL;
		if (want >= HUGE_PAGE / 2 && want <= SIZE_MAX - HUGE_PAGE)
			want = (sizeof *c + want + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE - sizeof *c;
		c = ram_take(sizeof *c + want);
		if (!c)
			return NULL;
		c->size = want;
		c->below = a->top;
		a->top = c;
		at = aligned(c, 0, align);
	}
	if (!raw && at < c->dirty)
		memset(c->data + at, 0, bytes < c->dirty - at ? bytes : c->dirty - at);
	c->used = at + bytes;
	a->total_bytes += bytes;
	return c->data + at;
}

void *arena_try_alloc(struct arena *a, size_t bytes, size_t align) { return take(a, bytes, align, false); }

void *arena_alloc(struct arena *a, size_t bytes, size_t align)
{
	void *p = take(a, bytes, align, false);

	if (!p)
		ram_out();
	return p;
}

void *arena_alloc_array(struct arena *a, size_t n, size_t bytes, size_t align)
{
	if (bytes && n > SIZE_MAX / bytes)
		ram_out();
	return arena_alloc(a, n * bytes, align);
}

void *arena_alloc_raw(struct arena *a, size_t n, size_t bytes, size_t align)
{
	void *p = bytes && n > SIZE_MAX / bytes ? NULL : take(a, n * bytes, align, true);

	if (!p)
		ram_out();
	return p;
}

void *arena_regrow(struct arena *a, void *p, size_t bytes, uint32_t n, uint32_t *cap)
{
	uint32_t want = *cap ? *cap * 2 : 4;
	void *q;

	if (*cap > UINT32_MAX / 2)
		ram_out();
	q = arena_alloc_array(a, want, bytes, _Alignof(max_align_t));
	if (n)
		memcpy(q, p, n * bytes);
	*cap = want;
	return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1, 1);

	if (n)
		memcpy(p, s, n);
	return p;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list ap2;
	int n;
	char *p;

	va_copy(ap2, ap);
	n = vsnprintf(NULL, 0, fmt, ap2);
	va_end(ap2);
	assert(n >= 0);
	p = arena_alloc(a, (size_t)n + 1, 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}
