/* 64-bit selection, minima, products and sums of values that are the same in all lanes: sm_120 has instructions of its own for them. */
#include <cstdint>

extern "C" __global__ void select64(int64_t *out, const int64_t *in, int64_t a, int64_t b, uint32_t m)
{
	const int64_t x = in[threadIdx.x], y = in[threadIdx.x + 1024];

	out[threadIdx.x] = x < y ? x : a;
	out[threadIdx.x + 1024] = m > 3 ? x : b;
	out[threadIdx.x + 2048] = min(y, a);
	out[threadIdx.x + 3072] = x / b;
}

__constant__ uint64_t table[8];

/* Where a division follows, nothing is predicated, and values stay in uniform registers. */
extern "C" __global__ void same(int64_t *out, int64_t a, uint64_t u, uint32_t n)
{
	const int64_t x = out[threadIdx.x], y = out[threadIdx.x + 1024];
	int64_t r;

	if (x > n)
		r = y / x;
	else if (y > n)
		r = max(a, (int64_t)0x7fffffff);
	else
		r = max(u, table[3]) << (blockIdx.x & n);
	out[threadIdx.x] = r;
	out[0] = u / 10000000000000ull;
}
