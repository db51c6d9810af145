/* Synchronisation, warp-level operations, asynchronous copies and address forms: whole kernels in virtual and machine
 * form, plain and with dead registers overwritten, beside what C says they give; and the reports of what cannot go
 * on. */
#include "test/unit/engine_run.h"

Suite *suite_sync(void);

#define SYNC_MODULE(decls, body)                                                                             \
	".version 8.8\n.target sm_90\n.address_size 64\n" decls "\n"                                         \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"                             \
	".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .f32 %f<9>; .reg .f64 " \
	"%g<9>;\n" PTX_INDEX body " ret;\n}\n"
#define SHARED ".shared .align 16 .b8 sh[4096]; .shared .align 8 .b64 bar;"

typedef uint32_t word_fn(uint32_t i, const uint32_t *in); /* of thread i: lane, warp from i */

static uint32_t lane(uint32_t i) { return i % 32; }
static uint32_t c_match_any(uint32_t i, const uint32_t *in)
{
	(void)in;
	return 0x11111111u << lane(i) % 4;
}
static uint32_t c_match_all(uint32_t i, const uint32_t *in)
{
	(void)in;
	return i < 32 ? 0xffffffff + 1000 : 2000;
}
static uint32_t c_redux(uint32_t i, const uint32_t *in)
{
	uint32_t add = 0, mx = 0, x = 0, o = 0, n = UINT32_MAX;
	int32_t mn = INT32_MAX;

	for (uint32_t l = i / 32 * 32; l < i / 32 * 32 + 32; l++) {
		add += in[l];
		mx = in[l] > mx ? in[l] : mx;
		mn = (int32_t)in[l] < mn ? (int32_t)in[l] : mn;
		x ^= in[l];
		o |= in[l] & 0xff;
		n &= in[l] | 0xf0;
	}
	return add + mx + (uint32_t)mn + x + o + n;
}
static uint32_t c_elect(uint32_t i, const uint32_t *in)
{
	(void)in;
	return lane(i) < 8 ? 99 : 8 + (lane(i) == 8) * 100;
}
static uint32_t c_groups(uint32_t i, const uint32_t *in) /* two masks at one instruction */
{
	uint32_t s = 0;

	for (uint32_t l = i / 32 * 32 + (lane(i) & 16); l < i / 32 * 32 + (lane(i) & 16) + 16; l++)
		s += in[l];
	return s;
}
static uint32_t c_popc(uint32_t i, const uint32_t *in)
{
	uint32_t s = 0, all = 1, some = 0;

	(void)i;
	for (uint32_t l = 0; l < 64; l++) {
		s += in[l] & 1;
		all &= l < 64;
		some |= l == 5;
	}
	return s + all * 1000 + some * 10000 + 7 * 100000;
}
static uint32_t c_other_half(uint32_t i, const uint32_t *in) { return in[(i + 32) % 64]; }
static uint32_t c_copy(uint32_t i, const uint32_t *in) { return in[(i ^ 1) & 63]; }
static uint32_t c_partial(uint32_t i, const uint32_t *in) { return (i & 3) == 3 || i % 8 >= 4 ? 0 : in[i]; }
static uint32_t c_bulk(uint32_t i, const uint32_t *in) { return in[i ^ 3]; }
static uint32_t c_mbar(uint32_t i, const uint32_t *in)
{
	(void)i, (void)in;
	return 64 + 0 * 256 + 1 * 512 + 1 * 1024;
}
static uint32_t c_sregs(uint32_t i, const uint32_t *in)
{
	(void)in;
	return 0 /* rank */ + 1 /* size */ + 1 /* grid.y */ + (i >= 64) /* cluster id */ + 0 + 2048;
}
static uint32_t c_index(uint32_t i, const uint32_t *in)
{
	(void)in;
	return (i & 7) * 11 + 7 + (i & 7) * 11 + 11;
}
static uint32_t c_vector(uint32_t i, const uint32_t *in)
{
	(void)in;
	(void)i;
	return 0x3f800000;
}
static uint32_t c_cas16(uint32_t i, const uint32_t *in)
{
	(void)in;
	return i == 0 ? 5 : 9;
}
static uint32_t c_space(uint32_t i, const uint32_t *in)
{
	(void)in;
	(void)i;
	return 1 + 2 + 4 + 7;
}
static uint32_t c_async_store(uint32_t i, const uint32_t *in) { return in[i] + in[i ^ 32]; }
/* odd lanes of 4 return early; the rest meet behind it */
static uint32_t c_early(uint32_t i, const uint32_t *in)
{
	uint32_t s = 0;

	for (uint32_t l = i / 32 * 32; l < i / 32 * 32 + 32; l++)
		s += l % 4 == 3 ? 0 : in[l];
	return lane(i) % 4 == 3 ? 0 : s + (lane(i) & 1) * 0 + 48;
}
static uint32_t c_policy(uint32_t i, const uint32_t *in) { return in[i]; }

