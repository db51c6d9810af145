/* The size of RegMutex's extended set: the paper's worked example and its Table I, what a warp needs where, where it
 * waits. */
#include "passes/freq.h"
#include "passes/regmutex_place.h"
#include "test/unit/pass_fixture.h"

#include <check.h>
#include <string.h>

/* A kernel that asks for so many registers, and the paper's machine, which has no limit of CTAs. */
static struct kernel *asking(uint32_t regs)
{
	struct kernel *k = compile(".visible .entry k()\n{\nret;\n}\n");

	k->res.regs = regs;
	return k;
}

static struct sm_limits paper_machine(uint32_t registers)
{
	struct sm_limits sm = SM_LIMITS_DEFAULT;

	sm.registers = registers;
	sm.ctas = sm.threads / WARP_THREADS;
	return sm;
}

static void examine(const struct kernel *k, const struct sm_limits *sm, uint32_t threads, struct regmutex *r)
{
	struct regmutex_needs needs;

	regmutex_find_needs(k, REGMUTEX_LIVENESS_WARP, &needs);
	regmutex_examine(k, &needs, sm, (struct occupancy_cta){ threads, 0 }, false, false, r, &arena);
}

START_TEST(the_worked_example_takes_six_of_24_registers)
{
	static const struct {
		uint32_t extended, base, warps, sections;
	} want[] = { { 2, 22, 46, 6 }, { 4, 20, 48, 16 }, { 6, 18, 48, 26 }, { 8, 16, 48, 32 } };
	const struct sm_limits sm = paper_machine(32768);
	struct regmutex r;

	examine(asking(24), &sm, 0, &r);
	ck_assert_uint_eq(r.warps, 42);
	ck_assert_uint_eq(r.nsize, 4);
	for (unsigned x = 0; x < 4; x++) {
		ck_assert_uint_eq(r.size[x].extended, want[x].extended);
		ck_assert_uint_eq(r.size[x].base, want[x].base);
		ck_assert_uint_eq(r.size[x].warps, want[x].warps);
		ck_assert_uint_eq(r.size[x].sections, want[x].sections);
		ck_assert_int_eq(r.size[x].why, SIZE_LEGAL);
	}
	ck_assert_int_eq(r.reason, REGMUTEX_CHOSEN);
	ck_assert_uint_eq(r.extended, 6);
	ck_assert_uint_eq(r.base, 18);
}
END_TEST

/* Table I: registers, rounded ones, base set; warps of a CTA as the benchmarks' sources have them; our extended set, 0:
 * none gains. */
static const struct {
	const char *name;
	uint32_t asked, rounded, base, warps, ours;
} table_1[] = {
	{ "BFS", 21, 24, 18, 16, 6 },       { "CUTCP", 25, 28, 20, 4, 8 },   { "DWT2D", 44, 44, 38, 6, 4 },
	{ "HotSpot3D", 32, 32, 24, 8, 8 },  { "MRI-Q", 21, 24, 18, 8, 6 },   { "ParticleFilter", 32, 32, 20, 16, 0 },
	{ "RadixSort", 33, 36, 30, 8, 8 },  { "SAD", 30, 32, 20, 2, 10 },    { "Gaussian", 12, 12, 8, 16, 4 },
	{ "HeartWall", 28, 28, 20, 8, 8 },  { "LavaMD", 37, 40, 28, 4, 12 }, { "MergeSort", 15, 16, 12, 16, 0 },
	{ "MonteCarlo", 13, 16, 12, 8, 4 }, { "SPMV", 16, 16, 12, 6, 4 },    { "SRAD", 18, 20, 12, 8, 6 },
	{ "TPACF", 28, 28, 20, 8, 8 },
};
/* the first ones on the whole register file, the others on half of it */
enum { TABLE_1_FULL = 8 };

START_TEST(table_1_is_explained_in_ten_rows_of_sixteen)
{
	unsigned same = 0;

	for (unsigned n = 0; n < sizeof table_1 / sizeof *table_1; n++) {
		const struct sm_limits sm = paper_machine(n < TABLE_1_FULL ? 32768 : 16384);
		struct regmutex r;

		examine(asking(table_1[n].asked), &sm, table_1[n].warps * WARP_THREADS, &r);
		ck_assert_uint_eq(r.regs, table_1[n].rounded);
		ck_assert_msg(r.extended == table_1[n].ours, "%s: %u", table_1[n].name, r.extended);
		same += r.base == table_1[n].base;
	}
	ck_assert_uint_eq(same, 10);
}
END_TEST

