/* Control-flow graph, dominators, post-dominators, loop depth, and the runner of passes. */
#include "test/unit/cfg_spec.h"
#include "test/unit/pass_fixture.h"

#include <check.h>

static struct kernel *analysed(const char *spec)
{
	struct kernel *k = spec_kernel(&arena, spec);

	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
	ck_assert_msg(pass_need(k, FACT_CFG | FACT_DOM | FACT_PDOM | FACT_LOOP, &cx), "%s", diag.last);
	return k;
}

/* "none" in the tables below */
enum { N = UINT32_MAX & 0xff };

static void assert_blocks(const struct kernel *k, const char *what, const uint32_t *got, const uint8_t *want)
{
	for (uint32_t b = 0; b < k->nblock; b++)
		ck_assert_msg((got[b] & 0xff) == want[b], "%s of block %u is %d, not %d", what, b, (int)got[b],
			      want[b]);
}

static const struct shape {
	const char *name, *spec;
	uint8_t idom[10], ipdom[10], depth[10];
} shape[] = {
	{ "diamond", "c2 b3 f r", { 0, 0, 0, 0 }, { 3, 3, 3, N }, { 0 } },
	{ "if without else", "c2 f r", { 0, 0, 0 }, { 2, 2, N }, { 0 } },
	{ "loop of one block", "f c1 r", { 0, 0, 1 }, { 1, 2, N }, { 0, 1, 0 } },
	{ "entry is a loop header", "f c0 r", { 0, 0, 1 }, { 1, 2, N }, { 1, 1, 0 } },
	{ "nested loops", "f f c2 c1 r", { 0, 0, 1, 2, 3 }, { 1, 2, 3, 4, N }, { 0, 1, 2, 1, 0 } },
	{ "two back edges, one loop", "f c3 c1 c1 r", { 0, 0, 1, 1, 3 }, { 1, 3, 3, 4, N }, { 0, 1, 1, 1, 0 } },
	{ "guarded return", "f R c1 r", { 0, 0, 1, 2 }, { 1, N, N, N }, { 0, 1, 1, 0 } },
	{ "two returns", "c2 r r", { 0, 0, 0 }, { N, N, N }, { 0 } },
	/* 1 and 2 jump at each other, entered at both; the walk meets 1 first */
	{ "irreducible", "c2 f c1 r", { 0, 0, 0, 2 }, { 2, 2, 3, N }, { 0, 1, 1, 0 } },
	{ "endless loop", "c3 f b1 r", { 0, 0, 1, 0 }, { N, 2, N, N }, { 0, 1, 1, 0 } },
	{ "only an endless loop", "f b0", { 0, 0 }, { 1, N }, { 1, 1 } },
	/* 1 -> 2 -> 1 leads on to the endless 3; only 3, which nothing leaves, gets an edge to the exit */
	{ "loop before an endless one", "f f c1 b3 r", { 0, 0, 1, 2, N }, { 1, 2, 3, N, N }, { 0, 1, 1, 1, 0 } },
	{ "unreachable block", "b2 b2 r", { 0, N, 0 }, { 2, 2, N }, { 0 } },
	{ "branch to the next block", "c1 r", { 0, 0 }, { 1, N }, { 0 } },
};

START_TEST(shapes_have_known_trees_and_depths)
{
	const struct shape *s = &shape[_i];
	struct kernel *k = analysed(s->spec);

	assert_blocks(k, "immediate dominator", k->dom->idom, s->idom);
	assert_blocks(k, "immediate post-dominator", k->pdom->idom, s->ipdom);
	assert_blocks(k, "loop depth", k->cfg->depth, s->depth);
}
END_TEST

