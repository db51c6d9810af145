/* The PTX reader: what instructions become, what is refused and how it is said, and the annotated text.
 * A wrong module is a golden: test/golden/ptx/NAME.ptx and, beside it, NAME.err; BLESS=1 rewrites the latter. */
#include "analyzer/ptx/ptx.h"
#include "passes/pass.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;
static struct diag diag;

static void setup(void)
{
	arena_init(&arena);
	diag_init(&diag, NULL);
}

static void teardown(void)
{
	diag_free(&diag);
	arena_free(&arena);
}

static struct module *parse(const char *text)
{
	struct source *s = new(&arena, struct source);

	*s = (struct source){ .name = "t.ptx", .text = text, .len = strlen(text) };
	return ptx_parse(s, &arena, &diag);
}

static struct module *parse_ok(const char *text)
{
	struct module *m = parse(text);

	ck_assert_msg(m != NULL, "%s", diag.last ? diag.last : "no module, no error");
	ck_assert_uint_eq(diag.errors, 0);
	return m;
}

/* All instructions, "; " behind each; blocks but the first begin with their label, or "-", and ":; ". */
static char *print(const struct kernel *k)
{
	char *t = arena_printf(&arena, "%s", "");

	for (uint32_t b = 0; b < k->nblock; b++) {
		if (b)
			t = arena_printf(&arena, "%s%s:; ", t, k->block[b].label ? k->block[b].label : "-");
		for (uint32_t i = 0; i < k->block[b].n; i++)
			t = arena_printf(&arena, "%s%s; ", t,
					 ir_print_insn(&arena, k, &k->insn[k->block[b].first + i]));
	}
	t[strlen(t) - 1] = 0;
	return t;
}

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const char prelude[] =
	HEAD ".global .align 4 .u32 gv[4];\n.const .u32 cv[2] = {1, 2};\n"
	     ".shared .align 4 .u32 sh[16];\n.extern .shared .align 16 .b8 dyn[];\n"
	     ".entry k(.param .u64 p0, .param .u32 p1, .param .align 8 .b8 p2[24])\n{\n"
	     ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .u32 %u<4>; .reg .b64 %d<9>; .reg .f32 %f<5>;\n"
	     ".reg .f64 %g<5>; .reg .b8 %c<3>; .local .align 4 .u32 lo[4];\n";

