/* Fatbins that nvcc made: the directory, the three packings, the choice of a module; damage is refused where it is. */
#include "analyzer/base/kernel_name.h"
#include "analyzer/cubin/cubin.h"
#include "analyzer/fatbin/fatbin.h"

#include <check.h>
#include <string.h>

#define DIR "test/golden/fatbin/"

struct env {
	struct arena a;
	struct diag d;
	struct source s;
	struct fatbin f;
};

static bool open_file(struct env *e, const char *name)
{
	arena_init(&e->a);
	diag_init(&e->d, NULL);
	ck_assert(source_read(&e->s, name, &e->a, &e->d));
	return fatbin_read(&e->f, &e->s, &e->a, &e->d);
}

static void done(struct env *e)
{
	diag_free(&e->d);
	arena_free(&e->a);
}

/* The same sources, packed in three ways. */
static const struct {
	const char *file;
	enum fatbin_packing packing;
	const char *options;
} packed[] = {
	{ DIR "raw.fatbin", PACKED_NO, "" },
	{ DIR "lz4.fatbin", PACKED_LZ4, "--generate-line-info" },
	{ DIR "zstd.fatbin", PACKED_ZSTD, "" },
};

START_TEST(entries_are_read_and_unpack)
{
	static const struct {
		uint32_t arch;
		char suffix;
	} want[] = { { 75, 0 }, { 75, 0 }, { 80, 0 }, { 90, 'a' }, { 100, 'f' } };
	struct env e;

	ck_assert(open_file(&e, packed[_i].file));
	ck_assert_uint_eq(e.f.n, 5);
	ck_assert_uint_eq(e.f.containers, 1);
	for (uint32_t i = 0; i < 5; i++) {
		const struct fatbin_entry *x = &e.f.entry[i];
		struct source ptx;
		const char **kernel;
		uint32_t n;

		ck_assert_uint_eq(x->arch, want[i].arch);
		ck_assert_int_eq(x->suffix, want[i].suffix);
		ck_assert(x->kind == (i ? FATBIN_PTX : FATBIN_CUBIN));
		ck_assert(fatbin_unpack(&ptx, &e.f, x, &e.a, &e.d));
		if (!i) {
			ck_assert_mem_eq(ptx.text, "\177ELF", 4);
			continue;
		}
		ck_assert(x->packing == packed[_i].packing);
		ck_assert_str_eq(x->options, packed[_i].options);
		ck_assert_uint_eq(x->version, 90);
		ck_assert_uint_eq(strlen(ptx.text), ptx.len);
		ck_assert_ptr_nonnull(strstr(ptx.text, ".version 9.0"));
		kernel = fatbin_kernels(&ptx, &n, &e.a);
		ck_assert_uint_eq(n, 2);
		ck_assert_str_eq(kernel[0], "axpy");
		ck_assert_str_eq(kernel[1], "_Z4fillIfEvPT_S0_j");
	}
	done(&e);
}
END_TEST

