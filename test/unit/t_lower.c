/* Lowering, narrowing, folding, dead code: each rewrite on a kernel made by hand, then random kernels before and
 * after. */
#include "test/unit/backend_kit.h"

static struct kit t;

static void setup(void) { kit_open(&t); }
static void teardown(void) { kit_close(&t); }

static void run(enum pass_id id)
{
	ck_assert_msg(ir_verify(t.k, &t.diag), "%s", t.diag.last);
	ck_assert_msg(pass_run(t.k, id, &t.cx), "%s", t.diag.last);
}

static void front(void)
{
	run(PASS_ID_lower);
	run(PASS_ID_fold);
	run(PASS_ID_dce);
	run(PASS_ID_narrow);
	run(PASS_ID_fold);
	run(PASS_ID_dce);
}

/* The code as text, one instruction a line. */
static const char *code(void)
{
	char *s = arena_printf(&t.arena, "%s", "");

	for (uint32_t j = 0; j < t.k->ninsn; j++)
		s = arena_printf(&t.arena, "%s%s\n", s, ir_print_insn(&t.arena, t.k, &t.k->insn[j]));
	return s;
}

static uint32_t symbol(const char *name, enum space space, uint64_t offset)
{
	arena_grow(&t.arena, t.m->sym, t.m->nsym, t.m->sym_cap);
	t.m->sym[t.m->nsym] = (struct symbol){
		.name = name, .space = (uint8_t)space, .align = 4, .size = 64, .kernel = UINT32_MAX, .offset = offset
	};
	return t.m->nsym++;
}

START_TEST(a_parameter_becomes_a_constant_operand)
{
	struct ref a, b;

	kit_param(&t, TY_U64, 8);
	kit_param(&t, TY_S32, 4);
	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_64);
	b = kit_reg(&t, RC_32);
	kit_load(&t, OP_LD_B64, SP_PARAM, a, ref_const(0, PARAM_BASE), 0);
	kit_load(&t, OP_LD_B32, SP_PARAM, b, ref_const(0, PARAM_BASE), 8);
	KIT3(&t, OP_ADD_S32, b, b, kit_imm(&t, 3));
	kit_store(&t, OP_ST_B32, SP_GLOBAL, a, 0, b);
	KIT1(&t, OP_RET, ref_none());
	front();
	ck_assert_str_eq(code(), "mov.u64 %rd0, c[0x0][0x20]\n"
				 "add.s32 %r1, c[0x0][0x28], 3\n"
				 "st.global.u32 [%rd0], %r1\nret\n");
}
END_TEST

START_TEST(narrow_and_outside_parameter_loads_stay)
{
	struct ref a = ref_none(), b;

	kit_param(&t, TY_U16, 2);
	kit_param(&t, TY_U32, 4);
	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_32);
	kit_load(&t, OP_LD_U16, SP_PARAM, a, ref_const(0, PARAM_BASE), 0);
	kit_load(&t, OP_LD_B32, SP_PARAM, b, ref_const(0, PARAM_BASE), 8);
	KIT1(&t, OP_RET, ref_none());
	run(PASS_ID_lower);
	ck_assert_uint_eq(t.k->insn[0].op, OP_LD_U16);
	ck_assert_uint_eq(t.k->insn[1].op, OP_LD_B32);
}
END_TEST

START_TEST(an_instruction_takes_one_constant_at_most)
{
	struct ref a, b, c;

	kit_param(&t, TY_U32, 4);
	kit_param(&t, TY_U32, 4);
	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_32);
	c = kit_reg(&t, RC_32);
	kit_load(&t, OP_LD_B32, SP_PARAM, a, ref_const(0, PARAM_BASE), 0);
	kit_load(&t, OP_LD_B32, SP_PARAM, b, ref_const(0, PARAM_BASE), 4);
	KIT3(&t, OP_SUB_S32, c, a, b);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 0, c);
	KIT1(&t, OP_RET, ref_none());
	front();
	ck_assert_str_eq(code(), "mov.u32 %r1, c[0x0][0x24]\n"
				 "sub.s32 %r2, c[0x0][0x20], %r1\n"
				 "st.shared.u32 [0x0], %r2\nret\n");
}
END_TEST

