/* Streams of records: one producer, who holds the engine's lock, and any number of consumers at their own pace.
 *
 * A stream is a list of chunks. The producer writes a record whole and then publishes it by raising the chunk's count, or by
 * linking the next chunk; consumers only load these two. Each consumer counts itself off a chunk as it leaves it, and the
 * last one gives it back. Streams of a CTA, and pages of 1024 CTAs, go back in the same way. So what is held depends on the
 * window and on how far consumers are apart, not on the length of the run; one pointer for 1024 CTAs remains. */
#include "runtime-model/engine/core.h"

#include <assert.h>
#include <string.h>

void recorder_init(struct recorder *r, const struct engine_options *o, unsigned warps_per_cta, uint64_t ctas)
{
	arena_init(&r->a);
	pthread_mutex_init(&r->lock, NULL);
	r->consumers = o->consumers;
	r->want = o->want;
	r->sigs = o->want & WANT_SIG;
	r->values = o->want & WANT_VALUES;
	r->warps = warps_per_cta;
	r->chunk_words = r->values ? CHUNK_WORDS_VALUES : CHUNK_WORDS;
	r->ctas = ctas;
	if (r->consumers)
		r->page = arena_alloc_array(&r->a, ctas / PAGE_CTAS + 1, sizeof *r->page, _Alignof(max_align_t));
}

void recorder_free(struct recorder *r)
{
	pthread_mutex_destroy(&r->lock);
	arena_free(&r->a);
}

/* ---- producer ---- */
static struct chunk *chunk_take(struct recorder *r)
{
	struct chunk *c;

	pthread_mutex_lock(&r->lock);
	c = r->free_chunk;
	if (c)
		r->free_chunk = atomic_load_explicit(&c->next, memory_order_relaxed);
	else
		c = arena_alloc(&r->a, sizeof *c + r->chunk_words * sizeof c->word[0], _Alignof(struct chunk));
	pthread_mutex_unlock(&r->lock);
	atomic_store_explicit(&c->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&c->n, 0, memory_order_relaxed);
	atomic_store_explicit(&c->left, r->consumers, memory_order_relaxed);
	return c;
}

static struct streams *streams_take(struct recorder *r)
{
	struct streams *s;

	pthread_mutex_lock(&r->lock);
	s = r->free_streams;
	if (s) {
		r->free_streams = s->free;
	} else {
		s = arena_alloc(&r->a, sizeof *s + r->warps * sizeof s->w[0], _Alignof(max_align_t));
		for (unsigned w = 0; w < r->warps; w++)
			s->w[w].cursor = new_array(&r->a, struct cursor, r->consumers);
	}
	pthread_mutex_unlock(&r->lock);
	for (unsigned w = 0; w < r->warps; w++) {
		struct stream *st = &s->w[w];

		atomic_store_explicit(&st->first, NULL, memory_order_relaxed);
		atomic_store_explicit(&st->ended, false, memory_order_relaxed);
		st->tail = NULL;
		st->used = 0;
		memset(st->cursor, 0, r->consumers * sizeof *st->cursor);
	}
	atomic_store_explicit(&s->left, r->warps * r->consumers, memory_order_relaxed);
	return s;
}

struct streams *recorder_start(struct recorder *r, uint64_t cta)
{
	struct streams *s = streams_take(r);
	_Atomic(struct page *) *at = &r->page[cta / PAGE_CTAS];
	struct page *p = atomic_load_explicit(at, memory_order_relaxed);

	if (!p) {
		uint64_t first = cta / PAGE_CTAS * PAGE_CTAS, n = r->ctas - first;

		pthread_mutex_lock(&r->lock);
		p = r->free_page;
		if (p)
			r->free_page = p->free;
		else
			p = new(&r->a, struct page);
		pthread_mutex_unlock(&r->lock);
		atomic_store_explicit(&p->left, (unsigned)(n < PAGE_CTAS ? n : PAGE_CTAS), memory_order_relaxed);
		for (unsigned i = 0; i < PAGE_CTAS; i++)
			atomic_store_explicit(&p->cta[i], NULL, memory_order_relaxed);
		atomic_store_explicit(at, p, memory_order_release);
	}
	atomic_store_explicit(&p->cta[cta % PAGE_CTAS], s, memory_order_release);
	atomic_store_explicit(&r->started, cta + 1, memory_order_release);
	return s;
}

uint64_t *recorder_reserve(struct recorder *r, struct stream *s, unsigned n)
{
	assert(n <= r->chunk_words);
	if (!s->tail || s->used + n > r->chunk_words) {
		struct chunk *c = chunk_take(r);

		if (s->tail)
			atomic_store_explicit(&s->tail->next, c, memory_order_release);
		else
			atomic_store_explicit(&s->first, c, memory_order_release);
		s->tail = c;
		s->used = 0;
	}
	return s->tail->word + s->used;
}

