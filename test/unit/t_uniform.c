/* Uniform and affine values: what a stored value has in common over lanes, CTA and grid; dead writes; where lanes are
 * together. */
#include "passes/freq.h"
#include "passes/uniform.h"
#include "test/unit/pass_fixture.h"

#define HEAD                                                                                                          \
	".const .u32 table[64];\n.visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .pred %p<4>; .reg .b32 "  \
	"%r<12>; .reg .b64 %d<4>; .shared .u32 s[64];\n"                                                              \
	"ld.param.u64 %d0, [out]; ld.param.u32 %r9, [n]; mov.u32 %r8, %laneid; setp.lt.u32 %p0, %r8, 5; setp.lt.u32 " \
	"%p1, %r9, 3; mov.u32 %r7, %ctaid.x;"                                                                         \
	"setp.lt.u32 %p2, %r7, 7; mov.u32 %r1, 0;\n"
#define STORE "st.global.u32 [%d0], %r1;\n"
#define END STORE "ret;\n}\n"
#define SIDES(p) "@" p " bra B; mov.u32 %r1, 1; bra M; B: mov.u32 %r1, 2; M: "
#define COUNT(until) "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, " until "; @%p3 bra L; "

static const struct value {
	const char *what, *body, *is; /* of %r1 at the first store */
	uint32_t block[3];
} values[] = {
	{ "a parameter", "mov.u32 %r1, %r9;", "grid", { 0 } },
	{ "the number of the CTA", "add.u32 %r1, %r7, %r9;", "cta", { 0 } },
	{ "a load from one address", "ld.global.u32 %r1, [%d0+8];", "warp", { 0 } },
	{ "a load of shared memory", "ld.shared.u32 %r1, [s+8];", "warp", { 0 } },
	{ "constants",
	  "shl.b32 %r2, %r7, 2; mov.u32 %r3, table; add.u32 %r3, %r3, %r2; ld.const.u32 %r1, [%r3];",
	  "cta",
	  { 0 } },
	{ "a load from several addresses",
	  "shl.b32 %r2, %r8, 2; cvt.u64.u32 %d1, %r2; add.u64 %d1, %d1, %d0; ld.global.u32 %r1, [%d1];",
	  "vector",
	  { 0 } },
	{ "%tid.x of blocks of any shape", "mov.u32 %r1, %tid.x;", "vector", { 0 } },
	{ "%tid.x of one row", "mov.u32 %r1, %tid.x;", "affine 1", { 48, 1, 1 } },
	{ "%tid.x of rows of whole warps", "mov.u32 %r1, %tid.x;", "affine 1", { 64, 3, 1 } },
	{ "%tid.x of short rows", "mov.u32 %r1, %tid.x;", "vector", { 16, 16, 1 } },
	{ "%tid.x of a column", "mov.u32 %r1, %tid.x;", "grid", { 1, 64, 1 } },
	{ "%tid.y of a column", "mov.u32 %r1, %tid.y;", "affine 1", { 1, 64, 1 } },
	{ "%tid.y of rows of whole warps", "mov.u32 %r1, %tid.y;", "warp", { 32, 4, 1 } },
	{ "%tid.y of short rows", "mov.u32 %r1, %tid.y;", "vector", { 16, 16, 1 } },
	{ "%tid.z of whole planes", "mov.u32 %r1, %tid.z;", "warp", { 16, 16, 2 } },
	{ "%laneid", "mov.u32 %r1, %laneid;", "affine 1", { 0 } },
	{ "a lane mask", "mov.u32 %r1, %lanemask_lt;", "vector", { 0 } },
	{ "a multiple", "mul.lo.u32 %r1, %r8, 12;", "affine 12", { 0 } },
	{ "a shift", "shl.b32 %r1, %r8, 3;", "affine 8", { 0 } },
	{ "a shift out of the register", "shl.b32 %r1, %r8, 32;", "grid", { 0 } },
	{ "a difference", "sub.u32 %r1, %r9, %r8;", "affine -1", { 0 } },
	{ "a difference without a stride", "sub.u32 %r1, %r8, %r8;", "warp", { 0 } },
	{ "a multiple that is not known", "mad.lo.u32 %r1, %r8, %r9, %r7;", "affine", { 0 } },
	{ "a product of two", "mul.lo.u32 %r1, %r8, %r8;", "vector", { 0 } },
	{ "the lower half of a wide product",
	  "mul.wide.u32 %d1, %r8, 4; add.u64 %d1, %d1, %d0; cvt.u32.u64 %r1, %d1;",
	  "affine 4",
	  { 0 } },
	{ "the upper half", "mul.wide.u32 %d1, %r8, 4; shr.u64 %d1, %d1, 32; cvt.u32.u64 %r1, %d1;", "vector", { 0 } },
	{ "the upper half of a long shift",
	  "cvt.u64.u32 %d1, %r8; shl.b64 %d1, %d1, 34; mov.b64 {%r2, %r1}, %d1;",
	  "affine 4",
	  { 0 } },
	{ "bits of an affine value", "and.b32 %r1, %r8, 3;", "vector", { 0 } },
	{ "a choice by all lanes", "selp.b32 %r1, %r8, %r9, %p1;", "affine", { 0 } },
	{ "half of a choice by the CTA, the other half of each lane",
	  "mul.lo.u32 %r2, %r8, %r8; mov.b64 %d1, {%r9, %r2}; add.u32 %r3, %r9, 1; mov.b64 %d2, {%r3, %r2};"
	  "selp.b64 %d1, %d1, %d2, %p2; cvt.u32.u64 %r1, %d1;",
	  "cta",
	  { 0 } },
	{ "a choice by each lane", "selp.b32 %r1, 1, 2, %p0;", "vector", { 0 } },
	{ "where lanes meet that parted", SIDES("%p0"), "vector", { 0 } },
	{ "where all come one way", SIDES("%p1"), "grid", { 0 } },
	{ "where CTAs come different ways", SIDES("%p2"), "cta", { 0 } },
	{ "where warps come different ways",
	  "ld.global.u32 %r2, [%d0+4]; setp.eq.u32 %p3, %r2, 0;" SIDES("%p3"),
	  "warp",
	  { 0 } },
	{ "a branch that says so", "@%p0 bra.uni B; mov.u32 %r1, 1; bra M; B: mov.u32 %r1, 2; M:", "warp", { 0 } },
	{ "on one side", "@%p0 bra B; add.u32 %r1, %r9, 1; " STORE "B:", "grid", { 0 } },
	{ "before the branch",
	  "mov.u32 %r1, %r9; @%p0 bra B; mov.u32 %r2, 4; st.global.u32 [%d0+4], %r2; B:",
	  "grid",
	  { 0 } },
	{ "inside of a loop that lanes leave one by one",
	  "L: add.u32 %r1, %r1, 1; " STORE "setp.lt.u32 %p3, %r1, %r8; @%p3 bra L;",
	  "warp",
	  { 0 } },
	{ "behind it", COUNT("%r8"), "vector", { 0 } },
	{ "behind a loop of all", COUNT("%r9"), "grid", { 0 } },
	{ "behind a loop of the CTA", COUNT("%r7"), "cta", { 0 } },
	{ "what a loop leaves alone",
	  "mov.u32 %r1, %r9; mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, %r8; @%p3 bra L;",
	  "grid",
	  { 0 } },
	{ "under a guard of each lane", "@%p0 mov.u32 %r1, 5;", "vector", { 0 } },
	{ "under a guard of all", "@%p1 mov.u32 %r1, 5;", "grid", { 0 } },
	{ "under a guard of the CTA", "@%p2 mov.u32 %r1, 5;", "cta", { 0 } },
	{ "behind an early end", "@%p0 bra E; mov.u32 %r1, %r9; " STORE "E:", "grid", { 0 } },
	{ "before lanes wait for each other",
	  "@%p0 bra B; mov.u32 %r1, 1; bra M; B: mov.u32 %r1, 2; @%p2 bra E; M: " STORE "bar.sync 0; " STORE "ret; E:",
	  "warp",
	  { 0 } },
	{ "an atomic", "atom.global.add.u32 %r1, [%d0], 1;", "vector", { 0 } },
	{ "a vote", "vote.sync.ballot.b32 %r1, %p0, -1;", "warp", { 0 } },
	{ "active lanes", "activemask.b32 %r1;", "warp", { 0 } },
	{ "a value of one lane", "shfl.sync.idx.b32 %r1, %r8, 3, 0x1f, -1;", "warp", { 0 } },
	{ "a value of one lane of eight", "shfl.sync.idx.b32 %r1, %r8, 3, 0x181f, -1;", "vector", { 0 } },
	{ "a value of the neighbour", "shfl.sync.bfly.b32 %r1, %r8, 1, 0x1f, -1;", "vector", { 0 } },
	{ "a sum of lanes", "redux.sync.add.u32 %r1, %r8, -1;", "warp", { 0 } },
	{ "a clock", "mov.u32 %r1, %clock;", "warp", { 0 } },
};

