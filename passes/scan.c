/* Linear scan over live intervals with holes (Poletto and Sarkar 1999; Traub, Holloway and Smith 1998).
 *
 * Each machine register has a track: the spans taken, in order. Intervals come in order of their start; one fits a
 * track if none of its spans overlaps one there, so a value may live in the hole of another. Spans that ended before
 * the current start are passed for good (the cursor), which makes the whole near linear in the number of spans.
 *
 * Choice: the other side of a move first; for 32 bits a register whose partner in the aligned pair is taken, so that
 * pairs stay whole; else the lowest that fits. If no pair fits, a pair whose occupants can move elsewhere is cleared.
 * If nothing fits, the interval or the occupants of some register spill, whichever is cheaper: accesses weighted by
 * 8^loop depth over the length (Chaitin 1982). */
#include "passes/alloc.h"

/* occupants moved to clear a pair */
enum { CLEAR_MAX = 2 };

struct seg {
	uint32_t from, to, owner;
};

struct track {
	struct seg *seg;
	uint32_t n, cap, cursor;
};

struct scan {
	struct alloc *x;
	struct track track[MREG_COUNT];
	uint32_t *seen, stamp; /* by virtual register: counted already */
	uint32_t nspill;
};

static unsigned pool_first(const struct scan *s, uint32_t v) { return s->x->k->vreg[v].rc == RC_PRED ? MREG_P0 : 0; }

static unsigned pool_end(const struct scan *s, uint32_t v)
{
	const struct pass_options *o = &s->x->cx->opt;

	if (s->x->k->vreg[v].rc == RC_PRED)
		return MREG_P0 + (o->maxpred < 7 ? o->maxpred : 7);
	return o->maxreg < 254 ? o->maxreg : 254;
}

static unsigned width(const struct scan *s, uint32_t v) { return s->x->k->vreg[v].rc == RC_64 ? 2 : 1; }

/* First segment of t, from q on, that overlaps a span of v from *sp on; t->n if none. *sp follows. */
static uint32_t next_conflict(const struct scan *s, const struct track *t, uint32_t q, uint32_t *sp)
{
	const struct span *span = s->x->span;

	while (q < t->n && *sp != ALLOC_NONE) {
		if (t->seg[q].to <= span[*sp].from)
			q++;
		else if (span[*sp].to <= t->seg[q].from)
			*sp = span[*sp].next;
		else
			return q;
	}
	return t->n;
}

static bool fits(struct scan *s, unsigned r, uint32_t v)
{
	struct track *t = &s->track[r];
	uint32_t sp = s->x->life[v].span;

	return next_conflict(s, t, t->cursor, &sp) == t->n;
}

static bool fits_wide(struct scan *s, unsigned r, uint32_t v)
{
	return fits(s, r, v) && (width(s, v) == 1 || fits(s, r + 1, v));
}

static void occupy(struct scan *s, unsigned r, uint32_t v)
{
	struct track *t = &s->track[r];
	uint32_t add = 0, q, to;

	for (uint32_t sp = s->x->life[v].span; sp != ALLOC_NONE; sp = s->x->span[sp].next) {
		arena_grow(s->x->a, t->seg, t->n + add, t->cap);
		t->seg[t->n + add++] = (struct seg){ s->x->span[sp].from, s->x->span[sp].to, v };
	}
	/* merge the two sorted runs: what was there from the cursor on, and the new segments */
	q = t->n;
	if (q > t->cursor && t->seg[q - 1].from > t->seg[q].from) {
		struct seg *fresh = new_array(s->x->a, struct seg, add);

		memcpy(fresh, t->seg + q, add * sizeof *fresh);
		to = q + add;
		for (uint32_t f = add; f > 0;)
			t->seg[--to] =
				q > t->cursor && t->seg[q - 1].from > fresh[f - 1].from ? t->seg[--q] : fresh[--f];
	}
	t->n += add;
}

static void vacate(struct scan *s, unsigned r, uint32_t v)
{
	struct track *t = &s->track[r];
	uint32_t to = t->cursor;

	for (uint32_t q = t->cursor; q < t->n; q++)
		if (t->seg[q].owner != v)
			t->seg[to++] = t->seg[q];
	t->n = to;
}

static void place(struct scan *s, uint32_t v, unsigned r)
{
	s->x->life[v].reg = (uint16_t)r;
	for (unsigned h = 0; h < width(s, v); h++)
		occupy(s, r + h, v);
}

