/* Control flow: divergence and reconvergence, loops that are left in several ways, tables of jumps, calls of all kinds, recursion, spills. */
#include <cstdint>
#include <cstdio>
#include <cassert>

extern "C" __global__ void divergent(int *out, const int *in, int n)
{
	int a = in[threadIdx.x], sum = 0;

	for (int i = 0; i < a; i++) {
		for (int j = i; j < n; j++) {
			if (in[i + j] == 7)
				goto done;
			if (in[j] == 8)
				break;
			sum += in[i * n + j];
			if (sum > 1000)
				return;
		}
		if (sum & 1)
			continue;
		while (in[sum & 255] != i && sum > 0)
			sum -= a;
		__syncwarp();
	}
done:
	if (a > 3) {
		out[threadIdx.x] = sum / n;
		__syncwarp();
	} else if (a < -3) {
		out[a & 255] = sum % a;
	} else {
		out[n] += sum;
	}
	out[threadIdx.x + 256] = sum;
}

extern "C" __global__ void tables(int *out, const int *in, int n)
{
	int a = in[threadIdx.x];

	for (int i = 0; i < n; i++)
		switch (in[a & 255]) {
		case 0: a += out[a & 7]; break;
		case 1: a ^= 77; out[9] = a; break;
		case 2: a *= 3; __threadfence(); break;
		case 3: a = __popc(a); break;
		case 4: a -= atomicAdd(out, 1); break;
		case 5: a = a < 0 ? in[3] : in[4]; break;
		case 6: out[n] = a; return;
		case 7: a = a / 3; break;
		case 8: a = __shfl_sync(__activemask(), a, 0); break;
		case 9: a <<= i;
		case 10: a |= 5; break;
		case 11: a = ~a; out[12] = i; break;
		default: a++;
		}
	asm volatile("{ .reg .u32 i; .reg .pred p; and.b32 i, %1, 3; T: .branchtargets L0, L1, L2, L3; brx.idx i, T;\n"
	             "L0: add.u32 %0, %0, 1; bra E; L1: xor.b32 %0, %0, 85; bra E; L2: mul.lo.u32 %0, %0, 7; st.global.u32 [%2], %0; bra E; L3: shl.b32 %0, %0, 3; E: }"
	             : "+r"(a) : "r"(n), "l"(out) : "memory");
	out[threadIdx.x] = a;
}

__device__ __noinline__ int twice(int x) { return x * 2 + __popc(x); }
__device__ __noinline__ int shifted(int x) { return x << (x & 7); }
__device__ __noinline__ int many(int a, int b, int c, int d, int e, int f, int g, int h, int *p) { return *p + a * b + c * d - e * f / g * h; }
__device__ __noinline__ double far(double x, float y) { return x * y + 1.0 / x; }
__device__ int (*const pointers[])(int) = { twice, shifted, twice, shifted };
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int ping(int n, int *p);
__device__ __noinline__ int pong(int n, int *p) { return n < 1 ? *p : ping(n - 2, p) ^ n; }
__device__ __noinline__ int ping(int n, int *p) { int local[8]; for (int i = 0; i < 8; i++) local[i] = p[i]; return n < 1 ? local[*p & 7] : pong(n - 1, local) + local[n & 7]; }

extern "C" __global__ void calls(int *out, const int *in, double x)
{
	int a = in[threadIdx.x], local[4] = { a, 2, 3, 4 };

	out[0] = twice(a);
	if (a & 1)
		out[1] = shifted(a);
	out[2] = many(a, in[1], in[2], in[3], in[4], in[5], in[6], in[7], local + (a & 3));
	out[3] = (int)far(x + a, (float)a);
	out[4] = pointers[a & 3](a);
	out[5] = fibonacci(a);
	out[6] = ping(a, local);
}

extern "C" __global__ void runtime(int *out, int n)
{
	int *p = (int *)malloc(n * 4);

	assert(p != nullptr);
	p[threadIdx.x & 3] = n;
	if (threadIdx.x == 3)
		printf("%d of %s\n", n, "them");
	out[threadIdx.x] = p[n & 3];
	free(p);
}

extern "C" __global__ void __launch_bounds__(1024, 2) spills(float *out, const float *in)
{
	float v[40];

#pragma unroll
	for (int i = 0; i < 40; i++)
		v[i] = in[threadIdx.x + i * 1024];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < 40; i++)
		out[threadIdx.x + i * 1024] = v[(i * 7) % 40] * v[39 - i] + v[(i * 3 + 1) % 40];
}