static struct launch_facts facts;

static struct kernel *prove(const char *body, const uint32_t block[3])
{
	memcpy(facts.block, block, sizeof facts.block);
	cx.opt.launch = &facts;
	return compile(body);
}

static uint32_t nth_store(const struct kernel *k, unsigned n)
{
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (k->insn[i].op == OP_ST_B32 && !n--)
			return i;
	ck_abort_msg("there is no such store");
	return 0;
}

/* What store n stores, in words. */
static const char *stores(const struct kernel *k, unsigned n)
{
	const uint32_t i = nth_store(k, n), reg = insn_src(k, &k->insn[i])[1].val;
	struct insn_regs r;

	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned s = 0; s < r.nsrc; s++)
		if (r.src[s] == reg)
			return uniform_value_text(uniform_src(k->uniform, i, s), &arena);
	return "not a register";
}

START_TEST(a_value_has_in_common_what_is_proved)
{
	const struct value *v = &values[_i];
	const struct kernel *k = prove(arena_printf(&arena, "%s%s\n%s", HEAD, v->body, END), v->block);

	ck_assert_msg(strcmp(stores(k, 0), v->is) == 0, "%s: %s, not %s", v->what, stores(k, 0), v->is);
}
END_TEST

START_TEST(lanes_that_met_at_a_barrier_bring_what_their_sides_wrote)
{
	const struct kernel *k =
		prove(HEAD "@%p0 bra B; mov.u32 %r1, 1; bra M; B: mov.u32 %r1, 2; @%p2 bra E; M: " STORE
			   "bar.sync 0; " STORE "ret; E: ret;\n}\n",
		      (uint32_t[3]){ 0 });

	ck_assert_str_eq(stores(k, 0), "warp");
	ck_assert_str_eq(stores(k, 1), "vector");
}
END_TEST