START_TEST(sizes_of_block_and_grid_come_from_the_constant_bank)
{
	struct ref a = ref_none(), b;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B32, a, kit_sreg(SREG_NTID_Y));
	KIT2(&t, OP_MOV_B32, b, kit_sreg(SREG_NCTAID_Z));
	KIT2(&t, OP_MOV_B32, b, kit_sreg(SREG_TID_X));
	KIT1(&t, OP_RET, ref_none());
	run(PASS_ID_lower);
	ck_assert_str_eq(code(), "mov.u32 %r0, c[0x0][0xc]\nmov.u32 %r1, c[0x0][0x1c]\nmov.u32 %r1, %tid.x\nret\n");
}
END_TEST

START_TEST(shared_variables_become_offsets_and_generic_accesses_find_their_space)
{
	uint32_t sh = symbol("tile", SP_SHARED, 128), gl = symbol("table", SP_GLOBAL, 0);
	struct ref a, g, f, v;
	struct insn *i;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_64);
	g = kit_reg(&t, RC_64);
	f = kit_reg(&t, RC_32);
	v = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B64, a, ir_symref(t.k, sh, 4));
	i = KIT2(&t, OP_CVTA_U64, g, a);
	i->space = SP_SHARED;
	kit_load(&t, OP_LD_B32, SP_GENERIC, v, g, 8); /* cvta of a shared variable: shared */
	kit_load(&t, OP_LD_B32, SP_GENERIC, f, ir_symref(t.k, sh, 0), 0);
	KIT3(&t, OP_ADD_S32, v, v, f);
	kit_store(&t, OP_ST_B32, SP_GLOBAL, ir_symref(t.k, gl, 8), 4, v);
	KIT1(&t, OP_RET, ref_none());
	front();
	ck_assert_str_eq(code(), "ld.shared.u32 %r3, [0x8c]\nld.shared.u32 %r2, [0x80]\nadd.s32 %r3, %r3, %r2\n"
				 "st.global.u32 [table+8+0x4], %r3\nret\n");
}
END_TEST

START_TEST(cvta_of_global_is_a_copy_and_of_local_adds_the_window)
{
	struct ref a, g, l;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_64);
	g = kit_reg(&t, RC_64);
	l = kit_reg(&t, RC_64);
	KIT2(&t, OP_CVTA_TO_U64, g, a)->space = SP_GLOBAL;
	KIT2(&t, OP_CVTA_U64, l, a)->space = SP_LOCAL;
	KIT2(&t, OP_CVTA_TO_U64, l, l)->space = SP_LOCAL;
	KIT1(&t, OP_RET, ref_none());
	run(PASS_ID_lower);
	ck_assert_str_eq(code(),
			 "mov.u64 %rd1, %rd0\nadd.s64 %rd2, %rd0, 33554432\nsub.s64 %rd2, %rd2, 33554432\nret\n");
}
END_TEST

START_TEST(offsets_fold_into_addresses_and_products_into_sums)
{
	struct ref base, i, w, a, b, v;

	kit_param(&t, TY_U64, 8);
	ir_block(t.k, NULL);
	base = kit_reg(&t, RC_64);
	i = kit_reg(&t, RC_32);
	w = kit_reg(&t, RC_64);
	a = kit_reg(&t, RC_64);
	b = kit_reg(&t, RC_64);
	v = kit_reg(&t, RC_32);
	kit_load(&t, OP_LD_B64, SP_PARAM, base, ref_const(0, PARAM_BASE), 0);
	KIT2(&t, OP_MOV_B32, i, kit_sreg(SREG_TID_X));
	KIT3(&t, OP_MUL_WIDE_S32, w, i, kit_imm(&t, 4));
	KIT3(&t, OP_ADD_S64, a, base, w);
	KIT3(&t, OP_ADD_S64, b, a, kit_imm(&t, (uint64_t)-16));
	kit_load(&t, OP_LD_B32, SP_GLOBAL, v, b, 4);
	kit_store(&t, OP_ST_B32, SP_GLOBAL, a, 0, v);
	KIT1(&t, OP_RET, ref_none());
	front();
	ck_assert_str_eq(code(), "mov.u32 %r1, %tid.x\nmad.wide.s32 %rd3, %r1, 4, c[0x0][0x20]\n"
				 "ld.global.u32 %r5, [%rd3-0xc]\nst.global.u32 [%rd3], %r5\nret\n");
}
END_TEST

