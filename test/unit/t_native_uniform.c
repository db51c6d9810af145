/* Uniform values of machine code, beside those of the PTX that it was made of: test/golden/lanes. Run from the root of the tree. */
#include "analyzer/ptx/ptx.h"
#include "analyzer/sass/lift.h"
#include "analyzer/sass/sass.h"
#include "passes/pass.h"
#include "passes/uniform.h"

#include <check.h>

Suite *suite_native_uniform(void);

#define DIR "test/golden/lanes/"

enum { STORES = 34 };

static struct arena a;
static struct diag d;
static struct pass_ctx cx;

static void setup(void)
{
	arena_init(&a);
	diag_init(&d, NULL);
	pass_ctx_init(&cx, &d);
	cx.opt.check = true;
}

static void teardown(void)
{
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
}

static const struct uniform_value everywhere = { .level = UNIFORM_GRID };

/* Of register reg, which instruction i reads. */
static const struct uniform_value *value_of(const struct kernel *k, uint32_t i, uint32_t reg)
{
	struct insn_regs r;

	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned s = 0; s < r.nsrc; s++)
		if (r.src[s] == reg)
			return uniform_src(k->uniform, i, s);
	return &everywhere;             /* RZ, or no register */
}

/* What is known of the value that each store to global memory stores, in the order of the offsets that they store to. */
static void find_stores(const struct kernel *k, const struct uniform_value *at[STORES])
{
	for (uint32_t i = 0; i < k->ninsn; i++) {
		const struct insn *x = &k->insn[i];
		uint32_t reg = MREG_RZ;
		struct sass_insn s;

		if (!(op_info[x->op].flags & OPF_STORE) || op_info[x->op].flags & OPF_ATOMIC || x->space != SP_GLOBAL || x->offset < 0 || x->offset >= 4 * STORES)
			continue;
		if (k->native) {
			ck_assert(sass_decode(k->native->sm, (struct sass_word){ k->native->word[i][0], k->native->word[i][1] }, &s));
			for (unsigned o = 0; o < s.nop; o++)
				if (s.op[o].role == SROLE_B && s.op[o].kind == SASS_GPR)
					reg = s.op[o].reg;
		} else if (insn_src(k, x)[1].kind == REF_REG) {
			reg = insn_src(k, x)[1].val;
		}
		at[x->offset / 4] = reg == MREG_RZ ? &everywhere : value_of(k, i, reg);
	}
	for (unsigned n = 0; n < STORES; n++)
		ck_assert_msg(at[n], "no store %u in %s", n, k->native ? "machine code" : "PTX");
}

static const struct kernel *of_ptx(void)
{
	struct source *s = new(&a, struct source);
	struct module *m;

	ck_assert_msg(source_read(s, DIR "lanes.ptx", &a, &d), "%s", d.last);
	m = ptx_parse(s, &a, &d);
	ck_assert_msg(m && pass_compile(m->kernel[0], &cx), "%s", d.last);
	return m->kernel[0];
}

static const struct kernel *of_cubin(const char *path)
{
	struct source *s = new(&a, struct source);
	struct cubin *c;
	struct module *m;

	ck_assert_msg(source_read(s, path, &a, &d) && (c = cubin_read(s, &a, &d)) != NULL && (m = sass_lift(c, &a, &d)) != NULL, "%s", d.last);
	ck_assert_msg(pass_need(m->kernel[0], FACT_ALL, &cx), "%s", d.last);
	return m->kernel[0];
}

/* Stores of which machine code says less: of a ballot nothing is claimed, and ptxas has lanes begin a loop that they leave one by one at different counts. */
static bool says_less(unsigned store) { return store == 22 || store == 32; }

START_TEST(machine_code_has_in_common_what_its_ptx_has)
{
	static const char *const cubin[] = { DIR "lanes.sm_75.cubin", DIR "lanes.sm_90a.cubin", DIR "lanes.sm_120a.cubin" };
	static const struct { unsigned store; enum uniform_level level; } some[] = {
		{ 0, UNIFORM_GRID }, { 1, UNIFORM_CTA }, { 2, UNIFORM_NOT }, { 3, UNIFORM_NOT }, { 5, UNIFORM_CTA }, { 7, UNIFORM_WARP }, { 9, UNIFORM_CTA },
		{ 13, UNIFORM_NOT }, { 15, UNIFORM_NOT }, { 18, UNIFORM_GRID }, { 23, UNIFORM_NOT }, { 29, UNIFORM_NOT }, { 31, UNIFORM_WARP },
	};
	const struct uniform_value *text[STORES] = { NULL }, *code[STORES] = { NULL };

	find_stores(of_ptx(), text);
	find_stores(of_cubin(cubin[_i]), code);
	for (unsigned n = 0; n < STORES; n++) {
		ck_assert_msg(code[n]->level <= text[n]->level, "%s: store %u: %s in machine code, %s in PTX", cubin[_i], n, uniform_value_text(code[n], &a),
		              uniform_value_text(text[n], &a));
		ck_assert_msg(code[n]->level == text[n]->level || says_less(n), "%s: store %u: only %s in machine code, %s in PTX", cubin[_i], n,
		              uniform_value_text(code[n], &a), uniform_value_text(text[n], &a));
	}
	for (unsigned n = 0; n < sizeof some / sizeof *some; n++)
		ck_assert_msg(code[some[n].store]->level == some[n].level, "%s: store %u: %s", cubin[_i], some[n].store, uniform_value_text(code[some[n].store], &a));
}
END_TEST

Suite *suite_native_uniform(void)
{
	Suite *s = suite_create("native uniform");
	TCase *c = tcase_create("machine code beside PTX");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, machine_code_has_in_common_what_its_ptx_has, 0, 3);
	suite_add_tcase(s, c);
	return s;
}
