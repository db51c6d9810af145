// Inline PTX: ldmatrix, plain and transposed, mma.m16n8k16 of halves with float sums, and stmatrix where the target has it.
#include <cstdint>
#include <cuda_fp16.h>

extern "C" __global__ void mma_f16(float *c, uint16_t *d, const uint16_t *in)
{
	__shared__ __align__(16) __half a[16][16], b[16][8], r[8][16];
	const uint32_t lane = threadIdx.x, g = lane / 4, q = lane % 4;
	uint32_t fa[4], fb[2], lo, hi;
	float x[4] = { 1, 2, 3, 4 };

	for (uint32_t i = lane; i < 256; i += 32)
		a[i / 16][i % 16] = __int2half_rn(int(in[i]) - 9);
	for (uint32_t i = lane; i < 128; i += 32)
		b[i / 8][i % 8] = __int2half_rn(int(in[256 + i]) - 6);
	__syncwarp();
	const uint32_t at = uint32_t(__cvta_generic_to_shared(&a[lane % 16][lane / 16 * 8])), bt = uint32_t(__cvta_generic_to_shared(&b[lane % 16][0]));
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at));
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(bt));
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	             : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
	for (uint32_t k = 0; k < 4; k++)
		c[(g + k / 2 * 8) * 8 + q * 2 + k % 2] = x[k];
	const __half2 h = __floats2half2_rn(x[0], x[1]), l = __floats2half2_rn(x[2], x[3]);
	lo = *(const uint32_t *)&h;
	hi = *(const uint32_t *)&l;
#if __CUDA_ARCH__ >= 900
	const uint32_t rt = uint32_t(__cvta_generic_to_shared(&r[lane % 8][lane / 8 % 2 * 8]));
	asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" :: "r"(rt), "r"(lo), "r"(hi) : "memory");
#else
	*(uint32_t *)&r[g][q * 2] = lo;
	*(uint32_t *)&r[g][8 + q * 2] = hi;
#endif
	__syncwarp();
	for (uint32_t i = lane; i < 128; i += 32)
		d[i] = __half_as_ushort(r[i / 16][i % 16]);
}