START_TEST(a_register_that_changes_in_between_is_not_folded)
{
	struct ref a, b, v;

	kit_param(&t, TY_U64, 8);
	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_64);
	b = kit_reg(&t, RC_64);
	v = kit_reg(&t, RC_32);
	kit_load(&t, OP_LD_B64, SP_PARAM, a, ref_const(0, PARAM_BASE), 0);
	KIT3(&t, OP_ADD_S64, b, a, kit_imm(&t, 8));
	KIT3(&t, OP_ADD_S64, a, a, kit_imm(&t, 64));
	kit_load(&t, OP_LD_B32, SP_GLOBAL, v, b, 0);
	kit_store(&t, OP_ST_B32, SP_GLOBAL, a, 0, v);
	KIT1(&t, OP_RET, ref_none());
	front();
	ck_assert_str_eq(code(), "add.s64 %rd1, c[0x0][0x20], 8\nadd.s64 %rd0, c[0x0][0x20], 64\n"
				 "ld.global.u32 %r2, [%rd1]\nst.global.u32 [%rd0], %r2\nret\n");
}
END_TEST

/* A copy made before a loop, of a register that the loop changes, must survive; the copy of an unchanging one goes. */
START_TEST(copies_fold_across_blocks_only_where_their_source_stays)
{
	struct ref x, y, u, v, p;
	uint32_t head;

	ir_block(t.k, NULL);
	x = kit_reg(&t, RC_32);
	y = kit_reg(&t, RC_32);
	u = kit_reg(&t, RC_32);
	v = kit_reg(&t, RC_32);
	p = kit_reg(&t, RC_PRED);
	KIT2(&t, OP_MOV_B32, x, kit_sreg(SREG_TID_X));
	KIT2(&t, OP_MOV_B32, y, x);
	KIT2(&t, OP_MOV_B32, u, kit_sreg(SREG_TID_Y));
	KIT2(&t, OP_MOV_B32, v, u);
	head = ir_block(t.k, NULL);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 0, y);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 4, v);
	KIT3(&t, OP_ADD_S32, x, x, kit_imm(&t, 1));
	KIT3(&t, OP_SETP_LT_S32, p, x, kit_imm(&t, 9));
	kit_branch(&t, p, false, head);
	ir_block(t.k, NULL);
	KIT1(&t, OP_RET, ref_none());
	front();
	ck_assert_str_eq(code(), "mov.u32 %r0, %tid.x\nmov.u32 %r1, %r0\nmov.u32 %r2, %tid.y\n"
				 "st.shared.u32 [0x0], %r1\nst.shared.u32 [0x4], %r2\n"
				 "add.s32 %r0, %r0, 1\nsetp.lt.s32 %p4, %r0, 9\n@%p4 bra .L1\nret\n");
}
END_TEST

