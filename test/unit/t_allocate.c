/* Allocation: limits, pairs, spills, recomputed constants, and the verifier that must notice when something is
 * wrong. */
#include "passes/alloc.h"
#include "test/unit/backend_kit.h"
#include "rounds.h"

static struct kit t;

static void setup(void) { kit_open(&t); }
static void teardown(void) { kit_close(&t); }

static bool run(enum pass_id id)
{
	ck_assert_msg(ir_verify(t.k, &t.diag), "%s", t.diag.last);
	return pass_run(t.k, id, &t.cx);
}

static void allocate(unsigned maxreg)
{
	t.cx.opt.maxreg = maxreg;
	ck_assert_msg(run(PASS_ID_allocate), "%s", t.diag.last);
	ck_assert_uint_eq(t.k->form, FORM_MACHINE);
	ck_assert_uint_le(t.k->res.regs, maxreg);
	ck_assert_uint_le(t.k->res.preds, t.cx.opt.maxpred);
}

static const char *code(void)
{
	char *s = arena_printf(&t.arena, "%s", "");

	for (uint32_t j = 0; j < t.k->ninsn; j++)
		s = arena_printf(&t.arena, "%s%s\n", s, ir_print_insn(&t.arena, t.k, &t.k->insn[j]));
	return s;
}

START_TEST(results_take_the_registers_of_dying_operands)
{
	struct ref a, b, c;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_32);
	c = kit_reg(&t, RC_64);
	KIT2(&t, OP_MOV_B32, a, kit_sreg(SREG_TID_X));
	KIT3(&t, OP_ADD_S32, b, a, kit_imm(&t, 1));
	KIT3(&t, OP_MUL_WIDE_S32, c, b, b);
	kit_store(&t, OP_ST_B64, SP_SHARED, kit_imm(&t, 0), 0, c);
	KIT1(&t, OP_RET, ref_none());
	allocate(63);
	ck_assert_str_eq(
		code(),
		"mov.u32 R0, %tid.x\nadd.s32 R0, R0, 1\nmul.wide.s32 R0, R0, R0\nst.shared.u64 [0x0], R0\nret\n");
	ck_assert_uint_eq(t.k->res.regs, 2);
}
END_TEST

START_TEST(pairs_are_aligned_and_single_values_fill_the_gaps)
{
	struct ref a, b, c, d, e;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_64);
	c = kit_reg(&t, RC_32);
	d = kit_reg(&t, RC_64);
	e = kit_reg(&t, RC_64);
	KIT2(&t, OP_MOV_B32, a, kit_imm(&t, 1));
	KIT2(&t, OP_MOV_B64, b, kit_imm(&t, 2));
	KIT2(&t, OP_MOV_B32, c, kit_imm(&t, 3));
	KIT3(&t, OP_MUL_WIDE_S32, d, a, c);
	KIT3(&t, OP_ADD_S64, e, b, d);
	kit_store(&t, OP_ST_B64, SP_SHARED, kit_imm(&t, 0), 0, e);
	KIT1(&t, OP_RET, ref_none());
	allocate(63);
	ck_assert_str_eq(code(),
			 "mov.u32 R0, 1\nmov.u64 R2, 2\nmov.u32 R1, 3\nmul.wide.s32 R0, R0, R1\nadd.s64 R0, R2, R0\n"
			 "st.shared.u64 [0x0], R0\nret\n");
}
END_TEST

