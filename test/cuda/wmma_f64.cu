// Tensor cores by wmma: doubles, 8 x 8 x 4, several steps.
#include <cstdint>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void wmma_f64(double *c, const double *in)
{
	wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 8, 8, 4, double> acc;

	wmma::fill_fragment(acc, 3.0);
	for (int k = 0; k < 16; k += 4) {
		wmma::load_matrix_sync(a, in + k, 16);
		wmma::load_matrix_sync(b, in + 128 + k, 16);
		wmma::mma_sync(acc, a, b, acc);
	}
	wmma::store_matrix_sync(c, acc, 8, wmma::mem_col_major);
}