/* The same with the loop laid out first, so that the last definition in the text is not the last one executed. */
START_TEST(copies_fold_by_control_flow_and_not_by_layout)
{
	struct ref x, y, p;

	ir_block(t.k, NULL);
	x = kit_reg(&t, RC_32);
	y = kit_reg(&t, RC_32);
	p = kit_reg(&t, RC_PRED);
	KIT1(&t, OP_BRA, kit_block(3));
	ir_block(t.k, NULL);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 0, y);
	KIT3(&t, OP_ADD_S32, x, x, kit_imm(&t, 1));
	KIT3(&t, OP_SETP_LT_S32, p, x, kit_imm(&t, 9));
	kit_branch(&t, p, false, 1);
	ir_block(t.k, NULL);
	KIT1(&t, OP_RET, ref_none());
	ir_block(t.k, NULL);
	KIT2(&t, OP_MOV_B32, x, kit_sreg(SREG_TID_X));
	KIT2(&t, OP_MOV_B32, y, x);
	KIT1(&t, OP_BRA, kit_block(1));
	front();
	ck_assert_str_eq(
		code(),
		"bra .L3\nst.shared.u32 [0x0], %r1\nadd.s32 %r0, %r0, 1\nsetp.lt.s32 %p2, %r0, 9\n@%p2 bra .L1\nret\n"
		"mov.u32 %r0, %tid.x\nmov.u32 %r1, %r0\nbra .L1\n");
}
END_TEST

START_TEST(a_product_with_two_uses_stays)
{
	struct ref a, m, s;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	m = kit_reg(&t, RC_32);
	s = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B32, a, kit_sreg(SREG_TID_X));
	KIT3(&t, OP_MUL_LO_S32, m, a, a);
	KIT3(&t, OP_ADD_S32, s, m, a);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 0, s);
	kit_store(&t, OP_ST_B32, SP_SHARED, kit_imm(&t, 0), 4, m);
	KIT1(&t, OP_RET, ref_none());
	front();
	ck_assert_uint_eq(t.k->insn[1].op, OP_MUL_LO_S32);
	ck_assert_uint_eq(t.k->insn[2].op, OP_ADD_S32);
}
END_TEST

START_TEST(shared_addresses_computed_in_64_bits_shrink)
{
	struct ref i, w, s, a, v;

	ir_block(t.k, NULL);
	i = kit_reg(&t, RC_32);
	w = kit_reg(&t, RC_64);
	s = kit_reg(&t, RC_64);
	a = kit_reg(&t, RC_32);
	v = kit_reg(&t, RC_32);
	KIT2(&t, OP_MOV_B32, i, kit_sreg(SREG_TID_X));
	KIT3(&t, OP_MUL_WIDE_U32, w, i, kit_imm(&t, 4));
	KIT3(&t, OP_ADD_S64, s, w, kit_imm(&t, 256));
	KIT2(&t, OP_CVT_U32_D, a, s);
	kit_load(&t, OP_LD_B32, SP_SHARED, v, a, 0);
	kit_store(&t, OP_ST_B32, SP_SHARED, a, 4, v);
	KIT1(&t, OP_RET, ref_none());
	front();
	ck_assert_str_eq(code(), "mov.u32 %r0, %tid.x\nmul.lo.s32 %rd1, %r0, 4\n"
				 "ld.shared.u32 %r4, [%rd1+0x100]\nst.shared.u32 [%rd1+0x104], %r4\nret\n");
	ck_assert_uint_eq(t.k->vreg[insn_dst(t.k, &t.k->insn[1])[0].val].rc, RC_32);
}
END_TEST

