/* Lanes of a warp that wait for each other: each of them gets on, in modules for sm_70 and above, whatever they wait
 * by. */
#include "test/unit/engine_run.h"
#include "test/unit/rounds.h"

Suite *suite_progress(void);

#define LOCK "add.u64 %d3, %d1, 128; add.u64 %d4, %d1, 192; " /* a lock and what it guards, words of in that are 0 */
#define ADD "ld.volatile.global.u32 %r5, [%d4]; add.u32 %r5, %r5, 1; st.volatile.global.u32 [%d4], %r5; membar.gl; "
#define TRY "atom.global.cas.b32 %r3, [%d3], 0, 1; setp.ne.u32 %p1, %r3, 0; "
#define SHARED(body)                                              \
	PTX_MODULE("", ".shared .align 4 .b8 t[512];\n" PTX_INDEX \
		       "mov.u32 %r10, t; mov.u32 %r11, %tid.x; and.b32 %r12, %r11, 31;\n" body)

/* In each of these 96 threads of 2 CTAs add 1 to in[48], one after the other, unless said otherwise. */
static const struct {
	const char *ptx;
	uint32_t want;
} mutual[] = {
	{ KERNEL(LOCK "L: " TRY "@%p1 bra L; " ADD "st.volatile.global.u32 [%d3], 0;"), 192 },
	{ KERNEL(LOCK "L: " TRY "@!%p1 bra M; bra L; M: " ADD "atom.global.exch.b32 %r4, [%d3], 0;"), 192 },
	{ KERNEL(LOCK "L: atom.global.exch.b32 %r3, [%d3], 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L; " ADD
		      "st.global.u32 [%d3], 0;"),
	  192 },
	/* attempts are counted, and the time between them grows */
	{ KERNEL(LOCK "mov.u32 %r6, 0; mov.u32 %r7, 8; L: " TRY "@!%p1 bra M; nanosleep.u32 %r7; add.u32 %r6, %r6, 1; "
		      "shl.b32 %r7, %r7, 1; min.u32 %r7, %r7, 256; bra L;"
		      "M: " ADD "st.volatile.global.u32 [%d3], 0; st.global.u32 [%d0], %r6;"),
	  192 },
	/* looked at before it is tried */
	{ KERNEL(LOCK "L: ld.volatile.global.u32 %r3, [%d3]; setp.ne.u32 %p1, %r3, 0; @%p1 bra L; " TRY
		      "@%p1 bra L; " ADD "st.volatile.global.u32 [%d3], 0;"),
	  192 },
	/* a waiting loop inside another one, with a pause of its own */
	{ KERNEL(LOCK "L: mov.u32 %r6, 0; M: add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 5; @%p2 bra M; " TRY
		      "@%p1 bra L; " ADD "st.volatile.global.u32 [%d3], 0;"),
	  192 },
	/* tickets */
	{ KERNEL(LOCK
		 "atom.global.add.u32 %r6, [%d3+4], 1; ld.volatile.global.u32 %r7, [%d1+140]; add.u32 %r6, %r6, %r7;\n"
		 "L: ld.acquire.gpu.global.u32 %r3, [%d3]; setp.ne.u32 %p1, %r3, %r6; @%p1 bra L; " ADD
		 "add.u32 %r3, %r3, 1; st.release.gpu.global.u32 [%d3], %r3;"),
	  192 },
	/* the lock is held over a loop, which others of the warp wait for */
	{ KERNEL(LOCK "L: " TRY "@%p1 bra L; mov.u32 %r6, 0; M: " ADD
		      "add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 7; @%p2 bra M; st.volatile.global.u32 [%d3], 0;"),
	  192 * 7 },
	/* taken ten times, and behind it all lanes meet at a barrier */
	{ KERNEL(LOCK "mov.u32 %r8, 0; N: L: " TRY "@%p1 bra L; " ADD
		      "atom.global.exch.b32 %r4, [%d3], 0; add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 10; @%p2 bra N;"
		      "bar.sync 0; bar.red.popc.u32 %r9, 0, %p2; st.global.u32 [%d0], %r9;"),
	  1920 },
	/* by functions, whose callers wait behind the call */
	{ PTX_MODULE(".func lock(.param .b64 l) { .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.b64 "
		     "%d1, [l];\n"
		     "L: atom.global.cas.b32 %r1, [%d1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; ret; }\n"
		     ".func unlock(.param .b64 l) { .reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.b64 %d1, [l]; "
		     "membar.gl; st.volatile.global.u32 [%d1], 0; ret; }\n",
		     PTX_INDEX LOCK "{ .param .b64 a; st.param.b64 [a], %d3; call lock, (a); } " ADD
				    "{ .param .b64 a; st.param.b64 [a], %d3; call unlock, (a); }\n"
				    "bar.sync 0; st.global.u32 [%d0], %r5; ret;"),
	  192 },
	/* a lock in shared memory: each CTA adds its threads to what it guards, then to the sum */
	{ SHARED("add.u64 %d4, %d1, 192; L: atom.shared.cas.b32 %r3, [%r10], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra "
		 "L; ld.volatile.shared.u32 %r5, [%r10+4];"
		 "add.u32 %r5, %r5, 1; st.volatile.shared.u32 [%r10+4], %r5; membar.cta; st.volatile.shared.u32 "
		 "[%r10], 0; bar.sync 0; setp.ne.u32 %p2, %r11, 0; @%p2 ret;"
		 "ld.shared.u32 %r5, [%r10+4]; red.global.add.u32 [%d4], %r5; ret;"),
	  192 },
	/* the last lane begins, each tells the one before it: by a plain load in the loop, as a fence leaves it */
	{ SHARED("add.u64 %d4, %d1, 192; setp.eq.u32 %p3, %r12, 31; shl.b32 %r13, %r11, 2; add.u32 %r13, %r13, %r10; "
		 "@%p3 bra G;\n"
		 "L: ld.shared.u32 %r3, [%r13+4]; membar.cta; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; G: mov.u32 %r14, 1; "
		 "st.shared.u32 [%r13], %r14;\n"
		 "membar.cta; red.global.add.u32 [%d4], 1; ret;"),
	  192 },
	/* lanes 0 to 15 ask, lanes 16 to 31 answer: either side of an if */
	{ SHARED("add.u64 %d4, %d1, 192; shl.b32 %r13, %r11, 3; add.u32 %r13, %r13, %r10; xor.b32 %r15, %r13, 128; "
		 "setp.lt.u32 %p1, %r12, 16; setp.ge.u32 %p5, %r11, 32; @%p5 ret;\n"
		 "@%p1 bra ASK; A: ld.volatile.shared.u32 %r3, [%r15]; setp.eq.u32 %p2, %r3, 0; @%p2 bra A; add.u32 "
		 "%r3, %r3, 5; st.volatile.shared.u32 [%r13], %r3; bra E;\n"
		 "ASK: add.u32 %r4, %r11, 9; st.volatile.shared.u32 [%r13], %r4; B: ld.volatile.shared.u32 %r3, "
		 "[%r15]; setp.eq.u32 %p2, %r3, 0; @%p2 bra B;\n"
		 "sub.u32 %r3, %r3, %r4; red.global.add.u32 [%d4], %r3; E: ret;"),
	  16 * 5 * 2 },
};
enum { MUTUAL = sizeof mutual / sizeof *mutual };

