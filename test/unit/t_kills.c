/* Guarded writes of decoded machine code: which need not keep what they overwrite, and what liveness makes of that and
 * of calls. Kernels are made by hand. */
#include "passes/pass.h"

#include "test/unit/pass_fixture.h"

Suite *suite_kills(void);

enum { P0 = MREG_P0, P1 = MREG_P0 + 1, NOT = 1 << 16, UR0 = MREG_UR0, UP0 = MREG_UP0 };

static struct kernel *k;

static char *print(struct arena *to, const struct kernel *x, uint32_t i)
{
	(void)x;
	return arena_printf(to, "insn %u", i);
}

static void setup(void)
{
	struct module *m;

	pass_setup();
	m = module_new(&arena);
	k = kernel_new(m, "k");
	k->form = FORM_MACHINE;
	k->res.regs = 32;
	ir_block(k, NULL);
}

/* guard: 0, a predicate, NOT | a predicate. */
static struct insn *emit(uint32_t guard, enum op op, unsigned ndst, unsigned nsrc, const uint32_t *reg)
{
	struct insn *i = ir_append(k, op, ndst, nsrc);

	for (unsigned s = 0; s < ndst + nsrc; s++)
		k->opnd[i->opnd + s] = ref_reg(reg[s]);
	if (guard) {
		i->guard = ref_reg(guard & ~(uint32_t)NOT);
		i->guard.neg = (guard & NOT) != 0;
	}
	return i;
}
#define EMIT(guard, op, ndst, nsrc, ...) emit((guard), OP_SASS_##op, (ndst), (nsrc), (uint32_t[]){ __VA_ARGS__ })

static void go(uint32_t guard, enum op op, uint32_t block)
{
	struct insn *i = emit(guard, op, 0, 1, (uint32_t[]){ 0 });

	k->opnd[i->opnd] = (struct ref){ .kind = REF_BLOCK, .val = block & REF_VAL_MAX };
}

static void end(void)
{
	struct native *n = new(&arena, struct native);

	n->sm = 80;
	n->word = (const uint64_t(*)[2])new_array(&arena, uint64_t, 2 * (size_t)k->ninsn);
	n->part = new(&arena, struct native_part);
	n->part[0] = (struct native_part){ ".text.k", 0, 0, k->ninsn, 1 };
	n->npart = 1;
	n->print = print;
	for (uint32_t o = 0; o < k->nopnd; o++)
		if (k->opnd[o].kind == REF_REG)
			bitset_add(n->named, k->opnd[o].val);
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (k->insn[i].guard.kind == REF_REG)
			bitset_add(n->named, k->insn[i].guard.val);
	k->native = n;
	ck_assert_msg(ir_verify(k, &diag) && pass_need(k, FACT_LIVE, &cx), "%s", diag.last);
}

static void kills(uint32_t i, unsigned want)
{
	ck_assert_msg((k->insn[i].mods & (MOD_KILLS | MOD_KILLS_PREDS)) == want, "instruction %u: 0x%x", i,
		      k->insn[i].mods);
}

static bool live_at_start(uint32_t r)
{
	const struct live_set in = live_in(k, 0);

	for (uint32_t x = 0; x < in.n; x++)
		if (in.reg[x] == r)
			return true;
	return false;
}

START_TEST(a_write_whose_uses_have_its_guard_kills)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	EMIT(P0, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, MOD_KILLS);
	ck_assert(!live_at_start(1) && live_at_start(2));
}
END_TEST

START_TEST(a_write_with_a_use_in_any_case_does_not)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	EMIT(0, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, 0);
	ck_assert(live_at_start(1));
}
END_TEST

START_TEST(two_writes_under_both_values_of_a_predicate_kill_together)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	EMIT(NOT | P0, MOVE, 1, 0, 1);
	EMIT(0, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, MOD_KILLS);
	kills(2, 0); /* where P0 holds, the other one's value is read */
	ck_assert(!live_at_start(1));
}
END_TEST

