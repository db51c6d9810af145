/* Inside of the frustration algorithms: signed graphs. An edge wants its ends on different sides, or on the same one;
 * it is lost if it does not get that. A graph to be coloured has edges of the first kind only; making nodes one leaves
 * both kinds. A cycle is odd if it has an odd number of edges of the first kind: then one of its edges is lost. */
#ifndef REGLOOM_GRAPH_SIGNED_H
#define REGLOOM_GRAPH_SIGNED_H

#include "graph.h"

struct sgraph {
	struct wgraph g; /* normal, weights above 0 */
	uint8_t *same;   /* of an edge: wants its ends on the same side */
};

static inline bool edge_lost(const struct sgraph *s, uint32_t edge, const uint8_t *side)
{
	return (side[s->g.e[edge].a] == side[s->g.e[edge].b]) != s->same[edge];
}

/* Nodes joined into sets with a side relative to each other: union and find with parity. */
struct parity {
	uint32_t *up;
	uint8_t *odd; /* the side relative to up[] */
};
void parity_init(struct parity *p, uint32_t n, struct arena *a);
uint32_t parity_find(struct parity *p, uint32_t v, uint8_t *odd);        /* the root; v's side relative to it */
bool parity_join(struct parity *p, uint32_t v, uint32_t w, uint8_t odd); /* false: they were joined already */
void parity_sides(struct parity *p, uint32_t n, uint8_t *side);          /* the smallest node of each set gets 0 */

/* Sides that lose no edge of a forest that takes edges by descending weight (with any length: by ascending length
 * first). */
void sides_by_forest(const struct sgraph *s, const double *length, struct arena *scratch, uint8_t *side);

uint64_t sides_loss(const struct sgraph *s, const uint8_t *side);

/* Improves the sides by local search until they lose no more than `bound`, or for about *steps steps, less if the graph
 * is small; returns what they lose. What it took is taken off *steps, here and below. */
uint64_t sides_search(const struct sgraph *s, uint64_t bound, uint64_t *steps, uint8_t *side);

/* The optimum, for n at most 20; returns what it loses. */
uint64_t sides_enumerate(const struct sgraph *s, uint8_t *side);

/* Weight of a packing of odd cycles: no sides lose less. */
uint64_t odd_packing(const struct sgraph *s, uint64_t *steps);

/* The integer program, for one biconnected graph. In: sides; out: better ones if there are, *bound, *cycles. False:
 * failed, *why. */
bool sides_exact(const struct sgraph *s, double seconds, struct arena *a, uint8_t *side, uint64_t *bound,
		 uint64_t *cycles, const char **why);

/* The paper's heuristic on one biconnected graph whose edges all want different sides. */
struct cycle_work {
	struct cycle_limit limit;
	uint64_t cycles, steps; /* used up so far */
	bool limited;
};
void sides_paper(const struct sgraph *s, struct cycle_work *w, uint8_t *side);

#endif