static void prepare(struct rig *r)
{
	memset(r->in + 32, 0, 128);
	r->l.block[0] = 96;
	r->l.grid[0] = 2;
}

START_TEST(each_lane_gets_on)
{
	static uint32_t out[OUT_WORDS];
	uint64_t insns = 0;

	for (int way = 0; way < WAYS; way++) {
		struct engine_counts c;
		struct rig r;

		rig_way(&r, mutual[_i].ptx, way);
		prepare(&r);
		r.opt.max_insns = 3000000;
		ck_assert_msg(rig_run(&r, &c), "way %d: %s", way, r.d.errors ? r.d.last : "it does not end");
		ck_assert_msg(r.in[48] == mutual[_i].want, "way %d: %u", way, r.in[48]);
		ck_assert_msg(r.in[32] == 0 || _i == 6, "way %d: the lock is held", way);
		/* neither poison nor the search for livelocks changes what is executed */
		if (way & 1)
			ck_assert(c.warp_insns == insns && memcmp(out, r.out, sizeof out) == 0);
		insns = c.warp_insns;
		memcpy(out, r.out, sizeof out);
		if (!(way & 1)) {
			prepare(&r);
			memset(r.out, 0, OUT_WORDS * 4);
			r.opt.patience = 3000;
			ck_assert_msg(rig_run(&r, &c), "way %d: %s", way, r.d.last);
			ck_assert(r.in[48] == mutual[_i].want);
		}
		rig_close(&r);
	}
}
END_TEST

/* Locks that real threads fight for take a time that grows faster than the CTAs are many. */
START_TEST(threads_do_not_show)
{
	const unsigned pairs = (unsigned)rounds(6);

	for (unsigned threads = 1; threads < 4; threads++) {
		struct rig r;

		rig_open(&r, mutual[_i].ptx, 63);
		prepare(&r);
		r.l.grid[0] = 2 * pairs;
		r.opt.threads = threads;
		r.opt.any_order = true;
		r.opt.alone = 1;
		r.opt.patience = threads == 3 ? 20000 : 0;
		ck_assert_msg(rig_run(&r, NULL), "%u threads: %s", threads, r.d.last);
		ck_assert_msg(r.in[48] == mutual[_i].want * pairs, "%u threads: %u", threads, r.in[48]);
		rig_close(&r);
	}
}
END_TEST

