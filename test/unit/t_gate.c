/* Limits and comparisons of figures that are made here, and the text of findings with strange names. */
#include "analyzer/lib/diff.h"
#include "analyzer/lib/gate.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct kernel kernel; /* its block size is free */

static struct kernel_figures figures(const char *name)
{
	struct kernel_figures x = { .name = name, .machine = "gtx480" };

	x.occupancy = (struct occupancy_query){
		.sm = SM_LIMITS_DEFAULT, .kernel = &kernel, .threads = 256, .regs = 40, .shared_bytes = 16384
	};
	x.value[FIGURE_LIVE] = 38;
	x.value[FIGURE_REGISTERS] = x.value[FIGURE_ALLOCATED] = 40;
	x.value[FIGURE_OCCUPANCY] = 50; /* 3 blocks of 8 warps, of 48 */
	x.limited_by = "registers";
	x.missing[FIGURE_PAIRS] = "no two registers are read together";
	return x;
}

/* ---- limits ---- */
static const struct {
	const char *list, *wrong;
} lists[] = {
	{ "max-live=64", NULL },
	{ "max-live=64,k:max-live=4,min-pairs=50.5", NULL },
	{ "a::b:max-live=4", NULL },
	{ "max-live=0", NULL },
	{ "min-occupancy=100", NULL },
	{ "max-live=64,max-live=64", "given twice" },
	{ "k:max-live=1,k:max-live=2", "given twice" },
	{ "max-live", "is no limit" },
	{ "=4", "is no limit" },
	{ "max-live=", "is no limit" },
	{ "max-live=4 ", "not a number" },
	{ "max-live=0x10", "not a number" },
	{ "max-live=1.2.3", "not a number" },
	{ "max-live=.", "not a number" },
	{ "max-live=1e9", "not a number" },
	{ "max-live=99999999999999", "not a number" },
	{ "min-pairs=100.1", "0 to 100" },
	{ "max-pairs=4", "more is better, min-pairs" },
	{ "min-spill=4", "less is better, max-spill" },
	{ "max-lives=4", "did you mean max-live?" },
	{ "max=4", "no limit 'max'" },
	{ "", "empty" },
	{ ",", "empty" },
	{ "max-live=4,,max-spill=0", "empty" },
	{ ":max-live=4", "names no kernel" },
	{ "k:=4", "no limit ''" },
};

START_TEST(lists_of_limits_are_read_or_refused)
{
	struct limits l = { .n = 0 };
	struct arena a;
	const char *wrong;

	arena_init(&a);
	wrong = limits_add(&l, lists[_i].list, &a);
	ck_assert_msg(!wrong == !lists[_i].wrong, "%s: %s", lists[_i].list, wrong ? wrong : "no error");
	ck_assert_msg(!wrong || strstr(wrong, lists[_i].wrong), "%s: %s", lists[_i].list, wrong);
	arena_free(&a);
}
END_TEST

static const struct gate_result *result_of(struct gate *g, uint32_t kernel_number, const char *limit)
{
	const struct gate_kernel *k = &g->of[kernel_number];

	for (uint32_t r = 0; r < k->nresult; r++)
		if (strcmp(limit_text(k->result[r].limit, g->a), limit) == 0)
			return &k->result[r];
	return NULL;
}

START_TEST(a_kernels_own_limit_goes_first)
{
	struct kernel_figures one = figures("one"), two = figures("_Z3twoPf");
	struct limits l = { .n = 0 };
	struct gate g = { .n = 0 };
	struct arena a;
	struct diag d;

	arena_init(&a);
	diag_init(&d, NULL);
	g.a = &a;
	ck_assert_ptr_null(limits_add(&l, "max-live=30,two:max-live=50,max-spill=0,min-pairs=99,other:max-code=4", &a));
	ck_assert(gate_add(&g, &l, &one, "k.ptx", &d) && gate_add(&g, &l, &two, "k.ptx", &d));
	ck_assert(!result_of(&g, 0, "max-live=30")->holds && !result_of(&g, 0, "max-live=50"));
	ck_assert(result_of(&g, 1, "max-live=50")->holds && !result_of(&g, 1, "max-live=30"));
	ck_assert(result_of(&g, 0, "max-spill=0")->holds && result_of(&g, 1, "min-pairs=99")->holds &&
		  result_of(&g, 1, "min-pairs=99")->missing);
	ck_assert_uint_eq(gate_broken(&g), 1);
	ck_assert(!gate_complete(&g, &l, &d) && strstr(d.last, "other:max-code=4"));
	diag_free(&d);
	arena_free(&a);
}
END_TEST

