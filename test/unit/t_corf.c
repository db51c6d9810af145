/* CORF's hints: metadata words, the affinity graph, pairs and alignment. */
#include "analyzer/base/rng.h"
#include "analyzer/ir/ir.h"
#include "passes/corf.h"
#include "passes/pass.h"

#include "test/unit/pass_fixture.h"

Suite *suite_corf(void);

static struct kernel *k;

static struct corf_hints no_hints(void)
{
	struct corf_hints h = { .pair_word = NULL };

	memset(h.partner, MREG_RZ, sizeof h.partner);
	return h;
}

static void put_pair(struct corf_hints *h, unsigned x, unsigned y)
{
	h->partner[x] = (uint8_t)y;
	h->partner[y] = (uint8_t)x;
}

/* ---- metadata words ---- */
START_TEST(words_of_63_registers_have_the_bits_of_the_paper)
{
	struct corf_hints h = no_hints();

	put_pair(&h, 1, 3);
	put_pair(&h, 2, 4);
	h.align[1] = ALIGN_LEFT;
	h.align[3] = ALIGN_RIGHT;
	h.align[27] = ALIGN_RIGHT;
	corf_encode(&h, 63, &arena);
	ck_assert_uint_eq(h.npair_word, 1);
	ck_assert_uint_eq(h.pair_word[0],
			  UINT64_C(0x3c0) << 54 | UINT64_C(0xffffff) << 24 | (4u << 6 | 2) << 12 | (3u << 6 | 1));
	ck_assert_uint_eq(h.nalign_word, 2);
	ck_assert_uint_eq(h.align_word[0], UINT64_C(0x3c2) << 54 | 2u << 6 | 1u << 2);
	ck_assert_uint_eq(h.align_word[1], UINT64_C(0x3c2) << 54 | 2);
}
END_TEST

START_TEST(more_registers_take_eight_bits_each)
{
	struct corf_hints h = no_hints();

	put_pair(&h, 0, 253);
	put_pair(&h, 63, 64);
	corf_encode(&h, 254, &arena);
	ck_assert_uint_eq(h.npair_word, 1);
	ck_assert_uint_eq(h.pair_word[0],
			  UINT64_C(0x3c1) << 54 | UINT64_C(0xffff) << 32 | UINT64_C(0x403f) << 16 | 0xfd00);
}
END_TEST

START_TEST(no_hints_take_no_words)
{
	struct corf_hints h = no_hints();

	corf_encode(&h, 63, &arena);
	ck_assert_uint_eq(h.npair_word, 0);
	ck_assert_uint_eq(h.nalign_word, 0);
	ck_assert(corf_decode(&h, 63));
}
END_TEST

static struct corf_hints random_hints(uint64_t *g, uint32_t regs)
{
	struct corf_hints h = no_hints();

	for (unsigned n = (unsigned)rng_below(g, regs + 1); n--;) {
		unsigned x = (unsigned)rng_below(g, regs), y = (unsigned)rng_below(g, regs);

		if (x != y && h.partner[x] == MREG_RZ && h.partner[y] == MREG_RZ)
			put_pair(&h, x, y);
		h.align[x] = (uint8_t)rng_below(g, 3);
	}
	return h;
}

START_TEST(words_decode_to_what_was_encoded)
{
	uint64_t g = 1;

	for (unsigned round = 0; round < 2000; round++) {
		uint32_t regs = 1 + (uint32_t)rng_below(&g, 254);
		struct corf_hints h = random_hints(&g, regs), back;

		corf_encode(&h, regs, &arena);
		back = h;
		memset(back.partner, 0, sizeof back.partner);
		memset(back.align, 3, sizeof back.align);
		ck_assert(corf_decode(&back, regs));
		ck_assert_mem_eq(back.partner, h.partner, sizeof h.partner);
		ck_assert_mem_eq(back.align, h.align, sizeof h.align);
		arena_reset(&arena);
	}
}
END_TEST

