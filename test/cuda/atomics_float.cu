// Floating-point atomic sums: float, double, half, pairs of half and of bfloat16. All values are small integers, so any order gives the same bits.
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void atomics_float(float *f, double *d, uint32_t *h, const uint32_t *in)
{
	__shared__ float s;
	const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	const int x = int(in[i] & 15) - 7;

	if (t == 0)
		s = 0;
	__syncthreads();
	atomicAdd(&f[x & 3], float(x));
	atomicAdd(&s, float(i));
	atomicAdd(&d[x & 3], double(x) * 0x1p40);
	atomicAdd((__half2 *)&h[0], __floats2half2_rn(float(x), float(x & 1)));
	atomicAdd((__nv_bfloat162 *)&h[1], __floats2bfloat162_rn(float(x & 1), -float(x & 1)));
	atomicAdd((__half *)&h[2] + (x & 1), __int2half_rn(x));
	__syncthreads();
	if (t == 0)
		f[4 + blockIdx.x] = s + atomicAdd(&f[6], 0.0f);
}
