// cuda::pipeline of libcu++ with memcpy_async, and copies by a whole group with cooperative_groups::memcpy_async and wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdint>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

extern "C" __global__ void async_pipeline(uint32_t *out, const uint32_t *in, uint32_t rounds)
{
	__shared__ alignas(16) uint32_t s[3][64], all[128];
	const cg::thread_block block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline();
	const uint32_t t = threadIdx.x;
	uint32_t sum = 0;

	cg::memcpy_async(block, all, in, sizeof all);
	for (uint32_t r = 0, ahead = 0; r < rounds; r++) {
		for (; ahead < rounds && ahead < r + 3; ahead++) {
			pipe.producer_acquire();
			cuda::memcpy_async(&s[ahead % 3][t], &in[ahead * 64 + t], cuda::aligned_size_t<4>(4), pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		sum = sum * 5 + s[r % 3][t];
		pipe.consumer_release();
	}
	cg::wait(block);
	out[t] = sum;
	out[64 + t] = all[127 - t] ^ all[t];
}