START_TEST(a_bit_of_a_word_changes_what_it_says_or_makes_it_invalid)
{
	uint64_t g = 2;

	for (unsigned round = 0; round < 2000; round++) {
		uint32_t regs = 2 + (uint32_t)rng_below(&g, 253);
		struct corf_hints h = random_hints(&g, regs), bad;
		uint64_t *word;
		uint32_t n;

		corf_encode(&h, regs, &arena);
		word = rng_below(&g, 2) && h.nalign_word ? h.align_word : h.pair_word;
		n = word == h.align_word ? h.nalign_word : h.npair_word;
		if (n) {
			word[rng_below(&g, n)] ^= UINT64_C(1) << rng_below(&g, 64);
			bad = h;
			ck_assert(!corf_decode(&bad, regs) || memcmp(bad.partner, h.partner, sizeof h.partner) != 0 ||
				  memcmp(bad.align, h.align, sizeof h.align) != 0);
		}
		arena_reset(&arena);
	}
}
END_TEST

/* ---- the graph ---- */
static struct insn *put(enum op op, struct ref x, struct ref y, struct ref z, struct ref w)
{
	struct insn *i = ir_append(k, op, op_info[op].ndst, op_info[op].nsrc);
	const struct ref v[] = { x, y, z, w };

	for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc; s++)
		k->opnd[i->opnd + s] = v[s];
	i->space = op_info[op].mem_bytes ? SP_GLOBAL : SP_NONE;
	return i;
}
#define R(n) ref_reg(n)
#define NO ref_none()

static void new_kernel(void)
{
	k = kernel_new(module_new(&arena), "k");
	k->m->address_bits = 64;
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
}

static void analyse(void)
{
	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
	ck_assert_msg(pass_need(k, FACT_CORF, &cx), "%s", diag.last);
}

/* "0-1:8 2-3:1" */
static const char *edges(void)
{
	char *t = arena_printf(&arena, "%s", "");

	for (uint32_t e = 0; e < k->affinity->m; e++)
		t = arena_printf(&arena, "%s%s%u-%u:%llu", t, e ? " " : "", k->affinity->e[e].a, k->affinity->e[e].b,
				 (unsigned long long)k->affinity->e[e].w);
	return t;
}

START_TEST(an_instruction_joins_the_distinct_registers_that_it_reads)
{
	new_kernel();
	put(OP_FMA_F32, R(0), R(1), R(1), R(2));                                 /* one register twice is read once */
	put(OP_ADD_S32, R(0), R(1), R(MREG_RZ), NO);                             /* the zero register is not read */
	put(OP_ADD_S32, R(0), R(1), ir_imm(k, 3), NO)->guard = ref_reg(MREG_P0); /* a guard is no node */
	put(OP_ADD_S64, R(4), R(6), R(8), NO);                                   /* two registers each */
	put(OP_ST_F32, R(10), R(3), NO, NO);                                     /* an address of two, and a value */
	put(OP_MOV_B32, R(0), R(1), NO, NO);
	put(OP_EXIT, NO, NO, NO, NO);
	analyse();
	ck_assert_str_eq(edges(), "1-2:1 3-10:1 3-11:1 6-7:1 6-8:1 6-9:1 7-8:1 7-9:1 8-9:1 10-11:1");
	ck_assert_uint_eq(k->corf->align[0], ALIGN_ANY); /* written only */
	ck_assert_uint_ne(k->corf->align[1], ALIGN_ANY);
}
END_TEST

START_TEST(an_edge_weighs_the_executions_of_its_blocks)
{
	new_kernel();
	put(OP_ADD_S32, R(0), R(1), R(2), NO);
	ir_block(k, NULL);
	put(OP_ADD_S32, R(0), R(1), R(2), NO);
	put(OP_SETP_GT_S32, R(MREG_P0), R(0), R(3), NO);
	put(OP_BRA, (struct ref){ .kind = REF_BLOCK, .val = 1 }, NO, NO, NO)->guard = ref_reg(MREG_P0);
	ir_block(k, NULL);
	put(OP_EXIT, NO, NO, NO, NO);
	ir_block(k, NULL); /* no path reaches it */
	put(OP_ADD_S32, R(0), R(0), R(1), NO);
	put(OP_EXIT, NO, NO, NO, NO);
	analyse();
	ck_assert_str_eq(edges(), arena_printf(&arena, "0-3:%d 1-2:%d", FREQ_LOOP, FREQ_LOOP + 1));
	ck_assert_uint_eq(k->corf->total, 2 * FREQ_LOOP + 1);
	ck_assert_uint_eq(k->corf->align_kept, k->corf->total);
	ck_assert_uint_eq(k->corf->partner[1], 2);
	ck_assert_uint_eq(k->corf->partner[3], 0);
}
END_TEST

