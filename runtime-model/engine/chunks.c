/* Memory of records: chunks of whole pages, used again and again.
 *
 * Up to a cap they are ordinary memory. What is needed beyond it, because warps or consumers are far apart, lies in an unlinked
 * file of TMPDIR that is mapped: a chunk which nobody will look at for a while leaves our memory (its contents stay in the
 * file's pages, which the kernel writes out if it must), and comes back where somebody looks. Nobody but this file
 * knows where a chunk lies. Space of the file is reserved before it is mapped, so that a full disk is an error, not a signal. */
#include "runtime-model/engine/core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLAB_MIN = 64 << 10, SLAB_MAX = 4 << 20, HUGE_PAGE = 2 << 20, FILE_STEP = 64 << 20, PAGE = 4096 };
static const uint64_t file_max = (uint64_t)1 << 40;      /* bytes; addresses are set aside for so many */

/* Without looking at it, which would bring it back. */
static bool in_file(const struct chunk_pool *p, const struct chunk *c)
{
	uintptr_t base = atomic_load_explicit(&p->base, memory_order_relaxed);

	return base && (uintptr_t)c - base < file_max;
}

struct slab { struct slab *next; unsigned char *at; size_t bytes; };

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
	if (atomic_load(&p->base))
		munmap((void *)atomic_load(&p->base), file_max);
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	atomic_store(&p->base, 0);
	p->file_bytes = p->file_used = 0;
	p->nfree_file = 0;
}

void chunk_pool_reset(struct chunk_pool *p, size_t chunk_bytes, uint64_t cap)
{
	close_file(p);
	p->chunk_bytes = chunk_bytes;
	p->cap = cap;
	p->used = p->memory_bytes = 0;
	p->at = NULL;
	p->free_memory = NULL;
}

void chunk_pool_free(struct chunk_pool *p)
{
	struct arena a = p->a;

	close_file(p);
	pthread_mutex_destroy(&p->lock);
	arena_free(&a);
}

/* ---- where chunks come from ---- */
static struct slab *new_slab(struct chunk_pool *p)
{
	struct slab *s = new(&p->a, struct slab);
	size_t align = PAGE;

	s->bytes = SLAB_MIN;
	while (s->bytes < p->memory_bytes && s->bytes < SLAB_MAX)
		s->bytes *= 2;
	if (s->bytes >= HUGE_PAGE)
		align = HUGE_PAGE;
	s->at = arena_alloc(&p->a, s->bytes + align, 1);
	s->at += -(uintptr_t)s->at & (align - 1);
	if (align == HUGE_PAGE)
		(void)madvise(s->at, s->bytes, MADV_HUGEPAGE);  /* fewer faults; nothing is lost where it is refused */
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

static const char *file_folder(void)
{
	const char *t = getenv("TMPDIR");

	return t && *t ? t : "/var/tmp";
}

static int open_file(void)
{
	char path[4096];
	int fd = open(file_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if ((size_t)snprintf(path, sizeof path, "%s/regloom-XXXXXX", file_folder()) >= sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static bool grow_file(struct chunk_pool *p)
{
	unsigned char *base = (void *)atomic_load(&p->base);
	int err;

	if (p->fd < 0)
		p->fd = open_file();
	if (p->fd < 0)
		return false;
	if (!base) {
		base = mmap(NULL, file_max, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (base == MAP_FAILED)
			return false;
		atomic_store(&p->base, (uintptr_t)base);
	}
	if (p->file_bytes == file_max) {
		errno = EFBIG;
		return false;
	}
	do
		err = posix_fallocate(p->fd, (off_t)p->file_bytes, FILE_STEP);
	while (err == EINTR);
	if (err) {
		errno = err;
		return false;
	}
	if (mmap(base + p->file_bytes, FILE_STEP, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, p->fd, (off_t)p->file_bytes) == MAP_FAILED)
		return false;
	p->file_bytes += FILE_STEP;
	return true;
}

static struct chunk *from_file(struct chunk_pool *p, char *error, size_t room)
{
	if (p->nfree_file)
		return p->free_file[--p->nfree_file];
	if (p->file_used == p->file_bytes && !grow_file(p)) {
		snprintf(error, room, "records that wait to be timed take more than %llu MiB, and a file in %s (TMPDIR) cannot take %llu MiB: %s",
		         (unsigned long long)p->cap >> 20, file_folder(), (unsigned long long)(p->file_bytes + FILE_STEP) >> 20, strerror(errno));
		if (!p->lost)
			p->lost = arena_alloc(&p->a, p->chunk_bytes, _Alignof(struct chunk));
		return p->lost;
	}
	p->file_used += p->chunk_bytes;
	return (void *)(atomic_load(&p->base) + p->file_used - p->chunk_bytes);
}

static struct chunk *from_memory(struct chunk_pool *p)
{
	struct chunk *c = p->free_memory;

	if (c) {
		p->free_memory = atomic_load_explicit(&c->next, memory_order_relaxed);
		return c;
	}
	if (p->memory_bytes >= p->cap)
		return NULL;
	if (!p->at || p->at_used == p->at->bytes)
		next_slab(p);
	c = (struct chunk *)(void *)(p->at->at + p->at_used);
	p->at_used += p->chunk_bytes;
	p->memory_bytes += p->chunk_bytes;
	return c;
}

/* ---- what the recorder calls ---- */
struct chunk *chunk_take(struct chunk_pool *p, char *error, size_t room)
{
	struct chunk *c;

	pthread_mutex_lock(&p->lock);
	c = from_memory(p);
	if (!c)
		c = from_file(p, error, room);
	p->used++;
	pthread_mutex_unlock(&p->lock);
	return c;
}

void chunk_give(struct chunk_pool *p, struct chunk *c)
{
	pthread_mutex_lock(&p->lock);
	p->used--;
	if (in_file(p, c)) {
		arena_grow(&p->a, p->free_file, p->nfree_file, p->free_file_cap);
		p->free_file[p->nfree_file++] = c;
		chunk_cool(p, c);
	} else {
		atomic_store_explicit(&c->next, p->free_memory, memory_order_relaxed);
		p->free_memory = c;
	}
	pthread_mutex_unlock(&p->lock);
}

void chunk_cool(const struct chunk_pool *p, struct chunk *c)
{
	if (in_file(p, c))
		(void)madvise(c, p->chunk_bytes, MADV_DONTNEED);        /* of a shared mapping: it only leaves this process */
}

/* By itself a page that is looked at would bring its neighbours with it, which nobody would send away again. */
void chunk_warm(const struct chunk_pool *p, struct chunk *c)
{
	if (in_file(p, c))
		(void)madvise(c, p->chunk_bytes, MADV_POPULATE_WRITE);
}
