// Softmax and layer normalisation of rows: maxima and sums over a block by shuffles and shared memory, expf, rsqrtf.
#include <cstdint>

template <typename F> __device__ float over_block(float x, F f)
{
	__shared__ float s[4];

	for (int d = 16; d > 0; d /= 2)
		x = f(x, __shfl_xor_sync(~0u, x, d));
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		s[threadIdx.x / 32] = x;
	__syncthreads();
	return f(f(s[0], s[1]), f(s[2], s[3]));
}

extern "C" __global__ void softmax(float *soft, float *norm, const float *in)
{
	const uint32_t i = blockIdx.x * 128 + threadIdx.x;
	auto most = [](float a, float b) { return fmaxf(a, b); };
	auto plus = [](float a, float b) { return a + b; };
	const float x = in[i], e = expf(x - over_block(x, most));

	soft[i] = e / over_block(e, plus);
	const float mean = over_block(x, plus) / 128, off = x - mean;
	norm[i] = off * rsqrtf(over_block(off * off, plus) / 128 + 1e-5f) * 1.5f + 0.25f;
}
