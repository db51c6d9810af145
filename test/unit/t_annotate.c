/* ptx-annotate's body: views of PTX and of the object made from it agree, one kernel can be picked, failure leaves
 * nothing. */
#include "analyzer/elf/rlo.h"
#include "analyzer/lib/annotate.h"
#include "regloom.h"

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

Suite *suite_annotate(void);

static const char text[] =
	".version 7.5\n.target sm_75\n.address_size 64\n"
	".global .align 4 .b8 tail[16];\n"
	".global .align 8 .u64 head[2] = {tail, generic(tail)+8};\n"
	".const .align 4 .f32 c[2] = {0f3F800000, 2.5};\n"
	".visible .entry alpha(.param .u64 out)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 %d<2>;\n"
	"\t.shared .align 4 .b8 mine[32];\n"
	"\tld.param.u64 %d0, [out];\n\tmov.u32 %r0, %tid.x;\n\tst.shared.u32 [mine], %r0;\n\tst.global.u32 [%d0], "
	"%r0;\n\tret;\n}\n"
	".visible .entry second(.param .u64 out, .param .align 4 .b8 s[12])\n{\n\t.reg .pred %p;\n\t.reg .b32 "
	"%r<4>;\n\t.reg .b64 %d<3>;\n"
	"\t.shared .align 4 .b8 tile[64];\n"
	"\tld.param.u64 %d0, [out];\n\tmov.u64 %d1, head;\n\tmov.u32 %r0, %tid.x;\n\tld.const.f32 %r2, [c+4];\n"
	"\tst.shared.u32 [tile], %r2;\n\tbar.sync 0;\n$L:\n\tsetp.lt.u32 %p, %r0, 9;\n\t@%p add.u32 %r0, %r0, "
	"3;\n\t@%p bra $L;\n"
	"\tst.global.v2.u32 [%d0], {%r0, %r2};\n\tst.global.u64 [%d1], %d0;\n\tret;\n}\n";

static struct arena a;
static struct diag d;
static char folder[64];

static char *path(const char *name) { return arena_printf(&a, "%s/%s", folder, name); }

static void put(const char *name, const char *what)
{
	FILE *f = fopen(path(name), "w");

	ck_assert_ptr_nonnull(f);
	fputs(what, f);
	fclose(f);
}

static char *get(const char *name)
{
	struct source s;

	ck_assert_msg(source_read(&s, path(name), &a, &d), "%s", d.last);
	return arena_strndup(&a, s.text, s.len);
}

