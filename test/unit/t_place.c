/* Where the extended set is held, acquired and released: minimum cuts against all cuts, and small kernels by hand. */
#include "analyzer/base/rng.h"
#include "analyzer/ptx/ptx.h"
#include "passes/graph/cut.h"
#include "passes/regmutex.h"
#include "test/unit/pass_fixture.h"

#include <check.h>
#include <string.h>

Suite *suite_place(void);

static uint64_t cost_of(const struct cut_network *c, const bool *first)
{
	uint64_t cost = 0;

	for (uint32_t v = 0; v < c->n; v++)
		cost += first[v] ? c->second[v] : c->first[v];
	for (uint32_t x = 0; x < c->narc; x++)
		cost += first[c->arc[x].from] && !first[c->arc[x].to] ? c->arc[x].capacity : 0;
	return cost;
}

START_TEST(no_cut_costs_less)
{
	enum { N = 9, ARCS = 24 };
	uint64_t rng = mix64((uint64_t)_i), first[N], second[N];
	struct cut_arc arc[ARCS];
	struct cut_network c = {
		.n = 1 + rng_below(&rng, N), .narc = rng_below(&rng, ARCS), .first = first, .second = second, .arc = arc
	};
	bool in_first[N], any[N];

	for (uint32_t v = 0; v < c.n; v++) {
		first[v] = rng_below(&rng, 3) ? rng_below(&rng, 20) : 0;
		second[v] = rng_below(&rng, 3) ? rng_below(&rng, 20) : 0;
	}
	for (uint32_t x = 0; x < c.narc; x++)
		arc[x] = (struct cut_arc){ rng_below(&rng, c.n), rng_below(&rng, c.n), rng_below(&rng, 15) };
	ck_assert(graph_cut(&c, 1000000, &arena, in_first));
	for (uint32_t way = 0; way < 1u << c.n; way++) {
		uint32_t size = 0, found = 0;

		for (uint32_t v = 0; v < c.n; v++) {
			any[v] = way >> v & 1;
			size += any[v];
			found += in_first[v];
		}
		ck_assert_uint_ge(cost_of(&c, any), cost_of(&c, in_first));
		ck_assert(cost_of(&c, any) > cost_of(&c, in_first) || size >= found);
	}
}
END_TEST

START_TEST(a_cut_gives_up_in_time)
{
	uint64_t big[2] = { 5, 5 };
	struct cut_arc arc[2] = { { 0, 1, 3 }, { 1, 0, 3 } };
	struct cut_network c = { .n = 2, .narc = 2, .first = big, .second = big, .arc = arc };
	bool in_first[2];

	ck_assert(!graph_cut(&c, 0, &arena, in_first));
}
END_TEST

/* A variant whose base set has so many registers; nothing is scheduled or folded. */
static struct kernel *variant(const char *body, int extended, enum regmutex_place place)
{
	struct source *src = new(&arena, struct source);
	struct module *m;

	*src = (struct source){ "k.ptx", NULL, 0 };
	src->text = arena_printf(&arena,
				 ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 "
				 "out)\n{\n.reg .pred %%p, %%q; .reg .b32 %%r<40>; .reg .b64 %%d;\n"
				 "ld.param.u64 %%d, [out]; mov.u32 %%r1, %%tid.x; setp.lt.u32 %%p, %%r1, 5;\n%s "
				 "st.global.u32 [%%d], %%r1; ret;\n}\n",
				 body);
	src->len = strlen(src->text);
	cx.opt.regmutex.size = extended;
	cx.opt.regmutex.place = place;
	m = ptx_parse(src, &arena, &diag);
	ck_assert_msg(m && pass_compile(m->kernel[0], &cx), "%s", diag.last);
	ck_assert_ptr_nonnull(m->kernel[0]->variant);
	return m->kernel[0];
}

/* Twelve values are alive at once, then one. */
#define LOADS                                                                                                      \
	"ld.global.u32 %r2, [%d+4]; ld.global.u32 %r3, [%d+8]; ld.global.u32 %r4, [%d+12]; ld.global.u32 %r5, "    \
	"[%d+16]; ld.global.u32 %r6, [%d+20];\n"                                                                   \
	"ld.global.u32 %r7, [%d+24]; ld.global.u32 %r8, [%d+28]; ld.global.u32 %r9, [%d+32]; ld.global.u32 %r10, " \
	"[%d+36]; ld.global.u32 %r11, [%d+40];\n"
#define SUMS                                                                                                         \
	"add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; add.u32 %r1, "  \
	"%r1, %r6;\n"                                                                                                \
	"add.u32 %r1, %r1, %r7; add.u32 %r1, %r1, %r8; add.u32 %r1, %r1, %r9; add.u32 %r1, %r1, %r10; add.u32 %r1, " \
	"%r1, %r11;\n"

