// Single-precision functions of the CUDA library: small and large arguments, so that the slow paths with local memory are taken too.
#include <cstdint>

extern "C" __global__ void float_math(float *out, const float *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	const float x = in[i], big = x * 1e6f * float(1 + i * i), p = fabsf(x) + 0.25f;

	out[i] = sinf(x);
	out[n + i] = cosf(x);
	out[2 * n + i] = sinf(big);
	out[3 * n + i] = cosf(big);
	out[4 * n + i] = tanf(x);
	out[5 * n + i] = expf(x);
	out[6 * n + i] = logf(p);
	out[7 * n + i] = powf(p, x);
	out[8 * n + i] = atan2f(x, p - 1);
	out[9 * n + i] = tanhf(x);
	out[10 * n + i] = erff(x);
	out[11 * n + i] = cbrtf(x);
	out[12 * n + i] = rsqrtf(p);
	out[13 * n + i] = exp2f(x);
	out[14 * n + i] = log2f(p);
	out[15 * n + i] = asinf(x / 16);
}
