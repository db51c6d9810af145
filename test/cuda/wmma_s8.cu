// Tensor cores by wmma: signed and unsigned bytes with 32-bit sums, with and without saturation, 16 x 16 x 16 and 8 x 32 x 16.
#include <cstdint>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void wmma_s8(int *c, int *d, const uint32_t *in)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, int> acc;
	wmma::load_matrix_sync(a, (const signed char *)in, 16);
	wmma::load_matrix_sync(b, (const signed char *)in + 256, 16);
	wmma::fill_fragment(acc, 0x7ffffff0 - 40000);
	wmma::mma_sync(acc, a, b, acc, true);
	wmma::store_matrix_sync(c, acc, 16, wmma::mem_row_major);

	wmma::fragment<wmma::matrix_a, 8, 32, 16, unsigned char, wmma::col_major> ua;
	wmma::fragment<wmma::matrix_b, 8, 32, 16, unsigned char, wmma::row_major> ub;
	wmma::fragment<wmma::accumulator, 8, 32, 16, int> uc;
	wmma::load_matrix_sync(ua, (const unsigned char *)in, 16);
	wmma::load_matrix_sync(ub, (const unsigned char *)in, 32);
	wmma::fill_fragment(uc, -7);
	wmma::mma_sync(uc, ua, ub, uc);
	wmma::store_matrix_sync(d, uc, 32, wmma::mem_row_major);
}