void recorder_publish(struct stream *s, unsigned n)
{
	s->used += n;
	atomic_store_explicit(&s->tail->n, s->used, memory_order_release);
}

void recorder_end(struct stream *s)
{
	atomic_store_explicit(&s->ended, true, memory_order_release);
}

/* ---- consumers ---- */
static void chunk_leave(struct recorder *r, struct chunk *c)
{
	if (atomic_fetch_sub_explicit(&c->left, 1, memory_order_acq_rel) != 1)
		return;
	pthread_mutex_lock(&r->lock);
	atomic_store_explicit(&c->next, r->free_chunk, memory_order_relaxed);
	r->free_chunk = c;
	pthread_mutex_unlock(&r->lock);
}

static void streams_leave(struct recorder *r, struct page *p, struct streams *s, uint64_t cta)
{
	if (atomic_fetch_sub_explicit(&s->left, 1, memory_order_acq_rel) != 1)
		return;
	atomic_store_explicit(&p->cta[cta % PAGE_CTAS], NULL, memory_order_release);
	if (atomic_fetch_sub_explicit(&p->left, 1, memory_order_acq_rel) == 1)
		atomic_store_explicit(&r->page[cta / PAGE_CTAS], NULL, memory_order_release);
	else
		p = NULL;
	pthread_mutex_lock(&r->lock);
	s->free = r->free_streams;
	r->free_streams = s;
	if (p) {
		p->free = r->free_page;
		r->free_page = p;
	}
	pthread_mutex_unlock(&r->lock);
}

static unsigned view(const struct recorder *r, const struct program *p, const uint64_t *at, struct record *out)
{
	unsigned extra = at[0] >> 32 & 255, head = 1 + (extra == EXTRA_LONG), sigs = 0, vals = 0;
	const struct xinsn *x;

	out->insn = (uint32_t)(at[0] >> 40);
	out->active = (uint32_t)at[0];
	x = &p->code[out->insn];
	if (out->active) {              /* else nothing was read, written or accessed */
		sigs = r->sigs ? x->nsig : 0;
		vals = r->values ? x->nval * 16u : 0;
	}
	if (extra == EXTRA_LONG)
		extra = (unsigned)at[1];
	at += head;
	out->nline = extra - sigs * 2 - vals;
	out->line = out->nline ? at : NULL;
	out->nsig = sigs;
	out->sig = sigs ? (const struct value_sig *)(const void *)(at + out->nline) : NULL;
	out->values = vals ? (const uint32_t *)(const void *)(at + out->nline + sigs * 2) : NULL;
	return head + extra;
}

enum peek recorder_next(struct recorder *r, const struct program *p, unsigned c, uint64_t cta, unsigned w, struct record *out)
{
	struct page *page;
	struct streams *s;
	struct stream *st;
	struct cursor *cur;

	if (cta >= atomic_load_explicit(&r->started, memory_order_acquire))
		return PEEK_NOTHING;
	page = atomic_load_explicit(&r->page[cta / PAGE_CTAS], memory_order_acquire);
	s = page ? atomic_load_explicit(&page->cta[cta % PAGE_CTAS], memory_order_acquire) : NULL;
	if (!s)
		return PEEK_END;
	st = &s->w[w];
	cur = &st->cursor[c];
	if (cur->done)
		return PEEK_END;
	for (;;) {
		bool ended = atomic_load_explicit(&st->ended, memory_order_acquire);     /* before looking for records */
		struct chunk *next;

		if (!cur->chunk)
			cur->chunk = atomic_load_explicit(&st->first, memory_order_acquire);
		if (cur->chunk) {
			if (cur->at < atomic_load_explicit(&cur->chunk->n, memory_order_acquire)) {
				cur->at += view(r, p, cur->chunk->word + cur->at, out);
				return PEEK_OK;
			}
			next = atomic_load_explicit(&cur->chunk->next, memory_order_acquire);
			/* The link appears after the last record of its chunk, so look at the count once more. */
			if (next && cur->at >= atomic_load_explicit(&cur->chunk->n, memory_order_acquire)) {
				chunk_leave(r, cur->chunk);
				cur->chunk = next;
				cur->at = 0;
				continue;
			}
			if (next)
				continue;
		}
		if (!ended)
			return PEEK_NOTHING;
		if (cur->chunk)
			chunk_leave(r, cur->chunk);
		cur->done = true;
		streams_leave(r, page, s, cta);
		return PEEK_END;
	}
}
