/* Two parts of a network that are cut apart where it costs least. */
#ifndef REGLOOM_GRAPH_CUT_H
#define REGLOOM_GRAPH_CUT_H

#include "analyzer/base/arena.h"

#include <stdbool.h>

#define CUT_CAPACITY_MAX ((uint64_t)1 << 40) /* of an arc; 2^20 of them add up to less than 2^62 */

/* Nodes 0 .. n-1. To put node v into the second part costs first[v], into the first part second[v]: what keeps it in
 * either. An arc from a node of the first part to one of the second costs its capacity. */
struct cut_arc {
	uint32_t from, to;
	uint64_t capacity;
};
struct cut_network {
	uint32_t n, narc;
	const uint64_t *first, *second;
	const struct cut_arc *arc;
};

/* in_first[v]: of a cut of least cost, the one with the smallest first part. False, and nothing is said, if that takes
 * more than about `steps` steps. Maximum flow after Dinic 1970. */
bool graph_cut(const struct cut_network *c, uint64_t steps, struct arena *a, bool *in_first);

#endif
