/* The order in which warps share registers (passes/owf.c): by hand; that its oracle sees a wrong one; in an object. */
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "passes/owf.h"
#include "test/unit/pass_fixture.h"

#include <check.h>

static struct module *m;
static struct kernel *k;

static void add(int d, int a, int b)
{
	struct insn *i = ir_append(k, OP_ADD_S32, 1, 2);

	i->vec = 1;
	insn_dst(k, i)[0] = ref_reg((uint32_t)d);
	insn_src(k, i)[0] = ref_reg((uint32_t)a);
	insn_src(k, i)[1] = ref_reg((uint32_t)b);
}

static void jump(uint32_t to, int guard)
{
	struct insn *i = ir_append(k, OP_BRA, 0, 1);

	insn_src(k, i)[0] = (struct ref){ .kind = REF_BLOCK, .val = to };
	if (guard >= 0)
		i->guard = ref_reg(MREG_P0 + (uint32_t)guard);
}

static void order(void)
{
	ir_append(k, OP_EXIT, 0, 0);
	ck_assert_msg(pass_need(k, FACT_OWF, &cx), "%s", diag.last);
}

static void begin(uint32_t regs)
{
	pass_setup_plain();
	m = module_new(&arena);
	k = kernel_new(m, "k");
	k->form = FORM_MACHINE;
	k->res.regs = regs;
	k->res.preds = 1;
	ir_block(k, NULL);
}

START_TEST(what_is_touched_late_is_shared_first)
{
	begin(4);
	add(3, 3, 3); /* R3, then R0, R2, and R1 at last */
	add(0, 3, 3);
	add(2, 0, 0);
	add(1, 2, 2);
	order();
	ck_assert_uint_eq(k->owf->n, 4);
	ck_assert_uint_eq(k->owf->rank[3], 0);
	ck_assert_uint_eq(k->owf->rank[0], 1);
	ck_assert_uint_eq(k->owf->rank[2], 2);
	ck_assert_uint_eq(k->owf->rank[1], 3);
	ck_assert_double_eq_tol(owf_before(k, k->owf->rank, 3), 3. / 5, 1e-9);
	ck_assert_double_eq_tol(owf_before(k, k->owf->rank, 2), 2. / 5, 1e-9);
	ck_assert_double_eq_tol(owf_before(k, owf_by_number, 3), 0, 1e-9);
	ck_assert_double_eq_tol(owf_before(k, k->owf->rank, 4), 1, 1e-9);
}
END_TEST

/* R1 is touched behind a loop, R2 in it: at its first round nobody has touched R2 before, at the second somebody may
 * have. */
START_TEST(a_loop_touches_what_it_names_from_its_start)
{
	begin(3);
	add(0, 0, 0);
	ir_block(k, "loop");
	add(0, 0, 0);
	add(2, 0, 0);
	jump(1, 0);
	ir_block(k, "end");
	add(1, 0, 0);
	order();
	ck_assert_uint_eq(k->owf->rank[1], 2);
	ck_assert_uint_eq(k->owf->rank[2], 1);
	ck_assert_double_eq_tol(owf_before(k, k->owf->rank, 1), 1. / (1 + 3 * FREQ_LOOP + 2), 1e-9);
	ck_assert_double_eq_tol(owf_before(k, k->owf->rank, 2), (1. + 3 * FREQ_LOOP) / (1 + 3 * FREQ_LOOP + 2), 1e-9);
}
END_TEST

/* Alone R1 is the one to share; beside it R2, which the same way touches, is better than R3, though that is touched
 * later than R2. */
START_TEST(a_set_is_ranked_together)
{
	begin(4);
	jump(2, 0);
	ir_block(k, "side"); /* R3 */
	add(0, 0, 0);
	add(3, 0, 0);
	add(0, 3, 3);
	jump(3, -1);
	ir_block(k, "other"); /* R2, then R1 */
	add(0, 0, 0);
	add(2, 0, 0);
	add(1, 0, 0);
	ir_block(k, "end");
	order();
	ck_assert_uint_eq(k->owf->rank[1], 3);
	ck_assert_uint_eq(k->owf->rank[2], 2);
	ck_assert_uint_eq(k->owf->rank[3], 1);
}
END_TEST

