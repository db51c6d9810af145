/* Loads and stores of all widths, spaces and orders; copies that run beside; textures and surfaces. */
#include <cstdint>

__constant__ float table[64] = { 1, 2, 3, 5, 8 };
__device__ uint64_t counter = 42;
__device__ uint8_t *start = (uint8_t *)&counter;
extern __shared__ uint32_t dynamic[];

template<class T> __device__ __forceinline__ void move(const void *in, void *out, int at)
{
	((T *)out)[at + threadIdx.x] = ((const T *)in)[at * 3 + threadIdx.x];
}

extern "C" __global__ void widths(const uint8_t *in, uint8_t *out, uint32_t n)
{
	__shared__ uint4 tile[64];
	uint32_t x, y;
	uint64_t w, v;

	move<uint8_t>(in, out, 0);
	move<int16_t>(in, out, 1000);
	move<uint32_t>(in, out, 2000);
	move<uint64_t>(in, out, 3000);
	move<uint4>(in, out, 4000);
	tile[threadIdx.x] = ((const uint4 *)in)[threadIdx.x + n];
	((uint8_t *)tile)[n] = (uint8_t)n;
	__syncthreads();
	((int8_t *)out)[n + 7] = ((int8_t *)tile)[threadIdx.x * 3] + ((int16_t *)tile)[threadIdx.x];
	((uint2 *)out)[n] = ((uint2 *)tile)[63 - threadIdx.x];
	((float *)out)[n + 99] = table[n & 63] + table[3] + table[threadIdx.x];
	dynamic[threadIdx.x] = n;
	__syncwarp();
	out[n + 17] = (uint8_t)dynamic[threadIdx.x ^ 1];
	asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(x) : "l"(in + 4 * n));
	asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1+8];" : "=r"(y) : "l"(in + 4 * n));
	asm volatile("st.global.wt.u32 [%0], %1;" :: "l"(out), "r"(x + y) : "memory");
	asm volatile("st.global.cs.u32 [%0+4], %1;" :: "l"(out), "r"(x - y) : "memory");
	asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(in));
	asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(in + 64));
	asm volatile("st.release.cta.global.u64 [%0], %1;" :: "l"(out), "l"(w + v) : "memory");
	asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"((uint32_t)__cvta_generic_to_shared(tile)), "r"(n) : "memory");
	asm volatile("prefetch.global.L2 [%0];" :: "l"(in + n));
#if __CUDA_ARCH__ >= 800
	asm volatile("discard.global.L2 [%0], 128;" :: "l"(out + 128 * n) : "memory");
#endif
	asm volatile("prefetchu.L1 [%0];" :: "l"(in));
	__threadfence_block();
	__threadfence();
	__threadfence_system();
	counter += *start;
#if __CUDA_ARCH__ >= 800
	uint64_t policy;
	asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(policy));
	asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(x) : "l"(in), "l"(policy));
	asm volatile("st.global.L2::cache_hint.u32 [%0+16], %1, %2;" :: "l"(out), "r"(x), "l"(policy) : "memory");
	asm volatile("ld.global.L1::evict_first.L2::128B.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(in + 256));
	asm volatile("st.global.L1::evict_last.v2.u32 [%0+32], {%1, %2};" :: "l"(out), "r"(x), "r"(y) : "memory");
#endif
#if __CUDA_ARCH__ >= 1000
	asm volatile("{ .reg .b64 a, b, c, d; ld.global.v4.b64 {a, b, c, d}, [%0]; st.global.v4.b64 [%1], {d, a, c, b}; }" :: "l"(in + 512), "l"(out + 512) : "memory");
	asm volatile("{ .reg .b32 a, b, c, d, e, f, g, h; ld.global.v8.b32 {a, b, c, d, e, f, g, h}, [%0]; st.global.v8.b32 [%1], {d, a, c, b, h, f, g, e}; }" :: "l"(in + 640), "l"(out + 640) : "memory");
#endif
}

