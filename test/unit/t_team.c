/* Threads that share out CTAs: which kernels they may execute, that nothing shows how many there were, and what is said
 * when one fails. */
#include "test/unit/engine_run.h"

#include "analyzer/cubin/cubin.h"
#include "analyzer/sass/lift.h"

Suite *suite_team(void);

/* ---- whose order can show ---- */
#define TO "add.u64 %d3, %d1, 64; "
/* NULL: no order shows; else what is said, behind the instruction */
static const struct {
	const char *ptx, *why;
} orders[] = {
	{ KERNEL("st.global.u32 [%d0], %r0;"), NULL },
	{ KERNEL(TO "red.global.add.u32 [%d3], 1; atom.global.add.s32 %r3, [%d3+4], %r0;"), NULL },
	{ KERNEL(TO "atom.add.u32 %r3, [%d3], 1; mov.u32 %r3, %r0; st.global.u32 [%d0], %r3;"), NULL },
	{ KERNEL(TO "red.global.max.s64 [%d3], %d3; red.global.max.s64 [%d3+8], %d2;"), NULL },
	{ KERNEL("ld.global.u32 %r3, [%d1]; mov.u32 %r4, %clock; st.global.u32 [%d0], %r3; bar.sync 0;"), NULL },
	{ PTX_MODULE("",
		     ".shared .align 4 .b8 t[64];\n" PTX_INDEX
		     "mov.u32 %r4, t; atom.shared.exch.b32 %r3, [%r4], %r0; ld.volatile.shared.u32 %r5, [%r4];"
		     "red.shared.add.f32 [%r4+4], 0f3f800000; add.u32 %r3, %r3, %r5; st.global.u32 [%d0], %r3; ret;"),
	  NULL },
	{ KERNEL(TO "atom.global.add.u32 %r3, [%d3], 1; st.global.u32 [%d0], %r3;"), "an atomic whose result is read" },
	{ KERNEL(TO "mov.u32 %r4, 0; L: atom.global.add.u32 %r3, [%d3], %r4; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, "
		    "%r4, 3; @%p1 bra L; st.global.u32 [%d0], %r3;"),
	  "an atomic whose result is read" },
	{ KERNEL(TO "red.global.add.u32 [%d3], 1; red.global.add.u64 [%d3+8], 1;"),
	  "a second kind of reduction, which may meet the first" },
	{ KERNEL(TO "red.global.add.u32 [%d3], 1; red.global.max.u32 [%d3], 1;"), "a second kind of reduction" },
	{ KERNEL(TO "red.global.add.f32 [%d3], 0f3f800000;"), "an atomic whose order shows in memory" },
	{ KERNEL(TO "red.global.inc.u32 [%d3], 9;"), "an atomic whose order shows" },
	{ KERNEL(TO "atom.global.exch.b32 %r3, [%d3], %r0;"), "an atomic whose order shows" },
	{ KERNEL(TO "atom.global.cas.b32 %r3, [%d3], %r0, 5;"), "an atomic whose order shows" },
	{ KERNEL("ld.volatile.global.u32 %r3, [%d1]; st.global.u32 [%d0], %r3;"),
	  "a load that sees what other CTAs are about to store" },
	{ KERNEL("ld.acquire.gpu.u32 %r3, [%d1]; st.global.u32 [%d0], %r3;"), "a load that sees" },
	{ KERNEL("ld.global.cv.u32 %r3, [%d1]; st.global.u32 [%d0], %r3;"), "a load that sees" },
	{ KERNEL("st.global.u32 [%d0], %r3; membar.gl;"), "a fence, which makes flags" },
	{ KERNEL("st.global.u32 [%d0], %r3; fence.acq_rel.gpu;"), "a fence, which makes flags" },
	{ KERNEL("st.global.u32 [%d0], %r3; membar.cta; fence.sc.cta; fence.acq_rel.cta;"), NULL },
	{ PTX_MODULE(".extern .func (.param .b64 r) malloc (.param .b64 n);",
		     PTX_INDEX "{ .param .b64 p; .param .b64 q; st.param.b64 [p], 16; call.uni (q), malloc, (p); "
			       "ld.param.b64 %d3, [q]; } st.global.u64 [%d1], %d3; ret;"),
	  "the host does it in the order of the CTAs" },
};

