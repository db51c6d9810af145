/* Graph algorithms on graphs small enough to work out by hand; test/prop/p_graph.c has the random ones. */
#include "analyzer/base/rng.h"
#include "passes/graph/cut.h"
#include "passes/graph/graph.h"
#include "passes/graph/reduce.h"

#include <check.h>

Suite *suite_graph(void);

#define GRAPH(n, ...)                                                 \
	struct wedge edges[] = { __VA_ARGS__ };                       \
	struct wgraph g = { n, sizeof edges / sizeof *edges, edges }; \
	struct arena a;                                               \
	arena_init(&a);                                               \
	graph_normalise(&g)

START_TEST(a_normal_graph_has_no_loops_and_no_parallel_edges)
{
	GRAPH(4, { 3, 1, 5 }, { 2, 2, 9 }, { 0, 3, GRAPH_WEIGHT_MAX + 7 }, { 1, 3, 6 }, { 1, 0, 0 });
	ck_assert_uint_eq(g.m, 3);
	ck_assert(g.e[0].a == 0 && g.e[0].b == 1 && g.e[0].w == 0);
	ck_assert(g.e[1].a == 0 && g.e[1].b == 3 && g.e[1].w == GRAPH_WEIGHT_MAX);
	ck_assert(g.e[2].a == 1 && g.e[2].b == 3 && g.e[2].w == 11);
	ck_assert_uint_eq(graph_weight(&g), GRAPH_WEIGHT_MAX + 11);
	arena_free(&a);
}
END_TEST

START_TEST(biconnected_components_share_nodes_and_no_edges)
{
	/* a triangle, a bridge and a square; a node alone */
	GRAPH(8, { 0, 1, 1 }, { 1, 2, 1 }, { 0, 2, 1 }, { 2, 3, 1 }, { 3, 4, 1 }, { 4, 5, 1 }, { 5, 6, 1 },
	      { 3, 6, 1 });
	uint32_t *of, n = graph_components(&g, &a, &of);

	ck_assert_uint_eq(n, 3);
	ck_assert(of[0] == of[1] && of[1] == of[2]); /* 01 02 12 */
	ck_assert(of[4] == of[5] && of[5] == of[6] && of[6] == of[7]);
	ck_assert(of[3] != of[2] && of[3] != of[4] && of[2] != of[4]);
	arena_free(&a);
}
END_TEST

START_TEST(figure_5_of_corf_is_matched_as_there)
{
	GRAPH(5, { 1, 2, 8 }, { 1, 3, 10 }, { 1, 4, 2 }, { 2, 4, 1 });
	struct matching m;

	graph_matching(&g, &a, &m);
	ck_assert_uint_eq(m.weight, 11);
	ck_assert(m.mate[1] == 3 && m.mate[3] == 1 && m.mate[2] == 4 && m.mate[4] == 2 && m.mate[0] == GRAPH_NONE);
	arena_free(&a);
}
END_TEST

START_TEST(a_matching_takes_two_light_edges_for_a_heavy_one)
{
	/* the greedy choice, 23, weighs 11 alone */
	GRAPH(6, { 1, 2, 6 }, { 2, 3, 11 }, { 3, 4, 6 }, { 5, 0, 0 });
	struct matching m;

	graph_matching(&g, &a, &m);
	ck_assert_uint_eq(m.weight, 12);
	arena_free(&a);
}
END_TEST

START_TEST(an_odd_ring_in_the_way_is_shrunk_and_opened_again)
{
	/* a pentagon 1..5 with a tail at 1 and one at 4: all of 0-1, 2-3 and 4-6 need the ring to turn */
	GRAPH(7, { 1, 2, 8 }, { 2, 3, 9 }, { 3, 4, 8 }, { 4, 5, 9 }, { 1, 5, 8 }, { 0, 1, 7 }, { 4, 6, 7 });
	struct matching m;

	graph_matching(&g, &a, &m);
	ck_assert_uint_eq(m.weight, 7 + 9 + 9);
	ck_assert(m.mate[0] == 1 && m.mate[2] == 3 && m.mate[4] == 5 && m.mate[6] == GRAPH_NONE);
	arena_free(&a);
}
END_TEST

