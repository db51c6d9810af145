/* Clusters of several CTAs: whole kernels in virtual and machine form, plain and with dead registers overwritten,
 * beside what C says they give; launches that are refused, and the reports of what cannot go on. */
#include "test/unit/engine_run.h"

Suite *suite_cluster(void);

/* %r0: the CTA's number in the grid; %r3: the thread's; %r4, %r5: rank, CTAs of the cluster; %d0: the thread's word of
 * out, 32 for a CTA; %d1: in. */
#define CLUSTER_MODULE(said, body)                                                                                 \
	".version 8.8\n.target sm_90\n.address_size 64\n"                                                          \
	".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) " said "\n{\n"                          \
	".shared .align 16 .b8 sh[1024]; .shared .align 8 .b64 bar;\n"                                             \
	".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<60>; .reg .b64 %d<20>;\n"                                 \
	"mov.u32 %r0, %ctaid.z; mov.u32 %r1, %nctaid.y; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r0, %r0, %r1, %r2; "    \
	"mov.u32 %r1, %nctaid.x; mov.u32 %r2, %ctaid.x;"                                                           \
	"mad.lo.u32 %r0, %r0, %r1, %r2; mov.u32 %r3, %tid.x; mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, "         \
	"%cluster_nctarank;"                                                                                       \
	"mad.lo.u32 %r1, %r0, 32, %r3; mul.wide.u32 %d2, %r1, 4; ld.param.u64 %d0, [out]; add.s64 %d0, %d0, %d2; " \
	"ld.param.u64 %d1, [in];\n" body " ret;\n}\n"
#define MEET "barrier.cluster.arrive; barrier.cluster.wait;"
#define NEXT "add.u32 %r6, %r4, 1; rem.u32 %r6, %r6, %r5;" /* %r6: the next rank */
#define OWN \
	"mov.u32 %r7, sh; shl.b32 %r8, %r3, 2; add.u32 %r8, %r7, %r8;" /* %r8: the thread's word of shared memory \
									* \ */
#define RESULT "st.global.u32 [%d0], %r9;"

/* first: the cluster's rank 0, where clusters lie along x */
struct place {
	uint32_t cta, thread, rank, ctas, first, id[3];
	const struct launch *l;
};
typedef uint32_t place_fn(const struct place *p, const uint32_t *in);

static uint32_t next(const struct place *p) { return p->first + (p->rank + 1) % p->ctas; }
static uint32_t c_sregs(const struct place *p, const uint32_t *in)
{
	const uint32_t *n = p->l->cluster, *g = p->l->grid, *c = p->id;
	const uint32_t v[16] = { c[0] / n[0],
				 c[1] / n[1],
				 c[2] / n[2],
				 g[0] / n[0],
				 g[1] / n[1],
				 g[2] / n[2],
				 c[0] % n[0],
				 c[1] % n[1],
				 c[2] % n[2],
				 n[0],
				 n[1],
				 n[2],
				 c[0] % n[0] + n[0] * (c[1] % n[1] + n[1] * (c[2] % n[2])),
				 n[0] * n[1] * n[2],
				 1,
				 p->cta };

	(void)in;
	return p->thread < 16 ? v[p->thread] : 0;
}
static uint32_t c_neighbour(const struct place *p, const uint32_t *in)
{
	return in[(next(p) * 32 + p->thread) % IN_WORDS];
}
static uint32_t c_lanes(const struct place *p, const uint32_t *in)
{
	return in[(p->first + p->thread % p->ctas) * 32 % IN_WORDS + p->thread];
}
static uint32_t c_narrow(const struct place *p, const uint32_t *in)
{
	const uint32_t *other = in + next(p) * 32 % IN_WORDS, t = p->thread / 4 * 4;

	return (other[p->thread] & 0xff) + (other[p->thread] & 0xffff) + other[p->thread & ~1u] + other[p->thread | 1] +
	       other[t] + 2 * other[t + 1] + 3 * other[t + 2] + 4 * other[t + 3];
}
static uint32_t c_stored(const struct place *p, const uint32_t *in)
{
	return in[((p->first + (p->rank + p->ctas - 1) % p->ctas) * 32 + p->thread) % IN_WORDS];
}
static uint32_t c_sum(const struct place *p, const uint32_t *in)
{
	uint32_t sum = 0;

	(void)in;
	for (uint32_t r = 0; r < p->ctas; r++)
		sum += (p->first + r) * 3 + 1;
	if (p->rank)
		return 0;
	return sum + (p->thread ? 0 : p->ctas * 32);
}
static uint32_t c_multicast(const struct place *p, const uint32_t *in) { return p->rank == 2 ? 0 : in[p->thread]; }
static uint32_t c_left(const struct place *p, const uint32_t *in)
{
	(void)in;
	return p->rank % 2 ? 0 : 77 + p->rank;
}
static uint32_t c_phases(const struct place *p, const uint32_t *in)
{
	(void)in;
	return 10 * p->first + 45;
}
static uint32_t c_names(const struct place *p, const uint32_t *in)
{
	(void)in;
	return 1 + 2 + 4 + 8 + 16 * ((p->rank + 1) % p->ctas) + 256 * p->rank;
}
static uint32_t c_rounds(const struct place *p, const uint32_t *in)
{
	(void)in;
	(void)p;
	return 300;
}
static uint32_t c_next(const struct place *p, const uint32_t *in)
{
	(void)in;
	return next(p);
}
static uint32_t c_one(const struct place *p, const uint32_t *in)
{
	(void)in;
	(void)p;
	return 1;
}

