/* Calls: each case is a module whose kernel k writes one word for each thread, run as linked and as compiled at two
 * register limits, with and without garbage in dead registers, and compared with a C function. */
#include "test/unit/engine_run.h"

#include <stdlib.h>

#define MODULE(decls, body)                                                                                  \
	".version 8.0\n.target sm_80\n.address_size 64\n" decls "\n"                                         \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"                             \
	".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<9>; .reg .f64 " \
	"%g<9>;\n" PTX_INDEX body " st.global.u32 [%d0], %r9; ret;\n}\n"

static uint32_t square_plus(uint32_t t) { return t * t + 5; }
static uint32_t thrice(uint32_t t) { return 3 * t + 3; }
static uint32_t half_of_even(uint32_t t) { return t & 1 ? 7 : t / 2; }
static uint32_t bytes_swapped(uint32_t t)
{
	uint32_t v = t * 0x01030507u;

	return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}
static uint32_t struct_sum(uint32_t t) { return t + (t + 1) * 10 + (t + 2) * 100; }
static uint32_t loop_sum(uint32_t t)
{
	uint32_t s = 0;

	for (uint32_t i = 0; i < t % 7; i++)
		s += i * i + t;
	return s;
}
static uint32_t own_frame(uint32_t t) { return (t + 1) * 2 + (t + 2) * 2 * 1000; }
static uint32_t signed_char(uint32_t t)
{
	return (uint32_t)(int32_t)(int8_t)(t * 37) + (uint32_t)(uint16_t)(t * 0x1235);
}
static uint32_t two_values(uint32_t t) { return t / 5 * 100 + t % 5; }
static uint32_t kept(uint32_t t) { return t == 3 ? 0xaaaa : t + 1; }
static uint32_t pointer_into_parameter(uint32_t t) { return (t + 1) * 16 + t * 3; }

static uint32_t fibonacci(uint32_t t)
{
	uint32_t a = 0, b = 1;

	for (uint32_t i = 0; i < t % 12; i++) {
		uint32_t c = a + b;

		a = b;
		b = c;
	}
	return a;
}
static uint32_t even_or_odd(uint32_t t) { return t % 9 % 2 ? 200 + t % 9 : 100 + t % 9; }
static uint32_t by_table(uint32_t t)
{
	switch (t % 4) {
	case 0:
		return t + 10;
	case 1:
		return t * 3;
	case 2:
		return t ^ 0x55;
	default:
		return t + 10 + 1000;
	}
}
static uint32_t voted(uint32_t t)
{
	if (t % 2)
		return 7;
	return t + (t % 4 ? 200 : 100) + (t < 32 ? 0x155 : 0);
}
static uint32_t beside(uint32_t t) { return t + 77; }
static uint32_t switched(uint32_t t) { return t % 5 == 4 ? 99 : (t % 5 + 1) * 1000 + t; }
static uint32_t frames_of_recursion(uint32_t t)
{
	uint32_t n = t % 6, s = 0;

	for (uint32_t i = 0; i <= n; i++)
		s += (i * 7 + 1) * (i + 1);
	return s;
}
static uint32_t walk(uint32_t t, uint32_t n)
{
	if (!n)
		return t;
	return n % 3 == 1 ? walk(t + n, n - 1) * 2 : walk(t ^ n, n - 1) + 5;
}
static uint32_t through_pointers(uint32_t t) { return walk(t, t % 8); }

