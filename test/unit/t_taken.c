/* Which functions a call through a register can enter: those whose address is taken, in every way that a file may show
 * it. Run from the root of the tree. */
#include "test/unit/lift_fixture.h"

Suite *suite_taken(void);

enum { TAKE_NOTHING, TAKE_BEHIND_A_CALL, TAKE_START, TAKE_MIDDLE, TAKE_START_BEHIND_A_CALL, TAKE_KERNEL };
#define NUMBER(n) \
	(const uint8_t[]) { (n) & 255, (n) >> 8, 0, 0, 0, 0, 0, 0 }

/* Whether proc p is a target of the kernel's calls of what a register names; all of these have the same targets. */
static bool entered(const struct kernel *k, uint32_t p)
{
	uint32_t calls = 0, in = 0;

	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct ir_targets t;

		if (k->insn[i].op != OP_SASS_CALLX)
			continue;
		calls++;
		t = ir_targets(k, &k->insn[i]);
		for (uint32_t n = 0; n < t.n; n++)
			in += ir_target(&t, n) == k->proc[p].first;
	}
	ck_assert_msg(!in || in == calls, "%s: %u of %u calls", k->proc[p].name, in, calls);
	return in > 0;
}

/* "t_both t_constant": those of the functions with these names that are entered. */
static const char *which(const struct kernel *k, const char *const *names)
{
	const char *text = "";

	for (; *names; names++)
		for (uint32_t p = 1; p < k->nproc; p++)
			if (strstr(k->proc[p].name, *names) && entered(k, p))
				text = arena_printf(&arena, "%s%s%s", text, *text ? " " : "", *names);
	return text;
}

static const char *const in_pointers[] = {
	"n_below", "n_shift", "t_both", "t_constant", "t_packed", "t_register", NULL
};
static const char *const in_control[] = {
	"far", "fibonacci", "many", "ping", "pong", "shifted", "twice", "dblrcp", NULL
};
static const char *const in_linked[] = { "elsewhere", "exported", "square", "circle", NULL };
static const char TAKEN[] = "t_both t_constant t_packed t_register",
		  ALL[] = "n_below n_shift t_both t_constant t_packed t_register";

static const struct {
	const char *cubin, *kernel;
	const char *const *names;
	const char *taken;
} known[] = {
	{ "pointers.sm_75", "pointers", in_pointers, TAKEN },
	{ "pointers.sm_120a", "pointers", in_pointers, TAKEN },
	{ "control.sm_75", "calls", in_control, "shifted twice" },
	{ "control.sm_80", "calls", in_control, "shifted twice" },
	{ "control.sm_86", "calls", in_control, "shifted twice" },
	{ "control.sm_89", "calls", in_control, "shifted twice" },
	{ "control.sm_90a", "calls", in_control, "shifted twice" },
	{ "control.sm_100a", "calls", in_control, "shifted twice" },
	{ "control.sm_120a", "calls", in_control, "shifted twice" },
	/* whose addresses are in data alone */
	{ "linked.sm_80", "separate", in_linked, "exported square circle" },
	{ "separate.rdc.sm_75", "separate", in_linked, "exported" },
	{ "separate.rdc.sm_120a", "separate", in_linked, "exported" },
};

START_TEST(functions_whose_address_is_taken_are_entered_and_others_are_not)
{
	const struct module *m = lifted(arena_printf(&arena, CUBINS "%s.cubin", known[_i].cubin));

	ck_assert_str_eq(which(kernel_called(m, known[_i].kernel), known[_i].names), known[_i].taken);
}
END_TEST

/* ---- changed files ---- */
static struct source s;
static struct cubin *c;

static void open_cubin(const char *name) { c = cubin_of(arena_printf(&arena, CUBINS "%s.cubin", name), &s); }

static void put_bytes(const char *section, uint64_t at, const uint8_t *bytes, unsigned n)
{
	const struct cubin_section *to = section_named(c, section);

	ck_assert_uint_le(at + n, to->size);
	memcpy((char *)(uintptr_t)s.text + to->offset + at, bytes, n);
}

static const struct kernel *lifted_again(const char *kernel)
{
	c = cubin_of_source(&s);
	return kernel_called(lift_checked(c), kernel);
}

static const char *entered_now(void) { return which(lifted_again("pointers"), in_pointers); }

static bool is_said(const struct kernel *k, const char *text)
{
	for (uint32_t n = 0; n < k->native->nnote; n++)
		if (strstr(k->native->note[n].what, text))
			return true;
	return false;
}

