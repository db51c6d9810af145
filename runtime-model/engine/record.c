/* Streams of records: one producer at a time, and any number of consumers at their own pace.
 *
 * A stream is a list of chunks. The producer writes what a warp did in one visit and then publishes it by raising the
 * chunk's count, or by linking the next chunk; consumers only load these two. Each consumer counts itself off a chunk
 * as it leaves it, and the last one gives it back (chunks.c: where chunks are meanwhile). Streams of a CTA, and pages
 * of 1024 CTAs, go back in the same way. So what is held depends on the window and on how far warps and consumers are
 * apart, not on the length of the run; one pointer for 1024 CTAs remains. */
#include "runtime-model/engine/core.h"

#include <string.h>

/* a consumer says that it has moved once in so many chunks */
enum { WAKE_CHUNKS = 64 };
static const uint64_t cap_default = (uint64_t)512 << 20;

void recorder_init(struct recorder *r, struct engine *e)
{
	const struct engine_options *o = &e->opt;

	arena_init(&r->a);
	pthread_mutex_init(&r->lock, NULL);
	r->e = e;
	r->consumers = r->present = o->consumers;
	r->want = o->want;
	r->sigs = o->want & (WANT_SIG | WANT_H3);
	r->h3 = o->want & WANT_H3;
	r->values = o->want & WANT_VALUES;
	r->parts = o->want & WANT_PARTS;
	r->warps = e->warps;
	r->ctas = e->ctas;
	if (!r->consumers)
		return;
	r->pool = e->dev->spare_chunks ? e->dev->spare_chunks : chunk_pool_new();
	e->dev->spare_chunks = NULL;
	chunk_pool_reset(r->pool, r->values ? CHUNK_BYTES_VALUES : CHUNK_BYTES,
			 o->record_bytes ? o->record_bytes : cap_default);
	r->chunk_words = (unsigned)(r->pool->chunk_bytes / sizeof(uint64_t));
	r->consumer = aligned_array(&r->a, r->consumers, sizeof *r->consumer);
	r->page = arena_alloc_array(&r->a, r->ctas / PAGE_CTAS + 1, sizeof *r->page, _Alignof(max_align_t));
}

void recorder_free(struct recorder *r)
{
	if (r->pool && r->e->dev->spare_chunks)
		chunk_pool_free(r->pool);
	else if (r->pool)
		chunk_pool_reset(r->e->dev->spare_chunks = r->pool, CHUNK_BYTES, 0);
	pthread_mutex_destroy(&r->lock);
	arena_free(&r->a);
}

/* ---- producer ---- */
static struct streams *streams_take(struct recorder *r)
{
	struct streams *s;

	pthread_mutex_lock(&r->lock);
	s = r->free_streams;
	if (s) {
		r->free_streams = s->free;
	} else {
		s = arena_alloc(&r->a, sizeof *s + r->warps * sizeof s->w[0], _Alignof(max_align_t));
		s->cursor = new_array(&r->a, struct cursor, (size_t)r->consumers * r->warps);
	}
	pthread_mutex_unlock(&r->lock);
	for (unsigned w = 0; w < r->warps; w++) {
		struct stream *st = &s->w[w];

		atomic_store_explicit(&st->first, NULL, memory_order_relaxed);
		atomic_store_explicit(&st->ended, false, memory_order_relaxed);
		st->tail = NULL;
		st->used = r->chunk_words;
		st->room = 0;
	}
	memset(s->cursor, 0, (size_t)r->consumers * r->warps * sizeof *s->cursor);
	atomic_store_explicit(&s->left, r->warps * r->present, memory_order_relaxed);
	return s;
}

/* The page that cta is on, taken when the first of its CTAs starts. */
static struct page *page_of(struct recorder *r, uint64_t cta)
{
	_Atomic(struct page *) *at = &r->page[cta / PAGE_CTAS];
	struct page *p = atomic_load_explicit(at, memory_order_relaxed);
	uint64_t first = cta / PAGE_CTAS * PAGE_CTAS, n = r->ctas - first;

	if (cta != first)
		return p;
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
	return p;
}

struct streams *recorder_start(struct recorder *r, uint64_t cta)
{
	struct streams *s = streams_take(r);
	struct page *p = page_of(r, cta);