static const struct call_case {
	const char *what, *ptx;
	uint32_t (*want)(uint32_t);
} cases[] = {
	{ "a scalar in, a scalar out",
	  MODULE(".func (.param .b32 r) sq(.param .b32 a) { .reg .b32 %x<3>; ld.param.u32 %x1, [a]; mul.lo.s32 %x2, "
		 "%x1, %x1; st.param.b32 [r+0], %x2; ret; }",
		 "{ .param .b32 p0; .param .b32 q0; st.param.b32 [p0+0], %r0; call.uni (q0), sq, (p0); ld.param.b32 "
		 "%r8, [q0+0]; } add.s32 %r9, %r8, 5;"),
	  square_plus },
	{ "registers and constants as arguments, .reg parameters, nested calls",
	  MODULE(".func (.reg .u32 %o) add(.reg .u32 %a, .reg .u32 %b)\n.func (.reg .u32 %o) add(.reg .u32 %a, .reg "
		 ".u32 %b) { add.u32 %o, %a, %b; ret; }"
		 ".func (.reg .u32 %o) thrice(.reg .u32 %a) { .reg .u32 %t; call (%t), add, (%a, %a); call (%o), add, "
		 "(%t, %a); ret; }",
		 "call (%r9), thrice, (%r0);\ncall\n (%r9)\n , add, /* three */ (%r9,\n 3);"),
	  thrice },
	{ "a return in the middle",
	  MODULE(".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %x<4>; .reg .pred %p; ld.param.b32 %x1, [a]; "
		 "and.b32 %x2, %x1, 1; setp.eq.u32 %p, %x2, 0;"
		 " @%p bra E; st.param.b32 [r], 7; ret; E: shr.u32 %x3, %x1, 1; st.param.b32 [r], %x3; ret; }",
		 "call (%r9), f, (%r0);"),
	  half_of_even },
	{ "a guarded return, and none at the end",
	  MODULE(".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %x<4>; .reg .pred %p; ld.param.b32 %x1, [a]; "
		 "and.b32 %x2, %x1, 1; setp.ne.u32 %p, %x2, 0;"
		 " st.param.b32 [r], 7; @%p ret; shr.u32 %x3, %x1, 1; st.param.b32 [r], %x3; }",
		 "call (%r9), f, (%r0);"),
	  half_of_even },
	{ "parts of a scalar",
	  MODULE(".func (.param .b32 r) f(.param .b64 a) { .reg .b16 %x<5>; .reg .b32 %y<3>; ld.param.u8 %x1, [a+0]; "
		 "ld.param.u8 %x2, [a+1]; ld.param.u16 %x3, [a+2];"
		 " st.param.b8 [r+3], %x1; st.param.b8 [r+2], %x2; st.param.b8 [r+1], %x3; shr.u16 %x4, %x3, 8; "
		 "st.param.b8 [r], %x4;"
		 " ld.param.v2.u32 {_, %y1}, [a]; ret; }",
		 "mul.lo.u32 %r8, %r0, 0x01030507; { .param .b64 p; .param .b32 q; st.param.v2.b32 [p], {%r8, %r0}; "
		 "call (q), f, (p); ld.param.b32 %r10, [q]; }"
		 "{ .param .b32 q; .param .b64 p; st.param.b16 [q+2], %r10; shr.u32 %r11, %r10, 16; st.param.b16 [q], "
		 "%r11; ld.param.b32 %r12, [q]; }"
		 "shf.l.wrap.b32 %r13, %r12, %r12, 16; prmt.b32 %r9, %r13, 0, 0x0123; prmt.b32 %r9, %r9, 0, 0x3210; "
		 "prmt.b32 %r9, %r9, 0, 0x0123;"),
	  bytes_swapped },
	{ "a structure in and out",
	  MODULE(".func (.param .align 8 .b8 r[16]) mk(.param .b32 a) { .reg .b32 %x<4>; ld.param.b32 %x1, [a]; "
		 "add.s32 %x2, %x1, 1; add.s32 %x3, %x1, 2;"
		 " st.param.v2.b32 [r+0], {%x1, %x2}; st.param.b32 [r+8], %x3; ret; }"
		 ".func (.param .b32 r) sum(.param .align 8 .b8 s[16]) { .reg .b32 %x<5>; .reg .b64 %d; ld.param.b64 "
		 "%d, [s]; mov.b64 {%x1, %x2}, %d; ld.param.b32 %x3, [s+8];"
		 " mad.lo.s32 %x4, %x2, 10, %x1; mad.lo.s32 %x4, %x3, 100, %x4; st.param.b32 [r], %x4; ret; }",
		 "{ .param .b32 a; .param .align 8 .b8 s[16]; st.param.b32 [a], %r0; call (s), mk, (a); ld.param.b64 "
		 "%d5, [s]; ld.param.b32 %r10, [s+8];"
		 " .param .align 8 .b8 t[16]; st.param.b64 [t], %d5; st.param.b32 [t+8], %r10; .param .b32 q; call "
		 "(q), sum, (t); ld.param.b32 %r9, [q]; }"),
	  struct_sum },
	{ "calls in a loop, under a guard",
	  MODULE(".func (.param .b32 r) f(.param .b32 a, .param .b32 b) { .reg .b32 %x<4>; ld.param.b32 %x1, [a]; "
		 "ld.param.b32 %x2, [b]; mad.lo.s32 %x3, %x1, %x1, %x2;"
		 " st.param.b32 [r], %x3; ret; }",
		 "mov.u32 %r9, 0; mov.u32 %r8, 0; rem.u32 %r7, %r0, 7; L: setp.lt.u32 %p1, %r8, %r7; @%p1 call (%r6), "
		 "f, (%r8, %r0); @%p1 add.s32 %r9, %r9, %r6; add.s32 %r8, %r8, 1;"
		 " setp.lt.u32 %p2, %r8, 9; @%p2 bra L;"),
	  loop_sum },
	{ "frames of callers and callees are apart",
	  MODULE(".func (.param .b32 r) g(.param .b32 a) { .local .align 4 .b32 w[4]; .reg .b32 %x<4>; ld.param.b32 "
		 "%x1, [a]; add.s32 %x1, %x1, %x1; st.local.u32 [w+4], %x1;"
		 " ld.local.u32 %x2, [w+4]; st.param.b32 [r], %x2; ret; }"
		 ".func (.param .b32 r) f(.param .b32 a) { .local .align 4 .b32 w[4]; .reg .b32 %x<6>; .reg .b64 %d; "
		 "ld.param.b32 %x1, [a]; st.local.u32 [w+4], %x1;"
		 " call (%x2), g, (%x1); mov.u64 %d, w; ld.local.u32 %x3, [%d+4]; add.s32 %x3, %x3, 1; call (%x4), g, "
		 "(%x3); mad.lo.s32 %x5, %x4, 1000, %x2;"
		 " st.param.b32 [r], %x5; ret; }",
		 ".local .b32 z; add.s32 %r8, %r0, 1; st.local.u32 [z], %r8; call (%r9), f, (%r8); ld.local.u32 %r10, "
		 "[z]; sub.s32 %r10, %r10, %r8; add.s32 %r9, %r9, %r10;"),
	  own_frame },
	{ "narrow types",
	  MODULE(".func (.param .b32 r) f(.param .b32 a, .param .b16 b) { .reg .b16 %h<4>; .reg .b32 %x<4>; "
		 "ld.param.s8 %x1, [a]; ld.param.u16 %h1, [b]; cvt.u32.u16 %x2, %h1;"
		 " add.s32 %x3, %x1, %x2; st.param.b32 [r], %x3; ret; }",
		 "mul.lo.s32 %r3, %r0, 37; mul.lo.s32 %r4, %r0, 0x1235; cvt.u16.u32 %h2, %r4; { .param .b32 a; .param "
		 ".b16 b; .param .b32 q; st.param.b32 [a], %r3; st.param.b16 [b], %h2;"
		 " call (q), f, (a, b); ld.param.b32 %r9, [q]; }"),
	  signed_char },
	{ "two values returned, one dropped",
	  MODULE(".func (.reg .u32 %q, .reg .u32 %m) dm(.reg .u32 %a) { div.u32 %q, %a, 5; rem.u32 %m, %a, 5; ret; }",
		 "call (%r8, _), dm, (%r0); call (_, %r7), dm, (%r0); mad.lo.u32 %r9, %r8, 100, %r7;"),
	  two_values },
	{ "no parameters, no parentheses",
	  MODULE(".global .u32 g[64]; .func nothing { ret; } .func () empty () { ret; }",
		 "call nothing; call (), empty, (); call.uni empty; add.s32 %r9, %r0, 1; setp.eq.u32 %p1, %r0, 3; @%p1 "
		 "mov.u32 %r9, 0xaaaa;"),
	  kept },
	{ "an exit in a function ends the thread",
	  MODULE(".func f(.reg .u32 %a, .reg .u64 %o) { .reg .pred %p; setp.eq.u32 %p, %a, 3; @!%p bra E; "
		 "st.global.u32 [%o], 0xaaaa; exit; E: ret; }",
		 "call f, (%r0, %d0); add.s32 %r9, %r0, 1;"),
	  kept },
	{ "a pointer to a parameter points to a copy",
	  MODULE(".func (.param .b32 r) f(.param .align 4 .b8 s[8], .param .b32 i) { .reg .b32 %x<6>; .reg .b64 %d<4>; "
		 "mov.b64 %d1, s; mov.b64 %d2, i; ld.local.u32 %x1, [%d2]; mul.wide.u32 %d3, %x1, 4;"
		 " add.s64 %d1, %d1, %d3; ld.local.u32 %x2, [%d1]; shl.b32 %x3, %x2, 4; st.local.u32 [%d1], %x3; "
		 "ld.param.u32 %x4, [%d1]; st.param.b32 [r], %x4; ret; }",
		 "{ .param .align 4 .b8 s[8]; .param .b32 q; add.s32 %r8, %r0, 1; st.param.b32 [s], %r0; st.param.b32 "
		 "[s+4], %r8; call (q), f, (s, 1); ld.param.b32 %r9, [q];"
		 " ld.param.b32 %r7, [s+4]; sub.s32 %r7, %r7, 1; mad.lo.s32 %r9, %r7, 3, %r9; }"),
	  pointer_into_parameter },
	{ "an alias",
	  MODULE(".visible .func (.reg .u32 %o) one(.reg .u32 %a) { add.u32 %o, %a, 1; ret; } .visible .func (.reg "
		 ".u32 %o) two(.reg .u32 %a); .alias two, one;",
		 "call (%r9), two, (%r0); setp.eq.u32 %p1, %r0, 3; @%p1 mov.u32 %r9, 0xaaaa;"),
	  kept },
	{ "an unused function with an instruction that nobody knows, and one that calls what is not there",
	  MODULE(".extern .func nowhere; .func bad() { foo.bar 1; ret; } .func worse() { call nowhere; ret; } .extern "
		 ".global .b32 gone; .func worst() { .reg .b64 %d; mov.u64 %d, gone; ret; }",
		 "add.s32 %r9, %r0, 1; setp.eq.u32 %p1, %r0, 3; @%p1 mov.u32 %r9, 0xaaaa;"),
	  kept },
	{ "recursion: Fibonacci",
	  MODULE(".func (.param .b32 r) fib(.param .b32 n) { .reg .b32 %x<9>; .reg .pred %p; ld.param.u32 %x1, [n]; "
		 "setp.lt.u32 %p, %x1, 2; @%p bra S;"
		 " add.s32 %x2, %x1, -1; add.s32 %x3, %x1, -2; { .param .b32 a; .param .b32 q; st.param.b32 [a], %x2; "
		 "call.uni (q), fib, (a); ld.param.b32 %x4, [q]; }"
		 " { .param .b32 a; .param .b32 q; st.param.b32 [a], %x3; call.uni (q), fib, (a); ld.param.b32 %x5, "
		 "[q]; } add.s32 %x6, %x4, %x5; st.param.b32 [r], %x6; ret;"
		 " S: st.param.b32 [r], %x1; ret; }",
		 "rem.u32 %r8, %r0, 12; call (%r9), fib, (%r8);"),
	  fibonacci },
	{ "recursion of two functions, a predicate and 64 bits live across",
	  MODULE(".func (.reg .u32 %o) odd(.reg .u32 %n);"
		 ".func (.reg .u32 %o) even(.reg .u32 %n) { .reg .pred %p, %q; .reg .b32 %m; .reg .b64 %w; setp.eq.u32 "
		 "%p, %n, 0; setp.gt.u32 %q, %n, 100; mul.wide.u32 %w, %n, 3; @%p bra Z; sub.u32 %m, %n, 1;"
		 " call (%o), odd, (%m); @%q mov.u32 %o, 0; cvt.u32.u64 %m, %w; mul.lo.u32 %n, %n, 3; sub.u32 %m, %m, "
		 "%n; add.u32 %o, %o, %m; ret; Z: mov.u32 %o, 100; ret; }"
		 ".func (.reg .u32 %o) odd(.reg .u32 %n) { .reg .pred %p; .reg .b32 %m; setp.eq.u32 %p, %n, 0; @%p bra "
		 "Z; sub.u32 %m, %n, 1;"
		 " call (%o), even, (%m); ret; Z: mov.u32 %o, 200; ret; }",
		 "rem.u32 %r8, %r0, 9; call (%r9), even, (%r8); add.s32 %r9, %r9, %r8;"),
	  even_or_odd },
	{ "frames of a recursion, arguments that change places",
	  MODULE(".func (.reg .u32 %o) leaf(.reg .u32 %a) { .local .b32 z[2]; st.local.u32 [z+4], %a; ld.local.u32 %o, "
		 "[z+4]; mul.lo.u32 %o, %o, 7; ret; }"
		 ".func (.reg .u32 %o) f(.reg .u32 %i, .reg .u32 %n) { .local .align 8 .b32 w[2]; .reg .b32 %x<6>; "
		 ".reg .b64 %d<3>; .reg .pred %p; call (%x1), leaf, (%i); add.u32 %x1, %x1, 1; st.local.u32 [w+4], %x1;"
		 " mov.u64 %d1, w; cvta.local.u64 %d2, %d1; setp.ge.u32 %p, %i, %n; mov.u32 %o, 0; add.u32 %x2, %i, 1; "
		 "@!%p call (%o), f, (%x2, %n); @!%p call (%x5), f, (%n, %i);"
		 " ld.u32 %x3, [%d2+4]; add.u32 %x2, %i, 1; mad.lo.u32 %o, %x3, %x2, %o; ret; }",
		 "rem.u32 %r8, %r0, 6; call (%r9), f, (0, %r8);"),
	  frames_of_recursion },
	{ "functions from a table",
	  MODULE(".func (.param .b32 r) a(.param .b32 x) { .reg .b32 %x; ld.param.b32 %x, [x]; add.u32 %x, %x, 10; "
		 "st.param.b32 [r], %x; ret; }"
		 ".func (.param .b32 r) b(.param .b32 x) { .reg .b32 %x; ld.param.b32 %x, [x]; mul.lo.u32 %x, %x, 3; "
		 "st.param.b32 [r], %x; ret; }"
		 ".func (.param .b32 r) c(.param .b32 x) { .reg .b32 %x; ld.param.b32 %x, [x]; xor.b32 %x, %x, 0x55; "
		 "st.param.b32 [r], %x; ret; }"
		 ".func (.param .b32 r) d(.param .b32 x) { .reg .b32 %x; ld.param.b32 %x, [x]; call (%x), a, (%x); "
		 "add.u32 %x, %x, 1000; st.param.b32 [r], %x; ret; }"
		 ".global .align 8 .u64 vt[4] = { a, b, c, d };",
		 "and.b32 %r8, %r0, 3; mov.u64 %d5, vt; mul.wide.u32 %d6, %r8, 8; add.s64 %d5, %d5, %d6; ld.global.u64 "
		 "%d7, [%d5];"
		 "{ .param .b32 a; .param .b32 q; st.param.b32 [a], %r0; pr : .callprototype (.param .b32 _) _ (.param "
		 ".b32 _); call (q), %d7, (a), pr; ld.param.b32 %r9, [q]; }"),
	  by_table },
	{ "functions from a list",
	  MODULE(".func (.reg .u32 %o) a(.reg .u32 %x) { add.u32 %o, %x, 10; ret; } .func (.reg .u32 %o) b(.reg .u32 "
		 "%x) { mul.lo.u32 %o, %x, 3; ret; }"
		 ".func (.reg .u32 %o) c(.reg .u32 %x) { xor.b32 %o, %x, 0x55; ret; } .func (.reg .u32 %o) d(.reg .u32 "
		 "%x) { add.u32 %o, %x, 1010; ret; }",
		 "L: .calltargets a, b, c, d; and.b32 %r8, %r0, 3; mov.u64 %d5, a; setp.eq.u32 %p1, %r8, 1; @%p1 "
		 "mov.u64 %d5, b; setp.eq.u32 %p1, %r8, 2; @%p1 mov.u64 %d5, c;"
		 " setp.eq.u32 %p1, %r8, 3; @%p1 mov.u64 %d5, d; call (%r9), %d5, (%r0), L;"),
	  by_table },
	{ "recursion through pointers",
	  MODULE(".func (.reg .u32 %o) g(.reg .u32 %t, .reg .u32 %n);"
		 ".func (.reg .u32 %o) f(.reg .u32 %t, .reg .u32 %n) { .reg .pred %p, %z; .reg .b64 %d; .reg .b32 "
		 "%m<6>; setp.eq.u32 %z, %n, 0; @%z bra E; rem.u32 %m1, %n, 3; setp.eq.u32 %p, %m1, 1;"
		 " add.u32 %m2, %t, %n; xor.b32 %m3, %t, %n; selp.b32 %m2, %m2, %m3, %p; sub.u32 %m4, %n, 1; mov.u64 "
		 "%d, f; @%p mov.u64 %d, g; P: .callprototype (.reg .u32 _) _ (.reg .u32 _, .reg .u32 _);"
		 " call (%o), %d, (%m2, %m4), P; mul.lo.u32 %m5, %o, 2; @%p mov.u32 %o, %m5; add.u32 %m5, %o, 5; @!%p "
		 "mov.u32 %o, %m5; ret; E: mov.u32 %o, %t; ret; }"
		 ".func (.reg .u32 %o) g(.reg .u32 %t, .reg .u32 %n) { call (%o), f, (%t, %n); ret; }",
		 "rem.u32 %r8, %r0, 8; call (%r9), f, (%r0, %r8);"),
	  through_pointers },
	{ "a computed branch",
	  MODULE("", "rem.u32 %r8, %r0, 5; setp.eq.u32 %p1, %r8, 4; mov.u32 %r9, 99; T: .branchtargets A, B, C, A2; "
		     "@!%p1 brx.idx %r8, T; bra D;"
		     " A: add.u32 %r9, %r0, 1000; bra D; B: add.u32 %r9, %r0, 2000; bra.uni D; C: add.u32 %r9, %r0, "
		     "3000; bra D; A2: add.u32 %r9, %r0, 4000; D:"),
	  switched },
	{ "a computed branch in a function",
	  MODULE(".func (.reg .u32 %o) f(.reg .u32 %t) { .reg .b32 %m; .reg .pred %p; rem.u32 %m, %t, 5; setp.eq.u32 "
		 "%p, %m, 4; mov.u32 %o, 99; @%p ret; ts: .branchtargets A, B, C, A2; brx.idx %m, ts;"
		 " A: add.u32 %o, %t, 1000; ret; B: add.u32 %o, %t, 2000; ret; C: add.u32 %o, %t, 3000; bra E; A2: "
		 "add.u32 %o, %t, 4000; E: ret; }",
		 "call (%r9), f, (%r0);"),
	  switched },
	{ "a computed branch past its sides, which meet at a vote",
	  MODULE("", "and.b32 %r8, %r0, 3; mov.u32 %r9, 7; setp.lt.u32 %p1, %r0, 9; T: .branchtargets A, E, B, E; "
		     "brx.idx %r8, T;"
		     " A: add.u32 %r9, %r0, 100; bra M; B: add.u32 %r9, %r0, 200; M: vote.sync.ballot.b32 %r10, %p1, "
		     "0x55555555; add.u32 %r9, %r9, %r10; E:"),
	  voted },
	{ "a computed branch past its sides by its guard, which meet at a vote",
	  MODULE("", "and.b32 %r8, %r0, 3; mov.u32 %r9, 7; setp.lt.u32 %p1, %r0, 9; and.b32 %r11, %r0, 1; setp.eq.u32 "
		     "%p2, %r11, 0; T: .branchtargets A, A, B, B; bra.uni H;"
		     " A: add.u32 %r9, %r0, 100; bra M; B: add.u32 %r9, %r0, 200; M: vote.sync.ballot.b32 %r10, %p1, "
		     "0x55555555; add.u32 %r9, %r9, %r10; bra E; H: @%p2 brx.idx %r8, T; E:"),
	  voted },
	{ "a computed branch past its sides, which meet at a barrier",
	  MODULE("", "and.b32 %r8, %r0, 3; mov.u32 %r9, 7; T: .branchtargets A, E, B, E; brx.idx %r8, T;"
		     " A: add.u32 %r9, %r0, 100; bra M; B: add.u32 %r9, %r0, 200; M: bar.sync 0; setp.lt.u32 %p2, %r0, "
		     "32; selp.u32 %r10, 0x155, 0, %p2;"
		     " add.u32 %r9, %r9, %r10; E:"),
	  voted },
	{ "a computed branch whose sides are all the next instruction",
	  MODULE("", "rem.u32 %r8, %r0, 2; setp.lt.u32 %p1, %r0, 9; T: .branchtargets A, B; @%p1 brx.idx %r8, T; A: B: "
		     "add.u32 %r9, %r0, 77;"),
	  beside },
};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(calls_compute_what_functions_say)
{
	const struct call_case *c = &cases[_i / WAYS / 2];
	int way = _i % WAYS;
	struct rig r;

	rig_open_inlining(&r, c->ptx, rig_way_threads(way), _i / WAYS % 2 ? 0 : INLINE_LIMIT);
	r.opt.poison = way & 1;
	r.opt.poison_seed = (uint64_t)way * 77;
	r.l.block[0] = 64;
	ck_assert_msg(rig_run(&r, NULL), "%s: %s", c->what, r.d.last);
	for (uint32_t t = 0; t < 64; t++)
		ck_assert_msg(r.out[t] == c->want(t), "%s, way %d: thread %u has 0x%x, should have 0x%x", c->what,
			      _i % (2 * WAYS), t, r.out[t], c->want(t));
	rig_close(&r);
}
END_TEST

