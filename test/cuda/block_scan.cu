// Prefix sums of a block: work-efficient (up and down sweep) in shared memory, padded against bank conflicts; then the offsets of blocks.
#include <cstdint>

extern "C" __global__ void block_scan(uint32_t *out, uint32_t *total, const uint32_t *in)
{
	__shared__ uint32_t s[128 + 128 / 32];
	const uint32_t t = threadIdx.x, base = blockIdx.x * 128;
	auto at = [](uint32_t k) { return k + k / 32; };

	s[at(2 * t)] = in[base + 2 * t];
	s[at(2 * t + 1)] = in[base + 2 * t + 1];
	uint32_t gap = 1;
	for (uint32_t d = 64; d > 0; d /= 2, gap *= 2) {
		__syncthreads();
		if (t < d)
			s[at(gap * (2 * t + 2) - 1)] += s[at(gap * (2 * t + 1) - 1)];
	}
	if (t == 0) {
		total[blockIdx.x] = s[at(127)];
		s[at(127)] = 0;
	}
	for (uint32_t d = 1; d < 128; d *= 2) {
		gap /= 2;
		__syncthreads();
		if (t < d) {
			const uint32_t l = at(gap * (2 * t + 1) - 1), r = at(gap * (2 * t + 2) - 1), v = s[l];

			s[l] = s[r];
			s[r] += v;
		}
	}
	__syncthreads();
	out[base + 2 * t] = s[at(2 * t)];
	out[base + 2 * t + 1] = s[at(2 * t + 1)];
}

extern "C" __global__ void block_scan_add(uint32_t *out, const uint32_t *total)
{
	uint32_t before = 0;

	for (uint32_t b = 0; b < blockIdx.x; b++)
		before += total[b];
	out[blockIdx.x * 128 + threadIdx.x] += before;
}
