/* Weighted undirected graphs and what the register-file passes ask of them: a matching of the most weight, and two
 * sides of the nodes with the least weight inside a side (bipartite edge frustration; the rest of a maximum cut).
 * Nothing here knows of registers or kernels. Integers only, except in the exact solver; the same graph gives the same
 * answer every time.
 *
 * Every function but graph_normalise takes a normal graph. Results are in the arena that the caller passes. */
#ifndef REGLOOM_GRAPH_H
#define REGLOOM_GRAPH_H

#include "analyzer/base/arena.h"

#include <stdbool.h>

#define GRAPH_NONE UINT32_MAX

/* What an edge weighs at most: with that, the weight of 2^18 edges and twice a weight fit 63 bits. */
#define GRAPH_WEIGHT_MAX ((uint64_t)1 << 44)

struct wedge {
	uint32_t a, b;
	uint64_t w;
};

/* Nodes 0 .. n-1. Normal: a < b in each edge, edges ascending by (a, b), none twice, none above GRAPH_WEIGHT_MAX. */
struct wgraph {
	uint32_t n, m;
	struct wedge *e;
};

/* Adjacency in flat arrays: the neighbours of v are to[at[v] .. at[v + 1]), ascending, and edge[] their edges. */
struct adjacency {
	uint32_t *at, *to, *edge;
};

/* in place: loops go, parallel edges are added up, weights above the most become it */
void graph_normalise(struct wgraph *g);
uint64_t graph_weight(const struct wgraph *g); /* of all edges */
void graph_adjacency(const struct wgraph *g, struct arena *a, struct adjacency *adj);
/* how many biconnected ones; of each edge which */
uint32_t graph_components(const struct wgraph *g, struct arena *a, uint32_t **of_edge);

/* A matching, and a proof that none weighs more (Edmonds's linear program): twice the weight is the sum of dual[v] over
 * nodes v, and of dual[b] * (nodes in b - 1) over odd sets b = n .. 2n-1, while dual[] is nowhere negative and for each
 * edge dual[a] + dual[b], and twice the duals of all sets that hold both ends, come to at least twice its weight. */
struct matching {
	uint32_t *mate; /* of a node, GRAPH_NONE: alone */
	uint64_t weight;
	int64_t *dual;    /* 2n */
	uint32_t *parent; /* 2n: the smallest set around a node or a set, GRAPH_NONE: none */
};

/* A matching of maximum weight. O(n^3) time. */
void graph_matching(const struct wgraph *g, struct arena *a, struct matching *m);

/* Two sides. Edges between the sides are kept, those within a side are lost. */
struct sides {
	/* 0 or 1 of each node; 0 for the smallest node of each connected component */
	uint8_t *side;
	uint64_t total, kept, lost; /* weights; total = kept + lost */
	uint64_t bound;             /* no sides lose less; bound = lost: these are optimal */
	/* odd cycles that were listed (paper), or that constrain the solver (exact) */
	uint64_t cycles;
	bool limited; /* a limit ended the listing (paper) or the search (exact) early */
};

/* What frustration_paper lists at most of a graph: cycles, and steps of the search for them. */
struct cycle_limit {
	uint64_t cycles, steps;
};
#define CYCLE_LIMIT_DEFAULT ((struct cycle_limit){ 20000, 20000000 })

/* CORF section 5.1: of the edges on odd cycles the one with the least weight divided by the number of odd cycles
 * through it is removed, until there is no odd cycle. At a limit the cycles listed so far are broken and the listing
 * starts again on what is left of the graph, so the result is valid whatever the limit. */
void frustration_paper(const struct wgraph *g, struct cycle_limit limit, struct arena *a, struct sides *s);

/* Local search; docs/HINTS.md#sides-of-a-graph. */
void frustration_default(const struct wgraph *g, struct arena *a, struct sides *s);

/* The optimum, or the best sides and bound after about so many seconds. False: the solver failed (*why says how, in a);
 * s is then what frustration_default gives. */
bool frustration_exact(const struct wgraph *g, double seconds, struct arena *a, struct sides *s, const char **why);

/* A lower bound on what any sides lose: weight of a packing of odd cycles. About `steps` steps at most. */
uint64_t frustration_bound(const struct wgraph *g, uint64_t steps);

#endif