START_TEST(without_sections_for_half_of_the_warps_most_sections_go)
{
	/* dwt2d's second kernel, CTAs of 192 threads */
	struct regmutex_size size[] = {
		{ .extended = 12, .base = 28, .warps = 36, .sections = 1 },
		{ .extended = 14, .base = 26, .warps = 36, .sections = 6 },
	};
	struct regmutex r = { .regs = 40, .warps = 24, .size = size, .nsize = 2 };

	regmutex_choose(&r);
	ck_assert_uint_eq(r.extended, 14);
	size[0].sections = 6; /* as many: the smaller one */
	regmutex_choose(&r);
	ck_assert_uint_eq(r.extended, 12);
	size[0].sections = 19; /* more than half */
	size[1].sections = 30;
	regmutex_choose(&r);
	ck_assert_uint_eq(r.extended, 12);
}
END_TEST

START_TEST(a_kernel_that_registers_do_not_limit_is_left_alone)
{
	const struct sm_limits sm = paper_machine(32768);
	struct regmutex r;

	examine(asking(20), &sm, 256, &r);
	ck_assert_int_eq(r.reason, REGMUTEX_NO_GAIN);
	ck_assert_uint_eq(r.extended, 0);
	ck_assert_uint_eq(r.base, 20);
	examine(asking(3), &sm, 256, &r);
	ck_assert_int_eq(r.reason, REGMUTEX_NO_CANDIDATE);
	ck_assert_uint_eq(r.nsize, 0);
}
END_TEST

/* 0.10, 0.15, ... 0.35 times 38 or 39, rounded down, are 3, 5, 7, 9, 11, 13: none is even. */
START_TEST(of_38_and_39_registers_the_paper_has_no_candidate)
{
	const struct sm_limits sm = paper_machine(32768);
	struct regmutex_needs needs;

	for (uint32_t n = 38; n < 40; n++) {
		struct kernel *k = asking(n);
		struct regmutex r;

		examine(k, &sm, 256, &r);
		ck_assert_uint_eq(r.nsize, 0);
		ck_assert_int_eq(r.reason, REGMUTEX_NO_CANDIDATE);
		regmutex_find_needs(k, REGMUTEX_LIVENESS_WARP, &needs);
		regmutex_examine(k, &needs, &sm, (struct occupancy_cta){ 256, 0 }, false, true, &r, &arena);
		ck_assert_uint_eq(r.regs, 40);
		ck_assert_uint_eq(r.nsize, 19); /* 2, 4 .. 38 */
		ck_assert_int_eq(r.reason, REGMUTEX_CHOSEN);
		ck_assert_uint_eq(r.extended % 2, 0);
		ck_assert_uint_gt(r.size[r.chosen].warps, r.warps);
	}
}
END_TEST

START_TEST(a_block_that_no_sm_holds_admits_nothing)
{
	const struct sm_limits sm = SM_LIMITS_DEFAULT;
	struct kernel *k = asking(24);
	struct regmutex r;

	for (unsigned x = 0; x < 3; x++)
		k->reqntid[x] = 1024;
	ck_assert_uint_eq(launch_cta(k, NULL).threads, 1u << 30);
	examine(k, &sm, 1u << 30, &r);
	ck_assert_uint_eq(r.warps, 0);
	ck_assert_int_ne(r.reason, REGMUTEX_CHOSEN);
}
END_TEST

START_TEST(one_section_must_have_room_beside_the_base_sets)
{
	const struct sm_limits sm = paper_machine(32768);

	/* four would fill the file: 4 x 8 x 32 = 1024 */
	ck_assert_uint_eq(occupancy_regmutex(&sm, 32, 4, 8), 3);
	ck_assert_uint_eq(occupancy_static(&sm, 32, 8), 4);
	ck_assert_uint_eq(occupancy_regmutex(&sm, 20, 4, 32), 1);
	ck_assert_uint_eq(occupancy_regmutex(&sm, 31, 40, 32), 0); /* 992 + 40 */
	ck_assert_uint_eq(occupancy_sections(&sm, 18, 6, 48), 26);
	ck_assert_uint_eq(occupancy_sections(&sm, 8, 2, 48), 48); /* no more than warps */
	ck_assert_uint_eq(occupancy_sections(&sm, 22, 2, 48), 0);
	/* 24 pairs of 42 are 1008, the 16 that are left too few */
	ck_assert_uint_eq(occupancy_paired(&sm, 18, 6, 1), 48);
	ck_assert_uint_eq(occupancy_paired(&sm, 20, 8, 1), 42);  /* 21 of 48 */
	ck_assert_uint_eq(occupancy_paired(&sm, 20, 10, 1), 40); /* 20 of 50, and 24 are left */
	ck_assert_uint_eq(occupancy_paired(&sm, 20, 3, 1), 47);  /* 23 of 43 and one more of 23: 989 + 23 */
	ck_assert_uint_eq(occupancy_paired(&sm, 20, 3, 8), 5);
}
END_TEST

