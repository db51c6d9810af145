// cuda::atomic_ref of libcu++: fetch_add, fetch_or, compare_exchange, load and store in several memory orders.
#include <cstdint>
#include <cuda/atomic>

extern "C" __global__ void atomic_ref(uint32_t *acc, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
	cuda::atomic_ref<uint32_t, cuda::thread_scope_device> a(acc[0]), c(acc[1]), mine(acc[2 + i]);

	a.fetch_add(x, cuda::memory_order_acq_rel);
	uint32_t seen = c.load(cuda::memory_order_acquire);
	while (!c.compare_exchange_weak(seen, seen ^ (x >> 3), cuda::memory_order_release, cuda::memory_order_relaxed)) {}
	mine.store(x + 1, cuda::memory_order_release);
	mine.fetch_or(mine.load(cuda::memory_order_relaxed) << 1);
}
