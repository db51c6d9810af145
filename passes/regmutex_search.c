/* The cheapest of several placements, by what they turn out to cost.
 *
 * How many MOVs a placement needs is known when compaction has made them: a value that is made while the extended set
 * is held and read where it is not costs one, and a few instructions more of holding may make it none. So whole
 * placements are tried: variants are made, weighed (regmutex_time()), and forgotten. First come shapes: what the model
 * of regmutex_regions.c takes for best, what is needed and no more, regions merged as if they came with more and more
 * MOVs, held from the first to the last need of a block, all of each loop with a need. Then the best of these climbs:
 * the end of a region moves outwards, or back in, by so many instructions, most executed ends first, as long as that
 * makes it cheaper. */
#include "passes/regmutex_place.h"
#include "analyzer/base/hash.h"

#include <string.h>

enum {
	WORK = 200000, /* instructions of all placements that are tried */
	MOST = 24,     /* placements, of small kernels */
	QUICK = 4,     /* this part of them for a size that may not be taken */
	LITTLE = 100,  /* one that executes less than this part of the kernel more is good enough */
};
static const unsigned merge_moves[] = { 4, 16 };
static const int step[] = { 8, 32, 2, 128, -2, -8, -32 };
#define LENGTH(x) (sizeof(x) / sizeof *(x))

struct search {
	const struct regmutex_cost *c;
	const struct kernel *k;
	const uint8_t *need, *never;
	struct arena *a;
	regmutex_try *try;
	void *of;
	unsigned left; /* to try */
	uint8_t *best, *now;
	struct regmutex_tried least;
	bool any;
	uint64_t *seen;
	unsigned nseen; /* hashes of those tried */
};

static bool is_new(struct search *s)
{
	uint64_t hash = HASH_START;

	for (uint32_t i = 0; i < s->k->ninsn; i++)
		hash = hash_step(hash, s->now[i]);
	for (unsigned x = 0; x < s->nseen; x++)
		if (s->seen[x] == hash)
			return false;
	s->seen[s->nseen++] = hash;
	return true;
}

/* Whether it is worth to go on. */
static bool done(const struct search *s) { return !s->left || (s->any && s->least.more * LITTLE < s->least.all); }

/* Tries s->now; true if it is the best so far. */
static bool consider(struct search *s)
{
	struct regmutex_tried t;

	for (uint32_t i = 0; i < s->k->ninsn; i++)
		s->now[i] = (s->now[i] || s->need[i]) && !s->never[i];
	if (done(s) || !is_new(s))
		return false;
	s->left--;
	if (!s->try(s->of, s->now, &t) || (s->any && t.time >= s->least.time))
		return false;
	s->any = true;
	s->least = t;
	memcpy(s->best, s->now, s->k->ninsn);
	return true;
}

static void merged(struct search *s, unsigned moves)
{
	regmutex_regions(s->c, s->need, s->never, moves, s->a, s->now);
	consider(s);
}

static void first_to_last(struct search *s)
{
	for (uint32_t b = 0; b < s->k->nblock; b++) {
		uint32_t from = s->k->block[b].first, to = from + s->k->block[b].n;

		while (from < to && !s->need[from])
			from++;
		while (from < to && !s->need[to - 1])
			to--;
		memset(s->now + s->k->block[b].first, 0, s->k->block[b].n);
		memset(s->now + from, 1, to - from);
	}
	consider(s);
}

/* All of the loops with a need, of the inner ones or of those around them too. */
static void loops(struct search *s, bool outer)
{
	const struct kernel *k = s->k;
	const struct cfg *g = k->cfg;
	bool *all = new_array(s->a, bool, (size_t)k->nblock + 1); /* by header */

	memcpy(s->now, s->need, k->ninsn);
	for (uint32_t b = 0; b < k->nblock; b++)
		if (memchr(s->need + k->block[b].first, 1, k->block[b].n))
			for (uint32_t h = g->loop[b]; h != UINT32_MAX; h = outer ? g->outer[h] : UINT32_MAX)
				all[h] = true;
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t h = g->loop[b]; h != UINT32_MAX; h = g->outer[h])
			if (all[h])
				memset(s->now + k->block[b].first, 1, k->block[b].n);
	consider(s);
}

