/* Execution of whole kernels: every state space gives back what was stored, atomics, what outlives a launch. */
#include "test/unit/engine_run.h"

Suite *suite_spaces(void);

#define ST(at, reg) "st.global.b32 [%d0+" at "], " reg ";\n"

/* One warp; word i * 32 + lane ... kept simple: each row is a body that leaves its result in %r20, and the value in
 * C. */
static uint32_t w_in(uint32_t i) { return (i & 1023) * 2654435761u; }
static uint32_t m_s8(uint32_t i, const uint32_t *in)
{
	(void)in;
	return (uint32_t)(int8_t)(w_in(i / 4) >> 8 * (i % 4));
}
static uint32_t m_u16(uint32_t i, const uint32_t *in)
{
	(void)in;
	return (uint16_t)(w_in(i / 2) >> 16 * (i % 2));
}
static uint32_t m_s16(uint32_t i, const uint32_t *in)
{
	(void)in;
	return (uint32_t)(int16_t)(w_in(i / 2) >> 16 * (i % 2));
}
static uint32_t m_b64(uint32_t i, const uint32_t *in)
{
	(void)in;
	return w_in(2 * i) ^ w_in(2 * i + 1) * 3;
}
static uint32_t m_v4(uint32_t i, const uint32_t *in)
{
	(void)in;
	return w_in(4 * i) + 3 * w_in(4 * i + 1) + 5 * w_in(4 * i + 2) + 7 * w_in(4 * i + 3);
}
static uint32_t m_v2d(uint32_t i, const uint32_t *in)
{
	(void)in;
	return w_in(4 * i + 1) - w_in(4 * i + 2);
}
static uint32_t m_uniform(uint32_t i, const uint32_t *in)
{
	(void)i, (void)in;
	return w_in(3);
}
static uint32_t m_gather(uint32_t i, const uint32_t *in)
{
	(void)in;
	return w_in(i * 77);
}
static uint32_t m_neighbour(uint32_t i, const uint32_t *in)
{
	(void)in;
	return w_in((i & ~63u) | (63 - (i & 63)));
}
static uint32_t m_shared16(uint32_t i, const uint32_t *in)
{
	(void)in;
	return ((i & ~63u) | ((i + 1) & 63)) & 0xffff;
}
static uint32_t m_local(uint32_t i, const uint32_t *in)
{
	(void)in;
	return w_in(i) + ((i + 3) & 7);
}
static uint32_t m_local64(uint32_t i, const uint32_t *in)
{
	(void)in;
	return (i & 3) * 301000 + i;
}
static uint32_t m_const(uint32_t i, const uint32_t *in)
{
	(void)in;
	static const uint32_t t[] = { 11, 22, 33, 44 };
	return t[i & 3] + 22;
}
static uint32_t m_param(uint32_t i, const uint32_t *in)
{
	(void)i, (void)in;
	return 7 + 7;
}
static uint32_t m_generic(uint32_t i, const uint32_t *in)
{
	(void)in;
	if (i % 3 == 0)
		return w_in(i & 31);
	return i % 3 == 1 ? 100 + i : 200 + (i & 31);
}
static uint32_t m_module(uint32_t i, const uint32_t *in)
{
	(void)in;
	return i % 2 ? 5 : 0x01020304;
}
static uint32_t m_v4_store(uint32_t i, const uint32_t *in)
{
	(void)in;
	return 4 * i + 3 + 5 * (4 * i + 2) + 7 * (4 * i + 1) + 11 * (4 * i);
}
static uint32_t m_v2_store(uint32_t i, const uint32_t *in)
{
	(void)in;
	return (i + 1) * 256 + (i & 127);
}
static uint32_t m_to_window(uint32_t i, const uint32_t *in)
{
	(void)in;
	return i * 3;
}
static uint32_t m_spaces(uint32_t i, const uint32_t *in)
{
	(void)in;
	return 1u << i % 4;
}
static uint32_t m_step(uint32_t i, const uint32_t *in)
{
	(void)in;
	return 3 * (i ^ 1) + 7;
}
static uint32_t m_dynamic(uint32_t i, const uint32_t *in)
{
	(void)in;
	return (i & ~63u) + (63 - (i & 63));
}

