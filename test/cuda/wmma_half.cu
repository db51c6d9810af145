// Tensor cores by wmma: half accumulators, 32 x 8 x 16 and 8 x 32 x 16 tiles, column-major results.
#include <cstdint>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void wmma_half(uint16_t *tall, uint16_t *flat, const uint16_t *in)
{
	__shared__ __half s[512];

	for (uint32_t i = threadIdx.x; i < 512; i += 32)
		s[i] = __int2half_rn(int(in[i]) - 3);
	__syncwarp();
	wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::row_major> b;
	wmma::fragment<wmma::accumulator, 32, 8, 16, __half> c;
	wmma::load_matrix_sync(a, s, 16);
	wmma::load_matrix_sync(b, s, 8);
	wmma::load_matrix_sync(c, s, 32, wmma::mem_col_major);
	wmma::mma_sync(c, a, b, c);
	wmma::store_matrix_sync((__half *)tall, c, 8, wmma::mem_row_major);

	wmma::fragment<wmma::matrix_a, 8, 32, 16, __half, wmma::col_major> d;
	wmma::fragment<wmma::matrix_b, 8, 32, 16, __half, wmma::col_major> e;
	wmma::fragment<wmma::accumulator, 8, 32, 16, __half> f;
	wmma::load_matrix_sync(d, s, 8);
	wmma::load_matrix_sync(e, s, 16);
	wmma::fill_fragment(f, __float2half(0.25f));
	wmma::mma_sync(f, d, e, f);
	wmma::store_matrix_sync((__half *)flat, f, 8, wmma::mem_col_major);
}