static const struct {
	const char *body, *ir;
} accepted[] = {
	{ "add.s32 %r1, %r2, %r3;", "add.s32 %r1, %r2, %r3; ret;" },
	{ "add .u32 %r1, %r2, -1;", "add.s32 %r1, %r2, -1; ret;" },
	{ ".reg .b32 add, mov, ret; mov.u32 add, 1; mov.u32 ret, 2; add.u32 mov, add, ret;",
	  "mov.u32 add, 1; mov.u32 ret, 2; add.s32 mov, add, ret; ret;" },
	{ "@%p1 add.s32 %r1, %r2, 3; @!%p2 mov.pred %p1, %p3;",
	  "@%p1 add.s32 %r1, %r2, 3; @!%p2 mov.pred %p1, %p3; ret;" },
	{ "setp.ftz.lt.f32 %p1, %f1, %f2; setp.lt.ftz.f32 %p1|%p2, %f1, 0f3F800000;",
	  "setp.lt.ftz.f32 %p1, %f1, %f2; setp.lt.ftz.f32 %p1|%p2, %f1, 0f3F800000; ret;" },
	{ "setp.eq.and.u32 %p1|_, %r1, 5, !%p3; setp.ne.s32.or %p1, %r1, %r2, %p2;",
	  "setp.eq.and.s32 %p1|_, %r1, 5, !%p3; setp.ne.or.s32 %p1, %r1, %r2, %p2; ret;" },
	{ "setp.lt.xor.s32 %p1, %r1, %r2, 1;", "mov.pred %v3, 1; setp.lt.xor.s32 %p1, %r1, %r2, %v3; ret;" },
	{ "vote.sync.ballot.b32 %r1, %p1, 0xffffffff; vote.ballot.sync.b32 %r1, !%p1, -1; vote.ballot.b32 %r2, %p2; "
	  "vote.all.pred %p1, 1;",
	  "vote.sync.ballot.b32 %r1, %p1, -1; vote.sync.ballot.b32 %r1, !%p1, -1; vote.ballot.b32 %r2, %p2, -1; "
	  "vote.all.pred "
	  "%p1, 1, -1; ret;" },
	{ "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1; shfl.down.b32 %f1, %f2, 1, 31; shfl.sync.idx.b32 %r1|_, %r2, "
	  "%r3, 31, %r4;",
	  "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1; shfl.down.b32 %f1, %f2, 1, 31, -1; shfl.sync.idx.b32 %r1|_, "
	  "%r2, %r3, "
	  "31, %r4; ret;" },
	{ "bar.sync 0; barrier.sync 1, 64; bar.cta.sync %r1;", "bar.sync 0, 0; bar.sync 1, 64; bar.sync %r1, 0; ret;" },
	{ "membar.gl; fence.sc.cta; fence.acq_rel.gpu;", "membar; membar.cta; membar; ret;" },
	{ "ld.param.u64 %d1, [p0]; ld.param.u32 %r1, [p1]; ld.param.v2.f32 {%f1, %f2}, [p2+8]; ld.param::entry.b8 "
	  "%r2, [p2+3];",
	  "ld.param.u64 %d1, [c[0x0][0x20]]; ld.param.u32 %r1, [c[0x0][0x28]]; ld.param.v2.f32 {%f1, %f2}, "
	  "[c[0x0][0x38]]; ld.param.u8 %r2, [c[0x0][0x33]]; ret;" },
	{ "mov.u64 %d1, p2; ld.param.u32 %r1, [%d1+4];",
	  "mov.u64 %d1, 48; cvt.u32.u64 %v2, %d1; ld.param.u32 %r1, [%v2+0x4]; ret;" },
	{ "ld.global.u32 %r1, [%d1+-4]; ld.global.volatile.u32 %r1, [%d1+(2*4)]; ld.volatile.global.u32 %r1, [gv + "
	  "4]; ld.relaxed.sys.global.u32 %r1, [gv];",
	  "ld.global.u32 %r1, [%d1-0x4]; ld.volatile.global.u32 %r1, [%d1+0x8]; ld.volatile.global.u32 %r1, "
	  "[gv+0x4]; ld.relaxed.global.u32 %r1, [gv]; ret;" },
	{ "ld.global.nc.L1::evict_last.L2::128B.v4.f32 {%f1,_,%f2,%f3}, [%d1]; ld.global.ca.f32 %f1, [%d1]; "
	  "ldu.global.f32 %f1, [%d1]; st.global.wb.f32 [%d1], %f1;",
	  "ld.global.nc.v4.f32 {%f1, _, %f2, %f3}, [%d1]; ld.global.ca.f32 %f1, [%d1]; ld.global.f32 %f1, [%d1]; "
	  "st.global.wb.f32 [%d1], %f1; ret;" },
	{ "ld.global.L2::cache_hint.u32 %r1, [%d1], %d2;", "ld.global.u32 %r1, [%d1]; ret;" },
	{ "ld.shared.u32 %r1, [%r2]; ld.shared::cta.u32 %r1, [%d2]; ld.global.u32 %r1, [%r2]; ld.shared.u32 %r1, "
	  "sh[2]; ld.shared.u32 %r1, [dyn+16];",
	  "ld.shared.u32 %r1, [%r2]; cvt.u32.u64 %v3, %d2; ld.shared.u32 %r1, [%v3]; cvt.u64.u32 %v4, %r2; "
	  "ld.global.u32 %r1, [%v4]; ld.shared.u32 %r1, [sh+0x8]; ld.shared.u32 %r1, [dyn+0x10]; ret;" },
	{ "ld.u32 %r1, [%d1]; ld.u32 %r1, [sh]; st.u32 [lo+4], %r1; ld.local.u32 %r1, [8]; ld.const.u32 %r1, [cv];",
	  "ld.u32 %r1, [%d1]; ld.shared.u32 %r1, [sh]; st.local.u32 [lo+0x4], %r1; ld.local.u32 %r1, [0x8]; "
	  "ld.const.u32 %r1, [cv]; ret;" },
	{ "ld.shared.s8 %d1, [sh]; ld.shared.u8 %h1, [sh]; ld.shared.s32 %d1, [sh]; ld.shared.b32 %f1, [sh]; "
	  "ld.shared.f32 %d1, [sh]; ld.shared.v2.u8 {%c1,%r2}, [sh];",
	  "ld.shared.s8 %v1, [sh]; cvt.s64.s32 %d1, %v1; ld.shared.u8 %h1, [sh]; ld.shared.u32 %v3, [sh]; "
	  "cvt.s64.s32 %d1, %v3; ld.shared.u32 %f1, [sh]; ld.shared.f32 %v5, [sh]; cvt.u64.u32 %d1, %v5; "
	  "ld.shared.v2.u8 {%c1, %r2}, [sh]; ret;" },
	{ "st.shared.u8 [sh], %d1; st.shared.u32 [%r1], %r2 + 1; st.shared.v2.u32 [sh], {%d2, 7}; st.shared.u32 "
	  "[sh], {%r1}; st.shared.b32 [sh], 0f3F800000; st.shared.f32 [sh], 1.5;",
	  "cvt.u32.u64 %v1, %d1; st.shared.u8 [sh], %v1; add.s32 %v4, %r2, 1; st.shared.u32 [%r1], %v4; cvt.u32.u64 "
	  "%v6, %d2; st.shared.v2.u32 [sh], {%v6, 7}; st.shared.u32 [sh], %r1; st.shared.u32 [sh], 1065353216; "
	  "st.shared.f32 [sh], 0f3FC00000; ret;" },
	{ "cvt.s16.s8 %r1, %r2; cvt.u32.u8 %r1, %d1; cvt.s64.s32 %d1, %r1; cvt.u8.u32 %d1, %r1; cvt.rn.f32.s32 %f1, "
	  "%r1; cvt.rzi.ftz.s32.f32 %r1, %f1; cvt.sat.f32.f32 %f1, %f2; cvt.f64.f32 %g1, %f1;",
	  "cvt.s16.s8 %r1, %r2; cvt.u32.u64 %v3, %d1; cvt.u32.u8 %r1, %v3; cvt.s64.s32 %d1, %r1; cvt.u8.u32 %v4, "
	  "%r1; cvt.u64.u32 %d1, %v4; cvt.rn.f32.s32 %f1, %r1; cvt.rzi.ftz.s32.f32 %r1, %f1; cvt.sat.f32.f32 %f1, "
	  "%f2; cvt.f64.f32 %g1, %f1; ret;" },
	{ "mov.u32 %r1, %tid.x; mov.u32 %r1, %laneid; mov.u64 %d1, %clock64; mov.u16 %h1, %ntid.y; cvt.u64.u32 %d1, "
	  "%ctaid.z; cvt.u32.u16 %r1, %tid.x; mov.u32 %r2, %gridid; mov.u64 %d1, %gridid;",
	  "mov.u32 %r1, %tid.x; mov.u32 %r1, %laneid; mov.u64 %d1, %clock64; mov.u32 %v3, %ntid.y; mov.u16 %h1, "
	  "%v3; mov.u32 %v4, %ctaid.z; cvt.u64.u32 %d1, %v4; mov.u32 %v5, %tid.x; cvt.u32.u16 %r1, %v5; mov.u32 "
	  "%r2, %gridid; mov.u64 %d1, %gridid; ret;" },
	{ "mov.u32 %r1, WARP_SZ; add.u32 %r1, %r1, WARP_SZ*2+1;", "mov.u32 %r1, 32; add.s32 %r1, %r1, 65; ret;" },
	{ "mov.u32 %r1, (3+4)*2; mov.u32 %r1, 1?2:3; mov.u32 %r1, ~5; mov.u32 %r1, 7 % 4; mov.u32 %r1, (.s64)-5; "
	  "mov.u32 %r1, 017; mov.u32 %r1, 0b101U; mov.u32 %r1, 0x1fU; mov.u32 %r1, !3; mov.u32 %r1, -1 >> 31; "
	  "mov.u32 %r1, -1 > 1U; mov.u32 %r1, 1 << 4 | 3 & 2 ^ 1;",
	  "mov.u32 %r1, 14; mov.u32 %r1, 2; mov.u32 %r1, -6; mov.u32 %r1, 3; mov.u32 %r1, -5; mov.u32 %r1, 15; "
	  "mov.u32 %r1, 5; mov.u32 %r1, 31; mov.u32 %r1, 0; mov.u32 %r1, -1; mov.u32 %r1, 1; mov.u32 %r1, 19; ret;" },
	{ "mov.f32 %f1, 2.0 + 3.5; mov.f32 %f1, -1.0; mov.f32 %f1, .5; mov.f32 %f1, 1.; mov.f32 %f1, 1e3; mov.f32 "
	  "%f1, 0d3FF8000000000000; mov.f64 %g1, 0f3FC00000; mov.f64 %g1, 0D4000000000000000; mov.b32 %r1, "
	  "0F3F800000; mov.b64 %d1, 1.0; mov.f32 %f1, 0f7FC12345;",
	  "mov.f32 %f1, 0f40B00000; mov.f32 %f1, 0fBF800000; mov.f32 %f1, 0f3F000000; mov.f32 %f1, 0f3F800000; "
	  "mov.f32 %f1, 0f447A0000; mov.f32 %f1, 0f3FC00000; mov.f64 %g1, 0d3FF8000000000000; mov.f64 %g1, "
	  "0d4000000000000000; mov.u32 %r1, 1065353216; mov.u64 %d1, 4607182418800017408; mov.f32 %f1, 0f7FC12345; "
	  "ret;" },
	{ "mov.pred %p1, -1; mov.pred %p1, !%p2; and.pred %p1, %p2, !%p3; selp.b32 %r1, %r2, 4, !%p1; selp.f32 %f1, "
	  "%f2, 0f00000000, %p1; selp.b32 %f1, %f2, %r1, %p1;",
	  "mov.pred %p1, 1; mov.pred %p1, !%p2; and.pred %p1, %p2, !%p3; selp.b32 %r1, %r2, 4, !%p1; selp.f32 %f1, "
	  "%f2, 0f00000000, %p1; selp.b32 %f1, %f2, %r1, %p1; ret;" },
	{ "mov.u64 %d1, gv; mov.u32 %r1, sh; mov.u64 %d2, sh+8; mov.u32 %r1, sh[3]; cvta.global.u64 %d1, gv; "
	  "cvta.to.shared.u64 %d1, %d2; cvta.shared.u64 %d1, %d2;",
	  "mov.u64 %d1, gv; mov.u32 %r1, sh; mov.u64 %d2, sh+8; mov.u32 %r1, sh+12; cvta.global.u64 %d1, gv; "
	  "cvta.shared.to.u64 %d1, %d2; cvta.shared.u64 %d1, %d2; ret;" },
	{ "mov.b64 %d1, {%r1, 0}; mov.b64 {_, %r2}, %d1; mov.b32 %r1, {%h1, %h2}; mov.b64 %d1, {%f1, %r2}; mov.b64 "
	  "%d1, {%h1, %h2, %h3, %h1}; mov.b32 {%h1, %h2}, %r1; mov.b64 {%h1, _, %h2, %h3}, %d1;",
	  "mov.pack2.b64 %d1, %r1, 0; mov.unpack2.b64 _|%r2, %d1; mov.pack2.b32 %r1, %h1, %h2; mov.pack2.b64 %d1, "
	  "%f1, %r2; mov.pack4.b64 %d1, %h1, %h2, %h3, %h1; mov.unpack2.b32 %h1|%h2, %r1; cvt.u16.u64 %h1, %d1; "
	  "shr.u64 %v7, %d1, 32; cvt.u16.u64 %h2, %v7; shr.u64 %v8, %d1, 48; cvt.u16.u64 %h3, %v8; ret;" },
	{ ".reg .v4 .u32 v; mov.v4.u32 v, %tid; add.u32 %r1, v.x, v.b; ld.shared.v4.u32 v, [sh];",
	  "mov.u32 %v4, %tid.x; mov.u32 %v5, %tid.y; mov.u32 %v6, %tid.z; mov.u32 %v7, 0; mov.u32 v.x, %v4; mov.u32 "
	  "v.y, %v5; mov.u32 v.z, %v6; mov.u32 v.w, %v7; add.s32 %r1, v.x, v.z; ld.shared.v4.u32 {v.x, v.y, v.z, "
	  "v.w}, [sh]; ret;" },
	{ "atom.global.add.u32 %r1, [gv+4], 1; atom.add.release.gpu.global.u32 _, [%d1], %r2; atom.shared.cas.b32 "
	  "%r1, [sh], %r2, %r3; atom.cas.b64 %d1, [%d2], %d3, 0; red.shared.max.s32 [%r1], %r2; atom.exch.b32 %f1, "
	  "[%d1], %f2; red.global.add.f32 [%d1], %f1;",
	  "atom.global.add.u32 %r1, [gv+0x4], 1; atom.release.global.add.u32 _, [%d1], %r2; atom.shared.cas.b32 "
	  "%r1, [sh], %r2, %r3; atom.cas.b64 %d1, [%d2], %d3, 0; red.shared.max.s32 [%r1], %r2; atom.exch.b32 %f1, "
	  "[%d1], %f2; red.global.add.f32 [%d1], %f1; ret;" },
	{ "lop3.b32 %r1, %r2, %r3, %r4, 0x96; prmt.b32 %r1, %r2, %r3, 0x3210; bfe.u32 %r1, %r2, 4, 8; shl.b64 %d1, "
	  "%d2, %r1; shr.s16 %h1, %h2, 3; mad.wide.s32 %d1, %r1, 4, %d2; popc.b64 %r1, %d1;",
	  "lop3.b32 %r1, %r2, %r3, %r4, 150; prmt.b32 %r1, %r2, %r3, 12816; bfe.u32 %r1, %r2, 4, 8; shl.b64 %d1, "
	  "%d2, %r1; shr.s16 %h1, %h2, 3; mad.wide.s32 %d1, %r1, 4, %d2; popc.b64 %r1, %d1; ret;" },
	{ "add.sat.s32 %r1, %r2, %r3; add.sat.ftz.f32 %f1, %f2, %f3; mul.wide.u16 %r1, %h1, %h2; fma.rn.f32 %f1, "
	  "%f2, %f3, 1.0; rcp.approx.ftz.f32 %f1, %f2;",
	  "add.sat.s32 %r1, %r2, %r3; add.ftz.sat.f32 %f1, %f2, %f3; mul.wide.u16 %r1, %h1, %h2; fma.rn.f32 %f1, "
	  "%f2, %f3, 0f3F800000; rcp.approx.ftz.f32 %f1, %f2; ret;" },
	{ "bra.uni L; add.s32 %r1, %r1, 1; L: @%p1 bra L; M: N: @!%p1 exit; trap; @%p1 bra M; exit; add.s32 %r2, %r2, "
	  "1;",
	  "bra.uni L; L:; @%p1 bra L; M:; @!%p1 exit; -:; trap; @%p1 bra M; -:; exit;" },
	{ "{ .reg .b32 %r3; mov.u32 %r3, 1; L: bra L; } { .reg .b32 %r<2>, x; L: mov.u32 x, %r1; @%p1 bra L; @%p1 "
	  "bra END; } END: mov.u32 %r3, 2;",
	  "mov.u32 %r3, 1; L:; bra L; L:; mov.u32 x, %r1; @%p1 bra L; -:; @%p1 bra END; END:; mov.u32 %r3, 2; ret;" },
	{ ".reg .b32 %q1<4>, %q<3>; mov.u32 %q13, %q1; mov.u32 %q2, %q10;",
	  "mov.u32 %q13, %q1; mov.u32 %q2, %q10; ret;" },
	{ ".pragma \"nounroll\"; .loc 1 2 3 .pragma \"used_bytes_mask 15\"; ld.shared.v4.u8 {%c1,%c1,%c1,_}, [sh]; "
	  "activemask.b32 %r1; setp.lt.u32 %p1, %r1, 0x1ffffffff;",
	  "ld.shared.v4.u8 {%c1, %c1, %c1, _}, [sh]; activemask.b32 %r1; setp.lt.u32 %p1, %r1, -1; ret;" },
};