/* ---- what the host does ---- */
#define PRINTF_DECL ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"

START_TEST(printf_writes_what_c_writes)
{
	/* "%d|%5u|%-6s|%c|%lld|%.2f|%x|%%|%q" and its arguments, of lanes 1 and 2 */
	static const char ptx[] =
		MODULE(PRINTF_DECL ".global .align 1 .b8 fmt[37] = { "
				   "37,100,124,37,53,117,124,37,45,54,115,124,37,99,124,37,108,108,100,124,37,46,50,"
				   "102,124,37,120,124,37,37,124,37,113,124,10 };\n"
				   ".const .align 1 .b8 txt[4] = { 97,98,99,0 };\n",
		       ".local .align 8 .b8 v[64]; mov.u64 %d5, fmt; mov.u64 %d6, v; cvta.local.u64 %d6, %d6; mov.u64 "
		       "%d7, txt; cvta.const.u64 %d7, %d7; sub.s32 %r8, 0, %r0;"
		       " st.local.u32 [v], %r8; st.local.u32 [v+4], %r0; st.local.u64 [v+8], %d7; add.s32 %r7, %r0, "
		       "64; st.local.u32 [v+16], %r7; mov.u64 %d8, 0x123456789; st.local.u64 [v+24], %d8;"
		       " st.local.f64 [v+32], 0d4004000000000000; st.local.u32 [v+40], 255; mov.u32 %r9, 0; "
		       "setp.eq.u32 %p1, %r0, 1; setp.eq.or.u32 %p1, %r0, 2, %p1;"
		       " @%p1 call (%r9), vprintf, (%d5, %d6);");
	struct rig r;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	rig_open_inlining(&r, ptx, _i ? 63 : 0, _i ? 0 : INLINE_LIMIT);
	device_set_host(r.dev, f, 0);
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	fclose(f);
	ck_assert_str_eq(text,
			 "-1|    1|abc   |A|4886718345|2.50|ff|%|%q|\n-2|    2|abc   |B|4886718345|2.50|ff|%|%q|\n");
	ck_assert_uint_eq(r.out[0], 0);
	ck_assert_uint_eq(r.out[1], 7);
	free(text);
	rig_close(&r);
}
END_TEST

