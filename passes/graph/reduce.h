/* Makes a graph smaller without changing the optimum: a node of which one edge weighs as much as all others together
 * does best on the side that this edge wants, so it and the neighbour become one node. That takes away trees and chains
 * (of a node with two edges one always does) and much around heavy edges. O(edges) for sparse graphs, in practice. */
#ifndef REGLOOM_GRAPH_REDUCE_H
#define REGLOOM_GRAPH_REDUCE_H

#include "signed.h"

/* The core over the nodes that are left, numbered anew, in a; each node's core node (GRAPH_NONE: its set has no edges
 * left, and any side is right) and its side relative to that or, without one, to its set. */
struct core {
	struct sgraph s;
	struct parity sets;
	uint32_t *core_of;
};

void graph_reduce(const struct wgraph *g, bool reduce, struct arena *a, struct core *c);

#endif
