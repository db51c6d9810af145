/* Variants of kernels, which hold part of their registers only for a while: copies of kernels, the rows that acquire
 * and release, where they may be, the object, and what the engine checks. */
#include "analyzer/elf/rlo.h"
#include "analyzer/ptx/ptx.h"
#include "test/unit/engine_run.h"

#include <check.h>
#include <stdlib.h>

Suite *suite_variant(void);

static struct rig r;

static void setup(void)
{
	rig_open(&r,
		 KERNEL("ld.global.u32 %r3, [%d1]; add.s32 %r4, %r3, 3; setp.gt.s32 %p1, %r0, 5; @%p1 bra L; "
			"mul.lo.s32 %r4, %r4, 77; L:"
			"st.global.u32 [%d0], %r4;"),
		 63);
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

	for (uint64_t v = 1000; v < 1100; v++) /* more than the first table of immediates holds */
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

/* A variant of the kernel, with rows put before some of its instructions. */
struct put {
	uint32_t at;
	enum op op;
};
#define AT_EXIT UINT32_MAX

static struct kernel *variant(uint32_t base, const struct put *put, unsigned n)
{
	struct kernel *v = ir_clone(r.k, &r.a);
	struct rewrite rw;

	v->plain = r.k;
	v->base_regs = base;
	rewrite_begin(&rw, v);
	for (uint32_t b = 0; b < v->nblock; b++) {
		uint32_t first = v->block[b].first, end = first + v->block[b].n;

		rewrite_block(&rw);
		for (uint32_t i = first; i < end; i++) {
			for (unsigned p = 0; p < n; p++)
				if (put[p].at == i || (put[p].at == AT_EXIT && op_info[rw.old[i].op].flags & OPF_EXIT))
					rewrite_new(&rw, put[p].op, 0, 0, NULL);
			rewrite_keep(&rw, &rw.old[i]);
		}
	}
	rewrite_end(&rw);
	ck_assert_msg(ir_verify(v, &r.d) && pass_need(v, FACT_ALL, &r.cx), "%s", r.d.last);
	return v;
}
#define VARIANT(base, ...)                                 \
	variant(base, (const struct put[]){ __VA_ARGS__ }, \
		sizeof(const struct put[]){ __VA_ARGS__ } / sizeof(struct put))

START_TEST(acquire_and_release_stand_in_variants_only)
{
	struct kernel *v = VARIANT(4, { 0, OP_RF_ACQUIRE }, { AT_EXIT, OP_RF_RELEASE });

	v->insn[0].guard = ref_reg(MREG_P0);
	ck_assert(!ir_verify(v, &r.d));
	ck_assert(strstr(r.d.last, "is guarded") != NULL);
	v->insn[0].guard = ref_none();
	v->base_regs = 0;
	ck_assert(!ir_verify(v, &r.d));
	ck_assert(strstr(r.d.last, "is in no variant of a kernel") != NULL);
}
END_TEST

/* ---- the engine ---- */
/* Executes k, with the extended set and dead registers overwritten where `poison`. The words that it leaves, or NULL: a
 * fault. */
static const uint32_t *leaves(const struct kernel *k, bool poison)
{
	uint32_t *copy = new_array(&r.a, uint32_t, OUT_WORDS);

	memset(r.out, 0, OUT_WORDS * sizeof *r.out);
	r.l.k = k;
	r.l.block[0] = 64;
	r.l.grid[0] = 3;
	r.opt.poison = poison;
	r.opt.poison_seed = 11;
	if (!rig_run(&r, NULL))
		return NULL;
	memcpy(copy, r.out, OUT_WORDS * sizeof *r.out);
	return copy;
}

/* First instruction that names a register from base on, and the last one. */
static uint32_t names(uint32_t base, bool last)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < r.k->ninsn; i++) {
		struct insn_regs x;
		bool is = false;

		ir_insn_regs(r.k, &r.k->insn[i], &x);
		for (unsigned s = 0; s < x.nsrc; s++)
			is |= x.src[s] >= base;
		for (unsigned d = 0; d < x.ndst; d++)
			is |= x.dst[d] >= base;
		if (is && (last || found == UINT32_MAX))
			found = i;
	}
	ck_assert_uint_ne(found, UINT32_MAX);
	return found;
}