START_TEST(a_statement_becomes_these_instructions)
{
	struct module *m = parse_ok(arena_printf(&arena, "%s%s\n}\n", prelude, accepted[_i].body));

	ck_assert_str_eq(print(m->kernel[0]), accepted[_i].ir);
}
END_TEST

START_TEST(line_ends_and_comments_do_not_matter)
{
	const char *body = "add.s32 %r1, %r2, 3;\nL:\n@%p1 bra L;\n";
	const char *same = "add\r\n.s32 /* a\n comment; } */ %r1 , // ...\r\n %r2,3 ;L\t:@ %p1 bra\r\nL;";
	struct module *a = parse_ok(arena_printf(&arena, "%s%s}", prelude, body));
	struct module *b = parse_ok(arena_printf(&arena, "%s%s}", prelude, same));

	ck_assert_str_eq(print(a->kernel[0]), print(b->kernel[0]));
}
END_TEST

START_TEST(parameters_are_laid_out_by_their_alignment)
{
	struct module *m = parse_ok(
		HEAD ".visible .entry k(.param .u8 a, .param .f64 b, .param .align 16 .b8 c[20], .param .s16 d,\n"
		     " .param .u64 .ptr .global .align 8 e, .param .v4 .f32 f, .param .b32 g[2][3]) { ret; }");
	const struct kernel *k = m->kernel[0];
	static const struct {
		uint32_t offset, size, align;
		bool array;
	} want[] = {
		{ 0, 1, 1, false },  { 8, 8, 8, false },   { 16, 20, 16, true }, { 36, 2, 2, false },
		{ 40, 8, 8, false }, { 48, 16, 16, true }, { 64, 24, 4, true },
	};

	ck_assert_uint_eq(k->nparam, 7);
	for (unsigned i = 0; i < 7; i++) {
		ck_assert_uint_eq(k->param[i].offset, want[i].offset);
		ck_assert_uint_eq(k->param[i].size, want[i].size);
		ck_assert_uint_eq(k->param[i].align, want[i].align);
		ck_assert(k->param[i].array == want[i].array);
	}
	ck_assert_str_eq(k->param[3].name, "d");
	ck_assert_uint_eq(k->res.param_bytes, 88);
}
END_TEST