START_TEST(a_guarded_write_keeps_the_old_value_apart)
{
	struct ref a, b, p;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_32);
	p = kit_reg(&t, RC_PRED);
	KIT2(&t, OP_MOV_B32, a, kit_sreg(SREG_TID_X));
	KIT3(&t, OP_SETP_LT_S32, p, a, kit_imm(&t, 5));
	KIT2(&t, OP_MOV_B32, b, kit_imm(&t, 7));
	KIT3(&t, OP_ADD_S32, b, a, kit_imm(&t, 1))->guard = p; /* a dies here, but b lives on: not a's register */
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 0, b);
	KIT1(&t, OP_RET, ref_none());
	allocate(63);
	ck_assert_str_eq(code(), "mov.u32 R0, %tid.x\nsetp.lt.s32 P0, R0, 5\nmov.u32 R1, 7\n@P0 add.s32 R1, R0, 1\n"
				 "st.shared.u32 [0x0], R1\nret\n");
}
END_TEST

START_TEST(copies_share_a_register_and_go)
{
	struct ref a, b, n, p;
	uint32_t head;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_32);
	n = kit_reg(&t, RC_32);
	p = kit_reg(&t, RC_PRED);
	KIT2(&t, OP_MOV_B32, n, kit_imm(&t, 0));
	head = ir_block(t.k, NULL);
	KIT3(&t, OP_ADD_S32, a, n, kit_imm(&t, 1));
	KIT2(&t, OP_MOV_B32, n, a);
	KIT3(&t, OP_SETP_LT_S32, p, n, kit_imm(&t, 9));
	kit_branch(&t, p, false, head);
	ir_block(t.k, NULL);
	KIT2(&t, OP_MOV_B32, b, n);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 0, b);
	KIT1(&t, OP_RET, ref_none());
	allocate(63);
	ck_assert_str_eq(code(), "mov.u32 R0, 0\nadd.s32 R0, R0, 1\nsetp.lt.s32 P0, R0, 9\n@P0 bra .L1\n"
				 "st.shared.u32 [0x0], R0\nret\n");
}
END_TEST

/* n values loaded, all live, then summed up in order. */
static void many_live(unsigned n, enum reg_class rc)
{
	enum op ld = rc == RC_64 ? OP_LD_B64 : OP_LD_B32, add = rc == RC_64 ? OP_ADD_S64 : OP_ADD_S32,
		st = rc == RC_64 ? OP_ST_B64 : OP_ST_B32;
	struct ref v[64], s = kit_reg(&t, rc);

	ir_block(t.k, NULL);
	for (unsigned i = 0; i < n; i++) {
		v[i] = kit_reg(&t, rc);
		kit_load(&t, ld, SP_SHARED, v[i], kit_imm(&t, 0), 8 * (int)i);
	}
	KIT2(&t, rc == RC_64 ? OP_MOV_B64 : OP_MOV_B32, s, kit_imm(&t, 0));
	for (unsigned i = 0; i < n; i++)
		KIT3(&t, add, s, s, v[i]);
	for (unsigned i = 0; i < n; i++)
		KIT3(&t, add, s, s, v[n - 1 - i]);
	kit_store(&t, st, SP_SHARED, kit_imm(&t, 0), 0, s);
	KIT1(&t, OP_RET, ref_none());
}

START_TEST(spills_go_to_local_slots_after_the_kernels_own_and_are_listed)
{
	static const enum op op[2][2] = { { OP_LD_B32, OP_ST_B32 }, { OP_LD_B64, OP_ST_B64 } };
	bool seen_load = false, seen_store = false;

	many_live(_i ? 12 : 24, _i ? RC_64 : RC_32);
	t.k->res.local_bytes = 20;
	allocate(16);
	ck_assert_uint_gt(t.k->res.spill_stores, 0);
	ck_assert_uint_gt(t.k->res.spill_loads, 0);
	ck_assert_uint_eq(t.k->nspill, t.k->res.spill_loads + t.k->res.spill_stores);
	ck_assert_uint_eq(t.k->res.local_bytes, 20 + t.k->res.spill_bytes);
	for (uint32_t s = 0; s < t.k->nspill; s++) {
		const struct spill *x = &t.k->spill[s];
		const struct insn *i = &t.k->insn[x->insn];

		ck_assert_uint_eq(x->slot % (_i ? 8 : 4), 0);
		ck_assert_uint_ge(x->slot, 20);
		ck_assert_uint_le(x->slot + (_i ? 8 : 4), t.k->res.local_bytes);
		ck_assert_uint_eq(i->space, SP_LOCAL);
		ck_assert_int_eq(i->offset, (int)x->slot);
		ck_assert_uint_eq(i->op, op[_i][x->store]);
		ck_assert_ptr_nonnull(x->name);
		ck_assert_uint_eq(x->rc, _i ? RC_64 : RC_32);
		*(x->store ? &seen_store : &seen_load) = true;
	}
	ck_assert(seen_load && seen_store);
}
END_TEST

