// 64-bit integers: multiplication high and low, division and remainder signed and unsigned, shifts by data, compares, min, max, abs.
#include <cstdint>

extern "C" __global__ void int64_math(uint64_t *out, const uint64_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	const uint64_t a = in[i], b = in[n + i] >> (i % 61);
	const int64_t s = int64_t(a), t = int64_t(in[n + i]) >> (i % 60);

	out[i] = a * b;
	out[n + i] = __umul64hi(a, b);
	out[2 * n + i] = uint64_t(__mul64hi(s, t));
	out[3 * n + i] = b ? a / b : 0;
	out[4 * n + i] = b ? a % b : 0;
	out[5 * n + i] = t && t != -1 ? uint64_t(s / t) : 1;
	out[6 * n + i] = t && t != -1 ? uint64_t(s % t) : 1;
	out[7 * n + i] = (a << (b & 63)) ^ (a >> (t & 63)) ^ uint64_t(s >> (a & 63));
	out[8 * n + i] = (a < b ? 1 : 0) | (s < t ? 2 : 0) | (a <= uint64_t(t) ? 4 : 0) | (s >= int64_t(b) ? 8 : 0);
	out[9 * n + i] = min(a, b) + max(s, t) * 3 + llabs(s >> 1);
	out[10 * n + i] = a / 1000003 + a % 10 + uint64_t(s / 7) + uint64_t(s % 100);
	out[11 * n + i] = uint64_t(__clzll(a) | __popcll(a) << 8 | __ffsll(b) << 16) ^ __brevll(a);
}
