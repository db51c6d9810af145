// A seven-point stencil in three dimensions: planes kept in registers and a tile with halo in shared memory, edges clamped.
#include <cstdint>

extern "C" __global__ void stencil(float *out, const float *in, int n, int depth)
{
	__shared__ float s[10][10];
	const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
	auto at = [=](int a, int b, int c) { return (min(max(c, 0), depth - 1) * n + min(max(b, 0), n - 1)) * n + min(max(a, 0), n - 1); };
	float below = in[at(x, y, -1)], here = in[at(x, y, 0)];

	for (int z = 0; z < depth; z++) {
		const float above = in[at(x, y, z + 1)];

		__syncthreads();
		s[ty + 1][tx + 1] = here;
		if (tx == 0)
			s[ty + 1][0] = in[at(x - 1, y, z)];
		if (tx == 7)
			s[ty + 1][9] = in[at(x + 1, y, z)];
		if (ty == 0)
			s[0][tx + 1] = in[at(x, y - 1, z)];
		if (ty == 7)
			s[9][tx + 1] = in[at(x, y + 1, z)];
		__syncthreads();
		const float sides = (s[ty + 1][tx] + s[ty + 1][tx + 2]) + (s[ty][tx + 1] + s[ty + 2][tx + 1]);
		out[at(x, y, z)] = __fmaf_rn(-6.0f, here, sides + (below + above));
		below = here;
		here = above;
	}
}