START_TEST(constants_are_recomputed_and_not_stored)
{
	struct ref v[20];

	ir_block(t.k, NULL);
	for (unsigned i = 0; i < 20; i++)
		KIT2(&t, OP_MOV_B32, v[i] = kit_reg(&t, RC_32),
		     i % 2 ? kit_imm(&t, i) : ref_const(0, PARAM_BASE + 4 * i));
	for (unsigned i = 0; i < 20; i++)
		kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 4 * (int)i, v[i]);
	KIT1(&t, OP_RET, ref_none());
	allocate(8);
	ck_assert_uint_eq(t.k->res.spill_loads + t.k->res.spill_stores, 0);
	ck_assert_uint_eq(t.k->res.local_bytes, 0);
}
END_TEST

START_TEST(predicates_spill_into_general_registers)
{
	struct kit_run *was = new(&t.arena, struct kit_run), *is = new(&t.arena, struct kit_run);
	struct ref p[11], a, b;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B32, a, kit_sreg(SREG_TID_X));
	KIT2(&t, OP_MOV_B32, b, kit_imm(&t, 0));
	for (unsigned i = 0; i < 11; i++)
		KIT3(&t, i % 2 ? OP_SETP_LT_S32 : OP_SETP_NE_B32, p[i] = kit_reg(&t, RC_PRED), a, kit_imm(&t, i / 2));
	KIT3(&t, OP_SETP_EQ_B32, p[3], a, kit_imm(&t, 2))->guard = p[4];
	KIT3(&t, OP_SETP_EQ_B32, p[5], a, kit_imm(&t, 3))->guard = p[5]; /* overwrites its own guard */
	for (unsigned i = 0; i < 11; i++)
		KIT3(&t, OP_ADD_S32, b, b, kit_imm(&t, 1u << i))->guard = p[i];
	kit_store(&t, OP_ST_B32, SP_GENERIC, kit_imm(&t, SHARED_WINDOW), 0, b);
	KIT1(&t, OP_RET, ref_none());
	t.cx.opt.maxpred = 2 + (unsigned)_i;
	kit_execute(was, t.k, 0, 5);
	allocate(63);
	ck_assert_uint_eq(t.k->res.preds, t.cx.opt.maxpred);
	kit_execute(is, t.k, 0, 5);
	ck_assert(!was->fault && !is->fault);
	ck_assert_mem_eq(was->shared, is->shared, KIT_SHARED);
}
END_TEST

/* ld and st of four 64-bit elements: five pairs live at the store. */
static void five_pairs(void)
{
	struct ref v[5], *o;
	struct insn *i;

	ir_block(t.k, NULL);
	for (unsigned e = 0; e < 5; e++)
		v[e] = kit_reg(&t, RC_64);
	KIT2(&t, OP_MOV_B64, v[0], kit_sreg(SREG_CLOCK64));
	i = ir_append(t.k, OP_LD_F64, 4, 1);
	i->vec = 4;
	i->space = SP_GLOBAL;
	o = insn_dst(t.k, i);
	for (unsigned e = 0; e < 4; e++)
		o[e] = v[e + 1];
	o[4] = v[0];
	i = ir_append(t.k, OP_ST_F64, 0, 5);
	i->vec = 4;
	i->space = SP_GLOBAL;
	o = insn_src(t.k, i);
	for (unsigned e = 0; e < 5; e++)
		o[e] = v[e];
	KIT1(&t, OP_RET, ref_none());
}

