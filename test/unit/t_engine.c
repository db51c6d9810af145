/* Execution of whole kernels, in virtual and machine form, plain and with dead registers overwritten: control flow, barriers,
 * every state space, atomics, special registers, faults and launch checks. */
#include "test/unit/engine_run.h"

#include <stdio.h>

Suite *suite_engine(void);

/* ---- control flow: each kernel beside the same function in C ---- */
typedef uint32_t thread_fn(uint32_t i, const uint32_t *in);

static uint32_t c_nested(uint32_t i, const uint32_t *in)
{
	uint32_t v = in[i & 1023];

	if (v & 1)
		return v & 2 ? (v & 4 ? v * 3 : v + 5) : v ^ i;
	return v & 8 ? v - i : 0 - v;
}

static uint32_t c_collatz(uint32_t i, const uint32_t *in)
{
	uint32_t n = 0, v = i + 1;

	(void)in;
	while (v != 1) {
		v = v & 1 ? 3 * v + 1 : v / 2;
		n++;
	}
	return n;
}

static uint32_t c_two_exits(uint32_t i, const uint32_t *in)
{
	uint32_t s = 0;

	for (uint32_t j = 0; j < 40; j++) {
		uint32_t v = in[(i * 7 + j) & 1023];

		if ((v & 31) == 3)
			return s + 1000000;
		if ((v & 63) == 9)
			break;
		s += v & 255;
	}
	return s ^ 0x5555;
}

static uint32_t c_guards(uint32_t i, const uint32_t *in)
{
	uint32_t v = in[i & 1023], r = 9;

	if (v & 1)
		r = v;
	if (!(v & 2))
		r += 100;
	return r;
}

static uint32_t c_loops(uint32_t i, const uint32_t *in)
{
	uint32_t s = 0;

	for (uint32_t a = 0; a < (i & 7); a++)
		for (uint32_t b = a; b < (i >> 3 & 7); b++)
			s = s * 5 + in[(a * 8 + b + i) & 1023];
	return s;
}

#define LOAD_V(reg, index) \
	"and.b32 %r30, " index ", 1023; mul.wide.u32 %d9, %r30, 4; add.s64 %d9, %d1, %d9; ld.global.u32 " reg ", [%d9];\n"

static const struct { const char *ptx; thread_fn *want; } flows[] = {
	{ KERNEL(LOAD_V("%r3", "%r0")
	  "and.b32 %r4, %r3, 1; setp.eq.u32 %p0, %r4, 0; @%p0 bra EVEN;\n"
	  "and.b32 %r4, %r3, 2; setp.eq.u32 %p0, %r4, 0; @%p0 bra XOR;\n"
	  "and.b32 %r4, %r3, 4; setp.ne.u32 %p1, %r4, 0; @!%p1 bra ADD; mul.lo.u32 %r5, %r3, 3; bra DONE;\n"
	  "ADD: add.u32 %r5, %r3, 5; bra DONE;\n"
	  "XOR: xor.b32 %r5, %r3, %r0; bra DONE;\n"
	  "EVEN: and.b32 %r4, %r3, 8; setp.eq.u32 %p0, %r4, 0; sub.u32 %r5, %r3, %r0; @!%p0 bra DONE; neg.s32 %r5, %r3;\n"
	  "DONE: st.global.u32 [%d0], %r5;"), c_nested },
	{ KERNEL("mov.u32 %r3, 0; add.u32 %r4, %r0, 1;\n"
	  "TOP: setp.eq.u32 %p0, %r4, 1; @%p0 bra OUT; and.b32 %r5, %r4, 1; setp.eq.u32 %p1, %r5, 1; @%p1 bra ODD;\n"
	  "shr.u32 %r4, %r4, 1; bra NEXT; ODD: mad.lo.u32 %r4, %r4, 3, 1; NEXT: add.u32 %r3, %r3, 1; bra TOP;\n"
	  "OUT: st.global.u32 [%d0], %r3;"), c_collatz },
	{ KERNEL("mov.u32 %r3, 0; mov.u32 %r4, 0;\n"
	  "TOP: mad.lo.u32 %r5, %r0, 7, %r4;" LOAD_V("%r6", "%r5")
	  "and.b32 %r7, %r6, 31; setp.ne.u32 %p0, %r7, 3; @%p0 bra ON; add.u32 %r3, %r3, 1000000; st.global.u32 [%d0], %r3; ret;\n"
	  "ON: and.b32 %r7, %r6, 63; setp.eq.u32 %p0, %r7, 9; @%p0 bra OUT; and.b32 %r7, %r6, 255; add.u32 %r3, %r3, %r7;\n"
	  "add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 40; @%p0 bra TOP;\n"
	  "OUT: xor.b32 %r3, %r3, 0x5555; st.global.u32 [%d0], %r3;"), c_two_exits },
	{ KERNEL(LOAD_V("%r3", "%r0")
	  "mov.u32 %r5, 9; and.b32 %r4, %r3, 1; setp.ne.u32 %p0, %r4, 0; and.b32 %r4, %r3, 2; setp.ne.u32 %p1, %r4, 0;\n"
	  "@%p0 mov.u32 %r5, %r3; @!%p1 add.u32 %r5, %r5, 100; st.global.u32 [%d0], %r5; @%p0 ret; @!%p0 exit;"), c_guards },
	{ KERNEL("mov.u32 %r3, 0; mov.u32 %r4, 0; and.b32 %r6, %r0, 7; shr.u32 %r7, %r0, 3; and.b32 %r7, %r7, 7;\n"
	  "A: setp.ge.u32 %p0, %r4, %r6; @%p0 bra OUT; mov.u32 %r5, %r4;\n"
	  "B: setp.ge.u32 %p1, %r5, %r7; @%p1 bra NEXT; mad.lo.u32 %r8, %r4, 8, %r5; add.u32 %r8, %r8, %r0;" LOAD_V("%r9", "%r8")
	  "mad.lo.u32 %r3, %r3, 5, %r9; add.u32 %r5, %r5, 1; bra B; NEXT: add.u32 %r4, %r4, 1; bra A;\n"
	  "OUT: st.global.u32 [%d0], %r3;"), c_loops },
};
enum { FLOWS = sizeof flows / sizeof *flows };

static void check_flow(int row, int way)
{
	struct rig r;
	unsigned threads = 5 * 50;

	rig_way(&r, flows[row].ptx, way);
	r.l.grid[0] = 5;
	r.l.block[0] = 50;              /* two warps, the second partial */
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < threads; i++)
		ck_assert_uint_eq(r.out[i], flows[row].want(i, r.in));
	for (uint32_t i = threads; i < OUT_WORDS; i++)
		ck_assert_uint_eq(r.out[i], 0);
	rig_close(&r);
}

START_TEST(threads_take_their_own_paths)
{
	for (int way = 0; way < WAYS; way++)
		check_flow(_i, way);
}
END_TEST