static void displace(struct scan *s, uint32_t v)
{
	for (unsigned h = 0; h < width(s, v); h++)
		vacate(s, s->x->life[v].reg + h, v);
	s->x->life[v].reg = MREG_COUNT;
}

static void pass_over(struct scan *s, uint32_t v)
{
	uint32_t start = s->x->span[s->x->life[v].span].from;

	for (unsigned r = pool_first(s, v); r < pool_end(s, v); r++) {
		struct track *t = &s->track[r];

		while (t->cursor < t->n && t->seg[t->cursor].to <= start)
			t->cursor++;
	}
}

/* A register where v fits, outside the pair `not` (and its odd half); MREG_COUNT if there is none. */
static unsigned find_place(struct scan *s, uint32_t v, unsigned not )
{
	unsigned first = pool_first(s, v), end = pool_end(s, v), step = width(s, v), found = MREG_COUNT;
	uint32_t hint = s->x->life[v].hint;

	if (hint != ALLOC_NONE && s->x->life[hint].reg != MREG_COUNT) {
		unsigned r = s->x->life[hint].reg;

		if ((r & ~1u) != not &&r + step <= end && fits_wide(s, r, v))
			return r;
	}
	for (unsigned r = first; r + step <= end; r += step) {
		if ((r & ~1u) == not || !fits_wide(s, r, v))
			continue;
		if (step == 2 || first == MREG_P0 || !fits(s, r ^ 1, v))
			return r;
		if (found == MREG_COUNT)
			found = r;
	}
	return found;
}

/* Moves single-span 32-bit value c out of the pair `pair`. What was there before the current start may still overlap
 * c. */
static bool move_away(struct scan *s, uint32_t c, unsigned pair)
{
	const struct span *sp = &s->x->span[s->x->life[c].span];

	if (width(s, c) != 1 || sp->next != ALLOC_NONE)
		return false;
	for (unsigned r = pool_first(s, c); r < pool_end(s, c); r++) {
		struct track *t = &s->track[r];

		if ((r & ~1u) == pair || !fits(s, r, c))
			continue;
		if (t->cursor && t->seg[t->cursor - 1].to > sp->from)
			continue;
		displace(s, c);
		place(s, c, r);
		return true;
	}
	return false;
}

/* What v would push out of register r (both halves): where the search for the next is. */
struct in_way {
	uint32_t v, q, span;
	unsigned r, end;
};

static struct in_way in_way(struct scan *s, unsigned r, uint32_t v)
{
	s->stamp++;
	return (struct in_way){ v, s->track[r].cursor, s->x->life[v].span, r, r + width(s, v) };
}

/* The owners, each once; ALLOC_NONE at the end. */
static uint32_t next_in_way(struct scan *s, struct in_way *w)
{
	for (; w->r < w->end; w->r++, w->q = w->r < w->end ? s->track[w->r].cursor : 0) {
		const struct track *t = &s->track[w->r];

		while ((w->q = next_conflict(s, t, w->q, &w->span)) < t->n) {
			const uint32_t o = t->seg[w->q++].owner;

			if (s->seen[o] == s->stamp)
				continue;
			s->seen[o] = s->stamp;
			return o;
		}
		w->span = s->x->life[w->v].span;
	}
	return ALLOC_NONE;
}

static unsigned clear_pair(struct scan *s, uint32_t v)
{
	for (unsigned r = 0; width(s, v) == 2 && r + 2 <= pool_end(s, v); r += 2) {
		struct in_way w = in_way(s, r, v);
		uint32_t owner[CLEAR_MAX + 1];
		unsigned n = 0, moved = 0;

		while (n <= CLEAR_MAX && (owner[n] = next_in_way(s, &w)) != ALLOC_NONE)
			n++;
		if (n > CLEAR_MAX)
			continue;
		while (moved < n && move_away(s, owner[moved], r))
			moved++;
		if (moved == n && fits_wide(s, r, v))
			return r;
	}
	return MREG_COUNT;
}

/* Cost per position of keeping v elsewhere; UINT64_MAX: it would not help. */
static uint64_t spill_weight(const struct scan *s, uint32_t v)
{
	const struct life *f = &s->x->life[v];

	if (f->fixed)
		return UINT64_MAX;
	return (f->cost < (uint64_t)1 << 40 ? f->cost << 20 : (uint64_t)1 << 60) / f->length;
}

