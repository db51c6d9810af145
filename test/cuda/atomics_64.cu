// 64-bit atomics in global and shared memory, of block and system scope too.
#include <cstdint>

typedef unsigned long long u64;

extern "C" __global__ void atomics_64(u64 *acc, u64 *out, const u64 *in)
{
	__shared__ u64 s[2];
	const uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t, n = gridDim.x * blockDim.x;
	const u64 x = in[i];

	if (t < 2)
		s[t] = ~0ull * t;
	__syncthreads();
	atomicAdd(&acc[0], x);
	atomicMin(&acc[1], x);
	atomicMax(&acc[2], x);
	atomicAnd(&acc[3], x | 0xffffffff00000000ull);
	atomicOr(&acc[4], x & 0x8000000100000001ull);
	atomicXor(&acc[5], x);
	atomicMin((long long *)&acc[6], (long long)x);
	atomicMax((long long *)&acc[7], (long long)x);
	atomicAdd_system(&acc[8], 3);
	atomicAdd_block(&s[0], x);
	atomicMin(&s[1], x);
	const u64 a = atomicExch(&out[i], x), b = atomicCAS(&out[i], x, x * 3), c = atomicCAS(&out[i], x, 1);
	out[n + i] = a + b * 5 + c;
	__syncthreads();
	if (t < 2)
		out[2 * n + blockIdx.x * 2 + t] = s[t];
}
