/* Kernels that can never end are told from those that only take long; what is looked at meanwhile changes no result. */
#include "test/unit/engine_run.h"

#include <stdlib.h>
#include <unistd.h>

Suite *suite_livelock(void);

#define LOCK "mov.u64 %d3, %d1; add.u64 %d3, %d3, 128; " /* a word of in, by %d3 */
static const struct {
	const char *ptx, *want;
} endless[] = {
	{ KERNEL("L: bra L;"), "lanes 0xffffffff, repeats instructions" },
	{ KERNEL(LOCK "L: ld.volatile.global.u32 %r3, [%d3]; setp.ne.u32 %p1, %r3, 5; @%p1 bra L;"),
	  "it reads 0xc6ef3620 from offset 0x80 of in, by instruction" },
	{ KERNEL(LOCK "L: atom.global.exch.b32 %r3, [%d3], 7; setp.ne.u32 %p1, %r3, 5; @%p1 bra L;"),
	  "it reads 0x7 from offset 0x80 of in" },
	{ KERNEL(LOCK
		 "L: st.global.u32 [%d3], 7; atom.global.add.u32 %r3, [%d3], 0; setp.ne.u32 %p1, %r3, 5; @%p1 bra L;"),
	  "it reads 0x7 from offset 0x80" },
	{ KERNEL("mov.u32 %r3, 1; L: xor.b32 %r3, %r3, 6; setp.ne.u32 %p1, %r3, 5; @%p1 bra L;"),
	  "repeats instructions" },
	/* it counts, which nothing asks for in the end */
	{ KERNEL(LOCK "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; ld.volatile.global.u32 %r3, [%d3]; setp.ne.u32 %p1, "
		      "%r3, 5; @%p1 bra L; st.global.u32 [%d0], %r4;"),
	  "it reads 0xc6ef3620 from offset 0x80 of in" },
	{ KERNEL("mov.u64 %d3, 0; mov.u32 %r3, 1; L: add.u64 %d3, %d3, 1; setp.gt.u64 %p2, %d3, 99; xor.b32 %r3, %r3, "
		 "6; "
		 "setp.ne.u32 %p1, %r3, 5; @%p1 bra L; st.global.u64 [%d0], %d3;"),
	  "repeats instructions" },
	/* of a long period, with paths that part and meet */
	{ KERNEL("mov.u32 %r3, %r0; L: mad.lo.u32 %r3, %r3, 77, 1; and.b32 %r3, %r3, 255; setp.gt.u32 %p1, %r3, 100; "
		 "@%p1 bra M; add.u32 %r3, %r3, 1; M: bra L;"),
	  "repeats instructions" },
	{ PTX_MODULE(
		  "",
		  ".shared .align 4 .b8 t[64];\n" PTX_INDEX
		  "mov.u32 %r3, t; L: ld.volatile.shared.u32 %r4, [%r3+8]; setp.eq.u32 %p1, %r4, 0; @%p1 bra L; ret;"),
	  "it reads 0x0 from offset 0x8 of shared memory" },
	{ PTX_MODULE(
		  "",
		  ".local .align 4 .b8 t[64];\n" PTX_INDEX
		  "mov.u32 %r3, t; L: st.local.u32 [%r3+8], %r0; ld.local.u32 %r4, [%r3+8]; setp.eq.u32 %p1, %r4, %r0;"
		  "@%p1 bra L; ret;"),
	  "repeats instructions" },
	/* one of the warps holds what the other wants */
	{ KERNEL(LOCK "setp.lt.u32 %p1, %r0, 32; @%p1 bra A; L: ld.volatile.global.u32 %r3, [%d3]; setp.ne.u32 %p2, "
		      "%r3, 5; @%p2 bra L; A: bar.sync 0;"),
	  "warp 0 waits for barrier 0, where 1 of 2 warps have arrived, at instruction" },
};
enum { ENDLESS = sizeof endless / sizeof *endless };