#define LOAD_IN \
	"mul.wide.u32 %d3, %r1, 4; and.b64 %d3, %d3, 4095; add.s64 %d3, %d1, %d3; ld.global.u32 %r9, [%d3];" /* %r9:  \
														its   \
														word  \
														of in \
													      * \ */
#define SREGS(a)                                                                                                       \
	"mov.u32 %r10, %" a ".x; mov.u32 %r11, %" a ".y; mov.u32 %r12, %" a ".z;"                                      \
	"@%p1 st.global.u32 [%d4], %r10; @%p1 st.global.u32 [%d4+4], %r11; @%p1 st.global.u32 [%d4+8], %r12; add.s64 " \
	"%d4, %d4, 12;"

static const struct {
	const char *name, *ptx;
	uint32_t grid[3], cluster[3];
	place_fn *want;
} good[] = {
	{ "special registers",
	  CLUSTER_MODULE("",
			 "setp.eq.u32 %p1, %r3, 0; mov.u64 %d4, %d0;" SREGS("clusterid") SREGS("nclusterid")
				 SREGS("cluster_ctaid") SREGS(
					 "cluster_nctaid") "mov.pred %p2, %is_explicit_cluster; selp.u32 %r13, 1, 0, "
							   "%p2; @%p1 st.global.v4.u32 [%d4], {%r4, %r5, %r13, %r0};"),
	  { 4, 6, 2 },
	  { 2, 3, 2 },
	  c_sregs },
	{ "clusters along each axis",
	  CLUSTER_MODULE("",
			 "setp.eq.u32 %p1, %r3, 0; mov.u64 %d4, %d0;" SREGS("clusterid") SREGS("nclusterid")
				 SREGS("cluster_ctaid") SREGS(
					 "cluster_nctaid") "mov.pred %p2, %is_explicit_cluster; selp.u32 %r13, 1, 0, "
							   "%p2; @%p1 st.global.v4.u32 [%d4], {%r4, %r5, %r13, %r0};"),
	  { 4, 9, 2 },
	  { 2, 3, 1 },
	  c_sregs },
	{ "a neighbour's memory",
	  CLUSTER_MODULE("", LOAD_IN NEXT OWN
			 "st.shared.u32 [%r8], %r9;" MEET
			 "mapa.shared::cluster.u32 %r10, %r8, %r6; ld.shared::cluster.u32 %r9, [%r10];" RESULT MEET),
	  { 12, 1, 1 },
	  { 4, 1, 1 },
	  c_neighbour },
	{ "more CTAs than are in flight",
	  CLUSTER_MODULE(
		  "", LOAD_IN NEXT OWN
		  "ld.shared.u32 %r20, [%r8]; setp.ne.u32 %p3, %r20, 0; @%p3 trap; st.shared.u32 [%r8], %r9;" MEET
		  "mapa.shared::cluster.u32 %r10, %r8, %r6; ld.shared::cluster.u32 %r9, [%r10];" RESULT MEET),
	  { 126, 1, 1 },
	  { 7, 1, 1 },
	  c_neighbour },
	{ "each lane another CTA",
	  CLUSTER_MODULE("", LOAD_IN OWN "st.shared.u32 [%r8], %r9;" MEET
					 "rem.u32 %r6, %r3, %r5; mapa.shared::cluster.u32 %r10, %r8, %r6; "
					 "ld.shared::cluster.u32 %r9, [%r10];" RESULT MEET),
	  { 16, 1, 1 },
	  { 8, 1, 1 },
	  c_lanes },
	{ "each lane another CTA, generic",
	  CLUSTER_MODULE("",
			 LOAD_IN OWN "st.shared.u32 [%r8], %r9;" MEET
				     "rem.u32 %r6, %r3, %r5; cvt.u64.u32 %d5, %r8; cvta.shared::cluster.u64 %d5, %d5;"
				     "mapa.u64 %d6, %d5, %r6; ld.u32 %r9, [%d6];" RESULT MEET),
	  { 16, 1, 1 },
	  { 8, 1, 1 },
	  c_lanes },
	{ "other widths",
	  CLUSTER_MODULE("", LOAD_IN NEXT OWN
			 "st.shared.u32 [%r8], %r9;" MEET
			 "mapa.shared::cluster.u32 %r10, sh, %r6; shl.b32 %r11, %r3, 2; add.u32 %r12, %r10, %r11;"
			 "ld.shared::cluster.u8 %h1, [%r12]; cvt.u32.u16 %r13, %h1; ld.shared::cluster.u16 %h2, "
			 "[%r12]; cvt.u32.u16 %r14, %h2; add.u32 %r13, %r13, %r14; and.b32 %r11, %r11, 120;"
			 "add.u32 %r12, %r10, %r11; ld.shared::cluster.u64 %d7, [%r12]; mov.b64 {%r15, %r16}, %d7; "
			 "add.u32 %r13, %r13, %r15; add.u32 %r13, %r13, %r16; and.b32 %r11, %r11, 112;"
			 "add.u32 %r12, %r10, %r11; ld.shared::cluster.v4.u32 {%r15, %r16, %r17, %r18}, [%r12]; "
			 "add.u32 %r13, %r13, %r15; mad.lo.u32 %r13, %r16, 2, %r13; mad.lo.u32 %r13, %r17, 3, %r13;"
			 "mad.lo.u32 %r9, %r18, 4, %r13;" RESULT MEET),
	  { 9, 1, 1 },
	  { 3, 1, 1 },
	  c_narrow },
	{ "stores",
	  CLUSTER_MODULE(
		  "", LOAD_IN NEXT OWN MEET
		  "cvt.u64.u32 %d5, %r8; cvta.shared.u64 %d5, %d5; mapa.u64 %d6, %d5, %r6; st.u32 [%d6], %r9;" MEET
		  "ld.shared.u32 %r9, [%r8];" RESULT),
	  { 8, 1, 1 },
	  { 2, 1, 1 },
	  c_stored },
	{ "atomics",
	  CLUSTER_MODULE("",
			 OWN "mapa.shared::cluster.u32 %r10, %r8, 0; mov.u32 %r11, sh; mapa.shared::cluster.u32 %r11, "
			     "%r11, 0; mad.lo.u32 %r12, %r0, 3, 1;" MEET
			     "red.relaxed.cluster.shared::cluster.add.u32 [%r10], %r12; atom.shared::cluster.add.u32 "
			     "%r13, [%r11], 1;" MEET "ld.shared.u32 %r9, [%r8];" RESULT),
	  { 15, 1, 1 },
	  { 5, 1, 1 },
	  c_sum },
	{ "mbarrier objects of others",
	  CLUSTER_MODULE("", LOAD_IN NEXT OWN
			 "setp.eq.u32 %p1, %r3, 0; @%p1 mbarrier.init.shared.b64 [bar], 32; "
			 "fence.mbarrier_init.release.cluster;" MEET
			 "mapa.shared::cluster.u32 %r10, %r8, %r6; mov.u32 %r11, bar; mapa.shared::cluster.u32 %r11, "
			 "%r11, %r6; st.shared::cluster.u32 [%r10], %r9;"
			 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11]; W: "
			 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0; @!%p2 bra W; "
			 "ld.shared.u32 %r9, [%r8];" RESULT MEET),
	  { 6, 1, 1 },
	  { 3, 1, 1 },
	  c_stored },
	{ "st.async to others",
	  CLUSTER_MODULE(
		  "", LOAD_IN NEXT OWN
		  "setp.eq.u32 %p1, %r3, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; @%p1 "
		  "mbarrier.arrive.expect_tx.shared.b64 %d8, [bar], 128;" MEET
		  "mapa.shared::cluster.u32 %r10, %r8, %r6; mov.u32 %r11, bar; mapa.shared::cluster.u32 %r11, %r11, "
		  "%r6; st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r10], %r9, [%r11];"
		  "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W; ld.shared.u32 %r9, [%r8];" RESULT
			  MEET),
	  { 8, 1, 1 },
	  { 4, 1, 1 },
	  c_stored },
	{ "a copy to others",
	  CLUSTER_MODULE(
		  "", LOAD_IN NEXT OWN
		  "st.shared.u32 [%r8+256], %r9; setp.eq.u32 %p1, %r3, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;"
		  "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d8, [bar], 128;" MEET
		  "mapa.shared::cluster.u32 %r10, sh, %r6; mov.u32 %r11, bar; mapa.shared::cluster.u32 %r11, %r11, "
		  "%r6; add.u32 %r12, %r7, 256;"
		  "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r10], [%r12], 128, "
		  "[%r11];"
		  "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W; ld.shared.u32 %r9, [%r8];" RESULT
			  MEET),
	  { 8, 1, 1 },
	  { 4, 1, 1 },
	  c_stored },
	{ "a copy to several",
	  CLUSTER_MODULE("", OWN
			 "setp.eq.u32 %p1, %r3, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; setp.ne.u32 %p3, %r4, 2; "
			 "and.pred %p4, %p1, %p3;"
			 "@%p4 mbarrier.arrive.expect_tx.shared.b64 %d8, [bar], 128;" MEET
			 "setp.eq.u32 %p5, %r4, 1; and.pred %p5, %p5, %p1; mov.u32 %r12, bar; mov.u16 %h1, 11;"
			 "@%p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
			 "[%r7], [%d1], 128, [%r12], %h1;"
			 "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p3 mov.pred %p2, 1; @!%p2 bra W; "
			 "ld.shared.u32 %r9, [%r8];" RESULT MEET),
	  { 8, 1, 1 },
	  { 4, 1, 1 },
	  c_multicast },
	{ "CTAs that have left are not waited for",
	  CLUSTER_MODULE("", "and.b32 %r6, %r4, 1; setp.eq.u32 %p1, %r6, 1; @%p1 ret; setp.gt.u32 %p2, %r3, 9; add.u32 "
			     "%r9, %r4, 77;" RESULT "@%p2 ret;" MEET MEET),
	  { 12, 1, 1 },
	  { 6, 1, 1 },
	  c_left },
	{ "rank 0 leaves long before",
	  CLUSTER_MODULE("", "mov.u32 %r8, 5000; setp.eq.u32 %p1, %r4, 0; @%p1 bra E; D: sub.u32 %r8, %r8, 1; "
			     "setp.ne.u32 %p3, %r8, 0; @%p3 bra D; E: mov.u32 %r9, 1;" RESULT),
	  { 12, 1, 1 },
	  { 2, 1, 1 },
	  c_one },
	{ "ten phases",
	  CLUSTER_MODULE("",
			 OWN "mov.u32 %r12, 0; mov.u32 %r9, 0; sub.u32 %r14, %r0, %r4; L: add.u32 %r13, %r12, %r14; "
			     "rem.u32 %r6, %r12, %r5; setp.eq.u32 %p1, %r4, %r6; @%p1 st.shared.u32 [%r8], %r13;"
			     "barrier.cluster.arrive.release; mapa.shared::cluster.u32 %r10, %r8, %r6; "
			     "barrier.cluster.wait.acquire; ld.shared::cluster.u32 %r11, [%r10]; add.u32 %r9, %r9, "
			     "%r11; add.u32 %r12, %r12, 1;"
			     "barrier.cluster.arrive.relaxed; setp.lt.u32 %p2, %r12, 10; barrier.cluster.wait; @%p2 "
			     "bra L;" RESULT),
	  { 8, 1, 1 },
	  { 4, 1, 1 },
	  c_phases },
	{ "what addresses name",
	  CLUSTER_MODULE(
		  "", NEXT OWN
		  "mapa.shared::cluster.u32 %r10, %r8, %r6; mapa.shared::cluster.u32 %r11, %r10, %r4; setp.eq.u32 %p1, "
		  "%r11, %r8; selp.u32 %r9, 1, 0, %p1;"
		  "cvt.u64.u32 %d5, %r10; cvta.shared::cluster.u64 %d5, %d5; isspacep.shared::cluster %p2, %d5; @%p2 "
		  "add.u32 %r9, %r9, 2; isspacep.shared::cta %p3, %d5; @!%p3 add.u32 %r9, %r9, 4;"
		  "mapa.u64 %d6, %d5, %r4; isspacep.shared::cta %p4, %d6; @%p4 add.u32 %r9, %r9, 8; getctarank.u64 "
		  "%r12, %d5; mad.lo.u32 %r9, %r12, 16, %r9; getctarank.shared::cluster.u32 %r13, %r8;"
		  "mad.lo.u32 %r9, %r13, 256, %r9;" RESULT),
	  { 16, 1, 1 },
	  { 16, 1, 1 },
	  c_names },
	{ "the kernel says its cluster",
	  CLUSTER_MODULE(".explicitcluster .reqnctapercluster 3, 1, 1 .maxntid 64, 1, 1",
			 "mov.u32 %r9, 0; setp.eq.u32 %p1, %r5, 3; mov.pred %p2, %is_explicit_cluster;"
			 "and.pred %p1, %p1, %p2; @%p1 mov.u32 %r9, 1;" RESULT),
	  { 9, 1, 1 },
	  { 0, 0, 0 },
	  c_one },
	{ "a flag in another CTA is watched",
	  CLUSTER_MODULE("", "mov.u32 %r7, sh; mov.u32 %r9, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra B; "
			     "mapa.shared::cluster.u32 %r10, %r7, 0;"
			     "W: ld.volatile.shared::cluster.u32 %r9, [%r10]; setp.eq.u32 %p2, %r9, 0; @%p2 bra W; bra "
			     "E; B: mov.u32 %r8, 5000; D: sub.u32 %r8, %r8, 1; setp.ne.u32 %p3, %r8, 0; @%p3 bra D;"
			     "st.shared.u32 [%r7], %r9; E: " RESULT MEET),
	  { 4, 1, 1 },
	  { 2, 1, 1 },
	  c_one },
	{ "a matrix of a neighbour's",
	  CLUSTER_MODULE("", ".reg .f32 %f<8>;" NEXT "mov.u32 %r7, sh; shl.b32 %r8, %r3, 4; add.u32 %r8, %r7, %r8; "
			     "st.shared.v4.u32 [%r8], {%r0, %r0, %r0, %r0};"
			     "st.shared.v4.u32 [%r8+512], {%r0, %r0, %r0, %r0};" MEET
			     "cvt.u64.u32 %d5, %r7; cvta.shared.u64 %d5, %d5; mapa.u64 %d6, %d5, %r6;"
			     "wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%d6]; "
			     "mov.b32 %r9, %f7;" RESULT MEET),
	  { 6, 1, 1 },
	  { 3, 1, 1 },
	  c_next },
	{ "300 times there and back",
	  CLUSTER_MODULE("", "mov.u32 %r7, sh; mov.u32 %r12, 0; sub.u32 %r6, 1, %r4; mapa.shared::cluster.u32 %r10, "
			     "%r7, %r6; setp.eq.u32 %p1, %r4, 1;" MEET
			     "L: add.u32 %r12, %r12, 1; @%p1 bra W; S: st.shared::cluster.u32 [%r10], %r12; @%p1 bra "
			     "N; W: ld.volatile.shared.u32 %r9, [%r7]; setp.ne.u32 %p2, %r9, %r12; @%p2 bra W;"
			     "@%p1 bra S; N: setp.lt.u32 %p3, %r12, 300; @%p3 bra L;" RESULT MEET),
	  { 2, 1, 1 },
	  { 2, 1, 1 },
	  c_rounds },
	{ "a flag in another CTA",
	  CLUSTER_MODULE("",
			 "mov.u32 %r7, sh; setp.ne.u32 %p1, %r4, 0; @%p1 bra B; W: ld.volatile.shared.u32 %r9, [%r7]; "
			 "setp.eq.u32 %p2, %r9, 0; @%p2 bra W; bra E;"
			 "B: mov.u32 %r8, 5000; D: sub.u32 %r8, %r8, 1; setp.ne.u32 %p3, %r8, 0; @%p3 bra D; "
			 "mapa.shared::cluster.u32 %r10, %r7, 0; mov.u32 %r9, 1; st.shared::cluster.u32 [%r10], %r9;"
			 "E: " RESULT MEET),
	  { 4, 1, 1 },
	  { 2, 1, 1 },
	  c_one },
};
enum { GOOD = sizeof good / sizeof *good };

