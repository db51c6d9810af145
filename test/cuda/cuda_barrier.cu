// cuda::barrier of libcu++ in shared memory (mbarrier objects): arrive and wait apart, arrive_and_wait, a barrier of half the block.
#include <cstdint>
#include <cuda/barrier>

extern "C" __global__ void cuda_barrier(uint32_t *out, const uint32_t *in)
{
	using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ barrier whole, part;
	__shared__ uint32_t s[128];
	const uint32_t t = threadIdx.x;

	if (t == 0) {
		init(&whole, 128);
		init(&part, 64);
	}
	__syncthreads();
	for (uint32_t r = 0; r < 3; r++) {
		s[t] = in[r * 128 + t];
		barrier::arrival_token token = whole.arrive();
		const uint32_t mine = in[t] * r;

		whole.wait(std::move(token));
		out[r * 128 + t] = s[127 - t] + mine;
		whole.arrive_and_wait();
	}
	if (t >= 64) {
		s[t] = t * 3;
		part.arrive_and_wait();
		out[384 + t - 64] = s[191 - t];
	}
}