static const struct {
	const char *ptx;
	word_fn *want;
} good[] = {
	{ SYNC_MODULE("", "and.b32 %r3, %r0, 3; match.any.sync.b32 %r4, %r3, 0xffffffff; cvt.u64.u32 %d3, %r3; shl.b64 "
			  "%d3, %d3, 40;"
			  "match.any.sync.b64 %r5, %d3, -1; and.b32 %r4, %r4, %r5; st.global.u32 [%d0], %r4;"),
	  c_match_any },
	{ SYNC_MODULE("", "shr.u32 %r3, %r0, 5; mul.lo.u32 %r4, %r3, %r0; match.all.sync.b32 %r5|%p1, %r4, -1; "
			  "selp.u32 %r6, 1000, 2000, %p1;"
			  "cvt.u64.u32 %d3, %r4; match.all.sync.b64 %r8, %d3, -1; or.b32 %r5, %r5, %r8; add.u32 %r5, "
			  "%r5, %r6; st.global.u32 [%d0], %r5;"),
	  c_match_all },
	{ SYNC_MODULE("",
		      "mul.wide.u32 %d3, %r0, 4; add.s64 %d3, %d1, %d3; ld.global.u32 %r3, [%d3]; redux.sync.add.u32 "
		      "%r4, %r3, -1;"
		      "redux.sync.max.u32 %r5, %r3, -1; redux.sync.min.s32 %r6, %r3, -1; redux.sync.xor.b32 %r7, %r3, "
		      "-1; and.b32 %r8, %r3, 255;"
		      "redux.sync.or.b32 %r8, %r8, -1; or.b32 %r9, %r3, 0xf0; redux.sync.and.b32 %r9, %r9, -1; add.u32 "
		      "%r4, %r4, %r5; add.u32 %r4, %r4, %r6;"
		      "add.u32 %r4, %r4, %r7; add.u32 %r4, %r4, %r8; add.u32 %r4, %r4, %r9; st.global.u32 [%d0], %r4;"),
	  c_redux },
	{ SYNC_MODULE("", "mov.u32 %r3, %laneid; mov.u32 %r4, 99; setp.lt.u32 %p1, %r3, 8; @%p1 bra L; elect.sync "
			  "%r4|%p2, 0xffffff00;"
			  "@%p2 add.u32 %r4, %r4, 100; L: st.global.u32 [%d0], %r4;"),
	  c_elect },
	{ SYNC_MODULE("", "mul.wide.u32 %d3, %r0, 4; add.s64 %d3, %d1, %d3; ld.global.u32 %r3, [%d3]; mov.u32 %r4, "
			  "%laneid; setp.lt.u32 %p1, %r4, 16;"
			  "selp.b32 %r5, 0x0000ffff, 0xffff0000, %p1; redux.sync.add.s32 %r6, %r3, %r5; st.global.u32 "
			  "[%d0], %r6;"),
	  c_groups },
	{ SYNC_MODULE("", "mul.wide.u32 %d3, %r0, 4; add.s64 %d3, %d1, %d3; ld.global.u32 %r3, [%d3]; and.b32 %r3, "
			  "%r3, 1; setp.eq.u32 %p1, %r3, 1;"
			  "bar.red.popc.u32 %r4, 0, %p1; setp.lt.u32 %p2, %r0, 64; mov.u32 %r9, 3; bar.red.and.pred "
			  "%p3, %r9, 64, %p2; setp.eq.u32 %p4, %r0, 5;"
			  "barrier.cta.red.or.aligned.pred %p5, 1, !%p4; bar.red.or.pred %p6, 2, %p4; bar.red.popc.u32 "
			  "%r5, 0, 64, %p4; mul.lo.u32 %r5, %r5, 700000;"
			  "@%p3 add.u32 %r4, %r4, 1000; @%p6 add.u32 %r4, %r4, 10000; add.u32 %r4, %r4, %r5; @!%p5 "
			  "mov.u32 %r4, 0; st.global.u32 [%d0], %r4;"),
	  c_popc },
	{ SYNC_MODULE("", SHARED "mul.wide.u32 %d3, %r0, 4; add.s64 %d3, %d1, %d3; ld.global.u32 %r3, [%d3]; shl.b32 "
				 "%r4, %r0, 2; mov.u32 %r5, sh;"
				 "add.u32 %r6, %r5, %r4; st.shared.u32 [%r6], %r3; shr.u32 %r7, %r0, 5; add.u32 %r8, "
				 "%r7, 4; sub.u32 %r9, 5, %r7; mov.u32 %r10, 64;"
				 "bar.arrive %r8, %r10; bar.sync %r9, %r10; xor.b32 %r4, %r4, 128; add.u32 %r6, %r5, "
				 "%r4; ld.shared.u32 %r3, [%r6]; st.global.u32 [%d0], %r3;"),
	  c_other_half },
	{ SYNC_MODULE("", SHARED "mul.wide.u32 %d3, %r0, 4; add.s64 %d3, %d1, %d3; shl.b32 %r4, %r0, 2; mov.u32 %r5, "
				 "sh; add.u32 %r6, %r5, %r4;"
				 "cp.async.ca.shared.global [%r6], [%d3], 4; cp.async.commit_group; "
				 "cp.async.wait_group 0; cp.async.wait_all; bar.sync 0; xor.b32 %r4, %r4, 4;"
				 "add.u32 %r6, %r5, %r4; ld.shared.u32 %r7, [%r6]; st.global.u32 [%d0], %r7;"),
	  c_copy },
	{ SYNC_MODULE("", SHARED
		      "mov.u32 %r5, sh; shr.u32 %r3, %r0, 2; and.b32 %r4, %r0, 3; setp.ne.u32 %p1, %r4, 0; "
		      "mul.wide.u32 %d3, %r3, 16; add.s64 %d3, %d1, %d3;"
		      "shl.b32 %r6, %r3, 4; add.u32 %r6, %r5, %r6; and.b32 %r7, %r3, 1; setp.eq.u32 %p2, %r7, 1; @%p1 "
		      "bra L; @!%p2 cp.async.cg.shared.global [%r6+16], [%d3], 16, 12;"
		      "@%p2 cp.async.cg.shared.global.L2::128B [%r6+16], [%d3], 16, %p2; L: bar.sync 0; shl.b32 %r8, "
		      "%r0, 2; add.u32 %r8, %r8, %r5; ld.shared.u32 %r9, [%r8+16]; st.global.u32 [%d0], %r9;"),
	  c_partial },
	{ SYNC_MODULE("", SHARED
		      "mov.u32 %r5, sh; mov.u32 %r6, bar; mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0; @%p1 bra L; "
		      "mbarrier.init.shared.b64 [%r6], 1;"
		      "fence.mbarrier_init.release.cluster; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 256;"
		      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5+16], [%d1], 256, [%r6]; "
		      "L: bar.sync 0;"
		      "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r6], 0, 100; @!%p2 bra W; xor.b32 %r4, %r0, 3; "
		      "shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r5;"
		      "ld.shared.u32 %r7, [%r4+16]; bar.sync 0; shl.b32 %r8, %r0, 2; add.u32 %r8, %r8, %r5; "
		      "st.shared.u32 [%r8], %r7; fence.proxy.async.shared::cta; bar.sync 0;"
		      "@%p1 bra END; cp.async.bulk.global.shared::cta.bulk_group [%d0], [sh], 256; "
		      "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; END: "),
	  c_bulk },
	{ SYNC_MODULE("",
		      SHARED "mov.u32 %r6, bar; cvt.u64.u32 %d5, %r6; cvta.shared.u64 %d5, %d5; mov.u32 %r3, %tid.x; "
			     "setp.ne.u32 %p1, %r3, 0; @%p1 bra L;"
			     "mbarrier.init.b64 [%d5], 65; L: bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p2, "
			     "[bar], 0; bar.sync 0; mbarrier.arrive.shared.b64 %d6, [bar]; @%p1 bra M; "
			     "mbarrier.arrive.b64 %d7, [%d5], 1; M: "
			     "W: mbarrier.try_wait.shared.b64 %p3, [%r6], %d6; @!%p3 bra W; "
			     "mbarrier.test_wait.parity.shared.b64 %p4, [%r6], 0; mbarrier.pending_count.b64 %r7, %d6;"
			     "redux.sync.max.u32 %r7, %r7, -1; setp.lt.u32 %p5, %r3, 32; selp.u32 %r9, 1, 34, %p5; "
			     "add.u32 %r7, %r7, %r9; sub.u32 %r7, %r7, 2;"
			     "@%p2 add.u32 %r7, %r7, 256; @%p3 add.u32 %r7, %r7, 512; @%p4 add.u32 %r7, %r7, 1024; "
			     "st.global.u32 [%d0], %r7;"),
	  c_mbar },
	{ SYNC_MODULE("", "mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, %cluster_nctarank; add.u32 %r3, %r3, %r4; "
			  "mov.u32 %r4, %nclusterid.y; add.u32 %r3, %r3, %r4;"
			  "mov.u32 %r4, %clusterid.x; add.u32 %r3, %r3, %r4; mov.pred %p1, %is_explicit_cluster; @%p1 "
			  "add.u32 %r3, %r3, 100; mov.u32 %r4, %envreg7; add.u32 %r3, %r3, %r4;"
			  "mov.b32 %r4, %reserved_smem_offset_begin; mov.b32 %r5, %reserved_smem_offset_end; sub.u32 "
			  "%r5, %r5, %r4; add.u32 %r3, %r3, %r5; mov.u64 %d3, %pm3_64; cvt.u32.u64 %r6, %d3;"
			  "mov.u32 %r7, %clock_hi; add.u32 %r6, %r6, %r7; mov.u32 %r7, %tid.w; add.u32 %r6, %r6, %r7; "
			  "add.u32 %r3, %r3, %r6; st.shared.u32 [%r4], %r3; mov.b32 %r8, %reserved_smem_offset_1;"
			  "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned; st.shared.u32 "
			  "[%r8+1020], %r3; st.global.u32 [%d0], %r3;"),
	  c_sregs },
	{ SYNC_MODULE(".global .align 4 .u32 ga[9] = {0, 11, 22, 33, 44, 55, 66, 77, 88}; .const .align 4 .u32 ca[9] = "
		      "{0, 11, 22, 33, 44, 55, 66, 77, 88};",
		      "and.b32 %r3, %r0, 7; ld.global.u32 %r4, ga[%r3]; ld.const.u32 %r5, ca[%r3+1]; add.u32 %r4, %r4, "
		      "%r5; ld.param.u32 %r6, [n]; add.u32 %r4, %r4, %r6; st.global.u32 [%d0], %r4;"),
	  c_index },
	{ SYNC_MODULE(".global .align 16 .f32 gf[4];",
		      "mov.u64 %d3, gf; mov.f32 %f0, 0f3F800000; setp.ne.u32 %p1, %r0, 0; @!%p1 red.global.add.v4.f32 "
		      "[%d3], {%f0, %f0, %f0, %f0};"
		      "bar.sync 0; mov.f32 %f1, 0f00000000; atom.global.v2.f32.add {%f2, _}, [%d3+8], {%f1, %f1}; "
		      "st.global.f32 [%d0], %f2;"),
	  c_vector },
	{ SYNC_MODULE(".global .align 4 .u16 gh[2] = {5, 6};",
		      "mov.u64 %d3, gh; mov.u16 %h1, 5; mov.u16 %h2, 9; atom.global.cas.b16 %h3, [%d3], %h1, %h2; "
		      "cvt.u32.u16 %r3, %h3; st.global.u32 [%d0], %r3;"),
	  c_cas16 },
	{ SYNC_MODULE(".const .align 4 .u32 ca = 5;", SHARED
		      "cvta.param.u64 %d3, n; ld.u32 %r3, [%d3]; isspacep.param %p1, %d3; @%p1 add.u32 %r3, %r3, 1; "
		      "cvta.to.param.u64 %d4, %d3; ld.param.u32 %r5, [%d4]; sub.u32 %r5, %r5, 7; add.u32 %r3, %r3, %r5;"
		      "cvta.shared::cluster.u64 %d5, sh; isspacep.shared::cluster %p2, %d5; @%p2 add.u32 %r3, %r3, 2; "
		      "mapa.shared::cluster.u32 %r6, sh, 0; mov.u32 %r7, sh; setp.eq.u32 %p3, %r6, %r7; @%p3 add.u32 "
		      "%r3, %r3, 4;"
		      "getctarank.u64 %r8, %d5; add.u32 %r3, %r3, %r8; isspacep.shared %p4, %r7; @%p4 add.u32 %r3, "
		      "%r3, 1000; st.global.u32 [%d0], %r3;"),
	  c_space },
	{ SYNC_MODULE(
		  "", SHARED
		  "mov.u32 %r5, sh; mov.u32 %r6, bar; mov.u32 %r3, %tid.x; setp.ne.u32 %p1, %r3, 0; @%p1 bra L; "
		  "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %d4, [bar], 512; L: "
		  "bar.sync 0;"
		  "mul.wide.u32 %d3, %r0, 4; add.s64 %d3, %d1, %d3; ld.global.u32 %r4, [%d3]; shl.b32 %r7, %r0, 2; "
		  "add.u32 %r7, %r7, %r5; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], %r4, "
		  "[bar];"
		  "xor.b32 %r8, %r0, 32; shl.b32 %r8, %r8, 2; add.u32 %r8, %r8, %r5; bar.sync 0; "
		  "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r8], %r4, [bar];"
		  "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W; ld.shared.u32 %r9, [%r7]; "
		  "st.global.u32 [%d0], %r9;"),
	  c_async_store },
	{ SYNC_MODULE("", SHARED "mul.wide.u32 %d3, %r0, 4; add.s64 %d3, %d1, %d3; ld.global.u32 %r3, [%d3]; and.b32 "
				 "%r4, %r0, 1; and.b32 %r5, %r0, 2; setp.eq.u32 %p1, %r4, 0; setp.eq.u32 %p2, %r5, 0;"
				 "@%p1 bra J; @%p2 bra K; ret; K: add.u32 %r6, %r0, 1; J: bar.sync 0; "
				 "redux.sync.add.u32 %r7, %r3, -1; mov.u32 %r8, sh; bar.sync 0; setp.ne.u32 %p3, %r0, "
				 "0; atom.shared.add.u32 %r9, [%r8], 1; bar.sync 0;"
				 "ld.shared.u32 %r9, [%r8]; add.u32 %r7, %r7, %r9; st.global.u32 [%d0], %r7;"),
	  c_early },
	{ SYNC_MODULE(
		  "",
		  "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d5, 0.5; "
		  "createpolicy.range.global.L2::evict_last.b64 %d6, [%d1], 64, 128; createpolicy.cvt.L2.b64 %d7, %d5;"
		  "prefetch.global.L2 [%d1+64]; prefetchu.L1 [%d1]; applypriority.global.L2::evict_normal [%d1], 128; "
		  "mul.wide.u32 %d3, %r0, 4; add.s64 %d3, %d1, %d3;"
		  "ld.global.L1::evict_last.L2::cache_hint.L2::64B.u32 %r3, [%d3].unified, %d5; griddepcontrol.wait; "
		  "griddepcontrol.launch_dependents; pmevent 3; nanosleep.u32 20; cp.async.bulk.prefetch.L2.global "
		  "[%d1], 64;"
		  "st.global.L2::cache_hint.u32 [%d0], %r3, %d7; discard.global.L2 [%d1], 128; fence.acq_rel.cluster; "
		  "fence.proxy.alias; setmaxnreg.dec.sync.aligned.u32 40;"),
	  c_policy },
};
enum { GOOD = sizeof good / sizeof *good };

