#include "runtime-model/reuse/signatures.h"

#include <string.h>

void signatures_init(struct signatures *v, struct pool *p, unsigned entries, struct arena *a)
{
	*v = (struct signatures){ .pool = p, .entry = new_array_raw(a, struct signature, entries), .n = entries };
	for (unsigned i = 0; i < entries; i++)
		v->entry[i] = (struct signature){ .phys = NO_REGISTER };
}

unsigned signatures_find(const struct signatures *v, uint32_t h3)
{
	const struct signature *e = &v->entry[h3 % v->n];

	return e->phys != NO_REGISTER && e->h3 == h3 ? e->phys : NO_REGISTER;
}

static bool let_go(struct signatures *v, struct signature *e)
{
	const unsigned phys = e->phys;

	if (phys == NO_REGISTER)
		return false;
	e->phys = NO_REGISTER;
	v->used--;
	pool_drop(v->pool, phys, HOLD_VSB);
	return true;
}

void signatures_set(struct signatures *v, uint32_t h3, unsigned phys)
{
	struct signature *e = &v->entry[h3 % v->n];

	pool_hold(v->pool, phys, HOLD_VSB);
	let_go(v, e);
	*e = (struct signature){ (uint16_t)phys, h3 };
	v->used++;
	v->pool->stats->vsb_updates++;
}

bool signatures_evict(struct signatures *v, uint32_t h3)
{
	if (!let_go(v, &v->entry[h3 % v->n]))
		return false;
	v->pool->stats->vsb_updates++;
	return true;
}

bool signatures_evict_from(struct signatures *v, uint32_t random)
{
	for (unsigned i = 0; v->used; i++)
		if (let_go(v, &v->entry[(random + i) % v->n])) {
			v->pool->stats->vsb_updates++;
			return true;
		}
	return false;
}

void verify_init(struct verify_cache *c, unsigned lines, struct arena *a)
{
	*c = (struct verify_cache){ .line = new_array_raw(a, uint16_t, lines), .n = lines };
}

/* Line i becomes the first; those before it move back. */
static void to_front(struct verify_cache *c, unsigned i, unsigned phys)
{
	memmove(c->line + 1, c->line, i * sizeof *c->line);
	c->line[0] = (uint16_t)phys;
}

static unsigned line_of(const struct verify_cache *c, unsigned phys)
{
	unsigned i = 0;

	while (i < c->used && c->line[i] != phys)
		i++;
	return i;
}

bool verify_find(struct verify_cache *c, unsigned phys)
{
	const unsigned i = line_of(c, phys);

	if (i == c->used)
		return false;
	to_front(c, i, phys);
	return true;
}

void verify_fill(struct verify_cache *c, unsigned phys)
{
	const unsigned i = line_of(c, phys);

	if (!c->n)
		return;
	if (i == c->used && c->used < c->n)
		c->used++;
	to_front(c, i < c->used ? i : c->n - 1, phys);
}

void verify_written(struct verify_cache *c, unsigned phys)
{
	const unsigned i = line_of(c, phys);

	if (i == c->used)
		return;
	c->used--;
	memmove(c->line + i, c->line + i + 1, (c->used - i) * sizeof *c->line);
}
