/* Atomics and reductions in memory, of every type, space and scope. */
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdint>

extern "C" __global__ void atomics(uint32_t *g, uint64_t *w, float *f, double *d, __half2 *h, int n)
{
	__shared__ uint32_t s[64];
	__shared__ uint64_t s64[8];
	uint32_t x = 0;

	s[threadIdx.x & 63] = n;
	s64[threadIdx.x & 7] = n;
	__syncthreads();
	x += atomicAdd(g, n) + atomicSub(g + 1, n) + atomicExch(g + 2, n) + atomicMin(g + 3, n) + atomicMax((int *)g + 4, n);
	x += atomicInc(g + 5, n) + atomicDec(g + 6, n) + atomicAnd(g + 7, n) + atomicOr(g + 8, n) + atomicXor(g + 9, n) + atomicCAS(g + 10, n, x);
	w[99] = atomicAdd((unsigned long long *)w, n) + atomicCAS((unsigned long long *)w + 1, n, x) + atomicExch((unsigned long long *)w + 2, x) +
	        atomicMin((long long *)w + 3, x) + atomicAnd((unsigned long long *)w + 4, x);
	f[9] = atomicAdd(f, 1.5f);
	d[9] = atomicAdd(d, 2.5);
	h[9] = atomicAdd(h, __float2half2_rn(1.0f));
	x += atomicAdd(s, n) + atomicMax(s + 1, x) + atomicCAS(s + 2, n, x) + atomicExch(s + 3, x) + atomicInc(s + 4, 9) + atomicXor(s + 5, n);
	w[98] = atomicAdd((unsigned long long *)s64, n) + atomicCAS((unsigned long long *)s64 + 1, 3, n) + atomicExch((unsigned long long *)s64 + 2, x);
	atomicAdd((float *)s + 6, f[1]);
	atomicAdd(g + 11, x);
	atomicMax((int *)g + 12, x);
	atomicOr(g + 13, n);
	atomicAdd(f + 2, f[3]);
	atomicAdd(d + 2, d[3]);
	atomicAdd((unsigned long long *)w + 7, x);
	atomicAdd_system(g + 14, n);
	x += atomicAdd_block(g + 15, n);
	uint16_t c;
	asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;" : "=h"(c) : "l"(g + 16), "h"((uint16_t)n), "h"((uint16_t)x) : "memory");
	asm volatile("atom.acq_rel.sys.global.exch.b32 %0, [%1], %2;" : "+r"(x) : "l"(g + 17), "r"(n) : "memory");
	asm volatile("red.release.gpu.global.add.u32 [%0], %1;" :: "l"(g + 18), "r"(n) : "memory");
	asm volatile("red.global.add.noftz.f16x2 [%0], %1;" :: "l"(g + 19), "r"(n) : "memory");
	g[99] = x + c;
	uint32_t *any = n & 4 ? g : s;
	any[1] = atomicAdd(any, 3);
	atomicMin(any + 2, n);
	atomicCAS(any + 3, n, x);
#if __CUDA_ARCH__ >= 900
	asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" :: "l"(g + 20), "r"(n) : "memory");
	asm volatile("{ .reg .f32 a, b; atom.global.v2.f32.add {a, b}, [%0], {%1, %1}; st.global.v2.f32 [%0+8], {a, b}; }" :: "l"(g + 24), "f"(f[4]) : "memory");
	asm volatile("red.global.v4.f32.add [%0], {%1, %1, %1, %1};" :: "l"(g + 32), "f"(f[5]) : "memory");
	asm volatile("red.global.v2.f16x2.add.noftz [%0], {%1, %1};" :: "l"(g + 40), "r"(n) : "memory");
	asm volatile("{ .reg .b128 a, b, c; mov.b128 a, {%1, %2}; atom.global.cas.b128 b, [%0], a, a; atom.global.exch.b128 c, [%0+16], b; st.global.b128 [%0+32], c; }"
	             :: "l"(w + 16), "l"(w[20]), "l"(w[21]) : "memory");
#endif
}