static void open_good(struct rig *r, unsigned row, int way)
{
	rig_way(r, good[row].ptx, way);
	memcpy(r->l.grid, good[row].grid, sizeof r->l.grid);
	memcpy(r->l.cluster, good[row].cluster, sizeof r->l.cluster);
}

static void check_good(const struct rig *r, unsigned row, const char *how)
{
	const uint32_t *g = r->l.grid;
	uint32_t n[3], ctas = launch_cluster(&r->l, n);

	for (uint32_t i = 0; i < g[0] * g[1] * g[2] * 32; i++) {
		const uint32_t c = i / 32;
		const struct place p = { c,    i % 32,          c % ctas,
					 ctas, c / ctas * ctas, { c % g[0], c / g[0] % g[1], c / g[0] / g[1] },
					 &r->l };
		const uint32_t want = good[row].want(&p, r->in);

		ck_assert_msg(r->out[i] == want, "%s%s: CTA %u, thread %u: %u, not %u", good[row].name, how, c, i % 32,
			      r->out[i], want);
	}
}

START_TEST(kernels_give_what_c_says)
{
	unsigned row = (unsigned)_i / WAYS;
	struct rig r;

	open_good(&r, row, _i % WAYS);
	ck_assert_msg(rig_run(&r, NULL), "%s: %s", good[row].name, r.d.last);
	check_good(&r, row, "");
	rig_close(&r);
}
END_TEST

