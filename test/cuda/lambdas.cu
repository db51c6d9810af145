// Lambdas: captures by value and by reference, generic ones, passed to a template, returned from one.
#include <cstdint>

template <typename F> __device__ uint32_t fold(int n, uint32_t start, F f)
{
	for (int i = 0; i < n; i++)
		start = f(start, i);
	return start;
}
template <typename F, typename G> __device__ auto compose(F f, G g) { return [=](uint32_t x) { return f(g(x)); }; }

extern "C" __global__ void lambdas(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	uint32_t calls = 0;
	auto mix = [x](uint32_t s, int k) { return (s ^ x) * 16777619u + k; };
	auto count = [&calls](auto a, auto b) { calls += a > b; return a > b ? a : b; };
	auto both = compose([](uint32_t a) { return a ^ a >> 15; }, [x](uint32_t a) { return a * (x | 1); });

	out[i] = fold(x & 15, 2166136261u, mix);
	out[n + i] = fold(5, x, [&](uint32_t s, int k) { return count(s, in[(i + k) % n]); });
	out[2 * n + i] = calls;
	out[2 * n + i] += uint32_t(count(int16_t(x), int16_t(x >> 16))) + 1000 * calls;
	out[3 * n + i] = both(i + 1);
}