static uint64_t most(const struct wgraph *g, uint32_t edge, uint32_t used)
{
	const struct wedge *e = &g->e[edge];
	uint64_t with, without;

	if (edge == g->m)
		return 0;
	without = most(g, edge + 1, used);
	if (used >> e->a & 1 || used >> e->b & 1)
		return without;
	with = e->w + most(g, edge + 1, used | 1u << e->a | 1u << e->b);
	return with > without ? with : without;
}

/* Edges of about one weight make odd sets in others, and sets that the way to be turned leads through. */
START_TEST(a_matching_weighs_as_much_as_the_best_of_all)
{
	enum { NODES = 10, GRAPHS = 200 };

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		uint64_t r = seed;
		struct matching m;
		struct wgraph g = { .n = NODES };
		struct arena a;

		arena_init(&a);
		g.e = new_array(&a, struct wedge, NODES * (NODES - 1) / 2);
		for (uint32_t x = 1; x < NODES; x++)
			for (uint32_t y = 0; y < x; y++)
				if (rng_below(&r, 5) < 2)
					g.e[g.m++] = (struct wedge){ x, y, 20 + rng_below(&r, 20) };
		graph_normalise(&g);
		graph_matching(&g, &a, &m);
		ck_assert_msg(m.weight == most(&g, 0, 0), "graph of seed %u", (unsigned)seed);
		arena_free(&a);
	}
}
END_TEST

START_TEST(no_edges_no_matching)
{
	struct wgraph g = { 0, 0, NULL };
	struct matching m;
	struct arena a;

	arena_init(&a);
	graph_normalise(&g);
	graph_matching(&g, &a, &m);
	ck_assert_uint_eq(m.weight, 0);
	g.n = 3;
	graph_matching(&g, &a, &m);
	ck_assert(m.weight == 0 && m.mate[2] == GRAPH_NONE);
	arena_free(&a);
}
END_TEST

/* The edges of Figure 8; each is on two of its four odd cycles. */
#define FIGURE_8(w12, w13, w23, w25, w34, w36, w46, w56)                                                   \
	GRAPH(7, { 1, 2, w12 }, { 1, 3, w13 }, { 2, 3, w23 }, { 2, 5, w25 }, { 3, 4, w34 }, { 3, 6, w36 }, \
	      { 4, 6, w46 }, { 5, 6, w56 })

START_TEST(figure_8_of_corf_has_four_odd_cycles)
{
	FIGURE_8(1, 1, 1, 1, 1, 1, 1, 1);
	struct sides s;

	frustration_paper(&g, CYCLE_LIMIT_DEFAULT, &a, &s);
	ck_assert_uint_eq(s.cycles, 4);
	ck_assert(!s.limited);
	ck_assert_uint_eq(s.lost, 2); /* one in each triangle */
	arena_free(&a);
}
END_TEST

START_TEST(figure_8_loses_the_edges_with_the_least_weight_for_each_cycle)
{
	/* 36 goes first, 2 / 2 cycles. Then 23 is on two cycles still and goes for 9 / 2; 12, the lightest, breaks one,
	 * for 5 / 1. */
	FIGURE_8(5, 6, 9, 8, 7, 2, 7, 6);
	struct sides s;

	frustration_paper(&g, CYCLE_LIMIT_DEFAULT, &a, &s);
	ck_assert_uint_eq(s.lost, 2 + 9);
	ck_assert(s.side[3] == s.side[6] && s.side[2] == s.side[3]);
	ck_assert(s.side[1] != s.side[2] && s.side[4] != s.side[3] && s.side[5] != s.side[6]);
	ck_assert_uint_eq(s.kept, s.total - 11);
	frustration_default(&g, &a, &s); /* which is the optimum */
	ck_assert_uint_eq(s.lost, 11);
	ck_assert_uint_eq(s.bound, 11);
	arena_free(&a);
}
END_TEST

START_TEST(a_removed_edge_whose_ends_come_apart_anyway_is_kept)
{
	/* 56 goes first, 4 / 2, then 36 and 23, which put 5 and 6 on different sides */
	FIGURE_8(8, 10, 6, 9, 9, 5, 7, 4);
	struct sides s;

	frustration_paper(&g, CYCLE_LIMIT_DEFAULT, &a, &s);
	ck_assert_uint_eq(s.lost, 5 + 6);
	ck_assert(s.side[5] != s.side[6]);
	arena_free(&a);
}
END_TEST