static const struct {
	double bound;
	bool holds;
} occupancies[] = { { 50, true },    { 50.04, true }, { 50.1, false }, { 49.9, true },
		    { 66.7, false }, { 100, false },  { 0, true } };

START_TEST(what_would_help_occupancy_does)
{
	struct kernel_figures x = figures("k");
	struct limits l = { .n = 0 };
	struct gate g = { .n = 0 };
	struct arena a;
	struct diag d;
	unsigned regs, bytes = 0;
	const struct gate_result *r;
	const char *at;

	arena_init(&a);
	diag_init(&d, NULL);
	g.a = &a;
	ck_assert_ptr_null(limits_add(&l, arena_printf(&a, "min-occupancy=%g", occupancies[_i].bound), &a));
	ck_assert(gate_add(&g, &l, &x, "k.ptx", &d));
	r = &g.of[0].result[0];
	ck_assert_int_eq(r->holds, occupancies[_i].holds);
	ck_assert(!r->holds == (r->help != NULL));
	at = r->help ? strstr(r->help, "at most ") : NULL;
	if (at && sscanf(at, "at most %u registers", &regs) == 1) { /* suffices, and one more does not */
		struct occupancy_query q = x.occupancy;

		q.regs = regs;
		ck_assert(100.0 * occupancy_of(&q).warps / occupancy_of(&q).warp_slots >= occupancies[_i].bound);
		q.regs++;
		ck_assert(100.0 * occupancy_of(&q).warps / occupancy_of(&q).warp_slots < occupancies[_i].bound);
	}
	x.occupancy.regs = 16; /* shared memory alone limits: 3 blocks of 16 KiB in 48 */
	x.value[FIGURE_OCCUPANCY] = 50;
	ck_assert(gate_add(&g, &l, &x, "k.ptx", &d));
	r = &g.of[1].result[0];
	at = r->help ? strstr(r->help, "at most ") : NULL;
	ck_assert_msg(r->holds || (at && sscanf(at, "at most %u bytes of shared memory", &bytes) == 1), "%s", r->help);
	if (!r->holds) { /* likewise */
		struct occupancy_query q = x.occupancy;

		q.shared_bytes = bytes;
		ck_assert(100.0 * occupancy_of(&q).warps / occupancy_of(&q).warp_slots >= occupancies[_i].bound);
		q.shared_bytes++;
		ck_assert(100.0 * occupancy_of(&q).warps / occupancy_of(&q).warp_slots < occupancies[_i].bound);
	}
	x.missing[FIGURE_OCCUPANCY] = "the block size is not known";
	ck_assert(!gate_add(&g, &l, &x, "k.ptx", &d) && strstr(d.last, "needs the block size"));
	diag_free(&d);
	arena_free(&a);
}
END_TEST