START_TEST(a_predicate_that_is_written_again_is_another_one)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	EMIT(0, PRED, 1, 1, P0, 8);
	EMIT(P0, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, 0);
	ck_assert(live_at_start(1));
}
END_TEST

START_TEST(a_branch_says_what_its_guard_is)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	go(NOT | P0, OP_SASS_BRANCH, 2);
	ir_block(k, NULL);
	EMIT(0, STORE, 0, 2, 2, 1);
	ir_block(k, NULL);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, MOD_KILLS);
	ck_assert(!live_at_start(1));
}
END_TEST

START_TEST(the_same_after_an_exit)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(NOT | P0, MOVE, 1, 0, 1);
	EMIT(P0, EXIT, 0, 0, 0);
	ir_block(k, NULL);
	EMIT(0, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, MOD_KILLS);
	ck_assert(!live_at_start(1));
}
END_TEST

START_TEST(a_loop_carries_the_value_to_the_next_round)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	ir_block(k, NULL);
	EMIT(P0, MOVE, 1, 0, 1);
	EMIT(P0, STORE, 0, 2, 2, 1);
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(0, STORE, 0, 2, 2, 3);
	/* of this round where the new P0 holds and the old one did not: of a round before */
	EMIT(P0, STORE, 0, 2, 2, 1);
	go(P1, OP_SASS_BRANCH, 1);
	ir_block(k, NULL);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, 0);
	ck_assert(live_at_start(1));
}
END_TEST

START_TEST(a_loop_under_one_predicate_does_not)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	ir_block(k, NULL);
	EMIT(P0, MOVE, 1, 0, 1);
	EMIT(P0, STORE, 0, 2, 2, 1);
	go(P1, OP_SASS_BRANCH, 1);
	ir_block(k, NULL);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, MOD_KILLS);
	ck_assert(!live_at_start(1));
}
END_TEST

START_TEST(of_a_sum_and_its_carry_the_carry_may_end_alone)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, INT, 2, 1, 1, P1, 1); /* R1, P1 = R1 + .. */
	EMIT(P0, INT, 1, 2, 2, 2, P1);
	EMIT(0, STORE, 0, 2, 1, 2);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, MOD_KILLS_PREDS);
	ck_assert(live_at_start(1) && live_at_start(2) && !live_at_start(P1));
}
END_TEST

static void says(struct insn *i, unsigned if_true, unsigned if_false)
{
	i->offset = (int32_t)(if_true | if_false << 8);
}

START_TEST(a_predicate_that_is_computed_from_another_speaks_of_it)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	says(EMIT(0, PRED, 1, 2, P1, 8, P0), IMPLIES_LITERAL, IMPLIES_NOTHING); /* P1 = .. AND P0 */
	EMIT(P1, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, MOD_KILLS);
	ck_assert(!live_at_start(1));
}
END_TEST

START_TEST(its_other_value_does_not)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	says(EMIT(0, PRED, 1, 2, P1, 8, P0), IMPLIES_LITERAL, IMPLIES_NOTHING);
	EMIT(NOT | P1, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, 0);
	ck_assert(live_at_start(1));
}
END_TEST

START_TEST(a_constant_predicate_that_is_written_under_a_guard_speaks_of_the_guard)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	says(EMIT(0, PRED, 1, 0, P1), IMPLIES_NEVER, IMPLIES_NOTHING); /* false */
	EMIT(P0, PRED, 1, 1, P1, 8);
	EMIT(P1, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, MOD_KILLS);
	ck_assert(!live_at_start(1));
}
END_TEST

START_TEST(a_predicate_that_is_written_under_a_guard_may_be_as_it_was)
{
	EMIT(0, PRED, 2, 1, P0, P1, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	EMIT(P0, PRED, 1, 1, P1, 8);
	EMIT(P1, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, 0);
	ck_assert(live_at_start(1));
}
END_TEST

START_TEST(lanes_say_nothing_of_what_a_warp_has_once)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, UNIFORM, 1, 1, UR0, 1);
	EMIT(P0, STORE, 0, 2, 2, UR0);
	EMIT(0, UNIFORM, 1, 1, UP0, UR0 + 2);
	EMIT(UP0, UNIFORM, 1, 0, UR0 + 1);
	EMIT(UP0, STORE, 0, 2, 2, UR0 + 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, 0);
	kills(4, MOD_KILLS);
	ck_assert(live_at_start(UR0) && !live_at_start(UR0 + 1));
}
END_TEST

