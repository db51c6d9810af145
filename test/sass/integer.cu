/* Integer arithmetic of every width, bits, video instructions, predicates. */
#include <cstdint>

#define OUT(v) out[i++ * 1024 + threadIdx.x] = (uint32_t)(v)
#define OUT64(v) wide[j++ * 1024 + threadIdx.x] = (uint64_t)(v)

extern "C" __global__ void bits(uint32_t *out, const uint32_t *in, int n)
{
	uint32_t a = in[threadIdx.x], b = in[threadIdx.x + 1024], c = in[threadIdx.x + 2048], d;
	int i = 0;

	OUT(__popc(a) + __clz(b));
	OUT(__brev(a) ^ __ffs(b));
	OUT(__byte_perm(a, b, c));
	OUT(__funnelshift_l(a, b, c));
	OUT(__funnelshift_rc(a, b, n));
	OUT((a & b) | (~a & c));
	OUT(a ^ b ^ c);
	OUT((int)a >> (c & 31));
	OUT(a << n);
	OUT(a >> (n & 31));
	asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(n), "r"(b & 31)); OUT(d);
	asm("bfi.b32 %0, %1, %2, %3, 9;" : "=r"(d) : "r"(a), "r"(b), "r"(c & 31)); OUT(d);
	asm("bfind.s32 %0, %1;" : "=r"(d) : "r"(a)); OUT(d);
	asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); OUT(d);
	asm("szext.wrap.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); OUT(d);
	asm("fns.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(n)); OUT(d);
	OUT((int8_t)a + (int16_t)b);
	OUT((a & 0xff00) >> 8 | (b & 0xff) << 24);
}

extern "C" __global__ void arith(uint32_t *out, const int *in, int n)
{
	int a = in[threadIdx.x], b = in[threadIdx.x + 1024], c = in[threadIdx.x + 2048], i = 0;

	OUT(a * b + c);
	OUT(__mulhi(a, b));
	OUT(__umulhi(a, b) + c);
	OUT(__mul24(a, b));
	OUT(__sad(a, b, c));
	OUT(__usad(a, b, c));
	OUT(abs(a) + min(b, c) - max(a, n));
	OUT(min((unsigned)b, (unsigned)c));
	OUT(__hadd(a, b) + __rhadd(a, c));
	OUT(a / b);
	OUT((unsigned)a % (unsigned)b);
	OUT(a / 7 + (unsigned)b / 10u);
	OUT(a > b && b < c || c == n ? a : b);
	OUT((a > 3 ^ b != 5) ? 1 : c);
	OUT(a * 9 + b * 16);
	OUT(__dp4a(a, b, c));
	OUT(__dp4a((unsigned)a, (unsigned)b, (unsigned)c));
	OUT(__dp2a_lo(a, b, c) + __dp2a_hi(a, b, n));
	OUT(max(max(a, b), c));
	OUT(min(max(a, 3), 77));
	OUT((uint16_t)a * (uint16_t)b + c);
}

extern "C" __global__ void wide(uint64_t *wide, const uint64_t *in, uint64_t n)
{
	uint64_t a = in[threadIdx.x], b = in[threadIdx.x + 1024], c = in[threadIdx.x + 2048], d;
	int j = 0;

	OUT64(a + b);
	OUT64(a - c);
	OUT64(a * b + c);
	OUT64(__umul64hi(a, b));
	OUT64(__mul64hi(a, n));
	OUT64(a << (c & 63));
	OUT64((int64_t)a >> (int)n);
	OUT64(a >> 13);
	OUT64(a < b ? b : c);
	OUT64(min((int64_t)a, (int64_t)b) + max(a, n));
	OUT64((int64_t)a > (int64_t)c);
	OUT64(__popcll(a) + __clzll(b) + __ffsll(c));
	OUT64(__brevll(a));
	OUT64(a == n ? b : a);
	OUT64((uint64_t)(uint32_t)a * (uint32_t)b + c);
	OUT64((int64_t)(int)a * (int)b - c);
	OUT64((a & b) | ~c);
	OUT64(a + 0x123456789abcdefull);
	OUT64(a / 1000000007ull);
	OUT64(a % b);
	asm("{ .reg .u32 l, h, x, y;\n mov.b64 {l, h}, %1; mov.b64 {x, y}, %2; add.cc.u32 l, l, x; addc.u32 h, h, y; mov.b64 %0, {l, h}; }" : "=l"(d) : "l"(a), "l"(b));
	OUT64(d);
	asm("bfe.u64 %0, %1, 5, 40;" : "=l"(d) : "l"(a)); OUT64(d);
	unsigned __int128 x = (unsigned __int128)a * b + c;
	OUT64(x >> 64);
	OUT64(x);
}

extern "C" __global__ void video(uint32_t *out, const uint32_t *in, uint32_t n)
{
	uint32_t a = in[threadIdx.x], b = in[threadIdx.x + 1024], c = in[threadIdx.x + 2048];
	int i = 0;

	OUT(__vadd4(a, b) ^ __vsub2(a, c));
	OUT(__vmaxs2(a, b) ^ __vminu2(b, c));
	OUT(__vmaxu4(a, b));
	OUT(__vavgu4(a, b));
	OUT(__vsadu4(a, b));
	OUT(__vcmpgts2(a, b));
	OUT(__vabsdiffu4(a, c));
	OUT(__viaddmax_s32(a, b, c));
	OUT(__vimax3_u32(a, b, c));
	OUT(__vimin3_s16x2(a, b, c));
	OUT(__viaddmin_u16x2(a, b, c));
	OUT(__vimax_s32_relu(a, b));
	bool p, q;
	OUT(__vibmax_s32(a, b, &p));
	OUT(__vibmin_u16x2(a, c, &p, &q));
	OUT(p * 2 + q);
}