/* In smaller windows, by several threads if they may, looking for livelocks all the time, and with records. */
START_TEST(and_however_they_are_executed)
{
	static const char *const said[] = { ", small window", ", room for one cluster and a CTA, threads",
					    ", suspected", ", records" };

	for (unsigned how = 0; how < 4; how++) {
		uint32_t cluster[3];
		struct record rec;
		struct engine *e;
		struct rig r;

		open_good(&r, (unsigned)_i, 2);
		if (how == 0)
			r.opt.window = 1;
		else
			r.opt.window = how == 1 ? launch_cluster(&r.l, cluster) + 1 : 0;
		r.opt.threads = how == 1 ? 4 : 0;
		r.opt.patience = how == 2 ? 8 : 0;
		r.opt.consumers = how == 3;
		e = rig_engine(&r);
		for (uint64_t c = 0; how == 3 && c < engine_ctas(e); c++)
			while (engine_next(e, 0, c, 0, &rec) == RECORD_OK)
				;
		ck_assert(engine_ordered(e) != NULL);
		ck_assert_msg(engine_run(e), "%s: %s", good[_i].name, r.d.last);
		engine_free(e);
		check_good(&r, (unsigned)_i, said[how]);
		rig_close(&r);
	}
}
END_TEST

#define BAD(body) CLUSTER_MODULE("", body)
static const struct {
	const char *ptx, *said;
	uint32_t cluster;
	enum fault_kind kind;
} bad[] = {
	{ BAD("mapa.shared::cluster.u32 %r8, sh, 5; ld.shared::cluster.u32 %r9, [%r8];" RESULT),
	  "shared memory of rank 5, and the cluster has 2 CTAs", 2, FAULT_CLUSTER },
	{ BAD("mapa.shared::cluster.u32 %r8, sh, 77; ld.shared::cluster.u32 %r9, [%r8];" RESULT),
	  "4 bytes at offset 0x5000000 are outside the 1032 bytes of shared memory", 2, FAULT_BOUNDS },
	{ BAD("mapa.shared::cluster.u32 %r8, sh, 1; ld.shared::cluster.u32 %r9, [%r8+1040];" RESULT MEET),
	  "4 bytes at offset 0x410 are outside the 1032 bytes of shared memory of CTA (1,0,0), rank 1 of the cluster",
	  2, FAULT_BOUNDS },
	{ BAD("mapa.shared::cluster.u32 %r8, sh, 1; ld.shared::cluster.u32 %r9, [%r8+2];" RESULT MEET),
	  "is not a multiple of 4 bytes", 2, FAULT_MISALIGNED },
	{ BAD("setp.eq.u32 %p1, %r4, 1; @%p1 ret; mov.u32 %r8, 900; D: sub.u32 %r8, %r8, 1; setp.ne.u32 %p3, %r8, 0; "
	      "@%p3 bra D; mapa.shared::cluster.u32 %r8, sh, 1; ld.shared::cluster.u32 %r9, [%r8];" RESULT),
	  "shared memory of a CTA that has exited, rank 1 of the cluster", 2, FAULT_CLUSTER },
	{ BAD("cvt.u64.u32 %d5, %r3; cvta.shared.u64 %d5, %d5; mapa.u64 %d5, %d5, 3; st.u8 [%d5], %r3;"),
	  "shared memory of rank 3, and the cluster has 2 CTAs", 2, FAULT_CLUSTER },
	{ BAD("mapa.shared::cluster.u32 %r8, sh, 1; ld.shared::cluster.u32 %r9, [%r8];" RESULT),
	  "are outside the 1032 bytes of shared memory", 1, FAULT_BOUNDS },
	{ BAD("cvt.u64.u32 %d5, %r3; cvta.shared.u64 %d5, %d5; mapa.u64 %d5, %d5, 1; st.u8 [%d5], %r3;"),
	  "are outside memory", 1, FAULT_BOUNDS },
	{ BAD(".reg .f32 %f<8>; setp.eq.u32 %p1, %r4, 1; @%p1 ret; mov.u32 %r8, 900; D: sub.u32 %r8, %r8, 1; "
	      "setp.ne.u32 %p3, %r8, 0; @%p3 bra D; mov.u32 %r7, sh; cvt.u64.u32 %d5, %r7; cvta.shared.u64 %d5, %d5;"
	      "mapa.u64 %d6, %d5, 1; wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, "
	      "[%d6]; mov.b32 %r9, %f7;" RESULT),
	  "shared memory of a CTA that has exited, rank 1 of the cluster", 2, FAULT_CLUSTER },
	/* no address of a window is that of the only CTA */
	{ BAD("mov.u32 %r8, 0x7000000; ld.shared::cluster.u32 %r9, [%r8];" RESULT),
	  "4 bytes at offset 0x7000000 are outside the 1032 bytes of shared memory", 1, FAULT_BOUNDS },
	{ BAD("mov.u32 %r8, 0x7000000; mov.u32 %r12, bar; "
	      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%d1], 128, [%r12];"),
	  "16 bytes at offset 0x7000000 are outside the 1032 bytes of shared memory", 1, FAULT_BOUNDS },
	{ BAD("mapa.shared::cluster.u32 %r8, bar, 3; mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
	      "[%r8];" MEET),
	  "no mbarrier object is at this address", 4, FAULT_ILLEGAL },
	{ BAD("setp.eq.u32 %p1, %r4, 1; @%p1 bar.sync 1, 64;" MEET),
	  "deadlock in CTA (1,0,0): none of its 1 live warps can run, whatever other CTAs of its cluster do", 2,
	  FAULT_DEADLOCK },
	/* whatever rank 0 does, which goes on */
	{ BAD("setp.eq.u32 %p1, %r4, 1; @%p1 bar.sync 1, 64; @%p1 ret; W: ld.volatile.shared.u32 %r9, [sh]; "
	      "setp.eq.u32 %p2, %r9, 0; @%p2 bra W;" RESULT),
	  "deadlock in CTA (1,0,0): none of its 1 live warps can run, whatever other CTAs of its cluster do", 2,
	  FAULT_DEADLOCK },
	/* the next cluster is there */
	{ BAD("mov.u32 %r8, 900; D: sub.u32 %r8, %r8, 1; setp.ne.u32 %p3, %r8, 0; @%p3 bra D; mapa.shared::cluster.u32 "
	      "%r8, sh, 2; ld.shared::cluster.u32 %r9, [%r8];" RESULT),
	  "shared memory of rank 2, and the cluster has 2 CTAs", 2, FAULT_CLUSTER },
	/* 2 warps of rank 1, one in the cluster's barrier and one in another, when rank 0 has left */
	{ BAD("setp.eq.u32 %p1, %r4, 1; @%p1 bra B; mov.u32 %r8, 900; D: sub.u32 %r8, %r8, 1; setp.ne.u32 %p3, %r8, 0; "
	      "@%p3 bra D; bra E; B: setp.gt.u32 %p2, %r3, 31; @%p2 bar.sync 1, 64;" MEET " E:"),
	  "deadlock in CTA (1,0,0): none of its 2 live warps can run, whatever other CTAs of its cluster do", 2,
	  FAULT_DEADLOCK },
	{ BAD("barrier.cluster.arrive; barrier.cluster.arrive;"),
	  "arrives at the cluster's barrier again before it waits", 2, FAULT_ILLEGAL },
	{ BAD("setp.ne.u32 %p1, %r4, 0; @%p1 bra M; W: ld.volatile.shared.u32 %r9, [sh]; setp.eq.u32 %p2, %r9, 0; @%p2 "
	      "bra W; M:" MEET),
	  "livelock", 2, FAULT_LIVELOCK },
	{ BAD("mov.u32 %r9, 9; setp.ne.u32 %p1, %r4, 0; @!%p1 st.shared.u32 [sh+4], %r9;" MEET
	      "@!%p1 bra M; mapa.shared::cluster.u32 %r8, sh, 0;"
	      "W: ld.volatile.shared::cluster.u32 %r9, [%r8+4]; setp.eq.u32 %p2, %r9, 9; @%p2 bra W; M:" MEET),
	  "it reads 0x9 from offset 0x7000004 of shared memory", 2, FAULT_LIVELOCK },
	{ BAD("mov.u32 %r8, sh; mov.u32 %r12, bar; "
	      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r8], [%d1], 128, "
	      "[%r12], 4;"),
	  "shared memory of rank 2, and the cluster has 2 CTAs", 2, FAULT_CLUSTER },
	{ BAD("mapa.shared::cluster.u32 %r8, bar, 1; add.u32 %r8, %r8, 4096; "
	      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];" MEET),
	  "are outside the 1032 bytes of shared memory of CTA (1,0,0), rank 1 of the cluster", 2, FAULT_BOUNDS },
};

