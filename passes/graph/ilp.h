/* The integer program of one biconnected signed graph: x[e] = 1 if edge e is lost; each odd cycle loses an edge. */
#ifndef REGLOOM_GRAPH_ILP_H
#define REGLOOM_GRAPH_ILP_H

#include "signed.h"

/* What the solver knows so far. It lies in memory that the solver's process shares with the one that waits for it, so
 * it is right at any moment: sides are written to the copy that `current` does not name. */
struct progress {
	enum { RUNNING, SOLVED, TIMED_OUT, FAILED } state;
	uint64_t lost, bound, cycles;
	uint32_t current;
	char why[200];
	uint8_t side[]; /* two copies of n */
};

/* Constraints, found while needed: of the edges edge[at[r] .. at[r + 1]) at least need[r] are lost. */
struct rows {
	uint32_t *at, *edge, *need, n, nedge, at_cap, edge_cap, need_cap;
	uint32_t *hash, hash_cap; /* row numbers + 1 by content, open addressing */
	struct arena *a;
};

void rows_init(struct rows *r, struct arena *a);
/* sorts edge[]; false: there is such a row */
bool rows_add(struct rows *r, uint32_t *edge, uint32_t len, uint32_t need);

/* Adds odd cycles whose edges' x sum up to less than 1, one for each node at most; how many. */
uint32_t separate(const struct sgraph *s, const struct adjacency *adj, const double *x, struct rows *r);

/* Adds complete subgraphs that x loses too little of, four for each node at most; how many. */
uint32_t separate_cliques(const struct sgraph *s, const struct adjacency *adj, const double *x, struct rows *r);

/* Solves with the libraries Clp and Cbc, which it loads, until `seconds` have passed. */
void ilp_solve(const struct sgraph *s, double seconds, struct progress *p);

#endif