	atomic_store_explicit(&p->cta[cta % PAGE_CTAS], s, memory_order_release);
	atomic_store_explicit(&r->started, cta + 1, memory_order_release);
	return s;
}

/* The launch ends where a chunk can neither be put away nor come back. */
static void fail(struct recorder *r)
{
	if (atomic_exchange(&r->e->failed, true))
		return;
	r->e->fault = (struct launch_fault){ .kind = FAULT_LIMIT,
					     .text = "no room for records",
					     .kernel = r->e->k->name,
					     .insn_text = "",
					     .source = "" };
	pthread_mutex_lock(&r->lock);
	diag_error_plain(r->e->d, r->e->k->name, "%s", chunk_error(r->pool, &r->a));
	pthread_mutex_unlock(&r->lock);
}

/* One CTA of the page has been read by all. */
static void page_leave(struct recorder *r, struct page *p, uint64_t cta)
{
	if (atomic_fetch_sub_explicit(&p->left, 1, memory_order_acq_rel) != 1)
		return;
	atomic_store_explicit(&r->page[cta / PAGE_CTAS], NULL, memory_order_release);
	pthread_mutex_lock(&r->lock);
	p->free = r->free_page;
	r->free_page = p;
	pthread_mutex_unlock(&r->lock);
}

void recorder_skip(struct recorder *r, uint64_t cta)
{
	page_leave(r, page_of(r, cta), cta);
	atomic_store_explicit(&r->started, cta + 1, memory_order_release);
}

void recorder_extend(struct recorder *r, struct stream *s)
{
	struct chunk *c = chunk_take(r->pool), *tail = s->tail;

	atomic_store_explicit(&c->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&c->n, 0, memory_order_relaxed);
	c->left = r->present;
	if (tail) {
		atomic_store_explicit(&tail->n, s->used, memory_order_release);
		if (!chunk_filled(r->pool, tail))
			fail(r);
		atomic_store_explicit(&tail->next, c, memory_order_release);
	} else {
		atomic_store_explicit(&s->first, c, memory_order_release);
	}
	s->tail = c;
	s->used = s->room = 0;
}

void recorder_publish(struct recorder *r, struct stream *s, bool ended)
{
	if (s->tail)
		atomic_store_explicit(&s->tail->n, s->used, memory_order_release);
	s->room = 0;
	if (!ended)
		return;
	if (s->tail && !chunk_filled(r->pool, s->tail))
		fail(r);
	atomic_store_explicit(&s->ended, true, memory_order_release);
}

/* ---- consumers ---- */
static void leave(struct recorder *r, unsigned c, struct chunk *k, bool entered, bool full)
{
	unsigned long long passed = atomic_fetch_add_explicit(&r->consumer[c].passed, 1, memory_order_relaxed);

	if (!chunk_leave(r->pool, k, entered, full))
		fail(r);
	if (passed % WAKE_CHUNKS == 0 && atomic_load_explicit(&r->e->waiting, memory_order_relaxed))
		/* one that is ahead may go on; if it misses this, production wakes it */
		pthread_cond_broadcast(&r->e->made);
}

static void streams_leave(struct recorder *r, struct page *p, struct streams *s, uint64_t cta)
{
	if (atomic_fetch_sub_explicit(&s->left, 1, memory_order_acq_rel) != 1)
		return;
	atomic_store_explicit(&p->cta[cta % PAGE_CTAS], NULL, memory_order_release);
	page_leave(r, p, cta);
	pthread_mutex_lock(&r->lock);
	s->free = r->free_streams;
	r->free_streams = s;
	pthread_mutex_unlock(&r->lock);
}

uint64_t recorder_slowest(const struct recorder *r)
{
	uint64_t least = UINT64_MAX;

	for (unsigned c = 0; c < r->consumers; c++) {
		uint64_t n = atomic_load_explicit(&r->consumer[c].passed, memory_order_relaxed);

		if (!atomic_load_explicit(&r->consumer[c].gone, memory_order_relaxed) && n < least)
			least = n;
	}
	return least;
}

/* Takes itself off whatever it has not passed. Nobody takes streams, pages or chunks meanwhile, so what others give
 * back stays as it is. */
