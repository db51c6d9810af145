// Inline PTX: mma of bytes (m16n8k32, saturating), tf32 (m16n8k8), bfloat16 (m16n8k8), doubles (m8n8k4) and halves with half sums (m16n8k8).
#include <cstdint>
#include <cuda_fp16.h>

static __device__ uint32_t pack(const uint32_t *in, uint32_t at) { return in[at] | in[at + 1] << 8 | in[at + 2] << 16 | in[at + 3] << 24; }
static __device__ uint32_t bf16_pair(const uint32_t *in, uint32_t at, uint32_t step)
{
	return __float_as_uint(float(int(in[at]))) >> 16 | (__float_as_uint(float(int(in[at + step]))) & 0xffff0000);
}
static __device__ uint32_t half_pair(const uint32_t *in, uint32_t at, uint32_t step)
{
	return __half_as_ushort(__uint2half_rn(in[at] & 7)) | uint32_t(__half_as_ushort(__uint2half_rn(in[at + step] & 7))) << 16;
}

// `in` holds numbers below 100. Each product takes A from its start, by rows, and B from in + 512, by rows too (bytes: by columns).
extern "C" __global__ void mma_mixed(int *bytes, float *tf32, float *bf16, double *wide, uint32_t *half, const uint32_t *in)
{
	const uint32_t lane = threadIdx.x, g = lane / 4, q = lane % 4, *b = in + 512;
	int s[4] = { 0x7fffff00, -5, 0, 100 };
	float t[4] = { 0, 1, 2, 3 }, f[4] = { 0, 0, 0, 0 };
	double d[2] = { 0.5, -0.5 };
	uint32_t h[2] = { 0, 0x3c003c00 };

	asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	             : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
	             : "r"(pack(in, g * 32 + q * 4)), "r"(pack(in, (g + 8) * 32 + q * 4)), "r"(pack(in, g * 32 + q * 4 + 16)), "r"(pack(in, (g + 8) * 32 + q * 4 + 16)),
	               "r"(pack(b, g * 32 + q * 4)), "r"(pack(b, g * 32 + q * 4 + 16)));
	auto real = [](uint32_t x) { return __float_as_uint(float(x) * 0.5f); };
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	             : "+f"(t[0]), "+f"(t[1]), "+f"(t[2]), "+f"(t[3])
	             : "r"(real(in[g * 8 + q])), "r"(real(in[(g + 8) * 8 + q])), "r"(real(in[g * 8 + q + 4])), "r"(real(in[(g + 8) * 8 + q + 4])),
	               "r"(real(b[q * 8 + g])), "r"(real(b[(q + 4) * 8 + g])));
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
	             : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
	             : "r"(bf16_pair(in, g * 8 + q * 2, 1)), "r"(bf16_pair(in, (g + 8) * 8 + q * 2, 1)), "r"(bf16_pair(b, q * 16 + g, 8)));
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
	             : "+d"(d[0]), "+d"(d[1]) : "d"(double(in[g * 4 + q]) * 0.125), "d"(double(b[q * 8 + g])));
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
	             : "+r"(h[0]), "+r"(h[1])
	             : "r"(half_pair(in, 1024 + g * 8 + q * 2, 1)), "r"(half_pair(in, 1024 + (g + 8) * 8 + q * 2, 1)), "r"(half_pair(in, 1152 + q * 16 + g, 8)));
	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t at = (g + k / 2 * 8) * 8 + q * 2 + k % 2;

		bytes[at] = s[k];
		tf32[at] = t[k];
		bf16[at] = f[k];
	}
	wide[g * 8 + q * 2] = d[0];
	wide[g * 8 + q * 2 + 1] = d[1];
	half[g * 4 + q] = h[0];
	half[(g + 8) * 4 + q] = h[1];
}
