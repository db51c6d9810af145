/* Each operand from a register of its own, that nothing else reads: who does not know that an instruction reads it finds a result that nobody reads.
 * So is every load here at a place of its own, and what instructions have in common elsewhere, the descriptor of global memory or the base of shared memory,
 * is in kernels of a single access. */
#include <cstdint>
#include <cuda_fp16.h>

#define ASM(...) asm volatile(__VA_ARGS__)
#define AT(n) (32 * (n) + threadIdx.x)
#define IN in[AT(__COUNTER__)]
#define WIDE ((const uint64_t *)in)[AT(__COUNTER__)]
#define OUT(v) out[AT(__COUNTER__)] = (v)
#define ASM1(text, type) { type r_; ASM(text : "=r"(r_) : "r"(IN)); OUT(r_); }
#define ASM2(text, type) { type r_; ASM(text : "=r"(r_) : "r"(IN), "r"(IN)); OUT(r_); }
#define ASM3(text, type) { type r_; ASM(text : "=r"(r_) : "r"(IN), "r"(IN), "r"(IN)); OUT(r_); }

static __device__ __forceinline__ __half2 half_of(uint32_t v) { return *(__half2 *)&v; }
static __device__ __forceinline__ uint32_t bits(__half2 v) { return *(uint32_t *)&v; }
#define H half_of(IN)

extern "C" __global__ void integers(uint32_t *out, const uint32_t *in)
{
	OUT(__brev(IN));
	OUT((uint32_t)abs((int)IN));
	OUT(__popc(IN));
	OUT(__clz(IN));
	ASM2("bmsk.clamp.b32 %0, %1, %2;", uint32_t)
	ASM3("sad.u32 %0, %1, %2, %3;", uint32_t)
	ASM3("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", uint32_t)
	ASM3("vabsdiff.s32.s32.s32 %0, %1, %2;  add.u32 %0, %0, %3;", uint32_t)
	ASM3("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;", uint32_t)
	ASM1("cvt.sat.s8.s32 %0, %1;", uint32_t)
	ASM1("cvt.sat.u16.s32 %0, %1;", uint32_t)
	OUT(__viaddmax_s32((int)IN, (int)IN, (int)IN));
	OUT(__viaddmin_u32(IN, IN, IN));
	OUT(__vimax3_s32((int)IN, (int)IN, (int)IN));
	OUT(__vimin3_u32(IN, IN, IN));
	OUT(__byte_perm(IN, IN, IN));
	OUT(__funnelshift_l(IN, IN, IN));
	OUT(__dp4a(IN, IN, IN));
	__nanosleep(IN);
#if __CUDA_ARCH__ >= 800
	OUT(__reduce_min_sync(~0u, IN));
	OUT(__reduce_add_sync(~0u, IN));
	OUT((uint32_t)__reduce_max_sync(~0u, (int)IN));
#endif
	OUT(__isShared((void *)WIDE));
	OUT(__isLocal((void *)WIDE));
}