/* A format may be in any. */
START_TEST(printf_reads_each_space)
{
#define SAY "setp.eq.u32 %p1, %r0, 1; mov.u32 %r9, 0; @%p1 call (%r9), vprintf, (%d5, %d5);"
	static const char *const ptx[] = {
		MODULE(PRINTF_DECL ".const .align 4 .b8 t[4] = { 97,98,99,0 };\n",
		       "mov.u64 %d5, t; cvta.const.u64 %d5, %d5;" SAY),
		MODULE(PRINTF_DECL ".global .align 4 .b8 t[4] = { 97,98,99,0 };\n",
		       "mov.u64 %d5, t; cvta.global.u64 %d5, %d5;" SAY),
		MODULE(PRINTF_DECL, "mov.u64 %d5, n; cvta.param.u64 %d5, %d5;" SAY),
		MODULE(PRINTF_DECL, ".local .align 4 .b8 t[8]; st.local.u32 [t+4], %r39; mov.u64 %d5, t; "
				    "cvta.local.u64 %d5, %d5; add.u64 %d5, %d5, 4;" SAY),
		MODULE(PRINTF_DECL, ".shared .align 4 .b8 t[8]; st.shared.u32 [t+4], %r39; mov.u64 %d5, t; "
				    "cvta.shared.u64 %d5, %d5; add.u64 %d5, %d5, 4;" SAY),
	};
	const uint32_t abc = 0x636261;
	struct rig r;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	rig_open(&r, ptx[_i], 0);
	memcpy(r.params + 16, &abc, 4);
	device_set_host(r.dev, f, 0);
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	fclose(f);
	ck_assert_str_eq(text, "abc");
	free(text);
	rig_close(&r);
}
END_TEST