/* want: ".target" of the choice, or of machine code the name of its architecture; NULL: refused with the text `why`. */
static const struct {
	const char *file;
	struct fatbin_choice c;
	const char *want, *why;
} choices[] = {
	{ DIR "raw.fatbin", { 0, NULL, NULL, FATBIN_CODE_ANY, false }, ".target sm_100f", NULL },
	{ DIR "raw.fatbin", { 0, "75", NULL, FATBIN_CODE_ANY, false }, ".target sm_75\n", NULL },
	{ DIR "lz4.fatbin", { 0, "89", NULL, FATBIN_CODE_ANY, false }, ".target sm_80\n", NULL },
	{ DIR "lz4.fatbin", { 0, "90", NULL, FATBIN_CODE_ANY, false }, ".target sm_80\n", NULL },
	{ DIR "lz4.fatbin", { 0, "90a", NULL, FATBIN_CODE_ANY, false }, ".target sm_90a\n", NULL },
	{ DIR "zstd.fatbin", { 0, "103", NULL, FATBIN_CODE_ANY, false }, ".target sm_100f\n", NULL },
	{ DIR "zstd.fatbin", { 0, "120", NULL, FATBIN_CODE_ANY, false }, ".target sm_80\n", NULL },
	{ DIR "zstd.fatbin", { 3, NULL, NULL, FATBIN_CODE_ANY, false }, ".target sm_80\n", NULL },
	{ DIR "zstd.fatbin",
	  { 0, "70", NULL, FATBIN_CODE_ANY, false },
	  NULL,
	  "has no code for sm_70; it has PTX for sm_75, sm_80, sm_90a, sm_100f and machine code (SASS) for sm_75" },
	{ DIR "zstd.fatbin", { 1, NULL, NULL, FATBIN_CODE_ANY, false }, "sm_75", NULL },
	{ DIR "zstd.fatbin",
	  { 1, NULL, NULL, FATBIN_CODE_PTX, false },
	  NULL,
	  "module 1 is no PTX but machine code (SASS) for sm_75" },
	{ DIR "zstd.fatbin",
	  { 2, NULL, NULL, FATBIN_CODE_SASS, false },
	  NULL,
	  "module 2 is no machine code (SASS) but PTX for sm_75" },
	{ DIR "zstd.fatbin", { 0, NULL, "axpy", FATBIN_CODE_SASS, false }, "sm_75", NULL },
	{ DIR "zstd.fatbin", { 0, "75", NULL, FATBIN_CODE_SASS, false }, "sm_75", NULL },
	{ DIR "zstd.fatbin",
	  { 0, "80", NULL, FATBIN_CODE_SASS, false },
	  NULL,
	  "has no machine code (SASS) for sm_80; it has it for sm_75" },
	{ DIR "zstd.fatbin",
	  { 0, "70", NULL, FATBIN_CODE_PTX, false },
	  NULL,
	  "has no PTX for sm_70; it has PTX for sm_75" },
	{ DIR "zstd.fatbin", { 9, NULL, NULL, FATBIN_CODE_ANY, false }, NULL, "has no module 9; it has 5, see --list" },
	{ DIR "sass.fatbin", { 0, NULL, NULL, FATBIN_CODE_ANY, false }, "sm_80", NULL },
	{ DIR "sass.fatbin", { 0, "86", "axpy", FATBIN_CODE_ANY, false }, "sm_80", NULL },
	{ DIR "sass.fatbin",
	  { 0, "75", NULL, FATBIN_CODE_ANY, false },
	  NULL,
	  "has no code for sm_75; it has machine code (SASS) for sm_80" },
	{ DIR "sass.fatbin", { 0, "90", NULL, FATBIN_CODE_ANY, false }, NULL, "has no code for sm_90" },
	{ DIR "sass.fatbin",
	  { 0, NULL, NULL, FATBIN_CODE_PTX, false },
	  NULL,
	  "has machine code (SASS) for sm_80 and no PTX" },
	/* its reader names those that it has */
	{ DIR "sass.fatbin", { 0, NULL, "none", FATBIN_CODE_ANY, false }, "sm_80", NULL },
	{ DIR "rdc.o", { 0, NULL, NULL, FATBIN_CODE_SASS, false }, NULL, "and no machine code (SASS)" },
	{ DIR "lto.fatbin",
	  { 1, NULL, NULL, FATBIN_CODE_ANY, false },
	  NULL,
	  "module 1 is neither PTX nor machine code but NVVM code for link-time optimisation for sm_80" },
	{ DIR "rdc.o", { 0, NULL, NULL, FATBIN_CODE_ANY, false }, ".entry fill", NULL },
	{ DIR "two.o", { 0, NULL, "axpy", FATBIN_CODE_ANY, false }, ".entry axpy", NULL },
	/* the name in full goes before that of a template */
	{ DIR "two.o", { 0, NULL, "fill", FATBIN_CODE_ANY, false }, ".target sm_90\n", NULL },
	{ DIR "two.o", { 0, NULL, "_Z4fillIfEvPT_S0_j", FATBIN_CODE_ANY, false }, ".entry axpy", NULL },
	{ DIR "two.o",
	  { 0, NULL, NULL, FATBIN_CODE_ANY, false },
	  NULL,
	  "has kernels in 2 modules: 1 (axpy, fill<float>), 3 (fill); choose one with --kernel or --module" },
	{ DIR "two.o",
	  { 0, NULL, "none", FATBIN_CODE_ANY, false },
	  NULL,
	  "has no kernel none; it has axpy, fill<float>, fill" },
};