START_TEST(successors_are_fall_through_then_target)
{
	struct kernel *k = analysed("c3 b3 r R c5 c1 r");
	static const uint8_t want[7][2] = { { 1, 3 }, { 3, N }, { N, N }, { 4, N }, { 5, N }, { 6, 1 }, { N, N } };
	static const uint8_t npred[7] = { 0, 2, 0, 2, 1, 1, 1 };
	const struct cfg *g = k->cfg;

	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t n = g->succ_at[b + 1] - g->succ_at[b];

		for (uint32_t j = 0; j < 2; j++)
			ck_assert_uint_eq(j < n ? g->succ[g->succ_at[b] + j] : N, want[b][j]);
		ck_assert_uint_eq(g->pred_at[b + 1] - g->pred_at[b], npred[b]);
	}
	ck_assert_uint_eq(g->nrpo, 6);
	ck_assert_uint_eq(g->rpo[0], 0);
	ck_assert_uint_eq(g->rpo_index[2], UINT32_MAX);
	for (uint32_t i = 0; i < g->nrpo; i++)
		ck_assert_uint_eq(g->rpo_index[g->rpo[i]], i);
}
END_TEST

START_TEST(reconvergence_is_the_post_dominator)
{
	struct kernel *k = analysed("c2 b3 f r");

	ck_assert_uint_eq(reconvergence(k, 0), 3);
	ck_assert_uint_eq(reconvergence(k, 3), UINT32_MAX);
	ck_assert(dominates(k->dom, 0, 3) && dominates(k->dom, 2, 2) && !dominates(k->dom, 1, 3));
}
END_TEST

/* Depth by definition: b is in the loop of header w if it lies below w in the depth-first tree and reaches, inside that
 * subtree, a block with an edge to w from below. The tree is walked anew, recursively. */
struct walk {
	const struct cfg *g;
	uint32_t pre[256], post[256], npre, npost;
};

static void walk_tree(struct walk *t, uint32_t b)
{
	t->pre[b] = ++t->npre;
	for (uint32_t e = t->g->succ_at[b]; e < t->g->succ_at[b + 1]; e++)
		if (!t->pre[t->g->succ[e]])
			walk_tree(t, t->g->succ[e]);
	t->post[b] = ++t->npost;
}

static bool below(const struct walk *t, uint32_t b, uint32_t w)
{
	return t->pre[b] && t->pre[w] <= t->pre[b] && t->post[b] <= t->post[w];
}

static void loop_of(const struct walk *t, uint32_t w, bool in[256])
{
	uint32_t stack[256], top = 0;

	memset(in, 0, 256);
	for (uint32_t e = t->g->pred_at[w]; e < t->g->pred_at[w + 1]; e++) {
		uint32_t b = t->g->pred[e];

		if (below(t, b, w) && !in[b]) {
			in[b] = true;
			stack[top++] = b;
		}
	}
	if (top && !in[w])
		in[w] = true;
	while (top) {
		uint32_t b = stack[--top];

		for (uint32_t e = t->g->pred_at[b]; b != w && e < t->g->pred_at[b + 1]; e++) {
			uint32_t p = t->g->pred[e];

			if (below(t, p, w) && !in[p]) {
				in[p] = true;
				stack[top++] = p;
			}
		}
	}
}

enum { RANDOM_KERNELS = 400 };

START_TEST(random_graphs_agree_with_removal_of_blocks)
{
	for (uint64_t seed = 1; seed <= RANDOM_KERNELS; seed++) {
		uint32_t n = 1 + (uint32_t)(seed % 40);
		struct kernel *k = spec_random(&arena, FORM_VIRTUAL, n, 1, seed);

		ck_assert_msg(ir_verify(k, &diag), "seed %u: %s", (unsigned)seed, diag.last);
		ck_assert_msg(pass_need(k, FACT_CFG | FACT_DOM | FACT_PDOM, &cx), "seed %u: %s", (unsigned)seed,
			      diag.last);
	}
}
END_TEST