/* A lane-dependent number of rounds, each with a branch in the loop that splits the lanes again: the stack stays small. */
START_TEST(long_divergent_loops_keep_the_stack_small)
{
	struct rig r;
	struct engine *e;

	rig_open(&r, KERNEL("mov.u32 %r3, 0; mov.u32 %r4, 0; mul.lo.u32 %r6, %r0, 37;\n"
	                    "TOP: add.u32 %r4, %r4, 1; xor.b32 %r5, %r4, %r0; and.b32 %r5, %r5, 3; setp.eq.u32 %p0, %r5, 0;\n"
	                    "@%p0 bra TOP2; setp.eq.u32 %p1, %r5, 1; @%p1 bra SIDE; add.u32 %r3, %r3, 1; bra TOP2; SIDE: add.u32 %r3, %r3, 2;\n"
	                    "TOP2: setp.lt.u32 %p0, %r4, %r6; @%p0 bra TOP; st.global.u32 [%d0], %r3;"), 0);
	e = rig_engine(&r);
	ck_assert(engine_run(e));
	ck_assert_uint_gt(engine_counts(e)->divergent, 1000);
	engine_free(e);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t want = 0, n = 0;

		do {
			n++;
			want += (n ^ i) % 4 == 0 ? 0 : (n ^ i) % 4 == 1 ? 2 : 1;
		} while (n < i * 37);
		ck_assert_uint_eq(r.out[i], want);
	}
	rig_close(&r);
}
END_TEST

START_TEST(instructions_and_branches_are_counted)
{
	struct rig r;
	struct engine_counts c;

	rig_open(&r, PTX_MODULE("", "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 4; @%p0 bra A; mov.u32 %r1, 1; A: @%p0 mov.u32 %r2, 2; ret;"), 0);
	r.l.block[0] = 40;
	ck_assert(rig_run(&r, &c));
	/* warp 0 parts: mov setp bra | mov in 28 lanes | guarded mov, ret; warp 1 has 8 lanes, none below 4 */
	ck_assert_uint_eq(c.warp_insns, 12);
	ck_assert_uint_eq(c.branches, 2);
	ck_assert_uint_eq(c.divergent, 1);
	ck_assert_uint_eq(c.thread_insns, 32 + 32 + 4 + 28 + 4 + 32 + 8 + 8 + 0 + 8 + 0 + 8);
	rig_close(&r);
}
END_TEST

/* ---- special registers ---- */
enum { SREGS = 22 };
static void check_sreg(int row, int way)
{
	static const char *const names[] = { "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z",
		"%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid", "%warpid", "%nwarpid", "%lanemask_eq", "%lanemask_lt", "%lanemask_le",
		"%lanemask_gt", "%lanemask_ge", "WARP_SZ", "%dynamic_smem_size" };
	enum { N = sizeof names / sizeof *names };
	char ptx[8192], *p = ptx;
	struct rig r;

	p += sprintf(p, "%s", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {\n"
	             ".reg .b32 %r<40>; .reg .b64 %d<9>; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;\n"
	             "mad.lo.u32 %r0, %r1, 5, %r0; mad.lo.u32 %r0, %r2, 15, %r0; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;\n"
	             "mad.lo.u32 %r3, %r4, 2, %r3; mad.lo.u32 %r0, %r3, 60, %r0; ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r0, 4; add.u64 %d0, %d0, %d1;\n");
	p += sprintf(p, "mov.u32 %%r9, %s; st.global.u32 [%%d0], %%r9; ret; }\n", names[row]);
	rig_open(&r, ptx, way ? 63 : 0);
	r.l = (struct launch){ .m = r.m, .k = r.k, .grid = { 2, 3, 1 }, .block = { 5, 3, 4 }, .dynamic_shared = 48, .params = r.params, .param_bytes = 20 };
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < 360; i++) {
		uint32_t t = i % 60, c = i / 60, lane = t % 32, bit = 1u << lane;
		const uint32_t want[N] = { t % 5, t / 5 % 3, t / 15, 5, 3, 4, c % 2, c / 2, 0, 2, 3, 1, lane, t / 32, 2, bit, bit - 1, bit | (bit - 1),
			~(bit | (bit - 1)), ~(bit - 1), 32, 48 };

		ck_assert_msg(r.out[i] == want[row], "%s of thread %u: %x, not %x", names[row], i, r.out[i], want[row]);
	}
	rig_close(&r);
}

START_TEST(special_registers_locate_the_thread)
{
	for (int row = 0; row < SREGS; row++) {
		check_sreg(row, 0);
		check_sreg(row, 1);
	}
}
END_TEST

START_TEST(the_clock_counts_instructions)
{
	struct rig r;

	rig_open(&r, KERNEL("mov.u32 %r3, %clock; mov.u64 %d5, %clock64; add.s32 %r4, %r3, 0; mov.u32 %r5, %clock;\n"
	                    "cvt.u32.u64 %r6, %d5; sub.u32 %r6, %r6, %r3; sub.u32 %r5, %r5, %r3; mad.lo.u32 %r5, %r5, 16, %r6; st.global.u32 [%d0], %r5;"), 0);
	ck_assert(rig_run(&r, NULL));
	ck_assert_uint_eq(r.out[3], 3 * 16 + 1);
	rig_close(&r);
}
END_TEST

/* ---- memory ---- */
#define ST(at, reg) "st.global.b32 [%d0+" at "], " reg ";\n"

/* One warp; word i * 32 + lane ... kept simple: each row is a body that leaves its result in %r20, and the value in C. */
static uint32_t w_in(uint32_t i) { return (i & 1023) * 2654435761u; }
static uint32_t m_s8(uint32_t i, const uint32_t *in) { (void)in; return (uint32_t)(int8_t)(w_in(i / 4) >> 8 * (i % 4)); }
static uint32_t m_u16(uint32_t i, const uint32_t *in) { (void)in; return (uint16_t)(w_in(i / 2) >> 16 * (i % 2)); }
static uint32_t m_s16(uint32_t i, const uint32_t *in) { (void)in; return (uint32_t)(int16_t)(w_in(i / 2) >> 16 * (i % 2)); }
static uint32_t m_b64(uint32_t i, const uint32_t *in) { (void)in; return w_in(2 * i) ^ w_in(2 * i + 1) * 3; }
static uint32_t m_v4(uint32_t i, const uint32_t *in)
{
	(void)in;
	return w_in(4 * i) + 3 * w_in(4 * i + 1) + 5 * w_in(4 * i + 2) + 7 * w_in(4 * i + 3);
}
static uint32_t m_v2d(uint32_t i, const uint32_t *in) { (void)in; return w_in(4 * i + 1) - w_in(4 * i + 2); }
static uint32_t m_uniform(uint32_t i, const uint32_t *in) { (void)i, (void)in; return w_in(3); }
static uint32_t m_gather(uint32_t i, const uint32_t *in) { (void)in; return w_in(i * 77); }
static uint32_t m_neighbour(uint32_t i, const uint32_t *in) { (void)in; return w_in((i & ~63u) | (63 - (i & 63))); }
static uint32_t m_shared16(uint32_t i, const uint32_t *in) { (void)in; return ((i & ~63u) | ((i + 1) & 63)) & 0xffff; }
static uint32_t m_local(uint32_t i, const uint32_t *in) { (void)in; return w_in(i) + ((i + 3) & 7); }
static uint32_t m_local64(uint32_t i, const uint32_t *in) { (void)in; return (i & 3) * 301000 + i; }
static uint32_t m_const(uint32_t i, const uint32_t *in) { (void)in; static const uint32_t t[] = { 11, 22, 33, 44 }; return t[i & 3] + 22; }
static uint32_t m_param(uint32_t i, const uint32_t *in) { (void)i, (void)in; return 7 + 7; }
static uint32_t m_generic(uint32_t i, const uint32_t *in) { (void)in; return i % 3 == 0 ? w_in(i & 31) : i % 3 == 1 ? 100 + i : 200 + (i & 31); }
static uint32_t m_module(uint32_t i, const uint32_t *in) { (void)in; return i % 2 ? 5 : 0x01020304; }
static uint32_t m_v4_store(uint32_t i, const uint32_t *in)
{
	(void)in;
	return 4 * i + 3 + 5 * (4 * i + 2) + 7 * (4 * i + 1) + 11 * (4 * i);
}
static uint32_t m_v2_store(uint32_t i, const uint32_t *in) { (void)in; return (i + 1) * 256 + (i & 127); }
static uint32_t m_to_window(uint32_t i, const uint32_t *in) { (void)in; return i * 3; }
static uint32_t m_spaces(uint32_t i, const uint32_t *in) { (void)in; return 1u << i % 4; }
static uint32_t m_step(uint32_t i, const uint32_t *in) { (void)in; return 3 * (i ^ 1) + 7; }
static uint32_t m_dynamic(uint32_t i, const uint32_t *in) { (void)in; return (i & ~63u) + (63 - (i & 63)); }

