/* Trip counts of machine code: those of the same source in PTX, divided where ptxas unrolled; what integer instructions compute. Run from the root of the tree. */
#include "analyzer/sass/lift.h"
#include "analyzer/sass/values.h"
#include "passes/slice.h"

#include <check.h>
#include <math.h>

Suite *suite_native_trip(void);

#define DIR "test/sass/cubin/"

static struct arena a;
static struct diag d;
static struct pass_ctx cx;

static void setup(void)
{
	arena_init(&a);
	diag_init(&d, NULL);
	pass_ctx_init(&cx, &d);
}

static void teardown(void)
{
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
}

static struct kernel *kernel_of(const char *path, const char *name)
{
	struct source s;
	const struct cubin *c;
	struct module *m;

	ck_assert_msg(source_read(&s, path, &a, &d), "%s", d.last);
	c = cubin_read(&s, &a, &d);
	m = c ? sass_lift(c, &a, &d) : NULL;
	ck_assert_msg(m, "%s", d.last);
	for (uint32_t k = 0; k < m->nkernel; k++)
		if (strcmp(m->kernel[k]->name, name) == 0)
			return m->kernel[k];
	ck_abort_msg("%s has no kernel %s", path, name);
	return NULL;
}

#define BOXES { "param_2", 5 }, { "param_3", 5 }, { "param_4", 6 }
static const struct row {
	const char *file, *kernel;
	struct launch_param param[3];
	uint32_t grid[3], loop;
	double iterations;
	enum trip_source source;
} row[] = {
	/* 256 columns, 16 at a time; ptxas unrolls that by 4 */
	{ "sgemm.sm_86", "sgemm", { { "param_4", 256 } }, { 0 }, 0, 4, TRIPS_STATIC },
	{ "sgemm.sm_86", "sgemm", { { "param_4", 640 } }, { 0 }, 0, 10, TRIPS_STATIC },
	{ "sgemm.sm_86", "sgemm", { { NULL, 0 } }, { 0 }, 0, 8, TRIPS_ASSUMED },
	/* the neighbours of 5 x 5 x 6 boxes: 6 * 3 - 2 of 6, 5 * 3 - 2 of 5; unrolled by none */
	{ "lavamd.sm_75", "lavamd", { BOXES }, { 5, 5, 6 }, 0, 16.0 / 6, TRIPS_MEAN },
	{ "lavamd.sm_80", "lavamd", { BOXES }, { 5, 5, 6 }, 1, 13.0 / 5, TRIPS_MEAN },
	{ "lavamd.sm_89", "lavamd", { BOXES }, { 5, 5, 6 }, 2, 13.0 / 5, TRIPS_MEAN },
	{ "lavamd.sm_90a", "lavamd", { BOXES }, { 5, 5, 6 }, 0, 16.0 / 6, TRIPS_MEAN },
	{ "lavamd.sm_100a", "lavamd", { BOXES }, { 5, 5, 6 }, 1, 13.0 / 5, TRIPS_MEAN },
	{ "lavamd.sm_120a", "lavamd", { BOXES }, { 5, 5, 6 }, 0, 16.0 / 6, TRIPS_MEAN },
	{ "lavamd.sm_120a", "lavamd", { BOXES }, { 5, 5, 6 }, 2, 13.0 / 5, TRIPS_MEAN },
	{ "lavamd.sm_120a", "lavamd", { BOXES }, { 0 }, 0, 8, TRIPS_ASSUMED },
};

START_TEST(a_loop_goes_round_as_often_as_its_source_says)
{
	const struct row *x = &row[_i];
	struct kernel *k = kernel_of(arena_printf(&a, DIR "%s.cubin", x->file), x->kernel);
	struct launch_facts facts = { .grid = { x->grid[0], x->grid[1], x->grid[2] }, .param = x->param };

	while (facts.nparam < 3 && x->param[facts.nparam].name)
		facts.nparam++;
	cx.opt.launch = &facts;
	ck_assert_msg(pass_need(k, FACT_FREQ, &cx), "%s", d.last);
	ck_assert_uint_lt(x->loop, k->freq->nloop);
	ck_assert_msg(fabs(k->freq->loop[x->loop].iterations - x->iterations) < 1e-9 && k->freq->loop[x->loop].source == x->source, "%s, loop %u: %s", x->file, x->loop,
	              freq_text(&k->freq->loop[x->loop], &a));
}
END_TEST

/* ---- single instructions ---- */
static char *refuse(struct arena *mem, const struct kernel *k, uint32_t i)
{
	(void)k;
	return arena_printf(mem, "%u", i);
}

