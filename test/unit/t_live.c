/* Liveness, by hand and against the path search. */
#include "test/unit/cfg_spec.h"
#include "test/unit/pass_fixture.h"

#include <check.h>

static struct kernel *k;

static void setup(void)
{
	pass_setup();
	k = kernel_new(module_new(&arena), "k");
	k->m->address_bits = 64;
}

/* Appends op with the operands given as register indexes, -1: the immediate 7; a branch's operand is its block, a
 * fourth operand PT. */
static struct insn *put(enum op op, int a, int b, int c)
{
	struct insn *i = ir_append(k, op, op_info[op].ndst, op_info[op].nsrc);
	int v[4] = { a, b, c, MREG_PT };

	for (unsigned s = 0; s < i->ndst + (unsigned)i->nsrc; s++) {
		if (op == OP_BRA)
			k->opnd[i->opnd + s] = (struct ref){ .kind = REF_BLOCK, .val = (unsigned)v[s] & REF_VAL_MAX };
		else
			k->opnd[i->opnd + s] = v[s] < 0 ? ir_imm(k, 7) : ref_reg((uint32_t)v[s]);
	}
	i->space = op_info[op].mem_bytes ? SP_GLOBAL : SP_NONE;
	return i;
}

static void analyse(void)
{
	ck_assert_msg(ir_verify(k, &diag), "%s", diag.last);
	ck_assert_msg(pass_need(k, FACT_LIVE, &cx), "%s", diag.last);
}

/* The set of registers as text: "0 3 7". */
static const char *text(const uint64_t *set)
{
	char *t = arena_printf(&arena, "%s", "");

	for (uint32_t r = 0; r < ir_nreg(k); r++)
		if (bitset_has(set, r))
			t = arena_printf(&arena, "%s%s%u", t, *t ? " " : "", r);
	return t;
}

static const char *set_text(struct live_set s)
{
	uint64_t *set = bitset_new(&arena, ir_nreg(k));

	live_put(s, set);
	return text(set);
}

/* What is live before instruction n of block b. */
static const char *before(uint32_t b, uint32_t n)
{
	uint64_t *set = bitset_new(&arena, ir_nreg(k));

	live_put(live_out(k, b), set);
	for (uint32_t j = k->block[b].n; j-- > n;)
		live_step_back(k, &k->insn[k->block[b].first + j], set);
	return text(set);
}

static void virtual_registers(unsigned n32, unsigned n64, unsigned npred)
{
	for (unsigned r = 0; r < n32; r++)
		ir_vreg(k, "%r", RC_32, 32);
	for (unsigned r = 0; r < n64; r++)
		ir_vreg(k, "%rd", RC_64, 64);
	for (unsigned r = 0; r < npred; r++)
		ir_vreg(k, "%p", RC_PRED, 1);
}

START_TEST(a_value_lives_from_its_write_to_its_last_read)
{
	virtual_registers(3, 1, 0);
	ir_block(k, NULL);
	put(OP_MOV_B32, 0, -1, 0);
	put(OP_MOV_B32, 1, -1, 0);
	put(OP_ADD_S32, 2, 0, 1);
	put(OP_ST_B32, 3, 2, 0);
	put(OP_RET, 0, 0, 0);
	analyse();
	ck_assert_str_eq(set_text(live_in(k, 0)), "3");
	ck_assert_str_eq(before(0, 1), "0 3");
	ck_assert_str_eq(before(0, 2), "0 1 3");
	ck_assert_str_eq(before(0, 3), "2 3");
	ck_assert_str_eq(before(0, 4), "");
	ck_assert_uint_eq(k->live->max_live32, 4); /* two of 32 bits and the 64-bit address */
	ck_assert_uint_eq(k->live->max_livep, 0);
}
END_TEST

START_TEST(a_guarded_write_does_not_kill)
{
	virtual_registers(1, 1, 1);
	ir_block(k, NULL);
	put(OP_MOV_B32, 0, -1, 0);
	put(OP_MOV_B32, 0, -1, 0)->guard = ref_reg(2);
	put(OP_ST_B32, 1, 0, 0);
	put(OP_RET, 0, 0, 0);
	analyse();
	ck_assert_str_eq(before(0, 0), "1 2");
	ck_assert_str_eq(before(0, 1), "0 1 2");
	ck_assert_str_eq(before(0, 2), "0 1");
	ck_assert_uint_eq(k->live->max_livep, 1);
}
END_TEST

START_TEST(a_value_read_in_the_next_iteration_lives_round_the_loop)
{
	virtual_registers(2, 1, 1);
	ir_block(k, NULL);
	put(OP_MOV_B32, 0, -1, 0);
	ir_block(k, NULL);
	put(OP_ADD_S32, 1, 0, 0);
	put(OP_ADD_S32, 0, 1, -1);
	put(OP_SETP_LT_S32, 3, 0, -1);
	put(OP_BRA, 1, 0, 0)->guard = ref_reg(3);
	ir_block(k, NULL);
	put(OP_ST_B32, 2, 1, 0);
	put(OP_RET, 0, 0, 0);
	analyse();
	ck_assert_str_eq(set_text(live_in(k, 1)), "0 2");
	ck_assert_str_eq(set_text(live_out(k, 1)), "0 1 2");
	ck_assert_str_eq(set_text(live_in(k, 2)), "1 2");
}
END_TEST

START_TEST(a_pair_is_two_registers_in_machine_form)
{
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
	put(OP_MOV_B64, 4, -1, 0);
	put(OP_CVT_U32_D, 2, 4, 0);
	put(OP_ADD_S64, 6, 4, MREG_RZ);
	put(OP_ST_B32, 6, 2, 0);
	put(OP_RET, 0, 0, 0);
	analyse();
	ck_assert_str_eq(before(0, 0), "");
	ck_assert_str_eq(before(0, 1), "4 5");
	ck_assert_str_eq(before(0, 2), "2 4 5");
	ck_assert_str_eq(before(0, 3), "2 6 7");
	ck_assert_uint_eq(k->live->max_live32, 3);
}
END_TEST

