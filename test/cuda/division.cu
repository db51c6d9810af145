// Division and remainder of 8, 16 and 32 bits, signed and unsigned, by data and by constants.
#include <cstdint>

extern "C" __global__ void division(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i], y = (in[n - 1 - i] >> (i % 30)) | 1;
	const int32_t s = int32_t(x), t = int32_t(in[n - 1 - i]) >> (i % 30) | 2;
	const int16_t h = int16_t(x), g = int16_t(y | 4);
	const uint8_t b = uint8_t(x), c = uint8_t(y | 1);

	out[i] = x / y;
	out[n + i] = x % y;
	out[2 * n + i] = uint32_t(s / t);
	out[3 * n + i] = uint32_t(s % t);
	out[4 * n + i] = uint32_t(h / g) << 16 | uint16_t(h % g);
	out[5 * n + i] = uint32_t(b / c) << 8 | b % c;
	out[6 * n + i] = x / 3 + x / 7 + x / 10 + x / 641 + x % 1000 + x / 0x80000001u;
	out[7 * n + i] = uint32_t(s / 3 + s / -5 + s % 7 + s / 4 + s % 8 + s / 1000003);
}