/* P1 = (R1 < R8) AND P0: where P0 is false, R1 does not matter. */
START_TEST(what_is_compared_where_another_predicate_decides_is_not_read)
{
	for (unsigned neg = 0; neg < 2; neg++) {
		pass_teardown();
		setup();
		EMIT(0, PRED, 1, 1, P0, 9);
		EMIT(P0, MOVE, 1, 0, 1);
		EMIT(0, PRED, 1, 3, P1, 1, 8, P0)->cop = (uint8_t)(IMPLIES_LITERAL + neg);
		EMIT(P1, STORE, 0, 2, 2, 3);
		EMIT(0, EXIT, 0, 0, 0);
		end();
		kills(1, neg ? 0 : MOD_KILLS);
		ck_assert_int_eq(live_at_start(1), neg);
		ck_assert(live_at_start(8)); /* which nothing writes */
	}
}
END_TEST

/* The predicate that decides matters itself, whatever it is; here where P0 is true, as its write is. */
START_TEST(the_predicate_that_decides_is_read)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, PRED, 1, 1, P1, 10);
	EMIT(NOT | P0, EXIT, 0, 0, 0);
	ir_block(k, NULL);
	EMIT(0, PRED, 1, 3, P0 + 2, 1, 8, P1)->cop = (uint8_t)(IMPLIES_LITERAL + 2);
	EMIT(P0 + 2, STORE, 0, 2, 2, 3);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, MOD_KILLS);
	ck_assert(!live_at_start(P1));
}
END_TEST

START_TEST(a_branch_to_where_control_runs_on_says_nothing)
{
	for (uint32_t guard = P0; guard; guard = guard == P0 ? NOT | P0 : 0) {
		pass_teardown();
		setup();
		EMIT(0, PRED, 1, 1, P0, 9);
		EMIT(guard, MOVE, 1, 0, 1);
		go(P0, OP_SASS_BRANCH, 1);
		ir_block(k, NULL);
		EMIT(0, STORE, 0, 2, 2, 1);
		EMIT(0, EXIT, 0, 0, 0);
		end();
		kills(1, 0);
		ck_assert(live_at_start(1));
	}
}
END_TEST

START_TEST(an_unknown_instruction_may_read_everything)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	EMIT(0, UNKNOWN, 0, 0, 0)->mods = MOD_MAY;
	EMIT(P0, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, 0);
	ck_assert(live_at_start(1));
}
END_TEST

START_TEST(the_oracle_finds_a_write_that_does_not_kill)
{
	EMIT(0, PRED, 1, 1, P0, 9);
	EMIT(P0, MOVE, 1, 0, 1);
	go(P1, OP_SASS_BRANCH, 2);
	ir_block(k, NULL);
	EMIT(P0, STORE, 0, 2, 2, 1);
	ir_block(k, NULL);
	EMIT(NOT | P0, STORE, 0, 2, 2, 1);
	EMIT(0, EXIT, 0, 0, 0);
	end();
	kills(1, 0);
	k->insn[1].mods |= MOD_KILLS;
	ck_assert(!check_kills(k, &diag));
	ck_assert_ptr_nonnull(strstr(diag.last, "instruction 4 may read it"));
}
END_TEST