#define SUM(body) PTX_INDEX body "st.global.u32 [%d0], %r20; ret;"
static const struct {
	const char *ptx;
	thread_fn *want;
	uint32_t dynamic;
} spaces[] = {
	{ PTX_MODULE("", SUM("cvt.u64.u32 %d3, %r0; add.u64 %d3, %d1, %d3; ld.global.s8 %r20, [%d3];")), m_s8, 0 },
	{ PTX_MODULE("", SUM("mul.wide.u32 %d3, %r0, 2; add.u64 %d3, %d1, %d3; ld.global.u16 %h0, [%d3]; cvt.u32.u16 "
			     "%r20, %h0;")),
	  m_u16, 0 },
	{ PTX_MODULE("", SUM("mul.wide.u32 %d3, %r0, 2; add.u64 %d3, %d1, %d3; ld.global.s16 %r20, [%d3];")), m_s16,
	  0 },
	{ PTX_MODULE("", SUM("mul.wide.u32 %d3, %r0, 8; add.u64 %d3, %d1, %d3; ld.global.b64 %d4, [%d3]; mov.b64 {%r3, "
			     "%r4}, %d4;\n"
			     "mul.lo.u32 %r4, %r4, 3; xor.b32 %r20, %r3, %r4;")),
	  m_b64, 0 },
	{ PTX_MODULE(
		  "",
		  SUM("mul.wide.u32 %d3, %r0, 16; add.u64 %d3, %d1, %d3; ld.global.v4.u32 {%r3, %r4, %r5, %r6}, "
		      "[%d3];\n"
		      "mad.lo.u32 %r20, %r4, 3, %r3; mad.lo.u32 %r20, %r5, 5, %r20; mad.lo.u32 %r20, %r6, 7, %r20;")),
	  m_v4, 0 },
	{ PTX_MODULE("",
		     SUM("mul.wide.u32 %d3, %r0, 16; add.u64 %d3, %d1, %d3; ld.global.v2.b64 {%d4, %d5}, [%d3];\n"
			 "shr.u64 %d4, %d4, 32; cvt.u32.u64 %r3, %d4; cvt.u32.u64 %r4, %d5; sub.u32 %r20, %r3, %r4;")),
	  m_v2d, 0 },
	{ PTX_MODULE("", SUM("ld.global.u32 %r20, [%d1+12];")), m_uniform, 0 },
	{ PTX_MODULE("", SUM("mul.lo.u32 %r3, %r0, 77; and.b32 %r3, %r3, 1023; mul.wide.u32 %d3, %r3, 4; add.u64 %d3, "
			     "%d1, %d3;\n"
			     "ld.global.u32 %r20, [%d3];")),
	  m_gather, 0 },
	/* a tile in shared memory, read back in reverse */
	{ PTX_MODULE("", ".shared .align 4 .b8 tile[256];\n" SUM(
				 "mul.wide.u32 %d3, %r0, 4; add.u64 %d3, %d1, %d3; ld.global.u32 %r3, [%d3];\n"
				 "mov.u32 %r4, %tid.x; shl.b32 %r5, %r4, 2; mov.u32 %r6, tile; add.u32 %r6, %r6, %r5; "
				 "st.shared.u32 [%r6], %r3; bar.sync 0;\n"
				 "mov.u32 %r7, tile; sub.u32 %r7, %r7, %r5; ld.shared.u32 %r20, [%r7+252];")),
	  m_neighbour, 0 },
	{ PTX_MODULE("", ".shared .align 2 .b8 half[128];\n" SUM(
				 "mov.u32 %r4, %tid.x; shl.b32 %r5, %r4, 1; mov.u32 %r6, half; add.u32 %r6, %r6, %r5;\n"
				 "cvt.u16.u32 %h0, %r0; st.shared.u16 [%r6], %h0; bar.sync 0; add.u32 %r4, %r4, 1; "
				 "and.b32 %r4, %r4, 63; shl.b32 %r4, %r4, 1;\n"
				 "mov.u32 %r7, half; add.u32 %r7, %r7, %r4; ld.shared.u16 %h1, [%r7]; cvt.u32.u16 "
				 "%r20, %h1;")),
	  m_shared16, 0 },
	/* a local array, filled with its index, read at a different place in each lane; and as one row for all lanes */
	{ PTX_MODULE("", ".local .align 8 .b8 mine[40];\n" SUM(
				 "mov.u32 %r3, mine; mov.u32 %r4, 0;\n"
				 "L: shl.b32 %r5, %r4, 2; add.u32 %r5, %r3, %r5; st.local.u32 [%r5], %r4; add.u32 %r4, "
				 "%r4, 1; setp.lt.u32 %p0, %r4, 8; @%p0 bra L;\n"
				 "mul.wide.u32 %d3, %r0, 4; and.b64 %d3, %d3, 4095; add.u64 %d3, %d1, %d3; "
				 "ld.global.u32 %r6, [%d3]; st.local.u32 [mine+36], %r6;\n"
				 "add.u32 %r7, %r0, 3; and.b32 %r7, %r7, 7; shl.b32 %r7, %r7, 2; add.u32 %r7, %r7, "
				 "%r3; ld.local.u32 %r8, [%r7];\n"
				 "ld.local.u32 %r9, [mine+36]; add.u32 %r20, %r8, %r9;")),
	  m_local, 0 },
	{ PTX_MODULE("", ".local .align 16 .b8 mine[64];\n" SUM(
				 "mov.u32 %r3, mine; and.b32 %r4, %r0, 3; shl.b32 %r5, %r4, 3; add.u32 %r5, %r3, %r5;\n"
				 "cvt.u64.u32 %d3, %r4; mul.lo.u64 %d3, %d3, 0x300000001; st.local.b64 [%r5], %d3; "
				 "cvt.u16.u32 %h0, %r0; st.local.u16 [mine+50], %h0; ld.local.b64 %d4, [%r5];\n"
				 "cvt.u32.u64 %r6, %d4; ld.local.u16 %h1, [mine+50]; cvt.u32.u16 %r7, %h1; mad.lo.u32 "
				 "%r20, %r6, 1000, %r7;\n"
				 "shr.u64 %d4, %d4, 32; cvt.u32.u64 %r6, %d4; mad.lo.u32 %r20, %r6, 100000, %r20;")),
	  m_local64, 0 },
	{ PTX_MODULE(".const .align 4 .u32 table[4] = { 11, 22, 33, 44 };",
		     SUM("and.b32 %r3, %r0, 3; shl.b32 %r3, %r3, 2; mov.u32 %r4, table;\n"
			 "add.u32 %r4, %r4, %r3; ld.const.u32 %r5, [%r4]; ld.const.u32 %r6, [table+4]; add.u32 %r20, "
			 "%r5, %r6;")),
	  m_const, 0 },
	{ PTX_MODULE("", SUM("ld.param.u16 %h0, [n]; cvt.u32.u16 %r3, %h0; add.u32 %r20, %r3, %r39;")), m_param, 0 },
	/* lanes of one generic load in global, shared and local memory */
	{ PTX_MODULE("", ".shared .align 4 .b8 tile[256]; .local .align 4 .b8 mine[8];\n" SUM(
				 "mov.u32 %r3, %laneid; mov.u32 %r4, %tid.x; shl.b32 %r4, %r4, 2;\n"
				 "mov.u64 %d3, tile; cvt.u64.u32 %d4, %r4; add.u64 %d3, %d3, %d4; cvta.shared.u64 %d3, "
				 "%d3; add.u32 %r5, %r0, 100; st.u32 [%d3], %r5;\n"
				 "mov.u64 %d5, mine; cvta.local.u64 %d5, %d5; add.u32 %r6, %r3, 200; st.u32 [%d5+4], "
				 "%r6; add.u64 %d5, %d5, 4;\n"
				 "mul.wide.u32 %d6, %r3, 4; add.u64 %d6, %d1, %d6; rem.u32 %r7, %r0, 3; setp.eq.u32 "
				 "%p0, %r7, 0; setp.eq.u32 %p1, %r7, 1;\n"
				 "selp.b64 %d7, %d3, %d5, %p1; selp.b64 %d7, %d6, %d7, %p0; ld.u32 %r20, [%d7];")),
	  m_generic, 0 },
	/* variables of the module, one of them the address of another */
	{ PTX_MODULE(".global .align 4 .u32 five = 5;\n.global .align 4 .b8 bytes[8] = { 9, 9, 9, 9, 4, 3, 2, 1 "
		     "};\n.global .align 8 .u64 where[2] = { bytes+4, five };",
		     SUM("and.b32 %r3, %r0, 1; mul.wide.u32 %d3, %r3, 8; mov.u64 %d4, where; add.u64 %d4, %d4, %d3; "
			 "ld.global.u64 %d5, [%d4];\n"
			 "ld.global.u32 %r20, [%d5];")),
	  m_module, 0 },
	/* vectors stored into shared and local memory, and read as single elements */
	{ PTX_MODULE("", ".shared .align 16 .b8 tile[1024];\n" SUM(
				 "mov.u32 %r3, %tid.x; shl.b32 %r3, %r3, 4; mov.u32 %r4, tile; add.u32 %r4, %r4, %r3;\n"
				 "shl.b32 %r5, %r0, 2; add.u32 %r6, %r5, 1; add.u32 %r7, %r5, 2; add.u32 %r8, %r5, 3; "
				 "st.shared.v4.u32 [%r4], {%r5, %r6, %r7, %r8};\n"
				 "ld.shared.u32 %r9, [%r4+12]; ld.shared.u32 %r10, [%r4+8]; ld.shared.u32 %r11, "
				 "[%r4+4]; ld.shared.u32 %r12, [%r4];\n"
				 "mad.lo.u32 %r20, %r10, 5, %r9; mad.lo.u32 %r20, %r11, 7, %r20; mad.lo.u32 %r20, "
				 "%r12, 11, %r20;")),
	  m_v4_store, 0 },
	{ PTX_MODULE("", ".local .align 16 .b8 mine[48];\n" SUM(
				 "mov.u32 %r3, mine; and.b32 %r4, %r0, 1; shl.b32 %r4, %r4, 4; add.u32 %r4, %r3, %r4;\n"
				 "cvt.u64.u32 %d3, %r0; add.u64 %d4, %d3, 1; st.local.v2.b64 [%r4], {%d3, %d4}; "
				 "ld.local.u32 %r5, [%r4+8];\n"
				 "cvt.u16.u32 %h0, %r0; and.b16 %h0, %h0, 127; mov.u16 %h1, 255; st.local.v2.u8 "
				 "[mine+40], {%h1, %h0}; ld.local.u8 %r6, [mine+41];\n"
				 "mad.lo.u32 %r20, %r5, 256, %r6;")),
	  m_v2_store, 0 },
	/* into the generic window and back */
	{ PTX_MODULE("", ".shared .align 4 .b8 tile[256];\n" SUM(
				 "mov.u32 %r3, %tid.x; shl.b32 %r3, %r3, 2; mov.u64 %d3, tile; cvt.u64.u32 %d4, %r3; "
				 "add.u64 %d3, %d3, %d4;\n"
				 "cvta.shared.u64 %d5, %d3; mul.lo.u32 %r5, %r0, 3; st.u32 [%d5], %r5; "
				 "cvta.to.shared.u64 %d6, %d5; cvt.u32.u64 %r6, %d6;\n"
				 "ld.shared.u32 %r20, [%r6]; cvta.to.global.u64 %d7, %d1; sub.u64 %d7, %d7, %d1; "
				 "cvt.u32.u64 %r7, %d7; add.u32 %r20, %r20, %r7;")),
	  m_to_window, 0 },
	/* isspacep of a generic address in global, shared, local and constant memory, by lane */
	{ PTX_MODULE(".const .align 4 .u32 table[4] = { 11, 22, 33, 44 };",
		     ".shared .align 4 .b8 tile[256]; .local .align 4 .b8 mine[8];\n" SUM(
			     "mov.u64 %d3, tile; cvta.shared.u64 %d3, %d3; mov.u64 %d4, mine; cvta.local.u64 %d4, %d4; "
			     "mov.u64 %d5, table; cvta.const.u64 %d5, %d5;\n"
			     "and.b32 %r3, %r0, 3; setp.eq.u32 %p0, %r3, 1; setp.eq.u32 %p1, %r3, 2; setp.eq.u32 %p2, "
			     "%r3, 3;\n"
			     "selp.b64 %d6, %d3, %d1, %p0; selp.b64 %d6, %d4, %d6, %p1; selp.b64 %d6, %d5, %d6, %p2; "
			     "st.local.u32 [mine], %r0;\n"
			     "isspacep.global %p0, %d6; isspacep.shared %p1, %d6; isspacep.local %p2, %d6; "
			     "isspacep.const %p3, %d6;\n"
			     "selp.u32 %r20, 1, 0, %p0; selp.u32 %r4, 2, 0, %p1; add.u32 %r20, %r20, %r4; selp.u32 "
			     "%r4, 4, 0, %p2; add.u32 %r20, %r20, %r4;\n"
			     "selp.u32 %r4, 8, 0, %p3; add.u32 %r20, %r20, %r4;")),
	  m_spaces, 0 },
	/* lanes that exchange through shared memory with no more than a barrier of the warp */
	{ PTX_MODULE("", ".shared .align 4 .b8 tile[256];\n" SUM(
				 "mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2; mov.u32 %r5, tile; add.u32 %r6, %r5, %r4;\n"
				 "mov.u32 %r10, -1; mad.lo.u32 %r7, %r0, 3, 7; st.shared.u32 [%r6], %r7; bar.warp.sync "
				 "%r10; xor.b32 %r4, %r4, 4; add.u32 %r6, %r5, %r4;\n"
				 "ld.shared.u32 %r20, [%r6]; bar.warp.sync 0xffffffff; nanosleep.u32 %r20; mov.u32 "
				 "%r8, 0; st.shared.u32 [%r6], %r8;")),
	  m_step, 0 },
	/* extern shared memory starts after the static one */
	{ PTX_MODULE(".extern .shared .align 4 .b8 dyn[];",
		     ".shared .align 4 .b8 fix[20];\n" SUM(
			     "mov.u32 %r3, %tid.x; shl.b32 %r4, %r3, 2; mov.u32 %r5, dyn;\n"
			     "add.u32 %r6, %r5, %r4; st.shared.u32 [%r6], %r0; mov.u32 %r8, fix; st.shared.u32 "
			     "[%r8+16], %r4; bar.sync 0; sub.u32 %r7, %r5, %r4;\n"
			     "ld.shared.u32 %r20, [%r7+252];")),
	  m_dynamic, 256 },
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

	rig_open(&r,
		 KERNEL("and.b32 %r3, %r0, 3; mul.wide.u32 %d3, %r3, 4; ld.param.u64 %d4, [out]; add.u64 %d4, %d4, "
			"%d3; st.global.u32 [%d4], %r0;\n"
			"ld.param.u64 %d4, [out]; add.u64 %d4, %d4, %d3; add.u64 %d4, %d4, 64; cvt.u64.u32 %d5, %r0; "
			"st.global.v2.u32 [%d4+64], {%r0, %r1};"),
		 0);
	r.l.block[0] = 30;
	ck_assert_msg(!rig_run(&r, NULL), "a misaligned vector store");
	rig_close(&r);
	rig_open(&r,
		 KERNEL("and.b32 %r3, %r0, 3; mul.wide.u32 %d3, %r3, 4; ld.param.u64 %d4, [out]; add.u64 %d4, %d4, "
			"%d3; st.global.u32 [%d4], %r0;"),
		 0);
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

	rig_way(&r,
		PTX_MODULE("", ".shared .align 4 .u32 sum;\n" PTX_INDEX
			       "mov.u32 %r5, sum; and.b32 %r3, %r0, 3; setp.eq.u32 %p0, %r3, 1; @%p0 "
			       "red.shared.add.u32 [%r5], 10; bar.sync 0; ld.shared.u32 %r6, [%r5];\n"
			       "ld.param.u64 %d3, [out]; atom.global.add.u32 %r7, [%d3+8000], 1; cvta.global.u64 %d4, "
			       "%d3; red.max.u32 [%d4+8004], %r0;\n"
			       "mad.lo.u32 %r7, %r6, 1000, %r7; st.global.u32 [%d0], %r7; ret;"),
		row);
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
	static const char ptx[] = PTX_MODULE(
		"",
		".shared .align 4 .b8 tile[32];\n" PTX_INDEX
		"ld.param.u64 %d3, [out]; mov.f32 %f0, 0f00000003; mov.u32 %r5, tile; red.shared.add.f32 [%r5], %f0; "
		"red.global.add.f32 [%d3+4000], %f0;\n"
		"mov.u64 %d4, tile; cvta.shared.u64 %d4, %d4; atom.add.f32 %f1, [%d4+4], %f0; cvta.global.u64 %d5, "
		"%d3; atom.add.f32 %f1, [%d5+4004], %f0;\n"
		"and.b32 %r3, %r0, 1; setp.eq.u32 %p0, %r3, 0; add.u64 %d4, %d4, 8; add.u64 %d5, %d5, 4008; selp.b64 "
		"%d6, %d4, %d5, %p0;\n"
		"red.add.f32 [%d6], %f0; ld.shared.u32 %r6, [%r5]; ld.shared.u32 %r7, [%r5+4]; ld.shared.u32 %r8, "
		"[%r5+8];\n"
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

	rig_open(&r,
		 PTX_MODULE(".global .align 4 .u32 total = 40;", PTX_INDEX
			    "mov.u64 %d3, total; atom.global.add.u32 %r3, [%d3], 1; st.global.u32 [%d0], %r3; ret;"),
		 63);
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
	ck_assert(device_ptr(dev, a, 10) != NULL && device_ptr(dev, a, 11) == NULL &&
		  device_ptr(dev, a + 10, 1) == NULL);
	ck_assert(device_ptr(dev, b - 1, 1) == NULL && device_ptr(dev, b + 99, 1) != NULL &&
		  device_ptr(dev, 0, 1) == NULL);
	ck_assert((char *)device_ptr(dev, b + 5, 1) == (char *)device_ptr(dev, b, 1) + 5);
	ck_assert(device_ptr(dev, b, UINT64_MAX) == NULL);
	ck_assert_uint_eq(d.errors, 0);
	ck_assert(device_alloc(dev, "huge", UINT64_MAX - 5) == 0);
	ck_assert_str_eq(d.last, "huge: error: 18446744073709551610 bytes do not fit the 64 GiB of device memory\n");
	device_free(dev);
	diag_free(&d);
}
END_TEST

/* Of each width, with bytes of nobody on both sides of it: thread i has 128 bytes, and stores 8 bytes of a pattern, and
 * again, as often as the width takes. */
START_TEST(a_store_changes_its_bytes_and_no_others)
{
	static const struct {
		unsigned at, bytes;
	} piece[] = { { 1, 1 }, { 6, 2 }, { 12, 4 }, { 24, 8 }, { 40, 8 }, { 80, 16 }, { 112, 8 } };
	static unsigned char want[OUT_WORDS * 4];

	for (int way = 0; way < WAYS; way++) {
		struct rig r;

		rig_way(&r,
			PTX_MODULE("", PTX_INDEX
				   "ld.param.u64 %d4, [out]; mul.wide.u32 %d3, %r0, 128; add.s64 %d4, %d4, %d3;\n"
				   "mad.lo.u32 %r3, %r0, 16843009, 5; mad.lo.u32 %r4, %r0, 65599, 77; mov.b64 %d5, "
				   "{%r3, %r4}; cvt.u16.u32 %h1, %r3;\n"
				   "st.global.u8 [%d4+1], %r3; st.global.u16 [%d4+6], %h1; st.global.u32 [%d4+12], "
				   "%r3; st.global.u64 [%d4+24], %d5;\n"
				   "st.global.v2.u32 [%d4+40], {%r3, %r4}; st.global.v2.u64 [%d4+80], {%d5, %d5};\n"
				   "setp.ge.u32 %p1, %r0, 3; @%p1 st.global.u64 [%d4+112], %d5; ret;"),
			way);
		memset(r.out, 0xaa, sizeof want);
		memset(want, 0xaa, sizeof want);
		for (uint32_t i = 0; i < 32; i++) {
			const uint32_t x[2] = { i * 16843009u + 5, i * 65599u + 77 };

			for (unsigned n = 0; n < sizeof piece / sizeof *piece - (i < 3); n++)
				for (unsigned b = 0; b < piece[n].bytes; b++)
					want[i * 128 + piece[n].at + b] = ((const unsigned char *)x)[b % 8];
		}
		ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
		for (unsigned b = 0; b < sizeof want; b++)
			ck_assert_msg(((unsigned char *)r.out)[b] == want[b], "byte %u of thread %u", b % 128, b / 128);
		rig_close(&r);
	}
}
END_TEST

Suite *suite_spaces(void)
{
	Suite *s = suite_create("spaces");
	TCase *t = tcase_create("spaces");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, every_space_gives_back_what_was_stored, 0, SPACES);
	tcase_add_test(t, a_store_changes_its_bytes_and_no_others);
	tcase_add_test(t, colliding_stores_leave_the_highest_lane);
	tcase_add_test(t, atomics_add_up_and_give_old_values_in_lane_order);
	tcase_add_test(t, float_atomics_flush_subnormals_in_global_memory_alone);
	tcase_add_test(t, globals_keep_their_value_between_launches);
	tcase_add_test(t, allocations_are_apart_and_checked);
	suite_add_tcase(s, t);
	return s;
}