static const struct {
	const char *what, *body, *call, *is;
} calls[] = {
	{ "a function of its argument", "add.u32 %r, %a, 1; ret;", "%r9", "grid" },
	{ "of a lane", "add.u32 %r, %a, 1; ret;", "%r8", "affine 1" },
	{ "one that lanes leave one by one", "setp.lt.u32 %p, %a, 9; mov.u32 %r, 1; @%p ret; mov.u32 %r, 2; ret;",
	  "%r8", "vector" },
	{ "one that all leave at once", "setp.lt.u32 %p, %a, 9; mov.u32 %r, 1; @%p ret; mov.u32 %r, 2; ret;", "%r9",
	  "grid" },
};

START_TEST(a_call_gives_what_its_function_returns)
{
	const struct kernel *k;

	cx.opt.inline_limit = 0;
	k = prove(arena_printf(&arena,
			       ".func (.reg .u32 %%r) f(.reg .u32 %%a)\n{\n.reg .pred %%p;\n%s\n}\n%scall (%%r1), f, "
			       "(%s);\n%s",
			       calls[_i].body, HEAD, calls[_i].call, END),
		  (uint32_t[3]){ 0 });
	ck_assert_msg(k->nproc > 1, "the function was inlined");
	ck_assert_msg(strcmp(stores(k, 0), calls[_i].is) == 0, "%s: %s, not %s", calls[_i].what, stores(k, 0),
		      calls[_i].is);
}
END_TEST

