// Sparse matrix times vector, CSR: one row a thread, and one row a warp with a shuffle reduction.
#include <cstdint>

extern "C" __global__ void spmv(float *narrow, float *wide, const uint32_t *bits, uint32_t rows)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 32, lane = i % 32;
	// Row r has r % 13 entries and starts after those of the rows before it.
	auto start = [](uint32_t r) { return r / 13 * 78 + (r % 13) * (r % 13 - 1) / 2; };
	auto column = [=](uint32_t e) { return bits[e] >> 8 & 63; };
	auto value = [=](uint32_t e) { return float(int(bits[e] & 31) - 15); };
	auto x = [](uint32_t c) { return float(c) * 0.25f - 3.0f; };

	if (i < rows) {
		float sum = 0;

		for (uint32_t e = start(i); e < start(i + 1); e++)
			sum += value(e) * x(column(e));
		narrow[i] = sum;
	}
	if (row < rows) {
		float sum = 0;

		for (uint32_t e = start(row) + lane; e < start(row + 1); e += 32)
			sum += value(e) * x(column(e));
		for (int d = 16; d > 0; d /= 2)
			sum += __shfl_xor_sync(~0u, sum, d);
		if (lane == 0)
			wide[row] = sum;
	}
}
