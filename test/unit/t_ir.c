/* The opcode table, building, printing, verifying and rewriting kernels, frame layout. */
#include "analyzer/ir/ir.h"

#include <check.h>

Suite *suite_ir(void);

static struct arena a;
static struct diag d;

static void setup(void)
{
	arena_init(&a);
	diag_init(&d, NULL);
}

static void teardown(void)
{
	arena_free(&a);
	diag_free(&d);
}

/* Tests of all rows are loops of their own: a process for each row takes a hundred times as long as what it tests. */
START_TEST(every_mnemonic_finds_its_own_row)
{
	for (unsigned op = 0; op < OP_COUNT; op++) {
		const struct op_info *i = &op_info[op];
		const char *t = i->text;

		for (;;) {
			const char *bar = strchr(t, '|');

			ck_assert_msg(op_find(t, bar ? (size_t)(bar - t) : strlen(t)) == op, "%s of row %s", t,
				      i->text);
			if (!bar)
				break;
			t = bar + 1;
		}
		ck_assert_msg(strlen(i->sig) == (i->ndst ? i->ndst : 1u) + 1u + (i->nsrc ? i->nsrc : 1u),
			      "%s: signature %s", i->text, i->sig);
	}
}
END_TEST

START_TEST(modifier_order_is_free_and_type_order_is_not)
{
	ck_assert_uint_eq(op_find("fma.f32.rn", 10), OP_FMA_F32);
	ck_assert_uint_eq(op_find("vote.ballot.sync.b32", 20), op_find("vote.sync.ballot.b32", 20));
	ck_assert_uint_eq(op_find("cvt.u32.u8", 10), OP_CVT_U32_U8);
	ck_assert_uint_eq(op_find("cvt.u8.u32", 10), OP_CVT_U8_W);
	ck_assert_uint_eq(op_find("add", 3), OP_COUNT);
	ck_assert_uint_eq(op_find("", 0), OP_COUNT);
	ck_assert_uint_eq(op_find("....", 4), OP_COUNT);
}
END_TEST

START_TEST(a_typo_is_answered_with_the_closest_rows)
{
	enum op best[3];

	ck_assert_uint_gt(op_suggest("ad.s32", 6, best, 3), 0);
	ck_assert_uint_eq(best[0], OP_ADD_S32);
	ck_assert_uint_eq(op_suggest("completely.unlike.anything", 26, best, 3), 0);
}
END_TEST

static struct kernel *saxpy_like(void)
{
	struct module *m = module_new(&a);
	struct kernel *k = kernel_new(m, "k");
	uint32_t p = ir_vreg(k, "%p1", RC_PRED, 1), r = ir_vreg(k, "%r1", RC_32, 32), q = ir_vreg(k, "%rd1", RC_64, 64);
	struct insn *i;

	m->address_bits = 64;
	ir_block(k, NULL);
	i = ir_append(k, OP_MOV_B32, 1, 1);
	insn_dst(k, i)[0] = ref_reg(r);
	insn_src(k, i)[0] = (struct ref){ .kind = REF_SREG, .val = SREG_TID_X };
	i = ir_append(k, OP_SETP_LT_S32, 1, 2);
	insn_dst(k, i)[0] = ref_reg(p);
	insn_src(k, i)[0] = ref_reg(r);
	insn_src(k, i)[1] = ir_imm(k, 7);
	i = ir_append(k, OP_BRA, 0, 1);
	i->guard = ref_reg(p);
	i->guard.neg = 1;
	insn_src(k, i)[0] = (struct ref){ .kind = REF_BLOCK, .val = 2 };
	ir_block(k, NULL);
	i = ir_append(k, OP_MUL_WIDE_S32, 1, 2);
	insn_dst(k, i)[0] = ref_reg(q);
	insn_src(k, i)[0] = ref_reg(r);
	insn_src(k, i)[1] = ir_imm(k, 4);
	i = ir_append(k, OP_ST_B32, 0, 3);
	i->space = SP_GLOBAL;
	i->vec = 2;
	i->offset = -8;
	insn_src(k, i)[0] = ref_reg(q);
	insn_src(k, i)[1] = ref_reg(r);
	insn_src(k, i)[2] = ref_reg(r);
	ir_block(k, "$done");
	ir_append(k, OP_RET, 0, 0);
	return k;
}

