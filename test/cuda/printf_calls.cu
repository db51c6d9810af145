// printf: arguments of every size, %s with a string constant, its return value, and a line from one thread only.
#include <cstdint>
#include <cstdio>

extern "C" __global__ void printf_calls(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = threadIdx.x, x = in[i];
	int n = 0;

	if (i % 16 == 3)
		n = printf("thread %u of %d: %08x %lld %s %.3f %c\n", i, blockDim.x, x, (long long)x * -1000, i & 32 ? "high" : "low",
		           double(x) / 4294967296.0, 'a' + i % 26);
	if (i == 0)
		n += printf("no arguments\n");
	out[i] = x + uint32_t(n);
}