/* ---- comparing ---- */
START_TEST(kernels_match_by_name_and_figures_by_what_is_better)
{
	struct kernel_figures old[] = { figures("a"), figures("b"), figures("b"), figures("gone") };
	struct kernel_figures new[] = { figures("b"), figures("new"), figures("a"), figures("b") };
	const struct figures_list was = { old, 4 }, is = { new, 4 };
	struct diff x = { .n = 0 };
	struct arena a;

	arena_init(&a);
	new[2].value[FIGURE_LIVE] = 39;      /* a: worse */
	new[2].value[FIGURE_OCCUPANCY] = 75; /* and better */
	new[2].missing[FIGURE_PAIRS] = NULL;
	new[3].value[FIGURE_OCCUPANCY] = 49; /* the second b: worse */
	new[0].value[FIGURE_CODE] = 8;       /* the first: worse in what does not count */
	diff_find(&x, &was, &is, diff_watched(), &a);
	ck_assert_uint_eq(x.n, 5);
	ck_assert(x.of[0].old == &old[1] && x.of[0].differs && !x.of[0].worse &&
		  x.of[0].verdict[FIGURE_CODE] == DIFF_WORSE);
	ck_assert(!x.of[1].old && x.of[1].new == &new[1] && !x.of[1].worse);
	ck_assert(x.of[2].old == &old[0] && x.of[2].worse && x.of[2].verdict[FIGURE_LIVE] == DIFF_WORSE &&
		  x.of[2].verdict[FIGURE_OCCUPANCY] == DIFF_BETTER);
	ck_assert(x.of[2].verdict[FIGURE_PAIRS] == DIFF_UNKNOWN && x.of[0].verdict[FIGURE_PAIRS] == DIFF_SAME);
	ck_assert(x.of[3].old == &old[2] && x.of[3].worse && x.of[3].verdict[FIGURE_OCCUPANCY] == DIFF_WORSE);
	ck_assert(x.of[4].old == &old[3] && !x.of[4].new);
	ck_assert_uint_eq(diff_worse(&x), 2);
	diff_find(&x, &was, &is, 1u << FIGURE_CODE, &a);
	ck_assert_uint_eq(diff_worse(&x), 1);
	arena_free(&a);
}
END_TEST

/* Of machine code with local memory nobody knows what is spilled: then more local memory counts as more spills would,
 * and only then. */
START_TEST(local_memory_stands_for_spills_that_cannot_be_told)
{
	struct kernel_figures old = figures("a"), new = figures("a");
	const struct figures_list was = { &old, 1 }, is = { &new, 1 };
	struct diff x = { .n = 0 };
	struct arena a;

	arena_init(&a);
	new.value[FIGURE_LOCAL] = old.value[FIGURE_LOCAL] + 104;
	diff_find(&x, &was, &is, diff_watched(), &a);
	ck_assert(x.of[0].verdict[FIGURE_LOCAL] == DIFF_WORSE && !x.of[0].worse);
	new.missing[FIGURE_SPILL] = "not told";
	diff_find(&x, &was, &is, diff_watched(), &a);
	ck_assert(x.of[0].worse);
	diff_find(&x, &was, &is, 1u << FIGURE_LIVE, &a);
	ck_assert(!x.of[0].worse);
	arena_free(&a);
}
END_TEST

START_TEST(figures_that_count_are_named)
{
	struct arena a;
	uint32_t bits;

	arena_init(&a);
	ck_assert(!diff_counts("live,code", &bits, &a) && bits == (1u << FIGURE_LIVE | 1u << FIGURE_CODE));
	ck_assert(!diff_counts("none", &bits, &a) && bits == 0);
	ck_assert(!diff_counts("all", &bits, &a) && bits == (1u << FIGURE_COUNT) - 1);
	ck_assert(strstr(diff_counts("lives", &bits, &a), "did you mean live?") && diff_counts("", &bits, &a) &&
		  diff_counts("live,", &bits, &a) && diff_counts("spil", &bits, &a));
	arena_free(&a);
}
END_TEST

/* ---- findings as text ---- */
static const struct {
	const char *name, *yaml;
} scalars[] = {
	{ "k.cl", "'k.cl'" },
	{ "a: b # c", "'a: b # c'" },
	{ "\303\251\342\202\254", "'\303\251\342\202\254'" },
	{ "\"x\\y\"", "'\"x\\y\"'" },
	{ "it's", "|-\n    it's" },
	{ "a\nb", "|-\n    a\n    b" },
	{ "a\n\nb\n", "|\n    a\n\n    b" },
	{ "a\n\n", "|+\n    a\n" },
	{ " it's", "\" it's\"" },
	{ " a\"'\\\nb", "\" a\\\"'\\\\\\nb\"" },
	{ "a\tb\r\033", "'a\?b\?\?'" },
	{ "\377\303", "'\?\?'" },
	{ "\355\240\200", "'\?\?\?'" },
	{ "\360\237\230\200", "'\360\237\230\200'" },
	{ "", "''" },
	{ "\302\205\357\273\277", "'\?\?\?\?\?'" },
	{ "a\342\200\250b\342\200\251", "'a\?\?\?b\?\?\?'" },
};

