/* Trip counts: what the code says about each loop is what the engine executes. */
#include "analyzer/base/rng.h"
#include "passes/freq.h"
#include "test/unit/engine_run.h"
#include "rounds.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { MAXREG_NONE = 0, MAXREG_FEW = 12, MAXREG_FERMI = 63 };
static const unsigned maxregs[] = { MAXREG_NONE, MAXREG_FERMI, MAXREG_FEW };

static const struct launch_param param_n = { "n", 7 }, param_16 = { "n", 16 };
static const struct launch_facts one_warp = {
	.block = { 32, 1, 1 }, .grid = { 1, 1, 1 }, .param = &param_n, .nparam = 1
};

/* ---- uniform loops: the estimate of every block is what a warp executes ---- */
static const struct counted {
	const char *what, *body;
} counted[] = {
	{ "test at the bottom", "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 10; @%p1 bra L;" },
	{ "test at the top",
	  "mov.u32 %r4, 0; L: setp.ge.s32 %p1, %r4, 10; @%p1 bra E; ld.global.u32 %r5, [%d1]; add.u32 %r4, %r4, 1;"
	  " add.u32 %r6, %r6, %r5; bra L; E: st.global.u32 [%d0], %r6;" },
	{ "a parameter", "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r39; @%p1 bra L;" },
	{ "the block's size",
	  "mov.u32 %r4, 0; mov.u32 %r5, %ntid.x; L: add.u32 %r4, %r4, 4; setp.lt.u32 %p1, %r4, %r5; @%p1 bra L;" },
	{ "the block's size below one",
	  "mov.u32 %r4, %ntid.x; L: setp.gt.u32 %p1, %r4, 100; shr.u32 %r4, %r4, 1; @%p1 bra L;" },
	{ "down to zero", "mov.u32 %r4, 12; L: sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;" },
	{ "down by negative steps", "mov.u32 %r4, 30; L: add.s32 %r4, %r4, -7; setp.gt.s32 %p1, %r4, -9; @%p1 bra L;" },
	{ "from below zero", "mov.u32 %r4, -20; L: add.s32 %r4, %r4, 7; setp.le.s32 %p1, %r4, 20; @%p1 bra L;" },
	{ "wrapping to zero", "mov.u32 %r4, -5; L: add.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;" },
	{ "a congruence modulo 2^32",
	  "mov.u32 %r4, 1; L: add.u32 %r4, %r4, 0x20000000; setp.ne.u32 %p1, %r4, 0x80000001; @%p1 bra L;" },
	{ "wrapping over the bound",
	  "mov.u32 %r4, 5; L: add.u32 %r4, %r4, 0x30000000; setp.gt.u32 %p1, %r4, 100; @%p1 bra L;" },
	{ "a shift to the left", "mov.u32 %r4, 1; L: shl.b32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 1000; @%p1 bra L;" },
	{ "a shift to the right", "mov.u32 %r4, 1000; L: shr.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra L;" },
	{ "a product", "mov.u32 %r4, 1; L: mul.lo.u32 %r4, %r4, 3; setp.lt.u32 %p1, %r4, 5000; @%p1 bra L;" },
	{ "a product with a sum",
	  "mov.u32 %r4, 3; L: mad.lo.u32 %r4, %r4, 3, 1; setp.lt.u32 %p1, %r4, 5000; @%p1 bra L;" },
	{ "a 64-bit counter",
	  "mov.u64 %d4, 0; cvt.s64.s32 %d5, %r39; L: add.s64 %d4, %d4, 2; setp.lt.s64 %p1, %d4, %d5; @%p1 bra L;" },
	{ "a 64-bit counter over 2^32",
	  "mov.u64 %d4, 0xfffffff0; L: add.s64 %d4, %d4, 5; setp.lt.u64 %p1, %d4, 0x100000010; @%p1 bra L;" },
	{ "a counter widened for the test",
	  "mov.u32 %r4, -3; L: add.s32 %r4, %r4, 1; cvt.s64.s32 %d4, %r4; setp.lt.s64 %p1, %d4, 6; @%p1 bra L;" },
	{ "a scaled counter in the test",
	  "mov.u32 %r4, 0; L: add.s32 %r4, %r4, 3; mad.lo.s32 %r5, %r4, 4, 8; setp.lt.s32 %p1, %r5, 100; @%p1 bra L;" },
	{ "both sides move", "mov.u32 %r4, 0; mov.u32 %r5, 100; L: add.s32 %r4, %r4, 3; sub.s32 %r5, %r5, 4; "
			     "setp.lt.s32 %p1, %r4, %r5; @%p1 bra L;" },
	{ "an unrolled body with two exits",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.eq.u32 %p1, %r4, 9; @%p1 bra E; ld.global.u32 %r5, [%d1];"
	  " add.u32 %r6, %r6, %r5; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 30; @%p2 bra L; E: st.global.u32 [%d0], "
	  "%r6;" },
	{ "two conditions",
	  "mov.u32 %r4, 0; mov.u32 %r5, 40; L: add.u32 %r4, %r4, 1; sub.u32 %r5, %r5, 3; setp.lt.u32 %p1, %r4, 30;"
	  " setp.gt.and.u32 %p2, %r5, 10, %p1; @%p2 bra L;" },
	{ "either of two ends it",
	  "mov.u32 %r4, 0; mov.u32 %r5, 40; L: add.u32 %r4, %r4, 1; sub.u32 %r5, %r5, 3; setp.ge.u32 %p1, %r4, 30;"
	  " setp.le.u32 %p2, %r5, 10; or.pred %p3, %p1, %p2; @!%p3 bra L;" },
	{ "both of two end it",
	  "mov.u32 %r4, 0; mov.u32 %r5, 40; L: add.u32 %r4, %r4, 1; sub.u32 %r5, %r5, 3; setp.ge.u32 %p1, %r4, 12;"
	  " setp.le.u32 %p2, %r5, 10; and.pred %p3, %p1, %p2; @!%p3 bra L;" },
	{ "a step of parameters",
	  "mov.u32 %r4, 0; mul.lo.u32 %r5, %r39, 2; L: add.u32 %r4, %r4, %r5; setp.lt.u32 %p1, %r4, 100; @%p1 bra L;" },
	{ "a clamped counter",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 5; min.u32 %r4, %r4, 17; setp.ne.u32 %p1, %r4, 17; @%p1 bra L;" },
	{ "a 16-bit counter", "mov.u16 %h1, 3; L: add.s16 %h1, %h1, 7; setp.lt.s16 %p1, %h1, 200; @%p1 bra L;" },
	{ "a guarded counter", "mov.u32 %r4, 0; setp.eq.u32 %p2, %r39, 7; L: @%p2 add.u32 %r4, %r4, 2; setp.lt.u32 "
			       "%p1, %r4, 11; @%p1 bra L;" },
	{ "Fibonacci", "mov.u32 %r4, 1; mov.u32 %r5, 1; L: add.u32 %r6, %r4, %r5; mov.u32 %r4, %r5; mov.u32 %r5, %r6;"
		       " setp.lt.u32 %p1, %r6, 1000; @%p1 bra L;" },
	{ "the rest after unrolling",
	  "and.b32 %r4, %r39, 3; setp.eq.u32 %p1, %r4, 0; @%p1 bra E; L: sub.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0;"
	  " @%p2 bra L; E:" },
	{ "a loop that goes on where another ended",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 4; setp.lt.u32 %p1, %r4, 19; @%p1 bra L;"
	  " M: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 33; @%p1 bra M;" },
	{ "a nest", "mov.u32 %r4, 0; L: mov.u32 %r5, 0; M: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 6; @%p1 bra M;"
		    " add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 5; @%p2 bra L;" },
	{ "a triangle",
	  "mov.u32 %r4, 1; L: mov.u32 %r5, 0; M: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r4; @%p1 bra M;"
	  " add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 9; @%p2 bra L;" },
	{ "a triangle within a triangle",
	  "mov.u32 %r4, 1; L: mov.u32 %r5, 0; M: add.u32 %r5, %r5, 1; mov.u32 %r6, 0; N: add.u32 %r6, %r6, 1;"
	  " setp.lt.u32 %p3, %r6, %r5; @%p3 bra N; setp.lt.u32 %p1, %r5, %r4; @%p1 bra M; add.u32 %r4, %r4, 1; "
	  "setp.lt.u32 %p2, %r4, 9; @%p2 bra L;" },
	{ "strides that double",
	  "mov.u32 %r4, 1; L: mov.u32 %r5, 0; M: add.u32 %r5, %r5, %r4; setp.lt.u32 %p1, %r5, 64; @%p1 bra M;"
	  " shl.b32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 64; @%p2 bra L;" },
	{ "an exit of the thread",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 3; setp.gt.u32 %p1, %r4, 25; @%p1 exit; bra L;" },
	{ "a loop that does not go round",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.gt.u32 %p1, %r4, 10; @%p1 bra L;" },
	{ "a parameter of 16 bits' worth",
	  "mov.u32 %r4, 0; cvt.u16.u32 %h1, %r39; mul.wide.u16 %r5, %h1, %h1; L: add.u32 %r4, %r4, 1;"
	  " setp.lt.u32 %p1, %r4, %r5; @%p1 bra L;" },
	{ "the last iteration decides", "mov.u32 %r6, 0; mov.u32 %r4, 0; L: add.u32 %r6, %r6, 1; mov.u32 %r5, 3; "
					"setp.eq.u32 %p1, %r6, 100; @%p1 bra X;"
					" mov.u32 %r5, 20; setp.lt.u32 %p2, %r6, 2000; @%p2 bra L; X: st.global.u32 "
					"[%d0], %r5; M: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, %r5; @%p3 bra M;" },
	{ "where the counter stops depends on the exit",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.eq.u32 %p1, %r4, 7; @%p1 bra X; add.u32 %r4, %r4, 1;"
	  " setp.lt.u32 %p2, %r4, 30; @%p2 bra L; X: mov.u32 %r5, 0; M: add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, "
	  "%r4; @%p3 bra M;" },
	{ "half of the bound",
	  "shr.u32 %r5, %r39, 1; div.u32 %r6, 100, %r39; mad.lo.u32 %r5, %r5, %r6, 1; L: sub.u32 %r5, %r5, 1;"
	  " setp.ge.s32 %p1, %r5, 0; @%p1 bra L;" },
};

/* Estimates k and executes it; every block's estimate is what one warp does. */
static void assert_same(const char *what, const char *ptx, unsigned maxreg, const struct launch_facts *facts)
{
	struct rig r;
	struct engine *e;

	rig_open(&r, ptx, maxreg);
	r.cx.opt.launch = facts;
	r.k->facts &= ~(unsigned)FACT_FREQ;
	ck_assert(pass_need(r.k, FACT_FREQ, &r.cx));
	r.opt = (struct engine_options){ .profile = new_array(&r.a, uint64_t, r.k->ninsn + 1), .max_insns = 1000000 };
	e = engine_new(r.dev, &r.l, &r.opt, &r.d);
	ck_assert_msg(e && engine_run(e), "%s: %s", what, r.d.last);
	for (uint32_t b = 0; b < r.k->nblock; b++) {
		uint64_t got = r.k->freq->executions[b],
			 want = r.k->block[b].n ? r.opt.profile[r.k->block[b].first] : got;

		want = want ? want : r.k->cfg->rpo_index[b] != UINT32_MAX; /* never estimated to be less */
		ck_assert_msg(got == want, "%s, %u registers: block %u of %u: estimated %llu, executed %llu", what,
			      maxreg, b, r.k->nblock, (unsigned long long)got, (unsigned long long)want);
	}
	for (uint32_t l = 0; l < r.k->freq->nloop; l++)
		ck_assert_msg(r.k->freq->loop[l].source == TRIPS_STATIC || r.k->freq->loop[l].source == TRIPS_MEAN,
			      "%s: loop %u is not counted", what, l);
	engine_free(e);
	rig_close(&r);
}

START_TEST(counted_loops_execute_as_estimated)
{
	char *ptx = NULL;

	ck_assert(asprintf(&ptx, "%s%s st.global.u32 [%%d0+4], %%r4; ret;\n}\n",
			   ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param "
			   ".u64 in, .param .u32 n)\n{\n"
			   ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>;\n" PTX_INDEX,
			   counted[_i].body) > 0);
	for (unsigned m = 0; m < sizeof maxregs / sizeof *maxregs; m++)
		assert_same(counted[_i].what, ptx, maxregs[m], &one_warp);
	free(ptx);
}
END_TEST

/* A random counted loop: width, sign, start, step, bound, relation, place of the test; one in three inside another. */
static char *random_loop(uint64_t *rng)
{
	static const char *const relation[] = { "lt", "le", "gt", "ge", "ne" };
	bool wide = rng_below(rng, 3) == 0, sign = rng_below(rng, 2), top = rng_below(rng, 2),
	     nest = rng_below(rng, 3) == 0;
	unsigned rel = rng_below(rng, 5), unroll = 1 + rng_below(rng, 3);
	int64_t start = (int64_t)rng_below(rng, 200) - 100, step = 1 + (int64_t)rng_below(rng, 9),
		n = 1 + (int64_t)rng_below(rng, 40);
	bool down = rel == 2 || rel == 3 || (rel == 4 && rng_below(rng, 2));
	int64_t bound =
		start + (down ? -1 : 1) * (rel == 4 ? step * unroll * n : step * n + (int64_t)rng_below(rng, 3) - 1);
	char *text = NULL, r = wide ? 'd' : 'r', adds[200] = "";
	const char *type;
	if (wide)
		type = sign ? "s64" : "u64";
	else
		type = sign ? "s32" : "u32";

	if (!sign && (start < 0 || bound < 0)) { /* away from the end of the type */
		start += 1000;
		bound += 1000;
	}
	for (unsigned u = 0; u < unroll; u++)
		sprintf(adds + strlen(adds), "add.s%d %%%c8, %%%c8, %lld; ", wide ? 64 : 32, r, r,
			(long long)(down ? -step : step));
	ck_assert(asprintf(&text,
			   "%s%s%s mov.u%d %%%c8, %lld; L: %s setp.%s.%s %%p1, %%%c8, %lld; %s %s %s E: %s "
			   "st.global.u32 [%%d0], %%r9; ret;\n}\n",
			   ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param "
			   ".u64 in, .param .u32 n)\n{\n"
			   ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>;\n",
			   PTX_INDEX, nest ? "mov.u32 %r10, 0; O:" : "", wide ? 64 : 32, r, (long long)start,
			   top ? "" : adds, relation[rel], type, r, (long long)bound,
			   top ? "@!%p1 bra E;" : "@%p1 bra L;", top ? adds : "",
			   top ? "ld.global.u32 %r11, [%d1]; xor.b32 %r9, %r9, %r11; bra L;" : "",
			   nest ? "add.u32 %r10, %r10, 1; setp.lt.u32 %p2, %r10, %r39; @%p2 bra O;" : "") > 0);
	return text;
}

START_TEST(random_counted_loops_execute_as_estimated)
{
	uint64_t rng = 77 + (uint64_t)_i;

	for (unsigned n = 0; n < 40; n++) {
		char *ptx = random_loop(&rng);

		assert_same(ptx, ptx, maxregs[n % 3], &one_warp);
		free(ptx);
	}
}
END_TEST

/* ---- others: what is said of the first loop ---- */
static const struct said {
	const char *what, *body;
	struct launch_facts facts;
	enum trip_source source;
	double iterations;
} said[] = {
	{ "nothing is known of a parameter",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r39; @%p1 bra L;",
	  { .nparam = 0 },
	  TRIPS_ASSUMED,
	  FREQ_LOOP },
	{ "a bound from memory",
	  "ld.global.u32 %r5, [%d1]; mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r5; @%p1 bra L;",
	  { .nparam = 0 },
	  TRIPS_ASSUMED,
	  FREQ_LOOP },
	{ "another exit depends on data",
	  "mov.u32 %r4, 0; L: ld.global.u32 %r5, [%d1]; setp.eq.u32 %p2, %r5, 3; @%p2 bra E; add.u32 %r4, %r4, 1;"
	  " setp.lt.u32 %p1, %r4, 50; @%p1 bra L; E:",
	  { .nparam = 0 },
	  TRIPS_BOUND,
	  50 },
	{ "the condition is data, or a counter",
	  "mov.u32 %r4, 0; L: ld.global.u32 %r5, [%d1]; setp.ne.u32 %p2, %r5, 3; add.u32 %r4, %r4, 1;"
	  " setp.lt.and.u32 %p1, %r4, 50, %p2; @%p1 bra L;",
	  { .nparam = 0 },
	  TRIPS_BOUND,
	  50 },
	{ "the rest of an unknown number by four",
	  "and.b32 %r4, %r39, 3; setp.eq.u32 %p1, %r4, 0; @%p1 bra E; L: sub.u32 %r4, %r4, 1;"
	  " setp.ne.u32 %p2, %r4, 0; @%p2 bra L; E:",
	  { .nparam = 0 },
	  TRIPS_MEAN,
	  2 },
	{ "the same with its test at the top",
	  "and.b32 %r4, %r39, 3; L: setp.eq.u32 %p2, %r4, 0; @%p2 bra E; ld.global.u32 %r5, [%d1];"
	  " add.u32 %r9, %r9, %r5; sub.u32 %r4, %r4, 1; bra L; E: st.global.u32 [%d0], %r9;",
	  { .nparam = 0 },
	  TRIPS_MEAN,
	  1.5 },
	{ "a remainder",
	  "rem.u32 %r4, %r39, 10; L: setp.eq.u32 %p2, %r4, 0; @%p2 bra E; ld.global.u32 %r5, [%d1]; add.u32 %r9, %r9, "
	  "%r5;"
	  " sub.u32 %r4, %r4, 1; bra L; E: st.global.u32 [%d0], %r9;",
	  { .nparam = 0 },
	  TRIPS_MEAN,
	  4.5 },
	{ "a loop over threads",
	  "mov.u32 %r4, %tid.x; L: setp.ge.u32 %p1, %r4, 100; @%p1 bra E; ld.global.u32 %r5, [%d1]; add.u32 %r9, %r9, "
	  "%r5;"
	  " add.u32 %r4, %r4, 64; bra L; E: st.global.u32 [%d0], %r9;",
	  { .block = { 64, 1, 1 } },
	  TRIPS_MEAN,
	  100.0 / 64 },
	{ "a loop over all threads of a grid",
	  "mov.u32 %r3, %nctaid.x; mul.lo.u32 %r3, %r3, %r2; mov.u32 %r4, %r0; L: setp.ge.u32 %p1, %r4, 1000; @%p1 bra "
	  "E;"
	  " ld.global.u32 %r5, [%d1]; add.u32 %r9, %r9, %r5; add.u32 %r4, %r4, %r3; bra L; E: st.global.u32 [%d0], "
	  "%r9;",
	  { .block = { 32, 1, 1 }, .grid = { 8, 1, 1 } },
	  TRIPS_MEAN,
	  1000.0 / 256 },
	{ "a loop over lanes",
	  "mov.u32 %r4, %laneid; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 32; @%p1 bra L;",
	  { .nparam = 0 },
	  TRIPS_MEAN,
	  16.5 },
	{ "both arms add",
	  "mov.u32 %r4, 0; L: and.b32 %r5, %r4, 4; setp.eq.u32 %p1, %r5, 4; @%p1 bra A; add.u32 %r4, %r4, 1; bra B;"
	  " A: add.u32 %r4, %r4, 1; B: setp.lt.u32 %p2, %r4, 21; @%p2 bra L;",
	  { .nparam = 0 },
	  TRIPS_STATIC,
	  21 },
	{ "arms add differently, by data",
	  "mov.u32 %r4, 0; L: setp.ge.u32 %p2, %r4, 21; @%p2 bra E; ld.global.u32 %r5, [%d1]; setp.eq.u32 %p1, %r5, 4;"
	  " @%p1 bra A; add.u32 %r4, %r4, 1; st.global.u32 [%d0], %r4; bra B; A: add.u32 %r4, %r4, 2; st.global.u32 "
	  "[%d0+8], %r4;"
	  " B: st.global.u32 [%d0+16], %r4; bra L; E:",
	  { .nparam = 0 },
	  TRIPS_ASSUMED,
	  FREQ_LOOP },
	{ "ways back add differently, by data",
	  "mov.u32 %r4, 0; L: setp.ge.u32 %p2, %r4, 21; @%p2 bra E; ld.global.u32 %r5, [%d1]; setp.eq.u32 %p1, %r5, 4;"
	  " @%p1 bra A; add.u32 %r4, %r4, 1; st.global.u32 [%d0], %r4; bra L; A: add.u32 %r4, %r4, 2; st.global.u32 "
	  "[%d0+8], %r4; bra L; E:",
	  { .nparam = 0 },
	  TRIPS_ASSUMED,
	  FREQ_LOOP },
	{ "both ways of a known branch lead to one that depends on data",
	  "mov.u32 %r4, 0; mov.u32 %r5, 5; ld.global.u32 %r7, [%d1+4]; setp.eq.u32 %p1, %r2, 32;"
	  " setp.eq.u32 %p3, %r7, 1; @!%p1 bra F; st.global.u32 [%d0+16], %r7; @%p3 bra C; st.global.u32 [%d0+4], %r7; "
	  "bra B;"
	  " F: st.global.u32 [%d0+8], %r7; C: mov.u32 %r5, 20; st.global.u32 [%d0+12], %r5; B: bar.sync 0; L: add.u32 "
	  "%r4, %r4, 1; setp.lt.u32 %p2, %r4, %r5;"
	  " @%p2 bra L;",
	  { .block = { 32, 1, 1 } },
	  TRIPS_ASSUMED,
	  FREQ_LOOP },
	{ "one of very many threads differs",
	  "setp.eq.u32 %p1, %r0, 12345; selp.u32 %r5, 100, 10, %p1; mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1;"
	  " setp.lt.u32 %p2, %r4, %r5; @%p2 bra L;",
	  { .block = { 256, 1, 1 }, .grid = { 100, 1, 1 } },
	  TRIPS_SAMPLED,
	  10 },
	{ "one of very many threads differs, and data",
	  "setp.eq.u32 %p1, %r0, 12345; selp.u32 %r5, 100, 10, %p1; mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1;"
	  " ld.global.u32 %r7, [%d1]; setp.eq.u32 %p3, %r7, 99; @%p3 bra E; setp.lt.u32 %p2, %r4, %r5; @%p2 bra L; E:",
	  { .block = { 256, 1, 1 }, .grid = { 100, 1, 1 } },
	  TRIPS_SAMPLED,
	  10 },
	{ "threads differ in what is at most",
	  "mov.u32 %r4, %tid.x; L: add.u32 %r4, %r4, 1; ld.global.u32 %r7, [%d1]; setp.eq.u32 %p3, %r7, 99; @%p3 bra E;"
	  " setp.lt.u32 %p2, %r4, 40; @%p2 bra L; E:",
	  { .block = { 32, 1, 1 } },
	  TRIPS_SAMPLED,
	  24.5 },
	{ "what cannot be solved does not end in the iterations tried",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; shr.u32 %r5, %r4, 4; setp.eq.u32 %p1, %r5, 6250;"
	  " @%p1 bra E; setp.lt.u32 %p2, %r4, 200000; @%p2 bra L; E:",
	  { .nparam = 0 },
	  TRIPS_BOUND,
	  200000 },
	{ "endless",
	  "L: ld.global.u32 %r5, [%d1]; st.global.u32 [%d0], %r5; bra L;",
	  { .nparam = 0 },
	  TRIPS_ASSUMED,
	  FREQ_LOOP },
	{ "never reaching its bound",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 2; setp.ne.u32 %p1, %r4, 7; @%p1 bra L;",
	  { .nparam = 0 },
	  TRIPS_ASSUMED,
	  FREQ_LOOP },
	{ "a rest that is not there",
	  "and.b32 %r4, %r39, 3; setp.eq.u32 %p1, %r4, 0; @%p1 bra E; L: sub.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; "
	  "@%p2 bra L; E:",
	  { .param = &param_16, .nparam = 1 },
	  TRIPS_STATIC,
	  0 },
	{ "a rest that is not there, where data decides",
	  "ld.global.u32 %r5, [%d1]; setp.eq.u32 %p1, %r5, 0; and.b32 %r4, %r39, 3; @%p1 bra E; L: sub.u32 %r4, %r4, 1;"
	  " setp.ne.u32 %p2, %r4, 0; @%p2 bra L; E:",
	  { .param = &param_16, .nparam = 1 },
	  TRIPS_ASSUMED,
	  FREQ_LOOP },
	{ "a rest that is not there in threads that are none",
	  "mov.u32 %r6, %tid.x; setp.gt.u32 %p1, %r6, 31; and.b32 %r4, %r39, 3; @!%p1 bra E; L: sub.u32 %r4, %r4, 1;"
	  " setp.ne.u32 %p2, %r4, 0; @%p2 bra L; E:",
	  { .param = &param_16, .nparam = 1, .block = { 32, 1, 1 } },
	  TRIPS_STATIC,
	  0 },
	{ "a rest that is not there in threads that are some",
	  "mov.u32 %r6, %tid.x; setp.gt.u32 %p1, %r6, 30; and.b32 %r4, %r39, 3; @!%p1 bra E; L: sub.u32 %r4, %r4, 1;"
	  " setp.ne.u32 %p2, %r4, 0; @%p2 bra L; E:",
	  { .param = &param_16, .nparam = 1, .block = { 32, 1, 1 } },
	  TRIPS_ASSUMED,
	  FREQ_LOOP },
	{ "a rest that is not there in very many threads",
	  "setp.gt.u32 %p1, %r0, 40000; and.b32 %r4, %r39, 3; @!%p1 bra E; L: sub.u32 %r4, %r4, 1;"
	  " setp.ne.u32 %p2, %r4, 0; @%p2 bra L; E:",
	  { .param = &param_16, .nparam = 1, .block = { 256, 1, 1 }, .grid = { 100, 1, 1 } },
	  TRIPS_SAMPLED,
	  0 },
	{ "a bound that doubles twenty-two times, which two sources each follow back",
	  "add.u32 %r5, %r39, %r39; add.u32 %r6, %r5, %r5; add.u32 %r5, %r6, %r6; add.u32 %r6, %r5, %r5; add.u32 %r5, "
	  "%r6, %r6; add.u32 %r6, %r5, %r5; add.u32 %r5, %r6, %r6; add.u32 %r6, %r5, %r5; add.u32 %r5, %r6, %r6; "
	  "add.u32 %r6, %r5, %r5; add.u32 %r5, %r6, %r6; add.u32 %r6, %r5, %r5; add.u32 %r5, %r6, %r6; add.u32 %r6, "
	  "%r5, %r5; add.u32 %r5, %r6, %r6; add.u32 %r6, %r5, %r5; add.u32 %r5, %r6, %r6; add.u32 %r6, %r5, %r5; "
	  "add.u32 %r5, %r6, %r6; add.u32 %r6, %r5, %r5; add.u32 %r5, %r6, %r6; add.u32 %r6, %r5, %r5; shr.u32 %r6, "
	  "%r6, 22; mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1;"
	  " setp.lt.u32 %p2, %r4, %r6; @%p2 bra L;",
	  { .param = &param_16, .nparam = 1 },
	  TRIPS_STATIC,
	  16 },
	{ "a loop that is hard and that nobody comes to",
	  "mov.u32 %r6, %tid.x; setp.gt.u32 %p1, %r6, 31; mov.u32 %r4, %r39; @!%p1 bra E; L: mad.lo.u32 %r4, %r4, "
	  "1664525, 1013904223;"
	  " shr.u32 %r5, %r4, 3; xor.b32 %r4, %r4, %r5; xor.b32 %r7, %r4, %r39; mad.lo.u32 %r7, %r7, %r7, 5; shr.u32 "
	  "%r7, %r7, 2; add.u32 %r4, %r4, %r7; mul.lo.u32 %r5, %r4, 9; shr.u32 %r5, %r5, 1; mad.lo.u32 %r5, %r5, %r5, "
	  "2; setp.ne.u32 %p2, %r5, 1; @%p2 bra L; E:",
	  { .param = &param_16, .nparam = 1, .block = { 32, 1, 1 } },
	  TRIPS_STATIC,
	  0 },
	{ "an end of some threads before it",
	  "mov.u32 %r4, %tid.x; setp.lt.u32 %p1, %r4, 16; @%p1 exit; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 32; "
	  "@%p2 bra L;",
	  { .block = { 32, 1, 1 } },
	  TRIPS_MEAN,
	  8.5 },
	{ "an end of all threads before it",
	  "setp.eq.u32 %p1, %r39, 16; @%p1 exit; mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 32; "
	  "@%p2 bra L;",
	  { .param = &param_16, .nparam = 1 },
	  TRIPS_STATIC,
	  0 },
	{ "either of two conditions leads to it, neither holds",
	  "setp.eq.u32 %p1, %r39, 5; setp.eq.u32 %p2, %r39, 6; mov.u32 %r4, 0; @%p1 bra L; st.global.u32 [%d0], %r4; "
	  "@!%p2 bra E;"
	  " L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 10; @%p3 bra L; E:",
	  { .param = &param_16, .nparam = 1 },
	  TRIPS_STATIC,
	  0 },
	{ "either of two conditions leads to it, the second holds",
	  "setp.eq.u32 %p1, %r39, 5; setp.eq.u32 %p2, %r39, 16; mov.u32 %r4, 0; @%p1 bra L; st.global.u32 [%d0], %r4; "
	  "@!%p2 bra E;"
	  " L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 10; @%p3 bra L; E:",
	  { .param = &param_16, .nparam = 1 },
	  TRIPS_STATIC,
	  10 },
	{ "either of two conditions leads to it, the second is data",
	  "setp.eq.u32 %p1, %r39, 5; ld.global.u32 %r5, [%d1]; setp.eq.u32 %p2, %r5, 16; mov.u32 %r4, 0; @%p1 bra L;"
	  " st.global.u32 [%d0], %r4; @!%p2 bra E; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 10; @%p3 bra L; E:",
	  { .param = &param_16, .nparam = 1 },
	  TRIPS_STATIC,
	  10 },
	{ "a table leads to it",
	  "setp.eq.u32 %p1, %r39, 16; mov.u32 %r4, 0; T: .branchtargets E, L; @%p1 brx.idx %r39, T; st.global.u32 "
	  "[%d0], %r4; bra E;"
	  " L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 10; @%p3 bra L; E:",
	  { .param = &param_16, .nparam = 1 },
	  TRIPS_STATIC,
	  10 },
	{ "no thread comes to what goes round equally often",
	  "mov.u32 %r6, %tid.x; setp.gt.u32 %p1, %r6, 31; mov.u32 %r4, 0; @!%p1 bra E; L: add.u32 %r4, %r4, 1;"
	  " setp.lt.u32 %p2, %r4, 10; @%p2 bra L; E:",
	  { .block = { 32, 1, 1 } },
	  TRIPS_STATIC,
	  0 },
	{ "the last thread comes to what goes round equally often",
	  "mov.u32 %r6, %tid.x; setp.gt.u32 %p1, %r6, 30; mov.u32 %r4, 0; @!%p1 bra E; L: add.u32 %r4, %r4, 1;"
	  " setp.lt.u32 %p2, %r4, 10; @%p2 bra L; E:",
	  { .block = { 32, 1, 1 } },
	  TRIPS_STATIC,
	  10 },
	{ "a thousand million iterations",
	  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 1000000000; @%p1 bra L;",
	  { .nparam = 0 },
	  TRIPS_STATIC,
	  1e9 },
};

START_TEST(what_is_said_of_a_loop)
{
	const struct said *s = &said[_i];
	char *ptx = NULL;
	struct rig r;

	ck_assert(asprintf(&ptx, "%s%s ret;\n}\n",
			   ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param "
			   ".u64 in, .param .u32 n)\n{\n"
			   ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>;\n" PTX_INDEX,
			   s->body) > 0);
	rig_open(&r, ptx, MAXREG_FERMI);
	r.cx.opt.launch = &s->facts;
	r.k->facts &= ~(unsigned)FACT_FREQ;
	ck_assert(pass_need(r.k, FACT_FREQ, &r.cx));
	ck_assert_uint_eq(r.k->freq->nloop, 1);
	ck_assert_msg(r.k->freq->loop[0].source == s->source, "%s: %s", s->what, freq_text(&r.k->freq->loop[0], &r.a));
	ck_assert_msg(fabs(r.k->freq->loop[0].iterations - s->iterations) < 1e-9, "%s: %.9f", s->what,
		      r.k->freq->loop[0].iterations);
	rig_close(&r);
	free(ptx);
}
END_TEST

/* ---- loops inside others, functions: what is said of one loop of the list ---- */
static const struct other {
	const char *what, *ptx;
	unsigned inline_limit, loop;
	enum trip_source source;
	double iterations;
} others[] = {
	{ "one of many iterations around differs",
	  KERNEL("mov.u32 %r6, 0; O: setp.eq.u32 %p1, %r6, 4097; selp.u32 %r5, 90, 2, %p1; mov.u32 %r4, 0;"
		 " L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r5; @%p2 bra L; add.u32 %r6, %r6, 1; setp.lt.u32 "
		 "%p3, %r6, 9000; @%p3 bra O;"),
	  INLINE_LIMIT, 1, TRIPS_SAMPLED, 2 },
	{ "one iteration of an unknown number differs",
	  KERNEL("mov.u32 %r6, 0; O: setp.eq.u32 %p1, %r6, 50; selp.u32 %r5, 90, 2, %p1; mov.u32 %r4, 0;"
		 " L: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r5; @%p2 bra L; add.u32 %r6, %r6, 1; setp.lt.u32 "
		 "%p3, %r6, %r39; @%p3 bra O;"),
	  INLINE_LIMIT, 1, TRIPS_SAMPLED, 2 },
	{ "the last iterations of two loops decide",
	  KERNEL("mov.u32 %r3, 0; mov.u32 %r4, 0; O: mov.u32 %r6, 0; L: add.u32 %r6, %r6, 1;"
		 " add.u32 %r7, %r6, %r3; mov.u32 %r5, 3; setp.eq.u32 %p1, %r7, 9; @%p1 bra X; mov.u32 %r5, 8; "
		 "setp.lt.u32 %p2, %r6, 4; @%p2 bra L; X: add.u32 %r3, %r3, 1;"
		 " setp.lt.u32 %p2, %r3, 6; @%p2 bra O; st.global.u32 [%d0], %r5; M: add.u32 %r4, %r4, 1; setp.lt.u32 "
		 "%p3, %r4, %r5; @%p3 bra M;"),
	  INLINE_LIMIT, 1, TRIPS_STATIC, 3 },
	{ "no iteration around comes to it",
	  KERNEL("mov.u32 %r6, 0; O: setp.gt.u32 %p1, %r6, 8; mov.u32 %r4, 0; @!%p1 bra E; L: add.u32 %r4, %r4, 1; "
		 "setp.lt.u32 %p2, %r4, 5;"
		 " @%p2 bra L; E: add.u32 %r6, %r6, 1; st.global.u32 [%d0], %r4; setp.lt.u32 %p3, %r6, 9; @%p3 bra O;"),
	  INLINE_LIMIT, 1, TRIPS_STATIC, 0 },
	{ "the last iteration around comes to it",
	  KERNEL("mov.u32 %r6, 0; O: setp.gt.u32 %p1, %r6, 7; mov.u32 %r4, 0; @!%p1 bra E; L: add.u32 %r4, %r4, 1; "
		 "setp.lt.u32 %p2, %r4, 5;"
		 " @%p2 bra L; E: add.u32 %r6, %r6, 1; st.global.u32 [%d0], %r4; setp.lt.u32 %p3, %r6, 9; @%p3 bra O;"),
	  INLINE_LIMIT, 1, TRIPS_STATIC, 5 },
	{ "the loop before is left by its other exit",
	  KERNEL("mov.u32 %r6, 0; mov.u32 %r4, 0; O: add.u32 %r6, %r6, 1; setp.eq.u32 %p1, %r6, 5; @%p1 bra E; "
		 "setp.lt.u32 %p2, %r6, 9; @%p2 bra O;"
		 " st.global.u32 [%d0], %r6; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 4; @%p3 bra L; E:"),
	  INLINE_LIMIT, 1, TRIPS_STATIC, 0 },
	{ "the loop before is left by this exit",
	  KERNEL("mov.u32 %r6, 0; mov.u32 %r4, 0; O: add.u32 %r6, %r6, 1; setp.eq.u32 %p1, %r6, 10; @%p1 bra E; "
		 "setp.lt.u32 %p2, %r6, 9; @%p2 bra O;"
		 " st.global.u32 [%d0], %r6; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 4; @%p3 bra L; E:"),
	  INLINE_LIMIT, 1, TRIPS_STATIC, 4 },
	{ "data may leave the loop before by this exit",
	  KERNEL("mov.u32 %r6, 0; mov.u32 %r4, 0; O: add.u32 %r6, %r6, 1; setp.eq.u32 %p1, %r6, 5; @%p1 bra E; "
		 "ld.global.u32 %r5, [%d1];"
		 " setp.lt.u32 %p2, %r5, 9; @%p2 bra O; st.global.u32 [%d0], %r6; L: add.u32 %r4, %r4, 1; setp.lt.u32 "
		 "%p3, %r4, 4; @%p3 bra L; E:"),
	  INLINE_LIMIT, 1, TRIPS_STATIC, 4 },
	{ "a function ends the thread",
	  PTX_MODULE(
		  ".func g(.param .u32 a) { .reg .pred %p; .reg .b32 %r; ld.param.u32 %r, [a]; setp.gt.u32 %p, %r, 10; "
		  "@%p exit; ret; }"
		  " .func f(.param .u32 a) { .reg .b32 %r; ld.param.u32 %r, [a]; { .param .u32 b; st.param.u32 [b], "
		  "%r; call.uni g, (b); } ret; }",
		  PTX_INDEX
		  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; { .param .u32 a; st.param.u32 [a], %r4; call.uni f, (a); }"
		  " setp.lt.u32 %p1, %r4, 30; @%p1 bra L; ret;"),
	  0, 0, TRIPS_BOUND, 30 },
	{ "a function ends no thread",
	  PTX_MODULE(
		  ".func f(.param .u32 a) { .reg .pred %p; .reg .b32 %r; ld.param.u32 %r, [a]; setp.gt.u32 %p, %r, 10; "
		  "@%p ret; bar.sync 0; ret; }",
		  PTX_INDEX
		  "mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; { .param .u32 a; st.param.u32 [a], %r4; call.uni f, (a); }"
		  " setp.lt.u32 %p1, %r4, 30; @%p1 bra L; ret;"),
	  0, 0, TRIPS_STATIC, 30 },
};

START_TEST(what_is_said_of_other_loops)
{
	static const struct launch_facts nothing = { .nparam = 0 };
	const struct other *s = &others[_i];
	const struct freq_loop *l;
	struct rig r;

	rig_open_inlining(&r, s->ptx, MAXREG_FERMI, s->inline_limit);
	r.cx.opt.launch = &nothing;
	r.k->facts &= ~(unsigned)FACT_FREQ;
	ck_assert(pass_need(r.k, FACT_FREQ, &r.cx));
	ck_assert_uint_gt(r.k->freq->nloop, s->loop);
	l = &r.k->freq->loop[s->loop];
	ck_assert_msg(l->source == s->source, "%s: %s", s->what, freq_text(l, &r.a));
	ck_assert_msg(fabs(l->iterations - s->iterations) < 1e-9, "%s: %.9f", s->what, l->iterations);
	rig_close(&r);
}
END_TEST

/* Trying iterations may stop anywhere, also between two of them: what depends on work left is tried with more of it
 * done before. */
START_TEST(what_was_not_tried_may_end_a_loop)
{
	static const struct launch_facts facts = { .block = { 32, 1, 1 } };
	char chain[1000] = "", *ptx = NULL;
	struct rig r;

	for (int n = 0; n < _i; n++)
		strcat(chain, "xor.b32 %r4, %r4, %r2; add.u32 %r4, %r4, 1; ");
	ck_assert(asprintf(&ptx, "%s%s mov.u32 %%r4, 0; %s %s\n}\n",
			   ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param "
			   ".u64 in, .param .u32 n)\n{\n"
			   ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>;\n",
			   PTX_INDEX, chain,
			   "L: add.u32 %r4, %r4, 1; shr.u32 %r5, %r4, 4; setp.eq.u32 %p1, %r5, 6250; @%p1 bra E; "
			   "setp.lt.u32 %p2, %r4, 200000; @%p2 bra L;"
			   " E: st.global.u32 [%d0], %r4; ret;") > 0);
	rig_open(&r, ptx, MAXREG_FERMI);
	r.cx.opt.launch = &facts;
	r.k->facts &= ~(unsigned)FACT_FREQ;
	ck_assert(pass_need(r.k, FACT_FREQ, &r.cx));
	ck_assert_uint_eq(r.k->freq->nloop, 1);
	ck_assert_msg(r.k->freq->loop[0].source == TRIPS_BOUND, "%s", freq_text(&r.k->freq->loop[0], &r.a));
	rig_close(&r);
	free(ptx);
}
END_TEST

/* ---- random code: what is called static is so in every thread, at most is never exceeded ---- */
/* Loops, branches with ways that skip ends of branches around, calls; each value in one of VALUES registers. */
enum {
	VALUES = 5,
	FIRST_VALUE = 10,
	FIRST_COUNTER = 20,
	MAX_LOOPS = 6,
	CODE_SIZE = 1 << 15,
	ENOUGH = 6000,
	THREADS = 6,
	NEVER = TRIPS_PROFILE
};

struct random_code {
	uint64_t rng;
	char text[CODE_SIZE];
	size_t n;
	unsigned label, loops;
	/* labels further on, in the branches around; from base on: in the loop at hand */
	unsigned end[8], nend, base;
	unsigned exit[4], nexit; /* behind the loops around */
};

__attribute__((format(printf, 2, 3))) static void say(struct random_code *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	p->n += (size_t)vsnprintf(p->text + p->n, CODE_SIZE - p->n, format, args);
	va_end(args);
	ck_assert_uint_lt(p->n, CODE_SIZE);
}

static unsigned some_value(struct random_code *p) { return FIRST_VALUE + rng_below(&p->rng, VALUES); }

/* Into %p1: known, by the thread, or by data. */
static void say_condition(struct random_code *p)
{
	static const char *const relation[] = { "eq", "ne", "lt", "ge" };

	switch (rng_below(&p->rng, 6)) {
	case 0:
		say(p, "setp.eq.u32 %%p1, %%r1, %u; ", rng_below(&p->rng, THREADS));
		break;
	case 1:
		say(p, "and.b32 %%r8, %%r9, 1; setp.eq.u32 %%p1, %%r8, 0; ");
		break;
	case 2:
		say(p,
		    "and.b32 %%r8, %%r%u, 63; mul.wide.u32 %%d5, %%r8, 4; add.u64 %%d5, %%d5, %%d1; ld.global.u32 "
		    "%%r8, [%%d5];"
		    " setp.lt.u32 %%p1, %%r8, 0x80000000; ",
		    some_value(p));
		break;
	default:
		say(p, "setp.%s.u32 %%p1, %%r%u, %u; ", relation[rng_below(&p->rng, 4)],
		    p->loops && rng_below(&p->rng, 2) ? FIRST_COUNTER + rng_below(&p->rng, p->loops) : some_value(p),
		    rng_below(&p->rng, 12));
	}
}

static void say_change(struct random_code *p)
{
	unsigned v = some_value(p), w = some_value(p), c = rng_below(&p->rng, 12);

	switch (rng_below(&p->rng, 6)) {
	case 0:
	case 1:
		say(p, "mov.u32 %%r%u, %u;\n", v, c);
		break;
	case 2:
		say(p, "add.u32 %%r%u, %%r%u, %u;\n", v, v, c);
		break;
	case 3:
		say(p, "add.u32 %%r%u, %%r%u, %%r%u; min.u32 %%r%u, %%r%u, 12;\n", v, v, w, v, v);
		break;
	case 4:
		say_condition(p);
		say(p, "@%%p1 add.u32 %%r%u, %%r%u, %u;\n", v, w, c);
		break;
	default:
		say_condition(p);
		say(p, "selp.u32 %%r%u, %u, %%r%u, %%p1;\n", v, c, w);
	}
}

static void say_body(struct random_code *p, unsigned depth);

static void say_branch(struct random_code *p, unsigned depth)
{
	unsigned other = p->label++, end = p->label++;

	say_condition(p);
	say(p, "@%%p1 bra L%u;\n", other);
	p->end[p->nend++] = end;
	p->end[p->nend++] = other; /* into the other side */
	say_body(p, depth + 1);
	p->nend--;
	say(p, "st.global.u32 [%%d0], %%r%u; bra L%u;\nL%u: ", some_value(p), end, other);
	say_body(p, depth + 1);
	say(p, "st.global.u32 [%%d0], %%r%u;\nL%u: ", some_value(p), end);
	p->nend--;
}

static void say_loop(struct random_code *p, unsigned depth)
{
	unsigned counter = FIRST_COUNTER + p->loops, bound = counter + MAX_LOOPS, head = p->label++, end = p->label++,
		 base = p->base;
	bool top = rng_below(&p->rng, 2);

	p->loops++;
	if (rng_below(&p->rng, 2))
		say(p, "min.u32 %%r%u, %%r%u, 15; ", bound, some_value(p));
	else
		say(p, "mov.u32 %%r%u, %u; ", bound, 1 + rng_below(&p->rng, 9));
	say(p, "mov.u32 %%r%u, %u;\nL%u: ", counter, rng_below(&p->rng, 3), head);
	if (top)
		say(p, "setp.ge.u32 %%p2, %%r%u, %%r%u; @%%p2 bra L%u;\n", counter, bound, end);
	p->base = p->nend;
	p->exit[p->nexit++] = end;
	say_body(p, depth + 1);
	p->nexit--;
	p->base = base;
	if (rng_below(&p->rng, 3) == 0) { /* ways that may add differently */
		unsigned other = p->label++, on = p->label++;

		say_condition(p);
		say(p,
		    "@%%p1 bra L%u; add.u32 %%r%u, %%r%u, %u; st.global.u32 [%%d0], %%r%u; bra L%u;\nL%u: add.u32 "
		    "%%r%u, %%r%u, %u;"
		    " st.global.u32 [%%d0+8], %%r%u;\nL%u: ",
		    other, counter, counter, 1 + rng_below(&p->rng, 3), counter, on, other, counter, counter,
		    1 + rng_below(&p->rng, 3), counter, on);
	} else {
		say(p, "add.u32 %%r%u, %%r%u, 1; ", counter, counter);
	}
	if (top)
		say(p, "bra L%u;\nL%u: ", head, end);
	else
		say(p, "setp.lt.u32 %%p2, %%r%u, %%r%u; @%%p2 bra L%u;\nL%u: ", counter, bound, head, end);
}

static void say_body(struct random_code *p, unsigned depth)
{
	for (unsigned n = 1 + rng_below(&p->rng, 3); n > 0; n--) {
		unsigned what = rng_below(&p->rng, 10);

		if (what < 3 && depth < 4 && p->n < ENOUGH && p->loops < MAX_LOOPS && p->nexit < 3) {
			say_loop(p, depth);
		} else if (what < 5 && depth < 4 && p->n < ENOUGH) {
			say_branch(p, depth);
		} else if (what == 5 && (p->nend > p->base || p->nexit)) {
			unsigned ends = p->nend - p->base, to = rng_below(&p->rng, ends + p->nexit);

			say_condition(p);
			say(p, "@%%p1 bra L%u;\n", to < ends ? p->end[p->base + to] : p->exit[to - ends]);
		} else if (what == 6 && rng_below(&p->rng, 2)) {
			say(p, "{ .param .u32 a; st.param.u32 [a], %%r%u; call.uni f%u, (a); }\n", some_value(p),
			    rng_below(&p->rng, 2));
		} else {
			say_change(p);
		}
	}
}

static void say_code(struct random_code *p)
{
	say(p, ".version 7.0\n.target sm_70\n.address_size 64\n"
	       ".func f0(.param .u32 a) { .reg .pred %%p; .reg .b32 %%r; ld.param.u32 %%r, [a]; setp.gt.u32 %%p, %%r, "
	       "10; @%%p exit; ret; }\n"
	       ".func f1(.param .u32 a) { .reg .pred %%p; .reg .b32 %%r; ld.param.u32 %%r, [a]; setp.gt.u32 %%p, %%r, "
	       "10; @%%p ret; membar.cta; ret; }\n"
	       ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
	       ".reg .pred %%p<9>; .reg .b32 %%r<80>; .reg .b64 %%d<20>;\n");
	say(p, "%s mul.wide.u32 %%d5, %%r1, 4; add.u64 %%d5, %%d5, %%d1; ld.global.u32 %%r9, [%%d5];\n", PTX_INDEX);
	for (unsigned v = 0; v < VALUES; v++)
		say(p, "mov.u32 %%r%u, %u; ", FIRST_VALUE + v, rng_below(&p->rng, 12));
	for (unsigned l = 0; l < MAX_LOOPS; l++)
		say(p, "mov.u32 %%r%u, 0; ", FIRST_COUNTER + l);
	while (!p->loops)
		say_body(p, 0);
	say_body(p, 0);
	for (unsigned v = 0; v < VALUES; v++)
		say(p, "st.global.u32 [%%d0+%u], %%r%u; ", 4 * v, FIRST_VALUE + v);
	say(p, "ret;\n}\n");
}

/* Executions of block b, and how often loop l is entered: false if that cannot be told from blocks. */
static uint64_t block_runs(const struct rig *r, uint32_t b)
{
	return r->k->block[b].n ? r->opt.profile[r->k->block[b].first] : 0;
}

static bool entries(const struct rig *r, uint32_t l, uint64_t *n)
{
	const struct cfg *g = r->k->cfg->local;
	const struct freq *f = r->k->freq;

	*n = 0;
	for (uint32_t e = g->pred_at[f->loop[l].header]; e < g->pred_at[f->loop[l].header + 1]; e++) {
		uint32_t p = g->pred[e], at = f->loop_of[p];

		while (at != UINT32_MAX && at > l)
			at = f->loop[at].outer;
		if (at == l)
			continue;
		if (g->succ_at[p + 1] - g->succ_at[p] != 1 || !r->k->block[p].n)
			return false;
		*n += block_runs(r, p);
	}
	return true;
}

/* Counts the loops that were compared. */
static void check_code(struct random_code *p, unsigned maxreg, unsigned limit, unsigned compared[NEVER + 1])
{
	static const struct launch_facts facts = { .block = { 1, 1, 1 }, .grid = { THREADS, 1, 1 } };
	struct engine *e;
	struct rig r;

	rig_open_inlining(&r, p->text, maxreg, limit);
	r.cx.opt.launch = &facts;
	r.k->facts &= ~(unsigned)FACT_FREQ;
	ck_assert(pass_need(r.k, FACT_FREQ, &r.cx));
	r.opt = (struct engine_options){ .profile = new_array(&r.a, uint64_t, r.k->ninsn + 1), .max_insns = 300000 };
	r.l.block[0] = 1;
	r.l.grid[0] = THREADS;
	e = engine_new(r.dev, &r.l, &r.opt, &r.d);
	ck_assert_msg(e != NULL, "%s", r.d.last);
	for (uint32_t l = 0, n = engine_run(e) ? r.k->freq->nloop : 0; l < n; l++) {
		const struct freq_loop *x = &r.k->freq->loop[l];
		uint64_t in, runs = block_runs(&r, x->header);

		if (x->source == TRIPS_STATIC && x->header_runs == 0) {
			compared[NEVER]++;
			ck_assert_msg(!runs, "loop at block %u: %s, but %llu\n%.3000s", x->header, freq_text(x, &r.a),
				      (unsigned long long)runs, p->text);
		}
		if (!entries(&r, l, &in) || !in)
			continue;
		compared[x->source]++;
		if (x->source == TRIPS_STATIC)
			ck_assert_msg((double)runs == (double)in * x->header_runs,
				      "loop at block %u: %s, but %llu in %llu\n%.3000s", x->header, freq_text(x, &r.a),
				      (unsigned long long)runs, (unsigned long long)in, p->text);
		if (x->source == TRIPS_BOUND)
			ck_assert_msg((double)runs <= (double)in * x->header_runs,
				      "loop at block %u: %s, but %llu in %llu\n%.3000s", x->header, freq_text(x, &r.a),
				      (unsigned long long)runs, (unsigned long long)in, p->text);
	}
	engine_free(e);
	rig_close(&r);
}

START_TEST(random_code_executes_as_said)
{
	unsigned compared[NEVER + 1] = { 0 };

	for (unsigned n = 0; n < 60; n++) {
		struct random_code p = { .rng = 1000 * (uint64_t)_i + n + 1 };

		say_code(&p);
		check_code(&p, maxregs[n % 3], n % 2 ? INLINE_LIMIT : 0, compared);
	}
	ck_assert_uint_gt(compared[TRIPS_STATIC], 10);
	ck_assert_uint_gt(compared[TRIPS_BOUND], 2);
	ck_assert_uint_gt(compared[NEVER], 0);
}
END_TEST

START_TEST(a_profile_takes_the_place_of_the_estimate)
{
	static const char ptx[] = KERNEL("ld.global.u32 %r5, [%d1]; mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; "
					 "setp.lt.u32 %p1, %r4, %r5; @%p1 bra L; st.global.u32 [%d0], %r4;");
	struct profile_kernel pk = { .name = "k" };
	struct profile p = { "p.json", &pk, 1 };
	uint64_t *runs;
	struct rig r;

	rig_open(&r, ptx, MAXREG_FERMI);
	runs = new_array(&r.a, uint64_t, r.k->nblock + 1);
	ck_assert_uint_eq(r.k->nblock, 3);
	runs[0] = 4;
	runs[1] = 4 * 11;
	runs[2] = 0;
	pk.executions = runs;
	pk.nblock = r.k->nblock;
	pk.code = ir_hash_code(r.k);
	r.cx.opt.profile = &p;
	r.k->facts &= ~(unsigned)FACT_FREQ;
	ck_assert(pass_need(r.k, FACT_FREQ, &r.cx));
	ck_assert_uint_eq(r.k->freq->source, FREQ_PROFILE);
	ck_assert_uint_eq(r.k->freq->executions[0], 4);
	ck_assert_uint_eq(r.k->freq->executions[1], 44);
	ck_assert_uint_eq(r.k->freq->executions[2], 0);
	ck_assert_str_eq(freq_text(&r.k->freq->loop[0], &r.a), "11 iterations (profile)");
	pk.name = "other";
	r.k->facts &= ~(unsigned)FACT_FREQ;
	ck_assert(pass_need(r.k, FACT_FREQ, &r.cx));
	ck_assert_uint_eq(r.k->freq->source, FREQ_NO_PROFILE);
	ck_assert_uint_eq(r.k->freq->executions[1], FREQ_LOOP);
	pk.name = "k";
	pk.code++;
	r.k->facts &= ~(unsigned)FACT_FREQ;
	ck_assert(!pass_need(r.k, FACT_FREQ, &r.cx));
	ck_assert_ptr_nonnull(strstr(r.d.last, "kernel k had other code"));
	rig_close(&r);
}
END_TEST

Suite *suite_trip(void);
Suite *suite_trip(void)
{
	Suite *s = suite_create("trip");
	TCase *t = tcase_create("trip");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, counted_loops_execute_as_estimated, 0, sizeof counted / sizeof *counted);
	tcase_add_loop_test(t, random_counted_loops_execute_as_estimated, 0, rounds(10));
	tcase_add_loop_test(t, what_is_said_of_a_loop, 0, sizeof said / sizeof *said);
	tcase_add_loop_test(t, what_is_said_of_other_loops, 0, sizeof others / sizeof *others);
	tcase_add_loop_test(t, what_was_not_tried_may_end_a_loop, 0, 9);
	tcase_add_loop_test(t, random_code_executes_as_said, 0, rounds(5));
	tcase_add_test(t, a_profile_takes_the_place_of_the_estimate);
	suite_add_tcase(s, t);
	return s;
}
