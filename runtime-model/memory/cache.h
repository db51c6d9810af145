/* Tags of a set-associative cache with LRU replacement and allocation on miss. No data, no time: the callers keep
 * both. */
#ifndef REGLOOM_CACHE_H
#define REGLOOM_CACHE_H

#include "analyzer/base/arena.h"

#include <stdbool.h>

struct cache_line {
	uint64_t tag;         /* line number + 1; 0: invalid */
	uint64_t used;        /* stamp of the last touch */
	uint64_t ready;       /* the owner's: cycle of the fill, or an MSHR */
	bool pending;         /* reserved for a fill, may not be replaced */
	uint8_t merges;       /* the owner's: requests that wait for the fill */
	uint8_t valid, dirty; /* the owner's: of the whole line, or of its sectors */
};

/* last: found */
struct cache {
	unsigned sets, ways;
	bool hashed;
	uint64_t mask;
	uint64_t stamp;
	struct cache_line *line, *last;
};

/* The set of a line is its number modulo `sets`. `hashed`: with 32 or 64 sets, bits from further up are mixed in as in
 * Fermi's L1 (Nugteren et al., A Detailed GPU Cache Model Based on Reuse Distance Theory, HPCA 2014, section 4.3). */
void cache_init(struct cache *c, unsigned sets, unsigned ways, bool hashed, struct arena *a);
/* The line that holds number n (address / line size), touched; NULL: absent. */
struct cache_line *cache_search(struct cache *c, uint64_t n);
static inline struct cache_line *cache_find(struct cache *c, uint64_t n)
{
	if (!c->last || c->last->tag != n + 1)
		return cache_search(c, n);
	c->last->used = ++c->stamp;
	return c->last;
}

/* Where n may be put: an invalid line of its set, else the least recently used one that is not pending; NULL: none. The
 * caller looks at its dirty bits, then calls cache_take(). */
struct cache_line *cache_victim(struct cache *c, uint64_t n);
/* l now holds n, nothing of it valid or dirty, touched */
void cache_take(struct cache *c, struct cache_line *l, uint64_t n);
static inline uint64_t cache_number(const struct cache_line *l) { return l->tag - 1; }

#endif