#define HEAP_DECL ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"

START_TEST(malloc_gives_what_free_gave_back)
{
	static const char ptx[] =
		MODULE(HEAP_DECL,
		       "cvt.u64.u32 %d5, %r0; mul.lo.u64 %d5, %d5, 8; add.u64 %d5, %d5, 1; call (%d6), malloc, (%d5); "
		       "st.u8 [%d6], 77; ld.global.u8 %r8, [%d6]; call free, (%d6); call (%d7), malloc, (%d5);"
		       " call (%d8), malloc, (1000000000); call (%d10), malloc, (0); call free, (%d8); or.b64 %d8, "
		       "%d8, %d10; setp.eq.u64 %p1, %d8, 0; and.b64 %d9, %d7, 15; setp.eq.and.u64 %p1, %d9, 0, %p1; "
		       "selp.b32 %r9, %r8, 0, %p1;");
	struct rig r;

	rig_open(&r, ptx, _i ? 63 : 0);
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (unsigned t = 0; t < 32; t++)
		ck_assert_uint_eq(r.out[t], 77);
	rig_close(&r);
}
END_TEST

static const struct {
	const char *ptx, *text;
} faults[] = {
	{ MODULE(HEAP_DECL, "call free, (%d0);"), "free of what malloc did not give: 0x" },
	{ MODULE(HEAP_DECL, "call (%d6), malloc, (24); st.u32 [%d6+20], 1; st.u32 [%d6+24], 1;"),
	  " are outside memory, 0 bytes behind the 24 that malloc gave at 0x" },
	{ MODULE(HEAP_DECL, "setp.ne.u32 %p1, %r0, 9; @%p1 ret; call (%d6), malloc, (2500); st.u32 [%d6+2496], 1; "
			    "st.u32 [%d6+2600], 1;"),
	  " are outside memory, 100 bytes behind the 2500 that malloc gave at 0x" },
	{ MODULE(HEAP_DECL, "setp.ne.u32 %p1, %r0, 9; @%p1 ret; call (%d6), malloc, (32); st.u32 [%d6+32], 1;"),
	  " are outside memory, 0 bytes behind the 32 that malloc gave at 0x" },
	{ MODULE(HEAP_DECL, "call (%d6), malloc, (5); st.u8 [%d6+4], 1; st.u64 [%d6], 1;"),
	  " go over the end of the 5 bytes that malloc gave at 0x" },
	{ MODULE(HEAP_DECL,
		 "call (%d6), malloc, (40); setp.eq.u32 %p1, %r0, 7; @%p1 call free, (%d6); st.u8 [%d6+33], 1;"),
	  " are in memory of the heap that was freed in CTA (0,0,0), thread (7,0,0)" },
	{ MODULE(HEAP_DECL PRINTF_DECL, "call (%d6), malloc, (5); st.u8 [%d6], 10; st.u8 [%d6+1], 0; call (%r9), "
					"vprintf, (%d6, %d6); call free, (%d6); call (%r9), vprintf, (%d6, %d6);"),
	  "a string is not in memory: address 0x" },
	{ MODULE(HEAP_DECL, "call (%d6), malloc, (64); st.u32 [%d6+1000000], 1;"),
	  " are outside memory, in the heap, where malloc gave nothing" },
	{ MODULE(".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 "
		 "c);\n.global .b8 t[4] = { 120, 61, 49, 0 };",
		 "mov.u64 %d5, t; setp.eq.u32 %p1, %r0, 5; @%p1 call __assertfail, (%d5, %d5, 12, %d5, 1);"),
	  "assertion 'x=1' failed in x=1, x=1:12 in CTA (0,0,0), thread (5,0,0)" },
	{ MODULE(".func f(.reg .u32 %a) { .reg .u32 %b; add.u32 %b, %a, 1; call f, (%b); mul.lo.u32 %a, %a, %b; ret; }",
		 "call f, (%r0);"),
	  "stack overflow: " },
	{ MODULE("", "T: .branchtargets A, B; brx.idx %r0, T; A: B:"), "index 2 is outside the 2 labels of the table" },
	{ MODULE(".func f() { ret; }", "mov.u64 %d5, f; P: .callprototype () _ (); call %d0, P;"),
	  "is not the address of a function that may be called here" },
};

