/* Variants of kernels, which hold part of their registers only for a while: copies of kernels, the rows that acquire and release,
 * where they may be, the object, and what the engine checks. */
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "test/unit/engine_run.h"

#include <check.h>
#include <stdlib.h>

Suite *suite_variant(void);

static struct rig r;

static void setup(void)
{
	rig_open(&r, KERNEL("ld.global.u32 %r3, [%d1]; add.s32 %r4, %r3, 3; setp.gt.s32 %p1, %r0, 5; @%p1 bra L; mul.lo.s32 %r4, %r4, 77; L:"
	                    "st.global.u32 [%d0], %r4;"), 63);
}

static void teardown(void) { rig_close(&r); }

static const char *text_of(const struct kernel *k)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	const char *kept;

	ir_print_kernel(f, k);
	fclose(f);
	kept = arena_strndup(&r.a, text, n);
	free(text);
	return kept;
}

START_TEST(a_clone_is_the_same_code_and_shares_nothing_that_changes)
{
	struct kernel *k = r.k, *c;
	const char *before = text_of(k);
	uint32_t nimm;

	for (uint64_t v = 1000; v < 1100; v++)  /* more than the first table of immediates holds */
		ir_imm(k, v);
	nimm = k->nimm;
	c = ir_clone(k, &r.a);
	ck_assert_str_eq(text_of(c), before);
	ck_assert_uint_eq(ir_hash_code(c), ir_hash_code(k));
	ck_assert(ir_verify(c, &r.d));
	ck_assert_uint_eq(c->facts, 0);
	ck_assert(!c->variant && !c->plain && !c->base_regs && !c->cfg && !c->live);
	ck_assert_uint_eq(r.m->nkernel, 1);
	ck_assert_uint_eq(ir_imm(c, 1050).val, ir_imm(k, 1050).val);
	ck_assert_uint_eq(ir_imm(c, 4242).val, nimm);
	ck_assert_uint_eq(k->nimm, nimm);
	for (uint32_t i = 0; i < c->ninsn; i++)
		c->insn[i].op = OP_MEMBAR;
	c->block[0].n = 1;
	memset(c->opnd, 0, c->nopnd * sizeof *c->opnd);
	ir_append(c, OP_EXIT, 0, 0);
	ck_assert_str_eq(text_of(k), before);
	ck_assert(pass_need(k, FACT_ALL, &r.cx));
}
END_TEST

/* A copy of the kernel with rows that acquire and release around its code. */
static struct kernel *variant(uint32_t base)
{
	struct kernel *v = ir_clone(r.k, &r.a);
	struct rewrite rw;

	v->plain = r.k;
	v->base_regs = base;
	rewrite_begin(&rw, v);
	for (uint32_t b = 0; b < v->nblock; b++) {
		uint32_t end = v->block[b].first + v->block[b].n;

		rewrite_block(&rw);
		for (uint32_t i = v->block[b].first; i < end; i++) {
			if (!b && i == 0)
				rewrite_new(&rw, OP_RF_ACQUIRE, 0, 0, NULL);
			if (op_info[rw.old[i].op].flags & OPF_EXIT)
				rewrite_new(&rw, OP_RF_RELEASE, 0, 0, NULL);
			rewrite_keep(&rw, &rw.old[i]);
		}
	}
	rewrite_end(&rw);
	return v;
}

START_TEST(acquire_and_release_stand_in_variants_only)
{
	struct kernel *v = variant(4);

	ck_assert_msg(ir_verify(v, &r.d), "%s", r.d.last);
	v->insn[0].guard = ref_reg(MREG_P0);
	ck_assert(!ir_verify(v, &r.d));
	ck_assert(strstr(r.d.last, "is guarded") != NULL);
	v->insn[0].guard = ref_none();
	v->base_regs = 0;
	ck_assert(!ir_verify(v, &r.d));
	ck_assert(strstr(r.d.last, "is in no variant of a kernel") != NULL);
}
END_TEST

START_TEST(ptx_has_no_acquire_or_release)
{
	static const char *const text[] = { PTX_MODULE("", "regmutex.acquire;\nret;"), PTX_MODULE("", "regmutex.release;\nret;") };
	struct source src = { "x.ptx", text[_i], strlen(text[_i]) };

	ck_assert(!ptx_parse(&src, &r.a, &r.d));
	ck_assert_msg(strstr(r.d.last, "unknown instruction") != NULL && !strstr(r.d.last, "did you mean 'regmutex"), "%s", r.d.last);
}
END_TEST

Suite *suite_variant(void)
{
	Suite *s = suite_create("variant");
	TCase *t = tcase_create("variant");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_clone_is_the_same_code_and_shares_nothing_that_changes);
	tcase_add_test(t, acquire_and_release_stand_in_variants_only);
	tcase_add_loop_test(t, ptx_has_no_acquire_or_release, 0, 2);
	suite_add_tcase(s, t);
	return s;
}