#define SUM(body) PTX_INDEX body "st.global.u32 [%d0], %r20; ret;"
static const struct { const char *ptx; thread_fn *want; uint32_t dynamic; } spaces[] = {
	{ PTX_MODULE("", SUM("cvt.u64.u32 %d3, %r0; add.u64 %d3, %d1, %d3; ld.global.s8 %r20, [%d3];")), m_s8, 0 },
	{ PTX_MODULE("", SUM("mul.wide.u32 %d3, %r0, 2; add.u64 %d3, %d1, %d3; ld.global.u16 %h0, [%d3]; cvt.u32.u16 %r20, %h0;")), m_u16, 0 },
	{ PTX_MODULE("", SUM("mul.wide.u32 %d3, %r0, 2; add.u64 %d3, %d1, %d3; ld.global.s16 %r20, [%d3];")), m_s16, 0 },
	{ PTX_MODULE("", SUM("mul.wide.u32 %d3, %r0, 8; add.u64 %d3, %d1, %d3; ld.global.b64 %d4, [%d3]; mov.b64 {%r3, %r4}, %d4;\n"
	                     "mul.lo.u32 %r4, %r4, 3; xor.b32 %r20, %r3, %r4;")), m_b64, 0 },
	{ PTX_MODULE("", SUM("mul.wide.u32 %d3, %r0, 16; add.u64 %d3, %d1, %d3; ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d3];\n"
	                     "mad.lo.u32 %r20, %r4, 3, %r3; mad.lo.u32 %r20, %r5, 5, %r20; mad.lo.u32 %r20, %r6, 7, %r20;")), m_v4, 0 },
	{ PTX_MODULE("", SUM("mul.wide.u32 %d3, %r0, 16; add.u64 %d3, %d1, %d3; ld.global.v2.b64 {%d4, %d5}, [%d3];\n"
	                     "shr.u64 %d4, %d4, 32; cvt.u32.u64 %r3, %d4; cvt.u32.u64 %r4, %d5; sub.u32 %r20, %r3, %r4;")), m_v2d, 0 },
	{ PTX_MODULE("", SUM("ld.global.u32 %r20, [%d1+12];")), m_uniform, 0 },
	{ PTX_MODULE("", SUM("mul.lo.u32 %r3, %r0, 77; and.b32 %r3, %r3, 1023; mul.wide.u32 %d3, %r3, 4; add.u64 %d3, %d1, %d3;\n"
	                     "ld.global.u32 %r20, [%d3];")), m_gather, 0 },
	/* a tile in shared memory, read back in reverse */
	{ PTX_MODULE("", ".shared .align 4 .b8 tile[256];\n" SUM("mul.wide.u32 %d3, %r0, 4; add.u64 %d3, %d1, %d3; ld.global.u32 %r3, [%d3];\n"
	             "mov.u32 %r4, %tid.x; shl.b32 %r5, %r4, 2; mov.u32 %r6, tile; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r3; bar.sync 0;\n"
	             "mov.u32 %r7, tile; sub.u32 %r7, %r7, %r5; ld.shared.u32 %r20, [%r7+252];")), m_neighbour, 0 },
	{ PTX_MODULE("", ".shared .align 2 .b8 half[128];\n" SUM("mov.u32 %r4, %tid.x; shl.b32 %r5, %r4, 1; mov.u32 %r6, half; add.u32 %r6, %r6, %r5;\n"
	             "cvt.u16.u32 %h0, %r0; st.shared.u16 [%r6], %h0; bar.sync 0; add.u32 %r4, %r4, 1; and.b32 %r4, %r4, 63; shl.b32 %r4, %r4, 1;\n"
	             "mov.u32 %r7, half; add.u32 %r7, %r7, %r4; ld.shared.u16 %h1, [%r7]; cvt.u32.u16 %r20, %h1;")), m_shared16, 0 },
	/* a local array, filled with its index, read at a different place in each lane; and as one row for all lanes */
	{ PTX_MODULE("", ".local .align 8 .b8 mine[40];\n" SUM("mov.u32 %r3, mine; mov.u32 %r4, 0;\n"
	             "L: shl.b32 %r5, %r4, 2; add.u32 %r5, %r3, %r5; st.local.u32 [%r5], %r4; add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 8; @%p0 bra L;\n"
	             "mul.wide.u32 %d3, %r0, 4; and.b64 %d3, %d3, 4095; add.u64 %d3, %d1, %d3; ld.global.u32 %r6, [%d3]; st.local.u32 [mine+36], %r6;\n"
	             "add.u32 %r7, %r0, 3; and.b32 %r7, %r7, 7; shl.b32 %r7, %r7, 2; add.u32 %r7, %r7, %r3; ld.local.u32 %r8, [%r7];\n"
	             "ld.local.u32 %r9, [mine+36]; add.u32 %r20, %r8, %r9;")), m_local, 0 },
	{ PTX_MODULE("", ".local .align 16 .b8 mine[64];\n" SUM("mov.u32 %r3, mine; and.b32 %r4, %r0, 3; shl.b32 %r5, %r4, 3; add.u32 %r5, %r3, %r5;\n"
	             "cvt.u64.u32 %d3, %r4; mul.lo.u64 %d3, %d3, 0x300000001; st.local.b64 [%r5], %d3; cvt.u16.u32 %h0, %r0; st.local.u16 [mine+50], %h0; ld.local.b64 %d4, [%r5];\n"
	             "cvt.u32.u64 %r6, %d4; ld.local.u16 %h1, [mine+50]; cvt.u32.u16 %r7, %h1; mad.lo.u32 %r20, %r6, 1000, %r7;\n"
	             "shr.u64 %d4, %d4, 32; cvt.u32.u64 %r6, %d4; mad.lo.u32 %r20, %r6, 100000, %r20;")), m_local64, 0 },
	{ PTX_MODULE(".const .align 4 .u32 table[4] = { 11, 22, 33, 44 };", SUM("and.b32 %r3, %r0, 3; shl.b32 %r3, %r3, 2; mov.u32 %r4, table;\n"
	             "add.u32 %r4, %r4, %r3; ld.const.u32 %r5, [%r4]; ld.const.u32 %r6, [table+4]; add.u32 %r20, %r5, %r6;")), m_const, 0 },
	{ PTX_MODULE("", SUM("ld.param.u16 %h0, [n]; cvt.u32.u16 %r3, %h0; add.u32 %r20, %r3, %r39;")), m_param, 0 },
	/* lanes of one generic load in global, shared and local memory */
	{ PTX_MODULE("", ".shared .align 4 .b8 tile[256]; .local .align 4 .b8 mine[8];\n" SUM("mov.u32 %r3, %laneid; mov.u32 %r4, %tid.x; shl.b32 %r4, %r4, 2;\n"
	             "mov.u64 %d3, tile; cvt.u64.u32 %d4, %r4; add.u64 %d3, %d3, %d4; cvta.shared.u64 %d3, %d3; add.u32 %r5, %r0, 100; st.u32 [%d3], %r5;\n"
	             "mov.u64 %d5, mine; cvta.local.u64 %d5, %d5; add.u32 %r6, %r3, 200; st.u32 [%d5+4], %r6; add.u64 %d5, %d5, 4;\n"
	             "mul.wide.u32 %d6, %r3, 4; add.u64 %d6, %d1, %d6; rem.u32 %r7, %r0, 3; setp.eq.u32 %p0, %r7, 0; setp.eq.u32 %p1, %r7, 1;\n"
	             "selp.b64 %d7, %d3, %d5, %p1; selp.b64 %d7, %d6, %d7, %p0; ld.u32 %r20, [%d7];")), m_generic, 0 },
	/* variables of the module, one of them the address of another */
	{ PTX_MODULE(".global .align 4 .u32 five = 5;\n.global .align 4 .b8 bytes[8] = { 9, 9, 9, 9, 4, 3, 2, 1 };\n.global .align 8 .u64 where[2] = { bytes+4, five };",
	             SUM("and.b32 %r3, %r0, 1; mul.wide.u32 %d3, %r3, 8; mov.u64 %d4, where; add.u64 %d4, %d4, %d3; ld.global.u64 %d5, [%d4];\n"
	             "ld.global.u32 %r20, [%d5];")), m_module, 0 },
	/* vectors stored into shared and local memory, and read as single elements */
	{ PTX_MODULE("", ".shared .align 16 .b8 tile[1024];\n" SUM("mov.u32 %r3, %tid.x; shl.b32 %r3, %r3, 4; mov.u32 %r4, tile; add.u32 %r4, %r4, %r3;\n"
	             "shl.b32 %r5, %r0, 2; add.u32 %r6, %r5, 1; add.u32 %r7, %r5, 2; add.u32 %r8, %r5, 3; st.shared.v4.u32 [%r4], {%r5, %r6, %r7, %r8};\n"
	             "ld.shared.u32 %r9, [%r4+12]; ld.shared.u32 %r10, [%r4+8]; ld.shared.u32 %r11, [%r4+4]; ld.shared.u32 %r12, [%r4];\n"
	             "mad.lo.u32 %r20, %r10, 5, %r9; mad.lo.u32 %r20, %r11, 7, %r20; mad.lo.u32 %r20, %r12, 11, %r20;")), m_v4_store, 0 },
	{ PTX_MODULE("", ".local .align 16 .b8 mine[48];\n" SUM("mov.u32 %r3, mine; and.b32 %r4, %r0, 1; shl.b32 %r4, %r4, 4; add.u32 %r4, %r3, %r4;\n"
	             "cvt.u64.u32 %d3, %r0; add.u64 %d4, %d3, 1; st.local.v2.b64 [%r4], {%d3, %d4}; ld.local.u32 %r5, [%r4+8];\n"
	             "cvt.u16.u32 %h0, %r0; and.b16 %h0, %h0, 127; mov.u16 %h1, 255; st.local.v2.u8 [mine+40], {%h1, %h0}; ld.local.u8 %r6, [mine+41];\n"
	             "mad.lo.u32 %r20, %r5, 256, %r6;")), m_v2_store, 0 },
	/* into the generic window and back */
	{ PTX_MODULE("", ".shared .align 4 .b8 tile[256];\n" SUM("mov.u32 %r3, %tid.x; shl.b32 %r3, %r3, 2; mov.u64 %d3, tile; cvt.u64.u32 %d4, %r3; add.u64 %d3, %d3, %d4;\n"
	             "cvta.shared.u64 %d5, %d3; mul.lo.u32 %r5, %r0, 3; st.u32 [%d5], %r5; cvta.to.shared.u64 %d6, %d5; cvt.u32.u64 %r6, %d6;\n"
	             "ld.shared.u32 %r20, [%r6]; cvta.to.global.u64 %d7, %d1; sub.u64 %d7, %d7, %d1; cvt.u32.u64 %r7, %d7; add.u32 %r20, %r20, %r7;")), m_to_window, 0 },
	/* isspacep of a generic address in global, shared, local and constant memory, by lane */
	{ PTX_MODULE(".const .align 4 .u32 table[4] = { 11, 22, 33, 44 };", ".shared .align 4 .b8 tile[256]; .local .align 4 .b8 mine[8];\n" SUM(
	             "mov.u64 %d3, tile; cvta.shared.u64 %d3, %d3; mov.u64 %d4, mine; cvta.local.u64 %d4, %d4; mov.u64 %d5, table; cvta.const.u64 %d5, %d5;\n"
	             "and.b32 %r3, %r0, 3; setp.eq.u32 %p0, %r3, 1; setp.eq.u32 %p1, %r3, 2; setp.eq.u32 %p2, %r3, 3;\n"
	             "selp.b64 %d6, %d3, %d1, %p0; selp.b64 %d6, %d4, %d6, %p1; selp.b64 %d6, %d5, %d6, %p2; st.local.u32 [mine], %r0;\n"
	             "isspacep.global %p0, %d6; isspacep.shared %p1, %d6; isspacep.local %p2, %d6; isspacep.const %p3, %d6;\n"
	             "selp.u32 %r20, 1, 0, %p0; selp.u32 %r4, 2, 0, %p1; add.u32 %r20, %r20, %r4; selp.u32 %r4, 4, 0, %p2; add.u32 %r20, %r20, %r4;\n"
	             "selp.u32 %r4, 8, 0, %p3; add.u32 %r20, %r20, %r4;")), m_spaces, 0 },
	/* lanes that exchange through shared memory with no more than a barrier of the warp */
	{ PTX_MODULE("", ".shared .align 4 .b8 tile[256];\n" SUM("mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2; mov.u32 %r5, tile; add.u32 %r6, %r5, %r4;\n"
	             "mov.u32 %r10, -1; mad.lo.u32 %r7, %r0, 3, 7; st.shared.u32 [%r6], %r7; bar.warp.sync %r10; xor.b32 %r4, %r4, 4; add.u32 %r6, %r5, %r4;\n"
	             "ld.shared.u32 %r20, [%r6]; bar.warp.sync 0xffffffff; nanosleep.u32 %r20; mov.u32 %r8, 0; st.shared.u32 [%r6], %r8;")), m_step, 0 },
	/* extern shared memory starts after the static one */
	{ PTX_MODULE(".extern .shared .align 4 .b8 dyn[];", ".shared .align 4 .b8 fix[20];\n" SUM("mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2; mov.u32 %r5, dyn;\n"
	             "add.u32 %r6, %r5, %r4; st.shared.u32 [%r6], %r0; mov.u32 %r8, fix; st.shared.u32 [%r8+16], %r4; bar.sync 0; sub.u32 %r7, %r5, %r4;\n"
	             "ld.shared.u32 %r20, [%r7+252];")), m_dynamic, 256 },
};
enum { SPACES = sizeof spaces / sizeof *spaces };

