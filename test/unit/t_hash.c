/* The hash that ties a profile to the code that ran: any one field of the code changes it, and nothing else does. */
#include "analyzer/ir/ir.h"

#include <check.h>

Suite *suite_hash(void);

static struct arena a;

static void setup(void) { arena_init(&a); }

static void teardown(void) { arena_free(&a); }

static struct insn *put(struct kernel *k, enum op op, unsigned ndst, unsigned nsrc, const struct ref *operand)
{
	struct insn *i = ir_append(k, op, ndst, nsrc);

	for (unsigned s = 0; s < ndst + nsrc; s++)
		k->opnd[i->opnd + s] = operand[s];
	return i;
}
#define PUT(k, op, ndst, nsrc, ...) put((k), (op), (ndst), (nsrc), (struct ref[]){ __VA_ARGS__ })

static struct ref other(enum ref_kind kind, uint32_t val)
{
	return (struct ref){ .kind = kind, .val = val & REF_VAL_MAX };
}

enum { MOVE, SUM, LESS, STORE, BRANCH };

/* An operand of every kind, a guard, a branch, and one with a table. */
static struct kernel *sample(void)
{
	struct module *m = module_new(&a);
	struct kernel *k = kernel_new(m, "k");
	struct insn *i;

	for (unsigned s = 0; s < 2; s++) {
		arena_grow(&a, m->sym, m->nsym, m->sym_cap);
		m->sym[m->nsym++] = (struct symbol){
			.name = s ? "out" : "in", .space = SP_GLOBAL, .align = 4, .size = 64, .kernel = UINT32_MAX
		};
	}
	ir_block(k, NULL);
	PUT(k, OP_MOV_B32, 1, 1, ref_reg(0), other(REF_SREG, SREG_TID_X));
	PUT(k, OP_ADD_F32, 1, 2, ref_reg(1), ref_reg(0), ref_const(0, PARAM_BASE));
	PUT(k, OP_SETP_LT_S32, 1, 2, ref_reg(MREG_P0), ref_reg(1), ir_imm(k, 7));
	i = PUT(k, OP_ST_B32, 0, 2, ir_symref(k, 0, 16), ref_reg(1));
	i->space = SP_GLOBAL;
	i->offset = 8;
	i = PUT(k, OP_BRA, 0, 1, other(REF_BLOCK, 2));
	i->guard = ref_reg(MREG_P0);
	ir_block(k, NULL);
	PUT(k, OP_BRX, 0, 1, ref_reg(1));
	ir_block(k, NULL);
	PUT(k, OP_RET, 0, 0, ref_none());
	k->form = FORM_MACHINE;
	k->table = new_array(&a, struct jump_table, 1);
	k->ntable = k->table_cap = 1;
	k->target = new_array(&a, struct target, 3);
	k->ntarget = k->target_cap = 3;
	k->table[0] = (struct jump_table){ 0, 2 };
	for (uint32_t t = 0; t < 3; t++)
		k->target[t] = (struct target){ t, 1 + t % 2 };
	return k;
}

static struct ref *operand(struct kernel *k, unsigned insn, unsigned n) { return &k->opnd[k->insn[insn].opnd + n]; }

static void change(struct kernel *k, int how)
{
	struct insn *i = k->insn;

	switch (how) {
	case 0:
		i[SUM].op = OP_SUB_F32;
		break;
	case 1:
		operand(k, SUM, 0)->val = 2;
		break; /* the register written */
	case 2:
		operand(k, SUM, 1)->val = 2;
		break; /* a register read */
	case 3:
		operand(k, SUM, 1)->neg = 1;
		break;
	case 4:
		operand(k, SUM, 1)->abs = 1;
		break;
	case 5:
		*operand(k, SUM, 2) = ref_const(0, PARAM_BASE + 4);
		break; /* a constant's place, */
	case 6:
		*operand(k, SUM, 2) = ref_const(3, PARAM_BASE);
		break; /* and its bank */
	case 7:
		operand(k, SUM, 2)->kind = REF_REG;
		break;
	case 8:
		i[SUM].mods = MOD_FTZ;
		break;
	case 9:
		*operand(k, MOVE, 1) = other(REF_SREG, SREG_CTAID_X);
		break;
	case 10:
		k->imm[operand(k, LESS, 2)->val] = 8;
		break;
	case 11:
		k->imm[operand(k, LESS, 2)->val] |= (uint64_t)1 << 63;
		break;
	case 12:
		i[LESS].cbool = CB_AND;
		break;
	case 13:
		k->symref[operand(k, STORE, 0)->val].sym = 1;
		break;
	case 14:
		k->symref[operand(k, STORE, 0)->val].addend = 12;
		break;
	case 15:
		i[STORE].offset = 4;
		break;
	case 16:
		i[STORE].space = SP_SHARED;
		break;
	case 17:
		i[STORE].vec = 2;
		break;
	case 18:
		i[STORE].cop = COP_CG;
		break;
	case 19:
		i[BRANCH].guard.neg = 1;
		break;
	case 20:
		i[BRANCH].guard.val++;
		break;
	case 21:
		i[BRANCH].guard = ref_none();
		break;
	case 22:
		operand(k, BRANCH, 0)->val = 1;
		break; /* the target */
	case 23:
		k->target[1].block = 1;
		break; /* of the table: a target, */
	case 24:
		k->target[1].key = 9;
		break; /* its key, */
	case 25:
		k->table[0].n = 3;
		break; /* how many, */
	case 26:
		k->table[0].first = 1;
		break; /* and which */
	case 27:
		k->block[0].n--;
		k->block[1].first--;
		k->block[1].n++;
		break; /* where blocks begin */
	case 28:
		i[SUM].ndst = 0;
		i[SUM].nsrc = 3;
		break;
	default:
		ck_abort();
	}
}
enum { CHANGES = 29 };

START_TEST(each_field_of_the_code_changes_it)
{
	struct kernel *k = sample();
	uint64_t before = ir_hash_code(k);

	ck_assert_uint_eq(ir_hash_code(sample()), before);
	change(k, _i);
	ck_assert_msg(ir_hash_code(k) != before, "change %d", _i);
}
END_TEST

START_TEST(names_lines_and_places_of_operands_do_not)
{
	struct kernel *k = sample();
	uint64_t before = ir_hash_code(k);

	k->name = "other";
	k->block[1].label = "$there";
	k->insn[SUM].where = 77;
	k->insn[SUM].line = 3;
	ck_assert_uint_eq(ir_hash_code(k), before);
	memcpy(ir_set_operands(k, &k->insn[LESS], 1, 2), (struct ref[]){ ref_reg(MREG_P0), ref_reg(1), ir_imm(k, 7) },
	       3 * sizeof(struct ref));
	ck_assert_uint_eq(ir_hash_code(k), before);
	ir_imm(k, 99);
	ck_assert_uint_eq(ir_hash_code(k), before);
}
END_TEST

Suite *suite_hash(void)
{
	Suite *s = suite_create("hash");
	TCase *t = tcase_create("hash");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, each_field_of_the_code_changes_it, 0, CHANGES);
	tcase_add_test(t, names_lines_and_places_of_operands_do_not);
	suite_add_tcase(s, t);
	return s;
}