extern "C" __global__ void generic(uint32_t *global, int *which, int n)
{
	__shared__ uint32_t shared[256];
	uint32_t local[33], *p = n & 1 ? shared : n & 2 ? local : global;

	for (int i = 0; i < 33; i++)
		local[i] = which[i * n];
	shared[threadIdx.x] = n;
	__syncthreads();
	p[threadIdx.x & 31] += 7;
	((uint64_t *)p)[1] = ((uint64_t *)p)[2];
	*(uint4 *)(p + 4) = *(uint4 *)(p + 8);
	((uint8_t *)p)[n] = ((int8_t *)p)[n + 1];
	global[0] = __isShared(p) + 2 * __isLocal(p) + 4 * __isGlobal(p);
	global[threadIdx.x + 1] = local[n] + shared[255 - threadIdx.x] + ((uint16_t *)local)[n + 1] + local[n + 2];
	((uint2 *)global)[threadIdx.x + 99] = ((uint2 *)local)[n & 7];
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void beside(const uint8_t *in, uint32_t *out, int n)
{
	__shared__ __align__(128) uint8_t tile[2][4096];
	__shared__ uint64_t arrived;
	uint32_t to = (uint32_t)__cvta_generic_to_shared(tile[0]) + threadIdx.x * 16, bar = (uint32_t)__cvta_generic_to_shared(&arrived);
	uint64_t state;

	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(bar), "r"(blockDim.x) : "memory");
	__syncthreads();
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(in) : "memory");
	asm volatile("cp.async.ca.shared.global [%0+8], [%1], 8, %2;" :: "r"(to), "l"(in + 32), "r"(n) : "memory");
	asm volatile("cp.async.cg.shared.global.L2::128B [%0+4096], [%1+16], 16;" :: "r"(to), "l"(in + 64 * n) : "memory");
	asm volatile("cp.async.commit_group;");
	asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(bar) : "memory");
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
	asm volatile("cp.async.wait_group 1;" ::: "memory");
	asm volatile("cp.async.wait_all;" ::: "memory");
	asm volatile("{ .reg .pred p; W: mbarrier.test_wait.shared.b64 p, [%0], %1; @!p bra W; }" :: "r"(bar), "l"(state) : "memory");
	out[threadIdx.x] = tile[0][threadIdx.x] + tile[1][threadIdx.x * 7];
	asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(bar) : "memory");
}
#endif

extern "C" __global__ void textures(float4 *out, cudaTextureObject_t t, cudaTextureObject_t u, cudaSurfaceObject_t s, float x, float y)
{
	float4 v = tex2D<float4>(t, x + threadIdx.x, y);
	float a = tex1Dfetch<float>(u, (int)x + threadIdx.x), b = tex3D<float>(t, x, y, a), c = tex2DLod<float>(t, x, y, b), d = tex2DLayered<float>(u, y, x, 3);
	float4 g = tex2Dgather<float4>(t, x, y, 1);
	float e = tex2DGrad<float>(t, x, y, make_float2(a, b), make_float2(c, d)), f = texCubemap<float>(u, x, y, e);

	out[threadIdx.x] = make_float4(v.x + a + g.x, v.y + b + g.y, v.z + c + g.z + e, v.w + d + f);
	float2 p = surf2Dread<float2>(s, threadIdx.x * 8, 3);
	surf2Dwrite(make_float2(p.y, p.x), s, threadIdx.x * 8, 4);
	surf3Dwrite(p.x, s, (int)x, 1, 2, cudaBoundaryModeZero);
	asm volatile("sured.b.2d.add.u32.clamp [%0, {%1, %2}], %3;" :: "l"(s), "r"((int)x), "r"((int)y), "r"((int)a) : "memory");
	uint32_t q;
	asm volatile("txq.width.b32 %0, [%1];" : "=r"(q) : "l"(t));
	out[threadIdx.x + 1024].x = q;
	asm volatile("suq.height.b32 %0, [%1];" : "=r"(q) : "l"(s));
	out[threadIdx.x + 1024].y = q;
}
