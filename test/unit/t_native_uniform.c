/* Uniform values of machine code: beside those of the PTX that it was made of, test/golden/lanes; and of code that
 * ptxas does not make. Run from the root of the tree. */
#include "analyzer/ptx/ptx.h"
#include "analyzer/sass/lift.h"
#include "analyzer/sass/sass.h"
#include "passes/calls.h"
#include "passes/pass.h"
#include "passes/uniform.h"

#include "test/unit/pass_fixture.h"
#include <glob.h>

Suite *suite_native_uniform(void);

#define DIR "test/golden/lanes/"

enum { STORES = 34 };

static const struct uniform_value everywhere = { .level = UNIFORM_GRID };

/* Of register reg, which instruction i reads. */
static const struct uniform_value *value_of(const struct kernel *k, uint32_t i, uint32_t reg)
{
	struct insn_regs r;

	ir_insn_regs(k, &k->insn[i], &r);
	for (unsigned s = 0; s < r.nsrc; s++)
		if (r.src[s] == reg)
			return uniform_src(k->uniform, i, s);
	return &everywhere; /* RZ, or no register */
}

/* What is known of the value that each store to global memory stores, in the order of the offsets that they store
 * to. */
static void find_stores(const struct kernel *k, const struct uniform_value *at[STORES])
{
	for (uint32_t i = 0; i < k->ninsn; i++) {
		const struct insn *x = &k->insn[i];
		uint32_t reg = MREG_RZ;
		struct sass_insn s;

		if (!(op_info[x->op].flags & OPF_STORE) || op_info[x->op].flags & OPF_ATOMIC || x->space != SP_GLOBAL ||
		    x->offset < 0 || x->offset >= 4 * STORES)
			continue;
		if (k->native) {
			ck_assert(sass_decode_words(k->native->sm, k->native->word[i], &s));
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
	struct source *s = new(&arena, struct source);
	struct module *m;

	ck_assert_msg(source_read(s, DIR "lanes.ptx", &arena, &diag), "%s", diag.last);
	m = ptx_parse(s, &arena, &diag);
	ck_assert_msg(m && pass_compile(m->kernel[0], &cx), "%s", diag.last);
	return m->kernel[0];
}

static const struct kernel *of_cubin(const char *path)
{
	struct source *s = new(&arena, struct source);
	struct cubin *c;
	struct module *m;

	ck_assert_msg(source_read(s, path, &arena, &diag) && (c = cubin_read(s, &arena, &diag)) != NULL &&
			      (m = sass_lift(c, &arena, &diag)) != NULL,
		      "%s", diag.last);
	ck_assert_msg(pass_need(m->kernel[0], FACT_ALL, &cx), "%s", diag.last);
	return m->kernel[0];
}

/* Stores of which machine code says less: of a ballot nothing is claimed, and ptxas has lanes begin a loop that they
 * leave one by one at different counts. */
static bool says_less(unsigned store) { return store == 22 || store == 32; }

START_TEST(machine_code_has_in_common_what_its_ptx_has)
{
	static const char *const cubin[] = { DIR "lanes.sm_75.cubin", DIR "lanes.sm_90a.cubin",
					     DIR "lanes.sm_120a.cubin" };
	static const struct {
		unsigned store;
		enum uniform_level level;
	} some[] = {
		{ 0, UNIFORM_GRID },  { 1, UNIFORM_CTA },   { 2, UNIFORM_NOT },  { 3, UNIFORM_NOT },
		{ 5, UNIFORM_CTA },   { 7, UNIFORM_WARP },  { 9, UNIFORM_CTA },  { 13, UNIFORM_NOT },
		{ 15, UNIFORM_NOT },  { 18, UNIFORM_GRID }, { 23, UNIFORM_NOT }, { 29, UNIFORM_NOT },
		{ 31, UNIFORM_WARP },
	};
	const struct uniform_value *text[STORES] = { NULL }, *code[STORES] = { NULL };

	find_stores(of_ptx(), text);
	find_stores(of_cubin(cubin[_i]), code);
	for (unsigned n = 0; n < STORES; n++) {
		ck_assert_msg(code[n]->level <= text[n]->level, "%s: store %u: %s in machine code, %s in PTX",
			      cubin[_i], n, uniform_value_text(code[n], &arena), uniform_value_text(text[n], &arena));
		ck_assert_msg(code[n]->level == text[n]->level || says_less(n),
			      "%s: store %u: only %s in machine code, %s in PTX", cubin[_i], n,
			      uniform_value_text(code[n], &arena), uniform_value_text(text[n], &arena));
	}
	for (unsigned n = 0; n < sizeof some / sizeof *some; n++)
		ck_assert_msg(code[some[n].store]->level == some[n].level, "%s: store %u: %s", cubin[_i], some[n].store,
			      uniform_value_text(code[some[n].store], &arena));
}
END_TEST

/* ---- by hand ---- */
static struct kernel *k;
static struct native native;

#define R(n) ref_reg(n)
#define P(n) ref_reg(MREG_P0 + (n))
#define UR(n) ref_reg(MREG_UR0 + (n))
#define B(n) ref_reg(MREG_B0 + (n))
#define NO ref_none()
#define SREG(s) ((struct ref){ .kind = REF_SREG, .val = (s) })
#define TO(b) ((struct ref){ .kind = REF_BLOCK, .val = (b) })

static char *print(struct arena *to, const struct kernel *of, uint32_t i)
{
	return arena_printf(to, "%s %u", op_info[of->insn[i].op].text, i);
}

static void begin(void)
{
	static const uint64_t words[16][2];

	native = (struct native){ .sm = 75, .word = words, .print = print };
	k = kernel_new(module_new(&arena), "k");
	k->form = FORM_MACHINE;
	k->native = &native;
	for (uint32_t r = 0; r < 8; r++) {
		bitset_add(native.named, r);
		bitset_add(native.named, MREG_UR0 + r);
	}
	ir_block(k, NULL);
}

static struct insn *put(enum op op, struct ref to, struct ref from)
{
	struct insn *i = ir_append(k, op, to.kind != REF_NONE, from.kind != REF_NONE);

	if (to.kind != REF_NONE)
		insn_dst(k, i)[0] = to;
	if (from.kind != REF_NONE)
		insn_src(k, i)[0] = from;
	return i;
}

/* Of the only register that instruction i writes. */
static const char *made(uint32_t i)
{
	struct insn_regs r;

	ck_assert_msg(pass_need(k, FACT_UNIFORM, &cx), "%s", diag.last);
	ir_insn_regs(k, &k->insn[i], &r);
	return uniform_value_text(uniform_dst(k->uniform, i, &r, 0), &arena);
}

/* Lanes part, and on one side a uniform register is written. The other side sees it, before or after. */
START_TEST(a_uniform_register_is_shared_by_the_sides_of_a_branch)
{
	begin();
	put(OP_SASS_SPECIAL, UR(4), SREG(SREG_CTAID_X));
	put(OP_SASS_SPECIAL, R(2), SREG(SREG_LANEID));
	put(OP_SASS_PRED, P(0), R(2));
	put(OP_SASS_MOVE, R(3), UR(4));
	put(OP_SASS_SYNC, B(0), NO);
	put(OP_SASS_BRANCH, NO, TO(2))->guard = P(0);
	ir_block(k, NULL);
	put(OP_SASS_UNIFORM, UR(_i ? 5 : 4), NO);
	put(OP_SASS_BRANCH, NO, TO(3));
	ir_block(k, NULL);
	put(OP_SASS_MOVE, R(0), UR(4));
	ir_block(k, NULL);
	put(OP_SASS_SYNC, NO, B(0));
	ir_block(k, NULL);
	put(OP_SASS_MOVE, R(1), UR(4));
	put(OP_SASS_EXIT, NO, NO);
	ck_assert_str_eq(made(3), "cta");
	ck_assert_str_eq(made(8), _i ? "cta" : "warp");
	ck_assert_str_eq(made(10), _i ? "cta" : "warp");
}
END_TEST

START_TEST(a_branch_by_more_than_its_guard_parts_lanes)
{
	begin();
	put(OP_SASS_MOVE, R(0), NO);
	put(OP_SASS_SYNC, B(0), NO);
	put(OP_SASS_BRANCH, NO, TO(2))->mods = _i ? 0 : MOD_MAY;
	ir_block(k, NULL);
	put(OP_SASS_MOVE, R(0), ref_const(0, 0x160));
	ir_block(k, NULL);
	put(OP_SASS_SYNC, NO, B(0));
	ir_block(k, NULL);
	put(OP_SASS_MOVE, R(1), R(0));
	put(OP_SASS_EXIT, NO, NO);
	ck_assert_str_eq(made(5), _i ? "grid" : "vector");
}
END_TEST

START_TEST(what_varies_or_is_not_known_is_not_uniform)
{
	static const struct {
		enum op op;
		struct ref from;
		bool varies;
		const char *is;
	} all[] = {
		{ OP_SASS_FADD, { .kind = REF_CONST, .val = 0x160 }, false, "grid" },
		{ OP_SASS_FADD, { .kind = REF_CONST, .val = 0x160 }, true, "vector" },
		{ OP_SASS_SPECIAL, { .kind = REF_SREG, .val = SREG_LANEID }, false, "affine 1" },
		{ OP_SASS_SPECIAL, { .kind = REF_SREG, .val = SREG_LANEID }, true, "vector" },
		{ OP_SASS_SPECIAL, { .kind = REF_SREG, .val = SREG_TID_X }, false, "vector" },
		{ OP_SASS_SPECIAL, { .kind = REF_SREG, .val = SREG_CLOCK }, false, "warp" },
		{ OP_SASS_SPECIAL, { .kind = REF_NONE }, false, "vector" },
		{ OP_SASS_SHUFFLE, { .kind = REF_CONST, .val = 0x160 }, false, "vector" },
		{ OP_SASS_VOTE, { .kind = REF_CONST, .val = 0x160 }, false, "vector" },
		{ OP_SASS_ATOMIC, { .kind = REF_CONST, .val = 0x160 }, false, "vector" },
		{ OP_SASS_OTHER, { .kind = REF_CONST, .val = 0x160 }, false, "vector" },
	};

	begin();
	put(all[_i].op, R(0), all[_i].from)->mods = all[_i].varies ? MOD_VARIES : 0;
	put(OP_SASS_EXIT, NO, NO);
	ck_assert_str_eq(made(0), all[_i].is);
}
END_TEST

START_TEST(loads_of_fragments_and_sums_by_lane_vary)
{
	unsigned fragments = 0, all = 0;
	glob_t g;

	ck_assert_int_eq(glob("test/sass/cubin/*.sm_90a.cubin", 0, NULL, &g), 0);
	for (size_t f = 0; f < g.gl_pathc; f++) {
		struct source *s = new(&arena, struct source);
		struct module *m;

		ck_assert(source_read(s, g.gl_pathv[f], &arena, &diag) &&
			  (m = sass_lift(cubin_read(s, &arena, &diag), &arena, &diag)) != NULL);
		for (uint32_t n = 0; n < m->nkernel; n++)
			for (uint32_t i = 0; i < m->kernel[n]->ninsn; i++) {
				const struct native *x = m->kernel[n]->native;
				struct sass_insn in;

				if (!sass_decode_words(x->sm, x->word[i], &in))
					continue;
				all += m->kernel[n]->insn[i].mods & MOD_VARIES ? 1 : 0;
				if (strcmp(sass_mnemonic(&in), "LDSM") != 0 &&
				    strcmp(sass_mnemonic(&in), "FSWZADD") != 0)
					continue;
				ck_assert(m->kernel[n]->insn[i].mods & MOD_VARIES);
				fragments++;
			}
	}
	globfree(&g);
	ck_assert_uint_gt(fragments, 0);
	ck_assert_uint_ge(all, fragments);
}
END_TEST

/* ---- the order of calls ---- */
START_TEST(calls_of_what_is_called_come_first)
{
	/* by function; its own number: none */
	static const uint32_t calls[5][2] = { { 2, 1 }, { 3, 3 }, { 1, 4 }, { 3, 3 }, { 3, 4 } };
	bool done[5] = { false };
	struct calls order;

	begin();
	for (uint32_t p = 0; p < 5; p++) {
		if (p)
			ir_block(k, NULL);
		arena_grow(k->a, k->proc, k->nproc, k->proc_cap);
		k->proc[k->nproc++] = (struct proc){ .first = k->nblock - 1, .name = "f" };
		for (unsigned n = 0; n < 2; n++)
			if (calls[p][n] != p) {
				put(OP_SASS_CALL, NO, TO(calls[p][n])); /* blocks of functions are known below */
				ir_block(k, NULL);
			}
		put(p ? OP_SASS_RETURN : OP_SASS_EXIT, NO, NO);
	}
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (k->insn[i].op == OP_SASS_CALL)
			insn_src(k, &k->insn[i])[0] = TO(k->proc[insn_src(k, &k->insn[i])[0].val].first);
	order = calls_in_order(k, &arena);
	ck_assert_uint_eq(order.n, 7);
	for (uint32_t c = 0; c < order.n; c++) {
		const uint32_t p = ir_proc_of(k, order.block[c]);
		const struct ir_targets t = calls_targets(k, order.block[c]);

		for (uint32_t n = 0; n < t.n; n++) {
			const uint32_t callee = ir_proc_of(k, ir_target(&t, n));

			ck_assert_msg(done[callee] || callee == 3, "function %u before function %u, which it calls", p,
				      callee);
		}
		done[p] |= c + 1 == order.n || ir_proc_of(k, order.block[c + 1]) != p;
	}
}
END_TEST

Suite *suite_native_uniform(void)
{
	Suite *s = suite_create("native uniform");
	TCase *c = tcase_create("machine code beside PTX");

	tcase_add_checked_fixture(c, pass_setup, pass_teardown);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, machine_code_has_in_common_what_its_ptx_has, 0, 3);
	tcase_add_loop_test(c, a_uniform_register_is_shared_by_the_sides_of_a_branch, 0, 2);
	tcase_add_loop_test(c, a_branch_by_more_than_its_guard_parts_lanes, 0, 2);
	tcase_add_loop_test(c, what_varies_or_is_not_known_is_not_uniform, 0, 11);
	tcase_add_test(c, loads_of_fragments_and_sums_by_lane_vary);
	tcase_add_test(c, calls_of_what_is_called_come_first);
	suite_add_tcase(s, c);
	return s;
}
