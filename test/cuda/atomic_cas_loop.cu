// Atomics made of compare-and-swap loops: maximum of doubles, product, sum of 16-bit halves of a word, a saturating counter, a spin lock.
#include <cstdint>

typedef unsigned long long u64;

__device__ double atomic_max(double *at, double x)
{
	u64 *p = (u64 *)at, seen = *p, was;

	do {
		was = seen;
		if (__longlong_as_double((long long)was) >= x)
			break;
		seen = atomicCAS(p, was, (u64)__double_as_longlong(x));
	} while (seen != was);
	return __longlong_as_double((long long)seen);
}
template <typename F> __device__ void update(uint32_t *p, F f)
{
	uint32_t seen = *(volatile uint32_t *)p, was;

	do {
		was = seen;
		seen = atomicCAS(p, was, f(was));
	} while (seen != was);
}

extern "C" __global__ void atomic_cas_loop(double *most, uint32_t *acc, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];

	atomic_max(&most[x & 3], double(x) - 2e9);
	update(&acc[0], [=](uint32_t a) { return (a + 1) * (x | 1) - 1; });
	update(&acc[1], [=](uint32_t a) { return __vadd2(a, x); });
	update(&acc[2], [=](uint32_t a) { return a < 100 ? a + 1 : a; });
	unsigned short *half = (unsigned short *)&acc[3] + (x & 1), seen = *half, was;
	do {
		was = seen;
		seen = atomicCAS(half, was, (unsigned short)(was + x));
	} while (seen != was);
	for (bool done = false; !done;) {               // a spin lock that lets the lanes of a warp in one by one
		if (atomicCAS(&acc[4], 0, 1) == 0) {
			__threadfence();
			*(volatile uint32_t *)&acc[5] = *(volatile uint32_t *)&acc[5] + (x & 255);
			__threadfence();
			atomicExch(&acc[4], 0);
			done = true;
		}
	}
}
