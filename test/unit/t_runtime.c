/* Calls of functions of the runtime (printf, assert, malloc): what they read is known, where the file says for certain which function it is. Run from the root of the tree. */
#include "analyzer/ir/runtime.h"
#include "test/unit/lift_fixture.h"

Suite *suite_runtime(void);

static struct source s;
static struct cubin *c;
static const struct kernel *k;

static void lift_now(void)
{
	c = cubin_of_source(&s);
	k = kernel_called(lift_checked(c), "runtime");
}

static void open_cubin(const char *name)
{
	c = cubin_of(arena_printf(&arena, CUBINS "%s.cubin", name), &s);
	lift_now();
}

/* "malloc assertfail vprintf free": which the calls are; `?` of one that is not known. */
static const char *callees(void)
{
	const char *text = "";

	for (uint32_t i = 0; i < k->ninsn; i++) {
		static const struct { uint32_t set; const char *name; } known[] = { { 0xf, "vprintf" }, { 0x3df, "assertfail" }, { 3, "malloc" }, { 3, "free" } };
		const char *is = "?";

		if (k->insn[i].op != OP_SASS_UNKNOWN)
			continue;
		for (uint32_t n = 0; n < k->native->nnote && insn_calls_runtime(&k->insn[i]); n++)
			for (unsigned x = 0; x < sizeof known / sizeof *known; x++)
				if (k->native->note[n].insn == i && insn_runtime_arguments(&k->insn[i]) == known[x].set && strstr(k->native->note[n].what, known[x].name))
					is = known[x].name;
		text = arena_printf(&arena, "%s%s%s", text, *text ? " " : "", is);
	}
	return text;
}

static const char *const cubins[] = { "control.sm_75", "control.sm_80", "control.sm_86", "control.sm_89", "control.sm_90a", "control.sm_100a", "control.sm_120a" };

START_TEST(a_call_of_the_runtime_reads_its_arguments_and_what_every_call_hands_over)
{
	struct live_set in;

	open_cubin(cubins[_i]);
	ck_assert_str_eq(callees(), "malloc assertfail vprintf free");
	for (uint32_t i = 0; i < k->ninsn; i++) {
		struct reg_use use[REG_USE_MAX];
		const unsigned n = insn_reg_uses(k, &k->insn[i], use);
		uint64_t want[(MREG_ALL + 63) / 64] = { 0 };
		unsigned writes = 0;

		if (!insn_calls_runtime(&k->insn[i]))
			continue;
		ck_assert_uint_eq(k->insn[i].nsrc, 2);
		bitset_add(want, insn_src(k, &k->insn[i])[0].val);
		bitset_add(want, insn_src(k, &k->insn[i])[1].val);
		bitset_add(want, 1);
		bitset_add(want, 20);
		bitset_add(want, 21);
		for (unsigned b = 0; b < 12; b++)
			if (insn_runtime_arguments(&k->insn[i]) >> b & 1)
				bitset_add(want, 4 + b);
		for (unsigned u = 0; u < n; u++) {
			writes += use[u].write;
			if (use[u].write)
				continue;
			ck_assert_msg(bitset_has(want, use[u].reg), "%u reads R%u", i, use[u].reg);
			bitset_del(want, use[u].reg);
		}
		ck_assert_uint_eq(bitset_count(want, MREG_ALL), 0);
		ck_assert_uint_eq(writes, bitset_count(k->native->named, MREG_ALL));
	}
	ck_assert_msg(pass_need((struct kernel *)(uintptr_t)k, FACT_LIVE, &cx), "%s", diag.last);
	in = live_in(k, 0);
	for (uint32_t r = 0; r < in.n; r++)
		ck_assert_msg(!mreg_is_general(in.reg[r]), "R%u is live at the start", in.reg[r]);
}
END_TEST

/* ---- changed files ---- */
/* The instruction that loads the callee of call number `call`. */
static uint32_t load_of(unsigned call)
{
	uint32_t i = 0;

	for (unsigned seen = 0; seen <= call; i++)
		seen += k->insn[i].op == OP_SASS_UNKNOWN;
	while (strncmp(k->native->print(&arena, k, i), "LDC.64", 6) != 0 || !strstr(k->native->print(&arena, k, i), "c[0x4][R"))
		i--;
	return i;
}

static void put(uint32_t i, struct sass_word w)
{
	put_words(&s, c, ".text.runtime", 16 * (uint64_t)i, &w, 1);
	lift_now();
}

static struct sass_word word_of(uint32_t i) { return (struct sass_word){ k->native->word[i][0], k->native->word[i][1] }; }

/* The instruction that sets the index of that load. */
static uint32_t index_of(uint32_t load)
{
	const uint32_t r = insn_src(k, &k->insn[load])[0].val;

	while (load--)
		for (unsigned d = 0; d < k->insn[load].ndst; d++)
			if (insn_dst(k, &k->insn[load])[d].val == r)
				return load;
	ck_abort_msg("nothing sets R%u", r);
	return 0;
}