START_TEST(kernels_whose_order_shows_are_told)
{
	for (unsigned form = 0; form < 2; form++) {
		struct rig r;
		struct engine *e;
		const char *why;

		rig_open(&r, orders[_i].ptx, form ? 63 : 0);
		r.opt.threads = 2;
		r.l.grid[0] = 8;
		e = rig_engine(&r);
		why = engine_ordered(e);
		ck_assert_msg(!why == !orders[_i].why && (!why || strstr(why, orders[_i].why)), "%s",
			      why ? why : "none");
		engine_free(e);
		r.opt.any_order = true;
		e = rig_engine(&r);
		why = engine_ordered(e);
		ck_assert(!why == (!orders[_i].why || !strstr(orders[_i].why, "the host")));
		engine_free(e);
		r.opt.max_insns = 100;
		e = rig_engine(&r);
		ck_assert(strcmp(engine_ordered(e), "the limit of instructions is exact") == 0);
		engine_free(e);
		r.opt = (struct engine_options){ .any_order = true };
		e = rig_engine(&r);
		ck_assert(strcmp(engine_ordered(e), "no threads were asked for") == 0);
		engine_free(e);
		rig_close(&r);
	}
}
END_TEST

/* The same of a kernel of a cubin of test/sass/cubin. */
static const struct {
	const char *cubin, *kernel, *why;
} native_orders[] = {
	{ "saxpy.sm_75", "saxpy", NULL },
	{ "sgemm.sm_86", "sgemm", NULL },
	{ "matrix.sm_86", "wmma", NULL },
	{ "uniform.sm_86", "uniform", NULL },
	{ "warp.sm_86", "lanes", NULL },
	{ "warp.sm_86", "blocks", NULL },
	{ "memory.sm_86", "generic", NULL },
	{ "memory.sm_86", "beside", NULL },
	{ "atomics.sm_75", "atomics", "an atomic whose result is read" },
	{ "atomics.sm_86", "atomics", "an atomic whose result is read" },
	{ "atomics.sm_120a", "atomics", "an atomic whose result is read" },
	{ "memory.sm_86", "textures", "a reduction on a surface" },
	{ "memory.sm_86", "widths", "a load that sees what other CTAs are about to store" },
	{ "hopper.sm_90a", "bulk", "a fence, which makes flags between CTAs" },
	{ "control.sm_86", "divergent", "functions of the driver may be called" },
};

START_TEST(machine_code_whose_order_shows_is_told)
{
	static unsigned char params[1024];
	struct source src;
	struct cubin *c;
	struct engine *e;
	struct rig r;
	const char *why;
	uint32_t k = 0;

	rig_open(&r, KERNEL(""), 0); /* for its device */
	ck_assert(
		source_read(&src, arena_printf(&r.a, "test/sass/cubin/%s.cubin", native_orders[_i].cubin), &r.a, &r.d));
	c = cubin_read(&src, &r.a, &r.d);
	r.l.m = c ? sass_lift(c, &r.a, &r.d) : NULL;
	ck_assert_msg(r.l.m, "%s", r.d.last);
	while (strcmp(r.l.m->kernel[k]->name, native_orders[_i].kernel) != 0)
		ck_assert_uint_lt(++k, r.l.m->nkernel);
	ck_assert(pass_need(r.l.m->kernel[k], FACT_CFG | FACT_LIVE, &r.cx));
	r.l.k = r.l.m->kernel[k];
	r.l.grid[0] = 8;
	r.l.params = params;
	for (uint32_t p = 0; p < r.l.k->nparam; p++)
		r.l.param_bytes = r.l.k->param[p].offset + r.l.k->param[p].size;
	r.opt.threads = 2;
	e = rig_engine(&r);
	why = engine_ordered(e);
	ck_assert_msg(!why == !native_orders[_i].why && (!why || strstr(why, native_orders[_i].why)), "%s",
		      why ? why : "none");
	engine_free(e);
	rig_close(&r);
}
END_TEST

/* ---- results ---- */
/* 128 words of counters, by reductions of all CTAs, which differ in length; and what each thread has. */
static const char work[] =
	PTX_MODULE("", ".shared .align 4 .b8 t[512];\n" PTX_INDEX
		       "mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.x; rem.u32 %r5, %r4, 7; mad.lo.u32 %r5, %r5, 60, 40; "
		       "mov.u32 %r6, 0; mov.u32 %r7, %r0; mov.u32 %r12, t;\n"
		       "shl.b32 %r13, %r3, 2; add.u32 %r12, %r12, %r13; L: mad.lo.u32 %r7, %r7, 1664525, 1013904223; "
		       "st.shared.u32 [%r12], %r7; bar.sync 0;\n"
		       "xor.b32 %r14, %r12, 4; ld.shared.u32 %r15, [%r14]; xor.b32 %r7, %r7, %r15; bar.sync 0; shr.u32 "
		       "%r8, %r7, 25; mul.wide.u32 %d3, %r8, 4; add.u64 %d3, %d1, %d3;\n"
		       "red.global.add.u32 [%d3], %r7; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r5; @%p1 bra L; "
		       "st.global.u32 [%d0], %r7; ret;");

