/* Graph algorithms on graphs small enough to work out by hand; test/prop/p_graph.c has the random ones. */
#include "passes/graph/graph.h"

#include <check.h>

Suite *suite_graph(void);

#define GRAPH(n, ...) \
	struct wedge edges[] = { __VA_ARGS__ }; \
	struct wgraph g = { n, sizeof edges / sizeof *edges, edges }; \
	struct arena a; \
	arena_init(&a); \
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
	GRAPH(8, { 0, 1, 1 }, { 1, 2, 1 }, { 0, 2, 1 }, { 2, 3, 1 }, { 3, 4, 1 }, { 4, 5, 1 }, { 5, 6, 1 }, { 3, 6, 1 });
	uint32_t *of, n = graph_components(&g, &a, &of);

	ck_assert_uint_eq(n, 3);
	ck_assert(of[0] == of[1] && of[1] == of[2]);            /* 01 02 12 */
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

Suite *suite_graph(void)
{
	Suite *s = suite_create("graph");
	TCase *c = tcase_create("graph");

	tcase_add_test(c, a_normal_graph_has_no_loops_and_no_parallel_edges);
	tcase_add_test(c, biconnected_components_share_nodes_and_no_edges);
	tcase_add_test(c, figure_5_of_corf_is_matched_as_there);
	tcase_add_test(c, a_matching_takes_two_light_edges_for_a_heavy_one);
	tcase_add_test(c, an_odd_ring_in_the_way_is_shrunk_and_opened_again);
	tcase_add_test(c, no_edges_no_matching);
	suite_add_tcase(s, c);
	return s;
}