START_TEST(what_cannot_fit_is_refused_with_its_place)
{
	five_pairs();
	t.cx.opt.maxreg = 9;
	ck_assert(!run(PASS_ID_allocate));
	ck_assert_ptr_nonnull(strstr(t.diag.last, "kernel kit does not fit in 9 registers: instruction "));
}
END_TEST

START_TEST(what_just_fits_is_accepted)
{
	five_pairs();
	allocate(10);
	ck_assert_uint_eq(t.k->res.regs, 10);
}
END_TEST

/* A single value in the middle of the file must move for a pair to fit. */
START_TEST(a_pair_is_cleared_when_only_halves_are_free)
{
	struct ref a, b, c, d, e;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_64);
	b = kit_reg(&t, RC_64);
	c = kit_reg(&t, RC_32);
	d = kit_reg(&t, RC_32);
	e = kit_reg(&t, RC_64);
	kit_load(&t, OP_LD_B64, SP_SHARED, a, kit_imm(&t, 0), 0);
	kit_load(&t, OP_LD_B64, SP_SHARED, b, kit_imm(&t, 0), 8);
	kit_load(&t, OP_LD_B32, SP_SHARED, c, kit_imm(&t, 0), 16);
	kit_load(&t, OP_LD_B32, SP_SHARED, d, kit_imm(&t, 0), 20);
	kit_store(&t, OP_ST_B64, SP_SHARED, kit_imm(&t, 0), 24, a);
	kit_load(&t, OP_LD_B64, SP_SHARED, e, kit_imm(&t, 0), 32);
	kit_store(&t, OP_ST_B64, SP_SHARED, kit_imm(&t, 0), 40, b);
	kit_store(&t, OP_ST_B64, SP_SHARED, kit_imm(&t, 0), 48, e);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 56, c);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 60, d);
	KIT1(&t, OP_RET, ref_none());
	allocate(8);
	ck_assert_uint_eq(t.k->nspill, 0);
	ck_assert_uint_le(t.k->res.regs, 6);
}
END_TEST

START_TEST(barriers_and_parameters_are_counted)
{
	kit_param(&t, TY_U64, 8);
	kit_param(&t, TY_U32, 4);
	ir_block(t.k, NULL);
	KIT2(&t, OP_BAR_SYNC, kit_imm(&t, 3), kit_imm(&t, 0));
	KIT1(&t, OP_RET, ref_none());
	ck_assert_msg(pass_compile(t.k, &t.cx), "%s", t.diag.last);
	ck_assert_uint_eq(t.k->res.barriers, 4);
	ck_assert_uint_eq(t.k->res.param_bytes, 12);
	ck_assert_uint_eq(t.k->res.regs, 0);
	ck_assert_uint_eq(t.k->facts, FACT_ALL);
}
END_TEST

/* ---- the verifier notices ---- */
static struct kernel *copy(const struct kernel *k)
{
	struct kernel *c = new(&t.arena, struct kernel);

	*c = *k;
	c->insn = new_array(&t.arena, struct insn, k->ninsn);
	memcpy(c->insn, k->insn, k->ninsn * sizeof *c->insn);
	c->opnd = new_array(&t.arena, struct ref, k->nopnd);
	memcpy(c->opnd, k->opnd, k->nopnd * sizeof *c->opnd);
	c->block = new_array(&t.arena, struct block, k->nblock);
	memcpy(c->block, k->block, k->nblock * sizeof *c->block);
	return c;
}

