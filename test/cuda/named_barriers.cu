// Barriers by number with counts: a producer warp arrives and consumer warps wait, barriers that reduce (__syncthreads_count, and, or), bar.red.
#include <cstdint>

extern "C" __global__ void named_barriers(uint32_t *out, const uint32_t *in)
{
	__shared__ uint32_t s[2][32];
	const uint32_t t = threadIdx.x, warp = t / 32, lane = t % 32;
	uint32_t sum = 0;

	for (uint32_t r = 0; r < 6; r++) {              // barriers 1, 2: buffer r % 2 is full; 3, 4: it is empty
		if (warp == 0) {
			if (r >= 2)
				asm volatile("bar.sync %0, 96;" :: "r"(3 + r % 2) : "memory");
			s[r % 2][lane] = in[r * 32 + lane];
			asm volatile("bar.arrive %0, 96;" :: "r"(1 + r % 2) : "memory");
		} else {
			asm volatile("bar.sync %0, 96;" :: "r"(1 + r % 2) : "memory");
			sum = sum * 3 + s[r % 2][lane ^ warp];
			if (r < 4)
				asm volatile("bar.arrive %0, 96;" :: "r"(3 + r % 2) : "memory");
		}
	}
	out[t] = sum;
	const int count = __syncthreads_count(in[t] & 1), all = __syncthreads_and(in[t] != 12345), any = __syncthreads_or(in[t] % 512 == 7);
	out[96 + t] = uint32_t(count) | uint32_t(all != 0) << 16 | uint32_t(any != 0) << 17;
	if (warp > 0) {
		uint32_t odd;

		asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\tbar.red.popc.u32 %0, 5, 64, p;\n\t}" : "=r"(odd) : "r"(in[t] & 2) : "memory");
		out[192 + t - 32] = odd;
	}
}
