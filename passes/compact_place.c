/* Registers for values and their pieces.
 *
 * The old code is the start: there, every value has a register in which it disturbs no other, but some that must be in
 * the base set are not. One after another, those that are dearest to cut first, they are put there; a value in the way
 * may go elsewhere, and one in its way, as far as DEPTH (ejection chains). If there is no way, values in the way that
 * are cheaper to cut are put out and take their turn again; else the value is cut, and the search goes on with its
 * pieces. Where that leads nowhere, everything is cut: while the set is held, the old registers will do, and the rest
 * is put into the base set in the order of the code, as a linear scan does.
 *
 * The search has a limit; behind it, what does not fit at once is cut.
 *
 * At last, pieces that MOVs join are put into one register where that is possible. Each register has a track of what it
 * holds, by position. */
#include "passes/compact.h"
#include "passes/compact_track.h"

#include <stdlib.h>

#define NONE COMPACT_NONE
#define NEVER UINT64_MAX

enum { DEPTH = 2, DEPTH_PIECE = 3, IN_THE_WAY = 4, EVICT = 8, ROUNDS = 3 };
/* Looks at a register for an item, of one search. */
enum { LOOKS_EACH = 4096 };
/* Steps, each the look at a segment of a track, or its change, of one way: so many, and for each span so many more.
 * Then nothing is searched any more: what does not fit at once is cut. Behind the second limit, the way has failed. */
enum { STEPS_SEARCH = 2 << 20, STEPS_SEARCH_SPAN = 4, STEPS_SPAN = 32 };

/* item was in reg before */
struct change {
	uint32_t item;
	uint16_t reg;
};

struct place {
	struct compact *x;
	struct track track[MREG_RZ];
	struct change *log;
	uint32_t nlog, log_cap;
	uint32_t *todo, ntodo, todo_cap;
	struct spares spares;
	uint64_t each;               /* looks left */
	uint64_t steps, search, end; /* done; until when there is searching; until when there is anything */
};

/* ---- tracks ---- */
/* Items in the way of `it` in register r: up to max of them in list, max + 1 if there are more. */
static uint32_t in_the_way(struct place *p, uint32_t it, uint32_t r, uint32_t *list, uint32_t max)
{
	const struct compact_item *i = &p->x->item[it];
	uint32_t n = 0;

	p->each -= p->each > 0;
	for (unsigned part = 0; part <= i->wide; part++) {
		const struct track *t = &p->track[r + part];

		for (uint32_t s = i->span[part]; s < i->span[part + 1]; s++) {
			const struct compact_span *sp = &p->x->span[s];

			const struct seg *q;

			p->steps++;
			for (struct seg_at at = track_find(t, sp->from); (q = track_at(t, at)) && q->from < sp->to;
			     at = track_next(t, at)) {
				uint32_t y = 0;

				p->steps++;
				while (y < n && list[y] != q->item)
					y++;
				if (y < n)
					continue;
				if (n == max)
					return max + 1;
				list[n++] = q->item;
			}
		}
	}
	return n;
}

static bool searches(const struct place *p) { return p->steps < p->search; }

static bool fits(struct place *p, uint32_t it, uint32_t r)
{
	uint32_t none;

	return in_the_way(p, it, r, &none, 0) == 0;
}

static void lay(struct place *p, uint32_t it, uint32_t r)
{
	struct compact_item *i = &p->x->item[it];

	for (unsigned part = 0; part <= i->wide; part++) {
		struct track *t = &p->track[r + part];

		for (uint32_t s = i->span[part]; s < i->span[part + 1]; s++) {
			const struct compact_span *sp = &p->x->span[s];

			p->steps++;
			track_add(t, &p->spares, (struct seg){ sp->from, sp->to, it });
		}
	}
	i->reg = (uint16_t)r;
}

