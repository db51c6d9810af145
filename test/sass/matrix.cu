/* Matrix instructions of every kind that a warp has: mma, sparse mma, wmma, ldmatrix, stmatrix, movmatrix. */
#include <mma.h>
#include <cstdint>

#define F4(x) "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])
#define R4(x) "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])
#define R2(x) "+r"(x[0]), "+r"(x[1])
#define A4 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define A2 "r"(a[0]), "r"(a[1])
#define A1 "r"(a[0])
#define B4 "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3])
#define B2 "r"(b[0]), "r"(b[1])
#define B1 "r"(b[0])
#define D4 "{%0, %1, %2, %3}"
#define MMA_442(kind, d) asm volatile("mma.sync.aligned." kind " " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ";" : d : A4, B2)
#define MMA_421(kind, d) asm volatile("mma.sync.aligned." kind " " D4 ", {%4, %5}, {%6}, " D4 ";" : d : A2, B1)
#define MMA_242(kind, d) asm volatile("mma.sync.aligned." kind " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};" : d : A4, B2)
#define MMA_221(kind, d) asm volatile("mma.sync.aligned." kind " {%0, %1}, {%2, %3}, {%4}, {%0, %1};" : d : A2, B1)
#define MMA_211(kind, d) asm volatile("mma.sync.aligned." kind " {%0, %1}, {%2}, {%3}, {%0, %1};" : d : A1, B1)
#define SP_442(kind, d) asm volatile("mma.sp::ordered_metadata.sync.aligned." kind " " D4 ", {%4, %5}, {%6, %7}, " D4 ", %8, 0x1;" : d : A2, B2, "r"(e))
#define SP_444(kind, d) asm volatile("mma.sp::ordered_metadata.sync.aligned." kind " " D4 ", {%4, %5, %6, %7}, {%8, %9, %10, %11}, " D4 ", %12, 0x0;" : d : A4, B4, "r"(e))
#define FP8(kind, d) asm volatile("mma.sync.aligned." kind " " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ";" : d : A4, B2)

extern "C" __global__ void mma_float(float *out, const uint32_t *in, uint32_t e)
{
	uint32_t a[4], b[4], h[2];
	float d[4] = { 0, 0, 0, 0 };

	for (int i = 0; i < 4; i++) {
		a[i] = in[threadIdx.x * 8 + i];
		b[i] = in[threadIdx.x * 8 + 4 + i];
	}
	h[0] = a[0], h[1] = b[0];
	MMA_421("m16n8k8.row.col.f32.f16.f16.f32", F4(d));
	MMA_221("m16n8k8.row.col.f16.f16.f16.f16", R2(h));
#if __CUDA_ARCH__ >= 800
	MMA_442("m16n8k16.row.col.f32.f16.f16.f32", F4(d));
	MMA_442("m16n8k16.row.col.f32.bf16.bf16.f32", F4(d));
	MMA_421("m16n8k8.row.col.f32.bf16.bf16.f32", F4(d));
	MMA_421("m16n8k4.row.col.f32.tf32.tf32.f32", F4(d));
	MMA_442("m16n8k8.row.col.f32.tf32.tf32.f32", F4(d));
	MMA_242("m16n8k16.row.col.f16.f16.f16.f16", R2(h));
	SP_442("m16n8k16.row.col.f32.f16.f16.f32", F4(d));
	SP_444("m16n8k32.row.col.f32.bf16.bf16.f32", F4(d));
	SP_442("m16n8k8.row.col.f32.tf32.tf32.f32", F4(d));
	SP_444("m16n8k16.row.col.f32.tf32.tf32.f32", F4(d));
#endif
#if __CUDA_ARCH__ >= 890
	FP8("m16n8k32.row.col.f32.e4m3.e4m3.f32", F4(d));
	FP8("m16n8k32.row.col.f32.e5m2.e4m3.f32", F4(d));
	MMA_421("m16n8k16.row.col.f32.e4m3.e4m3.f32", F4(d));
	MMA_242("m16n8k32.row.col.f16.e4m3.e5m2.f16", R2(h));
#endif
#if __CUDA_ARCH__ >= 1200 && ARCH_A
	FP8("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", F4(d));
	FP8("m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e4m3.f32", F4(d));
	asm volatile("mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 " D4
	             ", {%4, %5, %6, %7}, {%8, %9}, " D4 ", %10, {0, 1}, %11, {0, 2};" : F4(d) : A4, B2, "r"(e), "r"(h[0]));
	asm volatile("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 " D4
	             ", {%4, %5, %6, %7}, {%8, %9}, " D4 ", %10, {0, 0}, %11, {0, 0};" : F4(d) : A4, B2, "r"(e), "r"(h[0]));
	asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 " D4
	             ", {%4, %5, %6, %7}, {%8, %9}, " D4 ", %10, {0, 1}, %11, {0, 0};" : F4(d) : A4, B2, "r"(e), "r"(h[0]));
	SP_444("m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e2m1.f32", F4(d));
