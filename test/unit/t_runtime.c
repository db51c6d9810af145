/* Calls of functions of the runtime (printf, assert, malloc): what they read is known, where the file says for certain
 * which function it is. Run from the root of the tree. */
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
		static const struct {
			uint32_t set;
			const char *name;
		} known[] = { { 0xf, "vprintf" }, { 0x3df, "assertfail" }, { 3, "malloc" }, { 3, "free" } };
		const char *is = "?";

		if (k->insn[i].op != OP_SASS_UNKNOWN)
			continue;
		for (uint32_t n = 0; n < k->native->nnote && insn_calls_runtime(&k->insn[i]); n++)
			for (unsigned x = 0; x < sizeof known / sizeof *known; x++)
				if (k->native->note[n].insn == i &&
				    insn_runtime_arguments(&k->insn[i]) == known[x].set &&
				    strstr(k->native->note[n].what, known[x].name))
					is = known[x].name;
		text = arena_printf(&arena, "%s%s%s", text, *text ? " " : "", is);
	}
	return text;
}

static const char *const cubins[] = { "control.sm_75",  "control.sm_80",   "control.sm_86",  "control.sm_89",
				      "control.sm_90a", "control.sm_100a", "control.sm_120a" };

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
	while (strncmp(k->native->print(&arena, k, i), "LDC.64", 6) != 0 ||
	       !strstr(k->native->print(&arena, k, i), "c[0x4][R"))
		i--;
	return i;
}

static void put(uint32_t i, struct sass_word w)
{
	put_words(&s, c, ".text.runtime", 16 * (uint64_t)i, &w, 1);
	lift_now();
}

static struct sass_word word_of(uint32_t i)
{
	return (struct sass_word){ k->native->word[i][0], k->native->word[i][1] };
}

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
	w.lo = (w.lo & UINT32_MAX) | UINT64_C(0x28) << 32; /* a string */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	w.lo = (w.lo & UINT32_MAX) | UINT64_C(0x3c) << 32; /* halves of two */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	w.lo = (w.lo & UINT32_MAX) | UINT64_C(0x4000) << 32; /* outside */
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
	w.lo ^= UINT64_C(7) << 54; /* bank 3 */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	w = was;
	w.lo &= ~UINT64_C(0x7000); /* @P0 */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	w = was;
	w.hi ^= UINT64_C(1) << (78 - 64); /* .IL: another sum of offset and index */
	put(i, w);
	ck_assert_str_eq(callees(), "malloc assertfail ? free");
	put(i, was);
	ck_assert_str_eq(callees(), "malloc assertfail vprintf free");
	put(i + 1, (struct sass_word){ 0x00000000000071ff, 0x000fe40000000000 }); /* nobody knows what it does */
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
	at[4] ^= 3; /* STT_FUNC: STT_OBJECT */
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

/* What is added to the address of the function makes it another place: in the word itself, and, in newer files, in the
 * relocation. */
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

/* What sets the index of a load, R0, for sm_90: 0x38, or something else. */
#define MOVES 0x000fe40000000f00
#define IMADS 0x000fe400078e00ff
#define HFMAS 0x000fe200000001ff
static const struct {
	const char *text;
	struct sass_word word;
	bool is;
} index_words[] = {
	{ "MOV R0, 0x38", { 0x0000003800007802, MOVES }, true },
	{ "@P0 MOV R0, 0x38", { 0x0000003800000802, MOVES }, false },
	{ "MOV R0, R4", { 0x0000000400007202, MOVES }, false },
	{ "MOV R0, c[0x0][0x38]", { 0x00000e0000007a02, MOVES }, false },
	{ "IMAD.MOV.U32 R0, RZ, RZ, 0x38", { 0x00000038ff007424, IMADS }, true },
	{ "IMAD.U32 R0, R4, RZ, 0x38", { 0x0000003804007424, IMADS }, false },
	{ "IMAD.U32 R0, RZ, R4, 0x38", { 0x00000038ff007424, IMADS & ~UINT64_C(0xfb) }, false },
	{ "IMAD.X.U32 R0, RZ, RZ, 0x38, !PT", { 0x00000038ff007424, IMADS | 1 << 10 }, false },
	{ "IMAD.WIDE.U32 R0, RZ, RZ, 0x38", { 0x00000038ff007425, IMADS }, false },
	{ "IMAD.HI.U32 R0, RZ, RZ, 0x38", { 0x00000038ff007427, IMADS }, false },
	{ "HFMA2.MMA R0, -RZ, RZ, 0, 0x38", { 0x00000038ff007435, HFMAS }, true },
	{ "HFMA2 R0, -RZ, RZ, 0, 0x38", { 0x00000038ff007431, HFMAS }, true },
	{ "HFMA2 R0, RZ, RZ, 0, 0x38", { 0x00000038ff007431, HFMAS & ~UINT64_C(0x100) }, false },
	{ "HFMA2 R0, -R4, RZ, 0, 0x38", { 0x0000003804007431, HFMAS }, false },
	{ "HFMA2 R0, -RZ, R4, 0, 0x38", { 0x00000038ff007431, HFMAS & ~UINT64_C(0xfb) }, false },
	{ "HFMA2.SAT R0, -RZ, RZ, 0, 0x38", { 0x00000038ff007431, HFMAS | 1 << 13 }, false },
	{ "HFMA2.F32 R0, -RZ, RZ, 0, 0x38", { 0x00000038ff007431, HFMAS | 1 << 14 }, false },
	{ "HFMA2.RELU R0, -RZ, RZ, 0, 0x38", { 0x00000038ff007431, HFMAS | 1 << 15 }, false },
	{ "HFMA2.FTZ R0, -RZ, RZ, 0, 0x38", { 0x00000038ff007431, HFMAS | 1 << 16 }, false },
};