static uint64_t place_of(const char *function)
{
	for (uint32_t f = 0; f < c->nfunc; f++)
		if (strstr(c->func[f].name, function))
			return c->func[f].offset;
	ck_abort_msg("there is no function %s", function);
	return 0;
}

static struct sass_word word_of(const struct kernel *k, uint32_t i)
{
	return (struct sass_word){ k->native->word[i][0], k->native->word[i][1] };
}

START_TEST(a_number_in_data_takes_the_address_of_the_function_at_that_place)
{
	open_cubin("pointers.sm_75");
	put_bytes(".nv.constant3", 0, NUMBER(0), 8);
	ck_assert_str_eq(entered_now(), "t_both t_packed t_register");
	put_bytes(".nv.constant3", 0, NUMBER(place_of("n_shift")), 8);
	ck_assert_str_eq(entered_now(), "n_shift t_both t_packed t_register");
	put_bytes(".nv.constant3", 0, NUMBER(place_of("n_shift") + 16), 8);
	ck_assert_str_eq(entered_now(), "t_both t_packed t_register");
	put_bytes(".nv.global.init", 1, NUMBER(place_of("n_below")), 8);
	ck_assert_str_eq(entered_now(), "n_below t_both t_register");
}
END_TEST

START_TEST(a_number_in_the_table_of_a_kernel_counts_for_that_kernel)
{
	open_cubin("control.sm_90a");
	put_bytes(".nv.constant2.calls", 8, NUMBER(place_of("fibonacci")), 8);
	ck_assert_str_eq(which(lifted_again("calls"), in_control), "fibonacci shifted");
	put_bytes(".nv.constant2.calls", 8, NUMBER(0), 8);
	put_bytes(".nv.constant2.tables", 0, NUMBER(place_of("fibonacci")), 8);
	ck_assert_str_eq(which(lifted_again("calls"), in_control), "shifted");
}
END_TEST

/* The first instruction of the kernel, which loads the stack pointer, becomes what a test wants. */
static void put_first(struct sass_word w) { put_words(&s, c, ".text.pointers", 0, &w, 1); }

START_TEST(an_immediate_takes_an_address_and_an_offset_in_a_constant_bank_does_not)
{
	const uint64_t at = _i ? 0x610 : 0x5a0;
	const char *name = _i ? "pointers.sm_120a" : "pointers.sm_75";
	const struct sass_word mov = { 0x0000000000ff7802 | at << 32, 0x000fe40000000f00 },
			       load = { 0x0000000000ff7a02 | at << 32, 0x000fe40000000f00 };

	open_cubin(name);
	ck_assert_uint_eq(place_of("n_shift"), at);
	put_first(mov);
	ck_assert_str_eq(entered_now(), ALL + strlen("n_below "));
	put_first(load);
	ck_assert_str_eq(entered_now(), TAKEN);
}
END_TEST

/* LEPC R6, as ptxas writes it for sm_75; it needs the number of its own place. */
START_TEST(a_place_that_is_computed_may_be_any_unless_its_own_is_subtracted)
{
	const struct sass_word lepc = { 0x000000000006734e, 0x000fe40000000000 };
	const struct sass_word own = { 0x0000006000ff7802, 0x000fe40000000f00 }; /* MOV RZ, 0x60 */

	open_cubin("pointers.sm_75");
	put_words(&s, c, ".text.pointers", 0x60, &lepc, 1);
	ck_assert_str_eq(entered_now(), ALL);
	put_first(own);
	ck_assert_str_eq(entered_now(), TAKEN);
}
END_TEST

/* LEPC R20, PLACE, from sm_90 on. */
START_TEST(a_place_that_is_named_takes_the_address_of_its_function_but_behind_a_call)
{
	/* all but "n_below" */
	static const char *const expected[] = { TAKEN, TAKEN, ALL + 8, ALL + 8, ALL + 8, TAKEN };
	uint64_t to = 0x100; /* behind the first call */
	struct sass_word w = { 0x000000000014794e, 0x000fe40000000000 };
	struct sass_insn i;

	open_cubin("pointers.sm_120a");
	if (_i == TAKE_KERNEL) /* which nobody calls */
		to = 0x20;
	else if (_i >= TAKE_START)
		to = place_of("n_shift") + (_i == TAKE_MIDDLE ? 16 : 0);
	if (_i == TAKE_START_BEHIND_A_CALL) /* which the function before ends with; it does not return */
		/* CALL.ABS.NOINC R2 */
		put_words(&s, c, ".text.pointers", to - 16,
			  &(struct sass_word){ 0x0000000002007343, 0x000fea0003c00000 }, 1);
	ck_assert(sass_decode(120, w, &i) && i.has_target);
	i.target = (int64_t)to;
	if (_i != TAKE_NOTHING)
		put_first(sass_encode(120, &i));
	ck_assert_str_eq(entered_now(), expected[_i]);
	ck_assert(is_said(lifted_again("pointers"), expected[_i] == TAKEN
							    ? "(of the kernel's 6, 4 have their address taken)"
							    : "(of the kernel's 6, 5 have"));
}
END_TEST