/* Functions store their argument, which is of the grid, first of all; f has another one in each call. */
#define CALL(f, x) "call " f ", (" x "); "
static const struct {
	const char *what, *before, *body, *is;
} sides[] = {
	{ "two calls that all make", "", CALL("f", "%r9") CALL("f", "%r10"), "grid" },
	{ "a call on a side that CTAs take, and one behind it", "",
	  "@%p2 bra B; " CALL("f", "%r9") "B: " CALL("f", "%r10"), "cta" },
	{ "that warps take", "", "@%p3 bra B; " CALL("f", "%r9") "B: " CALL("f", "%r10"), "warp" },
	{ "that lanes take", "", "@%p0 bra B; " CALL("f", "%r9") "B: " CALL("f", "%r10"), "warp" },
	{ "one call, on a side", "", "@%p3 bra B; " CALL("f", "%r9") "B: ", "grid" },
	{ "through another function, on a side", "g", "@%p3 bra B; " CALL("g", "%r9") "B: " CALL("f", "%r10"), "warp" },
	{ "through one that is called twice itself", "g", "@%p2 bra B; " CALL("g", "%r9") "B: " CALL("g", "%r10"),
	  "cta" },
	{ "through one that all call", "g", "@%p3 bra B; mov.u32 %r1, 1; B: " CALL("g", "%r9") CALL("f", "%r10"),
	  "grid" },
	{ "through one that is called once, on a side", "g", "@%p3 bra B; " CALL("g", "%r9") "B: ", "grid" },
};

START_TEST(executions_of_a_function_are_those_of_all_its_calls)
{
	const struct kernel *k;

	cx.opt.inline_limit = 0;
	k = prove(
		arena_printf(&arena,
			     ".global .u32 to;\n.func f(.reg .u32 %%a)\n{\nst.global.u32 [to], %%a;\nret;\n}\n%s%s"
			     "add.u32 %%r10, %%r9, 1; mov.u32 %%r2, %%warpid; setp.eq.u32 %%p3, %%r2, 0; %s ret;\n}\n",
			     *sides[_i].before ? ".func g(.reg .u32 %a)\n{\ncall f, (%a);\nret;\n}\n" : "", HEAD,
			     sides[_i].body),
		(uint32_t[3]){ 0 });
	ck_assert_msg(k->nproc > 1, "the function was inlined");
	ck_assert_msg(strcmp(stores(k, 0), sides[_i].is) == 0, "%s: %s, not %s", sides[_i].what, stores(k, 0),
		      sides[_i].is);
}
END_TEST

static bool dead(const struct kernel *k, uint32_t i)
{
	struct insn_regs r;

	ir_insn_regs(k, &k->insn[i], &r);
	return uniform_dst(k->uniform, i, &r, 0)->dead;
}

static uint32_t find(const struct kernel *k, enum op op)
{
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (k->insn[i].op == op)
			return i;
	ck_abort_msg("there is no such instruction");
	return 0;
}

