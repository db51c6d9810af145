// Structs returned by value: large ones, nested ones, through three levels of calls, with members of all sizes.
#include <cstdint>

struct vec { float x, y, z; };
struct wide { uint64_t word[6]; uint8_t tag; };
struct both { vec v; wide w; int16_t n; };

__device__ __noinline__ vec cross(vec a, vec b)
{
	return { __fmaf_rn(a.y, b.z, -__fmul_rn(a.z, b.y)), __fmaf_rn(a.z, b.x, -__fmul_rn(a.x, b.z)),
	         __fmaf_rn(a.x, b.y, -__fmul_rn(a.y, b.x)) };
}
__device__ __noinline__ wide spread(uint32_t x)
{
	wide w;

	for (int i = 0; i < 6; i++)
		w.word[i] = uint64_t(x) * (0x100000001ull << i);
	w.tag = uint8_t(x % 251);
	return w;
}
__device__ __noinline__ both combine(uint32_t x, int depth)
{
	if (depth > 0) {
		both b = combine(x * 5 + 1, depth - 1);

		b.w.word[depth] ^= x;
		b.n = int16_t(b.n - depth);
		b.v = cross(b.v, vec{ 1, float(depth), -2 });
		return b;
	}
	return { { float(x & 15), float(x >> 4 & 15), float(x >> 8 & 15) }, spread(x), int16_t(x) };
}

extern "C" __global__ void struct_return(uint32_t *out, const uint32_t *in)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = in[i];
	const both b = combine(x, x % 4);
	uint64_t h = 0;

	for (int k = 0; k < 6; k++)
		h = h * 3 + b.w.word[k];
	out[i] = uint32_t(h) ^ uint32_t(h >> 32);
	out[n + i] = uint32_t(b.w.tag) << 16 | uint16_t(b.n);
	out[2 * n + i] = uint32_t(int32_t(b.v.x * 4 + b.v.y * 2 + b.v.z));
}
