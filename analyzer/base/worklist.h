/* What is still to be done, of items in an order in which few are done twice: taken in ascending order, round and
 * round. A take costs one step of a bit set; a round costs n / 64 besides. For data flow over blocks: places in a
 * reverse post-order. */
#ifndef REGLOOM_WORKLIST_H
#define REGLOOM_WORKLIST_H

#include "analyzer/base/bitset.h"

struct worklist {
	uint64_t *todo;
	uint32_t n, at;
};

static inline struct worklist worklist_new(struct arena *a, uint32_t n)
{
	return (struct worklist){ bitset_new(a, n), n, 0 };
}
static inline void worklist_add(struct worklist *w, uint32_t i) { bitset_add(w->todo, i); }

/* The next from where the last one was on, into *I. False: there is none. */
static inline bool worklist_take(struct worklist *w, uint32_t *i)
{
	uint32_t x = bitset_next(w->todo, w->at, w->n);

	if (x == w->n)
		x = bitset_next(w->todo, 0, w->n);
	if (x == w->n)
		return false;
	bitset_del(w->todo, x);
	w->at = x + 1;
	*i = x;
	return true;
}

#endif