static uint64_t weight_in_way(struct scan *s, unsigned r, uint32_t v, uint64_t limit)
{
	struct in_way x = in_way(s, r, v);
	uint64_t sum = 0;

	for (uint32_t o = next_in_way(s, &x); o != ALLOC_NONE; o = next_in_way(s, &x)) {
		const uint64_t w = spill_weight(s, o);

		if (w >= limit - sum)
			return limit;
		sum += w;
	}
	return sum;
}

static void mark_spilled(struct scan *s, uint32_t v)
{
	if (!s->x->life[v].spill)
		s->nspill++;
	s->x->life[v].spill = true;
}

static void evict(struct scan *s, unsigned r, uint32_t v)
{
	for (unsigned h = 0; h < width(s, v); h++) {
		struct track *t = &s->track[r + h];

		for (;;) {
			uint32_t sp = s->x->life[v].span, q = next_conflict(s, t, t->cursor, &sp), o;

			if (q == t->n)
				break;
			o = t->seg[q].owner;
			displace(s, o);
			mark_spilled(s, o);
		}
	}
}

static bool too_few(const struct scan *s, uint32_t v)
{
	const struct kernel *k = s->x->k;
	uint32_t j = s->x->span[s->x->life[v].span].from / 2;
	bool pred = k->vreg[v].rc == RC_PRED;
	const char *what = pred ? "predicates" : "registers";
	unsigned limit = pool_end(s, v) - pool_first(s, v);
	const char *name = k->vreg[v].name ? k->vreg[v].name : "a temporary";

	if (j >= k->ninsn)
		j = k->ninsn - 1;
	if (k->m->src)
		return diag_error(s->x->cx->diag, (struct loc){ k->m->src, k->insn[j].where },
				  "kernel %s does not fit in %u %s: this instruction needs more for %s", k->name, limit,
				  what, name);
	return diag_error_plain(s->x->cx->diag, k->m->src_name,
				"kernel %s does not fit in %u %s: instruction %u (%s) needs more for %s", k->name,
				limit, what, j, op_info[k->insn[j].op].id, name);
}

static bool place_or_spill(struct scan *s, uint32_t v)
{
	unsigned r = find_place(s, v, MREG_COUNT), best = MREG_COUNT;
	uint64_t own = spill_weight(s, v), least = own;

	if (r == MREG_COUNT)
		r = clear_pair(s, v);
	if (r != MREG_COUNT) {
		place(s, v, r);
		return true;
	}
	for (r = pool_first(s, v); r + width(s, v) <= pool_end(s, v); r += width(s, v)) {
		uint64_t w = weight_in_way(s, r, v, least);

		if (w < least) {
			least = w;
			best = r;
		}
	}
	if (best != MREG_COUNT) {
		evict(s, best, v);
		place(s, v, best);
		return true;
	}
	if (own == UINT64_MAX)
		return too_few(s, v);
	mark_spilled(s, v);
	return true;
}

/* Live registers by start, equal starts by number (counting sort); their number in *n. */
static uint32_t *sort_by_start(struct alloc *x, uint32_t *n)
{
	struct kernel *k = x->k;
	uint32_t positions = 2 * k->ninsn + 2, *at = new_array(x->a, uint32_t, positions + 1), *order;

	*n = 0;
	for (uint32_t v = 0; v < k->nvreg; v++)
		if (x->life[v].span != ALLOC_NONE) {
			at[x->span[x->life[v].span].from + 1]++;
			(*n)++;
		}
	for (uint32_t p = 0; p < positions; p++)
		at[p + 1] += at[p];
	order = new_array(x->a, uint32_t, *n + 1);
	for (uint32_t v = 0; v < k->nvreg; v++)
		if (x->life[v].span != ALLOC_NONE)
			order[at[x->span[x->life[v].span].from]++] = v;
	return order;
}

uint32_t alloc_scan(struct alloc *x)
{
	struct scan *s = new(x->a, struct scan);
	uint32_t n, *order = sort_by_start(x, &n);

	s->x = x;
	s->seen = new_array(x->a, uint32_t, x->k->nvreg + 1);
	for (uint32_t q = 0; q < n; q++) {
		pass_over(s, order[q]);
		if (!place_or_spill(s, order[q]))
			return ALLOC_NONE;
	}
	return s->nspill;
}