START_TEST(kernels_keep_their_launch_bounds)
{
	struct module *m = parse_ok(
		HEAD ".entry declared(.param .u32 x);\n.entry a .maxntid 64, 2 .minnctapersm 3 .maxnreg 40 { ret; }\n"
		     ".weak .entry declared(.param .u32 x) .reqntid 8,4,2 .pragma \"nounroll\"; { }");

	ck_assert_uint_eq(m->nkernel, 2);
	ck_assert_uint_eq(m->kernel[0]->maxntid[0], 64);
	ck_assert_uint_eq(m->kernel[0]->maxntid[1], 2);
	ck_assert_uint_eq(m->kernel[0]->maxntid[2], 1);
	ck_assert_uint_eq(m->kernel[0]->minnctapersm, 3);
	ck_assert_uint_eq(m->kernel[0]->maxnreg, 40);
	ck_assert_uint_eq(m->kernel[1]->reqntid[2], 2);
	ck_assert_str_eq(print(m->kernel[1]), "ret;");
}
END_TEST

START_TEST(the_module_directives_are_kept)
{
	struct module *m = parse_ok(".version 8.0\n.target sm_90a, debug\n.address_size 32\n");

	ck_assert_uint_eq(m->ptx_version, 80);
	ck_assert_uint_eq(m->sm, 90);
	ck_assert_str_eq(m->target, "sm_90a");
	ck_assert_uint_eq(m->address_bits, 32);
	ck_assert_uint_eq(parse_ok(".version 1.4\n.target sm_10, map_f64_to_f32\n")->address_bits, 32);
}
END_TEST