START_TEST(no_number_of_threads_shows)
{
	static uint32_t out[OUT_WORDS], in[IN_WORDS];
	struct engine_counts want = { 0 }, got;
	struct rig r;

	for (unsigned threads = 0; threads < 6; threads++) {
		rig_open(&r, work, 63);
		r.l.grid[0] = 60;
		r.l.block[0] = 64;
		r.opt.threads = threads == 5 ? 1000 : threads;
		r.opt.patience = threads == 4 ? 5000 : 0; /* stops the team all the time */
		ck_assert_msg(rig_run(&r, threads ? &got : &want), "%s", r.d.last);
		if (!threads) {
			memcpy(out, r.out, sizeof out);
			memcpy(in, r.in, sizeof in);
		} else {
			ck_assert(memcmp(out, r.out, sizeof out) == 0 && memcmp(in, r.in, sizeof in) == 0);
			ck_assert(memcmp(&got, &want, sizeof got) == 0);
		}
		rig_close(&r);
	}
	ck_assert_uint_gt(want.warp_insns, 200000);
}
END_TEST

/* The low bits of counters that all threads change at once, by atomics of 16, 32 and 64 bits on the same bytes: none is
 * lost. */
START_TEST(atomics_of_several_threads_are_exact)
{
	static const char text[] =
		KERNEL("mov.u32 %r3, 0; mov.u64 %d4, 1; L: red.global.add.u32 [%d1], 1; red.global.add.u64 [%d1+8], "
		       "%d4; red.global.inc.u32 [%d1+16], 0x7fffffff;\n"
		       "mov.b16 %h0, 1; red.global.add.noftz.f16 [%d1+20], %h1; red.global.add.f32 [%d1+24], "
		       "0f3f800000; red.global.add.f64 [%d1+32], 0d3ff0000000000000;\n"
		       /* a spin lock of one lane */
		       "and.b32 %r9, %r0, 31; setp.ne.u32 %p2, %r9, 0; @%p2 bra N; M: atom.global.cas.b32 %r4, "
		       "[%d1+40], 0, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra M;\n"
		       "ld.volatile.global.u32 %r5, [%d1+44]; add.u32 %r5, %r5, 1; st.volatile.global.u32 [%d1+44], "
		       "%r5; membar.gl; atom.global.exch.b32 %r4, [%d1+40], 0; N:\n"
		       "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 50; @%p1 bra L;");
	const uint32_t n = 40 * 64 * 50;
	double g;
	float f;
	struct rig r;

	rig_open(&r, text, 63);
	r.l.grid[0] = 40;
	r.l.block[0] = 64;
	r.opt.threads = 3;
	r.opt.any_order = true;
	memset(r.in, 0, 64);
	ck_assert_msg(rig_run(&r, NULL), "%s", r.d.last);
	memcpy(&f, r.in + 6, 4);
	memcpy(&g, r.in + 8, 8);
	ck_assert(r.in[0] == n && r.in[2] == n && r.in[3] == 0 && r.in[4] == n);
	ck_assert(f == (float)n && g == (double)n && r.in[10] == 0);
	ck_assert_uint_eq(r.in[11], n / 32);
	rig_close(&r);
}
END_TEST

/* ---- failing ---- */
START_TEST(the_lowest_cta_that_fails_is_reported)
{
	static const char text[] = KERNEL(
		/* CTAs 11, 18, 25 .. fail, the lower ones later */
		"mov.u32 %r3, %ctaid.x; rem.u32 %r4, %r3, 7; setp.eq.u32 %p1, %r4, 4; setp.gt.and.u32 %p1, %r3, 10, "
		"%p1; sub.u32 %r5, 60, %r3; mul.lo.u32 %r5, %r5, 300;\n"
		"L: sub.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra L; @%p1 st.global.u32 [%d0+1], %r3; "
		"st.global.u32 [%d0], %r3;");

	for (unsigned threads = 1; threads < 5; threads++) {
		const struct launch_fault *f;
		struct engine *e;
		struct rig r;

		rig_open(&r, text, 63);
		r.l.grid[0] = 60;
		r.opt.threads = threads;
		r.opt.alone = 1;
		e = rig_engine(&r);
		ck_assert(!engine_ordered(e) && !engine_run(e) && r.d.errors == 1);
		f = engine_fault(e);
		ck_assert_int_eq(f->kind, FAULT_MISALIGNED);
		ck_assert_uint_eq(f->cta[0], 11);
		ck_assert_msg(strstr(r.d.last, "is not a multiple of 4 bytes in CTA (11,0,0), thread (0,0,0)") &&
				      strncmp(r.d.last, "t.ptx:", 6) == 0,
			      "%s", r.d.last);
		for (uint32_t i = 0; i < 11 * 32; i++)
			ck_assert_uint_eq(r.out[i], i / 32);
		engine_free(e);
		rig_close(&r);
	}
}
END_TEST