static void check_space(int row, int way)
{
	struct rig r;

	rig_way(&r, spaces[row].ptx, way);
	r.l.grid[0] = 3;
	r.l.block[0] = 64;
	r.l.dynamic_shared = spaces[row].dynamic;
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < 192; i++)
		ck_assert_msg(r.out[i] == spaces[row].want(i, r.in), "row %d, thread %u: %x, not %x", row, i, r.out[i],
		              spaces[row].want(i, r.in));
	rig_close(&r);
}

START_TEST(every_space_gives_back_what_was_stored)
{
	for (int way = 0; way < WAYS; way++)
		check_space(_i, way);
}
END_TEST

START_TEST(colliding_stores_leave_the_highest_lane)
{
	struct rig r;

	rig_open(&r, KERNEL("and.b32 %r3, %r0, 3; mul.wide.u32 %d3, %r3, 4; ld.param.u64 %d4, [out]; add.u64 %d4, %d4, %d3; st.global.u32 [%d4], %r0;\n"
	                    "ld.param.u64 %d4, [out]; add.u64 %d4, %d4, %d3; add.u64 %d4, %d4, 64; cvt.u64.u32 %d5, %r0; st.global.v2.u32 [%d4+64], {%r0, %r1};"), 0);
	r.l.block[0] = 30;
	ck_assert_msg(!rig_run(&r, NULL), "a misaligned vector store");
	rig_close(&r);
	rig_open(&r, KERNEL("and.b32 %r3, %r0, 3; mul.wide.u32 %d3, %r3, 4; ld.param.u64 %d4, [out]; add.u64 %d4, %d4, %d3; st.global.u32 [%d4], %r0;"), 0);
	r.l.block[0] = 30;
	ck_assert(rig_run(&r, NULL));
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(r.out[i], i < 2 ? 28 + i : 24 + i);
	rig_close(&r);
}
END_TEST