/* Of a sub-core's two banks of 256 rows the one that has less room counts: of 41 registers 21 are even. */
START_TEST(each_partition_has_its_own_sections)
{
	const struct sm_limits sm = { .registers = 65536, .granule = 8, .threads = 1536, .ctas = 16, .parts = 4 };

	ck_assert_uint_eq(occupancy_sections(&sm, 41, 7, 48), 4);
	ck_assert_uint_eq(occupancy_sections_of(&sm, 41, 7, 45, 0), 1);
	ck_assert_uint_eq(occupancy_sections_of(&sm, 41, 7, 45, 1), 8); /* 25 rows of 3, 36 of 4 */
	ck_assert_uint_eq(occupancy_regmutex(&sm, 41, 7, 1), 48);
	ck_assert_uint_eq(occupancy_regmutex(&sm, 43, 5, 1), 44); /* 12 warps have 264 even registers */
	ck_assert_uint_eq(occupancy_paired(&sm, 41, 7, 1), 44);
}
END_TEST

/* The most that is alive at a place that waits is the least base set. */
START_TEST(a_barrier_rules_out_what_does_not_fit_into_the_base_set)
{
	static const char *const body =
		".visible .entry k(.param .u64 p)\n{\n.reg .b32 %%r<20>; .reg .b64 %%d; .reg .pred %%q;\nld.param.u64 "
		"%%d, [p];\n"
		"ld.global.v4.u32 {%%r0,%%r1,%%r2,%%r3}, [%%d]; ld.global.v4.u32 {%%r4,%%r5,%%r6,%%r7}, [%%d+16];\n%s"
		"ld.global.v4.u32 {%%r8,%%r9,%%r10,%%r11}, [%%d+32]; ld.global.v4.u32 {%%r12,%%r13,%%r14,%%r15}, "
		"[%%d+48];\n"
		"st.global.v4.u32 [%%d+64], {%%r8,%%r9,%%r10,%%r11}; st.global.v4.u32 [%%d+80], "
		"{%%r12,%%r13,%%r14,%%r15};\n"
		"st.global.v4.u32 [%%d+96], {%%r0,%%r1,%%r2,%%r3}; st.global.v4.u32 [%%d+112], "
		"{%%r4,%%r5,%%r6,%%r7};\nret;\n}\n";
	struct kernel *free = compile(arena_printf(&arena, body, "")),
		      *bound = compile(arena_printf(&arena, body, "bar.sync 0;\n"));
	struct sm_limits sm = paper_machine(32768);
	struct regmutex r;

	examine(free, &sm, 0, &r);
	ck_assert_uint_eq(r.needs.waiting, 0);
	ck_assert_uint_eq(r.needs.at, REGMUTEX_NONE);
	ck_assert_uint_eq(r.needs.most, 18);
	examine(bound, &sm, 0, &r);
	ck_assert_uint_eq(r.needs.waiting, 10); /* r0 .. r7 and the address */
	ck_assert_int_eq(bound->insn[r.needs.at].op, OP_BAR_SYNC);
	bound->res.regs = 18;
	sm.registers = 16384; /* 20 x 25 warps */
	cx.opt.regmutex.sm = sm;
	cx.opt.regmutex.size = 10;
	ck_assert(regmutex_decide(bound, &cx));
	ck_assert_uint_eq(bound->regmutex->base, 10);
	cx.opt.regmutex.size = 11;
	ck_assert(!regmutex_decide(bound, &cx));
	ck_assert_ptr_nonnull(strstr(diag.last, "10 are alive at bar.sync"));
	ck_assert_ptr_nonnull(strstr(diag.last, "the nearest legal size is 10"));
	cx.opt.regmutex.rules_off = true;
	ck_assert(regmutex_decide(bound, &cx));
	ck_assert_uint_eq(bound->regmutex->extended, 11);
	cx.opt.regmutex.size = 20;
	ck_assert(!regmutex_decide(bound, &cx));
	ck_assert_ptr_nonnull(strstr(diag.last, "20 registers a thread in all"));
	cx.opt.regmutex.size = REGMUTEX_OFF;
	ck_assert(regmutex_decide(bound, &cx));
	ck_assert_ptr_null(bound->regmutex);
}
END_TEST

