// Integer intrinsics: bit counting and reversal, byte permutation, funnel shifts, high products, sums of differences, averages, 24-bit products.
#include <cstdint>

extern "C" __global__ void int_intrinsics(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i], y = in[(i * 7 + 1) % n];
	const int sx = int(x), sy = int(y);

	out[i] = __popc(x) | __clz(x >> (y & 31)) << 8 | __ffs(x << (y & 31)) << 16;
	out[n + i] = __brev(x);
	out[2 * n + i] = __byte_perm(x, y, y >> 3 & 0x7777);
	out[3 * n + i] = __funnelshift_l(x, y, i);
	out[4 * n + i] = __funnelshift_r(x, y, y);
	out[5 * n + i] = __funnelshift_lc(x, y, i % 50);
	out[6 * n + i] = __funnelshift_rc(x, y, i % 50);
	out[7 * n + i] = __umulhi(x, y);
	out[8 * n + i] = uint32_t(__mulhi(sx, sy));
	out[9 * n + i] = __sad(sx, sy, x) ^ __usad(x, y, 5u);
	out[10 * n + i] = uint32_t(__hadd(sx, sy)) ^ uint32_t(__rhadd(sx, sy)) ^ __uhadd(x, y) ^ __urhadd(x, y);
	out[11 * n + i] = uint32_t(__mul24(sx, sy)) ^ __umul24(x, y);
	out[12 * n + i] = uint32_t(abs(sx)) + uint32_t(min(sx, sy)) + max(x, y);
	out[13 * n + i] = x << 9 | x >> 23;
	out[14 * n + i] = (x >> (y & 15)) & ((1u << (y >> 4 & 15)) - 1);
	out[15 * n + i] = (x & y) | (~x & i) | (y ^ 0xff00ff00);
}
