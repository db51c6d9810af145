/* Tensor memory of sm_100a: allocation, loads and stores of every shape, copies, and matrix instructions of every kind. */
#include <cstdint>

#define ASM(...) asm volatile(__VA_ARGS__)
#define V4(v, i) "r"(v[i]), "r"(v[i + 1]), "r"(v[i + 2]), "r"(v[i + 3])
#define W4(v, i) "=r"(v[i]), "=r"(v[i + 1]), "=r"(v[i + 2]), "=r"(v[i + 3])

extern "C" __global__ void __launch_bounds__(128) tensor(uint32_t *out, const uint32_t *in, uint64_t a, uint64_t b, uint32_t kind, int n)
{
	__shared__ uint32_t where;
	__shared__ uint64_t bar;
	uint32_t at = (uint32_t)__cvta_generic_to_shared(&where), s = (uint32_t)__cvta_generic_to_shared(&bar), t, v[16], w = 0;

	if (threadIdx.x < 32) {
		ASM("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" :: "r"(at) : "memory");
		ASM("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
	}
	ASM("tcgen05.fence::before_thread_sync;" ::: "memory");
	__syncthreads();
	ASM("tcgen05.fence::after_thread_sync;" ::: "memory");
	t = where;
	if (threadIdx.x == 0) {
		ASM("{ .reg .pred p; setp.ne.s32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" :: "r"(t), "l"(a), "l"(b), "r"(kind), "r"(n) : "memory");
		ASM("{ .reg .pred p; setp.ne.s32 p, %4, 0; tcgen05.mma.cta_group::1.kind::tf32 [%0], [%1], %2, %3, p; }" :: "r"(t), "r"(t + 64), "l"(b), "r"(kind), "r"(n) : "memory");
		ASM("{ .reg .pred p; setp.ne.s32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %2, %3, {%4, %4, %4, %4}, p; }" :: "r"(t), "l"(a), "l"(b), "r"(kind), "r"(n) : "memory");
		ASM("{ .reg .pred p; setp.ne.s32 p, %4, 0; tcgen05.mma.cta_group::1.kind::i8 [%0], %1, %2, %3, p; }" :: "r"(t), "l"(a), "l"(b), "r"(kind), "r"(n) : "memory");
		ASM("{ .reg .pred p; setp.ne.s32 p, %4, 0; tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%0], %1, %2, %3, [%5], [%6], p; }"
		    :: "r"(t), "l"(a), "l"(b), "r"(kind), "r"(n), "r"(t + 96), "r"(t + 100) : "memory");
		ASM("{ .reg .pred p; setp.ne.s32 p, %4, 0; tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%0], %1, %2, %3, [%5], [%6], p; }"
		    :: "r"(t), "l"(a), "l"(b), "r"(kind), "r"(n), "r"(t + 96), "r"(t + 100) : "memory");
		ASM("{ .reg .pred p; setp.ne.s32 p, %4, 0; tcgen05.mma.sp.cta_group::1.kind::f16 [%0], %1, %2, [%5], %3, p; }" :: "r"(t), "l"(a), "l"(b), "r"(kind), "r"(n), "r"(t + 96) : "memory");
		ASM("{ .reg .pred p; setp.ne.s32 p, %4, 0; tcgen05.mma.ws.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" :: "r"(t), "l"(a), "l"(b), "r"(kind), "r"(n) : "memory");
		ASM("tcgen05.cp.cta_group::1.128x256b [%0], %1;" :: "r"(t), "l"(a) : "memory");
		ASM("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" :: "r"(t), "l"(b) : "memory");
		ASM("tcgen05.shift.cta_group::1.down [%0];" :: "r"(t) : "memory");
		ASM("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(s) : "memory");
		ASM("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" :: "r"(s), "h"((uint16_t)n) : "memory");
	}
	ASM("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(v[0]) : "r"(t));
	ASM("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, [%16];" : W4(v, 0), W4(v, 4), W4(v, 8), W4(v, 12) : "r"(t + n));
	ASM("tcgen05.wait::ld.sync.aligned;" ::: "memory");
	for (int i = 0; i < 16; i++)
		w += v[i];
	ASM("tcgen05.ld.sync.aligned.16x64b.x2.b32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(t));
	ASM("tcgen05.ld.sync.aligned.16x128b.x2.pack::16b.b32 {%0, %1, %2, %3}, [%4];" : W4(v, 4) : "r"(t));
	ASM("tcgen05.ld.sync.aligned.16x256b.x1.b32 {%0, %1, %2, %3}, [%4];" : W4(v, 8) : "r"(t));
	ASM("tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%0, %1}, [%2], 4;" : "=r"(v[2]), "=r"(v[3]) : "r"(t));
	ASM("tcgen05.wait::ld.sync.aligned;" ::: "memory");
	for (int i = 0; i < 12; i++)
		w ^= v[i];
	ASM("tcgen05.st.sync.aligned.32x32b.x4.b32 [%0], {%1, %2, %3, %4};" :: "r"(t), V4(v, 0) : "memory");
	ASM("tcgen05.st.sync.aligned.16x64b.x1.unpack::16b.b32 [%0], {%1};" :: "r"(t + 8), "r"(w) : "memory");
	ASM("tcgen05.st.sync.aligned.16x256b.x2.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" :: "r"(t + 16), V4(v, 4), V4(v, 8) : "memory");
	ASM("tcgen05.wait::st.sync.aligned;" ::: "memory");
	__syncthreads();
	if (threadIdx.x < 32)
		ASM("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" :: "r"(t));
	out[threadIdx.x] = w;
}