/* As a profile may say: what did not run yields to what did, and still gets a side. */
START_TEST(code_that_never_ran_has_edges_of_weight_1)
{
	static const uint64_t executions[] = { 5, 0, 0 };
	struct sides s;

	new_kernel();
	put(OP_ADD_S32, R(0), R(1), R(2), NO);
	ir_block(k, NULL);
	put(OP_ADD_S32, R(0), R(2), R(3), NO);
	put(OP_ADD_S32, R(0), R(1), R(3), NO);
	put(OP_SETP_GT_S32, R(MREG_P0), R(4), R(5), NO);
	put(OP_BRA, (struct ref){ .kind = REF_BLOCK, .val = 1 }, NO, NO, NO)->guard = ref_reg(MREG_P0);
	ir_block(k, NULL);
	put(OP_EXIT, NO, NO, NO, NO);
	analyse();
	ck_assert(!k->corf->counted);
	memcpy(k->freq->executions, executions, sizeof executions);
	k->freq->source = FREQ_PROFILE;
	k->facts &= ~(unsigned)(FACT_AFFINITY | FACT_CORF);
	analyse();
	ck_assert_str_eq(edges(), "1-2:5 1-3:1 2-3:1 4-5:1");
	ck_assert(k->corf->counted);
	ck_assert(check_corf(k, &diag));
	ck_assert_uint_ne(k->corf->align[1], k->corf->align[2]);
	ck_assert_uint_ne(k->corf->align[4], k->corf->align[5]);
	ck_assert_uint_eq(k->corf->partner[4], 5);
	affinity_build(k, NULL, &arena, k->affinity);
	ck_assert_str_eq(edges(), "1-2:0 1-3:0 2-3:0 4-5:0");
	frustration_default(k->affinity, &arena, &s);
	ck_assert_uint_eq(s.side[4], s.side[5]); /* which is why */
}
END_TEST

/* ---- pairs ---- */
static struct wgraph graph(uint32_t n, uint32_t m, const struct wedge *e)
{
	struct wgraph g = { n, m, new_array(&arena, struct wedge, m + 1) };

	memcpy(g.e, e, m * sizeof *e);
	return g;
}
#define GRAPH(n, ...) \
	graph((n), sizeof((struct wedge[]){ __VA_ARGS__ }) / sizeof(struct wedge), (struct wedge[]){ __VA_ARGS__ })

/* Figure 5: r1 is read 8 times with r2, 10 with r3 and 2 with r4; (r1, r3) and (r2, r4) are chosen. */
START_TEST(figure_5_gives_its_two_pairs)
{
	struct wgraph g = GRAPH(5, { 1, 2, 8 }, { 1, 3, 10 }, { 1, 4, 2 }, { 2, 4, 1 });
	struct matching m;

	pairs_greedy(&g, &arena, &m);
	ck_assert_uint_eq(m.mate[1], 3);
	ck_assert_uint_eq(m.mate[3], 1);
	ck_assert_uint_eq(m.mate[2], 4);
	ck_assert_uint_eq(m.mate[4], 2);
	ck_assert_uint_eq(m.mate[0], GRAPH_NONE);
	ck_assert_uint_eq(m.weight, 11);
}
END_TEST

START_TEST(registers_without_a_common_edge_stay_alone)
{
	struct wgraph g = GRAPH(5, { 1, 2, 8 }, { 1, 3, 10 }, { 1, 4, 2 });
	struct matching m;

	pairs_greedy(&g, &arena, &m);
	ck_assert_uint_eq(m.mate[1], 3);
	ck_assert_uint_eq(m.mate[2], GRAPH_NONE);
	ck_assert_uint_eq(m.mate[4], GRAPH_NONE);
	ck_assert_uint_eq(m.weight, 10);
}
END_TEST

