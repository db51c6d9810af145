// Asynchronous copies to shared memory in inline PTX: cp.async of 4, 8 and 16 bytes, .ca and .cg, zero fill, groups, two stages in flight.
#include <cstdint>

template <int bytes> __device__ void copy(void *to, const void *from)
{
	asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(uint32_t(__cvta_generic_to_shared(to))), "l"(__cvta_generic_to_global(from)), "n"(bytes) : "memory");
}
__device__ void copy16(void *to, const void *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(uint32_t(__cvta_generic_to_shared(to))), "l"(__cvta_generic_to_global(from)) : "memory");
}
__device__ void copy4(void *to, const void *from, uint32_t filled)
{
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(uint32_t(__cvta_generic_to_shared(to))), "l"(__cvta_generic_to_global(from)), "r"(filled) : "memory");
}

extern "C" __global__ void cp_async(uint32_t *out, const uint4 *in, uint32_t rounds)
{
	__shared__ uint4 s[2][64];
	__shared__ uint2 eight[64];
	__shared__ uint32_t four[64];
	const uint32_t t = threadIdx.x;
	uint32_t sum = 0;

	copy16(&s[0][t], &in[t]);
	copy<8>(&eight[t], &in[t]);
	copy4(&four[t], &in[t], 4 - t % 3);
	asm volatile("cp.async.commit_group;" ::: "memory");
	for (uint32_t r = 0; r < rounds; r++) {
		if (r + 1 < rounds)
			copy<16>(&s[(r + 1) % 2][t], &in[(r + 1) * 64 + t]);
		asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 1;" ::: "memory");
		__syncthreads();
		const uint4 v = s[r % 2][63 - t];

		sum = sum * 7 + (v.x ^ v.y * 3 ^ v.z * 5 ^ v.w);
		__syncthreads();
	}
	asm volatile("cp.async.wait_all;" ::: "memory");
	out[t] = sum;
	out[64 + t] = eight[t ^ 1].y;
	out[128 + t] = four[t ^ 1];
}
