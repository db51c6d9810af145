#include "runtime-model/reuse/buffer.h"
#include "analyzer/base/hash.h"

void buffer_init(struct buffer *b, struct pool *p, unsigned entries, struct arena *a)
{
	*b = (struct buffer){ .pool = p, .entry = new_array(a, struct reuse_entry, entries), .n = entries };
}

struct reuse_entry *buffer_at(const struct buffer *b, const struct tag *t)
{
	uint64_t h = (uint64_t)t->part << 48 | (uint64_t)t->operation << 32 | (uint32_t)t->cta << 16 | t->count;

	if (!b->n)
		return NULL;
	for (unsigned i = 0; i < REUSE_FIELDS; i++)
		h = mix64(h ^ ((uint64_t)t->field[i] << 2 | i));
	return &b->entry[h % b->n];
}

static void let_go(struct buffer *b, struct reuse_entry *e)
{
	e->valid = false;
	b->used--;
	for (unsigned i = 0; i < e->regs.n; i++)
		pool_drop(b->pool, e->regs.phys[i], HOLD_BUFFER);
	for (unsigned i = 0; !e->pending && i < e->nresult; i++)
		pool_drop(b->pool, e->result[i], HOLD_BUFFER);
}

bool buffer_evict(struct buffer *b, struct reuse_entry *e)
{
	if (!e->valid)
		return false;
	b->pool->stats->reuse_updates++;
	let_go(b, e);
	return true;
}

void buffer_reserve(struct buffer *b, struct reuse_entry *e, const struct tag *t, const struct regs *regs,
		    unsigned owner, struct made by)
{
	for (unsigned i = 0; i < regs->n; i++)
		pool_hold(b->pool, regs->phys[i], HOLD_BUFFER);
	if (e->valid)
		let_go(b, e);
	*e = (struct reuse_entry){
		.valid = true, .pending = true, .owner = (uint16_t)owner, .tag = *t, .regs = *regs, .by = by
	};
	b->used++;
	b->pool->stats->reuse_updates++;
}

void buffer_result(struct buffer *b, struct reuse_entry *e, const uint16_t result[], unsigned n)
{
	assert(e->valid && e->pending && n <= REUSE_RESULTS_MAX);
	e->pending = false;
	e->nresult = (uint8_t)n;
	for (unsigned i = 0; i < n; i++) {
		pool_hold(b->pool, result[i], HOLD_BUFFER);
		e->result[i] = result[i];
	}
	b->pool->stats->reuse_updates++;
}

void buffer_end_cta(struct buffer *b, unsigned cta)
{
	for (unsigned i = 0; i < b->n; i++)
		if (b->entry[i].valid && b->entry[i].tag.cta == cta)
			buffer_evict(b, &b->entry[i]);
}

bool buffer_evict_from(struct buffer *b, uint32_t random)
{
	for (unsigned i = 0; b->used; i++)
		if (buffer_evict(b, &b->entry[(random + i) % b->n]))
			return true;
	return false;
}