START_TEST(what_goes_wrong_is_said)
{
	struct engine *e;
	struct rig r;

	rig_open(&r, faults[_i].ptx, 63);
	e = rig_engine(&r);
	ck_assert(!engine_run(e));
	ck_assert_msg(strstr(r.d.last, faults[_i].text) != NULL, "%s", r.d.last);
	ck_assert_int_eq(engine_fault(e)->heap, strstr(faults[_i].text, "malloc gave at") ||
							strstr(faults[_i].text, "of the heap that was freed"));
	engine_free(e);
	rig_close(&r);
}
END_TEST

static const struct {
	const char *ptx, *text;
} unlinked[] = {
	{ MODULE(".extern .func gone();", "call gone;"), "'gone' is called but this module does not define it" },
	{ MODULE(".extern .func (.param .b32 r) __cudaCDP2LaunchDevice(.param .b64 p, .param .b64 s);",
		 "call (%r9), __cudaCDP2LaunchDevice, (%d0, %d0);"),
	  "'__cudaCDP2LaunchDevice' of the device's runtime is not there yet" },
	{ MODULE(".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p);",
		 "call (%r9), __cudaCDP2LaunchDeviceV2, (%d0);"),
	  "is declared with other parameters than the host's function has" },
	{ MODULE(".extern .func free(.param .b32 p);", "call free, (%r0);"),
	  "'free' is declared with other parameters than the host's function has" },
	{ MODULE(".func f(.reg .u32 %a) { ret; }", "mov.u64 %d5, f; P: .callprototype () _ (); call %d5, P;"),
	  "no function that this could call" },
};

