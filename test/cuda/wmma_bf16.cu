// Tensor cores by wmma: bfloat16 inputs (16 x 16 x 16) and tf32 inputs (16 x 16 x 8), float accumulators.
#include <cstdint>
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void wmma_bf16(float *c, float *d, const uint16_t *in, const float *real)
{
	__shared__ __nv_bfloat16 s[512];

	for (uint32_t i = threadIdx.x; i < 512; i += 32)
		s[i] = __float2bfloat16(float(int(in[i]) - 100));
	__syncwarp();
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
	wmma::load_matrix_sync(a, s, 16);
	wmma::load_matrix_sync(b, s + 256, 16);
	wmma::fill_fragment(acc, 0.0f);
	wmma::mma_sync(acc, a, b, acc);
	wmma::store_matrix_sync(c, acc, 16, wmma::mem_row_major);

	wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> ta;
	wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> tb;
	wmma::fragment<wmma::accumulator, 16, 16, 8, float> tc;
	wmma::fill_fragment(tc, -1.0f);
	for (int k = 0; k < 16; k += 8) {
		wmma::load_matrix_sync(ta, real + k, 16);
		wmma::load_matrix_sync(tb, real + 256 + k, 16);
		for (int i = 0; i < ta.num_elements; i++)
			ta.x[i] = wmma::__float_to_tf32(ta.x[i]);
		for (int i = 0; i < tb.num_elements; i++)
			tb.x[i] = wmma::__float_to_tf32(tb.x[i]);
		wmma::mma_sync(tc, ta, tb, tc);
	}
	wmma::store_matrix_sync(d, tc, 16, wmma::mem_row_major);
}