START_TEST(the_place_in_bank_4_says_which_function_it_is)
{
	struct sass_word w;
	uint32_t i;

	open_cubin(cubins[_i]);
	i = index_of(load_of(2));
	w = word_of(i);
	ck_assert_uint_eq(w.lo >> 32, 0x38);
	w.lo = (w.lo & UINT32_MAX) | UINT64_C(0x30) << 32;
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail malloc free");
	w.lo = (w.lo & UINT32_MAX) | UINT64_C(0x28) << 32;       /* a string */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	w.lo = (w.lo & UINT32_MAX) | UINT64_C(0x3c) << 32;       /* halves of two */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	w.lo = (w.lo & UINT32_MAX) | UINT64_C(0x4000) << 32;     /* outside */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
}
END_TEST

START_TEST(another_bank_a_guard_or_something_in_between_leaves_it_unknown)
{
	struct sass_word was, w;
	uint32_t i;

	open_cubin(cubins[_i]);
	i = load_of(2);
	was = w = word_of(i);
	w.lo ^= UINT64_C(7) << 54;      /* bank 3 */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	w = was;
	w.lo &= ~UINT64_C(0x7000);      /* @P0 */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	w = was;
	w.hi ^= UINT64_C(1) << (78 - 64);        /* .IL: another sum of offset and index */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	put(i, was);
	ck_assert_str_eq(callees(), "malloc assertfail vprintf free");
	put(i + 1, (struct sass_word){ 0x00000000000071ff, 0x000fe40000000000 });        /* nobody knows what it does */
	ck_assert_str_eq(callees(), "malloc assertfail ? ? free");
}
END_TEST

/* A branch of the kernel that is always taken leads behind the load: the register may hold something else there. */
START_TEST(a_place_that_is_entered_from_elsewhere_says_nothing_of_what_was_loaded)
{
	struct sass_insn branch = { .row = NULL };
	uint32_t load;

	open_cubin(cubins[_i]);
	for (uint32_t i = 0; i < k->ninsn && !branch.row; i++)
		if (k->insn[i].op == OP_SASS_BRANCH)
			ck_assert(sass_decode(c->sm, word_of(i), &branch));
	ck_assert_ptr_nonnull(branch.row);
	load = load_of(2);
	branch.target = 16 * ((int64_t)load + 1);
	put(0, sass_encode(c->sm, &branch));
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	branch.target = 16 * (int64_t)index_of(load);
	put(0, sass_encode(c->sm, &branch));
	ck_assert_str_eq(callees(), "malloc assertfail vprintf free");
}
END_TEST

START_TEST(only_undefined_functions_of_these_names_are_the_runtimes)
{
	const struct cubin_section *names, *symtab;
	uint32_t y = 0;
	char *at;

	open_cubin(cubins[_i]);
	while (y < c->nsymbol && strcmp(c->symbol[y].name, "vprintf") != 0)
		y++;
	ck_assert_uint_lt(y, c->nsymbol);
	symtab = section_named(c, ".symtab");
	at = (char *)(uintptr_t)s.text + symtab->offset + 24 * (uint64_t)y;
	at[4] ^= 3;                     /* STT_FUNC: STT_OBJECT */
	lift_now();
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	at[4] ^= 3;
	names = section_named(c, ".strtab");
	at = memmem(s.text + names->offset, names->size, "vprintf", sizeof "vprintf");
	ck_assert_ptr_nonnull(at);
	at[6] = 'g';
	lift_now();
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	at[6] = 'f';
	lift_now();
	ck_assert_str_eq(callees(), "malloc assertfail vprintf free");
}
END_TEST

/* What is added to the address of the function makes it another place: in the word itself, and, in newer files, in the relocation. */
START_TEST(behind_the_start_of_a_function_of_the_runtime_there_may_be_anything)
{
	char *text;
	const struct cubin_section *x = NULL;

	open_cubin(cubins[_i]);
	text = (char *)(uintptr_t)s.text;
	for (uint32_t n = 0; n < c->nsection; n++)
		if (strcmp(c->section[n].name, ".rela.nv.constant4") == 0)
			x = &c->section[n];
	for (uint64_t at = 0; x && at < x->size; at += 24)
		if (x->bytes[at] == 0x38)
			text[x->offset + at + 16] = 16;
	if (!x)
		text[section_named(c, ".nv.constant4")->offset + 0x38] = 16;
	lift_now();
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
}
END_TEST

Suite *suite_runtime(void)
{
	const int n = sizeof cubins / sizeof *cubins;
	Suite *suite = suite_create("runtime");
	TCase *t = tcase_create("runtime");

	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, pass_setup, pass_teardown);
	tcase_add_loop_test(t, a_call_of_the_runtime_reads_its_arguments_and_what_every_call_hands_over, 0, n);
	tcase_add_loop_test(t, the_place_in_bank_4_says_which_function_it_is, 0, n);
	tcase_add_loop_test(t, another_bank_a_guard_or_something_in_between_leaves_it_unknown, 0, n);
	tcase_add_loop_test(t, a_place_that_is_entered_from_elsewhere_says_nothing_of_what_was_loaded, 0, n);
	tcase_add_loop_test(t, only_undefined_functions_of_these_names_are_the_runtimes, 0, n);
	tcase_add_loop_test(t, behind_the_start_of_a_function_of_the_runtime_there_may_be_anything, 0, n);
	suite_add_tcase(suite, t);
	return suite;
}
