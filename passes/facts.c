/* The state of check_alloc(): a relation between locations and keys that is updated, copied, saved and met.
 *
 * Each fact is a cell in two doubly linked lists, that of its location and that of its key, so overwriting either costs
 * as many steps as there are facts to forget. At block ends the relation is kept as a sorted array. */
#include "passes/facts.h"

#include <stdlib.h>

/* ---- cells in two doubly linked lists ---- */
bool facts_hold(const struct verify *v, uint32_t loc, uint32_t key)
{
	for (uint32_t c = v->by_loc[loc]; c != NONE; c = v->cell[c].next_loc)
		if (v->cell[c].key == key)
			return true;
	return false;
}

void facts_add(struct verify *v, uint32_t loc, uint32_t key)
{
	uint32_t c = v->free_cell;

	if (facts_hold(v, loc, key))
		return;
	if (c != NONE) {
		v->free_cell = v->cell[c].next_loc;
	} else {
		arena_grow(&v->a, v->cell, v->ncell, v->cell_cap);
		c = v->ncell++;
	}
	if (v->by_key[key] == NONE) {
		arena_grow(&v->a, v->used, v->nused, v->used_cap);
		v->used[v->nused++] = key;
	}
	v->cell[c] = (struct cell){ loc, key, v->by_loc[loc], NONE, v->by_key[key], NONE };
	if (v->by_loc[loc] != NONE)
		v->cell[v->by_loc[loc]].prev_loc = c;
	if (v->by_key[key] != NONE)
		v->cell[v->by_key[key]].prev_key = c;
	v->by_loc[loc] = v->by_key[key] = c;
}

static void drop(struct verify *v, uint32_t c)
{
	struct cell *x = &v->cell[c];

	*(x->prev_loc == NONE ? &v->by_loc[x->loc] : &v->cell[x->prev_loc].next_loc) = x->next_loc;
	*(x->prev_key == NONE ? &v->by_key[x->key] : &v->cell[x->prev_key].next_key) = x->next_key;
	if (x->next_loc != NONE)
		v->cell[x->next_loc].prev_loc = x->prev_loc;
	if (x->next_key != NONE)
		v->cell[x->next_key].prev_key = x->prev_key;
	x->next_loc = v->free_cell;
	v->free_cell = c;
}

void facts_clear_place(struct verify *v, uint32_t loc)
{
	if (v->guard_loc == loc)
		v->guard_loc = NONE;
	while (v->by_loc[loc] != NONE)
		drop(v, v->by_loc[loc]);
	for (unsigned h = 0; h < v->nhalf; h++) {
		for (unsigned q = 0; q < v->half[h].nfrom; q++)
			if (v->half[h].from[q] == loc)
				v->half[h].from[q] = NONE;
		for (uint32_t q = 0; q < v->half[h].nstale; q++)
			if (v->half[h].stale[q] == loc)
				v->half[h].stale[q] = NONE;
	}
}

void facts_clear_key(struct verify *v, uint32_t key)
{
	while (v->by_key[key] != NONE)
		drop(v, v->by_key[key]);
}

static void clear_all(struct verify *v)
{
	for (uint32_t u = 0; u < v->nused; u++)
		facts_clear_key(v, v->used[u]);
	v->nused = 0;
}

/* dst gets what src holds, and nothing else. */
void facts_copy(struct verify *v, uint32_t dst, uint32_t src)
{
	uint32_t n = 0;

	for (uint32_t c = v->by_loc[src]; c != NONE; c = v->cell[c].next_loc) {
		arena_grow(&v->a, v->keys, n, v->keys_cap);
		v->keys[n++] = v->cell[c].key;
	}
	facts_clear_place(v, dst);
	for (uint32_t i = 0; i < n; i++)
		facts_add(v, dst, v->keys[i]);
}

/* ---- block ends ---- */
static int fact_cmp(const void *x, const void *y)
{
	const struct held *a = x, *b = y;

	if (a->loc != b->loc)
		return a->loc < b->loc ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

/* The state at hand, sorted, in arena a. */
struct facts facts_collect(struct verify *v, struct arena *a)
{
	struct facts s = { .undef = bitset_new(a, v->before->nvreg) };
	uint32_t n = 0, m = 0;

	bitset_copy(s.undef, v->undef, v->before->nvreg);
	for (uint32_t u = 0; u < v->nused; u++)
		for (uint32_t c = v->by_key[v->used[u]]; c != NONE; c = v->cell[c].next_key)
			n++;
	s.f = new_array(a, struct held, (size_t)n + 1);
	for (uint32_t u = 0; u < v->nused; u++)
		for (uint32_t c = v->by_key[v->used[u]]; c != NONE; c = v->cell[c].next_key)
			s.f[s.n++] = (struct held){ v->cell[c].loc, v->cell[c].key };
	qsort(s.f, s.n, sizeof *s.f, fact_cmp);
	for (uint32_t i = 0; i < s.n; i++) /* a key may stand in used[] twice */
		if (!i || fact_cmp(&s.f[i], &s.f[i - 1]) != 0)
			s.f[m++] = s.f[i];
	s.n = m;
	return s;
}

/* What both a and b say, where a register without a value agrees with anything. */
static struct facts meet(struct verify *v, struct facts a, const struct facts *b)
{
	uint32_t nvreg = v->before->nvreg, i = 0, j = 0;
	struct facts m = { .f = new_array(&v->join, struct held, (size_t)a.n + b->n + 1),
			   .undef = bitset_new(&v->join, nvreg) };

	while (i < a.n || j < b->n) {
		int c = i == a.n ? 1 : -1;

		if (i < a.n && j < b->n)
			c = fact_cmp(&a.f[i], &b->f[j]);
		struct held f = c <= 0 ? a.f[i] : b->f[j];

		if (c == 0 || bitset_has(c < 0 ? b->undef : a.undef, f.key / KEY_PARTS))
			m.f[m.n++] = f;
		i += c <= 0;
		j += c >= 0;
	}
	for (uint32_t w = 0; w < bitset_words(nvreg); w++)
		m.undef[w] = a.undef[w] & b->undef[w];
	return m;
}

/* State before block b: what all reached predecessors agree on. At the entry nothing has a value. */
void facts_enter(struct verify *v, uint32_t b)
{
	const struct cfg *g = v->before->cfg;
	struct facts in = { 0 };

	clear_all(v);
	arena_reset(&v->join);
	if (b == 0) {
		in.undef = bitset_new(&v->join, v->before->nvreg);
		memset(in.undef, 0xff, bitset_words(v->before->nvreg) * sizeof *in.undef);
	}
	for (uint32_t p = g->pred_at[b]; p < g->pred_at[b + 1]; p++) {
		const struct facts *o = &v->out[g->pred[p]];

		if (o->undef)
			in = in.undef ? meet(v, in, o) : *o;
	}
	memcpy(v->undef, in.undef, bitset_words(v->before->nvreg) * sizeof *in.undef);
	for (uint32_t i = 0; i < in.n; i++)
		facts_add(v, in.f[i].loc, in.f[i].key);
}

bool facts_same(const struct verify *v, const struct facts *a, const struct facts *b)
{
	return a->undef && a->n == b->n && memcmp(a->f, b->f, a->n * sizeof *a->f) == 0 &&
	       memcmp(a->undef, b->undef, bitset_words(v->before->nvreg) * sizeof *a->undef) == 0;
}
