// Matrix product with tiles in shared memory and a 4 x 4 block of results in each thread's registers, float4 loads.
#include <cstdint>

extern "C" __global__ void __launch_bounds__(64) matmul_tiled(float *c, const float *a, const float *b, int n)
{
	__shared__ float sa[8][32], sb[8][32];
	const int t = threadIdx.x, tx = t % 8, ty = t / 8, row = blockIdx.y * 32, col = blockIdx.x * 32;
	float acc[4][4] = {};

	for (int k0 = 0; k0 < n; k0 += 8) {
		const float4 va = *(const float4 *)&a[(row + t / 2) * n + k0 + t % 2 * 4], vb = *(const float4 *)&b[(k0 + t / 8) * n + col + t % 8 * 4];

		sa[t % 2 * 4][t / 2] = va.x;
		sa[t % 2 * 4 + 1][t / 2] = va.y;
		sa[t % 2 * 4 + 2][t / 2] = va.z;
		sa[t % 2 * 4 + 3][t / 2] = va.w;
		*(float4 *)&sb[t / 8][t % 8 * 4] = vb;
		__syncthreads();
#pragma unroll
		for (int k = 0; k < 8; k++)
#pragma unroll
			for (int i = 0; i < 4; i++)
#pragma unroll
				for (int j = 0; j < 4; j++)
					acc[i][j] = __fmaf_rn(sa[k][ty * 4 + i], sb[k][tx * 4 + j], acc[i][j]);
		__syncthreads();
	}
	for (int i = 0; i < 4; i++)
		*(float4 *)&c[(row + ty * 4 + i) * n + col + tx * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