START_TEST(a_size_that_finds_no_places_gives_way_to_the_next)
{
	struct kernel *k = asking(24);

	cx.opt.regmutex.sm = paper_machine(32768);
	cx.opt.regmutex.size = REGMUTEX_PAPER;
	ck_assert(regmutex_decide(k, &cx));
	ck_assert_uint_eq(k->regmutex->extended, 6);
	ck_assert(regmutex_drop(k, SIZE_COMPACT, 0, 19, &cx));
	ck_assert_uint_eq(k->regmutex->extended, 8); /* the other with sections for more than half */
	ck_assert(regmutex_drop(k, SIZE_COMPACT, 0, 19, &cx));
	ck_assert_uint_eq(k->regmutex->extended, 4);
	ck_assert(regmutex_drop(k, SIZE_COMPACT, 0, 19, &cx));
	ck_assert_uint_eq(k->regmutex->extended, 2); /* 46 warps are more than 42 */
	ck_assert(regmutex_drop(k, SIZE_COMPACT, 0, 19, &cx));
	ck_assert_uint_eq(k->regmutex->extended, 0);
	ck_assert_int_eq(k->regmutex->reason, REGMUTEX_NOT_LEGAL);
	cx.opt.regmutex.size = 6;
	ck_assert(regmutex_decide(k, &cx));
	ck_assert(!regmutex_drop(k, SIZE_COMPACT, 0, 19, &cx));
	ck_assert_ptr_null(strstr(diag.last, "nearest")); /* where registers find places, the rules do not say */
	/* Found in the variant, so at no instruction of the plain kernel. */
	ck_assert(!regmutex_drop(k, SIZE_WAITS, REGMUTEX_NONE, 0, &cx));
	ck_assert_ptr_nonnull(
		strstr(diag.last,
		       "would hold the extended set where it waits for others; the nearest legal sizes are 5 and 7"));
}
END_TEST

/* ---- where a warp waits ---- */
#define HEAD                                                                                                        \
	".visible .entry k(.param .u64 p)\n{\n.reg .pred %q, %s; .reg .b32 %r<8>; .reg .b64 %d, %t;\nld.param.u64 " \
	"%d, [p]; mov.u32 %r0, %tid.x;\n"