/* The last n instructions of block b, or its first. */
static void fill(struct search *s, uint32_t b, uint32_t n, bool last)
{
	const struct block *bl = &s->k->block[b];

	n = n < bl->n ? n : bl->n;
	memset(s->now + bl->first + (last ? bl->n - n : 0), 1, n);
}

/* Moves the end of a region in block b that is before instruction i (first: one begins there) by n instructions; over
 * the block's end to its neighbours. */
static void move_end(struct search *s, uint32_t b, uint32_t i, bool first, int by)
{
	const struct cfg *g = s->k->cfg;
	uint32_t start = s->k->block[b].first, end = start + s->k->block[b].n, n = (uint32_t)(by < 0 ? -by : by);
	uint32_t before = i - start, behind = end - i, room, here;

	memcpy(s->now, s->best, s->k->ninsn);
	if (by < 0) {
		for (uint32_t x = 0; x < n && x < (first ? behind : before); x++) {
			const uint32_t at = first ? i + x : i - 1 - x;

			if (!s->best[at])
				break;
			s->now[at] = 0;
		}
		return;
	}
	room = first ? before : behind;
	here = n < room ? n : room;
	memset(s->now + i - (first ? here : 0), 1, here);
	if (n > before && first)
		for (uint32_t e = g->pred_at[b]; e < g->pred_at[b + 1]; e++)
			fill(s, g->pred[e], n - before, true);
	if (n > behind && !first)
		for (uint32_t e = g->succ_at[b]; e < g->succ_at[b + 1]; e++)
			fill(s, g->succ[e], n - behind, false);
}

/* One better placement next to the best one; false: there is none. */
static bool climb(struct search *s, const uint32_t *order)
{
	const struct kernel *k = s->k;

	for (unsigned d = 0; d < LENGTH(step); d++)
		for (uint32_t x = 0; x < k->nblock; x++) {
			uint32_t b = order[x], end = k->block[b].first + k->block[b].n;

			for (uint32_t i = k->block[b].first; i <= end && k->block[b].n; i++) {
				bool is = i < end && s->best[i], was = i > k->block[b].first && s->best[i - 1];

				if (is == was)
					continue;
				move_end(s, b, i, is, step[d]);
				if (consider(s))
					return true;
				if (done(s))
					return false;
			}
		}
	return false;
}

/* Blocks, often executed ones first. */
static uint32_t *by_runs(const struct search *s)
{
	uint32_t *order = new_array(s->a, uint32_t, (size_t)s->k->nblock + 1), n = 0;

	for (unsigned bit = 64; bit--;)
		for (uint32_t b = 0; b < s->k->nblock; b++)
			if (s->c->runs[b] >> bit == 1)
				order[n++] = b;
	for (uint32_t b = 0; b < s->k->nblock; b++)
		if (!s->c->runs[b])
			order[n++] = b;
	return order;
}

bool regmutex_search(const struct regmutex_cost *c, const uint8_t *need, const uint8_t *never, bool quick,
		     regmutex_try *try, void *of, struct arena *a, uint8_t *hold, struct regmutex_tried *least)
{
	const struct kernel *k = c->k;
	struct search s = { .c = c, .k = k, .need = need, .never = never, .a = a, .try = try, .of = of };
	const uint32_t *order;

	s.left = k->ninsn && WORK / k->ninsn < MOST ? WORK / k->ninsn : MOST;
	s.left /= quick ? QUICK : 1;
	s.best = new_array(a, uint8_t, (size_t)k->ninsn + 1);
	s.now = new_array(a, uint8_t, (size_t)k->ninsn + 1);
	s.seen = new_array(a, uint64_t, MOST);
	merged(&s, 1);
	memcpy(s.now, need, k->ninsn);
	consider(&s);
	for (unsigned x = 0; x < LENGTH(merge_moves); x++)
		merged(&s, merge_moves[x]);
	first_to_last(&s);
	loops(&s, false);
	loops(&s, true);
	order = by_runs(&s);
	while (s.any && climb(&s, order))
		;
	if (s.any)
		memcpy(hold, s.best, k->ninsn);
	*least = s.least;
	return s.any;
}