void recorder_leave(struct recorder *r, unsigned c)
{
	uint64_t started = atomic_load_explicit(&r->started, memory_order_relaxed);

	for (uint64_t cta = 0; cta < started; cta++) {
		struct page *page = atomic_load_explicit(&r->page[cta / PAGE_CTAS], memory_order_acquire);
		struct streams *s;

		if (!page) {
			cta |= PAGE_CTAS - 1;
			continue;
		}
		s = atomic_load_explicit(&page->cta[cta % PAGE_CTAS], memory_order_acquire);
		for (unsigned w = 0; s && w < r->warps; w++) {
			struct cursor *cur = &s->cursor[c * r->warps + w];
			struct chunk *k = cur->chunk, *next;
			bool entered = k != NULL;

			if (cur->done)
				continue;
			cur->done = true;
			if (!k)
				k = atomic_load_explicit(&s->w[w].first, memory_order_acquire);
			for (; k; k = next, entered = false) {
				next = atomic_load_explicit(&k->next, memory_order_acquire);
				leave(r, c, k, entered, next != NULL);
			}
			streams_leave(r, page, s, cta);
		}
	}
	r->present--;
	atomic_store(&r->consumer[c].gone, true);
}

void recorder_view(const struct recorder *r, const struct program *p, struct cursor *cur, struct record *out)
{
	const uint64_t *word = cur->chunk->word, *at = word + cur->at;
	unsigned extra = *at >> 32 & 255, sigs, vals;
	const struct xinsn *x = &p->code[record_insn(*at)];

	out->insn = record_insn(*at);
	out->apart = record_apart(*at);
	out->active = (uint32_t)*at++;
	sigs = r->sigs ? x->nsig : 0;
	vals = r->values ? x->nval * 16u : 0;
	if (extra == RECORD_LONG)
		extra = (unsigned)*at++;
	out->nline = extra - sigs * 2 - vals;
	out->line = out->nline ? at : NULL;
	at += out->nline;
	out->nsig = sigs;
	out->sig = sigs ? (const struct value_sig *)(const void *)at : NULL;
	at += sigs * 2;
	out->values = vals ? (const uint32_t *)(const void *)at : NULL;
	cur->at = (uint32_t)(at + vals - word);
}

/* Finds the chunk of the next word. */
static enum peek advance(struct recorder *r, struct stream *st, unsigned c, struct cursor *cur)
{
	for (;;) {
		/* before looking for records */
		bool ended = atomic_load_explicit(&st->ended, memory_order_acquire);
		struct chunk *k = cur->chunk, *next;

		if (!k) {
			next = atomic_load_explicit(&st->first, memory_order_acquire);
		} else {
			if (cur->at < atomic_load_explicit(&k->n, memory_order_acquire))
				return PEEK_OK;
			next = atomic_load_explicit(&k->next, memory_order_acquire);
			/* The link appears after the last record of its chunk, so look at the count once more. */
			if (next && cur->at < atomic_load_explicit(&k->n, memory_order_acquire))
				return PEEK_OK;
		}
		if (!next) {
			if (!ended)
				return PEEK_NOTHING;
			if (k)
				leave(r, c, k, true, true);
			return PEEK_END;
		}
		if (k)
			leave(r, c, k, true, true);
		cur->chunk = next;
		cur->at = 0;
		if (!chunk_enter(r->pool, next)) {
			fail(r);
			cur->at = UINT32_MAX; /* nothing of it can be read */
		}
	}
}

enum peek recorder_next(struct recorder *r, const struct program *p, unsigned c, uint64_t cta, unsigned w,
			struct record *out)
{
	struct page *page;
	struct streams *s;
	struct cursor *cur;
	enum peek got;

	if (recorder_ready(r, p, c, cta, w, out))
		return PEEK_OK;
	if (cta >= atomic_load_explicit(&r->started, memory_order_acquire))
		return PEEK_NOTHING;
	page = atomic_load_explicit(&r->page[cta / PAGE_CTAS], memory_order_acquire);
	s = page ? atomic_load_explicit(&page->cta[cta % PAGE_CTAS], memory_order_acquire) : NULL;
	if (!s)
		return PEEK_END;
	cur = &s->cursor[c * r->warps + w];
	if (cur->done)
		return PEEK_END;
	got = advance(r, &s->w[w], c, cur);
	if (got == PEEK_END) {
		cur->done = true;
		cur->chunk = NULL;
		streams_leave(r, page, s, cta);
	}
	if (got == PEEK_OK)
		recorder_ready(r, p, c, cta, w, out);
	return got;
}