START_TEST(fixed_registers_are_never_live)
{
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
	put(OP_ADD_S32, MREG_RZ, MREG_RZ, MREG_RZ)->guard = ref_reg(MREG_PT);
	put(OP_SELP_B32, 0, MREG_RZ, -1);
	put(OP_RET, 0, 0, 0);
	analyse();
	ck_assert_str_eq(before(0, 0), "");
	ck_assert_uint_eq(k->live->max_live32, 0);
	ck_assert_uint_eq(k->live->max_livep, 0);
}
END_TEST

/* Every random kernel is checked by check_live in the runner; a good share of the points must have something live. */
static void random_kernels(enum form form)
{
	unsigned live = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		k = spec_random(&arena, form, 1 + (uint32_t)(seed % 25), 6, seed);
		ck_assert_msg(ir_verify(k, &diag), "seed %u: %s", (unsigned)seed, diag.last);
		ck_assert_msg(pass_need(k, FACT_LIVE, &cx), "seed %u: %s", (unsigned)seed, diag.last);
		live += k->live->max_live32 > 3;
	}
	ck_assert_uint_gt(live, 150);
}

START_TEST(random_virtual_kernels_agree_with_path_search) { random_kernels(FORM_VIRTUAL); }
END_TEST

START_TEST(random_machine_kernels_agree_with_path_search) { random_kernels(FORM_MACHINE); }
END_TEST

/* Block b's list of one table, with r put in or taken out. */
static void toggle(uint32_t **at, uint32_t **list, uint32_t b, uint32_t r)
{
	uint32_t *to = new_array(&arena, uint32_t, (*at)[k->nblock] + 2),
		 *ends = new_array(&arena, uint32_t, k->nblock + 1), n = 0;

	for (uint32_t x = 0; x < k->nblock; x++) {
		bool found = x != b;

		ends[x] = n;
		for (uint32_t e = (*at)[x]; e < (*at)[x + 1]; e++) {
			if (!found && (*list)[e] >= r) {
				if ((*list)[e] > r)
					to[n++] = r;
				found = true;
				if ((*list)[e] == r)
					continue;
			}
			to[n++] = (*list)[e];
		}
		if (!found)
			to[n++] = r;
	}
	ends[k->nblock] = n;
	*at = ends;
	*list = to;
}

START_TEST(oracle_finds_a_wrong_bit)
{
	k = spec_random(&arena, FORM_VIRTUAL, 12, 6, 5);
	analyse();
	for (uint32_t b = 0; b < k->nblock; b++)
		for (uint32_t r = 0; r < k->nvreg; r++) {
			struct liveness right = *k->live;

			toggle(&k->live->in_at, &k->live->in, b, r);
			ck_assert(!check_live(k, &diag));
			*k->live = right;
			toggle(&k->live->out_at, &k->live->out, b, r);
			ck_assert(!check_live(k, &diag));
			*k->live = right;
		}
	ck_assert(check_live(k, &diag));
	k->live->max_live32++;
	ck_assert(!check_live(k, &diag));
	k->live->max_live32--;
	k->live->max_livep++;
	ck_assert(!check_live(k, &diag));
}
END_TEST

/* Blocks times registers would be 5 GB of bits. */
START_TEST(many_short_lives_take_little_memory)
{
	enum { BLOCKS = 50000 };
	size_t before_bytes;

	for (unsigned r = 0; r < BLOCKS * 8; r++)
		ir_vreg(k, "%r", RC_32, 32);
	for (unsigned b = 0; b < BLOCKS; b++) {
		ir_block(k, NULL);
		put(OP_MOV_B32, (int)b * 8, -1, 0);
		put(OP_ADD_S32, (int)b * 8 + 1, (int)b * 8, b ? (int)(b - 1) * 8 + 1 : 7);
	}
	put(OP_RET, 0, 0, 0);
	before_bytes = arena.total_bytes;
	ck_assert(pass_need(k, FACT_LIVE, &cx));
	ck_assert_uint_lt(arena.total_bytes - before_bytes, (size_t)64 << 20);
	ck_assert_uint_eq(live_in(k, 0).n, 1);
	ck_assert_uint_eq(live_in(k, 1000).n, 1);
	ck_assert_uint_eq(live_in(k, 1000).reg[0], 999 * 8 + 1);
	ck_assert_uint_eq(live_out(k, BLOCKS - 1).n, 0);
	ck_assert_uint_eq(k->live->max_live32, 2);
}
END_TEST

Suite *suite_live(void);
Suite *suite_live(void)
{
	Suite *s = suite_create("live");
	TCase *t = tcase_create("live");

	tcase_add_checked_fixture(t, setup, pass_teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_value_lives_from_its_write_to_its_last_read);
	tcase_add_test(t, a_guarded_write_does_not_kill);
	tcase_add_test(t, a_value_read_in_the_next_iteration_lives_round_the_loop);
	tcase_add_test(t, a_pair_is_two_registers_in_machine_form);
	tcase_add_test(t, fixed_registers_are_never_live);
	tcase_add_test(t, random_virtual_kernels_agree_with_path_search);
	tcase_add_test(t, random_machine_kernels_agree_with_path_search);
	tcase_add_test(t, oracle_finds_a_wrong_bit);
	tcase_add_test(t, many_short_lives_take_little_memory);
	suite_add_tcase(s, t);
	return s;
}