/* UMOV.64 UR4, of which one half is the number. */
START_TEST(each_half_of_an_immediate_of_64_bits_takes_an_address)
{
	const uint64_t at = 0x610;

	open_cubin("pointers.sm_120a");
	ck_assert_uint_eq(place_of("n_shift"), at);
	put_first(_i ? (struct sass_word){ at << 56 | 0x00047482, 0x000fe40008000000 | at >> 8 }
		     : (struct sass_word){ at << 24 | 0x00047482, 0x000fe40008000000 });
	ck_assert_str_eq(entered_now(), ALL + strlen("n_below "));
}
END_TEST

START_TEST(parameters_take_no_address)
{
	open_cubin("pointers.sm_75");
	put_bytes(".nv.constant0.pointers", 0x160, NUMBER(place_of("n_shift")), 8);
	ck_assert_str_eq(entered_now(), TAKEN);
}
END_TEST

/* Variables of banks 3 and of global memory become the whole file. */
START_TEST(sections_over_each_other_are_not_read_and_any_function_may_be_entered)
{
	static const char *const names[] = { ".nv.constant3", ".nv.global.init" };
	const uint64_t all[2] = { 0, 0x1000 };
	uint64_t heads;

	open_cubin("pointers.sm_75");
	memcpy(&heads, s.text + 0x28, 8);
	ck_assert_uint_le(all[1], s.len);
	for (unsigned n = 0; n < 2; n++)
		memcpy((char *)(uintptr_t)s.text + heads + 64 * (uint64_t)section_named(c, names[n])->shndx + 24, all,
		       sizeof all);
	ck_assert_str_eq(entered_now(), ALL);
	ck_assert(is_said(lifted_again("pointers"), "sections lie over each other"));
}
END_TEST

START_TEST(an_unknown_opcode_may_take_any_address)
{
	open_cubin("pointers.sm_120a");
	put_first((struct sass_word){ 0x00000000000071ff, 0x000fe40000000000 });
	ck_assert_str_eq(entered_now(), ALL);
}
END_TEST

/* The first call through a register of `pointers`, changed. */
static void put_call(const struct kernel *k, struct sass_word set, bool direct)
{
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct sass_word w = word_of(k, i);
		struct sass_insn x;

		if (k->insn[i].op != OP_SASS_CALLX)
			continue;
		ck_assert(sass_decode(k->native->sm, w, &x));
		if (direct) { /* CALL.REL of another form */
			w.lo = (w.lo & ~UINT64_C(0xff000fff)) | 0x944;
			ck_assert(sass_decode(k->native->sm, w, &x) && sass_class(&x) == SCLASS_CALL);
			x.target = (int64_t)set.lo - 16 * (int64_t)i;
		} else {
			x.target += (int64_t)set.lo;
		}
		w = sass_encode(k->native->sm, &x);
		w.lo ^= set.hi;
		put_words(&s, c, ".text.pointers", 16 * (uint64_t)i, &w, 1);
		return;
	}
	ck_abort_msg("there is no such call");
}

START_TEST(a_register_that_is_added_to_another_place_than_the_section_may_be_any)
{
	open_cubin(_i ? "pointers.sm_120a" : "pointers.sm_75");
	put_call(lifted_again("pointers"), (struct sass_word){ 0x40, 0 }, false);
	ck_assert_str_eq(entered_now(), ALL);
}
END_TEST

/* How many functions the first call of what is not known may enter, times 10, and how many the second, when the first
 * one through a register is one of a place instead. */
static uint32_t called_from(uint64_t place, uint64_t flip)
{
	const struct kernel *k;
	uint32_t n = 0, calls = 0;

	open_cubin("pointers.sm_75");
	put_call(lifted_again("pointers"), (struct sass_word){ place, flip }, true);
	k = lifted_again("pointers");
	for (uint32_t i = 0; i < k->ninsn && calls < 2; i++)
		if (k->insn[i].op == OP_SASS_CALLX) {
			n = 10 * n + ir_targets(k, &k->insn[i]).n;
			calls++;
		}
	return n;
}

