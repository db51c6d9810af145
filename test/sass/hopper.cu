/* Clusters, barriers in memory, bulk and tensor copies; wgmma where the target is sm_90a. Not for targets below sm_90. */
#include <cstdint>

#define ASM(...) asm volatile(__VA_ARGS__)

extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(uint32_t *out, const uint32_t *in, int n)
{
	__shared__ __align__(16) uint32_t s[256];
	__shared__ uint64_t bar;
	uint32_t at = (uint32_t)__cvta_generic_to_shared(s + threadIdx.x), b = (uint32_t)__cvta_generic_to_shared(&bar), far, r, v;
	uint64_t state;

	s[threadIdx.x] = in[threadIdx.x];
	ASM("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
	ASM("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(at), "r"(r ^ 1));
	ASM("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(b), "r"(n) : "memory");
	ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
	ASM("barrier.cluster.arrive.release.aligned;" ::: "memory");
	ASM("barrier.cluster.wait.acquire.aligned;" ::: "memory");
	ASM("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(far));
	ASM("st.shared::cluster.u32 [%0+4], %1;" :: "r"(far), "r"(v) : "memory");
	ASM("atom.shared::cluster.add.u32 %0, [%1+8], %2;" : "=r"(v) : "r"(far), "r"(v) : "memory");
	ASM("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: "r"(far), "r"(v), "r"(b) : "memory");
	ASM("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" :: "r"(far), "r"(v), "r"(b) : "memory");
	ASM("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 64;" : "=l"(state) : "r"(b) : "memory");
	ASM("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(b) : "memory");
	ASM("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 8;" :: "r"(b) : "memory");
	ASM("{ .reg .pred p; A: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra A; }" :: "r"(b), "r"(n & 1) : "memory");
	ASM("{ .reg .pred p; B: mbarrier.try_wait.acquire.cluster.shared::cta.b64 p, [%0], %1, 1000; @!p bra B; }" :: "r"(b), "l"(state) : "memory");
	ASM("fence.proxy.async;" ::: "memory");
	ASM("fence.acq_rel.cluster;" ::: "memory");
	ASM("barrier.cluster.arrive.relaxed;" ::: "memory");
	ASM("barrier.cluster.wait;" ::: "memory");
	ASM("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(r));
	out[threadIdx.x] = v + r + (uint32_t)state;
}

extern "C" __global__ void bulk(uint32_t *out, const uint8_t *in, const __grid_constant__ ulonglong4 map, int n)
{
	__shared__ __align__(128) uint8_t s[4096];
	__shared__ uint64_t bar;
	uint32_t at = (uint32_t)__cvta_generic_to_shared(s), b = (uint32_t)__cvta_generic_to_shared(&bar);
	uint64_t m = (uint64_t)&map;

	if (threadIdx.x == 0) {
		ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" :: "r"(at), "l"(in), "r"(b) : "memory");
		ASM("cp.async.bulk.prefetch.L2.global [%0], 512;" :: "l"(in) : "memory");
		ASM("prefetch.tensormap [%0];" :: "l"(m) : "memory");
		ASM("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" :: "r"(at), "l"(m), "r"(n), "r"(b) : "memory");
		ASM("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
		    :: "r"(at), "l"(m), "r"(n), "r"(n + 1), "r"(b), "h"((uint16_t)3) : "memory");
		ASM("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %2}], [%4], {%5};"
		    :: "r"(at), "l"(m), "r"(n), "r"(n + 1), "r"(b), "h"((uint16_t)1) : "memory");
		ASM("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %1, %1, %1}], [%2];" :: "l"(m), "r"(n), "r"(at) : "memory");
		ASM("cp.reduce.async.bulk.tensor.5d.global.shared::cta.add.tile.bulk_group [%0, {%1, %1, %1, %1, %1}], [%2];" :: "l"(m), "r"(n), "r"(at) : "memory");
		ASM("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %1}];" :: "l"(m), "r"(n) : "memory");
		ASM("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" :: "l"(out + 256), "r"(at) : "memory");
		ASM("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 128;" :: "l"(out + 512), "r"(at) : "memory");
		ASM("cp.async.bulk.commit_group;");
		ASM("cp.async.bulk.wait_group 1;" ::: "memory");
		ASM("cp.async.bulk.wait_group.read 0;" ::: "memory");
		ASM("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(m) : "memory");
		ASM("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
	}
	uint32_t v;
	ASM("multimem.ld_reduce.relaxed.sys.global.add.u32 %0, [%1];" : "=r"(v) : "l"(in) : "memory");
	ASM("multimem.st.weak.global.u32 [%0], %1;" :: "l"(out), "r"(v) : "memory");
	ASM("multimem.red.relaxed.gpu.global.add.u32 [%0+4], %1;" :: "l"(out), "r"(v) : "memory");
	ASM("{ .reg .f32 a, b, c, d; multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {a, b, c, d}, [%0]; multimem.st.relaxed.sys.global.v4.f32 [%1+16], {a, b, c, d}; }" :: "l"(in), "l"(out) : "memory");
	out[threadIdx.x] = v + s[n];
}

#if __CUDA_ARCH__ == 900 && ARCH_A
#define D4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define I4(d, i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
extern "C" __global__ void __launch_bounds__(128) groups(float *out, uint64_t a, uint64_t b, uint32_t *in)
{
	float d[32] = { 0 };
	uint32_t r[4] = { in[0], in[1], in[2], in[3] }, h[4] = { in[4], in[5], in[6], in[7] };

	ASM("setmaxnreg.inc.sync.aligned.u32 232;");
	ASM("wgmma.fence.sync.aligned;" ::: "memory");
	ASM("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 1;" : D4(d, 0) : "l"(a), "l"(b));
	ASM("wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, %12, 1, -1, 1, 1;"
	    : D4(d, 4), D4(d, 8) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b));
	ASM("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1;"
	    : D4(d, 12) : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(b));
	ASM("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%0, %1, %2, %3}, %4, %5, 0, 1, 1;" : D4(d, 16) : "l"(a), "l"(b));
	ASM("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%0, %1, %2, %3}, %4, %5, 1;" : I4(h, 0) : "l"(a), "l"(b));
	ASM("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, %2, %3, 1, 1, 1, 0, 0;" : "+r"(r[0]), "+r"(r[1]) : "l"(a), "l"(b));
	ASM("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, %6, 0, 1, 1, 1, 0, 0;" : D4(d, 20) : "l"(a), "l"(b), "r"(in[9]));
	ASM("wgmma.commit_group.sync.aligned;");
	ASM("wgmma.wait_group.sync.aligned 1;" ::: "memory");
	ASM("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	ASM("setmaxnreg.dec.sync.aligned.u32 40;");
	for (int i = 0; i < 24; i++)
		out[threadIdx.x + 128 * i] = d[i];
	for (int i = 0; i < 4; i++)
		out[threadIdx.x + 128 * (i + 24)] = r[i] + h[i];
}
#endif