START_TEST(random_graphs_have_the_loops_of_the_definition)
{
	unsigned deepest = 0;

	for (uint64_t seed = 1; seed <= RANDOM_KERNELS; seed++) {
		uint32_t n = 1 + (uint32_t)(seed % 40), depth[256] = { 0 };
		struct kernel *k = spec_random(&arena, FORM_VIRTUAL, n, 0, seed);
		struct walk t = { .npre = 0 };
		bool in[256];

		ck_assert(pass_need(k, FACT_LOOP, &cx));
		t.g = k->cfg;
		walk_tree(&t, 0);
		for (uint32_t w = 0; w < n; w++) {
			loop_of(&t, w, in);
			for (uint32_t b = 0; b < n; b++)
				depth[b] += in[b];
		}
		for (uint32_t b = 0; b < n; b++) {
			ck_assert_msg(depth[b] == k->cfg->depth[b], "seed %u, block %u: %u, not %u", (unsigned)seed, b,
				      k->cfg->depth[b], depth[b]);
			deepest = depth[b] > deepest ? depth[b] : deepest;
		}
	}
	ck_assert_uint_ge(deepest, 4);
}
END_TEST

START_TEST(oracle_finds_a_wrong_tree)
{
	struct kernel *k = analysed("c2 b3 f r");

	k->dom->idom[3] = 2;
	ck_assert(!check_dom(k, &diag));
	k->dom->idom[3] = 0;
	ck_assert(check_dom(k, &diag));
	k->pdom->idom[0] = 1;
	ck_assert(!check_dom(k, &diag));
	k->pdom->idom[0] = 3;
	k->pdom->post[1] = 0;
	k->pdom->pre[1] = 0;
	ck_assert(!check_dom(k, &diag));
}
END_TEST

START_TEST(oracle_finds_a_wrong_edge)
{
	struct kernel *k = analysed("c2 b3 f r");

	k->cfg->succ[k->cfg->succ_at[1]] = 2;
	ck_assert(!check_dom(k, &diag));
}
END_TEST

/* Shapes that make recursion overflow and quadratic methods crawl. */
static struct kernel *tall(uint32_t n, uint32_t how)
{
	struct kernel *k = kernel_new(module_new(&arena), "tall");

	ir_vreg(k, "%p", RC_PRED, 1);
	for (uint32_t b = 0; b < n; b++) {
		/* a join far below; crossing loops; a loop each */
		uint32_t to;
		if (how == 0)
			to = n;
		else
			to = how == 1 ? n - b : b;
		struct insn *i;

		ir_block(k, NULL);
		i = ir_append(k, OP_BRA, 0, 1);
		i->guard = ref_reg(0);
		insn_src(k, i)[0] = (struct ref){ .kind = REF_BLOCK, .val = to & REF_VAL_MAX };
	}
	ir_block(k, NULL);
	ir_append(k, OP_RET, 0, 0);
	return k;
}

START_TEST(large_graphs_need_no_recursion)
{
	uint32_t n = 200000;
	struct kernel *k = tall(n, (uint32_t)_i);

	cx.opt.check = false;
	ck_assert(pass_need(k, FACT_ALL, &cx));
	ck_assert_uint_eq(k->dom->idom[n / 4], n / 4 - 1);
	ck_assert_uint_eq(k->pdom->idom[n - 1], n);
	ck_assert_uint_eq(k->dom->idom[n], _i < 2 ? 0 : n - 1);
}
END_TEST

static char *dumped(struct kernel *k, enum pass_id id)
{
	char *text = NULL, *copy;
	size_t n = 0;

	cx.dump = open_memstream(&text, &n);
	cx.dump_id = id;
	ck_assert(pass_run(k, id, &cx));
	fclose(cx.dump);
	cx.dump = NULL;
	copy = arena_strndup(&arena, text, n);
	free(text);
	return copy;
}

