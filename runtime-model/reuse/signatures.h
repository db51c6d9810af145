/* The value signature buffer: which register may hold a value, by its hash (Kim and Ro, HPCA 2018, section V-A); and
 * the verify cache, values of registers that were compared lately (section VI-C), of which the model keeps the numbers
 * alone. An entry refers to its register, and no register in either is ever overwritten in place while it stands. */
#ifndef REGLOOM_REUSE_SIGNATURES_H
#define REGLOOM_REUSE_SIGNATURES_H

#include "runtime-model/reuse/pool.h"

/* phys NO_REGISTER: not valid */
struct signature {
	uint16_t phys;
	uint32_t h3;
};

struct signatures {
	struct pool *pool;
	struct signature *entry;
	unsigned n, used;
};

void signatures_init(struct signatures *v, struct pool *p, unsigned entries, struct arena *a);
/* The register of the entry with that hash, or NO_REGISTER. n > 0. */
unsigned signatures_find(const struct signatures *v, uint32_t h3);
void signatures_set(struct signatures *v, uint32_t h3, unsigned phys); /* replaces what is there */
/* what is where that hash would be. False: nothing is */
bool signatures_evict(struct signatures *v, uint32_t h3);
bool signatures_evict_from(struct signatures *v, uint32_t random); /* as buffer_evict_from() */

/* Fully associative; the least recently used line is replaced. */
/* the most recently used first */
struct verify_cache {
	uint16_t *line;
	unsigned n, used;
};

void verify_init(struct verify_cache *c, unsigned lines, struct arena *a);
bool verify_find(struct verify_cache *c, unsigned phys); /* and is then the most recently used */
void verify_fill(struct verify_cache *c, unsigned phys);
void verify_written(struct verify_cache *c, unsigned phys); /* evicts it */

#endif