START_TEST(the_heuristic_ends_at_any_limit)
{
	FIGURE_8(5, 6, 9, 8, 7, 2, 7, 6);
	struct cycle_limit limits[] = { { 0, 1000 },  { 1, 1000 },   { 2, 1000 }, { 20000, 0 },
					{ 20000, 1 }, { 20000, 40 }, { 0, 0 } };

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		struct sides s;

		frustration_paper(&g, limits[i], &a, &s);
		ck_assert(s.limited);
		ck_assert(s.lost >= 11 && s.lost <= 25 && s.lost + s.kept == s.total);
	}
	arena_free(&a);
}
END_TEST

START_TEST(a_complete_graph_of_more_than_is_enumerated)
{
	struct wedge e[24 * 23 / 2];
	struct wgraph g = { 24, 0, e };
	struct arena a;
	struct sides s;

	arena_init(&a);
	for (uint32_t v = 0; v < 24; v++)
		for (uint32_t w = 0; w < v; w++)
			e[g.m++] = (struct wedge){ v, w, 3 };
	graph_normalise(&g);
	frustration_default(&g, &a, &s);
	ck_assert_uint_eq(s.lost, 3 * 2 * (12 * 11 / 2));
	ck_assert(s.bound >= 3 * 60 && s.bound <= s.lost); /* 276 edges hold 92 triangles at most */
	frustration_paper(&g, (struct cycle_limit){ 1000, 100000 }, &a, &s);
	ck_assert(s.limited && s.lost >= 3 * 132);
	arena_free(&a);
}
END_TEST

START_TEST(a_long_odd_ring_loses_its_lightest_edge)
{
	struct wedge e[4001];
	struct wgraph g = { 4001, 0, e };
	struct arena a;
	struct sides s;

	arena_init(&a);
	for (uint32_t v = 0; v < 4001; v++)
		e[g.m++] = (struct wedge){ v, (v + 1) % 4001, v == 1234 ? 7 : 8 + v };
	graph_normalise(&g);
	frustration_default(&g, &a, &s);
	ck_assert(s.lost == 7 && s.bound == 7 && s.side[1234] == s.side[1235]);
	frustration_paper(&g, CYCLE_LIMIT_DEFAULT, &a, &s);
	ck_assert(s.lost == 7 && s.cycles == 1 && !s.limited);
	arena_free(&a);
}
END_TEST

/* 25 nodes in a ring, each with an edge to the next and to the one after: 25 triangles, and more than is enumerated. */
START_TEST(the_integer_program_proves_what_the_packing_does_not)
{
	struct wedge e[50];
	struct wgraph g = { 25, 0, e };
	const char *why;
	struct arena a;
	struct sides s, x;

	arena_init(&a);
	for (uint32_t v = 0; v < 25; v++) {
		e[g.m++] = (struct wedge){ v, (v + 1) % 25, 10 };
		e[g.m++] = (struct wedge){ v, (v + 2) % 25, 9 };
	}
	graph_normalise(&g);
	frustration_default(&g, &a, &s);
	ck_assert(s.bound < s.lost);
	ck_assert_msg(frustration_exact(&g, 60, &a, &x, &why), "%s", why);
	ck_assert(!x.limited && x.bound == x.lost && x.lost == s.lost && x.cycles >= 25);
	ck_assert_uint_eq(x.kept + x.lost, x.total);
	arena_free(&a);
}
END_TEST

START_TEST(the_integer_program_stops_at_its_time_with_sides_and_a_bound)
{
	struct wedge e[60 * 59 / 2];
	struct wgraph g = { 60, 0, e };
	const char *why;
	struct arena a;
	struct sides s, x;

	arena_init(&a);
	for (uint32_t v = 0; v < 60; v++)
		for (uint32_t w = 0; w < v; w++)
			e[g.m++] = (struct wedge){ v, w, 100 + (v * 7 + w * 13) % 11 };
	graph_normalise(&g);
	frustration_default(&g, &a, &s);
	ck_assert_msg(frustration_exact(&g, 0.2, &a, &x, &why), "%s", why);
	ck_assert(x.limited && x.bound >= s.bound && x.bound < x.lost && x.lost <= s.lost);
	ck_assert(frustration_exact(&g, 0, &a, &x, &why));
	ck_assert(x.limited && x.bound == s.bound && x.lost == s.lost);
	arena_free(&a);
}
END_TEST