START_TEST(what_cannot_be_linked_is_refused)
{
	const char *ptx = unlinked[_i].ptx;
	struct source src = { "t.ptx", ptx, strlen(ptx) };
	struct pass_ctx cx;
	struct arena a;
	struct diag d;
	struct module *m;

	arena_init(&a);
	diag_init(&d, NULL);
	pass_ctx_init(&cx, &d);
	m = ptx_parse(&src, &a, &d);
	ck_assert_msg(m != NULL, "%s", d.last);
	ck_assert(!pass_run(m->kernel[0], PASS_ID_link, &cx));
	ck_assert_msg(strstr(d.last, unlinked[_i].text) != NULL && strstr(d.last, "t.ptx:") == d.last, "%s", d.last);
	pass_ctx_free(&cx);
	diag_free(&d);
	arena_free(&a);
}
END_TEST

/* A parameter of the kernel has a generic address, and a function may be given it. */
START_TEST(a_kernel_parameter_has_an_address)
{
	static const char ptx[] = MODULE(".func (.reg .u32 %o) f(.reg .u64 %p) { ld.u32 %o, [%p]; ret; }",
					 "mov.u64 %d5, n; cvta.param.u64 %d5, %d5; call (%r9), f, (%d5);");
	struct rig r;

	rig_open_inlining(&r, ptx, 63, _i ? 0 : INLINE_LIMIT);
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	ck_assert_uint_eq(r.out[3], 7);
	rig_close(&r);
}
END_TEST