START_TEST(one_region_in_straight_code)
{
	struct kernel *k = variant(LOADS SUMS, 8, REGMUTEX_PLACE_PAPER);

	ck_assert_uint_eq(k->regmutex->acquires, 1);
	ck_assert_uint_eq(k->regmutex->releases, 1);
	ck_assert(k->regmutex->held > 0 && k->regmutex->held < k->variant->ninsn);
}
END_TEST

/* The paper's placement acquires where demand begins, each time round; what the loop needs in all of its body is
 * acquired before it. */
START_TEST(a_loop_that_needs_it_everywhere_acquires_before)
{
	struct kernel *k = variant(LOADS "mov.u32 %r12, 0;\nL: add.u32 %r12, %r12, 1; add.u32 %r2, %r2, %r11; "
					 "setp.lt.u32 %q, %r12, 100; @%q bra L;\n" SUMS,
				   8, _i ? REGMUTEX_PLACE_PAPER : REGMUTEX_PLACE_COST);

	ck_assert_uint_eq(k->regmutex->acquires_weighted, 1);
	ck_assert_uint_le(k->regmutex->releases_weighted, 1); /* it may last to the end */
}
END_TEST

START_TEST(a_side_that_needs_it_has_it_alone)
{
	struct kernel *k = variant("@%p bra M;\n" LOADS SUMS "M: add.u32 %r1, %r1, 7;\n", 8, REGMUTEX_PLACE_PAPER);

	ck_assert(k->regmutex->acquires == 1 && k->regmutex->releases == 1);
	ck_assert_uint_lt(k->regmutex->held, 24);
}
END_TEST

START_TEST(nothing_is_released_before_a_thread_ends)
{
	struct kernel *k =
		variant(LOADS "st.global.u32 [%d+4], %r2; @%p exit;\n" SUMS "st.global.u32 [%d], %r1; exit;\n", 8,
			REGMUTEX_PLACE_COST);

	ck_assert_uint_eq(k->regmutex->acquires, 1);
	ck_assert_uint_le(k->regmutex->releases, 1);
}
END_TEST

START_TEST(barriers_are_without_it)
{
	struct kernel *k = variant(LOADS SUMS "bar.sync 0;\n" LOADS SUMS, 8, REGMUTEX_PLACE_PAPER);
	uint8_t *held = new_array(&arena, uint8_t, (size_t)k->variant->ninsn + 1);

	ck_assert(k->regmutex->acquires == 2 && k->regmutex->releases == 2);
	regmutex_held(k->variant, &arena, held);
	for (uint32_t i = 0; i < k->variant->ninsn; i++)
		ck_assert(!held[i] || !(op_info[k->variant->insn[i].op].flags & OPF_BARRIER));
}
END_TEST

START_TEST(the_oracle_sees_what_is_missing)
{
	struct kernel *k = variant(LOADS SUMS "bar.sync 0;\n" LOADS SUMS, 8, REGMUTEX_PLACE_COST), *c = k->variant;
	unsigned found = 0;

	for (uint32_t i = 0; i < c->ninsn; i++) {
		uint16_t op = c->insn[i].op;

		if (!(op_info[op].flags & OPF_REGMUTEX))
			continue;
		c->insn[i].op = op == OP_RF_ACQUIRE ? OP_RF_RELEASE : OP_RF_ACQUIRE;
		found += !check_regmutex(c, true, NULL, &diag);
		c->insn[i].op = op;
	}
	/* two acquires, and the release before the barrier; the second region lasts to the end */
	ck_assert_uint_eq(found, 3);
	ck_assert(check_regmutex(c, true, NULL, &diag));
}
END_TEST

Suite *suite_place(void)
{
	Suite *s = suite_create("place");
	TCase *t = tcase_create("place");

	tcase_add_checked_fixture(t, pass_setup_plain, pass_teardown);
	tcase_add_loop_test(t, no_cut_costs_less, 0, 200);
	tcase_add_test(t, a_cut_gives_up_in_time);
	tcase_add_test(t, one_region_in_straight_code);
	tcase_add_loop_test(t, a_loop_that_needs_it_everywhere_acquires_before, 0, 2);
	tcase_add_test(t, a_side_that_needs_it_has_it_alone);
	tcase_add_test(t, nothing_is_released_before_a_thread_ends);
	tcase_add_test(t, barriers_are_without_it);
	tcase_add_test(t, the_oracle_sees_what_is_missing);
	suite_add_tcase(s, t);
	return s;
}