static void lift(struct place *p, uint32_t it)
{
	struct compact_item *i = &p->x->item[it];

	for (unsigned part = 0; part <= i->wide && i->reg != MREG_RZ; part++) {
		struct track *t = &p->track[i->reg + part];

		for (uint32_t s = i->span[part]; s < i->span[part + 1]; s++) {
			p->steps++;
			track_remove(t, &p->spares, p->x->span[s].from);
		}
	}
	i->reg = MREG_RZ;
}

/* Puts `it` into register r, RZ: into none; can be undone. */
static void put(struct place *p, uint32_t it, uint32_t r)
{
	struct compact_item *i = &p->x->item[it];

	arena_grow(p->x->a, p->log, p->nlog, p->log_cap);
	p->log[p->nlog++] = (struct change){ it, i->reg };
	lift(p, it);
	if (r != MREG_RZ)
		lay(p, it, r);
}

static void undo(struct place *p, uint32_t mark)
{
	while (p->nlog > mark) {
		struct change c = p->log[--p->nlog];

		lift(p, c.item);
		if (c.reg != MREG_RZ)
			lay(p, c.item, c.reg);
	}
}

static void start(struct place *p)
{
	struct compact *x = p->x;

	for (uint32_t v = 0; v < x->nvalue; v++) {
		const struct compact_item *i = &x->item[v];

		for (unsigned part = 0; part <= i->wide; part++)
			for (uint32_t s = i->span[part]; s < i->span[part + 1]; s++) {
				p->steps++;
				track_add(&p->track[i->was + part], &p->spares,
					  (struct seg){ x->span[s].from, x->span[s].to, v });
			}
	}
}

static bool in_base(const struct compact *x, uint32_t it)
{
	return (uint32_t)x->item[it].reg + x->item[it].wide < x->base;
}

/* ---- searching ---- */
/* The registers that `it` may have, best first: those of pieces that it is joined to, the old one, then those of the
 * base set from below, or all from above, where they are of no use to what must be in the base set. */
static uint32_t candidates(const struct place *p, uint32_t it, uint8_t list[MREG_RZ])
{
	const struct compact *x = p->x;
	const struct compact_item *i = &x->item[it];
	uint32_t limit = i->base ? x->base : x->n, n = 0, step = i->wide ? 2 : 1, top = limit / step * step;
	uint64_t seen[WLIVE_WORDS] = { 0 };

	for (uint32_t b = i->bound_at; it >= x->nvalue && b < x->item[it + 1].bound_at; b++) {
		const struct compact_bound *bd = &x->bound[x->bound_of[b]];
		uint32_t other = bd->from == it ? bd->to : bd->from, r;

		if (x->item[other].reg == MREG_RZ)
			continue;
		r = compact_reg(x, other, bd->was) - (i->wide ? bd->was & 1 : 0);
		if (r % step || r + step > limit || bitset_has(seen, r))
			continue;
		bitset_add(seen, r);
		list[n++] = (uint8_t)r;
	}
	if (i->was + step <= limit && !bitset_has(seen, i->was)) {
		bitset_add(seen, i->was);
		list[n++] = (uint8_t)i->was;
	}
	for (uint32_t c = 0; c < top; c += step) {
		uint32_t r = i->base ? c : top - step - c;

		if (!bitset_has(seen, r))
			list[n++] = (uint8_t)r;
	}
	return n;
}

/* Finds a register for `it`, which has none; moves others if it has to, up to `depth` after another. */
static bool settle(struct place *p, uint32_t it, unsigned depth)
{
	struct compact_item *i = &p->x->item[it];
	uint8_t reg[MREG_RZ];
	uint32_t n = candidates(p, it, reg), way[IN_THE_WAY];

	for (uint32_t c = 0; c < n; c++)
		if (fits(p, it, reg[c])) {
			put(p, it, reg[c]);
			return true;
		}
	i->locked = true;
	for (uint32_t c = 0; c < n && depth && searches(p) && p->each; c++) {
		uint32_t m = in_the_way(p, it, reg[c], way, IN_THE_WAY), mark = p->nlog;
		bool ok = m <= IN_THE_WAY;

		for (uint32_t y = 0; y < m && ok; y++)
			ok = !p->x->item[way[y]].locked;
		if (!ok)
			continue;
		for (uint32_t y = 0; y < m; y++)
			put(p, way[y], MREG_RZ);
		put(p, it, reg[c]);
		for (uint32_t y = 0; y < m && ok; y++)
			ok = settle(p, way[y], depth - 1);
		if (ok) {
			i->locked = false;
			return true;
		}
		undo(p, mark);
	}
	i->locked = false;
	return false;
}