#define FUNC ".func (.reg .b32 %v) f(.reg .b64 %a)\n{\nld.volatile.global.u32 %v, [%a];\nret;\n}\n"
static const struct {
	const char *text;
	bool waits;
} loops[] = {
	{ HEAD "L: ld.volatile.global.u32 %r1, [%d]; setp.eq.u32 %q, %r1, 0; @%q bra L; ret;\n}\n", true },
	{ HEAD
	  "L: ld.relaxed.gpu.global.u32 %r1, [%d]; add.u32 %r1, %r1, %r0; setp.eq.u32 %q, %r1, 0; @%q bra L; ret;\n}\n",
	  true },
	{ HEAD "L: ld.acquire.gpu.global.u32 %r1, [%d]; setp.eq.u32 %q, %r1, 0; @%q bra L; ret;\n}\n", true },
	{ HEAD "L: ld.global.cv.u32 %r1, [%d]; setp.eq.u32 %q, %r1, 0; @%q bra L; ret;\n}\n", true },
	{ HEAD "L: ld.global.u32 %r1, [%d]; setp.eq.u32 %q, %r1, 0; @%q bra L; ret;\n}\n", false },
	{ HEAD "L: atom.global.cas.b32 %r1, [%d], 0, 1; setp.ne.u32 %q, %r1, 0; @%q bra L; st.global.u32 [%d+4], %r0; "
	       "ret;\n}\n",
	  true },
	/* an exit by exit, and by the guard of one */
	{ HEAD "L: atom.global.cas.b32 %r1, [%d], 0, 1; setp.ne.u32 %q, %r1, 0; @%q exit; bra L;\n}\n", true },
	/* the result is counted with, but the loop ends by itself */
	{ HEAD "mov.u32 %r2, 0;\nL: atom.global.add.u32 %r1, [%d], 1; st.global.u32 [%d+4], %r1; add.u32 %r2, %r2, 1; "
	       "setp.lt.u32 %q, %r2, 10; @%q bra L; ret;\n}\n",
	  false },
	/* nobody reads it */
	{ HEAD "mov.u32 %r2, 0;\nL: red.global.add.u32 [%d], 1; add.u32 %r2, %r2, 1; setp.lt.u32 %q, %r2, 10; @%q bra "
	       "L; ret;\n}\n",
	  false },
	/* what it decides is whether the value that ends the loop is written */
	{ HEAD "mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%d]; setp.eq.u32 %q, %r1, 0; @%q bra N; mov.u32 %r2, "
	       "1;\nN: setp.eq.u32 %q, %r2, 0; @%q bra L; ret;\n}\n",
	  true },
	/* what it decides is something else */
	{ HEAD "mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%d]; setp.eq.u32 %q, %r1, 0; @%q bra N; st.global.u32 "
	       "[%d+4], %r2;\nN: add.u32 %r2, %r2, 1; setp.lt.u32 %q, %r2, 10; @%q bra L; ret;\n}\n",
	  false },
	/* through local memory */
	{ HEAD ".local .align 4 .b8 a[16];\nL: ld.volatile.global.u32 %r1, [%d]; st.local.u32 [a+4], %r1; ld.local.u32 "
	       "%r2, [a+4]; setp.eq.u32 %q, %r2, 0; @%q bra L; ret;\n}\n",
	  true },
	/* through shared and global memory, by a generic address, by a reduction, by a copy */
	{ HEAD ".shared .b32 m;\nL: ld.volatile.global.u32 %r1, [%d]; st.shared.u32 [m], %r1; ld.shared.u32 %r2, [m]; "
	       "setp.eq.u32 %q, %r2, 0; @%q bra L; ret;\n}\n",
	  true },
	{ HEAD "L: ld.volatile.global.u32 %r1, [%d]; st.global.u32 [%d+4], %r1; ld.global.u32 %r2, [%d+4]; setp.eq.u32 "
	       "%q, %r2, 0; @%q bra L; ret;\n}\n",
	  true },
	{ HEAD ".shared .b32 m;\ncvta.shared.u64 %t, m;\nL: ld.volatile.global.u32 %r1, [%d]; st.u32 [%t], %r1; "
	       "ld.shared.u32 %r2, [m]; setp.eq.u32 %q, %r2, 0; @%q bra L; ret;\n}\n",
	  true },
	{ HEAD ".shared .b32 m;\ncvta.shared.u64 %t, m;\nL: ld.volatile.global.u32 %r1, [%d]; st.shared.u32 [m], %r1; "
	       "ld.u32 %r2, [%t]; setp.eq.u32 %q, %r2, 0; @%q bra L; ret;\n}\n",
	  true },
	{ HEAD ".shared .b32 m;\nL: ld.volatile.global.u32 %r1, [%d]; red.shared.add.u32 [m], %r1; ld.shared.u32 %r2, "
	       "[m]; setp.eq.u32 %q, %r2, 0; @%q bra L; ret;\n}\n",
	  true },
	{ HEAD ".shared .align 16 .b8 m[16];\nL: ld.volatile.global.u32 %r1, [%d]; st.global.u32 [%d+4], %r1; "
	       "cp.async.ca.shared.global [m], [%d+4], 4; cp.async.wait_all; ld.shared.u32 %r2, [m]; "
	       "setp.eq.u32 %q, %r2, 0; @%q bra L; ret;\n}\n",
	  true },
	/* another memory than the one that decides */
	{ HEAD ".shared .b32 m;\nmov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%d]; st.global.u32 [%d+4], %r1; "
	       "ld.shared.u32 %r3, [m]; add.u32 %r2, %r2, %r3; setp.lt.u32 %q, %r2, 10; @%q bra L; ret;\n}\n",
	  false },
	{ HEAD ".shared .align 8 .b8 b[8];\nL: mbarrier.try_wait.parity.shared.b64 %q, [b], 0; @!%q bra L; ret;\n}\n",
	  true },
	{ FUNC HEAD "L: call (%r1), f, (%d); setp.eq.u32 %q, %r1, 0; @%q bra L; ret;\n}\n", true },
	/* an inner loop waits, the outer one goes round by itself */
	{ HEAD "mov.u32 %r2, 0;\nO: st.global.u32 [%d+8], %r2;\nL: ld.volatile.global.u32 %r1, [%d]; setp.eq.u32 %q, "
	       "%r1, 0; @%q bra L; add.u32 %r2, %r2, 1; setp.lt.u32 %q, %r2, 10; @%q bra O; ret;\n}\n",
	  true },
};

