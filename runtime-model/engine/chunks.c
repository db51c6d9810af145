/* Memory of records: chunks of a page, used again and again.
 *
 * Up to a cap all of them are in memory. Beyond it, because warps or consumers are far apart, a chunk that is full and
 * that nobody is reading is written to an unlinked file of TMPDIR, and read back when somebody comes to it. So what is
 * in memory is the cap, and one chunk for each warp and for each consumer of it. */
#include "runtime-model/engine/core.h"
#include "analyzer/base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLAB_MIN = 64 << 10, SLAB_MAX = 4 << 20, HUGE_PAGE = 2 << 20, PAGE = 4096 };

struct slab {
	struct slab *next;
	unsigned char *at;
	size_t bytes;
};

struct chunk_pool *chunk_pool_new(void)
{
	struct arena a;
	struct chunk_pool *p;

	arena_init(&a);
	p = new(&a, struct chunk_pool);
	*p = (struct chunk_pool){ .fd = -1, .a = a };
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

static void close_file(struct chunk_pool *p)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	p->slots = 0;
}

void chunk_pool_reset(struct chunk_pool *p, size_t chunk_bytes, uint64_t cap)
{
	close_file(p);
	arena_reset(&p->names);
	p->chunk_bytes = chunk_bytes;
	p->cap = cap;
	p->used = p->cut_bytes = p->memory_bytes = p->at_used = 0;
	p->at = NULL;
	p->free = NULL;
	p->free_words = NULL;
	p->error = 0;
}

void chunk_pool_free(struct chunk_pool *p)
{
	struct arena a = p->a;

	close_file(p);
	pthread_mutex_destroy(&p->lock);
	arena_free(&p->names);
	arena_free(&a);
}

/* ---- memory ---- */
static struct slab *new_slab(struct chunk_pool *p)
{
	struct slab *s = new(&p->a, struct slab);
	size_t align = PAGE;

	s->bytes = SLAB_MIN;
	while (s->bytes < p->cut_bytes && s->bytes < SLAB_MAX)
		s->bytes *= 2;
	if (s->bytes >= HUGE_PAGE)
		align = HUGE_PAGE;
	s->at = arena_alloc(&p->a, s->bytes + align, 1);
	s->at += -(uintptr_t)s->at & (align - 1);
	if (align == HUGE_PAGE)
		(void)madvise(s->at, s->bytes, MADV_HUGEPAGE); /* fewer faults; nothing is lost where it is refused */
	return s;
}

/* The next piece of memory to cut chunks from: those of the launch before first. */
static void next_slab(struct chunk_pool *p)
{
	struct slab **at = p->at ? &p->at->next : &p->first;

	if (!*at)
		*at = new_slab(p);
	p->at = *at;
	p->at_used = 0;
}

struct free_words {
	struct free_words *next;
};

static uint64_t *words_take(struct chunk_pool *p)
{
	struct free_words *f = p->free_words;

	p->memory_bytes += p->chunk_bytes;
	if (f) {
		p->free_words = f->next;
		return (void *)f;
	}
	if (!p->at || p->at_used == p->at->bytes)
		next_slab(p);
	p->at_used += p->chunk_bytes;
	p->cut_bytes += p->chunk_bytes;
	return (void *)(p->at->at + p->at_used - p->chunk_bytes);
}

static void words_give(struct chunk_pool *p, uint64_t *word)
{
	struct free_words *f = (void *)word;

	p->memory_bytes -= p->chunk_bytes;
	f->next = p->free_words;
	p->free_words = f;
}

/* ---- the file ---- */
static const char *file_folder(void)
{
	const char *t = getenv("TMPDIR");

	return t && *t ? t : "/var/tmp";
}

/* All of `bytes` at the chunk's place. */
static bool transfer(struct chunk_pool *p, const struct chunk *c, bool out, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		char *at = (char *)c->word + done;
		off_t where = (off_t)(c->slot * p->chunk_bytes + done);
		ssize_t n = out ? pwrite(p->fd, at, bytes - done, where) : pread(p->fd, at, bytes - done, where);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			p->error = n < 0 ? errno : EIO;
			return false;
		}
		done += (size_t)n;
	}
	return true;
}

static void put_away(struct chunk_pool *p, struct chunk *c)
{
	if (p->memory_bytes <= p->cap || c->inside || !c->word || p->error)
		return;
	if (p->fd < 0 && (p->fd = outfile_unnamed(file_folder())) < 0) {
		p->error = errno;
		return;
	}
	if (c->slot == NO_SLOT)
		c->slot = p->slots++;
	if (!transfer(p, c, true, atomic_load(&c->n) * sizeof *c->word))
		return;
	words_give(p, c->word);
	c->word = NULL;
}

/* ---- what the recorder calls ---- */
struct chunk *chunk_take(struct chunk_pool *p)
{
	struct chunk *c;

	pthread_mutex_lock(&p->lock);
	c = p->free;
	if (c) {
		p->free = atomic_load_explicit(&c->next, memory_order_relaxed);
	} else {
		c = new(&p->names, struct chunk);
		c->slot = NO_SLOT;
	}
	c->word = words_take(p);
	p->used++;
	pthread_mutex_unlock(&p->lock);
	return c;
}

bool chunk_filled(struct chunk_pool *p, struct chunk *c)
{
	bool ok;

	pthread_mutex_lock(&p->lock);
	put_away(p, c);
	ok = !p->error;
	pthread_mutex_unlock(&p->lock);
	return ok;
}

bool chunk_enter(struct chunk_pool *p, struct chunk *c)
{
	bool ok = true;

	pthread_mutex_lock(&p->lock);
	c->inside++;
	if (!c->word) {
		c->word = words_take(p);
		ok = transfer(p, c, false, atomic_load(&c->n) * sizeof *c->word);
	}
	pthread_mutex_unlock(&p->lock);
	return ok;
}

bool chunk_leave(struct chunk_pool *p, struct chunk *c, bool entered, bool full)
{
	bool ok;

	pthread_mutex_lock(&p->lock);
	c->inside -= entered;
	if (--c->left) {
		if (full)
			put_away(p, c);
	} else {
		if (c->word)
			words_give(p, c->word);
		p->used--;
		atomic_store_explicit(&c->next, p->free, memory_order_relaxed);
		p->free = c;
	}
	ok = !p->error;
	pthread_mutex_unlock(&p->lock);
	return ok;
}

const char *chunk_error(struct chunk_pool *p, struct arena *a)
{
	const char *text;

	pthread_mutex_lock(&p->lock);
	text = arena_printf(
		a,
		"records that wait to be timed take more than %llu MiB, and a file in %s (TMPDIR) does not take "
		"%llu MiB: %s",
		(unsigned long long)p->cap >> 20, file_folder(), (unsigned long long)(p->slots * p->chunk_bytes) >> 20,
		strerror(p->error));
	pthread_mutex_unlock(&p->lock);
	return text;
}
