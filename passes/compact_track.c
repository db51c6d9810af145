#include "passes/compact_track.h"

#include <assert.h>
#include <string.h>

struct seg_at track_find(const struct track *t, uint32_t from)
{
	uint32_t lo = 0, hi = t->n, c;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct chunk *m = t->chunk[mid];

		if (m->seg[m->n - 1].to > from)
			hi = mid;
		else
			lo = mid + 1;
	}
	c = lo;
	if (c == t->n)
		return (struct seg_at){ c, 0 };
	for (lo = 0, hi = t->chunk[c]->n - 1; lo < hi;) { /* the last one does */
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->chunk[c]->seg[mid].to > from)
			hi = mid;
		else
			lo = mid + 1;
	}
	return (struct seg_at){ c, lo };
}

/* A new chunk, empty, as number c. */
static struct chunk *add_chunk(struct track *t, struct spares *f, uint32_t c)
{
	struct chunk *k = f->n ? f->chunk[--f->n] : new(f->a, struct chunk);

	arena_grow(f->a, t->chunk, t->n, t->cap);
	memmove(t->chunk + c + 1, t->chunk + c, (t->n++ - c) * sizeof *t->chunk);
	k->n = 0;
	return t->chunk[c] = k;
}

static void spare(struct spares *f, struct chunk *k)
{
	arena_grow(f->a, f->chunk, f->n, f->cap);
	f->chunk[f->n++] = k;
}

void track_add(struct track *t, struct spares *f, struct seg s)
{
	struct seg_at at = track_find(t, s.from);
	struct chunk *k;

	if (at.chunk == t->n) { /* behind all */
		if (!t->n || t->chunk[t->n - 1]->n == CHUNK_SEGS)
			add_chunk(t, f, t->n);
		at.chunk = t->n - 1;
		at.seg = t->chunk[at.chunk]->n;
	}
	k = t->chunk[at.chunk];
	if (k->n == CHUNK_SEGS) {
		struct chunk *more = add_chunk(t, f, at.chunk + 1);

		k->n = more->n = CHUNK_SEGS / 2;
		memcpy(more->seg, k->seg + k->n, more->n * sizeof *k->seg);
		if (at.seg > k->n) {
			at.seg -= k->n;
			k = more;
		}
	}
	memmove(k->seg + at.seg + 1, k->seg + at.seg, (k->n++ - at.seg) * sizeof *k->seg);
	k->seg[at.seg] = s;
}

void track_remove(struct track *t, struct spares *f, uint32_t from)
{
	struct seg_at at = track_find(t, from);
	struct chunk *k = t->chunk[at.chunk];

	assert(k->seg[at.seg].from == from);
	memmove(k->seg + at.seg, k->seg + at.seg + 1, (--k->n - at.seg) * sizeof *k->seg);
	if (!k->n) {
		spare(f, k);
		memmove(t->chunk + at.chunk, t->chunk + at.chunk + 1, (--t->n - at.chunk) * sizeof *t->chunk);
	}
}

void track_clear(struct track *t, struct spares *f)
{
	while (t->n)
		spare(f, t->chunk[--t->n]);
}