/* The order of records is that of execution: of each warp, without regard to who reads them, and lanes that wait no
 * longer where the code has them are told. */
START_TEST(records_say_what_is_apart)
{
	uint64_t apart = 0, together = 0, seen = 0;
	struct engine_counts c;
	struct record rec;
	struct engine *e;
	struct rig r;
	bool last[3];

	rig_open(&r, mutual[8].ptx, 63);
	prepare(&r);
	r.l.grid[0] = 1;
	ck_assert(rig_run(&r, &c));
	prepare(&r);
	r.l.grid[0] = 1;
	r.opt.consumers = 1;
	e = rig_engine(&r);
	for (unsigned w = 0; w < 3; w++)
		while (engine_next(e, 0, 0, w, &rec) == RECORD_OK) {
			const struct insn *i = &r.k->insn[rec.insn];

			seen++;
			apart += rec.apart;
			together += !rec.apart;
			last[w] = rec.apart;
			ck_assert(!rec.apart || rec.active != UINT32_MAX);
			ck_assert(i->op != OP_BAR_RED_POPC || (!rec.apart && rec.active == UINT32_MAX));
		}
	ck_assert_uint_eq(seen, c.warp_insns);
	ck_assert(apart > 1000 && together > 100 && !last[0] && !last[1] && !last[2]);
	engine_free(e);
	rig_close(&r);
}
END_TEST

/* Loops of a path that others wait for, and that waits for nobody: a stack of paths alone decides what they do. */
static const char *const alone[] = {
	/* work that one lane takes from a counter; a list of pairs of words; a maximum that stands; a word asked for
	   again and again, then written */
	KERNEL(LOCK "and.b32 %r6, %r0, 31; setp.ne.u32 %p2, %r6, 0; @%p2 bra E; L: atom.global.add.u32 %r3, [%d3], 1; "
		    "setp.lt.u32 %p1, %r3, 3000; @%p1 bra L; E: st.global.u32 [%d0], %r6;"),
	KERNEL("mov.u32 %r3, 0; L: shr.u32 %r4, %r3, 1; and.b32 %r4, %r4, 127; mul.wide.u32 %d3, %r4, 4; add.u64 %d3, "
	       "%d3, %d1; ld.global.u32 %r5, [%d3]; add.u32 %r6, %r6, %r5;"
	       "add.u32 %r3, %r3, 1; mad.lo.u32 %r7, %r0, 40, 30; setp.lt.u32 %p1, %r3, %r7; @%p1 bra L; st.global.u32 "
	       "[%d0], %r6;"),
	KERNEL(LOCK "st.global.u32 [%d3], -1; mov.u32 %r3, 0; L: atom.global.max.u32 %r4, [%d3], %r3; add.u32 %r3, "
		    "%r3, 1; mad.lo.u32 %r7, %r0, 20, 30; setp.lt.u32 %p1, %r3, %r7; @%p1 bra L;"),
	KERNEL("mov.u32 %r3, 0; L: ld.global.u32 %r4, [%d1]; st.global.u32 [%d0], %r3; add.u32 %r3, %r3, 1; mad.lo.u32 "
	       "%r7, %r0, 20, 30; setp.lt.u32 %p1, %r3, %r7; @%p1 bra L;"),
	KERNEL("mov.u32 %r3, 0; L: mad.lo.u32 %r6, %r6, 77, %r3; add.u32 %r3, %r3, 1; mad.lo.u32 %r7, %r0, 20, 300; "
	       "setp.lt.u32 %p1, %r3, %r7; @%p1 bra L; st.global.u32 [%d0], %r6;"),
	KERNEL("mov.u32 %r3, 0; L: ld.volatile.global.u32 %r4, [%d1]; ld.param.u32 %r5, [n]; and.b32 %r8, %r3, 127; "
	       "mul.wide.u32 %d3, %r8, 4; add.u64 %d3, %d3, %d1; ld.global.u32 %r9, [%d3];"
	       "add.u32 %r3, %r3, 1; mad.lo.u32 %r7, %r0, 10, 30; setp.lt.u32 %p1, %r3, %r7; @%p1 bra L; st.global.u32 "
	       "[%d0], %r9;"),
};
enum { ALONE = sizeof alone / sizeof *alone };

START_TEST(who_waits_for_nobody_is_left_alone)
{
	struct record rec;
	struct engine *e;
	struct rig r;

	rig_open(&r, alone[_i], 63);
	prepare(&r);
	r.opt.consumers = 1;
	e = rig_engine(&r);
	for (unsigned c = 0; c < 2; c++)
		for (unsigned w = 0; w < 3; w++)
			while (engine_next(e, 0, c, w, &rec) == RECORD_OK)
				ck_assert_msg(!rec.apart, "instruction %u", rec.insn);
	ck_assert_msg(r.d.errors == 0, "%s", r.d.last);
	engine_free(e);
	rig_close(&r);
}
END_TEST