static const struct symbol *find(const struct module *m, const char *name)
{
	for (uint32_t s = 0; s < m->nsym; s++)
		if (strcmp(m->sym[s].name, name) == 0)
			return &m->sym[s];
	ck_abort_msg("no symbol %s", name);
	return NULL;
}

static const struct {
	const char *decl;
	uint64_t size;
	uint32_t align;
	uint8_t bytes[16];
} initialised[] = {
	{ ".global .u32 v = 0x01020304;", 4, 4, { 4, 3, 2, 1 } },
	{ ".visible .global .align 8 .b8 v[6] = {1, 2+1, -1};", 6, 8, { 1, 3, 0xff } },
	{ ".const .s16 v[4] = {-1, 2};", 8, 2, { 0xff, 0xff, 2, 0 } },
	{ ".global .u8 v[2][3] = {{1}, {2, 3}};", 6, 1, { 1, 0, 0, 2, 3, 0 } },
	{ ".global .u16 v[] = {1, 2, 3};", 6, 2, { 1, 0, 2, 0, 3, 0 } },
	{ ".global .u8 v[][2] = {{1, 2}, {3}};", 4, 1, { 1, 2, 3, 0 } },
	{ ".global .f32 v[3] = {1.0, 0f40000000, 0d4008000000000000};",
	  12,
	  4,
	  { 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40 } },
	{ ".global .f64 v = -2.0;", 8, 8, { 0, 0, 0, 0, 0, 0, 0, 0xc0 } },
	{ ".global .v4 .u8 v[2] = {{1, 2, 3, 4}, {5}};", 8, 4, { 1, 2, 3, 4, 5, 0, 0, 0 } },
	{ ".common .global .v2 .f32 v;", 8, 8, { 0 } },
	{ ".const .align 64 .u64 v[2] = {WARP_SZ, };", 16, 64, { 32 } },
};