START_TEST(instructions_print_as_ptx)
{
	struct kernel *k = saxpy_like();

	ck_assert(ir_verify(k, &d));
	ck_assert_str_eq(ir_print_insn(&a, k, &k->insn[0]), "mov.u32 %r1, %tid.x");
	ck_assert_str_eq(ir_print_insn(&a, k, &k->insn[1]), "setp.lt.s32 %p1, %r1, 7");
	ck_assert_str_eq(ir_print_insn(&a, k, &k->insn[2]), "@!%p1 bra $done");
	ck_assert_str_eq(ir_print_insn(&a, k, &k->insn[4]), "st.global.v2.u32 [%rd1-0x8], {%r1, %r1}");
}
END_TEST

/* Each row breaks one invariant of a good kernel; the verifier must see it. */
static void break_it(struct kernel *k, int how)
{
	struct insn *i = k->insn;

	switch (how) {
	case 0:
		i[0].op = OP_COUNT;
		break;
	case 1:
		insn_dst(k, &i[0])[0] = ref_reg(0);
		break; /* predicate as a word */
	case 2:
		insn_dst(k, &i[0])[0] = ref_reg(99);
		break;
	case 3:
		insn_src(k, &i[1])[1].val = 5;
		break; /* no such immediate */
	case 4:
		i[2].guard = ref_reg(1);
		break;
	case 5:
		insn_src(k, &i[2])[0].val = 3;
		break; /* no such block */
	case 6:
		k->block[1].first = 2;
		break;
	case 7:
		i[4].vec = 3;
		break;
	case 8:
		i[4].nsrc = 2;
		break;
	case 9:
		i[5].op = OP_MEMBAR;
		break; /* runs off the end */
	case 10:
		i[1].cbool = CB_AND;
		break;
	case 11:
		i[0].mods = MOD_FTZ;
		break;
	case 12:
		i[4].space = SP_NONE;
		break;
	case 13:
		k->block[0].n = 2;
		k->block[1].first = 2;
		k->block[1].n = 3;
		break; /* branch inside a block */
	case 14:
		insn_src(k, &i[1])[0] = (struct ref){ .kind = REF_SREG, .val = SREG_TID_X };
		break;
	case 15:
		insn_src(k, &i[3])[0] = (struct ref){ .kind = REF_SYM, .val = 0 };
		break;
	case 16:
		i[4].opnd = k->nopnd;
		break;
	case 17:
		i[0].line = 1;
		break;
	case 18:
		insn_src(k, &i[0])[0].neg = 1;
		break;
	default:
		ck_abort();
	}
}
enum { BREAKS = 19 };

START_TEST(the_verifier_sees_each_broken_invariant)
{
	struct kernel *k = saxpy_like();

	ck_assert(ir_verify(k, &d));
	break_it(k, _i);
	ck_assert(!ir_verify(k, &d));
	ck_assert_uint_eq(d.errors, 1);
}
END_TEST

START_TEST(pairs_are_two_registers_in_machine_form)
{
	struct kernel *k = saxpy_like();
	struct reg_use u[REG_USE_MAX];

	ck_assert_uint_eq(insn_reg_uses(k, &k->insn[4], u), 3);
	k->form = FORM_MACHINE;
	insn_src(k, &k->insn[4])[0] = ref_reg(4);
	insn_src(k, &k->insn[4])[1] = ref_reg(MREG_RZ);
	insn_src(k, &k->insn[4])[2] = ref_reg(7);
	ck_assert_uint_eq(insn_reg_uses(k, &k->insn[4], u), 3);
	ck_assert_uint_eq(u[0].reg, 4);
	ck_assert_uint_eq(u[1].reg, 5);
	ck_assert_uint_eq(u[2].reg, 7);
	ck_assert_str_eq(ir_print_insn(&a, k, &k->insn[4]), "st.global.v2.u32 [R4-0x8], {RZ, R7}");
}
END_TEST

