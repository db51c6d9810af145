/* Video instructions: what is read prints as it was written; bad selectors and modifiers are reported where they
 * stand. */
#include "analyzer/ptx/ptx.h"

#include <check.h>
#include <string.h>

Suite *suite_video(void);

#define MODULE(body)                                                                                          \
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 a, b, c, d;\n" body \
	"\nret;\n}\n"

static const char *const good[] = {
	"vadd.s32.u32.s32.sat d, a.b0, b.h1",
	"vsub.u32.s32.s32.min d, a, b.b3, c",
	"vabsdiff.s32.s32.u32 d.h0, a.h1, b, c",
	"vmin.s32.s32.s32.sat.add d, a, b, c",
	"vmax.u32.u32.u32 d.b2, a, b, c",
	"vshl.s32.u32.u32.clamp d, a, b",
	"vshr.u32.u32.u32.wrap.max d, a, b.h1, c",
	"vmad.s32.s32.u32.sat d, a, b, -c",
	"vmad.s32.u32.u32.shr15 d, -a.h0, b.h1, c",
	"vmad.u32.u32.u32.po.shr7 d, a, b, c",
	"vset.s32.u32.lt d, a, b.h1",
	"vset.u32.u32.ne.add d, a, b, c",
	"vadd2.s32.u32.s32.sat d, a, b, c",
	"vavrg2.s32.s32.s32 d.h1, a.h01, b.h33, c",
	"vset2.s32.u32.ge.add d, a, b, c",
	"vabsdiff4.u32.u32.u32.add d, a, b, c",
	"vadd4.u32.s32.u32 d.b310, a.b7654, b.b0123, c",
	"vset4.u32.u32.eq d.b0, a, b, c",
};

START_TEST(video_instructions_print_as_they_were_written)
{
	struct arena a;
	struct diag d;
	char *text;
	struct source src;
	struct module *m;

	arena_init(&a);
	diag_init(&d, NULL);
	text = arena_printf(&a, MODULE("%s;"), good[_i]);
	src = (struct source){ "v.ptx", text, strlen(text) };
	m = ptx_parse(&src, &a, &d);
	ck_assert_msg(m != NULL, "%s", d.last);
	ck_assert_str_eq(ir_print_insn(&a, m->kernel[0], &m->kernel[0]->insn[0]), good[_i]);
	diag_free(&d);
	arena_free(&a);
}
END_TEST

static const struct {
	const char *text, *says;
} bad[] = {
	{ "vadd.s32.u32 d, a, b", "names 3 types" },
	{ "vadd.s16.u32.u32 d, a, b", "names 3 types" },
	{ "vset.u32.u32 d, a, b", "names a comparison" },
	{ "vshl.u32.u32.u32 d, a, b", "names a mode" },
	{ "vshl.u32.u32.s32.wrap d, a, b", "amount of" },
	{ "vadd.u32.u32.u32.rn d, a, b", "'.rn' is no modifier of 'vadd'" },
	{ "vadd2.u32.u32.u32.sat.add d, a, b, c", "saturates or accumulates" },
	{ "vadd.u32.u32.u32 d, a.b4, b", "parts are .b0 to .b3" },
	{ "vadd.u32.u32.u32 d, a.x, b", "'.x' selects no part" },
	{ "vadd2.u32.u32.u32 d, a.h4, b, c", "lanes are .hxy" },
	{ "vadd2.u32.u32.u32 d, a.h14, b, c", "lanes are .hxy" },
	{ "vadd4.u32.u32.u32 d.b01, a, b, c", "masks are" },
	{ "vadd4.u32.u32.u32 d.b, a, b, c", "masks are" },
	{ "vadd.u32.u32.u32.add d.b0, a, b, c", "merged or combined" },
	{ "vadd.u32.u32.u32 d, -a, b", "only vmad negates" },
	{ "vmad.u32.u32.u32.po d, -a, b, c", "not negated" },
	{ "vmad.s32.u32.u32 d, -a, b, -c", "not both" },
	{ "vmad.u32.u32.u32 d.h0, a, b, c", "whole register" },
	{ "vadd.u32.u32.u32 d, a, b, c.b0", "3 operands; 4 are given" },
	{ "vadd.u32.u32.u32.add d, a, b", "4 operands; 3 are given" },
	{ "vadd.u32.u32.u32.add d, a, b, c.b0", "whole register" },
};

START_TEST(bad_video_instructions_are_reported)
{
	struct arena a;
	struct diag d;
	char *text;
	struct source src;

	arena_init(&a);
	diag_init(&d, NULL);
	text = arena_printf(&a, MODULE("%s;"), bad[_i].text);
	src = (struct source){ "v.ptx", text, strlen(text) };
	ck_assert(!ptx_parse(&src, &a, &d));
	ck_assert_uint_eq(d.errors, 1);
	ck_assert_msg(strstr(d.last, bad[_i].says) != NULL, "%s", d.last);
	diag_free(&d);
	arena_free(&a);
}
END_TEST

Suite *suite_video(void)
{
	Suite *s = suite_create("video");
	TCase *t = tcase_create("video");

	tcase_add_loop_test(t, video_instructions_print_as_they_were_written, 0, sizeof good / sizeof *good);
	tcase_add_loop_test(t, bad_video_instructions_are_reported, 0, sizeof bad / sizeof *bad);
	suite_add_tcase(s, t);
	return s;
}