START_TEST(a_variable_has_these_bytes)
{
	const char *decl = initialised[_i].decl;
	const struct symbol *s;

	s = find(parse_ok(arena_printf(&arena, HEAD "%s\n", decl)), "v");
	ck_assert_uint_eq(s->size, initialised[_i].size);
	ck_assert_uint_eq(s->align, initialised[_i].align);
	if (s->init)
		ck_assert_mem_eq(s->init, initialised[_i].bytes, s->size);
	else
		ck_assert(strchr(decl, '=') == NULL);
}
END_TEST

START_TEST(addresses_in_initialisers_become_relocations)
{
	struct module *m =
		parse_ok(HEAD ".global .u32 a[4];\n.global .u64 p[4] = {a, a + 4, generic(a) + 8};\n"
			      ".global .b8 q[12] = {7, 0xFF(a), 0xFF00(a), 0xFF0000(a), 0xFF000000(a), 9};\n");
	const struct symbol *p = find(m, "p"), *q = find(m, "q");

	ck_assert_uint_eq(p->nreloc, 3);
	ck_assert_uint_eq(p->reloc[1].offset, 8);
	ck_assert_int_eq(p->reloc[1].addend, 4);
	ck_assert_uint_eq(p->reloc[1].bytes, 8);
	ck_assert(!p->reloc[1].generic && p->reloc[2].generic);
	ck_assert_int_eq(p->reloc[2].addend, 8);
	ck_assert_uint_eq(q->nreloc, 1);
	ck_assert_uint_eq(q->reloc[0].offset, 1);
	ck_assert_uint_eq(q->reloc[0].bytes, 4);
	ck_assert_uint_eq(q->init[0], 7);
	ck_assert_uint_eq(q->init[5], 9);
}
END_TEST

START_TEST(variables_of_a_body_belong_to_their_kernel)
{
	struct module *m =
		parse_ok(HEAD ".shared .align 4 .b8 all[8];\n.extern .shared .align 16 .b8 dyn[];\n.local .b32 old;\n"
			      ".entry a() { .shared .b32 x[4]; { .local .align 8 .b8 x[16]; } ret; }\n"
			      ".entry b() { .reg .b32 %r; .shared .b64 x; mov.u32 %r, dyn; ret; }\n");

	ck_assert_uint_eq(m->nsym, 6);
	ck_assert_uint_eq(m->sym[0].kernel, UINT32_MAX);
	ck_assert(m->sym[1].external);
	ck_assert_uint_eq(m->sym[3].kernel, 0);
	ck_assert_uint_eq(m->sym[3].space, SP_SHARED);
	ck_assert_uint_eq(m->sym[4].space, SP_LOCAL);
	ck_assert_uint_eq(m->sym[5].kernel, 1);
	ck_assert_uint_eq(m->kernel[0]->res.shared_bytes, 16);
	ck_assert_uint_eq(m->kernel[1]->res.shared_bytes, 16);
	ck_assert_uint_ge(m->kernel[0]->res.local_bytes, 20);
}
END_TEST