START_TEST(dead_code_goes_and_effects_stay)
{
	struct ref a, b, n, p;
	uint32_t head;

	ir_block(t.k, NULL);
	a = kit_reg(&t, RC_32);
	b = kit_reg(&t, RC_32);
	n = kit_reg(&t, RC_32);
	p = kit_reg(&t, RC_PRED);
	KIT2(&t, OP_MOV_B32, a, kit_sreg(SREG_TID_X));
	KIT2(&t, OP_MOV_B32, b, kit_imm(&t, 5));
	KIT2(&t, OP_MOV_B32, n, kit_imm(&t, 0));
	head = ir_block(t.k, NULL);
	KIT3(&t, OP_ADD_S32, b, b, a); /* only feeds itself */
	KIT3(&t, OP_ADD_S32, n, n, kit_imm(&t, 1));
	KIT3(&t, OP_ATOM_ADD_U32, a, kit_imm(&t, 0), kit_imm(&t, 1))->space = SP_SHARED;
	KIT3(&t, OP_SETP_LT_S32, p, n, kit_imm(&t, 4));
	kit_branch(&t, p, false, head);
	ir_block(t.k, NULL);
	kit_load(&t, OP_LD_B32, SP_SHARED, a, kit_imm(&t, 0), 0); /* dead load */
	KIT1(&t, OP_RET, ref_none());
	ir_block(t.k, NULL); /* unreachable */
	KIT3(&t, OP_ADD_S32, a, a, a);
	KIT1(&t, OP_RET, ref_none());
	run(PASS_ID_dce);
	ck_assert_str_eq(code(), "mov.u32 %r2, 0\nadd.s32 %r2, %r2, 1\natom.shared.add.u32 %r0, [0x0], 1\n"
				 "setp.lt.s32 %p3, %r2, 4\n@%p3 bra .L1\nret\nret\n");
}
END_TEST

/* Index: seed. Each stage of the middle passes leaves memory as it was. */
START_TEST(random_kernels_compute_the_same_after_each_pass)
{
	static const enum pass_id stage[] = { PASS_ID_lower,  PASS_ID_fold, PASS_ID_dce,
					      PASS_ID_narrow, PASS_ID_fold, PASS_ID_dce };
	struct kit_run *was = new(&t.arena, struct kit_run), *is = new(&t.arena, struct kit_run);
	uint64_t seed = (uint64_t)_i;

	kit_random(&t, seed, 4 + (unsigned)_i % 9, 2 + (unsigned)_i % 5, 2 + (unsigned)_i % 3, 60);
	ck_assert_msg(ir_verify(t.k, &t.diag), "%s", t.diag.last);
	kit_execute(was, t.k, seed, 3);
	ck_assert_msg(!was->fault, "seed %d: %s", _i, was->fault);
	for (unsigned s = 0; s < sizeof stage / sizeof *stage; s++) {
		run(stage[s]);
		kit_execute(is, t.k, seed, 3);
		ck_assert_msg(!is->fault, "seed %d, %s: %s", _i, pass_info[stage[s]].id, is->fault);
		ck_assert_msg(!memcmp(was->global, is->global, KIT_GLOBAL) &&
				      !memcmp(was->shared, is->shared, KIT_SHARED),
			      "seed %d: %s changed the result", _i, pass_info[stage[s]].id);
	}
}
END_TEST

Suite *suite_lower(void);
Suite *suite_lower(void)
{
	Suite *s = suite_create("lower");
	TCase *c = tcase_create("lower");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, a_parameter_becomes_a_constant_operand);
	tcase_add_test(c, narrow_and_outside_parameter_loads_stay);
	tcase_add_test(c, an_instruction_takes_one_constant_at_most);
	tcase_add_test(c, sizes_of_block_and_grid_come_from_the_constant_bank);
	tcase_add_test(c, shared_variables_become_offsets_and_generic_accesses_find_their_space);
	tcase_add_test(c, cvta_of_global_is_a_copy_and_of_local_adds_the_window);
	tcase_add_test(c, offsets_fold_into_addresses_and_products_into_sums);
	tcase_add_test(c, a_register_that_changes_in_between_is_not_folded);
	tcase_add_test(c, copies_fold_across_blocks_only_where_their_source_stays);
	tcase_add_test(c, copies_fold_by_control_flow_and_not_by_layout);
	tcase_add_test(c, a_product_with_two_uses_stays);
	tcase_add_test(c, shared_addresses_computed_in_64_bits_shrink);
	tcase_add_test(c, dead_code_goes_and_effects_stay);
	tcase_add_loop_test(c, random_kernels_compute_the_same_after_each_pass, 0, 200);
	suite_add_tcase(s, c);
	return s;
}
