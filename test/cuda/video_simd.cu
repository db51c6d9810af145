// SIMD within a word: the __v... intrinsics on bytes and halfwords, dot products of bytes and halfwords, inline vadd, vmad, vset.
#include <cstdint>

static __device__ uint32_t dot(uint32_t a, uint32_t b, uint32_t c)
{
	return uint32_t(__dp4a(int(a), int(b), int(c))) ^ __dp4a(a, b, c) * 3 ^ uint32_t(__dp2a_lo(int(a), int(b), int(c))) * 5 ^
	       __dp2a_hi(a, b, c) * 7;
}

extern "C" __global__ void video_simd(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	const uint32_t y = in[(i * 7 + 1) % n] ^ (i % 4 == 0 ? x & 0xff00ff00 : 0);
	uint32_t r;

	out[i] = __vadd4(x, y);
	out[n + i] = __vsub4(x, y);
	out[2 * n + i] = __vaddus4(x, y);
	out[3 * n + i] = __vaddss4(x, y);
	out[4 * n + i] = __vabsdiffu4(x, y);
	out[5 * n + i] = __vavgu4(x, y);
	out[6 * n + i] = __vmaxs4(x, y) ^ __vminu4(x, y);
	out[7 * n + i] = __vcmpgtu4(x, y) ^ __vseteq4(x, y);
	out[8 * n + i] = __vadd2(x, y) ^ __vsub2(x, y);
	out[9 * n + i] = __vsubss2(x, y);
	out[10 * n + i] = __vmaxu2(x, y) ^ __vcmplts2(x, y);
	out[11 * n + i] = __vabs2(x) ^ __vneg4(y);
	out[12 * n + i] = __vsadu4(x, y);
	out[13 * n + i] = dot(x, y, i);
	asm("vadd.s32.s32.s32.sat %0, %1.b2, %2.h1;" : "=r"(r) : "r"(x), "r"(y));
	out[14 * n + i] = r;
	asm("vmad.u32.u32.u32 %0, %1.h0, %2.b3, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(i));
	out[15 * n + i] = r;
}