START_TEST(what_cannot_go_on_is_reported)
{
	struct engine *e;
	struct rig r;

	rig_open(&r, bad[_i].ptx, _i % 2 ? 63 : 0);
	r.l.grid[0] = 8;
	r.l.cluster[0] = bad[_i].cluster;
	r.l.cluster[1] = r.l.cluster[2] = 1;
	r.l.block[0] = strstr(bad[_i].said, "2 live warps") ? 64 : 32;
	r.opt.patience = 1 << 14;
	e = rig_engine(&r);
	ck_assert_msg(!engine_run(e), "%s", bad[_i].said);
	ck_assert_msg(strstr(r.d.last, bad[_i].said) != NULL, "%s\nsaid: %s", bad[_i].said, r.d.last);
	ck_assert_int_eq(engine_fault(e)->kind, bad[_i].kind);
	engine_free(e);
	rig_close(&r);
}
END_TEST

static const struct {
	const char *kernel;
	uint32_t grid[3], cluster[3];
	const char *said;
} refused[] = {
	{ "", { 32, 1, 1 }, { 32, 1, 1 }, "clusters of 32x1x1 CTAs; 16 CTAs are the most" },
	{ "", { 8, 8, 8 }, { 4, 4, 2 }, "clusters of 4x4x2 CTAs; 16 CTAs are the most" },
	{ "", { 9, 4, 1 }, { 3, 3, 1 }, "grid of 9x4x1 CTAs, which are no whole clusters of 3x3x1" },
	{ ".reqnctapercluster 2", { 4, 1, 1 }, { 4, 1, 1 }, "the kernel requires 2x1x1 (.reqnctapercluster)" },
	{ ".reqnctapercluster 2, 2", { 4, 4, 1 }, { 2, 1, 1 }, "the kernel requires 2x2x1 (.reqnctapercluster)" },
	{ ".reqnctapercluster 2, 2", { 4, 1, 1 }, { 0, 0, 0 }, "no whole clusters of 2x2x1" },
	{ ".maxclusterrank 4", { 8, 1, 1 }, { 8, 1, 1 }, "the kernel allows 4 (.maxclusterrank)" },
	{ ".explicitcluster", { 8, 1, 1 }, { 0, 0, 0 }, "wants the size of its clusters to be given" },
	{ "", { 4096, 4096, 256 }, { 4096, 4096, 256 }, "clusters of 4096x4096x256 CTAs; 16 CTAs are the most" },
	{ "dynamic 8387577",
	  { 8, 1, 1 },
	  { 2, 1, 1 },
	  "needs 8388609 bytes of shared memory, over the limit of 8388608 in a cluster" },
	{ ".maxclusterrank 8", { 8, 1, 1 }, { 8, 1, 1 }, NULL },
	{ ".explicitcluster", { 8, 1, 1 }, { 1, 1, 1 }, NULL },
};

