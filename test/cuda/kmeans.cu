// One step of k-means in two launches: points to the nearest of four centres, sums by shared and global atomics, new centres.
#include <cstdint>

extern "C" __global__ void kmeans(uint8_t *label, int *sum, const float2 *centre, const uint32_t *bits, uint32_t count)
{
	__shared__ int s[4][3];
	const uint32_t t = threadIdx.x;

	if (t < 12)
		s[t / 3][t % 3] = 0;
	__syncthreads();
	for (uint32_t i = blockIdx.x * blockDim.x + t; i < count; i += gridDim.x * blockDim.x) {
		const int x = int(bits[i] & 1023), y = int(bits[i] >> 10 & 1023);
		float least = 1e30f;
		int best = 0;

		for (int k = 0; k < 4; k++) {
			const float dx = float(x) - centre[k].x, dy = float(y) - centre[k].y, d = __fmaf_rn(dx, dx, __fmul_rn(dy, dy));

			if (d < least) {
				least = d;
				best = k;
			}
		}
		label[i] = uint8_t(best);
		atomicAdd(&s[best][0], x);
		atomicAdd(&s[best][1], y);
		atomicAdd(&s[best][2], 1);
	}
	__syncthreads();
	if (t < 12)
		atomicAdd(&sum[t], s[t / 3][t % 3]);
}

extern "C" __global__ void kmeans_centres(float2 *centre, const int *sum)
{
	const int *s = sum + threadIdx.x * 3;

	if (s[2] > 0)
		centre[threadIdx.x] = make_float2(__fdiv_rn(float(s[0]), float(s[2])), __fdiv_rn(float(s[1]), float(s[2])));
}