/* A kernel of one instruction of machine code and EXIT. It computes with R1 = first, R2 = second, R3 = third, P1 = true. */
static bool value_after(unsigned sm, struct sass_word w, uint32_t reg, const uint32_t in[3], uint64_t *out)
{
	static const uint32_t in_no_loop = UINT32_MAX;
	struct module *m = module_new(&a);
	struct kernel *k = kernel_new(m, "k"), *v;
	uint64_t (*word)[2] = arena_alloc(&a, 2 * sizeof *word, 8);
	struct native *n = new(&a, struct native);
	struct sass_insn s;
	struct insn *i;
	struct freq f = { .nloop = 0 };
	struct slice x;

	word[0][0] = w.lo;
	word[0][1] = w.hi;
	n->sm = sm;
	n->word = (const uint64_t (*)[2])word;
	n->print = refuse;
	k->native = n;
	k->form = FORM_MACHINE;
	ir_block(k, NULL);
	ck_assert(sass_decode(sm, w, &s));
	i = ir_append(k, sass_class(&s) == SCLASS_UNIFORM ? OP_SASS_UNIFORM : OP_SASS_INT, 1, 0);
	insn_dst(k, i)[0] = ref_reg(reg);
	ir_append(k, OP_SASS_EXIT, 0, 0);
	ck_assert(pass_need(k, FACT_CFG | FACT_DOM, &cx));
	v = sass_values(k, &a);
	for (uint32_t o = 0; o < v->nopnd; o++) {        /* the registers that it reads are numbers */
		const uint32_t r = v->opnd[o].val;

		if (v->opnd[o].kind == REF_REG && r >= 1 && r <= 3 && r != reg)
			v->opnd[o] = ir_imm(v, in[r - 1]);
		else if (v->opnd[o].kind == REF_REG && r == MREG_P0 + 1 && r != reg)
			v->opnd[o] = ir_imm(v, !v->opnd[o].neg);
	}
	ck_assert(slice_init(&x, v, &f, &in_no_loop, NULL, &a));
	x.steps = 1000;
	return slice_register(&x, reg, 0, slice_end(&x, 0) - 1, out);
}

#define A 7u
#define B 0x80000001u
#define C 0x100u
static const struct { const char *name; uint64_t lo, hi; unsigned sm; uint32_t reg; bool known; uint64_t want; } one[] = {
	/* R1 at 24, R2 at 32, R3 at 64, result R5 at 16; PT in every predicate */
	{ "IADD3 R5, R1, R2, R3", UINT64_C(0x0000000201057210), UINT64_C(0x07ffe003), 80, 5, true, A + B + C },
	{ "IADD3 R5, R1, -R2, R3", UINT64_C(0x8000000201057210), UINT64_C(0x07ffe003), 80, 5, true, A - B + C },
	{ "IMAD R5, R1, R2, R3", UINT64_C(0x0000000201057224), UINT64_C(0x078e0203), 80, 5, true, A * B + C },
	{ "LOP3.LUT R5, R1, R2, R3, 0x96, !PT", UINT64_C(0x0000000201057212), UINT64_C(0x078e9603), 80, 5, true, A ^ B ^ C },
	{ "LEA R5, R1, R2, 0x4", UINT64_C(0x0000000201057211), UINT64_C(0x078e20ff), 80, 5, true, (A << 4) + B },
	{ "SHF.R.S32.HI R5, RZ, 0x1f, R2", UINT64_C(0x0000001fff057819), UINT64_C(0x00011402), 80, 5, true, UINT32_MAX },
	{ "ISETP.LT.AND P0, PT, R2, R1, PT", UINT64_C(0x000000010200720c), UINT64_C(0x03f01270), 80, MREG_P0, true, 1 },
	{ "ISETP.LT.U32.AND P0, PT, R2, R1, PT", UINT64_C(0x000000010200720c), UINT64_C(0x03f01070), 80, MREG_P0, true, 0 },
	{ "ISETP.GE.OR P0, PT, R2, R1, P1", UINT64_C(0x000000010200720c), UINT64_C(0x00f06670), 80, MREG_P0, true, 1 },
	{ "SEL R5, R1, R2, P1", UINT64_C(0x0000000201057207), UINT64_C(0x00800000), 80, 5, true, A },
	{ "SEL R5, R1, R2, !P1", UINT64_C(0x0000000201057207), UINT64_C(0x04800000), 80, 5, true, B },
	{ "IABS R5, R2", UINT64_C(0x0000000200057213), 0, 80, 5, true, 0x7fffffff },
	{ "FADD R5, R1, R2", UINT64_C(0x0000000201057221), 0, 80, 5, false, 0 },
};

START_TEST(an_instruction_has_the_value_that_its_operands_give)
{
	const uint32_t in[3] = { A, B, C };
	uint64_t v = 0;
	struct sass_insn s;
	const struct sass_word w = { one[_i].lo, one[_i].hi };

	ck_assert(sass_decode(one[_i].sm, w, &s));
	ck_assert_str_eq(sass_print(&a, one[_i].sm, &s, &(struct sass_print){ 0 }), one[_i].name);
	ck_assert_int_eq(value_after(one[_i].sm, w, one[_i].reg, in, &v), one[_i].known);
	if (one[_i].known)
		ck_assert_uint_eq(v, one[_i].want);
}
END_TEST

Suite *suite_native_trip(void)
{
	Suite *s = suite_create("native_trip");
	TCase *t = tcase_create("native_trip");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_loop_goes_round_as_often_as_its_source_says, 0, sizeof row / sizeof *row);
	tcase_add_loop_test(t, an_instruction_has_the_value_that_its_operands_give, 0, sizeof one / sizeof *one);
	suite_add_tcase(s, t);
	return s;
}
