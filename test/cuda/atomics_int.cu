// 32-bit atomics in global and shared memory: add, sub, min, max, and, or, xor, inc, dec, exch, cas, with and without their result.
#include <cstdint>

extern "C" __global__ void atomics_int(uint32_t *acc, uint32_t *out, const uint32_t *in)
{
	__shared__ uint32_t s[10];
	const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t, n = gridDim.x * blockDim.x, x = in[i];

	if (t < 10)
		s[t] = 0;
	__syncthreads();
	atomicAdd(&acc[0], x);
	atomicSub(&acc[1], x);
	atomicMin(&acc[2], x);
	atomicMax(&acc[3], x);
	atomicAnd(&acc[4], x | 0x00ff0000);
	atomicOr(&acc[5], x & 0x01010101);
	atomicXor(&acc[6], x);
	atomicMin((int *)&acc[7], int(x));
	atomicMax((int *)&acc[8], int(x));
	atomicAdd(&acc[9], atomicInc(&acc[10], 99));
	atomicAdd(&acc[11], atomicDec(&acc[12], 50) * 3);
	if (x & 1)
		atomicAdd((int *)&acc[13], -int(x & 0xff));
	const uint32_t a = atomicExch(&out[i], x), b = atomicCAS(&out[i], x, x + 1), c = atomicCAS(&out[i], x, 5);
	out[n + i] = a * 3 + b + c;
	atomicAdd(&s[x & 7], 1);
	atomicMax(&s[8], x);
	atomicAdd(&s[9], atomicAdd(&s[x & 7], 0) & 0);
	__syncthreads();
	if (t < 10)
		out[2 * n + blockIdx.x * 10 + t] = s[t];
}
