/* Signed graphs: sets of nodes with relative sides, sides from a forest, losses, the optimum of small graphs. */
#include "signed.h"

#include <stdlib.h>
#include <string.h>

void parity_init(struct parity *p, uint32_t n, struct arena *a)
{
	p->up = new_array(a, uint32_t, (size_t)n + 1);
	p->odd = new_array(a, uint8_t, (size_t)n + 1);
	for (uint32_t v = 0; v < n; v++)
		p->up[v] = v;
}

uint32_t parity_find(struct parity *p, uint32_t v, uint8_t *odd)
{
	uint32_t root = v, next;
	uint8_t rest = 0, mine;

	for (; p->up[root] != root; root = p->up[root])
		rest ^= p->odd[root];
	*odd = rest;
	for (; p->up[v] != root && v != root; v = next) {
		next = p->up[v];
		mine = p->odd[v];
		p->up[v] = root;
		p->odd[v] = rest;
		rest ^= mine;
	}
	return root;
}

bool parity_join(struct parity *p, uint32_t v, uint32_t w, uint8_t odd)
{
	uint8_t ov, ow;

	v = parity_find(p, v, &ov);
	w = parity_find(p, w, &ow);
	if (v == w)
		return false;
	if (v > w) { /* the root is the smallest node */
		uint32_t x = v;

		v = w;
		w = x;
	}
	p->up[w] = v;
	p->odd[w] = ov ^ ow ^ odd;
	return true;
}

void parity_sides(struct parity *p, uint32_t n, uint8_t *side)
{
	for (uint32_t v = 0; v < n; v++)
		(void)parity_find(p, v, &side[v]);
}

struct ranked {
	double length;
	uint64_t w;
	uint32_t edge;
};

static int by_rank(const void *x, const void *y)
{
	const struct ranked *p = x, *q = y;

	if (p->length < q->length || p->length > q->length)
		return p->length < q->length ? -1 : 1;
	if (p->w != q->w)
		return p->w > q->w ? -1 : 1;
	return p->edge < q->edge ? -1 : p->edge > q->edge;
}

void sides_by_forest(const struct sgraph *s, const double *length, struct arena *scratch, uint8_t *side)
{
	struct ranked *r = new_array(scratch, struct ranked, (size_t)s->g.m + 1);
	struct parity p;

	parity_init(&p, s->g.n, scratch);
	for (uint32_t i = 0; i < s->g.m; i++)
		r[i] = (struct ranked){ length ? length[i] : 0, s->g.e[i].w, i };
	qsort(r, s->g.m, sizeof *r, by_rank);
	for (uint32_t i = 0; i < s->g.m; i++)
		parity_join(&p, s->g.e[r[i].edge].a, s->g.e[r[i].edge].b, !s->same[r[i].edge]);
	parity_sides(&p, s->g.n, side);
}

uint64_t sides_loss(const struct sgraph *s, const uint8_t *side)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < s->g.m; i++)
		lost += edge_lost(s, i, side) ? s->g.e[i].w : 0;
	return lost;
}

/* All sides with node 0 on side 0, each a step of one node from the last (Gray code). */
uint64_t sides_enumerate(const struct sgraph *s, uint8_t *side)
{
	struct arena scratch;
	struct adjacency adj;
	uint64_t best, lost;
	uint8_t *now;

	arena_init(&scratch);
	graph_adjacency(&s->g, &scratch, &adj);
	now = new_array(&scratch, uint8_t, (size_t)s->g.n + 1);
	memset(side, 0, s->g.n);
	best = lost = sides_loss(s, now);
	for (uint32_t i = 1; s->g.n > 1 && i < (uint32_t)1 << (s->g.n - 1); i++) {
		uint32_t v = 1 + (uint32_t)__builtin_ctz(i);

		for (uint32_t k = adj.at[v]; k < adj.at[v + 1]; k++) {
			uint32_t e = adj.edge[k];

			lost += edge_lost(s, e, now) ? -s->g.e[e].w : s->g.e[e].w;
		}
		now[v] ^= 1;
		if (lost < best) {
			best = lost;
			memcpy(side, now, s->g.n);
		}
	}
	arena_free(&scratch);
	return best;
}
