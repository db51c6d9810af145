#include "runtime-model/memory/cache.h"

void cache_init(struct cache *c, unsigned sets, unsigned ways, bool hashed, struct arena *a)
{
	*c = (struct cache){ .sets = sets, .ways = ways, .hashed = hashed && (sets == 32 || sets == 64) };
	c->mask = sets & (sets - 1) ? 0 : sets - 1;
	c->line = new_array(a, struct cache_line, (size_t)sets * ways);
}

/* Address bits 13, 14, 15, 17 and 19 of lines of 128 bytes over the five lowest bits of the set. */
static uint64_t fermi_hash(uint64_t n) { return (n >> 6 & 7) | (n >> 10 & 1) << 3 | (n >> 12 & 1) << 4; }

static struct cache_line *set_of(struct cache *c, uint64_t n)
{
	uint64_t set = c->mask || c->sets == 1 ? n & c->mask : n % c->sets;

	if (c->hashed)
		set ^= fermi_hash(n);
	return c->line + (size_t)set * c->ways;
}

struct cache_line *cache_search(struct cache *c, uint64_t n)
{
	struct cache_line *l = set_of(c, n);

	for (unsigned w = 0; w < c->ways; w++)
		if (l[w].tag == n + 1) {
			l[w].used = ++c->stamp;
			c->last = &l[w];
			return &l[w];
		}
	return NULL;
}

struct cache_line *cache_victim(struct cache *c, uint64_t n)
{
	struct cache_line *l = set_of(c, n), *best = NULL;

	for (unsigned w = 0; w < c->ways; w++) {
		if (!l[w].tag)
			return &l[w];
		if (!l[w].pending && (!best || l[w].used < best->used))
			best = &l[w];
	}
	return best;
}

void cache_take(struct cache *c, struct cache_line *l, uint64_t n)
{
	l->tag = n + 1;
	l->used = ++c->stamp;
	l->ready = 0;
	l->pending = false;
	l->merges = l->valid = l->dirty = 0;
}
