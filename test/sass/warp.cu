/* What the lanes of a warp and the warps of a block do together. */
#include <cstdint>

#define OUT(v) out[i++ * 1024 + threadIdx.x] = (uint32_t)(v)

extern "C" __global__ void lanes(uint32_t *out, const uint32_t *in, uint32_t m)
{
	uint32_t a = in[threadIdx.x], t;
	int p, i = 0;

	OUT(__shfl_sync(m, a, 3) + __shfl_up_sync(~0u, a, m, 16));
	OUT(__shfl_down_sync(~0u, a, 1) ^ __shfl_xor_sync(~0u, a, a & 31));
	OUT(__ballot_sync(m, a > 5));
	OUT(__any_sync(~0u, a == 3) + 2 * __all_sync(m, a != 9));
	OUT(__match_any_sync(~0u, a));
	OUT(__match_all_sync(m, (uint64_t)a << 7, &p) + p);
	OUT(__activemask());
	asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 77; shfl.sync.idx.b32 %0|q, %1, 5, 31, %2; @q add.u32 %0, %0, 1; vote.sync.uni.pred p, p, %2; @p add.u32 %0, %0, 2; }"
	             : "=r"(t) : "r"(a), "r"(m)); OUT(t);
#if __CUDA_ARCH__ >= 800
	OUT(__reduce_add_sync(m, a) + __reduce_max_sync(~0u, (int)a) + __reduce_or_sync(~0u, a) + __reduce_min_sync(m, a));
#endif
#if __CUDA_ARCH__ >= 900
	asm volatile("{ .reg .pred p; elect.sync %0|p, %1; @p add.u32 %0, %0, 3; }" : "=r"(t) : "r"(m)); OUT(t);
#endif
#if __CUDA_ARCH__ == 1000 && ARCH_A
	float f;
	asm volatile("redux.sync.max.abs.NaN.f32 %0, %1, %2;" : "=f"(f) : "f"(__uint_as_float(a)), "r"(m)); OUT(f);
#endif
	asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(t)); OUT(t);
	asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(t)); OUT(t);
	asm volatile("mov.u32 %0, %%smid;" : "=r"(t)); OUT(t);
	asm volatile("mov.u32 %0, %%warpid;" : "=r"(t)); OUT(t);
	OUT(clock() + clock64());
	asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(t)); OUT(t);
	OUT(blockIdx.x * gridDim.y + blockIdx.y * blockDim.z + blockIdx.z + threadIdx.y + threadIdx.z);
	__nanosleep(m);
	__syncwarp(m);
}

extern "C" __global__ void __launch_bounds__(256, 2) blocks(uint32_t *out, const uint32_t *in, int n)
{
	__shared__ volatile uint32_t flag;
	__shared__ uint32_t s[256];
	uint32_t a = in[threadIdx.x], i = 0;

	s[threadIdx.x] = a;
	__syncthreads();
	OUT(__syncthreads_count(a > 3));
	OUT(__syncthreads_and(a > 4) + 2 * __syncthreads_or(a == 7));
	asm volatile("bar.sync %0, 128;" :: "r"(n) : "memory");
	asm volatile("bar.arrive 3, %0;" :: "r"(n * 32) : "memory");
	asm volatile("barrier.sync 4, 64;" ::: "memory");
	asm volatile("bar.sync %0, %1;" :: "r"(n), "r"(n * 32) : "memory");
	if (threadIdx.x == 0)
		flag = 1;
	while (!flag)
		__nanosleep(20);
	if (a & 1)
		asm volatile("pmevent 3;");
	if (a == 77)
		__trap();
	if (a == 78)
		__brkpt();
	if (a == 79)
		asm volatile("exit;");
	OUT(s[255 - threadIdx.x]);
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.wait;" ::: "memory");
	asm volatile("griddepcontrol.launch_dependents;");
#endif
}
