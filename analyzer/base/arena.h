/* Arenas: memory with a named lifetime.
 * Every allocation is zeroed, unless asked for raw, and never NULL; running out of memory is fatal here and nowhere
 * else. Three lifetimes by convention: tool (process), kernel (one function), scratch (reset after each pass). */
#ifndef REGLOOM_ARENA_H
#define REGLOOM_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;
struct arena {
	struct arena_chunk *top;
	size_t block_bytes; /* smallest chunk taken from malloc; 0: the default */
	size_t total_bytes; /* handed out since creation or reset */
};

#define new(a, type) ((type *)arena_alloc((a), sizeof(type), _Alignof(type)))
#define new_array(a, type, n) ((type *)arena_alloc_array((a), (n), sizeof(type), _Alignof(type)))
/* With whatever was there: of a large array of which little is used, as a rule, and nothing read before it is
 * written. */
#define new_array_raw(a, type, n) ((type *)arena_alloc_raw((a), (n), sizeof(type), _Alignof(type)))

/* Makes room for one more element in the arena array P of N used and CAP allocated elements (doubling). */
#define arena_grow(a, p, n, cap) \
	((n) < (cap) ? (void)0 : (void)((p) = arena_regrow((a), (p), sizeof *(p), (n), &(cap))))

void arena_init(struct arena *a);
void arena_free(struct arena *a);  /* gives all memory back; the arena is empty and usable */
void arena_reset(struct arena *a); /* forgets all objects, keeps one chunk */
/* forgets all objects; as many again will fit one chunk, which is kept from then on */
void arena_recycle(struct arena *a);
void *arena_alloc(struct arena *a, size_t bytes, size_t align);
/* NULL if there is no memory: for sizes that the user chose */
void *arena_try_alloc(struct arena *a, size_t bytes, size_t align);
void *arena_alloc_array(struct arena *a, size_t n, size_t bytes, size_t align); /* checks n * bytes */
void *arena_alloc_raw(struct arena *a, size_t n, size_t bytes, size_t align);   /* likewise */
void *arena_regrow(struct arena *a, void *p, size_t bytes, uint32_t n, uint32_t *cap);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

#endif
