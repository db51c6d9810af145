/* Instructions put in before others and on edges: on every edge at once, each is executed on its edge and nowhere
 * else. */
#include "passes/edit.h"
#include "test/unit/pass_fixture.h"

#include <check.h>

/* a register that no test's code has */
enum { MARK = 40 };

static uint32_t old_block(const struct block *old, uint32_t nold, uint32_t i)
{
	for (uint32_t b = 0; b < nold; b++)
		if (i - old[b].first < old[b].n)
			return b;
	ck_abort();
}

/* From instruction i on: the next that is old; those put in before it, by their number, are added to mark. */
static uint32_t follow(const struct kernel *k, const uint32_t *origin, uint32_t i, uint32_t *mark, uint32_t *n)
{
	for (; origin[i] & EDIT_NEW; i++)
		if (origin[i] == (EDIT_JUMP | EDIT_NEW))
			i = k->block[insn_src(k, &k->insn[i])[0].val].first - 1;
		else
			mark[(*n)++] = origin[i] & ~EDIT_NEW;
	return i;
}

/* Two insertions on each edge. No block of the code is empty. */
static void check_edges(const char *body, uint32_t fresh)
{
	struct kernel *k = compile(body);
	const struct cfg *g = k->cfg->local;
	const struct block *old = k->block;
	uint32_t from[64], to[64], nedge = 0, nold = k->nblock, seen = 0;
	const uint32_t *origin;
	struct edit e;

	edit_begin(&e, k, &arena);
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t x = g->succ_at[b]; x < g->succ_at[b + 1]; x++) {
			from[nedge] = b;
			to[nedge++] = g->succ[x];
			for (unsigned twice = 0; twice < 2; twice++)
				edit_edge(&e, b, g->succ[x], OP_MOV_B32, ref_reg(MARK), ref_reg(MREG_RZ));
		}
	origin = edit_end(&e);
	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
	ck_assert_uint_eq(k->nblock, nold + fresh);
	ck_assert(pass_need(k, FACT_CFG, &cx));
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t at = k->block[b].first + k->block[b].n, mark[8], n = 0, own;

		while (at > k->block[b].first && origin[at - 1] & EDIT_NEW)
			at--;
		if (at == k->block[b].first)
			continue; /* a new block */
		own = old_block(old, nold, origin[at - 1]);
		if (k->insn[at - 1].op == OP_BRA && insn_kills(&k->insn[at - 1]))
			for (uint32_t i = at - 1; i > k->block[b].first && origin[i - 1] & EDIT_NEW; i--)
				mark[n++] = origin[i - 1] & ~EDIT_NEW;
		for (; at < k->block[b].first + k->block[b].n; at++)
			mark[n++] = origin[at] & ~EDIT_NEW;
		for (uint32_t x = k->cfg->local->succ_at[b]; x < k->cfg->local->succ_at[b + 1]; x++) {
			uint32_t m = n, i = follow(k, origin, k->block[k->cfg->local->succ[x]].first, mark, &m);

			ck_assert_uint_eq(m, 2);
			ck_assert(mark[0] / 2 == mark[1] / 2);
			ck_assert_uint_eq(from[mark[0] / 2], own);
			ck_assert_uint_eq(to[mark[0] / 2], old_block(old, nold, origin[i]));
			seen++;
		}
	}
	ck_assert_uint_eq(seen, nedge);
}

START_TEST(before_an_instruction_in_order)
{
	struct kernel *k =
		compile(".visible .entry k()\n{\n.reg .b32 %r<2>; mov.u32 %r1, %tid.x; bar.sync 0; ret;\n}\n");
	uint32_t n = k->ninsn;
	const uint32_t *origin;
	struct edit e;

	edit_begin(&e, k, &arena);
	edit_before(&e, n - 1, OP_MOV_B32, ref_reg(MARK), ref_reg(MREG_RZ));
	edit_before(&e, 0, OP_MOV_B32, ref_reg(MARK), ref_reg(MREG_RZ));
	edit_before(&e, n - 1, OP_MOV_B32, ref_reg(MARK + 1), ref_reg(MREG_RZ));
	origin = edit_end(&e);
	ck_assert_uint_eq(k->ninsn, n + 3);
	ck_assert(origin[0] == (1 | EDIT_NEW) && origin[n] == (0 | EDIT_NEW) && origin[n + 1] == (2 | EDIT_NEW) &&
		  origin[n + 2] == n - 1);
	ck_assert(insn_dst(k, &k->insn[n + 1])[0].val == MARK + 1 && k->insn[n + 1].guard.kind == REF_NONE);
	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
}
END_TEST

#define HEAD                                                                                         \
	".visible .entry k(.param .u64 out)\n{\n.reg .pred %p, %q; .reg .b32 %r<9>; .reg .b64 %d;\n" \
	"ld.param.u64 %d, [out]; mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 5;\n"
#define TAIL " st.global.u32 [%d], %r1; ret;\n}\n"

START_TEST(each_edge_has_its_own)
{
	check_edges(HEAD "@%p bra T; add.u32 %r1, %r1, 1;\nT:" TAIL, 1);
	check_edges(HEAD "L: add.u32 %r1, %r1, 1; setp.lt.u32 %q, %r1, 30; @%q bra L;\n" TAIL, 1);
	check_edges(HEAD "L: add.u32 %r1, %r1, 1; setp.lt.u32 %q, %r1, 30; @%p bra M; @%q bra L; add.u32 %r1, %r1, 3; "
			 "@%p bra L;\nM:" TAIL,
		    4);
	check_edges(HEAD "@%p bra A; add.u32 %r1, %r1, 1; bra B;\nA: add.u32 %r1, %r1, 2; @%p bra C;\nB: add.u32 %r1, "
			 "%r1, 4;\nC:" TAIL,
		    2);
	check_edges(HEAD "t: .branchtargets A, B, B, C; and.b32 %r2, %r1, 3; @%p bra C; brx.idx %r2, t;\n"
			 "A: add.u32 %r1, %r1, 1; @%p bra B;\nC: add.u32 %r1, %r1, 2;\nB:" TAIL,
		    5);
}
END_TEST

Suite *suite_edit(void);
Suite *suite_edit(void)
{
	Suite *s = suite_create("edit");
	TCase *t = tcase_create("edit");

	tcase_add_checked_fixture(t, pass_setup_plain, pass_teardown);
	tcase_add_test(t, before_an_instruction_in_order);
	tcase_add_test(t, each_edge_has_its_own);
	suite_add_tcase(s, t);
	return s;
}
