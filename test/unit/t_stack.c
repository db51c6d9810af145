/* What local memory a thread needs, of cubins as they are and changed. */
#include "test/unit/lift_fixture.h"

Suite *suite_stack(void);

static struct source s;
static struct cubin *c;

static void open_cubin(const char *name) { c = cubin_of(arena_printf(&arena, CUBINS "%s.cubin", name), &s); }

static const struct kernel *lifted_again(const char *kernel)
{
	c = cubin_of_source(&s);
	return kernel_called(lift_checked(c), kernel);
}

static const char RECURSE[] = "functions that it calls recurse",
		  COMPUTES[] = "the code takes as much stack as it computes",
		  ELSEWHERE[] = "it may call functions of other files";

static const struct {
	const char *cubin, *kernel;
	uint32_t bytes;
	const char *why;
} known[] = {
	/* of a function with a section of its own; the kernel's frame has 0 */
	{ "debug.G.sm_75", "nearest", 16, NULL },     { "debug.G.sm_90a", "nearest", 16, NULL },
	{ "pointers.sm_75", "pointers", 32, NULL }, /* of functions in the kernel's section, with the kernel's */
	{ "pointers.sm_120a", "pointers", 32, NULL }, { "saxpy.sm_75", "saxpy", 0, NULL },
	{ "control.sm_75", "runtime", 16, NULL }, /* what printf and malloc need is the driver's */
	{ "control.sm_75", "calls", 72, RECURSE },    { "control.sm_90a", "calls", 16, RECURSE },
	{ "linked.sm_80", "separate", 16, RECURSE },  { "separate.rdc.sm_75", "separate", 16, ELSEWHERE },
};

START_TEST(a_thread_needs_the_frames_of_functions_that_are_called)
{
	const struct kernel *k =
		kernel_called(lifted(arena_printf(&arena, CUBINS "%s.cubin", known[_i].cubin)), known[_i].kernel);

	ck_assert_pstr_eq(k->native->unbounded, known[_i].why);
	ck_assert_pstr_eq(k->native->elsewhere, known[_i].why == ELSEWHERE ? ELSEWHERE : NULL);
	if (!known[_i].why)
		ck_assert_uint_eq(k->res.local_bytes, known[_i].bytes);
}
END_TEST

/* The record of attribute `id` that names a symbol: what is said of it. */
static void put_attribute(uint8_t id, const char *symbol, uint32_t value)
{
	const struct cubin_section *x = section_named(c, ".nv.info");

	for (uint64_t at = 0; at + 12 <= x->size; at += 4)
		if (x->bytes[at] == 4 && x->bytes[at + 1] == id && x->bytes[at + 2] == 8 &&
		    strcmp(c->symbol[x->bytes[at + 4]].name, symbol) == 0) {
			memcpy((char *)(uintptr_t)s.text + x->offset + at + 8, &value, sizeof value);
			return;
		}
	ck_abort_msg("there is no attribute 0x%x of %s", id, symbol);
}

enum { FRAME_SIZE = 0x11, MIN_STACK_SIZE = 0x12 };

START_TEST(the_linkers_figure_counts_and_that_it_found_none)
{
	open_cubin("debug.G.sm_75");
	put_attribute(MIN_STACK_SIZE, "nearest", 48);
	ck_assert_uint_eq(lifted_again("nearest")->res.local_bytes, 48);
	put_attribute(FRAME_SIZE, "nearest", 40); /* with the 16 of what it calls more than the linker said */
	ck_assert_uint_eq(lifted_again("nearest")->res.local_bytes, 56);
	put_attribute(MIN_STACK_SIZE, "nearest", UINT32_MAX);
	ck_assert_str_eq(lifted_again("nearest")->native->unbounded, "the linker found no bound of the stack");
	put_attribute(FRAME_SIZE, "nearest", UINT32_MAX);
	ck_assert_uint_eq(lifted_again("nearest")->res.local_bytes, UINT32_MAX - 1);
}
END_TEST

/* IADD3 R1, R1, -R0, RZ behind what loads R1; of another constant, R1 is no stack pointer. */
START_TEST(a_stack_that_the_code_computes_has_no_bound)
{
	static const struct {
		const char *cubin;
		struct sass_word take;
		uint64_t load;
	} of[] = {
		{ "pointers.sm_75", { 0x8000000001017210, 0x000fc80007ffe0ff }, 0 },
		{ "pointers.sm_120a", { 0x8000000001017210, 0x001fc80007ffe0ff }, 0 },
	};
	struct sass_word load;

	open_cubin(of[_i].cubin);
	ck_assert_ptr_null(lifted_again("pointers")->native->unbounded);
	put_words(&s, c, ".text.pointers", 16, &of[_i].take, 1);
	ck_assert_pstr_eq(lifted_again("pointers")->native->unbounded, COMPUTES);
	memcpy(&load, section_named(c, ".text.pointers")->bytes + of[_i].load, sizeof load);
	load.lo ^= (uint64_t)4 << 38; /* the next word of the bank */
	put_words(&s, c, ".text.pointers", of[_i].load, &load, 1);
	ck_assert_ptr_null(lifted_again("pointers")->native->unbounded);
}
END_TEST

/* A function whose address is taken calls another by name: the kernel's call through a register is put there. ptxas
 * counts no such stack. */
START_TEST(functions_that_recurse_through_registers_have_no_bound)
{
	const struct kernel *k;
	struct sass_word through = { 0, 0 };
	uint32_t p = 1, i;

	open_cubin("pointers.sm_75");
	k = lifted_again("pointers");
	for (i = 0; k->insn[i].op != OP_SASS_CALLX; i++)
		;
	through = (struct sass_word){ k->native->word[i][0], k->native->word[i][1] };
	while (!strstr(k->proc[p].name, "t_packed"))
		p++;
	for (i = k->block[k->proc[p].first].first; k->insn[i].op != OP_SASS_CALL; i++)
		;
	put_words(&s, c, ".text.pointers", k->native->part[p].at + 16 * (uint64_t)(i - k->native->part[p].first),
		  &through, 1);
	ck_assert_pstr_eq(lifted_again("pointers")->native->unbounded, RECURSE);
}
END_TEST

/* Of a file that is not linked, branches within a kernel lead nowhere else. */
START_TEST(branches_do_not_leave_a_file_that_is_not_linked)
{
	const struct kernel *k;

	open_cubin("sgemm.sm_86");
	((char *)(uintptr_t)s.text)[16] = 1; /* ET_REL */
	k = lifted_again("sgemm");
	ck_assert(c->relocatable);
	ck_assert_uint_gt(k->nblock, 3);
	ck_assert_pstr_eq(k->native->elsewhere, NULL);
	ck_assert_pstr_eq(k->native->unbounded, NULL);
}
END_TEST

Suite *suite_stack(void)
{
	Suite *suite = suite_create("stack");
	TCase *t = tcase_create("stack");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, pass_setup, pass_teardown);
	tcase_add_loop_test(t, a_thread_needs_the_frames_of_functions_that_are_called, 0, sizeof known / sizeof *known);
	tcase_add_test(t, the_linkers_figure_counts_and_that_it_found_none);
	tcase_add_test(t, functions_that_recurse_through_registers_have_no_bound);
	tcase_add_test(t, branches_do_not_leave_a_file_that_is_not_linked);
	tcase_add_loop_test(t, a_stack_that_the_code_computes_has_no_bound, 0, 2);
	suite_add_tcase(suite, t);
	return suite;
}
