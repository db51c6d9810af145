/* RegMutex of decoded machine code: where acquire and release would stand in code that stays as it is. Kernels are made
 * by hand. */
#include "passes/pass.h"
#include "passes/regmutex.h"

#include "test/unit/pass_fixture.h"
#include <string.h>

Suite *suite_regmutex_points(void);

static char *print(struct arena *to, const struct kernel *k, uint32_t i)
{
	(void)k;
	return arena_printf(to, "insn %u", i);
}

static void setup(void)
{
	pass_setup();
	cx.opt.regmutex.place = REGMUTEX_PLACE_PAPER; /* no more is held than is needed */
	cx.opt.regmutex.size = 8;
}

static struct kernel *begin(void)
{
	struct module *m = module_new(&arena);
	struct kernel *k = kernel_new(m, "k");

	m->src_name = "k.cubin";
	k->form = FORM_MACHINE;
	k->res.regs = 32; /* base set R0 .. R23 */
	ir_block(k, NULL);
	return k;
}

static struct insn *emit(struct kernel *k, enum op op, unsigned ndst, unsigned nsrc, const uint32_t *reg)
{
	struct insn *i = ir_append(k, op, ndst, nsrc);

	for (unsigned s = 0; s < ndst + nsrc; s++)
		k->opnd[i->opnd + s] = ref_reg(reg[s]);
	return i;
}
#define EMIT(k, op, ndst, nsrc, ...) emit((k), (op), (ndst), (nsrc), (uint32_t[]){ __VA_ARGS__ })

static void branch(struct kernel *k, uint32_t block, uint32_t guard)
{
	struct insn *i = ir_append(k, OP_SASS_BRANCH, 0, 1);

	k->opnd[i->opnd] = (struct ref){ .kind = REF_BLOCK, .val = block & REF_VAL_MAX };
	if (guard)
		i->guard = ref_reg(guard);
}

static bool end(struct kernel *k)
{
	struct native *n = new(&arena, struct native);

	n->sm = 80;
	n->word = (const uint64_t(*)[2])new_array(&arena, uint64_t, 2 * (size_t)k->ninsn);
	n->part = new(&arena, struct native_part);
	n->part[0] = (struct native_part){ ".text.k", 0, 0, k->ninsn, 1 };
	n->npart = 1;
	n->print = print;
	k->native = n;
	ck_assert_msg(pass_need(k, FACT_ALL, &cx), "%s", diag.last);
	return regmutex_make(k, &cx);
}

static void points_are(const struct kernel *k, const struct regmutex_point *want, uint32_t n)
{
	const struct regmutex *r = k->regmutex;

	ck_assert_ptr_null(k->variant);
	ck_assert_uint_eq(r->npoint, n);
	for (uint32_t p = 0; p < n; p++) {
		ck_assert_uint_eq(r->point[p].at, want[p].at);
		ck_assert_uint_eq(r->point[p].from, want[p].from);
		ck_assert(r->point[p].acquire == want[p].acquire);
	}
}

START_TEST(the_set_is_held_while_a_register_of_it_is_named_or_alive)
{
	struct kernel *k = begin();

	EMIT(k, OP_SASS_SPECIAL, 1, 0, 0);
	EMIT(k, OP_SASS_LOAD, 1, 1, 24, 0);
	EMIT(k, OP_SASS_INT, 1, 1, 2, 0);
	EMIT(k, OP_SASS_FADD, 1, 2, 1, 24, 2);
	EMIT(k, OP_SASS_STORE, 0, 2, 0, 1);
	EMIT(k, OP_SASS_STORE, 0, 2, 0, 2);
	ir_append(k, OP_SASS_EXIT, 0, 0);
	ck_assert_msg(end(k), "%s", diag.last);
	points_are(k, (struct regmutex_point[]){ { 1, REGMUTEX_NONE, true }, { 4, REGMUTEX_NONE, false } }, 2);
	ck_assert_mem_eq(k->regmutex->hold, ((uint8_t[]){ 0, 1, 1, 1, 0, 0, 0 }), 7);
	ck_assert_uint_eq(k->regmutex->base, 24);
	ck_assert_uint_eq(k->regmutex->extended, 8);
	ck_assert_uint_eq(k->regmutex->acquires, 1);
	ck_assert_uint_eq(k->regmutex->held, 3);
	ck_assert_uint_eq(k->ninsn, 7);
	ck_assert_uint_eq(k->facts & FACT_ALL, FACT_ALL);
}
END_TEST