START_TEST(a_matching_may_keep_more_than_the_paper)
{
	new_kernel();
	for (unsigned n = 0; n < 10; n++) {
		if (n < 8) {
			put(OP_ADD_S32, R(9), R(0), R(1), NO);
			put(OP_ADD_S32, R(9), R(2), R(3), NO);
		}
		put(OP_ADD_S32, R(9), R(1), R(2), NO);
	}
	put(OP_EXIT, NO, NO, NO, NO);
	cx.opt.pairs = PAIRS_MATCHING;
	analyse();
	ck_assert_uint_eq(k->corf->greedy_kept, 10);
	ck_assert_uint_eq(k->corf->matching_kept, 16);
	ck_assert_uint_eq(k->corf->pair_kept, 16);
	ck_assert_uint_eq(k->corf->partner[0], 1);
	ck_assert_uint_eq(k->corf->partner[3], 2);
}
END_TEST

/* The paper's words, step by step: the least edge of a register with several goes, until there is none; then the
 * heaviest edge between registers that lost all of theirs comes back, until there is none. */
static uint64_t by_the_words(const struct wgraph *g, uint32_t *mate)
{
	bool there[64];
	uint32_t at;
	uint64_t weight = 0;

	for (uint32_t e = 0; e < g->m; e++)
		there[e] = true;
	do {
		uint32_t n[16] = { 0 };

		at = GRAPH_NONE;
		for (uint32_t e = 0; e < g->m; e++) {
			n[g->e[e].a] += there[e];
			n[g->e[e].b] += there[e];
		}
		for (uint32_t e = 0; e < g->m; e++)
			if (there[e] && (n[g->e[e].a] > 1 || n[g->e[e].b] > 1) &&
			    (at == GRAPH_NONE || g->e[e].w <= g->e[at].w))
				at = e;
		if (at != GRAPH_NONE)
			there[at] = false;
	} while (at != GRAPH_NONE);
	do {
		bool used[16] = { false };

		at = GRAPH_NONE;
		for (uint32_t e = 0; e < g->m; e++)
			if (there[e])
				used[g->e[e].a] = used[g->e[e].b] = true;
		for (uint32_t e = 0; e < g->m; e++)
			if (!used[g->e[e].a] && !used[g->e[e].b] && (at == GRAPH_NONE || g->e[e].w > g->e[at].w))
				at = e;
		if (at != GRAPH_NONE)
			there[at] = true;
	} while (at != GRAPH_NONE);
	for (uint32_t v = 0; v < g->n; v++)
		mate[v] = GRAPH_NONE;
	for (uint32_t e = 0; e < g->m; e++)
		if (there[e]) {
			mate[g->e[e].a] = g->e[e].b;
			mate[g->e[e].b] = g->e[e].a;
			weight += g->e[e].w;
		}
	return weight;
}

START_TEST(one_walk_over_the_edges_is_the_papers_removal)
{
	uint64_t seed = 3;

	for (unsigned round = 0; round < 3000; round++) {
		struct wgraph g = { .n = 2 + rng_below(&seed, 10), .e = new_array(&arena, struct wedge, 64) };
		uint32_t mate[16], dense = 1 + rng_below(&seed, 4), heavy = 1 + rng_below(&seed, 20);
		struct matching m;

		for (uint32_t x = 0; x < g.n; x++)
			for (uint32_t y = x + 1; y < g.n; y++)
				if (!rng_below(&seed, dense))
					g.e[g.m++] = (struct wedge){ x, y, rng_below(&seed, heavy) };
		pairs_greedy(&g, &arena, &m);
		ck_assert_uint_eq(m.weight, by_the_words(&g, mate));
		ck_assert_mem_eq(m.mate, mate, g.n * sizeof *mate);
		arena_reset(&arena);
	}
}
END_TEST

