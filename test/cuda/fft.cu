// Fast Fourier transform of 64 complex numbers in shared memory, radix 2, bit-reversed input, twiddles by sincospif.
#include <cstdint>

extern "C" __global__ void fft(float2 *out, const float2 *in)
{
	__shared__ float2 s[64];
	const uint32_t t = threadIdx.x, base = blockIdx.x * 64;

	for (uint32_t k = t; k < 64; k += 32)
		s[__brev(k) >> 26] = in[base + k];
	for (uint32_t half = 1; half < 64; half *= 2) {
		const uint32_t j = t % half, lo = t / half * 2 * half + j;
		float c, d;

		__syncthreads();
		sincospif(-float(j) / float(half), &d, &c);
		const float2 a = s[lo], b = s[lo + half], w = make_float2(b.x * c - b.y * d, b.x * d + b.y * c);
		s[lo] = make_float2(a.x + w.x, a.y + w.y);
		s[lo + half] = make_float2(a.x - w.x, a.y - w.y);
	}
	__syncthreads();
	for (uint32_t k = t; k < 64; k += 32)
		out[base + k] = s[k];
}