START_TEST(a_module_is_chosen_as_the_driver_would)
{
	struct env e;
	struct source code;
	enum fatbin_kind kind;

	ck_assert(open_file(&e, choices[_i].file));
	ck_assert_int_eq(fatbin_choose(&code, &kind, &e.f, &choices[_i].c, &e.a, &e.d), choices[_i].want != NULL);
	if (choices[_i].want && *choices[_i].want == 's') {
		struct cubin *c;

		ck_assert(kind == FATBIN_CUBIN);
		c = cubin_read(&code, &e.a, &e.d);
		ck_assert_ptr_nonnull(c);
		ck_assert_str_eq(cubin_arch(c, &e.a), choices[_i].want);
	} else if (choices[_i].want) {
		ck_assert(kind == FATBIN_PTX);
		ck_assert_ptr_nonnull(strstr(code.text, choices[_i].want));
	}
	if (!choices[_i].want)
		ck_assert_msg(strstr(e.d.last, choices[_i].why) != NULL, "%s", e.d.last);
	ck_assert_uint_eq(e.d.errors, choices[_i].want == NULL);
	done(&e);
}
END_TEST

/* Byte AT of zstd.fatbin set to VALUE. */
static const struct {
	unsigned at;
	unsigned char value;
	const char *why;
} damage[] = {
	{ 0x00, 0x51, "file+0x0: error: neither a fatbin nor an ELF file" },
	{ 0x04, 2, "file+0x4: error: a container of an unknown version" },
	{ 0x06, 8, "file+0x6: error: the size of a container's header is wrong" },
	{ 0x0a, 1, "file+0x8: error: the container is larger than what is left" },
	{ 0x14, 0x20, "file+0x14: error: the size of an entry's header is wrong" },
	{ 0x1a, 1, "file+0x18: error: an entry is larger than its container" },
	{ 0x22, 1, "file+0x20: error: a packed payload is larger than its entry" },
	{ 0x4b, 0xff, "file+0x48: error: an entry is larger than 256 MiB" },
};

START_TEST(damage_is_refused_with_its_offset)
{
	struct env e;

	ck_assert(open_file(&e, DIR "zstd.fatbin"));
	((char *)e.s.text)[damage[_i].at] = (char)damage[_i].value;
	ck_assert(!fatbin_read(&e.f, &e.s, &e.a, &e.d));
	ck_assert_msg(strstr(e.d.last, damage[_i].why) != NULL, "%s", e.d.last);
	done(&e);
}
END_TEST

START_TEST(a_damaged_payload_is_refused)
{
	struct env e;
	struct source ptx;

	ck_assert(open_file(&e, packed[_i].file));
	if (e.f.entry[2].packing != PACKED_NO) {
		memset((char *)e.f.entry[2].bytes + 40, 0xff, 60);
		ck_assert(!fatbin_unpack(&ptx, &e.f, &e.f.entry[2], &e.a, &e.d));
		ck_assert_msg(strstr(e.d.last, "module 3: the ") && strstr(e.d.last, "damaged"), "%s", e.d.last);
		e.f.entry[3].size += 1;
		ck_assert(!fatbin_unpack(&ptx, &e.f, &e.f.entry[3], &e.a, &e.d));
		e.f.entry[4].size = 1 << 20;
		ck_assert(!fatbin_unpack(&ptx, &e.f, &e.f.entry[4], &e.a, &e.d));
	}
	done(&e);
}
END_TEST