/* What really cannot go on is still told: a lock that nobody gives back; lanes that wait in a ring; a lane that waits
 * for one behind a barrier. */
static const struct {
	const char *ptx, *want;
} stuck[] = {
	{ KERNEL(LOCK "L: " TRY "@%p1 bra L; " ADD), "it reads 0x1 from offset 0x80 of in" },
	{ SHARED("shl.b32 %r13, %r12, 2; add.u32 %r13, %r13, %r10; setp.eq.u32 %p3, %r12, 31; L: "
		 "ld.volatile.shared.u32 %r3, [%r13+4]; @%p3 ld.volatile.shared.u32 %r3, [%r10]; "
		 "setp.eq.u32 %p1, %r3, 0; @%p1 bra L; st.volatile.shared.u32 [%r13], 1; ret;"),
	  "it reads 0x0 from offset" },
	{ KERNEL(LOCK "mov.u32 %r6, %tid.x; setp.eq.u32 %p3, %r6, 0; @!%p3 bra B; L: ld.volatile.global.u32 %r3, "
		      "[%d3]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; B: bar.sync 0; st.volatile.global.u32 [%d3], 1;"),
	  "its lanes 0xfffffffe wait for lanes 0x00000001 at instruction" },
	{ KERNEL("setp.eq.u32 %p3, %r0, 0; @!%p3 bra B; L: bra L; B: st.global.u32 [%d0], 7;"),
	  "warp 0, lanes 0x00000001, repeats" },
};
enum { STUCK = sizeof stuck / sizeof *stuck };

START_TEST(what_cannot_go_on_is_reported)
{
	for (int way = 0; way < 4; way += 2) {
		struct rig r;

		rig_way(&r, stuck[_i].ptx, way);
		prepare(&r);
		r.opt.patience = 64;
		r.opt.max_insns = 10000000;
		ck_assert(!rig_run(&r, NULL) && r.d.errors == 1);
		ck_assert_msg(strstr(r.d.last, "livelock: its warps repeat") && strstr(r.d.last, stuck[_i].want), "%s",
			      r.d.last);
		if (_i == 3)
			ck_assert(r.out[1] == 7 && r.out[31] == 7);
		rig_close(&r);
	}
}
END_TEST

/* A module for a GPU that gave no such promise spins for ever, as there. */
START_TEST(older_modules_are_not_helped)
{
	char text[4096];
	struct rig r;

	snprintf(text, sizeof text, "%s", mutual[0].ptx);
	memcpy(strstr(text, "sm_70"), "sm_61", 5);
	rig_open(&r, text, 0);
	prepare(&r);
	r.opt.patience = 64;
	ck_assert(!rig_run(&r, NULL) && r.d.errors == 1);
	ck_assert_msg(strstr(r.d.last, "its lanes 0x00000001 wait for lanes 0xfffffffe at instruction"), "%s",
		      r.d.last);
	rig_close(&r);
}
END_TEST

/* A path that changes memory while it waits, so that nothing says that it does, is left after many rounds all the
 * same. */
START_TEST(a_path_that_is_busy_does_not_keep_the_others_for_ever)
{
	struct rig r;

	rig_open(&r,
		 KERNEL(LOCK "mov.u32 %r6, 0; L: st.volatile.global.u32 [%d0], %r6; add.u32 %r6, %r6, 1; " TRY
			     "@%p1 bra L; " ADD "st.volatile.global.u32 [%d3], 0;"),
		 63);
	prepare(&r);
	r.l.block[0] = 2;
	r.l.grid[0] = 1;
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	ck_assert_uint_eq(r.in[48], 2);
	ck_assert_uint_gt(r.out[1], 1 << 19);
	rig_close(&r);
}
END_TEST

Suite *suite_progress(void)
{
	Suite *s = suite_create("progress");
	TCase *t = tcase_create("progress");

	tcase_add_loop_test(t, each_lane_gets_on, 0, MUTUAL);
	tcase_add_loop_test(t, threads_do_not_show, 0, MUTUAL);
	tcase_add_test(t, records_say_what_is_apart);
	tcase_add_loop_test(t, who_waits_for_nobody_is_left_alone, 0, ALONE);
	tcase_add_loop_test(t, what_cannot_go_on_is_reported, 0, STUCK);
	tcase_add_test(t, older_modules_are_not_helped);
	tcase_add_test(t, a_path_that_is_busy_does_not_keep_the_others_for_ever);
	suite_add_tcase(s, t);
	return s;
}