static bool search(struct place *p, uint32_t it, unsigned depth)
{
	p->nlog = 0; /* what is there stays */
	p->each = LOOKS_EACH;
	return p->steps < p->end && settle(p, it, depth);
}

/* Puts `it` where values are in the way that together cost less than `cost` to cut; they are to do then. */
static bool evict(struct place *p, uint32_t it, uint64_t cost)
{
	const struct compact *x = p->x;
	uint8_t reg[MREG_RZ];
	uint32_t n = candidates(p, it, reg), way[EVICT], best = NONE;

	for (uint32_t c = 0; c < n; c++) {
		uint32_t m = in_the_way(p, it, reg[c], way, EVICT);
		uint64_t sum = 0;

		if (m > EVICT)
			continue;
		for (uint32_t y = 0; y < m && sum != NEVER; y++)
			sum = way[y] >= x->nvalue || x->item[way[y]].cost == NEVER ? NEVER : sum + x->item[way[y]].cost;
		if (sum < cost) {
			cost = sum;
			best = reg[c];
		}
	}
	if (best == NONE)
		return false;
	n = in_the_way(p, it, best, way, EVICT);
	for (uint32_t y = 0; y < n; y++) {
		put(p, way[y], MREG_RZ);
		arena_grow(x->a, p->todo, p->ntodo, p->todo_cap);
		p->todo[p->ntodo++] = way[y];
	}
	put(p, it, best);
	return true;
}

static bool refuse(struct place *p, uint32_t it)
{
	const struct compact_item *i = &p->x->item[it];

	p->x->refused_at = i->span[0] < i->span[2] ? p->x->span[i->span[0]].from / 2 : 0;
	return false;
}

static bool place_piece(struct place *p, uint32_t it)
{
	return search(p, it, DEPTH_PIECE) || (p->x->item[it].base && p->steps < p->end && evict(p, it, NEVER)) ||
	       refuse(p, it);
}

static bool cut(struct place *p, uint32_t v)
{
	struct compact_item *i = &p->x->item[v];

	i->cut = true;
	for (unsigned base = 2; base-- > 0;)
		for (uint32_t y = i->first; y < i->first + i->n; y++)
			if (p->x->item[y].base == base && !place_piece(p, y))
				return false;
	return true;
}