/* Two registers are few, but they are high ones: a variant would move them, machine code stays as it is. */
START_TEST(high_registers_count_where_they_are)
{
	struct kernel *k = begin();
	uint16_t demand[4];

	EMIT(k, OP_SASS_SPECIAL, 1, 0, 30);
	EMIT(k, OP_SASS_INT, 1, 1, 31, 30);
	EMIT(k, OP_SASS_STORE, 0, 2, 30, 31);
	ir_append(k, OP_SASS_EXIT, 0, 0);
	ck_assert_msg(end(k), "%s", diag.last);
	regmutex_demand(k, REGMUTEX_LIVENESS_WARP, demand);
	ck_assert_uint_eq(demand[0], 31);
	ck_assert_uint_eq(demand[1], 32);
	ck_assert_uint_eq(demand[3], 0);
	points_are(k, (struct regmutex_point[]){ { 0, REGMUTEX_NONE, true } }, 1); /* the end gives it back */
}
END_TEST

START_TEST(a_barrier_with_a_high_register_alive_rules_the_size_out)
{
	struct kernel *k = begin();

	EMIT(k, OP_SASS_SPECIAL, 1, 0, 25);
	ir_append(k, OP_SASS_BARRIER, 0, 0);
	EMIT(k, OP_SASS_STORE, 0, 2, 25, 25);
	ir_append(k, OP_SASS_EXIT, 0, 0);
	ck_assert(!end(k));
	ck_assert_ptr_nonnull(strstr(diag.last, "26 are alive at insn 1"));
	ck_assert_ptr_nonnull(strstr(diag.last, "the nearest legal size is 6"));
}
END_TEST

/* The loop holds it all the time: it is acquired before, on the way in, and released behind. */
START_TEST(a_loop_that_holds_it_acquires_before)
{
	struct kernel *k = begin();
	const struct regmutex *r;
	bool in_loop = false;

	EMIT(k, OP_SASS_SPECIAL, 1, 0, 0);
	EMIT(k, OP_SASS_MOVE, 1, 1, 24, 0);
	EMIT(k, OP_SASS_SYNC, 1, 0, MREG_B0);
	ir_block(k, NULL);
	EMIT(k, OP_SASS_INT, 1, 2, 24, 24, 0);
	EMIT(k, OP_SASS_PRED, 1, 1, MREG_P0, 24);
	branch(k, 1, MREG_P0);
	ir_block(k, NULL);
	EMIT(k, OP_SASS_SYNC, 0, 1, MREG_B0);
	ir_block(k, NULL);
	EMIT(k, OP_SASS_STORE, 0, 2, 0, 0);
	EMIT(k, OP_SASS_STORE, 0, 2, 0, 0);
	ir_append(k, OP_SASS_EXIT, 0, 0);
	ck_assert_msg(end(k), "%s", diag.last);
	r = k->regmutex;
	ck_assert_uint_eq(r->acquires, 1);
	ck_assert_uint_eq(r->releases, 1);
	for (uint32_t p = 0; p < r->npoint; p++)
		in_loop |= r->point[p].at >= 2 && r->point[p].at < 6;
	ck_assert(!in_loop);
	ck_assert_uint_eq(r->point[0].at, 1);
	ck_assert(r->point[0].acquire);
}
END_TEST

/* One side of a branch needs it: the lanes of the other come without it. */
START_TEST(one_side_of_a_branch_holds_it)
{
	struct kernel *k = begin();
	const struct regmutex *r;

	EMIT(k, OP_SASS_SPECIAL, 1, 0, 0);
	EMIT(k, OP_SASS_PRED, 1, 1, MREG_P0, 0);
	branch(k, 2, MREG_P0);
	ir_block(k, NULL);
	EMIT(k, OP_SASS_LOAD, 1, 1, 28, 0);
	EMIT(k, OP_SASS_STORE, 0, 2, 0, 28);
	ir_block(k, NULL);
	EMIT(k, OP_SASS_STORE, 0, 2, 0, 0);
	EMIT(k, OP_SASS_STORE, 0, 2, 0, 0);
	ir_append(k, OP_SASS_EXIT, 0, 0);
	ck_assert_msg(end(k), "%s", diag.last);
	r = k->regmutex;
	ck_assert_mem_eq(r->hold, ((uint8_t[]){ 0, 0, 0, 1, 1, 0, 0, 0 }), 8);
	ck_assert_uint_eq(r->acquires, 1);
	ck_assert_uint_eq(r->point[0].at, 3);
	ck_assert(r->releases >= 1);
}
END_TEST

Suite *suite_regmutex_points(void)
{
	Suite *s = suite_create("regmutex_points");
	TCase *c = tcase_create("regmutex_points");

	tcase_add_checked_fixture(c, setup, pass_teardown);
	tcase_add_test(c, the_set_is_held_while_a_register_of_it_is_named_or_alive);
	tcase_add_test(c, high_registers_count_where_they_are);
	tcase_add_test(c, a_barrier_with_a_high_register_alive_rules_the_size_out);
	tcase_add_test(c, a_loop_that_holds_it_acquires_before);
	tcase_add_test(c, one_side_of_a_branch_holds_it);
	suite_add_tcase(s, c);
	return s;
}