/* As ptxas 13.0 -v says of these. */
START_TEST(a_kernel_has_the_shared_variables_that_it_names)
{
	static const unsigned bytes[] = { 3008, 2000, 5000, 0 };
	struct module *m = parse_ok(HEAD ".shared .align 4 .b8 x[1000];\n.shared .align 16 .b8 y[2000];\n"
					 ".shared .align 4 .b8 z[4000];\n.shared .align 4 .b8 never[8000];\n"
					 ".func f() { st.shared.u32 [z+4], 1; ret; }\n"
					 ".entry a() { st.shared.u32 [x], 1; st.shared.u32 [y], 1; ret; }\n"
					 ".entry b() { st.shared.u32 [y+8], 1; ret; }\n"
					 ".entry c() { st.shared.u32 [x], 1; call f; ret; }\n.entry d() { ret; }\n");

	for (unsigned k = 0; k < sizeof bytes / sizeof *bytes; k++)
		ck_assert_uint_eq(m->kernel[k]->res.shared_bytes, bytes[k]);
	ck_assert_uint_eq(ir_frame_offset(m->kernel[0], &m->sym[1]), 1008);
	ck_assert_uint_eq(ir_frame_offset(m->kernel[1], &m->sym[1]), 0);
	ck_assert_uint_eq(ir_frame_offset(m->kernel[2], &m->sym[2]), 1000);
}
END_TEST

START_TEST(source_lines_follow_loc_even_before_file)
{
	struct module *m =
		parse_ok(HEAD ".entry k()\n{\n.reg .b32 %r<3>;\n.loc 7 42 9\nmov.u32 %r1, 1;\nmov.u32 %r2, 2;\n"
			      ".loc 3 5 0, function_name $L__info_string0, inlined_at 7 42 9\nret;\n}\n"
			      ".file 7 \"b.cu\", 1234, 99\n.file 3 \"a.h\"\n"
			      ".section .debug_str {\n$L__info_string0:\n.b8 102,0\n}\n");
	const struct kernel *k = m->kernel[0];
	const struct srcline *l = &m->line[k->insn[1].line];

	ck_assert_uint_eq(k->insn[0].line, k->insn[1].line);
	ck_assert_str_eq(m->file[l->file], "b.cu");
	ck_assert_uint_eq(l->line, 42);
	ck_assert_uint_eq(l->col, 9);
	ck_assert_str_eq(m->file[m->line[k->insn[2].line].file], "a.h");
	ck_assert_uint_eq(m->line[k->insn[2].line].line, 5);
	ck_assert_str_eq(m->src->text + k->insn[2].where, strstr(m->src->text, "ret;"));
}
END_TEST

START_TEST(only_used_registers_exist)
{
	struct module *m = parse_ok(
		HEAD ".reg .b32 shared_by_all;\n.entry k() { .reg .b32 %r<1000000>; mov.u32 %r999999, 1; ret; }\n"
		     ".entry j() { mov.u32 shared_by_all, 1; mov.u32 shared_by_all, 2; ret; }\n"
		     ".entry i() { mov.u32 shared_by_all, 1; ret; }\n");

	ck_assert_uint_eq(m->kernel[0]->nvreg, 1);
	ck_assert_str_eq(m->kernel[0]->vreg[0].name, "%r999999");
	ck_assert_uint_eq(m->kernel[1]->nvreg, 1);
	ck_assert_uint_eq(m->kernel[2]->nvreg, 1);
}
END_TEST

START_TEST(names_may_be_very_long)
{
	char *name = arena_alloc(&arena, 5001, 1);

	memset(name, 'x', 5000);
	ck_assert_str_eq(parse_ok(arena_printf(&arena, HEAD ".entry %s() { ret; }", name))->kernel[0]->name, name);
}
END_TEST

/* Time per instruction must not grow with the kernel: a test that a quadratic reader would not finish. */
START_TEST(a_large_kernel_is_read)
{
	enum { N = 40000 };
	size_t n = 0;
	char *t = arena_alloc(&arena, (size_t)N * 140 + 1000, 1);
	struct module *m;

	n += (size_t)sprintf(t, HEAD ".entry k() { .reg .b32 %%r<%d>; .reg .pred %%p<%d>;\n", N + 1, N + 1);
	for (int i = 0; i < N; i++)
		n += (size_t)sprintf(t + n,
				     "L%d: { .reg .b32 t; add.s32 t, %%r%d, %d; mov.b32 %%r%d, t; @%%p%d bra L%d; }\n",
				     i, i, i, i + 1, i, N - 1 - i);
	sprintf(t + n, "}\n");
	m = parse_ok(t);
	ck_assert_uint_eq(m->kernel[0]->ninsn, 3 * N + 1);
	ck_assert_uint_eq(m->kernel[0]->nblock, N + 1);
}
END_TEST

/* ---- goldens ---- */
static int is_ptx(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 4 && strcmp(e->d_name + n - 4, ".ptx") == 0;
}

static void check_golden(const char *name)
{
	const char *dir = "test/golden/ptx/";
	struct source s, want;
	char *got = NULL, *err_path;
	size_t got_len = 0;
	FILE *f;
	struct diag d;

	ck_assert_msg(source_read(&s, arena_printf(&arena, "%s%s", dir, name), &arena, &diag), "%s", diag.last);
	s.name = name;
	f = open_memstream(&got, &got_len);
	ck_assert(f != NULL);
	diag_init(&d, f);
	ck_assert_msg(ptx_parse(&s, &arena, &d) == NULL && d.errors > 0, "%s was accepted", name);
	fclose(f);
	diag_free(&d);
	err_path = arena_printf(&arena, "%s%.*s.err", dir, (int)strlen(name) - 4, name);
	if (getenv("BLESS")) {
		f = fopen(err_path, "w");
		ck_assert_msg(f != NULL, "%s", err_path);
		fputs(got, f);
		fclose(f);
	}
	ck_assert_msg(source_read(&want, err_path, &arena, &diag), "%s", diag.last);
	ck_assert_msg(strcmp(got, want.text) == 0, "%s differs; this was said:\n%s", err_path, got);
	free(got);
}

