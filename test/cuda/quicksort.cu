// Recursive quicksort of an array in each thread's local memory, with a comparison passed as a pointer.
#include <cstdint>

typedef bool (*less_than)(uint32_t, uint32_t);
__device__ bool upwards(uint32_t a, uint32_t b) { return a < b; }
__device__ bool by_low_byte(uint32_t a, uint32_t b) { return (a & 255) < (b & 255) || ((a & 255) == (b & 255) && a > b); }

__device__ __noinline__ void sort(uint32_t *a, int n, less_than lt)
{
	if (n < 2)
		return;
	uint32_t pivot = a[n / 2];
	int l = 0, r = n - 1;

	while (l <= r) {
		while (lt(a[l], pivot)) l++;
		while (lt(pivot, a[r])) r--;
		if (l <= r) {
			uint32_t t = a[l];

			a[l++] = a[r];
			a[r--] = t;
		}
	}
	sort(a, r + 1, lt);
	sort(a + l, n - l, lt);
}

extern "C" __global__ void quicksort(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = threadIdx.x;
	uint32_t a[24];

	for (int k = 0; k < 24; k++)
		a[k] = in[i * 24 + k];
	sort(a, 24, i & 1 ? by_low_byte : upwards);
	for (int k = 0; k < 24; k++)
		out[i * 24 + k] = a[k];
}