START_TEST(what_cannot_end_is_found_by_a_team_too)
{
	static const struct {
		const char *ptx, *want;
	} row[] = {
		{ KERNEL("mov.u32 %r3, %ctaid.x; setp.ne.u32 %p1, %r3, 5; @%p1 ret; L: bra L;"),
		  "livelock: its warps repeat" },
		{ KERNEL("L: ld.global.u32 %r3, [%d1]; setp.ne.u32 %p1, %r3, 77; @%p1 bra L;"),
		  "livelock: its warps repeat" },
		{ KERNEL("mov.u32 %r3, %ctaid.x; setp.ne.u32 %p1, %r3, 5; @%p1 ret; bar.sync 1, 64;"),
		  "deadlock in CTA (5,0,0)" },
		/* CTAs wait for the last one, by loads like any others */
		{ KERNEL("mov.u32 %r3, %ctaid.x; mov.u32 %r5, 77; setp.eq.u32 %p2, %r3, 39; @%p2 st.global.u32 [%d1], "
			 "%r5; L: ld.global.u32 %r3, [%d1]; setp.ne.u32 %p1, %r3, 77;"
			 "@%p1 bra L; st.global.u32 [%d0], %r3;"),
		  NULL },
		/* long, and not a livelock */
		{ KERNEL("mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3000; @%p1 bra L; mov.u32 %r3, "
			 "77; st.global.u32 [%d0], %r3;"),
		  NULL },
	};

	for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
		for (unsigned threads = 1; threads < 4; threads++) {
			struct rig r;

			rig_open(&r, row[i].ptx, 63);
			r.l.grid[0] = 40;
			r.opt.threads = threads;
			r.opt.alone = threads == 3 ? 1 : 0;
			r.opt.alone = 1;
			r.opt.patience = 3000;
			ck_assert_msg(rig_run(&r, NULL) == !row[i].want, "%s", r.d.last);
			ck_assert_msg(!row[i].want || (r.d.errors == 1 && strstr(r.d.last, row[i].want)), "%s",
				      r.d.last);
			for (uint32_t n = 0; !row[i].want && n < 40 * 32; n++)
				ck_assert_uint_eq(r.out[n], 77);
			rig_close(&r);
		}
}
END_TEST

static void count_reports(void *ctx, const struct engine_progress *p)
{
	uint64_t *last = ctx;

	ck_assert(p->warp_insns >= last[0] && p->ctas == 60 && p->ctas_done <= 60);
	last[0] = p->warp_insns;
	last[1]++;
}

START_TEST(a_team_reports_and_is_stopped)
{
	uint64_t last[2] = { 0 };
	struct stopped s;
	struct engine *e;
	struct rig r;
	int stop = 1;

	rig_open(&r, work, 63);
	r.l.grid[0] = 60;
	r.l.block[0] = 64;
	r.opt.threads = 2;
	r.opt.progress = count_reports;
	r.opt.progress_ctx = last;
	ck_assert(rig_run(&r, NULL) && last[1] >= 1);
	r.opt.stop = &stop;
	e = rig_engine(&r);
	ck_assert(!engine_run(e) && r.d.errors == 0);
	engine_describe(e, &s);
	ck_assert(s.why == STOP_ASKED && s.ctas_done == 0 && s.ctas == 60);
	stop = 0;
	engine_free(e);
	last[0] = 0;
	ck_assert(rig_run(&r, NULL));
	rig_close(&r);
}
END_TEST

Suite *suite_team(void)
{
	Suite *s = suite_create("team");
	TCase *t = tcase_create("team");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, kernels_whose_order_shows_are_told, 0, sizeof orders / sizeof *orders);
	tcase_add_loop_test(t, machine_code_whose_order_shows_is_told, 0, sizeof native_orders / sizeof *native_orders);
	tcase_add_test(t, no_number_of_threads_shows);
	tcase_add_test(t, atomics_of_several_threads_are_exact);
	tcase_add_test(t, the_lowest_cta_that_fails_is_reported);
	tcase_add_test(t, what_cannot_end_is_found_by_a_team_too);
	tcase_add_test(t, a_team_reports_and_is_stopped);
	suite_add_tcase(s, t);
	return s;
}
