#include "runtime-model/cache.h"

void cache_init(struct cache *c, unsigned sets, unsigned ways, struct arena *a)
{
	c->sets = sets;
	c->ways = ways;
	c->stamp = 0;
	c->line = new_array(a, struct cache_line, (size_t)sets * ways);
}

static struct cache_line *set_of(struct cache *c, uint64_t n)
{
	return c->line + (size_t)(n % c->sets) * c->ways;
}

struct cache_line *cache_find(struct cache *c, uint64_t n)
{
	struct cache_line *l = set_of(c, n);

	for (unsigned w = 0; w < c->ways; w++)
		if (l[w].tag == n + 1) {
			l[w].used = ++c->stamp;
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
	l->pending = l->dirty = false;
}
