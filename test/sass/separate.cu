/* Compiled for linking later (-rdc=true): functions that other files may call, one that another file has, data of both. */
#include <cstdint>
#include <new>

extern __device__ int elsewhere(int a, const int *p);
extern __device__ uint32_t data[16];
__device__ uint32_t here[4] = { 1, 2, 3, 4 };
__constant__ int weights[8];

__device__ __noinline__ int exported(int a, float *f) { *f += weights[a & 7]; return a * here[a & 3]; }
__device__ int (*chosen)(int, float *) = exported;
struct shape { __device__ virtual int area(int) const = 0; };
struct square : shape { int side; __device__ int area(int n) const override { return side * side + n; } };
struct circle : shape { int r; __device__ int area(int n) const override { return 3 * r * r - n; } };

extern "C" __global__ void separate(int *out, float *f, int n)
{
	__shared__ __align__(16) char room[sizeof(square)];
	circle c;
	square *s = new (room) square;
	const shape *p = n & 1 ? (const shape *)s : (const shape *)&c;

	s->side = n, c.r = n + 1;
	__syncthreads();
	out[threadIdx.x] = exported(n, f) + elsewhere(n, out) + data[n & 15];
	out[threadIdx.x + 32] = chosen(n, f + 1) + p->area(n);
}