START_TEST(a_write_is_dead_where_no_other_lane_needs_what_the_register_held)
{
	static const uint32_t any[3] = { 0 };
	const struct kernel *k = prove(HEAD "brev.b32 %r1, %r8;\n" END, any);

	ck_assert(dead(k, find(k, OP_BREV_B32)));
	k = prove(HEAD "@%p0 brev.b32 %r1, %r8;\n" END, any); /* lanes held back store the old value */
	ck_assert(!dead(k, find(k, OP_BREV_B32)));
	k = prove(HEAD "@%p1 brev.b32 %r1, %r8;\n" END, any); /* none is, or all are */
	ck_assert(dead(k, find(k, OP_BREV_B32)));
	k = prove(HEAD "mov.u32 %r1, %r9; @%p0 bra B; brev.b32 %r1, %r1; " STORE "bra M; B: " STORE
		       "M: st.global.u32 [%d0], %r8; ret;\n}\n",
		  any);
	ck_assert(!dead(k, find(k, OP_BREV_B32))); /* lanes at B may not have begun */
	k = prove(HEAD "mov.u32 %r1, %r9; @%p0 bra B; brev.b32 %r1, %r1; " STORE
		       "B: st.global.u32 [%d0], %r8; ret;\n}\n",
		  any);
	ck_assert(dead(k, find(k, OP_BREV_B32)));
}
END_TEST

START_TEST(lanes_are_together_but_on_sides_of_branches_that_part_them)
{
	static const uint32_t any[3] = { 0 };
	const struct kernel *k = prove(HEAD "@%p0 bra B; " STORE "B: brev.b32 %r1, %r8;\n" END, any);

	ck_assert(!(k->uniform->flags[nth_store(k, 0)] & UNIFORM_CONVERGENT));
	ck_assert(k->uniform->flags[find(k, OP_BREV_B32)] & UNIFORM_CONVERGENT);
	k = prove(HEAD "@%p0 ret; brev.b32 %r1, %r8;\n" END, any);
	ck_assert(!(k->uniform->flags[find(k, OP_BREV_B32)] & UNIFORM_CONVERGENT));
	k = prove(HEAD "@%p2 ret; brev.b32 %r1, %r8;\n" END, any);
	ck_assert(k->uniform->flags[find(k, OP_BREV_B32)] & UNIFORM_CONVERGENT);
	ck_assert_uint_eq(uniform_guard(k->uniform, find(k, OP_RET)), UNIFORM_CTA);
}
END_TEST

START_TEST(it_holds_for_the_block_that_it_was_proved_for)
{
	const struct kernel *k = prove(HEAD END, (uint32_t[3]){ 32, 2, 1 });

	ck_assert(uniform_holds(k->uniform, (uint32_t[3]){ 32, 2, 1 }) &&
		  !uniform_holds(k->uniform, (uint32_t[3]){ 64, 1, 1 }));
	k = prove(HEAD END, (uint32_t[3]){ 0 });
	ck_assert(uniform_holds(k->uniform, (uint32_t[3]){ 64, 1, 1 }));
}
END_TEST

Suite *suite_uniform(void);
Suite *suite_uniform(void)
{
	Suite *s = suite_create("uniform");
	TCase *t = tcase_create("proofs");

	tcase_add_checked_fixture(t, pass_setup_plain, pass_teardown);
	tcase_add_loop_test(t, a_value_has_in_common_what_is_proved, 0, sizeof values / sizeof *values);
	tcase_add_test(t, lanes_that_met_at_a_barrier_bring_what_their_sides_wrote);
	tcase_add_loop_test(t, a_call_gives_what_its_function_returns, 0, sizeof calls / sizeof *calls);
	tcase_add_loop_test(t, executions_of_a_function_are_those_of_all_its_calls, 0, sizeof sides / sizeof *sides);
	tcase_add_test(t, a_write_is_dead_where_no_other_lane_needs_what_the_register_held);
	tcase_add_test(t, lanes_are_together_but_on_sides_of_branches_that_part_them);
	tcase_add_test(t, it_holds_for_the_block_that_it_was_proved_for);
	suite_add_tcase(s, t);
	return s;
}
