// Parameters by value: a struct with members of all sizes and an array, small ones, one indexed by data; passed on to a function.
#include <cstdint>

struct options {
	uint8_t shift;
	int16_t bias;
	uint32_t scale[4];
	double weight;
	const uint32_t *table;
};
struct pair { uint32_t a, b; };

__device__ __noinline__ uint32_t evaluate(options o, pair p, uint32_t x)
{
	o.scale[1] += p.a;
	return ((x >> o.shift) + uint32_t(int32_t(o.bias))) * o.scale[x & 3] + p.b;
}

extern "C" __global__ void struct_params(uint32_t *out, const __grid_constant__ options o, pair p, uint8_t small, int64_t big)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = o.table[i];

	out[i] = evaluate(o, p, x);
	out[n + i] = uint32_t(double(x & 0xffff) * o.weight) + small;
	out[2 * n + i] = uint32_t((int64_t(x) * big) >> 7);
}
