/* Execution of whole kernels, in virtual and machine form, plain and with dead registers overwritten: control flow,
 * special registers, lanes that look at each other, barriers. */
#include "test/unit/engine_run.h"

#include <stdio.h>

Suite *suite_engine(void);

/* ---- control flow: each kernel beside the same function in C ---- */
static uint32_t c_nested(uint32_t i, const uint32_t *in)
{
	uint32_t v = in[i & 1023];

	if (v & 1) {
		if (v & 2)
			return v & 4 ? v * 3 : v + 5;
		return v ^ i;
	}
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

#define LOAD_V(reg, index)                                                                                    \
	"and.b32 %r30, " index ", 1023; mul.wide.u32 %d9, %r30, 4; add.s64 %d9, %d1, %d9; ld.global.u32 " reg \
	", [%d9];\n"

static const struct {
	const char *ptx;
	thread_fn *want;
} flows[] = {
	{ KERNEL(LOAD_V("%r3", "%r0") "and.b32 %r4, %r3, 1; setp.eq.u32 %p0, %r4, 0; @%p0 bra EVEN;\n"
				      "and.b32 %r4, %r3, 2; setp.eq.u32 %p0, %r4, 0; @%p0 bra XOR;\n"
				      "and.b32 %r4, %r3, 4; setp.ne.u32 %p1, %r4, 0; @!%p1 bra ADD; mul.lo.u32 %r5, "
				      "%r3, 3; bra DONE;\n"
				      "ADD: add.u32 %r5, %r3, 5; bra DONE;\n"
				      "XOR: xor.b32 %r5, %r3, %r0; bra DONE;\n"
				      "EVEN: and.b32 %r4, %r3, 8; setp.eq.u32 %p0, %r4, 0; sub.u32 %r5, %r3, %r0; "
				      "@!%p0 bra DONE; neg.s32 %r5, %r3;\n"
				      "DONE: st.global.u32 [%d0], %r5;"),
	  c_nested },
	{ KERNEL("mov.u32 %r3, 0; add.u32 %r4, %r0, 1;\n"
		 "TOP: setp.eq.u32 %p0, %r4, 1; @%p0 bra OUT; and.b32 %r5, %r4, 1; setp.eq.u32 %p1, %r5, 1; @%p1 bra "
		 "ODD;\n"
		 "shr.u32 %r4, %r4, 1; bra NEXT; ODD: mad.lo.u32 %r4, %r4, 3, 1; NEXT: add.u32 %r3, %r3, 1; bra TOP;\n"
		 "OUT: st.global.u32 [%d0], %r3;"),
	  c_collatz },
	{ KERNEL("mov.u32 %r3, 0; mov.u32 %r4, 0;\n"
		 "TOP: mad.lo.u32 %r5, %r0, 7, %r4;" LOAD_V(
			 "%r6", "%r5") "and.b32 %r7, %r6, 31; setp.ne.u32 %p0, %r7, 3; @%p0 bra ON; add.u32 %r3, %r3, "
				       "1000000; st.global.u32 [%d0], %r3; ret;\n"
				       "ON: and.b32 %r7, %r6, 63; setp.eq.u32 %p0, %r7, 9; @%p0 bra OUT; and.b32 %r7, "
				       "%r6, 255; add.u32 %r3, %r3, %r7;\n"
				       "add.u32 %r4, %r4, 1; setp.lt.u32 %p0, %r4, 40; @%p0 bra TOP;\n"
				       "OUT: xor.b32 %r3, %r3, 0x5555; st.global.u32 [%d0], %r3;"),
	  c_two_exits },
	{ KERNEL(LOAD_V("%r3", "%r0") "mov.u32 %r5, 9; and.b32 %r4, %r3, 1; setp.ne.u32 %p0, %r4, 0; and.b32 %r4, %r3, "
				      "2; setp.ne.u32 %p1, %r4, 0;\n"
				      "@%p0 mov.u32 %r5, %r3; @!%p1 add.u32 %r5, %r5, 100; st.global.u32 [%d0], %r5; "
				      "@%p0 ret; @!%p0 exit;"),
	  c_guards },
	{ KERNEL("mov.u32 %r3, 0; mov.u32 %r4, 0; and.b32 %r6, %r0, 7; shr.u32 %r7, %r0, 3; and.b32 %r7, %r7, 7;\n"
		 "A: setp.ge.u32 %p0, %r4, %r6; @%p0 bra OUT; mov.u32 %r5, %r4;\n"
		 "B: setp.ge.u32 %p1, %r5, %r7; @%p1 bra NEXT; mad.lo.u32 %r8, %r4, 8, %r5; add.u32 %r8, %r8, "
		 "%r0;" LOAD_V("%r9", "%r8") "mad.lo.u32 %r3, %r3, 5, %r9; add.u32 %r5, %r5, 1; bra B; NEXT: add.u32 "
					     "%r4, %r4, 1; bra A;\n"
					     "OUT: st.global.u32 [%d0], %r3;"),
	  c_loops },
};
enum { FLOWS = sizeof flows / sizeof *flows };

static void check_flow(int row, int way)
{
	struct rig r;
	unsigned threads = 5 * 50;

	rig_way(&r, flows[row].ptx, way);
	r.l.grid[0] = 5;
	r.l.block[0] = 50; /* two warps, the second partial */
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

/* A lane-dependent number of rounds, each with a branch in the loop that splits the lanes again: the stack stays
 * small. */
START_TEST(long_divergent_loops_keep_the_stack_small)
{
	struct rig r;
	struct engine *e;

	rig_open(&r,
		 KERNEL("mov.u32 %r3, 0; mov.u32 %r4, 0; mul.lo.u32 %r6, %r0, 37;\n"
			"TOP: add.u32 %r4, %r4, 1; xor.b32 %r5, %r4, %r0; and.b32 %r5, %r5, 3; setp.eq.u32 %p0, %r5, "
			"0;\n"
			"@%p0 bra TOP2; setp.eq.u32 %p1, %r5, 1; @%p1 bra SIDE; add.u32 %r3, %r3, 1; bra TOP2; SIDE: "
			"add.u32 %r3, %r3, 2;\n"
			"TOP2: setp.lt.u32 %p0, %r4, %r6; @%p0 bra TOP; st.global.u32 [%d0], %r3;"),
		 0);
	e = rig_engine(&r);
	ck_assert(engine_run(e));
	ck_assert_uint_gt(engine_counts(e)->divergent, 1000);
	engine_free(e);
	for (uint32_t i = 0; i < 32; i++) {
		uint32_t want = 0, n = 0;

		do {
			n++;
			if ((n ^ i) % 4 != 0)
				want += (n ^ i) % 4 == 1 ? 2 : 1;
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

	rig_open(&r,
		 PTX_MODULE("", "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 4; @%p0 bra A; mov.u32 %r1, 1; A: @%p0 "
				"mov.u32 %r2, 2; ret;"),
		 0);
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
	static const char *const names[] = {
		"%tid.x",       "%tid.y",       "%tid.z",   "%ntid.x",           "%ntid.y",      "%ntid.z",
		"%ctaid.x",     "%ctaid.y",     "%ctaid.z", "%nctaid.x",         "%nctaid.y",    "%nctaid.z",
		"%laneid",      "%warpid",      "%nwarpid", "%lanemask_eq",      "%lanemask_lt", "%lanemask_le",
		"%lanemask_gt", "%lanemask_ge", "WARP_SZ",  "%dynamic_smem_size"
	};
	enum { N = sizeof names / sizeof *names };
	char ptx[8192], *p = ptx;
	struct rig r;

	p += sprintf(
		p, "%s",
		".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in, "
		".param .u32 n) {\n"
		".reg .b32 %r<40>; .reg .b64 %d<9>; mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;\n"
		"mad.lo.u32 %r0, %r1, 5, %r0; mad.lo.u32 %r0, %r2, 15, %r0; mov.u32 %r3, %ctaid.x; mov.u32 %r4, "
		"%ctaid.y;\n"
		"mad.lo.u32 %r3, %r4, 2, %r3; mad.lo.u32 %r0, %r3, 60, %r0; ld.param.u64 %d0, [out]; mul.wide.u32 %d1, "
		"%r0, 4; add.u64 %d0, %d0, %d1;\n");
	p += sprintf(p, "mov.u32 %%r9, %s; st.global.u32 [%%d0], %%r9; ret; }\n", names[row]);
	rig_open(&r, ptx, way ? 63 : 0);
	r.l = (struct launch){ .m = r.m,
			       .k = r.k,
			       .grid = { 2, 3, 1 },
			       .block = { 5, 3, 4 },
			       .dynamic_shared = 48,
			       .params = r.params,
			       .param_bytes = 20 };
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < 360; i++) {
		uint32_t t = i % 60, c = i / 60, lane = t % 32, bit = 1u << lane;
		const uint32_t want[N] = { t % 5,
					   t / 5 % 3,
					   t / 15,
					   5,
					   3,
					   4,
					   c % 2,
					   c / 2,
					   0,
					   2,
					   3,
					   1,
					   lane,
					   t / 32,
					   2,
					   bit,
					   bit - 1,
					   bit | (bit - 1),
					   ~(bit | (bit - 1)),
					   ~(bit - 1),
					   32,
					   48 };

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

	rig_open(&r,
		 KERNEL("mov.u32 %r3, %clock; mov.u64 %d5, %clock64; add.s32 %r4, %r3, 0; mov.u32 %r5, %clock;\n"
			"cvt.u32.u64 %r6, %d5; sub.u32 %r6, %r6, %r3; sub.u32 %r5, %r5, %r3; mad.lo.u32 %r5, %r5, 16, "
			"%r6; st.global.u32 [%d0], %r5;"),
		 0);
	ck_assert(rig_run(&r, NULL));
	ck_assert_uint_eq(r.out[3], 3 * 16 + 1);
	rig_close(&r);
}
END_TEST

START_TEST(a_wait_for_the_clock_is_short)
{
	struct engine_counts n;
	struct rig r;

	rig_open(&r,
		 KERNEL("mov.u64 %d4, %clock64; mov.u32 %r4, 0;\n"
			"W: mov.u64 %d5, %clock64; sub.u64 %d5, %d5, %d4; add.u32 %r4, %r4, 1;\n"
			"setp.eq.u32 %p1, %r4, 30; @%p1 mov.u64 %d6, %d5;\n"
			"setp.lt.u64 %p0, %d5, 40000000000; @%p0 bra W;\n"
			"shr.u64 %d5, %d5, 20; cvt.u32.u64 %r5, %d5; st.global.u32 [%d0], %r5; cvt.u32.u64 %r6, %d6;"
			"setp.eq.u32 %p0, %r0, 1; @%p0 st.global.u32 [%d0], %r6;"),
		 0);
	ck_assert(rig_run(&r, &n));
	ck_assert_uint_le(n.warp_insns, 2000);
	ck_assert_uint_ge(r.out[0], 40000000000 >> 20);
	ck_assert_uint_le(r.out[0], (40000000000 >> 20) * 9 / 8 + 1);
	ck_assert_uint_le(r.out[1], 30 * 7); /* so many instructions as were executed */
	rig_close(&r);
}
END_TEST

/* ---- lanes that look at each other ---- */
static void check_vote(int row, int way)
{
	static const struct {
		const char *body;
		uint32_t want[32];
	} rows[] = {
		{ "setp.lt.u32 %p0, %r0, 5; vote.sync.ballot.b32 %r20, %p0, 0xffffffff;", { 31, 31, 31, 31 } },
		{ "setp.lt.u32 %p0, %r0, 32; vote.sync.all.pred %p1, %p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;",
		  { 1, 1, 1, 1 } },
		{ "setp.lt.u32 %p0, %r0, 31; vote.sync.all.pred %p1, %p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;",
		  { 2, 2, 2, 2 } },
		{ "setp.gt.u32 %p0, %r0, 30; vote.sync.any.pred %p1, %p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;",
		  { 1, 1, 1, 1 } },
		{ "setp.gt.u32 %p0, %r0, 30; vote.sync.uni.pred %p1, %p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;",
		  { 2, 2, 2, 2 } },
		{ "setp.gt.u32 %p0, %r0, 40; vote.sync.uni.pred %p1, %p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;",
		  { 1, 1, 1, 1 } },
		{ "setp.lt.u32 %p0, %r0, 3; mov.pred %p1, 0; @%p0 vote.sync.any.pred %p1, %p0, 7; selp.u32 %r20, 1, 2, "
		  "%p1;",
		  { 1, 1, 1, 2 } },
		{ "setp.lt.u32 %p0, %r0, 3; mov.pred %p1, 1; @%p0 vote.sync.all.pred %p1, !%p0, 7; selp.u32 %r20, 1, "
		  "2, %p1;",
		  { 2, 2, 2, 1 } },
		{ "setp.gt.u32 %p0, %r0, 40; vote.sync.uni.pred %p1, !%p0, 0xffffffff; selp.u32 %r20, 1, 2, %p1;",
		  { 1, 1, 1, 1 } },
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

	rig_open(&r,
		 PTX_MODULE("", ".shared .align 4 .b8 tile[512];\n" PTX_INDEX
				"setp.ge.u32 %p0, %r0, 96; @%p0 ret; shl.b32 %r4, %r0, 2; mov.u32 %r5, tile; add.u32 "
				"%r6, %r5, %r4; st.shared.u32 [%r6], %r0; bar.sync 0;\n"
				"sub.u32 %r7, %r5, %r4; ld.shared.u32 %r8, [%r7+380]; st.global.u32 [%d0], %r8; ret;"),
		 63);
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
	rig_open(&r,
		 PTX_MODULE("", ".shared .align 4 .b8 tile[512];\n" PTX_INDEX
				"shl.b32 %r4, %r0, 2; mov.u32 %r5, tile; add.u32 %r6, %r5, %r4; st.shared.u32 [%r6], "
				"%r0; setp.lt.u32 %p0, %r0, 64; @%p0 bra A;\n"
				"bar.sync 4, 64; bra B; A: bar.sync 3, 64; B: xor.b32 %r7, %r0, 32; shl.b32 %r7, %r7, "
				"2; add.u32 %r7, %r5, %r7; ld.shared.u32 %r8, [%r7];\n"
				"bar.sync 0; st.global.u32 [%d0], %r8; ret;"),
		 63);
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

	rig_open(&r,
		 KERNEL("and.b32 %r3, %r0, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra EVEN; bar.sync 0; mov.u32 %r4, 5; bra "
			"ON;\n"
			"EVEN: bar.sync 0; mov.u32 %r4, 6; ON: st.global.u32 [%d0], %r4;"),
		 0);
	r.l.block[0] = 96;
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	for (uint32_t i = 0; i < 96; i++)
		ck_assert_uint_eq(r.out[i], i & 1 ? 5 : 6);
	rig_close(&r);
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
	rig_open(&r, KERNEL("mov.u32 %r3, 12; add.u32 %r4, %r0, 1; add.u32 %r4, %r4, %r3; st.global.u32 [%d0], %r4;"),
		 0);
	r.opt.poison = true;
	ck_assert(rig_run(&r, NULL));
	ck_assert_uint_eq(r.out[5], 18);
	for (uint32_t i = 0; i < r.k->ninsn; i++)
		if (r.k->insn[i].op == OP_ADD_S32 && insn_src(r.k, &r.k->insn[i])[1].kind == REF_REG &&
		    insn_src(r.k, &r.k->insn[i])[1].val == insn_dst(r.k, &r.k->insn[i - 2])[0].val) {
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

/* Lanes 0 .. 4 take the branch, and the other side reads %r3 as well. */
#define SIDES                                                                                                     \
	KERNEL("setp.lt.u32 %p0, %r0, 5; add.u32 %r3, %r0, 100; @%p0 bra T; st.global.u32 [%d0], %r3; bra J; T: " \
	       "membar.gl; "                                                                                      \
	       "st.global.u32 [%d0], %r3; J: ")

/* Releases the register that the last store stores, in all lanes, when it has executed or `early` instructions before.
 * How many results are wrong then. */
static unsigned wrong_by_release(unsigned early)
{
	struct engine *e;
	struct rig r;
	unsigned wrong = 0;

	rig_open(&r, SIDES, 63);
	r.opt.poison = true;
	e = rig_engine(&r);
	for (uint32_t i = r.k->ninsn; i--;)
		if (op_info[r.k->insn[i].op].flags & OPF_STORE) {
			struct kill_list *kl = &e->prog.give[i - early];
			const struct kill_list *end = &e->prog.enter[r.k->ninsn - 1];
			uint32_t at = end->first + end->nreg;

			e->prog.kill_list =
				memcpy(new_array(&e->a, uint32_t, at + 1), e->prog.kill_list, at * sizeof(uint32_t));
			e->prog.kill_list[at] = e->prog.slot[insn_src(r.k, &r.k->insn[i])[1].val];
			*kl = (struct kill_list){ .first = at, .nreg = 1 };
			break;
		}
	ck_assert(engine_run(e));
	engine_free(e);
	for (uint32_t i = 0; i < 32; i++)
		wrong += r.out[i] != i + 100;
	rig_close(&r);
	return wrong;
}

START_TEST(poison_reaches_what_a_warp_releases)
{
	struct rig r;

	rig_open(&r, SIDES, 63);
	r.opt.poison = true;
	ck_assert(rig_run(&r, NULL));
	for (uint32_t i = 0; i < 32; i++)
		ck_assert_uint_eq(r.out[i], i + 100);
	rig_close(&r);
	ck_assert_uint_eq(wrong_by_release(0), 27); /* the lanes of the other side still wait */
	/* and an instruction earlier those that execute lose it as well */
	ck_assert_uint_eq(wrong_by_release(1), 32);
}
END_TEST

START_TEST(a_branch_that_says_uni_and_parts_lanes_is_found)
{
	struct rig r;

	rig_open(&r,
		 KERNEL("mov.u32 %r3, 1; setp.lt.u32 %p0, %r0, 5; @%p0 bra.uni T; mov.u32 %r3, 2; T: st.global.u32 "
			"[%d0], %r3;"),
		 63);
	ck_assert(rig_run(&r, NULL));
	ck_assert_uint_eq(r.out[3] + r.out[7], 3);
	r.opt.poison = true;
	ck_assert(!rig_run(&r, NULL));
	ck_assert_ptr_nonnull(strstr(r.d.last, "says .uni"));
	rig_close(&r);
}
END_TEST

START_TEST(the_order_does_not_depend_on_the_window_for_one_cta)
{
	struct rig r;

	/* a race between warps: the last writer wins, in canonical order */
	rig_open(&r,
		 KERNEL("ld.param.u64 %d3, [out]; mov.u32 %r3, 0; L: st.global.u32 [%d3], %r0; add.u32 %r3, %r3, 1; "
			"setp.lt.u32 %p0, %r3, 500; @%p0 bra L;"),
		 0);
	r.l.block[0] = 256;
	ck_assert(rig_run(&r, NULL));
	ck_assert_uint_eq(r.out[0], 255);
	rig_close(&r);
}
END_TEST

/* Three reads of each warp are known: 5000, 5100 and 5200, and 1000 more in the second warp. */
static bool told(const void *ctx, uint64_t cta, unsigned warp, uint64_t n, uint64_t *when)
{
	(void)ctx;
	(void)cta;
	*when = 5000 + 1000 * warp + 100 * n;
	return n < 3;
}

START_TEST(an_execution_reads_what_it_is_told)
{
	static const struct engine_clock clock = { .at = told, .start = 0x100000000, .mhz = 500 };

	for (int way = 0; way < WAYS; way++) {
		struct rig r;

		rig_way(&r,
			KERNEL("mov.u32 %r3, %clock; mov.u64 %d4, %clock64; mov.u64 %d5, %globaltimer; mov.u32 %r4, "
			       "%clock;\n"
			       "cvt.u32.u64 %r5, %d4; shr.u64 %d6, %d4, 32; cvt.u32.u64 %r6, %d6; cvt.u32.u64 %r7, "
			       "%d5;\n"
			       "mul.wide.u32 %d7, %r0, 16; ld.param.u64 %d0, [out]; add.s64 %d0, %d0, %d7;\n"
			       "st.global.v4.u32 [%d0], {%r3, %r5, %r7, %r4}; st.global.u32 [%d1], %r6;"),
			way);
		r.l.block[0] = 64;
		r.opt.clock = &clock;
		ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
		for (uint32_t i = 0; i < 64; i++) {
			const uint32_t first = 5000 + 1000 * (i / 32);

			ck_assert_uint_eq(r.out[4 * i], first);
			ck_assert_uint_eq(r.out[4 * i + 1], first + 100);
			ck_assert_uint_eq(r.out[4 * i + 2], (uint32_t)((0x100000000 + first + 200) * 2));
			ck_assert_uint_eq(r.out[4 * i + 3], first + 201); /* nobody knows: the last one, and a cycle */
		}
		ck_assert_uint_eq(r.in[0], 1);
		rig_close(&r);
	}
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
	tcase_add_test(t, a_wait_for_the_clock_is_short);
	tcase_add_loop_test(t, votes_and_shuffles_follow_the_isa, 0, VOTES);
	tcase_add_test(t, exited_warps_do_not_hold_a_barrier);
	tcase_add_test(t, barriers_with_a_thread_count_pair_producers_and_consumers);
	tcase_add_test(t, part_of_a_warp_counts_as_the_warp_at_a_barrier);
	tcase_add_test(t, poison_reaches_dead_registers);
	tcase_add_test(t, poison_reaches_what_a_warp_releases);
	tcase_add_test(t, a_branch_that_says_uni_and_parts_lanes_is_found);
	tcase_add_test(t, the_order_does_not_depend_on_the_window_for_one_cta);
	tcase_add_test(t, an_execution_reads_what_it_is_told);
	suite_add_tcase(s, t);
	return s;
}