START_TEST(a_wrong_order_is_seen)
{
	uint8_t t;

	begin(4);
	add(3, 3, 3);
	add(0, 3, 3);
	add(2, 0, 0);
	add(1, 2, 2);
	order();
	if (_i == 0) {
		t = k->owf->rank[1];
		k->owf->rank[1] = k->owf->rank[2];
		k->owf->rank[2] = t;
	} else {
		k->owf->rank[_i] = k->owf->rank[0];
	}
	ck_assert(!check_owf(k, &diag));
	ck_assert_msg(strstr(diag.last, _i ? "another register's" : "would leave more before it is touched") != NULL,
		      "%s", diag.last);
}
END_TEST

START_TEST(registers_that_nobody_names_are_shared_first)
{
	begin(6);
	add(3, 3, 3);
	order();
	ck_assert_uint_eq(k->owf->n, 6);
	ck_assert_uint_eq(k->owf->rank[3], 0);
	ck_assert_uint_eq(k->owf->rank[5], 5);
	ck_assert_double_eq_tol(owf_before(k, k->owf->rank, 1), 1, 1e-9);
}
END_TEST

START_TEST(an_object_carries_the_order)
{
	static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 "
				  "out)\n{\n.reg .pred %p; .reg .b32 %r<8>; "
				  ".reg .b64 %d;\nld.param.u64 %d, [out]; mov.u32 %r1, %tid.x; ld.global.u32 %r2, "
				  "[%d]; setp.lt.u32 %p, %r1, 5;\n@%p bra L;\n"
				  "add.u32 %r3, %r1, %r2; st.global.u32 [%d], %r3;\nL: mul.lo.u32 %r4, %r2, %r1; "
				  "st.global.u32 [%d+4], %r4; ret;\n}\n";
	const struct source src = { "k.ptx", ptx, sizeof ptx - 1 };
	struct module *again;
	uint8_t rank[256];
	void *bytes;
	size_t n;

	pass_setup();
	m = ptx_parse(&src, &arena, &diag);
	ck_assert_msg(m && pass_compile(m->kernel[0], &cx), "%s", diag.last);
	k = m->kernel[0];
	if (_i) { /* as chosen by other weights: any order is one */
		rank[0] = k->owf->rank[0];
		k->owf->rank[0] = k->owf->rank[1];
		k->owf->rank[1] = rank[0];
	}
	memcpy(rank, k->owf->rank, sizeof rank);
	ck_assert(rlo_encode(m, &arena, &bytes, &n, &diag));
	again = rlo_read_memory(bytes, n, "k.rlo", &arena, &diag);
	ck_assert_msg(again != NULL, "%s", diag.last);
	ck_assert(again->kernel[0]->facts & FACT_OWF);
	ck_assert_uint_eq(again->kernel[0]->owf->n, k->owf->n);
	ck_assert_mem_eq(again->kernel[0]->owf->rank, rank, sizeof rank);
}
END_TEST

Suite *suite_order(void);
Suite *suite_order(void)
{
	Suite *s = suite_create("order");
	TCase *t = tcase_create("order");

	tcase_add_checked_fixture(t, NULL, pass_teardown);
	tcase_add_test(t, what_is_touched_late_is_shared_first);
	tcase_add_test(t, a_loop_touches_what_it_names_from_its_start);
	tcase_add_test(t, a_set_is_ranked_together);
	tcase_add_loop_test(t, a_wrong_order_is_seen, 0, 3);
	tcase_add_test(t, registers_that_nobody_names_are_shared_first);
	tcase_add_loop_test(t, an_object_carries_the_order, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