/* A word that another thread of the host writes, once kernels have looked at it for long. */
static void *write_late(void *word)
{
	usleep(50000);
	__atomic_store_n((uint32_t *)word, 5, __ATOMIC_RELEASE);
	return NULL;
}

START_TEST(who_waits_for_others_than_the_launch_goes_on)
{
	static const int waits[] = { 1, 5 }; /* for 5 at offset 0x80 of in */

	for (int way = 0; way < 4; way += 2) {
		uint32_t *in = aligned_alloc(4096, IN_WORDS * 4);
		pthread_t other;
		struct rig r;

		memset(in, 0, IN_WORDS * 4);
		rig_way(&r, endless[waits[_i]].ptx, way);
		r.l.block[0] = 64;
		r.opt.patience = 64;
		device_move(r.dev, r.in_addr, in);
		ck_assert(in[31] == 31 * 2654435761u && !device_shared(r.dev));
		device_share(r.dev, r.in_addr);
		ck_assert(device_shared(r.dev) && pthread_create(&other, NULL, write_late, in + 32) == 0);
		ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
		pthread_join(other, NULL);
		ck_assert(device_unmap(r.dev, r.in_addr) && !device_shared(r.dev));
		rig_close(&r);
		free(in);
	}
}
END_TEST

START_TEST(what_can_never_end_is_reported)
{
	for (int way = 0; way < 4; way += 2) {
		struct rig r;

		rig_way(&r, endless[_i].ptx, way);
		r.l.block[0] = 64;
		r.l.grid[0] = 3;
		r.opt.patience = 64;
		r.opt.max_insns = 10000000;
		ck_assert(!rig_run(&r, NULL) && r.d.errors == 1);
		ck_assert_msg(strstr(r.d.last, "kernel k: livelock: its warps repeat") &&
				      strstr(r.d.last, endless[_i].want),
			      "%s", r.d.last);
		rig_close(&r);
	}
}
END_TEST

static const char *const busy[] = {
	KERNEL("L: mov.u32 %r3, %clock; setp.ne.u32 %p1, %r3, 5; mov.u32 %r3, 0; @%p1 bra L;"),
	KERNEL("L: mov.u64 %d3, %globaltimer; cvt.u32.u64 %r3, %d3; setp.ne.u32 %p1, %r3, 5; mov.u32 %r3, 0; @%p1 bra "
	       "L;"),
	KERNEL("mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;"),
	/* by way of other registers, of which one is under a guard */
	KERNEL("mov.u64 %d3, 0; mov.u32 %r3, 0; L: add.u64 %d3, %d3, 1; shr.u64 %d4, %d3, 20; setp.ne.u64 %p2, %d4, 0; "
	       "@%p2 mov.u32 %r3, 5; setp.ne.u32 %p1, %r3, 5; @%p1 bra L;"),
	KERNEL(LOCK "L: atom.global.add.u32 %r3, [%d3], 1; bra L;"),
	KERNEL(LOCK
	       "L: ld.volatile.global.u32 %r3, [%d3]; xor.b32 %r3, %r3, 1; st.volatile.global.u32 [%d3], %r3; bra L;"),
	KERNEL("L: bar.sync 0; bra L;"),
	/* a warp that counts may yet do what the other waits for */
	KERNEL(LOCK "setp.lt.u32 %p1, %r0, 32; @%p1 bra A; L: ld.volatile.global.u32 %r3, [%d3]; setp.ne.u32 %p2, %r3, "
		    "5; @%p2 bra L;"
		    "A: mov.u32 %r3, 0; B: add.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra B; st.global.u32 "
		    "[%d3], 5;"),
};
enum { BUSY = sizeof busy / sizeof *busy };