static int dearest(const void *a, const void *b)
{
	const struct compact_item *const *x = a, *const *y = b;

	if ((*x)->cost != (*y)->cost)
		return (*x)->cost > (*y)->cost ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/* From the old registers. */
static bool repair(struct place *p)
{
	struct compact *x = p->x;
	struct compact_item **list = new_array(x->a, struct compact_item *, (size_t)x->nvalue + 1);
	uint32_t n = 0;

	for (uint32_t v = 0; v < x->nvalue; v++)
		if (x->item[v].base && !in_base(x, v))
			list[n++] = &x->item[v];
	qsort(list, n, sizeof *list, dearest);
	for (uint32_t y = 0; y < n; y++) {
		arena_grow(x->a, p->todo, p->ntodo, p->todo_cap);
		p->todo[p->ntodo++] = (uint32_t)(list[y] - x->item);
	}
	for (uint32_t t = 0; t < p->ntodo; t++) {
		uint32_t v = p->todo[t];

		if (x->item[v].reg != MREG_RZ && (!x->item[v].base || in_base(x, v)))
			continue;
		put(p, v, MREG_RZ);
		if (search(p, v, DEPTH) || (searches(p) && evict(p, v, x->item[v].cost)))
			continue;
		if (x->item[v].n < 2)
			return refuse(p, v);
		if (!cut(p, v))
			return false;
	}
	return true;
}

static int by_start(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Everything is cut. What must be in the base set and is alive while the extended one is held too comes first, then old
 * registers where it is held, then the rest in the order of the code. */
static bool scan(struct place *p)
{
	struct compact *x = p->x;
	uint64_t *order = new_array(x->a, uint64_t, (size_t)x->nitem + 1);
	uint32_t n = 0;

	for (uint32_t r = 0; r < x->n; r++)
		track_clear(&p->track[r], &p->spares);
	for (uint32_t i = 0; i < x->nitem; i++)
		x->item[i].reg = MREG_RZ;
	for (uint32_t v = 0; v < x->nvalue; v++)
		x->item[v].cut = true;
	for (uint32_t i = x->nvalue; i < x->nitem; i++) {
		const struct compact_item *it = &x->item[i];
		const uint64_t from = it->span[0] < it->span[2] ? x->span[it->span[0]].from : 0;
		uint64_t rank = it->base ? 2 : 1;

		for (uint32_t s = it->span[0]; it->base && s < it->span[2]; s++)
			if (x->hold[x->span[s].from / 2])
				rank = 0;
		order[n++] = rank << 62 | from << 30 | (i - x->nvalue);
	}
	qsort(order, n, sizeof *order, by_start);
	for (uint32_t y = 0; y < n; y++) {
		uint32_t i = (uint32_t)(order[y] & ((1u << 30) - 1)) + x->nvalue;

		if (!search(p, i, DEPTH_PIECE))
			return refuse(p, i);
	}
	return true;
}

/* ---- afterwards ---- */
static uint64_t piece_cost(const struct compact *x, uint32_t it)
{
	uint64_t sum = 0;

	for (uint32_t b = x->item[it].bound_at; b < x->item[it + 1].bound_at; b++)
		sum += compact_moves(x, &x->bound[x->bound_of[b]]) ? x->bound[x->bound_of[b]].weight : 0;
	return sum;
}

/* Puts piece `it` where it meets the other side of boundary b, if MOVs become fewer by that. Only whole values give
 * way. */
static bool meet(struct place *p, uint32_t it, const struct compact_bound *b)
{
	struct compact *x = p->x;
	const struct compact_item *i = &x->item[it];
	const uint32_t half = i->wide ? b->was & 1 : 0,
		       r = compact_reg(x, b->from == it ? b->to : b->from, b->was) - half;
	const uint32_t mark = p->nlog;
	uint32_t way[IN_THE_WAY], m;
	uint64_t before = piece_cost(x, it);
	bool ok;

	if ((i->wide && r % 2) || r + i->wide >= (i->base ? x->base : x->n))
		return false;
	p->each = LOOKS_EACH;
	put(p, it, MREG_RZ);
	m = in_the_way(p, it, r, way, IN_THE_WAY);
	ok = m <= IN_THE_WAY;
	for (uint32_t y = 0; y < m && ok; y++)
		ok = way[y] < x->nvalue;
	for (uint32_t y = 0; y < m && ok; y++)
		put(p, way[y], MREG_RZ);
	if (ok) {
		put(p, it, r);
		ok = piece_cost(x, it) < before;
		for (uint32_t y = 0; y < m && ok; y++)
			ok = settle(p, way[y], 0);
	}
	if (!ok)
		undo(p, mark);
	return ok;
}

struct gain {
	uint64_t weight;
	uint32_t bound;
};

static int by_gain(const void *a, const void *b)
{
	const struct gain *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->bound < y->bound ? -1 : x->bound > y->bound;
}

static void join_pieces(struct place *p)
{
	const struct compact *x = p->x;
	struct gain *g = new_array(x->a, struct gain, (size_t)x->nbound + 1);
	bool more = true;

	for (unsigned round = 0; round < ROUNDS && more; round++) {
		uint32_t n = 0;

		more = false;
		for (uint32_t b = 0; b < x->nbound; b++)
			if (compact_moves(x, &x->bound[b]))
				g[n++] = (struct gain){ x->bound[b].weight, b };
		qsort(g, n, sizeof *g, by_gain);
		for (uint32_t y = 0; y < n && searches(p); y++) {
			const struct compact_bound *b = &x->bound[g[y].bound];

			if (compact_moves(x, b))
				more |= meet(p, b->from, b) || meet(p, b->to, b);
		}
	}
}

/* What lanes may wait for elsewhere while others are without the extended set. */
static void prefer_base(struct place *p)
{
	struct compact *x = p->x;

	for (uint32_t it = 0; it < x->nitem && searches(p); it++) {
		struct compact_item *i = &x->item[it];
		uint32_t mark = p->nlog;

		if (!i->waits || i->base || i->reg == MREG_RZ || in_base(x, it))
			continue;
		i->base = true;
		put(p, it, MREG_RZ);
		p->each = LOOKS_EACH;
		if (!settle(p, it, 1))
			undo(p, mark);
		i->base = false;
	}
}

uint64_t compact_cost(const struct compact *x)
{
	uint64_t sum = 0;

	for (uint32_t b = 0; b < x->nbound; b++)
		sum += compact_moves(x, &x->bound[b]) ? x->bound[b].weight : 0;
	return sum;
}

/* ---- ways ---- */
/* What a cut of a value is taken to cost: MOVs at all its boundaries, at the dearest one, or at the one of least cost.
 * Where all sides but one can be in one register, the last is what it costs. */
enum way { BY_SUM, BY_MOST, BY_LEAST, SCAN, WAYS };

static void estimate(struct compact *x, enum way how)
{
	for (uint32_t v = 0; v < x->nvalue; v++) {
		x->item[v].cost = how == BY_LEAST ? NEVER - 1 : 0;
		if (x->item[v].n < 2)
			x->item[v].cost = NEVER;
	}
	for (uint32_t b = 0; b < x->nbound; b++) {
		uint64_t w = x->bound[b].weight, *cost = &x->item[x->item[x->bound[b].from].value].cost;

		if (*cost == NEVER)
			continue;
		if (how == BY_SUM)
			*cost += w;
		else if ((how == BY_MOST) == (w > *cost))
			*cost = w;
	}
}

static bool try_way(struct compact *x, enum way how)
{
	struct place p = { .x = x, .spares.a = x->a };
	bool ok;

	for (uint32_t i = 0; i < x->nitem; i++) {
		x->item[i].cut = false;
		x->item[i].reg = i < x->nvalue ? x->item[i].was : MREG_RZ;
	}
	estimate(x, how);
	start(&p);
	p.search = p.steps + STEPS_SEARCH + STEPS_SEARCH_SPAN * (uint64_t)x->nspan;
	p.end = p.search + STEPS_SPAN * (uint64_t)x->nspan;
	ok = how == SCAN ? scan(&p) : repair(&p);
	if (ok) {
		join_pieces(&p);
		prefer_base(&p);
	}
	x->steps += p.steps;
	x->cheap = !searches(&p);
	return ok;
}

struct kept {
	uint16_t reg;
	bool cut;
};

bool compact_place(struct compact *x)
{
	struct kept *best = new_array(x->a, struct kept, (size_t)x->nitem + 1);
	uint64_t least = UINT64_MAX;

	for (enum way how = BY_SUM; how < WAYS && least; how++) {
		uint64_t cost;

		/* the other ways would come to their end, too */
		if (x->cheap && (least != UINT64_MAX || how != SCAN))
			continue;
		cost = try_way(x, how) ? compact_cost(x) : UINT64_MAX;

		if (cost >= least)
			continue;
		least = cost;
		for (uint32_t i = 0; i < x->nitem; i++)
			best[i] = (struct kept){ x->item[i].reg, x->item[i].cut };
	}
	for (uint32_t i = 0; i < x->nitem && least != UINT64_MAX; i++) {
		x->item[i].reg = best[i].reg;
		x->item[i].cut = best[i].cut;
	}
	return least != UINT64_MAX;
}