/* Each register once, in the order of the operands, with its slot. */
START_TEST(registers_are_named_once_with_their_operand_slot)
{
	struct module *m = module_new(&a);
	struct kernel *k = kernel_new(m, "slots");
	struct insn_regs r;
	struct insn *i;
	struct ref *o;

	m->address_bits = 64;
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
	i = ir_append(k, OP_FMA_F32, 1, 3);
	i->guard = ref_reg(MREG_P0);
	o = insn_dst(k, i);
	o[0] = ref_reg(1);
	o[1] = ref_reg(2);
	o[2] = ref_reg(3);
	o[3] = ref_reg(2);
	ir_insn_regs(k, i, &r);
	ck_assert_uint_eq(r.nsrc, 2);
	ck_assert(r.src[0] == 2 && r.slot[0] == NO_SLOT && r.src_at[0] == 0);
	ck_assert(r.src[1] == 3 && r.slot[1] == 1 && r.src_at[1] == 1);
	ck_assert(r.ndst == 1 && r.dst[0] == 1 && r.dst_at[0] == 3);
	i = ir_append(k, OP_MAD_WIDE_U32, 1, 3);
	o = insn_dst(k, i);
	o[0] = ref_reg(4);
	o[1] = ref_reg(MREG_RZ);
	o[2] = ir_imm(k, 7);
	o[3] = ref_reg(4);
	ir_insn_regs(k, i, &r);
	ck_assert(r.nsrc == 2 && r.src[0] == 4 && r.src[1] == 5 && r.slot[0] == 2 && r.slot[1] == 2);
	ck_assert(r.ndst == 2 && r.dst[0] == 4 && r.dst[1] == 5 && r.dst_at[0] == 2 && r.dst_at[1] == 3);
	i = ir_append(k, OP_ST_B32, 0, 5);
	i->space = SP_GLOBAL;
	i->vec = 4;
	o = insn_src(k, i);
	o[0] = ref_reg(8);
	o[1] = ref_reg(4);
	o[2] = ref_reg(MREG_RZ);
	o[3] = ref_reg(9);
	o[4] = ref_reg(5);
	ir_insn_regs(k, i, &r);
	ck_assert(r.nsrc == 4 && r.src[0] == 8 && r.src[1] == 9 && r.src[2] == 4 && r.src[3] == 5);
	ck_assert(r.slot[0] == 0 && r.slot[1] == NO_SLOT && r.slot[2] == 1 && r.slot[3] == NO_SLOT && r.ndst == 0);
}
END_TEST

/* Passes take the block of a branch for its only target. */
START_TEST(no_row_has_a_target_and_a_table)
{
	for (unsigned op = 0; op < OP_COUNT; op++)
		ck_assert_msg((~op_info[op].flags & (OPF_BRANCH | OPF_TABLE)) != 0, "%s", op_info[op].text);
}
END_TEST

/* As many registers as a row can name at most fit in struct insn_regs. */
START_TEST(no_row_names_more_registers_than_fit)
{
	struct module *m = module_new(&a);

	m->address_bits = 64;
	for (unsigned op = 0; op < OP_COUNT; op++) {
		unsigned nsrc = op_info[op].nsrc, ndst = op_info[op].ndst,
			 data = op_info[op].mem_bytes && !(op_info[op].flags & OPF_ATOMIC) ? 8 : 1;
		struct kernel *k;
		struct insn_regs r;
		struct insn *i;

		if (op == OP_CALL)
			continue; /* not in machine form */
		k = kernel_new(m, "row");
		k->form = FORM_MACHINE;
		ir_block(k, NULL);
		if (data == 8) {
			ndst = ndst ? data : 0;
			nsrc = nsrc > 1 ? nsrc - 1 + data : nsrc;
		}
		i = ir_append(k, (enum op)op, ndst, nsrc);
		i->space = SP_GENERIC;
		i->vec = (uint8_t)data;
		for (unsigned s = 0; s < ndst + nsrc; s++)
			if (strchr("PL", insn_operand_letter(i, s)) == NULL)
				k->opnd[i->opnd + s] = ref_reg(2 * s);
		ir_insn_regs(k, i, &r);
		ck_assert_msg(r.nsrc <= INSN_SRC_MAX && r.ndst <= INSN_DST_MAX, "%s: %u and %u", op_info[op].text,
			      r.nsrc, r.ndst);
	}
}
END_TEST

