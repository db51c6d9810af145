/* Exclusive pairs as CORF chooses them (section 4.2): "considering only registers with more than one edge, we
 * repeatedly remove the edge with the least weight until we end up with only exclusive pairs of registers. If there are
 * any pair of registers that have all of their edges removed, we check if an edge can be restored between them."
 *
 * An edge may be removed while one of its registers has another edge. Removing only takes edges away from registers, so
 * an edge that may not be removed stays for good: one walk over the edges from the lightest on is the whole removal.
 * Where the paper is silent: of equal edges that between higher register numbers goes first; edges are restored
 * heaviest first, of equal ones that between lower numbers. O(m log m) time. */
#include "passes/corf.h"

#include <stdlib.h>

static int lightest_first(const void *pa, const void *pb)
{
	const struct wedge *x = *(const struct wedge *const *)pa, *y = *(const struct wedge *const *)pb;

	if (x->w != y->w)
		return x->w < y->w ? -1 : 1;
	return x < y ? 1 : -1; /* they stand in the order of their registers */
}

void pairs_greedy(const struct wgraph *g, struct arena *a, struct matching *m)
{
	const struct wedge **by_weight = new_array(a, const struct wedge *, (size_t)g->m + 1);
	uint32_t *edges = new_array(a, uint32_t, (size_t)g->n + 1);
	uint64_t *removed = bitset_new(a, g->m + 1);

	*m = (struct matching){ .mate = new_array(a, uint32_t, (size_t)g->n + 1) };
	for (uint32_t v = 0; v < g->n; v++)
		m->mate[v] = GRAPH_NONE;
	for (uint32_t i = 0; i < g->m; i++) {
		by_weight[i] = &g->e[i];
		edges[g->e[i].a]++;
		edges[g->e[i].b]++;
	}
	qsort(by_weight, g->m, sizeof *by_weight, lightest_first);
	for (uint32_t i = 0; i < g->m; i++) {
		const struct wedge *e = by_weight[i];

		if (edges[e->a] > 1 || edges[e->b] > 1) {
			bitset_add(removed, i);
			edges[e->a]--;
			edges[e->b]--;
		}
	}
	for (uint32_t i = g->m; i-- > 0;) {
		const struct wedge *e = by_weight[i];

		if (bitset_has(removed, i)) {
			if (edges[e->a] || edges[e->b])
				continue;
			edges[e->a] = edges[e->b] = 1;
		}
		m->mate[e->a] = e->b;
		m->mate[e->b] = e->a;
		m->weight += e->w;
	}
}