START_TEST(names_in_remarks_are_yaml_that_llvm_reads)
{
	struct findings all = { .n = 0 };
	struct finding *f;
	size_t n = 0;
	char *text = NULL;
	struct arena a;
	FILE *out;

	arena_init(&a);
	all.a = &a;
	f = finding_add(&all, RULE_SPILL, "k", &(struct figure_place){ .file = scalars[_i].name, .line = 3, .col = 7 },
			"x");
	finding_value(f, "Value", "%r1");
	out = open_memstream(&text, &n);
	emit_remarks(out, &all);
	fclose(out);
	ck_assert_str_eq(text, arena_printf(&a,
					    "--- !Missed\nPass:            'regloom-allocate'\nName:            "
					    "'SpilledValue'\nDebugLoc:\n  File:            %s\n"
					    "  Line:            3\n  Column:          7\nFunction:        'k'\nArgs:\n "
					    " - Value: '%%r1'\n...\n",
					    scalars[_i].yaml));
	free(text);
	arena_free(&a);
}
END_TEST

START_TEST(sarif_is_json_whatever_a_name_holds)
{
	struct findings all = { .n = 0 };
	const char *input[] = { "\377.ptx" };
	struct finding *f;
	size_t n = 0;
	char *text = NULL;
	struct arena a;
	const json_t *r;
	json_t *j;
	FILE *out;

	arena_init(&a);
	all.a = &a;
	for (unsigned i = 0; i < 2; i++) {
		f = finding_add(
			&all, RULE_SPILL, "k\377\303\251",
			&(struct figure_place){ .file = "f", .path = "d/\377 %?#.cl", .path_line = 3 + i, .text = "x" },
			"same");
		finding_value(f, "Value", "\200\"\\\n");
	}
	f = finding_add(&all, RULE_ORF, "k", &(struct figure_place){ .file = NULL }, "left out");
	out = open_memstream(&text, &n);
	ck_assert(emit_sarif(out, &all, &(struct sarif_run){ input, 1, 0 }));
	fclose(out);
	j = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(j);
	r = json_object_get(json_array_get(json_object_get(j, "runs"), 0), "results");
	ck_assert_uint_eq(json_array_size(r), 2);
	ck_assert_str_eq(json_string_value(json_object_get(json_array_get(r, 0), "level")), "warning");
	ck_assert(strstr(text, "\"uri\": \"d/%FF%20%25%3F%23.cl\"") &&
		  strstr(text, "\"text\": \"\357\277\275\\\"\\\\\\n\"") && strstr(text, "k\357\277\275\303\251"));
	ck_assert(!json_equal(json_object_get(json_array_get(r, 0), "partialFingerprints"),
			      json_object_get(json_array_get(r, 1), "partialFingerprints")));
	json_decref(j);
	free(text);
	arena_free(&a);
}
END_TEST

Suite *suite_gate(void);
Suite *suite_gate(void)
{
	Suite *s = suite_create("gate");
	TCase *t = tcase_create("gate");

	tcase_add_loop_test(t, lists_of_limits_are_read_or_refused, 0, sizeof lists / sizeof *lists);
	tcase_add_test(t, a_kernels_own_limit_goes_first);
	tcase_add_loop_test(t, what_would_help_occupancy_does, 0, sizeof occupancies / sizeof *occupancies);
	tcase_add_test(t, kernels_match_by_name_and_figures_by_what_is_better);
	tcase_add_test(t, local_memory_stands_for_spills_that_cannot_be_told);
	tcase_add_test(t, figures_that_count_are_named);
	tcase_add_loop_test(t, names_in_remarks_are_yaml_that_llvm_reads, 0, sizeof scalars / sizeof *scalars);
	tcase_add_test(t, sarif_is_json_whatever_a_name_holds);
	suite_add_tcase(s, t);
	return s;
}