static void check_atomics(int row)
{
	struct rig r;

	rig_way(&r, PTX_MODULE("", ".shared .align 4 .u32 sum;\n" PTX_INDEX
	        "mov.u32 %r5, sum; and.b32 %r3, %r0, 3; setp.eq.u32 %p0, %r3, 1; @%p0 red.shared.add.u32 [%r5], 10; bar.sync 0; ld.shared.u32 %r6, [%r5];\n"
	        "ld.param.u64 %d3, [out]; atom.global.add.u32 %r7, [%d3+8000], 1; cvta.global.u64 %d4, %d3; red.max.u32 [%d4+8004], %r0;\n"
	        "mad.lo.u32 %r7, %r6, 1000, %r7; st.global.u32 [%d0], %r7; ret;"), row);
	r.l.grid[0] = 2;
	r.l.block[0] = 64;
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	ck_assert_uint_eq(r.out[2000], 128);
	ck_assert_uint_eq(r.out[2001], 127);
	for (uint32_t i = 1; i < 128; i++) {
		ck_assert_uint_eq(r.out[i] / 1000, 160);
		ck_assert_uint_eq(r.out[i] % 1000, r.out[i & ~31u] % 1000 + i % 32);
	}
	rig_close(&r);
}

START_TEST(atomics_add_up_and_give_old_values_in_lane_order)
{
	for (int row = 0; row < WAYS; row++)
		check_atomics(row);
}
END_TEST

/* Subnormals added in global, shared and generic memory; lanes of one generic instruction in either. */
static void check_float_atomics(int way)
{
	static const char ptx[] = PTX_MODULE("", ".shared .align 4 .b8 tile[32];\n" PTX_INDEX
	        "ld.param.u64 %d3, [out]; mov.f32 %f0, 0f00000003; mov.u32 %r5, tile; red.shared.add.f32 [%r5], %f0; red.global.add.f32 [%d3+4000], %f0;\n"
	        "mov.u64 %d4, tile; cvta.shared.u64 %d4, %d4; atom.add.f32 %f1, [%d4+4], %f0; cvta.global.u64 %d5, %d3; atom.add.f32 %f1, [%d5+4004], %f0;\n"
	        "and.b32 %r3, %r0, 1; setp.eq.u32 %p0, %r3, 0; add.u64 %d4, %d4, 8; add.u64 %d5, %d5, 4008; selp.b64 %d6, %d4, %d5, %p0;\n"
	        "red.add.f32 [%d6], %f0; ld.shared.u32 %r6, [%r5]; ld.shared.u32 %r7, [%r5+4]; ld.shared.u32 %r8, [%r5+8];\n"
	        "mad.lo.u32 %r6, %r7, 1000, %r6; mad.lo.u32 %r6, %r8, 1000000, %r6; st.global.u32 [%d0], %r6; ret;");
	struct rig r;

	rig_way(&r, ptx, way);
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	ck_assert_uint_eq(r.out[0], 96 + 96 * 1000 + 48 * 1000000);
	for (unsigned i = 1000; i < 1003; i++)
		ck_assert_uint_eq(r.out[i], 0);
	rig_close(&r);
}

START_TEST(float_atomics_flush_subnormals_in_global_memory_alone)
{
	for (int way = 0; way < WAYS; way++)
		check_float_atomics(way);
}
END_TEST

START_TEST(globals_keep_their_value_between_launches)
{
	struct rig r;
	uint64_t bytes = 0, at;

	rig_open(&r, PTX_MODULE(".global .align 4 .u32 total = 40;", PTX_INDEX "mov.u64 %d3, total; atom.global.add.u32 %r3, [%d3], 1; st.global.u32 [%d0], %r3; ret;"), 63);
	ck_assert(device_load(r.dev, r.m));
	at = device_symbol(r.dev, "total", &bytes);
	ck_assert(at != 0 && bytes == 4);
	ck_assert(device_load(r.dev, r.m));
	ck_assert(device_symbol(r.dev, "total", NULL) == at);
	ck_assert(device_symbol(r.dev, "nothing", NULL) == 0);
	ck_assert(rig_run(&r, NULL) && rig_run(&r, NULL));
	ck_assert_uint_eq(*(uint32_t *)device_ptr(r.dev, at, 4), 40 + 64);
	ck_assert_uint_eq(r.out[31], 40 + 63);
	rig_close(&r);
}
END_TEST

START_TEST(allocations_are_apart_and_checked)
{
	struct diag d;
	struct device *dev;
	uint64_t a, b;

	diag_init(&d, NULL);
	dev = device_new(&d);
	a = device_alloc(dev, "a", 10);
	b = device_alloc(dev, "b", 100);
	ck_assert(a >= GLOBAL_START && a % 256 == 0 && b % 256 == 0 && b >= a + 10 + 256);
	ck_assert(device_ptr(dev, a, 10) != NULL && device_ptr(dev, a, 11) == NULL && device_ptr(dev, a + 10, 1) == NULL);
	ck_assert(device_ptr(dev, b - 1, 1) == NULL && device_ptr(dev, b + 99, 1) != NULL && device_ptr(dev, 0, 1) == NULL);
	ck_assert((char *)device_ptr(dev, b + 5, 1) == (char *)device_ptr(dev, b, 1) + 5);
	ck_assert(device_ptr(dev, b, UINT64_MAX) == NULL);
	ck_assert_uint_eq(d.errors, 0);
	ck_assert(device_alloc(dev, "huge", UINT64_MAX - 5) == 0);
	ck_assert_str_eq(d.last, "huge: error: 18446744073709551610 bytes do not fit the 64 GiB of device memory\n");
	device_free(dev);
	diag_free(&d);
}
END_TEST

