/* What a register holds, by position: segments that do not overlap, in chunks, so that one more or less costs the same
 * in a kernel of any size. */
#ifndef REGLOOM_COMPACT_TRACK_H
#define REGLOOM_COMPACT_TRACK_H

#include "analyzer/base/arena.h"

struct seg {
	uint32_t from, to, item;
};

enum { CHUNK_SEGS = 64 };
/* never empty */
struct chunk {
	uint32_t n;
	struct seg seg[CHUNK_SEGS];
};
struct track {
	struct chunk **chunk;
	uint32_t n, cap;
};
/* chunks that are not in use */
struct spares {
	struct arena *a;
	struct chunk **chunk;
	uint32_t n, cap;
};
struct seg_at {
	uint32_t chunk, seg;
};

/* The first that ends behind position `from`. */
struct seg_at track_find(const struct track *t, uint32_t from);
/* NULL: at the end. */
static inline const struct seg *track_at(const struct track *t, struct seg_at at)
{
	return at.chunk < t->n ? &t->chunk[at.chunk]->seg[at.seg] : NULL;
}
static inline struct seg_at track_next(const struct track *t, struct seg_at at)
{
	return ++at.seg < t->chunk[at.chunk]->n ? at : (struct seg_at){ at.chunk + 1, 0 };
}
/* s overlaps none that is there. */
void track_add(struct track *t, struct spares *f, struct seg s);
/* The one that starts at `from` is there. */
void track_remove(struct track *t, struct spares *f, uint32_t from);
void track_clear(struct track *t, struct spares *f);

#endif