START_TEST(a_warp_that_holds_the_extended_set_computes_the_same)
{
	const uint32_t *plain = leaves(r.k, false);
	uint32_t from = names(2, false);
	const struct kernel *v;

	if (_i == 0)
		v = VARIANT(2, { from, OP_RF_ACQUIRE }, { AT_EXIT, OP_RF_RELEASE });
	else if (_i == 1)
		v = VARIANT(2, { 0, OP_RF_RELEASE }, { from, OP_RF_ACQUIRE }, { names(2, true), OP_RF_ACQUIRE });
	else
		v = VARIANT(2, { 0, OP_RF_ACQUIRE }, { AT_EXIT, OP_RF_RELEASE }, { AT_EXIT, OP_RF_RELEASE });

	ck_assert(plain && plain[5]);
	for (int poison = 0; poison < 2; poison++) {
		const uint32_t *got = leaves(v, poison);

		ck_assert_msg(got != NULL, "%s", r.d.last);
		ck_assert_mem_eq(got, plain, OUT_WORDS * sizeof *got);
	}
}
END_TEST

START_TEST(a_register_that_the_warp_does_not_hold_is_a_fault)
{
	uint32_t at = names(2, false);
	const struct kernel *v = VARIANT(2, { at, OP_MEMBAR });
	char *line;

	ck_assert(leaves(v, false) != NULL); /* only the checked mode looks */
	ck_assert(!leaves(v, true));
	line = arena_printf(&r.a,
			    "R%u of the extended set (R2 and above), which the warp does not hold in CTA (0,0,0), "
			    "thread (0,0,0), lane 0 of warp 0",
			    v->opnd[v->insn[at + 1].opnd].val);
	ck_assert_msg(strstr(r.d.last, line) && strstr(r.d.last, "kernel k: ") && strstr(r.d.last, "t.ptx:"), "%s (%s)",
		      r.d.last, line);
}
END_TEST

START_TEST(what_is_released_is_lost)
{
	uint32_t last = names(2, true);
	const uint32_t *plain = leaves(r.k, false), *got;
	struct kernel *v = VARIANT(2, { 0, OP_RF_ACQUIRE }, { last, OP_RF_RELEASE });

	ck_assert(!leaves(v, true));
	v = VARIANT(2, { 0, OP_RF_ACQUIRE }, { last, OP_RF_RELEASE }, { last, OP_RF_ACQUIRE });
	ck_assert_mem_eq(leaves(v, false), plain, OUT_WORDS * sizeof *plain);
	got = leaves(v, true); /* a wrong value, or a fault of its address */
	ck_assert(!got || memcmp(got, plain, OUT_WORDS * sizeof *got) != 0);
}
END_TEST

START_TEST(ptx_has_no_instructions_of_the_passes)
{
	static const char *const text[] = { PTX_MODULE("", "regmutex.acquire;\nret;"),
					    PTX_MODULE("", "regmutex.release;\nret;"),
					    PTX_MODULE("", "call.return;\nret;"),
					    PTX_MODULE("", "host.printf 1, 2, 3;\nret;"),
					    PTX_MODULE("", "host.free 1;\nret;") };
	struct source src = { "x.ptx", text[_i], strlen(text[_i]) };

	ck_assert(!ptx_parse(&src, &r.a, &r.d));
	ck_assert_msg(strstr(r.d.last, "unknown instruction") || strstr(r.d.last, "misspelt instruction"), "%s",
		      r.d.last);
	ck_assert_msg(!strstr(r.d.last, "did you mean 'regmutex") && !strstr(r.d.last, "did you mean 'host"), "%s",
		      r.d.last);
}
END_TEST

Suite *suite_variant(void)
{
	Suite *s = suite_create("variant");
	TCase *t = tcase_create("variant");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_clone_is_the_same_code_and_shares_nothing_that_changes);
	tcase_add_test(t, acquire_and_release_stand_in_variants_only);
	tcase_add_loop_test(t, a_warp_that_holds_the_extended_set_computes_the_same, 0, 3);
	tcase_add_test(t, a_register_that_the_warp_does_not_hold_is_a_fault);
	tcase_add_test(t, what_is_released_is_lost);
	tcase_add_loop_test(t, ptx_has_no_instructions_of_the_passes, 0, 5);
	suite_add_tcase(s, t);
	return s;
}
