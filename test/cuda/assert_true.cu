// assert: conditions that hold, in a function, in a loop and in divergent code.
#undef NDEBUG
#include <cassert>
#include <cstdint>

__device__ __noinline__ uint32_t checked_sqrt(uint32_t x)
{
	uint32_t r = 0;

	for (uint32_t bit = 1u << 15; bit; bit >>= 1)
		if (uint64_t(r | bit) * (r | bit) <= x)
			r |= bit;
	assert(uint64_t(r) * r <= x && uint64_t(r + 1) * (r + 1) > x);
	return r;
}

extern "C" __global__ void assert_true(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];

	assert(blockDim.x == 64);
	if (x & 1)
		assert((x ^ 1) % 2 == 0);
	out[i] = checked_sqrt(x);
}