START_TEST(a_call_of_a_place_that_is_no_function_may_be_of_any)
{
	open_cubin("pointers.sm_75");
	ck_assert_uint_eq(called_from(place_of("n_shift") + 16, 0), 64);
	ck_assert_uint_eq(called_from(place_of("n_shift"), 7), 64); /* 0x944 to 0x943: CALL.ABS of a number */
}
END_TEST

/* All calls through registers become absolute ones (CALL.ABS): numbers count no more, and what is left are
 * relocations. */
static void make_absolute(const struct kernel *k)
{
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct sass_word w = word_of(k, i);

		if (k->insn[i].op != OP_SASS_CALLX)
			continue;
		w.lo = (w.lo & 0xff00ffff & ~UINT64_C(1)) | 3;
		w.lo = (w.lo & ~UINT64_C(0x1ff)) | 0x143;
		w.hi &= ~UINT64_C(0x3ffff);
		put_words(&s, c, ".text.pointers", 16 * (uint64_t)i, &w, 1);
	}
}

/* Sections of relocations become empty. */
static void leave_relocations_out(void)
{
	uint64_t at;

	memcpy(&at, s.text + 0x28, 8);
	for (uint32_t n = 0; n < c->nsection; n++)
		if (c->section[n].type == 4 || c->section[n].type == 9)
			memset((char *)(uintptr_t)s.text + at + 64 * (uint64_t)n + 32, 0, 8);
}

/* Without its flag (EXECINSTR) a section of code is one by its name. */
START_TEST(a_section_of_code_that_is_not_flagged_has_functions_all_the_same)
{
	const struct cubin_section *text;
	uint64_t at;

	open_cubin("pointers.sm_75");
	text = section_named(c, ".text.pointers");
	memcpy(&at, s.text + 0x28, 8);
	((char *)(uintptr_t)s.text)[at + 64 * (uint64_t)text->shndx + 8] &= ~4;
	ck_assert_str_eq(entered_now(), TAKEN);
}
END_TEST

START_TEST(an_absolute_call_enters_what_a_relocation_names_or_all_if_there_is_none)
{
	const struct kernel *k;
	uint32_t unknown = 0;

	open_cubin("pointers.sm_75");
	leave_relocations_out();
	ck_assert_str_eq(entered_now(), TAKEN);
	open_cubin("pointers.sm_75");
	make_absolute(lifted_again("pointers"));
	k = lifted_again("pointers");
	for (uint32_t i = 0; i < k->ninsn; i++)
		unknown += k->insn[i].op == OP_SASS_UNKNOWN;
	ck_assert_str_eq(which(k, in_pointers), "");
	ck_assert_uint_eq(unknown, 3);
	leave_relocations_out();
	ck_assert_str_eq(entered_now(), ALL);
}
END_TEST

/* types of symbols */
enum { FUNCTION = 2, SECTION = 3 };

/* Relocations of variables against a function are turned to another symbol. */
static void relocate(const char *section, const char *from, const char *function, uint8_t type)
{
	for (uint32_t y = 0; y < c->nsymbol; y++)
		if (c->symbol[y].type == type && strstr(c->symbol[y].name, function)) {
			const struct cubin_section *x = section_named(c, section);

			for (uint64_t at = 0; at < x->size; at += x->type == 4 ? 24 : 16)
				if (strstr(c->symbol[x->bytes[at + 12]].name, from))
					put_bytes(section, at + 12, (const uint8_t[]){ (uint8_t)y }, 1);
			return;
		}
	ck_abort_msg("there is no symbol of %s", function);
}

START_TEST(a_relocation_in_data_takes_the_address_of_its_function)
{
	open_cubin("linked.sm_80");
	/* of a section, all that is in it */
	relocate(".rel.nv.global.init", "exported", "elsewhere", _i ? SECTION : FUNCTION);
	ck_assert_str_eq(which(lifted_again("separate"), in_linked), "elsewhere square circle");
}
END_TEST

START_TEST(functions_that_another_file_may_name_are_entered_from_there_and_local_ones_are_not)
{
	const struct cubin_section *symtab;
	const struct kernel *k;
	uint32_t through = 0, calls = 0;

	open_cubin("separate.rdc.sm_80");
	k = lifted_again("separate");
	for (uint32_t i = 0; i < k->ninsn; i++) {
		calls += op_info[k->insn[i].op].flags & OPF_CALL ? 1 : 0;
		through += k->insn[i].op == OP_SASS_CALLX;
	}
	/* `chosen`, the virtual function, and `elsewhere`, which may call `exported` back */
	ck_assert_uint_eq(through, 3);
	ck_assert_uint_gt(calls, through);
	relocate(".rel.nv.global.init", "exported", "separate", FUNCTION);
	ck_assert_str_eq(which(lifted_again("separate"), in_linked), "exported");
	symtab = section_named(c, ".symtab");
	for (uint32_t y = 0; y < c->nsymbol; y++)
		if (c->symbol[y].type == 2 && strstr(c->symbol[y].name, "exported"))
			put_bytes(".symtab", 24 * (uint64_t)y + 4, (const uint8_t[]){ 2 }, 1);
	ck_assert_uint_gt(symtab->size, 0);
	ck_assert_str_eq(which(lifted_again("separate"), in_linked), "");
}
END_TEST