/* ---- lanes that look at each other ---- */
static void check_vote(int row, int way)
{
	static const struct { const char *body; uint32_t want[32]; } rows[] = {
		{ "setp.lt.u32 %p0, %r0, 5; vote.sync.ballot.b32 %r20, %p0, 0xffffffff;", { 31, 31, 31, 31 } },
		{ "setp.lt.u32 %p0, %r0, 32; vote.sync.all.pred %p1, %p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;", { 1, 1, 1, 1 } },
		{ "setp.lt.u32 %p0, %r0, 31; vote.sync.all.pred %p1, %p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;", { 2, 2, 2, 2 } },
		{ "setp.gt.u32 %p0, %r0, 30; vote.sync.any.pred %p1, %p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;", { 1, 1, 1, 1 } },
		{ "setp.gt.u32 %p0, %r0, 30; vote.sync.uni.pred %p1, %p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;", { 2, 2, 2, 2 } },
		{ "setp.gt.u32 %p0, %r0, 40; vote.sync.uni.pred %p1, %p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;", { 1, 1, 1, 1 } },
		{ "setp.lt.u32 %p0, %r0, 3; mov.pred %p1, 0; @%p0 vote.sync.any.pred %p1, %p0, 7; selp.u32 %r20, 1, 2, %p1;", { 1, 1, 1, 2 } },
		{ "setp.lt.u32 %p0, %r0, 3; mov.pred %p1, 1; @%p0 vote.sync.all.pred %p1, !%p0, 7; selp.u32 %r20, 1, 2, %p1;", { 2, 2, 2, 1 } },
		{ "setp.gt.u32 %p0, %r0, 40; vote.sync.uni.pred %p1, !%p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;", { 1, 1, 1, 1 } },
		{ "mov.u32 %r20, 0; setp.lt.u32 %p0, %r0, 3; @%p0 activemask.b32 %r20;", { 7, 7, 7, 0 } },
		{ "shfl.sync.up.b32 %r20|%p0, %r0, 1, 0, 0xffffffff; @!%p0 mov.u32 %r20, 99;", { 99, 0, 1, 2 } },
		{ "shfl.sync.down.b32 %r20, %r0, 2, 31, 0xffffffff;", { 2, 3, 4, 5 } },
		{ "shfl.sync.bfly.b32 %r20, %r0, 3, 31, 0xffffffff;", { 3, 2, 1, 0 } },
		{ "shfl.sync.idx.b32 %r20, %r0, 9, 31, 0xffffffff;", { 9, 9, 9, 9 } },
		{ "shfl.sync.idx.b32 %r20|%p0, %r0, 3, 0x1c03, 0xffffffff; @!%p0 mov.u32 %r20, 77;", { 3, 3, 3, 3 } },
		{ "shfl.sync.down.b32 %r20|%p0, %r0, 1, 0x1c03, 0xffffffff; @!%p0 mov.u32 %r20, 77;", { 1, 2, 3, 77 } },
	};
	static const char frame[] = PTX_MODULE("", PTX_INDEX "@ st.global.u32 [%d0], %r20; ret;");
	const char *at = strchr(frame, '@');
	char ptx[4096];
	struct rig r;

	ck_assert_int_lt(row, sizeof rows / sizeof *rows);
	snprintf(ptx, sizeof ptx, "%.*s%s%s", (int)(at - frame), frame, rows[row].body, at + 1);
	rig_way(&r, ptx, way);
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (unsigned l = 0; l < 4; l++)
		ck_assert_msg(r.out[l] == rows[row].want[l], "row %d lane %u: %u", row, l, r.out[l]);
	rig_close(&r);
}

START_TEST(votes_and_shuffles_follow_the_isa)
{
	for (int way = 0; way < WAYS; way++)
		check_vote(_i, way);
}
END_TEST
enum { VOTES = 16 };

/* ---- barriers ---- */
START_TEST(exited_warps_do_not_hold_a_barrier)
{
	struct rig r;

	rig_open(&r, PTX_MODULE("", ".shared .align 4 .b8 tile[512];\n" PTX_INDEX
	         "setp.ge.u32 %p0, %r0, 96; @%p0 ret; shl.b32 %r4, %r0, 2; mov.u32 %r5, tile; add.u32 %r6, %r5, %r4; st.shared.u32 [%r6], %r0; bar.sync 0;\n"
	         "sub.u32 %r7, %r5, %r4; ld.shared.u32 %r8, [%r7+380]; st.global.u32 [%d0], %r8; ret;"), 63);
	r.l.block[0] = 128;
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < 96; i++)
		ck_assert_uint_eq(r.out[i], 95 - i);
	rig_close(&r);
}
END_TEST

START_TEST(barriers_with_a_thread_count_pair_producers_and_consumers)
{
	struct rig r;

	/* warps 0 and 1 meet at barrier 3, warps 2 and 3 at barrier 4, with 64 threads each; then all at barrier 0 */
	rig_open(&r, PTX_MODULE("", ".shared .align 4 .b8 tile[512];\n" PTX_INDEX
	         "shl.b32 %r4, %r0, 2; mov.u32 %r5, tile; add.u32 %r6, %r5, %r4; st.shared.u32 [%r6], %r0; setp.lt.u32 %p0, %r0, 64; @%p0 bra A;\n"
	         "bar.sync 4, 64; bra B; A: bar.sync 3, 64; B: xor.b32 %r7, %r0, 32; shl.b32 %r7, %r7, 2; add.u32 %r7, %r5, %r7; ld.shared.u32 %r8, [%r7];\n"
	         "bar.sync 0; st.global.u32 [%d0], %r8; ret;"), 63);
	r.l.block[0] = 128;
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < 128; i++)
		ck_assert_uint_eq(r.out[i], i ^ 32);
	rig_close(&r);
}
END_TEST

START_TEST(part_of_a_warp_counts_as_the_warp_at_a_barrier)
{
	struct rig r;

	rig_open(&r, KERNEL("and.b32 %r3, %r0, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra EVEN; bar.sync 0; mov.u32 %r4, 5; bra ON;\n"
	                    "EVEN: bar.sync 0; mov.u32 %r4, 6; ON: st.global.u32 [%d0], %r4;"), 0);
	r.l.block[0] = 96;
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < 96; i++)
		ck_assert_uint_eq(r.out[i], i & 1 ? 5 : 6);
	rig_close(&r);
}
END_TEST

/* ---- faults: the text; blocks of 10 x 4, %r0 the linear index ---- */
#define PTX_LINEAR \
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mad.lo.s32 %r0, %r1, 10, %r0;\n" \
	"ld.param.u64 %d0, [out]; mul.wide.u32 %d2, %r0, 4; add.s64 %d0, %d0, %d2; ld.param.u64 %d1, [in]; ld.param.u32 %r39, [n];\n"