Suite *suite_call(void);

/* What a function without line information does is of the line that calls it, however deep; one that is not inlined has
 * none. */
START_TEST(code_without_lines_is_of_the_call)
{
	static const char ptx[] =
		MODULE(".file 1 \"a.cu\"\n.func g(.reg .u32 %a) { .reg .b64 %x; cvt.u64.u32 %x, %a; st.global.u32 "
		       "[%x], %a; ret; }\n.func f(.reg .u32 %a) { call g, (%a); call g, (%a); ret; }",
		       "\n.loc 1 7 0\nadd.u32 %r9, %r0, 1;\n.loc 1 9 0\ncall f, (%r9);\n.loc 1 11 0\n");
	struct rig r;
	unsigned at[12] = { 0 };

	rig_open(&r, ptx, 63);
	for (uint32_t i = 0; i < r.k->ninsn; i++)
		if (r.k->insn[i].line && r.m->line[r.k->insn[i].line].line < 12 &&
		    op_info[r.k->insn[i].op].flags & OPF_STORE)
			at[r.m->line[r.k->insn[i].line].line]++;
	ck_assert_uint_eq(at[9], 2);
	ck_assert_uint_eq(at[11], 1);
	rig_close(&r);
}
END_TEST

Suite *suite_call(void)
{
	Suite *s = suite_create("call");
	TCase *c = tcase_create("call");

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, calls_compute_what_functions_say, 0, CASES * WAYS * 2);
	tcase_add_loop_test(c, printf_writes_what_c_writes, 0, 2);
	tcase_add_loop_test(c, printf_reads_each_space, 0, 5);
	tcase_add_loop_test(c, malloc_gives_what_free_gave_back, 0, 2);
	tcase_add_test(c, code_without_lines_is_of_the_call);
	tcase_add_loop_test(c, what_goes_wrong_is_said, 0, (int)(sizeof faults / sizeof *faults));
	tcase_add_loop_test(c, what_cannot_be_linked_is_refused, 0, (int)(sizeof unlinked / sizeof *unlinked));
	tcase_add_loop_test(c, a_kernel_parameter_has_an_address, 0, 2);
	suite_add_tcase(s, c);
	return s;
}