START_TEST(runner_supplies_needs_and_counts_runs)
{
	struct kernel *k = spec_kernel(&arena, "c2 b3 f r");

	ck_assert(pass_run(k, PASS_ID_pdom, &cx));
	ck_assert_uint_eq(k->facts, FACT_CFG | FACT_PDOM);
	ck_assert(pass_run(k, PASS_ID_pdom, &cx));
	ck_assert_uint_eq(cx.runs[PASS_ID_cfg], 1);
	ck_assert_uint_eq(cx.runs[PASS_ID_pdom], 1);
	ck_assert_uint_eq(cx.runs[PASS_ID_dom], 0);
	ck_assert(cx.seconds[PASS_ID_pdom] >= 0);
	k->facts = 0;
	ck_assert(pass_run(k, PASS_ID_pdom, &cx));
	ck_assert_uint_eq(cx.runs[PASS_ID_cfg], 2);
}
END_TEST

START_TEST(runner_drops_what_a_changing_pass_does_not_keep)
{
	struct kernel *k = kernel_new(module_new(&arena), "dead");
	struct insn *i;
	struct ref seven;

	ir_vreg(k, "%r", RC_32, 32);
	ir_block(k, NULL);
	seven = ir_imm(k, 7);
	i = ir_append(k, OP_MOV_B32, 1, 1);
	insn_dst(k, i)[0] = ref_reg(0);
	insn_src(k, i)[0] = seven;
	ir_append(k, OP_RET, 0, 0);
	ck_assert(pass_need(k, FACT_ALL, &cx));
	ck_assert(pass_run(k, PASS_ID_dce, &cx));
	ck_assert_uint_eq(k->ninsn, 1);
	ck_assert_uint_eq(k->facts, pass_info[PASS_ID_dce].keeps & FACT_ALL);
	ck_assert(!(k->facts & FACT_LIVE));
#ifdef REGLOOM_DEBUG
	ck_assert_ptr_null(k->live);
#endif
	/* nothing left to do: everything stays, and what it needed with it */
	ck_assert(pass_run(k, PASS_ID_dce, &cx));
	ck_assert_uint_eq(k->facts, (pass_info[PASS_ID_dce].keeps | FACT_LIVE | FACT_KILLS) & FACT_ALL);
}
END_TEST

START_TEST(facts_are_dumped_as_text)
{
	struct kernel *k = spec_kernel(&arena, "c2 b2 r");

	ck_assert_str_eq(dumped(k, PASS_ID_cfg),
			 "after cfg: kernel spec\n .L0: to .L1 .L2 | from\n .L1: to .L2 | from .L0\n"
			 " .L2: to | from .L0 .L1\n");
	ck_assert_str_eq(dumped(k, PASS_ID_pdom),
			 "after pdom: kernel spec\n .L0: ipdom .L2\n .L1: ipdom .L2\n .L2: ipdom -\n");
	ck_assert_str_eq(dumped(k, PASS_ID_live),
			 "after live: kernel spec\nmost live: 0 32-bit registers, 1 predicates\n"
			 " .L0: in %p | out\n .L1: in | out\n .L2: in | out\n");
}
END_TEST

Suite *suite_cfg(void);
Suite *suite_cfg(void)
{
	Suite *s = suite_create("cfg");
	TCase *t = tcase_create("cfg");

	tcase_add_checked_fixture(t, pass_setup, pass_teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, shapes_have_known_trees_and_depths, 0, sizeof shape / sizeof *shape);
	tcase_add_test(t, successors_are_fall_through_then_target);
	tcase_add_test(t, reconvergence_is_the_post_dominator);
	tcase_add_test(t, random_graphs_agree_with_removal_of_blocks);
	tcase_add_test(t, random_graphs_have_the_loops_of_the_definition);
	tcase_add_test(t, oracle_finds_a_wrong_tree);
	tcase_add_test(t, oracle_finds_a_wrong_edge);
	tcase_add_loop_test(t, large_graphs_need_no_recursion, 0, 3);
	tcase_add_test(t, runner_supplies_needs_and_counts_runs);
	tcase_add_test(t, runner_drops_what_a_changing_pass_does_not_keep);
	tcase_add_test(t, facts_are_dumped_as_text);
	suite_add_tcase(s, t);
	return s;
}