/* ---- alignment ---- */
START_TEST(every_way_to_align_finds_two_sides_where_there_are_two)
{
	for (unsigned way = 0; way < SIDES_COUNT; way++) {
		new_kernel();
		put(OP_ADD_S32, R(9), R(0), R(1), NO);
		put(OP_ADD_S32, R(9), R(1), R(2), NO);
		put(OP_ADD_S32, R(9), R(2), R(3), NO);
		put(OP_ADD_S32, R(9), R(3), R(0), NO);
		put(OP_EXIT, NO, NO, NO, NO);
		cx.opt.sides = way;
		analyse();
		ck_assert_uint_eq(k->corf->align_kept, 4);
		ck_assert_uint_eq(k->corf->align_bound, 0);
		ck_assert(!k->corf->limited);
		for (unsigned r = 0; r < 4; r++)
			ck_assert_uint_eq(k->corf->align[r], r % 2 ? ALIGN_RIGHT : ALIGN_LEFT);
		ck_assert_uint_eq(k->corf->align[9], ALIGN_ANY);
	}
}
END_TEST

START_TEST(a_triangle_loses_its_lightest_edge)
{
	for (unsigned way = 0; way < SIDES_COUNT; way++) {
		new_kernel();
		for (unsigned n = 0; n < 3; n++) {
			put(OP_ADD_S32, R(9), R(0), R(1), NO);
			put(OP_ADD_S32, R(9), R(1), R(2), NO);
		}
		put(OP_ADD_S32, R(9), R(0), R(2), NO);
		put(OP_EXIT, NO, NO, NO, NO);
		cx.opt.sides = way;
		analyse();
		ck_assert_uint_eq(k->corf->align_kept, 6);
		ck_assert_uint_eq(k->corf->align[0], ALIGN_LEFT);
		ck_assert_uint_eq(k->corf->align[1], ALIGN_RIGHT);
		ck_assert_uint_eq(k->corf->align[2], ALIGN_LEFT);
	}
}
END_TEST

/* ---- the check can fail ---- */
START_TEST(the_oracle_sees_a_wrong_graph_and_wrong_hints)
{
	for (unsigned what = 0; what < 6; what++) {
		new_kernel();
		put(OP_ADD_S32, R(9), R(0), R(1), NO);
		put(OP_ADD_S32, R(9), R(1), R(2), NO);
		put(OP_EXIT, NO, NO, NO, NO);
		analyse();
		switch (what) {
		case 0:
			break;
		case 1:
			k->affinity->e[0].w++;
			break;
		case 2:
			k->affinity->m--;
			break;
		case 3:
			put_pair(k->corf, 0, 2);
			break;
		case 4:
			k->corf->align[2] = ALIGN_RIGHT;
			break;
		case 5:
			k->corf->pair_word[0] ^= 1;
			break;
		}
		ck_assert_msg(check_corf(k, &diag) == (what == 0), "%u", what);
	}
}
END_TEST

Suite *suite_corf(void)
{
	Suite *s = suite_create("corf");
	TCase *words = tcase_create("words"), *hints = tcase_create("hints");

	tcase_add_checked_fixture(words, pass_setup, pass_teardown);
	tcase_add_test(words, words_of_63_registers_have_the_bits_of_the_paper);
	tcase_add_test(words, more_registers_take_eight_bits_each);
	tcase_add_test(words, no_hints_take_no_words);
	tcase_add_test(words, words_decode_to_what_was_encoded);
	tcase_add_test(words, a_bit_of_a_word_changes_what_it_says_or_makes_it_invalid);
	suite_add_tcase(s, words);
	tcase_add_checked_fixture(hints, pass_setup, pass_teardown);
	tcase_add_test(hints, an_instruction_joins_the_distinct_registers_that_it_reads);
	tcase_add_test(hints, an_edge_weighs_the_executions_of_its_blocks);
	tcase_add_test(hints, code_that_never_ran_has_edges_of_weight_1);
	tcase_add_test(hints, figure_5_gives_its_two_pairs);
	tcase_add_test(hints, registers_without_a_common_edge_stay_alone);
	tcase_add_test(hints, a_matching_may_keep_more_than_the_paper);
	tcase_add_test(hints, one_walk_over_the_edges_is_the_papers_removal);
	tcase_add_test(hints, every_way_to_align_finds_two_sides_where_there_are_two);
	tcase_add_test(hints, a_triangle_loses_its_lightest_edge);
	tcase_add_test(hints, the_oracle_sees_a_wrong_graph_and_wrong_hints);
	suite_add_tcase(s, hints);
	return s;
}