START_TEST(a_loop_waits_if_its_exit_depends_on_what_others_did)
{
	struct kernel *k;
	uint8_t *wait;
	unsigned spins = 0;

	cx.opt.inline_limit = _i % 2 ? INLINE_LIMIT : 0; /* calls stay calls in one of two */
	k = compile(loops[_i].text);
	wait = new_array(&arena, uint8_t, (size_t)k->ninsn + 1);
	regmutex_waits(k, &arena, wait);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		spins += wait[i] == WAIT_SPIN;
		ck_assert(wait[i] != WAIT_BARRIER);
	}
	ck_assert_msg((spins > 0) == loops[_i].waits, "loop %d: %u", _i, spins);
}
END_TEST

START_TEST(of_two_loops_only_the_one_that_waits_does)
{
	struct kernel *k = compile(loops[sizeof loops / sizeof *loops - 1].text);
	uint8_t *wait = new_array(&arena, uint8_t, (size_t)k->ninsn + 1);

	regmutex_waits(k, &arena, wait);
	for (uint32_t i = 0; i < k->ninsn; i++)
		if (op_info[k->insn[i].op].flags & OPF_STORE)
			ck_assert_int_eq(wait[i], WAIT_NONE);
		else if (k->insn[i].mods & MOD_VOLATILE)
			ck_assert_int_eq(wait[i], WAIT_SPIN);
}
END_TEST

START_TEST(all_barriers_of_the_table_wait)
{
	struct kernel *k = compile(HEAD "bar.sync 0; bar.arrive 1, 64; bar.red.popc.u32 %r1, 0, %q; "
					"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
					"st.global.u32 [%d], %r1; ret;\n}\n");
	uint8_t *wait = new_array(&arena, uint8_t, (size_t)k->ninsn + 1);
	unsigned barriers = 0;

	regmutex_waits(k, &arena, wait);
	for (uint32_t i = 0; i < k->ninsn; i++)
		barriers += wait[i] == WAIT_BARRIER;
	ck_assert_uint_eq(barriers, 4); /* barrier.cluster.arrive waits for nobody */
}
END_TEST

START_TEST(a_warp_needs_what_waits_elsewhere_and_the_paper_more)
{
	struct kernel *k = compile(HEAD "ld.global.u32 %r3, [%d]; setp.lt.u32 %q, %r0, 5; @%q bra S2;\n"
					"ld.global.u32 %r1, [%d+8]; st.global.u32 [%d+12], %r1; bra.uni M;\n"
					"S2: st.global.u32 [%d+20], %r3; ld.global.u32 %r4, [%d+4]; ld.global.u32 %r5, "
					"[%d+4]; add.u32 %r4, %r4, %r5; st.global.u32 [%d+24], %r4;\nM: ret;\n}\n");
	uint16_t *warp = new_array(&arena, uint16_t, k->ninsn), *paper = new_array(&arena, uint16_t, k->ninsn);
	bool more = false;

	regmutex_demand(k, REGMUTEX_LIVENESS_WARP, warp);
	regmutex_demand(k, REGMUTEX_LIVENESS_PAPER, paper);
	for (uint32_t i = 0; i < k->ninsn; i++) {
		ck_assert_uint_ge(paper[i], warp[i]);
		more |= paper[i] > warp[i];
		if (op_info[k->insn[i].op].flags & OPF_STORE && k->insn[i].offset == 12)
			/* the address, r1, and r3, which lanes before S2 wait with */
			ck_assert_uint_eq(warp[i], 4);
	}
	ck_assert(more); /* in S2 behind the last read of r3 */
}
END_TEST

