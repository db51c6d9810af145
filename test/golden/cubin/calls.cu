/* What a cubin may hold: constants of three kinds, a table of branch targets, a function that is called, printf, shared memory, bounds. */
#include <cstdio>
__constant__ float table[16];
__device__ int glob[4] = { 1, 2, 3, 4 };
__device__ __noinline__ float sum(float x, int n)
{
	float s = 0;
	for (int i = 0; i < n; i++)
		s += 1 / (x + i);
	return s;
}
extern "C" __global__ void __launch_bounds__(128) calls(float *p, int n, char c)
{
	__shared__ float s[64];
	s[threadIdx.x & 63] = p[threadIdx.x];
	__syncthreads();
	p[threadIdx.x] = sum(s[(threadIdx.x + 1) & 63], n) + table[c & 15] + glob[n & 3];
	if (n == 77)
		printf("n %d\n", n);
}
extern "C" __global__ void jumps(int *p, int n)
{
	switch (n) {
	case 0: p[0] = 3; break;
	case 1: p[1] *= 7; break;
	case 2: p[2] = p[7]; break;
	case 3: p[4] -= 1; break;
	case 4: p[9] = p[0] * p[1]; break;
	case 5: p[3] = p[8] / 3; break;
	case 6: p[11] = 0; break;
	}
}
