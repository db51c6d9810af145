// Mandelbrot set: loops of different length in each lane, fma written out so that every count is exact.
#include <cstdint>

extern "C" __global__ void mandelbrot(uint8_t *out, uint32_t w, uint32_t limit)
{
	const uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	const float cr = __fmaf_rn(float(x), 0.0625f, -2.0f), ci = __fmaf_rn(float(y), 0.0625f, -1.0f);
	float zr = 0, zi = 0;
	uint32_t n = 0;

	for (; n < limit; n++) {
		const float r2 = __fmul_rn(zr, zr), i2 = __fmul_rn(zi, zi);

		if (__fadd_rn(r2, i2) > 4.0f)
			break;
		zi = __fmaf_rn(2.0f * zr, zi, ci);
		zr = __fadd_rn(__fsub_rn(r2, i2), cr);
	}
	out[y * w + x] = uint8_t(n);
}