START_TEST(options_are_names_and_numbers)
{
	int n = 7;

	ck_assert(regmutex_size_parse("auto", &n) && n == REGMUTEX_AUTO);
	ck_assert(regmutex_size_parse("paper", &n) && n == REGMUTEX_PAPER);
	ck_assert(regmutex_size_parse("off", &n) && n == REGMUTEX_OFF);
	ck_assert(regmutex_size_parse("12", &n) && n == 12);
	ck_assert(!regmutex_size_parse("0", &n) && !regmutex_size_parse("254", &n) && !regmutex_size_parse("-1", &n) &&
		  !regmutex_size_parse("4x", &n) && !regmutex_size_parse("", &n) && !regmutex_size_parse(" 4", &n));
	ck_assert_int_eq(regmutex_place_find("paper"), REGMUTEX_PLACE_PAPER);
	ck_assert_int_eq(regmutex_liveness_find("warp"), REGMUTEX_LIVENESS_WARP);
	ck_assert_int_eq(regmutex_place_find("nowhere"), REGMUTEX_PLACE_COUNT);
}
END_TEST

/* Of warps that take turns; the states of three warps and one section by hand. */
START_TEST(warps_progress_as_far_as_they_find_sections)
{
	struct regmutex_size s = { .warps = 24, .sections = 24 };

	ck_assert_uint_eq(regmutex_progress(&s, 50, 100, 0), 24 * REGMUTEX_PROGRESS);
	ck_assert_uint_eq(regmutex_progress(&s, 50, 100, 0.5), 16 * REGMUTEX_PROGRESS);
	s.sections = 4;
	ck_assert_uint_eq(regmutex_progress(&s, 0, 100, 0), 24 * REGMUTEX_PROGRESS);
	ck_assert_uint_eq(regmutex_progress(&s, 100, 100, 0), 4 * REGMUTEX_PROGRESS);
	ck_assert_uint_le(regmutex_progress(&s, 50, 100, 0), 8 * REGMUTEX_PROGRESS);
	ck_assert_uint_ge(regmutex_progress(&s, 50, 100, 0), 799 * REGMUTEX_PROGRESS / 100);
	for (double h = 1; h < 100; h++)
		ck_assert_uint_ge(regmutex_progress(&s, h, 100, 0), regmutex_progress(&s, h + 1, 100, 0));
	s = (struct regmutex_size){ .warps = 3, .sections = 1 }; /* odds 1, 3, 6, 6; in progress 3, 3, 2, 1 */
	ck_assert_uint_eq(regmutex_progress(&s, 50, 100, 0), 30 * REGMUTEX_PROGRESS / 16);
	s = (struct regmutex_size){ .warps = 1u << 16, .sections = 2 };
	ck_assert_uint_le(regmutex_progress(&s, 50, 100, 0), 4 * REGMUTEX_PROGRESS);
	ck_assert_uint_ge(regmutex_progress(&s, 50, 100, 0), 4 * REGMUTEX_PROGRESS - 1);
}
END_TEST

Suite *suite_regmutex_size(void);
Suite *suite_regmutex_size(void)
{
	Suite *s = suite_create("regmutex_size");
	TCase *t = tcase_create("regmutex_size");

	tcase_add_checked_fixture(t, pass_setup_plain, pass_teardown);
	tcase_add_test(t, the_worked_example_takes_six_of_24_registers);
	tcase_add_test(t, table_1_is_explained_in_ten_rows_of_sixteen);
	tcase_add_test(t, without_sections_for_half_of_the_warps_most_sections_go);
	tcase_add_test(t, a_kernel_that_registers_do_not_limit_is_left_alone);
	tcase_add_test(t, of_38_and_39_registers_the_paper_has_no_candidate);
	tcase_add_test(t, a_block_that_no_sm_holds_admits_nothing);
	tcase_add_test(t, one_section_must_have_room_beside_the_base_sets);
	tcase_add_test(t, each_partition_has_its_own_sections);
	tcase_add_test(t, a_barrier_rules_out_what_does_not_fit_into_the_base_set);
	tcase_add_test(t, a_size_that_finds_no_places_gives_way_to_the_next);
	tcase_add_loop_test(t, a_loop_waits_if_its_exit_depends_on_what_others_did, 0,
			    (int)(sizeof loops / sizeof *loops));
	tcase_add_test(t, of_two_loops_only_the_one_that_waits_does);
	tcase_add_test(t, all_barriers_of_the_table_wait);
	tcase_add_test(t, a_warp_needs_what_waits_elsewhere_and_the_paper_more);
	tcase_add_test(t, options_are_names_and_numbers);
	tcase_add_test(t, warps_progress_as_far_as_they_find_sections);
	suite_add_tcase(s, t);
	return s;
}