START_TEST(the_index_of_a_load_is_a_number_where_that_is_certain)
{
	open_cubin("control.sm_90a");
	put(index_of(load_of(2)), index_words[_i].word);
	ck_assert_msg(strcmp(callees(),
			     index_words[_i].is ? "malloc assertfail vprintf free" : "malloc assertfail ? free") == 0,
		      "%s: %s", index_words[_i].text, callees());
}
END_TEST

static const struct {
	const char *text;
	struct sass_word word;
	int at;
	const char *callees;
} between[] = {
	{ "MOV R2, RZ", { 0x000000ff00027202, MOVES }, 1, "malloc assertfail ? free" },
	{ "MOV R3, RZ", { 0x000000ff00037202, MOVES }, 1, "malloc assertfail ? free" },
	{ "MOV R4, RZ", { 0x000000ff00047202, MOVES }, 1, "malloc assertfail vprintf free" },
	{ "CALL.REL", { 0x0000003000007944, 0x000fea0003800000 }, 1, "malloc assertfail ? ? free" },
	{ "BRX R2: anywhere", { 0x0000000002007949, 0x000fea0003800000 }, -100, "? ? ? ?" },
	{ "JMP: anywhere", { 0x000000a00000794a, 0x000fea0003800000 }, -100, "? ? ? ?" },
};

START_TEST(between_a_load_and_its_call_nothing_may_happen)
{
	uint32_t load;

	open_cubin("control.sm_90a");
	load = load_of(2);
	put(between[_i].at > 0 ? load + (uint32_t)between[_i].at : 0, between[_i].word);
	ck_assert_msg(strcmp(callees(), between[_i].callees) == 0, "%s: %s", between[_i].text, callees());
}
END_TEST

/* Relocations of bank 4 that are damaged, its section, the file's type. */
START_TEST(where_the_file_is_not_certain_the_function_is_not)
{
	static const char *const expected[] = { "malloc assertfail ? free", "malloc assertfail ? ?", "? ? ? ?",
						"? ? ? ?" };
	const struct cubin_section *x;
	uint64_t heads;
	char *text;

	open_cubin("control.sm_90a");
	text = (char *)(uintptr_t)s.text;
	memcpy(&heads, text + 0x28, 8);
	x = section_named(c, ".rela.nv.constant4");
	for (uint64_t at = 0; at < x->size; at += 24) {
		if (_i == 0 && x->bytes[at] == 0x38)
			text[x->offset + at + 8] = 1; /* another type */
		if (_i == 1 && x->bytes[at] == 0x40)
			text[x->offset + at] = 0x3c; /* two in one word */
	}
	if (_i == 2) /* two sections of that name */
		memcpy(text + heads + 64 * (uint64_t)section_named(c, ".debug_frame")->shndx,
		       text + heads + 64 * (uint64_t)section_named(c, ".nv.constant4")->shndx, 4);
	if (_i == 3)
		text[0x10] = 1; /* ET_REL: not linked */
	lift_now();
	ck_assert_str_eq(callees(), expected[_i]);
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
	tcase_add_loop_test(t, the_index_of_a_load_is_a_number_where_that_is_certain, 0,
			    sizeof index_words / sizeof *index_words);
	tcase_add_loop_test(t, between_a_load_and_its_call_nothing_may_happen, 0, sizeof between / sizeof *between);
	tcase_add_loop_test(t, where_the_file_is_not_certain_the_function_is_not, 0, 4);
	suite_add_tcase(suite, t);
	return suite;
}
