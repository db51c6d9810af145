// Matrix transposition through a padded tile in shared memory, for elements of 4 and 16 bytes, with ragged edges.
#include <cstdint>

template <typename T> __device__ void tile(T *out, const T *in, int w, int h)
{
	__shared__ T s[16][17];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;

	for (int k = 0; k < 16; k += 8)
		if (x < w && y + k < h)
			s[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
	__syncthreads();
	x = blockIdx.y * 16 + threadIdx.x;
	y = blockIdx.x * 16 + threadIdx.y;
	for (int k = 0; k < 16; k += 8)
		if (x < h && y + k < w)
			out[(y + k) * h + x] = s[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void transpose(uint32_t *a, uint4 *b, const uint32_t *in, int w, int h)
{
	tile(a, in, w, h);
	tile(b, (const uint4 *)in, w / 4, h);
}