#define FAULTY(body) PTX_MODULE("", PTX_LINEAR body " ret;")
static const struct { const char *ptx, *want; uint32_t dynamic; } faults[] = {
	{ FAULTY("ld.global.u32 %r3, [%d1+8192];"),
	  "kernel k: ld.global.u32 %r3, [%d1+0x2000]: 4 bytes at 0x10007000 are outside memory, 8192 bytes after the start of in (4096 bytes at 0x10005000) in CTA (0,0,0), thread (0,0,0), lane 0 of warp 0", 0 },
	{ FAULTY("mul.wide.u32 %d3, %r0, 128; add.u64 %d3, %d1, %d3; st.global.u32 [%d3], %r0;"),
	  "st.global.u32 [%d3], %r0: 4 bytes at 0x10006000 are outside memory, 4096 bytes after the start of in (4096 bytes at 0x10005000) in CTA (0,0,0), thread (2,3,0), lane 0 of warp 1", 0 },
	{ FAULTY("ld.global.u32 %r3, [%d1+-4];"), "4 bytes at 0x10004ffc are outside memory, 4 bytes before in (4096 bytes at 0x10005000)", 0 },
	{ FAULTY("ld.global.v2.u32 {%r3, %r4}, [%d1+4];"), "address 0x10005004 is not a multiple of 8 bytes", 0 },
	{ FAULTY("mov.u64 %d3, 0; @!%p0 ld.global.u8 %r3, [%d3+16];"), "null pointer: address 0x10 in", 0 },
	{ FAULTY("mov.u64 %d3, 0x123456789abc; ld.u32 %r3, [%d3];"), "4 bytes at 0x123456789abc are outside memory", 0 },
	{ FAULTY("mov.u64 %d3, 0x8000000; ld.u32 %r3, [%d3];"), "4 bytes at 0x8000000 are outside memory", 0 },
	{ PTX_MODULE("", ".shared .align 4 .b8 t[64];\n" PTX_LINEAR "mov.u32 %r3, t; shl.b32 %r4, %r0, 2; add.u32 %r3, %r3, %r4; st.shared.u32 [%r3], %r0; ret;"),
	  "st.shared.u32 [%r3], %r0: 4 bytes at offset 0x40 are outside the 64 bytes of shared memory in CTA (0,0,0), thread (6,1,0), lane 16 of warp 0", 0 },
	{ PTX_MODULE("", ".shared .align 4 .b8 t[64];\n" PTX_LINEAR "mov.u32 %r3, t; ld.shared.u32 %r4, [%r3+62]; ret;"),
	  "address 0x3e is not a multiple of 4 bytes", 16 },
	{ PTX_MODULE("", ".local .align 4 .b8 t[8];\n" PTX_LINEAR "mov.u32 %r3, t; st.local.u32 [%r3+8], %r0; ret;"),
	  "4 bytes at offset 0x8 are outside the 8 bytes of local memory", 0 },
	{ PTX_MODULE(".const .align 4 .u32 c = 4;", PTX_LINEAR "mov.u32 %r3, c; ld.const.u32 %r4, [%r3+4]; ret;"),
	  "4 bytes at offset 0x4 are outside the 4 bytes of constant memory", 0 },
	{ PTX_MODULE("", ".local .align 4 .b8 t[8];\n" PTX_LINEAR "mov.u64 %d3, t; cvta.local.u64 %d3, %d3; atom.add.u32 %r3, [%d3], 1; ret;"),
	  "is in a space that does not allow this", 0 },
	{ FAULTY("setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 1; A: bar.sync 0;"),
	  "kernel k: deadlock in CTA (0,0,0): none of its 2 live warps can run\n  warp 0 waits for barrier 0, where 1 of 2 warps have arrived, at instruction 11, bar.sync 0, 0 (t.ptx:10:", 0 },
	{ FAULTY("bar.sync 2, 96;"), "for barrier 2, where 2 of 3 warps have arrived and only 2 live, at instruction", 0 },
	{ FAULTY("mov.u32 %r3, 33; bar.sync 2, %r3;"), "the barrier's thread count, 33, is not a multiple of 32", 0 },
	{ FAULTY("add.u32 %r3, %r0, 16; bar.sync %r3;"), "barrier 16 does not exist; there are 16", 0 },
	{ FAULTY("setp.eq.u32 %p0, %r0, 33; @%p0 trap;"), "trap: the program asked to stop in CTA (0,0,0), thread (3,3,0), lane 1 of warp 1", 0 },
};
enum { FAULTS = sizeof faults / sizeof *faults };

static void check_fault(int row)
{
	struct rig r;

	rig_open(&r, faults[row].ptx, 0);
	r.l.block[0] = 10;
	r.l.block[1] = 4;
	r.l.dynamic_shared = faults[row].dynamic;
	ck_assert_msg(!rig_run(&r, NULL), "no fault");
	ck_assert_uint_eq(r.d.errors, 1);
	ck_assert_msg(strstr(r.d.last, faults[row].want) != NULL, "%s", r.d.last);
	ck_assert_msg(strncmp(r.d.last, "t.ptx:", 6) == 0 && strchr(r.d.last, '^'), "%s", r.d.last);
	rig_close(&r);
}

START_TEST(faults_name_the_instruction_the_thread_and_the_memory)
{
	for (int row = 0; row < FAULTS; row++)
		check_fault(row);
}
END_TEST

START_TEST(the_limit_is_exact)
{
	static const char ptx[] = KERNEL("mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 100; @%p0 bra L; bar.sync 0;");
	struct engine_counts all, c;
	struct rig r;

	for (int less = 0; less < 400; less += 7) {
		rig_open(&r, ptx, 0);
		r.l.block[0] = 96;
		ck_assert(rig_run(&r, &all));
		r.opt.max_insns = all.warp_insns - (uint64_t)less;
		ck_assert(rig_run(&r, &c) == (less == 0));
		ck_assert_uint_eq(c.warp_insns, r.opt.max_insns);
		rig_close(&r);
	}
}
END_TEST

START_TEST(a_launch_that_is_stopped_says_where_its_warps_are)
{
	static const struct { const char *ptx, *want; } spin[] = {
		{ FAULTY("L: bra L;"), "\n  CTA (0,0,0) warp 0 is at instruction 8, bra L (t.ptx:10:" },
		{ FAULTY("setp.lt.u32 %p0, %r0, 32; @%p0 bra L; bar.sync 0; L: bra L;"),
		  "\n  CTA (0,0,0) warp 1 waits at instruction 10, bar.sync 0, 0 (t.ptx:10:" },
	};
	int stop = 1;

	for (int i = 0; i < 4; i++) {
		struct stopped s;
		struct engine *e;
		struct rig r;

		rig_open(&r, spin[i % 2].ptx, 0);
		r.l.block[0] = 40;
		r.opt.max_insns = 1000;
		r.opt.stop = i < 2 ? NULL : &stop;
		e = rig_engine(&r);
		ck_assert(!engine_run(e) && r.d.errors == 0);
		ck_assert_int_eq(engine_stopped(e), i < 2 ? STOP_INSNS : STOP_ASKED);
		engine_describe(e, &s);
		ck_assert(s.why == engine_stopped(e) && s.ctas_done == 0 && s.ctas == 1);
		ck_assert_uint_eq(engine_counts(e)->warp_insns, i < 2 ? 1000 : 0);
		ck_assert_msg(i < 2 ? strstr(s.where, spin[i].want) != NULL : !*s.where, "%s", s.where);
		engine_free(e);
		rig_close(&r);
	}
}
END_TEST

static void count_report(void *ctx, const struct engine_progress *p)
{
	uint64_t *last = ctx;

	ck_assert(p->warp_insns >= last[0] && p->ctas == 3 && p->ctas_done >= last[1] && p->ctas_done <= 3);
	last[0] = p->warp_insns;
	last[1] = p->ctas_done;
	last[2]++;
}

START_TEST(execution_reports_how_far_it_has_come)
{
	uint64_t last[3] = { 0 };
	struct engine_counts c;
	struct rig r;

	rig_open(&r, KERNEL("mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 100000; @%p0 bra L;"), 0);
	r.l.grid[0] = 3;
	r.opt.progress = count_report;
	r.opt.progress_ctx = last;
	ck_assert(rig_run(&r, &c));
	ck_assert_uint_ge(last[2], 5);
	ck_assert(last[0] > c.warp_insns / 2 && last[0] <= c.warp_insns);
	rig_close(&r);
}
END_TEST