START_TEST(the_verifier_rejects_a_wrong_register)
{
	struct ref a, b, c;
	struct kernel *before;
	uint32_t origin[] = { 0, 1, 2, 3, 4 };

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_32);
	c = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B32, a, kit_sreg(SREG_TID_X));
	KIT2(&t, OP_MOV_B32, b, kit_sreg(SREG_TID_Y));
	KIT3(&t, OP_SUB_S32, c, a, b);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 0, c);
	KIT1(&t, OP_RET, ref_none());
	ck_assert(pass_need(t.k, FACT_CFG, &t.cx));
	before = copy(t.k);
	allocate(63);
	ck_assert_uint_eq(t.k->ninsn, 5);
	ck_assert_msg(check_alloc(before, t.k, origin, &t.diag), "%s", t.diag.last);
	for (unsigned j = 0; j < 4; j++) /* any one register of it changed is noticed */
		for (unsigned o = 0; o < t.k->insn[j].ndst + (unsigned)t.k->insn[j].nsrc; o++) {
			struct ref *r = &t.k->opnd[t.k->insn[j].opnd + o], was = *r;

			if (was.kind != REF_REG)
				continue;
			r->val = (was.val + 1) % 2;
			ck_assert_msg(!check_alloc(before, t.k, origin, &t.diag) || (j == 2 && o == 0),
				      "instruction %u operand %u", j, o);
			*r = was;
		}
	insn_dst(t.k, &t.k->insn[2])[0].val = 9; /* written here, read there */
	ck_assert(!check_alloc(before, t.k, origin, &t.diag));
	ck_assert_ptr_nonnull(strstr(t.diag.last, "reads a place that does not hold %r2"));
}
END_TEST

/* Index: seed. One register, spill slot or guard of the machine code is changed; if that changes what the kernel
 * computes, the verifier must have rejected it. */
START_TEST(the_verifier_rejects_whatever_changes_results)
{
	uint64_t seed = 500 + (uint64_t)_i, rng = seed;
	unsigned changed = 0;
	struct kit_run *was = new(&t.arena, struct kit_run), *is = new(&t.arena, struct kit_run);
	struct kernel *before;
	const uint32_t *origin;

	kit_random(&t, seed, 9, 4, 4, 40);
	kit_execute(was, t.k, seed, 3);
	t.cx.opt.maxreg = 16;
	t.cx.opt.maxpred = 3;
	ck_assert(pass_need(t.k, FACT_CFG | FACT_LIVE | FACT_LOOP, &t.cx));
	before = copy(t.k);
	ck_assert_msg(alloc_run(t.k, &t.cx, &origin) == PASS_CHANGED, "%s", t.diag.last);
	ck_assert_uint_gt(t.k->res.spill_stores, 0);
	for (unsigned round = 0; round < 60; round++) {
		struct insn *i = &t.k->insn[rng_below(&rng, t.k->ninsn)], old = *i;
		struct ref *r = i->ndst + i->nsrc ? &t.k->opnd[i->opnd + rng_below(&rng, i->ndst + (unsigned)i->nsrc)]
						  : NULL,
			   saved;

		saved = r ? *r : ref_none();
		if (r && r->kind == REF_REG)
			r->val = mreg_is_pred(r->val) ? MREG_P0 + rng_below(&rng, 3)
						      : (r->val + 2 * (1 + rng_below(&rng, 7))) % 16;
		if (origin[i - t.k->insn] == UINT32_MAX && i->space == SP_LOCAL && rng_below(&rng, 2))
			i->offset ^= 8;
		if (i->guard.kind == REF_REG && rng_below(&rng, 3) == 0)
			i->guard.val = MREG_P0 + rng_below(&rng, 3);
		kit_execute(is, t.k, seed, 3);
		if (is->fault || memcmp(was->global, is->global, KIT_GLOBAL) ||
		    memcmp(was->shared, is->shared, KIT_SHARED)) {
			changed++;
			ck_assert_msg(!check_alloc(before, t.k, origin, &t.diag), "seed %d: accepted %s", _i,
				      ir_print_insn(&t.arena, t.k, i));
		}
		*i = old;
		if (r)
			*r = saved;
	}
	ck_assert_uint_gt(changed, 3);
	ck_assert_msg(check_alloc(before, t.k, origin, &t.diag), "%s", t.diag.last);
}
END_TEST