static void setup(void)
{
	arena_init(&a);
	diag_init(&d, NULL);
	strcpy(folder, "/tmp/regloom-t_annotate-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	put("k.ptx", text);
}

static void teardown(void)
{
	static const char *const made[] = { "k.ptx", "two.ptx", "k.rlo", "a", "b", "bad.ptx" };

	for (unsigned i = 0; i < sizeof made / sizeof *made; i++)
		unlink(path(made[i]));
	ck_assert_int_eq(rmdir(folder), 0); /* nothing else is left behind */
	arena_free(&a);
	diag_free(&d);
}

static bool run(const char *in, const char *out, enum annotate_view view, const char *kernel)
{
	struct annotate_job job = annotate_job_default(path(in), path(out));

	job.view = view;
	job.kernel = kernel;
	job.pass.check = true;
	return annotate_run(&job, &d);
}

static const enum annotate_view views[] = { VIEW_LISTING, VIEW_JSON, VIEW_DOT, VIEW_SUMMARY };

START_TEST(an_object_shows_what_its_ptx_shows)
{
	ck_assert_msg(run("k.ptx", "k.rlo", VIEW_OBJ, NULL), "%s", d.last);
	ck_assert(run("k.ptx", "a", views[_i], NULL));
	ck_assert(run("k.rlo", "b", views[_i], NULL));
	ck_assert_uint_gt(strlen(get("a")), 100);
	ck_assert_str_eq(get("a"), get("b"));
}
END_TEST

START_TEST(one_kernel_of_the_object_is_that_of_the_ptx)
{
	ck_assert(run("k.ptx", "k.rlo", VIEW_OBJ, NULL));
	ck_assert(run("k.ptx", "a", views[_i], "second"));
	ck_assert(run("k.rlo", "b", views[_i], "second"));
	ck_assert_str_eq(get("a"), get("b"));
	ck_assert_ptr_null(strstr(get("a"), "alpha"));
}
END_TEST

START_TEST(one_kernel_keeps_the_variables_that_it_sees)
{
	struct module *m;

	ck_assert_msg(run("k.ptx", "k.rlo", VIEW_OBJ, "second"), "%s", d.last);
	m = rlo_read(path("k.rlo"), &a, &d);
	ck_assert_msg(m != NULL, "%s", d.last);
	ck_assert_uint_eq(m->nkernel, 1);
	ck_assert_uint_eq(m->nsym, 4);
	for (uint32_t s = 0; s < m->nsym; s++) {
		ck_assert_str_ne(m->sym[s].name, "mine");
		ck_assert_uint_eq(m->sym[s].kernel, strcmp(m->sym[s].name, "tile") ? UINT32_MAX : 0);
		for (uint32_t r = 0; r < m->sym[s].nreloc; r++)
			ck_assert_str_eq(m->sym[m->sym[s].reloc[r].sym].name, "tail");
	}
	ck_assert(!run("k.ptx", "a", VIEW_OBJ, "third"));
	ck_assert_ptr_nonnull(strstr(d.last, "has no kernel third; it has alpha, second"));
}
END_TEST

/* Both kernels have the name, one demangled: they are read, and one is taken. */
START_TEST(one_kernel_keeps_the_places_of_shared_variables)
{
	put("two.ptx",
	    ".version 7.5\n.target sm_75\n.address_size 64\n"
	    ".visible .entry _Z1bv()\n{\n\t.shared .align 4 .b32 own[8];\n\tst.shared.u32 [own], 1;\n\tret;\n}\n"
	    ".shared .align 4 .b32 x, y;\n"
	    ".visible .entry b()\n{\n\tst.shared.u32 [x], 1;\n\tst.shared.u32 [y], 2;\n\tret;\n}\n");
	ck_assert_msg(run("two.ptx", "a", VIEW_LISTING, "b"), "%s", d.last);
	ck_assert_ptr_nonnull(strstr(get("a"), "st.shared.u32 [0x0], 1;"));
	ck_assert_ptr_nonnull(strstr(get("a"), "st.shared.u32 [0x4], 2;"));
}
END_TEST

START_TEST(a_pass_can_be_dumped)
{
	struct annotate_job job = annotate_job_default(path("k.ptx"), path("a"));

	job.view = VIEW_DUMP;
	job.dump = (enum pass_id)_i;
	ck_assert(annotate_run(&job, &d));
	/* of variants only */
	if (_i != (int)annotate_pass_find("schedule") && _i != (int)annotate_pass_find("regmutex"))
		ck_assert_ptr_nonnull(strstr(get("a"), arena_printf(&a, "after %s: kernel second", pass_info[_i].id)));
}
END_TEST

START_TEST(bad_input_writes_nothing)
{
	put("bad.ptx",
	    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n\tnonsense.u32 %r1;\n\tret;\n}\n");
	put("b", "old");
	ck_assert(!run("bad.ptx", "a", VIEW_OBJ, NULL));
	ck_assert_ptr_nonnull(strstr(d.last, "bad.ptx:6:2: error: "));
	ck_assert_int_ne(access(path("a"), F_OK), 0);
	ck_assert(!run("bad.ptx", "b", VIEW_LISTING, NULL));
	ck_assert_str_eq(get("b"), "old");
}
END_TEST

START_TEST(an_object_has_no_text_and_is_not_compiled_again)
{
	struct annotate_job job = annotate_job_default(path("k.rlo"), path("a"));

	ck_assert(run("k.ptx", "k.rlo", VIEW_OBJ, NULL));
	ck_assert(!run("k.rlo", "a", VIEW_PTX, NULL));
	ck_assert_ptr_nonnull(strstr(d.last, "holds no PTX text"));
	job.compile_options = true;
	ck_assert(!annotate_run(&job, &d));
	ck_assert_ptr_nonnull(strstr(d.last, "its code is compiled"));
}
END_TEST

START_TEST(the_annotated_text_contains_the_input)
{
	char *got, *line;

	ck_assert_msg(run("k.ptx", "a", VIEW_PTX, NULL), "%s", d.last);
	got = get("a");
	for (line = strtok(arena_strndup(&a, text, sizeof text - 1), "\n"); line; line = strtok(NULL, "\n")) {
		got = strstr(got, line);
		ck_assert_msg(got != NULL, "lost: %s", line);
	}
}
END_TEST

START_TEST(the_library_says_what_is_wrong)
{
	struct regloom_annotate_options o = REGLOOM_ANNOTATE_OPTIONS;
	char *error = (char *)"old";

	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), NULL, &error), REGLOOM_OK);
	ck_assert_ptr_null(error);
	put("bad.ptx", "nonsense\n");
	ck_assert_int_eq(regloom_annotate(path("bad.ptx"), path("a"), NULL, &error), REGLOOM_INPUT);
	ck_assert_ptr_nonnull(strstr(error, "bad.ptx:1:1: error: "));
	regloom_string_free(error);
	o.maxreg = 255;
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, &error), REGLOOM_USAGE);
	ck_assert_str_eq(error, "error: maxreg 255 is not from 8 to 254\n");
	regloom_string_free(error);
	o.maxreg = 0;
	o.align = "left";
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, &error), REGLOOM_USAGE);
	ck_assert_str_eq(error, "error: there is no way \"left\" to choose the alignment\n");
	regloom_string_free(error);
	o.align = "exact";
	o.align_seconds = -1;
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, NULL), REGLOOM_USAGE);
	o.align_seconds = 1;
	o.emit = "json";
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, NULL), REGLOOM_OK);
	ck_assert_ptr_nonnull(strstr(get("a"), "\"method\":\"exact\""));
	o = (struct regloom_annotate_options)REGLOOM_ANNOTATE_OPTIONS;
	o.emit = "occupancy";
	o.machine = "gtx48";
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, &error), REGLOOM_USAGE);
	ck_assert_ptr_nonnull(strstr(error, "did you mean gtx480?"));
	regloom_string_free(error);
	o.machine = "regmutex";
	o.set = (const char *const[]){ "rf_registers=16384" };
	o.nset = 1;
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, NULL), REGLOOM_OK);
	ck_assert_ptr_nonnull(strstr(get("a"), " on regmutex: "));
	ck_assert_ptr_nonnull(strstr(get("a"), "an SM has 16384 registers"));
	o.set = (const char *const[]){ "rf_registers" };
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, NULL), REGLOOM_USAGE);
	o.nset = 0;
	o.regmutex = "most";
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, NULL), REGLOOM_USAGE);
	o.regmutex = "off";
	o.regmutex_place = "past";
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, NULL), REGLOOM_USAGE);
	o.regmutex_place = "paper";
	o.regmutex_liveness = "war";
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, NULL), REGLOOM_USAGE);
	o.regmutex_liveness = "paper";
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, NULL), REGLOOM_OK);
	o.size = sizeof o + 8;
	ck_assert_int_eq(regloom_annotate(path("k.ptx"), path("a"), &o, NULL), REGLOOM_USAGE);
	ck_assert_int_eq(regloom_annotate("-", path("a"), NULL, NULL), REGLOOM_USAGE);
}
END_TEST

Suite *suite_annotate(void)
{
	Suite *s = suite_create("annotate");
	TCase *t = tcase_create("annotate");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, an_object_shows_what_its_ptx_shows, 0, 4);
	tcase_add_loop_test(t, one_kernel_of_the_object_is_that_of_the_ptx, 0, 4);
	tcase_add_test(t, one_kernel_keeps_the_variables_that_it_sees);
	tcase_add_test(t, one_kernel_keeps_the_places_of_shared_variables);
	tcase_add_loop_test(t, a_pass_can_be_dumped, 0, PASS_COUNT);
	tcase_add_test(t, bad_input_writes_nothing);
	tcase_add_test(t, an_object_has_no_text_and_is_not_compiled_again);
	tcase_add_test(t, the_annotated_text_contains_the_input);
	tcase_add_test(t, the_library_says_what_is_wrong);
	suite_add_tcase(s, t);
	return s;
}