#endif
	for (int i = 0; i < 4; i++)
		out[threadIdx.x * 8 + i] = d[i];
	out[threadIdx.x * 8 + 4] = __uint_as_float(h[0] ^ h[1]);
}

extern "C" __global__ void mma_int(uint32_t *out, const uint32_t *in, uint32_t e)
{
	uint32_t a[4], b[4], d[4] = { 0, 0, 0, 0 };

	for (int i = 0; i < 4; i++) {
		a[i] = in[threadIdx.x * 8 + i];
		b[i] = in[threadIdx.x * 8 + 4 + i];
	}
	MMA_211("m8n8k16.row.col.s32.s8.s8.s32", R2(d));
	MMA_211("m8n8k16.row.col.satfinite.s32.u8.s8.s32", R2(d));
	MMA_211("m8n8k32.row.col.s32.s4.u4.s32", R2(d));
	MMA_211("m8n8k128.row.col.s32.b1.b1.s32.xor.popc", R2(d));
#if __CUDA_ARCH__ >= 800
	MMA_421("m16n8k16.row.col.s32.s8.u8.s32", R4(d));
	MMA_442("m16n8k32.row.col.satfinite.s32.u8.u8.s32", R4(d));
	MMA_421("m16n8k32.row.col.s32.s4.s4.s32", R4(d));
	MMA_442("m16n8k64.row.col.s32.u4.s4.s32", R4(d));
	MMA_421("m16n8k128.row.col.s32.b1.b1.s32.and.popc", R4(d));
	MMA_442("m16n8k256.row.col.s32.b1.b1.s32.xor.popc", R4(d));
	SP_442("m16n8k32.row.col.s32.s8.s8.s32", R4(d));
	SP_444("m16n8k64.row.col.s32.u8.s8.s32", R4(d));
#endif
	for (int i = 0; i < 4; i++)
		out[threadIdx.x * 4 + i] = d[i];
}

#if __CUDA_ARCH__ >= 800
#define D(n) "d"(n[0])
extern "C" __global__ void mma_double(double *out, const double *in)
{
	double a[8], b[4], d[4] = { 0, 0, 0, 0 };

	for (int i = 0; i < 8; i++)
		a[i] = in[threadIdx.x * 12 + i];
	for (int i = 0; i < 4; i++)
		b[i] = in[threadIdx.x * 12 + 8 + i];
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(d[0]), "+d"(d[1]) : "d"(a[0]), "d"(b[0]));
#if __CUDA_ARCH__ >= 900
	asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 " D4 ", {%4, %5}, {%6}, " D4 ";"
	             : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]));
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 " D4 ", {%4, %5, %6, %7}, {%8, %9}, " D4 ";"
	             : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 " D4 ", {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, " D4 ";"
	             : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
	               "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#endif
	for (int i = 0; i < 4; i++)
		out[threadIdx.x * 4 + i] = d[i];
}
#endif

extern "C" __global__ void fragments(uint32_t *out, const uint32_t *in, int n)
{
	__shared__ __align__(128) uint32_t tile[1024];
	uint32_t r[4], at = (uint32_t)__cvta_generic_to_shared(tile + (threadIdx.x & 31) * 4);

	for (int i = threadIdx.x; i < 1024; i += blockDim.x)
		tile[i] = in[i];
	__syncthreads();
	asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at));
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2+512];" : "=r"(r[1]), "=r"(r[2]) : "r"(at));
	out[threadIdx.x] = r[0] + r[1] * r[2];
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at + n));
	asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r[3]));
#if __CUDA_ARCH__ >= 900
	asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" :: "r"(at), "r"(r[3]), "r"(r[1]), "r"(r[2]), "r"(r[0]) : "memory");
	asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0+1024], {%1};" :: "r"(at), "r"(r[2]) : "memory");
	__syncthreads();
#endif
#if ARCH_A && __CUDA_ARCH__ >= 1000
	asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0, %1}, [%2];" : "=r"(r[1]), "=r"(r[2]) : "r"(at));
	asm volatile("ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b4x16_p64 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[3]) : "r"(at));
#endif
	out[threadIdx.x + 1024] = r[0] ^ r[1] ^ r[2] ^ r[3] ^ tile[n & 1023];
}

extern "C" __global__ void wmma(half *out, const half *in, float *wide)
{
	using namespace nvcuda::wmma;
	fragment<matrix_a, 16, 16, 16, half, row_major> a;
	fragment<matrix_b, 16, 16, 16, half, col_major> b;
	fragment<accumulator, 16, 16, 16, half> c;
	fragment<accumulator, 16, 16, 16, float> d;

	load_matrix_sync(a, in, 16);
	load_matrix_sync(b, in + 256, 16);
	fill_fragment(c, 0);
	load_matrix_sync(d, wide, 16, mem_row_major);
	mma_sync(c, a, b, c);
	mma_sync(d, a, b, d);
	store_matrix_sync(out, c, 16, mem_row_major);
	store_matrix_sync(wide, d, 16, mem_col_major);
}