START_TEST(what_might_end_is_not)
{
	struct engine *e;
	struct rig r;

	rig_open(&r, busy[_i], 0);
	r.l.block[0] = 64;
	r.opt.patience = 64;
	r.opt.max_insns = 300000;
	e = rig_engine(&r);
	ck_assert(!engine_run(e) && engine_stopped(e) == STOP_INSNS);
	ck_assert_msg(r.d.errors == 0, "%s", r.d.last);
	engine_free(e);
	rig_close(&r);
}
END_TEST

/* Loops, divergence, atomics, barriers, and a flag that another CTA sets late: with and without looking. */
static const char *const ending[] = {
	KERNEL("mov.u32 %r3, 0; mov.u32 %r4, %r0; L: mad.lo.u32 %r4, %r4, 1664525, 1013904223; and.b32 %r5, %r4, 3; "
	       "setp.eq.u32 %p1, %r5, %r3; @%p1 bra M;"
	       "add.u32 %r3, %r3, 1; M: setp.lt.u32 %p2, %r3, 100; and.b32 %r3, %r3, 127; @%p2 bra N; bra O; N: "
	       "shr.u32 %r6, %r4, 28; setp.ne.u32 %p3, %r6, 0;"
	       "@%p3 bra L; O: st.global.u32 [%d0], %r4;"),
	KERNEL("mov.u32 %r3, 0; L: atom.global.add.u32 %r4, [%d1+64], 1; bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 "
	       "%p1, %r3, 50; @%p1 bra L; st.global.u32 [%d0], %r3;"),
	KERNEL("setp.ge.u32 %p1, %r1, 1; @%p1 bra S; L: ld.volatile.global.u32 %r3, [%d1]; setp.eq.u32 %p2, %r3, 0; "
	       "@%p2 bra L; bra D;"
	       "S: mov.u32 %r4, 0; T: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 20000; @%p3 bra T; "
	       "st.volatile.global.u32 [%d1], 9; mov.u32 %r3, 1; D: st.global.u32 [%d0], %r3;"),
};
enum { ENDING = sizeof ending / sizeof *ending };

START_TEST(looking_changes_nothing)
{
	static uint32_t out[OUT_WORDS];
	struct engine_counts plain, c;

	for (int patience = 0; patience < 5000; patience = patience * 5 + (patience == 0)) {
		struct rig r;

		rig_open(&r, ending[_i], 0);
		r.l.block[0] = 96;
		r.l.grid[0] = 2;
		r.opt.patience = (uint64_t)patience;
		ck_assert_msg(rig_run(&r, &c), "%s", r.d.last);
		if (!patience) {
			plain = c;
			memcpy(out, r.out, sizeof out);
		}
		ck_assert(memcmp(&plain, &c, sizeof c) == 0 && memcmp(out, r.out, sizeof out) == 0);
		rig_close(&r);
	}
}
END_TEST

START_TEST(readers_of_records_hear_of_it)
{
	struct rig r;
	struct engine *e;
	struct record rec;
	enum record_status s;

	rig_open(&r, endless[0].ptx, 0);
	r.opt.consumers = 1;
	r.opt.patience = 1000;
	e = rig_engine(&r);
	while ((s = engine_next(e, 0, 0, 0, &rec)) == RECORD_OK)
		;
	ck_assert(s == RECORD_FAILED && r.d.errors == 1 && strstr(r.d.last, "livelock"));
	engine_free(e);
	rig_close(&r);
}
END_TEST

Suite *suite_livelock(void)
{
	Suite *s = suite_create("livelock");
	TCase *t = tcase_create("livelock");

	tcase_add_loop_test(t, what_can_never_end_is_reported, 0, ENDLESS);
	tcase_add_loop_test(t, who_waits_for_others_than_the_launch_goes_on, 0, 2);
	tcase_add_loop_test(t, what_might_end_is_not, 0, BUSY);
	tcase_add_loop_test(t, looking_changes_nothing, 0, ENDING);
	tcase_add_test(t, readers_of_records_hear_of_it);
	suite_add_tcase(s, t);
	return s;
}