extern "C" __global__ void floats(uint32_t *out, const uint32_t *in)
{
	const double *d = (const double *)in;

	OUT(bits(__hfma2(H, H, H)));
	OUT(bits(__hmul2(H, H)));
	OUT(bits(__hadd2(H, H)));
	OUT(bits(__hgt2(H, H)));
	OUT(__hbgt2(H, H));
#if __CUDA_ARCH__ >= 800
	OUT(bits(__hmax2(H, H)));
	OUT(bits(__hmin2(H, H)));
#endif
	OUT(d[AT(__COUNTER__)] < d[AT(__COUNTER__)]);
	OUT(__float_as_uint(fmaf(__uint_as_float(IN), __uint_as_float(IN), __uint_as_float(IN))));
	OUT(__float_as_uint(fmaxf(fmaxf(__uint_as_float(IN), __uint_as_float(IN)), __uint_as_float(IN))));
	OUT(__float_as_uint(floorf(__uint_as_float(IN))));
#if __CUDA_ARCH__ >= 1000
	{
		uint64_t r;

		ASM("add.rn.f32x2 %0, %1, %2;" : "=l"(r) : "l"(WIDE), "l"(WIDE));
		((uint64_t *)out)[AT(__COUNTER__)] = r;
		ASM("mul.rn.f32x2 %0, %1, %2;" : "=l"(r) : "l"(WIDE), "l"(WIDE));
		((uint64_t *)out)[AT(__COUNTER__)] = r;
		ASM("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(r) : "l"(WIDE), "l"(WIDE), "l"(WIDE));
		((uint64_t *)out)[AT(__COUNTER__)] = r;
	}
	ASM3("max.f32 %0, %1, %2, %3;", uint32_t)
	ASM3("min.f32 %0, %1, %2, %3;", uint32_t)
#endif
}

extern "C" __global__ void memories(uint32_t *out, const uint32_t *in)
{
	__shared__ uint32_t s[1024];
	uint32_t local[16];

	for (int i = 0; i < 16; i++)
		local[i] = 0;
	local[IN & 15] = IN;
	OUT(local[IN & 15]);
	ASM("st.shared.u32 [%0], %1;" :: "r"(IN), "r"(IN) : "memory");
	ASM("red.shared.add.u32 [%0], %1;" :: "r"(IN), "r"(IN) : "memory");
	ASM2("atom.shared.exch.b32 %0, [%1], %2;", uint32_t)
	ASM3("atom.shared.cas.b32 %0, [%1], %2, %3;", uint32_t)
	ASM("red.add.u32 [%0], %1;" :: "l"(WIDE), "r"(IN) : "memory");
	{
		uint32_t r;

		ASM("atom.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(WIDE), "r"(IN) : "memory");
		OUT(r);
		ASM("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "l"(WIDE), "r"(IN), "r"(IN) : "memory");
		OUT(r);
		ASM("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(IN) : "memory");
		OUT(r);
	}
#if __CUDA_ARCH__ >= 800
	ASM("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(IN), "l"(WIDE) : "memory");
#endif
#if __CUDA_ARCH__ >= 900
	ASM("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(IN), "r"(IN) : "memory");
	ASM("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: "r"(IN), "r"(IN), "r"(IN) : "memory");
	ASM("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" :: "r"(IN), "r"(IN), "r"(IN) : "memory");
	ASM("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(IN), "r"(IN) : "memory");
	ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(IN), "r"(IN) : "memory");
	ASM("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 8;" :: "r"(IN) : "memory");
#endif
	out[0] = s[IN & 1023];
}

/* Handles that one instruction each uses. */
extern "C" __global__ void handles(float *out, const float *in, cudaTextureObject_t a, cudaTextureObject_t b, cudaTextureObject_t c, cudaTextureObject_t d, cudaTextureObject_t e,
                                   cudaSurfaceObject_t f, cudaSurfaceObject_t g, cudaSurfaceObject_t h)
{
	uint32_t v;

	OUT(tex2D<float>(a, IN, IN));
	OUT(tex1Dfetch<float>(b, (int)IN));
	OUT(tex2Dgather<float4>(c, IN, IN, 0).x);
	OUT(tex2DGrad<float>(d, IN, IN, make_float2(IN, IN), make_float2(IN, IN)));
	OUT(tex2DLod<float>(e, IN, IN, IN));
	surf2Dread(&v, f, (int)IN, (int)IN);
	OUT(v);
	surf2Dwrite((uint32_t)IN, g, (int)IN, (int)IN);
	ASM("sured.b.2d.add.u32.clamp [%0, {%1, %2}], %3;" :: "l"(h), "r"((int)IN), "r"((int)IN), "r"((uint32_t)IN) : "memory");
}

/* One access each. */
extern "C" __global__ void red_global(uint32_t *p) { ASM("red.global.add.u32 [%0], %1;" :: "l"(p), "r"(threadIdx.x) : "memory"); }
extern "C" __global__ void red_generic(uint32_t *p) { ASM("red.add.u32 [%0], %1;" :: "l"(p), "r"(threadIdx.x) : "memory"); }
extern "C" __global__ void atom_global(uint32_t *p) { while (atomicCAS(p, threadIdx.x, 7) != 5) ; }
extern "C" __global__ void atom_generic(uint32_t *p)
{
	uint32_t r;

	do
		ASM("atom.exch.b32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(threadIdx.x) : "memory");
	while (r);
}
extern "C" __global__ void shared_atom(uint32_t n)
{
	extern __shared__ uint32_t s[];

	while (atomicExch(s + n + threadIdx.x, 1))
		;
}
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void copies(const uint32_t *p, uint32_t n)
{
	extern __shared__ uint32_t s[];

	ASM("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"((uint32_t)__cvta_generic_to_shared(s + n + threadIdx.x)), "l"(p) : "memory");
}
extern "C" __global__ void copies_arrive(const uint32_t *p, uint32_t n)
{
	extern __shared__ uint64_t m[];

	ASM("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "r"((uint32_t)__cvta_generic_to_shared(m + n)) : "memory");
}
#endif
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void arrives(uint32_t n)
{
	extern __shared__ uint64_t m[];

	ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"((uint32_t)__cvta_generic_to_shared(m + n)) : "memory");
}
/* Coordinates, maps and addresses of tensor copies, each a parameter of its own. */
extern "C" __global__ void tensor_copies(uint64_t a, uint32_t b, uint32_t c, uint64_t d, uint32_t e, uint32_t f, uint64_t g, uint32_t h, uint64_t i, uint64_t j, uint32_t k, uint32_t l)
{
	ASM("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" :: "l"(a), "r"(b), "r"(c) : "memory");
	ASM("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, {%1}], [%2];" :: "l"(d), "r"(e), "r"(f) : "memory");
	ASM("cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%0, {%1}];" :: "l"(g), "r"(h) : "memory");
	ASM("prefetch.tensormap [%0];" :: "l"(i) : "memory");
	ASM("cp.async.bulk.prefetch.L2.global [%0], 512;" :: "l"(j) : "memory");
}
#endif
#if __CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1200
/* Descriptors and addresses of matrix instructions in tensor memory, likewise. */
#define MMA(kind, n) ASM("{ .reg .pred p; setp.ne.s32 p, %4, 0; tcgen05.mma.cta_group::1.kind::" kind " [%0], %1, %2, %3, p; }" \
	:: "r"(t[n]), "l"(d[2 * n]), "l"(d[2 * n + 1]), "r"(k[n]), "r"((int)k[n + 32]) : "memory")
#define SCALED(kind, n) ASM("{ .reg .pred p; setp.ne.s32 p, %4, 0; tcgen05.mma.cta_group::1.kind::" kind " [%0], %1, %2, %3, [%5], [%6], p; }" \
	:: "r"(t[n]), "l"(d[2 * n]), "l"(d[2 * n + 1]), "r"(k[n]), "r"((int)k[n + 32]), "r"(t[n + 32]), "r"(t[n + 64]) : "memory")
struct descriptors { uint32_t t[96]; uint64_t d[64]; uint32_t k[64]; };
extern "C" __global__ void tensor_matrices(const __grid_constant__ descriptors p, uint32_t *out, const uint32_t *in)
{
	const uint32_t *t = p.t, *k = p.k;
	const uint64_t *d = p.d;

	MMA("f16", 0);
	MMA("tf32", 1);
	MMA("f8f6f4", 2);
	MMA("i8", 3);
	SCALED("mxf8f6f4.block_scale.scale_vec::1X", 4);
	SCALED("mxf4nvf4.block_scale.scale_vec::4X", 5);
	ASM("tcgen05.cp.cta_group::1.128x256b [%0], %1;" :: "r"(t[6]), "l"(d[12]) : "memory");
	ASM("tcgen05.shift.cta_group::1.down [%0];" :: "r"(t[7]) : "memory");
	ASM("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" :: "r"(t[8]) : "memory");
	ASM("tcgen05.st.sync.aligned.32x32b.x2.b32 [%0], {%1, %2};" :: "r"(t[9]), "r"(IN), "r"(IN) : "memory");
}
#endif
#if ARCH_A && __CUDA_ARCH__ == 900
extern "C" __global__ void __launch_bounds__(128) warpgroup(float *out, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	float r[8] = { 0 }, s[8] = { 0 };
	int v[8] = { 0 };

	ASM("wgmma.fence.sync.aligned;");
	ASM("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(r[0]), "+f"(r[1]), "+f"(r[2]), "+f"(r[3]) : "l"(a), "l"(b));
	ASM("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%0, %1, %2, %3}, %4, %5, 1, 1, 1;" : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "l"(c), "l"(d));
	ASM("wgmma.commit_group.sync.aligned;");
	ASM("wgmma.wait_group.sync.aligned 0;");
	for (int i = 0; i < 4; i++)
		out[AT(i)] = r[i] + s[i] + v[i];
}
#endif
