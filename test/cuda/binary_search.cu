// Binary search in a sorted array, lower and upper bound, and the merge of two sorted halves by ranks.
#include <cstdint>

template <typename F> __device__ uint32_t first(uint32_t n, F after)
{
	uint32_t low = 0;

	while (n > 0) {
		const uint32_t half = n / 2;

		if (after(low + half)) {
			n = half;
		} else {
			low += half + 1;
			n -= half + 1;
		}
	}
	return low;
}

extern "C" __global__ void binary_search(uint32_t *bounds, int *merged, const int *left, const int *right, uint32_t n)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	const int x = left[i], y = right[i], key = int(i * 37 % 500) - 20;

	bounds[i] = first(n, [=](uint32_t k) { return left[k] >= key; }) | first(n, [=](uint32_t k) { return left[k] > key; }) << 16;
	merged[i + first(n, [=](uint32_t k) { return right[k] >= x; })] = x;
	merged[i + first(n, [=](uint32_t k) { return left[k] > y; })] = y;
}
