// Tensor cores by wmma: half inputs, float accumulators, 16 x 16 x 16 tiles, row- and column-major, several steps, scaled in fragments.
#include <cstdint>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void wmma_f16(float *c, const uint16_t *a, const uint16_t *b)
{
	__shared__ __half sa[32 * 32], sb[32 * 32];
	const uint32_t warp = threadIdx.x / 32, row = warp / 2 * 16, col = warp % 2 * 16;

	for (uint32_t i = threadIdx.x; i < 1024; i += 128) {
		sa[i] = __int2half_rn(int(a[i]) - 8);
		sb[i] = __int2half_rn(int(b[i]) - 5);
	}
	__syncthreads();
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
	wmma::fill_fragment(acc, 1.5f);
	for (int k = 0; k < 32; k += 16) {
		wmma::load_matrix_sync(fa, &sa[row * 32 + k], 32);
		wmma::load_matrix_sync(fb, &sb[col * 32 + k], 32);
		wmma::mma_sync(acc, fa, fb, acc);
	}
	for (int i = 0; i < acc.num_elements; i++)
		acc.x[i] *= 0.5f;
	wmma::store_matrix_sync(&c[row * 32 + col], acc, 32, wmma::mem_row_major);
}