/* Index: seed and limit. The whole back end, checked by the verifiers and by running the code before and after. */
START_TEST(random_kernels_compute_the_same_in_machine_form)
{
	static const struct {
		unsigned maxreg, maxpred;
	} limit[] = { { 63, 7 }, { 32, 7 }, { 16, 7 }, { 16, 3 }, { 12, 4 } };
	struct kit_run *was = new(&t.arena, struct kit_run), *is = new(&t.arena, struct kit_run);
	unsigned row = (unsigned)_i % 5;
	uint64_t seed = 9000 + (uint64_t)_i / 5;
	const char *first;

	kit_random(&t, seed, 6 + (unsigned)(seed % 20), 2 + (unsigned)(seed % 7), 2 + (unsigned)(seed % 8), 90);
	kit_execute(was, t.k, seed, 3);
	ck_assert_msg(!was->fault, "seed %d: %s", _i, was->fault);
	t.cx.opt.maxreg = limit[row].maxreg;
	t.cx.opt.maxpred = limit[row].maxpred;
	t.cx.opt.schedule = seed % 4 != 0;
	ck_assert_msg(pass_compile(t.k, &t.cx), "seed %d: %s", _i, t.diag.last);
	ck_assert_uint_le(t.k->res.regs, limit[row].maxreg);
	ck_assert_uint_le(t.k->res.preds, limit[row].maxpred);
	ck_assert_uint_le(t.k->live->max_live32, t.k->res.regs);
	kit_execute(is, t.k, seed, 3);
	ck_assert_msg(!is->fault, "seed %d: %s", _i, is->fault);
	ck_assert_msg(!memcmp(was->global, is->global, KIT_GLOBAL) && !memcmp(was->shared, is->shared, KIT_SHARED),
		      "seed %d", _i);
	if (_i % 10)
		return;
	first = arena_printf(&t.arena, "%s", code());
	t.k = kernel_new(t.m, "kit"); /* and once more: the same code */
	kit_random(&t, seed, 6 + (unsigned)(seed % 20), 2 + (unsigned)(seed % 7), 2 + (unsigned)(seed % 8), 90);
	ck_assert_msg(pass_compile(t.k, &t.cx), "seed %d: %s", _i, t.diag.last);
	ck_assert_str_eq(first, code());
}
END_TEST

Suite *suite_allocate(void);
Suite *suite_allocate(void)
{
	Suite *s = suite_create("allocate");
	TCase *c = tcase_create("allocate");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, results_take_the_registers_of_dying_operands);
	tcase_add_test(c, pairs_are_aligned_and_single_values_fill_the_gaps);
	tcase_add_test(c, a_guarded_write_keeps_the_old_value_apart);
	tcase_add_test(c, copies_share_a_register_and_go);
	tcase_add_loop_test(c, spills_go_to_local_slots_after_the_kernels_own_and_are_listed, 0, 2);
	tcase_add_test(c, constants_are_recomputed_and_not_stored);
	tcase_add_loop_test(c, predicates_spill_into_general_registers, 0, 4);
	tcase_add_test(c, what_cannot_fit_is_refused_with_its_place);
	tcase_add_test(c, what_just_fits_is_accepted);
	tcase_add_test(c, a_pair_is_cleared_when_only_halves_are_free);
	tcase_add_test(c, barriers_and_parameters_are_counted);
	tcase_add_test(c, the_verifier_rejects_a_wrong_register);
	tcase_add_loop_test(c, the_verifier_rejects_whatever_changes_results, 0, rounds(40));
	tcase_add_loop_test(c, random_kernels_compute_the_same_in_machine_form, 0, rounds(500));
	suite_add_tcase(s, c);
	return s;
}