/* Two calls of one function that saves nothing: R1 is set before the first and read after it, R2 before the second. */
START_TEST(a_function_returns_to_its_own_call)
{
	EMIT(0, MOVE, 1, 0, 1);
	go(0, OP_SASS_CALL, 4);
	ir_block(k, NULL);
	EMIT(0, STORE, 0, 2, 9, 1);
	EMIT(0, MOVE, 1, 0, 2);
	go(0, OP_SASS_CALL, 4);
	ir_block(k, NULL);
	EMIT(0, STORE, 0, 2, 9, 2);
	EMIT(0, EXIT, 0, 0, 0);
	ir_block(k, NULL);
	EMIT(0, EXIT, 0, 0, 0);
	ir_block(k, NULL);
	EMIT(0, MOVE, 1, 1, 3, 4);
	EMIT(0, RETURN, 0, 1, 20);
	arena_grow(k->a, k->proc, k->nproc, k->proc_cap);
	k->proc[k->nproc++] = (struct proc){ 0, "k" };
	arena_grow(k->a, k->proc, k->nproc, k->proc_cap);
	k->proc[k->nproc++] = (struct proc){ 4, "f" };
	end();
	ck_assert(!live_at_start(1) && !live_at_start(2) && live_at_start(4) && live_at_start(9));
	/* in the function both are alive: what runs between may not overwrite them */
	for (uint32_t r = 1; r <= 2; r++) {
		bool found = false;

		for (uint32_t x = 0; x < live_in(k, 4).n; x++)
			found |= live_in(k, 4).reg[x] == r;
		ck_assert(found);
	}
	ck_assert(!live_at_start(3));
}
END_TEST

/* A function that keeps R1 for its caller is no read of it; one that overwrites it ends it. */
START_TEST(what_a_function_overwrites_is_not_alive_before_its_call)
{
	go(0, OP_SASS_CALL, 2);
	ir_block(k, NULL);
	EMIT(0, STORE, 0, 2, 9, 1);
	EMIT(0, EXIT, 0, 0, 0);
	ir_block(k, NULL);
	EMIT(0, MOVE, 1, 0, 1);
	EMIT(0, RETURN, 0, 1, 20);
	arena_grow(k->a, k->proc, k->nproc, k->proc_cap);
	k->proc[k->nproc++] = (struct proc){ 0, "k" };
	arena_grow(k->a, k->proc, k->nproc, k->proc_cap);
	k->proc[k->nproc++] = (struct proc){ 2, "f" };
	end();
	ck_assert(!live_at_start(1) && live_at_start(9));
}
END_TEST

Suite *suite_kills(void)
{
	Suite *s = suite_create("kills");
	TCase *t = tcase_create("kills");

	tcase_add_checked_fixture(t, setup, pass_teardown);
	tcase_add_test(t, a_write_whose_uses_have_its_guard_kills);
	tcase_add_test(t, a_write_with_a_use_in_any_case_does_not);
	tcase_add_test(t, two_writes_under_both_values_of_a_predicate_kill_together);
	tcase_add_test(t, a_predicate_that_is_written_again_is_another_one);
	tcase_add_test(t, a_branch_says_what_its_guard_is);
	tcase_add_test(t, the_same_after_an_exit);
	tcase_add_test(t, a_loop_carries_the_value_to_the_next_round);
	tcase_add_test(t, a_loop_under_one_predicate_does_not);
	tcase_add_test(t, of_a_sum_and_its_carry_the_carry_may_end_alone);
	tcase_add_test(t, a_predicate_that_is_computed_from_another_speaks_of_it);
	tcase_add_test(t, its_other_value_does_not);
	tcase_add_test(t, a_constant_predicate_that_is_written_under_a_guard_speaks_of_the_guard);
	tcase_add_test(t, a_predicate_that_is_written_under_a_guard_may_be_as_it_was);
	tcase_add_test(t, lanes_say_nothing_of_what_a_warp_has_once);
	tcase_add_test(t, what_is_compared_where_another_predicate_decides_is_not_read);
	tcase_add_test(t, the_predicate_that_decides_is_read);
	tcase_add_test(t, a_branch_to_where_control_runs_on_says_nothing);
	tcase_add_test(t, an_unknown_instruction_may_read_everything);
	tcase_add_test(t, the_oracle_finds_a_write_that_does_not_kill);
	tcase_add_test(t, a_function_returns_to_its_own_call);
	tcase_add_test(t, what_a_function_overwrites_is_not_alive_before_its_call);
	suite_add_tcase(s, t);
	return s;
}