/* A function that nothing names is no part of the kernel. */
START_TEST(functions_of_other_sections_are_the_kernels_if_their_address_is_taken)
{
	open_cubin("linked.sm_80");
	relocate(".rel.nv.global.init", "circle", "exported", FUNCTION);
	ck_assert_str_eq(which(lifted_again("separate"), in_linked), "exported square");
	ck_assert_uint_eq(lifted_again("separate")->nproc, 4);
	relocate(".rel.nv.global.init", "square", "circle", SECTION);
	ck_assert_str_eq(which(lifted_again("separate"), in_linked), "exported circle");
	leave_relocations_out();
	ck_assert_str_eq(which(lifted_again("separate"), in_linked), "elsewhere exported square circle");
}
END_TEST

/* The entry of a string in bank 4 is turned to a function: its address is taken, and still the kernel `runtime` calls
 * nothing but functions of the driver's. */
START_TEST(a_kernel_that_calls_the_driver_alone_enters_no_function)
{
	const struct cubin_section *x;
	const struct kernel *k;
	uint32_t function = 0, turned = 0, ninsn;

	open_cubin("control.sm_75");
	ninsn = lifted_again("runtime")->ninsn;
	while (!strstr(c->symbol[function].name, "twice"))
		function++;
	x = section_named(c, ".rel.nv.constant4");
	for (uint64_t at = 0; at < x->size; at += 16)
		if (c->symbol[x->bytes[at + 12]].shndx && c->symbol[x->bytes[at + 12]].type != 2) {
			put_bytes(".rel.nv.constant4", at + 12, (const uint8_t[]){ (uint8_t)function }, 1);
			turned++;
		}
	ck_assert_uint_gt(turned, 0);
	k = lifted_again("runtime");
	ck_assert_uint_eq(k->nproc, 0);
	ck_assert_uint_eq(k->ninsn, ninsn);
}
END_TEST

Suite *suite_taken(void)
{
	Suite *suite = suite_create("taken");
	TCase *t = tcase_create("taken");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, pass_setup, pass_teardown);
	tcase_add_loop_test(t, functions_whose_address_is_taken_are_entered_and_others_are_not, 0,
			    sizeof known / sizeof *known);
	tcase_add_test(t, a_number_in_data_takes_the_address_of_the_function_at_that_place);
	tcase_add_test(t, a_number_in_the_table_of_a_kernel_counts_for_that_kernel);
	tcase_add_loop_test(t, an_immediate_takes_an_address_and_an_offset_in_a_constant_bank_does_not, 0, 2);
	tcase_add_test(t, a_place_that_is_computed_may_be_any_unless_its_own_is_subtracted);
	tcase_add_loop_test(t, a_place_that_is_named_takes_the_address_of_its_function_but_behind_a_call, TAKE_NOTHING,
			    TAKE_KERNEL + 1);
	tcase_add_loop_test(t, each_half_of_an_immediate_of_64_bits_takes_an_address, 0, 2);
	tcase_add_test(t, parameters_take_no_address);
	tcase_add_test(t, sections_over_each_other_are_not_read_and_any_function_may_be_entered);
	tcase_add_test(t, an_unknown_opcode_may_take_any_address);
	tcase_add_loop_test(t, a_register_that_is_added_to_another_place_than_the_section_may_be_any, 0, 2);
	tcase_add_test(t, a_call_of_a_place_that_is_no_function_may_be_of_any);
	tcase_add_test(t, a_section_of_code_that_is_not_flagged_has_functions_all_the_same);
	tcase_add_test(t, an_absolute_call_enters_what_a_relocation_names_or_all_if_there_is_none);
	tcase_add_loop_test(t, a_relocation_in_data_takes_the_address_of_its_function, 0, 2);
	tcase_add_test(t, functions_of_other_sections_are_the_kernels_if_their_address_is_taken);
	tcase_add_test(t, a_kernel_that_calls_the_driver_alone_enters_no_function);
	tcase_add_test(t, functions_that_another_file_may_name_are_entered_from_there_and_local_ones_are_not);
	suite_add_tcase(suite, t);
	return suite;
}