START_TEST(faults_in_machine_form_name_the_source_line)
{
	struct rig r;

	rig_open(&r, PTX_MODULE(".file 1 \"a.cu\"", PTX_INDEX ".loc 1 12 5\nld.global.u32 %r3, [%d1+8192]; st.global.u32 [%d0], %r3; ret;"), 63);
	r.m->src = NULL;                /* as an object is loaded */
	ck_assert(!rig_run(&r, NULL));
	ck_assert_msg(strncmp(r.d.last, "a.cu:12:5: error: kernel k: ld.global.u32 R", 43) == 0, "%s", r.d.last);
	rig_close(&r);
}
END_TEST

/* ---- launches that are refused ---- */
static const struct { uint32_t grid[3], block[3], param_bytes, dynamic, reqntid, maxntid; const char *want; } refused[] = {
	{ { 0, 1, 1 }, { 32, 1, 1 }, 20, 0, 0, 0, "launch of 0x1x1 CTAs of 32x1x1 threads is empty" },
	{ { 1, 1, 1 }, { 32, 33, 1 }, 20, 0, 0, 0, "block of 32x33x1 threads is over the limit of 1024" },
	{ { 1, 1, 1 }, { 1, 1, 65 }, 20, 0, 0, 0, "block of 1x1x65 threads is over the limit" },
	{ { 1, 65536, 1 }, { 1, 1, 1 }, 20, 0, 0, 0, "grid of 1x65536x1 CTAs is over the limit" },
	{ { 2147483647, 65535, 65535 }, { 1, 1, 1 }, 20, 0, 0, 0, "is over the limit" },
	{ { 1, 1, 1 }, { 32, 1, 1 }, 16, 0, 0, 0, "takes 20 bytes of parameters, the launch gives 16" },
	{ { 1, 1, 1 }, { 32, 1, 1 }, 20, 1 << 30, 0, 0, "bytes of shared memory, over the limit of 16777216" },
	{ { 1, 1, 1 }, { 32, 1, 1 }, 20, 0, 64, 0, "the kernel requires 64x1x1 (.reqntid)" },
	{ { 1, 1, 1 }, { 32, 2, 1 }, 20, 0, 0, 63, "block of 64 threads, but the kernel allows 63 (.maxntid)" },
};
enum { REFUSED = sizeof refused / sizeof *refused };

static void check_refused(int row)
{
	struct rig r;

	rig_open(&r, KERNEL(""), 0);
	memcpy(r.l.grid, refused[row].grid, sizeof r.l.grid);
	memcpy(r.l.block, refused[row].block, sizeof r.l.block);
	r.l.param_bytes = refused[row].param_bytes;
	r.l.dynamic_shared = refused[row].dynamic;
	r.k->reqntid[0] = refused[row].reqntid;
	r.k->maxntid[0] = refused[row].maxntid;
	ck_assert(engine_new(r.dev, &r.l, &r.opt, &r.d) == NULL);
	ck_assert_msg(strstr(r.d.last, refused[row].want) != NULL, "%s", r.d.last);
	ck_assert_uint_eq(r.d.errors, 1);
	rig_close(&r);
}

START_TEST(bad_launches_are_refused_with_the_reason)
{
	for (int row = 0; row < REFUSED; row++)
		check_refused(row);
}
END_TEST

/* ---- poison ---- */
START_TEST(poison_reaches_dead_registers)
{
	struct rig r;

	/* %r5 is never written, so in plain mode it reads as zero and under poison as garbage */
	rig_open(&r, KERNEL("st.global.u32 [%d0], %r5;"), 0);
	ck_assert(rig_run(&r, NULL));
	ck_assert_uint_eq(r.out[1], 0);
	r.opt.poison = true;
	ck_assert(rig_run(&r, NULL));
	ck_assert(r.out[1] != 0 && r.out[1] != r.out[2]);
	rig_close(&r);
	/* a liveness that lies is found out: %r3 said to be dead after its definition */
	rig_open(&r, KERNEL("mov.u32 %r3, 12; add.u32 %r4, %r0, 1; add.u32 %r4, %r4, %r3; st.global.u32 [%d0], %r4;"), 0);
	r.opt.poison = true;
	ck_assert(rig_run(&r, NULL));
	ck_assert_uint_eq(r.out[5], 18);
	for (uint32_t i = 0; i < r.k->ninsn; i++)
		if (r.k->insn[i].op == OP_ADD_S32 && insn_src(r.k, &r.k->insn[i])[1].kind == REF_REG && insn_src(r.k, &r.k->insn[i])[1].val == insn_dst(r.k, &r.k->insn[i - 2])[0].val) {
			struct engine *e = rig_engine(&r);
			struct kill_list *kl = &e->prog.kill[i - 1];

			e->prog.kill_list[kl->first] = e->prog.slot[insn_src(r.k, &r.k->insn[i])[1].val];
			kl->nreg = 1;
			ck_assert(engine_run(e));
			engine_free(e);
			ck_assert_uint_ne(r.out[5], 18);
		}
	rig_close(&r);
}
END_TEST

START_TEST(the_order_does_not_depend_on_the_window_for_one_cta)
{
	struct rig r;

	/* a race between warps: the last writer wins, in canonical order */
	rig_open(&r, KERNEL("ld.param.u64 %d3, [out]; mov.u32 %r3, 0; L: st.global.u32 [%d3], %r0; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 500; @%p0 bra L;"), 0);
	r.l.block[0] = 256;
	ck_assert(rig_run(&r, NULL));
	ck_assert_uint_eq(r.out[0], 255);
	rig_close(&r);
}
END_TEST

Suite *suite_engine(void)
{
	Suite *s = suite_create("engine");
	TCase *t = tcase_create("engine");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, threads_take_their_own_paths, 0, FLOWS);
	tcase_add_test(t, long_divergent_loops_keep_the_stack_small);
	tcase_add_test(t, instructions_and_branches_are_counted);
	tcase_add_test(t, special_registers_locate_the_thread);
	tcase_add_test(t, the_clock_counts_instructions);
	tcase_add_loop_test(t, every_space_gives_back_what_was_stored, 0, SPACES);
	tcase_add_test(t, colliding_stores_leave_the_highest_lane);
	tcase_add_test(t, atomics_add_up_and_give_old_values_in_lane_order);
	tcase_add_test(t, float_atomics_flush_subnormals_in_global_memory_alone);
	tcase_add_test(t, globals_keep_their_value_between_launches);
	tcase_add_test(t, allocations_are_apart_and_checked);
	tcase_add_loop_test(t, votes_and_shuffles_follow_the_isa, 0, VOTES);
	tcase_add_test(t, exited_warps_do_not_hold_a_barrier);
	tcase_add_test(t, barriers_with_a_thread_count_pair_producers_and_consumers);
	tcase_add_test(t, part_of_a_warp_counts_as_the_warp_at_a_barrier);
	tcase_add_test(t, faults_name_the_instruction_the_thread_and_the_memory);
	tcase_add_test(t, the_limit_is_exact);
	tcase_add_test(t, a_launch_that_is_stopped_says_where_its_warps_are);
	tcase_add_test(t, execution_reports_how_far_it_has_come);
	tcase_add_test(t, faults_in_machine_form_name_the_source_line);
	tcase_add_test(t, bad_launches_are_refused_with_the_reason);
	tcase_add_test(t, poison_reaches_dead_registers);
	tcase_add_test(t, the_order_does_not_depend_on_the_window_for_one_cta);
	suite_add_tcase(s, t);
	return s;
}