/* What a search loses, the steps that it takes and where its random numbers lead are the same on every machine, or
 * sides in objects would not be; as counted once. From any sides on it loses no more than those do. */
static const struct {
	uint64_t bound, steps, lost, taken;
} searched[] = {
	{ 0, 2000000, 12732, 585193 },
	{ 0, 40000, 12732, 40000 },
	{ 0, 5000, 13528, 5000 },
	{ 13000, 2000000, 12732, 84537 },
};

START_TEST(a_search_is_the_same_everywhere)
{
	enum { NODES = 60, EDGES = 170 };
	struct wedge edge[EDGES];
	uint64_t r = 25, steps = searched[_i].steps, lost;
	uint8_t same[EDGES], side[NODES] = { 0 };
	struct sgraph s = { { NODES, EDGES, edge }, same };

	for (uint32_t e = 0; e < EDGES; e++)
		edge[e] = (struct wedge){ rng_below(&r, NODES), rng_below(&r, NODES), 1 + rng_below(&r, 1000) };
	graph_normalise(&s.g);
	for (uint32_t e = 0; e < s.g.m; e++)
		same[e] = rng_below(&r, 3) == 0;
	lost = sides_loss(&s, side);
	ck_assert_uint_le(sides_search(&s, searched[_i].bound, &steps, side), lost);
	ck_assert_uint_eq(sides_loss(&s, side), searched[_i].lost);
	ck_assert_uint_eq(searched[_i].steps - steps, searched[_i].taken);
}
END_TEST

/* Trees, chains and rings go, with what hangs on heavy edges; of four nodes that are all joined alike none does. */
START_TEST(a_graph_is_reduced_to_what_may_be_lost)
{
	/* a tree, at node 3 a ring of four, at node 5 a triangle with one edge that outweighs the others */
	GRAPH(9, { 0, 1, 3 }, { 0, 2, 5 }, { 0, 3, 1 }, { 3, 4, 2 }, { 4, 5, 2 }, { 5, 6, 2 }, { 3, 6, 2 }, { 5, 7, 9 },
	      { 7, 8, 4 }, { 5, 8, 4 });
	struct core c = { 0 };

	graph_reduce(&g, true, &a, &c);
	ck_assert_uint_eq(c.s.g.n, 0);
	ck_assert_uint_eq(c.s.g.m, 0);
	for (uint32_t v = 0; v < 9; v++)
		ck_assert_uint_eq(c.core_of[v], GRAPH_NONE);
	graph_reduce(&g, false, &a, &c); /* unasked */
	ck_assert(c.s.g.n == 9 && c.s.g.m == 10 && c.core_of[8] == 8);
	g.n = 4;
	g.m = 0;
	for (uint32_t x = 1; x < 4; x++)
		for (uint32_t y = 0; y < x; y++)
			g.e[g.m++] = (struct wedge){ y, x, 7 };
	graph_normalise(&g);
	graph_reduce(&g, true, &a, &c);
	ck_assert(c.s.g.n == 4 && c.s.g.m == 6);
	arena_free(&a);
}
END_TEST

/* What it costs that these nodes are the first part. */
static uint64_t cut_cost(const struct cut_network *c, uint32_t first)
{
	uint64_t cost = 0;

	for (uint32_t v = 0; v < c->n; v++)
		cost += first >> v & 1 ? c->second[v] : c->first[v];
	for (uint32_t e = 0; e < c->narc; e++)
		if (first >> c->arc[e].from & 1 && !(first >> c->arc[e].to & 1))
			cost += c->arc[e].capacity;
	return cost;
}

/* Small random networks; parallel arcs, loops and capacities of 0 among them. All parts are tried: those of least cost
 * have a part of least cost in common. */