START_TEST(kernels_give_what_c_says)
{
	int row = _i / WAYS, way = _i % WAYS;
	struct rig r;

	rig_way(&r, good[row].ptx, way);
	r.l.block[0] = 64;
	ck_assert_msg(rig_run(&r, NULL), "kernel %d: %s", row, r.d.last);
	for (uint32_t i = 0; i < 64; i++)
		ck_assert_msg(r.out[i] == good[row].want(i, r.in), "kernel %d, thread %u: %u, not %u", row, i, r.out[i],
			      good[row].want(i, r.in));
	rig_close(&r);
}
END_TEST

#define BAD(body) SYNC_MODULE("", SHARED body)
static const struct {
	const char *ptx, *said;
} bad[] = {
	{ BAD("setp.lt.u32 %p1, %r0, 16; @%p1 bra L; bar.warp.sync -1; L: bar.warp.sync 0xffff;"),
	  "the member mask 0xffffffff names lanes 0xffff, on another path of the warp, which wait at instruction" },
	{ BAD("setp.lt.u32 %p1, %r0, 16; @%p1 shfl.sync.idx.b32 %r3, %r0, 0, 31, -1;"),
	  "names lanes 0xffff0000, whose guard is false" },
	{ BAD("vote.sync.ballot.b32 %r3, 1, 0xff;"), "this lane is not in its own member mask, 0xff" },
	{ BAD("setp.lt.u32 %p1, %r0, 32; @%p1 bra L; bar.sync 1, 64; L: bar.sync 1, 96;"),
	  "barrier 1 with another thread count than where it is awaited, at instruction" },
	{ BAD("setp.lt.u32 %p1, %r0, 32; @%p1 bra L; bar.sync 1; L: bar.red.popc.u32 %r3, 1, %p1;"),
	  "barrier 1 with another operation than where it is awaited" },
	{ BAD("setp.lt.u32 %p1, %r0, 32; @%p1 bra L; ret; L: bar.sync 1, 64;"),
	  "for barrier 1, where 1 of 2 warps have arrived" },
	{ BAD("mbarrier.arrive.shared.b64 %d3, [bar];"), "no mbarrier object is at this address" },
	{ BAD("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.noComplete.shared.b64 %d3, [bar], 2;"),
	  "a .noComplete arrival completes the phase" },
	{ BAD("mbarrier.init.shared.b64 [bar], 0;"), "an mbarrier object counts 1 to 1048575 arrivals, not 0" },
	{ BAD("mbarrier.init.b64 [%d1], 1;"), "an mbarrier object is in shared memory" },
	{ BAD("mbarrier.init.shared.b64 [bar], 2; mbarrier.inval.shared.b64 [bar]; "
	      "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;"),
	  "no mbarrier object" },
	{ BAD("cp.async.ca.shared.global [sh], [%d1], 4, %r0;"), "5 bytes to read for 4 to write" },
	{ BAD("cp.async.cg.shared.global [sh+4], [%d1], 16;"), "address 0x4 is not a multiple of 16 bytes" },
	{ BAD("cp.async.bulk.global.shared::cta.bulk_group [%d1], [sh], %r0;"),
	  "a bulk copy of 1 bytes, which is not a multiple of 16" },
	{ BAD("barrier.cluster.arrive; barrier.cluster.arrive;"),
	  "arrives at the cluster's barrier again before it waits" },
	{ BAD("brkpt;"), "a breakpoint" },
};

START_TEST(what_cannot_go_on_is_reported)
{
	struct rig r;

	rig_open(&r, bad[_i].ptx, 0);
	r.l.block[0] = 64;
	ck_assert_msg(!rig_run(&r, NULL), "%s", bad[_i].said);
	ck_assert_msg(strstr(r.d.last, bad[_i].said) != NULL, "%s\nsaid: %s", bad[_i].said, r.d.last);
	rig_close(&r);
}
END_TEST

Suite *suite_sync(void)
{
	Suite *s = suite_create("sync");
	TCase *t = tcase_create("sync");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, kernels_give_what_c_says, 0, GOOD * WAYS);
	tcase_add_loop_test(t, what_cannot_go_on_is_reported, 0, (int)(sizeof bad / sizeof *bad));
	suite_add_tcase(s, t);
	return s;
}
