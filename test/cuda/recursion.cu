// Recursion: Fibonacci, Ackermann, mutual recursion, towers of Hanoi with a local array in each frame.
#include <cstdint>

__device__ __noinline__ uint32_t fib(uint32_t n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ uint32_t ackermann(uint32_t m, uint32_t n)
{
	return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ bool is_odd(uint32_t n);
__device__ __noinline__ bool is_even(uint32_t n) { return n == 0 ? true : is_odd(n - 1); }
__device__ __noinline__ bool is_odd(uint32_t n) { return n == 0 ? false : is_even(n - 1); }
__device__ __noinline__ uint64_t hanoi(uint32_t n, uint32_t from, uint32_t to, uint32_t *moves)
{
	uint32_t trail[3] = { from, to, 3 - from - to };

	if (n == 0)
		return 0;
	uint64_t a = hanoi(n - 1, trail[0], trail[2], moves);
	++*moves;
	uint64_t b = hanoi(n - 1, trail[2], trail[1], moves);
	return a * 7 + (trail[*moves % 3] << 2) + b;
}

extern "C" __global__ void recursion(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = threadIdx.x, n = blockDim.x, x = in[i];
	uint32_t moves = 0;

	out[i] = fib(x % 12);
	out[n + i] = ackermann(x % 3, (x >> 8) % 4);
	out[2 * n + i] = is_even(x % 20);
	out[3 * n + i] = uint32_t(hanoi(x % 6, 0, 2, &moves)) + (moves << 24);
}