START_TEST(launches_without_whole_clusters_are_refused)
{
	struct engine *e;
	struct rig r;

	rig_open(&r, CLUSTER_MODULE("", "mov.u32 %r9, 1;" RESULT), 0);
	memcpy(r.l.grid, refused[_i].grid, sizeof r.l.grid);
	memcpy(r.l.cluster, refused[_i].cluster, sizeof r.l.cluster);
	(void)sscanf(refused[_i].kernel, ".reqnctapercluster %u, %u", &r.k->cluster[0], &r.k->cluster[1]);
	for (unsigned i = 1; r.k->cluster[0] && i < 3; i++)
		r.k->cluster[i] += !r.k->cluster[i];
	(void)sscanf(refused[_i].kernel, ".maxclusterrank %u", &r.k->max_cluster);
	(void)sscanf(refused[_i].kernel, "dynamic %u", &r.l.dynamic_shared);
	r.k->explicit_cluster = strcmp(refused[_i].kernel, ".explicitcluster") == 0;
	e = engine_new(r.dev, &r.l, &r.opt, &r.d);
	if (!refused[_i].said) {
		ck_assert_msg(e != NULL, "%s", r.d.last);
		engine_free(e);
	} else {
		ck_assert_ptr_null(e);
		ck_assert_msg(strstr(r.d.last, refused[_i].said) != NULL, "%s\nsaid: %s", refused[_i].said, r.d.last);
	}
	rig_close(&r);
}
END_TEST

Suite *suite_cluster(void)
{
	Suite *s = suite_create("cluster");
	TCase *t = tcase_create("cluster");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, kernels_give_what_c_says, 0, GOOD * WAYS);
	tcase_add_loop_test(t, and_however_they_are_executed, 0, GOOD);
	tcase_add_loop_test(t, what_cannot_go_on_is_reported, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_loop_test(t, launches_without_whole_clusters_are_refused, 0, (int)(sizeof refused / sizeof *refused));
	suite_add_tcase(s, t);
	return s;
}
