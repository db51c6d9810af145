/* The loops: which header each block belongs to, and how deep they nest.
 *
 * A loop header is a block that a retreating edge of the depth-first walk (fall-through first) leads to; its loop is
 * every block below it in the depth-first tree that reaches it again without leaving that subtree. In a reducible graph
 * these are the natural loops, those of one header taken together; in an irreducible one the entry that the walk met
 * first is the header. Loops nest or are disjoint, and the depth of a block counts the loops that it is in.
 *
 * Havlak 1997, innermost loops first, each collapsed into its header with union-find; an edge that enters a subtree
 * from its side is held back until the walk's common ancestor of its ends is the header at hand (Ramalingam 1999),
 * which keeps the whole near linear in the edges. */
#include "pass.h"

#define NONE UINT32_MAX

/* a list cell: an edge y -> x, or y alone */
struct cell {
	uint32_t x, y, next;
};

/* All by depth-first number. */
struct forest {
	uint32_t n;
	uint32_t *block, *parent;
	uint32_t *rep;                 /* union-find: towards the representative */
	uint32_t *back, *side, *extra; /* heads of lists: sources of retreating edges; held edges; entries let in */
	uint32_t *header;              /* innermost loop around this one, not its own; NONE: none */
	struct cell *cell;
	uint32_t ncell;
};

static uint32_t find(uint32_t *rep, uint32_t x)
{
	while (rep[x] != x) {
		rep[x] = rep[rep[x]];
		x = rep[x];
	}
	return x;
}

static void push(struct forest *t, uint32_t *head, uint32_t x, uint32_t y)
{
	t->cell[t->ncell] = (struct cell){ x, y, *head };
	*head = t->ncell++;
}

/* Numbers the blocks that `start` reaches and sorts the edges that are not in the tree. A finished block is united with
 * its parent, so find() of the target of a side edge is the common ancestor: the nearest block above it that is still
 * open. */
static void walk(struct forest *t, const struct cfg *g, uint32_t start, uint32_t *num, uint32_t *next, uint64_t *open)
{
	uint32_t root = t->n++, v = root;

	t->block[v] = start;
	t->parent[v] = t->rep[v] = v;
	num[start] = v;
	bitset_add(open, v);
	for (;;) {
		uint32_t b = t->block[v];

		if (next[b] < g->succ_at[b + 1]) {
			uint32_t s = g->succ[next[b]++], x = num[s];

			if (x == NONE) {
				x = num[s] = t->n++;
				t->block[x] = s;
				t->parent[x] = v;
				t->rep[x] = x;
				bitset_add(open, x);
				v = x;
			} else if (bitset_has(open, x)) {
				push(t, &t->back[x], x, v);
			} else {
				push(t, &t->side[find(t->rep, x)], x, v);
			}
		} else {
			bitset_del(open, v);
			if (v == root)
				return;
			t->rep[v] = t->parent[v];
			v = t->parent[v];
		}
	}
}

/* Each function is a tree of its own. */
static void walk_all(struct forest *t, const struct kernel *k, struct arena *a)
{
	const struct cfg *g = k->cfg->local;
	uint32_t *num = new_array(a, uint32_t, (size_t)k->nblock + 1),
		 *next = new_array(a, uint32_t, (size_t)k->nblock + 1);
	uint64_t *open = bitset_new(a, k->nblock);

	for (uint32_t b = 0; b < k->nblock; b++) {
		num[b] = NONE;
		next[b] = g->succ_at[b];
	}
	walk(t, g, 0, num, next, open);
	for (uint32_t p = 1; p < k->nproc; p++)
		walk(t, g, k->proc[p].first, num, next, open);
}

static void collapse(struct forest *t, uint32_t w, uint64_t *in, uint32_t *body)
{
	uint32_t n = 0;

	for (uint32_t c = t->side[w]; c != NONE; c = t->cell[c].next) {
		uint32_t x = find(t->rep, t->cell[c].x), y = find(t->rep, t->cell[c].y);

		if (x != y)
			push(t, &t->extra[x], x, y);
	}
	for (uint32_t c = t->back[w]; c != NONE; c = t->cell[c].next) {
		uint32_t y = find(t->rep, t->cell[c].y);

		if (y != w && !bitset_has(in, y)) {
			bitset_add(in, y);
			body[n++] = y;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = body[i], y = find(t->rep, t->parent[x]), c = t->extra[x];

		for (;;) {
			if (y != w && !bitset_has(in, y)) {
				bitset_add(in, y);
				body[n++] = y;
			}
			if (c == NONE)
				break;
			y = find(t->rep, t->cell[c].y);
			c = t->cell[c].next;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		t->header[body[i]] = w;
		t->rep[body[i]] = w;
	}
}

enum pass_result pass_loop(struct kernel *k, struct pass_ctx *cx)
{
	struct arena *a = &cx->scratch;
	uint32_t n = k->nblock, *body = new_array(a, uint32_t, (size_t)n + 1),
		 *depth = new_array(a, uint32_t, (size_t)n + 1);
	uint64_t *in = bitset_new(a, n);
	struct forest t = { .n = 0 };
	uint32_t **list[] = { &t.block, &t.parent, &t.rep, &t.back, &t.side, &t.extra, &t.header };

	k->cfg->depth = new_array(k->a, uint32_t, (size_t)n + 1);
	k->cfg->loop = new_array(k->a, uint32_t, (size_t)n + 1);
	k->cfg->outer = new_array(k->a, uint32_t, (size_t)n + 1);
	for (uint32_t b = 0; b < n; b++)
		k->cfg->loop[b] = k->cfg->outer[b] = NONE;
	if (!n)
		return PASS_SAME;
	for (unsigned i = 0; i < sizeof list / sizeof *list; i++)
		*list[i] = new_array(a, uint32_t, n);
	for (uint32_t i = 0; i < n; i++)
		t.back[i] = t.side[i] = t.extra[i] = t.header[i] = NONE;
	/* an edge is listed at most twice */
	t.cell = new_array(a, struct cell, 2 * (size_t)k->cfg->local->succ_at[n] + 1);
	walk_all(&t, k, a);
	for (uint32_t i = 0; i < t.n; i++)
		t.rep[i] = i;
	for (uint32_t w = t.n; w-- > 0;)
		collapse(&t, w, in, body);
	for (uint32_t i = 0; i < t.n; i++) { /* a header's number is less than those in its loop */
		uint32_t b = t.block[i], around = t.header[i] == NONE ? NONE : t.block[t.header[i]];

		depth[i] = (t.header[i] == NONE ? 0 : depth[t.header[i]]) + (t.back[i] != NONE);
		k->cfg->depth[b] = depth[i];
		k->cfg->loop[b] = t.back[i] != NONE ? b : around;
		k->cfg->outer[b] = t.back[i] != NONE ? around : NONE;
	}
	return PASS_SAME;
}