START_TEST(units_are_shared_and_results_late_by_opcode_and_space)
{
	static const struct {
		enum op op;
		enum space space;
		bool shared, late;
	} row[] = {
		{ OP_ADD_S32, SP_NONE, false, false },      { OP_DIV_S32, SP_NONE, false, false },
		{ OP_FMA_F64, SP_NONE, false, false },      { OP_SIN_F32, SP_NONE, true, false },
		{ OP_SHFL_IDX, SP_NONE, true, false },      { OP_BRX, SP_NONE, false, false },
		{ OP_LD_B32, SP_GLOBAL, true, true },       { OP_LD_B32, SP_LOCAL, true, true },
		{ OP_LD_B32, SP_GENERIC, true, true },      { OP_LD_B32, SP_SHARED, true, false },
		{ OP_LD_B32, SP_CONST, true, false },       { OP_LD_B32, SP_PARAM, true, false },
		{ OP_ST_B32, SP_GLOBAL, true, false },      { OP_ATOM_ADD_U32, SP_GLOBAL, true, true },
		{ OP_RED_ADD_U32, SP_GLOBAL, true, false }, { OP_ATOM_ADD_U32, SP_SHARED, true, false },
		{ OP_TEX_2D_F_F32, SP_NONE, true, true },   { OP_MEMBAR, SP_NONE, false, false },
	};
	struct module *m = module_new(&a);
	struct kernel *k = kernel_new(m, "units");
	struct insn *i;

	ir_block(k, NULL);
	i = ir_append(k, row[_i].op, op_info[row[_i].op].ndst, op_info[row[_i].op].nsrc);
	i->space = (uint8_t)row[_i].space;
	ck_assert_int_eq(insn_is_shared(i), row[_i].shared);
	ck_assert_int_eq(insn_is_long(i), row[_i].late);
}
END_TEST

START_TEST(rewriting_inserts_and_drops_and_keeps_blocks)
{
	struct kernel *k = saxpy_like();
	struct rewrite rw;
	struct insn *i;

	rewrite_begin(&rw, k);
	for (uint32_t b = 0; b < k->nblock; b++) {
		uint32_t first = k->block[b].first, n = k->block[b].n;

		rewrite_block(&rw);
		for (uint32_t j = first; j < first + n; j++) {
			if (rw.old[j].op == OP_MUL_WIDE_S32) {
				i = rewrite_new(&rw, OP_MOV_B64, 1, 1, &rw.old[j]);
				insn_dst(k, i)[0] = ref_reg(2);
				insn_src(k, i)[0] = ir_imm(k, 64);
				rewrite_new(&rw, OP_MEMBAR, 0, 0, NULL);
			} else if (rw.old[j].op != OP_SETP_LT_S32) {
				rewrite_keep(&rw, &rw.old[j]);
			}
		}
	}
	rewrite_end(&rw);
	ck_assert(ir_verify(k, &d));
	ck_assert_uint_eq(k->ninsn, 6);
	ck_assert_uint_eq(k->block[1].first, 2);
	ck_assert_uint_eq(k->block[1].n, 3);
	ck_assert_uint_eq(k->insn[3].op, OP_MEMBAR);
}
END_TEST