START_TEST(a_cut_file_is_refused)
{
	for (size_t n = 4; n < 3248; n += 7) {
		struct env e;

		ck_assert(open_file(&e, DIR "zstd.fatbin"));
		e.s.len = n;
		ck_assert(!fatbin_read(&e.f, &e.s, &e.a, &e.d));
		ck_assert_uint_eq(e.d.errors, 1);
		done(&e);
	}
}
END_TEST

/* Section headers are last in what compilers and linkers write, so that one byte is enough. */
START_TEST(a_cut_object_or_program_says_so)
{
	static const char *const files[] = { DIR "two.o", DIR "data.o", "/proc/self/exe" };
	static const size_t cut[] = { 1, 63, 200 };

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		for (size_t c = 0; c < sizeof cut / sizeof *cut; c++) {
			struct env e;
			bool read = open_file(&e, files[i]);

			ck_assert(read == (i < 2));
			e.s.len -= cut[c];
			ck_assert(!fatbin_read(&e.f, &e.s, &e.a, &e.d));
			ck_assert_uint_eq(e.d.errors, read ? 1 : 2);
			ck_assert_msg(
				strstr(e.d.last, "file+0x28: error: section headers are outside the file; is it cut?"),
				"%s", e.d.last);
			done(&e);
		}
}
END_TEST

START_TEST(a_cubin_and_host_code_alone_are_refused)
{
	struct env e;

	ck_assert(!open_file(&e, DIR "other.cubin"));
	ck_assert(strstr(e.d.last, "is a cubin, not a fatbin"));
	done(&e);
	ck_assert(!open_file(&e, "/proc/self/exe"));
	ck_assert(strstr(e.d.last, "is an ELF file without GPU code"));
	done(&e);
}
END_TEST

START_TEST(a_kernel_goes_by_its_own_or_its_cxx_name)
{
	ck_assert(kernel_is_named("axpy", "axpy"));
	ck_assert(kernel_is_named("_Z4fillIfEvPT_S0_j", "fill"));
	ck_assert(!kernel_is_named("_Z4fillIfEvPT_S0_j", "fil"));
	ck_assert(!kernel_is_named("_Z4fill", "fillI"));
	ck_assert(kernel_is_named("_ZN1a4fillEv", "fill"));
	ck_assert(kernel_is_named("_ZN1a4fillEv", "a::fill"));
	ck_assert(!kernel_is_named("_ZN1a4fillEv", "b::fill"));
	ck_assert(!kernel_is_named("axpy", ""));
}
END_TEST

Suite *suite_fatbin(void);
Suite *suite_fatbin(void)
{
	Suite *s = suite_create("fatbin");
	TCase *t = tcase_create("fatbin");

	tcase_add_loop_test(t, entries_are_read_and_unpack, 0, (int)(sizeof packed / sizeof *packed));
	tcase_add_loop_test(t, a_module_is_chosen_as_the_driver_would, 0, (int)(sizeof choices / sizeof *choices));
	tcase_add_loop_test(t, damage_is_refused_with_its_offset, 0, (int)(sizeof damage / sizeof *damage));
	tcase_add_loop_test(t, a_damaged_payload_is_refused, 0, (int)(sizeof packed / sizeof *packed));
	tcase_add_test(t, a_cut_file_is_refused);
	tcase_add_test(t, a_cut_object_or_program_says_so);
	tcase_add_test(t, a_cubin_and_host_code_alone_are_refused);
	tcase_add_test(t, a_kernel_goes_by_its_own_or_its_cxx_name);
	suite_add_tcase(s, t);
	return s;
}