START_TEST(wrong_modules_are_refused_in_these_words)
{
	struct dirent **list;
	int n = scandir("test/golden/ptx", &list, is_ptx, alphasort);

	ck_assert_msg(n > 0, "no test/golden/ptx: run from the root of the repository");
	for (int i = 0; i < n; i++) {
		check_golden(list[i]->d_name);
		free(list[i]);
	}
	free(list);
}
END_TEST

START_TEST(twenty_errors_are_enough)
{
	char *t = arena_printf(&arena, "%s", prelude);

	for (int i = 0; i < 30; i++)
		t = arena_printf(&arena, "%sfrob.u32 %%r1;\n", t);
	ck_assert(parse(arena_printf(&arena, "%s}\n", t)) == NULL);
	ck_assert_uint_eq(diag.errors, DIAG_MAX);
}
END_TEST

/* ---- annotated text ---- */
START_TEST(annotated_text_reads_as_the_same_kernel)
{
	static const char *const text[] = {
		HEAD ".entry k(.param .u64 p)\r\n{ .reg .b32 %r<4>; .reg .b64 %d; .reg .pred %p; // {\r\nld.param.u64 "
		     "%d, [p];\r\n"
		     "L: ld.global.u32 %r1, [%d]; add.s32 %r2,\n %r1, /* x\n y */ 1; setp.eq.s32 %p, %r2, 0;\n@%p bra "
		     "L; st.global.u32 [%d], %r2;\r\n}\n",
		HEAD ".entry a() { ret; } .entry b() .pragma \"{\"; { .reg .u64 %c; mov.u64 %c, %clock64; }",
	};
	struct pass_ctx cx;

	pass_ctx_init(&cx, &diag);
	for (unsigned t = 0; t < 2; t++) {
		struct module *m = parse_ok(text[t]), *again;
		char *out = NULL;
		size_t n;
		FILE *f = open_memstream(&out, &n);

		ck_assert(f != NULL);
		for (uint32_t k = 0; k < m->nkernel; k++)
			ck_assert_msg(pass_need(m->kernel[k], FACT_CFG | FACT_LIVE | FACT_CORF, &cx), "%s", diag.last);
		ck_assert(ptx_write_annotated(f, m, m->kernel));
		fclose(f);
		again = parse_ok(out);
		ck_assert_uint_eq(again->nkernel, m->nkernel);
		for (uint32_t k = 0; k < m->nkernel; k++)
			ck_assert_str_eq(print(m->kernel[k]), print(again->kernel[k]));
		ck_assert_ptr_nonnull(strstr(out, ".pragma \"regloom version=1 registers="));
		if (t == 0) {
			ck_assert_ptr_nonnull(strstr(out, "\t// block 1 live-in 1: %d\nL: ld.global.u32"));
			ck_assert_ptr_nonnull(strstr(out, "add.s32 %r2, // live 3, 4\n"));
			ck_assert_ptr_nonnull(strstr(out, "// live 3+1p, 3\r\n}"));
		}
		free(out);
	}
	pass_ctx_free(&cx);
}
END_TEST

Suite *suite_ptx(void);

Suite *suite_ptx(void)
{
	Suite *s = suite_create("ptx");
	TCase *c = tcase_create("ptx");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, a_statement_becomes_these_instructions, 0, sizeof accepted / sizeof *accepted);
	tcase_add_test(c, line_ends_and_comments_do_not_matter);
	tcase_add_test(c, parameters_are_laid_out_by_their_alignment);
	tcase_add_test(c, kernels_keep_their_launch_bounds);
	tcase_add_test(c, the_module_directives_are_kept);
	tcase_add_loop_test(c, a_variable_has_these_bytes, 0, sizeof initialised / sizeof *initialised);
	tcase_add_test(c, addresses_in_initialisers_become_relocations);
	tcase_add_test(c, variables_of_a_body_belong_to_their_kernel);
	tcase_add_test(c, a_kernel_has_the_shared_variables_that_it_names);
	tcase_add_test(c, source_lines_follow_loc_even_before_file);
	tcase_add_test(c, only_used_registers_exist);
	tcase_add_test(c, names_may_be_very_long);
	tcase_add_test(c, a_large_kernel_is_read);
	tcase_add_test(c, wrong_modules_are_refused_in_these_words);
	tcase_add_test(c, twenty_errors_are_enough);
	tcase_add_test(c, annotated_text_reads_as_the_same_kernel);
	suite_add_tcase(s, c);
	return s;
}