START_TEST(a_label_that_no_branch_names_does_not_cut_a_block)
{
	struct module *m = module_new(&a);
	struct kernel *k = kernel_new(m, "k");

	ir_block(k, "start"); /* 0: kept */
	ir_append(k, OP_MEMBAR, 0, 0);
	ir_block(k, "debug"); /* 1: joined to 0 */
	insn_src(k, ir_append(k, OP_BRA, 0, 1))[0] = (struct ref){ .kind = REF_BLOCK, .val = 3 };
	ir_block(k, "nowhere"); /* 2: dropped */
	ir_append(k, OP_RET, 0, 0);
	ir_block(k, "target"); /* 3: becomes 1 */
	ir_append(k, OP_RET, 0, 0);
	ir_block(k, "end"); /* 4: dropped */
	ir_append(k, OP_RET, 0, 0);
	ck_assert(ir_verify(k, &d));
	ir_join_blocks(k);
	ck_assert(ir_verify(k, &d));
	ck_assert_uint_eq(k->nblock, 2);
	ck_assert_uint_eq(k->ninsn, 3);
	ck_assert_uint_eq(k->block[0].n, 2);
	ck_assert_str_eq(k->block[1].label, "target");
	ck_assert_uint_eq(insn_src(k, &k->insn[1])[0].val, 1);
}
END_TEST

START_TEST(immediates_are_shared)
{
	struct kernel *k = saxpy_like();
	struct ref one = ir_imm(k, 1);

	for (uint64_t v = 0; v < 1000; v++) {
		uint32_t id = ir_imm(k, v).val;

		ck_assert_uint_eq(k->imm[id], v);
	}
	ck_assert_uint_eq(ir_imm(k, 1).val, one.val);
	ck_assert_uint_eq(k->nimm, 1000);
}
END_TEST

START_TEST(variables_are_laid_out_by_space_and_alignment)
{
	struct kernel *k = saxpy_like();
	struct module *m = k->m;
	const struct symbol in[] = {
		{ .name = "a", .space = SP_SHARED, .align = 1, .size = 3, .kernel = UINT32_MAX },
		{ .name = "b", .space = SP_SHARED, .align = 8, .size = 8, .kernel = 0 },
		{ .name = "e", .space = SP_SHARED, .align = 4, .size = 0, .kernel = UINT32_MAX, .external = true },
		{ .name = "l", .space = SP_LOCAL, .align = 4, .size = 20, .kernel = 0 },
	};

	for (unsigned s = 0; s < 4; s++) {
		arena_grow(&a, m->sym, m->nsym, m->sym_cap);
		m->sym[m->nsym++] = in[s];
	}
	ir_symref(k, 0, 0);
	ck_assert(ir_layout(m, &d));
	ck_assert_uint_eq(ir_frame_offset(k, &m->sym[0]), 0);
	ck_assert_uint_eq(ir_frame_offset(k, &m->sym[1]), 8);
	ck_assert_uint_eq(ir_frame_offset(k, &m->sym[2]), 16);
	ck_assert_uint_eq(k->res.shared_bytes, 16);
	ck_assert_uint_eq(k->res.local_bytes, 20);
	m->sym[1].size = (uint64_t)1 << 40;
	ck_assert(!ir_layout(m, &d));
}
END_TEST

Suite *suite_ir(void)
{
	Suite *s = suite_create("ir");
	TCase *t = tcase_create("ir");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, every_mnemonic_finds_its_own_row);
	tcase_add_test(t, modifier_order_is_free_and_type_order_is_not);
	tcase_add_test(t, a_typo_is_answered_with_the_closest_rows);
	tcase_add_test(t, instructions_print_as_ptx);
	tcase_add_loop_test(t, the_verifier_sees_each_broken_invariant, 0, BREAKS);
	tcase_add_test(t, pairs_are_two_registers_in_machine_form);
	tcase_add_test(t, registers_are_named_once_with_their_operand_slot);
	tcase_add_test(t, no_row_names_more_registers_than_fit);
	tcase_add_test(t, no_row_has_a_target_and_a_table);
	tcase_add_loop_test(t, units_are_shared_and_results_late_by_opcode_and_space, 0, 18);
	tcase_add_test(t, rewriting_inserts_and_drops_and_keeps_blocks);
	tcase_add_test(t, a_label_that_no_branch_names_does_not_cut_a_block);
	tcase_add_test(t, immediates_are_shared);
	tcase_add_test(t, variables_are_laid_out_by_space_and_alignment);
	suite_add_tcase(s, t);
	return s;
}