START_TEST(a_cut_costs_least_and_has_the_smallest_first_part)
{
	enum { NODES = 8, ARCS = 20, NETWORKS = 400 };

	for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
		uint64_t r = seed, first[NODES], second[NODES], least = UINT64_MAX;
		struct cut_arc arc[ARCS];
		struct cut_network c = { .n = 1 + rng_below(&r, NODES),
					 .narc = rng_below(&r, ARCS),
					 .first = first,
					 .second = second,
					 .arc = arc };
		uint32_t want = 0, scale = 2 + rng_below(&r, 10);
		bool in_first[NODES];
		struct arena a;

		for (uint32_t v = 0; v < c.n; v++) {
			first[v] = rng_below(&r, 2) ? rng_below(&r, 2 * scale) : 0;
			second[v] = rng_below(&r, 2) ? rng_below(&r, 2 * scale) : 0;
		}
		for (uint32_t e = 0; e < c.narc; e++)
			arc[e] = (struct cut_arc){ rng_below(&r, c.n), rng_below(&r, c.n), rng_below(&r, scale) };
		for (uint32_t part = 0; part < (uint32_t)1 << c.n; part++) {
			const uint64_t cost = cut_cost(&c, part);

			if (cost < least)
				want = part;
			else if (cost == least)
				want &= part;
			least = cost < least ? cost : least;
		}
		arena_init(&a);
		ck_assert(graph_cut(&c, 100000, &a, in_first));
		for (uint32_t v = 0; v < c.n; v++)
			ck_assert_msg(in_first[v] == (want >> v & 1), "network %u, node %u", (unsigned)seed, v);
		arena_free(&a);
	}
}
END_TEST

/* A ladder: ways of all lengths, and none left when the steps are used up. */
START_TEST(a_cut_gives_up_after_its_steps)
{
	enum { RUNGS = 200 };
	uint64_t first[2 * RUNGS] = { 0 }, second[2 * RUNGS] = { 0 };
	struct cut_arc arc[3 * RUNGS];
	struct cut_network c = { .n = 2 * RUNGS, .first = first, .second = second, .arc = arc };
	bool in_first[2 * RUNGS];
	struct arena a;

	for (uint32_t v = 0; v < RUNGS; v++) {
		first[2 * v] = second[2 * v + 1] = 5;
		arc[c.narc++] = (struct cut_arc){ 2 * v, 2 * v + 1, 3 };
		if (v) {
			arc[c.narc++] = (struct cut_arc){ 2 * v - 2, 2 * v, 9 };
			arc[c.narc++] = (struct cut_arc){ 2 * v - 1, 2 * v + 1, 1 };
		}
	}
	arena_init(&a);
	ck_assert(!graph_cut(&c, RUNGS, &a, in_first));
	ck_assert(graph_cut(&c, 1000 * RUNGS, &a, in_first));
	for (uint32_t v = 0; v < 2 * RUNGS; v++)
		ck_assert(in_first[v] == !(v & 1));
	arena_free(&a);
}
END_TEST

Suite *suite_graph(void)
{
	Suite *s = suite_create("graph");
	TCase *c = tcase_create("graph");

	tcase_add_test(c, a_normal_graph_has_no_loops_and_no_parallel_edges);
	tcase_add_test(c, biconnected_components_share_nodes_and_no_edges);
	tcase_add_test(c, figure_5_of_corf_is_matched_as_there);
	tcase_add_test(c, a_matching_takes_two_light_edges_for_a_heavy_one);
	tcase_add_test(c, an_odd_ring_in_the_way_is_shrunk_and_opened_again);
	tcase_add_test(c, a_matching_weighs_as_much_as_the_best_of_all);
	tcase_add_test(c, no_edges_no_matching);
	tcase_add_test(c, figure_8_of_corf_has_four_odd_cycles);
	tcase_add_test(c, figure_8_loses_the_edges_with_the_least_weight_for_each_cycle);
	tcase_add_test(c, a_removed_edge_whose_ends_come_apart_anyway_is_kept);
	tcase_add_test(c, the_heuristic_ends_at_any_limit);
	tcase_add_test(c, a_complete_graph_of_more_than_is_enumerated);
	tcase_add_test(c, a_long_odd_ring_loses_its_lightest_edge);
	tcase_add_test(c, the_integer_program_proves_what_the_packing_does_not);
	tcase_add_test(c, the_integer_program_stops_at_its_time_with_sides_and_a_bound);
	tcase_add_loop_test(c, a_search_is_the_same_everywhere, 0, sizeof searched / sizeof *searched);
	tcase_add_test(c, a_graph_is_reduced_to_what_may_be_lost);
	tcase_add_test(c, a_cut_costs_least_and_has_the_smallest_first_part);
	tcase_add_test(c, a_cut_gives_up_after_its_steps);
	tcase_set_timeout(c, 120);
	suite_add_tcase(s, c);
	return s;
}
